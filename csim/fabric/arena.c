/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - memory for the states of a fabric's devices (docs/fabric.md) */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "fabric/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  LINE = LOOM_ARENA_LINE,
  FIRST = 1 << 21 /* bytes of the first pool */,
  APART = FIRST / 4 /* bytes from which on */
};

struct loom_arena_block {
  struct loom_arena_block *next;
  void *memory;
  size_t bytes;
};

/* Fresh from the system, so that it is all 0 without having been touched. NULL: out of memory. */
static char *add_block(struct loom_arena *a, size_t bytes) {
  struct loom_arena_block *block = malloc(sizeof *block);
  void *memory =
      block ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
  if (!block || memory == MAP_FAILED) {
    free(block);
    return NULL;
  }
  *block = (struct loom_arena_block){.next = a->first, .memory = memory, .bytes = bytes};
  a->first = block;
  return memory;
}

/* A new pool, as large as all before it: if there were many, states would begin anew in each, and
 * fall on the same places of a cache. What is never touched of it costs nothing. */
static bool add_pool(struct loom_arena *a) {
  size_t bytes = a->pools ? a->pools : FIRST;
  char *memory = add_block(a, bytes);
  if (!memory)
    return false;
  a->pools += bytes;
  a->at = memory;
  a->left = bytes;
  return true;
}

void *loom_arena_take(struct loom_arena *a, size_t bytes) {
  bytes = bytes ? (bytes + LINE - 1) / LINE * LINE : LINE;
  if (bytes >= APART)
    return add_block(a, bytes);
  if (bytes > a->left && !add_pool(a))
    return NULL;
  void *memory = a->at;
  a->at += bytes;
  a->left -= bytes;
  return memory;
}

void loom_arena_free(struct loom_arena *a) {
  while (a->first) {
    struct loom_arena_block *block = a->first;
    a->first = block->next;
    munmap(block->memory, block->bytes);
    free(block);
  }
  *a = (struct loom_arena){.first = NULL};
}
