/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a trace, from a .names file (VF-04). */
#include <stdlib.h>
#include <string.h>

#include "vef/vef.h"
#include "vef/vef_text.h"

/* Takes what stands before `mark` in the line, without blanks; the mark goes with it. */
static bool take_part(struct loom_vef_text *t, const char *key, char mark,
                      struct loom_vef_word *word) {
  const char *found = memchr(t->at, mark, (size_t)(t->end - t->at));
  if (!found)
    return loom_vef_refuse(t, key,
                           mark == '_' ? "is not followed by `_`" : "is not followed by `:`");
  *word = (struct loom_vef_word){t->at, (size_t)(found - t->at)};
  t->at = found + 1;
  return true;
}

/* What is left of the line. */
static struct loom_vef_word rest(const struct loom_vef_text *t) {
  return (struct loom_vef_word){t->at, (size_t)(t->end - t->at)};
}

static bool is_kind(const struct loom_vef_word *word) {
  for (size_t i = 0; i < word->length; i++) {
    char c = word->text[i];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'))
      return false;
  }
  return word->length > 0 && word->length < LOOM_VEF_NAME;
}

/* `id:Kind_tile` */
static bool read_device(struct loom_vef_text *t, uint32_t id, struct loom_vef_device *device) {
  struct loom_vef_word word = {"", 0};
  uint64_t value = 0;
  if (!loom_vef_take_line(t) || !take_part(t, "id", ':', &word) ||
      !loom_vef_number(t, "id", &word, id, id, &value) || !take_part(t, "element", '_', &word))
    return false;
  if (!is_kind(&word))
    return loom_vef_refuse(t, "element", "has no kind of 1..31 letters, digits and `-`");
  memcpy(device->kind, word.text, word.length);
  word = rest(t);
  if (!loom_vef_number(t, "tile", &word, 0, LOOM_VEF_TASKS - 1, &value))
    return false;
  device->tile = (uint32_t)value;
  return true;
}

/* `NODES:n:m` */
static bool read_head(struct loom_vef_text *t, uint64_t *count, uint64_t *latency) {
  struct loom_vef_word word = {"", 0};
  if (!loom_vef_take_line(t) || !take_part(t, "NODES", ':', &word))
    return false;
  if (!loom_vef_same(&word, "NODES"))
    return loom_vef_refuse(t, "NODES", "is missing at the start");
  if (!take_part(t, "n", ':', &word) || !loom_vef_number(t, "n", &word, 1, LOOM_VEF_TASKS, count))
    return false;
  word = rest(t);
  return loom_vef_number(t, "m", &word, 0, LOOM_VEF_NAMES_LATENCY, latency);
}

static bool read_devices(struct loom_vef_text *t, struct loom_vef_names *names) {
  for (uint32_t i = 0; i < names->count; i++)
    if (!read_device(t, i, &names->device[i]))
      return false;
  t->line++;
  return t->next == t->stop ||
         loom_vef_refuse(t, "file", "has more lines than its header promises");
}

struct loom_vef_names *loom_vef_names_parse(const char *text, size_t size,
                                            struct loom_vef_error *error) {
  struct loom_vef_text t = {.next = text, .stop = text + size, .error = error};
  uint64_t count = 0;
  uint64_t latency = 0;
  if (!read_head(&t, &count, &latency))
    return NULL;
  struct loom_vef_names *names = calloc(1, sizeof *names + count * sizeof names->device[0]);
  if (!names) {
    *error = (struct loom_vef_error){.message = "out of memory"};
    return NULL;
  }
  names->count = (uint32_t)count;
  names->latency = (uint32_t)latency;
  if (read_devices(&t, names))
    return names;
  loom_vef_names_destroy(names);
  return NULL;
}

void loom_vef_names_destroy(struct loom_vef_names *names) { free(names); }
