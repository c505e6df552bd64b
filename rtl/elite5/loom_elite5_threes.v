// SPDX-License-Identifier: Apache-2.0

// loom_elite5_threes: in which threes of their places two words have a 1 in common, or are the
//   same.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: a bit of parts_o for each three places, what is missing of the last three being 0 in
//   both. With SAME it says that they are the same there, and the words are if all bits are 1;
//   else that they have a 1 in common, and the words have none if all are 0.
// Algorithm: three places of both at a time (loom_elite5_three), where mapping would rather take
//   wide tables that are made of three. The rest is up to the caller, with what else it looks at.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: N (1..64), SAME (0, 1).
// Realises: E5-10, E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_threes #(
  parameter integer N    = 32,
  parameter integer SAME = 0
) (
  input  wire [N-1:0]       a_i,
  input  wire [N-1:0]       b_i,
  output wire [(N+2)/3-1:0] parts_o
);

  localparam integer GROUPS = (N + 2) / 3;

  wire [3*GROUPS-1:0] a;
  wire [3*GROUPS-1:0] b;

  genvar g;
  generate
    if (3 * GROUPS > N) begin : g_pad
      assign a = {{(3 * GROUPS - N){1'b0}}, a_i};
      assign b = {{(3 * GROUPS - N){1'b0}}, b_i};
    end else begin : g_whole
      assign a = a_i;
      assign b = b_i;
    end
    for (g = 0; g < GROUPS; g = g + 1) begin : g_3
      loom_elite5_three #(
        .SAME(SAME)
      ) u_three (
        .a_i(a[3*g +: 3]),
        .b_i(b[3*g +: 3]),
        .part_o(parts_o[g])
      );
    end
  endgenerate

endmodule

`default_nettype wire
