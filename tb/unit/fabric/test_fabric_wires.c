/* SPDX-License-Identifier: Apache-2.0 */
/* test_fabric_wires.c - devices whose links have replies and signals, cables that are cut, register
 * accesses while cycles go on, and the first cycle of a fabric (docs/fabric.md)
 */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

enum { PORTS = 4, LOG = 128, LATENCY = 3 };

/* What a device was told in a cycle in which it was told something new. */
struct heard {
  uint64_t cycle, reply, ack, signal, valid, data;
  uint8_t rep_vc;
  bool access, read;
  uint32_t addr, value;
};

struct toy {
  /* Shown in the next cycle only: */
  uint64_t reply, ack;
  uint8_t rep_vc;
  bool word, head;
  uint64_t data;
  /* Shown in every cycle: */
  uint64_t signal;
  struct heard log[LOG];
  uint32_t logs;
  uint64_t steps, seen; /* seen: signals of the last cycle */
  uint64_t loaded;      /* sum of the data */
};

static void show(struct toy *t, const struct loom_fabric_show *show) {
  const uint8_t vc[PORTS] = {t->rep_vc, t->rep_vc, t->rep_vc, t->rep_vc};
  const struct loom_fabric_shown_wires all = {
      .reply = t->reply, .ack = t->ack, .signal = t->signal, .rep_vc = vc};
  if (t->word)
    loom_fabric_flit(show, 0, t->head, false, 1, t->data);
  loom_fabric_show_wires(show, &all);
  t->reply = t->ack = 0;
  t->word = false;
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *to) {
  struct toy *t = device;
  const struct loom_fabric_wires *w = loom_fabric_wires(in);
  show(t, to);
  t->steps++;
  bool news = w->reply || in->valid || w->access || w->signal != t->seen;
  t->seen = w->signal;
  if (!news)
    return;
  assert_in_range(t->logs, 0, LOG - 1);
  struct heard *h = &t->log[t->logs++];
  *h = (struct heard){.cycle = now,
                      .reply = w->reply,
                      .ack = w->ack,
                      .signal = w->signal,
                      .valid = in->valid,
                      .data = in->valid & 1 ? in->port[0].data : 0,
                      .rep_vc = w->reply & 1 ? in->port[0].rep_vc : 0,
                      .access = w->access != NULL};
  if (w->access) {
    h->read = w->access->read;
    h->addr = w->access->addr;
    h->value = w->access->data;
  }
}

static bool sleeps(const void *device) {
  const struct toy *t = device;
  return !t->word && !t->reply;
}

static bool odd_data(bool head, bool tail, uint64_t data) {
  (void)head;
  (void)tail;
  return data & 1;
}

static const struct loom_fabric_class wired = {.name = "wired",
                                               .ports = PORTS,
                                               .wires = true,
                                               .spared = odd_data,
                                               .step = step,
                                               .sleeps = sleeps};

static void do_nothing(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                       const struct loom_fabric_show *to) {
  (void)device;
  (void)now;
  (void)in;
  (void)to;
}

static bool always(const void *device) {
  (void)device;
  return true;
}

static const struct loom_fabric_class plain = {
    .name = "plain", .ports = PORTS, .step = do_nothing, .sleeps = always};

/* Two toys, joined by their ports 0. */
static struct loom_fabric *open_toys(struct toy *toy) {
  const struct loom_fabric_cfg cfg = {.devices = 3, .links = 3, .latency = LATENCY, .seed = 5};
  struct loom_fabric *f = loom_fabric_create(&cfg);
  assert_non_null(f);
  memset(toy, 0, 2 * sizeof *toy);
  for (uint32_t d = 0; d < 2; d++)
    assert_int_equal(loom_fabric_add(f, &wired, &toy[d]), d);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 1, 0, LATENCY), 0);
  loom_fabric_step(f); /* both fall asleep */
  assert_true(loom_fabric_quiet(f));
  return f;
}

static void wake(struct loom_fabric *f, uint32_t device) { loom_fabric_wake(f, device); }

/* ---- replies and signals --------------------------------------------------------------------- */

static void replies_arrive_after_the_latency_with_their_vc(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  toy[0].reply = 1;
  toy[0].ack = 1;
  toy[0].rep_vc = 17;
  wake(f, 0);
  uint64_t shown = loom_fabric_now(f);
  loom_fabric_run(f, LATENCY + 2);
  assert_int_equal(toy[1].logs, 1);
  assert_int_equal(toy[1].log[0].cycle, shown + LATENCY);
  assert_int_equal(toy[1].log[0].reply, 1);
  assert_int_equal(toy[1].log[0].ack, 1);
  assert_int_equal(toy[1].log[0].rep_vc, 17);
  assert_int_equal(loom_fabric_counts(f).flits, 0);
  loom_fabric_destroy(f);
}

