/* SPDX-License-Identifier: Apache-2.0 */

#include "run/statistics.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <loom/head.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "io/text_stream.h"
#include "run/build_state.h"
#include "run/hops.h"
#include "run/ranks.h"
#include "run/times.h"
#include "run/waits.h"
#include "traffic/pairs.h"

enum { SAMPLE = 1000 }; /* cycles from one sample to the next, unless the spec has an interval */
enum {
  FILE_LINKS,
  FILE_OUTPUTS,
  FILE_DEVICES,
  FILE_FLOWS,
  FILE_OCCUPANCY,
  FILE_ROUTES,
  FILE_STALLS,
  FILE_WAITS,
  FILE_PACKETS,
  FILE_TIMES,
  FILE_TRACE
};
enum { LIDS = 1 << 16 };
enum { LOOK_IN, LOOK_CENTRAL, LOOK_OUT, LOOKS }; /* buffers of a switch */

const struct loom_statistics_file loom_statistics_file[LOOM_STATISTICS_FILES] = {
    [FILE_LINKS] = {LOOM_STATISTIC_LINKS, "links.csv",
                    "seed,from,from_port,to,to_port,vl,flits,packets,utilisation\n"},
    [FILE_OUTPUTS] = {LOOM_STATISTIC_LINKS, "outputs.csv", "seed,switch,port,grants,contended\n"},
    [FILE_DEVICES] = {LOOM_STATISTIC_LINKS, "devices.csv", "device,kind,ports,level,coordinates\n"},
    [FILE_FLOWS] = {LOOM_STATISTIC_FLOWS, "flows.csv",
                    "seed,source,destination,class,messages,packets,flits,total_mean,total_max,"
                    "net_mean,net_max\n"},
    [FILE_OCCUPANCY] = {LOOM_STATISTIC_OCCUPANCY, "occupancy.csv",
                        "seed,switch,buffer,port,vl,samples,mean,max\n"},
    [FILE_ROUTES] = {LOOM_STATISTIC_ROUTES, "routes.csv",
                     "seed,from,from_port,to,to_port,source,destination,packets\n"},
    [FILE_STALLS] = {LOOM_STATISTIC_STALLS, "stalls.csv",
                     "seed,device,place,port,vl,class,packets,transit," LOOM_WAITS_CAUSES "\n"},
    [FILE_WAITS] = {LOOM_STATISTIC_STALLS, "waits.csv",
                    "seed,source,destination,class,packets,latency,transit," LOOM_WAITS_CAUSES
                    "\n"},
    [FILE_PACKETS] = {LOOM_STATISTIC_PACKETS, "packets.csv",
                      "seed,source,destination,class,flits,generated,injected,received,"
                      "transit," LOOM_WAITS_CAUSES "\n"},
    [FILE_TIMES] = {LOOM_STATISTIC_TIMES, "times.csv",
                    "seed,from,from_port,to,to_port,cycle,flits\n"},
    [FILE_TRACE] = {LOOM_STATISTIC_TRACE, "trace.perfetto", ""},
};

/* The way into a port of a device of the topology, which is a port of a device of the fabric. */
struct way {
  uint32_t device, port, number, at;
};

/* Of a VL of a buffer, in units. */
struct sampled {
  uint64_t sum;
  uint32_t most;
};

/* The buffers of a switch. */
struct looked {
  uint32_t count[LOOKS], lanes; /* buffers of a kind; 1 lane: all VLs together */
  struct sampled *sampled;      /* by kind, buffer and lane */
};

struct loom_statistics {
  const struct loom_plan *plan;
  struct loom_built *built;
  struct loom_watch *watch;
  bool finished;
  struct loom_pairs pairs;
  struct loom_pairs routes; /* the way into a port of a device in place of a class */
  uint32_t *host_of;        /* by LID */
  bool exhausted;
  struct loom_network network; /* of the fabric */
  uint64_t begin;              /* cycle of the fabric with which the run begins */
  uint64_t next, samples;      /* cycle of the next sample; how many there were */
  struct looked *looked;       /* by row */
  struct way *way;             /* all that is watched */
  uint32_t ways;
  struct loom_times times;  /* by way */
  struct loom_waits *waits; /* NULL: nobody asks why packets wait */
  struct loom_hops *hops;   /* NULL: nobody follows packets */
};

