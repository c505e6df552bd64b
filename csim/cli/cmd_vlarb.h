/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_vlarb.h - the commands below `loom vlarb` */
#ifndef LOOM_CLI_CMD_VLARB_H
#define LOOM_CLI_CMD_VLARB_H

#include "io/streams.h"

int loom_cmd_vlarb_solve(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_vlarb_testbed(int argc, char **argv, const struct loom_streams *io);

#endif
