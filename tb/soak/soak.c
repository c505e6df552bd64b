/* SPDX-License-Identifier: Apache-2.0 */
/* soak.c - a three-stage tree of Elite5 routers under everything at once: puts, gets, messages,
 * events, broadcasts, conditionals; links that fail and return; wrong bits (docs/elan5.md; E5-14,
 * E5-25, E5-28, E5-37)
 *
 *     build/tb/soak/soak [--packets N] [--seed S] [--broadcasts B]
 *                    [--shadow CONFIG [--plant ROUTER:CYCLE:OUTPUT:BIT]]
 *
 * Runs until N packets were acknowledged, with at most B requests to groups under way, then lets
 * everything drain. Every put must be in memory, every completing operation must have had its
 * effect exactly once, and nothing may stay behind. With a CONFIG its circuit runs beside each
 * router, R0, R1, ... (docs/cosim.md). Progress goes to stderr. Exit status: 0 all holds, 1 not, 2
 * bad arguments.
 */
#include <errno.h>
#include <inttypes.h>
#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/elite5_fabric.h"
#include "tb/shadow/library.h"
#include "topo/generate.h"

enum {
  NODES = 64,
  DEPTH = 16,     /* transfers that a node keeps under way */
  WORD_AREA = 0,  /* small puts: 16 bytes by source and transfer */
  WORD_SLOT = 16, /* bytes */
  LONG_AREA = NODES * LOOM_ELAN5_OWN_TRANSFERS * WORD_SLOT, /* one long put by source */
  LONG_MAX = 3072,
  COMPARE_AT = LONG_AREA + NODES * LONG_MAX, /* a word that all share, then one that one has not */
  SOURCE_AREA = COMPARE_AT + 64,             /* what is sent and asked for */
  MEMORY = SOURCE_AREA + LONG_MAX + 4096,
  GROUPS = 16,
  EVENT = 1,
  PATIENCE = 400000, /* cycles without an ACK */
  LINK_LIFE = 1500,  /* cycles between failures, on average */
  LINK_DEATH = 2000, /* longest failure */
  DEAD_MAX = 8,
  LONG_RUN = 200000, /* packets in which everything happens */
  BROADCASTS = 64    /* many more than there are VCs for them on a link (E5-30) */
};
static const double ERRORS = 0.00002; /* wrong words */

enum kind { NOTHING, WORD, LONG, MESSAGE, COUNT, BROADCAST, SPREAD, GET, COMPARE };

/* What a transfer of a node should do. */
struct request {
  enum kind kind;
  uint16_t dest; /* node or group */
  uint32_t bytes;
  bool equal; /* a conditional that may succeed */
};

struct dead_link {
  uint32_t link;
  uint64_t until;
};

struct options {
  uint64_t seed, goal;
  uint64_t broadcasts; /* and group conditionals under way in the whole fabric, at most */
  const char *circuit; /* beside every router; NULL: none */
  const char *plant;   /* a difference that must be found; NULL: none */
};

struct soak {
  const struct options *o;
  struct loom_shadow *shadow; /* NULL: no circuits */
  struct loom_topo *topo;
  struct loom_elite5_fabric_cfg cfg;
  struct loom_elite5_fabric *e;
  struct loom_fabric *fabric;
  uint64_t seed;
  struct request request[NODES][LOOM_ELAN5_OWN_TRANSFERS];
  bool long_put[NODES]; /* one at a time */
  bool member[GROUPS][NODES];
  uint32_t size[GROUPS];
  uint64_t effects;           /* that `once` packets must have had */
  uint64_t events[NODES];     /* that must have been counted */
  uint64_t messages[NODES];   /* that must have come */
  uint64_t taken[NODES];      /* that came */
  uint64_t confirmed, failed; /* conditionals */
  uint32_t grouped;           /* requests to groups under way */
  struct dead_link dead[DEAD_MAX];
  uint32_t deaths, dead_now;
  uint64_t wrong; /* what did not hold */
};

static struct loom_elan5 *node(const struct soak *s, uint32_t n) { return s->e->node[n]; }

static uint32_t below(struct soak *s, uint32_t n) { return loom_below(&s->seed, n); }

