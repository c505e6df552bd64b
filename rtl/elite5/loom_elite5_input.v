// SPDX-License-Identifier: Apache-2.0

// loom_elite5_input: the input of a link: arrival, choice, buffer, the states of its VCs, the first
//   stage of the crosspoint, and the replies that go back.
// Inside: loom_elite5_router
//
// Contract: number_i is the number of the link. Masks are over links; free_i are the outputs that
//   can be granted in this cycle, new_i those with a VC for a unicast packet, group_ready_i those
//   that can take a segment on VC b of the broadcast class (32 bits a b). request_o are the outputs
//   that are asked for a segment of VC ask_vc_o, grant_i those of them that grant it; about output
//   ask_target_o ask_ok_i says whether its VC ask_out_vc_o has credit, and ask_next_vc_i which VC a
//   unicast packet gets; all in the same cycle. Replies that wait for this input at the outputs are
//   in reply_valid_i; reply_i has {ack, vc} in 8 bits a link; they are taken with reply_take_o.
// Algorithm: a bit mask over the VCs for each state. Of the VCs that ask, those of the highest
//   priority take turns. A segment that was granted is taken from the buffer one cycle later.
// Latency: header in cycle c, request in c+3, its word on rd_* in c+5; a reply that waits at an
//   output in u shows on the link in u+1.
// Wait bound: a VC that keeps asking is picked at the latest with the VCS-th pick of its priority
//   that follows; a reply is taken at the latest with the LINKS+1-th that follows.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), POOL (0..32), DESTS (16..65536),
//   CLASSES (1..4096), GROUPS (1..1024).
// Realises: E5-01, E5-08, E5-11, E5-12, E5-25, E5-28, E5-29.
// Page: docs/elite5.md, sections Arrival, Choice, Crosspoint and Replies.
`default_nettype none
`include "loom_assert.vh"
`include "loom_elite5_port.vh"
`include "loom_fields.vh"

