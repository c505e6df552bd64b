// SPDX-License-Identifier: Apache-2.0

// loom_packet_store_queues: the queues of packets of a packet store, one for each VL, and the heads
//   that come into view.
//
// Inside: packet_store.
// Contract: a record (first cell, length, information) joins its queue with join_i; its cell comes
//   in the next cycle. take_i is of a
//   VL whose head_valid_o is 1; it gives cell and length less 1 of the head in the next cycle, with
//   taken_o, and removes it from its queue then. In a cycle after one with put_off_o, in which a
//   head had to wait, there is no take.
// Algorithm: the first and the last record of each VL in LUT RAM, by VL; of all others a word in a
//   block RAM at the number of the record before, which is the number of its first cell. A take
//   reads that word, which goes through a short line into view, when no joining packet does. What
//   is kept of a cell is written one cycle after the join, or after the head came into view; who
//   asks for it in this cycle takes what is being written. With PREFETCH the record after a head is
//   read when the head came from the line, or kept when it joins, in LUT RAM by VL; a take then
//   needs no read of the block RAM, which it has before these.
// Latency: a packet that joins an empty queue is in view in the next cycle, the one after a taken
//   one four cycles after the take, or two if it was prefetched.
// Wait bound: a head in the line waits for VLS + 4 others at most: each fills an empty queue.
// Parameters: VLS (1..32), CELLS (4..4096), INFO_W (1..48), PREFETCH (0, 1).
// Realises: OP-02, OP-04.
// Page: docs/parts.md, section packet_store.
`default_nettype none
`include "loom_assert.vh"

