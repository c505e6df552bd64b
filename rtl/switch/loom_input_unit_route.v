// SPDX-License-Identifier: Apache-2.0

// loom_input_unit_route: the way of a flit from the first register behind the link into the store:
//   what a head is for, whether it goes on, and when its record joins the queue of its lane.
// Inside: input_unit.
//
// Contract: s1_* is a flit of the last cycle on the link; the store's announce_ok_i and the
//   forwarding table's found_* answer two cycles and one cycle after that. What is written and
//   queued is what the store has admitted. Fields of queue_* mean something only with queue_o,
//   those of wr_* only with wr_valid_o; the others are 0 while not valid.
// Algorithm: three stages. The first reads the map at what the table says, and counts how many more
//   cycles a packet takes to come than to cross; the second applies the rule of routing, which is a
//   module of its own, and knows whether the store has room, and for how many flits the record has
//   to wait; the third knows the MTU of the lane and compares the length with it, in half units, so
//   that nothing has to be rounded up. A record that waits stays in a register.
// Latency: a flit of s1_* in cycle x is on wr_* in x + 2, its record on queue_* at the earliest in
//   x + 2 + IN_DELAY, its verdict on accept_* or trap_* in x + 3. A flit every cycle.
// Wait bound: none: nobody waits for others here. A record goes before the last flit has come.
// Parameters: PORTS (2..48), VLS (2..32), SPEEDUP (1..4), MTU_UNITS (1..512: of each lane after
//   reset), IN_DELAY (0..255), STALL_CYCLES (0..4095), RULE (0, 1), as those of loom_input_unit.
// Realises: OP-04, OP-05, OP-13, OP-14, OP-18, IB-02.
// Page: docs/input_unit.md, section Arrival.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_input_unit_route #(
  parameter integer PORTS        = 8,
  parameter integer VLS          = 9,
  parameter integer SPEEDUP      = 2,
  parameter integer MTU_UNITS    = 32,
  parameter integer IN_DELAY     = 0,
  parameter integer STALL_CYCLES = 4095,
  parameter integer RULE         = 0
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        s1_valid_i,
  input  wire        s1_begins_i,
  input  wire        s1_good_i,
  input  wire        s1_last_i,
  input  wire [4:0]  s1_lane_i,
  input  wire [63:0] s1_data_i,
  input  wire        found_known_i,
  input  wire [5:0]  found_port_i,
  input  wire        announce_ok_i,
  input  wire        map_on_i,
  input  wire        map_we_i,
  input  wire [10:0] map_addr_i,
  input  wire [4:0]  map_data_i,
  input  wire        mtu_we_i,
  input  wire [4:0]  mtu_vl_i,
  input  wire [9:0]  mtu_units_i,
  input  wire        rule_we_i,
  input  wire [4:0]  rule_sc_i,
  input  wire [25:0] rule_data_i,
  input  wire [1:0]  map_mode_i,
  input  wire        adaptive_i,
  input  wire        central_less_i,
  input  wire        central_equal_i,
  output wire        ready_o,
  output wire        empty_o,                   // no flit in these stages
  output wire [5:0]  serial_o,                  // number of the packet that was accepted last
  output wire        arrives_o,                 // flits of it are still to be written
  output wire        wr_valid_o,
  output wire        wr_last_o,
  output wire [4:0]  wr_lane_o,
  output wire [63:0] wr_data_o,
  output wire        queue_o,
  output wire [4:0]  queue_lane_o,
  output wire [11:0] queue_len_o,
  output wire [5:0]  queue_serial_o,
  output wire        queue_drop_o,
  output wire [5:0]  queue_target_o,
  output wire        queue_side_o,              // the central unit that it takes if it takes one
  output wire [4:0]  queue_vl_o,
  output wire [4:0]  queue_sl_o,
  output wire        queue_more_o,
  output wire        accept_o,
  output wire [4:0]  accept_vl_o,
  output wire [11:0] accept_len_o,
  output wire        trap_o,
  output wire [2:0]  trap_cause_o,
  output wire [4:0]  trap_vl_o,
  output wire [15:0] trap_dest_o
);

  // A packet that crosses in so many cycles less than it has flits, or fewer, is not kept back.
  localparam integer LEAD_I   = IN_DELAY + 7 + STALL_CYCLES;
  localparam integer MOST_I   = (SPEEDUP == 1) ? 0 : (SPEEDUP == 2) ? 2047
                                : (SPEEDUP == 3) ? 2559 : 3071;    // the same of 4095 flits
  localparam         KEEPS    = LEAD_I < MOST_I;
  localparam integer WAIT_W   = (SPEEDUP == 2) ? 11 : 12;

  reg s2_valid_q;
  reg s2_begins_q;
  reg s2_good_q;
  reg s2_last_q;
  reg [4:0] s2_lane_q;
  reg [63:0] s2_data_q;
  reg s2_known_q;
  reg [5:0] s2_target_q;

  reg keep_q;                                   // the packet in the second stage is accepted

  reg s3_valid_q;
  reg s3_begins_q;
  reg s3_last_q;
  reg [4:0] s3_lane_q;
  reg [63:0] s3_data_q;
  reg s3_known_q;
  reg [5:0] s3_target_q;
  reg s3_refused_q;
  reg s3_good_q;

  reg [5:0] serial_q;                           // number of the packet that was accepted last
  reg arrives_q;                                // flits of it are still to be written

  reg accept_q;
  reg [4:0] accept_vl_q;
  reg [11:0] accept_len_q;
  reg trap_q;
  reg [2:0] trap_cause_q;
  reg [4:0] trap_vl_q;
  reg [15:0] trap_dest_q;

  // ---- The rule of routing ----------------------------------------------------------------------

  wire [4:0] s1_sc = s1_data_i[`LOOM_HEAD_SC];
  wire [4:0] s2_sc = s2_data_q[`LOOM_HEAD_SC];
  wire [4:0] s3_sc = s3_data_q[`LOOM_HEAD_SC];
  wire looks = s1_begins_i && found_known_i;
  wire [4:0] sc;                                // of the head in the second stage from there on
  wire has_vl;                                  // of the head in the third stage
  wire [4:0] vl;
  wire [4:0] sl;
  wire [9:0] mtu;
  wire side;
  wire [5+RULE:0] queue_way;                    // output, and above it the side

  generate
    if (RULE == 1) begin : g_sc
      loom_input_unit_sc #(
        .PORTS(PORTS)
      ) u_rule (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .look_i(looks),
        .port_i(found_port_i),
        .sc_i(s1_sc),
        .begins_i(s2_begins_q),
        .sc2_i(s2_sc),
        .sc3_i(s3_sc),
        .map_mode_i(map_mode_i),
        .map_we_i(map_we_i),
        .map_addr_i(map_addr_i),
        .map_data_i(map_data_i),
        .rule_we_i(rule_we_i),
        .rule_sc_i(rule_sc_i),
        .rule_data_i(rule_data_i),
        .sc_o(sc),
        .ok_o(has_vl),
        .vl_o(vl),
        .sl_o(sl),
        .mtu_o(mtu)
      );
      assign ready_o = 1'b1;
      assign queue_side_o = queue_way[5+RULE];
      assign side = (adaptive_i && !central_equal_i) ? central_less_i : s3_target_q[0];
      wire unused_vl = &{1'b0, map_on_i, mtu_we_i, mtu_vl_i, mtu_units_i};
    end else begin : g_vl
      loom_input_unit_vl #(
        .PORTS(PORTS),
        .VLS(VLS),
        .MTU_UNITS(MTU_UNITS)
      ) u_rule (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .look_i(looks),
        .port_i(found_port_i),
        .sc_i(s1_sc),
        .lane_i(s2_lane_q),
        .map_on_i(map_on_i),
        .map_we_i(map_we_i),
        .map_addr_i(map_addr_i),
        .map_data_i(map_data_i),
        .mtu_we_i(mtu_we_i),
        .mtu_vl_i(mtu_vl_i),
        .mtu_units_i(mtu_units_i),
        .ready_o(ready_o),
        .ok_o(has_vl),
        .vl_o(vl),
        .mtu_o(mtu)
      );
      assign sc = s2_sc;
      assign sl = s3_sc;
      assign queue_side_o = 1'b0;
      assign side = 1'b0;
      wire unused_sc = &{1'b0, rule_we_i, rule_sc_i, rule_data_i, map_mode_i, adaptive_i,
                         central_less_i, central_equal_i};
    end
  endgenerate

  // ---- Stages -----------------------------------------------------------------------------------

  wire accepted = s2_begins_q && s2_good_q && announce_ok_i;
  wire kept = s2_begins_q ? accepted : keep_q;

  always @(posedge clk_i) begin
    s2_begins_q <= s1_begins_i && !rst_i;
    s2_good_q <= s1_good_i;
    s2_last_q <= s1_last_i;
    s2_lane_q <= s1_lane_i;
    if (s1_valid_i) s2_data_q <= s1_data_i;     // and three registers in a row are no shift RAM
    s2_known_q <= found_known_i;
    s2_target_q <= found_port_i;
    s3_begins_q <= accepted;
    s3_last_q <= s2_last_q;
    s3_lane_q <= s2_lane_q;
    s3_data_q <= {sc, s2_data_q[`LOOM_HEAD_SC_AT-1:0]};
    s3_known_q <= s2_known_q;
    s3_target_q <= s2_target_q;
    s3_good_q <= s2_good_q;
    if (rst_i) begin
      s2_valid_q <= 1'b0;
      keep_q <= 1'b0;
      s3_valid_q <= 1'b0;
      s3_refused_q <= 1'b0;
    end else begin
      s2_valid_q <= s1_valid_i;
      if (s2_valid_q) keep_q <= kept;
      s3_valid_q <= s2_valid_q && kept;
      s3_refused_q <= s2_begins_q && !accepted;
    end
  end

  // ---- The verdict ------------------------------------------------------------------------------

  wire begins = s3_valid_q && s3_begins_q;
  wire [5:0] serial = serial_q + 6'd1;
  wire [11:0] s3_len = s3_data_q[`LOOM_HEAD_LEN];
  wire s3_more = s3_data_q[`LOOM_HEAD_MORE];
  wire goes_there = s3_known_q && has_vl;
  // Twice the units, less 1 where the last one is not full, against twice the MTU.
  wire too_long = {1'b0, s3_len[11:3], s3_len[2:0] != 3'd0} > {mtu, 1'b0};
  wire drop = !goes_there || too_long;
  wire [6:0] target = goes_there ? {side, s3_target_q} : 7'd0;
  wire [4:0] target_vl = goes_there ? vl : 5'd0;
  wire [2:0] cause = s3_refused_q ? (s3_good_q ? 3'd2 : 3'd1)
                                  : !s3_known_q ? 3'd3 : !has_vl ? 3'd4 : 3'd5;
  wire trap = s3_refused_q || (begins && drop);

  always @(posedge clk_i) begin
    if (rst_i) begin
      serial_q <= 6'd0;
      arrives_q <= 1'b0;
    end else begin
      if (begins) serial_q <= serial;
      if (s3_valid_q) arrives_q <= !s3_last_q;
    end
    if (rst_i || !begins) begin
      accept_q <= 1'b0;
      accept_vl_q <= 5'd0;
      accept_len_q <= 12'd0;
    end else begin
      accept_q <= 1'b1;
      accept_vl_q <= s3_lane_q;
      accept_len_q <= s3_len;
    end
    if (rst_i || !trap) begin
      trap_q <= 1'b0;
      trap_cause_q <= 3'd0;
      trap_vl_q <= 5'd0;
      trap_dest_q <= 16'd0;
    end else begin
      trap_q <= 1'b1;
      trap_cause_q <= cause;
      trap_vl_q <= s3_lane_q;
      trap_dest_q <= s3_data_q[`LOOM_HEAD_DEST];
    end
  end

  // ---- When the record goes ---------------------------------------------------------------------

  localparam integer RECORD_W = 41 + RULE;
  wire [RECORD_W-1:0] record = {serial, drop, target[5+RULE:0], target_vl, sl, s3_more, s3_lane_q,
                                s3_len};
  wire unused_side = target[6];
  wire go;
  wire [RECORD_W-1:0] go_record;

  generate
    if (KEEPS) begin : g_keeps
      localparam [WAIT_W-1:0] LEAD = LEAD_I[WAIT_W-1:0];
      localparam [WAIT_W-1:0] NOW = 0;
      localparam [WAIT_W-1:0] ONE = 1;
      wire [11:0] s1_len = s1_data_i[`LOOM_HEAD_LEN];
      wire [WAIT_W-1:0] s1_gain;                // flits less words
      reg [WAIT_W-1:0] s2_gain_q;
      wire waits = s2_gain_q > LEAD;
      reg [WAIT_W-1:0] s3_wait_q;               // W of the page
      reg s3_waits_q;
      reg [WAIT_W-1:0] wait_q;                  // flits still to come before the held record goes
      reg [RECORD_W-1:0] held_q;
      wire let_go = s3_valid_q && !s3_begins_q && wait_q == ONE;

      if (SPEEDUP == 2) begin : g_half
        wire unused_odd = s1_len[0];
        assign s1_gain = s1_len[11:1];
      end else if (SPEEDUP == 3) begin : g_thirds
        // Of 8 flits 5, and 0, 0, 1, 2, 2, 3, 4, 4 of the rest: 4 is 3 and the carry.
        wire [8:0] cells = s1_len[11:3];
        wire [2:0] rest = s1_len[2:0];
        wire [1:0] part = {rest >= 3'd3, rest == 3'd2 || rest >= 3'd5};
        assign s1_gain = {1'b0, cells, part} + {3'd0, cells} + {11'd0, rest >= 3'd6};
      end else begin : g_quarters
        // Of 4 flits 3, and 0, 0, 1, 2 of the rest: 2 is 1 and the carry.
        wire [9:0] fours = s1_len[11:2];
        assign s1_gain = {1'b0, fours, s1_len[1]} + {2'd0, fours} + {11'd0, s1_len[1:0] == 2'd3};
      end

      always @(posedge clk_i) begin
        s2_gain_q <= s1_gain;
        s3_wait_q <= waits ? s2_gain_q - LEAD : NOW;
        s3_waits_q <= waits;
        if (begins) held_q <= record;
        if (rst_i) wait_q <= NOW;
        else if (begins) wait_q <= s3_wait_q;
        else if (s3_valid_q && wait_q != NOW) wait_q <= wait_q - ONE;
      end

      assign go = (begins && !s3_waits_q) || let_go;
      assign go_record = s3_begins_q ? record : held_q;

      `LOOM_ASSERT(a_record_goes_before_the_next_head, !begins || wait_q == NOW)
    end else begin : g_at_once
      assign go = begins;
      assign go_record = record;
    end
  endgenerate

  loom_delay #(
    .DEPTH(IN_DELAY),
    .WIDTH(RECORD_W)
  ) u_record (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .valid_i(go),
    .data_i(go_record),
    .valid_o(queue_o),
    .data_o({queue_serial_o, queue_drop_o, queue_way, queue_vl_o, queue_sl_o, queue_more_o,
             queue_lane_o, queue_len_o})
  );

  assign queue_target_o = queue_way[5:0];
  assign empty_o = !s1_valid_i && !s2_valid_q && !s3_valid_q;
  assign serial_o = serial_q;
  assign arrives_o = arrives_q;
  assign wr_valid_o = s3_valid_q;
  assign wr_last_o = s3_last_q;
  assign wr_lane_o = s3_lane_q;
  assign wr_data_o = s3_data_q;
  assign accept_o = accept_q;
  assign accept_vl_o = accept_vl_q;
  assign accept_len_o = accept_len_q;
  assign trap_o = trap_q;
  assign trap_cause_o = trap_cause_q;
  assign trap_vl_o = trap_vl_q;
  assign trap_dest_o = trap_dest_q;

  `LOOM_ASSERT(a_refused_head_is_not_kept, !(s3_refused_q && s3_valid_q))
  `LOOM_ASSERT(accepted_packet_has_flits, !accept_q || accept_len_q != 12'd0)
  `LOOM_ASSERT(trap_has_a_cause, trap_q == (trap_cause_q != 3'd0))

endmodule

`default_nettype wire
