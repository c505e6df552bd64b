// SPDX-License-Identifier: Apache-2.0

// loom_lone_grant: grants a packet that is alone at once, where a scheduler would first search its
//   table, and then lets the scheduler come to the same grant while the packet is being sent.
//
// Contract: its user is that of a scheduler: a head event comes while ready_i of its VL is 0, and
//   ready_i is 0 from the cycle after a grant of the VL until its next head event. The scheduler
//   grants what was ready and requested two cycles before, and in the end a VL that alone stays
//   ready with a served key, whatever its size; a served bit that falls is 0 for one cycle or for 5
//   and more. Only a VL whose ready_i was 1 two cycles before is granted, with the size and key of
//   its head event. Each head event reaches the scheduler once; the scheduler's next grant is that
//   of the packet ahead, unless its key is not served any more.
// Algorithm: one register says that one VL alone is ready; its head is looked up in the next cycle.
//   While it is ahead the scheduler sees this VL alone, and a next head of the VL waits here
//   (docs/lone_grant.md).
// Latency: request and ready_i in c, grant in c + 2. The scheduler's grants, requests, ready bits
//   and heads go through in their own cycle.
// Wait bound: what comes while a packet is ahead waits until the scheduler has granted that.
// Parameters: VLS (1..32), KEYS (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the
//   VL, 1: the SL), MGMT_VL (management VL, 0..32; none if >= VLS), SIZE_W (bits of a size in units
//   of 64 bytes, 1..12), QUIET (cycles without a grant before one is granted ahead, 1..15; at least
//   STAY_CYCLES of the scheduler, and its distance of two grants less 2).
// Realises: DT-01, DT-10, IB-02, OP-18, OP-19, OP-20; probes one, ahead, late, quiet, train.
// Page: docs/lone_grant.md, section What happens.
`default_nettype none
`include "loom_assert.vh"

