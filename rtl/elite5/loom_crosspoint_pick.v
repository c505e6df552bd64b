// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_pick: the second way: which VC of an input asks for a link, of those whose
//   segment is in view.
// Inside: loom_crosspoint_router
//
// Contract: masks of VCs and links are of this cycle. able_i and crowd_i have 32 bits a link: a VC
//   there has credit; it needs the pool. f_wins_i says that f_hot_i asks without this way, over_i
//   that the request of over_hot_i is over, taken_i that the one shown here goes on, lost_i that
//   the one of the VC in turn lost.
// Algorithm: three stages: ready, those of the highest priority, one of them: the VC in turn before
//   all others, else round robin. What was picked is looked at again in each cycle.
// Latency: a segment in view can ask three cycles later.
// Wait bound: the VC in turn goes first of its priority.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS).
// Realises: E5-09..11.
// Page: docs/crosspoint_router.md, section The second way.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_pick #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32,
  parameter integer BVCS  = 4
) (
  input  wire                clk_i,
  input  wire                rst_i,

  // VCs.
  input  wire [VCS-1:0]      view_i,
  input  wire [VCS-1:0]      waits_i,
  input  wire [VCS-1:0]      open_i,
  input  wire [VCS-1:0]      group_open_i,
  input  wire [VCS-1:0]      sink_i,
  input  wire [VCS-1:0]      prio1_i,
  input  wire [VCS-1:0]      prio0_i,
  input  wire [VCS-1:0]      small_i,
  input  wire [VCS-1:0]      take_hot_i,
  input  wire [VCS*8-1:0]    target_i,
  input  wire [VCS*8-1:0]    ovc_i,
  input  wire [BVCS*32-1:0]  todo_i,

  // Links.
  input  wire [LINKS-1:0]    up_i,
  input  wire [LINKS-1:0]    near_i,
  input  wire [LINKS-1:0]    new_i,
  input  wire [LINKS-1:0]    wake_i,
  input  wire [LINKS*32-1:0] able_i,
  input  wire [LINKS*32-1:0] crowd_i,

  // Requests.
  input  wire                f_wins_i,
  input  wire [VCS-1:0]      f_hot_i,
  input  wire                over_i,
  input  wire [VCS-1:0]      over_hot_i,
  input  wire                taken_i,
  input  wire                lost_i,
  output wire [VCS-1:0]      asks_o,
  output wire [VCS-1:0]      turn_o,
  output wire                holds_o,      // the VC in turn lost often enough
  output wire                may_o,
  output wire [VCS-1:0]      hot_o,
  output wire [LINKS-1:0]    outs_o,
  output wire [1:0]          prio_o,
  output wire                new_o,
  output wire [LINKS-1:0]    pool_o,
  output wire [4:0]          ovc_o,
  output wire                small_o,
  output wire                sink_o,

  output wire [VCS-1:0]      back_o,       // its link has fallen
  output wire                passed_o
);

  localparam integer BASE = VCS - BVCS;
  localparam integer LW   = $clog2(LINKS);
  localparam integer LPARTS = (LINKS + 2) / 3;  // of masks (loom_elite5_threes)
  localparam integer VPARTS = (VCS + 2) / 3;
  localparam integer VW   = $clog2(VCS);
  localparam integer HOLD_I = (LINKS < 4) ? 1 : LINKS / 4;
  localparam [3:0] HOLD   = HOLD_I[3:0];
  localparam [VCS-1:0] NONE = 0;
  localparam [LINKS-1:0] NO_LINK = 0;
  localparam [LINKS-1:0] LINK0 = 1;

  // ---- Ready: each VC looks at its links --------------------------------------------------------

  wire [VCS-1:0] near;
  wire [VCS-1:0] wake;
  wire unused = &{1'b0, target_i, ovc_i, todo_i, able_i, crowd_i, open_i, group_open_i};

  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : g_vc
      if (v < BASE) begin : g_unicast
        wire [LW-1:0] target = target_i[v*8 +: LW];
        assign near[v] = near_i[target];
        assign wake[v] = wake_i[target];
      end else begin : g_class
        wire [LINKS-1:0] todo = todo_i[(v-BASE)*32 +: LINKS];
        assign near[v] = (near_i & todo) != NO_LINK;
        assign wake[v] = (wake_i & todo) != NO_LINK;
      end
    end
  endgenerate

  reg [VCS-1:0] asks_q;
  reg [VCS-1:0] passed_q;
  reg [VCS-1:0] ready_q;
  reg [VCS-1:0] top_q;
  reg [VCS-1:0] turn_q;
  reg [3:0] losses_q;
  wire [VCS-1:0] urgent = ready_q & prio1_i;
  wire [VCS-1:0] first = (urgent != NONE) ? urgent : ready_q & ~prio1_i;
  wire [VCS-1:0] first_urgent = first & prio0_i;
  wire [VCS-1:0] top = (first_urgent != NONE) ? first_urgent : first;
  wire stays = (view_i & turn_q) != NONE;

  // ---- Pick -------------------------------------------------------------------------------------

  reg valid_q;
  reg [VCS-1:0] hot_q;
  reg [LINKS-1:0] to_q;
  reg [VW-1:0] ovc_q;
  reg [1:0] prio_q;
  wire picks;                                   // none is picked, or it leaves
  wire [VCS-1:0] among = top_q & ~asks_q & ~passed_q;
  wire in_turn = (among & turn_q) != NONE;
  wire [VCS-1:0] granted;
  wire [VCS-1:0] picked = in_turn ? turn_q : granted;
  reg [LINKS-1:0] picked_to;
  reg [LW-1:0] picked_target;
  reg [VW-1:0] picked_ovc;
  integer i;

  loom_rr_arbiter #(
    .N(VCS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(among),
    .advance_i(picks && !in_turn),
    .grant_o(granted)
  );

  always @* begin
    picked_target = {LW{1'b0}};
    picked_ovc = {VW{1'b0}};
    for (i = 0; i < VCS; i = i + 1) begin
      if (picked[i]) picked_ovc = picked_ovc | ovc_i[i*8 +: VW];
      if (picked[i] && i < BASE) picked_target = picked_target | target_i[i*8 +: LW];
    end
    picked_to = (picked[BASE-1:0] != {BASE{1'b0}}) ? LINK0 << picked_target : NO_LINK;
    for (i = BASE; i < VCS; i = i + 1)
      if (picked[i]) picked_to = picked_to | todo_i[(i-BASE)*32 +: LINKS];
  end

  // ---- What is picked is looked at again --------------------------------------------------------

  reg [LINKS-1:0] able;                         // of the VC there, at each link
  reg [LINKS-1:0] crowd;
  reg [(1<<VW)-1:0] able_row;
  reg [(1<<VW)-1:0] crowd_row;
  integer o;

  always @* begin
    able_row = {(1 << VW){1'b0}};
    crowd_row = {(1 << VW){1'b0}};
    for (o = 0; o < LINKS; o = o + 1) begin
      able_row = able_i[o*32 +: 1<<VW];
      crowd_row = crowd_i[o*32 +: 1<<VW];
      able[o] = able_row[ovc_q];
      crowd[o] = crowd_row[ovc_q];
    end
  end

  wire [VCS-1:0] under_way = {group_open_i[VCS-1:BASE], open_i[BASE-1:0]};
  wire [VPARTS-1:0] wait_parts;
  wire [VPARTS-1:0] open_parts;
  wire [VPARTS-1:0] sink_parts;
  wire [LPARTS-1:0] new_parts;
  wire [LPARTS-1:0] fallen_parts;
  wire is_wait = wait_parts != {VPARTS{1'b0}};
  wire is_open = open_parts != {VPARTS{1'b0}};
  wire is_sink = sink_parts != {VPARTS{1'b0}};
  wire [LINKS-1:0] at = to_q & near_i;
  wire has_new = new_parts != {LPARTS{1'b0}};
  wire has_fallen = fallen_parts != {LPARTS{1'b0}};
  wire may;

  loom_elite5_threes #(
    .N(VCS)
  ) u_wait (
    .a_i(waits_i),
    .b_i(hot_q),
    .parts_o(wait_parts)
  );

  loom_elite5_threes #(
    .N(VCS)
  ) u_open (
    .a_i(under_way),
    .b_i(hot_q),
    .parts_o(open_parts)
  );

  loom_elite5_threes #(
    .N(VCS)
  ) u_sink (
    .a_i(sink_i),
    .b_i(hot_q),
    .parts_o(sink_parts)
  );

  loom_elite5_threes #(
    .N(LINKS)
  ) u_new (
    .a_i(at),
    .b_i(new_i),
    .parts_o(new_parts)
  );

  loom_elite5_threes #(
    .N(LINKS)
  ) u_fallen (
    .a_i(to_q),
    .b_i(~up_i),
    .parts_o(fallen_parts)
  );

  loom_crosspoint_may #(
    .LINKS(LINKS)
  ) u_may (
    .open_i(valid_q && !is_wait && is_open),
    .at_i(at),
    .able_i(able),
    .else_i(valid_q && (is_sink || (is_wait && has_new && !has_fallen))),
    .may_o(may)
  );

  wire [LINKS-1:0] outs = at & (is_wait ? new_i : able);
  wire fallen = is_wait && has_fallen;
  wire away = !is_sink && ((!is_wait && !is_open) || at == NO_LINK);
  wire poor = !is_sink && outs == NO_LINK;
  wire back = valid_q && fallen;
  wire passes = valid_q && !fallen && !away && poor;
  wire gives_up = valid_q && !may;

  // What does not wait for the next request: that comes late.
  wire [VCS-1:0] asks_kept = asks_q & ~(gives_up ? hot_q : NONE);
  wire [VCS-1:0] asks_more = may ? NONE : picked;

  assign may_o = may;

  assign picks = !may || taken_i;

  always @(posedge clk_i) begin
    if (picks) begin
      hot_q <= picked;
      to_q <= picked_to;
      ovc_q <= picked_ovc;
      prio_q <= {(prio1_i & picked) != NONE, (prio0_i & picked) != NONE};
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      asks_q <= NONE;
      passed_q <= NONE;
      ready_q <= NONE;
      top_q <= NONE;
      turn_q <= {{(VCS - 1){1'b0}}, 1'b1};
      losses_q <= 4'd0;
    end else begin
      if (picks) valid_q <= among != NONE;
      asks_q <= (asks_kept & ~(over_i ? over_hot_i : NONE)) | asks_more
                | (f_wins_i ? f_hot_i : NONE) | (taken_i ? picked : NONE);
      passed_q <= (passed_q | (passes ? hot_q : NONE)) & ~wake;
      ready_q <= view_i & ~asks_q & ~passed_q & ~take_hot_i
                 & (((waits_i | under_way) & near) | sink_i);
      top_q <= top;
      turn_q <= stays ? turn_q : {turn_q[VCS-2:0], turn_q[VCS-1]};
      if (!stays) losses_q <= 4'd0;
      else if (lost_i && losses_q != HOLD) losses_q <= losses_q + 4'd1;
    end
  end

  assign asks_o = asks_q;
  assign turn_o = turn_q;
  assign holds_o = losses_q == HOLD;
  assign hot_o = hot_q;
  assign outs_o = is_sink ? NO_LINK : outs;
  assign prio_o = prio_q;
  assign new_o = is_wait;
  assign pool_o = (is_wait || is_sink) ? NO_LINK : outs & crowd;
  assign ovc_o = {{(5 - VW){1'b0}}, ovc_q};
  assign small_o = (small_i & hot_q) != NONE;
  assign sink_o = is_sink;
  assign back_o = back ? hot_q : NONE;
  assign passed_o = passes;

  `LOOM_ASSERT(may_unless_it_gives_up, may == (valid_q && !fallen && !away && !poor))
  `LOOM_ASSERT(one_picked, (hot_o & -hot_o) == hot_o || !valid_q)
  `LOOM_ASSERT(who_is_picked_asks, !valid_q || (hot_o & ~asks_o) == {VCS{1'b0}})

endmodule

`default_nettype wire
