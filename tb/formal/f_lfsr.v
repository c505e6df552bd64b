// SPDX-License-Identifier: Apache-2.0

// loom_lfsr: never zero (so it never stands still), and one clock is STEPS single Galois shifts.
`include "props.vh"
`default_nettype none
module f_lfsr #(
  parameter STEPS = 8
) (
  input wire        clk_i,
  input wire        load_i,
  input wire [31:0] seed_i,
  input wire        enable_i
);
  `RESET_ONCE

  wire [31:0] value;
  loom_lfsr #(.STEPS(STEPS)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .load_i(load_i), .seed_i(seed_i), .enable_i(enable_i),
    .value_o(value)
  );

  reg [31:0] value_q, value_d;
  integer k;
  always @* begin
    value_d = value_q;
    if (load_i) value_d = seed_i == 0 ? 32'd1 : seed_i;
    else if (enable_i) begin
      for (k = 0; k < STEPS; k = k + 1)
        value_d = {1'b0, value_d[31:1]} ^ (value_d[0] ? 32'h80200003 : 32'd0);
    end
  end
  always @(posedge clk_i) value_q <= rst ? 32'd1 : value_d;

  always @* begin
    if (live_q) begin
      `PROVE(value != 0);
      `PROVE(value == value_q);
      `COVER(value == 32'hCAFEF00D);
      `COVER(load_i && seed_i == 0 && value != 1);
    end
  end
endmodule
`default_nettype wire
