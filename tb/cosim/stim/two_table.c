/* SPDX-License-Identifier: Apache-2.0 */
/* two_table.c - traffic for two_table: heads that come at once, late or never, or each so many
 * cycles after the grant before, ready bits that blink, a limit of either table, modes and entries
 * that are written and read meanwhile */
#include "sched/two_table.h"

#include <inttypes.h>

#define DUT_NAME two_table
#define DUT_LIST "sched/two_table.def"
#include "tb/cosim/dut.h"

enum { APART = 5 }; /* cycles from grant to grant, at least */

struct lane {
  bool head, told; /* there is a packet; its head event has been */
  uint32_t size, sl;
  uint64_t back; /* the first cycle in which its next head may be told */
};

/* What the circuit was told of a lane (observe only). */
struct told {
  uint32_t size, key;
};

struct state {
  struct rng rng;
  struct loom_two_table_cfg cfg;
  struct lane lane[LOOM_VLS];
  uint64_t blinking; /* lanes without room now */
  uint32_t loaded;   /* entries of the first tables that are written */
  uint32_t quiet;    /* cycles since the last table write */
  bool steady;       /* every lane always has a packet, and room */
  /* Phases; chances in 256. */
  uint32_t ask, arrive, prompt, blink, rewrite, longest, live_vls, eager;
  uint32_t away; /* cycles by which the next head of a lane is told later than it could be */
  uint64_t phase_end;
  /* What the circuit has done (observe only). */
  struct told known[LOOM_VLS];
  uint64_t ready[2];
  bool asked[2];
  uint64_t last_grant;
  bool granted;
  char wrong[128];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_two_table_cfg *)cfg;
}

static void new_phase(struct state *s, uint64_t cycle) {
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
  s->away = rng_chance(&s->rng, 128) ? 0 : rng_below(&s->rng, 12);
  s->phase_end = cycle + rng_range(&s->rng, 20, 2000);
}

static void new_head(struct state *s, uint32_t v) {
  struct lane *l = &s->lane[v];
  uint32_t most = (uint32_t)loom_mask(s->cfg.SIZE_W), longest = loom_min(s->longest, most);
  l->head = true;
  l->told = false;
  l->size = rng_range(&s->rng, 1, longest);
  uint32_t sl = rng_chance(&s->rng, 220) ? v * 7 % 11 : rng_below(&s->rng, 32);
  l->sl = sl % s->cfg.KEYS;
  /* Some are never granted, so that their lane stands still until the next reset. */
  if (rng_below(&s->rng, 2000) == 0)
    l->size = 0;
  if (rng_below(&s->rng, 2000) == 0)
    l->sl = sl;
}

static void heads(struct state *s, uint64_t cycle, const struct loom_two_table_out *o,
                  struct loom_two_table_in *i) {
  if (o->grant_valid) {
    s->lane[o->grant_vl].head = false;
    s->lane[o->grant_vl].back = cycle + s->away;
  }
  uint32_t start = rng_below(&s->rng, s->cfg.VLS);
  for (uint32_t n = 0; n < s->cfg.VLS; n++) {
    uint32_t v = (start + n) % s->cfg.VLS;
    struct lane *l = &s->lane[v];
    uint32_t arrive = v < s->live_vls ? s->arrive : 0;
    if (!l->head && rng_chance(&s->rng, arrive))
      new_head(s, v);
    if (l->head && l->told) {
      i->ready |= 1ull << v;
    } else if (l->head && !i->head_valid && cycle >= l->back && rng_chance(&s->rng, s->prompt)) {
      i->head_valid = 1;
      i->head_vl = v;
      i->head_size = l->size;
      i->head_sl = l->sl;
      l->told = true;
    }
  }
  if (rng_chance(&s->rng, s->blink))
    s->blinking ^= 1ull << rng_below(&s->rng, s->cfg.VLS);
  if (!s->blink)
    s->blinking = 0;
  i->ready &= ~s->blinking;
}

static uint32_t some_entry(struct state *s) {
  static const uint32_t weight[] = {1, 3, 16, 40, 130, 256};
  uint32_t key = rng_below(&s->rng, rng_chance(&s->rng, 240) ? s->cfg.KEYS : 32);
  uint32_t w = rng_chance(&s->rng, 40) ? 0 : rng_below(&s->rng, weight[rng_below(&s->rng, 6)]);
  return LOOM_PUT(LOOM_ENTRY_KEY, key) | LOOM_PUT(LOOM_ENTRY_WEIGHT, w);
}

/* A register that is written: seldom the limit or the mode, else some entry. */
static void some_write(struct state *s, struct loom_two_table_in *i) {
  uint32_t what = rng_below(&s->rng, 16);
  bool low = rng_chance(&s->rng, 128);
  if (what > 1) {
    i->table_addr = low ? LOOM_IBARB_REG_LOW + rng_below(&s->rng, s->cfg.N_LOW)
                        : LOOM_IBARB_REG_HIGH + rng_below(&s->rng, s->cfg.N_HIGH);
    i->table_data = some_entry(s);
  } else if (what) {
    i->table_addr = LOOM_IBARB_REG_LIMIT;
    i->table_data = rng_chance(&s->rng, 64) ? 255 : rng_below(&s->rng, 3);
  } else {
    i->table_addr = LOOM_IBARB_REG_MODE;
    i->table_data = rng_below(&s->rng, 4);
  }
}

/* Any register, and often one beyond a table. */
static uint32_t some_address(struct state *s) {
  static const uint32_t base[] = {LOOM_IBARB_REG_HIGH, LOOM_IBARB_REG_HIGH + 32, LOOM_IBARB_REG_LOW,
                                  LOOM_IBARB_REG_LOW + 32, LOOM_IBARB_REG_LIMIT};
  uint32_t b = base[rng_below(&s->rng, 5)];
  return rng_chance(&s->rng, 32) ? rng_below(&s->rng, 1024)
                                 : b + rng_below(&s->rng, b == LOOM_IBARB_REG_LIMIT ? 7 : 40);
}

