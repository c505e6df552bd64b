// SPDX-License-Identifier: Apache-2.0

// loom_sched_front: what the four output schedulers share: the snapshot of their inputs, their two
//   phases, the management VL, the choice of the VL, the grant registers.
// Inside: loom_sched_rr, loom_sched_sbt, loom_sched_dtable, loom_sched_ibarb
//
// Contract: the policy around it holds the registers phase_i and mgmt_i (they are its probes) and
//   loads them from phase_o and mgmt_o. In a cycle with search_o it says in found_i whether it goes
//   on to DECIDE. In any cycle it may ask for a VL: the first eligible one of key_i after (keep_i:
//   at) the VL that was last granted under this key, or the one named by fixed_vl_i. In DECIDE it
//   grants with grant_i; the grant shows in the next cycle. Outside DECIDE, and in DECIDE for the
//   management VL, it must hold grant_i at 0.
// Algorithm: eligible VLs are those with a packet that fits their credits; a key is active if one
//   of its VLs is eligible. The management VL goes first, by itself.
// Latency: inputs of cycle c - 1, request and SEARCH in c, DECIDE in c + 1, grant in c + 2. A grant
//   every 2 cycles.
// Wait bound: the management VL, once in the snapshot, is granted first; everything else is the
//   policy's.
// Parameters: VLS, KEYS, ARB_KEY, MGMT_VL, SIZE_W, CREDIT_W as the schedulers have them, VW and KW
//   (bits of a VL's and of a key's number, clog2 of how many there are and at least 1).
// Realises: SC-01, DT-02d, DT-02f, IB-02, IB-04, OP-18, OP-19, OP-20.
// Page: docs/sched.md, section Interface.
`default_nettype none
`include "loom_assert.vh"

