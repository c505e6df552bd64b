// SPDX-License-Identifier: Apache-2.0

// loom_table_view: which VLs are ready under which key, and so which entries of a table in RAM have
//   a packet to send; with the table write that must not come between.
// Inside: loom_two_table
//
// Contract: the scheduler around it holds the registers shown_i and write_step_i (they are its
//   probes) and loads them from shown_o and write_step_o. The key of a head event is below KEYS if
//   event_ok_i. A VL in hold_i stays in the view as it is. hit_o has a bit for each entry whose
//   key has a ready VL and whose weight is not 0. The users of members have copies of that RAM
//   and write them with members_*_o. served_o has the keys with an entry that has a weight; a bit
//   that falls stays 0 for one cycle or for 5 and more.
// Algorithm: one VL a cycle is taken into the view or out of it. When a key turns active or idle by
//   that, the bits of its row, a RAM of its entries, are turned over in hit_o (docs/tables.md).
// Latency: ready_i in c, pick in c + 1, members in c + 3, hit_o in c + 4. A table write takes 4
//   cycles; one in c takes the old key from served_o in c + 4 and adds the new one in c + 5. Sweep:
//   as long as the scheduler says.
// Wait bound: a VL is picked within VLS cycles, if no table write comes between.
// Parameters: VLS, KEYS, MGMT_VL as the schedulers have them, ENTRIES (bits of a row, 1..128).
// Realises: DT-02d, DT-02f, IB-04, OP-19.
// Page: docs/tables.md, section The view.
`default_nettype none
`include "loom_assert.vh"

