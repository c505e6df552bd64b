// SPDX-License-Identifier: Apache-2.0

// loom_switch_lane: the lane of a VL of the link.
// Inside: loom_ib_switch, loom_opa_switch, loom_kns_node, loom_kns_switch
//
// Contract: lane_o means something only with ok_o.
// Algorithm: VL15 is the management lane min(15, VLS - 1), another VL the lane of its number.
// Latency: none, combinational.
// Wait bound: none.
// Parameters: VLS (lanes, 2..32).
// Realises: IB-02, OP-18.
// Page: docs/switch.md, section Lanes.
`default_nettype none

module loom_switch_lane #(
  parameter integer VLS = 9
) (
  input  wire [4:0] vl_i,
  output wire       ok_o,
  output wire [4:0] lane_o
);

  localparam integer MGMT_I  = (VLS > 16) ? 15 : VLS - 1;
  localparam integer FIRST_I = (VLS > 16) ? VLS : VLS - 1;
  localparam [4:0] MGMT  = MGMT_I[4:0];
  localparam [5:0] FIRST = FIRST_I[5:0];        // from here on no data VL has a lane

  wire management = vl_i == 5'd15;

  assign ok_o = management || {1'b0, vl_i} < FIRST;
  assign lane_o = management ? MGMT : vl_i;

endmodule

`default_nettype wire
