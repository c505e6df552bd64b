/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.h - devices of any class, joined by links and stepped together (docs/fabric.md; OP-08,
 * OP-22, E5-10, E5-25, E5-37)
 *
 * A device is a state and a class, which says how it is stepped. Links take at least a cycle, so
 * the order of the devices within a cycle cannot matter. A device that sleeps is not stepped until
 * something arrives or it is woken, so idle devices cost nothing.
 *
 * Ports count from 0 here. Only loom_fabric_create, _add, _add_foreign, _memory, _share, _access
 * and _part allocate.
 */
#ifndef LOOM_FABRIC_FABRIC_H
#define LOOM_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loom/link_in.h>

enum {
  LOOM_FABRIC_PORTS = 64,    /* of a device, at most */
  LOOM_FABRIC_LATENCY = 511, /* of a link, at most, cycles */
  LOOM_FABRIC_LAG = 64,      /* by which devices are behind others, at most, cycles */
};
#define LOOM_FABRIC_NONE UINT32_MAX
/* The cycle of a fabric that has not begun. */
#define LOOM_FABRIC_BEFORE UINT64_MAX
/* In place of an address, for `pause` of a class. */
#define LOOM_FABRIC_AFTER_RESET UINT32_MAX
#define LOOM_FABRIC_AFTER_WRITES (UINT32_MAX - 1)

/* What links bring to a device in one cycle. Sets have a bit a port, port 0 lowest; a port's fields
 * mean something only while its bit is set (docs/link.md). */
struct loom_fabric_arrival {
  uint64_t valid, head, tail; /* flits */
  uint64_t credit;            /* units that come back, of cr_vl */
  uint64_t stream;            /* of a class with `streams`: one comes, with a flit in this cycle */
  struct loom_link_in port[]; /* of the class's ports */
};

/* An access on the register bus of a device. */
struct loom_fabric_access {
  uint32_t addr, data;
  bool read;
};

/* What links with replies and signals bring beside that to a device of a class that has `wires`. */
struct loom_fabric_wires {
  uint64_t reply, ack;                     /* replies, of rep_vc; those that are ACKs */
  uint64_t signal;                         /* ports at whose far end somebody is there */
  const struct loom_fabric_access *access; /* of the device's bus; NULL: none in this cycle */
};

/* It stands before the arrival, so that other classes have nothing of it. */
static inline const struct loom_fabric_wires *
loom_fabric_wires(const struct loom_fabric_arrival *in) {
  return (const struct loom_fabric_wires *)in - 1;
}

/* A place where a packet waits, for the watchdog: `vl` of a port of a device, at its input or its
 * output. */
struct loom_fabric_place {
  uint32_t device;
  uint8_t port, vl;
  bool output;
};

/* What a device waits for: a packet at `from` goes on when `to` has room. */
struct loom_fabric_wait {
  struct loom_fabric_place from, to;
};

struct loom_fabric;

/* Where a device shows what its outputs carry in this cycle (loom_fabric_flit, loom_fabric_credit).
 */
struct loom_fabric_show {
  struct loom_fabric *fabric;
  uint32_t device;
  uint32_t worker; /* who steps it; 0: the caller of loom_fabric_step */
  uint64_t now;    /* cycle */
};

/* All that a device shows in one cycle, for devices that hold their outputs in this form. */
struct loom_fabric_shown {
  uint64_t valid, head, tail; /* sets of ports; head and tail of what is valid */
  uint64_t credit;
  const uint8_t *vl, *cr_vl; /* by port */
  const uint64_t *data;
  /* Streams, none of them in `valid`, and where the words of heads stand; of a class with `streams`
   * alone. */
  uint64_t stream;
  const uint32_t *packet; /* NULL: nowhere */
};

/* The same of replies and of the signals, which are levels: shown in every cycle. */
struct loom_fabric_shown_wires {
  uint64_t reply, ack, signal;
  const uint8_t *rep_vc;
};

