// SPDX-License-Identifier: Apache-2.0

// loom_packet_store: many queues (one a VL) of whole packets in one memory that is written and read
//   in words of up to LANES flits, with all state by VL or cell in RAM.
//
// Contract: announce_i reserves the units of a packet, queue_i shows it at the head of its VL in
//   its turn, take_i sends it. Packets are announced, queued and written in one order; a packet is
//   queued and written once its admission is sure (space_o in the cycle of its announcement and
//   MTU_UNITS or less, or announce_ok_o two cycles after it), its words after its announcement.
//   Words are complete. take_i comes only with soon_o, for a VL whose head_valid_o is 1. With
//   soon_o three cycles after a take or later, all that was taken is whole, at most EARLY flits of
//   it were not read two cycles before, and they show without an empty cycle. Every output is a
//   register.
// Algorithm: LANES banks; the flit of place p stands in bank p mod LANES. Cells of 8 flits are from
//   a ring of free ones (loom_packet_store_ring), in the order of announcement for the packets and
//   for the words, so that each side finds by itself which cell is next. Queues of records are in
//   loom_packet_store_queues, taken packets and the reader in loom_packet_store_reader.
// Latency: a packet queued in cycle c into an empty queue is in view in c+1; a take in c while
//   nothing is read shows flits in c+4, a word in c at the earliest in c+4; packets follow without
//   an empty cycle if taken in time (soon_o); the next packet of a VL is in view 4 cycles after the
//   take of the one before, 2 with PREFETCH if it is at hand.
// Wait bound: a head waits for VLS + 4 others at most to come into view.
// Parameters: VLS (1..32), CELLS (4..4096), LANES (1, 2, 4: flits of a word), RD_FLITS (most flits
//   read in a cycle, 1..LANES), INFO_W (bits of side information, 1..48), MTU_UNITS (units of the
//   largest packet that space_o speaks of, 1..512), EARLY (flits left at which the next packet may
//   be booked, 0..4095), PREFETCH (0, 1: the packet after a head is kept at hand).
// Realises: OP-02, OP-04, OP-05; probe total.
// Page: docs/parts.md, section packet_store.
`default_nettype none
`include "loom_assert.vh"