module loom_sched_front #(
  parameter integer VLS      = 16,
  parameter integer KEYS     = 32,
  parameter integer ARB_KEY  = 1,
  parameter integer MGMT_VL  = 15,
  parameter integer SIZE_W   = 10,
  parameter integer CREDIT_W = 12,
  parameter integer VW       = 4,
  parameter integer KW       = 5
) (
  input  wire                    clk_i,
  input  wire                    rst_i,

  input  wire                    request_i,
  input  wire [VLS-1:0]          head_valid_i,
  input  wire [VLS*SIZE_W-1:0]   head_size_i,
  input  wire [VLS*5-1:0]        head_sl_i,
  input  wire [VLS*CREDIT_W-1:0] credits_i,
  output reg                     grant_valid_o,
  output reg  [4:0]              grant_vl_o,
  output reg  [4:0]              grant_key_o,
  output reg  [SIZE_W-1:0]       grant_size_o,

  input  wire                    phase_i,       // DECIDE
  input  wire                    mgmt_i,        // for the management VL
  output wire                    phase_o,       // next values of both
  output wire                    mgmt_o,
  output wire                    search_o,      // the policy searches
  input  wire                    found_i,       // and has found: DECIDE is next

  output wire [KEYS-1:0]         active_o,      // keys with an eligible VL, but the management VL
  output wire [VLS-1:0]          eligible_o,    // eligible VLs, without the management VL
  output wire [VLS*KW-1:0]       key_o,         // their keys

  input  wire [KW-1:0]           key_i,         // choose a VL of this key
  input  wire                    keep_i,        // beginning with the last one
  input  wire                    fixed_i,       // no choice: this VL
  input  wire [VW-1:0]           fixed_vl_i,
  output wire [VW-1:0]           vl_o,          // the VL and its size
  output wire [SIZE_W-1:0]       size_o,

  input  wire                    grant_i,
  input  wire [VW-1:0]           grant_vl_i,
  input  wire [KW-1:0]           grant_key_i,
  input  wire [SIZE_W-1:0]       grant_size_i
);

  `LOOM_REQUIRE(grants_in_decide_only, !grant_i || (phase_i && !mgmt_i))
  `LOOM_REQUIRE(grants_an_eligible_vl,
      !grant_i || (eligible_o & ({{(VLS - 1){1'b0}}, 1'b1} << grant_vl_i)) != {VLS{1'b0}})

  localparam integer CMP_W = (SIZE_W > CREDIT_W) ? SIZE_W : CREDIT_W;
  localparam integer LANES = (VLS > 1) ? VLS : 2;
  localparam HAS_MGMT = MGMT_VL < VLS;
  localparam integer MGMT = HAS_MGMT ? MGMT_VL : 0;
  localparam [31:0] MGMT_BIT = HAS_MGMT ? 32'd1 << MGMT : 32'd0;
  localparam [VLS-1:0] MGMT_MASK = MGMT_BIT[VLS-1:0];

  // The snapshot.
  reg [VLS-1:0] elig_q;
  reg [LANES*16-1:0] size_q;  // lanes of 16 bits: a shift by a power of two is a plain multiplexer

  wire [VLS-1:0] key_ok;
  wire [VLS-1:0] elig_d;
  wire [LANES*16-1:0] size_d;

  wire management = |(elig_q & MGMT_MASK);
  wire to_mgmt = !phase_i && request_i && management;
  assign search_o = !phase_i && request_i && !management;
  assign phase_o  = to_mgmt || (search_o && found_i);
  assign mgmt_o   = to_mgmt;
  assign eligible_o = elig_q & ~MGMT_MASK;

  genvar v;
  generate
    if (VLS < LANES) begin : g_second
      assign size_d[LANES*16-1:VLS*16] = 16'd0;
    end
    for (v = 0; v < VLS; v = v + 1) begin : g_lane
      wire [SIZE_W-1:0] size = head_size_i[v*SIZE_W+:SIZE_W];
      wire [CREDIT_W-1:0] credits = credits_i[v*CREDIT_W+:CREDIT_W];
      wire fits = {{(CMP_W - SIZE_W) {1'b0}}, size} <= {{(CMP_W - CREDIT_W) {1'b0}}, credits};
      assign elig_d[v] = head_valid_i[v] && size != {SIZE_W{1'b0}} && fits && key_ok[v];
      assign size_d[v*16+:16] = elig_d[v] ? {{(16 - SIZE_W) {1'b0}}, size} : 16'd0;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (rst_i) begin
      elig_q <= {VLS{1'b0}};
      size_q <= {LANES{16'd0}};
    end else if (!phase_o) begin
      elig_q <= elig_d;
      size_q <= size_d;
    end
  end

  // Keys, active keys, and the VL of a key.
  wire [VW-1:0] chosen;
  wire [KW-1:0] mgmt_key;

  generate
    if (ARB_KEY == 0) begin : g_by_vl
      // A VL is its own key: nothing to store, nothing to choose.
      assign key_ok = {VLS{1'b1}};
      for (v = 0; v < KEYS; v = v + 1) begin : g_key
        if (v < VLS) begin : g_vl
          assign active_o[v] = eligible_o[v];
        end else begin : g_none
          assign active_o[v] = 1'b0;
        end
      end
      for (v = 0; v < VLS; v = v + 1) begin : g_number
        localparam [31:0] NUMBER = v;
        assign key_o[v*KW+:KW] = NUMBER[KW-1:0];
      end
      assign chosen = key_i[VW-1:0];
      wire unused = &{1'b0, head_sl_i, key_i, keep_i};
    end else begin : g_by_sl
      localparam [5:0] ALL_KEYS = KEYS[5:0];
      localparam [31:0] LAST_VL = VLS - 1;
      reg [VLS*KW-1:0] key_q;
      reg [VW-1:0] last_vl_q[0:KEYS-1];
      wire [VLS-1:0] match;

      for (v = 0; v < VLS; v = v + 1) begin : g_lane_key
        assign key_ok[v] = {1'b0, head_sl_i[v*5+:5]} < ALL_KEYS;
        assign match[v] = eligible_o[v] && key_q[v*KW+:KW] == key_i;
        always @(posedge clk_i) begin
          if (rst_i) key_q[v*KW+:KW] <= {KW{1'b0}};
          else if (!phase_o) key_q[v*KW+:KW] <= elig_d[v] ? head_sl_i[v*5+:KW] : {KW{1'b0}};
        end
      end

      reg [KEYS-1:0] active;
      integer l;
      always @* begin
        active = {KEYS{1'b0}};
        for (l = 0; l < VLS; l = l + 1) begin
          active = active | ({{(KEYS - 1) {1'b0}}, eligible_o[l]} << key_q[l*KW+:KW]);
        end
      end
      assign active_o = active;
      assign key_o = key_q;

      loom_sched_search #(
        .N(VLS),
        .W(VW)
      ) u_choose (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .request_i(match),
        .from_i(last_vl_q[key_i]),
        .after_i(!keep_i),
        .index_o(chosen)
      );

      integer k;
      always @(posedge clk_i) begin
        if (rst_i) begin
          for (k = 0; k < KEYS; k = k + 1) last_vl_q[k] <= LAST_VL[VW-1:0];
        end else if (grant_i) begin
          last_vl_q[grant_key_i] <= grant_vl_i;
        end
      end
    end
  endgenerate

  assign vl_o   = fixed_i ? fixed_vl_i : chosen;
  assign size_o = size_q[{vl_o, 4'b0000}+:SIZE_W];

  // The grant.
  localparam [31:0] MGMT_NUMBER = MGMT;
  assign mgmt_key = key_o[MGMT*KW+:KW];

  always @(posedge clk_i) begin
    if (rst_i) begin
      grant_valid_o <= 1'b0;
      grant_vl_o    <= 5'd0;
      grant_key_o   <= 5'd0;
      grant_size_o  <= {SIZE_W{1'b0}};
    end else if (phase_i && mgmt_i) begin
      grant_valid_o <= 1'b1;
      grant_vl_o    <= MGMT_NUMBER[4:0];
      grant_key_o   <= {{(5 - KW) {1'b0}}, mgmt_key};
      grant_size_o  <= size_q[MGMT*16+:SIZE_W];
    end else begin
      grant_valid_o <= grant_i;
      grant_vl_o    <= grant_i ? {{(5 - VW) {1'b0}}, grant_vl_i} : 5'd0;
      grant_key_o   <= grant_i ? {{(5 - KW) {1'b0}}, grant_key_i} : 5'd0;
      grant_size_o  <= grant_i ? grant_size_i : {SIZE_W{1'b0}};
    end
  end

  `LOOM_ASSERT(grant_has_a_size, !grant_valid_o || grant_size_o != {SIZE_W{1'b0}})
  `LOOM_ASSERT(fields_0_without_grant,
      grant_valid_o || {grant_vl_o, grant_key_o, grant_size_o} == {(SIZE_W + 10){1'b0}})

endmodule

`default_nettype wire
