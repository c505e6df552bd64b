// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_may: whether what an input has picked may ask for a link.
// Inside: loom_crosspoint_router
//
// Contract: open_i: it has a circuit, or a broadcast under way, and asks those links of at_i at
//   which it is able_i. else_i says that it may ask without that.
// Algorithm: a unit of its own, so that mapping lets nothing else come behind able_i, which comes
//   late.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: LINKS (2..32).
// Realises: E5-09, E5-10.
// Page: docs/crosspoint_router.md, section The second way.
`default_nettype none

module loom_crosspoint_may #(
  parameter integer LINKS = 32
) (
  input  wire             open_i,
  input  wire [LINKS-1:0] at_i,
  input  wire [LINKS-1:0] able_i,
  input  wire             else_i,
  output wire             may_o
);

  localparam integer PARTS = (LINKS + 2) / 3;

  wire [PARTS-1:0] able;

  loom_elite5_threes #(
    .N(LINKS)
  ) u_able (
    .a_i(at_i),
    .b_i(able_i),
    .parts_o(able)
  );

  assign may_o = else_i || (open_i && able != {PARTS{1'b0}});

endmodule

`default_nettype wire
