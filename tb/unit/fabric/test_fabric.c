/* SPDX-License-Identifier: Apache-2.0 */
/* test_fabric.c - fabrics of devices that links join, with a class of its own and with the twins of
 * the switches, no circuit (docs/fabric.md)
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/fabric_bench.h"

/* ---- a device that does what a list says ----------------------------------------------------- */

enum { SCRIPT = 600, TOYS = 4 };

struct toy_event {
  uint64_t cycle;
  uint64_t data;
  uint8_t port, vl;
  bool credit, head, tail;
};

struct toy {
  struct toy_event send[SCRIPT], came[SCRIPT];
  uint32_t sends, next, comes, writes;
  uint64_t steps, last;
  struct loom_fabric_wait wait[4];
  uint32_t waits;
  bool at_once; /* shows all ports of a cycle by one call */
};

static void toy_show(struct toy *t, const struct loom_fabric_show *show, uint64_t now) {
  for (; t->next < t->sends && t->send[t->next].cycle == now; t->next++) {
    const struct toy_event *e = &t->send[t->next];
    if (e->credit)
      loom_fabric_credit(show, e->port, e->vl);
    else
      loom_fabric_flit(show, e->port, e->head, e->tail, e->vl, e->data);
  }
}

static void toy_show_at_once(struct toy *t, const struct loom_fabric_show *show, uint64_t now) {
  uint8_t vl[LOOM_FABRIC_PORTS], cr_vl[LOOM_FABRIC_PORTS];
  uint64_t data[LOOM_FABRIC_PORTS];
  struct loom_fabric_shown all = {.vl = vl, .cr_vl = cr_vl, .data = data};
  for (; t->next < t->sends && t->send[t->next].cycle == now; t->next++) {
    const struct toy_event *e = &t->send[t->next];
    *(e->credit ? &all.credit : &all.valid) |= 1ull << e->port;
    *(e->credit ? &cr_vl[e->port] : &vl[e->port]) = e->vl;
    if (e->credit)
      continue;
    all.head |= (uint64_t)e->head << e->port;
    all.tail |= (uint64_t)e->tail << e->port;
    data[e->port] = e->data;
  }
  loom_fabric_show(show, &all);
}

static void toy_step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                     const struct loom_fabric_show *show) {
  struct toy *t = device;
  t->steps++;
  t->last = now;
  (t->at_once ? toy_show_at_once : toy_show)(t, show, now);
  for (uint32_t port = 0; port < LOOM_FABRIC_PORTS; port++) {
    if (in->valid >> port & 1)
      t->came[t->comes++] = (struct toy_event){.cycle = now,
                                               .data = in->port[port].data,
                                               .port = (uint8_t)port,
                                               .vl = in->port[port].vl,
                                               .head = in->head >> port & 1,
                                               .tail = in->tail >> port & 1};
    if (in->credit >> port & 1)
      t->came[t->comes++] = (struct toy_event){
          .cycle = now, .port = (uint8_t)port, .vl = in->port[port].cr_vl, .credit = true};
  }
}

static bool toy_sleeps(const void *device) {
  const struct toy *t = device;
  return t->next == t->sends;
}

static void toy_write(void *device, uint32_t addr, uint32_t data) {
  struct toy *t = device;
  t->writes += addr * data;
}

static uint32_t toy_waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                          uint32_t max) {
  const struct toy *t = device;
  for (uint32_t i = 0; i < t->waits && i < max; i++) {
    list[i] = t->wait[i];
    list[i].from.device = list[i].to.device = number;
  }
  return t->waits;
}

static const struct loom_fabric_class toy_class = {
    .name = "toy", .step = toy_step, .sleeps = toy_sleeps, .write = toy_write, .waits = toy_waits};
static const struct loom_fabric_class still_class = {
    .name = "still", .step = toy_step, .sleeps = toy_sleeps};

static struct loom_fabric *open_seeded(struct toy *toy, uint32_t latency, uint64_t seed) {
  struct loom_fabric *f = loom_fabric_create(
      &(struct loom_fabric_cfg){.devices = TOYS, .links = TOYS, .latency = latency, .seed = seed});
  assert_non_null(f);
  memset(toy, 0, TOYS * sizeof *toy);
  for (uint32_t i = 0; i < TOYS; i++)
    assert_int_equal(loom_fabric_add(f, &toy_class, &toy[i]), i);
  return f;
}

static struct loom_fabric *open_toys(struct toy *toy, uint32_t latency) {
  return open_seeded(toy, latency, 5);
}

static void plan(struct toy *t, const struct toy_event *e) { t->send[t->sends++] = *e; }

static void run(struct loom_fabric *f, uint64_t cycles) {
  for (; cycles; cycles--)
    loom_fabric_step(f);
}

/* ---- the engine ------------------------------------------------------------------------------ */

static void sizes_out_of_range_are_refused(void **state) {
  static struct toy toy[TOYS];
  (void)state;
  assert_null(loom_fabric_create(&(struct loom_fabric_cfg){.devices = 1, .links = 1}));
  assert_null(loom_fabric_create(
      &(struct loom_fabric_cfg){.devices = 1, .links = 1, .latency = LOOM_FABRIC_LATENCY + 1}));
  struct loom_fabric *f = open_toys(toy, 4);
  assert_int_equal(loom_fabric_add(f, &toy_class, &toy[0]), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 1, 0, 0), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 1, 0, 5), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 0, 0, TOYS, 0, 1), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 0, LOOM_FABRIC_PORTS, 1, 0, 1), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 0, 0, 1), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 1, 0, 4), 0);
  assert_int_equal(loom_fabric_connect(f, 0, 0, 2, 0, 1), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 2, 0, 1, 0, 1), LOOM_FABRIC_NONE);
  assert_int_equal(loom_fabric_connect(f, 2, 0, 2, 1, 1), 1); /* to itself */
  assert_ptr_equal(loom_fabric_device(f, 1), &toy[1]);
  loom_fabric_destroy(f);
  loom_fabric_destroy(NULL);
}

