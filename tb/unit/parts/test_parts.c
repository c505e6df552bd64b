/* test_parts.c - the part twins against what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/crc16.h"
#include "parts/crc32.h"
#include "parts/credit_tracker.h"
#include "parts/fifo.h"
#include "parts/lfsr.h"
#include "parts/prbs31_check.h"
#include "parts/prbs31_gen.h"
#include "parts/ram.h"
#include "parts/rr_arbiter.h"
#include "parts/vl_buffer.h"

/* A word in which one bit of eight is set. */
static uint64_t sparse(uint64_t *seed) {
  uint64_t a = loom_random(seed), b = loom_random(seed), c = loom_random(seed);
  return a & b & c;
}

/* ---- bits ------------------------------------------------------------------------------------ */

static void bit_helpers_count_find_and_mask(void **state) {
  (void)state;
  static const uint32_t clog2[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
  for (uint32_t n = 0; n < 10; n++)
    assert_int_equal(loom_clog2(n), clog2[n]);
  assert_int_equal(loom_clog2(65536), 16);
  assert_int_equal(loom_clog2(65537), 17);
  assert_true(loom_mask(0) == 0 && loom_mask(1) == 1 && loom_mask(64) == UINT64_MAX);
  assert_int_equal(loom_ctz_from(0x12, 2), 4);
  assert_int_equal(loom_ctz_from(0x12, 5), 1);
  assert_int_equal(loom_ctz_from(1ull << 63, 63), 63);
  assert_true(loom_rotl(0x8000000000000001ull, 1) == 3 && loom_rotl(5, 0) == 5);
  assert_int_equal(loom_popcount(0xF0F0), 8);
  assert_true(loom_max(2, 3) == 3 && loom_min(2, 3) == 2);
}

/* ---- rr_arbiter ------------------------------------------------------------------------------ */

static void arbiter_new(struct loom_rr_arbiter *s, uint32_t n) {
  const struct loom_rr_arbiter_cfg cfg = {.N = n};
  assert_true(loom_rr_arbiter_cfg_ok(&cfg));
  loom_rr_arbiter_init(s, &cfg);
}

static void the_arbiter_takes_the_first_request_from_its_position(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (uint32_t n = 1; n <= 64; n++) {
    struct loom_rr_arbiter s;
    arbiter_new(&s, n);
    uint32_t p = 0;
    for (int i = 0; i < 2000; i++) {
      uint64_t request = sparse(&seed) & loom_mask(n);
      uint64_t expected = 0;
      uint32_t place = 0;
      for (uint32_t k = n; k-- > 0;)
        if (request >> (p + k) % n & 1)
          expected = 1ull << (place = (p + k) % n);
      const struct loom_rr_arbiter_in in = {.request = request, .advance = loom_random(&seed) & 1};
      struct loom_rr_arbiter_out out;
      loom_rr_arbiter_step(&s, &in, &out);
      assert_true(out.grant == expected);
      if (in.advance && request)
        p = (place + 1) % n;
    }
  }
}

static void the_arbiter_serves_a_held_request_within_n_advances(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (uint32_t n = 1; n <= 64; n++) {
    struct loom_rr_arbiter s;
    arbiter_new(&s, n);
    uint32_t longest = 0;
    for (int i = 0; i < 300; i++) {
      uint32_t held = loom_below(&seed, n), advances = 0;
      for (bool served = false; !served;) {
        uint64_t others = loom_chance(&seed, 50) ? loom_mask(n) : loom_random(&seed) & loom_mask(n);
        const struct loom_rr_arbiter_in in = {.request = others | 1ull << held,
                                              .advance = loom_chance(&seed, 80)};
        struct loom_rr_arbiter_out out;
        loom_rr_arbiter_step(&s, &in, &out);
        advances += (uint32_t)in.advance;
        served = in.advance && out.grant == 1ull << held;
        assert_in_range(advances, 0, n);
      }
      longest = loom_max(longest, advances);
    }
    if (n <= 8)
      assert_int_equal(longest, n); /* the bound is met, so it is tight */
  }
}

/* ---- ram ------------------------------------------------------------------------------------- */

static void a_ram_reads_what_a_model_reads(void **state) {
  (void)state;
  static const uint32_t depths[] = {2, 3, 64, 65536};
  uint64_t seed = 3;
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
    const struct loom_ram_cfg cfg = {.DEPTH = depths[d], .WIDTH = 64};
    assert_true(loom_ram_cfg_ok(&cfg));
    size_t size = loom_ram_storage_size(&cfg);
    void *storage = malloc(size);
    uint64_t *model = calloc(depths[d], sizeof *model);
    assert_true(storage && model && size == depths[d] * sizeof *model);
    struct loom_ram s;
    loom_ram_init(&s, &cfg, storage);
    uint64_t rdata = 0;
    for (int i = 0; i < 20000; i++) {
      uint32_t narrow = depths[d] < 8 ? depths[d] : 8;
      const struct loom_ram_in in = {.we = loom_random(&seed) & 1,
                                     .waddr = loom_below(&seed, narrow),
                                     .wdata = loom_random(&seed),
                                     .re = loom_random(&seed) & 1,
                                     .raddr = loom_below(&seed, narrow)};
      struct loom_ram_out out;
      loom_ram_step(&s, &in, &out);
      assert_true(out.rdata == rdata);
      if (in.re)
        rdata = model[in.raddr]; /* the old word */
      if (in.we)
        model[in.waddr] = in.wdata;
    }
    free(model);
    free(storage);
  }
}

/* ---- fifo ------------------------------------------------------------------------------------ */

static void a_fifo_keeps_what_a_model_keeps(void **state) {
  (void)state;
  static const uint32_t depths[] = {1, 2, 3, 16, 4096};
  uint64_t seed = 4;
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
    const struct loom_fifo_cfg cfg = {.DEPTH = depths[d], .WIDTH = 64};
    assert_true(loom_fifo_cfg_ok(&cfg));
    void *storage = malloc(loom_fifo_storage_size(&cfg));
    assert_non_null(storage);
    struct loom_fifo s;
    loom_fifo_init(&s, &cfg, storage);
    uint64_t pushed = 0, popped = 0; /* the items are numbered */
    uint32_t full = 0, empty = 0;
    for (int i = 0; i < 60000; i++) {
      uint32_t fill = i / 10000 % 2 ? 20 : 80; /* fills and drains in turn */
      const struct loom_fifo_in in = {.push = loom_chance(&seed, fill),
                                      .data = pushed + 1000,
                                      .pop = loom_chance(&seed, 100 - fill)};
      struct loom_fifo_out out;
      struct loom_fifo_probe probe;
      loom_fifo_probe(&s, &probe);
      loom_fifo_step(&s, &in, &out);
      uint64_t count = pushed - popped;
      assert_true(out.count == count && probe.count == count);
      assert_true(out.valid == (count > 0) && out.ready == (count < depths[d]));
      assert_true(out.data == (count ? popped + 1000 : 0));
      pushed += in.push && count < depths[d];
      popped += in.pop && count;
      full += count == depths[d];
      empty += count == 0;
    }
    assert_true(full && empty);
    free(storage);
  }
}

