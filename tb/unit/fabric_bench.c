/* SPDX-License-Identifier: Apache-2.0 */
/* fabric_bench.c - the bench of fabric_bench.h */
#include <loom/head.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/fabric_bench.h"

/* ---- stations -------------------------------------------------------------------------------- */

static uint64_t body_of(uint32_t src, uint32_t id, uint32_t place) {
  return loom_scramble((uint64_t)src << 32 | id << 12 | place);
}

static void send(struct station *s, uint64_t now, const struct loom_fabric_show *show) {
  const struct station_packet *p = &s->packet[s->sent];
  if (s->sent == s->posted || p->at > now)
    return;
  if (s->place == 0 && !end_send(&s->far, end_lane(s->vls, p->vl), p->len))
    return;
  uint64_t data = body_of(s->lid, s->sent, s->place);
  if (s->place == 0)
    data = end_head(p->sc, p->len, p->dest, s->lid, s->sent);
  if (s->place == 0 && s->sent == 0)
    s->first_head = now;
  loom_fabric_flit(show, 0, s->place == 0, s->place + 1 == p->len, p->vl, data);
  if (++s->place < p->len)
    return;
  s->place = 0;
  s->sent++;
}

static void give_back(struct station *s, uint64_t now, const struct loom_fabric_show *show) {
  if (now < s->stopped_until)
    return;
  uint32_t vl = end_give(&s->receiver, ~0u, 0);
  if (vl != END_NO_LANE)
    loom_fabric_credit(show, 0, vl);
}

static void receive_head(struct station *s, uint64_t now, uint64_t data, uint32_t vl) {
  const struct loom_packet_head h = loom_packet_read(data);
  assert_int_equal(s->left, 0);
  assert_int_equal(h.dest, s->lid);
  assert_true(s->received < STATION_PACKETS);
  s->left = h.len;
  s->vl = vl;
  s->arrival[s->received] =
      (struct station_arrival){.cycle = now, .src = h.src, .id = h.id, .vl = vl, .len = h.len};
}

static void receive(struct station *s, uint64_t now, const struct loom_fabric_arrival *in) {
  bool head = in->head & 1;
  const struct station_arrival *a = &s->arrival[s->received];
  if (head)
    receive_head(s, now, in->port[0].data, in->port[0].vl);
  assert_true(s->left > 0 && s->vl == in->port[0].vl);
  uint64_t wrong = head ? 0 : in->port[0].data ^ body_of(a->src, a->id, a->len - s->left);
  s->damaged += wrong != 0;
  s->left--;
  assert_int_equal(in->tail & 1, s->left == 0);
  end_receive(&s->receiver, s->vl, s->left == 0);
  if (s->left == 0) {
    s->received++;
    s->last_tail = now;
  }
  s->trace = loom_scramble(s->trace ^ loom_scramble(now) ^ in->port[0].data ^
                           (in->port[0].vl | in->tail << 8));
}

static void station_step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                         const struct loom_fabric_show *show) {
  struct station *s = device;
  send(s, now, show);
  give_back(s, now, show);
  if (in->valid & 1)
    receive(s, now, in);
  if (in->credit & 1) {
    end_credit(&s->far, end_lane(s->vls, in->port[0].cr_vl));
    s->trace = loom_scramble(s->trace ^ loom_scramble(~now) ^ in->port[0].cr_vl);
  }
}

static bool station_sleeps(const void *device) {
  const struct station *s = device;
  return s->sent == s->posted && !s->receiver.mask;
}

static const struct loom_fabric_class station_class = {
    .name = "station", .step = station_step, .sleeps = station_sleeps};

/* ---- switches -------------------------------------------------------------------------------- */

static const struct loom_fabric_class *class_of(enum switch_kind kind) {
  return kind == IB ? &loom_ib_switch_class : &loom_opa_switch_class;
}

