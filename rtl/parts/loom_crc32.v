// SPDX-License-Identifier: Apache-2.0

// loom_crc32: CRC-32 of a byte stream, up to 8 bytes a clock.
//
// Contract: bytes_i is 1..8, first byte in bits 63:56; anything else takes no bytes. init_i starts
//   anew, before this cycle's bytes.
// Algorithm: IEEE 802.3: reflected polynomial 0xEDB88320, initial value and final XOR 0xFFFFFFFF.
//   The bytes, with the CRC so far added to the first of them, are moved to the end of the word;
//   one constant matrix of 64 columns follows, so the depth is that of a shift by bytes and of an
//   exclusive or of 64 bits, whatever the count.
// Latency: one cycle from the bytes to crc_o. 8 bytes every cycle.
// Wait bound: none, always ready.
// Parameters: none.
// Realises: E5-07: CRC of the packet; probe crc.
// Page: docs/parts.md, section crc32.
`default_nettype none

module loom_crc32 (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        init_i,
  input  wire        valid_i,
  input  wire [3:0]  bytes_i,
  input  wire [63:0] data_i,
  output wire [31:0] crc_o
);

  // Row r of the matrix: which bits of 8 bytes (first byte at 63:56, its bit 0 first in time) end
  //   up in bit r.
  function [32*64-1:0] matrix;
    input start;
    reg [31:0] c;
    integer r;
    integer j;
    integer k;
    begin
      c = 32'hEDB88320;                         // what the last bit in time leaves behind
      matrix = {(32*64){start}};
      for (j = 0; j < 8; j = j + 1) begin
        for (k = 7; k >= 0; k = k - 1) begin
          for (r = 0; r < 32; r = r + 1) matrix[r*64 + j*8 + k] = c[r];
          c = {1'b0, c[31:1]} ^ (c[0] ? 32'hEDB88320 : 32'd0);
        end
      end
    end
  endfunction

  localparam [32*64-1:0] MATRIX = matrix(1'b0);

  reg [31:0] crc_q;

  wire [31:0] base = crc_q | {32{init_i}};      // the initial value is all ones
  wire [63:0] mixed = data_i ^ {{base[7:0], base[15:8], base[23:16], base[31:24]}, 32'd0};
  wire take = valid_i && bytes_i != 4'd0 && bytes_i <= 4'd8;

  reg [63:0] aligned;
  reg [31:0] rest;                           // of the CRC so far, what the bytes did not reach
  wire [31:0] sum;

  always @* begin
    case (bytes_i)
      4'd1: aligned = {56'd0, mixed[63:56]};
      4'd2: aligned = {48'd0, mixed[63:48]};
      4'd3: aligned = {40'd0, mixed[63:40]};
      4'd4: aligned = {32'd0, mixed[63:32]};
      4'd5: aligned = {24'd0, mixed[63:24]};
      4'd6: aligned = {16'd0, mixed[63:16]};
      4'd7: aligned = {8'd0, mixed[63:8]};
      4'd8: aligned = mixed;
      default: aligned = 64'd0;
    endcase
    case (bytes_i)
      4'd1: rest = {8'd0, base[31:8]};
      4'd2: rest = {16'd0, base[31:16]};
      4'd3: rest = {24'd0, base[31:24]};
      default: rest = 32'd0;
    endcase
  end

  generate
    genvar g;
    for (g = 0; g < 32; g = g + 1) begin : g_row
      assign sum[g] = ^(aligned & MATRIX[g*64 +: 64]) ^ rest[g];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (rst_i) crc_q <= {32{1'b1}};
    else if (take) crc_q <= sum;
    else if (init_i) crc_q <= {32{1'b1}};
  end

  assign crc_o = ~crc_q;

endmodule

`default_nettype wire
