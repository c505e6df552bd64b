// SPDX-License-Identifier: Apache-2.0

// loom_crc32 equals a bit-serial reference: one division step a bit, as the standard writes it.
`include "props.vh"
`default_nettype none
module f_crc32 (
  input wire        clk_i,
  input wire        init_i,
  input wire        valid_i,
  input wire [3:0]  bytes_i,
  input wire [63:0] data_i
);
  `RESET_ONCE

  wire [31:0] crc;
  loom_crc32 u_dut (
    .clk_i(clk_i), .rst_i(rst), .init_i(init_i), .valid_i(valid_i), .bytes_i(bytes_i),
    .data_i(data_i), .crc_o(crc)
  );

  function [31:0] step;
    input [31:0] c;
    input b;
    step = {1'b0, c[31:1]} ^ (c[0] ^ b ? 32'hEDB88320 : 32'h0);
  endfunction

  // What the register shown now must become. One step from any state at all: nothing else to
  // assume.
  wire [31:0] now = ~crc;
  reg [31:0] due_d, due_q;
  reg [3:0] took_q;
  integer k;
  always @* begin
    due_d = init_i ? {32{1'b1}} : now;
    if (valid_i && bytes_i >= 1 && bytes_i <= 8) begin
      for (k = 0; k < 64; k = k + 1) begin
        if (k < 8 * bytes_i) due_d = step(due_d, data_i[56-8*(k/8)+k%8]);
      end
    end
  end
  always @(posedge clk_i) begin
    due_q <= rst ? {32{1'b1}} : due_d;
    took_q <= !rst && valid_i ? bytes_i : 4'd0;
  end

  always @* begin
    if (live_q) begin
      `PROVE(now == due_q);
      `COVER(took_q == 8 && now[31:28] == 4'hB);
      `COVER(took_q == 1 && now[3:0] == 4'hD);
      `COVER(took_q == 9 && now == {32{1'b1}});
    end
  end
endmodule
`default_nettype wire
