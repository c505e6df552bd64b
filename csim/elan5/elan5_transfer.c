/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_transfer.c - transfers and their packets: cutting, numbers, payload, answers
 * (docs/elan5.md; E5-04, E5-14) */
#include <loom/bits.h>
#include <string.h>

#include "elan5/elan5_state.h"
#include "parts/lfsr.h"

enum {
  BACKOFF_LEAST = 16, /* cycles */
  BACKOFF_DOUBLINGS = 5,
  LFSR_STEPS = 32,
  NUMBERS = 0x7FFF, /* 15 bits */
};

/* Its packets take a number of the window: all but conditionals end in a `once` packet. */
static bool ends_once(const struct loom_elan5_transfer *t) {
  return t->op != LOOM_ELAN5_CONDITIONAL;
}

static bool has_ended(const struct loom_elan5_transfer *t) {
  return t->acked == t->packets && (t->op != LOOM_ELAN5_GET || t->answered);
}

static void finish(struct loom_elan5 *e, uint32_t transfer) {
  uint64_t bit = 1ull << transfer;
  if (transfer < LOOM_ELAN5_OWN_TRANSFERS)
    e->finished |= bit;
  else
    e->used &= ~bit;
}

void loom_elan5_look(struct loom_elan5 *e, uint32_t transfer) {
  const struct loom_elan5_transfer *t = &e->transfer[transfer];
  uint64_t bit = 1ull << transfer;
  e->ready &= ~bit;
  e->numbered &= ~bit;
  if (has_ended(t)) {
    finish(e, transfer);
    return;
  }
  /* The last packet says that all is there, so it waits for the others. */
  bool last = t->begun + 1 == t->packets;
  if (t->begun < t->packets && (!last || t->acked == t->begun)) {
    e->ready |= bit;
    if (last && ends_once(t))
      e->numbered |= bit;
  }
}

/* Answers have numbers of their own: they never wait for requests that are refused (E5-14). */
static uint32_t stream_of(uint32_t transfer) { return loom_elan5_is_answer(transfer); }

static bool is_full(const struct loom_elan5_window *w) {
  return ((uint32_t)(w->next - w->base) & NUMBERS) >= LOOM_ELAN5_WINDOW;
}

/* A record that such a packet may take. */
static bool has_record(const struct loom_elan5 *e, bool answer) {
  return e->free[0] | e->free[1] | (answer ? e->free[LOOM_ELAN5_ANSWER_SET] : 0);
}

uint64_t loom_elan5_ready(const struct loom_elan5 *e, bool answers, bool unicast, bool broadcast) {
  const uint64_t own = (1ull << LOOM_ELAN5_OWN_TRANSFERS) - 1;
  uint64_t ready = e->ready & (answers ? ~own : own);
  if (!ready || !has_record(e, answers))
    return 0;
  if (is_full(&e->window[answers]))
    ready &= ~e->numbered;
  return ready & ((unicast ? ~e->groups : 0) | (broadcast ? e->groups : 0));
}

/* The next number of the window. */
static uint16_t take_number(struct loom_elan5_window *w) {
  uint16_t number = w->next;
  w->unacked |= 1ull << ((uint32_t)(number - w->base) & NUMBERS);
  w->next = (uint16_t)((number + 1) & NUMBERS);
  return number;
}

/* This number has its ACK: the window moves on past those that have. */
static void give_number(struct loom_elan5_window *w, uint32_t number) {
  w->unacked &= ~(1ull << ((number - w->base) & NUMBERS));
  while (w->base != w->next && !(w->unacked & 1)) {
    w->unacked >>= 1;
    w->base = (uint16_t)((w->base + 1) & NUMBERS);
  }
}

static uint32_t free_packet(struct loom_elan5 *e) {
  uint32_t set = 0;
  while (!e->free[set])
    set++;
  uint32_t number = 64 * set + loom_ctz(e->free[set]);
  e->free[set] &= e->free[set] - 1;
  return number;
}

uint32_t loom_elan5_new_packet(struct loom_elan5 *e, uint32_t transfer) {
  struct loom_elan5_transfer *t = &e->transfer[transfer];
  uint32_t packet = free_packet(e);
  struct loom_elan5_packet *p = &e->packet[packet];
  uint32_t before = t->begun * t->most;
  p->transfer = (uint8_t)transfer;
  p->index = t->begun;
  p->refusals = 0;
  p->bytes = t->begun + 1 == t->packets ? t->bytes - before : t->most;
  p->once = e->numbered >> transfer & 1;
  uint32_t stream = stream_of(transfer);
  uint32_t number = p->once ? take_number(&e->window[stream]) : e->other++ & NUMBERS;
  p->id = LOOM_PUT(LOOM_ELAN5_ID_SOURCE, e->node) | LOOM_PUT(LOOM_ELAN5_ID_STREAM, stream) |
          LOOM_PUT(LOOM_ELAN5_ID_NUMBER, number);
  t->begun++;
  loom_elan5_look(e, transfer);
  return packet;
}

