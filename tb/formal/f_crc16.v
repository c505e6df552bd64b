// SPDX-License-Identifier: Apache-2.0

// loom_crc16 equals a bit-serial reference: one division step a bit, as the standard writes it.
`include "props.vh"
`default_nettype none
module f_crc16 (
  input wire        clk_i,
  input wire        init_i,
  input wire        valid_i,
  input wire [3:0]  bytes_i,
  input wire [63:0] data_i
);
  `RESET_ONCE

  wire [15:0] crc;
  loom_crc16 u_dut (
    .clk_i(clk_i), .rst_i(rst), .init_i(init_i), .valid_i(valid_i), .bytes_i(bytes_i),
    .data_i(data_i), .crc_o(crc)
  );

  function [15:0] step;
    input [15:0] c;
    input b;
    step = {c[14:0], 1'b0} ^ (c[15] ^ b ? 16'h1021 : 16'h0000);
  endfunction

  // What the register shown now must become. One step from any state at all: nothing else to
  // assume.
  wire [15:0] now = crc;
  reg [15:0] due_d, due_q;
  reg [3:0] took_q;
  integer k;
  always @* begin
    due_d = init_i ? {16{1'b1}} : now;
    if (valid_i && bytes_i >= 1 && bytes_i <= 8) begin
      for (k = 0; k < 64; k = k + 1) begin
        if (k < 8 * bytes_i) due_d = step(due_d, data_i[63-k]);
      end
    end
  end
  always @(posedge clk_i) begin
    due_q <= rst ? {16{1'b1}} : due_d;
    took_q <= !rst && valid_i ? bytes_i : 4'd0;
  end

  always @* begin
    if (live_q) begin
      `PROVE(now == due_q);
      `COVER(took_q == 8 && now[15:12] == 4'hB);
      `COVER(took_q == 1 && now[3:0] == 4'hD);
      `COVER(took_q == 9 && now == {16{1'b1}});
    end
  end
endmodule
`default_nettype wire
