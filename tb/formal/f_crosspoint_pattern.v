// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_pattern: a header with another VC has the CRC that the pattern makes of the old
// one, for both kinds of words, all words and all pairs of VCs (E5-06, E5-07).
`include "props.vh"
`default_nettype none
module f_crosspoint_pattern (
  input wire        clk_i,
  input wire [47:0] word_i,
  input wire [4:0]  vc_i
);
  `RESET_ONCE

  wire [15:0] first, next, first_crc, next_crc, new_first_crc, new_next_crc;
  loom_crosspoint_pattern u_first (
    .change_i(word_i[42:38] ^ vc_i), .first_o(first), .next_o()
  );
  loom_crosspoint_pattern u_next (
    .change_i(word_i[44:40] ^ vc_i), .first_o(), .next_o(next)
  );
  loom_elite5_crc #(.BYTES(6)) u_first_crc (.data_i(word_i), .crc_o(first_crc));
  loom_elite5_crc #(.BYTES(2)) u_next_crc (.data_i(word_i[47:32]), .crc_o(next_crc));
  loom_elite5_crc #(.BYTES(6)) u_new_first_crc (
    .data_i({word_i[47:43], vc_i, word_i[37:0]}), .crc_o(new_first_crc)
  );
  loom_elite5_crc #(.BYTES(2)) u_new_next_crc (
    .data_i({word_i[47:45], vc_i, word_i[39:32]}), .crc_o(new_next_crc)
  );

  always @* begin
    if (live_q) begin
      `PROVE(new_first_crc == (first_crc ^ first));
      `PROVE(new_next_crc == (next_crc ^ next));
    end
  end
endmodule
`default_nettype wire
