// SPDX-License-Identifier: Apache-2.0

// loom_elite5_output: the output of a link: the VCs of the far end, the second stage of the
//   crosspoint with its way for the words, and the replies that come back.
// Inside: loom_elite5_router
//
// Contract: the top holds the register locked_i (it is a probe) and loads it from locked_o. Inputs
//   that ask are in request_i, with their priority and {reader, new, vc of the input, vc of the
//   output} in 16 bits; grant_o is the one that is granted. rd_done_i and rd_last_i have two bits
//   an input, a bit a reader; word_* are of the reader that lock_o names. The oldest reply that
//   waits is for the input of reply_to_o (one-hot, 0 if none waits); reply_o is {ack, vc}.
//   traffic_* are what goes into the output register.
// Algorithm: the highest priority first, then a loom_rr_arbiter; what was granted is locked to the
//   output until the reader is done with the segment. A bit mask over the VCs for each state.
// Latency: a word that is read in cycle t is on traffic_* in t+2; a reply of the link in cycle c is
//   on reply_* in c+2.
// Wait bound: an input that keeps asking is granted at the latest with the LINKS-th grant of its
//   priority that follows.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), POOL (0..32).
// Realises: E5-01, E5-03, E5-10..13, E5-25.
// Page: docs/elite5.md, sections Crosspoint and Replies.
`default_nettype none
`include "loom_assert.vh"

