/* SPDX-License-Identifier: Apache-2.0 */
/* test_preempt_class.c - switches whose links preempt, in a fabric: what comes out is what went in,
 * and how long an express head waits (docs/preemption.md, OP-21) */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/preempt_class.h"
#include "run/build.h"
#include "run/build_state.h"
#include "run/read_fabric.h"

#define FABRIC(preempt)                                                                            \
  "---\n"                                                                                          \
  "name: p\n"                                                                                      \
  "topology: {kind: tree, k: 2, n: 2}\n"                                                           \
  "switch: {kind: crossbar, scheduler: rr, " preempt                                               \
  "parameters: {CELLS_IN: 128, CELLS_OUT: 128}}\n"                                                 \
  "classes: [{name: X, sl: 0, vl: 0, mtu: 192}, {name: N, sl: 1, vl: 1, mtu: 2048},\n"             \
  "  {name: M, sl: 2, vl: 2, mtu: 64}]\n"                                                          \
  "traffic: [{class: X, pattern: uniform, size: 192, load: 0.1}]\n"                                \
  "...\n"

#define PREEMPT FABRIC("preempt: [0], ")

enum { HOSTS = 4, EXPRESS = 0, LONG = 1, SHORT = 2, FLITS_X = 24, CYCLES = 60000, GAP = 700 };

/* What has come, and how long an express message was in the network at most: by whether it crosses
 * the top of the tree. */
struct seen {
  uint64_t received[3], damaged, most[2];
};

static void receive(void *context, const struct loom_message *m, bool damaged) {
  struct seen *s = context;
  uint64_t in_network = m->received - m->injected;
  int far = m->src / 2 != m->dst / 2;
  s->received[m->traffic_class]++;
  s->damaged += damaged;
  if (m->traffic_class != EXPRESS)
    return;
  if (in_network > s->most[far])
    s->most[far] = in_network;
}

struct bench {
  struct loom_spec setup;
  struct loom_plan *plan;
  struct loom_built *built;
  struct loom_plan_error err;
  struct seen seen;
};

static struct bench *open_bench(const char *text) {
  struct bench *b = calloc(1, sizeof *b);
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_non_null(b);
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  assert_true(loom_read_fabric(&b->setup, &src, &err));
  loom_source_free(&src);
  b->plan = loom_plan_create(&b->setup, &b->err);
  assert_non_null(b->plan);
  const struct loom_build_cfg cfg = {
      .plan = b->plan, .seed = 1, .receive = receive, .context = &b->seen};
  b->built = loom_build(&cfg, &b->err);
  assert_non_null(b->built);
  return b;
}

static void close_bench(struct bench *b) {
  loom_built_destroy(b->built);
  loom_plan_destroy(b->plan);
  loom_spec_free(&b->setup);
  free(b);
}

static void post(struct bench *b, uint32_t src, uint32_t dst, uint32_t of, uint32_t flits) {
  const struct loom_message m = {.dst = dst, .traffic_class = (uint8_t)of, .flits = flits};
  assert_true(loom_host_post(b->built->host[src], &m));
}

/* All hosts send all they can of the normal classes, if `loaded`, and one of them a short express
 * message now and then, or all of them `express` a gap. Then all arrives. */
static void run(struct bench *b, bool loaded, uint32_t express) {
  struct loom_network n = loom_built_network(b->built);
  uint64_t seed = 11;
  for (uint32_t c = 0; c < CYCLES; c++) {
    for (uint32_t h = 0; loaded && h < HOSTS; h++)
      for (uint32_t of = LONG; of <= SHORT; of++)
        if (loom_host_backlog(b->built->host[h], of) < 600)
          post(b, h, (h + 1 + (uint32_t)loom_below(&seed, HOSTS - 1)) % HOSTS, of,
               of == LONG ? 256 : 8);
    for (uint32_t i = 0; c % GAP == 0 && i < express; i++) {
      uint32_t src = (uint32_t)loom_below(&seed, HOSTS);
      post(b, src, (src + 1 + (uint32_t)loom_below(&seed, HOSTS - 1)) % HOSTS, EXPRESS, FLITS_X);
    }
    n.step(n.context);
  }
  for (uint32_t c = 0; c < CYCLES && !n.quiet(n.context); c++)
    n.step(n.context);
  struct loom_ledger_counts counts = loom_ledger_counts(b->built->ledger);
  assert_int_equal(counts.posted, counts.received);
  assert_int_equal(counts.flits_posted, counts.flits_received);
  assert_true(counts.damaged == 0 && counts.stray == 0 && b->seen.damaged == 0);
}

static const struct loom_preempt_device *device(const struct bench *b, uint32_t row) {
  return (const struct loom_preempt_device *)b->built->device[row];
}

/* Of both halves of a packet that was interrupted nothing is lost, at switches and at hosts, and
 * the store of a link has place enough: a packet and 64 flits, as the page says. */
static void all_arrives_whole_where_packets_are_interrupted(void **state) {
  (void)state;
  uint64_t interrupts = 0;
  uint32_t waited = 0;
  struct bench *b = open_bench(PREEMPT);
  run(b, true, 12);
  for (uint32_t row = 0; row < b->plan->switches; row++) {
    interrupts += loom_preempt_interrupts(device(b, row));
    waited = loom_max(waited, loom_preempt_most_waiting(device(b, row)));
    assert_int_equal(loom_preempt_errors(device(b, row)), 0);
  }
  assert_true(interrupts > 1000);
  assert_in_range(waited, 64, loom_preempt_depth(32));
  close_bench(b);
}

/* The bound of the wait of a preempting head: it waits for no normal flit. So a message that is the
 * only one of its class takes as long as in an empty network; without preemption it waits. */
static void an_express_message_takes_as_long_as_in_an_empty_network(void **state) {
  (void)state;
  static const char *const text[] = {PREEMPT, PREEMPT, FABRIC("")};
  uint64_t most[3][2];
  for (int i = 0; i < 3; i++) {
    struct bench *b = open_bench(text[i]);
    run(b, i > 0, 1);
    assert_int_equal(b->seen.received[EXPRESS], (CYCLES + GAP - 1) / GAP);
    memcpy(most[i], b->seen.most, sizeof most[i]);
    close_bench(b);
  }
  for (int far = 0; far < 2; far++) {
    assert_int_equal(most[1][far], most[0][far]);
    assert_true(most[2][far] > most[1][far] + 256);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_arrives_whole_where_packets_are_interrupted),
      cmocka_unit_test(an_express_message_takes_as_long_as_in_an_empty_network),
  };
  return UNIT_RUN("preempt_class", tests, NULL, NULL);
}
