/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_state.h - the state of the twin of the Elite5 router, second edition
 * (docs/crosspoint_router.md)
 *
 * Inside: crosspoint_router.
 *
 * Names are those of the page. What is one bit a link is a set of links, what is one bit a VC a
 * word. Stages through which words and draws move are rings, by the number of the cycle. */
#ifndef LOOM_ELITE5_CROSSPOINT_STATE_H
#define LOOM_ELITE5_CROSSPOINT_STATE_H

#include "elite5/elite5_lanes.h"
#include "elite5/elite5_link_rules.h"
#include "elite5/elite5_packet.h"
#include "elite5/elite5_settings.h"
#include "elite5/segment_store.h"
#include "parts/event_counters.h"
#include "parts/prbs31_gen.h"
#include "parts/rr_arbiter.h"

enum {
  LOOM_CROSSPOINT_FRONT = 8,         /* places of front's ring: stages 0 to W, and the link */
  LOOM_CROSSPOINT_WAY = 4,           /* from the crosspoint to the link */
  LOOM_CROSSPOINT_DRAWS = 128,       /* of `draw`: 2 LINKS are in use */
  LOOM_CROSSPOINT_BUS = 64,          /* accesses under way: LINKS + 3 */
  LOOM_CROSSPOINT_ANSWER_CYCLES = 3, /* from a read to its answer, and LINKS */
  LOOM_CROSSPOINT_INDEX_BITS = 3,    /* INDEX_W of the counters */
};

/* ---- front ----------------------------------------------------------------------------------- */

enum loom_crosspoint_kind {
  LOOM_CROSSPOINT_NOTHING,
  LOOM_CROSSPOINT_STRAY,
  LOOM_CROSSPOINT_BODY,
  LOOM_CROSSPOINT_HEAD
};

/* What a head is, by the rule that says so. */
enum loom_crosspoint_rule {
  LOOM_CROSSPOINT_NO_VC = 1,
  LOOM_CROSSPOINT_READY,
  LOOM_CROSSPOINT_UNEXPECTED,
  LOOM_CROSSPOINT_BEGINS,
  LOOM_CROSSPOINT_SINK,
  LOOM_CROSSPOINT_CONTINUATION,
  LOOM_CROSSPOINT_VOID,
};

/* The ways of a packet, on its way to its decision. */
struct loom_crosspoint_ways {
  loom_links live, mask;
  bool all;
  /* With PIPE >= 1 worked out in stage 3: */
  bool none;      /* cand is 0 */
  loom_links set; /* to pick from */
};

/* A traffic word. What a stage works out is there from the next one on. */
struct loom_crosspoint_word {
  uint64_t data;
  uint8_t vl;
  bool head, tail;
  /* Stage 1. */
  uint8_t kind;   /* enum loom_crosspoint_kind */
  bool ends, few; /* its segment; and it is at most the 8th word of it */
  bool crc_ok, ready, group, listed;
  uint16_t class_number, age;
  uint32_t entry; /* of the mask table */
  /* Stage 2. */
  bool known, expired;
  struct loom_crosspoint_ways ways;
  /* Stage V. */
  uint8_t rule;  /* enum loom_crosspoint_rule */
  uint8_t cause; /* of a packet that begins */
  bool alone;
  uint8_t target, ovc;
};

/* ---- input ----------------------------------------------------------------------------------- */

struct loom_crosspoint_vc {
  uint8_t state; /* enum loom_elite5_vc_state */
  uint8_t target, ovc;
  uint8_t count;
  uint8_t left;                 /* outputs of a broadcast whose reply is still to come */
  loom_links bmask, bset, todo; /* of a broadcast */
};

struct loom_crosspoint_request {
  bool valid, sink, is_new, once, small;
  uint8_t v, prio, ovc, age;
  loom_links outs, pool;
};

struct loom_crosspoint_retry {
  bool valid;
  uint8_t v;
  struct loom_crosspoint_ways ways;
};

