// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_router: the crosspoint router of QsNetIII, second edition, for the clock of an
//   FPGA: LINKS links with VCS virtual channels each, packet-by-packet adaptive routing,
//   acknowledgements along the reserved circuit, broadcast with recombined replies.
//
// Contract: links as in docs/link.md and docs/elite5.md; registers one access a cycle. All outputs
//   are registers or gated registers.
// Algorithm: a loom_crosspoint_port a link; every stage ends in registers. A link is chosen for
//   each packet by what was known of links one cycle earlier; each input then has one request at a
//   time, which an output grants; what is taken is looked at in the stage of the grant alone.
// Latency: header in cycle c, header out in c + 8 + PIPE; reply in c, reply out in c + 4, unloaded;
//   data of a read LINKS + 3 cycles after it.
// Wait bound: round robin among inputs and VCs inside a priority, and a VC in turn that goes first;
//   broadcasts get their VCs in turn; replies wait for nothing but each other.
// Parameters: LINKS (2..32), VCS (virtual channels, 2..32), BVCS (of them for broadcasts, 1..8, <
//   VCS), POOL (segment buffers of a link beyond one for each VC, 0..32), DESTS (16..65536),
//   CLASSES (1..4096), GROUPS (1..1024), PIPE (registers more on the way of a segment, 0..4).
// Realises: E5-01, E5-03..13, E5-17..25, E5-28..31, E5-33, E5-35, E5-36, E5-39; probes up, locked,
//   bsel, time.
// Page: docs/crosspoint_router.md
`default_nettype none
`include "loom_elite5_port.vh"
`include "loom_regs.vh"

module loom_crosspoint_router #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer POOL    = 16,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256,
  parameter integer PIPE    = 0
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
      loom_crosspoint_router_LINKS_must_be_2_to_32 u_error ();
    end
    if (VCS < 2 || VCS > 32) begin : g_bad_vcs
      loom_crosspoint_router_VCS_must_be_2_to_32 u_error ();
    end
    if (BVCS < 1 || BVCS > 8) begin : g_bad_bvcs
      loom_crosspoint_router_BVCS_must_be_1_to_8 u_error ();
    end
    if (BVCS >= VCS) begin : g_bad_bvcs_of_vcs
      loom_crosspoint_router_BVCS_must_be_below_VCS u_error ();
    end
    if (POOL < 0 || POOL > 32) begin : g_bad_pool
      loom_crosspoint_router_POOL_must_be_0_to_32 u_error ();
    end
    if (DESTS < 16 || DESTS > 65536) begin : g_bad_dests
      loom_crosspoint_router_DESTS_must_be_16_to_65536 u_error ();
    end
    if (CLASSES < 1 || CLASSES > 4096) begin : g_bad_classes
      loom_crosspoint_router_CLASSES_must_be_1_to_4096 u_error ();
    end
    if (GROUPS < 1 || GROUPS > 1024) begin : g_bad_groups
      loom_crosspoint_router_GROUPS_must_be_1_to_1024 u_error ();
    end
    if (PIPE < 0 || PIPE > 4) begin : g_bad_pipe
      loom_crosspoint_router_PIPE_must_be_0_to_4 u_error ();
    end
  endgenerate

  localparam integer BASE = VCS - BVCS;         // the first VC of the broadcast class
  localparam [4:0] BASE_C = BASE[4:0];

  // What the probes show; other modules hold what up_q, locked_q and bsel_q show.
  wire [LINKS-1:0] up_q;
  wire [LINKS-1:0] locked_q;
  wire bsel_q;
  reg [13:0] time_q;

  // ---- Registers, tables, traps -----------------------------------------------------------------

  wire [53:0] bus_0;
  wire [`LOOM_PORT_ACCESS_W-1:0] access;
  wire [`LOOM_PORT_SETTINGS_W-1:0] settings;
  wire time_we;
  wire trap_pop;
  wire [43:0] trap_word;
  wire [4:0] trap_count;
  wire [LINKS-1:0] trap_valid;
  wire [LINKS*64-1:0] trap_data;
  wire [LINKS-1:0] trap_move;
  wire [LINKS-1:0] unused_link_we;
  wire [LINKS-1:0] unused_link_re;
  wire rvalid;
  wire [31:0] rdata;
  wire [31:0] data = bus_0[31:0];

  loom_elite5_registers #(
    .LINKS(LINKS),
    .VCS(VCS),
    .DESTS(DESTS),
    .CLASSES(CLASSES),
    .GROUPS(GROUPS),
    .DEVICE(`LOOM_DEVICE_ID_CROSSPOINT_ROUTER)
  ) u_registers (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .reg_we_i(reg_we_i),
    .reg_re_i(reg_re_i),
    .reg_addr_i(reg_addr_i),
    .reg_wdata_i(reg_wdata_i),
    .reg_rvalid_o(rvalid),
    .reg_rdata_o(rdata),
    .bus_o(bus_0),
    .access_o(access),
    .link_we_o(unused_link_we),
    .link_re_o(unused_link_re),
    .link_rdata_i({(LINKS * 32){1'b0}}),
    .settings_o(settings),
    .time_i(time_q),
    .time_we_o(time_we),
    .up_i(up_q),
    .trap_valid_i(trap_o),
    .trap_word_i(trap_word),
    .trap_count_i(trap_count),
    .trap_pop_o(trap_pop)
  );

  loom_crosspoint_traps #(
    .LINKS(LINKS)
  ) u_traps (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .trap_valid_i(trap_valid),
    .trap_data_i(trap_data),
    .move_o(trap_move),
    .pop_i(trap_pop),
    .valid_o(trap_o),
    .word_o(trap_word),
    .count_o(trap_count)
  );

  // All units see writes to the tables and settings one cycle later, but for the time; so does the
  // end of a window of errors, which a write to WINDOW calls off.
  wire window_we = bus_0[53] && bus_0[51:32] == `LOOM_ELITE5_REG_WINDOW;
  reg [`LOOM_PORT_ACCESS_W-1:0] access_q;
  reg [`LOOM_PORT_SETTINGS_W-1:0] settings_q;
  reg [`LOOM_PORT_SETTINGS_W-1:0] settings_now;

  always @(posedge clk_i) begin
    access_q <= access;
    settings_q <= settings;
    settings_q[`LOOM_PORT_SETTINGS_WINDOW_END] <= settings[`LOOM_PORT_SETTINGS_WINDOW_END]
                                                  && !window_we;
    if (rst_i) begin
      access_q[`LOOM_PORT_ACCESS_DEST_WE] <= 1'b0;
      access_q[`LOOM_PORT_ACCESS_MASK_WE] <= 1'b0;
      settings_q[`LOOM_PORT_SETTINGS_WINDOW_END] <= 1'b0;
      time_q <= 14'd0;
    end else begin
      time_q <= time_we ? data[13:0] : time_q + 14'd1;
    end
  end

  always @* begin
    settings_now = settings_q;
    settings_now[`LOOM_PORT_SETTINGS_TIME] = time_q;
  end

  // ---- The bus goes from link to link, and so do the answers ------------------------------------

  wire [LINKS*54-1:0] bus;                      // the access at each link
  wire [LINKS*32-1:0] link_rdata;
  reg [LINKS-1:0] rvalid_q;
  reg [LINKS*32-1:0] rdata_q;

  assign bus[53:0] = bus_0;

  genvar a;
  generate
    for (a = 1; a < LINKS; a = a + 1) begin : g_bus
      reg [53:0] bus_q;

      always @(posedge clk_i) begin
        if (rst_i) bus_q <= 54'd0;
        else bus_q <= bus[(a-1)*54 +: 54];
      end

      assign bus[a*54 +: 54] = bus_q;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (rst_i) begin
      rvalid_q <= {LINKS{1'b0}};
      rdata_q <= {(LINKS * 32){1'b0}};
    end else begin
      rvalid_q <= {rvalid_q[LINKS-2:0], rvalid};
      rdata_q <= {rdata_q[(LINKS-1)*32-1:0], rdata} | link_rdata;
    end
  end

  assign reg_rvalid_o = rvalid_q[LINKS-1];
  assign reg_rdata_o = rdata_q[(LINKS-1)*32 +: 32];

  // ---- Between inputs and outputs ---------------------------------------------------------------

  // What each output says.
  wire [LINKS-1:0] near;
  wire [LINKS-1:0] fresh;
  wire [LINKS-1:0] group_new;
  wire [LINKS-1:0] spare;
  wire [LINKS-1:0] wake;
  wire [LINKS*32-1:0] able;
  wire [LINKS*32-1:0] crowd;
  wire [LINKS*8-1:0] lock_w;
  wire [LINKS*8-1:0] pending;
  wire [LINKS*8-1:0] alloc_of;                  // of the VCs of the broadcast class

  // The order of links.
  wire [LINKS*32-1:0] less;
  wire [LINKS-1:0] light;
  wire [(2*LINKS-1)*64-1:0] draw;

  loom_crosspoint_order #(
    .LINKS(LINKS)
  ) u_order (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .pending_i(pending),
    .locked_i(locked_q),
    .threshold_i(settings_now[`LOOM_PORT_SETTINGS_THRESHOLD]),
    .activity_i(settings_now[`LOOM_PORT_SETTINGS_ACTIVITY]),
    .random_i(settings_now[`LOOM_PORT_SETTINGS_MODE] == 2'd2),
    .seed_we_i(settings[`LOOM_PORT_SETTINGS_SEED_WE]),
    .seed_i(data),
    .less_o(less),
    .light_o(light),
    .draw_o(draw)
  );

  // What each input asks for and what it reads. A square of bits has 32 for each link.
  wire [1023:0] want;                           // by input: the outputs
  wire [1023:0] want_to;                        // by output: the inputs
  wire [1023:0] grant;                          // by output: the inputs
  wire [1023:0] grant_to;                       // by input: the outputs
  wire [LINKS-1:0] prio0;
  wire [LINKS-1:0] prio1;
  wire [LINKS*16-1:0] ask;
  wire [LINKS-1:0] any;                         // outputs that grant somebody
  wire [LINKS-1:0] done;
  wire [LINKS-1:0] done_tail;
  wire [LINKS-1:0] early;
  wire [2*LINKS-1:0] soon;
  wire [LINKS*8-1:0] lane;
  wire [2*LINKS-1:0] rd_valid;
  wire [2*LINKS-1:0] rd_head;
  wire [2*LINKS-1:0] rd_tail;
  wire [LINKS*128-1:0] rd_data;

  // The words that each output gets.
  wire [LINKS-1:0] word_valid;
  wire [LINKS-1:0] word_head;
  wire [LINKS-1:0] word_tail;
  wire [LINKS*64-1:0] word_data;

  loom_elite5_crosspoint #(
    .LINKS(LINKS)
  ) u_crosspoint (
    .lock_i(lane),
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
  wire [1023:0] due_to;                         // by output: the input
  wire [1023:0] due_for;                        // by input: the outputs
  wire [LINKS*8-1:0] due;
  wire [LINKS*32-1:0] chosen;                   // by each input: an output
  reg [LINKS-1:0] gone;
  reg [BVCS*32-1:0] group_alloc;
  integer i;
  integer k;

  always @* begin
    gone = {LINKS{1'b0}};
    for (i = 0; i < LINKS; i = i + 1) gone = gone | chosen[i*32 +: LINKS];
  end

  always @* begin
    group_alloc = {BVCS{32'd0}};
    for (k = 0; k < BVCS; k = k + 1) begin
      for (i = 0; i < LINKS; i = i + 1) group_alloc[k*32+i] = alloc_of[i*8+k];
    end
  end

  loom_elite5_transpose u_wants (
    .rows_i(want),
    .rows_o(want_to)
  );

  loom_elite5_transpose u_grants (
    .rows_i(grant),
    .rows_o(grant_to)
  );

  loom_elite5_transpose u_due_to (
    .rows_i(due_to),
    .rows_o(due_for)
  );

  // The links of the broadcast that gets its VCs.
  wire [LINKS-1:0] group_live;
  wire [31:0] group_live_32;

  generate
    if (LINKS < 32) begin : g_no_link
      assign want[1023:LINKS*32] = {(1024 - LINKS * 32){1'b0}};
      assign grant[1023:LINKS*32] = {(1024 - LINKS * 32){1'b0}};
      assign due_to[1023:LINKS*32] = {(1024 - LINKS * 32){1'b0}};
      assign group_live_32 = {{(32 - LINKS){1'b0}}, group_live};
    end else begin : g_all_links
      assign group_live_32 = group_live;
    end
  endgenerate

  wire unused = &{1'b0, want_to, grant_to, due_for, alloc_of, chosen, draw, settings_q,
                 bsel_q};

  // ---- Broadcasts -------------------------------------------------------------------------------

  wire [LINKS-1:0] group_wait;
  wire [LINKS*8-1:0] group_place_of;
  wire [LINKS*32-1:0] group_mask_of;
  wire [LINKS-1:0] group_all;
  wire group_open;
  wire group_sink;
  wire [LINKS-1:0] group_in;
  wire [4:0] group_index;
  wire [2:0] group_place;
  wire [2:0] group_vc;
  wire [5:0] group_left;
  wire group_nacked;
  wire [LINKS-1:0] group_at;
  wire [LINKS-1:0] group_open_in = group_open ? group_in : {LINKS{1'b0}};
  wire [LINKS-1:0] group_sink_in = group_sink ? group_in : {LINKS{1'b0}};
  wire [LINKS-1:0] group_open_out = group_open ? group_live : {LINKS{1'b0}};
  wire [9:0] group_back = {group_index, BASE_C + {2'd0, group_place}};

  loom_crosspoint_bsel #(
    .LINKS(LINKS),
    .BVCS(BVCS)
  ) u_bsel (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .up_i(up_q),
    .wait_i(group_wait),
    .place_i(group_place_of),
    .mask_i(group_mask_of),
    .all_i(group_all),
    .alloc_i(group_alloc),
    .at_o(group_at),
    .ask_o(bsel_q),
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

  // ---- Words of the test: one generator for all links -------------------------------------------

  wire [LINKS-1:0] draws;
  wire unused_test_valid;
  wire [63:0] test;

  loom_prbs31_gen u_test (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .load_i(1'b0),
    .seed_i(31'd0),
    .enable_i(draws != {LINKS{1'b0}}),
    .valid_o(unused_test_valid),
    .data_o(test)
  );

  // ---- The links --------------------------------------------------------------------------------

  generate
    genvar l;
    genvar o;
    for (l = 0; l < LINKS; l = l + 1) begin : g_link
      localparam [4:0] NUMBER = l;

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
      wire [LINKS*32-1:0] draw_of;              // for each link those below that come before it
      wire [`LOOM_PORT_READ_W-1:0] read;
      wire [`LOOM_PORT_TAKEN_W-1:0] word;
      wire [`LOOM_PORT_GROUP_ASK_W-1:0] group_ask;
      wire [`LOOM_PORT_GROUP_W-1:0] group;

      for (o = 0; o < LINKS; o = o + 1) begin : g_draw
        if (LINKS < 32) begin : g_pad
          assign draw_of[o*32 +: 32] = {{(32 - LINKS){1'b0}}, draw[(l+o)*64+l +: LINKS]};
        end else begin : g_full
          assign draw_of[o*32 +: 32] = draw[(l+o)*64+l +: 32];
        end
      end

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
      assign group[`LOOM_PORT_GROUP_PICK] = group_at[l];
      assign group[`LOOM_PORT_GROUP_OPEN] = group_open_in[l];
      assign group[`LOOM_PORT_GROUP_SINK] = group_sink_in[l];
      assign group[`LOOM_PORT_GROUP_ALLOC] = group_open_out[l];
      assign group[`LOOM_PORT_GROUP_PLACE] = group_place;
      assign group[`LOOM_PORT_GROUP_VC] = group_vc;
      assign group[`LOOM_PORT_GROUP_BACK] = group_back;
      assign group[`LOOM_PORT_GROUP_LIVE] = group_live_32;
      assign group[`LOOM_PORT_GROUP_LEFT] = group_left;
      assign group[`LOOM_PORT_GROUP_NACKED] = group_nacked;

      loom_crosspoint_port #(
        .LINKS(LINKS),
        .VCS(VCS),
        .BVCS(BVCS),
        .POOL(POOL),
        .DESTS(DESTS),
        .CLASSES(CLASSES),
        .GROUPS(GROUPS),
        .PIPE(PIPE)
      ) u_port (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .number_i(NUMBER),
        .in_i(in),
        .in_back_o(in_back),
        .out_o(out),
        .out_back_i(out_back),
        .bus_i(bus[l*54 +: 54]),
        .rdata_o(link_rdata[l*32 +: 32]),
        .access_i(access_q),
        .settings_i(settings_now),
        .up_i(up_q),
        .near_i(near),
        .new_i(fresh),
        .group_new_i(group_new),
        .spare_i(spare),
        .wake_i(wake),
        .light_i(light),
        .able_i(able),
        .crowd_i(crowd),
        .less_i(less),
        .draw_i(draw_of),
        .lock_w_i(lock_w),
        .up_o(up_q[l]),
        .near_o(near[l]),
        .new_o(fresh[l]),
        .group_new_o(group_new[l]),
        .spare_o(spare[l]),
        .wake_o(wake[l]),
        .able_o(able[l*32 +: 32]),
        .crowd_o(crowd[l*32 +: 32]),
        .lock_w_o(lock_w[l*8 +: 8]),
        .locked_o(locked_q[l]),
        .pending_o(pending[l*8 +: 8]),
        .group_alloc_o(alloc_of[l*8 +: 8]),
        .want_o(want[l*32 +: 32]),
        .prio_o({prio1[l], prio0[l]}),
        .ask_o(ask[l*16 +: 16]),
        .want_i(want_to[l*32 +: LINKS]),
        .prio1_i(prio1),
        .prio0_i(prio0),
        .ask_i(ask),
        .grant_o(grant[l*32 +: 32]),
        .any_o(any[l]),
        .grant_i(grant_to[l*32 +: LINKS]),
        .any_i(any),
        .store_o({soon[l*2 +: 2], early[l], done[l], done_tail[l]}),
        .done_i(done),
        .done_tail_i(done_tail),
        .early_i(early),
        .soon_i(soon),
        .read_o(read),
        .lane_o(lane[l*8 +: 8]),
        .word_i(word),
        .group_ask_o(group_ask),
        .group_i(group),
        .due_to_o(due_to[l*32 +: 32]),
        .due_o(due[l*8 +: 8]),
        .due_to_i(due_for[l*32 +: LINKS]),
        .due_i(due),
        .chosen_o(chosen[l*32 +: 32]),
        .gone_i(gone[l]),
        .draws_o(draws[l]),
        .test_i(test),
        .trap_valid_o(trap_valid[l]),
        .trap_data_o(trap_data[l*64 +: 64]),
        .trap_move_i(trap_move[l])
      );
    end
  endgenerate

endmodule

`default_nettype wire
