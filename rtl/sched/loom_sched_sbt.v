// SPDX-License-Identifier: Apache-2.0

// loom_sched_sbt: output scheduler with a simple bandwidth table: each key (SL or VL) sends as many
//   packets as its weight, then all weights are restored.
//
// Contract: the interface of all schedulers (docs/sched.md, Interface). Three rules for the
//   restore: text, literal (of the published algorithm, with its quirks), sum-zero; the mode is a
//   register. Every DECIDE grants.
// Algorithm: a search for the next active key that has some of its weight left (docs/sched.md,
//   sched_sbt).
// Latency: inputs of cycle c - 1, request in c, grant in c + 2; a grant every 2 cycles.
// Wait bound: text mode serves an active key of weight w > 0 w times within the sum of all weights,
//   plus one, grants.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), CREDIT_W (bits of a credit count, 4..16).
// Realises: SC-02, SC-03, SC-04, IB-02, OP-18, OP-19, OP-20.
// Page: docs/sched.md, section sched_sbt.
`default_nettype none
`include "loom_assert.vh"
`include "loom_regs.vh"

module loom_sched_sbt #(
  parameter integer VLS      = 16,
  parameter integer KEYS     = 32,
  parameter integer ARB_KEY  = 1,
  parameter integer MGMT_VL  = 15,
  parameter integer SIZE_W   = 10,
  parameter integer CREDIT_W = 12
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
      loom_sched_sbt_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_sched_sbt_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_sched_sbt_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_sched_sbt_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_sched_sbt_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_sched_sbt_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (CREDIT_W < 4 || CREDIT_W > 16) begin : g_bad_credit_w
      loom_sched_sbt_CREDIT_W_must_be_4_to_16 u_error ();
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
  wire [VLS-1:0] eligible;
  wire [VLS*KW-1:0] keys;

  // The table, the mode and the places of the last grant.
  localparam [9:0] ALL_KEYS = KEYS[9:0];
  localparam integer ROWS = (KEYS > 1) ? KEYS : 2;
  localparam [1:0] LITERAL = 2'd1;
  localparam [1:0] SUM_ZERO = 2'd2;
  reg [ROWS*8-1:0] weight_q;
  reg [ROWS*8-1:0] remaining_q;
  reg [1:0] mode_q;
  reg [4:0] cur_q;
  reg [4:0] last_q;

  wire [KEYS-1:0] left;      // remaining > 0
  wire [KEYS-1:0] weighted;  // weight > 0
  wire [VLS-1:0] lane_left;  // the key of this eligible VL has some left
  genvar g;
  generate
    for (g = 0; g < KEYS; g = g + 1) begin : g_row
      assign left[g] = |remaining_q[g*8+:8];
      assign weighted[g] = |weight_q[g*8+:8];
    end
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      assign lane_left[g] = eligible[g] && left[keys[g*KW+:KW]];
    end
  endgenerate

  // SEARCH. Both kinds of search are one: over keys (text, sum-zero) or over VLs (literal),
  // forward from a place on, from the next one on, or, for the last VL of the literal scan,
  // backwards, that is forwards over the mirrored VLs.
  localparam integer LANES = (VLS > 1) ? VLS : 2;
  localparam integer N = (KEYS > VLS) ? KEYS : VLS;
  localparam integer NW = (KW > VW) ? KW : VW;
  localparam [31:0] VL_TOP = VLS - 1;

  wire literal_d = mode_q == LITERAL;

  wire [KEYS-1:0] charged_keys = active & left;
  wire [KEYS-1:0] fresh_keys = active & weighted;
  wire may_restore = |fresh_keys && !(mode_q == SUM_ZERO && |left);
  wire some_left = literal_d ? |lane_left : |charged_keys;

  reg [VLS-1:0] mirrored;
  reg [5:0] lanes;
  reg [5:0] rows;
  integer i;
  always @* begin
    lanes = 6'd0;
    for (i = 0; i < VLS; i = i + 1) begin
      mirrored[i] = eligible[VLS-1-i];
      lanes = lanes + {5'd0, eligible[i]};
    end
    rows = 6'd0;
    for (i = 0; i < KEYS; i = i + 1) rows = rows + {5'd0, weighted[i]};
  end

  wire restore_d = !some_left && (literal_d ? lanes == rows : may_restore);
  wire charged_d = some_left || (!literal_d && may_restore);

  wire [VLS-1:0] lane_request = some_left ? lane_left : mirrored;
  wire [KEYS-1:0] key_request = some_left ? charged_keys : may_restore ? fresh_keys : active;
  wire [NW-1:0] last = last_q[NW-1:0];
  wire [NW-1:0] lane_from = some_left ? last : VL_TOP[NW-1:0] - last;
  wire [NW-1:0] place;

  loom_sched_search #(
    .N(N),
    .W(NW)
  ) u_search (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(literal_d ? {{(N - VLS) {1'b0}}, lane_request}
                           : {{(N - KEYS) {1'b0}}, key_request}),
    .from_i(literal_d ? lane_from : cur_q[NW-1:0]),
    .after_i(!some_left),
    .index_o(place)
  );

  assign found = |active;

  wire [VW-1:0] mirror = VL_TOP[VW-1:0] - place[VW-1:0];
  wire [VW-1:0] lane_d = some_left ? place[VW-1:0] : mirror;
  // Lanes of 8 bits: a shift by a power of two is a plain multiplexer.
  wire [LANES*8-1:0] wide_keys;
  generate
    if (VLS < LANES) begin : g_second
      assign wide_keys[LANES*8-1:VLS*8] = 8'd0;
    end
    for (g = 0; g < VLS; g = g + 1) begin : g_wide
      assign wide_keys[g*8+:8] = {{(8 - KW) {1'b0}}, keys[g*KW+:KW]};
    end
  endgenerate
  wire [KW-1:0] lane_key = wide_keys[{lane_d, 3'b000}+:KW];
  wire [KW-1:0] key_d = literal_d ? lane_key : place[KW-1:0];

  reg literal_q;
  reg restore_q;
  reg charged_q;
  reg [KW-1:0] key_q;
  reg [VW-1:0] lane_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      literal_q <= 1'b0;
      restore_q <= 1'b0;
      charged_q <= 1'b0;
      key_q <= {KW{1'b0}};
      lane_q <= {VW{1'b0}};
    end else if (search) begin
      literal_q <= literal_d;
      restore_q <= restore_d;
      charged_q <= charged_d;
      key_q <= key_d;
      lane_q <= lane_d;
    end
  end

  // DECIDE: restore, charge, grant. A table write wins.
  wire table_row = table_addr_i < ALL_KEYS;
  wire table_mode = table_addr_i == `LOOM_SBT_REG_MODE;

  wire [ROWS*8-1:0] full = restore_q ? weight_q : remaining_q;
  wire [7:0] have = full[{key_q, 3'b000}+:8];
  reg [ROWS*8-1:0] paid;
  integer k;
  always @* begin
    paid = full;
    for (k = 0; k < KEYS; k = k + 1) begin
      if (charged_q && |have && key_q == k[KW-1:0]) paid[k*8+:8] = have - 8'd1;
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      weight_q <= {ROWS{8'd0}};
      remaining_q <= {ROWS{8'd0}};
      mode_q <= 2'd0;
      cur_q  <= 5'd0;
      last_q <= 5'd0;
    end else begin
      if (decide) begin
        remaining_q <= paid;
        cur_q <= {{(5 - KW) {1'b0}}, key_q};
        if (literal_q) last_q <= {{(5 - VW) {1'b0}}, lane_q};
      end
      if (table_we_i && table_row) begin
        weight_q[{table_addr_i[KW-1:0], 3'b000}+:8] <= table_data_i[`LOOM_SBT_REG_WEIGHT_WEIGHT];
        remaining_q[{table_addr_i[KW-1:0], 3'b000}+:8] <= table_data_i[`LOOM_SBT_REG_WEIGHT_WEIGHT];
      end
      if (table_we_i && table_mode) mode_q <= table_data_i[`LOOM_SBT_REG_MODE_MODE];
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
    .eligible_o(eligible),
    .key_o(keys),
    .key_i(key_q),
    .keep_i(1'b0),
    .fixed_i(literal_q),
    .fixed_vl_i(lane_q),
    .vl_o(vl),
    .size_o(size),
    .grant_i(decide),
    .grant_vl_i(vl),
    .grant_key_i(key_q),
    .grant_size_i(size)
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

  always @(posedge clk_i) begin
    if (rst_i) table_rdata_o <= 32'd0;
    else if (table_row) begin
      table_rdata_o <= {
        16'd0,
        remaining_q[{table_addr_i[KW-1:0], 3'b000}+:8],
        weight_q[{table_addr_i[KW-1:0], 3'b000}+:8]
      };
    end else if (table_mode) table_rdata_o <= {30'd0, mode_q};
    else table_rdata_o <= 32'd0;
  end

  wire unused = &{1'b0, cur_q, last_q, table_data_i[31:8]};

  `LOOM_ASSERT(every_decide_grants, !decide || size != {SIZE_W{1'b0}})

endmodule

`default_nettype wire
