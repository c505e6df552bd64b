/* SPDX-License-Identifier: Apache-2.0 */

#include "run/forecast.h"

#include <inttypes.h>
#include <jansson.h>
#include <loom/bits.h>

#include "run/jobs.h"

enum { SWITCHES = 64, HOSTS = 256 }; /* that are made */

static void ignore_message(void *context, const struct loom_message *message, bool damaged) {
  (void)context;
  (void)message;
  (void)damaged;
}

/* Each once, though both its ends have a port. */
static uint32_t links_of(const struct loom_topo *t) {
  uint32_t ends = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t port = 1; port <= t->device[d].ports; port++)
      ends += loom_topo_port(t, d, port)->device != LOOM_TOPO_NONE;
  return ends / 2;
}

/* What the devices have in common: there is no more of it with more of them. */
static uint64_t beside(uint64_t before, const struct loom_build_sample *sample) {
  uint64_t devices =
      sample->switches.most * sample->switches.each + sample->hosts.most * sample->hosts.each;
  uint64_t all = sample->hosts.until;
  return all > before + devices ? all - before - devices : 0;
}

bool loom_forecast_make(struct loom_forecast *f, const struct loom_plan *plan, uint32_t jobs,
                        const struct loom_shadow *shadow, struct loom_plan_error *err) {
  const struct loom_spec_run *run = &plan->spec->run;
  struct loom_build_sample sample = {.switches.most = loom_min(SWITCHES, plan->switches),
                                     .hosts.most = loom_min(HOSTS, plan->hosts)};
  *f = (struct loom_forecast){.name = plan->spec->name,
                              .hosts = plan->hosts,
                              .switches = plan->switches,
                              .links = links_of(plan->topo),
                              .seeds = run->seeds,
                              .runs = loom_min(jobs, run->seeds),
                              .workers = loom_cores_each(jobs, run->seeds),
                              .shared = loom_memory_now().resident,
                              .left = loom_memory_left()};
  const struct loom_build_cfg cfg = {.plan = plan,
                                     .seed = run->seed,
                                     .receive = ignore_message,
                                     .shadow = shadow,
                                     .sample = &sample};
  if (!loom_build_measure(&cfg, err))
    return false;
  f->per_switch = sample.switches.each;
  f->per_host = sample.hosts.each;
  f->run = f->per_switch * f->switches + f->per_host * f->hosts + beside(f->shared, &sample);
  f->all = f->shared + f->run * f->runs;
  return true;
}

static const char *runs(uint32_t count) { return count == 1 ? "run" : "runs"; }

void loom_forecast_print(const struct loom_forecast *f, FILE *out) {
  fprintf(out, "%s%s%" PRIu32 " hosts, %" PRIu32 " switches, %" PRIu32 " links; seeds: %" PRIu32,
          f->name ? f->name : "", f->name ? ": " : "", f->hosts, f->switches, f->links, f->seeds);
  fprintf(out, "\nmemory: about %" PRIu64 " bytes for %" PRIu32 " %s at a time", f->all, f->runs,
          runs(f->runs));
  if (f->left != UINT64_MAX)
    fprintf(out, ", %" PRIu64 " are left", f->left);
  fprintf(out,
          "\n  %" PRIu64 " a run when it starts: %" PRIu64 " a switch, %" PRIu64 " a host\n"
          "  %" PRIu64 " of this program, with topology and routes, which runs share\n"
          "cores: %" PRIu32 " for each of %" PRIu32 " %s at a time\n",
          f->run, f->per_switch, f->per_host, f->shared, f->workers, f->runs, runs(f->runs));
}

bool loom_forecast_print_json(const struct loom_forecast *f, FILE *out) {
  json_t *left = f->left == UINT64_MAX ? json_null() : json_integer((json_int_t)f->left);
  json_t *root = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:{s:I, s:o, s:I, s:I, s:I, s:I}}",
                           "hosts", (int)f->hosts, "switches", (int)f->switches, "links",
                           (int)f->links, "seeds", (int)f->seeds, "runs", (int)f->runs, "workers",
                           (int)f->workers, "bytes", "all", (json_int_t)f->all, "left", left, "run",
                           (json_int_t)f->run, "switch", (json_int_t)f->per_switch, "host",
                           (json_int_t)f->per_host, "shared", (json_int_t)f->shared);
  bool printed = root && json_dumpf(root, out, JSON_INDENT(2)) == 0;
  if (printed)
    fputc('\n', out);
  json_decref(root);
  return printed;
}
