/* SPDX-License-Identifier: Apache-2.0 */
/* trunks.c - one of several cables to a neighbour, by LID, by flow or by load (docs/port_groups.md;
 * TP-02) */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parts/crc16.h"
#include "routing/engine.h"

enum { HASHES = 3 }; /* parts of the hash that differ */

/* ---- members --------------------------------------------------------------------------------- */

uint32_t loom_routing_members(const struct loom_routing *r, uint32_t row, uint32_t port,
                              uint8_t *list) {
  uint32_t peer =
      r->trunk == LOOM_ROUTING_TRUNK_LID ? LOOM_TOPO_NONE : loom_routing_peer(r, row, port);
  uint32_t count = 0;
  for (uint32_t p = 1; peer != LOOM_TOPO_NONE && p <= loom_routing_ports(r, row); p++)
    if (loom_routing_peer(r, row, p) == peer)
      list[count++] = (uint8_t)p;
  if (!count)
    list[count++] = (uint8_t)port;
  return count;
}

uint32_t loom_routing_member_of(const struct loom_routing *r, uint32_t row, uint32_t port,
                                uint32_t end, uint32_t lid) {
  uint8_t list[LOOM_ROUTING_PORTS];
  if (r->trunk == LOOM_ROUTING_TRUNK_LID || !port || port == LOOM_ROUTING_UNREACHABLE)
    return port;
  uint32_t count = loom_routing_members(r, row, port, list);
  return list[loom_crc16_slot(r->end[end].lid, lid, r->hash[row]) % count];
}

/* ---- groups ---------------------------------------------------------------------------------- */

uint32_t loom_routing_groups(const struct loom_routing *r, uint32_t row, uint8_t *group) {
  uint8_t list[LOOM_ROUTING_PORTS];
  uint32_t groups = 0;
  memset(group, LOOM_ROUTING_NO_GROUP, LOOM_ROUTING_PORTS + 1);
  for (uint32_t lid = 0; r->trunk != LOOM_ROUTING_TRUNK_LID && lid < r->lids; lid++) {
    uint32_t port = loom_routing_out(r, row, lid);
    if (!port || port == LOOM_ROUTING_UNREACHABLE || group[port] != LOOM_ROUTING_NO_GROUP)
      continue;
    uint32_t count = loom_routing_members(r, row, port, list);
    for (uint32_t i = 0; count > 1 && i < count; i++)
      group[list[i]] = (uint8_t)groups;
    groups += count > 1;
  }
  return groups;
}

/* The first LID whose entry has the same two ports. */
static uint32_t first_alike(const struct loom_routing *r, uint32_t row, uint32_t lid,
                            uint32_t (*seen)[LOOM_ROUTING_PORTS + 1]) {
  uint32_t *first = &seen[loom_routing_out(r, row, lid)][loom_routing_other(r, row, lid)];
  if (*first == LOOM_TOPO_NONE)
    *first = lid;
  return *first;
}

uint32_t loom_routing_pairs(const struct loom_routing *r, uint32_t row, uint8_t *group) {
  uint32_t seen[LOOM_ROUTING_PORTS + 1][LOOM_ROUTING_PORTS + 1], groups = 0;
  memset(seen, 0xFF, sizeof seen);
  memset(group, LOOM_ROUTING_NO_GROUP, LOOM_TOPO_LID_MAX + 1);
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    uint32_t first = loom_routing_other(r, row, lid) ? first_alike(r, row, lid, seen) : lid + 1;
    if (first == lid && groups == LOOM_ROUTING_NO_GROUP)
      return LOOM_ROUTING_NO_GROUP;
    if (first <= lid)
      group[lid] = first == lid ? (uint8_t)groups++ : group[first];
  }
  return groups;
}

uint32_t loom_routing_most_groups(const struct loom_routing *r) {
  uint8_t group[LOOM_TOPO_LID_MAX + 1];
  uint32_t most = 0;
  for (uint32_t row = 0; row < r->switches; row++) {
    uint32_t groups =
        r->other ? loom_routing_pairs(r, row, group) : loom_routing_groups(r, row, group);
    most = groups > most ? groups : most;
  }
  return most;
}

