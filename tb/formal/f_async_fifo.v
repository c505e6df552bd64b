// SPDX-License-Identifier: Apache-2.0

// loom_async_fifo: items are numbered as they are pushed, modulo more than there can be inside;
// what is in view bears the number of the next item to be popped, and there are never more inside
// than places. Clocks: free. Either may rise whenever it likes, also both at once.
`include "props.vh"
`default_nettype none
module f_async_fifo #(
  parameter DEPTH = 4
) (
  input wire wr_clk_i,
  input wire rd_clk_i,
  input wire push_i,
  input wire pop_i
);
  // Both resets until each clock has risen three times.
  reg [1:0] wr_edges_q = 2'd0;
  reg [1:0] rd_edges_q = 2'd0;
  always @(posedge wr_clk_i) if (wr_edges_q != 2'd3) wr_edges_q <= wr_edges_q + 2'd1;
  always @(posedge rd_clk_i) if (rd_edges_q != 2'd3) rd_edges_q <= rd_edges_q + 2'd1;
  wire rst = wr_edges_q != 2'd3 || rd_edges_q != 2'd3;

  wire ready, valid;
  wire [3:0] data;
  reg [3:0] pushed_q, popped_q;
  loom_async_fifo #(.DEPTH(DEPTH), .WIDTH(4)) u_dut (
    .wr_clk_i(wr_clk_i), .wr_rst_i(rst), .push_i(push_i), .data_i(pushed_q), .ready_o(ready),
    .rd_clk_i(rd_clk_i), .rd_rst_i(rst), .pop_i(pop_i), .valid_o(valid), .data_o(data)
  );

  reg was_full_q;
  always @(posedge wr_clk_i) begin
    if (rst) pushed_q <= 4'd0;
    else if (push_i && ready) pushed_q <= pushed_q + 4'd1;
    was_full_q <= !rst && (was_full_q || !ready);
  end
  always @(posedge rd_clk_i) begin
    if (rst) popped_q <= 4'd0;
    else if (pop_i && valid) popped_q <= popped_q + 4'd1;
  end
  wire [3:0] inside = pushed_q - popped_q;

  always @* begin
    if (!rst) begin
      `PROVE(inside <= DEPTH + 1);
      `PROVE(!valid || inside != 4'd0);
      `PROVE(!valid || data == popped_q);
      `PROVE(valid || data == 4'd0);
      `COVER(was_full_q && !valid && inside == 4'd0);
      `COVER(inside == DEPTH + 1);
    end
  end
endmodule
`default_nettype wire