static void a_fifo_sustains_a_push_and_a_pop_every_cycle(void **state) {
  (void)state;
  for (uint32_t fill = 1; fill < 4; fill++) {
    const struct loom_fifo_cfg cfg = {.DEPTH = 4, .WIDTH = 64};
    uint64_t storage[4], next = 0;
    struct loom_fifo s;
    loom_fifo_init(&s, &cfg, storage);
    for (uint32_t i = 0; i < fill; i++)
      loom_fifo_edge(&s, true, next++, false);
    for (uint64_t i = 0; i < 100; i++) {
      assert_true(loom_fifo_valid(&s) && loom_fifo_ready(&s));
      assert_true(loom_fifo_data(&s) == i);
      loom_fifo_edge(&s, true, next++, true);
    }
  }
}

/* ---- credit_tracker -------------------------------------------------------------------------- */

struct tracker_model {
  uint32_t vls, total, max_units, used[32], reserved[32], cap[32];
};

static uint32_t excess(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

static uint32_t model_used(const struct tracker_model *m) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < m->vls; v++)
    sum += m->used[v];
  return sum;
}

static bool model_config_ok(const struct tracker_model *m) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < m->vls; v++)
    sum += m->reserved[v];
  return sum <= m->total && m->total <= m->max_units;
}

static uint32_t model_pool_used(const struct tracker_model *m) {
  uint32_t sum = 0;
  for (uint32_t v = 0; v < m->vls; v++)
    sum += excess(m->used[v], m->reserved[v]);
  return sum;
}

/* OP-06, straight from its words: how many units may VL v still take? */
static uint32_t model_avail(const struct tracker_model *m, uint32_t v) {
  if (!model_config_ok(m))
    return 0;
  uint32_t n = 0, own = excess(m->reserved[v], m->used[v]), pool = m->total - model_pool_used(m);
  for (uint32_t w = 0; w < m->vls; w++)
    pool -= m->reserved[w];
  while (m->used[v] + n + 1 <= m->cap[v] && n + 1 <= own + pool)
    n++;
  return n;
}

/* The model's edge; gives what error_o shows afterwards. */
static bool model_tracker_edge(struct tracker_model *m, const struct loom_credit_tracker_in *in,
                               bool ok) {
  bool idle = model_used(m) == 0;
  bool back = in->return_valid && in->return_vl < m->vls && m->used[in->return_vl] > 0;
  bool error = in->return_valid && !back;
  if (back)
    m->used[in->return_vl]--;
  if (ok)
    m->used[in->consume_vl] += (uint32_t)in->consume_size;
  if (!in->cfg_we)
    return error;
  uint32_t *target = NULL;
  if (in->cfg_addr == 64)
    target = &m->total;
  else if (in->cfg_addr < 32 && in->cfg_addr < m->vls)
    target = &m->reserved[in->cfg_addr];
  else if (in->cfg_addr >= 32 && in->cfg_addr < 32 + m->vls)
    target = &m->cap[in->cfg_addr - 32];
  if (target && idle)
    *target = (uint32_t)in->cfg_data;
  return error || (target && !idle);
}

static void tracker_new(struct loom_credit_tracker *s, struct tracker_model *m, uint32_t vls,
                        uint32_t units, uint32_t reserved) {
  const struct loom_credit_tracker_cfg cfg = {.VLS = vls,
                                              .COUNT_W = 12,
                                              .SIZE_W = 8,
                                              .UNITS = units,
                                              .MAX_UNITS = 1024,
                                              .RESERVED = reserved};
  assert_true(loom_credit_tracker_cfg_ok(&cfg));
  loom_credit_tracker_init(s, &cfg);
  *m = (struct tracker_model){.vls = vls, .total = units, .max_units = 1024};
  for (uint32_t v = 0; v < vls; v++) {
    m->reserved[v] = reserved;
    m->cap[v] = units;
  }
}

static void tracker_random_in(uint64_t *seed, const struct tracker_model *m, bool drain,
                              struct loom_credit_tracker_in *in) {
  memset(in, 0, sizeof *in);
  in->cfg_we = loom_chance(seed, model_used(m) ? 1 : 60);
  in->cfg_addr = loom_chance(seed, 80) ? loom_below(seed, m->vls) + 32 * loom_below(seed, 2)
                                       : loom_below(seed, 128);
  in->cfg_data = in->cfg_addr == 64 ? loom_below(seed, 1100) : loom_below(seed, 2048 / m->vls);
  in->consume_valid = loom_chance(seed, drain ? 5 : 60);
  in->consume_vl = loom_below(seed, loom_chance(seed, 95) ? m->vls : 32);
  in->consume_size = loom_below(seed, loom_chance(seed, 80) ? 12 : 256);
  in->return_valid = loom_chance(seed, drain ? 95 : 40);
  in->return_vl = loom_below(seed, loom_chance(seed, 95) ? m->vls : 32);
  if (drain) /* a VL that has something, so that all come to 0 and the configuration can change */
    for (uint32_t v = 0; v < m->vls; v++)
      if (m->used[v])
        in->return_vl = v;
}

static void tracker_invariants(const struct tracker_model *m) {
  assert_true(model_used(m) <= m->total || !model_config_ok(m));
  for (uint32_t v = 0; v < m->vls; v++)
    assert_true(m->used[v] <= m->cap[v]);
}

static void tracker_check_outputs(const struct tracker_model *m,
                                  const struct loom_credit_tracker_out *out) {
  for (uint32_t v = 0; v < 32; v++) {
    assert_int_equal(out->avail[v], v < m->vls ? model_avail(m, v) : 0);
    assert_int_equal(out->used[v], v < m->vls ? m->used[v] : 0);
    uint32_t own = excess(m->reserved[v], m->used[v]);
    if (v < m->vls && model_config_ok(m) && own && m->used[v] + own <= m->cap[v])
      assert_true(out->avail[v] >= own); /* nobody takes another's reserve */
  }
  assert_int_equal(out->config_ok, model_config_ok(m));
}

static void a_tracker_grants_what_a_model_grants(void **state) {
  (void)state;
  static const uint32_t vls[] = {1, 2, 8, 32};
  uint64_t seed = 5;
  uint32_t granted = 0, refused = 0, errors = 0, configured = 0;
  for (size_t k = 0; k < sizeof vls / sizeof *vls; k++) {
    struct loom_credit_tracker s;
    struct tracker_model m;
    tracker_new(&s, &m, vls[k], 512, 16);
    bool error = false;
    for (int i = 0; i < 25000; i++) {
      struct loom_credit_tracker_in in;
      struct loom_credit_tracker_out out;
      struct loom_credit_tracker_probe probe;
      tracker_random_in(&seed, &m, i % 2000 >= 700, &in);
      loom_credit_tracker_probe(&s, &probe);
      assert_int_equal(probe.pool_used, model_pool_used(&m));
      loom_credit_tracker_step(&s, &in, &out);
      tracker_check_outputs(&m, &out);
      assert_int_equal(out.error, error);
      bool ok = in.consume_valid && !in.cfg_we && in.consume_vl < m.vls && in.consume_size &&
                in.consume_size <= model_avail(&m, (uint32_t)in.consume_vl);
      assert_int_equal(out.consume_ok, ok);
      configured += in.cfg_we && !model_used(&m);
      error = model_tracker_edge(&m, &in, ok);
      tracker_invariants(&m);
      granted += ok;
      refused += in.consume_valid && !ok;
      errors += error;
    }
  }
  assert_true(granted > 1000 && refused > 1000 && errors > 100 && configured > 100);
}

