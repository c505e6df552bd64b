// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_counters: the counters of a link, and the answer of its window.
// Inside: loom_crosspoint_router
//
// Contract: pulse_i has a bit for each counter, in the order of the page from 0x020 on. re_i and
//   addr_i are a read of the window; word_i is what the window says otherwise, one cycle later.
// Algorithm: a loom_turn_counters without events.
// Latency: the answer comes two cycles after re_i; a pulse counts 9 cycles later at most.
// Wait bound: none.
// Parameters: none.
// Realises: E5-39.
// Page: docs/crosspoint_router.md, section Counters.
`default_nettype none
`include "loom_regs.vh"

module loom_crosspoint_counters (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire [14:0] pulse_i,
  input  wire        re_i,
  input  wire [11:0] addr_i,
  input  wire [31:0] word_i,
  output wire [31:0] rdata_o
);

  reg asked_q;
  reg counter_q;
  reg [31:0] word_q;
  wire at_counter = addr_i >= `LOOM_ELITE5_REG_LINK_WORDS_IN
                    && addr_i <= `LOOM_ELITE5_REG_LINK_PASSED;
  wire [31:0] count;
  wire unused_ready;
  wire [1:0] unused_slot;
  wire unused_sweeping;
  wire [2:0] unused_sweep;

  loom_turn_counters #(
    .STREAMS(1),
    .INDEX_W(3),
    .PULSES(15)
  ) u_counters (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .ready_o(unused_ready),
    .valid_i(1'b0),
    .index_i(3'd0),
    .amount_i(12'd0),
    .pulse_i(pulse_i),
    .slot_o(unused_slot),
    .sweeping_o(unused_sweeping),
    .sweep_o(unused_sweep),
    .first_i(64'd0),
    .read_addr_i({3'd4, addr_i[3:0]}),
    .read_data_o(count)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      asked_q <= 1'b0;
      counter_q <= 1'b0;
      word_q <= 32'd0;
    end else begin
      asked_q <= re_i && at_counter;
      counter_q <= asked_q;
      word_q <= word_i;
    end
  end

  assign rdata_o = counter_q ? count : word_q;

endmodule

`default_nettype wire