/* A link needs a port at both ends; a class without a number has the most. */
static void a_class_says_how_many_ports_there_are(void **state) {
  static const struct loom_fabric_class narrow = {
      .name = "narrow", .ports = 2, .step = toy_step, .sleeps = toy_sleeps};
  static struct toy toy[TOYS];
  (void)state;
  struct loom_fabric *f = loom_fabric_create(&(struct loom_fabric_cfg){TOYS, 4, 1, 0});
  assert_non_null(f);
  for (uint32_t i = 0; i < TOYS; i++)
    loom_fabric_add(f, i ? &narrow : &toy_class, &toy[i]);
  for (uint32_t port = 2; port < LOOM_FABRIC_PORTS; port++) {
    assert_int_equal(loom_fabric_connect(f, 0, port, 1, port, 1), LOOM_FABRIC_NONE);
    assert_int_equal(loom_fabric_connect(f, 1, port, 0, port, 1), LOOM_FABRIC_NONE);
  }
  assert_int_equal(loom_fabric_connect(f, 1, 1, 0, LOOM_FABRIC_PORTS - 1, 1), 0);
  loom_fabric_destroy(f);
}

/* What is shown in cycle c arrives in c + latency, as it was, whatever the latency. */
static void what_is_shown_arrives_after_the_latency(void **state) {
  static struct toy toy[TOYS];
  (void)state;
  for (uint32_t latency = 1; latency <= LOOM_FABRIC_LATENCY; latency++) {
    struct loom_fabric *f = open_toys(toy, latency);
    assert_int_equal(loom_fabric_connect(f, 0, 63, 1, 5, latency), 0);
    assert_int_equal(loom_fabric_connect(f, 0, 1, 2, 0, 1), 1);
    for (uint64_t c = 0; c < 200; c++) {
      plan(&toy[0], &(struct toy_event){c, c * 0x123456789ABCDEFull, 63, c % 32, false, c % 3 == 0,
                                        c % 5 == 0});
      plan(&toy[0],
           &(struct toy_event){.cycle = c, .port = 1, .vl = (uint8_t)(c % 7), .credit = true});
      plan(&toy[1],
           &(struct toy_event){.cycle = c, .port = 5, .vl = (uint8_t)(c % 9), .credit = true});
      plan(&toy[0], &(struct toy_event){.cycle = c, .port = 2, .data = 1}); /* no link */
    }
    run(f, 200 + latency);
    assert_true(loom_fabric_quiet(f));
    assert_int_equal(toy[1].comes, 200);
    assert_int_equal(toy[0].comes, 200);
    assert_int_equal(toy[2].comes, 200);
    for (uint32_t i = 0; i < 200; i++) {
      assert_memory_equal(&toy[1].came[i].data, &toy[0].send[3 * i].data, sizeof(uint64_t));
      assert_int_equal(toy[1].came[i].cycle, i + latency);
      assert_int_equal(toy[1].came[i].head, i % 3 == 0);
      assert_int_equal(toy[1].came[i].tail, i % 5 == 0);
      assert_int_equal(toy[1].came[i].vl, i % 32);
      assert_int_equal(toy[2].came[i].cycle, i + 1);
      assert_int_equal(toy[2].came[i].vl, i % 7);
      assert_int_equal(toy[0].came[i].cycle, i + latency);
      assert_int_equal(toy[0].came[i].vl, i % 9);
      assert_true(toy[0].came[i].credit && toy[0].came[i].port == 63);
    }
    uint64_t flits[2];
    loom_fabric_link_flits(f, 0, flits);
    assert_int_equal(flits[0], 200);
    assert_int_equal(flits[1], 0);
    assert_int_equal(loom_fabric_counts(f).flits, 200);
    assert_int_equal(loom_fabric_last_flit(f), 199);
    loom_fabric_destroy(f);
  }
}

/* Flits and credits of several ports, shown by one call: each comes with what is its own. */
static void what_is_shown_at_once_arrives_port_by_port(void **state) {
  static struct toy toy[TOYS];
  uint32_t flits = 0, seen[TOYS] = {0};
  (void)state;
  struct loom_fabric *f = open_toys(toy, 2);
  toy[0].at_once = true;
  for (uint32_t i = 1; i < TOYS; i++)
    loom_fabric_connect(f, 0, i, i, 0, 2);
  for (uint64_t c = 0; c < 100; c++)
    for (uint32_t port = 1; port < TOYS; port++) {
      if ((c + port) % 3)
        plan(&toy[0],
             &(struct toy_event){c, c * 0x123456789ABCDEFull + port, (uint8_t)port,
                                 (uint8_t)((c + port) % 32), false, c % 4 == port, c % 5 == port});
      if ((c + port) % 4)
        plan(&toy[0], &(struct toy_event){.cycle = c,
                                          .port = (uint8_t)port,
                                          .vl = (uint8_t)(c * port % 32),
                                          .credit = true});
    }
  run(f, 102);
  for (uint32_t i = 0; i < toy[0].sends; i++) {
    const struct toy_event *sent = &toy[0].send[i];
    const struct toy_event *came = &toy[sent->port].came[seen[sent->port]++];
    assert_int_equal(came->cycle, sent->cycle + 2);
    assert_int_equal(came->credit, sent->credit);
    assert_int_equal(came->vl, sent->vl);
    assert_int_equal(came->head, sent->head);
    assert_int_equal(came->tail, sent->tail);
    assert_true(came->data == sent->data);
    flits += !sent->credit;
  }
  for (uint32_t i = 1; i < TOYS; i++)
    assert_int_equal(toy[i].comes, seen[i]);
  assert_int_equal(loom_fabric_counts(f).flits, flits);
  assert_int_equal(loom_fabric_last_flit(f), 99);
  loom_fabric_destroy(f);
}

