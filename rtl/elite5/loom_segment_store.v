// SPDX-License-Identifier: Apache-2.0

// loom_segment_store: the buffer of one Elite5 link, second edition: a queue of segments of up to
//   32 words for each VC, in slots that the VCs share, and two readers; what is kept by VC or by
//   slot stands in RAM.
//
// Contract: a head comes only for a VC of own_o or with spare_o, and the words of a segment without
//   others between. A take in cycle t comes only with rd_free_o in t-1, and names a VC whose
//   head_valid_o is 1 in t. Every output is a register.
// Algorithm: even and odd words of all slots stand in two memories; the two readers change between
//   them every cycle (loom_segment_store_readers). Free slots stand in a ring, in the order of
//   their release, of which the first is always read ahead. Queues are loom_segment_store_lists.
//   Of the slots in use only two things are kept: whether a VC has any, and how many there are
//   beyond the first of each; a slot that is released was in the pool if its VC keeps another one.
// Latency: a head in cycle w is in view in w+2 if its queue is empty; a take in t shows the first
//   word in t+2, then one word a cycle; a word shows at the earliest 3 cycles after it came.
// Wait bound: a VC without a segment always has room; a slot is released in the cycle after its
//   reader is done; a brought segment is in view after 2 VCS + 2 cycles more at most.
// Parameters: VCS (virtual channels, 2..32), POOL (slots beyond one for each VC, 0..32).
// Realises: E5-08, E5-09; probes phase, pool.
// Page: docs/elite5.md, section segment_store.
`default_nettype none
`include "loom_assert.vh"

