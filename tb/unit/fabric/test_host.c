/* SPDX-License-Identifier: Apache-2.0 */
/* test_host.c - two hosts with a tap in their cable that sees and may spoil every flit
 * (docs/fabric.md; OP-08, OP-22, TR-06) */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/host.h"
#include "fabric/ledger.h"
#include "fabric/packet_words.h"
#include "fabric/packets.h"

enum { HOSTS = 2, HEAD_LATENCY = 10 /* from posting to the link */, LOG = 4096 };

/* What is known of a message, by tag. */
struct fate {
  struct loom_message message;
  uint32_t times; /* received */
  bool spoilt, damaged;
};

/* What a VL carries: the train that has begun. */
struct passing_train {
  bool open;
  uint32_t id, dest;
};

/* A packet that was seen. */
struct seen {
  uint64_t cycle;
  struct loom_packet_head head;
  uint8_t host, traffic_class, vl;
};

struct bench {
  struct loom_fabric_cfg fabric_cfg;
  struct loom_host_cfg cfg;
  uint32_t latency; /* of each of the two links */
  bool swapped;     /* the hosts' devices in the other order */
  bool awake;       /* hosts that never sleep */
  bool direct;      /* one link joins the hosts, without the tap, */
  bool streams;     /* and may carry streams */
  struct loom_fabric *fabric;
  struct loom_ledger *ledger;
  struct loom_host *host[HOSTS];
  uint32_t device[HOSTS], link[HOSTS];
  uint16_t lid[HOSTS];
  uint64_t seed;
  /* Messages. */
  struct fate *fate;
  uint32_t tags, room, received;
  bool replies;    /* each fifth message is answered */
  uint64_t digest; /* of all heads and receptions, in any order within a cycle */
  /* Tap. */
  bool ordered; /* messages of a class come in the order of their tags */
  uint32_t last[HOSTS][LOOM_HOST_CLASSES];
  uint32_t spoil;           /* chance that a flit is spoilt, in 2^-32 */
  bool swallow, no_credits; /* nothing comes through */
  struct seen log[LOG];     /* the last packets */
  uint64_t packets;
  uint64_t passing[HOSTS]; /* tag of the message */
  struct passing_train train[HOSTS][LOOM_VLS];
  /* Packets of trains, as they are told. */
  uint64_t told, told_net, told_total;
};

/* ---- messages -------------------------------------------------------------------------------- */

static bool try_post(struct bench *b, uint32_t src, uint32_t class, uint32_t flits) {
  if (b->tags == b->room) {
    b->room = b->room ? 2 * b->room : 64;
    b->fate = realloc(b->fate, b->room * sizeof *b->fate);
    assert_non_null(b->fate);
  }
  const struct loom_message m = {.src = src,
                                 .dst = !src,
                                 .traffic_class = (uint8_t) class,
                                 .mark = (uint8_t)(b->tags * 7),
                                 .flits = flits,
                                 .tag = b->tags,
                                 .generated = loom_fabric_now(b->fabric)};
  b->fate[b->tags] = (struct fate){.message = m};
  if (!loom_host_post(b->host[src], &m))
    return false;
  b->tags++;
  return true;
}

static uint32_t post(struct bench *b, uint32_t src, uint32_t class, uint32_t flits) {
  assert_true(try_post(b, src, class, flits));
  return b->tags - 1;
}

static void post_random(struct bench *b) {
  uint32_t flits =
      loom_below(&b->seed, 10) ? 2 + loom_below(&b->seed, 40) : 2 + loom_below(&b->seed, 1000);
  post(b, loom_below(&b->seed, HOSTS), loom_below(&b->seed, b->cfg.classes), flits);
}

static void receive(void *context, const struct loom_message *m, bool damaged) {
  struct bench *b = context;
  assert_true(m->tag < b->tags);
  struct fate *f = &b->fate[m->tag];
  assert_int_equal(f->times++, 0);
  assert_int_equal(m->src, f->message.src);
  assert_int_equal(m->dst, f->message.dst);
  assert_int_equal(m->traffic_class, f->message.traffic_class);
  assert_int_equal(m->mark, f->message.mark);
  assert_int_equal(m->flits, f->message.flits);
  assert_int_equal(m->generated, f->message.generated);
  assert_int_equal(m->received, loom_fabric_now(b->fabric));
  assert_true(m->injected >= m->generated + HEAD_LATENCY);
  assert_true(m->received >= m->injected + m->flits - 1 + (b->direct ? 1 : 2) * b->latency);
  if (b->ordered && f->message.tag)
    assert_true(m->tag + 1 > b->last[m->src][m->traffic_class]);
  b->last[m->src][m->traffic_class] = (uint32_t)m->tag + 1;
  f->message = *m;
  f->damaged = damaged;
  b->received++;
  b->digest += loom_scramble(loom_scramble(m->received) + loom_scramble(m->injected + 1) +
                             m->src * 8 + m->traffic_class + (uint64_t)m->flits * 256);
  if (b->replies && m->flits % 5 == 0)
    post(b, m->dst, m->traffic_class, 6 + (uint32_t)m->received % 20 * 5);
}

static void receive_packet(void *context, const struct loom_message *m, uint64_t injected,
                           uint64_t now) {
  struct bench *b = context;
  assert_true(injected >= m->injected && now > injected);
  assert_int_equal(now, loom_fabric_now(b->fabric));
  b->told++;
  b->told_net += now - injected;
  b->told_total += now - m->generated;
  b->digest += loom_scramble(loom_scramble(injected + m->tag) ^ now);
}

/* ---- tap ------------------------------------------------------------------------------------- */

/* On a VL nothing comes between the packets of a train, and they take one path. */
static void see_train(struct bench *b, uint32_t host, uint8_t vl,
                      const struct loom_packet_head *head) {
  struct passing_train *t = &b->train[host][vl];
  assert_int_equal(head->after, t->open);
  if (t->open) {
    assert_int_equal(head->id, t->id);
    assert_int_equal(head->dest, t->dest);
  }
  *t = (struct passing_train){head->more, head->id, head->dest};
}

static void see_head(struct bench *b, uint32_t host, uint64_t now, uint8_t vl, uint64_t data) {
  struct loom_packet_head head = loom_packet_read(data);
  const struct loom_message *m = &loom_ledger_record(b->ledger, host, head.id)->message;
  b->passing[host] = m->tag;
  b->digest += loom_scramble(loom_scramble(data) + now);
  see_train(b, host, vl, &head);
  assert_int_equal(head.src, b->lid[host]);
  assert_true(head.dest >= b->lid[!host] && head.dest < b->lid[!host] + b->cfg.paths);
  b->log[b->packets++ % LOG] = (struct seen){.cycle = now,
                                             .head = head,
                                             .host = (uint8_t)host,
                                             .traffic_class = m->traffic_class,
                                             .vl = vl};
}

static void tap_step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                     const struct loom_fabric_show *show) {
  struct bench *b = device;
  for (uint32_t p = 0; p < HOSTS; p++) {
    if (in->credit >> p & 1 && !b->no_credits)
      loom_fabric_credit(show, !p, in->port[p].cr_vl);
    if (!(in->valid >> p & 1))
      continue;
    uint64_t data = in->port[p].data;
    bool head = in->head >> p & 1;
    if (head) {
      see_head(b, p, now, in->port[p].vl, data);
    } else if ((uint32_t)loom_random(&b->seed) < b->spoil) {
      data ^= 1ull << loom_below(&b->seed, 64);
      b->fate[b->passing[p]].spoilt = true;
    }
    if (!b->swallow)
      loom_fabric_flit(show, !p, head, in->tail >> p & 1, in->port[p].vl, data);
    else if (in->tail >> p & 1)
      loom_fabric_credit(show, p, in->port[p].vl); /* all packets have one unit then */
  }
}

