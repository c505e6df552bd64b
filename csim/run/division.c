/* SPDX-License-Identifier: Apache-2.0 */
/* division.c - a built fabric of which this process has a part (docs/ranks.md) */
#include "run/division.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/ledger.h"
#include "fabric/ledger_part.h"
#include "io/streams.h"
#include "run/build_state.h"
#include "run/cut.h"
#include "run/ranks.h"
#include "run/statistics.h"

enum { ALONE = 1000 };          /* cycles of a block where no link is cut */
enum { WATCHDOG_LEAST = 1000 }; /* cycles: a shorter one could fire before a post has moved */

/* What a rank says of itself at a meeting; events and words follow it. */
struct told {
  uint64_t posted, received; /* messages */
  struct loom_elan5_hosts_tally elan5;
  uint64_t due, last_flit, stepped;
  uint64_t events;
  uint64_t sent, heard, changed; /* messages of traces, and the cycle in which that changed */
  bool sent_all;                 /* of the traces */
  bool exhausted, stopped;
  bool failed; /* it cannot go on */
  bool idle;   /* nothing is under way in its part */
  bool silent; /* and nothing will be */
};

struct loom_division {
  const struct loom_plan *plan;
  const struct loom_ranks *ranks;
  struct loom_built *built;
  struct loom_network network; /* of the part */
  struct loom_ledger_part part;
  uint32_t *rank_of_host, *rank_of_device; /* of the fabric */
  uint32_t *rank;                          /* of a device of the topology */
  bool *mine_topo;                         /* by device of the topology */
  bool *mine, *mine_device;                /* by host; by device of the fabric */
  uint32_t latency;                        /* shortest of a link that is cut; 0: there is none */
  /* By rank: what it will get, beginning with `told`; its events; what has come. */
  struct loom_ranks_bytes *out, *event, *in;
  struct told all;                 /* of the last meeting */
  bool wanting;                    /* memory ran out for what goes out */
  bool broken;                     /* what came in does not fit */
  struct loom_built_counts before; /* of all devices, until the fabric was divided */
};

/* ---- what cannot be done --------------------------------------------------------------------- */

static bool refuse(struct loom_plan_error *err, const char *key, const char *why) {
  return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key, "%s with --ranks", why);
}

/* Statistics that are gathered. */
static uint32_t gathered(void) {
  return 1u << LOOM_STATISTIC_LINKS | 1u << LOOM_STATISTIC_FLOWS | 1u << LOOM_STATISTIC_ROUTES;
}

bool loom_division_fits(const struct loom_plan *plan, uint32_t ranks, struct loom_plan_error *err) {
  const struct loom_spec *s = plan->spec;
  if (plan->engine != LOOM_ENGINE_STEP)
    return refuse(err, "engine", "only `step` runs");
  if (s->shadows)
    return refuse(err, "shadow", "there are no circuits");
  if (s->run.stats & ~gathered())
    return refuse(err, "run.stats", "there are only `links`, `flows` and `routes`");
  if (s->traces && loom_device_is_elite5(s->kind))
    return refuse(err, "traces", "elite5 replays none");
  if (s->collectives)
    return refuse(err, "collectives", "there are no collectives");
  if (s->run.precision)
    return refuse(err, "run.precision", "a measurement has a fixed length");
  if (s->run.watchdog && s->run.watchdog < WATCHDOG_LEAST)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "run.watchdog",
                          "must be 0 or %d cycles at least with --ranks", WATCHDOG_LEAST);
  if (ranks > plan->switches)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "topology",
                          "has %" PRIu32 " switches for %" PRIu32 " ranks", plan->switches, ranks);
  return true;
}

/* ---- what goes out --------------------------------------------------------------------------- */

static bool is_mine(void *context, uint32_t host) {
  const struct loom_division *d = context;
  return d->mine[host];
}

static void send_event(void *context, uint32_t host, const struct loom_ledger_event *event) {
  struct loom_division *d = context;
  if (!loom_ranks_add(&d->event[d->rank_of_host[host]], event, sizeof *event))
    d->wanting = true;
}

