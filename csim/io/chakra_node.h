/* SPDX-License-Identifier: Apache-2.0 */
/* chakra_node.h - one node of an execution trace of MLCommons Chakra (docs/formats.md) */
#ifndef LOOM_IO_CHAKRA_NODE_H
#define LOOM_IO_CHAKRA_NODE_H

#include <stddef.h>

#include "io/source.h"
#include "io/wire.h"

/* NodeType of the schema. */
enum loom_chakra_type {
  LOOM_CHAKRA_INVALID,
  LOOM_CHAKRA_METADATA,
  LOOM_CHAKRA_LOAD,
  LOOM_CHAKRA_STORE,
  LOOM_CHAKRA_COMP,
  LOOM_CHAKRA_SEND,
  LOOM_CHAKRA_RECV,
  LOOM_CHAKRA_COLL,
  LOOM_CHAKRA_STORAGE,
  LOOM_CHAKRA_BATCH,
  LOOM_CHAKRA_CHECKPOINT,
  LOOM_CHAKRA_TYPES
};

/* Attributes that are whole numbers. */
enum loom_chakra_number {
  LOOM_CHAKRA_COMM_TYPE,
  LOOM_CHAKRA_COMM_SIZE,
  LOOM_CHAKRA_COMM_SRC,
  LOOM_CHAKRA_COMM_DST,
  LOOM_CHAKRA_COMM_TAG,
  LOOM_CHAKRA_NUMBERS
};
extern const char *const loom_chakra_number_names[LOOM_CHAKRA_NUMBERS];

enum { LOOM_CHAKRA_DIMENSIONS = 16 }; /* of involved_dim, at most */

struct loom_chakra_node {
  uint64_t id;
  uint64_t micros; /* duration */
  enum loom_chakra_type type;
  struct {
    bool given;
    uint64_t value;
  } number[LOOM_CHAKRA_NUMBERS];
  struct loom_wire group; /* pg_name: bytes of the source; `at` NULL: none */
  uint32_t dimensions;    /* of involved_dim; 0: none */
  uint32_t involved;      /* its bits, from dimension 0 on */
  uint64_t *dep;          /* nodes that it waits for, in rising order; once each */
  size_t deps, dep_room;  /* memory that one node hands to the next */
};

/* Reads the node that `message` is. False: refused, *err names the node or the byte. Begins with an
 * empty struct or one that was read before; ends with loom_chakra_node_free. */
bool loom_chakra_node_read(struct loom_chakra_node *node, const struct loom_source *src,
                           struct loom_wire message, struct loom_error *err);
void loom_chakra_node_free(struct loom_chakra_node *node);

/* Refuse a node, or the byte that `at` points to. Always false. */
#ifdef __GNUC__
__attribute__((format(printf, 5, 6)))
#endif
bool loom_chakra_fail(const char *name, uint64_t id, const char *key, struct loom_error *err,
                      const char *format, ...);
bool loom_chakra_fail_at(const struct loom_source *src, const char *at, const char *message,
                         struct loom_error *err);

#endif
