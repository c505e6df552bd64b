// SPDX-License-Identifier: Apache-2.0

// loom_turns: what schedulers share whose keys take turns: the heads and ready bits of the VLs, the
//   steps that find the VL that comes next, and its grant.
// Inside: loom_round_robin, loom_bandwidth_table, loom_deficit_round_robin
//
// Contract: the scheduler around it holds the registers held_i and pause_i (they are its probes)
//   and loads them from held_o and pause_o. It gives the key of the last grant in cur_i, and the
//   VLs among which the steps choose in set_i, those of them that come first in first_i. In the
//   cycle of step 3, fixed_i puts the VL of fixed_set_i in the place of what was found.
//   next_some_i, next_vl_i and next_key_i are what is decided about: a register that is loaded
//   from c4_some_o with c4_vl_o and c4_key_o beside it, or all three through steps that follow.
//   pause_from_i, the cycles from a grant to the next decision less one, covers all steps from
//   cur_i on.
// Algorithm: a set of VLs is halved by a bit of their keys, the highest first, until those with the
//   smallest key are left; among them the VL comes next that follows the last one of the key
//   (docs/turns.md). Nothing is searched, so nothing has to begin again when ready bits change.
// Latency: ready_i in c, eligible_o in c + 1; set_i in c, decision in c + 4. Sweep: KEYS cycles.
// Wait bound: none of its own; what is in set_i and first_i is chosen before the rest of set_i.
// Parameters: VLS, KEYS, ARB_KEY, MGMT_VL, SIZE_W, STAY_CYCLES as the schedulers have them.
// Realises: IB-02, IB-04, OP-18, OP-19, OP-20, SC-01.
// Page: docs/turns.md, section round_robin.
`default_nettype none
`include "loom_assert.vh"

