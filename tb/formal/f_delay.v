// SPDX-License-Identifier: Apache-2.0

// loom_delay: one symbolic word is followed: it shows exactly DEPTH cycles after it came (valid or
// not), unchanged and with data 0 when not valid. Before the first word after reset shows, nothing.
`include "props.vh"
`default_nettype none
module f_delay #(
  parameter DEPTH = 8,
  parameter WIDTH = 2
) (
  input wire             clk_i,
  input wire             valid_i,
  input wire [WIDTH-1:0] data_i,
  input wire             mark_i
);
  `RESET_ONCE

  wire valid;
  wire [WIDTH-1:0] data;
  loom_delay #(.DEPTH(DEPTH), .WIDTH(WIDTH)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .valid_i(valid_i), .data_i(data_i), .valid_o(valid), .data_o(data)
  );

  // Cycles since the reset (at most DEPTH) and since the marked word came.
  reg [7:0] since_q, age_of_q;
  reg marked_q, item_valid_q, lasted_q;
  reg [WIDTH-1:0] item_q;
  wire mark = mark_i && !marked_q && !rst;
  wire item_valid = mark ? valid_i : item_valid_q;
  wire [WIDTH-1:0] item = mark ? data_i : item_q;
  wire due = mark ? DEPTH == 0 : marked_q && age_of_q == DEPTH;
  always @(posedge clk_i) begin
    if (rst) begin
      since_q <= 8'd0;
      marked_q <= 1'b0;
      lasted_q <= 1'b0;
    end else begin
      if (since_q < DEPTH) since_q <= since_q + 8'd1;
      if (mark) begin
        marked_q <= 1'b1;
        item_valid_q <= valid_i;
        item_q <= data_i;
        age_of_q <= 8'd1;
        lasted_q <= since_q == DEPTH;
      end else if (marked_q && age_of_q <= DEPTH) age_of_q <= age_of_q + 8'd1;
    end
  end

  always @* begin
    if (live_q) begin
      `PROVE(valid || data == 0);
      `PROVE(since_q == DEPTH || !valid);
      `PROVE(!due || valid == item_valid && data == (item_valid ? item : 0));
      `COVER(due && valid && data == {WIDTH{1'b1}} && (lasted_q || DEPTH == 0));
      `COVER(due && !valid && item != 0);
    end
  end
endmodule
`default_nettype wire
