// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_sum_2: the sum of two numbers of two bits.
// Inside: loom_prbs31_sum
//
// Contract: sum_o is a_i + b_i; three_o says that this is 3, so that one more would carry.
// Algorithm: four tables of at most four inputs; a unit of its own, so that mapping leaves them
//   whole.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none

module loom_prbs31_sum_2 (
  input  wire [1:0] a_i,
  input  wire [1:0] b_i,
  output wire [2:0] sum_o,
  output wire       three_o
);

  wire carry = a_i[0] && b_i[0];

  assign sum_o[0] = a_i[0] ^ b_i[0];
  assign sum_o[1] = a_i[1] ^ b_i[1] ^ carry;
  assign sum_o[2] = (a_i[1] && b_i[1]) || ((a_i[1] || b_i[1]) && carry);
  assign three_o = (a_i ^ b_i) == 2'd3;

endmodule

`default_nettype wire
