// SPDX-License-Identifier: Apache-2.0

// loom_prbs31_check on a good PRBS31 stream (words in any cycle, any start, restarts): it locks
// with the LOCK_WORDS + 1 st word and from then on counts no error; the bits that are flipped on
// the way, none or one of a word while it is locked, are counted once each, in the word that has
// them, and the lock stays.
`include "props.vh"
`default_nettype none
module f_prbs31_check #(
  parameter LOCK_WORDS = 2
) (
  input wire        clk_i,
  input wire        restart_i,
  input wire        valid_i,
  input wire [30:0] start_i,
  input wire        flip_i,
  input wire [5:0]  flip_bit_i
);
  `RESET_ONCE

  // The stream, by its definition; its history starts anywhere but at 0.
  reg [30:0] past_q;
  reg [94:0] bits;
  integer k;
  always @* begin
    bits = {past_q, 64'd0};
    for (k = 63; k >= 0; k = k - 1) bits[k] = bits[k + 28] ^ bits[k + 31];
  end

  wire locked, check, lost;
  wire [6:0] errors;
  wire flip = flip_i && valid_i && locked;
  loom_prbs31_check #(.LOCK_WORDS(LOCK_WORDS)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .restart_i(restart_i), .valid_i(valid_i),
    .data_i(bits[63:0] ^ (flip ? 64'd1 << flip_bit_i : 64'd0)),
    .locked_o(locked), .check_o(check), .errors_o(errors), .lost_o(lost)
  );
  (* keep *) wire [30:0] state;  // tied to the circuit's registers
  (* keep *) wire [63:0] predicted;
  (* keep *) wire have;
  (* keep *) wire [3:0] good, bad;

  reg [3:0] words_q;  // good words since the last restart, up to LOCK_WORDS + 1
  reg check_q, flip_q;
  always @(posedge clk_i) begin
    if (rst) past_q <= start_i;
    else if (valid_i) past_q <= bits[30:0];
    if (rst || restart_i) words_q <= 4'd0;
    else if (valid_i && words_q <= LOCK_WORDS) words_q <= words_q + 4'd1;
    check_q <= !rst && valid_i && !restart_i && locked;
    flip_q <= !rst && flip && !restart_i;
  end

  always @* begin
    assume(start_i != 0);
    if (live_q) begin
      `PROVE(past_q != 0);
      `PROVE(locked == (words_q > LOCK_WORDS));
      `PROVE(have == (words_q != 0));
      `PROVE(!have || state == past_q);
      `PROVE(!have || predicted == bits[63:0]);
      `PROVE(locked || good == (words_q == 0 ? 0 : words_q - 1));
      `PROVE(!locked || bad == 0);
      `PROVE(check == check_q);
      `PROVE(errors == flip_q);
      `PROVE(!lost);
      `COVER(locked && flip_q && check);
      `COVER(locked && !flip_q && check);
    end
  end
endmodule
`default_nettype wire
