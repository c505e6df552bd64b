/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - text that is printed as a whole or not at all */
#ifndef LOOM_IO_OUTPUT_H
#define LOOM_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/streams.h"

/* Text that is printed as a whole or not at all. */
struct loom_output {
  FILE *file; /* write here */
  char *text;
  size_t size;
};

/* False: out of memory. */
bool loom_output_open(struct loom_output *output);

/* Writes the text to io->out and closes it; the exit status. */
int loom_output_print(struct loom_output *output, const struct loom_streams *io,
                      const char *command);

/* value / 10^digits with that many decimals, in a field of `width`. */
void loom_output_fixed(struct loom_output *output, int width, int64_t value, unsigned digits);

#endif
