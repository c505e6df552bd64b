/* Offers, phases and metrics against model networks whose times have a closed form; confidence
 * intervals against known numbers; the published trace (OP-22, TR-02, TR-03, VF-07, GV-4, KN-09).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/experiment.h"
#include "traffic/offers.h"
#include "traffic/summary.h"

#define NANO UINT64_C(1000000000)

/* ---- a model network ------------------------------------------------------------------------- */

struct flying {
  struct loom_message message;
  uint64_t arrival;
};

/* A message posted in cycle c is injected in c + wait and arrives in c + latency + class * more. */
struct model {
  uint32_t hosts, latency, more, wait;
  uint64_t serve;      /* at least so many cycles between two arrivals; 0: any number at once */
  uint64_t stuck;      /* cycle from which on nothing moves; 0: never */
  uint64_t lose;       /* each message of so many vanishes; 0: none */
  uint64_t slow, late; /* before cycle `slow`, messages take `late` more */
  uint64_t damage;     /* each of so many arrives damaged; 0: none */
  uint64_t refuse;     /* post that is refused, 1..; 0: none */
  bool reverse;        /* what arrives in a cycle is delivered in reverse order */

  struct loom_experiment *experiment;
  uint64_t now, moved, free;
  uint64_t posts, room, steps; /* posts: in `log`, which has room for `room` */
  struct loom_message *log;
  uint64_t count, places; /* under way, in `flying`, which has room for `places` */
  struct flying *flying;
};

static bool model_post(void *context, uint32_t host, const struct loom_message *message) {
  struct model *m = context;
  assert_int_equal(message->src, host);
  assert_true(host < m->hosts && message->dst < m->hosts && message->dst != host);
  assert_int_equal(message->generated, m->now);
  if (m->posts + 1 == m->refuse)
    return false;
  if (m->posts == m->room)
    m->log = realloc(m->log, (m->room = 2 * m->room + 64) * sizeof *m->log);
  if (m->count == m->places)
    m->flying = realloc(m->flying, (m->places = 2 * m->places + 64) * sizeof *m->flying);
  assert_non_null(m->log);
  assert_non_null(m->flying);
  m->log[m->posts++] = *message;
  if (m->lose && m->posts % m->lose == 0)
    return true;
  uint64_t arrival = m->now + m->latency + (uint64_t)message->class * m->more;
  arrival += m->now < m->slow ? m->late : 0;
  if (m->serve) {
    arrival = arrival > m->free ? arrival : m->free;
    m->free = arrival + m->serve;
  }
  m->flying[m->count] = (struct flying){*message, arrival};
  m->flying[m->count++].message.injected = m->now + m->wait;
  return true;
}

/* Takes what arrives now out of `flying`; how many there are. */
static uint64_t arrivals(struct model *m, struct loom_message *batch) {
  uint64_t n = 0;
  uint64_t kept = 0;
  for (uint64_t i = 0; i < m->count; i++)
    if (m->flying[i].arrival == m->now)
      batch[n++] = m->flying[i].message;
    else
      m->flying[kept++] = m->flying[i];
  m->count = kept;
  return n;
}

static void model_step(void *context) {
  struct model *m = context;
  bool moves = false;
  for (uint64_t i = 0; i < m->count; i++)
    moves |= m->flying[i].message.injected <= m->now;
  m->steps++;
  if (moves && !(m->stuck && m->now >= m->stuck)) {
    struct loom_message *batch = calloc(m->count, sizeof *batch);
    uint64_t n = arrivals(m, batch);
    m->moved = m->now;
    for (uint64_t i = 0; i < n; i++) {
      struct loom_message *message = &batch[m->reverse ? n - 1 - i : i];
      message->received = m->now;
      loom_experiment_receive(m->experiment, message,
                              m->damage && message->generated % m->damage == 0);
    }
    free(batch);
  }
  m->now++;
}

static bool model_quiet(void *context) { return !((struct model *)context)->count; }

static void model_advance(void *context, uint64_t cycle) {
  struct model *m = context;
  assert_true(!m->count && cycle > m->now);
  m->now = cycle;
}

static uint64_t model_last(void *context) { return ((struct model *)context)->moved; }

static void model_free(struct model *m) {
  loom_experiment_destroy(m->experiment);
  free(m->log);
  free(m->flying);
}

static const struct loom_experiment_result *run(struct model *m,
                                                const struct loom_experiment_cfg *cfg) {
  const struct loom_network network = {.context = m,
                                       .hosts = m->hosts,
                                       .post = model_post,
                                       .step = model_step,
                                       .quiet = model_quiet,
                                       .advance = model_advance,
                                       .last_flit = model_last};
  m->experiment = loom_experiment_create(cfg, &network);
  assert_non_null(m->experiment);
  const struct loom_experiment_result *r = loom_experiment_run(m->experiment, NULL, NULL);
  assert_int_equal(r->cycles, m->now);
  assert_int_equal(r->posted, m->posts);
  return r;
}

static struct loom_offer_cfg offer_of(uint32_t hosts, enum loom_process process, uint32_t flits,
                                      uint64_t load) {
  return (struct loom_offer_cfg){.pattern = {.kind = LOOM_PATTERN_UNIFORM, .hosts = hosts},
                                 .process = process,
                                 .flits = flits,
                                 .burst = 1,
                                 .load = load};
}

static struct loom_experiment_cfg cfg_of(const struct loom_offer_cfg *offer, uint32_t offers) {
  return (struct loom_experiment_cfg){
      .classes = 2, .measure = 10000, .drain = 10000, .seed = 1, .offers = offers, .offer = offer};
}

/* ---- when messages are offered (TR-02, TR-03) ------------------------------------------------ */

static struct loom_offers *offers_of(const struct loom_offer_cfg *offer, uint32_t hosts,
                                     uint64_t seed) {
  assert_null(loom_offer_bad(offer, 1, hosts));
  struct loom_offers *o = loom_offers_create(offer, 1, hosts, seed);
  assert_non_null(o);
  return o;
}

/* Message i of a host at floor((phase + i * interval) / load): t * load - i * interval, which then
 * lies in phase - load + 1 .. phase, never strays further than load - 1. The first gap. */
static uint64_t check_spacing(uint32_t flits, uint64_t load, uint32_t messages, uint64_t seed) {
  struct loom_offer_cfg c = offer_of(2, LOOM_PROCESS_CBR, flits, load);
  c.pattern = (struct loom_pattern_cfg){.kind = LOOM_PATTERN_PAIRS, .hosts = 2};
  struct loom_offers *o = offers_of(&c, 2, seed);
  uint64_t first = loom_offers_when(o);
  uint64_t gap = 0;
  int64_t low = INT64_MAX;
  int64_t high = INT64_MIN;
  for (uint64_t i = 0; i < messages; i++) {
    struct loom_offered due;
    uint64_t at = loom_offers_when(o);
    int64_t off = (int64_t)(at * load - i * flits * NANO); /* true also if both wrap around */
    assert_true(i || at <= flits * NANO / load);
    low = off < low ? off : low;
    high = off > high ? off : high;
    assert_false(at && loom_offers_next(o, at - 1, &due));
    assert_true(loom_offers_next(o, at, &due));
    assert_int_equal(due.messages, 1);
    gap = i == 1 ? at - first : gap;
  }
  assert_true(high - low < (int64_t)load);
  assert_true(high >= 0 && high < (int64_t)(flits * NANO));
  loom_offers_destroy(o);
  return gap;
}

