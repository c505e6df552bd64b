// SPDX-License-Identifier: Apache-2.0

// loom_mport_alloc: says which packet of which input or central unit goes to which output or
//   central unit of the Omni-Path switch next, in five stages.
//
// Contract: that of loom_pipelined_alloc, but with lists. Ports are 4 MPORTS inputs (outputs), then
//   2 MPORTS central units. An input names the four outputs of its MPort 0..3 and its two central
//   units 4, 5; a central unit names each output, but never one of its own MPort. A target names
//   its sources: the four inputs of its MPort 0..3, an output central unit b besides, 4 + b.
// Algorithm: that of loom_pipelined_alloc, with its sources and targets. An output has no wires for
//   the two central units of its own MPort, but keeps their places: who is due passes by them.
// Latency: from head_event_i to take_o 5 cycles. Bookings of a port are 3 cycles apart or more.
// Wait bound: docs/allocation.md, section The turn and the hold, with 4 + 2 MPORTS for PORTS.
// Parameters: MPORTS (2..12), LANES (of each target and input, 1..32), QUEUES (a central unit as a
//   source has so many times LANES: 1 or 2, at most 32 / LANES), INFO_W (bits of side information
//   of a head, 1..48), PATIENCE (bookings until a target holds, 1..255).
// Realises: OP-01, OP-11, SC-01; probes hold, central_hold, known, central_known.
// Page: docs/mport_switch.md, section mport_alloc.
`default_nettype none
`include "loom_assert.vh"

