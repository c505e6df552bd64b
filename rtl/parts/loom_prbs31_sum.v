// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_sum: the sum of two numbers of six bits, without a chain of carries.
// Inside: loom_prbs31_errors
//
// Contract: sum_o is a_i + b_i.
// Algorithm: three sums of two places each (loom_prbs31_sum_2), and then each bit as one table of
//   six inputs at most: a carry into two places goes on if they make 3.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none

module loom_prbs31_sum (
  input  wire [5:0] a_i,
  input  wire [5:0] b_i,
  output wire [6:0] sum_o
);

  wire [2:0] low;
  wire [2:0] middle;
  wire [2:0] high;
  wire unused_three;
  wire middle_three;
  wire high_three;

  loom_prbs31_sum_2 u_low (
    .a_i(a_i[1:0]),
    .b_i(b_i[1:0]),
    .sum_o(low),
    .three_o(unused_three)
  );

  loom_prbs31_sum_2 u_middle (
    .a_i(a_i[3:2]),
    .b_i(b_i[3:2]),
    .sum_o(middle),
    .three_o(middle_three)
  );

  loom_prbs31_sum_2 u_high (
    .a_i(a_i[5:4]),
    .b_i(b_i[5:4]),
    .sum_o(high),
    .three_o(high_three)
  );

  wire carry_2 = low[2];
  wire carry_4 = middle[2] || (middle_three && carry_2);

  assign sum_o[1:0] = low[1:0];
  assign sum_o[2] = middle[0] ^ carry_2;
  assign sum_o[3] = middle[1] ^ (middle[0] && carry_2);
  assign sum_o[4] = high[0] ^ carry_4;
  assign sum_o[5] = high[1] ^ (high[0] && carry_4);
  assign sum_o[6] = high[2] || (high_three && carry_4);

endmodule

`default_nettype wire