static void test_cbr_never_drifts(void **state) {
  (void)state;
  check_spacing(16, 100000000, 1000, 3);
  check_spacing(17, 333333333, 100000, 3);
  check_spacing(2, NANO, 100000, 3);
  check_spacing(1000003, 999999937, 2000, 3); /* 2 * 10^9 cycles */
  check_spacing(2, 7, 100, 3);                /* 2.9 * 10^10 cycles */
  check_spacing(129, 1, 2, 3);
  /* The phase is a fraction, too: the first of three gaps is not always the short one. */
  uint32_t short_gaps = 0;
  for (uint64_t seed = 0; seed < 60; seed++)
    short_gaps += check_spacing(2, 3, 7, seed) == 666666666;
  assert_in_range(short_gaps, 8, 35);
}

static uint32_t log_of(const struct model *m, uint32_t host, uint64_t from, uint64_t to) {
  uint32_t count = 0;
  for (uint64_t i = 0; i < m->posts; i++)
    count += m->log[i].src == host && m->log[i].generated >= from && m->log[i].generated < to;
  return count;
}

/* In any number of cycles a host sends load * cycles / flits messages, to less than one. */
static void test_cbr_rate(void **state) {
  (void)state;
  static const uint64_t loads[] = {1000000000, 333000000, 100000000, 1234567};
  for (unsigned i = 0; i < 4; i++) {
    struct model m = {.hosts = 8, .latency = 3};
    struct loom_offer_cfg o = offer_of(8, LOOM_PROCESS_CBR, 17, loads[i]);
    struct loom_experiment_cfg c = cfg_of(&o, 1);
    c.warmup = 777;
    c.measure = 34567;
    const struct loom_experiment_result *r = run(&m, &c);
    uint64_t sent = 0;
    for (uint32_t h = 0; h < 8; h++) {
      uint64_t n = log_of(&m, h, 777, 777 + 34567);
      uint64_t exact = 34567 * loads[i]; /* in parts of 10^9 flits */
      sent += n * 17;
      assert_true(n * 17 * NANO < exact + 17 * NANO && exact < (n + 1) * 17 * NANO);
    }
    assert_int_equal(r->metrics[0].offered, sent);
    assert_int_equal(r->metrics[2].offered, sent);
    assert_int_equal(r->metrics[1].offered, 0);
    model_free(&m);
  }
}

/* Chi-square of `bins` counts that should be equal: within 5 sigma. */
static void check_even(const uint32_t *count, uint32_t bins, double want) {
  double chi = 0;
  for (uint32_t i = 0; i < bins; i++)
    chi += (count[i] - want) * (count[i] - want) / want;
  double off = chi - (bins - 1);
  if (off * off > 50.0 * (bins - 1))
    fail_msg("chi-square %f with %u bins", chi, bins);
}

/* Phases are uniform over the interval, of their own for each host, offer and seed. */
static void test_phases(void **state) {
  (void)state;
  enum { HOSTS = 4096 };                                                         /* 16 * 256 */
  struct loom_offer_cfg o[2] = {offer_of(HOSTS, LOOM_PROCESS_CBR, 10, 6250000)}; /* 1600 cycles */
  o[1] = o[0];
  struct loom_offers *both = loom_offers_create(o, 2, HOSTS, 1);
  uint32_t bin[2][16] = {{0}};
  static uint64_t first[2][HOSTS];
  uint32_t same = 0;
  struct loom_offered due = {0};
  for (uint32_t i = 0; i < 2 * HOSTS; i++) {
    uint64_t at = loom_offers_when(both);
    assert_true(at < 1600);
    assert_true(loom_offers_next(both, at, &due));
    first[due.offer][due.host] = at;
    bin[due.offer][at / 100]++;
  }
  for (uint32_t h = 0; h < HOSTS; h++)
    same += first[0][h] == first[1][h];
  assert_true(same < 20);
  check_even(bin[0], 16, 256);
  check_even(bin[1], 16, 256);
  loom_offers_destroy(both);
  /* The first offer alone does what it did beside the second; another seed does not. */
  same = 0;
  for (uint64_t seed = 1; seed < 3; seed++) {
    struct loom_offers *alone = offers_of(o, HOSTS, seed);
    for (uint32_t i = 0; i < HOSTS; i++) {
      uint64_t at = loom_offers_when(alone);
      assert_true(loom_offers_next(alone, at, &due));
      same += first[0][due.host] == at;
    }
    assert_in_range(same, HOSTS, HOSTS + 20);
    loom_offers_destroy(alone);
  }
}

/* What is due comes by cycle, then by host, then by offer. */
static void test_heap_order(void **state) {
  (void)state;
  struct loom_offer_cfg o[3];
  uint64_t last = 0;
  for (unsigned i = 0; i < 3; i++)
    o[i] = offer_of(20, i == 1 ? LOOM_PROCESS_POISSON : LOOM_PROCESS_CBR, 4, (i + 1) * 100000000);
  struct loom_offers *all = loom_offers_create(o, 3, 20, 1);
  for (uint64_t now = 0; now < 5000; now++) {
    struct loom_offered due;
    uint64_t rank = 0;
    while (loom_offers_next(all, now, &due)) {
      uint64_t next = (uint64_t)due.host * 3 + due.offer + 1;
      assert_true(next > rank);
      rank = next;
      last++;
    }
    assert_true(loom_offers_when(all) > now);
  }
  assert_in_range(last, 14000, 16000); /* 20 * 5000 * 0.6 / 4 */
  loom_offers_destroy(all);
}

/* Gaps are geometric: chance 1/8 in each cycle, whatever came before. */
static void test_poisson(void **state) {
  (void)state;
  enum { DRAWS = 80000, BINS = 40 };
  struct loom_offer_cfg c = offer_of(2, LOOM_PROCESS_POISSON, 4, 500000000);
  c.pattern = (struct loom_pattern_cfg){.kind = LOOM_PATTERN_PAIRS, .hosts = 2};
  struct loom_offers *o = offers_of(&c, 2, 1);
  uint32_t gap[BINS] = {0};
  double want = DRAWS / 8.0;
  double chi = 0;
  uint64_t last = loom_offers_when(o);
  struct loom_offered due;
  for (uint32_t i = 0; i < DRAWS; i++) {
    assert_true(loom_offers_next(o, last, &due));
    uint64_t at = loom_offers_when(o);
    assert_true(at > last);
    gap[at - last < BINS ? at - last - 1 : BINS - 1]++;
    last = at;
  }
  for (uint32_t i = 0; i < BINS - 1; i++, want *= 7.0 / 8)
    chi += (gap[i] - want) * (gap[i] - want) / want;
  chi += (gap[BINS - 1] - want * 8) * (gap[BINS - 1] - want * 8) / (want * 8);
  assert_true(chi > 10 && chi < 85); /* 39 degrees of freedom */
  loom_offers_destroy(o);
}

