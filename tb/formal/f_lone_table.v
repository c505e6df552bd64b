// SPDX-License-Identifier: Apache-2.0

// loom_lone_grant before loom_deficit_table, with a user that keeps its duties
// (docs/lone_grant.md): each keeps the contract of the other, so what is proved of loom_lone_grant
// alone holds here. A grant in cycle t goes to a VL that was ready in t - 2, for a request in
// t - 2, with the size and key of its head event; at least 4 cycles after the last; never twice
// for the same head. A packet is ahead for LONGEST cycles at most while its key is served and no
// entry is written; 63 is more than a job here has cycles.
`include "props.vh"
`default_nettype none
module f_lone_table #(
  parameter ARB_KEY     = 1,
  parameter VLS         = 3,
  parameter KEYS        = 2,
  parameter MGMT_VL     = 2,
  parameter SIZE_W      = 2,
  parameter ENTRIES     = 2,
  parameter STAY_CYCLES = 0,
  parameter QUIET       = 2,
  parameter LONGEST     = 63
) (
  input wire              clk_i,
  input wire              request_i,
  input wire [VLS-1:0]    ready_i,
  input wire              head_valid_i,
  input wire [4:0]        head_vl_i,
  input wire [SIZE_W-1:0] head_size_i,
  input wire [4:0]        head_sl_i,
  input wire              head_last_i,
  input wire              table_we_i,
  input wire [9:0]        table_addr_i,
  input wire [31:0]       table_data_i
);
  `RESET_ONCE

  wire granted, busy, swept, asked, shown, shown_last, chosen;
  wire [4:0] grant_vl, grant_key, shown_vl, shown_sl, chosen_vl, chosen_key;
  wire [SIZE_W-1:0] grant_size, shown_size, chosen_size;
  wire [VLS-1:0] seen;
  wire [KEYS-1:0] served;
  wire [31:0] rdata;
  loom_lone_grant #(
    .VLS(VLS), .KEYS(KEYS), .ARB_KEY(ARB_KEY), .MGMT_VL(MGMT_VL), .SIZE_W(SIZE_W), .QUIET(QUIET)
  ) u_lone (
    .clk_i(clk_i), .rst_i(rst), .request_i(request_i), .ready_i(ready_i),
    .head_valid_i(head_valid_i), .head_vl_i(head_vl_i), .head_size_i(head_size_i),
    .head_sl_i(head_sl_i), .head_last_i(head_last_i), .grant_valid_o(granted),
    .grant_vl_o(grant_vl), .grant_key_o(grant_key), .grant_size_o(grant_size),
    .sched_request_o(asked), .sched_ready_o(seen), .sched_head_valid_o(shown),
    .sched_head_vl_o(shown_vl), .sched_head_size_o(shown_size), .sched_head_sl_o(shown_sl),
    .sched_head_last_o(shown_last), .sched_served_i(served), .sched_grant_valid_i(chosen),
    .sched_grant_vl_i(chosen_vl), .sched_grant_key_i(chosen_key), .sched_grant_size_i(chosen_size)
  );
  loom_deficit_table #(
    .VLS(VLS), .KEYS(KEYS), .ARB_KEY(ARB_KEY), .MGMT_VL(MGMT_VL), .SIZE_W(SIZE_W),
    .ENTRIES(ENTRIES), .STAY_CYCLES(STAY_CYCLES)
  ) u_table (
    .clk_i(clk_i), .rst_i(rst), .request_i(asked), .ready_i(seen),
    .head_valid_i(shown), .head_vl_i(shown_vl), .head_size_i(shown_size),
    .head_sl_i(shown_sl), .head_last_i(shown_last), .table_we_i(table_we_i),
    .table_addr_i(table_addr_i), .table_data_i(table_data_i), .table_rdata_o(rdata),
    .busy_o(busy), .ready_o(swept), .served_o(served), .grant_valid_o(chosen),
    .grant_vl_o(chosen_vl), .grant_key_o(chosen_key), .grant_size_o(chosen_size)
  );

  // What the user knows: heads that were told and not granted since, the last two cycles.
  reg [VLS-1:0] known_q, ready1_q, ready2_q;
  reg request1_q, request2_q, granted1_q, granted2_q, granted3_q;
  reg [VLS*5-1:0] key_q;
  reg [VLS*SIZE_W-1:0] size_q;
  reg [VLS-1:0] told;
  reg was_ready, head_known;
  reg [4:0] was_key;
  reg [SIZE_W-1:0] was_size;
  integer i;
  always @* begin
    told = 0;
    was_ready = 1'b0;
    head_known = 1'b0;
    was_key = 5'd0;
    was_size = 0;
    for (i = 0; i < VLS; i = i + 1) begin
      if (head_valid_i && head_vl_i == i) begin
        told[i] = 1'b1;
        head_known = known_q[i];
      end
      if (grant_vl == i) begin
        was_ready = ready2_q[i] && known_q[i];
        was_key = key_q[5*i +: 5];
        was_size = size_q[SIZE_W*i +: SIZE_W];
      end
    end
  end
  always @(posedge clk_i) begin
    known_q <= rst ? 0 : (known_q | told) & ~(granted ? (33'd1 << grant_vl) : 33'd0);
    ready1_q <= rst ? 0 : ready_i;
    ready2_q <= rst ? 0 : ready1_q;
    request1_q <= !rst && request_i;
    request2_q <= !rst && request1_q;
    granted1_q <= !rst && granted;
    granted2_q <= !rst && granted1_q;
    granted3_q <= !rst && granted2_q;
    for (i = 0; i < VLS; i = i + 1) begin
      if (told[i]) begin
        key_q[5*i +: 5] <= ARB_KEY ? head_sl_i : i;
        size_q[SIZE_W*i +: SIZE_W] <= head_size_i;
      end
    end
  end
  // A packet went ahead: until it is given up, when its key was not served for 3 cycles.
  reg ahead_q, ahead_served;
  reg [4:0] ahead_key_q;
  reg [1:0] missing_q;
  reg [6:0] lasts_q;  // cycles in which its key was served, since the last write
  wire give_up = missing_q == 2'd3;
  always @* begin
    ahead_served = 1'b0;
    for (i = 0; i < KEYS; i = i + 1) if (ahead_key_q == i) ahead_served = served[i];
  end
  always @(posedge clk_i) begin
    ahead_q <= !rst && !chosen && (granted || ahead_q && !give_up);
    if (granted) ahead_key_q <= grant_key;
    missing_q <= (!rst && ahead_q && !ahead_served) ? missing_q + 1 : 0;
    lasts_q <= (rst || !ahead_q || chosen || busy || !ahead_served) ? 0 : lasts_q + 1;
  end

  always @* begin
    assume(!head_valid_i || head_vl_i < VLS);
    assume(!head_known);
    assume((ready_i & ~known_q) == 0);
    if (live_q) begin
      `PROVE(!granted || was_ready && request2_q);
      `PROVE(!granted || grant_key == was_key && grant_size == was_size && was_size != 0);
      `PROVE(!granted || grant_key < KEYS);
      `PROVE(granted || grant_vl == 0 && grant_key == 0 && grant_size == 0);
      `PROVE(!granted || !(granted1_q || granted2_q || granted3_q));
      `PROVE(!granted || swept);
      `PROVE(lasts_q <= LONGEST);
      `COVER(ahead_q && chosen);
      `COVER(ahead_q && chosen && !busy && (ready_i & ~1) != 0);
    end
  end
endmodule
`default_nettype wire
