/* SPDX-License-Identifier: Apache-2.0 */
/* ready_traffic.h - the traffic that all schedulers share which take ready bits (docs/tables.md,
 * docs/turns.md): heads that come at once, late or never, or each so many cycles after the grant
 * before, ready bits that blink, tables that are written and read meanwhile; and what the pages
 * promise of each grant
 *
 * The structs of round_robin stand for those of every such scheduler, which begin alike; READY_SAME
 * checks that the lists agree.
 */
#ifndef LOOM_TB_READY_TRAFFIC_H
#define LOOM_TB_READY_TRAFFIC_H

#include "sched/round_robin.h"
#include "tb/cosim/case.h"
#include "tb/cosim/sched_traffic.h"

typedef struct loom_round_robin_in ready_in;
typedef struct loom_round_robin_out ready_out;
typedef struct loom_round_robin_cfg ready_cfg;

#define READY_SAME_OUT(name)                                                                       \
  _Static_assert(sizeof(struct loom_##name##_out) >= sizeof(ready_out) &&                          \
                     offsetof(struct loom_##name##_out, busy) == offsetof(ready_out, busy) &&      \
                     offsetof(struct loom_##name##_out, grant_size) ==                             \
                         offsetof(ready_out, grant_size) &&                                        \
                     offsetof(struct loom_##name##_cfg, SIZE_W) == offsetof(ready_cfg, SIZE_W),    \
                 "these schedulers have the same outputs")
#define READY_SAME(name)                                                                           \
  READY_SAME_OUT(name);                                                                            \
  _Static_assert(sizeof(struct loom_##name##_in) == sizeof(ready_in) &&                            \
                     offsetof(struct loom_##name##_in, table_data) ==                              \
                         offsetof(ready_in, table_data) &&                                         \
                     offsetof(struct loom_##name##_in, head_sl) == offsetof(ready_in, head_sl),    \
                 "these schedulers have the same inputs")

enum { READY_SEARCH_WRITES = 2 };

/* What makes one of these schedulers different from another, for the traffic. */
struct ready_kind {
  uint32_t apart;     /* cycles from grant to grant, at least */
  uint32_t gap;       /* cycles from a table write to the next that is taken */
  bool messages;      /* it has head_last_i */
  uint32_t bfs_depth; /* of searches */
  /* The writes that the tables begin with, and the n-th of them; NULL: there are no tables. */
  uint32_t (*loads)(const void *cfg);
  struct table_write (*load)(struct rng *rng, const void *cfg, uint32_t n);
  /* A write that means something, and an address worth reading. */
  struct table_write (*some_write)(struct rng *rng, const void *cfg);
  uint32_t (*some_address)(struct rng *rng);
  /* The writes of searches. */
  struct table_write search[READY_SEARCH_WRITES];
};

struct ready_lane {
  bool head, told; /* there is a packet; its head event has been */
  bool last;       /* it ends its message */
  uint32_t size, sl;
  uint64_t back; /* the first cycle in which its next head may be told */
};

struct ready_state {
  struct rng rng;
  const struct ready_kind *kind;
  const void *full_cfg;
  ready_cfg cfg; /* only what all have in common */
  struct ready_lane lane[LOOM_VLS];
  uint64_t blinking; /* lanes without room now */
  uint32_t loaded;   /* writes of the first tables that are done */
  uint32_t quiet;    /* cycles since the last table write */
  bool steady;       /* every lane always has a packet, and room */
  /* Phases; chances in 256. */
  uint32_t ask, arrive, prompt, blink, rewrite, longest, live_vls, many, eager;
  uint32_t away; /* cycles by which the next head of a lane is told later than it could be */
  uint64_t phase_end;
  /* What the circuit was told and has done (observe only). */
  uint32_t known_size[LOOM_VLS], known_key[LOOM_VLS];
  uint64_t ready[2];
  bool asked[2];
  uint64_t last_grant;
  bool granted;
  char wrong[128];
};

/* `cfg` begins with the parameters that all have; it must outlive `s`. */
void ready_init(struct ready_state *s, const struct ready_kind *kind, struct rng *rng,
                const void *cfg);
/* The inputs of a cycle; whether the head that it tells of is the last of its message. */
bool ready_next(struct ready_state *s, uint64_t cycle, const ready_out *out, ready_in *in);
void ready_observe(struct ready_state *s, uint64_t cycle, const ready_in *in, const ready_out *out,
                   struct stats *stats);
bool ready_check(const void *st, char *why, size_t why_size);
bool ready_verdict(const void *st, const struct stats *stats, char *why, size_t why_size);

/* Key and weight of an entry of a table, at random. */
uint32_t ready_some_entry(struct rng *rng, const void *cfg);
uint32_t ready_some_weight(struct rng *rng);

/* Searches, every path from reset up to a depth: two lanes, always a request; nothing, a head event
 * of either lane or one of the writes, each with the ready bits of all lanes that may have one, or
 * of none. */
struct ready_note {
  uint8_t known; /* lanes whose head event has been, and whose packet was not granted since */
};

uint32_t ready_bfs_inputs(const void *cfg);
void ready_bfs_input(const struct ready_kind *kind, uint32_t i, ready_in *in);
bool ready_bfs_legal(const void *note, ready_in *in);
void ready_bfs_after(void *note, const ready_in *in, const ready_out *out);

/* The functions of a stimulus file that every scheduler has with these inputs, and its `stim`. */
#define READY_STIM(kind)                                                                           \
  static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {        \
    (void)sc;                                                                                      \
    ready_init(st, &kind, rng, cfg);                                                               \
  }                                                                                                \
  static void next(void *st, uint64_t cycle, const void *out, void *in) {                          \
    (void)ready_next(st, cycle, out, in);                                                          \
  }                                                                                                \
  static void observe(void *st, uint64_t cycle, const void *in, const void *out,                   \
                      const void *probe, struct stats *stats) {                                    \
    (void)probe;                                                                                   \
    ready_observe(st, cycle, in, out, stats);                                                      \
  }                                                                                                \
  static uint32_t bfs_depth(const void *cfg) {                                                     \
    (void)cfg;                                                                                     \
    return (kind).bfs_depth;                                                                       \
  }                                                                                                \
  static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {                 \
    (void)cfg;                                                                                     \
    (void)twin;                                                                                    \
    ready_bfs_input(&kind, i, in);                                                                 \
    return true;                                                                                   \
  }                                                                                                \
  static bool bfs_legal(const void *cfg, const void *note, void *in) {                             \
    (void)cfg;                                                                                     \
    return ready_bfs_legal(note, in);                                                              \
  }                                                                                                \
  static void bfs_after(void *note, const void *in, const void *out) {                             \
    ready_bfs_after(note, in, out);                                                                \
  }                                                                                                \
  static const struct stim stim = READY_STIM_INIT

/* The struct itself, of functions with these names. */
#define READY_STIM_INIT                                                                            \
  {                                                                                                \
    .size = sizeof(struct ready_state), .episode = 20000, .init = init, .next = next,              \
    .observe = observe, .check = ready_check, .verdict = ready_verdict, .bfs_depth = bfs_depth,    \
    .bfs_inputs = ready_bfs_inputs, .bfs_input = bfs_input,                                        \
    .bfs_note_size = sizeof(struct ready_note), .bfs_legal = bfs_legal, .bfs_after = bfs_after     \
  }

#endif
