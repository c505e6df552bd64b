// SPDX-License-Identifier: Apache-2.0

// loom_elite5_rewrite: puts the VC of the next link into a header.
// Inside: loom_elite5_router
//
// Contract: with head_i data_i is the first word of a segment; without it the word goes through.
// Algorithm: both forms of a header at once, each with its CRC made anew; types 3, 4 and 6 have the
//   form of a continuation, all others that of a first segment.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-06, E5-07.
// Page: docs/elite5.md, sections Words on the link and Crosspoint.
`default_nettype none
`include "loom_fields.vh"

module loom_elite5_rewrite (
  input  wire [63:0] data_i,
  input  wire        head_i,
  input  wire [4:0]  vc_i,
  output wire [63:0] data_o
);

  wire [2:0] kind = data_i[`LOOM_ELITE5_FIRST_TYPE];
  wire continuation = kind == `LOOM_ELITE5_TYPE_CONTINUATION
                      || kind == `LOOM_ELITE5_TYPE_LAST_CONTINUATION
                      || kind == `LOOM_ELITE5_TYPE_VOID;
  wire [47:0] first = {kind, data_i[`LOOM_ELITE5_FIRST_PRIO], vc_i, data_i[`LOOM_ELITE5_FIRST_LEN],
                       data_i[`LOOM_ELITE5_FIRST_DEST], data_i[`LOOM_ELITE5_FIRST_TS]};
  wire [15:0] next = {kind, vc_i, data_i[`LOOM_ELITE5_NEXT_LEN]};
  wire [15:0] crc48;
  wire [15:0] crc16;

  loom_elite5_crc #(.BYTES(6)) u_crc48 (
    .data_i(first),
    .crc_o(crc48)
  );
  loom_elite5_crc #(.BYTES(2)) u_crc16 (
    .data_i(next),
    .crc_o(crc16)
  );

  assign data_o = !head_i ? data_i
                  : continuation ? {next, crc16, data_i[`LOOM_ELITE5_NEXT_PAYLOAD]}
                  : {first, crc48};

endmodule

`default_nettype wire
