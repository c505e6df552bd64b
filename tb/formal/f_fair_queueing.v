// SPDX-License-Identifier: Apache-2.0

// loom_fair_queueing with a user that keeps its duties (ready_user.vh): while a head of key 0 waits
// with its ready bit, key 1 sends no more than its price allows.
`include "props.vh"
`include "loom_regs.vh"
`define FIRST_WORD 1
`default_nettype none
module f_fair_queueing
`include "ready_user.vh"

  loom_fair_queueing #(`READY_PARAMETERS) u_dut (`READY_PORTS);

  wire [7:0] shown_price = rdata[`LOOM_FAIR_REG_PRICE_PRICE];
  wire [7:0] price0 = word_q[7:0];
  wire [7:0] price1 = word_q[15:8];
  // Beside what has smaller stamps, one packet was decided, and one can be until the head has its.
  wire [15:0] cost = head_q[0 +: SIZE_W] * price0;
  wire [15:0] most = cost + 2 * LARGEST * price1;

  always @* begin
    if (live_q) begin
      `PROVE(!read1_q || addr2_q < KEYS || addr2_q == `LOOM_FAIR_REG_NOW || rdata == 0);
      `PROVE(rewritten_q || sent_q * price1 <= most);
      `COVER(shown_price == 3 && granted && grant_vl == 1);
      `COVER(!rewritten_q && price1 == 1 && sent_q > LARGEST);
    end
  end
endmodule
`default_nettype wire
