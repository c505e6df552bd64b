/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - what the packets of a run waited for (docs/fabric.md#stalls) */
#include "run/waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fabric/stalls.h"
#include "io/csv.h"
#include "run/build_state.h"
#include "traffic/pairs.h"

struct loom_waits {
  const struct loom_plan *plan;
  const struct loom_built *built;
  struct loom_watch *watch;
  struct loom_stalls *stalls;
  struct loom_pairs flows;
  struct loom_stall_packet *packet; /* the sample, as they arrived */
  size_t packets, room;
  uint64_t seen;
  bool exhausted;
};

/* ---- packets --------------------------------------------------------------------------------- */

static bool keep(struct loom_waits *w, const struct loom_stall_packet *packet) {
  if (w->packets == w->room) {
    size_t room = w->room ? 2 * w->room : 1024;
    struct loom_stall_packet *list = realloc(w->packet, room * sizeof *list);
    if (!list)
      return false;
    w->packet = list;
    w->room = room;
  }
  w->packet[w->packets++] = *packet;
  return true;
}

static void done(void *context, const struct loom_stall_packet *packet) {
  struct loom_waits *w = context;
  const struct loom_spec_run *run = &w->plan->spec->run;
  bool ok = true;
  if (run->stats >> LOOM_STATISTIC_STALLS & 1)
    ok = loom_pairs_wait(&w->flows, packet);
  if (run->stats >> LOOM_STATISTIC_PACKETS & 1 &&
      w->seen++ % run->sample[LOOM_STATISTIC_PACKETS] == 0)
    ok = keep(w, packet) && ok;
  w->exhausted = w->exhausted || !ok;
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct loom_waits *loom_waits_create(const struct loom_plan *plan, struct loom_watch *watch) {
  struct loom_waits *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->plan = plan;
  w->watch = watch;
  w->stalls = loom_stalls_create(plan->switches + plan->hosts, plan->spec->classes, done, w);
  if (w->stalls)
    return w;
  free(w);
  return NULL;
}

void loom_waits_destroy(struct loom_waits *w) {
  if (!w)
    return;
  loom_stalls_destroy(w->stalls);
  loom_pairs_free(&w->flows);
  free(w->packet);
  free(w);
}

/* The first member of every switch of the first edition is what they have in common, that of a
 * crossbar in a fabric is its twin. */
static bool watch_switch(struct loom_waits *w, uint32_t number, const void *device) {
  enum loom_device_kind kind = w->plan->spec->kind;
  if (loom_device_is_crossbar(kind))
    return loom_stalls_crossbar(w->stalls, number, device);
  if (kind == LOOM_DEVICE_MPORT)
    return loom_stalls_mport(w->stalls, number, device);
  return loom_stalls_switch(w->stalls, number, device);
}

bool loom_waits_begin(struct loom_waits *w, const struct loom_built *b) {
  const struct loom_plan *p = w->plan;
  bool ok = true;
  w->built = b;
  loom_stalls_attach(w->stalls, b->fabric, w->watch);
  for (uint32_t row = 0; row < p->switches; row++)
    ok = ok && watch_switch(w, b->number[p->row[row]], b->device[row]);
  for (uint32_t h = 0; h < p->hosts; h++)
    ok = ok && loom_stalls_host(w->stalls, b->number[p->topo->devices + h], b->host[h]);
  return ok;
}

bool loom_waits_exhausted(const struct loom_waits *w) {
  return w->exhausted || loom_stalls_exhausted(w->stalls);
}

uint64_t loom_waits_wrong(const struct loom_waits *w) { return loom_stalls_wrong(w->stalls); }

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_name(const struct loom_waits *w, uint32_t device, FILE *out) {
  fputc(',', out);
  loom_csv_text(out, w->plan->topo->device[device].name);
}

static void print_class(const struct loom_waits *w, uint32_t class, FILE *out) {
  fputc(',', out);
  loom_csv_text(out, w->plan->spec->traffic_class[class].name);
}

static void print_cycles(uint64_t transit, const uint64_t cycles[LOOM_STALLS], FILE *out) {
  fprintf(out, ",%" PRIu64, transit);
  for (unsigned k = 0; k < LOOM_STALLS; k++)
    fprintf(out, ",%" PRIu64, cycles[k]);
  fputc('\n', out);
}

/* The lines of a place of a device: of the fabric, and of the topology, where its ports count from
 * `first`. */
struct place {
  uint32_t number, device, first, place;
};

static void print_place(const struct loom_waits *w, const struct place *at, uint64_t seed,
                        FILE *out) {
  uint32_t lanes = loom_stalls_lanes(w->stalls, at->number, at->place);
  for (uint32_t port = 0; port < loom_stalls_ports(w->stalls, at->number, at->place); port++)
    for (uint32_t lane = 0; lane < lanes; lane++)
      for (uint32_t class = 0; class < w->plan->spec->classes; class ++) {
        const struct loom_stalls_key key = {at->number, at->place, port, lane, class};
        uint32_t vl = 0;
        const struct loom_stall_count *c = loom_stalls_count(w->stalls, &key, &vl);
        if (!c->packets)
          continue;
        fprintf(out, "%" PRIu64, seed);
        print_name(w, at->device, out);
        fprintf(out, ",%s,%" PRIu32 ",%" PRIu32, loom_stall_place_names[at->place],
                port + at->first, vl);
        print_class(w, class, out);
        fprintf(out, ",%" PRIu64, c->packets);
        print_cycles(c->transit, c->cycles, out);
      }
}

void loom_waits_places(const struct loom_waits *w, uint64_t seed, FILE *out) {
  const struct loom_plan *p = w->plan;
  const uint32_t *number = w->built->number;
  for (uint32_t row = 0; row < p->switches; row++)
    for (uint32_t place = 0; place < LOOM_STALL_PLACES; place++)
      print_place(w, &(struct place){number[p->row[row]], p->row[row], 1, place}, seed, out);
  for (uint32_t h = 0; h < p->hosts; h++)
    for (uint32_t place = 0; place < LOOM_STALL_PLACES; place++)
      print_place(
          w,
          &(struct place){number[p->topo->devices + h], p->host[h].device, p->host[h].port, place},
          seed, out);
}

void loom_waits_flows(struct loom_waits *w, uint64_t seed, FILE *out) {
  const struct loom_plan *p = w->plan;
  loom_pairs_sort(&w->flows);
  for (uint32_t i = 0; i < w->flows.count; i++) {
    const struct loom_pair *f = &w->flows.pair[i];
    fprintf(out, "%" PRIu64, seed);
    print_name(w, p->host[f->src].device, out);
    print_name(w, p->host[f->dst].device, out);
    print_class(w, f->traffic_class, out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64, f->packets, f->total_sum);
    print_cycles(f->transit, f->stall, out);
  }
}

void loom_waits_packets(const struct loom_waits *w, uint64_t seed, FILE *out) {
  const struct loom_plan *p = w->plan;
  for (size_t i = 0; i < w->packets; i++) {
    const struct loom_stall_packet *k = &w->packet[i];
    fprintf(out, "%" PRIu64, seed);
    print_name(w, p->host[k->src].device, out);
    print_name(w, p->host[k->dst].device, out);
    print_class(w, k->traffic_class, out);
    fprintf(out, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, k->flits, k->generated,
            k->injected, k->received);
    print_cycles(k->transit, k->cycles, out);
  }
}
