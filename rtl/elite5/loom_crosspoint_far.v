// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_far: VCs and segment buffers of the far end of a link: how many are in use, and
//   which VC a new packet would get.
// Inside: loom_crosspoint_router
//
// Contract: got_i is a segment for VC w_i, cr_* are the wires of the link. alloc_i are the VCs that
//   are given away; limits_we_i says that a limit is written in this cycle. able_o: the VC has
//   credit, or the link is not up; crowd_o: it would need the pool.
// Algorithm: bit k of all counts stands in one word, so that all VCs count at once; what others
//   look at is a bit a VC: in use or not, below its cap or not. The cap is looked at for the VC of
//   an event, and for one VC after the other.
// Latency: a credit counts one cycle after it came; a new VC is found one cycle later.
// Wait bound: none.
// Parameters: VCS (2..32), BVCS (1..8, < VCS), POOL (0..32).
// Realises: E5-09, E5-10.
// Page: docs/crosspoint_router.md, section Far.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_far #(
  parameter integer VCS  = 32,
  parameter integer BVCS = 4,
  parameter integer POOL = 16
) (
  input  wire           clk_i,
  input  wire           rst_i,
  input  wire           up_i,
  input  wire           up_next_i,              // in the next cycle
  input  wire           cr_valid_i,
  input  wire [4:0]     cr_vl_i,
  input  wire           got_i,
  input  wire [4:0]     w_i,
  input  wire [VCS-1:0] alloc_i,
  input  wire           frees_i,                // a VC gets free
  input  wire [5:0]     vc_limit_i,
  input  wire [5:0]     cap_i,
  input  wire           limits_we_i,
  output wire [VCS-1:0] able_o,
  output wire [VCS-1:0] crowd_o,
  output wire           spare_o,
  output wire           new_o,
  output wire [4:0]     next_vc_o,
  output wire           group_new_o,
  output wire           wake_o
);

  localparam integer BASE   = VCS - BVCS;
  localparam integer PLANES = $clog2(POOL + 2);
  localparam integer PW     = $clog2(POOL + 2);
  localparam [PW-1:0] POOL_C = POOL[PW-1:0];
  localparam [PW-1:0] ONE_POOL = 1;
  localparam [PW-1:0] LAST_POOL = (POOL == 0) ? POOL_C : POOL_C - ONE_POOL;
  localparam [VCS-1:0] NONE = 0;
  localparam [VCS-1:0] ONE  = 1;

  reg cr_q;
  reg [4:0] cr_vl_q;
  reg [PLANES*VCS-1:0] used_q;
  reg [VCS-1:0] bare_q;
  reg [VCS-1:0] below_q;
  reg [VCS-1:0] clear_q;                        // below_q, or the link is not up
  reg [VCS-1:0] turn_q;                         // the VC whose cap is looked at
  reg [PW-1:0] pool_q;
  reg full_q;                                   // pool_q is POOL
  reg spare_q;                                  // it is not, or the link is not up
  reg new_q;
  reg [4:0] next_vc_q;
  reg group_new_q;
  reg [5:0] renew_q;
  reg wake_q;

  // ---- Counts -----------------------------------------------------------------------------------

  wire [VCS-1:0] sent = got_i ? ONE << w_i : NONE;
  wire [VCS-1:0] credit = cr_q ? ONE << cr_vl_q : NONE;
  wire [VCS-1:0] back = credit & ~bare_q;
  wire [VCS-1:0] more = sent & ~back;
  wire [VCS-1:0] less = back & ~sent;
  wire give = (less & ~one_in_use) != NONE;     // to the pool
  wire take = (more & ~bare_q) != NONE;
  reg [PLANES*VCS-1:0] used;
  reg [VCS-1:0] carry;
  reg [VCS-1:0] borrow;
  reg [VCS-1:0] some;                           // after this cycle
  reg [VCS-1:0] below;
  reg [VCS-1:0] one_in_use;
  integer k;

  always @* begin
    used = used_q;
    carry = more;
    borrow = less;
    some = NONE;
    below = NONE;
    one_in_use = used_q[VCS-1:0];
    for (k = 0; k < PLANES; k = k + 1) begin
      used[k*VCS +: VCS] = used_q[k*VCS +: VCS] ^ carry ^ borrow;
      carry = carry & used_q[k*VCS +: VCS];
      borrow = borrow & ~used_q[k*VCS +: VCS];
      some = some | used[k*VCS +: VCS];
      below = cap_i[k] ? ~used[k*VCS +: VCS] | below : ~used[k*VCS +: VCS] & below;
      if (k > 0) one_in_use = one_in_use & ~used_q[k*VCS +: VCS];
    end
  end

  wire [VCS-1:0] below_next;
  wire high_cap = (cap_i >> PLANES) != 6'd0;    // above every count
  wire [VCS-1:0] looked = sent | credit | turn_q;
  wire spare = spare_q;

  assign below_next = !up_i ? {VCS{cap_i != 6'd0}}
                      : (below_q & ~looked) | ((below | {VCS{high_cap}}) & looked);

  wire full = POOL == 0                         // after this cycle
              || (up_i && ((full_q && !(give && !take))
                           || (take && !give && pool_q == LAST_POOL)));

  // ---- A VC for a new packet --------------------------------------------------------------------

  reg [VCS-1:0] allowed;                        // below the limit, and not of the class
  integer v;

  always @* begin
    for (v = 0; v < VCS; v = v + 1) allowed[v] = v < BASE && v[5:0] < vc_limit_i;
  end

  wire [VCS-1:0] free = allowed & ~alloc_i & below_q & (bare_q | {VCS{spare}});
  wire [VCS-1:0] first = free & (~free + ONE);
  wire [4:0] next_vc;

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_next (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(first),
    .index_o(next_vc)
  );

  always @(posedge clk_i) begin
    cr_vl_q <= cr_vl_i;
    next_vc_q <= next_vc;
    if (rst_i) begin
      cr_q <= 1'b0;
      used_q <= {(PLANES * VCS){1'b0}};
      bare_q <= {VCS{1'b1}};
      below_q <= {VCS{1'b1}};
      clear_q <= {VCS{1'b1}};
      turn_q <= ONE;
      pool_q <= {PW{1'b0}};
      full_q <= POOL == 0;
      spare_q <= 1'b1;
      new_q <= 1'b0;
      group_new_q <= 1'b0;
      renew_q <= 6'd0;
      wake_q <= 1'b0;
    end else begin
      cr_q <= cr_valid_i && up_i;
      turn_q <= {turn_q[VCS-2:0], turn_q[VCS-1]};
      if (!up_i) begin
        used_q <= {(PLANES * VCS){1'b0}};
        bare_q <= {VCS{1'b1}};
        pool_q <= {PW{1'b0}};
      end else begin
        used_q <= used;
        bare_q <= ~some;
        if (take && !give) pool_q <= pool_q + ONE_POOL;
        if (give && !take) pool_q <= pool_q - ONE_POOL;
      end
      below_q <= below_next;
      clear_q <= below_next | {VCS{!up_next_i}};
      full_q <= full;
      spare_q <= !full || !up_next_i;
      new_q <= up_i && free != NONE;
      group_new_q <= up_i && alloc_i[VCS-1:BASE] != {BVCS{1'b1}};
      if (limits_we_i) renew_q <= 6'd63;
      else if (renew_q != 6'd0) renew_q <= renew_q - 6'd1;
      wake_q <= !up_i || cr_q || frees_i || renew_q != 6'd0;
    end
  end

  assign able_o = clear_q & (bare_q | {VCS{spare}});
  assign crowd_o = ~bare_q & {VCS{up_i}};
  assign spare_o = spare;
  assign new_o = new_q;
  assign next_vc_o = next_vc_q;
  assign group_new_o = group_new_q;
  assign wake_o = wake_q;

  `LOOM_ASSERT(pool_not_overdrawn, pool_q <= POOL_C)
  `LOOM_ASSERT(full_while_none_is_left, full_q == (pool_q == POOL_C))
  `LOOM_ASSERT(able_with_credit,
      able_o == ((below_q & (bare_q | {VCS{spare}})) | {VCS{!up_i}}))
  `LOOM_ASSERT(spare_unless_full_and_up, spare_q == (!full_q || !up_i))

endmodule

`default_nettype wire
