// SPDX-License-Identifier: Apache-2.0

// loom_rr_arbiter: round-robin arbiter, fast at 32 to 64 requests.
//
// Contract: grant_o is combinational, one-hot, 0 when nobody asks: the first request at or after
//   the position, modulo N. advance_i says that the grant of this cycle is taken; the position
//   moves past it.
// Algorithm: groups of four. The position is kept as the last grant (one-hot) and the groups after
//   it (thermometer). Three answers are found side by side: the first request after the last grant
//   in its own group, the first request of each group, and for each group whether a group with
//   precedence asks. The last level of logic chooses; the next position needs no more levels than
//   the grant.
// Latency: none from request_i to grant_o (five levels of four-input logic at N = 32). A grant
//   every cycle.
// Wait bound: a request that is held is granted at the latest with the N-th advance that follows.
// Parameters: N (requests, 1..64).
// Realises: OP-11, E5-11, SC-01.
// Page: docs/parts.md, section rr_arbiter.
`default_nettype none
`include "loom_assert.vh"

module loom_rr_arbiter #(
  parameter integer N = 32
) (
  input  wire         clk_i,
  input  wire         rst_i,
  input  wire [N-1:0] request_i,
  input  wire         advance_i,
  output wire [N-1:0] grant_o
);

  generate
    if (N < 1 || N > 64) begin : g_bad_n
      loom_rr_arbiter_N_must_be_1_to_64 u_error ();
    end
  endgenerate

  localparam integer G = (N + 3) / 4;           // groups
  localparam integer W = 4 * G;                 // places
  // Places that have one, two, three below them in their group.
  localparam [W-1:0] FROM1 = {G{4'b1110}};
  localparam [W-1:0] FROM2 = {G{4'b1100}};
  localparam [W-1:0] FROM3 = {G{4'b1000}};

  localparam [G-1:0] NOT_FIRST = ~{{(G-1){1'b0}}, 1'b1};

  reg [W-1:0] last_q;                           // the last grant, 0 after reset
  reg [G-1:0] after_q;                          // groups after that of the last grant

  wire [W-1:0] request;
  generate
    if (W > N) begin : g_pad
      assign request = {{(W - N){1'b0}}, request_i};
    end else begin : g_full
      assign request = request_i;
    end
  endgenerate

  // Behind the last grant in its group. `above_x`: places with a one of x below them in the group.
  wire [W-1:0] above_last = ((last_q << 1) & FROM1) | ((last_q << 2) & FROM2)
      | ((last_q << 3) & FROM3);
  wire [W-1:0] behind = request & above_last;
  wire hit = behind != {W{1'b0}};
  wire [W-1:0] above_behind = ((behind << 1) & FROM1) | ((behind << 2) & FROM2)
      | ((behind << 3) & FROM3);
  wire [W-1:0] first_behind = behind & ~above_behind;

  // In each group.
  wire [W-1:0] above_request = ((request << 1) & FROM1) | ((request << 2) & FROM2)
      | ((request << 3) & FROM3);
  wire [W-1:0] first = request & ~above_request;
  wire [G-1:0] any;
  wire any_after = (any & after_q) != {G{1'b0}};
  wire [G-1:0] next_after;
  wire [W-1:0] blocked;                         // a group with precedence asks: four places each

  generate
    genvar g;
    for (g = 0; g < G; g = g + 1) begin : g_group
      localparam [G-1:0] BELOW = ({{(G-1){1'b0}}, 1'b1} << g) - 1;
      wire [G-1:0] prior = after_q[g] ? after_q & BELOW : after_q | BELOW;
      assign any[g] = request[4*g +: 4] != 4'd0;
      assign blocked[4*g +: 4] = {4{(any & prior) != {G{1'b0}}}};
      assign next_after[g] = any_after ? (any & after_q & BELOW) != {G{1'b0}}
                                       : (any & BELOW) != {G{1'b0}};
    end
  endgenerate

  wire [W-1:0] grant = first_behind | (hit ? {W{1'b0}} : first & ~blocked);
  wire idle = any == {G{1'b0}};
  wire stay = idle || hit;                      // the group stays

  // The clock enable is advance_i alone: one that had to wait for the requests would be the slowest
  // path. For the same reason the registers are held with gates and not with a multiplexer, of
  // which synthesis would make such an enable. Without a request the grant is 0.
  always @(posedge clk_i) begin
    if (rst_i) begin
      last_q <= {W{1'b0}};
      after_q <= {G{1'b0}};
    end else if (advance_i) begin
      last_q <= grant | (last_q & {W{idle}});
      after_q <= ((next_after & {G{!stay}}) | (after_q & {G{stay}})) & NOT_FIRST;
    end
  end

  assign grant_o = grant[N-1:0];

  // The next request after the last grant, said in another way than the one that is fast.
  `LOOM_ASSERT(last_is_one_hot, (last_q & -last_q) == last_q)
  `LOOM_ASSERT(grant_is_next, grant == (((request & -(last_q << 1)) != {W{1'b0}})
      ? request & -(last_q << 1) & -(request & -(last_q << 1)) : request & -request))

endmodule

`default_nettype wire
