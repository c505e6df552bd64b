// SPDX-License-Identifier: Apache-2.0

// loom_elite5_tested: what the test of a link says.
// Inside: loom_elite5_link
//
// Contract: test_i: the link is in its test; late_i: in its test, and out of time. all_i or
//   enough_i: all words were checked; above_i or many_i: with too many wrong bits.
// Algorithm: two tables of six inputs; a unit of its own, so that mapping lets nothing else come
//   behind what comes late.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_tested (
  input  wire test_i,
  input  wire late_i,
  input  wire all_i,
  input  wire enough_i,
  input  wire above_i,
  input  wire many_i,
  output wire passes_o,
  output wire fails_o
);

  wire done = test_i && (all_i || enough_i);
  wire bad = above_i || many_i;

  assign passes_o = done && !bad && !late_i;
  assign fails_o = late_i || (done && bad);

endmodule

`default_nettype wire
