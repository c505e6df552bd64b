// SPDX-License-Identifier: Apache-2.0

// loom_elite5_same: whether two numbers are the same.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: same_o is a_i == b_i.
// Algorithm: three places of both at a time (loom_elite5_threes).
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: W (1..64).
// Realises: E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_same #(
  parameter integer W = 24
) (
  input  wire [W-1:0] a_i,
  input  wire [W-1:0] b_i,
  output wire         same_o
);

  wire [(W+2)/3-1:0] parts;

  loom_elite5_threes #(
    .N(W),
    .SAME(1)
  ) u_threes (
    .a_i(a_i),
    .b_i(b_i),
    .parts_o(parts)
  );

  assign same_o = &parts;

endmodule

`default_nettype wire