/* The mean gap of very different chances, the first one, and the largest chance there is. */
static void test_poisson_mean(void **state) {
  (void)state;
  static const uint64_t loads[] = {NANO, 999999999, 10000000, 1000, 1};
  for (unsigned i = 0; i < 5; i++) {
    enum { HOSTS = 20000 };
    struct loom_offer_cfg c = offer_of(HOSTS, LOOM_PROCESS_POISSON, 2, loads[i]);
    c.messages = 1;
    struct loom_offers *o = offers_of(&c, HOSTS, 5);
    double mean = (double)(2 * NANO) / (double)loads[i];
    double sum = 0;
    struct loom_offered due;
    for (uint64_t at; (at = loom_offers_when(o)) != LOOM_OFFERS_NEVER;) {
      assert_true(loom_offers_next(o, at, &due));
      sum += (double)at + 1;
    }
    sum /= HOSTS * mean;
    assert_true(sum > 0.97 && sum < 1.03);
    loom_offers_destroy(o);
  }
}

/* Each burst is exactly 4 messages of one host to one destination in one cycle, and bursts keep the
 * load (TR-03). */
static void test_bursts(void **state) {
  (void)state;
  struct model m = {.hosts = 8, .latency = 3};
  struct loom_offer_cfg o = offer_of(8, LOOM_PROCESS_BURSTS, 16, 400000000);
  o.burst = 4;
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  run(&m, &c);
  uint32_t bursts[5] = {0};
  uint32_t to[8] = {0};
  for (uint64_t i = 0, j; i < m.posts; i = j) {
    const struct loom_message *a = &m.log[i];
    for (j = i; j < m.posts && m.log[j].src == a->src && m.log[j].generated == a->generated; j++)
      assert_int_equal(m.log[j].dst, a->dst);
    assert_true(j - i <= 4);
    bursts[j - i]++;
    to[a->dst] += 1;
  }
  for (unsigned i = 1; i < 4; i++)
    assert_int_equal(bursts[i], 0);
  assert_in_range(bursts[4], 8 * 62, 8 * 63); /* an interval is 160 cycles */
  assert_int_equal(m.posts, 4 * bursts[4]);
  for (uint32_t h = 0; h < 8; h++)
    assert_in_range(to[h], 30, 100);
  model_free(&m);
}

/* `messages` of each host in all; the last burst is cut short. */
static void test_messages(void **state) {
  (void)state;
  for (enum loom_process process = 0; process < LOOM_PROCESS_PING_PONG; process++) {
    struct model m = {.hosts = 4, .latency = 3};
    struct loom_offer_cfg o = offer_of(4, process, 8, 400000000);
    o.burst = 4;
    o.messages = 10;
    struct loom_experiment_cfg c = cfg_of(&o, 1);
    const struct loom_experiment_result *r = run(&m, &c);
    for (uint32_t h = 0; h < 4; h++)
      assert_int_equal(log_of(&m, h, 0, UINT64_MAX), 10);
    assert_int_equal(r->metrics[0].messages, 40);
    assert_int_equal(r->cycles, 10000); /* nothing left to do: skipped, but measured */
    assert_true(m.steps < 1000);
    assert_int_equal(r->last, m.log[39].generated + 3);
    model_free(&m);
  }
}

/* No load, or a pattern that lets nobody send. */
static void test_silence(void **state) {
  (void)state;
  struct model m = {.hosts = 2, .latency = 3};
  struct loom_offer_cfg o[2] = {offer_of(2, LOOM_PROCESS_POISSON, 2, 0),
                                offer_of(2, LOOM_PROCESS_CBR, 2, NANO)};
  o[1].pattern.kind = LOOM_PATTERN_REVERSAL;
  struct loom_experiment_cfg c = cfg_of(o, 2);
  c.measure = UINT64_C(1) << 60;
  const struct loom_experiment_result *r = run(&m, &c);
  assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
  assert_int_equal(r->posted, 0);
  assert_int_equal(r->cycles, c.measure);
  assert_true(m.steps <= 1);
  model_free(&m);
}

/* ---- what is measured (OP-22) ---------------------------------------------------------------- */

/* Messages that were generated in these cycles. */
static uint64_t generated(const struct model *m, uint32_t class, uint64_t from, uint64_t to) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < m->posts; i++)
    n += m->log[i].class == class && m->log[i].generated >= from && m->log[i].generated < to;
  return n;
}

static void check_constant(const struct loom_latency *l, uint64_t count, uint64_t cycles) {
  assert_int_equal(l->count, count);
  assert_int_equal(l->sum, count * cycles);
  assert_int_equal(l->min, cycles);
  assert_int_equal(l->max, cycles);
  assert_true(l->squares == (double)(count * cycles * cycles));
  assert_int_equal(l->bin[loom_latency_bin(cycles)], count);
  assert_int_equal(loom_latency_quantile(l, 0.5), cycles);
}

/* Over a network of fixed latencies: throughput is what was generated that much earlier. */
static void test_ideal(void **state) {
  (void)state;
  struct model m = {.hosts = 8, .latency = 37, .more = 20, .wait = 5};
  struct loom_offer_cfg o[2] = {offer_of(8, LOOM_PROCESS_CBR, 16, 300000000),
                                offer_of(8, LOOM_PROCESS_POISSON, 9, 200000000)};
  o[1].class = 1;
  struct loom_experiment_cfg c = cfg_of(o, 2);
  c.warmup = 1000;
  const struct loom_experiment_result *r = run(&m, &c);
  assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
  assert_true(r->complete);
  assert_int_equal(r->measured, 10000);
  assert_int_equal(r->received, r->posted);
  assert_int_equal(r->damaged, 0);
  assert_in_range(r->cycles, 11000, 11058);
  uint64_t all[2] = {0, 0};
  for (uint32_t class = 0; class < 2; class ++) {
    const struct loom_metrics *x = &r->metrics[class];
    uint64_t latency = 37 + 20 * class;
    uint64_t n = generated(&m, class, 1000 - latency, 11000 - latency);
    assert_int_equal(x->messages, n);
    assert_int_equal(x->flits, n * o[class].flits);
    assert_int_equal(x->offered, generated(&m, class, 1000, 11000) * o[class].flits);
    check_constant(&x->total, n, latency);
    check_constant(&x->net, n, latency - 5);
    all[0] += n;
    all[1] += n * latency;
    double load = loom_throughput(x->flits, r->measured, 8);
    assert_true(load > (class ? 0.185 : 0.298) && load < (class ? 0.215 : 0.302));
  }
  assert_int_equal(r->metrics[2].messages, all[0]);
  assert_int_equal(r->metrics[2].flits, r->metrics[0].flits + r->metrics[1].flits);
  assert_int_equal(r->metrics[2].offered, r->metrics[0].offered + r->metrics[1].offered);
  assert_int_equal(r->metrics[2].total.count, all[0]);
  assert_int_equal(r->metrics[2].total.sum, all[1]);
  assert_int_equal(r->metrics[2].net.count, all[0]);
  assert_int_equal(r->metrics[2].net.sum, all[1] - 5 * all[0]);
  assert_int_equal(r->metrics[2].total.min, 37);
  assert_int_equal(r->metrics[2].total.max, 57);
  assert_int_equal(generated(&m, 0, 11000, UINT64_MAX), 0); /* nothing is posted in the drain */
  model_free(&m);
}

