// SPDX-License-Identifier: Apache-2.0

// loom_ib_rule: the InfiniBand switch's rule of routing: SL2VL by input, output and SL.
// Inside: loom_ib_switch, loom_kns_node, loom_kns_switch
//
// Contract: entry_i is the input's map at {output, SL}; lane_o means something only with ok_o.
// Algorithm: the map applies to all lanes but the management lane, and where map_on_i is set.
// Latency: none, combinational.
// Wait bound: none.
// Parameters: VLS (lanes, 2..32).
// Realises: IB-02.
// Page: docs/ib.md, section ib_switch.
`default_nettype none

module loom_ib_rule #(
  parameter integer VLS = 9
) (
  input  wire       map_on_i,
  input  wire [4:0] lane_i,
  input  wire [4:0] entry_i,
  output wire       ok_o,
  output wire [4:0] lane_o
);

  localparam integer MGMT_I = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT = MGMT_I[4:0];

  wire has_lane;
  wire [4:0] map_lane;

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(entry_i),
    .ok_o(has_lane),
    .lane_o(map_lane)
  );

  wire mapped = map_on_i && lane_i != MGMT;

  assign ok_o = !mapped || (has_lane && entry_i != 5'd15);
  assign lane_o = mapped ? map_lane : lane_i;

endmodule

`default_nettype wire
