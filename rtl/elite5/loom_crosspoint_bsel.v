// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_bsel: gives broadcasts their VCs, all of one broadcast at once.
// Inside: loom_crosspoint_router
//
// Contract: wait_i are the inputs that have a broadcast. In the cycle of at_o the input named shows
//   one on its lanes of place_i (8 bits), mask_i (32) and all_i. alloc_i has 32 bits for each VC of
//   the class: where it is given away. What is decided shows on open_o or sink_o with the rest, for
//   one cycle, and holds from its end on.
// Algorithm: one broadcast is under way at a time, in three stages: who, its mask, its VC.
// Latency: three cycles from wait_i to open_o, if a VC is free on all links.
// Wait bound: inputs take turns; one that goes to all links of its entry is kept until it is
//   served.
// Parameters: LINKS (2..32), BVCS (1..8).
// Realises: E5-28, E5-30.
// Page: docs/crosspoint_router.md, section Bsel.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_bsel #(
  parameter integer LINKS = 32,
  parameter integer BVCS  = 4
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire [LINKS-1:0]    up_i,
  input  wire [LINKS-1:0]    wait_i,
  input  wire [LINKS*8-1:0]  place_i,
  input  wire [LINKS*32-1:0] mask_i,
  input  wire [LINKS-1:0]    all_i,
  input  wire [BVCS*32-1:0]  alloc_i,
  output wire [LINKS-1:0]    at_o,
  output wire                ask_o,
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

  localparam [LINKS-1:0] NONE = 0;
  localparam [BVCS-1:0] ONE = 1;

  reg [LINKS-1:0] at_q;                         // the input that is looked at
  reg ask_q;
  reg [LINKS-1:0] ask_in_q;
  reg [2:0] ask_place_q;
  reg [LINKS-1:0] ask_mask_q;
  reg ask_all_q;
  reg open_q;
  reg sink_q;
  reg [LINKS-1:0] in_q;
  reg [2:0] place_q;
  reg [2:0] vc_q;
  reg [LINKS-1:0] live_q;
  reg [5:0] left_q;
  reg nacked_q;

  // ---- Who, and its mask ------------------------------------------------------------------------

  wire idle = at_q == NONE && !ask_q && !open_q && !sink_q;
  wire [LINKS-1:0] picked;
  reg [2:0] place;
  reg [LINKS-1:0] mask;
  integer i;

  loom_rr_arbiter #(
    .N(LINKS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(wait_i),
    .advance_i(idle),
    .grant_o(picked)
  );

  always @* begin
    place = 3'd0;
    mask = NONE;
    for (i = 0; i < LINKS; i = i + 1) begin
      if (at_q[i]) begin
        place = place | place_i[i*8 +: 3];
        mask = mask | mask_i[i*32 +: LINKS];
      end
    end
  end

  wire unused = &{1'b0, place_i, mask_i, alloc_i};

  // ---- Its VC -----------------------------------------------------------------------------------

  wire [LINKS-1:0] live = ask_mask_q & up_i;
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
  wire dead = live == NONE;
  wire found = can != {BVCS{1'b0}};
  wire opens = ask_q && !dead && found;
  wire sinks = ask_q && dead;
  wire [2:0] vc;

  loom_encode #(
    .N(BVCS),
    .W(3)
  ) u_vc (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(first),
    .index_o(vc)
  );

  always @(posedge clk_i) begin
    if (at_q != NONE) begin
      ask_in_q <= at_q;
      ask_place_q <= place;
      ask_mask_q <= mask;
      ask_all_q <= (all_i & at_q) != NONE;
    end
    in_q <= ask_in_q;
    place_q <= ask_place_q;
    vc_q <= vc;
    live_q <= live;
    left_q <= left;
    nacked_q <= (ask_mask_q & ~up_i) != NONE;
    if (rst_i) begin
      at_q <= NONE;
      ask_q <= 1'b0;
      open_q <= 1'b0;
      sink_q <= 1'b0;
    end else begin
      at_q <= idle ? picked : NONE;
      ask_q <= at_q != NONE || (ask_q && !opens && !sinks && ask_all_q);
      open_q <= opens;
      sink_q <= sinks;
    end
  end

  wire [4:0] index;

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_index (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i((open_q || sink_q) ? in_q : NONE),
    .index_o(index)
  );

  assign at_o = at_q;
  assign ask_o = ask_q;
  assign open_o = open_q;
  assign sink_o = sink_q;
  assign in_o = in_q;
  assign in_index_o = index;
  assign place_o = place_q;
  assign vc_o = vc_q;
  assign live_o = live_q;
  assign left_o = left_q;
  assign nacked_o = nacked_q;

  `LOOM_ASSERT(one_input, (at_o & -at_o) == at_o)
  `LOOM_ASSERT(opened_or_swallowed, !(open_o && sink_o))
  `LOOM_ASSERT(opens_on_some_link, !open_o || (live_o != {LINKS{1'b0}} && left_o != 6'd0))

endmodule

`default_nettype wire
