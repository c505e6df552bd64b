#include "run/build_elite5.h"

#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

#include "io/streams.h"

enum { SLOTS = LOOM_ELAN5_OWN_TRANSFERS, QUEUE_FIRST = 16, MEMORY_LEAST = 64, ALIGN = 8 };

/* Messages that wait, first in first out; grows. */
struct queue {
  struct loom_message *ring;
  uint32_t first, count, size; /* size: 0 or a power of two */
};

struct node {
  struct queue queue[LOOM_HOST_CLASSES];
  uint32_t waiting;                      /* classes with something in their queue */
  uint32_t turn;                         /* class that began last */
  uint32_t under_way[LOOM_HOST_CLASSES]; /* transfers */
  uint64_t running, fresh;               /* transfers; those that have sent nothing yet */
  uint64_t begun, acks;                  /* packets, when last looked at */
  struct loom_message slot[SLOTS];
};

struct loom_elite5_fabric {
  const struct loom_plan *plan;
  struct loom_elite5_tree *tree;
  struct loom_elite5_net *net;
  loom_host_receive *receive;
  void *context;
  const struct loom_shadow *shadow; /* NULL: no circuits */
  uint64_t skipped; /* cycles that nobody did, minus those of the bring-up; modulo 2^64 */
  uint64_t last;
  uint64_t messages; /* that wait or are under way */
  uint32_t most;     /* transfers of a class at a time */
  bool exhausted;
  struct node *node;
  uint64_t *busy; /* set of nodes: with something waiting or running */
  uint32_t words; /* of the set */
};

static uint64_t now(const struct loom_elite5_fabric *f) { return f->net->now + f->skipped; }

/* ---- queues ---------------------------------------------------------------------------------- */

static bool push(struct queue *q, const struct loom_message *m) {
  if (q->count == q->size) {
    uint32_t size = q->size ? 2 * q->size : QUEUE_FIRST;
    struct loom_message *ring = calloc(size, sizeof *ring);
    if (!ring)
      return false;
    for (uint32_t i = 0; i < q->count; i++)
      ring[i] = q->ring[(q->first + i) & (q->size - 1)];
    free(q->ring);
    *q = (struct queue){.ring = ring, .count = q->count, .size = size};
  }
  q->ring[(q->first + q->count++) & (q->size - 1)] = *m;
  return true;
}

static struct loom_message pop(struct queue *q) {
  struct loom_message m = q->ring[q->first];
  q->first = (q->first + 1) & (q->size - 1);
  q->count--;
  return m;
}

/* ---- a node's cycle -------------------------------------------------------------------------- */

/* The next class that has a message and may have another transfer; LOOM_HOST_CLASSES: none. */
static uint32_t next_class(const struct loom_elite5_fabric *f, const struct node *n) {
  uint32_t classes = f->plan->spec->classes;
  for (uint32_t i = 1; i <= classes; i++) {
    uint32_t c = (n->turn + i) % classes;
    if (n->waiting >> c & 1 && n->under_way[c] < f->most)
      return c;
  }
  return LOOM_HOST_CLASSES;
}

/* Puts for the messages that wait, as many as the endpoint takes. */
static void begin(struct loom_elite5_fabric *f, uint32_t number) {
  struct node *n = &f->node[number];
  struct loom_elan5 *e = f->net->node[number].endpoint;
  for (uint32_t c; n->waiting && (c = next_class(f, n)) != LOOM_HOST_CLASSES;) {
    const struct loom_message *m = &n->queue[c].ring[n->queue[c].first];
    const struct loom_elan5_target to = {.dest = (uint16_t)m->dst,
                                         .prio = (uint8_t)f->plan->spec->traffic_class[c].sl};
    uint32_t transfer = loom_elan5_put(e, to, 0, 0, m->flits * LOOM_FLIT_BYTES);
    if (transfer == LOOM_ELAN5_NONE)
      return;
    n->slot[transfer] = pop(&n->queue[c]);
    if (!n->queue[c].count)
      n->waiting &= ~(1u << c);
    n->turn = c;
    n->under_way[c]++;
    n->running |= 1ull << transfer;
    n->fresh |= 1ull << transfer;
  }
}

