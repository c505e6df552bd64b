// SPDX-License-Identifier: Apache-2.0

// loom_switch_pick: the first stage of allocation: a source picks one of its lanes.
// Inside: loom_ib_switch, loom_opa_switch, loom_kns_node, loom_kns_switch
//
// Contract: request_i says which lanes may go; advance_i that the pick of this cycle is granted.
//   All other outputs are 0 while pick_o is 0.
// Algorithm: a loom_rr_arbiter over the lanes; what the head's queue knows comes out with the pick.
// Latency: none, combinational.
// Wait bound: a lane that keeps asking is picked at the latest with the VLS-th grant that follows.
// Parameters: VLS (lanes, 2..32), INFO_W (bits of side information of a packet, 1..48).
// Realises: OP-11.
// Page: docs/switch.md, section Allocation.
`default_nettype none
`include "loom_assert.vh"

module loom_switch_pick #(
  parameter integer VLS    = 9,
  parameter integer INFO_W = 24
) (
  input  wire                  clk_i,
  input  wire                  rst_i,
  input  wire [VLS-1:0]        request_i,
  input  wire                  advance_i,
  input  wire [VLS*12-1:0]     head_len_i,
  input  wire [VLS*INFO_W-1:0] head_info_i,
  output wire                  pick_o,
  output wire [4:0]            lane_o,
  output wire [11:0]           len_o,
  output wire [INFO_W-1:0]     info_o
);

  `LOOM_REQUIRE(advances_past_a_pick, !advance_i || pick_o)

  wire [VLS-1:0] grant;
  reg [11:0] len;
  reg [INFO_W-1:0] info;
  integer l;

  loom_rr_arbiter #(
    .N(VLS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(request_i),
    .advance_i(advance_i),
    .grant_o(grant)
  );

  loom_encode #(
    .N(VLS),
    .W(5)
  ) u_encode (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(grant),
    .index_o(lane_o)
  );

  always @* begin
    len = 12'd0;
    info = {INFO_W{1'b0}};
    for (l = 0; l < VLS; l = l + 1) begin
      if (grant[l]) begin
        len = len | head_len_i[l*12 +: 12];
        info = info | head_info_i[l*INFO_W +: INFO_W];
      end
    end
  end

  assign pick_o = grant != {VLS{1'b0}};
  assign len_o = len;
  assign info_o = info;

  `LOOM_ASSERT(fields_0_without_pick,
      pick_o || {lane_o, len_o, info_o} == {(INFO_W + 17){1'b0}})

endmodule

`default_nettype wire