static void a_tracker_refuses_bad_configurations(void **state) {
  (void)state;
  struct loom_credit_tracker_cfg cfg;
  loom_credit_tracker_defaults(&cfg);
  assert_true(loom_credit_tracker_cfg_ok(&cfg));
  cfg.RESERVED = 129; /* 8 * 129 > 1024 */
  assert_false(loom_credit_tracker_cfg_ok(&cfg));
  loom_credit_tracker_defaults(&cfg);
  cfg.MAX_UNITS = 4096; /* needs 13 bits */
  assert_false(loom_credit_tracker_cfg_ok(&cfg));
  loom_credit_tracker_defaults(&cfg);
  cfg.UNITS = 1025;
  assert_false(loom_credit_tracker_cfg_ok(&cfg));
  loom_credit_tracker_defaults(&cfg);
  cfg.VLS = 33;
  assert_false(loom_credit_tracker_cfg_ok(&cfg));
}

/* ---- crc16, crc32 ---------------------------------------------------------------------------- */

static const uint8_t check_string[] = "123456789";

/* Bit by bit, from the definition. */
static uint32_t crc16_reference(uint32_t crc, uint8_t byte) {
  for (int bit = 7; bit >= 0; bit--) {
    uint32_t out = (crc >> 15 ^ (uint32_t)byte >> bit) & 1;
    crc = (crc << 1 & 0xFFFF) ^ (out ? 0x1021 : 0);
  }
  return crc;
}

static uint32_t crc32_reference(uint32_t crc, uint8_t byte) {
  for (int bit = 0; bit < 8; bit++) {
    uint32_t out = (crc ^ (uint32_t)byte >> bit) & 1;
    crc = crc >> 1 ^ (out ? 0xEDB88320 : 0);
  }
  return crc;
}

/* The two devices side by side: they have the same ports. */
struct crcs {
  struct loom_crc16 c16;
  struct loom_crc32 c32;
};

static void crc_new(struct crcs *s) {
  const struct loom_crc16_cfg cfg16 = {0};
  const struct loom_crc32_cfg cfg32 = {0};
  assert_true(loom_crc16_cfg_ok(&cfg16) && loom_crc32_cfg_ok(&cfg32));
  loom_crc16_init(&s->c16, &cfg16);
  loom_crc32_init(&s->c32, &cfg32);
}

static void crc_cycle(struct crcs *s, bool init, bool valid, uint32_t bytes, uint64_t data,
                      uint32_t *crc16, uint32_t *crc32) {
  const struct loom_crc16_in in16 = {.init = init, .valid = valid, .bytes = bytes, .data = data};
  const struct loom_crc32_in in32 = {.init = init, .valid = valid, .bytes = bytes, .data = data};
  struct loom_crc16_out out16;
  struct loom_crc32_out out32;
  loom_crc16_step(&s->c16, &in16, &out16);
  loom_crc32_step(&s->c32, &in32, &out32);
  *crc16 = (uint32_t)out16.crc;
  *crc32 = (uint32_t)out32.crc;
}

static void the_crc_of_123456789_is_known_however_it_is_cut(void **state) {
  (void)state;
  struct crcs s;
  uint64_t seed = 6;
  crc_new(&s);
  uint32_t crc16, crc32, tried = 0;
  for (uint32_t cuts = 0; cuts < 256; cuts++) { /* a bit set: cut after this byte */
    bool init = true, fits = true;
    struct crcs before = s;
    uint32_t from = 0;
    for (uint32_t i = 0; i < 9; i++) {
      if (i < 8 && !(cuts >> i & 1))
        continue;
      uint32_t bytes = i + 1 - from;
      fits = fits && bytes <= 8;
      uint64_t data = loom_random(&seed); /* what is behind the bytes does not matter */
      for (uint32_t b = 0; b < bytes && b < 8; b++) {
        data &= ~(0xFFull << (56 - 8 * b));
        data |= (uint64_t)check_string[from + b] << (56 - 8 * b);
      }
      crc_cycle(&s, init, true, bytes, data, &crc16, &crc32);
      init = false;
      from = i + 1;
    }
    if (!fits) { /* all nine at once: cannot be said */
      s = before;
      continue;
    }
    crc_cycle(&s, false, false, 8, 0, &crc16, &crc32);
    assert_int_equal(crc16, 0x29B1);
    assert_int_equal(crc32, 0xCBF43926);
    tried++;
  }
  assert_int_equal(tried, 255);
}

static void a_crc_is_that_of_its_bits_one_by_one(void **state) {
  (void)state;
  struct crcs s;
  uint64_t seed = 7;
  uint32_t crc16, crc32, ref16 = 0xFFFF, ref32 = 0xFFFFFFFF;
  crc_new(&s);
  for (int i = 0; i < 50000; i++) {
    bool init = loom_chance(&seed, 5), valid = loom_chance(&seed, 80);
    uint32_t bytes = loom_below(&seed, 16);
    uint64_t data = loom_chance(&seed, 20) ? 0 : loom_random(&seed);
    crc_cycle(&s, init, valid, bytes, data, &crc16, &crc32);
    assert_int_equal(crc16, ref16);
    assert_int_equal(crc32, (uint32_t)~ref32);
    struct loom_crc16_probe p16;
    struct loom_crc32_probe p32;
    if (init) {
      ref16 = 0xFFFF;
      ref32 = 0xFFFFFFFF;
    }
    for (uint32_t b = 0; valid && bytes <= 8 && b < bytes; b++) {
      ref16 = crc16_reference(ref16, (uint8_t)(data >> (56 - 8 * b)));
      ref32 = crc32_reference(ref32, (uint8_t)(data >> (56 - 8 * b)));
    }
    loom_crc16_probe(&s.c16, &p16);
    loom_crc32_probe(&s.c32, &p32);
    assert_true(p16.crc == ref16 && p32.crc == ref32);
  }
}

/* ---- periods of the shift registers ---------------------------------------------------------- */

/* A shift register is a linear map of its state. As a matrix (column i: what becomes of bit i) its
 * power is quickly had, and its order says how long the sequence is. */

typedef struct {
  uint32_t column[32];
} matrix;

static uint32_t apply(const matrix *m, uint32_t x) {
  uint32_t y = 0;
  for (uint32_t i = 0; i < 32; i++)
    if (x >> i & 1)
      y ^= m->column[i];
  return y;
}

