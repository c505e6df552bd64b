// SPDX-License-Identifier: Apache-2.0

// loom_assert: contracts that stand in the module and are checked while it runs or is proved.
//
//   `LOOM_REQUIRE(name, condition)   a duty of the caller; at the top of the module
//   `LOOM_ASSERT(name, condition)    a promise of the module; at its bottom
//
// The condition is one bit and must hold at every rising edge of clk_i at which rst_i is 0. In four
// states an unknown one passes: what does not matter may be unknown. `name` is a name of its own in
// the module.
//
//   LOOM_ASSERT_ON      simulation: what does not hold is named with module, instance and cycle on
//                       stderr, and ends the run
//   LOOM_ASSERT_FORMAL  proof (Yosys): both are assertions; the wrapper's assumptions must make the
//                       caller's duties hold
//   neither             synthesis: nothing
//   LOOM_CYCLE          the number of the cycle, if time is not it
// Page: docs/house.md, section Contracts in the circuits.

// No guard: each file defines the macros anew, as Icarus 11 cannot hand macros with arguments on to
// files that it finds by -y.
`ifdef LOOM_ASSERT_FORMAL
`define LOOM_REQUIRE(name, condition) \
  always @* begin : name \
    if (!rst_i) assert(condition); \
  end
`define LOOM_ASSERT(name, condition) `LOOM_REQUIRE(name, condition)

`elsif LOOM_ASSERT_ON
`ifndef LOOM_CYCLE
`define LOOM_CYCLE $time
`endif
`ifdef __ICARUS__
`define LOOM_ASSERT_STOP $finish_and_return(1)
`else
`define LOOM_ASSERT_STOP $stop
`endif
`define LOOM_CHECK(name, condition, broken) \
  always @(posedge clk_i) begin : name \
    if (!rst_i && !(condition)) begin \
      $fdisplay(32'h8000_0002, "%s: %m, cycle %0d", broken, `LOOM_CYCLE); \
      `LOOM_ASSERT_STOP; \
    end \
  end
`define LOOM_REQUIRE(name, condition) \
  `LOOM_CHECK(name, condition, "a caller broke the contract of a circuit")
`define LOOM_ASSERT(name, condition) \
  `LOOM_CHECK(name, condition, "a circuit broke its own contract")

`else
`define LOOM_REQUIRE(name, condition)
`define LOOM_ASSERT(name, condition)
`endif
