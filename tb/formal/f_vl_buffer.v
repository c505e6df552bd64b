// SPDX-License-Identifier: Apache-2.0

// loom_vl_buffer, from outside. Of any one VL one symbolic flit is followed from its arrival to
// rd_*: it leaves after exactly the flits before it, once, unchanged, with its head and tail flags;
// one symbolic packet is followed to the head of its list, where its size and information stand.
// Admission is the page's formula (OP-06); what is in use, waits and was dropped is counted; any
// one cell is in one place.
`include "props.vh"
`default_nettype none
module f_vl_buffer #(
  parameter VLS        = 2,
  parameter CELLS      = 4,
  parameter CELL_FLITS = 2,
  parameter LEN_W      = 2,
  parameter RESERVED   = 1,
  parameter WHAT       = 0,  // 0 flits, 1 packets, 2 cells, 3 admission; covers: all
  parameter EARLY      = 1
) (
  input wire             clk_i,
  input wire             wr_valid_i,
  input wire [4:0]       wr_vl_i,
  input wire             wr_head_i,
  input wire             wr_data_i,
  input wire [LEN_W-1:0] wr_len_i,
  input wire             wr_info_i,
  input wire             take_i,
  input wire [4:0]       take_vl_i,
  input wire             mark_flit_i,
  input wire             mark_packet_i
);
  localparam LOG = $clog2(CELL_FLITS);
  localparam CW = $clog2(CELLS);
  localparam COUNT_W = CELLS < 8 ? 4 : $clog2(CELLS + 1);
  localparam SIZE_W = LEN_W + 1 - LOG;
  localparam F = $clog2(CELLS * CELL_FLITS + 2);
  `RESET_ONCE

  wire drop_valid, error, take_ready, rd_valid, rd_head, rd_tail, rd_data, free_valid;
  wire [4:0] drop_vl, rd_vl, free_vl;
  wire [VLS-1:0] head_valid, head_info;
  wire [VLS*SIZE_W-1:0] head_size;
  wire [VLS*COUNT_W-1:0] used;
  loom_vl_buffer #(
    .VLS(VLS), .CELLS(CELLS), .CELL_FLITS(CELL_FLITS), .WIDTH(1), .LEN_W(LEN_W), .INFO_W(1),
    .RESERVED(RESERVED), .EARLY(EARLY)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .cfg_we_i(1'b0), .cfg_addr_i(7'd0), .cfg_data_i({COUNT_W{1'b0}}),
    .wr_valid_i(wr_valid_i), .wr_vl_i(wr_vl_i), .wr_head_i(wr_head_i), .wr_data_i(wr_data_i),
    .wr_len_i(wr_len_i), .wr_info_i(wr_info_i),
    .drop_valid_o(drop_valid), .drop_vl_o(drop_vl), .error_o(error),
    .head_valid_o(head_valid), .head_size_o(head_size), .head_info_o(head_info),
    .take_i(take_i), .take_vl_i(take_vl_i), .take_ready_o(take_ready),
    .rd_valid_o(rd_valid), .rd_head_o(rd_head), .rd_tail_o(rd_tail), .rd_vl_o(rd_vl),
    .rd_data_o(rd_data), .free_valid_o(free_valid), .free_vl_o(free_vl), .used_o(used)
  );
  (* keep *) wire alloc, release_cell, consume_ok;  // tied to the circuit's nets
  (* keep *) wire [CW-1:0] new_cell, old_cell;

  // Write side, as the page has it.
  reg [VLS-1:0] open_q, dropping_q;
  reg [LEN_W-1:0] left_q [0:VLS-1];
  reg [5:0] pool, units, mine;
  reg is_open, is_dropping, exists;
  reg [LEN_W-1:0] left;
  integer i;
  always @* begin
    pool = CELLS - VLS * RESERVED;
    mine = 0;
    is_open = 1'b0;
    is_dropping = 1'b0;
    left = 0;
    exists = wr_vl_i < VLS;
    for (i = 0; i < VLS; i = i + 1) begin
      if (used[i*COUNT_W +: COUNT_W] > RESERVED) begin
        pool = pool - (used[i*COUNT_W +: COUNT_W] - RESERVED);
      end
      if (wr_vl_i == i) begin
        mine = used[i*COUNT_W +: COUNT_W];
        is_open = open_q[i];
        is_dropping = dropping_q[i];
        left = left_q[i];
      end
    end
    units = (wr_len_i + CELL_FLITS - 1) / CELL_FLITS;
  end
  wire start = wr_valid_i && exists && !is_open && !is_dropping && wr_head_i;
  wire fits = WHAT < 3 ? consume_ok
                       : wr_len_i != 0 && units <= (mine < RESERVED ? RESERVED - mine : 0) + pool;
  wire accept = start && fits;
  wire refuse = start && !fits;
  wire flit = accept || wr_valid_i && is_open;
  wire [LEN_W-1:0] rest = (start ? wr_len_i : left) - 1'b1;
  wire more = rest != 0 && !(start && wr_len_i == 0);
  reg drop_q, error_q;
  reg [4:0] drop_vl_q;
  always @(posedge clk_i) begin
    if (rst) begin
      open_q <= 0;
      dropping_q <= 0;
      drop_q <= 1'b0;
      drop_vl_q <= 5'd0;
      error_q <= 1'b0;
    end else begin
      for (i = 0; i < VLS; i = i + 1) begin
        if (wr_vl_i == i && (flit || refuse || wr_valid_i && is_dropping)) begin
          open_q[i] <= flit && more;
          dropping_q[i] <= !flit && more;
          left_q[i] <= rest;
        end
      end
      drop_q <= refuse;
      drop_vl_q <= refuse ? wr_vl_i : 5'd0;
      error_q <= wr_valid_i && (!exists || wr_head_i == (is_open || is_dropping));
    end
  end

  // Of any one VL: flits inside, packets that wait; one flit and one packet of it followed.
  wire [4:0] vl = $anyconst;
  wire came = flit && wr_vl_i == vl;
  wire went = rd_valid && rd_vl == vl;
  wire queued = accept && wr_vl_i == vl;
  wire [VLS-1:0] valid_at = head_valid >> take_vl_i;
  wire take = take_i && take_ready && take_vl_i < VLS && valid_at[0];
  wire taken = take && take_vl_i == vl;
  reg [F-1:0] flits_q, packets_q, before_q, ahead_q;
  reg marked_q, inside_q, item_q, item_head_q, item_tail_q;
  reg chosen_q, waits_q, info_q, reuse_q, full_q;
  reg [SIZE_W-1:0] size_q;
  wire mark = came && mark_flit_i && !marked_q;
  wire choose = queued && mark_packet_i && !chosen_q;
  always @(posedge clk_i) begin
    if (rst) begin
      flits_q <= 0;
      packets_q <= 0;
      marked_q <= 1'b0;
      inside_q <= 1'b0;
      chosen_q <= 1'b0;
      waits_q <= 1'b0;
      full_q <= 1'b0;
    end else begin
      flits_q <= flits_q + came - went;
      packets_q <= packets_q + queued - taken;
      full_q <= full_q || pool == 0 && used[0 +: COUNT_W] >= RESERVED
                && used[COUNT_W +: COUNT_W] >= RESERVED;
      if (mark) begin
        marked_q <= 1'b1;
        inside_q <= 1'b1;
        item_q <= wr_data_i;
        item_head_q <= accept;
        item_tail_q <= !more;
        before_q <= flits_q - went;
      end else if (inside_q && went) begin
        inside_q <= before_q != 0;
        before_q <= before_q - 1'b1;
      end
      if (choose) begin
        chosen_q <= 1'b1;
        waits_q <= 1'b1;
        size_q <= units;
        info_q <= wr_info_i;
        ahead_q <= packets_q - taken;
      end else if (waits_q && taken) begin
        waits_q <= ahead_q != 0;
        ahead_q <= ahead_q - 1'b1;
      end
    end
  end
  wire [VLS-1:0] my_valid = head_valid >> vl;
  wire [VLS-1:0] my_info = head_info >> vl;
  wire [VLS*SIZE_W-1:0] my_size = head_size >> vl * SIZE_W;
  wire [VLS*COUNT_W-1:0] my_used = used >> vl * COUNT_W;
  wire [VLS-1:0] my_open = open_q >> vl;

  // Any one cell: free or in use.
  wire [CW-1:0] cell_watched = $anyconst;
  reg in_use_q;
  always @(posedge clk_i) begin
    if (rst) in_use_q <= 1'b0;
    else if (alloc && new_cell == cell_watched) begin
      in_use_q <= 1'b1;
      reuse_q <= reuse_q || marked_q;
    end else if (release_cell && old_cell == cell_watched) in_use_q <= 1'b0;
    if (rst) reuse_q <= 1'b0;
  end

  always @* begin
    assume(vl < VLS);
    if (live_q) begin
      if (WHAT == 0) begin
        `PROVE(!went || flits_q != 0);
        `PROVE(!(inside_q && before_q == 0 && went)
               || rd_data == item_q && rd_head == item_head_q && rd_tail == item_tail_q);
      end else if (WHAT == 1) begin
        `PROVE(!my_valid[0] || packets_q != 0);
        `PROVE(!(waits_q && ahead_q == 0 && my_valid[0])
               || my_info[0] == info_q && my_size[SIZE_W-1:0] == size_q);
      end else if (WHAT == 2) begin
        `PROVE(!(alloc && new_cell == cell_watched && in_use_q));
        `PROVE(!(release_cell && old_cell == cell_watched && !in_use_q));
      end else begin
        `PROVE(drop_valid == drop_q && drop_vl == drop_vl_q);
        `PROVE(error == error_q);
        `PROVE(my_used[COUNT_W-1:0] <= CELLS);
        // Nothing is kept for ever: an empty VL uses nothing (its last unit is freed with its last
        // flit).
        `PROVE(!(flits_q == 0 && packets_q == 0 && !my_open[0]) || my_used[COUNT_W-1:0] == 0);
      end
      `COVER(inside_q && before_q == 0 && went && full_q && reuse_q
             && rd_data && !rd_head && rd_tail);
      `COVER(waits_q && ahead_q == 1 && full_q);
      `COVER(full_q && used == 0 && drop_valid);
      `COVER(rd_valid && rd_tail && error && packets_q == 2);
    end
  end
endmodule
`default_nettype wire
