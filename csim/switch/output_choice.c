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

/* ---- what is shown --------------------------------------------------------------------------- */

/* `served` follows: that of the scheduler, or every key if it has no entries. */
#define SHOWN(out, keys)                                                                           \
  (struct loom_output_choice_out) {                                                                \
    .table_rdata = (uint32_t)(out).table_rdata, .busy = (out).busy, .ready = (out).ready,          \
    .served = (uint32_t)(keys), .passed = {                                                        \
      .valid = (out).grant_valid,                                                                  \
      .vl = (uint8_t)(out).grant_vl,                                                               \
      .key = (uint8_t)(out).grant_key,                                                             \
      .size = (uint16_t)(out).grant_size                                                           \
    }                                                                                              \
  }

static struct loom_output_choice_out show_scheduler(const struct loom_output_choice *s) {
  switch (s->sched) {
  case LOOM_OUTPUT_ROUND_ROBIN: {
    struct loom_round_robin_out out;
    loom_round_robin_show(&s->scheduler.turns, &out);
    return SHOWN(out, UINT32_MAX);
  }
  case LOOM_OUTPUT_BANDWIDTH_TABLE: {
    struct loom_bandwidth_table_out out;
    loom_bandwidth_table_show(&s->scheduler.bandwidth, &out);
    return SHOWN(out, UINT32_MAX);
  }
  case LOOM_OUTPUT_DEFICIT_TABLE: {
    struct loom_deficit_table_out out;
    loom_deficit_table_show(&s->scheduler.deficit, &out);
    return SHOWN(out, out.served);
  }
  case LOOM_OUTPUT_DEFICIT_ROUND_ROBIN: {
    struct loom_deficit_round_robin_out out;
    loom_deficit_round_robin_show(&s->scheduler.quanta, &out);
    return SHOWN(out, UINT32_MAX);
  }
  case LOOM_OUTPUT_FAIR_QUEUEING: {
    struct loom_fair_queueing_out out;
    loom_fair_queueing_show(&s->scheduler.fair, &out);
    return SHOWN(out, UINT32_MAX);
  }
  default: {
    struct loom_two_table_out out;
    loom_two_table_show(&s->scheduler.two, &out);
    return SHOWN(out, out.served);
  }
  }
}

static void show(struct loom_output_choice *s) {
  s->shows = show_scheduler(s);
  s->shows.grant = loom_lone_grant_show(&s->lone, &s->shows.passed);
}

/* ---- init ------------------------------------------------------------------------------------ */

/* The parameters that all five schedulers have, and those by which they differ. */
#define SCHED_CFG(cfg, ...)                                                                        \
  {                                                                                                \
    .VLS = (cfg)->vls, .KEYS = (cfg)->keys, .ARB_KEY = (cfg)->arb_key, .MGMT_VL = (cfg)->mgmt_vl,  \
    .SIZE_W = SIZE_W, __VA_ARGS__                                                                  \
  }

static struct loom_lone_grant_cfg lone_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_lone_grant_cfg)SCHED_CFG(cfg, .QUIET = QUIET);
}

static struct loom_round_robin_cfg turns_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_round_robin_cfg)SCHED_CFG(cfg, .STAY_CYCLES = STAY_CYCLES);
}

static struct loom_bandwidth_table_cfg bandwidth_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_bandwidth_table_cfg)SCHED_CFG(cfg, .STAY_CYCLES = STAY_CYCLES);
}

static struct loom_deficit_table_cfg deficit_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_deficit_table_cfg)SCHED_CFG(cfg, .ENTRIES = cfg->entries, .IB_WEIGHTS = 0,
                                                  .STAY_CYCLES = STAY_CYCLES);
}

static struct loom_two_table_cfg two_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_two_table_cfg)SCHED_CFG(cfg, .N_HIGH = cfg->n_high, .N_LOW = cfg->n_low,
                                              .STAY_CYCLES = STAY_CYCLES);
}

static struct loom_deficit_round_robin_cfg quanta_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_deficit_round_robin_cfg)SCHED_CFG(cfg, .STAY_CYCLES = STAY_CYCLES);
}

static struct loom_fair_queueing_cfg fair_cfg(const struct loom_output_choice_cfg *cfg) {
  return (struct loom_fair_queueing_cfg)SCHED_CFG(cfg, .STAY_CYCLES = STAY_CYCLES);
}

/* Whichever scheduler there is, the parameters of the others are legal, too. */
bool loom_output_choice_cfg_ok(const struct loom_output_choice_cfg *cfg) {
  const struct loom_lone_grant_cfg lone = lone_cfg(cfg);
  const struct loom_round_robin_cfg turns = turns_cfg(cfg);
  const struct loom_bandwidth_table_cfg bandwidth = bandwidth_cfg(cfg);
  const struct loom_deficit_table_cfg deficit = deficit_cfg(cfg);
  const struct loom_two_table_cfg two = two_cfg(cfg);
  const struct loom_deficit_round_robin_cfg quanta = quanta_cfg(cfg);
  const struct loom_fair_queueing_cfg fair = fair_cfg(cfg);
  return loom_lone_grant_cfg_ok(&lone) && loom_round_robin_cfg_ok(&turns) &&
         loom_bandwidth_table_cfg_ok(&bandwidth) && loom_deficit_table_cfg_ok(&deficit) &&
         loom_two_table_cfg_ok(&two) && loom_deficit_round_robin_cfg_ok(&quanta) &&
         loom_fair_queueing_cfg_ok(&fair);
}

