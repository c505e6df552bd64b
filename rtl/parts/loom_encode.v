// SPDX-License-Identifier: Apache-2.0

// loom_encode: the number of the one bit that is set in a one-hot vector; 0 when none is.
// Inside: loom_sched_rr, loom_segment_buffer, and whole switches
//
// Contract: at most one bit of onehot_i is set.
// Algorithm: an OR of constant masks.
// Latency: none, combinational.
// Wait bound: none.
// Parameters: N (bits of the vector, 1..128), W (bits of the number, at least clog2(N) and 1).
// Realises: OP-11, E5-11.
// Page: docs/parts.md, section rr_arbiter.
`default_nettype none
`include "loom_assert.vh"

module loom_encode #(
  parameter integer N = 32,
  parameter integer W = 5
) (
  input  wire         clk_i,
  input  wire         rst_i,
  input  wire [N-1:0] onehot_i,
  output wire [W-1:0] index_o
);

  // Only the assertion looks at the clock.
  wire unused_clock = &{1'b0, clk_i, rst_i};

  `LOOM_REQUIRE(at_most_one_bit, (onehot_i & -onehot_i) == onehot_i)

  genvar b;
  generate
    for (b = 0; b < W; b = b + 1) begin : g_bit
      // The positions whose number has bit b set.
      localparam [127:0] ONES = {(64 >> b) {{(1 << b) {1'b1}}, {(1 << b) {1'b0}}}};
      assign index_o[b] = |(onehot_i & ONES[N-1:0]);
    end
  endgenerate

endmodule

`default_nettype wire