static void send_word(void *context, const struct loom_fabric_word *word) {
  struct loom_division *d = context;
  if (!loom_ranks_add(&d->out[d->rank_of_device[word->device]], word, sizeof *word))
    d->wanting = true;
}

static bool is_elite5(const struct loom_division *d) { return d->built->elite5 != NULL; }

/* Of this rank, before its words go out. */
static struct told tell(const struct loom_division *d, const struct loom_meeting *m) {
  struct told t = {.due = m->due,
                   .exhausted = m->exhausted,
                   .stopped = m->stopped,
                   .sent = m->replay.sent,
                   .heard = m->replay.received,
                   .changed = m->replay.last,
                   .sent_all = m->replay.over,
                   .last_flit = d->network.last_flit(d->network.context)};
  if (is_elite5(d)) {
    t.elan5 = loom_elan5_hosts_tally(d->built->elan5);
    t.posted = t.elan5.messages;
    return t;
  }
  struct loom_ledger_counts l = loom_ledger_counts(d->built->ledger);
  t.posted = l.posted;
  t.received = l.received;
  return t;
}

/* Events stand behind `told`, then words. */
static void write_out(struct loom_division *d, struct told *own) {
  for (uint32_t r = 0; r < d->ranks->count; r++) {
    d->out[r].size = 0;
    d->wanting |= !loom_ranks_add(&d->out[r], own, sizeof *own);
    if (d->event[r].size)
      d->wanting |= !loom_ranks_add(&d->out[r], d->event[r].at, d->event[r].size);
  }
  uint64_t words = loom_fabric_give(d->built->fabric, send_word, d);
  own->silent = !words && loom_fabric_quiet(d->built->fabric);
  own->idle =
      is_elite5(d) ? !own->posted && loom_elite5_fabric_idle(d->built->elite5) : own->silent;
  own->stepped = loom_fabric_stepped(d->built->fabric);
  own->failed = d->wanting || d->part.crowded || d->broken;
  for (uint32_t r = 0; r < d->ranks->count; r++) {
    own->events = d->event[r].size / sizeof(struct loom_ledger_event);
    d->event[r].size = 0;
    if (d->out[r].size)
      memcpy(d->out[r].at, own, sizeof *own);
  }
}

/* ---- what comes in --------------------------------------------------------------------------- */

static void hear_events(struct loom_division *d, struct loom_ranks_bytes *in, uint64_t events) {
  struct loom_ledger_event e;
  for (; events; events--)
    if (!loom_ranks_cut(in, &e, sizeof e) || !loom_ledger_hear(d->built->ledger, &e))
      d->broken = true;
}

