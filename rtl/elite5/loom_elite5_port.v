// SPDX-License-Identifier: Apache-2.0

// loom_elite5_port: all that one link of the router has: its input, its output, its state, its
//   registers.
// Inside: loom_elite5_router
//
// Contract: number_i is the number of the link. Vectors of all links have a bit, or a lane of 8,
//   16, 32 or 128 bits, for each; what this link adds to one of them is an output as wide as a
//   lane. The fields of the buses stand in rtl/include/loom_elite5_port.vh. up_i and busy_i are
//   registers, or functions of them; the top holds the register of busy_i (it is a probe) and loads
//   it from locked_o.
// Algorithm: loom_elite5_input, loom_elite5_output, loom_elite5_link and loom_elite5_window side by
//   side. One module, so that simulators share the code of all links and join it where its parts
//   meet.
// Latency: header in cycle c, header out in c+7; reply in c, reply out in c+3, unloaded.
// Wait bound: that of its parts.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), POOL (0..32), DESTS (16..65536),
//   CLASSES (1..4096), GROUPS (1..1024).
// Realises: E5-01, E5-03..13, E5-17..25, E5-28, E5-29, E5-33, E5-35, E5-36.
// Page: docs/elite5.md, section elite5_router.
`default_nettype none
`include "loom_elite5_port.vh"

