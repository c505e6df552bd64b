// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_circuits: the VCs of a link that are given away, to whom, and the replies that
//   come back for them.
// Inside: loom_crosspoint_router
//
// Contract: fresh_i gives w_i away to back_i, {input, VC}; group_open_i a VC of the class. sent_i
//   says that the tail for a VC was read. rep_* are the wires of the link. A reply stands on due_*
//   until gone_i, which also frees its VC.
// Algorithm: masks; who has a VC stands in RAM and is read for the reply that stands next. Replies
//   that find another one there wait in a loom_fifo. A link that is not up makes a NACK of each VC
//   whose packet is sent, one every other cycle.
// Latency: a reply on the link stands on due_* two cycles later.
// Wait bound: a reply waits for those before it.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS).
// Realises: E5-12, E5-13, E5-25.
// Page: docs/crosspoint_router.md, section Reply.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_circuits #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32,
  parameter integer BVCS  = 4
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             up_i,

  // VCs are given away; tails are read.
  input  wire             fresh_i,
  input  wire [4:0]       w_i,
  input  wire [9:0]       back_i,
  input  wire             group_open_i,
  input  wire [2:0]       group_vc_i,
  input  wire [9:0]       group_back_i,
  input  wire             sent_i,
  input  wire [4:0]       sent_w_i,
  output wire [VCS-1:0]   alloc_o,
  output wire [5:0]       pending_o,

  // Replies.
  input  wire             rep_valid_i,
  input  wire             rep_ack_i,
  input  wire [4:0]       rep_vc_i,
  output wire [LINKS-1:0] due_to_o,             // the input that it is for
  output wire [5:0]       due_o,                // {ack, VC at the input}
  input  wire             gone_i,
  output wire             reply_error_o
);

  localparam integer BASE = VCS - BVCS;
  localparam integer VW   = $clog2(VCS);
  localparam integer LW   = $clog2(LINKS);
  localparam [VCS-1:0] NONE = 0;
  localparam [VCS-1:0] ONE  = 1;
  localparam [4:0] BASE_C = BASE[4:0];
  localparam [LINKS-1:0] LINK0 = 1;

  reg [VCS-1:0] alloc_q;
  reg [VCS-1:0] sent_q;
  reg [VCS-1:0] replied_q;
  reg [5:0] pending_q;
  reg rep_q;
  reg rep_ack_q;
  reg [4:0] rep_vc_q;
  reg swallow_q;
  reg [VW-1:0] swallow_w_q;
  reg due_q;
  reg due_ack_q;
  reg [VW-1:0] due_w_q;
  reg [LW-1:0] due_input_q;
  reg [VW-1:0] due_vc_q;

  // ---- The reply of this cycle ------------------------------------------------------------------

  wire [VCS-1:0] open = alloc_q & sent_q & ~replied_q;
  wire [VCS-1:0] rep_hot = ONE << rep_vc_q;
  wire rep = rep_q && up_i;
  wire fits = (open & rep_hot) != NONE;
  wire [VCS-1:0] first = open & (~open + ONE);
  wire [VW-1:0] first_w;
  wire takes = rep && fits;
  wire reply = takes || swallow_q;
  wire reply_ack = takes && rep_ack_q;
  wire [VW-1:0] reply_w = takes ? rep_vc_q[VW-1:0] : swallow_w_q;
  wire [VCS-1:0] reply_hot = takes ? rep_hot : swallow_q ? ONE << swallow_w_q : NONE;
  wire swallows = !up_i && !swallow_q && open != NONE;

  loom_encode #(
    .N(VCS),
    .W(VW)
  ) u_first (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(first),
    .index_o(first_w)
  );

  // ---- The reply that stands for its input ------------------------------------------------------

  wire empty = !due_q || gone_i;
  wire queued;
  wire [VW:0] queued_reply;
  wire unused_ready;
  wire [$clog2(VCS+1)-1:0] unused_count;
  wire next_valid = queued || reply;
  wire next_ack = queued ? queued_reply[VW] : reply_ack;
  wire [VW-1:0] next_w = queued ? queued_reply[VW-1:0] : reply_w;
  wire [4:0] next_w_5 = {{(5 - VW){1'b0}}, next_w};
  wire [LW+VW-1:0] back;
  wire [LW+VW-1:0] back_unicast;
  wire [LW+VW-1:0] back_class;

  loom_fifo #(
    .DEPTH(VCS),
    .WIDTH(VW + 1)
  ) u_fifo (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(reply && !(empty && !queued)),
    .data_i({reply_ack, reply_w}),
    .pop_i(empty),
    .valid_o(queued),
    .data_o(queued_reply),
    .ready_o(unused_ready),
    .count_o(unused_count)
  );

  // Both kinds of VCs can be given away in one cycle.
  loom_lut_ram #(
    .DEPTH(VCS),
    .WIDTH(LW + VW)
  ) u_back (
    .clk_i(clk_i),
    .we_i(fresh_i),
    .waddr_i(w_i[VW-1:0]),
    .wdata_i({back_i[5 +: LW], back_i[VW-1:0]}),
    .raddr_i(next_w),
    .rdata_o(back_unicast)
  );

  loom_lut_ram #(
    .DEPTH(8),
    .WIDTH(LW + VW)
  ) u_group_back (
    .clk_i(clk_i),
    .we_i(group_open_i),
    .waddr_i(group_vc_i),
    .wdata_i({group_back_i[5 +: LW], group_back_i[VW-1:0]}),
    .raddr_i(next_w_5[2:0] - BASE_C[2:0]),
    .rdata_o(back_class)
  );

  assign back = (next_w_5 < BASE_C) ? back_unicast : back_class;

  // ---- Registers --------------------------------------------------------------------------------

  wire unused = &{1'b0, w_i, back_i, group_back_i, next_w_5};
  wire [VCS-1:0] freed = gone_i ? ONE << due_w_q : NONE;
  wire [VCS-1:0] given = (fresh_i ? ONE << w_i : NONE)
                         | (group_open_i ? ONE << (BASE_C + {2'd0, group_vc_i}) : NONE);
  wire [VCS-1:0] sent = sent_i ? ONE << sent_w_i : NONE;
  wire [1:0] more = {1'b0, fresh_i} + {1'b0, group_open_i};

  always @(posedge clk_i) begin
    rep_ack_q <= rep_ack_i;
    rep_vc_q <= rep_vc_i;
    swallow_w_q <= first_w;
    if (empty) begin
      due_ack_q <= next_ack;
      due_w_q <= next_w;
      due_input_q <= back[VW +: LW];
      due_vc_q <= back[VW-1:0];
    end
    if (rst_i) begin
      alloc_q <= NONE;
      sent_q <= NONE;
      replied_q <= NONE;
      pending_q <= 6'd0;
      rep_q <= 1'b0;
      swallow_q <= 1'b0;
      due_q <= 1'b0;
    end else begin
      alloc_q <= (alloc_q & ~freed) | given;
      sent_q <= (sent_q & ~(freed | given)) | sent;
      replied_q <= (replied_q & ~(freed | given)) | reply_hot;
      pending_q <= pending_q + {4'd0, more} - {5'd0, gone_i};
      rep_q <= rep_valid_i && up_i;
      swallow_q <= swallows;
      if (empty) due_q <= next_valid;
    end
  end

  assign alloc_o = alloc_q;
  assign pending_o = pending_q;
  assign due_to_o = (due_q && !gone_i) ? LINK0 << due_input_q : {LINKS{1'b0}};
  assign due_o = {due_ack_q, {(5 - VW){1'b0}}, due_vc_q};
  assign reply_error_o = rep && !fits;

  `LOOM_REQUIRE(gone_while_due, !gone_i || due_q)
  `LOOM_ASSERT(given_once, (given & alloc_q) == {VCS{1'b0}})
  `LOOM_ASSERT(sent_while_given, (sent & ~alloc_q) == {VCS{1'b0}})

endmodule

`default_nettype wire
