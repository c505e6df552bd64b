/* link.h - cables of an Elite5 fabric and what they carry (docs/elan5.md; E5-10, E5-25, E5-37) */
#ifndef LOOM_ELAN5_LINK_H
#define LOOM_ELAN5_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* What a flow carries in a cycle. */
enum loom_flow_flag {
  LOOM_FLOW_VALID = 1, /* a word: data, vl, and perhaps */
  LOOM_FLOW_HEAD = 2,
  LOOM_FLOW_TAIL = 4,
  LOOM_FLOW_CREDIT = 8, /* cr_vl */
  LOOM_FLOW_REPLY = 16, /* rep_vc, and perhaps */
  LOOM_FLOW_ACK = 32,
  LOOM_FLOW_SIGNAL = 64, /* somebody is there */
};

/* All signals that one end of a link shows in a cycle: the word of its output, credit and reply of
 * its input. Fields are 0 while their flag is 0. */
struct loom_flow {
  uint64_t data;
  uint8_t flags;
  uint8_t vl;
  uint8_t cr_vl;
  uint8_t rep_vc;
  uint32_t unused;
};

enum { LOOM_NET_ENDS = 2, LOOM_NET_LATENCY_MAX = 63 };

/* One end: link `lane` of a device. */
struct loom_net_end {
  bool router; /* else an endpoint */
  uint32_t device;
  uint32_t lane;
};

struct loom_net_link {
  struct loom_net_end end[LOOM_NET_ENDS];
  uint32_t latency;    /* cycles, 1..LOOM_NET_LATENCY_MAX */
  bool joined;         /* not cut */
  bool spoil_control;  /* the injector takes link control words too */
  uint64_t error_rate; /* chance that a word is spoilt, in 2^-64 (E5-37) */
  uint64_t seed;       /* of the injector */
  uint64_t words;      /* that were carried, both ways */
  uint64_t spoilt;     /* and of these, with a wrong bit */
};

/* A chance of 0..1 in 2^-64, as the injectors of bit errors take it. */
uint64_t loom_net_chance(double rate);

/* A word with one bit turned, with this chance in 2^-64; `spoilt` counts. */
uint64_t loom_net_spoil(uint64_t *seed, uint64_t chance, uint64_t word, uint64_t *spoilt);

/* A word on its way: perhaps with one bit turned (E5-37). */
uint64_t loom_net_link_carry(struct loom_net_link *s, bool head, bool tail, uint64_t word);

#endif
