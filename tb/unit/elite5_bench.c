/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_bench.c - the bench of elite5_bench.h, from docs/elite5.md */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tb/ends/elite5_ports.h"
#include "tb/unit/elite5_bench.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static uint32_t *param(struct loom_elite5_router_cfg *cfg, const char *name, size_t length) {
#define LOOM_PARAM(NAME, dflt, min, max)                                                           \
  if (strlen(#NAME) == length && memcmp(name, #NAME, length) == 0)                                 \
    return &cfg->NAME;
#include <loom/def_rest.h>

#include "elite5/elite5_router.def"
#include <loom/def_undef.h>
  return NULL;
}

void set_router_params(struct loom_elite5_router_cfg *cfg, const char *params) {
  loom_elite5_router_defaults(cfg);
  while (*params) {
    size_t length = strcspn(params, "=");
    uint32_t *value = param(cfg, params, length);
    if (!value)
      fail_msg("no parameter %s", params);
    char *end;
    *value = (uint32_t)strtoul(params + length + 1, &end, 10);
    params = end + strspn(end, " ");
  }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Bytes that the list asks for, at least 8. */
static size_t listed_storage(const struct loom_elite5_router_cfg *c) {
  size_t bytes = 8;
#define P(NAME) c->NAME
#define LOOM_STORAGE(size) bytes = (size);
#include <loom/def_rest.h>

#include "elite5/elite5_router.def"
#include <loom/def_undef.h>
  (void)c;
  return bytes;
}

static struct elite5_bench *open_bench(const char *params) {
  struct elite5_bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  set_router_params(&b->cfg, params);
  b->credits = b->answers = ~0ull;
  return b;
}

static void *memory(size_t bytes) {
  void *p = malloc(bytes);
  assert_non_null(p);
  memset(p, 0xA5, bytes); /* must not show */
  return p;
}

struct elite5_bench *open_router(const char *params) {
  struct elite5_bench *b = open_bench(params);
  assert_true(loom_elite5_router_cfg_ok(&b->cfg));
  b->s = memory(sizeof *b->s);
  b->slept = calloc(1, sizeof *b->slept);
  b->stepped = calloc(1, sizeof *b->stepped);
  assert_non_null(b->slept);
  assert_non_null(b->stepped);
  b->storage = memory(listed_storage(&b->cfg));
  loom_elite5_router_init(b->s, &b->cfg
#define LOOM_STORAGE(size) , b->storage
#include <loom/def_rest.h>

#include "elite5/elite5_router.def"
#include <loom/def_undef.h>
  );
  return b;
}

/* What the list of the second edition asks for is enough. */
static size_t crosspoint_storage(const struct loom_crosspoint_router_cfg *c) {
  size_t bytes = 0;
#define P(NAME) c->NAME
#define LOOM_STORAGE(size) bytes = (size);
#include <loom/def_rest.h>

#include "elite5/crosspoint_router.def"
#include <loom/def_undef.h>
  assert_true(bytes >= loom_crosspoint_router_storage_size(c));
  return loom_crosspoint_router_storage_size(c);
}

struct elite5_bench *open_crosspoint(const char *params, uint32_t pipe) {
  struct elite5_bench *b = open_bench(params);
  const struct loom_elite5_router_cfg *c = &b->cfg;
  const struct loom_crosspoint_router_cfg cfg = {.LINKS = c->LINKS,
                                                 .VCS = c->VCS,
                                                 .BVCS = c->BVCS,
                                                 .POOL = c->POOL,
                                                 .DESTS = c->DESTS,
                                                 .CLASSES = c->CLASSES,
                                                 .GROUPS = c->GROUPS,
                                                 .PIPE = pipe};
  assert_true(loom_crosspoint_router_cfg_ok(&cfg));
  b->x = memory(sizeof *b->x);
  b->x_slept = memory(sizeof *b->x);
  b->x_stepped = memory(sizeof *b->x);
  b->x_bytes = crosspoint_storage(&cfg);
  b->storage = memory(b->x_bytes);
  for (uint32_t k = 0; k < 2; k++)
    b->x_storage[k] = memory(b->x_bytes);
  loom_crosspoint_router_init(b->x, &cfg, b->storage);
  return b;
}

void close_router(struct elite5_bench *b) {
  free(b->s);
  free(b->x);
  free(b->x_slept);
  free(b->x_stepped);
  free(b->x_storage[0]);
  free(b->x_storage[1]);
  free(b->slept);
  free(b->stepped);
  free(b->storage);
  free(b);
}

/* A register every cycle. */
static void stream_reg(struct elite5_bench *b, uint32_t addr, uint32_t data) {
  put_reg(b, addr, data);
  cycle(b);
}

static void fill_tables(struct elite5_bench *b) {
  for (uint32_t d = 0; d < b->cfg.DESTS; d++)
    stream_reg(b, LOOM_ELITE5_REG_DEST + d, d % b->cfg.CLASSES);
  for (uint32_t k = 0; k < b->cfg.CLASSES + 2 * b->cfg.GROUPS; k++)
    stream_reg(b, LOOM_ELITE5_REG_MASK + 2 * k,
               k < b->cfg.CLASSES && k < b->cfg.LINKS ? 1u << k : 0);
  stream_reg(b, LOOM_ELITE5_REG_DEST_COUNT, b->cfg.DESTS);
  stream_reg(b, LOOM_ELITE5_REG_CLASS_COUNT, b->cfg.CLASSES);
  stream_reg(b, LOOM_ELITE5_REG_GROUP_COUNT, b->cfg.GROUPS);
}

static struct elite5_bench *get_up(struct elite5_bench *b) {
  fill_tables(b);
  bring_up(b, loom_mask(b->cfg.LINKS));
  return b;
}

struct elite5_bench *open_up(const char *params) {
  return get_up(open_router(params));
}

struct elite5_bench *open_crosspoint_up(const char *params, uint32_t pipe) {
  return get_up(open_crosspoint(params, pipe));
}

struct elite5_bench *open_small(void) {
  return open_up(SMALL);
}

/* ---- senders and far ends -------------------------------------------------------------------- */

static void feed_words(struct elite5_bench *b, uint32_t link) {
  struct elite5_sender *s = &b->sender[link];
  if (b->in.in_valid[link])
    return;
  if (s->count) {
    const struct elite5_word *w = &s->word[s->first];
    s->first = (s->first + 1) % QUEUE;
    s->count--;
    end_put_word(&b->in, link, w->head, w->tail, w->vl, w->data);
  } else if (b->readies >> link & 1) {
    end_put_word(&b->in, link, true, true, 0, loom_elite5_control(LOOM_ELITE5_READY, 0));
  }
}

static void give_back(struct elite5_bench *b, uint32_t link) {
  struct elite5_far *far = &b->far[link];
  if (far->credits && !b->in.out_cr_valid[link]) {
    credit(b, link, far->credit[0]);
    far->credits--;
    memmove(far->credit, far->credit + 1, far->credits);
  }
  uint32_t vc = (uint32_t)b->in.out_cr_vl[link];
  if (b->in.out_cr_valid[link] && far->used[vc])
    far->used[vc]--;
}

static void answer(struct elite5_bench *b, uint32_t link) {
  struct elite5_far *far = &b->far[link];
  if (!far->replies || b->in.out_rep_valid[link])
    return;
  reply(b, link, far->reply[0], far->ack[0]);
  far->replies--;
  memmove(far->reply, far->reply + 1, far->replies);
  memmove(far->ack, far->ack + 1, far->replies * sizeof far->ack[0]);
}

static void feed(struct elite5_bench *b) {
  for (uint32_t l = 0; l < b->cfg.LINKS; l++) {
    b->in.in_signal[l] = b->signal >> l & 1;
    feed_words(b, l);
    give_back(b, l);
    answer(b, l);
  }
}

/* ---- looking at what comes out --------------------------------------------------------------- */

static void log_event(struct elite5_log *log, struct elite5_event event) {
  assert_true(log->count < LOG);
  log->event[log->count++] = event;
}

/* E5-10: the header takes a segment buffer of the far end, and there must have been one. */
static void take_buffer(struct elite5_bench *b, uint32_t link, uint32_t vc) {
  struct elite5_far *far = &b->far[link];
  uint32_t shared = 0;
  far->used[vc]++;
  for (uint32_t v = 0; v < b->cfg.VCS; v++)
    shared += far->used[v] ? far->used[v] - 1 : 0;
  assert_true(shared <= b->cfg.POOL);
  if (b->credits >> link & 1)
    far->credit[far->credits++] = (uint8_t)vc;
}

/* A word of traffic. */
static void receive(struct elite5_bench *b, uint32_t link) {
  uint64_t data = b->out.out_data[link];
  uint32_t vc = (uint32_t)b->out.out_vl[link];
  assert_true(vc < b->cfg.VCS);
  if (b->out.out_head[link]) {
    assert_true(loom_elite5_crc_ok(data));
    uint32_t field = loom_elite5_is_continuation(data) ? data >> 56 & 31 : data >> 54 & 31;
    assert_int_equal(field, vc);
    take_buffer(b, link, vc);
  }
  struct elite5_far *far = &b->far[link];
  if (b->out.out_tail[link] && (b->answers >> link & 1)) {
    far->ack[far->replies] = !(b->refuses >> link & 1);
    far->reply[far->replies++] = (uint8_t)vc;
  }
}

static bool is_control(const struct elite5_bench *b, uint32_t link) {
  return b->out.out_head[link] && loom_elite5_type_of(b->out.out_data[link]) == LOOM_ELITE5_CONTROL;
}

static void look_forwards(struct elite5_bench *b, uint32_t link) {
  const struct loom_elite5_router_out *o = &b->out;
  if (!o->out_valid[link]) {
    assert_true((o->out_head[link] | o->out_tail[link] | o->out_vl[link] | o->out_data[link]) == 0);
    return;
  }
  if (!(b->unlogged >> link & 1))
    log_event(&b->words[link], (struct elite5_event){.cycle = b->cycle,
                                                     .data = o->out_data[link],
                                                     .vc = (uint32_t)o->out_vl[link],
                                                     .head = o->out_head[link],
                                                     .tail = o->out_tail[link]});
  if ((b->probe.up >> link & 1) && !is_control(b, link))
    receive(b, link);
}

static void look_backwards(struct elite5_bench *b, uint32_t link) {
  const struct loom_elite5_router_out *o = &b->out;
  if (o->in_cr_valid[link])
    log_event(&b->freed[link],
              (struct elite5_event){.cycle = b->cycle, .vc = (uint32_t)o->in_cr_vl[link]});
  else
    assert_int_equal(o->in_cr_vl[link], 0);
  if (o->in_rep_valid[link])
    log_event(&b->replies[link], (struct elite5_event){.cycle = b->cycle,
                                                       .vc = (uint32_t)o->in_rep_vc[link],
                                                       .ack = o->in_rep_ack[link]});
  else
    assert_true((o->in_rep_ack[link] | o->in_rep_vc[link]) == 0);
}

static void look(struct elite5_bench *b) {
  for (uint32_t l = 0; l < b->cfg.LINKS; l++) {
    look_forwards(b, l);
    look_backwards(b, l);
    if (!(b->probe.up >> l & 1))
      memset(&b->far[l], 0, sizeof b->far[l]);
  }
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* Edges to look ahead: words that are under way go through all stages; odd, for short windows. */
enum { AHEAD = 2 * LOOM_ELITE5_STAGES + 1 };

/* All but tables and words in buffers, which nothing reads while no segment is there. */
enum {
  STATE = offsetof(struct loom_elite5_router, mask),
  BUFFER_STATE = offsetof(struct loom_segment_buffer, word)
};

static void copy_state(struct loom_elite5_router *to, const struct loom_elite5_router *from) {
  memcpy(to, from, STATE);
  for (uint32_t l = 0; l < from->size.links; l++)
    memcpy(&to->buffer[l], &from->buffer[l], BUFFER_STATE);
}

static bool same_state(const struct loom_elite5_router *a, const struct loom_elite5_router *b) {
  bool same = memcmp(a, b, STATE) == 0;
  for (uint32_t l = 0; l < a->size.links; l++)
    same = same && memcmp(&a->buffer[l], &b->buffer[l], BUFFER_STATE) == 0;
  return same;
}

static void expect_silence(const struct loom_elite5_router *s, loom_links signal) {
  const struct loom_elite5_returns *r = loom_elite5_router_returns(s);
  assert_int_equal(loom_elite5_router_words(s)->valid | r->cr_valid | r->rep_valid, 0);
  assert_int_equal(loom_elite5_router_signal(s), signal);
}

static void expect_sleep(struct elite5_bench *b, loom_links signal) {
  const struct loom_elite5_lanes lanes = {.signal = signal,
                                          .reg_addr = b->s->reg.addr, /* without an access */
                                          .reg_wdata = b->s->reg.wdata};
  loom_links shown = loom_elite5_router_signal(b->s);
  copy_state(b->slept, b->s);
  copy_state(b->stepped, b->s);
  for (uint32_t i = 0; i < AHEAD; i++) {
    expect_silence(b->stepped, shown);
    loom_elite5_router_edge(b->stepped, &lanes);
  }
  loom_elite5_router_skip(b->slept, AHEAD);
  assert_true(same_state(b->slept, b->stepped));
}

/* The same of the second edition. */
void copy_crosspoint(struct elite5_bench *b, uint32_t which) {
  struct loom_crosspoint_router *to = which ? b->x_stepped : b->x_slept;
  memcpy(to, b->x, sizeof *to);
  memcpy(b->x_storage[which], b->storage, b->x_bytes);
  to->port = b->x_storage[which];
}

static void expect_crosspoint_sleep(struct elite5_bench *b, loom_links signal) {
  const struct loom_elite5_lanes lanes = {.signal = signal};
  loom_links shown = loom_crosspoint_router_signal(b->x);
  copy_crosspoint(b, 0);
  copy_crosspoint(b, 1);
  for (uint32_t i = 0; i < AHEAD; i++) {
    const struct loom_elite5_returns *r = loom_crosspoint_router_returns(b->x_stepped);
    uint32_t words = loom_crosspoint_router_words(b->x_stepped)->valid;
    assert_int_equal(words | r->cr_valid | r->rep_valid, 0);
    assert_int_equal(loom_crosspoint_router_signal(b->x_stepped), shown);
    loom_crosspoint_router_edge(b->x_stepped, &lanes);
  }
  loom_crosspoint_router_skip(b->x_slept, AHEAD);
  b->x_slept->port = b->x_stepped->port;
  assert_memory_equal(b->x_slept, b->x_stepped, sizeof *b->x_slept);
  assert_memory_equal(b->x_storage[0], b->x_storage[1], b->x_bytes);
  b->naps++;
}

/* When it falls asleep, and now and then while it does. */
enum { NAP = 64 };

static void try_sleep(struct elite5_bench *b, loom_links signal) {
  bool asleep = loom_crosspoint_router_sleeps(b->x) && b->x->heard == signal;
  if (asleep && (!b->asleep || b->cycle % NAP == 0))
    expect_crosspoint_sleep(b, signal);
  b->asleep = asleep;
}

static loom_links signals(const struct elite5_bench *b) {
  loom_links signal = 0;
  for (uint32_t l = 0; l < LINKS_MAX; l++)
    signal |= (loom_links)b->in.in_signal[l] << l;
  return signal;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The second edition has the same ports and probes, in the same order. */
static void step_crosspoint(struct elite5_bench *b) {
  struct loom_crosspoint_router_in in;
  struct loom_crosspoint_router_out out;
  struct loom_crosspoint_router_probe probe;
  _Static_assert(sizeof in == sizeof b->in && sizeof out == sizeof b->out &&
                     sizeof probe == sizeof b->probe,
                 "the ports of both editions are the same");
  memcpy(&in, &b->in, sizeof in);
  loom_crosspoint_router_probe(b->x, &probe);
  loom_crosspoint_router_step(b->x, &in, &out);
  memcpy(&b->out, &out, sizeof out);
  memcpy(&b->probe, &probe, sizeof probe);
}

static void step(struct elite5_bench *b) {
  loom_elite5_router_probe(b->s, &b->probe);
  loom_elite5_router_step(b->s, &b->in, &b->out);
}

void cycle(struct elite5_bench *b) {
  feed(b);
  if (b->x)
    step_crosspoint(b);
  else
    step(b);
  look(b);
  if (b->s && loom_elite5_router_sleeps(b->s) && b->s->heard == signals(b))
    expect_sleep(b, signals(b));
  if (b->x)
    try_sleep(b, signals(b));
  memset(&b->in, 0, sizeof b->in);
  b->cycle++;
}

void cycles(struct elite5_bench *b, uint64_t n) {
  while (n--)
    cycle(b);
}

void cycle_to(struct elite5_bench *b, uint64_t c) {
  assert_true(b->cycle <= c + 1);
  while (b->cycle <= c)
    cycle(b);
}

/* ---- links ----------------------------------------------------------------------------------- */

void forget_logs(struct elite5_bench *b) {
  for (uint32_t l = 0; l < b->cfg.LINKS; l++) {
    b->words[l].count = b->words[l].seen = 0;
    b->replies[l].count = b->replies[l].seen = 0;
    b->freed[l].count = b->freed[l].seen = 0;
  }
}

void bring_up(struct elite5_bench *b, uint64_t links) {
  write_link(b, ALL, LOOM_ELITE5_REG_LINK_CONTROL, ENABLE | QUICK);
  b->signal |= links;
  b->readies |= links;
  for (uint32_t c = 0; c < 60 && (b->probe.up & links) != links; c++)
    cycle(b);
  assert_true((b->probe.up & links) == links);
  b->readies &= ~links;
  cycles(b, 4);
  forget_logs(b);
}

void unplug(struct elite5_bench *b, uint32_t link) { b->signal &= ~(1ull << link); }

/* ---- packets --------------------------------------------------------------------------------- */

static struct elite5_packet packet(uint32_t type, uint32_t vc, uint32_t dest, uint32_t words) {
  return (struct elite5_packet){
      .type = type, .vc = vc, .dest = dest, .words = words, .tag = vc << 16 | dest};
}

struct elite5_packet unicast(uint32_t vc, uint32_t dest, uint32_t words) {
  return packet(LOOM_ELITE5_UNICAST, vc, dest, words);
}

struct elite5_packet broadcast(uint32_t vc, uint32_t group, uint32_t words) {
  return packet(LOOM_ELITE5_BROADCAST, vc, group, words);
}

struct elite5_packet conditional(uint32_t vc, uint32_t dest, uint32_t words) {
  return packet(LOOM_ELITE5_CONDITIONAL, vc, dest, words);
}

uint64_t packet_word(const struct elite5_packet *p, uint32_t i, uint32_t vc) {
  uint64_t payload = loom_scramble((uint64_t)p->tag << 16 | i);
  if (i % SEGMENT)
    return payload;
  uint32_t words = loom_min(SEGMENT, p->words - i); /* of this segment */
  if (i == 0)
    return loom_elite5_pack_first(&(struct loom_elite5_first){.type = (uint8_t)p->type,
                                                              .prio = (uint8_t)p->prio,
                                                              .vc = (uint8_t)vc,
                                                              .len = (uint8_t)(8 * words - 8),
                                                              .dest = (uint16_t)p->dest,
                                                              .ts = (uint16_t)p->ts});
  bool last = i + SEGMENT >= p->words;
  return loom_elite5_pack_continuation(&(struct loom_elite5_continuation){
      .type = last ? LOOM_ELITE5_LAST_CONTINUATION : LOOM_ELITE5_CONTINUATION,
      .vc = (uint8_t)vc,
      .len = (uint8_t)(8 * words - 4),
      .payload = (uint32_t)payload});
}

uint64_t send_word(struct elite5_bench *b, uint32_t link, bool head, bool tail, uint32_t vl,
                   uint64_t data) {
  struct elite5_sender *s = &b->sender[link];
  assert_true(s->count < QUEUE);
  s->word[(s->first + s->count) % QUEUE] =
      (struct elite5_word){.data = data, .vl = (uint8_t)vl, .head = head, .tail = tail};
  return b->cycle + s->count++;
}

uint64_t send_part(struct elite5_bench *b, uint32_t link, struct elite5_packet p, uint32_t from,
                   uint32_t to) {
  uint64_t at = b->cycle + b->sender[link].count;
  for (uint32_t i = from; i < to; i++)
    send_word(b, link, i % SEGMENT == 0, i + 1 == p.words, p.vc, packet_word(&p, i, p.vc));
  return at;
}

uint64_t send(struct elite5_bench *b, uint32_t link, struct elite5_packet p) {
  return send_part(b, link, p, 0, p.words);
}

uint64_t send_control(struct elite5_bench *b, uint32_t link, uint32_t sub, uint64_t info) {
  return send_word(b, link, true, true, 0, loom_elite5_control((enum loom_elite5_sub)sub, info));
}

void reply(struct elite5_bench *b, uint32_t link, uint32_t vc, bool ack) {
  end_put_reply(&b->in, link, vc, ack);
}

void credit(struct elite5_bench *b, uint32_t link, uint32_t vc) {
  end_put_segment_back(&b->in, link, vc);
}

/* ---- what came out --------------------------------------------------------------------------- */

static struct elite5_event next_of(struct elite5_log *log, const char *what, uint32_t link) {
  if (log->seen == log->count)
    fail_msg("link %u: no %s has come", link, what);
  return log->event[log->seen++];
}

struct elite5_event next_word(struct elite5_bench *b, uint32_t link) {
  return next_of(&b->words[link], "word", link);
}

struct elite5_event next_reply(struct elite5_bench *b, uint32_t link) {
  return next_of(&b->replies[link], "reply", link);
}

void expect_word(struct elite5_bench *b, uint32_t link, bool head, bool tail, uint32_t vl,
                 uint64_t data, uint64_t at) {
  struct elite5_event e = next_word(b, link);
  assert_int_equal(e.cycle, at);
  assert_int_equal(e.head, head);
  assert_int_equal(e.tail, tail);
  assert_int_equal(e.vc, vl);
  assert_true(e.data == data);
}

void expect_part(struct elite5_bench *b, uint32_t link, struct elite5_packet p, uint32_t from,
                 uint32_t to, uint32_t vc, uint64_t at) {
  for (uint32_t i = from; i < to; i++)
    expect_word(b, link, i % SEGMENT == 0, i + 1 == p.words, vc, packet_word(&p, i, vc),
                at + i - from);
}

void expect_packet(struct elite5_bench *b, uint32_t link, struct elite5_packet p, uint32_t vc,
                   uint64_t at) {
  expect_part(b, link, p, 0, p.words, vc, at);
}

void expect_reply(struct elite5_bench *b, uint32_t link, uint32_t vc, bool ack, uint64_t at) {
  struct elite5_event e = next_reply(b, link);
  assert_int_equal(e.cycle, at);
  assert_int_equal(e.vc, vc);
  assert_int_equal(e.ack, ack);
}

void expect_freed(struct elite5_bench *b, uint32_t link, uint32_t vc, uint64_t at) {
  struct elite5_event e = next_of(&b->freed[link], "credit", link);
  assert_int_equal(e.cycle, at);
  assert_int_equal(e.vc, vc);
}

uint32_t words_left(const struct elite5_bench *b, uint32_t link) {
  return b->words[link].count - b->words[link].seen;
}

uint32_t replies_left(const struct elite5_bench *b, uint32_t link) {
  return b->replies[link].count - b->replies[link].seen;
}

void expect_nothing_else(struct elite5_bench *b) {
  for (uint32_t l = 0; l < b->cfg.LINKS; l++) {
    if (words_left(b, l))
      fail_msg("link %u: %u words that nobody expects", l, words_left(b, l));
    if (replies_left(b, l))
      fail_msg("link %u: %u replies that nobody expects", l, replies_left(b, l));
  }
}

void expect_quiet(struct elite5_bench *b) {
  cycles(b, 20);
  assert_int_equal(b->probe.locked, 0);
  assert_int_equal(b->probe.bsel, 0);
  expect_no_trap(b);
  for (uint32_t l = 0; l < b->cfg.LINKS; l++) {
    assert_int_equal(b->sender[l].count, 0);
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_ALLOCATED), 0);
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_NOT_IDLE), 0);
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_PENDING), 0);
    for (uint32_t v = 0; v < b->cfg.VCS; v++)
      assert_int_equal(b->far[l].used[v], 0);
  }
}

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t link_reg(uint32_t link, uint32_t a) {
  return LOOM_ELITE5_REG_LINKS + LOOM_REG_WINDOW * link + a;
}

