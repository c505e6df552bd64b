/* SPDX-License-Identifier: Apache-2.0 */
/* hops.c - the packets of a run from link to link, as a trace (docs/trace.md)
 *
 * A packet is known by three numbers: its source and its message, which its head says, and its
 * place in the message, which its second flit says. */
#include "run/hops.h"

#include <loom/bits.h>
#include <stdlib.h>

#include "fabric/ledger.h"
#include "io/perfetto.h"
#include "run/build_state.h"
#include "run/plan.h"

#define NONE UINT32_MAX
enum { ROOM = 1024, NAME = 3 * LOOM_TOPO_NAME };

/* What comes over a VL of a link. */
struct lane {
  uint64_t head, since; /* of the packet that comes: its word, its cycle */
  uint32_t place;       /* flits of it so far */
  uint32_t hop;         /* NONE: it is not traced */
};

/* A packet that is traced. */
struct packet {
  uint32_t src, dst, traffic_class, flits;
  uint64_t generated;
  uint32_t hops, shown; /* links that it went over; those in the trace */
  /* While it is under way. */
  uint32_t offset, next; /* place in its message, flits; of the list of the message, or NONE */
};

/* A packet on a link. */
struct hop {
  uint32_t packet, device; /* of the fabric */
  uint8_t port, vl;
  bool done; /* its last flit came */
  uint64_t begin, end;
};

/* The packets of a host that are under way: the first of each message, by its number. */
struct source {
  uint32_t *first, room;
};

struct loom_hops {
  const struct loom_plan *plan;
  const struct loom_built *built;
  struct loom_watch *watch;
  struct lane **lane; /* by port of a device of the fabric, those of its VLs; NULL: none yet */
  uint32_t *end_of;   /* by device of the fabric: that of the topology, or after these the host */
  struct source *source;
  struct packet *packet;
  uint32_t packets, packet_room;
  struct hop *hop;
  uint32_t hops, hop_room;
  uint64_t sent; /* packets, by all hosts */
  bool exhausted;
};

/* Room for one more in a list that doubles. False: out of memory. */
static bool grow(void **list, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room)
    return true;
  uint32_t more = *room ? 2 * *room : ROOM;
  void *grown = more > *room ? realloc(*list, more * size) : NULL;
  if (!grown)
    return false;
  *list = grown;
  *room = more;
  return true;
}

/* ---- packets under way ----------------------------------------------------------------------- */

/* Where the list of a message begins; NULL: out of memory. */
static uint32_t *list_of(struct loom_hops *h, uint32_t src, uint32_t id) {
  struct source *s = &h->source[src];
  uint32_t room = s->room ? s->room : 1;
  while (room <= id)
    room *= 2;
  if (room > s->room) {
    uint32_t *first = realloc(s->first, room * sizeof *first);
    if (!first) {
      h->exhausted = true;
      return NULL;
    }
    for (uint32_t i = s->room; i < room; i++)
      first[i] = NONE;
    *s = (struct source){first, room};
  }
  return &s->first[id];
}

/* Where a packet stands in a list, or would. */
static uint32_t *place_of(struct loom_hops *h, uint32_t *list, uint32_t offset) {
  while (*list != NONE && h->packet[*list].offset != offset)
    list = &h->packet[*list].next;
  return list;
}

/* One of so many that hosts send. NONE: it is not traced. */
static uint32_t send(struct loom_hops *h, uint32_t src, const struct loom_packet_head *head,
                     uint32_t offset) {
  uint32_t lost = 0, *list = list_of(h, src, head->id);
  const struct loom_record *r = loom_ledger_find(h->built->ledger, head->src, head->id, &lost);
  if (!list || !r)
    return NONE;
  uint32_t *place = place_of(h, list, offset);
  if (*place != NONE) /* a switch has dropped it */
    *place = h->packet[*place].next;
  if (h->sent++ % h->plan->spec->run.sample[LOOM_STATISTIC_TRACE])
    return NONE;
  void *packets = h->packet;
  h->exhausted |= !grow(&packets, h->packets, &h->packet_room, sizeof *h->packet);
  h->packet = packets;
  if (h->exhausted)
    return NONE;
  h->packet[h->packets] = (struct packet){.src = src,
                                          .dst = r->message.dst,
                                          .traffic_class = r->message.traffic_class,
                                          .flits = head->len,
                                          .generated = r->message.generated,
                                          .offset = offset,
                                          .next = *list};
  *list = h->packets;
  return h->packets++;
}

/* ---- what links bring ------------------------------------------------------------------------ */

/* The port of the topology that a port of a device of the fabric is. */
static uint32_t end_at(const struct loom_hops *h, uint32_t device, uint32_t port,
                       uint32_t *number) {
  const struct loom_plan *p = h->plan;
  uint32_t at = h->end_of[device];
  bool host = at >= p->topo->devices;
  *number = host ? p->host[at - p->topo->devices].port : port + 1;
  return host ? p->host[at - p->topo->devices].device : at;
}

