/* SPDX-License-Identifier: Apache-2.0 */
/* Who offers the next message, and when: processes, phases, seeds, the heap (docs/traffic.md;
 * TR-02, TR-03). */
#include "tb/unit/unit.h"

#include "tb/unit/model_network.h"
#include "traffic/offers.h"

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

static void a_constant_rate_never_drifts(void **state) {
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
static void a_constant_rate_sends_its_load_to_less_than_a_message(void **state) {
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
static void phases_are_uniform_and_of_each_host_its_own(void **state) {
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
static void what_is_due_comes_by_cycle_then_host_then_offer(void **state) {
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
static void gaps_of_a_poisson_process_are_geometric(void **state) {
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
static void the_mean_gap_is_right_for_every_chance(void **state) {
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
static void a_burst_is_of_one_host_to_one_destination_in_one_cycle(void **state) {
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
static void each_host_sends_as_many_messages_as_are_asked_for(void **state) {
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
static void no_load_or_no_destination_means_silence(void **state) {
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
static void a_pattern_without_a_seed_has_another_in_each_run(void **state) {
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

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_rate_never_drifts),
      cmocka_unit_test(a_constant_rate_sends_its_load_to_less_than_a_message),
      cmocka_unit_test(phases_are_uniform_and_of_each_host_its_own),
      cmocka_unit_test(what_is_due_comes_by_cycle_then_host_then_offer),
      cmocka_unit_test(gaps_of_a_poisson_process_are_geometric),
      cmocka_unit_test(the_mean_gap_is_right_for_every_chance),
      cmocka_unit_test(a_burst_is_of_one_host_to_one_destination_in_one_cycle),
      cmocka_unit_test(each_host_sends_as_many_messages_as_are_asked_for),
      cmocka_unit_test(no_load_or_no_destination_means_silence),
      cmocka_unit_test(a_pattern_without_a_seed_has_another_in_each_run),
  };
  return UNIT_RUN("offers", tests, NULL, NULL);
}
