// SPDX-License-Identifier: Apache-2.0

// loom_opa_switch: Omni-Path switch: MPorts of four ports with a crossbar each, central buffers and
//   a central crossbar between them.
//
// Contract: links as in docs/link.md; registers as in docs/switch.md, one access a cycle. All
//   outputs are registers or gated registers.
// Algorithm: a loom_switch_input and a loom_switch_output a port, two loom_opa_central an MPort;
//   two-stage allocation (loom_switch_pick at each source, loom_switch_target at each target). A
//   packet for its own MPort crosses that MPort's crossbar, another goes through a central buffer;
//   it moves whole, up to MPORT_SPEEDUP or CENTRAL_SPEEDUP flits a cycle, and while it still
//   arrives (virtual cut-through).
// Latency: ROUTING_CYCLES + 2 BUFFER_CYCLES + ALLOCATION_CYCLES + CROSSBAR_CYCLES + FLIGHT_CYCLES
//   cycles from link in to link out, unloaded; through the central buffers ALLOCATION_CYCLES +
//   CROSSBAR_CYCLES more, and 4 more with a scheduler there; more if STALL_CYCLES makes a packet
//   wait for its flits.
// Wait bound: round robin in both stages of allocation, the schedulers' at the outputs and, if any,
//   in the central buffers; a lane below its reserves is never kept out by another one.
// Parameters: MPORTS (2..12), VLS (lanes, 2..32), MPORT_SPEEDUP, CENTRAL_SPEEDUP (1..4: most flits
//   a cycle out of an input, out of a central buffer), SCHED (0 rr, 1 sbt, 2 dtable, 3 ibarb),
//   CENTRAL_SCHED (0..4; 4: round robin over lanes), KEYS, ARB_KEY, ENTRIES, IB_WEIGHTS, N_HIGH,
//   N_LOW (the schedulers'), CELLS_IN, CELLS_CENTRAL, CELLS_OUT (units of 64 bytes, 16..4096),
//   RESERVED_IN, RESERVED_CENTRAL, RESERVED_OUT (of them to each lane), REMOTE_UNITS (16..4095),
//   REMOTE_RESERVED, MTU_UNITS (1..512), LIDS (16..65536), and the stages in cycles: ROUTING_CYCLES
//   (2..64), BUFFER_CYCLES (2..64), ALLOCATION_CYCLES (1..64), CROSSBAR_CYCLES (0..16),
//   FLIGHT_CYCLES (1..32); STALL_CYCLES (most cycles in which a crossing waits for flits, 0..4095;
//   4095: any number).
// Realises: OP-01..08, OP-10, OP-11, OP-13..15, OP-18..20, SC-01..04, DT-01..04, IB-02..06; probes
//   granted, central_granted, targeted, idle.
// Page: docs/opa.md, section opa_switch.
`default_nettype none
`include "loom_fields.vh"
`include "loom_regs.vh"
`include "loom_switch_parameters.vh"

