/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c - the messages that are under way between the hosts of a fabric (docs/fabric.md; OP-22)
 */
#include "fabric/ledger.h"

#include "fabric/ledger_part.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_FIRST = 16, PACKETS_FIRST = 16 };

struct loom_ledger *loom_ledger_create(uint32_t hosts, loom_host_receive *receive, void *context) {
  struct loom_ledger *l = calloc(1, sizeof *l);
  if (!l)
    return NULL;
  l->source = calloc(hosts ? hosts : 1, sizeof *l->source);
  if (!l->source) {
    free(l);
    return NULL;
  }
  l->receive = receive;
  l->context = context;
  l->hosts = hosts;
  l->limit = UINT64_MAX;
  for (uint32_t h = 0; h < hosts; h++)
    l->source[h].unused = LOOM_LEDGER_NONE;
  for (uint32_t lid = 0; lid < LOOM_LEDGER_LIDS; lid++)
    l->host_of[lid] = LOOM_LEDGER_NONE;
  return l;
}

void loom_ledger_destroy(struct loom_ledger *l) {
  if (!l)
    return;
  for (uint32_t h = 0; h < l->hosts; h++) {
    free(l->source[h].record);
    free(l->source[h].packet);
  }
  loom_arena_free(&l->arena);
  loom_arena_free(&l->packets);
  free(l->source);
  free(l);
}

void loom_ledger_on_packet(struct loom_ledger *l, loom_host_packet *packet) { l->packet = packet; }

void loom_ledger_limit(struct loom_ledger *l, uint64_t bytes) { l->limit = bytes; }

struct loom_ledger_counts loom_ledger_counts(const struct loom_ledger *l) {
  return l->counts;
}

void *loom_ledger_grow(struct loom_ledger *l, void *memory, size_t old, size_t bytes) {
  bool fits = !l->counts.exhausted && l->bytes <= l->limit && bytes - old <= l->limit - l->bytes;
  char *grown = fits ? realloc(memory, bytes) : NULL;
  if (!grown) {
    l->counts.exhausted = true;
    return NULL;
  }
  memset(grown + old, 0, bytes - old);
  l->bytes += bytes - old;
  return grown;
}

void loom_ledger_free(struct loom_ledger *l, void *memory, size_t bytes) {
  free(memory);
  l->bytes -= bytes;
}

/* ---- parts ----------------------------------------------------------------------------------- */

void loom_ledger_divide(struct loom_ledger *l, struct loom_ledger_part *part) { l->part = part; }

void loom_ledger_name(struct loom_ledger *l, uint32_t lid, uint32_t host) {
  l->host_of[lid] = host;
}

static bool is_here(const struct loom_ledger *l, uint32_t host) {
  return !l->part || l->part->is_mine(l->part->context, host);
}

