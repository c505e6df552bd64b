// SPDX-License-Identifier: Apache-2.0

// loom_packet_buffer: many queues (one a VL) of whole packets in one memory that is written and
//   read in words of up to LANES flits.
//
// Contract: announce_i reserves the units of a packet, queue_i shows it at the head of its VL in
//   its turn, take_i sends it. Packets of one VL are announced, written and queued in one order,
//   each announced before its first word and not queued before that; words are complete and in
//   order. A packet may be queued and taken before its flits are there. announce_ok_o and rd_done_o
//   are combinational, all other outputs functions of the state.
// Algorithm: LANES banks; the flit of place p stands in bank p mod LANES. Each VL has one list of
//   cells of 8 flits across its packets; cells come in fresh order once and then from the queue of
//   freed ones. The link of a cell is read as the cell is freed. The head packet of each VL stands
//   in registers, the ones after it in a RAM at the slot of the packet before; slots are given out
//   as cells are. A loom_credit_tracker admits (OP-06).
// Latency: a packet queued in cycle c into an empty queue shows in c+1; a take in c while nothing
//   is read gives the first flits on rd_* in c+1, then up to RD_FLITS a cycle while they are there;
//   packets follow without a gap if taken in time (take_ready_o).
// Wait bound: a packet of a VL below its reserve is never refused; the head of a VL with more
//   packets after it is replaced two cycles after its take.
// Parameters: VLS (1..32), CELLS (4..4096), LANES (1, 2, 4: flits of a word), RD_FLITS (most flits
//   read in a cycle, 1..LANES), INFO_W (bits of side information, 1..48), RESERVED (units
//   guaranteed to each VL after reset), EARLY (flits left at which the next take is accepted,
//   0..4095).
// Realises: OP-02, OP-04, OP-05, OP-06; probes active, pending, total.
// Page: docs/parts.md, section packet_buffer.
`default_nettype none
`include "loom_assert.vh"

