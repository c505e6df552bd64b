/* SPDX-License-Identifier: Apache-2.0 */
#include "tb/caches/machine.h"

#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  L1 = 0,
  L2 = 1,
  MEMORY = 2,
  LINES = 8192,  /* of memory */
  SHARED = 256,  /* of these are shared, the first ones; line 0 holds the counter of `pool` */
  L1_SETS = 64,  /* direct-mapped */
  L2_SETS = 128, /* a bank, likewise */
  PENDING = 4,   /* misses of a processor that may be under way at a time */
  CONTROL = 8,   /* bytes of a message without a line */
  L1_CYCLES = 2, /* from a reception to what it causes */
  L2_CYCLES = 6, /* likewise */
  MEM_CYCLES = 60,
  MEM_GAP = 4, /* cycles between two accesses of a memory */
  LIMIT = 20000000,
};

enum kind {
  GET_S,
  GET_M,
  PUT,
  DATA,
  PUT_ACK,
  INVALIDATE,
  INVALIDATE_ACK,
  RECALL_S,
  RECALL_M,
  RECALLED,
  READ,
  READ_DATA,
  WRITE
};
enum state { INVALID, HELD, OWNED };

/* What is to happen: a device takes a message, or (message NOTHING) a processor goes on. */
struct event {
  uint64_t time, order;
  uint32_t message, device, tie;
};

/* What travels beside what a trace says of a message. */
struct body {
  enum kind kind;
  uint32_t line;
};

struct access {
  uint32_t line;
  bool store, waits; /* waits: the processor does nothing else until it is done */
};

struct processor {
  uint64_t random;
  struct access next;
  bool fetched, stalled, taking, finished;
  uint32_t left;             /* accesses */
  uint32_t item;             /* `pool`: accesses left of the piece of work */
  uint32_t cause;            /* the message that it waited for last */
  uint32_t pending[PENDING]; /* lines, or NOTHING */
  uint32_t held[L1_SETS];    /* lines, or NOTHING */
  enum state state[L1_SETS];
  bool writing[LINES]; /* a line that was put and is not acknowledged */
};

/* A line at home. */
struct home {
  uint32_t owner; /* tile, or NOTHING */
  uint32_t sharers;
  bool here, dirty, busy;
  uint32_t acks;
  uint32_t asked;       /* the request that is served */
  uint32_t first, last; /* those that wait: messages, linked by `follows` */
};

struct program {
  const char *name;
  uint32_t shared, store, waits; /* percent of the accesses */
  uint32_t compute;              /* cycles before an access, at most */
  uint32_t reach;                /* private lines of a processor that it uses */
  bool pool;
};

struct machine {
  const struct run *run;
  const struct program *program;
  struct loom_sim *sim;
  struct log *log;
  struct body *body;
  uint32_t *follows;
  struct event *heap;
  uint32_t events, room;
  uint64_t order;
  uint64_t memory_free[TILES];
  uint32_t items; /* taken out of the pool */
  uint32_t active;
  bool failed, incoherent;
  struct processor processor[TILES];
  struct home home[LINES];
};

static const struct program programs[] = {
    {"private", 5, 30, 30, 20, 120, false}, {"readers", 60, 3, 50, 10, 80, false},
    {"writers", 40, 50, 50, 10, 80, false}, {"stream", 2, 40, 10, 4, 480, false},
    {"pool", 20, 30, 50, 10, 80, true},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };
const char *const program_names[] = {"private", "readers", "writers", "stream", "pool", NULL};

/* ---- events ---------------------------------------------------------------------------------- */

static bool before(const struct event *a, const struct event *b) {
  if (a->time != b->time)
    return a->time < b->time;
  return a->tie != b->tie ? a->tie < b->tie : a->order < b->order;
}

