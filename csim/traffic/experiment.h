/* experiment.h - offered traffic, warm-up, measurement and drain on a network of any kind
 * (docs/traffic.md; OP-22, TR-01..06, RS-01..05)
 */
#ifndef LOOM_TRAFFIC_EXPERIMENT_H
#define LOOM_TRAFFIC_EXPERIMENT_H

#include "fabric/host.h"
#include "traffic/latency.h"
#include "traffic/pattern.h"
#include "vef/vef_replay.h"

/* What an experiment needs of a network. */
struct loom_network {
  void *context;
  uint32_t hosts;
  /* Posts in the present cycle. */
  bool (*post)(void *context, uint32_t host, const struct loom_message *message);
  void (*step)(void *context);
  bool (*quiet)(void *context);                   /* nothing is under way */
  void (*advance)(void *context, uint64_t cycle); /* when quiet: on to a later cycle */
  bool (*stopped)(void *context);                 /* the run is to end in this cycle; NULL: never */
  uint64_t (*last_flit)(void *context);           /* last cycle in which anything moved */
};

enum loom_process {
  LOOM_PROCESS_CBR,     /* one message each interval, phase random by host (TR-02) */
  LOOM_PROCESS_POISSON, /* each cycle with the same chance */
  LOOM_PROCESS_BURSTS,  /* `burst` messages at once to one destination (TR-03), at CBR intervals */
  LOOM_PROCESS_PING_PONG, /* the receiver answers at once, then comes the next round (KN-09) */
  LOOM_PROCESSES
};

/* Names in files, by process, NULL at the end. */
extern const char *const loom_process_names[LOOM_PROCESSES + 1];

/* One kind of traffic that all hosts, or some, offer. */
struct loom_offer_cfg {
  uint32_t class;                  /* traffic class */
  struct loom_pattern_cfg pattern; /* for the network's hosts; seed 0: by seed and offer */
  enum loom_process process;
  uint32_t flits;    /* of a message, heads included, 2.. */
  uint32_t burst;    /* messages, of bursts only: 1.., burst * flits below 2^32 */
  uint64_t load;     /* offered by a host: flits a cycle in parts of 10^9, up to 10^9; 0: nothing */
  uint64_t messages; /* of each host in all, of a ping-pong: rounds; 0: no end */
};

struct loom_experiment_cfg {
  uint32_t classes;
  uint64_t warmup, measure, drain; /* cycles; measure: 1..; drain: at most */
  uint64_t interval;               /* cycles of a row of the series, 0: none */
  uint64_t watchdog;               /* cycles without a flit, with something under way; 0: never */
  uint64_t seed;
  uint32_t offers;
  const struct loom_offer_cfg *offer;
  struct loom_vef_replay *replay; /* traces beside the offers, at cycle 0; NULL: none */
  const uint8_t *replay_class;    /* by trace, each below `classes`; stays while the run lasts */
  uint32_t replay_flit;           /* bytes of a flit, 1.. */
  const uint16_t *mtu; /* flits of a packet by class, head included, 2..; copied; NULL: no bound */
  bool until_replayed; /* the measurement ends with the traces, or after `measure` */
};

/* Of a class, or of all; of the messages received in the measurement, but for `offered`. */
struct loom_metrics {
  uint64_t offered;          /* flits posted in the measurement */
  uint64_t flits, messages;  /* received */
  struct loom_latency total; /* generation to reception */
  struct loom_latency net;   /* injection to reception */
};

enum loom_outcome {
  LOOM_OUTCOME_DONE,    /* drained: nothing moves; messages that have not arrived never will */
  LOOM_OUTCOME_BUSY,    /* `drain` cycles were not enough */
  LOOM_OUTCOME_STUCK,   /* nothing moves any more */
  LOOM_OUTCOME_STOPPED, /* the network says so */
  LOOM_OUTCOME_NO_MEMORY,
};

/* A row of the series; of each interval there is one for each class, in order. */
struct loom_series_row {
  uint64_t cycle; /* end of the interval */
  uint32_t class;
  uint64_t offered, flits, messages; /* in the interval */
  uint64_t total_sum, net_sum;       /* latencies of these messages, cycles */
};

struct loom_experiment_result {
  enum loom_outcome outcome;
  bool complete;                      /* the measurement came to its end */
  uint64_t cycles;                    /* at the end */
  uint64_t measured;                  /* cycles of the measurement */
  uint64_t posted, received, damaged; /* messages, from the first to the last cycle */
  uint64_t last;                      /* cycle of the last reception */
  uint64_t replayed;                  /* cycle in which the last trace was done, 0: it was not */
  struct loom_metrics *metrics;       /* by class; [classes] is all together */
  struct loom_series_row *row;
  uint64_t rows;
};

struct loom_experiment;

/* What is wrong with a configuration (`classes`, `measure`, `load`, ...), NULL: nothing; *offer: of
 * which offer, or `offers` if of none. A pattern may still be refused (loom_pattern_bad). */
const char *loom_experiment_bad(const struct loom_experiment_cfg *cfg, uint32_t hosts,
                                uint32_t *offer);

/* Flits of a message of a trace: words, and a head for each packet of `mtu` flits (0: one packet);
 * UINT32_MAX if there are more. */
uint32_t loom_experiment_flits(uint32_t bytes, uint32_t flit_bytes, uint32_t mtu);

/* NULL: out of memory, or a configuration that is not legal. The network, at cycle 0, and the
 * replay must outlive it; all else is copied. */
struct loom_experiment *loom_experiment_create(const struct loom_experiment_cfg *cfg,
                                               const struct loom_network *network);
void loom_experiment_destroy(struct loom_experiment *e);
/* The receive function of the network's ledger; its context is the experiment. */
void loom_experiment_receive(void *experiment, const struct loom_message *message, bool damaged);
/* The whole run, once. `tick` is called about every 10,000 cycles (progress; NULL: never). The
 * result is the experiment's. */
const struct loom_experiment_result *
loom_experiment_run(struct loom_experiment *e, void (*tick)(void *context, uint64_t cycle),
                    void *context);

#endif