static matrix power(matrix m, uint64_t n) {
  matrix result;
  for (uint32_t i = 0; i < 32; i++)
    result.column[i] = 1u << i;
  for (; n; n >>= 1) {
    matrix square;
    for (uint32_t i = 0; i < 32; i++) {
      if (n & 1)
        result.column[i] = apply(&m, result.column[i]);
      square.column[i] = apply(&m, m.column[i]);
    }
    m = square;
  }
  return result;
}

static bool identity(const matrix *m, uint32_t bits) {
  for (uint32_t i = 0; i < bits; i++)
    if (m->column[i] != 1u << i)
      return false;
  return true;
}

/* ---- prbs31_gen, prbs31_check ---------------------------------------------------------------- */

/* The sequence bit by bit: history, bit 0 the newest. */
static uint64_t prbs_reference(uint32_t *history) {
  uint64_t word = 0;
  for (int i = 0; i < 64; i++) {
    uint32_t bit = (*history >> 27 ^ *history >> 30) & 1;
    *history = (*history << 1 | bit) & 0x7FFFFFFF;
    word = word << 1 | bit;
  }
  return word;
}

static void the_prbs_is_that_of_its_bits_one_by_one(void **state) {
  (void)state;
  uint64_t seed = 8;
  const struct loom_prbs31_gen_cfg cfg = {0};
  struct loom_prbs31_gen s;
  assert_true(loom_prbs31_gen_cfg_ok(&cfg));
  loom_prbs31_gen_init(&s, &cfg);
  uint32_t history = 0x7FFFFFFF;
  uint64_t data = 0;
  bool valid = false;
  for (int i = 0; i < 20000; i++) {
    const struct loom_prbs31_gen_in in = {
        .load = loom_chance(&seed, 3),
        .seed = loom_chance(&seed, 30) ? 0 : loom_random(&seed) & 0x7FFFFFFF,
        .enable = loom_chance(&seed, 80)};
    struct loom_prbs31_gen_out out;
    struct loom_prbs31_gen_probe probe;
    loom_prbs31_gen_step(&s, &in, &out);
    loom_prbs31_gen_probe(&s, &probe);
    assert_true(out.valid == valid && out.data == data);
    valid = in.enable && !in.load;
    if (in.load)
      history = in.seed ? (uint32_t)in.seed : 0x7FFFFFFF;
    data = valid ? prbs_reference(&history) : 0;
    assert_true(probe.state == history);
  }
}

/* 2^31 - 1 is prime: a map whose power to it is 1 and that is not 1 itself has exactly this order.
 */
static void the_prbs_has_its_full_period(void **state) {
  (void)state;
  matrix m = {{0}};
  for (uint32_t i = 0; i < 31; i++)
    m.column[i] = (uint32_t)loom_prbs31_word(1u << i) & LOOM_PRBS31_MASK;
  matrix full = power(m, 0x7FFFFFFF);
  assert_false(identity(&m, 31));
  assert_true(identity(&full, 31));
}

struct checker {
  struct loom_prbs31_check s;
  struct loom_prbs31_check_out out; /* as after the last word */
  uint32_t line;                    /* state of the sender */
};

static void checker_new(struct checker *c, uint32_t lock_words, uint32_t loss_errors,
                        uint32_t loss_words) {
  const struct loom_prbs31_check_cfg cfg = {
      .LOCK_WORDS = lock_words, .LOSS_ERRORS = loss_errors, .LOSS_WORDS = loss_words};
  assert_true(loom_prbs31_check_cfg_ok(&cfg));
  loom_prbs31_check_init(&c->s, &cfg);
  c->line = 0x1234567;
}

/* One cycle; what its edge did to the registered outputs stands in c->out. */
static void checker_cycle(struct checker *c, bool restart, bool valid, uint64_t data) {
  struct loom_prbs31_check_in in = {.restart = restart, .valid = valid, .data = data};
  loom_prbs31_check_step(&c->s, &in, &c->out);
  struct loom_prbs31_check look = c->s;
  in = (struct loom_prbs31_check_in){0};
  loom_prbs31_check_step(&look, &in, &c->out);
}

static void checker_word(struct checker *c, uint64_t flipped) {
  checker_cycle(c, false, true, prbs_reference(&c->line) ^ flipped);
}

static void the_checker_locks_after_its_words(void **state) {
  (void)state;
  for (uint32_t lock = 1; lock <= 15; lock++) {
    struct checker c;
    checker_new(&c, lock, 16, 4);
    for (uint32_t i = 0; i <= lock; i++) { /* the first word is only history */
      assert_false(c.s.locked);
      checker_word(&c, 0);
      assert_false(c.out.check);
      checker_cycle(&c, false, false, ~0ull); /* pauses change nothing */
    }
    assert_true(c.out.locked);
    checker_word(&c, 0);
    assert_true(c.out.check && c.out.errors == 0);
    checker_cycle(&c, true, true, 0);
    assert_false(c.out.locked || c.out.check || c.out.lost);
    checker_word(&c, 0);
    checker_word(&c, 0);
    assert_int_equal(c.out.locked, lock == 1);
  }
}

static void the_checker_counts_each_error_once(void **state) {
  (void)state;
  uint64_t seed = 9, sent = 0, counted = 0;
  struct checker c;
  checker_new(&c, 2, 64, 15);
  for (int i = 0; i < 3; i++)
    checker_word(&c, 0);
  assert_true(c.out.locked);
  for (int i = 0; i < 20000; i++) {
    uint64_t flipped = loom_chance(&seed, 30) ? sparse(&seed) : 0;
    checker_word(&c, flipped);
    assert_int_equal(c.out.errors, loom_popcount(flipped));
    sent += loom_popcount(flipped);
    counted += c.out.errors;
  }
  assert_true(c.out.locked && sent == counted && sent > 10000);
}

static void the_checker_gives_up_after_bad_words_in_a_row(void **state) {
  (void)state;
  struct checker c;
  checker_new(&c, 1, 16, 3);
  checker_word(&c, 0);
  checker_word(&c, 0);
  assert_true(c.out.locked);
  for (int i = 0; i < 10; i++) { /* never three in a row; 15 errors are not many */
    checker_word(&c, 0xFFFF);
    checker_word(&c, 0xFFFF);
    checker_word(&c, 0x7FFF);
    assert_true(c.out.locked && c.out.errors == 15);
  }
  checker_word(&c, 0xFFFF);
  checker_word(&c, 0xFFFF);
  assert_true(c.out.locked && !c.out.lost);
  checker_word(&c, 0xFFFF);
  assert_true(!c.out.locked && c.out.lost && c.out.check && c.out.errors == 16);
  checker_cycle(&c, false, false, 0);
  assert_true(!c.out.lost && !c.out.check && c.out.errors == 0);
  checker_word(&c, 0);
  assert_false(c.out.locked);
  checker_word(&c, 0);
  assert_true(c.out.locked);
}

