// Cyclic first match: the first set request at a position, or after it, going round.
// Inside: loom_sched_front, loom_sched_sbt, loom_sched_dtable, loom_sched_ibarb
//
// Contract: from_i < N. The search looks at from, from + 1, ..., N - 1, 0, ..., from - 1; with
//   after_i it begins behind from, which then comes last. index_o is 0 when no request is set.
// Latency: 0, combinational: two masked x & -x in one.
// Page: docs/sched.md (SC-01, DT-02, IB-04)
`default_nettype none

module loom_sched_search #(
  parameter N = 32,  // number of requests, 1..128
  parameter W = 5    // width of a position, at least clog2(N) and 1
) (
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
    .onehot_i(from & -from),
    .index_o(index_o)
  );

endmodule

`default_nettype wire
