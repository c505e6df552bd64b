// SPDX-License-Identifier: Apache-2.0

// loom_pipelined_alloc: says which packet of which input goes to which output next, in five
//   stages.
//
// Contract: head_event_i tells of the head of a lane that has none, later than the take_o of the
//   one before. A ready source or target takes what is booked two cycles later; source_ready_i and
//   target_ready_i count a booking from the cycle after it, room_i from the second cycle after it.
//   take_o and book_o show a booking in one cycle; no head is booked twice, no source twice at
//   once.
// Algorithm: in each cycle a source offers one of its heads (loom_pipelined_alloc_source) and a
//   target grants one offer (loom_pipelined_alloc_target). A source that was passed over for
//   PATIENCE bookings is held for: others are refused the lane that it waits for, and it offers
//   nothing else while there is room.
// Latency: from head_event_i to take_o 5 cycles. Bookings of a port are 3 cycles apart or more.
// Wait bound: docs/allocation.md, section The turn and the hold.
// Parameters: PORTS (sources, and targets, 2..48), LANES (of each, 1..32), INFO_W (bits of side
//   information of a head, 1..48), PATIENCE (bookings until a target holds, 1..255).
// Realises: OP-11, SC-01; probes hold, known.
// Page: docs/allocation.md, section pipelined_alloc.
`default_nettype none
`include "loom_assert.vh"

