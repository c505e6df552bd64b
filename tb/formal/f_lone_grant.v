// SPDX-License-Identifier: Apache-2.0

// loom_lone_grant between a user and a scheduler that keep their duties (docs/lone_grant.md).
// Told to the user: a grant in cycle t goes to a VL that was ready in t - 2, for a request in
// t - 2, with the size and key of its head event. A grant that is not the scheduler's is of a
// VL that was alone, and every packet that the page wants ahead goes ahead. The scheduler has each
// head event once, in order for each VL, only while it sees the VL as not ready; its next grant
// after one ahead is the same again, unless the key is not served for 3 cycles. Until then it sees
// no other VL; and that ends, if it grants what it sees alone.
`include "props.vh"
`default_nettype none
module f_lone_grant #(
  parameter ARB_KEY = 1,
  parameter VLS     = 3,
  parameter KEYS    = 2,
  parameter MGMT_VL = 2,
  parameter SIZE_W  = 1,
  parameter QUIET   = 2
) (
  input wire              clk_i,
  input wire              request_i,
  input wire [VLS-1:0]    ready_i,
  input wire              head_valid_i,
  input wire [4:0]        head_vl_i,
  input wire [SIZE_W-1:0] head_size_i,
  input wire [4:0]        head_sl_i,
  input wire              head_last_i,
  input wire [KEYS-1:0]   served_i,
  input wire              chosen_i,
  input wire [4:0]        chosen_vl_i
);
  localparam PATIENCE = 5;  // the scheduler grants a VL that stayed alone for so many cycles
  localparam HEAD = SIZE_W + 6;
  `RESET_ONCE

  // The scheduler's grant is of its free choice, with what it was told of this VL.
  reg [VLS*HEAD-1:0] told_q;   // {size, sl, last}, to the scheduler
  reg [4:0] chosen_sl;
  reg [SIZE_W-1:0] chosen_size;
  wire [4:0] chosen_key = ARB_KEY ? chosen_sl : chosen_vl_i;

  wire granted, asked, shown;
  wire [4:0] grant_vl, grant_key, shown_vl, shown_sl;
  wire [SIZE_W-1:0] grant_size, shown_size;
  wire shown_last;
  wire [VLS-1:0] seen;
  loom_lone_grant #(
    .VLS(VLS), .KEYS(KEYS), .ARB_KEY(ARB_KEY), .MGMT_VL(MGMT_VL), .SIZE_W(SIZE_W), .QUIET(QUIET)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .request_i(request_i), .ready_i(ready_i),
    .head_valid_i(head_valid_i), .head_vl_i(head_vl_i), .head_size_i(head_size_i),
    .head_sl_i(head_sl_i), .head_last_i(head_last_i), .grant_valid_o(granted),
    .grant_vl_o(grant_vl), .grant_key_o(grant_key), .grant_size_o(grant_size),
    .sched_request_o(asked), .sched_ready_o(seen), .sched_head_valid_o(shown),
    .sched_head_vl_o(shown_vl), .sched_head_size_o(shown_size), .sched_head_sl_o(shown_sl),
    .sched_head_last_o(shown_last), .sched_served_i(served_i), .sched_grant_valid_i(chosen_i),
    .sched_grant_vl_i(chosen_i ? chosen_vl_i : 5'd0),
    .sched_grant_key_i(chosen_i ? chosen_key : 5'd0),
    .sched_grant_size_i(chosen_i ? chosen_size : {SIZE_W{1'b0}})
  );

  // The user: heads that were told and not granted since, the last two cycles.
  reg [VLS*HEAD-1:0] head_q;   // {size, sl, last}
  reg [VLS-1:0] known_q, ready1_q, ready2_q;
  reg request1_q, request2_q;
  // The scheduler: heads that it knows, what it saw in the last two cycles and its last grants.
  reg [VLS-1:0] sched_known_q, seen1_q, seen2_q;
  reg asked1_q, asked2_q, chosen1_q, chosen2_q, chosen3_q;
  reg [2:0] waited_q;
  reg [KEYS*3-1:0] unserved_q;  // for so many cycles a bit was 0, up to 5
  // What was granted ahead, and how long its key has been served or not; heads that wait.
  reg owed_q, tried_q;
  reg [4:0] owed_vl_q, owed_key_q, tried_vl_q;
  reg [SIZE_W-1:0] owed_size_q;
  reg [1:0] missing_q;
  reg [3:0] present_q;
  reg [VLS-1:0] wait_q;
  // Cycles without a grant, and the VL whose message is open.
  reg [3:0] calm_q;
  reg open_q;
  reg [4:0] open_vl_q;

  reg [VLS-1:0] event_hot, shown_hot, grant_hot, chosen_hot, owed_hot;
  reg [SIZE_W-1:0] was_size, alone_size, late_size;
  reg [4:0] was_sl, alone_sl, alone_vl, late_sl;
  reg was_last, late_last, bad_served, owed_served, seen_served;
  reg [5:0] one_n, seen_n;
  integer i;
  always @* begin
    event_hot = 0;
    shown_hot = 0;
    grant_hot = 0;
    chosen_hot = 0;
    owed_hot = 0;
    {was_size, was_sl, was_last} = 0;
    {late_size, late_sl, late_last} = 0;
    {alone_size, alone_sl} = 0;
    {chosen_size, chosen_sl} = 0;
    alone_vl = 0;
    one_n = 0;
    seen_n = 0;
    seen_served = 1'b0;
    for (i = 0; i < VLS; i = i + 1) begin
      event_hot[i] = head_valid_i && head_vl_i == i;
      shown_hot[i] = shown && shown_vl == i;
      grant_hot[i] = granted && grant_vl == i;
      chosen_hot[i] = chosen_i && chosen_vl_i == i;
      owed_hot[i] = owed_q && owed_vl_q == i;
      one_n = one_n + ready1_q[i];
      seen_n = seen_n + seen[i];
      if (grant_vl == i) {was_size, was_sl, was_last} = head_q[HEAD*i +: HEAD];
      if (shown_vl == i) {late_size, late_sl, late_last} = head_q[HEAD*i +: HEAD];
      if (chosen_vl_i == i) {chosen_size, chosen_sl} = told_q[HEAD*i+1 +: HEAD-1];
      if (ready1_q[i]) begin
        alone_vl = i;
        {alone_size, alone_sl} = head_q[HEAD*i+1 +: HEAD-1];
      end
      if (seen[i]) begin : key_of_seen
        reg [4:0] key;
        key = ARB_KEY ? told_q[HEAD*i+1 +: 5] : i;
        seen_served = key < KEYS && served_i[key] && told_q[HEAD*i+6 +: SIZE_W] != 0;
      end
    end
    bad_served = 1'b0;
    owed_served = 1'b0;
    for (i = 0; i < KEYS; i = i + 1) begin
      if (served_i[i] && unserved_q[3*i +: 3] >= 2 && unserved_q[3*i +: 3] <= 4) bad_served = 1'b1;
      if (owed_key_q == i) owed_served = served_i[i];
    end
  end
  wire [4:0] was_key = ARB_KEY ? was_sl : grant_vl;
  wire [4:0] alone_key = ARB_KEY ? alone_sl : alone_vl;
  wire give_up = owed_q && missing_q == 2'd3;
  // What the page calls attempt.
  wire try = request1_q && one_n == 1 && alone_vl != MGMT_VL && !tried_q && !owed_q && wait_q == 0
             && calm_q >= QUIET && !chosen_i && alone_size != 0 && alone_key < KEYS
             && served_i[alone_key] && (!open_q || open_vl_q == alone_vl);

  always @(posedge clk_i) begin
    known_q <= rst ? 0 : (known_q | event_hot) & ~grant_hot;
    sched_known_q <= rst ? 0 : (sched_known_q & ~chosen_hot & ~(give_up ? owed_hot : 0))
                              | shown_hot;
    ready1_q <= rst ? 0 : ready_i;
    ready2_q <= rst ? 0 : ready1_q;
    request1_q <= !rst && request_i;
    request2_q <= !rst && request1_q;
    seen1_q <= rst ? 0 : seen;
    seen2_q <= rst ? 0 : seen1_q;
    asked1_q <= !rst && asked;
    asked2_q <= !rst && asked1_q;
    chosen1_q <= !rst && chosen_i;
    chosen2_q <= !rst && chosen1_q;
    chosen3_q <= !rst && chosen2_q;
    waited_q <= (rst || chosen_i || !asked || seen_n != 1 || seen != seen1_q || !seen_served)
                ? 0 : waited_q + 1;
    for (i = 0; i < KEYS; i = i + 1) begin
      if (rst) unserved_q[3*i +: 3] <= 5;
      else if (served_i[i]) unserved_q[3*i +: 3] <= 0;
      else if (unserved_q[3*i +: 3] != 5) unserved_q[3*i +: 3] <= unserved_q[3*i +: 3] + 1;
    end
    for (i = 0; i < VLS; i = i + 1) begin
      if (event_hot[i]) head_q[HEAD*i +: HEAD] <= {head_size_i, head_sl_i, head_last_i};
      if (shown_hot[i]) told_q[HEAD*i +: HEAD] <= {shown_size, shown_sl, shown_last};
    end
    wait_q <= rst ? 0 : (wait_q | event_hot) & ~shown_hot;
    tried_q <= !rst && try;
    tried_vl_q <= alone_vl;
    owed_q <= !rst && (owed_q ? !chosen_i && !give_up : granted && !chosen_i);
    if (!owed_q) begin
      owed_vl_q <= grant_vl;
      owed_key_q <= grant_key;
      owed_size_q <= grant_size;
    end
    missing_q <= (!rst && owed_q && !owed_served) ? missing_q + 1 : 0;
    present_q <= (!rst && owed_q && owed_served) ? present_q + 1 : 0;
    calm_q <= (!rst && (granted || chosen_i)) ? 0 : (rst || calm_q == 15) ? 15 : calm_q + 1;
    if (rst) open_q <= 1'b0;
    else if (granted && grant_vl != MGMT_VL) begin
      open_q <= !was_last;
      open_vl_q <= grant_vl;
    end else if (give_up && !chosen_i) begin
      open_q <= 1'b1;
      open_vl_q <= owed_vl_q;
    end
  end

  always @* begin
    // the user's duties
    assume(!head_valid_i || head_vl_i < VLS && head_sl_i < 4);
    assume((event_hot & known_q) == 0);
    assume((ready_i & ~known_q) == 0);
    // the scheduler's
    assume(!bad_served);
    assume(!chosen_i || asked2_q && (chosen_hot & seen2_q) != 0);
    assume(!chosen_i || chosen_size != 0 && chosen_key < KEYS);
    assume(!chosen_i || !(chosen1_q || chosen2_q || chosen3_q));
    assume(chosen_i || waited_q < PATIENCE);
    if (live_q) begin
      // what the user gets
      `PROVE(!granted || request2_q && (grant_hot & ready2_q & known_q) != 0);
      `PROVE(!granted || grant_key == was_key && grant_size == was_size && was_size != 0);
      `PROVE(!granted || grant_key < KEYS);
      `PROVE(granted || grant_vl == 0 && grant_key == 0 && grant_size == 0);
      `PROVE(!granted || chosen_i || tried_q && grant_vl == tried_vl_q);
      `PROVE(!tried_q || granted);
      // what the scheduler gets
      `PROVE((event_hot & wait_q) == 0);
      `PROVE((shown_hot & ~(wait_q | event_hot)) == 0 && (!shown || shown_hot != 0));
      `PROVE(!shown || {shown_size, shown_sl, shown_last}
             == (head_valid_i ? {head_size_i, head_sl_i, head_last_i}
                              : {late_size, late_sl, late_last}));
      `PROVE(wait_q == 0 || owed_q || head_valid_i || shown_hot == wait_q);
      `PROVE((event_hot & ~shown_hot) == 0 || owed_q && event_hot == owed_hot);
      `PROVE((shown_hot & (sched_known_q | seen)) == 0);
      `PROVE((seen & ~sched_known_q) == 0);
      `PROVE(asked == (owed_q || request_i && !try && !tried_q));
      // one ahead
      `PROVE(!(owed_q && granted));
      `PROVE(!(chosen_i && owed_q) || chosen_vl_i == owed_vl_q && chosen_key == owed_key_q
             && chosen_size == owed_size_q);
      `PROVE(!(chosen_i && !owed_q) || granted && grant_vl == chosen_vl_i
             && grant_key == chosen_key && grant_size == chosen_size);
      `PROVE(seen == (owed_q ? owed_hot & {VLS{missing_q == 0}} : ready_i & ~wait_q));
      `PROVE(present_q <= 12);
      `COVER(tried_q && !chosen_i && open_q && ready_i[MGMT_VL]);
      `COVER(tried_q && chosen_i);
      `COVER(give_up && wait_q != 0);
      `COVER(!owed_q && wait_q != 0 && head_valid_i);
      `COVER(chosen_i && owed_q && event_hot == owed_hot);
      `COVER(chosen_i && granted && grant_vl == MGMT_VL && chosen3_q == 0);
    end
  end
endmodule
`default_nettype wire
