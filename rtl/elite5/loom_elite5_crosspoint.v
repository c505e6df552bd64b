// SPDX-License-Identifier: Apache-2.0

// loom_elite5_crosspoint: gives each output the words of the reader that it is locked to.
// Inside: loom_elite5_router
//
// Contract: lock_i names the reader of each output, {input, reader} in 8 bits a link; rd_* have a
//   bit a reader, rd_data_i 64 bits. Whether an output is locked it knows itself.
// Algorithm: a multiplexer an output.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: LINKS (2..32).
// Realises: E5-01.
// Page: docs/elite5.md, section Crosspoint.
`default_nettype none

module loom_elite5_crosspoint #(
  parameter integer LINKS = 32
) (
  input  wire [LINKS*8-1:0]   lock_i,
  input  wire [2*LINKS-1:0]   rd_valid_i,
  input  wire [2*LINKS-1:0]   rd_head_i,
  input  wire [2*LINKS-1:0]   rd_tail_i,
  input  wire [LINKS*128-1:0] rd_data_i,
  output wire [LINKS-1:0]     valid_o,
  output wire [LINKS-1:0]     head_o,
  output wire [LINKS-1:0]     tail_o,
  output wire [LINKS*64-1:0]  data_o
);

  localparam integer LW = $clog2(LINKS);

  wire unused = &{1'b0, lock_i};

  generate
    genvar l;
    for (l = 0; l < LINKS; l = l + 1) begin : g_output
      wire [LW:0] reader = lock_i[l*8 +: LW+1];
      assign valid_o[l] = rd_valid_i[reader];
      assign head_o[l] = rd_head_i[reader];
      assign tail_o[l] = rd_tail_i[reader];
      assign data_o[l*64 +: 64] = rd_data_i[{reader, 6'd0} +: 64];
    end
  endgenerate

endmodule

`default_nettype wire
