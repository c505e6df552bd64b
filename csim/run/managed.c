/* SPDX-License-Identifier: Apache-2.0 */
#include "run/managed.h"

#include <stdlib.h>

#include "fabric/ledger.h"
#include "fabric/managed_class.h"
#include "run/build_state.h"
#include <loom/switch_registers.h>

struct loom_managed {
  struct loom_built *built;
  struct loom_plan *plan;
  uint32_t *row;                   /* of a switch, by device; LOOM_TOPO_NONE: it is none */
  struct loom_managed_switch **sw; /* by row; in the memory of the fabric */
};

/* ---- making ---------------------------------------------------------------------------------- */

static void lost(void *context, uint64_t head, uint64_t now) {
  const struct loom_managed *m = context;
  loom_ledger_lose(m->built->ledger, head, now);
}

static bool take_switch(struct loom_managed *m, uint32_t row) {
  struct loom_built *b = m->built;
  uint32_t device = b->number[m->plan->row[row]];
  struct loom_managed_switch *sw = loom_fabric_memory(b->fabric, sizeof *sw);
  if (!sw)
    return false;
  sw->s = b->device[row];
  sw->down = UINT64_MAX;
  sw->lost = lost;
  sw->context = m;
  for (uint32_t lid = 0; lid < sw->s->lids; lid++)
    loom_fabric_write(b->fabric, device, LOOM_SWITCH_REG_LFT + lid, LOOM_SWITCH_NOWHERE);
  loom_fabric_write(b->fabric, device, LOOM_SWITCH_REG_LFT_COUNT, sw->s->lids);
  loom_fabric_replace(b->fabric, device, &loom_managed_switch_class, sw);
  m->sw[row] = sw;
  m->row[m->plan->row[row]] = row;
  return true;
}

struct loom_managed *loom_managed_create(struct loom_built *built, struct loom_plan *plan) {
  struct loom_managed *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  *m = (struct loom_managed){.built = built, .plan = plan};
  m->row = malloc(((size_t)plan->topo->devices + 1) * sizeof *m->row);
  m->sw = calloc((size_t)plan->switches + 1, sizeof(void *));
  bool ok = m->row && m->sw;
  for (uint32_t d = 0; ok && d < plan->topo->devices; d++)
    m->row[d] = LOOM_TOPO_NONE;
  for (uint32_t row = 0; ok && row < plan->switches; row++)
    ok = take_switch(m, row);
  if (ok)
    return m;
  loom_managed_destroy(m);
  return NULL;
}

void loom_managed_destroy(struct loom_managed *m) {
  if (!m)
    return;
  for (uint32_t row = 0; m->sw && row < m->plan->switches; row++)
    if (m->sw[row])
      loom_managed_free(m->sw[row]);
  free(m->sw);
  free(m->row);
  free(m);
}

/* ---- switches -------------------------------------------------------------------------------- */

static struct loom_managed_switch *switch_of(const struct loom_managed *m, uint32_t device) {
  return m->sw[m->row[device]];
}

static void wake(const struct loom_managed *m, uint32_t device) {
  loom_fabric_wake(m->built->fabric, m->built->number[device]);
}

bool loom_managed_register(struct loom_managed *m, uint32_t device, uint32_t addr, uint32_t data) {
  bool ok = loom_managed_write(switch_of(m, device), addr, data);
  wake(m, device);
  return ok;
}

uint32_t loom_managed_ask(const struct loom_managed *m, uint32_t device, uint32_t addr) {
  return loom_managed_read(switch_of(m, device), addr);
}

uint64_t loom_managed_waiting(const struct loom_managed *m) {
  uint64_t writes = 0;
  for (uint32_t row = 0; row < m->plan->switches; row++)
    writes += m->sw[row]->count;
  return writes;
}

void loom_managed_link(struct loom_managed *m, uint32_t device, uint32_t port, bool up) {
  loom_managed_turn(switch_of(m, device), port - 1, up);
  wake(m, device);
}

struct loom_managed_dropped loom_managed_dropped(const struct loom_managed *m, uint32_t device,
                                                 uint32_t port, bool out) {
  const struct loom_managed_switch *sw = switch_of(m, device);
  const struct loom_managed_link *l = out ? &sw->out[port - 1] : &sw->in[port - 1];
  return (struct loom_managed_dropped){l->packets, l->flits};
}

/* ---- hosts ----------------------------------------------------------------------------------- */

uint32_t loom_managed_host(const struct loom_managed *m, uint32_t device, uint32_t port) {
  for (uint32_t h = 0; h < m->plan->hosts; h++)
    if (m->plan->host[h].device == device && m->plan->host[h].port == port)
      return h;
  return LOOM_TOPO_NONE;
}

bool loom_managed_renumber(struct loom_managed *m, uint32_t host, uint16_t lid) {
  if (!loom_host_renumber(m->built->host[host], lid))
    return false;
  m->plan->lid[host] = lid;
  return true;
}

void loom_managed_map(struct loom_managed *m, uint32_t host, uint32_t sl, uint8_t vl) {
  loom_host_map(m->built->host[host], sl, vl);
}
