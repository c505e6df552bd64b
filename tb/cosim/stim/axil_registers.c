/* SPDX-License-Identifier: Apache-2.0 */
/* axil_registers.c - traffic for axil_registers: a master that is fast, slow or late with any
 * channel, and a register bus that answers after a while
 *
 * What the user asked for must come to the register bus, each kind in its order, and each answer
 * and response back to the user. */
#include "axi/axil_registers.h"

#include <inttypes.h>
#include <string.h>

#define DUT_NAME axil_registers
#define DUT_LIST "axi/axil_registers.def"
#include "tb/cosim/dut.h"

enum { RING = 8, PARTIAL = 2 };

/* What was taken on a channel and is not answered for yet. */
struct queue {
  uint64_t item[RING];
  uint64_t in, out;
};

struct state {
  struct rng rng;
  uint32_t addr_bits;
  uint32_t ask[3], take[2]; /* chances in 256: aw, w, ar; b, r */
  uint32_t latency;         /* of the register bus, at most */
  uint64_t phase_end;
  struct loom_axil_registers_in before;
  uint32_t answer_in; /* cycles until the answer; 0: there is none */
  /* The judge's. */
  struct queue aw, w, ar, responses, answers;
  char wrong[160];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->addr_bits = ((const struct loom_axil_registers_cfg *)cfg)->ADDR_W + 2;
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 128, 250, 256, 256};
  for (uint32_t i = 0; i < 3; i++)
    s->ask[i] = chance[rng_below(&s->rng, 6)];
  for (uint32_t i = 0; i < 2; i++)
    s->take[i] = chance[rng_below(&s->rng, 6)];
  s->latency = rng_below(&s->rng, 4) ? 3 : 40;
  s->phase_end = cycle + rng_range(&s->rng, 10, 200);
}

static uint64_t strobes(struct rng *r) { return rng_chance(r, 200) ? 15 : rng_below(r, 16); }

static void ask(struct state *s, const struct loom_axil_registers_out *o,
                struct loom_axil_registers_in *i) {
  const struct loom_axil_registers_in *b = &s->before;
  i->awvalid = (b->awvalid && !o->awready) || rng_chance(&s->rng, s->ask[0]);
  i->awaddr = b->awvalid && !o->awready ? b->awaddr : rng_bits(&s->rng, s->addr_bits, 128);
  bool held = b->wvalid && !o->wready;
  i->wvalid = held || rng_chance(&s->rng, s->ask[1]);
  i->wdata = held ? b->wdata : rng_bits(&s->rng, 32, 128);
  i->wstrb = held ? b->wstrb : strobes(&s->rng);
  i->arvalid = (b->arvalid && !o->arready) || rng_chance(&s->rng, s->ask[2]);
  i->araddr = b->arvalid && !o->arready ? b->araddr : rng_bits(&s->rng, s->addr_bits, 128);
  i->bready = rng_chance(&s->rng, s->take[0]);
  i->rready = rng_chance(&s->rng, s->take[1]);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_axil_registers_out *o = out;
  struct loom_axil_registers_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  if (cycle == 0) {
    s->before = *i;
    s->answer_in = 0;
  }
  ask(s, o, i);
  if (o->reg_re)
    s->answer_in = rng_range(&s->rng, 1, s->latency);
  i->reg_rdata = rng_bits(&s->rng, 32, 128);
  i->reg_rvalid = s->answer_in == 1;
  s->answer_in -= s->answer_in != 0;
  s->before = *i;
}

static void put(struct queue *q, uint64_t item) { q->item[q->in++ % RING] = item; }

/* The oldest item of the queue, which must be there. */
static uint64_t get(struct state *s, struct queue *q, const char *what, uint64_t cycle) {
  if (q->out == q->in) {
    if (!s->wrong[0])
      snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": %s that nobody asked for", cycle,
               what);
    return 0;
  }
  return q->item[q->out++ % RING];
}

static void must_be(struct state *s, uint64_t is, uint64_t must, const char *what, uint64_t cycle) {
  if (is != must && !s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", not 0x%" PRIx64,
             cycle, what, is, must);
}

/* A write whose response is shown first now: what the bus has must be what was asked for. */
static void judge_write(struct state *s, const struct loom_axil_registers_out *o, uint64_t cycle) {
  uint64_t address = get(s, &s->aw, "a write", cycle) >> 2;
  uint64_t word = get(s, &s->w, "data", cycle), strb = word >> 32;
  must_be(s, o->reg_we, strb == 15, "reg_we", cycle);
  must_be(s, o->reg_addr, strb == 15 ? address : o->reg_re ? o->reg_addr : 0, "reg_addr", cycle);
  must_be(s, o->reg_wdata, strb == 15 ? (uint32_t)word : 0, "reg_wdata", cycle);
  must_be(s, o->bresp, strb == 15 || strb == 0 ? 0 : PARTIAL, "bresp", cycle);
}

static void judge(struct state *s, uint64_t cycle, const struct loom_axil_registers_in *i,
                  const struct loom_axil_registers_out *o) {
  if (o->bvalid && s->responses.in == s->responses.out) {
    judge_write(s, o, cycle);
    put(&s->responses, o->bresp);
  } else {
    must_be(s, o->reg_we, 0, "reg_we", cycle);
  }
  if (o->bvalid && i->bready)
    must_be(s, o->bresp, get(s, &s->responses, "a response", cycle), "bresp", cycle);
  if (o->reg_re)
    must_be(s, o->reg_addr, get(s, &s->ar, "a read", cycle) >> 2, "reg_addr", cycle);
  if (o->rvalid && i->rready)
    must_be(s, o->rdata, get(s, &s->answers, "an answer", cycle), "rdata", cycle);
  if (i->reg_rvalid)
    put(&s->answers, i->reg_rdata);
  if (i->awvalid && o->awready)
    put(&s->aw, i->awaddr);
  if (i->wvalid && o->wready)
    put(&s->w, i->wstrb << 32 | i->wdata);
  if (i->arvalid && o->arready)
    put(&s->ar, i->araddr);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_axil_registers_in *i = in;
  const struct loom_axil_registers_out *o = out;
  (void)probe;
  judge(st, cycle, i, o);
  stats->packets += (i->awvalid & o->awready) + (i->arvalid & o->arready);
  stats->grants += (o->bvalid & i->bready) + (o->rvalid & i->rready);
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

static const struct stim stim = {
    .size = sizeof(struct state), .init = init, .next = next, .observe = observe, .check = check};
const struct dut axil_registers_dut = DUT_INIT(&stim);
