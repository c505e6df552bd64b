/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.c - devices of any class, joined by links and stepped together (docs/fabric.md) */
#include "fabric/fabric.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/arena.h"
#include "fabric/crew.h"
#include "fabric/packets.h"

enum { ENDS = 2, LINE = LOOM_ARENA_LINE, FLIT_BITS = 64, BUS_FIRST = 16 };
enum { LATER = 512 };   /* cycles that a pause may last */
enum { CREW_FROM = 8 }; /* devices that a crew can step in this cycle; fewer are not worth it */
#define NEVER UINT64_MAX

/* A port: where its link leads. Small, as each flit looks at one, and at nothing else to find the
 * arrival. */
struct end {
  uint64_t flits;  /* that left here */
  char *arrival;   /* the first of the device at the far end, as there */
  uint32_t stride; /* from one of its arrivals to the next */
  uint32_t device; /* at the far end, LOOM_FABRIC_NONE: no link */
  uint16_t latency;
  uint8_t port; /* of the far end */
  bool side;    /* of the link: 0 if it was named first */
  bool noisy;
  bool goes; /* a stream, whose flits are counted by the cycles of its begin and its end */
};
_Static_assert(sizeof(struct end) == 32, "more than one line of the cache for two ports");

/* Ports of devices of other parts as their places among those that are held. */
struct link {
  uint32_t device[ENDS], port[ENDS]; /* LOOM_FABRIC_NONE: it is between others, of other parts */
  bool cut;                          /* the ends lead nowhere */
  uint64_t rate;                     /* chance that a flit is spoilt, in 2^-64 */
  uint64_t seed[ENDS]; /* by direction, so that the order of the devices does not matter */
};

/* An access that waits for the bus; or so many writes that stand in the device already, and of
 * which only the cycles are left. */
struct posted {
  struct loom_fabric_access access;
  uint32_t loaded; /* 0: an access */
};

/* What a device has beside its ports if its class has wires. */
struct wires {
  uint64_t seen, shown; /* signals: of the far ends, its own */
  /* What waits, around. */
  struct posted *bus;
  uint32_t first, count, size;      /* size: 0 or a power of two */
  bool asked;                       /* a read has waited */
  uint64_t waiting;                 /* accesses that wait, loaded ones, too */
  uint64_t loaded, until;           /* these go on, until before this cycle */
  struct loom_fabric_access access; /* of this cycle */
};

/* What its links need lies in one place: the arrivals, a ring, and the ends. Hosts have one port,
 * and there are many of them. */
struct device {
  const struct loom_fabric_class *class;
  void *state;
  char *arrival;       /* the first; its wires stand before it */
  struct end *end;     /* by port, after the arrivals; after them the numbers of the links */
  struct wires *wires; /* NULL: its class has none */
  uint32_t ports;      /* that are held: of a device of another part, those joined with this one */
  uint32_t stride;     /* bytes of an arrival and its wires */
  uint64_t held;       /* these, as a set */
  uint64_t streams;    /* that come */
  uint64_t going;      /* that it shows */
  uint64_t due;        /* cycle in which it goes on after a pause, NEVER: it makes none */
};

/* What a worker counts. */
struct tally {
  _Alignas(LINE) struct loom_fabric_counts counts;
  uint64_t last_flit;
  uint64_t accesses; /* that came to their devices */
  uint64_t stepped;  /* of a part: the cycle after that of the last step */
};

/* A device that is to be stepped: in the present cycle; or in which cycles of a block it is awake,
 * without those that it is awake in by itself. */
struct turn {
  uint64_t awake;
  uint32_t device;
  bool again; /* it is awake after the block, too */
};

struct loom_fabric {
  struct loom_fabric_cfg cfg;
  uint64_t now;
  uint64_t origin; /* cycle in which it began; LOOM_FABRIC_BEFORE: it has not */
  uint32_t devices, links;
  uint64_t accesses; /* of all devices so far */
  uint32_t places;   /* of a ring: a power of two above the latency */
  uint32_t words;    /* of a set of devices */
  uint32_t cursor;   /* device that is being stepped; LOOM_FABRIC_NONE between cycles */
  struct loom_arena arena;
  struct device *device;
  struct link *link;
  uint64_t *awake;        /* a ring of sets of devices */
  uint64_t *later;        /* likewise of LATER places: devices whose pause ends, if it still does */
  uint32_t pauses;        /* devices that make one: none is apart */
  uint32_t going;         /* streams, which none shows that is apart */
  bool streams;           /* are allowed */
  struct loom_crew *crew; /* NULL: the caller steps everything */
  uint32_t workers;
  struct tally *tally; /* by worker */
  uint64_t *apart;     /* devices that any worker can step */
  struct turn *turn;   /* of those of this cycle, or of these, in order */
  uint32_t turns;
  uint32_t lag;         /* cycles of a block; 0: all devices are stepped in the same cycle */
  uint64_t done;        /* cycle up to which those apart have been stepped, or will be when */
  bool under_way;       /* the present block has been, */
  uint64_t from, until; /* which has these cycles */
  uint64_t seen_flit;   /* the last cycle with one, when the last block was at its end */
  struct loom_packets packets;
  uint64_t *foreign; /* devices of other parts; NULL: there are none */
};

/* ---- creation -------------------------------------------------------------------------------- */

static uint32_t place_of(const struct loom_fabric *f, uint64_t cycle) {
  return (uint32_t)cycle & (f->places - 1);
}

static uint64_t *awake_in(const struct loom_fabric *f, uint64_t cycle) {
  return &f->awake[(size_t)place_of(f, cycle) * f->words];
}

static struct loom_fabric_arrival *arrival_in(const struct loom_fabric *f, uint32_t device,
                                              uint64_t cycle) {
  const struct device *d = &f->device[device];
  return (struct loom_fabric_arrival *)(d->arrival + (size_t)place_of(f, cycle) * d->stride);
}

static struct end *end_of(const struct loom_fabric *f, uint32_t device, uint32_t port) {
  return &f->device[device].end[port];
}

/* All but those of other parts have all their ports. */
static uint32_t place_of_port(const struct device *d, uint32_t port) {
  return loom_popcount(d->held & ((1ull << port) - 1));
}

/* The numbers of a device's links, by port. */
static uint32_t *links_of(const struct device *d) { return (uint32_t *)(d->end + d->ports); }

/* Bits of a word that others may set, too. */
static inline void merge(const struct loom_fabric *f, uint64_t *word, uint64_t bits) {
  if (f->crew)
    __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
  else
    *word |= bits;
}

/* The same, of bits that are turned. */
static inline void flip(const struct loom_fabric *f, uint64_t *word, uint64_t bits) {
  if (f->crew)
    __atomic_fetch_xor(word, bits, __ATOMIC_RELAXED);
  else
    *word ^= bits;
}

