// SPDX-License-Identifier: Apache-2.0

// loom_elite5_trap: the trap of a link that waits to be handed over.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: link_trap_i and trap_i are traps of this cycle; trap_valid_o is one that waits, until
//   trap_move_i. A trap is {cause, vc, dest, ts}. lost_o counts those that are lost in this cycle,
//   some_lost_o says whether there are any.
// Algorithm: a register. Of two traps in a cycle that of the link stays.
// Latency: one cycle.
// Wait bound: none; a trap waits for trap_move_i.
// Parameters: none.
// Realises: E5-17.
// Page: docs/elite5.md, section Traps.
`default_nettype none

module loom_elite5_trap (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        link_trap_i,
  input  wire [2:0]  link_cause_i,
  input  wire        trap_i,
  input  wire [37:0] trap_data_i,
  output wire        trap_valid_o,
  output wire [37:0] trap_data_o,
  input  wire        trap_move_i,
  output wire [1:0]  lost_o,
  output wire        some_lost_o
);

  reg trap_valid_q;
  reg [37:0] trap_data_q;
  wire trap = link_trap_i || trap_i;
  wire full = trap_valid_q && !trap_move_i;
  wire trap_full = trap && full;

  always @(posedge clk_i) begin
    if (rst_i) begin
      trap_valid_q <= 1'b0;
      trap_data_q <= 38'd0;
    end else begin
      if (trap && !trap_full) trap_data_q <= link_trap_i ? {link_cause_i, 35'd0} : trap_data_i;
      trap_valid_q <= trap || (trap_valid_q && !trap_move_i);
    end
  end

  assign trap_valid_o = trap_valid_q;
  assign trap_data_o = trap_data_q;
  assign lost_o = {1'b0, link_trap_i && trap_i} + {1'b0, trap_full};
  assign some_lost_o = (link_trap_i && (trap_i || full)) || (trap_i && full);

endmodule

`default_nettype wire
