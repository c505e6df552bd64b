// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_pattern: how the CRC of a header changes with its VC.
// Inside: loom_crosspoint_router
//
// Contract: change_i is the old VC xor the new one; first_o belongs to first words, next_o to those
//   of types 3, 4 and 6.
// Algorithm: CRC-16 is linear but for its start, so each bit of the VC that changes turns the same
//   bits of the CRC, whatever else the word has: the remainders of the bits, as constants.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-06, E5-07.
// Page: docs/crosspoint_router.md, section Cross.
`default_nettype none

module loom_crosspoint_pattern (
  input  wire [4:0]  change_i,
  output wire [15:0] first_o,
  output wire [15:0] next_o
);

  // x^16 times the place of the bit, modulo x^16 + x^12 + x^5 + 1.
  assign first_o = (change_i[0] ? 16'h1168 : 16'd0)
                   ^ (change_i[1] ? 16'h22D0 : 16'd0)
                   ^ (change_i[2] ? 16'h45A0 : 16'd0)
                   ^ (change_i[3] ? 16'h8B40 : 16'd0)
                   ^ (change_i[4] ? 16'h06A1 : 16'd0);
  assign next_o = (change_i[0] ? 16'h3331 : 16'd0)
                  ^ (change_i[1] ? 16'h6662 : 16'd0)
                  ^ (change_i[2] ? 16'hCCC4 : 16'd0)
                  ^ (change_i[3] ? 16'h89A9 : 16'd0)
                  ^ (change_i[4] ? 16'h0373 : 16'd0);

endmodule

`default_nettype wire
