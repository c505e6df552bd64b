// SPDX-License-Identifier: Apache-2.0

// loom_elite5_window: what a link has in registers: its settings, and its state for who reads it.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: we_i and re_i are accesses to the window of this link; rdata_o is 0 for what is not
//   here, as counters are not.
// Algorithm: registers.
// Latency: a write takes effect at the end of its cycle; read data one cycle later.
// Wait bound: none.
// Parameters: VCS (2..32).
// Realises: E5-11, E5-36, E5-39.
// Page: docs/elite5.md, section Registers.
`default_nettype none
`include "loom_regs.vh"

module loom_elite5_window #(
  parameter integer VCS = 32
) (
  input  wire           clk_i,
  input  wire           rst_i,
  input  wire           we_i,
  input  wire           re_i,
  input  wire [11:0]    addr_i,
  input  wire [31:0]    data_i,
  output wire [31:0]    rdata_o,

  // Settings.
  output wire           enable_o,
  output wire           quick_o,
  output wire           single_o,
  output wire           check_o,
  output wire [23:0]    expected_o,
  output wire [5:0]     vc_limit_o,
  output wire [5:0]     cap_o,

  // What is shown.
  input  wire [2:0]     state_i,
  input  wire           quiet_i,
  input  wire [23:0]    far_i,
  input  wire [31:0]    checked_i,
  input  wire [31:0]    bit_errors_i,
  input  wire [VCS-1:0] alloc_i,
  input  wire [VCS-1:0] taken_i,
  input  wire [5:0]     pending_i
);

  localparam [5:0] ALL_VCS = VCS[5:0];

  // ---- Settings ---------------------------------------------------------------------------------

  reg [3:0] control_q;
  reg [23:0] expected_q;
  reg [5:0] vc_limit_q;
  reg [5:0] cap_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      control_q <= 4'd0;
      expected_q <= 24'd0;
      vc_limit_q <= ALL_VCS;
      cap_q <= 6'd63;
    end else if (we_i) begin
      case (addr_i)
        `LOOM_ELITE5_REG_LINK_CONTROL: control_q <= data_i[3:0];
        `LOOM_ELITE5_REG_LINK_EXPECTED: begin
          expected_q <= data_i[`LOOM_ELITE5_REG_LINK_EXPECTED_IDENTITY];
        end
        `LOOM_ELITE5_REG_LINK_VC_LIMIT: vc_limit_q <= data_i[`LOOM_ELITE5_REG_LINK_VC_LIMIT_VCS];
        `LOOM_ELITE5_REG_LINK_CAP: cap_q <= data_i[`LOOM_ELITE5_REG_LINK_CAP_SEGMENTS];
        default: control_q <= control_q;
      endcase
    end
  end

  assign enable_o = control_q[`LOOM_ELITE5_REG_LINK_CONTROL_ENABLE];
  assign quick_o = control_q[`LOOM_ELITE5_REG_LINK_CONTROL_QUICK];
  assign single_o = control_q[`LOOM_ELITE5_REG_LINK_CONTROL_SINGLE];
  assign check_o = control_q[`LOOM_ELITE5_REG_LINK_CONTROL_CHECK];
  assign expected_o = expected_q;
  assign vc_limit_o = vc_limit_q;
  assign cap_o = cap_q;

  // ---- Reading ----------------------------------------------------------------------------------

  reg [31:0] alloc;
  reg [31:0] taken;
  reg [31:0] word;
  reg [31:0] word_q;
  wire unused = &{1'b0, data_i[31:24]};

  always @* begin
    alloc = 32'd0;
    alloc[VCS-1:0] = alloc_i;
    taken = 32'd0;
    taken[VCS-1:0] = taken_i;
    case (addr_i)
      `LOOM_ELITE5_REG_LINK_CONTROL: word = {28'd0, control_q};
      `LOOM_ELITE5_REG_LINK_EXPECTED: word = {8'd0, expected_q};
      `LOOM_ELITE5_REG_LINK_VC_LIMIT: word = {26'd0, vc_limit_q};
      `LOOM_ELITE5_REG_LINK_CAP: word = {26'd0, cap_q};
      `LOOM_ELITE5_REG_LINK_STATE: word = {28'd0, quiet_i, state_i};
      `LOOM_ELITE5_REG_LINK_FAR: word = {8'd0, far_i};
      `LOOM_ELITE5_REG_LINK_CHECKED: word = checked_i;
      `LOOM_ELITE5_REG_LINK_BIT_ERRORS: word = bit_errors_i;
      `LOOM_ELITE5_REG_LINK_ALLOCATED: word = alloc;
      `LOOM_ELITE5_REG_LINK_NOT_IDLE: word = taken;
      `LOOM_ELITE5_REG_LINK_PENDING: word = {26'd0, pending_i};
      default: word = 32'd0;
    endcase
  end

  always @(posedge clk_i) begin
    if (rst_i) word_q <= 32'd0;
    else word_q <= re_i ? word : 32'd0;
  end

  assign rdata_o = word_q;

endmodule

`default_nettype wire
