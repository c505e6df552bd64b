/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_apply.c - what a packet does at its receiver, once where it must (docs/elan5.md; E5-14,
 * E5-31) */
#include <string.h>

#include "elan5/elan5_state.h"

enum { NUMBERS = 0x7FFF /* 15 bits */ };

/* A good packet, taken apart. */
struct arrived {
  struct loom_elan5_address address;
  const uint8_t *data;
  uint32_t bytes; /* of data */
  uint32_t source;
  uint32_t stream; /* of numbers */
  uint32_t number;
};

static void take_apart(struct arrived *p, const uint8_t *payload, uint32_t bytes) {
  loom_elan5_unpack_address(&p->address, loom_elan5_load(payload));
  uint32_t padded = bytes - LOOM_ELAN5_OVERHEAD;
  p->data = payload + LOOM_ELAN5_WORD;
  p->bytes = padded > p->address.pad ? padded - p->address.pad : 0;
  uint64_t trailer = loom_elan5_load(payload + bytes - LOOM_ELAN5_WORD);
  uint32_t id = LOOM_GET(LOOM_ELAN5_TRAILER_ID, trailer);
  p->source = LOOM_GET(LOOM_ELAN5_ID_SOURCE, id);
  p->stream = LOOM_GET(LOOM_ELAN5_ID_STREAM, id);
  p->number = LOOM_GET(LOOM_ELAN5_ID_NUMBER, id);
}

/* ---- exactly once ---------------------------------------------------------------------------- */

/* How far a number lies after the highest seen; negative: before. */
static int32_t ahead(const struct loom_elan5_filter *f, uint32_t number) {
  int32_t distance = (int32_t)((number - f->high) & NUMBERS);
  return distance <= NUMBERS / 2 ? distance : distance - NUMBERS - 1;
}

static bool is_duplicate(const struct loom_elan5_filter *f, uint32_t number) {
  int32_t by = ahead(f, number);
  if (!f->any || by > 0)
    return false;
  return -by >= LOOM_ELAN5_WINDOW || (f->done >> -by & 1);
}

static void mark_done(struct loom_elan5_filter *f, uint32_t number) {
  int32_t by = ahead(f, number);
  if (!f->any) {
    *f = (struct loom_elan5_filter){.any = true, .high = (uint16_t)number, .done = 1};
  } else if (by > 0) {
    f->done = by < LOOM_ELAN5_WINDOW ? f->done << by | 1 : 1;
    f->high = (uint16_t)number;
  } else {
    f->done |= 1ull << -by;
  }
}

/* ---- the operations; true: ACK --------------------------------------------------------------- */

static bool write(struct loom_elan5 *e, const struct arrived *p) {
  if (loom_elan5_inside(e, p->address.at, p->bytes))
    memcpy(e->memory + p->address.at, p->data, p->bytes);
  else
    e->counters.addresses++;
  return true;
}

/* The last packet of the data of a get. */
static bool answer_get(struct loom_elan5 *e, const struct arrived *p) {
  uint32_t get = p->address.tag;
  write(e, p);
  if (!p->address.once || get >= LOOM_ELAN5_OWN_TRANSFERS || !(e->used >> get & 1) ||
      e->transfer[get].op != LOOM_ELAN5_GET)
    return true;
  e->transfer[get].answered = true;
  loom_elan5_look(e, get);
  return true;
}

static bool enqueue(struct loom_elan5 *e, const struct arrived *p) {
  if (p->bytes > LOOM_ELAN5_MESSAGE) {
    e->counters.addresses++;
    return true;
  }
  if (e->messages == e->cfg.queue) {
    e->counters.refused++;
    return false;
  }
  struct loom_elan5_message *m = &e->message[(e->first_message + e->messages) % e->cfg.queue];
  m->source = p->source;
  m->bytes = p->bytes;
  memcpy(m->data, p->data, p->bytes);
  e->messages++;
  return true;
}

static bool count_event(struct loom_elan5 *e, const struct arrived *p) {
  if (p->address.at >= LOOM_ELAN5_EVENTS || p->bytes != LOOM_ELAN5_WORD) {
    e->counters.addresses++;
    return true;
  }
  e->event[p->address.at].count += loom_elan5_load(p->data);
  e->event[p->address.at].received++;
  return true;
}

/* The data go back as a put of our own. */
static bool serve_get(struct loom_elan5 *e, const struct arrived *p) {
  uint64_t bytes = p->bytes == 2 * LOOM_ELAN5_WORD ? loom_elan5_load(p->data + LOOM_ELAN5_WORD) : 0;
  if (p->bytes != 2 * LOOM_ELAN5_WORD || !loom_elan5_inside(e, p->address.at, bytes)) {
    e->counters.addresses++;
    return true;
  }
  uint32_t number = loom_elan5_new_transfer(e, LOOM_ELAN5_OWN_TRANSFERS, LOOM_ELAN5_TRANSFERS - 1);
  if (number == LOOM_ELAN5_NONE) {
    e->counters.refused++;
    return false;
  }
  struct loom_elan5_transfer *t = &e->transfer[number];
  t->to.dest = (uint16_t)p->source;
  t->op = LOOM_ELAN5_GOT;
  t->tag = p->address.tag;
  t->remote = loom_elan5_load(p->data);
  t->local = p->address.at;
  t->bytes = (uint32_t)bytes;
  loom_elan5_begin(e, number);
  return true;
}

static bool compare(struct loom_elan5 *e, const struct arrived *p) {
  e->counters.conditionals++;
  if (p->bytes != LOOM_ELAN5_WORD || !loom_elan5_inside(e, p->address.at, LOOM_ELAN5_WORD)) {
    e->counters.addresses++;
    return false;
  }
  return memcmp(e->memory + p->address.at, p->data, LOOM_ELAN5_WORD) == 0;
}

static bool perform(struct loom_elan5 *e, const struct arrived *p) {
  switch (p->address.op) {
  case LOOM_ELAN5_PUT:
    return write(e, p);
  case LOOM_ELAN5_QUEUE:
    return enqueue(e, p);
  case LOOM_ELAN5_EVENT:
    return count_event(e, p);
  case LOOM_ELAN5_GET:
    return serve_get(e, p);
  case LOOM_ELAN5_GOT:
    return answer_get(e, p);
  default:
    e->counters.addresses++;
    return true;
  }
}

bool loom_elan5_apply(struct loom_elan5 *e, uint8_t type, const uint8_t *payload, uint32_t bytes,
                      bool *late) {
  struct arrived p;
  take_apart(&p, payload, bytes);
  if (type == LOOM_ELITE5_CONDITIONAL)
    return compare(e, &p);
  /* Without an entry nothing could be kept from happening twice. */
  if (p.source >= e->cfg.nodes) {
    e->counters.addresses++;
    return false;
  }
  *late = p.address.once && (p.address.op == LOOM_ELAN5_PUT || p.address.op == LOOM_ELAN5_GOT);
  if (!p.address.once)
    return perform(e, &p);
  struct loom_elan5_filter *filter = &e->filter[p.source][p.stream];
  if (is_duplicate(filter, p.number)) {
    e->counters.duplicates++;
    return true;
  }
  if (!perform(e, &p))
    return false;
  mark_done(filter, p.number);
  e->counters.effects++;
  return true;
}
