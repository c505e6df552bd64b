// SPDX-License-Identifier: Apache-2.0

// loom_elite5_three: whether three places of two words have a 1 in common, or are the same.
// Inside: loom_elite5_threes
//
// Contract: part_o is a_i == b_i with SAME, else (a_i & b_i) != 0.
// Algorithm: one table of six inputs; a unit of its own, so that mapping leaves it whole.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: SAME (0, 1).
// Realises: E5-10, E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_three #(
  parameter integer SAME = 0
) (
  input  wire [2:0] a_i,
  input  wire [2:0] b_i,
  output wire       part_o
);

  assign part_o = (SAME != 0) ? a_i == b_i : (a_i & b_i) != 3'd0;

endmodule

`default_nettype wire
