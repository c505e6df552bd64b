/* SPDX-License-Identifier: Apache-2.0 */
/* elan5.h - endpoint of an Elite5 fabric, like the adapter Elan5: put, get, queue write, event and
 * network conditional over links with ACK and NACK (docs/elan5.md; E5-03..05, E5-14, E5-15, E5-18,
 * E5-31)
 */
#ifndef LOOM_ELAN5_ELAN5_H
#define LOOM_ELAN5_ELAN5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elan5/elan5_packet.h"
#include "elan5/elan5_port.h"
#include "elan5/flow.h"
#include "elite5/elite5_header.h"
#include "parts/credit_tracker.h"
#include "parts/rr_arbiter.h"

enum {
  LOOM_ELAN5_LINKS = 4,
  LOOM_ELAN5_VCS = 32,
  LOOM_ELAN5_PACKET_SETS = LOOM_ELAN5_LINKS * LOOM_ELAN5_VCS / 64 + 1, /* words of 64 bits */
  LOOM_ELAN5_ANSWER_SET = LOOM_ELAN5_PACKET_SETS - 1, /* records for answers to gets only */
  LOOM_ELAN5_ANSWER_PACKETS = 8,
  LOOM_ELAN5_PACKETS = LOOM_ELAN5_ANSWER_SET * 64 + LOOM_ELAN5_ANSWER_PACKETS,
  LOOM_ELAN5_TRANSFERS = 64,
  LOOM_ELAN5_OWN_TRANSFERS = 48, /* of requests; the others answer gets */
  LOOM_ELAN5_EVENTS = 32,
  LOOM_ELAN5_MESSAGE = 232, /* bytes */
  LOOM_ELAN5_WINDOW = 64,   /* numbers that the duplicate filter tells apart */
  LOOM_ELAN5_STREAMS = 2,   /* of numbers: of requests, and of answers to gets */
  LOOM_ELAN5_PRIOS = 4,
  LOOM_ELAN5_NONE = 0xFF,
};

/* The same for all endpoints of a fabric, but for `links`. See docs/elan5.md. */
struct loom_elan5_cfg {
  uint32_t links;         /* 1..4 */
  uint32_t vcs;           /* 2..32 */
  uint32_t bvcs;          /* 0..8, < vcs */
  uint32_t pool;          /* 0..32 */
  uint32_t packet;        /* most bytes of data in a packet */
  uint32_t memory;        /* bytes */
  uint32_t nodes;         /* sources known */
  uint32_t queue;         /* messages */
  uint32_t write_latency; /* cycles, 0..65535 */
  uint32_t backoff;       /* a power of two */
  uint32_t timeout;       /* cycles; 0: never */
  uint32_t settle;        /* cycles */
};

/* Where a request goes. */
struct loom_elan5_target {
  uint16_t dest; /* node, or group (0..0x7FFF) */
  bool group;    /* to all members of a group */
  uint8_t prio;  /* 0..3 */
};

enum loom_elan5_result { LOOM_ELAN5_RUNNING, LOOM_ELAN5_DONE, LOOM_ELAN5_FAILED };

struct loom_elan5_message {
  uint32_t source;
  uint32_t bytes;
  uint8_t data[LOOM_ELAN5_MESSAGE];
};

/* What a request does. */
struct loom_elan5_transfer {
  struct loom_elan5_target to;
  uint8_t op;       /* enum loom_elan5_op */
  uint8_t tag;      /* of a get and its answer */
  bool inside;      /* the data are `word`, not memory */
  bool answered;    /* a get whose data are there */
  uint32_t bytes;   /* of data */
  uint32_t most;    /* bytes of data in a packet of it */
  uint32_t packets; /* that it takes */
  uint32_t begun;   /* packets that were begun */
  uint32_t acked;   /* and acknowledged */
  uint64_t remote;  /* address there */
  uint64_t local;   /* address here */
  uint64_t word[2];
};

enum loom_elan5_packet_state {
  LOOM_ELAN5_FREE,
  LOOM_ELAN5_UNDER_WAY, /* on a VC: being written, or waiting for its reply */
  LOOM_ELAN5_BACKING_OFF,
};

struct loom_elan5_packet {
  enum loom_elan5_packet_state state;
  uint8_t transfer;
  uint8_t link, vc;
  uint8_t refusals; /* in a row */
  bool once;
  uint32_t index;   /* in its transfer */
  uint32_t id;      /* {source 16, stream 1, number 15} */
  uint32_t bytes;   /* of data */
  uint32_t written; /* bytes of payload that are on the link */
  uint32_t crc;     /* of these */
  uint64_t trailer;
  uint64_t when; /* cycle in which it may go again, or in which it was begun */
};

