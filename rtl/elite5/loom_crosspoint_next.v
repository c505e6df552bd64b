// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_next: which request of an input comes next.
// Inside: loom_crosspoint_router
//
// Contract: valid_i: there is a request; if it is not granted_i it goes on if kept_i, and nothing
//   else comes. f_valid_i: stage W has one, f_above_i: and of a higher priority. pick_may_i: the
//   second way has one, pick_above_i: if so, of a higher priority. f_wins_o, pick_wins_o: that one
//   is next; changes_o: one of them is; over_o: the request does not go on; valid_o: there is one
//   in the next cycle.
// Algorithm: tables of six inputs; a unit of its own, so that mapping lets nothing else come behind
//   what comes late.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-10, E5-11.
// Page: docs/crosspoint_router.md, section Request.
`default_nettype none

module loom_crosspoint_next (
  input  wire valid_i,
  input  wire granted_i,
  input  wire kept_i,
  input  wire f_valid_i,
  input  wire f_above_i,
  input  wire pick_may_i,
  input  wire pick_above_i,
  output wire f_wins_o,
  output wire pick_wins_o,
  output wire changes_o,
  output wire over_o,
  output wire valid_o
);

  wire stays = kept_i && !granted_i;

  assign f_wins_o = stays ? f_above_i : f_valid_i;
  assign pick_wins_o = pick_may_i && (stays ? pick_above_i && !f_above_i : !f_valid_i);
  assign changes_o = stays ? f_above_i || (pick_may_i && pick_above_i) : f_valid_i || pick_may_i;
  assign over_o = valid_i && (!stays || f_above_i || (pick_may_i && pick_above_i));
  assign valid_o = stays || f_valid_i || pick_may_i;

endmodule

`default_nettype wire