module loom_mport_alloc #(
  parameter integer MPORTS   = 2,
  parameter integer LANES    = 9,
  parameter integer QUEUES   = 1,
  parameter integer INFO_W   = 34,
  parameter integer PATIENCE = 32
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  input  wire [6*MPORTS-1:0]        head_event_i,
  input  wire [6*MPORTS*5-1:0]      head_lane_i,
  input  wire [6*MPORTS*6-1:0]      head_target_i,
  input  wire [6*MPORTS*5-1:0]      head_vl_i,
  input  wire [6*MPORTS*INFO_W-1:0] head_info_i,
  input  wire [6*MPORTS-1:0]        source_ready_i,
  input  wire [6*MPORTS-1:0]        target_ready_i,
  input  wire [6*MPORTS*LANES-1:0]  room_i,
  output wire [6*MPORTS-1:0]        take_o,
  output wire [6*MPORTS*5-1:0]      take_lane_o,
  output wire [6*MPORTS*6-1:0]      take_target_o,
  output wire [6*MPORTS-1:0]        book_o,
  output wire [6*MPORTS*6-1:0]      book_source_o,
  output wire [6*MPORTS*5-1:0]      book_vl_o,
  output wire [6*MPORTS*INFO_W-1:0] book_info_o
);

  generate
    if (MPORTS < 2 || MPORTS > 12) begin : g_bad_mports
      loom_mport_alloc_MPORTS_must_be_2_to_12 u_error ();
    end
    if (LANES < 1 || LANES > 32) begin : g_bad_lanes
      loom_mport_alloc_LANES_must_be_1_to_32 u_error ();
    end
    if (QUEUES < 1 || QUEUES > 2 || QUEUES * LANES > 32) begin : g_bad_queues
      loom_mport_alloc_QUEUES_must_be_1_or_2_and_at_most_32_by_LANES u_error ();
    end
    if (INFO_W < 1 || INFO_W > 48) begin : g_bad_info_w
      loom_mport_alloc_INFO_W_must_be_1_to_48 u_error ();
    end
    if (PATIENCE < 1 || PATIENCE > 255) begin : g_bad_patience
      loom_mport_alloc_PATIENCE_must_be_1_to_255 u_error ();
    end
  endgenerate

  localparam integer P = 4 * MPORTS;    // inputs, and outputs
  localparam integer C = 2 * MPORTS;    // central units
  localparam integer N = P + C;
  localparam integer S = 4 + C;         // sources of an output
  localparam integer TW = $clog2(P);    // number of an output; that of an input's target has 3 bits
  localparam integer IH = 3;            // pairs of targets, of an input
  localparam integer CH = P / 2;        // and of a central unit

  genvar d;
  generate
    for (d = 0; d < C; d = d + 1) begin : g_duty
      `LOOM_REQUIRE(event_names_another_mport,
          !head_event_i[P + d] || {28'd0, head_target_i[(P + d)*6 + 2 +: 4]} != d / 2)
    end
  endgenerate

  reg [P-1:0] known_q;                  // inputs: the record of the head with the turn was read
  reg [C-1:0] central_known_q;
  reg [P-1:0] hold_q;                   // outputs: a lane is refused to all but the source due
  reg [C-1:0] central_hold_q;

  wire [P-1:0] known;
  wire [C-1:0] central_known;
  wire [P-1:0] hold;
  wire [C-1:0] central_hold;
  wire [P-1:0] hold_room;
  wire [C-1:0] central_hold_room;

  // Of sources, inputs first; and what is asked of them by the number of a target.
  wire [N-1:0] took;
  wire [5*N-1:0] done_vl;               // of each bit, a bit a source; the same below
  wire [INFO_W*N-1:0] done_info;
  wire [5*N-1:0] turn_vl;
  wire [6*P-1:0] offer;                 // [input][its target]
  wire [6*P-1:0] turn_to;
  wire [P*C-1:0] central_offer;         // [central unit][output]
  wire [P*C-1:0] central_turn_to;

  // Of targets, by the number of a source, with nothing from an output to its own central units.
  wire [6*P-1:0] due;                   // [input][its target]
  wire [6*P-1:0] next_grant;            // the registers of grant take it
  wire [6*P-1:0] grant_to;
  wire [P*C-1:0] central_due;           // [central unit][output]
  wire [P*C-1:0] central_next_grant;
  wire [P*C-1:0] central_grant_to;
  reg [IH*P-1:0] took_q;                // [input][pair of targets]
  wire [IH*P-1:0] next_took;
  reg [CH*C-1:0] central_took_q;        // [central unit][pair of outputs]
  wire [CH*C-1:0] next_central_took;
  wire [6*P-1:0] refuse;                // of each bit, a bit an output
  wire [6*C-1:0] central_refuse;        // and a bit a central unit
  wire [LANES*P-1:0] room;              // of each lane, a bit an output
  wire [LANES*C-1:0] central_room;      // and a bit a central unit

  always @(posedge clk_i) begin
    if (rst_i) begin
      known_q <= {P{1'b0}};
      central_known_q <= {C{1'b0}};
      hold_q <= {P{1'b0}};
      central_hold_q <= {C{1'b0}};
      took_q <= {(IH * P){1'b0}};
      central_took_q <= {(CH * C){1'b0}};
    end else begin
      known_q <= known;
      central_known_q <= central_known;
      hold_q <= hold;
      central_hold_q <= central_hold;
      took_q <= next_took;
      central_took_q <= next_central_took;
    end
  end

  genvar s;
  genvar t;
  genvar b;
  generate
    for (s = 0; s < P; s = s + 1) begin : g_input
      localparam integer M = s / 4;
      wire [2:0] its_target;
      wire [4:0] its_vl;
      wire [4:0] lane;
      wire [2:0] target;
      wire [4:0] vl;
      wire [INFO_W-1:0] info;
      wire [6*LANES-1:0] its_room;
      wire [6*6-1:0] its_refuse;
      wire [5:0] held = {central_hold_q[2*M +: 2], hold_q[4*M +: 4]};
      wire [5:0] held_room = {central_hold_room[2*M +: 2], hold_room[4*M +: 4]};

      for (b = 0; b < LANES; b = b + 1) begin : g_room
        assign its_room[b*6 +: 6] = {central_room[b*C + 2*M +: 2], room[b*P + 4*M +: 4]};
      end
      for (b = 0; b < 6; b = b + 1) begin : g_refuse
        assign its_refuse[b*6 +: 6] = {central_refuse[b*C + 2*M +: 2], refuse[b*P + 4*M +: 4]};
      end

      loom_pipelined_alloc_source #(
        .PORTS(6),
        .LANES(LANES),
        .VLS(LANES),
        .INFO_W(INFO_W)
      ) u_source (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .event_i(head_event_i[s]),
        .lane_i(head_lane_i[s*5 +: 5]),
        .target_i(head_target_i[s*6 +: 6]),
        .vl_i(head_vl_i[s*5 +: 5]),
        .info_i(head_info_i[s*INFO_W +: INFO_W]),
        .ready_i(source_ready_i[s]),
        .took_i(took[s]),
        .room_i(its_room),
        .refuse_i(its_refuse),
        .mine_i((due[s*6 +: 6] & held) != 6'd0),
        .mine_room_i((due[s*6 +: 6] & held_room) != 6'd0),
        .known_i(known_q[s]),
        .known_d_o(known[s]),
        .turn_target_o(its_target),
        .turn_vl_o(its_vl),
        .offer_o(offer[s*6 +: 6]),
        .lane_o(lane),
        .target_o(target),
        .vl_o(vl),
        .info_o(info)
      );

      // Of pairs, as this is the beginning of the long path.
      assign took[s] = took_q[s*IH +: IH] != {IH{1'b0}};
      for (t = 0; t < IH; t = t + 1) begin : g_pair
        assign next_took[s*IH + t] = next_grant[s*6 + 2*t +: 2] != 2'b00;
      end
      assign take_lane_o[s*5 +: 5] = took[s] ? lane : 5'd0;
      assign take_target_o[s*6 +: 6] = took[s] ? {3'd0, target} : 6'd0;
      for (t = 0; t < 6; t = t + 1) begin : g_turn
        localparam [2:0] T = t;
        assign turn_to[s*6 + t] = known_q[s] && its_target == T;
      end
      for (b = 0; b < 5; b = b + 1) begin : g_vl
        assign turn_vl[b*N + s] = its_vl[b];
        assign done_vl[b*N + s] = vl[b];
      end
      for (b = 0; b < INFO_W; b = b + 1) begin : g_info
        assign done_info[b*N + s] = info[b];
      end
    end

    for (s = 0; s < C; s = s + 1) begin : g_central
      localparam integer M = s / 2;
      localparam integer AT = P + s;
      localparam [P-1:0] FOUR = 15;
      localparam [P-1:0] OTHERS = ~(FOUR << 4 * M);     // not the outputs of its own MPort
      wire [TW-1:0] its_target;
      wire [4:0] its_vl;
      wire [4:0] lane;
      wire [TW-1:0] target;
      wire [4:0] vl;
      wire [INFO_W-1:0] info;
      wire [P*LANES-1:0] its_room = room & {LANES{OTHERS}};
      wire [6*P-1:0] its_refuse = refuse & {6{OTHERS}};

      loom_pipelined_alloc_source #(
        .PORTS(P),
        .LANES(QUEUES * LANES),
        .VLS(LANES),
        .INFO_W(INFO_W)
      ) u_source (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .event_i(head_event_i[AT]),
        .lane_i(head_lane_i[AT*5 +: 5]),
        .target_i(head_target_i[AT*6 +: 6]),
        .vl_i(head_vl_i[AT*5 +: 5]),
        .info_i(head_info_i[AT*INFO_W +: INFO_W]),
        .ready_i(source_ready_i[AT]),
        .took_i(took[AT]),
        .room_i(its_room),
        .refuse_i(its_refuse),
        .mine_i((central_due[s*P +: P] & hold_q) != {P{1'b0}}),
        .mine_room_i((central_due[s*P +: P] & hold_room) != {P{1'b0}}),
        .known_i(central_known_q[s]),
        .known_d_o(central_known[s]),
        .turn_target_o(its_target),
        .turn_vl_o(its_vl),
        .offer_o(central_offer[s*P +: P]),
        .lane_o(lane),
        .target_o(target),
        .vl_o(vl),
        .info_o(info)
      );

      assign took[AT] = central_took_q[s*CH +: CH] != {CH{1'b0}};
      for (t = 0; t < CH; t = t + 1) begin : g_pair
        assign next_central_took[s*CH + t] = central_next_grant[s*P + 2*t +: 2] != 2'b00;
      end
      assign take_lane_o[AT*5 +: 5] = took[AT] ? lane : 5'd0;
      assign take_target_o[AT*6 +: 6] = took[AT] ? {{(6 - TW){1'b0}}, target} : 6'd0;
      for (t = 0; t < P; t = t + 1) begin : g_turn
        localparam [TW-1:0] T = t;
        assign central_turn_to[s*P + t] = central_known_q[s] && its_target == T;
      end
      for (b = 0; b < 5; b = b + 1) begin : g_vl
        assign turn_vl[b*N + AT] = its_vl[b];
        assign done_vl[b*N + AT] = vl[b];
      end
      for (b = 0; b < INFO_W; b = b + 1) begin : g_info
        assign done_info[b*N + AT] = info[b];
      end
    end

    for (t = 0; t < P; t = t + 1) begin : g_output
      localparam integer M = t / 4;
      wire [S-1:0] request;
      wire [S-1:0] its_took;
      wire [S-1:0] turn_here;
      wire [5*S-1:0] its_turn_vl;
      wire [S-1:0] its_due;
      wire [S-1:0] grant;
      wire [S-1:0] its_next_grant;
      wire [5:0] its_refuse;

      for (s = 0; s < 4; s = s + 1) begin : g_from_input
        localparam integer AT = (4 * M + s) * 6 + t % 4;
        assign request[s] = offer[AT] && !took[4*M + s];
        assign its_took[s] = took[4*M + s];
        assign turn_here[s] = turn_to[AT];
        assign due[AT] = its_due[s];
        assign next_grant[AT] = its_next_grant[s];
        assign grant_to[AT] = grant[s];
      end
      for (s = 0; s < C; s = s + 1) begin : g_from_central
        localparam integer AT = s * P + t;
        if (s / 2 == M) begin : g_none
          assign request[4 + s] = 1'b0;
          assign its_took[4 + s] = 1'b0;
          assign turn_here[4 + s] = 1'b0;
          assign central_due[AT] = 1'b0;
          assign central_next_grant[AT] = 1'b0;
          assign central_grant_to[AT] = 1'b0;
          wire unused_bits = &{1'b0, central_offer[AT], central_turn_to[AT], its_due[4 + s],
              its_next_grant[4 + s], grant[4 + s]};
        end else begin : g_other
          assign request[4 + s] = central_offer[AT] && !took[P + s];
          assign its_took[4 + s] = took[P + s];
          assign turn_here[4 + s] = central_turn_to[AT];
          assign central_due[AT] = its_due[4 + s];
          assign central_next_grant[AT] = its_next_grant[4 + s];
          assign central_grant_to[AT] = grant[4 + s];
        end
      end
      for (b = 0; b < 5; b = b + 1) begin : g_turn_vl
        assign its_turn_vl[b*S +: S] = {turn_vl[b*N + P +: C], turn_vl[b*N + 4*M +: 4]};
      end

      loom_pipelined_alloc_target #(
        .PORTS(S),
        .LANES(LANES),
        .PATIENCE(PATIENCE)
      ) u_target (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .ready_i(target_ready_i[t]),
        .room_i(room_i[t*LANES +: LANES]),
        .request_i(request),
        .took_i(its_took),
        .turn_here_i(turn_here),
        .turn_vl_i(its_turn_vl),
        .booked_o(book_o[t]),
        .grant_o(grant),
        .grant_d_o(its_next_grant),
        .due_o(its_due),
        .refuse_o(its_refuse),
        .hold_d_o(hold[t]),
        .hold_room_o(hold_room[t])
      );
      loom_encode #(.N(S), .W(6)) u_encode (
        .clk_i(clk_i), .rst_i(rst_i), .onehot_i(grant), .index_o(book_source_o[t*6 +: 6])
      );

      for (b = 0; b < 6; b = b + 1) begin : g_refuse
        assign refuse[b*P + t] = its_refuse[b];
      end
      for (b = 0; b < LANES; b = b + 1) begin : g_room
        assign room[b*P + t] = room_i[t*LANES + b];
      end

      // What goes with the booking comes from the source that was granted.
      for (b = 0; b < 5; b = b + 1) begin : g_vl
        wire [S-1:0] its_bits = {done_vl[b*N + P +: C], done_vl[b*N + 4*M +: 4]};
        assign book_vl_o[t*5 + b] = (grant & its_bits) != {S{1'b0}};
      end
      for (b = 0; b < INFO_W; b = b + 1) begin : g_info
        wire [S-1:0] its_bits = {done_info[b*N + P +: C], done_info[b*N + 4*M +: 4]};
        assign book_info_o[t*INFO_W + b] = (grant & its_bits) != {S{1'b0}};
      end
    end

    for (t = 0; t < C; t = t + 1) begin : g_centre
      localparam integer M = t / 2;
      localparam integer AT = P + t;
      wire [3:0] request;
      wire [3:0] turn_here;
      wire [5*4-1:0] its_turn_vl;
      wire [3:0] its_due;
      wire [3:0] grant;
      wire [3:0] its_next_grant;
      wire [5:0] its_refuse;

      for (s = 0; s < 4; s = s + 1) begin : g_from_input
        localparam integer FROM = (4 * M + s) * 6 + 4 + t % 2;
        assign request[s] = offer[FROM] && !took[4*M + s];
        assign turn_here[s] = turn_to[FROM];
        assign due[FROM] = its_due[s];
        assign next_grant[FROM] = its_next_grant[s];
        assign grant_to[FROM] = grant[s];
      end
      for (b = 0; b < 5; b = b + 1) begin : g_turn_vl
        assign its_turn_vl[b*4 +: 4] = turn_vl[b*N + 4*M +: 4];
      end

      loom_pipelined_alloc_target #(
        .PORTS(4),
        .LANES(LANES),
        .PATIENCE(PATIENCE)
      ) u_target (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .ready_i(target_ready_i[AT]),
        .room_i(room_i[AT*LANES +: LANES]),
        .request_i(request),
        .took_i(took[4*M +: 4]),
        .turn_here_i(turn_here),
        .turn_vl_i(its_turn_vl),
        .booked_o(book_o[AT]),
        .grant_o(grant),
        .grant_d_o(its_next_grant),
        .due_o(its_due),
        .refuse_o(its_refuse),
        .hold_d_o(central_hold[t]),
        .hold_room_o(central_hold_room[t])
      );
      loom_encode #(.N(4), .W(6)) u_encode (
        .clk_i(clk_i), .rst_i(rst_i), .onehot_i(grant), .index_o(book_source_o[AT*6 +: 6])
      );

      for (b = 0; b < 6; b = b + 1) begin : g_refuse
        assign central_refuse[b*C + t] = its_refuse[b];
      end
      for (b = 0; b < LANES; b = b + 1) begin : g_room
        assign central_room[b*C + t] = room_i[AT*LANES + b];
      end
      for (b = 0; b < 5; b = b + 1) begin : g_vl
        assign book_vl_o[AT*5 + b] = (grant & done_vl[b*N + 4*M +: 4]) != 4'd0;
      end
      for (b = 0; b < INFO_W; b = b + 1) begin : g_info
        assign book_info_o[AT*INFO_W + b] = (grant & done_info[b*N + 4*M +: 4]) != 4'd0;
      end
    end
  endgenerate

  assign take_o = took;

  // Only the assertions look at them.
  wire unused_grants = &{1'b0, grant_to, central_grant_to};

  genvar a;
  generate
    for (a = 0; a < P; a = a + 1) begin : g_promise
      `LOOM_ASSERT(an_input_is_booked_once,
          (grant_to[a*6 +: 6] & -grant_to[a*6 +: 6]) == grant_to[a*6 +: 6])
      `LOOM_ASSERT(taken_as_granted, took[a] == (grant_to[a*6 +: 6] != 6'd0))
    end
    for (a = 0; a < C; a = a + 1) begin : g_central_promise
      `LOOM_ASSERT(a_central_unit_is_booked_once,
          (central_grant_to[a*P +: P] & -central_grant_to[a*P +: P]) == central_grant_to[a*P +: P])
      `LOOM_ASSERT(taken_as_granted, took[P + a] == (central_grant_to[a*P +: P] != {P{1'b0}}))
    end
  endgenerate

endmodule

`default_nettype wire
