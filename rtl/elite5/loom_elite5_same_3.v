// SPDX-License-Identifier: Apache-2.0

// loom_elite5_same_3: whether two numbers of three places are the same.
// Inside: loom_elite5_same
//
// Contract: same_o is a_i == b_i.
// Algorithm: one table of six inputs; a unit of its own, so that mapping leaves it whole.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_same_3 (
  input  wire [2:0] a_i,
  input  wire [2:0] b_i,
  output wire       same_o
);

  assign same_o = a_i == b_i;

endmodule

`default_nettype wire
