/* SPDX-License-Identifier: Apache-2.0 */
/* fabric_latency.c - builds a fabric of 64 hosts, runs it and prints a latency
 *
 * First under the traffic that the fabric's text describes, as `loom run` does it; then with
 * messages of this program's own, one at a time, through the same fabric.
 */
#include <stdio.h>

#include <loom/fabric.h>
#include <loom/run.h>

static const char fabric[] = "name: tree-4-3\n"
                             "topology: {kind: tree, k: 4, n: 3}\n"
                             "routing: {engine: ftree}\n"
                             "switch: {kind: ib, scheduler: rr}\n"
                             "classes:\n"
                             "  - {name: A, sl: 0, vl: 0, mtu: 264}\n"
                             "traffic:\n"
                             "  - {class: A, pattern: uniform, size: 256, load: 0.2}\n"
                             "run: {warmup: 1000, measure: 4000, seeds: 2, seed: 1}\n";

static int refused(const struct loom_refusal *why) {
  fprintf(stderr, "%s\n", why->text);
  return why->status;
}

/* ---- the traffic of the text ----------------------------------------------------------------- */

static int run(const struct loom_setup *setup) {
  struct loom_refusal why;
  struct loom_metrics_of_class all;
  struct loom_run *r = loom_run_create(setup, &why);
  if (!r)
    return refused(&why);
  if (!loom_run_good(r) || !loom_run_metrics(r, loom_setup_classes(setup), &all)) {
    loom_run_free(r);
    return 1;
  }
  printf("%u hosts, %u switches: mean latency %.1f +- %.1f cycles at a load of %.3f\n",
         (unsigned)loom_setup_hosts(setup), (unsigned)loom_setup_switches(setup),
         all.total.mean.mean, all.total.mean.interval, all.accepted.mean);
  loom_run_free(r);
  return 0;
}

/* ---- traffic of one's own -------------------------------------------------------------------- */

/* A message that goes to and fro. */
static void arrived(void *context, const struct loom_arrival *a) {
  struct loom_sim *sim = *(struct loom_sim **)context;
  printf("%4u bytes from host %u to host %u: %u cycles\n", (unsigned)a->tag, (unsigned)a->src,
         (unsigned)a->dst, (unsigned)(a->received - a->posted));
  if (a->tag < 4096)
    loom_sim_post(sim, a->dst, a->src, 0, (uint32_t)a->tag * 8, a->tag * 8);
}

static int ping_pong(const struct loom_setup *setup) {
  struct loom_refusal why;
  struct loom_sim *sim = NULL;
  sim = loom_sim_create(setup, 1, arrived, &sim, &why);
  if (!sim)
    return refused(&why);
  loom_sim_post(sim, 0, 63, 0, 8, 8);
  bool still = loom_sim_run(sim, 100000);
  struct loom_sim_counts counts = loom_sim_counts(sim);
  loom_sim_destroy(sim);
  return still && counts.posted == 4 && counts.received == 4 ? 0 : 1;
}

int main(void) {
  struct loom_refusal why;
  struct loom_setup *setup = loom_setup_parse("fabric", fabric, NULL, 0, &why);
  if (!setup)
    return refused(&why);
  int status = run(setup);
  if (!status)
    status = ping_pong(setup);
  loom_setup_free(setup);
  return status;
}