/* Nobody who sleeps is stepped; what arrives or a call wakes for one cycle. */
static void sleepers_cost_nothing(void **state) {
  static struct toy toy[TOYS];
  (void)state;
  struct loom_fabric *f = open_toys(toy, 3);
  loom_fabric_connect(f, 0, 0, 1, 0, 3);
  assert_false(loom_fabric_quiet(f));
  run(f, 1);
  assert_true(loom_fabric_quiet(f));
  assert_int_equal(loom_fabric_counts(f).steps, TOYS);
  run(f, 1000);
  assert_int_equal(loom_fabric_counts(f).steps, TOYS);
  assert_int_equal(loom_fabric_now(f), 1001);

  loom_fabric_advance(f, 1000000);
  assert_int_equal(loom_fabric_now(f), 1000000);
  loom_fabric_advance(f, 7); /* never back */
  assert_int_equal(loom_fabric_now(f), 1000000);
  plan(&toy[0], &(struct toy_event){.cycle = 1000000, .data = 77, .head = true});
  loom_fabric_wake(f, 0);
  run(f, 1);
  assert_false(loom_fabric_quiet(f)); /* under way */
  run(f, 3);
  assert_true(loom_fabric_quiet(f));
  assert_int_equal(loom_fabric_counts(f).steps, TOYS + 2);
  assert_int_equal(toy[1].last, 1000003);
  assert_int_equal(toy[1].came[0].data, 77);
  assert_int_equal(toy[1].came[0].cycle, 1000003);
  loom_fabric_destroy(f);
}

/* In its step device 1 wakes all others. */
struct waker {
  struct loom_fabric *f;
  uint32_t steps[TOYS];
  bool wakes;
};
struct waker_end {
  struct waker *all;
  uint32_t number;
};

static void waker_step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                       const struct loom_fabric_show *show) {
  struct waker_end *w = device;
  (void)in;
  (void)show;
  w->all->steps[w->number] = (uint32_t)now + 1;
  for (uint32_t i = 0; w->all->wakes && w->number == 1 && i < TOYS; i++)
    loom_fabric_wake(w->all->f, i);
  w->all->wakes = false;
}

static bool always(const void *device) {
  (void)device;
  return true;
}

static void waking_counts_in_this_cycle_or_the_next(void **state) {
  static const struct loom_fabric_class class = {
      .name = "waker", .step = waker_step, .sleeps = always};
  struct waker w = {.f = loom_fabric_create(&(struct loom_fabric_cfg){TOYS, 0, 1, 0})};
  struct waker_end end[TOYS];
  (void)state;
  assert_non_null(w.f);
  for (uint32_t i = 0; i < TOYS; i++) {
    end[i] = (struct waker_end){&w, i};
    loom_fabric_add(w.f, &class, &end[i]);
  }
  run(w.f, 10);
  w.wakes = true;
  loom_fabric_wake(w.f, 1);
  run(w.f, 1);
  const uint32_t first[TOYS] = {1, 11, 11, 11}, second[TOYS] = {12, 12, 11, 11};
  assert_memory_equal(w.steps, first, sizeof first);
  run(w.f, 1);
  assert_memory_equal(w.steps, second, sizeof second);
  assert_true(loom_fabric_quiet(w.f));
  loom_fabric_destroy(w.f);
}

/* ---- every core ------------------------------------------------------------------------------ */

enum { SHARED = 24, ALONE = 8 };

/* Devices of two kinds, in turn: who has stepped them, and in which order those that are not
 * apart. */
struct crowd {
  _Atomic uint32_t here; /* steps that others have begun */
  uint32_t order[SHARED + ALONE], steps;
};
struct crowd_device {
  struct crowd *crowd;
  uint32_t worker, number;
};

/* The caller's steps wait for one by another worker. */
static void step_beside(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                        const struct loom_fabric_show *show) {
  struct crowd_device *d = device;
  (void)now;
  (void)in;
  d->worker = show->worker;
  atomic_fetch_add(&d->crowd->here, show->worker != 0);
  while (!atomic_load(&d->crowd->here))
    ;
}

static void step_alone(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                       const struct loom_fabric_show *show) {
  struct crowd_device *d = device;
  (void)now;
  (void)in;
  d->worker = show->worker;
  d->crowd->order[d->crowd->steps++] = d->number;
}

static void workers_step_what_is_apart_and_the_caller_the_rest_in_order(void **state) {
  static const struct loom_fabric_class beside = {
      .name = "beside", .apart = true, .step = step_beside, .sleeps = always};
  static const struct loom_fabric_class alone = {
      .name = "alone", .step = step_alone, .sleeps = always};
  struct crowd crowd = {.steps = 0};
  struct crowd_device device[SHARED + ALONE];
  struct loom_fabric *f = loom_fabric_create(
      &(struct loom_fabric_cfg){.devices = SHARED + ALONE, .latency = 1, .seed = 1});
  (void)state;
  assert_non_null(f);
  for (uint32_t i = 0; i < SHARED + ALONE; i++) {
    device[i] = (struct crowd_device){.crowd = &crowd, .worker = UINT32_MAX, .number = i};
    loom_fabric_add(f, i % 4 == 3 ? &alone : &beside, &device[i]);
  }
  assert_false(loom_fabric_share(f, 1));
  assert_true(loom_fabric_share(f, 2));
  assert_false(loom_fabric_share(f, 2));
  run(f, 1);
  for (uint32_t i = 0; i < SHARED + ALONE; i++)
    assert_in_range(device[i].worker, 0, i % 4 == 3 ? 0 : 1);
  assert_int_equal(crowd.steps, ALONE);
  for (uint32_t i = 0; i < ALONE; i++)
    assert_int_equal(crowd.order[i], 4 * i + 3);
  assert_int_equal(loom_fabric_counts(f).steps, SHARED + ALONE);
  assert_true(loom_fabric_quiet(f));
  loom_fabric_destroy(f);
}