static void complain(struct soak *s, const char *what, uint32_t n, uint32_t more) {
  if (s->wrong++ < 10)
    printf("cycle %" PRIu64 ": node %u: %s (%u)\n", loom_fabric_now(s->fabric), n, what, more);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Each node has a source area of its own, that never changes. */
static const uint8_t *source_of(const struct soak *s, uint32_t n) {
  return node(s, n)->memory + SOURCE_AREA;
}

static uint64_t word_at(uint32_t source, uint32_t transfer) {
  return WORD_AREA + ((uint64_t)source * LOOM_ELAN5_OWN_TRANSFERS + transfer) * WORD_SLOT;
}

/* 1..16 bytes that nobody has sent before. They are read from the sender's own slot. */
static uint32_t put_word(struct soak *s, uint32_t n, struct request *r) {
  struct loom_elan5 *e = node(s, n);
  uint32_t transfer = (uint32_t)__builtin_ctzll(~e->used);
  uint64_t at = word_at(n, transfer);
  r->bytes = 1 + below(s, WORD_SLOT);
  for (uint32_t i = 0; i < WORD_SLOT / LOOM_ELAN5_WORD; i++)
    loom_elan5_store(e->memory + at + i * LOOM_ELAN5_WORD, loom_random(&s->seed));
  s->effects++;
  return loom_elan5_put(e, (struct loom_elan5_target){.dest = r->dest, .prio = below(s, 8) == 0},
                        at, at, r->bytes);
}

/* Bulk packets may be replayed late, so a node always sends the same; the test clears the place. */
static uint32_t put_long(struct soak *s, uint32_t n, struct request *r) {
  r->bytes = 17 + below(s, LONG_MAX - 17);
  uint64_t at = LONG_AREA + (uint64_t)n * LONG_MAX;
  memset(node(s, r->dest)->memory + at, 0, LONG_MAX);
  s->long_put[n] = true;
  s->effects++;
  return loom_elan5_put(node(s, n), (struct loom_elan5_target){.dest = r->dest}, at, SOURCE_AREA,
                        r->bytes);
}

/* The same to a group. */
static uint32_t put_spread(struct soak *s, uint32_t n, struct request *r) {
  r->dest = (uint16_t)below(s, GROUPS);
  r->bytes = 17 + below(s, LONG_MAX - 17);
  uint64_t at = LONG_AREA + (uint64_t)n * LONG_MAX;
  for (uint32_t i = 0; i < NODES; i++)
    if (s->member[r->dest][i])
      memset(node(s, i)->memory + at, 0, LONG_MAX);
  s->long_put[n] = true;
  s->effects += s->size[r->dest];
  return loom_elan5_put(node(s, n), (struct loom_elan5_target){.dest = r->dest, .group = true}, at,
                        SOURCE_AREA, r->bytes);
}

static uint32_t send_message(struct soak *s, uint32_t n, struct request *r) {
  r->bytes = 1 + below(s, LOOM_ELAN5_MESSAGE);
  s->messages[r->dest]++;
  s->effects++;
  return loom_elan5_queue(node(s, n), (struct loom_elan5_target){.dest = r->dest}, SOURCE_AREA,
                          r->bytes);
}

static uint32_t count(struct soak *s, uint32_t n, const struct request *r) {
  s->events[r->dest]++;
  s->effects++;
  return loom_elan5_count(node(s, n), (struct loom_elan5_target){.dest = r->dest}, EVENT, 1);
}

static uint32_t broadcast(struct soak *s, uint32_t n, struct request *r) {
  r->dest = (uint16_t)below(s, GROUPS);
  for (uint32_t i = 0; i < NODES; i++)
    s->events[i] += s->member[r->dest][i];
  s->effects += s->size[r->dest];
  return loom_elan5_count(node(s, n), (struct loom_elan5_target){.dest = r->dest, .group = true},
                          EVENT, 1);
}

/* To the node's own slot, from the other's source. */
static uint32_t get(struct soak *s, uint32_t n, struct request *r) {
  uint32_t transfer = (uint32_t)__builtin_ctzll(~node(s, n)->used);
  r->bytes = 1 + below(s, WORD_SLOT);
  memset(node(s, n)->memory + word_at(n, transfer), 0, WORD_SLOT);
  s->effects += 2;
  return loom_elan5_get(node(s, n), (struct loom_elan5_target){.dest = r->dest}, SOURCE_AREA,
                        word_at(n, transfer), r->bytes);
}

/* Group 0 has all nodes; the second word differs at one of them. */
static uint32_t compare(struct soak *s, uint32_t n, struct request *r) {
  r->equal = below(s, 2);
  return loom_elan5_conditional(node(s, n), (struct loom_elan5_target){.dest = 0, .group = true},
                                COMPARE_AT + (r->equal ? 0 : LOOM_ELAN5_WORD), 1);
}

static enum kind choose(struct soak *s, uint32_t n) {
  uint32_t draw = below(s, 1000);
  if (draw < 700)
    return WORD;
  if (draw < 850)
    return COUNT;
  if (draw < 900)
    return MESSAGE;
  if (draw < 960)
    return GET;
  if (draw < 990)
    return s->long_put[n] ? WORD : LONG;
  if (s->grouped == s->o->broadcasts)
    return WORD;
  s->grouped++;
  if (draw < 992 && !s->long_put[n])
    return SPREAD;
  return draw < 996 ? BROADCAST : COMPARE;
}

static void begin(struct soak *s, uint32_t n) {
  struct request r = {.kind = choose(s, n), .dest = (uint16_t)below(s, NODES - 1)};
  r.dest = (uint16_t)(r.dest + (r.dest >= n));
  uint32_t transfer = r.kind == WORD        ? put_word(s, n, &r)
                      : r.kind == LONG      ? put_long(s, n, &r)
                      : r.kind == MESSAGE   ? send_message(s, n, &r)
                      : r.kind == COUNT     ? count(s, n, &r)
                      : r.kind == BROADCAST ? broadcast(s, n, &r)
                      : r.kind == SPREAD    ? put_spread(s, n, &r)
                      : r.kind == GET       ? get(s, n, &r)
                                            : compare(s, n, &r);
  s->request[n][transfer] = r;
}

static bool is_grouped(const struct request *r) {
  return r->kind == BROADCAST || r->kind == SPREAD || r->kind == COMPARE;
}

static void check_spread(struct soak *s, uint32_t n, const struct request *r) {
  uint64_t place = LONG_AREA + (uint64_t)n * LONG_MAX;
  for (uint32_t i = 0; i < NODES; i++)
    if (s->member[r->dest][i] && memcmp(node(s, i)->memory + place, source_of(s, n), r->bytes) != 0)
      complain(s, "a put to a group is not in memory", i, r->bytes);
}

/* A request has ended: what it should have done is done. */
static void check(struct soak *s, uint32_t n, uint32_t transfer, bool done) {
  const struct request *r = &s->request[n][transfer];
  const struct loom_elan5 *e = node(s, n), *far = is_grouped(r) ? e : node(s, r->dest);
  uint64_t slot = word_at(n, transfer), place = LONG_AREA + (uint64_t)n * LONG_MAX;
  if (!done && r->kind != COMPARE)
    complain(s, "a request failed", n, r->kind);
  if (r->kind == WORD && memcmp(far->memory + slot, e->memory + slot, r->bytes) != 0)
    complain(s, "a put is not in memory", n, r->bytes);
  if (r->kind == LONG && memcmp(far->memory + place, source_of(s, n), r->bytes) != 0)
    complain(s, "a long put is not in memory", n, r->bytes);
  if (r->kind == GET && memcmp(e->memory + slot, source_of(s, r->dest), r->bytes) != 0)
    complain(s, "a get has not brought its data", n, r->bytes);
  if (r->kind == COMPARE && done && !r->equal)
    complain(s, "a conditional is true", n, 0);
  if (r->kind == COMPARE)
    *(done ? &s->confirmed : &s->failed) += 1;
  if (r->kind == SPREAD)
    check_spread(s, n, r);
  if (r->kind == LONG || r->kind == SPREAD)
    s->long_put[n] = false;
  s->grouped -= is_grouped(r);
}

static void reap(struct soak *s, uint32_t n) {
  struct loom_elan5 *e = node(s, n);
  for (uint64_t left = e->finished; left; left &= left - 1) {
    uint32_t transfer = (uint32_t)__builtin_ctzll(left);
    check(s, n, transfer, loom_elan5_done(e, transfer) == LOOM_ELAN5_DONE);
  }
  struct loom_elan5_message m;
  while (e->messages && loom_elan5_take_message(e, &m)) {
    s->taken[n]++;
    if (memcmp(m.data, source_of(s, m.source), m.bytes) != 0)
      complain(s, "a message is wrong", n, m.source);
  }
}

/* ---- failures -------------------------------------------------------------------------------- */

static void break_links(struct soak *s) {
  for (uint32_t i = 0; i < s->dead_now; i++)
    if (s->dead[i].until == loom_fabric_now(s->fabric)) {
      loom_fabric_join(s->fabric, s->dead[i].link, true);
      s->dead[i--] = s->dead[--s->dead_now];
    }
  if (below(s, LINK_LIFE) || s->dead_now == DEAD_MAX)
    return;
  uint32_t link = below(s, s->e->links);
  if (!loom_fabric_is_joined(s->fabric, link))
    return;
  loom_fabric_join(s->fabric, link, false);
  s->dead[s->dead_now++] = (struct dead_link){
      .link = link, .until = loom_fabric_now(s->fabric) + 1 + below(s, LINK_DEATH)};
  s->deaths++;
}

static void mend_links(struct soak *s) {
  for (; s->dead_now; s->dead_now--)
    loom_fabric_join(s->fabric, s->dead[s->dead_now - 1].link, true);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void open_groups(struct soak *s) {
  for (uint32_t g = 0; g < GROUPS; g++) {
    for (uint32_t n = 0; n < NODES; n++) {
      s->member[g][n] = g == 0 || below(s, GROUPS) < g;
      s->size[g] += s->member[g][n];
    }
    loom_elite5_fabric_group(s->e, g, s->member[g], g & 1);
  }
}

static void fill_memories(struct soak *s) {
  for (uint32_t n = 0; n < NODES; n++) {
    for (uint32_t i = 0; i < LONG_MAX; i++)
      node(s, n)->memory[SOURCE_AREA + i] = (uint8_t)(1 + below(s, 255));
    loom_elan5_store(node(s, n)->memory + COMPARE_AT, 1);
    loom_elan5_store(node(s, n)->memory + COMPARE_AT + LOOM_ELAN5_WORD, n != 41);
  }
}

/* A circuit beside each router. */
static bool attach_circuit(void *context, struct loom_fabric *f, uint32_t router, uint32_t device) {
  const struct soak *s = context;
  char name[16], why[200];
  snprintf(name, sizeof name, "R%" PRIu32, router);
  const struct loom_shadow_switch twin = {.fabric = f,
                                          .device = device,
                                          .name = name,
                                          .device_class = &loom_elite5_router_class,
                                          .cfg = &s->cfg.router};
  if (s->shadow->attach(s->shadow->context, &twin, why, sizeof why))
    return true;
  fprintf(stderr, "%s: %s\n", name, why);
  return false;
}

static bool open_soak(struct soak *s) {
  const struct loom_topo_tree_cfg shape = {.k = 4, .n = 3, .trunk = 1};
  struct loom_elite5_fabric_cfg *cfg = &s->cfg;
  s->topo = loom_topo_tree_make(&shape);
  if (!s->topo)
    return false;
  loom_elite5_fabric_defaults(cfg, s->topo);
  cfg->groups = GROUPS;
  cfg->latency = cfg->host_latency = 2;
  cfg->seed = s->seed;
  cfg->endpoint.memory = MEMORY;
  cfg->added = s->shadow ? attach_circuit : NULL;
  cfg->context = s;
  s->e = loom_elite5_fabric_fit(cfg) ? loom_elite5_fabric_create(cfg) : NULL;
  if (!s->e)
    return false;
  s->fabric = s->e->fabric;
  for (uint32_t r = 0; r < s->e->routers; r++) {
    loom_elite5_fabric_write(s->e, r, LOOM_ELITE5_REG_CONTROL, r % 3);
    /* Errors are not to remove links for good. */
    loom_elite5_fabric_write(s->e, r, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 0xFFFF);
    loom_elite5_fabric_write(s->e, r, LOOM_ELITE5_REG_LIMIT_SINGLE, 0xFFFF);
  }
  open_groups(s);
  fill_memories(s);
  loom_elite5_fabric_flush(s->e);
  for (uint32_t link = 0; link < s->e->links; link++)
    loom_fabric_errors(s->fabric, link, ERRORS);
  return true;
}

static uint64_t total(const struct soak *s, size_t counter_at) {
  uint64_t sum = 0;
  for (uint32_t n = 0; n < NODES; n++)
    sum += *(const uint64_t *)((const char *)&node(s, n)->counters + counter_at);
  return sum;
}
#define TOTAL(s, name) total(s, offsetof(struct loom_elan5_counters, name))

static void step(struct soak *s, bool more) {
  for (uint32_t n = 0; n < NODES; n++) {
    struct loom_elan5 *e = node(s, n);
    if (e->finished | e->messages)
      reap(s, n);
    if (more && __builtin_popcountll(e->used & ((1ull << LOOM_ELAN5_OWN_TRANSFERS) - 1)) < DEPTH)
      begin(s, n);
  }
  loom_fabric_step(s->fabric);
}

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show_progress(const struct soak *s, uint64_t packets, double since) {
  fprintf(stderr, "%" PRIu64 " packets, %" PRIu64 " cycles, %u links failed, %.0f packets/s\n",
          packets, loom_fabric_now(s->fabric), s->deaths, (double)packets / (seconds() - since));
}

/* Until the goal, then until nothing is under way; false if it is stuck. */
static bool run(struct soak *s) {
  double since = seconds(), shown = since;
  uint64_t last = 0, moved = loom_fabric_now(s->fabric);
  bool more = true;
  while (more || !loom_elite5_fabric_idle(s->e)) {
    if (more)
      break_links(s);
    step(s, more);
    if (loom_fabric_now(s->fabric) % 1024)
      continue;
    uint64_t packets = TOTAL(s, acks);
    if (packets != last)
      moved = loom_fabric_now(s->fabric);
    last = packets;
    if (loom_fabric_now(s->fabric) - moved > PATIENCE)
      complain(s, "nothing moves", 0, (uint32_t)packets);
    if (s->wrong || (s->shadow && s->shadow->stopped(s->shadow->context)))
      return false;
    if (more && packets >= s->o->goal) {
      more = false;
      mend_links(s);
    }
    if (seconds() - shown > 10) {
      shown = seconds();
      show_progress(s, packets, since);
    }
  }
  for (uint32_t n = 0; n < NODES; n++)
    reap(s, n);
  show_progress(s, TOTAL(s, acks), since);
  return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void expect(struct soak *s, const char *what, uint64_t found, uint64_t expected) {
  bool good = found == expected;
  printf("%s %s: %" PRIu64, good ? "PASS" : "FAIL", what, found);
  if (!good)
    printf(", expected %" PRIu64, expected);
  printf("\n");
  s->wrong += !good;
}

static uint64_t wrong_words(const struct soak *s) { return loom_fabric_counts(s->fabric).spoilt; }

/* What goes wrong on purpose did go wrong: else nothing is shown by what came right. */
static void expect_some(struct soak *s, const char *what, uint64_t found) {
  if (found || s->o->goal < LONG_RUN)
    return;
  printf("FAIL %s: none\n", what);
  s->wrong++;
}

/* VCs that routers still have in use: input and output side. */
static uint64_t left_behind(const struct soak *s) {
  uint64_t masks = 0;
  for (uint32_t r = 0; r < s->e->routers; r++)
    for (uint32_t lane = 0; lane < s->e->cfg.router.LINKS; lane++) {
      uint32_t a = loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_ALLOCATED);
      masks += loom_elite5_fabric_read(s->e, r, a) != 0;
      a = loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_NOT_IDLE);
      masks += loom_elite5_fabric_read(s->e, r, a) != 0;
    }
  return masks;
}

static void judge(struct soak *s) {
  uint64_t events = 0, counted = 0, messages = 0, taken = 0;
  for (uint32_t n = 0; n < NODES; n++) {
    if (node(s, n)->event[EVENT].count != s->events[n])
      complain(s, "events were lost or counted twice", n, (uint32_t)s->events[n]);
    if (s->taken[n] != s->messages[n])
      complain(s, "messages were lost or came twice", n, (uint32_t)s->messages[n]);
    events += s->events[n];
    counted += node(s, n)->event[EVENT].count;
    messages += s->messages[n];
    taken += s->taken[n];
  }
  expect(s, "events counted", counted, events);
  expect(s, "messages received", taken, messages);
  expect(s, "effects of completing operations", TOTAL(s, effects), s->effects);
  expect(s, "replies, and packets that lost their link",
         TOTAL(s, acks) + TOTAL(s, nacks) + TOTAL(s, lost), TOTAL(s, begun));
  expect(s, "replies that nobody waited for", TOTAL(s, reply_errors), 0);
  expect(s, "VCs left in use", left_behind(s), 0);
  expect_some(s, "packets lost with a link", TOTAL(s, lost));
  expect_some(s, "wrong words", wrong_words(s));
  expect_some(s, "duplicates kept out", TOTAL(s, duplicates));
  if (s->o->broadcasts) {
    expect_some(s, "conditionals true", s->confirmed);
    expect_some(s, "conditionals not true", s->failed);
  }
  printf("%" PRIu64 " packets sent, %" PRIu64 " ACKs, %" PRIu64 " NACKs, %" PRIu64
         " lost with a link, %" PRIu64 " duplicates kept out, %" PRIu64
         " damaged at the end, %" PRIu64 " + %" PRIu64
         " conditionals true and not, %u links failed, %" PRIu64 " cycles\n",
         TOTAL(s, begun), TOTAL(s, acks), TOTAL(s, nacks), TOTAL(s, lost), TOTAL(s, duplicates),
         TOTAL(s, bad), s->confirmed, s->failed, s->deaths, loom_fabric_now(s->fabric));
}

static bool read_number(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool read_options(struct options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i += 2) {
    const char **text = strcmp(argv[i], "--shadow") == 0  ? &o->circuit
                        : strcmp(argv[i], "--plant") == 0 ? &o->plant
                                                          : NULL;
    uint64_t *value = strcmp(argv[i], "--packets") == 0      ? &o->goal
                      : strcmp(argv[i], "--seed") == 0       ? &o->seed
                      : strcmp(argv[i], "--broadcasts") == 0 ? &o->broadcasts
                                                             : NULL;
    if (text && i + 1 < argc) {
      *text = argv[i + 1];
    } else if (!value || i + 1 == argc || !read_number(argv[i + 1], value)) {
      fprintf(stderr,
              "soak: %s: --packets N, --seed S, --broadcasts B, --shadow CONFIG, "
              "--plant ROUTER:CYCLE:OUTPUT:BIT\n",
              argv[i]);
      return false;
    }
  }
  return true;
}

/* What the circuits have seen; true: no difference. */
static bool ask_circuits(const struct soak *s, enum loom_shadow_verdict *verdict) {
  char text[2000];
  uint64_t compared;
  *verdict = s->shadow->finish(s->shadow->context, &compared, text, sizeof text);
  if (*verdict == LOOM_SHADOW_SAME)
    printf("%" PRIu64 " cycles of %u circuits beside their twins, 0 differences\n", compared,
           s->e->routers);
  else if (*verdict == LOOM_SHADOW_DIFFERS)
    printf("%s\n", text);
  return *verdict == LOOM_SHADOW_SAME;
}

/* One run, true: all holds. Without circuits `shadow` is NULL and *verdict stays. */
static bool soak(const struct options *o, struct loom_shadow *shadow,
                 enum loom_shadow_verdict *verdict) {
  struct soak *s = calloc(1, sizeof *s);
  if (!s)
    return false;
  s->o = o;
  s->seed = o->seed;
  s->shadow = shadow;
  bool good = open_soak(s) && run(s);
  if (good)
    judge(s);
  good = good && !s->wrong;
  if (s->e && shadow)
    good &= ask_circuits(s, verdict);
  loom_elite5_fabric_destroy(s->e);
  loom_topo_destroy(s->topo);
  free(s);
  return good;
}

/* The same, with the circuits of `o`; a difference is looked at in a second run. */
static bool soak_beside(const struct options *o) {
  const struct loom_shadow_cfg cfg = {
      .folder = "build", .fabric = "soak", .config = o->circuit, .plant = o->plant};
  enum loom_shadow_verdict verdict;
  struct loom_shadow shadow;
  char why[200];
  if (!loom_shadow_library.open(&shadow, &cfg, why, sizeof why)) {
    fprintf(stderr, "soak: %s\n", why);
    return false;
  }
  bool good;
  do {
    verdict = LOOM_SHADOW_SAME;
    good = soak(o, &shadow, &verdict);
  } while (verdict == LOOM_SHADOW_AGAIN);
  loom_shadow_library.close(&shadow);
  return good;
}

int main(int argc, char **argv) {
  struct options o = {.goal = 200000, .seed = 1, .broadcasts = BROADCASTS};
  enum loom_shadow_verdict none;
  if (!read_options(&o, argc, argv))
    return 2;
  bool good = o.circuit ? soak_beside(&o) : soak(&o, NULL, &none);
  printf("%s soak-elite5\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
