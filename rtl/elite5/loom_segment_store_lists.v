// SPDX-License-Identifier: Apache-2.0

// loom_segment_store_lists: the queues of segments of a segment store, one for each VC, and the
//   segments that come into view.
//
// Inside: segment_store.
// Contract: head_i: a segment of head_vc_i in head_slot_i begins, and joins its queue in the next
//   cycle; head_alone_i says that its VC has no slot in use. done_i: a reader is done with the
//   segment in view of done_vc_i; it leaves in the next cycle, unless it is kept. take_i is of a VC
//   in view; take_slot_o is the slot of that segment in the same cycle. ran_empty_o: the queue of
//   left_vc_o has lost its last segment and none is on its way; but one may begin in this cycle.
// Algorithm: the first and the last slot of each queue in LUT RAM, by VC; of each slot the slot
//   after it. A segment that leaves brings the one after it into view, which waits in a line while
//   segments join empty queues, because only one a cycle can come into view.
// Latency: a segment that begins in cycle w is in view in w+2 at the earliest, one that stands
//   after another in the second cycle after the reader was done with that.
// Wait bound: who waits in the line waits for 2 VCS + 2 cycles at most, as long as the readers
//   empty at most one queue in two cycles.
// Parameters: VCS (2..32), SLOTS (2..64).
// Realises: E5-08, E5-09.
// Page: docs/elite5.md, section segment_store.
`default_nettype none
`include "loom_assert.vh"