module loom_opa_switch #(
  parameter integer MPORTS           = 12,
  parameter integer MPORT_SPEEDUP    = 3,
  parameter integer CENTRAL_SPEEDUP  = 4,
  parameter integer SCHED            = 2,
  parameter integer CENTRAL_SCHED    = 4,
  parameter integer ARB_KEY          = 1,
  parameter integer ENTRIES          = 128,
  parameter integer CELLS_IN         = 1024,
  parameter integer CELLS_CENTRAL    = 1024,
  parameter integer CELLS_OUT        = 1024,
  parameter integer RESERVED_CENTRAL = 32,
  parameter integer REMOTE_UNITS     = 1024,
  parameter integer LIDS             = 49152,
  `LOOM_SWITCH_PARAMETERS
) (
  input  wire                   clk_i,
  input  wire                   rst_i,

  // Links.
  input  wire [4*MPORTS-1:0]    in_valid_i,
  input  wire [4*MPORTS-1:0]    in_head_i,
  input  wire [4*MPORTS-1:0]    in_tail_i,
  input  wire [4*MPORTS*5-1:0]  in_vl_i,
  input  wire [4*MPORTS*64-1:0] in_data_i,
  output wire [4*MPORTS-1:0]    in_cr_valid_o,
  output wire [4*MPORTS*5-1:0]  in_cr_vl_o,
  output wire [4*MPORTS-1:0]    out_valid_o,
  output wire [4*MPORTS-1:0]    out_head_o,
  output wire [4*MPORTS-1:0]    out_tail_o,
  output wire [4*MPORTS*5-1:0]  out_vl_o,
  output wire [4*MPORTS*64-1:0] out_data_o,
  input  wire [4*MPORTS-1:0]    out_cr_valid_i,
  input  wire [4*MPORTS*5-1:0]  out_cr_vl_i,

  // The register bus.
  input  wire                   reg_we_i,
  input  wire                   reg_re_i,
  input  wire [19:0]            reg_addr_i,
  input  wire [31:0]            reg_wdata_i,
  output wire                   reg_rvalid_o,
  output wire [31:0]            reg_rdata_o,
  output wire                   trap_o
);

  generate
    `LOOM_SWITCH_CHECKS
    if (MPORTS < 2 || MPORTS > 12) begin : g_bad_mports
      loom_opa_switch_MPORTS_must_be_2_to_12 u_error ();
    end
    if (MPORT_SPEEDUP < 1 || MPORT_SPEEDUP > 4) begin : g_bad_mport_speedup
      loom_opa_switch_MPORT_SPEEDUP_must_be_1_to_4 u_error ();
    end
    if (CENTRAL_SPEEDUP < 1 || CENTRAL_SPEEDUP > 4) begin : g_bad_central_speedup
      loom_opa_switch_CENTRAL_SPEEDUP_must_be_1_to_4 u_error ();
    end
    if (SCHED < 0 || SCHED > 3) begin : g_bad_sched
      loom_opa_switch_SCHED_must_be_0_to_3 u_error ();
    end
    if (CENTRAL_SCHED < 0 || CENTRAL_SCHED > 4) begin : g_bad_central_sched
      loom_opa_switch_CENTRAL_SCHED_must_be_0_to_4 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_opa_switch_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ENTRIES < 1 || ENTRIES > 128) begin : g_bad_entries
      loom_opa_switch_ENTRIES_must_be_1_to_128 u_error ();
    end
    if (CELLS_IN < 16 || CELLS_IN > 4096) begin : g_bad_cells_in
      loom_opa_switch_CELLS_IN_must_be_16_to_4096 u_error ();
    end
    if (CELLS_CENTRAL < 16 || CELLS_CENTRAL > 4096) begin : g_bad_cells_central
      loom_opa_switch_CELLS_CENTRAL_must_be_16_to_4096 u_error ();
    end
    if (CELLS_OUT < 16 || CELLS_OUT > 4096) begin : g_bad_cells_out
      loom_opa_switch_CELLS_OUT_must_be_16_to_4096 u_error ();
    end
    if (REMOTE_UNITS < 16 || REMOTE_UNITS > 4095) begin : g_bad_remote_units
      loom_opa_switch_REMOTE_UNITS_must_be_16_to_4095 u_error ();
    end
    if (LIDS < 16 || LIDS > 65536) begin : g_bad_lids
      loom_opa_switch_LIDS_must_be_16_to_65536 u_error ();
    end
    if (RESERVED_IN < 0 || VLS * RESERVED_IN > CELLS_IN)
    begin : g_bad_all_reserved_in
      loom_opa_switch_CELLS_IN_must_hold_all_RESERVED_IN u_error ();
    end
    if (RESERVED_CENTRAL < 0 || VLS * RESERVED_CENTRAL > CELLS_CENTRAL)
    begin : g_bad_all_reserved_central
      loom_opa_switch_CELLS_CENTRAL_must_hold_all_RESERVED_CENTRAL u_error ();
    end
    if (RESERVED_OUT < 0 || VLS * RESERVED_OUT > CELLS_OUT)
    begin : g_bad_all_reserved_out
      loom_opa_switch_CELLS_OUT_must_hold_all_RESERVED_OUT u_error ();
    end
    if (REMOTE_RESERVED < 0 || VLS * REMOTE_RESERVED > REMOTE_UNITS)
    begin : g_bad_all_remote_reserved
      loom_opa_switch_REMOTE_UNITS_must_hold_all_REMOTE_RESERVED u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_opa_switch_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
  endgenerate

  localparam integer PORTS     = 4 * MPORTS;
  localparam integer CENTRALS   = 2 * MPORTS;
  localparam integer D_IN      = (ROUTING_CYCLES - 2) + (BUFFER_CYCLES - 2)
    + (ALLOCATION_CYCLES - 1);
  localparam integer D_C       = (ALLOCATION_CYCLES - 1) + CROSSBAR_CYCLES;
  localparam integer D_OUT     = CROSSBAR_CYCLES + (BUFFER_CYCLES - 2) + (FLIGHT_CYCLES - 1);
  localparam integer OUT_W     = $clog2(CELLS_OUT + 1);
  localparam integer CENTRAL_W = $clog2(CELLS_CENTRAL + 1);
  localparam integer SOURCES   = 4 + CENTRALS;   // of an output
  localparam integer FROM_W    = $clog2(SOURCES);
  localparam integer PW        = $clog2(PORTS);
  localparam integer BW        = $clog2(CENTRALS);

  reg [PORTS-1:0] granted_q;                    // the input was granted in the last cycle
  reg [CENTRALS-1:0] central_granted_q;          // the central buffer was, as a source
  reg [PORTS-1:0] targeted_q;                   // the output was granted in the last cycle
  reg [CENTRALS-1:0] central_targeted_q;         // the central buffer was, as a target
  reg idle_q;                                   // no unit was in use at the last edge

  // ---- Registers and tables ---------------------------------------------------------------------

  wire reg_we;
  wire [19:0] reg_addr;
  wire [31:0] reg_data;
  wire [PORTS-1:0] port_we;
  wire [PORTS-1:0] port_re;
  wire [CENTRALS-1:0] central_we;
  wire [CENTRALS-1:0] central_re;
  wire [PORTS*32-1:0] port_rdata;
  wire [CENTRALS*32-1:0] central_rdata;
  wire [1:0] mode;
  wire choice;
  wire lft_we;
  wire [16:0] lft_count;
  wire [VLS*16-1:0] mtu;
  wire [PORTS-1:0] trap;
  wire [PORTS*32-1:0] trap_data;
  wire [PORTS-1:0] trap_move;
  wire [18:0] unused_place;

  reg [4:0] sc2vl_q [0:31];
  reg [4:0] sc2sl_q [0:31];
  reg [4:0] sl2sc_q [0:31];
  reg [BW-1:0] central_q;                         // the central buffer that is read
  wire at_sc2vl = `LOOM_IS_OPA_REG_SC2VL(reg_addr);
  wire at_sc2sl = `LOOM_IS_OPA_REG_SC2SL(reg_addr);
  wire at_sl2sc = `LOOM_IS_OPA_REG_SL2SC(reg_addr);
  wire [4:0] row = reg_addr[4:0];
  wire [4:0] row_sc2vl = sc2vl_q[row];
  wire [4:0] row_sc2sl = sc2sl_q[row];
  wire [4:0] row_sl2sc = sl2sc_q[row];
  wire [4:0] table_word = at_sc2vl ? row_sc2vl : at_sc2sl ? row_sc2sl
                          : at_sl2sc ? row_sl2sc : 5'd0;
  wire [5:0] central_number = `LOOM_NUMBER_SWITCH_REG_CENTRALS(reg_addr);
  wire unused_number = &{1'b0, central_number};
  integer i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      for (i = 0; i < 32; i = i + 1) begin
        sc2vl_q[i] <= i[4:0];
        sc2sl_q[i] <= i[4:0];
        sl2sc_q[i] <= i[4:0];
      end
      central_q <= {BW{1'b0}};
    end else begin
      if (reg_we) begin
        if (at_sc2vl) sc2vl_q[row] <= reg_data[`LOOM_OPA_REG_SC2VL_VL];
        if (at_sc2sl) sc2sl_q[row] <= reg_data[`LOOM_OPA_REG_SC2SL_SL];
        if (at_sl2sc) sl2sc_q[row] <= reg_data[`LOOM_OPA_REG_SL2SC_SC];
      end
      central_q <= (central_re != {CENTRALS{1'b0}}) ? central_number[BW-1:0] : {BW{1'b0}};
    end
  end

  // The tables for the rules, 8 bits an entry.
  wire [255:0] sc2vl;
  wire [255:0] sc2sl;
  wire [255:0] sl2sc;
  generate
    genvar t;
    for (t = 0; t < 32; t = t + 1) begin : g_table
      assign sc2vl[t*8 +: 8] = {3'd0, sc2vl_q[t]};
      assign sc2sl[t*8 +: 8] = {3'd0, sc2sl_q[t]};
      assign sl2sc[t*8 +: 8] = {3'd0, sl2sc_q[t]};
    end
  endgenerate

  loom_switch_common #(
    .DEVICE(`LOOM_DEVICE_ID_OPA_SWITCH),
    .PORTS(PORTS),
    .CENTRALS(CENTRALS),
    .VLS(VLS),
    .LIDS(LIDS),
    .MTU_UNITS(MTU_UNITS)
  ) u_common (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .reg_we_i(reg_we_i),
    .reg_re_i(reg_re_i),
    .reg_addr_i(reg_addr_i),
    .reg_wdata_i(reg_wdata_i),
    .reg_rvalid_o(reg_rvalid_o),
    .reg_rdata_o(reg_rdata_o),
    .reg_we_o(reg_we),
    .reg_addr_o(reg_addr),
    .reg_data_o(reg_data),
    .port_we_o(port_we),
    .port_re_o(port_re),
    .central_we_o(central_we),
    .central_re_o(central_re),
    .more_word_i({27'd0, table_word}),
    .port_rdata_i(port_rdata),
    .more_rdata_i(central_rdata[{central_q, 5'd0} +: 32]),
    .mode_o(mode),
    .choice_o(choice),
    .lft_we_o(lft_we),
    .lft_count_o(lft_count),
    .place_o(unused_place),
    .mtu_o(mtu),
    .idle_i(idle_q),
    .trap_i(trap),
    .trap_data_i(trap_data),
    .trap_move_o(trap_move),
    .trap_o(trap_o)
  );

  // ---- Between the units ------------------------------------------------------------------------

  // `in_` of the inputs, `c_` of the central buffers as sources, `to_` of the central buffers as
  // targets, `o_` of the outputs.
  wire [PORTS-1:0] in_ask;
  wire [PORTS*8-1:0] in_target;                 // 0x80 + k: the MPort's central buffer k
  wire [PORTS*32-1:0] in_record;
  wire [PORTS-1:0] in_done;
  wire [PORTS-1:0] in_granted;
  wire [PORTS*8-1:0] in_ctl;                    // {flits, first, valid} of a word
  wire [PORTS*256-1:0] in_data;
  wire [PORTS-1:0] in_idle;
  wire [PORTS-1:0] in_error;
  wire [PORTS*32-1:0] in_rdata;

  wire [CENTRALS-1:0] c_ask;
  wire [CENTRALS*8-1:0] c_target;
  wire [CENTRALS*32-1:0] c_record;
  wire [CENTRALS-1:0] c_done;
  wire [CENTRALS-1:0] c_granted;
  wire [CENTRALS*8-1:0] c_ctl;
  wire [CENTRALS*256-1:0] c_data;
  wire [CENTRALS-1:0] c_idle;

  wire [CENTRALS*4-1:0] to_grant;                // of each central buffer: the MPort's inputs
  wire [CENTRALS*32-1:0] to_can;
  wire [CENTRALS-1:0] to_granted;
  wire [CENTRALS*CENTRAL_W-1:0] to_total;

  wire [PORTS*32-1:0] o_grant;                  // of each output: its sources
  wire [PORTS*32-1:0] o_can;
  wire [PORTS*32-1:0] o_room;
  wire [PORTS-1:0] o_granted;
  wire [PORTS-1:0] o_idle;

  generate
    genvar m;
    genvar k;
    for (m = 0; m < MPORTS; m = m + 1) begin : g_mport
      localparam [3:0] MPORT = m;

      // What the four inputs see of their six targets, and the grants of these.
      wire [191:0] can = {to_can[m*64 +: 64], o_can[m*128 +: 128]};
      wire [23:0] grants = {to_grant[m*8 +: 8],
                            o_grant[(4*m+3)*32 +: 4], o_grant[(4*m+2)*32 +: 4],
                            o_grant[(4*m+1)*32 +: 4], o_grant[4*m*32 +: 4]};
      wire [31:0] ctl = in_ctl[m*32 +: 32];
      wire [1023:0] data = in_data[m*1024 +: 1024];

      for (k = 0; k < 4; k = k + 1) begin : g_input
        localparam integer P = 4 * m + k;
        localparam [1:0] SOURCE = k;
        wire [5:0] route_out;
        wire [4:0] route_sc;
        wire [4:0] unused_route_lane;
        wire [4:0] route_entry;
        wire rule_ok;
        wire [4:0] rule_lane;
        wire [4:0] rule_sc;
        wire [4:0] rule_sl;
        wire [2:0] rule_target;
        wire [2:0] to;

        loom_opa_rule #(
          .VLS(VLS),
          .TOTAL_W(CENTRAL_W)
        ) u_rule (
          .mport_i(MPORT),
          .mode_i(mode),
          .choice_i(choice),
          .sc2vl_i(sc2vl),
          .sc2sl_i(sc2sl),
          .sl2sc_i(sl2sc),
          .total_0_i(to_total[2*m*CENTRAL_W +: CENTRAL_W]),
          .total_1_i(to_total[(2*m+1)*CENTRAL_W +: CENTRAL_W]),
          .out_i(route_out),
          .sc_i(route_sc),
          .entry_i(route_entry),
          .ok_o(rule_ok),
          .lane_o(rule_lane),
          .sc_o(rule_sc),
          .sl_o(rule_sl),
          .target_o(rule_target)
        );

        loom_switch_input #(
          .PORTS(PORTS),
          .VLS(VLS),
          .LANES(4),
          .RD_FLITS(MPORT_SPEEDUP),
          .CELLS(CELLS_IN),
          .RESERVED(RESERVED_IN),
          .LIDS(LIDS),
          .D_IN(D_IN),
          .STALL_CYCLES(STALL_CYCLES),
          .TARGETS(6),
          .TARGET_W(3),
          .PASS_W(11)
        ) u_input (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .in_valid_i(in_valid_i[P]),
          .in_head_i(in_head_i[P]),
          .in_tail_i(in_tail_i[P]),
          .in_vl_i(in_vl_i[P*5 +: 5]),
          .in_data_i(in_data_i[P*64 +: 64]),
          .in_cr_valid_o(in_cr_valid_o[P]),
          .in_cr_vl_o(in_cr_vl_o[P*5 +: 5]),
          .lft_we_i(lft_we),
          .lft_addr_i(reg_addr[15:0]),
          .lft_data_i(reg_data[`LOOM_SWITCH_REG_LFT_OUT]),
          .lft_count_i(lft_count),
          .place_i(19'd0),
          .map_on_i(mode == `LOOM_OPA_MODE_SC2SC),
          .mtu_i(mtu),
          .route_out_o(route_out),
          .route_sc_o(route_sc),
          .route_lane_o(unused_route_lane),
          .route_entry_o(route_entry),
          .rule_ok_i(rule_ok),
          .rule_lane_i(rule_lane),
          .rule_sc_i(rule_sc),
          .rule_target_i(rule_target),
          .rule_pass_i({route_out, rule_sl}),
          .can_i(can),
          .grant_i(granted_q[P]),
          .grant_o(in_granted[P]),
          .ask_o(in_ask[P]),
          .target_o(to),
          .record_o(in_record[P*32 +: 32]),
          .granted_i(grants[{to, SOURCE}]),
          .done_o(in_done[P]),
          .word_valid_o(in_ctl[P*8 + `LOOM_WORD_VALID]),
          .word_first_o(in_ctl[P*8 + `LOOM_WORD_FIRST]),
          .word_flits_o(in_ctl[P*8 + `LOOM_WORD_FLITS_AT +: 3]),
          .word_data_o(in_data[P*256 +: 256]),
          .idle_o(in_idle[P]),
          .error_o(in_error[P]),
          .trap_o(trap[P]),
          .trap_data_o(trap_data[P*32 +: 24]),
          .trap_move_i(trap_move[P]),
          .reg_we_i(port_we[P]),
          .reg_re_i(port_re[P]),
          .reg_addr_i(reg_addr[11:0]),
          .reg_data_i(reg_data),
          .reg_rdata_o(in_rdata[P*32 +: 32])
        );

        assign in_target[P*8 +: 8] = to[2] ? {6'h20, to[1:0]} : {2'b00, MPORT, to[1:0]};
        assign in_ctl[P*8+5 +: 3] = 3'd0;
        assign trap_data[P*32+24 +: 8] = 8'd0;
      end

      for (k = 0; k < 2; k = k + 1) begin : g_central
        localparam integer B = 2 * m + k;
        localparam integer NUMBER = 128 + k;
        localparam integer SOURCE = 4 + B;
        wire [27:0] announced;
        wire locked;
        wire [1:0] from;
        wire [4:0] lane;
        wire cfg_we;
        wire [VLS*CENTRAL_W-1:0] avail;
        wire [31:0] unused_room;
        wire [5:0] to;

        loom_switch_target #(
          .N(4),
          .VLS(VLS),
          .COUNT_W(CENTRAL_W),
          .FROM_W(2)
        ) u_target (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .number_i(NUMBER[7:0]),
          .ask_i(in_ask[m*4 +: 4]),
          .target_i(in_target[m*32 +: 32]),
          .record_i(in_record[m*128 +: 128]),
          .done_i(in_done[m*4 +: 4]),
          .granted_i(central_targeted_q[B]),
          .granted_o(to_granted[B]),
          .grant_o(to_grant[B*4 +: 4]),
          .record_o(announced),
          .cfg_we_i(cfg_we),
          .avail_i(avail),
          .mtu_i(mtu),
          .can_o(to_can[B*32 +: 32]),
          .room_o(unused_room),
          .locked_o(locked),
          .from_o(from),
          .lane_o(lane)
        );

        wire [4:0] wr_ctl = ctl[{from, 3'd0} +: 5];

        loom_opa_central #(
          .OUTS(PORTS),
          .VLS(VLS),
          .RD_FLITS(CENTRAL_SPEEDUP),
          .CELLS(CELLS_CENTRAL),
          .RESERVED(RESERVED_CENTRAL),
          .D_C(D_C),
          .SCHED(CENTRAL_SCHED),
          .KEYS(KEYS),
          .ARB_KEY(ARB_KEY),
          .ENTRIES(ENTRIES),
          .IB_WEIGHTS(IB_WEIGHTS),
          .N_HIGH(N_HIGH),
          .N_LOW(N_LOW)
        ) u_central (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .announce_i(to_granted[B]),
          .record_i(announced),
          .wr_valid_i(locked && wr_ctl[`LOOM_WORD_VALID]),
          .wr_lane_i(lane),
          .wr_first_i(wr_ctl[`LOOM_WORD_FIRST]),
          .wr_flits_i(wr_ctl[`LOOM_WORD_FLITS]),
          .wr_data_i(data[{from, 8'd0} +: 256]),
          .avail_o(avail),
          .total_o(to_total[B*CENTRAL_W +: CENTRAL_W]),
          .cfg_we_o(cfg_we),
          .idle_o(c_idle[B]),
          .can_i(o_can),
          .room_i(o_room),
          .grant_i(central_granted_q[B]),
          .grant_o(c_granted[B]),
          .ask_o(c_ask[B]),
          .target_o(to),
          .record_o(c_record[B*32 +: 32]),
          .granted_i(o_grant[{to[PW-1:0], SOURCE[4:0]}]),
          .done_o(c_done[B]),
          .word_valid_o(c_ctl[B*8 + `LOOM_WORD_VALID]),
          .word_first_o(c_ctl[B*8 + `LOOM_WORD_FIRST]),
          .word_flits_o(c_ctl[B*8 + `LOOM_WORD_FLITS_AT +: 3]),
          .word_data_o(c_data[B*256 +: 256]),
          .reg_we_i(central_we[B]),
          .reg_re_i(central_re[B]),
          .reg_addr_i(reg_addr[11:0]),
          .reg_data_i(reg_data),
          .reg_rdata_o(central_rdata[B*32 +: 32])
        );

        assign c_target[B*8 +: 8] = {2'b00, to};
        assign c_ctl[B*8+5 +: 3] = 3'd0;
      end

      for (k = 0; k < 4; k = k + 1) begin : g_output
        localparam integer P = 4 * m + k;
        localparam [FROM_W-1:0] CENTRAL = 4;
        wire [27:0] announced;
        wire locked;
        wire [FROM_W-1:0] from;
        wire [4:0] lane;
        wire cfg_we;
        wire [VLS*OUT_W-1:0] avail;
        wire [31:0] rdata;

        loom_switch_target #(
          .N(SOURCES),
          .VLS(VLS),
          .COUNT_W(OUT_W),
          .FROM_W(FROM_W)
        ) u_target (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .number_i(P[7:0]),
          .ask_i({c_ask, in_ask[m*4 +: 4]}),
          .target_i({c_target, in_target[m*32 +: 32]}),
          .record_i({c_record, in_record[m*128 +: 128]}),
          .done_i({c_done, in_done[m*4 +: 4]}),
          .granted_i(targeted_q[P]),
          .granted_o(o_granted[P]),
          .grant_o(o_grant[P*32 +: SOURCES]),
          .record_o(announced),
          .cfg_we_i(cfg_we),
          .avail_i(avail),
          .mtu_i(mtu),
          .can_o(o_can[P*32 +: 32]),
          .room_o(o_room[P*32 +: 32]),
          .locked_o(locked),
          .from_o(from),
          .lane_o(lane)
        );

        assign o_grant[P*32+SOURCES +: 32-SOURCES] = {(32 - SOURCES){1'b0}};

        // The crossbars: the MPort's own and the central one.
        wire own = from < CENTRAL;
        wire [FROM_W-1:0] central = from - CENTRAL;
        wire [BW-1:0] b = central[BW-1:0];
        wire [4:0] wr_ctl = own ? ctl[{from[1:0], 3'd0} +: 5] : c_ctl[{b, 3'd0} +: 5];
        wire [255:0] wr_data = own ? data[{from[1:0], 8'd0} +: 256] : c_data[{b, 8'd0} +: 256];
        wire unused_out = &{1'b0, announced[`LOOM_PACKET_OUT], central};

        loom_switch_output #(
          .VLS(VLS),
          .LANES(4),
          .CELLS(CELLS_OUT),
          .RESERVED(RESERVED_OUT),
          .REMOTE_UNITS(REMOTE_UNITS),
          .REMOTE_RESERVED(REMOTE_RESERVED),
          .D_OUT(D_OUT),
          .SCHED(SCHED),
          .KEYS(KEYS),
          .ARB_KEY(ARB_KEY),
          .ENTRIES(ENTRIES),
          .IB_WEIGHTS(IB_WEIGHTS),
          .N_HIGH(N_HIGH),
          .N_LOW(N_LOW)
        ) u_output (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .announce_i(o_granted[P]),
          .record_i(announced[21:0]),
          .wr_valid_i(locked && wr_ctl[`LOOM_WORD_VALID]),
          .wr_lane_i(lane),
          .wr_first_i(wr_ctl[`LOOM_WORD_FIRST]),
          .wr_flits_i(wr_ctl[`LOOM_WORD_FLITS]),
          .wr_data_i(wr_data),
          .avail_o(avail),
          .cfg_we_o(cfg_we),
          .idle_o(o_idle[P]),
          .out_valid_o(out_valid_o[P]),
          .out_head_o(out_head_o[P]),
          .out_tail_o(out_tail_o[P]),
          .out_vl_o(out_vl_o[P*5 +: 5]),
          .out_data_o(out_data_o[P*64 +: 64]),
          .out_cr_valid_i(out_cr_valid_i[P]),
          .out_cr_vl_i(out_cr_vl_i[P*5 +: 5]),
          .in_error_i(in_error[P]),
          .reg_we_i(port_we[P]),
          .reg_re_i(port_re[P]),
          .reg_addr_i(reg_addr[11:0]),
          .reg_data_i(reg_data),
          .reg_rdata_o(rdata)
        );

        assign port_rdata[P*32 +: 32] = in_rdata[P*32 +: 32] | rdata;
      end

    end
  endgenerate

  always @(posedge clk_i) begin
    if (rst_i) begin
      granted_q <= {PORTS{1'b0}};
      central_granted_q <= {CENTRALS{1'b0}};
      targeted_q <= {PORTS{1'b0}};
      central_targeted_q <= {CENTRALS{1'b0}};
      idle_q <= 1'b1;
    end else begin
      granted_q <= in_granted;
      central_granted_q <= c_granted;
      targeted_q <= o_granted;
      central_targeted_q <= to_granted;
      idle_q <= in_idle == {PORTS{1'b1}} && c_idle == {CENTRALS{1'b1}}
                && o_idle == {PORTS{1'b1}};
    end
  end

endmodule

`default_nettype wire