module loom_lone_grant #(
  parameter integer VLS     = 16,
  parameter integer KEYS    = 32,
  parameter integer ARB_KEY = 1,
  parameter integer MGMT_VL = 15,
  parameter integer SIZE_W  = 10,
  parameter integer QUIET   = 8
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
  output wire              grant_valid_o,
  output wire [4:0]        grant_vl_o,
  output wire [4:0]        grant_key_o,
  output wire [SIZE_W-1:0] grant_size_o,

  output wire              sched_request_o,
  output wire [VLS-1:0]    sched_ready_o,
  output wire              sched_head_valid_o,
  output wire [4:0]        sched_head_vl_o,
  output wire [SIZE_W-1:0] sched_head_size_o,
  output wire [4:0]        sched_head_sl_o,
  output wire              sched_head_last_o,
  input  wire [KEYS-1:0]   sched_served_i,
  input  wire              sched_grant_valid_i,
  input  wire [4:0]        sched_grant_vl_i,
  input  wire [4:0]        sched_grant_key_i,
  input  wire [SIZE_W-1:0] sched_grant_size_i
);

  generate
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_lone_grant_VLS_must_be_1_to_32 u_error ();
    end
    if (KEYS < 1 || KEYS > 32) begin : g_bad_keys
      loom_lone_grant_KEYS_must_be_1_to_32 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_lone_grant_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ARB_KEY == 0 && KEYS < VLS) begin : g_bad_keys_below_vls
      loom_lone_grant_KEYS_must_be_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (MGMT_VL < 0 || MGMT_VL > 32) begin : g_bad_mgmt_vl
      loom_lone_grant_MGMT_VL_must_be_0_to_32 u_error ();
    end
    if (SIZE_W < 1 || SIZE_W > 12) begin : g_bad_size_w
      loom_lone_grant_SIZE_W_must_be_1_to_12 u_error ();
    end
    if (QUIET < 1 || QUIET > 15) begin : g_bad_quiet
      loom_lone_grant_QUIET_must_be_1_to_15 u_error ();
    end
  endgenerate

  localparam integer VW = (VLS > 1) ? $clog2(VLS) : 1;
  localparam integer V_WORDS = (VLS > 1) ? VLS : 2;  // a RAM has at least two words
  localparam [5:0] ALL_VLS = VLS[5:0];
  localparam integer MGMT = (MGMT_VL < VLS) ? MGMT_VL : 0;
  localparam [VLS-1:0] NONE = {VLS{1'b0}};
  localparam [VLS-1:0] ONE_VL = {{(VLS - 1) {1'b0}}, 1'b1};
  localparam [VLS-1:0] MGMT_HOT = (MGMT_VL < VLS) ? ONE_VL << MGMT : NONE;
  localparam [3:0] QUIET_C = QUIET[3:0];
  localparam [9+SIZE_W:0] NO_FIELDS = 0;

  reg [VLS-1:0] more_q;    // the packet at the head is not the last of its message
  reg late_q;              // the scheduler does not know the head of ahead_vl_q yet
  reg [VLS-1:0] masked_q;  // what the scheduler does not see of ready_i
  reg [VLS-1:0] only_q;    // what it sees instead while ahead
  reg one_q;               // one VL alone was ready, for a request
  reg [4:0] one_vl_q;
  reg try_q;               // it is granted now, if the scheduler grants nothing
  reg [4:0] try_vl_q;      // this and what follows are 0 while nothing is tried
  reg [4:0] try_key_q;
  reg [SIZE_W-1:0] try_size_q;
  reg ahead_q;             // a packet was granted that the scheduler did not grant yet
  reg [4:0] ahead_vl_q;
  reg [4:0] ahead_key_q;
  reg [3:0] quiet_q;       // cycles until something may go ahead
  reg train_q;             // a message is open
  reg [4:0] train_vl_q;
  reg [1:0] unserved_q;    // cycles in which the key of the packet ahead was not served

  // ---- what the user and the scheduler owe ------------------------------------------------------

  `LOOM_REQUIRE(head_of_a_lane, !head_valid_i || event_we)
  `LOOM_REQUIRE(head_while_not_ready, (event_hot & ready_i) == NONE)
  `LOOM_REQUIRE(one_head_late, !(early && late_q))
  `LOOM_REQUIRE(grant_of_a_lane, !sched_grant_valid_i || {1'b0, sched_grant_vl_i} < ALL_VLS)
  `LOOM_REQUIRE(grant_of_what_is_ahead, !(sched_grant_valid_i && ahead_q) ||
                {sched_grant_vl_i, sched_grant_key_i} == {ahead_vl_q, ahead_key_q})
  `LOOM_REQUIRE(grant_0_while_not_valid, sched_grant_valid_i ||
                {sched_grant_vl_i, sched_grant_key_i, sched_grant_size_i} == {(10 + SIZE_W) {1'b0}})
  `LOOM_REQUIRE(served_again_later, !(unserved_q[1] && served))

`ifdef LOOM_ASSERT_ON
  reg [VLS-1:0] shown1_q;               // what the scheduler saw as ready, with a request
  reg [VLS-1:0] shown2_q;
  reg [SIZE_W-1:0] ahead_size_q;
  always @(posedge clk_i) begin
    shown1_q <= (rst_i || !sched_request_o) ? NONE : sched_ready_o;
    shown2_q <= rst_i ? NONE : shown1_q;
    if (own) ahead_size_q <= try_size_q;
  end
  `LOOM_REQUIRE(scheduler_grants_what_was_ready, !sched_grant_valid_i ||
                (shown2_q & ONE_VL << sched_grant_vl_i) != NONE)
  `LOOM_REQUIRE(size_of_what_is_ahead, !(sched_grant_valid_i && ahead_q) ||
                sched_grant_size_i == ahead_size_q)
`endif

  // ---- heads ------------------------------------------------------------------------------------

  wire event_we = head_valid_i && {1'b0, head_vl_i} < ALL_VLS;
  wire [VLS-1:0] event_hot = event_we ? ONE_VL << head_vl_i : NONE;
  wire early = head_valid_i && ahead_q && head_vl_i == ahead_vl_q;
  wire show = late_q && !ahead_q && !head_valid_i;
  wire pass = head_valid_i && !early;

  // Only a VL that is late is shown, and nothing is tried meanwhile: so one read port does.
  wire [4:0] read_vl = late_q ? ahead_vl_q : one_vl_q;
  wire [SIZE_W-1:0] size;
  wire [4:0] sl;
  wire last;
  loom_lut_ram #(.DEPTH(V_WORDS), .WIDTH(SIZE_W + 6)) u_head (
    .clk_i(clk_i), .we_i(event_we), .waddr_i(head_vl_i[VW-1:0]),
    .wdata_i({head_size_i, head_sl_i, head_last_i}),
    .raddr_i(read_vl[VW-1:0]), .rdata_o({size, sl, last})
  );

  assign sched_head_valid_o = pass || show;
  assign sched_head_vl_o = pass ? head_vl_i : show ? ahead_vl_q : 5'd0;
  assign sched_head_size_o = pass ? head_size_i : show ? size : {SIZE_W{1'b0}};
  assign sched_head_sl_o = pass ? head_sl_i : show ? sl : 5'd0;
  assign sched_head_last_o = pass ? head_last_i : show && last;

  // ---- one VL alone -----------------------------------------------------------------------------

  // The VLs folded in halves, as a tree: whether there is one, whether there are more.
  wire [31:0] all = {{(32 - VLS) {1'b0}}, ready_i};
  wire [15:0] some_16 = all[31:16] | all[15:0];
  wire [15:0] more_16 = all[31:16] & all[15:0];
  wire [7:0] some_8 = some_16[15:8] | some_16[7:0];
  wire [7:0] more_8 = more_16[15:8] | more_16[7:0] | (some_16[15:8] & some_16[7:0]);
  wire [3:0] some_4 = some_8[7:4] | some_8[3:0];
  wire [3:0] more_4 = more_8[7:4] | more_8[3:0] | (some_8[7:4] & some_8[3:0]);
  wire [1:0] some_2 = some_4[3:2] | some_4[1:0];
  wire [1:0] more_2 = more_4[3:2] | more_4[1:0] | (some_4[3:2] & some_4[1:0]);
  wire alone = ^some_2 && more_2 == 2'd0 && (ready_i & MGMT_HOT) == NONE;
  wire one = request_i && alone;
  wire [4:0] one_vl = {|(all & 32'hFFFF0000), |(all & 32'hFF00FF00), |(all & 32'hF0F0F0F0),
                       |(all & 32'hCCCCCCCC), |(all & 32'hAAAAAAAA)};

  // ---- its grant --------------------------------------------------------------------------------

  wire [31:0] served_all = {{(32 - KEYS) {1'b0}}, sched_served_i};  // none beyond KEYS
  wire [4:0] key = (ARB_KEY != 0) ? sl : one_vl_q;
  wire may = !try_q && !ahead_q && !late_q && quiet_q == 4'd0 &&
             (!train_q || train_vl_q == one_vl_q);
  wire attempt = one_q && may && !sched_grant_valid_i && |size && served_all[key];

  wire own = try_q && !sched_grant_valid_i;
  wire through = sched_grant_valid_i && !ahead_q;
  assign grant_valid_o = own || through;
  // Both sides are 0 while not valid, so that no valid bit has to choose for all of the fields.
  wire [9+SIZE_W:0] own_fields = sched_grant_valid_i ? NO_FIELDS
                                                     : {try_vl_q, try_key_q, try_size_q};
  wire [9+SIZE_W:0] through_fields =
      ahead_q ? NO_FIELDS : {sched_grant_vl_i, sched_grant_key_i, sched_grant_size_i};
  assign {grant_vl_o, grant_key_o, grant_size_o} = own_fields | through_fields;

  // ---- what the scheduler sees ------------------------------------------------------------------

  wire served = served_all[ahead_key_q];
  wire ahead_d = own || (ahead_q && !sched_grant_valid_i && !given_up);
  wire [VLS-1:0] ahead_hot_d = ONE_VL << (own ? try_vl_q : ahead_vl_q);
  wire late_d = early || (late_q && !show);
  wire [1:0] unserved_d = (ahead_q && !served) ? unserved_q + 2'd1 : 2'd0;
  wire given_up = unserved_q == 2'd3;
  assign sched_request_o = ahead_q || (request_i && !attempt && !try_q);
  // As two registers a VL, so that ready bits do not pass another level of LUTs.
  assign sched_ready_o = (ready_i & ~masked_q) | only_q;

  // ---- state ------------------------------------------------------------------------------------

  wire [31:0] more_all = {{(32 - VLS) {1'b0}}, more_q};
  wire grant_mgmt = MGMT_VL < VLS && grant_vl_o == MGMT[4:0];
  always @(posedge clk_i) begin
    if (rst_i) begin
      more_q <= NONE;
      late_q <= 1'b0;
      masked_q <= NONE;
      only_q <= NONE;
      one_q <= 1'b0;
      one_vl_q <= 5'd0;
      try_q <= 1'b0;
      try_vl_q <= 5'd0;
      try_key_q <= 5'd0;
      try_size_q <= {SIZE_W{1'b0}};
      ahead_q <= 1'b0;
      ahead_vl_q <= 5'd0;
      ahead_key_q <= 5'd0;
      quiet_q <= 4'd0;
      train_q <= 1'b0;
      train_vl_q <= 5'd0;
      unserved_q <= 2'd0;
    end else begin
      more_q <= (more_q & ~event_hot) | (event_hot & {VLS{!head_last_i}});
      late_q <= late_d;
      masked_q <= {VLS{ahead_d}} | (ahead_hot_d & {VLS{late_d}});
      only_q <= ahead_hot_d & {VLS{ahead_d && unserved_d == 2'd0}};
      one_q <= one;
      one_vl_q <= one ? one_vl : 5'd0;
      try_q <= attempt;
      try_vl_q <= attempt ? one_vl_q : 5'd0;
      try_key_q <= attempt ? key : 5'd0;
      try_size_q <= attempt ? size : {SIZE_W{1'b0}};
      ahead_q <= ahead_d;
      if (own) begin
        ahead_vl_q <= try_vl_q;
        ahead_key_q <= try_key_q;
      end
      if (sched_grant_valid_i || try_q) quiet_q <= QUIET_C;
      else if (quiet_q != 4'd0) quiet_q <= quiet_q - 4'd1;
      if (grant_valid_o && !grant_mgmt) begin
        train_q <= more_all[grant_vl_o];
        train_vl_q <= grant_vl_o;
      end else if (ahead_q && given_up && !sched_grant_valid_i) begin
        train_q <= 1'b1;  // the scheduler may wait for the next packet of this VL
        train_vl_q <= ahead_vl_q;
      end
      unserved_q <= unserved_d;
    end
  end

  wire unused = &{1'b0, read_vl};

`ifdef LOOM_ASSERT_ON
  reg request1_q;
  reg request2_q;
  reg [VLS-1:0] ready1_q;
  reg [VLS-1:0] ready2_q;
  always @(posedge clk_i) begin
    request1_q <= !rst_i && request_i;
    request2_q <= !rst_i && request1_q;
    ready1_q <= rst_i ? NONE : ready_i;
    ready2_q <= rst_i ? NONE : ready1_q;
  end
  `LOOM_ASSERT(grant_of_what_was_ready, !grant_valid_o ||
               (request2_q && (ready2_q & ONE_VL << grant_vl_o) != NONE))
`endif
  `LOOM_ASSERT(nothing_shown_while_ahead, !(ahead_q && (grant_valid_o || try_q)))
  `LOOM_ASSERT(one_vl_while_ahead, !ahead_q || (sched_ready_o & ~(ONE_VL << ahead_vl_q)) == NONE)
  `LOOM_ASSERT(head_to_scheduler_while_not_ready, !sched_head_valid_o ||
               (sched_ready_o & ONE_VL << sched_head_vl_o) == NONE)
  `LOOM_ASSERT(nothing_while_not_valid, grant_valid_o ||
               {grant_vl_o, grant_key_o, grant_size_o} == {(10 + SIZE_W) {1'b0}})
  `LOOM_ASSERT(no_head_while_not_valid, sched_head_valid_o ||
               {sched_head_vl_o, sched_head_size_o, sched_head_sl_o, sched_head_last_o} ==
               {(11 + SIZE_W) {1'b0}})

endmodule

`default_nettype wire
