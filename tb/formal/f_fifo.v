// SPDX-License-Identifier: Apache-2.0

// loom_fifo: one symbolic item is followed from its push to its pop: it has before it exactly what
// was inside at its push, shows as head when these are gone, unchanged, and leaves once. Count and
// flags.
`include "props.vh"
`default_nettype none
module f_fifo #(
  parameter DEPTH = 4,
  parameter WIDTH = 1
) (
  input wire             clk_i,
  input wire             push_i,
  input wire [WIDTH-1:0] data_i,
  input wire             pop_i,
  input wire             mark_i
);
  localparam C = $clog2(DEPTH + 1);
  `RESET_ONCE

  wire valid, ready;
  wire [WIDTH-1:0] head;
  wire [C-1:0] count;
  loom_fifo #(.DEPTH(DEPTH), .WIDTH(WIDTH)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .push_i(push_i), .data_i(data_i), .pop_i(pop_i),
    .valid_o(valid), .data_o(head), .ready_o(ready), .count_o(count)
  );

  reg [C-1:0] count_q;
  wire push = push_i && count_q < DEPTH;
  wire pop = pop_i && count_q != 0;

  // The marked item: inside, and how many are before it.
  reg marked_q, inside_q;
  reg [C-1:0] before_q;
  reg [WIDTH-1:0] item_q;
  wire leaves = inside_q && pop && before_q == 0;
  wire mark = mark_i && push && !marked_q;
  reg full_q;
  always @(posedge clk_i) begin
    if (rst) begin
      count_q <= 0;
      marked_q <= 1'b0;
      inside_q <= 1'b0;
      full_q <= 1'b0;
    end else begin
      count_q <= count_q + push - pop;
      full_q <= full_q || count_q == DEPTH;
      if (mark) begin
        marked_q <= 1'b1;
        inside_q <= 1'b1;
        item_q <= data_i;
        before_q <= count_q - pop;
      end else if (leaves) inside_q <= 1'b0;
      else if (inside_q && pop) before_q <= before_q - 1'b1;
    end
  end

  always @* begin
    if (live_q) begin
      `PROVE(count == count_q);
      `PROVE(valid == (count_q != 0));
      `PROVE(ready == (count_q < DEPTH));
      `PROVE(valid || head == 0);
      `PROVE(!inside_q || before_q < count_q);
      `PROVE(!(inside_q && before_q == 0) || head == item_q);
      `COVER(leaves && full_q && head != 0);
      `COVER(inside_q && before_q == DEPTH - 1);
      `COVER(push_i && pop_i && count_q == DEPTH);
      `COVER(full_q && count_q == 0 && push_i && pop_i);
    end
  end
endmodule
`default_nettype wire
