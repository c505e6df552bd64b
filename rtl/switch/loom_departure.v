// SPDX-License-Identifier: Apache-2.0

// loom_departure: the way out of a packet store: shows the heads of its lanes to the allocation,
//   keeps what was booked until it starts, takes it then, and sends its words to its target.
// Inside: input_unit.
//
// Contract: head_*, soon_i and rd_* are those of one loom_packet_store with the same EARLY and
//   RD_FLITS = SPEEDUP, which takes take_*. Packets have numbers in the order in which they are
//   written; of open_i packets, up to number_i, the last word is still to be written, and ends_i
//   says that a last word is written now. A booking is of a head that was shown and of its target,
//   two cycles after a cycle with source_ready_o, three after the booking before; free_i is the
//   free_o of crossings, in the same cycle, each of which has the booking of this source as its
//   own. Every output is a function of registers, here and in the store, but source_ready_o and
//   take_o, which follow free_i.
// Algorithm: one packet is booked at a time; it starts when both ends can, and is taken from the
//   store in this cycle. A packet that cannot go on is taken instead of a start, and its words go
//   nowhere. A packet that is booked before it is whole counts the packets that must end until it
//   is; of one unit, whole, and with nothing before it, its words are sure. The tags of what was
//   taken follow in a ring and say where the words go.
// Latency: head_event_o in the cycle of head_event_i; a start in y is on word_* in y + 4. A word
//   every cycle, also from one packet to the next.
// Wait bound: a dropped packet goes before or after the next packet that is booked; what is booked
//   waits for its start.
// Parameters: TARGETS (2..48), VLS (lanes, 2..32), SPEEDUP (flits of a word, 1..4), EARLY (flits
//   left when the next may be booked, 0..4095), DROPS (0, 1: heads may say that they are dropped).
// Realises: OP-04, OP-05, OP-08, DT-10.
// Page: docs/departure.md, section Bookings.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_departure #(
  parameter integer TARGETS = 8,
  parameter integer VLS     = 9,
  parameter integer SPEEDUP = 2,
  parameter integer EARLY   = 12,
  parameter integer DROPS   = 1
) (
  input  wire                                clk_i,
  input  wire                                rst_i,

  // A head that comes into view in the store, and the packets that are not whole there.
  input  wire                                head_event_i,
  input  wire [4:0]                          head_lane_i,
  input  wire [11:0]                         head_len_i,
  input  wire [5:0]                          head_number_i,
  input  wire                                head_drop_i,
  input  wire [5:0]                          head_target_i,
  input  wire [4:0]                          head_vl_i,
  input  wire [4:0]                          head_sl_i,
  input  wire                                head_more_i,
  input  wire [5:0]                          number_i,
  input  wire [1:0]                          open_i,
  input  wire                                ends_i,

  // Allocation and crossings.
  output wire                                head_event_o,
  output wire [4:0]                          head_lane_o,
  output wire [5:0]                          head_target_o,
  output wire [4:0]                          head_vl_o,
  output wire [27:0]                         head_info_o,
  output wire                                source_ready_o,
  input  wire                                book_i,
  input  wire [4:0]                          book_lane_i,
  input  wire [5:0]                          book_target_i,
  input  wire [TARGETS-1:0]                  free_i,
  output wire                                start_ok_o,
  output wire                                sure_o,
  output wire                                end_o,

  // The store: takes, and the words of what was taken.
  input  wire                                soon_i,
  output wire                                take_o,
  output wire [4:0]                          take_lane_o,
  input  wire                                rd_valid_i,
  input  wire                                rd_last_i,
  input  wire [2:0]                          rd_flits_i,
  input  wire [(64<<$clog2(SPEEDUP))-1:0]    rd_data_i,

  // The crossbar.
  output wire                                word_valid_o,
  output wire [5:0]                          word_target_o,
  output wire                                word_last_o,
  output wire [2:0]                          word_flits_o,
  output wire [(64<<$clog2(SPEEDUP))-1:0]    word_data_o,

  // Registers, for probes.
  output wire                                booked_o,
  output wire [VLS-1:0]                      drops_o,
  output wire [1:0]                          settle_o,
  output wire [2:0]                          busy_o,
  output wire [11:0]                         tail_o,
  output wire                                turn_o
);

  generate
    if (TARGETS < 2 || TARGETS > 48) begin : g_bad_targets
      loom_departure_TARGETS_must_be_2_to_48 u_error ();
    end
    if (VLS < 2 || VLS > 32) begin : g_bad_vls
      loom_departure_VLS_must_be_2_to_32 u_error ();
    end
    if (SPEEDUP < 1 || SPEEDUP > 4) begin : g_bad_speedup
      loom_departure_SPEEDUP_must_be_1_to_4 u_error ();
    end
    if (EARLY < 0 || EARLY > 4095) begin : g_bad_early
      loom_departure_EARLY_must_be_0_to_4095 u_error ();
    end
    if (DROPS < 0 || DROPS > 1) begin : g_bad_drops
      loom_departure_DROPS_must_be_0_or_1 u_error ();
    end
  endgenerate

  localparam integer VW = $clog2(VLS);
  localparam integer TW = $clog2(TARGETS);
  localparam [12:0] LONG = EARLY[12:0];
  // What was taken ends K cycles at the latest after the store says that it does (soon_o).
  localparam integer MORE_I = EARLY + 4;
  localparam integer K_I = (SPEEDUP == 1) ? EARLY : (SPEEDUP == 2) ? EARLY / 2 + 1
                           : (SPEEDUP == 4) ? EARLY / 4 + 2
                           : MORE_I / 8 * 3 + MORE_I % 8 / 3;
  localparam integer TAIL_I = (K_I < 4) ? 1 : K_I - 3;
  localparam [11:0] TAIL = TAIL_I[11:0];
  localparam integer TAIL_END = 1 << $clog2(TAIL_I + 1);
  localparam integer TAIL_BITS_I = TAIL_END - 1;
  localparam [11:0] TAIL_BITS = TAIL_BITS_I[11:0];
  localparam integer DATA_W = 64 << $clog2(SPEEDUP);    // three flits stand on four lanes
  localparam [DATA_W-1:0] NO_DATA = 0;
  localparam [VLS-1:0] NONE = 0;
  localparam [VLS-1:0] HOT0 = 1;

  `LOOM_REQUIRE(never_booked_twice, !book_i || !booked_q)
  `LOOM_REQUIRE(drops_by_parameter, DROPS != 0 || !head_drop_i)
  `LOOM_REQUIRE(open_until_they_end, booked_part_q <= open_i)

`ifdef LOOM_ASSERT_ON
  reg [VLS-1:0] shown_q;                // heads that were shown and not booked
  reg [5:0] shown_target_q [0:(1<<VW)-1];
  reg [1:0] was_ready_q;                // source_ready_o of the last two cycles
  wire [VLS-1:0] book_hot = book_i ? HOT0 << book_lane_i : NONE;
  always @(posedge clk_i) begin
    if (shows) shown_target_q[head_lane_i[VW-1:0]] <= head_target_i;
    shown_q <= rst_i ? NONE : (shown_q & ~book_hot) | (shows ? head_hot : NONE);
    was_ready_q <= rst_i ? 2'd0 : {was_ready_q[0], source_ready_o};
  end
  `LOOM_REQUIRE(booking_while_ready, !book_i || was_ready_q[1])
  `LOOM_REQUIRE(booking_of_a_head_shown, !book_i || (shown_q & book_hot) != NONE)
  `LOOM_REQUIRE(booking_of_its_target,
      !book_i || book_target_i == shown_target_q[book_lane_i[VW-1:0]])
`endif

  // ---- State ------------------------------------------------------------------------------------

  reg [VLS-1:0] drops_q;                // the head in view is dropped
  reg drop_any_q;                       // some lane is in drops,
  reg [VW-1:0] drop_lane_q;             // the lowest one, but for the cycle after a drop
  reg booked_q;
  reg [VW-1:0] booked_lane_q;           // of the packet that is booked
  reg [5:0] booked_target_q;
  reg booked_long_q;                    // it has more than EARLY flits,
  reg booked_unit_q;                    // one unit,
  reg [2:0] booked_rest_q;              // and then so many words less one
  reg [1:0] booked_part_q;              // so many packets must end until it is whole
  reg turn_q;                           // a drop was taken after the last start
  reg [1:0] settle_q;                   // cycles without a take after one that was not sure
  reg [2:0] busy_q;                     // the same after one that was: for its words
  reg calm_q;                           // none of both
  reg [11:0] tail_q;                    // cycles until what was not sure has ended
  reg tail_any_q;                       // it has not
  reg [1:0] fresh_q;                    // cycles without a booking after the take of a long packet

  // ---- Heads ------------------------------------------------------------------------------------

  wire shows = head_event_i && !head_drop_i;
  wire take;
  wire dropping;
  wire [VLS-1:0] head_hot = head_event_i ? HOT0 << head_lane_i : NONE;
  wire [VLS-1:0] drop_hot = HOT0 << drop_lane_q;
  wire is_long = {1'b0, head_len_i} > LONG;
  wire [2:0] head_less = head_len_i[2:0] - 3'd1;
  wire [2:0] head_rest = (SPEEDUP != 3) ? head_less >> $clog2(SPEEDUP)    // if it is of one unit
                         : {1'b0, head_less >= 3'd6, head_less >= 3'd3 && head_less < 3'd6};
  wire is_unit = head_len_i <= 12'd8;
  wire book_long;                       // what the head that is booked now is
  wire book_unit;
  wire [2:0] book_rest;
  wire [5:0] book_number;
  wire drop_long;
  wire [12:0] head_up = {1'b0, head_len_i} + 13'd7;   // units above bit 2
  wire unused_up = &{1'b0, head_up};
  wire [VLS-1:0] drops_more = drops_q | (head_drop_i ? head_hot : NONE);
  wire [4:0] drop_lane;
  wire unused_drop_lane = &{1'b0, drop_lane};

  // The lowest lane is found as heads come, not when it is looked at. In the cycle after a drop it
  // is the old one; the next drop is not before the third.
  loom_encode #(
    .N(VLS),
    .W(5)
  ) u_drop_lane (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(drops_more & -drops_more),
    .index_o(drop_lane)
  );

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(11)
  ) u_heads (
    .clk_i(clk_i),
    .we_i(head_event_i),
    .waddr_i(head_lane_i[VW-1:0]),
    .wdata_i({is_long, is_unit, head_rest, head_number_i}),
    .raddr_i(book_lane_i[VW-1:0]),
    .rdata_o({book_long, book_unit, book_rest, book_number})
  );

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(1)
  ) u_longs (
    .clk_i(clk_i),
    .we_i(head_event_i),
    .waddr_i(head_lane_i[VW-1:0]),
    .wdata_i(is_long),
    .raddr_i(drop_lane_q),
    .rdata_o(drop_long)
  );

  always @(posedge clk_i) begin
    drop_lane_q <= (DROPS == 0) ? {VW{1'b0}} : drop_lane[VW-1:0];
    if (rst_i || DROPS == 0) begin
      drops_q <= NONE;
      drop_any_q <= 1'b0;
    end else begin
      drops_q <= drops_more & ~(dropping ? drop_hot : NONE);
      drop_any_q <= dropping ? (drops_more & ~drop_hot) != NONE : drops_more != NONE;
    end
  end

  // ---- Bookings, starts and takes ---------------------------------------------------------------

  wire unused_target = &{1'b0, booked_target_q, book_lane_i};
  wire wants = drop_any_q && !(turn_q && booked_q);
  wire takes = soon_i && calm_q;
  wire start_ok = takes && !wants;
  wire start = booked_q && start_ok && free_i[booked_target_q[TW-1:0]];
  wire sure = booked_q && booked_unit_q && booked_part_q == 2'd0 && !tail_any_q;
  wire unsure = dropping || (start && !sure);         // a take that is not sure
  wire settled = soon_i && settle_q == 2'd0;

  assign dropping = takes && wants;
  assign take = start || dropping;

  // The packets that must end until the head that is booked now is whole: one less for each that
  // has a number after its own.
  wire [1:0] book_part = (book_number == number_i) ? open_i
                         : (book_number == number_i - 6'd1 && open_i[1]) ? open_i - 2'd1
                         : {1'b0, book_number == number_i - 6'd2 && open_i == 2'd3};
  // No more than open_i, said again so that no second bit stays where that is 1 at most.
  wire [1:0] part = book_i ? book_part : booked_part_q & {open_i[1], 1'b1};

  always @(posedge clk_i) begin
    if (book_i) begin
      booked_lane_q <= book_lane_i[VW-1:0];
      booked_target_q <= book_target_i;
      booked_long_q <= book_long;
      booked_unit_q <= book_unit;
      booked_rest_q <= book_rest;
    end
    if (rst_i) begin
      booked_q <= 1'b0;
      booked_part_q <= 2'd0;
      turn_q <= 1'b0;
      settle_q <= 2'd0;
      busy_q <= 3'd0;
      calm_q <= 1'b1;
      tail_q <= 12'd0;
      tail_any_q <= 1'b0;
      fresh_q <= 2'd0;
    end else begin
      booked_q <= book_i || (booked_q && !start);
      booked_part_q <= (ends_i && part != 2'd0) ? part - 2'd1 : part;
      if (start) turn_q <= 1'b0;
      else if (dropping) turn_q <= 1'b1;
      if (unsure) settle_q <= 2'd2;
      else if (settle_q != 2'd0) settle_q <= settle_q - 2'd1;
      if (start && sure) busy_q <= booked_rest_q;
      else if (busy_q != 3'd0) busy_q <= busy_q - 3'd1;
      calm_q <= take ? !unsure && booked_rest_q == 3'd0 : settle_q <= 2'd1 && busy_q <= 3'd1;
      if (unsure) tail_q <= TAIL;
      else if (settled && tail_any_q) tail_q <= (tail_q - 12'd1) & TAIL_BITS;
      tail_any_q <= unsure || (tail_any_q && !(settled && tail_q == 12'd1));
      if (take && (wants ? drop_long : booked_long_q)) fresh_q <= 2'd2;
      else if (fresh_q != 2'd0) fresh_q <= fresh_q - 2'd1;
    end
  end

  // ---- Tags: where the words of what was taken go -----------------------------------------------

  reg [2:0] tag_in_q;                   // places in the ring: of the next take,
  reg [2:0] tag_out_q;                  // of the next packet
  reg tag_valid_q;
  reg tag_drop_q;
  reg [5:0] tag_target_q;
  wire tag_there = tag_in_q != tag_out_q;   // a packet was taken after the one that is sent
  wire tag_over = !tag_valid_q || rd_last_i;
  wire first_drop;
  wire [5:0] first_target;

  loom_lut_ram #(
    .DEPTH(8),
    .WIDTH(7)
  ) u_tag (
    .clk_i(clk_i),
    .we_i(take),
    .waddr_i(tag_in_q),
    .wdata_i({wants, booked_target_q}),
    .raddr_i(tag_out_q),
    .rdata_o({first_drop, first_target})
  );

  always @(posedge clk_i) begin
    if (tag_over) begin
      tag_drop_q <= first_drop;
      tag_target_q <= first_target;
    end
    if (rst_i) begin
      tag_in_q <= 3'd0;
      tag_out_q <= 3'd0;
      tag_valid_q <= 1'b0;
    end else begin
      if (take) tag_in_q <= tag_in_q + 3'd1;
      if (tag_over) begin
        tag_valid_q <= tag_there;
        if (tag_there) tag_out_q <= tag_out_q + 3'd1;
      end
    end
  end

  // ---- Outputs ----------------------------------------------------------------------------------

  wire word = rd_valid_i && !tag_drop_q;

  assign head_event_o = shows;
  assign head_lane_o = shows ? head_lane_i : 5'd0;
  assign head_target_o = shows ? head_target_i : 6'd0;
  assign head_vl_o = shows ? head_vl_i : 5'd0;
  assign head_info_o[`LOOM_HEAD_INFO_MORE] = shows && head_more_i;
  assign head_info_o[`LOOM_HEAD_INFO_SL] = shows ? head_sl_i : 5'd0;
  assign head_info_o[`LOOM_HEAD_INFO_UNITS] = shows ? head_up[12:3] : 10'd0;
  assign head_info_o[`LOOM_HEAD_INFO_LEN] = shows ? head_len_i : 12'd0;
  assign source_ready_o = soon_i && fresh_q == 2'd0 && (!booked_q || (start && !booked_long_q));
  assign start_ok_o = start_ok;
  assign sure_o = sure;
  assign end_o = !tail_any_q || settled;
  assign take_o = take;
  assign take_lane_o = {{(5 - VW){1'b0}}, wants ? drop_lane_q : booked_lane_q};
  assign word_valid_o = word;
  assign word_target_o = word ? tag_target_q : 6'd0;
  assign word_last_o = word && rd_last_i;
  assign word_flits_o = word ? rd_flits_i : 3'd0;
  // Without drops every word of the store is one, and it shows 0 otherwise.
  assign word_data_o = (word || DROPS == 0) ? rd_data_i : NO_DATA;
  assign booked_o = booked_q;
  assign drops_o = drops_q;
  assign settle_o = settle_q;
  assign busy_o = busy_q;
  assign tail_o = tail_q;
  assign turn_o = turn_q;

`ifdef LOOM_ASSERT_ON
  // The words of a packet that was sure at its start come from the fourth cycle after it on.
  reg [3:0] sure1_q;                    // such a start one to three cycles ago, its words less one
  reg [3:0] sure2_q;
  reg [3:0] sure3_q;
  reg comes_q;                          // now one of its words comes,
  reg [2:0] more_q;                     // and then so many more
  always @(posedge clk_i) begin
    if (rst_i) begin
      sure1_q <= 4'd0;
      sure2_q <= 4'd0;
      sure3_q <= 4'd0;
      comes_q <= 1'b0;
    end else begin
      sure1_q <= {start && sure, booked_rest_q};
      sure2_q <= sure1_q;
      sure3_q <= sure2_q;
      comes_q <= sure3_q[3] || (comes_q && more_q != 3'd0);
      more_q <= sure3_q[3] ? sure3_q[2:0] : more_q - 3'd1;
    end
  end
  `LOOM_ASSERT(sure_words_come_at_once,
      !comes_q || (word_valid_o && word_last_o == (more_q == 3'd0)))
  `LOOM_ASSERT(sure_words_one_after_the_other, !(sure3_q[3] && comes_q && more_q != 3'd0))
`endif
  `LOOM_ASSERT(drop_of_the_lowest_lane, !dropping || (drops_q & -drops_q) == drop_hot)
  `LOOM_ASSERT(some_lane_in_drops, drop_any_q == (drops_q != NONE))
  `LOOM_ASSERT(calm_after_takes, calm_q == (settle_q == 2'd0 && busy_q == 3'd0))
  `LOOM_ASSERT(tail_while_not_ended, tail_any_q == (tail_q != 12'd0))
  `LOOM_ASSERT(place_for_a_tag, !take || tag_in_q + 3'd1 != tag_out_q)
  `LOOM_ASSERT(a_word_has_a_tag, !rd_valid_i || tag_valid_q)
  `LOOM_ASSERT(fields_0_while_no_word,
      word_valid_o || ({word_target_o, word_last_o, word_flits_o} == 10'd0
                       && word_data_o == NO_DATA))
  `LOOM_ASSERT(fields_0_without_head,
      head_event_o || {head_lane_o, head_target_o, head_vl_o, head_info_o} == 44'd0)

endmodule

`default_nettype wire
