/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge of the switches takes for right where groups of ports are (docs/port_groups.md,
 * section Order): links in and out by hand, right and wrong, for in lock-step a wrong port is found
 * before the judge sees it. */
#include "tb/unit/unit.h"

#include <stdlib.h>

#include "tb/cosim/switch_traffic.h"

/* No devices, no schedulers and no ends here. */
const struct dut *const loom_duts[] = {NULL};
const struct sched_kind sched_rr_kind = {0}, sched_sbt_kind = {0}, sched_dtable_kind = {0},
                        sched_ibarb_kind = {0};

uint32_t switch_segment_of(const struct switch_plan *p, uint64_t cycle) {
  (void)p;
  (void)cycle;
  return 0;
}

/* Group 0 has ports 1 and 2: slot k is port 1 + k mod 2. */
enum { BY_FLOW, BY_LOAD, BY_LID_2, BY_LID_3, LIDS, GROUP_PORTS = 2, AFTER = 8, NO_PORT = 63 };

struct bench {
  struct switch_state *s;
  uint64_t cycle;
  switch_in in;
  switch_out out;
};

static void end_cycle(struct bench *b) {
  struct stats stats = {0};
  switch_observe(b->s, b->cycle++, &b->in, &b->out, false, &stats);
  b->in = (switch_in){0};
  b->out = (switch_out){0};
}

static void rest(struct bench *b, uint32_t cycles) {
  while (cycles--)
    end_cycle(b);
}

static void write_register(struct bench *b, uint32_t addr, uint32_t data) {
  end_put_write(&b->in, addr, data);
  end_cycle(b);
}

static void write_slot(struct bench *b, uint32_t slot, uint32_t port) {
  write_register(b, LOOM_SWITCH_REG_GROUP_SLOTS + slot, port);
}

static struct bench *new_bench(void) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->s = calloc(1, sizeof *b->s);
  assert_non_null(b->s);
  b->s->facts = (struct switch_facts){.ports = 4,
                                      .vls = 2,
                                      .mgmt = 1,
                                      .groups = 2,
                                      .mtu_units = 4,
                                      .remote_units = 64,
                                      .lids = LIDS};
  struct switch_tables *t = &b->s->plan.tables;
  t->lids = LIDS;
  t->mtu[0] = 4;
  t->lft[BY_FLOW] = LOOM_SWITCH_BY_FLOW << LOOM_SWITCH_REG_LFT_MODE_AT;
  t->lft[BY_LOAD] = LOOM_SWITCH_BY_LOAD << LOOM_SWITCH_REG_LFT_MODE_AT;
  t->lft[BY_LID_2] = t->lft[BY_LID_3] = LOOM_SWITCH_BY_LID << LOOM_SWITCH_REG_LFT_MODE_AT;
  b->s->plan.classes = 1;
  b->s->plan.random = true;
  switch_judge_init(b->s);
  write_register(b, LOOM_SWITCH_REG_GROUP_MEMBERS, 1 << 1 | 1 << 2);
  for (uint32_t k = 0; k < SWITCH_SLOTS; k++)
    write_slot(b, k, 1 + k % GROUP_PORTS);
  write_register(b, LOOM_SWITCH_REG_GROUP_COUNT, 1);
  rest(b, AFTER);
  return b;
}

static void end_bench(struct bench *b) {
  free(b->s);
  free(b);
}

static uint64_t come_in(struct bench *b, uint32_t lid, uint32_t id, uint64_t marks) {
  uint64_t head = end_head(0, 1, lid, switch_src(0, 0, false), id) | marks;
  end_put_flit(&b->in, 0, true, true, 0, head);
  end_cycle(b);
  return head;
}

/* Whether the judge is still content. */
static bool go_out(struct bench *b, uint64_t head, uint32_t port) {
  char why[200];
  b->out.out_valid[port] = b->out.out_head[port] = b->out.out_tail[port] = 1;
  b->out.out_data[port] = head;
  end_cycle(b);
  bool good = switch_check(b->s, why, sizeof why);
  b->s->judge.wrong[0] = 0;
  return good;
}

/* Whether it may go to this port and to no other one; NO_PORT: to one of the group. */
static void only_port(struct bench *b, uint32_t lid, uint64_t marks, uint32_t right) {
  for (uint32_t port = 0, id = 0; port < b->s->facts.ports; port++, id++) {
    bool member = port == 1 || port == 2;
    uint64_t head = come_in(b, lid, id, marks);
    rest(b, AFTER);
    assert_int_equal(go_out(b, head, port), right == NO_PORT ? member : port == right);
  }
}

