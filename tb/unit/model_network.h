/* SPDX-License-Identifier: Apache-2.0 */
/* model_network.h - a network whose times have a closed form, for tests of what is offered to it
 * and what is measured (docs/traffic.md)
 */
#ifndef LOOM_TB_UNIT_MODEL_NETWORK_H
#define LOOM_TB_UNIT_MODEL_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/experiment.h"

#define NANO UINT64_C(1000000000)

/* A message under way. */
struct flying {
  struct loom_message message;
  uint64_t arrival;
};

/* A message posted in cycle c is injected in c + wait and arrives in c + latency + class * more. */
struct model {
  uint32_t hosts, latency, more, wait;
  uint64_t serve;      /* at least so many cycles between two arrivals; 0: any number at once */
  uint64_t stuck;      /* cycle from which on nothing moves; 0: never */
  uint64_t lose;       /* each message of so many vanishes; 0: none */
  uint64_t slow, late; /* before cycle `slow`, messages take `late` more */
  uint64_t damage;     /* each of so many arrives damaged; 0: none */
  uint64_t refuse;     /* post that is refused, 1..; 0: none */
  bool reverse;        /* what arrives in a cycle is delivered in reverse order */

  struct loom_experiment *experiment;
  uint64_t now, moved, free;
  uint64_t posts, room, steps; /* posts: in `log`, which has room for `room` */
  struct loom_message *log;
  uint64_t count, places; /* under way, in `flying`, which has room for `places` */
  struct flying *flying;
};

/* The functions of struct loom_network; the context is the model. */
bool model_post(void *context, uint32_t host, const struct loom_message *message);
void model_step(void *context);
bool model_quiet(void *context);
void model_advance(void *context, uint64_t cycle);
uint64_t model_last(void *context);

/* Gives back the experiment, too. */
void model_free(struct model *m);

/* An experiment on the model, from its beginning to its end. */
const struct loom_experiment_result *run(struct model *m, const struct loom_experiment_cfg *cfg);

/* Uniform traffic in class 0, single messages; `load` in parts of 10^9. */
struct loom_offer_cfg offer_of(uint32_t hosts, enum loom_process process, uint32_t flits,
                               uint64_t load);

/* Two classes, 10,000 cycles of measurement, seed 1. */
struct loom_experiment_cfg cfg_of(const struct loom_offer_cfg *offer, uint32_t offers);

#endif
