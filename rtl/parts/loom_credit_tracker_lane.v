// SPDX-License-Identifier: Apache-2.0

// loom_credit_tracker_lane: the count of one VL out of those of all.
// Inside: loom_credit_tracker
//
// Contract: hot_i has at most one bit; without one (a VL that does not exist) the count is 0.
// Algorithm: an OR of all counts, each masked by its bit. A module and not a function: Verilator
//   gives the temporaries of a function other names at each call, and then compiles every instance
//   of a circuit anew.
// Latency: none, combinational.
// Wait bound: none.
// Parameters: VLS (1..32), COUNT_W (bits of a count, 4..16).
// Realises: OP-06.
// Page: docs/parts.md, section credit_tracker.
`default_nettype none

module loom_credit_tracker_lane #(
  parameter integer VLS     = 8,
  parameter integer COUNT_W = 12
) (
  input  wire [VLS*COUNT_W-1:0] lanes_i,
  input  wire [VLS-1:0]         hot_i,
  output reg  [COUNT_W-1:0]     lane_o
);

  integer k;

  always @* begin
    lane_o = {COUNT_W{1'b0}};
    for (k = 0; k < VLS; k = k + 1) begin
      lane_o = lane_o | (lanes_i[k*COUNT_W +: COUNT_W] & {COUNT_W{hot_i[k]}});
    end
  end

endmodule

`default_nettype wire
