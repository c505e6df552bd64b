// SPDX-License-Identifier: Apache-2.0

// loom_ring_entry: says of each lane of an output that belongs to a ring whether a packet may enter
//   the ring, so that room for another one is left: bubble flow control.
//
// Inside: loom_crossbar_switch
// Contract: book_i are the bookings of the output, three cycles apart or more; used_* are those of
//   the room_tracker that counts them. most_we_i comes only while nothing is in use.
// Algorithm: a bit a lane, which a booking clears and a verdict of the tracker sets anew: the units
//   that it found in use are compared with the most of the lane. A verdict that does not count a
//   booking of the lane in the two cycles before it, or in its own, does not hold.
// Latency: a booking shows in the next cycle, units that came back as used_valid_i tells of them.
// Wait bound: none: while packets go on in a ring without room for two, none enters.
// Parameters: VLS (lanes, 2..16).
// Realises: TP-03.
// Page: docs/crossbar_switch.md, section Rings that keep a bubble.
`default_nettype none
`include "loom_assert.vh"

module loom_ring_entry #(
  parameter integer VLS = 9
) (
  input  wire           clk_i,
  input  wire           rst_i,
  input  wire           most_we_i,
  input  wire [4:0]     most_vl_i,
  input  wire [11:0]    most_units_i,
  input  wire           book_i,
  input  wire [4:0]     book_vl_i,
  input  wire           used_valid_i,
  input  wire [4:0]     used_vl_i,
  input  wire [11:0]    used_i,
  output wire [VLS-1:0] enter_o
);

  localparam integer VW = $clog2(VLS);
  localparam [VLS-1:0] NONE = 0;
  localparam [VLS-1:0] HOT0 = 1;

  reg [VLS*12-1:0] most_q;              // units in use with which a packet may enter
  reg [VLS-1:0] enter_q;
  reg [VLS-1:0] booked_q;               // in the last cycle,
  reg [VLS-1:0] booked_before_q;        // and in the one before

  wire [VLS-1:0] most_hot = most_we_i ? HOT0 << most_vl_i : NONE;
  wire [VLS-1:0] book_hot = book_i ? HOT0 << book_vl_i : NONE;
  wire [VLS-1:0] used_hot = used_valid_i ? HOT0 << used_vl_i : NONE;
  wire [VLS-1:0] old = used_hot & (booked_q | booked_before_q);

  // The most of each lane, padded to a whole number of index bits.
  wire [(12<<VW)-1:0] most;
  assign most[VLS*12-1:0] = most_q;
  generate
    if (VLS < (1 << VW)) begin : g_pad
      assign most[(12<<VW)-1:VLS*12] = {((1 << VW) - VLS){12'd0}};
    end
  endgenerate
  wire [VW-1:0] used_at = used_vl_i[VW-1:0];
  wire may = used_i <= most[used_at*12 +: 12];

  integer i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      most_q <= {VLS{12'd0}};
      enter_q <= NONE;
      booked_q <= NONE;
      booked_before_q <= NONE;
    end else begin
      for (i = 0; i < VLS; i = i + 1)
        if (most_hot[i]) most_q[i*12 +: 12] <= most_units_i;
      enter_q <= (((enter_q & ~used_hot) | (may ? used_hot & ~old : NONE)) & ~book_hot) | most_hot;
      booked_q <= book_hot;
      booked_before_q <= booked_q;
    end
  end

  assign enter_o = enter_q;

`ifdef LOOM_ASSERT_ON
  reg [VLS-1:0] written_q;              // in the last cycle
  always @(posedge clk_i) written_q <= rst_i ? NONE : most_hot;
  `LOOM_REQUIRE(bookings_apart, !book_i || (booked_q | booked_before_q) == NONE)
  `LOOM_ASSERT(a_booking_closes, (booked_q & enter_q & ~written_q) == NONE)
`endif

endmodule

`default_nettype wire
