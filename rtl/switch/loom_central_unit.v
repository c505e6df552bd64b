// SPDX-License-Identifier: Apache-2.0

// loom_central_unit: a central buffer of an Omni-Path switch: takes packets from the four inputs of
//   its MPort, keeps them in two queues for each lane, and sends them to the outputs of the others.
// Inside: mport_switch.
//
// Contract: towards the inputs it is a loom_crossing, with its duties and promises, which takes the
//   words for target 4 of an input, or 5 if second_i is 1, constant from the end of the reset on;
//   towards the outputs a loom_departure. book_info_i has the output above HEAD_INFO. A need or a
//   limit of the room is written as the crossing wants it.
// Algorithm: a record joins its queue when its packet is booked, ahead of its words, so that the
//   second allocation goes on while the first crossing starts. A lane has a queue for the lower two
//   outputs of each MPort and one for the upper two, so that two of its heads are in view; with
//   more than 16 lanes one for all. Packets have numbers in the order of
//   their bookings, by which the departure knows what is whole.
// Latency: a packet alone: book_i in b, its head event in b + 1; a word in c is in the store in
//   c + 1, and of a start in y the first word is on word_* in y + 4.
// Wait bound: what is booked starts as in loom_crossing, and leaves as in loom_departure.
// Parameters: MPORTS (2..12), VLS (2..32), QUEUES (of each lane in the store, 1, 2; at most 32 in
//   all), MPORT_SPEEDUP (flits of a word from an input, 1..4), CENTRAL_SPEEDUP (flits of a word to
//   an output, 1..4), CELLS (units of the store, 16..4095), RESERVED (units of each lane there, VLS
//   times that at most CELLS), MTU_UNITS (units of the largest packet, 1..512, at most CELLS),
//   CENTRAL_DELAY (cycles that a record waits, 0..255).
// Realises: OP-02, OP-03, OP-04, OP-05, OP-07.
// Page: docs/mport_switch.md, section central_unit.
`default_nettype none
`include "loom_fields.vh"
`define IN_W (64 << $clog2(MPORT_SPEEDUP))
`define OUT_W (64 << $clog2(CENTRAL_SPEEDUP))

