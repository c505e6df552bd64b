// SPDX-License-Identifier: Apache-2.0

// loom_elite5_training: words of a link that is coming up: the one that came in the last cycle, and
//   those of the test that it sends.
// Inside: loom_elite5_router
//
// Contract: in_* are the wires of the link in this cycle; opening_i says that the link is in states
//   1 to 4, and sending_i that it wants a word of the test for the next cycle.
// Algorithm: a register, a CRC and a generator.
// Latency: one cycle.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none
`include "loom_fields.vh"

module loom_elite5_training (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        opening_i,
  input  wire        in_valid_i,
  input  wire        in_head_i,
  input  wire [63:0] in_data_i,
  output wire        ctl_valid_o,
  output wire        ctl_head_o,
  output wire [63:0] ctl_data_o,
  output wire        ctl_ok_o,
  input  wire        sending_i,
  output wire        gen_valid_o,
  output wire [63:0] gen_data_o
);

  reg ctl_valid_q;
  reg ctl_head_q;
  reg [63:0] ctl_data_q;
  wire [15:0] crc;

  loom_elite5_crc #(.BYTES(6)) u_crc (
    .data_i(ctl_data_q[63:`LOOM_ELITE5_FIRST_TS_AT]),
    .crc_o(crc)
  );

  loom_prbs31_gen u_gen (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .load_i(1'b0),
    .seed_i(31'd0),
    .enable_i(sending_i),
    .valid_o(gen_valid_o),
    .data_o(gen_data_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      ctl_valid_q <= 1'b0;
      ctl_head_q <= 1'b0;
      ctl_data_q <= 64'd0;
    end else begin
      ctl_valid_q <= opening_i && in_valid_i;
      ctl_head_q <= opening_i && in_valid_i && in_head_i;
      ctl_data_q <= (opening_i && in_valid_i) ? in_data_i : 64'd0;
    end
  end

  assign ctl_valid_o = ctl_valid_q;
  assign ctl_head_o = ctl_head_q;
  assign ctl_data_o = ctl_data_q;
  assign ctl_ok_o = crc == ctl_data_q[`LOOM_ELITE5_CONTROL_CRC16];

endmodule

`default_nettype wire