/* Looks at what a cycle has done. */
static void look(struct loom_elite5_fabric *f, uint32_t number, uint64_t cycle) {
  struct node *n = &f->node[number];
  struct loom_elan5 *e = f->net->node[number].endpoint;
  if (e->counters.begun != n->begun || e->counters.acks != n->acks) {
    n->begun = e->counters.begun;
    n->acks = e->counters.acks;
    f->last = cycle;
  }
  for (uint64_t set = n->fresh; set; set &= set - 1)
    if (e->transfer[loom_ctz(set)].begun) {
      n->slot[loom_ctz(set)].injected = cycle;
      n->fresh &= ~(set & -set);
    }
  for (uint64_t set = n->running & e->finished; set; set &= set - 1) {
    uint32_t transfer = loom_ctz(set);
    struct loom_message m = n->slot[transfer];
    loom_elan5_done(e, transfer);
    m.received = cycle;
    n->running &= ~(1ull << transfer);
    n->under_way[m.traffic_class]--;
    f->messages--;
    f->receive(f->context, &m, false);
  }
}

/* ---- the network ----------------------------------------------------------------------------- */

static bool post(void *context, uint32_t host, const struct loom_message *message) {
  struct loom_elite5_fabric *f = context;
  struct loom_message m = *message;
  m.src = host;
  m.generated = now(f);
  if (!push(&f->node[host].queue[m.traffic_class], &m)) {
    f->exhausted = true;
    return false;
  }
  f->node[host].waiting |= 1u << m.traffic_class;
  loom_set_include(f->busy, host);
  f->messages++;
  return true;
}

static void step(void *context) {
  struct loom_elite5_fabric *f = context;
  uint64_t cycle = now(f);
  for (uint32_t w = 0; w < f->words; w++)
    for (uint64_t set = f->busy[w]; set; set &= set - 1)
      begin(f, w * LOOM_SET_WORD + loom_ctz(set));
  loom_elite5_net_step(f->net);
  for (uint32_t w = 0; w < f->words; w++)
    for (uint64_t set = f->busy[w]; set; set &= set - 1) {
      const struct node *n = &f->node[w * LOOM_SET_WORD + loom_ctz(set)];
      if (n->running)
        look(f, w * LOOM_SET_WORD + loom_ctz(set), cycle);
      if (!n->waiting && !n->running)
        f->busy[w] &= ~(set & -set);
    }
}

static bool quiet(void *context) {
  const struct loom_elite5_fabric *f = context;
  return !f->messages && loom_elite5_net_idle(f->net);
}

/* Nothing is under way, so nobody needs to do these cycles. */
static void advance(void *context, uint64_t cycle) {
  struct loom_elite5_fabric *f = context;
  f->skipped += cycle - now(f);
}

static bool stopped(void *context) {
  const struct loom_elite5_fabric *f = context;
  return f->shadow && f->shadow->stopped(f->shadow->context);
}

static uint64_t last_flit(void *context) {
  const struct loom_elite5_fabric *f = context;
  return f->last;
}

struct loom_network loom_elite5_fabric_network(struct loom_elite5_fabric *f) {
  return (struct loom_network){.context = f,
                               .hosts = f->plan->hosts,
                               .post = post,
                               .step = step,
                               .quiet = quiet,
                               .advance = advance,
                               .stopped = stopped,
                               .last_flit = last_flit};
}

void loom_elite5_fabric_counts(const struct loom_elite5_fabric *f, struct loom_built_counts *c) {
  for (uint32_t l = 0; l < f->net->links; l++) {
    c->flit_hops += f->net->link[l].words;
    c->spoilt += f->net->link[l].spoilt;
  }
  for (uint32_t n = 0; n < f->plan->hosts; n++)
    c->nacks += f->net->node[n].endpoint->counters.nacks;
  c->exhausted = f->exhausted;
}

/* ---- creation -------------------------------------------------------------------------------- */

uint32_t loom_elite5_fabric_longest(const struct loom_spec *s) {
  uint32_t flits = 0;
  for (uint32_t i = 0; i < s->offers; i++)
    flits = loom_max(flits, s->offer[i].cfg.flits);
  for (uint32_t i = 0; i < s->traces; i++) {
    const struct loom_vef_trace *t = s->trace[i].expanded;
    for (uint32_t r = 0; r < t->count; r++)
      flits = loom_max(flits, loom_experiment_flits(t->record[r].length, LOOM_FLIT_BYTES, 0));
  }
  return flits > UINT32_MAX / LOOM_FLIT_BYTES ? UINT32_MAX : flits * LOOM_FLIT_BYTES;
}