/* Source 0 to LID 0 has slots 0, 38 and 33. */
static void by_flow_one_port_is_right_for_each_part_of_the_hash(void **state) {
  struct bench *b = new_bench();
  (void)state;
  static const uint32_t right[] = {1, 1, 2, 1};
  for (uint32_t hash = 0; hash < 4; hash++) {
    write_register(b, LOOM_SWITCH_REG_GROUP_HASH, hash);
    rest(b, AFTER);
    only_port(b, BY_FLOW, 0, right[hash]);
  }
  end_bench(b);
}

static void by_lid_one_port_is_right(void **state) {
  struct bench *b = new_bench();
  (void)state;
  only_port(b, BY_LID_2, 0, 1);
  only_port(b, BY_LID_3, 0, 2);
  end_bench(b);
}

static void by_load_each_member_is_right_and_no_other_port(void **state) {
  struct bench *b = new_bench();
  (void)state;
  only_port(b, BY_LOAD, 0, NO_PORT);
  end_bench(b);
}

static void what_load_leaves_to_its_slot_has_one_port(void **state) {
  struct bench *b = new_bench();
  (void)state;
  uint32_t slot = 1; /* a member that is not that of another slot */
  uint64_t more = LOOM_PUT64(LOOM_HEAD_MORE, 1), after = LOOM_PUT64(LOOM_HEAD_AFTER, 1);
  for (uint32_t k = 0; k < SWITCH_SLOTS; k++)
    write_slot(b, k, slot);
  rest(b, AFTER);
  only_port(b, BY_LOAD, more, slot);
  only_port(b, BY_LOAD, after, slot);
  only_port(b, BY_LOAD, 0, NO_PORT);
  write_register(b, LOOM_SWITCH_REG_GROUP_SLS, ~1u);
  rest(b, AFTER);
  only_port(b, BY_LOAD, 0, slot);
  write_register(b, LOOM_SWITCH_REG_GROUP_SLS, 1);
  write_register(b, LOOM_SWITCH_REG_GROUP_MEMBERS, 0);
  rest(b, AFTER);
  only_port(b, BY_LOAD, 0, slot);
  end_bench(b);
}

static void a_group_from_the_count_on_has_no_port(void **state) {
  struct bench *b = new_bench();
  (void)state;
  write_register(b, LOOM_SWITCH_REG_GROUP_COUNT, 0);
  rest(b, AFTER);
  uint64_t head = come_in(b, BY_LOAD, 0, 0);
  rest(b, AFTER);
  assert_false(go_out(b, head, 1));
  end_bench(b);
}

static void around_a_write_old_and_new_words_are_right(void **state) {
  struct bench *b = new_bench();
  (void)state;
  write_slot(b, 0, 3);
  assert_true(go_out(b, come_in(b, BY_FLOW, 0, 0), 1));
  assert_true(go_out(b, come_in(b, BY_FLOW, 1, 0), 3));
  rest(b, AFTER);
  only_port(b, BY_FLOW, 0, 3);
  end_bench(b);
}

static void order_is_that_of_an_output_and_not_of_the_input(void **state) {
  struct bench *b = new_bench();
  (void)state;
  uint64_t first = come_in(b, BY_LOAD, 0, 0), second = come_in(b, BY_LOAD, 1, 0);
  assert_true(go_out(b, second, 1));
  assert_true(go_out(b, first, 2));
  first = come_in(b, BY_LOAD, 2, 0);
  second = come_in(b, BY_LOAD, 3, 0);
  assert_true(go_out(b, second, 1));
  assert_false(go_out(b, first, 1));
  end_bench(b);
}

static void a_packet_comes_out_once(void **state) {
  struct bench *b = new_bench();
  (void)state;
  uint64_t head = come_in(b, BY_LOAD, 0, 0);
  assert_true(go_out(b, head, 1));
  assert_false(go_out(b, head, 2));
  end_bench(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_flow_one_port_is_right_for_each_part_of_the_hash),
      cmocka_unit_test(by_lid_one_port_is_right),
      cmocka_unit_test(by_load_each_member_is_right_and_no_other_port),
      cmocka_unit_test(what_load_leaves_to_its_slot_has_one_port),
      cmocka_unit_test(a_group_from_the_count_on_has_no_port),
      cmocka_unit_test(around_a_write_old_and_new_words_are_right),
      cmocka_unit_test(order_is_that_of_an_output_and_not_of_the_input),
      cmocka_unit_test(a_packet_comes_out_once),
  };
  return UNIT_RUN("switch_judge", tests, NULL, NULL);
}