void loom_output_choice_init(struct loom_output_choice *s,
                             const struct loom_output_choice_cfg *cfg) {
  const struct loom_lone_grant_cfg lone = lone_cfg(cfg);
  const struct loom_round_robin_cfg turns = turns_cfg(cfg);
  const struct loom_bandwidth_table_cfg bandwidth = bandwidth_cfg(cfg);
  const struct loom_deficit_table_cfg deficit = deficit_cfg(cfg);
  const struct loom_two_table_cfg two = two_cfg(cfg);
  const struct loom_deficit_round_robin_cfg quanta = quanta_cfg(cfg);
  const struct loom_fair_queueing_cfg fair = fair_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->sched = cfg->sched;
  s->stays = (uint8_t)(cfg->vls + SETTLES); /* bandwidth_table looks at one lane a cycle */
  loom_lone_grant_init(&s->lone, &lone);
  switch (s->sched) {
  case LOOM_OUTPUT_ROUND_ROBIN:
    loom_round_robin_init(&s->scheduler.turns, &turns);
    break;
  case LOOM_OUTPUT_BANDWIDTH_TABLE:
    loom_bandwidth_table_init(&s->scheduler.bandwidth, &bandwidth);
    break;
  case LOOM_OUTPUT_DEFICIT_TABLE:
    loom_deficit_table_init(&s->scheduler.deficit, &deficit);
    break;
  case LOOM_OUTPUT_TWO_TABLE:
    loom_two_table_init(&s->scheduler.two, &two);
    break;
  case LOOM_OUTPUT_DEFICIT_ROUND_ROBIN:
    loom_deficit_round_robin_init(&s->scheduler.quanta, &quanta);
    break;
  case LOOM_OUTPUT_FAIR_QUEUEING:
    loom_fair_queueing_init(&s->scheduler.fair, &fair);
    break;
  }
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

/* What every scheduler is told. */
#define SCHED_IN(lone, in)                                                                         \
  {                                                                                                \
    .request = (lone)->sched_request, .ready = (lone)->sched_ready,                                \
    .head_valid = (lone)->sched_head_valid, .head_vl = (lone)->sched_head_vl,                      \
    .head_size = (lone)->sched_head_size, .head_sl = (lone)->sched_head_sl,                        \
    .table_we = (in)->table_we, .table_addr = (in)->table_addr, .table_data = (in)->table_data     \
  }

static void step_scheduler(struct loom_output_choice *s, const struct loom_lone_grant_out *lone,
                           const struct loom_output_choice_in *in) {
  switch (s->sched) {
  case LOOM_OUTPUT_ROUND_ROBIN: {
    const struct loom_round_robin_in i = SCHED_IN(lone, in);
    struct loom_round_robin_out out;
    loom_round_robin_step(&s->scheduler.turns, &i, &out);
    return;
  }
  case LOOM_OUTPUT_BANDWIDTH_TABLE: {
    const struct loom_bandwidth_table_in i = SCHED_IN(lone, in);
    struct loom_bandwidth_table_out out;
    loom_bandwidth_table_step(&s->scheduler.bandwidth, &i, &out);
    return;
  }
  case LOOM_OUTPUT_DEFICIT_TABLE: {
    struct loom_deficit_table_in i = SCHED_IN(lone, in);
    i.head_last = lone->sched_head_last;
    struct loom_deficit_table_out out;
    loom_deficit_table_step(&s->scheduler.deficit, &i, &out);
    return;
  }
  case LOOM_OUTPUT_TWO_TABLE: {
    const struct loom_two_table_in i = SCHED_IN(lone, in);
    struct loom_two_table_out out;
    loom_two_table_step(&s->scheduler.two, &i, &out);
    return;
  }
  case LOOM_OUTPUT_DEFICIT_ROUND_ROBIN: {
    const struct loom_deficit_round_robin_in i = SCHED_IN(lone, in);
    struct loom_deficit_round_robin_out out;
    loom_deficit_round_robin_step(&s->scheduler.quanta, &i, &out);
    return;
  }
  case LOOM_OUTPUT_FAIR_QUEUEING: {
    const struct loom_fair_queueing_in i = SCHED_IN(lone, in);
    struct loom_fair_queueing_out out;
    loom_fair_queueing_step(&s->scheduler.fair, &i, &out);
    return;
  }
  }
}

static bool scheduler_is_calm(const struct loom_output_choice *s) {
  switch (s->sched) {
  case LOOM_OUTPUT_ROUND_ROBIN:
    return loom_turns_is_calm(&s->scheduler.turns.turns);
  case LOOM_OUTPUT_BANDWIDTH_TABLE:
    return loom_bandwidth_table_is_calm(&s->scheduler.bandwidth);
  case LOOM_OUTPUT_DEFICIT_TABLE:
    return loom_deficit_table_is_calm(&s->scheduler.deficit);
  case LOOM_OUTPUT_DEFICIT_ROUND_ROBIN:
    return loom_deficit_round_robin_is_calm(&s->scheduler.quanta);
  case LOOM_OUTPUT_FAIR_QUEUEING:
    return loom_fair_queueing_is_calm(&s->scheduler.fair);
  default:
    return loom_two_table_is_calm(&s->scheduler.two);
  }
}

/* Counts the cycles in which nothing happened. */
static void count_still(struct loom_output_choice *s, const struct loom_output_choice_in *in) {
  bool same = in->request == s->request && in->ready == s->ready && in->table_addr == s->table_addr;
  bool comes = !same || in->head_valid || in->table_we;
  if (comes || !loom_lone_grant_is_calm(&s->lone) || !scheduler_is_calm(s))
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
  step_scheduler(s, &out, in);
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
