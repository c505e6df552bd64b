/* SPDX-License-Identifier: Apache-2.0 */
/* streams.h - where commands write, how they refuse, and what their exit status says */
#ifndef LOOM_IO_STREAMS_H
#define LOOM_IO_STREAMS_H

#include <stdio.h>

/* Exit statuses of every command. */
enum { LOOM_EXIT_DONE = 0, LOOM_EXIT_FAILED = 1, LOOM_EXIT_BAD_INPUT = 2 };

/* Where a command writes. Results go to `out` only when the command succeeds. */
struct loom_streams {
  FILE *out;
  FILE *err;
};

/* Refuses an option: `command: option: message` on io->err. Returns LOOM_EXIT_BAD_INPUT. */
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
int loom_refuse(const struct loom_streams *io, const char *command, const char *option,
                const char *format, ...);

#endif
