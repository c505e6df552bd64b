/* SPDX-License-Identifier: Apache-2.0 */
/* test_link_preempt.c - the twin of link_preempt, two ends of a link, against what
 * docs/preemption.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "switch/link_preempt.h"

enum { NORMAL_VL = 2, EXPRESS_VL = 15, MASK = 1 << EXPRESS_VL, DEPTH = 64, CREDITS = 16 };
enum { LONG = 40, SHORT = 3 };

/* Two ends, joined in both directions by cables of a cycle; what each showed in the last cycle. */
struct ends {
  struct loom_link_preempt end[2];
  struct loom_link_preempt_out shown[2];
  uint64_t storage[2][2 * DEPTH + CREDITS];
};

static void start(struct ends *e) {
  static const struct loom_link_preempt_cfg cfg = {.DEPTH = DEPTH, .CREDITS = CREDITS};
  memset(e, 0, sizeof *e);
  assert_true(loom_link_preempt_cfg_ok(&cfg));
  assert_true(loom_link_preempt_storage_size(&cfg) <= sizeof e->storage[0]);
  for (int i = 0; i < 2; i++)
    loom_link_preempt_init(&e->end[i], &cfg, e->storage[i]);
}

/* A cycle; `in` has what is not the link. */
static void step(struct ends *e, struct loom_link_preempt_in in[2]) {
  struct loom_link_preempt_out was[2] = {e->shown[0], e->shown[1]};
  for (int i = 0; i < 2; i++) {
    const struct loom_link_preempt_out *far = &was[1 - i];
    in[i].express_vls = MASK;
    in[i].in_valid = far->out_valid;
    in[i].in_head = far->out_head;
    in[i].in_tail = far->out_tail;
    in[i].in_vl = far->out_vl;
    in[i].in_data = far->out_data;
    in[i].out_cr_valid = far->in_cr_valid;
    in[i].out_cr_vl = far->in_cr_vl;
    loom_link_preempt_step(&e->end[i], &in[i], &e->shown[i]);
  }
}

static void put_normal(struct loom_link_preempt_in *in, uint64_t flit, uint64_t flits) {
  in->from_normal_valid = 1;
  in->from_normal_head = flit == 0;
  in->from_normal_tail = flit + 1 == flits;
  in->from_normal_vl = NORMAL_VL;
  in->from_normal_data = flit;
}

static void put_express(struct loom_link_preempt_in *in, uint64_t flit, uint64_t flits) {
  in->from_express_valid = 1;
  in->from_express_head = flit == 0;
  in->from_express_tail = flit + 1 == flits;
  in->from_express_vl = EXPRESS_VL;
  in->from_express_data = 1000 + flit;
}

/* A short express packet comes in cycle `at` of a long normal one. Every express flit is on the
 * link a cycle later, and behind the far end two cycles after that (OP-21). */
static void interrupt(uint64_t at) {
  struct ends e;
  uint64_t normals = 0, expresses = 0, interrupted = 0;
  start(&e);
  for (uint64_t c = 0; c < LONG + 2 * SHORT + 4; c++) {
    struct loom_link_preempt_in in[2] = {0};
    if (c < LONG)
      put_normal(&in[0], c, LONG);
    if (c >= at && c < at + SHORT)
      put_express(&in[0], c - at, SHORT);
    step(&e, in);
    const struct loom_link_preempt_out *o = e.shown;
    bool express = c > at && c <= at + SHORT;
    assert_true((o[0].out_valid && o[0].out_vl == EXPRESS_VL) == express);
    assert_true(!express || o[0].out_data == 1000 + c - at - 1);
    interrupted += o[0].preempts;
    if (o[1].to_express_valid)
      assert_true(o[1].to_express_data == 1000 + expresses++ && c == at + 2 + expresses);
    if (o[1].to_normal_valid) {
      assert_true(o[1].to_normal_data == normals && o[1].to_normal_vl == NORMAL_VL);
      assert_true(o[1].to_normal_head == (normals == 0));
      assert_true(o[1].to_normal_tail == (++normals == LONG));
    }
    assert_false(o[1].error || o[0].error);
  }
  assert_true(normals == LONG && expresses == SHORT);
  assert_true(interrupted == (at > 0 && at < LONG));
  assert_true(e.shown[0].idle && e.shown[1].idle);
}

static void an_express_flit_never_waits(void **state) {
  (void)state;
  interrupt(7);
}