/* Those apart are no more cycles behind than the shortest of their links takes, whichever of its
 * ends was named first. */
static void what_is_apart_is_behind_by_its_shortest_link(void **state) {
  static const struct loom_fabric_class apart = {
      .name = "apart", .apart = true, .step = toy_step, .sleeps = toy_sleeps};
  static struct toy toy[TOYS];
  enum { SHORT = 2, LONG = 9 };
  (void)state;
  for (uint32_t first = 0; first < 2; first++) {
    struct loom_fabric *f = open_toys(toy, LONG);
    loom_fabric_replace(f, 0, &apart, &toy[0]);
    loom_fabric_replace(f, 3, &apart, &toy[3]);
    loom_fabric_connect(f, first ? 0 : 1, 0, first ? 1 : 0, 0, SHORT);
    loom_fabric_connect(f, first ? 2 : 3, 0, first ? 3 : 2, 0, LONG);
    loom_fabric_lag(f, LOOM_FABRIC_LAG);
    for (uint64_t c = 0; c < 90; c += 5)
      for (uint32_t i = 0; i < TOYS; i++)
        plan(&toy[i], &(struct toy_event){.cycle = c});
    run(f, 100);
    loom_fabric_settle(f);
    for (uint32_t i = 0; i < TOYS; i++) {
      assert_int_equal(toy[i].comes, 18);
      for (uint32_t e = 0; e < 18; e++)
        assert_int_equal(toy[i].came[e].cycle, 5 * e + (i < 2 ? SHORT : LONG));
    }
    loom_fabric_destroy(f);
  }
}

static void replaced_devices_and_writes_go_where_they_should(void **state) {
  static struct toy toy[TOYS], other;
  (void)state;
  memset(&other, 0, sizeof other);
  struct loom_fabric *f = open_toys(toy, 1);
  loom_fabric_connect(f, 0, 0, 1, 0, 1);
  run(f, 1);
  loom_fabric_replace(f, 1, &still_class, &other);
  assert_ptr_equal(loom_fabric_device(f, 1), &other);
  loom_fabric_write(f, 1, 3, 5); /* no bus */
  assert_true(toy[1].writes == 0 && other.writes == 0);
  loom_fabric_write(f, 0, 3, 5);
  assert_int_equal(toy[0].writes, 15);
  plan(&toy[0], &(struct toy_event){.cycle = 1, .data = 9});
  run(f, 3);
  assert_int_equal(other.comes, 1);
  assert_int_equal(other.steps, 2); /* for what has come, and as it was new */
  assert_int_equal(toy[1].comes, 0);
  loom_fabric_destroy(f);
}

/* Half of the flits that are no heads have one wrong bit, all of them counted; by the seed only. */
static void bit_errors_are_counted_and_never_in_heads(void **state) {
  static struct toy toy[TOYS];
  uint64_t before[SCRIPT] = {0};
  (void)state;
  for (uint32_t round = 0; round < 4; round++) {
    const double rate[] = {0.5, 0.5, 0, 1};
    struct loom_fabric *f = open_toys(toy, 1);
    uint32_t spoilt = 0;
    loom_fabric_connect(f, 0, 0, 1, 0, 1);
    loom_fabric_connect(f, 2, 0, 3, 0, 1);
    loom_fabric_errors(f, 0, rate[round]);
    for (uint32_t c = 0; c < SCRIPT; c++) {
      plan(&toy[0], &(struct toy_event){.cycle = c, .data = c, .head = c % 4 == 0});
      plan(&toy[2], &(struct toy_event){.cycle = c, .data = c});
    }
    run(f, SCRIPT + 1);
    for (uint32_t c = 0; c < SCRIPT; c++) {
      uint64_t wrong = toy[1].came[c].data ^ c;
      assert_true(loom_popcount(wrong) <= (c % 4 != 0));
      assert_int_equal(toy[3].came[c].data, c);
      assert_true(round != 1 || before[c] == wrong);
      before[c] = wrong;
      spoilt += wrong != 0;
    }
    assert_int_equal(loom_fabric_counts(f).spoilt, spoilt);
    assert_true(rate[round] != 1 || spoilt == SCRIPT / 4 * 3);
    assert_true(rate[round] != 0 || spoilt == 0);
    assert_true(rate[round] != 0.5 || (spoilt > SCRIPT / 4 && spoilt < SCRIPT / 2));
    loom_fabric_destroy(f);
  }
}

/* Spares flits whose data say that they are what they are told to be. */
static bool is_told_right(bool head, bool tail, uint64_t data) {
  return head == (data >> 1 & 1) && tail == (data & 1);
}