module loom_elite5_input #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer POOL    = 16,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256
) (
  input  wire                             clk_i,
  input  wire                             rst_i,
  input  wire [4:0]                       number_i,

  // The link.
  input  wire                             in_valid_i,
  input  wire                             in_head_i,
  input  wire                             in_tail_i,
  input  wire [4:0]                       in_vl_i,
  input  wire [63:0]                      in_data_i,
  output wire                             in_cr_valid_o,
  output wire [4:0]                       in_cr_vl_o,
  output wire                             in_rep_valid_o,
  output wire                             in_rep_ack_o,
  output wire [4:0]                       in_rep_vc_o,

  // Writes to the tables, registers of the router.
  input  wire [`LOOM_PORT_ACCESS_W-1:0]   access_i,
  input  wire [`LOOM_PORT_SETTINGS_W-1:0] settings_i,

  // Links and outputs.
  input  wire [LINKS-1:0]                 up_i,
  input  wire [LINKS-1:0]                 new_i,
  input  wire [LINKS-1:0]                 group_new_i,
  input  wire [LINKS-1:0]                 under_i,
  input  wire [LINKS-1:0]                 busy_i,
  input  wire [6*LINKS-1:0]               pending_i,
  input  wire [LINKS-1:0]                 free_i,
  input  wire [LINKS-1:0]                 clear_i,  // whose VCs are no longer passed over
  input  wire [255:0]                     group_ready_i,

  // The crosspoint.
  output wire [LINKS-1:0]                 request_o,
  output wire [1:0]                       ask_prio_o,
  output wire                             ask_reader_o,
  output wire [4:0]                       ask_vc_o,
  output wire                             ask_new_o,  // for a VC that is not yet allocated
  output wire [4:0]                       ask_target_o,
  output wire [4:0]                       ask_out_vc_o,
  input  wire                             ask_ok_i,
  input  wire [4:0]                       ask_next_vc_i,
  input  wire [LINKS-1:0]                 grant_i,
  output wire [1:0]                       rd_done_o,
  output wire [1:0]                       rd_last_o,
  output wire [1:0]                       rd_valid_o,
  output wire [1:0]                       rd_head_o,
  output wire [1:0]                       rd_tail_o,
  output wire [127:0]                     rd_data_o,

  // Broadcasts.
  output wire                             group_wait_o,
  output wire [2:0]                       group_place_o,
  output wire [LINKS-1:0]                 group_mask_o,
  output wire                             group_all_o,
  input  wire                             group_pick_i,  // bsel takes what is offered
  input  wire                             group_open_i,  // a broadcast of this input
  input  wire                             group_sink_i,
  input  wire [2:0]                       group_place_i,
  input  wire [2:0]                       group_vc_i,
  input  wire [LINKS-1:0]                 group_live_i,
  input  wire [5:0]                       group_left_i,
  input  wire                             group_nacked_i,

  // Replies.
  input  wire [LINKS-1:0]                 reply_valid_i,
  input  wire [LINKS*8-1:0]               reply_i,
  output wire [LINKS-1:0]                 reply_take_o,

  // What is counted and shown.
  output wire                             calm_o,
  output wire [VCS-1:0]                   taken_o,  // VCs that are not IDLE
  output wire                             trap_o,
  output wire [37:0]                      trap_data_o,
  output wire                             word_o,
  output wire                             segment_o,
  output wire                             packet_o,
  output wire                             header_error_o,
  output wire                             link_error_o,
  output wire                             no_vc_o,
  output wire                             ack_o,
  output wire                             nack_o,
  output wire                             own_nack_o,
  output wire                             passed_o
);

  wire [31:0] data = access_i[`LOOM_PORT_ACCESS_DATA];
  wire [31:0] uplinks_32 = settings_i[`LOOM_PORT_SETTINGS_UPLINKS];
  wire [LINKS-1:0] uplinks = uplinks_32[LINKS-1:0];
  wire unused_buses = &{1'b0, access_i, settings_i, uplinks_32};

  `LOOM_REQUIRE(granted_what_was_asked, (grant_i & ~request_o) == {LINKS{1'b0}})

  localparam integer LW    = $clog2(LINKS);
  localparam integer BASE  = VCS - BVCS;        // the first VC of the broadcast class
  localparam [4:0] BASE_C  = BASE[4:0];
  localparam [VCS-1:0] NONE = 0;
  localparam [VCS-1:0] VC0  = 1;
  localparam [LINKS-1:0] NO_LINK = 0;
  localparam [LINKS-1:0] LINK0   = 1;

  wire [LINKS-1:0] me = LINK0 << number_i;
  wire up = (up_i & me) != NO_LINK;

  // A VC without a bit in any of these is IDLE.
  reg [VCS-1:0] route_q;
  reg [VCS-1:0] wait_q;
  reg [VCS-1:0] open_q;
  reg [VCS-1:0] bwait_q;
  reg [VCS-1:0] bopen_q;
  reg [VCS-1:0] sink_q;
  reg [VCS-1:0] prio0_q;                        // bit 0 of its priority
  reg [VCS-1:0] prio1_q;
  reg [VCS-1:0] retry_q;                        // ROUTE, and no decision is under way
  reg [VCS-1:0] passed_q;
  reg [VCS-1:0] own_q;                          // a NACK is due: swallowed to the tail
  reg [VCS*8-1:0] target_q;
  reg [VCS*8-1:0] out_vc_q;

  wire [VCS-1:0] taken = route_q | wait_q | open_q | bwait_q | bopen_q | sink_q;

  // ---- Arrival and choice -----------------------------------------------------------------------

  wire [VCS-1:0] wr_ok;
  wire wr_valid;
  wire [4:0] wr_vc;
  wire wr_head;
  wire wr_tail;
  wire [63:0] wr_data;
  wire [VCS-1:0] begun;
  wire [VCS-1:0] begun_sink;
  wire [4:0] begun_vc;
  wire [63:0] header;
  wire [1:0] prio = header[`LOOM_ELITE5_FIRST_PRIO];
  wire arrival_calm;

  loom_elite5_arrival #(
    .VCS(VCS)
  ) u_arrival (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up),
    .in_valid_i(in_valid_i),
    .in_head_i(in_head_i),
    .in_tail_i(in_tail_i),
    .in_vl_i(in_vl_i),
    .in_data_i(in_data_i),
    .wr_ok_i(wr_ok),
    .wr_valid_o(wr_valid),
    .wr_vc_o(wr_vc),
    .wr_head_o(wr_head),
    .wr_tail_o(wr_tail),
    .wr_data_o(wr_data),
    .idle_i(~taken),
    .packet_o(begun),
    .sink_o(begun_sink),
    .vc_o(begun_vc),
    .header_o(header),
    .header_error_o(header_error_o),
    .link_error_o(link_error_o),
    .calm_o(arrival_calm)
  );

  wire packet = begun != NONE;
  wire [VCS-1:0] picked;
  wire [VCS-1:0] decided;
  wire to_sink;
  wire to_wait;
  wire to_group;
  wire again;
  wire [4:0] decided_target;
  wire [LINKS-1:0] decided_mask;
  wire decided_all;

  loom_elite5_choice #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS),
    .DESTS(DESTS),
    .CLASSES(CLASSES),
    .GROUPS(GROUPS)
  ) u_choice (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .dest_we_i(access_i[`LOOM_PORT_ACCESS_DEST_WE]),
    .dest_addr_i(access_i[`LOOM_PORT_ACCESS_DEST]),
    .dest_data_i(data[11:0]),
    .mask_we_i(access_i[`LOOM_PORT_ACCESS_MASK_WE]),
    .mask_addr_i(access_i[`LOOM_PORT_ACCESS_ENTRY]),
    .mask_data_i({access_i[`LOOM_PORT_ACCESS_ENTRY_ALL], data[LINKS-1:0]}),
    .dest_count_i(settings_i[`LOOM_PORT_SETTINGS_DEST_COUNT]),
    .class_count_i(settings_i[`LOOM_PORT_SETTINGS_CLASS_COUNT]),
    .group_count_i(settings_i[`LOOM_PORT_SETTINGS_GROUP_COUNT]),
    .uplink_i((uplinks & me) != NO_LINK),
    .mode_i(settings_i[`LOOM_PORT_SETTINGS_MODE]),
    .activity_i(settings_i[`LOOM_PORT_SETTINGS_ACTIVITY]),
    .time_i(settings_i[`LOOM_PORT_SETTINGS_TIME]),
    .expire_i(settings_i[`LOOM_PORT_SETTINGS_EXPIRE]),
    .seed_we_i(settings_i[`LOOM_PORT_SETTINGS_SEED_WE]),
    .seed_i({data[31:27] ^ number_i, data[26:0]}),
    .look_valid_i(up && in_valid_i && in_head_i),
    .look_type_i(in_data_i[63:61]),
    .look_dest_i(in_data_i[45:30]),
    .fresh_i(packet),
    .fresh_vc_i(begun_vc),
    .fresh_header_i(header),
    .retry_i(route_q & retry_q),
    .picked_o(picked),
    .up_i(up_i),
    .new_i(new_i),
    .group_new_i(group_new_i),
    .under_i(under_i),
    .busy_i(busy_i),
    .pending_i(pending_i),
    .vc_o(decided),
    .to_sink_o(to_sink),
    .to_wait_o(to_wait),
    .to_group_o(to_group),
    .again_o(again),
    .target_o(decided_target),
    .mask_o(decided_mask),
    .all_o(decided_all),
    .trap_o(trap_o),
    .trap_data_o(trap_data_o)
  );

  wire [VCS-1:0] now_sink = to_sink ? decided : NONE;
  wire [VCS-1:0] now_wait = to_wait ? decided : NONE;
  wire [VCS-1:0] now_bwait = to_group ? decided : NONE;
  wire [VCS-1:0] now_again = again ? decided : NONE;

  assign word_o = wr_valid;
  assign segment_o = wr_valid && wr_head;
  assign packet_o = packet;
  assign no_vc_o = again;

  // ---- The buffer -------------------------------------------------------------------------------

  reg take_q;
  reg [4:0] take_vc_q;
  reg take_keep_q;
  wire [VCS-1:0] seg_valid;
  wire phase;
  wire rd_free;
  wire [1:0] unused_rd_now;
  wire [1:0] rd_last;
  wire [9:0] rd_vc;
  wire free_valid;
  wire [4:0] free_vc;
  wire empty;

  loom_segment_buffer #(
    .VCS(VCS),
    .POOL(POOL)
  ) u_buffer (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .wr_valid_i(wr_valid),
    .wr_vc_i(wr_vc),
    .wr_head_i(wr_head),
    .wr_tail_i(wr_tail),
    .wr_data_i(wr_data),
    .wr_ok_o(wr_ok),
    .seg_valid_o(seg_valid),
    .take_i(take_q),
    .take_vc_i(take_vc_q),
    .take_keep_i(take_keep_q),
    .phase_o(phase),
    .rd_free_o(rd_free),
    .rd_now_o(unused_rd_now),
    .rd_done_o(rd_done_o),
    .rd_last_o(rd_last),
    .rd_vc_o(rd_vc),
    .rd_valid_o(rd_valid_o),
    .rd_head_o(rd_head_o),
    .rd_tail_o(rd_tail_o),
    .rd_data_o(rd_data_o),
    .free_valid_o(free_valid),
    .free_vc_o(free_vc),
    .empty_o(empty)
  );

  assign rd_last_o = rd_last;
  assign in_cr_valid_o = up && free_valid;
  assign in_cr_vl_o = up ? free_vc : 5'd0;
  assign calm_o = taken == NONE && empty && arrival_calm;
  assign taken_o = taken;

  // ---- Broadcasts: what only VCs of the broadcast class have, lane b for VC BASE + b ------------

  reg [BVCS*32-1:0] links_q;                    // of the broadcast: in BWAIT all, in BOPEN live
  reg [BVCS-1:0] all_q;                         // it goes to all links of its entry
  reg [BVCS*32-1:0] todo_q;                     // that still need this segment
  reg [BVCS*8-1:0] left_q;                      // replies to come
  reg [BVCS-1:0] nacked_q;
  reg [BVCS*8-1:0] group_vc_q;                  // VC of the class at the outputs
  reg [BVCS*32-1:0] can;                        // outputs that can take this segment now
  reg [VCS-1:0] can_some;
  integer b;

  always @* begin
    can = {(BVCS * 32){1'b0}};
    can_some = NONE;
    for (b = 0; b < BVCS; b = b + 1) begin
      can[b*32 +: LINKS] = todo_q[b*32 +: LINKS]
                           & group_ready_i[{group_vc_q[b*8 +: 3], 5'd0} +: LINKS];
      can_some[BASE+b] = can[b*32 +: LINKS] != NO_LINK;
    end
  end

  // Those that wait are offered in turn.
  wire [BVCS-1:0] wait_hot;

  loom_rr_arbiter #(
    .N(BVCS)
  ) u_wait (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(bwait_q[BASE +: BVCS]),
    .advance_i(group_pick_i),
    .grant_o(wait_hot)
  );

  reg [2:0] wait_place;
  reg [LINKS-1:0] wait_mask;
  reg wait_all;
  integer w;

  always @* begin
    wait_place = 3'd0;
    wait_mask = NO_LINK;
    wait_all = 1'b0;
    for (w = 0; w < BVCS; w = w + 1) begin
      if (wait_hot[w]) begin
        wait_place = wait_place | w[2:0];
        wait_mask = wait_mask | links_q[w*32 +: LINKS];
        wait_all = wait_all | all_q[w];
      end
    end
  end

  assign group_wait_o = bwait_q != NONE;
  assign group_place_o = wait_place;
  assign group_mask_o = wait_mask;
  assign group_all_o = wait_all;

  wire [VCS-1:0] group_hot = VC0 << (BASE_C + {2'd0, group_place_i});
  wire [VCS-1:0] now_bopen = group_open_i ? group_hot : NONE;
  wire [VCS-1:0] now_bsink = group_sink_i ? group_hot : NONE;

  // ---- Stage 1: which VCs ask -------------------------------------------------------------------

  wire [LINKS-1:0] new_free = new_i & free_i;
  reg [VCS-1:0] to_new;                         // of each VC's target
  reg [VCS-1:0] to_free;
  reg [VCS-1:0] to_down;
  reg [VCS-1:0] to_clear;
  wire pass;                                    // the one picked has no credit
  integer v;
  integer x;
  integer y;

  // The conditions change nothing but the time that a simulator takes.
  always @* begin
    to_new = NONE;
    to_down = NONE;
    if (wait_q != NONE) begin
      for (v = 0; v < BASE; v = v + 1) begin
        to_new[v] = new_free[target_q[v*8 +: LW]];
        to_down[v] = !up_i[target_q[v*8 +: LW]];
      end
    end
  end

  always @* begin
    to_free = NONE;
    if (open_q != NONE) begin
      for (x = 0; x < BASE; x = x + 1) to_free[x] = free_i[target_q[x*8 +: LW]];
    end
  end

  always @* begin
    to_clear = NONE;
    if (passed_q != NONE || pass) begin
      for (y = 0; y < BASE; y = y + 1) to_clear[y] = clear_i[target_q[y*8 +: LW]];
    end
  end

  wire [VCS-1:0] ready = (wait_q & to_new) | (open_q & to_free & ~passed_q) | (bopen_q & can_some)
                         | sink_q;
  wire [VCS-1:0] ask = rd_free ? seg_valid & ready : NONE;
  wire [VCS-1:0] ask_high = ask & prio1_q;
  wire [VCS-1:0] ask_half = (ask_high != NONE) ? ask_high : ask;
  wire [VCS-1:0] ask_odd = ask_half & prio0_q;
  wire [VCS-1:0] ask_top = (ask_odd != NONE) ? ask_odd : ask_half;
  wire [VCS-1:0] pick;
  wire [4:0] pick_vc;
  wire moved;

  loom_rr_arbiter #(
    .N(VCS)
  ) u_pick (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(ask_top),
    .advance_i(moved),
    .grant_o(pick)
  );

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_pick_vc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(pick),
    .index_o(pick_vc)
  );

  // ---- Stage 1: the one picked ------------------------------------------------------------------

  localparam integer VW = $clog2(VCS);
  wire pick_wait = (pick & wait_q) != NONE;
  wire pick_open = (pick & open_q) != NONE;
  wire pick_group = (pick & bopen_q) != NONE;
  wire pick_sink = (pick & sink_q) != NONE;
  wire [4:0] pick_target = target_q[{pick_vc[VW-1:0], 3'd0} +: 5];
  wire [4:0] pick_out_vc = out_vc_q[{pick_vc[VW-1:0], 3'd0} +: 5];
  wire [LINKS-1:0] pick_link = LINK0 << pick_target;
  wire no_credit = (up_i & pick_link) != NO_LINK && !ask_ok_i;
  reg [LINKS-1:0] request;
  integer g;

  assign pass = pick_open && no_credit;

  always @* begin
    request = (pick_wait || (pick_open && !no_credit)) ? pick_link : NO_LINK;
    if (pick_group) begin
      for (g = 0; g < BVCS; g = g + 1) begin
        if (pick[BASE+g]) request = request | can[g*32 +: LINKS];
      end
    end
  end

  assign request_o = request;
  assign ask_prio_o = {(pick & prio1_q) != NONE, (pick & prio0_q) != NONE};
  assign ask_reader_o = !phase;
  assign ask_vc_o = pick_vc;
  assign ask_new_o = pick_wait;
  assign ask_target_o = pick_target;
  assign ask_out_vc_o = pick_out_vc;
  assign passed_o = pass;

  // ---- What was granted -------------------------------------------------------------------------

  wire granted = grant_i != NO_LINK;
  wire [VCS-1:0] now_open = (granted && pick_wait) ? pick : NONE;
  reg [BVCS*32-1:0] todo;                       // after this cycle's grants
  reg keep;
  integer t;

  assign moved = granted || pick_sink || pass;

  always @* begin
    todo = todo_q;
    keep = 1'b0;
    if (pick_group && granted) begin
      for (t = 0; t < BVCS; t = t + 1) begin
        if (pick[BASE+t]) begin
          todo[t*32 +: LINKS] = todo_q[t*32 +: LINKS] & ~grant_i;
          if (todo[t*32 +: LINKS] != NO_LINK) keep = 1'b1;
          else todo[t*32 +: LINKS] = links_q[t*32 +: LINKS];
        end
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      take_q <= 1'b0;
      take_vc_q <= 5'd0;
      take_keep_q <= 1'b0;
    end else begin
      take_q <= granted || pick_sink;
      if (granted || pick_sink) begin
        take_vc_q <= pick_vc;
        take_keep_q <= keep;
      end
    end
  end

  // ---- Replies ----------------------------------------------------------------------------------

  wire [LINKS:0] reply_grant;
  wire [4:0] reply_link;
  wire unused_link = &{1'b0, reply_link, reply_i};

  loom_rr_arbiter #(
    .N(LINKS + 1)
  ) u_reply (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i({own_q != NONE, reply_valid_i}),
    .advance_i(1'b1),
    .grant_o(reply_grant)
  );

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_reply_link (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(reply_grant[LINKS-1:0]),
    .index_o(reply_link)
  );

  wire reply = reply_grant[LINKS-1:0] != NO_LINK;
  wire own = reply_grant[LINKS];
  wire [VCS-1:0] own_hot = own ? own_q & (~own_q + VC0) : NONE;
  wire [4:0] own_vc;
  wire reply_ack = reply && reply_i[{reply_link[LW-1:0], 3'd5}];
  wire [4:0] reply_vc = reply_i[{reply_link[LW-1:0], 3'd0} +: 5];
  wire [VCS-1:0] reply_hot = reply ? VC0 << reply_vc : NONE;
  wire reply_open = (reply_hot & open_q) != NONE;
  wire [BVCS-1:0] reply_group = reply_hot[VCS-1:BASE] & bopen_q[VCS-1:BASE];
  reg [BVCS-1:0] group_last;                    // it was the last one of the broadcast
  integer m;

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_own_vc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(own_hot),
    .index_o(own_vc)
  );

  always @* begin
    for (m = 0; m < BVCS; m = m + 1) begin
      group_last[m] = reply_group[m] && left_q[m*8 +: 6] == 6'd1;
    end
  end

  wire group_done = group_last != {BVCS{1'b0}};
  wire group_ack = reply_ack && (group_last & nacked_q) == {BVCS{1'b0}};
  wire out = own || reply_open || group_done;
  wire out_ack = group_done ? group_ack : reply_ack;
  wire [VCS-1:0] end_group;
  wire [VCS-1:0] ended = own_hot | (reply_open ? reply_hot : NONE) | end_group;
  assign end_group = group_done ? reply_hot : NONE;
  reg rep_valid_q;
  reg rep_ack_q;
  reg [4:0] rep_vc_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      rep_valid_q <= 1'b0;
      rep_ack_q <= 1'b0;
      rep_vc_q <= 5'd0;
    end else begin
      rep_valid_q <= up && out;
      rep_ack_q <= up && out && out_ack;
      rep_vc_q <= (up && out) ? (own ? own_vc : reply_vc) : 5'd0;
    end
  end

  assign reply_take_o = reply_grant[LINKS-1:0];
  assign in_rep_valid_o = rep_valid_q;
  assign in_rep_ack_o = rep_ack_q;
  assign in_rep_vc_o = rep_vc_q;
  assign ack_o = up && out && out_ack;
  assign nack_o = up && out && !out_ack;
  assign own_nack_o = up && own;

  // ---- The states -------------------------------------------------------------------------------

  wire [VCS-1:0] fallen = wait_q & to_down;
  wire [VCS-1:0] swallowed = sink_q & ((rd_last[0] ? VC0 << rd_vc[4:0] : NONE)
                                       | (rd_last[1] ? VC0 << rd_vc[9:5] : NONE));

  always @(posedge clk_i) begin
    if (rst_i) begin
      route_q <= NONE;
      wait_q <= NONE;
      open_q <= NONE;
      bwait_q <= NONE;
      bopen_q <= NONE;
      sink_q <= NONE;
      prio0_q <= NONE;
      prio1_q <= NONE;
      retry_q <= NONE;
      passed_q <= NONE;
      own_q <= NONE;
    end else begin
      route_q <= (route_q | begun | fallen) & ~(now_sink | now_wait | now_bwait);
      wait_q <= (wait_q | now_wait) & ~(fallen | now_open);
      open_q <= (open_q | now_open) & ~ended;
      bwait_q <= (bwait_q | now_bwait) & ~(now_bopen | now_bsink);
      bopen_q <= (bopen_q | now_bopen) & ~ended;
      sink_q <= (sink_q | begun_sink | now_sink | now_bsink) & ~ended;
      prio0_q <= (prio0_q & ~(begun | begun_sink)) | (prio[0] ? begun : NONE);
      prio1_q <= (prio1_q & ~(begun | begun_sink)) | (prio[1] ? begun : NONE);
      retry_q <= (retry_q & ~picked) | now_again | fallen;
      passed_q <= (passed_q | (pass ? pick : NONE)) & ~to_clear;
      own_q <= (own_q | swallowed) & ~own_hot;
    end
  end

  integer i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      target_q <= {VCS{8'd0}};
      out_vc_q <= {VCS{8'd0}};
    end else begin
      for (i = 0; i < BASE; i = i + 1) begin
        if (now_wait[i]) target_q[i*8 +: 5] <= decided_target;
        if (now_open[i]) out_vc_q[i*8 +: 5] <= ask_next_vc_i;
      end
      for (i = BASE; i < VCS; i = i + 1) begin
        if (now_bopen[i]) out_vc_q[i*8 +: 5] <= BASE_C + {2'd0, group_vc_i};
      end
    end
  end

  integer f;

  always @(posedge clk_i) begin
    if (rst_i) begin
      links_q <= {BVCS{32'd0}};
      all_q <= {BVCS{1'b0}};
      todo_q <= {BVCS{32'd0}};
      left_q <= {BVCS{8'd0}};
      nacked_q <= {BVCS{1'b0}};
      group_vc_q <= {BVCS{8'd0}};
    end else begin
      todo_q <= todo;
      for (f = 0; f < BVCS; f = f + 1) begin
        if (now_bwait[BASE+f]) begin
          links_q[f*32 +: LINKS] <= decided_mask;
          all_q[f] <= decided_all;
        end
        if (now_bopen[BASE+f]) begin
          links_q[f*32 +: LINKS] <= group_live_i;
          todo_q[f*32 +: LINKS] <= group_live_i;
          left_q[f*8 +: 6] <= group_left_i;
          nacked_q[f] <= group_nacked_i;
          group_vc_q[f*8 +: 3] <= group_vc_i;
        end
        if (reply_group[f]) begin
          left_q[f*8 +: 6] <= left_q[f*8 +: 6] - 6'd1;
          if (!reply_ack) nacked_q[f] <= 1'b1;
        end
      end
    end
  end

  `LOOM_ASSERT(credit_names_no_vc_without_one, in_cr_valid_o || in_cr_vl_o == 5'd0)
  `LOOM_ASSERT(reply_names_no_vc_without_one, in_rep_valid_o || {in_rep_ack_o, in_rep_vc_o} == 6'd0)

endmodule

`default_nettype wire
