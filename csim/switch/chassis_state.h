/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_state.h - what a chassis has besides if it follows packets and not flits
 * (docs/packet_engine.md)
 * Inside: crossbar_switch, mport_switch.
 *
 * A unit in which nothing changes for some cycles but how far packets have come has no edges in
 * them. A calendar says when it must have one again, and when units are freed meanwhile. Flits are
 * kept by packet, not by store.
 */
#ifndef LOOM_SWITCH_CHASSIS_STATE_H
#define LOOM_SWITCH_CHASSIS_STATE_H

#include "switch/chassis.h"

enum { LOOM_CHASSIS_AHEAD = 256 }; /* cycles of the calendar */
enum { LOOM_CHASSIS_STAGES = 4 };  /* cycles from the link to a verdict, and one */

/* Packets, first in first out, by their first cells. */
struct loom_chassis_fifo {
  uint32_t first, last;
};

/* Where the words of packets stand that come without them: `packet` is of their heads. */
struct loom_chassis_source {
  uint64_t (*word)(void *of, uint32_t packet, uint32_t place);
  void (*remove)(void *of, uint32_t packet); /* one that is dropped, or goes on with its words */
  void *of;
};

/* The words of packets, in cells. */
struct loom_chassis_words {
  uint64_t *word;       /* LOOM_UNIT_FLITS a cell */
  uint32_t *cell;       /* the next one of the packet, or the next free one */
  uint32_t *next;       /* of a first cell: the packet after it in its queue, */
  uint32_t *packet;     /* and where its words but the head stand; 0: here */
  uint32_t free, fresh; /* the first that is free; those from here on never were in use */
};

/* What a port has besides. */
struct loom_chassis_packets_port {
  uint64_t input_slept;            /* the cycle in which the input had an edge last, */
  uint64_t choice_slept;           /* and the scheduler of the output */
  struct loom_room_late room, far; /* what the trackers need not know yet */

  uint32_t fresh[LOOM_CHASSIS_STAGES]; /* packets that began, by cycle, until their verdict */
  struct loom_chassis_fifo input[LOOM_VLS], output[LOOM_VLS], taken;
};

/* The packets on the links of a port: what is looked at for each flit stands close together. */
struct loom_chassis_flow {
  uint32_t first, last, came; /* the one that comes: its first and last cell and its flits; first 0:
                               * none, or one that is not kept */
  uint32_t goes, cell, gone;  /* the one that goes: its first cell, that of its next flit */
};

struct loom_chassis_packets {
  /* Sets of ports by cycle, around: edges that are due, and units that are free then. */
  uint64_t input_due[LOOM_CHASSIS_AHEAD], output_due[LOOM_CHASSIS_AHEAD];
  uint64_t input_free[LOOM_CHASSIS_AHEAD], output_free[LOOM_CHASSIS_AHEAD];
  uint64_t far_due[LOOM_CHASSIS_AHEAD]; /* schedulers that have counted to an end */
  /* Trackers ahead of their time that show something new after this cycle. */
  uint64_t room_turn[LOOM_CHASSIS_AHEAD], far_turn[LOOM_CHASSIS_AHEAD];
  bool loads; /* what trackers have in use is looked at in every cycle */
  /* While input or output have no edges: the cycle in which the next one is due, and the one in
   * which the next unit is free; what the calendar has for another one has been overtaken. */
  uint64_t input_ends[LOOM_CHASSIS_PORTS], output_ends[LOOM_CHASSIS_PORTS];
  uint64_t input_frees[LOOM_CHASSIS_PORTS], output_frees[LOOM_CHASSIS_PORTS];
  uint64_t rests; /* from then on the stepped twin would be at rest, as nothing has come */

