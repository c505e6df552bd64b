// SPDX-License-Identifier: Apache-2.0

// loom_ib_crossbar: a switch of PORTS ports around one crossbar, buffers at inputs and outputs; all
//   of it but the registers that are the top's probes.
// Inside: loom_ib_switch, loom_kns_node, loom_kns_switch
//
// Contract: links as in docs/link.md; registers as in docs/switch.md, one access a cycle. The top
//   holds granted_i, targeted_i and idle_i (they are probes) and loads them from granted_o,
//   targeted_o and idle_o. All other outputs are registers or gated registers.
// Algorithm: a loom_switch_input and a loom_switch_output a port; two-stage allocation between them
//   (loom_switch_pick at each input, loom_switch_target at each output); a packet moves whole, up
//   to SPEEDUP flits a cycle, and while it still arrives (virtual cut-through).
// Latency: ROUTING_CYCLES + 2 BUFFER_CYCLES + ALLOCATION_CYCLES + CROSSBAR_CYCLES + FLIGHT_CYCLES
//   cycles from link in to link out, unloaded; more if STALL_CYCLES makes a packet wait for its
//   flits.
// Wait bound: round robin in both stages of allocation, the scheduler's at the outputs; a lane
//   below its reserves is never kept out by another one.
// Parameters: ROUTE (what finds the output of a packet: 0 an LFT, 1 the coordinates of a kns_node,
//   2 the coordinate of a kns_switch), HOSTS (1..8), DIMS (1..4), W (bits of a coordinate, 1..6)
//   for ROUTE 1 and 2, LIDS (entries of the LFT, 16..65536) for ROUTE 0, PORTS (2..48), and as in
//   loom_ib_switch VLS, SPEEDUP, SCHED, KEYS, ARB_KEY, ENTRIES, IB_WEIGHTS, N_HIGH, N_LOW,
//   CELLS_IN, CELLS_OUT, RESERVED_IN, RESERVED_OUT, REMOTE_UNITS, REMOTE_RESERVED, MTU_UNITS,
//   ROUTING_CYCLES, BUFFER_CYCLES, ALLOCATION_CYCLES, CROSSBAR_CYCLES, FLIGHT_CYCLES and
//   STALL_CYCLES. All are checked here.
// Realises: IB-01..06, KN-02, OP-06, OP-08, OP-10, OP-11, OP-13..15, OP-18..20, SC-01..04,
//   DT-01..04.
// Page: docs/ib.md, section ib_switch.
`default_nettype none
`include "loom_fields.vh"
`include "loom_regs.vh"
`include "loom_switch_parameters.vh"

