/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */

#include "io/text_stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

struct stream {
  char **text;
  size_t *size;
  char *bytes;
  size_t used, room; /* without the NUL */
  bool lacking;
};

static bool grow(struct stream *s, size_t more) {
  size_t room = s->room;
  while (room - s->used < more && room <= SIZE_MAX / 4)
    room *= 2;
  char *bytes = room - s->used < more ? NULL : realloc(s->bytes, room + 1);
  if (!bytes)
    return false;
  s->bytes = bytes;
  s->room = room;
  return true;
}

static ssize_t take(void *cookie, const char *from, size_t size) {
  struct stream *s = cookie;
  if (s->room - s->used < size && !grow(s, size))
    s->lacking = true;
  if (s->lacking)
    return 0;
  memcpy(s->bytes + s->used, from, size);
  s->used += size;
  return (ssize_t)size;
}

static int end(void *cookie) {
  struct stream *s = cookie;
  int status = s->lacking ? -1 : 0;
  s->bytes[s->used] = 0;
  *s->text = s->lacking ? NULL : s->bytes;
  *s->size = s->lacking ? 0 : s->used;
  if (s->lacking)
    free(s->bytes);
  free(s);
  return status;
}

FILE *loom_text_open(char **text, size_t *size) {
  static const cookie_io_functions_t calls = {.write = take, .close = end};
  struct stream *s = malloc(sizeof *s);
  char *bytes = malloc(ROOM + 1);
  FILE *file = s && bytes ? fopencookie(s, "w", calls) : NULL;
  *text = NULL;
  *size = 0;
  if (!file) {
    free(s);
    free(bytes);
    return NULL;
  }
  *s = (struct stream){.text = text, .size = size, .bytes = bytes, .room = ROOM};
  return file;
}
