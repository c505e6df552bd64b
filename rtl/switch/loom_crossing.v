// SPDX-License-Identifier: Apache-2.0

// loom_crossing: brings packets from all inputs to one output: takes its bookings, sees when each
//   packet starts, picks its words, and counts the room in the store of the output unit.
//
// Contract: number_i constant and below PORTS from the end of the reset on; bookings as
//   loom_pipelined_alloc makes them of target_ready_o and room_o, none before ready_o, with 1 unit
//   or more and not more than the need of the lane; start_ok_i, sure_i and end_i of input units
//   that look at free_o, and space_i of the store that announce_o leads to. A booking is the only
//   one of its output and of its input. sure_i is 1 at the start of a packet of 8 flits or less
//   only; then its words come one a cycle from the fourth cycle after that on; those of others from
//   then on, until END_CYCLES - 1 after end_i of their input. Then words leave in one piece, in the
//   order of the starts. A need or a limit is written while idle_o, and nothing booked from 3
//   cycles before to 2 after.
// Algorithm: both ends of a booking see by free_o and start_ok_i that it starts. Words of a packet
//   that is sure are counted down (pause_q); another one is open until its input says that it ends.
//   Of the packets that started, one at most has words (source_q), and one at most is to have the
//   next ones (next_*_q), so a packet starts while the end of another is on its way. The words of
//   the source are picked one cycle after the other, with the target that they name.
// Latency: a packet alone: book_i in b, its start in b + 1, or b + 2 if space_i was 0 in b; queue_o
//   with the start, or with AHEAD in b or b + 2; a word in c leaves in c + 1. Packets that are sure
//   start every max(3, words) cycles; after end_i in x the next start comes in x + END_CYCLES - 4
//   at the earliest.
// Wait bound: what is booked starts as soon as the packet before has ended and its input may start.
// Parameters: PORTS (inputs, 2..48), VLS (lanes, 2..32), SPEEDUP (flits of a word, 1..4),
//   FAST_FROM (inputs from this one on have words of FAST_SPEEDUP flits, 0..47; 0: none),
//   FAST_SPEEDUP (1..4), CELLS (units of the store, 16..4095), RESERVED (units of each lane there,
//   VLS times that at most CELLS), MTU_UNITS (units of the largest packet, 1..512, at most CELLS),
//   AHEAD (0, 1: a record goes with its booking), OUT_DELAY (cycles that a record waits, 0..255),
//   SHORT (flits of a packet during which the next one may be booked, 0..4095), END_CYCLES (from
//   end_i until a packet is over, 5..31).
// Realises: OP-05, OP-06; probes booked, wait, open, pause, next, receives.
// Page: docs/crossing.md, section What happens.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`define WORD_W (64 << $clog2(SPEEDUP > FAST_SPEEDUP ? SPEEDUP : FAST_SPEEDUP))

