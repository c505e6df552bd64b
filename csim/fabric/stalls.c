/* SPDX-License-Identifier: Apache-2.0 */
/* stalls.c - packets under way and what they wait for (docs/fabric.md#stalls) */
#include "fabric/stalls_state.h"

#include <stdlib.h>

enum { RECORDS_FIRST = 1024, CODE_BITS = 4, CODE = (1 << CODE_BITS) - 1, CODES = 8 };
#define NO_HISTORY UINT32_MAX

const char *const loom_stall_names[LOOM_STALLS] = {
    [LOOM_STALL_BEHIND] = "behind", [LOOM_STALL_ROOM] = "room", [LOOM_STALL_CREDIT] = "credit",
    [LOOM_STALL_LOST] = "lost",     [LOOM_STALL_BUSY] = "busy", [LOOM_STALL_DECIDING] = "deciding",
    [LOOM_STALL_GAP] = "gap"};
const char *const loom_stall_place_names[LOOM_STALL_PLACES] = {
    [LOOM_STALL_SOURCE] = "source", [LOOM_STALL_NIC] = "nic",
    [LOOM_STALL_INPUT] = "input",   [LOOM_STALL_CENTRAL] = "central",
    [LOOM_STALL_OUTPUT] = "output", [LOOM_STALL_RECEIVER] = "receiver"};

/* ---- creation -------------------------------------------------------------------------------- */

struct loom_stalls *loom_stalls_create(uint32_t devices, uint32_t classes, loom_stalls_done *done,
                                       void *context) {
  struct loom_stalls *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  *s = (struct loom_stalls){.devices = devices,
                            .classes = classes,
                            .done = done,
                            .context = context,
                            .unused = LOOM_STALL_NONE};
  s->device = calloc((size_t)devices + 1, sizeof *s->device);
  if (s->device)
    return s;
  free(s);
  return NULL;
}

void loom_stalls_attach(struct loom_stalls *s, const struct loom_fabric *f, struct loom_watch *w) {
  s->fabric = f;
  s->watch = w;
}

static void free_device(struct loom_stall_device *d) {
  for (unsigned place = 0; place < LOOM_STALL_PLACES; place++)
    if (d->place[place]) {
      free(d->place[place]->lane->count);
      free(d->place[place]->lane);
      free(d->place[place]);
    }
  free(d->leaving);
  free(d->more);
}

void loom_stalls_destroy(struct loom_stalls *s) {
  if (!s)
    return;
  for (uint32_t i = 0; i < s->devices; i++)
    free_device(&s->device[i]);
  free(s->device);
  free(s->record);
  free(s);
}

/* The ports of a place: their lanes and the counts of these lie one after the other. */
static struct loom_stall_port *make_ports(uint32_t ports, uint32_t lanes, uint32_t classes) {
  size_t all = (size_t)ports * lanes;
  struct loom_stall_port *port = calloc(ports, sizeof *port);
  struct loom_stall_lane *lane = calloc(all, sizeof *lane);
  struct loom_stall_count *count = calloc(all * classes, sizeof *count);
  if (!port || !lane || !count) {
    free(port);
    free(lane);
    free(count);
    return NULL;
  }
  for (uint32_t p = 0; p < ports; p++)
    port[p].lane = &lane[(size_t)p * lanes];
  for (size_t i = 0; i < all; i++)
    lane[i].count = &count[i * classes];
  return port;
}

bool loom_stall_device_init(struct loom_stalls *s, uint32_t number, const void *state,
                            const uint32_t ports[LOOM_STALL_PLACES], uint32_t lanes, uint32_t links,
                            size_t more) {
  struct loom_stall_device *d = &s->device[number];
  bool ok = true;
  d->all = s;
  d->number = number;
  d->lanes = lanes;
  for (unsigned place = 0; place < LOOM_STALL_PLACES; place++) {
    d->ports[place] = ports[place];
    d->place[place] = ports[place] ? make_ports(ports[place], lanes, s->classes) : NULL;
    ok = ok && (!ports[place] || d->place[place]);
  }
  d->leaving = calloc(links, sizeof *d->leaving);
  d->more = calloc(1, more);
  d->state = state;
  return ok && d->leaving && d->more;
}

/* ---- records and queues ---------------------------------------------------------------------- */

uint32_t loom_stall_new(struct loom_stalls *s) {
  uint32_t at = s->unused;
  if (at != LOOM_STALL_NONE) {
    s->unused = s->record[at].next;
  } else {
    if (s->used == s->records) {
      uint32_t records = s->records ? 2 * s->records : RECORDS_FIRST;
      struct loom_stall_record *record = realloc(s->record, records * sizeof *record);
      s->exhausted = s->exhausted || !record;
      if (!record)
        return LOOM_STALL_NONE;
      s->record = record;
      s->records = records;
    }
    at = s->used++;
  }
  s->record[at] = (struct loom_stall_record){.history = NO_HISTORY};
  return at;
}

