// SPDX-License-Identifier: Apache-2.0

// What the proofs share. A wrapper states PROVE and COVER; how it is read decides what they are:
//   as it is     PROVE asserts, COVER is nothing
//   COVERS       PROVE is nothing, COVER asserts that its goal is never reached: all must fail
//   INDUCT=K     from a free state on: PROVE is assumed in the first K cycles, asserted afterwards
`ifdef COVERS
`define PROVE(condition)
`define COVER(condition) assert(!(condition))
`elsif INDUCT
`define PROVE(condition) if (age_q < `INDUCT) assume(condition); else assert(condition)
`define COVER(condition)
`else
`define PROVE(condition) assert(condition)
`define COVER(condition)
`endif

// One cycle of reset, then never again. `live_q` is 0 in it, 1 afterwards. `age_q` counts cycles.
`define RESET_ONCE \
  reg live_q = 1'b0; \
  reg [3:0] age_q = 4'd0; \
  always @(posedge clk_i) begin \
    live_q <= 1'b1; \
    if (age_q != 4'd15) age_q <= age_q + 4'd1; \
  end \
  wire rst = !live_q;
