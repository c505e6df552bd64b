// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_winner: of those that want something the one that comes before all others.
// Inside: loom_crosspoint_router
//
// Contract: bit i*N + j of before_i, j < i, says that j comes before i, otherwise i comes before j.
//   grant_o is one-hot if that is an order, 0 when nobody wants.
// Algorithm: each pair is looked at alone; a unit of its own, so that no more than this lies behind
//   want_i, which comes late.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: N (2..32).
// Realises: E5-11.
// Page: docs/crosspoint_router.md, section Grant.
`default_nettype none

module loom_crosspoint_winner #(
  parameter integer N = 8
) (
  input  wire [N-1:0]   want_i,
  input  wire [N*N-1:0] before_i,
  output wire [N-1:0]   grant_o
);

  reg [N-1:0] beaten;
  integer i;
  integer j;

  always @* begin
    beaten = {N{1'b0}};
    for (i = 1; i < N; i = i + 1) begin
      for (j = 0; j < i; j = j + 1) begin
        beaten[i] = beaten[i] || (want_i[j] && before_i[i*N+j]);
        beaten[j] = beaten[j] || (want_i[i] && !before_i[i*N+j]);
      end
    end
  end

  wire unused = &{1'b0, before_i};

  assign grant_o = want_i & ~beaten;

endmodule

`default_nettype wire
