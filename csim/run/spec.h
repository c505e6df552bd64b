/* SPDX-License-Identifier: Apache-2.0 */
/* spec.h - the fabric file: what `loom run` builds and what it sends (docs/fabric.md)
 *
 * Reading has two steps. loom_read_fabric (read_fabric.h) looks at the file alone; loom_spec_load
 * opens the files that it names. What only the built fabric can tell, such as a routing that may
 * deadlock, is found by plan.h.
 */
#ifndef LOOM_RUN_SPEC_H
#define LOOM_RUN_SPEC_H

#include "fabric/message.h"
#include "io/read_permutation.h"
#include "io/shape.h"
#include "io/source.h"
#include "routing/routing.h"
#include "run/elite5_policy.h"
#include "run/spec_statistics.h"
#include "run/switch_parameters.h"
#include "traffic/experiment.h"
#include "vef/vef.h"
#include "vef/vef_replay.h"
#include <loom/limits.h>

enum {
  LOOM_SPEC_NAME = 63,   /* characters of a name */
  LOOM_SPEC_CLASS = 15,  /* of a class's */
  LOOM_SPEC_FILE = 255,  /* of a file's */
  LOOM_SPEC_OPS = 127,   /* of a list of words */
  LOOM_SPEC_LAYERS = 8,  /* virtual lanes of a class */
  LOOM_SPEC_TABLE = 128, /* entries of a table */
  LOOM_SPEC_OFFERS = 64,
  LOOM_SPEC_COLLECTIVES = 16,
  LOOM_SPEC_TRACES = 16,
  LOOM_SPEC_ROOTS = 64,
  LOOM_SPEC_LOADS = 3,
  LOOM_SPEC_FAULTS = 1024,
  LOOM_SPEC_SHADOWS = 64,
  LOOM_SPEC_SEEDS = 1000,
};
#define LOOM_SPEC_PARTS 1000000000 /* of loads: 1 flit a cycle */

struct loom_spec_class {
  char name[LOOM_SPEC_CLASS + 1];
  uint32_t sl;
  uint32_t layers;                                    /* how many VLs are given, 1.. */
  uint8_t vl[LOOM_SPEC_LAYERS], sc[LOOM_SPEC_LAYERS]; /* by layer */
  uint32_t mtu;                                       /* flits of a train, heads included */
  uint32_t packet;                                    /* those of its packets, head included; */
  bool trains;                                        /* and they were given */
};

/* Units of the largest train of a class. */
static inline uint32_t loom_spec_train(const struct loom_spec_class *c) {
  return c->mtu / c->packet * ((c->packet + 7) / 8);
}

/* Units that a VL has for itself and may have at most, in every buffer; by its number. */
struct loom_spec_share {
  bool reserved_given, most_given;
  uint32_t reserved, most;
};

struct loom_spec_entry {
  uint8_t key;
  uint8_t weight;
};

/* What the scheduler's tables hold; keys are those of the switch's ARB_KEY. */
struct loom_spec_tables {
  struct loom_spec_entry high[LOOM_SPEC_TABLE], low[LOOM_SPEC_TABLE]; /* high: or the only one */
  uint32_t high_count, low_count;
  uint32_t limit;
  uint32_t mode;                   /* of the scheduler's mode register */
  char dtable[LOOM_SPEC_FILE + 1]; /* file of `loom dtable`; empty: none */
  char opensm[LOOM_SPEC_FILE + 1]; /* opensm.conf; empty: none */
};

/* What a unit of a key costs with scheduler scfq, times the key's weight: the least common multiple
 * of the weights (docs/fair_queueing.md). */
uint32_t loom_spec_price_of_all(const struct loom_spec_tables *t);

struct loom_spec_offer {
  uint32_t entry;                      /* of `traffic` in the file */
  struct loom_offer_cfg cfg;           /* but for hosts and seed; lists are those below */
  char file[LOOM_SPEC_FILE + 1];       /* permutation */
  bool random_places;                  /* tasks sit on hosts in random order */
  uint32_t *targets;                   /* owned */
  struct loom_permutation permutation; /* that file, after load; owned */
};

