/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_vef.h - the commands below `loom vef` */
#ifndef LOOM_CLI_CMD_VEF_H
#define LOOM_CLI_CMD_VEF_H

#include "cli/cli.h"

int loom_cmd_vef_generate(int argc, char **argv, const struct loom_streams *io);

#endif