/* The class at the far end is asked with the flit as it was shown, one by one or at once. */
static void a_class_is_told_which_flit_it_may_spare(void **state) {
  static const struct loom_fabric_class asked = {
      .name = "asked", .spared = is_told_right, .step = toy_step, .sleeps = toy_sleeps};
  static struct toy toy[TOYS];
  (void)state;
  for (uint32_t at_once = 0; at_once < 2; at_once++) {
    struct loom_fabric *f = open_toys(toy, 1);
    toy[0].at_once = at_once;
    loom_fabric_replace(f, 1, &asked, &toy[1]);
    loom_fabric_connect(f, 0, 3, 1, 2, 1);
    loom_fabric_errors(f, 0, 1);
    for (uint32_t c = 0; c < 16; c++)
      plan(&toy[0], &(struct toy_event){
                        .cycle = c, .port = 3, .data = c, .head = c >> 1 & 1, .tail = c & 1});
    run(f, 17);
    assert_int_equal(toy[1].comes, 16);
    assert_int_equal(loom_fabric_counts(f).spoilt, 0);
    loom_fabric_destroy(f);
  }
}

/* A cable that is cut, between ports of different numbers, takes nothing either way; the others of
 * its devices do. */
static void a_cut_cable_carries_nothing_either_way(void **state) {
  static struct toy toy[TOYS];
  (void)state;
  for (uint32_t cut = 0; cut < 3; cut++) {
    struct loom_fabric *f = open_toys(toy, 1);
    static const uint8_t port[3][2] = {{0, 2}, {3, 1}, {2, 0}};
    for (uint32_t link = 0; link < 3; link++)
      loom_fabric_connect(f, 0, port[link][0], 1, port[link][1], 1);
    loom_fabric_join(f, cut, false);
    for (uint32_t link = 0; link < 3; link++)
      for (uint32_t side = 0; side < 2; side++)
        plan(&toy[side], &(struct toy_event){.port = port[link][side]});
    run(f, 3);
    for (uint32_t side = 0; side < 2; side++) {
      assert_int_equal(toy[side].comes, 2);
      for (uint32_t i = 0; i < 2; i++)
        assert_int_not_equal(toy[side].came[i].port, port[cut][side]);
    }
    loom_fabric_destroy(f);
  }
}

/* The errors of each link, direction and seed are others, of neighbouring seeds too. */
static void bit_errors_are_of_a_direction_of_a_link(void **state) {
  static struct toy toy[TOYS];
  static uint64_t wrong[2 * TOYS][SCRIPT];
  (void)state;
  for (uint32_t seed = 0; seed < 2; seed++) {
    struct loom_fabric *f = open_seeded(toy, 1, seed);
    for (uint32_t link = 0; link < 2; link++) {
      loom_fabric_connect(f, 2 * link, 0, 2 * link + 1, 0, 1);
      loom_fabric_errors(f, link, 0.5);
    }
    for (uint32_t c = 0; c < SCRIPT; c++)
      for (uint32_t i = 0; i < TOYS; i++)
        plan(&toy[i], &(struct toy_event){.cycle = c});
    run(f, SCRIPT + 1);
    for (uint32_t i = 0; i < TOYS; i++)
      for (uint32_t c = 0; c < SCRIPT; c++)
        wrong[seed * TOYS + i][c] = toy[i].came[c].data;
    loom_fabric_destroy(f);
  }
  for (uint32_t a = 0; a < 2 * TOYS; a++)
    for (uint32_t b = 0; b <= a; b++) {
      uint32_t same = 0; /* the same bit of the same flit */
      for (uint32_t c = 0; c < SCRIPT; c++)
        same += wrong[a][c] && wrong[a][c] == wrong[b][c];
      assert_in_range(same, a == b ? SCRIPT / 3 : 0, a == b ? SCRIPT / 3 * 2 : 20);
    }
}

static struct loom_fabric_wait wait_of(uint32_t port, uint32_t vl, bool output, uint32_t to_port,
                                       uint32_t to_vl, bool to_output) {
  return (struct loom_fabric_wait){.from = {0, (uint8_t)port, (uint8_t)vl, output},
                                   .to = {0, (uint8_t)to_port, (uint8_t)to_vl, to_output}};
}

/* Three toys in a ring by their ports 0 and 1, and a tail that leads into it. */
static void a_cycle_of_waits_is_found_where_there_is_one(void **state) {
  static struct toy toy[TOYS];
  struct loom_fabric_place cycle[8];
  bool ok = false;
  (void)state;
  struct loom_fabric *f = open_toys(toy, 1);
  for (uint32_t i = 0; i < 3; i++)
    loom_fabric_connect(f, i, 0, (i + 1) % 3, 1, 1);
  loom_fabric_connect(f, 3, 0, 0, 2, 1);
  assert_int_equal(loom_fabric_waiting_cycle(f, cycle, 8, &ok), 0);
  assert_true(ok);
  for (uint32_t i = 0; i < TOYS; i++) {
    toy[i].wait[0] = wait_of(0, 3, true, 0, 3, true);
    toy[i].wait[1] = wait_of(1, 3, false, 5, 1, true);
    toy[i].waits = 2;
  }
  toy[0].wait[2] = wait_of(2, 3, false, 0, 3, true);
  toy[0].waits = 3;
  assert_int_equal(loom_fabric_waiting_cycle(f, cycle, 8, &ok), 0);
  for (uint32_t i = 0; i < 3; i++)
    toy[i].wait[toy[i].waits++] = wait_of(1, 3, false, 0, 3, true);
  assert_int_equal(loom_fabric_waiting_cycle(f, cycle, 8, &ok), 6);
  for (uint32_t i = 0; i < 6; i++) {
    const struct loom_fabric_place *p = &cycle[i], *next = &cycle[(i + 1) % 6];
    assert_int_equal(p->vl, 3);
    assert_int_equal(p->port, !p->output);
    assert_int_equal(next->device, p->output ? (p->device + 1) % 3 : p->device);
    assert_int_equal(next->output, !p->output);
  }
  assert_int_equal(loom_fabric_waiting_cycle(f, cycle, 2, &ok), 6);
  struct loom_fabric_place *last = &toy[1].wait[toy[1].waits - 1].from;
  last->vl = 4; /* another lane's packet: the circle is open */
  assert_int_equal(loom_fabric_waiting_cycle(f, cycle, 8, &ok), 0);
  last->vl = 3;
  toy[2].waits = 1;
  assert_int_equal(loom_fabric_waiting_cycle(f, cycle, 8, &ok), 0);
  loom_fabric_destroy(f);
}

