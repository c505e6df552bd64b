// SPDX-License-Identifier: Apache-2.0

// loom_lut_ram: a read gives the last write of an earlier cycle at its address (the old word when
// both meet), and writes beyond DEPTH change nothing. One symbolic address stands for all of them.
`include "props.vh"
`default_nettype none
module f_lut_ram #(
  parameter DEPTH = 8,
  parameter WIDTH = 2
) (
  input wire                     clk_i,
  input wire                     we_i,
  input wire [$clog2(DEPTH)-1:0] waddr_i,
  input wire [WIDTH-1:0]         wdata_i,
  input wire [$clog2(DEPTH)-1:0] raddr_i
);
  wire [WIDTH-1:0] rdata;
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(WIDTH)) u_dut (
    .clk_i(clk_i), .we_i(we_i), .waddr_i(waddr_i), .wdata_i(wdata_i),
    .raddr_i(raddr_i), .rdata_o(rdata)
  );

  wire [$clog2(DEPTH)-1:0] place = $anyconst;
  reg written_q = 1'b0;
  reg [WIDTH-1:0] word_q;
  always @(posedge clk_i) begin
    if (we_i && waddr_i == place) begin
      written_q <= 1'b1;
      word_q <= wdata_i;
    end
  end

  always @* begin
    assume(place < DEPTH);
    `PROVE(!written_q || raddr_i != place || rdata == word_q);
    `COVER(written_q && raddr_i == place && we_i && waddr_i == place && wdata_i != rdata);
    `COVER(written_q && raddr_i == place && place == DEPTH - 1 && rdata == {WIDTH{1'b1}});
  end
endmodule
`default_nettype wire