/* A segment that is being written or collected. */
struct loom_elan5_segment {
  uint64_t word[LOOM_ELITE5_SEGMENT_WORDS];
  uint32_t words;
  uint32_t at; /* words that were written */
  uint8_t vc;
  bool last;   /* of its packet */
  bool active; /* more words to come */
};

struct loom_elan5_reply {
  uint64_t due; /* cycle in which it is decided */
  uint8_t vc;
  bool ack;
};

/* Replies in the order of their decision: at most one for each VC. */
struct loom_elan5_replies {
  struct loom_elan5_reply reply[LOOM_ELAN5_VCS];
  uint32_t first, count;
};

struct loom_elan5_sender {
  struct loom_credit_tracker credit;
  struct loom_rr_arbiter turn;
  uint32_t busy;  /* VCs with a packet without reply */
  uint32_t begun; /* of these, those whose packet is not written to its end */
  uint8_t packet[LOOM_ELAN5_VCS];
  struct loom_elan5_segment segment;
};

/* A packet that is coming in. */
struct loom_elan5_arrival {
  uint8_t type;
  bool bad;
  uint32_t bytes; /* of payload so far */
  uint32_t age;   /* cycles */
};

struct loom_elan5_receiver {
  uint32_t open;  /* VCs with a packet whose tail has not come */
  uint32_t owing; /* VCs whose reply was not sent */
  bool dropping;  /* the segment on the link is not wanted */
  uint64_t began; /* cycle of its head */
  struct loom_elan5_segment segment;
  struct loom_elan5_arrival arrival[LOOM_ELAN5_VCS];
  struct loom_elan5_replies early, late;
  uint32_t credit; /* VC + 1 that gets a credit back, 0 none */
};

struct loom_elan5_link {
  struct loom_elan5_port port;
  struct loom_elan5_sender sender;
  struct loom_elan5_receiver receiver;
  struct loom_flow out;      /* the output register */
  uint8_t shown;             /* flags that it had before the last step */
  uint64_t packets_received; /* good ones */
  uint64_t packets_begun;
};

/* Numbers that a source gives away: of base .. base + 63 those that have no ACK. 15 bits. */
struct loom_elan5_window {
  uint16_t next, base;
  uint64_t unacked; /* bit d: base + d */
};

/* `once` packets of a stream of a source (E5-14). */
struct loom_elan5_filter {
  bool any;
  uint16_t high;
  uint64_t done; /* bit d: high - d */
};

struct loom_elan5_event {
  uint64_t count;
  uint64_t received; /* messages */
};

/* Everything counts from reset. */
struct loom_elan5_counters {
  uint64_t begun, acks, nacks, lost; /* packets sent, what was replied; without reply for a link */
  uint64_t failed;                   /* conditionals that did not get an ACK */
  uint64_t received;                 /* packets whose CRC-32 was right */
  uint64_t sent_acks, sent_nacks;    /* replies decided */
  uint64_t bad;                      /* packets refused as damaged */
  uint64_t refused;                  /* for want of a queue entry or a transfer */
  uint64_t duplicates;
  uint64_t conditionals; /* compared */
  uint64_t addresses;    /* outside the memory */
  uint64_t bytes;        /* of data received in good packets */
  uint64_t effects;      /* `once` packets that took effect */
  uint64_t link_errors, reply_errors, timeouts;
  uint64_t age_sum; /* of all good packets, cycles (E5-18) */
  uint32_t age_min, age_max;
};

