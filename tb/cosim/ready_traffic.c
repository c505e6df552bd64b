/* SPDX-License-Identifier: Apache-2.0 */
/* ready_traffic.c - traffic for schedulers that take ready bits, see ready_traffic.h */
#include "tb/cosim/ready_traffic.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <string.h>

#include "sched/sched_table.h"

/* ---- driving --------------------------------------------------------------------------------- */

void ready_init(struct ready_state *s, const struct ready_kind *kind, struct rng *rng,
                const void *cfg) {
  s->rng = *rng;
  s->kind = kind;
  s->full_cfg = cfg;
  memcpy(&s->cfg, cfg, offsetof(ready_cfg, SIZE_W) + sizeof s->cfg.SIZE_W);
}

static void new_phase(struct ready_state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 64, 160, 240, 256};
  static const uint32_t longest[] = {1, 2, 8, 64, 1023};
  s->steady = rng_chance(&s->rng, 64);
  s->ask = s->steady ? 256 : chance[1 + rng_below(&s->rng, 5)];
  s->arrive = s->steady ? 256 : chance[rng_below(&s->rng, 6)];
  s->prompt = s->steady || rng_chance(&s->rng, 128) ? 256 : chance[1 + rng_below(&s->rng, 5)];
  s->blink = s->steady || rng_chance(&s->rng, 128) ? 0 : chance[rng_below(&s->rng, 4)];
  s->rewrite = s->steady || rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 5)];
  s->eager = rng_chance(&s->rng, 64) ? 64 : 0; /* writes while busy, which are ignored */
  s->longest = longest[rng_below(&s->rng, 5)];
  s->live_vls = rng_range(&s->rng, 1, s->cfg.VLS);
  s->many = !s->kind->messages || rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->away = rng_chance(&s->rng, 128) ? 0 : rng_below(&s->rng, 12);
  s->phase_end = cycle + rng_range(&s->rng, 20, 2000);
}

static void new_head(struct ready_state *s, uint32_t v) {
  struct ready_lane *l = &s->lane[v];
  uint32_t most = (uint32_t)loom_mask(s->cfg.SIZE_W), longest = loom_min(s->longest, most);
  bool goes_on = l->told && !l->last;
  l->head = true;
  l->told = false;
  l->size = rng_range(&s->rng, 1, longest);
  l->last = !rng_chance(&s->rng, s->many);
  if (goes_on)
    return;
  uint32_t sl = rng_chance(&s->rng, 220) ? v * 7 % 11 : rng_below(&s->rng, 32);
  l->sl = sl % s->cfg.KEYS;
  /* Some are never granted, so that their lane stands still until the next reset. */
  if (rng_below(&s->rng, 2000) == 0)
    l->size = 0;
  if (rng_below(&s->rng, 2000) == 0)
    l->sl = sl;
}

/* Returns whether the head that is told in this cycle is the last of its message. */
static bool heads(struct ready_state *s, uint64_t cycle, const ready_out *o, ready_in *i) {
  bool last = false;
  if (o->grant_valid) {
    s->lane[o->grant_vl].head = false;
    s->lane[o->grant_vl].back = cycle + s->away;
  }
  uint32_t start = rng_below(&s->rng, s->cfg.VLS);
  for (uint32_t n = 0; n < s->cfg.VLS; n++) {
    uint32_t v = (start + n) % s->cfg.VLS;
    struct ready_lane *l = &s->lane[v];
    uint32_t arrive = v < s->live_vls ? s->arrive : 0;
    if (l->told && !l->last) /* the output may wait for this one */
      arrive = loom_max(arrive, 64);
    if (!l->head && rng_chance(&s->rng, arrive))
      new_head(s, v);
    if (l->head && l->told) {
      i->ready |= 1ull << v;
    } else if (l->head && !i->head_valid && cycle >= l->back && rng_chance(&s->rng, s->prompt)) {
      i->head_valid = 1;
      i->head_vl = v;
      i->head_size = l->size;
      i->head_sl = l->sl;
      last = l->last;
      l->told = true;
    }
  }
  if (rng_chance(&s->rng, s->blink))
    s->blinking ^= 1ull << rng_below(&s->rng, s->cfg.VLS);
  if (!s->blink)
    s->blinking = 0;
  i->ready &= ~s->blinking;
  return last;
}

uint32_t ready_some_weight(struct rng *rng) {
  static const uint32_t weight[] = {1, 3, 16, 40, 130, 256};
  return rng_chance(rng, 40) ? 0 : rng_below(rng, weight[rng_below(rng, 6)]);
}

uint32_t ready_some_entry(struct rng *rng, const void *cfg) {
  const uint32_t keys = ((const ready_cfg *)cfg)->KEYS;
  uint32_t key = rng_below(rng, rng_chance(rng, 240) ? keys : 32);
  return LOOM_PUT(LOOM_ENTRY_KEY, key) | LOOM_PUT(LOOM_ENTRY_WEIGHT, ready_some_weight(rng));
}

