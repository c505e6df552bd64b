// SPDX-License-Identifier: Apache-2.0

// loom_switch_target: the second stage of allocation: a target picks one of the sources that ask,
//   and stays with it to the end of the packet.
// Inside: loom_ib_switch, loom_opa_switch, loom_kns_node, loom_kns_switch
//
// Contract: the top holds the register granted_i (it is a probe) and loads it from granted_o. A
//   source asks for the target of its number, and only for lanes of can_o. done_i says that a
//   source reads the last flits of its packet in this cycle. A record is {pass, lane, len} in 32
//   bits.
// Algorithm: a loom_rr_arbiter over the sources. A lane is in can_o if the target is free and, at
//   the last edge, its buffer had room for the largest packet of the lane.
// Latency: grant_o, granted_o, record_o: none, combinational; the words that a source reads in
//   cycle t come in t+1 from source from_o, if locked_o.
// Wait bound: a source that keeps asking is picked at the latest with the N-th grant that follows.
// Parameters: N (sources, 2..64), VLS (lanes, 2..32), COUNT_W (bits of a count of units, 4..16),
//   FROM_W (bits of a source's number: clog2(N)).
// Realises: OP-06, OP-08, OP-11.
// Page: docs/switch.md, section Allocation.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_switch_target #(
  parameter integer N       = 28,
  parameter integer VLS     = 9,
  parameter integer COUNT_W = 11,
  parameter integer FROM_W  = 5
) (
  input  wire                   clk_i,
  input  wire                   rst_i,
  input  wire [7:0]             number_i,
  input  wire [N-1:0]           ask_i,
  input  wire [N*8-1:0]         target_i,
  input  wire [N*32-1:0]        record_i,
  input  wire [N-1:0]           done_i,
  input  wire                   granted_i,
  output wire                   granted_o,
  output wire [N-1:0]           grant_o,
  output wire [27:0]            record_o,
  input  wire                   cfg_we_i,
  input  wire [VLS*COUNT_W-1:0] avail_i,
  input  wire [VLS*16-1:0]      mtu_i,
  output wire [31:0]            can_o,
  output wire [31:0]            room_o,
  output wire                   locked_o,
  output wire [FROM_W-1:0]      from_o,
  output wire [4:0]             lane_o
);

  `LOOM_REQUIRE(asked_only_while_free, request == {N{1'b0}} || free)
  `LOOM_REQUIRE(asked_only_for_lanes_with_room, !granted || can_o[record[`LOOM_PACKET_LANE]])

  localparam integer CMP_W = (COUNT_W > 10) ? COUNT_W : 10;

  reg locked_q;
  reg [FROM_W-1:0] from_q;
  reg [4:0] lane_q;
  reg cfg_we_q;
  reg [VLS-1:0] room_q;
  reg wr_locked_q;                              // the same for the words that were read in the
  reg [FROM_W-1:0] wr_from_q;                   //   last cycle
  reg [4:0] wr_lane_q;

  wire done = locked_q && done_i[from_q];
  wire free = !granted_i && (!locked_q || done) && !cfg_we_i && !cfg_we_q;
  reg [N-1:0] request;
  integer s;

  always @* begin
    for (s = 0; s < N; s = s + 1) request[s] = ask_i[s] && target_i[s*8 +: 8] == number_i;
  end

  wire granted = request != {N{1'b0}};
  wire [N-1:0] grant;
  wire [FROM_W-1:0] from;

  loom_rr_arbiter #(
    .N(N)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(request),
    .advance_i(1'b1),
    .grant_o(grant)
  );

  loom_encode #(
    .N(N),
    .W(FROM_W)
  ) u_encode (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(grant),
    .index_o(from)
  );

  wire [27:0] record = granted ? record_i[{from, 5'd0} +: 28] : 28'd0;

  // Room for the largest packet of the lane.
  wire [VLS-1:0] room;
  generate
    genvar g;
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      assign room[g] = {{(CMP_W - COUNT_W){1'b0}}, avail_i[g*COUNT_W +: COUNT_W]}
                       >= {{(CMP_W - 10){1'b0}}, mtu_i[g*16 +: 10]};
    end
    if (VLS < 32) begin : g_pad
      assign room_o = {{(32 - VLS){1'b0}}, room_q};
    end else begin : g_full
      assign room_o = room_q;
    end
  endgenerate

  wire unused = &{1'b0, mtu_i, record_i};

  always @(posedge clk_i) begin
    if (rst_i) begin
      locked_q <= 1'b0;
      from_q <= {FROM_W{1'b0}};
      lane_q <= 5'd0;
      cfg_we_q <= 1'b0;
      room_q <= {VLS{1'b0}};
      wr_locked_q <= 1'b0;
      wr_from_q <= {FROM_W{1'b0}};
      wr_lane_q <= 5'd0;
    end else begin
      locked_q <= granted || (locked_q && !done);
      if (granted) begin
        from_q <= from;
        lane_q <= record[`LOOM_PACKET_LANE];
      end
      cfg_we_q <= cfg_we_i;
      room_q <= room;
      wr_locked_q <= locked_q;
      wr_from_q <= from_q;
      wr_lane_q <= lane_q;
    end
  end

  assign granted_o = granted;
  assign grant_o = grant;
  assign record_o = record;
  assign can_o = free ? room_o : 32'd0;
  assign locked_o = wr_locked_q;
  assign from_o = wr_from_q;
  assign lane_o = wr_lane_q;

  `LOOM_ASSERT(grants_one_that_asks, (grant_o & -grant_o & ask_i) == grant_o)
  `LOOM_ASSERT(record_0_without_grant, granted_o || record_o == 28'd0)

endmodule

`default_nettype wire
