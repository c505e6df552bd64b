// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_errors_3: in how many of three places two words differ.
// Inside: loom_prbs31_errors
//
// Contract: errors_o is the number of bits set in a_i xor b_i.
// Algorithm: two tables of six inputs; a unit of its own, so that mapping leaves them whole.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none

module loom_prbs31_errors_3 (
  input  wire [2:0] a_i,
  input  wire [2:0] b_i,
  output wire [1:0] errors_o
);

  wire [2:0] differ = a_i ^ b_i;

  assign errors_o[0] = differ[0] ^ differ[1] ^ differ[2];
  assign errors_o[1] = (differ[0] && differ[1]) || ((differ[0] || differ[1]) && differ[2]);

endmodule

`default_nettype wire
