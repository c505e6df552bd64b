/* SPDX-License-Identifier: Apache-2.0 */
/* topo.c - building and checking a fabric (docs/topo.md) */
#include "topo/topo.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- building -------------------------------------------------------------------------------- */

struct loom_topo *loom_topo_create(uint32_t devices, uint32_t ports) {
  if (devices > LOOM_TOPO_DEVICES || ports > LOOM_TOPO_ALL_PORTS)
    return NULL;
  struct loom_topo *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->devices_max = devices;
  t->ports_max = ports;
  t->device = calloc((size_t)devices + 1, sizeof *t->device);
  t->port = calloc((size_t)ports + 1, sizeof *t->port);
  if (t->device && t->port)
    return t;
  loom_topo_destroy(t);
  return NULL;
}

void loom_topo_destroy(struct loom_topo *t) {
  if (!t)
    return;
  free(t->device);
  free(t->port);
  free(t->guid);
  free(t->rate);
  free(t);
}

static uint32_t refuse(struct loom_topo *t) {
  t->overflow = true;
  return LOOM_TOPO_NONE;
}

uint32_t loom_topo_add(struct loom_topo *t, enum loom_topo_kind kind, uint32_t ports,
                       const char *format, ...) {
  uint32_t d = t->devices;
  if (t->overflow || ports > LOOM_TOPO_PORTS || d >= t->devices_max ||
      ports + 1 > t->ports_max - t->ports)
    return refuse(t);
  t->devices++;
  t->ports += ports + 1;
  if (!t->device)
    return d;
  struct loom_topo_device *device = &t->device[d];
  device->kind = kind;
  device->level = LOOM_TOPO_NONE;
  device->ports = ports;
  device->first = t->ports - ports - 1;
  for (uint32_t p = 0; p <= ports; p++)
    loom_topo_port(t, d, p)->device = LOOM_TOPO_NONE;
  va_list args;
  va_start(args, format);
  vsnprintf(device->name, sizeof device->name, format, args);
  va_end(args);
  return d;
}

void loom_topo_place(struct loom_topo *t, uint32_t d, uint32_t count, const uint32_t *coord) {
  if (!t->device || d >= t->devices || count > LOOM_TOPO_COORDS)
    return;
  t->device[d].coords = count;
  memcpy(t->device[d].coord, coord, count * sizeof *coord);
}

void loom_topo_raise(struct loom_topo *t, uint32_t d, uint32_t level) {
  if (t->device && d < t->devices)
    t->device[d].level = level;
}

/* A switch without a level, next to a node if `level` is 0, else to a switch of the level below. */
static bool stands_on(const struct loom_topo *t, uint32_t d, uint32_t level) {
  if (t->device[d].kind != LOOM_TOPO_SWITCH || t->device[d].level != LOOM_TOPO_NONE)
    return false;
  for (uint32_t port = 1; port <= t->device[d].ports; port++) {
    uint32_t peer = loom_topo_port(t, d, port)->device;
    if (peer == LOOM_TOPO_NONE)
      continue;
    bool node = t->device[peer].kind == LOOM_TOPO_HCA;
    if (level ? !node && t->device[peer].level == level - 1 : node)
      return true;
  }
  return false;
}

void loom_topo_raise_all(struct loom_topo *t) {
  bool any = true;
  for (uint32_t d = 0; d < t->devices; d++)
    t->device[d].level = LOOM_TOPO_NONE;
  for (uint32_t level = 0; any; level++) {
    any = false;
    for (uint32_t d = 0; d < t->devices; d++)
      if (stands_on(t, d, level)) {
        t->device[d].level = level;
        any = true;
      }
  }
}

static bool is_free(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return d < t->devices && port >= 1 && port <= t->device[d].ports &&
         loom_topo_port(t, d, port)->device == LOOM_TOPO_NONE;
}

bool loom_topo_connect(struct loom_topo *t, uint32_t d, uint32_t port, uint32_t e, uint32_t peer) {
  if (!t->device)
    return true;
  if (d == e || !is_free(t, d, port) || !is_free(t, e, peer)) {
    t->overflow = true;
    return false;
  }
  struct loom_topo_port *near = loom_topo_port(t, d, port);
  struct loom_topo_port *far = loom_topo_port(t, e, peer);
  near->device = e;
  near->port = (uint16_t)peer;
  far->device = d;
  far->port = (uint16_t)port;
  return true;
}

/* Port `p` of device `d` is one that has a LID of its own. */
static bool wants_lid(const struct loom_topo *t, uint32_t d, uint32_t p) {
  if (t->device[d].kind == LOOM_TOPO_SWITCH)
    return p == 0;
  return p && loom_topo_port(t, d, p)->device != LOOM_TOPO_NONE;
}

