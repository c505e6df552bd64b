/* SPDX-License-Identifier: Apache-2.0 */
#include "run/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/net_fabric.h"
#include "io/read_dtable.h"
#include "io/read_opensm_conf.h"
#include "io/read_vef.h"

void loom_spec_free(struct loom_spec *s) {
  for (uint32_t i = 0; i < s->offers; i++) {
    free(s->offer[i].targets);
    loom_permutation_free(&s->offer[i].permutation);
  }
  for (uint32_t i = 0; i < s->traces; i++) {
    struct loom_spec_trace *t = &s->trace[i];
    struct loom_vef_input input = {.trace = t->trace, .expanded = t->expanded};
    free(t->places);
    free(t->latencies);
    if (t->trace)
      loom_vef_input_free(&input);
  }
  loom_topo_destroy(s->topo);
  free(s->folder);
  free(s->root);
  free(s->fault);
  free(s->shadow);
  memset(s, 0, sizeof *s);
}

/* ---- the files that it names ----------------------------------------------------------------- */

double loom_spec_rate(const struct loom_spec *spec) {
  /* InfiniBand's QDR, 4 lanes of 8 Gb/s, which the papers on KNS have, too. */
  static const double of_papers[LOOM_DEVICE_KINDS] = {
      [LOOM_DEVICE_IB] = 32,           [LOOM_DEVICE_CROSSBAR] = 32,  [LOOM_DEVICE_KNS] = 32,
      [LOOM_DEVICE_KNS_CROSSBAR] = 32, [LOOM_DEVICE_OPA] = 100,      [LOOM_DEVICE_MPORT] = 100,
      [LOOM_DEVICE_ELITE5] = 20,       [LOOM_DEVICE_CROSSPOINT] = 20};
  uint32_t min = 0;
  uint32_t max = 0;
  if (spec->rate)
    return (double)spec->rate / 1000;
  if (spec->run.cycle_ps)
    return 64000.0 / spec->run.cycle_ps;
  if (spec->topo)
    loom_topo_rates(spec->topo, &min, &max);
  return max ? (double)max / 1000 : of_papers[spec->kind];
}

char *loom_spec_path(const struct loom_spec *spec, const char *file) {
  const char *folder = file[0] == '/' || !spec->folder ? "" : spec->folder;
  size_t room = strlen(folder) + strlen(file) + 1;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s%s", folder, file);
  return path;
}

bool loom_spec_read(const struct loom_spec *s, const char *file, bool large, loom_spec_take *take,
                    void *what, struct loom_error *err) {
  struct loom_source src;
  char *path = loom_spec_path(s, file);
  if (!path)
    return loom_fail(err, file, 0, "file", "out of memory");
  bool ok = large ? loom_source_read_all(&src, path, err) : loom_source_read(&src, path, err);
  if (ok) {
    ok = take(what, &src, err);
    loom_source_free(&src);
  }
  free(path);
  return ok;
}

static bool take_net(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_spec *s = what;
  s->topo = loom_net_fabric(src, err);
  if (!s->topo)
    return false;
  loom_topo_unplug_aggregation(s->topo);
  uint32_t min = 0;
  uint32_t max = 0;
  loom_topo_rates(s->topo, &min, &max);
  return s->rate || s->run.cycle_ps || min == max ||
         loom_fail(
             err, src->name, 0, "rate",
             "links carry %g to %g Gb/s, and those of a run are all alike: link.rate must say "
             "what they carry",
             min / 1000.0, max / 1000.0);
}

static bool keep_trace(struct loom_spec_trace *t, const struct loom_vef_input *input,
                       const char *name, struct loom_error *err) {
  t->trace = input->trace;
  t->expanded = input->expanded;
  if (t->strip)
    loom_vef_strip_triggers(t->expanded);
  if (t->place_count && t->place_count != t->trace->size.tasks)
    return loom_fail(err, name, 1, "nNodes", "%u tasks, but `places` has %u",
                     (unsigned)t->trace->size.tasks, (unsigned)t->place_count);
  return true;
}