module loom_elite5_port #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer POOL    = 16,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256
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
  input  wire                              we_i,
  input  wire                              re_i,
  input  wire [`LOOM_PORT_ACCESS_W-1:0]    access_i,
  output wire [31:0]                       rdata_o,
  input  wire [`LOOM_PORT_SETTINGS_W-1:0]  settings_i,

  // What each output can do (see loom_elite5_output).
  input  wire [LINKS-1:0]                  up_i,
  input  wire [LINKS-1:0]                  new_i,
  input  wire [LINKS-1:0]                  group_new_i,
  input  wire [LINKS-1:0]                  under_i,
  input  wire [LINKS-1:0]                  busy_i,
  input  wire [6*LINKS-1:0]                pending_i,
  input  wire [LINKS-1:0]                  free_i,
  input  wire [LINKS-1:0]                  clear_i,
  input  wire [255:0]                      group_ready_i,
  output wire                              up_o,
  output wire [`LOOM_PORT_CAN_W-1:0]       can_o,

  // What each input asks for, what each output grants, what each input reads. Not one bus: each
  // depends on the one before it in the same cycle.
  input  wire [LINKS-1:0]                  request_i,    // inputs that ask for this output
  input  wire [LINKS-1:0]                  prio0_i,
  input  wire [LINKS-1:0]                  prio1_i,
  input  wire [LINKS*16-1:0]               ask_i,
  input  wire [LINKS-1:0]                  grant_i,      // outputs that grant this input
  input  wire [2*LINKS-1:0]                rd_done_i,
  input  wire [2*LINKS-1:0]                rd_last_i,
  output wire [31:0]                       request_o,    // outputs that this input asks for
  output wire                              prio0_o,
  output wire                              prio1_o,
  output wire [15:0]                       ask_o,
  output wire [7:0]                        ask_target_o,
  input  wire                              ask_ok_i,
  input  wire [4:0]                        ask_next_vc_i,
  output wire [31:0]                       grant_o,      // inputs that this output grants
  output wire                              locked_o,
  output wire [7:0]                        lock_o,
  output wire [1:0]                        rd_done_o,
  output wire [1:0]                        rd_last_o,
  output wire [`LOOM_PORT_READ_W-1:0]      read_o,       // by this input
  input  wire [`LOOM_PORT_TAKEN_W-1:0]     word_i,       // by this output

  // Broadcasts (see loom_elite5_broadcast).
  output wire [`LOOM_PORT_GROUP_ASK_W-1:0] group_ask_o,
  input  wire [`LOOM_PORT_GROUP_W-1:0]     group_i,

  // Replies that wait at the outputs.
  input  wire [LINKS-1:0]                  reply_valid_i, // for this input
  input  wire [LINKS*8-1:0]                reply_i,
  output wire [31:0]                       reply_take_o, // by this input
  output wire [31:0]                       reply_to_o,   // from this output
  output wire [7:0]                        reply_o,
  input  wire                              reply_take_i, // from this output

  // Traps.
  output wire                              trap_valid_o,
  output wire [63:0]                       trap_data_o,
  input  wire                              trap_move_i
);

  localparam [LINKS-1:0] LINK0 = 1;

  wire [LINKS-1:0] me = LINK0 << number_i;
  wire up = (up_i & me) != {LINKS{1'b0}};
  wire locked = (busy_i & me) != {LINKS{1'b0}};
  wire [31:0] group_live = group_i[`LOOM_PORT_GROUP_LIVE];
  wire unused = &{1'b0, group_live, settings_i};

  // ---- The input --------------------------------------------------------------------------------

  wire [LINKS-1:0] request;
  wire ask_reader;
  wire ask_new;
  wire [4:0] ask_vc;
  wire [4:0] ask_target;
  wire [4:0] ask_out_vc;
  wire [2:0] group_place;
  wire [LINKS-1:0] group_mask;
  wire [LINKS-1:0] reply_take;
  wire in_calm;
  wire [VCS-1:0] taken;
  wire trap;
  wire [37:0] trap_record;
  wire word;
  wire segment;
  wire packet;
  wire header_error;
  wire link_error;
  wire no_vc;
  wire ack;
  wire nack;
  wire own_nack;
  wire passed;

  loom_elite5_input #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS),
    .POOL(POOL),
    .DESTS(DESTS),
    .CLASSES(CLASSES),
    .GROUPS(GROUPS)
  ) u_input (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .number_i(number_i),
    .in_valid_i(in_i[`LOOM_PORT_WORD_VALID]),
    .in_head_i(in_i[`LOOM_PORT_WORD_HEAD]),
    .in_tail_i(in_i[`LOOM_PORT_WORD_TAIL]),
    .in_vl_i(in_i[`LOOM_PORT_WORD_VL]),
    .in_data_i(in_i[`LOOM_PORT_WORD_DATA]),
    .in_cr_valid_o(in_back_o[`LOOM_PORT_BACK_CR_VALID]),
    .in_cr_vl_o(in_back_o[`LOOM_PORT_BACK_CR_VL]),
    .in_rep_valid_o(in_back_o[`LOOM_PORT_BACK_REP_VALID]),
    .in_rep_ack_o(in_back_o[`LOOM_PORT_BACK_REP_ACK]),
    .in_rep_vc_o(in_back_o[`LOOM_PORT_BACK_REP_VC]),
    .access_i(access_i),
    .settings_i(settings_i),
    .up_i(up_i),
    .new_i(new_i),
    .group_new_i(group_new_i),
    .under_i(under_i),
    .busy_i(busy_i),
    .pending_i(pending_i),
    .free_i(free_i),
    .clear_i(clear_i),
    .group_ready_i(group_ready_i),
    .request_o(request),
    .ask_prio_o({prio1_o, prio0_o}),
    .ask_reader_o(ask_reader),
    .ask_vc_o(ask_vc),
    .ask_new_o(ask_new),
    .ask_target_o(ask_target),
    .ask_out_vc_o(ask_out_vc),
    .ask_ok_i(ask_ok_i),
    .ask_next_vc_i(ask_next_vc_i),
    .grant_i(grant_i),
    .rd_done_o(rd_done_o),
    .rd_last_o(rd_last_o),
    .rd_valid_o(read_o[`LOOM_PORT_READ_VALID]),
    .rd_head_o(read_o[`LOOM_PORT_READ_HEAD]),
    .rd_tail_o(read_o[`LOOM_PORT_READ_TAIL]),
    .rd_data_o(read_o[`LOOM_PORT_READ_DATA]),
    .group_wait_o(group_ask_o[`LOOM_PORT_GROUP_ASK_WAIT]),
    .group_place_o(group_place),
    .group_mask_o(group_mask),
    .group_all_o(group_ask_o[`LOOM_PORT_GROUP_ASK_ALL]),
    .group_pick_i(group_i[`LOOM_PORT_GROUP_PICK]),
    .group_open_i(group_i[`LOOM_PORT_GROUP_OPEN]),
    .group_sink_i(group_i[`LOOM_PORT_GROUP_SINK]),
    .group_place_i(group_i[`LOOM_PORT_GROUP_PLACE]),
    .group_vc_i(group_i[`LOOM_PORT_GROUP_VC]),
    .group_live_i(group_live[LINKS-1:0]),
    .group_left_i(group_i[`LOOM_PORT_GROUP_LEFT]),
    .group_nacked_i(group_i[`LOOM_PORT_GROUP_NACKED]),
    .reply_valid_i(reply_valid_i),
    .reply_i(reply_i),
    .reply_take_o(reply_take),
    .calm_o(in_calm),
    .taken_o(taken),
    .trap_o(trap),
    .trap_data_o(trap_record),
    .word_o(word),
    .segment_o(segment),
    .packet_o(packet),
    .header_error_o(header_error),
    .link_error_o(link_error),
    .no_vc_o(no_vc),
    .ack_o(ack),
    .nack_o(nack),
    .own_nack_o(own_nack),
    .passed_o(passed)
  );

  assign ask_o = {4'd0, ask_reader, ask_new, ask_vc, ask_out_vc};
  assign ask_target_o = {3'd0, ask_target};
  assign group_ask_o[`LOOM_PORT_GROUP_ASK_PLACE] = {5'd0, group_place};

  // ---- The output -------------------------------------------------------------------------------

  wire [5:0] vc_limit;
  wire [5:0] cap;
  wire [4:0] next_vc;
  wire [BVCS-1:0] group_ready;
  wire [BVCS-1:0] group_alloc;
  wire [5:0] pending;
  wire [VCS-1:0] alloc;
  wire [LINKS-1:0] grant;
  wire [LINKS-1:0] reply_to;
  wire [5:0] reply;
  wire out_calm;
  wire reply_error;
  wire traffic_valid;
  wire traffic_head;
  wire traffic_tail;
  wire [4:0] traffic_vl;
  wire [63:0] traffic_data;

  loom_elite5_output #(
    .LINKS(LINKS),
    .VCS(VCS),
    .BVCS(BVCS),
    .POOL(POOL)
  ) u_output (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up),
    .vc_limit_i(vc_limit),
    .cap_i(cap),
    .threshold_i(settings_i[`LOOM_PORT_SETTINGS_THRESHOLD]),
    .out_cr_valid_i(out_back_i[`LOOM_PORT_BACK_CR_VALID]),
    .out_cr_vl_i(out_back_i[`LOOM_PORT_BACK_CR_VL]),
    .out_rep_valid_i(out_back_i[`LOOM_PORT_BACK_REP_VALID]),
    .out_rep_ack_i(out_back_i[`LOOM_PORT_BACK_REP_ACK]),
    .out_rep_vc_i(out_back_i[`LOOM_PORT_BACK_REP_VC]),
    .new_o(can_o[`LOOM_PORT_CAN_NEW]),
    .group_new_o(can_o[`LOOM_PORT_CAN_GROUP_NEW]),
    .under_o(can_o[`LOOM_PORT_CAN_UNDER]),
    .clear_o(can_o[`LOOM_PORT_CAN_CLEAR]),
    .free_o(can_o[`LOOM_PORT_CAN_FREE]),
    .next_vc_o(next_vc),
    .ok_o(can_o[`LOOM_PORT_CAN_OK]),
    .group_ready_o(group_ready),
    .group_alloc_o(group_alloc),
    .pending_o(pending),
    .alloc_o(alloc),
    .calm_o(out_calm),
    .request_i(request_i),
    .prio0_i(prio0_i),
    .prio1_i(prio1_i),
    .ask_i(ask_i),
    .grant_o(grant),
    .locked_i(locked),
    .locked_o(locked_o),
    .rd_done_i(rd_done_i),
    .rd_last_i(rd_last_i),
    .lock_o(lock_o),
    .word_valid_i(word_i[`LOOM_PORT_TAKEN_VALID]),
    .word_head_i(word_i[`LOOM_PORT_TAKEN_HEAD]),
    .word_tail_i(word_i[`LOOM_PORT_TAKEN_TAIL]),
    .word_data_i(word_i[`LOOM_PORT_TAKEN_DATA]),
    .traffic_valid_o(traffic_valid),
    .traffic_head_o(traffic_head),
    .traffic_tail_o(traffic_tail),
    .traffic_vl_o(traffic_vl),
    .traffic_data_o(traffic_data),
    .group_open_i(group_i[`LOOM_PORT_GROUP_ALLOC]),
    .group_vc_i(group_i[`LOOM_PORT_GROUP_VC]),
    .group_back_i(group_i[`LOOM_PORT_GROUP_BACK]),
    .reply_to_o(reply_to),
    .reply_o(reply),
    .reply_take_i(reply_take_i),
    .reply_error_o(reply_error)
  );

  assign can_o[`LOOM_PORT_CAN_NEXT_VC] = {3'd0, next_vc};
  assign can_o[`LOOM_PORT_CAN_PENDING] = {2'd0, pending};
  assign reply_o = {2'd0, reply};

  // ---- Lanes as wide as the top has them --------------------------------------------------------

  generate
    if (LINKS < 32) begin : g_pad_links
      assign group_ask_o[`LOOM_PORT_GROUP_ASK_MASK] = {{(32 - LINKS){1'b0}}, group_mask};
      assign request_o[31:LINKS] = {(32 - LINKS){1'b0}};
      assign grant_o[31:LINKS] = {(32 - LINKS){1'b0}};
      assign reply_take_o[31:LINKS] = {(32 - LINKS){1'b0}};
      assign reply_to_o[31:LINKS] = {(32 - LINKS){1'b0}};
    end else begin : g_links
      assign group_ask_o[`LOOM_PORT_GROUP_ASK_MASK] = group_mask;
    end
    if (BVCS < 8) begin : g_pad_group
      assign can_o[`LOOM_PORT_CAN_GROUP_READY] = {{(8 - BVCS){1'b0}}, group_ready};
      assign can_o[`LOOM_PORT_CAN_GROUP_ALLOC] = {{(8 - BVCS){1'b0}}, group_alloc};
    end else begin : g_group
      assign can_o[`LOOM_PORT_CAN_GROUP_READY] = group_ready;
      assign can_o[`LOOM_PORT_CAN_GROUP_ALLOC] = group_alloc;
    end
  endgenerate

  assign request_o[LINKS-1:0] = request;
  assign grant_o[LINKS-1:0] = grant;
  assign reply_take_o[LINKS-1:0] = reply_take;
  assign reply_to_o[LINKS-1:0] = reply_to;

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
  wire opening;
  wire unused_up_next;
  wire ctl_valid;
  wire ctl_head;
  wire [63:0] ctl_data;
  wire ctl_ok;
  wire sending;
  wire gen_valid;
  wire [63:0] gen_data;

  loom_elite5_training u_training (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .opening_i(opening),
    .in_valid_i(in_i[`LOOM_PORT_WORD_VALID]),
    .in_head_i(in_i[`LOOM_PORT_WORD_HEAD]),
    .in_data_i(in_i[`LOOM_PORT_WORD_DATA]),
    .ctl_valid_o(ctl_valid),
    .ctl_head_o(ctl_head),
    .ctl_data_o(ctl_data),
    .ctl_ok_o(ctl_ok),
    .sending_i(sending),
    .gen_valid_o(gen_valid),
    .gen_data_o(gen_data)
  );

  loom_elite5_link u_link (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .link_i({3'd0, number_i}),
    .signal_i(in_i[`LOOM_PORT_WORD_SIGNAL]),
    .ctl_valid_i(ctl_valid),
    .ctl_head_i(ctl_head),
    .ctl_data_i(ctl_data),
    .ctl_ok_i(ctl_ok),
    .sending_o(sending),
    .gen_valid_i(gen_valid),
    .gen_data_i(gen_data),
    .enable_i(enable),
    .quick_i(quick),
    .single_i(single),
    .check_i(check),
    .expected_i(expected),
    .settings_i(settings_i),
    .error_i(header_error || link_error),
    .calm_i(in_calm && out_calm),
    .traffic_valid_i(traffic_valid),
    .traffic_head_i(traffic_head),
    .traffic_tail_i(traffic_tail),
    .traffic_vl_i(traffic_vl),
    .traffic_data_i(traffic_data),
    .up_o(up_o),
    .up_next_o(unused_up_next),
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
  wire [37:0] trap_data;
  wire [1:0] lost;
  wire unused_some_lost;
  wire [31:0] rdata;
  wire [31:0] counted;

  loom_elite5_window #(
    .VCS(VCS)
  ) u_window (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(we_i),
    .re_i(re_i),
    .addr_i(access_i[`LOOM_PORT_ACCESS_ADDR]),
    .data_i(access_i[`LOOM_PORT_ACCESS_DATA]),
    .rdata_o(rdata),
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
    .taken_i(taken),
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
    .lost_o(lost),
    .some_lost_o(unused_some_lost)
  );

  loom_elite5_tally u_tally (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .count_i({passed, removed, 1'b0, reply_error, own_nack, nack, ack, traffic && traffic_tail,
              traffic, no_vc, link_error, header_error, packet, segment, word}),
    .lost_i(lost),
    .re_i(re_i),
    .addr_i(access_i[`LOOM_PORT_ACCESS_ADDR]),
    .rdata_o(counted)
  );

  assign rdata_o = rdata | counted;
  assign trap_data_o = {26'd0, trap_data};

endmodule

`default_nettype wire
