// SPDX-License-Identifier: Apache-2.0

// loom_fair_queueing: output scheduler for fast clocks, self-clocked fair queueing over keys: the
//   head with the smallest stamp comes next; the unit is 64 bytes.
//
// Contract: a head event comes while ready_i of its VL is 0, one from grant to grant of the VL, and
//   ready_i is 0 from the cycle after a grant of the VL until its next head event. Only a VL whose
//   ready_i was 1 two cycles before is granted, with the size and key of its head event.
// Algorithm: an engine makes the stamp of a head, its size times the price of its key after the
//   last stamp of the key or after now, and raises what fell behind now; five steps of pairs leave
//   the VL with the smallest stamp (docs/fair_queueing.md). Heads, held VLs and grants are in
//   loom_turns.
// Latency: ready_i in c, grant in c + 7; head event in c, grant in c + 11. A grant every 7 cycles.
//   Sweep after reset: KEYS cycles.
// Wait bound: while a head waits with its ready bit, another key sends at most what the head costs
//   and two largest packets of its own, each by its price; more if many heads wait for stamps.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), STAY_CYCLES (cycles after its grant in which a VL counts as ready, 0..8).
// Realises: SC-01, SC-09, IB-02, IB-04, OP-18, OP-19, OP-20.
// Page: docs/fair_queueing.md, section State.
`default_nettype none
`include "loom_assert.vh"
`include "loom_regs.vh"

module loom_fair_queueing #(
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
      loom_fair_queueing_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_fair_queueing_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_fair_queueing_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_fair_queueing_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_fair_queueing_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_fair_queueing_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (STAY_CYCLES < 0 || STAY_CYCLES > 8) begin : g_bad_stay_cycles
      loom_fair_queueing_STAY_CYCLES_must_be_0_to_8 u_error ();
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
  localparam integer TW = SIZE_W + 17;
  localparam integer CW = SIZE_W + 8;
  localparam integer ALL = (VLS > KEYS) ? VLS : KEYS;
  localparam [31:0] LAST = ALL - 1;
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [5:0] ALL_VLS = VLS[5:0];
  localparam integer MGMT = (MGMT_VL < VLS) ? MGMT_VL : 0;
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [VLS-1:0] MGMT_HOT = (MGMT_VL < VLS) ? ONE_VL << MGMT : {VLS{1'b0}};

  reg [TW-1:0] now_q;
  reg [VLS-1:0] stamped_q;
  reg [VLS-1:0] fresh_q;
  reg [VLS-1:0] kept_q;
  reg [1:0] step_q;
  reg [2:0] pause_q;
  reg [VLS-1:0] held_q;
  reg [VLS*TW-1:0] stamp_q;

  wire event_we;
  wire [4:0] event_key;
  wire swept;
  wire [4:0] sweep;
  wire [VLS-1:0] ready;  // in go or held
  wire granted;
  reg stamp_granted_q;  // the grant that shows is one by its stamp
  wire [VW-1:0] event_vl = head_vl_i[VW-1:0];
  wire [VLS-1:0] told = (event_we ? ONE_VL << event_vl : {VLS{1'b0}}) & ~MGMT_HOT;
  wire good = |head_size_i && {1'b0, event_key} < ALL_KEYS;
  wire [4:0] key_before;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_key_before (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(event_vl), .wdata_i(event_key),
    .raddr_i(event_vl), .rdata_o(key_before)
  );
  wire other_key = event_key != key_before;

  // ---- the engine -------------------------------------------------------------------------------

  reg stamps_q;
  reg [VW-1:0] vl_q;
  reg [4:0] key_q;
  reg [SIZE_W-1:0] size_q;
  reg [7:0] price_q;
  reg [TW-1:0] from_q;
  // base is chosen where it is added to, so that comparison and sum each have a cycle
  reg behind_q;
  reg [TW-1:0] then_q;
  reg [TW-1:0] from2_q;
  reg [CW-1:0] cost_q;
  reg [4:0] scan_q;
  reg scan_keys_q;

  wire picks = swept && (step_q == 2'd0 || step_q == 2'd3);
  wire any_fresh = |fresh_q;
  reg [VW-1:0] first_fresh;
  integer v;
  always @* begin
    first_fresh = {VW{1'b0}};
    for (v = VLS - 1; v >= 0; v = v - 1) if (fresh_q[v]) first_fresh = v[VW-1:0];
  end
  wire [VLS-1:0] picked = fresh_q & ~(fresh_q - ONE_VL) & {VLS{picks}};

  wire [4:0] vl_key;
  wire [SIZE_W-1:0] vl_size;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5 + SIZE_W)) u_head (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(event_vl), .wdata_i({event_key, head_size_i}),
    .raddr_i(vl_q), .rdata_o({vl_key, vl_size})
  );

  wire [TW-1:0] base = behind_q ? then_q : from2_q;
  wire [TW-1:0] result = base + {{(TW - CW) {1'b0}}, cost_q};
  wire ends = step_q == 2'd3;
  wire of_a_key = scan_keys_q && {1'b0, scan_q} < ALL_KEYS;
  wire of_a_vl = !scan_keys_q && {1'b0, scan_q} < ALL_VLS && stamped_q[scan_q[VW-1:0]];
  wire finish_we = !swept || (ends && (stamps_q || of_a_key));
  wire [4:0] finish_waddr = !swept ? sweep : stamps_q ? key_q : scan_q;
  wire [4:0] finish_raddr = stamps_q ? vl_key : scan_q;
  wire [TW-1:0] finish;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(TW)) u_finish (
    .clk_i(clk_i), .we_i(finish_we), .waddr_i(finish_waddr[KW-1:0]),
    .wdata_i(result & {TW{swept}}), .raddr_i(finish_raddr[KW-1:0]), .rdata_o(finish)
  );
  // The stamps once more, for the engine reads one a job.
  wire stamp_we = ends && (stamps_q || of_a_vl);
  wire [VW-1:0] stamp_waddr = stamps_q ? vl_q : scan_q[VW-1:0];
  wire [TW-1:0] stamp;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(TW)) u_stamp (
    .clk_i(clk_i), .we_i(stamp_we), .waddr_i(stamp_waddr), .wdata_i(result),
    .raddr_i(scan_q[VW-1:0]), .rdata_o(stamp)
  );

  reg [9:0] addr_q;
  wire to_price = `LOOM_IS_FAIR_REG_PRICE(table_addr_i) && {1'b0, table_addr_i[4:0]} < ALL_KEYS;
  wire [7:0] data = table_data_i[`LOOM_FAIR_REG_PRICE_PRICE];
  wire price_we = (table_we_i && to_price) || !swept;
  wire [KW-1:0] price_waddr = swept ? table_addr_i[KW-1:0] : sweep[KW-1:0];
  wire [7:0] price_wdata = swept ? {data[7:1], data[0] || data == 8'd0} : 8'd1;
  wire [7:0] price;
  wire [7:0] own_price;
  wire [7:0] granted_price;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_price (
    .clk_i(clk_i), .we_i(price_we), .waddr_i(price_waddr), .wdata_i(price_wdata),
    .raddr_i(vl_key[KW-1:0]), .rdata_o(price)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_own_price (
    .clk_i(clk_i), .we_i(price_we), .waddr_i(price_waddr), .wdata_i(price_wdata),
    .raddr_i(addr_q[KW-1:0]), .rdata_o(own_price)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(8)) u_granted_price (
    .clk_i(clk_i), .we_i(price_we), .waddr_i(price_waddr), .wdata_i(price_wdata),
    .raddr_i(grant_key_o[KW-1:0]), .rdata_o(granted_price)
  );

  wire [TW-1:0] from_less_now = from_q - now_q;
  wire as_it_is = stamps_q && kept_q[vl_q];
  always @(posedge clk_i) begin
    if (rst_i) begin
      step_q <= 2'd0;
      stamps_q <= 1'b0;
      vl_q <= {VW{1'b0}};
      key_q <= 5'd0;
      size_q <= {SIZE_W{1'b0}};
      price_q <= 8'd0;
      from_q <= {TW{1'b0}};
      behind_q <= 1'b0;
      then_q <= {TW{1'b0}};
      from2_q <= {TW{1'b0}};
      cost_q <= {CW{1'b0}};
      scan_q <= 5'd0;
      scan_keys_q <= 1'b0;
    end else begin
      if (picks) begin
        step_q <= {1'b0, any_fresh || (step_q == 2'd3 && stamps_q)};
        stamps_q <= any_fresh;
        vl_q <= first_fresh;
      end else if (swept) begin
        step_q <= step_q + 2'd1;
      end
      key_q <= (step_q == 2'd1) ? vl_key : key_q;
      size_q <= vl_size & {SIZE_W{stamps_q}};
      price_q <= price & {8{stamps_q}};
      from_q <= (stamps_q || scan_keys_q) ? finish : stamp;
      behind_q <= from_less_now[TW-1] && !as_it_is;
      then_q <= now_q;
      from2_q <= from_q;
      cost_q <= {{SIZE_W{1'b0}}, price_q} * {8'd0, size_q};
      if (ends && !stamps_q) begin
        scan_keys_q <= !scan_keys_q;
        if (!scan_keys_q) scan_q <= (scan_q == LAST[4:0]) ? 5'd0 : scan_q + 5'd1;
      end
    end
  end

  // ---- what the VLs have ------------------------------------------------------------------------

  wire [4:0] c5_vl;
  wire [TW-1:0] c5_stamp;
  wire [VLS-1:0] granted_hot = granted ? ONE_VL << c5_vl[VW-1:0] : {VLS{1'b0}};
  wire [VLS-1:0] shown_hot = stamp_granted_q ? ONE_VL << grant_vl_o[VW-1:0] : {VLS{1'b0}};
  wire [VLS-1:0] made_hot = (ends && stamps_q) ? ONE_VL << vl_q : {VLS{1'b0}};
  wire [VLS-1:0] stamp_hot = stamp_we ? ONE_VL << stamp_waddr : {VLS{1'b0}};
  wire [VLS-1:0] has_stamp = made_hot & ~fresh_q & ~told;
  wire [TW-1:0] expected = now_q + {{(TW - 8) {1'b0}}, granted_price};
  wire [TW-1:0] now_less_stamp = now_q - c5_stamp;
  always @(posedge clk_i) begin
    if (rst_i) begin
      now_q <= {TW{1'b0}};
      stamped_q <= {VLS{1'b0}};
      fresh_q <= {VLS{1'b0}};
      kept_q <= {VLS{1'b0}};
      stamp_granted_q <= 1'b0;
      stamp_q <= {(VLS * TW) {1'b0}};
    end else begin
      if (granted && now_less_stamp[TW-1]) now_q <= c5_stamp;
      stamped_q <= (stamped_q | has_stamp) & ~granted_hot & ~told;
      fresh_q <= (fresh_q & ~picked & ~told) | (told & {VLS{good}});
      kept_q <= ((kept_q & ~has_stamp) | (told & held_q)) & ~(told & {VLS{!good || other_key}});
      stamp_granted_q <= granted;
      for (v = 0; v < VLS; v = v + 1) begin
        if (shown_hot[v]) stamp_q[v*TW+:TW] <= expected;
        else if (stamp_hot[v]) stamp_q[v*TW+:TW] <= result;
      end
    end
  end

  // ---- the five steps ---------------------------------------------------------------------------

  wire c5_some;
  wire [VLS-1:0] eligible = held_q | kept_q | (ready & stamped_q);
  loom_fair_queueing_first #(.VLS(VLS), .TW(TW)) u_first (
    .clk_i(clk_i), .rst_i(rst_i), .set_i(eligible), .stamp_i(stamp_q),
    .some_o(c5_some), .vl_o(c5_vl), .stamp_o(c5_stamp)
  );

  // ---- the decision -----------------------------------------------------------------------------

  // What has a stamp has it in the RAM, too.
  wire [TW-1:0] stamp_now;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(TW)) u_stamp_found (
    .clk_i(clk_i), .we_i(stamp_we), .waddr_i(stamp_waddr), .wdata_i(result),
    .raddr_i(c5_vl[VW-1:0]), .rdata_o(stamp_now)
  );
  wire [4:0] c5_key;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_key_found (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(event_vl), .wdata_i(event_key),
    .raddr_i(c5_vl[VW-1:0]), .rdata_o(c5_key)
  );
  wire same = stamped_q[c5_vl[VW-1:0]] && stamp_now == c5_stamp;

  wire [VLS-1:0] held;
  wire [2:0] pause;
  wire [VLS-1:0] unused_above;
  wire [VLS-1:0] unused_equal;
  wire [4:0] unused_c3_key;
  wire [4:0] unused_c4_vl;
  wire [4:0] unused_c4_key;
  wire unused_c4_some;
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
    .cur_i(5'd0),
    .eligible_o(ready),
    .above_o(unused_above),
    .equal_o(unused_equal),
    .set_i({VLS{1'b0}}),
    .first_i({VLS{1'b0}}),
    .fixed_i(1'b0),
    .fixed_set_i({VLS{1'b0}}),
    .fixed_key_i(5'd0),
    .c3_key_o(unused_c3_key),
    .c4_some_o(unused_c4_some),
    .c4_vl_o(unused_c4_vl),
    .c4_key_o(unused_c4_key),
    .next_some_i(c5_some && same),
    .next_vl_i(c5_vl),
    .next_key_i(c5_key),
    .mgmt_o(unused_mgmt),
    .there_o(unused_there),
    .held_i(held_q),
    .held_o(held),
    .pause_from_i(3'd6),
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
      pause_q <= 3'd0;
      held_q <= {VLS{1'b0}};
    end else begin
      pause_q <= pause;
      held_q <= held;
    end
  end

  assign ready_o = swept;
  assign busy_o = !swept;

  // ---- what software reads ----------------------------------------------------------------------

  wire at_price = `LOOM_IS_FAIR_REG_PRICE(addr_q) && {1'b0, addr_q[4:0]} < ALL_KEYS;
  always @(posedge clk_i) begin
    if (rst_i) begin
      addr_q <= 10'd0;
      table_rdata_o <= 32'd0;
    end else begin
      addr_q <= table_addr_i;
      table_rdata_o <= 32'd0;
      if (swept && at_price) table_rdata_o[`LOOM_FAIR_REG_PRICE_PRICE] <= own_price;
      if (swept && addr_q == `LOOM_FAIR_REG_NOW)
        table_rdata_o[`LOOM_FAIR_REG_NOW_NOW] <= {{(29 - TW) {1'b0}}, now_q};
    end
  end

  wire unused = &{1'b0, addr_q, finish_waddr, finish_raddr, table_data_i, unused_above,
                  unused_equal, unused_c3_key, unused_c4_vl, unused_c4_key, unused_c4_some,
                  unused_mgmt, unused_there};

`ifdef LOOM_ASSERT_ON
  reg [VLS-1:0] known_q;  // a head event, and no grant since
  wire [VLS-1:0] all_told = event_we ? ONE_VL << event_vl : {VLS{1'b0}};
  wire [VLS-1:0] all_granted = grant_valid_o ? ONE_VL << grant_vl_o[VW-1:0] : {VLS{1'b0}};
  always @(posedge clk_i) known_q <= rst_i ? {VLS{1'b0}} : (known_q & ~all_granted) | all_told;
  `LOOM_REQUIRE(one_head_from_grant_to_grant, (all_told & known_q) == {VLS{1'b0}})
`endif

  `LOOM_ASSERT(stamp_or_not, (stamped_q & (fresh_q | kept_q)) == {VLS{1'b0}})
  `LOOM_ASSERT(one_writes_a_stamp, (shown_hot & stamp_hot) == {VLS{1'b0}})

endmodule

`default_nettype wire
