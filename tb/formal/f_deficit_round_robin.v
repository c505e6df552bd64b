// SPDX-License-Identifier: Apache-2.0

// loom_deficit_round_robin with a user that keeps its duties (ready_user.vh): deficits keep their
// bound, and while a head of key 0 waits with its ready bit, key 1 sends no more than its turns
// allow.
`include "props.vh"
`include "loom_regs.vh"
`define FIRST_WORD 64
`default_nettype none
module f_deficit_round_robin
`include "ready_user.vh"

  loom_deficit_round_robin #(`READY_PARAMETERS) u_dut (`READY_PORTS);

  wire [12:0] shown_deficit = rdata[`LOOM_DRR_REG_QUANTUM_DEFICIT];
  wire [7:0] shown_quantum = rdata[`LOOM_DRR_REG_QUANTUM_QUANTUM];
  wire [7:0] quantum = word_q[15:8];  // of key 1
  // One turn of key 1 that was decided before, and one before each of key 0: at most its size.
  wire [5:0] turns = 1 + head_q[0 +: SIZE_W];
  wire [11:0] most = turns * quantum + LARGEST;

  always @* begin
    if (live_q) begin
      `PROVE(!read1_q || addr2_q < KEYS || rdata == 0);
      `PROVE(shown_deficit <= 255 + LARGEST - 1);
      `PROVE(rewritten_q || sent_q <= most);
      `COVER(shown_deficit == LARGEST - 1 && shown_quantum == 1);
      `COVER(!rewritten_q && quantum < LARGEST && sent_q > LARGEST);
    end
  end
endmodule
`default_nettype wire
