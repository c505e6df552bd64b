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
  struct loom_output_choice_out (*show)(const struct loom_output_choice *s);
  void (*step)(struct loom_output_choice *s, const struct loom_lone_grant_out *lone,
               const struct loom_output_choice_in *in);
  bool (*is_calm)(const struct loom_output_choice *s);
};

/* The parameters that all of them and lone_grant have. */
#define COMMON(cfg)                                                                                \
  .VLS = (cfg)->vls, .KEYS = (cfg)->keys, .ARB_KEY = (cfg)->arb_key, .MGMT_VL = (cfg)->mgmt_vl,    \
  .SIZE_W = SIZE_W

/* The scheduler `name`, which is `place` in the union: `entries` are the keys that its `out` says
 * to have an entry, `own_in` is an input of its own, `...` are parameters of its own. */
#define SCHEDULER(name, place, entries, own_in, ...)                                               \
  static struct loom_##name##_cfg name##_cfg(const struct loom_output_choice_cfg *cfg) {           \
    return (struct loom_##name##_cfg){COMMON(cfg), .STAY_CYCLES = STAY_CYCLES, __VA_ARGS__};       \
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
  static struct loom_output_choice_out name##_show(const struct loom_output_choice *s) {           \
    struct loom_##name##_out out;                                                                  \
    loom_##name##_show(&s->scheduler.place, &out);                                                 \
    return (struct loom_output_choice_out){                                                        \
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
  static void name##_step(struct loom_output_choice *s, const struct loom_lone_grant_out *lone,    \
                          const struct loom_output_choice_in *in) {                                \
    const struct loom_##name##_in i = {.request = lone->sched_request,                             \
                                       .ready = lone->sched_ready,                                 \
                                       .head_valid = lone->sched_head_valid,                       \
                                       .head_vl = lone->sched_head_vl,                             \
                                       .head_size = lone->sched_head_size,                         \
                                       .head_sl = lone->sched_head_sl,                             \
                                       .table_we = in->table_we,                                   \
                                       .table_addr = in->table_addr,                               \
                                       .table_data = in->table_data,                               \
                                       own_in};                                                    \
    struct loom_##name##_out out;                                                                  \
    loom_##name##_step(&s->scheduler.place, &i, &out);                                             \
  }                                                                                                \
  static bool name##_is_calm(const struct loom_output_choice *s) {                                 \
    return loom_##name##_is_calm(&s->scheduler.place);                                             \
  }

#define ALL_KEYS UINT32_MAX /* of one without entries */
#define NONE
SCHEDULER(round_robin, turns, ALL_KEYS, NONE, NONE)
SCHEDULER(bandwidth_table, bandwidth, ALL_KEYS, NONE, NONE)
SCHEDULER(deficit_table, deficit, out.served, .head_last = lone->sched_head_last,
          .ENTRIES = cfg->entries, .IB_WEIGHTS = 0)
SCHEDULER(two_table, two, out.served, NONE, .N_HIGH = cfg->n_high, .N_LOW = cfg->n_low)
SCHEDULER(deficit_round_robin, quanta, ALL_KEYS, NONE, NONE)
SCHEDULER(fair_queueing, fair, ALL_KEYS, NONE, NONE)

#define FUNCTIONS(name)                                                                            \
  { name##_cfg_ok, name##_init, name##_show, name##_step, name##_is_calm }

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
  s->shows = schedulers[s->sched].show(s);
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

/* Messages are kept together by deficit_table alone. */
static struct loom_lone_grant_in lone_in(const struct loom_output_choice *s,
                                         const struct loom_output_choice_in *in) {
  const struct loom_output_choice_out *shown = &s->shows;
  return (struct loom_lone_grant_in){
      .request = in->request,
      .ready = in->ready,
      .head_valid = in->head_valid,
      .head_vl = in->head_vl,
      .head_size = in->head_size,
      .head_sl = in->head_sl,
      .head_last = in->head_last || s->sched != LOOM_OUTPUT_DEFICIT_TABLE,
      .sched_served = shown->served,
      .sched_grant_valid = shown->passed.valid,
      .sched_grant_vl = shown->passed.vl,
      .sched_grant_key = shown->passed.key,
      .sched_grant_size = shown->passed.size,
  };
}

/* Counts the cycles in which nothing happened. */
static void count_still(struct loom_output_choice *s, const struct loom_output_choice_in *in) {
  bool same = in->request == s->request && in->ready == s->ready && in->table_addr == s->table_addr;
  bool comes = !same || in->head_valid || in->table_we;
  if (comes || !loom_lone_grant_is_calm(&s->lone) || !schedulers[s->sched].is_calm(s))
    s->still = 0;
  else if (s->still < s->stays)
    s->still++;
  s->request = in->request;
  s->ready = in->ready;
  s->table_addr = in->table_addr;
}

void loom_output_choice_edge(struct loom_output_choice *s, const struct loom_output_choice_in *in) {
  count_still(s, in);
  if (loom_output_choice_rests(s)) {
    loom_output_choice_skip(s, 1);
    return;
  }
  const struct loom_lone_grant_in lone = lone_in(s, in);
  struct loom_lone_grant_out out;
  loom_lone_grant_step(&s->lone, &lone, &out);
  schedulers[s->sched].step(s, &out, in);
  show(s);
}

/* An edge that changes nothing will be followed by others like it, if the inputs stay. */
uint32_t loom_output_choice_edge_to_rest(struct loom_output_choice *s,
                                         const struct loom_output_choice_in *in) {
  if (s->still % TRY != TRY - 1) {
    loom_output_choice_edge(s, in);
    return 0;
  }
  unsigned char before[sizeof *s]; /* by byte: a difference in padding costs one more edge */
  const uint8_t still = s->still;
  memcpy(before, s, sizeof before);
  loom_output_choice_edge(s, in);
  if (s->still != still + 1)
    return 0;
  s->still = still;
  bool same = !memcmp((const unsigned char *)s, before, sizeof before);
  s->still++;
  if (!same)
    return 0;
  uint32_t early = (uint32_t)s->stays - s->still;
  s->still = s->stays;
  return early;
}

void loom_output_choice_skip(struct loom_output_choice *s, uint64_t cycles) {
  if (s->sched == LOOM_OUTPUT_BANDWIDTH_TABLE)
    loom_bandwidth_table_skip(&s->scheduler.bandwidth, cycles);
}
