/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of files against damaged input: each truncation of each good file, and random
 * mutations.
 *
 *     fuzz_readers [SEED]
 *
 * Built with the address and undefined-behaviour sanitizers. A reader must refuse every truncation;
 * to a mutation it says yes or no. A refusal is one line of plain text that names file, line and
 * key. A reader must not crash, leak or take longer than LIMIT_S; what it accepts must be sound.
 * Tables without the first line that promises an end are cut too: what is left of such a file may
 * be whole. Prints PASS or FAIL for each file and kind of damage; the input of a failure is left in
 * build/fuzz. Exit status: 0 all passed, 1 not.
 */
#define _GNU_SOURCE /* open_memstream, alarm */

#include <glob.h>
#include <inttypes.h>
#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/published_table.h"
#include "io/read_chakra.h"
#include "io/read_dtable.h"
#include "io/read_goal.h"
#include "io/read_lfts.h"
#include "io/read_logs.h"
#include "io/read_net.h"
#include "io/read_opensm_conf.h"
#include "io/read_path_records.h"
#include "io/read_perftest.h"
#include "io/read_permutation.h"
#include "io/read_sweep.h"
#include "io/read_vef.h"
#include "io/read_vlarb.h"
#include "io/read_wishes.h"
#include "io/yaml_edit.h"
#include "routing/check.h"
#include "run/read_fabric.h"
#include "tb/cosim/outfile.h"
#include "tb/cosim/pkt.h"
#include "vef/vef_replay.h"

/* Of the address sanitizer; NULL in a build without it, which refuses to run. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

enum { MUTATIONS = 10000, LIMIT_S = 10, FILES_MAX = 64, GROW_MAX = 400 };

/* The reader of vectors wants the list of devices; none is needed here. */
const struct dut *const loom_duts[] = {NULL};

/* What a reader said. */
struct answer {
  bool yes;
  bool sound; /* of what it accepted */
  char line[sizeof((struct loom_error *)NULL)->line];
};

typedef void reader(const char *name, const char *bytes, size_t size, struct answer *a);

struct file {
  char name[128];
  char *bytes;
  size_t size;
};

static uint64_t random_state;

static size_t below(size_t n) { return n ? (size_t)(loom_random(&random_state) % n) : 0; }

/* ---- the readers ----------------------------------------------------------------------------- */

static bool sound_vlarb(const struct loom_vlarb_table *t) {
  struct loom_vlarb_result r;
  const struct loom_vlarb_config config = {.high = t->entry,
                                           .high_count = t->count,
                                           .low = t->entry,
                                           .low_count = t->count,
                                           .limit = 1,
                                           .runs = 2,
                                           .packet_bytes = 256,
                                           .mode = LOOM_VLARB_DEFICIT};
  uint64_t packets = 0;
  if (t->count < 1 || t->count > LOOM_VLARB_TABLE)
    return false;
  for (size_t i = 0; i < t->count; i++)
    if (t->entry[i].vl > 14)
      return false;
  loom_vlarb_analyze(&config, &r);
  for (unsigned vl = 0; vl < LOOM_IB_VLS; vl++)
    packets += r.vl[vl].packets;
  return packets == r.packets;
}