/* The entries that both tables begin with: high first, then low. */
static uint32_t loading_address(const struct state *s) {
  return s->loaded < s->cfg.N_HIGH ? LOOM_IBARB_REG_HIGH + s->loaded
                                   : LOOM_IBARB_REG_LOW + s->loaded - s->cfg.N_HIGH;
}

static void table_access(struct state *s, uint64_t cycle, const struct loom_two_table_out *o,
                         struct loom_two_table_in *i) {
  bool loading = s->loaded < s->cfg.N_HIGH + s->cfg.N_LOW;
  /* `o` is of the cycle before: a write there makes this one busy. */
  bool free = cycle > 0 && !o->busy && s->quiet > 3;
  s->quiet++;
  i->table_addr = some_address(s);
  i->table_data = rng_bits(&s->rng, 32, 128);
  if (free ? loading || rng_chance(&s->rng, s->rewrite) : rng_chance(&s->rng, s->eager)) {
    i->table_we = 1;
    if (free)
      s->quiet = 1;
    if (loading) {
      i->table_addr = loading_address(s);
      i->table_data = some_entry(s);
    } else if (rng_chance(&s->rng, 240)) {
      some_write(s, i);
    }
    s->loaded += loading && free;
  }
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_two_table_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  heads(s, cycle, out, i);
  table_access(s, cycle, out, i);
  i->request = rng_chance(&s->rng, s->ask);
}

static void complain(struct state *s, const char *what, uint64_t cycle, uint64_t vl) {
  if (!s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": VL %" PRIu64 " was granted %s", cycle,
             vl, what);
}

/* What the page promises of each grant, without the twin. */
static void judge(struct state *s, uint64_t cycle, const struct loom_two_table_out *o) {
  const struct told *t = &s->known[o->grant_vl];
  if (!(s->ready[1] >> o->grant_vl & 1))
    complain(s, "and was not ready two cycles before", cycle, o->grant_vl);
  if (!s->asked[1])
    complain(s, "without a request two cycles before", cycle, o->grant_vl);
  if (o->grant_size != t->size || o->grant_key != t->key || !t->size)
    complain(s, "with another size or key", cycle, o->grant_vl);
  if (s->granted && cycle - s->last_grant < APART)
    complain(s, "too soon after the last", cycle, o->grant_vl);
  s->granted = true;
  s->last_grant = cycle;
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  struct state *s = st;
  const struct loom_two_table_in *i = in;
  const struct loom_two_table_out *o = out;
  (void)probe;
  if (o->grant_valid) {
    judge(s, cycle, o);
    struct packet_note n = {.cycle = cycle,
                            .vl = (uint32_t)o->grant_vl,
                            .dest = (uint32_t)o->grant_key,
                            .length = (uint32_t)o->grant_size};
    stats->grants++;
    stats->packets++;
    stats_note(stats, &n);
  }
  if (i->head_valid)
    s->known[i->head_vl] =
        (struct told){(uint32_t)i->head_size, (uint32_t)(s->cfg.ARB_KEY ? i->head_sl : i->head_vl)};
  s->ready[1] = s->ready[0];
  s->ready[0] = i->ready;
  s->asked[1] = s->asked[0];
  s->asked[0] = i->request;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

static bool verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  (void)stats;
  return check(st, why, why_size);
}

/* ---- searches: every path from reset up to a depth ------------------------------------------- */

/* Two lanes, always a request; nothing, a head event of either lane or a write of either entry,
 * each with the ready bits of all lanes that may have one, or of none. The first grant is in cycle
 * 18. */
enum { DEPTH = 26, EVENTS = 2, WRITES = 2, ACTIONS = 1 + EVENTS + WRITES };

/* Lanes whose head event has been, and whose packet was not granted since. */
struct note {
  uint8_t known;
};

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return 2 * ACTIONS;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  static const uint32_t write[WRITES][2] = {{LOOM_IBARB_REG_HIGH, 0x003},
                                            {LOOM_IBARB_REG_LOW, 0x101}};
  struct loom_two_table_in *g = in;
  (void)cfg;
  (void)twin;
  g->request = 1;
  g->ready = i & 1;
  uint32_t action = i / 2;
  if (action > EVENTS) {
    g->table_we = 1;
    g->table_addr = write[action - EVENTS - 1][0];
    g->table_data = write[action - EVENTS - 1][1];
  } else if (action) {
    g->head_valid = 1;
    g->head_vl = action - 1;
    g->head_sl = g->head_vl;
    g->head_size = 2 - g->head_vl;
  }
  return true;
}

static bool bfs_legal(const void *cfg, const void *note, void *in) {
  const struct note *n = note;
  struct loom_two_table_in *g = in;
  (void)cfg;
  g->ready = g->ready ? n->known : 0;
  return !(g->head_valid && n->known >> g->head_vl & 1);
}

static void bfs_after(void *note, const void *in, const void *out) {
  struct note *n = note;
  const struct loom_two_table_in *g = in;
  const struct loom_two_table_out *o = out;
  if (g->head_valid)
    n->known |= (uint8_t)(1u << g->head_vl);
  if (o->grant_valid)
    n->known &= (uint8_t) ~(1u << o->grant_vl);
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check,
                                 .verdict = verdict,
                                 .bfs_depth = bfs_depth,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input,
                                 .bfs_note_size = sizeof(struct note),
                                 .bfs_legal = bfs_legal,
                                 .bfs_after = bfs_after};
const struct dut two_table_dut = DUT_INIT(&stim);
