// SPDX-License-Identifier: Apache-2.0

// loom_input_unit: the first stage of a port: takes packets from a link, finds out where they go,
//   keeps them in a queue for each lane, shows their heads to the allocation, and sends what was
//   booked and started through the crossbar.
//
// Contract: nothing comes on the link and no MTU is written before ready_o, an MTU of 1..MTU_UNITS
//   for a lane < VLS and only while no packet is in the unit; with RULE = 1 all words of the rule
//   are written instead, and none changes under a packet that looks at it. found_* answers for the
//   flit of the last cycle and names a port < PORTS. A booking is of a head that was shown and of
//   its target, two cycles after a cycle with source_ready_o, three after the booking before;
//   free_i is the free_o of crossings, in the same cycle, each of which has the booking of this
//   input as its own. What the sender sends without credit is refused. Every output is a register
//   or a function of registers, but source_ready_o, which follows free_i.
// Algorithm: a flit is registered, with the lane of its packet; loom_input_unit_route leads it into
//   loom_packet_store, loom_departure out of it. Packets have numbers, so that a packet that is
//   whole is known when it is booked.
// Latency: a packet alone: head on the link in c, head_event_o in c + 4; a start in y is on word_*
//   in y + 4. A word every cycle, also from one packet to the next.
// Wait bound: a dropped packet goes before or after the next packet that is booked; what is booked
//   waits for its start.
// Parameters: PORTS (outputs, 2..48), VLS (lanes, 2..32), SPEEDUP (flits of a word, 1..4), CELLS
//   (units of the store, 4..4096), MTU_UNITS (units of the largest packet, 1..512, at most CELLS),
//   IN_DELAY (cycles that a record waits, 0..255), STALL_CYCLES (most cycles in which a crossing
//   waits for flits, 0..4095), EARLY (flits left when the next may be booked, 0..4095), RULE (rule
//   of routing: 0 InfiniBand's, 1 Omni-Path's, with PORTS a multiple of 4, 8 or more).
// Realises: OP-04, OP-05, OP-06, OP-08, OP-10, OP-13, OP-14, OP-18, OP-19, IB-02, DT-10; probes
//   left, booked, drops, settle, busy, tail, turn.
// Page: docs/input_unit.md, section Inside.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_input_unit #(
  parameter integer PORTS        = 8,
  parameter integer VLS          = 9,
  parameter integer SPEEDUP      = 2,
  parameter integer CELLS        = 256,
  parameter integer MTU_UNITS    = 32,
  parameter integer IN_DELAY     = 0,
  parameter integer STALL_CYCLES = 4095,
  parameter integer EARLY        = 12,
  parameter integer RULE         = 0
) (
  input  wire                                clk_i,
  input  wire                                rst_i,

  // The link.
  input  wire                                in_valid_i,
  input  wire                                in_head_i,
  input  wire                                in_tail_i,
  input  wire [4:0]                          in_vl_i,
  input  wire [63:0]                         in_data_i,
  output wire                                in_cr_valid_o,
  output wire [4:0]                          in_cr_vl_o,

  // Tables.
  input  wire                                found_known_i,
  input  wire [5:0]                          found_port_i,
  input  wire                                map_on_i,
  input  wire                                map_we_i,
  input  wire [10:0]                         map_addr_i,
  input  wire [4:0]                          map_data_i,
  input  wire                                mtu_we_i,
  input  wire [4:0]                          mtu_vl_i,
  input  wire [9:0]                          mtu_units_i,
  input  wire                                rule_we_i,
  input  wire [4:0]                          rule_sc_i,
  input  wire [25:0]                         rule_data_i,
  input  wire [3:0]                          mport_i,
  input  wire [1:0]                          map_mode_i,
  input  wire                                adaptive_i,
  input  wire                                central_less_i,
  input  wire                                central_equal_i,
  output wire                                ready_o,

  // Allocation and crossings.
  output wire                                head_event_o,
  output wire [4:0]                          head_lane_o,
  output wire [5:0]                          head_target_o,
  output wire [4:0]                          head_vl_o,
  output wire [27:0]                         head_info_o,
  output wire [5:0]                          head_out_o,
  output wire                                source_ready_o,
  input  wire                                book_i,
  input  wire [4:0]                          book_lane_i,
  input  wire [5:0]                          book_target_i,
  input  wire [PORTS-1:0]                    free_i,
  output wire                                start_ok_o,
  output wire                                sure_o,
  output wire                                end_o,

  // The crossbar.
  output wire                                word_valid_o,
  output wire [5:0]                          word_target_o,
  output wire                                word_last_o,
  output wire [2:0]                          word_flits_o,
  output wire [(64<<$clog2(SPEEDUP))-1:0]    word_data_o,

  // What happened.
  output wire                                accept_o,
  output wire [4:0]                          accept_vl_o,
  output wire [11:0]                         accept_len_o,
  output wire                                link_error_o,
  output wire                                trap_o,
  output wire [2:0]                          trap_cause_o,
  output wire [4:0]                          trap_vl_o,
  output wire [15:0]                         trap_dest_o,
  output wire [$clog2(CELLS+1)-1:0]          total_o
);

  generate
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_input_unit_PORTS_must_be_2_to_48 u_error ();
    end
    if (VLS < 2 || VLS > 32) begin : g_bad_vls
      loom_input_unit_VLS_must_be_2_to_32 u_error ();
    end
    if (SPEEDUP < 1 || SPEEDUP > 4) begin : g_bad_speedup
      loom_input_unit_SPEEDUP_must_be_1_to_4 u_error ();
    end
    if (CELLS < 4 || CELLS > 4096) begin : g_bad_cells
      loom_input_unit_CELLS_must_be_4_to_4096 u_error ();
    end
    if (MTU_UNITS < 1 || MTU_UNITS > 512 || MTU_UNITS > CELLS) begin : g_bad_mtu_units
      loom_input_unit_MTU_UNITS_must_be_1_to_512_and_at_most_CELLS u_error ();
    end
    if (IN_DELAY < 0 || IN_DELAY > 255) begin : g_bad_in_delay
      loom_input_unit_IN_DELAY_must_be_0_to_255 u_error ();
    end
    if (STALL_CYCLES < 0 || STALL_CYCLES > 4095) begin : g_bad_stall_cycles
      loom_input_unit_STALL_CYCLES_must_be_0_to_4095 u_error ();
    end
    if (EARLY < 0 || EARLY > 4095) begin : g_bad_early
      loom_input_unit_EARLY_must_be_0_to_4095 u_error ();
    end
    if (RULE < 0 || RULE > 1) begin : g_bad_rule
      loom_input_unit_RULE_must_be_0_or_1 u_error ();
    end
    if (RULE == 1 && (PORTS < 8 || PORTS % 4 != 0)) begin : g_bad_rule_ports
      loom_input_unit_PORTS_must_be_a_multiple_of_4_and_8_or_more u_error ();
    end
  endgenerate

  localparam integer MGMT_I = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT = MGMT_I[4:0];
  localparam integer LANES = 1 << $clog2(SPEEDUP);      // three flits stand on four lanes
  localparam integer TARGETS = (RULE == 1) ? 6 : PORTS; // what the allocation gives it to

  wire ready;

  `LOOM_REQUIRE(link_when_ready, !in_valid_i || ready)
  `LOOM_REQUIRE(mtu_when_ready, !mtu_we_i || ready)
  `LOOM_REQUIRE(mtu_while_empty,
      RULE == 1 || !mtu_we_i
      || (total_o == {$clog2(CELLS+1){1'b0}} && left_q == 12'd0 && route_empty))
  `LOOM_REQUIRE(mtu_of_a_lane, RULE == 1 || !mtu_we_i || {27'd0, mtu_vl_i} < VLS)
  `LOOM_REQUIRE(lane_of_the_rule,
      RULE == 0 || !rule_we_i || {27'd0, rule_data_i[`LOOM_SC_WORD_LANE]} < VLS)
  `LOOM_REQUIRE(mtu_in_range,
      RULE == 1 || !mtu_we_i || (mtu_units_i != 10'd0 && {22'd0, mtu_units_i} <= MTU_UNITS))
  `LOOM_REQUIRE(known_port_exists, !found_known_i || {26'd0, found_port_i} < PORTS)
`ifdef LOOM_ASSERT_ON
  reg was_run_q;                        // no reset in the last cycle
  reg [3:0] was_mport_q;
  always @(posedge clk_i) begin
    was_run_q <= !rst_i;
    was_mport_q <= mport_i;
  end
  `LOOM_REQUIRE(mport_is_constant, RULE == 0 || !was_run_q || mport_i == was_mport_q)
`endif

  // ---- State ------------------------------------------------------------------------------------

  reg [11:0] left_q;                    // flits still to come of the open packet
  reg link_error_q;
  reg s1_valid_q;                       // the flit of the last cycle
  reg s1_begins_q;
  reg s1_good_q;
  reg s1_last_q;
  reg [4:0] s1_lane_q;
  reg [63:0] s1_data_q;

  // ---- The flit on the link ---------------------------------------------------------------------

  wire in_has_lane;
  wire [4:0] in_lane;

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(in_vl_i),
    .ok_o(in_has_lane),
    .lane_o(in_lane)
  );

  wire [11:0] in_len = in_data_i[`LOOM_HEAD_LEN];
  wire in_open = left_q != 12'd0;
  wire in_begins = in_valid_i && !in_open && in_head_i;
  wire in_empty = in_len == 12'd0;
  wire in_good = in_begins && in_has_lane && !in_empty;
  wire in_ends = in_open ? left_q == 12'd1 : in_len == 12'd1;
  wire tail_wrong = in_tail_i != in_ends;
  wire link_error = in_valid_i && (in_open ? in_head_i || tail_wrong
                                           : !in_head_i || (!in_empty && tail_wrong));

  always @(posedge clk_i) begin
    s1_data_q <= in_data_i;
    s1_good_q <= in_good;
    s1_last_q <= in_ends || (!in_open && in_empty);
    if (in_begins) s1_lane_q <= in_has_lane ? in_lane : in_vl_i;
    if (rst_i) begin
      left_q <= 12'd0;
      link_error_q <= 1'b0;
      s1_valid_q <= 1'b0;
      s1_begins_q <= 1'b0;
    end else begin
      if (in_begins) left_q <= in_empty ? 12'd0 : in_len - 12'd1;
      else if (in_valid_i && in_open) left_q <= left_q - 12'd1;
      link_error_q <= link_error;
      s1_valid_q <= in_valid_i && (in_open || in_head_i);
      s1_begins_q <= in_begins;
    end
  end

  // ---- Where it goes ----------------------------------------------------------------------------

  wire route_empty;
  wire [5:0] serial;                    // number of the packet that was accepted last
  wire arrives;                         // flits of it are still to be written
  wire announce_ok;
  wire wr;
  wire wr_last;
  wire [4:0] wr_lane;
  wire [63:0] wr_data;
  wire queue;
  wire [4:0] queue_lane;
  wire [11:0] queue_len;
  wire [5:0] queue_serial;
  wire queue_drop;
  wire [5:0] queue_target;
  wire queue_side;
  wire [4:0] queue_vl;
  wire [4:0] queue_sl;
  wire queue_more;
  wire unused_empty = route_empty;

  loom_input_unit_route #(
    .PORTS(PORTS),
    .VLS(VLS),
    .SPEEDUP(SPEEDUP),
    .MTU_UNITS(MTU_UNITS),
    .IN_DELAY(IN_DELAY),
    .STALL_CYCLES(STALL_CYCLES),
    .RULE(RULE)
  ) u_route (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .s1_valid_i(s1_valid_q),
    .s1_begins_i(s1_begins_q),
    .s1_good_i(s1_good_q),
    .s1_last_i(s1_last_q),
    .s1_lane_i(s1_lane_q),
    .s1_data_i(s1_data_q),
    .found_known_i(found_known_i),
    .found_port_i(found_port_i),
    .announce_ok_i(announce_ok),
    .map_on_i(map_on_i),
    .map_we_i(map_we_i),
    .map_addr_i(map_addr_i),
    .map_data_i(map_data_i),
    .mtu_we_i(mtu_we_i),
    .mtu_vl_i(mtu_vl_i),
    .mtu_units_i(mtu_units_i),
    .rule_we_i(rule_we_i),
    .rule_sc_i(rule_sc_i),
    .rule_data_i(rule_data_i),
    .map_mode_i(map_mode_i),
    .adaptive_i(adaptive_i),
    .central_less_i(central_less_i),
    .central_equal_i(central_equal_i),
    .ready_o(ready),
    .empty_o(route_empty),
    .serial_o(serial),
    .arrives_o(arrives),
    .wr_valid_o(wr),
    .wr_last_o(wr_last),
    .wr_lane_o(wr_lane),
    .wr_data_o(wr_data),
    .queue_o(queue),
    .queue_lane_o(queue_lane),
    .queue_len_o(queue_len),
    .queue_serial_o(queue_serial),
    .queue_drop_o(queue_drop),
    .queue_target_o(queue_target),
    .queue_side_o(queue_side),
    .queue_vl_o(queue_vl),
    .queue_sl_o(queue_sl),
    .queue_more_o(queue_more),
    .accept_o(accept_o),
    .accept_vl_o(accept_vl_o),
    .accept_len_o(accept_len_o),
    .trap_o(trap_o),
    .trap_cause_o(trap_cause_o),
    .trap_vl_o(trap_vl_o),
    .trap_dest_o(trap_dest_o)
  );

  // ---- The store --------------------------------------------------------------------------------

  wire space;
  wire [VLS-1:0] head_valid;
  wire head;
  wire [4:0] head_lane;
  wire [11:0] head_len;
  wire [5:0] head_serial;
  wire head_drop;
  wire [5+RULE:0] queue_way;            // output, and above it the side
  wire [5+RULE:0] head_way;
  wire [4:0] head_vl;
  wire [4:0] head_sl;
  wire head_more;
  wire take;
  wire [4:0] take_lane;
  wire soon;
  wire rd_valid;
  wire [4:0] rd_vl;
  wire rd_first;
  wire rd_last;
  wire [2:0] rd_flits;
  wire [1:0] rd_lane;
  wire [LANES*64-1:0] rd_data;
  wire free_valid;
  wire [4:0] free_lane;

  loom_packet_store #(
    .VLS(VLS),
    .CELLS(CELLS),
    .LANES(LANES),
    .RD_FLITS(SPEEDUP),
    .INFO_W(24 + RULE),
    .MTU_UNITS(MTU_UNITS),
    .EARLY(EARLY),
    .PREFETCH(1)
  ) u_store (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .announce_i(in_good),
    .announce_len_i(in_len),
    .space_o(space),
    .announce_ok_o(announce_ok),
    .queue_i(queue),
    .queue_vl_i(queue_lane),
    .queue_len_i(queue_len),
    .queue_info_i({queue_serial, queue_drop, queue_way, queue_vl, queue_sl, queue_more}),
    .wr_valid_i(wr),
    .wr_vl_i(wr_lane),
    .wr_last_i(wr_last),
    .wr_flits_i(3'd1),
    .wr_data_i({LANES{wr_data}}),
    .head_valid_o(head_valid),
    .head_event_o(head),
    .head_vl_o(head_lane),
    .head_len_o(head_len),
    .head_info_o({head_serial, head_drop, head_way, head_vl, head_sl, head_more}),
    .take_i(take),
    .take_vl_i(take_lane),
    .soon_o(soon),
    .rd_valid_o(rd_valid),
    .rd_vl_o(rd_vl),
    .rd_first_o(rd_first),
    .rd_last_o(rd_last),
    .rd_flits_o(rd_flits),
    .rd_lane_o(rd_lane),
    .rd_data_o(rd_data),
    .free_valid_o(free_valid),
    .free_vl_o(free_lane),
    .total_o(total_o)
  );
  wire unused_store = &{1'b0, space, head_valid, rd_vl, rd_first, rd_lane};

  // ---- The way out ------------------------------------------------------------------------------

  wire [5:0] head_out = head_way[5:0];
  wire [5:0] head_target;               // number of it among the targets

  generate
    if (RULE == 1) begin : g_targets
      wire own = head_out[5:2] == mport_i;
      wire unused_free = &{1'b0, free_i};
      assign queue_way = {queue_side, queue_target};
      assign head_target = own ? {4'd0, head_out[1:0]} : {5'b00010, head_way[6]};
    end else begin : g_outputs
      wire unused_mport = &{1'b0, mport_i, queue_side};
      assign queue_way = queue_target;
      assign head_target = head_out;
    end
  endgenerate

  wire booked_q;                        // registers of the departure, for probes
  wire [VLS-1:0] drops_q;
  wire [1:0] settle_q;
  wire [2:0] busy_q;
  wire [11:0] tail_q;
  wire turn_q;
  wire unused_probes = &{1'b0, booked_q, drops_q, settle_q, busy_q, tail_q, turn_q};

  loom_departure #(
    .TARGETS(TARGETS),
    .VLS(VLS),
    .SPEEDUP(SPEEDUP),
    .EARLY(EARLY)
  ) u_departure (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .head_event_i(head),
    .head_lane_i(head_lane),
    .head_len_i(head_len),
    .head_number_i(head_serial),
    .head_drop_i(head_drop),
    .head_target_i(head_target),
    .head_vl_i(head_vl),
    .head_sl_i(head_sl),
    .head_more_i(head_more),
    .number_i(serial),
    .open_i({1'b0, arrives}),
    .ends_i(wr && wr_last),
    .head_event_o(head_event_o),
    .head_lane_o(head_lane_o),
    .head_target_o(head_target_o),
    .head_vl_o(head_vl_o),
    .head_info_o(head_info_o),
    .source_ready_o(source_ready_o),
    .book_i(book_i),
    .book_lane_i(book_lane_i),
    .book_target_i(book_target_i),
    .free_i(free_i[TARGETS-1:0]),
    .start_ok_o(start_ok_o),
    .sure_o(sure_o),
    .end_o(end_o),
    .soon_i(soon),
    .take_o(take),
    .take_lane_o(take_lane),
    .rd_valid_i(rd_valid),
    .rd_last_i(rd_last),
    .rd_flits_i(rd_flits),
    .rd_data_i(rd_data),
    .word_valid_o(word_valid_o),
    .word_target_o(word_target_o),
    .word_last_o(word_last_o),
    .word_flits_o(word_flits_o),
    .word_data_o(word_data_o),
    .booked_o(booked_q),
    .drops_o(drops_q),
    .settle_o(settle_q),
    .busy_o(busy_q),
    .tail_o(tail_q),
    .turn_o(turn_q)
  );

  // ---- Outputs ----------------------------------------------------------------------------------

  assign ready_o = ready;
  assign head_out_o = head_event_o ? head_out : 6'd0;
  assign in_cr_valid_o = free_valid;
  assign in_cr_vl_o = (free_lane == MGMT) ? 5'd15 : free_lane;   // lane 0 is never that one
  assign link_error_o = link_error_q;

  `LOOM_ASSERT(take_of_a_head_in_view, !take || head_valid[take_lane[$clog2(VLS)-1:0]])

endmodule

`default_nettype wire
