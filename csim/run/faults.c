/* SPDX-License-Identifier: Apache-2.0 */
#include "run/faults.h"

#include <stdlib.h>

/* A cable, by one of its ends. */
struct cable {
  uint32_t device, port; /* of the topology; port from 1 */
};

struct loom_faults {
  const struct loom_plan *plan;
  const struct loom_spec *spec;
  struct loom_elite5_fabric *e;
  const struct loom_collectives *collectives; /* NULL: there are none */
  uint32_t faults, cures;                     /* that are over: the next ones */
  uint32_t *out;                              /* by router: cables that management has taken out */
  bool *is_out;                               /* by router and link: this one */
  bool full;
};

/* ---- places ---------------------------------------------------------------------------------- */

static bool is_cabled(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return loom_topo_port(t, d, port)->device != LOOM_TOPO_NONE;
}

static bool is_router(const struct loom_topo *t, uint32_t d) {
  return t->device[d].kind == LOOM_TOPO_SWITCH;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void fail(struct loom_faults *f, const struct loom_spec_fault *fault, struct cable c) {
  struct loom_fabric *fabric = f->e->fabric;
  uint32_t link = loom_fabric_link(fabric, f->e->device[c.device], c.port - 1);
  if (fault->kind == LOOM_FAULT_ERRORS)
    loom_fabric_errors(fabric, link, (double)fault->chance / 1e12);
  else
    loom_fabric_join(fabric, link, fault->kind == LOOM_FAULT_JOIN);
}

/* ---- cures ----------------------------------------------------------------------------------- */

/* (a): the upper router loses all its links while one of its cables is out. */
static void cure_links(struct loom_faults *f, uint32_t router) {
  uint32_t all = loom_elite5_link_register(LOOM_ELITE5_REG_ALL_LINKS, LOOM_ELITE5_REG_LINK_CONTROL);
  uint32_t on = LOOM_ELITE5_ENABLE | LOOM_ELITE5_QUICK;
  loom_elite5_fabric_write(f->e, router, all, f->out[router] ? 0 : on);
  f->e->routes->off[router] = f->out[router];
}

/* The end of a cable whose router is the higher one, of two as high ones the later one. */
static struct cable upper_end(const struct loom_topo *t, struct cable c) {
  const struct loom_topo_port *far = loom_topo_port(t, c.device, c.port);
  uint32_t here = t->device[c.device].level, there = t->device[far->device].level;
  bool other = there > here || (there == here && far->device > c.device);
  return other ? (struct cable){far->device, far->port} : c;
}

/* Takes a cable out, or in again. */
static void cure(struct loom_faults *f, const struct loom_spec_fault *fault, struct cable c) {
  const struct loom_topo *t = f->plan->topo;
  bool out = fault->kind == LOOM_FAULT_CUT;
  if (!is_router(t, c.device) || !is_router(t, loom_topo_port(t, c.device, c.port)->device))
    return;
  c = upper_end(t, c);
  uint32_t router = f->e->routes->number[c.device];
  bool *is_out = &f->is_out[(size_t)router * LOOM_ELITE5_LINKS + c.port - 1];
  if (*is_out == out)
    return;
  *is_out = out;
  f->out[router] += out ? 1 : -1u;
  if (f->spec->cure == LOOM_CURE_TABLES)
    loom_elite5_routes_avoid(f->e->routes, router, c.port - 1, out);
  else if (f->out[router] == (out ? 1 : 0))
    cure_links(f, router);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Does something to all cables of a fault. */
static void each(struct loom_faults *f, const struct loom_spec_fault *fault,
                 void (*act)(struct loom_faults *, const struct loom_spec_fault *, struct cable)) {
  const struct loom_topo *t = f->plan->topo;
  uint32_t d = loom_plan_fault(f->plan, fault);
  for (uint32_t port = 1; port <= t->device[d].ports; port++)
    if (is_cabled(t, d, port) && (!fault->port || fault->port == port))
      act(f, fault, (struct cable){d, port});
}

/* Errors want no cure. */
static void skip_cures(struct loom_faults *f) {
  while (f->cures < f->spec->faults &&
         (f->spec->cure == LOOM_CURE_NONE || f->spec->fault[f->cures].kind == LOOM_FAULT_ERRORS))
    f->cures++;
}

struct loom_faults *loom_faults_create(const struct loom_plan *plan, struct loom_elite5_fabric *e,
                                       const struct loom_collectives *collectives) {
  struct loom_faults *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  *f = (struct loom_faults){.plan = plan, .spec = plan->spec, .e = e, .collectives = collectives};
  f->out = calloc((size_t)e->routers + 1, sizeof *f->out);
  f->is_out = calloc((size_t)e->routers * LOOM_ELITE5_LINKS + 1, sizeof *f->is_out);
  if (f->out && f->is_out) {
    skip_cures(f);
    return f;
  }
  loom_faults_destroy(f);
  return NULL;
}

void loom_faults_destroy(struct loom_faults *f) {
  if (!f)
    return;
  free(f->out);
  free(f->is_out);
  free(f);
}

static uint64_t next_fault(const struct loom_faults *f) {
  return f->faults < f->spec->faults ? f->spec->fault[f->faults].at : UINT64_MAX;
}

static uint64_t next_cure(const struct loom_faults *f) {
  return f->cures < f->spec->faults ? f->spec->fault[f->cures].at + f->spec->cure_delay
                                    : UINT64_MAX;
}

uint64_t loom_faults_next(const struct loom_faults *f) {
  uint64_t fault = next_fault(f), cured = next_cure(f);
  return fault < cured ? fault : cured;
}

void loom_faults_step(struct loom_faults *f, uint64_t now) {
  bool tables = false, cured = false;
  for (; next_fault(f) <= now; f->faults++)
    each(f, &f->spec->fault[f->faults], fail);
  while (next_cure(f) <= now) {
    each(f, &f->spec->fault[f->cures++], cure);
    tables = f->spec->cure == LOOM_CURE_TABLES;
    cured = true;
    skip_cures(f);
  }
  if (tables && !loom_elite5_fabric_route(f->e))
    f->full = true;
  if (cured && f->collectives)
    loom_collectives_write(f->collectives, f->e);
}

bool loom_faults_full(const struct loom_faults *f) { return f->full; }
