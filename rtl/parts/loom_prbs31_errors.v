// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_errors: in how many bits two words differ.
// Inside: loom_prbs31_check
//
// Contract: errors_o is the number of bits set in a_i xor b_i; same_o says of each byte that there
//   is none in it.
// Algorithm: a tree of sums, of three bits, of eight, and then of twice as many each time. Each but
//   the first two levels of logic belongs to one half of a sum (loom_prbs31_sum); what each sum
//   counts is what the twin counts as well, so a proof finds them equal one by one.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none

module loom_prbs31_errors (
  input  wire [63:0] a_i,
  input  wire [63:0] b_i,
  output wire [6:0]  errors_o,
  output wire [7:0]  same_o
);

  // The sums of bytes, of two bytes, of four: each 6 or 7 bits.
  wire [47:0] of_1;
  wire [27:0] of_2;
  wire [13:0] of_4;
  wire unused = &{1'b0, of_2, of_4};

  genvar k;
  generate
    for (k = 0; k < 8; k = k + 1) begin : g_byte
      loom_prbs31_errors_8 u_errors (
        .a_i(a_i[8*k +: 8]),
        .b_i(b_i[8*k +: 8]),
        .errors_o(of_1[6*k +: 4]),
        .same_o(same_o[k])
      );

      assign of_1[6*k+4 +: 2] = 2'd0;
    end
    for (k = 0; k < 4; k = k + 1) begin : g_2
      loom_prbs31_sum u_sum (
        .a_i(of_1[12*k +: 6]),
        .b_i(of_1[12*k+6 +: 6]),
        .sum_o(of_2[7*k +: 7])
      );
    end
    for (k = 0; k < 2; k = k + 1) begin : g_4
      loom_prbs31_sum u_sum (
        .a_i(of_2[14*k +: 6]),
        .b_i(of_2[14*k+7 +: 6]),
        .sum_o(of_4[7*k +: 7])
      );
    end
  endgenerate

  loom_prbs31_sum u_sum (
    .a_i(of_4[5:0]),
    .b_i(of_4[12:7]),
    .sum_o(errors_o)
  );

endmodule

`default_nettype wire
