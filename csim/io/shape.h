/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h - a fabric by the options of `loom topo`: one of the regular shapes, or a file
 * (docs/topo.md) */
#ifndef LOOM_IO_SHAPE_H
#define LOOM_IO_SHAPE_H

#include "io/source.h"
#include "topo/generate.h"

enum loom_shape_kind {
  LOOM_SHAPE_TREE,
  LOOM_SHAPE_XGFT,
  LOOM_SHAPE_SLIM,
  LOOM_SHAPE_TORUS,
  LOOM_SHAPE_MESH,
  LOOM_SHAPE_HYPERX,
  LOOM_SHAPE_DRAGONFLY,
  LOOM_SHAPE_DRAGONFLYPLUS,
  LOOM_SHAPE_SLIMFLY,
  LOOM_SHAPE_KNS,
  LOOM_SHAPE_QSNET3,
  LOOM_SHAPE_FILE,
  LOOM_SHAPE_KINDS
};
/* Without the last: a file is no kind that one may name. */
extern const char *const loom_shape_names[LOOM_SHAPE_KINDS];

struct loom_shape {
  enum loom_shape_kind kind;
  uint32_t k, n, nodes, trunk, radix, ports, links, rails, top, hosted; /* 0: not given */
  uint32_t routers, globals, groups;                                    /* dragonfly; the same */
  uint32_t leaves, spines; /* dragonflyplus, with globals and groups; the same */
  uint32_t q;              /* slimfly; the same */
  bool full, spread, blade;
  uint32_t levels, ups, down[LOOM_TOPO_XGFT_LEVELS], up[LOOM_TOPO_XGFT_LEVELS]; /* xgft */
  uint32_t dims, size[3]; /* torus, mesh, HyperX */
};

/* It is a torus, a mesh or a HyperX. */
static inline bool loom_shape_is_grid(enum loom_shape_kind kind) {
  return kind == LOOM_SHAPE_TORUS || kind == LOOM_SHAPE_MESH || kind == LOOM_SHAPE_HYPERX;
}

/* `18x14`: up to `most` numbers from min on to LOOM_TOPO_DEVICES. */
bool loom_shape_numbers(const char *text, uint32_t min, uint32_t most, uint32_t value[],
                        uint32_t *values);

/* `8x8` or `8x8x4`, each 2..LOOM_TOPO_DEVICES. */
bool loom_shape_size(struct loom_shape *s, const char *text);

/* The fabric of a shape that is no file; NULL: *bad names the number that cannot be, or is NULL
 * when the fabric is too large or memory is out. */
struct loom_topo *loom_shape_make(const struct loom_shape *s, const char **bad);

enum { LOOM_SHAPE_WHY = 120 };
/* Why loom_shape_make has not made it: the bound that its nodes pass, with their number, or where
 * the bounds stand. */
void loom_shape_why(const struct loom_shape *s, char why[LOOM_SHAPE_WHY]);

#endif