void put_reg(struct elite5_bench *b, uint32_t addr, uint32_t data) {
  b->in.reg_we = 1;
  b->in.reg_addr = addr;
  b->in.reg_wdata = data;
}

void write_reg(struct elite5_bench *b, uint32_t addr, uint32_t data) {
  put_reg(b, addr, data);
  cycles(b, b->x ? b->cfg.LINKS + 3 : 2);
}

uint32_t read_reg(struct elite5_bench *b, uint32_t addr) {
  b->in.reg_re = 1;
  b->in.reg_addr = addr;
  for (uint32_t c = 0; c < 3 + (b->x ? b->cfg.LINKS : 0); c++) {
    cycle(b);
    assert_true((b->out.reg_rvalid | b->out.reg_rdata) == 0);
  }
  cycle(b);
  assert_int_equal(b->out.reg_rvalid, 1);
  return (uint32_t)b->out.reg_rdata;
}

void write_link(struct elite5_bench *b, uint32_t link, uint32_t a, uint32_t data) {
  write_reg(b, link_reg(link, a), data);
}

uint32_t read_link(struct elite5_bench *b, uint32_t link, uint32_t a) {
  return read_reg(b, link_reg(link, a));
}

void set_class(struct elite5_bench *b, uint32_t k, uint32_t mask, bool all) {
  write_reg(b, LOOM_ELITE5_REG_MASK + 2 * k + all, mask);
}

void set_group(struct elite5_bench *b, uint32_t group, uint32_t below_mask, bool below_all,
               uint32_t above_mask, bool above_all) {
  uint32_t k = b->cfg.CLASSES + 2 * group;
  set_class(b, k, below_mask, below_all);
  set_class(b, k + 1, above_mask, above_all);
}

void expect_trap(struct elite5_bench *b, enum cause cause, uint32_t link, uint32_t vc,
                 uint32_t dest, uint32_t ts) {
  cycles(b, b->x ? 6 : 4);
  assert_int_equal(b->out.trap, 1);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAP_TS), ts);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAP),
                   1u << 31 | (uint32_t)cause << 28 | link << 22 | vc << 16 | dest);
}

void expect_no_trap(struct elite5_bench *b) {
  assert_int_equal(b->out.trap, 0);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAPS), 0);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAP), 0);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAP_TS), 0);
}

void read_counters(struct elite5_bench *b, uint32_t link, uint32_t *counters) {
  for (uint32_t i = 0; i < COUNTERS; i++)
    counters[i] = read_link(b, link, LOOM_ELITE5_REG_LINK_WORDS_IN + i);
}
