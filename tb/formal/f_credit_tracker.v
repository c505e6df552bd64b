// SPDX-License-Identifier: Apache-2.0

// loom_credit_tracker: conservation (a VL has in use what went out on it less what came back), the
// guarantee of each VL, its cap, the total, and the page's formulas for avail, ok, config_ok and
// error. The circuit's registers stand for the account: each of them must become what the page
// says.
`include "props.vh"
`default_nettype none
module f_credit_tracker #(
  parameter VLS       = 2,
  parameter COUNT_W   = 4,
  parameter SIZE_W    = 3,
  parameter UNITS     = 12,
  parameter MAX_UNITS = 14,
  parameter RESERVED  = 3
) (
  input wire               clk_i,
  input wire               cfg_we_i,
  input wire [6:0]         cfg_addr_i,
  input wire [COUNT_W-1:0] cfg_data_i,
  input wire               consume_valid_i,
  input wire [4:0]         consume_vl_i,
  input wire [SIZE_W-1:0]  consume_size_i,
  input wire               return_valid_i,
  input wire [4:0]         return_vl_i
);
  localparam B = COUNT_W + $clog2(VLS + 1);  // wide enough for every sum here
  `RESET_ONCE

  wire ok, config_ok, error;
  wire [VLS*COUNT_W-1:0] avail, used;
  loom_credit_tracker #(
    .VLS(VLS), .COUNT_W(COUNT_W), .SIZE_W(SIZE_W),
    .UNITS(UNITS), .MAX_UNITS(MAX_UNITS), .RESERVED(RESERVED)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst),
    .cfg_we_i(cfg_we_i), .cfg_addr_i(cfg_addr_i), .cfg_data_i(cfg_data_i),
    .consume_valid_i(consume_valid_i), .consume_vl_i(consume_vl_i),
    .consume_size_i(consume_size_i), .consume_ok_o(ok),
    .return_valid_i(return_valid_i), .return_vl_i(return_vl_i),
    .avail_o(avail), .used_o(used), .config_ok_o(config_ok), .error_o(error)
  );
  wire [VLS*COUNT_W-1:0] reserved, cap;  // tied to the circuit's registers
  wire [COUNT_W-1:0] total, pool_used;
  wire [COUNT_W+4:0] reserved_sum;

  reg [COUNT_W-1:0] u, r, c;
  reg [VLS*COUNT_W-1:0] used_d, reserved_d, cap_d;
  reg [VLS*COUNT_W-1:0] used_q, reserved_q, cap_q;
  reg [COUNT_W-1:0] total_q;
  reg error_q, full_q;
  reg [B-1:0] sum_u, sum_r, pool, free;
  reg [COUNT_W-1:0] cu, cr, cc;
  reg idle, known, returns, fits;
  reg [B-1:0] room, most;
  integer i;

  function [B-1:0] over;  // max(a - b, 0)
    input [B-1:0] a, b;
    over = a > b ? a - b : {B{1'b0}};
  endfunction

  always @* begin
    sum_u = 0;
    sum_r = 0;
    pool = 0;
    returns = 1'b0;
    cu = 0;
    cr = 0;
    cc = 0;
    for (i = 0; i < VLS; i = i + 1) begin
      u = used[i*COUNT_W +: COUNT_W];
      r = reserved[i*COUNT_W +: COUNT_W];
      c = cap[i*COUNT_W +: COUNT_W];
      sum_u = sum_u + u;
      sum_r = sum_r + r;
      pool = pool + over(u, r);
      if (return_vl_i == i && u != 0) returns = return_valid_i;
      if (consume_vl_i == i) begin
        cu = u;
        cr = r;
        cc = c;
      end
    end
    idle = used == 0;
    known = cfg_addr_i == 64 || !cfg_addr_i[6] && cfg_addr_i[4:0] < VLS;
    free = config_ok ? total - sum_r - pool : {B{1'b0}};
    fits = config_ok && consume_valid_i && !cfg_we_i && consume_vl_i < VLS && consume_size_i != 0
           && {1'b0, cu} + consume_size_i <= cc && consume_size_i <= over(cr, cu) + free;
    for (i = 0; i < VLS; i = i + 1) begin
      used_d[i*COUNT_W +: COUNT_W] = used[i*COUNT_W +: COUNT_W]
          + (fits && consume_vl_i == i ? consume_size_i : {SIZE_W{1'b0}})
          - (returns && return_vl_i == i);
      reserved_d[i*COUNT_W +: COUNT_W] =
          cfg_we_i && idle && cfg_addr_i == i ? cfg_data_i : reserved[i*COUNT_W +: COUNT_W];
      cap_d[i*COUNT_W +: COUNT_W] =
          cfg_we_i && idle && cfg_addr_i == 32 + i ? cfg_data_i : cap[i*COUNT_W +: COUNT_W];
    end
  end

  always @(posedge clk_i) begin
    if (rst) begin
      used_q <= 0;
      reserved_q <= {VLS{RESERVED[COUNT_W-1:0]}};
      cap_q <= {VLS{UNITS[COUNT_W-1:0]}};
      total_q <= UNITS;
      error_q <= 1'b0;
      full_q <= 1'b0;
    end else begin
      used_q <= used_d;
      reserved_q <= reserved_d;
      cap_q <= cap_d;
      total_q <= cfg_we_i && idle && cfg_addr_i == 64 ? cfg_data_i : total;
      error_q <= return_valid_i && !returns || cfg_we_i && known && !idle;
      full_q <= full_q || sum_u == total && sum_u != 0;
    end
  end

  always @* begin
    if (live_q) begin
      `PROVE(used == used_q);
      `PROVE(reserved == reserved_q);
      `PROVE(cap == cap_q);
      `PROVE(total == total_q);
      `PROVE(error == error_q);
      `PROVE(reserved_sum == sum_r);
      `PROVE(pool_used == pool);
      `PROVE(config_ok == (sum_r <= total && total <= MAX_UNITS));
      `PROVE(config_ok || idle);
      `PROVE(!config_ok || sum_r + pool <= total);
      `PROVE(sum_u <= total || idle);
      `PROVE(ok == fits);
      for (i = 0; i < VLS; i = i + 1) begin
        room = over(cap[i*COUNT_W +: COUNT_W], used[i*COUNT_W +: COUNT_W]);
        most = over(reserved[i*COUNT_W +: COUNT_W], used[i*COUNT_W +: COUNT_W]) + free;
        `PROVE(used[i*COUNT_W +: COUNT_W] <= cap[i*COUNT_W +: COUNT_W]);
        `PROVE(avail[i*COUNT_W +: COUNT_W] == (!config_ok ? 0 : room < most ? room : most));
      end
      // The guarantee, in its own words.
      `PROVE(!(config_ok && consume_valid_i && !cfg_we_i && consume_vl_i < VLS
               && consume_size_i != 0 && consume_size_i <= over(cr, cu)
               && {1'b0, cu} + consume_size_i <= cc) || ok);
      `COVER(full_q && idle && config_ok && total != UNITS);
      `COVER(ok && return_valid_i && consume_vl_i == return_vl_i && pool != 0);
      `COVER(ok && pool == total - sum_r && pool != 0);
      `COVER(error && !config_ok);
      `COVER(cu + consume_size_i == cc && ok && cc < total);
    end
  end
endmodule
`default_nettype wire
