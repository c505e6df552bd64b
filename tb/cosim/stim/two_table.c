/* SPDX-License-Identifier: Apache-2.0 */
/* two_table.c - traffic for two_table: heads that come at once, late or never, or each so many
 * cycles after the grant before, ready bits that blink, a limit of either table, modes and entries
 * that are written and read meanwhile */
/* two_table.c - traffic for two_table: that of ready_traffic.h, with a limit of either table, modes
 * and entries that are written and read meanwhile */
#include "sched/two_table.h"

#define DUT_NAME two_table
#define DUT_LIST "sched/two_table.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

typedef struct loom_two_table_cfg two_table_cfg;

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
static uint32_t loads(const void *cfg) {
  const two_table_cfg *c = cfg;
  return c->N_HIGH + c->N_LOW;
}

/* The entries that both tables begin with: high first, then low. */
static struct table_write load(struct rng *rng, const void *cfg, uint32_t n) {
  const two_table_cfg *c = cfg;
  uint32_t addr = n < c->N_HIGH ? LOOM_IBARB_REG_HIGH + n : LOOM_IBARB_REG_LOW + n - c->N_HIGH;
  return (struct table_write){addr, ready_some_entry(rng, cfg)};
}

/* Seldom the limit or the mode, else some entry. */
static struct table_write some_write(struct rng *rng, const void *cfg) {
  const two_table_cfg *c = cfg;
  uint32_t what = rng_below(rng, 16);
  bool low = rng_chance(rng, 128);
  struct table_write w;
  if (what > 1) {
    w.addr = low ? LOOM_IBARB_REG_LOW + rng_below(rng, c->N_LOW)
                 : LOOM_IBARB_REG_HIGH + rng_below(rng, c->N_HIGH);
    w.data = ready_some_entry(rng, cfg);
  } else if (what) {
    w.addr = LOOM_IBARB_REG_LIMIT;
    w.data = rng_chance(rng, 64) ? 255 : rng_below(rng, 3);
  } else {
    w.addr = LOOM_IBARB_REG_MODE;
    w.data = rng_below(rng, 4);
  }
  return w;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_two_table_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  heads(s, cycle, out, i);
  table_access(s, cycle, out, i);
  i->request = rng_chance(&s->rng, s->ask);
/* Any register, and often one beyond a table. */
static uint32_t some_address(struct rng *rng) {
  static const uint32_t base[] = {LOOM_IBARB_REG_HIGH, LOOM_IBARB_REG_HIGH + 32, LOOM_IBARB_REG_LOW,
                                  LOOM_IBARB_REG_LOW + 32, LOOM_IBARB_REG_LIMIT};
  uint32_t b = base[rng_below(rng, 5)];
  return rng_chance(rng, 32) ? rng_below(rng, 1024)
                             : b + rng_below(rng, b == LOOM_IBARB_REG_LIMIT ? 7 : 40);
}

/* In searches a write of either entry; the first grant is in cycle 18. */
static const struct ready_kind kind = {
    .apart = 5,
    .gap = 4,
    .bfs_depth = 26,
    .loads = loads,
    .load = load,
    .some_write = some_write,
    .some_address = some_address,
    .search = {{LOOM_IBARB_REG_HIGH, 0x003}, {LOOM_IBARB_REG_LOW, 0x101}}};

READY_STIM(kind);
const struct dut two_table_dut = DUT_INIT(&stim);
