/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_traffic.h - ends around an elite5_router and the judge of its links (docs/elite5.md)
 *
 * As with the switches a run has three parts that know only the plan. The *plan* is drawn once
 * (elite5_plan.c, or a directed case, elite5_cases.c, elite5_loads.c): tables, limits, traffic.
 * The *ends* follow it: bring-up (elite5_link.c), a sender (elite5_sender.c) and
 * a receiver on every link (elite5_ends.c), the register bus (elite5_bus.c). The *judge*
 * (elite5_judge.c) looks at the links only.
 *
 * Both editions of the router have the same links and registers; what differs stands in the facts.
 *
 * What is not looked at on the way says where a packet comes from: `len` of its first word holds
 * the link of the sender, `len` and `ts` together the packet's number there. Everything after the
 * first word is a pattern made from the first.
 */
#ifndef LOOM_TB_ELITE5_TRAFFIC_H
#define LOOM_TB_ELITE5_TRAFFIC_H

#include "elite5/elite5_header.h"
#include "elite5/elite5_router.h"
#include "parts/prbs31_gen.h"

#include "tb/cosim/case.h"
#include "tb/ends/elite5_ports.h"

#include <loom/bits.h>
#include <loom/random.h>

typedef struct loom_elite5_router_in elite5_in;
typedef struct loom_elite5_router_out elite5_out;

enum {
  ELITE5_LINKS = 32,
  ELITE5_VCS = 32,
  ELITE5_DESTS = 16384, /* entries of the tables that the bench uses, at most */
  ELITE5_CLASSES = 1024,
  ELITE5_GROUPS = 256,
  ELITE5_WRITES = 20480,
  ELITE5_WORDS = LOOM_ELITE5_SEGMENT_WORDS,
  ELITE5_LONGEST = 523, /* words of a packet of 4 KB (E5-04) */
  ELITE5_SEGMENTS = 128,
  ELITE5_WHY = 200,
  ELITE5_TRAPS_KEPT = 64,
  ELITE5_EPISODE = 20000,
  ELITE5_TIME = 0x3FFF /* of a time stamp */
};

/* Counters of a link, in the order of their registers. */
enum elite5_counter {
  COUNT_WORDS_IN,
  COUNT_SEGMENTS_IN,
  COUNT_PACKETS_IN,
  COUNT_HEADER_ERRORS,
  COUNT_LINK_ERRORS,
  COUNT_NO_VC,
  COUNT_WORDS_OUT,
  COUNT_PACKETS_OUT,
  COUNT_ACKS,
  COUNT_NACKS,
  COUNT_OWN_NACKS,
  COUNT_REPLY_ERRORS,
  COUNT_TRAPS_LOST,
  COUNT_REMOVALS,
  COUNT_PASSED
};

/* Causes. */
enum elite5_trap {
  TRAP_NONE,
  TRAP_NO_ROUTE,
  TRAP_EXPIRED,
  TRAP_CLASS,
  TRAP_DOWN,
  TRAP_REMOVED,
  TRAP_IDENTITY,
  TRAP_TEST
};

/* Flags of LOOM_ELITE5_REG_LINK_CONTROL. */
enum { FLAG_ENABLE = 1, FLAG_QUICK = 2, FLAG_SINGLE = 4, FLAG_CHECK = 8 };

struct elite5_facts {
  uint32_t links, vcs, bvcs, pool;
  uint32_t dests, classes, groups;
  uint32_t unicast_vcs; /* the VCs from here on carry broadcasts */
  /* Cycles: header in to header out, of a broadcast, reply in to reply out, unloaded; a read to its
   * data; header in to the time that its age is taken from. */
  uint32_t header, broadcast, reply, answer, aged;
  bool one_test; /* one sequence of test words for all links, so one may begin in its middle */
};

/* ---- the plan -------------------------------------------------------------------------------- */

struct elite5_set {
  uint32_t mask;
  bool all;
};

struct elite5_tables {
  uint32_t dest_count, class_count, group_count, uplinks;
  uint16_t class_of[ELITE5_DESTS];
  struct elite5_set class[ELITE5_CLASSES];
  struct elite5_set group[ELITE5_GROUPS][2]; /* from below, from uplinks */
};

struct elite5_access {
  bool we, re;
  uint32_t addr, data;
};

/* A link as the plan has it; `alive`: its end is there at some time. */
struct elite5_cable {
  bool alive;
  uint32_t flags, expected; /* as the registers */
  uint32_t chip, number;    /* identity of the end */
  uint32_t protocol;        /* that it speaks */
  uint32_t bit_errors;      /* that it puts into its PRBS words */
  bool silent;              /* it has a signal but says nothing */
  bool polite;              /* it answers a negotiation with one before its identity */
  uint64_t start;           /* cycle of its signal */
  uint32_t vc_limit, cap;
};

