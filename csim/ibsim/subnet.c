/* SPDX-License-Identifier: Apache-2.0 */
#include "ibsim/subnet.h"

#include <stdlib.h>
#include <string.h>

#include <loom/bits.h>

/* GUIDs of fabrics that have none, as the original ibsim numbers them. */
enum { ADAPTER_GUID = 0x100000, SWITCH_GUID = 0x200000 };

enum {
  MTU_2048 = 4,
  WIDTH_4X = 2,
  WIDTHS = 31,
  SPEED_QDR = 4,
  SPEEDS = 7,
  LANES = 4,
  TIMEOUT = 18,
};

/* CapabilityMask: traps, SL to VL mapping, extended speeds, notices of changes. */
enum { CAN_TRAP = 1 << 3, CAN_MAP = 1 << 6, CAN_EXTEND = 1 << 14, CAN_NOTICE = 1 << 22 };

/* ---- ports ----------------------------------------------------------------------------------- */

/* Data of a lane in Mb/s (docs/cluster.md), and how PortInfo says it. */
static const struct speed {
  uint32_t lane;
  uint8_t speed, extended;
} speeds[] = {{2000, 1, 0},  {4000, 2, 0},  {8000, 4, 0},  {13636, 4, 1},
              {25000, 4, 2}, {50000, 4, 4}, {100000, 4, 8}};

static const struct width {
  uint32_t lanes;
  uint8_t width;
} widths[] = {{4, 2}, {1, 1}, {2, 16}, {8, 4}, {12, 8}};

/* Rates that are none of these are shown as 4xQDR. */
static void put_rate(uint8_t *info, uint32_t rate) {
  uint8_t width = WIDTH_4X, speed = SPEED_QDR, extended = 0;
  bool found = false;
  for (uint32_t w = 0; w < sizeof widths / sizeof *widths && !found; w++)
    for (uint32_t i = 0; i < sizeof speeds / sizeof *speeds && !found; i++) {
      found = widths[w].lanes * speeds[i].lane == rate;
      if (!found)
        continue;
      width = widths[w].width;
      speed = speeds[i].speed;
      extended = speeds[i].extended;
    }
  loom_mad_put(info, LOOM_PORT_WIDTH_SUPPORTED, WIDTHS);
  loom_mad_put(info, LOOM_PORT_WIDTH_ENABLED, width);
  loom_mad_put(info, LOOM_PORT_WIDTH_ACTIVE, width);
  loom_mad_put(info, LOOM_PORT_SPEED_SUPPORTED, SPEEDS);
  loom_mad_put(info, LOOM_PORT_SPEED_ENABLED, SPEEDS);
  loom_mad_put(info, LOOM_PORT_SPEED_ACTIVE, speed);
  loom_mad_put(info, LOOM_PORT_EXTENDED_SUPPORTED, extended ? 15 : 0);
  loom_mad_put(info, LOOM_PORT_EXTENDED_ENABLED, extended ? 15 : 0);
  loom_mad_put(info, LOOM_PORT_EXTENDED_ACTIVE, extended);
}

/* How VLCap says a number of data VLs. */
static uint32_t vl_code(uint32_t vls) { return vls >= 15 ? 5 : loom_clog2(vls) + 1; }

