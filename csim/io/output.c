/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - text that is printed as a whole or not at all */

#include "io/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_memory.h"
#include "io/text_stream.h"

bool loom_output_open(struct loom_output *output) {
  output->text = NULL;
  output->size = 0;
  output->file = loom_text_open(&output->text, &output->size);
  return output->file != NULL;
}

int loom_output_print(struct loom_output *output, const struct loom_streams *io,
                      const char *command) {
  bool bad = ferror(output->file) != 0 || loom_json_lacked();
  if (fclose(output->file) || bad || !output->text) {
    free(output->text);
    return loom_refuse(io, command, "output", "out of memory");
  }
  errno = 0;
  bad = fwrite(output->text, 1, output->size, io->out) != output->size || fflush(io->out);
  free(output->text);
  if (bad)
    return loom_refuse(io, command, "output", "cannot write: %s", strerror(errno));
  return LOOM_EXIT_DONE;
}

void loom_output_fixed(struct loom_output *output, int width, int64_t value, unsigned digits) {
  char text[48];
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  uint64_t scale = 1;
  for (unsigned i = 0; i < digits; i++)
    scale *= 10;
  snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", magnitude / scale,
           (int)digits, magnitude % scale);
  fprintf(output->file, "%*s", width, text);
}
