// SPDX-License-Identifier: Apache-2.0

// loom_vl_buffer: many queues (one a VL) of whole packets in one shared memory.
//
// Contract: a packet is its head flit and the len - 1 flits that follow on its VL; flits of
//   different VLs may interleave. A head is admitted whole or refused whole. All outputs are
//   functions of the state.
// Algorithm: cells of CELL_FLITS flits in linked lists; cells come in fresh order once and then
//   from the queue of freed ones. A loom_credit_tracker admits (OP-06). The head packet of each VL
//   stands in registers, the ones after it in a RAM at the first cell of the packet before. A
//   packet may leave while it arrives.
// Latency: head in cycle c shows in head_valid_o in c+1; take in c gives the first flit on rd_* in
//   c+3, then a flit every cycle while they are there; packets follow without a gap if taken in
//   time (take_ready_o).
// Wait bound: a packet of a VL that is below its reserve is never refused; the head of a VL with
//   more packets after it is replaced two cycles after its take.
// Parameters: VLS (1..32), CELLS (4..4096), CELL_FLITS (2, 4, 8, 16), WIDTH (bits of a flit,
//   1..64), LEN_W (bits of a length in flits, 2..12), INFO_W (bits of side information, 1..16),
//   RESERVED (units guaranteed to each VL after reset), EARLY (flits left at which the next take is
//   accepted, 0..4095).
// Realises: OP-05, OP-06; probes fresh, active, pending.
// Page: docs/parts.md, section vl_buffer.
`default_nettype none
`include "loom_assert.vh"

