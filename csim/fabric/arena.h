/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - memory for the states of a fabric's devices, which all go together (docs/fabric.md)
 *
 * A cycle goes through the states of all devices, so they lie close together in a few pools. What
 * is large and mostly never touched lies apart. */
#ifndef LOOM_FABRIC_ARENA_H
#define LOOM_FABRIC_ARENA_H

#include <stddef.h>

enum { LOOM_ARENA_LINE = 64 }; /* bytes of a line of the cache */

/* All zero: nothing taken yet. */
struct loom_arena {
  struct loom_arena_block *first;
  size_t pools; /* bytes of all so far */
  char *at;     /* what is left of the last one */
  size_t left;
};

/* Begins a line of the cache, and is all 0; of a large piece, pages that are never written take no
 * memory. NULL: out of memory, and only then. */
void *loom_arena_take(struct loom_arena *a, size_t bytes);
/* All that was taken. */
void loom_arena_free(struct loom_arena *a);

#endif