/* Numbers the devices of one kind from `lid` on; the number of the next. */
static uint32_t number_kind(struct loom_topo *t, enum loom_topo_kind kind, uint32_t lid) {
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 0; t->device[d].kind == kind && p <= t->device[d].ports; p++)
      if (wants_lid(t, d, p))
        loom_topo_port(t, d, p)->lid = lid <= LOOM_TOPO_LID_MAX ? (uint16_t)lid++ : 0;
  return lid;
}

void loom_topo_number(struct loom_topo *t) {
  uint32_t wanted = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 0; p <= t->device[d].ports; p++) {
      wanted += wants_lid(t, d, p);
      loom_topo_port(t, d, p)->lid = 0;
    }
  if (wanted <= LOOM_TOPO_LID_MAX)
    number_kind(t, LOOM_TOPO_SWITCH, number_kind(t, LOOM_TOPO_HCA, 1));
}

struct loom_topo *loom_topo_make(loom_topo_build *build, const void *cfg) {
  struct loom_topo size = {.devices_max = LOOM_TOPO_DEVICES, .ports_max = LOOM_TOPO_ALL_PORTS};
  build(&size, cfg);
  struct loom_topo *t = size.overflow ? NULL : loom_topo_create(size.devices, size.ports);
  if (!t)
    return NULL;
  build(t, cfg);
  if (t->overflow) {
    loom_topo_destroy(t);
    return NULL;
  }
  loom_topo_number(t);
  return t;
}

/* ---- arranging ------------------------------------------------------------------------------- */

/* Moves a device with its ports behind those of `to`; *place says where each has gone. */
static void move_device(const struct loom_topo *t, uint32_t d, struct loom_topo *to,
                        uint32_t *place) {
  struct loom_topo_device *device = &to->device[to->devices];
  size_t ports = (size_t)t->device[d].ports + 1, from = t->device[d].first;
  *device = t->device[d];
  device->first = to->ports;
  memcpy(&to->port[device->first], &t->port[from], ports * sizeof *t->port);
  if (t->guid)
    memcpy(&to->guid[device->first], &t->guid[from], ports * sizeof *t->guid);
  if (t->rate)
    memcpy(&to->rate[device->first], &t->rate[from], ports * sizeof *t->rate);
  place[d] = to->devices++;
  to->ports += (uint32_t)ports;
}

static void move_all(const struct loom_topo *t, const uint32_t *order, uint32_t devices,
                     struct loom_topo *to, uint32_t *place) {
  for (uint32_t i = 0; i < devices; i++)
    move_device(t, order[i], to, place);
  for (uint32_t i = 0; i < to->ports; i++)
    if (to->port[i].device != LOOM_TOPO_NONE)
      to->port[i].device = place[to->port[i].device];
}

bool loom_topo_arrange(struct loom_topo *t, const uint32_t *order, uint32_t devices) {
  uint32_t *place = calloc((size_t)t->devices + 1, sizeof *place);
  struct loom_topo *to = loom_topo_create(t->devices_max, t->ports_max);
  if (to && t->guid)
    to->guid = calloc((size_t)t->ports_max + 1, sizeof *to->guid);
  if (to && t->rate)
    to->rate = calloc((size_t)t->ports_max + 1, sizeof *to->rate);
  bool ok = place && to && (!t->guid || to->guid) && (!t->rate || to->rate);
  if (ok) {
    move_all(t, order, devices, to, place);
    struct loom_topo was = *t;
    to->lmc = t->lmc;
    to->keep_lids = t->keep_lids;
    *t = *to;
    *to = was;
  }
  free(place);
  loom_topo_destroy(to);
  return ok;
}

void loom_topo_unplug_aggregation(struct loom_topo *t) {
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; t->device[d].aggregates && p <= t->device[d].ports; p++) {
      struct loom_topo_port *near = loom_topo_port(t, d, p);
      if (near->device == LOOM_TOPO_NONE)
        continue;
      loom_topo_port(t, near->device, near->port)->device = LOOM_TOPO_NONE;
      near->device = LOOM_TOPO_NONE;
    }
}

/* ---- checking -------------------------------------------------------------------------------- */

static enum loom_topo_fault check_cable(const struct loom_topo *t, uint32_t d, uint32_t p) {
  const struct loom_topo_port *near = loom_topo_port(t, d, p);
  if (near->device == LOOM_TOPO_NONE)
    return LOOM_TOPO_SOUND;
  if (!p || near->device >= t->devices || !near->port || near->port > t->device[near->device].ports)
    return LOOM_TOPO_NOWHERE;
  if (near->device == d)
    return LOOM_TOPO_LOOP;
  const struct loom_topo_port *far = loom_topo_port(t, near->device, near->port);
  return far->device == d && far->port == p ? LOOM_TOPO_SOUND : LOOM_TOPO_ONE_SIDED;
}

