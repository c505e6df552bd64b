// SPDX-License-Identifier: Apache-2.0

// loom_apart_ram: a block RAM for users of whom none looks at a word in the cycle in which it is
//   written, so that devices whose block RAM cannot give the old word then need no logic for it.
// Inside: any circuit
//
// Contract: addresses are below DEPTH. A word that was not written, and one that was read at the
//   edge at which it was written, are unknown, and no user lets them show.
// Algorithm: that of loom_ram, with an unknown word where read and write meet.
// Latency: one cycle from re_i to rdata_o, which then keeps its value. One read and one write every
//   cycle.
// Wait bound: none: both ports are always ready.
// Parameters: DEPTH (words, 2..65536), WIDTH (bits, at least 1).
// Realises: memories of OP-05. Block RAM has no reset: neither contents nor rdata_o.
// Page: docs/parts.md, section apart_ram.
`default_nettype none
`include "loom_assert.vh"

module loom_apart_ram #(
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
      loom_apart_ram_DEPTH_must_be_2_to_65536 u_error ();
    end
    if (WIDTH < 1) begin : g_bad_width
      loom_apart_ram_WIDTH_must_be_1_or_more u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(write_below_depth, !we_i || {1'b0, waddr_i} < DEPTH[$clog2(DEPTH):0])
  `LOOM_REQUIRE(read_below_depth, !re_i || {1'b0, raddr_i} < DEPTH[$clog2(DEPTH):0])

  // Left alone, tools take LUTs for a memory of a few kbit.
  (* ram_style = "block" *)
  reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [WIDTH-1:0] rdata_q;

  // The ports are those of loom_ram.
  wire unused_rst = rst_i;

  // Yosys knows memories without a promise by this form.
  always @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) begin
      rdata_q <= mem[raddr_i];
      if (we_i && waddr_i == raddr_i) rdata_q <= {WIDTH{1'bx}};
    end
  end

  assign rdata_o = rdata_q;

endmodule

`default_nettype wire