struct loom_elan5 {
  struct loom_elan5_cfg cfg;
  uint32_t node;
  uint64_t now;
  struct loom_elan5_link link[LOOM_ELAN5_LINKS];
  /* Requests, a bit a transfer. */
  struct loom_elan5_transfer transfer[LOOM_ELAN5_TRANSFERS];
  uint64_t used;     /* not free */
  uint64_t finished; /* ended, not freed */
  uint64_t failed;   /* of these: without success */
  uint64_t ready;    /* with a packet to begin */
  uint64_t numbered; /* whose next packet takes a number of the window */
  uint64_t groups;   /* to a group */
  uint64_t prio[LOOM_ELAN5_PRIOS];
  struct loom_rr_arbiter turn;
  /* Packets, a bit each in `free` and `waiting` (by 64). */
  struct loom_elan5_packet packet[LOOM_ELAN5_PACKETS];
  uint64_t free[LOOM_ELAN5_PACKET_SETS];
  uint64_t waiting[LOOM_ELAN5_PACKET_SETS];            /* back-off */
  uint32_t refused;                                    /* packets in `waiting` */
  uint64_t next_due;                                   /* nothing of `waiting` before this cycle */
  uint32_t backoff;                                    /* lfsr */
  struct loom_elan5_window window[LOOM_ELAN5_STREAMS]; /* of `once` packets */
  uint16_t other;                                      /* number of the next other packet */
  /* Receiving side. */
  uint32_t messages, first_message;
  struct loom_elan5_event event[LOOM_ELAN5_EVENTS];
  struct loom_elan5_counters counters;
  /* Called when a transfer begins, so that who steps it does; NULL: nobody asks. */
  void (*wake)(void *waker);
  void *waker;
  /* In the storage. */
  uint32_t arrival_bytes; /* room for a payload */
  uint8_t *memory;
  uint8_t *arrivals;                                      /* payloads, by link and VC */
  struct loom_elan5_filter (*filter)[LOOM_ELAN5_STREAMS]; /* by source */
  struct loom_elan5_message *message;
};

void loom_elan5_defaults(struct loom_elan5_cfg *cfg);
bool loom_elan5_cfg_ok(const struct loom_elan5_cfg *cfg);
/* Most bytes of data in a packet to a group: routers hold 1 + pool / bvcs segments of it (E5-30).
 */
uint32_t loom_elan5_group_packet(const struct loom_elan5_cfg *cfg);
/* Bytes of an endpoint. */
size_t loom_elan5_size(const struct loom_elan5_cfg *cfg);
/* Makes an endpoint in `storage` (loom_elan5_size bytes, all 0, aligned to 64): links in bring-up,
 * memory 0. */
struct loom_elan5 *loom_elan5_create(const struct loom_elan5_cfg *cfg, uint32_t node,
                                     void *storage);
/* Another bring-up for one link, before the first step. */
void loom_elan5_set_port(struct loom_elan5 *e, uint32_t link,
                         const struct loom_elan5_port_cfg *port);

/* One cycle. `in` and `out` by link; out is what the links show in this cycle. */
void loom_elan5_step(struct loom_elan5 *e, uint64_t now, const struct loom_flow *const in[],
                     struct loom_flow *out);

/* ---- requests: a transfer, or LOOM_ELAN5_NONE when none is free ------------------------------ */

/* `bytes` of memory from `local` on are written to `remote` there. */
uint32_t loom_elan5_put(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                        uint64_t local, uint32_t bytes);
/* The same with 8 bytes that are given here. */
uint32_t loom_elan5_put_word(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                             uint64_t word);
/* A message of 1..232 bytes from `local` joins the queue there. */
uint32_t loom_elan5_queue(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t local,
                          uint32_t bytes);
/* Event `event` there counts n. */
uint32_t loom_elan5_count(struct loom_elan5 *e, struct loom_elan5_target to, uint32_t event,
                          uint64_t n);
/* `bytes` from `remote` there come to `local` here; to a node. */
uint32_t loom_elan5_get(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                        uint64_t local, uint32_t bytes);
/* Done if the 8 bytes at `remote` there (everywhere there) are `word`, else failed (E5-31). */
uint32_t loom_elan5_conditional(struct loom_elan5 *e, struct loom_elan5_target to, uint64_t remote,
                                uint64_t word);

/* What became of a transfer; when it has ended it is free after this. */
enum loom_elan5_result loom_elan5_done(struct loom_elan5 *e, uint32_t transfer);

/* ---- the receiving side ---------------------------------------------------------------------- */

/* The byte at this address; the following ones up to the end of the memory stand after it. */
static inline uint8_t *loom_elan5_memory(struct loom_elan5 *e, uint64_t address) {
  return e->memory + address;
}

/* The oldest message; false if there is none. */
bool loom_elan5_take_message(struct loom_elan5 *e, struct loom_elan5_message *message);
/* Takes n off the count of an event, if it has as many. */
bool loom_elan5_take_event(struct loom_elan5 *e, uint32_t event, uint64_t n);

/* ---- state ----------------------------------------------------------------------------------- */

/* Nothing is under way: no transfer, no packet, no reply, no VC in use. */
bool loom_elan5_idle(const struct loom_elan5 *e);
/* A step in which all links show nothing but their signal would change nothing. */
bool loom_elan5_sleeps(const struct loom_elan5 *e);

#endif
