// SPDX-License-Identifier: Apache-2.0

// loom_ram: memory with one write port and one read port; every large memory of Loom is one of
//   these or a loom_apart_ram, so that it infers as block RAM.
//
// Contract: addresses are below DEPTH. A word that was not written is unknown, and no user lets it
//   show: benches in four states would see it at an output.
// Algorithm: a plain array; a read and a write of one address at the same edge give the old word.
// Latency: one cycle from re_i to rdata_o, which then keeps its value. One read and one write every
//   cycle.
// Wait bound: none: both ports are always ready.
// Parameters: DEPTH (words, 2..65536), WIDTH (bits, at least 1).
// Realises: the memories of OP-05 and OP-06. Block RAM has no reset: neither contents nor rdata_o.
// Page: docs/parts.md, section ram.
`default_nettype none
`include "loom_assert.vh"

module loom_ram #(
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
  output wire [WIDTH-1:0]         rdata_o
);

  generate
    if (DEPTH < 2 || DEPTH > 65536) begin : g_bad_depth
      loom_ram_DEPTH_must_be_2_to_65536 u_error ();
    end
    if (WIDTH < 1) begin : g_bad_width
      loom_ram_WIDTH_must_be_1_or_more u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(write_below_depth, !we_i || {1'b0, waddr_i} < DEPTH[$clog2(DEPTH):0])
  `LOOM_REQUIRE(read_below_depth, !re_i || {1'b0, raddr_i} < DEPTH[$clog2(DEPTH):0])

  reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [WIDTH-1:0] rdata_q;

  // Every device has the same two first ports; a memory has no use for the second.
  wire unused_rst = rst_i;

  always @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_q <= mem[raddr_i];
  end

  assign rdata_o = rdata_q;

endmodule

`default_nettype wire
