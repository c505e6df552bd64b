/* SPDX-License-Identifier: Apache-2.0 */
/* test_credit_tracker.c - the twin of credit_tracker beside a model of its sums: who is admitted,
 * reserve, cap and errors, against what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "parts/credit_tracker.h"
#include "tb/unit/parts/tracker_model.h"

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
  in->cfg_we = loom_chance(seed, tracker_model_used(m) ? 1 : 60);
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
  assert_true(tracker_model_used(m) <= m->total || !tracker_model_ok(m));
  for (uint32_t v = 0; v < m->vls; v++)
    assert_true(m->used[v] <= m->cap[v]);
}

static void tracker_check_outputs(const struct tracker_model *m,
                                  const struct loom_credit_tracker_out *out) {
  for (uint32_t v = 0; v < 32; v++) {
    assert_int_equal(out->avail[v], v < m->vls ? tracker_model_avail(m, v) : 0);
    assert_int_equal(out->used[v], v < m->vls ? m->used[v] : 0);
    uint32_t own = m->reserved[v] > m->used[v] ? m->reserved[v] - m->used[v] : 0;
    if (v < m->vls && tracker_model_ok(m) && own && m->used[v] + own <= m->cap[v])
      assert_true(out->avail[v] >= own); /* nobody takes another's reserve */
  }
  assert_int_equal(out->config_ok, tracker_model_ok(m));
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
      assert_int_equal(probe.pool_used, tracker_model_pool_used(&m));
      loom_credit_tracker_step(&s, &in, &out);
      tracker_check_outputs(&m, &out);
      assert_int_equal(out.error, error);
      bool ok = in.consume_valid && !in.cfg_we && in.consume_vl < m.vls && in.consume_size &&
                in.consume_size <= tracker_model_avail(&m, (uint32_t)in.consume_vl);
      assert_int_equal(out.consume_ok, ok);
      configured += in.cfg_we && !tracker_model_used(&m);
      error = tracker_model_edge(&m, &in, ok);
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

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tracker_grants_what_a_model_grants),
      cmocka_unit_test(a_tracker_refuses_bad_configurations),
  };
  return UNIT_RUN("credit_tracker", tests, NULL, NULL);
}
