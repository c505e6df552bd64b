// SPDX-License-Identifier: Apache-2.0

// loom_opa_rule: the Omni-Path switch's rule of routing: service channels, service levels, and the
//   way through the central buffers.
// Inside: loom_opa_switch
//
// Contract: entry_i is the input's map at {output, sc}; tables have 8 bits an entry. lane_o and
//   target_o mean something only with ok_o. Targets 0..3 are the MPort's outputs, 4 and 5 its
//   central buffers.
// Algorithm: the new SC from itself, from the map or by way of the SL; from that VL and SL. A
//   packet of another MPort goes to the central buffer of its output's bit 0, or to the emptier
//   one.
// Latency: none, combinational.
// Wait bound: none.
// Parameters: VLS (lanes, 2..32), TOTAL_W (bits of a count of units).
// Realises: OP-05, OP-10, OP-18, OP-19.
// Page: docs/opa.md, section opa_switch.
`default_nettype none
`include "loom_regs.vh"

module loom_opa_rule #(
  parameter integer VLS     = 9,
  parameter integer TOTAL_W = 11
) (
  input  wire [3:0]         mport_i,
  input  wire [1:0]         mode_i,
  input  wire               choice_i,
  input  wire [255:0]       sc2vl_i,
  input  wire [255:0]       sc2sl_i,
  input  wire [255:0]       sl2sc_i,
  input  wire [TOTAL_W-1:0] total_0_i,
  input  wire [TOTAL_W-1:0] total_1_i,
  input  wire [5:0]         out_i,
  input  wire [4:0]         sc_i,
  input  wire [4:0]         entry_i,
  output wire               ok_o,
  output wire [4:0]         lane_o,
  output wire [4:0]         sc_o,
  output wire [4:0]         sl_o,
  output wire [2:0]         target_o
);

  localparam integer MGMT_I = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT = MGMT_I[4:0];

  wire management = sc_i == 5'd15;
  wire [4:0] sl_in = sc2sl_i[{sc_i, 3'd0} +: 5];
  wire [4:0] sc_by_sl = sl2sc_i[{sl_in, 3'd0} +: 5];
  wire [4:0] sc = management ? sc_i
                  : (mode_i == `LOOM_OPA_MODE_SC2SC) ? entry_i
                  : (mode_i == `LOOM_OPA_MODE_SC2SL2SC) ? sc_by_sl : sc_i;
  wire [4:0] vl = sc2vl_i[{sc, 3'd0} +: 5];
  wire has_lane;
  wire [4:0] lane;

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(vl),
    .ok_o(has_lane),
    .lane_o(lane)
  );

  wire own = out_i[5:2] == mport_i;
  wire other = choice_i ? (total_0_i == total_1_i) ? out_i[0] : total_1_i < total_0_i : out_i[0];
  wire unused = &{1'b0, sc2vl_i, sc2sl_i, sl2sc_i};

  assign ok_o = management || (has_lane && vl != 5'd15 && sc != 5'd15);
  assign lane_o = management ? MGMT : lane;
  assign sc_o = sc;
  assign sl_o = sc2sl_i[{sc, 3'd0} +: 5];
  assign target_o = own ? {1'b0, out_i[1:0]} : {2'b10, other};

endmodule

`default_nettype wire