enum elite5_pattern { PATTERN_TABLES, PATTERN_OTHERS, PATTERN_PARTNER };

struct elite5_traffic {
  enum elite5_pattern pattern; /* any dest or group; any other link; `partner` */
  uint8_t partner[ELITE5_LINKS];
  uint32_t shortest, longest; /* words of most packets */
  uint32_t odd;               /* chance in 256 of a packet of 1 to ELITE5_LONGEST words */
  double load;                /* words a cycle and link; 0: as much as it can */
  uint32_t vcs;               /* mask of the senders' VCs */
  uint32_t groups, conditionals, priorities, bad; /* chances in 256 */
  bool weave;       /* segments of many packets in turn, else a packet at a time */
  uint32_t gap;     /* chance in 256 of a cycle without a word in a segment */
  uint32_t corrupt; /* chance in 4096 of bit errors in a word with head */
  uint32_t budget;  /* words under way through a link, at most; 0: any number */
};

struct elite5_receiving {
  uint32_t nack;             /* chance in 256 */
  uint32_t soonest, longest; /* cycles from the tail to the reply */
};

struct elite5_plan {
  struct elite5_tables tables;
  struct elite5_access write[ELITE5_WRITES]; /* on the bus, in order */
  uint32_t writes;
  uint32_t mode, expire, prbs_words, protocol, chip;
  struct elite5_cable cable[ELITE5_LINKS];
  struct elite5_traffic traffic;
  struct elite5_receiving receiving;
  bool random;       /* phases; else traffic and receiving stay as they are */
  bool calm;         /* no link has trouble to come up */
  bool loose;        /* everything is rewritten while packets are on their way */
  bool rude;         /* the ends break the contract of the link */
  uint32_t faults;   /* chance in 65536 of a fault of a link in a cycle */
  uint32_t patience; /* cycles after which a link that is not up is enabled anew; 0: never */
  uint64_t start, quiet_from, sweep, end;  /* cycles; 0: never */
  uint32_t segments, segment_length, warm; /* parts of a run that are measured one by one */
};

/* Where the tables send a packet that came in at `link` on `vc`, or why nowhere. */
struct elite5_way {
  enum elite5_trap cause; /* TRAP_NONE: it goes on */
  struct elite5_set set;
};
struct elite5_way elite5_route(const struct elite5_facts *f, const struct elite5_tables *t,
                               uint32_t link, uint32_t vc, uint32_t type, uint32_t dest);

/* ---- the ends -------------------------------------------------------------------------------- */

enum elite5_end_state { END_OFF, END_TRAINING, END_UP };
enum elite5_saying { SAY_NEGOTIATE, SAY_IDENTITY, SAY_PRBS, SAY_READY };

struct elite5_end {
  enum elite5_end_state state;
  enum elite5_saying saying;
  bool saw_ready, dipped; /* the router said so; a signal was off in the last cycle */
  uint32_t prbs, prbs_words, prbs_left, errors_left; /* state of the sequence; words; bits */
  uint64_t changed;                                  /* cycle in which it came up or went down */
  uint64_t off_until, mute_until;
};

/* A packet on its VC. */
enum elite5_job_state { JOB_NONE, JOB_READY, JOB_OPEN, JOB_WAITING };

struct elite5_packet {
  uint8_t type, prio, vc;
  uint16_t dest, words;
  uint32_t links; /* mask of those that its words are counted on */
  bool once;      /* it is not sent again if it is not acknowledged */
  bool hopeless;  /* so it is with these: they can never be acknowledged */
  bool expired;   /* when it is sent for the first time */
};

struct elite5_job {
  enum elite5_job_state state;
  struct elite5_packet packet;
  uint16_t sent;
  uint32_t tries;
  uint64_t base, due; /* a retry waits until then */
};

struct elite5_sender {
  struct end_segments credit;
  uint32_t ready, open; /* masks of VCs by the state of their job */
  uint32_t busy;        /* mask of VCs with a job */
  uint32_t vc, left;    /* segment on the link: words to come */
  uint32_t turn, number;
  double at; /* cycle in which the next packet comes */
  struct elite5_packet next;
  bool has_next;
  struct elite5_job job[ELITE5_VCS];
};

struct elite5_receiver {
  uint32_t vc, words;  /* segment that arrives */
  uint32_t owed_mask;  /* VCs that are owed credits */
  uint32_t reply_mask; /* VCs that wait for their reply */
  uint32_t broken;     /* VCs whose packet was cut or has a void segment */
  uint8_t owed[ELITE5_VCS];
  uint64_t due[ELITE5_VCS], next_due;
  uint32_t give;
};

