// SPDX-License-Identifier: Apache-2.0

// loom_rr_arbiter: the grant is one-hot, goes to a requester, exists when there is one, is the
// first request at the round-robin position, and reaches a held request with the N-th advance at
// the latest.
`include "props.vh"
`default_nettype none
module f_rr_arbiter #(
  parameter N = 8
) (
  input wire         clk_i,
  input wire [N-1:0] request_i,
  input wire         advance_i
);
  `RESET_ONCE

  wire [N-1:0] grant;
  loom_rr_arbiter #(.N(N)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .request_i(request_i), .advance_i(advance_i), .grant_o(grant)
  );

  // The page's position p, and the mask of the places at p and above.
  reg [6:0] p_q, granted;
  reg [N-1:0] above_q;
  wire [N-1:0] upper = request_i & above_q;
  wire [N-1:0] pool = |upper ? upper : request_i;
  wire [N-1:0] first = pool & (~pool + 1'b1);
  wire [N-1:0] past = ~(first | (first - 1'b1));
  integer k;
  always @* begin
    granted = 0;
    for (k = 0; k < N; k = k + 1) if (first[k]) granted = granted | k;
  end
  always @(posedge clk_i) begin
    if (rst) begin
      p_q <= 0;
      above_q <= {N{1'b1}};
    end else if (advance_i && |request_i) begin
      p_q <= granted == N - 1 ? 7'd0 : granted + 7'd1;
      above_q <= |past ? past : {N{1'b1}};
    end
  end

  // Any one requester: how many advances its held request has seen go to others.
  wire [5:0] watched = $anyconst;
  wire asks = |(request_i >> watched & 1'b1);
  wire wins = |(grant >> watched & 1'b1);
  reg [6:0] lost_q;
  always @(posedge clk_i) begin
    if (rst || !asks || wins && advance_i) lost_q <= 7'd0;
    else if (advance_i) lost_q <= lost_q + 7'd1;
  end

  // The circuit's registers, and what makes the whole inductive: the last grant is one place or
  // none, the groups after it are those above its group, and each advance that passes the watched
  // request by brings the position nearer to it.
  localparam G = (N + 3) / 4;
  wire [4*G-1:0] last;
  wire [G-1:0] after;
  reg [G-1:0] after_ref;
  wire [4*G-1:0] last_up = ~(last | (last - 1'b1));
  wire [N-1:0] behind = last_up[N-1:0];
  wire [6:0] distance = watched >= p_q ? watched - p_q : watched + N - p_q;
  always @* begin
    after_ref = 0;
    for (k = 0; k < G - 1; k = k + 1)
      after_ref[k+1] = after_ref[k] || |last[4*k +: 4];
  end

  always @* begin
    assume(watched < N);
    if (live_q) begin
      `PROVE(p_q < N && above_q == {N{1'b1}} << p_q);
      `PROVE((last & (last - 1'b1)) == 0 && (last >> N) == 0);
      `PROVE(above_q == (last == 0 || behind == 0 ? {N{1'b1}} : behind));
      `PROVE(after == after_ref);
      `PROVE(lost_q + distance < N);
      `PROVE((grant & (grant - 1'b1)) == 0);
      `PROVE((grant & ~request_i) == 0);
      `PROVE(|grant == |request_i);
      `PROVE(grant == first);
      `PROVE(lost_q < N);
      `PROVE(!(lost_q == N - 1 && asks && advance_i) || wins);
      `COVER(lost_q == N - 1 && wins && advance_i);
      `COVER(grant[N-1] && advance_i && N == 1 || grant[N-1] && request_i[0]);
      `COVER(wins && !advance_i && asks);
      `COVER(request_i == 0);
    end
  end
endmodule
`default_nettype wire
