// SPDX-License-Identifier: Apache-2.0

// loom_pipelined_alloc_target: one output of the pipelined allocation: it grants one offer a cycle
//   at most, and holds a lane for a source that was passed over for long.
//
// Inside: pipelined_alloc.
// Contract: request_i holds offers that found room one cycle ago, of sources that are ready.
//   grant_o is the one booked in this cycle. hold_d_o says that refuse_o will be, in the next
//   cycle, a lane that all are refused but the source due_o.
// Algorithm: the grant is the first offer after the last source, or the first of all; as nothing is
//   granted in the cycle after a grant, the position moves one cycle later, off the long path. For
//   the hold, a pointer waits at a source whose turn comes here, and a count of the bookings that
//   went by.
// Latency: an offer in cycle c is booked in c + 1; three cycles between two grants.
// Wait bound: docs/allocation.md, section The turn and the hold.
// Parameters: PORTS (2..48), LANES (1..32), PATIENCE (bookings until it holds, 1..255).
// Realises: OP-11, SC-01.
// Page: docs/allocation.md, section Targets.
`default_nettype none
`include "loom_assert.vh"

module loom_pipelined_alloc_target #(
  parameter integer PORTS    = 8,
  parameter integer LANES    = 9,
  parameter integer PATIENCE = 32
) (
  input  wire                           clk_i,
  input  wire                           rst_i,
  input  wire                           ready_i,
  input  wire [LANES-1:0]               room_i,
  input  wire [PORTS-1:0]               request_i,
  input  wire [PORTS-1:0]               took_i,
  input  wire [PORTS-1:0]               turn_here_i,     // its turn goes to this target
  input  wire [5*PORTS-1:0]             turn_vl_i,       // of each bit, a bit a source
  output wire                           booked_o,
  output wire [PORTS-1:0]               grant_o,
  output wire [PORTS-1:0]               grant_d_o,       // of the next cycle
  output wire [PORTS-1:0]               due_o,           // one bit
  output wire [5:0]                     refuse_o,        // the lane that is held, or all ones
  output wire                           hold_d_o,
  output wire                           hold_room_o
);

  localparam integer LW = (LANES > 1) ? $clog2(LANES) : 1;
  localparam integer RW = $clog2(LANES + 1);            // a lane, or none of them
  localparam integer CW = $clog2(PATIENCE + 1);
  localparam integer G = (PORTS + 3) / 4;               // groups of sources
  localparam [CW-1:0] FULL = PATIENCE[CW-1:0];
  localparam [CW-1:0] C_ONE = 1;
  localparam [CW-1:0] C_ZERO = 0;
  localparam [PORTS-1:0] NONE = 0;
  localparam [PORTS-1:0] HOT0 = 1;

  reg [PORTS-1:0] grant_q;
  reg [PORTS-1:0] after_q;                              // sources after the last one booked
  reg [1:0] rest_q;
  reg ready_q;
  reg booked_q;
  reg [LANES-1:0] was_q;
  reg [PORTS-1:0] due_q;                                // one bit
  reg [CW-1:0] count_q;
  reg hold_room_q;
  reg [RW-1:0] refuse_q;
  reg [LW-1:0] vl_q;                    // of the head that is due: old, but full means it stayed

  // Grant.
  wire fell = (was_q & ~room_i) != {LANES{1'b0}};
  wire may = ready_q && !booked_q && !rest_q[0] && !(rest_q[1] && fell);
  wire [PORTS-1:0] later = request_i & after_q;
  wire [PORTS-1:0] first;               // of its group of four
  wire [PORTS-1:0] first_later;
  wire [G-1:0] some;                    // in the group
  wire [G-1:0] some_later;
  wire wrap = some_later == {G{1'b0}};
  wire [PORTS-1:0] grant;
  wire [PORTS-1:0] above_grant;         // of the booking of this cycle

  // The source that is due.
  wire [LW-1:0] its_vl;
  wire here = (turn_here_i & due_q) != NONE;
  wire full = count_q == FULL;
  wire hold = here && full;
  wire passed = booked_q || (took_i & due_q) != NONE;
  wire [(1 << LW)-1:0] room;
  wire [RW-1:0] its_vl_r;

  genvar i;
  generate
    assign above_grant[0] = 1'b0;
    for (i = 1; i < PORTS; i = i + 1) begin : g_above
      assign above_grant[i] = grant_q[i-1:0] != {i{1'b0}};
    end
    for (i = 0; i < G; i = i + 1) begin : g_some
      localparam integer N = (PORTS - 4 * i < 4) ? PORTS - 4 * i : 4;
      assign some[i] = request_i[4*i +: N] != {N{1'b0}};
      assign some_later[i] = later[4*i +: N] != {N{1'b0}};
    end
    for (i = 0; i < PORTS; i = i + 1) begin : g_first
      localparam integer AT = i / 4;
      localparam integer N = i % 4;
      wire prior;
      wire prior_later;
      if (N > 0) begin : g_later
        assign first[i] = request_i[i] && request_i[4*AT +: N] == {N{1'b0}};
        assign first_later[i] = later[i] && later[4*AT +: N] == {N{1'b0}};
      end else begin : g_first
        assign first[i] = request_i[i];
        assign first_later[i] = later[i];
      end
      if (AT > 0) begin : g_groups
        assign prior = some[AT-1:0] != {AT{1'b0}};
        assign prior_later = some_later[AT-1:0] != {AT{1'b0}};
      end else begin : g_none
        assign prior = 1'b0;
        assign prior_later = 1'b0;
      end
      assign grant[i] = may &&
          ((first_later[i] && !prior_later) || (first[i] && !prior && wrap));
    end
    for (i = 0; i < LW; i = i + 1) begin : g_vl
      assign its_vl[i] = (turn_vl_i[i*PORTS +: PORTS] & due_q) != NONE;
    end
    if (RW > LW) begin : g_wider
      assign its_vl_r = {1'b0, its_vl};
    end else begin : g_same
      assign its_vl_r = its_vl;
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
      after_q <= NONE;
      booked_q <= 1'b0;
      rest_q <= 2'd0;
      ready_q <= 1'b0;
      was_q <= {LANES{1'b0}};
      due_q <= HOT0;
      count_q <= C_ZERO;
      hold_room_q <= 1'b0;
      vl_q <= {LW{1'b0}};
      refuse_q <= {RW{1'b1}};
    end else begin
      grant_q <= grant;
      if (booked_q) after_q <= above_grant;
      booked_q <= may && some != {G{1'b0}};
      rest_q <= {rest_q[0], booked_q};
      ready_q <= ready_i;
      was_q <= room_i;
      if (!here) due_q <= {due_q[PORTS-2:0], due_q[PORTS-1]};
      if (!here) count_q <= C_ZERO;
      else if (passed && !full) count_q <= count_q + C_ONE;
      hold_room_q <= hold && room[vl_q];
      vl_q <= its_vl;
      refuse_q <= hold ? its_vl_r : {RW{1'b1}};
    end
  end

  generate
    if (RW < 6) begin : g_refuse
      assign refuse_o = {{(6 - RW){1'b0}}, refuse_q};
    end else begin : g_refuse_all
      assign refuse_o = refuse_q;
    end
  endgenerate

  assign booked_o = booked_q;
  assign grant_o = grant_q;
  assign grant_d_o = grant;
  assign due_o = due_q;
  assign hold_d_o = hold;
  assign hold_room_o = hold_room_q;

  `LOOM_ASSERT(grant_is_one_hot, (grant_q & -grant_q) == grant_q)
  `LOOM_ASSERT(booked_with_a_grant, booked_q == (grant_q != NONE))
  `LOOM_ASSERT(one_source_is_due, due_q != NONE && (due_q & -due_q) == due_q)
  `LOOM_ASSERT(rests_after_a_booking, !booked_q || rest_q == 2'd0)

endmodule

`default_nettype wire