struct elite5_ends {
  struct rng rng;
  struct elite5_end end[ELITE5_LINKS];
  struct elite5_sender sender[ELITE5_LINKS];
  struct elite5_receiver receiver[ELITE5_LINKS];
  uint32_t alive;                                          /* mask of links that have an end */
  uint64_t outstanding;                                    /* packets that must be acknowledged */
  int32_t words_in[ELITE5_LINKS], words_out[ELITE5_LINKS]; /* under way */
  uint32_t written, swept;
  struct elite5_access queue[8 * ELITE5_LINKS]; /* for the bus, before anything drawn */
  uint32_t queued, queue_done;
  uint32_t bus; /* chance in 256 */
  uint64_t phase_end;
};

/* ---- the judge ------------------------------------------------------------------------------- */

/* A packet from its first word in to its reply. */
struct elite5_record {
  bool open, complete, cut; /* open: no reply yet; complete: its tail has come */
  bool sunk;                /* it must not come out */
  bool dead;                /* a link went down under it */
  enum elite5_trap cause;
  uint64_t head, base, born;
  struct elite5_set set;
  uint32_t words;                     /* accepted so far */
  uint64_t void_parts;                /* mask of segments that came with a bad header, */
  uint64_t void_sent;                 /* and of those that were void on the way already */
  uint32_t outs, left, acked, nacked; /* masks of links */
};

/* A VC of a link out. */
struct elite5_slot {
  bool busy, left, replied; /* left: its tail went by */
  uint8_t link, vc;         /* where its packet came in */
  bool last;                /* the segment says that it is the last one */
  uint32_t words;
};

struct elite5_judged {
  uint32_t in_vc, in_left; /* segment that comes in: words still to come */
  uint32_t out_vc, out_left;
  uint32_t credits_out[ELITE5_VCS]; /* segments in without a credit back */
  uint8_t far_used[ELITE5_VCS];     /* segment buffers of the far end */
  uint64_t last_down;               /* cycle + 1 in which the link was not up, */
  uint64_t fell;                    /* and in which it was no longer */
  uint32_t without_signal;          /* cycles so far */
  uint32_t count[LOOM_ELITE5_REG_LINK_PASSED - LOOM_ELITE5_REG_LINK_WORDS_IN + 1];
  struct elite5_slot slot[ELITE5_VCS];
};

struct elite5_measure {
  uint64_t cycles, words, silent, packets, latency;
};

struct elite5_judge {
  struct elite5_judged link[ELITE5_LINKS];
  struct elite5_record record[ELITE5_LINKS][ELITE5_VCS];
  struct elite5_measure measure[ELITE5_SEGMENTS];
  uint32_t up;                                /* of the last cycle */
  struct elite5_access bus[ELITE5_LINKS + 3]; /* accesses of the last cycles */
  uint64_t now, run_cycle;                    /* since reset; of the whole run */
  uint64_t packets, copies;
  uint64_t due, traps, lost; /* traps that must be seen; that were read; that were lost */
  bool went_down;            /* some link did, after it was up */
  uint32_t waiting;          /* records that are open */
  uint64_t progress;         /* cycle in which the last record was closed */
  uint32_t value[ELITE5_LINKS][LOOM_ELITE5_REG_LINK_PENDING + 1]; /* as last read */
  uint32_t trap[ELITE5_TRAPS_KEPT], trap_count;                   /* that were read */
  char wrong[ELITE5_WHY];
};

/* ---- a run ----------------------------------------------------------------------------------- */

struct elite5_state;

/* A directed case: its plan, what it does in a cycle before the ends send (`act`) and what it sees
 * on the circuit's links (`look`), whether all was as the page says (also writes a report). */
struct elite5_case {
  const char *name;
  void (*plan)(struct elite5_state *s);
  void (*act)(struct elite5_state *s, uint64_t cycle, elite5_in *i);
  void (*look)(struct elite5_state *s, uint64_t cycle, const elite5_in *i, const elite5_out *o);
  bool (*verdict)(const struct elite5_state *s, char *text, size_t size);
};

/* What `act` of a directed case keeps. */
struct elite5_script {
  uint32_t step, number;
  uint64_t at;
};

/* What `look` of a directed case keeps. */
struct elite5_seen {
  uint64_t since[ELITE5_LINKS]; /* cycle of the last first word in */
  uint64_t replied;             /* cycle of the last reply of an end */
  uint64_t count[64];
  uint32_t least, most;
};

