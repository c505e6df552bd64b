// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_watch: what a word with so many wrong bits means while a checker is locked.
// Inside: loom_prbs31_check
//
// Contract: watch_i says that there is such a word, last_i that one more bad word ends the lock.
//   loss_o: it does; bad_o: another bad word; none_bad_o: the next bad word is the first one, as it
//   is with clear_i.
// Algorithm: a unit of its own, so that mapping lets nothing else come behind errors_i, which comes
//   late.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: LOSS_ERRORS (bits, 1..64).
// Realises: E5-35.
// Page: docs/parts.md, section prbs31_check.
`default_nettype none

module loom_prbs31_watch #(
  parameter integer LOSS_ERRORS = 16
) (
  input  wire       watch_i,
  input  wire       last_i,
  input  wire       clear_i,
  input  wire [6:0] errors_i,
  output wire       loss_o,
  output wire       bad_o,
  output wire       none_bad_o
);

  localparam [6:0] LOSS_BITS = LOSS_ERRORS[6:0];

  wire bad = errors_i >= LOSS_BITS;

  assign loss_o = watch_i && bad && last_i;
  assign bad_o = watch_i && bad && !last_i;
  assign none_bad_o = clear_i || (watch_i && (!bad || last_i));

endmodule

`default_nettype wire