/* What is at the other end of a link. */
static const struct loom_topo_port *far_of(const struct loom_hops *h, uint32_t device,
                                           uint32_t port) {
  uint32_t number = 0, at = end_at(h, device, port, &number);
  return loom_topo_port(h->plan->topo, at, number);
}

/* The second flit: now it is known which packet comes. */
static void know(struct loom_hops *h, struct lane *lane, const struct hop *hop, uint32_t offset) {
  const struct loom_packet_head head = loom_packet_read(lane->head);
  uint32_t src = h->built->ledger->host_of[head.src];
  if (src >= h->plan->hosts)
    return;
  const struct loom_plan_host *host = &h->plan->host[src];
  const struct loom_topo_port *far = far_of(h, hop->device, hop->port);
  uint32_t packet = NONE, *list = NULL;
  if (far->device == host->device && far->port == host->port)
    packet = send(h, src, &head, offset);
  else if ((list = list_of(h, src, head.id)) != NULL)
    packet = *place_of(h, list, offset);
  void *hops = h->hop;
  if (packet == NONE)
    return;
  h->exhausted |= !grow(&hops, h->hops, &h->hop_room, sizeof *h->hop);
  h->hop = hops;
  if (h->exhausted)
    return;
  lane->hop = h->hops++;
  h->hop[lane->hop] = *hop;
  h->hop[lane->hop].packet = packet;
  h->packet[packet].hops++;
}

/* The last flit: at its host it is not under way any more. */
static void finish(struct loom_hops *h, const struct lane *lane, uint64_t now) {
  struct hop *hop = &h->hop[lane->hop];
  const struct packet *p = &h->packet[hop->packet];
  hop->end = now + 1;
  hop->done = true;
  if (h->end_of[hop->device] < h->plan->topo->devices)
    return;
  uint32_t *list = list_of(h, p->src, loom_packet_read(lane->head).id);
  uint32_t *place = list ? place_of(h, list, p->offset) : NULL;
  if (place && *place == hop->packet)
    *place = p->next;
}

static struct lane *lanes_of(struct loom_hops *h, uint32_t device, uint32_t port) {
  struct lane **lane = &h->lane[(size_t)device * LOOM_FABRIC_PORTS + port];
  if (!*lane)
    *lane = calloc(LOOM_VLS, sizeof **lane);
  h->exhausted |= !*lane;
  return *lane;
}

