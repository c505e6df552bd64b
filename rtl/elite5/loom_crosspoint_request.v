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
  input  wire [4:0]          goes_vc_i,
  input  wire [VCS-1:0]      goes_hot_i,
  input  wire [LINKS-1:0]    to_i,
  input  wire [1:0]          header_prio_i,
  input  wire                more_i,
  input  wire [4:0]          more_vc_i,
  input  wire [VCS-1:0]      more_hot_i,
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
  output wire [VCS-1:0]      f_hot_o,      // a request of stage W is taken
  output wire [VCS-1:0]      over_hot_o,
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

  // ---- A request of stage W ---------------------------------------------------------------------

  reg [LW-1:0] look_target_q;
  reg [4:0] look_ovc_q;
  wire [VW-1:0] look_vc = look_vc_i[VW-1:0];
  wire unused = &{1'b0, look_vc_i, target_i, ovc_i, able_i, crowd_i};

  always @(posedge clk_i) begin
    look_target_q <= target_i[{look_vc, 3'd0} +: LW];
    look_ovc_q <= ovc_i[{look_vc, 3'd0} +: 5];
  end

  wire more = more_i && able_i[{look_target_q, look_ovc_q}];
  wire more_crowd = crowd_i[{look_target_q, look_ovc_q}];
  wire [VCS-1:0] f_hot = goes_i ? goes_hot_i : more_hot_i;
  wire [1:0] f_known = {(prio1_i & f_hot) != NONE, (prio0_i & f_hot) != NONE};
  wire f_valid = goes_i || more;
  wire f_begins = goes_i && !again_i;
  wire [1:0] f_prio = f_begins ? header_prio_i : f_known;
  wire f_small = (goes_i && again_i) ? (small_i & f_hot) != NONE : ended_i;
  wire [LINKS-1:0] more_to = LINK0 << look_target_q;

  // ---- The request ------------------------------------------------------------------------------

  reg valid_q;
  reg [VCS-1:0] hot_q;
  reg [4:0] vc_q;
  reg [LINKS-1:0] outs_q;
  reg [1:0] prio_q;
  reg new_q;
  reg [LINKS-1:0] pool_q;
  reg [4:0] ovc_q;
  reg small_q;
  reg once_q;
  reg sink_q;
  reg [2:0] age_q;
  wire shown = valid_q && rd_free_i;
  wire granted = granted_i != NO_LINK || (shown && sink_q);
  wire missed = (outs_q & any_i) != NO_LINK;    // lost, unless granted
  wire lost = valid_q && !granted && missed;
  wire in_turn = (hot_q & turn_i) != NONE;
  wire is_class = hot_q[VCS-1:BASE] != {BVCS{1'b0}};
  wire can = new_q ? (outs_q & new_i) != NO_LINK : (pool_q & ~spare_i) == NO_LINK;
  wire holds = in_turn && holds_i && !is_class && can;

  // What is to come if it stays and if it does not is ready before anybody grants: only the last
  // level looks at that.
  wire stands = valid_q && !once_q
                && (sink_q || ((outs_q & near_i) != NO_LINK && age_q != 3'd7));
  wire stands_lost = stands && (sink_q || holds);
  wire stays = !granted && (missed ? stands_lost : stands);
  wire f_first = f_valid && prio_q < f_prio;    // even if it stays
  wire pick_first = pick_may_i && !f_valid && prio_q < pick_prio_i;
  wire pick_behind = pick_may_i && f_valid && !f_first && prio_q < pick_prio_i;
  wire f_wins = stays ? f_first : f_valid;
  wire pick_wins = stays ? pick_first || pick_behind : pick_may_i && !f_valid;
  wire over = valid_q && (!stays || f_first || pick_first || pick_behind);
  wire [4:0] pick_vc;

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_pick_vc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(pick_may_i ? pick_hot_i : NONE),
    .index_o(pick_vc)
  );

  always @(posedge clk_i) begin
    if (f_wins) begin
      hot_q <= f_hot;
      vc_q <= goes_i ? goes_vc_i : more_vc_i;
      outs_q <= goes_i ? to_i : more_to;
      prio_q <= f_prio;
      new_q <= goes_i;
      pool_q <= (!goes_i && more_crowd) ? more_to : NO_LINK;
      ovc_q <= look_ovc_q;
      small_q <= f_small;
      once_q <= !goes_i && !first_own_i;
      sink_q <= 1'b0;
    end else if (pick_wins) begin
      hot_q <= pick_hot_i;
      vc_q <= pick_vc;
      outs_q <= pick_outs_i;
      prio_q <= pick_prio_i;
      new_q <= pick_new_i;
      pool_q <= pick_pool_i;
      ovc_q <= pick_ovc_i;
      small_q <= pick_small_i;
      once_q <= 1'b0;
      sink_q <= pick_sink_i;
    end
    age_q <= (f_wins || pick_wins) ? 3'd0 : age_q + 3'd1;
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= f_wins || pick_wins || stays;
  end

  assign pick_taken_o = pick_wins;
  assign f_hot_o = f_wins ? f_hot : NONE;
  assign over_hot_o = over ? hot_q : NONE;
  assign lost_o = lost && in_turn;
  assign wants_o = shown ? outs_q & (new_q ? new_i : ~NO_LINK) & (spare_i | ~pool_q) : NO_LINK;
  assign prio_o = prio_q;
  assign vc_o = vc_q;
  assign ovc_o = ovc_q;
  assign new_o = new_q;
  assign small_o = small_q;

  // ---- The take ---------------------------------------------------------------------------------

  reg take_q;
  reg [4:0] take_vc_q;
  reg [VCS-1:0] take_hot_q;
  reg take_keep_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      take_q <= 1'b0;
      take_vc_q <= 5'd0;
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
  assign take_vc_o = take_vc_q;
  assign take_hot_o = take_hot_q;
  assign take_keep_o = take_keep_q;

  `LOOM_REQUIRE(grants_what_is_shown, (granted_i & ~wants_o) == {LINKS{1'b0}})
  `LOOM_REQUIRE(one_request_of_stage_w, !(goes_i && more_i))
  `LOOM_ASSERT(one_vc_asks, !valid_q || (hot_q & -hot_q) == hot_q)

endmodule

`default_nettype wire
