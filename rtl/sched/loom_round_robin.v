// SPDX-License-Identifier: Apache-2.0

// loom_round_robin: output scheduler for fast clocks, round robin over keys, then over the VLs of
//   the key; the unit is the packet.
//
// Contract: a head event comes while ready_i of its VL is 0, and ready_i is 0 from the cycle after
//   a grant of the VL until its next head event. Only a VL whose ready_i was 1 two cycles before is
//   granted, with the size and key of its head event.
// Algorithm: the eligible VLs are halved by the bits of their keys, in three steps, until those of
//   the key that comes next are left; a fourth step chooses among them (docs/turns.md).
// Latency: request and ready_i in c, grant in c + 2, if the VL comes next and is held; otherwise
//   in c + 6. A grant every 5 cycles. Sweep after reset: KEYS cycles.
// Wait bound: an active key is served within KEYS grants.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), STAY_CYCLES (cycles after its grant in which a VL counts as ready, 0..8).
// Realises: SC-01, IB-02, IB-04, OP-18, OP-19, OP-20.
// Page: docs/turns.md, section round_robin.
`default_nettype none
`include "loom_assert.vh"

module loom_round_robin #(
  parameter integer VLS         = 16,
  parameter integer KEYS        = 32,
  parameter integer ARB_KEY     = 1,
  parameter integer MGMT_VL     = 15,
  parameter integer SIZE_W      = 10,
  parameter integer STAY_CYCLES = 0
) (
  input  wire              clk_i,
  input  wire              rst_i,

  input  wire              request_i,
  input  wire [VLS-1:0]    ready_i,
  input  wire              head_valid_i,
  input  wire [4:0]        head_vl_i,
  input  wire [SIZE_W-1:0] head_size_i,
  input  wire [4:0]        head_sl_i,

  input  wire              table_we_i,
  input  wire [9:0]        table_addr_i,
  input  wire [31:0]       table_data_i,
  output wire [31:0]       table_rdata_o,
  output wire              busy_o,
  output wire              ready_o,

  output wire              grant_valid_o,
  output wire [4:0]        grant_vl_o,
  output wire [4:0]        grant_key_o,
  output wire [SIZE_W-1:0] grant_size_o
);

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_round_robin_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_round_robin_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_round_robin_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_round_robin_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_round_robin_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_round_robin_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (STAY_CYCLES < 0 || STAY_CYCLES > 8) begin : g_bad_stay_cycles
      loom_round_robin_STAY_CYCLES_must_be_0_to_8 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(head_of_a_lane, !head_valid_i || {1'b0, head_vl_i} < VLS[5:0])
  `LOOM_REQUIRE(head_while_not_ready,
                ((({{(VLS - 1) {1'b0}}, head_valid_i} << head_vl_i) & ready_i) == {VLS{1'b0}}))

  localparam [31:0] LAST_KEY = KEYS - 1;

  reg [4:0] cur_q;
  reg [2:0] pause_q;
  reg [VLS-1:0] held_q;
  reg c4_some_q;

  wire swept;
  wire [VLS-1:0] eligible;
  wire [VLS-1:0] above;
  wire [VLS-1:0] held;
  wire [2:0] pause;
  wire some;
  wire [4:0] key;
  wire granted;
  wire unused_event;
  wire [4:0] unused_event_key;
  wire [4:0] unused_sweep;
  wire [VLS-1:0] unused_equal;
  wire [4:0] unused_key;
  wire [4:0] vl;
  wire unused_mgmt;
  wire unused_there;

  loom_turns #(
    .VLS(VLS),
    .KEYS(KEYS),
    .ARB_KEY(ARB_KEY),
    .MGMT_VL(MGMT_VL),
    .SIZE_W(SIZE_W),
    .STAY_CYCLES(STAY_CYCLES)
  ) u_turns (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(request_i),
    .ready_i(ready_i),
    .head_valid_i(head_valid_i),
    .head_vl_i(head_vl_i),
    .head_size_i(head_size_i),
    .head_sl_i(head_sl_i),
    .event_o(unused_event),
    .event_key_o(unused_event_key),
    .swept_o(swept),
    .sweep_o(unused_sweep),
    .cur_i(cur_q),
    .eligible_o(eligible),
    .above_o(above),
    .equal_o(unused_equal),
    .set_i(eligible),
    .first_i(above),
    .fixed_i(1'b0),
    .fixed_set_i({VLS{1'b0}}),
    .fixed_key_i(5'd0),
    .c3_key_o(unused_key),
    .c4_some_o(some),
    .c4_vl_o(vl),
    .c4_key_o(key),
    .next_some_i(c4_some_q),
    .next_vl_i(vl),
    .next_key_i(key),
    .mgmt_o(unused_mgmt),
    .there_o(unused_there),
    .held_i(held_q),
    .held_o(held),
    .pause_from_i(3'd4),
    .pause_i(pause_q),
    .pause_o(pause),
    .stop_i(1'b0),
    .restart_i(1'b0),
    .granted_o(granted),
    .grant_valid_o(grant_valid_o),
    .grant_vl_o(grant_vl_o),
    .grant_key_o(grant_key_o),
    .grant_size_o(grant_size_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      cur_q <= LAST_KEY[4:0];
      pause_q <= 3'd0;
      held_q <= {VLS{1'b0}};
      c4_some_q <= 1'b0;
    end else begin
      if (granted) cur_q <= key;
      pause_q <= pause;
      held_q <= held;
      c4_some_q <= some;
    end
  end

  assign ready_o = swept;
  assign busy_o = !swept;
  assign table_rdata_o = 32'd0;

  wire unused = &{1'b0, table_we_i, table_addr_i, table_data_i};

  `LOOM_ASSERT(cur_is_a_key, {1'b0, cur_q} < KEYS[5:0])

endmodule

`default_nettype wire
