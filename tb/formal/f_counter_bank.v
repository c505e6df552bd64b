// SPDX-License-Identifier: Apache-2.0

// loom_counter_bank: any one counter holds the packets and flits that were added to it, all of them
// up to two cycles ago; a read shows it in the next cycle and 0 for a counter that does not exist.
// The invariants say how memory, written flag and the sum on its way hold the same thing.
`include "props.vh"
`default_nettype none
module f_counter_bank (
  input wire        clk_i,
  input wire        add_i,
  input wire [5:0]  add_index_i,
  input wire [11:0] add_flits_i,
  input wire [5:0]  read_index_i
);
  localparam DEPTH = 4;
  `RESET_ONCE

  wire [31:0] read_packets, read_flits;
  loom_counter_bank #(.DEPTH(DEPTH)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .add_i(add_i), .add_index_i(add_index_i),
    .add_flits_i(add_flits_i), .read_index_i(read_index_i), .read_packets_o(read_packets),
    .read_flits_o(read_flits)
  );
  // Tied to the circuit's registers and words.
  (* keep *) wire [DEPTH-1:0] written;
  (* keep *) wire adds, known, around;
  (* keep *) wire [1:0] index;
  (* keep *) wire [11:0] adds_flits;
  (* keep *) wire [31:0] last_packets, last_flits;
  (* keep *) wire [63:0] old, word0, word1, word2, word3, copy0, copy1, copy2, copy3;
  wire [64*DEPTH-1:0] words = {word3, word2, word1, word0};
  wire [64*DEPTH-1:0] copies = {copy3, copy2, copy1, copy0};

  // The counter, and the add of the last cycle.
  wire [5:0] which = $anyconst;
  reg [31:0] packets_q, flits_q, shows_packets_q, shows_flits_q;
  reg came_q, came_twice_q, shows_q;
  reg [11:0] came_flits_q;
  wire came = add_i && add_index_i == which;
  always @(posedge clk_i) begin
    came_q <= !rst && came;
    came_twice_q <= !rst && came && came_q;
    came_flits_q <= add_flits_i;
    packets_q <= rst ? 32'd0 : packets_q + came_q;
    flits_q <= rst ? 32'd0 : flits_q + (came_q ? came_flits_q : 12'd0);
    shows_q <= !rst && read_index_i == which;
    shows_packets_q <= which < DEPTH ? packets_q : 32'd0;
    shows_flits_q <= which < DEPTH ? flits_q : 32'd0;
  end

  wire [64*DEPTH-1:0] my_word = words >> 64 * which;
  wire [64*DEPTH-1:0] my_copy = copies >> 64 * which;
  wire [63:0] sum = {packets_q, flits_q};
  wire [63:0] goes_on = around ? {last_packets, last_flits} : known ? old : 64'd0;
  always @* begin
    if (live_q) begin
      `PROVE(!shows_q || read_packets == shows_packets_q && read_flits == shows_flits_q);
      if (which < DEPTH) begin
        `PROVE((written >> which) & 1 ? my_word[63:0] == sum && my_copy[63:0] == sum : sum == 0);
        `PROVE(came_q == (adds && index == which));
        `PROVE(!came_q || adds_flits == came_flits_q && goes_on == sum);
      end
      `COVER(shows_q && which == 3 && read_packets == 3 && read_flits[13:12] == 2);
      `COVER(came_twice_q && read_packets != 0 && shows_q);
      `COVER(shows_q && which == 4 && packets_q != 0);
    end
  end
endmodule
`default_nettype wire
