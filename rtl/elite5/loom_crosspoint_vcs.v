// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_vcs: what the VCs of an input have: their states, their links, their segments,
//   and the replies that end their packets.
// Inside: loom_crosspoint_router
//
// Contract: each event names its VC by a mask with one bit at most, and belongs to this cycle;
//   decisions come as those of loom_crosspoint_choice, grants as those of loom_crosspoint_request.
//   Lanes of target_o and ovc_o have 8 bits a VC, those of links 8 or 32. The class is the VCs that
//   carry broadcasts.
// Algorithm: a mask for each state. The reply that was chosen in the last cycle is looked up at the
//   outputs; a broadcast counts the replies that are missing.
// Latency: an event shows in the next cycle; the VC of a new circuit is there one cycle later.
// Wait bound: replies and own NACKs take turns.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), POOL (0..32).
// Realises: E5-12, E5-13, E5-28, E5-29.
// Page: docs/crosspoint_router.md, sections Choice, Reply and Bsel.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_vcs #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32,
  parameter integer BVCS  = 4,
  parameter integer POOL  = 16
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire                up_i,

  // Stage W.
  input  wire [VCS-1:0]      head_hot_i,
  input  wire [VCS-1:0]      ends_hot_i,
  input  wire                few_i,
  input  wire [VCS-1:0]      begins_hot_i,
  input  wire [1:0]          prio_i,
  input  wire                all_i,
  input  wire [VCS-1:0]      swallow_i,    // a head that is no packet
  input  wire [VCS-1:0]      sink_i,
  input  wire [VCS-1:0]      group_i,
  input  wire [VCS-1:0]      wait_i,
  input  wire [LINKS-1:0]    pick_i,
  input  wire [LINKS-1:0]    mask_i,

  // The second way and the grants.
  input  wire [VCS-1:0]      lost_i,
  input  wire [VCS-1:0]      grant_hot_i,
  input  wire                grant_new_i,
  input  wire [LINKS-1:0]    granted_i,
  output wire                keep_o,       // some links lack the segment still
  input  wire [VCS-1:0]      take_hot_i,   // one cycle later
  input  wire                take_keep_i,
  input  wire [LINKS*8-1:0]  lock_w_i,
  input  wire                done_tail_i,
  input  wire [4:0]          done_vc_i,

  // Bsel.
  output wire                group_wait_o,
  input  wire                group_at_i,
  output wire [2:0]          group_place_o,
  output wire [LINKS-1:0]    group_mask_o,
  output wire                group_all_o,
  input  wire                group_open_i,
  input  wire                group_sink_i,
  input  wire [2:0]          group_place_i,
  input  wire [2:0]          group_vc_i,
  input  wire [LINKS-1:0]    group_live_i,
  input  wire [5:0]          group_left_i,
  input  wire                group_nacked_i,

  // Replies of the outputs.
  input  wire [LINKS-1:0]    reply_valid_i,
  input  wire [LINKS*8-1:0]  reply_i,      // {ack, VC}
  output wire [LINKS-1:0]    chosen_o,
  output wire                rep_valid_o,
  output wire                rep_ack_o,
  output wire [4:0]          rep_vc_o,
  output wire                ack_o,
  output wire                nack_o,
  output wire                own_nack_o,

  output wire [VCS-1:0]      idle_o,
  output wire [VCS-1:0]      waits_o,
  output wire [VCS-1:0]      open_o,
  output wire [VCS-1:0]      group_open_o,
  output wire [VCS-1:0]      sink_o,
  output wire [VCS-1:0]      prio1_o,
  output wire [VCS-1:0]      prio0_o,
  output wire [VCS-1:0]      none_o,       // no segment that was not taken
  output wire [VCS-1:0]      small_o,
  output wire [VCS*8-1:0]    target_o,
  output wire [VCS*8-1:0]    ovc_o,
  output wire [BVCS*32-1:0]  todo_o
);

  localparam integer BASE = VCS - BVCS;
  localparam integer LW   = $clog2(LINKS);
  localparam integer VW   = $clog2(VCS);
  localparam integer CW   = $clog2(POOL + 2);
  localparam [VCS-1:0] NONE = 0;
  localparam [VCS-1:0] ONE  = 1;
  localparam [VCS-1:0] CLASS = {VCS{1'b1}} << BASE;
  localparam [4:0] BASE_C = BASE[4:0];

  // ---- Replies ----------------------------------------------------------------------------------

  reg [LINKS:0] chosen_q;                       // of an output; as place LINKS an own one
  reg [VCS-1:0] own_q;                          // an own NACK waits
  reg rep_valid_q;
  reg rep_ack_q;
  reg [VW-1:0] rep_vc_q;
  wire [LINKS:0] chosen;
  reg reply_ack;
  reg [VW-1:0] reply_vc;
  integer l;

  loom_rr_arbiter #(
    .N(LINKS + 1)
  ) u_replies (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i({own_q != NONE && !chosen_q[LINKS], reply_valid_i}),
    .advance_i(1'b1),
    .grant_o(chosen)
  );

  always @* begin
    reply_ack = 1'b0;
    reply_vc = {VW{1'b0}};
    for (l = 0; l < LINKS; l = l + 1) begin
      if (chosen_q[l]) begin
        reply_ack = reply_ack || reply_i[l*8+5];
        reply_vc = reply_vc | reply_i[l*8 +: VW];
      end
    end
  end

  wire replied = chosen_q[LINKS-1:0] != {LINKS{1'b0}};
  wire own = chosen_q[LINKS];
  wire [VCS-1:0] own_first = own_q & (~own_q + ONE);
  wire [VW-1:0] own_vc;
  wire [VCS-1:0] reply_hot = replied ? ONE << reply_vc : NONE;
  wire [BVCS-1:0] last_of;                      // class: the last reply, and is it an ACK
  wire [BVCS-1:0] acked_of;
  wire [VCS-1:0] open_ends;
  wire [VCS-1:0] group_ends;
  wire [VCS-1:0] ends = open_ends | group_ends | (own ? own_first : NONE);
  wire ended = ends != NONE;
  wire ack = (open_ends != NONE && reply_ack) || acked_of != {BVCS{1'b0}};

  loom_encode #(
    .N(VCS),
    .W(VW)
  ) u_own (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(own_first),
    .index_o(own_vc)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      chosen_q <= {(LINKS + 1){1'b0}};
      rep_valid_q <= 1'b0;
      rep_ack_q <= 1'b0;
      rep_vc_q <= {VW{1'b0}};
    end else begin
      chosen_q <= chosen;
      rep_valid_q <= ended && up_i;
      rep_ack_q <= ack && up_i;
      rep_vc_q <= (ended && up_i) ? (own ? own_vc : reply_vc) : {VW{1'b0}};
    end
  end

  assign chosen_o = chosen_q[LINKS-1:0];
  assign rep_valid_o = rep_valid_q;
  assign rep_ack_o = rep_ack_q;
  assign rep_vc_o = {{(5 - VW){1'b0}}, rep_vc_q};
  assign ack_o = up_i && ack;
  assign nack_o = up_i && ended && !ack;
  assign own_nack_o = up_i && own;

  // ---- States -----------------------------------------------------------------------------------

  reg [VCS-1:0] idle_q;
  reg [VCS-1:0] wait_q;
  reg [VCS-1:0] open_q;
  reg [VCS-1:0] group_wait_q;
  reg [VCS-1:0] group_open_q;
  reg [VCS-1:0] sink_q;
  reg [VCS-1:0] prio1_q;
  reg [VCS-1:0] prio0_q;
  reg [VCS-1:0] opened_q;                       // its new circuit was granted in the last cycle
  reg [LINKS-1:0] opened_to_q;                  // at this link
  wire [VW-1:0] done_vc = done_vc_i[VW-1:0];
  wire [VCS-1:0] opens = grant_new_i ? grant_hot_i & ~CLASS : NONE;
  wire [VCS-1:0] answer_hot = (ONE << (BASE_C + {2'd0, group_place_i})) & CLASS;
  wire [VCS-1:0] group_opens = group_open_i ? answer_hot : NONE;
  wire [VCS-1:0] group_sinks = group_sink_i ? answer_hot : NONE;
  wire [VCS-1:0] done_hot = done_tail_i ? ONE << done_vc : NONE;

  assign open_ends = open_q & reply_hot;

  always @(posedge clk_i) begin
    opened_to_q <= granted_i;
    prio1_q <= (prio1_q & ~(begins_hot_i | swallow_i)) | (prio_i[1] ? begins_hot_i : NONE);
    prio0_q <= (prio0_q & ~(begins_hot_i | swallow_i)) | (prio_i[0] ? begins_hot_i : NONE);
    if (rst_i) begin
      idle_q <= {VCS{1'b1}};
      wait_q <= NONE;
      open_q <= NONE;
      group_wait_q <= NONE;
      group_open_q <= NONE;
      sink_q <= NONE;
      own_q <= NONE;
      opened_q <= NONE;
      prio1_q <= NONE;
      prio0_q <= NONE;
    end else begin
      idle_q <= (idle_q & ~(begins_hot_i | swallow_i)) | ends;
      wait_q <= ((wait_q & ~(lost_i | opens)) | wait_i) & ~CLASS;
      open_q <= (open_q & ~open_ends) | opens;
      group_wait_q <= ((group_wait_q & ~(group_opens | group_sinks)) | group_i) & CLASS;
      group_open_q <= ((group_open_q & ~group_ends) | group_opens) & CLASS;
      sink_q <= (sink_q & ~(own ? own_first : NONE)) | swallow_i | sink_i | group_sinks;
      own_q <= (own_q & ~(own ? own_first : NONE)) | (done_hot & sink_q);
      opened_q <= opens;
    end
  end

  wire [LW-1:0] pick;
  wire unused = &{1'b0, reply_i, lock_w_i, done_vc_i};

  assign idle_o = idle_q;
  assign waits_o = wait_q;
  assign open_o = open_q;
  assign group_open_o = group_open_q;
  assign sink_o = sink_q;
  assign prio1_o = prio1_q;
  assign prio0_o = prio0_q;

  // ---- Each VC: its link, the VC there, its segments --------------------------------------------

  wire [4:0] group_vc = BASE_C + {2'd0, group_vc_i};
  wire unused_group_vc = &{1'b0, group_vc};

  reg [VW-1:0] w;
  integer k;

  loom_encode #(
    .N(LINKS),
    .W(LW)
  ) u_pick (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(pick_i),
    .index_o(pick)
  );

  always @* begin
    w = {VW{1'b0}};
    for (k = 0; k < LINKS; k = k + 1) if (opened_to_q[k]) w = w | lock_w_i[k*8 +: VW];
  end

  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : g_vc
      reg [VW-1:0] ovc_q;
      reg [CW-1:0] count_q;
      reg small_q;
      wire gone = take_hot_i[v] && !take_keep_i;
      wire more = head_hot_i[v] && !gone;
      wire less = gone && !head_hot_i[v];
      wire [CW-1:0] count = more ? count_q + 1'b1 : less ? count_q - 1'b1 : count_q;
      localparam [CW-1:0] ONE_SEGMENT = 1;

      always @(posedge clk_i) begin
        if (rst_i) begin
          ovc_q <= {VW{1'b0}};
          count_q <= {CW{1'b0}};
          small_q <= 1'b0;
        end else begin
          if (v < BASE && opened_q[v]) ovc_q <= w;
          if (v >= BASE && group_opens[v]) ovc_q <= group_vc[VW-1:0];
          count_q <= count;
          if (ends_hot_i[v]) small_q <= few_i && count == ONE_SEGMENT;
          else if (head_hot_i[v] || gone) small_q <= 1'b0;
        end
      end

      assign none_o[v] = count_q == {CW{1'b0}};
      assign small_o[v] = small_q;
      assign ovc_o[v*8 +: 8] = {{(8 - VW){1'b0}}, ovc_q};

      if (v < BASE) begin : g_unicast
        reg [LW-1:0] target_q;

        always @(posedge clk_i) begin
          if (rst_i) target_q <= {LW{1'b0}};
          else if (wait_i[v]) target_q <= pick;
        end

        assign target_o[v*8 +: 8] = {{(8 - LW){1'b0}}, target_q};
        assign group_ends[v] = 1'b0;
      end else begin : g_class
        assign target_o[v*8 +: 8] = 8'd0;
        assign group_ends[v] = group_open_q[v] && reply_hot[v] && last_of[v-BASE];
      end
    end
  endgenerate

  // ---- Each VC of the class ---------------------------------------------------------------------

  wire [BVCS-1:0] place_hot;                    // whose turn it is to go to bsel
  wire [BVCS-1:0] keeps;
  wire [BVCS*32-1:0] masks;
  wire [BVCS-1:0] alls;

  loom_rr_arbiter #(
    .N(BVCS)
  ) u_class (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(group_wait_q[VCS-1:BASE]),
    .advance_i(group_at_i),
    .grant_o(place_hot)
  );

  loom_encode #(
    .N(BVCS),
    .W(3)
  ) u_place (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(place_hot),
    .index_o(group_place_o)
  );

  genvar b;
  generate
    for (b = 0; b < BVCS; b = b + 1) begin : g_group
      localparam integer V = BASE + b;
      reg [LINKS-1:0] bmask_q;
      reg [LINKS-1:0] bset_q;
      reg [LINKS-1:0] todo_q;
      reg [5:0] left_q;
      reg nacked_q;
      reg all_q;
      wire [LINKS-1:0] rest = todo_q & ~granted_i;
      wire [LINKS-1:0] next = (rest == {LINKS{1'b0}}) ? bset_q : rest;
      wire nacked = nacked_q || !reply_ack;
      wire counts = group_open_q[V] && reply_hot[V];

      always @(posedge clk_i) begin
        if (begins_hot_i[V]) all_q <= all_i;
        if (group_i[V]) bmask_q <= mask_i;
        if (rst_i) begin
          bset_q <= {LINKS{1'b0}};
          todo_q <= {LINKS{1'b0}};
          left_q <= 6'd0;
          nacked_q <= 1'b0;
        end else if (group_opens[V]) begin
          bset_q <= group_live_i;
          todo_q <= group_live_i;
          left_q <= group_left_i;
          nacked_q <= group_nacked_i;
        end else begin
          if (grant_hot_i[V] && group_open_q[V]) todo_q <= next;
          if (counts) begin
            left_q <= left_q - 6'd1;
            nacked_q <= nacked;
          end
        end
      end

      assign last_of[b] = left_q == 6'd1;
      assign acked_of[b] = counts && last_of[b] && !nacked;
      assign keeps[b] = grant_hot_i[V] && group_open_q[V] && rest != {LINKS{1'b0}};
      assign masks[b*32 +: 32] = {{(32 - LINKS){1'b0}}, bmask_q};
      assign todo_o[b*32 +: 32] = {{(32 - LINKS){1'b0}}, todo_q};
      assign alls[b] = all_q;
    end
  endgenerate

  reg [LINKS-1:0] mask;
  integer n;

  always @* begin
    mask = {LINKS{1'b0}};
    for (n = 0; n < BVCS; n = n + 1) if (place_hot[n]) mask = mask | masks[n*32 +: LINKS];
  end

  wire unused_masks = &{1'b0, masks};

  assign keep_o = keeps != {BVCS{1'b0}};
  assign group_wait_o = group_wait_q[VCS-1:BASE] != {BVCS{1'b0}};
  assign group_mask_o = mask;
  assign group_all_o = (alls & place_hot) != {BVCS{1'b0}};

  `LOOM_ASSERT(reply_of_a_circuit, !replied || ((open_q | group_open_q) & reply_hot) != {VCS{1'b0}})
  `LOOM_ASSERT(own_nack_of_a_sink, (own_q & ~sink_q) == {VCS{1'b0}})
  `LOOM_ASSERT(one_state, (wait_q & open_q) == {VCS{1'b0}} && (sink_q & idle_q) == {VCS{1'b0}})

endmodule

`default_nettype wire
