/* SPDX-License-Identifier: Apache-2.0 */
/* sched_traffic.c - traffic for every scheduler, see sched_traffic.h */
#include "tb/cosim/sched_traffic.h"

#include "sched/sched_ibarb.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <math.h>
#include <string.h>

/* ---- a published table ----------------------------------------------------------------------- */

static uint32_t put_table(struct table_write *w, uint32_t base,
                          const struct loom_published_table *table) {
  for (uint32_t i = 0; i < table->count; i++)
    w[i] = (struct table_write){base + i, sched_entry(table->entry[i].id, table->entry[i].weight)};
  return table->count;
}

uint32_t sched_table_writes(const struct scenario *sc, struct table_write *w) {
  const struct loom_published *f = &sc->published;
  uint32_t n = 0;
  switch (f->scheduler) {
  case LOOM_PUBLISHED_RR:
    break;
  case LOOM_PUBLISHED_SBT:
    for (; n < f->table.count; n++)
      w[n] = (struct table_write){f->table.entry[n].id, f->table.entry[n].weight};
    w[n++] = (struct table_write){32, sc->c->mode};
    break;
  case LOOM_PUBLISHED_DTABLE:
    n = put_table(w, 0, &f->table);
    break;
  case LOOM_PUBLISHED_IBARB:
    n = put_table(w, 0, &f->high);
    n += put_table(w + n, LOOM_IBARB_REG_LOW, &f->low);
    w[n++] = (struct table_write){LOOM_IBARB_REG_LIMIT, sc->c->limit};
    w[n++] = (struct table_write){LOOM_IBARB_REG_MODE,
                                  (uint32_t)sc->c->mode | (uint32_t)sc->c->low_grant << 1};
    break;
  }
  return n;
}

/* Whether the head of every flow is the same after each packet. */
static bool all_steady(const struct loom_published_case *c) {
  for (uint32_t i = 0; i < c->flow_count; i++)
    if (c->flow[i].count || c->flow[i].sl_count > 1)
      return false;
  return true;
}

static void load_flows(struct sched_state *s) {
  const struct loom_published_case *c = s->sc->c;
  for (uint32_t i = 0; i < c->flow_count; i++) {
    uint32_t v = c->flow[i].vl;
    s->valid |= 1ull << v;
    s->size[v] = c->flow[i].size;
    s->sl[v] = c->flow[i].sl[0];
    s->left[v] = c->flow[i].count;
    s->flow[v] = &c->flow[i];
  }
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    s->credits[v] = (uint32_t)loom_mask(s->cfg.CREDIT_W);
  s->polite = !all_steady(c);
}

/* ---- driving --------------------------------------------------------------------------------- */

void sched_init(struct sched_state *s, const struct sched_kind *kind, struct rng *rng,
                const void *cfg, const struct scenario *sc) {
  s->rng = *rng;
  s->kind = kind;
  s->full_cfg = cfg;
  s->cfg = *(const sched_cfg *)cfg;
  s->sc = sc;
  if (sc) {
    s->writes = sched_table_writes(sc, s->write);
    load_flows(s);
  } else {
    s->writes = kind->whole_table(&s->rng, cfg, s->write);
  }
}

static void new_phase(struct sched_state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 64, 160, 240, 256};
  static const uint32_t longest[] = {1, 2, 8, 64, 1023};
  s->ask = chance[1 + rng_below(&s->rng, 5)];
  s->arrive = chance[rng_below(&s->rng, 6)];
  s->churn = rng_chance(&s->rng, 128) ? 0 : chance[rng_below(&s->rng, 4)];
  s->starve = rng_chance(&s->rng, 160) ? 0 : chance[rng_below(&s->rng, 4)];
  s->rewrite = rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->longest = longest[rng_below(&s->rng, 5)];
  s->live_vls = rng_range(&s->rng, 1, s->cfg.VLS);
  s->polite = rng_chance(&s->rng, 128);
  s->phase_end = cycle + rng_range(&s->rng, 20, 2000);
}

static void new_head(struct sched_state *s, uint32_t v) {
  uint32_t most = (uint32_t)loom_mask(s->cfg.SIZE_W);
  uint32_t longest = s->longest < most ? s->longest : most;
  s->valid |= 1ull << v;
  s->size[v] =
      rng_chance(&s->rng, 4) ? rng_below(&s->rng, most + 1) : rng_range(&s->rng, 1, longest);
  /* Mostly the SL that belongs to the VL, so that keys share VLs in a steady way. */
  uint32_t sl = rng_chance(&s->rng, 220) ? v * 7 % 11 : rng_below(&s->rng, 32);
  s->sl[v] = rng_chance(&s->rng, 200) ? sl % s->cfg.KEYS : sl;
}

