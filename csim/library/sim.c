/* SPDX-License-Identifier: Apache-2.0 */
/* sim.c - a fabric in motion, for programs: their messages in, arrivals out */
#include <stdlib.h>

#include <loom/limits.h>
#include <loom/random.h>

#include "library/setup.h"
#include "run/build.h"

struct loom_sim {
  const struct loom_setup *setup;
  struct loom_built *built;
  struct loom_network network;
  loom_arrived *arrived;
  void *context;
  uint64_t now;
  uint64_t posted, received;
};

static void receive(void *context, const struct loom_message *m, bool damaged) {
  struct loom_sim *sim = context;
  const struct loom_arrival arrival = {
      .src = m->src,
      .dst = m->dst,
      .traffic_class = m->traffic_class,
      .flits = m->flits,
      .tag = m->tag,
      .posted = m->generated,
      .injected = m->injected,
      .received = m->received,
      .damaged = damaged,
  };
  sim->received++;
  if (sim->arrived)
    sim->arrived(sim->context, &arrival);
}

struct loom_sim *loom_sim_create(const struct loom_setup *setup, uint64_t seed,
                                 loom_arrived *arrived, void *context, struct loom_refusal *why) {
  struct loom_plan_error err = {.status = 0};
  struct loom_sim *sim = calloc(1, sizeof *sim);
  if (!sim) {
    loom_library_refuse(why, 1, "out of memory");
    return NULL;
  }
  *sim = (struct loom_sim){.setup = setup, .arrived = arrived, .context = context};
  const struct loom_build_cfg cfg = {
      .plan = setup->plan, .seed = loom_scramble(seed), .receive = receive, .context = sim};
  sim->built = loom_build(&cfg, &err);
  if (sim->built) {
    sim->network = loom_built_network(sim->built);
    return sim;
  }
  loom_library_refuse_plan(why, setup, &err);
  free(sim);
  return NULL;
}

void loom_sim_destroy(struct loom_sim *sim) {
  if (sim)
    loom_built_destroy(sim->built);
  free(sim);
}

bool loom_sim_post(struct loom_sim *sim, uint32_t src, uint32_t dst, uint32_t traffic_class,
                   uint32_t bytes, uint64_t tag) {
  const struct loom_spec *spec = &sim->setup->file->spec;
  if (src >= sim->network.hosts || dst >= sim->network.hosts || src == dst ||
      traffic_class >= spec->classes)
    return false;
  /* The adapters of Elite5 cut messages by themselves. */
  uint32_t packet =
      loom_device_is_elite5(spec->kind) ? 0 : spec->traffic_class[traffic_class].packet;
  const struct loom_message message = {
      .src = src,
      .dst = dst,
      .traffic_class = (uint8_t)traffic_class,
      .flits = loom_experiment_flits(bytes, LOOM_FLIT_BYTES, packet),
      .tag = tag,
      .generated = sim->now,
  };
  if (!sim->network.post(sim->network.context, src, &message))
    return false;
  sim->posted++;
  return true;
}

void loom_sim_step(struct loom_sim *sim) {
  sim->network.step(sim->network.context);
  sim->now++;
}

bool loom_sim_run(struct loom_sim *sim, uint64_t cycles) {
  uint64_t end = cycles > UINT64_MAX - sim->now ? UINT64_MAX : sim->now + cycles;
  while (!sim->network.quiet(sim->network.context)) {
    if (sim->now == end)
      return false;
    loom_sim_step(sim);
  }
  return true;
}

uint64_t loom_sim_now(const struct loom_sim *sim) { return sim->now; }

struct loom_sim_counts loom_sim_counts(const struct loom_sim *sim) {
  const struct loom_built_counts built = loom_built_counts(sim->built);
  return (struct loom_sim_counts){.posted = sim->posted,
                                  .received = sim->received,
                                  .flit_hops = built.flit_hops,
                                  .exhausted = built.exhausted};
}