/* What many nodes of an Elite5 fabric do together (docs/fabric.md, Collectives). */
enum loom_spec_kind {
  LOOM_SPEC_MESSAGES, /* no collective: an offer */
  LOOM_SPEC_BARRIER,
  LOOM_SPEC_BROADCAST,
  LOOM_SPEC_REDUCTION,
  LOOM_SPEC_GATHER,
  LOOM_SPEC_KINDS
};
extern const char *const loom_spec_kind_names[LOOM_SPEC_KINDS + 1];

struct loom_spec_collective {
  enum loom_spec_kind kind;
  const char *algorithm; /* its name; NULL: the kind has but one */
  bool adapters;         /* the second algorithm of the kind: the adapters do it */
  uint32_t traffic_class;
  uint32_t words;     /* of a member's data */
  uint32_t arity;     /* children in a tree of adapters */
  uint32_t jobs;      /* side by side */
  uint32_t tasks;     /* of a job; 0: as many as there are hosts */
  uint32_t trees;     /* 0: any way up */
  uint64_t messages;  /* 0: no end */
  uint64_t gap, skew; /* cycles */
  bool random_places; /* tasks sit on hosts in random order */
};

struct loom_spec_trace {
  char file[LOOM_SPEC_FILE + 1]; /* empty: a program */
  enum loom_vef_op program;      /* that all of its tasks do `rounds` times, with `bytes` */
  uint32_t tasks, rounds, bytes;
  uint32_t traffic_class;
  uint64_t start;
  uint32_t mapping; /* enum loom_vef_mapping, LOOM_SPEC_PLACES or LOOM_SPEC_NAMES */
  uint32_t *places; /* owned: host by task; of names: after load */
  uint32_t place_count;
  char names[LOOM_SPEC_FILE + 1]; /* empty: none */
  enum loom_vef_algorithm collectives;
  char ops[LOOM_SPEC_OPS + 1]; /* words for collectives, commas between; empty: the usual */
  bool strip;                  /* trigger flags are taken away */
  /* Of messages within a host. */
  enum loom_vef_intra intra; /* after load: as it is replayed */
  uint32_t latency, bandwidth;
  char table[LOOM_SPEC_FILE + 1];          /* of LOOM_VEF_INTRA_TABLE */
  uint32_t *latencies;                     /* that file, after load; owned */
  struct loom_vef_trace *trace, *expanded; /* owned, after load */
};
enum { LOOM_SPEC_PLACES = 3, LOOM_SPEC_NAMES = 4 }; /* after those of enum loom_vef_mapping */

enum loom_fault_kind { LOOM_FAULT_CUT, LOOM_FAULT_JOIN, LOOM_FAULT_ERRORS };
extern const char *const loom_fault_names[LOOM_FAULT_ERRORS + 2];
/* What is done about a cable between routers that was cut or joined (E5-26). */
enum loom_cure { LOOM_CURE_NONE, LOOM_CURE_LINKS, LOOM_CURE_TABLES };
extern const char *const loom_cure_names[LOOM_CURE_TABLES + 2];

struct loom_spec_fault {
  uint64_t at; /* cycle of the run */
  enum loom_fault_kind kind;
  char device[LOOM_TOPO_NAME];
  uint32_t port;   /* its cable; 0: all cables of a switch */
  uint64_t chance; /* of errors, in 10^-12 a word */
};

struct loom_spec_run {
  uint64_t warmup, measure, drain, interval, watchdog; /* cycles */
  uint32_t seeds;
  uint64_t seed; /* of the first run; the next has one more */
  bool until_replayed;
  uint64_t precision;               /* parts of 10^9; 0: the measurement takes `measure` cycles */
  uint64_t limit;                   /* cycles of it, at most */
  uint32_t cycle_ps;                /* of traces; 0: a unit of dtime is a cycle */
  uint32_t stats;                   /* a bit each of enum loom_statistic */
  uint64_t sample[LOOM_STATISTICS]; /* of `packets` and `trace`: one packet of so many */
};

