// SPDX-License-Identifier: Apache-2.0

// loom_pipelined_alloc_source: one input of the pipelined allocation: it picks a lane in each cycle
//   and brings the record of its head before the targets.
//
// Inside: pipelined_alloc.
// Contract: event_i comes for a lane without a head; took_i says that the offer that asked in the
//   last cycle was granted. offer_o holds the offer for one cycle, one bit for its target, if the
//   source was ready one cycle ago and not booked then.
// Algorithm: round robin over the lanes with one find-first: the lanes at or after the next one, if
//   there is any, else all. Records stand in LUT RAM. The lane with the turn is a ring of one bit.
// Latency: from event_i to offer_o 4 cycles; an offer every cycle.
// Wait bound: docs/allocation.md, section The turn and the hold.
// Parameters: PORTS (2..48), LANES (1..32), VLS (lanes of a target, 1..32), INFO_W (bits of side
//   information, 1..48).
// Realises: OP-11, SC-01.
// Page: docs/allocation.md, section Sources.
`default_nettype none
`include "loom_assert.vh"

module loom_pipelined_alloc_source #(
  parameter integer PORTS  = 8,
  parameter integer LANES  = 9,
  parameter integer VLS    = 9,
  parameter integer INFO_W = 12
) (
  input  wire                           clk_i,
  input  wire                           rst_i,
  input  wire                           event_i,
  input  wire [4:0]                     lane_i,
  input  wire [5:0]                     target_i,
  input  wire [4:0]                     vl_i,
  input  wire [INFO_W-1:0]              info_i,
  input  wire                           ready_i,
  input  wire                           took_i,
  input  wire [VLS*PORTS-1:0]           room_i,      // of each lane there, a bit a target
  input  wire [6*PORTS-1:0]             refuse_i,    // of each bit, a bit a target
  input  wire                           mine_i,      // this source is due, and held for,
  input  wire                           mine_room_i, // and there is room
  input  wire                           known_i,     // the register of known_d_o
  output wire                           known_d_o,
  output wire [$clog2(PORTS)-1:0]       turn_target_o,
  output wire [4:0]                     turn_vl_o,
  output wire [PORTS-1:0]               offer_o,
  output wire [4:0]                     lane_o,
  output wire [$clog2(PORTS)-1:0]       target_o,
  output wire [4:0]                     vl_o,
  output wire [INFO_W-1:0]              info_o
);

  localparam integer TW = $clog2(PORTS);
  localparam integer DEPTH = (LANES > 1) ? LANES : 2;
  localparam integer LW = $clog2(DEPTH);
  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer RW = $clog2(VLS + 1);              // a lane there, or none of them
  localparam integer GW = (TW > 2) ? TW - 2 : 1;        // a group of four targets
  localparam integer G = 1 << GW;
  localparam integer PADDED = 4 * G;
  localparam integer H = (LANES + 3) / 4;               // groups of lanes
  localparam [LANES-1:0] NONE = 0;
  localparam [LANES-1:0] HOT0 = 1;
  localparam [PORTS-1:0] TARGET0 = 1;

  `LOOM_REQUIRE(event_names_a_lane, !event_i || {27'd0, lane_i} < LANES)
  `LOOM_REQUIRE(event_names_a_target, !event_i || {26'd0, target_i} < PORTS)
  `LOOM_REQUIRE(event_names_a_lane_there, !event_i || {27'd0, vl_i} < VLS)
  `LOOM_REQUIRE(event_without_a_head, !event_i || (present_q & event_hot) == NONE)

  reg [LANES-1:0] present_q;                            // lanes with a head

  // Whose turn it is, and what is known of this head.
  reg [LANES-1:0] turn_q;                               // one bit
  reg [TW-1:0] turn_target_q;
  reg [VW-1:0] turn_vl_q;
  reg mine_q;
  reg insist_q;                                         // and known

  // The stages.
  reg [LANES-1:0] after_q;                              // lanes from the next one on
  reg pick_any_q;
  reg pick_took_q;                                      // a head was booked as it was picked,
  reg [LW-1:0] pick_done_q;                             // of this lane
  reg [LW-1:0] pick_lane_q;
  reg [LANES-1:0] pick_turns_q;                         // the turn when it was picked
  reg look_valid_q;
  reg [LW-1:0] look_lane_q;
  reg look_turn_q;
  reg [TW-1:0] look_target_q;
  reg [VW-1:0] look_vl_q;
  reg [LW-1:0] ask_lane_q;
  reg [TW-1:0] ask_target_q;
  reg [VW-1:0] ask_vl_q;
  reg [PORTS-1:0] offer_q;
  reg [LW-1:0] done_lane_q;
  reg [TW-1:0] done_target_q;
  reg [VW-1:0] done_vl_q;
  reg [INFO_W-1:0] done_info_q;

  // With a head go all of its offers, and with that of the turn what is known of it.
  wire kill = took_i && turn_q[done_lane_q];
  wire pick_gone = took_i && pick_lane_q == done_lane_q;

  // Pick: the first lane at `after` or above, else the first of all; in groups of four.
  wire [LANES-1:0] later = present_q & after_q;
  wire [H-1:0] some;                                    // lane in the group
  wire [H-1:0] some_later;
  wire wrap = some_later == {H{1'b0}};
  wire [LANES-1:0] pick;
  wire [LANES-1:0] above_pick;
  wire any = insist_q || some != {H{1'b0}};
  wire [LW-1:0] pick_lane;
  wire pick_turn = pick_turns_q[pick_lane_q];
  wire pick_valid = pick_any_q && !(pick_took_q && pick_lane_q == pick_done_q);

  genvar i;
  generate
    for (i = 0; i < H; i = i + 1) begin : g_some
      localparam integer N = (LANES - 4 * i < 4) ? LANES - 4 * i : 4;
      assign some[i] = present_q[4*i +: N] != {N{1'b0}};
      assign some_later[i] = later[4*i +: N] != {N{1'b0}};
    end
    for (i = 0; i < LANES; i = i + 1) begin : g_pick
      localparam integer AT = i / 4;
      localparam integer N = i % 4;
      wire first;
      wire first_later;
      wire all;                                         // it may be any, or a later one
      wire all_later;
      if (N > 0) begin : g_later
        assign first = present_q[i] && present_q[4*AT +: N] == {N{1'b0}};
        assign first_later = later[i] && later[4*AT +: N] == {N{1'b0}};
      end else begin : g_first
        assign first = present_q[i];
        assign first_later = later[i];
      end
      if (AT > 0) begin : g_groups
        assign all = !insist_q && wrap && some[AT-1:0] == {AT{1'b0}};
        assign all_later = !insist_q && some_later[AT-1:0] == {AT{1'b0}};
      end else begin : g_none
        assign all = !insist_q && wrap;
        assign all_later = !insist_q;
      end
      assign pick[i] = (insist_q && turn_q[i]) || (first && all) || (first_later && all_later);
      if (i > 0) begin : g_above
        assign above_pick[i] = pick[i-1:0] != {i{1'b0}};
      end else begin : g_lowest
        assign above_pick[i] = 1'b0;
      end
    end
  endgenerate

  loom_encode #(.N(LANES), .W(LW)) u_encode (
    .clk_i(clk_i), .rst_i(rst_i), .onehot_i(pick), .index_o(pick_lane)
  );

  // The records, once for the look and once for the booking.
  wire [TW-1:0] target;
  wire [VW-1:0] vl;
  wire [INFO_W-1:0] info;

  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(TW + VW)) u_record (
    .clk_i(clk_i), .we_i(event_i), .waddr_i(lane_i[LW-1:0]),
    .wdata_i({target_i[TW-1:0], vl_i[VW-1:0]}),
    .raddr_i(pick_lane_q), .rdata_o({target, vl})
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(INFO_W)) u_info (
    .clk_i(clk_i), .we_i(event_i), .waddr_i(lane_i[LW-1:0]), .wdata_i(info_i),
    .raddr_i(ask_lane_q), .rdata_o(info)
  );

  // Look: first the bits of each lane in each group of four targets, then one of them.
  wire [(1 << VW)*G-1:0] word;
  wire [RW-1:0] refuse;
  wire [RW-1:0] look_vl_r;
  wire [1:0] place;
  wire [GW-1:0] group;
  wire refused = refuse == look_vl_r && !(look_turn_q && mine_q);
  wire good = look_valid_q && word[{look_vl_q, group}] && !refused;
  wire open = ready_i && !took_i;                       // it may be granted in the next cycle
  wire mine = known_i && mine_i;

  genvar g;
  generate
    if (TW > 2) begin : g_groups
      assign {group, place} = look_target_q;
    end else begin : g_one_group
      assign group = 1'b0;
      assign place[TW-1:0] = look_target_q;
      if (TW < 2) begin : g_two
        assign place[1] = 1'b0;
      end
    end
    if (RW > VW) begin : g_wider
      assign look_vl_r = {1'b0, look_vl_q};
    end else begin : g_same
      assign look_vl_r = look_vl_q;
    end
    for (i = 0; i < (1 << VW); i = i + 1) begin : g_lane
      wire [PADDED-1:0] room;
      if (i < VLS) begin : g_room
        assign room[PORTS-1:0] = room_i[i*PORTS +: PORTS];
        if (PADDED > PORTS) begin : g_pad
          assign room[PADDED-1:PORTS] = {(PADDED - PORTS){1'b0}};
        end
      end else begin : g_none
        assign room = {PADDED{1'b0}};
      end
      for (g = 0; g < G; g = g + 1) begin : g_group
        wire [3:0] four = room[4*g +: 4];
        assign word[i*G + g] = four[place];
      end
    end
    for (i = 0; i < RW; i = i + 1) begin : g_refuse
      wire [PORTS-1:0] bits = refuse_i[i*PORTS +: PORTS];
      assign refuse[i] = bits[look_target_q];
    end
  endgenerate

  // Only the assertions look at the upper bits.
  wire unused_bits = &{1'b0, lane_i, target_i, vl_i, refuse_i};

  wire [LANES-1:0] event_hot = event_i ? HOT0 << lane_i : NONE;
  wire [LANES-1:0] done_hot = HOT0 << done_lane_q;
  wire turn_here = (present_q & turn_q) != NONE;

  always @(posedge clk_i) begin
    if (rst_i) begin
      present_q <= NONE;
      turn_q <= HOT0;
      turn_target_q <= {TW{1'b0}};
      turn_vl_q <= {VW{1'b0}};
      mine_q <= 1'b0;
      insist_q <= 1'b0;
      after_q <= NONE;
      pick_any_q <= 1'b0;
      look_valid_q <= 1'b0;
      offer_q <= {PORTS{1'b0}};
    end else begin
      present_q <= (present_q & ~(took_i ? done_hot : NONE)) | event_hot;
      if (!turn_here) turn_q <= (turn_q << 1) | (turn_q >> (LANES - 1));
      if (look_valid_q && look_turn_q) begin
        turn_target_q <= look_target_q;
        turn_vl_q <= look_vl_q;
      end
      mine_q <= mine;
      insist_q <= known_i && mine_room_i && !kill;
      if (any) after_q <= above_pick;
      pick_any_q <= any;
      look_valid_q <= pick_valid && !pick_gone;
      offer_q <= good && open ? TARGET0 << look_target_q : {PORTS{1'b0}};
    end
    pick_lane_q <= pick_lane;
    pick_took_q <= took_i;
    pick_done_q <= done_lane_q;
    pick_turns_q <= turn_q;
    look_lane_q <= pick_lane_q;
    look_turn_q <= pick_turn;
    look_target_q <= target;
    look_vl_q <= vl;
    ask_lane_q <= look_lane_q;
    ask_target_q <= look_target_q;
    ask_vl_q <= look_vl_q;
    done_lane_q <= ask_lane_q;
    done_target_q <= ask_target_q;
    done_vl_q <= ask_vl_q;
    done_info_q <= info;
  end

  function [4:0] lane5;                                 // a lane in five bits
    input [LW-1:0] lane;
    begin
      lane5 = 5'd0;
      lane5[LW-1:0] = lane;
    end
  endfunction

  function [4:0] vl5;                                   // one of a target
    input [VW-1:0] lane;
    begin
      vl5 = 5'd0;
      vl5[VW-1:0] = lane;
    end
  endfunction

  assign known_d_o = (known_i || (look_valid_q && look_turn_q)) && !kill;
  assign turn_target_o = turn_target_q;
  assign turn_vl_o = vl5(turn_vl_q);
  assign offer_o = offer_q;
  assign lane_o = lane5(done_lane_q);
  assign target_o = done_target_q;
  assign vl_o = vl5(done_vl_q);
  assign info_o = done_info_q;

  `LOOM_ASSERT(only_heads_are_booked, !took_i || (present_q & done_hot) != NONE)
  `LOOM_ASSERT(one_lane_has_the_turn, turn_q != NONE && (turn_q & -turn_q) == turn_q)
  `LOOM_ASSERT(known_with_a_head, !known_i || turn_here)

endmodule

`default_nettype wire
