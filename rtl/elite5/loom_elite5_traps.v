// SPDX-License-Identifier: Apache-2.0

// loom_elite5_traps: the queue of traps of a router.
// Inside: loom_elite5_router
//
// Contract: trap_valid_i and trap_data_i are the traps that wait at the links, {cause, vc, dest,
//   ts} in 64 bits a link; trap_move_o says which one is taken in this cycle. pop_i removes the
//   oldest one, {cause, link, vc, dest, ts}.
// Algorithm: a loom_rr_arbiter that moves traps into a loom_fifo.
// Latency: a trap that is moved shows one cycle later.
// Wait bound: a trap that waits is moved at the latest with the LINKS-th move that follows.
// Parameters: LINKS (2..32).
// Realises: E5-17.
// Page: docs/elite5.md, section Traps.
`default_nettype none

module loom_elite5_traps #(
  parameter integer LINKS = 32
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire [LINKS-1:0]    trap_valid_i,
  input  wire [LINKS*64-1:0] trap_data_i,
  output wire [LINKS-1:0]    trap_move_o,
  input  wire                pop_i,
  output wire                valid_o,
  output wire [43:0]         word_o,
  output wire [4:0]          count_o
);

  localparam integer LW = $clog2(LINKS);

  wire [LINKS-1:0] grant;
  wire [4:0] from;
  wire ready;
  wire [37:0] moved = trap_data_i[{from[LW-1:0], 6'd0} +: 38];
  wire unused_traps = &{1'b0, trap_data_i};

  loom_rr_arbiter #(
    .N(LINKS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(trap_valid_i),
    .advance_i(ready),
    .grant_o(grant)
  );

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_from (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(grant),
    .index_o(from)
  );

  loom_fifo #(
    .DEPTH(16),
    .WIDTH(44)
  ) u_traps (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(grant != {LINKS{1'b0}}),
    .data_i({moved[37:35], 1'b0, from, moved[34:0]}),
    .pop_i(pop_i),
    .valid_o(valid_o),
    .data_o(word_o),
    .ready_o(ready),
    .count_o(count_o)
  );

  assign trap_move_o = ready ? grant : {LINKS{1'b0}};

endmodule

`default_nettype wire