/* ---- switches in a fabric -------------------------------------------------------------------- */

static const enum switch_kind kinds[] = {IB, OPA};

/* Station 0, the switches in a row over ports 1 and 0, station 1; links of latency 1, 2, ... */
static void open_row(struct fabric_bench *b, const char *params, uint32_t switches) {
  b->latency = 8;
  fabric_open(b, params, switches, 2);
  fabric_join_station(b, 0, 0, 0, 1);
  for (uint32_t i = 0; i + 1 < switches; i++)
    fabric_join(b, i, 1, i + 1, 0, i + 2);
  fabric_join_station(b, 1, switches - 1, 1, switches + 1);
  for (uint32_t i = 0; i < switches; i++) {
    fabric_lft(b, i, 0, 0);
    fabric_lft(b, i, 1, 1);
  }
  fabric_ready(b);
}

/* 8 cycles a switch and the latency of each link. */
static void a_packet_alone_takes_the_latencies_exactly(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t n = 1; n <= SWITCHES_MAX; n++) {
      struct fabric_bench b = {.kind = kinds[k]};
      open_row(&b, SMALL, n);
      fabric_run(&b, 5);
      fabric_post(&b, 0, 0, 1, 0, 0, 20);
      fabric_post(&b, 1, 500, 0, 0, 0, 1);
      fabric_run(&b, 1000);
      uint64_t links = (n + 1) * (n + 2) / 2;
      assert_int_equal(b.station[1]->received, 1);
      assert_int_equal(b.station[0]->first_head, 5);
      assert_int_equal(b.station[1]->arrival[0].cycle, 5 + 8 * n + links);
      assert_int_equal(b.station[1]->last_tail, 5 + 8 * n + links + 19);
      assert_int_equal(b.station[0]->arrival[0].cycle, 500 + 8 * n + links);
      fabric_close(&b);
    }
}

/* Ports of different MPorts: over the central buffers. */
static void the_central_takes_a_cycle_more(void **state) {
  struct fabric_bench b = {.kind = OPA};
  (void)state;
  fabric_open(&b, SMALL, 1, 2);
  fabric_join_station(&b, 0, 0, 2, 1);
  fabric_join_station(&b, 1, 0, 6, 1);
  fabric_lft(&b, 0, 1, 6);
  fabric_ready(&b);
  fabric_post(&b, 0, 3, 1, 0, 0, 5);
  fabric_run(&b, 100);
  assert_int_equal(b.station[1]->arrival[0].cycle, 3 + 9 + 2);
  fabric_close(&b);
}

/* Four switches joined over ports 1 (to the next) and 5 (to the one before), stations at port
 * `home`. Through an OPA switch it goes over the central buffers. A ring: everything goes on to the
 * next. A line: there and back, so nothing can deadlock. */
static void open_four(struct fabric_bench *b, const char *params, bool ring, uint32_t home) {
  fabric_open(b, params, 4, 4);
  for (uint32_t i = 0; i < 4; i++) {
    fabric_join_station(b, i, i, home, 1);
    if (i < 3 || ring)
      fabric_join(b, i, 1, (i + 1) % 4, 5, 1);
    for (uint32_t lid = 0; lid < 4; lid++)
      fabric_lft(b, i, lid, lid == i ? home : lid < i && !ring ? 5 : 1);
  }
  fabric_ready(b);
}

static void open_ring(struct fabric_bench *b, const char *params) { open_four(b, params, true, 0); }
static void open_line(struct fabric_bench *b, const char *params) {
  open_four(b, params, false, 0);
}

/* Packets of all lengths from everybody to everybody, in bursts. */
static void post_bursts(struct fabric_bench *b, uint32_t packets, uint32_t most, uint32_t vls,
                        uint32_t pause) {
  uint64_t seed = 11, at[STATIONS_MAX] = {0};
  for (uint32_t i = 0; i < packets; i++)
    for (uint32_t s = 0; s < b->stations; s++) {
      uint32_t dest = (s + 1 + loom_below(&seed, b->stations - 1)) % b->stations;
      if (loom_chance(&seed, 10))
        at[s] += loom_below(&seed, pause);
      uint32_t vl = loom_below(&seed, vls);
      fabric_post(b, s, at[s], dest, vl, vl, 1 + loom_below(&seed, most));
    }
}

static void expect_order(const struct station *s) {
  uint32_t next[STATIONS_MAX][32] = {{0}};
  for (uint32_t i = 0; i < s->received; i++) {
    const struct station_arrival *a = &s->arrival[i];
    assert_true(a->id + 1 > next[a->src][a->vl]);
    next[a->src][a->vl] = a->id + 1;
  }
}

static uint32_t received(const struct fabric_bench *b) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < b->stations; i++)
    sum += b->station[i]->received;
  return sum;
}

