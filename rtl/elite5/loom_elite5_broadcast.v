// SPDX-License-Identifier: Apache-2.0

// loom_elite5_broadcast: gives broadcasts their VCs, one broadcast at a time and all of its VCs at
//   once.
// Inside: loom_elite5_router
//
// Contract: wait_i are the inputs with a broadcast that waits; each names one, the lowest of its
//   VCs, by its place in the broadcast class (8 bits an input), with its links (32 bits an input).
//   The top holds the register sel_i (it is a probe) and loads it from sel_o. alloc_i are the
//   outputs whose VC b of the class is allocated, at [32*b +: LINKS]. In the cycle of open_o or
//   sink_o the broadcast place_o of the input of in_o gets VC vc_o of the class on all links of
//   live_o, or is swallowed.
// Algorithm: a loom_rr_arbiter over the inputs; what it picks stays until it has its VCs, or, if it
//   goes to one chosen link, for one cycle: then it waits for its next turn.
// Latency: VCs at the earliest one cycle after the pick.
// Wait bound: an input that waits is picked at the latest with the LINKS-th pick; a broadcast that
//   was picked waits until one VC of the class is free on all its links. It holds nothing of this
//   router then.
// Parameters: LINKS (2..32), BVCS (1..8).
// Realises: E5-28, E5-30.
// Page: docs/elite5.md, section Broadcast.
`default_nettype none
`include "loom_assert.vh"

module loom_elite5_broadcast #(
  parameter integer LINKS = 32,
  parameter integer BVCS  = 4
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire [LINKS-1:0]    up_i,
  input  wire [LINKS-1:0]    wait_i,
  input  wire [LINKS*8-1:0]  place_i,
  input  wire [LINKS*32-1:0] mask_i,
  input  wire [LINKS-1:0]    all_i,             // it goes to all links of its entry
  input  wire [BVCS*32-1:0]  alloc_i,
  input  wire                sel_i,
  output wire [LINKS-1:0]    pick_o,            // input that bsel takes one of
  output wire                sel_o,
  output wire                open_o,
  output wire                sink_o,
  output wire [LINKS-1:0]    in_o,              // one-hot
  output wire [4:0]          in_index_o,
  output wire [2:0]          place_o,
  output wire [2:0]          vc_o,
  output wire [LINKS-1:0]    live_o,
  output wire [5:0]          left_o,            // links of live_o
  output wire                nacked_o           // a link of the broadcast is not up
);

  localparam integer LW = $clog2(LINKS);
  localparam [LINKS-1:0] NONE = 0;
  localparam [BVCS-1:0] ONE = 1;

  reg [LINKS-1:0] in_q;
  reg [4:0] index_q;
  reg [2:0] place_q;
  reg [LINKS-1:0] mask_q;
  reg all_q;

  // ---- Pick -------------------------------------------------------------------------------------

  wire [LINKS-1:0] picked;
  wire [4:0] index;
  wire unused = &{1'b0, place_i, mask_i, index};

  loom_rr_arbiter #(
    .N(LINKS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(sel_i ? NONE : wait_i),
    .advance_i(1'b1),
    .grant_o(picked)
  );

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_index (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(picked),
    .index_o(index)
  );

  // The mask of a broadcast that waits does not change.
  always @(posedge clk_i) begin
    if (rst_i) begin
      in_q <= NONE;
      index_q <= 5'd0;
      place_q <= 3'd0;
      mask_q <= NONE;
      all_q <= 1'b0;
    end else if (picked != NONE) begin
      in_q <= picked;
      index_q <= index;
      place_q <= place_i[{index[LW-1:0], 3'd0} +: 3];
      mask_q <= mask_i[{index[LW-1:0], 5'd0} +: LINKS];
      all_q <= (all_i & picked) != NONE;
    end
  end

  // ---- Its VCs ----------------------------------------------------------------------------------

  wire [LINKS-1:0] live = sel_i ? mask_q & up_i : NONE;
  wire dead = live == NONE;
  reg [BVCS-1:0] can;                           // VCs that are free on all links
  reg [5:0] left;
  integer b;
  integer l;

  always @* begin
    for (b = 0; b < BVCS; b = b + 1) can[b] = (alloc_i[b*32 +: LINKS] & live) == NONE;
    left = 6'd0;
    for (l = 0; l < LINKS; l = l + 1) left = left + {5'd0, live[l]};
  end

  wire [BVCS-1:0] first = can & (~can + ONE);
  reg [2:0] vc;
  integer n;

  always @* begin
    vc = 3'd0;
    for (n = 0; n < BVCS; n = n + 1) if (first[n]) vc = vc | n[2:0];
  end

  wire open = sel_i && !dead && can != {BVCS{1'b0}};
  wire sink = sel_i && dead;

  assign sel_o = sel_i ? !open && !sink && all_q : picked != NONE;
  assign pick_o = picked;
  assign open_o = open;
  assign sink_o = sink;
  assign in_o = in_q;
  assign in_index_o = index_q;
  assign place_o = place_q;
  assign vc_o = vc;
  assign live_o = live;
  assign left_o = left;
  assign nacked_o = (mask_q & ~up_i) != NONE;

  `LOOM_ASSERT(one_input, (in_o & -in_o) == in_o)
  `LOOM_ASSERT(opened_or_swallowed, !(open_o && sink_o))
  `LOOM_ASSERT(opens_on_some_link, !open_o || (live_o != {LINKS{1'b0}} && left_o != 6'd0))

endmodule

`default_nettype wire
