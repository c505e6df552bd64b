// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_meet: in which parts two masks have a bit in common.
// Inside: loom_crosspoint_router
//
// Contract: a bit of any_o for each three bits of the masks; the masks have none in common if all
//   are 0.
// Algorithm: three bits of both at a time (loom_crosspoint_meet_3), where mapping would rather take
//   wide tables that are made of three. The rest is up to the caller, with what else it looks at.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: N (1..32).
// Realises: E5-10.
// Page: docs/crosspoint_router.md
`default_nettype none

module loom_crosspoint_meet #(
  parameter integer N = 32
) (
  input  wire [N-1:0]       a_i,
  input  wire [N-1:0]       b_i,
  output wire [(N+2)/3-1:0] any_o
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
      loom_crosspoint_meet_3 u_meet (
        .a_i(a[3*g +: 3]),
        .b_i(b[3*g +: 3]),
        .any_o(any_o[g])
      );
    end
  endgenerate

endmodule

`default_nettype wire