module loom_vl_buffer #(
  parameter integer VLS        = 8,
  parameter integer CELLS      = 256,
  parameter integer CELL_FLITS = 8,
  parameter integer WIDTH      = 64,
  parameter integer LEN_W      = 12,
  parameter integer INFO_W     = 5,
  parameter integer RESERVED   = 4,
  parameter integer EARLY      = 8
) (
  input  wire                                                 clk_i,
  input  wire                                                 rst_i,
  input  wire                                                 cfg_we_i,
  input  wire [6:0]                                           cfg_addr_i,
  input  wire [((CELLS < 8) ? 4 : $clog2(CELLS + 1))-1:0]     cfg_data_i,
  input  wire                                                 wr_valid_i,
  input  wire [4:0]                                           wr_vl_i,
  input  wire                                                 wr_head_i,
  input  wire [WIDTH-1:0]                                     wr_data_i,
  input  wire [LEN_W-1:0]                                     wr_len_i,
  input  wire [INFO_W-1:0]                                    wr_info_i,
  output wire                                                 drop_valid_o,
  output wire [4:0]                                           drop_vl_o,
  output wire                                                 error_o,
  output wire [VLS-1:0]                                       head_valid_o,
  output wire [VLS*(LEN_W + 1 - $clog2(CELL_FLITS))-1:0]      head_size_o,
  output wire [VLS*INFO_W-1:0]                                head_info_o,
  input  wire                                                 take_i,
  input  wire [4:0]                                           take_vl_i,
  output wire                                                 take_ready_o,
  output wire                                                 rd_valid_o,
  output wire                                                 rd_head_o,
  output wire                                                 rd_tail_o,
  output wire [4:0]                                           rd_vl_o,
  output wire [WIDTH-1:0]                                     rd_data_o,
  output wire                                                 free_valid_o,
  output wire [4:0]                                           free_vl_o,
  output wire [VLS*((CELLS < 8) ? 4 : $clog2(CELLS + 1))-1:0] used_o
);

  localparam integer LOG     = $clog2(CELL_FLITS);
  localparam integer CW      = $clog2(CELLS);
  localparam integer COUNT_W = (CELLS < 8) ? 4 : $clog2(CELLS + 1);
  localparam integer SIZE_W  = LEN_W + 1 - LOG;
  localparam integer VW      = (VLS < 2) ? 1 : $clog2(VLS);
  localparam integer FLITS   = CELLS * CELL_FLITS;
  localparam integer FW      = $clog2(FLITS + 1);
  localparam integer LIST_W  = CW + LEN_W + INFO_W;
  localparam integer LATE_I  = EARLY + 1;
  localparam [VLS-1:0]   HOT0  = 1;
  localparam [CW:0]      ALL   = CELLS[CW:0];
  localparam [12:0]      LATE  = LATE_I[12:0];
  localparam [CW:0]      ONE_N = 1;
  localparam [LOG-1:0]   ONE_P = 1;
  localparam [LEN_W-1:0] ONE_L = 1;
  localparam [SIZE_W-1:0] ONE_S = 1;
  localparam [FW-1:0]    ONE_F = 1;

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_vl_buffer_VLS_must_be_1_to_32 u_error ();
    end
    if (CELLS < 4 || CELLS > 4096) begin : g_bad_cells
      loom_vl_buffer_CELLS_must_be_4_to_4096 u_error ();
    end
    if (CELL_FLITS != 2 && CELL_FLITS != 4 && CELL_FLITS != 8 && CELL_FLITS != 16)
    begin : g_bad_flits
      loom_vl_buffer_CELL_FLITS_must_be_2_4_8_or_16 u_error ();
    end
    if (WIDTH < 1 || WIDTH > 64) begin : g_bad_width
      loom_vl_buffer_WIDTH_must_be_1_to_64 u_error ();
    end
    if (LEN_W < 2 || LEN_W > 12 || LEN_W < LOG) begin : g_bad_len_w
      loom_vl_buffer_LEN_W_must_be_2_to_12_and_hold_a_cell u_error ();
    end
    if (INFO_W < 1 || INFO_W > 16) begin : g_bad_info_w
      loom_vl_buffer_INFO_W_must_be_1_to_16 u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > CELLS) begin : g_bad_reserved
      loom_vl_buffer_CELLS_must_hold_all_RESERVED u_error ();
    end
    if (EARLY < 0 || EARLY > 4095) begin : g_bad_early
      loom_vl_buffer_EARLY_must_be_0_to_4095 u_error ();
    end
  endgenerate

  // Units of a length: ceil(len / CELL_FLITS).
  function [SIZE_W-1:0] units;
    input [LEN_W:0] len;
    units = len[LEN_W:LOG] + ((len[LOG-1:0] != {LOG{1'b0}}) ? ONE_S : {SIZE_W{1'b0}});
  endfunction

  // Write side, for each VL: `left`, `cell`, `pos` mean something while it is open or dropping.
  reg [VLS-1:0] open_q;
  reg [VLS-1:0] dropping_q;
  reg [LEN_W-1:0] left_q [0:VLS-1];
  reg [CW-1:0] cell_q [0:VLS-1];
  reg [LOG-1:0] pos_q [0:VLS-1];
  reg [VLS*FW-1:0] count_q;                     // flits of each VL in memory
  reg [CW:0] fresh_q;                           // cells that were used once
  reg drop_valid_q;
  reg [4:0] drop_vl_q;
  reg error_q;

  // Waiting lists: the head's data while head_valid; the first cell of the last packet while a list
  //   is not empty.
  reg [VLS-1:0] head_valid_q;
  reg [VLS*SIZE_W-1:0] head_size_q;
  reg [VLS*INFO_W-1:0] head_info_q;
  reg [CW-1:0] head_cell_q [0:VLS-1];
  reg [LEN_W-1:0] head_len_q [0:VLS-1];
  reg [CW-1:0] tail_q [0:VLS-1];
  reg load_q;                                   // the next head of load_vl is read from the RAM
  reg [VW-1:0] load_vl_q;

  // Read side.
  reg pending_q;
  reg [VW-1:0] pending_vl_q;
  reg [CW-1:0] pending_cell_q;
  reg [LEN_W-1:0] pending_len_q;
  reg active_q;
  reg [VW-1:0] active_vl_q;
  reg [CW-1:0] active_cell_q;
  reg [LOG-1:0] active_pos_q;
  reg [LEN_W-1:0] active_left_q;
  reg first_q;                                  // the next flit is the head
  reg wait_q;                                   // the cell is used up, its link was not read yet
  reg link_q;                                   // the link was read in the last cycle
  reg rd_valid_q;
  reg rd_head_q;
  reg rd_tail_q;
  reg [4:0] rd_vl_q;
  reg free_valid_q;
  reg [4:0] free_vl_q;

  // ---- Write side -------------------------------------------------------------------------------

  wire [VW-1:0] wr_vl = wr_vl_i[VW-1:0];
  wire [VLS-1:0] wr_hot = HOT0 << wr_vl_i;
  wire wr_open = (open_q & wr_hot) != {VLS{1'b0}};
  wire wr_dropping = (dropping_q & wr_hot) != {VLS{1'b0}};
  wire wr_busy = wr_open || wr_dropping;
  wire wr_start = wr_valid_i && wr_head_i && !wr_busy && wr_hot != {VLS{1'b0}};
  wire wr_body = wr_valid_i && wr_open;
  wire wr_error = wr_valid_i && (wr_hot == {VLS{1'b0}} || wr_head_i == wr_busy);
  wire [CW-1:0] wr_cell = cell_q[wr_vl];
  wire [LOG-1:0] wr_pos = wr_open ? pos_q[wr_vl] : {LOG{1'b0}};
  wire wr_new_cell = wr_pos == {LOG{1'b0}};
  wire [LEN_W-1:0] wr_left = (wr_busy ? left_q[wr_vl] : wr_len_i) - ONE_L;
  wire wr_more = wr_left != {LEN_W{1'b0}} && (wr_busy || wr_len_i != {LEN_W{1'b0}});

  wire consume_ok;
  wire accept = wr_start && consume_ok;
  wire refuse = wr_start && !consume_ok;
  wire wr_flit = accept || wr_body;
  wire alloc = wr_flit && wr_new_cell;

  // Cells: fresh ones first, then the freed ones in their order.
  wire fresh_done = fresh_q == ALL;
  wire [CW-1:0] freed_cell;
  wire [CW-1:0] new_cell = fresh_done ? freed_cell : fresh_q[CW-1:0];
  wire [CW-1:0] fill_cell = wr_new_cell ? new_cell : wr_cell;

  // ---- Waiting lists ----------------------------------------------------------------------------

  wire take_ready = !pending_q && (!active_q || {{(13 - LEN_W){1'b0}}, active_left_q} < LATE);
  wire [VW-1:0] take_vl = take_vl_i[VW-1:0];
  wire [VLS-1:0] take_hot = HOT0 << take_vl_i;
  wire take = take_i && take_ready && (head_valid_q & take_hot) != {VLS{1'b0}};
  wire [CW-1:0] take_cell = head_cell_q[take_vl];
  wire take_next = take && tail_q[take_vl] != take_cell;     // a packet waits after the one taken

  // A head is the first of its list if that is empty, or loses its only packet now.
  wire [VLS-1:0] load_hot = load_q ? HOT0 << load_vl_q : {VLS{1'b0}};
  wire [VLS-1:0] leaves_hot = (take && !take_next) ? take_hot : {VLS{1'b0}};
  wire [VLS-1:0] empty = ~(head_valid_q | load_hot) | leaves_hot;
  wire accept_first = accept && (empty & wr_hot) != {VLS{1'b0}};
  wire accept_later = accept && !accept_first;

  wire [CW-1:0] wr_tail = tail_q[wr_vl];
  wire [LIST_W-1:0] next_packet;
  wire [CW-1:0] next_cell = next_packet[LIST_W-1 -: CW];
  wire [LEN_W-1:0] next_len = next_packet[INFO_W +: LEN_W];
  wire [INFO_W-1:0] next_info = next_packet[INFO_W-1:0];
  wire [SIZE_W-1:0] next_size = units({1'b0, next_len});
  wire [SIZE_W-1:0] wr_size = units({1'b0, wr_len_i});

  loom_ram #(
    .DEPTH(CELLS),
    .WIDTH(LIST_W)
  ) u_list (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(accept_later),
    .waddr_i(wr_tail),
    .wdata_i({new_cell, wr_len_i, wr_info_i}),
    .re_i(take_next),
    .raddr_i(take_cell),
    .rdata_o(next_packet)
  );

  // ---- Read side --------------------------------------------------------------------------------

  reg [FW-1:0] there;                           // flits of the active VL in memory
  integer k;

  always @* begin
    there = {FW{1'b0}};
    for (k = 0; k < VLS; k = k + 1) begin
      if (active_vl_q == k[VW-1:0]) there = there | count_q[k*FW +: FW];
    end
  end

  wire one_there = there != {FW{1'b0}};
  wire two_there = there[FW-1:1] != {(FW - 1){1'b0}};
  wire [CW-1:0] link;
  wire [CW-1:0] rd_cell = link_q ? link : active_cell_q;
  wire rd_flit = active_q && !wait_q && one_there;
  wire rd_last = active_left_q == ONE_L;
  wire rd_cell_end = active_pos_q == {LOG{1'b1}};
  wire rd_done = rd_flit && rd_last;
  wire rd_link = (rd_flit && rd_cell_end && !rd_last && two_there)
                 || (active_q && wait_q && one_there);
  wire free = rd_done || rd_link;
  wire [4:0] active_vl = {{(5 - VW){1'b0}}, active_vl_q};

  loom_ram #(
    .DEPTH(CELLS),
    .WIDTH(CW)
  ) u_link (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_body && wr_new_cell),
    .waddr_i(wr_cell),
    .wdata_i(new_cell),
    .re_i(rd_link),
    .raddr_i(rd_cell),
    .rdata_o(link)
  );

  wire [WIDTH-1:0] rd_data;

  loom_ram #(
    .DEPTH(FLITS),
    .WIDTH(WIDTH)
  ) u_data (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_flit),
    .waddr_i({fill_cell, wr_pos}),
    .wdata_i(wr_data_i),
    .re_i(rd_flit),
    .raddr_i({rd_cell, active_pos_q}),
    .rdata_o(rd_data)
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

  wire tracker_error;
  wire unused_config_ok;
  wire [VLS*COUNT_W-1:0] unused_avail;

  loom_credit_tracker #(
    .VLS(VLS),
    .COUNT_W(COUNT_W),
    .SIZE_W(SIZE_W),
    .UNITS(CELLS),
    .MAX_UNITS(CELLS),
    .RESERVED(RESERVED)
  ) u_tracker (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(cfg_we_i),
    .cfg_addr_i(cfg_addr_i),
    .cfg_data_i(cfg_data_i),
    .consume_valid_i(wr_start),
    .consume_vl_i(wr_vl_i),
    .consume_size_i(wr_size),
    .consume_ok_o(consume_ok),
    .return_valid_i(free),
    .return_vl_i(active_vl),
    .avail_o(unused_avail),
    .used_o(used_o),
    .config_ok_o(unused_config_ok),
    .error_o(tracker_error)
  );

  // ---- Registers --------------------------------------------------------------------------------

  integer i;

  always @(posedge clk_i) begin
    if (wr_start || (wr_valid_i && wr_busy)) left_q[wr_vl] <= wr_left;
    if (wr_flit) begin
      cell_q[wr_vl] <= fill_cell;
      pos_q[wr_vl] <= wr_pos + ONE_P;
    end
    if (accept) tail_q[wr_vl] <= new_cell;
    if (rst_i) begin
      open_q <= {VLS{1'b0}};
      dropping_q <= {VLS{1'b0}};
      count_q <= {(VLS*FW){1'b0}};
      fresh_q <= {(CW + 1){1'b0}};
      drop_valid_q <= 1'b0;
      drop_vl_q <= 5'd0;
      error_q <= 1'b0;
    end else begin
      if (wr_flit) open_q <= wr_more ? open_q | wr_hot : open_q & ~wr_hot;
      if (refuse || (wr_valid_i && wr_dropping)) begin
        dropping_q <= wr_more ? dropping_q | wr_hot : dropping_q & ~wr_hot;
      end
      if (wr_flit || rd_flit) begin
        for (i = 0; i < VLS; i = i + 1) begin
          if (wr_flit && wr_hot[i] && !(rd_flit && active_vl_q == i[VW-1:0])) begin
            count_q[i*FW +: FW] <= count_q[i*FW +: FW] + ONE_F;
          end else if (rd_flit && active_vl_q == i[VW-1:0] && !(wr_flit && wr_hot[i])) begin
            count_q[i*FW +: FW] <= count_q[i*FW +: FW] - ONE_F;
          end
        end
      end
      if (alloc && !fresh_done) fresh_q <= fresh_q + ONE_N;
      drop_valid_q <= refuse;
      drop_vl_q <= refuse ? wr_vl_i : 5'd0;
      error_q <= wr_error;
    end
  end

  always @(posedge clk_i) begin
    if (load_q) begin
      head_cell_q[load_vl_q] <= next_cell;
      head_len_q[load_vl_q] <= next_len;
    end
    if (accept_first) begin
      head_cell_q[wr_vl] <= new_cell;
      head_len_q[wr_vl] <= wr_len_i;
    end
    if (rst_i) begin
      head_valid_q <= {VLS{1'b0}};
      head_size_q <= {(VLS*SIZE_W){1'b0}};
      head_info_q <= {(VLS*INFO_W){1'b0}};
      load_q <= 1'b0;
      load_vl_q <= {VW{1'b0}};
    end else begin
      load_q <= take_next;
      if (take_next) load_vl_q <= take_vl;
      if (take || load_q || accept_first) begin
        for (i = 0; i < VLS; i = i + 1) begin
          if (accept_first && wr_hot[i]) begin
            head_valid_q[i] <= 1'b1;
            head_size_q[i*SIZE_W +: SIZE_W] <= wr_size;
            head_info_q[i*INFO_W +: INFO_W] <= wr_info_i;
          end else if (load_hot[i]) begin
            head_valid_q[i] <= 1'b1;
            head_size_q[i*SIZE_W +: SIZE_W] <= next_size;
            head_info_q[i*INFO_W +: INFO_W] <= next_info;
          end else if (take && take_hot[i]) begin
            head_valid_q[i] <= 1'b0;
            head_size_q[i*SIZE_W +: SIZE_W] <= {SIZE_W{1'b0}};
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
      pending_cell_q <= {CW{1'b0}};
      pending_len_q <= {LEN_W{1'b0}};
      active_q <= 1'b0;
      active_vl_q <= {VW{1'b0}};
      active_cell_q <= {CW{1'b0}};
      active_pos_q <= {LOG{1'b0}};
      active_left_q <= {LEN_W{1'b0}};
      first_q <= 1'b0;
      wait_q <= 1'b0;
      link_q <= 1'b0;
      rd_valid_q <= 1'b0;
      rd_head_q <= 1'b0;
      rd_tail_q <= 1'b0;
      rd_vl_q <= 5'd0;
      free_valid_q <= 1'b0;
      free_vl_q <= 5'd0;
    end else begin
      if (take) begin
        pending_q <= 1'b1;
        pending_vl_q <= take_vl;
        pending_cell_q <= take_cell;
        pending_len_q <= head_len_q[take_vl];
      end else if (!active_q || rd_done) begin
        pending_q <= 1'b0;
      end
      link_q <= rd_link;
      if (link_q) active_cell_q <= link;
      if (rd_link) wait_q <= 1'b0;
      if (rd_flit) begin
        active_left_q <= active_left_q - ONE_L;
        active_pos_q <= active_pos_q + ONE_P;
        first_q <= 1'b0;
        if (rd_cell_end && !rd_last && !two_there) wait_q <= 1'b1;
      end
      if (!active_q || rd_done) begin
        active_q <= pending_q;
        if (pending_q) begin
          active_vl_q <= pending_vl_q;
          active_cell_q <= pending_cell_q;
          active_pos_q <= {LOG{1'b0}};
          active_left_q <= pending_len_q;
          first_q <= 1'b1;
        end
      end
      rd_valid_q <= rd_flit;
      rd_head_q <= rd_flit && first_q;
      rd_tail_q <= rd_done;
      rd_vl_q <= rd_flit ? active_vl : 5'd0;
      free_valid_q <= free;
      free_vl_q <= free ? active_vl : 5'd0;
    end
  end

  assign drop_valid_o = drop_valid_q;
  assign drop_vl_o = drop_vl_q;
  assign error_o = error_q || tracker_error;
  assign head_valid_o = head_valid_q;
  assign head_size_o = head_size_q;
  assign head_info_o = head_info_q;
  assign take_ready_o = take_ready;
  assign rd_valid_o = rd_valid_q;
  assign rd_head_o = rd_head_q;
  assign rd_tail_o = rd_tail_q;
  assign rd_vl_o = rd_vl_q;
  assign rd_data_o = rd_valid_q ? rd_data : {WIDTH{1'b0}};
  assign free_valid_o = free_valid_q;
  assign free_vl_o = free_vl_q;

  `LOOM_ASSERT(cell_there_when_needed, !(alloc && fresh_done) || freed_there)
  `LOOM_ASSERT(room_for_freed_cell, !free || freed_room)
  `LOOM_ASSERT(data_0_while_not_valid,
      rd_valid_o || {rd_head_o, rd_tail_o, rd_vl_o, rd_data_o} == {(WIDTH + 7){1'b0}})
  `LOOM_ASSERT(vl_0_while_nothing_freed, free_valid_o || free_vl_o == 5'd0)
  `LOOM_ASSERT(vl_0_while_nothing_dropped, drop_valid_o || drop_vl_o == 5'd0)

endmodule

`default_nettype wire
