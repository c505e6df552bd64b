/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - the sockets at which tools join the fabric, the console and the end (docs/ibsim.md) */
#ifndef LOOM_IBSIM_SERVER_H
#define LOOM_IBSIM_SERVER_H

#include <stdio.h>

#include "ibsim/exchange.h"
#include "io/streams.h"

struct loom_ibsim_server;

struct loom_ibsim_server_cfg {
  struct loom_exchange *exchange;
  const char *name; /* of the sockets, what IBSIM_SOCKNAME says to the tools */
  int console;      /* descriptor that lines are read from; -1: none */
  /* Says how traffic goes; NULL: there is none. */
  void (*status)(void *context, FILE *out);
  void *context;
  const struct loom_streams *io;
  const char *command; /* for messages */
};

/* From here on tools can join, and signals that end programs end loom_ibsim_serve. NULL: *why, of
 * 200 bytes, says what is wrong. */
struct loom_ibsim_server *loom_ibsim_server_create(const struct loom_ibsim_server_cfg *cfg,
                                                   char *why);
void loom_ibsim_server_destroy(struct loom_ibsim_server *s);

/* Waits for at most so many milliseconds, -1: for ever, and does what has come by then. False: it
 * is to end. */
bool loom_ibsim_serve(struct loom_ibsim_server *s, int milliseconds);

#endif
