/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.h - strict YAML files: a schema of libcyaml, errors with file, line and key
 *
 * libcyaml loads the values; before it does, the same schema is walked over the events of libyaml,
 * whose marks are exact. So the schema stands once and a refusal names the line and the key, such
 * as `cases[2].traffic[0].size`. Refused: unknown, missing and repeated keys, wrong kinds of value,
 * counts and lengths out of range, anchors, aliases, tags, more than one document, anything after
 * it. A document that starts with `---` must end with a line `...`, the last of the file, so that
 * no part of it can be missing; `end_needed` demands that of any document.
 *
 * A schema is a mapping of strings, mappings and sequences of strings or mappings. All scalars are
 * strings: the readers turn them into numbers with the exact decimals of source.h.
 */
#ifndef LOOM_IO_YAML_H
#define LOOM_IO_YAML_H

#include <cyaml/cyaml.h>

#include "io/source.h"

enum { LOOM_PATH_CHARS = 160 };

/* Who reads what, and where complaints go. */
struct loom_yaml {
  const struct loom_source *src;
  const cyaml_schema_value_t *schema;
  struct loom_error *err;
  bool end_needed; /* a line `...` must end the file, however it starts */
};

/* Loads the document into *data, which loom_yaml_free gives back. False: refused, *data is NULL. */
bool loom_yaml_load(const struct loom_yaml *yaml, void **data);

void loom_yaml_free(const struct loom_yaml *yaml, void *data);

/* Where a value stands in a document, such as `cases[2].limit`. */
struct loom_path {
  char text[LOOM_PATH_CHARS];
};

/* A path by a format of printf; what does not fit is cut. */
struct loom_path loom_path(const char *format, ...);

/* The line, from 1, on which the value of `path` starts; where it is not in the file, that of the
 * innermost part of `path` that is. */
size_t loom_yaml_line(const struct loom_yaml *yaml, const char *path);

/* Refuses the value of `path`. Always returns false. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
bool loom_yaml_fail(const struct loom_yaml *yaml, const char *path, const char *format, ...);

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
