// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_fresh: whether stage W has a request, and one of a higher priority than another.
// Inside: loom_crosspoint_router
//
// Contract: goes_i: a packet that got a link, more_i: a continuation that may ask; *_above_i says
//   that its priority is higher.
// Algorithm: a unit of its own, so that mapping lets nothing else come behind goes_i and more_i,
//   which come late.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-10, E5-11.
// Page: docs/crosspoint_router.md, section Request.
`default_nettype none

module loom_crosspoint_fresh (
  input  wire goes_i,
  input  wire goes_above_i,
  input  wire more_i,
  input  wire more_above_i,
  output wire valid_o,
  output wire above_o
);

  assign valid_o = goes_i || more_i;
  assign above_o = (goes_i && goes_above_i) || (more_i && more_above_i);

endmodule

`default_nettype wire
