// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_port: all that one link of the router has: its input, its output, its state, its
//   registers.
// Inside: loom_crosspoint_router
//
// Contract: number_i is the number of the link. Vectors of all links have a bit, or a lane of 2, 8,
//   16 or 32 bits, for each; what this link adds to one of them is an output as wide as a lane. The
//   fields of the buses stand in rtl/include/loom_elite5_port.vh. bus_i is the access that has come
//   to this link, {write, read, address, data}.
// Algorithm: the units of the page side by side. One module, so that simulators share the code of
//   all links and join it where its parts meet.
// Latency: header in cycle c, header out in c + 8 + PIPE; reply in c, reply out in c + 4.
// Wait bound: that of its parts.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), POOL (0..32), DESTS (16..65536),
//   CLASSES (1..4096), GROUPS (1..1024), PIPE (0..4).
// Realises: E5-01, E5-03..13, E5-17..25, E5-28, E5-29, E5-33, E5-35, E5-36, E5-39.
// Page: docs/crosspoint_router.md
`default_nettype none
`include "loom_elite5_port.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_crosspoint_port #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer POOL    = 16,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256,
  parameter integer PIPE    = 0
) (
  input  wire                              clk_i,
  input  wire                              rst_i,
  input  wire [4:0]                        number_i,

  // The link: words in and what goes back for them, words out and what comes back for them.
  input  wire [`LOOM_PORT_WORD_W-1:0]      in_i,
  output wire [`LOOM_PORT_BACK_W-1:0]      in_back_o,
  output wire [`LOOM_PORT_WORD_W-1:0]      out_o,
  input  wire [`LOOM_PORT_BACK_W-1:0]      out_back_i,

  // Accesses to the window of this link and to the tables; registers of the router.
  input  wire [53:0]                       bus_i,
  output wire [31:0]                       rdata_o,
  input  wire [`LOOM_PORT_ACCESS_W-1:0]    access_i,
  input  wire [`LOOM_PORT_SETTINGS_W-1:0]  settings_i,

  // What all outputs say, and what this one does.
  input  wire [LINKS-1:0]                  up_i,
  input  wire [LINKS-1:0]                  near_i,
  input  wire [LINKS-1:0]                  new_i,
  input  wire [LINKS-1:0]                  group_new_i,
  input  wire [LINKS-1:0]                  spare_i,
  input  wire [LINKS-1:0]                  wake_i,
  input  wire [LINKS-1:0]                  light_i,
  input  wire [LINKS*32-1:0]               able_i,
  input  wire [LINKS*32-1:0]               crowd_i,
  input  wire [LINKS*32-1:0]               less_i,
  input  wire [LINKS*32-1:0]               draw_i,
  input  wire [LINKS*8-1:0]                lock_w_i,
  output wire                              up_o,
  output wire                              near_o,
  output wire                              new_o,
  output wire                              group_new_o,
  output wire                              spare_o,
  output wire                              wake_o,
  output wire [31:0]                       able_o,
  output wire [31:0]                       crowd_o,
  output wire [7:0]                        lock_w_o,
  output wire                              locked_o,
  output wire [7:0]                        pending_o,
  output wire [7:0]                        group_alloc_o,

  // What each input asks for, what each output grants, what each store says.
  output wire [31:0]                       want_o,       // outputs that could grant this input
  output wire [1:0]                        prio_o,
  output wire [15:0]                       ask_o,
  input  wire [LINKS-1:0]                  want_i,       // inputs that this output could grant
  input  wire [LINKS-1:0]                  prio1_i,
  input  wire [LINKS-1:0]                  prio0_i,
  input  wire [LINKS*16-1:0]               ask_i,
  output wire [31:0]                       grant_o,      // inputs that this output grants
  output wire                              any_o,
  input  wire [LINKS-1:0]                  grant_i,      // outputs that grant this input
  input  wire [LINKS-1:0]                  any_i,        // outputs that grant somebody
  output wire [4:0]                        store_o,      // {soon, early, done, done with a tail}
  input  wire [LINKS-1:0]                  done_i,
  input  wire [LINKS-1:0]                  done_tail_i,
  input  wire [LINKS-1:0]                  early_i,
  input  wire [2*LINKS-1:0]                soon_i,

  // The crosspoint.
  output wire [`LOOM_PORT_READ_W-1:0]      read_o,       // by this input
  output wire [7:0]                        lane_o,       // for this output
  input  wire [`LOOM_PORT_TAKEN_W-1:0]     word_i,       // by this output

  // Broadcasts (see loom_crosspoint_bsel).
  output wire [`LOOM_PORT_GROUP_ASK_W-1:0] group_ask_o,
  input  wire [`LOOM_PORT_GROUP_W-1:0]     group_i,

  // Replies that stand at the outputs.
  output wire [31:0]                       due_to_o,     // from this output
  output wire [7:0]                        due_o,
  input  wire [LINKS-1:0]                  due_to_i,     // for this input
  input  wire [LINKS*8-1:0]                due_i,
  output wire [31:0]                       chosen_o,     // by this input
  input  wire                              gone_i,       // from this output

  // Words of the test, and traps.
  output wire                              draws_o,
  input  wire [63:0]                       test_i,
  output wire                              trap_valid_o,
  output wire [63:0]                       trap_data_o,
  input  wire                              trap_move_i
);

  localparam integer BASE = VCS - BVCS;
  localparam [LINKS-1:0] LINK0 = 1;

  wire [LINKS-1:0] me = LINK0 << number_i;
  wire [31:0] uplinks = settings_i[`LOOM_PORT_SETTINGS_UPLINKS];
  wire uplink = (uplinks[LINKS-1:0] & me) != {LINKS{1'b0}};
  wire [31:0] group_live = group_i[`LOOM_PORT_GROUP_LIVE];
  wire up_next;
  wire up = up_o;                               // without a choice among all links
  wire [19:0] addr = bus_i[51:32];
  wire [5:0] number = `LOOM_NUMBER_ELITE5_REG_LINKS(addr);
  wire at_links = `LOOM_IS_ELITE5_REG_LINKS(addr);
  wire mine = at_links && number == {1'b0, number_i};
  wire we = bus_i[53] && (mine || (at_links && number == `LOOM_ELITE5_REG_ALL_LINKS));
  wire re = bus_i[52] && mine;
  wire unused = &{1'b0, uplinks, group_live, settings_i, number_i};

  // ---- Front and store --------------------------------------------------------------------------

  wire opening;
  wire ctl_valid;
  wire ctl_head;
  wire [63:0] ctl_data;
  wire ctl_ok;
  wire front_calm;
  wire [VCS-1:0] idle;
  wire [VCS-1:0] own;
  wire spare;
  wire head_2;
  wire [LINKS-1:0] mask;
  wire all;
  wire head_v;
  wire [4:0] look_vc;
  wire [VCS-1:0] look_hot;
  wire dead;
  wire alone;
  wire head_w;
  wire [VCS-1:0] hot_w;
  wire wr_valid;
  wire wr_head;
  wire wr_tail;
  wire [4:0] wr_vc;
  wire [63:0] wr_data;
  wire [VCS-1:0] head_hot;
  wire [VCS-1:0] ends_hot;
  wire few;
  wire [VCS-1:0] swallow_hot;
  wire begins;
  wire [1:0] begins_prio;
  wire [VCS-1:0] begins_hot;
  wire [2:0] cause;
  wire more;
  wire first_own;
  wire ended;
  wire header_error;
  wire link_error;

  loom_crosspoint_front #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS),
    .DESTS(DESTS),
    .CLASSES(CLASSES),
    .GROUPS(GROUPS),
    .PIPE(PIPE)
  ) u_front (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .in_valid_i(in_i[`LOOM_PORT_WORD_VALID]),
    .in_head_i(in_i[`LOOM_PORT_WORD_HEAD]),
    .in_tail_i(in_i[`LOOM_PORT_WORD_TAIL]),
    .in_vl_i(in_i[`LOOM_PORT_WORD_VL]),
    .in_data_i(in_i[`LOOM_PORT_WORD_DATA]),
    .up_i(up),
    .opening_i(opening),
    .ctl_valid_o(ctl_valid),
    .ctl_head_o(ctl_head),
    .ctl_data_o(ctl_data),
    .ctl_ok_o(ctl_ok),
    .calm_o(front_calm),
    .access_i(access_i),
    .settings_i(settings_i),
    .uplink_i(uplink),
    .idle_i(idle),
    .own_i(own),
    .spare_i(spare),
    .head_2_o(head_2),
    .mask_o(mask),
    .all_o(all),
    .head_v_o(head_v),
    .look_vc_o(look_vc),
    .look_hot_o(look_hot),
    .dead_i(dead),
    .alone_i(alone),
    .head_w_o(head_w),
    .hot_w_o(hot_w),
    .wr_valid_o(wr_valid),
    .wr_head_o(wr_head),
    .wr_tail_o(wr_tail),
    .wr_vc_o(wr_vc),
    .wr_data_o(wr_data),
    .head_hot_o(head_hot),
    .ends_hot_o(ends_hot),
    .few_o(few),
    .sink_hot_o(swallow_hot),
    .begins_o(begins),
    .prio_o(begins_prio),
    .begins_hot_o(begins_hot),
    .cause_o(cause),
    .more_o(more),
    .first_own_o(first_own),
    .ended_o(ended),
    .header_error_o(header_error),
    .link_error_o(link_error)
  );

  wire [VCS-1:0] view;
  wire unused_event;
  wire [4:0] unused_event_vc;
  wire take;
  wire [4:0] take_vc;
  wire [VCS-1:0] take_hot;
  wire take_keep;
  wire phase;
  wire rd_free;
  wire [1:0] rd_valid;
  wire [127:0] rd_data;
  wire [1:0] rd_head;
  wire [1:0] unused_rd_last;
  wire [1:0] rd_tail;
  wire done;
  wire [4:0] done_vc;
  wire done_tail;
  wire free_valid;
  wire [4:0] free_vc;
  wire store_empty;
  wire [1:0] soon;
  wire early;

  loom_segment_store #(
    .VCS(VCS),
    .POOL(POOL)
  ) u_store (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .wr_valid_i(wr_valid),
    .wr_vc_i(wr_vc),
    .wr_head_i(wr_head),
    .wr_tail_i(wr_tail),
    .wr_data_i(wr_data),
    .own_o(own),
    .spare_o(spare),
    .head_valid_o(view),
    .head_event_o(unused_event),
    .head_vc_o(unused_event_vc),
    .take_i(take),
    .take_vc_i(take_vc),
    .take_keep_i(take_keep),
    .phase_o(phase),
    .rd_free_o(rd_free),
    .rd_valid_o(rd_valid),
    .rd_data_o(rd_data),
    .rd_head_o(rd_head),
    .rd_last_o(unused_rd_last),
    .rd_tail_o(rd_tail),
    .done_o(done),
    .done_vc_o(done_vc),
    .done_tail_o(done_tail),
    .free_valid_o(free_valid),
    .free_vc_o(free_vc),
    .empty_o(store_empty),
    .soon_o(soon),
    .early_o(early)
  );

  assign store_o = {soon, early, done, done_tail};
  assign in_back_o[`LOOM_PORT_BACK_CR_VALID] = free_valid && up;
  assign in_back_o[`LOOM_PORT_BACK_CR_VL] = up ? free_vc : 5'd0;

  generate
    if (PIPE >= 4) begin : g_read_late
      reg [`LOOM_PORT_READ_W-1:0] read_q;

      always @(posedge clk_i) begin
        if (rst_i) read_q <= {`LOOM_PORT_READ_W{1'b0}};
        else read_q <= {rd_valid, rd_head, rd_tail, rd_data};
      end

      assign read_o = read_q;
    end else begin : g_read
      assign read_o = {rd_valid, rd_head, rd_tail, rd_data};
    end
  endgenerate

  // ---- Choice -----------------------------------------------------------------------------------

  wire [VCS-1:0] lost;
  wire [VCS-1:0] prio1;
  wire [VCS-1:0] prio0;
  wire [4:0] goes_vc;
  wire again;
  wire [1:0] again_prio;
  wire [VCS-1:0] goes_hot;
  wire [VCS-1:0] to_sink;
  wire [VCS-1:0] to_group;
  wire [VCS-1:0] to_wait;
  wire goes;
  wire [LINKS-1:0] pick_link;
  wire [LINKS-1:0] group_mask;
  wire group_all;
  wire no_vc;
  wire trap;
  wire [37:0] trap_record;

  loom_crosspoint_choice #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS),
    .PIPE(PIPE)
  ) u_choice (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .mode_i(settings_i[`LOOM_PORT_SETTINGS_MODE]),
    .up_i(up_i),
    .new_i(new_i),
    .group_new_i(group_new_i),
    .light_i(light_i),
    .less_i(less_i),
    .draw_i(draw_i),
    .mask_i(mask),
    .all_i(all),
    .head_2_i(head_2),
    .head_v_i(head_v),
    .vc_v_i(look_vc),
    .dead_o(dead),
    .head_w_i(head_w),
    .begins_i(begins),
    .hot_i(hot_w),
    .vc_i(wr_vc),
    .cause_i(cause),
    .dest_i(wr_data[`LOOM_ELITE5_FIRST_DEST]),
    .ts_i(wr_data[`LOOM_ELITE5_FIRST_TS]),
    .lost_i(lost),
    .prio1_i(prio1),
    .prio0_i(prio0),
    .vc_o(goes_vc),
    .again_o(again),
    .again_prio_o(again_prio),
    .hot_o(goes_hot),
    .sink_o(to_sink),
    .group_o(to_group),
    .wait_o(to_wait),
    .goes_o(goes),
    .pick_o(pick_link),
    .mask_o(group_mask),
    .all_o(group_all),
    .no_vc_o(no_vc),
    .trap_o(trap),
    .trap_data_o(trap_record)
  );

  // ---- VCs, second way, request -----------------------------------------------------------------

  wire [VCS-1:0] grant_hot;
  wire grant_new;
  wire keep;
  wire [LINKS-1:0] ask_mask;
  wire [2:0] ask_place;
  wire [LINKS-1:0] chosen;
  wire ack;
  wire nack;
  wire own_nack;
  wire [VCS-1:0] waits;
  wire [VCS-1:0] open;
  wire [VCS-1:0] group_open;
  wire [VCS-1:0] sink;
  wire [VCS-1:0] none;
  wire [VCS-1:0] brief;
  wire [VCS*8-1:0] target;
  wire [VCS*8-1:0] ovc;
  wire [BVCS*32-1:0] todo;

  loom_crosspoint_vcs #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS),
    .POOL(POOL)
  ) u_vcs (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up),
    .head_hot_i(head_hot),
    .ends_hot_i(ends_hot),
    .few_i(few),
    .begins_hot_i(begins_hot),
    .prio_i(begins_prio),
    .all_i(group_all),
    .swallow_i(swallow_hot),
    .sink_i(to_sink),
    .group_i(to_group),
    .wait_i(to_wait),
    .pick_i(pick_link),
    .mask_i(group_mask),
    .lost_i(lost),
    .grant_hot_i(grant_hot),
    .grant_new_i(grant_new),
    .granted_i(grant_i),
    .keep_o(keep),
    .take_hot_i(take_hot),
    .take_keep_i(take_keep),
    .lock_w_i(lock_w_i),
    .done_tail_i(done && done_tail),
    .done_vc_i(done_vc),
    .group_wait_o(group_ask_o[`LOOM_PORT_GROUP_ASK_WAIT]),
    .group_at_i(group_i[`LOOM_PORT_GROUP_PICK]),
    .group_place_o(ask_place),
    .group_mask_o(ask_mask),
    .group_all_o(group_ask_o[`LOOM_PORT_GROUP_ASK_ALL]),
    .group_open_i(group_i[`LOOM_PORT_GROUP_OPEN]),
    .group_sink_i(group_i[`LOOM_PORT_GROUP_SINK]),
    .group_place_i(group_i[`LOOM_PORT_GROUP_PLACE]),
    .group_vc_i(group_i[`LOOM_PORT_GROUP_VC]),
    .group_live_i(group_live[LINKS-1:0]),
    .group_left_i(group_i[`LOOM_PORT_GROUP_LEFT]),
    .group_nacked_i(group_i[`LOOM_PORT_GROUP_NACKED]),
    .reply_valid_i(due_to_i),
    .reply_i(due_i),
    .chosen_o(chosen),
    .rep_valid_o(in_back_o[`LOOM_PORT_BACK_REP_VALID]),
    .rep_ack_o(in_back_o[`LOOM_PORT_BACK_REP_ACK]),
    .rep_vc_o(in_back_o[`LOOM_PORT_BACK_REP_VC]),
    .ack_o(ack),
    .nack_o(nack),
    .own_nack_o(own_nack),
    .idle_o(idle),
    .waits_o(waits),
    .open_o(open),
    .group_open_o(group_open),
    .sink_o(sink),
    .prio1_o(prio1),
    .prio0_o(prio0),
    .none_o(none),
    .small_o(brief),
    .target_o(target),
    .ovc_o(ovc),
    .todo_o(todo)
  );

  wire f_wins;
  wire over;
  wire [VCS-1:0] request_hot;
  wire taken;
  wire turn_lost;
  wire [VCS-1:0] asks;
  wire [VCS-1:0] turn;
  wire holds;
  wire pick_may;
  wire [VCS-1:0] pick_hot;
  wire [LINKS-1:0] pick_outs;
  wire [1:0] pick_prio;
  wire pick_new;
  wire [LINKS-1:0] pick_pool;
  wire [4:0] pick_ovc;
  wire pick_small;
  wire pick_sink;
  wire passed;

  assign alone = (look_hot & open & none & ~asks) != {VCS{1'b0}};

  loom_crosspoint_pick #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS)
  ) u_pick (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .view_i(view),
    .waits_i(waits),
    .open_i(open),
    .group_open_i(group_open),
    .sink_i(sink),
    .prio1_i(prio1),
    .prio0_i(prio0),
    .small_i(brief),
    .take_hot_i(take_hot),
    .target_i(target),
    .ovc_i(ovc),
    .todo_i(todo),
    .up_i(up_i),
    .near_i(near_i),
    .new_i(new_i),
    .wake_i(wake_i),
    .able_i(able_i),
    .crowd_i(crowd_i),
    .f_wins_i(f_wins),
    .f_hot_i(goes_hot),
    .over_i(over),
    .over_hot_i(request_hot),
    .taken_i(taken),
    .lost_i(turn_lost),
    .asks_o(asks),
    .turn_o(turn),
    .holds_o(holds),
    .may_o(pick_may),
    .hot_o(pick_hot),
    .outs_o(pick_outs),
    .prio_o(pick_prio),
    .new_o(pick_new),
    .pool_o(pick_pool),
    .ovc_o(pick_ovc),
    .small_o(pick_small),
    .sink_o(pick_sink),
    .back_o(lost),
    .passed_o(passed)
  );

  wire [LINKS-1:0] wants;
  wire [4:0] ask_vc;
  wire [4:0] ask_ovc;
  wire ask_new;
  wire ask_small;

  loom_crosspoint_request #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS)
  ) u_request (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .look_vc_i(look_vc),
    .target_i(target),
    .ovc_i(ovc),
    .goes_i(goes),
    .again_i(again),
    .vc_i(goes_vc),
    .hot_i(goes_hot),
    .to_i(pick_link),
    .header_prio_i(begins_prio),
    .again_prio_i(again_prio),
    .more_i(more),
    .first_own_i(first_own),
    .ended_i(ended),
    .prio1_i(prio1),
    .prio0_i(prio0),
    .small_i(brief),
    .pick_may_i(pick_may),
    .pick_hot_i(pick_hot),
    .pick_outs_i(pick_outs),
    .pick_prio_i(pick_prio),
    .pick_new_i(pick_new),
    .pick_pool_i(pick_pool),
    .pick_ovc_i(pick_ovc),
    .pick_small_i(pick_small),
    .pick_sink_i(pick_sink),
    .pick_taken_o(taken),
    .f_wins_o(f_wins),
    .over_o(over),
    .hot_o(request_hot),
    .lost_o(turn_lost),
    .turn_i(turn),
    .holds_i(holds),
    .near_i(near_i),
    .new_i(new_i),
    .spare_i(spare_i),
    .able_i(able_i),
    .crowd_i(crowd_i),
    .rd_free_i(rd_free),
    .wants_o(wants),
    .prio_o(prio_o),
    .vc_o(ask_vc),
    .ovc_o(ask_ovc),
    .new_o(ask_new),
    .small_o(ask_small),
    .granted_i(grant_i),
    .any_i(any_i),
    .grant_hot_o(grant_hot),
    .grant_new_o(grant_new),
    .keep_i(keep),
    .take_o(take),
    .take_vc_o(take_vc),
    .take_hot_o(take_hot),
    .take_keep_o(take_keep)
  );

  assign ask_o = {4'd0, ask_small, ask_new, ask_vc, ask_ovc};

  // ---- The output -------------------------------------------------------------------------------

  wire [4:0] next_vc;
  wire [LINKS-1:0] grant;
  wire got;
  wire fresh;
  wire [4:0] lock_input;
  wire [4:0] lock_vc;
  wire [4:0] lock_w;
  wire sent;
  wire [4:0] sent_w;
  wire lock_valid;
  wire [5:0] lock;
  wire [4:0] lock_w_2;
  wire [4:0] change;
  wire [15:0] first_crc;
  wire [15:0] next_crc;

  loom_crosspoint_grant #(
    .LINKS(LINKS),
    .VCS(VCS)
  ) u_grant (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up),
    .phase_i(phase),
    .next_vc_i(next_vc),
    .want_i(want_i),
    .prio1_i(prio1_i),
    .prio0_i(prio0_i),
    .ask_i(ask_i),
    .done_i(done_i),
    .done_tail_i(done_tail_i),
    .early_i(early_i),
    .soon_i(soon_i),
    .grant_o(grant),
    .any_o(any_o),
    .near_o(near_o),
    .locked_o(locked_o),
    .got_o(got),
    .fresh_o(fresh),
    .input_o(lock_input),
    .vc_o(lock_vc),
    .w_o(lock_w),
    .sent_o(sent),
    .sent_w_o(sent_w),
    .lock_valid_o(lock_valid),
    .lock_o(lock),
    .lock_w_o(lock_w_2),
    .change_o(change),
    .first_crc_o(first_crc),
    .next_crc_o(next_crc)
  );

  assign lock_w_o = {3'd0, lock_w};

  wire [5:0] lane;
  wire traffic_valid;
  wire traffic_head;
  wire traffic_tail;
  wire [4:0] traffic_vl;
  wire [63:0] traffic_data;

  loom_crosspoint_cross #(
    .PIPE(PIPE)
  ) u_cross (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .phase_i(phase),
    .lock_valid_i(lock_valid),
    .lock_i(lock),
    .lock_w_i(lock_w_2),
    .change_i(change),
    .first_crc_i(first_crc),
    .next_crc_i(next_crc),
    .lane_o(lane),
    .word_valid_i(word_i[`LOOM_PORT_TAKEN_VALID]),
    .word_head_i(word_i[`LOOM_PORT_TAKEN_HEAD]),
    .word_tail_i(word_i[`LOOM_PORT_TAKEN_TAIL]),
    .word_data_i(word_i[`LOOM_PORT_TAKEN_DATA]),
    .valid_o(traffic_valid),
    .head_o(traffic_head),
    .tail_o(traffic_tail),
    .vl_o(traffic_vl),
    .data_o(traffic_data)
  );

  assign lane_o = {2'd0, lane};

  wire [5:0] vc_limit;
  wire [5:0] cap;
  wire [VCS-1:0] alloc;
  wire [VCS-1:0] able;
  wire [VCS-1:0] crowd;
  wire [5:0] pending;
  wire limits_we = we && (addr[11:0] == `LOOM_ELITE5_REG_LINK_CAP
                          || addr[11:0] == `LOOM_ELITE5_REG_LINK_VC_LIMIT);

  loom_crosspoint_far #(
    .VCS(VCS),
    .BVCS(BVCS),
    .POOL(POOL)
  ) u_far (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up),
    .up_next_i(up_next),
    .cr_valid_i(out_back_i[`LOOM_PORT_BACK_CR_VALID]),
    .cr_vl_i(out_back_i[`LOOM_PORT_BACK_CR_VL]),
    .got_i(got),
    .w_i(lock_w),
    .alloc_i(alloc),
    .frees_i(gone_i),
    .vc_limit_i(vc_limit),
    .cap_i(cap),
    .limits_we_i(limits_we),
    .able_o(able),
    .crowd_o(crowd),
    .spare_o(spare_o),
    .new_o(new_o),
    .next_vc_o(next_vc),
    .group_new_o(group_new_o),
    .wake_o(wake_o)
  );

  wire [LINKS-1:0] due_to;
  wire [5:0] due;
  wire reply_error;

  loom_crosspoint_circuits #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS)
  ) u_circuits (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up),
    .fresh_i(got && fresh),
    .w_i(lock_w),
    .back_i({lock_input, lock_vc}),
    .group_open_i(group_i[`LOOM_PORT_GROUP_ALLOC]),
    .group_vc_i(group_i[`LOOM_PORT_GROUP_VC]),
    .group_back_i(group_i[`LOOM_PORT_GROUP_BACK]),
    .sent_i(sent),
    .sent_w_i(sent_w),
    .alloc_o(alloc),
    .pending_o(pending),
    .rep_valid_i(out_back_i[`LOOM_PORT_BACK_REP_VALID]),
    .rep_ack_i(out_back_i[`LOOM_PORT_BACK_REP_ACK]),
    .rep_vc_i(out_back_i[`LOOM_PORT_BACK_REP_VC]),
    .due_to_o(due_to),
    .due_o(due),
    .gone_i(gone_i),
    .reply_error_o(reply_error)
  );

  assign pending_o = {2'd0, pending};
  assign due_o = {2'd0, due};

  // ---- Lanes as wide as the top has them --------------------------------------------------------

  generate
    if (LINKS < 32) begin : g_pad_links
      assign group_ask_o[`LOOM_PORT_GROUP_ASK_MASK] = {{(32 - LINKS){1'b0}}, ask_mask};
      assign want_o = {{(32 - LINKS){1'b0}}, wants};
      assign grant_o = {{(32 - LINKS){1'b0}}, grant};
      assign chosen_o = {{(32 - LINKS){1'b0}}, chosen};
      assign due_to_o = {{(32 - LINKS){1'b0}}, due_to};
    end else begin : g_links
      assign group_ask_o[`LOOM_PORT_GROUP_ASK_MASK] = ask_mask;
      assign want_o = wants;
      assign grant_o = grant;
      assign chosen_o = chosen;
      assign due_to_o = due_to;
    end
    if (VCS < 32) begin : g_pad_vcs
      assign able_o = {{(32 - VCS){1'b0}}, able};
      assign crowd_o = {{(32 - VCS){1'b0}}, crowd};
    end else begin : g_vcs
      assign able_o = able;
      assign crowd_o = crowd;
    end
    if (BVCS < 8) begin : g_pad_group
      assign group_alloc_o = {{(8 - BVCS){1'b0}}, alloc[VCS-1:BASE]};
    end else begin : g_group
      assign group_alloc_o = alloc[VCS-1:BASE];
    end
  endgenerate

  assign group_ask_o[`LOOM_PORT_GROUP_ASK_PLACE] = {5'd0, ask_place};

  // ---- The state of the link and its output register --------------------------------------------

  wire enable;
  wire quick;
  wire single;
  wire check;
  wire [23:0] expected;
  wire [2:0] state;
  wire quiet;
  wire [23:0] far;
  wire [31:0] checked;
  wire [31:0] bit_errors;
  wire link_trap;
  wire [2:0] link_cause;
  wire removed;
  reg drew_q;
  reg calm_q;
  reg up_before_q;                              // the link was UP in the last cycle

  always @(posedge clk_i) begin
    if (rst_i) begin
      drew_q <= 1'b0;
      calm_q <= 1'b0;
      up_before_q <= 1'b0;
    end else begin
      drew_q <= draws_o;
      up_before_q <= up;
      calm_q <= alloc == {VCS{1'b0}} && !locked_o && idle == {VCS{1'b1}} && store_empty
                && front_calm;
    end
  end

  loom_elite5_link u_link (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .link_i({3'd0, number_i}),
    .signal_i(in_i[`LOOM_PORT_WORD_SIGNAL]),
    .ctl_valid_i(ctl_valid),
    .ctl_head_i(ctl_head),
    .ctl_data_i(ctl_data),
    .ctl_ok_i(ctl_ok),
    .sending_o(draws_o),
    .gen_valid_i(drew_q),
    .gen_data_i(test_i),
    .enable_i(enable),
    .quick_i(quick),
    .single_i(single),
    .check_i(check),
    .expected_i(expected),
    .settings_i(settings_i),
    .error_i(header_error || link_error),
    .calm_i(calm_q && (up || !up_before_q)),
    .traffic_valid_i(traffic_valid),
    .traffic_head_i(traffic_head),
    .traffic_tail_i(traffic_tail),
    .traffic_vl_i(traffic_vl),
    .traffic_data_i(traffic_data),
    .up_o(up_o),
    .up_next_o(up_next),
    .opening_o(opening),
    .state_o(state),
    .quiet_o(quiet),
    .signal_o(out_o[`LOOM_PORT_WORD_SIGNAL]),
    .far_o(far),
    .checked_o(checked),
    .bit_errors_o(bit_errors),
    .trap_o(link_trap),
    .trap_cause_o(link_cause),
    .removed_o(removed),
    .out_valid_o(out_o[`LOOM_PORT_WORD_VALID]),
    .out_head_o(out_o[`LOOM_PORT_WORD_HEAD]),
    .out_tail_o(out_o[`LOOM_PORT_WORD_TAIL]),
    .out_vl_o(out_o[`LOOM_PORT_WORD_VL]),
    .out_data_o(out_o[`LOOM_PORT_WORD_DATA])
  );

  // ---- Its registers ----------------------------------------------------------------------------

  wire traffic = up && traffic_valid;
  wire [31:0] word;
  wire [37:0] trap_data;
  wire [1:0] unused_traps_lost;
  wire trap_lost;

  loom_elite5_window #(
    .VCS(VCS)
  ) u_window (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(we),
    .re_i(re),
    .addr_i(addr[11:0]),
    .data_i(bus_i[31:0]),
    .rdata_o(word),
    .enable_o(enable),
    .quick_o(quick),
    .single_o(single),
    .check_o(check),
    .expected_o(expected),
    .vc_limit_o(vc_limit),
    .cap_o(cap),
    .state_i(state),
    .quiet_i(quiet),
    .far_i(far),
    .checked_i(checked),
    .bit_errors_i(bit_errors),
    .alloc_i(alloc),
    .taken_i(~idle),
    .pending_i(pending)
  );

  loom_elite5_trap u_trap (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .link_trap_i(link_trap),
    .link_cause_i(link_cause),
    .trap_i(trap),
    .trap_data_i(trap_record),
    .trap_valid_o(trap_valid_o),
    .trap_data_o(trap_data),
    .trap_move_i(trap_move_i),
    .lost_o(unused_traps_lost),
    .some_lost_o(trap_lost)
  );

  loom_crosspoint_counters u_counters (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .pulse_i({passed, removed, trap_lost, reply_error, own_nack, nack, ack,
              traffic && traffic_tail, traffic, no_vc, link_error, header_error, begins, wr_head,
              wr_valid}),
    .re_i(re),
    .addr_i(addr[11:0]),
    .word_i(word),
    .rdata_o(rdata_o)
  );

  assign trap_data_o = {26'd0, trap_data};

endmodule

`default_nettype wire
