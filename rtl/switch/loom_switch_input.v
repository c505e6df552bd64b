// SPDX-License-Identifier: Apache-2.0

// loom_switch_input: the input unit of a port: arrival, routing, traps, the input buffer and the
//   first stage of allocation.
// Inside: loom_ib_switch, loom_opa_switch, loom_kns_node, loom_kns_switch
//
// Contract: link in as in docs/link.md; a packet is its head and the len - 1 flits that follow. The
//   switch's rule answers route_* in the same cycle with rule_*. The top holds the register grant_i
//   (it is a probe) and loads it from grant_o; it answers ask_o in the same cycle with granted_i. A
//   record is {pass, lane, len} in 32 bits. can_i has 32 lanes a target.
// Algorithm: flits go to a loom_packet_buffer through one register; the head's record goes through
//   a delay, the LFT (or loom_switch_coordinates) and the map and joins the queue of its lane. With
//   STALL_CYCLES below 4095 it first waits for so many flits that the reader, which is faster than
//   the link, will not find more of the rest missing. What must not enter or cannot go on makes a
//   trap.
// Latency: head in cycle c, in view of allocation in c + D_IN + 3, later by the flits that its
//   record waits for; a packet granted in g is taken in g+1, its first words stand on word_* in
//   g+2.
// Wait bound: allocation's; a sender that keeps to its credits is never refused.
// Parameters: PORTS (2..64), VLS (2..32), LANES (1, 2, 4: flits of a word), RD_FLITS (1..LANES),
//   CELLS, RESERVED (the buffer's), LIDS (entries of the LFT, 16..65536), ROUTE (what finds the
//   output: 0 the LFT, 1 and 2 loom_switch_coordinates), HOSTS, DIMS, W (what that asks for), D_IN
//   (0..255), STALL_CYCLES (most cycles in which the reader waits for flits of a packet that comes
//   without gaps; 4095: any number), TARGETS (2..64), TARGET_W (bits of a target's number), PASS_W
//   (bits handed on with a record, 1..11).
// Realises: OP-04, OP-06, OP-08, OP-10, OP-11, OP-13, OP-14, IB-02, KN-02.
// Page: docs/switch.md, section Input unit.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_switch_input #(
  parameter integer PORTS        = 48,
  parameter integer VLS          = 9,
  parameter integer LANES        = 4,
  parameter integer RD_FLITS     = 3,
  parameter integer CELLS        = 1024,
  parameter integer RESERVED     = 32,
  parameter integer LIDS         = 49152,
  parameter integer ROUTE        = 0,
  parameter integer HOSTS        = 1,
  parameter integer DIMS         = 2,
  parameter integer W            = 3,
  parameter integer D_IN         = 0,
  parameter integer STALL_CYCLES = 4095,
  parameter integer TARGETS      = 6,
  parameter integer TARGET_W     = 3,
  parameter integer PASS_W       = 11
) (
  input  wire                  clk_i,
  input  wire                  rst_i,

  // The link.
  input  wire                  in_valid_i,
  input  wire                  in_head_i,
  input  wire                  in_tail_i,
  input  wire [4:0]            in_vl_i,
  input  wire [63:0]           in_data_i,
  output wire                  in_cr_valid_o,
  output wire [4:0]            in_cr_vl_o,

  // Tables.
  input  wire                  lft_we_i,
  input  wire [15:0]           lft_addr_i,
  input  wire [5:0]            lft_data_i,
  input  wire [16:0]           lft_count_i,
  input  wire [18:0]           place_i,         // {dimension, on, address}
  input  wire                  map_on_i,        // the map reads as its entries
  input  wire [VLS*16-1:0]     mtu_i,

  // The rule of routing.
  output wire [5:0]            route_out_o,
  output wire [4:0]            route_sc_o,
  output wire [4:0]            route_lane_o,
  output wire [4:0]            route_entry_o,
  input  wire                  rule_ok_i,       // there is a VL
  input  wire [4:0]            rule_lane_i,
  input  wire [4:0]            rule_sc_i,
  input  wire [TARGET_W-1:0]   rule_target_i,
  input  wire [PASS_W-1:0]     rule_pass_i,

  // Allocation.
  input  wire [TARGETS*32-1:0] can_i,
  input  wire                  grant_i,
  output wire                  grant_o,
  output wire                  ask_o,
  output wire [TARGET_W-1:0]   target_o,
  output wire [31:0]           record_o,
  input  wire                  granted_i,
  output wire                  done_o,
  output wire                  word_valid_o,
  output wire                  word_first_o,
  output wire [2:0]            word_flits_o,
  output wire [LANES*64-1:0]   word_data_o,
  output wire                  idle_o,          // no unit in use
  output wire                  error_o,         // the buffer's

  // Traps: {cause, lane, dest}.
  output wire                  trap_o,
  output wire [23:0]           trap_data_o,
  input  wire                  trap_move_i,

  // Registers of this port; read data two cycles after.
  input  wire                  reg_we_i,
  input  wire                  reg_re_i,
  input  wire [11:0]           reg_addr_i,
  input  wire [31:0]           reg_data_i,
  output wire [31:0]           reg_rdata_o
);

  `LOOM_REQUIRE(granted_what_was_asked, !granted_i || ask_o)

  localparam integer COUNT_W = $clog2(CELLS + 1);
  localparam integer CELL_CYCLES_I = (8 + RD_FLITS - 1) / RD_FLITS;
  localparam [12:0] CELL_CYCLES = CELL_CYCLES_I[12:0];

  // What waits with a packet: {drop, target, lane, sc, pass}.
  localparam integer SC_AT     = PASS_W;
  localparam integer LANE_AT   = SC_AT + 5;
  localparam integer TARGET_AT = LANE_AT + 5;
  localparam integer DROP_AT   = TARGET_AT + TARGET_W;
  localparam integer INFO_W    = DROP_AT + 1;

  localparam integer LW      = $clog2(VLS);
  localparam integer MAP     = PORTS * 32;
  localparam integer MAP_W   = $clog2(MAP);
  localparam integer MGMT_I  = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT      = MGMT_I[4:0];
  localparam [6:0] ALL_PORTS = PORTS[6:0];

  // ---- Arrival ----------------------------------------------------------------------------------

  reg [11:0] left_q;                            // flits still to come of the open packet
  reg discard_q;
  reg [4:0] lane_q;
  reg word_valid_q;
  reg word_first_q;
  reg [4:0] word_lane_q;
  reg [63:0] word_data_q;

  wire in_lane_ok;
  wire [4:0] in_lane;

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(in_vl_i),
    .ok_o(in_lane_ok),
    .lane_o(in_lane)
  );

  wire [4:0] in_sc = in_data_i[`LOOM_HEAD_SC];
  wire [11:0] in_len = in_data_i[`LOOM_HEAD_LEN];
  wire [15:0] in_dest = in_data_i[`LOOM_HEAD_DEST];
  wire in_open = left_q != 12'd0;
  wire in_start = in_valid_i && !in_open && in_head_i;
  wire in_body = in_valid_i && in_open;
  wire in_empty = in_len == 12'd0;
  wire in_legal = in_lane_ok && !in_empty;
  wire announce_ok;
  wire accept = in_start && in_legal && announce_ok;
  wire refuse_1 = in_start && !in_legal;
  wire refuse_2 = in_start && in_legal && !announce_ok;
  wire refuse = refuse_1 || refuse_2;
  wire in_write = accept || (in_body && !discard_q);
  wire in_last = in_open ? left_q == 12'd1 : in_len == 12'd1;
  wire tail_wrong = in_tail_i != in_last;
  wire link_error = in_valid_i && (in_open ? in_head_i || tail_wrong
                                           : !in_head_i || (!in_empty && tail_wrong));

  always @(posedge clk_i) begin
    if (in_valid_i) word_data_q <= in_data_i;
    if (rst_i) begin
      left_q <= 12'd0;
      discard_q <= 1'b0;
      lane_q <= 5'd0;
      word_valid_q <= 1'b0;
      word_first_q <= 1'b0;
      word_lane_q <= 5'd0;
    end else begin
      if (in_start) begin
        left_q <= in_empty ? 12'd0 : in_len - 12'd1;
        discard_q <= refuse;
        lane_q <= in_lane;
      end else if (in_body) begin
        left_q <= left_q - 12'd1;
      end
      word_valid_q <= in_write;
      word_first_q <= accept;
      word_lane_q <= in_start ? in_lane : lane_q;
    end
  end

  // ---- When the record goes ---------------------------------------------------------------------

  // Cycles in which a packet is read whose flits are there.
  function [12:0] cycles_to_read;
    input [11:0] len;
    integer f;
    begin
      cycles_to_read = {4'd0, len[11:3]} * CELL_CYCLES;
      for (f = 0; f < 8; f = f + RD_FLITS) begin
        if (len[2:0] > f[2:0]) cycles_to_read = cycles_to_read + 13'd1;
      end
    end
  endfunction

  wire [37:0] in_record = {in_dest, in_sc, in_lane, in_len};
  wire go;
  wire [37:0] go_record;

  generate
    if (STALL_CYCLES == 4095) begin : g_at_once
      assign go = accept;
      assign go_record = in_record;
    end else begin : g_in_time
      // A flit can be read two cycles after it came, the first of a packet is read four cycles
      // after the record leaves its delay, or later.
      localparam integer LEAD_I = D_IN + 2 + STALL_CYCLES;
      localparam [13:0] LEAD = LEAD_I[13:0];

      reg [11:0] wait_q;                        // flits still to come before the held record goes
      reg [37:0] held_q;
      wire [13:0] ahead = {1'b0, cycles_to_read(in_len)} + LEAD;
      wire in_wait = {2'd0, in_len} > ahead;
      wire [13:0] in_wait_for = {2'd0, in_len} - ahead;
      wire unused_high = &{1'b0, in_wait_for[13:12]};
      wire let_go = in_body && wait_q == 12'd1;

      always @(posedge clk_i) begin
        if (accept) held_q <= in_record;
        if (rst_i) wait_q <= 12'd0;
        else if (accept && in_wait) wait_q <= in_wait_for[11:0];
        else if (in_body && wait_q != 12'd0) wait_q <= wait_q - 12'd1;
      end

      assign go = (accept && !in_wait) || let_go;
      assign go_record = let_go ? held_q : in_record;

      `LOOM_ASSERT(a_record_goes_before_its_last_flit_came, !in_start || wait_q == 12'd0)
    end
  endgenerate

  // ---- Routing ----------------------------------------------------------------------------------

  wire e_valid;
  wire [15:0] e_dest;
  wire [4:0] e_sc;
  wire [4:0] e_lane;
  wire [11:0] e_len;

  loom_delay #(
    .DEPTH(D_IN),
    .WIDTH(38)
  ) u_record (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .valid_i(go),
    .data_i(go_record),
    .valid_o(e_valid),
    .data_o({e_dest, e_sc, e_lane, e_len})
  );

  wire e_known;
  wire [5:0] look_out;                          // e + 1

  generate
    if (ROUTE == 0) begin : g_lft
      localparam integer LIDS_W = $clog2(LIDS);
      wire unused_place = &{1'b0, place_i};

      assign e_known = e_valid && {1'b0, e_dest} < lft_count_i;

      loom_ram #(
        .DEPTH(LIDS),
        .WIDTH(6)
      ) u_lft (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(lft_we_i),
        .waddr_i(lft_addr_i[LIDS_W-1:0]),
        .wdata_i(lft_data_i),
        .re_i(e_known),
        .raddr_i(e_dest[LIDS_W-1:0]),
        .rdata_o(look_out)
      );
    end else begin : g_coordinates
      wire unused_lft = &{1'b0, lft_we_i, lft_data_i, lft_count_i};

      loom_switch_coordinates #(
        .ROUTE(ROUTE),
        .HOSTS(HOSTS),
        .DIMS(DIMS),
        .W(W)
      ) u_coordinates (
        .clk_i(clk_i),
        .valid_i(e_valid),
        .dest_i(e_dest),
        .place_i(place_i),
        .known_o(e_known),
        .out_o(look_out)
      );
    end
  endgenerate

  reg look_valid_q;                             // e + 1
  reg look_known_q;
  reg [15:0] look_dest_q;
  reg [4:0] look_sc_q;
  reg [4:0] look_lane_q;
  reg [11:0] look_len_q;
  wire look_known = look_known_q && {1'b0, look_out} < ALL_PORTS;
  wire [10:0] look_map = {look_out, look_sc_q};
  wire map_here = `LOOM_IS_SWITCH_WIN_MAP(reg_addr_i) && {1'b0, reg_addr_i[10:5]} < ALL_PORTS;
  wire map_write = reg_we_i && map_here;
  wire [4:0] map_word;

  loom_ram #(
    .DEPTH(MAP),
    .WIDTH(5)
  ) u_map (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(map_write),
    .waddr_i(reg_addr_i[MAP_W-1:0]),
    .wdata_i(reg_data_i[`LOOM_SWITCH_WIN_MAP_ENTRY]),
    .re_i(look_known),
    .raddr_i(look_map[MAP_W-1:0]),
    .rdata_o(map_word)
  );

  reg route_valid_q;                            // e + 2
  reg route_known_q;
  reg [5:0] route_out_q;
  reg [15:0] route_dest_q;
  reg [4:0] route_sc_q;
  reg [4:0] route_lane_q;
  reg [11:0] route_len_q;

  always @(posedge clk_i) begin
    if (e_valid) begin
      look_dest_q <= e_dest;
      look_sc_q <= e_sc;
      look_lane_q <= e_lane;
      look_len_q <= e_len;
    end
    if (look_valid_q) begin
      route_out_q <= look_out;
      route_dest_q <= look_dest_q;
      route_sc_q <= look_sc_q;
      route_lane_q <= look_lane_q;
      route_len_q <= look_len_q;
    end
    if (rst_i) begin
      look_valid_q <= 1'b0;
      look_known_q <= 1'b0;
      route_valid_q <= 1'b0;
      route_known_q <= 1'b0;
    end else begin
      look_valid_q <= e_valid;
      look_known_q <= e_known;
      route_valid_q <= look_valid_q;
      route_known_q <= look_known;
    end
  end

  // The map has a word for the rule only if the port is known.
  assign route_out_o = route_known_q ? route_out_q : 6'd0;
  assign route_sc_o = route_sc_q;
  assign route_lane_o = route_lane_q;
  assign route_entry_o = route_known_q ? map_word : 5'd0;

  wire [9:0] route_units = {1'b0, route_len_q[11:3]} + {9'd0, route_len_q[2:0] != 3'd0};
  wire [9:0] route_mtu = mtu_i[{rule_lane_i[LW-1:0], 4'd0} +: 10];
  wire drop_3 = route_valid_q && !route_known_q;
  wire drop_4 = route_valid_q && route_known_q && !rule_ok_i;
  wire drop_5 = route_valid_q && route_known_q && rule_ok_i && route_units > route_mtu;
  wire drop = drop_3 || drop_4 || drop_5;
  wire [INFO_W-1:0] route_info = drop ? {1'b1, {DROP_AT{1'b0}}}
      : {1'b0, rule_target_i, rule_lane_i, rule_sc_i, rule_pass_i};
  wire unused = &{1'b0, mtu_i, reg_data_i, look_map, lft_addr_i, e_dest};

  // ---- Traps ------------------------------------------------------------------------------------

  reg trap_q;
  reg [23:0] trap_data_q;
  wire [2:0] cause = drop_3 ? 3'd3 : drop_4 ? 3'd4 : drop_5 ? 3'd5 : refuse_2 ? 3'd2 : 3'd1;
  wire trap = drop || refuse;
  wire trap_both = drop && refuse;
  wire trap_full = trap && trap_q && !trap_move_i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      trap_q <= 1'b0;
      trap_data_q <= 24'd0;
    end else begin
      if (trap && !trap_full) begin
        trap_data_q <= drop ? {cause, route_lane_q, route_dest_q}
                            : {cause, in_lane_ok ? in_lane : in_vl_i, in_dest};
      end
      trap_q <= trap || (trap_q && !trap_move_i);
    end
  end

  assign trap_o = trap_q;
  assign trap_data_o = trap_data_q;

  // ---- The buffer -------------------------------------------------------------------------------

  wire [VLS-1:0] head_valid;
  wire [VLS*12-1:0] head_len;
  wire [VLS*INFO_W-1:0] head_info;
  reg [4:0] grant_vl_q;
  wire busy;
  wire done;
  wire rd_first;
  wire [LANES*64-1:0] rd_data;
  wire free_valid;
  wire [4:0] free_lane;
  wire [VLS*COUNT_W-1:0] used;
  wire [COUNT_W-1:0] total;
  wire unused_take_ready;
  wire [4:0] unused_rd_vl;
  wire unused_rd_last;
  wire [1:0] unused_rd_lane;
  wire [VLS*COUNT_W-1:0] unused_avail;
  wire cfg_we = reg_we_i && `LOOM_IS_SWITCH_WIN_TRACKER_IN(reg_addr_i);

  loom_packet_buffer #(
    .VLS(VLS),
    .CELLS(CELLS),
    .LANES(LANES),
    .RD_FLITS(RD_FLITS),
    .INFO_W(INFO_W),
    .RESERVED(RESERVED),
    .EARLY(0)
  ) u_buffer (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(cfg_we),
    .cfg_addr_i(reg_addr_i[6:0]),
    .cfg_data_i(reg_data_i[COUNT_W-1:0]),
    .announce_i(in_start && in_legal),
    .announce_vl_i(in_lane),
    .announce_len_i(in_len),
    .announce_ok_o(announce_ok),
    .queue_i(route_valid_q),
    .queue_vl_i(route_lane_q),
    .queue_len_i(route_len_q),
    .queue_info_i(route_info),
    .wr_valid_i(word_valid_q),
    .wr_vl_i(word_lane_q),
    .wr_first_i(word_first_q),
    .wr_flits_i(3'd1),
    .wr_data_i({LANES{word_data_q}}),
    .head_valid_o(head_valid),
    .head_len_o(head_len),
    .head_info_o(head_info),
    .take_i(grant_i),
    .take_vl_i(grant_vl_q),
    .take_ready_o(unused_take_ready),
    .rd_done_o(done),
    .rd_busy_o(busy),
    .rd_valid_o(word_valid_o),
    .rd_vl_o(unused_rd_vl),
    .rd_first_o(rd_first),
    .rd_last_o(unused_rd_last),
    .rd_flits_o(word_flits_o),
    .rd_lane_o(unused_rd_lane),
    .rd_data_o(rd_data),
    .free_valid_o(free_valid),
    .free_vl_o(free_lane),
    .used_o(used),
    .avail_o(unused_avail),
    .total_o(total),
    .error_o(error_o)
  );

  assign in_cr_valid_o = free_valid;
  assign in_cr_vl_o = (free_valid && free_lane == MGMT) ? 5'd15 : free_lane;
  assign idle_o = total == {COUNT_W{1'b0}};

  // ---- Allocation, first stage ------------------------------------------------------------------

  reg [4:0] sc_q;                               // of the packet that is read
  reg [4:0] word_sc_q;                          // of the word that was read in the last cycle
  reg [VLS-1:0] request;
  reg [INFO_W-1:0] info;
  integer l;

  always @* begin
    info = {INFO_W{1'b0}};
    for (l = 0; l < VLS; l = l + 1) begin
      info = head_info[l*INFO_W +: INFO_W];
      // can_i has a bit for each {target, lane}.
      request[l] = head_valid[l] && (info[DROP_AT] || can_i[info[LANE_AT +: 5 + TARGET_W]]);
    end
  end

  wire free = !grant_i && (!busy || done);
  wire pick;
  wire [4:0] pick_lane;
  wire [11:0] pick_len;
  wire [INFO_W-1:0] pick_info;
  wire pick_drop = pick_info[DROP_AT];
  wire grant = pick && (pick_drop || granted_i);

  loom_switch_pick #(
    .VLS(VLS),
    .INFO_W(INFO_W)
  ) u_pick (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(free ? request : {VLS{1'b0}}),
    .advance_i(grant),
    .head_len_i(head_len),
    .head_info_i(head_info),
    .pick_o(pick),
    .lane_o(pick_lane),
    .len_o(pick_len),
    .info_o(pick_info)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      grant_vl_q <= 5'd0;
      sc_q <= 5'd0;
      word_sc_q <= 5'd0;
    end else begin
      if (grant) begin
        grant_vl_q <= pick_lane;
        sc_q <= pick_info[SC_AT +: 5];
      end
      word_sc_q <= sc_q;
    end
  end

  assign grant_o = grant;
  assign ask_o = pick && !pick_drop;
  assign target_o = pick_info[TARGET_AT +: TARGET_W];
  assign record_o = {{(15 - PASS_W){1'b0}}, pick_info[PASS_W-1:0], pick_info[LANE_AT +: 5],
                     pick_len};
  assign done_o = done;
  assign word_first_o = rd_first;

  generate
    if (LANES > 1) begin : g_wide
      assign word_data_o[LANES*64-1:64] = rd_data[LANES*64-1:64];
    end
  endgenerate
  assign word_data_o[63:0] = {
    rd_first ? word_sc_q : rd_data[`LOOM_HEAD_SC], rd_data[`LOOM_HEAD_SC_AT-1:0]
  };

  // ---- Registers --------------------------------------------------------------------------------

  reg [VLS*COUNT_W-1:0] most_q;                 // largest `used` so far, of each lane
  reg [31:0] link_errors_q;
  reg [31:0] refused_1_q;
  reg [31:0] refused_2_q;
  reg [31:0] dropped_3_q;
  reg [31:0] dropped_4_q;
  reg [31:0] dropped_5_q;
  reg [31:0] lost_q;
  integer m;

  always @(posedge clk_i) begin
    if (rst_i) begin
      most_q <= {(VLS*COUNT_W){1'b0}};
      link_errors_q <= 32'd0;
      refused_1_q <= 32'd0;
      refused_2_q <= 32'd0;
      dropped_3_q <= 32'd0;
      dropped_4_q <= 32'd0;
      dropped_5_q <= 32'd0;
      lost_q <= 32'd0;
    end else begin
      // Only a head in the last cycle can have raised the use of a lane.
      if (word_first_q) begin
        for (m = 0; m < VLS; m = m + 1) begin
          if (used[m*COUNT_W +: COUNT_W] > most_q[m*COUNT_W +: COUNT_W]) begin
            most_q[m*COUNT_W +: COUNT_W] <= used[m*COUNT_W +: COUNT_W];
          end
        end
      end
      if (link_error) link_errors_q <= link_errors_q + 32'd1;
      if (refuse_1) refused_1_q <= refused_1_q + 32'd1;
      if (refuse_2) refused_2_q <= refused_2_q + 32'd1;
      if (drop_3) dropped_3_q <= dropped_3_q + 32'd1;
      if (drop_4) dropped_4_q <= dropped_4_q + 32'd1;
      if (drop_5) dropped_5_q <= dropped_5_q + 32'd1;
      if (trap) lost_q <= lost_q + {31'd0, trap_both} + {31'd0, trap_full};
    end
  end

  wire [31:0] bank_packets;
  wire [31:0] bank_flits;

  loom_counter_bank #(
    .DEPTH(VLS)
  ) u_counters (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .add_i(accept),
    .add_index_i({1'b0, in_lane}),
    .add_flits_i(in_len),
    .read_index_i({1'b0, reg_addr_i[4:0]}),
    .read_packets_o(bank_packets),
    .read_flits_o(bank_flits)
  );

  wire at_map = map_here && map_on_i;
  wire [4:0] map_shown;

  loom_ram #(
    .DEPTH(MAP),
    .WIDTH(5)
  ) u_map_copy (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(map_write),
    .waddr_i(reg_addr_i[MAP_W-1:0]),
    .wdata_i(reg_data_i[`LOOM_SWITCH_WIN_MAP_ENTRY]),
    .re_i(reg_re_i && at_map),
    .raddr_i(reg_addr_i[MAP_W-1:0]),
    .rdata_o(map_shown)
  );

  reg [COUNT_W-1:0] most;
  integer n;

  always @* begin
    most = {COUNT_W{1'b0}};
    for (n = 0; n < VLS; n = n + 1) begin
      if (reg_addr_i[4:0] == n[4:0]) most = most | most_q[n*COUNT_W +: COUNT_W];
    end
  end

  reg [31:0] word;
  reg [31:0] word_q;
  reg flits_q;
  reg packets_q;
  reg map_q;

  always @* begin
    case (reg_addr_i)
      `LOOM_SWITCH_WIN_LINK_ERRORS: word = link_errors_q;
      `LOOM_SWITCH_WIN_REFUSED_HEADER: word = refused_1_q;
      `LOOM_SWITCH_WIN_REFUSED_FULL: word = refused_2_q;
      `LOOM_SWITCH_WIN_DROPPED_LID: word = dropped_3_q;
      `LOOM_SWITCH_WIN_DROPPED_VL: word = dropped_4_q;
      `LOOM_SWITCH_WIN_DROPPED_MTU: word = dropped_5_q;
      `LOOM_SWITCH_WIN_TRAPS_LOST: word = lost_q;
      default: begin
        if (`LOOM_IS_SWITCH_WIN_PEAK_IN(reg_addr_i)) begin
          word = {{(32 - COUNT_W){1'b0}}, most};
        end else begin
          word = 32'd0;
        end
      end
    endcase
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      word_q <= 32'd0;
      flits_q <= 1'b0;
      packets_q <= 1'b0;
      map_q <= 1'b0;
    end else begin
      word_q <= reg_re_i ? word : 32'd0;
      flits_q <= reg_re_i && `LOOM_IS_SWITCH_WIN_IN_FLITS(reg_addr_i);
      packets_q <= reg_re_i && `LOOM_IS_SWITCH_WIN_IN_PACKETS(reg_addr_i);
      map_q <= reg_re_i && at_map;
    end
  end

  assign reg_rdata_o = flits_q ? bank_flits : packets_q ? bank_packets
                       : map_q ? {27'd0, map_shown} : word_q;

  `LOOM_ASSERT(credit_names_no_vl_without_one, in_cr_valid_o || in_cr_vl_o == 5'd0)
  `LOOM_ASSERT(data_0_without_word,
      word_valid_o || {word_first_o, word_flits_o, word_data_o} == {(LANES*64 + 4){1'b0}})

`ifdef LOOM_ASSERT_ON
  // Cycles that the crossing may still take. A gap in the packet that arrives excuses it, until the
  // last flits of that packet can be read.
  localparam [13:0] STALLS = STALL_CYCLES[13:0];
  reg [13:0] budget_q;
  reg gap_q;
  reg [2:0] gaps_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      budget_q <= 14'd0;
      gap_q <= 1'b0;
      gaps_q <= 3'd0;
    end else begin
      if (grant) budget_q <= {1'b0, cycles_to_read(pick_len)} + STALLS;
      else if (budget_q != 14'd0) budget_q <= budget_q - 14'd1;
      gap_q <= in_open && (gap_q || !in_valid_i);
      gaps_q <= {gaps_q[1:0], gap_q};
    end
  end

  `LOOM_ASSERT(a_crossing_stalls_no_longer_than_it_may, STALL_CYCLES == 4095 || gap_q
      || gaps_q != 3'd0 || !(grant_i || busy) || budget_q != 14'd0)
`endif

endmodule

`default_nettype wire
