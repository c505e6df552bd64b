// SPDX-License-Identifier: Apache-2.0

// loom_mport_switch: Omni-Path switch of the second edition: 4 MPORTS ports, a crossbar in each
//   MPort and a central one between them, packet stores at inputs, in the centre and at outputs.
//
// Contract: links as in docs/link.md; registers as in docs/mport_switch.md, one access a cycle.
//   Nothing comes in the first 320 cycles after a reset, and the other duties of the page. All
//   outputs are registers or functions of registers.
// Algorithm: a loom_crossbar_switch_port a port (input unit, crossing, output unit), two
//   loom_central_unit an MPort, one loom_mport_alloc, in which central units are sources and
//   targets; a packet moves whole, at up to MPORT_SPEEDUP flits a cycle out of an input and
//   CENTRAL_SPEEDUP out of a central unit, and while it still arrives (virtual cut-through).
// Latency: 20 cycles from link in to link out in an MPort, 26 through the centre, and IN_DELAY and
//   CENTRAL_DELAY more, unloaded; with OUT_DELAY > 0 one less and OUT_DELAY more; more if
//   STALL_CYCLES makes a packet wait for its flits. A read is answered after 4 MPORTS + 3 cycles.
// Wait bound: that of loom_mport_alloc, once or twice, then the scheduler's; a lane below its
//   reserves is never kept out by another one.
// Parameters: MPORTS (2..12), VLS (lanes, 2..32), MPORT_SPEEDUP (1..4), CENTRAL_SPEEDUP (1..4),
//   SCHED (0 round_robin, 1 bandwidth_table, 2 deficit_table, 3 two_table), KEYS, ARB_KEY, ENTRIES,
//   N_HIGH, N_LOW (the scheduler's), CELLS_IN, CELLS_CENTRAL, CELLS_OUT (units of 64 bytes,
//   16..4095), RESERVED_CENTRAL, RESERVED_OUT (of them to each lane, 0..4095), REMOTE_UNITS
//   (16..4095), REMOTE_RESERVED (0..4095), MTU_UNITS (1..512), LIDS (entries of the LFT,
//   16..65536), IN_DELAY, CENTRAL_DELAY, OUT_DELAY (cycles, 0..255), STALL_CYCLES (most cycles in
//   which a crossing waits for flits, 0..4095; 4095: any number), PATIENCE (bookings after which
//   the allocation holds for a head, 1..255).
// Realises: OP-01..08, OP-10, OP-11, OP-13, OP-15, OP-18..20, DT-01..04, DT-10; probes idle, ready,
//   central_booked, central_leaves, central_open, central_less.
// Page: docs/mport_switch.md, sections Interface and What is joined.
`default_nettype none
`include "loom_assert.vh"
`include "loom_crossbar_switch_port.vh"
`include "loom_regs.vh"