struct loom_crosspoint_input {
  uint32_t in_state[LOOM_ELITE5_VC_STATES]; /* the VCs in each state */
  uint32_t open, retry, asks, passed, small, own, nacked;
  uint32_t prio[2]; /* bit 0 and bit 1 of each VC's priority */
  /* Front. */
  bool inside, skip, is_void; /* the last two: of cur */
  uint8_t words, cur_vc;
  struct loom_crosspoint_word word[LOOM_CROSSPOINT_FRONT];
  uint16_t looked_up[LOOM_CROSSPOINT_FRONT]; /* word of the dest table */
  /* Choice. */
  uint8_t last;
  uint64_t decided; /* the cycle after the last decision by rules 5 to 7 */
  struct {
    bool valid;
    uint8_t v;
  } again, pick;
  struct loom_crosspoint_retry retry_3, retry_w; /* in stages 3 and W */
  struct loom_rr_arbiter retrying, picking;      /* over VCs */
  struct loom_rr_arbiter offering;               /* over VCs of the class, for bsel */
  /* The second way. */
  uint32_t ready, top;
  uint8_t turn, losses;
  uint64_t turn_at; /* the cycle of `turn`: it goes on while the input rests */
  struct loom_crosspoint_request req;
  struct {
    bool valid, keep;
    uint8_t v;
  } take;
  bool opening;        /* take.v takes its ovc from the lock of its target in this cycle */
  loom_links interest; /* targets of VCs in WAIT or OPEN */
  uint32_t aimed[LOOM_ELITE5_LINKS]; /* VCs in WAIT or OPEN, by target */
  /* Reply. */
  struct {
    bool own;
    uint8_t output;
  } chosen;
  struct loom_rr_arbiter replying; /* over outputs and own NACKs */
  struct loom_crosspoint_vc vc[LOOM_ELITE5_VCS];
  struct loom_elite5_record record[LOOM_ELITE5_VCS];
};

/* ---- output ---------------------------------------------------------------------------------- */

struct loom_crosspoint_lock {
  uint8_t input, reader, v, w;
  bool fresh, small;
};

struct loom_crosspoint_back {
  uint8_t input, vc;
};

struct loom_crosspoint_output {
  uint32_t alloc, sent, replied;
  struct loom_crosspoint_back back[LOOM_ELITE5_VCS];
  struct loom_crosspoint_lock lock[3]; /* lock, lock_1, lock_2 */
  struct loom_rr_arbiter granting;     /* over inputs */
  /* Far. */
  uint8_t vc_limit, cap, renew, pool, next_vc;
  uint32_t bare, below;
  uint8_t used[LOOM_ELITE5_VCS];
  /* Reply. */
  struct {
    uint8_t reply, input, v; /* VC, and LOOM_ELITE5_REPLY_ACK */
  } due;
  uint8_t swallow; /* VC */
  uint8_t reply_head, reply_count;
  uint8_t reply[LOOM_ELITE5_VCS]; /* fifo: VC, and LOOM_ELITE5_REPLY_ACK */
};

/* ---- router ---------------------------------------------------------------------------------- */

/* All that there is once a link. */
struct loom_crosspoint_port {
  struct loom_crosspoint_input input;
  struct loom_crosspoint_output output;
  struct loom_elite5_link link;
  struct loom_event_counters counters;
  uint64_t counted; /* the cycle whose turn of the counters is next */
  struct loom_segment_store store;
};

struct loom_crosspoint_entry {
  loom_links mask;
  bool all;
};

struct loom_crosspoint_access {
  bool we, re;
  uint32_t addr, data;
};

/* Sets of links, or of inputs, or of outputs. */
struct loom_crosspoint_router {
  struct loom_elite5_size size;
  uint32_t vcs, unicast_vcs, pipe, hold, pool;
  uint32_t stage_1, stage_w; /* cycles from the link to them */
  loom_links all_links;
  uint32_t all_vcs, class_vcs;
  uint64_t ready_word; /* link control that may still come in UP */

  uint64_t now;       /* cycle */
  uint32_t time_base; /* time is now + time_base */

