// SPDX-License-Identifier: Apache-2.0

// loom_elite5_tally: the counters of a link.
// Inside: loom_elite5_router
//
// Contract: count_i has a bit for each counter, in the order of the page from 0x020 on, but for the
//   traps lost, of which lost_i is the number in this cycle. rdata_o is 0 for what is no counter.
// Algorithm: registers.
// Latency: read data one cycle after re_i.
// Wait bound: none.
// Parameters: none.
// Realises: E5-39.
// Page: docs/elite5.md, section Registers.
`default_nettype none
`include "loom_regs.vh"

module loom_elite5_tally (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire [14:0] count_i,
  input  wire [1:0]  lost_i,
  input  wire        re_i,
  input  wire [11:0] addr_i,
  output wire [31:0] rdata_o
);

  localparam integer COUNTERS = 15;
  localparam integer LOST     = 12;             // the counter of traps lost

  reg [COUNTERS*32-1:0] count_q;
  reg [31:0] word_q;
  integer i;
  wire [3:0] number = addr_i[3:0];
  wire at_counter = addr_i >= `LOOM_ELITE5_REG_LINK_WORDS_IN
                    && addr_i <= `LOOM_ELITE5_REG_LINK_PASSED;

  always @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= {COUNTERS{32'd0}};
      word_q <= 32'd0;
    end else begin
      for (i = 0; i < COUNTERS; i = i + 1) begin
        if (count_i[i]) count_q[i*32 +: 32] <= count_q[i*32 +: 32] + 32'd1;
      end
      if (lost_i != 2'd0) count_q[LOST*32 +: 32] <= count_q[LOST*32 +: 32] + {30'd0, lost_i};
      word_q <= (re_i && at_counter) ? count_q[{number, 5'd0} +: 32] : 32'd0;
    end
  end

  assign rdata_o = word_q;

endmodule

`default_nettype wire