static bool take_trace(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_spec_trace *t = what;
  struct loom_vef_input input = {.trace = NULL};
  char list[sizeof t->ops];
  const char *ops[LOOM_VEF_OPS], *twice = NULL;
  memcpy(list, t->ops, sizeof list);
  bool own = t->ops[0] && loom_vef_cut_ops(list, ops, &twice);
  if (!loom_read_vef(&input, src, t->collectives, own ? ops : NULL, err))
    return false;
  return keep_trace(t, &input, src->name, err);
}

/* A program that is no file. */
static bool make_trace(struct loom_spec_trace *t, struct loom_error *err) {
  const struct loom_vef_generate_cfg cfg = {.pattern = LOOM_VEF_PATTERN_COLLECTIVE,
                                            .op = t->program,
                                            .tasks = t->tasks,
                                            .rounds = t->rounds,
                                            .bytes = t->bytes,
                                            .clock = LOOM_VEF_MPI_CLOCK,
                                            .version = 3};
  const char *name = loom_vef_op_names[t->program];
  struct loom_vef_input input = {.trace = NULL};
  return loom_make_vef(&input, &cfg, t->collectives, name, err) && keep_trace(t, &input, name, err);
}

/* The devices of a trace: where they are, how far apart those of a tile are (VF-04). */
static bool take_names(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_spec_trace *t = what;
  struct loom_vef_names *names = loom_read_vef_names(src, t->trace->size.tasks, err);
  if (names && t->intra == LOOM_VEF_INTRA_ONE) {
    t->intra = LOOM_VEF_INTRA_LATENCY;
    t->latency = names->latency;
  }
  bool ok = names != NULL;
  if (ok && t->mapping == LOOM_SPEC_NAMES) {
    t->place_count = names->count;
    t->places = calloc((size_t)names->count, sizeof *t->places);
    ok = t->places || loom_fail(err, src->name, 0, "file", "out of memory");
  }
  if (ok && t->mapping == LOOM_SPEC_NAMES)
    loom_vef_map_names(names, t->places);
  loom_vef_names_destroy(names);
  return ok;
}

static bool take_latencies(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_spec_trace *t = what;
  t->latencies = loom_read_vef_latencies(src, t->trace->size.tasks, err);
  return t->latencies != NULL;
}

static bool take_permutation(void *what, const struct loom_source *src, struct loom_error *err) {
  return loom_read_permutation(what, src, err);
}

/* A solved table of `loom dtable`; its SLs must be those of classes. */
static bool take_dtable(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_spec *s = what;
  struct loom_spec_tables *t = &s->tables;
  struct loom_dtable_input in;
  bool by_sl = loom_parameter_value(&s->parameters, s->kind, "ARB_KEY");
  uint32_t room = loom_parameter_value(&s->parameters, s->kind, "ENTRIES");
  if (!loom_read_dtable(&in, src, err))
    return false;
  for (uint32_t e = 0; e < in.config.entries; e++) {
    uint32_t sl = in.flow[in.result.owner[e]].sl, seen = 0;
    for (uint32_t c = 0; c < s->classes; c++) {
      const struct loom_spec_class *class = &s->traffic_class[c];
      for (uint32_t l = 0; class->sl == sl && l < (by_sl ? 1 : class->layers); l++) {
        uint32_t key = by_sl ? sl : class->vl[l];
        if (seen >> key & 1)
          continue;
        seen |= UINT32_C(1) << key;
        if (t->high_count == room || t->high_count == LOOM_SPEC_TABLE)
          return loom_fail(err, src->name, 1, "entries", "more than the %u of the switch",
                           (unsigned)room);
        t->high[t->high_count++] =
            (struct loom_spec_entry){.key = (uint8_t)key, .weight = (uint8_t)in.result.weight[e]};
      }
    }
    if (!seen)
      return loom_fail(err, src->name, 1, "flows", "no class has SL %u", (unsigned)sl);
  }
  return true;
}