/* A server of one message in 10 cycles, offered more: it is never idle. */
static void test_bottleneck(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct model m = {.hosts = 4, .latency = 20, .serve = 10};
    struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_CBR, 8, 250000000); /* 8 messages in 64 */
    struct loom_experiment_cfg c = cfg_of(&o, 1);
    c.warmup = 500;
    c.drain = i ? 5000 : 100;
    const struct loom_experiment_result *r = run(&m, &c);
    assert_int_equal(r->measured, 10000);
    assert_int_equal(r->metrics[0].messages, 1000);
    assert_true(loom_throughput(r->metrics[0].flits, r->measured, 4) == 0.2);
    assert_true(r->metrics[0].total.max > 2000);
    assert_true(r->complete);
    if (i) {
      assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
      assert_int_equal(r->received, r->posted);
      assert_int_equal(r->cycles, m.free - 10 + 1); /* the cycle after the last arrival */
      assert_int_equal(r->last, m.free - 10);
    } else {
      assert_int_equal(r->outcome, LOOM_OUTCOME_BUSY);
      assert_int_equal(r->cycles, 10600);
      assert_int_equal(r->posted - r->received, m.count);
    }
    model_free(&m);
  }
}

/* Below saturation a server that takes S cycles, fed in each cycle with chance p: the mean wait is
 * that of Geo/D/1, p S (S - 1) / (2 (1 - p S)). */
static void test_queue(void **state) {
  (void)state;
  struct model m = {.hosts = 2, .latency = 20, .serve = 10};
  struct loom_offer_cfg o = offer_of(2, LOOM_PROCESS_POISSON, 2, 140000000); /* p = 0.07 */
  o.pattern.kind = LOOM_PATTERN_PAIRS;
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  c.warmup = 10000;
  c.measure = 3000000;
  const struct loom_experiment_result *r = run(&m, &c);
  double wait = loom_latency_mean(&r->metrics[0].total) - 20;
  double want = 0.07 * 10 * 9 / (2 * (1 - 0.7));
  if (wait < 0.96 * want || wait > 1.04 * want)
    fail_msg("waits %f instead of %f", wait, want);
  model_free(&m);
}

/* What is slow in the warm-up leaves no trace; without a warm-up it does. */
static void test_warmup(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct model m = {.hosts = 4, .latency = 5, .slow = 1000, .late = 500};
    struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_CBR, 8, 100000000);
    struct loom_experiment_cfg c = cfg_of(&o, 1);
    c.warmup = i ? 1505 : 0;
    const struct loom_experiment_result *r = run(&m, &c);
    const struct loom_latency *l = &r->metrics[0].total;
    assert_int_equal(l->max, i ? 5 : 505);
    assert_int_equal(l->min, 5);
    assert_int_equal(l->count,
                     i ? generated(&m, 0, 1500, 11500)
                       : generated(&m, 0, 0, 10000 - 5)); /* all slow ones arrive in time */
    assert_int_equal(r->metrics[0].offered, 8 * generated(&m, 0, c.warmup, UINT64_MAX));
    model_free(&m);
  }
}

static void test_losses(void **state) {
  (void)state;
  struct model m = {.hosts = 4, .latency = 5, .lose = 7, .damage = 5};
  struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_CBR, 8, 100000000);
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  c.watchdog = 50;
  const struct loom_experiment_result *r = run(&m, &c);
  uint64_t damaged = 0;
  for (uint64_t i = 0; i < m.posts; i++)
    damaged += (i + 1) % 7 != 0 && m.log[i].generated % 5 == 0;
  assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
  assert_int_equal(r->posted - r->received, r->posted / 7);
  assert_true(damaged > 10);
  assert_int_equal(r->damaged, damaged);
  model_free(&m);
}

static void test_watchdog(void **state) {
  (void)state;
  static const uint64_t stuck[] = {300, 4000, 10498}; /* in the warm-up, measurement, drain */
  static const uint64_t measured[] = {0, 3600, 10000};
  for (unsigned i = 0; i < 3; i++) {
    struct model m = {.hosts = 4, .latency = 40, .stuck = stuck[i]};
    struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_CBR, 8, 800000000);
    struct loom_experiment_cfg c = cfg_of(&o, 1);
    c.warmup = 500;
    c.watchdog = 100;
    const struct loom_experiment_result *r = run(&m, &c);
    assert_int_equal(r->outcome, LOOM_OUTCOME_STUCK);
    assert_int_equal(r->cycles, stuck[i] - 1 + 100);
    assert_int_equal(r->measured, measured[i] ? measured[i] - (i == 1 ? 1 : 0) : 0);
    assert_int_equal(r->complete, i == 2);
    assert_true(r->received < r->posted);
    model_free(&m);
  }
  /* Quiet for longer than the watchdog waits, then a message that takes less. */
  struct model m = {.hosts = 2, .latency = 99, .wait = 2};
  struct loom_offer_cfg o = offer_of(2, LOOM_PROCESS_CBR, 2, 1000000);
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  c.watchdog = 100;
  const struct loom_experiment_result *r = run(&m, &c);
  assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
  assert_int_equal(r->posted, 10);
  model_free(&m);
}

static void test_no_memory(void **state) {
  (void)state;
  struct model m = {.hosts = 2, .latency = 9, .refuse = 6};
  struct loom_offer_cfg o = offer_of(2, LOOM_PROCESS_CBR, 2, 100000000);
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  const struct loom_experiment_result *r = run(&m, &c);
  assert_int_equal(r->outcome, LOOM_OUTCOME_NO_MEMORY);
  assert_int_equal(r->posted, 5);
  assert_false(r->complete);
  model_free(&m);
}

/* ---- seeds and order ------------------------------------------------------------------------- */

static void same_metrics(const struct loom_experiment_result *a,
                         const struct loom_experiment_result *b, bool same) {
  size_t size = 3 * sizeof *a->metrics;
  assert_int_equal(memcmp(a->metrics, b->metrics, size) == 0, same);
}

/* The same seed gives the same run, in whatever order arrivals are told; another seed another. */
static void test_seeds(void **state) {
  (void)state;
  struct loom_offer_cfg o[3] = {offer_of(10, LOOM_PROCESS_CBR, 16, 150000000),
                                offer_of(10, LOOM_PROCESS_BURSTS, 6, 130000000),
                                offer_of(10, LOOM_PROCESS_PING_PONG, 4, 0)};
  o[0].pattern.kind = LOOM_PATTERN_RANDOM;
  o[1].class = 1;
  o[1].burst = 3;
  struct model m[4];
  const struct loom_experiment_result *r[4];
  for (unsigned i = 0; i < 4; i++) {
    struct loom_experiment_cfg c = cfg_of(o, 3);
    m[i] = (struct model){.hosts = 10, .latency = 25, .more = 3, .wait = 1};
    m[i].reverse = i == 2;
    c.seed = i == 3 ? 2 : 1;
    r[i] = run(&m[i], &c);
  }
  same_metrics(r[0], r[1], true);
  same_metrics(r[0], r[2], true);
  same_metrics(r[0], r[3], false);
  assert_int_equal(m[0].posts, m[1].posts);
  assert_memory_equal(m[0].log, m[1].log, m[0].posts * sizeof *m[0].log);
  for (unsigned i = 0; i < 4; i++)
    model_free(&m[i]);
}

