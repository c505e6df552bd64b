// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_pattern: how the CRC of a header changes with its VC.
// Inside: loom_crosspoint_router
//
// Contract: change_i is the old VC xor the new one; first_o belongs to first words, next_o to those
//   of types 3, 4 and 6.
// Algorithm: CRC-16 is linear but for its start: the CRC of the change alone, xor that of nothing.
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

  wire [15:0] first;
  wire [15:0] next;
  wire [15:0] first_none;
  wire [15:0] next_none;

  loom_elite5_crc #(.BYTES(6)) u_first (
    .data_i({5'd0, change_i, 38'd0}),
    .crc_o(first)
  );
  loom_elite5_crc #(.BYTES(2)) u_next (
    .data_i({3'd0, change_i, 8'd0}),
    .crc_o(next)
  );
  loom_elite5_crc #(.BYTES(6)) u_first_none (
    .data_i(48'd0),
    .crc_o(first_none)
  );
  loom_elite5_crc #(.BYTES(2)) u_next_none (
    .data_i(16'd0),
    .crc_o(next_none)
  );

  assign first_o = first ^ first_none;
  assign next_o = next ^ next_none;

endmodule

`default_nettype wire
