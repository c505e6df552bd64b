// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_turns: which input an output takes: of those that want it with the highest
//   priority the next one in turn.
// Inside: loom_crosspoint_router
//
// Contract: grant_o is combinational, one-hot, 0 when nobody wants; prio*_i are those of all
//   inputs. advance_i says that the grant of this cycle is taken; the turn moves past it.
// Algorithm: with up to 8 inputs each pair is compared, by priority and then by turn; none of this
//   waits for want_i, so only two levels of logic lie behind it. With more inputs the highest
//   priority is found first, and a loom_rr_arbiter picks.
// Latency: none. A grant every cycle.
// Wait bound: of those with one priority one that is held is granted at the latest with the N-th
//   advance that follows.
// Parameters: N (2..32).
// Realises: E5-11.
// Page: docs/crosspoint_router.md, section Grant.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_turns #(
  parameter integer N = 32
) (
  input  wire         clk_i,
  input  wire         rst_i,
  input  wire [N-1:0] want_i,
  input  wire [N-1:0] prio1_i,
  input  wire [N-1:0] prio0_i,
  input  wire         advance_i,
  output wire [N-1:0] grant_o
);

  localparam [N-1:0] NONE = 0;

  generate
    if (N <= 8) begin : g_pairs
      reg [N-1:0] after_q;                      // those after the last grant
      reg [N*N-1:0] ahead;                      // of a pair the lower one comes first
      reg [N-1:0] after;
      integer i;
      integer j;
      integer k;

      always @* begin
        ahead = {(N * N){1'b0}};
        for (i = 1; i < N; i = i + 1) begin
          for (j = 0; j < i; j = j + 1)
            ahead[i*N+j] = (prio1_i[j] != prio1_i[i]) ? prio1_i[j]
                            : (prio0_i[j] != prio0_i[i]) ? prio0_i[j] : after_q[j] || !after_q[i];
        end
      end

      loom_crosspoint_winner #(
        .N(N)
      ) u_winner (
        .want_i(want_i),
        .before_i(ahead),
        .grant_o(grant_o)
      );

      always @* begin
        after[0] = 1'b0;
        for (k = 1; k < N; k = k + 1) after[k] = after[k-1] || grant_o[k-1];
      end

      always @(posedge clk_i) begin
        if (rst_i) after_q <= NONE;
        else if (advance_i && want_i != NONE) after_q <= after;
      end
    end else begin : g_filter
      wire [N-1:0] urgent = want_i & prio1_i;
      wire [N-1:0] first = (urgent != NONE) ? urgent : want_i;
      wire [N-1:0] first_urgent = first & prio0_i;

      loom_rr_arbiter #(
        .N(N)
      ) u_arbiter (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .request_i((first_urgent != NONE) ? first_urgent : first),
        .advance_i(advance_i),
        .grant_o(grant_o)
      );
    end
  endgenerate

  `LOOM_ASSERT(one_of_those_that_want,
      (grant_o & -grant_o) == grant_o && (grant_o & ~want_i) == {N{1'b0}})
  `LOOM_ASSERT(somebody_if_wanted, (want_i != {N{1'b0}}) == (grant_o != {N{1'b0}}))

endmodule

`default_nettype wire
