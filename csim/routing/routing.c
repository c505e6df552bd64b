/* SPDX-License-Identifier: Apache-2.0 */
/* routing.c - forwarding tables: rows, ends, LIDs, layers (docs/route.md) */
#include "routing/routing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- an empty routing ------------------------------------------------------------------------ */

static bool has_end(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return t->device[d].kind == LOOM_TOPO_HCA && port &&
         loom_topo_port(t, d, port)->device != LOOM_TOPO_NONE;
}

/* One above the highest LID of a device's port. */
static bool measure_port(struct loom_routing *r, uint32_t d, uint32_t port,
                         struct loom_routing_error *err) {
  const struct loom_topo_device *device = &r->topo->device[d];
  uint32_t lid = loom_topo_port(r->topo, d, port)->lid;
  bool end = has_end(r->topo, d, port);
  if (!end && (device->kind == LOOM_TOPO_HCA || port))
    return true;
  r->ends += end;
  if (!lid)
    return loom_routing_fail(err, "port %" PRIu32 " of \"%s\" has no LID", port, device->name);
  uint32_t last = (lid << r->shift) + (1u << (end ? r->lmc : device->lmc)) - 1;
  if (last > LOOM_TOPO_LID_MAX)
    return loom_routing_fail(
        err, "LID %" PRIu32 " of \"%s\" becomes %" PRIu32 " with LMC %" PRIu32 ", above %d", lid,
        device->name, last, r->lmc, LOOM_TOPO_LID_MAX);
  if (last >= r->lids)
    r->lids = last + 1;
  return true;
}

static bool measure(struct loom_routing *r, struct loom_routing_error *err) {
  const struct loom_topo *t = r->topo;
  if (t->lmc && r->lmc != t->lmc)
    return loom_routing_fail(err, "the fabric has LMC %" PRIu32 ", not %" PRIu32, t->lmc, r->lmc);
  if (r->lmc > LOOM_ROUTING_LMC)
    return loom_routing_fail(err, "LMC is at most %d", LOOM_ROUTING_LMC);
  for (uint32_t d = 0; d < t->devices; d++) {
    if (t->device[d].kind == LOOM_TOPO_SWITCH) {
      r->switches++;
      if (t->device[d].ports > LOOM_ROUTING_PORTS)
        return loom_routing_fail(err, "\"%s\" has more than %d ports", t->device[d].name,
                                 LOOM_ROUTING_PORTS);
      if (t->device[d].ports >= r->ports)
        r->ports = t->device[d].ports + 1;
    }
    for (uint32_t p = 0; p <= t->device[d].ports; p++)
      if (!measure_port(r, d, p, err))
        return false;
  }
  return (r->switches && r->ends) || loom_routing_fail(err, "a fabric without switches or hosts");
}

/* Calloc of `count` numbers, none of them more than needed; each is `value`. */
static uint32_t *numbers(size_t count, uint32_t value) {
  uint32_t *list = calloc(count + 1, sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    list[i] = value;
  return list;
}

static bool make_room(struct loom_routing *r) {
  r->device = numbers(r->switches, 0);
  r->row = numbers(r->topo->devices, LOOM_TOPO_NONE);
  r->end = calloc((size_t)r->ends + 1, sizeof *r->end);
  r->end_of = numbers(r->lids, LOOM_TOPO_NONE);
  r->row_of = numbers(r->lids, LOOM_TOPO_NONE);
  r->out = malloc((size_t)r->switches * r->lids);
  if (!r->device || !r->row || !r->end || !r->end_of || !r->row_of || !r->out)
    return false;
  memset(r->out, LOOM_ROUTING_UNREACHABLE, (size_t)r->switches * r->lids);
  return true;
}

static bool add_end(struct loom_routing *r, uint32_t d, uint32_t port,
                    struct loom_routing_error *err) {
  uint32_t lid = (uint32_t)loom_topo_port(r->topo, d, port)->lid << r->shift;
  for (uint32_t i = 0; i < 1u << r->lmc; i++) {
    if (r->end_of[lid + i] != LOOM_TOPO_NONE)
      return loom_routing_fail(err, "LID %" PRIu32 " stands twice", lid + i);
    r->end_of[lid + i] = r->ends;
  }
  r->end[r->ends++] = (struct loom_routing_end){.device = d, .port = port, .lid = lid};
  return true;
}

static bool add_switch(struct loom_routing *r, uint32_t d, struct loom_routing_error *err) {
  uint32_t row = r->switches++;
  r->device[row] = d;
  r->row[d] = row;
  uint32_t first = loom_routing_switch_lid(r, row);
  for (uint32_t lid = first; lid < first + (1u << r->topo->device[d].lmc); lid++) {
    if (r->end_of[lid] != LOOM_TOPO_NONE || r->row_of[lid] != LOOM_TOPO_NONE)
      return loom_routing_fail(err, "LID %" PRIu32 " stands twice", lid);
    r->row_of[lid] = row;
    loom_routing_set(r, row, lid, 0);
  }
  return true;
}

static bool fill(struct loom_routing *r, struct loom_routing_error *err) {
  const struct loom_topo *t = r->topo;
  r->ends = 0;
  r->switches = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; p <= t->device[d].ports; p++)
      if (has_end(t, d, p) && !add_end(r, d, p, err))
        return false;
  for (uint32_t d = 0; d < t->devices; d++)
    if (t->device[d].kind == LOOM_TOPO_SWITCH && !add_switch(r, d, err))
      return false;
  return true;
}

