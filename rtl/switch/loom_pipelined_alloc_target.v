// SPDX-License-Identifier: Apache-2.0

// loom_pipelined_alloc_target: one output of the pipelined allocation: it grants one offer a cycle
//   at most, and holds a lane for a source that was passed over for long.
//
// Inside: pipelined_alloc.
// Contract: request_i holds offers that found room one cycle ago, of sources that are ready. grant_o
//   is the one booked in this cycle. hold_d_o says that hold_vl_o will be refused, in the next
//   cycle, to all but the source due_o.
// Algorithm: loom_rr_arbiter for the grant; for the hold, a pointer that waits at a source whose
//   turn comes here, and a count of the bookings that went by.
// Latency: an offer in cycle c is booked in c + 1; three cycles between two grants.
// Wait bound: docs/allocation.md, section The turn and the hold.
// Parameters: PORTS (2..48), LANES (1..32), PATIENCE (bookings until it holds, 1..255), SELF
//   (number of this target, below PORTS).
// Realises: OP-11, SC-01.
// Page: docs/allocation.md, section Targets.
`default_nettype none
`include "loom_assert.vh"

module loom_pipelined_alloc_target #(
  parameter integer PORTS    = 8,
  parameter integer LANES    = 9,
  parameter integer PATIENCE = 32,
  parameter integer SELF     = 0
) (
  input  wire                           clk_i,
  input  wire                           rst_i,
  input  wire                           ready_i,
  input  wire [LANES-1:0]               room_i,
  input  wire [PORTS-1:0]               request_i,
  input  wire [PORTS-1:0]               took_i,
  input  wire [PORTS-1:0]               known_i,
  input  wire [$clog2(PORTS)*PORTS-1:0] turn_target_i,   // of each bit, a bit a source
  input  wire [5*PORTS-1:0]             turn_vl_i,       // the same
  output wire                           booked_o,
  output wire [PORTS-1:0]               grant_o,
  output wire [$clog2(PORTS)-1:0]       due_o,
  output wire [4:0]                     hold_vl_o,
  output wire                           hold_d_o,
  output wire                           hold_room_o
);

  localparam integer TW = $clog2(PORTS);
  localparam integer LW = (LANES > 1) ? $clog2(LANES) : 1;
  localparam integer CW = $clog2(PATIENCE + 1);
  localparam integer LAST_I = PORTS - 1;
  localparam [TW-1:0] LAST = LAST_I[TW-1:0];
  localparam [TW-1:0] SELF_C = SELF[TW-1:0];
  localparam [TW-1:0] T_ONE = 1;
  localparam [TW-1:0] T_ZERO = 0;
  localparam [CW-1:0] FULL = PATIENCE[CW-1:0];
  localparam [CW-1:0] C_ONE = 1;
  localparam [CW-1:0] C_ZERO = 0;
  localparam [PORTS-1:0] NONE = 0;

  reg [PORTS-1:0] grant_q;
  reg [1:0] rest_q;
  reg ready_q;
  reg booked_q;
  reg [LANES-1:0] was_q;
  reg [TW-1:0] due_q;
  reg [CW-1:0] count_q;
  reg hold_room_q;
  reg [LW-1:0] hold_vl_q;

  // Grant.
  wire fell = (was_q & ~room_i) != {LANES{1'b0}};
  wire may = ready_q && !booked_q && !rest_q[0] && !(rest_q[1] && fell);
  wire [PORTS-1:0] request = request_i & {PORTS{may}};
  wire [PORTS-1:0] grant;

  loom_rr_arbiter #(.N(PORTS)) u_arbiter (
    .clk_i(clk_i), .rst_i(rst_i), .request_i(request), .advance_i(1'b1), .grant_o(grant)
  );

  // The source that is due.
  wire [TW-1:0] its_target;
  wire [LW-1:0] its_vl;
  wire here = known_i[due_q] && its_target == SELF_C;
  wire full = count_q == FULL;
  wire passed = booked_q || took_i[due_q];
  wire [(1 << LW)-1:0] room;

  genvar i;
  generate
    for (i = 0; i < TW; i = i + 1) begin : g_target
      wire [PORTS-1:0] bits = turn_target_i[i*PORTS +: PORTS];
      assign its_target[i] = bits[due_q];
    end
    for (i = 0; i < LW; i = i + 1) begin : g_vl
      wire [PORTS-1:0] bits = turn_vl_i[i*PORTS +: PORTS];
      assign its_vl[i] = bits[due_q];
    end
    for (i = 0; i < (1 << LW); i = i + 1) begin : g_room
      if (i < LANES) begin : g_lane
        assign room[i] = room_i[i];
      end else begin : g_none
        assign room[i] = 1'b0;
      end
    end
  endgenerate

  wire unused_bits = &{1'b0, turn_vl_i};

  always @(posedge clk_i) begin
    if (rst_i) begin
      grant_q <= NONE;
      booked_q <= 1'b0;
      rest_q <= 2'd0;
      ready_q <= 1'b0;
      was_q <= {LANES{1'b0}};
      due_q <= T_ZERO;
      count_q <= C_ZERO;
      hold_room_q <= 1'b0;
      hold_vl_q <= {LW{1'b0}};
    end else begin
      grant_q <= grant;
      booked_q <= request != NONE;
      rest_q <= {rest_q[0], booked_q};
      ready_q <= ready_i;
      was_q <= room_i;
      if (!here) due_q <= (due_q == LAST) ? T_ZERO : due_q + T_ONE;
      count_q <= !here ? C_ZERO : (passed && !full) ? count_q + C_ONE : count_q;
      hold_room_q <= here && full && room[its_vl];
      hold_vl_q <= its_vl;
    end
  end

  function [4:0] lane5;                                 // a lane in five bits
    input [LW-1:0] lane;
    begin
      lane5 = 5'd0;
      lane5[LW-1:0] = lane;
    end
  endfunction

  assign booked_o = booked_q;
  assign grant_o = grant_q;
  assign due_o = due_q;
  assign hold_vl_o = lane5(hold_vl_q);
  assign hold_d_o = here && full;
  assign hold_room_o = hold_room_q;

  `LOOM_ASSERT(grant_is_one_hot, (grant_q & -grant_q) == grant_q)
  `LOOM_ASSERT(booked_with_a_grant, booked_q == (grant_q != NONE))
  `LOOM_ASSERT(rests_after_a_booking, !booked_q || rest_q == 2'd0)

endmodule

`default_nettype wire
