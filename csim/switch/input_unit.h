/* SPDX-License-Identifier: Apache-2.0 */
/* input_unit.h - twin of loom_input_unit: where packets come into a switch, find their output and
 * wait to be sent there (docs/input_unit.md; OP-02, OP-05, OP-08, IB-02)
 */
#ifndef LOOM_SWITCH_INPUT_UNIT_H
#define LOOM_SWITCH_INPUT_UNIT_H

#define LOOM_DUT input_unit
#define LOOM_DEF "switch/input_unit.def"
#include <loom/def.h>

#include "parts/delay.h"
#include "parts/packet_store.h"
#include "switch/departure.h"
#include "switch/sc_rule.h"

enum { LOOM_INPUT_OUTPUTS = 48, LOOM_INPUT_SLS = 32 };
enum { LOOM_INPUT_STILL = 16 }; /* after so many cycles without an event nothing changes any more */

enum { LOOM_INPUT_OF_OUT = 2 }; /* the central unit is that of the lowest bit of the output */

/* A flit of the link in one of the three stages behind it. A stage that is not valid holds 0, but
 * for the lane of the first, which is that of the last head. */
struct loom_input_flit {
  bool valid, begins, last;
  bool good; /* begins, with a lane and a length */
  uint8_t lane;
  uint8_t refused;    /* the cause; 0: it is not */
  bool known, has_vl; /* it has an output, and a lane there */
  uint8_t target, vl; /* these */
  uint8_t entry;      /* of the map */
  uint8_t sl1, sc;    /* by the rule of Omni-Path: of the SC it came with; the SC it goes on with */
  uint16_t w;         /* flits that its record waits for */
  uint64_t data;
};

/* Sets of lanes as bits; lengths in flits, sizes in units of 64 bytes. */
struct loom_input_unit {
  uint32_t ports, vls, speedup, in_delay, stall; /* parameters */
  bool by_sc;                                    /* RULE = 1; then */
  uint8_t mport;                                 /* that of the unit: constant */
  uint32_t mgmt;                                 /* the management lane */
  uint32_t unit_words;                           /* of a whole unit on its way out */
  uint32_t sweep;

  /* Arrival. */
  uint16_t left; /* still to come of the open packet */
  bool keep;
  bool link_error;
  struct loom_input_flit s1, s2, s3;
  struct {
    bool valid;
    uint8_t vl;
    uint16_t len;
  } accept;
  struct {
    bool valid;
    uint8_t cause, vl;
    uint16_t dest;
  } trap;

  /* A record that waits for `wait` more flits of its packet, and those on their way. */
  uint16_t wait;
  uint64_t held;
  uint32_t delayed;

  /* The packet that was accepted last. */
  uint8_t serial; /* its number, modulo LOOM_DEPARTURE_NUMBERS */
  bool arrives;   /* flits of it are still to be written */

  uint8_t still; /* cycles in which nothing happened, up to a few */

  struct loom_departure departure;
  struct loom_packet_store store;
  struct loom_delay delay;

  /* What is looked at once a packet. */
  uint8_t lane_of[LOOM_VLS]; /* of a VL */
  uint16_t mtu[LOOM_VLS];
  struct loom_sc_tables sc; /* in place of `mtu`, with RULE = 1 */
  uint8_t map[LOOM_INPUT_OUTPUTS * LOOM_INPUT_SLS];
};

/* What a cycle brings beside writes. What follows a flag means something only with it. */
struct loom_input_cycle {
  bool valid, head, tail; /* a flit of the link */
  uint8_t vl;
  uint64_t data;
  bool map_on, found_known;
  uint8_t found_port;
  uint8_t map_mode; /* with RULE = 1 in place of map_on; */
  uint8_t side;     /* and the bit of the central units: 0, 1, or LOOM_INPUT_OF_OUT */
  bool book;
  uint8_t book_lane, book_target;
  uint64_t free;
};

