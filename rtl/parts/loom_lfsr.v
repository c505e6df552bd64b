// SPDX-License-Identifier: Apache-2.0

// loom_lfsr: random numbers for hardware, a Galois LFSR of 32 bits.
//
// Contract: load_i wins over enable_i; a seed of 0 counts as 1, so the sequence never stands still.
// Algorithm: x^32 + x^22 + x^2 + x + 1, shifted right STEPS times a clock; period 2^32 - 1 in
//   shifts.
// Latency: one cycle from enable_i to the next value. A value every cycle.
// Wait bound: none, always ready.
// Parameters: STEPS (shifts a clock, 1..32).
// Realises: E5-20; probe value.
// Page: docs/parts.md, section lfsr.
`default_nettype none
`include "loom_assert.vh"

module loom_lfsr #(
  parameter integer STEPS = 8
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        load_i,
  input  wire [31:0] seed_i,
  input  wire        enable_i,
  output wire [31:0] value_o
);

  generate
    if (STEPS < 1 || STEPS > 32) begin : g_bad_steps
      loom_lfsr_STEPS_must_be_1_to_32 u_error ();
    end
  endgenerate

  function [31:0] advance;
    input [31:0] value;
    integer k;
    begin
      advance = value;
      for (k = 0; k < STEPS; k = k + 1) begin
        advance = {1'b0, advance[31:1]} ^ (32'h80200003 & {32{advance[0]}});
      end
    end
  endfunction

  reg [31:0] value_q;

  always @(posedge clk_i) begin
    if (rst_i) value_q <= 32'd1;
    else if (load_i) value_q <= (seed_i == 32'd0) ? 32'd1 : seed_i;
    else if (enable_i) value_q <= advance(value_q);
  end

  assign value_o = value_q;

  `LOOM_ASSERT(never_stands_still, value_q != 32'd0)

endmodule

`default_nettype wire