static void the_checker_does_not_lock_on_zeros(void **state) {
  (void)state;
  struct checker c;
  checker_new(&c, 1, 16, 4);
  for (int i = 0; i < 100; i++) {
    struct loom_prbs31_check_probe probe;
    checker_cycle(&c, false, true, 0);
    loom_prbs31_check_probe(&c.s, &probe);
    assert_true(!probe.locked && probe.good == 0 && probe.bad == 0 && probe.state == 0);
  }
}

/* ---- lfsr ------------------------------------------------------------------------------------ */

static uint32_t lfsr_reference(uint32_t value, uint32_t steps) {
  while (steps--) {
    uint32_t out = value & 1;
    value = value >> 1 ^ (out ? 0x80200003u : 0);
  }
  return value;
}

static void the_lfsr_is_that_of_its_bits_one_by_one(void **state) {
  (void)state;
  uint64_t seed = 10;
  for (uint32_t steps = 1; steps <= 32; steps++) {
    const struct loom_lfsr_cfg cfg = {.STEPS = steps};
    struct loom_lfsr s;
    assert_true(loom_lfsr_cfg_ok(&cfg));
    loom_lfsr_init(&s, &cfg);
    uint32_t value = 1;
    for (int i = 0; i < 3000; i++) {
      const struct loom_lfsr_in in = {.load = loom_chance(&seed, 3),
                                      .seed =
                                          loom_chance(&seed, 30) ? 0 : (uint32_t)loom_random(&seed),
                                      .enable = loom_chance(&seed, 80)};
      struct loom_lfsr_out out;
      struct loom_lfsr_probe probe;
      loom_lfsr_probe(&s, &probe);
      loom_lfsr_step(&s, &in, &out);
      assert_true(out.value == value && probe.value == value);
      if (in.load)
        value = in.seed ? (uint32_t)in.seed : 1;
      else if (in.enable)
        value = lfsr_reference(value, steps);
    }
  }
}

static void the_lfsr_has_its_full_period(void **state) {
  (void)state;
  static const uint32_t primes[] = {3, 5, 17, 257, 65537}; /* of 2^32 - 1 */
  matrix m;
  for (uint32_t i = 0; i < 32; i++)
    m.column[i] = loom_lfsr_after(1u << i, 1);
  matrix full = power(m, UINT32_MAX);
  assert_true(identity(&full, 32));
  for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
    matrix part = power(m, UINT32_MAX / primes[i]);
    assert_false(identity(&part, 32));
  }
}

/* ---- vl_buffer ------------------------------------------------------------------------------- */

/* A model of the page that keeps no cells and no data: flits carry {VL, packet, place}. It says
 * every output of every cycle. */

enum { RING = 8192 };

struct vb_queue {
  uint32_t accepted, taken; /* packets so far */
  uint32_t count;           /* flits inside */
  bool open, dropping;
  uint32_t left, place; /* of the packet that arrives */
  uint64_t visible;     /* the head is in view from this cycle on */
  uint16_t len[RING], info[RING];
};

struct vb_read { /* a taken packet */
  bool valid, known;
  uint32_t vl, packet, len, place;
};

struct vb {
  struct loom_vl_buffer_cfg cfg;
  struct loom_vl_buffer s;
  struct loom_vl_buffer_out out;
  void *storage;
  uint64_t cycle;
  uint32_t writer; /* VL of the last flit */
  struct tracker_model m;
  struct vb_queue q[32];
  struct vb_read active, pending;
  struct loom_vl_buffer_out want; /* the registered pulses of the next cycle */
  uint64_t written, read, dropped, freed, waits, errors;
};