static void churn_heads(struct sched_state *s) {
  uint64_t fresh = rng_bits(&s->rng, s->cfg.VLS, s->arrive) & ~s->valid;
  for (fresh &= loom_mask(s->live_vls); fresh; fresh &= fresh - 1)
    new_head(s, loom_ctz(fresh));
  if (rng_chance(&s->rng, s->churn)) /* a head changes under the scheduler's eyes */
    new_head(s, rng_below(&s->rng, s->cfg.VLS));
  if (rng_chance(&s->rng, s->churn))
    s->valid &= ~(1ull << rng_below(&s->rng, s->cfg.VLS));
  uint32_t v = rng_below(&s->rng, s->cfg.VLS);
  uint64_t credits = rng_chance(&s->rng, s->starve) ? rng_below(&s->rng, 2 * s->size[v] + 1)
                                                    : loom_mask(s->cfg.CREDIT_W);
  s->credits[v] = (uint32_t)(credits & loom_mask(s->cfg.CREDIT_W));
}

static void take_granted(struct sched_state *s, const sched_out *o) {
  uint32_t v = (uint32_t)o->grant_vl;
  if (!o->grant_valid)
    return;
  if (!s->sc) {
    s->valid &= ~(1ull << v);
    if (rng_chance(&s->rng, s->arrive))
      new_head(s, v);
  } else {
    const struct loom_published_flow *f = s->flow[v];
    if (s->left[v] && --s->left[v] == 0)
      s->valid &= ~(1ull << v);
    if (f)
      s->sl[v] = f->sl[++s->served[v] % f->sl_count];
  }
}

static void table_access(struct sched_state *s, sched_in *i) {
  if (s->written < s->writes) {
    i->table_we = 1;
    i->table_addr = s->write[s->written].addr;
    i->table_data = s->write[s->written++].data;
  } else if (!s->sc && rng_chance(&s->rng, s->rewrite)) {
    struct table_write w = s->kind->some_write(&s->rng, s->full_cfg);
    i->table_we = 1;
    i->table_addr = w.addr;
    i->table_data = w.data;
  } else if (!s->sc) {
    i->table_addr = s->kind->some_read(&s->rng, s->full_cfg);
    i->table_data = rng_bits(&s->rng, 32, 128);
  }
}

/* One request, then silence until its grant was seen and the heads of after it are in the snapshot:
 * request in r, grant in r+2, heads change in r+3, snapshot shows them in r+4. */
static bool polite_request(struct sched_state *s) {
  if (s->wait) {
    s->wait--;
    return false;
  }
  if (!s->sc && !rng_chance(&s->rng, s->ask))
    return false;
  s->wait = 3;
  return true;
}

void sched_next(void *st, uint64_t cycle, const void *out, void *in) {
  struct sched_state *s = st;
  sched_in *i = in;
  bool loading = s->written < s->writes;
  if (!s->sc && cycle >= s->phase_end)
    new_phase(s, cycle);
  take_granted(s, out);
  if (!s->sc && !(s->polite && s->wait > 0))
    churn_heads(s);
  table_access(s, i);
  if (!s->sc || !loading) {
    i->head_valid = s->valid;
    for (uint32_t v = 0; v < s->cfg.VLS; v++) {
      i->head_size[v] = s->size[v];
      i->head_sl[v] = s->sl[v];
      i->credits[v] = s->credits[v];
    }
  }
  /* A published table begins with its whole table and a snapshot of all heads. */
  if (s->sc && cycle <= s->writes)
    return;
  i->request = s->polite ? polite_request(s) : s->sc || rng_chance(&s->rng, s->ask);
}

/* ---- looking at the circuit ------------------------------------------------------------------ */

static void complain(struct sched_state *s, const char *what, uint64_t n, uint64_t want,
                     uint64_t got) {
  if (!s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "%s of grant %" PRIu64 ": %" PRIu64 ", must be %" PRIu64,
             what, n, got, want);
}

static void check_selection(struct sched_state *s, const sched_out *o, const void *probe) {
  const struct loom_published_case *c = s->sc->c;
  if (s->selection >= c->selection_count || !s->kind->selection)
    return;
  const struct loom_published_selection *sel = &c->selection[s->selection];
  uint32_t acc, ptr, cur, size = (uint32_t)o->grant_size;
  s->kind->selection(probe, &acc, &ptr, &cur);
  s->packets++;
  if (ptr != sel->entry)
    complain(s, "entry", s->grants, sel->entry, ptr);
  if (cur != sel->sl || o->grant_key != sel->sl)
    complain(s, "SL", s->grants, sel->sl, cur);
  if (acc + s->packets * size != sel->acc)
    complain(s, "accumulator", s->grants, sel->acc - s->packets * size, acc);
  if (s->packets == sel->packets) {
    if (acc != sel->deficit)
      complain(s, "deficit", s->grants, sel->deficit, acc);
    s->selection++;
    s->packets = 0;
  }
}

