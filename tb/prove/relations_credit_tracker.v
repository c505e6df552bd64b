// SPDX-License-Identifier: Apache-2.0

// relations_credit_tracker: what holds between the registers of circuit and twin, in every cycle.
// The twin keeps what follows from its registers, too: used_mask, config_ok, pool_free.
`default_nettype none

module relations_credit_tracker #(
  parameter integer VLS       = 8,
  parameter integer COUNT_W   = 12,
  parameter integer SIZE_W    = 8,
  parameter integer UNITS     = 1024,
  parameter integer MAX_UNITS = 1024,
  parameter integer RESERVED  = 16
) (
  input  wire [VLS*COUNT_W-1:0] used_q,
  input  wire [VLS*COUNT_W-1:0] reserved_q,
  input  wire [VLS*COUNT_W-1:0] cap_q,
  input  wire [COUNT_W-1:0]     total_q,
  input  wire [COUNT_W-1:0]     pool_used_q,
  input  wire [COUNT_W+4:0]     reserved_sum_q,
  input  wire [31:0]            twin_used_mask,
  input  wire [31:0]            twin_pool_free,
  input  wire [31:0]            twin_pool_used,
  input  wire [7:0]             twin_config_ok,
  input  wire [32*16-1:0]       twin_lane_used,
  input  wire [32*16-1:0]       twin_lane_reserved,
  input  wire [32*16-1:0]       twin_lane_cap,
  input  wire [31:0]            twin_total,
  input  wire [31:0]            twin_reserved_sum,
  output wire                   lanes_o,
  output wire                   used_o,
  output wire                   sums_o,
  output wire                   pool_o,
  output wire                   config_o
);

  reg [VLS-1:0] lanes;
  reg [VLS-1:0] mask;
  reg [VLS-1:0] below_cap;
  reg [31:0] sum;
  reg [31:0] pool;
  reg [COUNT_W-1:0] used;
  reg [COUNT_W-1:0] reserved;
  reg [COUNT_W-1:0] cap;
  integer k;

  always @* begin
    sum = 32'd0;
    pool = 32'd0;
    for (k = 0; k < VLS; k = k + 1) begin
      used = used_q[COUNT_W*k +: COUNT_W];
      reserved = reserved_q[COUNT_W*k +: COUNT_W];
      cap = cap_q[COUNT_W*k +: COUNT_W];
      lanes[k] = used == twin_lane_used[16*k +: 16] && reserved == twin_lane_reserved[16*k +: 16]
                 && cap == twin_lane_cap[16*k +: 16];
      mask[k] = used != {COUNT_W{1'b0}};
      below_cap[k] = used <= cap;
      sum = sum + reserved;
      pool = pool + (used > reserved ? used - reserved : {COUNT_W{1'b0}});
    end
  end

  wire config_ok = reserved_sum_q <= total_q && total_q <= MAX_UNITS;

  assign lanes_o = &lanes;
  assign used_o = &below_cap && twin_used_mask == mask;
  assign sums_o = reserved_sum_q == sum && twin_reserved_sum == sum && twin_total == total_q;
  assign pool_o = pool_used_q == pool && twin_pool_used == pool
                  && (!config_ok && pool == 32'd0 || config_ok && pool <= total_q - reserved_sum_q);
  assign config_o = twin_config_ok == config_ok
                    && twin_pool_free == (config_ok ? total_q - reserved_sum_q - pool : 32'd0);

endmodule

`default_nettype wire
