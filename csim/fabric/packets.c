/* SPDX-License-Identifier: Apache-2.0 */
/* packets.c - packets under way whose words stand in the fabric (docs/packet_engine.md) */
#include "fabric/packets.h"

#include <stdlib.h>

enum { FIRST = 64, MOST = 1 << 28 };

static bool grow(struct loom_packets *p) {
  uint32_t size = p->size ? 2 * p->size : FIRST;
  struct loom_packets_entry *entry = size <= MOST ? realloc(p->entry, size * sizeof *entry) : NULL;
  if (!entry)
    return false;
  p->entry = entry;
  p->size = size;
  return true;
}

uint32_t loom_packets_add(struct loom_packets *p, uint64_t head, uint64_t key, uint32_t offset) {
  uint32_t number = p->free;
  if (number)
    p->free = p->entry[number - 1].next;
  else if (p->fresh < p->size || grow(p))
    number = ++p->fresh;
  else
    return 0;
  p->entry[number - 1] = (struct loom_packets_entry){.head = head, .key = key, .offset = offset};
  return number;
}

uint64_t loom_packets_word(const struct loom_packets *p, uint32_t number, uint32_t place) {
  const struct loom_packets_entry *e = &p->entry[number - 1];
  return place ? loom_packet_flit(e->key, e->offset, place) : e->head;
}

void loom_packets_remove(struct loom_packets *p, uint32_t number) {
  p->entry[number - 1].next = p->free;
  p->free = number;
}

void loom_packets_free(struct loom_packets *p) { free(p->entry); }
