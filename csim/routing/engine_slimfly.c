/* SPDX-License-Identifier: Apache-2.0 */
/* engine_slimfly.c - shortest ways where two cables are enough, each on a layer of its own
 * (docs/route.md) */
#include <string.h>

#include "routing/engine.h"

/* From `row` the LID comes to the switch that it is at over two cables, or one. */
static bool is_near(const struct loom_routing *r, uint32_t row, uint32_t lid, uint32_t target) {
  for (uint32_t cables = 0; cables < 2 && row != target; cables++) {
    uint32_t port = loom_routing_out(r, row, lid);
    if (port == LOOM_ROUTING_UNREACHABLE)
      return false;
    row = loom_routing_peer(r, row, port);
  }
  return row == target;
}

static bool check(const struct loom_routing *r, struct loom_routing_error *err) {
  struct loom_routing_target to;
  for (uint32_t lid = 0; lid < r->lids; lid++)
    for (uint32_t row = 0; row < r->switches && loom_routing_find(r, lid, &to); row++)
      if (!is_near(r, row, lid, to.row))
        return loom_routing_fail(err,
                                 "no Slim Fly: \"%s\" and \"%s\" are more than two cables apart",
                                 loom_routing_name(r, row), loom_routing_name(r, to.row));
  return true;
}

/* The second cable of a way is that of a packet that came from a switch. */
static bool layer(struct loom_routing *r, bool path, struct loom_routing_error *err) {
  if (path ? !loom_routing_layer_paths(r, 2, 1) : !loom_routing_layer_turns(r, 2))
    return loom_routing_no_memory(err);
  uint8_t *at = path ? r->layer : r->turn;
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++, at += r->ports) {
      bool second =
          in && in <= loom_routing_ports(r, row) && loom_routing_peer(r, row, in) != LOOM_TOPO_NONE;
      memset(at, second, r->ports);
    }
  return true;
}

bool loom_routing_slimfly(struct loom_routing *r, const struct loom_routing_options *o,
                          struct loom_routing_error *err) {
  return loom_routing_minhop(r, err) && check(r, err) &&
         (o->avoid == LOOM_ROUTING_AVOID_NONE ||
          layer(r, o->avoid == LOOM_ROUTING_DATELINE_PATH, err));
}
