// SPDX-License-Identifier: Apache-2.0

// loom_deficit_table: output scheduler with a deficit table in RAM: its entries {key, weight} are
//   served in turn, and what a key could not use of its weight is kept for its next turn.
//
// Contract: a head event comes while ready_i of its VL is 0, and ready_i is 0 from the cycle after
//   a grant of the VL until its next head event. Only a VL whose ready_i was 1 two cycles before is
//   granted, with the size and key of its head event. served_o has the keys with an entry that has
//   a weight; a bit that falls stays 0 for one cycle or for 5 and more.
// Algorithm: each entry has one key, so the set of entries with an active key is kept by turning
//   over the bits of a row of a RAM when a key turns active or idle. The next entry is searched in
//   this set ahead of need, in groups of 16, and made ready together with the selected key
//   (docs/tables.md).
// Latency: request and ready_i in c, grant in c + 2, if the selection goes on or the next entry was
//   found; a grant every 4 cycles. Ready bit to grant when all was idle: 13 cycles. Sweep after
//   reset: max(ENTRIES, KEYS) cycles.
// Wait bound: an active key with an entry is selected within ENTRIES selections, unless keys turn
//   active and idle without pause. A deficit is at most the largest size - 1, the accumulator at
//   most the largest weight + the largest size - 1. A VL with weight left is waited for until the
//   decision STAY_CYCLES + 1 cycles after its grant.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), ENTRIES (1..128), IB_WEIGHTS (1: accumulator and deficits of 8 bits that
//   saturate, for InfiniBand tables), STAY_CYCLES (0..8, after its grant a VL may be away so long).
// Realises: DT-01, DT-02, DT-03, DT-04, DT-10, DT-11, IB-02, OP-18, OP-19, OP-20.
// Page: docs/tables.md, section deficit_table.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_deficit_table #(
  parameter integer VLS         = 16,
  parameter integer KEYS        = 32,
  parameter integer ARB_KEY     = 1,
  parameter integer MGMT_VL     = 15,
  parameter integer SIZE_W      = 10,
  parameter integer ENTRIES     = 128,
  parameter integer IB_WEIGHTS  = 0,
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
  input  wire              head_last_i,

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
      loom_deficit_table_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_deficit_table_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_deficit_table_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_deficit_table_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_deficit_table_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_deficit_table_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (ENTRIES < 1 || ENTRIES > 128) begin : g_bad_entries
      loom_deficit_table_ENTRIES_must_be_1_to_128 u_error ();
    end
    if (IB_WEIGHTS < 0 || IB_WEIGHTS > 1) begin : g_bad_ib_weights
      loom_deficit_table_IB_WEIGHTS_must_be_0_to_1 u_error ();
    end
    if (STAY_CYCLES < 0 || STAY_CYCLES > 8) begin : g_bad_stay_cycles
      loom_deficit_table_STAY_CYCLES_must_be_0_to_8 u_error ();
    end
  endgenerate

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;
  localparam integer EW = (ENTRIES > 1) ? $clog2(ENTRIES) : 1;
  // a RAM has at least two words
  localparam integer V_WORDS = (VLS > 1) ? VLS : 2;
  localparam integer K_WORDS = (KEYS > 1) ? KEYS : 2;
  localparam integer E_WORDS = (ENTRIES > 1) ? ENTRIES : 2;
  // holds every size, weight and their sums here
  localparam integer WIDE = ((SIZE_W > 8) ? SIZE_W : 8) + 1;
  localparam integer ACC_W = (IB_WEIGHTS != 0) ? 8 : WIDE;
  localparam integer SWEEP = (ENTRIES > KEYS) ? ENTRIES : KEYS;
  localparam [31:0] LAST_ENTRY = ENTRIES - 1;
  localparam [31:0] LAST_VL = VLS - 1;
  localparam [7:0] ALL_ENTRIES = ENTRIES[7:0];
  localparam [31:0] SWEEP_END = SWEEP - 1;
  localparam [7:0] LAST_SWEPT = SWEEP_END[7:0];
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [5:0] ALL_VLS = VLS[5:0];
  localparam integer MGMT = (MGMT_VL < VLS) ? MGMT_VL : 0;
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [VLS-1:0] MGMT_HOT = (MGMT_VL < VLS) ? ONE_VL << MGMT : {VLS{1'b0}};

  localparam [3:0] STAY = STAY_CYCLES[3:0];

  localparam [2:0] REST = 3'd0;
  localparam [2:0] GROUP = 3'd1;
  localparam [2:0] BITS = 3'd2;
  localparam [2:0] ENTRY = 3'd3;
  localparam [2:0] READ = 3'd4;

  function [VW-1:0] lowest;
    input [VLS-1:0] set;
    integer n;
    begin
      lowest = {VW{1'b0}};
      for (n = VLS - 1; n >= 0; n = n - 1) if (set[n]) lowest = n[VW-1:0];
    end
  endfunction

  // The first VL of the set at a place or after it, and then from 0 on.
  function [VW-1:0] first;
    input [VLS-1:0] set;
    input [VLS-1:0] ahead;  // ones from the place on
    begin
      first = lowest(|(set & ahead) ? set & ahead : set);
    end
  endfunction

  // ---- sweep ------------------------------------------------------------------------------------

  reg [7:0] sweep_q;
  reg swept_q;
  wire swept = swept_q;
  wire sweeping = !swept_q;
  wire sweep_key = sweeping && sweep_q < {2'b00, ALL_KEYS};
  wire sweep_entry = sweeping && sweep_q < ALL_ENTRIES;
  always @(posedge clk_i) begin
    if (rst_i) begin
      sweep_q <= 8'd0;
      swept_q <= 1'b0;
    end else if (sweeping) begin
      sweep_q <= sweep_q + 8'd1;
      swept_q <= sweep_q == LAST_SWEPT;
    end
  end
  assign ready_o = swept;

  // ---- heads ------------------------------------------------------------------------------------

  wire [4:0] event_key = (ARB_KEY != 0) ? head_sl_i : head_vl_i;
  wire event_ok = |head_size_i && {1'b0, event_key} < ALL_KEYS;
  wire event_we = head_valid_i && {1'b0, head_vl_i} < ALL_VLS;
  wire [VW-1:0] event_vl = head_vl_i[VW-1:0];
  wire [VLS-1:0] event_hot = event_we ? ONE_VL << event_vl : {VLS{1'b0}};

  reg [VLS-1:0] ok_q;
  reg [VLS-1:0] moved_q;
  reg [VLS-1:0] shown_q;
  reg [VLS-1:0] go_q;
  reg asked_q;
  reg [4:0] kept_vl_q;
  wire [VW-1:0] kept_vl = kept_vl_q[VW-1:0];
  wire [VLS-1:0] pick;
  wire [VLS-1:0] can = ready_i & ok_q & (MGMT_HOT | (shown_q & ~moved_q & ~pick));
  wire [4:0] event_old_key;
  wire event_moved = event_key != event_old_key;

  always @(posedge clk_i) begin
    if (rst_i) begin
      ok_q <= {VLS{1'b0}};
      moved_q <= {VLS{1'b0}};
      go_q <= {VLS{1'b0}};
      asked_q <= 1'b0;
    end else begin
      ok_q <= (ok_q & ~event_hot) | (event_hot & {VLS{event_ok}});
      moved_q <= shown_q & ((moved_q & ~event_hot) | (event_hot & {VLS{event_moved}}));
      go_q <= can;
      asked_q <= request_i;
    end
  end

  reg [SIZE_W-1:0] mgmt_size_q;
  reg [4:0] mgmt_key_q;
  reg mgmt_go_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      mgmt_size_q <= {SIZE_W{1'b0}};
      mgmt_key_q <= 5'd0;
      mgmt_go_q <= 1'b0;
    end else begin
      if (|(event_hot & MGMT_HOT)) begin
        mgmt_size_q <= head_size_i;
        mgmt_key_q <= event_key;
      end
      mgmt_go_q <= |(can & MGMT_HOT);
    end
  end

  // A copy of the heads for each reader.
  wire [VW-1:0] pick_vl;
  wire [VW-1:0] next_vl;
  wire [4:0] picked_key;
  wire [SIZE_W-1:0] kept_size;
  wire kept_last;
  wire [4:0] kept_key;
  wire [SIZE_W-1:0] next_size;
  wire next_last_packet;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_key (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(event_vl), .wdata_i(event_key),
    .raddr_i(pick_vl), .rdata_o(picked_key)
  );
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(SIZE_W + 6)) u_kept_head (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(event_vl),
    .wdata_i({event_key, head_last_i, head_size_i}),
    .raddr_i(kept_vl), .rdata_o({kept_key, kept_last, kept_size})
  );
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(SIZE_W + 1)) u_next_head (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(event_vl), .wdata_i({head_last_i, head_size_i}),
    .raddr_i(next_vl), .rdata_o({next_last_packet, next_size})
  );

  // ---- the view ---------------------------------------------------------------------------------

  reg [1:0] write_step_q;
  reg [1:0] pause_q;
  reg cur_valid_q;
  reg [VLS-1:0] done_q;
  reg [VLS-1:0] held_q;
  wire [VLS-1:0] kept_hot = (pause_q != 2'd0 && cur_valid_q) ? ONE_VL << kept_vl : {VLS{1'b0}};
  reg [VLS-1:0] differ_q;
  wire may_pick = swept && write_step_q == 2'd0;
  wire [VLS-1:0] below;  // a lower VL differs
  genvar g;
  generate
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      if (g == 0) begin : g_lowest
        assign below[g] = 1'b0;
      end else begin : g_above
        assign below[g] = |differ_q[g-1:0];
      end
    end
  endgenerate
  assign pick = may_pick ? differ_q & ~below : {VLS{1'b0}};
  assign pick_vl = lowest(differ_q);
  wire picked = may_pick && |differ_q;
  wire leaves = |(shown_q & pick);
  wire [4:0] left_key;
  wire [4:0] new_key = leaves ? left_key : picked_key;

  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_shown_key (
    .clk_i(clk_i), .we_i(picked && !leaves), .waddr_i(pick_vl), .wdata_i(picked_key),
    .raddr_i(pick_vl), .rdata_o(left_key)
  );
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_shown_key_event (
    .clk_i(clk_i), .we_i(picked && !leaves), .waddr_i(pick_vl), .wdata_i(picked_key),
    .raddr_i(event_vl), .rdata_o(event_old_key)
  );

  // The key whose members or row are touched: of a change of the view, or of a table write.
  reg change_q;
  reg [VLS-1:0] change_vl_q;
  reg [4:0] change_key_q;
  reg [4:0] write_key_q;
  wire [4:0] old_key;

  wire [VLS-1:0] members;
  wire [VLS-1:0] new_members = members ^ change_vl_q;
  wire members_we = change_q || sweep_key;
  wire [KW-1:0] members_waddr = sweeping ? sweep_q[KW-1:0] : change_key_q[KW-1:0];
  wire [VLS-1:0] members_wdata = sweeping ? {VLS{1'b0}} : new_members;
  wire [KW-1:0] cur;
  wire [KW-1:0] front_key;
  wire [VLS-1:0] cur_members;
  wire [VLS-1:0] front_members;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_members (
    .clk_i(clk_i), .we_i(members_we), .waddr_i(members_waddr), .wdata_i(members_wdata),
    .raddr_i((write_step_q == 2'd2) ? write_key_q[KW-1:0] : change_key_q[KW-1:0]),
    .rdata_o(members)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_cur_members (
    .clk_i(clk_i), .we_i(members_we), .waddr_i(members_waddr), .wdata_i(members_wdata),
    .raddr_i(cur), .rdata_o(cur_members)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_front_members (
    .clk_i(clk_i), .we_i(members_we), .waddr_i(members_waddr), .wdata_i(members_wdata),
    .raddr_i(front_key), .rdata_o(front_members)
  );

  reg flip_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      shown_q <= {VLS{1'b0}};
      differ_q <= {VLS{1'b0}};
      done_q <= {VLS{1'b0}};
      change_q <= 1'b0;
      change_vl_q <= {VLS{1'b0}};
      change_key_q <= 5'd0;
      flip_q <= 1'b0;
    end else begin
      shown_q <= shown_q ^ pick;
      differ_q <= ((ready_i & ok_q & ~moved_q) ^ shown_q) &
                  ~(MGMT_HOT | kept_hot | (held_q & ~moved_q) | done_q | pick);
      if (may_pick) done_q <= picked ? done_q | pick : {VLS{1'b0}};
      change_q <= picked;
      change_vl_q <= pick;
      change_key_q <= (write_step_q == 2'd1) ? old_key : (write_step_q == 2'd2) ? write_key_q
                      : new_key;
      flip_q <= change_q && (members == {VLS{1'b0}} || new_members == {VLS{1'b0}});
    end
  end

  // ---- table writes -----------------------------------------------------------------------------

  wire in_entries = `LOOM_IS_DTABLE_REG_ENTRY(table_addr_i);
  wire take_write = table_we_i && !busy_o && in_entries && {1'b0, table_addr_i[6:0]} < ALL_ENTRIES;
  reg [6:0] write_entry_q;
  reg [7:0] write_weight_q;
  reg write_message_q;
  reg write_hit_q;
  wire write_clear = write_step_q == 2'd2;
  wire write_set = write_step_q == 2'd3;
  assign busy_o = sweeping || write_step_q != 2'd0;
  always @(posedge clk_i) begin
    if (rst_i) begin
      write_step_q <= 2'd0;
      write_entry_q <= 7'd0;
      write_key_q <= 5'd0;
      write_weight_q <= 8'd0;
      write_message_q <= 1'b0;
      write_hit_q <= 1'b0;
    end else begin
      if (take_write) begin
        write_step_q <= 2'd1;
        write_entry_q <= table_addr_i[6:0];
        write_key_q <= table_data_i[`LOOM_MESSAGE_ENTRY_KEY];
        write_weight_q <= table_data_i[`LOOM_MESSAGE_ENTRY_WEIGHT];
        write_message_q <= table_data_i[`LOOM_MESSAGE_ENTRY_MESSAGE];
      end else if (write_step_q != 2'd0) write_step_q <= write_step_q + 2'd1;
      write_hit_q <= |write_weight_q && {1'b0, write_key_q} < ALL_KEYS && |members;
    end
  end

  wire [ENTRIES-1:0] hit;
  loom_table_rows #(.KEYS(KEYS), .ENTRIES(ENTRIES)) u_rows (
    .clk_i(clk_i), .rst_i(rst_i), .sweeping_i(sweeping), .sweep_key_i(sweep_q[4:0]),
    .key_i(change_key_q), .clear_i(write_clear), .set_i(write_set), .entry_i(write_entry_q),
    .some_i(|write_weight_q), .hit_i(write_hit_q), .flip_i(flip_q), .served_o(served_o),
    .hit_o(hit)
  );
  wire restart = flip_q || write_set;

  // The entries: a copy for the search and one for software, which also gives the old key.
  reg [9:0] addr_q;
  wire [6:0] row_addr = {addr_q[6] && !addr_q[9], addr_q[5:0]};
  reg [6:0] found_q;
  wire entry_we = write_set || sweep_entry;
  wire [EW-1:0] entry_waddr = sweeping ? sweep_q[EW-1:0] : write_entry_q[EW-1:0];
  wire [13:0] entry_wdata = sweeping ? 14'd0 : {write_message_q, write_key_q, write_weight_q};
  wire [13:0] entry;
  wire [13:0] entry_read;
  loom_lut_ram #(.DEPTH(E_WORDS), .WIDTH(14)) u_entry (
    .clk_i(clk_i), .we_i(entry_we), .waddr_i(entry_waddr), .wdata_i(entry_wdata),
    .raddr_i(found_q[EW-1:0]), .rdata_o(entry)
  );
  loom_lut_ram #(.DEPTH(E_WORDS), .WIDTH(14)) u_entry_read (
    .clk_i(clk_i), .we_i(entry_we), .waddr_i(entry_waddr), .wdata_i(entry_wdata),
    .raddr_i(row_addr[EW-1:0]), .rdata_o(entry_read)
  );
  assign old_key = entry_read[12:8];

  // ---- the search -------------------------------------------------------------------------------

  reg [2:0] search_q;
  reg [6:0] from_q;
  reg [7:0] any_q;        // groups of 16 entries with a hit
  reg [15:0] own_q;       // hits after from_q in its group
  reg [2:0] next_group_q; // the group with a hit that comes next, its own last
  reg [15:0] bits_q;
  reg [2:0] group_q;
  reg front_valid_q;
  reg [6:0] front_entry_q;
  reg [4:0] front_key_q;
  reg [7:0] front_weight_q;
  reg front_message_q;
  assign front_key = front_key_q[KW-1:0];
  wire pop;
  reg [6:0] ptr_q;
  wire [6:0] ptr_d = pop ? front_entry_q : ptr_q;

  wire [128:0] padded = {{(129 - ENTRIES) {1'b0}}, hit};
  wire [2:0] look = (search_q == GROUP) ? from_q[6:4] : next_group_q;
  wire [15:0] window = padded[{1'b0, look, 4'd0}+:16];
  wire [15:0] after = 16'hFFFE << from_q[3:0];
  wire [7:0] groups_after = any_q & (8'hFE << from_q[6:4]);
  wire [7:0] groups = |groups_after ? groups_after : any_q;
  reg [2:0] first_group;
  reg [3:0] first_bit;
  reg [7:0] any;
  integer n;
  always @* begin
    first_group = 3'd0;
    for (n = 7; n >= 0; n = n - 1) if (groups[n]) first_group = n[2:0];
    first_bit = 4'd0;
    for (n = 15; n >= 0; n = n - 1) if (bits_q[n]) first_bit = n[3:0];
    for (n = 0; n < 8; n = n + 1) any[n] = |padded[16*n+:16];
  end

  wire load = search_q == READ && (!front_valid_q || pop);
  always @(posedge clk_i) begin
    if (rst_i) begin
      search_q <= REST;
      from_q <= LAST_ENTRY[6:0];
      any_q <= 8'd0;
      own_q <= 16'd0;
      next_group_q <= 3'd0;
      bits_q <= 16'd0;
      group_q <= 3'd0;
      found_q <= 7'd0;
      front_valid_q <= 1'b0;
      front_entry_q <= 7'd0;
      front_key_q <= 5'd0;
      front_weight_q <= 8'd0;
      front_message_q <= 1'b0;
    end else begin
      any_q <= any;
      if (search_q == GROUP) begin
        own_q <= window & after;
        next_group_q <= first_group;
      end
      bits_q <= |own_q ? own_q : window;
      group_q <= |own_q ? from_q[6:4] : next_group_q;
      if (search_q == ENTRY) found_q <= {group_q, first_bit};
      if (load) begin
        front_entry_q <= found_q;
        front_key_q <= entry[12:8];
        front_weight_q <= entry[7:0];
        front_message_q <= entry[13];
      end
      if (restart) begin
        search_q <= REST;
        front_valid_q <= 1'b0;
        from_q <= ptr_d;
      end else begin
        if (load) from_q <= found_q;
        front_valid_q <= load || (front_valid_q && !pop);
        case (search_q)
          REST: search_q <= GROUP;
          GROUP: if (|any_q) search_q <= BITS;
          BITS: search_q <= ENTRY;
          ENTRY: search_q <= READ;
          default: if (load) search_q <= GROUP;
        endcase
      end
    end
  end

  // ---- the next entry, made ready ---------------------------------------------------------------

  reg [4:0] cur_q;
  reg [ACC_W-1:0] acc_q;
  assign cur = cur_q[KW-1:0];
  wire [WIDE-1:0] acc = {{(WIDE - ACC_W) {1'b0}}, acc_q};
  wire step;

  reg deficit_we;
  reg [KW-1:0] deficit_waddr;
  reg [ACC_W-1:0] deficit_wdata;
  wire [ACC_W-1:0] deficit;
  wire [ACC_W-1:0] deficit_read;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(ACC_W)) u_deficit (
    .clk_i(clk_i), .we_i(deficit_we), .waddr_i(deficit_waddr), .wdata_i(deficit_wdata),
    .raddr_i(front_key), .rdata_o(deficit)
  );
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(ACC_W)) u_deficit_read (
    .clk_i(clk_i), .we_i(deficit_we), .waddr_i(deficit_waddr), .wdata_i(deficit_wdata),
    .raddr_i(addr_q[KW-1:0]), .rdata_o(deficit_read)
  );
  reg last_we;
  reg [KW-1:0] last_waddr;
  reg [VW-1:0] last_wdata;
  wire [VW-1:0] last_vl;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VW)) u_last_vl (
    .clk_i(clk_i), .we_i(last_we), .waddr_i(last_waddr), .wdata_i(last_wdata),
    .raddr_i(front_key), .rdata_o(last_vl)
  );

  wire [VLS-1:0] data_go = go_q & ~MGMT_HOT;
  reg [2:0] fresh_q;
  reg [VLS-1:0] next_set_q;
  reg [VW-1:0] next_last_q;
  reg [ACC_W-1:0] next_deficit_q;
  reg next_same_q;
  reg next_some_q;
  reg [VW-1:0] next_vl_q;
  reg [ACC_W-1:0] next_base_q;
  reg [VW-1:0] try_vl_q;
  reg try_go_q;
  reg [SIZE_W-1:0] try_size_q;
  reg try_last_q;
  reg [ACC_W-1:0] try_base_q;
  reg try_fits_q;
  reg [ACC_W-1:0] try_rest_q;
  assign next_vl = next_vl_q;
  wire [VLS-1:0] next_ready = next_set_q & data_go;
  wire [ACC_W-1:0] next_old = next_same_q ? acc_q : next_deficit_q;
  wire [WIDE-1:0] next_sum = {{(WIDE - ACC_W) {1'b0}}, next_old} +
                             {{(WIDE - 8) {1'b0}}, front_weight_q};
  wire [ACC_W-1:0] next_base = (IB_WEIGHTS != 0 && |next_sum[WIDE-1:8]) ? {ACC_W{1'b1}}
                               : next_sum[ACC_W-1:0];
  wire [WIDE:0] try_rest = {{(WIDE + 1 - ACC_W) {1'b0}}, next_base_q} -
                           {{(WIDE + 1 - SIZE_W) {1'b0}}, next_size};
  always @(posedge clk_i) begin
    if (rst_i) begin
      fresh_q <= 3'd0;
      next_set_q <= {VLS{1'b0}};
      next_last_q <= {VW{1'b0}};
      next_deficit_q <= {ACC_W{1'b0}};
      next_same_q <= 1'b0;
      next_some_q <= 1'b0;
      next_vl_q <= {VW{1'b0}};
      next_base_q <= {ACC_W{1'b0}};
      try_vl_q <= {VW{1'b0}};
      try_go_q <= 1'b0;
      try_size_q <= {SIZE_W{1'b0}};
      try_last_q <= 1'b0;
      try_base_q <= {ACC_W{1'b0}};
      try_fits_q <= 1'b0;
      try_rest_q <= {ACC_W{1'b0}};
    end else begin
      fresh_q <= (restart || step) ? 3'd0 : {fresh_q[1:0], front_valid_q};
      next_set_q <= front_members;
      next_last_q <= last_vl;
      next_deficit_q <= deficit;
      next_same_q <= cur_valid_q && cur_q == front_key_q;
      next_some_q <= |next_ready;
      next_vl_q <= first(next_ready, {VLS{1'b1}} << next_last_q << 1);
      next_base_q <= next_base;
      try_vl_q <= next_vl_q;
      try_go_q <= next_some_q && can[next_vl_q];
      try_size_q <= next_size;
      try_last_q <= next_last_packet;
      try_base_q <= next_base_q;
      try_fits_q <= !try_rest[WIDE];
      try_rest_q <= try_rest[ACC_W-1:0];
    end
  end

  // ---- the selection, made ready ----------------------------------------------------------------

  reg [VLS-1:0] other_set_q;
  reg other_some_q;
  reg [VW-1:0] other_vl_q;
  reg keep_go_q;
  reg [SIZE_W-1:0] keep_size_q;
  reg keep_last_q;
  reg keep_fits_q;
  reg keep_back_q;
  reg [ACC_W-1:0] keep_rest_q;
  reg [VLS-1:0] young_q;
  wire [VLS-1:0] other_ready = other_set_q & data_go;
  wire [WIDE:0] keep_rest = {1'b0, acc} - {{(WIDE + 1 - SIZE_W) {1'b0}}, kept_size};
  always @(posedge clk_i) begin
    if (rst_i) begin
      other_set_q <= {VLS{1'b0}};
      other_some_q <= 1'b0;
      other_vl_q <= {VW{1'b0}};
      keep_go_q <= 1'b0;
      keep_size_q <= {SIZE_W{1'b0}};
      keep_last_q <= 1'b0;
      keep_fits_q <= 1'b0;
      keep_back_q <= 1'b0;
      keep_rest_q <= {ACC_W{1'b0}};
    end else begin
      other_set_q <= cur_members;
      other_some_q <= |other_ready;
      other_vl_q <= first(other_ready, {VLS{1'b1}} << kept_vl << 1);
      keep_go_q <= can[kept_vl] && kept_key == cur_q;
      keep_size_q <= kept_size;
      keep_last_q <= kept_last;
      keep_fits_q <= !keep_rest[WIDE];
      keep_back_q <= young_q[kept_vl] && kept_key == cur_q && acc_q != {ACC_W{1'b0}};
      keep_rest_q <= keep_rest[ACC_W-1:0];
    end
  end

  // ---- the decision -----------------------------------------------------------------------------

  reg open_q;
  reg message_q;
  wire decide = asked_q && pause_q == 2'd0 && swept;
  wire grant_mgmt = decide && mgmt_go_q;
  wire data = decide && !mgmt_go_q;
  wire grant_keep = data && cur_valid_q && keep_go_q && (keep_fits_q || open_q);
  wire waits = cur_valid_q && !keep_go_q && (open_q || keep_back_q);
  wire change_vl = data && cur_valid_q && !keep_go_q && !waits && other_some_q;
  wire leave = data && !(cur_valid_q && keep_go_q && (keep_fits_q || open_q)) && !waits &&
               !(cur_valid_q && !keep_go_q && other_some_q);
  wire drop = leave && cur_valid_q;
  // the weight that a key lost for being idle must not come back with its next entry
  wire next = leave && fresh_q[2] && try_go_q && (keep_go_q || !next_same_q);
  wire grant_next = next && try_fits_q;
  wire save = next && !try_fits_q && !cur_valid_q;
  assign pop = grant_next || save;
  assign step = grant_keep || drop || pop;

  always @(posedge clk_i) begin
    if (rst_i) begin
      pause_q <= 2'd0;
      cur_valid_q <= 1'b0;
      cur_q <= 5'd0;
      acc_q <= {ACC_W{1'b0}};
      kept_vl_q <= 5'd0;
      open_q <= 1'b0;
      message_q <= 1'b0;
      ptr_q <= LAST_ENTRY[6:0];
    end else begin
      if (grant_mgmt || step) pause_q <= 2'd3;
      else if (change_vl) pause_q <= 2'd1;
      else if (pause_q != 2'd0) pause_q <= pause_q - 2'd1;
      ptr_q <= ptr_d;
      if (grant_keep) begin
        acc_q <= keep_fits_q ? keep_rest_q : {ACC_W{1'b0}};
        open_q <= message_q && !keep_last_q;
      end
      if (change_vl) kept_vl_q <= {{(5 - VW) {1'b0}}, other_vl_q};
      if (grant_next) begin
        cur_valid_q <= 1'b1;
        cur_q <= front_key_q;
        acc_q <= try_rest_q;
        kept_vl_q <= {{(5 - VW) {1'b0}}, try_vl_q};
        message_q <= front_message_q;
        open_q <= front_message_q && !try_last_q;
      end else if (drop) begin
        cur_valid_q <= 1'b0;
        acc_q <= {ACC_W{1'b0}};
      end
    end
  end

  // VLs that were granted a short time ago: the last one is young, that and the one before held.
  reg [3:0] stay_q;
  wire grant_data = grant_keep || grant_next;
  wire [VLS-1:0] granted_hot = ONE_VL << (grant_keep ? kept_vl : try_vl_q);
  always @(posedge clk_i) begin
    if (rst_i || STAY == 4'd0) begin
      stay_q <= 4'd0;
      young_q <= {VLS{1'b0}};
      held_q <= {VLS{1'b0}};
    end else if (grant_data) begin
      stay_q <= STAY;
      young_q <= granted_hot;
      held_q <= granted_hot | ((stay_q > 4'd1) ? young_q : {VLS{1'b0}});
    end else if (stay_q != 4'd0) begin
      stay_q <= stay_q - 4'd1;
      if (stay_q == 4'd5) held_q <= young_q;
      if (stay_q == 4'd1) begin
        young_q <= {VLS{1'b0}};
        held_q <= {VLS{1'b0}};
      end
    end
  end

  always @* begin
    deficit_we = sweep_key || drop || save;
    deficit_waddr = sweeping ? sweep_q[KW-1:0] : cur_valid_q ? cur : front_key;
    deficit_wdata = sweeping ? {ACC_W{1'b0}} : !cur_valid_q ? try_base_q
                    : keep_go_q ? acc_q : {ACC_W{1'b0}};
    last_we = sweep_key || grant_keep || grant_next;
    last_waddr = sweeping ? sweep_q[KW-1:0] : grant_keep ? cur : front_key;
    last_wdata = sweeping ? LAST_VL[VW-1:0] : grant_keep ? kept_vl : try_vl_q;
  end

  always @(posedge clk_i) begin
    grant_valid_o <= !rst_i && (grant_mgmt || grant_keep || grant_next);
    grant_vl_o <= 5'd0;
    grant_key_o <= 5'd0;
    grant_size_o <= {SIZE_W{1'b0}};
    if (!rst_i && grant_mgmt) begin
      grant_vl_o <= MGMT[4:0];
      grant_key_o <= mgmt_key_q;
      grant_size_o <= mgmt_size_q;
    end
    if (!rst_i && grant_keep) begin
      grant_vl_o <= kept_vl_q;
      grant_key_o <= cur_q;
      grant_size_o <= keep_size_q;
    end
    if (!rst_i && grant_next) begin
      grant_vl_o <= {{(5 - VW) {1'b0}}, try_vl_q};
      grant_key_o <= front_key_q;
      grant_size_o <= try_size_q;
    end
  end

  // ---- what software reads ----------------------------------------------------------------------

  wire read_entries = `LOOM_IS_DTABLE_REG_ENTRY(addr_q);
  wire read_high = `LOOM_IS_DTABLE_REG_IB_HIGH(addr_q);
  wire read_deficits = `LOOM_IS_DTABLE_REG_DEFICIT(addr_q);
  wire read_low = `LOOM_IS_DTABLE_REG_IB_LOW(addr_q);
  wire entry_ok = {1'b0, row_addr} < ALL_ENTRIES;
  wire deficit_ok = {1'b0, addr_q[4:0]} < ALL_KEYS;
  wire [WIDE-1:0] deficit_wide = {{(WIDE - ACC_W) {1'b0}}, deficit_read};
  wire [7:0] deficit_8 = |deficit_wide[WIDE-1:8] ? 8'hFF : deficit_wide[7:0];
  wire [7:0] acc_8 = |acc[WIDE-1:8] ? 8'hFF : acc[7:0];
  always @(posedge clk_i) begin
    addr_q <= rst_i ? 10'd0 : table_addr_i;
    if (rst_i || sweeping) table_rdata_o <= 32'd0;
    else if (read_entries && entry_ok) table_rdata_o <= {18'd0, entry_read};
    else if (read_high && entry_ok) table_rdata_o <= {20'd0, entry_read[11:0]};
    else if (read_deficits && deficit_ok) table_rdata_o <= {{(32 - WIDE) {1'b0}}, deficit_wide};
    else if (read_low && deficit_ok) table_rdata_o <= {24'd0, deficit_8};
    else if (addr_q == `LOOM_DTABLE_REG_ACC) table_rdata_o <= {{(32 - WIDE) {1'b0}}, acc};
    else if (addr_q == `LOOM_DTABLE_REG_PTR) table_rdata_o <= {25'd0, ptr_q};
    else if (addr_q == `LOOM_DTABLE_REG_CUR) table_rdata_o <= {23'd0, cur_valid_q, 3'd0, cur_q};
    else if (addr_q == `LOOM_DTABLE_REG_IB_ACC) table_rdata_o <= {24'd0, acc_8};
    else table_rdata_o <= 32'd0;
  end

  wire unused = &{1'b0, table_data_i[31:14], padded[128], write_entry_q, row_addr, cur_q,
                  front_key_q};

  `LOOM_REQUIRE(head_of_a_lane, !head_valid_i || {1'b0, head_vl_i} < ALL_VLS)
  `LOOM_REQUIRE(head_while_not_ready, (event_hot & ready_i) == {VLS{1'b0}})
  `LOOM_ASSERT(position_in_table, {1'b0, ptr_q} < ALL_ENTRIES)
  `LOOM_ASSERT(flip_without_write, !(flip_q && write_set))
  `LOOM_ASSERT(nothing_while_not_valid,
               grant_valid_o || {grant_vl_o, grant_key_o, grant_size_o} == {(10 + SIZE_W) {1'b0}})

endmodule

`default_nettype wire
