// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_outcome: what becomes of the request of an input.
// Inside: loom_crosspoint_router
//
// Contract: granted_i are the outputs that grant the request of outs_i, any_i those that grant
//   somebody; reads_i says that it is granted without a link. stands_i and stands_lost_i say
//   whether it may stay if it is not granted, and if others are.
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
  output wire             granted_o,
  output wire             lost_o,
  output wire             kept_o        // it stays, unless granted
);

  localparam integer PARTS = (LINKS + 2) / 3;
  localparam [LINKS-1:0] NO_LINK = 0;

  wire granted = granted_i != NO_LINK || reads_i;
  wire [PARTS-1:0] parts;
  wire missed = parts != {PARTS{1'b0}};         // lost, unless granted

  loom_elite5_threes #(
    .N(LINKS)
  ) u_missed (
    .a_i(outs_i),
    .b_i(any_i),
    .parts_o(parts)
  );

  assign granted_o = granted;
  assign lost_o = valid_i && !granted && missed;
  assign kept_o = missed ? stands_lost_i : stands_i;

endmodule

`default_nettype wire
