// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_traps: the queue of traps of a router.
// Inside: loom_crosspoint_router
//
// Contract: trap_valid_i and trap_data_i are the traps that wait at the links, {cause, vc, dest,
//   ts} in 64 bits a link; move_o says which one is taken in this cycle. pop_i removes the oldest
//   one, {cause, link, vc, dest, ts}.
// Algorithm: a loom_rr_arbiter names a link one cycle ahead, whose trap then goes into a loom_fifo.
//   Two places of it are left free, for the one that was named and the one that is.
// Latency: a trap that waits shows two cycles later.
// Wait bound: a trap that waits is moved at the latest with the LINKS-th move that follows.
// Parameters: LINKS (2..32).
// Realises: E5-17.
// Page: docs/crosspoint_router.md, section Traps.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_traps #(
  parameter integer LINKS = 32
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire [LINKS-1:0]    trap_valid_i,
  input  wire [LINKS*64-1:0] trap_data_i,
  output wire [LINKS-1:0]    move_o,
  input  wire                pop_i,
  output wire                valid_o,
  output wire [43:0]         word_o,
  output wire [4:0]          count_o
);

  localparam [LINKS-1:0] NONE = 0;

  reg [LINKS-1:0] moved_q;
  wire [LINKS-1:0] grant;
  wire [4:0] from;
  wire [4:0] count;
  wire ready;
  wire space = count <= 5'd13;
  reg [37:0] trap;
  integer l;

  loom_rr_arbiter #(
    .N(LINKS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(trap_valid_i & ~moved_q),
    .advance_i(space),
    .grant_o(grant)
  );

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_from (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(moved_q),
    .index_o(from)
  );

  always @* begin
    trap = 38'd0;
    for (l = 0; l < LINKS; l = l + 1) if (moved_q[l]) trap = trap | trap_data_i[l*64 +: 38];
  end

  wire unused = &{1'b0, trap_data_i, ready};

  loom_fifo #(
    .DEPTH(16),
    .WIDTH(44)
  ) u_traps (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(moved_q != NONE),
    .data_i({trap[37:35], 1'b0, from, trap[34:0]}),
    .pop_i(pop_i),
    .valid_o(valid_o),
    .data_o(word_o),
    .ready_o(ready),
    .count_o(count)
  );

  always @(posedge clk_i) begin
    if (rst_i) moved_q <= NONE;
    else moved_q <= space ? grant : NONE;
  end

  assign move_o = moved_q;
  assign count_o = count;

  `LOOM_ASSERT(none_is_lost, ready || moved_q == {LINKS{1'b0}})

endmodule

`default_nettype wire
