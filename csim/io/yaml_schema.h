/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_schema.h - what a YAML file may say
 *
 * A schema is a mapping of texts, mappings, and lists of texts or mappings. The reader (yaml.h)
 * checks a file by it and fills structures of C, where every text is a `char *`, NULL where a key
 * is missing; a list is a pointer with a `uint32_t` beside it, a mapping inside a mapping a
 * pointer. */
#ifndef LOOM_IO_YAML_SCHEMA_H
#define LOOM_IO_YAML_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/yaml_tree.h"

struct loom_yaml_field;

/* A value. */
struct loom_yaml_schema {
  enum loom_yaml_kind kind;
  uint32_t min, max;                    /* characters of a text, entries of a list */
  const char *const *words;             /* a text is one of these, NULL ends them; NULL: is any */
  uint64_t least, most;                 /* or a number between these; most 0: is none */
  unsigned digits;                      /* of the number after the point; bounds are in its unit */
  size_t size;                          /* of a mapping's structure, bytes */
  const struct loom_yaml_field *fields; /* of a mapping; a key NULL ends it */
  const struct loom_yaml_schema *entry; /* of a list */
};

/* A key of a mapping. */
struct loom_yaml_field {
  const char *key;
  bool needed;
  size_t offset;  /* of the value in the mapping's structure, bytes */
  size_t entries; /* of the count of a list */
  struct loom_yaml_schema value;
};

enum loom_yaml_need { LOOM_YAML_MAY_MISS, LOOM_YAML_NEEDED };
enum { LOOM_YAML_NUMBER = 80 }; /* characters of a number, at most */

/* Words of a switch: `false`, `true`. */
extern const char *const loom_yaml_flags[];

/* Schemas of values. */
#define LOOM_YAML_TEXT_OF(most)                                                                    \
  { .kind = LOOM_YAML_TEXT, .min = 1, .max = (most) }
#define LOOM_YAML_NUMBER_OF(decimals, low, high)                                                   \
  {                                                                                                \
    .kind = LOOM_YAML_TEXT, .min = 1, .max = LOOM_YAML_NUMBER, .least = (low), .most = (high),     \
    .digits = (decimals)                                                                           \
  }
#define LOOM_YAML_WORD_OF(list)                                                                    \
  { .kind = LOOM_YAML_TEXT, .min = 1, .max = 80, .words = (list) }
#define LOOM_YAML_MAP_OF(type, list)                                                               \
  { .kind = LOOM_YAML_MAP, .size = sizeof(struct type), .fields = (list) }

/* Keys: `member` of `struct type`, with up to `most` characters or entries. */
#define LOOM_YAML_TEXT_KEY(name, need, type, member, most)                                         \
  {                                                                                                \
    .key = (name), .needed = (need), .offset = offsetof(struct type, member),                      \
    .value = LOOM_YAML_TEXT_OF(most)                                                               \
  }
#define LOOM_YAML_NUMBER_KEY(name, need, type, member, decimals, low, high)                        \
  {                                                                                                \
    .key = (name), .needed = (need), .offset = offsetof(struct type, member),                      \
    .value = LOOM_YAML_NUMBER_OF(decimals, low, high)                                              \
  }
#define LOOM_YAML_WORD_KEY(name, need, type, member, list)                                         \
  {                                                                                                \
    .key = (name), .needed = (need), .offset = offsetof(struct type, member),                      \
    .value = LOOM_YAML_WORD_OF(list)                                                               \
  }
#define LOOM_YAML_LIST_KEY(name, need, type, member, of, most)                                     \
  {                                                                                                \
    .key = (name), .needed = (need), .offset = offsetof(struct type, member),                      \
    .entries = offsetof(struct type, member##_count), .value = {                                   \
      .kind = LOOM_YAML_LIST,                                                                      \
      .min = 1,                                                                                    \
      .max = (most),                                                                               \
      .entry = (of)                                                                                \
    }                                                                                              \
  }
#define LOOM_YAML_MAP_KEY(name, need, type, member, part, list)                                    \
  {                                                                                                \
    .key = (name), .needed = (need), .offset = offsetof(struct type, member),                      \
    .value = LOOM_YAML_MAP_OF(part, list)                                                          \
  }

#endif