struct loom_routing *loom_routing_create(const struct loom_topo *topo, uint32_t lmc,
                                         struct loom_routing_error *err) {
  struct loom_routing *r = calloc(1, sizeof *r);
  err->text[0] = 0;
  if (!r) {
    loom_routing_no_memory(err);
    return NULL;
  }
  r->topo = topo;
  r->lmc = lmc ? lmc : topo->lmc;
  r->shift = topo->lmc || topo->keep_lids ? 0 : lmc;
  r->layers = 1;
  r->classes = 1;
  bool ok = measure(r, err) && (make_room(r) || loom_routing_no_memory(err)) && fill(r, err);
  if (ok)
    return r;
  loom_routing_destroy(r);
  return NULL;
}

static void drop_layers(struct loom_routing *r) {
  free(r->turn);
  free(r->path);
  free(r->layer);
  r->turn = NULL;
  r->path = NULL;
  r->layer = NULL;
  r->layering = LOOM_ROUTING_LAYER_NONE;
  r->layers = 1;
  r->classes = 1;
}

void loom_routing_destroy(struct loom_routing *r) {
  if (!r)
    return;
  drop_layers(r);
  free(r->device);
  free(r->row);
  free(r->end);
  free(r->end_of);
  free(r->row_of);
  free(r->out);
  free(r->other);
  free(r->hash);
  free(r->ring);
  free(r);
}

/* ---- layers ---------------------------------------------------------------------------------- */

bool loom_routing_layer_turns(struct loom_routing *r, uint32_t layers) {
  size_t turns = (size_t)r->switches * r->ports * r->ports;
  drop_layers(r);
  r->turn = malloc(turns);
  if (!r->turn)
    return false;
  memset(r->turn, LOOM_ROUTING_KEEP, turns);
  r->layering = LOOM_ROUTING_LAYER_TURN;
  r->layers = layers;
  return true;
}

bool loom_routing_layer_paths(struct loom_routing *r, uint32_t layers, uint32_t classes) {
  size_t turns = (size_t)r->switches * r->ports * r->ports;
  drop_layers(r);
  r->path = calloc((size_t)r->ends * r->lids, 1);
  r->layer = malloc(turns * classes);
  if (!r->path || !r->layer) {
    drop_layers(r);
    return false;
  }
  for (size_t i = 0; i < turns * classes; i++)
    r->layer[i] = (uint8_t)(i % classes % layers);
  for (uint32_t class = 0; class < classes; class ++)
    r->inject[class] = (uint8_t)(class % layers);
  r->layering = LOOM_ROUTING_LAYER_PATH;
  r->layers = layers;
  r->classes = classes;
  return true;
}

void loom_routing_map_classes(struct loom_routing *r, const uint8_t *layer) {
  size_t entries = (size_t)r->switches * r->ports * r->ports * r->classes;
  r->layers = 1;
  for (size_t i = 0; i < entries; i++)
    r->layer[i] = layer[i % r->classes];
  for (uint32_t class = 0; class < r->classes; class ++) {
    r->inject[class] = layer[class];
    if (r->layers <= layer[class])
      r->layers = layer[class] + 1u;
  }
}