/* Everything comes, in the order of its flow, and then all is quiet. */
static void packets_of_a_flow_arrive_in_order(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2; k++) {
    struct fabric_bench b = {.kind = kinds[k]};
    open_line(&b, SMALL);
    post_bursts(&b, 200, 30, 3, 3000);
    fabric_run(&b, 60000);
    assert_int_equal(received(&b), 4 * 200);
    for (uint32_t i = 0; i < 4; i++)
      expect_order(b.station[i]);
    assert_true(loom_fabric_quiet(b.f));
    uint64_t steps = loom_fabric_counts(b.f).steps;
    fabric_run(&b, 1000);
    assert_int_equal(loom_fabric_counts(b.f).steps, steps);
    fabric_close(&b);
  }
}

/* Devices added the other way round: each station sees the same in the same cycles, with errors on
 * the links. */
static void the_order_of_the_devices_does_not_matter(void **state) {
  uint64_t trace[4] = {0}, spoilt = 0;
  (void)state;
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t round = 0; round < 2; round++) {
      struct fabric_bench b = {.kind = kinds[k], .backwards = round};
      open_line(&b, SMALL);
      for (uint32_t link = 0; link < 7; link++)
        loom_fabric_errors(b.f, link, 0.01);
      post_bursts(&b, 200, 30, 3, 300);
      fabric_run(&b, 30000);
      assert_int_equal(received(&b), 4 * 200);
      uint64_t damaged = 0;
      for (uint32_t i = 0; i < 4; i++) {
        assert_true(!round || trace[i] == b.station[i]->trace);
        trace[i] = b.station[i]->trace;
        damaged += b.station[i]->damaged;
      }
      assert_true(damaged > 0 && damaged <= loom_fabric_counts(b.f).spoilt);
      assert_true(!round || spoilt == loom_fabric_counts(b.f).spoilt);
      spoilt = loom_fabric_counts(b.f).spoilt;
      fabric_close(&b);
    }
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* All registers of a switch that say something, as one number. */
static uint64_t registers(struct fabric_bench *b, uint32_t sw) {
  uint64_t sum = 0;
  for (uint32_t a = 0; a < 0xA0; a++)
    sum = loom_scramble(sum ^ fabric_read(b, sw, a));
  for (uint32_t port = 0; port < 8; port++)
    for (uint32_t a = LOOM_SWITCH_WIN_IN_FLITS; a < LOOM_SWITCH_WIN_MAP; a++)
      sum = loom_scramble(sum ^ fabric_read(b, sw, port_reg(port, a)));
  for (uint32_t central = 0; central < 4; central++)
    for (uint32_t a = LOOM_OPA_WIN_PEAK; a < LOOM_OPA_WIN_TABLE + LOOM_OPA_WIN_TABLE_WORDS; a++)
      sum = loom_scramble(sum ^ fabric_read(b, sw, central_reg(central, a)));
  return sum;
}

/* Bursts over the line, receivers that stop for a while, packets that go nowhere, wrong bits. */
static void trouble(struct fabric_bench *b, const char *params) {
  open_line(b, params);
  loom_fabric_errors(b->f, 1, 0.02);
  post_bursts(b, 60, 40, 3, 4000);
  for (uint32_t i = 0; i < 4; i++) {
    b->station[i]->stopped_until = 700 * (i + 1);
    for (uint32_t n = 0; n < 10; n++) {
      fabric_post(b, i, 0, 100, 0, 0, 9); /* no LID */
      fabric_post(b, i, 0, i, 0, 0, 3 + n);
    }
  }
  fabric_run(b, 40000);
}

/* The same traffic in switches that sleep and in those that never do: the same arrivals in the same
 * cycles, the same registers at the end; and whenever one could sleep its edge changes nothing. */
static void expect_sleep_to_be_sound(enum switch_kind kind, const char *params) {
  struct fabric_bench b = {.kind = kind}, w = {.kind = kind, .watched = true};
  uint64_t slept = 0;
  trouble(&b, params);
  trouble(&w, params);
  for (uint32_t i = 0; i < 4; i++) {
    assert_true(b.station[i]->received > 60);
    assert_true(b.station[i]->trace == w.station[i]->trace);
    assert_true(registers(&b, i) == registers(&w, i));
    slept += w.sw[i].slept;
  }
  assert_true(slept > 10000);
  assert_true(loom_fabric_counts(b.f).steps * 2 < loom_fabric_counts(w.f).steps);
  fabric_close(&b);
  fabric_close(&w);
}

static void sleep_changes_nothing(void **state) {
  static const char *const params[] = {
      SMALL " CENTRAL_SCHED=4", SMALL " SCHED=1 CENTRAL_SCHED=0",
      SMALL " SCHED=2 CENTRAL_SCHED=2 ROUTING_CYCLES=3 BUFFER_CYCLES=5",
      SMALL " SCHED=3 CENTRAL_SCHED=3 ALLOCATION_CYCLES=2 CROSSBAR_CYCLES=4 FLIGHT_CYCLES=7",
      SMALL " SCHED=3 CENTRAL_SCHED=1 ARB_KEY=0 ROUTING_CYCLES=33 RESERVED_OUT=0"};
  (void)state;
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t i = 0; i < sizeof params / sizeof params[0]; i++)
      expect_sleep_to_be_sound(kinds[k], params[i]);
}

/* ---- deadlock -------------------------------------------------------------------------------- */

/* Room for one packet in every place: VL 0, perhaps VL 1, and management. */
#define TIGHT(vls, cells)                                                                          \
  "PORTS=8 MPORTS=2 SCHED=0 LIDS=16 MTU_UNITS=8 RESERVED_IN=8 RESERVED_CENTRAL=8 "                 \
  "RESERVED_OUT=8 REMOTE_RESERVED=8 VLS=" #vls " CELLS_IN=" #cells " CELLS_CENTRAL=" #cells        \
  " CELLS_OUT=" #cells " REMOTE_UNITS=" #cells

