// SPDX-License-Identifier: Apache-2.0

// loom_elite5_heard: which control word came in.
// Inside: loom_elite5_link
//
// Contract: valid_i, head_i and data_i are a training word, ok_i says that its CRC is right. Of the
//   outputs the one of its kind, none if it is no control word.
// Algorithm: a unit of its own, so that what waits for it is not mapped together with it.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none.
// Realises: E5-35.
// Page: docs/elite5.md, section Link state.
`default_nettype none
`include "loom_fields.vh"

module loom_elite5_heard (
  input  wire        valid_i,
  input  wire        head_i,
  input  wire [63:0] data_i,
  input  wire        ok_i,
  output wire        negotiate_o,
  output wire        identify_o,
  output wire        ready_o
);

  wire good = valid_i && head_i && ok_i
              && data_i[`LOOM_ELITE5_CONTROL_TYPE] == `LOOM_ELITE5_TYPE_CONTROL;
  wire [4:0] sub = data_i[`LOOM_ELITE5_CONTROL_SUB];
  wire unused = &{1'b0, data_i};

  assign negotiate_o = good && sub == `LOOM_ELITE5_SUB_NEGOTIATE;
  assign identify_o = good && sub == `LOOM_ELITE5_SUB_IDENTIFY;
  assign ready_o = good && sub == `LOOM_ELITE5_SUB_READY;

endmodule

`default_nettype wire