struct loom_spec {
  char name[LOOM_SPEC_NAME + 1];
  char *folder; /* of the file, with a slash at its end; owned */
  /* What is joined how. */
  struct loom_shape shape;
  char net[LOOM_SPEC_FILE + 1];
  struct loom_topo *topo; /* of that file, after load; owned */
  bool routed;            /* by an engine, not by a file */
  bool allow_cycles;
  enum loom_routing_engine engine;
  enum loom_routing_avoid avoid;
  uint32_t routing_vls; /* hdor, lash, dfsssp: layers; 0: as few as can be */
  enum loom_routing_cover cover;
  enum loom_routing_ties ties; /* dor */
  enum loom_routing_choose choose;
  enum loom_routing_trunk trunk;
  uint32_t loads[LOOM_SPEC_LOADS]; /* thresholds, units */
  bool loads_given;
  uint32_t lmc;
  char lfts[LOOM_SPEC_FILE + 1];
  char path_records[LOOM_SPEC_FILE + 1]; /* empty: tables of one layer */
  uint32_t roots;
  char (*root)[LOOM_TOPO_NAME]; /* owned */
  /* Devices. */
  struct loom_parameters parameters;
  enum loom_device_kind kind;
  bool central_least;               /* OPA: the emptier of two central buffers (OP-05) */
  uint32_t express;                 /* VLs that preempt the others, as bits (OP-21) */
  struct loom_elite5_policy policy; /* of elite5 */
  uint32_t latency, host_latency;   /* cycles; 0: the length says it */
  uint32_t length, host_length;     /* cm; 0: the latency is given */
  uint64_t bit_errors;              /* chance in 10^-12 a flit */
  uint64_t rate;                    /* of a link, in Mb/s; 0: as loom_spec_rate says */
  uint32_t host_units;              /* of the NIC's buffer */
  bool steady;                      /* hosts draw the LID of a destination once */
  uint32_t queue;                   /* of elite5: messages that a node's queue holds */
  uint32_t take;                    /* and cycles from one that is taken out of it to the next */
  uint32_t classes;
  struct loom_spec_class traffic_class[LOOM_HOST_CLASSES];
  struct loom_spec_share share[32];
  struct loom_spec_tables tables;
  /* Traffic. */
  uint32_t offers;
  struct loom_spec_offer offer[LOOM_SPEC_OFFERS];
  uint32_t collectives;
  struct loom_spec_collective collective[LOOM_SPEC_COLLECTIVES];
  uint32_t traces;
  struct loom_spec_trace trace[LOOM_SPEC_TRACES];
  uint32_t faults;
  enum loom_cure cure;
  struct loom_spec_fault *fault; /* by cycle, then as in the file; owned */
  uint64_t cure_delay;           /* cycles */
  struct loom_spec_run run;
  uint32_t shadows;
  char (*shadow)[LOOM_TOPO_NAME]; /* switches; owned */
};

/* Bits that a link carries in a nanosecond, a flit of 64 a cycle: those that were given, or that
 * follow from the picoseconds of a cycle, or that the papers have. */
double loom_spec_rate(const struct loom_spec *spec);

/* Opens the files that the spec names; false: refused, *err says why. */
bool loom_spec_load(struct loom_spec *spec, struct loom_error *err);
void loom_spec_free(struct loom_spec *spec);

/* Path of a file that is named in the spec: beside its own unless it is absolute. The caller's;
 * NULL: no memory. */
char *loom_spec_path(const struct loom_spec *spec, const char *file);

/* Makes something of a file. False: refused, *err says why. */
typedef bool loom_spec_take(void *what, const struct loom_source *src, struct loom_error *err);

/* Reads such a file, up to LOOM_SOURCE_LARGE if `large`, else up to LOOM_SOURCE_MAX. False:
 * refused, *err says why. */
bool loom_spec_read(const struct loom_spec *spec, const char *file, bool large,
                    loom_spec_take *take, void *what, struct loom_error *err);

/* Why packets wait is to be known. */
static inline bool loom_spec_wants_waits(const struct loom_spec *s) {
  return s->run.stats & (1u << LOOM_STATISTIC_STALLS | 1u << LOOM_STATISTIC_PACKETS);
}

/* Packets take the less loaded of several ports, and may overtake each other. */
static inline bool loom_spec_by_load(const struct loom_spec *s) {
  return s->trunk == LOOM_ROUTING_TRUNK_LOAD || (s->routed && loom_routing_is_by_load(s->engine));
}

#endif