static bool tap_sleeps(const void *device) { return device != NULL; }

static const struct loom_fabric_class tap_class = {
    .name = "tap", .step = tap_step, .sleeps = tap_sleeps};

/* ---- opening --------------------------------------------------------------------------------- */

/* Four classes on VLs of their own, round robin. */
static void defaults(struct bench *b) {
  memset(b, 0, sizeof *b);
  b->latency = 1;
  b->ordered = true;
  loom_sched_port_defaults(&b->cfg.port);
  b->cfg.port.SCHED = LOOM_PORT_RR;
  b->cfg.port.REMOTE_UNITS = 1024;
  b->cfg.classes = 4;
  b->cfg.paths = 1;
  b->cfg.seed = 1;
  for (uint8_t c = 0; c < 4; c++) {
    b->cfg.mtu[c] = 64;
    b->cfg.sc[c] = c;
    b->cfg.vl[c] = c;
    b->cfg.sl[c] = c;
  }
  b->lid[0] = 0x100;
  b->lid[1] = 0x4280;
}

static bool awake_always(const void *device) { return device == NULL; }

static void open_bench(struct bench *b) {
  static struct loom_fabric_class awake;
  awake = loom_host_class;
  awake.sleeps = awake_always;
  b->cfg.lid = b->lid;
  b->fabric_cfg.devices = HOSTS + 1;
  b->fabric_cfg.links = HOSTS;
  b->fabric_cfg.latency = 63;
  b->fabric = loom_fabric_create(&b->fabric_cfg);
  b->ledger = loom_ledger_create(HOSTS, receive, b);
  assert_true(b->fabric && b->ledger);
  loom_ledger_on_packet(b->ledger, receive_packet);
  for (uint32_t i = 0; i < HOSTS; i++) {
    uint32_t n = b->swapped ? HOSTS - 1 - i : i;
    b->host[n] = loom_host_create(&b->cfg, b->ledger, n);
    assert_non_null(b->host[n]);
    b->device[n] = loom_fabric_add(b->fabric, b->awake ? &awake : &loom_host_class, b->host[n]);
    loom_host_attach(b->host[n], b->fabric, b->device[n]);
  }
  if (b->streams)
    loom_fabric_allow_streams(b->fabric);
  uint32_t tap = loom_fabric_add(b->fabric, &tap_class, b);
  if (b->direct)
    b->link[0] = loom_fabric_connect(b->fabric, b->device[0], 0, b->device[1], 0, b->latency);
  for (uint32_t n = 0; n < HOSTS && !b->direct; n++)
    b->link[n] = loom_fabric_connect(b->fabric, b->device[n], 0, tap, n, b->latency);
}

/* Records and places of packets are the ledger's to the end; all else is given back. */
static void expect_given_back(const struct bench *b) {
  uint64_t kept = 0;
  for (uint32_t n = 0; n < HOSTS; n++) {
    const struct loom_ledger_source *s = &b->ledger->source[n];
    kept += s->size * sizeof *s->record + s->packets * sizeof *s->packet;
  }
  assert_int_equal(b->ledger->bytes, kept);
}

static void close_bench(struct bench *b) {
  for (uint32_t n = 0; n < HOSTS; n++)
    loom_host_destroy(b->host[n]);
  expect_given_back(b);
  loom_ledger_destroy(b->ledger);
  loom_fabric_destroy(b->fabric);
  free(b->fate);
}

/* A register of both hosts. */
static void write_both(struct bench *b, uint32_t addr, uint32_t data) {
  for (uint32_t n = 0; n < HOSTS; n++)
    loom_fabric_write(b->fabric, b->device[n], addr, data);
}

static void cycles(struct bench *b, uint64_t n) {
  while (n--)
    loom_fabric_step(b->fabric);
}

