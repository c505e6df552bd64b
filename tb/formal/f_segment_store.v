// SPDX-License-Identifier: Apache-2.0

// loom_segment_store, from outside, under the contract of its user: 2 VCs, a few segments on each,
// with any words at any time. Slots are counted. Segments come into view once for each take, and
// soon. Both readers are followed by their takes: every word of a segment shows in its lane, in
// order, with its flags, and bit 0 of any one place of any one segment is the one that was written.
`include "props.vh"
`default_nettype none
module f_segment_store #(
  parameter POOL = 1,
  parameter WHAT = 0  // 0 room and view, 1 words; covers: all
) (
  input wire       clk_i,
  input wire       wr_valid_i,
  input wire [4:0] wr_vc_i,
  input wire       wr_head_i,
  input wire       wr_tail_i,
  input wire       wr_bit_i,
  input wire       take_i,
  input wire [4:0] take_vc_i,
  input wire       take_keep_i
);
  localparam V = 2;
  `RESET_ONCE

  wire [V-1:0] own, view;
  wire spare, head_event, phase, rd_free, done, done_tail, free_valid, empty;
  wire [4:0] head_vc, done_vc, free_vc;
  wire [1:0] rd_valid, rd_head, rd_last, rd_tail, soon;
  wire early;
  wire [127:0] rd_data;
  loom_segment_store #(.VCS(V), .POOL(POOL)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .wr_valid_i(wr_valid_i), .wr_vc_i(wr_vc_i),
    .wr_head_i(wr_head_i), .wr_tail_i(wr_tail_i), .wr_data_i({63'd0, wr_bit_i}),
    .own_o(own), .spare_o(spare), .head_valid_o(view), .head_event_o(head_event),
    .head_vc_o(head_vc), .take_i(take_i), .take_vc_i(take_vc_i), .take_keep_i(take_keep_i),
    .phase_o(phase), .rd_free_o(rd_free), .rd_valid_o(rd_valid), .rd_data_o(rd_data),
    .rd_head_o(rd_head), .rd_last_o(rd_last), .rd_tail_o(rd_tail), .done_o(done),
    .done_vc_o(done_vc), .done_tail_o(done_tail), .free_valid_o(free_valid), .free_vc_o(free_vc),
    .empty_o(empty), .soon_o(soon), .early_o(early)
  );

  // Segments by VC and number, at {vc, number}: words written, ended, with a tail; ended 1, 2 and 3
  // cycles ago.
  reg [3:0] begun_q [0:1];
  reg [5:0] count_q [0:15];
  reg [15:0] ended_q, tail_q, was1_q, was2_q, was3_q;
  reg open_q;
  reg [3:0] open_at_q;
  wire head = wr_valid_i && wr_head_i;
  wire [3:0] at = head ? {wr_vc_i[0], begun_q[wr_vc_i[0]][2:0]} : open_at_q;
  wire [5:0] words = head ? 6'd1 : count_q[at] + 6'd1;
  wire ends = wr_tail_i || words == 32;

  reg was_free_q;
  always @* begin
    // The contract of the user; no more than 8 segments of a VC.
    assume(!head || wr_vc_i < V && !open_q && (own[wr_vc_i[0]] || spare));
    assume(!head || begun_q[wr_vc_i[0]] < 8);
    assume(!wr_valid_i || wr_head_i || open_q);
    assume(!take_i || take_vc_i < V && was_free_q && view[take_vc_i[0]]);
  end

  integer n;
  always @(posedge clk_i) begin
    was_free_q <= !rst && rd_free;
    was1_q <= ended_q;
    was2_q <= was1_q;
    was3_q <= was2_q;
    if (rst) begin
      begun_q[0] <= 0;
      begun_q[1] <= 0;
      for (n = 0; n < 16; n = n + 1) count_q[n] <= 0;
      ended_q <= 0;
      tail_q <= 0;
      was1_q <= 0;
      was2_q <= 0;
      was3_q <= 0;
      open_q <= 0;
    end else if (wr_valid_i) begin
      if (head) begun_q[wr_vc_i[0]] <= begun_q[wr_vc_i[0]] + 1;
      open_at_q <= at;
      open_q <= !ends;
      count_q[at] <= words;
      ended_q[at] <= ends;
      tail_q[at] <= wr_tail_i;
    end
  end

  // Slots in use, as free_valid_o shows them; the model of a cycle counts one that shows in it.
  reg [3:0] used_q [0:1];
  wire [3:0] used0 = used_q[0] - (free_valid && free_vc == 0);
  wire [3:0] used1 = used_q[1] - (free_valid && free_vc == 1);
  wire [3:0] pool = (used0 == 0 ? 0 : used0 - 1) + (used1 == 0 ? 0 : used1 - 1);
  reg empty_q;
  always @(posedge clk_i) begin
    if (rst) begin
      used_q[0] <= 0;
      used_q[1] <= 0;
      empty_q <= 1;
    end else begin
      used_q[0] <= used0 + (head && wr_vc_i == 0);
      used_q[1] <= used1 + (head && wr_vc_i == 1);
      empty_q <= used0 == 0 && used1 == 0 && !head;
    end
  end

  // The readers, from the take to done_o: {vc, number} of the segment. Segments that left, of a VC.
  reg [1:0] out_q, keep_q;
  reg [3:0] seg_q [0:1];
  reg [2:0] left_q [0:1];
  reg phase_q;
  wire r = !phase_q;  // the reader of done_o
  reg free_q, free_vc_q;
  always @(posedge clk_i) begin
    if (rst) begin
      phase_q <= 0;
      out_q <= 0;
      left_q[0] <= 0;
      left_q[1] <= 0;
      free_q <= 0;
    end else begin
      phase_q <= !phase_q;
      if (done) begin
        out_q[r] <= 0;
        if (!keep_q[r]) left_q[done_vc[0]] <= left_q[done_vc[0]] + 1;
      end
      if (take_i) begin
        out_q[phase_q] <= 1;
        keep_q[phase_q] <= take_keep_i;
        seg_q[phase_q] <= {take_vc_i[0], left_q[take_vc_i[0]]};
      end
      free_q <= done && !keep_q[r];
      free_vc_q <= done_vc[0];
    end
  end

  // View: cycles in which a VC's first segment could be in view and is not.
  reg [1:0] view_q;
  reg [3:0] hidden_q [0:1];
  reg [3:0] joined_q [0:1];  // segments that began before the last cycle
  wire [1:0] came = head_event ? 2'd1 << head_vc : 2'd0;
  wire [1:0] at_it = {out_q[0] && seg_q[0][3] || out_q[1] && seg_q[1][3],
                      out_q[0] && !seg_q[0][3] || out_q[1] && !seg_q[1][3]};
  integer v;
  always @(posedge clk_i) begin
    for (v = 0; v < V; v = v + 1) begin
      joined_q[v] <= rst ? 0 : begun_q[v];
      hidden_q[v] <= rst || view_q[v] || came[v] || at_it[v] || begun_q[v] == left_q[v] ? 0
                     : hidden_q[v] + 1;
    end
    view_q <= rst ? 2'd0 : (view_q | came) & ~(take_i ? 2'd1 << take_vc_i : 2'd0);
  end

  // Words: those of a take show from two cycles later on.
  reg start1_q, start_q;
  reg [3:0] start1_seg_q, start_seg_q;
  reg [1:0] act_q;
  reg [5:0] place_q [0:1];
  reg [3:0] act_seg_q [0:1];
  always @(posedge clk_i) begin
    start1_q <= !rst && take_i;
    start1_seg_q <= {take_vc_i[0], left_q[take_vc_i[0]]};
    start_q <= !rst && start1_q;
    start_seg_q <= start1_seg_q;
  end
  wire s = phase_q;  // the reader whose word is in lane 0, and which starts
  wire [3:0] seg0 = start_q ? start_seg_q : act_seg_q[s];
  wire [3:0] seg1 = act_seg_q[!s];
  wire [5:0] place0 = start_q ? 6'd0 : place_q[s];
  wire [5:0] place1 = place_q[!s];
  wire act0 = start_q || act_q[s];
  wire act1 = act_q[!s];
  wire last0 = ended_q[seg0] && place0 + 1 == count_q[seg0];
  wire last1 = ended_q[seg1] && place1 + 1 == count_q[seg1];
  always @(posedge clk_i) begin
    if (rst) act_q <= 0;
    else begin
      act_q[s] <= act0 && !rd_last[0];
      act_q[!s] <= act1 && !rd_last[1];
      act_seg_q[s] <= seg0;
      place_q[s] <= place0 + rd_valid[0];
      place_q[!s] <= place1 + rd_valid[1];
    end
  end

  // The segment and the place that are followed.
  reg [3:0] n_q;
  reg [4:0] at_q;
  reg bit_q;
  always @(posedge clk_i) begin
    n_q <= n_q;
    at_q <= at_q;
    if (wr_valid_i && at == n_q && words == at_q + 1) bit_q <= wr_bit_i;
  end

  always @* begin
    if (live_q) begin
      if (WHAT == 0) begin
        `PROVE(own == {used1 == 0, used0 == 0} && spare == (pool < POOL) && pool <= POOL);
        `PROVE(empty == empty_q && phase == phase_q);
        `PROVE(free_valid == free_q && (!free_valid || free_vc == free_vc_q));
        `PROVE(view == (view_q | came) && (view_q & came) == 0 && (!head_event || head_vc < V));
        for (v = 0; v < V; v = v + 1) begin
          `PROVE(!came[v] || !at_it[v] && joined_q[v] > left_q[v]);
          `PROVE(hidden_q[v] < 4);
        end
        `PROVE(rd_free == (!out_q[r] || done));
      end
      if (WHAT == 1) begin
        `PROVE(!done || out_q[r] && done_vc == seg_q[r][3]);
        `PROVE(!done || ended_q[seg_q[r]] && done_tail == tail_q[seg_q[r]]);
        `PROVE(!start_q || !act_q[s] && rd_valid[0]);
        `PROVE(!rd_valid[0] || act0 && !place0[0] && rd_head[0] == (place0 == 0));
        `PROVE(!rd_valid[1] || act1 && place1[0]);
        `PROVE(!rd_valid[0] || rd_last[0] == last0 && rd_tail[0] == (last0 && tail_q[seg0]));
        `PROVE(!rd_valid[1] || rd_last[1] == last1 && rd_tail[1] == (last1 && tail_q[seg1]));
        `PROVE(!(act0 && !place0[0] && was3_q[seg0]) || rd_valid[0]);
        `PROVE(!(act1 && place1[0] && was3_q[seg1]) || rd_valid[1]);
        if (rd_valid[0] && seg0 == n_q && place0 == at_q) `PROVE(rd_data[0] == bit_q);
        if (rd_valid[1] && seg1 == n_q && place1 == at_q) `PROVE(rd_data[64] == bit_q);
        `PROVE((rd_valid | ~(rd_head | rd_last | rd_tail)) == 2'b11);
        `PROVE((rd_valid[0] || !rd_data[0]) && (rd_valid[1] || !rd_data[64]));
      end

      `COVER(rd_valid == 2'b11 && place0 == 2 && place1 == 1);
      `COVER(rd_valid[1] && rd_last[1] && seg1 == 1 && rd_data[64]);
      `COVER(rd_valid[0] && rd_last[0] && !ended_q[0] && seg0 == 8);
      `COVER(done && keep_q[r] && left_q[0] == 1 && seg_q[r] == 1);
      `COVER(free_valid && !spare && POOL != 0);
    end
  end
endmodule
`default_nettype wire
