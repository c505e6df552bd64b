// SPDX-License-Identifier: Apache-2.0

// loom_crc16: CRC-16 of a byte stream, up to 8 bytes a clock.
//
// Contract: bytes_i is 1..8, first byte in bits 63:56; anything else takes no bytes. init_i starts
//   anew, before this cycle's bytes.
// Algorithm: polynomial 0x1021, initial value 0xFFFF, not reflected, no final XOR. The bytes, with
//   the CRC so far added to the first of them, are moved to the end of the word; one constant
//   matrix of 64 columns follows, so the depth is that of a shift by bytes and of an exclusive or
//   of 64 bits, whatever the count.
// Latency: one cycle from the bytes to crc_o. 8 bytes every cycle.
// Wait bound: none, always ready.
// Parameters: none.
// Realises: E5-07: CRC of the header; probe crc.
// Page: docs/parts.md, section crc16.
`default_nettype none

module loom_crc16 (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        init_i,
  input  wire        valid_i,
  input  wire [3:0]  bytes_i,
  input  wire [63:0] data_i,
  output wire [15:0] crc_o
);

  // Row r of the matrix: which bits of 8 bytes (first bit in time at 63) end up in bit r of the
  //   CRC.
  function [16*64-1:0] matrix;
    input start;
    reg [15:0] c;
    integer r;
    integer j;
    begin
      c = 16'h1021;                             // what the last bit in time leaves behind
      matrix = {(16*64){start}};
      for (j = 0; j < 64; j = j + 1) begin
        for (r = 0; r < 16; r = r + 1) matrix[r*64 + j] = c[r];
        c = {c[14:0], 1'b0} ^ (c[15] ? 16'h1021 : 16'd0);
      end
    end
  endfunction

  localparam [16*64-1:0] MATRIX = matrix(1'b0);

  reg [15:0] crc_q;

  wire [15:0] base = crc_q | {16{init_i}};      // the initial value is all ones
  wire [63:0] mixed = data_i ^ {base, 48'd0};
  wire take = valid_i && bytes_i != 4'd0 && bytes_i <= 4'd8;

  reg [63:0] aligned;
  reg [15:0] rest;                           // of the CRC so far, what the bytes did not reach
  wire [15:0] sum;

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
      4'd1: rest = {base[7:0], 8'd0};
      default: rest = 16'd0;
    endcase
  end

  generate
    genvar g;
    for (g = 0; g < 16; g = g + 1) begin : g_row
      assign sum[g] = ^(aligned & MATRIX[g*64 +: 64]) ^ rest[g];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (rst_i) crc_q <= {16{1'b1}};
    else if (take) crc_q <= sum;
    else if (init_i) crc_q <= {16{1'b1}};
  end

  assign crc_o = crc_q;

endmodule

`default_nettype wire
