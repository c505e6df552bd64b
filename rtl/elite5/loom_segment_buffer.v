// SPDX-License-Identifier: Apache-2.0

// loom_segment_buffer: the buffer of one Elite5 link: a queue of segments of up to 32 words for
//   each VC, in slots that the VCs share, and two readers.
//
// Contract: a head comes only for a VC of wr_ok_o, and the words of a segment without others
//   between. A take in cycle g+1 names a VC whose seg_valid_o was 1 in g while rd_free_o was 1.
//   wr_ok_o, phase_o, empty_o, rd_valid_o ... rd_data_o and free_* are functions of the state, the
//   other outputs also of the take of this cycle.
// Algorithm: even and odd words of all slots stand in two banks. The phase gives each bank to one
//   reader and changes every cycle, so that both readers go at full rate. A head takes the lowest
//   slot that is not in use; each VC has a linked list of slots, whose first one is read. A slot
//   that was read for good is freed, and of the freed ones the lowest is released each cycle. A
//   loom_elite5_credits counts the slots of each VC (one reserved for each, the rest a pool).
// Latency: a word written in cycle w can be read from w+1 and shows in w+2; a segment granted in g
//   is taken in g+1 and its first word shows in g+2; then a word of each reader every cycle.
// Wait bound: a VC without a segment always has room; a freed slot is released after at most SLOTS
//   - 1 others.
// Parameters: VCS (virtual channels, 2..32), POOL (slots beyond one for each VC, 0..32).
// Realises: E5-08, E5-09; probes phase, active, used.
// Page: docs/elite5.md, section segment_buffer.
`default_nettype none
`include "loom_assert.vh"

