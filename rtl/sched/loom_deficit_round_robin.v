// SPDX-License-Identifier: Apache-2.0

// loom_deficit_round_robin: output scheduler for fast clocks, deficit round robin over keys, then
//   over the VLs of the key; the unit is 64 bytes.
//
// Contract: a head event comes while ready_i of its VL is 0, and ready_i is 0 from the cycle after
//   a grant of the VL until its next head event. Only a VL whose ready_i was 1 two cycles before is
//   granted, with the size and key of its head event.
// Algorithm: of the eligible VLs the steps of loom_turns leave one; what its key has left, or has
//   saved and gets anew, is read beside the last of them, and a sixth step compares that with its
//   head. If it does not fit, the key passes, which waits for no request (docs/turns.md).
// Latency: request and ready_i in c, grant in c + 2, if the VL comes next and is held; otherwise
//   in c + 8, and 7 later for each pass. A grant every 7 cycles. Sweep after reset: KEYS cycles.
// Wait bound: a key with quantum q and a head of n units is served in its turn ceil(n / q) at the
//   latest; in a turn another key sends less than its quantum and a largest packet.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), STAY_CYCLES (cycles after its grant in which a VL counts as ready, 0..8).
// Realises: SC-01, SC-09, IB-02, IB-04, OP-18, OP-19, OP-20.
// Page: docs/turns.md, section deficit_round_robin.
`default_nettype none
`include "loom_assert.vh"
`include "loom_regs.vh"

module loom_deficit_round_robin #(
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
  output reg  [31:0]       table_rdata_o,
  output wire              busy_o,
  output wire              ready_o,

  output wire              grant_valid_o,
  output wire [4:0]        grant_vl_o,
  output wire [4:0]        grant_key_o,
  output wire [SIZE_W-1:0] grant_size_o
);

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_deficit_round_robin_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_deficit_round_robin_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_deficit_round_robin_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_deficit_round_robin_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_deficit_round_robin_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_deficit_round_robin_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (STAY_CYCLES < 0 || STAY_CYCLES > 8) begin : g_bad_stay_cycles
      loom_deficit_round_robin_STAY_CYCLES_must_be_0_to_8 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(head_of_a_lane, !head_valid_i || {1'b0, head_vl_i} < VLS[5:0])
  `LOOM_REQUIRE(head_while_not_ready,
                ((({{(VLS - 1) {1'b0}}, head_valid_i} << head_vl_i) & ready_i) == {VLS{1'b0}}))

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;
  // a RAM has at least two words
  localparam integer V_WORDS = (VLS > 1) ? VLS : 2;
  localparam integer K_WORDS = (KEYS > 1) ? KEYS : 2;
  localparam integer DW = ((SIZE_W > 8) ? SIZE_W : 8) + 1;
  localparam [31:0] LAST_KEY = KEYS - 1;
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [7:0] FIRST_QUANTUM = 8'd64;

  reg [4:0] cur_q;
  reg open_q;
  reg [2:0] pause_q;
  reg [VLS-1:0] held_q;
  reg forget_q;
  reg [4:0] forget_key_q;

  // ---- quanta and deficits ----------------------------------------------------------------------

  wire swept;
  wire [4:0] sweep;
  wire [4:0] c3_key;
  reg [4:0] c5_key_q;
  wire granted;
  wire pass;
  wire [DW-1:0] left;
  reg [9:0] addr_q;
  wire to_quantum = `LOOM_IS_DRR_REG_QUANTUM(table_addr_i) &&
                    {1'b0, table_addr_i[4:0]} < ALL_KEYS;
  wire [7:0] data = table_data_i[`LOOM_DRR_REG_QUANTUM_QUANTUM];
  wire quantum_we = (table_we_i && to_quantum) || !swept;
  wire [KW-1:0] quantum_waddr = swept ? table_addr_i[KW-1:0] : sweep[KW-1:0];
  wire [7:0] quantum_wdata = swept ? {data[7:1], data[0] || data == 8'd0} : FIRST_QUANTUM;
  wire [7:0] quantum;
  wire [7:0] own_quantum;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_quantum (
    .clk_i(clk_i), .we_i(quantum_we), .waddr_i(quantum_waddr), .wdata_i(quantum_wdata),
    .raddr_i(c3_key[KW-1:0]), .rdata_o(quantum)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_own_quantum (
    .clk_i(clk_i), .we_i(quantum_we), .waddr_i(quantum_waddr), .wdata_i(quantum_wdata),
    .raddr_i(addr_q[KW-1:0]), .rdata_o(own_quantum)
  );

  // What is forgotten is written in the cycle after a decision, where there is no other.
  wire clear = forget_q || !swept;
  wire deficit_we = granted || pass || clear;
  wire [4:0] deficit_key = !swept ? sweep : forget_q ? forget_key_q : c5_key_q;
  wire [DW-1:0] deficit_wdata = left & {DW{!clear}};
  wire [DW-1:0] deficit;
  wire [DW-1:0] own_deficit;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(DW)) u_deficit (
    .clk_i(clk_i), .we_i(deficit_we), .waddr_i(deficit_key[KW-1:0]), .wdata_i(deficit_wdata),
    .raddr_i(c3_key[KW-1:0]), .rdata_o(deficit)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(DW)) u_own_deficit (
    .clk_i(clk_i), .we_i(deficit_we), .waddr_i(deficit_key[KW-1:0]), .wdata_i(deficit_wdata),
    .raddr_i(addr_q[KW-1:0]), .rdata_o(own_deficit)
  );

  // ---- what software reads ----------------------------------------------------------------------

  wire at_quantum = `LOOM_IS_DRR_REG_QUANTUM(addr_q) && {1'b0, addr_q[4:0]} < ALL_KEYS;
  always @(posedge clk_i) begin
    if (rst_i) begin
      addr_q <= 10'd0;
      table_rdata_o <= 32'd0;
    end else begin
      addr_q <= table_addr_i;
      table_rdata_o <= 32'd0;
      if (swept && at_quantum) begin
        table_rdata_o[`LOOM_DRR_REG_QUANTUM_DEFICIT] <= {{(13 - DW) {1'b0}}, own_deficit};
        table_rdata_o[`LOOM_DRR_REG_QUANTUM_QUANTUM] <= own_quantum;
      end
    end
  end

  // ---- step 0, and what steps 4 and 5 add to those of turns -------------------------------------

  wire event_we;
  wire [4:0] event_key;
  wire [VLS-1:0] eligible;
  wire [VLS-1:0] above;
  wire [VLS-1:0] equal;
  wire some;
  wire [4:0] c4_vl;
  wire [4:0] c4_key;
  reg [VLS-1:0] c0_set_q;
  reg [VLS-1:0] c0_first_q;
  reg c4_some_q;
  reg [DW-1:0] c4_base_q;
  reg c5_some_q;
  reg c5_fits_q;
  reg [4:0] c5_vl_q;
  reg [DW-1:0] c5_base_q;
  reg [DW-1:0] c5_rest_q;
  wire goes_on = open_q && c3_key == cur_q;
  wire [SIZE_W-1:0] size;
  wire [DW:0] rest = {1'b0, c4_base_q} - {{(DW + 1 - SIZE_W) {1'b0}}, size};
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(SIZE_W)) u_size (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(head_vl_i[VW-1:0]), .wdata_i(head_size_i),
    .raddr_i(c4_vl[VW-1:0]), .rdata_o(size)
  );
  always @(posedge clk_i) begin
    if (rst_i) begin
      c0_set_q <= {VLS{1'b0}};
      c0_first_q <= {VLS{1'b0}};
      c4_some_q <= 1'b0;
      c4_base_q <= {DW{1'b0}};
      c5_some_q <= 1'b0;
      c5_fits_q <= 1'b0;
      c5_vl_q <= 5'd0;
      c5_key_q <= 5'd0;
      c5_base_q <= {DW{1'b0}};
      c5_rest_q <= {DW{1'b0}};
    end else begin
      c0_set_q <= eligible;
      c0_first_q <= above | (equal & {VLS{open_q}});
      c4_some_q <= some;
      c4_base_q <= deficit + ({{(DW - 8) {1'b0}}, quantum} & {DW{!goes_on}});
      c5_some_q <= c4_some_q;
      c5_fits_q <= !rest[DW];
      c5_vl_q <= c4_vl;
      c5_key_q <= c4_key;
      c5_base_q <= c4_base_q;
      c5_rest_q <= rest[DW-1:0];
    end
  end

  // ---- the decision -----------------------------------------------------------------------------

  wire [VLS-1:0] held;
  wire [2:0] pause;
  wire mgmt;
  wire there;
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
    .event_o(event_we),
    .event_key_o(event_key),
    .swept_o(swept),
    .sweep_o(sweep),
    .cur_i(cur_q),
    .eligible_o(eligible),
    .above_o(above),
    .equal_o(equal),
    .set_i(c0_set_q),
    .first_i(c0_first_q),
    .fixed_i(1'b0),
    .fixed_set_i({VLS{1'b0}}),
    .fixed_key_i(5'd0),
    .c3_key_o(c3_key),
    .c4_some_o(some),
    .c4_vl_o(c4_vl),
    .c4_key_o(c4_key),
    .next_some_i(c5_some_q && c5_fits_q),
    .next_vl_i(c5_vl_q),
    .next_key_i(c5_key_q),
    .mgmt_o(mgmt),
    .there_o(there),
    .held_i(held_q),
    .held_o(held),
    .pause_from_i(3'd6),
    .pause_i(pause_q),
    .pause_o(pause),
    .stop_i(1'b0),
    .restart_i(pass),
    .granted_o(granted),
    .grant_valid_o(grant_valid_o),
    .grant_vl_o(grant_vl_o),
    .grant_key_o(grant_key_o),
    .grant_size_o(grant_size_o)
  );

  assign pass = swept && pause_q == 3'd0 && !mgmt && c5_some_q && !c5_fits_q && there;
  assign left = c5_fits_q ? c5_rest_q : c5_base_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      cur_q <= LAST_KEY[4:0];
      open_q <= 1'b0;
      pause_q <= 3'd0;
      held_q <= {VLS{1'b0}};
      forget_q <= 1'b0;
      forget_key_q <= 5'd0;
    end else begin
      pause_q <= pause;
      held_q <= held;
      forget_q <= (granted || pass) && open_q && c5_key_q != cur_q;
      if (granted || pass) begin
        forget_key_q <= cur_q;
        cur_q <= c5_key_q;
        open_q <= c5_fits_q && |c5_rest_q;
      end
    end
  end

  assign ready_o = swept;
  assign busy_o = !swept;

  wire unused = &{1'b0, event_key, addr_q, deficit_key, table_data_i};

  `LOOM_ASSERT(cur_is_a_key, {1'b0, cur_q} < KEYS[5:0])
  `LOOM_ASSERT(nothing_decided_while_one_forgets, !(forget_q && (granted || pass)))

endmodule

`default_nettype wire
