// SPDX-License-Identifier: Apache-2.0

// relations_fair_queueing: what holds between the registers of circuit and twin, in every cycle.
// A memory by VL is looked at after the head or the stamp of the VL, one by key once it is swept.
`default_nettype none

module relations_fair_queueing #(
  parameter integer VLS         = 16,
  parameter integer KEYS        = 32,
  parameter integer ARB_KEY     = 1,
  parameter integer MGMT_VL     = 15,
  parameter integer SIZE_W      = 10,
  parameter integer STAY_CYCLES = 0
) (
  input  wire [VLS-1:0]                       stamped_q,
  input  wire [VLS-1:0]                       fresh_q,
  input  wire [VLS-1:0]                       kept_q,
  input  wire [VLS-1:0]                       held_q,
  input  wire [VLS-1:0]                       u_turns_bad_q,
  input  wire [VLS-1:0]                       u_turns_go_q,
  input  wire                                 u_turns_swept_q,
  input  wire [4:0]                           u_turns_sweep_q,
  input  wire                                 stamp_granted_q,
  input  wire [4:0]                           u_turns_grant_vl_o,
  input  wire [4:0]                           u_turns_grant_key_o,
  input  wire [1:0]                           step_q,
  input  wire                                 stamps_q,
  input  wire [((VLS>1)?$clog2(VLS):1)-1:0]   vl_q,
  input  wire [4:0]                           key_q,
  input  wire [SIZE_W-1:0]                    size_q,
  input  wire [7:0]                           price_q,
  input  wire [SIZE_W+16:0]                   from_q,
  input  wire                                 behind_q,
  input  wire [SIZE_W+16:0]                   then_q,
  input  wire [SIZE_W+16:0]                   from2_q,
  input  wire [SIZE_W+7:0]                    cost_q,
  input  wire [4:0]                           scan_q,
  input  wire                                 scan_keys_q,
  input  wire [((VLS>1)?VLS:2)*5-1:0]         u_key_before_lut_mem,
  input  wire [((VLS>1)?VLS:2)*5-1:0]         u_key_found_lut_mem,
  input  wire [((VLS>1)?VLS:2)*(5+SIZE_W)-1:0] u_head_lut_mem,
  input  wire [((VLS>1)?VLS:2)*(5+SIZE_W)-1:0] u_turns_u_head_lut_mem,
  input  wire [((VLS>1)?VLS:2)*(SIZE_W+17)-1:0] u_stamp_lut_mem,
  input  wire [((VLS>1)?VLS:2)*(SIZE_W+17)-1:0] u_stamp_found_lut_mem,
  input  wire [((KEYS>1)?KEYS:2)*(SIZE_W+17)-1:0] u_finish_lut_mem,
  input  wire [((KEYS>1)?KEYS:2)*8-1:0]       u_price_lut_mem,
  input  wire [((KEYS>1)?KEYS:2)*8-1:0]       u_own_price_lut_mem,
  input  wire [((KEYS>1)?KEYS:2)*8-1:0]       u_granted_price_lut_mem,
  input  wire [32*16-1:0]                     twin_turns_head_size,
  input  wire [32*8-1:0]                      twin_turns_head_key,
  input  wire [31:0]                          twin_turns_swept,
  input  wire [31:0]                          twin_turns_go,
  input  wire [32*8-1:0]                      twin_price,
  input  wire [32*32-1:0]                     twin_finish,
  input  wire [32*32-1:0]                     twin_stamp,
  input  wire [31:0]                          twin_job_vl,
  input  wire [31:0]                          twin_job_key,
  input  wire [31:0]                          twin_job_size,
  input  wire [31:0]                          twin_job_price,
  input  wire [31:0]                          twin_job_from,
  input  wire [31:0]                          twin_job_base,
  input  wire [31:0]                          twin_job_cost,
  output wire                                 heads_o,
  output wire                                 stamps_o,
  output wire                                 keys_o,
  output wire                                 swept_o,
  output wire                                 apart_o,
  output wire                                 go_o,
  output wire                                 granted_o,
  output wire                                 engine_o
);

  localparam integer TW = SIZE_W + 17;
  localparam integer HW = SIZE_W + 5;
  localparam [31:0] ALL_KEYS = KEYS;
  localparam [31:0] ALL_VLS = VLS;
  localparam [31:0] ALL = (VLS > KEYS) ? VLS : KEYS;

  wire first = !u_turns_swept_q && u_turns_sweep_q == 5'd0;
  wire works = step_q != 2'd0 && stamps_q;
  reg [VLS-1:0] heads;
  reg [VLS-1:0] stamps;
  reg [VLS-1:0] told;
  reg [VLS-1:0] shown;
  reg [VLS-1:0] job;
  reg [KEYS-1:0] keys;
  reg [HW-1:0] head;
  reg [TW-1:0] stamp;
  reg [TW-1:0] finish;
  reg [7:0] price;
  integer k;

  always @* begin
    for (k = 0; k < VLS; k = k + 1) begin
      head = {twin_turns_head_key[8*k +: 5], twin_turns_head_size[16*k +: SIZE_W]};
      stamp = twin_stamp[32*k +: TW];
      job[k] = works && vl_q == k;
      shown[k] = stamp_granted_q && u_turns_grant_vl_o == k;
      // One cycle of reset leaves go_q unknown in the first one.
      told[k] = !u_turns_bad_q[k] || (u_turns_go_q[k] && !first) || stamped_q[k] || fresh_q[k]
                || kept_q[k] || held_q[k] || job[k];
      heads[k] = !told[k] || (u_head_lut_mem[HW*k +: HW] == head
                              && u_turns_u_head_lut_mem[HW*k +: HW] == head
                              && u_key_before_lut_mem[5*k +: 5] == head[HW-1:SIZE_W]
                              && u_key_found_lut_mem[5*k +: 5] == head[HW-1:SIZE_W]
                              && head[HW-1:SIZE_W] < ALL_KEYS);
      stamps[k] = !stamped_q[k] || (u_stamp_lut_mem[TW*k +: TW] == stamp
                                    && u_stamp_found_lut_mem[TW*k +: TW] == stamp);
    end
    for (k = 0; k < KEYS; k = k + 1) begin
      finish = twin_finish[32*k +: TW];
      price = twin_price[8*k +: 8];
      keys[k] = (u_turns_swept_q || u_turns_sweep_q > k)
                ? u_finish_lut_mem[TW*k +: TW] == finish && u_price_lut_mem[8*k +: 8] == price
                  && u_own_price_lut_mem[8*k +: 8] == price
                  && u_granted_price_lut_mem[8*k +: 8] == price
                : finish == {TW{1'b0}} && price == 8'd1;
    end
  end

  assign heads_o = &heads;
  assign stamps_o = &stamps;
  assign keys_o = &keys;
  assign swept_o = twin_turns_swept == (u_turns_swept_q ? ALL_KEYS : {27'd0, u_turns_sweep_q})
                   && (u_turns_swept_q || u_turns_sweep_q < ALL_KEYS && step_q == 2'd0);
  // A VL waits for its stamp, or has it, or shows its grant.
  assign apart_o = (stamped_q & (fresh_q | kept_q | job | shown)) == {VLS{1'b0}}
                   && (shown & job) == {VLS{1'b0}};
  assign go_o = first || twin_turns_go == u_turns_go_q;
  assign granted_o = !stamp_granted_q
                     || (u_turns_grant_vl_o < ALL_VLS && u_turns_grant_key_o < ALL_KEYS);

  // What the engine is at; a stamp that nobody asks for any more may be another.
  wire asked = stamps_q || (scan_keys_q ? scan_q < ALL_KEYS
                                        : scan_q < ALL_VLS && stamped_q[scan_q]);
  wire same_job = !stamps_q || (twin_job_vl == vl_q && vl_q < ALL_VLS);
  wire same_key = !stamps_q || (twin_job_key == key_q && key_q < ALL_KEYS);
  wire second = twin_job_size == size_q && twin_job_price == price_q && same_key
                && (!asked || twin_job_from == from_q);
  wire third = twin_job_cost == cost_q && same_key
               && (!asked || twin_job_base == (behind_q ? then_q : from2_q));
  assign engine_o = twin_job_vl < ALL_VLS && twin_job_key < ALL_KEYS && scan_q < ALL
                    && (step_q == 2'd0 || same_job) && (step_q != 2'd2 || second)
                    && (step_q != 2'd3 || third);

endmodule

`default_nettype wire
