// SPDX-License-Identifier: Apache-2.0

// loom_elite5_router: the crosspoint router of QsNetIII: LINKS links with VCS virtual channels
//   each, packet-by-packet adaptive routing, acknowledgements along the reserved circuit, broadcast
//   with recombined replies.
//
// Contract: links as in docs/link.md and docs/elite5.md; registers one access a cycle. All outputs
//   are registers or gated registers.
// Algorithm: a loom_elite5_port a link. Inputs and outputs tell each other in masks over links what
//   they can do; two stages of arbitration give a segment of an input its output; replies go the
//   same way back.
// Latency: header in cycle c, header out in c+7; reply in c, reply out in c+3, unloaded.
// Wait bound: round robin in both stages inside a priority; broadcasts get their VCs in turn;
//   replies wait for nothing but each other.
// Parameters: LINKS (2..32), VCS (virtual channels, 2..32), BVCS (of them for broadcasts, 1..8, <
//   VCS), POOL (segment buffers of a link beyond one for each VC, 0..32), DESTS (16..65536),
//   CLASSES (1..4096), GROUPS (1..1024).
// Realises: E5-01, E5-03..13, E5-17..25, E5-28..31, E5-33, E5-35, E5-36, E5-39; probes up, locked,
//   bsel, time.
// Page: docs/elite5.md, section elite5_router.
`default_nettype none
`include "loom_elite5_port.vh"
`include "loom_regs.vh"

module loom_elite5_router #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer POOL    = 16,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256
) (
  input  wire                clk_i,
  input  wire                rst_i,

  // Links.
  input  wire [LINKS-1:0]    in_valid_i,
  input  wire [LINKS-1:0]    in_head_i,
  input  wire [LINKS-1:0]    in_tail_i,
  input  wire [LINKS*5-1:0]  in_vl_i,
  input  wire [LINKS*64-1:0] in_data_i,
  output wire [LINKS-1:0]    in_cr_valid_o,
  output wire [LINKS*5-1:0]  in_cr_vl_o,
  output wire [LINKS-1:0]    in_rep_valid_o,
  output wire [LINKS-1:0]    in_rep_ack_o,
  output wire [LINKS*5-1:0]  in_rep_vc_o,
  input  wire [LINKS-1:0]    in_signal_i,
  output wire [LINKS-1:0]    out_valid_o,
  output wire [LINKS-1:0]    out_head_o,
  output wire [LINKS-1:0]    out_tail_o,
  output wire [LINKS*5-1:0]  out_vl_o,
  output wire [LINKS*64-1:0] out_data_o,
  input  wire [LINKS-1:0]    out_cr_valid_i,
  input  wire [LINKS*5-1:0]  out_cr_vl_i,
  input  wire [LINKS-1:0]    out_rep_valid_i,
  input  wire [LINKS-1:0]    out_rep_ack_i,
  input  wire [LINKS*5-1:0]  out_rep_vc_i,
  output wire [LINKS-1:0]    out_signal_o,

  // The register bus.
  input  wire                reg_we_i,
  input  wire                reg_re_i,
  input  wire [19:0]         reg_addr_i,
  input  wire [31:0]         reg_wdata_i,
  output wire                reg_rvalid_o,
  output wire [31:0]         reg_rdata_o,
  output wire                trap_o
);

  generate
    if (LINKS < 2 || LINKS > 32) begin : g_bad_links
      loom_elite5_router_LINKS_must_be_2_to_32 u_error ();
    end
    if (VCS < 2 || VCS > 32) begin : g_bad_vcs
      loom_elite5_router_VCS_must_be_2_to_32 u_error ();
    end
    if (BVCS < 1 || BVCS > 8) begin : g_bad_bvcs
      loom_elite5_router_BVCS_must_be_1_to_8 u_error ();
    end
    if (BVCS >= VCS) begin : g_bad_bvcs_of_vcs
      loom_elite5_router_BVCS_must_be_below_VCS u_error ();
    end
    if (POOL < 0 || POOL > 32) begin : g_bad_pool
      loom_elite5_router_POOL_must_be_0_to_32 u_error ();
    end
    if (DESTS < 16 || DESTS > 65536) begin : g_bad_dests
      loom_elite5_router_DESTS_must_be_16_to_65536 u_error ();
    end
    if (CLASSES < 1 || CLASSES > 4096) begin : g_bad_classes
      loom_elite5_router_CLASSES_must_be_1_to_4096 u_error ();
    end
    if (GROUPS < 1 || GROUPS > 1024) begin : g_bad_groups
      loom_elite5_router_GROUPS_must_be_1_to_1024 u_error ();
    end
  endgenerate

  localparam integer LW   = $clog2(LINKS);
  localparam integer BASE = VCS - BVCS;         // the first VC of the broadcast class
  localparam [4:0] BASE_C = BASE[4:0];

  // What the probes show; the links themselves hold what up_q shows.
  reg [LINKS-1:0] up_q;
  reg [LINKS-1:0] locked_q;
  reg bsel_q;
  reg [13:0] time_q;

  // ---- Registers and tables ---------------------------------------------------------------------

  wire [`LOOM_PORT_ACCESS_W-1:0] access;
  wire [LINKS-1:0] link_we;
  wire [LINKS-1:0] link_re;
  wire [LINKS*32-1:0] link_rdata;
  wire [`LOOM_PORT_SETTINGS_W-1:0] settings;
  wire time_we;
  wire [31:0] data = access[`LOOM_PORT_ACCESS_DATA];
  wire [13:0] time_data = data[13:0];
  wire unused_data = &{1'b0, data};
  wire [LINKS-1:0] up;
  wire [LINKS-1:0] trap_valid;
  wire [LINKS*64-1:0] trap_data;
  wire [LINKS-1:0] trap_move;
  wire [43:0] trap_word;
  wire [4:0] trap_count;
  wire trap_pop;
  wire [53:0] bus;
  wire unused_bus = &{1'b0, bus};

  loom_elite5_registers #(
    .LINKS(LINKS),
    .VCS(VCS),
    .DESTS(DESTS),
    .CLASSES(CLASSES),
    .GROUPS(GROUPS),
    .DEVICE(`LOOM_DEVICE_ID_ELITE5_ROUTER)
  ) u_registers (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .reg_we_i(reg_we_i),
    .reg_re_i(reg_re_i),
    .reg_addr_i(reg_addr_i),
    .reg_wdata_i(reg_wdata_i),
    .reg_rvalid_o(reg_rvalid_o),
    .reg_rdata_o(reg_rdata_o),
    .bus_o(bus),
    .access_o(access),
    .link_we_o(link_we),
    .link_re_o(link_re),
    .link_rdata_i(link_rdata),
    .settings_o(settings),
    .time_i(time_q),
    .time_we_o(time_we),
    .up_i(up_q),
    .trap_valid_i(trap_o),
    .trap_word_i(trap_word),
    .trap_count_i(trap_count),
    .trap_pop_o(trap_pop)
  );

  loom_elite5_traps #(
    .LINKS(LINKS)
  ) u_traps (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .trap_valid_i(trap_valid),
    .trap_data_i(trap_data),
    .trap_move_o(trap_move),
    .pop_i(trap_pop),
    .valid_o(trap_o),
    .word_o(trap_word),
    .count_o(trap_count)
  );

  // ---- Between inputs and outputs ---------------------------------------------------------------

  // What each output can do.
  wire [LINKS-1:0] fresh;
  wire [LINKS-1:0] group_new;
  wire [LINKS-1:0] under;
  wire [LINKS-1:0] clear;
  wire [LINKS-1:0] free;
  wire [LINKS*8-1:0] next_vc;
  wire [LINKS*32-1:0] ok;
  wire [LINKS*8-1:0] pending;
  wire [LINKS*8-1:0] ready_of;                  // of the VCs of the broadcast class
  wire [LINKS*8-1:0] alloc_of;

  // The same by bit and by VC.
  reg [6*LINKS-1:0] pending_bits;
  reg [255:0] group_ready;
  reg [BVCS*32-1:0] group_alloc;
  integer i;
  integer k;

  always @* begin
    for (k = 0; k < 6; k = k + 1) begin
      for (i = 0; i < LINKS; i = i + 1) pending_bits[k*LINKS+i] = pending[i*8+k];
    end
  end

  always @* begin
    group_ready = 256'd0;
    for (k = 0; k < BVCS; k = k + 1) begin
      for (i = 0; i < LINKS; i = i + 1) group_ready[k*32+i] = ready_of[i*8+k];
    end
  end

  always @* begin
    group_alloc = {BVCS{32'd0}};
    for (k = 0; k < BVCS; k = k + 1) begin
      for (i = 0; i < LINKS; i = i + 1) group_alloc[k*32+i] = alloc_of[i*8+k];
    end
  end

  // What each input asks for and what it reads. A square of bits has 32 for each link.
  wire [1023:0] request;                        // by input: the outputs
  wire [1023:0] request_to;                     // by output: the inputs
  wire [LINKS-1:0] prio0;
  wire [LINKS-1:0] prio1;
  wire [LINKS*16-1:0] ask;
  wire [LINKS*8-1:0] ask_target;
  wire [1023:0] grant;                          // by output: the inputs
  wire [1023:0] grant_to;                       // by input: the outputs
  wire [LINKS-1:0] locked;
  wire [LINKS*8-1:0] lock;
  wire [2*LINKS-1:0] rd_done;
  wire [2*LINKS-1:0] rd_last;
  wire [2*LINKS-1:0] rd_valid;
  wire [2*LINKS-1:0] rd_head;
  wire [2*LINKS-1:0] rd_tail;
  wire [LINKS*128-1:0] rd_data;

  // The words that each output reads.
  wire [LINKS-1:0] word_valid;
  wire [LINKS-1:0] word_head;
  wire [LINKS-1:0] word_tail;
  wire [LINKS*64-1:0] word_data;

  loom_elite5_crosspoint #(
    .LINKS(LINKS)
  ) u_crosspoint (
    .lock_i(lock),
    .rd_valid_i(rd_valid),
    .rd_head_i(rd_head),
    .rd_tail_i(rd_tail),
    .rd_data_i(rd_data),
    .valid_o(word_valid),
    .head_o(word_head),
    .tail_o(word_tail),
    .data_o(word_data)
  );

  // Replies.
  wire [1023:0] reply_to;                       // by output: the input
  wire [1023:0] reply_valid;                    // by input: the outputs
  wire [LINKS*8-1:0] reply;
  wire [LINKS*32-1:0] reply_take_of;            // by each input
  reg [LINKS-1:0] reply_take;
  integer j;

  always @* begin
    reply_take = {LINKS{1'b0}};
    for (j = 0; j < LINKS; j = j + 1) reply_take = reply_take | reply_take_of[j*32 +: LINKS];
  end

  loom_elite5_transpose u_requests (
    .rows_i(request),
    .rows_o(request_to)
  );

  loom_elite5_transpose u_grants (
    .rows_i(grant),
    .rows_o(grant_to)
  );

  loom_elite5_transpose u_reply_to (
    .rows_i(reply_to),
    .rows_o(reply_valid)
  );

  // The links of the broadcast that gets its VCs.
  wire [LINKS-1:0] group_live;
  wire [31:0] group_live_32;

  generate
    if (LINKS < 32) begin : g_no_link
      assign request[1023:LINKS*32] = {(1024 - LINKS * 32){1'b0}};
      assign grant[1023:LINKS*32] = {(1024 - LINKS * 32){1'b0}};
      assign reply_to[1023:LINKS*32] = {(1024 - LINKS * 32){1'b0}};
      assign group_live_32 = {{(32 - LINKS){1'b0}}, group_live};
    end else begin : g_all_links
      assign group_live_32 = group_live;
    end
  endgenerate

  wire unused = &{1'b0, request_to, grant_to, reply_valid, next_vc, ask_target};

  // ---- Broadcasts -------------------------------------------------------------------------------

  wire [LINKS-1:0] group_wait;
  wire [LINKS*8-1:0] group_place_of;
  wire [LINKS*32-1:0] group_mask_of;
  wire [LINKS-1:0] group_all;
  wire bsel;
  wire group_open;
  wire group_sink;
  wire [LINKS-1:0] group_in;
  wire [4:0] group_index;
  wire [2:0] group_place;
  wire [2:0] group_vc;
  wire [5:0] group_left;
  wire group_nacked;
  wire [LINKS-1:0] group_pick;
  wire [LINKS-1:0] group_open_in = group_open ? group_in : {LINKS{1'b0}};
  wire [LINKS-1:0] group_sink_in = group_sink ? group_in : {LINKS{1'b0}};
  wire [LINKS-1:0] group_open_out = group_open ? group_live : {LINKS{1'b0}};
  wire [9:0] group_back = {group_index, BASE_C + {2'd0, group_place}};

  loom_elite5_broadcast #(
    .LINKS(LINKS),
    .BVCS(BVCS)
  ) u_broadcast (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up_q),
    .wait_i(group_wait),
    .place_i(group_place_of),
    .mask_i(group_mask_of),
    .all_i(group_all),
    .alloc_i(group_alloc),
    .sel_i(bsel_q),
    .pick_o(group_pick),
    .sel_o(bsel),
    .open_o(group_open),
    .sink_o(group_sink),
    .in_o(group_in),
    .in_index_o(group_index),
    .place_o(group_place),
    .vc_o(group_vc),
    .live_o(group_live),
    .left_o(group_left),
    .nacked_o(group_nacked)
  );

  // ---- The links --------------------------------------------------------------------------------

  generate
    genvar l;
    for (l = 0; l < LINKS; l = l + 1) begin : g_link
      localparam [4:0] NUMBER = l;
      wire [LW-1:0] target = ask_target[l*8 +: LW];

      // The link.
      wire [`LOOM_PORT_WORD_W-1:0] in;
      wire [`LOOM_PORT_WORD_W-1:0] out;
      wire [`LOOM_PORT_BACK_W-1:0] in_back;
      wire [`LOOM_PORT_BACK_W-1:0] out_back;

      assign in[`LOOM_PORT_WORD_VALID] = in_valid_i[l];
      assign in[`LOOM_PORT_WORD_HEAD] = in_head_i[l];
      assign in[`LOOM_PORT_WORD_TAIL] = in_tail_i[l];
      assign in[`LOOM_PORT_WORD_VL] = in_vl_i[l*5 +: 5];
      assign in[`LOOM_PORT_WORD_DATA] = in_data_i[l*64 +: 64];
      assign in[`LOOM_PORT_WORD_SIGNAL] = in_signal_i[l];
      assign in_cr_valid_o[l] = in_back[`LOOM_PORT_BACK_CR_VALID];
      assign in_cr_vl_o[l*5 +: 5] = in_back[`LOOM_PORT_BACK_CR_VL];
      assign in_rep_valid_o[l] = in_back[`LOOM_PORT_BACK_REP_VALID];
      assign in_rep_ack_o[l] = in_back[`LOOM_PORT_BACK_REP_ACK];
      assign in_rep_vc_o[l*5 +: 5] = in_back[`LOOM_PORT_BACK_REP_VC];
      assign out_valid_o[l] = out[`LOOM_PORT_WORD_VALID];
      assign out_head_o[l] = out[`LOOM_PORT_WORD_HEAD];
      assign out_tail_o[l] = out[`LOOM_PORT_WORD_TAIL];
      assign out_vl_o[l*5 +: 5] = out[`LOOM_PORT_WORD_VL];
      assign out_data_o[l*64 +: 64] = out[`LOOM_PORT_WORD_DATA];
      assign out_signal_o[l] = out[`LOOM_PORT_WORD_SIGNAL];
      assign out_back[`LOOM_PORT_BACK_CR_VALID] = out_cr_valid_i[l];
      assign out_back[`LOOM_PORT_BACK_CR_VL] = out_cr_vl_i[l*5 +: 5];
      assign out_back[`LOOM_PORT_BACK_REP_VALID] = out_rep_valid_i[l];
      assign out_back[`LOOM_PORT_BACK_REP_ACK] = out_rep_ack_i[l];
      assign out_back[`LOOM_PORT_BACK_REP_VC] = out_rep_vc_i[l*5 +: 5];

      // Between the links.
      wire [`LOOM_PORT_CAN_W-1:0] can;
      wire [`LOOM_PORT_READ_W-1:0] read;
      wire [`LOOM_PORT_TAKEN_W-1:0] word;
      wire [`LOOM_PORT_GROUP_ASK_W-1:0] group_ask;
      wire [`LOOM_PORT_GROUP_W-1:0] group;

      assign fresh[l] = can[`LOOM_PORT_CAN_NEW];
      assign group_new[l] = can[`LOOM_PORT_CAN_GROUP_NEW];
      assign under[l] = can[`LOOM_PORT_CAN_UNDER];
      assign free[l] = can[`LOOM_PORT_CAN_FREE];
      assign clear[l] = can[`LOOM_PORT_CAN_CLEAR];
      assign ok[l*32 +: 32] = can[`LOOM_PORT_CAN_OK];
      assign ready_of[l*8 +: 8] = can[`LOOM_PORT_CAN_GROUP_READY];
      assign alloc_of[l*8 +: 8] = can[`LOOM_PORT_CAN_GROUP_ALLOC];
      assign next_vc[l*8 +: 8] = can[`LOOM_PORT_CAN_NEXT_VC];
      assign pending[l*8 +: 8] = can[`LOOM_PORT_CAN_PENDING];
      assign rd_valid[l*2 +: 2] = read[`LOOM_PORT_READ_VALID];
      assign rd_head[l*2 +: 2] = read[`LOOM_PORT_READ_HEAD];
      assign rd_tail[l*2 +: 2] = read[`LOOM_PORT_READ_TAIL];
      assign rd_data[l*128 +: 128] = read[`LOOM_PORT_READ_DATA];
      assign word[`LOOM_PORT_TAKEN_VALID] = word_valid[l];
      assign word[`LOOM_PORT_TAKEN_HEAD] = word_head[l];
      assign word[`LOOM_PORT_TAKEN_TAIL] = word_tail[l];
      assign word[`LOOM_PORT_TAKEN_DATA] = word_data[l*64 +: 64];
      assign group_wait[l] = group_ask[`LOOM_PORT_GROUP_ASK_WAIT];
      assign group_all[l] = group_ask[`LOOM_PORT_GROUP_ASK_ALL];
      assign group_place_of[l*8 +: 8] = group_ask[`LOOM_PORT_GROUP_ASK_PLACE];
      assign group_mask_of[l*32 +: 32] = group_ask[`LOOM_PORT_GROUP_ASK_MASK];
      assign group[`LOOM_PORT_GROUP_PICK] = group_pick[l];
      assign group[`LOOM_PORT_GROUP_OPEN] = group_open_in[l];
      assign group[`LOOM_PORT_GROUP_SINK] = group_sink_in[l];
      assign group[`LOOM_PORT_GROUP_ALLOC] = group_open_out[l];
      assign group[`LOOM_PORT_GROUP_PLACE] = group_place;
      assign group[`LOOM_PORT_GROUP_VC] = group_vc;
      assign group[`LOOM_PORT_GROUP_BACK] = group_back;
      assign group[`LOOM_PORT_GROUP_LIVE] = group_live_32;
      assign group[`LOOM_PORT_GROUP_LEFT] = group_left;
      assign group[`LOOM_PORT_GROUP_NACKED] = group_nacked;

      loom_elite5_port #(
        .LINKS(LINKS),
        .VCS(VCS),
        .BVCS(BVCS),
        .POOL(POOL),
        .DESTS(DESTS),
        .CLASSES(CLASSES),
        .GROUPS(GROUPS)
      ) u_port (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .number_i(NUMBER),
        .in_i(in),
        .in_back_o(in_back),
        .out_o(out),
        .out_back_i(out_back),
        .we_i(link_we[l]),
        .re_i(link_re[l]),
        .access_i(access),
        .rdata_o(link_rdata[l*32 +: 32]),
        .settings_i(settings),
        .up_i(up_q),
        .new_i(fresh),
        .group_new_i(group_new),
        .under_i(under),
        .busy_i(locked_q),
        .pending_i(pending_bits),
        .free_i(free),
        .clear_i(clear),
        .group_ready_i(group_ready),
        .up_o(up[l]),
        .can_o(can),
        .request_i(request_to[l*32 +: LINKS]),
        .prio0_i(prio0),
        .prio1_i(prio1),
        .ask_i(ask),
        .grant_i(grant_to[l*32 +: LINKS]),
        .rd_done_i(rd_done),
        .rd_last_i(rd_last),
        .request_o(request[l*32 +: 32]),
        .prio0_o(prio0[l]),
        .prio1_o(prio1[l]),
        .ask_o(ask[l*16 +: 16]),
        .ask_target_o(ask_target[l*8 +: 8]),
        .ask_ok_i(ok[{target, ask[l*16 +: 5]}]),
        .ask_next_vc_i(next_vc[{target, 3'd0} +: 5]),
        .grant_o(grant[l*32 +: 32]),
        .locked_o(locked[l]),
        .lock_o(lock[l*8 +: 8]),
        .word_i(word),
        .rd_done_o(rd_done[l*2 +: 2]),
        .rd_last_o(rd_last[l*2 +: 2]),
        .read_o(read),
        .group_ask_o(group_ask),
        .group_i(group),
        .reply_valid_i(reply_valid[l*32 +: LINKS]),
        .reply_i(reply),
        .reply_take_o(reply_take_of[l*32 +: 32]),
        .reply_to_o(reply_to[l*32 +: 32]),
        .reply_o(reply[l*8 +: 8]),
        .reply_take_i(reply_take[l]),
        .trap_valid_o(trap_valid[l]),
        .trap_data_o(trap_data[l*64 +: 64]),
        .trap_move_i(trap_move[l])
      );
    end
  endgenerate

  // ---- The registers of the top -----------------------------------------------------------------

  always @* up_q = up;

  always @(posedge clk_i) begin
    if (rst_i) begin
      locked_q <= {LINKS{1'b0}};
      bsel_q <= 1'b0;
      time_q <= 14'd0;
    end else begin
      locked_q <= locked;
      bsel_q <= bsel;
      time_q <= time_we ? time_data : time_q + 14'd1;
    end
  end

endmodule

`default_nettype wire