/* The parameters are legal together. */
bool loom_input_unit_cfg_ok(const struct loom_input_unit_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_input_unit_storage_size(const struct loom_input_unit_cfg *cfg);
void loom_input_unit_init(struct loom_input_unit *s, const struct loom_input_unit_cfg *cfg,
                          void *storage);
void loom_input_unit_step(struct loom_input_unit *s, const struct loom_input_unit_in *in,
                          struct loom_input_unit_out *out);
/* What the outputs show in the present cycle. Of `in` they follow `free` (source_ready_o); the rest
 * need not be there. */
void loom_input_unit_show(const struct loom_input_unit *s, const struct loom_input_unit_in *in,
                          struct loom_input_unit_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. After it come the
 * writes of the same cycle; they need no edge, and do not end a rest. */
void loom_input_unit_edge(struct loom_input_unit *s, const struct loom_input_cycle *in);
void loom_input_unit_write_map(struct loom_input_unit *s, uint64_t addr, uint64_t data);
void loom_input_unit_write_mtu(struct loom_input_unit *s, uint64_t vl, uint64_t units);
/* With RULE = 1: the SC_WORD of this SC. */
void loom_input_unit_write_rule(struct loom_input_unit *s, uint32_t sc, uint32_t word);
/* Nothing changes before a flit or a booking comes: until then an edge may be left out, and the
 * outputs stay as they were in the last cycle. */
static inline bool loom_input_unit_rests(const struct loom_input_unit *s) {
  return s->still == LOOM_INPUT_STILL;
}

/* For so many cycles from now on, `most` at most, nothing changes but how far packets have come,
 * and units that are freed: if in each of them a flit comes that is neither head nor tail, or none
 * if no packet is open, and nothing else (docs/packet_engine.md). */
uint32_t loom_input_unit_steady(struct loom_input_unit *s, uint32_t most);
/* That many of these cycles. */
void loom_input_unit_pass(struct loom_input_unit *s, uint32_t cycles);

/* ---- what single outputs show ---------------------------------------------------------------- */

static inline bool loom_input_unit_ready(const struct loom_input_unit *s) {
  return s->sweep == s->vls;
}

static inline bool loom_input_unit_start_ok(const struct loom_input_unit *s) {
  return loom_departure_start_ok(&s->departure, s->store.soon);
}

static inline bool loom_input_unit_sure(const struct loom_input_unit *s) {
  return loom_departure_sure(&s->departure);
}

static inline bool loom_input_unit_end(const struct loom_input_unit *s) {
  return loom_departure_end(&s->departure, s->store.soon);
}

/* `free`: the outputs that are free in this cycle. */
static inline bool loom_input_unit_source_ready(const struct loom_input_unit *s, uint64_t free) {
  return loom_departure_source_ready(&s->departure, s->store.soon, free);
}

/* It shows a packet that was accepted, a trap or an error of the link. */
static inline bool loom_input_unit_tells(const struct loom_input_unit *s) {
  return s->link_error || s->trap.valid || s->accept.valid;
}

/* What the head_* outputs show of the head in view, `store.event`; false: it is to be dropped. Its
 * `out` is head_out_o. */
bool loom_input_unit_offers(const struct loom_input_unit *s, struct loom_departure_offer *offer);

/* The word that is sent to the target `departure.tag.target`, or NULL. */
static inline const struct loom_packet_store_word *
loom_input_unit_word(const struct loom_input_unit *s) {
  return s->store.rd.valid && !s->departure.tag.drop ? &s->store.rd : NULL;
}

/* The flits of a packet with this head for which its record waits. */
uint16_t loom_input_unit_waits_for(const struct loom_input_unit *s, uint64_t head);
/* The VL of a lane on the link. */
uint8_t loom_input_unit_link_vl(const struct loom_input_unit *s, uint8_t lane);
/* What in_cr_vl_o shows with a credit, `store.free`. */
static inline uint8_t loom_input_unit_credit_vl(const struct loom_input_unit *s) {
  return loom_input_unit_link_vl(s, s->store.free_vl);
}
void loom_input_unit_probe(const struct loom_input_unit *s, struct loom_input_unit_probe *p);

#endif
