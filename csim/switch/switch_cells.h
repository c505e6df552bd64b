/* SPDX-License-Identifier: Apache-2.0 */
/* switch_cells.h - where the flits of the packets in a switch are (docs/switch.md; OP-08)
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch.
 *
 * In the circuits flits move from buffer to buffer. Here they stay where they were written at the
 * input until they leave at the output; what moves are packets by their first cell and numbers of
 * flits. A cell is in use while a unit is reserved for it in some buffer, so there are enough. */
#ifndef LOOM_SWITCH_SWITCH_CELLS_H
#define LOOM_SWITCH_SWITCH_CELLS_H

#include <stdint.h>

#include <loom/limits.h>

struct loom_switch_cells {
  uint32_t cells;
  uint32_t spares; /* in a list: */
  uint32_t spare;  /* the last one dropped, the next to be used */
  uint32_t fresh;  /* when there is none: those from here on were never used */
  uint64_t *flit;  /* storage: LOOM_UNIT_FLITS a cell */
  uint32_t *link;  /* storage: next cell of the packet; of a spare cell, the next spare one */
};

static inline uint32_t loom_switch_cells_take(struct loom_switch_cells *c) {
  if (!c->spares)
    return c->fresh < c->cells ? c->fresh++ : 0;
  uint32_t cell = c->spare;
  c->spares--;
  c->spare = c->link[cell];
  return cell;
}

/* The cell is spare again; gives the next one of its packet, if the packet goes on. */
static inline uint32_t loom_switch_cells_drop(struct loom_switch_cells *c, uint32_t cell) {
  uint32_t next = c->link[cell];
  c->link[cell] = c->spare;
  c->spare = cell;
  c->spares++;
  return next;
}

#endif
