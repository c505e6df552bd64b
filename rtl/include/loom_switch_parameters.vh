// SPDX-License-Identifier: Apache-2.0

// Parameters that all switches have: their declarations, the same handed to an instance, and the
// check of their ranges. Made by tools/switch_parameters from csim/switch/switch.params.
`ifndef LOOM_SWITCH_PARAMETERS
`define LOOM_SWITCH_PARAMETERS \
  parameter integer VLS = 9, \
  parameter integer KEYS = 32, \
  parameter integer IB_WEIGHTS = 0, \
  parameter integer N_HIGH = 64, \
  parameter integer N_LOW = 64, \
  parameter integer RESERVED_IN = 32, \
  parameter integer RESERVED_OUT = 32, \
  parameter integer REMOTE_RESERVED = 32, \
  parameter integer MTU_UNITS = 32, \
  parameter integer ROUTING_CYCLES = 2, \
  parameter integer BUFFER_CYCLES = 2, \
  parameter integer ALLOCATION_CYCLES = 1, \
  parameter integer CROSSBAR_CYCLES = 0, \
  parameter integer FLIGHT_CYCLES = 1, \
  parameter integer STALL_CYCLES = 4095
`define LOOM_SWITCH_SAME_PARAMETERS \
  .VLS(VLS), \
  .KEYS(KEYS), \
  .IB_WEIGHTS(IB_WEIGHTS), \
  .N_HIGH(N_HIGH), \
  .N_LOW(N_LOW), \
  .RESERVED_IN(RESERVED_IN), \
  .RESERVED_OUT(RESERVED_OUT), \
  .REMOTE_RESERVED(REMOTE_RESERVED), \
  .MTU_UNITS(MTU_UNITS), \
  .ROUTING_CYCLES(ROUTING_CYCLES), \
  .BUFFER_CYCLES(BUFFER_CYCLES), \
  .ALLOCATION_CYCLES(ALLOCATION_CYCLES), \
  .CROSSBAR_CYCLES(CROSSBAR_CYCLES), \
  .FLIGHT_CYCLES(FLIGHT_CYCLES), \
  .STALL_CYCLES(STALL_CYCLES)
`define LOOM_SWITCH_CHECKS \
  if (VLS < 2 || VLS > 32) begin : g_bad_vls \
    loom_switch_VLS_must_be_2_to_32 u_error (); \
  end \
  if (KEYS < 1 || KEYS > 32) begin : g_bad_keys \
    loom_switch_KEYS_must_be_1_to_32 u_error (); \
  end \
  if (IB_WEIGHTS < 0 || IB_WEIGHTS > 1) begin : g_bad_ib_weights \
    loom_switch_IB_WEIGHTS_must_be_0_to_1 u_error (); \
  end \
  if (N_HIGH < 1 || N_HIGH > 128) begin : g_bad_n_high \
    loom_switch_N_HIGH_must_be_1_to_128 u_error (); \
  end \
  if (N_LOW < 1 || N_LOW > 128) begin : g_bad_n_low \
    loom_switch_N_LOW_must_be_1_to_128 u_error (); \
  end \
  if (RESERVED_IN < 0 || RESERVED_IN > 4096) begin : g_bad_reserved_in \
    loom_switch_RESERVED_IN_must_be_0_to_4096 u_error (); \
  end \
  if (RESERVED_OUT < 0 || RESERVED_OUT > 4096) begin : g_bad_reserved_out \
    loom_switch_RESERVED_OUT_must_be_0_to_4096 u_error (); \
  end \
  if (REMOTE_RESERVED < 0 || REMOTE_RESERVED > 4095) begin : g_bad_remote_reserved \
    loom_switch_REMOTE_RESERVED_must_be_0_to_4095 u_error (); \
  end \
  if (MTU_UNITS < 1 || MTU_UNITS > 512) begin : g_bad_mtu_units \
    loom_switch_MTU_UNITS_must_be_1_to_512 u_error (); \
  end \
  if (ROUTING_CYCLES < 2 || ROUTING_CYCLES > 64) begin : g_bad_routing_cycles \
    loom_switch_ROUTING_CYCLES_must_be_2_to_64 u_error (); \
  end \
  if (BUFFER_CYCLES < 2 || BUFFER_CYCLES > 64) begin : g_bad_buffer_cycles \
    loom_switch_BUFFER_CYCLES_must_be_2_to_64 u_error (); \
  end \
  if (ALLOCATION_CYCLES < 1 || ALLOCATION_CYCLES > 64) begin : g_bad_allocation_cycles \
    loom_switch_ALLOCATION_CYCLES_must_be_1_to_64 u_error (); \
  end \
  if (CROSSBAR_CYCLES < 0 || CROSSBAR_CYCLES > 16) begin : g_bad_crossbar_cycles \
    loom_switch_CROSSBAR_CYCLES_must_be_0_to_16 u_error (); \
  end \
  if (FLIGHT_CYCLES < 1 || FLIGHT_CYCLES > 32) begin : g_bad_flight_cycles \
    loom_switch_FLIGHT_CYCLES_must_be_1_to_32 u_error (); \
  end \
  if (STALL_CYCLES < 0 || STALL_CYCLES > 4095) begin : g_bad_stall_cycles \
    loom_switch_STALL_CYCLES_must_be_0_to_4095 u_error (); \
  end
`endif
