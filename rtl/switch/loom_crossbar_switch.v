// SPDX-License-Identifier: Apache-2.0

// loom_crossbar_switch: InfiniBand switch of the second edition: PORTS ports around one crossbar,
//   packet stores at inputs and outputs, everything between them in stages.
//
// Contract: links as in docs/link.md; registers as in docs/crossbar_switch.md, one access a cycle.
//   Nothing comes in the first 320 cycles after a reset, and the other duties of the page. All
//   outputs are registers or functions of registers.
// Algorithm: a loom_crossbar_switch_port a port (input unit, crossing, output unit), one
//   loom_pipelined_alloc; a packet moves whole, up to SPEEDUP flits a cycle, and while it still
//   arrives (virtual cut-through). What finds its output is an LFT, or with ROUTE > 0, as in the
//   devices of a KNS, loom_switch_coordinates, in the same time. With GROUPS > 0 an entry of the
//   LFT may name a group of outputs, of which loom_port_group takes one.
// Latency: 20 cycles from link in to link out, and IN_DELAY more, unloaded; with OUT_DELAY > 0
//   19 and both more; with GROUPS > 0 3 more; more if STALL_CYCLES makes a packet wait for its
//   flits. A read is answered after PORTS + 3 cycles.
// Wait bound: that of loom_pipelined_alloc, then the scheduler's; a lane below its reserves is
//   never kept out by another one.
// Parameters: PORTS (2..48), VLS (lanes, 2..32), SPEEDUP (1..2), SCHED (0 round_robin, 1
//   bandwidth_table, 2 deficit_table, 3 two_table, 4 deficit_round_robin, 5
//   fair_queueing), KEYS, ARB_KEY, ENTRIES,
//   N_HIGH, N_LOW (the scheduler's), CELLS_IN, CELLS_OUT (units of 64 bytes, 16..4096, 16..4095),
//   RESERVED_OUT (of them to each lane), REMOTE_UNITS (16..4095), REMOTE_RESERVED, MTU_UNITS
//   (1..512), ROUTE
//   (what finds an output: 0 an LFT, 1 coordinates as in a kns_node, then PORTS = HOSTS + DIMS, 2
//   as in a kns_switch), LIDS (entries of the LFT, 16..65536), GROUPS (of ports, 0..64; 0 with
//   ROUTE > 0), HOSTS (of a node, 1..8), DIMS (dimensions, 1..4), W (bits of a coordinate, 1..6),
//   with ROUTE > 0 ceil(log2 HOSTS) + DIMS * W <= 15, IN_DELAY, OUT_DELAY (cycles, 0..255),
//   STALL_CYCLES (most cycles in which a crossing waits for flits, 0..4095; 4095: any number),
//   PATIENCE (bookings after which the allocation holds for a head, 1..255), BUBBLE (0, 1: outputs
//   may belong to rings that keep a bubble; then VLS <= 16).
// Realises: IB-01..06, KN-01, KN-02, KN-05, KN-11, OP-06, OP-08, OP-10, OP-11, OP-13, OP-18..20,
//   DT-01..04, DT-10, TP-02, TP-03; probes idle, ready.
// Page: docs/crossbar_switch.md, sections What is joined, Coordinates in place of a table, Groups
//   of ports and Rings that keep a bubble.
`default_nettype none
`include "loom_assert.vh"
`include "loom_crossbar_switch_port.vh"

module loom_crossbar_switch #(
  parameter integer PORTS           = 36,
  parameter integer VLS             = 9,
  parameter integer SPEEDUP         = 2,
  parameter integer SCHED           = 3,
  parameter integer KEYS            = 32,
  parameter integer ARB_KEY         = 0,
  parameter integer ENTRIES         = 64,
  parameter integer N_HIGH          = 64,
  parameter integer N_LOW           = 64,
  parameter integer CELLS_IN        = 1792,
  parameter integer CELLS_OUT       = 1792,
  parameter integer RESERVED_OUT    = 32,
  parameter integer REMOTE_UNITS    = 1792,
  parameter integer REMOTE_RESERVED = 32,
  parameter integer MTU_UNITS       = 32,
  parameter integer ROUTE           = 0,
  parameter integer LIDS            = 49152,
  parameter integer GROUPS          = 0,
  parameter integer HOSTS           = 1,
  parameter integer DIMS            = 2,
  parameter integer W               = 3,
  parameter integer IN_DELAY        = 0,
  parameter integer OUT_DELAY       = 0,
  parameter integer STALL_CYCLES    = 4095,
  parameter integer PATIENCE        = 32,
  parameter integer BUBBLE          = 0
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
  output wire                trap_o
);

  generate
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_crossbar_switch_PORTS_must_be_2_to_48 u_error ();
    end
    if (SPEEDUP < 1 || SPEEDUP > 2) begin : g_bad_speedup
      loom_crossbar_switch_SPEEDUP_must_be_1_to_2 u_error ();
    end
    if (SCHED < 0 || SCHED > 5) begin : g_bad_sched
      loom_crossbar_switch_SCHED_must_be_0_to_5 u_error ();
    end
    if (CELLS_IN < 16 || CELLS_IN > 4096 || MTU_UNITS > CELLS_IN) begin : g_bad_cells_in
      loom_crossbar_switch_CELLS_IN_must_be_16_to_4096_and_hold_MTU_UNITS u_error ();
    end
    if (ROUTE < 0 || ROUTE > 2) begin : g_bad_route
      loom_crossbar_switch_ROUTE_must_be_0_to_2 u_error ();
    end
    if (LIDS < 16 || LIDS > 65536) begin : g_bad_lids
      loom_crossbar_switch_LIDS_must_be_16_to_65536 u_error ();
    end
    if (GROUPS < 0 || GROUPS > 64) begin : g_bad_groups
      loom_crossbar_switch_GROUPS_must_be_0_to_64 u_error ();
    end
    if (GROUPS > 0 && ROUTE != 0) begin : g_groups_without_lft
      loom_crossbar_switch_GROUPS_must_be_0_with_ROUTE_1_or_2 u_error ();
    end
    if (BUBBLE < 0 || BUBBLE > 1 || (BUBBLE == 1 && VLS > 16)) begin : g_bad_bubble
      loom_crossbar_switch_BUBBLE_must_be_0_or_1_and_0_with_VLS_above_16 u_error ();
    end
    if (HOSTS < 1 || HOSTS > 8) begin : g_bad_hosts
      loom_crossbar_switch_HOSTS_must_be_1_to_8 u_error ();
    end
    if (DIMS < 1 || DIMS > 4) begin : g_bad_dims
      loom_crossbar_switch_DIMS_must_be_1_to_4 u_error ();
    end
    if (W < 1 || W > 6) begin : g_bad_w
      loom_crossbar_switch_W_must_be_1_to_6 u_error ();
    end
    if (ROUTE > 0 && $clog2(HOSTS) + DIMS * W > 15) begin : g_bad_address
      loom_crossbar_switch_W_must_be_15_bits_or_less_with_HOSTS_and_DIMS u_error ();
    end
    if (ROUTE == 1 && PORTS != HOSTS + DIMS) begin : g_bad_node_ports
      loom_crossbar_switch_PORTS_must_be_HOSTS_and_DIMS_with_ROUTE_1 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(nothing_before_ready,
      ready_q || !(|in_valid_i || |out_cr_valid_i || reg_we_i || reg_re_i))
  `LOOM_REQUIRE(never_a_read_and_a_write, !(reg_we_i && reg_re_i))

  // Lanes of the allocation: those of packets that enter a ring follow the others.
  localparam integer LANES = (BUBBLE != 0) ? 2 * VLS : VLS;

  // ---- Between the ports ------------------------------------------------------------------------

  wire [PORTS-1:0] head_event;
  wire [PORTS*5-1:0] head_lane;
  wire [PORTS*6-1:0] head_target;
  wire [PORTS*5-1:0] head_vl;
  wire [PORTS*28-1:0] head_info;
  wire [PORTS*6-1:0] head_out;          // what head_target says, too
  wire [PORTS-1:0] source_ready;
  wire [PORTS-1:0] take;
  wire [PORTS*5-1:0] take_lane;
  wire [PORTS*6-1:0] take_target;
  wire [PORTS-1:0] book;
  wire [PORTS*6-1:0] book_source;
  wire [PORTS*5-1:0] book_vl;
  wire [PORTS*28-1:0] book_info;
  wire [PORTS-1:0] target_ready;
  wire [PORTS*VLS-1:0] room;
  wire [PORTS*VLS-1:0] enter;           // a ring, with BUBBLE = 1
  wire [PORTS*7-1:0] ring;              // {on, from} of each output
  wire [PORTS*5-1:0] ask_vl;            // lanes in the allocation, and their room
  wire [PORTS*LANES-1:0] ask_room;
  wire [PORTS*5-1:0] booked_vl;
  wire [PORTS-1:0] start_ok;
  wire [PORTS-1:0] sure;
  wire [PORTS-1:0] ends;
  wire [PORTS-1:0] free;
  wire [PORTS-1:0] word_valid;
  wire [PORTS*6-1:0] word_target;
  wire [PORTS-1:0] word_last;
  wire [PORTS*3-1:0] word_flits;
  wire [PORTS*SPEEDUP*64-1:0] word_data;
  wire [PORTS-1:0] trap;
  wire [PORTS*24-1:0] trap_word;
  wire [PORTS-1:0] trap_moved;
  wire [PORTS-1:0] idle_port;
  wire [PORTS-1:0] ready_port;

  // The bus and its answers, from before port 0 to behind the last port.
  wire [PORTS:0] bus_we;
  wire [PORTS:0] bus_re;
  wire [(PORTS+1)*20-1:0] bus_addr;
  wire [(PORTS+1)*32-1:0] bus_data;
  wire [(PORTS+1)*32-1:0] answer;

  assign bus_we[0] = reg_we_i;
  assign bus_re[0] = reg_re_i;
  assign bus_addr[19:0] = reg_addr_i;
  assign bus_data[31:0] = reg_wdata_i;

  // ---- What there is once -----------------------------------------------------------------------

  wire [1:0] mode;
  wire lft_we;
  wire [15:0] lft_lid;
  wire [7:0] lft_entry;
  wire [16:0] lft_count;
  wire [18:0] place;
  wire [6:0] group_count;
  wire [1:0] group_hash;
  wire [31:0] group_sls;
  wire [38:0] group_load;
  wire group_members_we;
  wire group_slot_we;
  wire [11:0] group_addr;
  wire [31:0] group_data;
  wire [PORTS*3-1:0] above;             // of each output, bit k: its load is above threshold k
  wire mtu_we;
  wire [4:0] mtu_vl;
  wire [9:0] mtu_units;
  wire common_ready;
  reg idle_q;                           // no unit is in use
  reg ready_q;                          // all memories are swept
  wire adaptive;                        // only Omni-Path switches look at it

  loom_crossbar_switch_common #(
    .PORTS(PORTS),
    .VLS(VLS),
    .MTU_UNITS(MTU_UNITS),
    .ROUTE(ROUTE),
    .LIDS(LIDS),
    .GROUPS(GROUPS)
  ) u_common (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .bus_we_i(bus_we[1]),
    .bus_re_i(bus_re[1]),
    .bus_addr_i(bus_addr[39:20]),
    .bus_data_i(bus_data[63:32]),
    .word_o(answer[31:0]),
    .mode_o(mode),
    .central_o(adaptive),
    .lft_we_o(lft_we),
    .lft_lid_o(lft_lid),
    .lft_entry_o(lft_entry),
    .lft_count_o(lft_count),
    .place_o(place),
    .group_count_o(group_count),
    .group_hash_o(group_hash),
    .group_sls_o(group_sls),
    .group_load_o(group_load),
    .group_members_we_o(group_members_we),
    .group_slot_we_o(group_slot_we),
    .group_addr_o(group_addr),
    .group_data_o(group_data),
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

  loom_pipelined_alloc #(
    .PORTS(PORTS),
    .LANES(LANES),
    .INFO_W(28),
    .PATIENCE(PATIENCE)
  ) u_alloc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .head_event_i(head_event),
    .head_lane_i(head_lane),
    .head_target_i(head_target),
    .head_vl_i(ask_vl),
    .head_info_i(head_info),
    .source_ready_i(source_ready),
    .target_ready_i(target_ready),
    .room_i(ask_room),
    .take_o(take),
    .take_lane_o(take_lane),
    .take_target_o(take_target),
    .book_o(book),
    .book_source_o(book_source),
    .book_vl_o(booked_vl),
    .book_info_o(book_info)
  );

  // ---- Rings ------------------------------------------------------------------------------------

  genvar p;
  generate
    if (BUBBLE != 0) begin : g_rings
      localparam integer TW = $clog2(PORTS);
      localparam [4:0] UPPER = VLS[4:0];
      wire [(7<<TW)-1:0] rings;         // padded to a whole number of index bits

      assign rings[PORTS*7-1:0] = ring;
      if (PORTS < (1 << TW)) begin : g_pad
        assign rings[(7<<TW)-1:PORTS*7] = {((1 << TW) - PORTS){7'd0}};
      end
      for (p = 0; p < PORTS; p = p + 1) begin : g_lane
        localparam [5:0] NUMBER = p;
        wire [TW-1:0] to = head_target[p*6 +: TW];
        wire on;
        wire [5:0] from;
        wire upper = booked_vl[p*5 +: 5] >= UPPER;

        assign {on, from} = rings[to*7 +: 7];
        assign ask_vl[p*5 +: 5] = head_vl[p*5 +: 5] + (on && from != NUMBER ? UPPER : 5'd0);
        assign ask_room[p*LANES +: LANES] = {room[p*VLS +: VLS] & enter[p*VLS +: VLS],
                                             room[p*VLS +: VLS]};
        assign book_vl[p*5 +: 5] = booked_vl[p*5 +: 5] - (upper ? UPPER : 5'd0);
      end
    end else begin : g_no_rings
      wire unused_rings = &{1'b0, enter, ring};
      assign ask_vl = head_vl;
      assign ask_room = room;
      assign book_vl = booked_vl;
    end
  endgenerate

  // ---- The ports --------------------------------------------------------------------------------

  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      localparam [5:0] NUMBER = p;

      loom_crossbar_switch_port #(
        .PORTS(PORTS),
        .VLS(VLS),
        .SPEEDUP(SPEEDUP),
        `LOOM_CROSSBAR_PORT_PARAMETERS,
        .ROUTE(ROUTE),
        .LIDS(LIDS),
        .GROUPS(GROUPS),
        .HOSTS(HOSTS),
        .DIMS(DIMS),
        .W(W),
        .IN_DELAY(IN_DELAY),
        .OUT_DELAY(OUT_DELAY),
        .STALL_CYCLES(STALL_CYCLES),
        .BUBBLE(BUBBLE)
      ) u_port (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .number_i(NUMBER),
        `LOOM_CROSSBAR_PORT_LINK(p),
        `LOOM_CROSSBAR_PORT_BUS(p),
        .place_i(place),
        .group_count_i(group_count),
        .group_hash_i(group_hash),
        .group_sls_i(group_sls),
        .group_load_i(group_load),
        .group_members_we_i(group_members_we),
        .group_slot_we_i(group_slot_we),
        .group_addr_i(group_addr),
        .group_data_i(group_data),
        .above_i(above),
        .above_o(above[p*3 +: 3]),
        .mtu_we_i(mtu_we),
        .mtu_vl_i(mtu_vl),
        .mtu_units_i(mtu_units),
        .rule_we_i(1'b0),
        .rule_sc_i(5'd0),
        .rule_data_i(26'd0),
        .adaptive_i(adaptive),
        .central_less_i(1'b0),
        .central_equal_i(1'b1),
        .central_error_i(1'b0),
        .head_event_o(head_event[p]),
        .head_lane_o(head_lane[p*5 +: 5]),
        .head_target_o(head_target[p*6 +: 6]),
        .head_vl_o(head_vl[p*5 +: 5]),
        .head_info_o(head_info[p*28 +: 28]),
        .head_out_o(head_out[p*6 +: 6]),
        `LOOM_CROSSBAR_PORT_TAKE(p),
        .book_info_i(book_info[p*28 +: 28]),
        `LOOM_CROSSBAR_PORT_WORD(p),
        .enter_o(enter[p*VLS +: VLS]),
        .ring_o(ring[p*7 +: 7]),
        .word_data_o(word_data[p*SPEEDUP*64 +: SPEEDUP*64]),
        .free_o(free[p]),
        .free_i(free),
        .start_ok_i(start_ok),
        .sure_i(sure),
        .end_i(ends),
        .word_valid_i(word_valid),
        .word_target_i(word_target),
        .word_last_i(word_last),
        .word_flits_i(word_flits),
        .word_data_i(word_data),
        .trap_o(trap[p]),
        .trap_word_o(trap_word[p*24 +: 24]),
        .trap_moved_i(trap_moved[p]),
        .idle_o(idle_port[p]),
        .ready_o(ready_port[p])
      );
    end
  endgenerate

  // ---- The answer, and the state of the switch --------------------------------------------------

  // A read is valid as many cycles as its answer takes: one in the bus, two for the word, PORTS.
  reg [PORTS+2:0] rvalid_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      rvalid_q <= {(PORTS + 3){1'b0}};
      idle_q <= 1'b1;
      ready_q <= 1'b0;
    end else begin
      rvalid_q <= {rvalid_q[PORTS+1:0], reg_re_i};
      idle_q <= idle_port == {PORTS{1'b1}};
      ready_q <= ready_port == {PORTS{1'b1}} && common_ready;
    end
  end

  wire unused_ready = ready_q;
  wire unused_out = &{1'b0, head_out};
  wire unused_bus = &{1'b0, bus_we[PORTS], bus_re[PORTS], bus_addr[PORTS*20 +: 20],
                      bus_data[PORTS*32 +: 32]};

  assign reg_rvalid_o = rvalid_q[PORTS+2];
  assign reg_rdata_o = answer[PORTS*32 +: 32];

endmodule

`default_nettype wire