void loom_stall_free(struct loom_stalls *s, uint32_t at) {
  s->record[at].next = s->unused;
  s->unused = at;
}

void loom_stall_push(struct loom_stalls *s, struct loom_stall_queue *q, uint32_t at) {
  if (q->count++)
    s->record[q->last].next = at;
  else
    q->first = at;
  q->last = at;
}

uint32_t loom_stall_pop(struct loom_stalls *s, struct loom_stall_queue *q) {
  if (!q->count)
    return LOOM_STALL_NONE;
  uint32_t at = q->first;
  q->count--;
  q->first = s->record[at].next;
  return at;
}

/* ---- heads ----------------------------------------------------------------------------------- */

void loom_stall_head(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now) {
  lane->cause = LOOM_STALL_DECIDING;
  lane->lost = false;
  lane->since = now;
  if (!lane->queue.count)
    return;
  struct loom_stall_record *r = loom_stall_at(s, lane->queue.first);
  lane->since = now = now > r->since ? now : r->since;
  r->here[LOOM_STALL_BEHIND] += (uint32_t)(now - r->since);
  r->history = NO_HISTORY;
}

/* The causes of the last cycles, with `n` of `cause` after them. */
static uint32_t remember(uint32_t history, uint64_t n, uint32_t cause) {
  for (uint64_t i = 0; i < n && i < CODES; i++)
    history = history << CODE_BITS | cause;
  return history;
}

void loom_stall_close(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now) {
  if (now <= lane->since)
    return;
  if (lane->queue.count) {
    struct loom_stall_record *r = loom_stall_at(s, lane->queue.first);
    r->here[lane->cause] += (uint32_t)(now - lane->since);
    r->history = remember(r->history, now - lane->since, lane->cause);
  }
  lane->since = now;
}

uint32_t loom_stall_take(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now) {
  loom_stall_close(s, lane, now);
  uint32_t at = loom_stall_pop(s, &lane->queue);
  if (at == LOOM_STALL_NONE)
    return at;
  struct loom_stall_record *r = loom_stall_at(s, at);
  r->lane = lane;
  r->since = now;
  return at;
}

void loom_stall_trim(struct loom_stalls *s, struct loom_stall_record *r, uint32_t cycles) {
  for (uint32_t i = 0; i < cycles; i++) {
    uint32_t cause = r->history >> CODE_BITS * i & CODE;
    if (i < CODES && cause < LOOM_STALLS && r->here[cause])
      r->here[cause]--;
    else
      s->wrong++;
  }
}

void loom_stall_leave(struct loom_stall_record *r, const struct loom_stall_lane *lane,
                      uint32_t transit) {
  struct loom_stall_count *count = &lane->count[r->packet.traffic_class];
  count->packets++;
  count->transit += transit;
  r->packet.transit += transit;
  for (unsigned k = 0; k < LOOM_STALLS; k++) {
    count->cycles[k] += r->here[k];
    r->packet.cycles[k] += r->here[k];
    r->here[k] = 0;
  }
}

/* ---- links ----------------------------------------------------------------------------------- */

uint32_t loom_stall_arrive(struct loom_stalls *s, const struct loom_stall_device *d, uint32_t port,
                           uint64_t now) {
  struct loom_fabric_far far;
  if (!loom_fabric_far(s->fabric, d->number, port, &far) || !s->device[far.device].leaving)
    return LOOM_STALL_NONE;
  uint32_t at = loom_stall_pop(s, &s->device[far.device].leaving[far.port]);
  if (at == LOOM_STALL_NONE)
    return at;
  struct loom_stall_record *r = loom_stall_at(s, at);
  uint64_t departed = now - far.latency;
  uint32_t after = (uint32_t)(departed - r->since);
  if (after < r->last)
    loom_stall_trim(s, r, r->last - after);
  else
    r->here[LOOM_STALL_BUSY] += after - r->last;
  if (!r->packet.injected)
    r->packet.injected = departed;
  loom_stall_leave(r, r->lane, r->transit + r->last + far.latency);
  return at;
}

/* ---- results --------------------------------------------------------------------------------- */

bool loom_stalls_exhausted(const struct loom_stalls *s) { return s->exhausted; }

uint64_t loom_stalls_wrong(const struct loom_stalls *s) { return s->wrong; }

const struct loom_stall_count *loom_stalls_count(const struct loom_stalls *s,
                                                 const struct loom_stalls_key *key, uint32_t *vl) {
  const struct loom_stall_device *d = &s->device[key->device];
  const struct loom_stall_port *port = d->place[key->place];
  if (!port)
    return NULL;
  *vl = d->vl_of(d, key->lane);
  return &port[key->port].lane[key->lane].count[key->traffic_class];
}

uint32_t loom_stalls_ports(const struct loom_stalls *s, uint32_t device, uint32_t place) {
  return s->device[device].ports[place];
}

uint32_t loom_stalls_lanes(const struct loom_stalls *s, uint32_t device, uint32_t place) {
  return s->device[device].ports[place] ? s->device[device].lanes : 0;
}
