/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_state.h - the state of the twin of the Elite5 router (docs/elite5.md)
 *
 * Inside: elite5_router.
 *
 * Work is found through sets of links, so that a cycle costs what happens in it; what counts every
 * cycle (time, phase, timers, quiet) follows from the number of the cycle. */
#ifndef LOOM_ELITE5_ELITE5_STATE_H
#define LOOM_ELITE5_ELITE5_STATE_H

#include "elite5/elite5_lanes.h"
#include "elite5/elite5_link_rules.h"
#include "elite5/elite5_packet.h"
#include "elite5/elite5_settings.h"
#include "elite5/segment_buffer.h"
#include "parts/prbs31_gen.h"
#include "parts/rr_arbiter.h"

/* ---- links ----------------------------------------------------------------------------------- */

/* The same counter of all links: plane k holds bit k of each, so that adding a set is quick. */
struct loom_elite5_counter {
  loom_links plane[32];
};

/* ---- input ----------------------------------------------------------------------------------- */

/* The VC for which an input decides in a cycle. */
struct loom_elite5_question {
  uint8_t vc;
  bool fresh, group, known;
};

struct loom_elite5_packet {
  uint8_t state; /* enum loom_elite5_vc_state */
  uint8_t target, ovc;
  uint8_t left;                 /* outputs of a broadcast whose reply is still to come */
  loom_links bmask, bset, todo; /* of a broadcast */
};

struct loom_elite5_input {
  uint32_t in_state[LOOM_ELITE5_VC_STATES]; /* the VCs in each state */
  uint32_t open, retry, passed, own, nacked;
  uint32_t prio[2]; /* bit 0 and bit 1 of each VC's priority */
  uint8_t cur_vc, cur_words;
  uint8_t last; /* link that was picked last */
  uint32_t random;
  struct loom_rr_arbiter ask, retrying; /* over VCs */
  struct loom_rr_arbiter offering;      /* over VCs of the broadcast class, for bsel */
  struct loom_rr_arbiter replying;      /* over outputs and own NACKs */
  loom_links interest;                  /* targets of VCs in WAIT or OPEN */
  uint32_t waits[LOOM_ELITE5_LINKS];    /* VCs in WAIT, by target */
  uint32_t opens[LOOM_ELITE5_LINKS];    /* VCs in OPEN, by target */
  struct loom_elite5_packet packet[LOOM_ELITE5_VCS];
  struct loom_elite5_record record[LOOM_ELITE5_VCS];
};

/* ---- output ---------------------------------------------------------------------------------- */

struct loom_elite5_back {
  uint8_t input, vc;
};

struct loom_elite5_output {
  uint32_t alloc, sent, replied;
  uint32_t ok;     /* VCs that can send a segment */
  uint32_t fresh;  /* unicast VCs that a packet can get; 0 while not UP */
  uint32_t capped; /* VCs with used >= cap */
  uint8_t vc_limit, cap;
  uint8_t reply_head, reply_count;
  struct loom_rr_arbiter ask; /* over inputs */
  loom_links passed;          /* inputs with a VC that was passed over at this output */
  struct loom_segment_units units;
  struct loom_elite5_back back[LOOM_ELITE5_VCS];
  uint8_t reply[LOOM_ELITE5_VCS]; /* fifo: VC, and LOOM_ELITE5_REPLY_ACK */
};

/* A reader that is done with the last word of a packet. */
struct loom_elite5_end {
  uint8_t input, vc;
  loom_links outs; /* none of a packet in SINK */
};

/* ---- router ---------------------------------------------------------------------------------- */

/* Cycles from the read of a word to the link, and the one in which it is read. */
enum { LOOM_ELITE5_STAGES = 4 };

struct loom_elite5_router {
  struct loom_elite5_size size;
  uint32_t vcs, unicast_vcs;
  loom_links all_links;
  uint32_t all_vcs;

