// SPDX-License-Identifier: Apache-2.0

// loom_sched_select: one of the four schedulers behind their common interface.
// Inside: loom_sched_port, loom_ib_switch, loom_opa_switch
//
// Contract: docs/sched.md, Interface.
// Algorithm: SCHED says which: 0 sched_rr, 1 sched_sbt, 2 sched_dtable, 3 sched_ibarb.
// Latency: inputs of cycle c - 1, request in c, grant in c + 2.
// Wait bound: the scheduler's.
// Parameters: SCHED (0..3); VLS, KEYS, ARB_KEY, MGMT_VL, ENTRIES, IB_WEIGHTS, N_HIGH, N_LOW as the
//   schedulers have them (SIZE_W 10, CREDIT_W 12).
// Realises: OP-18, OP-19, OP-20, SC-01..04, DT-01..04, IB-02..06.
// Page: docs/sched.md, section Interface.
`default_nettype none

module loom_sched_select #(
  parameter integer SCHED      = 2,
  parameter integer VLS        = 9,
  parameter integer KEYS       = 32,
  parameter integer ARB_KEY    = 1,
  parameter integer MGMT_VL    = 8,
  parameter integer ENTRIES    = 128,
  parameter integer IB_WEIGHTS = 0,
  parameter integer N_HIGH     = 64,
  parameter integer N_LOW      = 64
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              request_i,
  input  wire [VLS-1:0]    head_valid_i,
  input  wire [VLS*10-1:0] head_size_i,
  input  wire [VLS*5-1:0]  head_sl_i,
  input  wire [VLS*12-1:0] credits_i,
  input  wire              table_we_i,
  input  wire [9:0]        table_addr_i,
  input  wire [31:0]       table_data_i,
  output wire [31:0]       table_rdata_o,
  output wire              grant_valid_o,
  output wire [4:0]        grant_vl_o,
  output wire [9:0]        grant_size_o
);

  wire [4:0] unused_grant_key;

  // Parameters and ports that all schedulers have; between them some have their own parameters.
  `define SCHED_KEYS \
    .VLS(VLS), \
    .KEYS(KEYS), \
    .ARB_KEY(ARB_KEY), \
    .MGMT_VL(MGMT_VL)
  `define SCHED_SIZES \
    .SIZE_W(10), \
    .CREDIT_W(12)
  `define SCHED_PORTS \
    .clk_i(clk_i), \
    .rst_i(rst_i), \
    .request_i(request_i), \
    .head_valid_i(head_valid_i), \
    .head_size_i(head_size_i), \
    .head_sl_i(head_sl_i), \
    .credits_i(credits_i), \
    .table_we_i(table_we_i), \
    .table_addr_i(table_addr_i), \
    .table_data_i(table_data_i), \
    .table_rdata_o(table_rdata_o), \
    .grant_valid_o(grant_valid_o), \
    .grant_vl_o(grant_vl_o), \
    .grant_key_o(unused_grant_key), \
    .grant_size_o(grant_size_o)

  generate
    if (SCHED == 0) begin : g_rr
      loom_sched_rr #(
        `SCHED_KEYS,
        `SCHED_SIZES
      ) u_sched (
        `SCHED_PORTS
      );
    end else if (SCHED == 1) begin : g_sbt
      loom_sched_sbt #(
        `SCHED_KEYS,
        `SCHED_SIZES
      ) u_sched (
        `SCHED_PORTS
      );
    end else if (SCHED == 2) begin : g_dtable
      loom_sched_dtable #(
        `SCHED_KEYS,
        .ENTRIES(ENTRIES),
        .IB_WEIGHTS(IB_WEIGHTS),
        `SCHED_SIZES
      ) u_sched (
        `SCHED_PORTS
      );
    end else begin : g_ibarb
      loom_sched_ibarb #(
        `SCHED_KEYS,
        .N_HIGH(N_HIGH),
        .N_LOW(N_LOW),
        `SCHED_SIZES
      ) u_sched (
        `SCHED_PORTS
      );
    end
  endgenerate

endmodule

`undef SCHED_KEYS
`undef SCHED_SIZES
`undef SCHED_PORTS
`default_nettype wire