/* `used` has a bit a LID. */
static enum loom_topo_fault check_lid(const struct loom_topo *t, uint32_t d, uint32_t p,
                                      uint8_t *used) {
  uint16_t lid = loom_topo_port(t, d, p)->lid;
  uint8_t bit = (uint8_t)(1u << lid % 8);
  if (!lid)
    return LOOM_TOPO_SOUND;
  if (lid > LOOM_TOPO_LID_MAX || (p != 0) == (t->device[d].kind == LOOM_TOPO_SWITCH))
    return LOOM_TOPO_BAD_LID;
  if (used[lid / 8] & bit)
    return LOOM_TOPO_DOUBLE_LID;
  used[lid / 8] |= bit;
  return LOOM_TOPO_SOUND;
}

struct loom_topo_verdict loom_topo_check(const struct loom_topo *t) {
  struct loom_topo_verdict v = {.fault = LOOM_TOPO_SOUND};
  uint8_t used[LOOM_TOPO_LID_MAX / 8 + 1] = {0};
  for (v.device = 0; v.device < t->devices; v.device++)
    for (v.port = 0; v.port <= t->device[v.device].ports; v.port++) {
      v.fault = check_cable(t, v.device, v.port);
      if (v.fault == LOOM_TOPO_SOUND)
        v.fault = check_lid(t, v.device, v.port, used);
      if (v.fault != LOOM_TOPO_SOUND)
        return v;
    }
  return v;
}

/* ---- rates ----------------------------------------------------------------------------------- */

uint32_t loom_topo_rate(const struct loom_topo *t, uint32_t d, uint32_t port) {
  const struct loom_topo_port *near = loom_topo_port(t, d, port);
  if (!t->rate || near->device == LOOM_TOPO_NONE)
    return 0;
  uint32_t rate = t->rate[t->device[d].first + port];
  return rate ? rate : t->rate[t->device[near->device].first + near->port];
}

void loom_topo_rates(const struct loom_topo *t, uint32_t *min, uint32_t *max) {
  *min = 0;
  *max = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; p <= t->device[d].ports; p++) {
      uint32_t rate = loom_topo_rate(t, d, p);
      *min = rate && (!*min || rate < *min) ? rate : *min;
      *max = rate > *max ? rate : *max;
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Cables of one switch; each between two switches is seen from its lower end. */
static void count_switch(const struct loom_topo *t, uint32_t d, struct loom_topo_counts *c) {
  uint32_t nodes = 0;
  const struct loom_topo_device *device = &t->device[d];
  for (uint32_t p = 1; p <= device->ports; p++) {
    uint32_t peer = loom_topo_port(t, d, p)->device;
    if (peer == LOOM_TOPO_NONE)
      continue;
    bool node = t->device[peer].kind == LOOM_TOPO_HCA;
    nodes += node;
    c->switch_links += !node && d < peer;
  }
  c->ports_min = !c->switches || device->ports < c->ports_min ? device->ports : c->ports_min;
  c->ports_max = device->ports > c->ports_max ? device->ports : c->ports_max;
  c->switches++;
  c->edge += nodes != 0;
  c->node_links += nodes;
}

/* Cables between two HCAs, seen from the lower end: a switch has counted the others. */
static void count_node(const struct loom_topo *t, uint32_t d, struct loom_topo_counts *c) {
  c->aggregation += t->device[d].aggregates;
  c->nodes += !t->device[d].aggregates;
  for (uint32_t p = 1; p <= t->device[d].ports; p++) {
    uint32_t peer = loom_topo_port(t, d, p)->device;
    c->node_links += peer != LOOM_TOPO_NONE && d < peer && t->device[peer].kind == LOOM_TOPO_HCA;
  }
}

void loom_topo_count(const struct loom_topo *t, struct loom_topo_counts *c) {
  *c = (struct loom_topo_counts){0};
  for (uint32_t d = 0; d < t->devices; d++)
    if (t->device[d].kind == LOOM_TOPO_SWITCH)
      count_switch(t, d, c);
    else
      count_node(t, d, c);
}

void loom_topo_distances(const struct loom_topo *t, uint32_t d, uint32_t *distance,
                         uint32_t *queue) {
  uint32_t tail = 1;
  for (uint32_t i = 0; i < t->devices; i++)
    distance[i] = LOOM_TOPO_NONE;
  distance[d] = 0;
  queue[0] = d;
  for (uint32_t head = 0; head < tail; head++) {
    uint32_t at = queue[head];
    bool stops = t->device[at].kind == LOOM_TOPO_HCA && at != d;
    for (uint32_t p = 1; !stops && p <= t->device[at].ports; p++) {
      uint32_t peer = loom_topo_port(t, at, p)->device;
      if (peer == LOOM_TOPO_NONE || distance[peer] != LOOM_TOPO_NONE)
        continue;
      distance[peer] = distance[at] + 1;
      queue[tail++] = peer;
    }
  }
}
