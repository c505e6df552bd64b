// SPDX-License-Identifier: Apache-2.0

// loom_kns_node: routing HCA of a KNS: the router of a node and the ports of its hosts in one
//   device. Ports 0..HOSTS-1 lead to the hosts, port HOSTS + d to the switch of dimension d.
//
// Contract: links as in docs/link.md; registers as in docs/switch.md and docs/kns.md, one access a
//   cycle. All outputs are registers or gated registers.
// Algorithm: a loom_ib_crossbar whose inputs take the output from the packet's address
//   (loom_switch_coordinates): the first dimension in which the packet is not yet where it should
//   be, else its host. The crossbar also checks the parameters.
// Latency: ROUTING_CYCLES + 2 BUFFER_CYCLES + ALLOCATION_CYCLES + CROSSBAR_CYCLES + FLIGHT_CYCLES
//   cycles from link in to link out, unloaded; more if STALL_CYCLES makes a packet wait for its
//   flits.
// Wait bound: round robin in both stages of allocation, the scheduler's at the outputs; a lane
//   below its reserves is never kept out by another one.
// Parameters: HOSTS (1..8), DIMS (dimensions, 1..4), W (bits of a coordinate, 1..6), with ceil(log2
//   HOSTS) + DIMS * W <= 15, VLS (lanes, 2..32), SPEEDUP (1..2), SCHED (0 rr, 1 sbt, 2 dtable, 3
//   ibarb), KEYS, ARB_KEY, ENTRIES, IB_WEIGHTS, N_HIGH, N_LOW (the scheduler's), CELLS_IN,
//   CELLS_OUT (units of 64 bytes, 16..4096), RESERVED_IN, RESERVED_OUT (of them to each lane),
//   REMOTE_UNITS (16..4095), REMOTE_RESERVED, MTU_UNITS (1..512), and the stages in cycles:
//   ROUTING_CYCLES (2..64), BUFFER_CYCLES (2..64), ALLOCATION_CYCLES (1..64), CROSSBAR_CYCLES
//   (0..16), FLIGHT_CYCLES (1..32); STALL_CYCLES (most cycles in which a crossing waits for flits,
//   0..4095; 4095: any number).
// Realises: KN-01, KN-02, KN-05, KN-11, IB-01..06, OP-06, OP-08, OP-10, OP-11, OP-13..15,
//   OP-18..20, SC-01..04, DT-01..04; probes granted, targeted, idle.
// Page: docs/kns.md, section kns_node.
`default_nettype none
`include "loom_switch_parameters.vh"

module loom_kns_node #(
  parameter integer HOSTS        = 1,
  parameter integer DIMS         = 2,
  parameter integer W            = 3,
  parameter integer SPEEDUP      = 1,
  parameter integer SCHED        = 3,
  parameter integer ARB_KEY      = 0,
  parameter integer ENTRIES      = 64,
  parameter integer CELLS_IN     = 1792,
  parameter integer CELLS_OUT    = 1792,
  parameter integer REMOTE_UNITS = 1792,
  `LOOM_SWITCH_PARAMETERS
) (
  input  wire                       clk_i,
  input  wire                       rst_i,

  // Links.
  input  wire [HOSTS+DIMS-1:0]      in_valid_i,
  input  wire [HOSTS+DIMS-1:0]      in_head_i,
  input  wire [HOSTS+DIMS-1:0]      in_tail_i,
  input  wire [(HOSTS+DIMS)*5-1:0]  in_vl_i,
  input  wire [(HOSTS+DIMS)*64-1:0] in_data_i,
  output wire [HOSTS+DIMS-1:0]      in_cr_valid_o,
  output wire [(HOSTS+DIMS)*5-1:0]  in_cr_vl_o,
  output wire [HOSTS+DIMS-1:0]      out_valid_o,
  output wire [HOSTS+DIMS-1:0]      out_head_o,
  output wire [HOSTS+DIMS-1:0]      out_tail_o,
  output wire [(HOSTS+DIMS)*5-1:0]  out_vl_o,
  output wire [(HOSTS+DIMS)*64-1:0] out_data_o,
  input  wire [HOSTS+DIMS-1:0]      out_cr_valid_i,
  input  wire [(HOSTS+DIMS)*5-1:0]  out_cr_vl_i,

  // The register bus.
  input  wire                       reg_we_i,
  input  wire                       reg_re_i,
  input  wire [19:0]                reg_addr_i,
  input  wire [31:0]                reg_wdata_i,
  output wire                       reg_rvalid_o,
  output wire [31:0]                reg_rdata_o,
  output wire                       trap_o
);

  localparam integer PORTS = HOSTS + DIMS;

  reg [PORTS-1:0] granted_q;                    // the input was granted in the last cycle
  reg [PORTS-1:0] targeted_q;                   // the output was granted in the last cycle
  reg idle_q;                                   // no unit was in use at the last edge
  wire [PORTS-1:0] granted;
  wire [PORTS-1:0] targeted;
  wire idle;

  loom_ib_crossbar #(
    .ROUTE(1),
    .HOSTS(HOSTS),
    .DIMS(DIMS),
    .W(W),
    .PORTS(PORTS),
    .SPEEDUP(SPEEDUP),
    .SCHED(SCHED),
    .ARB_KEY(ARB_KEY),
    .ENTRIES(ENTRIES),
    .CELLS_IN(CELLS_IN),
    .CELLS_OUT(CELLS_OUT),
    .REMOTE_UNITS(REMOTE_UNITS),
    `LOOM_SWITCH_SAME_PARAMETERS
  ) u_crossbar (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .in_valid_i(in_valid_i),
    .in_head_i(in_head_i),
    .in_tail_i(in_tail_i),
    .in_vl_i(in_vl_i),
    .in_data_i(in_data_i),
    .in_cr_valid_o(in_cr_valid_o),
    .in_cr_vl_o(in_cr_vl_o),
    .out_valid_o(out_valid_o),
    .out_head_o(out_head_o),
    .out_tail_o(out_tail_o),
    .out_vl_o(out_vl_o),
    .out_data_o(out_data_o),
    .out_cr_valid_i(out_cr_valid_i),
    .out_cr_vl_i(out_cr_vl_i),
    .reg_we_i(reg_we_i),
    .reg_re_i(reg_re_i),
    .reg_addr_i(reg_addr_i),
    .reg_wdata_i(reg_wdata_i),
    .reg_rvalid_o(reg_rvalid_o),
    .reg_rdata_o(reg_rdata_o),
    .trap_o(trap_o),
    .granted_i(granted_q),
    .granted_o(granted),
    .targeted_i(targeted_q),
    .targeted_o(targeted),
    .idle_i(idle_q),
    .idle_o(idle)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      granted_q <= {PORTS{1'b0}};
      targeted_q <= {PORTS{1'b0}};
      idle_q <= 1'b1;
    end else begin
      granted_q <= granted;
      targeted_q <= targeted;
      idle_q <= idle;
    end
  end

endmodule

`default_nettype wire
