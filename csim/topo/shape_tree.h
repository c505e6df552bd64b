/* SPDX-License-Identifier: Apache-2.0 */
/* shape_tree.h - a folded tree of switches between ends of any kind: fat trees, and the indirect
 * networks of KNS */
#ifndef LOOM_TOPO_SHAPE_TREE_H
#define LOOM_TOPO_SHAPE_TREE_H

#include "topo/topo.h"

/* One that is not full keeps the switches that lead to an end. */
struct loom_topo_stages {
  uint32_t arity;  /* links down of a switch, and links up below the top */
  uint32_t levels; /* 1.. */
  uint32_t top;    /* links down of a switch of the top level */
  uint32_t hosted; /* switches of the top level in one device (E5-23) */
  uint32_t ends;   /* that are joined, at least 1 */
  uint32_t trunk;  /* parallel cables for each link between switches */
  uint32_t hold;   /* and for each link to an end */
  uint32_t ports;  /* of a switch, at least */
  uint32_t coords;
  uint32_t coord[LOOM_TOPO_COORDS - 2]; /* before level and index */
  char name[24];                        /* of switches: `name``level`-`index` */
};

/* base^exponent, LOOM_TOPO_SIZE_MAX + 1 if it is larger than LOOM_TOPO_SIZE_MAX. */
uint32_t loom_topo_power(uint32_t base, uint32_t exponent);

/* base * factor in the same bound. */
uint32_t loom_topo_times(uint32_t base, uint32_t factor);

/* Ends that have room; bounded like loom_topo_power. */
uint32_t loom_topo_stages_room(const struct loom_topo_stages *s);

/* Adds the switches, level by level from the leaves, and their cables; the first of them. */
uint32_t loom_topo_stages_add(struct loom_topo *t, const struct loom_topo_stages *s);

/* Where cable `lane` of end `end` is plugged in: the leaf, counted from the first switch, and its
 * port. */
struct loom_topo_plug {
  uint32_t leaf;
  uint32_t port;
};
struct loom_topo_plug loom_topo_stages_plug(const struct loom_topo_stages *s, uint32_t end,
                                            uint32_t lane);

#endif
