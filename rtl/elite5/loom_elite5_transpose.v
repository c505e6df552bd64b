// SPDX-License-Identifier: Apache-2.0

// loom_elite5_transpose: a square of 32 by 32 bits with rows and columns exchanged.
// Inside: loom_elite5_router
//
// Contract: bit c of row r, rows_i[32*r + c], comes out as bit r of row c.
// Algorithm: only wires. Written as five exchanges (loom_elite5_exchange), as a simulator then
//   moves whole words and not single bits.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none; rows and columns of links that do not exist are 0.
// Realises: E5-01.
// Page: docs/elite5.md, section Crosspoint.
`default_nettype none

module loom_elite5_transpose (
  input  wire [1023:0] rows_i,
  output wire [1023:0] rows_o
);

  wire [1023:0] by16;
  wire [1023:0] by8;
  wire [1023:0] by4;
  wire [1023:0] by2;

  loom_elite5_exchange #(.SIZE(16)) u_16 (.rows_i(rows_i), .rows_o(by16));
  loom_elite5_exchange #(.SIZE(8)) u_8 (.rows_i(by16), .rows_o(by8));
  loom_elite5_exchange #(.SIZE(4)) u_4 (.rows_i(by8), .rows_o(by4));
  loom_elite5_exchange #(.SIZE(2)) u_2 (.rows_i(by4), .rows_o(by2));
  loom_elite5_exchange #(.SIZE(1)) u_1 (.rows_i(by2), .rows_o(rows_o));

endmodule

`default_nettype wire