static void a_normal_packet_goes_on_where_it_was_interrupted(void **state) {
  (void)state;
  for (uint64_t at = 0; at < LONG + 2; at++)
    interrupt(at);
}

/* An express packet with gaps keeps the link: nothing goes between its flits. */
static void nothing_goes_inside_an_express_packet(void **state) {
  (void)state;
  struct ends e;
  uint64_t normals = 0;
  start(&e);
  for (uint64_t c = 0; c < 60; c++) {
    struct loom_link_preempt_in in[2] = {0};
    if (c < LONG)
      put_normal(&in[0], c, LONG);
    if (c == 5 || c == 9 || c == 15)
      put_express(&in[0], (c - 5 + 2) / 6, SHORT);
    step(&e, in);
    bool express = c == 6 || c == 10 || c == 16, kept = c > 5 && c <= 16;
    assert_true(e.shown[0].out_valid == (kept ? express : c > 0 && normals < LONG));
    normals += e.shown[0].out_valid && !express;
    assert_true(e.shown[0].hold == (kept && c > 5) || (c > 16 && e.shown[0].hold) || c < 6);
    assert_false(e.shown[1].error);
  }
  assert_true(normals == LONG);
}

/* Both units give credits at once: none is lost, and the express ones go first. */
static void classes_share_the_credits_of_a_link(void **state) {
  (void)state;
  struct ends e;
  uint64_t given[2] = {0}, got[2] = {0}, seed = 9;
  start(&e);
  for (uint64_t c = 0; c < 4000; c++) {
    struct loom_link_preempt_in in[2] = {0};
    in[1].express_free_valid = loom_chance(&seed, 40) && c < 3900;
    in[1].express_free_vl = EXPRESS_VL;
    in[1].normal_free_valid =
        loom_chance(&seed, 50) && c < 3900 && loom_fifo_ready(&e.end[1].waiting);
    in[1].normal_free_vl = NORMAL_VL;
    given[0] += in[1].normal_free_valid;
    given[1] += in[1].express_free_valid;
    step(&e, in);
    got[0] += e.shown[0].normal_cr_valid;
    got[1] += e.shown[0].express_cr_valid;
    assert_true(given[1] - got[1] <= 3);
    assert_false(e.shown[1].error);
  }
  assert_true(given[0] == got[0] && given[1] == got[1] && got[0] > 1000);
}

/* What breaks the rule is told: a second head, a flit without one, a normal flit inside an express
 * packet, a normal flit that finds no place. */
static void what_breaks_the_rule_is_told(void **state) {
  (void)state;
  static const struct {
    uint8_t vl, head, tail, wrong;
  } come[] = {{NORMAL_VL, 1, 0, 0},  {NORMAL_VL, 1, 0, 1},  {EXPRESS_VL, 1, 0, 0},
              {NORMAL_VL, 0, 0, 1},  {EXPRESS_VL, 0, 1, 0}, {NORMAL_VL, 0, 1, 0},
              {EXPRESS_VL, 0, 1, 1}, {NORMAL_VL, 0, 1, 1},  {EXPRESS_VL, 1, 1, 0}};
  struct ends e;
  struct loom_link_preempt_out out;
  start(&e);
  for (size_t i = 0; i < sizeof come / sizeof *come; i++) {
    struct loom_link_preempt_in in = {.express_vls = MASK,
                                      .in_valid = 1,
                                      .in_vl = come[i].vl,
                                      .in_head = come[i].head,
                                      .in_tail = come[i].tail};
    loom_link_preempt_step(&e.end[0], &in, &out);
    assert_true(e.end[0].error == come[i].wrong);
  }
  start(&e);
  for (uint32_t i = 0; i <= DEPTH; i++) {
    struct loom_link_preempt_in in = {.express_vls = MASK};
    put_normal(&in, i, 2 * DEPTH);
    put_express(&in, i, 2 * DEPTH);
    loom_link_preempt_step(&e.end[0], &in, &out);
    assert_true(e.end[0].error == (i == DEPTH));
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_express_flit_never_waits),
      cmocka_unit_test(a_normal_packet_goes_on_where_it_was_interrupted),
      cmocka_unit_test(nothing_goes_inside_an_express_packet),
      cmocka_unit_test(classes_share_the_credits_of_a_link),
      cmocka_unit_test(what_breaks_the_rule_is_told),
  };
  return UNIT_RUN("link_preempt", tests, NULL, NULL);
}
