/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the hosts of a small tree (docs/fabric.md, Collectives; docs/elan5.md): each of
 * them right, and what is made wrong by hand is found. */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/elan5_host.h"
#include "tb/unit/elite5_tree.h"

enum {
  NODES = 64,
  GROUP = 3,
  PARTS = 2,
  WORDS = 20,
  ARITY = 3,
  ADDRESS = 64,
  PATIENCE = 20000,
  SEED = 5
};
enum { WORD = 8, SUM = ADDRESS + WORD * (WORDS + PARTS) /* of a member of a reduction */ };

struct bench {
  struct tree *tree;
  struct loom_elan5_hosts *hosts;
  uint16_t node[NODES];
  uint32_t over;
  struct loom_message last;
};

static void receive(void *context, const struct loom_message *message, bool damaged) {
  struct bench *b = context;
  assert_false(damaged);
  b->over++;
  b->last = *message;
}

static uint32_t add_node(void *context, struct loom_fabric *f, struct loom_elan5 *endpoint) {
  const struct bench *b = context;
  return loom_elan5_host_add(b->hosts, f, endpoint);
}

/* Members are in no order. */
static struct loom_elan5_hosts *make_hosts(struct bench *b, struct loom_elan5_job_cfg job) {
  static const uint16_t groups[PARTS] = {GROUP, GROUP + 1};
  for (uint32_t i = 0; i < NODES; i++)
    b->node[i] = (uint16_t)((i * 37 + 5) % NODES);
  job.members = NODES;
  job.node = b->node;
  job.group = groups;
  job.parts = PARTS;
  job.words = WORDS;
  job.arity = ARITY;
  job.event = LOOM_ELAN5_HOST_BARRIERS;
  job.address = ADDRESS;
  job.seed = SEED;
  return loom_elan5_hosts_create(&(struct loom_elan5_hosts_cfg){.hosts = NODES,
                                                                .classes = 1,
                                                                .take = 1,
                                                                .jobs = 1,
                                                                .job = &job,
                                                                .receive = receive,
                                                                .context = b});
}

static struct bench *open_bench(struct loom_elan5_job_cfg job) {
  const struct loom_topo_tree_cfg shape = small_tree();
  struct loom_elite5_fabric_cfg net = small_fabric();
  struct bench *b = calloc(1, sizeof *b);
  bool all[NODES];
  assert_non_null(b);
  memset(all, true, sizeof all);
  b->hosts = make_hosts(b, job);
  assert_non_null(b->hosts);
  net.add_node = add_node;
  net.context = b;
  b->tree = open_tree(&shape, &net);
  for (uint32_t part = 0; part < PARTS; part++)
    loom_elite5_fabric_group_on(b->tree->e, GROUP + part, all, part);
  loom_elite5_fabric_flush(b->tree->e);
  loom_fabric_begin(b->tree->fabric);
  return b;
}

static void close_bench(struct bench *b) {
  free_tree(b->tree);
  loom_elan5_hosts_destroy(b->hosts);
  free(b);
}

static void begin(struct bench *b) {
  const struct loom_message m = {.operation = LOOM_OPERATION_COLLECTIVE, .flits = WORDS};
  assert_true(loom_elan5_host_post(b->hosts, b->node[0], &m));
}

static void until_over(struct bench *b, uint32_t count) {
  for (uint32_t i = 0; i < PATIENCE && b->over < count; i++)
    loom_fabric_step(b->tree->fabric);
  assert_int_equal(b->over, count);
  assert_false(loom_elan5_hosts_busy(b->hosts));
}

/* The memory of a member. */
static uint8_t *memory_of(struct bench *b, uint32_t member, uint32_t at) {
  return node(b->tree, b->node[member])->memory + at;
}

static const struct loom_elan5_job_cfg kinds[] = {
    {.is_barrier = true, .barrier = LOOM_ELAN5_BARRIER_POLL},
    {.is_barrier = true, .barrier = LOOM_ELAN5_BARRIER_EVENTS},
    {.type = LOOM_ELAN5_BROADCAST},
    {.type = LOOM_ELAN5_BROADCAST_STORED},
    {.type = LOOM_ELAN5_REDUCTION},
    {.type = LOOM_ELAN5_GATHER}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The first and the last of its members enter when the seed of the job says. */
static void expect_times(const struct bench *b, uint64_t from, uint64_t *seed, uint32_t skew) {
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t i = 0; i < NODES; i++) {
    uint64_t at = from + loom_below(seed, skew + 1);
    first = at < first ? at : first;
    last = at > last ? at : last;
  }
  assert_int_equal(b->last.generated, first);
  assert_int_equal(b->last.injected, last);
  assert_true(last < b->last.received);
}