static struct vb *vb_new(const struct loom_vl_buffer_cfg *cfg) {
  assert_true(loom_vl_buffer_cfg_ok(cfg));
  struct vb *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->cfg = *cfg;
  b->storage = malloc(loom_vl_buffer_storage_size(cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_vl_buffer_storage_size(cfg));
  loom_vl_buffer_init(&b->s, cfg, b->storage);
  b->m = (struct tracker_model){.vls = cfg->VLS, .total = cfg->CELLS, .max_units = cfg->CELLS};
  for (uint32_t v = 0; v < cfg->VLS; v++) {
    b->m.reserved[v] = cfg->RESERVED;
    b->m.cap[v] = cfg->CELLS;
  }
  return b;
}

static void vb_end(struct vb *b) {
  free(b->storage);
  free(b);
}

static uint64_t vb_data(uint32_t vl, uint32_t packet, uint32_t place) {
  return (uint64_t)vl << 56 | (uint64_t)packet << 16 | place;
}

static uint32_t vb_units(const struct vb *b, uint64_t len) {
  return (uint32_t)((len + b->cfg.CELL_FLITS - 1) / b->cfg.CELL_FLITS);
}

static bool vb_head_valid(const struct vb *b, uint32_t v) {
  return b->q[v].accepted != b->q[v].taken && b->q[v].visible <= b->cycle;
}

static bool vb_take_ready(const struct vb *b) {
  return !b->pending.valid && (!b->active.valid || b->active.len - b->active.place <= b->cfg.EARLY);
}

static void vb_check(const struct vb *b) {
  const struct loom_vl_buffer_out *o = &b->out, *w = &b->want;
  assert_true(o->drop_valid == w->drop_valid && o->drop_vl == w->drop_vl);
  assert_int_equal(o->error, w->error);
  assert_true(o->free_valid == w->free_valid && o->free_vl == w->free_vl);
  assert_true(o->rd_valid == w->rd_valid && o->rd_head == w->rd_head && o->rd_tail == w->rd_tail);
  assert_true(o->rd_vl == w->rd_vl && o->rd_data == w->rd_data);
  assert_int_equal(o->take_ready, vb_take_ready(b));
  for (uint32_t v = 0; v < 32; v++) {
    const struct vb_queue *q = &b->q[v];
    bool valid = vb_head_valid(b, v);
    assert_int_equal(o->head_valid >> v & 1, valid);
    assert_int_equal(o->head_size[v], valid ? vb_units(b, q->len[q->taken % RING]) : 0);
    assert_int_equal(o->head_info[v], valid ? q->info[q->taken % RING] : 0);
    assert_int_equal(o->used[v], b->m.used[v]);
    assert_true(b->m.used[v] <= b->m.cap[v]);
  }
}

/* Read side of the model; gives whether a cell is freed. */
static bool vb_read_edge(struct vb *b) {
  struct vb_read *a = &b->active;
  bool freed = false;
  if (a->valid && b->q[a->vl].count && a->known) {
    b->want.rd_valid = 1;
    b->want.rd_head = a->place == 0;
    b->want.rd_tail = a->place + 1 == a->len;
    b->want.rd_vl = a->vl;
    b->want.rd_data = vb_data(a->vl, a->packet, a->place);
    a->place++;
    b->read++;
    a->valid = a->place < a->len;
    bool over = a->place % b->cfg.CELL_FLITS == 0;
    a->known = !over || b->q[a->vl].count >= 2;
    freed = !a->valid || (over && a->known);
    b->waits += a->valid && !a->known;
    b->q[a->vl].count--;
  } else if (a->valid && b->q[a->vl].count) {
    a->known = freed = true;
  }
  if (freed) {
    b->want.free_valid = 1;
    b->want.free_vl = a->vl;
    b->freed++;
  }
  if (!a->valid && b->pending.valid) {
    *a = b->pending;
    b->pending.valid = false;
  }
  return freed;
}

static void vb_take_edge(struct vb *b, uint32_t v) {
  struct vb_queue *q = &b->q[v];
  b->pending = (struct vb_read){
      .valid = true, .known = true, .vl = v, .packet = q->taken, .len = q->len[q->taken % RING]};
  q->taken++;
  q->visible = b->cycle + 2;
}

/* A head that begins a packet. */
static void vb_head_edge(struct vb *b, const struct loom_vl_buffer_in *in, bool ok) {
  struct vb_queue *q = &b->q[in->wr_vl];
  q->open = ok && in->wr_len > 1;
  q->dropping = !ok && in->wr_len > 1;
  q->left = (uint32_t)in->wr_len - 1;
  q->place = 1;
  if (!ok) {
    b->want.drop_valid = 1;
    b->want.drop_vl = in->wr_vl;
    b->dropped++;
    return;
  }
  if (q->accepted == q->taken) /* the list is empty after this cycle's take: straight into view */
    q->visible = b->cycle + 1;
  q->len[q->accepted % RING] = (uint16_t)in->wr_len;
  q->info[q->accepted % RING] = (uint16_t)in->wr_info;
  q->accepted++;
  q->count++;
  b->written++;
}

static void vb_body_edge(struct vb *b, uint32_t v) {
  struct vb_queue *q = &b->q[v];
  if (q->open) {
    q->count++;
    b->written++;
  }
  q->place++;
  if (--q->left == 0)
    q->open = q->dropping = false;
}

/* The whole edge of the model. */
static void vb_edge(struct vb *b, const struct loom_vl_buffer_in *in) {
  bool taken = in->take && vb_take_ready(b) && in->take_vl < b->cfg.VLS &&
               vb_head_valid(b, (uint32_t)in->take_vl);
  bool known = in->wr_valid && in->wr_vl < b->cfg.VLS;
  bool arriving = known && (b->q[in->wr_vl].open || b->q[in->wr_vl].dropping);
  bool begins = known && !arriving && in->wr_head;
  uint32_t units = vb_units(b, in->wr_len);
  bool ok = begins && !in->cfg_we && units && units <= model_avail(&b->m, (uint32_t)in->wr_vl);
  if (begins && !in->cfg_we && units && model_config_ok(&b->m)) {
    const struct tracker_model *m = &b->m;
    uint32_t used = m->used[in->wr_vl];
    if (used + units <= m->reserved[in->wr_vl] && used + units <= m->cap[in->wr_vl])
      assert_true(ok); /* OP-06: the guaranteed minimum */
  }

  memset(&b->want, 0, sizeof b->want);
  struct loom_credit_tracker_in t = {.cfg_we = in->cfg_we,
                                     .cfg_addr = in->cfg_addr,
                                     .cfg_data = in->cfg_data,
                                     .consume_valid = begins,
                                     .consume_vl = in->wr_vl,
                                     .consume_size = units};
  t.return_vl = b->active.vl;
  t.return_valid = vb_read_edge(b);
  if (taken)
    vb_take_edge(b, (uint32_t)in->take_vl);
  if (begins)
    vb_head_edge(b, in, ok);
  else if (arriving)
    vb_body_edge(b, (uint32_t)in->wr_vl);
  bool wrong = in->wr_valid && !begins && (!arriving || in->wr_head);
  b->want.error = model_tracker_edge(&b->m, &t, ok);
  b->want.error |= wrong;
  b->errors += b->want.error;
}

static void vb_cycle(struct vb *b, const struct loom_vl_buffer_in *in) {
  struct loom_vl_buffer_probe p;
  loom_vl_buffer_probe(&b->s, &p);
  assert_true(p.active == b->active.valid && p.pending == b->pending.valid);
  loom_vl_buffer_step(&b->s, in, &b->out);
  vb_check(b);
  vb_edge(b, in);
  b->cycle++;
}

/* ---- vl_buffer under random traffic ---------------------------------------------------------- */

struct vb_load { /* percent */
  uint32_t write, take, begin, violate, configure;
  uint32_t stay; /* the next flit is of the same VL: the others pause in mid-packet */
};

static void vb_random_write(struct vb *b, uint64_t *seed, const struct vb_load *load,
                            struct loom_vl_buffer_in *in) {
  uint32_t v = b->writer = loom_chance(seed, load->stay) ? b->writer : loom_below(seed, b->cfg.VLS);
  bool violate = loom_chance(seed, load->violate);
  struct vb_queue *q = &b->q[v];
  bool arriving = q->open || q->dropping;
  if (!loom_chance(seed, load->write) || (!arriving && !violate && !loom_chance(seed, load->begin)))
    return;
  uint32_t most = (1u << b->cfg.LEN_W) - 1;
  in->wr_valid = 1;
  in->wr_vl = violate && loom_chance(seed, 30) ? loom_below(seed, 32) : v;
  q = &b->q[in->wr_vl];
  arriving = q->open || q->dropping;
  in->wr_head = arriving == violate;
  in->wr_len = loom_below(seed, loom_chance(seed, 95) ? loom_min(most, 4 * b->cfg.CELL_FLITS) + 1
                                                      : most + 1);
  in->wr_info = loom_below(seed, 1u << b->cfg.INFO_W);
  in->wr_data = vb_data((uint32_t)in->wr_vl, arriving ? q->accepted - 1 : q->accepted,
                        arriving ? q->place : 0);
}

static void vb_random_in(struct vb *b, uint64_t *seed, const struct vb_load *load,
                         struct loom_vl_buffer_in *in) {
  memset(in, 0, sizeof *in);
  vb_random_write(b, seed, load, in);
  in->take = loom_chance(seed, load->take);
  in->take_vl = loom_below(seed, 32);
  uint64_t heads = b->s.head_valid;
  if (heads && loom_chance(seed, 90))
    in->take_vl = loom_ctz_from(heads, (uint32_t)in->take_vl);
  in->cfg_we = loom_chance(seed, load->configure);
  in->cfg_addr = loom_chance(seed, 90) ? loom_below(seed, b->cfg.VLS) + 32 * loom_below(seed, 2)
                                       : loom_below(seed, 128);
  if (in->cfg_addr == 64)
    in->cfg_data = b->cfg.CELLS - loom_below(seed, b->cfg.CELLS / 4 + 1);
  else
    in->cfg_data = in->cfg_addr < 32 ? loom_below(seed, b->cfg.RESERVED + 3)
                                     : loom_below(seed, b->cfg.CELLS) + 1;
}

/* Ends what has begun, takes everything away: nothing may stay behind. */
static void vb_drain(struct vb *b, uint64_t *seed) {
  const struct vb_load load = {.write = 100, .take = 100};
  uint64_t limit = b->cycle + 200000;
  for (bool busy = true; busy;) {
    struct loom_vl_buffer_in in;
    vb_random_in(b, seed, &load, &in);
    vb_cycle(b, &in);
    busy = model_used(&b->m) || !loom_vl_buffer_idle(&b->s);
    for (uint32_t v = 0; v < b->cfg.VLS; v++)
      busy = busy || b->q[v].open || b->q[v].dropping;
    assert_true(b->cycle < limit);
  }
  assert_true(b->written == b->read && b->s.head_valid == 0);
}

static void vb_traffic(const struct loom_vl_buffer_cfg *cfg, uint64_t seed, int cycles) {
  static const struct vb_load loads[] = {
      {.write = 100, .take = 100, .begin = 100},
      {.write = 80, .take = 100, .begin = 90, .stay = 90},
      {.write = 100, .take = 100, .begin = 30, .violate = 1, .configure = 1},
      {.write = 25, .take = 100, .begin = 100},
      {.write = 100, .take = 5, .begin = 100, .violate = 1},
      {.write = 60, .take = 50, .begin = 10, .configure = 1, .stay = 80},
      {.write = 100, .take = 100, .begin = 100, .violate = 1, .stay = 97},
  };
  struct vb *b = vb_new(cfg);
  enum { LOADS = sizeof loads / sizeof *loads };
  for (int k = 0; k < 2 * LOADS; k++) {
    for (int i = 0; i < cycles / (2 * LOADS); i++) {
      struct loom_vl_buffer_in in;
      vb_random_in(b, &seed, &loads[k % LOADS], &in);
      vb_cycle(b, &in);
    }
    vb_drain(b, &seed);
    for (int i = 0; i < 20; i++) { /* a new configuration while nothing is in use */
      const struct vb_load configure = {.configure = 100};
      struct loom_vl_buffer_in in;
      vb_random_in(b, &seed, &configure, &in);
      vb_cycle(b, &in);
    }
    while (!model_config_ok(&b->m)) {
      struct loom_vl_buffer_in in = {.cfg_we = 1, .cfg_addr = loom_below(&seed, b->cfg.VLS)};
      vb_cycle(b, &in);
    }
  }
  assert_true(b->read > 1000 && b->dropped > 10 && b->freed > 100 && b->errors > 10);
  assert_true(b->waits > 10);
  vb_end(b);
}

static void a_vl_buffer_keeps_every_packet_under_random_traffic(void **state) {
  (void)state;
  static const struct loom_vl_buffer_cfg cfgs[] = {
      {.VLS = 8,
       .CELLS = 64,
       .CELL_FLITS = 8,
       .WIDTH = 64,
       .LEN_W = 12,
       .INFO_W = 5,
       .RESERVED = 4,
       .EARLY = 8},
      {.VLS = 2,
       .CELLS = 4,
       .CELL_FLITS = 2,
       .WIDTH = 64,
       .LEN_W = 3,
       .INFO_W = 1,
       .RESERVED = 1,
       .EARLY = 1},
      {.VLS = 1,
       .CELLS = 5,
       .CELL_FLITS = 4,
       .WIDTH = 64,
       .LEN_W = 4,
       .INFO_W = 3,
       .RESERVED = 0,
       .EARLY = 0},
      {.VLS = 3,
       .CELLS = 17,
       .CELL_FLITS = 4,
       .WIDTH = 64,
       .LEN_W = 6,
       .INFO_W = 16,
       .RESERVED = 5,
       .EARLY = 3},
      {.VLS = 32,
       .CELLS = 4096,
       .CELL_FLITS = 16,
       .WIDTH = 64,
       .LEN_W = 12,
       .INFO_W = 5,
       .RESERVED = 16,
       .EARLY = 4095},
      {.VLS = 4,
       .CELLS = 8,
       .CELL_FLITS = 16,
       .WIDTH = 64,
       .LEN_W = 7,
       .INFO_W = 5,
       .RESERVED = 2,
       .EARLY = 8},
  };
  for (size_t k = 0; k < sizeof cfgs / sizeof *cfgs; k++)
    vb_traffic(&cfgs[k], 100 + k, 40000);
}

static void a_small_vl_buffer_keeps_every_packet_for_many_seeds(void **state) {
  (void)state;
  const struct loom_vl_buffer_cfg cfg = {.VLS = 2,
                                         .CELLS = 4,
                                         .CELL_FLITS = 2,
                                         .WIDTH = 64,
                                         .LEN_W = 3,
                                         .INFO_W = 1,
                                         .RESERVED = 0,
                                         .EARLY = 2};
  for (uint64_t seed = 1000; seed < 1020; seed++)
    vb_traffic(&cfg, seed, 8000);
}

/* ---- vl_buffer: the cycle numbers of the page ------------------------------------------------ */

/* A script: what is written and taken in which cycle; seen: cycles in which the outputs showed. */
static struct loom_vl_buffer_cfg vb_cfg(uint32_t cell_flits) {
  struct loom_vl_buffer_cfg cfg;
  loom_vl_buffer_defaults(&cfg);
  cfg.CELL_FLITS = cell_flits;
  return cfg;
}

struct seen {
  uint32_t rd, tail, freed, head[2]; /* a bit a cycle */
};

/* Runs 32 cycles; wr[c] is the VL + 1 of the flit of cycle c or 0, take[c] likewise. Packets have
 * len flits. */
static struct seen vb_script(struct vb *b, const uint8_t wr[32], const uint8_t take[32],
                             uint32_t len) {
  struct seen seen = {0};
  for (uint32_t c = 0; c < 32; c++) {
    struct loom_vl_buffer_in in = {.wr_valid = wr[c] != 0, .take = take[c] != 0, .wr_len = len};
    if (wr[c]) {
      const struct vb_queue *q = &b->q[in.wr_vl = wr[c] - 1u];
      in.wr_head = !q->open;
      in.wr_data = vb_data((uint32_t)in.wr_vl, q->open ? q->accepted - 1 : q->accepted,
                           q->open ? q->place : 0);
    }
    if (take[c])
      in.take_vl = take[c] - 1u;
    vb_cycle(b, &in);
    seen.rd |= (uint32_t)b->out.rd_valid << c;
    seen.tail |= (uint32_t)b->out.rd_tail << c;
    seen.freed |= (uint32_t)b->out.free_valid << c;
    for (uint32_t v = 0; v < 2; v++)
      seen.head[v] |= (uint32_t)(b->out.head_valid >> v & 1) << c;
  }
  return seen;
}

static uint32_t cycles(uint32_t first, uint32_t last) {
  return (uint32_t)(loom_mask(last + 1) & ~loom_mask(first));
}

/* Head in view one cycle after it came, first flit three cycles after the take, tail and free
 * together. */
static void a_vl_buffer_shows_a_head_after_1_and_a_flit_after_3_cycles(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1}, take[32] = {[0] = 1, [1] = 1};
  struct seen seen = vb_script(b, wr, take, 3); /* the take of cycle 0 comes too early */
  assert_int_equal(seen.head[0], cycles(1, 1));
  assert_int_equal(seen.rd, cycles(4, 6));
  assert_int_equal(seen.tail, cycles(6, 6));
  assert_int_equal(seen.freed, cycles(6, 6));
  vb_end(b);
}