  /* Settings: registers, and as the units see them one cycle later. */
  struct loom_elite5_settings reg, set;
  uint32_t mode_was;     /* of the cycle before */
  uint64_t window_since; /* cycle in which wcount was 0 */
  bool over;
  struct loom_crosspoint_access bus[LOOM_CROSSPOINT_BUS]; /* by the cycle in which they came */
  uint32_t answer_word[LOOM_CROSSPOINT_BUS];              /* to them */
  uint64_t bus_busy; /* no access is under way from this cycle on */
  struct {
    bool valid;
    uint32_t addr, data;
  } table; /* a write that is in the copy of the bus, not yet in the tables of the inputs */

  /* Links. */
  loom_links up, down, failed, striving; /* striving: states 1..4 */
  loom_links fallen;                     /* UP in the last cycle, not in this one */
  loom_links enabled, erring;            /* erring: window_errors is not 0 */
  loom_links calm, calm_before;          /* calm_q, and that of the cycle before */
  loom_links drew;
  loom_links counting; /* counters are not at rest */
  struct loom_prbs31_gen gen;
  loom_links heard, told; /* of the last edge: in_signal_i and out_signal_o */

  /* Front. */
  loom_links traffic[LOOM_CROSSPOINT_FRONT];
  struct {
    loom_links valid, head;
    uint64_t data[LOOM_ELITE5_LINKS];
  } training[LOOM_CROSSPOINT_FRONT];
  loom_links inside, open, awake, stocked; /* stocked: empty_o of the store is 0 */
  loom_links not_idle, owns, bwaits;       /* some VC is */

  /* Order. */
  uint32_t value;                         /* of the lfsr */
  uint8_t draw[LOOM_CROSSPOINT_DRAWS];    /* by cycle */
  uint8_t pending[LOOM_ELITE5_LINKS];     /* of this cycle */
  uint8_t pending_was[LOOM_ELITE5_LINKS]; /* of the cycle before: what `less` knows */
  loom_links unordered;                   /* they differ */
  uint32_t threshold_was;
  loom_links under, light; /* under: pending < threshold */

  /* Outputs. */
  loom_links near, newvc, group_new, spare, wake, renewing; /* spare: pool < POOL */
  loom_links got, locked[3], allocated;
  loom_links changed; /* what newvc and group_new follow from has changed */
  loom_links cr_valid, rep_valid, rep_ack;
  uint8_t cr_vl[LOOM_ELITE5_LINKS], rep_vc[LOOM_ELITE5_LINKS];
  loom_links due, queued, swallows; /* due is valid; the fifo behind it has a word */
  loom_links chosens;               /* inputs whose chosen is valid */
  struct loom_elite5_words way[LOOM_CROSSPOINT_WAY]; /* by the cycle at whose end they leave */
  struct loom_elite5_returns back;                   /* in_rep_*_o; of credits only the set */

  /* Bsel. */
  struct {
    bool valid;
    uint8_t i, v;
    loom_links mask;
    bool all;
  } at, ask;
  struct {
    bool valid, sink, nacked;
    uint8_t i, v, w, left;
    loom_links live;
  } answer;
  bool answers; /* answer was valid when the cycle began */
  struct loom_rr_arbiter bsel_arbiter;

  /* Traps. */
  loom_links trapped, moved;
  struct loom_rr_arbiter trap_arbiter;
  uint32_t trap_head, trap_count;
  uint64_t trap[LOOM_ELITE5_TRAPS];

  struct loom_crosspoint_port *port; /* storage: a port a link, then the tables */
};

static inline struct loom_crosspoint_entry *
loom_crosspoint_masks(const struct loom_crosspoint_router *s) {
  return (struct loom_crosspoint_entry *)(void *)(s->port + s->size.links);
}

static inline uint16_t *loom_crosspoint_dests(const struct loom_crosspoint_router *s) {
  return (uint16_t *)(void *)(loom_crosspoint_masks(s) + s->size.classes + 2 * s->size.groups);
}

#endif
