/* SPDX-License-Identifier: Apache-2.0 */
/* bfs.c - circuit = twin for every state that the inputs of a small configuration can reach
 *
 * A state is (flattened Verilated state, twin with its storage, notes), brought back by memcpy.
 * From each state each input of the device's alphabet is tried: all outputs and probes must agree,
 * and the pair after the edge, if its 128-bit fingerprint is new, joins the queue. Most of a state
 * is 0, so queued states are kept as their non-zero words.
 */
#include "tb/cosim/cosim.h"

#include <stdlib.h>
#include <string.h>

struct mark {
  uint64_t a, b;
};

struct seen {
  struct mark *slot; /* {0, 0}: free */
  size_t size, count;
};

struct packed {
  uint32_t words; /* pairs (index, word) */
  uint64_t pair[];
};

struct queue {
  struct packed **state;
  size_t head, count, room;
};

struct search {
  struct circuit *c;
  const struct dut *dut;
  size_t rtl_size, storage_size, size; /* of a state, in bytes, each part padded to 8 */
  char *twin, *storage, *note, *state;
  struct seen seen;
  struct queue queue;
  struct bfs_result *r;
  const struct plant *plant;
};

static size_t pad(size_t n) { return (n + 7) & ~(size_t)7; }

static uint64_t mix(uint64_t h, uint64_t w) {
  h = (h ^ w) * 0x9fb21c651e98df25u;
  return h ^ h >> 32;
}

static struct mark fingerprint(const char *state, size_t size) {
  struct mark m = {0x243f6a8885a308d3u, 0x13198a2e03707344u};
  for (size_t i = 0; i < size; i += 8) {
    uint64_t w;
    memcpy(&w, state + i, 8);
    if (w) {
      m.a = mix(m.a, w + i);
      m.b = mix(m.b + i, w * 0xd6e8feb86659fd93u);
    }
  }
  m.a |= 1; /* never the mark of a free slot */
  return m;
}

/* True if it was not there before. */
static bool seen_add(struct seen *s, struct mark m) {
  if (2 * s->count >= s->size) {
    struct seen more = {calloc(2 * s->size, sizeof *more.slot), 2 * s->size, 0};
    if (!more.slot)
      return false;
    for (size_t i = 0; i < s->size; i++)
      if (s->slot[i].a)
        seen_add(&more, s->slot[i]);
    free(s->slot);
    *s = more;
  }
  size_t i = m.b & (s->size - 1);
  for (; s->slot[i].a; i = (i + 1) & (s->size - 1))
    if (s->slot[i].a == m.a && s->slot[i].b == m.b)
      return false;
  s->slot[i] = m;
  s->count++;
  return true;
}

static bool push(struct search *s) {
  uint32_t words = 0;
  for (size_t i = 0; i < s->size; i += 8) {
    uint64_t w;
    memcpy(&w, s->state + i, 8);
    words += w != 0;
  }
  struct packed *p = malloc(sizeof *p + words * 2 * sizeof p->pair[0]);
  if (!p)
    return false;
  p->words = 0;
  for (size_t i = 0; i < s->size; i += 8) {
    uint64_t w;
    memcpy(&w, s->state + i, 8);
    if (w) {
      p->pair[2 * p->words] = i;
      p->pair[2 * p->words + 1] = w;
      p->words++;
    }
  }
  struct queue *q = &s->queue;
  if (q->count == q->room) {
    size_t room = q->room ? 2 * q->room : 4096;
    struct packed **more = realloc(q->state, room * sizeof(struct packed *));
    if (!more) {
      free(p);
      return false;
    }
    q->state = more;
    q->room = room;
  }
  q->state[q->count++] = p;
  return true;
}

static void unpack(struct search *s, const struct packed *p) {
  memset(s->state, 0, s->size);
  for (uint32_t i = 0; i < p->words; i++)
    memcpy(s->state + p->pair[2 * i], &p->pair[2 * i + 1], 8);
}

/* Where twin, storage and notes stand in a state. */
static char *twin_at(const struct search *s) { return s->state + pad(s->rtl_size); }
static char *storage_at(const struct search *s) { return twin_at(s) + pad(s->dut->twin_size); }
static char *note_at(const struct search *s) { return storage_at(s) + pad(s->storage_size); }

static void apply(struct search *s) {
  s->c->api->state_load(s->c->handle, s->state);
  memcpy(s->twin, twin_at(s), s->dut->twin_size);
  memcpy(s->storage, storage_at(s), s->storage_size);
  memcpy(s->note, note_at(s), s->dut->stim->bfs_note_size);
}

static void take(struct search *s) {
  s->c->api->state_save(s->c->handle, s->state);
  memcpy(twin_at(s), s->twin, s->dut->twin_size);
  memcpy(storage_at(s), s->storage, s->storage_size);
  memcpy(note_at(s), s->note, s->dut->stim->bfs_note_size);
}

