/* SPDX-License-Identifier: Apache-2.0 */
#include "routing/heap.h"

#include <stdlib.h>

enum { CHILDREN = 4 };

bool loom_heap_make(struct loom_heap *h, uint32_t size) {
  *h = (struct loom_heap){.size = size};
  h->key = calloc(size, sizeof *h->key);
  h->element = calloc(size, sizeof *h->element);
  h->place = calloc(size, sizeof *h->place);
  if (h->key && h->element && h->place)
    return true;
  loom_heap_drop(h);
  return false;
}

void loom_heap_drop(struct loom_heap *h) {
  free(h->key);
  free(h->element);
  free(h->place);
  *h = (struct loom_heap){.size = 0};
}

static void put(struct loom_heap *h, uint32_t place, uint32_t element) {
  h->element[place] = element;
  h->place[element] = place;
}

void loom_heap_fill(struct loom_heap *h, uint32_t count) {
  h->count = count;
  for (uint32_t i = 0; i < count; i++) {
    h->key[i] = UINT64_MAX;
    put(h, i, i);
  }
}

void loom_heap_lower(struct loom_heap *h, uint32_t element, uint64_t key) {
  uint32_t place = h->place[element];
  h->key[element] = key;
  while (place && h->key[h->element[(place - 1) / CHILDREN]] > key) {
    uint32_t parent = (place - 1) / CHILDREN;
    put(h, place, h->element[parent]);
    place = parent;
  }
  put(h, place, element);
}

/* The child with the least key, the last of them. `place` has one. */
static uint32_t least_child(const struct loom_heap *h, uint32_t place) {
  uint32_t best = place * CHILDREN + 1;
  for (uint32_t c = best + 1; c < h->count && c <= (place + 1) * CHILDREN; c++)
    if (h->key[h->element[c]] <= h->key[h->element[best]])
      best = c;
  return best;
}

uint32_t loom_heap_take(struct loom_heap *h) {
  uint32_t top = h->element[0], last = h->element[--h->count], place = 0;
  while (place * CHILDREN + 1 < h->count) {
    uint32_t child = least_child(h, place);
    if (h->key[h->element[child]] >= h->key[last])
      break;
    put(h, place, h->element[child]);
    place = child;
  }
  put(h, place, last);
  return top;
}

static void swap(uint32_t *a, uint32_t *b) {
  uint32_t c = *a;
  *a = *b;
  *b = c;
}

/* A heap of two children each whose greatest is on top. */
static void sift(uint32_t *thing, const uint32_t *key, uint32_t at, uint32_t count) {
  for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && key[thing[child + 1]] > key[thing[child]])
      child++;
    if (key[thing[at]] >= key[thing[child]])
      return;
    swap(&thing[at], &thing[child]);
    at = child;
  }
}

void loom_heap_sort(uint32_t *thing, const uint32_t *key, uint32_t count) {
  for (uint32_t i = count / 2; i--;)
    sift(thing, key, i, count);
  for (uint32_t i = count; i-- > 1;) {
    swap(&thing[0], &thing[i]);
    sift(thing, key, 0, i);
  }
}
