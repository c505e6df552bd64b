// SPDX-License-Identifier: Apache-2.0

// loom_link_preempt: one end of a link on which packets of express VLs go inside those of normal
//   VLs, between two of their flits.
//
// Contract: from_normal_* and from_express_* are links on which packets do not interleave. A normal
//   flit finds place: DEPTH flits are all that the far end has room for, or hold_o holds the unit
//   that sends them and DEPTH is 64 flits more than a packet; CREDITS are all credits of the normal
//   input unit. Each class keeps its order, nothing is lost, and on the link an express packet is
//   whole. Every output is a register or a function of registers.
// Algorithm: an express flit goes at once; a normal one that it keeps waiting joins a loom_fifo,
//   and goes when no express packet is open. The far end parts the classes by the VL of each flit.
//   Of credits it is the same.
// Latency: a cycle from unit to link, a cycle from link to unit.
// Wait bound: an express flit never waits. A normal one waits as long as express ones come.
// Parameters: DEPTH (normal flits that can wait, 1..4096), CREDITS (normal credits that can wait,
//   1..4096).
// Realises: OP-21; probes open, inside, normal_comes, express_comes.
// Page: docs/preemption.md, section link_preempt.
`default_nettype none
`include "loom_assert.vh"

module loom_link_preempt #(
  parameter integer DEPTH   = 512,
  parameter integer CREDITS = 256
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire [31:0] express_vls_i,

  // Sending: two output units, and the link out.
  input  wire        from_normal_valid_i,
  input  wire        from_normal_head_i,
  input  wire        from_normal_tail_i,
  input  wire [4:0]  from_normal_vl_i,
  input  wire [63:0] from_normal_data_i,
  input  wire        from_express_valid_i,
  input  wire        from_express_head_i,
  input  wire        from_express_tail_i,
  input  wire [4:0]  from_express_vl_i,
  input  wire [63:0] from_express_data_i,
  output wire        out_valid_o,
  output wire        out_head_o,
  output wire        out_tail_o,
  output wire [4:0]  out_vl_o,
  output wire [63:0] out_data_o,
  input  wire        out_cr_valid_i,
  input  wire [4:0]  out_cr_vl_i,
  output wire        normal_cr_valid_o,
  output wire [4:0]  normal_cr_vl_o,
  output wire        express_cr_valid_o,
  output wire [4:0]  express_cr_vl_o,
  output wire        hold_o,
  output wire        preempts_o,

  // Receiving: the link in, and two input units.
  input  wire        in_valid_i,
  input  wire        in_head_i,
  input  wire        in_tail_i,
  input  wire [4:0]  in_vl_i,
  input  wire [63:0] in_data_i,
  output wire        to_normal_valid_o,
  output wire        to_normal_head_o,
  output wire        to_normal_tail_o,
  output wire [4:0]  to_normal_vl_o,
  output wire [63:0] to_normal_data_o,
  output wire        to_express_valid_o,
  output wire        to_express_head_o,
  output wire        to_express_tail_o,
  output wire [4:0]  to_express_vl_o,
  output wire [63:0] to_express_data_o,
  input  wire        normal_free_valid_i,
  input  wire [4:0]  normal_free_vl_i,
  input  wire        express_free_valid_i,
  input  wire [4:0]  express_free_vl_i,
  output wire        in_cr_valid_o,
  output wire [4:0]  in_cr_vl_o,

  output wire        error_o,
  output wire        idle_o
);

  generate
    if (DEPTH < 1 || DEPTH > 4096) begin : g_bad_depth
      loom_link_preempt_DEPTH_must_be_1_to_4096 u_error ();
    end
    if (CREDITS < 1 || CREDITS > 4096) begin : g_bad_credits
      loom_link_preempt_CREDITS_must_be_1_to_4096 u_error ();
    end
  endgenerate

  `LOOM_REQUIRE(normal_flit_of_a_normal_vl,
      !from_normal_valid_i || !express_vls_i[from_normal_vl_i])
  `LOOM_REQUIRE(express_flit_of_an_express_vl,
      !from_express_valid_i || express_vls_i[from_express_vl_i])

  // ---- Sending ----------------------------------------------------------------------------------

  reg open_q;                           // the express packet that was sent last is not over
  reg inside_q;                         // the same of the normal one
  reg preempts_q;
  reg [71:0] out_q;                     // {valid, head, tail, vl, data}

  wire [71:0] normal = {from_normal_valid_i, from_normal_head_i, from_normal_tail_i,
                        from_normal_vl_i, from_normal_data_i};
  wire [71:0] express = {from_express_valid_i, from_express_head_i, from_express_tail_i,
                         from_express_vl_i, from_express_data_i};
  wire stored;                          // normal flits wait
  wire ready;
  wire [$clog2(DEPTH+1)-1:0] data_count;
  wire [6:0] first_mark;
  wire [63:0] first_data;
  wire turn = !from_express_valid_i && !open_q;         // of the normal class
  wire join_store = from_normal_valid_i && !(turn && !stored);
  wire [71:0] normal_next = stored ? {1'b1, first_mark, first_data} : normal;
  wire [71:0] normal_sent = turn && (stored || from_normal_valid_i) ? normal_next : 72'd0;

  loom_fifo #(
    .DEPTH(DEPTH),
    .WIDTH(64)
  ) u_data (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(join_store),
    .data_i(from_normal_data_i),
    .pop_i(turn),
    .valid_o(stored),
    .data_o(first_data),
    .ready_o(ready),
    .count_o(data_count)
  );

  // What goes with the data: the queues move together.
  wire mark_stored;
  wire mark_ready;
  wire [$clog2(DEPTH+1)-1:0] mark_count;
  wire unused_mark = &{1'b0, mark_stored, mark_ready, data_count, mark_count};

  loom_fifo #(
    .DEPTH(DEPTH),
    .WIDTH(7)
  ) u_mark (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(join_store),
    .data_i(normal[70:64]),
    .pop_i(turn),
    .valid_o(mark_stored),
    .data_o(first_mark),
    .ready_o(mark_ready),
    .count_o(mark_count)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= 1'b0;
      inside_q <= 1'b0;
      preempts_q <= 1'b0;
      out_q <= 72'd0;
    end else begin
      if (from_express_valid_i) open_q <= !from_express_tail_i;
      if (normal_sent[71]) inside_q <= !normal_sent[69];
      preempts_q <= from_express_valid_i && from_express_head_i && inside_q;
      out_q <= from_express_valid_i ? express : normal_sent;
    end
  end

  // ---- Receiving --------------------------------------------------------------------------------

  reg normal_comes_q;                   // a packet of the class is not over
  reg express_comes_q;
  reg [71:0] to_normal_q;
  reg [71:0] to_express_q;

  wire [71:0] came = {in_valid_i, in_head_i, in_tail_i, in_vl_i, in_data_i};
  wire to_express = in_valid_i && express_vls_i[in_vl_i];
  wire to_normal = in_valid_i && !express_vls_i[in_vl_i];
  wire wrong_express = to_express && in_head_i == express_comes_q;
  wire wrong_normal = to_normal && (in_head_i == normal_comes_q || express_comes_q);

  always @(posedge clk_i) begin
    if (rst_i) begin
      normal_comes_q <= 1'b0;
      express_comes_q <= 1'b0;
      to_normal_q <= 72'd0;
      to_express_q <= 72'd0;
    end else begin
      if (to_normal) normal_comes_q <= !in_tail_i;
      if (to_express) express_comes_q <= !in_tail_i;
      to_normal_q <= to_normal ? came : 72'd0;
      to_express_q <= to_express ? came : 72'd0;
    end
  end

  // ---- Credits ----------------------------------------------------------------------------------

  reg [5:0] normal_cr_q;                // {valid, vl}
  reg [5:0] express_cr_q;
  reg [5:0] in_cr_q;

  wire to_express_unit = out_cr_valid_i && express_vls_i[out_cr_vl_i];
  wire to_normal_unit = out_cr_valid_i && !express_vls_i[out_cr_vl_i];
  wire waits;                           // a normal credit does
  wire credit_ready;
  wire [4:0] first_credit;
  wire [$clog2(CREDITS+1)-1:0] credit_count;
  wire unused_credits = &{1'b0, credit_count};
  wire join_credits = normal_free_valid_i && (express_free_valid_i || waits);
  wire [5:0] normal_credit = waits ? {1'b1, first_credit} :
                             normal_free_valid_i ? {1'b1, normal_free_vl_i} : 6'd0;

  loom_fifo #(
    .DEPTH(CREDITS),
    .WIDTH(5)
  ) u_waiting (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(join_credits),
    .data_i(normal_free_vl_i),
    .pop_i(!express_free_valid_i),
    .valid_o(waits),
    .data_o(first_credit),
    .ready_o(credit_ready),
    .count_o(credit_count)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      normal_cr_q <= 6'd0;
      express_cr_q <= 6'd0;
      in_cr_q <= 6'd0;
    end else begin
      normal_cr_q <= to_normal_unit ? {1'b1, out_cr_vl_i} : 6'd0;
      express_cr_q <= to_express_unit ? {1'b1, out_cr_vl_i} : 6'd0;
      in_cr_q <= express_free_valid_i ? {1'b1, express_free_vl_i} : normal_credit;
    end
  end

  // ---- State ------------------------------------------------------------------------------------

  reg error_q;
  wire flit_lost = join_store && !ready;
  wire credit_lost = join_credits && !credit_ready;

  always @(posedge clk_i) begin
    if (rst_i) error_q <= 1'b0;
    else error_q <= wrong_express || wrong_normal || flit_lost || credit_lost;
  end

  `LOOM_REQUIRE(place_for_normal_flits, !flit_lost)
  `LOOM_REQUIRE(place_for_normal_credits, !credit_lost)

  assign {out_valid_o, out_head_o, out_tail_o, out_vl_o, out_data_o} = out_q;
  assign {to_normal_valid_o, to_normal_head_o, to_normal_tail_o, to_normal_vl_o,
          to_normal_data_o} = to_normal_q;
  assign {to_express_valid_o, to_express_head_o, to_express_tail_o, to_express_vl_o,
          to_express_data_o} = to_express_q;
  assign {normal_cr_valid_o, normal_cr_vl_o} = normal_cr_q;
  assign {express_cr_valid_o, express_cr_vl_o} = express_cr_q;
  assign {in_cr_valid_o, in_cr_vl_o} = in_cr_q;
  assign hold_o = stored;
  assign preempts_o = preempts_q;
  assign error_o = error_q;
  assign idle_o = !stored && !waits && !open_q && !inside_q && !normal_comes_q && !express_comes_q;

  `LOOM_ASSERT(out_0_without_a_flit, out_q[71] || out_q == 72'd0)
  `LOOM_ASSERT(never_to_both, !(to_normal_q[71] && to_express_q[71]))
  `LOOM_ASSERT(queues_move_together, mark_stored == stored && mark_count == data_count)

endmodule

`default_nettype wire
