// SPDX-License-Identifier: Apache-2.0

// loom_sched_search: cyclic first match: the first request at a position, or after it, going round.
// Inside: loom_sched_front, loom_sched_sbt, loom_sched_dtable, loom_sched_ibarb
//
// Contract: the search looks at from_i, from_i + 1, ..., N - 1, 0, ..., from_i - 1; with after_i it
//   begins after from_i, which then comes last. A position from N on counts as 0. index_o is 0 when
//   no request is set.
// Algorithm: two masked searches for the lowest bit (x & -x) in one.
// Latency: none, combinational.
// Wait bound: none.
// Parameters: N (requests, 1..128), W (bits of a position, at least clog2(N) and 1).
// Realises: SC-01, DT-02, IB-04.
// Page: docs/sched.md, section Interface.
`default_nettype none

module loom_sched_search #(
  parameter integer N = 32,
  parameter integer W = 5
) (
  input  wire         clk_i,
  input  wire         rst_i,
  input  wire [N-1:0] request_i,
  input  wire [W-1:0] from_i,
  input  wire         after_i,
  output wire [W-1:0] index_o
);

  wire [N-1:0] at = {N{1'b1}} << from_i;
  wire [N-1:0] mask = after_i ? at << 1 : at;
  wire [N-1:0] above = request_i & mask;
  wire [N-1:0] from = (|above) ? above : request_i;

  loom_encode #(
    .N(N),
    .W(W)
  ) u_encode (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(from & -from),
    .index_o(index_o)
  );

endmodule

`default_nettype wire