module loom_crossing #(
  parameter integer PORTS        = 8,
  parameter integer VLS          = 9,
  parameter integer SPEEDUP      = 2,
  parameter integer FAST_FROM    = 0,
  parameter integer FAST_SPEEDUP = 1,
  parameter integer CELLS        = 256,
  parameter integer RESERVED     = 16,
  parameter integer MTU_UNITS    = 32,
  parameter integer AHEAD        = 0,
  parameter integer OUT_DELAY    = 0,
  parameter integer SHORT        = 12,
  parameter integer END_CYCLES   = 9
) (
  input  wire                        clk_i,
  input  wire                        rst_i,
  input  wire [5:0]                  number_i,
  input  wire                        book_i,
  input  wire [5:0]                  book_source_i,
  input  wire [4:0]                  book_vl_i,
  input  wire [27:0]                 book_info_i,
  output wire                        target_ready_o,
  output wire [VLS-1:0]              room_o,
  input  wire [PORTS-1:0]            start_ok_i,
  input  wire [PORTS-1:0]            sure_i,
  input  wire [PORTS-1:0]            end_i,
  output wire                        free_o,
  input  wire [PORTS-1:0]            word_valid_i,
  input  wire [PORTS-1:0]            word_last_i,
  input  wire [PORTS*6-1:0]          word_target_i,
  input  wire [PORTS*3-1:0]          word_flits_i,
  input  wire [PORTS*`WORD_W-1:0]    word_data_i,
  output wire                        announce_o,
  output wire [11:0]                 announce_len_o,
  output wire                        queue_o,
  output wire [4:0]                  queue_vl_o,
  output wire [11:0]                 queue_len_o,
  output wire [4:0]                  queue_sl_o,
  output wire                        queue_more_o,
  output wire                        wr_valid_o,
  output wire [4:0]                  wr_vl_o,
  output wire                        wr_last_o,
  output wire [2:0]                  wr_flits_o,
  output wire [`WORD_W-1:0]          wr_data_o,
  input  wire                        space_i,
  input  wire                        free_valid_i,
  input  wire [4:0]                  free_vl_i,
  input  wire                        need_we_i,
  input  wire [4:0]                  need_vl_i,
  input  wire [9:0]                  need_units_i,
  input  wire                        cfg_we_i,
  input  wire [6:0]                  cfg_addr_i,
  input  wire [11:0]                 cfg_data_i,
  output wire                        ready_o,
  output wire                        idle_o,
  output wire                        config_ok_o,
  output wire                        error_o,
  output wire                        used_valid_o,
  output wire [4:0]                  used_vl_o,
  output wire [11:0]                 used_o,
  output wire [11:0]                 total_o,
  output wire                        booked_o           // the register, for a probe
);

  generate
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_crossing_PORTS_must_be_2_to_48 u_error ();
    end
    if (VLS < 2 || VLS > 32) begin : g_bad_vls
      loom_crossing_VLS_must_be_2_to_32 u_error ();
    end
    if (SPEEDUP < 1 || SPEEDUP > 4) begin : g_bad_speedup
      loom_crossing_SPEEDUP_must_be_1_to_4 u_error ();
    end
    if (FAST_FROM < 0 || FAST_FROM > 47) begin : g_bad_fast_from
      loom_crossing_FAST_FROM_must_be_0_to_47 u_error ();
    end
    if (FAST_SPEEDUP < 1 || FAST_SPEEDUP > 4) begin : g_bad_fast_speedup
      loom_crossing_FAST_SPEEDUP_must_be_1_to_4 u_error ();
    end
    if (CELLS < 16 || CELLS > 4095) begin : g_bad_cells
      loom_crossing_CELLS_must_be_16_to_4095 u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > CELLS) begin : g_bad_reserved
      loom_crossing_RESERVED_must_be_0_or_more_and_fit_VLS_times_in_CELLS u_error ();
    end
    if (MTU_UNITS < 1 || MTU_UNITS > 512 || MTU_UNITS > CELLS) begin : g_bad_mtu_units
      loom_crossing_MTU_UNITS_must_be_1_to_512_and_at_most_CELLS u_error ();
    end
    if (AHEAD < 0 || AHEAD > 1) begin : g_bad_ahead
      loom_crossing_AHEAD_must_be_0_or_1 u_error ();
    end
    if (OUT_DELAY < 0 || OUT_DELAY > 255) begin : g_bad_out_delay
      loom_crossing_OUT_DELAY_must_be_0_to_255 u_error ();
    end
    if (SHORT < 0 || SHORT > 4095) begin : g_bad_short
      loom_crossing_SHORT_must_be_0_to_4095 u_error ();
    end
    if (END_CYCLES < 5 || END_CYCLES > 31) begin : g_bad_end_cycles
      loom_crossing_END_CYCLES_must_be_5_to_31 u_error ();
    end
  endgenerate

  localparam integer SW = $clog2(PORTS);
  localparam integer DATA_W = `WORD_W;                  // three flits stand on four lanes
  localparam integer DATA_AT = $clog2(DATA_W);
  localparam integer PAUSE_I = END_CYCLES - 5;
  localparam [4:0] PAUSE = PAUSE_I[4:0];
  localparam [12:0] SHORT_C = SHORT[12:0];
  localparam [DATA_W-1:0] NO_DATA = 0;
  localparam [PORTS-1:0] NO_INPUT = 0;
  localparam [PORTS-1:0] FIRST = 1;

  // ---- State ------------------------------------------------------------------------------------

  reg booked_q;                         // a booking that did not start
  reg [5:0] booked_source_q;
  reg [4:0] booked_vl_q;
  reg [27:0] booked_info_q;
  reg booked_short_q;                   // it has SHORT flits or less
  reg wait_q;                           // the store may not know yet that it was admitted
  reg free_q;                           // a packet may start
  reg open_q;                           // one started that was not sure, and its end is not known
  reg [5:0] open_source_q;
  reg open_short_q;
  reg [4:0] pause_q;                    // cycles without a start, for the words of what started
  reg next_q;                           // a packet started, words before it are still expected
  reg [5:0] next_source_q;
  reg [4:0] next_vl_q;
  reg receives_q;                       // the packet whose words come
  reg [5:0] source_q;
  reg [PORTS-1:0] source_hot_q;         // the same as one bit, none while nothing is received
  reg [4:0] vl_q;
  reg wr_valid_q;
  reg [4:0] wr_vl_q;
  reg wr_last_q;
  reg [2:0] wr_flits_q;
  reg [DATA_W-1:0] wr_data_q;

  wire [SW-1:0] booked_source = booked_source_q[SW-1:0];
  wire [SW-1:0] open_source = open_source_q[SW-1:0];
  wire [SW-1:0] source = source_q[SW-1:0];
  wire unused_sources = &{1'b0, booked_source_q, open_source_q, source_q};
  wire unused_wait = wait_q;            // free_q has it

  // ---- What the user owes -----------------------------------------------------------------------

  wire [11:0] book_len = book_info_i[`LOOM_HEAD_INFO_LEN];
  wire [9:0] book_units = book_info_i[`LOOM_HEAD_INFO_UNITS];
  wire unused_info = &{1'b0, booked_info_q};
  wire [11:0] booked_len = booked_info_q[`LOOM_HEAD_INFO_LEN];
  wire [PORTS-1:0] hit;                 // the inputs that have a word for this output
  wire ends = open_q && end_i[open_source];
  wire begins = booked_q && free_q && start_ok_i[booked_source];
  wire counts = begins && sure_i[booked_source];
  wire opens = begins && !sure_i[booked_source];
  wire fast;                            // the booked source has words of the other size
  wire [2:0] less = booked_len[2:0] - 3'd1;
  wire [2:0] thirds = {1'b0, less >= 3'd6, less >= 3'd3 && less < 3'd6};
  wire [2:0] words_slow = (SPEEDUP == 3) ? thirds : less >> $clog2(SPEEDUP);
  wire [2:0] words_fast = (FAST_SPEEDUP == 3) ? thirds : less >> $clog2(FAST_SPEEDUP);
  wire [2:0] words = fast ? words_fast : words_slow;    // less one, if it is sure
  wire over;                            // the last word of the source
  wire moves = !receives_q || over;     // what is next has words from now on

  generate
    if (FAST_FROM == 0) begin : g_one_speed
      assign fast = 1'b0;
    end else begin : g_two_speeds
      localparam [5:0] FAST = FAST_FROM[5:0];
      assign fast = booked_source_q >= FAST;
    end
  endgenerate