struct loom_fabric_class {
  const char *name;
  uint32_t ports; /* of a device, at most; 0: LOOM_FABRIC_PORTS */
  bool wires;     /* its links have replies and signals, and its bus is used while cycles go on */
  /* It takes packets whose words stand in the fabric, and streams of their flits. */
  bool streams;
  /* A step reads and changes nothing that others change but what it shows, so any worker of the
   * fabric can do it. It shows no streams and spares no cycles. */
  bool apart;
  /* A link with bit errors spares this flit. NULL: it spares heads. */
  bool (*spared)(bool head, bool tail, uint64_t data);
  /* One cycle: shows what its outputs carry in cycle `now` and does the edge that ends it. */
  void (*step)(void *device, uint64_t now, const struct loom_fabric_arrival *in,
               const struct loom_fabric_show *show);
  /* Until something arrives nothing will be shown, and every edge but the next arrival's can be
   * left out. */
  bool (*sleeps)(const void *device);
  /* Of one that does not sleep after the step of a cycle: for so many of the next cycles it would
   * do nothing but what it can do afterwards, unless something arrives. NULL: for none. */
  uint64_t (*spare)(const void *device);
  /* One edge with a write on its register bus and silent links, before the first cycle. NULL: no
   * bus. */
  void (*write)(void *device, uint32_t addr, uint32_t data);
  /* Edges with silent links that the device wants before the first cycle: before its first write,
   * after a write to this address, and after the last one. `write` and `step` do them; so must
   * whoever drives the device in another way. NULL: none. */
  uint32_t (*pause)(const void *device, uint32_t addr);
  /* A write on its bus, of a class with `wires`, before the first cycle: what nothing looks at
   * before links bring something stands in the device at once, and the cycle of the write passes
   * later, with nothing on the bus. False: the write has to come. NULL: all have to. */
  bool (*load)(void *device, uint32_t addr, uint32_t data);
  /* Lists what waits for what in the device, `max` at most; how many there are. Of an output place
   * that waits for credits, `to` is itself. NULL: nothing ever waits in it. */
  uint32_t (*waits)(const void *device, uint32_t number, struct loom_fabric_wait *list,
                    uint32_t max);
};

struct loom_fabric_cfg {
  uint32_t devices, links; /* that there is room for */
  uint32_t latency;        /* longest of a link, 1..LOOM_FABRIC_LATENCY */
  uint64_t seed;           /* of the links' bit errors */
};

/* NULL: numbers out of range, or no memory. */
struct loom_fabric *loom_fabric_create(const struct loom_fabric_cfg *cfg);
/* The devices' states are the caller's, or loom_fabric_memory's. */
void loom_fabric_destroy(struct loom_fabric *f);

/* For the state of a device; it goes with the fabric. As loom_arena_take gives it: all 0. NULL: out
 * of memory. */
void *loom_fabric_memory(struct loom_fabric *f, size_t bytes);

/* Adds a device that has been initialised; its number: 0, 1, ... It is awake. LOOM_FABRIC_NONE: no
 * room, or no memory. */
uint32_t loom_fabric_add(struct loom_fabric *f, const struct loom_fabric_class *device_class,
                         void *device);
/* In the place of a device of another part (docs/ranks.md), without a state: `ports`, a set, are
 * those that devices of this part will be joined with. Its other links are counted, and no more. */
uint32_t loom_fabric_add_foreign(struct loom_fabric *f,
                                 const struct loom_fabric_class *device_class, uint64_t ports);
/* Puts another class, of the same ports and wires, and state in a device's place, between two
 * cycles: a circuit beside the twin. */
void loom_fabric_replace(struct loom_fabric *f, uint32_t device,
                         const struct loom_fabric_class *device_class, void *state);
void *loom_fabric_device(const struct loom_fabric *f, uint32_t device);
const struct loom_fabric_class *loom_fabric_class_of(const struct loom_fabric *f, uint32_t device);

/* Joins port `port` of device `a` with port `peer` of device `b`, both ways; the number of the
 * link. Each port at most once; of the devices both have wires, or none. */