static void read_vlarb(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_vlarb_table table;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_vlarb(&table, &src,
                           strstr(name, "-low") ? LOOM_VLARB_SIDE_LOW : LOOM_VLARB_SIDE_HIGH, &err);
  a->sound = a->yes && sound_vlarb(&table);
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

static bool sound_dtable(const struct loom_dtable_input *in) {
  uint32_t sum = 0;
  for (uint32_t e = 0; e < in->config.entries; e++) {
    uint32_t flow = in->result.owner[e];
    if (flow >= in->config.flow_count || in->result.weight[e] < in->flow[flow].mtu ||
        in->result.weight[e] > LOOM_DTABLE_CREDITS)
      return false;
    sum += in->result.weight[e];
  }
  return sum == in->result.after && in->config.k && in->config.k <= in->config.w;
}

static void read_dtable(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_dtable_input in;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_dtable(&in, &src, &err);
  a->sound = a->yes && sound_dtable(&in);
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

static void read_perftest(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_perftest p;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_perftest(&p, &src, &err);
  a->sound = a->yes && p.mtu <= 65536 && p.message <= UINT32_MAX &&
             p.bandwidth <= UINT64_C(100000) * 1000000000;
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

/* Every SL has a VL that asks for something. */
static bool sound_wishes(const struct loom_wishes *w) {
  unsigned vls = 0;
  for (uint32_t i = 0; i < w->wish.count; i++) {
    const struct loom_wish_vl *v = &w->wish.vl[i];
    if (v->vl > 14 || vls >> v->vl & 1 || !v->share || !v->distance)
      return false;
    vls |= 1U << v->vl;
  }
  for (unsigned sl = 0; sl < LOOM_OPENSM_SLS; sl++)
    if (!(vls >> w->vl_of_sl[sl] & 1))
      return false;
  return vls && w->wish.high && w->wish.high <= 64 && w->wish.low <= 64 &&
         w->wish.packet_bytes % 64 == 0;
}

static void read_wishes(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_wishes w;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_wishes(&w, &src, &err);
  a->sound = a->yes && sound_wishes(&w);
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

/* The graph is whole, and what is written of it is the same fabric. */
static bool sound_net(const struct loom_topo *t) {
  char *text = NULL;
  size_t size = 0;
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (loom_topo_check(t).fault != LOOM_TOPO_SOUND)
    return false;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return false;
  loom_topo_write_net(t, file);
  fclose(file);
  struct loom_topo *back = NULL;
  if (text && loom_source_copy(&src, "written", text, size)) {
    back = loom_read_net(&src, &err);
    loom_source_free(&src);
  }
  bool same = back && back->devices == t->devices && back->ports == t->ports &&
              !memcmp(back->port, t->port, t->ports * sizeof *t->port);
  loom_topo_destroy(back);
  free(text);
  return same;
}

static void read_net(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  struct loom_topo *t = loom_read_net(&src, &err);
  a->yes = t != NULL;
  a->sound = t && sound_net(t);
  memcpy(a->line, err.line, sizeof err.line);
  loom_topo_destroy(t);
  loom_source_free(&src);
}

/* Tables of the smallest KNS: what is written of them is the same. */
static bool sound_lfts(const struct loom_routing *r) {
  char *text = NULL;
  size_t size = 0;
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_routing *back = NULL;
  FILE *file = open_memstream(&text, &size);
  bool same = file && loom_routing_write_lfts(r, file);
  if (file)
    fclose(file);
  if (same && text && loom_source_copy(&src, "written", text, size)) {
    back = loom_read_lfts(&src, r->topo, 0, &err);
    loom_source_free(&src);
  }
  same = back && !memcmp(back->out, r->out, (size_t)r->switches * r->lids);
  loom_routing_destroy(back);
  free(text);
  return same;
}

static void read_lfts(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_source net;
  struct loom_error err = {.line = ""};
  if (!loom_source_read(&net, "vectors/net/kns-2-2.net", &err))
    return;
  struct loom_topo *t = loom_read_net(&net, &err);
  loom_source_free(&net);
  if (t && loom_source_copy(&src, name, bytes, size)) {
    struct loom_routing *r = loom_read_lfts(&src, t, 0, &err);
    a->yes = r != NULL;
    a->sound = r && sound_lfts(r);
    loom_routing_destroy(r);
    loom_source_free(&src);
  }
  memcpy(a->line, err.line, sizeof err.line);
  loom_topo_destroy(t);
}

/* SLs of the smallest KNS; whatever they are, the channels of its paths can be followed. */
static bool sound_path_records(const struct loom_routing *r) {
  struct loom_routing_cycle cycle;
  bool sound = r->layering == LOOM_ROUTING_LAYER_PATH && r->layers == r->classes &&
               r->layers <= LOOM_ROUTING_CLASSES && loom_routing_find_cycle(r, &cycle);
  for (uint32_t e = 0; e < r->ends; e++)
    for (uint32_t lid = 0; lid < r->lids; lid++)
      sound = sound && loom_routing_class(r, e, lid) < r->classes;
  if (sound)
    loom_routing_cycle_free(&cycle);
  return sound;
}

static void read_path_records(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source net = {.text = NULL}, lfts = {.text = NULL}, src;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = NULL;
  struct loom_routing *r = NULL;
  if (loom_source_read(&net, "vectors/net/kns-2-2.net", &err))
    t = loom_read_net(&net, &err);
  if (t && loom_source_read(&lfts, "vectors/net/kns-2-2-lash.lfts", &err))
    r = loom_read_lfts(&lfts, t, 0, &err);
  if (r && loom_source_copy(&src, name, bytes, size)) {
    a->yes = loom_read_path_records(&src, r, &err);
    a->sound = a->yes && sound_path_records(r);
    loom_source_free(&src);
  }
  memcpy(a->line, err.line, sizeof err.line);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
  loom_source_free(&lfts);
  loom_source_free(&net);
}

static bool sound_conf(const struct loom_opensm_conf *c) {
  for (unsigned p = 0; p < LOOM_OPENSM_PORTS; p++) {
    const struct loom_opensm_qos *q = &c->ports[p];
    if (q->high.count > LOOM_VLARB_TABLE || q->low.count > LOOM_VLARB_TABLE || q->max_vls > 15)
      return false;
    for (unsigned sl = 0; sl < LOOM_OPENSM_SLS; sl++)
      if (q->sl2vl[sl] > LOOM_OPENSM_DROP)
        return false;
  }
  return true;
}

static void read_conf(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_opensm_conf conf;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_opensm_conf(&conf, &src, &err);
  a->sound = a->yes && sound_conf(&conf);
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

static bool sound_case(const struct loom_published *f, const struct loom_published_case *c) {
  if (!c->name || !c->flow_count || !c->flow)
    return false;
  for (uint32_t i = 0; i < c->flow_count; i++)
    if (c->flow[i].vl >= f->vl_count || !c->flow[i].sl_count || !c->flow[i].size)
      return false;
  for (uint32_t i = 0; i < c->grant_count; i++)
    if (c->grant[i] >= f->vl_count)
      return false;
  for (uint32_t i = 0; i < c->selection_count; i++)
    if (c->selection[i].entry >= f->table.count)
      return false;
  return c->share_count || c->grant_count || c->selection_count;
}

static bool sound_published(const struct loom_published *f) {
  for (uint32_t i = 0; i < f->case_count; i++)
    if (!sound_case(f, &f->cases[i]))
      return false;
  return f->name && f->source && f->case_count && f->vl_count <= LOOM_VLS;
}

static void read_published(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_published f;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_published_parse(&f, &src, &err);
  a->sound = a->yes && sound_published(&f);
  memcpy(a->line, err.line, sizeof err.line);
  loom_published_free(&f);
  loom_source_free(&src);
}

/* Replays a trace on a network of no latency; whether it comes to its end. */
static bool replays(const struct loom_vef_trace *t) {
  struct loom_vef_replay *r = loom_vef_replay_create(
      &(struct loom_vef_replay_cfg){.nodes = 3, .traces = 1, .cycle_ps = 640});
  uint32_t *node = calloc(t->size.tasks, sizeof *node);
  struct loom_vef_message m;
  uint32_t number = 0;
  bool good = r && node;
  if (good) {
    loom_vef_map(LOOM_VEF_MAP_RANDOM, t->size.tasks, 3, 1, node);
    good = loom_vef_add(r, &(struct loom_vef_load){.trace = t, .node = node}, &number);
  }
  while (good && loom_vef_when(r) != LOOM_VEF_NEVER) {
    loom_vef_advance(r, loom_vef_when(r));
    while (good && loom_vef_next(r, &m))
      good = loom_vef_deliver(r, m.trace, m.id);
  }
  if (good)
    loom_vef_advance(r, LOOM_VEF_NEVER);
  good = good && loom_vef_done(r);
  loom_vef_replay_destroy(r);
  free(node);
  return good;
}

static bool no_sink(void *context, const char *text, size_t size) {
  (void)context;
  return text && size;
}

static void read_vef(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_vef_input in;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_vef(&in, &src, (enum loom_vef_algorithm)(size % 3), NULL, &err);
  a->sound = a->yes && replays(in.expanded) && loom_vef_write(in.trace, no_sink, NULL);
  memcpy(a->line, err.line, sizeof err.line);
  if (a->yes)
    loom_vef_input_free(&in);
  loom_source_free(&src);
}

/* What the logs of two ranks make: a trace that can be replayed, if not for good. */
static bool merge_logs(const char *name, const struct loom_vef_log log[2], struct answer *a,
                       struct loom_error *err) {
  struct loom_vef_merged found;
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_chain chain;
  uint32_t rank = 0;
  if (log[0].rank != 0 || log[1].rank != 1 || log[0].ranks != 2 || log[1].ranks != 2)
    return loom_fail(err, name, 1, "ranks", "are not 0 and 1 of 2");
  struct loom_vef_trace *t = loom_vef_merge(log, 2, &LOOM_VEF_MERGE_ALL, &found, &e, &rank);
  if (!t)
    return loom_vef_fail(name, &e, err);
  struct loom_vef_trace *expanded = loom_vef_expand(t, LOOM_VEF_RING);
  a->sound = loom_vef_write(t, no_sink, NULL) &&
             (!expanded || (loom_vef_follow(expanded, &chain) &&
                            (chain.stuck != LOOM_VEF_NONE || replays(expanded))));
  loom_vef_destroy(expanded);
  loom_vef_destroy(t);
  return true;
}

/* The logs of two ranks, one after the other. */
static void read_logs(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source all;
  struct loom_error err = {.line = ""};
  struct loom_vef_log log[2];
  if (!loom_source_copy(&all, name, bytes, size))
    return;
  const char *second = memmem(bytes, size, "\nLOG1 1", 7);
  size_t cut = second ? (size_t)(second - bytes) + 1 : size;
  struct loom_source src[2] = {{.name = name, .text = all.text, .size = cut},
                               {.name = name, .text = all.text + cut, .size = size - cut}};
  if (loom_read_log(&log[0], &src[0], &err)) {
    if (loom_read_log(&log[1], &src[1], &err)) {
      a->yes = merge_logs(name, log, a, &err);
      loom_vef_log_free(&log[1]);
    }
    loom_vef_log_free(&log[0]);
  }
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&all);
}

/* A schedule, and the trace that it makes, if what it asks for can come about. */
static void read_goal(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_vef_graph g;
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_names *names = NULL;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  if (loom_read_goal(&g, &src, &err)) {
    struct loom_vef_trace *t = loom_vef_graph_trace(&g, &names, &e);
    a->yes = t || loom_vef_fail(name, &e, &err);
    a->sound = t && names->count == t->size.tasks && replays(t);
    loom_vef_destroy(t);
    loom_vef_names_destroy(names);
    loom_vef_graph_free(&g);
  }
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

/* The file of each of two ranks. */
static void read_chakra(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_chakra c;
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_names *names = NULL;
  const struct loom_chakra_cfg cfg = {.dimensions = 0};
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  const struct loom_source both[2] = {src, src};
  if (loom_read_chakra_sources(&c, both, 2, &cfg, &err)) {
    struct loom_vef_trace *t = loom_vef_graph_trace(&c.graph, &names, &e);
    struct loom_vef_trace *expanded =
        t ? loom_vef_expand(t, (enum loom_vef_algorithm)(size % 3)) : NULL;
    a->yes = t || loom_chakra_graph_fail(&c, &e, &err);
    a->sound = t && names->count == t->size.tasks && (!expanded || replays(expanded)) &&
               loom_vef_write(t, no_sink, NULL);
    loom_vef_destroy(expanded);
    loom_vef_destroy(t);
    loom_vef_names_destroy(names);
    loom_chakra_free(&c);
  }
  memcpy(a->line, err.line, sizeof err.line);
  loom_source_free(&src);
}

static void read_vef_names(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  struct loom_vef_names *names = loom_read_vef_names(&src, 50, &err);
  a->yes = names != NULL;
  a->sound = names && names->count && names->device[names->count - 1].kind[0];
  memcpy(a->line, err.line, sizeof err.line);
  loom_vef_names_destroy(names);
  loom_source_free(&src);
}

/* Of a trace of six tasks. */
static void read_latencies(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  uint32_t *table = loom_read_vef_latencies(&src, 6, &err);
  a->yes = table != NULL;
  a->sound = table != NULL;
  for (unsigned i = 0; table && i < 36; i++)
    a->sound = a->sound && table[i] <= LOOM_VEF_NAMES_LATENCY;
  memcpy(a->line, err.line, sizeof err.line);
  free(table);
  loom_source_free(&src);
}

/* Sources and destinations stand once each; what has no line is silent. */
static bool sound_permutation(const struct loom_permutation *p) {
  uint8_t *seen = calloc(LOOM_PERMUTATION_TASKS, 1);
  bool sound = seen && p->count && p->count <= LOOM_PERMUTATION_TASKS;
  for (uint32_t s = 0; sound && s < LOOM_PERMUTATION_TASKS; s++) {
    uint32_t to = p->to[s];
    if (to != LOOM_PATTERN_SILENT)
      sound = s < p->count && to < p->count && p->line[s] && !seen[to]++;
    else
      sound = !p->line[s];
  }
  free(seen);
  return sound;
}

static void read_permutation(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_permutation p;
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_permutation(&p, &src, &err);
  a->sound = a->yes && sound_permutation(&p);
  if (a->yes) /* a fabric of 16 hosts refuses as the reader does */
    a->yes = loom_permutation_fits(&p, 16, name, &err);
  memcpy(a->line, err.line, sizeof err.line);
  loom_permutation_free(&p);
  loom_source_free(&src);
}

static bool same_traces(const struct loom_spec *a, const struct loom_spec *b) {
  bool same = a->traces == b->traces && a->run.cycle_ps == b->run.cycle_ps;
  for (uint32_t i = 0; same && i < a->traces; i++) {
    const struct loom_spec_trace *s = &a->trace[i], *t = &b->trace[i];
    same = s->start == t->start && s->mapping == t->mapping && s->place_count == t->place_count &&
           s->collectives == t->collectives && s->strip == t->strip && s->intra == t->intra &&
           s->latency == t->latency && s->bandwidth == t->bandwidth &&
           !strcmp(s->names, t->names) && !strcmp(s->table, t->table) &&
           !strcmp(s->file, t->file) && !strcmp(s->ops, t->ops);
  }
  return same;
}

static bool same_class(const struct loom_spec_class *a, const struct loom_spec_class *b) {
  return !strcmp(a->name, b->name) && a->sl == b->sl && a->layers == b->layers &&
         !memcmp(a->vl, b->vl, sizeof a->vl) && !memcmp(a->sc, b->sc, sizeof a->sc) &&
         a->mtu == b->mtu && a->packet == b->packet && a->trains == b->trains;
}

static bool same_parameters(const struct loom_parameters *a, const struct loom_parameters *b) {
  return !memcmp(a->given, b->given, sizeof a->given) &&
         !memcmp(a->value, b->value, sizeof a->value);
}

static bool same_setup(const struct loom_spec *a, const struct loom_spec *b) {
  bool same = !strcmp(a->name, b->name) && a->classes == b->classes && a->offers == b->offers &&
              same_traces(a, b) && a->shadows == b->shadows && a->kind == b->kind &&
              a->engine == b->engine && a->run.measure == b->run.measure &&
              a->run.seed == b->run.seed && !memcmp(&a->tables, &b->tables, sizeof a->tables) &&
              same_parameters(&a->parameters, &b->parameters);
  for (uint32_t i = 0; same && i < a->offers; i++)
    same = a->offer[i].cfg.load == b->offer[i].cfg.load &&
           a->offer[i].cfg.flits == b->offer[i].cfg.flits &&
           a->offer[i].cfg.operation == b->offer[i].cfg.operation &&
           a->offer[i].cfg.pattern.kind == b->offer[i].cfg.pattern.kind;
  for (uint32_t i = 0; same && i < a->collectives; i++)
    same = a->collective[i].kind == b->collective[i].kind &&
           a->collective[i].words == b->collective[i].words &&
           a->collective[i].trees == b->collective[i].trees;
  for (uint32_t i = 0; same && i < a->classes; i++)
    same = same_class(&a->traffic_class[i], &b->traffic_class[i]);
  return same;
}

/* A copy by the editor is the same setup. */
static bool sound_fabric(const struct loom_spec *s, const struct loom_source *src) {
  struct loom_source copy;
  struct loom_error err = {.line = ""};
  struct loom_spec *back = calloc(1, sizeof *back);
  bool same = false;
  if (back && loom_yaml_edit(src, NULL, 0, &copy, &err)) {
    same = loom_read_fabric(back, &copy, &err) && same_setup(s, back);
    loom_source_free(&copy);
    loom_spec_free(back);
  }
  free(back);
  return same && s->classes && s->classes <= LOOM_HOST_CLASSES && (s->offers || s->traces) &&
         s->tables.high_count <= LOOM_SPEC_TABLE && s->run.seeds;
}

static void read_fabric(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_spec *s = calloc(1, sizeof *s);
  if (s && loom_source_copy(&src, name, bytes, size)) {
    a->yes = loom_read_fabric(s, &src, &err);
    a->sound = a->yes && sound_fabric(s, &src);
    memcpy(a->line, err.line, sizeof err.line);
    loom_spec_free(s);
    loom_source_free(&src);
  }
  free(s);
}

static void read_sweep(const char *name, const char *bytes, size_t size, struct answer *a) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_sweep sweep;
  struct loom_edit edit[(LOOM_SWEEP_AXES + 1) * LOOM_SWEEP_SETS];
  char point[LOOM_SWEEP_NAME];
  if (!loom_source_copy(&src, name, bytes, size))
    return;
  a->yes = loom_read_sweep(&sweep, &src, &err);
  a->sound = a->yes && sweep.points && sweep.points <= LOOM_SWEEP_POINTS;
  for (uint32_t p = 0; a->sound && p < sweep.points; p++) {
    loom_sweep_point_name(&sweep, p, point);
    a->sound = point[0] && !strchr(point, '/') && strlen(point) <= LOOM_SWEEP_FOLDER &&
               loom_sweep_edits(&sweep, p, edit) <= 80;
  }
  memcpy(a->line, err.line, sizeof err.line);
  loom_sweep_free(&sweep);
  loom_source_free(&src);
}

static bool parse_out(const char *name, const char *text, size_t size, FILE *err, bool *sound) {
  struct out_file f;
  if (!out_parse(&f, name, text, size, err))
    return false;
  *sound = f.cycles && f.in && f.out && f.care;
  out_free(&f);
  return true;
}

static bool parse_pkt(const char *name, const char *text, size_t size, FILE *err, bool *sound) {
  struct pkt_file f;
  if (!pkt_parse(&f, name, text, size, err))
    return false;
  *sound = f.cycles > 0;
  for (size_t i = 0; i < f.packets; i++)
    *sound = *sound && f.packet[i].vl < 32 && f.packet[i].sc < 32 && f.packet[i].length &&
             f.packet[i].cycle <= f.cycles;
  for (size_t i = 0; i < f.writes; i++)
    *sound = *sound && f.write[i].cycle <= f.cycles;
  pkt_free(&f);
  return true;
}

/* Readers that write their refusal on a stream and end it with a newline. */
static void read_stream(bool parse(const char *, const char *, size_t, FILE *, bool *),
                        const char *name, const char *bytes, size_t size, struct answer *a) {
  char *text = NULL;
  char *exact = malloc(size ? size : 1); /* so that a read past the end is seen */
  size_t length = 0;
  FILE *err = open_memstream(&text, &length);
  if (err && exact) {
    memcpy(exact, bytes, size);
    a->yes = parse(name, exact, size, err, &a->sound);
  }
  if (err)
    fclose(err);
  if (length && text[length - 1] == '\n')
    text[length - 1] = 0;
  snprintf(a->line, sizeof a->line, "%s", text ? text : "");
  free(text);
  free(exact);
}

static void read_out(const char *name, const char *bytes, size_t size, struct answer *a) {
  read_stream(parse_out, name, bytes, size, a);
}

static void read_pkt(const char *name, const char *bytes, size_t size, struct answer *a) {
  read_stream(parse_pkt, name, bytes, size, a);
}

static const struct kind {
  const char *name;
  reader *read;
  const char *files[2]; /* patterns */
  const char *promise;  /* how the first line of a good file starts; without it an end is optional
                           and a truncation may be accepted; NULL: the end is not optional */
} kinds[] = {
    {"csv", read_vlarb, {"vectors/papers/*.csv", "tb/fuzz/good/*.csv"}, "# entries:"},
    {"opensm", read_vlarb, {"vectors/papers/*.opensm", "tb/fuzz/good/*.opensm"}, "# entries:"},
    {"dtable", read_dtable, {"vectors/papers/dtable/*.yaml", "tb/fuzz/good/*.dtable"}, "---\n"},
    {"perftest", read_perftest, {"tb/fuzz/good/*.perftest", NULL}, NULL},
    {"wishes", read_wishes, {"vectors/wishes/*.yaml", NULL}, "---\n"},
    {"net", read_net, {"vectors/net/*.net", "tb/fuzz/good/*.net"}, "# devices:"},
    {"lfts", read_lfts, {"tb/fuzz/good/*.lfts", NULL}, NULL},
    {"paths", read_path_records, {"vectors/net/*.paths", NULL}, NULL},
    {"conf", read_conf, {"vectors/papers/*.conf", "tb/fuzz/good/*.conf"}, "# options:"},
    {"published_table", read_published, {"vectors/papers/*.yaml", NULL}, NULL},
    {"out", read_out, {"tb/fuzz/good/*.out", NULL}, NULL},
    {"vef", read_vef, {"vectors/vef/*.vef", NULL}, NULL},
    {"logs", read_logs, {"tb/fuzz/good/*.logs", NULL}, NULL},
    {"goal", read_goal, {"vectors/vef/*.goal", NULL}, NULL},
    {"chakra", read_chakra, {"tb/fuzz/good/*.et", NULL}, NULL},
    {"names", read_vef_names, {"vectors/vef/*.names", NULL}, NULL},
    {"latencies", read_latencies, {"vectors/vef/*.latencies", "tb/fuzz/good/*.latencies"}, NULL},
    {"perm", read_permutation, {"vectors/traffic/*.perm", NULL}, "# pairs:"},
    {"fabric", read_fabric, {"vectors/fabric/tree-2-2.yaml", "tb/fuzz/good/*.fabric"}, "---\n"},
    {"sweep", read_sweep, {"vectors/sweep/tree-*.yaml", "vectors/sweep/kns-6-2.yaml"}, "---\n"},
    {"pkt", read_pkt, {"vectors/*/*.pkt", NULL}, NULL},
};

/* ---- judging --------------------------------------------------------------------------------- */

/* Lines at most: YAML also breaks them at CR, NEL (c2 85), LS and PS (e2 80 a8, e2 80 a9). */
static size_t lines_in(const char *bytes, size_t size) {
  static const char breaks[] = "\n\r\x85\xa8\xa9";
  size_t lines = 1;
  for (size_t i = 0; i < size; i++)
    lines += memchr(breaks, bytes[i], sizeof breaks - 1) != NULL;
  return lines;
}

/* NULL if the refusal is one line `file:line: key: reason` whose line is one of the file, or the
 * one after its end. */
static const char *bad_refusal(const char *name, const char *line, size_t lines) {
  size_t head = strlen(name);
  char *end = NULL;
  if (strncmp(line, name, head) != 0 || line[head] != ':')
    return "does not start with the file";
  unsigned long number = strtoul(line + head + 1, &end, 10);
  if (end == line + head + 1 || *end != ':' || end[1] != ' ')
    return "does not name a line";
  if (number > lines + 1)
    return "names a line that is not in the file";
  for (const char *c = line; *c; c++)
    if (*c < ' ' || *c > '~')
      return "has unprintable characters or more than one line";
  const char *key = end + 2;
  const char *stop = strstr(key, ": ");
  if (!stop || stop == key)
    return "does not name a key";
  return stop[2] ? NULL : "gives no reason";
}

static void keep(const struct kind *k, const char *bytes, size_t size) {
  char path[100];
  mkdir("build", 0777);
  mkdir("build/fuzz", 0777);
  snprintf(path, sizeof path, "build/fuzz/failed.%s", k->name);
  FILE *f = fopen(path, "wb");
  if (!f)
    return;
  fwrite(bytes, 1, size, f);
  fclose(f);
  printf("# the input is in %s\n", path);
}

/* Reads one damaged input; false after saying what was wrong with the answer. */
static bool probe(const struct kind *k, const char *name, const char *bytes, size_t size,
                  unsigned *accepted) {
  struct answer a = {.yes = false};
  const char *wrong = NULL;
  alarm(LIMIT_S);
  k->read(name, bytes, size, &a);
  alarm(0);
  if (a.yes && a.line[0])
    wrong = "accepted with an error";
  else if (a.yes && !a.sound)
    wrong = "accepted what is not sound";
  else if (!a.yes)
    wrong = bad_refusal(name, a.line, lines_in(bytes, size));
  *accepted += a.yes;
  if (wrong) {
    printf("# %s: %s: `%s`\n", name, wrong, a.line);
    keep(k, bytes, size);
  }
  return !wrong;
}

static bool report(bool good, const struct kind *k, const char *what, const char *name,
                   unsigned inputs, unsigned accepted) {
  if (__lsan_do_recoverable_leak_check()) {
    printf("# %s: memory leaked\n", name);
    good = false;
  }
  const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
  printf("%s fuzz-%s-%s-%s: %u inputs, %u accepted\n", good ? "PASS" : "FAIL", k->name, what, base,
         inputs, accepted);
  fflush(stdout);
  return good;
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Every truncation of a good file is refused. */
static bool truncations(const struct kind *k, const struct file *f) {
  unsigned accepted = 0;
  bool good = true;
  for (size_t size = 0; size < f->size && good; size++) {
    good = probe(k, f->name, f->bytes, size, &accepted);
    if (accepted) {
      printf("# %s: accepted its first %zu of %zu bytes\n", f->name, size, f->size);
      keep(k, f->bytes, size);
      good = false;
    }
  }
  return report(good, k, "cut", f->name, (unsigned)f->size, accepted);
}

/* The same file as a user may write it, without the line that promises an end. */
static bool open_truncations(const struct kind *k, const struct file *f) {
  const char *body = memchr(f->bytes, '\n', f->size);
  unsigned accepted = 0;
  bool good = true;
  if (!body || strncmp(f->bytes, k->promise, strlen(k->promise)) != 0) {
    printf("# %s: does not start with `%s`\n", f->name, k->promise);
    return report(false, k, "open", f->name, 0, 0);
  }
  size_t whole = f->size - (size_t)(++body - f->bytes);
  for (size_t size = 0; size <= whole && good; size++)
    good = probe(k, f->name, body, size, &accepted);
  return report(good && accepted, k, "open", f->name, (unsigned)whole + 1, accepted);
}

struct text {
  char *bytes;
  size_t size;
  size_t room;
};

/* Puts `count` bytes in; `from` is not inside the text. */
static void insert(struct text *t, size_t at, const char *from, size_t count) {
  if (count > t->room - t->size)
    count = t->room - t->size;
  memmove(t->bytes + at + count, t->bytes + at, t->size - at);
  memcpy(t->bytes + at, from, count);
  t->size += count;
}

static void erase(struct text *t, size_t at, size_t count) {
  if (count > t->size - at)
    count = t->size - at;
  memmove(t->bytes + at, t->bytes + at + count, t->size - at - count);
  t->size -= count;
}

static void copy_part(struct text *t, const struct file *from) {
  char part[64];
  size_t start = below(from->size);
  size_t count = 1 + below(sizeof part);
  if (count > from->size - start)
    count = from->size - start;
  memcpy(part, from->bytes + start, count);
  insert(t, below(t->size + 1), part, count);
}

/* One random change; `other` is a file of the same kind. */
static void mutate(struct text *t, const struct file *other) {
  static const char *const words[] = {
      "0",  "-1", "255", "256", "4294967296",   "1e9",  ":",  ",",   "[",     "]",   "{", "}",
      "\n", "\r", "\t",  "#",   "- ",           "&a",   "*a", "!!",  "---\n", "...", "'", "\"",
      "|",  ">",  "%",   "? ",  "\xef\xbb\xbf", "\xff", "0x", "true"};
  size_t at = below(t->size);
  const char *word = words[below(sizeof words / sizeof words[0])];
  switch (below(7)) {
  case 0:
    if (t->size)
      t->bytes[at] = (char)(t->bytes[at] ^ 1 << below(8));
    break;
  case 1:
    if (t->size)
      t->bytes[at] = (char)loom_random(&random_state);
    break;
  case 2:
    erase(t, at, 1);
    break;
  case 3:
    erase(t, at, 1 + below(40));
    break;
  case 4:
    insert(t, below(t->size + 1), word, strlen(word));
    break;
  case 5:
    copy_part(t, other);
    break;
  default: /* a digit becomes another */
    for (size_t i = 0; i < t->size; i++, at = (at + 1) % t->size)
      if (t->bytes[at] >= '0' && t->bytes[at] <= '9') {
        t->bytes[at] = (char)('0' + below(10));
        break;
      }
  }
}

static bool mutations(const struct kind *k, const struct file *files, size_t count) {
  unsigned accepted = 0;
  bool good = true;
  for (unsigned i = 0; i < MUTATIONS && good; i++) {
    const struct file *f = &files[below(count)];
    struct text t = {.bytes = malloc(f->size + GROW_MAX), .room = f->size + GROW_MAX};
    if (!t.bytes)
      return false;
    insert(&t, 0, f->bytes, f->size);
    for (size_t changes = 1 + below(4); changes; changes--)
      mutate(&t, &files[below(count)]);
    good = probe(k, f->name, t.bytes, t.size, &accepted);
    free(t.bytes);
  }
  return report(good, k, "mutate", "all", MUTATIONS, accepted);
}

/* The good files themselves must be accepted. */
static bool untouched(const struct kind *k, const struct file *f) {
  unsigned accepted = 0;
  bool good = probe(k, f->name, f->bytes, f->size, &accepted) && accepted == 1;
  return report(good, k, "good", f->name, 1, accepted);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool load(struct file *f, const char *path) {
  FILE *stream = fopen(path, "rb");
  long size = 0;
  if (!stream || fseek(stream, 0, SEEK_END) || (size = ftell(stream)) < 0)
    return false;
  rewind(stream);
  snprintf(f->name, sizeof f->name, "%s", path);
  f->bytes = malloc((size_t)size + 1);
  f->size = f->bytes ? fread(f->bytes, 1, (size_t)size, stream) : 0;
  if (f->bytes)
    f->bytes[f->size] = 0;
  fclose(stream);
  return f->bytes && f->size == (size_t)size;
}

static size_t load_kind(const struct kind *k, struct file files[FILES_MAX]) {
  size_t count = 0;
  for (unsigned p = 0; p < 2 && k->files[p]; p++) {
    glob_t found;
    if (glob(k->files[p], 0, NULL, &found))
      continue;
    for (size_t i = 0; i < found.gl_pathc && count < FILES_MAX; i++)
      count += load(&files[count], found.gl_pathv[i]);
    globfree(&found);
  }
  return count;
}

static bool run_kind(const struct kind *k) {
  struct file files[FILES_MAX];
  size_t count = load_kind(k, files);
  bool good = count > 0;
  if (!count)
    printf("FAIL fuzz-%s: no file\n", k->name);
  for (size_t i = 0; i < count; i++) {
    good = untouched(k, &files[i]) && good;
    good = truncations(k, &files[i]) && good;
    good = (!k->promise || open_truncations(k, &files[i])) && good;
  }
  good = (!count || mutations(k, files, count)) && good;
  for (size_t i = 0; i < count; i++)
    free(files[i].bytes);
  return good;
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  bool good = true;
  if (!__lsan_do_recoverable_leak_check) {
    printf("FAIL fuzz-readers: built without the address sanitizer\n");
    return 1;
  }
  printf("# seed %" PRIu64 "\n", seed);
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    random_state = seed * 1000 + i;
    good = run_kind(&kinds[i]) && good;
  }
  return good ? 0 : 1;
}
