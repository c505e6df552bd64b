/* SPDX-License-Identifier: Apache-2.0 */
/* output_choice.c - the schedulers of rtl/switch/loom_output_unit.v, written from
 * docs/output_unit.md
 *
 * Inside: output_unit.
 */
#include "switch/output_choice.h"

#include <string.h>

enum { SIZE_W = 10 };
enum { STAY_CYCLES = 8, QUIET = 8 }; /* a lane is away for some cycles after each grant */
enum { TRY = 2 };                    /* cycles between two looks whether something changes */
enum { SETTLES = 16 };               /* no path through a scheduler has as many registers */

/* ---- the schedulers -------------------------------------------------------------------------- */

/* What is asked of each scheduler. */
struct scheduler {
  bool (*cfg_ok)(const struct loom_output_choice_cfg *cfg);
  void (*init)(struct loom_output_choice *s, const struct loom_output_choice_cfg *cfg);
  void (*show)(struct loom_output_choice *s);
  /* Gives whether something changed but counters, if that is known. */
  bool (*edge)(struct loom_output_choice *s, const struct loom_sched_cycle *in);
  bool (*is_calm)(const struct loom_output_choice *s);
};

/* The parameters that all of them and lone_grant have. */
#define COMMON(cfg)                                                                                \
  .VLS = (cfg)->vls, .KEYS = (cfg)->keys, .ARB_KEY = (cfg)->arb_key, .MGMT_VL = (cfg)->mgmt_vl,    \
  .SIZE_W = SIZE_W

/* The scheduler `name`, which is `place` in the union; `entries` are the keys that its `out` says
 * to have an entry, `...` are parameters of its own. */
#define SCHEDULER(name, place, entries, ...)                                                       \
  static struct loom_##name##_cfg name##_cfg(const struct loom_output_choice_cfg *cfg) {           \
    return (struct loom_##name##_cfg){COMMON(cfg), __VA_ARGS__};                                   \
  }                                                                                                \
  static bool name##_cfg_ok(const struct loom_output_choice_cfg *cfg) {                            \
    const struct loom_##name##_cfg own = name##_cfg(cfg);                                          \
    return loom_##name##_cfg_ok(&own);                                                             \
  }                                                                                                \
  static void name##_init(struct loom_output_choice *s,                                            \
                          const struct loom_output_choice_cfg *cfg) {                              \
    const struct loom_##name##_cfg own = name##_cfg(cfg);                                          \
    loom_##name##_init(&s->scheduler.place, &own);                                                 \
  }                                                                                                \
  static void name##_show(struct loom_output_choice *s) {                                          \
    struct loom_##name##_out out;                                                                  \
    loom_##name##_show(&s->scheduler.place, &out);                                                 \
    s->shows = (struct loom_output_choice_out){                                                    \
        .table_rdata = (uint32_t)out.table_rdata,                                                  \
        .busy = out.busy,                                                                          \
        .ready = out.ready,                                                                        \
        .served = (uint32_t)(entries),                                                             \
        .passed = {.valid = out.grant_valid,                                                       \
                   .vl = (uint8_t)out.grant_vl,                                                    \
                   .key = (uint8_t)out.grant_key,                                                  \
                   .size = (uint16_t)out.grant_size},                                              \
    };                                                                                             \
  }                                                                                                \
  static bool name##_edge(struct loom_output_choice *s, const struct loom_sched_cycle *in) {       \
    return loom_##name##_edge(&s->scheduler.place, in);                                            \
  }                                                                                                \
  static bool name##_is_calm(const struct loom_output_choice *s) {                                 \
    return loom_##name##_is_calm(&s->scheduler.place);                                             \
  }

#define ALL_KEYS UINT32_MAX /* of one without entries */
SCHEDULER(round_robin, turns, ALL_KEYS, .STAY_CYCLES = STAY_CYCLES)
SCHEDULER(bandwidth_table, bandwidth, ALL_KEYS, .STAY_CYCLES = STAY_CYCLES)
SCHEDULER(deficit_table, deficit, out.served, .STAY_CYCLES = STAY_CYCLES, .ENTRIES = cfg->entries)
SCHEDULER(two_table, two, out.served, .STAY_CYCLES = STAY_CYCLES, .N_HIGH = cfg->n_high,
          .N_LOW = cfg->n_low)
SCHEDULER(deficit_round_robin, quanta, ALL_KEYS, .STAY_CYCLES = STAY_CYCLES)
SCHEDULER(fair_queueing, fair, ALL_KEYS, .STAY_CYCLES = STAY_CYCLES)

#define FUNCTIONS(name)                                                                            \
  { name##_cfg_ok, name##_init, name##_show, name##_edge, name##_is_calm }

/* By parameter SCHED. */
static const struct scheduler schedulers[] = {
    [LOOM_OUTPUT_ROUND_ROBIN] = FUNCTIONS(round_robin),
    [LOOM_OUTPUT_BANDWIDTH_TABLE] = FUNCTIONS(bandwidth_table),
    [LOOM_OUTPUT_DEFICIT_TABLE] = FUNCTIONS(deficit_table),
    [LOOM_OUTPUT_TWO_TABLE] = FUNCTIONS(two_table),
    [LOOM_OUTPUT_DEFICIT_ROUND_ROBIN] = FUNCTIONS(deficit_round_robin),
    [LOOM_OUTPUT_FAIR_QUEUEING] = FUNCTIONS(fair_queueing),
};
enum { SCHEDULERS = sizeof schedulers / sizeof *schedulers };

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_lone_grant_cfg lone_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_lone_grant_cfg){COMMON(cfg), .QUIET = QUIET};
}