/* Of a message: the process of its receiver hears of it, too, unless that is this one. */
static void tell(const struct loom_ledger *l, struct loom_ledger_event event) {
  const struct loom_record *r = loom_ledger_record(l, event.src, event.id);
  if (is_here(l, r->message.dst))
    return;
  if (event.what == LOOM_LEDGER_OPENED) {
    event.message = r->message;
    event.key = r->key;
  }
  l->part->send(l->part->context, r->message.dst, &event);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Twice as many records; each keeps its number. */
static bool grow(struct loom_ledger *l, struct loom_ledger_source *s) {
  uint32_t size = s->size ? 2 * s->size : RECORDS_FIRST;
  struct loom_record *record =
      loom_ledger_grow(l, s->record, s->size * sizeof *record, size * sizeof *record);
  if (!record)
    return false;
  s->record = record;
  s->size = size;
  return true;
}

/* Records that cannot be opened in this cycle. */
static uint32_t taken(const struct loom_ledger_source *s, uint64_t now) {
  return s->open + (s->closed == now ? s->closing : 0);
}

/* Cycle 0 opens none, so a record that was never used is free. */
static bool is_free(const struct loom_record *r, uint64_t now) {
  return !r->left && r->message.received < now;
}

/* The next free record after the last one; there is one. */
static uint32_t next_free(const struct loom_ledger_source *s, uint64_t now) {
  uint32_t id = s->cursor;
  do
    id = (id + 1) & (s->size - 1);
  while (!is_free(&s->record[id], now));
  return id;
}

uint32_t loom_ledger_open(struct loom_ledger *l, uint32_t src, const struct loom_message *message,
                          uint64_t now) {
  struct loom_ledger_source *s = &l->source[src];
  uint32_t used = taken(s, now);
  if (used >= LOOM_LEDGER_IDS) {
    if (l->part)
      l->part->crowded = true;
    return LOOM_LEDGER_NONE;
  }
  if (2 * used >= s->size && s->size < LOOM_LEDGER_IDS && !grow(l, s) && used >= s->size)
    return LOOM_LEDGER_NONE;
  s->cursor = next_free(s, now);
  s->open++;
  s->messages++;
  s->record[s->cursor] = (struct loom_record){
      .message = *message,
      .key = loom_scramble((uint64_t)(src + 1) << 40 ^ s->messages),
      .left = message->flits,
      .packets = LOOM_LEDGER_NONE,
      .newest = LOOM_LEDGER_NONE,
  };
  tell(l, (struct loom_ledger_event){.what = LOOM_LEDGER_OPENED, .src = src, .id = s->cursor});
  return s->cursor;
}

void loom_ledger_enter(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset) {
  loom_ledger_record(l, src, id)->sum ^= loom_ledger_sum(offset);
  tell(l, (struct loom_ledger_event){
              .what = LOOM_LEDGER_ENTERED, .src = src, .id = id, .offset = offset});
}

void loom_ledger_inject(struct loom_ledger *l, uint32_t src, uint32_t id, uint64_t now) {
  loom_ledger_record(l, src, id)->message.injected = now;
  tell(l, (struct loom_ledger_event){
              .what = LOOM_LEDGER_INJECTED, .src = src, .id = id, .cycle = now});
}

/* ---- packets --------------------------------------------------------------------------------- */

/* Twice as many places; the new ones are free. */
static bool more_places(struct loom_ledger *l, struct loom_ledger_source *s) {
  uint32_t size = s->packets ? 2 * s->packets : PACKETS_FIRST;
  struct loom_ledger_packet *packet =
      loom_ledger_grow(l, s->packet, s->packets * sizeof *packet, size * sizeof *packet);
  if (!packet)
    return false;
  for (uint32_t at = size; at-- > s->packets;) {
    packet[at].next = s->unused;
    s->unused = at;
  }
  s->packet = packet;
  s->packets = size;
  return true;
}

/* The packet is noted where its message will be received. */
static void note_packet(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset,
                        uint64_t now) {
  struct loom_ledger_source *s = &l->source[src];
  struct loom_record *r = &s->record[id];
  if (!l->packet || (s->unused == LOOM_LEDGER_NONE && !more_places(l, s)))
    return;
  uint32_t at = s->unused;
  s->unused = s->packet[at].next;
  s->packet[at] =
      (struct loom_ledger_packet){.injected = now, .offset = offset, .next = LOOM_LEDGER_NONE};
  if (r->packets == LOOM_LEDGER_NONE)
    r->packets = at;
  else
    s->packet[r->newest].next = at;
  r->newest = at;
}

void loom_ledger_depart(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset,
                        uint64_t now) {
  if (is_here(l, loom_ledger_record(l, src, id)->message.dst))
    note_packet(l, src, id, offset, now);
  else
    tell(l,
         (struct loom_ledger_event){
             .what = LOOM_LEDGER_DEPARTED, .src = src, .id = id, .offset = offset, .cycle = now});
}

/* Takes a packet out of the list of its message; LOOM_LEDGER_NONE: it is not there. Those of one
 * path come in order, so it is among the first. */
static uint32_t unlist(struct loom_ledger_source *s, struct loom_record *r, uint32_t offset) {
  uint32_t before = LOOM_LEDGER_NONE, at = r->packets;
  while (at != LOOM_LEDGER_NONE && s->packet[at].offset != offset) {
    before = at;
    at = s->packet[at].next;
  }
  if (at == LOOM_LEDGER_NONE)
    return at;
  if (before == LOOM_LEDGER_NONE)
    r->packets = s->packet[at].next;
  else
    s->packet[before].next = s->packet[at].next;
  if (r->newest == at)
    r->newest = before;
  return at;
}

void loom_ledger_arrive(struct loom_ledger *l, uint32_t src, uint32_t id, uint32_t offset,
                        uint64_t now) {
  struct loom_ledger_source *s = &l->source[src];
  struct loom_record *r = &s->record[id];
  uint32_t at = unlist(s, r, offset);
  if (at == LOOM_LEDGER_NONE)
    return;
  s->packet[at].next = s->unused;
  s->unused = at;
  l->packet(l->context, &r->message, s->packet[at].injected, now);
}

/* The places of packets that never came whole are free. */
static void forget_packets(struct loom_ledger_source *s, struct loom_record *r) {
  if (r->packets == LOOM_LEDGER_NONE)
    return;
  s->packet[r->newest].next = s->unused;
  s->unused = r->packets;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The record is free from the next cycle on. */
static void release(struct loom_ledger_source *s, uint64_t now) {
  if (s->closed != now) {
    s->closed = now;
    s->closing = 0;
  }
  s->closing++;
  s->open--;
}

void loom_ledger_close(struct loom_ledger *l, uint32_t src, uint32_t id, uint64_t now) {
  struct loom_record *r = loom_ledger_record(l, src, id);
  r->message.received = now;
  if (r->sum && !r->damaged)
    l->counts.stray++;
  forget_packets(&l->source[src], r);
  release(&l->source[src], now);
  if (!is_here(l, src))
    l->part->send(l->part->context, src,
                  &(struct loom_ledger_event){
                      .what = LOOM_LEDGER_CLOSED, .src = src, .id = id, .cycle = now});
  l->counts.received++;
  l->counts.damaged += r->damaged;
  const struct loom_message message = r->message; /* the receiver may post, which moves records */
  if (l->receive)
    l->receive(l->context, &message, r->damaged);
}

void loom_ledger_lose(struct loom_ledger *l, uint64_t head, uint64_t now) {
  const struct loom_packet_head h = loom_packet_read(head);
  uint32_t src = 0;
  struct loom_record *r = loom_ledger_find(l, h.src, h.id, &src);
  if (!r)
    return;
  r->damaged = true;
  r->left -= h.len < r->left ? h.len : r->left;
  if (!r->left)
    loom_ledger_close(l, src, h.id, now);
}

/* ---- what other processes say ---------------------------------------------------------------- */

/* A record as its sender has it, with the same number. */
static bool hear_opened(struct loom_ledger *l, const struct loom_ledger_event *e) {
  struct loom_ledger_source *s = &l->source[e->src];
  while (e->id >= s->size)
    if (s->size >= LOOM_LEDGER_IDS || !grow(l, s))
      return false;
  struct loom_record *r = &s->record[e->id];
  if (r->left)
    return false;
  *r = (struct loom_record){.message = e->message,
                            .key = e->key,
                            .left = e->message.flits,
                            .packets = LOOM_LEDGER_NONE,
                            .newest = LOOM_LEDGER_NONE};
  s->open++;
  return true;
}

/* The sender's record is free, as if its receiver were here. */
static void hear_closed(struct loom_ledger *l, const struct loom_ledger_event *e) {
  struct loom_record *r = loom_ledger_record(l, e->src, e->id);
  r->left = 0;
  r->message.received = e->cycle;
  release(&l->source[e->src], e->cycle);
}

bool loom_ledger_hear(struct loom_ledger *l, const struct loom_ledger_event *e) {
  if (e->src >= l->hosts)
    return false;
  if (e->what == LOOM_LEDGER_OPENED)
    return hear_opened(l, e);
  if (e->id >= l->source[e->src].size || !loom_ledger_record(l, e->src, e->id)->left)
    return false;
  struct loom_record *r = loom_ledger_record(l, e->src, e->id);
  switch ((enum loom_ledger_happening)e->what) {
  case LOOM_LEDGER_ENTERED:
    r->sum ^= loom_ledger_sum(e->offset);
    break;
  case LOOM_LEDGER_INJECTED:
    r->message.injected = e->cycle;
    break;
  case LOOM_LEDGER_DEPARTED:
    note_packet(l, e->src, e->id, e->offset, e->cycle);
    break;
  case LOOM_LEDGER_CLOSED:
    hear_closed(l, e);
    break;
  case LOOM_LEDGER_OPENED:
    break;
  }
  return true;
}