static void make_port(struct loom_subnet *s, uint32_t d, uint32_t number) {
  struct loom_subnet_port *p = loom_subnet_port(s, d, number);
  bool is_switch = loom_subnet_is_switch(s, d), manages = is_switch && number == 0;
  uint32_t can = CAN_TRAP | CAN_MAP | CAN_EXTEND | (is_switch ? 0 : CAN_NOTICE);
  const struct loom_topo_port *t = loom_topo_port(s->topo, d, number);
  put_rate(p->info, loom_topo_rate(s->topo, d, number));
  loom_mad_put(p->info, LOOM_PORT_LOCAL, is_switch ? 0 : number);
  loom_mad_put(p->info, LOOM_PORT_DOWN_DEFAULT, LOOM_PHYSICAL_POLLING);
  loom_mad_put(p->info, LOOM_PORT_NEIGHBOUR_MTU, MTU_2048);
  loom_mad_put(p->info, LOOM_PORT_MTU_CAP, MTU_2048);
  loom_mad_put(p->info, LOOM_PORT_VL_CAP, vl_code(s->cfg.vls));
  loom_mad_put(p->info, LOOM_PORT_VLS, vl_code(s->cfg.vls));
  loom_mad_put(p->info, LOOM_PORT_HIGH_CAP, s->cfg.high);
  loom_mad_put(p->info, LOOM_PORT_LOW_CAP, s->cfg.low);
  loom_mad_put(p->info, LOOM_PORT_STATE, manages ? LOOM_PORT_ACTIVE : LOOM_PORT_DOWN);
  loom_mad_put(p->info, LOOM_PORT_PHYSICAL, manages ? LOOM_PHYSICAL_UP : LOOM_PHYSICAL_POLLING);
  for (uint32_t sl = 0; sl < 2; sl++)
    p->key[sl] = 0xFF; /* the default partition, as a full member */
  if (is_switch && !manages)
    return;
  loom_mad_put(p->info, LOOM_PORT_PREFIX, 0xFE80000000000000);
  loom_mad_put(p->info, LOOM_PORT_LID, t->lid);
  loom_mad_put(p->info, LOOM_PORT_CAPABILITIES, can);
  loom_mad_put(p->info, LOOM_PORT_GUID_CAP, is_switch ? 1 : 32);
  loom_mad_put(p->info, LOOM_PORT_TIMEOUT, TIMEOUT);
  loom_mad_put(p->info, LOOM_PORT_RESPONSE_TIME, TIMEOUT - 2);
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool make_switch(struct loom_subnet *s, uint32_t d) {
  struct loom_subnet_node *n = &s->node[d];
  size_t ports = s->topo->device[d].ports + 1, blocks = (ports + 15) / 16;
  n->linear = malloc(LOOM_SUBNET_LIDS);
  n->multicast = calloc(blocks * LOOM_SUBNET_GROUPS, 2);
  n->sl2vl = calloc(ports * ports, 8);
  if (!n->linear || !n->multicast || !n->sl2vl)
    return false;
  memset(n->linear, LOOM_SUBNET_NOWHERE, LOOM_SUBNET_LIDS);
  loom_mad_put(n->info, LOOM_SWITCH_LINEAR_CAP, s->cfg.lids);
  loom_mad_put(n->info, LOOM_SWITCH_MULTICAST_CAP, LOOM_SUBNET_GROUPS);
  loom_mad_put(n->info, LOOM_SWITCH_PARTITIONS, LOOM_SUBNET_KEYS);
  return true;
}

static bool make_device(struct loom_subnet *s, uint32_t d, uint64_t guid[2]) {
  const struct loom_topo_device *t = &s->topo->device[d];
  bool is_switch = loom_subnet_is_switch(s, d);
  uint64_t known = loom_topo_guid(s->topo, d, 0);
  s->node[d].guid = known ? known : guid[is_switch];
  if (!known)
    guid[is_switch] += is_switch ? 1 : t->ports + 1;
  for (uint32_t port = is_switch ? 0 : 1; port <= t->ports; port++)
    make_port(s, d, port);
  return !is_switch || make_switch(s, d);
}

struct loom_subnet *loom_subnet_create(const struct loom_topo *topo,
                                       const struct loom_subnet_cfg *cfg) {
  struct loom_subnet *s = calloc(1, sizeof *s);
  uint64_t guid[2] = {ADAPTER_GUID, SWITCH_GUID};
  if (!s)
    return NULL;
  *s = (struct loom_subnet){.topo = topo, .cfg = *cfg};
  s->node = calloc((size_t)topo->devices + 1, sizeof *s->node);
  s->port = calloc((size_t)topo->ports + 1, sizeof *s->port);
  bool ok = s->node && s->port;
  for (uint32_t d = 0; ok && d < topo->devices; d++)
    ok = make_device(s, d, guid);
  if (!ok) {
    loom_subnet_destroy(s);
    return NULL;
  }
  for (uint32_t d = 0; d < topo->devices; d++)
    for (uint32_t port = 1; port <= topo->device[d].ports; port++)
      loom_subnet_train(s, d, port);
  return s;
}

void loom_subnet_destroy(struct loom_subnet *s) {
  if (!s)
    return;
  for (uint32_t d = 0; s->node && d < s->topo->devices; d++) {
    free(s->node[d].linear);
    free(s->node[d].multicast);
    free(s->node[d].sl2vl);
  }
  free(s->node);
  free(s->port);
  free(s);
}

/* ---- looking --------------------------------------------------------------------------------- */

uint64_t loom_subnet_guid(const struct loom_subnet *s, uint32_t d, uint32_t port) {
  uint64_t known = loom_topo_guid(s->topo, d, port), guid = s->node[d].guid;
  if (loom_subnet_is_switch(s, d))
    return guid;
  return known ? known : guid + port;
}

bool loom_subnet_has_lid(const struct loom_subnet *s, uint32_t d, uint32_t port, uint32_t lid) {
  const uint8_t *info = loom_subnet_port(s, d, loom_subnet_is_switch(s, d) ? 0 : port)->info;
  uint32_t first = (uint32_t)loom_mad_get(info, LOOM_PORT_LID);
  return first && lid >= first && lid - first < 1u << loom_mad_get(info, LOOM_PORT_LMC);
}

uint32_t loom_subnet_find(const struct loom_subnet *s, const char *name) {
  for (uint32_t d = 0; d < s->topo->devices; d++)
    if (!strcmp(s->topo->device[d].name, name))
      return d;
  return LOOM_TOPO_NONE;
}

static bool is_disabled(const struct loom_subnet_port *p) {
  return loom_mad_get(p->info, LOOM_PORT_PHYSICAL) == LOOM_PHYSICAL_DISABLED;
}

bool loom_subnet_far(const struct loom_subnet *s, uint32_t d, uint32_t port,
                     struct loom_subnet_place *far) {
  const struct loom_topo_port *t = loom_topo_port(s->topo, d, port);
  const struct loom_subnet_port *p = loom_subnet_port(s, d, port);
  if (!port || t->device == LOOM_TOPO_NONE || p->cut || is_disabled(p))
    return false;
  *far = (struct loom_subnet_place){t->device, t->port};
  return !is_disabled(loom_subnet_port(s, far->device, far->port));
}

const uint64_t *loom_subnet_counts(const struct loom_subnet *s, uint32_t d, uint32_t port) {
  if (s->hooks.counters)
    s->hooks.counters(s->hooks.context, d, port);
  return loom_subnet_port(s, d, port)->count;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* One end of a link that has come up or gone down. */
static void turn(struct loom_subnet *s, uint32_t d, uint32_t port, bool up) {
  struct loom_subnet_port *p = loom_subnet_port(s, d, port);
  bool was = loom_mad_get(p->info, LOOM_PORT_STATE) > LOOM_PORT_DOWN;
  p->count[LOOM_COUNT_LINK_DOWNED] += was && !up;
  loom_mad_put(p->info, LOOM_PORT_STATE, up ? LOOM_PORT_INIT : LOOM_PORT_DOWN);
  if (!is_disabled(p))
    loom_mad_put(p->info, LOOM_PORT_PHYSICAL, up ? LOOM_PHYSICAL_UP : LOOM_PHYSICAL_POLLING);
  if (loom_subnet_is_switch(s, d)) {
    loom_mad_put(s->node[d].info, LOOM_SWITCH_PORT_CHANGE, 1);
    s->node[d].trap = true;
  }
  if (s->hooks.port)
    s->hooks.port(s->hooks.context, d, port);
}

void loom_subnet_train(struct loom_subnet *s, uint32_t d, uint32_t port) {
  const struct loom_topo_port *t = loom_topo_port(s->topo, d, port);
  struct loom_subnet_place far;
  bool up = loom_subnet_far(s, d, port, &far);
  if (t->device == LOOM_TOPO_NONE)
    return;
  turn(s, d, port, up);
  turn(s, t->device, t->port, up);
}

bool loom_subnet_join(struct loom_subnet *s, uint32_t d, uint32_t port, bool joined) {
  const struct loom_topo_port *t = loom_topo_port(s->topo, d, port);
  if (t->device == LOOM_TOPO_NONE || loom_subnet_port(s, d, port)->cut != joined)
    return false;
  loom_subnet_port(s, d, port)->cut = !joined;
  loom_subnet_port(s, t->device, t->port)->cut = !joined;
  loom_subnet_train(s, d, port);
  if (s->hooks.cable)
    s->hooks.cable(s->hooks.context, d, port, joined);
  return true;
}
