/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_bench.h - a bench for the twins of elite5_router and of its second edition,
 * crosspoint_router: senders and far ends on every link, the register bus, and a log of what comes
 * out
 *
 * Tests queue packets of segments, run cycles, and then say what must have come out, word by word
 * with the cycle. A far end that is not told otherwise gives each credit back and answers ACK.
 * Whenever the router says that it could sleep, a copy does, beside one that does not; of the
 * second edition, which has more to copy, now and then.
 */
#ifndef LOOM_TB_UNIT_ELITE5_BENCH_H
#define LOOM_TB_UNIT_ELITE5_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elite5/crosspoint_router.h"
#include "elite5/elite5_header.h"
#include "elite5/elite5_router.h"

#include <loom/bits.h>
#include <loom/random.h>

enum {
  LINKS_MAX = 32,
  VCS_MAX = 32,
  SEGMENT = 32, /* words */
  LOG = 4096,
  QUEUE = 8192,
  LATENCY = 7,       /* header in to header out */
  REPLY_LATENCY = 3, /* reply in to reply out */
};

/* 8 links, 4 unicast VCs and 2 for broadcasts, 4 more slots a link. */
#define SMALL "LINKS=8 VCS=6 BVCS=2 POOL=4 DESTS=64 CLASSES=32 GROUPS=8"

/* The same parameters, for arithmetic in tests. */
enum { S_LINKS = 8, S_VCS = 6, S_UNICAST = 4, S_POOL = 4, S_DESTS = 64, S_CLASSES = 32 };

enum { COUNTERS = 15, ALL = LOOM_ELITE5_REG_ALL_LINKS }; /* ALL as link: a write goes to all */

/* Bits of a link's control register. */
enum {
  ENABLE = LOOM_ELITE5_ENABLE,
  QUICK = LOOM_ELITE5_QUICK,
  SINGLE = LOOM_ELITE5_SINGLE,
  CHECK = LOOM_ELITE5_CHECK
};

enum link_state { DOWN, NEGOTIATE, IDCHECK, PRBS, READY, UP, BADID, FAILED };

/* Causes of traps (E5-17). */
enum cause { UNKNOWN = 1, EXPIRED, WRONG_CLASS, LINK_DOWN, WINDOW_ERRORS, BAD_ID, FAILED_TEST };

/* A packet as its endpoint made it. */
struct elite5_packet {
  uint32_t type, prio, vc, dest, ts;
  uint32_t words; /* of all segments, with their headers */
  uint32_t tag;   /* makes its payload */
};

/* A word, a reply or a credit that came out. */
struct elite5_event {
  uint64_t cycle, data;
  uint32_t vc;
  bool head, tail, ack;
};

/* What came out of one link, and how much of it tests have looked at. */
struct elite5_log {
  uint32_t count, seen;
  struct elite5_event event[LOG];
};

struct elite5_word {
  uint64_t data;
  uint8_t vl;
  bool head, tail;
};

/* The sender on a link: words that wait. */
struct elite5_sender {
  uint32_t first, count;
  struct elite5_word word[QUEUE];
};

/* The other end of a link. */
struct elite5_far {
  uint32_t used[VCS_MAX]; /* segment buffers by VC, as the router sees them */
  uint32_t credits, replies;
  uint8_t credit[LOG], reply[LOG]; /* VCs whose turn comes */
  bool ack[LOG];
};

struct elite5_bench {
  struct loom_elite5_router_cfg cfg;
  struct loom_elite5_router *s;
  struct loom_crosspoint_router *x;           /* in its place: the second edition */
  struct loom_elite5_router *slept, *stepped; /* copies of it */
  struct loom_crosspoint_router *x_slept, *x_stepped;
  void *storage;
  void *x_storage[2]; /* of the copies */
  size_t x_bytes;     /* of storage */
  bool asleep;        /* the second edition, in the last cycle */
  uint32_t naps;      /* cycles in which its sleep was tried */
  /* Ports of the next cycle; of the last one, and the registers in it. */
  struct loom_elite5_router_in in;
  struct loom_elite5_router_out out;
  struct loom_elite5_router_probe probe;
  uint64_t cycle; /* the next one, from 0 */
  /* Moods, a bit a link. */
  uint64_t signal;   /* the other end is there */
  uint64_t readies;  /* sends READY all the time */
  uint64_t credits;  /* gives credits back, in the cycle after a header */
  uint64_t answers;  /* answers, in the cycle after a tail ... */
  uint64_t refuses;  /* ... with NACK */
  uint64_t unlogged; /* its words are not logged */
  struct elite5_sender sender[LINKS_MAX];
  struct elite5_far far[LINKS_MAX];
  struct elite5_log words[LINKS_MAX], replies[LINKS_MAX], freed[LINKS_MAX];
};

/* ---- opening --------------------------------------------------------------------------------- */

/* A router with the parameters "NAME=value NAME=value ...", after reset. */
struct elite5_bench *open_router(const char *params);
/* The same, and all links UP; destination d is of class d mod CLASSES, class k leads to link k (to
 * none if there is none), every group to nobody; logs empty. */
