// SPDX-License-Identifier: Apache-2.0

// loom_apart_ram: a read gives the last write before it at its address, unless both meet, and the
// output holds it until the next read. One symbolic address stands for all of them.
`include "props.vh"
`default_nettype none
module f_apart_ram #(
  parameter DEPTH = 8,
  parameter WIDTH = 2
) (
  input wire                     clk_i,
  input wire                     we_i,
  input wire [$clog2(DEPTH)-1:0] waddr_i,
  input wire [WIDTH-1:0]         wdata_i,
  input wire                     re_i,
  input wire [$clog2(DEPTH)-1:0] raddr_i
);
  wire [WIDTH-1:0] rdata;
  loom_apart_ram #(.DEPTH(DEPTH), .WIDTH(WIDTH)) u_dut (
    .clk_i(clk_i), .rst_i(1'b0), .we_i(we_i), .waddr_i(waddr_i), .wdata_i(wdata_i),
    .re_i(re_i), .raddr_i(raddr_i), .rdata_o(rdata)
  );

  wire [$clog2(DEPTH)-1:0] place = $anyconst;
  reg written_q = 1'b0;
  reg shown_q = 1'b0;
  reg [WIDTH-1:0] word_q;
  reg [WIDTH-1:0] due_q;
  always @(posedge clk_i) begin
    if (we_i && waddr_i == place) begin
      written_q <= 1'b1;
      word_q <= wdata_i;
    end
    if (re_i) begin
      shown_q <= written_q && raddr_i == place && !(we_i && waddr_i == place);
      due_q <= word_q;
    end
  end

  always @* begin
    assume(place < DEPTH);
    assume(waddr_i < DEPTH);
    assume(raddr_i < DEPTH);
    `PROVE(!shown_q || rdata == due_q);
    `COVER(shown_q && rdata == {WIDTH{1'b1}});
    `COVER(shown_q && !re_i && we_i && place == DEPTH - 1);
  end
endmodule
`default_nettype wire
