// SPDX-License-Identifier: Apache-2.0

// relations_bandwidth_table: what holds between the registers of circuit and twin, in every cycle;
// for four keys, which are SLs, and VLs that stay after a grant.
// A memory by VL is looked at after the head of the VL, one by key once it is swept. The circuit
// looks at a count and at the last VL of a key a step later or earlier than the twin: after a grant
// or a write the two differ in the steps that the pause lets pass.
`default_nettype none

module relations_bandwidth_table #(
  parameter integer VLS         = 16,
  parameter integer KEYS        = 32,
  parameter integer ARB_KEY     = 1,
  parameter integer MGMT_VL     = 15,
  parameter integer SIZE_W      = 10,
  parameter integer STAY_CYCLES = 0
) (
  input  wire [4:0]                  cur_q,
  input  wire [4:0]                  last_q,
  input  wire                        cur_has_q,
  input  wire [5:0]                  weighted_q,
  input  wire [5:0]                  unspent_q,
  input  wire [2:0]                  pause_q,
  input  wire [VLS-1:0]              held_q,
  input  wire                        c4_some_q,
  input  wire [9:0]                  addr_q,
  input  wire [1:0]                  mode_q,
  input  wire                        write_q,
  input  wire [7:0]                  write_weight_q,
  input  wire [31:0]                 table_rdata_o,
  input  wire [KEYS-1:0]             whole_q,
  input  wire [4:0]                  scan_q,
  input  wire                        look_q,
  input  wire [4:0]                  look_vl_q,
  input  wire [4:0]                  look_key_q,
  input  wire [VLS-1:0]              pays_q,
  input  wire [VLS-1:0]              weighs_q,
  input  wire [VLS-1:0]              c0_set_q,
  input  wire [VLS-1:0]              c0_first_q,
  input  wire                        c0_charged_q,
  input  wire                        c0_restore_q,
  input  wire [5:0]                  c0_count_q,
  input  wire                        c0_back_q,
  input  wire                        c0_literal_q,
  input  wire [VLS-1:0]              c1_turned_q,
  input  wire [VLS-1:0]              c1_near_q,
  input  wire                        c1_back_q,
  input  wire                        c1_literal_q,
  input  wire                        c1_charged_q,
  input  wire                        c1_restore_q,
  input  wire                        c2_some_q,
  input  wire                        c2_back_q,
  input  wire                        c2_literal_q,
  input  wire                        c2_charged_q,
  input  wire                        c2_restore_q,
  input  wire [4:0]                  c2_turned_q,
  input  wire                        c3_literal_q,
  input  wire                        c3_charged_q,
  input  wire                        c3_restore_q,
  input  wire                        c4_literal_q,
  input  wire                        c4_restore_q,
  input  wire                        c4_charged_q,
  input  wire [7:0]                  c4_remaining_q,
  input  wire [KEYS*8-1:0]           u_own_weight_lut_mem,
  input  wire [KEYS*8-1:0]           u_own_left_lut_mem,
  input  wire [KEYS*8-1:0]           u_look_weight_lut_mem,
  input  wire [KEYS*8-1:0]           u_look_left_lut_mem,
  input  wire [KEYS*8-1:0]           u_next_weight_lut_mem,
  input  wire [KEYS*8-1:0]           u_next_left_lut_mem,
  input  wire [VLS*5-1:0]            u_scan_key_lut_mem,
  input  wire [VLS*5-1:0]            u_fixed_key_lut_mem,
  input  wire [4:0]                  u_turns_sweep_q,
  input  wire                        u_turns_swept_q,
  input  wire [VLS-1:0]              u_turns_bad_q,
  input  wire [VLS-1:0]              u_turns_go_q,
  input  wire                        u_turns_asked_q,
  input  wire [VLS*5-1:0]            u_turns_key_q,
  input  wire [VLS-1:0]              u_turns_high0_q,
  input  wire [VLS-1:0]              u_turns_high1_q,
  input  wire [VLS-1:0]              u_turns_high2_q,
  input  wire [VLS-1:0]              u_turns_low0_q,
  input  wire [VLS-1:0]              u_turns_low1_q,
  input  wire [VLS-1:0]              u_turns_low2_q,
  input  wire [VLS-1:0]              u_turns_c1_set_q,
  input  wire                        u_turns_c1_top_q,
  input  wire [VLS-1:0]              u_turns_c2_set_q,
  input  wire [2:0]                  u_turns_c2_top_q,
  input  wire [VLS-1:0]              u_turns_c3_set_q,
  input  wire [VLS-1:0]              u_turns_c3_near_q,
  input  wire [4:0]                  u_turns_c3_key_q,
  input  wire [$clog2(VLS)-1:0]      u_turns_c4_vl_q,
  input  wire [4:0]                  u_turns_c4_key_q,
  input  wire [VLS-1:0]              u_turns_g_stay_young_q,
  input  wire [3:0]                  u_turns_g_stay_stay_q,
  input  wire                        u_turns_grant_valid_o,
  input  wire [4:0]                  u_turns_grant_vl_o,
  input  wire [4:0]                  u_turns_grant_key_o,
  input  wire [SIZE_W-1:0]           u_turns_grant_size_o,
  input  wire [KEYS*$clog2(VLS)-1:0] u_turns_u_last_vl_lut_mem,
  input  wire [VLS*(5+SIZE_W)-1:0]   u_turns_u_head_lut_mem,
  input  wire [31:0]                 twin_turns_swept,
  input  wire [32*16-1:0]            twin_turns_head_size,
  input  wire [32*8-1:0]             twin_turns_head_key,
  input  wire [5*32-1:0]             twin_turns_key_bit,
  input  wire [31:0]                 twin_turns_ok,
  input  wire [31:0]                 twin_turns_go,
  input  wire [7:0]                  twin_turns_asked,
  input  wire [31:0]                 twin_turns_held,
  input  wire [31:0]                 twin_turns_young,
  input  wire [31:0]                 twin_turns_stay,
  input  wire [31:0]                 twin_turns_cur,
  input  wire [32*8-1:0]             twin_turns_last_vl,
  input  wire [31:0]                 twin_turns_c1_set,
  input  wire [31:0]                 twin_turns_c1_key,
  input  wire [31:0]                 twin_turns_c2_set,
  input  wire [31:0]                 twin_turns_c2_key,
  input  wire [31:0]                 twin_turns_c3_set,
  input  wire [31:0]                 twin_turns_c3_key,
  input  wire [7:0]                  twin_turns_next_some,
  input  wire [7:0]                  twin_turns_next_vl,
  input  wire [7:0]                  twin_turns_next_key,
  input  wire [31:0]                 twin_turns_pause,
  input  wire [7:0]                  twin_turns_grant_valid,
  input  wire [31:0]                 twin_turns_grant_vl,
  input  wire [31:0]                 twin_turns_grant_key,
  input  wire [31:0]                 twin_turns_grant_size,
  input  wire [32*8-1:0]             twin_weight,
  input  wire [32*8-1:0]             twin_left,
  input  wire [31:0]                 twin_whole,
  input  wire [31:0]                 twin_last,
  input  wire [31:0]                 twin_mode,
  input  wire [7:0]                  twin_cur_has,
  input  wire [31:0]                 twin_weighted,
  input  wire [31:0]                 twin_unspent,
  input  wire [31:0]                 twin_pays,
  input  wire [31:0]                 twin_weighs,
  input  wire [7:0]                  twin_look,
  input  wire [31:0]                 twin_scan,
  input  wire [31:0]                 twin_look_vl,
  input  wire [31:0]                 twin_look_key,
  input  wire [7:0]                  twin_write,
  input  wire [31:0]                 twin_write_key,
  input  wire [7:0]                  twin_write_weight,
  input  wire [31:0]                 twin_c0_set,
  input  wire [31:0]                 twin_c0_first,
  input  wire [7:0]                  twin_c0_flags_charged,
  input  wire [7:0]                  twin_c0_flags_restore,
  input  wire [7:0]                  twin_c0_flags_literal,
  input  wire [7:0]                  twin_c0_back,
  input  wire [7:0]                  twin_c1_flags_charged,
  input  wire [7:0]                  twin_c1_flags_restore,
  input  wire [7:0]                  twin_c1_flags_literal,
  input  wire [7:0]                  twin_c1_some,
  input  wire [7:0]                  twin_c1_fixed,
  input  wire [7:0]                  twin_c2_flags_charged,
  input  wire [7:0]                  twin_c2_flags_restore,
  input  wire [7:0]                  twin_c2_flags_literal,
  input  wire [7:0]                  twin_c2_some,
  input  wire [7:0]                  twin_c2_fixed,
  input  wire [7:0]                  twin_c3_charged,
  input  wire [7:0]                  twin_c3_restore,
  input  wire [7:0]                  twin_c3_literal,
  input  wire [7:0]                  twin_c4_flags_charged,
  input  wire [7:0]                  twin_c4_flags_restore,
  input  wire [7:0]                  twin_c4_flags_literal,
  input  wire [7:0]                  twin_c4_rest,
  input  wire [7:0]                  twin_c4_had,
  input  wire [31:0]                 twin_addr,
  input  wire [31:0]                 twin_table_rdata,
  output wire                        swept_o,
  output wire                        heads_o,
  output wire                        ready_o,
  output wire                        held_o,
  output wire                        keys_o,
  output wire                        counts_o,
  output wire                        software_o,
  output wire                        look_o,
  output wire                        pays_o,
  output wire                        c0_o,
  output wire                        c1_o,
  output wire                        c2_o,
  output wire                        c3_o,
  output wire                        c4_o,
  output wire                        grant_o
);

  localparam integer VW = $clog2(VLS);
  localparam integer HW = 5 + SIZE_W;
  localparam [31:0] ALL_KEYS = KEYS;
  localparam [31:0] ALL_VLS = VLS;
  localparam [31:0] LAST_VL = VLS - 1;
  localparam [31:0] ALL_SETS = 32'd1 << VLS;

  wire first = !u_turns_swept_q && u_turns_sweep_q == 5'd0;  // go_q is unknown in the first cycle
  // So the first set of VLs that is chosen is unknown, and goes through the steps while no decision
  // is made.
  wire known_0 = u_turns_swept_q || u_turns_sweep_q != 5'd1;
  wire known_1 = u_turns_swept_q || u_turns_sweep_q != 5'd2;
  wire known_2 = u_turns_swept_q || u_turns_sweep_q != 5'd3;
  wire known_3 = pause_q != 3'd5;
  wire known_4 = pause_q < 3'd4;
  wire [VLS-1:0] go = first ? {VLS{1'b0}} : u_turns_go_q;
  wire [4:0] c2_fixed = c2_back_q ? LAST_VL[4:0] - c2_turned_q : c2_turned_q;

  assign swept_o = twin_turns_swept == (u_turns_swept_q ? ALL_KEYS : {27'd0, u_turns_sweep_q})
                   && (u_turns_swept_q || u_turns_sweep_q < ALL_KEYS)
                   && (!first || {c0_set_q, c1_turned_q, u_turns_c1_set_q, u_turns_c2_set_q,
                                  u_turns_c3_set_q, held_q, ~u_turns_bad_q} == {7 * VLS{1'b0}})
                   && (u_turns_swept_q || pause_q == (first ? 3'd0 : 3'd5));

  // ---- by VL ------------------------------------------------------------------------------------

  reg [VLS-1:0] told;
  reg [VLS-1:0] heads;
  reg [VLS-1:0] pays;
  reg [4:0] key;
  reg eligible;
  integer v;
  always @* begin
    for (v = 0; v < VLS; v = v + 1) begin
      key = u_turns_key_q[5*v +: 5];
      told[v] = !u_turns_bad_q[v] || held_q[v] || (known_0 && c0_set_q[v])
                || (known_1 && c1_turned_q[c1_back_q ? VLS - 1 - v : v])
                || (known_1 && u_turns_c1_set_q[v]) || (known_2 && u_turns_c2_set_q[v])
                || (known_2 && c2_some_q && c2_fixed == v);
      heads[v] = twin_turns_head_key[8*v +: 8] == key
                 && {twin_turns_key_bit[128 + v], twin_turns_key_bit[96 + v],
                     twin_turns_key_bit[64 + v], twin_turns_key_bit[32 + v],
                     twin_turns_key_bit[v]} == key
                 && (first || (u_turns_high0_q[v] == (key[3:2] == 2'd0)
                               && u_turns_high1_q[v] == (key[3:2] == 2'd1)
                               && u_turns_high2_q[v] == (key[3:2] == 2'd2)
                               && u_turns_low0_q[v] == (key[1:0] == 2'd0)
                               && u_turns_low1_q[v] == (key[1:0] == 2'd1)
                               && u_turns_low2_q[v] == (key[1:0] == 2'd2))
                     || !told[v])
                 && (u_turns_bad_q[v] || key < ALL_KEYS)
                 && (!told[v] || (u_scan_key_lut_mem[5*v +: 5] == key
                                  && u_fixed_key_lut_mem[5*v +: 5] == key
                                  && u_turns_u_head_lut_mem[HW*v +: HW]
                                     == {key, twin_turns_head_size[16*v +: SIZE_W]}
                                  && twin_turns_head_size[16*v +: 16] < (32'd1 << SIZE_W)));
      eligible = go[v] || held_q[v];
      pays[v] = (u_turns_bad_q[v] && !eligible)
                || (twin_pays[v] == pays_q[v] && twin_weighs[v] == weighs_q[v])
                || (!eligible && look_q && look_vl_q == v);
    end
  end
  assign heads_o = &heads;
  assign pays_o = &pays;
  // What the caller owes: no head while ready, so a ready VL has a head that can be granted.
  assign ready_o = twin_turns_go == go && (go & u_turns_bad_q) == {VLS{1'b0}}
                   && twin_turns_ok == {{(32 - VLS) {1'b0}}, ~u_turns_bad_q}
                   && twin_turns_asked == {7'd0, u_turns_asked_q};
  assign held_o = twin_turns_held == held_q && twin_turns_young == u_turns_g_stay_young_q
                  && twin_turns_stay == u_turns_g_stay_stay_q && twin_turns_pause == pause_q
                  && pause_q <= 3'd5 && twin_turns_stay <= STAY_CYCLES
                  && (u_turns_g_stay_young_q & ~held_q) == {VLS{1'b0}};
  assign look_o = twin_look == {7'd0, look_q} && twin_scan == scan_q && twin_scan < ALL_VLS
                  && twin_look_vl == look_vl_q && twin_look_vl < ALL_VLS
                  && (!look_q || !told[look_vl_q[VW-1:0]] || twin_look_key == look_key_q)
                  && (look_q || first);

  // ---- by key -----------------------------------------------------------------------------------

  reg [31:0] keys;
  reg [31:0] weigh;
  reg [31:0] have;
  reg [7:0] weight;
  reg [7:0] left;
  integer k;
  always @* begin
    weigh = 32'd0;
    have = 32'd0;
    for (k = 0; k < 32; k = k + 1) begin
      weight = twin_weight[8*k +: 8];
      left = twin_left[8*k +: 8];
      if (k >= KEYS) begin
        keys[k] = weight == 8'd0 && left == 8'd0 && twin_turns_last_vl[8*k +: 8] == LAST_VL[7:0];
      end else if (u_turns_swept_q || u_turns_sweep_q > k) begin
        keys[k] = u_own_weight_lut_mem[8*k +: 8] == weight && u_own_left_lut_mem[8*k +: 8] == left
                  && u_look_weight_lut_mem[8*k +: 8] == weight
                  && u_look_left_lut_mem[8*k +: 8] == left
                  && u_next_weight_lut_mem[8*k +: 8] == weight
                  && u_next_left_lut_mem[8*k +: 8] == left
                  && u_turns_u_last_vl_lut_mem[VW*k +: VW] == twin_turns_last_vl[8*k +: 8]
                  && twin_turns_last_vl[8*k +: 8] < ALL_VLS && twin_whole[k] == whole_q[k]
                  && (u_turns_swept_q || {weight, left, whole_q[k]} == 17'd0);
      end else begin
        keys[k] = weight == 8'd0 && left == 8'd0 && twin_turns_last_vl[8*k +: 8] == LAST_VL[7:0]
                  && !twin_whole[k] && !whole_q[k];
      end
      if (k < KEYS) begin
        weigh = weigh + {31'd0, weight != 8'd0};
        have = have + {31'd0, (whole_q[k] ? weight : left) != 8'd0};
      end
    end
  end
  assign keys_o = &keys;
  assign counts_o = twin_weighted == weigh && weighted_q == weigh && twin_unspent == have
                    && unspent_q == have && twin_cur_has == {7'd0, cur_has_q}
                    && twin_turns_cur == cur_q && cur_q < ALL_KEYS && twin_last == last_q
                    && last_q < ALL_VLS;
  assign software_o = twin_write == {7'd0, write_q} && twin_addr == addr_q && twin_mode == mode_q
                      && (!write_q || (twin_write_key == addr_q && addr_q < ALL_KEYS
                                       && twin_write_weight == write_weight_q && u_turns_swept_q))
                      && twin_table_rdata == table_rdata_o;

  // ---- the steps --------------------------------------------------------------------------------

  // What is counted a step later in the circuit: of the write two cycles ago.
  wire c0_sets = twin_c0_set == c0_set_q && twin_c0_first == c0_first_q;
  wire c0_flags = twin_c0_flags_charged == {7'd0, c0_charged_q}
                  && twin_c0_flags_literal == {7'd0, c0_literal_q}
                  && twin_c0_back == {7'd0, c0_back_q} && (!c0_back_q || c0_literal_q);
  wire c0_restore = c0_back_q ? c0_count_q == weighted_q : c0_restore_q;
  assign c0_o = twin_c0_set < ALL_SETS
                && (!known_0 || (c0_sets && c0_flags
                                 && (pause_q == 3'd5
                                     || twin_c0_flags_restore == {7'd0, c0_restore})));

  wire [4:0] c1_turned;
  loom_turns_first #(.VLS(VLS)) u_c1 (
    .clk_i(1'b0), .rst_i(1'b1), .set_i(c1_turned_q), .near_i(c1_near_q), .vl_o(c1_turned)
  );
  wire [4:0] c1_fixed = c1_back_q ? LAST_VL[4:0] - c1_turned : c1_turned;
  wire c1_some = c1_turned_q != {VLS{1'b0}};
  wire c1_sets = twin_turns_c1_set == u_turns_c1_set_q
                 && (u_turns_c1_set_q != {VLS{1'b0}}) == c1_some
                 && (!c1_some || twin_turns_c1_key == u_turns_c1_top_q);
  wire c1_flags = twin_c1_some == {7'd0, c1_some} && (!c1_some || twin_c1_fixed == c1_fixed)
                  && twin_c1_flags_charged == {7'd0, c1_charged_q}
                  && twin_c1_flags_literal == {7'd0, c1_literal_q}
                  && (pause_q >= 3'd4 || twin_c1_flags_restore == {7'd0, c1_restore_q});
  assign c1_o = twin_turns_c1_set < ALL_SETS && twin_c1_fixed < ALL_VLS
                && (c1_near_q & ~c1_turned_q) == {VLS{1'b0}}
                && (!known_1 || (c1_sets && c1_flags));

  wire c2_sets = twin_turns_c2_set == u_turns_c2_set_q
                 && (u_turns_c2_set_q != {VLS{1'b0}}) == c2_some_q
                 && (!c2_some_q || twin_turns_c2_key == u_turns_c2_top_q);
  wire c2_flags = twin_c2_some == {7'd0, c2_some_q} && (!c2_some_q || twin_c2_fixed == c2_fixed)
                  && twin_c2_flags_charged == {7'd0, c2_charged_q}
                  && twin_c2_flags_literal == {7'd0, c2_literal_q}
                  && (pause_q >= 3'd3 || twin_c2_flags_restore == {7'd0, c2_restore_q});
  assign c2_o = twin_turns_c2_set < ALL_SETS && twin_c2_fixed < ALL_VLS
                && (!known_2 || (c2_sets && c2_flags));

  wire c3_some = u_turns_c3_set_q != {VLS{1'b0}};
  wire c3_single = (u_turns_c3_set_q & (u_turns_c3_set_q - 1'b1)) == {VLS{1'b0}};
  wire [VLS-1:0] behind = {VLS{1'b1}} << twin_turns_last_vl[8*u_turns_c3_key_q +: 8] << 1;
  wire c3_sets = twin_turns_c3_set == u_turns_c3_set_q
                 && (!c3_some || twin_turns_c3_key == u_turns_c3_key_q)
                 && (c3_literal_q ? c3_single
                                  : u_turns_c3_key_q >= ALL_KEYS
                                    || u_turns_c3_near_q == (u_turns_c3_set_q & behind));
  wire c3_flags = twin_c3_charged == {7'd0, c3_charged_q}
                  && twin_c3_literal == {7'd0, c3_literal_q}
                  && (pause_q >= 3'd2 || twin_c3_restore == {7'd0, c3_restore_q});
  assign c3_o = twin_turns_c3_set < ALL_SETS
                && (u_turns_c3_near_q & ~u_turns_c3_set_q) == {VLS{1'b0}}
                && (!known_3 || (c3_sets && c3_flags));

  // The key of a grant is one that there is.
  wire c4_known = c4_some_q && u_turns_c4_key_q < ALL_KEYS;
  wire [7:0] c4_weight = twin_weight[8*u_turns_c4_key_q +: 8];
  wire [7:0] c4_left = twin_whole[u_turns_c4_key_q] ? c4_weight
                                                    : twin_left[8*u_turns_c4_key_q +: 8];
  wire c4_had = c4_remaining_q != 8'd0;
  wire c4_weights = c4_remaining_q == (c4_restore_q ? c4_weight : c4_left)
                    && twin_c4_flags_restore == {7'd0, c4_restore_q}
                    && twin_c4_had == {7'd0, c4_had}
                    && twin_c4_rest == c4_remaining_q - {7'd0, c4_charged_q && c4_had};
  wire c4_next = twin_turns_next_some == {7'd0, c4_some_q}
                 && (!c4_some_q || twin_turns_next_key == u_turns_c4_key_q)
                 && (!c4_known || twin_turns_next_vl == u_turns_c4_vl_q)
                 && twin_c4_flags_charged == {7'd0, c4_charged_q}
                 && twin_c4_flags_literal == {7'd0, c4_literal_q};
  assign c4_o = twin_turns_next_vl < ALL_VLS
                && (!known_4 || (c4_next && (!c4_known || pause_q != 3'd0 || c4_weights)));

  assign grant_o = twin_turns_grant_valid == {7'd0, u_turns_grant_valid_o}
                   && twin_turns_grant_vl == u_turns_grant_vl_o
                   && twin_turns_grant_key == u_turns_grant_key_o
                   && twin_turns_grant_size == u_turns_grant_size_o;

endmodule

`default_nettype wire
