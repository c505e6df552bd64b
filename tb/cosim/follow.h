/* SPDX-License-Identifier: Apache-2.0 */
/* follow.h - runs that wait for their circuits: the build names each on standard input when it is
 * there, DEVICE-CONFIGURATION a line */
#ifndef LOOM_TB_FOLLOW_H
#define LOOM_TB_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

struct follow {
  bool on;    /* false: every circuit is there */
  bool ended; /* nothing more will be named */
  char *text; /* what has been read, from a newline on */
  size_t used, size;
};

void follow_init(struct follow *f, bool on);
void follow_free(struct follow *f);

/* Whether the circuit is there. With `wait` it returns when it is, or when the build has ended. */
bool follow_ready(struct follow *f, const char *dut, const char *config, bool wait);

#endif
