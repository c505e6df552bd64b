// SPDX-License-Identifier: Apache-2.0

// loom_mport_switch_rule: what the switch has once of Omni-Path's rule of routing: the tables of
//   SCs and SLs, as registers of the bus, and what all input units must know of an SC, in one word.
// Inside: mport_switch.
//
// Contract: bus_*_i are the registers that port 0 sees; mtu_*_i leads to all ports, a lane < VLS.
//   word_o is the answer to the access that was there two cycles ago, 0 if it is none of these
//   registers. rule_*_o leads to all input units.
// Algorithm: a counter goes round over the SCs; what the tables say of its SC is put together in
//   three stages and told to the inputs, whether it changed or not. So no table is read at more
//   than one place, and nobody has to know which SCs a write concerns.
// Latency: a write on the register bus in c shows in the tables of all inputs from c + 38 on.
// Wait bound: 32 cycles from round to round.
// Parameters: VLS (lanes, 2..32), MTU_UNITS (of each lane after reset, 1..512).
// Realises: OP-10, OP-18, OP-19.
// Page: docs/mport_switch.md, section The rule.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_mport_switch_rule #(
  parameter integer VLS       = 9,
  parameter integer MTU_UNITS = 32
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        bus_we_i,
  input  wire        bus_re_i,
  input  wire [19:0] bus_addr_i,
  input  wire [31:0] bus_data_i,
  output wire [31:0] word_o,
  input  wire        mtu_we_i,
  input  wire [4:0]  mtu_vl_i,
  input  wire [9:0]  mtu_units_i,
  output wire        rule_we_o,
  output wire [4:0]  rule_sc_o,
  output wire [25:0] rule_data_o
);

  localparam integer VW     = $clog2(VLS);
  localparam integer MGMT_I = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT     = MGMT_I[4:0];
  localparam [4:0] SC_MGMT  = 5'd15;
  localparam [9:0] MTU      = MTU_UNITS[9:0];

  `LOOM_REQUIRE(mtu_of_a_lane, !mtu_we_i || {27'd0, mtu_vl_i} < VLS)

  // ---- The registers ----------------------------------------------------------------------------

  wire [2:0] at = {`LOOM_IS_OPA_REG_SL2SC(bus_addr_i), `LOOM_IS_OPA_REG_SC2SL(bus_addr_i),
                   `LOOM_IS_OPA_REG_SC2VL(bus_addr_i)};

  reg [5:0] sweep_q;                    // words that have what they hold after reset
  wire sweeping = !sweep_q[5];
  reg [2:0] we_q;                       // SL2SC, SC2SL, SC2VL; the same order below
  reg [4:0] at_q;
  reg [4:0] data_q;
  wire [4:0] to = sweeping ? sweep_q[4:0] : at_q;
  wire [14:0] shown;                    // what the bus reads,
  wire [14:0] said;                     // and what stands there for the SC of the counter
  reg [4:0] sc_q;                       // the counter

  always @(posedge clk_i) begin
    at_q <= bus_addr_i[4:0];
    data_q <= bus_data_i[4:0];
    if (rst_i) begin
      sweep_q <= 6'd0;
      we_q <= 3'd0;
    end else begin
      if (sweeping) sweep_q <= sweep_q + 6'd1;
      we_q <= bus_we_i ? at : 3'd0;
    end
  end
  wire unused_data = &{1'b0, bus_data_i};

  genvar t;
  generate
    for (t = 0; t < 3; t = t + 1) begin : g_table
      loom_lut_ram #(
        .DEPTH(32),
        .WIDTH(5)
      ) u_shown (
        .clk_i(clk_i),
        .we_i(sweeping || we_q[t]),
        .waddr_i(to),
        .wdata_i(sweeping ? to : data_q),
        .raddr_i(bus_addr_i[4:0]),
        .rdata_o(shown[t*5 +: 5])
      );

      loom_lut_ram #(
        .DEPTH(32),
        .WIDTH(5)
      ) u_said (
        .clk_i(clk_i),
        .we_i(sweeping || we_q[t]),
        .waddr_i(to),
        .wdata_i(sweeping ? to : data_q),
        .raddr_i(sc_q),
        .rdata_o(said[t*5 +: 5])
      );
    end
  endgenerate

  reg [4:0] word1_q;
  reg [4:0] word2_q;
  wire [4:0] word = (at[0] ? shown[4:0] : 5'd0) | (at[1] ? shown[9:5] : 5'd0)
                    | (at[2] ? shown[14:10] : 5'd0);

  always @(posedge clk_i) begin
    if (rst_i) begin
      word1_q <= 5'd0;
      word2_q <= 5'd0;
    end else begin
      word1_q <= bus_re_i ? word : 5'd0;
      word2_q <= word1_q;
    end
  end

  assign word_o = {27'd0, word2_q};

  // ---- What follows for an SC -------------------------------------------------------------------

  reg valid1_q;                         // what the tables say of this SC
  reg [4:0] sc1_q;
  reg [4:0] vl1_q;
  reg [9:0] sls1_q;                     // SL2SC, SC2SL
  reg valid2_q;                         // and its lane
  reg [4:0] sc2_q;
  reg [9:0] sls2_q;
  reg has2_q;
  reg [4:0] lane2_q;
  reg rule_we_q;                        // and how long its packets may be there
  reg [4:0] rule_sc_q;
  reg [25:0] rule_data_q;

  wire management = sc1_q == SC_MGMT;
  wire vl_ok;
  wire [4:0] vl_lane;
  wire has = management || (vl_ok && vl1_q != SC_MGMT);
  wire [9:0] mtu;
  wire unused_lane = &{1'b0, lane2_q, mtu_vl_i};

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(vl1_q),
    .ok_o(vl_ok),
    .lane_o(vl_lane)
  );

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(10)
  ) u_mtu (
    .clk_i(clk_i),
    .we_i(sweeping || mtu_we_i),
    .waddr_i(sweeping ? sweep_q[VW-1:0] : mtu_vl_i[VW-1:0]),
    .wdata_i(sweeping ? MTU : mtu_units_i),
    .raddr_i(lane2_q[VW-1:0]),
    .rdata_o(mtu)
  );

  always @(posedge clk_i) begin
    sc1_q <= sc_q;
    vl1_q <= said[4:0];
    sls1_q <= said[14:5];
    sc2_q <= sc1_q;
    sls2_q <= sls1_q;
    has2_q <= has;
    lane2_q <= management ? MGMT : has ? vl_lane : 5'd0;
    rule_sc_q <= sc2_q;
    rule_data_q[`LOOM_SC_WORD_NEW_SC] <= sls2_q[9:5];
    rule_data_q[`LOOM_SC_WORD_SL] <= sls2_q[4:0];
    rule_data_q[`LOOM_SC_WORD_LANE] <= lane2_q;
    rule_data_q[`LOOM_SC_WORD_HAS] <= has2_q;
    rule_data_q[`LOOM_SC_WORD_MTU] <= has2_q ? mtu : 10'd0;
    if (rst_i) begin
      sc_q <= 5'd0;
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      rule_we_q <= 1'b0;
    end else begin
      sc_q <= sc_q + 5'd1;
      valid1_q <= !sweeping;
      valid2_q <= valid1_q;
      rule_we_q <= valid2_q;
    end
  end

  assign rule_we_o = rule_we_q;
  assign rule_sc_o = rule_sc_q;
  assign rule_data_o = rule_data_q;

`ifdef LOOM_ASSERT_ON
  // What was written two cycles after its access is told before the page says that it shows.
  reg [5:0] age_q;                      // cycles since the last write
  reg [31:0] told_q;                    // SCs of which the inputs were told what stands there since
  always @(posedge clk_i) begin
    age_q <= (rst_i || sweeping || we_q != 3'd0 || mtu_we_i) ? 6'd1
             : (age_q == 6'd63) ? age_q : age_q + 6'd1;
    told_q <= (age_q < 6'd4) ? 32'd0 : told_q | ({31'd0, rule_we_q} << rule_sc_q);
  end
  `LOOM_ASSERT(all_told_in_time, age_q < 6'd38 || (&told_q))
`endif

endmodule

`default_nettype wire
