// SPDX-License-Identifier: Apache-2.0

// loom_credit_tracker: counts the units that each VL has in use in a buffer that the VLs share.
//
// Contract: consume_ok_o is combinational; the caller takes the units exactly when it is 1. A
//   return of a VL without units in use, or a configuration write while any unit is in use, is
//   ignored and reported.
// Algorithm: OP-06. A VL may use its reserve and, up to its cap, what is free of the pool of the
//   rest: avail = min(cap - used, max(reserved - used, 0) + total - reserved_sum - pool_used).
// Latency: one cycle from a consume or a return to used_o and avail_o. One of each every cycle.
// Wait bound: none inside; a VL below its reserve and its cap is never refused, whatever the others
//   hold.
// Parameters: VLS (1..32), COUNT_W (bits of a count, 4..16), SIZE_W (bits of a size, 1..12), and
//   the configuration after reset: UNITS (total and each cap), MAX_UNITS (the most that total may
//   be), RESERVED (each reserve); VLS * RESERVED <= UNITS <= MAX_UNITS < 2^COUNT_W.
// Realises: OP-06, OP-05; probe pool_used.
// Page: docs/parts.md, section credit_tracker.
`default_nettype none
`include "loom_assert.vh"
`include "loom_regs.vh"

module loom_credit_tracker #(
  parameter integer VLS       = 8,
  parameter integer COUNT_W   = 12,
  parameter integer SIZE_W    = 8,
  parameter integer UNITS     = 1024,
  parameter integer MAX_UNITS = 1024,
  parameter integer RESERVED  = 16
) (
  input  wire                   clk_i,
  input  wire                   rst_i,
  input  wire                   cfg_we_i,
  input  wire [6:0]             cfg_addr_i,
  input  wire [COUNT_W-1:0]     cfg_data_i,
  input  wire                   consume_valid_i,
  input  wire [4:0]             consume_vl_i,
  input  wire [SIZE_W-1:0]      consume_size_i,
  output wire                   consume_ok_o,
  input  wire                   return_valid_i,
  input  wire [4:0]             return_vl_i,
  output wire [VLS*COUNT_W-1:0] avail_o,
  output wire [VLS*COUNT_W-1:0] used_o,
  output wire                   config_ok_o,
  output wire                   error_o
);

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_credit_tracker_VLS_must_be_1_to_32 u_error ();
    end
    if (COUNT_W < 4 || COUNT_W > 16) begin : g_bad_count_w
      loom_credit_tracker_COUNT_W_must_be_4_to_16 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_credit_tracker_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > UNITS || UNITS < 1 || UNITS > MAX_UNITS)
    begin : g_bad_units
      loom_credit_tracker_UNITS_must_hold_all_RESERVED_and_fit_MAX_UNITS u_error ();
    end
    if (MAX_UNITS >= (1 << COUNT_W)) begin : g_bad_max_units
      loom_credit_tracker_MAX_UNITS_must_be_below_2_to_COUNT_W u_error ();
    end
  endgenerate

  localparam integer SUM_W = COUNT_W + 5;                             // 32 reserves fit
  localparam integer CMP_W = (SIZE_W > COUNT_W) ? SIZE_W : COUNT_W;
  localparam integer SUM_I = VLS * RESERVED;
  localparam [COUNT_W-1:0] UNITS_C = UNITS[COUNT_W-1:0];
  localparam integer OVER_I = MAX_UNITS + 1;
  localparam [COUNT_W:0] OVER_C = OVER_I[COUNT_W:0];
  localparam [COUNT_W-1:0] RESERVED_C = RESERVED[COUNT_W-1:0];
  localparam [SUM_W-1:0] SUM_C = SUM_I[SUM_W-1:0];
  localparam [COUNT_W-1:0] ZERO = 0;
  localparam [COUNT_W-1:0] ONE = 1;
  localparam [VLS-1:0] HOT0 = 1;

  reg [VLS*COUNT_W-1:0] used_q;
  reg [VLS*COUNT_W-1:0] reserved_q;
  reg [VLS*COUNT_W-1:0] cap_q;
  reg [COUNT_W-1:0] total_q;
  reg [COUNT_W-1:0] pool_used_q;
  reg [SUM_W-1:0] reserved_sum_q;
  reg error_q;

  // The pool. total - reserved_sum >= pool_used whenever the configuration is legal.
  wire config_ok = reserved_sum_q <= {5'd0, total_q} && {1'b0, total_q} < OVER_C;
  wire [COUNT_W-1:0] pool_size = total_q - reserved_sum_q[COUNT_W-1:0];
  wire [COUNT_W-1:0] pool_free = config_ok ? pool_size - pool_used_q : ZERO;

  // Consume.
  wire [VLS-1:0] consume_hot = HOT0 << consume_vl_i;
  wire [COUNT_W-1:0] c_used;
  wire [COUNT_W-1:0] c_reserved;
  wire [COUNT_W-1:0] c_cap;
  wire [COUNT_W-1:0] c_room = c_cap - c_used;
  wire [COUNT_W-1:0] c_reserve = (c_reserved > c_used) ? c_reserved - c_used : ZERO;
  wire [COUNT_W-1:0] c_share = c_reserve + pool_free;
  wire [CMP_W-1:0] size;
  generate
    if (CMP_W > SIZE_W) begin : g_pad_size
      assign size = {{(CMP_W - SIZE_W){1'b0}}, consume_size_i};
    end else begin : g_size
      assign size = consume_size_i;
    end
  endgenerate
  wire size_fits;
  generate
    if (CMP_W > COUNT_W) begin : g_pad_avail
      assign size_fits = size[CMP_W-1:COUNT_W] == {(CMP_W - COUNT_W){1'b0}};
    end else begin : g_avail
      assign size_fits = 1'b1;
    end
  endgenerate
  wire [COUNT_W-1:0] take = size[COUNT_W-1:0];
  wire consume_ok = consume_valid_i && !cfg_we_i && config_ok && consume_hot != {VLS{1'b0}}
                    && size_fits && take != ZERO && take <= c_room && take <= c_share;
  wire [COUNT_W-1:0] pool_take = (take > c_reserve) ? take - c_reserve : ZERO;

  // Return. The pool gets its unit back if the VL, this cycle's consume included, is above its
  // reserve.
  wire [VLS-1:0] return_hot = HOT0 << return_vl_i;
  wire [COUNT_W-1:0] r_used;
  wire [COUNT_W-1:0] r_reserved;
  wire r_ok = return_valid_i && r_used != ZERO;
  wire r_same = consume_ok && return_hot == consume_hot;
  wire [COUNT_W-1:0] r_after = r_same ? r_used + take : r_used;
  wire r_pool = r_ok && r_after > r_reserved;

  // Configuration.
  wire [VLS-1:0] cfg_hot = HOT0 << cfg_addr_i[4:0];
  wire cfg_is_total = cfg_addr_i == `LOOM_TRACKER_REG_TOTAL;
  wire cfg_known = cfg_is_total || (!cfg_addr_i[6] && cfg_hot != {VLS{1'b0}});
  wire idle = used_q == {VLS{ZERO}};
  wire cfg_ok = cfg_we_i && idle;
  wire cfg_reserved = cfg_ok && `LOOM_IS_TRACKER_REG_RESERVED(cfg_addr_i);
  wire cfg_cap = cfg_ok && `LOOM_IS_TRACKER_REG_CAP(cfg_addr_i);
  wire [COUNT_W-1:0] cfg_old;

  // What the VL of each of the three has.
  loom_credit_tracker_lane #(.VLS(VLS), .COUNT_W(COUNT_W)) u_c_used (
    .lanes_i(used_q), .hot_i(consume_hot), .lane_o(c_used)
  );
  loom_credit_tracker_lane #(.VLS(VLS), .COUNT_W(COUNT_W)) u_c_reserved (
    .lanes_i(reserved_q), .hot_i(consume_hot), .lane_o(c_reserved)
  );
  loom_credit_tracker_lane #(.VLS(VLS), .COUNT_W(COUNT_W)) u_c_cap (
    .lanes_i(cap_q), .hot_i(consume_hot), .lane_o(c_cap)
  );
  loom_credit_tracker_lane #(.VLS(VLS), .COUNT_W(COUNT_W)) u_r_used (
    .lanes_i(used_q), .hot_i(return_hot), .lane_o(r_used)
  );
  loom_credit_tracker_lane #(.VLS(VLS), .COUNT_W(COUNT_W)) u_r_reserved (
    .lanes_i(reserved_q), .hot_i(return_hot), .lane_o(r_reserved)
  );
  loom_credit_tracker_lane #(.VLS(VLS), .COUNT_W(COUNT_W)) u_cfg_old (
    .lanes_i(reserved_q), .hot_i(cfg_hot), .lane_o(cfg_old)
  );

  integer i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      used_q <= {VLS{ZERO}};
      reserved_q <= {VLS{RESERVED_C}};
      cap_q <= {VLS{UNITS_C}};
      total_q <= UNITS_C;
      pool_used_q <= ZERO;
      reserved_sum_q <= SUM_C;
      error_q <= 1'b0;
    end else begin
      if (consume_ok || r_ok) begin
        pool_used_q <= pool_used_q + (consume_ok ? pool_take : ZERO) - (r_pool ? ONE : ZERO);
        for (i = 0; i < VLS; i = i + 1) begin
          used_q[i*COUNT_W +: COUNT_W] <= used_q[i*COUNT_W +: COUNT_W]
              + ((consume_ok && consume_hot[i]) ? take : ZERO)
              - ((r_ok && return_hot[i]) ? ONE : ZERO);
        end
      end
      if (cfg_ok) begin
        for (i = 0; i < VLS; i = i + 1) begin
          if (cfg_reserved && cfg_hot[i]) reserved_q[i*COUNT_W +: COUNT_W] <= cfg_data_i;
          if (cfg_cap && cfg_hot[i]) cap_q[i*COUNT_W +: COUNT_W] <= cfg_data_i;
        end
        if (cfg_is_total) total_q <= cfg_data_i;
        if (cfg_reserved && cfg_known) begin
          reserved_sum_q <= reserved_sum_q - {5'd0, cfg_old} + {5'd0, cfg_data_i};
        end
      end
      error_q <= (return_valid_i && !r_ok) || (cfg_we_i && cfg_known && !idle);
    end
  end

  // What each VL could take now.
  generate
    genvar g;
    for (g = 0; g < VLS; g = g + 1) begin : g_avail_lane
      wire [COUNT_W-1:0] v_used = used_q[g*COUNT_W +: COUNT_W];
      wire [COUNT_W-1:0] v_reserved = reserved_q[g*COUNT_W +: COUNT_W];
      wire [COUNT_W-1:0] v_room = cap_q[g*COUNT_W +: COUNT_W] - v_used;
      wire [COUNT_W-1:0] v_share = ((v_reserved > v_used) ? v_reserved - v_used : ZERO) + pool_free;
      assign avail_o[g*COUNT_W +: COUNT_W] =
          !config_ok ? ZERO : (v_room < v_share) ? v_room : v_share;
    end
  endgenerate

  assign consume_ok_o = consume_ok;
  assign used_o = used_q;
  assign config_ok_o = config_ok;
  assign error_o = error_q;

  `LOOM_ASSERT(pool_not_overdrawn, !config_ok || pool_used_q <= pool_size)
  `LOOM_ASSERT(takes_no_more_than_there_is, !consume_ok || (take <= c_room && take <= c_share))
  `LOOM_ASSERT(nothing_in_use_before_configuration_changes, !cfg_ok || pool_used_q == ZERO)

endmodule

`default_nettype wire