module loom_segment_store_lists #(
  parameter integer VCS   = 32,
  parameter integer SLOTS = 48
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire                     head_i,
  input  wire [$clog2(VCS)-1:0]   head_vc_i,
  input  wire [$clog2(SLOTS)-1:0] head_slot_i,
  input  wire                     head_alone_i,
  input  wire                     done_i,
  input  wire [$clog2(VCS)-1:0]   done_vc_i,
  input  wire [$clog2(SLOTS)-1:0] done_slot_i,
  input  wire                     done_keep_i,
  output wire                     left_o,
  output wire [$clog2(VCS)-1:0]   left_vc_o,
  output wire                     ran_empty_o,
  output wire [VCS-1:0]           view_o,
  output wire                     event_o,
  output wire [$clog2(VCS)-1:0]   event_vc_o,
  input  wire                     take_i,
  input  wire [$clog2(VCS)-1:0]   take_vc_i,
  output wire [$clog2(SLOTS)-1:0] take_slot_o
);

  localparam integer VW = $clog2(VCS);
  localparam integer SW = $clog2(SLOTS);
  localparam [VCS-1:0] HOT0 = 1;
  localparam [VCS-1:0] NONE = 0;
  localparam [VW-1:0]  ONE  = 1;

  // ---- The segment that joins -------------------------------------------------------------------

  reg join_q;
  reg join_alone_q;                     // its queue was empty, or ran empty as it began
  reg [VW-1:0] join_vc_q;
  reg [SW-1:0] join_slot_q;

  // ---- The segment that leaves ------------------------------------------------------------------

  reg left_q;
  reg keep_q;
  reg [VW-1:0] left_vc_q;
  reg [SW-1:0] left_slot_q;
  reg only_q;                           // none was after it when the reader was done
  reg joined_q;                         // but one joined in that cycle
  reg joins_q;                          // one began in that cycle, and joins now

  wire [SW-1:0] done_last;
  wire [SW-1:0] join_last;
  wire [SW-1:0] after;
  wire alone = only_q && !joined_q;
  wire empties = left_q && !keep_q && alone;
  wire ran_empty = empties && !joins_q;
  wire first = join_q && (join_alone_q || (empties && joins_q));
  wire brought = left_q && (keep_q || !alone);

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(SW)
  ) u_done_last (
    .clk_i(clk_i),
    .we_i(join_q),
    .waddr_i(join_vc_q),
    .wdata_i(join_slot_q),
    .raddr_i(done_vc_i),
    .rdata_o(done_last)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(SW)
  ) u_join_last (
    .clk_i(clk_i),
    .we_i(join_q),
    .waddr_i(join_vc_q),
    .wdata_i(join_slot_q),
    .raddr_i(join_vc_q),
    .rdata_o(join_last)
  );

  loom_lut_ram #(
    .DEPTH(1 << SW),
    .WIDTH(SW)
  ) u_after (
    .clk_i(clk_i),
    .we_i(join_q && !first),
    .waddr_i(join_last),
    .wdata_i(join_slot_q),
    .raddr_i(left_slot_q),
    .rdata_o(after)
  );

  always @(posedge clk_i) begin
    join_vc_q <= head_vc_i;
    join_slot_q <= head_slot_i;
    join_alone_q <= head_alone_i || (ran_empty && left_vc_q == head_vc_i);
    keep_q <= done_keep_i;
    left_slot_q <= done_slot_i;
    only_q <= done_slot_i == done_last;
    joined_q <= join_q && join_vc_q == done_vc_i;
    joins_q <= head_i && head_vc_i == done_vc_i;
    if (rst_i) begin
      join_q <= 1'b0;
      left_q <= 1'b0;
      left_vc_q <= {VW{1'b0}};
    end else begin
      join_q <= head_i;
      left_q <= done_i;
      left_vc_q <= done_i ? done_vc_i : {VW{1'b0}};
    end
  end

  // ---- View -------------------------------------------------------------------------------------

  reg [VW-1:0] in_q;                    // places in the line
  reg [VW-1:0] out_q;
  reg [VCS-1:0] view_q;
  reg event_q;
  reg [VW-1:0] event_vc_q;

  wire waits = in_q != out_q;
  wire [VW-1:0] line_vc;
  wire [SW-1:0] line_slot;
  wire [SW-1:0] brought_slot = keep_q ? left_slot_q : after;
  wire enters = brought && (first || waits);
  wire comes = first || waits || brought;
  wire [VW-1:0] vc = first ? join_vc_q : waits ? line_vc : left_vc_q;
  wire [SW-1:0] slot = first ? join_slot_q : waits ? line_slot : brought_slot;
  wire [VCS-1:0] view_hot = comes ? HOT0 << vc : NONE;
  wire [VCS-1:0] take_hot = take_i ? HOT0 << take_vc_i : NONE;

  `LOOM_REQUIRE(take_of_a_segment_in_view, !take_i || (view_q & take_hot) != NONE)

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(VW + SW)
  ) u_line (
    .clk_i(clk_i),
    .we_i(enters),
    .waddr_i(in_q),
    .wdata_i({left_vc_q, brought_slot}),
    .raddr_i(out_q),
    .rdata_o({line_vc, line_slot})
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(SW)
  ) u_first (
    .clk_i(clk_i),
    .we_i(comes),
    .waddr_i(vc),
    .wdata_i(slot),
    .raddr_i(take_vc_i),
    .rdata_o(take_slot_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      in_q <= {VW{1'b0}};
      out_q <= {VW{1'b0}};
      view_q <= NONE;
      event_q <= 1'b0;
      event_vc_q <= {VW{1'b0}};
    end else begin
      if (enters) in_q <= in_q + ONE;
      if (waits && !first) out_q <= out_q + ONE;
      view_q <= (view_q & ~take_hot) | view_hot;
      event_q <= comes;
      event_vc_q <= comes ? vc : {VW{1'b0}};
    end
  end

  assign left_o = left_q && !keep_q;
  assign left_vc_o = left_vc_q;
  assign ran_empty_o = ran_empty;
  assign view_o = view_q;
  assign event_o = event_q;
  assign event_vc_o = event_vc_q;

  `LOOM_ASSERT(in_view_once, (view_q & view_hot) == NONE)
  `LOOM_ASSERT(line_has_room, !(enters && !(waits && !first)) || in_q + ONE != out_q)

endmodule

`default_nettype wire
