/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - runs that wait for their circuits */
#define _GNU_SOURCE /* poll */
#include "tb/cosim/follow.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 4096, LINE = 80 };

void follow_init(struct follow *f, bool on) { *f = (struct follow){.on = on}; }

void follow_free(struct follow *f) {
  free(f->text);
  *f = (struct follow){0};
}

/* Room for another piece and the zero that ends it. */
static bool grow(struct follow *f) {
  if (f->used + PIECE < f->size)
    return true;
  char *more = realloc(f->text, f->size + 2 * PIECE);
  if (!more)
    return false;
  f->text = more;
  f->size += 2 * PIECE;
  if (!f->used)
    f->text[f->used++] = '\n';
  return true;
}

/* Reads what is there; with `wait` until something is. */
static void read_more(struct follow *f, bool wait) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  if (f->ended || poll(&in, 1, wait ? -1 : 0) == 0)
    return;
  ssize_t n = grow(f) ? read(STDIN_FILENO, f->text + f->used, PIECE) : 0;
  if (n <= 0) {
    f->ended = true;
    return;
  }
  f->used += (size_t)n;
  f->text[f->used] = 0;
}

static bool named(const struct follow *f, const char *dut, const char *config) {
  char line[LINE];
  snprintf(line, sizeof line, "\n%.32s-%.32s\n", dut, config);
  return f->used > 1 && strstr(f->text, line);
}

bool follow_ready(struct follow *f, const char *dut, const char *config, bool wait) {
  if (!f->on || named(f, dut, config))
    return true;
  do
    read_more(f, wait);
  while (!named(f, dut, config) && wait && !f->ended);
  return named(f, dut, config);
}