enum { CROSSES_DATELINE = 1 }; /* SL */

/* Everybody sends to the one three switches on, those that cross with this SL. */
static void fill_ring(struct fabric_bench *b, uint32_t sl) {
  for (uint32_t n = 0; n < 50; n++)
    for (uint32_t i = 0; i < 4; i++)
      fabric_post(b, i, 0, (i + 3) % 4, 0, i == 0 ? 0 : sl, 64);
}

static void a_full_ring_with_one_lane_deadlocks_and_is_explained(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2; k++) {
    struct fabric_bench b = {.kind = kinds[k]};
    struct loom_fabric_place cycle[16];
    uint32_t seen = 0;
    bool ok;
    open_ring(&b, TIGHT(2, 16));
    fill_ring(&b, 0);
    fabric_run(&b, 20000);
    assert_true(loom_fabric_last_flit(b.f) + 10000 < loom_fabric_now(b.f));
    assert_true(received(&b) < 200);
    assert_int_equal(loom_fabric_waiting_cycle(b.f, cycle, 16, &ok), 8);
    assert_true(ok);
    for (uint32_t i = 0; i < 8; i++) {
      assert_int_equal(cycle[i].port, cycle[i].output ? 1 : 5);
      assert_int_equal(cycle[i].vl, 0);
      seen |= 1u << (2 * cycle[i].device + cycle[i].output);
    }
    assert_int_equal(seen, 0xFF);
    fabric_close(&b);
  }
}

/* Packets for the station and for the next switch share a central buffer, as both ports are odd, so
 * some wait for nothing but the one before them. */
static void every_full_ring_is_explained(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct fabric_bench b = {.kind = kinds[seed % 2]};
    struct loom_fabric_place cycle[16];
    uint64_t draw = seed;
    bool ok;
    open_four(&b, TIGHT(2, 16), true, 3);
    for (uint32_t n = 0; n < 50; n++)
      for (uint32_t i = 0; i < 4; i++)
        fabric_post(&b, i, 0, (i + 2 + loom_below(&draw, 2)) % 4, 0, 0, 64);
    fabric_run(&b, 20000);
    assert_true(received(&b) < 200);
    assert_int_equal(loom_fabric_waiting_cycle(b.f, cycle, 16, &ok), 8);
    assert_true(ok);
    fabric_close(&b);
  }
}

/* The VL on the ring by SL, input and output: those that cross from switch 3 to 0 change to VL 1
 * there. */
static void set_dateline(struct fabric_bench *b) {
  for (uint32_t i = 0; i < 4; i++) {
    fabric_write(b, i, port_reg(63, LOOM_SWITCH_WIN_MAP + 32 * 1 + CROSSES_DATELINE),
                 i == 3 || i == 0);
    if (i == 1)
      fabric_write(b, i, port_reg(5, LOOM_SWITCH_WIN_MAP + 32 * 1 + CROSSES_DATELINE), 1);
    fabric_write(b, i, LOOM_SWITCH_REG_CONTROL, 1);
  }
}

static void a_second_lane_behind_the_dateline_keeps_it_moving(void **state) {
  struct fabric_bench b = {.kind = IB};
  struct loom_fabric_place cycle[16];
  bool ok;
  (void)state;
  open_ring(&b, TIGHT(3, 24));
  set_dateline(&b);
  fill_ring(&b, CROSSES_DATELINE);
  for (uint32_t i = 0; i < 40; i++) {
    fabric_run(&b, 500);
    assert_int_equal(loom_fabric_waiting_cycle(b.f, cycle, 16, &ok), 0);
    assert_true(ok);
  }
  assert_int_equal(received(&b), 200);
  assert_true(loom_fabric_quiet(b.f));
  fabric_close(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_out_of_range_are_refused),
      cmocka_unit_test(a_class_says_how_many_ports_there_are),
      cmocka_unit_test(what_is_shown_arrives_after_the_latency),
      cmocka_unit_test(what_is_shown_at_once_arrives_port_by_port),
      cmocka_unit_test(sleepers_cost_nothing),
      cmocka_unit_test(waking_counts_in_this_cycle_or_the_next),
      cmocka_unit_test(workers_step_what_is_apart_and_the_caller_the_rest_in_order),
      cmocka_unit_test(what_is_apart_is_behind_by_its_shortest_link),
      cmocka_unit_test(replaced_devices_and_writes_go_where_they_should),
      cmocka_unit_test(bit_errors_are_counted_and_never_in_heads),
      cmocka_unit_test(a_class_is_told_which_flit_it_may_spare),
      cmocka_unit_test(a_cut_cable_carries_nothing_either_way),
      cmocka_unit_test(bit_errors_are_of_a_direction_of_a_link),
      cmocka_unit_test(a_cycle_of_waits_is_found_where_there_is_one),
      cmocka_unit_test(a_packet_alone_takes_the_latencies_exactly),
      cmocka_unit_test(the_central_takes_a_cycle_more),
      cmocka_unit_test(packets_of_a_flow_arrive_in_order),
      cmocka_unit_test(the_order_of_the_devices_does_not_matter),
      cmocka_unit_test(sleep_changes_nothing),
      cmocka_unit_test(a_full_ring_with_one_lane_deadlocks_and_is_explained),
      cmocka_unit_test(every_full_ring_is_explained),
      cmocka_unit_test(a_second_lane_behind_the_dateline_keeps_it_moving),
  };
  return UNIT_RUN("fabric", tests, NULL, NULL);
}
