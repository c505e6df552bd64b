/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - what is nearest? A heap of four children each, whose keys only fall (docs/route.md)
 *
 * Elements are 0 .. size - 1. Of equal keys the order is that of the heap itself: a key that falls
 * passes greater ones only, and of equal children the last one rises.
 */
#ifndef LOOM_ROUTING_HEAP_H
#define LOOM_ROUTING_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct loom_heap {
  uint64_t *key;     /* by element */
  uint32_t *element; /* by place; place 0 is on top */
  uint32_t *place;   /* by element */
  uint32_t size;     /* room */
  uint32_t count;    /* that are in it */
};

/* False: out of memory. */
bool loom_heap_make(struct loom_heap *h, uint32_t size);
void loom_heap_drop(struct loom_heap *h);

/* All of the first `count` elements are in it, in their order, with the greatest key. */
void loom_heap_fill(struct loom_heap *h, uint32_t count);

/* A key falls; the element is in the heap. */
void loom_heap_lower(struct loom_heap *h, uint32_t element, uint64_t key);

/* Takes out the element on top; there is one. */
uint32_t loom_heap_take(struct loom_heap *h);

/* Sorts `count` things by their keys, which are all different: [thing]. */
void loom_heap_sort(uint32_t *thing, const uint32_t *key, uint32_t count);

#endif
