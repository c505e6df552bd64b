// SPDX-License-Identifier: Apache-2.0

// loom_room_tracker: says of each VL, in one registered bit, whether its next packet has room in a
//   buffer that the VLs share.
//
// Contract: the caller consumes on a VL whose room_o is 1, not more than its need, and not in the
//   cycle after another consume unless it knows that both fit. What else it sends is ignored and
//   reported; no event can make the counts wrong.
// Algorithm: OP-06. What is kept by VL stands in LUT RAM. An event closes or marks its VL; after a
//   small consume the verdict stays in force if the cap is far and the pool has enough. A pipeline
//   judges one marked VL a cycle; a comparator a VL looks at the free pool. A consume is charged to
//   the pool in full at once; what was too much comes back when its VL is judged.
// Latency: a consume shows in room_o of other VLs 2 cycles later, in its own 1 cycle later, or 2 if
//   it is small; the verdict on a VL 6 cycles after the event, a release of the pool 7. Every event
//   every cycle.
// Wait bound: a VL is judged after at most VLS - 1 others. A VL within its reserve and its cap has
//   room once it is judged, whatever the others hold.
// Parameters: VLS (1..32), COUNT_W (bits of a count, 4..16), SIZE_W (bits of a size, 1..12, at most
//   COUNT_W), and the values after reset: UNITS (total and each cap), MAX_UNITS (the most that
//   total may be), RESERVED (each reserve), NEED (each need, below 2^SIZE_W); SMALL (0..15, below
//   2^SIZE_W: units of the largest consume after which a VL may stay open);
//   VLS * RESERVED <= UNITS <= MAX_UNITS < 2^COUNT_W.
// Realises: OP-06, OP-05; probe pool.
// Page: docs/parts.md, section room_tracker.
`default_nettype none
`include "loom_assert.vh"
`include "loom_regs.vh"

module loom_room_tracker #(
  parameter integer VLS       = 9,
  parameter integer COUNT_W   = 12,
  parameter integer SIZE_W    = 10,
  parameter integer UNITS     = 1024,
  parameter integer MAX_UNITS = 1024,
  parameter integer RESERVED  = 16,
  parameter integer NEED      = 16,
  parameter integer SMALL     = 0
) (
  input  wire               clk_i,
  input  wire               rst_i,
  output wire               ready_o,
  input  wire               consume_valid_i,
  input  wire [4:0]         consume_vl_i,
  input  wire [SIZE_W-1:0]  consume_size_i,
  input  wire               return_valid_i,
  input  wire [4:0]         return_vl_i,
  input  wire               need_valid_i,
  input  wire [4:0]         need_vl_i,
  input  wire [SIZE_W-1:0]  need_size_i,
  input  wire               cfg_we_i,
  input  wire [6:0]         cfg_addr_i,
  input  wire [COUNT_W-1:0] cfg_data_i,
  output wire [VLS-1:0]     room_o,
  output wire [COUNT_W-1:0] total_o,
  output wire               used_valid_o,
  output wire [4:0]         used_vl_o,
  output wire [COUNT_W-1:0] used_o,
  output wire               idle_o,
  output wire               config_ok_o,
  output wire               error_o
);

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_room_tracker_VLS_must_be_1_to_32 u_error ();
    end
    if (COUNT_W < 4 || COUNT_W > 16) begin : g_bad_count_w
      loom_room_tracker_COUNT_W_must_be_4_to_16 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12 || SIZE_W > COUNT_W) begin : g_bad_size_w
      loom_room_tracker_SIZE_W_must_be_1_to_12_and_at_most_COUNT_W u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > UNITS || UNITS < 1 || UNITS > MAX_UNITS)
    begin : g_bad_units
      loom_room_tracker_UNITS_must_hold_all_RESERVED_and_fit_MAX_UNITS u_error ();
    end
    if (MAX_UNITS >= (1 << COUNT_W)) begin : g_bad_max_units
      loom_room_tracker_MAX_UNITS_must_be_below_2_to_COUNT_W u_error ();
    end
    if (NEED < 0 || NEED >= (1 << SIZE_W)) begin : g_bad_need
      loom_room_tracker_NEED_must_be_below_2_to_SIZE_W u_error ();
    end
    if (SMALL < 0 || SMALL > 15 || SMALL >= (1 << SIZE_W)) begin : g_bad_small
      loom_room_tracker_SMALL_must_be_0_to_15_and_below_2_to_SIZE_W u_error ();
    end
  endgenerate

  localparam integer DEPTH = (VLS > 1) ? VLS : 2;
  localparam integer AW = $clog2(DEPTH);
  localparam integer W = COUNT_W;
  localparam integer POOL_W = COUNT_W + 3;
  localparam integer FREE_W = COUNT_W + 6;                // less 32 reserves fits, with its sign
  localparam integer FREE_I = UNITS - VLS * RESERVED;
  localparam [POOL_W-1:0] FREE_C = FREE_I[POOL_W-1:0];
  localparam [W-1:0] UNITS_C = UNITS[W-1:0];
  localparam integer OVER_I = MAX_UNITS + 1;
  localparam [W:0] OVER_C = OVER_I[W:0];
  localparam [W-1:0] RESERVED_C = RESERVED[W-1:0];
  localparam [SIZE_W-1:0] NEED_C = NEED[SIZE_W-1:0];
  localparam integer MARGIN_I = SMALL * (VLS + 4);        // small packets until the next verdict
  localparam integer STAYS = (SMALL > 0 && MARGIN_I < (1 << W)) ? 1 : 0;
  localparam [W:0] MARGIN_C = (STAYS != 0) ? MARGIN_I[W:0] : {(W + 1){1'b0}};
  localparam [SIZE_W-1:0] SMALL_C = SMALL[SIZE_W-1:0];
  localparam [W-1:0] ZERO = 0;
  localparam [SIZE_W-1:0] SIZE0 = 0;
  localparam [VLS-1:0] NONE = 0;
  localparam [VLS-1:0] HOT0 = 1;
  localparam integer LAST_I = VLS - 1;
  localparam [4:0] LAST_C = LAST_I[4:0];

  function [W-1:0] count;                                 // a size as a count
    input [SIZE_W-1:0] size;
    begin
      count = ZERO;
      count[SIZE_W-1:0] = size;
    end
  endfunction

  // Control state.
  reg ready_q;
  reg [4:0] sweep_lane_q;
  reg [VLS-1:0] dirty_q;
  reg [VLS-1:0] sure_q;
  reg [VLS-1:0] ask_q;
  reg [VLS*SIZE_W-1:0] short_q;                           // below the need, if it asks
  reg [VLS-1:0] wide_q;                                   // room below its cap for small packets
  reg [VLS-1:0] fresh_q;                                  // a new verdict, without its gain
  reg [VLS-1:0] fit_q;
  reg [VLS-1:0] room_q;
  reg [POOL_W-1:0] pool_q;                                // signed
  reg [FREE_W-1:0] size_q;                                // signed
  reg [W-1:0] units_q;
  reg [W-1:0] total_q;
  reg config_ok_q;
  reg idle_q;
  reg error_q;

  // Stage 1: the events of the last cycle.
  reg sweep_q;
  reg consume_q;
  reg [VLS-1:0] consume_hot_q;
  reg [AW-1:0] consume_vl_q;
  reg [SIZE_W-1:0] consume_size_q;
  reg size_ok_q;
  reg return_q;
  reg [AW-1:0] return_vl_q;
  reg need_q;
  reg [AW-1:0] need_vl_q;
  reg [SIZE_W-1:0] need_size_q;
  reg cfg_reserved_q;
  reg cfg_cap_q;
  reg cfg_units_q;
  reg [AW-1:0] cfg_vl_q;
  reg [W-1:0] cfg_data_q;
  reg [W-1:0] cfg_cap_data_q;
  reg ignored_q;

  // Stage 2.
  reg [SIZE_W-1:0] take_q;                                // units that were admitted
  reg give_q;
  reg [POOL_W-1:0] back_q;                                // signed: what the pool gets back
  reg back_is_cfg_q;

  // The three cycles in which a lane is judged.
  reg read_q;
  reg [VLS-1:0] read_hot_q;
  reg read_spent_q;                                       // a small packet went since the pick
  reg [4:0] read_vl_q;
  reg used_valid_q;
  reg [VLS-1:0] compare_hot_q;
  reg compare_spent_q;
  reg [4:0] used_vl_q;
  reg [W-1:0] used_q;
  reg [W-1:0] compare_consumed_q;
  reg [W-1:0] compare_returned_q;
  reg [W-1:0] compare_reserved_q;
  reg [W-1:0] compare_cap_q;
  reg [SIZE_W-1:0] compare_need_q;
  reg judge_q;
  reg [VLS-1:0] judge_hot_q;
  reg judge_spent_q;
  reg [AW-1:0] judge_vl_q;
  reg [W:0] judge_spare_q;                                // signed: reserved - used
  reg [W-1:0] judge_left_q;                               // cap - used
  reg [W-1:0] judge_beyond_q;                             // settled, if above the reserve
  reg [W-1:0] judge_consumed_q;
  reg [SIZE_W-1:0] judge_need_q;
  reg [W-1:0] gain_q;
  reg sweep_judge_q;                                      // the sweep comes to `settled`

  // Stage 0: whose lane is concerned.
  wire [VLS-1:0] stay;
  wire [VLS-1:0] consume_hot = consume_valid_i ? HOT0 << consume_vl_i : NONE;
  wire [VLS-1:0] return_hot = return_valid_i ? HOT0 << return_vl_i : NONE;
  wire [VLS-1:0] need_hot = need_valid_i ? HOT0 << need_vl_i : NONE;
  wire [VLS-1:0] cfg_hot = HOT0 << cfg_addr_i[4:0];
  wire cfg_is_units = cfg_addr_i == `LOOM_TRACKER_REG_TOTAL;
  wire cfg_known = cfg_is_units || (!cfg_addr_i[6] && cfg_hot != NONE);
  wire cfg = cfg_we_i && cfg_known;
  wire cfg_ok = cfg && idle_q && !consume_valid_i;
  // A lane stays open after a small packet, if it is wide.
  wire [VLS-1:0] close = cfg_ok ? {VLS{1'b1}} : (consume_hot & ~stay) | need_hot;
  wire [VLS-1:0] spend = consume_hot & stay & ~need_hot;
  wire [VLS-1:0] mark = close | consume_hot | return_hot;

  // The words of the lanes.
  wire [W-1:0] c_consumed;
  wire [W-1:0] r_consumed;
  wire [W-1:0] r_returned;
  wire [W-1:0] v_consumed;
  wire [W-1:0] v_returned;
  wire [W-1:0] v_reserved;
  wire [W-1:0] g_reserved;
  wire [W-1:0] v_cap;
  wire [SIZE_W-1:0] v_need;
  wire [SIZE_W-1:0] c_need;
  wire [W-1:0] settled;

  // Stage 1: is it admitted?
  wire admit = size_ok_q && (consume_hot_q & fit_q) != NONE;
  wire consume_we = admit || sweep_q;
  wire [W-1:0] consumed_d = sweep_q ? ZERO : c_consumed + count(consume_size_q);
  wire give = return_q && r_consumed != r_returned;
  wire return_we = give || sweep_q;
  wire [W-1:0] returned_d = sweep_q ? ZERO : r_returned + {{(W - 1){1'b0}}, 1'b1};
  // data - units, or reserved - data, which is ~(data - reserved - 1): one sum with a carry in.
  wire [W-1:0] cfg_old = cfg_units_q ? units_q : g_reserved;
  wire [W+1:0] cfg_sum = {1'b0, cfg_data_q, 1'b1} + {1'b1, ~cfg_old, cfg_units_q};
  wire [POOL_W-1:0] cfg_gain = {{2{cfg_sum[W+1]}}, cfg_sum[W+1:1]} ^ {POOL_W{!cfg_units_q}};
  wire back_is_cfg = cfg_units_q || (cfg_reserved_q && !sweep_q);
  wire [SIZE_W-1:0] refused = (consume_q && !admit) ? consume_size_q : SIZE0;
  wire [POOL_W-1:0] back_d = back_is_cfg ? cfg_gain : {3'd0, count(refused)};

  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_consumed_consume (
    .clk_i(clk_i), .we_i(consume_we), .waddr_i(consume_vl_q), .wdata_i(consumed_d),
    .raddr_i(consume_vl_q), .rdata_o(c_consumed)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_consumed_return (
    .clk_i(clk_i), .we_i(consume_we), .waddr_i(consume_vl_q), .wdata_i(consumed_d),
    .raddr_i(return_vl_q), .rdata_o(r_consumed)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_consumed (
    .clk_i(clk_i), .we_i(consume_we), .waddr_i(consume_vl_q), .wdata_i(consumed_d),
    .raddr_i(read_vl_q[AW-1:0]), .rdata_o(v_consumed)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_returned_return (
    .clk_i(clk_i), .we_i(return_we), .waddr_i(return_vl_q), .wdata_i(returned_d),
    .raddr_i(return_vl_q), .rdata_o(r_returned)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_returned (
    .clk_i(clk_i), .we_i(return_we), .waddr_i(return_vl_q), .wdata_i(returned_d),
    .raddr_i(read_vl_q[AW-1:0]), .rdata_o(v_returned)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_reserved (
    .clk_i(clk_i), .we_i(cfg_reserved_q), .waddr_i(cfg_vl_q), .wdata_i(cfg_data_q),
    .raddr_i(read_vl_q[AW-1:0]), .rdata_o(v_reserved)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_reserved_cfg (
    .clk_i(clk_i), .we_i(cfg_reserved_q), .waddr_i(cfg_vl_q), .wdata_i(cfg_data_q),
    .raddr_i(cfg_vl_q), .rdata_o(g_reserved)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_cap (
    .clk_i(clk_i), .we_i(cfg_cap_q), .waddr_i(cfg_vl_q), .wdata_i(cfg_cap_data_q),
    .raddr_i(read_vl_q[AW-1:0]), .rdata_o(v_cap)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(SIZE_W)) u_need (
    .clk_i(clk_i), .we_i(need_q), .waddr_i(need_vl_q), .wdata_i(need_size_q),
    .raddr_i(read_vl_q[AW-1:0]), .rdata_o(v_need)
  );
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(SIZE_W)) u_need_consume (
    .clk_i(clk_i), .we_i(need_q), .waddr_i(need_vl_q), .wdata_i(need_size_q),
    .raddr_i(consume_vl_i[AW-1:0]), .rdata_o(c_need)
  );

  // The lane that is judged next.
  wire [VLS-1:0] pick;
  wire [4:0] pick_vl;
  loom_rr_arbiter #(.N(VLS)) u_arbiter (
    .clk_i(clk_i), .rst_i(rst_i),
    .request_i(ready_q ? dirty_q : NONE), .advance_i(1'b1), .grant_o(pick)
  );
  loom_encode #(.N(VLS), .W(5)) u_pick_vl (
    .clk_i(clk_i), .rst_i(rst_i), .onehot_i(pick), .index_o(pick_vl)
  );

  // The verdict: what the lane lacks of its need, less one, if nothing of the pool is free.
  // As -1 - x is ~x, one sum does.
  wire judge_below = !judge_spare_q[W];
  wire [W:0] lack = {1'b0, count(judge_need_q)}
                    + ~(judge_below ? judge_spare_q : {(W + 1){1'b0}});
  wire spent = judge_spent_q || (judge_hot_q & spend) != NONE;
  wire wide;
  wire may = count(judge_need_q) <= judge_left_q && judge_need_q != SIZE0
             && config_ok_q;
  wire sure = lack[W] && !spent;
  wire needless = STAYS != 0 && lack[W];                  // of the pool
  wire [W-1:0] settled_d = sweep_judge_q ? ZERO : judge_below ? judge_consumed_q : judge_beyond_q;
  loom_lut_ram #(.DEPTH(DEPTH), .WIDTH(W)) u_settled (
    .clk_i(clk_i), .we_i(judge_q || sweep_judge_q), .waddr_i(judge_vl_q), .wdata_i(settled_d),
    .raddr_i(judge_vl_q), .rdata_o(settled)
  );

  // The comparators. Where the pool has bits above those of a size, it has enough for any need.
  wire [VLS-1:0] fit_d;
  wire [VLS-1:0] held;                                    // until the pool has the gain
  wire plenty;
  generate
    if (W > SIZE_W) begin : g_wide
      assign plenty = pool_q[W-1:SIZE_W] != {(W - SIZE_W){1'b0}};
    end else begin : g_same
      assign plenty = 1'b0;
    end
    if (STAYS != 0) begin : g_stays
      if (SMALL + 1 == (1 << SIZE_W)) begin : g_all
        assign stay = wide_q;                             // no size is larger
      end else begin : g_some
        assign stay = (consume_size_i <= SMALL_C) ? wide_q : NONE;
      end
      assign wide = {1'b0, count(judge_need_q)} + MARGIN_C <= {1'b0, judge_left_q};
      assign held = fresh_q & fit_q;
    end else begin : g_falls
      wire unused_state = &{1'b0, wide_q, fresh_q};
      assign stay = NONE;
      assign wide = 1'b0;
      assign held = NONE;
    end
    genvar g;
    for (g = 0; g < VLS; g = g + 1) begin : g_fit
      assign fit_d[g] = sure_q[g] || held[g] || (ask_q[g] && !pool_q[POOL_W-1]
                                      && (plenty || short_q[g*SIZE_W +: SIZE_W]
                                                    < pool_q[SIZE_W-1:0]));
    end
  endgenerate

  integer i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      ready_q <= 1'b0;
      sweep_lane_q <= 5'd0;
      dirty_q <= {VLS{1'b1}};
      sure_q <= NONE;
      ask_q <= NONE;
      short_q <= {VLS{SIZE0}};
      wide_q <= NONE;
      fresh_q <= NONE;
      fit_q <= NONE;
      room_q <= NONE;
      pool_q <= FREE_C;
      size_q <= {3'd0, FREE_C};
      units_q <= UNITS_C;
      total_q <= ZERO;
      config_ok_q <= 1'b1;
      idle_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      if (sweep_lane_q == LAST_C) ready_q <= 1'b1;
      if (!ready_q) sweep_lane_q <= sweep_lane_q + 5'd1;
      dirty_q <= (dirty_q & ~pick) | mark;
      for (i = 0; i < VLS; i = i + 1) begin
        if (close[i]) begin
          sure_q[i] <= 1'b0;
          ask_q[i] <= 1'b0;
          wide_q[i] <= 1'b0;
        end else if (judge_hot_q[i]) begin
          sure_q[i] <= may && sure;
          ask_q[i] <= may && !sure;
          wide_q[i] <= may && wide;
        end else if (spend[i]) begin
          sure_q[i] <= 1'b0;
          ask_q[i] <= ask_q[i] || sure_q[i];
        end
        if (judge_hot_q[i]) short_q[i*SIZE_W +: SIZE_W] <= needless ? SIZE0 : lack[SIZE_W-1:0];
      end
      fresh_q <= consume_valid_i ? NONE : judge_hot_q & ~close;
      fit_q <= fit_d;
      room_q <= fit_d & ~close;
      pool_q <= pool_q - {3'd0, count(consume_valid_i ? consume_size_i : SIZE0)}
                + {3'd0, gain_q} + back_q;
      if (back_is_cfg_q) size_q <= size_q + {{3{back_q[POOL_W-1]}}, back_q};
      if (cfg_units_q) units_q <= cfg_data_q;
      config_ok_q <= !size_q[FREE_W-1] && {1'b0, units_q} < OVER_C;
      total_q <= total_q + count(take_q) - {{(W - 1){1'b0}}, give_q};
      idle_q <= ready_q && !consume_valid_i && !consume_q && take_q == SIZE0 && total_q == ZERO;
      error_q <= ignored_q || (consume_q && !admit) || (return_q && !give);
    end
  end

  // Stages 1 and 2. In the sweep the events write the words of one lane after another.
  always @(posedge clk_i) begin
    if (rst_i) begin
      sweep_q <= 1'b0;
      consume_q <= 1'b0;
      consume_hot_q <= NONE;
      return_q <= 1'b0;
      need_q <= 1'b0;
      cfg_reserved_q <= 1'b0;
      cfg_cap_q <= 1'b0;
      cfg_units_q <= 1'b0;
      ignored_q <= 1'b0;
      take_q <= SIZE0;
      give_q <= 1'b0;
      back_q <= {POOL_W{1'b0}};
      back_is_cfg_q <= 1'b0;
    end else begin
      sweep_q <= !ready_q;
      consume_q <= consume_valid_i;
      consume_hot_q <= consume_hot;
      return_q <= ready_q && return_hot != NONE;
      need_q <= !ready_q || need_hot != NONE;
      cfg_reserved_q <= !ready_q || (cfg_ok && `LOOM_IS_TRACKER_REG_RESERVED(cfg_addr_i));
      cfg_cap_q <= !ready_q || (cfg_ok && `LOOM_IS_TRACKER_REG_CAP(cfg_addr_i));
      cfg_units_q <= cfg_ok && cfg_is_units;
      ignored_q <= (return_valid_i && !(ready_q && return_hot != NONE))
                   || (need_valid_i && !(ready_q && need_hot != NONE)) || (cfg && !cfg_ok);
      take_q <= admit ? consume_size_q : SIZE0;
      give_q <= give;
      back_q <= back_d;
      back_is_cfg_q <= back_is_cfg;
    end
    consume_size_q <= consume_size_i;
    size_ok_q <= consume_size_i <= c_need && consume_size_i != SIZE0;
    if (ready_q) begin
      consume_vl_q <= consume_vl_i[AW-1:0];
      return_vl_q <= return_vl_i[AW-1:0];
      need_vl_q <= need_vl_i[AW-1:0];
      cfg_vl_q <= cfg_addr_i[AW-1:0];
      need_size_q <= need_size_i;
      cfg_data_q <= cfg_data_i;
      cfg_cap_data_q <= cfg_data_i;
    end else begin
      consume_vl_q <= sweep_lane_q[AW-1:0];
      return_vl_q <= sweep_lane_q[AW-1:0];
      need_vl_q <= sweep_lane_q[AW-1:0];
      cfg_vl_q <= sweep_lane_q[AW-1:0];
      need_size_q <= NEED_C;
      cfg_data_q <= RESERVED_C;
      cfg_cap_data_q <= UNITS_C;
    end
  end

  // Judging: read, compare, judge. Closing a lane drops the verdict on its way, not the gain.
  always @(posedge clk_i) begin
    if (rst_i) begin
      read_q <= 1'b0;
      read_hot_q <= NONE;
      read_spent_q <= 1'b0;
      used_valid_q <= 1'b0;
      compare_hot_q <= NONE;
      compare_spent_q <= 1'b0;
      judge_q <= 1'b0;
      judge_hot_q <= NONE;
      judge_spent_q <= 1'b0;
      sweep_judge_q <= 1'b0;
      gain_q <= ZERO;
      used_q <= ZERO;
      read_vl_q <= 5'd0;
      used_vl_q <= 5'd0;
    end else begin
      read_q <= pick != NONE;
      read_hot_q <= pick & ~close;
      read_spent_q <= (pick & spend) != NONE;
      used_valid_q <= read_q;
      compare_hot_q <= read_hot_q & ~close;
      compare_spent_q <= read_spent_q || (read_hot_q & spend) != NONE;
      judge_q <= used_valid_q;
      judge_hot_q <= compare_hot_q & ~close;
      judge_spent_q <= compare_spent_q || (compare_hot_q & spend) != NONE;
      sweep_judge_q <= sweep_q;
      gain_q <= judge_q ? settled_d - settled : ZERO;
      used_q <= read_q ? v_consumed - v_returned : ZERO;
      read_vl_q <= pick_vl;
      used_vl_q <= read_vl_q;
    end
    compare_consumed_q <= v_consumed;
    compare_returned_q <= v_returned;
    compare_reserved_q <= v_reserved;
    compare_cap_q <= v_cap;
    compare_need_q <= v_need;
    judge_vl_q <= sweep_q ? consume_vl_q : used_vl_q[AW-1:0];
    judge_spare_q <= {1'b0, compare_reserved_q} - {1'b0, used_q};
    judge_left_q <= compare_cap_q - used_q;
    judge_beyond_q <= compare_returned_q + compare_reserved_q;
    judge_consumed_q <= compare_consumed_q;
    judge_need_q <= compare_need_q;
  end

  assign ready_o = ready_q;
  assign room_o = room_q;
  assign total_o = total_q;
  assign used_valid_o = used_valid_q;
  assign used_vl_o = used_vl_q;
  assign used_o = used_q;
  assign idle_o = idle_q;
  assign config_ok_o = config_ok_q;
  assign error_o = error_q;

  `LOOM_ASSERT(room_needs_a_verdict, (room_q & ~fit_q) == NONE)
  `LOOM_ASSERT(total_within_units, !config_ok_q || total_q <= units_q)

endmodule

`default_nettype wire
