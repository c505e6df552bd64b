// SPDX-License-Identifier: Apache-2.0

// loom_segment_store_readers: the two readers of a segment store, which change places between the
//   even and the odd memory every cycle.
//
// Inside: segment_store.
// Contract: take_i gives a segment with one word at least to the reader at the even memory, which
//   must be idle (free_o in the last cycle). open_i, open_slot_i and count_i tell of the segment
//   that is being written; ends_i: its last word, or a segment of one word, is written in this
//   cycle, in ends_slot_i at place ends_place_i.
// Algorithm: two sets of registers, one for the reader that is at the even memory and one for the
//   other; each cycle the contents change places, so takes and ends are handled at one place only.
//   The last place of each slot stands in LUT RAM and is looked up in the cycle after the take;
//   a bit beside it says that the slot has one word, which is all that this cycle must know;
//   who reads a segment that is still open hears its end from the write side.
// Latency: word 0 is read in the cycle of the take, then one word a cycle; done_o at the latest in
//   the cycle in which the last even word is read, if the end is known.
// Wait bound: a reader waits only for the words of its segment, and then one cycle at most.
// Parameters: VCS (2..32), SLOTS (2..64).
// Realises: E5-08, E5-09.
// Page: docs/elite5.md, section segment_store.
`default_nettype none
`include "loom_assert.vh"