/* Flits are what a storage begins with. */
static const void *storage_of(const struct fabric_switch *w) { return w->core->cells.flit; }

/* What an edge does to a switch that sleeps: time goes on, the empty delays turn. */
static void expect_asleep(const struct fabric_switch *w) {
  struct loom_switch *before = w->copy;
  before->now = w->core->now;
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    before->wheel[k].at = w->core->wheel[k].at;
  assert_memory_equal(w->copy, w->core, w->bytes);
  assert_memory_equal((char *)w->copy + w->bytes, storage_of(w), w->stored);
}

static void watched_step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                         const struct loom_fabric_show *show) {
  struct fabric_switch *w = device;
  bool asleep = loom_switch_sleeps(w->core) && !(in->valid | in->credit);
  bool falls_asleep = asleep && !w->asleep;
  if (falls_asleep) {
    memcpy(w->copy, w->core, w->bytes);
    memcpy((char *)w->copy + w->bytes, storage_of(w), w->stored);
  }
  class_of(w->kind)->step(w->core, now, in, show);
  if (falls_asleep)
    expect_asleep(w);
  w->asleep = asleep;
  w->slept += asleep;
}

static bool never(const void *device) {
  (void)device;
  return false;
}

static void watched_write(void *device, uint32_t addr, uint32_t data) {
  struct fabric_switch *w = device;
  class_of(w->kind)->write(w->core, addr, data);
}

static const struct loom_fabric_class watched_class = {
    .name = "watched", .step = watched_step, .sleeps = never, .write = watched_write};

static void open_switch(struct fabric_bench *b, struct fabric_switch *w) {
  w->kind = b->kind;
  if (b->kind == IB) {
    w->core = (struct loom_switch *)loom_ib_switch_new(b->f, &b->ib);
    w->bytes = sizeof(struct loom_ib_switch);
    w->stored = loom_ib_switch_storage_size(&b->ib);
  } else {
    w->core = (struct loom_switch *)loom_opa_switch_new(b->f, &b->opa);
    w->bytes = sizeof(struct loom_opa_switch);
    w->stored = loom_opa_switch_storage_size(&b->opa);
  }
  assert_non_null(w->core);
  if (b->watched) {
    w->copy = malloc(w->bytes + w->stored);
    assert_non_null(w->copy);
  }
}

static void fill_table(struct fabric_bench *b, uint32_t sw, uint32_t window, uint32_t sched) {
  for (uint32_t k = 0; k < b->ib.KEYS; k++)
    if (sched == 1)
      fabric_write(b, sw, window + LOOM_SWITCH_WIN_TABLE + k, 4 + k % 3);
    else if (sched == 2 || sched == 3)
      fabric_write(b, sw, window + LOOM_SWITCH_WIN_TABLE + k, k << 8 | 200);
}

/* ---- fabrics --------------------------------------------------------------------------------- */

static void open_station(struct fabric_bench *b, uint32_t number) {
  struct station *s = b->station[number] = calloc(1, sizeof *s);
  assert_non_null(s);
  s->lid = number;
  s->vls = b->ib.VLS;
  end_account_init(&s->far, s->vls, 13, b->ib.CELLS_IN, b->ib.RESERVED_IN);
}

static void add_device(struct fabric_bench *b, uint32_t i) {
  if (i >= b->switches) {
    uint32_t n = i - b->switches;
    b->station_device[n] = loom_fabric_add(b->f, &station_class, b->station[n]);
  } else if (b->watched) {
    b->device[i] = loom_fabric_add(b->f, &watched_class, &b->sw[i]);
  } else {
    b->device[i] = loom_fabric_add(b->f, class_of(b->kind), b->sw[i].core);
  }
}

