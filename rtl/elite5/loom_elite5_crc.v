// SPDX-License-Identifier: Apache-2.0

// loom_elite5_crc: CRC-16 of the first bytes of a word.
// Inside: loom_elite5_router
//
// Contract: data_i is BYTES bytes, the first one in the top bits; the CRC is that of loom_crc16.
// Algorithm: byte after byte, eight shifts of the register in closed form.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: BYTES (2..8).
// Realises: E5-07.
// Page: docs/elite5.md, section Words on the link.
`default_nettype none

module loom_elite5_crc #(
  parameter integer BYTES = 6
) (
  input  wire [8*BYTES-1:0] data_i,
  output wire [15:0]        crc_o
);

  reg [15:0] crc;
  reg [7:0] mix;                                // what the CRC's top and the byte feed back
  integer i;

  // x^16 + x^12 + x^5 + 1, eight steps at once: each byte of the feedback goes in at bits 0, 5 and
  // 12, and what falls out at the top of the latter two at once again.
  always @* begin
    crc = 16'hFFFF;
    mix = 8'd0;
    for (i = BYTES - 1; i >= 0; i = i - 1) begin
      mix = crc[15:8] ^ data_i[8*i +: 8];
      mix = mix ^ {4'd0, mix[7:4]};
      crc = {crc[7:0] ^ {mix[3:0], 4'd0} ^ {3'd0, mix[7:3]}, {mix[2:0], 5'd0} ^ mix};
    end
  end

  generate
    if (BYTES < 2 || BYTES > 8) begin : g_bad_bytes
      loom_elite5_crc_BYTES_must_be_2_to_8 u_error ();
    end
  endgenerate

  assign crc_o = crc;

endmodule

`default_nettype wire