static void net_cfg(const struct loom_plan *p, uint64_t seed, struct loom_elite5_net_cfg *cfg) {
  loom_elite5_net_defaults(cfg);
  loom_parameters_elite5(&p->spec->parameters, &cfg->router);
  cfg->seed = seed;
  cfg->endpoint.packet = p->spec->traffic_class[0].mtu * LOOM_FLIT_BYTES;
  cfg->endpoint.memory =
      loom_max(MEMORY_LEAST, (loom_elite5_fabric_longest(p->spec) + ALIGN - 1) / ALIGN * ALIGN);
  loom_elite5_tree_net(&p->tree, cfg);
}

static uint64_t shadow_now(const void *fabric) {
  const struct loom_elite5_fabric *f = fabric;
  return f->net ? now(f) : LOOM_SHADOW_BEFORE;
}

static bool attach_router(const struct loom_elite5_fabric *f, const struct loom_build_cfg *cfg,
                          const struct loom_shadow_router *r, struct loom_elite5_net_cfg *net,
                          struct loom_plan_error *err) {
  char why[400] = "";
  if (f->shadow && f->shadow->attach_router(f->shadow->context, r, net, why, sizeof why))
    return true;
  return loom_build_refuse_shadow(cfg, r->name, why, err);
}

/* The circuits see the links come up, too, so the net does not stand yet. */
static bool attach_routers(const struct loom_elite5_fabric *f, const struct loom_build_cfg *cfg,
                           struct loom_elite5_net_cfg *net, struct loom_plan_error *err) {
  for (uint32_t router = 0; router < f->plan->switches; router++) {
    char name[LOOM_TOPO_NAME];
    loom_plan_name(f->plan, router, name);
    const struct loom_shadow_router r = {
        .router = router, .name = name, .now = shadow_now, .fabric = f};
    if (loom_plan_is_shadowed(f->plan, name) && !attach_router(f, cfg, &r, net, err))
      return false;
  }
  return true;
}

static bool make(struct loom_elite5_fabric *f, const struct loom_build_cfg *cfg,
                 struct loom_plan_error *err) {
  const struct loom_plan *p = f->plan;
  struct loom_elite5_net_cfg net;
  net_cfg(p, cfg->seed, &net);
  if (!loom_elite5_router_cfg_ok(&net.router))
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "switch.parameters",
                          "BVCS must be below VCS: %u, %u", (unsigned)net.router.BVCS,
                          (unsigned)net.router.VCS);
  f->words = loom_set_words(p->hosts);
  f->node = calloc(p->hosts, sizeof *f->node);
  f->busy = calloc(f->words, sizeof *f->busy);
  if (!f->node || !f->busy)
    return loom_plan_no_memory(err);
  if (!attach_routers(f, cfg, &net, err))
    return false;
  f->tree = loom_elite5_tree_create(&p->tree, &net);
  if (!f->tree)
    return loom_plan_no_memory(err);
  f->net = f->tree->net;
  f->skipped = 0 - f->net->now;
  for (uint32_t l = 0; p->spec->bit_errors && l < f->net->links; l++)
    loom_elite5_net_errors(f->net, l, (double)p->spec->bit_errors / 1e12);
  return true;
}

struct loom_elite5_fabric *loom_elite5_fabric_create(const struct loom_build_cfg *cfg,
                                                     struct loom_plan_error *err) {
  struct loom_elite5_fabric *f = calloc(1, sizeof *f);
  if (!f) {
    loom_plan_no_memory(err);
    return NULL;
  }
  f->plan = cfg->plan;
  f->receive = cfg->receive;
  f->context = cfg->context;
  f->shadow = cfg->shadow;
  f->most = SLOTS / f->plan->spec->classes;
  if (make(f, cfg, err))
    return f;
  loom_elite5_fabric_destroy(f);
  return NULL;
}

void loom_elite5_fabric_destroy(struct loom_elite5_fabric *f) {
  if (!f)
    return;
  for (uint32_t n = 0; f->node && n < f->plan->hosts; n++)
    for (uint32_t c = 0; c < LOOM_HOST_CLASSES; c++)
      free(f->node[n].queue[c].ring);
  if (f->tree)
    loom_elite5_tree_destroy(f->tree);
  free(f->node);
  free(f->busy);
  free(f);
}
