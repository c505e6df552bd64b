/* SPDX-License-Identifier: Apache-2.0 */
/* experiment.h - offered traffic, warm-up, measurement and drain on a network of any kind
 * (docs/traffic.md; OP-22, TR-01..06, RS-01..05)
 */
#ifndef LOOM_TRAFFIC_EXPERIMENT_H
#define LOOM_TRAFFIC_EXPERIMENT_H

#include "fabric/message.h"
#include "traffic/measure.h"
#include "traffic/offers.h"
#include "vef/vef_replay.h"

/* What the processes of a run tell each other between two blocks of cycles: each fills in its own,
 * and then it is of all of them. */
struct loom_meeting {
  bool drains;    /* nothing more will be posted; the same in all of them */
  uint64_t due;   /* the next cycle in which a host has something to send */
  bool exhausted; /* the network takes nothing more */
  bool stopped;   /* the run is to end */
  bool quiet;     /* nothing is under way, and */
  uint64_t since; /* it has been so from this cycle on; */
  bool silent;    /* no device will do anything before something is posted */
  uint64_t block; /* cycles that may go by to the next meeting */
  bool each;      /* it has to be in the next cycle */
  /* Of the traces: all is sent, in how many messages, how many of them have been received, and the
   * last cycle in which any of that changed. */
  struct {
    bool over;
    uint64_t sent, received, last;
  } replay;
};

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
  /* Of a part of a network, whose other parts are in other processes (docs/ranks.md); NULL: all is
   * here. The processes meet; false: one has failed. After it last_flit is of all parts. */
  bool (*meet)(void *context, struct loom_meeting *meeting);
  const bool *mine; /* by host: it is here */
};

/* Messages of a host to itself, each as soon as the one before has arrived: a collective of an
 * Elite5 fabric, again and again. */
struct loom_rounds_cfg {
  uint32_t host, traffic_class;
  uint32_t flits;    /* 1.. */
  uint64_t messages; /* 0: no end */
};

struct loom_experiment_cfg {
  uint32_t classes;
  uint64_t warmup, measure, drain; /* cycles; measure: 1..; drain: at most */
  uint64_t interval;               /* cycles of a row of the series, 0: none */
  uint64_t watchdog;               /* cycles without a flit, with something under way; 0: never */
  uint64_t seed;
  uint32_t offers;
  const struct loom_offer_cfg *offer;
  uint32_t rounds;
  const struct loom_rounds_cfg *round; /* number k is job k of the network; stays while it runs */
  struct loom_vef_replay *replay;      /* traces beside the offers, at cycle 0; NULL: none */
  const uint8_t *replay_class; /* by trace, each below `classes`; stays while the run lasts */
  uint32_t replay_flit;        /* bytes of a flit, 1.. */
  const uint16_t
      *packet;         /* flits of a packet by class, head included, 2..; copied; NULL: no bound */
  bool until_replayed; /* the measurement ends with the traces, or after `measure` */
  /* 0: it ends after `measure`. Else it goes on until the intervals of accepted load and latencies
   * of all classes together are so many parts of 10^9 of them, or `limit` cycles are over. */
  uint64_t precision, limit;
};

enum loom_outcome {
  LOOM_OUTCOME_DONE,    /* drained: nothing moves; messages that have not arrived never will */
  LOOM_OUTCOME_BUSY,    /* `drain` cycles were not enough */
  LOOM_OUTCOME_STUCK,   /* nothing moves any more */
  LOOM_OUTCOME_STOPPED, /* the network says so */
  LOOM_OUTCOME_NO_MEMORY,
};

struct loom_experiment_result {
  enum loom_outcome outcome;
  bool complete;                      /* the measurement came to its end */
  uint64_t cycles;                    /* at the end */
  uint64_t measured;                  /* cycles of the measurement */
  bool ends;                          /* it ended with the traces: it has no rest to come to */
  uint64_t posted, received, damaged; /* messages, from the first to the last cycle */
  uint64_t last;                      /* cycle of the last reception */
  uint64_t replayed;                  /* cycle in which the last trace was done, 0: it was not */
  struct loom_metrics *metrics;       /* by class; [classes] is all together */
  struct loom_series_row *row;
  uint64_t rows;
};

struct loom_experiment;

/* What another process has counted of the same run, once it is over: as bytes, for the same program
 * (the caller's; NULL: out of memory), and added. False: it is none. */
void *loom_experiment_pack(const struct loom_experiment *e, size_t *size);
bool loom_experiment_join(struct loom_experiment *e, const void *bytes, size_t size);
/* The result, when all parts are there: of a run that had a part of a network. */
const struct loom_experiment_result *loom_experiment_finish(struct loom_experiment *e);

/* What is wrong with a configuration (`classes`, `measure`, `load`, ...), NULL: nothing; *offer: of
 * which offer, or `offers` if of none. A pattern may still be refused (loom_pattern_bad). */
const char *loom_experiment_bad(const struct loom_experiment_cfg *cfg, uint32_t hosts,
                                uint32_t *offer);

/* Flits of a message of a trace: words, and a head for each packet of `packet` flits (0: one
 * packet); UINT32_MAX if there are more. */
uint32_t loom_experiment_flits(uint32_t bytes, uint32_t flit_bytes, uint32_t packet);

/* NULL: out of memory, or a configuration that is not legal. The network, at cycle 0, and the
 * replay must outlive it; all else is copied. */
struct loom_experiment *loom_experiment_create(const struct loom_experiment_cfg *cfg,
                                               const struct loom_network *network);
void loom_experiment_destroy(struct loom_experiment *e);
/* The receive function of the network's ledger; its context is the experiment. */
void loom_experiment_receive(void *experiment, const struct loom_message *message, bool damaged);
/* A packet of a message in trains has arrived (loom_ledger_on_packet); same context. */
void loom_experiment_packet(void *experiment, const struct loom_message *message, uint64_t injected,
                            uint64_t now);
/* The whole run, once. `tick` is called about every 10,000 cycles (progress; NULL: never). The
 * result is the experiment's; of a part of a network it comes with loom_experiment_finish. */
const struct loom_experiment_result *
loom_experiment_run(struct loom_experiment *e, void (*tick)(void *context, uint64_t cycle),
                    void *context);

#endif
