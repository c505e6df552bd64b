/* SPDX-License-Identifier: Apache-2.0 */
/* dtable.h - arithmetic of DTable's configuration (T-4.3.3.2, 4.3.3.3; DT-05..09), exact
 *
 * Flows ask for a share phi of the link and a largest distance between their entries in the table;
 * out come the table in ruler order, the entry weights, and their correction. All numbers are whole
 * or scaled whole numbers: phi in units of 10^-9, k and w in tenths, weights, GMTU and MTU in
 * credits of 64 bytes.
 */
#ifndef LOOM_QOS_DTABLE_H
#define LOOM_QOS_DTABLE_H

#include <stdint.h>

enum {
  LOOM_DTABLE_ENTRIES = 128,    /* entries at most */
  LOOM_DTABLE_FLOWS = 32,       /* flows at most: one for each SL */
  LOOM_DTABLE_CREDITS = 255,    /* largest weight of an entry, largest GMTU */
  LOOM_DTABLE_TENTHS = 2559,    /* largest k and w, in tenths */
  LOOM_DTABLE_PHI = 1000000000, /* phi = 1 */
};

struct loom_dtable_flow {
  uint8_t sl;
  uint32_t phi;      /* 1..LOOM_DTABLE_PHI */
  uint32_t distance; /* power of two that divides the number of entries */
  uint32_t mtu;      /* 1..gmtu */
};

struct loom_dtable_config {
  uint32_t entries; /* N, 1..128 */
  uint32_t gmtu;    /* 1..255 */
  uint32_t k;       /* tenths, 1..2559; k <= w */
  uint32_t w;
  const struct loom_dtable_flow *flow;
  uint32_t flow_count; /* 1..32 */
};

/* What comes out for one flow; sums are over its entries. */
struct loom_dtable_row {
  uint32_t n;            /* its entries */
  uint32_t entry_weight; /* E.W.: pool * phi / n, rounded up */
  uint32_t before;       /* sum of weights before the correction */
  int32_t d;             /* correction of the sum */
  uint32_t after;        /* sum of weights after it */
  uint32_t low;          /* least and largest entry after it */
  uint32_t high;
};

struct loom_dtable_result {
  struct loom_dtable_row row[LOOM_DTABLE_FLOWS];
  uint8_t owner[LOOM_DTABLE_ENTRIES];   /* flow of the entry */
  uint32_t weight[LOOM_DTABLE_ENTRIES]; /* corrected */
  uint32_t before;                      /* sums of all weights */
  uint32_t after;
};

enum loom_dtable_status {
  LOOM_DTABLE_OK,
  LOOM_DTABLE_BAD_DISTANCE, /* of `flow`: not a power of two that divides the number of entries */
  LOOM_DTABLE_NO_ROOM,      /* the entries of `flow` do not fit */
  LOOM_DTABLE_FREE,         /* `value` entries belong to no flow */
  LOOM_DTABLE_PHI_SUM,      /* the shares sum to more than 1 */
  LOOM_DTABLE_NO_K,         /* no k gives `flow` a minphi below phi */
  LOOM_DTABLE_NO_W,         /* no w gives `flow` a maxphi above phi */
  LOOM_DTABLE_BELOW_MTU,    /* an entry of `flow` would have weight `value`, below its MTU */
  LOOM_DTABLE_TOO_HEAVY,    /* an entry of `flow` would have weight `value`, above 255 */
};

/* How something ended, and whom it concerns. */
struct loom_dtable_verdict {
  enum loom_dtable_status status;
  uint32_t flow;
  uint32_t value;
};

/* Which flow owns which entry (DT-05): flows by ascending distance, each at the first offset free
 * for it. For distances 2, 4, 8, ... this is the ruler: 0 mod 2, 1 mod 4, 3 mod 8, ... */
struct loom_dtable_verdict loom_dtable_layout(const struct loom_dtable_config *config,
                                              uint8_t owner[LOOM_DTABLE_ENTRIES]);

/* Finds k and w (DT-09): the least k of 0.1, 0.2, ... with minphi < phi for all flows, then the
 * least w from k on with maxphi > phi for all; both strictly. config->k and ->w are set. */
struct loom_dtable_verdict loom_dtable_search(struct loom_dtable_config *config);

/* Adds d to the weights of the flow's entries, one unit at a time from the end of the table, round
 * and round (DT-08). */
void loom_dtable_spread(uint32_t weight[], const uint8_t owner[], uint32_t entries, uint8_t flow,
                        int32_t d);

/* Layout, weights, correction and checks: DT-05, DT-07, DT-08. *result is whole only with
 * LOOM_DTABLE_OK. */
struct loom_dtable_verdict loom_dtable_solve(const struct loom_dtable_config *config,
                                             struct loom_dtable_result *result);

/* The share of the flow, in units of phi rounded half up, on a link that rounds weights up to whole
 * packets and forgets the rest, as InfiniBand's tables do (IB-05): all flows send packets of their
 * MTU. For a result that is whole. */
uint32_t loom_dtable_rounded_up(const struct loom_dtable_config *config,
                                const struct loom_dtable_result *result, uint32_t flow);

/* The bounds of phi for a flow of n entries, in units of 10^-digits, rounded half up (DT-07). */
uint64_t loom_dtable_min_phi(const struct loom_dtable_config *config, uint32_t flow,
                             unsigned digits);
uint64_t loom_dtable_max_phi(const struct loom_dtable_config *config, uint32_t flow,
                             unsigned digits);

#endif
