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
//   asks for it in this cycle takes what is being written.
// Latency: a packet that joins an empty queue is in view in the next cycle, the one after a taken
//   one four cycles after the take.
// Wait bound: a head in the line waits for VLS + 4 others at most: each fills an empty queue.
// Parameters: VLS (1..32), CELLS (4..4096), INFO_W (1..48).
// Realises: OP-02, OP-04.
// Page: docs/parts.md, section packet_store.
`default_nettype none
`include "loom_assert.vh"

module loom_packet_store_queues #(
  parameter integer VLS    = 9,
  parameter integer CELLS  = 256,
  parameter integer INFO_W = 24
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

  wire [CW-1:0] head_cell;
  wire [11:0] take_len;
  wire [CW-1:0] take_last;
  wire [CW-1:0] join_last;
  wire empties = taken_q && only_q && !joined_q;        // the queue that was taken from
  wire first = join_i && ((some_q & join_hot) == {VLS{1'b0}}
                          || (empties && join_vl == taken_vl_q));
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

  loom_apart_ram #(
    .DEPTH(1 << CW),
    .WIDTH(REC_W)
  ) u_list (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(join_q && !first_q),
    .waddr_i(join_last),
    .wdata_i({join_cell_i, join_len_q, join_info_q}),
    .re_i(taken_q),
    .raddr_i(taken_cell_q),
    .rdata_o(fetched)
  );

  // ---- Heads ------------------------------------------------------------------------------------

  wire waits = in_q != out_q;           // in the RAM; else the line begins with `record`
  wire line_some = waits || got_q;
  wire [REC_W-1:0] record = fetched_q | unread_q;
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
    .we_i(got_q),
    .waddr_i(in_q),
    .wdata_i({got_vl_q, record}),
    .raddr_i(out_q),
    .rdata_o(waiting)
  );

  assign {line_vl, line_cell, line_len, line_info} = waits ? waiting : {got_vl_q, record};

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
    fetch_new_q <= only_q;
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
      fetch_q <= taken_q && !(only_q && !joined_q);
      got_q <= fetch_q;
      if (got_q) in_q <= in_q + 3'd1;
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

  `LOOM_ASSERT(line_has_room, !got_q || in_q - out_q < 3'd7)

endmodule

`default_nettype wire
