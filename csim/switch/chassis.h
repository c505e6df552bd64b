/* SPDX-License-Identifier: Apache-2.0 */
/* chassis.h - what the switches of the second edition have in common: all of their ports but what
 * joins them, the registers and their bus, traps and counters (docs/crossbar_switch.md,
 * docs/mport_switch.md; IB-01..06, OP-01..22)
 * Inside: crossbar_switch, mport_switch.
 *
 * A cycle of a switch is begin, the look at each input that has an edge, watch, the edges of each
 * crossing and output, those of the inputs, whatever the switch has besides, and end. What is done
 * port by port stands in chassis_edge.h.
 *
 * Registers in another form than in the circuit:
 *   rvalid: none: an access and its answer stand in a ring, `access`
 */
#ifndef LOOM_SWITCH_CHASSIS_H
#define LOOM_SWITCH_CHASSIS_H

#include <loom/link_in.h>
#include <loom/switch_registers.h>

#include "parts/event_counters.h"
#include "parts/rr_arbiter.h"
#include "switch/crossing.h"
#include "switch/input_unit.h"
#include "switch/output_unit.h"

enum {
  LOOM_CHASSIS_PORTS = 48,
  LOOM_CHASSIS_TRAPS = 16,    /* words of the queue of traps */
  LOOM_CHASSIS_ACCESSES = 64, /* accesses on the bus, at most: PORTS + 3 are under way */
  LOOM_CHASSIS_PULSES = 10,   /* that every port has */
  /* Cycles after reset without an access or a flit; from a write of a table to the next. */
  LOOM_CHASSIS_START = 320,
  LOOM_CHASSIS_PACE = 4,
};

/* An access on its way along the ports, and what a read of it gives. */
struct loom_chassis_access {
  bool we, re;
  uint32_t addr, data; /* a read: the answer so far */
};

struct loom_chassis_trap {
  uint8_t cause, lane;
  uint16_t dest;
};

/* The next packet of a lane at the output, or one that was granted there. */
struct loom_chassis_packet {
  uint8_t lane, sl;
  uint16_t len;
};

/* What links and bus bring in a cycle: sets of ports; what stands by port means something only for
 * those in them. */
struct loom_chassis_arrival {
  uint64_t valid, head, tail, credit;
  const struct loom_link_in *port;
  bool reg_we, reg_re;
  uint32_t reg_addr, reg_wdata;
};

/* What they show in a cycle, likewise. */
struct loom_chassis_shown {
  uint64_t valid, head, tail, credit;
  uint8_t vl[LOOM_CHASSIS_PORTS], cr_vl[LOOM_CHASSIS_PORTS];
  uint64_t data[LOOM_CHASSIS_PORTS];
  /* Of packets whose words stand elsewhere: ports with a flit in their midst, none in `valid`; and
   * where the words stand, by port, of a head. */
  uint64_t stream;
  uint32_t packet[LOOM_CHASSIS_PORTS];
  bool rvalid, trap;
  uint32_t rdata;
};

struct loom_chassis_port {
  struct loom_input_unit input;
  struct loom_crossing crossing;
  struct loom_output_unit output;
  struct loom_event_counters counters;

  uint64_t output_slept; /* the cycle in which the output had an edge last */
  uint32_t table_rdata;  /* what its table showed in it: at rest it shows that for ever */
  uint64_t counted;      /* the cycle from which on the turns of the counters are to come */

  bool hold;
  bool found_known;
  uint8_t found_port;
  struct loom_chassis_trap trap;
  struct loom_chassis_packet head[LOOM_VLS];
  struct loom_chassis_packet granted; /* in the last cycle, if the port is in `granted` */
};

/* The parts of a port, and what else differs between the switches. */
struct loom_chassis_cfg {
  struct loom_input_unit_cfg input; /* its PORTS are those of the switch */
  struct loom_crossing_cfg crossing;
  struct loom_output_unit_cfg output;
  uint32_t device;     /* its own number */
  uint32_t lids;       /* words of the LFT; 0: there is none */
  uint32_t pulses;     /* counters of a port beside its streams */
  uint32_t map_bits;   /* of the map mode: with 1 of these the map is on */
  uint32_t entry_bits; /* that the LFT keeps */
};

