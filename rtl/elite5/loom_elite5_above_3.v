// SPDX-License-Identifier: Apache-2.0

// loom_elite5_above_3: which of two numbers of three places is larger.
// Inside: loom_elite5_above
//
// Contract: place 2 counts most. more_o: in the highest place in which they differ a_i is 1;
//   less_o: b_i is.
// Algorithm: two tables of six inputs; a unit of its own, so that mapping leaves them whole.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_above_3 (
  input  wire [2:0] a_i,
  input  wire [2:0] b_i,
  output wire       more_o,
  output wire       less_o
);

  wire [2:0] more = a_i & ~b_i;
  wire [2:0] less = b_i & ~a_i;

  assign more_o = more[2] || (!less[2] && (more[1] || (!less[1] && more[0])));
  assign less_o = less[2] || (!more[2] && (less[1] || (!more[1] && less[0])));

endmodule

`default_nettype wire
