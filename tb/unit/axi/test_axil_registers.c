/* SPDX-License-Identifier: Apache-2.0 */
/* test_axil_registers.c - the twin of axil_registers against what docs/axi.md says, without a
 * circuit */
#include "tb/unit/unit.h"

#include "axi/axil_registers.h"

enum { PLACE = 1237 }; /* any register */

static struct loom_axil_registers s;
static struct loom_axil_registers_in in;
static struct loom_axil_registers_out out;

static void step(void) { loom_axil_registers_step(&s, &in, &out); }

static void reset(uint32_t start, uint32_t gap) {
  const struct loom_axil_registers_cfg cfg = {.ADDR_W = 20, .START = start, .GAP = gap};
  assert_true(loom_axil_registers_cfg_ok(&cfg));
  loom_axil_registers_init(&s, &cfg);
  in = (struct loom_axil_registers_in){.bready = 1, .rready = 1};
}

/* DT-04: a table is written by software */
static void a_write_is_on_the_bus_two_cycles_after_its_later_half(void **state) {
  (void)state;
  reset(0, 0);
  in.awvalid = 1;
  in.awaddr = PLACE << 2 | 3; /* the low bits mean nothing */
  step();
  in.awvalid = 0;
  step();
  in.wvalid = 1;
  in.wdata = 0xCAFE;
  in.wstrb = 15;
  step();
  in.wvalid = 0;
  step();
  assert_true(!out.reg_we && !out.bvalid);
  step();
  assert_true(out.reg_we && out.reg_addr == PLACE && out.reg_wdata == 0xCAFE);
  assert_true(out.bvalid && out.bresp == 0);
  step();
  assert_true(!out.reg_we && !out.reg_addr && !out.reg_wdata && !out.bvalid);
}

static void a_write_of_some_bytes_is_refused_and_of_none_does_nothing(void **state) {
  (void)state;
  for (uint32_t strobes = 0; strobes < 16; strobes++) {
    reset(0, 0);
    in.awvalid = in.wvalid = 1;
    in.wstrb = strobes;
    step();
    in.awvalid = in.wvalid = 0;
    step();
    step();
    assert_true(out.bvalid && out.reg_we == (strobes == 15));
    assert_true(out.bresp == (strobes == 0 || strobes == 15 ? 0 : 2));
  }
}

static void an_answer_stays_until_it_is_taken(void **state) {
  (void)state;
  reset(0, 0);
  in.arvalid = 1;
  in.araddr = PLACE << 2;
  in.rready = 0;
  step();
  in.arvalid = 0;
  step();
  step();
  assert_true(out.reg_re && out.reg_addr == PLACE);
  in.reg_rvalid = 1;
  in.reg_rdata = 77;
  step();
  in.reg_rvalid = 0;
  in.reg_rdata = 0;
  for (int i = 0; i < 5; i++) {
    in.rready = i == 4;
    step();
    assert_true(out.rvalid && out.rdata == 77 && out.rresp == 0);
  }
  step();
  assert_true(!out.rvalid && !out.rdata);
}

static void nothing_goes_before_the_start_and_within_the_gap(void **state) {
  (void)state;
  reset(100, 3);
  in.awvalid = in.wvalid = in.arvalid = 1;
  in.wstrb = 15;
  uint32_t last = 0, seen = 0;
  for (uint32_t c = 0; c < 400; c++) {
    in.reg_rvalid = out.reg_re; /* answered a cycle later */
    step();
    if (!out.reg_we && !out.reg_re)
      continue;
    assert_true(c >= 100);
    assert_true(!seen || c - last >= 4);
    last = c;
    seen++;
  }
  assert_true(seen > 60);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_write_is_on_the_bus_two_cycles_after_its_later_half),
      cmocka_unit_test(a_write_of_some_bytes_is_refused_and_of_none_does_nothing),
      cmocka_unit_test(an_answer_stays_until_it_is_taken),
      cmocka_unit_test(nothing_goes_before_the_start_and_within_the_gap),
  };
  return UNIT_RUN("axil_registers", tests, NULL, NULL);
}
