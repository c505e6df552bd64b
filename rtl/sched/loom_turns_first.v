// SPDX-License-Identifier: Apache-2.0

// loom_turns_first: the first VL of a part of a set, or if that is empty, the first of the set.
// Inside: loom_round_robin, loom_bandwidth_table, loom_deficit_round_robin
//
// Contract: vl_o is combinational; 0 if the set is empty.
// Algorithm: groups of four; the group is chosen first, then the VL of the group.
// Latency: none.
// Wait bound: none: it keeps nothing.
// Parameters: VLS (1..32).
// Realises: SC-01.
// Page: docs/turns.md, section The four steps.
`default_nettype none
`include "loom_assert.vh"

module loom_turns_first #(
  parameter integer VLS = 16
) (
  input  wire           clk_i,  // for the assertions
  input  wire           rst_i,
  input  wire [VLS-1:0] set_i,
  input  wire [VLS-1:0] near_i,
  output wire [4:0]     vl_o
);

  localparam integer GROUPS = (VLS + 3) / 4;

  wire [4*GROUPS-1:0] all = {{(4 * GROUPS - VLS) {1'b0}}, set_i};
  wire [4*GROUPS-1:0] near = {{(4 * GROUPS - VLS) {1'b0}}, near_i};
  wire [GROUPS-1:0] any_all;
  wire [GROUPS-1:0] any_near;
  genvar g;
  generate
    for (g = 0; g < GROUPS; g = g + 1) begin : g_group
      assign any_all[g] = |all[4*g+:4];
      assign any_near[g] = |near[4*g+:4];
    end
  endgenerate

  wire use_near = |any_near;
  wire [4*GROUPS-1:0] from = use_near ? near : all;
  reg [2:0] first_all;
  reg [2:0] first_near;
  reg [3:0] bits;
  integer n;
  always @* begin
    first_all = 3'd0;
    first_near = 3'd0;
    for (n = GROUPS - 1; n >= 0; n = n - 1) begin
      if (any_all[n]) first_all = n[2:0];
      if (any_near[n]) first_near = n[2:0];
    end
  end
  wire [2:0] group = use_near ? first_near : first_all;
  always @* begin
    bits = 4'd0;
    for (n = 0; n < GROUPS; n = n + 1) if (group == n[2:0]) bits = from[4*n+:4];
  end
  assign vl_o = {group, !(bits[0] || bits[1]) && |bits, !bits[0] && (bits[1] || !bits[2]) && |bits};

  wire unused = &{1'b0, clk_i, rst_i};

  `LOOM_REQUIRE(a_part_of_the_set, (near_i & ~set_i) == {VLS{1'b0}})
  `LOOM_ASSERT(one_of_the_set, set_i == {VLS{1'b0}} || |(set_i & ({{(VLS-1){1'b0}}, 1'b1} << vl_o)))

endmodule

`default_nettype wire
