// SPDX-License-Identifier: Apache-2.0

// loom_lut_ram: small memory that is read in the same cycle; what circuits keep by lane, key or
//   table entry stands in these, so that it infers as LUT RAM.
// Inside: any circuit
//
// Contract: a word that was not written since power-up, and what is read at an address that is not
//   below DEPTH, are unknown, and no user lets them show. A write at such an address changes no
//   word below DEPTH.
// Algorithm: a plain array with one write port and one asynchronous read port; in the cycle of a
//   write the read gives the old word. Who needs two read ports writes two of these alike.
// Latency: none from raddr_i to rdata_o; a word is there from the cycle after its write. One read
//   and one write every cycle.
// Wait bound: none: both ports are always ready.
// Parameters: DEPTH (words, 2..128), WIDTH (bits, at least 1).
// Realises: the small memories of OP-05 and OP-06. LUT RAM has no reset: who needs contents after
//   reset writes them one a cycle.
// Page: docs/parts.md, section lut_ram.
`default_nettype none

module loom_lut_ram #(
  parameter integer DEPTH = 32,
  parameter integer WIDTH = 16
) (
  input  wire                     clk_i,
  input  wire                     we_i,
  input  wire [$clog2(DEPTH)-1:0] waddr_i,
  input  wire [WIDTH-1:0]         wdata_i,
  input  wire [$clog2(DEPTH)-1:0] raddr_i,
  output wire [WIDTH-1:0]         rdata_o
);

  generate
    if (DEPTH < 2 || DEPTH > 128) begin : g_bad_depth
      loom_lut_ram_DEPTH_must_be_2_to_128 u_error ();
    end
    if (WIDTH < 1) begin : g_bad_width
      loom_lut_ram_WIDTH_must_be_1_or_more u_error ();
    end
  endgenerate

  // else a register after it would make it block RAM, whose output is slow
  (* ram_style = "distributed" *) reg [WIDTH-1:0] lut_mem [0:DEPTH-1];

  always @(posedge clk_i) begin
    if (we_i) lut_mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = lut_mem[raddr_i];

endmodule

`default_nettype wire