static void at(struct machine *m, uint64_t time, uint32_t device, uint32_t message) {
  if (m->events == m->room) {
    uint32_t room = m->room ? 2 * m->room : 256;
    struct event *more = realloc(m->heap, room * sizeof *more);
    if (!more) {
      m->failed = true;
      return;
    }
    m->heap = more;
    m->room = room;
  }
  struct event e = {time, m->order++, message, device, m->run->by_device ? device : 0};
  uint32_t i = m->events++;
  for (; i && before(&e, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
    m->heap[i] = m->heap[(i - 1) / 2];
  m->heap[i] = e;
}

static struct event take(struct machine *m) {
  struct event first = m->heap[0];
  struct event e = m->heap[--m->events];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < m->events; i = child) {
    if (child + 1 < m->events && before(&m->heap[child + 1], &m->heap[child]))
      child++;
    if (!before(&m->heap[child], &e))
      break;
    m->heap[i] = m->heap[child];
  }
  if (m->events)
    m->heap[i] = e;
  return first;
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool grow(struct machine *m) {
  struct log *l = m->log;
  if (l->count < l->room)
    return true;
  uint32_t room = l->room ? 2 * l->room : 4096;
  struct sent *message = realloc(l->message, room * sizeof *message);
  if (message)
    l->message = message;
  struct body *body = realloc(m->body, room * sizeof *body);
  if (body)
    m->body = body;
  uint32_t *follows = realloc(m->follows, room * sizeof *follows);
  if (follows)
    m->follows = follows;
  if (message && body && follows)
    l->room = room;
  return message && body && follows;
}

static bool has_line(enum kind kind) {
  return kind == PUT || kind == DATA || kind == RECALLED || kind == READ_DATA || kind == WRITE;
}

static uint64_t now(const struct machine *m) { return loom_sim_now(m->sim); }

static uint32_t delay_of(uint32_t device) {
  return device / TILES == L1 ? L1_CYCLES : device / TILES == L2 ? L2_CYCLES : MEM_CYCLES;
}

/* A message is here: its device takes it after its own time. */
static void receive(struct machine *m, uint32_t message, uint64_t time) {
  struct sent *s = &m->log->message[message];
  uint32_t tile = s->to % TILES;
  s->received = time;
  m->log->end = time > m->log->end ? time : m->log->end;
  uint64_t start = time;
  if (s->to / TILES == MEMORY) {
    start = m->memory_free[tile] > time ? m->memory_free[tile] : time;
    m->memory_free[tile] = start + MEM_GAP;
  }
  at(m, start + delay_of(s->to), s->to, message);
}

static void send(struct machine *m, uint32_t from, uint32_t to, enum kind kind, uint32_t line,
                 uint32_t cause) {
  if (!grow(m)) {
    m->failed = true;
    return;
  }
  uint32_t number = m->log->count++;
  uint32_t bytes = CONTROL + (has_line(kind) ? m->run->line : 0);
  m->log->message[number] = (struct sent){from, to, bytes, cause, now(m), 0};
  m->body[number] = (struct body){kind, line};
  if (from % TILES == to % TILES)
    receive(m, number, now(m) + WITHIN);
  else if (!loom_sim_post(m->sim, from % TILES, to % TILES, 0, bytes, number))
    m->failed = true;
}

static void arrived(void *context, const struct loom_arrival *a) {
  receive(context, (uint32_t)a->tag, a->received);
}

static uint32_t l2_of(uint32_t line) { return L2 * TILES + line % TILES; }
static uint32_t memory_of(uint32_t line) { return MEMORY * TILES + line / TILES % TILES; }

/* ---- processors and L1 ----------------------------------------------------------------------- */

static bool fetch(struct machine *m, uint32_t tile) {
  struct processor *p = &m->processor[tile];
  if (!p->left)
    return false;
  if (m->program->pool && !p->item) {
    p->next = (struct access){0, true, true};
    p->taking = true;
  } else {
    bool shared = loom_chance(&p->random, m->program->shared);
    uint32_t line = shared ? 1 + loom_below(&p->random, SHARED - 1)
                           : SHARED + tile * ((LINES - SHARED) / TILES) +
                                 loom_below(&p->random, m->program->reach);
    p->next = (struct access){line, loom_chance(&p->random, m->program->store),
                              loom_chance(&p->random, m->program->waits)};
  }
  p->fetched = true;
  return true;
}

/* An access is done. Who takes a piece of work next, and so how much, is a matter of time. */
static void perform(struct machine *m, struct processor *p) {
  p->fetched = false;
  p->left--;
  if (p->taking)
    p->item = 8 + (uint32_t)(loom_scramble(++m->items) % 40);
  else if (p->item)
    p->item--;
  p->taking = false;
}

static bool is_pending(const struct processor *p, uint32_t line, bool same_set) {
  for (unsigned i = 0; i < PENDING; i++)
    if (p->pending[i] != NOTHING &&
        (same_set ? p->pending[i] % L1_SETS == line % L1_SETS : p->pending[i] == line))
      return true;
  return false;
}

static uint32_t *free_entry(struct processor *p) {
  for (unsigned i = 0; i < PENDING; i++)
    if (p->pending[i] == NOTHING)
      return &p->pending[i];
  return NULL;
}

static bool hits(const struct processor *p) {
  uint32_t set = p->next.line % L1_SETS;
  return p->held[set] == p->next.line && p->state[set] >= (p->next.store ? OWNED : HELD);
}

/* Sends for the line of the next access. False: not now. */
static bool miss(struct machine *m, uint32_t tile) {
  struct processor *p = &m->processor[tile];
  uint32_t line = p->next.line;
  uint32_t *entry = free_entry(p);
  if (!entry || is_pending(p, line, true) || p->writing[line])
    return false;
  *entry = line;
  send(m, tile, l2_of(line), p->next.store ? GET_M : GET_S, line, p->cause);
  return true;
}

static void step_processor(struct machine *m, uint32_t tile) {
  struct processor *p = &m->processor[tile];
  if (!p->fetched) {
    if (!fetch(m, tile)) {
      m->active -= !p->finished;
      p->finished = true;
      return;
    }
    at(m, now(m) + 1 + loom_below(&p->random, m->program->compute), tile, NOTHING);
    return;
  }
  if (!hits(p) && (!miss(m, tile) || p->next.waits)) {
    p->stalled = true;
    return;
  }
  perform(m, p); /* a miss that it does not wait for counts as done */
  step_processor(m, tile);
}

static void wake(struct machine *m, uint32_t tile, uint32_t message) {
  struct processor *p = &m->processor[tile];
  if (!p->stalled)
    return;
  p->stalled = false;
  p->cause = message;
  step_processor(m, tile);
}

/* A line that comes may be held by others if it is for reading, and owned by nobody else. */
static bool is_coherent(const struct machine *m, uint32_t tile, uint32_t line) {
  enum state most = m->home[line].owner == tile ? INVALID : HELD;
  for (uint32_t other = 0; other < TILES; other++)
    if (other != tile && m->processor[other].held[line % L1_SETS] == line &&
        m->processor[other].state[line % L1_SETS] > most)
      return false;
  return true;
}

static void fill(struct machine *m, uint32_t tile, uint32_t line, uint32_t message) {
  struct processor *p = &m->processor[tile];
  uint32_t set = line % L1_SETS;
  if (p->held[set] != line && p->state[set] == OWNED) {
    p->writing[p->held[set]] = true;
    send(m, tile, l2_of(p->held[set]), PUT, p->held[set], message);
  }
  m->incoherent |= !is_coherent(m, tile, line);
  p->held[set] = line;
  p->state[set] = m->home[line].owner == tile ? OWNED : HELD;
  for (unsigned i = 0; i < PENDING; i++)
    if (p->pending[i] == line)
      p->pending[i] = NOTHING;
}

static void take_l1(struct machine *m, uint32_t tile, uint32_t message) {
  struct processor *p = &m->processor[tile];
  struct body b = m->body[message];
  bool held = p->held[b.line % L1_SETS] == b.line;
  if (b.kind == DATA)
    fill(m, tile, b.line, message);
  else if (b.kind == PUT_ACK)
    p->writing[b.line] = false;
  else {
    if (held && p->state[b.line % L1_SETS] != INVALID)
      p->state[b.line % L1_SETS] = b.kind == RECALL_S ? HELD : INVALID;
    send(m, tile, l2_of(b.line), b.kind == INVALIDATE ? INVALIDATE_ACK : RECALLED, b.line, message);
  }
  if (b.kind == DATA || b.kind == PUT_ACK)
    wake(m, tile, message);
}

/* ---- L2 and directory ------------------------------------------------------------------------ */

static void install(struct machine *m, uint32_t line, bool dirty, uint32_t message) {
  struct home *h = &m->home[line];
  for (uint32_t other = line % (L2_SETS * TILES); other < LINES && !h->here;
       other += L2_SETS * TILES) {
    struct home *o = &m->home[other];
    if (o->here && o->dirty)
      send(m, l2_of(other), memory_of(other), WRITE, other, message);
    o->here = o->dirty = false;
  }
  h->here = true;
  h->dirty = h->dirty || dirty;
}

static void invalidate(struct machine *m, struct home *h, uint32_t line, uint32_t but,
                       uint32_t message) {
  for (uint32_t tile = 0; tile < TILES; tile++)
    if (tile != but && h->sharers >> tile & 1) {
      h->acks++;
      send(m, l2_of(line), tile, INVALIDATE, line, message);
    }
  h->sharers &= 1u << but;
}

/* The next step of the request that is served; false: it goes on with a later message. */
static bool serve(struct machine *m, uint32_t line, uint32_t message) {
  struct home *h = &m->home[line];
  uint32_t tile = m->log->message[h->asked].from;
  bool store = m->body[h->asked].kind == GET_M;
  if (h->owner != NOTHING && h->owner != tile) {
    send(m, l2_of(line), h->owner, store ? RECALL_M : RECALL_S, line, message);
    return false;
  }
  if (store && (h->sharers & ~(1u << tile))) {
    invalidate(m, h, line, tile, message);
    return false;
  }
  if (!h->here) {
    send(m, l2_of(line), memory_of(line), READ, line, message);
    return false;
  }
  h->owner = store ? tile : NOTHING;
  h->sharers = store ? 0 : h->sharers | 1u << tile;
  send(m, l2_of(line), tile, DATA, line, message);
  return true;
}

/* Serves who waits, one after the other. */
static void go_on(struct machine *m, uint32_t line, uint32_t message) {
  struct home *h = &m->home[line];
  for (;;) {
    if (!h->busy) {
      if (h->first == NOTHING)
        return;
      h->asked = h->first;
      h->first = m->follows[h->asked];
      h->busy = true;
    }
    if (!serve(m, line, message))
      return;
    h->busy = false;
  }
}

static void take_request(struct machine *m, uint32_t line, uint32_t message) {
  struct home *h = &m->home[line];
  m->follows[message] = NOTHING;
  if (h->first == NOTHING)
    h->first = message;
  else
    m->follows[h->last] = message;
  h->last = message;
  if (!h->busy)
    go_on(m, line, message);
}

static void take_put(struct machine *m, uint32_t line, uint32_t message) {
  struct home *h = &m->home[line];
  uint32_t tile = m->log->message[message].from;
  if (!h->busy && h->owner == tile) {
    h->owner = NOTHING;
    install(m, line, true, message);
  }
  send(m, l2_of(line), tile, PUT_ACK, line, message);
}

static void take_l2(struct machine *m, uint32_t message) {
  struct body b = m->body[message];
  struct home *h = &m->home[b.line];
  switch (b.kind) {
  case GET_S:
  case GET_M:
    take_request(m, b.line, message);
    return;
  case PUT:
    take_put(m, b.line, message);
    return;
  case INVALIDATE_ACK:
    if (--h->acks)
      return;
    break;
  case RECALLED:
    h->sharers = m->body[h->asked].kind == GET_S ? 1u << m->log->message[message].from : 0;
    h->owner = NOTHING;
    install(m, b.line, true, message);
    break;
  default: /* READ_DATA */
    install(m, b.line, false, message);
  }
  go_on(m, b.line, message);
}

static void take_memory(struct machine *m, uint32_t message) {
  struct body b = m->body[message];
  struct sent s = m->log->message[message];
  if (b.kind == READ)
    send(m, s.to, s.from, READ_DATA, b.line, message);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void happen(struct machine *m, struct event e) {
  uint32_t tile = e.device % TILES;
  if (e.message == NOTHING)
    step_processor(m, tile);
  else if (e.device / TILES == L1)
    take_l1(m, tile, e.message);
  else if (e.device / TILES == L2)
    take_l2(m, e.message);
  else
    take_memory(m, e.message);
}

static bool run(struct machine *m) {
  struct loom_sim_counts c = loom_sim_counts(m->sim);
  while (!m->failed && !m->incoherent && (m->active || m->events || c.posted != c.received) &&
         now(m) < LIMIT) {
    while (m->events && m->heap[0].time <= now(m))
      happen(m, take(m));
    loom_sim_step(m->sim);
    c = loom_sim_counts(m->sim);
  }
  return !m->failed && !m->incoherent && now(m) < LIMIT;
}

static void begin(struct machine *m) {
  for (uint32_t tile = 0; tile < TILES; tile++) {
    struct processor *p = &m->processor[tile];
    p->random = loom_scramble(m->run->seed * TILES + tile);
    p->left = m->run->accesses;
    p->cause = NOTHING;
    memset(p->pending, 0xFF, sizeof p->pending);
    memset(p->held, 0xFF, sizeof p->held);
    at(m, 0, tile, NOTHING);
  }
  for (uint32_t line = 0; line < LINES; line++)
    m->home[line].owner = m->home[line].first = NOTHING;
  m->active = TILES;
}

static bool refuse(struct loom_refusal *why, int status, const char *text) {
  why->status = status;
  snprintf(why->text, sizeof why->text, "%s", text);
  return false;
}

bool machine_run(const struct run *r, struct log *log, struct loom_refusal *why) {
  const struct program *program = NULL;
  for (unsigned i = 0; i < PROGRAMS; i++)
    if (strcmp(programs[i].name, r->program) == 0)
      program = &programs[i];
  if (!program || loom_setup_hosts(r->setup) != TILES)
    return refuse(why, 2, program ? "the fabric has not 16 hosts" : "there is no such program");
  struct machine *m = calloc(1, sizeof *m);
  if (!m)
    return refuse(why, 1, "out of memory");
  m->run = r;
  m->program = program;
  m->log = log;
  m->sim = loom_sim_create(r->setup, r->seed, arrived, m, why);
  bool made = m->sim != NULL;
  bool ok = false;
  if (made) {
    begin(m);
    ok = run(m);
    if (!ok)
      refuse(why, 1,
             m->incoherent ? "two caches have a line that one may have" : "no end, or no memory");
  }
  loom_sim_destroy(m->sim);
  free(m->body);
  free(m->follows);
  free(m->heap);
  free(m);
  return ok;
}
