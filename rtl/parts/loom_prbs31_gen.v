// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_gen: PRBS31 test pattern, 64 bits a clock.
//
// Contract: load_i wins over enable_i; a seed of 0 counts as all ones, so the sequence never stands
//   still.
// Algorithm: x^31 + x^28 + 1, not inverted; the state is the last 31 bits, bit 0 the newest.
// Latency: one cycle from enable_i to valid_o with the word. A word every cycle.
// Wait bound: none, always ready.
// Parameters: none.
// Realises: E5-35; probe state.
// Page: docs/parts.md, section prbs31_gen.
`default_nettype none
`include "loom_assert.vh"

module loom_prbs31_gen (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        load_i,
  input  wire [30:0] seed_i,
  input  wire        enable_i,
  output wire        valid_o,
  output wire [63:0] data_o
);

  reg [30:0] state_q;
  reg valid_q;
  reg [63:0] data_q;

  wire [63:0] word;

  loom_prbs31_word u_word (
    .state_i(state_q),
    .word_o(word)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= {31{1'b1}};
      valid_q <= 1'b0;
      data_q <= 64'd0;
    end else begin
      if (load_i) state_q <= (seed_i == 31'd0) ? {31{1'b1}} : seed_i;
      else if (enable_i) state_q <= word[30:0];
      valid_q <= enable_i && !load_i;
      data_q <= (enable_i && !load_i) ? word : 64'd0;
    end
  end

  assign valid_o = valid_q;
  assign data_o = data_q;

  `LOOM_ASSERT(never_stands_still, state_q != 31'd0)
  `LOOM_ASSERT(data_0_while_not_valid, valid_o || data_o == 64'd0)

endmodule

`default_nettype wire
