// SPDX-License-Identifier: Apache-2.0

// duties_ram: who reads a ram reads a word that was written, and looks at nothing before
// (docs/parts.md, section ram).
`default_nettype none

module duties_ram #(
  parameter integer DEPTH = 64,
  parameter integer WIDTH = 64
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire                     we_i,
  input  wire [$clog2(DEPTH)-1:0] waddr_i,
  input  wire [WIDTH-1:0]         wdata_i,
  input  wire                     re_i,
  input  wire [$clog2(DEPTH)-1:0] raddr_i,
  output wire                    care_o
);

  reg [DEPTH-1:0] written_q;
  reg read_q;

  assign care_o = read_q;

  always @(posedge clk_i) begin
    if (rst_i) written_q <= {DEPTH{1'b0}};
    else if (we_i) written_q[waddr_i] <= 1'b1;
    if (rst_i) read_q <= 1'b0;
    else if (re_i) read_q <= 1'b1;
  end

`ifdef FORMAL
  always @* begin
    if (!rst_i) assume(!re_i || written_q[raddr_i]);
  end
`endif

endmodule

`default_nettype wire
