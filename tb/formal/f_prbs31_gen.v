// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_gen: every bit it gives is b[n] = b[n-28] xor b[n-31] of the bits before it, across
// words, across idle cycles and from the loaded seed on; the history is never all zero, so the
// stream never dies.
`include "props.vh"
`default_nettype none
module f_prbs31_gen (
  input wire        clk_i,
  input wire        load_i,
  input wire [30:0] seed_i,
  input wire        enable_i
);
  `RESET_ONCE

  wire valid;
  wire [63:0] data;
  loom_prbs31_gen u_dut (
    .clk_i(clk_i), .rst_i(rst), .load_i(load_i), .seed_i(seed_i), .enable_i(enable_i),
    .valid_o(valid), .data_o(data)
  );
  wire [30:0] state;  // tied to the circuit's register

  // The 31 bits before the word on the output, and the load and enable that it answers.
  reg [30:0] before_q, after;
  reg loaded_q, gave_q;
  reg [30:0] seed_q;
  wire [94:0] bits = {before_q, data};
  always @* after = loaded_q ? (seed_q == 0 ? {31{1'b1}} : seed_q) : gave_q ? data[30:0] : before_q;
  always @(posedge clk_i) begin
    before_q <= rst ? {31{1'b1}} : after;
    loaded_q <= !rst && load_i;
    gave_q <= !rst && enable_i && !load_i;
    seed_q <= seed_i;
  end

  always @* begin
    if (live_q) begin
      `PROVE(state == after);
      `PROVE(state != 0);
      `PROVE(valid == gave_q);
      `PROVE(data == (gave_q ? bits[91:28] ^ bits[94:31] : 64'd0));
      `COVER(valid && data[30:0] == 31'd1);
      `COVER(loaded_q && seed_q == 0);
      `COVER(valid && gave_q && data[63:52] == 12'hF0B);
    end
  end
endmodule
`default_nettype wire
