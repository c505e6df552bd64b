/* SPDX-License-Identifier: Apache-2.0 */
/* sched_traffic.h - the traffic that all schedulers share: they have one interface (docs/sched.md)
 *
 * The structs of sched_rr stand for those of every scheduler; SCHED_SAME checks that the lists
 * agree.
 */
#ifndef LOOM_TB_SCHED_TRAFFIC_H
#define LOOM_TB_SCHED_TRAFFIC_H

#include "sched/sched_rr.h"
#include "tb/cosim/case.h"

typedef struct loom_sched_rr_in sched_in;
typedef struct loom_sched_rr_out sched_out;
typedef struct loom_sched_rr_cfg sched_cfg;

#define SCHED_SAME(name)                                                                           \
  _Static_assert(                                                                                  \
      sizeof(struct loom_##name##_in) == sizeof(sched_in) &&                                       \
          sizeof(struct loom_##name##_out) == sizeof(sched_out) &&                                 \
          offsetof(struct loom_##name##_in, table_data) == offsetof(sched_in, table_data) &&       \
          offsetof(struct loom_##name##_in, credits) == offsetof(sched_in, credits) &&             \
          offsetof(struct loom_##name##_out, grant_size) == offsetof(sched_out, grant_size) &&     \
          offsetof(struct loom_##name##_cfg, CREDIT_W) == offsetof(sched_cfg, CREDIT_W),           \
      "the schedulers have one interface")

enum { SCHED_WRITES = 512 };

struct table_write {
  uint32_t addr, data;
};

/* What makes one scheduler different from another, for the traffic. */
struct sched_kind {
  enum loom_published_scheduler scheduler;
  /* A write that means something most of the time, and an address worth reading. */
  struct table_write (*some_write)(struct rng *rng, const void *cfg);
  uint32_t (*some_read)(struct rng *rng, const void *cfg);
  /* The whole table and the modes at random; returns the number of writes. */
  uint32_t (*whole_table)(struct rng *rng, const void *cfg, struct table_write *w);
  /* Probes acc, ptr and cur of sched_dtable, for the selections of a published; NULL: none. */
  void (*selection)(const void *probe, uint32_t *acc, uint32_t *ptr, uint32_t *cur);
};

extern const struct sched_kind sched_rr_kind, sched_sbt_kind, sched_dtable_kind, sched_ibarb_kind;

struct sched_state {
  struct rng rng;
  const struct sched_kind *kind;
  const void *full_cfg;
  sched_cfg cfg;
  const struct scenario *sc;
  struct table_write write[SCHED_WRITES];
  uint32_t writes, written;
  /* What stands at the head of each VL. */
  uint64_t valid;
  uint32_t size[32], sl[32], credits[32], left[32]; /* left: packets of a counted flow */
  const struct loom_published_flow *flow[32];
  uint32_t served[32]; /* packets of a flow that were granted */
  /* Phases of random traffic; chances in 256. */
  uint32_t ask, arrive, churn, starve, rewrite, longest, live_vls;
  bool polite; /* one request at a time, heads change in between: as sched_port does it */
  uint32_t wait;
  uint64_t phase_end;
  /* What the circuit has done (observe only). */
  uint64_t grants, first_cycle, last_cycle;
  uint32_t selection, packets;
  char wrong[128];
};

/* `packed` in a table entry. */
static inline uint32_t sched_entry(uint32_t key, uint32_t weight) { return key << 8 | weight; }

void sched_init(struct sched_state *s, const struct sched_kind *kind, struct rng *rng,
                const void *cfg, const struct scenario *sc);
void sched_next(void *st, uint64_t cycle, const void *out, void *in);
void sched_observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                   struct stats *stats);
bool sched_verdict(const void *st, const struct stats *stats, char *why, size_t why_size);

/* The writes that load the table of a published; shared with sched_port. Returns their number. */
uint32_t sched_table_writes(const struct scenario *sc, struct table_write *w);
/* Whether the shares are as the published table says. */
bool sched_shares_ok(const struct scenario *sc, const struct stats *stats, char *why, size_t size);

/* Searches: heads of every VL from nothing to size 2, with and without a request; then `extra`
 * table accesses. */
uint32_t sched_bfs_heads(const void *cfg);
void sched_bfs_head(const void *cfg, uint32_t i, sched_in *in);

#endif