struct elite5_state {
  struct elite5_facts facts;
  struct elite5_plan plan;
  struct elite5_ends ends;
  struct elite5_judge judge;
  struct elite5_script script;
  struct elite5_seen seen;
  const struct elite5_case *directed;
  uint64_t cycles; /* of a directed run */
};

extern const struct elite5_case elite5_cases[], elite5_loads[]; /* a NULL name ends each */

/* `facts` must be set. */
void elite5_init(struct elite5_state *s, struct rng *rng, const struct scenario *sc);
void elite5_next(struct elite5_state *s, uint64_t cycle, const elite5_out *o, elite5_in *i);
/* `up`: the probe. */
void elite5_observe(struct elite5_state *s, uint64_t cycle, const elite5_in *i, const elite5_out *o,
                    uint32_t up, struct stats *stats);
bool elite5_check(const void *st, char *why, size_t why_size);
bool elite5_verdict(const void *st, const struct stats *stats, char *why, size_t why_size);

/* ---- parts of the above, in files of their own ----------------------------------------------- */

void elite5_plan_random(struct elite5_state *s);
/* A mask of one link, a few, most, all, now and then none. */
uint32_t elite5_some_links(struct elite5_state *s);
/* A table for node n on link n, all links up with `quick`, ends that do everything at once. */
void elite5_plan_plain(struct elite5_state *s);
void elite5_plan_write(struct elite5_state *s, uint32_t addr, uint32_t data);
/* The writes of the tables and of the registers of the links; the last writes of a plan. */
void elite5_plan_tables(struct elite5_state *s);
void elite5_plan_links(struct elite5_state *s);
void elite5_new_phase(struct elite5_state *s, uint64_t cycle);

struct elite5_access elite5_bus(struct elite5_state *s, uint64_t cycle);
void elite5_bus_queue(struct elite5_state *s, uint32_t addr, uint32_t data);
/* Reads a register of every link. */
void elite5_bus_read_all(struct elite5_state *s, uint32_t at);
/* Reads as many traps as the fifo holds. */
void elite5_bus_read_traps(struct elite5_state *s);

/* What the end of a link makes of what it saw in the last cycle; true if it is up. */
bool elite5_link_look(struct elite5_state *s, uint32_t link, uint64_t cycle, const elite5_out *o);
/* What it drives while it is not. */
void elite5_link_train(struct elite5_state *s, uint32_t link, elite5_in *i);

void elite5_sender_init(struct elite5_state *s, uint32_t link);
/* What came back in the last cycle; the word of this one. */
void elite5_sender_look(struct elite5_state *s, uint32_t link, uint64_t cycle, const elite5_out *o);
void elite5_sender_drive(struct elite5_state *s, uint32_t link, uint64_t cycle, elite5_in *i);
/* The link went down, or comes up: packets under way are sent once more, credits are full. */
void elite5_sender_reset(struct elite5_state *s, uint32_t link, uint64_t cycle);
void elite5_receiver_reset(struct elite5_state *s, uint32_t link);
/* Puts a packet on its VC, which must have none, if the end is up. */
bool elite5_send(struct elite5_state *s, uint32_t link, const struct elite5_packet *p);

static inline bool elite5_judged(const struct elite5_plan *p) { return !p->loose && !p->rude; }

/* Address `at` in the window of a link or, with LOOM_ELITE5_REG_ALL_LINKS, of all of them. */
static inline uint32_t elite5_of_link(uint32_t link, uint32_t at) {
  return LOOM_ELITE5_REG_LINKS + LOOM_REG_WINDOW * link + at;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* What the words after the first are made from: the first without VC and CRC. */
static inline uint64_t elite5_base(uint64_t first) {
  return loom_scramble((first & ~(0x1full << 54) & ~0xffffull) + 0x9e3779b97f4a7c15u);
}

static inline uint64_t elite5_pattern(uint64_t base, uint32_t place) {
  return base + place * 0x9e3779b97f4a7c15u;
}

/* The first word of segment `place` / 32 > 0. */
static inline uint64_t elite5_continuation(uint64_t base, uint32_t place, uint32_t vc, bool last) {
  uint64_t x = loom_scramble(elite5_pattern(base, place));
  const struct loom_elite5_continuation h = {.type = last ? LOOM_ELITE5_LAST_CONTINUATION
                                                          : LOOM_ELITE5_CONTINUATION,
                                             .vc = (uint8_t)vc,
                                             .len = (uint8_t)(x >> 40),
                                             .payload = (uint32_t)x};
  return loom_elite5_pack_continuation(&h);
}

/* Link that sent the packet with this first word. */
static inline uint32_t elite5_source(uint64_t first) { return first >> 46 & 31; }

#endif