/* The i-th input in this state; false if the contract leaves it out. */
static bool input(const struct search *s, uint32_t i, char *in) {
  const struct stim *t = s->dut->stim;
  const void *cfg = s->c->api->cfg;
  memset(in, 0, s->dut->in_size);
  return t->bfs_input(cfg, s->twin, i, in) && (!t->bfs_legal || t->bfs_legal(cfg, s->note, in));
}

/* All inputs from one state; false ends the search. */
static bool expand(struct search *s, const struct packed *p, char *in, char *out[2],
                   char *probe[2]) {
  const struct dut *d = s->dut;
  const void *cfg = s->c->api->cfg;
  for (uint32_t i = 0, n = d->stim->bfs_inputs(cfg); i < n; i++) {
    unpack(s, p);
    apply(s);
    if (!input(s, i, in))
      continue;
    d->run(s->twin, in, out[1], probe[1], 1);
    if (s->c->api->run(s->c->handle, in, out[0], probe[0], 1) != 1) {
      snprintf(s->r->why, sizeof s->r->why, "an assertion of the circuit failed");
      s->r->failed = true;
      return false;
    }
    if (s->plant->on && s->plant->cycle == s->r->transitions)
      plant_flip(s->plant, cfg, out[0]);
    s->r->transitions++;
    if (field_differs(d, cfg, FIELD_OUT, out[0], out[1], &s->r->diff) ||
        field_differs(d, cfg, FIELD_PROBE, probe[0], probe[1], &s->r->diff)) {
      s->r->differs = true;
      return false;
    }
    if (d->stim->bfs_after)
      d->stim->bfs_after(s->note, in, out[1]);
    take(s);
    if (seen_add(&s->seen, fingerprint(s->state, s->size)) && !push(s)) {
      snprintf(s->r->why, sizeof s->r->why, "out of memory");
      s->r->failed = true;
      return false;
    }
  }
  return true;
}

static void levels(struct search *s, uint64_t max_states) {
  const struct dut *d = s->dut;
  char *in = calloc(1, d->in_size);
  char *out[2] = {calloc(1, d->out_size), calloc(1, d->out_size)};
  char *probe[2] = {calloc(1, d->probe_size), calloc(1, d->probe_size)};
  size_t level_end = s->queue.count;
  uint32_t limit = d->stim->bfs_depth ? d->stim->bfs_depth(s->c->api->cfg) : 0;
  bool good = in && out[0] && out[1] && probe[0] && probe[1];
  while (good && s->queue.head < s->queue.count && s->seen.count <= max_states) {
    if (s->queue.head == level_end) {
      level_end = s->queue.count;
      s->r->depth++;
      if (s->r->depth == limit) /* never 0 here */
        break;
    }
    s->r->diff.cycle = s->r->depth;
    good = expand(s, s->queue.state[s->queue.head], in, out, probe);
    free(s->queue.state[s->queue.head++]);
  }
  s->r->bounded = good && s->queue.head < s->queue.count && s->r->depth == limit;
  s->r->complete = good && (s->r->bounded || s->queue.head == s->queue.count);
  s->r->states = s->seen.count;
  free(in);
  free(out[0]);
  free(out[1]);
  free(probe[0]);
  free(probe[1]);
}

void bfs(struct circuit *c, uint64_t max_states, const struct plant *plant, struct bfs_result *r) {
  const struct dut *d = c->dut;
  struct search s = {.c = c, .dut = d, .r = r, .plant = plant};
  memset(r, 0, sizeof *r);
  if (!d->stim->bfs_inputs) {
    r->failed = true;
    snprintf(r->why, sizeof r->why, "%s has no inputs for a search", d->name);
    return;
  }
  s.rtl_size = c->api->state_size(c->handle);
  s.storage_size = d->storage_size(c->api->cfg);
  s.size = pad(s.rtl_size) + pad(d->twin_size) + pad(s.storage_size) + pad(d->stim->bfs_note_size);
  s.twin = calloc(1, pad(d->twin_size));
  s.storage = calloc(1, pad(s.storage_size) + 8);
  s.note = calloc(1, pad(d->stim->bfs_note_size) + 8);
  s.state = calloc(1, s.size);
  s.seen.size = 1 << 16;
  s.seen.slot = calloc(s.seen.size, sizeof *s.seen.slot);
  char *in = calloc(1, d->in_size);
  if (s.twin && s.storage && s.note && s.state && s.seen.slot && in) {
    c->api->reset(c->handle, in);
    d->init(s.twin, c->api->cfg, s.storage);
    take(&s);
    seen_add(&s.seen, fingerprint(s.state, s.size));
    if (push(&s))
      levels(&s, max_states);
  }
  while (s.queue.head < s.queue.count)
    free(s.queue.state[s.queue.head++]);
  free(s.queue.state);
  free(s.seen.slot);
  free(s.twin);
  free(s.storage);
  free(s.note);
  free(s.state);
  free(in);
}
