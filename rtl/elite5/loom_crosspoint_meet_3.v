// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_meet_3: whether two masks of three bits have one in common.
// Inside: loom_crosspoint_router
//
// Contract: any_o is (a_i & b_i) != 0.
// Algorithm: one table of six inputs; a unit of its own, so that mapping leaves it whole.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-10.
// Page: docs/crosspoint_router.md
`default_nettype none

module loom_crosspoint_meet_3 (
  input  wire [2:0] a_i,
  input  wire [2:0] b_i,
  output wire       any_o
);

  assign any_o = (a_i & b_i) != 3'd0;

endmodule

`default_nettype wire
