// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_choice: gives each packet of an input a link, and takes those that found none
//   again in their turn.
// Inside: loom_crosspoint_router
//
// Contract: mask_i and all_i are those of the tables for the head in stage 2; head_*_i say where
//   heads stand. begins_i is a packet that begins in stage W, on VC vc_i, with a cause not to go
//   on. What is decided in stage W shows on *_o in that cycle: of the masks of VCs one bit at most.
//   lost_i are VCs whose link has fallen; draw_i has 32 bits a link o: those p < o that come before
//   it at random.
// Algorithm: what can be known ahead is: which links have less pending than others, and in which
//   order equal ones come, a bit for each pair. So one link is picked by comparing pairs: those of
//   the set that no other one of it comes before. A retry reads its record in place of the tables.
// Latency: a decision takes place in stage W, with PIPE >= 1 the set is found in the stage before.
// Wait bound: a retry waits for cycles without heads; retries take turns.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), PIPE (0..4).
// Realises: E5-17, E5-19..24, E5-28.
// Page: docs/crosspoint_router.md, section Choice.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_choice #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32,
  parameter integer BVCS  = 4,
  parameter integer PIPE  = 0
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire [1:0]          mode_i,

  // Links.
  input  wire [LINKS-1:0]    up_i,
  input  wire [LINKS-1:0]    new_i,
  input  wire [LINKS-1:0]    group_new_i,
  input  wire [LINKS-1:0]    light_i,
  input  wire [LINKS*32-1:0] less_i,
  input  wire [LINKS*32-1:0] draw_i,

  // The front.
  input  wire [LINKS-1:0]    mask_i,
  input  wire                all_i,
  input  wire                head_2_i,
  input  wire                head_v_i,
  input  wire [4:0]          vc_v_i,
  output wire                dead_o,       // in stage V: no link is up
  input  wire                head_w_i,
  input  wire                begins_i,
  input  wire [VCS-1:0]      hot_i,        // the VC of the head in stage W
  input  wire [4:0]          vc_i,
  input  wire [2:0]          cause_i,
  input  wire [15:0]         dest_i,
  input  wire [13:0]         ts_i,

  input  wire [VCS-1:0]      lost_i,
  input  wire [VCS-1:0]      prio1_i,
  input  wire [VCS-1:0]      prio0_i,

  // The decision.
  output wire [4:0]          vc_o,
  output wire                again_o,      // it is a retry
  output wire [1:0]          again_prio_o,
  output wire [VCS-1:0]      hot_o,
  output wire [VCS-1:0]      sink_o,
  output wire [VCS-1:0]      group_o,      // BWAIT
  output wire [VCS-1:0]      wait_o,
  output wire                goes_o,       // to WAIT: it asks for its link
  output wire [LINKS-1:0]    pick_o,
  output wire [LINKS-1:0]    mask_o,       // with group_o
  output wire                all_o,
  output wire                no_vc_o,
  output wire                trap_o,
  output wire [37:0]         trap_data_o
);

  localparam integer BASE  = VCS - BVCS;
  localparam integer VW    = $clog2(VCS);
  localparam integer REC_W = LINKS + 31;
  localparam [5:0] BASE_C  = BASE[5:0];
  localparam [VCS-1:0] NONE = 0;
  localparam [LINKS-1:0] NO_LINK = 0;

  // ---- Retries ----------------------------------------------------------------------------------

  reg [VCS-1:0] retry_q;
  reg again_q;
  reg [VCS-1:0] again_hot_q;
  reg [4:0] again_vc_q;
  wire leaves;
  wire [VCS-1:0] turn;
  wire [4:0] turn_vc;
  wire [VCS-1:0] retries;                       // new ones
  wire picks = !again_q && retry_q != NONE;

  loom_rr_arbiter #(
    .N(VCS)
  ) u_retry (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(retry_q),
    .advance_i(!again_q),
    .grant_o(turn)
  );

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_turn (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(turn),
    .index_o(turn_vc)
  );

  always @(posedge clk_i) begin
    if (!again_q) begin
      again_hot_q <= turn;
      again_vc_q <= turn_vc;
    end
    if (rst_i) begin
      retry_q <= NONE;
      again_q <= 1'b0;
    end else begin
      retry_q <= (retry_q & ~(picks ? turn : NONE)) | retries;
      again_q <= again_q ? !leaves : picks;
    end
  end

  wire [LINKS-1:0] w_mask;
  wire w_all;
  wire [REC_W-1:0] record;

  loom_lut_ram #(
    .DEPTH(VCS),
    .WIDTH(REC_W)
  ) u_records (
    .clk_i(clk_i),
    .we_i(begins_i),
    .waddr_i(vc_i[VW-1:0]),
    .wdata_i({w_mask, w_all, dest_i, ts_i}),
    .raddr_i(again_vc_q[VW-1:0]),
    .rdata_o(record)
  );

  // ---- The stage behind stage 2 -----------------------------------------------------------------

  reg b_retry_q;
  reg [VCS-1:0] b_hot_q;                        // of a retry
  reg [4:0] b_vc_q;
  reg [1:0] b_prio_q;
  reg b_class_q;
  reg [LINKS-1:0] b_live_q;
  reg [LINKS-1:0] b_mask_q;
  reg b_all_q;
  reg [29:0] b_rest_q;                          // dest and ts of a retry
  wire [LINKS-1:0] mask = leaves ? record[REC_W-1:31] : mask_i;
  wire [LINKS-1:0] live = mask & up_i;
  wire class_2 = {1'b0, leaves ? again_vc_q : vc_v_i} >= BASE_C;  // with PIPE 0
  wire head_b = (PIPE >= 1) ? head_v_i : head_w_i;

  assign leaves = again_q && !head_2_i && !head_b && !b_retry_q;

  always @(posedge clk_i) begin
    b_hot_q <= again_hot_q;
    b_vc_q <= again_vc_q;
    b_prio_q <= {(prio1_i & again_hot_q) != NONE, (prio0_i & again_hot_q) != NONE};
    b_class_q <= class_2;
    b_live_q <= live;
    b_mask_q <= mask;
    b_all_q <= leaves ? record[30] : all_i;
    b_rest_q <= record[29:0];
    if (rst_i) b_retry_q <= 1'b0;
    else b_retry_q <= leaves;
  end

  // ---- The set of links -------------------------------------------------------------------------

  wire set_class;
  wire [LINKS-1:0] cand = b_live_q & (set_class ? group_new_i : new_i);
  wire [LINKS-1:0] lights = cand & light_i;
  reg [LINKS-1:0] least;
  integer i;

  always @* begin
    for (i = 0; i < LINKS; i = i + 1)
      least[i] = cand[i] && (cand & less_i[i*32 +: LINKS]) == NO_LINK;
  end

  wire [LINKS-1:0] set = (lights != NO_LINK) ? lights : least;
  wire none = cand == NO_LINK;

  // ---- Stage W ----------------------------------------------------------------------------------

  wire w_retry;
  wire [VCS-1:0] w_hot;
  wire [4:0] w_vc;
  wire [1:0] w_prio;
  wire w_class;
  wire w_dead;
  wire w_none;
  wire [29:0] w_rest;
  wire [LINKS-1:0] w_set;

  generate
    if (PIPE >= 1) begin : g_stage_3
      reg retry_w_q;
      reg [VCS-1:0] hot_q;
      reg [4:0] vc_q;
      reg [1:0] prio_q;
      reg class_q;
      reg dead_q;
      reg none_q;
      reg all_q;
      reg [LINKS-1:0] mask_q;
      reg [LINKS-1:0] set_q;
      reg [29:0] rest_q;
      wire unused = b_class_q;

      always @(posedge clk_i) begin
        hot_q <= b_hot_q;
        vc_q <= b_vc_q;
        prio_q <= b_prio_q;
        class_q <= set_class;
        dead_q <= b_live_q == NO_LINK;
        none_q <= none;
        all_q <= b_all_q;
        mask_q <= b_mask_q;
        set_q <= set;
        rest_q <= b_rest_q;
        if (rst_i) retry_w_q <= 1'b0;
        else retry_w_q <= b_retry_q;
      end

      assign set_class = {1'b0, b_retry_q ? b_vc_q : vc_v_i} >= BASE_C;
      assign dead_o = b_live_q == NO_LINK;
      assign w_retry = retry_w_q;
      assign w_hot = hot_q;
      assign w_vc = vc_q;
      assign w_prio = prio_q;
      assign w_class = class_q;
      assign w_dead = dead_q;
      assign w_none = none_q;
      assign w_all = all_q;
      assign w_mask = mask_q;
      assign w_set = set_q;
      assign w_rest = rest_q;
    end else begin : g_stage_2
      assign set_class = b_class_q;
      assign dead_o = live == NO_LINK;
      assign w_retry = b_retry_q;
      assign w_hot = b_hot_q;
      assign w_vc = b_vc_q;
      assign w_prio = b_prio_q;
      assign w_class = b_class_q;
      assign w_dead = b_live_q == NO_LINK;
      assign w_none = none;
      assign w_all = b_all_q;
      assign w_mask = b_mask_q;
      assign w_set = set;
      assign w_rest = b_rest_q;
    end
  endgenerate

  // Which links come before others: for link o those p < o that do; of a pair only one bit is kept.
  reg [LINKS*32-1:0] before_q;
  reg [LINKS-1:0] after_q;                      // links after the last one picked
  reg [LINKS*32-1:0] earlier;
  reg [LINKS-1:0] pick;
  reg [LINKS-1:0] after;
  reg [LINKS-1:0] beaten;
  reg [LINKS-1:0] lower;
  integer o;
  integer p;

  always @* begin
    earlier = {(LINKS * 32){1'b0}};
    lower = NO_LINK;
    for (o = 0; o < LINKS; o = o + 1) begin
      earlier[o*32 +: LINKS] = lower & ((mode_i == 2'd2) ? draw_i[o*32 +: LINKS]
                                       : (mode_i == 2'd1 && after_q[o]) ? after_q : ~NO_LINK);
      lower[o] = 1'b1;
    end
  end

  always @* begin
    beaten = NO_LINK;
    for (p = 0; p < LINKS; p = p + 1) begin
      if ((w_set & before_q[p*32 +: LINKS]) != NO_LINK) beaten[p] = 1'b1;
    end
    for (p = 1; p < LINKS; p = p + 1) begin
      if (w_set[p]) beaten = beaten | (~before_q[p*32 +: LINKS] & ~({LINKS{1'b1}} << p));
    end
    pick = w_set & ~beaten;
  end

  always @* begin
    after[0] = 1'b0;
    for (i = 1; i < LINKS; i = i + 1) after[i] = after[i-1] || pick[i-1];
  end

  // ---- The decision: the first rule that applies ------------------------------------------------

  reg decided_q;                                // a decision by rules 5 to 7 in the last cycle
  wire decides = begins_i || w_retry;
  wire stops = begins_i ? cause_i != 3'd0 : w_dead;  // rules 1 and 2
  wire to_all = w_class && w_all;
  wire looks = decides && !stops && !to_all;
  wire waits = looks && (decided_q || w_none);
  wire picks_one = looks && !decided_q && !w_none;
  wire [VCS-1:0] hot = w_retry ? w_hot : hot_i;

  // Rule 7, said so that it waits for begins_i last; a retry with no link up has none to go to.
  wire may_go = !w_class && !decided_q && !w_none;
  wire fresh_goes = may_go && cause_i == 3'd0;
  wire goes = begins_i ? fresh_goes : w_retry && may_go;

  always @(posedge clk_i) begin
    before_q <= earlier;
    if (rst_i) begin
      after_q <= NO_LINK;
      decided_q <= 1'b0;
    end else begin
      if (picks_one) after_q <= after;
      decided_q <= looks && !decided_q;
    end
  end

  assign vc_o = w_retry ? w_vc : vc_i;
  assign again_o = w_retry;
  assign again_prio_o = w_prio;
  assign hot_o = hot;
  assign sink_o = (decides && stops) ? hot : NONE;
  assign retries = (waits ? hot : NONE) | lost_i;
  assign group_o = (decides && !stops && (to_all || (picks_one && w_class))) ? hot : NONE;
  assign goes_o = goes;
  assign wait_o = goes ? hot : NONE;
  assign pick_o = pick;
  assign mask_o = w_all ? w_mask : pick;
  assign all_o = w_all;
  assign no_vc_o = looks && !decided_q && w_none;
  assign trap_o = decides && stops;
  assign trap_data_o = w_retry ? {3'd1, w_vc, w_rest} : {cause_i, vc_i, dest_i, ts_i};

  `LOOM_ASSERT(one_decision, !(begins_i && w_retry))
  `LOOM_ASSERT(goes_by_rule_7, goes == (picks_one && !w_class))
  `LOOM_ASSERT(one_link, !picks_one || (pick != {LINKS{1'b0}} && (pick & -pick) == pick))

endmodule

`default_nettype wire