struct elite5_bench *open_up(const char *params);
/* Of SMALL. */
struct elite5_bench *open_small(void);
/* The same of the second edition, with this PIPE. */
struct elite5_bench *open_crosspoint(const char *params, uint32_t pipe);
struct elite5_bench *open_crosspoint_up(const char *params, uint32_t pipe);
void close_router(struct elite5_bench *b);
/* The second edition as it is now, in x_slept (0) or x_stepped (1). */
void copy_crosspoint(struct elite5_bench *b, uint32_t which);
/* Sets parameters in a configuration; fails on an unknown name. */
void set_router_params(struct loom_elite5_router_cfg *cfg, const char *params);

/* ---- running --------------------------------------------------------------------------------- */

void cycle(struct elite5_bench *b);
void cycles(struct elite5_bench *b, uint64_t n);
/* Up to and with cycle c. */
void cycle_to(struct elite5_bench *b, uint64_t c);

/* ---- links ----------------------------------------------------------------------------------- */

/* Brings these links up with `quick`: they get signal, and their far ends say READY until all are
 * UP. Logs are empty after it. */
void bring_up(struct elite5_bench *b, uint64_t links);
/* The other end is gone from the next cycle on: the link is not UP in the one after it. */
void unplug(struct elite5_bench *b, uint32_t link);
void forget_logs(struct elite5_bench *b);

/* ---- packets --------------------------------------------------------------------------------- */

/* A unicast packet of so many words on a VC; prio, ts and tag may be set after. */
struct elite5_packet unicast(uint32_t vc, uint32_t dest, uint32_t words);
struct elite5_packet broadcast(uint32_t vc, uint32_t group, uint32_t words);
struct elite5_packet conditional(uint32_t vc, uint32_t dest, uint32_t words);
/* Word i of it as it goes on this VC. */
uint64_t packet_word(const struct elite5_packet *p, uint32_t i, uint32_t vc);
/* Behind all that the sender of this link has; the cycle in which its first word is on the link. */
uint64_t send(struct elite5_bench *b, uint32_t link, struct elite5_packet p);
/* Its words from .. to - 1. */
uint64_t send_part(struct elite5_bench *b, uint32_t link, struct elite5_packet p, uint32_t from,
                   uint32_t to);
uint64_t send_word(struct elite5_bench *b, uint32_t link, bool head, bool tail, uint32_t vl,
                   uint64_t data);
uint64_t send_control(struct elite5_bench *b, uint32_t link, uint32_t sub, uint64_t info);
/* In the next cycle, from the far end of an output. */
void reply(struct elite5_bench *b, uint32_t link, uint32_t vc, bool ack);
void credit(struct elite5_bench *b, uint32_t link, uint32_t vc);

/* ---- what came out --------------------------------------------------------------------------- */

/* The next words of this link are those of the packet, on this VC, without a gap from this cycle
 * on. */
void expect_packet(struct elite5_bench *b, uint32_t link, struct elite5_packet p, uint32_t vc,
                   uint64_t at);
void expect_part(struct elite5_bench *b, uint32_t link, struct elite5_packet p, uint32_t from,
                 uint32_t to, uint32_t vc, uint64_t at);
void expect_word(struct elite5_bench *b, uint32_t link, bool head, bool tail, uint32_t vl,
                 uint64_t data, uint64_t at);
void expect_reply(struct elite5_bench *b, uint32_t link, uint32_t vc, bool ack, uint64_t at);
void expect_freed(struct elite5_bench *b, uint32_t link, uint32_t vc, uint64_t at);
/* The link's next reply, whenever it came. */
struct elite5_event next_reply(struct elite5_bench *b, uint32_t link);
struct elite5_event next_word(struct elite5_bench *b, uint32_t link);
/* Words and replies that nobody has looked at yet. */
uint32_t words_left(const struct elite5_bench *b, uint32_t link);
uint32_t replies_left(const struct elite5_bench *b, uint32_t link);
/* Nothing is left to look at but freed slots. */
void expect_nothing_else(struct elite5_bench *b);
/* Nothing is under way: no VC in use, all credits back, no trap. */
void expect_quiet(struct elite5_bench *b);

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t link_reg(uint32_t link, uint32_t a);
/* In the next cycle; it takes effect two cycles later. */
void put_reg(struct elite5_bench *b, uint32_t addr, uint32_t data);
/* The same, two cycles: it has taken effect; of the second edition as many as it takes. */
void write_reg(struct elite5_bench *b, uint32_t addr, uint32_t data);
/* Four cycles: the state in the second of them; of the second edition LINKS + 4, and the state when
 * the access comes to the register. */
uint32_t read_reg(struct elite5_bench *b, uint32_t addr);
void write_link(struct elite5_bench *b, uint32_t link, uint32_t a, uint32_t data);
uint32_t read_link(struct elite5_bench *b, uint32_t link, uint32_t a);
void set_class(struct elite5_bench *b, uint32_t k, uint32_t mask, bool all);
/* Entries for packets from below and from the uplinks. */
void set_group(struct elite5_bench *b, uint32_t group, uint32_t below_mask, bool below_all,
               uint32_t above_mask, bool above_all);
/* Reads the oldest trap: it must be this. */
void expect_trap(struct elite5_bench *b, enum cause cause, uint32_t link, uint32_t vc,
                 uint32_t dest, uint32_t ts);
void expect_no_trap(struct elite5_bench *b);
/* The counters of a link, all of them. */
void read_counters(struct elite5_bench *b, uint32_t link, uint32_t *counters);

#endif