/* It stays without being carried, and the far end sleeps on. */
static void a_signal_is_seen_until_it_goes(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  toy[0].signal = 1;
  wake(f, 0);
  loom_fabric_run(f, 20);
  uint64_t steps = toy[1].steps;
  assert_int_equal(toy[1].logs, 1);
  assert_int_equal(toy[1].log[0].signal, 1);
  assert_true(loom_fabric_quiet(f));
  wake(f, 1);
  loom_fabric_run(f, 5);
  assert_int_equal(toy[1].steps, steps + 1);
  assert_int_equal(toy[1].seen, 1);
  toy[0].signal = 0;
  wake(f, 0);
  loom_fabric_run(f, 5);
  assert_int_equal(toy[1].logs, 2);
  assert_int_equal(toy[1].seen, 0);
  loom_fabric_destroy(f);
}

static void links_join_devices_with_wires_or_without(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  assert_int_equal(loom_fabric_add(f, &plain, NULL), 2);
  assert_int_equal(loom_fabric_connect(f, 0, 1, 2, 1, 1), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 2, 0, 2, 1, 1), 1);
  assert_int_equal(loom_fabric_link(f, 2, 0), 1);
  assert_int_equal(loom_fabric_link(f, 2, 2), LOOM_FABRIC_NONE);
  loom_fabric_destroy(f);
}

static void a_class_says_what_bit_errors_spare(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  loom_fabric_errors(f, 0, 1);
  for (uint64_t data = 2; data < 10; data++) {
    toy[0].word = toy[0].head = true;
    toy[0].data = data;
    wake(f, 0);
    loom_fabric_run(f, LATENCY + 2);
    bool same = toy[1].log[toy[1].logs - 1].data == data;
    assert_int_equal(same, data & 1);
  }
  assert_int_equal(loom_fabric_counts(f).spoilt, 4);
  loom_fabric_destroy(f);
}

/* ---- cables ---------------------------------------------------------------------------------- */

static void a_cut_cable_loses_what_is_under_way_and_the_signal(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  toy[0].signal = toy[1].signal = 1;
  wake(f, 0);
  wake(f, 1);
  loom_fabric_run(f, 10);
  toy[0].word = true;
  toy[0].reply = 1;
  wake(f, 0);
  loom_fabric_run(f, 1);
  uint32_t logs = toy[1].logs;
  assert_true(loom_fabric_is_joined(f, 0));
  loom_fabric_join(f, 0, false);
  assert_false(loom_fabric_is_joined(f, 0));
  loom_fabric_run(f, 10);
  for (uint32_t d = 0; d < 2; d++)
    assert_int_equal(toy[d].seen, 0);
  assert_int_equal(toy[1].logs, logs + 1); /* the signal, no word and no reply */
  assert_int_equal(toy[1].log[logs].valid | toy[1].log[logs].reply, 0);
  uint64_t flits[2], cut[2];
  loom_fabric_link_flits(f, 0, flits);
  toy[0].word = true;
  wake(f, 0);
  loom_fabric_run(f, 10);
  loom_fabric_link_flits(f, 0, cut);
  assert_memory_equal(flits, cut, sizeof flits);
  loom_fabric_destroy(f);
}

