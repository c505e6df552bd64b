/* SPDX-License-Identifier: Apache-2.0 */

#include "run/forecast.h"

#include <inttypes.h>
#include <jansson.h>
#include <loom/bits.h>
#include <stdlib.h>

#include "io/streams.h"
#include "run/cut.h"
#include "run/jobs.h"
#include "run/ranks.h"

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

/* ---- of a rank ------------------------------------------------------------------------------- */

/* Devices that a rank makes: of Elite5 all. */
struct part {
  bool *mine; /* NULL: all */
  uint32_t switches, hosts;
};

static bool find_part(struct part *part, const struct loom_plan *plan) {
  const struct loom_topo *t = plan->topo;
  *part = (struct part){.switches = plan->switches, .hosts = plan->hosts};
  if (!plan->ranks || loom_device_is_elite5(plan->spec->kind))
    return true;
  uint32_t *rank = calloc((size_t)t->devices + 1, sizeof *rank);
  part->mine = calloc((size_t)t->devices + 1, sizeof *part->mine);
  bool ok = rank && part->mine && loom_cut(plan, plan->ranks->count, rank);
  for (uint32_t d = 0; ok && d < t->devices; d++)
    part->mine[d] = rank[d] == plan->ranks->rank;
  free(rank);
  part->switches = part->hosts = 0;
  for (uint32_t row = 0; ok && row < plan->switches; row++)
    part->switches += part->mine[plan->row[row]];
  for (uint32_t h = 0; ok && h < plan->hosts; h++)
    part->hosts += part->mine[plan->host[h].device];
  return ok;
}

/* Takes the larger of two ranks, and adds up what all take. */
static void join(struct loom_forecast *f, const struct loom_forecast *other) {
  f->all += other->all;
  if (f->shared + f->run >= other->shared + other->run)
    return;
  f->shared = other->shared;
  f->run = other->run;
  f->per_switch = other->per_switch;
  f->per_host = other->per_host;
}

/* Of all ranks. */
static bool gather(struct loom_forecast *f, const struct loom_ranks *r,
                   struct loom_plan_error *err) {
  struct loom_ranks_bytes *out = calloc(r->count, sizeof *out);
  struct loom_ranks_bytes *in = calloc(r->count, sizeof *in);
  const struct loom_forecast own = *f;
  struct loom_forecast other;
  bool ok = out && in;
  for (uint32_t k = 0; ok && k < r->count; k++)
    ok = loom_ranks_add(&out[k], &own, sizeof own);
  if (!ok)
    loom_plan_no_memory(err);
  if (loom_ranks_agree(r, err)) {
    ok = r->exchange(r->context, out, in);
    for (uint32_t k = 0; ok && k < r->count; k++)
      if (k != r->rank && (ok = loom_ranks_cut(&in[k], &other, sizeof other)))
        join(f, &other);
    if (!ok)
      loom_plan_fail(err, LOOM_EXIT_FAILED, "ranks", "another rank does not answer");
  }
  for (uint32_t k = 0; out && k < r->count; k++)
    free(out[k].at);
  free(out);
  free(in);
  return err->status == 0;
}

/* ---- of a plan ------------------------------------------------------------------------------- */

static bool measure(struct loom_forecast *f, const struct loom_plan *plan, const struct part *part,
                    const struct loom_shadow *shadow, struct loom_plan_error *err) {
  struct loom_build_sample sample = {.switches.most = loom_min(SWITCHES, part->switches),
                                     .hosts.most = loom_min(HOSTS, part->hosts)};
  const struct loom_build_cfg cfg = {.plan = plan,
                                     .seed = plan->spec->run.seed,
                                     .receive = ignore_message,
                                     .shadow = shadow,
                                     .sample = &sample,
                                     .mine = part->mine};
  if (!loom_build_measure(&cfg, err))
    return false;
  f->per_switch = sample.switches.each;
  f->per_host = sample.hosts.each;
  f->run = f->per_switch * part->switches + f->per_host * part->hosts + beside(f->shared, &sample);
  f->all = f->shared + f->run * f->runs;
  return true;
}

