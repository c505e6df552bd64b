/* SPDX-License-Identifier: Apache-2.0 */
/* sched_front.h - twin of loom_sched_front: what the four schedulers share (docs/sched.md; IB-02,
 * IB-04, DT-02, OP-18..20, SC-01)
 *
 * Holds the snapshot of the heads, the two phases, the management VL, the choice of the VL within a
 * key and the grant registers. A scheduler is this front, as its first member, and a policy.
 */
#ifndef LOOM_SCHED_FRONT_H
#define LOOM_SCHED_FRONT_H

#include <loom/bits.h>
#include <stdbool.h>
#include <stdint.h>

#include <loom/limits.h>

enum loom_sched_phase { LOOM_SCHED_SEARCH = 0, LOOM_SCHED_DECIDE = 1 };

/* Grants but those of the management VL, counted by whoever owns a scheduler: for who asks what the
 * tables decide. */
struct loom_sched_grants {
  uint64_t all;
  uint64_t contended; /* of these: more than one VL had a head that could go */
};

static inline void loom_sched_count(struct loom_sched_grants *g, uint32_t ready) {
  g->all++;
  g->contended += (ready & (ready - 1)) != 0;
}

/* Sizes in units of 64 bytes. */
struct loom_sched_front {
  uint32_t vls, keys, mgmt_vl;
  bool arb_key; /* a key is an SL, not a VL */

  uint32_t phase;
  bool mgmt; /* the DECIDE is for the management VL */

  /* The snapshot. */
  uint32_t elig; /* VLs that could send */
  uint16_t size[LOOM_VLS];
  uint8_t key[LOOM_VLS];
  /* Follows from it; the management VL stays out of both. */
  uint32_t active;            /* keys with an eligible VL */
  uint32_t vls_of[LOOM_KEYS]; /* eligible VLs of each key */

  uint8_t last_vl[LOOM_KEYS];

  /* Output registers. */
  bool grant_valid;
  uint32_t grant_vl, grant_key, grant_size;
  uint32_t table_rdata;
};

/* What makes a scheduler of a front. `f` is the first member of the scheduler's struct. */
struct loom_sched_policy {
  /* SEARCH with a request and no management packet: true to go on to DECIDE. */
  bool (*search)(struct loom_sched_front *f);
  /* DECIDE, not for the management VL: calls loom_sched_grant once or not at all. */
  void (*decide)(struct loom_sched_front *f);
  /* The edge of a table write, and the word at an address now. NULL: no tables. */
  void (*table_write)(struct loom_sched_front *f, uint32_t addr, uint32_t data);
  uint32_t (*table_read)(const struct loom_sched_front *f, uint32_t addr);
  /* A search that finds no active key would change nothing. NULL: always so. */
  bool (*settled)(const struct loom_sched_front *f);
};

/* The inputs that all schedulers have. */
struct loom_sched_inputs {
  bool request;
  uint32_t head_valid;
  const uint64_t *head_size, *head_sl, *credits; /* a lane each VL */
  bool table_we;
  uint32_t table_addr, table_data;
};

/* State after reset. */
void loom_sched_front_init(struct loom_sched_front *f, uint32_t vls, uint32_t keys, bool arb_key,
                           uint32_t mgmt_vl);

/* The edge of phase and grant registers. Returns true if the snapshot keeps its values at this
 * edge: a SEARCH goes on to DECIDE. To be followed by the edges of tables and snapshot. */
bool loom_sched_phase_edge(struct loom_sched_front *f, const struct loom_sched_policy *policy,
                           bool request);

/* The snapshot of one VL takes new values (IB-04, DT-02f, OP-20). */
void loom_sched_snap(struct loom_sched_front *f, uint32_t vl, bool valid, uint32_t size,
                     uint32_t sl, uint32_t credits);

/* One whole edge, for a scheduler that stands alone. */
void loom_sched_edge(struct loom_sched_front *f, const struct loom_sched_policy *policy,
                     const struct loom_sched_inputs *in);

/* Loads the grant registers for a policy: the packet at the head of vl. */
void loom_sched_grant(struct loom_sched_front *f, uint32_t vl);

/* ---- for policies: the snapshot -------------------------------------------------------------- */

static inline bool loom_sched_is_active(const struct loom_sched_front *f, uint32_t key) {
  return f->active >> key & 1;
}

/* Eligible VLs without the management VL. */
static inline uint32_t loom_sched_data_vls(const struct loom_sched_front *f) {
  return f->mgmt_vl < f->vls ? f->elig & ~(1u << f->mgmt_vl) : f->elig;
}

/* choose(key): the next VL of an active key in turn. */
static inline uint32_t loom_sched_choose(const struct loom_sched_front *f, uint32_t key) {
  return loom_ctz_from(f->vls_of[key], f->last_vl[key] + 1u);
}

/* keep(key): the VL in use of an active key, or the next in turn when that has nothing to send. */
static inline uint32_t loom_sched_keep(const struct loom_sched_front *f, uint32_t key) {
  return loom_ctz_from(f->vls_of[key], f->last_vl[key]);
}

/* ---- for the devices: step and probe of their own struct types ------------------------------- */

#define LOOM_SCHED_INPUTS(in)                                                                      \
  (&(const struct loom_sched_inputs){.request = (in)->request != 0,                                \
                                     .head_valid = (uint32_t)(in)->head_valid,                     \
                                     .head_size = (in)->head_size,                                 \
                                     .head_sl = (in)->head_sl,                                     \
                                     .credits = (in)->credits,                                     \
                                     .table_we = (in)->table_we != 0,                              \
                                     .table_addr = (uint32_t)(in)->table_addr,                     \
                                     .table_data = (uint32_t)(in)->table_data})

#define LOOM_SCHED_SHOW(f, out)                                                                    \
  do {                                                                                             \
    (out)->table_rdata = (f)->table_rdata;                                                         \
    (out)->grant_valid = (f)->grant_valid;                                                         \
    (out)->grant_vl = (f)->grant_vl;                                                               \
    (out)->grant_key = (f)->grant_key;                                                             \
    (out)->grant_size = (f)->grant_size;                                                           \
  } while (0)

#define LOOM_SCHED_PROBE(f, p)                                                                     \
  do {                                                                                             \
    (p)->phase = (f)->phase;                                                                       \
    (p)->mgmt = (f)->mgmt;                                                                         \
    (p)->loom_end = 0;                                                                             \
  } while (0)

/* KEYS >= VLS when the VL is the key. */
#define LOOM_SCHED_KEYS_OK(cfg) ((cfg)->ARB_KEY || (cfg)->KEYS >= (cfg)->VLS)

#endif
