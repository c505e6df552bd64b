// SPDX-License-Identifier: Apache-2.0

// loom_two_table: output scheduler, the arbiter of InfiniBand with its tables in RAM: a High and a
//   Low table of entries {key, weight}, where Low gets its turn after so many units of High as the
//   limit says.
//
// Contract: a head event comes while ready_i of its VL is 0, and ready_i is 0 from the cycle after
//   a grant of the VL until its next head event. Only a VL whose ready_i was 1 two cycles before is
//   granted, with the size and key of its head event. served_o has the keys with an entry that has
//   a weight; a bit that falls stays 0 for one cycle or for 5 and more.
// Algorithm: the next entry of each table is searched ahead of need in the view of ready VLs. Four
//   steps, one a cycle, choose a table and its entry, look up what the key has, find its VL, and
//   compare the size; all state is small or in LUT RAM (docs/tables.md).
// Latency: request and ready_i in c, grant in c + 2, if the selection goes on or the next entry was
//   found; a grant every 5 cycles. Ready bit to grant when all was idle: 14 cycles. Sweep after
//   reset: max(N_HIGH, N_LOW, 2 * KEYS rounded up to a power of two) cycles.
// Wait bound: Low with a packet is next when High has sent 64 * limit units; an active key with an
//   entry is selected within N_HIGH or N_LOW selections of its table, unless keys turn active and
//   idle without pause. A VL with weight left is waited for until STAY_CYCLES cycles after its
//   grant, and others then go up to 7 cycles after that.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), N_HIGH, N_LOW (entries of the tables, 1..64), STAY_CYCLES (0..8, after its
//   grant a VL may be away so long).
// Realises: IB-02, IB-03, IB-04, IB-05, IB-06, OP-18, OP-19, OP-20.
// Page: docs/tables.md, section two_table.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_two_table #(
  parameter integer VLS         = 16,
  parameter integer KEYS        = 32,
  parameter integer ARB_KEY     = 1,
  parameter integer MGMT_VL     = 15,
  parameter integer SIZE_W      = 10,
  parameter integer N_HIGH      = 64,
  parameter integer N_LOW       = 64,
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
  output wire [KEYS-1:0]   served_o,

  output reg               grant_valid_o,
  output reg  [4:0]        grant_vl_o,
  output reg  [4:0]        grant_key_o,
  output reg  [SIZE_W-1:0] grant_size_o
);

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_two_table_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_two_table_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_two_table_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_two_table_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_two_table_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_two_table_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (N_HIGH < 1 || N_HIGH > 64) begin : g_bad_n_high
      loom_two_table_N_HIGH_must_be_1_to_64 u_error ();
    end
    if (N_LOW < 1 || N_LOW > 64) begin : g_bad_n_low
      loom_two_table_N_LOW_must_be_1_to_64 u_error ();
    end
    if (STAY_CYCLES < 0 || STAY_CYCLES > 8) begin : g_bad_stay_cycles
      loom_two_table_STAY_CYCLES_must_be_0_to_8 u_error ();
    end
  endgenerate

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;
  localparam integer N = (N_HIGH > N_LOW) ? N_HIGH : N_LOW;
  localparam integer EW = (N > 1) ? $clog2(N) : 1;
  localparam integer LOW_AT = 1 << EW;  // the first low entry among all entries
  localparam integer ENTRIES = LOW_AT + N_LOW;
  // a RAM has at least two words
  localparam integer V_WORDS = (VLS > 1) ? VLS : 2;
  localparam integer K_WORDS = (KEYS > 1) ? KEYS : 2;
  localparam integer ACC_W = ((SIZE_W > 8) ? SIZE_W : 8) + 1;
  localparam integer SWEEP = (N > 2 << KW) ? N : 2 << KW;
  localparam [31:0] HIGH_LAST = N_HIGH - 1;
  localparam [31:0] LOW_LAST = N_LOW - 1;
  localparam [31:0] LAST_VL = VLS - 1;
  localparam [6:0] ALL_HIGH = N_HIGH[6:0];
  localparam [6:0] ALL_LOW = N_LOW[6:0];
  localparam [31:0] SWEEP_END = SWEEP - 1;
  localparam [6:0] LAST_SWEPT = SWEEP_END[6:0];
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [5:0] ALL_VLS = VLS[5:0];
  localparam integer MGMT = (MGMT_VL < VLS) ? MGMT_VL : 0;
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [VLS-1:0] MGMT_HOT = (MGMT_VL < VLS) ? ONE_VL << MGMT : {VLS{1'b0}};
  localparam [2:0] PAUSE = 3'd4;
  localparam integer STAYS = ((STAY_CYCLES > 3) ? STAY_CYCLES : 3) + 1;
  localparam [3:0] STAY = STAYS[3:0];

  // The lowest VL of a set, and 0 for none.
  function [4:0] lowest;
    input [VLS-1:0] set;
    integer n;
    begin
      lowest = 5'd0;
      for (n = VLS - 1; n >= 0; n = n - 1) if (set[n]) lowest = n[4:0];
    end
  endfunction

  // ---- sweep ------------------------------------------------------------------------------------

  reg [6:0] sweep_q;
  reg swept_q;
  wire swept = swept_q;
  wire sweeping = !swept_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      sweep_q <= 7'd0;
      swept_q <= 1'b0;
    end else if (sweeping) begin
      sweep_q <= sweep_q + 7'd1;
      swept_q <= sweep_q == LAST_SWEPT;
    end
  end
  assign ready_o = swept;

  // ---- accesses of software ---------------------------------------------------------------------

  reg [1:0] write_step_q;
  reg [9:0] addr_q;
  assign busy_o = sweeping || write_step_q != 2'd0;
  wire may_write = table_we_i && !busy_o;
  wire [6:0] addr_row = {1'b0, table_addr_i[5:0]};
  wire to_high = `LOOM_IS_IBARB_REG_HIGH(table_addr_i) && !table_addr_i[6] && addr_row < ALL_HIGH;
  wire to_low = `LOOM_IS_IBARB_REG_LOW(table_addr_i) && !table_addr_i[6] && addr_row < ALL_LOW;
  wire write = may_write && (to_high || to_low);
  wire write_limit = may_write && table_addr_i == `LOOM_IBARB_REG_LIMIT;
  wire write_mode = may_write && table_addr_i == `LOOM_IBARB_REG_MODE;
  wire [6:0] write_at = {{(6 - EW) {1'b0}}, to_low, table_addr_i[EW-1:0]};

  reg [7:0] limit_q;
  reg limited_q;
  reg [1:0] mode_q;
  wire deficit_mode = mode_q[0];
  wire by_packet = mode_q[1];
  always @(posedge clk_i) begin
    if (rst_i) begin
      limit_q <= 8'd0;
      limited_q <= 1'b1;
      mode_q <= 2'd0;
      addr_q <= 10'd0;
    end else begin
      if (write_limit) begin
        limit_q <= table_data_i[`LOOM_IBARB_REG_LIMIT_LIMIT];
        limited_q <= table_data_i[`LOOM_IBARB_REG_LIMIT_LIMIT] != 8'hFF;
      end
      if (write_mode) begin
        mode_q[0] <= table_data_i[`LOOM_IBARB_REG_MODE_DEFICIT];
        mode_q[1] <= table_data_i[`LOOM_IBARB_REG_MODE_LOW_BY_PACKET];
      end
      addr_q <= table_addr_i;
    end
  end

  // ---- heads and the view -----------------------------------------------------------------------

  wire [4:0] event_key = (ARB_KEY != 0) ? head_sl_i : head_vl_i;
  wire event_ok = |head_size_i && {1'b0, event_key} < ALL_KEYS;
  wire event_we = head_valid_i && {1'b0, head_vl_i} < ALL_VLS;
  wire [VLS-1:0] event_hot;
  wire [VLS-1:0] can;
  wire [VLS-1:0] moved;
  reg [VLS-1:0] going_q;  // VLs that could go in the last cycle, and held ones
  reg [VLS-1:0] held_q;
  reg [VLS-1:0] shown_q;
  wire [VLS-1:0] shown_d;
  wire [1:0] write_step_d;
  wire [6:0] entry_at;
  wire [4:0] entry_key;
  wire [7:0] entry_weight;
  wire [4:0] old_key;
  wire members_we;
  wire [4:0] members_waddr;
  wire [VLS-1:0] members_wdata;
  wire [ENTRIES-1:0] hit;
  wire flip;
  wire flip_idle;
  wire [4:0] flip_key;
  loom_table_view #(.VLS(VLS), .KEYS(KEYS), .MGMT_VL(MGMT_VL), .ENTRIES(ENTRIES)) u_view (
    .clk_i(clk_i), .rst_i(rst_i), .sweeping_i(sweeping), .sweep_i(sweep_q),
    .ready_i(ready_i), .event_valid_i(event_we), .event_vl_i(head_vl_i), .event_key_i(event_key),
    .event_ok_i(event_ok), .hold_i(held_q), .event_hot_o(event_hot), .can_o(can), .moved_o(moved),
    .write_i(write), .write_entry_i(write_at), .write_key_i(table_data_i[`LOOM_ENTRY_KEY]),
    .write_weight_i(table_data_i[`LOOM_ENTRY_WEIGHT]), .old_key_i(old_key), .entry_o(entry_at),
    .entry_key_o(entry_key), .entry_weight_o(entry_weight), .write_step_i(write_step_q),
    .write_step_o(write_step_d), .shown_i(shown_q), .shown_o(shown_d), .members_we_o(members_we),
    .members_waddr_o(members_waddr), .members_wdata_o(members_wdata), .served_o(served_o),
    .hit_o(hit), .flip_o(flip), .flip_idle_o(flip_idle), .flip_key_o(flip_key)
  );

  reg asked_q;
  reg mgmt_go_q;
  reg [SIZE_W-1:0] mgmt_size_q;
  reg [4:0] mgmt_key_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      shown_q <= {VLS{1'b0}};
      write_step_q <= 2'd0;
      asked_q <= 1'b0;
      mgmt_go_q <= 1'b0;
      mgmt_size_q <= {SIZE_W{1'b0}};
      mgmt_key_q <= 5'd0;
    end else begin
      shown_q <= shown_d;
      write_step_q <= write_step_d;
      asked_q <= request_i;
      mgmt_go_q <= |(can & MGMT_HOT);
      if (|(event_hot & MGMT_HOT)) begin
        mgmt_size_q <= head_size_i;
        mgmt_key_q <= event_key;
      end
    end
  end

  // ---- the tables and their searches ------------------------------------------------------------

  wire write_set = write_step_q == 2'd3;
  wire restart = flip || write_set;
  wire [EW-1:0] entry_waddr = sweeping ? sweep_q[EW-1:0] : entry_at[EW-1:0];
  wire [12:0] entry_wdata = {entry_key, entry_weight};  // 0 until the first write
  wire high_we = sweeping || (write_set && !entry_at[EW]);
  wire low_we = sweeping || (write_set && entry_at[EW]);
  wire [6:0] high_found;
  wire [6:0] low_found;
  wire [12:0] high_word;
  wire [12:0] low_word;
  wire [12:0] read_word;

  loom_lut_ram #(.DEPTH(LOW_AT), .WIDTH(13)) u_high_table (
    .clk_i(clk_i), .we_i(high_we), .waddr_i(entry_waddr), .wdata_i(entry_wdata),
    .raddr_i(high_found[EW-1:0]), .rdata_o(high_word)
  );
  loom_lut_ram #(.DEPTH(LOW_AT), .WIDTH(13)) u_low_table (
    .clk_i(clk_i), .we_i(low_we), .waddr_i(entry_waddr), .wdata_i(entry_wdata),
    .raddr_i(low_found[EW-1:0]), .rdata_o(low_word)
  );
  // a copy of both for software, which also gives the old key
  wire [12:0] read_high;
  wire [12:0] read_low;
  loom_lut_ram #(.DEPTH(LOW_AT), .WIDTH(13)) u_read_high (
    .clk_i(clk_i), .we_i(high_we), .waddr_i(entry_waddr), .wdata_i(entry_wdata),
    .raddr_i(addr_q[EW-1:0]), .rdata_o(read_high)
  );
  loom_lut_ram #(.DEPTH(LOW_AT), .WIDTH(13)) u_read_low (
    .clk_i(clk_i), .we_i(low_we), .waddr_i(entry_waddr), .wdata_i(entry_wdata),
    .raddr_i(addr_q[EW-1:0]), .rdata_o(read_low)
  );
  assign read_word = addr_q[7] ? read_low : read_high;
  assign old_key = read_word[12:8];

  reg [2:0] high_search_q;
  reg [2:0] low_search_q;
  reg high_front_valid_q;
  reg low_front_valid_q;
  wire [2:0] high_search_d;
  wire [2:0] low_search_d;
  wire high_front_valid_d;
  wire low_front_valid_d;
  wire high_any;
  wire low_any;
  wire [6:0] high_front;
  wire [6:0] low_front;
  wire [12:0] high_front_word;
  wire [12:0] low_front_word;
  wire high_pop;
  wire low_pop;
  reg [5:0] high_entry_q;
  reg [5:0] low_entry_q;
  wire high_drop = high_front_valid_q &&
                   (write_set || (flip && (!flip_idle || high_front_word[12:8] == flip_key)));
  wire low_drop = low_front_valid_q &&
                  (write_set || (flip && (!flip_idle || low_front_word[12:8] == flip_key)));

  loom_table_search #(.ENTRIES(N_HIGH), .WIDTH(13)) u_high (
    .clk_i(clk_i), .rst_i(rst_i), .hit_i(hit[N_HIGH-1:0]), .restart_i(restart),
    .drop_i(high_drop), .ptr_i({1'b0, high_entry_q}), .pop_i(high_pop), .any_o(high_any),
    .found_o(high_found), .entry_i(high_word), .search_i(high_search_q),
    .search_o(high_search_d), .front_valid_i(high_front_valid_q),
    .front_valid_o(high_front_valid_d), .front_entry_o(high_front), .front_q_o(high_front_word)
  );
  loom_table_search #(.ENTRIES(N_LOW), .WIDTH(13)) u_low (
    .clk_i(clk_i), .rst_i(rst_i), .hit_i(hit[ENTRIES-1:LOW_AT]), .restart_i(restart),
    .drop_i(low_drop), .ptr_i({1'b0, low_entry_q}), .pop_i(low_pop), .any_o(low_any),
    .found_o(low_found), .entry_i(low_word), .search_i(low_search_q),
    .search_o(low_search_d), .front_valid_i(low_front_valid_q),
    .front_valid_o(low_front_valid_d), .front_entry_o(low_front), .front_q_o(low_front_word)
  );
  always @(posedge clk_i) begin
    if (rst_i) begin
      high_search_q <= 3'd0;
      low_search_q <= 3'd0;
      high_front_valid_q <= 1'b0;
      low_front_valid_q <= 1'b0;
    end else begin
      high_search_q <= high_search_d;
      low_search_q <= low_search_d;
      high_front_valid_q <= high_front_valid_d;
      low_front_valid_q <= low_front_valid_d;
    end
  end

  // ---- step 1: a side and its entry -------------------------------------------------------------

  reg [4:0] high_key_q;
  reg [4:0] low_key_q;
  reg [ACC_W-1:0] high_left_q;
  reg [ACC_W-1:0] low_left_q;
  reg high_some_q;
  reg low_some_q;
  reg high_act_q;
  reg low_act_q;
  reg [13:0] sent_q;
  reg sent_some_q;
  reg turn_q;

  wire [VLS-1:0] high_members;
  wire [VLS-1:0] low_members;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_high_members (
    .clk_i(clk_i), .we_i(members_we), .waddr_i(members_waddr[KW-1:0]), .wdata_i(members_wdata),
    .raddr_i(high_key_q[KW-1:0]), .rdata_o(high_members)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_low_members (
    .clk_i(clk_i), .we_i(members_we), .waddr_i(members_waddr[KW-1:0]), .wdata_i(members_wdata),
    .raddr_i(low_key_q[KW-1:0]), .rdata_o(low_members)
  );

  wire high_cont = high_some_q && high_act_q;
  wire low_cont = low_some_q && low_act_q;
  wire due = limited_q && sent_some_q && sent_q[13:6] >= limit_q;
  wire due_or_turn = (turn_q && low_cont) || (due && (low_cont || low_any));
  wire low = due_or_turn || !(high_cont || high_any);
  wire cont = low ? low_cont : high_cont;
  wire step;
  wire stop = step || write_limit || write_mode;  // no candidate goes on
  wire drop = high_drop || low_drop;              // none goes on that takes a new entry

  reg c1_valid_q;
  reg c1_low_q;
  reg c1_due_q;
  reg c1_cont_q;
  reg [4:0] c1_key_q;
  reg [7:0] c1_weight_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      c1_valid_q <= 1'b0;
      c1_low_q <= 1'b0;
      c1_due_q <= 1'b0;
      c1_cont_q <= 1'b0;
      c1_key_q <= 5'd0;
      c1_weight_q <= 8'd0;
    end else begin
      c1_valid_q <= (cont || ((low ? low_front_valid_q : high_front_valid_q) && !drop)) && !stop;
      c1_low_q <= low;
      c1_due_q <= due_or_turn;
      c1_cont_q <= cont;
      c1_key_q <= low ? (low_cont ? low_key_q : low_front_word[12:8])
                  : (high_cont ? high_key_q : high_front_word[12:8]);
      c1_weight_q <= low ? low_front_word[7:0] : high_front_word[7:0];
    end
  end

  // ---- step 2: what the key has -----------------------------------------------------------------

  wire [VLS-1:0] members;
  wire [VW-1:0] last_vl;
  wire [ACC_W-1:0] deficit;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_members (
    .clk_i(clk_i), .we_i(members_we), .waddr_i(members_waddr[KW-1:0]), .wdata_i(members_wdata),
    .raddr_i(c1_key_q[KW-1:0]), .rdata_o(members)
  );
  wire last_we;
  wire [KW-1:0] last_waddr;
  wire [VW-1:0] last_wdata;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VW)) u_last_vl (
    .clk_i(clk_i), .we_i(last_we), .waddr_i(last_waddr), .wdata_i(last_wdata),
    .raddr_i(c1_key_q[KW-1:0]), .rdata_o(last_vl)
  );
  wire deficit_we;
  wire [KW:0] deficit_waddr;
  wire [ACC_W-1:0] deficit_wdata;
  loom_lut_ram #(.DEPTH(2 << KW), .WIDTH(ACC_W)) u_deficit (
    .clk_i(clk_i), .we_i(deficit_we), .waddr_i(deficit_waddr), .wdata_i(deficit_wdata),
    .raddr_i({c1_low_q, c1_key_q[KW-1:0]}), .rdata_o(deficit)
  );

  reg c2_valid_q;
  reg c2_low_q;
  reg c2_due_q;
  reg c2_cont_q;
  reg [4:0] c2_key_q;
  reg [VLS-1:0] c2_set_q;
  reg [VLS-1:0] c2_ahead_q;
  reg [ACC_W-1:0] c2_old_q;
  reg [7:0] c2_add_q;
  wire [ACC_W-1:0] left = c1_low_q ? low_left_q : high_left_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      c2_valid_q <= 1'b0;
      c2_low_q <= 1'b0;
      c2_due_q <= 1'b0;
      c2_cont_q <= 1'b0;
      c2_key_q <= 5'd0;
      c2_set_q <= {VLS{1'b0}};
      c2_ahead_q <= {VLS{1'b0}};
      c2_old_q <= {ACC_W{1'b0}};
      c2_add_q <= 8'd0;
    end else begin
      c2_valid_q <= c1_valid_q && !stop && (c1_cont_q || !drop);
      c2_low_q <= c1_low_q;
      c2_due_q <= c1_due_q;
      c2_cont_q <= c1_cont_q;
      c2_key_q <= c1_key_q;
      c2_set_q <= members;
      c2_ahead_q <= {VLS{1'b1}} << last_vl << !c1_cont_q;
      c2_old_q <= c1_cont_q ? left : deficit & {ACC_W{deficit_mode}};
      if (c1_cont_q) c2_add_q <= 8'd0;
      else c2_add_q <= c1_weight_q;
    end
  end

  // ---- step 3: its VL ---------------------------------------------------------------------------

  reg c3_valid_q;
  reg c3_low_q;
  reg c3_due_q;
  reg c3_cont_q;
  reg [4:0] c3_key_q;
  reg c3_some_q;
  reg [VW-1:0] c3_vl_q;
  reg [ACC_W-1:0] c3_base_q;
  wire some_ahead = |(c2_set_q & going_q & c2_ahead_q);
  wire [VLS-1:0] those = c2_set_q & going_q;
  wire [4:0] those_first = some_ahead ? lowest(those & c2_ahead_q) : lowest(those);
  always @(posedge clk_i) begin
    if (rst_i) begin
      c3_valid_q <= 1'b0;
      c3_low_q <= 1'b0;
      c3_due_q <= 1'b0;
      c3_cont_q <= 1'b0;
      c3_key_q <= 5'd0;
      c3_some_q <= 1'b0;
      c3_vl_q <= {VW{1'b0}};
      c3_base_q <= {ACC_W{1'b0}};
    end else begin
      c3_valid_q <= c2_valid_q && !stop && (c2_cont_q || !drop);
      c3_low_q <= c2_low_q;
      c3_due_q <= c2_due_q;
      c3_cont_q <= c2_cont_q;
      c3_key_q <= c2_key_q;
      c3_some_q <= |those;
      c3_vl_q <= those_first[VW-1:0];
      c3_base_q <= c2_old_q + {{(ACC_W - 8) {1'b0}}, c2_add_q};
    end
  end

  // ---- step 4: its size -------------------------------------------------------------------------

  reg c4_valid_q;
  reg c4_low_q;
  reg c4_due_q;
  reg c4_cont_q;
  reg [4:0] c4_key_q;
  reg c4_go_q;
  reg [4:0] c4_vl_q;
  reg [SIZE_W-1:0] c4_size_q;
  reg c4_fits_q;
  reg [ACC_W-1:0] c4_left_q;  // what is left of the base after a packet that fits, else 0
  reg [ACC_W-1:0] c4_owed_q;  // the base if the packet does not fit, else 0
  wire [SIZE_W-1:0] size;
  wire [ACC_W-1:0] size_wide = {{(ACC_W - SIZE_W) {1'b0}}, size};
  wire [ACC_W:0] rest = {1'b0, c3_base_q} - {1'b0, size_wide};
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(SIZE_W)) u_size (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(head_vl_i[VW-1:0]), .wdata_i(head_size_i),
    .raddr_i(c3_vl_q), .rdata_o(size)
  );
  always @(posedge clk_i) begin
    if (rst_i) begin
      c4_valid_q <= 1'b0;
      c4_low_q <= 1'b0;
      c4_due_q <= 1'b0;
      c4_cont_q <= 1'b0;
      c4_key_q <= 5'd0;
      c4_go_q <= 1'b0;
      c4_vl_q <= 5'd0;
      c4_size_q <= {SIZE_W{1'b0}};
      c4_owed_q <= {ACC_W{1'b0}};
      c4_fits_q <= 1'b0;
      c4_left_q <= {ACC_W{1'b0}};
    end else begin
      c4_valid_q <= c3_valid_q && !stop && (c3_cont_q || !drop);
      c4_low_q <= c3_low_q;
      c4_due_q <= c3_due_q;
      c4_cont_q <= c3_cont_q;
      c4_key_q <= c3_key_q;
      c4_go_q <= c3_some_q && can[c3_vl_q];
      c4_vl_q <= {{(5 - VW) {1'b0}}, c3_vl_q};
      c4_size_q <= size;
      c4_fits_q <= !rest[ACC_W];
      if (rest[ACC_W]) c4_left_q <= {ACC_W{1'b0}};
      else c4_left_q <= rest[ACC_W-1:0];
      if (!rest[ACC_W] || sweeping) c4_owed_q <= {ACC_W{1'b0}};
      else c4_owed_q <= c3_base_q;
    end
  end

  // ---- the decision -----------------------------------------------------------------------------

  reg [2:0] pause_q;
  wire decide = asked_q && pause_q == 3'd0 && swept;
  wire grant_mgmt = decide && mgmt_go_q;
  assign step = decide && !mgmt_go_q && c4_valid_q && c4_go_q;
  wire granted = step && (c4_fits_q || !deficit_mode);
  assign high_pop = step && !c4_cont_q && !c4_low_q;
  assign low_pop = step && !c4_cont_q && c4_low_q;
  wire [VLS-1:0] granted_hot = granted ? ONE_VL << granted_vl : {VLS{1'b0}};
  wire more = |c4_left_q;
  wire sent_add = granted && !c4_low_q;
  wire sent_clear = step && c4_low_q && (granted || !c4_cont_q || !c4_due_q);
  wire [14:0] sent_sum = {1'b0, sent_q} + {{(15 - SIZE_W) {1'b0}}, c4_size_q};
  wire [VW-1:0] granted_vl = c4_vl_q[VW-1:0];

  // The VLs that were granted a short time ago: the last one is young until stay_q is 0, the one
  // before it, if it is held yet, until wane_q is.
  reg [3:0] stay_q;
  wire [VLS-1:0] leaving = (STAY_CYCLES != 0) ? moved : {VLS{1'b0}};
  wire [VLS-1:0] still;
  wire [VLS-1:0] held_d = granted_hot | still;  // a VL that is granted has not moved
  generate
    if (STAY > 4'd5) begin : g_two
      reg [3:0] wane_q;
      reg [VLS-1:0] young_q;
      assign still = ((wane_q == 4'd1) ? young_q : (stay_q == 4'd1) ? {VLS{1'b0}} : held_q) &
                     ~leaving;
      always @(posedge clk_i) begin
        if (rst_i) begin
          wane_q <= 4'd0;
          young_q <= {VLS{1'b0}};
        end else if (granted) begin
          wane_q <= (stay_q != 4'd0) ? stay_q - 4'd1 : 4'd0;
          young_q <= granted_hot;
        end else begin
          if (wane_q != 4'd0) wane_q <= wane_q - 4'd1;
          if (stay_q == 4'd1) young_q <= {VLS{1'b0}};
          else young_q <= young_q & ~leaving;
        end
      end
      // the one before the last has left when the next is granted
      `LOOM_ASSERT(two_are_held_at_most, !granted || wane_q == 4'd0)
    end else begin : g_one
      assign still = (stay_q == 4'd1) ? {VLS{1'b0}} : held_q & ~leaving;
    end
  endgenerate
  always @(posedge clk_i) begin
    if (rst_i) stay_q <= 4'd0;
    else if (granted) stay_q <= STAY;
    else if (stay_q != 4'd0) stay_q <= stay_q - 4'd1;
  end

  assign last_we = sweeping || granted;
  assign last_waddr = sweeping ? sweep_q[KW-1:0] : c4_key_q[KW-1:0];
  assign last_wdata = sweeping ? LAST_VL[VW-1:0] : granted_vl;
  assign deficit_we = sweeping || (step && deficit_mode && !(c4_cont_q && c4_fits_q));
  assign deficit_waddr = sweeping ? sweep_q[KW:0] : {c4_low_q, c4_key_q[KW-1:0]};
  assign deficit_wdata = c4_owed_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      pause_q <= 3'd0;
      held_q <= {VLS{1'b0}};
      going_q <= {VLS{1'b0}};
      high_entry_q <= HIGH_LAST[5:0];
      low_entry_q <= LOW_LAST[5:0];
      high_key_q <= 5'd0;
      low_key_q <= 5'd0;
      high_left_q <= {ACC_W{1'b0}};
      low_left_q <= {ACC_W{1'b0}};
      high_some_q <= 1'b0;
      low_some_q <= 1'b0;
      high_act_q <= 1'b0;
      low_act_q <= 1'b0;
      sent_q <= 14'd0;
      sent_some_q <= 1'b0;
      turn_q <= 1'b0;
    end else begin
      if (step || grant_mgmt) pause_q <= PAUSE;
      else if (pause_q != 3'd0) pause_q <= pause_q - 3'd1;
      held_q <= held_d;
      going_q <= (can & ~MGMT_HOT) | held_d;
      high_act_q <= (granted && !c4_low_q) || |(high_members & going_q);
      low_act_q <= (granted && c4_low_q) || |(low_members & going_q);
      if (high_pop) high_entry_q <= high_front[5:0];
      if (low_pop) low_entry_q <= low_front[5:0];
      if (decide && !mgmt_go_q && !low_cont) turn_q <= 1'b0;
      if (step && c4_low_q) begin
        if (!c4_cont_q) low_key_q <= c4_key_q;
        low_left_q <= c4_left_q;
        low_some_q <= more;
        turn_q <= granted && c4_due_q && !by_packet;
      end
      if (step && !c4_low_q) begin
        if (!c4_cont_q) high_key_q <= c4_key_q;
        high_left_q <= c4_left_q;
        high_some_q <= more;
      end
      if (sent_clear) begin
        sent_q <= 14'd0;
        sent_some_q <= 1'b0;
      end else if (sent_add) begin
        sent_q <= sent_sum[13:0] | {14{sent_sum[14]}};
        sent_some_q <= 1'b1;
      end
    end
  end

  always @(posedge clk_i) begin
    if (rst_i || !(grant_mgmt || granted)) begin
      grant_valid_o <= 1'b0;
      grant_vl_o <= 5'd0;
      grant_key_o <= 5'd0;
      grant_size_o <= {SIZE_W{1'b0}};
    end else begin
      grant_valid_o <= 1'b1;
      grant_vl_o <= mgmt_go_q ? MGMT[4:0] : c4_vl_q;
      grant_key_o <= mgmt_go_q ? mgmt_key_q : c4_key_q;
      grant_size_o <= mgmt_go_q ? mgmt_size_q : c4_size_q;
    end
  end

  // ---- what software reads ----------------------------------------------------------------------

  wire [6:0] read_row = {1'b0, addr_q[5:0]};
  wire at_high = `LOOM_IS_IBARB_REG_HIGH(addr_q) && !addr_q[6] && read_row < ALL_HIGH;
  wire at_low = `LOOM_IS_IBARB_REG_LOW(addr_q) && !addr_q[6] && read_row < ALL_LOW;
  wire [31:0] high_selection = {10'd0, high_entry_q, {(16 - ACC_W) {1'b0}}, high_left_q};
  wire [31:0] low_selection = {10'd0, low_entry_q, {(16 - ACC_W) {1'b0}}, low_left_q};
  always @(posedge clk_i) begin
    if (rst_i || sweeping) table_rdata_o <= 32'd0;
    else if (at_high || at_low) table_rdata_o <= {19'd0, read_word};
    else if (addr_q == `LOOM_IBARB_REG_LIMIT) table_rdata_o <= {24'd0, limit_q};
    else if (addr_q == `LOOM_IBARB_REG_MODE) table_rdata_o <= {30'd0, mode_q};
    else if (addr_q == `LOOM_IBARB_REG_SENT) table_rdata_o <= {18'd0, sent_q};
    else if (addr_q == `LOOM_IBARB_REG_TURN) table_rdata_o <= {31'd0, turn_q};
    else if (addr_q == `LOOM_IBARB_REG_SELECTION_HIGH) table_rdata_o <= high_selection;
    else if (addr_q == `LOOM_IBARB_REG_SELECTION_LOW) table_rdata_o <= low_selection;
    else table_rdata_o <= 32'd0;
  end

  wire unused = &{1'b0, table_data_i[31:13], entry_at, members_waddr, hit, high_found, low_found,
                  high_front[6], low_front[6], those_first,
                  high_key_q, low_key_q, c1_key_q, c4_key_q};

  `LOOM_REQUIRE(head_of_a_lane, !head_valid_i || {1'b0, head_vl_i} < ALL_VLS)
  `LOOM_ASSERT(position_in_high, {1'b0, high_entry_q} < ALL_HIGH)
  `LOOM_ASSERT(position_in_low, {1'b0, low_entry_q} < ALL_LOW)
  `LOOM_ASSERT(left_is_known, (high_some_q == |high_left_q) && (low_some_q == |low_left_q))
  `LOOM_ASSERT(sent_is_known, sent_some_q == |sent_q)
  `LOOM_ASSERT(nothing_while_not_valid,
               grant_valid_o || {grant_vl_o, grant_key_o, grant_size_o} == {(10 + SIZE_W) {1'b0}})

endmodule

`default_nettype wire