/* A packet leaves while it arrives, also over the edge of a cell, without a gap if it is one flit
 * ahead. */
static void a_packet_cuts_through_a_vl_buffer(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(2);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, take[32] = {[1] = 1};
  struct seen seen = vb_script(b, wr, take, 12);
  assert_int_equal(seen.rd, cycles(4, 15));
  assert_int_equal(seen.freed, 1u << 5 | 1u << 7 | 1u << 9 | 1u << 11 | 1u << 13 | 1u << 15);
  vb_end(b);
}

/* The next flit is late: the reader waits, then needs a cycle for the link; the cell is freed with
 * it. */
static void a_vl_buffer_waits_for_a_late_flit(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(2);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, [10] = 1, 1}, take[32] = {[1] = 1};
  struct seen seen = vb_script(b, wr, take, 4);
  assert_int_equal(seen.rd, 1u << 4 | 1u << 5 | 1u << 13 | 1u << 14);
  assert_int_equal(seen.freed, 1u << 12 | 1u << 14);
  vb_end(b);
}

/* With pending filled in time packets of any VL follow without a gap. */
static void a_vl_buffer_sends_packets_without_a_gap(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1};
  const uint8_t take[32] = {[5] = 1, [8] = 2, [11] = 1};
  struct seen seen = vb_script(b, wr, take, 4);
  assert_int_equal(seen.rd, cycles(8, 19));
  assert_int_equal(seen.tail, 1u << 11 | 1u << 15 | 1u << 19);
  vb_end(b);
}

