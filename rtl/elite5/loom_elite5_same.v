// SPDX-License-Identifier: Apache-2.0

// loom_elite5_same: whether two numbers are the same.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: same_o is a_i == b_i.
// Algorithm: three places of both at a time (loom_elite5_same_3), where mapping would rather take
//   wide tables that are made of three.
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

  localparam integer GROUPS = (W + 2) / 3;

  wire [3*GROUPS-1:0] a;
  wire [3*GROUPS-1:0] b;
  wire [GROUPS-1:0] same;

  genvar g;
  generate
    if (3 * GROUPS > W) begin : g_pad
      assign a = {{(3 * GROUPS - W){1'b0}}, a_i};
      assign b = {{(3 * GROUPS - W){1'b0}}, b_i};
    end else begin : g_whole
      assign a = a_i;
      assign b = b_i;
    end
    for (g = 0; g < GROUPS; g = g + 1) begin : g_3
      loom_elite5_same_3 u_same (
        .a_i(a[3*g +: 3]),
        .b_i(b[3*g +: 3]),
        .same_o(same[g])
      );
    end
  endgenerate

  assign same_o = same == {GROUPS{1'b1}};

endmodule

`default_nettype wire