bool loom_forecast_make(struct loom_forecast *f, const struct loom_plan *plan, uint32_t jobs,
                        const struct loom_shadow *shadow, struct loom_plan_error *err) {
  const struct loom_spec_run *run = &plan->spec->run;
  struct part part;
  *f = (struct loom_forecast){.name = plan->spec->name,
                              .hosts = plan->hosts,
                              .switches = plan->switches,
                              .links = links_of(plan->topo),
                              .seeds = run->seeds,
                              .runs = plan->ranks ? 1 : loom_min(jobs, run->seeds),
                              .workers = plan->ranks ? loom_max(1, jobs / plan->ranks->count)
                                                     : loom_cores_each(jobs, run->seeds),
                              .ranks = plan->ranks ? plan->ranks->count : 0,
                              .shared = loom_memory_now().resident,
                              .left = loom_memory_left()};
  if (!find_part(&part, plan))
    loom_plan_no_memory(err);
  else
    measure(f, plan, &part, shadow, err);
  free(part.mine);
  return plan->ranks ? gather(f, plan->ranks, err) : err->status == 0;
}

/* ---- for people and programs ----------------------------------------------------------------- */

static const char *runs(uint32_t count) { return count == 1 ? "run" : "runs"; }

static const char *ranks(uint32_t count) { return count == 1 ? "rank" : "ranks"; }

static void print_ranks(const struct loom_forecast *f, FILE *out) {
  fprintf(out,
          "\n  %" PRIu64 " of the largest rank when the run starts: %" PRIu64 " a switch, %" PRIu64
          " a host\n"
          "  %" PRIu64 " of these are this program, with Open MPI, topology and routes, which "
          "each rank has\n"
          "cores: %" PRIu32 " for each of %" PRIu32 " %s\n",
          f->shared + f->run, f->per_switch, f->per_host, f->shared, f->workers, f->ranks,
          ranks(f->ranks));
}

static void print_runs(const struct loom_forecast *f, FILE *out) {
  fprintf(out,
          "\n  %" PRIu64 " a run when it starts: %" PRIu64 " a switch, %" PRIu64 " a host\n"
          "  %" PRIu64 " of this program, with topology and routes, which runs share\n"
          "cores: %" PRIu32 " for each of %" PRIu32 " %s at a time\n",
          f->run, f->per_switch, f->per_host, f->shared, f->workers, f->runs, runs(f->runs));
}

void loom_forecast_print(const struct loom_forecast *f, FILE *out) {
  fprintf(out, "%s%s%" PRIu32 " hosts, %" PRIu32 " switches, %" PRIu32 " links; seeds: %" PRIu32,
          f->name ? f->name : "", f->name ? ": " : "", f->hosts, f->switches, f->links, f->seeds);
  fprintf(out, "\nmemory: about %" PRIu64 " bytes for ", f->all);
  if (f->ranks)
    fprintf(out, "%" PRIu32 " %s", f->ranks, ranks(f->ranks));
  else
    fprintf(out, "%" PRIu32 " %s at a time", f->runs, runs(f->runs));
  if (f->left != UINT64_MAX)
    fprintf(out, ", %" PRIu64 " are left", f->left);
  if (f->ranks)
    print_ranks(f, out);
  else
    print_runs(f, out);
}

/* Of the object of one process. */
static void count_ranks(const struct loom_forecast *f, json_t *root) {
  json_t *bytes = json_object_get(root, "bytes");
  json_object_del(bytes, "run");
  uint64_t rank = f->shared + f->run;
  json_object_set_new(bytes, "rank", json_integer((json_int_t)rank));
  json_object_set_new(root, "ranks", json_integer(f->ranks));
}

bool loom_forecast_print_json(const struct loom_forecast *f, FILE *out) {
  json_t *left = f->left == UINT64_MAX ? json_null() : json_integer((json_int_t)f->left);
  json_t *root = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:{s:I, s:o, s:I, s:I, s:I, s:I}}",
                           "hosts", (int)f->hosts, "switches", (int)f->switches, "links",
                           (int)f->links, "seeds", (int)f->seeds, "runs", (int)f->runs, "workers",
                           (int)f->workers, "bytes", "all", (json_int_t)f->all, "left", left, "run",
                           (json_int_t)f->run, "switch", (json_int_t)f->per_switch, "host",
                           (json_int_t)f->per_host, "shared", (json_int_t)f->shared);
  if (root && f->ranks)
    count_ranks(f, root);
  bool printed = root && json_dumpf(root, out, JSON_INDENT(2)) == 0;
  if (printed)
    fputc('\n', out);
  json_decref(root);
  return printed;
}
