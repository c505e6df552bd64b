// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_word: the next 64 bits of a PRBS31 sequence.
// Inside: loom_prbs31_gen
//
// Contract: combinational; state_i holds the last 31 bits, bit 0 the newest. Shared with
//   loom_prbs31_check.
// Algorithm: b[n] = b[n-28] xor b[n-31] (x^31 + x^28 + 1) in four pieces, each of which needs only
//   bits before it.
// Latency: none.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_gen.
`default_nettype none

module loom_prbs31_word (
  input  wire [30:0] state_i,
  output wire [63:0] word_o
);

  wire [27:0] b0_27 = state_i[27:0] ^ state_i[30:3];
  wire [2:0] b28_30 = b0_27[27:25] ^ state_i[2:0];
  wire [24:0] b31_55 = b0_27[24:0] ^ b0_27[27:3];
  wire [7:0] b56_63 = {b28_30, b31_55[24:20]} ^ {b0_27[2:0], b28_30, b31_55[24:23]};

  assign word_o = {b0_27, b28_30, b31_55, b56_63};       // bit 63 is first in time

endmodule

`default_nettype wire