module loom_packet_store #(
  parameter integer VLS       = 9,
  parameter integer CELLS     = 256,
  parameter integer LANES     = 4,
  parameter integer RD_FLITS  = 1,
  parameter integer INFO_W    = 24,
  parameter integer MTU_UNITS = 16,
  parameter integer EARLY     = 16,
  parameter integer PREFETCH  = 0
) (
  input  wire                         clk_i,
  input  wire                         rst_i,
  input  wire                         announce_i,
  input  wire [11:0]                  announce_len_i,
  output wire                         space_o,
  output wire                         announce_ok_o,
  input  wire                         queue_i,
  input  wire [4:0]                   queue_vl_i,
  input  wire [11:0]                  queue_len_i,
  input  wire [INFO_W-1:0]            queue_info_i,
  input  wire                         wr_valid_i,
  input  wire [4:0]                   wr_vl_i,
  input  wire                         wr_last_i,
  input  wire [2:0]                   wr_flits_i,
  input  wire [LANES*64-1:0]          wr_data_i,
  output wire [VLS-1:0]               head_valid_o,
  output wire                         head_event_o,
  output wire [4:0]                   head_vl_o,
  output wire [11:0]                  head_len_o,
  output wire [INFO_W-1:0]            head_info_o,
  input  wire                         take_i,
  input  wire [4:0]                   take_vl_i,
  output wire                         soon_o,
  output wire                         rd_valid_o,
  output wire [4:0]                   rd_vl_o,
  output wire                         rd_first_o,
  output wire                         rd_last_o,
  output wire [2:0]                   rd_flits_o,
  output wire [1:0]                   rd_lane_o,
  output wire [LANES*64-1:0]          rd_data_o,
  output wire                         free_valid_o,
  output wire [4:0]                   free_vl_o,
  output wire [$clog2(CELLS+1)-1:0]   total_o
);

  localparam integer CW      = $clog2(CELLS);
  localparam integer COUNT_W = $clog2(CELLS + 1);
  localparam integer SUM_W   = ((COUNT_W > 10) ? COUNT_W : 10) + 1;
  localparam integer LL      = $clog2(LANES);
  localparam integer ONE_I   = CELLS - MTU_UNITS;
  localparam integer FOUR_I  = (CELLS < 4 * MTU_UNITS) ? 0 : CELLS - 4 * MTU_UNITS;
  localparam integer LAST_I  = LANES - 1;
  localparam [SUM_W-1:0]   ALL      = CELLS[SUM_W-1:0];
  localparam [COUNT_W-1:0] ONE_AT   = ONE_I[COUNT_W-1:0];       // most units in use for one packet
  localparam [COUNT_W-1:0] FOUR_AT  = FOUR_I[COUNT_W-1:0];
  localparam               HAS_FOUR = CELLS >= 4 * MTU_UNITS;
  localparam [COUNT_W-1:0] ONE      = 1;
  localparam [COUNT_W-1:0] ZERO     = 0;
  localparam [2:0]         LANE     = LAST_I[2:0];              // place -> lane: the low bits

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_packet_store_VLS_must_be_1_to_32 u_error ();
    end
    if (CELLS < 4 || CELLS > 4096) begin : g_bad_cells
      loom_packet_store_CELLS_must_be_4_to_4096 u_error ();
    end
    if (LANES != 1 && LANES != 2 && LANES != 4) begin : g_bad_lanes
      loom_packet_store_LANES_must_be_1_2_or_4 u_error ();
    end
    if (RD_FLITS < 1 || RD_FLITS > LANES) begin : g_bad_rd_flits
      loom_packet_store_RD_FLITS_must_be_1_to_LANES u_error ();
    end
    if (INFO_W < 1 || INFO_W > 48) begin : g_bad_info_w
      loom_packet_store_INFO_W_must_be_1_to_48 u_error ();
    end
    if (MTU_UNITS < 1 || MTU_UNITS > 512 || MTU_UNITS > CELLS) begin : g_bad_mtu_units
      loom_packet_store_MTU_UNITS_must_be_1_to_512_and_at_most_CELLS u_error ();
    end
    if (PREFETCH < 0 || PREFETCH > 1) begin : g_bad_prefetch
      loom_packet_store_PREFETCH_must_be_0_or_1 u_error ();
    end
    if (EARLY < 0 || EARLY > 4095) begin : g_bad_early
      loom_packet_store_EARLY_must_be_0_to_4095 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(queue_names_a_vl, !queue_i || {27'd0, queue_vl_i} < VLS)
  `LOOM_REQUIRE(queue_has_a_length, !queue_i || queue_len_i != 12'd0)
  `LOOM_REQUIRE(word_names_a_vl, !wr_valid_i || {27'd0, wr_vl_i} < VLS)
  `LOOM_REQUIRE(word_has_flits,
      !wr_valid_i || (wr_flits_i != 3'd0 && {29'd0, wr_flits_i} <= LANES))
  `LOOM_REQUIRE(word_stays_in_its_cell, !wr_valid_i || {1'b0, place_q} + {1'b0, wr_flits_i} < 4'd9)
  `LOOM_REQUIRE(take_only_soon, !take_i || soon_o)

  // ---- Units ------------------------------------------------------------------------------------

  reg ask_q;                            // the announcement of the last cycle
  reg [8:0] ask_less_q;                 // its units less 1
  reg ask_some_q;                       // it has a flit
  reg asked_q;                          // there was one in the cycle before
  reg [COUNT_W-1:0] total_q;
  reg one_q;
  reg four_q;
  reg space_q;
  reg ok_q;
  reg free_q;
  reg [4:0] free_vl_q;
  reg [CW-1:0] free_cell_q;

  wire [SUM_W-1:0] sum = {{(SUM_W - COUNT_W){1'b0}}, total_q} + {{(SUM_W - 9){1'b0}}, ask_less_q};
  wire ok = ask_q && ask_some_q && sum < ALL;
  wire [COUNT_W-1:0] with_it = sum[COUNT_W-1:0] + (free_q ? ZERO : ONE);
  wire [COUNT_W-1:0] without = total_q - (free_q ? ONE : ZERO);
  always @(posedge clk_i) begin
    ask_less_q <= announce_len_i[11:3] - {8'd0, announce_len_i[2:0] == 3'd0};
    ask_some_q <= announce_len_i != 12'd0;
    if (rst_i) begin
      ask_q <= 1'b0;
      asked_q <= 1'b0;
      total_q <= ZERO;
      one_q <= 1'b1;
      four_q <= HAS_FOUR;
      space_q <= 1'b1;
      ok_q <= 1'b0;
    end else begin
      ask_q <= announce_i;
      asked_q <= ask_q;
      total_q <= ok ? with_it : without;
      one_q <= total_q <= ONE_AT;
      four_q <= HAS_FOUR && total_q <= FOUR_AT;
      space_q <= four_q || (one_q && !announce_i && !ask_q && !asked_q);
      ok_q <= ok;
    end
  end

`ifdef LOOM_ASSERT_ON
  // Of what was admitted for sure: flits that are not yet written, packets that are not queued.
  reg [16:0] to_write_q;
  reg [15:0] to_queue_q;
  reg [11:0] ask_len_q;
  reg [11:0] asked_len_q;
  reg sure_q;
  reg was_sure_q;
  localparam integer SURE_I = MTU_UNITS * 8;
  reg [2:0] big_q;                      // a larger one was announced in the last three cycles
  wire big = {20'd0, announce_len_i} > SURE_I;
  wire sure = announce_i && space_q && !big && big_q == 3'd0 && announce_len_i != 12'd0;
  wire late = ok_q && !was_sure_q;

  always @(posedge clk_i) begin
    ask_len_q <= announce_len_i;
    asked_len_q <= ask_len_q;
    if (rst_i) begin
      to_write_q <= 17'd0;
      to_queue_q <= 16'd0;
      big_q <= 3'd0;
      sure_q <= 1'b0;
      was_sure_q <= 1'b0;
    end else begin
      big_q <= {big_q[1:0], announce_i && big};
      sure_q <= sure;
      was_sure_q <= sure_q;
      to_write_q <= to_write_q + (sure ? {5'd0, announce_len_i} : 17'd0)
                    + (late ? {5'd0, asked_len_q} : 17'd0)
                    - (wr_valid_i ? {14'd0, wr_flits_i} : 17'd0);
      to_queue_q <= to_queue_q + {15'd0, sure} + {15'd0, late} - {15'd0, queue_i};
    end
  end

  `LOOM_REQUIRE(announced_before_written,
      !wr_valid_i || to_write_q + (late ? {5'd0, asked_len_q} : 17'd0) >= {14'd0, wr_flits_i})
  `LOOM_ASSERT(sure_is_admitted, !was_sure_q || ok_q)
  `LOOM_REQUIRE(announced_before_queued, !queue_i || to_queue_q != 16'd0 || sure || late)
`endif

  // ---- Free cells -------------------------------------------------------------------------------

  reg new_q;                            // the next word begins a cell
  wire [CW-1:0] join_cell;
  wire [CW-1:0] new_cell;

  loom_packet_store_ring #(
    .CELLS(CELLS)
  ) u_ring (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(free_q),
    .push_cell_i(free_cell_q),
    .q_step_i(queue_i),
    .q_len_i(queue_len_i),
    .q_cell_o(join_cell),
    .w_step_i(wr_valid_i && new_q),
    .w_cell_o(new_cell)
  );

  // ---- Queues -----------------------------------------------------------------------------------

  wire taken;
  wire [4:0] taken_vl;
  wire [CW-1:0] taken_cell;
  wire [11:0] taken_less;
  wire put_off;

  loom_packet_store_queues #(
    .VLS(VLS),
    .CELLS(CELLS),
    .INFO_W(INFO_W),
    .PREFETCH(PREFETCH)
  ) u_queues (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .join_i(queue_i),
    .join_vl_i(queue_vl_i),
    .join_cell_i(join_cell),
    .join_len_i(queue_len_i),
    .join_info_i(queue_info_i),
    .head_valid_o(head_valid_o),
    .head_event_o(head_event_o),
    .head_vl_o(head_vl_o),
    .head_len_o(head_len_o),
    .head_info_o(head_info_o),
    .take_i(take_i),
    .take_vl_i(take_vl_i),
    .taken_o(taken),
    .taken_vl_o(taken_vl),
    .taken_cell_o(taken_cell),
    .taken_less_o(taken_less),
    .put_off_o(put_off)
  );

  // ---- Write side: a word is stored in the cycle after it came ----------------------------------

  reg [2:0] place_q;                    // of the next flit in its cell
  reg begins_q;                         // the next word begins a packet
  reg word_q;
  reg [4:0] word_vl_q;
  reg word_last_q;
  reg word_new_q;
  reg word_link_q;
  reg [2:0] word_place_q;
  reg [2:0] word_flits_q;
  reg [3:0] word_end_q;                 // the place after it
  reg [LANES*64-1:0] word_data_q;
  reg [CW-1:0] cell_q;

  wire [3:0] word_end = {1'b0, place_q} + {1'b0, wr_flits_i};
  wire [2:0] place = word_end[2:0];
  wire [CW-1:0] word_cell = word_new_q ? new_cell : cell_q;

  always @(posedge clk_i) begin
    word_last_q <= wr_last_i;
    word_new_q <= wr_valid_i && new_q;
    word_place_q <= place_q;
    word_flits_q <= wr_flits_i;
    // These stay for the reader.
    if (wr_valid_i) begin
      word_vl_q <= wr_vl_i;
      word_end_q <= word_end;
    end
    word_data_q <= wr_data_i;
    if (word_q) cell_q <= word_cell;
    if (rst_i) begin
      place_q <= 3'd0;
      begins_q <= 1'b1;
      new_q <= 1'b1;
      word_q <= 1'b0;
      word_link_q <= 1'b0;
    end else begin
      if (wr_valid_i) begin
        place_q <= wr_last_i ? 3'd0 : place;
        begins_q <= wr_last_i;
        new_q <= wr_last_i || place == 3'd0;
      end
      word_q <= wr_valid_i;
      word_link_q <= wr_valid_i && new_q && !begins_q;
    end
  end

  // ---- Read side --------------------------------------------------------------------------------

  wire rd;
  wire [4:0] rd_vl;
  wire [CW-1:0] rd_cell;
  wire [2:0] rd_place;
  wire [2:0] rd_flits;
  wire rd_first;
  wire rd_last;
  wire rd_free;

  loom_packet_store_reader #(
    .VLS(VLS),
    .CELLS(CELLS),
    .RD_FLITS(RD_FLITS),
    .EARLY(EARLY)
  ) u_reader (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .take_i(take_i),
    .taken_i(taken),
    .taken_vl_i(taken_vl),
    .taken_cell_i(taken_cell),
    .taken_less_i(taken_less),
    .put_off_i(put_off),
    .soon_o(soon_o),
    .wr_i(word_q),
    .wr_vl_i(word_vl_q),
    .wr_last_i(word_last_q),
    .wr_cell_i(word_cell),
    .wr_end_i(word_end_q),
    .wr_link_i(word_link_q),
    .wr_before_i(cell_q),
    .rd_o(rd),
    .rd_vl_o(rd_vl),
    .rd_cell_o(rd_cell),
    .rd_place_o(rd_place),
    .rd_flits_o(rd_flits),
    .rd_first_o(rd_first),
    .rd_last_o(rd_last),
    .rd_free_o(rd_free)
  );

  // Two stages: the word comes from the banks, and into the registers of the outputs.
  reg read_q;
  reg [4:0] read_vl_q;
  reg read_first_q;
  reg read_last_q;
  reg [2:0] read_flits_q;
  reg [1:0] read_lane_q;
  reg rd_valid_q;
  reg [4:0] rd_vl_q;
  reg rd_first_q;
  reg rd_last_q;
  reg [2:0] rd_flits_q;
  reg [1:0] rd_lane_q;

  always @(posedge clk_i) begin
    read_vl_q <= rd_vl;
    read_first_q <= rd_first;
    read_last_q <= rd_last;
    read_flits_q <= rd_flits;
    read_lane_q <= rd_place[1:0] & LANE[1:0];
    free_cell_q <= rd_cell;
    if (rst_i) begin
      read_q <= 1'b0;
      rd_valid_q <= 1'b0;
      free_q <= 1'b0;
    end else begin
      read_q <= rd;
      rd_valid_q <= read_q;
      free_q <= rd_free;
    end
    if (rst_i || !read_q) begin
      rd_vl_q <= 5'd0;
      rd_first_q <= 1'b0;
      rd_last_q <= 1'b0;
      rd_flits_q <= 3'd0;
      rd_lane_q <= 2'd0;
    end else begin
      rd_vl_q <= read_vl_q;
      rd_first_q <= read_first_q;
      rd_last_q <= read_last_q;
      rd_flits_q <= read_flits_q;
      rd_lane_q <= read_lane_q;
    end
    if (rst_i || !rd_free) free_vl_q <= 5'd0;
    else free_vl_q <= rd_vl;
  end

  // The banks.
  generate
    genvar g;
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      localparam [2:0] HERE = g;
      // Flits of the word before this lane, and the place of the flit in this lane.
      wire [2:0] wr_before = (HERE - word_place_q) & LANE;
      wire [2:0] wr_place = word_place_q + wr_before;
      wire [2:0] rd_before = (HERE - rd_place) & LANE;
      wire [2:0] rd_here_place = rd_place + rd_before;
      wire rd_here = rd && rd_before < rd_flits;
      wire unused_place = &{1'b0, wr_place, rd_here_place};
      wire [63:0] bank;
      reg here_q;
      reg [63:0] data_q;

      loom_apart_ram #(
        .DEPTH(CELLS * 8 / LANES),
        .WIDTH(64)
      ) u_data (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(word_q && wr_before < word_flits_q),
        .waddr_i({word_cell, wr_place[2:LL]}),
        .wdata_i(word_data_q[g*64 +: 64]),
        .re_i(rd_here),
        .raddr_i({rd_cell, rd_here_place[2:LL]}),
        .rdata_o(bank)
      );

      always @(posedge clk_i) begin
        here_q <= rd_here && !rst_i;
        if (rst_i || !here_q) data_q <= 64'd0;
        else data_q <= bank;
      end

      assign rd_data_o[g*64 +: 64] = data_q;
    end
  endgenerate

  assign space_o = space_q;
  assign announce_ok_o = ok_q;
  assign rd_valid_o = rd_valid_q;
  assign rd_vl_o = rd_vl_q;
  assign rd_first_o = rd_first_q;
  assign rd_last_o = rd_last_q;
  assign rd_flits_o = rd_flits_q;
  assign rd_lane_o = rd_lane_q;
  assign free_valid_o = free_q;
  assign free_vl_o = free_vl_q;
  assign total_o = total_q;

  // As a sum: where CELLS + 1 is a power of two, lint finds a comparison with CELLS constant.
  `LOOM_ASSERT(never_more_than_cells, {1'b0, total_q} < ALL[COUNT_W:0] + 1'b1)
  `LOOM_ASSERT(some_unit_in_use_when_one_is_freed, !free_q || total_q != ZERO)
  `LOOM_ASSERT(fields_0_while_not_valid,
      rd_valid_o || {rd_vl_o, rd_first_o, rd_last_o, rd_flits_o, rd_lane_o} == 12'd0)
  `LOOM_ASSERT(data_0_while_not_valid, rd_valid_o || rd_data_o == {(LANES*64){1'b0}})
  `LOOM_ASSERT(vl_0_while_nothing_freed, free_valid_o || free_vl_o == 5'd0)
  `LOOM_ASSERT(head_0_without_event,
      head_event_o || (head_vl_o == 5'd0 && head_len_o == 12'd0 && head_info_o == {INFO_W{1'b0}}))

endmodule

`default_nettype wire