static void put(ready_in *i, struct table_write w) {
  i->table_addr = w.addr;
  i->table_data = w.data;
}

static void table_access(struct ready_state *s, uint64_t cycle, const ready_out *o, ready_in *i) {
  const struct ready_kind *kind = s->kind;
  bool loading = kind->loads && s->loaded < kind->loads(s->full_cfg);
  /* `o` is of the cycle before: a write there makes this one busy. */
  bool free = cycle > 0 && !o->busy && s->quiet >= kind->gap;
  s->quiet++;
  i->table_addr = kind->some_address ? kind->some_address(&s->rng) : rng_below(&s->rng, 1024);
  i->table_data = rng_bits(&s->rng, 32, 128);
  if (free ? loading || rng_chance(&s->rng, s->rewrite) : rng_chance(&s->rng, s->eager)) {
    i->table_we = 1;
    if (free)
      s->quiet = 1;
    if (loading)
      put(i, kind->load(&s->rng, s->full_cfg, s->loaded));
    else if (kind->some_write && rng_chance(&s->rng, 240))
      put(i, kind->some_write(&s->rng, s->full_cfg));
    s->loaded += loading && free;
  }
}

bool ready_next(struct ready_state *s, uint64_t cycle, const ready_out *out, ready_in *in) {
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  bool last = heads(s, cycle, out, in);
  table_access(s, cycle, out, in);
  in->request = rng_chance(&s->rng, s->ask);
  return last;
}

/* ---- looking at the circuit ------------------------------------------------------------------ */

static void complain(struct ready_state *s, const char *what, uint64_t cycle, uint64_t vl) {
  if (!s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": VL %" PRIu64 " was granted %s", cycle,
             vl, what);
}

/* What the pages promise of each grant, without the twin. */
static void judge(struct ready_state *s, uint64_t cycle, const ready_out *o) {
  uint32_t size = s->known_size[o->grant_vl], key = s->known_key[o->grant_vl];
  if (!(s->ready[1] >> o->grant_vl & 1))
    complain(s, "and was not ready two cycles before", cycle, o->grant_vl);
  if (!s->asked[1])
    complain(s, "without a request two cycles before", cycle, o->grant_vl);
  if (o->grant_size != size || o->grant_key != key || !size)
    complain(s, "with another size or key", cycle, o->grant_vl);
  if (s->granted && cycle - s->last_grant < s->kind->apart)
    complain(s, "too soon after the last", cycle, o->grant_vl);
  s->granted = true;
  s->last_grant = cycle;
}

void ready_observe(struct ready_state *s, uint64_t cycle, const ready_in *in, const ready_out *out,
                   struct stats *stats) {
  if (out->grant_valid) {
    judge(s, cycle, out);
    struct packet_note n = {.cycle = cycle,
                            .vl = (uint32_t)out->grant_vl,
                            .dest = (uint32_t)out->grant_key,
                            .length = (uint32_t)out->grant_size};
    stats->grants++;
    stats->packets++;
    stats_note(stats, &n);
  }
  if (in->head_valid) {
    s->known_size[in->head_vl] = (uint32_t)in->head_size;
    s->known_key[in->head_vl] = (uint32_t)(s->cfg.ARB_KEY ? in->head_sl : in->head_vl);
  }
  s->ready[1] = s->ready[0];
  s->ready[0] = in->ready;
  s->asked[1] = s->asked[0];
  s->asked[0] = in->request;
}

bool ready_check(const void *st, char *why, size_t why_size) {
  const struct ready_state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

bool ready_verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  (void)stats;
  return ready_check(st, why, why_size);
}

/* ---- searches -------------------------------------------------------------------------------- */

enum { EVENTS = 2, ACTIONS = 1 + EVENTS + READY_SEARCH_WRITES };

uint32_t ready_bfs_inputs(const void *cfg) {
  (void)cfg;
  return 2 * ACTIONS;
}

void ready_bfs_input(const struct ready_kind *kind, uint32_t i, ready_in *in) {
  in->request = 1;
  in->ready = i & 1;
  uint32_t action = i / 2;
  if (action > EVENTS) {
    in->table_we = 1;
    put(in, kind->search[action - EVENTS - 1]);
  } else if (action) {
    in->head_valid = 1;
    in->head_vl = action - 1;
    in->head_sl = in->head_vl;
    in->head_size = 2 - in->head_vl;
  }
}

bool ready_bfs_legal(const void *note, ready_in *in) {
  const struct ready_note *n = note;
  in->ready = in->ready ? n->known : 0;
  return !(in->head_valid && n->known >> in->head_vl & 1);
}

void ready_bfs_after(void *note, const ready_in *in, const ready_out *out) {
  struct ready_note *n = note;
  if (in->head_valid)
    n->known |= (uint8_t)(1u << in->head_vl);
  if (out->grant_valid)
    n->known &= (uint8_t) ~(1u << out->grant_vl);
}
