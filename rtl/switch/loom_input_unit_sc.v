// SPDX-License-Identifier: Apache-2.0

// loom_input_unit_sc: Omni-Path's rule of routing beside the stages of arrival: the new SC of a
//   packet, its SL, which lane it gets at its output, and how long it may be there.
// Inside: input_unit.
//
// Contract: look_i says that port_i and sc_i are those of a head in the first stage; begins_i says
//   that a head is in the second one, and sc2_i are the bits of its SC. sc_o is the SC with which
//   what is there goes on, or these bits again if it is no head, and comes back as sc3_i with the
//   third stage, of which ok_o, vl_o, sl_o and mtu_o speak. A word of the rule changes only while
//   no packet is in these stages.
// Algorithm: map and SC2SL are read in the first stage, SL2SC in the second, and what follows from
//   the new SC in the third, in one word that whoever writes the tables has worked out.
// Latency: two cycles.
// Wait bound: none: nobody waits.
// Parameters: PORTS (8..48).
// Realises: OP-10, OP-18, OP-19.
// Page: docs/input_unit.md, section The rule of Omni-Path.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_input_unit_sc #(
  parameter integer PORTS = 8
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        look_i,
  input  wire [5:0]  port_i,
  input  wire [4:0]  sc_i,
  input  wire        begins_i,
  input  wire [4:0]  sc2_i,
  input  wire [4:0]  sc3_i,
  input  wire [1:0]  map_mode_i,
  input  wire        map_we_i,
  input  wire [10:0] map_addr_i,
  input  wire [4:0]  map_data_i,
  input  wire        rule_we_i,
  input  wire [4:0]  rule_sc_i,
  input  wire [25:0] rule_data_i,
  output wire [4:0]  sc_o,
  output wire        ok_o,                      // it has a lane,
  output wire [4:0]  vl_o,                      // this one,
  output wire [4:0]  sl_o,                      // an SL,
  output wire [9:0]  mtu_o                      // and may have so many units
);

  localparam integer MAP     = PORTS * 32;
  localparam integer MAP_W   = $clog2(MAP);
  localparam [6:0] ALL_PORTS = PORTS[6:0];

  reg [4:0] sl1_q;                              // SC2SL of the SC of what is in the second stage
  reg unlawful_q;                               // what is in the third got SC 15 and had another

  // ---- Tables -----------------------------------------------------------------------------------

  wire [10:0] place = {port_i, sc_i};
  wire map_here = {1'b0, map_addr_i[10:5]} < ALL_PORTS;
  wire unused_place = &{1'b0, place, map_addr_i};
  wire [4:0] entry;
  wire [4:0] sl1;
  wire [4:0] sc_by_sl;
  wire has;

  loom_ram #(
    .DEPTH(MAP),
    .WIDTH(5)
  ) u_map (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(map_we_i && map_here),
    .waddr_i(map_addr_i[MAP_W-1:0]),
    .wdata_i(map_data_i),
    .re_i(look_i),
    .raddr_i(place[MAP_W-1:0]),
    .rdata_o(entry)
  );

  loom_lut_ram #(
    .DEPTH(32),
    .WIDTH(5)
  ) u_sc2sl (
    .clk_i(clk_i),
    .we_i(rule_we_i),
    .waddr_i(rule_sc_i),
    .wdata_i(rule_data_i[`LOOM_SC_WORD_SL]),
    .raddr_i(sc_i),
    .rdata_o(sl1)
  );

  loom_lut_ram #(
    .DEPTH(32),
    .WIDTH(5)
  ) u_sl2sc (
    .clk_i(clk_i),
    .we_i(rule_we_i),
    .waddr_i(rule_sc_i),
    .wdata_i(rule_data_i[`LOOM_SC_WORD_NEW_SC]),
    .raddr_i(sl1_q),
    .rdata_o(sc_by_sl)
  );

  loom_lut_ram #(
    .DEPTH(32),
    .WIDTH(21)
  ) u_verdict (
    .clk_i(clk_i),
    .we_i(rule_we_i),
    .waddr_i(rule_sc_i),
    .wdata_i({rule_data_i[`LOOM_SC_WORD_SL], rule_data_i[`LOOM_SC_WORD_LANE],
              rule_data_i[`LOOM_SC_WORD_HAS], rule_data_i[`LOOM_SC_WORD_MTU]}),
    .raddr_i(sc3_i),
    .rdata_o({sl_o, vl_o, has, mtu_o})
  );

  // ---- The new SC -------------------------------------------------------------------------------

  wire changes = begins_i && sc2_i != 5'd15;
  wire [4:0] sc = (map_mode_i == `LOOM_OPA_MODE_SC2SC) ? entry
                  : (map_mode_i == `LOOM_OPA_MODE_SC2SL2SC) ? sc_by_sl : sc2_i;

  always @(posedge clk_i) begin
    sl1_q <= sl1;
    unlawful_q <= changes && sc == 5'd15;
  end

  assign sc_o = changes ? sc : sc2_i;
  assign ok_o = has && !unlawful_q;

`ifdef LOOM_ASSERT_ON
  // What was written stays while packets look at it, however often it is written again.
  reg [31:0] written_q;
  reg [25:0] word_q [0:31];
  reg [1:0] looks_q;                            // a head is in the second, the third stage
  always @(posedge clk_i) begin
    if (rule_we_i) word_q[rule_sc_i] <= rule_data_i;
    if (rst_i) begin
      written_q <= 32'd0;
      looks_q <= 2'd0;
    end else begin
      if (rule_we_i) written_q[rule_sc_i] <= 1'b1;
      looks_q <= {looks_q[0], look_i};
    end
  end
  wire in_use = look_i || looks_q != 2'd0;
  `LOOM_REQUIRE(rule_before_packets, !look_i || (&written_q))
  `LOOM_REQUIRE(rule_stays_while_used,
      !rule_we_i || !in_use || rule_data_i == word_q[rule_sc_i])
`endif

endmodule

`default_nettype wire
