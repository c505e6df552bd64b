// SPDX-License-Identifier: Apache-2.0

// loom_room_tracker: the promise of the page against an account of what was admitted and came back:
// a bit is 1 only if OP-06 allows it, is kept, is exact at rest, and is there for a lane within its
// reserve and cap whatever the others do; counts, idle and errors are those of the account, under
// any events and any configuration writes. `admit` is tied to the circuit: the consume of the last
// cycle was admitted.
`include "props.vh"
`default_nettype none
module f_room_tracker #(
  parameter VLS       = 2,
  parameter COUNT_W   = 4,
  parameter SIZE_W    = 2,
  parameter UNITS     = 6,
  parameter MAX_UNITS = 7,
  parameter RESERVED  = 2,
  parameter NEED      = 2,
  parameter SMALL     = 0
) (
  input wire               clk_i,
  input wire               consume_valid_i,
  input wire [4:0]         consume_vl_i,
  input wire [SIZE_W-1:0]  consume_size_i,
  input wire               return_valid_i,
  input wire [4:0]         return_vl_i,
  input wire               need_valid_i,
  input wire [4:0]         need_vl_i,
  input wire [SIZE_W-1:0]  need_size_i,
  input wire               cfg_we_i,
  input wire [6:0]         cfg_addr_i,
  input wire [COUNT_W-1:0] cfg_data_i
);
  localparam B = COUNT_W + $clog2(VLS + 1);  // wide enough for every sum here
  localparam REST = 6 + VLS;
  `RESET_ONCE

  wire ready, used_valid, idle, config_ok, error;
  wire [VLS-1:0] room;
  wire [COUNT_W-1:0] total, used;
  wire [4:0] used_vl;
  loom_room_tracker #(
    .VLS(VLS), .COUNT_W(COUNT_W), .SIZE_W(SIZE_W),
    .UNITS(UNITS), .MAX_UNITS(MAX_UNITS), .RESERVED(RESERVED), .NEED(NEED), .SMALL(SMALL)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .ready_o(ready),
    .consume_valid_i(consume_valid_i), .consume_vl_i(consume_vl_i),
    .consume_size_i(consume_size_i),
    .return_valid_i(return_valid_i), .return_vl_i(return_vl_i),
    .need_valid_i(need_valid_i), .need_vl_i(need_vl_i), .need_size_i(need_size_i),
    .cfg_we_i(cfg_we_i), .cfg_addr_i(cfg_addr_i), .cfg_data_i(cfg_data_i),
    .room_o(room), .total_o(total),
    .used_valid_o(used_valid), .used_vl_o(used_vl), .used_o(used),
    .idle_o(idle), .config_ok_o(config_ok), .error_o(error)
  );
  wire admit;  // tied to the circuit

  // The account: of events up to the cycle before the last, and one cycle older.
  reg [COUNT_W-1:0] u_q [0:VLS-1];
  reg [COUNT_W-1:0] old_q [0:VLS-1];
  reg [COUNT_W-1:0] reserved_q [0:VLS-1];
  reg [COUNT_W-1:0] cap_q [0:VLS-1];
  reg [SIZE_W-1:0] need_q [0:VLS-1];
  reg [COUNT_W-1:0] units_q;
  // The last cycle, and what it may have promised.
  reg consume_q, return_q, ignored_q, wrong_q, cfg_q;
  reg [4:0] consume_vl_q, return_vl_q;
  reg [SIZE_W-1:0] size_q;
  reg promised_q;
  reg [VLS-1:0] need_hot_q;
  reg [4:0] quiet_q;                 // cycles since the last event
  reg [4:0] still_q [0:VLS-1];       // since the last of this lane, or cfg
  reg was_full_q;
  reg stayed_q;                      // two small packets of a lane, two cycles between them
  reg [1:0] went_q;

  reg known, cfg_taken, give;
  reg [B-1:0] sum_u, sum_old, sum_r, pool, free, own, n;
  reg legal;
  reg [VLS-1:0] fits, sure, safe;
  reg [B-1:0] ul, all, pool_l;
  integer i, k;

  function [B-1:0] over;  // max(a - b, 0)
    input [B-1:0] a, b;
    over = a > b ? a - b : {B{1'b0}};
  endfunction

  always @* begin
    known = cfg_addr_i == 64 || !cfg_addr_i[6] && cfg_addr_i[4:0] < VLS;
    cfg_taken = cfg_we_i && known && idle && !consume_valid_i;
    give = 1'b0;
    sum_u = 0;
    sum_old = 0;
    sum_r = 0;
    pool = 0;
    for (i = 0; i < VLS; i = i + 1) begin
      sum_u = sum_u + u_q[i];
      sum_old = sum_old + old_q[i];
      sum_r = sum_r + reserved_q[i];
      pool = pool + over(u_q[i], reserved_q[i]);
      if (return_q && return_vl_q == i && u_q[i] != 0) give = 1'b1;
    end
    legal = sum_r <= units_q && units_q <= MAX_UNITS;
    free = legal ? units_q - sum_r - pool : {B{1'b0}};
    for (i = 0; i < VLS; i = i + 1) begin
      // A lane by its own consumes up to the last cycle, by small ones and those of others up to
      // the one before.
      ul = u_q[i] + (admit && consume_vl_q == i && size_q > SMALL ? size_q : {SIZE_W{1'b0}});
      n = need_q[i];
      own = over(reserved_q[i], ul);
      pool_l = pool - over(u_q[i], reserved_q[i]) + over(ul, reserved_q[i]);
      all = legal ? own + over(units_q, sum_r + pool_l) : {B{1'b0}};
      safe[i] = legal && n != 0 && ul + n <= cap_q[i] && n <= all;
      fits[i] = legal && n != 0 && u_q[i] + n <= cap_q[i]
                && n <= over(reserved_q[i], u_q[i]) + free;
      sure[i] = legal && n != 0 && ul + n <= cap_q[i] && n <= own;
    end
  end

  always @(posedge clk_i) begin
    consume_q <= consume_valid_i && !rst;
    consume_vl_q <= consume_vl_i;
    size_q <= consume_size_i;
    return_q <= return_valid_i && ready && return_vl_i < VLS && !rst;
    return_vl_q <= return_vl_i;
    ignored_q <= !rst && (return_valid_i && !(ready && return_vl_i < VLS)
                          || need_valid_i && !(ready && need_vl_i < VLS)
                          || cfg_we_i && known && !cfg_taken);
    wrong_q <= !rst && (ignored_q || consume_q && !admit || return_q && !give);
    cfg_q <= !rst && cfg_taken;
    promised_q <= 1'b0;
    quiet_q <= (rst || !ready || consume_valid_i || return_valid_i || need_valid_i || cfg_we_i)
               ? 5'd1 : quiet_q == 5'd31 ? 5'd31 : quiet_q + 5'd1;
    if (cfg_taken && cfg_addr_i == 64) units_q <= cfg_data_i;
    for (i = 0; i < VLS; i = i + 1) begin
      need_hot_q[i] <= need_valid_i && need_vl_i == i;
      if (consume_valid_i && consume_vl_i == i && room[i] && !consume_q && !need_hot_q[i]
          && !cfg_q && consume_size_i != 0 && consume_size_i <= need_q[i]) promised_q <= live_q;
      old_q[i] <= u_q[i];
      u_q[i] <= u_q[i] + (admit && consume_vl_q == i ? size_q : {SIZE_W{1'b0}})
                - (give && return_vl_q == i);
      if (need_valid_i && ready && need_vl_i == i) need_q[i] <= need_size_i;
      if (cfg_taken && cfg_addr_i == i) reserved_q[i] <= cfg_data_i;
      if (cfg_taken && cfg_addr_i == 32 + i) cap_q[i] <= cfg_data_i;
      still_q[i] <= (!ready || cfg_we_i || consume_valid_i && consume_vl_i == i
                     || return_valid_i && return_vl_i == i || need_valid_i && need_vl_i == i)
                    ? 5'd1 : still_q[i] == 5'd31 ? 5'd31 : still_q[i] + 5'd1;
    end
    went_q <= {went_q[0], admit && consume_vl_q == 0 && size_q <= SMALL};
    stayed_q <= !rst && (stayed_q || went_q[1] && admit && consume_vl_q == 0 && size_q != 0);
    was_full_q <= !rst && (was_full_q || room == 0 && quiet_q == REST && total == units_q);
    if (rst) begin
      units_q <= UNITS;
      for (i = 0; i < VLS; i = i + 1) begin
        u_q[i] <= 0;
        old_q[i] <= 0;
        reserved_q[i] <= RESERVED;
        cap_q[i] <= UNITS;
        need_q[i] <= NEED;
        still_q[i] <= 5'd1;
      end
    end
  end

  always @* begin
    if (live_q) begin
      `PROVE((room & ~safe) == 0);
      `PROVE(!promised_q || admit);
      `PROVE(quiet_q < REST || room == fits);
      `PROVE(total == sum_old);
      `PROVE(idle == 0 || sum_u == 0);
      `PROVE(error == wrong_q);
      `PROVE(sum_u <= units_q || sum_u == 0);
      `PROVE(used_valid || used == 0 && used_vl == 0);
      `PROVE(quiet_q < REST || config_ok == legal);
      for (k = 0; k < VLS; k = k + 1) begin
        `PROVE(u_q[k] <= cap_q[k]);
        `PROVE(!used_valid || used_vl != k || used == old_q[k]);
        `PROVE(!(admit && consume_vl_q == k) || fits[k] && size_q <= need_q[k] || need_hot_q[k]);
        // Whatever the others hold and do.
        `PROVE(!(sure[k] && still_q[k] >= REST) || room[k]);
      end
      `COVER(stayed_q || SMALL == 0);
      `COVER(was_full_q && room == {VLS{1'b1}});
      `COVER(consume_q && !admit && size_q != 0 && size_q <= need_q[0] && consume_vl_q == 0);
      `COVER(units_q != UNITS && admit);
      `COVER(quiet_q == REST && total == UNITS);
    end
  end
endmodule
`default_nettype wire