/* What is one bit a port is a set of ports here. */
struct loom_chassis {
  uint32_t ports, vls, mtu_units;              /* parameters */
  uint32_t device, lids, map_bits, entry_bits; /* as in loom_chassis_cfg */
  uint64_t all;                                /* ports */

  /* Registers of the switch. */
  uint32_t control, lft_count, mtu_ignored;
  uint16_t mtu[LOOM_VLS];
  uint8_t *lft;                    /* storage: one for all inputs, as they hold the same */
  struct loom_chassis_access late; /* a write that takes effect at the end of this cycle */

  /* The bus: what port p sees is the p-th newest access of the ring, if there is one. */
  struct loom_chassis_access access[LOOM_CHASSIS_ACCESSES];
  uint64_t under_way; /* bit n: the n-th newest is an access; those beyond the ports wait */
  uint32_t newest;

  /* Traps. */
  uint64_t trapped, moved;
  struct loom_rr_arbiter trap_arbiter;
  uint32_t trap_word[LOOM_CHASSIS_TRAPS]; /* a ring, each as the register shows it */
  uint32_t trap_first, traps;

  /* Of all ports. */
  uint64_t granted;
  uint64_t idle_port;
  bool idle, ready;
  uint64_t now; /* cycles */
  uint64_t output_awake;
  uint64_t input_awake, crossing_awake;    /* those that are to be stepped in the next cycle */
  uint64_t input_used, output_used, quiet; /* units in use there; idle_o of the crossing */
  uint64_t free;                           /* of the crossings, in the next cycle */
  uint64_t freed;                          /* output units that show a freed unit in it */
  uint64_t counting;                       /* counters that have something to write */
  uint64_t noted;                          /* ports that have something to count, or a trap */

  uint64_t source_ready, target_ready;  /* of inputs and of crossings, to the allocation */
  uint64_t start_ok, sure, end;         /* inputs that show these, to the crossings */
  struct loom_output_unit_in to_output; /* of one; what follows a flag holds only with it */
  struct loom_chassis_shown shown;      /* in the cycle that was stepped last */
  struct loom_chassis_packets *packets; /* NULL: it follows flits (docs/packet_engine.md) */
  struct loom_chassis_port port[LOOM_CHASSIS_PORTS];
};

/* Accesses that do something at a port in this cycle. */
struct loom_chassis_bus {
  uint64_t ports;
  const struct loom_chassis_access *access[LOOM_CHASSIS_PORTS]; /* of these */
  bool pops_trap;
  struct loom_chassis_access late;  /* a write of this cycle that takes effect in the next one */
  struct loom_chassis_access *read; /* one at the switch's own registers, or NULL: 0 so far where
                                     * only the switch has a register */
};

/* What a cycle has. */
struct loom_chassis_cycle {
  const struct loom_chassis_arrival *in;
  const struct loom_chassis_arrival *flits; /* those of the input units: of the links, or late */
  struct loom_chassis_bus bus;
  uint64_t credit;            /* outputs whose tracker is told of one */
  uint64_t inputs, crossings; /* that have an edge in this cycle */
  uint64_t outputs;           /* the same; those that get a packet or a word do, too */
  bool mtu_we;
  uint32_t mtu_lane, mtu_units;
  /* With packets alone: trackers of crossings, and those of outputs with their schedulers, that
   * have an edge; outputs that show a freed unit; inputs and outputs without an edge that free one;
   * and the outputs that had an edge. */
  uint64_t room, far, freed, input_freed, output_freed, stepped;
  uint64_t room_turned, far_turned; /* trackers that show something new after it */
  uint64_t pulsed;                  /* ports with pulses that the chassis does not know of: */
  uint32_t pulses[LOOM_CHASSIS_PORTS];
};

/* ---- sets ------------------------------------------------------------------------------------ */

static inline bool loom_chassis_has(uint64_t set, uint32_t member) { return set >> member & 1; }

static inline void loom_chassis_put(uint64_t *set, uint32_t member, uint64_t is) {
  *set = (*set & ~(1ull << member)) | (uint64_t)(is != 0) << member;
}