/* Where host 0 sends its first message of an offer. */
static uint32_t partner(uint64_t seed, uint64_t pattern_seed, uint32_t offer) {
  struct loom_offer_cfg o[2] = {offer_of(100, LOOM_PROCESS_CBR, 2, NANO)};
  uint32_t to = UINT32_MAX;
  struct loom_offered due;
  o[0].pattern.kind = LOOM_PATTERN_RANDOM;
  o[0].pattern.seed = pattern_seed;
  o[1] = o[0];
  struct loom_offers *all = loom_offers_create(o, 2, 100, seed);
  while (to == UINT32_MAX && loom_offers_next(all, 10, &due))
    to = due.host == 0 && due.offer == offer ? due.dst : to;
  loom_offers_destroy(all);
  return to;
}

/* A pattern without a seed of its own has another one in each run and each offer. */
static void test_pattern_seeds(void **state) {
  (void)state;
  uint32_t same[3] = {0, 0, 0};
  for (uint64_t seed = 1; seed <= 100; seed++) {
    assert_int_equal(partner(seed, 0, 0), partner(seed, 0, 0));
    assert_int_equal(partner(seed, 5, 0), partner(seed, 5, 1));
    same[0] += partner(seed, 0, 0) == partner(seed, 0, 1);
    same[1] += partner(seed, 0, 0) == partner(seed + 1, 0, 0);
    same[2] += partner(seed, 5, 0) == partner(1, 5, 0);
  }
  assert_true(same[0] < 8 && same[1] < 8 && same[2] == 100);
}

/* ---- ping-pong (KN-09) ----------------------------------------------------------------------- */

static void test_ping_pong(void **state) {
  (void)state;
  struct model m = {.hosts = 5, .latency = 30};
  struct loom_offer_cfg o = offer_of(5, LOOM_PROCESS_PING_PONG, 16, 0);
  o.pattern.kind = LOOM_PATTERN_PAIRS;
  o.messages = 50;
  o.class = 1;
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  const struct loom_experiment_result *r = run(&m, &c);
  assert_int_equal(r->posted, 2 * 2 * 50); /* host 4 has no partner */
  assert_int_equal(r->last, 2 * 30 * 50);
  assert_int_equal(r->received, r->posted);
  check_constant(&r->metrics[1].total, 200, 30); /* half a round trip */
  for (uint64_t i = 0; i < m.posts; i++) {
    uint32_t pong = (uint32_t)(i / 2 % 2); /* of the two pairs in turn */
    uint32_t pair = (uint32_t)(i % 2);
    assert_int_equal(m.log[i].generated, i / 2 * 30);
    assert_int_equal(m.log[i].src, 2 * pair + pong);
    assert_int_equal(m.log[i].dst, 2 * pair + 1 - pong);
    assert_int_equal(m.log[i].flits, 16);
    assert_int_equal(m.log[i].class, 1);
  }
  model_free(&m);
  /* Without an end, the drain ends it. */
  m = (struct model){.hosts = 2, .latency = 30};
  o.pattern.hosts = 2;
  o.messages = 0;
  r = run(&m, &c);
  assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
  assert_int_equal(r->posted, (10000 - 1) / 30 + 1);
  assert_int_equal(r->received, r->posted);
  model_free(&m);
}

/* ---- series ---------------------------------------------------------------------------------- */

/* Rows follow each other, and add up to the run, inside the measurement to the metrics. */
static void check_series(const struct model *m, const struct loom_experiment_cfg *c,
                         const struct loom_experiment_result *r) {
  struct loom_series_row all[2] = {{0}};
  struct loom_series_row inside[2] = {{0}};
  assert_int_equal(r->rows, 2 * ((r->cycles + c->interval - 1) / c->interval));
  for (uint64_t i = 0; i < r->rows; i++) {
    const struct loom_series_row *x = &r->row[i];
    uint64_t end = (i / 2 + 1) * c->interval;
    assert_int_equal(x->class, i % 2);
    assert_int_equal(x->cycle, end < r->cycles ? end : r->cycles);
    struct loom_series_row *sums[2] = {&all[x->class], &inside[x->class]};
    for (unsigned k = 0; k < 2; k++) {
      if (k && (x->cycle <= c->warmup || x->cycle > c->warmup + c->measure))
        continue;
      sums[k]->offered += x->offered;
      sums[k]->flits += x->flits;
      sums[k]->messages += x->messages;
      sums[k]->total_sum += x->total_sum;
      sums[k]->net_sum += x->net_sum;
    }
    assert_int_equal(x->offered,
                     generated(m, x->class, end - c->interval, end) * (x->class ? 6 : 16));
  }
  assert_int_equal(all[0].messages + all[1].messages, r->received);
  for (uint32_t class = 0; class < 2; class ++) {
    const struct loom_metrics *x = &r->metrics[class];
    assert_int_equal(inside[class].offered, x->offered);
    assert_int_equal(inside[class].flits, x->flits);
    assert_int_equal(inside[class].messages, x->messages);
    assert_int_equal(inside[class].total_sum, x->total.sum);
    assert_int_equal(inside[class].net_sum, x->net.sum);
    assert_true(all[class].flits > x->flits);
  }
}

static void test_series(void **state) {
  (void)state;
  static const uint64_t load[] = {300000000, 3000000}; /* never quiet; mostly quiet */
  for (unsigned i = 0; i < 2; i++) {
    struct model m = {.hosts = 8, .latency = 37, .more = 30, .wait = 5};
    struct loom_offer_cfg o[2] = {offer_of(8, LOOM_PROCESS_CBR, 16, load[i]),
                                  offer_of(8, LOOM_PROCESS_POISSON, 6, load[i])};
    o[1].class = 1;
    struct loom_experiment_cfg c = cfg_of(o, 2);
    c.warmup = i ? 20000 : 2000;
    c.measure = i ? 20000 : 10000;
    c.interval = i ? 20 : 500;
    check_series(&m, &c, run(&m, &c));
    model_free(&m);
  }
  struct model m = {.hosts = 2, .latency = 5};
  struct loom_offer_cfg o = offer_of(2, LOOM_PROCESS_CBR, 16, NANO);
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  assert_int_equal(run(&m, &c)->rows, 0);
  model_free(&m);
}

/* ---- latencies ------------------------------------------------------------------------------- */

