// SPDX-License-Identifier: Apache-2.0

// loom_elite5_turn: what a link turns to.
// Inside: loom_elite5_link
//
// Contract: base_i is its next state if nothing of the rest happens, base_moves_i says that this is
//   another one, fell_i that it was UP. At most one of: too many errors (removed_i), out of time
//   (late_i), the other end spoke (met_i), its numbers are right (right_i) or wrong (wrong_i), the
//   test is over (passes_i, fails_i).
// Algorithm: what comes late only sets and clears bits of the state; a unit of its own, so that
//   mapping lets nothing else come behind that.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none

module loom_elite5_turn (
  input  wire [2:0] base_i,
  input  wire       base_moves_i,
  input  wire       fell_i,
  input  wire       removed_i,
  input  wire       late_i,
  input  wire       met_i,
  input  wire       right_i,
  input  wire       wrong_i,
  input  wire       passes_i,
  input  wire       fails_i,
  output wire [2:0] state_o,
  output wire       moves_o,
  output wire       trap_o,
  output wire [2:0] cause_o       // of the trap, 0 without one
);

  // FAILED is 7, NEGOTIATE 1; NEGOTIATE to IDCHECK is 1 to 2, from there to PRBS 2 to 3, to BADID 2
  // to 6; PRBS to READY 3 to 4.
  assign state_o[0] = (base_i[0] && !met_i && !passes_i) || late_i || right_i || removed_i
                      || fails_i;
  assign state_o[1] = (base_i[1] && !late_i && !passes_i) || met_i || removed_i || fails_i;
  assign state_o[2] = (base_i[2] && !late_i) || wrong_i || passes_i || removed_i || fails_i;
  assign moves_o = base_moves_i || removed_i || late_i || met_i || right_i || wrong_i || passes_i
                   || fails_i;
  assign trap_o = fell_i || removed_i || wrong_i || fails_i;
  assign cause_o = {trap_o, wrong_i || fails_i, removed_i || fails_i};

endmodule

`default_nettype wire