bool loom_routing_check_groups(const struct loom_routing *r, struct loom_routing_error *err) {
  uint32_t most = r->other ? loom_routing_most_groups(r) : 0;
  return most <= LOOM_ROUTING_GROUPS ||
         loom_routing_fail(err, "a switch needs %s%" PRIu32 " groups of ports, and has %d",
                           most == LOOM_ROUTING_NO_GROUP ? "at least " : "", most,
                           LOOM_ROUTING_GROUPS);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* A packet of any class that came in here would be on the same layer after both ports, whatever it
 * was on. */
static bool is_alike(const struct loom_routing *r, uint32_t row, uint32_t in, uint32_t a,
                     uint32_t b) {
  for (uint32_t class = 0; class < r->classes; class ++)
    for (uint32_t from = 0; from < r->layers; from++)
      if (loom_routing_layer(r, row, in, a, class, from) !=
          loom_routing_layer(r, row, in, b, class, from))
        return false;
  return true;
}

static bool check_port(const struct loom_routing *r, uint32_t row, uint32_t port,
                       struct loom_routing_error *err) {
  uint8_t list[LOOM_ROUTING_PORTS];
  uint32_t count = loom_routing_members(r, row, port, list);
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t in = 0; in <= loom_routing_ports(r, row); in++)
      if (!is_alike(r, row, in, list[0], list[i]))
        return loom_routing_fail(err,
                                 "\"%s\" has other layers at port %u than at port %u, which "
                                 "leads there, too",
                                 loom_routing_name(r, row), (unsigned)list[i], (unsigned)list[0]);
  return true;
}

static bool check_layers(const struct loom_routing *r, struct loom_routing_error *err) {
  for (uint32_t row = 0; r->layering != LOOM_ROUTING_LAYER_NONE && row < r->switches; row++)
    for (uint32_t port = 1; port <= loom_routing_ports(r, row); port++)
      if (!check_port(r, row, port, err))
        return false;
  return true;
}

bool loom_routing_choose_trunk(struct loom_routing *r, enum loom_routing_trunk trunk,
                               struct loom_routing_error *err) {
  enum loom_routing_trunk before = r->trunk;
  if (r->other && trunk != LOOM_ROUTING_TRUNK_LID)
    return loom_routing_fail(err, "its groups are of ways by load, and trunks go by LID");
  if (!r->hash)
    r->hash = calloc(r->switches, 1);
  if (!r->hash)
    return loom_routing_no_memory(err);
  r->trunk = trunk;
  if (check_layers(r, err))
    return true;
  r->trunk = before;
  return false;
}

/* The sum of the coordinates. */
static void hash_places(struct loom_routing *r) {
  for (uint32_t row = 0; row < r->switches; row++) {
    const struct loom_topo_device *d = &r->topo->device[r->device[row]];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < d->coords; i++)
      sum += d->coord[i] % HASHES;
    r->hash[row] = (uint8_t)(sum % HASHES);
  }
}

static bool hash_levels(struct loom_routing *r, struct loom_routing_error *err) {
  struct loom_routing_error none = {.text = ""};
  uint32_t *level = calloc(r->switches, sizeof *level);
  if (!level)
    return loom_routing_no_memory(err);
  bool levels = loom_routing_levels(r, level, &none);
  for (uint32_t row = 0; levels && row < r->switches; row++)
    r->hash[row] = (uint8_t)(level[row] % HASHES);
  free(level);
  return true;
}

bool loom_routing_engine_trunk(struct loom_routing *r, enum loom_routing_engine engine,
                               enum loom_routing_trunk trunk, struct loom_routing_error *err) {
  if (trunk == LOOM_ROUTING_TRUNK_LID)
    return true;
  if (!loom_routing_choose_trunk(r, trunk, err))
    return false;
  if (engine == LOOM_ROUTING_DOR)
    hash_places(r);
  if (engine == LOOM_ROUTING_FTREE || engine == LOOM_ROUTING_VALIANT)
    return hash_levels(r, err);
  return true;
}