/* ---- payload --------------------------------------------------------------------------------- */

static uint64_t address_word(const struct loom_elan5 *e, const struct loom_elan5_packet *p) {
  const struct loom_elan5_transfer *t = &e->transfer[p->transfer];
  const struct loom_elan5_address a = {.op = t->op,
                                       .once = p->once,
                                       .pad = (uint8_t)(-p->bytes & 7),
                                       .tag = t->tag,
                                       .at = t->remote + (uint64_t)p->index * t->most};
  return loom_elan5_pack_address(&a);
}

/* Bytes from..from + bytes - 1 of the data of a packet, with its padding. */
static void read_data(const struct loom_elan5 *e, const struct loom_elan5_packet *p, uint32_t from,
                      uint32_t bytes, uint8_t *to) {
  const struct loom_elan5_transfer *t = &e->transfer[p->transfer];
  uint8_t word[sizeof t->word];
  const uint8_t *data = word;
  if (t->inside) {
    loom_elan5_store(word, t->word[0]);
    loom_elan5_store(word + LOOM_ELAN5_WORD, t->word[1]);
  } else {
    data = e->memory + t->local + (uint64_t)p->index * t->most;
  }
  uint32_t there = from < p->bytes ? loom_min(bytes, p->bytes - from) : 0;
  memcpy(to, data + from, there);
  memset(to + there, 0, bytes - there);
}

/* The part of the payload before the trailer: address word and data. */
static uint32_t read_body(struct loom_elan5 *e, struct loom_elan5_packet *p, uint32_t bytes,
                          uint8_t *to) {
  uint32_t done = 0;
  if (p->written == 0) {
    loom_elan5_store(to, address_word(e, p));
    done = LOOM_ELAN5_WORD;
  }
  read_data(e, p, p->written + done - LOOM_ELAN5_WORD, bytes - done, to + done);
  p->crc = loom_elan5_crc_add(p->crc, to, bytes);
  return bytes;
}

void loom_elan5_read_payload(struct loom_elan5 *e, struct loom_elan5_packet *p, uint32_t bytes,
                             uint8_t *to) {
  uint32_t body = loom_elan5_payload(p->bytes) - LOOM_ELAN5_WORD, done = 0;
  if (p->written < body) {
    done = read_body(e, p, loom_min(bytes, body - p->written), to);
    p->written += done;
    if (p->written == body)
      p->trailer = loom_elan5_trailer(p->crc, p->id);
  }
  if (done < bytes) {
    uint8_t trailer[LOOM_ELAN5_WORD];
    loom_elan5_store(trailer, p->trailer);
    memcpy(to + done, trailer + (p->written - body), bytes - done);
    p->written += bytes - done;
  }
}

/* ---- answers --------------------------------------------------------------------------------- */

static void drop_packet(struct loom_elan5 *e, uint32_t packet) {
  e->packet[packet].state = LOOM_ELAN5_FREE;
  e->free[packet / 64] |= 1ull << packet % 64;
}

static void back_off(struct loom_elan5 *e, uint32_t packet) {
  struct loom_elan5_packet *p = &e->packet[packet];
  e->backoff = loom_lfsr_after(e->backoff, LFSR_STEPS);
  p->state = LOOM_ELAN5_BACKING_OFF;
  p->when = e->now + BACKOFF_LEAST + (e->backoff & ((e->cfg.backoff << p->refusals) - 1));
  if (p->refusals < BACKOFF_DOUBLINGS)
    p->refusals++;
  if (!e->refused++ || p->when < e->next_due)
    e->next_due = p->when;
  e->waiting[packet / 64] |= 1ull << packet % 64;
}

/* A conditional that got no ACK is not sent again: its user decides. */
static void fail(struct loom_elan5 *e, uint32_t packet) {
  uint32_t transfer = e->packet[packet].transfer;
  e->counters.failed++;
  e->failed |= 1ull << transfer;
  drop_packet(e, packet);
  finish(e, transfer);
}

void loom_elan5_answered(struct loom_elan5 *e, uint32_t packet, bool ack) {
  struct loom_elan5_packet *p = &e->packet[packet];
  uint32_t transfer = p->transfer;
  if (!ack && e->transfer[transfer].op == LOOM_ELAN5_CONDITIONAL) {
    fail(e, packet);
  } else if (!ack) {
    back_off(e, packet);
  } else {
    if (p->once)
      give_number(&e->window[stream_of(transfer)], p->id);
    drop_packet(e, packet);
    e->transfer[transfer].acked++;
    loom_elan5_look(e, transfer);
  }
}
