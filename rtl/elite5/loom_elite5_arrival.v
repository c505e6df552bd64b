// SPDX-License-Identifier: Apache-2.0

// loom_elite5_arrival: words of a link on their way into its buffer: the segment that is open, what
//   a head means, and the end of what a link that goes down cuts short.
// Inside: loom_elite5_router
//
// Contract: in_* are the wires of the link; wr_* go to the loom_segment_buffer; idle_i are the VCs
//   that no packet has. packet_o and sink_o name the VC of a packet that begins in this cycle, one
//   that is to be routed, one that is only to be swallowed; its header is header_o.
// Algorithm: one register for words; the first rule that applies decides about a head. While the
//   link is not up, the register is filled with closing words: a tail for the open segment, a void
//   continuation for each VC whose packet has no tail yet.
// Latency: a word in cycle c is written to the buffer in c+1.
// Wait bound: none; a closing word waits for room in the buffer.
// Parameters: VCS (2..32).
// Realises: E5-04, E5-06, E5-07, E5-25.
// Page: docs/elite5.md, section Arrival.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_elite5_arrival #(
  parameter integer VCS = 32
) (
  input  wire           clk_i,
  input  wire           rst_i,
  input  wire           up_i,

  // The link.
  input  wire           in_valid_i,
  input  wire           in_head_i,
  input  wire           in_tail_i,
  input  wire [4:0]     in_vl_i,
  input  wire [63:0]    in_data_i,

  // The buffer.
  input  wire [VCS-1:0] wr_ok_i,
  output wire           wr_valid_o,
  output wire [4:0]     wr_vc_o,
  output wire           wr_head_o,
  output wire           wr_tail_o,
  output wire [63:0]    wr_data_o,

  // The VCs.
  input  wire [VCS-1:0] idle_i,
  output wire [VCS-1:0] packet_o,
  output wire [VCS-1:0] sink_o,
  output wire [4:0]     vc_o,
  output wire [63:0]    header_o,

  output wire           header_error_o,
  output wire           link_error_o,
  output wire           calm_o                  // nothing under way, no segment open
);

  localparam [VCS-1:0] NONE = 0;
  localparam [VCS-1:0] ONE  = 1;

  // The word of the last cycle.
  reg word_valid_q;
  reg word_head_q;
  reg word_tail_q;
  reg word_void_q;                              // a whole VOID(vc), made here
  reg [4:0] word_vc_q;
  reg [63:0] word_data_q;

  // The segment that is open on the link.
  reg cur_active_q;
  reg cur_skip_q;
  reg cur_void_q;
  reg [VCS-1:0] cur_hot_q;                      // its VC
  reg [4:0] cur_words_q;

  reg [VCS-1:0] open_q;                         // VCs whose packet's tail has not arrived

  // ---- Cycle c: the word of the link or a closing word ------------------------------------------

  wire [VCS-1:0] cut = open_q & wr_ok_i;
  wire [VCS-1:0] cut_first = cut & (~cut + ONE);
  wire [4:0] cut_vc;
  wire take = up_i && in_valid_i;
  wire close = !up_i && !word_valid_q;
  wire close_segment = close && cur_active_q;
  wire close_packet = close && !cur_active_q && cut != NONE;

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_cut (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(cut_first),
    .index_o(cut_vc)
  );

  always @(posedge clk_i) begin
    if (take || close_segment || close_packet) begin
      word_vc_q <= take ? in_vl_i : cut_vc;
      word_data_q <= take ? in_data_i : 64'd0;
    end
    if (rst_i) begin
      word_valid_q <= 1'b0;
      word_head_q <= 1'b0;
      word_tail_q <= 1'b0;
      word_void_q <= 1'b0;
    end else begin
      word_valid_q <= take || close_segment || close_packet;
      word_head_q <= take ? in_head_i : close_packet;
      word_tail_q <= take ? in_tail_i : close;
      word_void_q <= close_packet;
    end
  end

  // ---- Cycle c + 1: what the word is ------------------------------------------------------------

  wire check_ok;
  wire unused_crc48_ok;
  wire unused_crc16_ok;

  loom_elite5_check u_check (
    .data_i(word_data_q),
    .crc48_ok_o(unused_crc48_ok),
    .crc16_ok_o(unused_crc16_ok),
    .header_ok_o(check_ok)
  );

  wire [2:0] kind = word_void_q ? `LOOM_ELITE5_TYPE_VOID : word_data_q[`LOOM_ELITE5_FIRST_TYPE];
  wire good = word_void_q || check_ok;
  wire ready_word = good && kind == `LOOM_ELITE5_TYPE_CONTROL
                    && word_data_q[`LOOM_ELITE5_CONTROL_SUB] == `LOOM_ELITE5_SUB_READY
                    && word_data_q[`LOOM_ELITE5_CONTROL_INFO] == 40'd0;
  wire [VCS-1:0] hot = ONE << word_vc_q;
  wire idle = (idle_i & hot) != NONE;
  wire open = (open_q & hot) != NONE;
  wire room = (wr_ok_i & hot) != NONE;

  // A word that belongs to the open segment, a head, neither.
  wire body = word_valid_q && cur_active_q;
  wire head = word_valid_q && !cur_active_q && word_head_q;
  wire stray = word_valid_q && !cur_active_q && !word_head_q;

  // A head: the first of these that applies.
  wire no_vc = hot == NONE;
  wire ignored = head && !no_vc && ready_word && word_tail_q;
  wire legal = head && !no_vc && !ignored;
  wire refused = legal && (!room || (!idle && !open));
  wire entered = legal && !refused;
  wire packet = entered && idle && kind <= `LOOM_ELITE5_TYPE_CONDITIONAL && good;
  wire sink = entered && idle && !packet;
  wire continuation = kind == `LOOM_ELITE5_TYPE_CONTINUATION
                      || kind == `LOOM_ELITE5_TYPE_LAST_CONTINUATION
                      || kind == `LOOM_ELITE5_TYPE_VOID;
  wire more = entered && !idle && continuation && good;
  wire voided = entered && !idle && !more;
  wire skip = (head && no_vc) || refused;

  wire written = entered || (body && !cur_skip_q);
  wire body_tail = body && word_tail_q;
  wire body_end = body_tail || (body && cur_words_q == 5'd31);

  always @(posedge clk_i) begin
    if (head) begin
      cur_skip_q <= skip;
      cur_void_q <= voided;
      cur_hot_q <= hot;
    end
    if (rst_i) begin
      cur_active_q <= 1'b0;
      cur_words_q <= 5'd0;
      open_q <= NONE;
    end else begin
      if (head) cur_active_q <= !word_tail_q;
      if (body_end) cur_active_q <= 1'b0;
      if (head) cur_words_q <= 5'd1;
      if (body) cur_words_q <= cur_words_q + 5'd1;
      if (entered) open_q <= word_tail_q ? open_q & ~hot : open_q | hot;
      if (body_tail && !cur_skip_q) open_q <= open_q & ~cur_hot_q;
    end
  end

  // ---- Into the buffer --------------------------------------------------------------------------

  wire [63:0] void_word;

  loom_elite5_rewrite u_void (
    .data_i({`LOOM_ELITE5_TYPE_VOID, 61'd0}),
    .head_i(1'b1),
    .vc_i(word_vc_q),
    .data_o(void_word)
  );

  assign wr_valid_o = written;
  assign wr_vc_o = word_vc_q;
  assign wr_head_o = entered;
  assign wr_tail_o = word_tail_q;
  assign wr_data_o = (voided || (head && word_void_q)) ? void_word
                     : (body && cur_void_q) ? 64'd0 : word_data_q;

  assign packet_o = packet ? hot : NONE;
  assign sink_o = sink ? hot : NONE;
  assign vc_o = word_vc_q;
  assign header_o = word_data_q;
  assign header_error_o = (sink || voided) && !good;
  assign link_error_o = (body && word_head_q) || stray || skip || ((sink || voided) && good);
  assign calm_o = !cur_active_q && !word_valid_q;

  `LOOM_ASSERT(one_packet_begins,
      ((packet_o | sink_o) & -(packet_o | sink_o)) == (packet_o | sink_o))
  `LOOM_ASSERT(routed_or_swallowed, (packet_o & sink_o) == {VCS{1'b0}})

endmodule

`default_nettype wire