module loom_mport_switch #(
  parameter integer MPORTS           = 12,
  parameter integer VLS              = 9,
  parameter integer MPORT_SPEEDUP    = 3,
  parameter integer CENTRAL_SPEEDUP  = 4,
  parameter integer SCHED            = 2,
  parameter integer KEYS             = 32,
  parameter integer ARB_KEY          = 1,
  parameter integer ENTRIES          = 128,
  parameter integer N_HIGH           = 64,
  parameter integer N_LOW            = 64,
  parameter integer CELLS_IN         = 1024,
  parameter integer CELLS_CENTRAL    = 1024,
  parameter integer CELLS_OUT        = 1024,
  parameter integer RESERVED_CENTRAL = 32,
  parameter integer RESERVED_OUT     = 32,
  parameter integer REMOTE_UNITS     = 1024,
  parameter integer REMOTE_RESERVED  = 32,
  parameter integer MTU_UNITS        = 32,
  parameter integer LIDS             = 49152,
  parameter integer IN_DELAY         = 0,
  parameter integer CENTRAL_DELAY    = 0,
  parameter integer OUT_DELAY        = 0,
  parameter integer STALL_CYCLES     = 4095,
  parameter integer PATIENCE         = 32
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
    if (MPORTS < 2 || MPORTS > 12) begin : g_bad_mports
      loom_mport_switch_MPORTS_must_be_2_to_12 u_error ();
    end
    if (SCHED < 0 || SCHED > 3) begin : g_bad_sched
      loom_mport_switch_SCHED_must_be_0_to_3 u_error ();
    end
    if (CELLS_IN < 16 || CELLS_IN > 4095 || MTU_UNITS > CELLS_IN) begin : g_bad_cells_in
      loom_mport_switch_CELLS_IN_must_be_16_to_4095_and_hold_MTU_UNITS u_error ();
    end
    if (CELLS_CENTRAL < 16 || CELLS_CENTRAL > 4095 || MTU_UNITS > CELLS_CENTRAL
        || VLS * RESERVED_CENTRAL > CELLS_CENTRAL) begin : g_bad_cells_central
      loom_mport_switch_CELLS_CENTRAL_must_be_16_to_4095_and_hold_MTU_UNITS_and_reserves u_error ();
    end
    if (LIDS < 16 || LIDS > 65536) begin : g_bad_lids
      loom_mport_switch_LIDS_must_be_16_to_65536 u_error ();
    end
    if (CENTRAL_DELAY < 0 || CENTRAL_DELAY > 255) begin : g_bad_central_delay
      loom_mport_switch_CENTRAL_DELAY_must_be_0_to_255 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(nothing_before_ready,
      ready_q || !(|in_valid_i || |out_cr_valid_i || reg_we_i || reg_re_i))
  `LOOM_REQUIRE(never_a_read_and_a_write, !(reg_we_i && reg_re_i))

  localparam integer P         = 4 * MPORTS;    // ports
  localparam integer C         = 2 * MPORTS;    // central units
  localparam integer N         = P + C;         // sources, and targets, of the allocation
  localparam integer S         = 2 + C;         // sources of an output: not its own central units
  localparam integer IN_LANES  = 1 << $clog2(MPORT_SPEEDUP);
  localparam integer OUT_LANES = 1 << $clog2(CENTRAL_SPEEDUP);
  localparam integer LANES     = (IN_LANES > OUT_LANES) ? IN_LANES : OUT_LANES;
  localparam integer IN_W      = 64 * IN_LANES;
  localparam integer OUT_W     = 64 * OUT_LANES;
  localparam integer WORD_W    = 64 * LANES;
  localparam integer QUEUES    = (VLS > 16) ? 1 : 2;  // of a lane of a central unit: 32 in all
  localparam integer TOTAL_W   = $clog2(CELLS_CENTRAL + 1);
  localparam [5:0] NOT_HERE    = 6'd63;

  // ---- Between the units: inputs and outputs first, then central units --------------------------

  wire [N-1:0] head_event;
  wire [N*5-1:0] head_lane;
  wire [N*6-1:0] head_target;
  wire [N*5-1:0] head_vl;
  wire [N*34-1:0] head_info;            // above HEAD_INFO the output, of inputs alone
  wire [N-1:0] source_ready;
  wire [N-1:0] take;
  wire [N*5-1:0] take_lane;
  wire [N*6-1:0] take_target;
  wire [N-1:0] book;
  wire [N*6-1:0] book_source;
  wire [N*6-1:0] granted_source;        // as the allocation numbers them
  wire [N*5-1:0] book_vl;
  wire [N*34-1:0] book_info;
  wire [N-1:0] target_ready;
  wire [N*VLS-1:0] room;
  wire [N-1:0] start_ok;
  wire [N-1:0] sure;
  wire [N-1:0] ends;
  wire [N-1:0] free;
  wire [N-1:0] word_valid;
  wire [N*6-1:0] word_target;
  wire [N-1:0] word_last;
  wire [N*3-1:0] word_flits;
  wire [P*IN_W-1:0] in_word;
  wire [C*OUT_W-1:0] central_word;
  wire [P-1:0] trap;
  wire [P*24-1:0] trap_word;
  wire [P-1:0] trap_moved;
  wire [P-1:0] idle_port;
  wire [N-1:0] ready_unit;
  wire [C-1:0] central_error;
  wire [C*TOTAL_W-1:0] central_total;
  wire [C-1:0] idle_central_q;          // nothing is in use there
  wire unused_info = &{1'b0, book_info};

  // Registers of parts, for probes.
  wire [C-1:0] central_booked_q;
  wire [C-1:0] central_leaves_q;
  wire [2*C-1:0] central_open_q;
  wire [MPORTS-1:0] central_less_q;     // the second central unit of an MPort has less in it
  wire unused_probes = &{1'b0, central_booked_q, central_leaves_q, central_open_q, central_less_q};

  // The bus and its answers, from before port 0 to behind the last port.
  wire [P:0] bus_we;
  wire [P:0] bus_re;
  wire [(P+1)*20-1:0] bus_addr;
  wire [(P+1)*32-1:0] bus_data;
  wire [(P+1)*32-1:0] answer;

  assign bus_we[0] = reg_we_i;
  assign bus_re[0] = reg_re_i;
  assign bus_addr[19:0] = reg_addr_i;
  assign bus_data[31:0] = reg_wdata_i;

  // ---- What there is once -----------------------------------------------------------------------

  wire [1:0] mode;
  wire adaptive;
  wire lft_we;
  wire [15:0] lft_lid;
  wire [7:0] lft_entry;
  wire [16:0] lft_count;
  wire mtu_we;
  wire [4:0] mtu_vl;
  wire [9:0] mtu_units;
  wire rule_we;
  wire [4:0] rule_sc;
  wire [25:0] rule_data;
  wire common_ready;
  wire [31:0] common_word;
  wire [31:0] rule_word;
  wire [18:0] no_place;                 // the switch has an LFT, and no groups
  wire [6:0] no_count;
  wire [1:0] no_hash;
  wire [31:0] no_sls;
  wire [38:0] no_load;
  wire no_members_we;
  wire no_slot_we;
  wire [11:0] no_addr;
  wire [31:0] no_data;
  wire [P*3-1:0] no_above;
  wire [P*VLS-1:0] no_enter;
  wire [P*7-1:0] no_ring;
  reg idle_q;                           // no unit is in use
  reg ready_q;                          // all memories are swept

  loom_crossbar_switch_common #(
    .PORTS(P),
    .VLS(VLS),
    .MTU_UNITS(MTU_UNITS),
    .LIDS(LIDS),
    .DEVICE(`LOOM_DEVICE_ID_MPORT_SWITCH)
  ) u_common (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .bus_we_i(bus_we[1]),
    .bus_re_i(bus_re[1]),
    .bus_addr_i(bus_addr[39:20]),
    .bus_data_i(bus_data[63:32]),
    .word_o(common_word),
    .mode_o(mode),
    .central_o(adaptive),
    .lft_we_o(lft_we),
    .lft_lid_o(lft_lid),
    .lft_entry_o(lft_entry),
    .lft_count_o(lft_count),
    .place_o(no_place),
    .group_count_o(no_count),
    .group_hash_o(no_hash),
    .group_sls_o(no_sls),
    .group_load_o(no_load),
    .group_members_we_o(no_members_we),
    .group_slot_we_o(no_slot_we),
    .group_addr_o(no_addr),
    .group_data_o(no_data),
    .mtu_we_o(mtu_we),
    .mtu_vl_o(mtu_vl),
    .mtu_units_o(mtu_units),
    .idle_i(idle_q),
    .trap_i(trap),
    .trap_word_i(trap_word),
    .trap_moved_o(trap_moved),
    .trap_o(trap_o),
    .ready_o(common_ready)
  );

  loom_mport_switch_rule #(
    .VLS(VLS),
    .MTU_UNITS(MTU_UNITS)
  ) u_rule (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .bus_we_i(bus_we[1]),
    .bus_re_i(bus_re[1]),
    .bus_addr_i(bus_addr[39:20]),
    .bus_data_i(bus_data[63:32]),
    .word_o(rule_word),
    .mtu_we_i(mtu_we),
    .mtu_vl_i(mtu_vl),
    .mtu_units_i(mtu_units),
    .rule_we_o(rule_we),
    .rule_sc_o(rule_sc),
    .rule_data_o(rule_data)
  );

  assign answer[31:0] = common_word | rule_word;

  loom_mport_alloc #(
    .MPORTS(MPORTS),
    .LANES(VLS),
    .QUEUES(QUEUES),
    .INFO_W(34),
    .PATIENCE(PATIENCE)
  ) u_alloc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .head_event_i(head_event),
    .head_lane_i(head_lane),
    .head_target_i(head_target),
    .head_vl_i(head_vl),
    .head_info_i(head_info),
    .source_ready_i(source_ready),
    .target_ready_i(target_ready),
    .room_i(room),
    .take_o(take),
    .take_lane_o(take_lane),
    .take_target_o(take_target),
    .book_o(book),
    .book_source_o(granted_source),
    .book_vl_o(book_vl),
    .book_info_o(book_info)
  );

  // ---- MPorts -----------------------------------------------------------------------------------

  genvar m;
  genvar j;
  genvar b;
  generate
    for (m = 0; m < MPORTS; m = m + 1) begin : g_mport
      localparam [3:0] MPORT = m;
      localparam integer P0 = 4 * m;    // its first port
      localparam integer C0 = 2 * m;    // and its first central unit

      wire [TOTAL_W-1:0] total_0 = central_total[C0*TOTAL_W +: TOTAL_W];
      wire [TOTAL_W-1:0] total_1 = central_total[(C0+1)*TOTAL_W +: TOTAL_W];
      reg less_q;
      reg equal_q;

      always @(posedge clk_i) begin
        if (rst_i) begin
          less_q <= 1'b0;
          equal_q <= 1'b1;
        end else begin
          less_q <= total_1 < total_0;
          equal_q <= total_1 == total_0;
        end
      end

      assign central_less_q[m] = less_q;

      // What the outputs see of their sources: the inputs of the MPort and the central units of the
      // others, which have their numbers without a gap.
      wire [S-1:0] from_start_ok;
      wire [S-1:0] from_sure;
      wire [S-1:0] from_ends;
      wire [S-1:0] from_valid;
      wire [S*6-1:0] from_target;
      wire [S-1:0] from_last;
      wire [S*3-1:0] from_flits;
      wire [S*WORD_W-1:0] from_word;

      for (b = 0; b < 4; b = b + 1) begin : g_from_input
        assign from_start_ok[b] = start_ok[P0+b];
        assign from_sure[b] = sure[P0+b];
        assign from_ends[b] = ends[P0+b];
        assign from_valid[b] = word_valid[P0+b];
        assign from_target[b*6 +: 6] = word_target[(P0+b)*6 +: 6];
        assign from_last[b] = word_last[P0+b];
        assign from_flits[b*3 +: 3] = word_flits[(P0+b)*3 +: 3];
        assign from_word[b*WORD_W +: WORD_W] = {(LANES / IN_LANES){in_word[(P0+b)*IN_W +: IN_W]}};
      end
      for (b = 0; b < C; b = b + 1) begin : g_from_central
        if (b / 2 != m) begin : g_other
          localparam integer AT = 4 + b - ((b > C0) ? 2 : 0);
          wire [5:0] target = word_target[(P+b)*6 +: 6];
          assign from_start_ok[AT] = start_ok[P+b];
          assign from_sure[AT] = sure[P+b];
          assign from_ends[AT] = ends[P+b];
          assign from_valid[AT] = word_valid[P+b];
          assign from_target[AT*6 +: 6] = (target[5:2] == MPORT) ? {4'd0, target[1:0]} : NOT_HERE;
          assign from_last[AT] = word_last[P+b];
          assign from_flits[AT*3 +: 3] = word_flits[(P+b)*3 +: 3];
          assign from_word[AT*WORD_W +: WORD_W] =
              {(LANES / OUT_LANES){central_word[b*OUT_W +: OUT_W]}};
        end
      end

      // Both central units, then the outputs, as the inputs number them.
      wire [P-1:0] in_free = {{(P - 6){1'b0}}, free[P+C0 +: 2], free[P0 +: 4]};

      // Its ports.

      for (j = 0; j < 4; j = j + 1) begin : g_port
        localparam integer PORT = P0 + j;
        localparam [5:0] NUMBER = PORT[5:0];
        localparam integer OWN_I = 4 + C0;
        localparam [5:0] OWN = OWN_I[5:0];
        wire [5:0] granted = granted_source[PORT*6 +: 6];
        wire central_wrong;

        assign book_source[PORT*6 +: 6] = granted - ((granted < OWN) ? 6'd0 : 6'd2);

        if (j < 2) begin : g_counts_errors
          assign central_wrong = central_error[C0+j];
        end else begin : g_counts_none
          assign central_wrong = 1'b0;
        end

        loom_crossbar_switch_port #(
          .PORTS(P),
          .VLS(VLS),
          .SPEEDUP(MPORT_SPEEDUP),
          `LOOM_CROSSBAR_PORT_PARAMETERS,
          .LIDS(LIDS),
          .IN_DELAY(IN_DELAY),
          .OUT_DELAY(OUT_DELAY),
          .STALL_CYCLES(STALL_CYCLES),
          .RULE(1),
          .SOURCES(S),
          .FAST_FROM(4),
          .FAST_SPEEDUP(CENTRAL_SPEEDUP)
        ) u_port (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .number_i(NUMBER),
          `LOOM_CROSSBAR_PORT_LINK(PORT),
          `LOOM_CROSSBAR_PORT_BUS(PORT),
          .place_i(no_place),
          .group_count_i(no_count),
          .group_hash_i(no_hash),
          .group_sls_i(no_sls),
          .group_load_i(no_load),
          .group_members_we_i(no_members_we),
          .group_slot_we_i(no_slot_we),
          .group_addr_i(no_addr),
          .group_data_i(no_data),
          .above_i(no_above),
          .above_o(no_above[PORT*3 +: 3]),
          .mtu_we_i(mtu_we),
          .mtu_vl_i(mtu_vl),
          .mtu_units_i(mtu_units),
          .rule_we_i(rule_we),
          .rule_sc_i(rule_sc),
          .rule_data_i(rule_data),
          .adaptive_i(adaptive),
          .central_less_i(less_q),
          .central_equal_i(equal_q),
          .central_error_i(central_wrong),
          .head_event_o(head_event[PORT]),
          .head_lane_o(head_lane[PORT*5 +: 5]),
          .head_target_o(head_target[PORT*6 +: 6]),
          .head_vl_o(head_vl[PORT*5 +: 5]),
          .head_info_o(head_info[PORT*34 +: 28]),
          .head_out_o(head_info[PORT*34+28 +: 6]),
          `LOOM_CROSSBAR_PORT_TAKE(PORT),
          .book_info_i(book_info[PORT*34 +: 28]),
          `LOOM_CROSSBAR_PORT_WORD(PORT),
          .enter_o(no_enter[PORT*VLS +: VLS]),
          .ring_o(no_ring[PORT*7 +: 7]),
          .word_data_o(in_word[PORT*IN_W +: IN_W]),
          .free_o(free[PORT]),
          .free_i(in_free),
          .start_ok_i(from_start_ok),
          .sure_i(from_sure),
          .end_i(from_ends),
          .word_valid_i(from_valid),
          .word_target_i(from_target),
          .word_last_i(from_last),
          .word_flits_i(from_flits),
          .word_data_i(from_word),
          .trap_o(trap[PORT]),
          .trap_word_o(trap_word[PORT*24 +: 24]),
          .trap_moved_i(trap_moved[PORT]),
          .idle_o(idle_port[PORT]),
          .ready_o(ready_unit[PORT])
        );
      end

      // Its central units.

      for (j = 0; j < 2; j = j + 1) begin : g_central
        localparam integer UNIT = C0 + j;
        localparam integer TARGET = P + UNIT;
        localparam integer PLACE = P0 + 2 * j + 1;      // of the register of the bus that it sees
        localparam [5:0] NUMBER = UNIT[5:0];

        wire [19:0] at = bus_addr[PLACE*20 +: 20];
        wire [31:0] data = bus_data[PLACE*32 +: 32];
        wire [5:0] number = `LOOM_NUMBER_SWITCH_REG_CENTRALS(at);
        wire here = `LOOM_IS_SWITCH_REG_CENTRALS(at)
                    && (number == NUMBER || number == `LOOM_SWITCH_EVERY);
        wire [11:0] place = at[11:0];
        wire unused_data = &{1'b0, data};
        wire unit_idle;
        reg idle_unit_q;

        loom_central_unit #(
          .MPORTS(MPORTS),
          .VLS(VLS),
          .QUEUES(QUEUES),
          .MPORT_SPEEDUP(MPORT_SPEEDUP),
          .CENTRAL_SPEEDUP(CENTRAL_SPEEDUP),
          .CELLS(CELLS_CENTRAL),
          .RESERVED(RESERVED_CENTRAL),
          .MTU_UNITS(MTU_UNITS),
          .CENTRAL_DELAY(CENTRAL_DELAY)
        ) u_unit (
          .clk_i(clk_i),
          .rst_i(rst_i),
          .second_i(NUMBER[0]),
          .book_i(book[TARGET]),
          .book_source_i(book_source[TARGET*6 +: 6]),
          .book_vl_i(book_vl[TARGET*5 +: 5]),
          .book_info_i(book_info[TARGET*34 +: 34]),
          .target_ready_o(target_ready[TARGET]),
          .room_o(room[TARGET*VLS +: VLS]),
          .free_o(free[TARGET]),
          .start_ok_i(start_ok[P0 +: 4]),
          .sure_i(sure[P0 +: 4]),
          .end_i(ends[P0 +: 4]),
          .word_valid_i(word_valid[P0 +: 4]),
          .word_last_i(word_last[P0 +: 4]),
          .word_target_i(word_target[P0*6 +: 24]),
          .word_flits_i(word_flits[P0*3 +: 12]),
          .word_data_i(in_word[P0*IN_W +: 4*IN_W]),
          .head_event_o(head_event[TARGET]),
          .head_lane_o(head_lane[TARGET*5 +: 5]),
          .head_target_o(head_target[TARGET*6 +: 6]),
          .head_vl_o(head_vl[TARGET*5 +: 5]),
          .head_info_o(head_info[TARGET*34 +: 28]),
          .source_ready_o(source_ready[TARGET]),
          .start_ok_o(start_ok[TARGET]),
          .sure_o(sure[TARGET]),
          .end_o(ends[TARGET]),
          .take_i(take[TARGET]),
          .take_lane_i(take_lane[TARGET*5 +: 5]),
          .take_target_i(take_target[TARGET*6 +: 6]),
          .free_i(free[P-1:0]),
          .word_valid_o(word_valid[TARGET]),
          .word_target_o(word_target[TARGET*6 +: 6]),
          .word_last_o(word_last[TARGET]),
          .word_flits_o(word_flits[TARGET*3 +: 3]),
          .word_data_o(central_word[UNIT*OUT_W +: OUT_W]),
          .need_we_i(mtu_we),
          .need_vl_i(mtu_vl),
          .need_units_i(mtu_units),
          .cfg_we_i(bus_we[PLACE] && here && `LOOM_IS_OPA_WIN_TRACKER(place)),
          .cfg_addr_i(place[6:0]),
          .cfg_data_i(data[11:0]),
          .ready_o(ready_unit[TARGET]),
          .idle_o(unit_idle),
          .error_o(central_error[UNIT]),
          .total_o(central_total[UNIT*TOTAL_W +: TOTAL_W]),
          .booked_o(central_booked_q[UNIT]),
          .leaves_o(central_leaves_q[UNIT]),
          .open_o(central_open_q[UNIT*2 +: 2])
        );
        assign head_info[TARGET*34+28 +: 6] = 6'd0;
        assign book_source[TARGET*6 +: 6] = granted_source[TARGET*6 +: 6];

        always @(posedge clk_i) begin
          if (rst_i) idle_unit_q <= 1'b1;
          else idle_unit_q <= central_total[UNIT*TOTAL_W +: TOTAL_W] == 0 && unit_idle;
        end

        assign idle_central_q[UNIT] = idle_unit_q;
      end
    end
  endgenerate

  // ---- The answer, and the state of the switch --------------------------------------------------

  // A read is valid as many cycles as its answer takes: one in the bus, two for the word, 4 MPORTS.
  reg [P+2:0] rvalid_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      rvalid_q <= {(P + 3){1'b0}};
      idle_q <= 1'b1;
      ready_q <= 1'b0;
    end else begin
      rvalid_q <= {rvalid_q[P+1:0], reg_re_i};
      idle_q <= idle_port == {P{1'b1}} && idle_central_q == {C{1'b1}};
      ready_q <= ready_unit == {N{1'b1}} && common_ready;
    end
  end

  wire unused_ready = ready_q;
  wire unused_above = &{1'b0, no_above, no_enter, no_ring};
  wire unused_bus = &{1'b0, bus_we[P], bus_re[P], bus_addr[P*20 +: 20],
                      bus_data[P*32 +: 32]};

  assign reg_rvalid_o = rvalid_q[P+2];
  assign reg_rdata_o = answer[P*32 +: 32];

endmodule

`default_nettype wire