/* ---- registers ------------------------------------------------------------------------------- */

static inline bool loom_chassis_map_on(const struct loom_chassis *s) {
  return (LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, s->control) & s->map_bits) == 1;
}

/* ---- init ------------------------------------------------------------------------------------ */

/* The parts of a port are legal. */
bool loom_chassis_cfg_ok(const struct loom_chassis_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_chassis_storage_size(const struct loom_chassis_cfg *cfg);
/* `s` is all 0, and so is the LFT of the storage, or it is cleared afterwards. Gives what is left
 * of the storage. */
void *loom_chassis_init(struct loom_chassis *s, const struct loom_chassis_cfg *cfg, void *storage);
void loom_chassis_clear(struct loom_chassis *s);

/* ---- a cycle --------------------------------------------------------------------------------- */

/* What the bus answers, who sees which access, and who has an edge, but for bookings. */
void loom_chassis_begin(struct loom_chassis *s, const struct loom_chassis_arrival *in,
                        const struct loom_chassis_arrival *flits, struct loom_chassis_cycle *c);
/* Traps and counters: all that the ports do beside moving packets. */
void loom_chassis_watch(struct loom_chassis *s, const struct loom_chassis_cycle *c);

/* Writes to the tracker of a crossing; false: none. And to the registers of an output. */
bool loom_chassis_crossing_write(const struct loom_chassis_cycle *c, uint32_t port,
                                 struct loom_crossing_write *write);
void loom_chassis_access_output(const struct loom_chassis_cycle *c, uint32_t port,
                                struct loom_output_unit_in *in);
/* Writes of maps and of `mtu`, after all edges of inputs. */
void loom_chassis_write_inputs(struct loom_chassis *s, const struct loom_chassis_cycle *c);

/* Last of all. `idle`: so is what the switch has besides. */
void loom_chassis_end(struct loom_chassis *s, const struct loom_chassis_cycle *c, bool idle);

/* Of that: what is idle. */
void loom_chassis_note_idle(struct loom_chassis *s, bool idle);

/* What IDLE says of the ports and of what the switch has besides will stay, as long as they do. */
bool loom_chassis_is_settled(const struct loom_chassis *s, bool idle);
/* Until something comes, nothing is shown, and the ports would do no more than skip does. `idle`:
 * so is what the switch has besides. */
bool loom_chassis_sleeps(const struct loom_chassis *s, bool idle);
static inline void loom_chassis_skip(struct loom_chassis *s, uint64_t cycles) { s->now += cycles; }
/* Units in use in the store of an input or an output, so many cycles later if nothing comes. */
uint32_t loom_chassis_used(const struct loom_chassis *s, uint32_t port, bool output,
                           uint64_t cycles);
/* Packets that were refused or dropped, as its registers will say. */
uint64_t loom_chassis_dropped(const struct loom_chassis *s);

/* ---- the bus (chassis_bus.c) ----------------------------------------------------------------- */

/* A write to this array of registers of the port, and its offset there. */
static inline bool loom_chassis_writes(const struct loom_chassis_bus *bus, uint32_t port,
                                       uint32_t base, uint32_t size, uint32_t *offset) {
  if (!loom_chassis_has(bus->ports, port) || !bus->access[port]->we)
    return false;
  *offset = bus->access[port]->addr % LOOM_REG_WINDOW - base;
  return *offset < size;
}
/* The access that this port sees in this cycle, or NULL. */
const struct loom_chassis_access *loom_chassis_seen(const struct loom_chassis *s, uint32_t port);
/* What the bus answers in this cycle. */
void loom_chassis_bus_show(struct loom_chassis *s);
/* The first thing in a cycle: who sees which access; what reads look at in this cycle. */
void loom_chassis_bus_look(struct loom_chassis *s, struct loom_chassis_bus *bus);
/* After the output units were stepped: what reads of tables look at. */
void loom_chassis_bus_tables(struct loom_chassis *s);
/* The last thing in a cycle. */
void loom_chassis_bus_edge(struct loom_chassis *s, const struct loom_chassis_bus *bus,
                           const struct loom_chassis_arrival *in);

#endif
