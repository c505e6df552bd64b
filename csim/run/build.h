/* SPDX-License-Identifier: Apache-2.0 */
/* build.h - a planned fabric for one seed: its devices, programmed and joined (docs/fabric.md;
 * E5-15)
 */
#ifndef LOOM_RUN_BUILD_H
#define LOOM_RUN_BUILD_H

#include "fabric/watch.h"
#include "run/built_counts.h"
#include "run/collectives.h"
#include "run/memory.h"
#include "run/plan.h"
#include "sched/sched_front.h"
#include "switch/chassis.h"

/* A switch of a fabric that is being built, before its registers are written. */
struct loom_shadow_switch {
  struct loom_fabric *fabric;                   /* its cycles count from loom_fabric_begin on */
  uint32_t device;                              /* of the fabric */
  const char *name;                             /* of the topology */
  const struct loom_fabric_class *device_class; /* of its twin; its name is that of the circuit */
  const void *cfg; /* the parameters of its twin, as the class has them */
};

/* What circuits have to say after a run. */
enum loom_shadow_verdict {
  LOOM_SHADOW_SAME,    /* no difference */
  LOOM_SHADOW_AGAIN,   /* one that is to be looked at: the same run once more */
  LOOM_SHADOW_DIFFERS, /* one, and the text says where */
};

/* Puts circuits beside twins. Whoever builds with circuits hands one in; the command itself has
 * none. */
struct loom_shadow {
  /* Puts a circuit in the place of the switch's twin (loom_fabric_replace). False: it cannot, *why
   * says so. */
  bool (*attach)(void *context, const struct loom_shadow_switch *s, char *why, size_t size);
  /* There is a difference: the run need not go on. */
  bool (*stopped)(void *context);
  /* Once after a run, while its fabric stands. *compared: cycles, of all circuits together. */
  enum loom_shadow_verdict (*finish)(void *context, uint64_t *compared, char *text, size_t size);
  void *context;
};

struct loom_built;

/* What the devices of a plan take each. */
struct loom_build_sample {
  struct loom_memory_sample switches, hosts;
};

/* What a seed needs beside the plan. */
struct loom_build_cfg {
  const struct loom_plan *plan; /* stays while it stands */
  uint64_t seed;
  loom_host_receive *receive; /* of messages */
  loom_host_packet *packet;   /* of packets in trains (DT-10); NULL: nobody wants to know */
  void *context;
  const struct loom_collectives *collectives; /* elite5; stay while it stands; NULL: none */
  const struct loom_shadow *shadow;           /* NULL: there are no circuits */
  struct loom_watch *watch;                   /* of all devices of the fabric; NULL: nobody */
  struct loom_build_sample *sample; /* of loom_build_measure; NULL: all devices are made */
  const bool *mine; /* by device of the topology: it is made here (docs/ranks.md); NULL: all are */
};

/* NULL: *err says why. */
struct loom_built *loom_build(const struct loom_build_cfg *cfg, struct loom_plan_error *err);
void loom_built_destroy(struct loom_built *b);
/* Makes some of the switches and hosts, with their tables, and says in *cfg->sample what they take;
 * then they are gone. False: *err says why, as loom_build would. */
bool loom_build_measure(const struct loom_build_cfg *cfg, struct loom_plan_error *err);

/* The run has as many cores as the plan says, if it can use more than one. When all devices are as
 * they stay. */
void loom_built_share(struct loom_built *b);

/* The experiment's view. */
struct loom_network loom_built_network(struct loom_built *b);

/* Management could not write its tables: a router has no class free for another mask. */
bool loom_built_unmanaged(const struct loom_built *b);

/* With LOOM_ENGINE_BOTH: the engines have shown something else, and *err says what first. */
bool loom_built_differs(const struct loom_built *b, struct loom_plan_error *err);

struct loom_built_counts loom_built_counts(const struct loom_built *b);

/* Of a switch that has one. */
const struct loom_chassis *loom_built_chassis(const struct loom_built *b, uint32_t row);
/* Ports of a switch that is made here, and what the scheduler at one of them has granted; not of
 * elite5. */
uint32_t loom_built_ports(const struct loom_built *b, uint32_t row);
const struct loom_sched_grants *loom_built_grants(const struct loom_built *b, uint32_t row,
                                                  uint32_t port);

/* What another process's switch has granted (docs/ranks.md), for loom_built_grants. False: out of
 * memory. */
bool loom_built_put_grants(struct loom_built *b, uint32_t row, uint32_t port,
                           const struct loom_sched_grants *grants);

/* What waits for what, for people: the circle if there is one. A text of some lines, the caller's;
 * NULL: out of memory. */
char *loom_built_waits(const struct loom_built *b);

#endif
