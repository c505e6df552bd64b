/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.h - strict YAML files: read by a schema, errors with file, line, key and place
 *
 * A file becomes a tree (yaml_tree.h), and one walk of the schema (yaml_schema.h) over the tree
 * finds what is wrong with it and fills the structures. All that it finds is told, up to
 * LOOM_ERRORS, by the line and the key, such as `cases[2].traffic[0].size`, and by the place.
 * Refused: unknown, missing and repeated keys, wrong kinds of value, counts and lengths out of
 * range, anchors, aliases, tags, more than one document, anything after it. A document that starts
 * with `---` must end with a line `...`, the last of the file, so that no part of it can be
 * missing; `end_needed` demands that of any document.
 *
 * All scalars are texts: the readers turn them into numbers with the exact decimals of source.h.
 */
#ifndef LOOM_IO_YAML_H
#define LOOM_IO_YAML_H

#include "io/source.h"
#include "io/yaml_schema.h"

enum { LOOM_PATH_CHARS = 160 };

/* Who reads what, and where complaints go. */
struct loom_yaml {
  const struct loom_source *src;
  const struct loom_yaml_schema *schema; /* of a mapping */
  struct loom_error *err;
  bool end_needed; /* a line `...` must end the file, however it starts */
  void *loaded;    /* of loom_yaml_load */
};

/* Loads the document: *data is the structure of the schema's mapping, until loom_yaml_free. False:
 * refused, *data is NULL. After it, loom_yaml_fail adds errors to each other. */
bool loom_yaml_load(struct loom_yaml *yaml, void **data);

void loom_yaml_free(struct loom_yaml *yaml);

/* Where a value stands in a document, such as `cases[2].limit`. */
struct loom_path {
  char text[LOOM_PATH_CHARS];
};

/* A path by a format of printf; what does not fit is cut. */
struct loom_path loom_path(const char *format, ...);

/* The line, from 1, on which the value of `path` starts; where it is not in the file, that of the
 * innermost part of `path` that is. */
size_t loom_yaml_line(const struct loom_yaml *yaml, const char *path);

/* Refuses the value of `path`, and adds that to the errors that are there. Always returns false. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
bool loom_yaml_fail(const struct loom_yaml *yaml, const char *path, const char *format, ...);

/* Says that there is no memory for the value of `path`, and nothing else. Always returns false. */
bool loom_yaml_no_memory(const struct loom_yaml *yaml, const char *path);

/* Reads a number with up to `digits` decimals, min..max in units of 10^-digits; `text` NULL stands
 * for a key that is not there and leaves *value as it is. */
bool loom_yaml_number(const struct loom_yaml *yaml, const char *path, const char *text,
                      unsigned digits, uint64_t min, uint64_t max, uint64_t *value);

/* The same for whole numbers. */
bool loom_yaml_u32(const struct loom_yaml *yaml, const char *path, const char *text, uint32_t min,
                   uint32_t max, uint32_t *value);

/* Which of `names` (NULL ends it) the text is; NULL text leaves *value as it is. */
bool loom_yaml_word(const struct loom_yaml *yaml, const char *path, const char *text,
                    const char *const names[], unsigned *value);

#endif