module loom_ib_crossbar #(
  parameter integer ROUTE        = 0,
  parameter integer HOSTS        = 1,
  parameter integer DIMS         = 2,
  parameter integer W            = 3,
  parameter integer PORTS        = 36,
  parameter integer SPEEDUP      = 1,
  parameter integer SCHED        = 3,
  parameter integer ARB_KEY      = 0,
  parameter integer ENTRIES      = 64,
  parameter integer CELLS_IN     = 1792,
  parameter integer CELLS_OUT    = 1792,
  parameter integer REMOTE_UNITS = 1792,
  parameter integer LIDS         = 49152,
  `LOOM_SWITCH_PARAMETERS
) (
  input  wire                clk_i,
  input  wire                rst_i,

  // Links.
  input  wire [PORTS-1:0]    in_valid_i,
  input  wire [PORTS-1:0]    in_head_i,
  input  wire [PORTS-1:0]    in_tail_i,
  input  wire [PORTS*5-1:0]  in_vl_i,
  input  wire [PORTS*64-1:0] in_data_i,
  output wire [PORTS-1:0]    in_cr_valid_o,
  output wire [PORTS*5-1:0]  in_cr_vl_o,
  output wire [PORTS-1:0]    out_valid_o,
  output wire [PORTS-1:0]    out_head_o,
  output wire [PORTS-1:0]    out_tail_o,
  output wire [PORTS*5-1:0]  out_vl_o,
  output wire [PORTS*64-1:0] out_data_o,
  input  wire [PORTS-1:0]    out_cr_valid_i,
  input  wire [PORTS*5-1:0]  out_cr_vl_i,

  // The register bus.
  input  wire                reg_we_i,
  input  wire                reg_re_i,
  input  wire [19:0]         reg_addr_i,
  input  wire [31:0]         reg_wdata_i,
  output wire                reg_rvalid_o,
  output wire [31:0]         reg_rdata_o,
  output wire                trap_o,

  // The top's registers: each takes its _o at every edge, and 0, 0, 1 at a reset.
  input  wire [PORTS-1:0]    granted_i,         // the input was granted in the last cycle
  output wire [PORTS-1:0]    granted_o,
  input  wire [PORTS-1:0]    targeted_i,        // the output was granted in the last cycle
  output wire [PORTS-1:0]    targeted_o,
  input  wire                idle_i,            // no unit was in use at the last edge
  output wire                idle_o
);

  generate
    `LOOM_SWITCH_CHECKS
    if (ROUTE < 0 || ROUTE > 2) begin : g_bad_route
      loom_ib_crossbar_ROUTE_must_be_0_to_2 u_error ();
    end
    if (HOSTS < 1 || HOSTS > 8) begin : g_bad_hosts
      loom_ib_crossbar_HOSTS_must_be_1_to_8 u_error ();
    end
    if (DIMS < 1 || DIMS > 4) begin : g_bad_dims
      loom_ib_crossbar_DIMS_must_be_1_to_4 u_error ();
    end
    if (W < 1 || W > 6) begin : g_bad_w
      loom_ib_crossbar_W_must_be_1_to_6 u_error ();
    end
    if ($clog2(HOSTS) + DIMS * W > 15) begin : g_bad_address
      loom_ib_crossbar_W_must_be_15_bits_or_less_with_HOSTS_and_DIMS u_error ();
    end
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_ib_crossbar_PORTS_must_be_2_to_48 u_error ();
    end
    if (SPEEDUP < 1 || SPEEDUP > 2) begin : g_bad_speedup
      loom_ib_crossbar_SPEEDUP_must_be_1_to_2 u_error ();
    end
    if (SCHED < 0 || SCHED > 3) begin : g_bad_sched
      loom_ib_crossbar_SCHED_must_be_0_to_3 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_ib_crossbar_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ENTRIES < 1 || ENTRIES > 128) begin : g_bad_entries
      loom_ib_crossbar_ENTRIES_must_be_1_to_128 u_error ();
    end
    if (CELLS_IN < 16 || CELLS_IN > 4096) begin : g_bad_cells_in
      loom_ib_crossbar_CELLS_IN_must_be_16_to_4096 u_error ();
    end
    if (CELLS_OUT < 16 || CELLS_OUT > 4096) begin : g_bad_cells_out
      loom_ib_crossbar_CELLS_OUT_must_be_16_to_4096 u_error ();
    end
    if (REMOTE_UNITS < 16 || REMOTE_UNITS > 4095) begin : g_bad_remote_units
      loom_ib_crossbar_REMOTE_UNITS_must_be_16_to_4095 u_error ();
    end
    if (LIDS < 16 || LIDS > 65536) begin : g_bad_lids
      loom_ib_crossbar_LIDS_must_be_16_to_65536 u_error ();
    end
    if (RESERVED_IN < 0 || VLS * RESERVED_IN > CELLS_IN)
    begin : g_bad_all_reserved_in
      loom_ib_crossbar_CELLS_IN_must_hold_all_RESERVED_IN u_error ();
    end
    if (RESERVED_OUT < 0 || VLS * RESERVED_OUT > CELLS_OUT)
    begin : g_bad_all_reserved_out
      loom_ib_crossbar_CELLS_OUT_must_hold_all_RESERVED_OUT u_error ();
    end
    if (REMOTE_RESERVED < 0 || VLS * REMOTE_RESERVED > REMOTE_UNITS)
    begin : g_bad_all_remote_reserved
      loom_ib_crossbar_REMOTE_UNITS_must_hold_all_REMOTE_RESERVED u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_ib_crossbar_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
  endgenerate

  localparam integer DEVICE   = (ROUTE == 0) ? `LOOM_DEVICE_ID_IB_SWITCH
                                : (ROUTE == 1) ? `LOOM_DEVICE_ID_KNS_NODE
                                : `LOOM_DEVICE_ID_KNS_SWITCH;
  localparam integer D_IN     = (ROUTING_CYCLES - 2) + (BUFFER_CYCLES - 2)
    + (ALLOCATION_CYCLES - 1);
  localparam integer D_OUT    = CROSSBAR_CYCLES + (BUFFER_CYCLES - 2) + (FLIGHT_CYCLES - 1);
  localparam integer COUNT_W  = $clog2(CELLS_OUT + 1);
  localparam integer TARGET_W = $clog2(PORTS);
  localparam integer WORD     = SPEEDUP * 64;
  localparam integer WORD_W   = $clog2(WORD);

  // Registers and tables.
  wire [19:0] reg_addr;
  wire [31:0] reg_data;
  wire [PORTS-1:0] port_we;
  wire [PORTS-1:0] port_re;
  wire [PORTS*32-1:0] port_rdata;
  wire [1:0] mode;
  wire lft_we;
  wire [16:0] lft_count;
  wire [18:0] place;
  wire [VLS*16-1:0] mtu;
  wire [PORTS-1:0] trap;
  wire [PORTS*32-1:0] trap_data;
  wire [PORTS-1:0] trap_move;
  wire unused_reg_we;
  wire unused_central_we;
  wire unused_central_re;
  wire unused_choice;
  wire unused = &{1'b0, mode[1], reg_addr[19:16]};

  loom_switch_common #(
    .DEVICE(DEVICE),
    .ROUTE(ROUTE),
    .PORTS(PORTS),
    .CENTRALS(1),
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
    .reg_we_o(unused_reg_we),
    .reg_addr_o(reg_addr),
    .reg_data_o(reg_data),
    .port_we_o(port_we),
    .port_re_o(port_re),
    .central_we_o(unused_central_we),
    .central_re_o(unused_central_re),
    .more_word_i(32'd0),
    .port_rdata_i(port_rdata),
    .more_rdata_i(32'd0),
    .mode_o(mode),
    .choice_o(unused_choice),
    .lft_we_o(lft_we),
    .lft_count_o(lft_count),
    .place_o(place),
    .mtu_o(mtu),
    .idle_i(idle_i),
    .trap_i(trap),
    .trap_data_i(trap_data),
    .trap_move_o(trap_move),
    .trap_o(trap_o)
  );

  // Between inputs and outputs.
  wire [PORTS-1:0] ask;
  wire [PORTS*8-1:0] target;
  wire [PORTS*32-1:0] record;
  wire [PORTS-1:0] done;
  wire [PORTS-1:0] granted;
  wire [PORTS*8-1:0] ctl;                       // {flits, first, valid} of each input's word
  wire [PORTS*WORD-1:0] data;
  wire [PORTS*32-1:0] can;
  wire [PORTS*64-1:0] grant;                    // of each output: the inputs
  wire [PORTS-1:0] targeted;
  wire [PORTS-1:0] in_idle;
  wire [PORTS-1:0] in_error;
  wire [PORTS-1:0] out_idle;

  generate
    genvar p;
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      localparam [7:0] NUMBER = p;
      localparam [5:0] SOURCE = p;

      // The input and the rule of routing.
      wire [5:0] route_out;
      wire [4:0] route_sc;
      wire [4:0] route_lane;
      wire [4:0] route_entry;
      wire rule_ok;
      wire [4:0] rule_lane;
      wire [TARGET_W-1:0] to;
      wire [31:0] in_rdata;
      wire unused_out = &{1'b0, route_out};

      loom_ib_rule #(
        .VLS(VLS)
      ) u_rule (
        .map_on_i(mode[0]),
        .lane_i(route_lane),
        .entry_i(route_entry),
        .ok_o(rule_ok),
        .lane_o(rule_lane)
      );

      loom_switch_input #(
        .PORTS(PORTS),
        .VLS(VLS),
        .LANES(SPEEDUP),
        .RD_FLITS(SPEEDUP),
        .CELLS(CELLS_IN),
        .RESERVED(RESERVED_IN),
        .LIDS(LIDS),
        .ROUTE(ROUTE),
        .HOSTS(HOSTS),
        .DIMS(DIMS),
        .W(W),
        .D_IN(D_IN),
        .STALL_CYCLES(STALL_CYCLES),
        .TARGETS(PORTS),
        .TARGET_W(TARGET_W),
        .PASS_W(5)
      ) u_input (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .in_valid_i(in_valid_i[p]),
        .in_head_i(in_head_i[p]),
        .in_tail_i(in_tail_i[p]),
        .in_vl_i(in_vl_i[p*5 +: 5]),
        .in_data_i(in_data_i[p*64 +: 64]),
        .in_cr_valid_o(in_cr_valid_o[p]),
        .in_cr_vl_o(in_cr_vl_o[p*5 +: 5]),
        .lft_we_i(lft_we),
        .lft_addr_i(reg_addr[15:0]),
        .lft_data_i(reg_data[5:0]),
        .lft_count_i(lft_count),
        .place_i(place),
        .map_on_i(mode[0]),
        .mtu_i(mtu),
        .route_out_o(route_out),
        .route_sc_o(route_sc),
        .route_lane_o(route_lane),
        .route_entry_o(route_entry),
        .rule_ok_i(rule_ok),
        .rule_lane_i(rule_lane),
        .rule_sc_i(route_sc),
        .rule_target_i(route_out[TARGET_W-1:0]),
        .rule_pass_i(route_sc),
        .can_i(can),
        .grant_i(granted_i[p]),
        .grant_o(granted[p]),
        .ask_o(ask[p]),
        .target_o(to),
        .record_o(record[p*32 +: 32]),
        .granted_i(grant[{to, SOURCE}]),
        .done_o(done[p]),
        .word_valid_o(ctl[p*8 + `LOOM_WORD_VALID]),
        .word_first_o(ctl[p*8 + `LOOM_WORD_FIRST]),
        .word_flits_o(ctl[p*8 + `LOOM_WORD_FLITS_AT +: 3]),
        .word_data_o(data[p*WORD +: WORD]),
        .idle_o(in_idle[p]),
        .error_o(in_error[p]),
        .trap_o(trap[p]),
        .trap_data_o(trap_data[p*32 +: 24]),
        .trap_move_i(trap_move[p]),
        .reg_we_i(port_we[p]),
        .reg_re_i(port_re[p]),
        .reg_addr_i(reg_addr[11:0]),
        .reg_data_i(reg_data),
        .reg_rdata_o(in_rdata)
      );

      assign target[p*8 +: 8] = {{(8 - TARGET_W){1'b0}}, to};
      assign ctl[p*8+5 +: 3] = 3'd0;
      assign trap_data[p*32+24 +: 8] = 8'd0;

      // The output as a target.
      wire [27:0] announced;
      wire locked;
      wire [TARGET_W-1:0] from;
      wire [4:0] lane;
      wire cfg_we;
      wire [VLS*COUNT_W-1:0] avail;
      wire [31:0] unused_room;

      loom_switch_target #(
        .N(PORTS),
        .VLS(VLS),
        .COUNT_W(COUNT_W),
        .FROM_W(TARGET_W)
      ) u_target (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .number_i(NUMBER),
        .ask_i(ask),
        .target_i(target),
        .record_i(record),
        .done_i(done),
        .granted_i(targeted_i[p]),
        .granted_o(targeted[p]),
        .grant_o(grant[p*64 +: PORTS]),
        .record_o(announced),
        .cfg_we_i(cfg_we),
        .avail_i(avail),
        .mtu_i(mtu),
        .can_o(can[p*32 +: 32]),
        .room_o(unused_room),
        .locked_o(locked),
        .from_o(from),
        .lane_o(lane)
      );

      assign grant[p*64+PORTS +: 64-PORTS] = {(64 - PORTS){1'b0}};

      // The crossbar and the output.
      wire [4:0] wr_ctl = ctl[{from, 3'd0} +: 5];
      wire [WORD-1:0] wr_data = data[{from, {WORD_W{1'b0}}} +: WORD];
      wire [31:0] out_rdata;
      wire unused_announced = &{1'b0, announced[`LOOM_PACKET_OUT]};

      loom_switch_output #(
        .VLS(VLS),
        .LANES(SPEEDUP),
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
        .announce_i(targeted[p]),
        .record_i(announced[21:0]),
        .wr_valid_i(locked && wr_ctl[`LOOM_WORD_VALID]),
        .wr_lane_i(lane),
        .wr_first_i(wr_ctl[`LOOM_WORD_FIRST]),
        .wr_flits_i(wr_ctl[`LOOM_WORD_FLITS]),
        .wr_data_i(wr_data),
        .avail_o(avail),
        .cfg_we_o(cfg_we),
        .idle_o(out_idle[p]),
        .out_valid_o(out_valid_o[p]),
        .out_head_o(out_head_o[p]),
        .out_tail_o(out_tail_o[p]),
        .out_vl_o(out_vl_o[p*5 +: 5]),
        .out_data_o(out_data_o[p*64 +: 64]),
        .out_cr_valid_i(out_cr_valid_i[p]),
        .out_cr_vl_i(out_cr_vl_i[p*5 +: 5]),
        .in_error_i(in_error[p]),
        .reg_we_i(port_we[p]),
        .reg_re_i(port_re[p]),
        .reg_addr_i(reg_addr[11:0]),
        .reg_data_i(reg_data),
        .reg_rdata_o(out_rdata)
      );

      assign port_rdata[p*32 +: 32] = in_rdata | out_rdata;
    end
  endgenerate

  assign granted_o = granted;
  assign targeted_o = targeted;
  assign idle_o = in_idle == {PORTS{1'b1}} && out_idle == {PORTS{1'b1}};

endmodule

`default_nettype wire
