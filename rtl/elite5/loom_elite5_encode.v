// loom_elite5_encode: the number of the one bit that is set in a one-hot vector.
// Inside: loom_elite5_router
//
// Contract: at most one bit of hot_i is set; without one the number is 0.
// Algorithm: an OR of constant masks for each bit of the number.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: N (2..32).
// Realises: E5-11.
// Page: docs/elite5.md, section elite5_router.
`default_nettype none

module loom_elite5_encode #(
  parameter integer N = 32
) (
  input  wire [N-1:0] hot_i,
  output wire [4:0]   index_o
);

  generate
    genvar b;
    for (b = 0; b < 5; b = b + 1) begin : g_bit
      // The places whose number has bit b set.
      localparam [31:0] ONES = {(16 >> b) {{(1 << b) {1'b1}}, {(1 << b) {1'b0}}}};
      assign index_o[b] = |(hot_i & ONES[N-1:0]);
    end
  endgenerate

endmodule

`default_nettype wire