  /* Units without edges in which packets go on; of them the inputs to which a flit comes in each
   * cycle, and the outputs that show one in each. */
  uint64_t inputs, outputs, streaming, sending;
  uint64_t opened;    /* crossings without edges whose packet is open */
  uint64_t room, far; /* trackers, those with a scheduler, that have an edge in the next cycle */
  uint64_t end_was;   /* `end` of the chassis in the last cycle */
  /* Ports whose links carry streams; those where words of the packet that comes stand elsewhere;
   * those whose packet goes as a stream. */
  uint64_t carries, from_source, streams;
  uint64_t events[LOOM_CHASSIS_AHEAD / 64]; /* cycles with something in a calendar */
  struct loom_chassis_source source;
  struct loom_chassis_words words;
  struct loom_chassis_flow flow[LOOM_CHASSIS_PORTS];
  struct loom_chassis_packets_port port[LOOM_CHASSIS_PORTS];
};

/* Bytes of storage that init needs, aligned to 8. */
size_t loom_chassis_packets_size(const struct loom_chassis_cfg *cfg);
/* The chassis follows packets from now on; right after its own init. */
void loom_chassis_packets_init(struct loom_chassis *s, const struct loom_chassis_cfg *cfg,
                               void *storage);

/* ---- in a cycle; all of it only with packets ------------------------------------------------- */

/* Who has an edge in this cycle. */
void loom_chassis_packets_begin(struct loom_chassis *s, struct loom_chassis_cycle *c);
/* All inputs that have one are brought up to it, and flits on the links are kept; the others show
 * their credits. */
void loom_chassis_packets_inputs(struct loom_chassis *s, const struct loom_chassis_cycle *c);
/* Of the crossings those whose input has shown another end_i have one, too. Trackers of units
 * without one have theirs. */
void loom_chassis_packets_outputs(struct loom_chassis *s, struct loom_chassis_cycle *c);
/* The word of the crossing, or that it has none, is like what the output saw last. */
bool loom_chassis_packets_goes_on(const struct loom_chassis_port *p);
/* The lane of a unit of the output's store that is free in this cycle. */
uint8_t loom_chassis_packets_freed_vl(const struct loom_chassis *s, uint32_t port);
/* The output is brought up to this cycle; and before its edge. */
void loom_chassis_packets_wake_output(struct loom_chassis *s, uint32_t port);
void loom_chassis_packets_step_output(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                      uint32_t port);
/* A verdict of this cycle, before the edge of an input; what it takes, after it. */
void loom_chassis_packets_judge(struct loom_chassis *s, uint32_t port);
void loom_chassis_packets_take(struct loom_chassis *s, uint32_t port, uint8_t target);
/* The word that goes with a flit on the link out; what the output takes, after its edge. */
uint64_t loom_chassis_packets_word(struct loom_chassis *s, uint32_t port, bool head, bool tail);
void loom_chassis_packets_taken(struct loom_chassis *s, uint32_t port);
/* The tracker is told what it does not know, if something comes for it in this cycle. */
void loom_chassis_packets_tell_far(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                   uint32_t port);
void loom_chassis_packets_tell_room(struct loom_chassis *s, uint32_t port);
/* After an edge in which it was told of a packet: it comes to its end at once, if it can. */
void loom_chassis_packets_foresee_far(struct loom_chassis *s, uint32_t port);
void loom_chassis_packets_foresee_room(struct loom_chassis *s, uint32_t port);
/* Tracker and scheduler of an output without an edge. */
void loom_chassis_packets_track(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                uint32_t port);
/* A unit that comes to rest in so many cycles had something to do in this one. */
static inline void loom_chassis_packets_stir(struct loom_chassis *s, uint32_t cycles) {
  uint64_t rests = s->now + cycles + 1;
  s->packets->rests = rests > s->packets->rests ? rests : s->packets->rests;
}
/* After all edges: who has one in the next cycle. */
void loom_chassis_packets_end(struct loom_chassis *s, const struct loom_chassis_cycle *c);
/* A cycle as a whole, if in it no input, crossing or output has an edge; `in` is on the links.
 * False: it is to be done as ever. */
bool loom_chassis_packets_go_on(struct loom_chassis *s, const struct loom_chassis_arrival *in,
                                struct loom_chassis_cycle *c);
bool loom_chassis_packets_sleep(const struct loom_chassis *s);
/* For so many cycles from now on packets do no more than go on, unless something arrives or the
 * switch has something to do besides. */
uint64_t loom_chassis_packets_spare(const struct loom_chassis *s);

#endif