static void test_bins(void **state) {
  (void)state;
  uint32_t last = 0;
  for (uint64_t v = 0; v < 100000; v++) {
    uint32_t bin = loom_latency_bin(v);
    uint64_t end = loom_latency_bin_end(bin);
    assert_true(bin == last || bin == last + 1);
    assert_true(end >= v && (end - v) * 16 <= v);
    assert_int_equal(loom_latency_bin(end), bin);
    assert_int_equal(loom_latency_bin(end + 1), bin + 1);
    assert_int_equal(v < 32, v < 32 && end == v);
    last = bin;
  }
  for (uint32_t k = 5; k < 64; k++) {
    uint64_t v = UINT64_C(1) << k;
    assert_int_equal(loom_latency_bin(v), (k - 3) * 16);
    assert_int_equal(loom_latency_bin(v - 1), (k - 3) * 16 - 1);
    assert_int_equal(loom_latency_bin_end((k - 3) * 16 - 1), v - 1);
    assert_int_equal(loom_latency_bin(v + v / 16 * 5), (k - 3) * 16 + 5);
  }
  assert_true(loom_latency_bin(UINT64_MAX) < LOOM_HISTOGRAM);
  assert_true(loom_latency_bin_end(loom_latency_bin(UINT64_MAX)) == UINT64_MAX);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* At least the true quantile, at most 1/16 more, never above the largest. */
static void test_quantiles(void **state) {
  (void)state;
  enum { N = 5000 };
  static const double parts[] = {0, 0.001, 0.07, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
  static const uint64_t ranks[] = {1, 5, 350, 2500, 4500, 4950, 4995, 5000, 5000};
  static uint64_t v[N];
  struct loom_latency *l = calloc(1, sizeof *l);
  uint64_t random = 4;
  assert_int_equal(loom_latency_quantile(l, 0.5), 0);
  assert_true(loom_latency_mean(l) == 0);
  for (uint32_t i = 0; i < N; i++) {
    v[i] = loom_random(&random) >> (40 + loom_below(&random, 16));
    loom_latency_add(l, v[i]);
  }
  /* Half of five is three of them. */
  struct loom_latency *five = calloc(1, sizeof *five);
  for (uint64_t i = 1; i <= 5; i++)
    loom_latency_add(five, i);
  assert_int_equal(loom_latency_quantile(five, 0.5), 3);
  assert_int_equal(loom_latency_quantile(five, 0.4), 2);
  assert_int_equal(loom_latency_quantile(five, 0.41), 3);
  free(five);
  qsort(v, N, sizeof *v, by_value);
  assert_int_equal(l->min, v[0]);
  assert_int_equal(l->max, v[N - 1]);
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t got = loom_latency_quantile(l, parts[i]);
    uint64_t want = v[ranks[i] - 1];
    assert_true(got >= want && (got - want) * 16 <= want && got <= l->max);
    assert_int_equal(loom_latency_bin(got), loom_latency_bin(want));
  }
  free(l);
}

static void test_merge(void **state) {
  (void)state;
  struct loom_latency *part = calloc(4, sizeof *part); /* two parts, empty, both at once */
  uint64_t random = 4;
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t v = loom_below(&random, 1000) + (i % 2 ? 0 : 5000);
    loom_latency_add(&part[i % 2], v);
    loom_latency_add(&part[3], v);
  }
  loom_latency_merge(&part[2], &part[0]);
  assert_memory_equal(&part[2], &part[0], sizeof *part);
  loom_latency_merge(&part[2], &part[1]);
  assert_memory_equal(&part[2], &part[3], sizeof *part);
  memset(&part[0], 0, sizeof *part);
  loom_latency_merge(&part[2], &part[0]);
  assert_memory_equal(&part[2], &part[3], sizeof *part);
  free(part);
}

/* ---- several seeds --------------------------------------------------------------------------- */

static void near(double got, double want, double off) {
  if (got < want - off || got > want + off)
    fail_msg("%.6f instead of %.6f", got, want);
}