static void a_cable_that_is_joined_again_shows_the_signals(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  toy[0].signal = 1;
  wake(f, 0);
  loom_fabric_run(f, 10);
  loom_fabric_join(f, 0, false);
  loom_fabric_run(f, 10);
  /* What comes and goes meanwhile is not seen. */
  toy[1].signal = 1;
  wake(f, 1);
  loom_fabric_run(f, 5);
  loom_fabric_join(f, 0, true);
  loom_fabric_join(f, 0, true);
  uint64_t now = loom_fabric_now(f);
  loom_fabric_run(f, LATENCY + 2);
  for (uint32_t d = 0; d < 2; d++) {
    assert_int_equal(toy[d].seen, 1);
    assert_int_equal(toy[d].log[toy[d].logs - 1].cycle, now + LATENCY);
  }
  toy[0].word = true;
  wake(f, 0);
  loom_fabric_run(f, LATENCY + 2);
  assert_int_equal(toy[1].log[toy[1].logs - 1].valid, 1);
  loom_fabric_destroy(f);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void accesses_come_one_a_cycle_in_their_order(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  uint64_t now = loom_fabric_now(f);
  for (uint32_t i = 0; i < 40; i++)
    assert_true(loom_fabric_access(
        f, 0, &(struct loom_fabric_access){.addr = 100 + i, .data = i, .read = i == 39}));
  assert_true(loom_fabric_access(f, 1, &(struct loom_fabric_access){.addr = 7}));
  assert_int_equal(loom_fabric_waiting(f, 0), 40);
  assert_int_equal(loom_fabric_waiting(f, LOOM_FABRIC_NONE), 41);
  loom_fabric_run(f, 39);
  assert_int_equal(loom_fabric_waiting(f, LOOM_FABRIC_NONE), 1);
  loom_fabric_run(f, 5);
  assert_int_equal(loom_fabric_waiting(f, 0), 0);
  assert_int_equal(toy[0].logs, 40);
  for (uint32_t i = 0; i < 40; i++) {
    const struct heard *h = &toy[0].log[i];
    assert_int_equal(h->cycle, now + i);
    assert_int_equal(h->addr, 100 + i);
    assert_int_equal(h->value, i);
    assert_int_equal(h->read, i == 39);
  }
  assert_int_equal(toy[1].logs, 1);
  assert_true(loom_fabric_quiet(f));
  loom_fabric_destroy(f);
}

/* A toy whose even addresses are loaded. */
static bool load(void *device, uint32_t addr, uint32_t data) {
  struct toy *t = device;
  if (addr % 2)
    return false;
  t->loaded += data;
  return true;
}

static const struct loom_fabric_class loading = {.name = "loading",
                                                 .ports = PORTS,
                                                 .wires = true,
                                                 .spared = odd_data,
                                                 .step = step,
                                                 .sleeps = sleeps,
                                                 .load = load};

/* Two toys that are new, one of which loads, with these writes to both: to address 1, then to
 * address 0 `loaded` times, then to address 3. */
static struct loom_fabric *open_new_toys(struct toy *toy, uint32_t loaded) {
  const struct loom_fabric_cfg cfg = {.devices = 2, .links = 1, .latency = LATENCY, .seed = 5};
  struct loom_fabric *f = loom_fabric_create(&cfg);
  assert_non_null(f);
  memset(toy, 0, 2 * sizeof *toy);
  assert_int_equal(loom_fabric_add(f, &loading, &toy[0]), 0);
  assert_int_equal(loom_fabric_add(f, &wired, &toy[1]), 1);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 1, 0, LATENCY), 0);
  for (uint32_t d = 0; d < 2; d++)
    for (uint32_t i = 0; i < loaded + 2; i++) {
      uint32_t addr = i == 0 ? 1 : i > loaded ? 3 : 0;
      assert_true(loom_fabric_access(f, d, &(struct loom_fabric_access){.addr = addr, .data = i}));
    }
  return f;
}

/* Both have the same cycles of their buses, but who loads sleeps. */
static void writes_that_are_loaded_take_their_cycles(void **state) {
  (void)state;
  static const uint32_t few[] = {0, 1, 2, 3, 4, 100};
  for (uint32_t i = 0; i < sizeof few / sizeof *few; i++) {
    static struct toy toy[2];
    uint32_t n = few[i];
    struct loom_fabric *f = open_new_toys(toy, n);
    assert_int_equal(toy[0].loaded, n * (n + 1) / 2);
    for (uint32_t left = n + 2; left; left--) {
      assert_int_equal(loom_fabric_waiting(f, 0), left);
      assert_int_equal(loom_fabric_waiting(f, 1), left);
      loom_fabric_step(f);
    }
    assert_int_equal(loom_fabric_waiting(f, 0), 0);
    assert_int_equal(loom_fabric_waiting(f, LOOM_FABRIC_NONE), 0);
    assert_true(loom_fabric_quiet(f));
    assert_int_equal(toy[0].logs, 2);
    assert_int_equal(toy[0].log[0].cycle, 0);
    assert_int_equal(toy[0].log[1].cycle, toy[1].log[n + 1].cycle);
    assert_int_equal(toy[0].log[1].addr, 3);
    assert_in_range(toy[0].steps, 2, 4);
    assert_int_equal(toy[1].steps, n + 2);
    loom_fabric_destroy(f);
  }
}

