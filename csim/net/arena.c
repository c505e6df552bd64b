/* arena.c - memory for the states of a fabric's devices (docs/fabric.md) */
#define _DEFAULT_SOURCE /* madvise */
#include "net/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  LINE = LOOM_ARENA_LINE,
  PAGE = 1 << 21 /* large */,
  APART = PAGE / 4 /* bytes from which on */
};

struct loom_arena_block {
  struct loom_arena_block *next;
  void *memory;
};

/* NULL: out of memory. */
static char *add_block(struct loom_arena *a, size_t align, size_t bytes) {
  struct loom_arena_block *block = malloc(sizeof *block);
  char *memory = aligned_alloc(align, bytes);
  if (!block || !memory) {
    free(block);
    free(memory);
    return NULL;
  }
  *block = (struct loom_arena_block){.next = a->first, .memory = memory};
  a->first = block;
  return memory;
}

/* New large pages, as many again as there are: if states began anew in each page, many would fall
 * on the same places of a cache. Those that are never touched cost nothing. */
static bool add_pages(struct loom_arena *a) {
  size_t bytes = a->pages ? a->pages : PAGE;
  char *memory = add_block(a, PAGE, bytes);
  if (!memory)
    return false;
#ifdef MADV_HUGEPAGE
  (void)madvise(memory, bytes, MADV_HUGEPAGE); /* advice: without it, it is only slower */
#endif
  a->pages += bytes;
  a->at = memory;
  a->left = bytes;
  return true;
}

void *loom_arena_take(struct loom_arena *a, size_t bytes) {
  bytes = bytes ? (bytes + LINE - 1) / LINE * LINE : LINE;
  if (bytes >= APART)
    return add_block(a, LINE, bytes);
  if (bytes > a->left && !add_pages(a))
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
    free(block->memory);
    free(block);
  }
  *a = (struct loom_arena){.first = NULL};
}