void fabric_open(struct fabric_bench *b, const char *params, uint32_t switches, uint32_t stations) {
  uint32_t devices = switches + stations;
  set_params(&b->ib, &b->opa, params);
  b->latency = b->latency ? b->latency : 1;
  b->switches = switches;
  b->stations = stations;
  b->f = loom_fabric_create(
      &(struct loom_fabric_cfg){.devices = devices, .links = 64, .latency = b->latency, .seed = 1});
  assert_non_null(b->f);
  for (uint32_t i = 0; i < switches; i++)
    open_switch(b, &b->sw[i]);
  for (uint32_t i = 0; i < stations; i++)
    open_station(b, i);
  for (uint32_t i = 0; i < devices; i++)
    add_device(b, b->backwards ? devices - 1 - i : i);
  for (uint32_t i = 0; i < switches; i++) {
    fill_table(b, i, LOOM_SWITCH_REG_PORTS + R_ALL, b->kind == IB ? b->ib.SCHED : b->opa.SCHED);
    if (b->kind == OPA)
      fill_table(b, i, LOOM_SWITCH_REG_CENTRALS + R_ALL, b->opa.CENTRAL_SCHED);
  }
}

void fabric_close(struct fabric_bench *b) {
  loom_fabric_destroy(b->f);
  for (uint32_t i = 0; i < b->switches; i++) {
    free(b->sw[i].copy);
  }
  for (uint32_t i = 0; i < b->stations; i++)
    free(b->station[i]);
}

void fabric_write(struct fabric_bench *b, uint32_t sw, uint32_t addr, uint32_t data) {
  loom_fabric_write(b->f, b->device[sw], addr, data);
}

void fabric_lft(struct fabric_bench *b, uint32_t sw, uint32_t lid, uint32_t out) {
  fabric_write(b, sw, LOOM_SWITCH_REG_LFT + lid, out);
}

void fabric_ready(struct fabric_bench *b) {
  for (uint32_t i = 0; i < b->switches; i++)
    fabric_write(b, i, LOOM_SWITCH_REG_LFT_COUNT, b->stations);
}

uint32_t fabric_join_station(struct fabric_bench *b, uint32_t station, uint32_t sw, uint32_t port,
                             uint32_t latency) {
  uint32_t link =
      loom_fabric_connect(b->f, b->station_device[station], 0, b->device[sw], port, latency);
  assert_int_not_equal(link, LOOM_FABRIC_NONE);
  return link;
}

uint32_t fabric_join(struct fabric_bench *b, uint32_t a, uint32_t port, uint32_t c, uint32_t peer,
                     uint32_t latency) {
  uint32_t link = loom_fabric_connect(b->f, b->device[a], port, b->device[c], peer, latency);
  assert_int_not_equal(link, LOOM_FABRIC_NONE);
  return link;
}

void fabric_post(struct fabric_bench *b, uint32_t station, uint64_t at, uint32_t dest, uint32_t vl,
                 uint32_t sc, uint32_t len) {
  struct station *s = b->station[station];
  assert_true(s->posted < STATION_PACKETS);
  s->packet[s->posted++] =
      (struct station_packet){.at = at, .dest = dest, .vl = vl, .sc = sc, .len = len};
  loom_fabric_wake(b->f, b->station_device[station]);
}

void fabric_run(struct fabric_bench *b, uint64_t cycles) {
  for (; cycles; cycles--)
    loom_fabric_step(b->f);
}

uint32_t fabric_read(struct fabric_bench *b, uint32_t sw, uint32_t addr) {
  struct loom_switch *s = b->sw[sw].core;
  const struct loom_switch_family *kind =
      b->kind == IB ? &loom_ib_switch_family : &loom_opa_switch_family;
  const struct loom_switch_in access = {.reg_re = true, .reg_addr = addr}, silent = {.valid = 0};
  if (s->now < loom_fabric_now(b->f))
    s->now = loom_fabric_now(b->f);
  loom_switch_edge(s, kind, &access);
  loom_switch_edge(s, kind, &silent);
  loom_switch_edge(s, kind, &silent);
  assert_true(s->read[1].valid);
  return s->read[1].data;
}