module loom_pipelined_alloc #(
  parameter integer PORTS    = 8,
  parameter integer LANES    = 9,
  parameter integer INFO_W   = 12,
  parameter integer PATIENCE = 32
) (
  input  wire                    clk_i,
  input  wire                    rst_i,
  input  wire [PORTS-1:0]        head_event_i,
  input  wire [PORTS*5-1:0]      head_lane_i,
  input  wire [PORTS*6-1:0]      head_target_i,
  input  wire [PORTS*5-1:0]      head_vl_i,
  input  wire [PORTS*INFO_W-1:0] head_info_i,
  input  wire [PORTS-1:0]        source_ready_i,
  input  wire [PORTS-1:0]        target_ready_i,
  input  wire [PORTS*LANES-1:0]  room_i,
  output wire [PORTS-1:0]        take_o,
  output wire [PORTS*5-1:0]      take_lane_o,
  output wire [PORTS*6-1:0]      take_target_o,
  output wire [PORTS-1:0]        book_o,
  output wire [PORTS*6-1:0]      book_source_o,
  output wire [PORTS*5-1:0]      book_vl_o,
  output wire [PORTS*INFO_W-1:0] book_info_o
);

  generate
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_pipelined_alloc_PORTS_must_be_2_to_48 u_error ();
    end
    if (LANES < 1 || LANES > 32) begin : g_bad_lanes
      loom_pipelined_alloc_LANES_must_be_1_to_32 u_error ();
    end
    if (INFO_W < 1 || INFO_W > 48) begin : g_bad_info_w
      loom_pipelined_alloc_INFO_W_must_be_1_to_48 u_error ();
    end
    if (PATIENCE < 1 || PATIENCE > 255) begin : g_bad_patience
      loom_pipelined_alloc_PATIENCE_must_be_1_to_255 u_error ();
    end
  endgenerate

  localparam integer P = PORTS;
  localparam integer TW = $clog2(PORTS);
  localparam integer H = (PORTS + 1) / 2;

  reg [P-1:0] known_q;                  // sources: the record of the head with the turn was read
  reg [P-1:0] hold_q;                   // targets: a lane is refused to all but the source due

  wire [P-1:0] known;
  wire [P-1:0] hold;
  wire [P-1:0] hold_room;
  wire [P-1:0] took;

  // Of all ports; those that are picked from by the number of a port have a vector of ports a bit.
  wire [P*P-1:0] offer;                 // [source][target]
  wire [P*P-1:0] grant;                 // [target][source]
  wire [P*P-1:0] grant_to;              // [source][target]
  wire [P*P-1:0] next_grant;            // [target][source]: the registers of grant take it
  reg [H*P-1:0] took_q;                 // [source][pair of targets]
  wire [H*P-1:0] next_took;
  wire [5*P-1:0] done_vl;               // of each bit, a bit a source; the same below
  wire [INFO_W*P-1:0] done_info;
  wire [P*P-1:0] turn_to;               // [target][source]
  wire [5*P-1:0] turn_vl;
  wire [P*P-1:0] due;                   // [source][target]
  wire [6*P-1:0] refuse;
  wire [LANES*P-1:0] room;

  always @(posedge clk_i) begin
    if (rst_i) begin
      known_q <= {P{1'b0}};
      hold_q <= {P{1'b0}};
      took_q <= {(H * P){1'b0}};
    end else begin
      took_q <= next_took;
      known_q <= known;
      hold_q <= hold;
    end
  end

  genvar s;
  genvar t;
  genvar b;
  generate
    for (s = 0; s < P; s = s + 1) begin : g_source
      wire [TW-1:0] its_target;
      wire [4:0] its_vl;
      wire [4:0] lane;
      wire [TW-1:0] target;
      wire [4:0] vl;
      wire [INFO_W-1:0] info;

      loom_pipelined_alloc_source #(
        .PORTS(PORTS),
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
        .room_i(room),
        .refuse_i(refuse),
        .mine_i((due[s*P +: P] & hold_q) != {P{1'b0}}),
        .mine_room_i((due[s*P +: P] & hold_room) != {P{1'b0}}),
        .known_i(known_q[s]),
        .known_d_o(known[s]),
        .turn_target_o(its_target),
        .turn_vl_o(its_vl),
        .offer_o(offer[s*P +: P]),
        .lane_o(lane),
        .target_o(target),
        .vl_o(vl),
        .info_o(info)
      );

      // Of pairs, as this is the beginning of the long path.
      assign took[s] = took_q[s*H +: H] != {H{1'b0}};
      for (t = 0; t < H; t = t + 1) begin : g_pair
        if (2 * t + 1 < P) begin : g_two
          assign next_took[s*H + t] = next_grant[2*t*P + s] || next_grant[(2*t + 1)*P + s];
        end else begin : g_one
          assign next_took[s*H + t] = next_grant[2*t*P + s];
        end
      end
      assign take_lane_o[s*5 +: 5] = took[s] ? lane : 5'd0;
      assign take_target_o[s*6 +: 6] = took[s] ? {{(6 - TW){1'b0}}, target} : 6'd0;
      for (t = 0; t < P; t = t + 1) begin : g_turn
        localparam [TW-1:0] T = t;
        assign turn_to[t*P + s] = known_q[s] && its_target == T;
      end
      for (b = 0; b < 5; b = b + 1) begin : g_vl
        assign turn_vl[b*P + s] = its_vl[b];
        assign done_vl[b*P + s] = vl[b];
      end
      for (b = 0; b < INFO_W; b = b + 1) begin : g_info
        assign done_info[b*P + s] = info[b];
      end
    end

    for (t = 0; t < P; t = t + 1) begin : g_target
      wire [P-1:0] request;
      wire [P-1:0] its_due;
      wire [5:0] its_refuse;

      for (s = 0; s < P; s = s + 1) begin : g_request
        assign request[s] = offer[s*P + t] && !took[s];
        assign grant_to[s*P + t] = grant[t*P + s];
      end

      loom_pipelined_alloc_target #(
        .PORTS(PORTS),
        .LANES(LANES),
        .PATIENCE(PATIENCE)
      ) u_target (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .ready_i(target_ready_i[t]),
        .room_i(room_i[t*LANES +: LANES]),
        .request_i(request),
        .took_i(took),
        .turn_here_i(turn_to[t*P +: P]),
        .turn_vl_i(turn_vl),
        .booked_o(book_o[t]),
        .grant_o(grant[t*P +: P]),
        .grant_d_o(next_grant[t*P +: P]),
        .due_o(its_due),
        .refuse_o(its_refuse),
        .hold_d_o(hold[t]),
        .hold_room_o(hold_room[t])
      );
      loom_encode #(.N(P), .W(6)) u_encode (
        .clk_i(clk_i), .rst_i(rst_i), .onehot_i(grant[t*P +: P]), .index_o(book_source_o[t*6 +: 6])
      );

      for (s = 0; s < P; s = s + 1) begin : g_due
        assign due[s*P + t] = its_due[s];
      end
      for (b = 0; b < 6; b = b + 1) begin : g_refuse
        assign refuse[b*P + t] = its_refuse[b];
      end
      for (b = 0; b < LANES; b = b + 1) begin : g_room
        assign room[b*P + t] = room_i[t*LANES + b];
      end

      // What goes with the booking comes from the source that was granted.
      for (b = 0; b < 5; b = b + 1) begin : g_vl
        assign book_vl_o[t*5 + b] = (grant[t*P +: P] & done_vl[b*P +: P]) != {P{1'b0}};
      end
      for (b = 0; b < INFO_W; b = b + 1) begin : g_info
        assign book_info_o[t*INFO_W + b] = (grant[t*P +: P] & done_info[b*P +: P]) != {P{1'b0}};
      end
    end
  endgenerate

  assign take_o = took;

  // Only the assertions look at it.
  wire unused_grant_to = &{1'b0, grant_to};

  genvar a;
  generate
    for (a = 0; a < P; a = a + 1) begin : g_promise
      `LOOM_ASSERT(a_source_is_booked_once,
          (grant_to[a*P +: P] & -grant_to[a*P +: P]) == grant_to[a*P +: P])
      `LOOM_ASSERT(taken_as_granted, took[a] == (grant_to[a*P +: P] != {P{1'b0}}))
    end
  endgenerate

endmodule

`default_nettype wire