void sched_observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                   struct stats *stats) {
  struct sched_state *s = st;
  const sched_out *o = out;
  (void)in;
  if (!o->grant_valid)
    return;
  struct packet_note n = {.cycle = cycle,
                          .vl = (uint32_t)o->grant_vl,
                          .dest = (uint32_t)o->grant_key,
                          .length = (uint32_t)o->grant_size};
  stats->grants++;
  stats->packets++;
  stats_note(stats, &n);
  if (!s->sc)
    return;
  const struct loom_published_case *c = s->sc->c;
  stats->has_shares = true;
  stats->amount[o->grant_key] += c->measure == LOOM_PUBLISHED_CREDITS ? o->grant_size : 1;
  if (s->grants >= c->skip && s->grants < c->skip + c->grant_count &&
      c->grant[s->grants - c->skip] != o->grant_vl)
    complain(s, "VL", s->grants, c->grant[s->grants - c->skip], o->grant_vl);
  check_selection(s, o, probe);
  if (!s->grants)
    s->first_cycle = cycle;
  s->last_cycle = cycle;
  s->grants++;
}

bool sched_shares_ok(const struct scenario *sc, const struct stats *stats, char *why, size_t size) {
  const struct loom_published_case *c = sc->c;
  double sum = 0;
  uint64_t ppm = 0;
  for (uint32_t i = 0; i < c->share_count; i++) {
    double want = c->share[i].ppm / 1e4, got = stats_share(stats, c->share[i].id);
    sum += got;
    ppm += c->share[i].ppm;
    if (fabs(got - want) > c->tolerance_ppm / 1e4) {
      snprintf(why, size, "share of key %u: %.4f %%, must be %.4f +- %.4f", c->share[i].id, got,
               want, c->tolerance_ppm / 1e4);
      return false;
    }
  }
  /* A list of all shares (they may be rounded) leaves nothing for other keys. */
  if (ppm + 1000 > 1000000 && fabs(sum - 100.0) > 1e-6) {
    snprintf(why, size, "keys without a share were served: %.4f %%", 100.0 - sum);
    return false;
  }
  return true;
}

/* A saturated scheduler grants every second cycle: all but those that may decide for nothing. */
static bool pace_ok(const struct sched_state *s, char *why, size_t size) {
  const struct loom_published *f = &s->sc->published;
  bool may_pass =
      f->scheduler == LOOM_PUBLISHED_IBARB && s->sc->c->mode == LOOM_PUBLISHED_IBARB_DEFICIT;
  if (may_pass || s->polite || s->grants < 2 ||
      s->last_cycle - s->first_cycle == 2 * (s->grants - 1))
    return true;
  snprintf(why, size, "%" PRIu64 " grants in %" PRIu64 " cycles: not one every 2 cycles", s->grants,
           s->last_cycle - s->first_cycle);
  return false;
}

bool sched_verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  const struct sched_state *s = st;
  if (!s->sc)
    return true;
  const struct loom_published_case *c = s->sc->c;
  if (s->wrong[0]) {
    snprintf(why, why_size, "%s", s->wrong);
    return false;
  }
  if (s->grants < c->skip + c->grant_count ||
      s->selection < (s->kind->selection ? c->selection_count : 0)) {
    snprintf(why, why_size, "only %" PRIu64 " grants", s->grants);
    return false;
  }
  return sched_shares_ok(s->sc, stats, why, why_size) && pace_ok(s, why, why_size);
}

/* ---- searches -------------------------------------------------------------------------------- */

enum { HEADS = 3 }; /* nothing, size 1, size 2 */

uint32_t sched_bfs_heads(const void *cfg) {
  uint32_t n = 2;
  for (uint32_t v = 0; v < ((const sched_cfg *)cfg)->VLS; v++)
    n *= HEADS;
  return n;
}

void sched_bfs_head(const void *cfg, uint32_t i, sched_in *in) {
  const sched_cfg *c = cfg;
  in->request = i & 1;
  i >>= 1;
  for (uint32_t v = 0; v < c->VLS; v++, i /= HEADS) {
    in->head_valid |= (uint64_t)(i % HEADS > 0) << v;
    in->head_size[v] = i % HEADS;
    in->head_sl[v] = v % c->KEYS;
    in->credits[v] = loom_mask(c->CREDIT_W);
  }
}