module loom_turns #(
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
  output wire              event_o,          // a head event of a VL that there is
  output wire [4:0]        event_key_o,

  output wire              swept_o,
  output wire [4:0]        sweep_o,          // the key that is swept

  input  wire [4:0]        cur_i,
  output wire [VLS-1:0]    eligible_o,
  output wire [VLS-1:0]    above_o,          // VLs with a key above cur_i
  output wire [VLS-1:0]    equal_o,          // VLs with the key cur_i

  input  wire [VLS-1:0]    set_i,
  input  wire [VLS-1:0]    first_i,
  input  wire              fixed_i,
  input  wire [VLS-1:0]    fixed_set_i,
  input  wire [4:0]        fixed_key_i,
  output wire [4:0]        c3_key_o,
  output wire              c4_some_o,
  output wire [4:0]        c4_vl_o,
  output wire [4:0]        c4_key_o,
  input  wire              next_some_i,
  input  wire [4:0]        next_vl_i,
  input  wire [4:0]        next_key_i,
  output wire              mgmt_o,           // a management packet is ready: it comes first
  output wire              there_o,          // next_vl_i is ready with this key, if not mgmt_o

  input  wire [VLS-1:0]    held_i,
  output wire [VLS-1:0]    held_o,
  input  wire [2:0]        pause_from_i,
  input  wire [2:0]        pause_i,
  output wire [2:0]        pause_o,
  input  wire              stop_i,           // no decision in this cycle
  input  wire              restart_i,        // a pause begins
  output wire              granted_o,        // another VL than MGMT_VL is granted

  output reg               grant_valid_o,
  output reg  [4:0]        grant_vl_o,
  output reg  [4:0]        grant_key_o,
  output reg  [SIZE_W-1:0] grant_size_o
);

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;
  // a RAM has at least two words
  localparam integer V_WORDS = (VLS > 1) ? VLS : 2;
  localparam integer K_WORDS = (KEYS > 1) ? KEYS : 2;
  localparam [31:0] LAST_VL = VLS - 1;
  localparam [31:0] LAST_KEY = KEYS - 1;
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [5:0] ALL_VLS = VLS[5:0];
  localparam integer MGMT = (MGMT_VL < VLS) ? MGMT_VL : 0;
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [VLS-1:0] MGMT_HOT = (MGMT_VL < VLS) ? ONE_VL << MGMT : {VLS{1'b0}};

  // Whether two sets have a common VL; three VLs at a time, as these fill a LUT.
  function meet;
    input [VLS-1:0] a;
    input [VLS-1:0] b;
    reg [32:0] both;
    reg [10:0] some;
    integer n;
    begin
      both = {{(33 - VLS) {1'b0}}, a & b};
      for (n = 0; n < 11; n = n + 1) some[n] = |both[3*n+:3];
      meet = |some;
    end
  endfunction

  // ---- sweep ------------------------------------------------------------------------------------

  reg [4:0] sweep_q;
  reg swept_q;
  wire sweeping = !swept_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      sweep_q <= 5'd0;
      swept_q <= 1'b0;
    end else if (sweeping) begin
      sweep_q <= sweep_q + 5'd1;
      swept_q <= sweep_q == LAST_KEY[4:0];
    end
  end
  assign swept_o = swept_q;
  assign sweep_o = sweep_q;

  // ---- heads and ready bits ---------------------------------------------------------------------

  wire [4:0] event_key = (ARB_KEY != 0) ? head_sl_i : head_vl_i;
  wire event_ok = |head_size_i && {1'b0, event_key} < ALL_KEYS;
  wire event_we = head_valid_i && {1'b0, head_vl_i} < ALL_VLS;
  wire [VLS-1:0] event_hot = event_we ? ONE_VL << head_vl_i[VW-1:0] : {VLS{1'b0}};
  reg [VLS-1:0] bad_q;  // no head that could be granted
  reg [VLS-1:0] go_q;
  reg asked_q;
  reg [VLS*5-1:0] key_q;
  // whether two bits of a key are 0, 1, 2: so a set is halved by both in as many levels as by one
  reg [VLS-1:0] high0_q;
  reg [VLS-1:0] high1_q;
  reg [VLS-1:0] high2_q;
  reg [VLS-1:0] low0_q;
  reg [VLS-1:0] low1_q;
  reg [VLS-1:0] low2_q;
  integer v;
  always @(posedge clk_i) begin
    if (rst_i) begin
      bad_q <= {VLS{1'b1}};
      asked_q <= 1'b0;
      key_q <= {(VLS * 5) {1'b0}};
      high0_q <= {VLS{1'b0}};
      high1_q <= {VLS{1'b0}};
      high2_q <= {VLS{1'b0}};
      low0_q <= {VLS{1'b0}};
      low1_q <= {VLS{1'b0}};
      low2_q <= {VLS{1'b0}};
    end else begin
      for (v = 0; v < VLS; v = v + 1) begin
        if (event_hot[v]) begin
          bad_q[v] <= !event_ok;
          key_q[v*5+:5] <= event_key;
          high0_q[v] <= event_key[3:2] == 2'd0;
          high1_q[v] <= event_key[3:2] == 2'd1;
          high2_q[v] <= event_key[3:2] == 2'd2;
          low0_q[v] <= event_key[1:0] == 2'd0;
          low1_q[v] <= event_key[1:0] == 2'd1;
          low2_q[v] <= event_key[1:0] == 2'd2;
        end
      end
      asked_q <= request_i;
    end
  end
  // bad_q resets it, too, as a reset lasts two cycles at least
  always @(posedge clk_i) begin
    for (v = 0; v < VLS; v = v + 1) begin
      if (bad_q[v]) go_q[v] <= 1'b0;
      else go_q[v] <= ready_i[v];
    end
  end
  assign event_o = event_we;
  assign event_key_o = event_key;
  assign eligible_o = (go_q | held_i) & ~MGMT_HOT;

  // The keys by bit, so that a set can be halved by each; a key has 5 bits here.
  wire [VLS-1:0] bit4;
  wire [VLS-1:0] bit3;
  wire [VLS-1:0] bit2;
  wire [VLS-1:0] bit1;
  wire [VLS-1:0] bit0;
  genvar g;
  generate
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      wire [4:0] key = key_q[g*5+:5];
      assign {bit4[g], bit3[g], bit2[g], bit1[g], bit0[g]} = key;
      // in two halves: three bits of both fill a LUT
      wire high_equal = key[4:2] == cur_i[4:2];
      wire high_above = (key[4] && !cur_i[4]) ||
                        (key[4] == cur_i[4] && ((key[3] && !cur_i[3]) ||
                                                (key[3] == cur_i[3] && key[2] && !cur_i[2])));
      wire low_above = (key[1] && !cur_i[1]) ||
                       (key[1] == cur_i[1] && key[0] && !cur_i[0]);
      assign above_o[g] = high_above || (high_equal && low_above);
      assign equal_o[g] = high_equal && key[1:0] == cur_i[1:0];
    end
  endgenerate

  // ---- step 1: those that come first, and bit 4 -------------------------------------------------

  reg [VLS-1:0] c1_set_q;
  reg c1_top_q;
  wire any_first = meet(set_i, first_i);
  wire top = any_first ? !meet(set_i & first_i, ~bit4) : !meet(set_i, ~bit4);
  wire [VLS-1:0] c1_set = set_i & (first_i | {VLS{!any_first}}) & (~bit4 | {VLS{top}});
  always @(posedge clk_i) begin
    if (rst_i) begin
      c1_set_q <= {VLS{1'b0}};
      c1_top_q <= 1'b0;
    end else begin
      c1_set_q <= c1_set;
      c1_top_q <= top;
    end
  end

  wire granted;
  wire [VW-1:0] next_vl = next_vl_i[VW-1:0];
  reg [VW-1:0] c4_vl_q;
  reg [4:0] c4_key_q;

  // ---- steps 2 and 3: two bits each -------------------------------------------------------------

  reg [VLS-1:0] c2_set_q;
  reg [2:0] c2_top_q;
  wire high0 = meet(c1_set_q, high0_q);
  wire high1 = meet(c1_set_q, high1_q);
  wire high2 = meet(c1_set_q, high2_q);
  wire key3 = !high0 && !high1;
  wire key2 = !high0 && (high1 || !high2);
  wire [VLS-1:0] c2_set = c1_set_q & ~(bit3 ^ {VLS{key3}}) & ~(bit2 ^ {VLS{key2}});

  reg [VLS-1:0] c3_set_q;
  reg [4:0] c3_key_q;
  wire low0 = meet(c2_set_q, low0_q);
  wire low1 = meet(c2_set_q, low1_q);
  wire low2 = meet(c2_set_q, low2_q);
  wire key1 = !low0 && !low1;
  wire key0 = !low0 && (low1 || !low2);
  wire [VLS-1:0] c3_set = c2_set_q & ~(bit1 ^ {VLS{key1}}) & ~(bit0 ^ {VLS{key0}});

  // The last VL of the key is read ahead of step 4. That comes to the same: no decision follows
  // within the steps after a grant, which writes it.
  wire [4:0] c3_key = fixed_i ? fixed_key_i : {c2_top_q, key1, key0};
  reg [VLS-1:0] c3_near_q;
  wire [VW-1:0] last_vl;
  wire [KW-1:0] last_waddr = sweeping ? sweep_q[KW-1:0] : next_key_i[KW-1:0];
  wire [VW-1:0] last_wdata = sweeping ? LAST_VL[VW-1:0] : next_vl;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VW)) u_last_vl (
    .clk_i(clk_i), .we_i(sweeping || granted), .waddr_i(last_waddr), .wdata_i(last_wdata),
    .raddr_i(c3_key[KW-1:0]), .rdata_o(last_vl)
  );
  always @(posedge clk_i) begin
    if (rst_i) begin
      c3_near_q <= {VLS{1'b0}};
      c2_set_q <= {VLS{1'b0}};
      c2_top_q <= 3'd0;
      c3_set_q <= {VLS{1'b0}};
      c3_key_q <= 5'd0;
    end else begin
      c2_set_q <= c2_set;
      c2_top_q <= {c1_top_q, key3, key2};
      c3_set_q <= fixed_i ? fixed_set_i : c3_set;
      c3_near_q <= fixed_i ? {VLS{1'b0}} : c3_set & ({VLS{1'b1}} << last_vl << 1);
      c3_key_q <= c3_key;
    end
  end
  assign c3_key_o = c3_key_q;

  // ---- step 4: the VL of the key ----------------------------------------------------------------

  wire [4:0] c4_vl;
  loom_turns_first #(.VLS(VLS)) u_first (
    .clk_i(clk_i), .rst_i(rst_i), .set_i(c3_set_q), .near_i(c3_near_q), .vl_o(c4_vl)
  );
  assign c4_some_o = |c3_set_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      c4_vl_q <= {VW{1'b0}};
      c4_key_q <= 5'd0;
    end else begin
      c4_vl_q <= c4_vl[VW-1:0];
      c4_key_q <= c3_key_q;
    end
  end
  assign c4_vl_o = {{(5 - VW) {1'b0}}, c4_vl_q};
  assign c4_key_o = c4_key_q;

  // ---- the decision -----------------------------------------------------------------------------

  wire mgmt_go = |(go_q & MGMT_HOT);
  wire decide = asked_q && pause_i == 3'd0 && !stop_i && swept_q;
  wire [VW-1:0] grant_vl = mgmt_go ? MGMT[VW-1:0] : next_vl;
  wire [SIZE_W-1:0] size;
  wire [4:0] key;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5 + SIZE_W)) u_head (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(head_vl_i[VW-1:0]),
    .wdata_i({event_key, head_size_i}), .raddr_i(grant_vl), .rdata_o({key, size})
  );
  wire take = decide && mgmt_go;
  assign mgmt_o = mgmt_go;
  assign there_o = go_q[next_vl] && key == next_key_i;
  assign granted = decide && !mgmt_go && next_some_i && there_o;
  assign granted_o = granted;
  assign pause_o = (take || granted || restart_i || sweeping) ? pause_from_i
                   : (pause_i != 3'd0) ? pause_i - 3'd1 : 3'd0;

  always @(posedge clk_i) begin
    if (rst_i || !(take || granted)) begin
      grant_valid_o <= 1'b0;
      grant_vl_o <= 5'd0;
      grant_key_o <= 5'd0;
      grant_size_o <= {SIZE_W{1'b0}};
    end else begin
      grant_valid_o <= 1'b1;
      grant_vl_o <= {{(5 - VW) {1'b0}}, grant_vl};
      grant_key_o <= key;
      grant_size_o <= size;
    end
  end

  // ---- VLs that were granted a short time ago ---------------------------------------------------

  generate
    if (STAY_CYCLES == 0) begin : g_go
      wire unused_held = &{1'b0, held_i};
      assign held_o = {VLS{1'b0}};
    end else begin : g_stay
      reg [VLS-1:0] young_q;
      reg [3:0] stay_q;
      wire [VLS-1:0] granted_hot = ONE_VL << next_vl;
      assign held_o = granted ? granted_hot | (young_q & {VLS{stay_q > 4'd1}})
                      : (stay_q == 4'd5) ? young_q
                      : (stay_q == 4'd1) ? {VLS{1'b0}} : held_i;
      always @(posedge clk_i) begin
        if (rst_i) begin
          young_q <= {VLS{1'b0}};
          stay_q <= 4'd0;
        end else if (granted) begin
          young_q <= granted_hot;
          stay_q <= STAY_CYCLES[3:0];
        end else begin
          if (stay_q == 4'd1) young_q <= {VLS{1'b0}};
          if (stay_q != 4'd0) stay_q <= stay_q - 4'd1;
        end
      end
    end
  endgenerate

  wire unused = &{1'b0, sweep_q, c3_key_q, c4_vl, next_vl_i, next_key_i};

  `LOOM_REQUIRE(head_of_a_lane, !head_valid_i || {1'b0, head_vl_i} < ALL_VLS)
  `LOOM_REQUIRE(head_while_not_ready, (event_hot & ready_i) == {VLS{1'b0}})
  `LOOM_ASSERT(never_both, !(take && granted))
  `LOOM_ASSERT(grant_of_a_ready_lane, !granted || go_q[next_vl])
  `LOOM_ASSERT(nothing_while_not_valid,
               grant_valid_o || {grant_vl_o, grant_key_o, grant_size_o} == {(10 + SIZE_W) {1'b0}})

endmodule

`default_nettype wire