static void all_kinds_are_right_round_after_round(void **state) {
  (void)state;
  for (uint32_t k = 0; k < KINDS; k++) {
    struct loom_elan5_job_cfg job = kinds[k];
    uint64_t seed = SEED;
    job.skew = 200;
    job.gap = 30;
    struct bench *b = open_bench(job);
    for (uint32_t round = 1; round <= 12; round++) {
      uint64_t from = loom_fabric_cycle(b->tree->fabric) + (round > 1 ? job.gap : 0);
      begin(b);
      until_over(b, round);
      expect_times(b, from, &seed, 200);
    }
    assert_int_equal(loom_elan5_hosts_wrong(b->hosts), 0);
    const struct loom_elan5_job_counts counts = loom_elan5_hosts_job(b->hosts, 0);
    assert_int_equal(counts.over, 12);
    assert_in_range(counts.polls, k == 0 ? 12 : 0, k == 0 ? UINT32_MAX : 0); /* by the root */
    close_bench(b);
  }
}

/* A bit of a member's data turns when it has entered; how many results are wrong. */
static uint64_t wrong_with(enum loom_elan5_collective_type type, uint32_t member, uint32_t at) {
  struct bench *b = open_bench((struct loom_elan5_job_cfg){.type = type});
  begin(b);
  loom_fabric_step(b->tree->fabric);
  *memory_of(b, member, at) ^= 1;
  until_over(b, 1);
  uint64_t wrong = loom_elan5_hosts_wrong(b->hosts);
  close_bench(b);
  return wrong;
}

static void a_wrong_word_is_found_in_every_result_that_has_it(void **state) {
  (void)state;
  assert_int_equal(wrong_with(LOOM_ELAN5_REDUCTION, 9, SUM + 3 * WORD), NODES);
  assert_int_equal(wrong_with(LOOM_ELAN5_REDUCTION, 63, SUM + WORDS * WORD - 1), NODES);
  assert_int_equal(wrong_with(LOOM_ELAN5_BROADCAST, 0, ADDRESS + 5 * WORD), NODES);
  assert_int_equal(wrong_with(LOOM_ELAN5_BROADCAST_STORED, 0, ADDRESS + 5 * WORD), NODES);
  assert_int_equal(wrong_with(LOOM_ELAN5_GATHER, 40, ADDRESS + 40 * WORD * (WORDS + 1)), 1);
}

/* The words of a result stand one after the other in the memory that it takes, but for the number
 * behind each part. */
static void results_stand_in_the_memory_of_their_collective(void **state) {
  (void)state;
  for (uint32_t k = 0; k < KINDS; k++)
    for (uint32_t words = 4; words < 50 && !kinds[k].is_barrier; words++) {
      const struct loom_elan5_collective_cfg cfg = {.type = kinds[k].type,
                                                    .members = NODES,
                                                    .parts = 1 + words % 4,
                                                    .words = words,
                                                    .arity = ARITY,
                                                    .address = ADDRESS};
      struct loom_elan5_collective c;
      loom_elan5_collective_init(&c, &cfg);
      uint64_t last = 0, end = ADDRESS + loom_elan5_collective_bytes(&cfg);
      for (uint32_t word = 0; word < words; word++) {
        uint64_t at = loom_elan5_collective_result(&c, word);
        assert_in_range(at, word ? last + WORD : ADDRESS, end - WORD);
        last = at;
      }
      assert_int_equal(last, ADDRESS + WORD * (words - 1 + c.cfg.parts - 1));
    }
}

/* What the round before has left would be wrong in this one. */
static void each_round_has_other_data(void **state) {
  (void)state;
  uint8_t before[WORDS * WORD];
  struct bench *b = open_bench((struct loom_elan5_job_cfg){.type = LOOM_ELAN5_REDUCTION});
  memset(before, 0, sizeof before);
  for (uint32_t round = 1; round <= 3; round++) {
    begin(b);
    until_over(b, round);
    const uint8_t *own = memory_of(b, 9, SUM);
    for (uint32_t k = 0; k < WORDS; k++)
      assert_memory_not_equal(own + k * WORD, before + k * WORD, WORD);
    memcpy(before, own, sizeof before);
  }
  close_bench(b);
}

/* One that is told so before the last one is in. */
static void a_barrier_that_lets_one_through_too_early_is_found(void **state) {
  (void)state;
  for (uint32_t k = 0; kinds[k].is_barrier; k++) {
    struct loom_elan5_job_cfg job = kinds[k];
    job.skew = 1000;
    struct bench *b = open_bench(job);
    begin(b);
    loom_fabric_run(b->tree->fabric, 500);
    for (uint32_t i = 0; i < NODES; i++)
      memory_of(b, i, ADDRESS + WORD)[WORD - 1] = 1;
    until_over(b, 1);
    assert_in_range(loom_elan5_hosts_wrong(b->hosts), 1, NODES - 1);
    close_bench(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_kinds_are_right_round_after_round),
      cmocka_unit_test(a_wrong_word_is_found_in_every_result_that_has_it),
      cmocka_unit_test(results_stand_in_the_memory_of_their_collective),
      cmocka_unit_test(each_round_has_other_data),
      cmocka_unit_test(a_barrier_that_lets_one_through_too_early_is_found),
  };
  return UNIT_RUN("elan5_jobs", tests, NULL, NULL);
}