module loom_table_view #(
  parameter integer VLS     = 16,
  parameter integer KEYS    = 32,
  parameter integer MGMT_VL = 15,
  parameter integer ENTRIES = 128
) (
  input  wire               clk_i,
  input  wire               rst_i,

  input  wire               sweeping_i,
  input  wire [6:0]         sweep_i,         // the key that is swept

  input  wire [VLS-1:0]     ready_i,
  input  wire               event_valid_i,   // a head event of a VL that there is
  input  wire [4:0]         event_vl_i,
  input  wire [4:0]         event_key_i,
  input  wire               event_ok_i,      // it has a size and a key that there is
  input  wire [VLS-1:0]     hold_i,
  output wire [VLS-1:0]     event_hot_o,
  output wire [VLS-1:0]     can_o,           // VLs that may be granted
  output wire [VLS-1:0]     moved_o,         // VLs in the view whose head has another key now

  input  wire               write_i,         // an entry is written: step 1 comes next
  input  wire [6:0]         write_entry_i,
  input  wire [4:0]         write_key_i,
  input  wire [7:0]         write_weight_i,
  input  wire [4:0]         old_key_i,       // in step 1: the key that the entry has
  output wire [6:0]         entry_o,         // in step 3: what it takes
  output wire [4:0]         entry_key_o,
  output wire [7:0]         entry_weight_o,
  input  wire [1:0]         write_step_i,
  output wire [1:0]         write_step_o,

  input  wire [VLS-1:0]     shown_i,
  output wire [VLS-1:0]     shown_o,
  output wire               members_we_o,
  output wire [4:0]         members_waddr_o,
  output wire [VLS-1:0]     members_wdata_o,
  output wire [KEYS-1:0]    served_o,        // keys that have an entry with a weight
  output wire [ENTRIES-1:0] hit_o,
  output wire               flip_o,          // a key turns active or idle: hit_o changes next
  output wire               flip_idle_o,
  output wire [4:0]         flip_key_o
);

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;
  // a RAM has at least two words
  localparam integer V_WORDS = (VLS > 1) ? VLS : 2;
  localparam integer K_WORDS = (KEYS > 1) ? KEYS : 2;
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam integer MGMT = (MGMT_VL < VLS) ? MGMT_VL : 0;
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [VLS-1:0] MGMT_HOT = (MGMT_VL < VLS) ? ONE_VL << MGMT : {VLS{1'b0}};

  // ---- heads ------------------------------------------------------------------------------------

  wire [VW-1:0] event_vl = event_vl_i[VW-1:0];
  wire [VLS-1:0] event_hot = event_valid_i ? ONE_VL << event_vl : {VLS{1'b0}};
  wire [4:0] event_old_key;
  wire event_moved = event_key_i != event_old_key;
  wire [VLS-1:0] pick;
  reg [VLS-1:0] ok_q;
  reg [VLS-1:0] moved_q;
  wire [VLS-1:0] can = ready_i & ok_q & (MGMT_HOT | (shown_i & ~moved_q & ~pick));
  integer v;
  assign event_hot_o = event_hot;
  assign can_o = can;
  assign moved_o = moved_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      ok_q <= {VLS{1'b0}};
      moved_q <= {VLS{1'b0}};
    end else begin
      for (v = 0; v < VLS; v = v + 1) if (event_hot[v]) ok_q[v] <= event_ok_i;
      moved_q <= shown_i & ((moved_q & ~event_hot) | (event_hot & {VLS{event_moved}}));
    end
  end

  // ---- the view ---------------------------------------------------------------------------------

  // The lowest VL that differs: that of each group of 8 is found a cycle ahead, with its place and
  // whether it leaves.
  reg [VLS-1:0] done_q;
  reg [VLS-1:0] first_q;
  reg [3:0] any_q;
  reg [11:0] place_q;
  reg [3:0] leave_q;
  wire may_pick = !sweeping_i && write_step_i == 2'd0;
  wire picked = may_pick && |any_q;
  wire [VLS-1:0] differ = ((ready_i & ok_q & ~moved_q) ^ shown_i) &
                          ~(MGMT_HOT | hold_i | done_q | pick);
  wire [31:0] differ_all = {{(32 - VLS) {1'b0}}, differ};
  wire [31:0] shown_all = {{(32 - VLS) {1'b0}}, shown_i};
  wire [31:0] first;
  wire [11:0] place;
  wire [3:0] any;
  wire [3:0] leave;
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_group
      wire [7:0] d = differ_all[8*g+:8];
      wire [7:0] f = d & ~{|d[6:0], |d[5:0], |d[4:0], |d[3:0], |d[2:0], |d[1:0], d[0], 1'b0};
      assign first[8*g+:8] = f;
      assign any[g] = |d;
      assign place[3*g+:3] = {|f[7:4], |{f[7:6], f[3:2]}, f[7] || f[5] || f[3] || f[1]};
      assign leave[g] = |(f & shown_all[8*g+:8]);
    end
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      if (g < 8) begin : g_first_group
        assign pick[g] = may_pick && first_q[g];
      end else begin : g_later_group
        assign pick[g] = may_pick && first_q[g] && !(|any_q[g/8-1:0]);
      end
    end
  endgenerate
  reg [4:0] pick_all;
  reg leaves;
  integer n;
  always @* begin
    pick_all = 5'd0;
    leaves = 1'b0;
    for (n = 3; n >= 0; n = n - 1) begin
      if (any_q[n]) begin
        pick_all = {n[1:0], place_q[3*n+:3]};
        leaves = leave_q[n];
      end
    end
  end
  wire [VW-1:0] pick_vl = pick_all[VW-1:0];
  wire [4:0] picked_key;
  wire [4:0] left_key;
  assign shown_o = shown_i ^ pick;

  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(5)) u_key (
    .clk_i(clk_i), .we_i(event_valid_i), .waddr_i(event_vl), .wdata_i(event_key_i),
    .raddr_i(pick_vl), .rdata_o(picked_key)
  );
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

  wire [VLS-1:0] members;
  wire [VLS-1:0] new_members = members ^ change_vl_q;
  assign members_we_o = change_q || sweeping_i;
  assign members_waddr_o = sweeping_i ? sweep_i[4:0] : change_key_q;
  assign members_wdata_o = sweeping_i ? {VLS{1'b0}} : new_members;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_members (
    .clk_i(clk_i), .we_i(members_we_o), .waddr_i(members_waddr_o[KW-1:0]),
    .wdata_i(members_wdata_o),
    .raddr_i(change_key_q[KW-1:0]), .rdata_o(members)
  );
  wire [VLS-1:0] write_members;
  loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(VLS)) u_write_members (
    .clk_i(clk_i), .we_i(members_we_o), .waddr_i(members_waddr_o[KW-1:0]),
    .wdata_i(members_wdata_o), .raddr_i(write_key_q[KW-1:0]), .rdata_o(write_members)
  );

  reg flip_q;
  reg flip_idle_q;
  reg [4:0] flip_key_q;
  wire none = members == {VLS{1'b0}};
  wire none_new = new_members == {VLS{1'b0}};
  always @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= {VLS{1'b0}};
      any_q <= 4'd0;
      place_q <= 12'd0;
      leave_q <= 4'd0;
      done_q <= {VLS{1'b0}};
      change_q <= 1'b0;
      change_vl_q <= {VLS{1'b0}};
      change_key_q <= 5'd0;
      flip_q <= 1'b0;
      flip_idle_q <= 1'b0;
      flip_key_q <= 5'd0;
    end else begin
      first_q <= first[VLS-1:0];
      any_q <= any;
      place_q <= place;
      leave_q <= leave;
      if (may_pick && !picked) done_q <= {VLS{1'b0}};
      else done_q <= done_q | pick;
      change_q <= picked;
      change_vl_q <= pick;
      change_key_q <= (write_step_i == 2'd1) ? old_key_i : (write_step_i == 2'd2) ? write_key_q
                      : leaves ? left_key : picked_key;
      flip_q <= change_q && (none || none_new);
      flip_idle_q <= none_new;
      flip_key_q <= change_key_q;
    end
  end
  assign flip_o = flip_q;
  assign flip_idle_o = flip_idle_q;
  assign flip_key_o = flip_key_q;

  // ---- table writes -----------------------------------------------------------------------------

  reg [6:0] write_entry_q;
  reg [7:0] write_weight_q;
  reg write_hit_q;
  wire write_clear = write_step_i == 2'd2;
  wire write_set = write_step_i == 2'd3;
  assign write_step_o = write_i ? 2'd1 : (write_step_i != 2'd0) ? write_step_i + 2'd1 : 2'd0;
  assign entry_o = write_entry_q;
  assign entry_key_o = write_key_q;
  assign entry_weight_o = write_weight_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      write_entry_q <= 7'd0;
      write_key_q <= 5'd0;
      write_weight_q <= 8'd0;
      write_hit_q <= 1'b0;
    end else begin
      if (write_i) begin
        write_entry_q <= write_entry_i;
        write_key_q <= write_key_i;
        write_weight_q <= write_weight_i;
      end
      write_hit_q <= |write_weight_q && {1'b0, write_key_q} < ALL_KEYS && |write_members;
    end
  end

  loom_table_rows #(.KEYS(KEYS), .ENTRIES(ENTRIES)) u_rows (
    .clk_i(clk_i), .rst_i(rst_i), .sweeping_i(sweeping_i), .sweep_key_i(sweep_i[4:0]),
    .key_i(change_key_q), .clear_i(write_clear), .set_i(write_set), .entry_i(write_entry_q),
    .some_i(|write_weight_q), .hit_i(write_hit_q), .flip_i(flip_q), .served_o(served_o),
    .hit_o(hit_o)
  );

  wire unused = &{1'b0, event_vl_i, pick_all, first, sweep_i, members_waddr_o};

  `LOOM_REQUIRE(head_while_not_ready, (event_hot & ready_i) == {VLS{1'b0}})
  `LOOM_REQUIRE(write_while_idle, !write_i || (write_step_i == 2'd0 && !sweeping_i))
  `LOOM_ASSERT(flip_without_write, !(flip_q && write_set))

endmodule

`default_nettype wire
