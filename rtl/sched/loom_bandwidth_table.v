// SPDX-License-Identifier: Apache-2.0

// loom_bandwidth_table: output scheduler for fast clocks, simple bandwidth table: each key may send
//   as many packets as its weight says, then its weight is restored with those of the others.
//
// Contract: a head event comes while ready_i of its VL is 0, and ready_i is 0 from the cycle after
//   a grant of the VL until its next head event. Only a VL whose ready_i was 1 two cycles before is
//   granted, with the size and key of its head event.
// Algorithm: for each VL a bit says whether its key has packets left, one whether it has a weight;
//   they are looked up in RAM at head events and, one VL a cycle, after table writes. What is left
//   of a key stands in RAM; a restore sets a bit a key, which says that all of the weight is left.
//   The VL that comes next is found in the steps of loom_turns (docs/turns.md).
// Latency: request and ready_i in c, grant in c + 2, if the VL comes next and is held; otherwise
//   in c + 7. A grant every 6 cycles. Sweep after reset: KEYS cycles.
// Wait bound: an active key with a weight is served within as many grants as the sum of all weights
//   and KEYS more, in modes text and sum-zero.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), STAY_CYCLES (cycles after its grant in which a VL counts as ready, 0..8).
// Realises: SC-01, SC-02, SC-03, SC-04, IB-02, IB-04, OP-18, OP-19, OP-20.
// Page: docs/turns.md, section bandwidth_table.
`default_nettype none
`include "loom_assert.vh"
`include "loom_regs.vh"

module loom_bandwidth_table #(
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
      loom_bandwidth_table_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_bandwidth_table_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_bandwidth_table_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_bandwidth_table_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_bandwidth_table_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_bandwidth_table_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (STAY_CYCLES < 0 || STAY_CYCLES > 8) begin : g_bad_stay_cycles
      loom_bandwidth_table_STAY_CYCLES_must_be_0_to_8 u_error ();
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
  localparam [31:0] LAST_VL = VLS - 1;
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [1:0] LITERAL = 2'd1;
  localparam [1:0] SUM_ZERO = 2'd2;

  reg [4:0] cur_q;
  reg [4:0] last_q;
  reg cur_has_q;
  reg [5:0] weighted_q;
  reg [5:0] unspent_q;
  reg [2:0] pause_q;
  reg [VLS-1:0] held_q;
  reg c4_some_q;

  // ---- accesses of software ---------------------------------------------------------------------

  wire swept;
  wire [4:0] sweep;
  reg [9:0] addr_q;
  reg [1:0] mode_q;
  reg write_q;
  reg [7:0] write_weight_q;
  wire to_weight = `LOOM_IS_SBT_REG_WEIGHT(table_addr_i) && {1'b0, table_addr_i[4:0]} < ALL_KEYS;
  wire write_mode = table_we_i && swept && table_addr_i == `LOOM_SBT_REG_MODE;
  always @(posedge clk_i) begin
    if (rst_i) begin
      addr_q <= 10'd0;
      mode_q <= 2'd0;
      write_q <= 1'b0;
      write_weight_q <= 8'd0;
    end else begin
      addr_q <= table_addr_i;
      if (write_mode) mode_q <= table_data_i[`LOOM_SBT_REG_MODE_MODE];
      write_q <= table_we_i && swept && to_weight;
      write_weight_q <= table_data_i[`LOOM_SBT_REG_WEIGHT_WEIGHT];
    end
  end
  wire write_some = |write_weight_q;

  // ---- what each key has ------------------------------------------------------------------------

  // The key of a write is the address of the last cycle, so its old words and those that software
  // reads come from one port. The other two serve the look and step 4.
  wire event_we;
  wire [4:0] event_key;
  wire granted;
  wire [4:0] c3_key;
  wire [4:0] c4_key;
  reg c4_restore_q;
  reg [7:0] c4_remaining_q;
  reg c4_charged_q;
  wire [7:0] rest;
  reg [4:0] look_key_q;
  reg [KEYS-1:0] whole_q;
  wire [KW-1:0] own_key = addr_q[KW-1:0];
  wire weight_we = write_q || !swept;
  wire [KW-1:0] weight_waddr = swept ? own_key : sweep[KW-1:0];
  wire [7:0] weight_wdata = swept ? write_weight_q : 8'd0;
  wire left_we = granted || !swept;
  wire [KW-1:0] left_waddr = swept ? c4_key[KW-1:0] : sweep[KW-1:0];
  wire [7:0] left_wdata = swept ? rest : 8'd0;
  wire [7:0] own_weight;
  wire [7:0] own_left;
  wire [7:0] look_weight;
  wire [7:0] look_left;
  wire [7:0] next_weight;
  wire [7:0] next_left;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_own_weight (
    .clk_i(clk_i), .we_i(weight_we), .waddr_i(weight_waddr), .wdata_i(weight_wdata),
    .raddr_i(own_key), .rdata_o(own_weight)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_own_left (
    .clk_i(clk_i), .we_i(left_we), .waddr_i(left_waddr), .wdata_i(left_wdata),
    .raddr_i(own_key), .rdata_o(own_left)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_look_weight (
    .clk_i(clk_i), .we_i(weight_we), .waddr_i(weight_waddr), .wdata_i(weight_wdata),
    .raddr_i(look_key_q[KW-1:0]), .rdata_o(look_weight)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_look_left (
    .clk_i(clk_i), .we_i(left_we), .waddr_i(left_waddr), .wdata_i(left_wdata),
    .raddr_i(look_key_q[KW-1:0]), .rdata_o(look_left)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_next_weight (
    .clk_i(clk_i), .we_i(weight_we), .waddr_i(weight_waddr), .wdata_i(weight_wdata),
    .raddr_i(c3_key[KW-1:0]), .rdata_o(next_weight)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_next_left (
    .clk_i(clk_i), .we_i(left_we), .waddr_i(left_waddr), .wdata_i(left_wdata),
    .raddr_i(c3_key[KW-1:0]), .rdata_o(next_left)
  );

  wire [7:0] own_remaining = whole_q[own_key] ? own_weight : own_left;
  wire own_weighs = |own_weight;
  wire own_has = |own_remaining;
  // A key that is none has no words; a held VL may have one.
  wire look_in = swept && {1'b0, look_key_q} < ALL_KEYS;
  wire look_weighs = look_in && |look_weight;
  wire look_has = look_in && (whole_q[look_key_q[KW-1:0]] ? |look_weight : |look_left);

  // A bit of whole_q changes alone, or with all others when the weights are restored.
  wire [4:0] touched = write_q ? addr_q[4:0] : c4_key;
  wire restore = granted && c4_restore_q;
  integer k;
  always @(posedge clk_i) begin
    if (rst_i) whole_q <= {KEYS{1'b0}};
    else begin
      for (k = 0; k < KEYS; k = k + 1) begin
        if ((write_q || granted) && touched == k[4:0]) whole_q[k] <= write_q;
        else if (restore) whole_q[k] <= 1'b1;
      end
    end
  end

  // ---- what the keys of the VLs have ------------------------------------------------------------

  reg [4:0] scan_q;
  reg look_q;
  reg [4:0] look_vl_q;
  reg [VLS-1:0] pays_q;
  reg [VLS-1:0] weighs_q;
  wire [4:0] scan_key;
  wire [VLS-1:0] equal;
  wire [VLS-1:0] look_hot = look_q ? ONE_VL << look_vl_q[VW-1:0] : {VLS{1'b0}};
  wire [VLS-1:0] weighs = (look_hot & {VLS{look_weighs}}) | (~look_hot & weighs_q);
  wire [VLS-1:0] pays = (look_hot & {VLS{look_has}}) |
                        (~look_hot & equal & {VLS{cur_has_q}}) | (~look_hot & ~equal & pays_q);
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_scan_key (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(head_vl_i[VW-1:0]), .wdata_i(event_key),
    .raddr_i(scan_q[VW-1:0]), .rdata_o(scan_key)
  );
  always @(posedge clk_i) begin
    if (rst_i) begin
      scan_q <= 5'd0;
      look_q <= 1'b0;
      look_vl_q <= 5'd0;
      look_key_q <= 5'd0;
      pays_q <= {VLS{1'b0}};
      weighs_q <= {VLS{1'b0}};
    end else begin
      look_q <= 1'b1;
      look_vl_q <= event_we ? head_vl_i : scan_q;
      look_key_q <= event_we ? event_key : scan_key;
      if (!event_we) scan_q <= (scan_q == LAST_VL[4:0]) ? 5'd0 : scan_q + 5'd1;
      weighs_q <= weighs;
      pays_q <= restore ? weighs : pays;
    end
  end

  // ---- step 0: the VLs among which is chosen ----------------------------------------------------

  wire [VLS-1:0] eligible;
  wire [VLS-1:0] above;
  wire literal = mode_q == LITERAL;
  wire [VLS-1:0] paying = eligible & ((equal & {VLS{cur_has_q}}) | (~equal & pays_q));
  wire [VLS-1:0] weighing = eligible & weighs_q;
  wire some_pay = |paying;
  wire restorable = |weighing && (mode_q != SUM_ZERO || unspent_q == 6'd0) && !literal;
  reg [5:0] count;
  integer v;
  always @* begin
    count = 6'd0;
    for (v = 0; v < VLS; v = v + 1) count = count + {5'd0, eligible[v]};
  end

  reg [VLS-1:0] c0_set_q;
  reg [VLS-1:0] c0_first_q;
  reg c0_charged_q;
  reg c0_restore_q;
  reg [5:0] c0_count_q;
  reg c0_back_q;
  reg c0_literal_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      c0_set_q <= {VLS{1'b0}};
      c0_first_q <= {VLS{1'b0}};
      c0_charged_q <= 1'b0;
      c0_restore_q <= 1'b0;
      c0_count_q <= 6'd0;
      c0_back_q <= 1'b0;
      c0_literal_q <= 1'b0;
    end else begin
      c0_set_q <= some_pay ? paying : restorable ? weighing : eligible;
      c0_first_q <= above | (equal & {VLS{some_pay}});
      c0_charged_q <= some_pay || restorable;
      c0_restore_q <= !some_pay && restorable;
      c0_count_q <= count;
      c0_back_q <= literal && !some_pay;
      c0_literal_q <= literal;
    end
  end

  // ---- steps 1 to 4 -----------------------------------------------------------------------------

  // The VL for literal mode: the first from last_q on, or backwards the last one before it.
  wire [VLS-1:0] from_last = {VLS{1'b1}} << last_q[VW-1:0];
  wire [VLS-1:0] near = c0_set_q & (from_last ^ {VLS{c0_back_q}});
  wire [VLS-1:0] set_turned;
  wire [VLS-1:0] near_turned;
  genvar g;
  generate
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      assign set_turned[g] = c0_back_q ? c0_set_q[VLS-1-g] : c0_set_q[g];
      assign near_turned[g] = c0_back_q ? near[VLS-1-g] : near[g];
    end
  endgenerate
  wire [4:0] turned_vl;
  reg [VLS-1:0] c1_turned_q;
  reg [VLS-1:0] c1_near_q;
  loom_turns_first #(.VLS(VLS)) u_fixed (
    .clk_i(clk_i), .rst_i(rst_i), .set_i(c1_turned_q), .near_i(c1_near_q), .vl_o(turned_vl)
  );

  reg c1_back_q;
  reg c1_literal_q;
  reg c1_charged_q;
  reg c1_restore_q;
  reg c2_some_q;
  reg c2_back_q;
  reg c2_literal_q;
  reg c2_charged_q;
  reg c2_restore_q;
  reg [4:0] c2_turned_q;
  wire [4:0] c2_fixed = c2_back_q ? LAST_VL[4:0] - c2_turned_q : c2_turned_q;
  reg c3_literal_q;
  reg c3_charged_q;
  reg c3_restore_q;
  reg c4_literal_q;
  wire [4:0] fixed_key;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_fixed_key (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(head_vl_i[VW-1:0]), .wdata_i(event_key),
    .raddr_i(c2_fixed[VW-1:0]), .rdata_o(fixed_key)
  );
  wire from_weight = c3_restore_q || whole_q[c3_key[KW-1:0]];
  wire [7:0] remaining = from_weight ? next_weight : next_left;
  always @(posedge clk_i) begin
    if (rst_i) begin
      c1_turned_q <= {VLS{1'b0}};
      c1_near_q <= {VLS{1'b0}};
      c1_back_q <= 1'b0;
      c1_literal_q <= 1'b0;
      c1_charged_q <= 1'b0;
      c1_restore_q <= 1'b0;
      c2_some_q <= 1'b0;
      c2_back_q <= 1'b0;
      c2_literal_q <= 1'b0;
      c2_charged_q <= 1'b0;
      c2_restore_q <= 1'b0;
      c2_turned_q <= 5'd0;
      c3_literal_q <= 1'b0;
      c3_charged_q <= 1'b0;
      c3_restore_q <= 1'b0;
      c4_literal_q <= 1'b0;
      c4_restore_q <= 1'b0;
      c4_charged_q <= 1'b0;
      c4_remaining_q <= 8'd0;
    end else begin
      c1_turned_q <= set_turned;
      c1_near_q <= near_turned;
      c1_back_q <= c0_back_q;
      c1_literal_q <= c0_literal_q;
      c1_charged_q <= c0_charged_q;
      // weighted_q changes with a pause only, so a step later is as good
      c1_restore_q <= c0_back_q ? c0_count_q == weighted_q : c0_restore_q;
      c2_some_q <= |c1_turned_q;
      c2_back_q <= c1_back_q;
      c2_literal_q <= c1_literal_q;
      c2_charged_q <= c1_charged_q;
      c2_restore_q <= c1_restore_q;
      c2_turned_q <= turned_vl;
      c3_literal_q <= c2_literal_q;
      c3_charged_q <= c2_charged_q;
      c3_restore_q <= c2_restore_q;
      c4_literal_q <= c3_literal_q;
      c4_restore_q <= c3_restore_q;
      c4_charged_q <= c3_charged_q;
      c4_remaining_q <= remaining;
    end
  end

  // ---- the decision -----------------------------------------------------------------------------

  wire [VLS-1:0] held;
  wire [2:0] pause;
  wire some;
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
    .fixed_i(c2_literal_q),
    .fixed_set_i(c2_some_q ? ONE_VL << c2_fixed[VW-1:0] : {VLS{1'b0}}),
    .fixed_key_i(fixed_key),
    .c3_key_o(c3_key),
    .c4_some_o(some),
    .c4_vl_o(vl),
    .c4_key_o(c4_key),
    .next_some_i(c4_some_q),
    .next_vl_i(vl),
    .next_key_i(c4_key),
    .mgmt_o(unused_mgmt),
    .there_o(unused_there),
    .held_i(held_q),
    .held_o(held),
    .pause_from_i(3'd5),
    .pause_i(pause_q),
    .pause_o(pause),
    .stop_i(write_q),
    .restart_i(write_q || write_mode),
    .granted_o(granted),
    .grant_valid_o(grant_valid_o),
    .grant_vl_o(grant_vl_o),
    .grant_key_o(grant_key_o),
    .grant_size_o(grant_size_o)
  );

  wire had = |c4_remaining_q;
  wire has_rest = |c4_remaining_q[7:1] || (c4_remaining_q[0] && !c4_charged_q);
  assign rest = c4_remaining_q - {7'd0, c4_charged_q && had};

  // Two counts of keys go up or down by one.
  wire unspent_more = write_q && write_some && !own_has;
  wire unspent_less = write_q ? !write_some && own_has : had && !has_rest;
  wire weighted_less = !write_some && own_weighs;
  wire weighted_more = write_some && !own_weighs;
  wire [5:0] unspent_base = (c4_restore_q && !write_q) ? weighted_q : unspent_q;
  wire [5:0] unspent = unspent_base + {{5{unspent_less}}, unspent_less || unspent_more};
  always @(posedge clk_i) begin
    if (rst_i) begin
      cur_q <= 5'd0;
      last_q <= 5'd0;
      cur_has_q <= 1'b0;
      weighted_q <= 6'd0;
      unspent_q <= 6'd0;
      pause_q <= 3'd0;
      held_q <= {VLS{1'b0}};
      c4_some_q <= 1'b0;
    end else begin
      pause_q <= pause;
      held_q <= held;
      c4_some_q <= some;
      if (write_q || granted) unspent_q <= unspent;
      if (write_q) begin
        weighted_q <= weighted_q + {{5{weighted_less}}, weighted_less || weighted_more};
        if (cur_q == addr_q[4:0]) cur_has_q <= write_some;
      end else if (granted) begin
        cur_q <= c4_key;
        if (c4_literal_q) last_q <= vl;
        cur_has_q <= has_rest;
      end
    end
  end

  assign ready_o = swept;
  assign busy_o = !swept;

  // ---- what software reads ----------------------------------------------------------------------

  wire at_weight = `LOOM_IS_SBT_REG_WEIGHT(addr_q) && {1'b0, addr_q[4:0]} < ALL_KEYS;
  always @(posedge clk_i) begin
    if (rst_i || !swept) table_rdata_o <= 32'd0;
    else if (at_weight) table_rdata_o <= {16'd0, own_remaining, own_weight};
    else if (addr_q == `LOOM_SBT_REG_MODE) table_rdata_o <= {30'd0, mode_q};
    else table_rdata_o <= 32'd0;
  end

  wire unused = &{1'b0, table_data_i[31:8], sweep, c3_key, c4_key, look_key_q, look_vl_q, scan_q,
                  last_q, c2_fixed};

  `LOOM_ASSERT(never_more_unspent_than_weighted, unspent_q <= weighted_q)
  `LOOM_ASSERT(no_more_weighted_than_keys, weighted_q <= ALL_KEYS)

endmodule

`default_nettype wire
