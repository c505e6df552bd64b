// SPDX-License-Identifier: Apache-2.0

// loom_sched_rr: output scheduler, round robin over keys (SLs or VLs), then over the VLs of the
//   key, a packet each.
//
// Contract: the interface of all schedulers (docs/sched.md, Interface). No tables: writes are
//   ignored, reads give 0. Every DECIDE grants.
// Algorithm: a loom_rr_arbiter over the keys; loom_sched_front chooses the VL.
// Latency: inputs of cycle c - 1, request in c, grant in c + 2; a grant every 2 cycles.
// Wait bound: an active key is served within KEYS grants (of other than the management VL).
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), CREDIT_W (bits of a credit count, 4..16).
// Realises: SC-01, IB-02, OP-11, OP-18, OP-19, OP-20.
// Page: docs/sched.md, section sched_rr.
`default_nettype none
`include "loom_assert.vh"

module loom_sched_rr #(
  parameter integer VLS      = 16,
  parameter integer KEYS     = 32,
  parameter integer ARB_KEY  = 1,
  parameter integer MGMT_VL  = 15,
  parameter integer SIZE_W   = 10,
  parameter integer CREDIT_W = 12
) (
  input  wire                    clk_i,
  input  wire                    rst_i,

  input  wire                    request_i,
  input  wire [VLS-1:0]          head_valid_i,
  input  wire [VLS*SIZE_W-1:0]   head_size_i,
  input  wire [VLS*5-1:0]        head_sl_i,
  input  wire [VLS*CREDIT_W-1:0] credits_i,

  input  wire                    table_we_i,
  input  wire [9:0]              table_addr_i,
  input  wire [31:0]             table_data_i,
  output wire [31:0]             table_rdata_o,

  output wire                    grant_valid_o,
  output wire [4:0]              grant_vl_o,
  output wire [4:0]              grant_key_o,
  output wire [SIZE_W-1:0]       grant_size_o
);

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_sched_rr_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_sched_rr_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_sched_rr_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_sched_rr_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_sched_rr_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_sched_rr_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (CREDIT_W < 4 || CREDIT_W > 16) begin : g_bad_credit_w
      loom_sched_rr_CREDIT_W_must_be_4_to_16 u_error ();
    end
  endgenerate

  // Phases; the front works out their next values.
  reg phase_q;
  reg mgmt_q;
  wire phase_d;
  wire mgmt_d;
  wire search;
  wire found;
  wire decide = phase_q && !mgmt_q;

  wire [KEYS-1:0] active;
  wire [VW-1:0] vl;
  wire [SIZE_W-1:0] size;
  wire [VLS-1:0] unused_eligible;
  wire [VLS*KW-1:0] unused_keys;

  // SEARCH: the next active key.
  wire [KEYS-1:0] grant;
  wire [KW-1:0] key_d;
  reg [KW-1:0] key_q;

  assign found = |active;

  loom_rr_arbiter #(
    .N(KEYS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(active),
    .advance_i(search),
    .grant_o(grant)
  );

  loom_encode #(
    .N(KEYS),
    .W(KW)
  ) u_encode (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(grant),
    .index_o(key_d)
  );

  always @(posedge clk_i) begin
    if (rst_i) key_q <= {KW{1'b0}};
    else if (search) key_q <= key_d;
  end

  // DECIDE: grant its VL.
  loom_sched_front #(
    .VLS(VLS),
    .KEYS(KEYS),
    .ARB_KEY(ARB_KEY),
    .MGMT_VL(MGMT_VL),
    .SIZE_W(SIZE_W),
    .CREDIT_W(CREDIT_W),
    .VW(VW),
    .KW(KW)
  ) u_front (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(request_i),
    .head_valid_i(head_valid_i),
    .head_size_i(head_size_i),
    .head_sl_i(head_sl_i),
    .credits_i(credits_i),
    .grant_valid_o(grant_valid_o),
    .grant_vl_o(grant_vl_o),
    .grant_key_o(grant_key_o),
    .grant_size_o(grant_size_o),
    .phase_i(phase_q),
    .mgmt_i(mgmt_q),
    .phase_o(phase_d),
    .mgmt_o(mgmt_d),
    .search_o(search),
    .found_i(found),
    .active_o(active),
    .eligible_o(unused_eligible),
    .key_o(unused_keys),
    .key_i(key_q),
    .keep_i(1'b0),
    .fixed_i(1'b0),
    .fixed_vl_i({VW{1'b0}}),
    .vl_o(vl),
    .size_o(size),
    .grant_i(decide),
    .grant_vl_i(vl),
    .grant_key_i(key_q),
    .grant_size_i(size)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      phase_q <= 1'b0;
      mgmt_q  <= 1'b0;
    end else begin
      phase_q <= phase_d;
      mgmt_q  <= mgmt_d;
    end
  end

  assign table_rdata_o = 32'd0;

  wire unused = &{1'b0, table_we_i, table_addr_i, table_data_i};

  `LOOM_ASSERT(every_decide_grants, !decide || size != {SIZE_W{1'b0}})

endmodule

`default_nettype wire
