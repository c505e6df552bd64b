// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_check: checks a PRBS31 stream, 64 bits a clock, and counts bit errors exactly once
//   each.
//
// Contract: words may come in any cycle. errors_o means something while check_o is 1 and is 0
//   otherwise.
// Algorithm: hunts by predicting each word from the received one before it, locks after LOCK_WORDS
//   good words in a row, then predicts from its own sequence, so that an error does not echo. Gives
//   the lock up after LOSS_WORDS words in a row with LOSS_ERRORS wrong bits or more. A prediction
//   is made a cycle before its word, so only the count of wrong bits lies behind that.
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

  reg locked_q;
  reg [30:0] state_q;
  reg [63:0] predicted_q;                       // the word after state_q
  reg have_q;
  reg [3:0] good_q;
  reg [3:0] bad_q;
  reg check_q;
  reg [6:0] errors_q;
  reg lost_q;

  wire word = valid_i && !restart_i;
  wire [30:0] state = !word ? state_q : locked_q ? predicted_q[30:0] : data_i[30:0];
  wire [63:0] predicted;                        // for the word after this one
  wire [6:0] errors;
  wire [7:0] same;                              // bytes without an error

  loom_prbs31_word u_word (
    .state_i(state),
    .word_o(predicted)
  );

  loom_prbs31_errors u_errors (
    .a_i(data_i),
    .b_i(predicted_q),
    .errors_o(errors),
    .same_o(same)
  );

  wire equal = have_q && same == 8'hff;
  wire alive = data_i[30:0] != 31'd0;           // a state of zeros would predict zeros for ever
  wire lock = equal && alive && good_q == LOCK_BEFORE;
  wire hunt = word && !locked_q;
  wire watch = word && locked_q;
  wire loss;
  wire bad;                                     // a bad word that is not the last one
  wire none_bad;

  loom_prbs31_watch #(
    .LOSS_ERRORS(LOSS_ERRORS)
  ) u_watch (
    .watch_i(watch),
    .last_i(bad_q == LOSS_BEFORE),
    .clear_i(restart_i || (hunt && lock)),
    .errors_i(errors),
    .loss_o(loss),
    .bad_o(bad),
    .none_bad_o(none_bad)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= 31'd0;
      predicted_q <= 64'd0;
      check_q <= 1'b0;
      errors_q <= 7'd0;
      lost_q <= 1'b0;
    end else begin
      state_q <= state;
      predicted_q <= predicted;
      check_q <= watch;
      errors_q <= watch ? errors : 7'd0;
      lost_q <= loss;
    end
  end

  always @(posedge clk_i) begin
    if (rst_i || restart_i || loss) begin
      locked_q <= 1'b0;
      have_q <= 1'b0;
      good_q <= 4'd0;
    end else if (hunt) begin
      locked_q <= lock;
      have_q <= 1'b1;
      good_q <= (equal && alive && !lock) ? good_q + 4'd1 : 4'd0;
    end
    if (rst_i || none_bad) bad_q <= 4'd0;
    else if (bad) bad_q <= bad_q + 4'd1;
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