static bool wants(const struct loom_statistics *s, enum loom_statistic what) {
  return s->plan->spec->run.stats >> what & 1;
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void hear(void *context, uint32_t device, uint32_t port, uint64_t data) {
  struct loom_statistics *s = context;
  uint32_t src = s->host_of[LOOM_GET(LOOM_HEAD_SRC, data)];
  uint32_t dst = s->host_of[LOOM_GET(LOOM_HEAD_DEST, data)];
  if (!loom_pairs_count(&s->routes, src, dst, device * LOOM_FABRIC_PORTS + port))
    s->exhausted = true;
}

static bool open_routes(struct loom_statistics *s) {
  const struct loom_plan *p = s->plan;
  s->host_of = calloc(LIDS, sizeof *s->host_of);
  if (!s->host_of)
    return false;
  for (uint32_t h = 0; h < p->hosts; h++)
    for (uint32_t path = 0; path < 1u << (p->routing ? p->routing->lmc : 0); path++)
      s->host_of[(p->lid[h] + path) % LIDS] = h;
  loom_watch_on_head(s->watch, hear, s);
  return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Links have to be watched. */
static bool watches(const struct loom_statistics *s) {
  return wants(s, LOOM_STATISTIC_LINKS) || wants(s, LOOM_STATISTIC_ROUTES) ||
         wants(s, LOOM_STATISTIC_TIMES) || wants(s, LOOM_STATISTIC_TRACE) ||
         loom_spec_wants_waits(s->plan->spec);
}

struct loom_statistics *loom_statistics_create(const struct loom_plan *plan) {
  struct loom_statistics *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->plan = plan;
  if (watches(s))
    s->watch = loom_watch_create(plan->switches + plan->hosts);
  s->looked = calloc(plan->switches, sizeof *s->looked);
  bool ok = s->looked && (s->watch || !watches(s));
  if (ok && loom_spec_wants_waits(s->plan->spec))
    ok = (s->waits = loom_waits_create(plan, s->watch)) != NULL;
  if (ok && wants(s, LOOM_STATISTIC_TRACE))
    ok = (s->hops = loom_hops_create(plan, s->watch)) != NULL;
  if (ok && (!wants(s, LOOM_STATISTIC_ROUTES) || open_routes(s)))
    return s;
  loom_statistics_destroy(s);
  return NULL;
}

void loom_statistics_destroy(struct loom_statistics *s) {
  if (!s)
    return;
  for (uint32_t row = 0; s->looked && row < s->plan->switches; row++)
    free(s->looked[row].sampled);
  free(s->looked);
  free(s->way);
  loom_times_free(&s->times);
  loom_pairs_free(&s->pairs);
  loom_pairs_free(&s->routes);
  free(s->host_of);
  loom_waits_destroy(s->waits);
  loom_hops_destroy(s->hops);
  loom_watch_destroy(s->watch);
  free(s);
}

struct loom_watch *loom_statistics_watch(const struct loom_statistics *s) {
  return s ? s->watch : NULL;
}

uint64_t loom_statistics_wrong(const struct loom_statistics *s) {
  return s && s->waits ? loom_waits_wrong(s->waits) : 0;
}

/* ---- flows ----------------------------------------------------------------------------------- */

void loom_statistics_receive(struct loom_statistics *s, const struct loom_message *message) {
  uint32_t packet = s->plan->spec->traffic_class[message->traffic_class].packet;
  uint32_t packets = packet ? (message->flits + packet - 1) / packet : 1;
  if (wants(s, LOOM_STATISTIC_FLOWS) && !loom_pairs_add(&s->pairs, message, packets))
    s->exhausted = true;
}

/* ---- ways over links ------------------------------------------------------------------------- */

static void add_way(struct loom_statistics *s, uint32_t device, uint32_t port, uint32_t number,
                    uint32_t at) {
  if (loom_topo_port(s->plan->topo, device, port)->device != LOOM_TOPO_NONE)
    s->way[s->ways++] = (struct way){device, port, number, at};
}

/* Into the switches, then into the hosts. */
static bool find_ways(struct loom_statistics *s) {
  const struct loom_plan *p = s->plan;
  const struct loom_built *b = s->built;
  bool nodes = loom_device_is_elite5(p->spec->kind); /* with all their links */
  size_t most = 0;
  for (uint32_t d = 0; d < p->topo->devices; d++)
    most += p->topo->device[d].ports;
  s->way = calloc(most + 1, sizeof *s->way);
  if (!s->way)
    return false;
  for (uint32_t row = 0; row < p->switches; row++)
    for (uint32_t port = 1; port <= p->topo->device[p->row[row]].ports; port++)
      add_way(s, p->row[row], port, b->number[p->row[row]], port - 1);
  for (uint32_t h = 0; h < p->hosts; h++) {
    uint32_t device = p->host[h].device, number = b->number[p->topo->devices + h];
    for (uint32_t port = 1; nodes && port <= p->topo->device[device].ports; port++)
      add_way(s, device, port, number, port - 1);
    if (!nodes)
      add_way(s, device, p->host[h].port, number, 0);
  }
  return true;
}

static uint64_t interval_of(const struct loom_statistics *s) {
  uint64_t interval = s->plan->spec->run.interval;
  return interval ? interval : SAMPLE;
}

/* What came over them in the interval that ends now. */
static void note_times(struct loom_statistics *s) {
  uint64_t begin = s->next - s->begin - interval_of(s);
  for (uint32_t i = 0; i < s->ways; i++) {
    uint64_t flits = 0;
    for (uint32_t vl = 0; vl < LOOM_VLS; vl++)
      flits += loom_watch_count(s->watch, s->way[i].number, s->way[i].at, vl)->flits;
    if (!loom_times_note(&s->times, begin, i, flits))
      s->exhausted = true;
  }
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static void shape_of(const struct loom_statistics *s, uint32_t row, struct looked *l) {
  enum loom_device_kind kind = s->plan->spec->kind;
  if (loom_device_is_elite5(kind)) {
    const struct loom_elite5_router_cfg *r = &s->built->elite5->cfg.router;
    *l = (struct looked){.count = {[LOOK_IN] = r->LINKS}, .lanes = r->VCS};
    return;
  }
  uint32_t ports = loom_built_ports(s->built, row);
  *l = (struct looked){.count = {[LOOK_IN] = ports, [LOOK_OUT] = ports}, .lanes = 1};
  if (kind == LOOM_DEVICE_MPORT)
    l->count[LOOK_CENTRAL] = ((const struct loom_mport_switch *)s->built->device[row])->centrals;
  if (loom_device_has_chassis(kind))
    return;
  const struct loom_switch *d = s->built->device[row];
  l->count[LOOK_CENTRAL] = d->centrals;
  l->lanes = d->vls;
}

/* Of a second edition: a buffer counts all its lanes together. */
static uint32_t used_of_store(const struct loom_built *b, uint32_t row, unsigned look,
                              uint32_t index) {
  if (look == LOOK_CENTRAL)
    return ((const struct loom_mport_switch *)b->device[row])->central[index].store.total;
  if (b->plan->engine == LOOM_ENGINE_PACKET)
    return loom_crossbar_device_used(b->device[row], loom_fabric_now(b->fabric), index,
                                     look == LOOK_OUT);
  return loom_chassis_used(loom_built_chassis(b, row), index, look == LOOK_OUT, 0);
}

static uint32_t used(const struct loom_statistics *s, uint32_t row, unsigned look, uint32_t index,
                     uint32_t lane) {
  const struct loom_built *b = s->built;
  if (loom_device_is_elite5(s->plan->spec->kind))
    return loom_elite5_fabric_used(b->elite5, row, index, lane);
  if (loom_device_has_chassis(s->plan->spec->kind))
    return used_of_store(b, row, look, index);
  return ((const struct loom_switch *)b->device[row])->buffer[look][index].tracker.lane[lane].used;
}

static void look_at_buffers(struct loom_statistics *s) {
  s->samples++;
  for (uint32_t row = 0; row < s->plan->switches; row++) {
    struct sampled *at = s->looked[row].sampled;
    for (unsigned look = 0; look < LOOKS; look++)
      for (uint32_t i = 0; i < s->looked[row].count[look]; i++)
        for (uint32_t lane = 0; lane < s->looked[row].lanes; lane++, at++) {
          uint32_t units = used(s, row, look, i, lane);
          at->sum += units;
          at->most = loom_max(at->most, units);
        }
  }
}

/* ---- samples --------------------------------------------------------------------------------- */

/* What links brought before the run, as they came up, belongs to its first interval. */
static void sample(struct loom_statistics *s) {
  loom_fabric_settle(s->built->fabric);
  if (wants(s, LOOM_STATISTIC_OCCUPANCY))
    look_at_buffers(s);
  if (wants(s, LOOM_STATISTIC_TIMES) && s->next > s->begin)
    note_times(s);
  s->next += interval_of(s);
}

static void step(void *context) {
  struct loom_statistics *s = context;
  if (loom_fabric_cycle(s->built->fabric) >= s->next)
    sample(s);
  s->network.step(s->network.context);
}

/* Nothing is in the fabric meanwhile. */
static void advance(void *context, uint64_t cycle) {
  struct loom_statistics *s = context;
  if (s->next < cycle)
    sample(s);
  for (; s->next < cycle; s->next += interval_of(s))
    s->samples++;
  s->network.advance(s->network.context, cycle);
}

/* ---- the network, with that in front of it --------------------------------------------------- */

static bool post(void *context, uint32_t host, const struct loom_message *message) {
  const struct loom_statistics *s = context;
  return s->network.post(s->network.context, host, message);
}

static bool quiet(void *context) {
  const struct loom_statistics *s = context;
  return s->network.quiet(s->network.context);
}

static bool stopped(void *context) {
  const struct loom_statistics *s = context;
  return s->exhausted || (s->waits && loom_waits_exhausted(s->waits)) ||
         (s->hops && loom_hops_exhausted(s->hops)) || s->network.stopped(s->network.context);
}

static uint64_t last_flit(void *context) {
  const struct loom_statistics *s = context;
  return s->network.last_flit(s->network.context);
}

static bool open_occupancy(struct loom_statistics *s) {
  for (uint32_t row = 0; row < s->plan->switches; row++) {
    struct looked *l = &s->looked[row];
    shape_of(s, row, l);
    size_t buffers = l->count[LOOK_IN] + l->count[LOOK_CENTRAL] + l->count[LOOK_OUT];
    l->sampled = calloc(buffers * l->lanes + 1, sizeof *l->sampled);
    if (!l->sampled)
      return false;
  }
  return true;
}

struct loom_network loom_statistics_network(struct loom_statistics *s, struct loom_built *b) {
  s->built = b;
  s->network = loom_built_network(b);
  if (!wants(s, LOOM_STATISTIC_OCCUPANCY) && !wants(s, LOOM_STATISTIC_TIMES))
    s->next = UINT64_MAX;
  if (wants(s, LOOM_STATISTIC_OCCUPANCY) && !open_occupancy(s))
    s->exhausted = true;
  if (s->watch && !find_ways(s))
    s->exhausted = true;
  if (!s->exhausted && wants(s, LOOM_STATISTIC_TIMES) && !loom_times_open(&s->times, s->ways))
    s->exhausted = true;
  if (s->waits && !loom_waits_begin(s->waits, b))
    s->exhausted = true;
  if (s->hops)
    loom_hops_begin(s->hops, b);
  return (struct loom_network){.context = s,
                               .hosts = s->network.hosts,
                               .post = post,
                               .step = step,
                               .quiet = quiet,
                               .advance = advance,
                               .stopped = stopped,
                               .last_flit = last_flit};
}

void loom_statistics_begin(struct loom_statistics *s) {
  s->begin = loom_fabric_cycle(s->built->fabric);
  if (s->next != UINT64_MAX)
    s->next = s->begin;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Where lines go. */
struct lines {
  struct loom_statistics *s;
  uint64_t seed, cycles;
  FILE *out;
};

static void print_name(const struct lines *l, uint32_t device) {
  fputc(',', l->out);
  loom_csv_text(l->out, l->s->plan->topo->device[device].name);
}

/* A way over a link, from its other end. */
static void print_way(const struct lines *l, const struct way *w) {
  const struct loom_topo_port *far = loom_topo_port(l->s->plan->topo, w->device, w->port);
  fprintf(l->out, "%" PRIu64, l->seed);
  print_name(l, far->device);
  fprintf(l->out, ",%u", (unsigned)far->port);
  print_name(l, w->device);
  fprintf(l->out, ",%u,", (unsigned)w->port);
}

static void print_link(const struct lines *l, const struct way *w) {
  bool any = false;
  for (uint32_t vl = 0; vl < LOOM_VLS; vl++) {
    const struct loom_watch_count *c = loom_watch_count(l->s->watch, w->number, w->at, vl);
    if (!c->flits && (any || vl + 1 < LOOM_VLS))
      continue;
    any = true;
    print_way(l, w);
    if (c->flits)
      fprintf(l->out, "%u", (unsigned)vl);
    fprintf(l->out, ",%" PRIu64 ",%" PRIu64 ",%.6f\n", c->flits, c->packets,
            l->cycles ? (double)c->flits / (double)l->cycles : 0);
  }
}

static void finish(struct loom_statistics *s) {
  if (!s->finished)
    loom_watch_finish(s->watch, s->built->fabric);
  s->finished = true;
}

static void print_links(const struct lines *l) {
  finish(l->s);
  for (uint32_t i = 0; i < l->s->ways; i++)
    print_link(l, &l->s->way[i]);
}

/* ---- of several processes -------------------------------------------------------------------- */

/* What a list of bytes is about; `count` pairs follow flows and routes. */
enum packed { PACKED_WAY, PACKED_GRANTS, PACKED_FLOWS, PACKED_ROUTES };
struct packed_head {
  enum packed what;
  uint32_t place, port; /* way, or row and port */
  uint32_t count;
};

static bool pack_ways(struct loom_statistics *s, const bool *mine, struct loom_ranks_bytes *b) {
  bool ok = true;
  if (s->watch)
    finish(s);
  for (uint32_t i = 0; s->watch && i < s->ways; i++) {
    const struct packed_head head = {.what = PACKED_WAY, .place = i};
    ok = ok && (!mine[s->way[i].number] || loom_ranks_add(b, &head, sizeof head));
    for (uint32_t vl = 0; ok && mine[s->way[i].number] && vl < LOOM_VLS; vl++)
      ok = loom_ranks_add(b, loom_watch_count(s->watch, s->way[i].number, s->way[i].at, vl),
                          sizeof(struct loom_watch_count));
  }
  return ok;
}

static bool pack_grants(const struct loom_statistics *s, const bool *mine,
                        struct loom_ranks_bytes *b) {
  bool ok = true, has = !loom_device_is_elite5(s->plan->spec->kind);
  for (uint32_t row = 0; has && row < s->plan->switches; row++)
    for (uint32_t port = 0;
         mine[s->built->number[s->plan->row[row]]] && port < loom_built_ports(s->built, row);
         port++) {
      const struct packed_head head = {.what = PACKED_GRANTS, .place = row, .port = port};
      ok = ok && loom_ranks_add(b, &head, sizeof head) &&
           loom_ranks_add(b, loom_built_grants(s->built, row, port),
                          sizeof(struct loom_sched_grants));
    }
  return ok;
}

static bool pack_pairs(const struct loom_pairs *p, enum packed what, struct loom_ranks_bytes *b) {
  const struct packed_head head = {.what = what, .count = p->room};
  return loom_ranks_add(b, &head, sizeof head) &&
         (!p->room || loom_ranks_add(b, p->pair, p->room * sizeof *p->pair));
}

void *loom_statistics_pack(struct loom_statistics *s, const bool *mine, size_t *size) {
  struct loom_ranks_bytes b = {.at = NULL};
  bool ok = pack_ways(s, mine, &b) && pack_grants(s, mine, &b) &&
            pack_pairs(&s->pairs, PACKED_FLOWS, &b) && pack_pairs(&s->routes, PACKED_ROUTES, &b);
  *size = b.size;
  if (ok)
    return b.at;
  free(b.at);
  return NULL;
}

static bool join_way(struct loom_statistics *s, uint32_t i, struct loom_ranks_bytes *b) {
  struct loom_watch_count count;
  const struct way *way = i < s->ways ? &s->way[i] : NULL;
  if (!way || !loom_watch_keep(s->watch, way->number, s->plan->topo->device[way->device].ports))
    return false;
  for (uint32_t vl = 0; vl < LOOM_VLS; vl++) {
    if (!loom_ranks_cut(b, &count, sizeof count))
      return false;
    loom_watch_put(s->watch, way->number, way->at, vl, &count);
  }
  return true;
}

static bool join_grants(struct loom_statistics *s, const struct packed_head *h,
                        struct loom_ranks_bytes *b) {
  struct loom_sched_grants grants;
  return h->place < s->plan->switches && h->port < LOOM_FABRIC_PORTS &&
         loom_ranks_cut(b, &grants, sizeof grants) &&
         loom_built_put_grants(s->built, h->place, h->port, &grants);
}

static bool join_pairs(struct loom_pairs *p, uint32_t count, struct loom_ranks_bytes *b) {
  struct loom_pair pair;
  bool ok = true;
  for (uint32_t i = 0; ok && i < count; i++)
    ok = loom_ranks_cut(b, &pair, sizeof pair) && loom_pairs_join(p, &pair);
  return ok;
}

static bool join_next(struct loom_statistics *s, const struct packed_head *h,
                      struct loom_ranks_bytes *b) {
  switch (h->what) {
  case PACKED_WAY:
    return join_way(s, h->place, b);
  case PACKED_GRANTS:
    return join_grants(s, h, b);
  case PACKED_FLOWS:
    return join_pairs(&s->pairs, h->count, b);
  case PACKED_ROUTES:
    return join_pairs(&s->routes, h->count, b);
  }
  return false;
}

bool loom_statistics_join(struct loom_statistics *s, const void *bytes, size_t size) {
  struct loom_ranks_bytes b = {.size = size};
  struct packed_head head;
  bool ok = true;
  unsigned char *copy = malloc(size + 1);
  if (!copy)
    return false;
  memcpy(copy, bytes, size);
  b.at = copy;
  if (s->watch)
    finish(s);
  while (ok && loom_ranks_cut(&b, &head, sizeof head))
    ok = join_next(s, &head, &b);
  free(copy);
  return ok && !b.size;
}

/* ---- lines of other files -------------------------------------------------------------------- */

/* What is still under way belongs to the last interval. */
static void print_times(const struct lines *l) {
  const struct loom_times *t = &l->s->times;
  finish(l->s);
  note_times(l->s);
  for (size_t i = 0; i < t->count; i++) {
    print_way(l, &l->s->way[t->time[i].link]);
    fprintf(l->out, "%" PRIu64 ",%" PRIu64 "\n", t->time[i].begin, t->time[i].flits);
  }
}

/* The same for all seeds, so the first one tells them. */
static void print_devices(const struct lines *l) {
  const struct loom_topo *t = l->s->plan->topo;
  if (l->seed != l->s->plan->spec->run.seed)
    return;
  for (uint32_t d = 0; d < t->devices; d++) {
    const struct loom_topo_device *device = &t->device[d];
    loom_csv_text(l->out, device->name);
    fprintf(l->out, ",%s,%" PRIu32 ",", device->kind == LOOM_TOPO_HCA ? "host" : "switch",
            device->ports);
    if (device->kind == LOOM_TOPO_SWITCH && device->level != LOOM_TOPO_NONE)
      fprintf(l->out, "%" PRIu32, device->level);
    for (uint32_t k = 0; k < device->coords; k++)
      fprintf(l->out, "%c%" PRIu32, k ? ' ' : ',', device->coord[k]);
    fputs(device->coords ? "\n" : ",\n", l->out);
  }
}

static void print_outputs(const struct lines *l) {
  const struct loom_plan *p = l->s->plan;
  if (loom_device_is_elite5(p->spec->kind))
    return;
  for (uint32_t row = 0; row < p->switches; row++)
    for (uint32_t port = 1; port <= p->topo->device[p->row[row]].ports; port++) {
      if (loom_topo_port(p->topo, p->row[row], port)->device == LOOM_TOPO_NONE)
        continue;
      const struct loom_sched_grants *g = loom_built_grants(l->s->built, row, port - 1);
      fprintf(l->out, "%" PRIu64, l->seed);
      print_name(l, p->row[row]);
      fprintf(l->out, ",%u,%" PRIu64 ",%" PRIu64 "\n", (unsigned)port, g->all, g->contended);
    }
}

static void print_flows(const struct lines *l) {
  const struct loom_plan *p = l->s->plan;
  struct loom_pairs *pairs = &l->s->pairs;
  loom_pairs_sort(pairs);
  for (uint32_t i = 0; i < pairs->count; i++) {
    const struct loom_pair *f = &pairs->pair[i];
    double messages = (double)f->messages;
    fprintf(l->out, "%" PRIu64, l->seed);
    print_name(l, p->host[f->src].device);
    print_name(l, p->host[f->dst].device);
    fputc(',', l->out);
    loom_csv_text(l->out, p->spec->traffic_class[f->traffic_class].name);
    fprintf(l->out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.2f,%" PRIu64 ",%.2f,%" PRIu64 "\n",
            f->messages, f->packets, f->flits, (double)f->total_sum / messages, f->total_max,
            (double)f->net_sum / messages, f->net_max);
  }
}

/* The device and port of the topology that a port of a device of the fabric is. */
static uint32_t end_of(const struct lines *l, const uint32_t *device_of, uint32_t way,
                       uint32_t *port) {
  const struct loom_plan *p = l->s->plan;
  uint32_t at = device_of[way / LOOM_FABRIC_PORTS];
  bool host = at >= p->topo->devices;
  *port = host ? p->host[at - p->topo->devices].port : way % LOOM_FABRIC_PORTS + 1;
  return host ? p->host[at - p->topo->devices].device : at;
}

static void print_route(const struct lines *l, const uint32_t *device_of,
                        const struct loom_pair *r) {
  const struct loom_plan *p = l->s->plan;
  struct way w = {.port = 0};
  w.device = end_of(l, device_of, r->traffic_class, &w.port);
  print_way(l, &w);
  loom_csv_text(l->out, p->topo->device[p->host[r->src].device].name);
  print_name(l, p->host[r->dst].device);
  fprintf(l->out, ",%" PRIu64 "\n", r->packets);
}

static void print_routes(const struct lines *l) {
  const struct loom_plan *p = l->s->plan;
  const uint32_t *number = l->s->built->number;
  uint32_t *device_of = calloc((size_t)p->switches + p->hosts, sizeof *device_of);
  finish(l->s);
  if (!device_of) {
    l->s->exhausted = true;
    return;
  }
  for (uint32_t row = 0; row < p->switches; row++)
    device_of[number[p->row[row]]] = p->row[row];
  for (uint32_t h = 0; h < p->hosts; h++)
    device_of[number[p->topo->devices + h]] = p->topo->devices + h;
  loom_pairs_sort(&l->s->routes);
  for (uint32_t i = 0; i < l->s->routes.count; i++)
    print_route(l, device_of, &l->s->routes.pair[i]);
  free(device_of);
}

/* The VL of a lane, on the links. */
static uint32_t vl_of(const struct loom_statistics *s, uint32_t row, uint32_t lane) {
  return loom_device_is_elite5(s->plan->spec->kind)
             ? lane
             : ((const struct loom_switch *)s->built->device[row])->vl_of[lane];
}

/* Of buffers that were not always empty. */
static void print_buffers(const struct lines *l, uint32_t row) {
  static const char *const names[LOOKS] = {"input", "central", "output"};
  const struct looked *looked = &l->s->looked[row];
  const struct sampled *at = looked->sampled;
  for (unsigned look = 0; look < LOOKS; look++)
    for (uint32_t i = 0; i < looked->count[look]; i++)
      for (uint32_t lane = 0; lane < looked->lanes; lane++, at++) {
        if (!at->most)
          continue;
        fprintf(l->out, "%" PRIu64, l->seed);
        print_name(l, l->s->plan->row[row]);
        fprintf(l->out, ",%s,%u,", names[look], (unsigned)i + 1);
        if (looked->lanes > 1)
          fprintf(l->out, "%u", (unsigned)vl_of(l->s, row, lane));
        fprintf(l->out, ",%" PRIu64 ",%.3f,%" PRIu32 "\n", l->s->samples,
                (double)at->sum / (double)l->s->samples, at->most);
      }
}

static void print_occupancy(const struct lines *l) {
  for (uint32_t row = 0; row < l->s->plan->switches; row++)
    print_buffers(l, row);
}

static void print_stalls(const struct lines *l) { loom_waits_places(l->s->waits, l->seed, l->out); }

static void print_waits(const struct lines *l) { loom_waits_flows(l->s->waits, l->seed, l->out); }

static void print_packets(const struct lines *l) {
  loom_waits_packets(l->s->waits, l->seed, l->out);
}

static void print_trace(const struct lines *l) {
  loom_hops_print(l->s->hops, l->seed, l->out);
  l->s->exhausted |= loom_hops_exhausted(l->s->hops);
}

char *loom_statistics_lines(struct loom_statistics *s, uint32_t file, uint64_t seed,
                            uint64_t cycles, size_t *size) {
  static void (*const print[LOOM_STATISTICS_FILES])(const struct lines *l) = {
      [FILE_LINKS] = print_links,         [FILE_OUTPUTS] = print_outputs,
      [FILE_DEVICES] = print_devices,     [FILE_FLOWS] = print_flows,
      [FILE_OCCUPANCY] = print_occupancy, [FILE_ROUTES] = print_routes,
      [FILE_STALLS] = print_stalls,       [FILE_WAITS] = print_waits,
      [FILE_PACKETS] = print_packets,     [FILE_TIMES] = print_times,
      [FILE_TRACE] = print_trace};
  char *text = NULL;
  FILE *out = s->exhausted ? NULL : loom_text_open(&text, size);
  if (!out)
    return NULL;
  print[file](&(struct lines){.s = s, .seed = seed, .cycles = cycles, .out = out});
  if (!fclose(out) && !s->exhausted)
    return text;
  free(text);
  return NULL;
}