module loom_segment_buffer #(
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
  output wire [VCS-1:0] wr_ok_o,
  output wire [VCS-1:0] seg_valid_o,
  input  wire           take_i,
  input  wire [4:0]     take_vc_i,
  input  wire           take_keep_i,
  output wire           phase_o,
  output wire           rd_free_o,
  output wire [1:0]     rd_now_o,
  output wire [1:0]     rd_done_o,
  output wire [1:0]     rd_last_o,
  output wire [9:0]     rd_vc_o,
  output wire [1:0]     rd_valid_o,
  output wire [1:0]     rd_head_o,
  output wire [1:0]     rd_tail_o,
  output wire [127:0]   rd_data_o,
  output wire           free_valid_o,
  output wire [4:0]     free_vc_o,
  output wire           empty_o
);

  generate
    if (VCS < 2 || VCS > 32) begin : g_bad_vcs
      loom_segment_buffer_VCS_must_be_2_to_32 u_error ();
    end
    if (POOL < 0 || POOL > 32) begin : g_bad_pool
      loom_segment_buffer_POOL_must_be_0_to_32 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(head_only_with_room,
      !(wr_valid_i && wr_head_i) || (wr_ok_o & (HOT0 << wr_vc_i)) != {VCS{1'b0}})
  `LOOM_REQUIRE(words_of_one_segment, !(wr_valid_i && !wr_head_i)
      || ((used_q >> wr_slot_q) & ONE_SLOT & ~(ended_q >> wr_slot_q)) != {SLOTS{1'b0}})
  `LOOM_REQUIRE(take_of_a_vc, !take_i || HOT0 << take_vc_i != {VCS{1'b0}})
  `LOOM_REQUIRE(take_of_a_segment, !take_i || (some_q & (HOT0 << take_vc_i)) != {VCS{1'b0}})

  localparam integer SLOTS   = VCS + POOL;
  localparam integer SW      = $clog2(SLOTS);
  localparam integer VW      = $clog2(VCS);
  localparam [SLOTS-1:0] ONE_SLOT = 1;
  localparam [VCS-1:0]   HOT0     = 1;

  reg phase_q;

  // Slots. A word of a slot exists if its place is below the count.
  reg [SLOTS-1:0] used_q;
  reg [SLOTS-1:0] freed_q;                      // in use, but read for good
  reg [SLOTS-1:0] ended_q;                      // no word will follow
  reg [SLOTS-1:0] tail_q;                       // the last word is the tail of a packet
  reg [5:0] count_q [0:SLOTS-1];
  reg [4:0] vc_q [0:SLOTS-1];
  reg [SW-1:0] next_q [0:SLOTS-1];              // the slot after it in the queue

  // Queues: segments that were not yet read for good.
  reg [VCS-1:0] some_q;                         // the queue is not empty
  reg [SW-1:0] first_q [0:VCS-1];
  reg [SW-1:0] last_q [0:VCS-1];

  // The segment that is open on the link.
  reg [SW-1:0] wr_slot_q;
  reg [4:0] wr_place_q;

  // The two readers, lane r for reader r.
  reg [1:0] active_q;
  reg [1:0] keep_q;
  reg [2*VW-1:0] rd_vc_q;
  reg [2*SW-1:0] rd_slot_q;
  reg [9:0] rd_place_q;
  reg [1:0] rd_valid_q;
  reg [1:0] rd_head_q;
  reg [1:0] rd_tail_q;

  reg free_valid_q;
  reg [4:0] free_vc_q;

  wire unused = &{1'b0, take_vc_i};

  // ---- Readers ----------------------------------------------------------------------------------

  wire [VW-1:0] take_vc = take_vc_i[VW-1:0];
  wire [1:0] take = take_i ? {phase_q, !phase_q} : 2'd0;

  wire [1:0] at;
  wire [1:0] keep;
  wire [1:0] now;
  wire [1:0] done;
  wire [1:0] last;
  wire [1:0] head;
  wire [1:0] leave;                             // done for good: the segment leaves its queue
  wire [1:0] more;                              // another segment stands after it
  wire [2*VW-1:0] rd_vc;
  wire [2*SW-1:0] rd_slot;
  wire [2*SW-1:0] rd_next;
  wire [9:0] rd_place;
  wire [9:0] rd_place_inc;
  wire [2*VCS-1:0] at_hot;
  wire [2*SLOTS-1:0] leave_hot;

  generate
    genvar r;
    for (r = 0; r < 2; r = r + 1) begin : g_reader
      wire [VW-1:0] vc = take[r] ? take_vc : rd_vc_q[r*VW +: VW];
      wire [SW-1:0] slot = take[r] ? first_q[take_vc] : rd_slot_q[r*SW +: SW];
      wire [4:0] place = take[r] ? 5'd0 : rd_place_q[r*5 +: 5];
      wire [5:0] place_inc = {1'b0, place} + 6'd1;
      wire [5:0] count = count_q[slot];
      wire mine = place[0] == (r == 0 ? phase_q : !phase_q);  // the bank of this word

      assign at[r] = active_q[r] || take[r];
      assign keep[r] = take[r] ? take_keep_i : keep_q[r];
      assign now[r] = at[r] && mine && {1'b0, place} < count;
      assign done[r] = now[r] && ended_q[slot] && place_inc == count;
      assign last[r] = done[r] && tail_q[slot];
      assign head[r] = now[r] && place == 5'd0;
      assign leave[r] = done[r] && !keep[r];
      assign more[r] = slot != last_q[vc];
      assign rd_vc[r*VW +: VW] = vc;
      assign rd_slot[r*SW +: SW] = slot;
      assign rd_next[r*SW +: SW] = next_q[slot];
      assign rd_place[r*5 +: 5] = place;
      assign rd_place_inc[r*5 +: 5] = place_inc[4:0];
      assign at_hot[r*VCS +: VCS] = at[r] ? HOT0 << vc : {VCS{1'b0}};
      assign leave_hot[r*SLOTS +: SLOTS] = leave[r] ? ONE_SLOT << slot : {SLOTS{1'b0}};
      assign rd_vc_o[r*5 +: VW] = at[r] ? vc : {VW{1'b0}};
      if (VW < 5) begin : g_pad_vc
        assign rd_vc_o[r*5+VW +: 5-VW] = {(5 - VW){1'b0}};
      end
    end
  endgenerate

  wire [VCS-1:0] at_hot0 = at_hot[0 +: VCS];
  wire [VCS-1:0] at_hot1 = at_hot[VCS +: VCS];
  wire [VCS-1:0] gone = ((leave[0] && !more[0]) ? at_hot0 : {VCS{1'b0}})
                        | ((leave[1] && !more[1]) ? at_hot1 : {VCS{1'b0}});
  wire [1:0] again = done & (keep | more);      // its VC has a segment for the next cycle

  always @(posedge clk_i) begin
    if (rst_i) begin
      phase_q <= 1'b0;
      active_q <= 2'd0;
      keep_q <= 2'd0;
      rd_vc_q <= {(2 * VW){1'b0}};
      rd_slot_q <= {(2 * SW){1'b0}};
      rd_place_q <= 10'd0;
      rd_valid_q <= 2'd0;
      rd_head_q <= 2'd0;
      rd_tail_q <= 2'd0;
    end else begin
      phase_q <= !phase_q;
      active_q <= at & ~done;
      keep_q <= keep;
      if (take_i) begin
        rd_vc_q <= rd_vc;
        rd_slot_q <= rd_slot;
      end
      rd_place_q[0 +: 5] <= now[0] ? rd_place_inc[0 +: 5] : rd_place[0 +: 5];
      rd_place_q[5 +: 5] <= now[1] ? rd_place_inc[5 +: 5] : rd_place[5 +: 5];
      rd_valid_q <= now;
      rd_head_q <= head;
      rd_tail_q <= last;
    end
  end

  // ---- Slots that are free again ----------------------------------------------------------------

  wire release_some = freed_q != {SLOTS{1'b0}};
  wire [SLOTS-1:0] release_hot = freed_q & (~freed_q + ONE_SLOT);       // the lowest
  wire [SW-1:0] release_slot;
  wire [4:0] release_vc = release_some ? vc_q[release_slot] : 5'd0;

  loom_encode #(
    .N(SLOTS),
    .W(SW)
  ) u_release (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(release_hot),
    .index_o(release_slot)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      freed_q <= {SLOTS{1'b0}};
      free_valid_q <= 1'b0;
      free_vc_q <= 5'd0;
    end else begin
      freed_q <= (freed_q & ~release_hot) | leave_hot[0 +: SLOTS] | leave_hot[SLOTS +: SLOTS];
      free_valid_q <= release_some;
      free_vc_q <= release_vc;
    end
  end

  // ---- Write side -------------------------------------------------------------------------------

  wire [VW-1:0] wr_vc = wr_vc_i[VW-1:0];
  wire wr_head = wr_valid_i && wr_head_i;
  wire [VCS-1:0] wr_hot = wr_head ? HOT0 << wr_vc_i : {VCS{1'b0}};
  wire [SLOTS-1:0] new_hot = ~used_q & (used_q + ONE_SLOT);             // the lowest not in use
  wire [SW-1:0] new_slot;
  wire [SW-1:0] wr_slot = wr_head_i ? new_slot : wr_slot_q;
  wire [4:0] wr_place = wr_head_i ? 5'd0 : wr_place_q;
  wire [5:0] wr_place_inc = {1'b0, wr_place} + 6'd1;
  wire [SW-1:0] wr_last = last_q[wr_vc];
  wire wr_append = (some_q & ~gone & wr_hot) != {VCS{1'b0}};            // after others

  loom_encode #(
    .N(SLOTS),
    .W(SW)
  ) u_new (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(new_hot),
    .index_o(new_slot)
  );

  always @(posedge clk_i) begin
    if (wr_valid_i) begin
      count_q[wr_slot] <= wr_place_inc;
      ended_q[wr_slot] <= wr_tail_i || wr_place_inc[5];
      tail_q[wr_slot] <= wr_tail_i;
    end
    if (wr_head) begin
      vc_q[new_slot] <= wr_vc_i;
      last_q[wr_vc] <= new_slot;
    end
    if (wr_append) next_q[wr_last] <= new_slot;
    // The first of a queue: the one that arrives, or the one after a segment that leaves.
    if (wr_head && !wr_append) first_q[wr_vc] <= new_slot;
    if (leave[0] && more[0]) first_q[rd_vc[0 +: VW]] <= rd_next[0 +: SW];
    if (leave[1] && more[1]) first_q[rd_vc[VW +: VW]] <= rd_next[SW +: SW];
    if (rst_i) begin
      used_q <= {SLOTS{1'b0}};
      some_q <= {VCS{1'b0}};
      wr_slot_q <= {SW{1'b0}};
      wr_place_q <= 5'd0;
    end else begin
      used_q <= (used_q & ~release_hot) | (wr_head ? new_hot : {SLOTS{1'b0}});
      some_q <= (some_q & ~gone) | wr_hot;
      if (wr_valid_i) begin
        wr_slot_q <= wr_slot;
        wr_place_q <= wr_place_inc[4:0];
      end
    end
  end

  // ---- Room -------------------------------------------------------------------------------------

  loom_elite5_credits #(
    .VCS(VCS),
    .POOL(POOL)
  ) u_credits (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .consume_i(wr_hot),
    .return_i(release_some ? HOT0 << release_vc : {VCS{1'b0}}),
    .cap_i(6'd63),
    .ok_o(wr_ok_o)
  );

  // ---- Memory -----------------------------------------------------------------------------------

  // In this cycle reader `phase` has the even words, the other one the odd words; the words that
  // show now were read in the other phase.
  wire [63:0] even;
  wire [63:0] odd;

  loom_ram #(
    .DEPTH(SLOTS * 16),
    .WIDTH(64)
  ) u_even (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_valid_i && !wr_place[0]),
    .waddr_i({wr_slot, wr_place[4:1]}),
    .wdata_i(wr_data_i),
    .re_i(phase_q ? now[1] : now[0]),
    .raddr_i(phase_q ? {rd_slot[SW +: SW], rd_place[9:6]} : {rd_slot[0 +: SW], rd_place[4:1]}),
    .rdata_o(even)
  );

  loom_ram #(
    .DEPTH(SLOTS * 16),
    .WIDTH(64)
  ) u_odd (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_valid_i && wr_place[0]),
    .waddr_i({wr_slot, wr_place[4:1]}),
    .wdata_i(wr_data_i),
    .re_i(phase_q ? now[0] : now[1]),
    .raddr_i(phase_q ? {rd_slot[0 +: SW], rd_place[4:1]} : {rd_slot[SW +: SW], rd_place[9:6]}),
    .rdata_o(odd)
  );

  assign seg_valid_o = (some_q & ~at_hot0 & ~at_hot1)
                       | (again[0] ? at_hot0 : {VCS{1'b0}}) | (again[1] ? at_hot1 : {VCS{1'b0}});
  assign phase_o = phase_q;
  assign rd_free_o = phase_q ? !at[0] || done[0] : !at[1] || done[1];
  assign rd_now_o = now;
  assign rd_done_o = done;
  assign rd_last_o = last;
  assign rd_valid_o = rd_valid_q;
  assign rd_head_o = rd_head_q;
  assign rd_tail_o = rd_tail_q;
  assign rd_data_o = {rd_valid_q[1] ? (phase_q ? odd : even) : 64'd0,
                      rd_valid_q[0] ? (phase_q ? even : odd) : 64'd0};
  assign free_valid_o = free_valid_q;
  assign free_vc_o = free_vc_q;
  assign empty_o = used_q == {SLOTS{1'b0}};

  `LOOM_ASSERT(slot_there_when_needed, !(wr_valid_i && wr_head_i) || new_hot != {SLOTS{1'b0}})
  `LOOM_ASSERT(frees_what_is_in_use, (freed_q & ~used_q) == {SLOTS{1'b0}})
  `LOOM_ASSERT(readers_apart, (at_hot0 & at_hot1) == {VCS{1'b0}})
  `LOOM_ASSERT(data_0_while_reader_0_rests, rd_valid_o[0] || rd_data_o[63:0] == 64'd0)
  `LOOM_ASSERT(data_0_while_reader_1_rests, rd_valid_o[1] || rd_data_o[127:64] == 64'd0)
  `LOOM_ASSERT(vc_0_while_nothing_freed, free_valid_o || free_vc_o == 5'd0)

endmodule

`default_nettype wire