  uint64_t now; /* cycle */
  /* Of the last edge, for who asks whether the router sleeps: in_signal_i and out_signal_o. */
  loom_links heard, told;
  uint64_t ready_word; /* link control that may still come in UP */

  /* Registers of the bus. */
  struct loom_elite5_settings set;
  uint32_t time_base;    /* time is now + time_base */
  uint64_t window_since; /* cycle in which the window counter was 0 */
  struct {
    bool we, re;
    uint32_t addr, wdata;
  } reg; /* the access, registered */
  struct loom_elite5_read {
    bool valid;
    uint32_t data;
  } read[2]; /* gathered, shown */

  /* Sets of links by their state. */
  loom_links up, down, failed, striving; /* striving: states 1..4 */
  loom_links fallen;                     /* UP in the last cycle, not in this one */
  loom_links enabled;
  loom_links calm;    /* in the last cycle */
  loom_links erring;  /* window_errors is not 0 */
  loom_links trapped; /* trap_q is full */
  /* Sets of inputs. */
  loom_links cur, cur_skip, cur_void; /* cur_q: active, and what becomes of its words */
  loom_links not_idle;                /* some VC is not IDLE */
  loom_links open;                    /* some packet is still arriving */
  loom_links retries;                 /* some VC has retry */
  loom_links owns;                    /* some own NACK */
  loom_links bwaits;                  /* some VC in BWAIT */
  loom_links deciding[2];             /* by the phase of the cycle */
  loom_links stocked;                 /* some segment is in the buffer */
  loom_links used;                    /* some slot is in use */
  loom_links releasing;               /* some slot is to be released */
  loom_links reading[2];              /* the reader is active */
  loom_links takes, keeps;            /* take in this cycle; keep */
  /* Sets of outputs. */
  loom_links locked, allocated;
  loom_links newvc, bfree, under; /* as the page says */
  loom_links replies;             /* the fifo of replies has a head */
  loom_links dirty;               /* something of the above has changed */

  struct {
    bool valid;
    uint8_t input, vc;
  } bsel;
  struct loom_rr_arbiter bsel_arbiter, trap_arbiter;
  uint32_t trap_head, trap_count;
  uint64_t trap[LOOM_ELITE5_TRAPS];

  struct loom_elite5_words word;       /* word_q */
  struct loom_elite5_words ctl;        /* ctl_q */
  struct loom_elite5_returns returned; /* cr_q and rep_q */
  struct loom_elite5_returns back;     /* output registers */
  /* Words on their way: place now + 3 is what is read now, place now what is on the links. */
  struct loom_elite5_words way[LOOM_ELITE5_STAGES];

  uint8_t take_vc[LOOM_ELITE5_LINKS];
  uint8_t lock_vc[LOOM_ELITE5_LINKS]; /* of a locked output */
  uint8_t pending[LOOM_ELITE5_LINKS];
  uint16_t looked_up[LOOM_ELITE5_LINKS]; /* word of the dest table for word_q */
  loom_links outs[2][LOOM_ELITE5_LINKS]; /* outputs that are locked to a reader */
  /* Of the cycle alone. */
  struct loom_elite5_end end[2 * LOOM_ELITE5_LINKS];
  uint8_t next_state[LOOM_ELITE5_LINKS]; /* of a link that changes its state */
  struct loom_elite5_question question[2][LOOM_ELITE5_LINKS];
  struct loom_elite5_counter counter[LOOM_ELITE5_COUNTERS];
  struct loom_elite5_input input[LOOM_ELITE5_LINKS];
  struct loom_elite5_output output[LOOM_ELITE5_LINKS];
  struct loom_elite5_link link[LOOM_ELITE5_LINKS];
  struct loom_prbs31_gen gen[LOOM_ELITE5_LINKS];
  loom_links mask[LOOM_ELITE5_MASKS];
  bool all[LOOM_ELITE5_MASKS];
  uint16_t dest[LOOM_ELITE5_DESTS];
  struct loom_segment_buffer buffer[LOOM_ELITE5_LINKS];
};

#endif