module loom_packet_buffer #(
  parameter integer VLS      = 9,
  parameter integer CELLS    = 256,
  parameter integer LANES    = 4,
  parameter integer RD_FLITS = 1,
  parameter integer INFO_W   = 24,
  parameter integer RESERVED = 4,
  parameter integer EARLY    = 8
) (
  input  wire                                                 clk_i,
  input  wire                                                 rst_i,
  input  wire                                                 cfg_we_i,
  input  wire [6:0]                                           cfg_addr_i,
  input  wire [((CELLS < 8) ? 4 : $clog2(CELLS + 1))-1:0]     cfg_data_i,
  input  wire                                                 announce_i,
  input  wire [4:0]                                           announce_vl_i,
  input  wire [11:0]                                          announce_len_i,
  output wire                                                 announce_ok_o,
  input  wire                                                 queue_i,
  input  wire [4:0]                                           queue_vl_i,
  input  wire [11:0]                                          queue_len_i,
  input  wire [INFO_W-1:0]                                    queue_info_i,
  input  wire                                                 wr_valid_i,
  input  wire [4:0]                                           wr_vl_i,
  input  wire                                                 wr_first_i,
  input  wire [2:0]                                           wr_flits_i,
  input  wire [LANES*64-1:0]                                  wr_data_i,
  output wire [VLS-1:0]                                       head_valid_o,
  output wire [VLS*12-1:0]                                    head_len_o,
  output wire [VLS*INFO_W-1:0]                                head_info_o,
  input  wire                                                 take_i,
  input  wire [4:0]                                           take_vl_i,
  output wire                                                 take_ready_o,
  output wire                                                 rd_done_o,
  output wire                                                 rd_busy_o,
  output wire                                                 rd_valid_o,
  output wire [4:0]                                           rd_vl_o,
  output wire                                                 rd_first_o,
  output wire                                                 rd_last_o,
  output wire [2:0]                                           rd_flits_o,
  output wire [1:0]                                           rd_lane_o,
  output wire [LANES*64-1:0]                                  rd_data_o,
  output wire                                                 free_valid_o,
  output wire [4:0]                                           free_vl_o,
  output wire [VLS*((CELLS < 8) ? 4 : $clog2(CELLS + 1))-1:0] used_o,
  output wire [VLS*((CELLS < 8) ? 4 : $clog2(CELLS + 1))-1:0] avail_o,
  output wire [((CELLS < 8) ? 4 : $clog2(CELLS + 1))-1:0]     total_o,
  output wire                                                 error_o
);

  localparam integer CW      = $clog2(CELLS);
  localparam integer COUNT_W = (CELLS < 8) ? 4 : $clog2(CELLS + 1);
  localparam integer VW      = (VLS < 2) ? 1 : $clog2(VLS);
  localparam integer LL      = $clog2(LANES);
  localparam integer FLITS   = CELLS * 8;
  localparam integer FW      = $clog2(FLITS + 1);
  localparam integer LIST_W  = CW + 12 + INFO_W;
  localparam integer SUM_W   = (COUNT_W > 10) ? COUNT_W : 10;
  localparam integer LATE_I  = EARLY + 1;
  localparam integer LAST_I  = LANES - 1;
  localparam [VLS-1:0]     HOT0  = 1;
  localparam [CW:0]        ALL   = CELLS[CW:0];
  localparam [CW:0]        ONE_N = 1;
  localparam [12:0]        LATE  = LATE_I[12:0];
  localparam [2:0]         MOST  = RD_FLITS[2:0];
  localparam [2:0]         LANE  = LAST_I[2:0];          // place -> lane: the low bits
  localparam [COUNT_W-1:0] ZERO  = 0;
  localparam [COUNT_W-1:0] ONE   = 1;

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_packet_buffer_VLS_must_be_1_to_32 u_error ();
    end
    if (CELLS < 4 || CELLS > 4096) begin : g_bad_cells
      loom_packet_buffer_CELLS_must_be_4_to_4096 u_error ();
    end
    if (LANES != 1 && LANES != 2 && LANES != 4) begin : g_bad_lanes
      loom_packet_buffer_LANES_must_be_1_2_or_4 u_error ();
    end
    if (RD_FLITS < 1 || RD_FLITS > LANES) begin : g_bad_rd_flits
      loom_packet_buffer_RD_FLITS_must_be_1_to_LANES u_error ();
    end
    if (INFO_W < 1 || INFO_W > 48) begin : g_bad_info_w
      loom_packet_buffer_INFO_W_must_be_1_to_48 u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > CELLS) begin : g_bad_reserved
      loom_packet_buffer_CELLS_must_hold_all_RESERVED u_error ();
    end
    if (EARLY < 0 || EARLY > 4095) begin : g_bad_early
      loom_packet_buffer_EARLY_must_be_0_to_4095 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(queue_names_a_vl, !queue_i || HOT0 << queue_vl_i != {VLS{1'b0}})
  `LOOM_REQUIRE(queue_has_a_length, !queue_i || queue_len_i != 12'd0)
  `LOOM_REQUIRE(word_names_a_vl, !wr_valid_i || HOT0 << wr_vl_i != {VLS{1'b0}})
  `LOOM_REQUIRE(word_has_flits,
      !wr_valid_i || (wr_flits_i != 3'd0 && {29'd0, wr_flits_i} <= LANES))
  `LOOM_REQUIRE(word_stays_in_its_cell, !wr_valid_i || {1'b0, wr_pos} + {1'b0, wr_flits_i} < 4'd9)

`ifdef LOOM_ASSERT_ON
  // Of what was announced on each VL: flits that are not yet written, packets that are not queued.
  reg [VLS*16-1:0] to_write_q;
  reg [VLS*16-1:0] to_queue_q;
  integer a;

  always @(posedge clk_i) begin
    if (rst_i) begin
      to_write_q <= {(VLS*16){1'b0}};
      to_queue_q <= {(VLS*16){1'b0}};
    end else if (announce_ok || wr_valid_i || queue_i) begin
      for (a = 0; a < VLS; a = a + 1) begin
        to_write_q[a*16 +: 16] <= to_write_q[a*16 +: 16]
            + ((announce_ok && announce_vl_i == a[4:0]) ? {4'd0, announce_len_i} : 16'd0)
            - ((wr_valid_i && wr_vl_i == a[4:0]) ? {13'd0, wr_flits_i} : 16'd0);
        to_queue_q[a*16 +: 16] <= to_queue_q[a*16 +: 16]
            + ((announce_ok && announce_vl_i == a[4:0]) ? 16'd1 : 16'd0)
            - ((queue_i && queue_vl_i == a[4:0]) ? 16'd1 : 16'd0);
      end
    end
  end

  `LOOM_REQUIRE(announced_before_written,
      !wr_valid_i || to_write_q[wr_vl*16 +: 16] >= {13'd0, wr_flits_i})
  `LOOM_REQUIRE(announced_before_queued, !queue_i || to_queue_q[queue_vl*16 +: 16] != 16'd0
      || (announce_ok && announce_vl_i == queue_vl_i))
`endif

  // Cells of each VL: a list from the cell that is read to the cell that is filled.
  reg [VLS-1:0] some_q;                         // the list is not empty
  reg [CW-1:0] first_cell_q [0:VLS-1];
  reg [CW-1:0] last_cell_q [0:VLS-1];
  reg [2:0] pos_q [0:VLS-1];                    // place in the last cell of the next flit
  reg [FW-1:0] count_q [0:VLS-1];               // flits in memory
  reg [CW:0] fresh_q;                           // cells that were used once
  reg link_q;                                   // the next cell of link_vl is read from the RAM
  reg [VW-1:0] link_vl_q;

  // Waiting packets of each VL.
  reg [VLS-1:0] head_valid_q;
  reg [VLS*12-1:0] head_len_q;
  reg [VLS*INFO_W-1:0] head_info_q;
  reg [11:0] len_q [0:VLS-1];                   // the same lengths, to be indexed
  reg [CW-1:0] first_slot_q [0:VLS-1];
  reg [CW-1:0] last_slot_q [0:VLS-1];
  reg [CW:0] fresh_slot_q;
  reg load_q;                                   // the next head of load_vl is read from the RAM
  reg [VW-1:0] load_vl_q;

  // Read side.
  reg pending_q;
  reg [VW-1:0] pending_vl_q;
  reg [11:0] pending_len_q;
  reg active_q;
  reg [VW-1:0] active_vl_q;
  reg active_first_q;                           // the next flit is the first of its packet
  reg [2:0] active_pos_q;
  reg [11:0] active_left_q;
  reg rd_valid_q;
  reg [4:0] rd_vl_q;
  reg rd_first_q;
  reg rd_last_q;
  reg [2:0] rd_flits_q;
  reg [1:0] rd_lane_q;
  reg free_valid_q;
  reg [4:0] free_vl_q;
  reg [COUNT_W-1:0] total_q;

  wire unused = &{1'b0, queue_vl_i, wr_vl_i, take_vl_i};

  // ---- Take -------------------------------------------------------------------------------------

  wire take_ready = !pending_q && (!active_q || {1'b0, active_left_q} < LATE);
  wire [VW-1:0] take_vl = take_vl_i[VW-1:0];
  wire [VLS-1:0] take_hot = HOT0 << take_vl_i;
  wire take = take_i && take_ready && (head_valid_q & take_hot) != {VLS{1'b0}};
  wire [11:0] take_len = len_q[take_vl];

  // ---- Read side: the packet of this cycle is the active one, or the one that is taken now ------

  wire cur = active_q || take;
  wire [VW-1:0] cur_vl = active_q ? active_vl_q : take_vl;
  wire cur_first = !active_q || active_first_q;
  wire [2:0] cur_pos = active_q ? active_pos_q : 3'd0;
  wire [11:0] cur_left = active_q ? active_left_q : take_len;
  wire [FW-1:0] there = count_q[cur_vl];
  wire [3:0] cur_room = 4'd8 - {1'b0, cur_pos};

  // The number of flits that are read: the least of four.
  wire [2:0] most_there = (there < {{(FW - 3){1'b0}}, MOST}) ? there[2:0] : MOST;
  wire [2:0] most_left = (cur_left < {9'd0, MOST}) ? cur_left[2:0] : MOST;
  wire [2:0] most_room = (cur_room < {1'b0, MOST}) ? cur_room[2:0] : MOST;
  wire [2:0] least = (most_left < most_room) ? most_left : most_room;
  wire [2:0] rd_flits = (most_there < least) ? most_there : least;
  wire rd = cur && there != {FW{1'b0}};
  wire [11:0] rd_left = cur_left - {9'd0, rd_flits};
  wire [2:0] rd_pos = cur_pos + rd_flits;
  wire rd_done = rd && rd_left == 12'd0;
  wire free = rd_done || (rd && rd_pos == 3'd0);

  wire [CW-1:0] link;
  wire [CW-1:0] rd_cell = (link_q && link_vl_q == cur_vl) ? link : first_cell_q[cur_vl];
  wire free_only = rd_cell == last_cell_q[cur_vl];       // no cell after the one that is freed
  wire rd_link = free && !free_only;
  wire [VLS-1:0] cur_hot = HOT0 << cur_vl;
  wire [4:0] cur_vl5 = {{(5 - VW){1'b0}}, cur_vl};

  // ---- Write side -------------------------------------------------------------------------------

  wire [VW-1:0] wr_vl = wr_vl_i[VW-1:0];
  wire [VLS-1:0] wr_hot = HOT0 << wr_vl_i;
  wire [2:0] wr_pos = wr_first_i ? 3'd0 : pos_q[wr_vl];
  wire wr_new_cell = wr_pos == 3'd0;
  wire alloc = wr_valid_i && wr_new_cell;
  wire [CW-1:0] wr_last = last_cell_q[wr_vl];

  // Cells: fresh ones first, then the freed ones in their order.
  wire fresh_done = fresh_q == ALL;
  wire [CW-1:0] freed_cell;
  wire [CW-1:0] new_cell = fresh_done ? freed_cell : fresh_q[CW-1:0];
  wire [CW-1:0] wr_cell = wr_new_cell ? new_cell : wr_last;

  // A new cell is the first of its list if that is empty, or loses its only cell now.
  wire wr_same = rd && cur_vl == wr_vl;
  wire alloc_first = alloc && ((some_q & wr_hot) == {VLS{1'b0}} || (free && wr_same && free_only));

  loom_ram #(
    .DEPTH(CELLS),
    .WIDTH(CW)
  ) u_link (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(alloc && !alloc_first),
    .waddr_i(wr_last),
    .wdata_i(new_cell),
    .re_i(rd_link),
    .raddr_i(rd_cell),
    .rdata_o(link)
  );

  // The tracker guarantees that a freed cell is there when one is needed.
  wire freed_there;
  wire freed_room;
  wire unused_freed = &{1'b0, freed_there, freed_room};
  wire [$clog2(CELLS+1)-1:0] unused_free_count;

  loom_fifo #(
    .DEPTH(CELLS),
    .WIDTH(CW)
  ) u_free (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(free),
    .data_i(rd_cell),
    .pop_i(alloc && fresh_done),
    .valid_o(freed_there),
    .data_o(freed_cell),
    .ready_o(freed_room),
    .count_o(unused_free_count)
  );

  // The banks.
  generate
    genvar g;
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      localparam [2:0] HERE = g;
      // Flits of the word before this lane, and the place of the flit in this lane.
      wire [2:0] wr_before = (HERE - wr_pos) & LANE;
      wire [2:0] wr_place = wr_pos + wr_before;
      wire [2:0] rd_before = (HERE - cur_pos) & LANE;
      wire [2:0] rd_place = cur_pos + rd_before;
      wire rd_here = rd && rd_before < rd_flits;
      wire unused_place = &{1'b0, wr_place, rd_place};
      wire [63:0] rd_data;
      reg here_q;

      loom_ram #(
        .DEPTH(FLITS / LANES),
        .WIDTH(64)
      ) u_data (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(wr_valid_i && wr_before < wr_flits_i),
        .waddr_i({wr_cell, wr_place[2:LL]}),
        .wdata_i(wr_data_i[g*64 +: 64]),
        .re_i(rd_here),
        .raddr_i({rd_cell, rd_place[2:LL]}),
        .rdata_o(rd_data)
      );

      always @(posedge clk_i) begin
        if (rst_i) here_q <= 1'b0;
        else here_q <= rd_here;
      end

      assign rd_data_o[g*64 +: 64] = here_q ? rd_data : 64'd0;
    end
  endgenerate

  // ---- Waiting packets --------------------------------------------------------------------------

  wire [VW-1:0] queue_vl = queue_vl_i[VW-1:0];
  wire [VLS-1:0] queue_hot = HOT0 << queue_vl_i;
  wire [CW-1:0] take_slot = first_slot_q[take_vl];
  wire take_next = take && last_slot_q[take_vl] != take_slot;    // a packet waits after

  // A packet is the first of its list if that is empty, or loses its only packet now.
  wire [VLS-1:0] load_hot = load_q ? HOT0 << load_vl_q : {VLS{1'b0}};
  wire [VLS-1:0] leaves_hot = (take && !take_next) ? take_hot : {VLS{1'b0}};
  wire [VLS-1:0] empty = ~(head_valid_q | load_hot) | leaves_hot;
  wire queue_first = queue_i && (empty & queue_hot) != {VLS{1'b0}};

  wire fresh_slot_done = fresh_slot_q == ALL;
  wire [CW-1:0] freed_slot;
  wire [CW-1:0] new_slot = fresh_slot_done ? freed_slot : fresh_slot_q[CW-1:0];
  wire [LIST_W-1:0] next_packet;
  wire [CW-1:0] next_slot = next_packet[LIST_W-1 -: CW];
  wire [11:0] next_len = next_packet[INFO_W +: 12];
  wire [INFO_W-1:0] next_info = next_packet[INFO_W-1:0];

  loom_ram #(
    .DEPTH(CELLS),
    .WIDTH(LIST_W)
  ) u_list (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(queue_i && !queue_first),
    .waddr_i(last_slot_q[queue_vl]),
    .wdata_i({new_slot, queue_len_i, queue_info_i}),
    .re_i(take_next),
    .raddr_i(take_slot),
    .rdata_o(next_packet)
  );

  // No more packets wait than there are units.
  wire slot_there;
  wire slot_room;
  wire unused_slot = &{1'b0, slot_there, slot_room};
  wire [$clog2(CELLS+1)-1:0] unused_slot_count;

  loom_fifo #(
    .DEPTH(CELLS),
    .WIDTH(CW)
  ) u_slots (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(take),
    .data_i(take_slot),
    .pop_i(queue_i && fresh_slot_done),
    .valid_o(slot_there),
    .data_o(freed_slot),
    .ready_o(slot_room),
    .count_o(unused_slot_count)
  );

  // ---- Admission --------------------------------------------------------------------------------

  wire [9:0] announce_size = {1'b0, announce_len_i[11:3]} + {9'd0, announce_len_i[2:0] != 3'd0};
  wire announce_ok;
  wire unused_config_ok;

  loom_credit_tracker #(
    .VLS(VLS),
    .COUNT_W(COUNT_W),
    .SIZE_W(10),
    .UNITS(CELLS),
    .MAX_UNITS(CELLS),
    .RESERVED(RESERVED)
  ) u_tracker (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(cfg_we_i),
    .cfg_addr_i(cfg_addr_i),
    .cfg_data_i(cfg_data_i),
    .consume_valid_i(announce_i),
    .consume_vl_i(announce_vl_i),
    .consume_size_i(announce_size),
    .consume_ok_o(announce_ok),
    .return_valid_i(free),
    .return_vl_i(cur_vl5),
    .avail_o(avail_o),
    .used_o(used_o),
    .config_ok_o(unused_config_ok),
    .error_o(error_o)
  );

  // What is admitted fits in COUNT_W bits.
  wire [SUM_W-1:0] size = {{(SUM_W - 10){1'b0}}, announce_size};
  wire [COUNT_W-1:0] announced = announce_ok ? size[COUNT_W-1:0] : ZERO;
  wire unused_size = &{1'b0, size};

  // ---- Registers --------------------------------------------------------------------------------

  localparam [FW-1:0] NONE = 0;
  wire [FW-1:0] rd_sub = {{(FW - 3){1'b0}}, rd_flits};
  integer c;

  always @(posedge clk_i) begin
    if (link_q) first_cell_q[link_vl_q] <= link;
    if (alloc_first) first_cell_q[wr_vl] <= new_cell;
    if (alloc) last_cell_q[wr_vl] <= new_cell;
    if (wr_valid_i) pos_q[wr_vl] <= wr_pos + wr_flits_i;
    if (rst_i) begin
      some_q <= {VLS{1'b0}};
      fresh_q <= {(CW + 1){1'b0}};
      link_q <= 1'b0;
      link_vl_q <= {VW{1'b0}};
      for (c = 0; c < VLS; c = c + 1) count_q[c] <= NONE;
    end else begin
      some_q <= (some_q & ~((free && free_only) ? cur_hot : {VLS{1'b0}}))
                | (alloc ? wr_hot : {VLS{1'b0}});
      if (alloc && !fresh_done) fresh_q <= fresh_q + ONE_N;
      link_q <= rd_link;
      if (rd_link) link_vl_q <= cur_vl;
      if (rd) count_q[cur_vl] <= there - rd_sub;
      if (wr_valid_i) begin
        count_q[wr_vl] <= count_q[wr_vl] + {{(FW - 3){1'b0}}, wr_flits_i}
                          - (wr_same ? rd_sub : NONE);
      end
    end
  end

  integer i;

  always @(posedge clk_i) begin
    if (load_q) begin
      first_slot_q[load_vl_q] <= next_slot;
      len_q[load_vl_q] <= next_len;
    end
    if (queue_first) begin
      first_slot_q[queue_vl] <= new_slot;
      len_q[queue_vl] <= queue_len_i;
    end
    if (queue_i) last_slot_q[queue_vl] <= new_slot;
    if (rst_i) begin
      head_valid_q <= {VLS{1'b0}};
      head_len_q <= {(VLS*12){1'b0}};
      head_info_q <= {(VLS*INFO_W){1'b0}};
      fresh_slot_q <= {(CW + 1){1'b0}};
      load_q <= 1'b0;
      load_vl_q <= {VW{1'b0}};
    end else begin
      if (queue_i && !fresh_slot_done) fresh_slot_q <= fresh_slot_q + ONE_N;
      load_q <= take_next;
      if (take_next) load_vl_q <= take_vl;
      if (take || load_q || queue_first) begin
        for (i = 0; i < VLS; i = i + 1) begin
          if (queue_first && queue_hot[i]) begin
            head_valid_q[i] <= 1'b1;
            head_len_q[i*12 +: 12] <= queue_len_i;
            head_info_q[i*INFO_W +: INFO_W] <= queue_info_i;
          end else if (load_hot[i]) begin
            head_valid_q[i] <= 1'b1;
            head_len_q[i*12 +: 12] <= next_len;
            head_info_q[i*INFO_W +: INFO_W] <= next_info;
          end else if (take && take_hot[i]) begin
            head_valid_q[i] <= 1'b0;
            head_len_q[i*12 +: 12] <= 12'd0;
            head_info_q[i*INFO_W +: INFO_W] <= {INFO_W{1'b0}};
          end
        end
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= 1'b0;
      pending_vl_q <= {VW{1'b0}};
      pending_len_q <= 12'd0;
      active_q <= 1'b0;
      active_vl_q <= {VW{1'b0}};
      active_first_q <= 1'b0;
      active_pos_q <= 3'd0;
      active_left_q <= 12'd0;
      rd_valid_q <= 1'b0;
      rd_vl_q <= 5'd0;
      rd_first_q <= 1'b0;
      rd_last_q <= 1'b0;
      rd_flits_q <= 3'd0;
      rd_lane_q <= 2'd0;
      free_valid_q <= 1'b0;
      free_vl_q <= 5'd0;
      total_q <= ZERO;
    end else begin
      if (cur && !rd_done) begin
        active_q <= 1'b1;
        active_vl_q <= cur_vl;
        if (rd) begin
          active_first_q <= 1'b0;
          active_pos_q <= rd_pos;
          active_left_q <= rd_left;
        end else begin
          active_first_q <= cur_first;
          active_pos_q <= cur_pos;
          active_left_q <= cur_left;
        end
        if (active_q && take) begin
          pending_q <= 1'b1;
          pending_vl_q <= take_vl;
          pending_len_q <= take_len;
        end
      end else begin
        // Done: what waits goes on, or what is taken beside the last flits.
        active_q <= active_q && (pending_q || take);
        active_vl_q <= pending_q ? pending_vl_q : take_vl;
        active_first_q <= 1'b1;
        active_pos_q <= 3'd0;
        active_left_q <= pending_q ? pending_len_q : take_len;
        pending_q <= 1'b0;
      end
      rd_valid_q <= rd;
      rd_vl_q <= rd ? cur_vl5 : 5'd0;
      rd_first_q <= rd && cur_first;
      rd_last_q <= rd_done;
      rd_flits_q <= rd ? rd_flits : 3'd0;
      rd_lane_q <= rd ? cur_pos[1:0] & LANE[1:0] : 2'd0;
      free_valid_q <= free;
      free_vl_q <= free ? cur_vl5 : 5'd0;
      total_q <= total_q + announced - (free ? ONE : ZERO);
    end
  end

  assign announce_ok_o = announce_ok;
  assign head_valid_o = head_valid_q;
  assign head_len_o = head_len_q;
  assign head_info_o = head_info_q;
  assign take_ready_o = take_ready;
  assign rd_done_o = rd_done;
  assign rd_busy_o = active_q;
  assign rd_valid_o = rd_valid_q;
  assign rd_vl_o = rd_vl_q;
  assign rd_first_o = rd_first_q;
  assign rd_last_o = rd_last_q;
  assign rd_flits_o = rd_flits_q;
  assign rd_lane_o = rd_lane_q;
  assign free_valid_o = free_valid_q;
  assign free_vl_o = free_vl_q;
  assign total_o = total_q;

  `LOOM_ASSERT(cell_there_when_needed, !(alloc && fresh_done) || freed_there)
  `LOOM_ASSERT(room_for_freed_cell, !free || freed_room)
  `LOOM_ASSERT(slot_there_when_needed, !(queue_i && fresh_slot_done) || slot_there)
  `LOOM_ASSERT(room_for_freed_slot, !take || slot_room)
  `LOOM_ASSERT(some_unit_in_use_when_one_is_freed, !free || total_q != ZERO)
  `LOOM_ASSERT(fields_0_while_not_valid,
      rd_valid_o || {rd_vl_o, rd_first_o, rd_last_o, rd_flits_o, rd_lane_o} == 12'd0)
  `LOOM_ASSERT(data_0_while_not_valid, rd_valid_o || rd_data_o == {(LANES*64){1'b0}})
  `LOOM_ASSERT(vl_0_while_nothing_freed, free_valid_o || free_vl_o == 5'd0)

endmodule

`default_nettype wire