module loom_packet_store_queues #(
  parameter integer VLS      = 9,
  parameter integer CELLS    = 256,
  parameter integer INFO_W   = 24,
  parameter integer PREFETCH = 0
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire                     join_i,
  input  wire [4:0]               join_vl_i,
  input  wire [$clog2(CELLS)-1:0] join_cell_i,
  input  wire [11:0]              join_len_i,
  input  wire [INFO_W-1:0]        join_info_i,
  output wire [VLS-1:0]           head_valid_o,
  output wire                     head_event_o,
  output wire [4:0]               head_vl_o,
  output wire [11:0]              head_len_o,
  output wire [INFO_W-1:0]        head_info_o,
  input  wire                     take_i,
  input  wire [4:0]               take_vl_i,
  output wire                     taken_o,
  output wire [4:0]               taken_vl_o,
  output wire [$clog2(CELLS)-1:0] taken_cell_o,
  output wire [11:0]              taken_less_o,
  output wire                     put_off_o
);

  localparam integer CW    = $clog2(CELLS);
  localparam integer VW    = (VLS < 2) ? 1 : $clog2(VLS);
  localparam integer REC_W = CW + 12 + INFO_W;
  localparam [VLS-1:0] HOT0 = 1;

  reg [VLS-1:0] some_q;                 // the queue is not empty, its head in view or on its way
  reg [VLS-1:0] head_valid_q;
  reg event_q;
  reg [4:0] head_vl_q;
  reg [11:0] head_len_q;
  reg [INFO_W-1:0] head_info_q;
  reg join_q;                           // the join of the last cycle
  reg first_q;                          // it became a head
  reg [VW-1:0] join_vl_q;
  reg [11:0] join_len_q;
  reg [INFO_W-1:0] join_info_q;
  reg [CW-1:0] line_cell_q;             // of the head that came from the line in the last cycle
  reg taken_q;                          // the take of the last cycle
  reg [VW-1:0] taken_vl_q;
  reg [CW-1:0] taken_cell_q;
  reg [11:0] taken_less_q;
  reg only_q;                           // no packet was after it when it was taken
  reg joined_q;                         // a packet joined its queue when it was taken
  reg fetch_q;                          // the record after one that was taken is read
  reg [VW-1:0] fetch_vl_q;
  reg fetch_new_q;                      // it joined in the cycle of the take: it is `new`
  reg [REC_W-1:0] new_q;                // the record that joined two cycles ago
  reg got_q;                            // a record enters the line, and can leave it at once
  reg [VW-1:0] got_vl_q;
  reg [REC_W-1:0] fetched_q;            // it, if it was read, else 0
  reg [REC_W-1:0] unread_q;             // it, if it was `new`, else 0
  reg came_q;                           // the head in view came from the line
  reg [VLS-1:0] single_q;               // a head in view, and no packet after it
  reg [VLS-1:0] second_q;               // the packet after the head is at hand
  reg fast_q;                           // that was so with the take of the last cycle
  reg joins_q;                          // the join of the last cycle is the second of its VL
  reg look_q;                           // the record after a head in view is wanted,
  reg [VW-1:0] look_vl_q;
  reg [CW-1:0] look_cell_q;
  reg reads_q;                          // was read,
  reg [VW-1:0] reads_vl_q;
  reg comes_q;                          // and is in `fetched`
  reg [VW-1:0] comes_vl_q;
  reg [2:0] in_q;                       // places in the line of fetched heads
  reg [2:0] out_q;

  wire unused_vl = &{1'b0, join_vl_i, take_vl_i};
  wire [VW-1:0] join_vl = join_vl_i[VW-1:0];
  wire [VW-1:0] take_vl = take_vl_i[VW-1:0];
  wire [VLS-1:0] join_hot = HOT0 << join_vl;
  wire [VLS-1:0] take_hot = take_i ? HOT0 << take_vl : {VLS{1'b0}};
  wire [VLS-1:0] taken_hot = HOT0 << taken_vl_q;

  `LOOM_REQUIRE(take_of_a_head_in_view, !take_i || (head_valid_q & take_hot) != {VLS{1'b0}})

  // ---- Lists ------------------------------------------------------------------------------------

  // Bits by VL, of as many VLs as have a number: the VL of a join or a take comes late in its
  // cycle, and then only chooses one of them.
  wire [(1<<VW)-1:0] filled;            // the queue has a packet that is not being removed
  wire [(1<<VW)-1:0] lone;              // a head, and no packet after it
  wire [(1<<VW)-1:0] ready;             // the packet after the head is at hand
  wire [CW-1:0] head_cell;
  wire [11:0] take_len;
  wire [CW-1:0] take_last;
  wire [CW-1:0] join_last;
  wire empties = taken_q && only_q && !joined_q;        // the queue that was taken from
  wire first = join_i && !filled[join_vl];
  // What came into view, or joined, in the last cycle is not in the RAMs yet.
  wire take_new = event_q && head_vl_q[VW-1:0] == take_vl;
  wire take_joined = join_q && join_vl_q == take_vl;
  wire [CW-1:0] new_cell = first_q ? join_cell_i : line_cell_q;
  wire [CW-1:0] take_cell = take_new ? new_cell : head_cell;

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW)
  ) u_take_last (
    .clk_i(clk_i),
    .we_i(join_q),
    .waddr_i(join_vl_q),
    .wdata_i(join_cell_i),
    .raddr_i(take_vl),
    .rdata_o(take_last)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW)
  ) u_join_last (
    .clk_i(clk_i),
    .we_i(join_q),
    .waddr_i(join_vl_q),
    .wdata_i(join_cell_i),
    .raddr_i(join_vl_q),
    .rdata_o(join_last)
  );

  wire [REC_W-1:0] fetched;
  wire slow = taken_q && !fast_q;

  loom_apart_ram #(
    .DEPTH(1 << CW),
    .WIDTH(REC_W)
  ) u_list (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(join_q && !first_q),
    .waddr_i(join_last),
    .wdata_i({join_cell_i, join_len_q, join_info_q}),
    .re_i(taken_q || look_q),
    .raddr_i(slow ? taken_cell_q : look_cell_q),
    .rdata_o(fetched)
  );

  // ---- Heads ------------------------------------------------------------------------------------

  wire waits = in_q != out_q;           // in the RAM; else the line begins with `record`
  wire gets = got_q || fast_q;
  wire line_some = waits || gets;
  wire [VW-1:0] gets_vl = fast_q ? taken_vl_q : got_vl_q;
  wire [REC_W-1:0] second;
  wire [REC_W-1:0] record = fast_q ? second : fetched_q | unread_q;
  wire [VW+REC_W-1:0] waiting;
  wire [VW-1:0] line_vl;
  wire [CW-1:0] line_cell;
  wire [11:0] line_len;
  wire [INFO_W-1:0] line_info;

  loom_lut_ram #(
    .DEPTH(8),
    .WIDTH(VW + REC_W)
  ) u_line (
    .clk_i(clk_i),
    .we_i(gets),
    .waddr_i(in_q),
    .wdata_i({gets_vl, record}),
    .raddr_i(out_q),
    .rdata_o(waiting)
  );

  assign {line_vl, line_cell, line_len, line_info} = waits ? waiting : {gets_vl, record};

  wire head = first || line_some;
  wire [VW-1:0] head_vl = first ? join_vl : line_vl;
  wire [11:0] head_len = first ? join_len_i : line_len;
  wire [VLS-1:0] head_hot = HOT0 << head_vl;

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW)
  ) u_head_cell (
    .clk_i(clk_i),
    .we_i(event_q),
    .waddr_i(head_vl_q[VW-1:0]),
    .wdata_i(new_cell),
    .raddr_i(take_vl),
    .rdata_o(head_cell)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(12)
  ) u_head_len (
    .clk_i(clk_i),
    .we_i(head),
    .waddr_i(head_vl),
    .wdata_i(head_len),
    .raddr_i(take_vl),
    .rdata_o(take_len)
  );

  // ---- The packet after a head ------------------------------------------------------------------

  wire [VLS-1:0] alone;                 // a head that came has none
  wire looks;
  wire [VLS-1:0] brings;                // a packet is at hand from now on
  wire fast = take_i && !fetch_q && ready[take_vl];
  wire [VLS-1:0] single = single_q | alone;
  wire joins = join_i && lone[join_vl] && !(take_i && take_vl == join_vl);

  genvar v;
  generate
    for (v = 0; v < (1 << VW); v = v + 1) begin : g_by_vl
      if (v < VLS) begin : g_vl
        assign filled[v] = some_q[v] && !(empties && taken_hot[v]);
        assign lone[v] = single[v];
        assign ready[v] = second_q[v];
      end else begin : g_none
        assign filled[v] = 1'b0;
        assign lone[v] = 1'b0;
        assign ready[v] = 1'b0;
      end
    end
  endgenerate

  generate
    if (PREFETCH != 0) begin : g_prefetch
      wire [CW-1:0] view_last;
      wire [VLS-1:0] view_hot = HOT0 << head_vl_q[VW-1:0];
      wire view_joined = join_q && join_vl_q == head_vl_q[VW-1:0];
      wire is_last = !view_joined && line_cell_q == view_last;
      wire [VW-1:0] brings_vl = joins_q ? join_vl_q : comes_vl_q;
      assign looks = event_q && came_q && !is_last;
      assign alone = (event_q && came_q && is_last) ? view_hot : {VLS{1'b0}};
      assign brings = (joins_q || comes_q) ? (HOT0 << brings_vl) & head_valid_q & ~take_hot
                                           : {VLS{1'b0}};

      loom_lut_ram #(
        .DEPTH(1 << VW),
        .WIDTH(CW)
      ) u_view_last (
        .clk_i(clk_i),
        .we_i(join_q),
        .waddr_i(join_vl_q),
        .wdata_i(join_cell_i),
        .raddr_i(head_vl_q[VW-1:0]),
        .rdata_o(view_last)
      );

      loom_lut_ram #(
        .DEPTH(1 << VW),
        .WIDTH(REC_W)
      ) u_second (
        .clk_i(clk_i),
        .we_i(joins_q || comes_q),
        .waddr_i(brings_vl),
        .wdata_i(joins_q ? {join_cell_i, join_len_q, join_info_q} : fetched_q),
        .raddr_i(taken_vl_q),
        .rdata_o(second)
      );
    end else begin : g_none
      wire unused_state = &{1'b0, came_q, joins_q, comes_q, comes_vl_q};
      assign looks = 1'b0;
      assign alone = {VLS{1'b0}};
      assign brings = {VLS{1'b0}};
      assign second = {REC_W{1'b0}};
    end
  endgenerate

  always @(posedge clk_i) begin
    look_vl_q <= head_vl_q[VW-1:0];
    look_cell_q <= line_cell_q;
    reads_vl_q <= look_vl_q;
    comes_vl_q <= reads_vl_q;
    if (rst_i || PREFETCH == 0) begin
      came_q <= 1'b0;
      single_q <= {VLS{1'b0}};
      second_q <= {VLS{1'b0}};
      fast_q <= 1'b0;
      joins_q <= 1'b0;
      look_q <= 1'b0;
      reads_q <= 1'b0;
      comes_q <= 1'b0;
    end else begin
      came_q <= line_some && !first;
      single_q <= (single & ~take_hot & ~(join_i ? join_hot : {VLS{1'b0}}))
                  | (first ? join_hot : {VLS{1'b0}});
      second_q <= (second_q & ~take_hot) | brings;
      fast_q <= fast;
      joins_q <= joins;
      look_q <= looks;
      reads_q <= look_q && !slow;
      comes_q <= reads_q;
    end
  end

  always @(posedge clk_i) begin
    join_vl_q <= join_vl;
    join_len_q <= join_len_i;
    join_info_q <= join_info_i;
    line_cell_q <= line_cell;
    taken_vl_q <= take_vl;
    taken_cell_q <= take_cell;
    taken_less_q <= take_len - 12'd1;
    only_q <= take_joined ? first_q : take_cell == take_last;
    joined_q <= join_i && join_vl == take_vl;
    fetch_vl_q <= taken_vl_q;
    fetch_new_q <= only_q && slow;
    new_q <= {join_cell_i, join_len_q, join_info_q};
    got_vl_q <= fetch_vl_q;
    // Two registers: a choice before one would come too late after the block RAM.
    if (fetch_new_q) fetched_q <= {REC_W{1'b0}};
    else fetched_q <= fetched;
    if (fetch_new_q) unread_q <= new_q;
    else unread_q <= {REC_W{1'b0}};
    if (rst_i) begin
      some_q <= {VLS{1'b0}};
      head_valid_q <= {VLS{1'b0}};
      event_q <= 1'b0;
      head_vl_q <= 5'd0;
      head_len_q <= 12'd0;
      head_info_q <= {INFO_W{1'b0}};
      join_q <= 1'b0;
      first_q <= 1'b0;
      taken_q <= 1'b0;
      fetch_q <= 1'b0;
      got_q <= 1'b0;
      in_q <= 3'd0;
      out_q <= 3'd0;
    end else begin
      some_q <= (some_q & ~(empties ? taken_hot : {VLS{1'b0}})) | (join_i ? join_hot : {VLS{1'b0}});
      head_valid_q <= (head_valid_q & ~take_hot) | (head ? head_hot : {VLS{1'b0}});
      event_q <= head;
      head_vl_q <= head ? {{(5 - VW){1'b0}}, head_vl} : 5'd0;
      head_len_q <= head ? head_len : 12'd0;
      head_info_q <= first ? join_info_i : line_some ? line_info : {INFO_W{1'b0}};
      join_q <= join_i;
      first_q <= first;
      taken_q <= take_i;
      fetch_q <= slow && !(only_q && !joined_q);
      got_q <= fetch_q;
      if (gets) in_q <= in_q + 3'd1;
      if (line_some && !first) out_q <= out_q + 3'd1;
    end
  end

  assign head_valid_o = head_valid_q;
  assign head_event_o = event_q;
  assign head_vl_o = head_vl_q;
  assign head_len_o = head_len_q;
  assign head_info_o = head_info_q;
  assign taken_o = taken_q;
  assign taken_vl_o = {{(5 - VW){1'b0}}, taken_vl_q};
  assign taken_cell_o = taken_cell_q;
  assign taken_less_o = taken_less_q;
  assign put_off_o = line_some && first;

  `LOOM_ASSERT(line_has_room, !gets || in_q - out_q < 3'd7)

endmodule

`default_nettype wire
