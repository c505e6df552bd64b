// SPDX-License-Identifier: Apache-2.0

// loom_link_preempt, whose link in is its link out. One symbolic normal flit is followed from its
// sender to the far end, and one normal credit: before each goes exactly what waited, it shows
// unchanged, and leaves once. Express flits and credits show in the next cycle; no normal flit goes
// inside an express packet; a link that is right never shows an error.
// VLs 1 and 3 are express, 0 and 2 normal.
`include "props.vh"
`default_nettype none
module f_link_preempt #(
  parameter DEPTH   = 3,
  parameter CREDITS = 2
) (
  input wire       clk_i,
  input wire       normal_i,
  input wire       normal_tail_i,
  input wire       normal_vl_i,
  input wire       normal_data_i,
  input wire       express_i,
  input wire       express_tail_i,
  input wire       express_vl_i,
  input wire       express_data_i,
  input wire       mark_i,
  input wire       normal_free_i,
  input wire       normal_free_vl_i,
  input wire       express_free_i,
  input wire       express_free_vl_i,
  input wire       mark_credit_i
);
  localparam C = $clog2(DEPTH + 1);
  localparam B = $clog2(CREDITS + 1);
  `RESET_ONCE

  // ---- Two senders ------------------------------------------------------------------------------

  reg normal_open_q, normal_open_vl_q, express_open_q, express_open_vl_q;
  wire normal = normal_i && live_q;
  wire express = express_i && live_q;
  wire normal_vl = normal_open_q ? normal_open_vl_q : normal_vl_i;
  wire express_vl = express_open_q ? express_open_vl_q : express_vl_i;
  // {head, tail, vl, data}
  wire [3:0] normal_flit = {!normal_open_q, normal_tail_i, normal_vl, normal_data_i};
  wire [3:0] express_flit = {!express_open_q, express_tail_i, express_vl, express_data_i};

  wire out_valid, out_head, out_tail;
  wire [4:0] out_vl;
  wire [63:0] out_data;
  wire to_normal_valid, to_normal_head, to_normal_tail;
  wire [4:0] to_normal_vl;
  wire [63:0] to_normal_data;
  wire to_express_valid, to_express_head, to_express_tail;
  wire [4:0] to_express_vl;
  wire [63:0] to_express_data;
  wire in_cr_valid, normal_cr_valid, express_cr_valid;
  wire [4:0] in_cr_vl, normal_cr_vl, express_cr_vl;
  wire hold, preempts, error, idle;

  loom_link_preempt #(.DEPTH(DEPTH), .CREDITS(CREDITS)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .express_vls_i(32'h0000000A),
    .from_normal_valid_i(normal), .from_normal_head_i(normal_flit[3]),
    .from_normal_tail_i(normal_flit[2]), .from_normal_vl_i({3'd0, normal_flit[1], 1'b0}),
    .from_normal_data_i({63'd0, normal_flit[0]}),
    .from_express_valid_i(express), .from_express_head_i(express_flit[3]),
    .from_express_tail_i(express_flit[2]), .from_express_vl_i({3'd0, express_flit[1], 1'b1}),
    .from_express_data_i({63'd0, express_flit[0]}),
    .out_valid_o(out_valid), .out_head_o(out_head), .out_tail_o(out_tail), .out_vl_o(out_vl),
    .out_data_o(out_data), .out_cr_valid_i(in_cr_valid), .out_cr_vl_i(in_cr_vl),
    .normal_cr_valid_o(normal_cr_valid), .normal_cr_vl_o(normal_cr_vl),
    .express_cr_valid_o(express_cr_valid), .express_cr_vl_o(express_cr_vl),
    .hold_o(hold), .preempts_o(preempts),
    .in_valid_i(out_valid), .in_head_i(out_head), .in_tail_i(out_tail), .in_vl_i(out_vl),
    .in_data_i(out_data),
    .to_normal_valid_o(to_normal_valid), .to_normal_head_o(to_normal_head),
    .to_normal_tail_o(to_normal_tail), .to_normal_vl_o(to_normal_vl),
    .to_normal_data_o(to_normal_data),
    .to_express_valid_o(to_express_valid), .to_express_head_o(to_express_head),
    .to_express_tail_o(to_express_tail), .to_express_vl_o(to_express_vl),
    .to_express_data_o(to_express_data),
    .normal_free_valid_i(normal_free_i && live_q),
    .normal_free_vl_i({3'd0, normal_free_vl_i, 1'b0}),
    .express_free_valid_i(express_free_i && live_q),
    .express_free_vl_i({3'd0, express_free_vl_i, 1'b1}),
    .in_cr_valid_o(in_cr_valid), .in_cr_vl_o(in_cr_vl), .error_o(error), .idle_o(idle)
  );

  // ---- What waits, and what goes ----------------------------------------------------------------

  reg [C-1:0] stored_q;
  reg [B-1:0] waits_q;
  wire turn = !express && !express_open_q;
  wire normal_goes = turn && (stored_q != 0 || normal);
  wire normal_free = normal_free_i && live_q;
  wire credit_turn = !(express_free_i && live_q);
  wire credit_goes = credit_turn && (waits_q != 0 || normal_free);
  always @* begin
    assume(!normal || normal_goes || stored_q != DEPTH);
    assume(!(normal && normal_goes && stored_q == DEPTH));
    assume(!normal_free || credit_goes || waits_q != CREDITS);
    assume(!(normal_free && credit_goes && waits_q == CREDITS));
  end

  // The flit that is followed, and the credit: here, and so many are before it.
  reg marked_q, here_q, gone_q, credit_marked_q, credit_here_q, credit_gone_q;
  reg [C-1:0] before_q;
  reg [B-1:0] credits_before_q;
  reg [3:0] item_q;
  reg credit_item_q;
  wire mark = mark_i && normal && !marked_q;
  wire [C-1:0] before = mark ? stored_q : before_q;
  wire [3:0] item = mark ? normal_flit : item_q;
  wire leaves = (mark || here_q) && normal_goes && before == 0;
  wire mark_credit = mark_credit_i && normal_free && !credit_marked_q;
  wire [B-1:0] credits_before = mark_credit ? waits_q : credits_before_q;
  wire credit_item = mark_credit ? normal_free_vl_i : credit_item_q;
  wire credit_leaves = (mark_credit || credit_here_q) && credit_goes && credits_before == 0;

  // Of the cycle before.
  reg express_q, normal_went_q, express_free_q, credit_went_q, within_q, was_q, parted_q;
  reg [3:0] express_flit_q, out_q;
  reg express_free_vl_q, out_express_q, waited_q, inside_q, preempts_q;
  wire [3:0] out_flit = {out_head, out_tail, out_vl[1], out_data[0]};

  always @(posedge clk_i) begin
    if (rst) begin
      normal_open_q <= 1'b0;
      express_open_q <= 1'b0;
      stored_q <= 0;
      waits_q <= 0;
      marked_q <= 1'b0;
      here_q <= 1'b0;
      gone_q <= 1'b0;
      credit_marked_q <= 1'b0;
      credit_here_q <= 1'b0;
      credit_gone_q <= 1'b0;
      express_q <= 1'b0;
      normal_went_q <= 1'b0;
      express_free_q <= 1'b0;
      credit_went_q <= 1'b0;
      within_q <= 1'b0;
      was_q <= 1'b0;
      parted_q <= 1'b0;
      waited_q <= 1'b0;
      inside_q <= 1'b0;
      preempts_q <= 1'b0;
    end else begin
      if (normal) normal_open_q <= !normal_tail_i;
      if (express) express_open_q <= !express_tail_i;
      stored_q <= stored_q + normal - normal_goes;
      waits_q <= waits_q + normal_free - credit_goes;
      if (mark) marked_q <= 1'b1;
      here_q <= (mark || here_q) && !leaves;
      gone_q <= leaves;
      before_q <= before - (normal_goes && before != 0);
      item_q <= item;
      if (mark_credit) credit_marked_q <= 1'b1;
      credit_here_q <= (mark_credit || credit_here_q) && !credit_leaves;
      credit_gone_q <= credit_leaves;
      credits_before_q <= credits_before - (credit_goes && credits_before != 0);
      credit_item_q <= credit_item;
      express_q <= express;
      normal_went_q <= normal_goes;
      express_free_q <= express_free_i && live_q;
      credit_went_q <= credit_goes;
      if (out_valid && out_vl[0]) within_q <= !out_tail;
      if (out_valid && !out_vl[0]) inside_q <= !out_tail;
      was_q <= gone_q;
      parted_q <= out_valid;
      waited_q <= waited_q || (here_q && stored_q == DEPTH);
      preempts_q <= preempts_q || preempts;
    end
    if (normal) normal_open_vl_q <= normal_vl;
    if (express) express_open_vl_q <= express_vl;
    express_flit_q <= express_flit;
    express_free_vl_q <= express_free_vl_i;
    out_q <= out_flit;
    out_express_q <= out_vl[0];
  end

  always @* begin
    if (live_q) begin
      // Express never waits; then comes what is due, and nothing else.
      `PROVE(!express_q || (out_valid && out_vl[0] && out_flit == express_flit_q));
      `PROVE(out_valid == (express_q || normal_went_q));
      `PROVE(!normal_went_q || (out_valid && !out_vl[0]));
      `PROVE(!gone_q || out_flit == item_q);
      `PROVE(hold == (stored_q != 0));
      // One level.
      `PROVE(!(out_valid && !out_vl[0] && within_q));
      `PROVE(preempts == (out_valid && out_vl[0] && out_head && inside_q));
      // The far end: each flit in its class, as it was; never an error.
      `PROVE(to_express_valid == (parted_q && out_express_q));
      `PROVE(to_normal_valid == (parted_q && !out_express_q));
      `PROVE(!to_express_valid ||
             {to_express_head, to_express_tail, to_express_vl[1], to_express_data[0]} == out_q);
      `PROVE(!to_normal_valid ||
             {to_normal_head, to_normal_tail, to_normal_vl[1], to_normal_data[0]} == out_q);
      `PROVE(!was_q || (to_normal_valid && out_q == item_q));
      `PROVE(!error);
      // Credits.
      `PROVE(!express_free_q || (in_cr_valid && in_cr_vl == {3'd0, express_free_vl_q, 1'b1}));
      `PROVE(in_cr_valid == (express_free_q || credit_went_q));
      `PROVE(!credit_gone_q || in_cr_vl == {3'd0, credit_item_q, 1'b0});
      `PROVE(!(normal_cr_valid && express_cr_valid));
      `PROVE(!normal_cr_valid || !normal_cr_vl[0]);
      `PROVE(!express_cr_valid || express_cr_vl[0]);
      `PROVE(!idle || (stored_q == 0 && waits_q == 0));
      `COVER(preempts && hold);
      `COVER(was_q && waited_q && preempts_q && to_normal_data[0] && !to_normal_head);
      `COVER(credit_gone_q && in_cr_vl == 5'd2 && waits_q == CREDITS - 1);
      `COVER(idle && preempts_q && waited_q);
    end
  end
endmodule
`default_nettype wire
