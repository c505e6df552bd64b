// SPDX-License-Identifier: Apache-2.0

// loom_elite5_exchange: one step of a transposition: in each block of 2 SIZE by 2 SIZE bits of a
//   square of 32 by 32 the two quarters off the diagonal change places.
// Inside: loom_elite5_router
//
// Contract: row r is rows_i[32*r +: 32].
// Algorithm: only wires.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: SIZE (1, 2, 4, 8, 16).
// Realises: E5-01.
// Page: docs/elite5.md, section Crosspoint.
`default_nettype none

module loom_elite5_exchange #(
  parameter integer SIZE = 16
) (
  input  wire [1023:0] rows_i,
  output wire [1023:0] rows_o
);

  localparam [31:0] LOW = {(16 / SIZE) {{SIZE{1'b0}}, {SIZE{1'b1}}}};    // left half of each block

  generate
    genvar b;
    genvar r;
    for (b = 0; b < 32; b = b + 2 * SIZE) begin : g_block
      for (r = b; r < b + SIZE; r = r + 1) begin : g_row
        wire [31:0] upper = rows_i[32*r +: 32];
        wire [31:0] lower = rows_i[32*(r+SIZE) +: 32];
        assign rows_o[32*r +: 32] = (upper & LOW) | ((lower & LOW) << SIZE);
        assign rows_o[32*(r+SIZE) +: 32] = ((upper >> SIZE) & LOW) | (lower & ~LOW);
      end
    end
  endgenerate

endmodule

`default_nettype wire