/* Another process steps it. */
static inline bool is_foreign(const struct loom_fabric *f, uint32_t device) {
  return f->foreign && f->foreign[device / LOOM_SET_WORD] >> device % LOOM_SET_WORD & 1;
}

/* A device is in a set of those awake or due. Without a crew, to ask first whether it is there
 * already costs more: nobody can foretell the answer. With one it spares the line of the cache. */
static inline void include(const struct loom_fabric *f, uint64_t *set, uint32_t device) {
  uint64_t *word = &set[device / LOOM_SET_WORD], bit = 1ull << device % LOOM_SET_WORD;
  if (!f->crew)
    *word |= bit;
  else if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
    __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static struct tally *allocate_tally(uint32_t workers) {
  size_t bytes = workers * sizeof(struct tally);
  struct tally *tally = aligned_alloc(LINE, bytes);
  if (tally)
    memset(tally, 0, bytes);
  return tally;
}

static bool allocate(struct loom_fabric *f) {
  f->device = calloc((size_t)f->cfg.devices + 1, sizeof *f->device);
  f->link = calloc((size_t)f->cfg.links + 1, sizeof *f->link);
  f->awake = calloc((size_t)f->places * f->words + 1, sizeof *f->awake);
  f->later = calloc((size_t)LATER * f->words + 1, sizeof *f->later);
  f->apart = calloc((size_t)f->words + 1, sizeof *f->apart);
  f->turn = calloc((size_t)f->cfg.devices + 1, sizeof *f->turn);
  f->tally = allocate_tally(1);
  f->workers = 1;
  return f->device && f->link && f->awake && f->later && f->apart && f->turn && f->tally;
}

struct loom_fabric *loom_fabric_create(const struct loom_fabric_cfg *cfg) {
  if (cfg->latency < 1 || cfg->latency > LOOM_FABRIC_LATENCY || cfg->devices == LOOM_FABRIC_NONE)
    return NULL;
  struct loom_fabric *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->cfg = *cfg;
  /* While a block is under way, what comes after it is shown, and what goes before it is read. */
  f->places = 1u << loom_clog2(cfg->latency == 1 ? 2 : 2 * cfg->latency + 1);
  f->words = loom_set_words(cfg->devices);
  f->cursor = LOOM_FABRIC_NONE;
  f->origin = LOOM_FABRIC_BEFORE;
  if (allocate(f))
    return f;
  loom_fabric_destroy(f);
  return NULL;
}

void loom_fabric_destroy(struct loom_fabric *f) {
  if (!f)
    return;
  loom_crew_destroy(f->crew);
  for (uint32_t d = 0; f->device && d < f->devices; d++)
    if (f->device[d].wires)
      free(f->device[d].wires->bus);
  loom_arena_free(&f->arena);
  free(f->device);
  free(f->link);
  free(f->awake);
  free(f->later);
  free(f->apart);
  free(f->turn);
  free(f->tally);
  free(f->foreign);
  loom_packets_free(&f->packets);
  free(f);
}

static size_t whole_lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

void *loom_fabric_memory(struct loom_fabric *f, size_t bytes) {
  return loom_arena_take(&f->arena, bytes);
}

/* Arrivals and ends of a device. */
static bool reserve(struct loom_fabric *f, struct device *d) {
  size_t before = d->class->wires ? sizeof(struct loom_fabric_wires) : 0;
  size_t stride = whole_lines(before + sizeof(struct loom_fabric_arrival) +
                              d->ports * sizeof(struct loom_link_in));
  size_t arrivals = stride * f->places, ends = d->ports * sizeof *d->end;
  size_t bytes = arrivals + ends + d->ports * sizeof(uint32_t);
  char *storage = loom_fabric_memory(f, bytes);
  d->wires = d->class->wires ? loom_fabric_memory(f, sizeof *d->wires) : NULL;
  if (!storage || (d->class->wires && !d->wires))
    return false;
  d->stride = (uint32_t)stride;
  d->arrival = storage + before;
  d->end = (struct end *)(storage + arrivals);
  for (uint32_t port = 0; port < d->ports; port++) {
    d->end[port].device = LOOM_FABRIC_NONE;
    links_of(d)[port] = LOOM_FABRIC_NONE;
  }
  return true;
}

/* Of its class. */
static void note_apart(struct loom_fabric *f, uint32_t device) {
  uint64_t *word = &f->apart[device / LOOM_SET_WORD], bit = 1ull << device % LOOM_SET_WORD;
  *word = f->device[device].class->apart ? *word | bit : *word & ~bit;
}

/* Who hears of a device's steps may have changed its class after it was added. */
static void note_all_apart(struct loom_fabric *f) {
  for (uint32_t d = 0; d < f->devices; d++)
    note_apart(f, d);
}

static uint32_t add_device(struct loom_fabric *f, struct device *d) {
  if (f->devices == f->cfg.devices || (d->ports && !reserve(f, d)))
    return LOOM_FABRIC_NONE;
  f->device[f->devices] = *d;
  loom_fabric_wake(f, f->devices);
  return f->devices++;
}

uint32_t loom_fabric_add(struct loom_fabric *f, const struct loom_fabric_class *class,
                         void *device) {
  struct device d = {.class = class,
                     .state = device,
                     .ports = class->ports ? class->ports : LOOM_FABRIC_PORTS,
                     .held = ~0ull,
                     .due = NEVER};
  return add_device(f, &d);
}

static bool make_foreign(struct loom_fabric *f) {
  if (!f->foreign)
    f->foreign = calloc((size_t)f->words + 1, sizeof *f->foreign);
  return f->foreign;
}

uint32_t loom_fabric_add_foreign(struct loom_fabric *f, const struct loom_fabric_class *class,
                                 uint64_t ports) {
  struct device d = {.class = class, .ports = loom_popcount(ports), .held = ports, .due = NEVER};
  if (f->devices == f->cfg.devices || !make_foreign(f))
    return LOOM_FABRIC_NONE;
  f->foreign[f->devices / LOOM_SET_WORD] |= 1ull << f->devices % LOOM_SET_WORD;
  return add_device(f, &d);
}

void loom_fabric_replace(struct loom_fabric *f, uint32_t device,
                         const struct loom_fabric_class *class, void *state) {
  f->device[device].class = class;
  f->device[device].state = state;
  note_apart(f, device);
  loom_fabric_wake(f, device);
}

void *loom_fabric_device(const struct loom_fabric *f, uint32_t device) {
  return f->device[device].state;
}

const struct loom_fabric_class *loom_fabric_class_of(const struct loom_fabric *f, uint32_t device) {
  return f->device[device].class;
}

/* ---- links ----------------------------------------------------------------------------------- */

static bool is_held(const struct loom_fabric *f, uint32_t device, uint32_t port) {
  return f->device[device].held >> port & 1;
}

uint32_t loom_fabric_link(const struct loom_fabric *f, uint32_t device, uint32_t port) {
  const struct device *d = &f->device[device];
  return is_held(f, device, port) ? links_of(d)[place_of_port(d, port)] : LOOM_FABRIC_NONE;
}

bool loom_fabric_far(const struct loom_fabric *f, uint32_t device, uint32_t port,
                     struct loom_fabric_far *far) {
  const struct end *e = end_of(f, device, port);
  *far = (struct loom_fabric_far){.device = e->device, .port = e->port, .latency = e->latency};
  return e->device != LOOM_FABRIC_NONE;
}

static bool is_free(const struct loom_fabric *f, uint32_t device, uint32_t port) {
  return device < f->devices && port < LOOM_FABRIC_PORTS &&
         (is_foreign(f, device) || port < f->device[device].ports) &&
         loom_fabric_link(f, device, port) == LOOM_FABRIC_NONE;
}

/* Of another part, and not joined with this one by that port. */
static bool is_beyond(const struct loom_fabric *f, uint32_t device, uint32_t port) {
  return is_foreign(f, device) && !is_held(f, device, port);
}

uint32_t loom_fabric_connect(struct loom_fabric *f, uint32_t a, uint32_t port, uint32_t b,
                             uint32_t peer, uint32_t latency) {
  uint32_t number = f->links;
  if (number == f->cfg.links || latency < 1 || latency > f->cfg.latency || !is_free(f, a, port) ||
      !is_free(f, b, peer) || (a == b && port == peer) ||
      f->device[a].class->wires != f->device[b].class->wires)
    return LOOM_FABRIC_NONE;
  struct link *l = &f->link[f->links++];
  *l = (struct link){.device = {LOOM_FABRIC_NONE, LOOM_FABRIC_NONE}};
  if (is_beyond(f, a, port) && is_beyond(f, b, peer))
    return number;
  *l = (struct link){
      .device = {a, b},
      .port = {place_of_port(&f->device[a], port), place_of_port(&f->device[b], peer)}};
  for (uint32_t side = 0; side < ENDS; side++) {
    const struct device *far = &f->device[l->device[!side]];
    *end_of(f, l->device[side], l->port[side]) = (struct end){.arrival = far->arrival,
                                                              .stride = far->stride,
                                                              .device = l->device[!side],
                                                              .port = (uint8_t)l->port[!side],
                                                              .latency = (uint16_t)latency,
                                                              .side = side != 0};
    links_of(&f->device[l->device[side]])[l->port[side]] = number;
    l->seed[side] = loom_scramble(loom_scramble(f->cfg.seed) + (uint64_t)number * ENDS + side);
  }
  return number;
}

/* It has an end here. */
static bool is_here(const struct link *l) { return l->device[0] != LOOM_FABRIC_NONE; }

/* A chance of 0..1 in 2^-64. */
static uint64_t chance_of(double rate) {
  static const double all = 18446744073709551616.0; /* 2^64 */
  return rate <= 0 ? 0 : rate >= 1 ? UINT64_MAX : (uint64_t)(rate * all);
}

void loom_fabric_errors(struct loom_fabric *f, uint32_t link, double rate) {
  struct link *l = &f->link[link];
  l->rate = chance_of(rate);
  for (uint32_t side = 0; is_here(l) && side < ENDS; side++)
    end_of(f, l->device[side], l->port[side])->noisy = l->rate != 0;
}

/* A flit on a link with errors: perhaps with one bit turned. */
static uint64_t spoil(const struct loom_fabric_show *show, const struct end *e, bool head,
                      bool tail, uint64_t data) {
  struct loom_fabric *f = show->fabric;
  const struct device *far = &f->device[e->device];
  struct link *l = &f->link[links_of(far)[e->port]];
  bool spared = far->class->spared ? far->class->spared(head, tail, data) : head;
  if (spared || loom_random(&l->seed[e->side]) >= l->rate)
    return data;
  f->tally[show->worker].counts.spoilt++;
  return data ^ 1ull << loom_below(&l->seed[e->side], FLIT_BITS);
}

/* The arrival at the far end that what is shown now belongs to; it will be awake for it. */
static inline struct loom_fabric_arrival *far_arrival(const struct loom_fabric *f,
                                                      const struct end *e, uint64_t now) {
  uint64_t then = now + e->latency;
  char *arrival = e->arrival + (size_t)place_of(f, then) * e->stride;
  struct loom_fabric_arrival *a = (struct loom_fabric_arrival *)arrival;
  include(f, awake_in(f, then), e->device);
  return a;
}

/* The word of a flit as it arrives. */
static inline uint64_t arriving(const struct loom_fabric_show *show, const struct end *e, bool head,
                                bool tail, uint64_t data) {
  return e->noisy && e->device != LOOM_FABRIC_NONE ? spoil(show, e, head, tail, data) : data;
}

/* What is counted of the flits of a device in this cycle. */
static inline void count_flits(const struct loom_fabric_show *show, uint32_t flits) {
  struct tally *t = &show->fabric->tally[show->worker];
  if (!flits)
    return;
  t->counts.flits += flits;
  t->last_flit = show->now;
}

/* A flit between head and tail, as most are. How many flits that makes: none without a link. */
static inline uint32_t show_flit(const struct loom_fabric_show *show, struct end *e, uint8_t vl,
                                 uint64_t data) {
  const struct loom_fabric *f = show->fabric;
  if (e->device == LOOM_FABRIC_NONE)
    return 0;
  struct loom_fabric_arrival *a = far_arrival(f, e, show->now);
  merge(f, &a->valid, 1ull << e->port);
  a->port[e->port].vl = vl;
  a->port[e->port].data = data;
  e->flits++;
  return 1;
}

/* The flit is a head, or a tail, or both. */
static inline void show_ends(const struct loom_fabric_show *show, const struct end *e, bool head,
                             bool tail, uint32_t packet) {
  const struct loom_fabric *f = show->fabric;
  if (e->device == LOOM_FABRIC_NONE)
    return;
  struct loom_fabric_arrival *a = far_arrival(f, e, show->now);
  if (head)
    a->port[e->port].packet = packet;
  if (head)
    merge(f, &a->head, 1ull << e->port);
  if (tail)
    merge(f, &a->tail, 1ull << e->port);
}

static inline void show_credit(const struct loom_fabric_show *show, const struct end *e,
                               uint8_t vl) {
  const struct loom_fabric *f = show->fabric;
  if (e->device == LOOM_FABRIC_NONE)
    return;
  struct loom_fabric_arrival *a = far_arrival(f, e, show->now);
  merge(f, &a->credit, 1ull << e->port);
  a->port[e->port].cr_vl = vl;
}

void loom_fabric_flit(const struct loom_fabric_show *show, uint32_t port, bool head, bool tail,
                      uint32_t vl, uint64_t data) {
  struct loom_fabric *f = show->fabric;
  struct end *e = end_of(f, show->device, port);
  count_flits(show, show_flit(show, e, (uint8_t)vl, arriving(show, e, head, tail, data)));
  if (head | tail)
    show_ends(show, e, head, tail, 0);
}

void loom_fabric_head(const struct loom_fabric_show *show, uint32_t port, uint32_t vl,
                      uint64_t data, uint32_t packet) {
  struct loom_fabric *f = show->fabric;
  struct end *e = end_of(f, show->device, port);
  count_flits(show, show_flit(show, e, (uint8_t)vl, data));
  show_ends(show, e, true, false, packet);
}

/* Flits are the cycles from the begin of a stream to its end. */
void loom_fabric_turn_stream(const struct loom_fabric_show *show, uint32_t port, bool goes) {
  struct loom_fabric *f = show->fabric;
  struct end *e = end_of(f, show->device, port);
  struct tally *t = &f->tally[show->worker];
  far_arrival(f, e, show->now)->stream ^= 1ull << e->port;
  e->goes = goes;
  if (goes) {
    f->going++;
    e->flits -= show->now;
    t->counts.flits -= show->now;
    return;
  }
  f->going--;
  e->flits += show->now;
  t->counts.flits += show->now;
  if (t->last_flit < show->now - 1)
    t->last_flit = show->now - 1;
}

void loom_fabric_credit(const struct loom_fabric_show *show, uint32_t port, uint32_t vl) {
  const struct end *e = end_of(show->fabric, show->device, port);
  show_credit(show, e, (uint8_t)vl);
}

void loom_fabric_show(const struct loom_fabric_show *show, const struct loom_fabric_shown *all) {
  struct loom_fabric *f = show->fabric;
  struct end *end = end_of(f, show->device, 0);
  uint64_t head = all->head, tail = all->tail;
  const uint8_t *vl = all->vl;
  const uint64_t *data = all->data;
  uint32_t flits = 0;
  for (uint64_t set = all->valid; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct end *e = &end[port];
    uint64_t word = arriving(show, e, head >> port & 1, tail >> port & 1, data[port]);
    flits += show_flit(show, e, vl[port], word);
  }
  count_flits(show, flits);
  for (uint64_t set = (head | tail) & all->valid; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    show_ends(show, &end[port], head & set & -set, tail & set & -set,
              all->packet ? all->packet[port] : 0);
  }
  for (uint64_t set = all->stream ^ f->device[show->device].going; set; set &= set - 1)
    loom_fabric_turn_stream(show, loom_ctz(set), all->stream >> loom_ctz(set) & 1);
  f->device[show->device].going = all->stream;
  for (uint64_t set = all->credit; set; set &= set - 1)
    show_credit(show, &end[loom_ctz(set)], all->cr_vl[loom_ctz(set)]);
}

/* ---- wires ----------------------------------------------------------------------------------- */

static struct loom_fabric_wires *wires_of(struct loom_fabric_arrival *a) {
  return (struct loom_fabric_wires *)a - 1;
}

/* While it is under way `signal` says whose signal comes or goes. */
static void show_turn(const struct loom_fabric *f, const struct end *e, uint64_t now) {
  if (e->device != LOOM_FABRIC_NONE)
    flip(f, &wires_of(far_arrival(f, e, now))->signal, 1ull << e->port);
}

static void show_reply(const struct loom_fabric_show *show, const struct end *e, bool ack,
                       uint8_t vc) {
  const struct loom_fabric *f = show->fabric;
  if (e->device == LOOM_FABRIC_NONE)
    return;
  struct loom_fabric_arrival *a = far_arrival(f, e, show->now);
  merge(f, &wires_of(a)->reply, 1ull << e->port);
  if (ack)
    merge(f, &wires_of(a)->ack, 1ull << e->port);
  a->port[e->port].rep_vc = vc;
}

void loom_fabric_show_wires(const struct loom_fabric_show *show,
                            const struct loom_fabric_shown_wires *all) {
  const struct loom_fabric *f = show->fabric;
  const struct device *d = &f->device[show->device];
  uint64_t turned = all->signal ^ d->wires->shown;
  if (!(all->reply | turned))
    return;
  d->wires->shown = all->signal;
  for (uint64_t set = all->reply; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    show_reply(show, &d->end[port], all->ack >> port & 1, all->rep_vc[port]);
  }
  for (; turned; turned &= turned - 1)
    show_turn(f, &d->end[loom_ctz(turned)], show->now);
}

/* What waits first gets the bus. */
static void use_bus(struct wires *d, struct loom_fabric_wires *w, uint64_t now) {
  const struct posted *next = &d->bus[d->first];
  d->first = (d->first + 1) & (d->size - 1);
  d->count--;
  d->loaded = next->loaded ? next->loaded : 1;
  d->until = now + d->loaded;
  d->waiting -= d->loaded;
  if (next->loaded)
    return;
  d->access = next->access;
  w->access = &d->access;
}

/* Before the step of a device. */
static void open_wires(struct wires *d, struct loom_fabric_wires *w, uint64_t now,
                       struct tally *tally) {
  d->seen ^= w->signal;
  w->signal = d->seen;
  if (d->count && now >= d->until)
    use_bus(d, w, now);
  if (now + 1 == d->until)
    tally->accesses += d->loaded;
}

/* Nothing arrives at this end any more. */
static void silence(struct loom_fabric *f, uint32_t device, uint32_t port) {
  uint64_t others = ~(1ull << port);
  struct wires *d = f->device[device].wires;
  for (uint32_t place = 0; place < f->places; place++) {
    struct loom_fabric_arrival *a = arrival_in(f, device, place);
    a->valid &= others;
    a->head &= others;
    a->tail &= others;
    a->credit &= others;
    if (!d)
      continue;
    wires_of(a)->reply &= others;
    wires_of(a)->ack &= others;
    wires_of(a)->signal &= others;
  }
  if (d)
    d->seen &= others;
  loom_fabric_wake(f, device);
}

/* The end leads to the other one again, which sees its signal. Whoever steps the device of the end
 * knows that. */
static void revive(struct loom_fabric *f, const struct link *l, uint32_t side) {
  const struct device *d = &f->device[l->device[side]];
  struct end *e = &d->end[l->port[side]];
  e->device = l->device[!side];
  if (!d->wires || !(d->wires->shown >> l->port[side] & 1) || is_foreign(f, l->device[side]))
    return;
  show_turn(f, e, f->now);
}

void loom_fabric_join(struct loom_fabric *f, uint32_t link, bool joined) {
  loom_fabric_settle(f);
  struct link *l = &f->link[link];
  if (l->cut != joined)
    return;
  l->cut = !joined;
  for (uint32_t side = 0; is_here(l) && side < ENDS; side++) {
    if (joined) {
      revive(f, l, side);
      continue;
    }
    end_of(f, l->device[side], l->port[side])->device = LOOM_FABRIC_NONE;
    silence(f, l->device[side], l->port[side]);
  }
}

bool loom_fabric_is_joined(const struct loom_fabric *f, uint32_t link) {
  return !f->link[link].cut;
}

/* ---- streams --------------------------------------------------------------------------------- */

void loom_fabric_allow_streams(struct loom_fabric *f) { f->streams = true; }

uint64_t loom_fabric_streams(const struct loom_fabric *f, uint32_t device) {
  uint64_t ports = 0;
  for (uint32_t port = 0; f->streams && port < f->device[device].ports; port++) {
    const struct end *e = end_of(f, device, port);
    bool streams =
        e->device != LOOM_FABRIC_NONE && !e->noisy && f->device[e->device].class->streams;
    ports |= (uint64_t)streams << port;
  }
  return ports;
}

struct loom_packets *loom_fabric_packets(struct loom_fabric *f) {
  return &f->packets;
}

/* ---- register buses -------------------------------------------------------------------------- */

/* Room for another access; false: out of memory. */
static bool grow_bus(struct wires *w) {
  uint32_t size = w->size ? 2 * w->size : BUS_FIRST;
  struct posted *bus = malloc(size * sizeof *bus);
  if (!bus)
    return false;
  for (uint32_t i = 0; i < w->count; i++)
    bus[i] = w->bus[(w->first + i) & (w->size - 1)];
  free(w->bus);
  w->bus = bus;
  w->size = size;
  w->first = 0;
  return true;
}

/* The device takes a write at once, before its first cycle and before anything is read. */
static bool load(const struct loom_fabric *f, const struct device *d,
                 const struct loom_fabric_access *access) {
  return !f->now && !d->wires->asked && !access->read && d->class->load &&
         d->class->load(d->state, access->addr, access->data);
}

static struct posted *posted_at(const struct wires *w, uint32_t place) {
  return &w->bus[(w->first + place) & (w->size - 1)];
}

bool loom_fabric_access(struct loom_fabric *f, uint32_t device,
                        const struct loom_fabric_access *access) {
  struct wires *w = f->device[device].wires;
  if (is_foreign(f, device))
    return true;
  if (w->count == w->size && !grow_bus(w))
    return false;
  bool loaded = load(f, &f->device[device], access);
  if (!loaded || !w->count || !posted_at(w, w->count - 1)->loaded)
    *posted_at(w, w->count++) = (struct posted){.access = *access};
  posted_at(w, w->count - 1)->loaded += loaded;
  w->asked |= access->read;
  w->waiting++;
  f->accesses++;
  loom_fabric_wake(f, device);
  return true;
}

uint64_t loom_fabric_waiting(const struct loom_fabric *f, uint32_t device) {
  if (device != LOOM_FABRIC_NONE) {
    const struct wires *w = f->device[device].wires;
    return w ? w->waiting + (w->until > f->now ? w->until - f->now : 0) : 0;
  }
  uint64_t waiting = f->accesses;
  for (uint32_t w = 0; w < f->workers; w++)
    waiting -= f->tally[w].accesses;
  return waiting;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

void loom_fabric_write(struct loom_fabric *f, uint32_t device, uint32_t addr, uint32_t data) {
  const struct device *d = &f->device[device];
  if (!d->class->write)
    return;
  d->class->write(d->state, addr, data);
  loom_fabric_wake(f, device);
}

static uint64_t *later_in(const struct loom_fabric *f, uint64_t cycle) {
  return &f->later[cycle % LATER * f->words];
}

/* The device does nothing for so many cycles after this one. */
static void pause_device(struct loom_fabric *f, uint32_t number, uint64_t cycles) {
  struct device *d = &f->device[number];
  d->due = f->now + 1 + (cycles < LATER - 2 ? cycles : LATER - 2);
  include(f, later_in(f, d->due), number);
  f->pauses++;
}

static void end_pause(struct loom_fabric *f, struct device *d) {
  if (d->due == NEVER)
    return;
  d->due = NEVER;
  f->pauses--;
}

/* The pauses that end in this cycle. */
static void go_on(struct loom_fabric *f) {
  uint64_t *later = later_in(f, f->now), *awake = awake_in(f, f->now);
  for (uint32_t w = 0; w < f->words; w++)
    for (; later[w]; later[w] &= later[w] - 1) {
      uint32_t bit = loom_ctz(later[w]);
      if (f->device[w * LOOM_SET_WORD + bit].due == f->now)
        awake[w] |= 1ull << bit;
    }
}

/* The bus of a device that sleeps has something to do in the next cycle. Writes that are loaded
 * need none until their last cycle, but a pause is for who steps devices one after the other. */
static bool is_bus_used(struct loom_fabric *f, uint32_t number, uint64_t now) {
  const struct wires *w = f->device[number].wires;
  if (!w || w->until < now + 2)
    return w && w->count;
  if (w->until == now + 2 || f->crew || f->lag)
    return true;
  pause_device(f, number, w->until - now - 2);
  return false;
}

/* Whether it is awake in the next cycle. */
static bool step_device(struct loom_fabric *f, uint32_t number, uint64_t now, uint32_t worker) {
  struct device *d = &f->device[number];
  struct loom_fabric_arrival *in = arrival_in(f, number, now);
  const struct loom_fabric_show show = {
      .fabric = f, .device = number, .worker = worker, .now = now};
  struct tally *tally = &f->tally[worker];
  if (d->wires)
    open_wires(d->wires, wires_of(in), now, tally);
  end_pause(f, d);
  d->streams ^= in->stream;
  in->stream = d->streams;
  d->class->step(d->state, now, in, &show);
  in->valid = in->head = in->tail = in->credit = in->stream = 0;
  if (d->wires)
    *wires_of(in) = (struct loom_fabric_wires){.reply = 0};
  tally->counts.steps++;
  if (f->foreign && tally->stepped <= now)
    tally->stepped = now + 1;
  if (d->class->sleeps(d->state))
    return is_bus_used(f, number, now);
  uint64_t cycles = d->class->spare ? d->class->spare(d->state) : 0;
  if (cycles)
    pause_device(f, number, cycles);
  return !cycles;
}

/* Who is woken meanwhile and comes later in the order is stepped, too. With a lag those apart are
 * not looked at here. */
static void step_awake(struct loom_fabric *f, uint64_t *awake) {
  for (uint32_t w = 0; w < f->words; w++) {
    uint64_t mine = f->lag ? ~f->apart[w] : ~0ull;
    while (awake[w] & mine) {
      uint32_t number = w * LOOM_SET_WORD + loom_ctz(awake[w] & mine);
      awake[w] &= ~(1ull << number % LOOM_SET_WORD);
      f->cursor = number;
      if (step_device(f, number, f->now, 0))
        include(f, awake_in(f, f->now + 1), number);
    }
  }
  f->cursor = LOOM_FABRIC_NONE;
}

/* ---- every core ------------------------------------------------------------------------------ */

/* A device in all cycles of its block in which it is awake. */
static void step_block(struct loom_fabric *f, struct turn *t, uint32_t worker) {
  for (uint64_t cycle = f->from; cycle < f->until; cycle++)
    if (t->again || t->awake >> (cycle - f->from) & 1)
      t->again = step_device(f, t->device, cycle, worker);
}

static void step_turn(void *context, uint32_t worker, uint32_t item) {
  struct loom_fabric *f = context;
  struct turn *t = &f->turn[item];
  if (f->lag)
    step_block(f, t, worker);
  else if (step_device(f, t->device, f->now, worker))
    include(f, awake_in(f, f->now + 1), t->device);
}

bool loom_fabric_share(struct loom_fabric *f, uint32_t workers) {
  struct tally *tally = allocate_tally(workers);
  struct loom_crew *crew = tally ? loom_crew_create(workers, step_turn, f) : NULL;
  if (f->crew || !crew) {
    loom_crew_destroy(crew);
    free(tally);
    return false;
  }
  tally[0] = f->tally[0];
  free(f->tally);
  f->tally = tally;
  f->crew = crew;
  f->workers = workers;
  note_all_apart(f);
  return true;
}

static uint32_t count_apart(const struct loom_fabric *f, const uint64_t *awake) {
  uint32_t count = 0;
  for (uint32_t w = 0; w < f->words; w++)
    count += loom_popcount(awake[w] & f->apart[w]);
  return count;
}

/* Those apart that are awake in the cycles from `from` to before `until` are listed, and are awake
 * no more. */
static void list_turns(struct loom_fabric *f, uint64_t from, uint64_t until) {
  f->turns = 0;
  for (uint32_t w = 0; w < f->words; w++) {
    uint64_t any = 0;
    for (uint64_t cycle = from; cycle < until; cycle++)
      any |= awake_in(f, cycle)[w] & f->apart[w];
    for (uint64_t set = any; set; set &= set - 1) {
      struct turn *t = &f->turn[f->turns++];
      *t = (struct turn){.device = w * LOOM_SET_WORD + loom_ctz(set)};
      for (uint64_t cycle = from; cycle < until; cycle++)
        t->awake |= (awake_in(f, cycle)[w] >> loom_ctz(set) & 1) << (cycle - from);
    }
    for (uint64_t cycle = from; any && cycle < until; cycle++)
      awake_in(f, cycle)[w] &= ~any;
  }
}

static void step_together(struct loom_fabric *f) {
  uint64_t *awake = awake_in(f, f->now);
  bool shared = f->crew && count_apart(f, awake) >= CREW_FROM;
  if (shared) {
    list_turns(f, f->now, f->now + 1);
    loom_crew_begin(f->crew, f->turns);
  }
  step_awake(f, awake);
  if (shared)
    loom_crew_end(f->crew);
}

/* ---- behind the others ----------------------------------------------------------------------- */

/* The shortest latency of a link of a device that is apart; 0: there is none. */
static uint32_t shortest(const struct loom_fabric *f) {
  uint32_t least = 0;
  for (uint32_t l = 0; l < f->links; l++)
    for (uint32_t side = 0; is_here(&f->link[l]) && side < ENDS; side++) {
      uint32_t device = f->link[l].device[side];
      uint32_t latency = end_of(f, device, f->link[l].port[side])->latency;
      if (f->device[device].class->apart && (!least || latency < least))
        least = latency;
    }
  return least;
}

void loom_fabric_lag(struct loom_fabric *f, uint32_t most) {
  uint32_t lag = loom_min(loom_min(most, LOOM_FABRIC_LAG), shortest(f));
  f->lag = f->crew ? lag / 2 : lag; /* with a crew up to two blocks are behind */
  if (f->lag < 2)
    f->lag = 0;
  f->done = f->now;
  note_all_apart(f);
}

static uint64_t last_flit(const struct loom_fabric *f) {
  uint64_t last = f->going && f->now ? f->now - 1 : 0;
  for (uint32_t w = 0; w < f->workers; w++)
    if (last < f->tally[w].last_flit)
      last = f->tally[w].last_flit;
  return last;
}

static void end_block(struct loom_fabric *f) {
  if (!f->under_way)
    return;
  f->under_way = false;
  if (f->crew)
    loom_crew_end(f->crew);
  else
    for (uint32_t item = 0; item < f->turns; item++)
      step_turn(f, 0, item);
  for (uint32_t item = 0; item < f->turns; item++)
    if (f->turn[item].again)
      include(f, awake_in(f, f->until), f->turn[item].device);
  f->seen_flit = last_flit(f);
}

/* All cycles so far, once the block before is at its end. A crew begins with it. */
static void begin_block(struct loom_fabric *f) {
  end_block(f);
  f->from = f->done;
  f->until = f->done = f->now;
  list_turns(f, f->from, f->until);
  f->under_way = true;
  if (f->crew)
    loom_crew_begin(f->crew, f->turns);
  else
    end_block(f);
}

void loom_fabric_settle(struct loom_fabric *f) {
  if (!f->lag)
    return;
  end_block(f);
  if (f->done < f->now)
    begin_block(f);
  end_block(f);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_fabric_step(struct loom_fabric *f) {
  if (f->pauses)
    go_on(f);
  if (f->lag)
    step_awake(f, awake_in(f, f->now));
  else
    step_together(f);
  f->now++;
  if (f->lag && f->now - f->done >= f->lag)
    begin_block(f);
}

void loom_fabric_run(struct loom_fabric *f, uint64_t cycles) {
  for (; cycles; cycles--)
    loom_fabric_step(f);
}

uint64_t loom_fabric_now(const struct loom_fabric *f) { return f->now; }

bool loom_fabric_is_stepping(const struct loom_fabric *f) { return f->cursor != LOOM_FABRIC_NONE; }

void loom_fabric_begin(struct loom_fabric *f) { f->origin = f->now; }

uint64_t loom_fabric_cycle(const struct loom_fabric *f) {
  return f->origin == LOOM_FABRIC_BEFORE ? LOOM_FABRIC_BEFORE : f->now - f->origin;
}

void loom_fabric_wake(struct loom_fabric *f, uint32_t device) {
  if (is_foreign(f, device))
    return;
  bool past =
      f->cursor != LOOM_FABRIC_NONE && (device <= f->cursor || f->device[device].class->apart);
  include(f, awake_in(f, f->now + past), device);
}

bool loom_fabric_quiet(struct loom_fabric *f) {
  loom_fabric_settle(f);
  if (f->pauses)
    return false;
  for (uint32_t place = 0; place < f->places; place++) {
    const uint64_t *awake = awake_in(f, f->now + place);
    for (uint32_t w = 0; w < f->words; w++)
      if (awake[w])
        return false;
  }
  return true;
}

void loom_fabric_advance(struct loom_fabric *f, uint64_t cycle) {
  loom_fabric_settle(f);
  if (cycle > f->now)
    f->now = f->done = cycle;
}

/* ---- a part of a fabric ---------------------------------------------------------------------- */

/* What links have for the devices of other parts is there, too, in their own fabrics. */
bool loom_fabric_part(struct loom_fabric *f, const bool *mine) {
  loom_fabric_settle(f);
  if (!make_foreign(f))
    return false;
  for (uint32_t d = 0; d < f->devices; d++)
    if (!mine[d])
      f->foreign[d / LOOM_SET_WORD] |= 1ull << d % LOOM_SET_WORD;
  loom_fabric_give(f, NULL, NULL);
  return true;
}

uint32_t loom_fabric_part_latency(const struct loom_fabric *f) {
  uint32_t least = 0;
  for (uint32_t l = 0; l < f->links; l++) {
    const struct link *link = &f->link[l];
    if (!is_here(link))
      continue;
    uint32_t latency = end_of(f, link->device[0], link->port[0])->latency;
    if (is_foreign(f, link->device[0]) != is_foreign(f, link->device[1]) &&
        (!least || latency < least))
      least = latency;
  }
  return least;
}

/* What comes to a port that is held; false: nothing. */
static bool read_word(const struct device *d, struct loom_fabric_arrival *in, uint32_t port,
                      struct loom_fabric_word *w) {
  const struct loom_link_in *link = &in->port[port];
  w->valid = in->valid >> port & 1;
  w->head = in->head >> port & 1;
  w->tail = in->tail >> port & 1;
  w->credit = in->credit >> port & 1;
  w->data = w->valid ? link->data : 0;
  w->vl = w->valid ? link->vl : 0;
  w->cr_vl = w->credit ? link->cr_vl : 0;
  if (d->wires) {
    const struct loom_fabric_wires *wires = wires_of(in);
    w->reply = wires->reply >> port & 1;
    w->ack = wires->ack >> port & 1;
    w->signal = wires->signal >> port & 1;
    w->rep_vc = w->reply ? link->rep_vc : 0;
  }
  return w->valid | w->head | w->tail | w->credit | w->reply | w->ack | w->signal;
}

static uint64_t give_arrival(struct loom_fabric *f, uint32_t device, uint32_t ahead,
                             void (*take)(void *context, const struct loom_fabric_word *word),
                             void *context) {
  const struct device *d = &f->device[device];
  struct loom_fabric_arrival *in = arrival_in(f, device, f->now + ahead);
  uint64_t words = 0;
  uint64_t held = d->held;
  for (uint32_t port = 0; take && port < d->ports; port++, held &= held - 1) {
    struct loom_fabric_word w = {
        .device = device, .ahead = (uint16_t)ahead, .port = (uint8_t)loom_ctz(held)};
    if (!read_word(d, in, port, &w))
      continue;
    take(context, &w);
    words++;
  }
  in->valid = in->head = in->tail = in->credit = 0;
  if (d->wires)
    *wires_of(in) = (struct loom_fabric_wires){.reply = 0};
  return words;
}

uint64_t loom_fabric_give(struct loom_fabric *f,
                          void (*take)(void *context, const struct loom_fabric_word *word),
                          void *context) {
  uint64_t words = 0;
  loom_fabric_settle(f);
  for (uint32_t ahead = 0; ahead < f->places; ahead++) {
    uint64_t *awake = awake_in(f, f->now + ahead);
    for (uint32_t w = 0; w < f->words; w++) {
      for (uint64_t set = awake[w] & f->foreign[w]; set; set &= set - 1)
        words += give_arrival(f, w * LOOM_SET_WORD + loom_ctz(set), ahead, take, context);
      awake[w] &= ~f->foreign[w];
    }
  }
  return words;
}

static uint64_t bit_if(bool set, uint32_t port) { return (uint64_t)set << port; }

void loom_fabric_take(struct loom_fabric *f, const struct loom_fabric_word *w) {
  const struct device *d = &f->device[w->device];
  struct loom_fabric_arrival *in = arrival_in(f, w->device, f->now + w->ahead);
  struct loom_link_in *link = &in->port[w->port];
  in->valid |= bit_if(w->valid, w->port);
  in->head |= bit_if(w->head, w->port);
  in->tail |= bit_if(w->tail, w->port);
  in->credit |= bit_if(w->credit, w->port);
  if (w->valid) {
    link->data = w->data;
    link->vl = w->vl;
    link->packet = 0;
  }
  if (w->credit)
    link->cr_vl = w->cr_vl;
  if (w->reply)
    link->rep_vc = w->rep_vc;
  if (d->wires) {
    wires_of(in)->reply |= bit_if(w->reply, w->port);
    wires_of(in)->ack |= bit_if(w->ack, w->port);
    wires_of(in)->signal ^= bit_if(w->signal, w->port);
  }
  include(f, awake_in(f, f->now + w->ahead), w->device);
}

uint64_t loom_fabric_stepped(struct loom_fabric *f) {
  uint64_t stepped = 0;
  loom_fabric_settle(f);
  for (uint32_t w = 0; w < f->workers; w++)
    if (stepped < f->tally[w].stepped)
      stepped = f->tally[w].stepped;
  return stepped;
}

/* ---- counts ---------------------------------------------------------------------------------- */

struct loom_fabric_counts loom_fabric_counts(struct loom_fabric *f) {
  loom_fabric_settle(f);
  struct loom_fabric_counts counts = {.flits = 0};
  for (uint32_t w = 0; w < f->workers; w++) {
    const struct tally *t = &f->tally[w];
    counts.flits += t->counts.flits;
    counts.steps += t->counts.steps;
    counts.spoilt += t->counts.spoilt;
  }
  counts.flits += f->going * f->now;
  return counts;
}

void loom_fabric_link_flits(struct loom_fabric *f, uint32_t link, uint64_t flits[2]) {
  loom_fabric_settle(f);
  const struct link *l = &f->link[link];
  flits[0] = flits[1] = 0;
  for (uint32_t side = 0; is_here(l) && side < ENDS; side++) {
    const struct end *e = end_of(f, l->device[side], l->port[side]);
    flits[side] = e->flits + (e->goes ? f->now : 0);
  }
}

uint32_t loom_fabric_places(const struct loom_fabric *f) { return f->places; }

const struct loom_fabric_arrival *loom_fabric_coming(struct loom_fabric *f, uint32_t device,
                                                     uint32_t ahead) {
  loom_fabric_settle(f);
  return arrival_in(f, device, f->now + ahead);
}

uint64_t loom_fabric_last_flit(struct loom_fabric *f) {
  uint64_t own = f->tally[0].last_flit;
  uint64_t seen = f->lag ? (own > f->seen_flit ? own : f->seen_flit) : last_flit(f);
  if (!f->lag || f->now - seen < LOOM_FABRIC_LAG)
    return seen;
  loom_fabric_settle(f);
  return last_flit(f);
}

/* ---- who waits for whom ---------------------------------------------------------------------- */

/* A place as one number, its far end's input for an output that waits for credits. */
static uint64_t key_of(const struct loom_fabric_place *p) {
  return ((uint64_t)p->device << 1 | p->output) << 16 | (uint64_t)p->port << 8 | p->vl;
}

/* A wait, by the numbers of its places. */
struct wait {
  uint64_t from, to;
  struct loom_fabric_place place; /* from */
};

struct waits {
  struct wait *list; /* by `from` */
  uint32_t count;
  uint8_t *seen;   /* by wait, that of the first of its place: on the way, done */
  uint32_t *stack; /* first wait of each place on the way */
  uint32_t *next;  /* and the one that is followed */
};

enum { UNSEEN, ON_THE_WAY, DONE };

/* An output that waits for credits waits for the far end's input; without a link, for nothing. */
static uint64_t target_of(const struct loom_fabric *f, const struct loom_fabric_wait *w) {
  uint64_t to = key_of(&w->to);
  if (to != key_of(&w->from) || !w->to.output)
    return to;
  const struct end *e = end_of(f, w->to.device, w->to.port);
  if (e->device == LOOM_FABRIC_NONE)
    return UINT64_MAX;
  return key_of(&(struct loom_fabric_place){.device = e->device, .port = e->port, .vl = w->to.vl});
}

static uint32_t waits_of(const struct loom_fabric *f, uint32_t number,
                         struct loom_fabric_wait *list, uint32_t max) {
  const struct device *d = &f->device[number];
  return d->class->waits && !is_foreign(f, number) ? d->class->waits(d->state, number, list, max)
                                                   : 0;
}

static int by_from(const void *a, const void *b) {
  uint64_t x = ((const struct wait *)a)->from, y = ((const struct wait *)b)->from;
  return (x > y) - (x < y);
}

/* All waits of the fabric. */
static bool collect(const struct loom_fabric *f, struct waits *w) {
  uint32_t most = 0, all = 0;
  for (uint32_t d = 0; d < f->devices; d++) {
    uint32_t n = waits_of(f, d, NULL, 0);
    most = loom_max(most, n);
    all += n;
  }
  struct loom_fabric_wait *list = calloc((size_t)most + 1, sizeof *list);
  w->list = calloc((size_t)all + 1, sizeof *w->list);
  w->seen = calloc((size_t)all + 1, sizeof *w->seen);
  w->stack = calloc((size_t)all + 1, sizeof *w->stack);
  w->next = calloc((size_t)all + 1, sizeof *w->next);
  bool ok = list && w->list && w->seen && w->stack && w->next;
  for (uint32_t d = 0; ok && d < f->devices; d++) {
    uint32_t n = waits_of(f, d, list, most);
    for (uint32_t i = 0; i < n; i++)
      w->list[w->count++] = (struct wait){
          .from = key_of(&list[i].from), .to = target_of(f, &list[i]), .place = list[i].from};
  }
  free(list);
  if (ok)
    qsort(w->list, w->count, sizeof *w->list, by_from);
  return ok;
}

/* The first wait of a place, w->count if it waits for nothing. */
static uint32_t first_wait(const struct waits *w, uint64_t place) {
  uint32_t low = 0, high = w->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (w->list[middle].from < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < w->count && w->list[low].from == place ? low : w->count;
}

/* Follows the waits from a place, deepest first. `depth` places are on the way when it comes back
 * to one of them, whose index on the stack it gives; w->count: it never does. */
static uint32_t follow(struct waits *w, uint32_t start, uint32_t *depth) {
  *depth = 1;
  w->stack[0] = w->next[0] = start;
  w->seen[start] = ON_THE_WAY;
  while (*depth) {
    uint32_t top = *depth - 1, i = w->next[top]++;
    if (i == w->count || w->list[i].from != w->list[w->stack[top]].from) {
      w->seen[w->stack[top]] = DONE;
      --*depth;
      continue;
    }
    uint32_t to = first_wait(w, w->list[i].to);
    if (to == w->count || w->seen[to] == DONE)
      continue;
    for (uint32_t k = 0; w->seen[to] == ON_THE_WAY && k < *depth; k++)
      if (w->stack[k] == to)
        return k;
    w->seen[to] = ON_THE_WAY;
    w->stack[*depth] = w->next[*depth] = to;
    ++*depth;
  }
  return w->count;
}

static uint32_t find_cycle(struct waits *w, struct loom_fabric_place *cycle, uint32_t max) {
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t depth;
    if (w->seen[i] || first_wait(w, w->list[i].from) != i)
      continue;
    uint32_t from = follow(w, i, &depth);
    if (from == w->count)
      continue;
    for (uint32_t k = from; k < depth && k - from < max; k++)
      cycle[k - from] = w->list[w->stack[k]].place;
    return depth - from;
  }
  return 0;
}

uint32_t loom_fabric_waiting_cycle(struct loom_fabric *f, struct loom_fabric_place *cycle,
                                   uint32_t max, bool *ok) {
  loom_fabric_settle(f);
  struct waits w = {.list = NULL};
  *ok = collect(f, &w);
  uint32_t length = *ok ? find_cycle(&w, cycle, max) : 0;
  free(w.list);
  free(w.seen);
  free(w.stack);
  free(w.next);
  return length;
}