static void test_intervals(void **state) {
  (void)state;
  /* Quantiles of Student's distribution from tables. */
  static const struct {
    uint32_t freedom;
    double t;
  } known[] = {{1, 12.7062}, {2, 4.3027},   {4, 2.7764},   {9, 2.2622},    {29, 2.0452},
               {30, 2.0423}, {31, 2.03951}, {40, 2.02108}, {120, 1.97993}, {1000000, 1.95997}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    near(loom_student(known[i].freedom), known[i].t, 1e-4);
  for (uint32_t n = 1; n < 100; n++)
    assert_true(loom_student(n) > loom_student(n + 1));
  /* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32, s = 2.13809, half 2.3646 s / sqrt 8 = 1.78748 */
  static const double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
  struct loom_sample s = {0};
  assert_true(loom_sample_half(&s) == 0);
  for (unsigned i = 0; i < 8; i++) {
    loom_sample_add(&s, v[i] + 1e6);
    assert_true(i || (loom_sample_half(&s) == 0 && loom_sample_deviation(&s) == 0));
  }
  near(s.mean, 1e6 + 5, 1e-6);
  near(s.squares, 32, 1e-6);
  near(loom_sample_deviation(&s), 2.138090, 1e-6);
  near(loom_sample_half(&s), 1.787484, 1e-4);
  assert_true(s.min == 1e6 + 2 && s.max == 1e6 + 9);
  /* Equal values: no width. Tiny ones: no less exact. */
  struct loom_sample same = {0};
  struct loom_sample tiny = {0};
  for (unsigned i = 0; i < 8; i++) {
    loom_sample_add(&same, 0.25);
    loom_sample_add(&tiny, v[i] * 1e-9);
  }
  assert_true(loom_sample_half(&same) == 0);
  near(loom_sample_half(&tiny) * 1e9, 1.787484, 1e-4);
}

static void test_summary(void **state) {
  (void)state;
  struct loom_metrics *m = calloc(3, sizeof *m);
  struct loom_summary *s = loom_summary_create(2, 4);
  struct loom_experiment_result r = {.metrics = m, .measured = 100, .complete = true};
  static const uint64_t flits[] = {200, 240, 220};
  for (unsigned i = 0; i < 3; i++) {
    memset(m, 0, 3 * sizeof *m);
    m[0].offered = 400;
    m[0].flits = flits[i];
    for (unsigned k = 0; k < 100; k++)
      loom_latency_add(&m[0].total, 10 + i);
    if (i)
      loom_latency_add(&m[1].net, 7); /* of two seeds only */
    m[2] = m[0];
    r.replayed = i == 2 ? 0 : 1000 + 100 * i;
    r.outcome = i == 1 ? LOOM_OUTCOME_BUSY : LOOM_OUTCOME_DONE;
    loom_summary_add(s, &r);
  }
  r.outcome = LOOM_OUTCOME_STUCK; /* says nothing but that */
  r.complete = false;
  loom_summary_add(s, &r);
  assert_int_equal(s->outcome[LOOM_OUTCOME_DONE], 2);
  assert_int_equal(s->outcome[LOOM_OUTCOME_BUSY], 1);
  assert_int_equal(s->outcome[LOOM_OUTCOME_STUCK], 1);
  assert_int_equal(s->complete, 3);
  for (uint32_t class = 0; class <= 2; class += 2) {
    const struct loom_summary_class *c = &s->class[class];
    near(c->offered.mean, 1, 1e-12);
    near(c->accepted.mean, 0.55, 1e-12);
    near(loom_sample_half(&c->accepted), 4.3027 * 0.05 / 1.7320508, 1e-5);
    near(c->percent.mean, 55, 1e-9);
    near(c->total.mean.mean, 11, 1e-12);
    near(loom_sample_half(&c->total.mean), 4.3027 / 1.7320508, 1e-4);
    near(c->total.quantile[1].mean, 11, 1e-12);
    assert_int_equal(c->total.all.count, 300);
    assert_int_equal(c->total.all.bin[12], 100);
  }
  assert_int_equal(s->class[1].percent.count, 0);
  assert_int_equal(s->class[1].net.mean.count, 2);
  near(s->class[1].net.mean.mean, 7, 1e-12);
  assert_int_equal(s->replayed.count, 2);
  near(s->replayed.mean, 1050, 1e-9);
  near(loom_throughput(30, 10, 3), 1, 1e-12);
  assert_true(loom_throughput(0, 0, 3) == 0);
  loom_summary_destroy(s);
  free(m);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static struct loom_vef_trace *parse(const char *text) {
  struct loom_vef_error error;
  struct loom_vef_trace *t = loom_vef_parse(text, strlen(text), NULL, &error);
  assert_non_null(t);
  return t;
}

static struct loom_vef_trace *published(void) {
  char text[4096];
  FILE *file = fopen("vectors/vef/gv-4.vef", "r");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  return parse(text);
}

static struct loom_vef_replay *replay_on(uint32_t nodes) {
  struct loom_vef_replay *r =
      loom_vef_replay_create(&(struct loom_vef_replay_cfg){.nodes = nodes, .traces = 4});
  assert_non_null(r);
  return r;
}

/* Task t on node t mod nodes. */
static void add(struct loom_vef_replay *r, const struct loom_vef_trace *t, uint32_t nodes,
                uint64_t start) {
  uint32_t node[64];
  uint32_t number;
  loom_vef_map(LOOM_VEF_MAP_LINEAR, t->size.tasks, nodes, 0, node);
  assert_true(
      loom_vef_add(r, &(struct loom_vef_load){.trace = t, .start = start, .node = node}, &number));
}

/* VF-07, with and without a shift, alone and beside offers in another class, in any order. */
static void check_published(uint64_t start, bool beside, bool reverse) {
  static const uint32_t id[] = {0, 1, 3, 4, 5, 6, 7, 8};
  static const uint64_t sent[] = {17, 17, 21, 21, 25, 25, 27, 27};
  static const uint8_t class[] = {0};
  struct loom_vef_trace *t = published();
  struct loom_vef_replay *replay = replay_on(50);
  struct model m = {.hosts = 50, .latency = 2, .more = 7, .reverse = reverse};
  struct loom_offer_cfg o = offer_of(50, LOOM_PROCESS_POISSON, 16, 500000000);
  o.class = 1;
  struct loom_experiment_cfg c = cfg_of(&o, beside);
  c.replay = replay;
  c.replay_class = class;
  c.replay_flit = 8;
  c.until_replayed = true;
  add(replay, t, 50, start);
  const struct loom_experiment_result *r = run(&m, &c);
  for (unsigned i = 0; i < 8; i++) {
    assert_int_equal(loom_vef_sent_at(replay, 0, id[i]), start + sent[i]);
    assert_int_equal(loom_vef_received_at(replay, 0, id[i]), start + sent[i] + 2);
  }
  assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
  assert_int_equal(r->replayed, start + 29);
  assert_int_equal(r->measured, start + 30);
  assert_int_equal(r->metrics[0].messages, 8);
  assert_int_equal(r->metrics[0].flits, 7 * 2 + 10); /* 8 bytes are 2 flits, 72 are 10 */
  check_constant(&r->metrics[0].total, 8, 2);
  assert_int_equal(r->metrics[1].messages > 0, beside);
  assert_int_equal(generated(&m, 1, start + 30, UINT64_MAX), 0);
  if (!beside)
    assert_in_range(m.steps, 6, 20);
  model_free(&m);
  loom_vef_replay_destroy(replay);
  loom_vef_destroy(t);
}

static void test_published(void **state) {
  (void)state;
  check_published(0, false, false);
  check_published(5000, false, true);
  check_published(0, true, false);
  check_published(700, true, true);
}

/* Records within a host go on when the network is empty; two traces in classes of their own. */
static void test_traces(void **state) {
  (void)state;
  static const char text[] = "VEF3 3 3 1 0 0 0 1000\n"
                             "C0 0 1 2\n"
                             "0 0 1 100 4 10 -1\n"
                             "1 1 0 20 6 5 0\n"
                             "2 0 2 20 2 3000 1\n"; /* tasks 0 and 2 share host 0 */
  static const uint8_t class[] = {1, 0};
  static const uint16_t mtu[] = {3, 6};
  struct loom_vef_trace *t = parse(text);
  struct loom_vef_replay *replay = replay_on(2);
  struct model m = {.hosts = 2, .latency = 40, .more = 5};
  struct loom_experiment_cfg c = cfg_of(NULL, 0);
  c.replay = replay;
  c.replay_class = class;
  c.replay_flit = 8;
  c.mtu = mtu;
  c.until_replayed = true;
  add(replay, t, 2, 0);
  add(replay, t, 2, 1000);
  const struct loom_experiment_result *r = run(&m, &c);
  assert_int_equal(m.posts, 4);
  assert_int_equal(m.log[0].generated, 10);
  assert_int_equal(m.log[0].class, 1);
  assert_int_equal(m.log[0].flits, 13 + 3); /* packets of 5 words */
  assert_int_equal(m.log[1].generated, 10 + 45 + 5);
  assert_int_equal(m.log[1].flits, 3 + 1);
  assert_int_equal(m.log[2].generated, 1010);
  assert_int_equal(m.log[2].class, 0);
  assert_int_equal(m.log[2].flits, 13 + 7); /* packets of 2 words */
  assert_int_equal(m.log[3].generated, 1010 + 40 + 5);
  /* The second trace's last message is sent at 1095 + 3000 and takes a cycle within the host. */
  assert_int_equal(r->replayed, 1055 + 40 + 3000 + 1);
  assert_int_equal(r->cycles, r->replayed + 1);
  assert_true(m.steps < 200);
  model_free(&m);
  loom_vef_replay_destroy(replay);
  loom_vef_destroy(t);
}

/* An answer without a delay leaves in the cycle of the arrival, but for the drain. */
static void test_answers(void **state) {
  (void)state;
  static const char text[] = "VEF3 2 2 1 0 0 0 1000\n"
                             "C0 0 1\n"
                             "0 0 1 8 4 10 -1\n"
                             "1 1 0 8 2 0 0\n";
  static const uint8_t class[] = {0};
  for (unsigned i = 0; i < 2; i++) {
    struct loom_vef_trace *t = parse(text);
    struct loom_vef_replay *replay = replay_on(2);
    struct model m = {.hosts = 2, .latency = 40};
    struct loom_experiment_cfg c = cfg_of(NULL, 0);
    c.replay = replay;
    c.replay_class = class;
    c.replay_flit = 8;
    c.measure = i ? 50 : 51; /* cycle 50 is of the measurement, or of the drain */
    add(replay, t, 2, 0);
    const struct loom_experiment_result *r = run(&m, &c);
    assert_int_equal(r->posted, i ? 1 : 2);
    assert_int_equal(r->received, i ? 1 : 2);
    assert_int_equal(r->replayed, i ? 0 : 90);
    assert_true(i || m.log[1].generated == 50);
    model_free(&m);
    loom_vef_replay_destroy(replay);
    loom_vef_destroy(t);
  }
}

/* A trace that loses a message, and one that takes longer than the measurement: both end with it,
 * and nothing of a trace is posted in the drain. */
static void test_trace_ends(void **state) {
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    static const uint8_t class[] = {0};
    struct loom_vef_trace *t = published();
    struct loom_vef_replay *replay = replay_on(50);
    struct model m = {.hosts = 50, .latency = 2, .lose = i == 0 ? 3 : 0};
    struct loom_experiment_cfg c = cfg_of(NULL, 0);
    c.replay = replay;
    c.replay_class = class;
    c.replay_flit = 8;
    c.until_replayed = i < 2;
    c.measure = i == 1 ? 23 : 1000;
    add(replay, t, 50, 0);
    const struct loom_experiment_result *r = run(&m, &c);
    assert_int_equal(r->outcome, LOOM_OUTCOME_DONE);
    assert_int_equal(r->measured, c.measure);
    assert_int_equal(r->replayed, i < 2 ? 0 : 29);
    assert_int_equal(r->posted, i < 2 ? 4 : 8);
    assert_int_equal(r->received, i == 0 ? 3 : i == 1 ? 4 : 8);
    model_free(&m);
    loom_vef_replay_destroy(replay);
    loom_vef_destroy(t);
  }
}

static void test_flits(void **state) {
  (void)state;
  assert_int_equal(loom_experiment_flits(0, 8, 0), 2);
  assert_int_equal(loom_experiment_flits(1, 8, 0), 2);
  assert_int_equal(loom_experiment_flits(8, 8, 0), 2);
  assert_int_equal(loom_experiment_flits(9, 8, 0), 3);
  assert_int_equal(loom_experiment_flits(4096, 8, 0), 513);
  assert_int_equal(loom_experiment_flits(4096, 64, 0), 65);
  assert_int_equal(loom_experiment_flits(120, 8, 16), 16);
  assert_int_equal(loom_experiment_flits(121, 8, 16), 18);
  assert_int_equal(loom_experiment_flits(24, 8, 2), 6);
  assert_int_equal(loom_experiment_flits(UINT32_MAX, 8, 129), (1u << 29) + (1u << 22));
  assert_int_equal(loom_experiment_flits(UINT32_MAX, 1, 2), UINT32_MAX);
  /* The host cuts packets of `mtu` flits, the rest last: each has a head and a word at least. */
  for (uint32_t mtu = 2; mtu < 20; mtu++)
    for (uint32_t bytes = 1; bytes < 2000; bytes++) {
      uint32_t flits = loom_experiment_flits(bytes, 8, mtu);
      uint32_t packets = (flits + mtu - 1) / mtu;
      assert_int_equal(flits - packets, (bytes + 7) / 8);
      assert_int_not_equal(flits % mtu, 1);
    }
}

/* ---- what is refused, and the caller's tick -------------------------------------------------- */

static void check_bad(const struct loom_experiment_cfg *c, const char *key, uint32_t where) {
  const struct loom_network network = {.hosts = 4};
  uint32_t offer = UINT32_MAX;
  const char *bad = loom_experiment_bad(c, 4, &offer);
  assert_non_null(bad);
  assert_string_equal(bad, key);
  assert_int_equal(offer, where);
  assert_null(loom_experiment_create(c, &network));
}

static void check_offer_bad(struct loom_offer_cfg wrong, const char *key) {
  struct loom_offer_cfg o[2] = {offer_of(4, LOOM_PROCESS_CBR, 2, 1), wrong};
  struct loom_experiment_cfg c = cfg_of(o, 2);
  check_bad(&c, key, 1);
}

static void test_refused(void **state) {
  (void)state;
  struct loom_offer_cfg good = offer_of(4, LOOM_PROCESS_BURSTS, 8, NANO);
  static const uint16_t mtu[] = {2, 1};
  static const uint8_t class[] = {0};
  struct loom_vef_replay *replay = replay_on(4);
#define BAD(key, field, value)                                                                     \
  do {                                                                                             \
    struct loom_experiment_cfg c = cfg_of(&good, 1);                                               \
    c.field = value;                                                                               \
    check_bad(&c, key, 1);                                                                         \
  } while (0)
  BAD("classes", classes, 0);
  BAD("classes", classes, 33);
  BAD("measure", measure, 0);
  BAD("mtu", mtu, mtu);
  BAD("until_replayed", until_replayed, true);
  BAD("replay_class", replay, replay);
#undef BAD
  struct loom_experiment_cfg c = cfg_of(&good, 1);
  c.replay = replay;
  c.replay_class = class;
  check_bad(&c, "replay_flit", 1);
#define BAD(key, field, value)                                                                     \
  do {                                                                                             \
    struct loom_offer_cfg o = good;                                                                \
    o.field = value;                                                                               \
    check_offer_bad(o, key);                                                                       \
  } while (0)
  BAD("class", class, 2);
  BAD("process", process, LOOM_PROCESSES);
  BAD("flits", flits, 1);
  BAD("burst", burst, 0);
  BAD("burst", burst, UINT32_C(1) << 29);
  BAD("load", load, NANO + 1);
  BAD("hosts", pattern.hosts, 5);
#undef BAD
  /* A pattern that is not legal is left to loom_pattern_bad. */
  const struct loom_network network = {.hosts = 4};
  good.pattern.kind = LOOM_PATTERN_SHIFT;
  c = cfg_of(&good, 1);
  uint32_t offer;
  assert_null(loom_experiment_bad(&c, 4, &offer));
  assert_null(loom_experiment_create(&c, &network));
  loom_experiment_destroy(NULL);
  loom_vef_replay_destroy(replay);
  for (unsigned i = 0; i < LOOM_PROCESSES; i++)
    assert_non_null(loom_process_names[i]);
  assert_null(loom_process_names[LOOM_PROCESSES]);
}

struct ticks {
  uint64_t count, last;
};

static void tick(void *context, uint64_t cycle) {
  struct ticks *t = context;
  assert_true(cycle >= t->last + 10000);
  t->last = cycle;
  t->count++;
}

static void test_tick(void **state) {
  (void)state;
  struct model m = {.hosts = 4, .latency = 3};
  struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_CBR, 8, 100000000);
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  const struct loom_network network = {.context = &m,
                                       .hosts = 4,
                                       .post = model_post,
                                       .step = model_step,
                                       .quiet = model_quiet,
                                       .advance = model_advance,
                                       .last_flit = model_last};
  struct ticks t = {0, 0};
  c.measure = 1000000;
  m.experiment = loom_experiment_create(&c, &network);
  loom_experiment_run(m.experiment, tick, &t);
  assert_in_range(t.count, 95, 100);
  model_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cbr_never_drifts),
      cmocka_unit_test(test_cbr_rate),
      cmocka_unit_test(test_phases),
      cmocka_unit_test(test_heap_order),
      cmocka_unit_test(test_poisson),
      cmocka_unit_test(test_poisson_mean),
      cmocka_unit_test(test_bursts),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_silence),
      cmocka_unit_test(test_ideal),
      cmocka_unit_test(test_bottleneck),
      cmocka_unit_test(test_queue),
      cmocka_unit_test(test_warmup),
      cmocka_unit_test(test_losses),
      cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_seeds),
      cmocka_unit_test(test_pattern_seeds),
      cmocka_unit_test(test_ping_pong),
      cmocka_unit_test(test_series),
      cmocka_unit_test(test_bins),
      cmocka_unit_test(test_quantiles),
      cmocka_unit_test(test_merge),
      cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_summary),
      cmocka_unit_test(test_published),
      cmocka_unit_test(test_traces),
      cmocka_unit_test(test_answers),
      cmocka_unit_test(test_trace_ends),
      cmocka_unit_test(test_flits),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_tick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