module loom_elite5_output #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32,
  parameter integer BVCS  = 4,
  parameter integer POOL  = 16
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire                up_i,

  // Registers.
  input  wire [5:0]          vc_limit_i,
  input  wire [5:0]          cap_i,
  input  wire [5:0]          threshold_i,

  // The link, backwards.
  input  wire                out_cr_valid_i,
  input  wire [4:0]          out_cr_vl_i,
  input  wire                out_rep_valid_i,
  input  wire                out_rep_ack_i,
  input  wire [4:0]          out_rep_vc_i,

  // What it can do in this cycle.
  output wire                new_o,             // it has a VC for a unicast packet
  output wire                group_new_o,       // one of the broadcast class
  output wire                under_o,           // pending below the threshold
  output wire                clear_o,           // its VCs are no longer passed over
  output wire                free_o,            // it can be granted
  output wire [4:0]          next_vc_o,         // that VC for a unicast packet
  output wire [31:0]         ok_o,              // VCs with credit
  output wire [BVCS-1:0]     group_ready_o,     // it can take a segment on these VCs of the class
  output wire [BVCS-1:0]     group_alloc_o,
  output wire [5:0]          pending_o,
  output wire [VCS-1:0]      alloc_o,
  output wire                calm_o,

  // The crosspoint.
  input  wire [LINKS-1:0]    request_i,
  input  wire [LINKS-1:0]    prio0_i,
  input  wire [LINKS-1:0]    prio1_i,
  input  wire [LINKS*16-1:0] ask_i,
  output wire [LINKS-1:0]    grant_o,
  input  wire                locked_i,
  output wire                locked_o,
  input  wire [2*LINKS-1:0]  rd_done_i,
  input  wire [2*LINKS-1:0]  rd_last_i,
  output wire [7:0]          lock_o,
  input  wire                word_valid_i,
  input  wire                word_head_i,
  input  wire                word_tail_i,
  input  wire [63:0]         word_data_i,
  output wire                traffic_valid_o,
  output wire                traffic_head_o,
  output wire                traffic_tail_o,
  output wire [4:0]          traffic_vl_o,
  output wire [63:0]         traffic_data_o,

  // A broadcast that gets a VC here: {input, vc}.
  input  wire                group_open_i,
  input  wire [2:0]          group_vc_i,
  input  wire [9:0]          group_back_i,

  // Replies.
  output wire [LINKS-1:0]    reply_to_o,
  output wire [5:0]          reply_o,
  input  wire                reply_take_i,
  output wire                reply_error_o
);

  localparam integer LW   = $clog2(LINKS);
  localparam integer BASE = VCS - BVCS;         // the first VC of the broadcast class
  localparam [4:0] BASE_C = BASE[4:0];
  localparam [VCS-1:0] NONE    = 0;
  localparam [VCS-1:0] VC0     = 1;
  localparam [VCS-1:0] UNICAST = {VCS{1'b1}} >> BVCS;
  localparam [LINKS-1:0] NO_LINK = 0;
  localparam [LINKS-1:0] LINK0   = 1;

  reg [VCS-1:0] alloc_q;
  reg [VCS-1:0] sent_q;                         // the tail was read
  reg [VCS-1:0] replied_q;                      // the reply came
  reg [VCS*16-1:0] back_q;                      // {input, vc} that the reply goes back to
  reg [5:0] pending_q;                          // VCs allocated

  // ---- The far end ------------------------------------------------------------------------------

  reg cr_valid_q;
  reg [4:0] cr_vl_q;
  wire [VCS-1:0] used_vc;                       // a segment goes out on it
  wire [VCS-1:0] ok;

  loom_elite5_credits #(
    .VCS(VCS),
    .POOL(POOL)
  ) u_credits (
    .clk_i(clk_i),
    .rst_i(rst_i || !up_i),
    .consume_i(used_vc),
    .return_i(cr_valid_q ? VC0 << cr_vl_q : NONE),
    .cap_i(cap_i),
    .ok_o(ok)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      cr_valid_q <= 1'b0;
      cr_vl_q <= 5'd0;
    end else begin
      cr_valid_q <= up_i && out_cr_valid_i;
      cr_vl_q <= out_cr_vl_i;
    end
  end

  wire [VCS-1:0] limit = UNICAST & ~({VCS{1'b1}} << vc_limit_i);
  wire [VCS-1:0] fresh = up_i ? ok & ~alloc_q & limit : NONE;
  wire [VCS-1:0] next = fresh & (~fresh + VC0);
  wire [4:0] next_vc;
  reg [31:0] ok_word;

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_next (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(next),
    .index_o(next_vc)
  );

  always @* begin
    ok_word = 32'd0;
    ok_word[VCS-1:0] = ok;
  end

  assign new_o = fresh != NONE;
  assign group_new_o = up_i && (~alloc_q & ~UNICAST) != NONE;
  assign under_o = pending_q < threshold_i;
  assign clear_o = cr_valid_q || !up_i;
  assign next_vc_o = next_vc;
  assign ok_o = ok_word;
  assign group_alloc_o = alloc_q[VCS-1:BASE];
  assign pending_o = pending_q;
  assign alloc_o = alloc_q;
  assign calm_o = alloc_q == NONE && !locked_i;

  // ---- Stage 2 ----------------------------------------------------------------------------------

  reg [LW-1:0] from_q;                          // locked to this input, its reader, on this VC
  reg reader_q;
  reg [4:0] vc_q;
  reg [VCS-1:0] hot_q;
  wire [LW:0] lock = {from_q, reader_q};
  wire done = locked_i && rd_done_i[lock];
  wire last = locked_i && rd_last_i[lock];
  wire free = !locked_i || done;

  wire [LINKS-1:0] high = request_i & prio1_i;
  wire [LINKS-1:0] half = (high != NO_LINK) ? high : request_i;
  wire [LINKS-1:0] odd = half & prio0_i;
  wire [LINKS-1:0] top = (odd != NO_LINK) ? odd : half;
  wire [LINKS-1:0] grant;
  wire [4:0] from;

  loom_rr_arbiter #(
    .N(LINKS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(top),
    .advance_i(1'b1),
    .grant_o(grant)
  );

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_from (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(grant),
    .index_o(from)
  );

  wire granted = grant != NO_LINK;
  wire [15:0] ask = ask_i[{from[LW-1:0], 4'd0} +: 16];
  wire ask_reader = ask[11];
  wire ask_new = ask[10];
  wire [4:0] vc = ask_new ? next_vc : ask[4:0];
  wire [VCS-1:0] hot = VC0 << vc;
  wire [VCS-1:0] unicast_new = (granted && ask_new) ? hot : NONE;
  wire unused = &{1'b0, ask[15:12], from, ask_i, back_q};

  assign used_vc = (granted && up_i) ? hot : NONE;
  assign grant_o = grant;
  assign free_o = free;
  assign group_ready_o = free ? ok[VCS-1:BASE] | {BVCS{!up_i}} : {BVCS{1'b0}};
  assign locked_o = granted || (locked_i && !done);

  always @(posedge clk_i) begin
    if (rst_i) begin
      from_q <= {LW{1'b0}};
      reader_q <= 1'b0;
      vc_q <= 5'd0;
      hot_q <= NONE;
    end else if (granted) begin
      from_q <= from[LW-1:0];
      reader_q <= ask_reader;
      vc_q <= vc;
      hot_q <= hot;
    end
  end

  // ---- The way of the words: t + 1 through the crosspoint, t + 2 into the output register -------

  reg cross_locked_q;                           // the lock of the last cycle
  reg [LW:0] cross_lock_q;
  reg [4:0] cross_vc_q;
  reg word_valid_q;
  reg word_head_q;
  reg word_tail_q;
  reg [4:0] word_vc_q;
  reg [63:0] word_data_q;
  wire crossing = cross_locked_q && word_valid_i;

  always @(posedge clk_i) begin
    if (crossing) word_data_q <= word_data_i;
    if (rst_i) begin
      cross_locked_q <= 1'b0;
      cross_lock_q <= {(LW + 1){1'b0}};
      cross_vc_q <= 5'd0;
      word_valid_q <= 1'b0;
      word_head_q <= 1'b0;
      word_tail_q <= 1'b0;
      word_vc_q <= 5'd0;
    end else begin
      cross_locked_q <= locked_i;
      cross_lock_q <= lock;
      cross_vc_q <= vc_q;
      word_valid_q <= crossing;
      word_head_q <= word_head_i;
      word_tail_q <= word_tail_i;
      word_vc_q <= cross_vc_q;
    end
  end

  loom_elite5_rewrite u_rewrite (
    .data_i(word_data_q),
    .head_i(word_head_q),
    .vc_i(word_vc_q),
    .data_o(traffic_data_o)
  );

  reg [7:0] lock_lane;

  always @* begin
    lock_lane = 8'd0;
    lock_lane[LW:0] = cross_lock_q;
  end

  assign lock_o = lock_lane;
  assign traffic_valid_o = word_valid_q;
  assign traffic_head_o = word_head_q;
  assign traffic_tail_o = word_tail_q;
  assign traffic_vl_o = word_vc_q;

  // ---- Replies ----------------------------------------------------------------------------------

  reg rep_valid_q;
  reg rep_ack_q;
  reg [4:0] rep_vc_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      rep_valid_q <= 1'b0;
      rep_ack_q <= 1'b0;
      rep_vc_q <= 5'd0;
    end else begin
      rep_valid_q <= up_i && out_rep_valid_i;
      rep_ack_q <= out_rep_ack_i;
      rep_vc_q <= out_rep_vc_i;
    end
  end

  wire [VCS-1:0] due = alloc_q & sent_q & ~replied_q;
  wire [VCS-1:0] due_here = rep_valid_q ? due & (VC0 << rep_vc_q) : NONE;
  wire [VCS-1:0] due_first = due & (~due + VC0);
  wire [VCS-1:0] due_now = up_i ? due_here : due_first;
  wire [4:0] due_vc;
  wire [9:0] due_back = back_q[{due_vc[VW-1:0], 4'd0} +: 10];
  wire reply_valid;
  wire unused_ready;
  wire [4:0] reply_vc;
  wire [10:0] reply;
  wire [$clog2(VCS+1)-1:0] unused_count;
  localparam integer VW = $clog2(VCS);

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_due (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(due_now),
    .index_o(due_vc)
  );

  loom_fifo #(
    .DEPTH(VCS),
    .WIDTH(16)
  ) u_replies (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(due_now != NONE),
    .data_i({due_vc, up_i && rep_ack_q, due_back}),
    .pop_i(reply_take_i),
    .valid_o(reply_valid),
    .data_o({reply_vc, reply}),
    .ready_o(unused_ready),
    .count_o(unused_count)
  );

  assign reply_to_o = reply_valid ? LINK0 << reply[9:5] : NO_LINK;
  assign reply_o = {reply[10], reply[4:0]};
  assign reply_error_o = up_i && rep_valid_q && due_here == NONE;

  // ---- The VCs ----------------------------------------------------------------------------------

  wire [VCS-1:0] group_new = group_open_i ? VC0 << (BASE_C + {2'd0, group_vc_i}) : NONE;
  wire [VCS-1:0] ended = reply_take_i ? VC0 << reply_vc : NONE;
  wire [5:0] more = {5'd0, unicast_new != NONE} + {5'd0, group_open_i};
  integer v;

  always @(posedge clk_i) begin
    if (rst_i) begin
      alloc_q <= NONE;
      sent_q <= NONE;
      replied_q <= NONE;
      pending_q <= 6'd0;
      back_q <= {VCS{16'd0}};
    end else begin
      alloc_q <= (alloc_q | unicast_new | group_new) & ~ended;
      sent_q <= (sent_q | (last ? hot_q : NONE)) & ~ended;
      replied_q <= (replied_q | due_now) & ~ended;
      pending_q <= pending_q + more - {5'd0, reply_take_i};
      for (v = 0; v < BASE; v = v + 1) begin
        if (unicast_new[v]) back_q[v*16 +: 10] <= {from, ask[9:5]};
      end
      for (v = BASE; v < VCS; v = v + 1) begin
        if (group_new[v]) back_q[v*16 +: 10] <= group_back_i;
      end
    end
  end

  `LOOM_ASSERT(grants_one_that_asks, (grant_o & -grant_o & request_i) == grant_o)
  `LOOM_ASSERT(grants_while_free, free_o || grant_o == {LINKS{1'b0}})
  `LOOM_ASSERT(reply_for_one_input, (reply_to_o & -reply_to_o) == reply_to_o)

endmodule

`default_nettype wire