/* Until all has arrived, which must come soon after the last message, and all credits are back. */
static void drain(struct bench *b) {
  uint64_t limit = loom_ledger_counts(b->ledger).flits_posted * 20 + 100000;
  for (; b->received < b->tags && limit; limit--)
    loom_fabric_step(b->fabric);
  assert_true(limit);
  cycles(b, 4 * b->latency + 20);
  assert_int_equal(loom_fabric_quiet(b->fabric), !b->awake);
  const struct loom_ledger_counts c = loom_ledger_counts(b->ledger);
  assert_int_equal(c.posted, b->tags);
  assert_int_equal(c.received, b->tags);
  assert_int_equal(b->received, b->tags);
  assert_int_equal(c.flits_injected, c.flits_posted);
  assert_int_equal(c.flits_received, c.flits_posted);
  assert_int_equal(c.stray, 0);
  assert_false(c.exhausted);
  for (uint32_t n = 0; n < HOSTS; n++)
    for (uint32_t k = 0; k < b->cfg.classes; k++)
      assert_int_equal(loom_host_backlog(b->host[n], k), 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Each size alone in its class's queue after the one before; packets have the MTU but for the last
 * or the last two. */
static void all_sizes(uint16_t mtu, uint32_t most) {
  struct bench b;
  defaults(&b);
  b.cfg.mtu[0] = mtu;
  open_bench(&b);
  for (uint32_t flits = 2; flits <= most; flits++) {
    uint64_t first = b.packets, packets = (flits + mtu - 1) / mtu;
    post(&b, 0, 0, flits);
    drain(&b);
    assert_int_equal(b.packets - first, packets);
    for (uint64_t i = 0, left = flits; i < packets && i < LOG; i++) {
      uint32_t len = b.log[(first + i) % LOG].head.len;
      uint64_t rest = flits % mtu == 1 && packets > 1;
      assert_true(len >= 2);
      assert_int_equal(len, i + 1 == packets ? left : i + 2 == packets && rest ? mtu - 1u : mtu);
      left -= len;
    }
  }
  close_bench(&b);
}

static void messages_of_all_sizes_arrive_whole(void **state) {
  (void)state;
  all_sizes(4095, 4095);
  all_sizes(3, 300);
  all_sizes(16, 1000);
  all_sizes(64, 4095);
  all_sizes(255, 2000);
}

/* A message alone: 9 cycles of sched_port after the cycle that follows its posting, then a flit a
 * cycle (packets of 5 flits and more). */
static void a_message_alone_takes_nine_cycles_of_the_port_and_the_link(void **state) {
  (void)state;
  for (uint32_t latency = 1; latency <= 63; latency += 31)
    for (uint32_t flits = 2; flits <= 640; flits += flits < 20 ? 1 : 62) {
      struct bench b;
      defaults(&b);
      b.latency = latency;
      open_bench(&b);
      cycles(&b, flits % 7);
      uint32_t tag = post(&b, flits & 1, 2, flits);
      drain(&b);
      const struct loom_message *m = &b.fate[tag].message;
      assert_int_equal(m->generated, flits % 7);
      assert_int_equal(m->injected, m->generated + HEAD_LATENCY);
      assert_int_equal(m->received, m->injected + flits - 1 + 2ull * latency);
      close_bench(&b);
    }
}

/* Tables with an entry of each of four keys in turn. */
static void write_tables(struct bench *b) {
  uint32_t base = LOOM_PORT_REG_TABLE + (b->cfg.port.SCHED == LOOM_PORT_IBARB ? 0x80u : 0u);
  for (uint32_t e = 0; e < 64; e++)
    write_both(b, base + e, e % 4 << 8 | 9u);
}

static uint64_t stress(struct bench *b, uint32_t messages) {
  b->seed = 5;
  open_bench(b);
  write_tables(b);
  while (b->tags < messages) {
    uint32_t burst = loom_below(&b->seed, 20) ? loom_below(&b->seed, 3) : 60;
    for (uint32_t i = 0; i < burst; i++)
      post_random(b);
    cycles(b, loom_below(&b->seed, 5) ? loom_below(&b->seed, 150) : 1500);
  }
  drain(b);
  for (uint32_t i = 0; i < b->tags; i++) {
    assert_int_equal(b->fate[i].times, 1);
    assert_int_equal(b->fate[i].damaged, b->fate[i].spoilt);
  }
  return b->digest;
}

/* Nothing is lost, damaged or doubled, whatever the scheduler. */
static void nothing_is_lost_damaged_or_doubled_under_any_scheduler(void **state) {
  (void)state;
  for (uint32_t sched = 0; sched < 4; sched++) {
    struct bench b;
    defaults(&b);
    b.cfg.port.SCHED = sched;
    b.cfg.port.CELLS = 128;
    b.cfg.port.RESERVED = 8;
    b.cfg.port.REMOTE_UNITS = 160;
    b.cfg.port.REMOTE_RESERVED = 8;
    b.cfg.vl[3] = sched & 1 ? 2 : 3; /* two classes on a VL */
    b.seed = 5;
    open_bench(&b);
    write_tables(&b);
    while (b.tags < 25000) {
      for (uint32_t i = loom_below(&b.seed, 40); i; i--)
        post_random(&b);
      cycles(&b, loom_below(&b.seed, 2000));
    }
    drain(&b);
    assert_int_equal(loom_ledger_counts(b.ledger).damaged, 0);
    assert_true(b.tags >= 25000);
    close_bench(&b);
  }
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* Flits of each class in the last packets of host 0, which has more to send than the link carries.
 */
static void saturate(struct bench *b, uint32_t classes, uint64_t flits[4]) {
  for (uint32_t c = 0; c < classes; c++)
    for (uint32_t i = 0; i < 100; i++)
      post(b, 0, c, 2000);
  cycles(b, 40000);
  memset(flits, 0, 4 * sizeof *flits);
  assert_true(b->packets > 512);
  for (uint64_t i = b->packets - 480; i < b->packets; i++)
    flits[b->log[i % LOG].traffic_class] += b->log[i % LOG].head.len;
}

/* Shares in parts of the sum, within two packets of 64 flits. */
static void expect_shares(const uint64_t flits[4], const uint32_t weight[4]) {
  uint64_t all = 0, sum = 0;
  for (uint32_t c = 0; c < 4; c++) {
    all += flits[c];
    sum += weight[c];
  }
  for (uint32_t c = 0; c < 4; c++) {
    int64_t due = (int64_t)(all * weight[c] / sum), got = (int64_t)flits[c];
    assert_true(got - due <= 2 * 64 && due - got <= 2 * 64);
  }
}

static void open_saturated(struct bench *b, uint32_t sched) {
  defaults(b);
  b->cfg.port.SCHED = sched;
  open_bench(b);
}

static void round_robin_shares_the_link_equally(void **state) {
  (void)state;
  struct bench b;
  uint64_t flits[4];
  open_saturated(&b, LOOM_PORT_RR);
  saturate(&b, 4, flits);
  expect_shares(flits, (const uint32_t[]){1, 1, 1, 1});
  close_bench(&b);
}

static void the_sbt_scheduler_shares_the_link_by_its_weights(void **state) {
  (void)state;
  struct bench b;
  uint64_t flits[4];
  open_saturated(&b, LOOM_PORT_SBT);
  static const uint32_t weight[] = {5, 3, 1, 1};
  for (uint32_t k = 0; k < 4; k++)
    write_both(&b, LOOM_PORT_REG_TABLE + k, weight[k]);
  saturate(&b, 4, flits);
  expect_shares(flits, weight);
  close_bench(&b);
}

/* Weights in credits: eight to a packet of 64 flits. */
static void tables_share_the_link_by_their_weights(void **state) {
  (void)state;
  static const uint32_t weight[] = {32, 16, 8, 24};
  static const uint32_t table[] = {LOOM_PORT_REG_TABLE, LOOM_PORT_REG_TABLE + LOOM_IBARB_REG_LOW};
  for (uint32_t i = 0; i < 2; i++) {
    struct bench b;
    uint64_t flits[4];
    open_saturated(&b, i ? LOOM_PORT_IBARB : LOOM_PORT_DTABLE);
    for (uint32_t k = 0; k < 4; k++)
      write_both(&b, table[i] + k, k << 8 | weight[k]);
    saturate(&b, 4, flits);
    expect_shares(flits, weight);
    close_bench(&b);
  }
}

/* Two classes with one key share it by packets; packets are of 64 and of 16 flits. */
static void two_classes_with_one_key_share_it_by_packets(void **state) {
  (void)state;
  struct bench b;
  uint64_t flits[4];
  defaults(&b);
  b.cfg.mtu[1] = 16;
  b.cfg.vl[1] = 0;
  b.cfg.sl[1] = 0;
  open_bench(&b);
  saturate(&b, 2, flits);
  expect_shares(flits, (const uint32_t[]){4, 1, 0, 0});
  close_bench(&b);
}

/* Nor does a long packet lose its turn where short ones find room, on whatever VL. */
static void long_packets_keep_their_turn_while_they_wait_for_room(void **state) {
  (void)state;
  for (uint8_t vl = 0; vl < 4; vl++) {
    struct bench b;
    uint64_t flits[4];
    defaults(&b);
    b.cfg.port.VLS = 4;
    b.cfg.port.CELLS = 16;
    b.cfg.port.RESERVED = 0;
    b.cfg.mtu[0] = 128;
    b.cfg.mtu[1] = 16;
    b.cfg.vl[0] = b.cfg.vl[1] = vl;
    b.cfg.sl[0] = b.cfg.sl[1] = 0;
    open_bench(&b);
    saturate(&b, 2, flits);
    expect_shares(flits, (const uint32_t[]){8, 1, 0, 0});
    close_bench(&b);
  }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* A message is damaged if and only if one of its flits was; it arrives all the same. */
static void a_message_is_damaged_if_and_only_if_one_of_its_flits_was(void **state) {
  (void)state;
  static const uint32_t chance[] = {1u << 20, 1u << 24, 1u << 28, 1u << 31, UINT32_MAX};
  for (uint32_t i = 0; i < 5; i++) {
    struct bench b;
    defaults(&b);
    b.spoil = chance[i];
    stress(&b, 4000);
    uint64_t spoilt = 0;
    for (uint32_t t = 0; t < b.tags; t++)
      spoilt += b.fate[t].spoilt;
    assert_int_equal(loom_ledger_counts(b.ledger).damaged, spoilt);
    assert_true(spoilt > 0);
    close_bench(&b);
  }
}

/* The fabric's own errors, with any of which a message of one packet is damaged. */
static void any_wrong_bit_of_the_fabric_damages_a_message(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  open_bench(&b);
  loom_fabric_errors(b.fabric, b.link[0], 0.01);
  for (uint32_t i = 0; i < 5000; i++)
    post(&b, 0, i % 4, 2);
  drain(&b);
  uint64_t spoilt = loom_fabric_counts(b.fabric).spoilt;
  assert_in_range(spoilt, 20, 100);
  assert_int_equal(loom_ledger_counts(b.ledger).damaged, spoilt);
  close_bench(&b);
}

/* ---- determinism ----------------------------------------------------------------------------- */

static uint64_t digest_of(const struct bench *like, uint32_t messages) {
  struct bench b = *like;
  uint64_t digest = stress(&b, messages);
  close_bench(&b);
  return digest;
}

/* With more than one path, far ends that are slow to give credits back, and answers. */
static void slow(struct bench *b) {
  defaults(b);
  b->latency = 40;
  b->cfg.paths = 4;
  b->cfg.port.CELLS = 128;
  b->cfg.port.RESERVED = 8;
  b->cfg.port.REMOTE_UNITS = 32;
  b->cfg.port.REMOTE_RESERVED = 1;
  b->replies = true;
}

/* Neither sleep nor the order of the devices shows. */
static void neither_sleep_nor_the_order_of_devices_shows(void **state) {
  (void)state;
  struct bench b;
  slow(&b);
  uint64_t digest = digest_of(&b, 3000);
  b.awake = true;
  assert_int_equal(digest_of(&b, 3000), digest);
  b.swapped = true;
  assert_int_equal(digest_of(&b, 3000), digest);
  b.awake = false;
  assert_int_equal(digest_of(&b, 3000), digest);
}

/* A host whose packets wait for credits sleeps, and says what it waits for. */
static void a_host_that_waits_for_credits_sleeps_and_says_so(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  b.no_credits = true;
  b.cfg.port.REMOTE_UNITS = 64;
  b.cfg.port.REMOTE_RESERVED = 0;
  open_bench(&b);
  for (uint32_t i = 0; i < 200; i++)
    post(&b, 1, 2, 64);
  cycles(&b, 4000);
  assert_true(loom_fabric_quiet(b.fabric));
  assert_int_equal(b.received, 8);
  assert_int_equal(loom_host_backlog(b.host[1], 2), 192 * 64);
  struct loom_fabric_wait wait[2];
  assert_int_equal(loom_host_class.waits(b.host[1], 9, wait, 2), 1);
  assert_int_equal(wait[0].from.device, 9);
  assert_int_equal(wait[0].from.port, 0);
  assert_int_equal(wait[0].from.vl, 2);
  assert_true(wait[0].from.output);
  assert_memory_equal(&wait[0].from, &wait[0].to, sizeof wait[0].to);
  assert_int_equal(loom_host_class.waits(b.host[0], 9, wait, 2), 0);
  bool ok;
  struct loom_fabric_place place[4];
  assert_int_equal(loom_fabric_waiting_cycle(b.fabric, place, 4, &ok), 0);
  assert_true(ok);
  close_bench(&b);
}

/* One that is held back, with just the credits that it needs, waits for nobody. */
static void a_host_that_is_held_back_waits_for_nobody(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  b.no_credits = true;
  b.cfg.port.REMOTE_UNITS = 16;
  b.cfg.port.REMOTE_RESERVED = 0;
  b.cfg.mtu[1] = 128;
  open_bench(&b);
  write_both(&b, LOOM_PORT_REG_CONTROL, 1);
  post(&b, 0, 1, 2 * 128);
  cycles(&b, 200);
  struct loom_fabric_wait wait;
  assert_int_equal(loom_host_class.waits(b.host[0], 0, &wait, 1), 0);
  write_both(&b, LOOM_PORT_REG_CONTROL, 0);
  cycles(&b, 200);
  assert_int_equal(loom_host_backlog(b.host[0], 1), 128);
  assert_int_equal(loom_host_class.waits(b.host[0], 0, &wait, 1), 1);
  close_bench(&b);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Every packet whose words stood in the fabric has been freed. */
static void expect_no_packets(struct bench *b) {
  const struct loom_packets *p = loom_fabric_packets(b->fabric);
  uint32_t unused = 0;
  for (uint32_t n = p->free; n && unused <= p->fresh; n = p->entry[n - 1].next)
    unused++;
  assert_int_equal(unused, p->fresh);
  assert_int_equal(p->fresh > 0, b->streams);
}

/* What each class of each host has received is what was sent to it. */
static void expect_received_flits(const struct bench *b) {
  uint64_t flits[HOSTS][LOOM_HOST_CLASSES] = {{0}};
  for (uint32_t i = 0; i < b->tags; i++)
    flits[b->fate[i].message.dst][b->fate[i].message.traffic_class] += b->fate[i].message.flits;
  for (uint32_t n = 0; n < HOSTS; n++)
    for (uint32_t k = 0; k < b->cfg.classes; k++)
      assert_int_equal(loom_host_received_flits(b->host[n], k), flits[n][k]);
}

/* Another cycle, of a fabric without streams and of one with them. */
static void step_alike(struct bench b[2]) {
  uint64_t flits[2][2];
  for (uint32_t i = 0; i < 2; i++) {
    loom_fabric_step(b[i].fabric);
    loom_fabric_link_flits(b[i].fabric, b[i].link[0], flits[i]);
  }
  assert_memory_equal(flits[0], flits[1], sizeof flits[0]);
  assert_int_equal(loom_fabric_counts(b[0].fabric).flits, flits[0][0] + flits[0][1]);
  assert_int_equal(loom_fabric_counts(b[1].fabric).flits, flits[0][0] + flits[0][1]);
  assert_int_equal(loom_fabric_last_flit(b[1].fabric), loom_fabric_last_flit(b[0].fabric));
  assert_true(b[0].digest == b[1].digest);
}

/* Two hosts on one link, without streams and with them. */
static void compare_streams(uint32_t latency, uint32_t remote, bool trains) {
  struct bench b[2];
  for (uint32_t i = 0; i < 2; i++) {
    slow(&b[i]);
    b[i].direct = true;
    b[i].streams = i != 0;
    b[i].latency = latency;
    b[i].cfg.port.REMOTE_UNITS = remote;
    b[i].cfg.packet[1] = trains ? 8 : 0;
    b[i].seed = 7;
    open_bench(&b[i]);
  }
  while (b[0].tags < 600) {
    uint32_t burst = loom_below(&b[0].seed, 30), left = loom_below(&b[0].seed, 2500);
    b[1].seed = b[0].seed;
    for (uint32_t k = 0; k < burst; k++)
      for (uint32_t i = 0; i < 2; i++)
        post_random(&b[i]);
    for (; left; left--)
      step_alike(b);
  }
  while (b[0].received < b[0].tags)
    step_alike(b);
  for (uint32_t i = 0; i < 2; i++) {
    drain(&b[i]);
    expect_received_flits(&b[i]);
    expect_no_packets(&b[i]);
    assert_int_equal(loom_ledger_counts(b[i].ledger).damaged, 0);
  }
  for (uint32_t i = 0; i < 2; i++)
    close_bench(&b[i]);
}

/* DT-10, OP-22: streams spare steps, and nothing else is other than without them. */
static void hosts_joined_by_streams_send_and_count_the_same(void **state) {
  (void)state;
  compare_streams(1, 1024, false);
  compare_streams(40, 1024, true);
  compare_streams(40, 32, true);
}

/* Sender and receiver of a stream are stepped once or twice for each eight flits. */
static void hosts_joined_by_a_stream_are_stepped_for_credits_alone(void **state) {
  (void)state;
  for (uint32_t streams = 0; streams < 2; streams++) {
    struct bench b;
    defaults(&b);
    b.direct = true;
    b.streams = streams != 0;
    b.cfg.mtu[0] = 4000;
    open_bench(&b);
    post(&b, 0, 0, 4000);
    drain(&b);
    uint64_t steps = loom_fabric_counts(b.fabric).steps;
    if (streams)
      assert_in_range(steps, 2 * 4000 / 8, 4 * 4000 / 8);
    else
      assert_in_range(steps, 2 * 4000, 2 * 4000 + 100);
    close_bench(&b);
  }
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void count_paths(struct bench *b, uint32_t count[LOOM_HOST_PATHS]) {
  memset(count, 0, LOOM_HOST_PATHS * sizeof *count);
  open_bench(b);
  for (uint32_t i = 0; i < 60; i++)
    post(b, 0, 0, 64 * 64);
  drain(b);
  assert_int_equal(b->packets, 60 * 64);
  for (uint32_t i = 0; i < b->packets; i++)
    count[b->log[i].head.dest - b->lid[1]]++;
  close_bench(b);
}

/* Paths are drawn by packet, evenly, or one for a destination. */
static void paths_are_drawn_evenly_by_packet_or_once_for_a_destination(void **state) {
  (void)state;
  uint32_t count[LOOM_HOST_PATHS], used = 0;
  struct bench b;
  defaults(&b);
  b.cfg.paths = 8;
  count_paths(&b, count);
  for (uint32_t p = 0; p < 8; p++)
    assert_in_range(count[p], 380, 580); /* 480 */
  for (uint64_t seed = 0; seed < 40; seed++) {
    defaults(&b);
    b.cfg.paths = 128;
    b.cfg.steady = true;
    b.cfg.seed = seed;
    count_paths(&b, count);
    for (uint32_t p = 0; p < LOOM_HOST_PATHS; p++) {
      assert_true(count[p] == 0 || count[p] == 60 * 64);
      used += count[p] != 0 && p >= 64;
    }
  }
  assert_in_range(used, 8, 32); /* 20 */
}

/* A device that sees heads on all its ports. */
struct sink {
  uint32_t heads, dest[LOOM_FABRIC_PORTS];
};

static void sink_step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                      const struct loom_fabric_show *show) {
  struct sink *s = device;
  (void)now;
  (void)show;
  for (uint64_t set = in->head; set; set &= set - 1)
    s->dest[s->heads++] = loom_packet_read(in->port[loom_ctz(set)].data).dest;
}

static const struct loom_fabric_class sink_class = {
    .name = "sink", .step = sink_step, .sleeps = tap_sleeps};

/* Many hosts that send to one do not all take the same way. */
static void many_hosts_that_send_to_one_take_different_ways(void **state) {
  (void)state;
  enum { SOURCES = 32 };
  struct bench b;
  struct sink sink = {0};
  struct loom_host *host[SOURCES];
  uint16_t lid[SOURCES + 1];
  uint32_t same = 0;
  defaults(&b);
  b.cfg.lid = lid;
  b.cfg.paths = LOOM_HOST_PATHS;
  b.cfg.steady = true;
  struct loom_fabric *f = loom_fabric_create(
      &(struct loom_fabric_cfg){.devices = SOURCES + 1, .links = SOURCES, .latency = 1});
  struct loom_ledger *l = loom_ledger_create(SOURCES + 1, NULL, NULL);
  assert_true(f && l);
  for (uint32_t i = 0; i <= SOURCES; i++)
    lid[i] = (uint16_t)(LOOM_HOST_PATHS * i);
  uint32_t end = loom_fabric_add(f, &sink_class, &sink);
  for (uint32_t i = 0; i < SOURCES; i++) {
    host[i] = loom_host_create(&b.cfg, l, i);
    assert_non_null(host[i]);
    uint32_t device = loom_fabric_add(f, &loom_host_class, host[i]);
    loom_host_attach(host[i], f, device);
    loom_fabric_connect(f, device, 0, end, i, 1);
    assert_true(loom_host_post(host[i], &(struct loom_message){.dst = SOURCES, .flits = 2}));
  }
  while (sink.heads < SOURCES && loom_fabric_now(f) < 100)
    loom_fabric_step(f);
  assert_int_equal(sink.heads, SOURCES);
  for (uint32_t i = 1; i < SOURCES; i++)
    same += sink.dest[i] == sink.dest[0];
  assert_in_range(same, 0, 4);
  for (uint32_t i = 0; i < SOURCES; i++)
    loom_host_destroy(host[i]);
  loom_ledger_destroy(l);
  loom_fabric_destroy(f);
}

/* The class of the path is added to the service channel and gives the VL; packets of a message pass
 * each other then, and still make it. */
static void the_class_of_the_path_gives_the_vl(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  uint8_t *path = calloc(2, 65536);
  assert_non_null(path);
  b.cfg.paths = 4;
  b.cfg.path = path;
  b.cfg.stride = 65536;
  b.cfg.sc[0] = 4;
  b.ordered = false;
  for (uint8_t p = 0; p < 4; p++) {
    path[b.lid[1] + p] = p;
    path[65536 + b.lid[0] + p] = p;
    b.cfg.vl[4 + p] = 4 + p;
    b.cfg.sl[4 + p] = 4 + p;
  }
  b.cfg.classes = 1;
  stress(&b, 3000);
  for (uint32_t i = 0; i < LOG; i++) {
    const struct loom_packet_head *h = &b.log[i].head;
    assert_int_equal(h->sc, 4 + h->dest - b.lid[!b.log[i].host]);
    assert_int_equal(b.log[i].vl, h->sc);
  }
  close_bench(&b);
  free(path);
}

/* The seed of the hosts decides; the same one decides the same. */
static void the_seed_of_the_hosts_decides_their_paths(void **state) {
  (void)state;
  uint32_t same = 0;
  struct bench b;
  struct seen first[64];
  for (uint32_t i = 0; i < 3; i++) {
    defaults(&b);
    b.cfg.paths = 64;
    b.cfg.seed = i / 2;
    open_bench(&b);
    post(&b, 0, 0, 64 * 64);
    drain(&b);
    for (uint32_t k = 0; k < 64 && i; k++) {
      same += b.log[k].head.dest == first[k].head.dest;
      if (i == 1)
        assert_int_equal(b.log[k].head.dest, first[k].head.dest);
    }
    memcpy(first, b.log, sizeof first);
    close_bench(&b);
  }
  assert_in_range(same, 64, 64 + 10);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Of messages that never arrive a host has at most so many under way. */
static void a_host_has_only_so_many_messages_under_way(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  b.swallow = true;
  open_bench(&b);
  for (uint32_t i = 0; i < LOOM_PACKET_IDS + 5000; i++)
    post(&b, 0, i % 4, 2);
  cycles(&b, 6 * LOOM_PACKET_IDS);
  struct loom_ledger_counts c = loom_ledger_counts(b.ledger);
  assert_int_equal(c.flits_injected, 2 * LOOM_PACKET_IDS);
  assert_int_equal(c.received + c.stray, 0);
  assert_false(c.exhausted);
  close_bench(&b);
}

/* Without more memory a post says so, and what is under way arrives. */
static void a_post_without_memory_says_so_and_the_rest_arrives(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  open_bench(&b);
  loom_ledger_limit(b.ledger, 50000);
  uint32_t posted = 0;
  while (posted < 2000 && try_post(&b, 0, 0, 20))
    posted++;
  assert_in_range(posted, 256, 1024);
  assert_true(loom_ledger_counts(b.ledger).exhausted);
  assert_int_equal(loom_ledger_counts(b.ledger).posted, posted);
  assert_false(try_post(&b, 0, 0, 20));
  cycles(&b, 100000);
  assert_int_equal(loom_ledger_counts(b.ledger).stray, 0);
  close_bench(&b);
}

/* The same for records. */
static void a_host_without_memory_for_records_says_so(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  b.swallow = true;
  open_bench(&b);
  loom_ledger_limit(b.ledger, 50000);
  for (uint32_t i = 0; i < 600; i++)
    post(&b, 0, 0, 2);
  assert_false(loom_ledger_counts(b.ledger).exhausted);
  cycles(&b, 20000);
  struct loom_ledger_counts c = loom_ledger_counts(b.ledger);
  assert_true(c.exhausted);
  assert_true(c.flits_injected < 1200);
  close_bench(&b);
}

/* ---- records --------------------------------------------------------------------------------- */

static uint32_t open_record(struct loom_ledger *l, uint64_t now) {
  const struct loom_message m = {.flits = 2, .traffic_class = 1};
  uint32_t id = loom_ledger_open(l, 0, &m, now);
  assert_int_not_equal(id, LOOM_LEDGER_NONE);
  return id;
}

static void close_record(struct loom_ledger *l, uint32_t id, uint64_t now) {
  loom_ledger_record(l, 0, id)->left = 0;
  loom_ledger_close(l, 0, id, now);
}

/* Before the next cycle nobody notices that a record was closed: neither its place nor that there
 * is one more. */
static void a_closed_record_is_unnoticed_until_the_next_cycle(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct loom_ledger *l = loom_ledger_create(1, NULL, NULL);
    assert_non_null(l);
    for (uint32_t i = 1; i <= 8; i++)
      assert_int_equal(open_record(l, 1), i);
    assert_int_equal(l->source[0].size, 16);
    for (uint32_t i = 1; i <= 7; i++)
      close_record(l, i, 2);
    assert_int_equal(open_record(l, 2 + late), 9); /* of 16 there are 8 taken, or 1 */
    assert_int_equal(l->source[0].size, late ? 16 : 32);
    loom_ledger_destroy(l);
  }
}

static void a_record_is_used_again_from_the_next_cycle_on(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct loom_ledger *l = loom_ledger_create(1, NULL, NULL);
    assert_non_null(l);
    uint64_t now = 1;
    uint32_t kept = open_record(l, now);
    for (uint32_t i = 0; i < 15; i++, now++)
      close_record(l, open_record(l, now), now);
    close_record(l, kept, now);
    assert_int_equal(open_record(l, now + late), late ? kept : kept + 1);
    loom_ledger_destroy(l);
  }
}

static void illegal_messages_and_hosts_are_refused(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  open_bench(&b);
  assert_false(try_post(&b, 0, 4, 20));
  assert_false(try_post(&b, 0, 0, 1));
  struct loom_message m = {.dst = HOSTS, .flits = 2};
  assert_false(loom_host_post(b.host[0], &m));
  assert_int_equal(loom_ledger_counts(b.ledger).posted, 0);
  assert_false(loom_ledger_counts(b.ledger).exhausted);
  assert_null(loom_host_create(&b.cfg, b.ledger, 0)); /* there is one */
  assert_null(loom_host_create(&b.cfg, b.ledger, HOSTS));
  loom_host_destroy(b.host[1]);
  struct loom_host_cfg bad[] = {b.cfg, b.cfg, b.cfg, b.cfg, b.cfg, b.cfg, b.cfg, b.cfg, b.cfg};
  bad[0].classes = 0;
  bad[1].classes = 33;
  bad[2].mtu[3] = 2;
  bad[3].mtu[0] = 4096;
  bad[4].paths = 129;
  bad[5].vl[31] = 16;
  bad[6].sl[0] = 32;
  bad[7].port.CELLS = 1;
  bad[8].sc[0] = 32;
  for (uint32_t i = 0; i < 9; i++)
    assert_null(loom_host_create(&bad[i], b.ledger, 1));
  b.cfg.mtu[0] = 128;
  b.cfg.port.CELLS = 16; /* for a whole packet, no more */
  b.cfg.port.RESERVED = 0;
  b.host[1] = loom_host_create(&b.cfg, b.ledger, 1);
  assert_non_null(b.host[1]);
  close_bench(&b);
}

/* ---- strays ---------------------------------------------------------------------------------- */

/* One flit into host 0, the head of a packet by its number or 0. */
static void feed_numbered(struct bench *b, bool head, bool tail, uint32_t vl, uint64_t data,
                          uint32_t packet) {
  struct loom_fabric_arrival *in = calloc(1, sizeof *in + sizeof in->port[0]);
  const struct loom_fabric_show show = {
      .fabric = b->fabric, .device = b->device[0], .now = loom_fabric_now(b->fabric)};
  assert_non_null(in);
  *in = (struct loom_fabric_arrival){.valid = 1, .head = head, .tail = tail};
  in->port[0] = (struct loom_link_in){.data = data, .vl = (uint8_t)vl, .packet = packet};
  loom_host_class.step(b->host[0], loom_fabric_now(b->fabric), in, &show);
  free(in);
}

static void feed(struct bench *b, bool head, bool tail, uint32_t vl, uint64_t data) {
  feed_numbered(b, head, tail, vl, data, 0);
}

static void expect_strays(const struct bench *b, uint64_t stray) {
  struct loom_ledger_counts c = loom_ledger_counts(b->ledger);
  assert_int_equal(c.stray, stray);
  assert_int_equal(c.flits_received, 0);
}

/* A packet for somebody else, of nobody, of no message; flits outside a packet and across. */
static void packets_for_somebody_else_are_strays(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  open_bench(&b);
  static const struct loom_packet_head heads[] = {
      {.len = 3, .dest = 0x101, .src = 0x4280},
      {.len = 3, .dest = 0xFF, .src = 0x4280},
      {.len = 3, .dest = 0x100, .src = 0x4280},
      {.len = 3, .dest = 0x100, .src = 0x4280, .id = LOOM_PACKET_IDS - 1},
      {.len = 3, .dest = 0x100, .src = 7},
  };
  for (uint32_t i = 0; i < 5; i++) {
    feed(&b, true, false, 0, loom_packet_head(&heads[i]));
    feed(&b, false, false, 0, 1);
    feed(&b, false, true, 0, 2);
    expect_strays(&b, i + 1);
  }
  feed(&b, false, true, 0, 5); /* no packet */
  expect_strays(&b, 6);
  feed(&b, true, false, 0, loom_packet_head(&heads[0]));
  feed(&b, true, false, 0, loom_packet_head(&heads[0])); /* a head inside */
  feed(&b, false, false, 1, 5);                          /* another VL */
  feed(&b, false, true, 0, 5);                           /* the tail too early */
  expect_strays(&b, 10);
  close_bench(&b);
}

/* Whoever has the head last frees the packet, also where a head has no place. */
static void stray_heads_free_their_packets(void **state) {
  (void)state;
  struct bench b;
  defaults(&b);
  open_bench(&b);
  const uint64_t head = loom_packet_head(&(struct loom_packet_head){.len = 3, .dest = 0x100});
  struct loom_packets *packets = loom_fabric_packets(b.fabric);
  feed(&b, true, false, 0, head);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t number = loom_packets_add(packets, head, 1, 0);
    assert_int_equal(number, 1);
    feed_numbered(&b, true, false, 0, head, number);
    expect_strays(&b, i + 2);
  }
  close_bench(&b);
}

/* ---- packets of another ---------------------------------------------------------------------- */

/* The head of the last packet of a host, which the tap has swallowed. */
static struct loom_packet_head swallowed(struct bench *b, uint32_t src, uint32_t flits) {
  post(b, src, 0, flits);
  cycles(b, 300);
  const struct seen *s = &b->log[(b->packets - 1) % LOG];
  assert_int_equal(s->host, src);
  return s->head;
}

/* A packet into host 0: this head, with the flits after it of host 1's message `id` at `offset`,
 * those from `other` on of the packet at `there`. */
static void feed_packet(struct bench *b, const struct loom_packet_head *h, uint32_t id,
                        uint32_t offset, uint32_t other, uint32_t there) {
  uint64_t key = loom_ledger_record(b->ledger, 1, id)->key;
  feed(b, true, false, 0, loom_packet_head(h));
  for (uint32_t i = 1; i < h->len; i++)
    feed(b, false, i + 1 == h->len, 0, loom_packet_flit(key, i < other ? offset : there, i));
}

static void open_swallowing(struct bench *b) {
  defaults(b);
  b->swallow = true;
  b->ordered = false;
  b->cfg.mtu[0] = 5;
  open_bench(b);
}

/* Heads that are wrong though there is a message that they name. */
static void wrong_heads_of_known_messages_are_strays(void **state) {
  (void)state;
  struct bench b;
  open_swallowing(&b);
  const struct loom_packet_head good = swallowed(&b, 1, 5), own = swallowed(&b, 0, 5);
  struct loom_packet_head bad[] = {good, good, good, own};
  bad[0].dest = 0xFF;  /* before this host's LIDs */
  bad[1].dest = 0x101; /* after them */
  bad[2].len = 6;      /* more than the message has */
  bad[3].dest = 0x100; /* a message for the other host */
  for (uint32_t i = 0; i < 4; i++) {
    feed_packet(&b, &bad[i], good.id, 0, UINT32_MAX, 0);
    expect_strays(&b, i + 1);
  }
  feed_packet(&b, &good, good.id, 0, UINT32_MAX, 0);
  assert_int_equal(b.received, 1);
  assert_int_equal(loom_ledger_counts(b.ledger).stray, 4);
  close_bench(&b);
}

/* One packet twice instead of both: as many flits as the message has, but they are not all. */
static void a_packet_that_comes_twice_completes_no_message(void **state) {
  (void)state;
  for (uint32_t twice = 0; twice < 2; twice++) {
    struct bench b;
    open_swallowing(&b);
    const struct loom_packet_head h = swallowed(&b, 1, 10);
    feed_packet(&b, &h, h.id, 0, UINT32_MAX, 0);
    feed_packet(&b, &h, h.id, twice ? 0 : 5, UINT32_MAX, 0);
    struct loom_ledger_counts c = loom_ledger_counts(b.ledger);
    assert_int_equal(c.received, 1);
    assert_int_equal(c.damaged, 0);
    assert_int_equal(c.stray, twice);
    close_bench(&b);
  }
}

/* One that a link has lost leaves its message damaged, which is there when all else has come. */
static void a_message_that_lost_a_packet_arrives_damaged(void **state) {
  (void)state;
  for (uint32_t lost_last = 0; lost_last < 2; lost_last++) {
    struct bench b;
    open_swallowing(&b);
    const struct loom_packet_head h = swallowed(&b, 1, 15);
    for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(b.received, 0);
      if (i == 2 * lost_last)
        loom_ledger_lose(b.ledger, loom_packet_head(&h), loom_fabric_now(b.fabric));
      else
        feed_packet(&b, &h, h.id, 5 * i, UINT32_MAX, 0);
    }
    assert_int_equal(b.received, 1);
    assert_int_equal(loom_ledger_counts(b.ledger).damaged, 1);
    assert_int_equal(loom_ledger_counts(b.ledger).flits_received, 10);
    loom_ledger_lose(b.ledger, loom_packet_head(&h), loom_fabric_now(b.fabric)); /* nobody's */
    assert_int_equal(loom_ledger_counts(b.ledger).received, 1);
    close_bench(&b);
  }
}

/* The flits of another message, or of another packet of the same, are wrong ones. */
static void flits_of_another_message_damage_this_one(void **state) {
  (void)state;
  struct bench b;
  open_swallowing(&b);
  const struct loom_packet_head one = swallowed(&b, 1, 5), two = swallowed(&b, 1, 5);
  const struct loom_packet_head long_one = swallowed(&b, 1, 10);
  feed_packet(&b, &one, two.id, 0, UINT32_MAX, 0);
  assert_int_equal(loom_ledger_counts(b.ledger).damaged, 1);
  feed_packet(&b, &long_one, long_one.id, 0, 2, 5);
  feed_packet(&b, &long_one, long_one.id, 5, UINT32_MAX, 0);
  assert_int_equal(loom_ledger_counts(b.ledger).damaged, 2);
  feed_packet(&b, &two, two.id, 0, UINT32_MAX, 0);
  assert_int_equal(loom_ledger_counts(b.ledger).damaged, 2);
  assert_int_equal(b.received, 3);
  assert_int_equal(loom_ledger_counts(b.ledger).stray, 0);
  close_bench(&b);
}

/* ---- trains ---------------------------------------------------------------------------------- */

/* Trains of 64 flits, in packets of 8. */
static void train_defaults(struct bench *b) {
  defaults(b);
  for (uint32_t c = 0; c < 4; c++)
    b->cfg.packet[c] = 8;
}

/* DT-10: marks say first and last; each eighth packet ends a train. */
static void a_message_is_cut_into_trains_and_these_into_packets(void **state) {
  (void)state;
  struct bench b;
  train_defaults(&b);
  open_bench(&b);
  for (uint32_t flits = 2; flits <= 300; flits++) {
    uint64_t first = b.packets, packets = (flits + 7) / 8;
    post(&b, 0, 0, flits);
    drain(&b);
    assert_int_equal(b.packets - first, packets);
    for (uint64_t i = 0; i < packets; i++) {
      const struct loom_packet_head *h = &b.log[(first + i) % LOG].head;
      assert_int_equal(h->after, i % 8 != 0);
      assert_int_equal(h->more, i % 8 != 7 && i + 1 < packets);
      assert_true(h->len >= 2 && h->len <= 8);
    }
  }
  close_bench(&b);
}

static void packets_alone_have_no_marks_with_or_without_the_key(void **state) {
  (void)state;
  for (uint16_t packet = 0; packet <= 64; packet = (uint16_t)(packet + 64)) {
    struct bench b;
    defaults(&b);
    b.cfg.packet[0] = packet;
    open_bench(&b);
    post(&b, 0, 0, 640);
    drain(&b);
    for (uint32_t i = 0; i < 10; i++)
      assert_true(!b.log[i].head.after && !b.log[i].head.more);
    assert_int_equal(b.told, packet ? 10 : 0);
    close_bench(&b);
  }
}

/* Two classes on each of two VLs; the tap sees that nothing comes between the packets of a train,
 * and the classes of the other VL go on. */
static void nothing_comes_between_the_packets_of_a_train(void **state) {
  (void)state;
  for (uint32_t sched = 0; sched < 4; sched++) {
    struct bench b;
    train_defaults(&b);
    b.cfg.port.SCHED = sched;
    b.cfg.port.VLS = 4;
    b.cfg.port.CELLS = 40; /* so trains wait for room */
    b.cfg.port.RESERVED = 8;
    b.cfg.packet[3] = 0;
    b.cfg.mtu[3] = 9;
    b.cfg.vl[1] = 0;
    b.cfg.vl[2] = b.cfg.vl[3] = 1;
    stress(&b, 2000);
    assert_true(b.told > 2000);
    close_bench(&b);
  }
}

/* Of spoilt packets nobody is told; all others have the latency of the link, or more. */
static void every_undamaged_packet_of_a_train_is_told_once(void **state) {
  (void)state;
  struct bench b;
  train_defaults(&b);
  open_bench(&b);
  uint32_t tag = post(&b, 0, 0, 64);
  drain(&b);
  const struct loom_message *m = &b.fate[tag].message;
  assert_int_equal(b.told, 8);
  assert_int_equal(b.told_total,
                   8 * (m->received - m->generated) - 8 * (7 + 6 + 5 + 4 + 3 + 2 + 1));
  assert_int_equal(b.told_net, 8 * (7 + 2 * b.latency));
  close_bench(&b);
  train_defaults(&b);
  b.spoil = 1u << 22;
  stress(&b, 2000);
  assert_true(b.told < b.packets && b.told > b.packets * 9 / 10);
  close_bench(&b);
}

static void neither_sleep_nor_the_order_of_devices_shows_with_trains(void **state) {
  (void)state;
  uint64_t digest = 0;
  for (uint32_t i = 0; i < 4; i++) {
    struct bench b;
    train_defaults(&b);
    b.cfg.paths = 4;
    b.cfg.port.VLS = 4;
    b.cfg.port.CELLS = 40;
    b.cfg.port.RESERVED = 8;
    b.replies = true;
    b.swapped = i & 1;
    b.awake = i & 2;
    digest = i ? digest : stress(&b, 1500);
    if (i)
      assert_true(stress(&b, 1500) == digest);
    close_bench(&b);
  }
}

/* A path is drawn for each train, not for each packet (see_train); 100 trains find several. */
static void the_packets_of_a_train_take_one_path(void **state) {
  (void)state;
  struct bench b;
  uint32_t paths = 0;
  train_defaults(&b);
  b.cfg.paths = 8;
  open_bench(&b);
  post(&b, 0, 0, 6400);
  drain(&b);
  for (uint32_t i = 0; i < 800; i++)
    paths |= 1u << (b.log[i].head.dest - b.lid[1]);
  assert_int_equal(paths, 0xFF);
  close_bench(&b);
}

/* Two trains of 3 packets of 5 flits from host 1, swallowed by the tap. A digit is a packet of the
 * first message, a letter one of the second; `stray` of them are not in their places. */
static void feed_trains(const char *order, uint64_t stray, uint32_t whole) {
  struct bench b;
  defaults(&b);
  b.swallow = true;
  b.ordered = false;
  b.cfg.mtu[0] = 15;
  b.cfg.packet[0] = 5;
  open_bench(&b);
  struct loom_packet_head h[2];
  for (uint32_t i = 0; i < 2; i++)
    h[i] = swallowed(&b, 1, 15);
  for (const char *at = order; *at; at++) {
    bool second = *at >= 'a';
    uint32_t place = (uint32_t)(*at - (second ? 'a' : '0'));
    struct loom_packet_head head = h[second];
    head.after = place > 0;
    head.more = place < 2;
    feed_packet(&b, &head, head.id, 5 * place, UINT32_MAX, 0);
  }
  assert_int_equal(loom_ledger_counts(b.ledger).stray, stray);
  assert_int_equal(b.received, whole);
  close_bench(&b);
}

static void packets_out_of_their_place_in_a_train_are_strays(void **state) {
  (void)state;
  feed_trains("012abc", 0, 2);
  feed_trains("abc012", 0, 2);
  feed_trains("021", 2, 1);    /* 2 too early, 1 without a train */
  feed_trains("102", 3, 1);    /* 1 without its first; 0 while that goes on, and 2 after it */
  feed_trains("0a12bc", 3, 2); /* interleaved */
  feed_trains("01abc2", 2, 2); /* one train inside the other */
  feed_trains("01abc", 1, 1);  /* the last packet never comes */
  feed_trains("12", 1, 0);     /* the first one does not */
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_of_all_sizes_arrive_whole),
      cmocka_unit_test(a_message_alone_takes_nine_cycles_of_the_port_and_the_link),
      cmocka_unit_test(nothing_is_lost_damaged_or_doubled_under_any_scheduler),
      cmocka_unit_test(round_robin_shares_the_link_equally),
      cmocka_unit_test(the_sbt_scheduler_shares_the_link_by_its_weights),
      cmocka_unit_test(tables_share_the_link_by_their_weights),
      cmocka_unit_test(two_classes_with_one_key_share_it_by_packets),
      cmocka_unit_test(long_packets_keep_their_turn_while_they_wait_for_room),
      cmocka_unit_test(a_message_is_damaged_if_and_only_if_one_of_its_flits_was),
      cmocka_unit_test(any_wrong_bit_of_the_fabric_damages_a_message),
      cmocka_unit_test(neither_sleep_nor_the_order_of_devices_shows),
      cmocka_unit_test(a_host_that_waits_for_credits_sleeps_and_says_so),
      cmocka_unit_test(a_host_that_is_held_back_waits_for_nobody),
      cmocka_unit_test(hosts_joined_by_streams_send_and_count_the_same),
      cmocka_unit_test(hosts_joined_by_a_stream_are_stepped_for_credits_alone),
      cmocka_unit_test(paths_are_drawn_evenly_by_packet_or_once_for_a_destination),
      cmocka_unit_test(many_hosts_that_send_to_one_take_different_ways),
      cmocka_unit_test(the_class_of_the_path_gives_the_vl),
      cmocka_unit_test(the_seed_of_the_hosts_decides_their_paths),
      cmocka_unit_test(a_host_has_only_so_many_messages_under_way),
      cmocka_unit_test(a_post_without_memory_says_so_and_the_rest_arrives),
      cmocka_unit_test(a_host_without_memory_for_records_says_so),
      cmocka_unit_test(a_closed_record_is_unnoticed_until_the_next_cycle),
      cmocka_unit_test(a_record_is_used_again_from_the_next_cycle_on),
      cmocka_unit_test(illegal_messages_and_hosts_are_refused),
      cmocka_unit_test(packets_for_somebody_else_are_strays),
      cmocka_unit_test(stray_heads_free_their_packets),
      cmocka_unit_test(a_message_is_cut_into_trains_and_these_into_packets),
      cmocka_unit_test(packets_alone_have_no_marks_with_or_without_the_key),
      cmocka_unit_test(nothing_comes_between_the_packets_of_a_train),
      cmocka_unit_test(every_undamaged_packet_of_a_train_is_told_once),
      cmocka_unit_test(neither_sleep_nor_the_order_of_devices_shows_with_trains),
      cmocka_unit_test(the_packets_of_a_train_take_one_path),
      cmocka_unit_test(packets_out_of_their_place_in_a_train_are_strays),
      cmocka_unit_test(wrong_heads_of_known_messages_are_strays),
      cmocka_unit_test(a_packet_that_comes_twice_completes_no_message),
      cmocka_unit_test(a_message_that_lost_a_packet_arrives_damaged),
      cmocka_unit_test(flits_of_another_message_damage_this_one)};
  return UNIT_RUN("host", tests, NULL, NULL);
}
