// SPDX-License-Identifier: Apache-2.0

// loom_fair_queueing_first: of a set of VLs the one with the smallest stamp, in five steps.
// Inside: loom_fair_queueing
//
// Contract: all stamps of a set are less than half of what TW bits hold apart.
// Algorithm: 32 places, of which each step leaves the smaller one of each pair; the lower place if
//   none is smaller. Places beyond VLS are empty.
// Latency: set_i and stamp_i in c, the outputs in c + 5.
// Wait bound: none: it keeps nothing for longer.
// Parameters: VLS (1..32), TW (bits of a stamp).
// Realises: SC-09.
// Page: docs/fair_queueing.md, section The decision.
`default_nettype none
`include "loom_assert.vh"

module loom_fair_queueing_first #(
  parameter integer VLS = 16,
  parameter integer TW  = 27
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire [VLS-1:0]    set_i,
  input  wire [VLS*TW-1:0] stamp_i,
  output wire              some_o,
  output wire [4:0]        vl_o,
  output wire [TW-1:0]     stamp_o
);

  // Places of all levels in one row: 32, 16, 8, 4, 2, 1; level l begins at 64 - (64 >> l).
  localparam integer PLACES = 63;
  wire [PLACES-1:0] some;
  wire [5*PLACES-1:0] vl;
  wire [TW*PLACES-1:0] stamp;

  genvar p;
  genvar l;
  generate
    for (p = 0; p < 32; p = p + 1) begin : g_place
      if (p < VLS) begin : g_vl
        assign some[p] = set_i[p];
        assign vl[5*p+:5] = p[4:0];
        assign stamp[TW*p+:TW] = stamp_i[TW*p+:TW];
      end else begin : g_empty
        assign some[p] = 1'b0;
        assign vl[5*p+:5] = 5'd0;
        assign stamp[TW*p+:TW] = {TW{1'b0}};
      end
    end
    for (l = 1; l < 6; l = l + 1) begin : g_step
      for (p = 0; p < (32 >> l); p = p + 1) begin : g_pair
        localparam integer A = 64 - (64 >> (l - 1)) + 2 * p;
        localparam integer TO = 64 - (64 >> l) + p;
        wire [TW-1:0] b_less_a = stamp[TW*(A+1)+:TW] - stamp[TW*A+:TW];
        wire takes_b = some[A+1] && (!some[A] || b_less_a[TW-1]);
        reg some_q;
        reg [4:0] vl_q;
        reg [TW-1:0] stamp_q;
        always @(posedge clk_i) begin
          if (rst_i) begin
            some_q <= 1'b0;
            vl_q <= 5'd0;
            stamp_q <= {TW{1'b0}};
          end else begin
            some_q <= some[A] || some[A+1];
            vl_q <= takes_b ? vl[5*(A+1)+:5] : vl[5*A+:5];
            stamp_q <= takes_b ? stamp[TW*(A+1)+:TW] : stamp[TW*A+:TW];
          end
        end
        assign some[TO] = some_q;
        assign vl[5*TO+:5] = vl_q;
        assign stamp[TW*TO+:TW] = stamp_q;
      end
    end
  endgenerate

  assign some_o = some[PLACES-1];
  assign vl_o = vl[5*(PLACES-1)+:5];
  assign stamp_o = stamp[TW*(PLACES-1)+:TW];

  `LOOM_ASSERT(a_lane_there_is, !some_o || {1'b0, vl_o} < VLS[5:0])

endmodule

`default_nettype wire
