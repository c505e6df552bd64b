// SPDX-License-Identifier: Apache-2.0

// loom_sched_ibarb: output scheduler, the arbiter of InfiniBand: a High and a Low table of entries
//   {key, weight}, where Low gets its turn after so many units of High as the limit says.
//
// Contract: the interface of all schedulers (docs/sched.md, Interface). Weights are rounded up to
//   whole packets or kept as deficits; a Low turn is an entry or a packet. In round-up mode every
//   DECIDE grants.
// Algorithm: which side's turn it is, then a search for the next entry of this side whose key is
//   active (docs/sched.md, sched_ibarb).
// Latency: inputs of cycle c - 1, request in c, grant in c + 2; a grant every 2 cycles.
// Wait bound: with a limit below 255 a Low turn comes after at most 64 * limit units of High plus
//   one packet; within a side an active key with an entry is selected within as many selections as
//   the side has entries.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), CREDIT_W (bits of a credit count, 4..16), N_HIGH, N_LOW (entries of the
//   tables, 1..128).
// Realises: IB-02, IB-03, IB-04, IB-05, IB-06, OP-18, OP-19, OP-20.
// Page: docs/sched.md, section sched_ibarb.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_sched_ibarb #(
  parameter integer VLS      = 16,
  parameter integer KEYS     = 32,
  parameter integer ARB_KEY  = 1,
  parameter integer MGMT_VL  = 15,
  parameter integer SIZE_W   = 10,
  parameter integer CREDIT_W = 12,
  parameter integer N_HIGH   = 64,
  parameter integer N_LOW    = 64
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
  output reg  [31:0]             table_rdata_o,

  output wire                    grant_valid_o,
  output wire [4:0]              grant_vl_o,
  output wire [4:0]              grant_key_o,
  output wire [SIZE_W-1:0]       grant_size_o
);

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_sched_ibarb_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_sched_ibarb_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_sched_ibarb_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_sched_ibarb_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_sched_ibarb_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_sched_ibarb_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (CREDIT_W < 4 || CREDIT_W > 16) begin : g_bad_credit_w
      loom_sched_ibarb_CREDIT_W_must_be_4_to_16 u_error ();
    end
    if (N_HIGH < 1 || N_HIGH > 128) begin : g_bad_n_high
      loom_sched_ibarb_N_HIGH_must_be_1_to_128 u_error ();
    end
    if (N_LOW < 1 || N_LOW > 128) begin : g_bad_n_low
      loom_sched_ibarb_N_LOW_must_be_1_to_128 u_error ();
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

  localparam integer HW = (N_HIGH > 1) ? $clog2(N_HIGH) : 1;
  localparam integer LW = (N_LOW > 1) ? $clog2(N_LOW) : 1;
  localparam integer N = (N_HIGH > N_LOW) ? N_HIGH : N_LOW;
  localparam integer EW = (HW > LW) ? HW : LW;
  localparam integer ACC_W = ((SIZE_W > 8) ? SIZE_W : 8) + 1;
  localparam [31:0] HIGH_LAST = N_HIGH - 1;
  localparam [31:0] LOW_LAST = N_LOW - 1;
  localparam [7:0] ALL_HIGH = N_HIGH[7:0];
  localparam [7:0] ALL_LOW = N_LOW[7:0];
  localparam [5:0] ALL_KEYS = KEYS[5:0];

  // The tables and the state.
  reg [4:0] high_table_key_q[0:N_HIGH-1];
  reg [7:0] high_table_weight_q[0:N_HIGH-1];
  reg [N_HIGH-1:0] high_live_q;  // weight > 0 and key < KEYS
  reg [4:0] low_table_key_q[0:N_LOW-1];
  reg [7:0] low_table_weight_q[0:N_LOW-1];
  reg [N_LOW-1:0] low_live_q;
  reg [7:0] limit_q;
  reg [1:0] mode_q;
  reg [6:0] high_entry_q;
  reg [6:0] low_entry_q;
  reg [KW-1:0] high_key_q;
  reg [KW-1:0] low_key_q;
  reg [ACC_W-1:0] high_left_q;
  reg [ACC_W-1:0] low_left_q;
  reg [ACC_W-1:0] high_deficit_q[0:KEYS-1];
  reg [ACC_W-1:0] low_deficit_q[0:KEYS-1];
  reg [13:0] sent_q;
  reg turn_q;

  // SEARCH: the side, its next entry, and the VL with which its entry in use would go on.
  wire [N_HIGH-1:0] high_hit;
  wire [N_LOW-1:0] low_hit;
  genvar g;
  generate
    for (g = 0; g < N_HIGH; g = g + 1) begin : g_high
      assign high_hit[g] = high_live_q[g] && active[high_table_key_q[g][KW-1:0]];
    end
    for (g = 0; g < N_LOW; g = g + 1) begin : g_low
      assign low_hit[g] = low_live_q[g] && active[low_table_key_q[g][KW-1:0]];
    end
  endgenerate

  wire next_high = |high_hit;
  wire next_low = |low_hit;
  wire cont_high = |high_left_q && active[high_key_q];
  wire cont_low = |low_left_q && active[low_key_q];
  wire any_high = cont_high || next_high;
  wire any_low = cont_low || next_low;

  wire due = limit_q != 8'hFF && |sent_q && sent_q >= {limit_q, 6'd0};
  wire due_or_turn_d = (turn_q && cont_low) || (due && any_low);
  wire side_d = due_or_turn_d || (!any_high && any_low);
  wire cont_d = side_d ? cont_low : cont_high;
  // The entry in use that can go on: known before the tables are searched.
  wire keep_low = cont_low && (!cont_high || turn_q || due);

  assign found = any_high || any_low;

  wire [EW-1:0] next_d;
  loom_sched_search #(
    .N(N),
    .W(EW)
  ) u_search (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(side_d ? {{(N - N_LOW) {1'b0}}, low_hit} : {{(N - N_HIGH) {1'b0}}, high_hit}),
    .from_i(side_d ? low_entry_q[EW-1:0] : high_entry_q[EW-1:0]),
    .after_i(1'b1),
    .index_o(next_d)
  );

  reg side_q;
  reg due_or_turn_q;
  reg cont_q;
  reg next_valid_q;
  reg [EW-1:0] next_q;
  reg [KW-1:0] next_key_q;
  reg [7:0] next_weight_q;
  reg [VW-1:0] keep_vl_q;
  reg [SIZE_W-1:0] keep_size_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      side_q <= 1'b0;
      due_or_turn_q <= 1'b0;
      cont_q <= 1'b0;
      next_valid_q <= 1'b0;
      next_q <= {EW{1'b0}};
      next_key_q <= {KW{1'b0}};
      next_weight_q <= 8'd0;
      keep_vl_q <= {VW{1'b0}};
      keep_size_q <= {SIZE_W{1'b0}};
    end else if (search) begin
      side_q <= side_d;
      due_or_turn_q <= due_or_turn_d;
      cont_q <= cont_d;
      next_valid_q <= side_d ? next_low : next_high;
      next_q <= next_d;
      next_key_q <= side_d ? low_table_key_q[next_d[LW-1:0]][KW-1:0]
          : high_table_key_q[next_d[HW-1:0]][KW-1:0];
      next_weight_q <= side_d ? low_table_weight_q[next_d[LW-1:0]]
          : high_table_weight_q[next_d[HW-1:0]];
      keep_vl_q <= vl;
      keep_size_q <= size;
    end
  end

  // DECIDE for the side.
  wire deficit_mode = mode_q[0];
  wire by_packet = mode_q[1];
  wire [KW-1:0] key = side_q ? low_key_q : high_key_q;
  wire [ACC_W-1:0] left = side_q ? low_left_q : high_left_q;
  wire [ACC_W-1:0] keep_size = {{(ACC_W - SIZE_W) {1'b0}}, keep_size_q};
  wire [ACC_W-1:0] next_size = {{(ACC_W - SIZE_W) {1'b0}}, size};

  wire keep_fits = keep_size <= left;
  wire stay = cont_q && (keep_fits || !deficit_mode);
  // deficit mode: what is left does not reach
  wire short = cont_q && !stay;
  wire turn_over = short && side_q && due_or_turn_q;
  // the VL of the entry in use has nothing to send
  wire idle = !cont_q && |left;
  wire close = deficit_mode && (short || idle);
  wire [ACC_W-1:0] closed = short ? left : {ACC_W{1'b0}};

  wire try = !stay && !turn_over && next_valid_q;
  wire [ACC_W-1:0] carried = side_q ? low_deficit_q[next_key_q] : high_deficit_q[next_key_q];
  wire [ACC_W-1:0] old = (close && key == next_key_q) ? closed : carried;
  wire [ACC_W-1:0] base = (deficit_mode ? old : {ACC_W{1'b0}})
      + {{(ACC_W - 8) {1'b0}}, next_weight_q};
  wire base_fits = next_size <= base;
  wire select = try && (base_fits || !deficit_mode);
  wire granted = stay || select;

  wire [ACC_W-1:0] minuend = stay ? left : base;
  wire [ACC_W-1:0] subtrahend = stay ? keep_size : next_size;
  wire [ACC_W-1:0] rest = minuend - subtrahend;
  wire rest_ok = granted && (stay ? keep_fits : base_fits);
  wire [ACC_W-1:0] left_d = rest_ok ? rest : {ACC_W{1'b0}};

  wire [SIZE_W-1:0] grant_size = stay ? keep_size_q : size;
  wire [14:0] sent_sum = {1'b0, sent_q} + {{(15 - SIZE_W) {1'b0}}, grant_size};

  integer k;
  always @(posedge clk_i) begin
    if (rst_i) begin
      for (k = 0; k < KEYS; k = k + 1) begin
        high_deficit_q[k] <= {ACC_W{1'b0}};
        low_deficit_q[k]  <= {ACC_W{1'b0}};
      end
      high_entry_q <= HIGH_LAST[6:0];
      low_entry_q <= LOW_LAST[6:0];
      high_key_q <= {KW{1'b0}};
      low_key_q <= {KW{1'b0}};
      high_left_q <= {ACC_W{1'b0}};
      low_left_q <= {ACC_W{1'b0}};
      sent_q <= 14'd0;
      turn_q <= 1'b0;
    end else if (decide && side_q) begin
      if (close) low_deficit_q[low_key_q] <= closed;
      if (deficit_mode && try) low_deficit_q[next_key_q] <= select ? {ACC_W{1'b0}} : base;
      if (try) begin
        low_entry_q <= {{(7 - EW) {1'b0}}, next_q};
        low_key_q   <= next_key_q;
      end
      low_left_q <= left_d;
      if (!turn_over) sent_q <= 14'd0;
      turn_q <= granted && due_or_turn_q && !by_packet;
    end else if (decide) begin
      if (close) high_deficit_q[high_key_q] <= closed;
      if (deficit_mode && try) high_deficit_q[next_key_q] <= select ? {ACC_W{1'b0}} : base;
      if (try) begin
        high_entry_q <= {{(7 - EW) {1'b0}}, next_q};
        high_key_q   <= next_key_q;
      end
      high_left_q <= left_d;
      if (granted) sent_q <= sent_sum[14] ? 14'h3FFF : sent_sum[13:0];
    end else if (search && !cont_low) begin
      turn_q <= 1'b0;
    end
  end

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
    .key_i(phase_q ? next_key_q : keep_low ? low_key_q : high_key_q),
    .keep_i(!phase_q),
    .fixed_i(1'b0),
    .fixed_vl_i({VW{1'b0}}),
    .vl_o(vl),
    .size_o(size),
    .grant_i(decide && granted),
    .grant_vl_i(stay ? keep_vl_q : vl),
    .grant_key_i(stay ? key : next_key_q),
    .grant_size_i(grant_size)
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

  // The tables seen by software.
  wire [6:0] row = table_addr_i[6:0];
  wire at_high = `LOOM_IS_IBARB_REG_HIGH(table_addr_i) && {1'b0, row} < ALL_HIGH;
  wire at_low = `LOOM_IS_IBARB_REG_LOW(table_addr_i) && {1'b0, row} < ALL_LOW;
  wire [4:0] new_key = table_data_i[`LOOM_ENTRY_KEY];
  wire [7:0] new_weight = table_data_i[`LOOM_ENTRY_WEIGHT];
  wire live = |new_weight && {1'b0, new_key} < ALL_KEYS;

  integer e;
  integer f;
  always @(posedge clk_i) begin
    if (rst_i) begin
      for (e = 0; e < 128; e = e + 64) begin
        for (f = 0; f < 64; f = f + 1) begin
          if (e + f < N_HIGH) begin
            high_table_key_q[e+f] <= 5'd0;
            high_table_weight_q[e+f] <= 8'd0;
          end
          if (e + f < N_LOW) begin
            low_table_key_q[e+f] <= 5'd0;
            low_table_weight_q[e+f] <= 8'd0;
          end
        end
      end
      high_live_q <= {N_HIGH{1'b0}};
      low_live_q <= {N_LOW{1'b0}};
      limit_q <= 8'd0;
      mode_q <= 2'd0;
    end else if (table_we_i) begin
      if (at_high) begin
        high_table_key_q[row[HW-1:0]] <= new_key;
        high_table_weight_q[row[HW-1:0]] <= new_weight;
        high_live_q[row[HW-1:0]] <= live;
      end
      if (at_low) begin
        low_table_key_q[row[LW-1:0]] <= new_key;
        low_table_weight_q[row[LW-1:0]] <= new_weight;
        low_live_q[row[LW-1:0]] <= live;
      end
      if (table_addr_i == `LOOM_IBARB_REG_LIMIT) begin
        limit_q <= table_data_i[`LOOM_IBARB_REG_LIMIT_LIMIT];
      end
      if (table_addr_i == `LOOM_IBARB_REG_MODE) begin
        mode_q[0] <= table_data_i[`LOOM_IBARB_REG_MODE_DEFICIT];
        mode_q[1] <= table_data_i[`LOOM_IBARB_REG_MODE_LOW_BY_PACKET];
      end
    end
  end

  wire [12:0] high_row = {high_table_key_q[row[HW-1:0]], high_table_weight_q[row[HW-1:0]]};
  wire [12:0] low_row = {low_table_key_q[row[LW-1:0]], low_table_weight_q[row[LW-1:0]]};
  always @(posedge clk_i) begin
    if (rst_i) table_rdata_o <= 32'd0;
    else if (at_high) table_rdata_o <= {19'd0, high_row};
    else if (at_low) table_rdata_o <= {19'd0, low_row};
    else if (table_addr_i == `LOOM_IBARB_REG_LIMIT) table_rdata_o <= {24'd0, limit_q};
    else if (table_addr_i == `LOOM_IBARB_REG_MODE) table_rdata_o <= {30'd0, mode_q};
    else if (table_addr_i == `LOOM_IBARB_REG_SENT) table_rdata_o <= {18'd0, sent_q};
    else if (table_addr_i == `LOOM_IBARB_REG_TURN) table_rdata_o <= {31'd0, turn_q};
    else if (table_addr_i == `LOOM_IBARB_REG_SELECTION_HIGH) begin
      table_rdata_o <= {9'd0, high_entry_q, {(16 - ACC_W) {1'b0}}, high_left_q};
    end else if (table_addr_i == `LOOM_IBARB_REG_SELECTION_LOW) begin
      table_rdata_o <= {9'd0, low_entry_q, {(16 - ACC_W) {1'b0}}, low_left_q};
    end else table_rdata_o <= 32'd0;
  end

  wire unused = &{1'b0, table_data_i[31:13]};

  `LOOM_ASSERT(position_in_high, {1'b0, high_entry_q} < ALL_HIGH)
  `LOOM_ASSERT(position_in_low, {1'b0, low_entry_q} < ALL_LOW)

endmodule

`default_nettype wire