uint32_t loom_fabric_connect(struct loom_fabric *f, uint32_t a, uint32_t port, uint32_t b,
                             uint32_t peer, uint32_t latency);
/* Wrong bits on this link, with this chance a flit, in none that its far end's class spares; 0
 * none. */
void loom_fabric_errors(struct loom_fabric *f, uint32_t link, double rate);
/* Cuts a link between two cycles, or joins it again: what is under way is lost, and so are the
 * signals (E5-25). */
void loom_fabric_join(struct loom_fabric *f, uint32_t link, bool joined);
bool loom_fabric_is_joined(const struct loom_fabric *f, uint32_t link);
/* Links may carry streams, from now on; not where links are cut, joined or get bit errors while
 * cycles go on. */
void loom_fabric_allow_streams(struct loom_fabric *f);
/* The ports of a device whose links carry streams: without bit errors, to a device that takes them.
 */
uint64_t loom_fabric_streams(const struct loom_fabric *f, uint32_t device);
/* The packets whose words stand in the fabric. */
struct loom_packets *loom_fabric_packets(struct loom_fabric *f);
/* The link of a port; LOOM_FABRIC_NONE: none. */
uint32_t loom_fabric_link(const struct loom_fabric *f, uint32_t device, uint32_t port);

/* Where the link of a port leads; false: there is none, or it is cut. */
struct loom_fabric_far {
  uint32_t device, port, latency;
};
bool loom_fabric_far(const struct loom_fabric *f, uint32_t device, uint32_t port,
                     struct loom_fabric_far *far);

/* A write on the register bus of a device, before the first cycle. */
void loom_fabric_write(struct loom_fabric *f, uint32_t device, uint32_t addr, uint32_t data);
/* An access while cycles go on, of a device with wires: it waits its turn, one a cycle. False: out
 * of memory. */
bool loom_fabric_access(struct loom_fabric *f, uint32_t device,
                        const struct loom_fabric_access *access);
/* Accesses that wait: of a device; LOOM_FABRIC_NONE: of all. */
uint64_t loom_fabric_waiting(const struct loom_fabric *f, uint32_t device);

/* From now on this many workers, 2..LOOM_CREW_WORKERS, step the devices whose classes are `apart`;
 * the caller of loom_fabric_step is one of them, and steps all others, in order. What happens is
 * the same with any number of them. Once. False: out of range, no memory or no threads. */
bool loom_fabric_share(struct loom_fabric *f, uint32_t workers);
/* From now on the devices that are `apart` are stepped up to `most` cycles later than the others,
 * as many cycles in a row as the latencies of their links allow, so that they stay in the caches of
 * a core. What happens is the same. Not of a fabric with wires; after loom_fabric_share. */
void loom_fabric_lag(struct loom_fabric *f, uint32_t most);
/* All devices have been stepped up to the present cycle: for who looks into one. All that asks here
 * for something that depends on it does it first. */
void loom_fabric_settle(struct loom_fabric *f);
/* One cycle of everything that is awake. */
void loom_fabric_step(struct loom_fabric *f);
void loom_fabric_run(struct loom_fabric *f, uint64_t cycles);
uint64_t loom_fabric_now(const struct loom_fabric *f);
/* Devices are being stepped in this cycle. */
bool loom_fabric_is_stepping(const struct loom_fabric *f);
/* What has been so far made the fabric ready: here its cycle 0 begins. */
void loom_fabric_begin(struct loom_fabric *f);
/* Cycles since then; LOOM_FABRIC_BEFORE: it has not begun. */
uint64_t loom_fabric_cycle(const struct loom_fabric *f);
/* A device is stepped in this cycle, or in the next one if it has been already, or may have been:
 * one of a class that is `apart`, while others are stepped. */
void loom_fabric_wake(struct loom_fabric *f, uint32_t device);
/* No device is awake and nothing is under way on a link. */
bool loom_fabric_quiet(struct loom_fabric *f);
/* When quiet: goes on to a later cycle. */
void loom_fabric_advance(struct loom_fabric *f, uint64_t cycle);

