// SPDX-License-Identifier: Apache-2.0

// loom_elite5_above: whether one number is larger than another, without a chain of carries.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: above_o is a_i > b_i.
// Algorithm: three bits of both say which number is larger, if one is (loom_elite5_above_3); three
//   such answers are looked at as three bits again, twice.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: W (1..26).
// Realises: E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_above #(
  parameter integer W = 16
) (
  input  wire [W-1:0] a_i,
  input  wire [W-1:0] b_i,
  output wire         above_o
);

  generate
    if (W < 1 || W > 26) begin : g_bad_w
      loom_elite5_above_W_must_be_1_to_26 u_error ();
    end
  endgenerate

  localparam integer THREES = (W + 2) / 3;
  localparam integer NINES  = (W + 8) / 9;

  wire [3*THREES:0] a = {{(3 * THREES + 1 - W){1'b0}}, a_i};
  wire [3*THREES:0] b = {{(3 * THREES + 1 - W){1'b0}}, b_i};

  // What three places say are places themselves.
  wire [3*NINES-1:0] more_3;
  wire [3*NINES-1:0] less_3;
  wire [2:0] more_9;
  wire [2:0] less_9;
  wire unused_less;
  wire unused = &{1'b0, a[3*THREES], b[3*THREES]};

  genvar g;
  generate
    for (g = 0; g < 3 * NINES; g = g + 1) begin : g_3
      if (g < THREES) begin : g_some
        loom_elite5_above_3 u_places (
          .a_i(a[3*g +: 3]),
          .b_i(b[3*g +: 3]),
          .more_o(more_3[g]),
          .less_o(less_3[g])
        );
      end else begin : g_none
        assign more_3[g] = 1'b0;
        assign less_3[g] = 1'b0;
      end
    end
    for (g = 0; g < 3; g = g + 1) begin : g_9
      if (g < NINES) begin : g_some
        loom_elite5_above_3 u_places (
          .a_i(more_3[3*g +: 3]),
          .b_i(less_3[3*g +: 3]),
          .more_o(more_9[g]),
          .less_o(less_9[g])
        );
      end else begin : g_none
        assign more_9[g] = 1'b0;
        assign less_9[g] = 1'b0;
      end
    end
  endgenerate

  loom_elite5_above_3 u_places (
    .a_i(more_9),
    .b_i(less_9),
    .more_o(above_o),
    .less_o(unused_less)
  );

endmodule

`default_nettype wire
