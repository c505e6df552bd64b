/* SPDX-License-Identifier: Apache-2.0 */
#include "routing/engine.h"

#include <stdlib.h>

bool loom_routing_find(const struct loom_routing *r, uint32_t lid, struct loom_routing_target *t) {
  if (r->row_of[lid] != LOOM_TOPO_NONE) {
    *t = (struct loom_routing_target){.row = r->row_of[lid]};
    return true;
  }
  if (r->end_of[lid] == LOOM_TOPO_NONE)
    return false;
  const struct loom_routing_end *e = &r->end[r->end_of[lid]];
  *t = (struct loom_routing_target){.row = loom_routing_leaf(r, r->end_of[lid]),
                                    .port = loom_topo_port(r->topo, e->device, e->port)->port,
                                    .offset = lid - e->lid};
  return t->row != LOOM_TOPO_NONE;
}

bool loom_routing_group(const struct loom_routing *r, struct loom_routing_lids *lids) {
  struct loom_routing_target t;
  lids->first = calloc((size_t)r->switches + 2, sizeof *lids->first);
  lids->lid = calloc((size_t)r->lids + 1, sizeof *lids->lid);
  if (!lids->first || !lids->lid) {
    loom_routing_ungroup(lids);
    return false;
  }
  /* Counted two places on, filled from one place on, so that they end where they belong. */
  for (uint32_t lid = 0; lid < r->lids; lid++)
    if (loom_routing_find(r, lid, &t))
      lids->first[t.row + 2]++;
  for (uint32_t row = 0; row < r->switches; row++)
    lids->first[row + 2] += lids->first[row + 1];
  for (uint32_t lid = 0; lid < r->lids; lid++)
    if (loom_routing_find(r, lid, &t))
      lids->lid[lids->first[t.row + 1]++] = lid;
  return true;
}

void loom_routing_ungroup(struct loom_routing_lids *lids) {
  free(lids->first);
  free(lids->lid);
  lids->first = NULL;
  lids->lid = NULL;
}

static void find_part(const struct loom_routing *r, const bool *alone, uint32_t first,
                      uint32_t *part, uint32_t *queue) {
  uint32_t tail = 1;
  queue[0] = first;
  part[first] = first;
  if (alone && alone[first])
    return;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t p = 1; p <= loom_routing_ports(r, queue[head]); p++) {
      uint32_t peer = loom_routing_peer(r, queue[head], p);
      if (peer == LOOM_TOPO_NONE || part[peer] != LOOM_TOPO_NONE || (alone && alone[peer]))
        continue;
      part[peer] = first;
      queue[tail++] = peer;
    }
}

void loom_routing_parts(const struct loom_routing *r, const bool *alone, uint32_t *part,
                        uint32_t *queue) {
  for (uint32_t row = 0; row < r->switches; row++)
    part[row] = LOOM_TOPO_NONE;
  for (uint32_t row = 0; row < r->switches; row++)
    if (part[row] == LOOM_TOPO_NONE)
      find_part(r, alone, row, part, queue);
}