`ifdef LOOM_ASSERT_ON
  localparam [5:0] PORTS_C = PORTS[5:0];
  localparam [5:0] VLS_C = VLS[5:0];
  localparam [9:0] MTU = MTU_UNITS[9:0];
  localparam integer VW = $clog2(VLS);
  reg [2:0] was_booked_q;               // book_i of the last three cycles
  reg [1:0] was_written_q;              // a need or limit, in the last two
  always @(posedge clk_i) begin
    was_booked_q <= rst_i ? 3'd0 : {was_booked_q[1:0], book_i};
    was_written_q <= rst_i ? 2'd0 : {was_written_q[0], need_we_i || cfg_we_i};
  end
  wire rests = idle_o && !book_i && was_booked_q == 3'd0;
  reg [1:0] was_ready_q;                // target_ready_o of the last two cycles
  reg [5:0] number_q;
  reg numbered_q;
  always @(posedge clk_i) begin
    was_ready_q <= rst_i ? 2'd0 : {was_ready_q[0], target_ready_o};
    number_q <= number_i;
    numbered_q <= !rst_i;
  end
  `LOOM_REQUIRE(number_of_an_output, number_i < PORTS_C)
  `LOOM_REQUIRE(number_is_constant, !numbered_q || number_i == number_q)
  `LOOM_REQUIRE(book_when_ready, !book_i || ready_o)
  `LOOM_REQUIRE(book_names_an_input, !book_i || book_source_i < PORTS_C)
  `LOOM_REQUIRE(book_names_a_lane, !book_i || {1'b0, book_vl_i} < VLS_C)
  wire [12:0] book_up = {1'b0, book_len} + 13'd7;     // units above bit 2
  wire unused_up = &{1'b0, book_up};
  `LOOM_REQUIRE(book_has_units, !book_i || (book_units != 10'd0 && book_units <= MTU))
  `LOOM_REQUIRE(book_has_the_units_of_its_length, !book_i || book_units == book_up[12:3])
  `LOOM_REQUIRE(book_with_room, !book_i || room_o[book_vl_i[VW-1:0]])
  `LOOM_REQUIRE(one_booking_at_a_time, !book_i || (!booked_q && was_booked_q[1:0] == 2'd0))
  `LOOM_REQUIRE(booking_while_ready, !book_i || was_ready_q[1])
  `LOOM_REQUIRE(sure_of_one_unit, !counts || (booked_len != 12'd0 && booked_len <= 12'd8))
  `LOOM_REQUIRE(book_after_writes, !book_i || was_written_q == 2'd0)
  `LOOM_REQUIRE(need_while_idle, !need_we_i || rests)
  `LOOM_REQUIRE(need_is_legal, !need_we_i || ({1'b0, need_vl_i} < VLS_C &&
      need_units_i != 10'd0 && need_units_i <= MTU))
  `LOOM_REQUIRE(limit_while_idle, !cfg_we_i || rests)
  `LOOM_REQUIRE(word_of_the_source, !receives_q || (hit & ~source_hot_q) == NO_INPUT)
  `LOOM_REQUIRE(word_while_expected, receives_q || hit == NO_INPUT)
  `LOOM_REQUIRE(start_when_next_moves, !begins || !next_q || moves)
`endif

  // ---- Room in the store ------------------------------------------------------------------------

  loom_switch_room #(
    .VLS(VLS),
    .UNITS(CELLS),
    .RESERVED(RESERVED),
    .MTU_UNITS(MTU_UNITS),
    .SMALL(3)                                           // packets of 24 flits or less
  ) u_tracker (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .ready_o(ready_o),
    .consume_valid_i(book_i),
    .consume_vl_i(book_vl_i),
    .consume_size_i(book_units),
    .return_valid_i(free_valid_i),
    .return_vl_i(free_vl_i),
    .need_valid_i(need_we_i),
    .need_vl_i(need_vl_i),
    .need_size_i(need_units_i),
    .cfg_we_i(cfg_we_i),
    .cfg_addr_i(cfg_addr_i),
    .cfg_data_i(cfg_data_i),
    .room_o(room_o),
    .total_o(total_o),
    .used_valid_o(used_valid_o),
    .used_vl_o(used_vl_o),
    .used_o(used_o),
    .idle_o(idle_o),
    .config_ok_o(config_ok_o),
    .error_o(error_o)
  );

  // ---- Bookings and starts ----------------------------------------------------------------------

  wire waits = book_i && !space_i;

  always @(posedge clk_i) begin
    if (book_i) begin
      booked_source_q <= book_source_i;
      booked_vl_q <= book_vl_i;
      booked_info_q <= book_info_i;
      booked_short_q <= {1'b0, book_len} <= SHORT_C;
    end
    if (begins) begin
      open_source_q <= booked_source_q;
      open_short_q <= booked_short_q;
      next_source_q <= booked_source_q;
      next_vl_q <= booked_vl_q;
    end
    if (moves) begin
      source_q <= next_source_q;
      vl_q <= next_vl_q;
    end
    if (rst_i) source_hot_q <= NO_INPUT;
    else if (moves) source_hot_q <= next_q ? FIRST << next_source_q : NO_INPUT;
    if (rst_i) begin
      booked_q <= 1'b0;
      wait_q <= 1'b0;
      free_q <= 1'b1;
      open_q <= 1'b0;
      pause_q <= 5'd0;
      next_q <= 1'b0;
      receives_q <= 1'b0;
    end else begin
      booked_q <= book_i || (booked_q && !begins);
      wait_q <= waits;
      // What the registers make of not open, no pause and no wait.
      free_q <= !waits && (begins ? counts && words == 3'd0
                                  : open_q ? ends && PAUSE == 5'd0 : pause_q <= 5'd1);
      open_q <= opens || (open_q && !ends);
      if (counts) pause_q <= {2'd0, words};
      else if (ends) pause_q <= PAUSE;
      else if (pause_q != 5'd0) pause_q <= pause_q - 5'd1;
      next_q <= begins || (next_q && !moves);
      if (moves) receives_q <= next_q;
    end
  end

  // ---- The record joins its queue ---------------------------------------------------------------

  wire [22:0] booked_record = {booked_vl_q, booked_len, booked_info_q[`LOOM_HEAD_INFO_SL],
                               booked_info_q[`LOOM_HEAD_INFO_MORE]};
  wire [22:0] record;
  wire told;                            // it is that of a packet,
  wire joins;                           // which joins its queue, but for the delay

  generate
    if (AHEAD == 0) begin : g_started
      assign record = booked_record;
      assign told = booked_q;
      assign joins = begins;
    end else begin : g_booked
      // With the announcement if that is sure, else with the answer of the store; and not before
      // an open packet is over, whose words may still be long in coming.
      reg late_q;
      always @(posedge clk_i) late_q <= (book_i || late_q) && !joins && !rst_i;
      assign record = late_q ? booked_record
                             : {book_vl_i, book_len, book_info_i[`LOOM_HEAD_INFO_SL],
                                book_info_i[`LOOM_HEAD_INFO_MORE]};
      assign told = book_i || late_q;
      assign joins = !open_q && (late_q ? !wait_q : book_i && space_i);

      `LOOM_ASSERT(one_record_at_a_time, !(book_i && late_q))
    end

    // Without a delay the fields do not wait for what lets the packet join, so that nothing in the
    // store that follows them does.
    if (OUT_DELAY == 0) begin : g_at_once
      assign queue_o = joins;
      assign {queue_vl_o, queue_len_o, queue_sl_o, queue_more_o} = told ? record : 23'd0;
    end else begin : g_later
      loom_delay #(
        .DEPTH(OUT_DELAY),
        .WIDTH(23)
      ) u_delay (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .valid_i(joins),
        .data_i(record),
        .valid_o(queue_o),
        .data_o({queue_vl_o, queue_len_o, queue_sl_o, queue_more_o})
      );
    end
  endgenerate

  // ---- Words ------------------------------------------------------------------------------------

  // The fields bit by bit, each as a vector of the inputs, so that the source is a plain index.
  wire [PORTS-1:0] flits0;
  wire [PORTS-1:0] flits1;
  wire [PORTS-1:0] flits2;

  genvar s;
  generate
    for (s = 0; s < PORTS; s = s + 1) begin : g_input
      assign hit[s] = word_valid_i[s] && word_target_i[6*s +: 6] == number_i;
      assign flits0[s] = word_flits_i[3*s];
      assign flits1[s] = word_flits_i[3*s+1];
      assign flits2[s] = word_flits_i[3*s+2];
    end
  endgenerate

  wire comes = (hit & source_hot_q) != NO_INPUT;
  wire last = word_last_i[source];
  assign over = comes && last;

  always @(posedge clk_i) begin
    if (rst_i || !comes) begin
      wr_valid_q <= 1'b0;
      wr_vl_q <= 5'd0;
      wr_last_q <= 1'b0;
      wr_flits_q <= 3'd0;
      wr_data_q <= NO_DATA;
    end else begin
      wr_valid_q <= 1'b1;
      wr_vl_q <= vl_q;
      wr_last_q <= last;
      wr_flits_q <= {flits2[source], flits1[source], flits0[source]};
      wr_data_q <= word_data_i[{source, {DATA_AT{1'b0}}} +: DATA_W];
    end
  end

  assign booked_o = booked_q;
  assign target_ready_o = booked_q ? begins && booked_short_q : !open_q || ends || open_short_q;
  assign free_o = free_q;
  assign announce_o = book_i;
  assign announce_len_o = book_i ? book_len : 12'd0;
  assign wr_valid_o = wr_valid_q;
  assign wr_vl_o = wr_vl_q;
  assign wr_last_o = wr_last_q;
  assign wr_flits_o = wr_flits_q;
  assign wr_data_o = wr_data_q;

`ifdef LOOM_ASSERT_ON
  // An error in the second cycle after a booking, if nothing else than it can be its cause.
  reg alone_q;
  reg was_alone_q;
  reg began_q;                          // a packet started in the last cycle
  always @(posedge clk_i) begin
    began_q <= !rst_i && begins;
    alone_q <= !rst_i && book_i && !free_valid_i;
    was_alone_q <= !rst_i && alone_q;
  end
  `LOOM_ASSERT(booking_is_admitted, !(was_alone_q && error_o))
  `LOOM_ASSERT(start_is_expected, !began_q || (next_q && !booked_q))
`endif
  `LOOM_ASSERT(source_as_one_bit, source_hot_q == (receives_q ? FIRST << source_q : NO_INPUT))
  `LOOM_ASSERT(free_as_the_page_says, free_q == (!open_q && pause_q == 5'd0 && !wait_q))
  `LOOM_ASSERT(fields_0_while_not_valid, (wr_valid_q || ({wr_vl_q, wr_last_q, wr_flits_q} == 9'd0 &&
      wr_data_q == NO_DATA)) &&
      (queue_o || (OUT_DELAY == 0 && told) ||
       {queue_vl_o, queue_len_o, queue_sl_o, queue_more_o} == 23'd0))

endmodule

`undef WORD_W
`default_nettype wire