module loom_segment_store #(
  parameter integer VCS  = 32,
  parameter integer POOL = 16
) (
  input  wire           clk_i,
  input  wire           rst_i,
  input  wire           wr_valid_i,
  input  wire [4:0]     wr_vc_i,
  input  wire           wr_head_i,
  input  wire           wr_tail_i,
  input  wire [63:0]    wr_data_i,
  output wire [VCS-1:0] own_o,
  output wire           spare_o,
  output wire [VCS-1:0] head_valid_o,
  output wire           head_event_o,
  output wire [4:0]     head_vc_o,
  input  wire           take_i,
  input  wire [4:0]     take_vc_i,
  input  wire           take_keep_i,
  output wire           phase_o,
  output wire           rd_free_o,
  output wire [1:0]     rd_valid_o,
  output wire [127:0]   rd_data_o,
  output wire [1:0]     rd_head_o,
  output wire [1:0]     rd_last_o,
  output wire [1:0]     rd_tail_o,
  output wire           done_o,
  output wire [4:0]     done_vc_o,
  output wire           done_tail_o,
  output wire           free_valid_o,
  output wire [4:0]     free_vc_o,
  output wire           empty_o,
  output wire [1:0]     soon_o,
  output wire           early_o
);

  generate
    if (VCS < 2 || VCS > 32) begin : g_bad_vcs
      loom_segment_store_VCS_must_be_2_to_32 u_error ();
    end
    if (POOL < 0 || POOL > 32) begin : g_bad_pool
      loom_segment_store_POOL_must_be_0_to_32 u_error ();
    end
  endgenerate

  localparam integer SLOTS  = VCS + POOL;
  localparam integer SW     = $clog2(SLOTS);
  localparam integer VW     = $clog2(VCS);
  localparam integer PW     = $clog2(POOL + 2);
  localparam integer LAST_I = SLOTS - 1;
  localparam integer FULL_I = (POOL == 0) ? 0 : POOL - 1;
  localparam [SW-1:0] LAST     = LAST_I[SW-1:0];        // the last slot that is handed out anew
  localparam [SW-1:0] PUSH_AT  = SLOTS[SW-1:0];         // the first place that is pushed to
  localparam [SW-1:0] ONE_SLOT = 1;
  localparam [PW-1:0] ONE      = 1;
  localparam [PW-1:0] LAST_ONE = FULL_I[PW-1:0];        // slots of the pool in use when one is left
  localparam [VCS-1:0] HOT0    = 1;
  localparam [VCS-1:0] NONE    = 0;

  wire [VW-1:0] wr_vc = wr_vc_i[VW-1:0];
  wire [VW-1:0] take_vc = take_vc_i[VW-1:0];
  wire unused_vc = &{1'b0, wr_vc_i, take_vc_i};
  wire head = wr_valid_i && wr_head_i;
  wire [VCS-1:0] head_hot = head ? HOT0 << wr_vc : NONE;

  reg phase_q;
  reg [VCS-1:0] own_q;                  // the VC has no slot in use
  reg [PW-1:0] pool_q;                  // slots in use beyond the first of each VC
  reg spare_q;
  reg empty_q;

  // The segment that is open, and the number of its words.
  reg open_q;
  reg [SW-1:0] open_slot_q;
  reg [4:0] count_q;

  `LOOM_REQUIRE(head_of_a_vc, !head || {27'd0, wr_vc_i} < VCS)
  `LOOM_REQUIRE(head_only_with_room, !head || spare_q || (own_q & head_hot) != NONE)
  `LOOM_REQUIRE(head_between_segments, !head || !open_q)
  `LOOM_REQUIRE(words_of_one_segment, !wr_valid_i || wr_head_i || open_q)
  `LOOM_REQUIRE(take_of_a_vc, !take_i || {27'd0, take_vc_i} < VCS)

  // ---- Free slots -------------------------------------------------------------------------------

  wire done;
  wire [VW-1:0] done_vc;
  wire [SW-1:0] done_slot;
  wire done_keep;
  wire done_tail;
  wire soon;
  wire early;
  reg [SW-1:0] in_q;                    // places in the ring: of the next push,
  reg [SW-1:0] out_q;                   // of the slot that is next,
  reg [SW-1:0] then_q;                  // and of the one after it
  reg fresh_q;                          // the place was never passed: place p means slot p
  reg [SW-1:0] new_q;                   // the slot that is next
  wire [SW-1:0] at = head ? then_q : out_q;
  wire fresh = fresh_q && !(head && out_q == LAST);
  wire [SW-1:0] pushed;

  loom_lut_ram #(
    .DEPTH(1 << SW),
    .WIDTH(SW)
  ) u_ring (
    .clk_i(clk_i),
    .we_i(done && !done_keep),
    .waddr_i(in_q),
    .wdata_i(done_slot),
    .raddr_i(at),
    .rdata_o(pushed)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      in_q <= PUSH_AT;
      out_q <= {SW{1'b0}};
      then_q <= ONE_SLOT;
      fresh_q <= 1'b1;
      new_q <= {SW{1'b0}};
    end else begin
      if (done && !done_keep) in_q <= in_q + ONE_SLOT;
      if (head) begin
        out_q <= then_q;
        then_q <= then_q + ONE_SLOT;
      end
      fresh_q <= fresh;
      new_q <= fresh ? at : pushed;
    end
  end

  // ---- Write side -------------------------------------------------------------------------------

  wire [SW-1:0] wr_slot = wr_head_i ? new_q : open_slot_q;
  wire [4:0] wr_place = wr_head_i ? 5'd0 : count_q;
  wire last = wr_tail_i || wr_place == 5'd31;
  wire ends = wr_valid_i && last;

  always @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= 1'b0;
      open_slot_q <= {SW{1'b0}};
      count_q <= 5'd0;
    end else if (wr_valid_i) begin
      open_q <= !last;
      open_slot_q <= wr_slot;
      count_q <= wr_place + 5'd1;
    end
  end

  // ---- Queues -----------------------------------------------------------------------------------

  wire left;
  wire [VW-1:0] left_vc;
  wire ran_empty;
  wire event_valid;
  wire [VW-1:0] event_vc;
  wire [SW-1:0] take_slot;
  wire [(1<<VW)-1:0] own_all;
  wire own = own_all[wr_vc];

  generate
    if (VCS < 1 << VW) begin : g_pad_own
      assign own_all = {{((1 << VW) - VCS){1'b0}}, own_q};
    end else begin : g_own
      assign own_all = own_q;
    end
  endgenerate

  loom_segment_store_lists #(
    .VCS(VCS),
    .SLOTS(SLOTS)
  ) u_lists (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .head_i(head),
    .head_vc_i(wr_vc),
    .head_slot_i(new_q),
    .head_alone_i(own),
    .done_i(done),
    .done_vc_i(done_vc),
    .done_slot_i(done_slot),
    .done_keep_i(done_keep),
    .left_o(left),
    .left_vc_o(left_vc),
    .ran_empty_o(ran_empty),
    .view_o(head_valid_o),
    .event_o(event_valid),
    .event_vc_o(event_vc),
    .take_i(take_i),
    .take_vc_i(take_vc),
    .take_slot_o(take_slot)
  );

  // ---- Room -------------------------------------------------------------------------------------

  wire [VCS-1:0] ran_hot = ran_empty ? HOT0 << left_vc : NONE;
  wire takes = head && !own;            // a slot of the pool
  wire gives = left && !(ran_empty && !(head && wr_vc == left_vc));

  always @(posedge clk_i) begin
    if (rst_i) begin
      own_q <= {VCS{1'b1}};
      pool_q <= {PW{1'b0}};
      spare_q <= POOL != 0;
      empty_q <= 1'b1;
    end else begin
      own_q <= (own_q | ran_hot) & ~head_hot;
      if (takes && !gives) begin
        pool_q <= pool_q + ONE;
        spare_q <= pool_q != LAST_ONE;
      end
      if (gives && !takes) begin
        pool_q <= pool_q - ONE;
        spare_q <= 1'b1;
      end
      empty_q <= own_q == {VCS{1'b1}} && !head;
    end
  end

  // ---- Readers ----------------------------------------------------------------------------------

  wire even;
  wire even_busy;
  wire [SW-1:0] even_slot;
  wire [3:0] even_place;
  wire odd;
  wire odd_busy;
  wire [SW-1:0] odd_slot;
  wire [3:0] odd_place;

  loom_segment_store_readers #(
    .VCS(VCS),
    .SLOTS(SLOTS)
  ) u_readers (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .take_i(take_i),
    .take_vc_i(take_vc),
    .take_slot_i(take_slot),
    .take_keep_i(take_keep_i),
    .free_o(rd_free_o),
    .open_i(open_q),
    .open_slot_i(open_slot_q),
    .count_i(count_q),
    .ends_i(ends),
    .ends_slot_i(wr_slot),
    .ends_place_i(wr_place),
    .ends_tail_i(wr_tail_i),
    .even_o(even),
    .even_busy_o(even_busy),
    .even_slot_o(even_slot),
    .even_place_o(even_place),
    .odd_o(odd),
    .odd_busy_o(odd_busy),
    .odd_slot_o(odd_slot),
    .odd_place_o(odd_place),
    .done_o(done),
    .done_vc_o(done_vc),
    .done_slot_o(done_slot),
    .done_keep_o(done_keep),
    .done_tail_o(done_tail),
    .soon_o(soon),
    .early_o(early)
  );

  // ---- Memory -----------------------------------------------------------------------------------

  // Who is busy reads, also where no word is yet: only what is there is shown.
  wire [65:0] even_word;
  wire [65:0] odd_word;

  loom_apart_ram #(
    .DEPTH(SLOTS * 16),
    .WIDTH(66)
  ) u_even (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_valid_i && !wr_place[0]),
    .waddr_i({wr_slot, wr_place[4:1]}),
    .wdata_i({last, wr_tail_i, wr_data_i}),
    .re_i(even_busy),
    .raddr_i({even_slot, even_place}),
    .rdata_o(even_word)
  );

  loom_apart_ram #(
    .DEPTH(SLOTS * 16),
    .WIDTH(66)
  ) u_odd (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_valid_i && wr_place[0]),
    .waddr_i({wr_slot, wr_place[4:1]}),
    .wdata_i({last, wr_tail_i, wr_data_i}),
    .re_i(odd_busy),
    .raddr_i({odd_slot, odd_place}),
    .rdata_o(odd_word)
  );

  // Two stages: the words come from the memories, and into the registers of the outputs.
  reg [1:0] read_q;
  reg read_head_q;
  reg [1:0] rd_valid_q;
  reg rd_head_q;
  reg [65:0] even_q;
  reg [65:0] odd_q;
  reg done_q;
  reg done_tail_q;
  reg free_q;
  reg [VW-1:0] free_vc_q;
  reg [1:0] soon_q;                     // by reader, not by memory
  reg early_q;

  always @(posedge clk_i) begin
    if (rst_i || !read_q[0]) even_q <= 66'd0;
    else even_q <= even_word;
    if (rst_i || !read_q[1]) odd_q <= 66'd0;
    else odd_q <= odd_word;
    if (rst_i) begin
      phase_q <= 1'b0;
      read_q <= 2'd0;
      read_head_q <= 1'b0;
      rd_valid_q <= 2'd0;
      rd_head_q <= 1'b0;
      done_q <= 1'b0;
      done_tail_q <= 1'b0;
      free_q <= 1'b0;
      free_vc_q <= {VW{1'b0}};
      soon_q <= 2'd0;
      early_q <= 1'b0;
    end else begin
      phase_q <= !phase_q;
      read_q <= {odd, even};
      read_head_q <= take_i;
      rd_valid_q <= read_q;
      rd_head_q <= read_head_q;
      done_q <= done;
      done_tail_q <= done && done_tail;
      free_q <= left;
      free_vc_q <= left ? left_vc : {VW{1'b0}};
      if (phase_q) soon_q[1] <= soon;
      else soon_q[0] <= soon;
      early_q <= early;
    end
  end

  assign own_o = own_q;
  assign spare_o = spare_q;
  assign head_event_o = event_valid;
  assign head_vc_o = {{(5 - VW){1'b0}}, event_vc};
  assign phase_o = phase_q;
  assign rd_valid_o = rd_valid_q;
  assign rd_data_o = {odd_q[63:0], even_q[63:0]};
  assign rd_head_o = {1'b0, rd_head_q};
  assign rd_last_o = {odd_q[65], even_q[65]};
  assign rd_tail_o = {odd_q[64], even_q[64]};
  assign done_o = done_q;
  assign done_vc_o = {{(5 - VW){1'b0}}, left_vc};
  assign done_tail_o = done_tail_q;
  assign free_valid_o = free_q;
  assign free_vc_o = {{(5 - VW){1'b0}}, free_vc_q};
  assign empty_o = empty_q;
  assign soon_o = soon_q;
  assign early_o = early_q;

  `LOOM_ASSERT(pool_not_overdrawn, {{(32 - PW){1'b0}}, pool_q} <= POOL)
  `LOOM_ASSERT(spare_while_some_left, spare_q == (pool_q != POOL[PW-1:0]))
  `LOOM_ASSERT(data_0_while_no_even_word, rd_valid_o[0] || rd_data_o[63:0] == 64'd0)
  `LOOM_ASSERT(data_0_while_no_odd_word, rd_valid_o[1] || rd_data_o[127:64] == 64'd0)
  `LOOM_ASSERT(vc_0_while_no_event, head_event_o || head_vc_o == 5'd0)
  `LOOM_ASSERT(vc_0_while_nothing_done, done_o || {done_vc_o, done_tail_o} == 6'd0)
  `LOOM_ASSERT(early_is_done_then, !early_o || done)
  `LOOM_ASSERT(vc_0_while_nothing_freed, free_valid_o || free_vc_o == 5'd0)

endmodule

`default_nettype wire
