// SPDX-License-Identifier: Apache-2.0

// loom_sched_dtable: output scheduler with a deficit table: its entries {key, weight} are served in
//   turn, and what a key could not use of its weight is kept for its next turn.
//
// Contract: the interface of all schedulers (docs/sched.md, Interface). Weights of at least the
//   packet size make every DECIDE grant.
// Algorithm: a search for the next entry whose key is active, then a comparison of its weight and
//   deficit with the packet at its head (docs/sched.md, sched_dtable).
// Latency: inputs of cycle c - 1, request in c, grant in c + 2; a grant every 2 cycles.
// Wait bound: an active key with an entry is selected within ENTRIES selections. A deficit is at
//   most the largest size - 1, the accumulator at most the largest weight + the largest size - 1.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), CREDIT_W (bits of a credit count, 4..16), ENTRIES (1..128), IB_WEIGHTS (1:
//   accumulator and deficits of 8 bits that saturate, for InfiniBand tables).
// Realises: DT-01, DT-02, DT-03, DT-04, DT-11, IB-02, OP-18, OP-19, OP-20.
// Page: docs/sched.md, section sched_dtable.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_sched_dtable #(
  parameter integer VLS        = 16,
  parameter integer KEYS       = 32,
  parameter integer ARB_KEY    = 1,
  parameter integer MGMT_VL    = 15,
  parameter integer SIZE_W     = 10,
  parameter integer CREDIT_W   = 12,
  parameter integer ENTRIES    = 128,
  parameter integer IB_WEIGHTS = 0
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
      loom_sched_dtable_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_sched_dtable_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_sched_dtable_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_sched_dtable_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_sched_dtable_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_sched_dtable_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (CREDIT_W < 4 || CREDIT_W > 16) begin : g_bad_credit_w
      loom_sched_dtable_CREDIT_W_must_be_4_to_16 u_error ();
    end
    if (ENTRIES < 1 || ENTRIES > 128) begin : g_bad_entries
      loom_sched_dtable_ENTRIES_must_be_1_to_128 u_error ();
    end
    if (IB_WEIGHTS < 0 || IB_WEIGHTS > 1) begin : g_bad_ib_weights
      loom_sched_dtable_IB_WEIGHTS_must_be_0_to_1 u_error ();
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

  localparam integer EW = (ENTRIES > 1) ? $clog2(ENTRIES) : 1;
  // holds every size, weight and their sums here
  localparam integer WIDE = ((SIZE_W > 8) ? SIZE_W : 8) + 1;
  localparam integer ACC_W = (IB_WEIGHTS != 0) ? 8 : WIDE;
  localparam [31:0] LAST_ENTRY = ENTRIES - 1;
  localparam [7:0] ALL_ENTRIES = ENTRIES[7:0];
  localparam [5:0] ALL_KEYS = KEYS[5:0];

  // The table and the state.
  reg [4:0] entry_key_q[0:ENTRIES-1];
  reg [7:0] entry_weight_q[0:ENTRIES-1];
  reg [ENTRIES-1:0] live_q;  // weight > 0 and key < KEYS
  reg [ACC_W-1:0] deficit_q[0:KEYS-1];
  reg [ACC_W-1:0] acc_q;
  reg cur_valid_q;
  reg [4:0] cur_q;
  reg [6:0] ptr_q;
  wire [KW-1:0] cur = cur_q[KW-1:0];
  wire cur_active = cur_valid_q && active[cur];

  // SEARCH: the next entry, and the VL with which the selected key would go on.
  wire [ENTRIES-1:0] hit;
  genvar g;
  generate
    for (g = 0; g < ENTRIES; g = g + 1) begin : g_entry
      assign hit[g] = live_q[g] && active[entry_key_q[g][KW-1:0]];
    end
  endgenerate

  wire next_valid_d = |hit;
  wire [EW-1:0] next_d;

  loom_sched_search #(
    .N(ENTRIES),
    .W(EW)
  ) u_search (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(hit),
    .from_i(ptr_q[EW-1:0]),
    .after_i(1'b1),
    .index_o(next_d)
  );

  assign found = next_valid_d || cur_active;

  reg next_valid_q;
  reg [EW-1:0] next_q;
  reg [KW-1:0] next_key_q;
  reg [7:0] next_weight_q;
  reg [VW-1:0] keep_vl_q;
  reg [SIZE_W-1:0] keep_size_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      next_valid_q <= 1'b0;
      next_q <= {EW{1'b0}};
      next_key_q <= {KW{1'b0}};
      next_weight_q <= 8'd0;
      keep_vl_q <= {VW{1'b0}};
      keep_size_q <= {SIZE_W{1'b0}};
    end else if (search) begin
      next_valid_q <= next_valid_d;
      next_q <= next_d;
      next_key_q <= entry_key_q[next_d][KW-1:0];
      next_weight_q <= entry_weight_q[next_d];
      keep_vl_q <= vl;
      keep_size_q <= size;
    end
  end

  // DECIDE: go on with the selected key, or drop it and try the next entry.
  wire [WIDE-1:0] acc = {{(WIDE - ACC_W) {1'b0}}, acc_q};
  wire [WIDE-1:0] keep_size = {{(WIDE - SIZE_W) {1'b0}}, keep_size_q};
  wire [WIDE-1:0] next_size = {{(WIDE - SIZE_W) {1'b0}}, size};
  wire stay = cur_active && keep_size <= acc;
  wire drop = cur_valid_q && !stay;
  wire [ACC_W-1:0] dropped = cur_active ? acc_q : {ACC_W{1'b0}};

  wire [ACC_W-1:0] old = (drop && cur == next_key_q) ? dropped : deficit_q[next_key_q];
  wire [WIDE-1:0] sum = {{(WIDE - ACC_W) {1'b0}}, old} + {{(WIDE - 8) {1'b0}}, next_weight_q};
  wire [WIDE-1:0] base = (IB_WEIGHTS != 0 && |sum[WIDE-1:8]) ? {{(WIDE - 8) {1'b0}}, 8'hFF} : sum;
  wire try = decide && !stay && next_valid_q;
  wire select = try && next_size <= base;

  wire [ACC_W-1:0] minuend = stay ? acc_q : base[ACC_W-1:0];
  wire [ACC_W-1:0] subtrahend = stay ? keep_size[ACC_W-1:0] : next_size[ACC_W-1:0];
  wire [ACC_W-1:0] rest = minuend - subtrahend;

  integer k;
  always @(posedge clk_i) begin
    if (rst_i) begin
      for (k = 0; k < KEYS; k = k + 1) deficit_q[k] <= {ACC_W{1'b0}};
      acc_q <= {ACC_W{1'b0}};
      cur_valid_q <= 1'b0;
      cur_q <= 5'd0;
      ptr_q <= LAST_ENTRY[6:0];
    end else if (decide) begin
      if (drop) deficit_q[cur] <= dropped;
      if (try && !select) deficit_q[next_key_q] <= base[ACC_W-1:0];
      acc_q <= (stay || select) ? rest : {ACC_W{1'b0}};
      cur_valid_q <= stay || select;
      if (select) cur_q <= {{(5 - KW) {1'b0}}, next_key_q};
      if (try) ptr_q <= {{(7 - EW) {1'b0}}, next_q};
    end else if (search && !found && cur_valid_q) begin
      deficit_q[cur] <= {ACC_W{1'b0}};
      acc_q <= {ACC_W{1'b0}};
      cur_valid_q <= 1'b0;
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
    .key_i(phase_q ? next_key_q : cur),
    .keep_i(!phase_q),
    .fixed_i(1'b0),
    .fixed_vl_i({VW{1'b0}}),
    .vl_o(vl),
    .size_o(size),
    .grant_i(decide && (stay || select)),
    .grant_vl_i(stay ? keep_vl_q : vl),
    .grant_key_i(stay ? cur : next_key_q),
    .grant_size_i(stay ? keep_size_q : size)
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

  // The table seen by software. The InfiniBand images share the ports of the tables.
  wire in_entries = `LOOM_IS_DTABLE_REG_ENTRY(table_addr_i);
  wire in_high = `LOOM_IS_DTABLE_REG_IB_HIGH(table_addr_i);
  wire in_deficits = `LOOM_IS_DTABLE_REG_DEFICIT(table_addr_i);
  wire in_low = `LOOM_IS_DTABLE_REG_IB_LOW(table_addr_i);
  wire [6:0] row = {table_addr_i[6] && !table_addr_i[9], table_addr_i[5:0]};
  wire [5:0] column = {1'b0, table_addr_i[4:0]};
  wire row_ok = {1'b0, row} < ALL_ENTRIES;
  wire column_ok = column < ALL_KEYS;

  wire [4:0] new_key = table_data_i[`LOOM_ENTRY_KEY];
  wire [7:0] new_weight = table_data_i[`LOOM_ENTRY_WEIGHT];
  wire [4:0] row_key = entry_key_q[row[EW-1:0]];
  wire [7:0] row_weight = entry_weight_q[row[EW-1:0]];
  wire [WIDE-1:0] deficit = {{(WIDE - ACC_W) {1'b0}}, deficit_q[column[KW-1:0]]};
  wire [7:0] deficit_8 = |deficit[WIDE-1:8] ? 8'hFF : deficit[7:0];
  wire [7:0] acc_8 = |acc[WIDE-1:8] ? 8'hFF : acc[7:0];

  integer e;
  integer f;
  always @(posedge clk_i) begin
    if (rst_i) begin
      for (e = 0; e < ENTRIES; e = e + 64) begin
        for (f = 0; f < 64; f = f + 1) begin
          if (e + f < ENTRIES) begin
            entry_key_q[e+f] <= 5'd0;
            entry_weight_q[e+f] <= 8'd0;
          end
        end
      end
      live_q <= {ENTRIES{1'b0}};
    end else if (table_we_i && in_entries && row_ok) begin
      entry_key_q[row[EW-1:0]] <= new_key;
      entry_weight_q[row[EW-1:0]] <= new_weight;
      live_q[row[EW-1:0]] <= |new_weight && {1'b0, new_key} < ALL_KEYS;
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) table_rdata_o <= 32'd0;
    else if (in_entries && row_ok) table_rdata_o <= {19'd0, row_key, row_weight};
    else if (in_high && row_ok) table_rdata_o <= {20'd0, row_key[3:0], row_weight};
    else if (in_deficits && column_ok) table_rdata_o <= {{(32 - WIDE) {1'b0}}, deficit};
    else if (in_low && column_ok) table_rdata_o <= {24'd0, deficit_8};
    else if (table_addr_i == `LOOM_DTABLE_REG_ACC) table_rdata_o <= {{(32 - WIDE) {1'b0}}, acc};
    else if (table_addr_i == `LOOM_DTABLE_REG_PTR) table_rdata_o <= {25'd0, ptr_q};
    else if (table_addr_i == `LOOM_DTABLE_REG_CUR) begin
      table_rdata_o <= {23'd0, cur_valid_q, 3'd0, cur_q};
    end else if (table_addr_i == `LOOM_DTABLE_REG_IB_ACC) table_rdata_o <= {24'd0, acc_8};
    else table_rdata_o <= 32'd0;
  end

  wire unused = &{1'b0, table_data_i[31:13]};

  `LOOM_ASSERT(position_in_table, {1'b0, ptr_q} < ALL_ENTRIES)

endmodule

`default_nettype wire