static void take_words(struct loom_division *d, struct loom_ranks_bytes *in) {
  struct loom_fabric_word w;
  while (loom_ranks_cut(in, &w, sizeof w))
    if (w.device < d->plan->switches + d->plan->hosts &&
        d->rank_of_device[w.device] == d->ranks->rank)
      loom_fabric_take(d->built->fabric, &w);
    else
      d->broken = true;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void add(struct told *all, const struct told *t) {
  all->posted += t->posted;
  all->received += t->received;
  all->elan5.messages += t->elan5.messages;
  all->elan5.queued += t->elan5.queued;
  all->elan5.taken += t->elan5.taken;
  all->elan5.asked += t->elan5.asked;
  all->elan5.counted += t->elan5.counted;
  all->due = all->due < t->due ? all->due : t->due;
  all->last_flit = later(all->last_flit, t->last_flit);
  all->stepped = later(all->stepped, t->stepped);
  all->sent += t->sent;
  all->heard += t->heard;
  all->changed = later(all->changed, t->changed);
  all->sent_all &= t->sent_all;
  all->exhausted |= t->exhausted;
  all->stopped |= t->stopped;
  all->failed |= t->failed;
  all->idle &= t->idle;
  all->silent &= t->silent;
}

static void read_in(struct loom_division *d) {
  for (uint32_t r = 0; r < d->ranks->count; r++) {
    struct told t;
    if (r == d->ranks->rank)
      continue;
    if (!loom_ranks_cut(&d->in[r], &t, sizeof t)) {
      d->broken = true;
      continue;
    }
    hear_events(d, &d->in[r], t.events);
    take_words(d, &d->in[r]);
    add(&d->all, &t);
  }
}

/* ---- a meeting ------------------------------------------------------------------------------- */

/* Cycles before something happens to all parts at once. */
static uint64_t until_fault(const struct loom_division *d) {
  const struct loom_built *b = d->built;
  uint64_t now = loom_fabric_cycle(b->fabric);
  uint64_t next = b->faults ? loom_faults_next(b->faults) : UINT64_MAX;
  return next > now ? next - now : 1;
}

static bool meet(void *context, struct loom_meeting *m) {
  struct loom_division *d = context;
  const struct loom_built *b = d->built;
  struct told own = tell(d, m);
  write_out(d, &own);
  d->all = own;
  if (!d->ranks->exchange(d->ranks->context, d->out, d->in))
    return false;
  read_in(d);
  uint64_t fault = until_fault(d), now = loom_fabric_cycle(b->fabric);
  uint64_t origin = loom_fabric_now(b->fabric) - now;
  m->due = d->all.due < now + fault ? d->all.due : now + fault;
  m->exhausted = d->all.exhausted;
  m->stopped = d->all.stopped;
  m->silent = d->all.silent;
  m->replay.over = d->all.sent_all;
  m->replay.sent = d->all.sent;
  m->replay.received = d->all.heard;
  m->replay.last = d->all.changed;
  m->quiet =
      d->all.idle && d->all.posted == d->all.received && !loom_elan5_tally_busy(&d->all.elan5);
  m->since = is_elite5(d) ? now : later(d->all.stepped, origin) - origin;
  m->block = is_elite5(d) && m->drains ? 1 : d->latency ? d->latency : ALONE;
  m->block = m->block < fault ? m->block : fault;
  return !d->all.failed;
}

/* ---- the network ----------------------------------------------------------------------------- */

static bool post(void *context, uint32_t host, const struct loom_message *message) {
  const struct loom_division *d = context;
  return d->network.post(d->network.context, host, message);
}

static void step(void *context) {
  const struct loom_division *d = context;
  d->network.step(d->network.context);
}

static bool quiet(void *context) {
  const struct loom_division *d = context;
  return d->network.quiet(d->network.context);
}

static void advance(void *context, uint64_t cycle) {
  const struct loom_division *d = context;
  d->network.advance(d->network.context, cycle);
}

static bool stopped(void *context) {
  const struct loom_division *d = context;
  return d->network.stopped(d->network.context);
}

static uint64_t last_flit(void *context) {
  const struct loom_division *d = context;
  return d->all.last_flit;
}

struct loom_network loom_division_network(struct loom_division *d,
                                          const struct loom_network *part) {
  d->network = *part;
  return (struct loom_network){.context = d,
                               .hosts = d->plan->hosts,
                               .post = post,
                               .step = step,
                               .quiet = quiet,
                               .advance = advance,
                               .stopped = stopped,
                               .last_flit = last_flit,
                               .meet = meet,
                               .mine = d->mine};
}

/* ---- creation -------------------------------------------------------------------------------- */

static bool make_rooms(struct loom_division *d) {
  const struct loom_plan *p = d->plan;
  d->rank = calloc((size_t)p->topo->devices + 1, sizeof *d->rank);
  d->mine_topo = calloc((size_t)p->topo->devices + 1, sizeof *d->mine_topo);
  d->rank_of_host = calloc((size_t)p->hosts + 1, sizeof *d->rank_of_host);
  d->rank_of_device = calloc((size_t)p->switches + p->hosts + 1, sizeof *d->rank_of_device);
  d->mine = calloc((size_t)p->hosts + 1, sizeof *d->mine);
  d->mine_device = calloc((size_t)p->switches + p->hosts + 1, sizeof *d->mine_device);
  d->out = calloc(d->ranks->count, sizeof *d->out);
  d->event = calloc(d->ranks->count, sizeof *d->event);
  d->in = calloc(d->ranks->count, sizeof *d->in);
  return d->rank && d->mine_topo && d->rank_of_host && d->rank_of_device && d->mine &&
         d->mine_device && d->out && d->event && d->in;
}

struct loom_division *loom_division_create(const struct loom_plan *plan) {
  struct loom_division *d = calloc(1, sizeof *d);
  if (!d)
    return NULL;
  *d = (struct loom_division){.plan = plan, .ranks = plan->ranks};
  if (!make_rooms(d) || !loom_cut(plan, d->ranks->count, d->rank)) {
    loom_division_destroy(d);
    return NULL;
  }
  for (uint32_t i = 0; i < plan->topo->devices; i++)
    d->mine_topo[i] = d->rank[i] == d->ranks->rank;
  for (uint32_t h = 0; h < plan->hosts; h++) {
    d->rank_of_host[h] = d->rank[plan->host[h].device];
    d->mine[h] = d->rank_of_host[h] == d->ranks->rank;
  }
  return d;
}

const bool *loom_division_mine(const struct loom_division *d) { return d->mine_topo; }

const bool *loom_division_hosts(const struct loom_division *d) { return d->mine; }

/* From the topology's devices to those of the fabric. */
static void spread(struct loom_division *d) {
  const struct loom_plan *p = d->plan;
  const uint32_t *number = d->built->number;
  for (uint32_t row = 0; row < p->switches; row++)
    d->rank_of_device[number[p->row[row]]] = d->rank[p->row[row]];
  for (uint32_t h = 0; h < p->hosts; h++)
    d->rank_of_device[number[p->topo->devices + h]] = d->rank_of_host[h];
  for (uint32_t i = 0; i < p->switches + p->hosts; i++)
    d->mine_device[i] = d->rank_of_device[i] == d->ranks->rank;
}

bool loom_division_begin(struct loom_division *d, struct loom_built *b) {
  d->built = b;
  d->before = loom_built_counts(b);
  spread(d);
  if (!loom_fabric_part(b->fabric, d->mine_device))
    return false;
  d->latency = loom_fabric_part_latency(b->fabric);
  if (is_elite5(d))
    return true;
  d->part = (struct loom_ledger_part){.is_mine = is_mine, .send = send_event, .context = d};
  loom_ledger_divide(b->ledger, &d->part);
  return true;
}

static void free_bytes(struct loom_ranks_bytes *b, uint32_t count) {
  for (uint32_t r = 0; b && r < count; r++)
    free(b[r].at);
  free(b);
}

void loom_division_destroy(struct loom_division *d) {
  if (!d)
    return;
  free_bytes(d->out, d->ranks->count);
  free_bytes(d->event, d->ranks->count);
  free(d->in);
  free(d->rank);
  free(d->mine_topo);
  free(d->rank_of_host);
  free(d->rank_of_device);
  free(d->mine);
  free(d->mine_device);
  free(d);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void say_failed(const struct loom_division *d, struct loom_plan_error *err) {
  if (d->wanting)
    loom_plan_no_memory(err);
  else if (d->part.crowded)
    loom_plan_fail(
        err, LOOM_EXIT_FAILED, "ranks",
        "a host has %d messages under way: which of them ends first is known to one rank "
        "only",
        LOOM_LEDGER_IDS);
  else if (d->broken)
    loom_plan_fail(err, LOOM_EXIT_FAILED, "ranks", "a rank sent what fits nothing here");
}

/* What all devices did before the fabric was divided counts once. */
static struct loom_built_counts counts_of(const struct loom_division *d) {
  struct loom_built_counts c = loom_built_counts(d->built);
  if (is_elite5(d))
    c.stray -= loom_elan5_hosts_stray(d->built->elan5);
  if (d->ranks->rank) {
    c.flit_hops -= d->before.flit_hops;
    c.spoilt -= d->before.spoilt;
    c.nacks -= d->before.nacks;
    c.grants -= d->before.grants;
    c.contended -= d->before.contended;
  }
  return c;
}

static void add_counts(struct loom_built_counts *c, const struct loom_built_counts *other) {
  c->flit_hops += other->flit_hops;
  c->spoilt += other->spoilt;
  c->stray += other->stray;
  c->dropped += other->dropped;
  c->nacks += other->nacks;
  c->grants += other->grants;
  c->contended += other->contended;
  c->exhausted |= other->exhausted;
}

/* A list of bytes with its length before it; they go. False: out of memory. */
static bool add_list(struct loom_ranks_bytes *out, void *bytes, size_t size) {
  bool ok = bytes && loom_ranks_add(out, &size, sizeof size) && loom_ranks_add(out, bytes, size);
  free(bytes);
  return ok;
}

/* From this rank to the first one. */
static bool send_results(struct loom_division *d, const struct loom_division_results *r) {
  struct loom_ranks_bytes *out = &d->out[0];
  size_t size = 0;
  bool ok = true;
  for (uint32_t k = 0; k < d->ranks->count; k++)
    d->out[k].size = 0;
  if (d->ranks->rank) {
    ok = loom_ranks_add(out, r->counts, sizeof *r->counts) &&
         loom_ranks_add(out, r->trace, r->traces * sizeof *r->trace);
    void *measured = loom_experiment_pack(r->experiment, &size);
    ok = add_list(out, measured, size) && ok;
    void *noted = r->statistics ? loom_statistics_pack(r->statistics, d->mine_device, &size) : NULL;
    ok = (!r->statistics || add_list(out, noted, size)) && ok;
  }
  return d->ranks->exchange(d->ranks->context, d->out, d->in) && ok;
}

/* A list that came; false: there is none. */
static bool cut_list(struct loom_ranks_bytes *in, struct loom_ranks_bytes *list) {
  size_t size = 0;
  if (!loom_ranks_cut(in, &size, sizeof size) || in->size < size)
    return false;
  *list = (struct loom_ranks_bytes){.at = in->at, .size = size};
  in->at += size;
  in->size -= size;
  return true;
}

static bool add_traces(const struct loom_division_results *r, struct loom_ranks_bytes *in) {
  struct loom_vef_progress other;
  for (uint32_t i = 0; i < r->traces; i++) {
    if (!loom_ranks_cut(in, &other, sizeof other))
      return false;
    r->trace[i].received += other.received;
    r->trace[i].finished &= other.finished;
  }
  return true;
}

static bool add_results(const struct loom_division_results *r, struct loom_ranks_bytes *in) {
  struct loom_built_counts other;
  struct loom_ranks_bytes list;
  if (!loom_ranks_cut(in, &other, sizeof other) || !add_traces(r, in) || !cut_list(in, &list) ||
      !loom_experiment_join(r->experiment, list.at, list.size))
    return false;
  add_counts(r->counts, &other);
  return !r->statistics ||
         (cut_list(in, &list) && loom_statistics_join(r->statistics, list.at, list.size));
}

bool loom_division_gather(struct loom_division *d, const struct loom_division_results *results,
                          struct loom_plan_error *err) {
  say_failed(d, err);
  if (!loom_ranks_agree(d->ranks, err))
    return false;
  *results->counts = counts_of(d);
  bool ok = send_results(d, results);
  for (uint32_t r = 1; ok && !d->ranks->rank && r < d->ranks->count; r++)
    ok = add_results(results, &d->in[r]);
  for (uint32_t i = 0; i < results->traces; i++)
    results->trace[i].finished &= results->trace[i].received == results->trace[i].messages;
  if (is_elite5(d))
    results->counts->stray += loom_elan5_tally_stray(&d->all.elan5);
  if (!ok)
    loom_plan_fail(err, LOOM_EXIT_FAILED, "ranks", "what the ranks measured does not fit together");
  return loom_ranks_agree(d->ranks, err);
}
