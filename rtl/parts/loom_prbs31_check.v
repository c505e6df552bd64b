// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_check: checks a PRBS31 stream, 64 bits a clock, and counts bit errors exactly once
//   each.
//
// Contract: words may come in any cycle. errors_o means something while check_o is 1 and is 0
//   otherwise.
// Algorithm: hunts by predicting each word from the received one before it, locks after LOCK_WORDS
//   good words in a row, then predicts from its own sequence, so that an error does not echo. Gives
//   the lock up after LOSS_WORDS words in a row with LOSS_ERRORS wrong bits or more.
// Latency: one cycle from a word to check_o, errors_o, lost_o, locked_o. A word every cycle.
// Wait bound: locks with the LOCK_WORDS + 1 st word after a restart on a stream without error.
// Parameters: LOCK_WORDS (1..15), LOSS_ERRORS (bits, 1..64), LOSS_WORDS (1..15).
// Realises: E5-35; probes locked, state, good, bad.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none
`include "loom_assert.vh"

module loom_prbs31_check #(
  parameter integer LOCK_WORDS  = 2,
  parameter integer LOSS_ERRORS = 16,
  parameter integer LOSS_WORDS  = 4
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        restart_i,
  input  wire        valid_i,
  input  wire [63:0] data_i,
  output wire        locked_o,
  output wire        check_o,
  output wire [6:0]  errors_o,
  output wire        lost_o
);

  generate
    if (LOCK_WORDS < 1 || LOCK_WORDS > 15) begin : g_bad_lock_words
      loom_prbs31_check_LOCK_WORDS_must_be_1_to_15 u_error ();
    end
    if (LOSS_ERRORS < 1 || LOSS_ERRORS > 64) begin : g_bad_loss_errors
      loom_prbs31_check_LOSS_ERRORS_must_be_1_to_64 u_error ();
    end
    if (LOSS_WORDS < 1 || LOSS_WORDS > 15) begin : g_bad_loss_words
      loom_prbs31_check_LOSS_WORDS_must_be_1_to_15 u_error ();
    end
  endgenerate

  localparam integer LOCK_I = LOCK_WORDS - 1;
  localparam integer LOSS_I = LOSS_WORDS - 1;
  localparam [3:0] LOCK_BEFORE = LOCK_I[3:0];   // good words before the one that locks
  localparam [3:0] LOSS_BEFORE = LOSS_I[3:0];
  localparam [6:0] LOSS_BITS = LOSS_ERRORS[6:0];

  // Bits set in a word: sums of ever wider fields.
  function [6:0] ones;
    input [63:0] x;
    reg [63:0] s;
    begin
      s = (x & 64'h5555555555555555) + ((x >> 1) & 64'h5555555555555555);
      s = (s & 64'h3333333333333333) + ((s >> 2) & 64'h3333333333333333);
      s = (s + (s >> 4)) & 64'h0f0f0f0f0f0f0f0f;
      s = s + (s >> 8);
      s = s + (s >> 16);
      s = s + (s >> 32);
      ones = s[6:0];
    end
  endfunction

  reg locked_q;
  reg [30:0] state_q;
  reg have_q;
  reg [3:0] good_q;
  reg [3:0] bad_q;
  reg check_q;
  reg [6:0] errors_q;
  reg lost_q;

  wire [63:0] predicted;

  loom_prbs31_word u_word (
    .state_i(state_q),
    .word_o(predicted)
  );

  wire [63:0] differ = data_i ^ predicted;
  wire [6:0] errors = ones(differ);
  wire word = valid_i && !restart_i;
  wire equal = have_q && differ == 64'd0;
  wire alive = data_i[30:0] != 31'd0;           // a state of zeros would predict zeros for ever
  wire lock = equal && alive && good_q == LOCK_BEFORE;
  wire bad = errors >= LOSS_BITS;
  wire loss = bad && bad_q == LOSS_BEFORE;

  always @(posedge clk_i) begin
    if (rst_i) begin
      locked_q <= 1'b0;
      state_q <= 31'd0;
      have_q <= 1'b0;
      good_q <= 4'd0;
      bad_q <= 4'd0;
      check_q <= 1'b0;
      errors_q <= 7'd0;
      lost_q <= 1'b0;
    end else begin
      check_q <= word && locked_q;
      errors_q <= (word && locked_q) ? errors : 7'd0;
      lost_q <= word && locked_q && loss;
      if (restart_i) begin
        locked_q <= 1'b0;
        have_q <= 1'b0;
        good_q <= 4'd0;
        bad_q <= 4'd0;
      end else if (valid_i && !locked_q) begin
        state_q <= data_i[30:0];
        have_q <= 1'b1;
        good_q <= (equal && alive && !lock) ? good_q + 4'd1 : 4'd0;
        if (lock) begin
          locked_q <= 1'b1;
          bad_q <= 4'd0;
        end
      end else if (valid_i) begin
        state_q <= predicted[30:0];
        bad_q <= (bad && !loss) ? bad_q + 4'd1 : 4'd0;
        if (loss) begin
          locked_q <= 1'b0;
          have_q <= 1'b0;
          good_q <= 4'd0;
        end
      end
    end
  end

  assign locked_o = locked_q;
  assign check_o = check_q;
  assign errors_o = errors_q;
  assign lost_o = lost_q;

  `LOOM_ASSERT(errors_0_while_not_checked, check_o || errors_o == 7'd0)
  `LOOM_ASSERT(errors_fit_in_a_word, errors_o < 7'd65)
  `LOOM_ASSERT(lock_has_a_sequence, !locked_q || (have_q && state_q != 31'd0))

endmodule

`default_nettype wire