static void hear(void *context, uint32_t device, uint64_t now,
                 const struct loom_fabric_arrival *in) {
  struct loom_hops *h = context;
  for (uint64_t set = in->valid; set; set &= set - 1) {
    uint32_t port = loom_ctz(set), vl = in->port[port].vl % LOOM_VLS;
    struct lane *lane = lanes_of(h, device, port);
    if (!lane)
      return;
    lane += vl;
    if (in->head & set & -set)
      *lane = (struct lane){.head = in->port[port].data, .since = now, .hop = NONE};
    if (lane->place++ == 1)
      know(h, lane,
           &(struct hop){
               .device = device, .port = (uint8_t)port, .vl = (uint8_t)vl, .begin = lane->since},
           (uint32_t)in->port[port].data);
    if (in->tail & set & -set && lane->hop != NONE)
      finish(h, lane, now);
  }
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct loom_hops *loom_hops_create(const struct loom_plan *plan, struct loom_watch *watch) {
  size_t devices = (size_t)plan->switches + plan->hosts;
  struct loom_hops *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->plan = plan;
  h->watch = watch;
  h->lane = calloc(devices * LOOM_FABRIC_PORTS, sizeof(struct lane *));
  h->end_of = calloc(devices, sizeof *h->end_of);
  h->source = calloc(plan->hosts, sizeof *h->source);
  if (h->lane && h->end_of && h->source)
    return h;
  loom_hops_destroy(h);
  return NULL;
}

void loom_hops_destroy(struct loom_hops *h) {
  if (!h)
    return;
  size_t ports = ((size_t)h->plan->switches + h->plan->hosts) * LOOM_FABRIC_PORTS;
  for (size_t i = 0; h->lane && i < ports; i++)
    free(h->lane[i]);
  for (uint32_t i = 0; h->source && i < h->plan->hosts; i++)
    free(h->source[i].first);
  free(h->lane);
  free(h->end_of);
  free(h->source);
  free(h->packet);
  free(h->hop);
  free(h);
}

void loom_hops_begin(struct loom_hops *h, const struct loom_built *b) {
  const struct loom_plan *p = h->plan;
  h->built = b;
  for (uint32_t row = 0; row < p->switches; row++)
    h->end_of[b->number[p->row[row]]] = p->row[row];
  for (uint32_t i = 0; i < p->hosts; i++)
    h->end_of[b->number[p->topo->devices + i]] = p->topo->devices + i;
  loom_watch_on_flits(h->watch, hear, h);
}

bool loom_hops_exhausted(const struct loom_hops *h) { return h->exhausted; }

/* ---- the trace ------------------------------------------------------------------------------- */

/* Of a seed: numbers of tracks, of groups and of packets are its own. */
struct printed {
  const struct loom_hops *h;
  uint32_t run; /* from 0 */
  double cycle; /* ns */
  FILE *out;
};

static uint64_t group_of(const struct printed *t, uint32_t device) {
  return (((uint64_t)t->run << 28) + device + 1) << 16;
}

static uint64_t track_of(const struct printed *t, const struct hop *hop) {
  return group_of(t, hop->device) | 1u << 15 | (uint64_t)hop->port << 5 | hop->vl;
}

static uint64_t ns(const struct printed *t, uint64_t cycle) {
  return (uint64_t)((double)cycle * t->cycle + .5);
}

static const char *name_of(const struct printed *t, uint32_t device) {
  return t->h->plan->topo->device[device].name;
}

/* A device and those of its links that bring something. */
static void print_group(const struct printed *t, uint32_t device) {
  const struct loom_plan *p = t->h->plan;
  char name[NAME];
  uint32_t number = 0, at = end_at(t->h, device, 0, &number);
  uint32_t process = t->run * (p->switches + p->hosts) + device + 1;
  int length = snprintf(name, sizeof name, "%s", name_of(t, at));
  if (t->run)
    snprintf(name + length, sizeof name - (size_t)length, " (run %u)", (unsigned)t->run + 1);
  loom_perfetto_group(t->out, group_of(t, device), process, name);
}

static void print_track(const struct printed *t, const struct hop *hop) {
  uint32_t number = 0;
  char name[NAME];
  end_at(t->h, hop->device, hop->port, &number);
  const struct loom_topo_port *far = far_of(t->h, hop->device, hop->port);
  snprintf(name, sizeof name, "port %u VL %u from %s port %u", (unsigned)number, (unsigned)hop->vl,
           name_of(t, far->device), (unsigned)far->port);
  loom_perfetto_track(t->out, track_of(t, hop), group_of(t, hop->device), name);
}

/* Each track before its first slice, each group before its first track. */
static void print_tracks(const struct printed *t, bool *seen) {
  for (uint32_t i = 0; i < t->h->hops; i++) {
    const struct hop *hop = &t->h->hop[i];
    bool *device = &seen[(size_t)hop->device * (LOOM_FABRIC_PORTS * LOOM_VLS + 1)];
    bool *track = device + 1 + hop->port * LOOM_VLS + hop->vl;
    if (!hop->done || *track)
      continue;
    if (!*device)
      print_group(t, hop->device);
    print_track(t, hop);
    *device = *track = true;
  }
}

static void print_hop(const struct printed *t, const struct hop *hop) {
  const struct loom_plan *p = t->h->plan;
  struct packet *k = &t->h->packet[hop->packet];
  char name[NAME];
  k->shown++;
  snprintf(name, sizeof name, "%s > %s", name_of(t, p->host[k->src].device),
           name_of(t, p->host[k->dst].device));
  loom_perfetto_slice(t->out,
                      &(struct loom_perfetto_slice){
                          .track = track_of(t, hop),
                          .begin = ns(t, hop->begin),
                          .end = ns(t, hop->end),
                          .flow = ((uint64_t)t->run << 32) + hop->packet + 1,
                          .last = k->shown == k->hops,
                          .name = name,
                          .category = p->spec->traffic_class[k->traffic_class].name,
                          .note = {{"packet", hop->packet},
                                   {"flits", k->flits},
                                   {"cycle", hop->begin},
                                   {k->shown == 1 ? "generated in cycle" : NULL, k->generated}}});
}

void loom_hops_print(struct loom_hops *h, uint64_t seed, FILE *out) {
  const struct printed t = {.h = h,
                            .run = (uint32_t)(seed - h->plan->spec->run.seed),
                            .cycle = 64 / loom_spec_rate(h->plan->spec),
                            .out = out};
  size_t devices = (size_t)h->plan->switches + h->plan->hosts;
  bool *seen = calloc(devices * (LOOM_FABRIC_PORTS * LOOM_VLS + 1), sizeof *seen);
  if (!seen) {
    h->exhausted = true;
    return;
  }
  print_tracks(&t, seen);
  for (uint32_t i = 0; i < h->hops; i++)
    if (h->hop[i].done)
      print_hop(&t, &h->hop[i]);
  free(seen);
}