/* The head behind a taken one shows two cycles after the take; one that comes with the take, one
 * cycle. */
static void a_vl_buffer_shows_the_next_head_two_cycles_after_a_take(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, [4] = 2, [8] = 2, [14] = 2};
  const uint8_t take[32] = {[4] = 1, [8] = 2, [13] = 2, [20] = 2};
  struct seen seen = vb_script(b, wr, take, 1);
  assert_int_equal(seen.head[0], cycles(1, 4) | cycles(6, 31));
  assert_int_equal(seen.head[1], cycles(5, 13) | cycles(15, 20));
  vb_end(b);
}

/* One VL takes all it can get; every other one still has its reserve. The cap holds before that. */
static void a_vl_buffer_keeps_reserve_and_cap(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  struct loom_vl_buffer_in in = {.cfg_we = 1, .cfg_addr = 33, .cfg_data = 10}; /* cap of VL 1 */
  vb_cycle(b, &in);
  for (uint32_t v = 0; v < 8; v++) {
    for (uint32_t i = 0; i < 300; i++) { /* one-flit packets of one unit */
      in = (struct loom_vl_buffer_in){.wr_valid = 1, .wr_vl = v, .wr_head = 1, .wr_len = 1};
      in.wr_data = vb_data(v, b->q[v].accepted, 0);
      vb_cycle(b, &in);
    }
    assert_int_equal(b->m.used[v], v == 0 ? 256 - 7 * 4 : 4);
    if (v == 0)
      assert_int_equal(b->dropped, 300 - (256 - 7 * 4));
  }
  uint64_t seed = 11;
  vb_drain(b, &seed);
  for (uint32_t i = 0; i < 300; i++) {
    in = (struct loom_vl_buffer_in){.wr_valid = 1, .wr_vl = 1, .wr_head = 1, .wr_len = 1};
    in.wr_data = vb_data(1, b->q[1].accepted, 0);
    vb_cycle(b, &in);
  }
  assert_int_equal(b->m.used[1], 10);
  vb_end(b);
}

/* While nothing is under way an edge changes not one byte, also with packets inside. */
static void a_vl_buffer_rests_when_idle(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1, 2, 2}, none[32] = {0};
  vb_script(b, wr, none, 8);
  assert_true(loom_vl_buffer_idle(&b->s));
  assert_int_equal(b->out.head_valid, 3);
  struct loom_vl_buffer before = b->s;
  const struct loom_vl_buffer_in in = {0};
  loom_vl_buffer_edge(&b->s, &in);
  assert_memory_equal(&before, &b->s, sizeof before);
  vb_end(b);
}

static void a_vl_buffer_refuses_bad_configurations(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  assert_true(loom_vl_buffer_cfg_ok(&cfg));
  cfg.CELL_FLITS = 6;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
  cfg = vb_cfg(8);
  cfg.LEN_W = 2;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
  cfg = vb_cfg(8);
  cfg.RESERVED = 33;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
  cfg = vb_cfg(8);
  cfg.CELLS = 4097;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bit_helpers_count_find_and_mask),
      cmocka_unit_test(the_arbiter_takes_the_first_request_from_its_position),
      cmocka_unit_test(the_arbiter_serves_a_held_request_within_n_advances),
      cmocka_unit_test(a_ram_reads_what_a_model_reads),
      cmocka_unit_test(a_fifo_keeps_what_a_model_keeps),
      cmocka_unit_test(a_fifo_sustains_a_push_and_a_pop_every_cycle),
      cmocka_unit_test(a_tracker_grants_what_a_model_grants),
      cmocka_unit_test(a_tracker_refuses_bad_configurations),
      cmocka_unit_test(the_crc_of_123456789_is_known_however_it_is_cut),
      cmocka_unit_test(a_crc_is_that_of_its_bits_one_by_one),
      cmocka_unit_test(the_prbs_is_that_of_its_bits_one_by_one),
      cmocka_unit_test(the_prbs_has_its_full_period),
      cmocka_unit_test(the_checker_locks_after_its_words),
      cmocka_unit_test(the_checker_counts_each_error_once),
      cmocka_unit_test(the_checker_gives_up_after_bad_words_in_a_row),
      cmocka_unit_test(the_checker_does_not_lock_on_zeros),
      cmocka_unit_test(the_lfsr_is_that_of_its_bits_one_by_one),
      cmocka_unit_test(the_lfsr_has_its_full_period),
      cmocka_unit_test(a_vl_buffer_keeps_every_packet_under_random_traffic),
      cmocka_unit_test(a_small_vl_buffer_keeps_every_packet_for_many_seeds),
      cmocka_unit_test(a_vl_buffer_shows_a_head_after_1_and_a_flit_after_3_cycles),
      cmocka_unit_test(a_packet_cuts_through_a_vl_buffer),
      cmocka_unit_test(a_vl_buffer_waits_for_a_late_flit),
      cmocka_unit_test(a_vl_buffer_sends_packets_without_a_gap),
      cmocka_unit_test(a_vl_buffer_shows_the_next_head_two_cycles_after_a_take),
      cmocka_unit_test(a_vl_buffer_keeps_reserve_and_cap),
      cmocka_unit_test(a_vl_buffer_rests_when_idle),
      cmocka_unit_test(a_vl_buffer_refuses_bad_configurations),
  };
  return UNIT_RUN("parts", tests, NULL, NULL);
}