module loom_segment_store_readers #(
  parameter integer VCS   = 32,
  parameter integer SLOTS = 48
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire                     take_i,
  input  wire [$clog2(VCS)-1:0]   take_vc_i,
  input  wire [$clog2(SLOTS)-1:0] take_slot_i,
  input  wire                     take_keep_i,
  output wire                     free_o,
  input  wire                     open_i,
  input  wire [$clog2(SLOTS)-1:0] open_slot_i,
  input  wire [4:0]               count_i,
  input  wire                     ends_i,
  input  wire [$clog2(SLOTS)-1:0] ends_slot_i,
  input  wire [4:0]               ends_place_i,
  input  wire                     ends_tail_i,
  output wire                     even_o,               // a word of the even memory is read
  output wire                     even_busy_o,
  output wire [$clog2(SLOTS)-1:0] even_slot_o,
  output wire [3:0]               even_place_o,
  output wire                     odd_o,
  output wire                     odd_busy_o,
  output wire [$clog2(SLOTS)-1:0] odd_slot_o,
  output wire [3:0]               odd_place_o,
  output wire                     done_o,
  output wire [$clog2(VCS)-1:0]   done_vc_o,
  output wire [$clog2(SLOTS)-1:0] done_slot_o,
  output wire                     done_keep_o,
  output wire                     done_tail_o,
  output wire                     soon_o,               // of the reader at the even memory
  output wire                     early_o               // the reader at the odd one is done next
);

  localparam integer VW = $clog2(VCS);
  localparam integer SW = $clog2(SLOTS);

  // The reader at the even memory, and the one at the odd memory.
  reg a_busy_q;
  reg b_busy_q;
  reg a_keep_q;
  reg b_keep_q;
  reg [VW-1:0] a_vc_q;
  reg [VW-1:0] b_vc_q;
  reg [SW-1:0] a_slot_q;
  reg [SW-1:0] b_slot_q;
  reg [4:0] a_place_q;                  // of the next word, modulo 32
  reg [4:0] b_place_q;
  reg [4:0] a_read_q;                   // of the last word that was read
  reg [4:0] b_read_q;
  reg a_whole_q;                        // the end of the segment is known
  reg b_whole_q;
  reg [4:0] a_last_q;                   // the place of its last word
  reg [4:0] b_last_q;
  reg a_tail_q;
  reg b_tail_q;
  reg b_new_q;                          // it was taken in the last cycle
  reg b_done_q;                         // it was done in the last cycle
  reg free_q;

  // ---- The even memory --------------------------------------------------------------------------

  wire a_all = a_read_q == a_last_q;
  wire a_there = a_whole_q ? !a_all : a_place_q != count_i;
  wire a_now = a_busy_q && !a_place_q[0] && a_there;
  wire done = a_busy_q && a_whole_q && (a_all || a_place_q[4:1] == a_last_q[4:1]);

  // ---- The odd memory: what was just taken is looked up -----------------------------------------

  wire [4:0] known_last;
  wire known_tail;
  wire known_single;
  wire b_open = open_i && b_slot_q == open_slot_i;
  wire b_whole = b_new_q ? !b_open : b_whole_q;
  wire b_there = b_new_q ? (b_open ? count_i != 5'd1 : !known_single)
                         : (b_whole_q ? b_read_q != b_last_q : b_place_q != count_i);
  wire b_now = b_busy_q && b_place_q[0] && b_there;

  loom_lut_ram #(
    .DEPTH(1 << SW),
    .WIDTH(7)
  ) u_last (
    .clk_i(clk_i),
    .we_i(ends_i),
    .waddr_i(ends_slot_i),
    .wdata_i({ends_place_i == 5'd0, ends_tail_i, ends_place_i}),
    .raddr_i(b_slot_q),
    .rdata_o({known_single, known_tail, known_last})
  );

  // ---- They change places -----------------------------------------------------------------------

  wire closes = open_i && ends_i;
  wire [4:0] a_next = a_place_q + 5'd1;
  wire [4:0] b_next = b_place_q + 5'd1;

  always @(posedge clk_i) begin
    b_keep_q <= take_i ? take_keep_i : a_keep_q;
    a_keep_q <= b_keep_q;
    b_vc_q <= take_i ? take_vc_i : a_vc_q;
    a_vc_q <= b_vc_q;
    // A reader without the last place knows it when the open segment ends.
    b_whole_q <= a_whole_q || closes;
    b_last_q <= a_whole_q ? a_last_q : ends_place_i;
    b_tail_q <= a_whole_q ? a_tail_q : ends_tail_i;
    a_whole_q <= b_whole || closes;
    a_last_q <= !b_whole ? ends_place_i : b_new_q ? known_last : b_last_q;
    a_tail_q <= !b_whole ? ends_tail_i : b_new_q ? known_tail : b_tail_q;
    if (take_i) b_place_q <= 5'd1;
    else b_place_q <= a_now ? a_next : a_place_q;
    a_place_q <= b_now ? b_next : b_place_q;
    if (take_i) b_read_q <= 5'd0;
    else b_read_q <= a_now ? a_place_q : a_read_q;
    a_read_q <= b_now ? b_place_q : b_read_q;
    if (rst_i) begin
      a_busy_q <= 1'b0;
      b_busy_q <= 1'b0;
      b_new_q <= 1'b0;
      b_done_q <= 1'b0;
      a_slot_q <= {SW{1'b0}};
      b_slot_q <= {SW{1'b0}};
      free_q <= 1'b1;
    end else begin
      a_busy_q <= b_busy_q && !b_done_q;
      b_busy_q <= a_busy_q || take_i;
      b_new_q <= take_i;
      b_done_q <= done;
      a_slot_q <= b_slot_q;
      b_slot_q <= take_i ? take_slot_i : a_slot_q;
      free_q <= done || !(a_busy_q || take_i);
    end
  end

  assign free_o = free_q;
  assign even_o = take_i || a_now;
  assign even_busy_o = take_i || a_busy_q;
  assign even_slot_o = take_i ? take_slot_i : a_slot_q;
  assign even_place_o = take_i ? 4'd0 : a_place_q[4:1];
  assign odd_o = b_now;
  assign odd_busy_o = b_busy_q;
  assign odd_slot_o = b_slot_q;
  assign odd_place_o = b_place_q[4:1];
  assign done_o = done;
  assign done_vc_o = a_vc_q;
  assign done_slot_o = a_slot_q;
  assign done_keep_o = a_keep_q;
  assign done_tail_o = a_tail_q;

  // What is left, modulo 32: the word of this cycle is among it.
  wire [4:0] a_left = a_last_q - a_read_q;
  wire [4:0] b_left = b_last_q - b_read_q;
  wire few = a_whole_q ? a_left <= 5'd8 : a_place_q >= 5'd24;

  assign soon_o = a_busy_q && !done && few;
  assign early_o = b_busy_q && !b_new_q && b_whole_q && b_place_q[0] && b_left == 5'd2
                   && b_last_q[4:2] != 3'd0;

  `LOOM_ASSERT(idle_when_taken, !take_i || !a_busy_q)
  `LOOM_ASSERT(readers_apart, !(a_busy_q && b_busy_q && !b_done_q) || a_vc_q != b_vc_q)

endmodule

`default_nettype wire
