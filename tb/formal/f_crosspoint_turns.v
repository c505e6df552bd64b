// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_turns: the grant is one-hot, goes to one that wants it, exists when there is one,
// and is the next one in turn among those of the highest priority. This is the form by pairs, up to
// 8; the other one is a loom_rr_arbiter.
`include "props.vh"
`default_nettype none
module f_crosspoint_turns #(
  parameter N = 4
) (
  input wire         clk_i,
  input wire [N-1:0] want_i,
  input wire [N-1:0] prio1_i,
  input wire [N-1:0] prio0_i,
  input wire         advance_i
);
  `RESET_ONCE

  wire [N-1:0] grant;
  loom_crosspoint_turns #(.N(N)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .want_i(want_i), .prio1_i(prio1_i), .prio0_i(prio0_i),
    .advance_i(advance_i), .grant_o(grant)
  );

  // Those of the highest priority, and of these the first above the last grant, else the first.
  reg [N-1:0] above_q, best;
  reg [1:0] most;
  wire [N-1:0] upper = best & above_q;
  wire [N-1:0] pool = |upper ? upper : best;
  wire [N-1:0] first = pool & (~pool + 1'b1);
  integer k;
  always @* begin
    most = 0;
    for (k = 0; k < N; k = k + 1)
      if (want_i[k] && {prio1_i[k], prio0_i[k]} > most) most = {prio1_i[k], prio0_i[k]};
    for (k = 0; k < N; k = k + 1) best[k] = want_i[k] && {prio1_i[k], prio0_i[k]} == most;
  end
  always @(posedge clk_i) begin
    if (rst) above_q <= 0;
    else if (advance_i && |want_i) above_q <= ~(first | (first - 1'b1));
  end

  wire [N-1:0] after;                           // of the circuit, where it has pairs

  always @* begin
    if (live_q) begin
      `PROVE(after == above_q);
      `PROVE((grant & (grant - 1'b1)) == 0);
      `PROVE((grant & ~want_i) == 0);
      `PROVE(|grant == |want_i);
      `PROVE(grant == first);
      `COVER(grant[0] && above_q[N-1] && prio1_i == 1 && advance_i);
      `COVER(grant[N-1] && want_i[0] && prio1_i == 0 && prio0_i == 0);
    end
  end
endmodule
`default_nettype wire
