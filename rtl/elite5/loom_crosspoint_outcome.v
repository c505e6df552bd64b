// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_outcome: what becomes of the request of an input, and which one comes next.
// Inside: loom_crosspoint_router
//
// Contract: granted_i are the outputs that grant the request of outs_i, any_i those that grant
//   somebody; reads_i says that it is granted without a link. stands_i and stands_lost_i say
//   whether it may stay if it is not granted, and if others are. Of a request of stage W f_valid_i
//   and f_above_i (it is there, and of a higher priority), of that of the second way pick_*.
// Algorithm: all that does not wait for the grants is ready before; this is a unit of its own so
//   that nothing else comes in between.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: LINKS (2..32).
// Realises: E5-10, E5-11.
// Page: docs/crosspoint_router.md, section Request.
`default_nettype none

module loom_crosspoint_outcome #(
  parameter integer LINKS = 32
) (
  input  wire [LINKS-1:0] granted_i,
  input  wire [LINKS-1:0] any_i,
  input  wire [LINKS-1:0] outs_i,
  input  wire             valid_i,
  input  wire             reads_i,
  input  wire             stands_i,
  input  wire             stands_lost_i,
  input  wire             f_valid_i,
  input  wire             f_above_i,
  input  wire             pick_may_i,
  input  wire             pick_above_i,
  output wire             granted_o,
  output wire             lost_o,
  output wire             stays_o,
  output wire             f_wins_o,
  output wire             pick_wins_o,
  output wire             over_o
);

  localparam [LINKS-1:0] NO_LINK = 0;

  wire granted = granted_i != NO_LINK || reads_i;
  wire missed = (outs_i & any_i) != NO_LINK;    // lost, unless granted
  wire stays = !granted && (missed ? stands_lost_i : stands_i);

  assign granted_o = granted;
  assign lost_o = valid_i && !granted && missed;
  assign stays_o = stays;
  assign f_wins_o = stays ? f_above_i : f_valid_i;
  assign pick_wins_o = stays ? pick_above_i && !f_above_i : pick_may_i && !f_valid_i;
  assign over_o = valid_i && (!stays || f_above_i || pick_above_i);

endmodule

`default_nettype wire
