/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_route.h - the command `loom route path` */
#ifndef LOOM_CLI_CMD_ROUTE_H
#define LOOM_CLI_CMD_ROUTE_H

#include "io/streams.h"
#include "routing/routing.h"

/* Prints the way from a node to a device, or to all other nodes if `to` is NULL. They are named or
 * given as LIDs; the first port of a node counts. Returns the exit status, 1 if anything does not
 * arrive. */
int loom_route_path(const struct loom_routing *r, const char *from, const char *to, bool json,
                    const char *command, const struct loom_streams *io);

#endif