/* Behind the last access, and for longer than a pause lasts. */
static void all_waits_until_loaded_writes_are_done(void **state) {
  (void)state;
  enum { LONG = 2000 };
  struct toy toy[2];
  const struct loom_fabric_cfg cfg = {.devices = 1, .links = 1, .latency = LATENCY, .seed = 5};
  struct loom_fabric *f = loom_fabric_create(&cfg);
  memset(toy, 0, sizeof toy);
  assert_int_equal(loom_fabric_add(f, &loading, &toy[0]), 0);
  for (uint32_t i = 0; i < LONG; i++)
    loom_fabric_access(f, 0, &(struct loom_fabric_access){.addr = 2});
  for (uint64_t left = LONG; left; left--) {
    assert_int_equal(loom_fabric_waiting(f, 0), left);
    assert_int_not_equal(loom_fabric_waiting(f, LOOM_FABRIC_NONE), 0);
    assert_false(loom_fabric_quiet(f));
    loom_fabric_step(f);
  }
  assert_int_equal(loom_fabric_waiting(f, LOOM_FABRIC_NONE), 0);
  assert_true(loom_fabric_quiet(f));
  assert_int_equal(toy[0].logs, 0);
  assert_in_range(toy[0].steps, 2, 8);
  loom_fabric_destroy(f);
}

/* What arrives meanwhile comes in its cycle, and takes none from the bus. */
static void a_word_meets_a_device_with_loaded_writes(void **state) {
  (void)state;
  static struct toy toy[2];
  struct loom_fabric *f = open_new_toys(toy, 100);
  loom_fabric_run(f, 50);
  toy[1].word = true;
  loom_fabric_run(f, 52);
  assert_int_equal(toy[0].logs, 3);
  assert_int_equal(toy[0].log[1].valid, 1);
  assert_int_equal(toy[0].log[1].cycle, 50 + LATENCY);
  assert_false(toy[0].log[1].access);
  assert_int_equal(toy[0].log[2].addr, 3);
  assert_int_equal(toy[0].log[2].cycle, 101);
  loom_fabric_destroy(f);
}

/* Else a read would see what is written after it, or a packet in a later cycle. */
static void nothing_is_loaded_after_a_read_or_the_first_cycle(void **state) {
  (void)state;
  static struct toy toy[2];
  struct loom_fabric *f = open_new_toys(toy, 1);
  loom_fabric_access(f, 0, &(struct loom_fabric_access){.addr = 0, .read = true});
  loom_fabric_access(f, 0, &(struct loom_fabric_access){.addr = 0, .data = 7});
  loom_fabric_run(f, 5);
  loom_fabric_access(f, 0, &(struct loom_fabric_access){.addr = 0, .data = 9});
  loom_fabric_run(f, 1);
  assert_int_equal(toy[0].loaded, 1);
  assert_int_equal(toy[0].log[toy[0].logs - 1].value, 9);
  loom_fabric_destroy(f);
  f = open_new_toys(toy, 1);
  loom_fabric_run(f, 1);
  loom_fabric_access(f, 0, &(struct loom_fabric_access){.addr = 0, .data = 9});
  assert_int_equal(toy[0].loaded, 1);
  loom_fabric_destroy(f);
}

/* ---- the first cycle ------------------------------------------------------------------------- */

static void cycles_count_from_where_the_fabric_begins(void **state) {
  (void)state;
  struct toy toy[2];
  struct loom_fabric *f = open_toys(toy);
  assert_int_equal(loom_fabric_cycle(f), LOOM_FABRIC_BEFORE);
  loom_fabric_run(f, 9);
  loom_fabric_begin(f);
  assert_int_equal(loom_fabric_cycle(f), 0);
  assert_int_equal(loom_fabric_now(f), 10);
  loom_fabric_run(f, 4);
  assert_int_equal(loom_fabric_cycle(f), 4);
  loom_fabric_advance(f, 110);
  assert_int_equal(loom_fabric_cycle(f), 100);
  assert_false(loom_fabric_is_stepping(f));
  loom_fabric_destroy(f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replies_arrive_after_the_latency_with_their_vc),
      cmocka_unit_test(a_signal_is_seen_until_it_goes),
      cmocka_unit_test(links_join_devices_with_wires_or_without),
      cmocka_unit_test(a_class_says_what_bit_errors_spare),
      cmocka_unit_test(a_cut_cable_loses_what_is_under_way_and_the_signal),
      cmocka_unit_test(a_cable_that_is_joined_again_shows_the_signals),
      cmocka_unit_test(accesses_come_one_a_cycle_in_their_order),
      cmocka_unit_test(writes_that_are_loaded_take_their_cycles),
      cmocka_unit_test(all_waits_until_loaded_writes_are_done),
      cmocka_unit_test(a_word_meets_a_device_with_loaded_writes),
      cmocka_unit_test(nothing_is_loaded_after_a_read_or_the_first_cycle),
      cmocka_unit_test(cycles_count_from_where_the_fabric_begins),
  };
  return UNIT_RUN("fabric_wires", tests, NULL, NULL);
}
