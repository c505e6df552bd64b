// SPDX-License-Identifier: Apache-2.0

// loom_elite5_credits: the segment buffers that each VC has in use, at the far end of a link or
//   here, and which VCs have room for another segment.
// Inside: loom_segment_buffer, and loom_elite5_router
//
// Contract: consume_i and return_i have at most one bit; consume_i only a VC of ok_o. A return of a
//   VC that has nothing in use is ignored.
// Algorithm: what loom_credit_tracker does with VLS = VCS, UNITS = VCS + POOL, RESERVED 1 and sizes
//   of 1, for all VCs at once: the counts stand in planes, plane k holds bit k of each. A VC has
//   room if it has nothing in use (its reserve) or the pool has something left; its own cap, the
//   whole buffer, is never what it lacks, as the reserves of the others are not for it.
// Latency: one cycle from a consume or a return to ok_o. One of each every cycle.
// Wait bound: none inside; a VC with nothing in use is never refused (unless cap_i is 0).
// Parameters: VCS (2..32), POOL (0..32).
// Realises: E5-09, E5-10.
// Page: docs/elite5.md, section Crosspoint.
`default_nettype none
`include "loom_assert.vh"

module loom_elite5_credits #(
  parameter integer VCS  = 32,
  parameter integer POOL = 16
) (
  input  wire           clk_i,
  input  wire           rst_i,
  input  wire [VCS-1:0] consume_i,
  input  wire [VCS-1:0] return_i,
  input  wire [5:0]     cap_i,                  // a VC has room only below it
  output wire [VCS-1:0] ok_o
);

  `LOOM_REQUIRE(consumes_one, (consume_i & -consume_i) == consume_i)
  `LOOM_REQUIRE(returns_one, (return_i & -return_i) == return_i)
  `LOOM_REQUIRE(consumes_where_there_is_room, (consume_i & ~ok_o) == {VCS{1'b0}})

  localparam integer PLANES = $clog2(POOL + 2);
  localparam integer PW     = (POOL < 1) ? 1 : $clog2(POOL + 1);
  localparam [PW-1:0] POOL_C = POOL[PW-1:0];
  localparam [PW-1:0] ONE    = 1;
  localparam [VCS-1:0] NONE  = 0;

  reg [PLANES*VCS-1:0] used_q;
  reg [PW-1:0] pool_used_q;                     // sum of what the VCs have beyond their first

  reg [VCS-1:0] plane;
  reg [VCS-1:0] some;                           // VCs with one in use or more
  reg [VCS-1:0] many;                           // with two or more
  reg [VCS-1:0] below;                          // with less than the low bits of the cap
  integer i;

  always @* begin
    plane = NONE;
    some = NONE;
    many = NONE;
    below = NONE;
    for (i = 0; i < PLANES; i = i + 1) begin
      plane = used_q[i*VCS +: VCS];
      some = some | plane;
      if (i > 0) many = many | plane;
      below = cap_i[i] ? ~plane | below : ~plane & below;
    end
  end

  wire high_cap = (cap_i >> PLANES) != 6'd0;    // above every count
  wire [VCS-1:0] returned = return_i & some;
  wire [VCS-1:0] up = consume_i & ~returned;
  wire [VCS-1:0] down = returned & ~consume_i;
  wire take = (up & some) != NONE;              // from the pool
  wire give = (down & many) != NONE;

  reg [PLANES*VCS-1:0] used;
  reg [VCS-1:0] carry;
  reg [VCS-1:0] borrow;
  integer k;

  always @* begin
    used = used_q;
    carry = up;
    borrow = down;
    for (k = 0; k < PLANES; k = k + 1) begin
      used[k*VCS +: VCS] = used_q[k*VCS +: VCS] ^ carry ^ borrow;
      carry = carry & used_q[k*VCS +: VCS];
      borrow = borrow & ~used_q[k*VCS +: VCS];
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      used_q <= {(PLANES * VCS){1'b0}};
      pool_used_q <= {PW{1'b0}};
    end else begin
      used_q <= used;
      if (take && !give) pool_used_q <= pool_used_q + ONE;
      if (give && !take) pool_used_q <= pool_used_q - ONE;
    end
  end

  assign ok_o = (~some | {VCS{pool_used_q != POOL_C}}) & (below | {VCS{high_cap}});

  `LOOM_ASSERT(pool_not_overdrawn, {1'b0, pool_used_q} < {1'b0, POOL_C} + {{PW{1'b0}}, 1'b1})

endmodule

`default_nettype wire