static uint32_t vls_of(const struct loom_spec *s) {
  uint32_t set = 0;
  for (uint32_t c = 0; c < s->classes; c++)
    for (uint32_t l = 0; l < s->traffic_class[c].layers; l++)
      set |= UINT32_C(1) << s->traffic_class[c].vl[l];
  return set;
}

/* The entries of VLs that classes have; the others would never have anything to send. */
static uint32_t copy_entries(const struct loom_vlarb_table *from, uint32_t vls,
                             struct loom_spec_entry *to) {
  uint32_t count = 0;
  for (size_t i = 0; i < from->count; i++)
    if (vls >> from->entry[i].vl & 1)
      to[count++] = (struct loom_spec_entry){.key = (uint8_t)from->entry[i].vl,
                                             .weight = (uint8_t)from->entry[i].weight};
  return count;
}

static bool same_table(const struct loom_vlarb_table *a, const struct loom_vlarb_table *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++)
    same = a->entry[i].vl == b->entry[i].vl && a->entry[i].weight == b->entry[i].weight;
  return same;
}

/* A fabric has the same tables in switches and hosts. */
static bool check_ports(const struct loom_opensm_qos *hosts, const struct loom_opensm_qos *switches,
                        const char *file, struct loom_error *err) {
  if (same_table(&hosts->high, &switches->high) && same_table(&hosts->low, &switches->low) &&
      hosts->high_limit == switches->high_limit)
    return true;
  return loom_fail(err, file, 0, "qos_ca_vlarb_high",
                   "tables and limit of hosts must be those of switches");
}

/* High and Low table and the limit of opensm.conf. */
static bool take_opensm(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_spec *s = what;
  struct loom_spec_tables *t = &s->tables;
  struct loom_opensm_conf conf;
  if (!loom_read_opensm_conf(&conf, src, err))
    return false;
  const struct loom_opensm_qos hosts = loom_opensm_of(&conf, LOOM_OPENSM_CA);
  const struct loom_opensm_qos q = loom_opensm_of(&conf, LOOM_OPENSM_SWE);
  if (!check_ports(&hosts, &q, src->name, err))
    return false;
  t->high_count = copy_entries(&q.high, vls_of(s), t->high);
  t->low_count = copy_entries(&q.low, vls_of(s), t->low);
  t->limit = q.high_limit;
  uint32_t high = loom_parameter_value(&s->parameters, s->kind, "N_HIGH");
  uint32_t low = loom_parameter_value(&s->parameters, s->kind, "N_LOW");
  if (t->high_count > high || t->low_count > low)
    return loom_fail(err, src->name, 0, t->high_count > high ? "qos_vlarb_high" : "qos_vlarb_low",
                     "more entries of VLs in use than the %u of the switch",
                     (unsigned)(t->high_count > high ? high : low));
  return true;
}

static bool load_trace(const struct loom_spec *s, struct loom_spec_trace *t,
                       struct loom_error *err) {
  bool ok = t->file[0] ? loom_spec_read(s, t->file, true, take_trace, t, err) : make_trace(t, err);
  return ok && (!t->names[0] || loom_spec_read(s, t->names, true, take_names, t, err)) &&
         (!t->table[0] || loom_spec_read(s, t->table, true, take_latencies, t, err));
}

bool loom_spec_load(struct loom_spec *s, struct loom_error *err) {
  if (s->net[0] && !loom_spec_read(s, s->net, true, take_net, s, err))
    return false;
  if (s->tables.dtable[0] && !loom_spec_read(s, s->tables.dtable, false, take_dtable, s, err))
    return false;
  if (s->tables.opensm[0] && !loom_spec_read(s, s->tables.opensm, false, take_opensm, s, err))
    return false;
  for (uint32_t i = 0; i < s->offers; i++)
    if (s->offer[i].file[0] && !loom_spec_read(s, s->offer[i].file, false, take_permutation,
                                               &s->offer[i].permutation, err))
      return false;
  for (uint32_t i = 0; i < s->traces; i++)
    if (!load_trace(s, &s->trace[i], err))
      return false;
  return true;
}
