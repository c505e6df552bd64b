// SPDX-License-Identifier: Apache-2.0

// relations_room_tracker: what holds between the registers of circuit and twin, in every cycle;
// without small packets (SMALL = 0).
// The twin leaves edges out at which nothing changes, and counts in 32 bits: that the bits of the
// circuit are enough is OP-06, which `order`, `open`, `admit` and `within` say.
`default_nettype none

module relations_room_tracker #(
  parameter integer VLS       = 9,
  parameter integer COUNT_W   = 12,
  parameter integer SIZE_W    = 10,
  parameter integer UNITS     = 1024,
  parameter integer MAX_UNITS = 1024,
  parameter integer RESERVED  = 16,
  parameter integer NEED      = 16,
  parameter integer SMALL     = 0
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  input  wire                       ready_q,
  input  wire [4:0]                 sweep_lane_q,
  input  wire [VLS-1:0]             dirty_q,
  input  wire [VLS-1:0]             sure_q,
  input  wire [VLS-1:0]             ask_q,
  input  wire [VLS*SIZE_W-1:0]      short_q,
  input  wire [VLS-1:0]             fit_q,
  input  wire [VLS-1:0]             room_q,
  input  wire [COUNT_W+2:0]         pool_q,
  input  wire [COUNT_W+5:0]         size_q,
  input  wire [COUNT_W-1:0]         units_q,
  input  wire [COUNT_W-1:0]         total_q,
  input  wire                       config_ok_q,
  input  wire                       idle_q,
  input  wire                       error_q,
  input  wire                       sweep_q,
  input  wire                       consume_q,
  input  wire [VLS-1:0]             consume_hot_q,
  input  wire [$clog2(VLS)-1:0]     consume_vl_q,
  input  wire [SIZE_W-1:0]          consume_size_q,
  input  wire                       size_ok_q,
  input  wire                       return_q,
  input  wire [$clog2(VLS)-1:0]     return_vl_q,
  input  wire                       need_q,
  input  wire [$clog2(VLS)-1:0]     need_vl_q,
  input  wire [SIZE_W-1:0]          need_size_q,
  input  wire                       cfg_reserved_q,
  input  wire                       cfg_cap_q,
  input  wire                       cfg_units_q,
  input  wire [$clog2(VLS)-1:0]     cfg_vl_q,
  input  wire [COUNT_W-1:0]         cfg_data_q,
  input  wire [COUNT_W-1:0]         cfg_cap_data_q,
  input  wire                       ignored_q,
  input  wire [SIZE_W-1:0]          take_q,
  input  wire                       give_q,
  input  wire [COUNT_W+2:0]         back_q,
  input  wire                       back_is_cfg_q,
  input  wire                       read_q,
  input  wire [VLS-1:0]             read_hot_q,
  input  wire                       read_spent_q,
  input  wire [4:0]                 read_vl_q,
  input  wire                       used_valid_q,
  input  wire [VLS-1:0]             compare_hot_q,
  input  wire                       compare_spent_q,
  input  wire [4:0]                 used_vl_q,
  input  wire [COUNT_W-1:0]         used_q,
  input  wire [COUNT_W-1:0]         compare_consumed_q,
  input  wire [COUNT_W-1:0]         compare_returned_q,
  input  wire [COUNT_W-1:0]         compare_reserved_q,
  input  wire [COUNT_W-1:0]         compare_cap_q,
  input  wire [SIZE_W-1:0]          compare_need_q,
  input  wire                       judge_q,
  input  wire [VLS-1:0]             judge_hot_q,
  input  wire                       judge_spent_q,
  input  wire [$clog2(VLS)-1:0]     judge_vl_q,
  input  wire [COUNT_W:0]           judge_spare_q,
  input  wire [COUNT_W-1:0]         judge_left_q,
  input  wire [COUNT_W-1:0]         judge_beyond_q,
  input  wire [COUNT_W-1:0]         judge_consumed_q,
  input  wire [SIZE_W-1:0]          judge_need_q,
  input  wire [COUNT_W-1:0]         gain_q,
  input  wire                       sweep_judge_q,
  input  wire [(VLS+3)/4*4-1:0]     u_arbiter_last_q,
  input  wire [VLS*COUNT_W-1:0]     u_consumed_consume_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_consumed_return_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_consumed_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_returned_return_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_returned_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_reserved_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_reserved_cfg_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_cap_lut_mem,
  input  wire [VLS*SIZE_W-1:0]      u_need_lut_mem,
  input  wire [VLS*SIZE_W-1:0]      u_need_consume_lut_mem,
  input  wire [VLS*COUNT_W-1:0]     u_settled_lut_mem,
  input  wire [31:0]                twin_dirty,
  input  wire [31:0]                twin_sure,
  input  wire [31:0]                twin_ask,
  input  wire [31:0]                twin_fit,
  input  wire [31:0]                twin_room,
  input  wire [31:0]                twin_wide,
  input  wire [31:0]                twin_fresh,
  input  wire [7:0]                 twin_moved,
  input  wire [7:0]                 twin_settling,
  input  wire [7:0]                 twin_acts,
  input  wire [31:0]                twin_pool,
  input  wire [31:0]                twin_size,
  input  wire [31:0]                twin_units,
  input  wire [31:0]                twin_total,
  input  wire [7:0]                 twin_ready,
  input  wire [7:0]                 twin_config_ok,
  input  wire [7:0]                 twin_idle,
  input  wire [7:0]                 twin_error,
  input  wire [31:0]                twin_sweep,
  input  wire [31:0]                twin_position,
  input  wire [7:0]                 twin_event_consume,
  input  wire [7:0]                 twin_event_size_ok,
  input  wire [7:0]                 twin_event_give,
  input  wire [7:0]                 twin_event_need,
  input  wire [7:0]                 twin_event_ignored,
  input  wire [7:0]                 twin_event_cfg,
  input  wire [7:0]                 twin_event_consume_vl,
  input  wire [7:0]                 twin_event_give_vl,
  input  wire [7:0]                 twin_event_need_vl,
  input  wire [7:0]                 twin_event_cfg_addr,
  input  wire [15:0]                twin_event_consume_size,
  input  wire [15:0]                twin_event_need_size,
  input  wire [15:0]                twin_event_cfg_data,
  input  wire [31:0]                twin_take,
  input  wire [7:0]                 twin_give,
  input  wire [31:0]                twin_back,
  input  wire [7:0]                 twin_back_is_cfg,
  input  wire [31:0]                twin_gain,
  input  wire [3*8-1:0]             twin_visit_valid,
  input  wire [3*8-1:0]             twin_visit_in_force,
  input  wire [3*8-1:0]             twin_visit_spent,
  input  wire [3*8-1:0]             twin_visit_vl,
  input  wire [3*16-1:0]            twin_visit_seen_consumed,
  input  wire [3*16-1:0]            twin_visit_seen_returned,
  input  wire [3*16-1:0]            twin_visit_seen_reserved,
  input  wire [3*16-1:0]            twin_visit_seen_cap,
  input  wire [3*16-1:0]            twin_visit_seen_need,
  input  wire [32*16-1:0]           twin_lane_consumed,
  input  wire [32*16-1:0]           twin_lane_returned,
  input  wire [32*16-1:0]           twin_lane_reserved,
  input  wire [32*16-1:0]           twin_lane_cap,
  input  wire [32*16-1:0]           twin_lane_need,
  input  wire [32*16-1:0]           twin_lane_settled,
  input  wire [32*16-1:0]           twin_lane_lacks,
  output wire                       sweep_o,
  output wire                       event_o,
  output wire                       stage_o,
  output wire                       lanes_o,
  output wire                       visits_o,
  output wire                       verdicts_o,
  output wire                       rests_o,
  output wire                       counts_o,
  output wire                       total_o,
  output wire                       order_o,
  output wire                       seen_o,
  output wire                       open_o,
  output wire                       admit_o,
  output wire                       within_o,
  output wire                       cfg_o,
  output wire                       pool_o,
  output wire                       owed_o,
  output wire                       kept_o,
  output wire                       parts_o,
  output wire                       sum_o
);

  localparam integer W = COUNT_W;
  localparam integer AW = $clog2(VLS);
  localparam [31:0] ALL_VLS = VLS;
  localparam [31:0] MOST = (32'd1 << COUNT_W) - 32'd1;
  localparam [VLS-1:0] NONE = 0;
  localparam integer FREE_I = UNITS - VLS * RESERVED;
  localparam [W+5:0] FREE_C = FREE_I[W+5:0];
  localparam [15:0] UNITS_16 = UNITS;
  localparam [15:0] RESERVED_16 = RESERVED;
  localparam [15:0] NEED_16 = NEED;

  function [31:0] over;                 // max(a - b, 0)
    input [31:0] a;
    input [31:0] b;
    over = (a > b) ? a - b : 32'd0;
  endfunction
  function [31:0] minus;                // of two counts, around
    input [15:0] a;
    input [15:0] b;
    minus = {16'd0, a - b} & MOST;
  endfunction

  // ---- the sweep, and the events ----------------------------------------------------------------

  // Cycles since reset, until the sweep has written all lanes.
  wire [31:0] at = !ready_q ? {27'd0, sweep_lane_q}
                   : ALL_VLS + (sweep_q ? 32'd0 : sweep_judge_q ? 32'd1 : 32'd2);
  wire swept = at == ALL_VLS + 32'd2;
  wire quiet = dirty_q == {VLS{1'b1}} && {read_q, used_valid_q, judge_q} == 3'd0;
  wire [31:0] last = at - 32'd1;
  wire [31:0] before = at - 32'd2;
  assign sweep_o = twin_ready == {7'd0, ready_q} && twin_sweep == sweep_lane_q
                   && (ready_q ? sweep_lane_q == ALL_VLS : sweep_lane_q < ALL_VLS)
                   && sweep_q == (at != 32'd0 && at <= ALL_VLS)
                   && sweep_judge_q == (at > 32'd1 && at <= ALL_VLS + 32'd1)
                   && (!sweep_q || (consume_vl_q == last[AW-1:0] && return_vl_q == last[AW-1:0]
                                    && need_vl_q == last[AW-1:0] && cfg_vl_q == last[AW-1:0]
                                    && need_size_q == NEED_16 && cfg_data_q == RESERVED_16
                                    && cfg_cap_data_q == UNITS_16
                                    && need_q && cfg_reserved_q && cfg_cap_q && !cfg_units_q))
                   && (!sweep_judge_q || judge_vl_q == before[AW-1:0])
                   && (swept || ((sure_q | ask_q | fit_q) == NONE && gain_q == {W{1'b0}}
                                 && !used_valid_q && !judge_q
                                 && (quiet || at == ALL_VLS + 32'd1)))
                   && (ready_q || idle_q == 1'b0)
                   && (at > ALL_VLS || (!return_q && !twin_event_cfg && !twin_event_need));

  wire is_cfg = twin_event_cfg != 8'd0;
  wire is_units = twin_event_cfg_addr == 8'd64;
  wire [31:0] cfg_lane = {27'd0, twin_event_cfg_addr[4:0]};
  wire taken = consume_q && twin_event_consume_vl < ALL_VLS;
  assign event_o = twin_event_consume == {7'd0, consume_q}
                   && consume_hot_q == (taken ? 32'd1 << twin_event_consume_vl : 32'd0)
                   && (!consume_q || twin_event_consume_size == consume_size_q)
                   && (!taken || sweep_q || twin_event_consume_vl == consume_vl_q)
                   && (!taken || (fit_q & consume_hot_q) == NONE
                       || twin_event_size_ok == {7'd0, size_ok_q})
                   && twin_event_size_ok < 8'd2
                   && twin_event_give == {7'd0, return_q}
                   && (!return_q || (twin_event_give_vl == return_vl_q
                                     && twin_event_give_vl < ALL_VLS))
                   && twin_event_need == {7'd0, need_q && !sweep_q}
                   && (!need_q || sweep_q || (twin_event_need_vl == need_vl_q
                                              && twin_event_need_vl < ALL_VLS
                                              && twin_event_need_size == need_size_q))
                   && twin_event_cfg[7:1] == 7'd0 && cfg_units_q == (is_cfg && is_units)
                   && (sweep_q || (cfg_reserved_q == (is_cfg && twin_event_cfg_addr < 8'd32)
                                   && cfg_cap_q == (is_cfg && !is_units
                                                    && twin_event_cfg_addr >= 8'd32)))
                   && (!is_cfg || ((is_units || (twin_event_cfg_addr < 8'd64 && cfg_lane < ALL_VLS
                                                 && cfg_vl_q == cfg_lane))
                                   && twin_event_cfg_data == cfg_data_q
                                   && twin_event_cfg_data == cfg_cap_data_q))
                   && twin_event_ignored == {7'd0, ignored_q};

  wire [31:0] back = {{(29 - W) {back_q[W+2]}}, back_q};
  assign stage_o = twin_take == take_q && twin_give == {7'd0, give_q} && twin_back == back
                   && twin_back_is_cfg == {7'd0, back_is_cfg_q}
                   && twin_error == {7'd0, error_q} && twin_idle == {7'd0, idle_q}
                   && twin_config_ok == {7'd0, config_ok_q}
                   && (back_is_cfg_q ? $signed(back) <= $signed(MOST)
                                       && $signed(back) >= -$signed(MOST)
                                     : back < (32'd1 << SIZE_W))
                   && (!back_is_cfg_q || take_q == {SIZE_W{1'b0}});

  // ---- the lanes --------------------------------------------------------------------------------

  reg [VLS-1:0] lanes;
  reg [VLS-1:0] fits;
  reg [VLS-1:0] order;
  reg [VLS-1:0] seen;
  reg [VLS-1:0] open;
  reg [VLS-1:0] caps;
  reg [15:0] consumed;
  reg [15:0] returned;
  reg [15:0] reserved;
  reg [15:0] cap;
  reg [15:0] need;
  reg [31:0] lacks;
  reg [31:0] used;
  reg [31:0] owed;                      // of the pool
  reg [31:0] beyond;
  reg [31:0] held_1;
  reg [31:0] held_2;
  reg [31:0] sum_used;
  reg [31:0] sum_reserved;
  reg [31:0] sum_owed;
  reg [31:0] sum_beyond;
  reg [31:0] sum_after;                 // with what may be admitted now
  reg [31:0] after;
  reg admitted;
  reg admit;
  reg force_0;
  reg force_1;
  reg force_2;
  integer k;

  // What a visit settles.
  wire [31:0] used_1 = minus(twin_visit_seen_consumed[16+:16], twin_visit_seen_returned[16+:16]);
  wire [31:0] used_2 = minus(twin_visit_seen_consumed[32+:16], twin_visit_seen_returned[32+:16]);
  wire [15:0] settles_1 = (used_1 > twin_visit_seen_reserved[16+:16])
                          ? twin_visit_seen_returned[16+:16] + twin_visit_seen_reserved[16+:16]
                          : twin_visit_seen_consumed[16+:16];
  wire [15:0] settles_2 = (used_2 > twin_visit_seen_reserved[32+:16])
                          ? twin_visit_seen_returned[32+:16] + twin_visit_seen_reserved[32+:16]
                          : twin_visit_seen_consumed[32+:16];

  always @* begin
    sum_used = 32'd0;
    sum_reserved = 32'd0;
    sum_owed = 32'd0;
    sum_beyond = 32'd0;
    sum_after = 32'd0;
    admit = 1'b1;
    for (k = 0; k < VLS; k = k + 1) begin
      consumed = twin_lane_consumed[16*k +: 16];
      returned = twin_lane_returned[16*k +: 16];
      reserved = twin_lane_reserved[16*k +: 16];
      cap = twin_lane_cap[16*k +: 16];
      need = twin_lane_need[16*k +: 16];
      lacks = {16'd0, twin_lane_lacks[16*k +: 16]};
      used = minus(consumed, returned);
      owed = minus(consumed, twin_lane_settled[16*k +: 16]);
      beyond = over(used, reserved);
      sum_used = sum_used + used;
      sum_reserved = sum_reserved + reserved;
      sum_owed = sum_owed + owed;
      sum_beyond = sum_beyond + beyond;
      if (at >= k + 2) begin
        lanes[k] = u_consumed_consume_lut_mem[W*k +: W] == consumed
                   && u_consumed_return_lut_mem[W*k +: W] == consumed
                   && u_consumed_lut_mem[W*k +: W] == consumed
                   && u_returned_return_lut_mem[W*k +: W] == returned
                   && u_returned_lut_mem[W*k +: W] == returned
                   && u_reserved_lut_mem[W*k +: W] == reserved
                   && u_reserved_cfg_lut_mem[W*k +: W] == reserved
                   && u_cap_lut_mem[W*k +: W] == cap
                   && u_need_lut_mem[SIZE_W*k +: SIZE_W] == need
                   && u_need_consume_lut_mem[SIZE_W*k +: SIZE_W] == need;
      end else begin
        lanes[k] = consumed == 16'd0 && returned == 16'd0 && reserved == RESERVED_16
                   && cap == UNITS_16 && need == NEED_16;
      end
      lanes[k] = lanes[k]
                 && ((at >= k + 3) ? u_settled_lut_mem[W*k +: W] == twin_lane_settled[16*k +: 16]
                                   : twin_lane_settled[16*k +: 16] == 16'd0 && consumed == 16'd0);
      // A later visit settles more, and none more than what is consumed.
      held_1 = (used_valid_q && used_vl_q == k) ? minus(consumed, settles_1) : beyond;
      held_2 = (judge_q && judge_vl_q == k) ? minus(consumed, settles_2) : held_1;
      order[k] = beyond <= held_1 && held_1 <= held_2 && held_2 <= owed;
      // A visit that is in force has seen what is, but for units that came back.
      force_0 = read_q && read_hot_q[k];
      force_1 = compare_hot_q[k];
      force_2 = judge_hot_q[k];
      seen[k] = (!force_1 || (twin_visit_seen_consumed[16+:16] == consumed
                              && twin_visit_seen_reserved[16+:16] == reserved
                              && twin_visit_seen_cap[16+:16] == cap
                              && twin_visit_seen_need[16+:16] == need && used <= used_1))
                && (!force_2 || (twin_visit_seen_consumed[32+:16] == consumed
                                 && twin_visit_seen_reserved[32+:16] == reserved
                                 && twin_visit_seen_cap[32+:16] == cap
                                 && twin_visit_seen_need[32+:16] == need && used <= used_2))
                && (!(force_1 || force_2 || sure_q[k] || ask_q[k]) || force_0
                    || !(read_q && read_vl_q == k))
                && (!(force_2 || sure_q[k] || ask_q[k]) || force_1
                    || !(used_valid_q && used_vl_q == k))
                && (!(sure_q[k] || ask_q[k]) || force_2 || !(judge_q && judge_vl_q == k))
                && (!(force_0 || force_1 || force_2 || sure_q[k] || ask_q[k])
                    || (!(taken && twin_event_consume_vl == k)
                        && !(twin_event_need != 8'd0 && twin_event_need_vl == k) && !is_cfg));
      // A verdict that holds yet.
      open[k] = (!sure_q[k] || (need != 16'd0 && used + need <= cap && used + need <= reserved
                                && owed == 32'd0 && !ask_q[k]))
                && (!ask_q[k] || (need != 16'd0 && used + need <= cap
                                  && lacks == short_q[SIZE_W*k +: SIZE_W]
                                  && used + need <= reserved + owed + lacks + 32'd1
                                  && lacks + 32'd1 <= need && need <= lacks + 32'd1 + reserved));
      caps[k] = used <= cap;
      admitted = taken && twin_event_consume_vl == k && fit_q[k] && twin_event_size_ok != 8'd0;
      after = admitted ? used + consume_size_q : used;
      sum_after = sum_after + over(after, reserved);
      if (admitted && (after > cap || owed + consume_size_q > MOST || consume_size_q == 0))
        admit = 1'b0;
      fits[k] = sure_q[k] || (ask_q[k] && !twin_pool[31] && lacks < twin_pool);
    end
  end
  assign lanes_o = &lanes;
  assign order_o = &order;
  assign seen_o = &seen;
  assign open_o = &open;

  wire legal = !twin_size[31] && twin_units <= MAX_UNITS;
  wire settled = !is_cfg && !back_is_cfg_q;
  assign within_o = (&caps) && (sum_used == 32'd0 || (legal && settled && sum_beyond <= twin_size));
  wire [31:0] charged = consume_q ? {{(32 - SIZE_W) {1'b0}}, consume_size_q} : 32'd0;
  assign admit_o = (consume_hot_q & fit_q) == NONE || twin_event_size_ok == 8'd0
                   || (admit && legal && settled && sum_after <= twin_size);

  // As many bits are enough for what the pool may be while the limits are wrong.
  wire [W+5:0] refund = back_is_cfg_q ? {(W + 6) {1'b0}} : back[W+5:0];
  // `sum`: the size is the free pool and all that is on its way. In a cycle units go from the pool
  // to the charge, from there to the lanes or back, from the lanes to the gain and to the pool.
  wire [W+5:0] cfg_gain = back_is_cfg_q ? back[W+5:0] : {(W + 6) {1'b0}};
  wire [W+5:0] with_gain = twin_pool[W+5:0] + (gain_q + refund);
  wire [W+5:0] with_charge = charged[W+5:0] + sum_owed[W+5:0];
  wire [W+5:0] in_pool = twin_pool[W+5:0] + charged[W+5:0];
  wire [W+5:0] in_lanes = (gain_q + refund) + sum_owed[W+5:0];
  reg [W+5:0] kept_pool_q;
  reg [W+5:0] kept_lanes_q;
  reg [W+5:0] kept_cfg_q;
  always @(posedge clk_i) begin
    kept_pool_q <= rst_i ? FREE_C : with_gain;
    kept_lanes_q <= rst_i ? {(W + 6) {1'b0}} : with_charge;
    kept_cfg_q <= rst_i ? {(W + 6) {1'b0}} : cfg_gain;
  end
  assign counts_o = twin_units == units_q
                    && twin_size == {{(26 - W) {size_q[W+5]}}, size_q}
                    && twin_size + (back_is_cfg_q ? back : 32'd0) == twin_units - sum_reserved
                    && twin_pool[W+2:0] == pool_q && twin_gain == gain_q
                    && twin_pool == {{(26 - W) {twin_pool[W+5]}}, twin_pool[W+5:0]};
  assign total_o = twin_total == total_q
                   && twin_total == sum_used - twin_take + {31'd0, give_q};
  assign pool_o = in_pool == kept_pool_q + kept_cfg_q;
  assign owed_o = in_lanes == kept_lanes_q;
  assign kept_o = (kept_pool_q + kept_lanes_q) + kept_cfg_q == size_q;
  assign parts_o = in_pool + in_lanes == size_q;
  assign sum_o = with_gain + with_charge == size_q;

  // ---- visits and verdicts ----------------------------------------------------------------------

  wire [VLS-1:0] hot_0 = (read_q && twin_visit_in_force[0]) ? 32'd1 << twin_visit_vl[7:0] : NONE;
  wire [VLS-1:0] hot_1 = (used_valid_q && twin_visit_in_force[8]) ? 32'd1 << twin_visit_vl[15:8]
                                                                  : NONE;
  wire [VLS-1:0] hot_2 = (judge_q && twin_visit_in_force[16]) ? 32'd1 << twin_visit_vl[23:16]
                                                              : NONE;
  wire [16:0] spare = {1'b0, twin_visit_seen_reserved[32+:16]} - {1'b0, used_2[15:0]};
  wire [15:0] left = twin_visit_seen_cap[32+:16] - used_2[15:0];
  wire [15:0] beyond_2 = twin_visit_seen_returned[32+:16] + twin_visit_seen_reserved[32+:16];
  assign visits_o = twin_visit_valid == {7'd0, judge_q, 7'd0, used_valid_q, 7'd0, read_q}
                    && (twin_visit_in_force & 24'hfefefe) == 24'd0 && twin_visit_spent == 24'd0
                    && {read_spent_q, compare_spent_q, judge_spent_q} == 3'd0
                    && read_hot_q == hot_0 && compare_hot_q == hot_1 && judge_hot_q == hot_2
                    && (!read_q || (twin_visit_vl[7:0] == read_vl_q && read_vl_q < ALL_VLS))
                    && (read_q || {read_vl_q, twin_visit_vl[7:0]} == 13'd0)
                    && (used_valid_q || {used_vl_q, twin_visit_vl[15:8]} == 13'd0)
                    && (used_valid_q || used_q == {W{1'b0}})
                    && (!used_valid_q
                        || (twin_visit_vl[15:8] == used_vl_q && used_vl_q < ALL_VLS
                            && used_q == used_1 && used_1 <= twin_visit_seen_cap[16+:16]
                            && twin_visit_seen_consumed[16+:16] == compare_consumed_q
                            && twin_visit_seen_returned[16+:16] == compare_returned_q
                            && twin_visit_seen_reserved[16+:16] == compare_reserved_q
                            && twin_visit_seen_cap[16+:16] == compare_cap_q
                            && twin_visit_seen_need[16+:16] == compare_need_q))
                    && (!judge_q
                        || (twin_visit_vl[23:16] == judge_vl_q && twin_visit_vl[23:16] < ALL_VLS
                            && used_2 <= twin_visit_seen_cap[32+:16]
                            && twin_visit_seen_consumed[32+:16] == judge_consumed_q
                            && twin_visit_seen_returned[32+:16] <= MOST
                            && twin_visit_seen_reserved[32+:16] <= MOST
                            && twin_visit_seen_cap[32+:16] <= MOST
                            && spare[W:0] == judge_spare_q && left[W-1:0] == judge_left_q
                            && beyond_2[W-1:0] == judge_beyond_q
                            && twin_visit_seen_need[32+:16] == judge_need_q));

  reg [31:0] position;
  integer v;
  always @* begin
    position = 32'd0;
    for (v = 0; v < VLS; v = v + 1) begin
      if (u_arbiter_last_q[v]) position = (v == VLS - 1) ? 32'd0 : v + 1;
    end
  end
  assign verdicts_o = twin_sure == sure_q && twin_ask == ask_q && twin_fit == fit_q
                      && twin_room == room_q && twin_dirty == dirty_q && twin_wide == 32'd0
                      && twin_fresh == 32'd0 && (room_q & ~fit_q) == NONE
                      && twin_position == position
                      && u_arbiter_last_q < (32'd1 << VLS)
                      && (u_arbiter_last_q & (u_arbiter_last_q - 1'b1)) == {(VLS+3)/4*4{1'b0}};

  // ---- configuration ----------------------------------------------------------------------------

  // Writes are taken while nothing is held, and no lane is open until all follows from them.
  wire [VLS-1:0] in_force = compare_hot_q | judge_hot_q;
  assign cfg_o = (!idle_q || (twin_total == 32'd0 && sum_used == 32'd0 && take_q == {SIZE_W{1'b0}}
                              && !consume_q))
                 && (!is_cfg || (sum_used == 32'd0 && !consume_q && take_q == {SIZE_W{1'b0}}
                                 && (in_force | read_hot_q | sure_q | ask_q | room_q) == NONE))
                 && (!back_is_cfg_q || (sum_used == 32'd0
                                        && (in_force | sure_q | ask_q | fit_q) == NONE))
                 && (config_ok_q == legal || judge_hot_q == NONE)
                 && ((sure_q | ask_q) == NONE || (legal && settled))
                 && (fit_q == NONE || (legal && !back_is_cfg_q));

  // ---- what the twin leaves out -----------------------------------------------------------------

  wire no_event = {consume_q, return_q, ignored_q, is_cfg} == 4'd0 && twin_event_need == 8'd0;
  wire applied = take_q == {SIZE_W{1'b0}} && !give_q && back == 32'd0 && !back_is_cfg_q
                 && !error_q;
  assign rests_o = twin_settling <= 8'd8 && twin_acts <= 8'd3
                   && (ready_q || twin_settling == 8'd8)
                   && (twin_acts > 8'd2 || no_event)
                   && (twin_acts > 8'd1 || applied)
                   && (twin_acts > 8'd0 || config_ok_q == legal)
                   && (twin_acts > 8'd2 || room_q == fit_q)
                   && (twin_settling > 8'd7 || (twin_acts <= 8'd2 && dirty_q == NONE && !read_q))
                   && (twin_settling > 8'd6 || (twin_acts <= 8'd1 && !used_valid_q))
                   && (twin_settling > 8'd5 || (twin_acts == 8'd0 && !judge_q))
                   && (twin_settling > 8'd4 || gain_q == {W{1'b0}})
                   && (twin_settling > 8'd4 || idle_q == (total_q == {W{1'b0}}))
                   && (twin_settling > 8'd3 || twin_moved == 8'd0)
                   && (twin_moved != 8'd0 || fit_q == fits);

endmodule

`default_nettype wire