/* Whichever scheduler there is, the parameters of the others are legal, too. */
bool loom_output_choice_cfg_ok(const struct loom_output_choice_cfg *cfg) {
  const struct loom_lone_grant_cfg lone = lone_cfg(cfg);
  for (uint32_t i = 0; i < SCHEDULERS; i++)
    if (!schedulers[i].cfg_ok(cfg))
      return false;
  return loom_lone_grant_cfg_ok(&lone);
}

static void show(struct loom_output_choice *s) {
  schedulers[s->sched].show(s);
  s->shows.grant = loom_lone_grant_show(&s->lone, &s->shows.passed);
}

void loom_output_choice_init(struct loom_output_choice *s,
                             const struct loom_output_choice_cfg *cfg) {
  const struct loom_lone_grant_cfg lone = lone_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->sched = cfg->sched;
  s->stays = (uint8_t)(cfg->vls + SETTLES); /* bandwidth_table looks at one lane a cycle */
  loom_lone_grant_init(&s->lone, &lone);
  schedulers[s->sched].init(s, cfg);
  show(s);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* Counts the cycles in which nothing happened. Gives whether something comes. */
static bool count_still(struct loom_output_choice *s, const struct loom_sched_cycle *in) {
  bool same = in->request == s->request && in->ready == s->ready && in->table_addr == s->table_addr;
  bool comes = !same || in->head_valid || in->table_we;
  if (comes || s->counts || !loom_lone_grant_is_calm(&s->lone) || !schedulers[s->sched].is_calm(s))
    s->still = 0;
  else if (s->still < s->stays)
    s->still++;
  s->request = in->request;
  s->ready = in->ready;
  s->table_addr = in->table_addr;
  return comes;
}

/* Of deficit_table alone it is known that nothing changed but counters; then they may go on. */
static uint8_t counts_for(const struct loom_output_choice *s) {
  uint32_t most = s->lone.quiet ? s->lone.quiet : UINT8_MAX;
  bool calm =
      loom_lone_grant_is_calm(&s->lone) && loom_deficit_table_is_calm(&s->scheduler.deficit);
  return (uint8_t)(calm ? 0 : loom_deficit_table_counts(&s->scheduler.deficit, most));
}

/* Messages are kept together by deficit_table alone. Gives whether something changed, or may have,
 * but counters. */
static bool edge(struct loom_output_choice *s, const struct loom_sched_cycle *in) {
  const struct loom_lone_sched sched = {.served = s->shows.served, .grant = &s->shows.passed};
  struct loom_sched_cycle lone = *in, passed;
  lone.head_last = in->head_last || s->sched != LOOM_OUTPUT_DEFICIT_TABLE;
  bool moves = loom_lone_grant_edge(&s->lone, &lone, &sched, &passed);
  moves |= schedulers[s->sched].edge(s, &passed);
  s->counts = moves ? 0 : counts_for(s);
  show(s);
  return moves;
}

/* Gives whether something changed, or may have, but counters. */
static bool any_edge(struct loom_output_choice *s, const struct loom_sched_cycle *in) {
  bool comes = count_still(s, in);
  if (!loom_output_choice_rests(s) && (comes || !s->counts))
    return edge(s, in);
  loom_output_choice_skip(s, 1);
  return false;
}

void loom_output_choice_edge(struct loom_output_choice *s, const struct loom_sched_cycle *in) {
  any_edge(s, in);
}

/* Where it is not known whether an edge changes something: by byte, as a difference in padding
 * costs but one more edge. */
static bool changes(struct loom_output_choice *s, const struct loom_sched_cycle *in) {
  unsigned char before[sizeof *s];
  const uint8_t still = s->still;
  memcpy(before, s, sizeof before);
  loom_output_choice_edge(s, in);
  const uint8_t now = s->still;
  s->still = still;
  bool same = !memcmp((const unsigned char *)s, before, sizeof before);
  s->still = now;
  return !same;
}

/* An edge that changes nothing will be followed by others like it, if the inputs stay. */
uint32_t loom_output_choice_edge_to_rest(struct loom_output_choice *s,
                                         const struct loom_sched_cycle *in) {
  bool known = s->sched == LOOM_OUTPUT_DEFICIT_TABLE, tries = s->still % TRY == TRY - 1;
  const uint8_t still = s->still;
  bool moves = known || !tries ? any_edge(s, in) : changes(s, in);
  if (moves || s->still != still + 1)
    return 0;
  uint32_t early = (uint32_t)s->stays - s->still;
  s->still = s->stays;
  return early;
}

void loom_output_choice_skip(struct loom_output_choice *s, uint64_t cycles) {
  if (s->sched == LOOM_OUTPUT_BANDWIDTH_TABLE)
    loom_bandwidth_table_skip(&s->scheduler.bandwidth, cycles);
  if (!s->counts)
    return;
  loom_lone_grant_count(&s->lone, (uint32_t)cycles);
  loom_deficit_table_count(&s->scheduler.deficit, (uint32_t)cycles);
  s->counts = (uint8_t)(s->counts - cycles);
}
