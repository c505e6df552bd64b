// SPDX-License-Identifier: Apache-2.0

// loom_elite5_check: looks whether the CRC of a header is right.
// Inside: loom_elite5_router
//
// Contract: data_i is the first word of a segment or a link control word.
// Algorithm: both forms at once; types 3, 4 and 6 have the form of a continuation (CRC over bits
//   63:48 in 47:32), all others that of a first segment (CRC over bits 63:16 in 15:0).
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-06, E5-07.
// Page: docs/elite5.md, section Words on the link.
`default_nettype none
`include "loom_fields.vh"

module loom_elite5_check (
  input  wire [63:0] data_i,
  output wire        crc48_ok_o,
  output wire        crc16_ok_o,
  output wire        header_ok_o
);

  wire [2:0] kind = data_i[`LOOM_ELITE5_FIRST_TYPE];
  wire continuation = kind == `LOOM_ELITE5_TYPE_CONTINUATION
                      || kind == `LOOM_ELITE5_TYPE_LAST_CONTINUATION
                      || kind == `LOOM_ELITE5_TYPE_VOID;
  wire [15:0] crc48;
  wire [15:0] crc16;

  loom_elite5_crc #(.BYTES(6)) u_crc48 (
    .data_i(data_i[63:`LOOM_ELITE5_FIRST_TS_AT]),
    .crc_o(crc48)
  );
  loom_elite5_crc #(.BYTES(2)) u_crc16 (
    .data_i(data_i[63:`LOOM_ELITE5_NEXT_LEN_AT]),
    .crc_o(crc16)
  );

  assign crc48_ok_o = crc48 == data_i[`LOOM_ELITE5_FIRST_CRC16];
  assign crc16_ok_o = crc16 == data_i[`LOOM_ELITE5_NEXT_CRC16];
  assign header_ok_o = continuation ? crc16_ok_o : crc48_ok_o;

endmodule

`default_nettype wire