/* For a class's step: a flit on the output of a port, a credit unit of its input; a port without a
 * link swallows them. */
void loom_fabric_flit(const struct loom_fabric_show *show, uint32_t port, bool head, bool tail,
                      uint32_t vl, uint64_t data);
void loom_fabric_credit(const struct loom_fabric_show *show, uint32_t port, uint32_t vl);
/* The flit is a head whose packet stands in the fabric, on a link that carries streams. */
void loom_fabric_head(const struct loom_fabric_show *show, uint32_t port, uint32_t vl,
                      uint64_t data, uint32_t packet);
/* From this cycle on a flit that is neither head nor tail is there in each cycle, or not any more;
 * on a link that carries streams. */
void loom_fabric_turn_stream(const struct loom_fabric_show *show, uint32_t port, bool goes);
/* The same for many ports at once: what the ports in `valid` and `credit` show, by port. */
void loom_fabric_show(const struct loom_fabric_show *show, const struct loom_fabric_shown *all);
/* Of a class with wires: in each cycle. */
void loom_fabric_show_wires(const struct loom_fabric_show *show,
                            const struct loom_fabric_shown_wires *all);

/* ---- a part of a fabric (docs/ranks.md) ------------------------------------------------------ */

/* What a link brings to a port of a device of another part. */
struct loom_fabric_word {
  uint64_t data;
  uint32_t device;
  uint16_t ahead; /* cycles from the present one */
  uint8_t port, vl, cr_vl, rep_vc;
  bool valid, head, tail, credit; /* docs/link.md */
  bool reply, ack, signal;        /* of a class with wires; signal: it comes or goes */
};

/* From now on only devices with mine[device] are stepped here; another process steps the others, in
 * a fabric that is as this one. Before the first cycle of the run, without streams and pauses.
 * Once. False: out of memory. */
bool loom_fabric_part(struct loom_fabric *f, const bool *mine);
/* The shortest latency of a link between one's own devices and others; 0: there is none. It is how
 * many cycles may go by from one loom_fabric_give to the next. */
uint32_t loom_fabric_part_latency(const struct loom_fabric *f);
/* All that was shown to devices of other parts since the last time, for their processes; how many
 * words. */
uint64_t loom_fabric_give(struct loom_fabric *f,
                          void (*take)(void *context, const struct loom_fabric_word *word),
                          void *context);
/* Such a word for one's own device, in the cycle in which it was given. */
void loom_fabric_take(struct loom_fabric *f, const struct loom_fabric_word *word);
/* The cycle after the last one in which a device was stepped here; 0: none was since
 * loom_fabric_part. */
uint64_t loom_fabric_stepped(struct loom_fabric *f);

/* ---- counts ---------------------------------------------------------------------------------- */

struct loom_fabric_counts {
  uint64_t flits;  /* that went over a link: flit-hops */
  uint64_t steps;  /* of devices */
  uint64_t spoilt; /* flits with a wrong bit */
};
struct loom_fabric_counts loom_fabric_counts(struct loom_fabric *f);
/* Flits of a link so far, by direction: [0] from the end that was named first. */
void loom_fabric_link_flits(struct loom_fabric *f, uint32_t link, uint64_t flits[2]);
/* What links bring to a device `ahead` cycles from now; nothing is under way for longer than
 * loom_fabric_places. */
uint32_t loom_fabric_places(const struct loom_fabric *f);
const struct loom_fabric_arrival *loom_fabric_coming(struct loom_fabric *f, uint32_t device,
                                                     uint32_t ahead);
/* The last cycle in which a flit was on a link; with a lag, any of the last LOOM_FABRIC_LAG cycles
 * if it is one of these. */
uint64_t loom_fabric_last_flit(struct loom_fabric *f);

/* Finds a cycle of places in which each waits for the next; its length, 0: none. At most `max` are
 * listed. Slow; allocates while it works; false in *ok: out of memory. */
uint32_t loom_fabric_waiting_cycle(struct loom_fabric *f, struct loom_fabric_place *cycle,
                                   uint32_t max, bool *ok);

#endif
