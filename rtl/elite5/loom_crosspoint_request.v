// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_request: the one request of an input, until it is granted or over, and the take
//   that follows.
// Inside: loom_crosspoint_router
//
// Contract: two kinds of requests come from stage W: of a packet that got a link (goes_i, to_i),
//   and of a continuation whose VC has nothing else (more_i), whose link and VC were looked up in
//   stage V (look_*); others from the second way (pick_*). wants_o are the outputs that could grant
//   it, granted_i those that do in this cycle, and any_i those that grant somebody.
// Algorithm: one register. It stays until it was granted, lost, or stood for 8 cycles; one of a
//   higher priority takes its place. A VC in turn that lost often enough stays nevertheless.
// Latency: a request shows in the next cycle; the take in the cycle after the grant.
// Wait bound: 8 cycles, but for a VC that is read without a link, which stays until it is read.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS).
// Realises: E5-10, E5-11.
// Page: docs/crosspoint_router.md, sections Choice and Request.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_request #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32,
  parameter integer BVCS  = 4
) (
  input  wire                clk_i,
  input  wire                rst_i,

  // Stage V.
  input  wire [4:0]          look_vc_i,
  input  wire [VCS*8-1:0]    target_i,
  input  wire [VCS*8-1:0]    ovc_i,

  // Stage W.
  input  wire                goes_i,
  input  wire                again_i,      // a retry
  input  wire [4:0]          vc_i,         // of the retry, or of the head
  input  wire [VCS-1:0]      hot_i,
  input  wire [LINKS-1:0]    to_i,
  input  wire [1:0]          header_prio_i,
  input  wire [1:0]          again_prio_i,
  input  wire                more_i,
  input  wire                first_own_i,
  input  wire                ended_i,
  input  wire [VCS-1:0]      prio1_i,
  input  wire [VCS-1:0]      prio0_i,
  input  wire [VCS-1:0]      small_i,

  // The second way.
  input  wire                pick_may_i,
  input  wire [VCS-1:0]      pick_hot_i,
  input  wire [LINKS-1:0]    pick_outs_i,
  input  wire [1:0]          pick_prio_i,
  input  wire                pick_new_i,
  input  wire [LINKS-1:0]    pick_pool_i,
  input  wire [4:0]          pick_ovc_i,
  input  wire                pick_small_i,
  input  wire                pick_sink_i,
  output wire                pick_taken_o,
  output wire                f_wins_o,     // a request of stage W is taken
  output wire                over_o,       // the one that stood does not go on
  output wire [VCS-1:0]      hot_o,        // its VC
  output wire                lost_o,       // that of the VC in turn lost
  input  wire [VCS-1:0]      turn_i,
  input  wire                holds_i,

  // Links.
  input  wire [LINKS-1:0]    near_i,
  input  wire [LINKS-1:0]    new_i,
  input  wire [LINKS-1:0]    spare_i,
  input  wire [LINKS*32-1:0] able_i,
  input  wire [LINKS*32-1:0] crowd_i,

  // The grant.
  input  wire                rd_free_i,
  output wire [LINKS-1:0]    wants_o,
  output wire [1:0]          prio_o,
  output wire [4:0]          vc_o,
  output wire [4:0]          ovc_o,
  output wire                new_o,
  output wire                small_o,
  input  wire [LINKS-1:0]    granted_i,
  input  wire [LINKS-1:0]    any_i,
  output wire [VCS-1:0]      grant_hot_o,
  output wire                grant_new_o,
  input  wire                keep_i,
  output wire                take_o,
  output wire [4:0]          take_vc_o,
  output wire [VCS-1:0]      take_hot_o,
  output wire                take_keep_o
);

  localparam integer BASE = VCS - BVCS;
  localparam integer LW   = $clog2(LINKS);
  localparam integer VW   = $clog2(VCS);
  localparam [VCS-1:0] NONE = 0;
  localparam [LINKS-1:0] NO_LINK = 0;
  localparam [LINKS-1:0] LINK0 = 1;

  // A comparison that is one table of four inputs, and not a chain of carries.
  function higher;
    input [1:0] a;
    input [1:0] b;
    higher = (a[1] && !b[1]) || ((a[1] || !b[1]) && a[0] && !b[0]);
  endfunction

  // ---- A request of stage W ---------------------------------------------------------------------

  reg [LW-1:0] look_target_q;
  reg [VW-1:0] look_ovc_q;
  reg [1:0] look_prio_q;                        // of a circuit, so it stays
  wire [VW-1:0] look_vc = look_vc_i[VW-1:0];
  wire [(1<<VW)-1:0] prio1_all;                 // 0 of VCs that are not there
  wire [(1<<VW)-1:0] prio0_all;
  wire unused = &{1'b0, look_vc_i, vc_i, pick_ovc_i, target_i, ovc_i, able_i, crowd_i};

  generate
    if (1 << VW > VCS) begin : g_pad
      assign prio1_all = {{((1 << VW) - VCS){1'b0}}, prio1_i};
      assign prio0_all = {{((1 << VW) - VCS){1'b0}}, prio0_i};
    end else begin : g_whole
      assign prio1_all = prio1_i;
      assign prio0_all = prio0_i;
    end
  endgenerate

  always @(posedge clk_i) begin
    look_target_q <= target_i[{look_vc, 3'd0} +: LW];
    look_ovc_q <= ovc_i[{look_vc, 3'd0} +: VW];
    look_prio_q <= {prio1_all[look_vc], prio0_all[look_vc]};
  end

  reg [(LINKS<<VW)-1:0] able;                   // without the lanes of VCs that are not there
  reg [(LINKS<<VW)-1:0] crowd;
  integer o;

  always @* begin
    for (o = 0; o < LINKS; o = o + 1) begin
      able[(o<<VW) +: 1<<VW] = able_i[o*32 +: 1<<VW];
      crowd[(o<<VW) +: 1<<VW] = crowd_i[o*32 +: 1<<VW];
    end
  end

  // goes_i and more_i come late, so what each of them would lead to is ready before.
  wire more = more_i && able[{look_target_q, look_ovc_q}];
  wire more_crowd = crowd[{look_target_q, look_ovc_q}];
  wire [1:0] goes_prio = again_i ? again_prio_i : header_prio_i;
  wire goes_above = higher(goes_prio, prio_q);
  wire more_above = higher(look_prio_q, prio_q);
  wire f_valid;
  wire f_above;
  wire [1:0] f_prio = goes_i ? goes_prio : look_prio_q;
  wire f_small = again_i ? (small_i & hot_i) != NONE : ended_i;
  wire [LINKS-1:0] more_to = LINK0 << look_target_q;
  wire [LINKS-1:0] f_to = goes_i ? to_i : more_to;
  wire [LINKS-1:0] f_if = (goes_i || more_crowd) ? f_to : NO_LINK;

  // ---- The request ------------------------------------------------------------------------------

  reg valid_q;
  reg [VCS-1:0] hot_q;
  reg [VW-1:0] vc_q;
  reg [LINKS-1:0] outs_q;
  reg [1:0] prio_q;
  reg new_q;
  // Of each link, in two bits: 01 it is asked, 10 if it has a new VC, 11 if it has a spare buffer.
  reg [LINKS-1:0] if_q;
  reg [LINKS-1:0] old_q;
  reg [VW-1:0] ovc_q;
  reg small_q;
  reg once_q;
  reg sink_q;
  reg [2:0] age_q;
  wire shown = valid_q && rd_free_i;
  wire granted;
  wire lost;
  wire in_turn = (hot_q & turn_i) != NONE;
  wire is_class = hot_q[VCS-1:BASE] != {BVCS{1'b0}};
  wire can = new_q ? (outs_q & new_i) != NO_LINK : (if_q & ~spare_i) == NO_LINK;
  wire holds = in_turn && holds_i && !is_class && can;

  // What is to come if it stays and if it does not is ready before anybody grants: only the last
  // level looks at that.
  wire stands = valid_q && !once_q
                && (sink_q || ((outs_q & near_i) != NO_LINK && age_q != 3'd7));
  wire stands_lost = stands && (sink_q || holds);
  wire kept;
  wire pick_above = higher(pick_prio_i, prio_q);
  wire f_wins;
  wire pick_wins;
  wire changes;
  wire over;
  wire valid;

  loom_crosspoint_outcome #(
    .LINKS(LINKS)
  ) u_outcome (
    .granted_i(granted_i),
    .any_i(any_i),
    .outs_i(outs_q),
    .valid_i(valid_q),
    .reads_i(shown && sink_q),
    .stands_i(stands),
    .stands_lost_i(stands_lost),
    .granted_o(granted),
    .lost_o(lost),
    .kept_o(kept)
  );

  loom_crosspoint_fresh u_fresh (
    .goes_i(goes_i),
    .goes_above_i(goes_above),
    .more_i(more),
    .more_above_i(more_above),
    .valid_o(f_valid),
    .above_o(f_above)
  );

  loom_crosspoint_next u_next (
    .valid_i(valid_q),
    .granted_i(granted),
    .kept_i(kept),
    .f_valid_i(f_valid),
    .f_above_i(f_above),
    .pick_may_i(pick_may_i),
    .pick_above_i(pick_above),
    .f_wins_o(f_wins),
    .pick_wins_o(pick_wins),
    .changes_o(changes),
    .over_o(over),
    .valid_o(valid)
  );

  wire [VW-1:0] pick_vc;

  loom_encode #(
    .N(VCS),
    .W(VW)
  ) u_pick_vc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(pick_may_i ? pick_hot_i : NONE),
    .index_o(pick_vc)
  );

  always @(posedge clk_i) begin
    if (changes) begin
      hot_q <= f_wins ? hot_i : pick_hot_i;
      vc_q <= f_wins ? vc_i[VW-1:0] : pick_vc;
      outs_q <= f_wins ? f_to : pick_outs_i;
      prio_q <= f_wins ? f_prio : pick_prio_i;
      new_q <= f_wins ? goes_i : pick_new_i;
      if_q <= f_wins ? f_if : pick_new_i ? pick_outs_i : pick_pool_i;
      old_q <= f_wins ? (goes_i ? NO_LINK : more_to) : pick_new_i ? NO_LINK : pick_outs_i;
      ovc_q <= f_wins ? look_ovc_q : pick_ovc_i[VW-1:0];
      small_q <= f_wins ? f_small : pick_small_i;
      once_q <= f_wins && !goes_i && !first_own_i;
      sink_q <= !f_wins && pick_sink_i;
    end
    age_q <= changes ? 3'd0 : age_q + 3'd1;
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= valid;
  end

  assign pick_taken_o = pick_wins;
  assign f_wins_o = f_wins;
  assign over_o = over;
  assign hot_o = hot_q;
  assign lost_o = lost && in_turn;
  assign wants_o = shown ? (old_q & (spare_i | ~if_q)) | (if_q & ~old_q & new_i) : NO_LINK;
  assign prio_o = prio_q;
  assign vc_o = {{(5 - VW){1'b0}}, vc_q};
  assign ovc_o = {{(5 - VW){1'b0}}, ovc_q};
  assign new_o = new_q;
  assign small_o = small_q;

  // ---- The take ---------------------------------------------------------------------------------

  reg take_q;
  reg [VW-1:0] take_vc_q;
  reg [VCS-1:0] take_hot_q;
  reg take_keep_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      take_q <= 1'b0;
      take_vc_q <= {VW{1'b0}};
      take_hot_q <= NONE;
      take_keep_q <= 1'b0;
    end else begin
      take_q <= granted;
      take_vc_q <= vc_q;
      take_hot_q <= granted ? hot_q : NONE;
      take_keep_q <= keep_i;
    end
  end

  assign grant_hot_o = granted ? hot_q : NONE;
  assign grant_new_o = new_q;
  assign take_o = take_q;
  assign take_vc_o = {{(5 - VW){1'b0}}, take_vc_q};
  assign take_hot_o = take_hot_q;
  assign take_keep_o = take_keep_q;

  `LOOM_REQUIRE(pool_of_links_it_asks, (pick_pool_i & ~pick_outs_i) == {LINKS{1'b0}})
  `LOOM_REQUIRE(grants_what_is_shown, (granted_i & ~wants_o) == {LINKS{1'b0}})
  `LOOM_REQUIRE(one_request_of_stage_w, !((goes_i || again_i) && more_i))
  `LOOM_ASSERT(prio_known_ahead, !(more || again_i)
      || (again_i ? again_prio_i : look_prio_q)
         == {(prio1_i & hot_i) != {VCS{1'b0}}, (prio0_i & hot_i) != {VCS{1'b0}}})
  `LOOM_ASSERT(one_vc_asks, !valid_q || (hot_q & -hot_q) == hot_q)

endmodule

`default_nettype wire