module loom_central_unit #(
  parameter integer MPORTS          = 12,
  parameter integer VLS             = 9,
  parameter integer QUEUES          = 2,
  parameter integer MPORT_SPEEDUP   = 3,
  parameter integer CENTRAL_SPEEDUP = 4,
  parameter integer CELLS           = 1024,
  parameter integer RESERVED        = 32,
  parameter integer MTU_UNITS       = 32,
  parameter integer CENTRAL_DELAY   = 0
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  input  wire                       second_i,

  // In: a target of the inputs.
  input  wire                       book_i,
  input  wire [5:0]                 book_source_i,
  input  wire [4:0]                 book_vl_i,
  input  wire [33:0]                book_info_i,
  output wire                       target_ready_o,
  output wire [VLS-1:0]             room_o,
  output wire                       free_o,
  input  wire [3:0]                 start_ok_i,
  input  wire [3:0]                 sure_i,
  input  wire [3:0]                 end_i,
  input  wire [3:0]                 word_valid_i,
  input  wire [3:0]                 word_last_i,
  input  wire [23:0]                word_target_i,
  input  wire [11:0]                word_flits_i,
  input  wire [4*`IN_W-1:0]         word_data_i,

  // Out: a source of the outputs.
  output wire                       head_event_o,
  output wire [4:0]                 head_lane_o,
  output wire [5:0]                 head_target_o,
  output wire [4:0]                 head_vl_o,
  output wire [27:0]                head_info_o,
  output wire                       source_ready_o,
  output wire                       start_ok_o,
  output wire                       sure_o,
  output wire                       end_o,
  input  wire                       take_i,
  input  wire [4:0]                 take_lane_i,
  input  wire [5:0]                 take_target_i,
  input  wire [4*MPORTS-1:0]        free_i,
  output wire                       word_valid_o,
  output wire [5:0]                 word_target_o,
  output wire                       word_last_o,
  output wire [2:0]                 word_flits_o,
  output wire [`OUT_W-1:0]          word_data_o,

  // The books of the room.
  input  wire                       need_we_i,
  input  wire [4:0]                 need_vl_i,
  input  wire [9:0]                 need_units_i,
  input  wire                       cfg_we_i,
  input  wire [6:0]                 cfg_addr_i,
  input  wire [11:0]                cfg_data_i,
  output wire                       ready_o,
  output wire                       idle_o,
  output wire                       error_o,
  output wire [$clog2(CELLS+1)-1:0] total_o,

  // Registers, for probes.
  output wire                       booked_o,
  output wire                       leaves_o,
  output wire [1:0]                 open_o
);

  localparam integer EARLY      = 16;           // flits left when the next may be booked
  localparam integer END_CYCLES = (MPORT_SPEEDUP == 1) ? 17 : (MPORT_SPEEDUP == 2) ? 10
                                  : (MPORT_SPEEDUP == 3) ? 8 : 7;
  localparam integer IN_LANES   = 1 << $clog2(MPORT_SPEEDUP);
  localparam integer OUT_LANES  = 1 << $clog2(CENTRAL_SPEEDUP);
  localparam integer LANES      = (IN_LANES > OUT_LANES) ? IN_LANES : OUT_LANES;
  localparam [5:0] NOT_HERE     = 6'd63;
  localparam integer LINES      = QUEUES * VLS;         // queues of the store

  // ---- In ---------------------------------------------------------------------------------------

  wire [23:0] to;                               // which central unit the words of an input are for
  wire announce;
  wire [11:0] announce_len;
  wire queue;
  wire [4:0] queue_vl;
  wire [11:0] queue_len;
  wire [4:0] queue_sl;
  wire queue_more;
  wire wr_valid;
  wire [4:0] wr_vl;
  wire wr_last;
  wire [2:0] wr_flits;
  wire [`IN_W-1:0] wr_data;
  wire space;
  wire free_valid;
  wire [4:0] free_vl;
  wire config_ok;
  wire used_valid;
  wire [4:0] used_vl;
  wire [11:0] used;
  wire [11:0] room_total;
  wire unused_room = &{1'b0, config_ok, used_valid, used_vl, used, room_total};

  genvar s;
  generate
    for (s = 0; s < 4; s = s + 1) begin : g_source
      wire [5:0] target = word_target_i[s*6 +: 6];
      assign to[s*6 +: 6] = (target[5:1] == 5'd2) ? {5'd0, target[0]} : NOT_HERE;
    end
  endgenerate

  loom_crossing #(
    .PORTS(4),
    .VLS(VLS),
    .SPEEDUP(MPORT_SPEEDUP),
    .CELLS(CELLS),
    .RESERVED(RESERVED),
    .MTU_UNITS(MTU_UNITS),
    .AHEAD(1),
    .OUT_DELAY(0),
    .SHORT(EARLY),
    .END_CYCLES(END_CYCLES)
  ) u_crossing (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .number_i({5'd0, second_i}),
    .book_i(book_i),
    .book_source_i(book_source_i),
    .book_vl_i(book_vl_i),
    .book_info_i(book_info_i[27:0]),
    .target_ready_o(target_ready_o),
    .room_o(room_o),
    .start_ok_i(start_ok_i),
    .sure_i(sure_i),
    .end_i(end_i),
    .free_o(free_o),
    .word_valid_i(word_valid_i),
    .word_last_i(word_last_i),
    .word_target_i(to),
    .word_flits_i(word_flits_i),
    .word_data_i(word_data_i),
    .announce_o(announce),
    .announce_len_o(announce_len),
    .queue_o(queue),
    .queue_vl_o(queue_vl),
    .queue_len_o(queue_len),
    .queue_sl_o(queue_sl),
    .queue_more_o(queue_more),
    .wr_valid_o(wr_valid),
    .wr_vl_o(wr_vl),
    .wr_last_o(wr_last),
    .wr_flits_o(wr_flits),
    .wr_data_o(wr_data),
    .space_i(space),
    .free_valid_i(free_valid),
    .free_vl_i(free_vl),
    .need_we_i(need_we_i),
    .need_vl_i(need_vl_i),
    .need_units_i(need_units_i),
    .cfg_we_i(cfg_we_i),
    .cfg_addr_i(cfg_addr_i),
    .cfg_data_i(cfg_data_i),
    .ready_o(ready_o),
    .idle_o(idle_o),
    .config_ok_o(config_ok),
    .error_o(error_o),
    .used_valid_o(used_valid),
    .used_vl_o(used_vl),
    .used_o(used),
    .total_o(room_total),
    .booked_o(booked_o)
  );

  // ---- Numbers ----------------------------------------------------------------------------------

  reg [5:0] number_q;                           // of the packet that was booked last,
  reg [5:0] out_q;                              // its output
  reg [1:0] open_q;                             // packets whose last word is still to be written,
  reg [2:0] sides_q;                            // and bit 1 of the output of each, the last lowest
  wire ends = wr_valid && wr_last;
  wire [5:0] number = number_q + {5'd0, book_i};
  wire [5:0] out = book_i ? book_info_i[33:28] : out_q;
  wire wr_side = (open_q == 2'd1) ? sides_q[0] : (open_q == 2'd2) ? sides_q[1] : sides_q[2];

  always @(posedge clk_i) begin
    if (book_i) out_q <= book_info_i[33:28];
    if (book_i) sides_q <= {sides_q[1:0], book_info_i[29]};
    if (rst_i) begin
      number_q <= 6'd0;
      open_q <= 2'd0;
    end else begin
      number_q <= number;
      open_q <= open_q + {1'b0, book_i} - {1'b0, ends};
    end
  end

  // ---- The store --------------------------------------------------------------------------------

  wire late;
  wire [5:0] late_number;
  wire [5:0] late_out;
  wire [4:0] late_sl;
  wire late_more;
  wire [4:0] late_line;
  wire [11:0] late_len;
  wire announce_ok;
  wire [LINES-1:0] head_valid;
  wire head;
  wire [4:0] head_lane;
  wire [11:0] head_len;
  wire [5:0] head_number;
  wire [5:0] head_target;
  wire [4:0] head_sl;
  wire head_more;
  wire take;
  wire [4:0] take_lane;
  wire soon;
  wire rd_valid;
  wire [4:0] rd_vl;
  wire [4:0] queue_line;                        // queues of the store
  wire [4:0] wr_line;
  wire [4:0] free_line;
  wire [4:0] head_vl;                           // lane of the head in view
  wire rd_first;
  wire rd_last;
  wire [2:0] rd_flits;
  wire [1:0] rd_lane;
  wire [LANES*64-1:0] rd_data;
  wire unused_store = &{1'b0, announce_ok, head_valid, rd_vl, rd_first, rd_lane};

  generate
    if (QUEUES == 1) begin : g_one_queue
      wire unused_side = &{1'b0, wr_side};
      assign queue_line = queue_vl;
      assign wr_line = wr_vl;
      assign free_vl = free_line;
      assign head_vl = head_lane;
    end else begin : g_two_queues
      wire unused_lanes = &{1'b0, queue_vl[4], wr_vl[4], free_line[0]};
      assign queue_line = {queue_vl[3:0], out[1]};
      assign wr_line = {wr_vl[3:0], wr_side};
      assign free_vl = {1'b0, free_line[4:1]};
      assign head_vl = {1'b0, head_lane[4:1]};
    end
  endgenerate

  wire [34:0] record = {number, out, queue_sl, queue_more, queue_line, queue_len};
  wire [34:0] late_record;
  assign {late_number, late_out, late_sl, late_more, late_line, late_len} = late_record;

  // Without a delay nothing makes the fields 0 while no packet joins, as no part looks at them.
  generate
    if (CENTRAL_DELAY == 0) begin : g_at_once
      assign late = queue;
      assign late_record = record;
    end else begin : g_later
      loom_delay #(
        .DEPTH(CENTRAL_DELAY),
        .WIDTH(35)
      ) u_record (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .valid_i(queue),
        .data_i(record),
        .valid_o(late),
        .data_o(late_record)
      );
    end
  endgenerate

  loom_packet_store #(
    .VLS(LINES),
    .CELLS(CELLS),
    .LANES(LANES),
    .RD_FLITS(CENTRAL_SPEEDUP),
    .INFO_W(18),
    .MTU_UNITS(MTU_UNITS),
    .EARLY(EARLY),
    .PREFETCH(1)
  ) u_store (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .announce_i(announce),
    .announce_len_i(announce_len),
    .space_o(space),
    .announce_ok_o(announce_ok),
    .queue_i(late),
    .queue_vl_i(late_line),
    .queue_len_i(late_len),
    .queue_info_i({late_number, late_out, late_sl, late_more}),
    .wr_valid_i(wr_valid),
    .wr_vl_i(wr_line),
    .wr_last_i(wr_last),
    .wr_flits_i(wr_flits),
    .wr_data_i({(LANES / IN_LANES){wr_data}}),
    .head_valid_o(head_valid),
    .head_event_o(head),
    .head_vl_o(head_lane),
    .head_len_o(head_len),
    .head_info_o({head_number, head_target, head_sl, head_more}),
    .take_i(take),
    .take_vl_i(take_lane),
    .soon_o(soon),
    .rd_valid_o(rd_valid),
    .rd_vl_o(rd_vl),
    .rd_first_o(rd_first),
    .rd_last_o(rd_last),
    .rd_flits_o(rd_flits),
    .rd_lane_o(rd_lane),
    .rd_data_o(rd_data),
    .free_valid_o(free_valid),
    .free_vl_o(free_line),
    .total_o(total_o)
  );

  // ---- Out --------------------------------------------------------------------------------------

  // Of the lanes of the store that come to one of a word, one at most has a flit.
  reg [`OUT_W-1:0] out_data;
  integer k;

  always @* begin
    out_data = rd_data[`OUT_W-1:0];
    for (k = OUT_LANES; k < LANES; k = k + OUT_LANES) begin
      out_data = out_data | rd_data[k*64 +: `OUT_W];
    end
  end

  wire [LINES-1:0] drops;
  wire [1:0] settle;
  wire [2:0] busy;
  wire [11:0] tail;
  wire turn;
  wire unused_departure = &{1'b0, drops, settle, busy, tail, turn};

  loom_departure #(
    .TARGETS(4 * MPORTS),
    .VLS(LINES),
    .SPEEDUP(CENTRAL_SPEEDUP),
    .EARLY(EARLY),
    .DROPS(0)
  ) u_departure (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .head_event_i(head),
    .head_lane_i(head_lane),
    .head_len_i(head_len),
    .head_number_i(head_number),
    .head_drop_i(1'b0),
    .head_target_i(head_target),
    .head_vl_i(head_vl),
    .head_sl_i(head_sl),
    .head_more_i(head_more),
    .number_i(number_q),
    .open_i(open_q),
    .ends_i(ends),
    .head_event_o(head_event_o),
    .head_lane_o(head_lane_o),
    .head_target_o(head_target_o),
    .head_vl_o(head_vl_o),
    .head_info_o(head_info_o),
    .source_ready_o(source_ready_o),
    .book_i(take_i),
    .book_lane_i(take_lane_i),
    .book_target_i(take_target_i),
    .free_i(free_i),
    .start_ok_o(start_ok_o),
    .sure_o(sure_o),
    .end_o(end_o),
    .soon_i(soon),
    .take_o(take),
    .take_lane_o(take_lane),
    .rd_valid_i(rd_valid),
    .rd_last_i(rd_last),
    .rd_flits_i(rd_flits),
    .rd_data_i(out_data),
    .word_valid_o(word_valid_o),
    .word_target_o(word_target_o),
    .word_last_o(word_last_o),
    .word_flits_o(word_flits_o),
    .word_data_o(word_data_o),
    .booked_o(leaves_o),
    .drops_o(drops),
    .settle_o(settle),
    .busy_o(busy),
    .tail_o(tail),
    .turn_o(turn)
  );

  assign open_o = open_q;

endmodule

`undef IN_W
`undef OUT_W
`default_nettype wire
