// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_errors_8: in how many of eight places two words differ.
// Inside: loom_prbs31_errors
//
// Contract: errors_o is the number of bits set in a_i xor b_i; same_o says that there is none.
// Algorithm: three counts of up to three places (loom_prbs31_errors_3), and then each bit of their
//   sum as one table of six inputs.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none

module loom_prbs31_errors_8 (
  input  wire [7:0] a_i,
  input  wire [7:0] b_i,
  output wire [3:0] errors_o,
  output wire       same_o
);

  wire [1:0] first;
  wire [1:0] second;
  wire [1:0] third;

  loom_prbs31_errors_3 u_first (
    .a_i(a_i[2:0]),
    .b_i(b_i[2:0]),
    .errors_o(first)
  );

  loom_prbs31_errors_3 u_second (
    .a_i(a_i[5:3]),
    .b_i(b_i[5:3]),
    .errors_o(second)
  );

  loom_prbs31_errors_3 u_third (
    .a_i({1'b0, a_i[7:6]}),
    .b_i({1'b0, b_i[7:6]}),
    .errors_o(third)
  );

  // Of places that count two there are four.
  wire carry = (first[0] && second[0]) || ((first[0] || second[0]) && third[0]);
  wire one = first[1] ^ second[1];
  wire two = first[1] && second[1];
  wire other = third[1] ^ carry;
  wire others = third[1] && carry;

  assign errors_o[0] = first[0] ^ second[0] ^ third[0];
  assign errors_o[1] = one ^ other;
  assign errors_o[2] = two ^ others ^ (one && other);
  assign errors_o[3] = two && others;
  assign same_o = {first, second, third} == 6'd0;

endmodule

`default_nettype wire
