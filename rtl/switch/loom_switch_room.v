// SPDX-License-Identifier: Apache-2.0

// loom_switch_room: a loom_room_tracker with counts and sizes as wide as the store that it counts,
//   behind ports of the widths that all switches have.
// Inside: loom_crossing, loom_output_unit
//
// Contract: sizes of 1..MTU_UNITS units; limits of 12 bits as software writes them. Shows what a
//   loom_room_tracker with COUNT_W 12 and SIZE_W 10 shows.
// Algorithm: COUNT_W holds the units of the store and of one packet and, with SMALL, those that a
//   lane with a wide verdict leaves below its cap. A limit above that becomes the largest count.
//   As a cap this is one that the pool never lets a lane reach, and as a reserve or as the total
//   it is wrong as before.
// Latency: none beside those of the tracker.
// Wait bound: that of the tracker.
// Parameters: VLS (1..32), UNITS (of the store, which a limit may not pass, 1..4095), RESERVED (of
//   each lane after reset, VLS times that at most UNITS), MTU_UNITS (of the largest packet, 1..512,
//   and the need of each lane after reset), SMALL (0..3: as that of the tracker).
// Realises: OP-05, OP-06.
// Page: docs/crossing.md, section Room.
`default_nettype none
`include "loom_assert.vh"

module loom_switch_room #(
  parameter integer VLS       = 9,
  parameter integer UNITS     = 256,
  parameter integer RESERVED  = 16,
  parameter integer MTU_UNITS = 32,
  parameter integer SMALL     = 0
) (
  input  wire           clk_i,
  input  wire           rst_i,
  output wire           ready_o,
  input  wire           consume_valid_i,
  input  wire [4:0]     consume_vl_i,
  input  wire [9:0]     consume_size_i,
  input  wire           return_valid_i,
  input  wire [4:0]     return_vl_i,
  input  wire           need_valid_i,
  input  wire [4:0]     need_vl_i,
  input  wire [9:0]     need_size_i,
  input  wire           cfg_we_i,
  input  wire [6:0]     cfg_addr_i,
  input  wire [11:0]    cfg_data_i,
  output wire [VLS-1:0] room_o,
  output wire [11:0]    total_o,
  output wire           used_valid_o,
  output wire [4:0]     used_vl_o,
  output wire [11:0]    used_o,
  output wire           idle_o,
  output wire           config_ok_o,
  output wire           error_o
);

  localparam integer MTU_W   = $clog2(MTU_UNITS + 1);
  localparam integer SIZE_W  = (MTU_W < 2) ? 2 : MTU_W;           // SMALL is below 2^SIZE_W
  localparam integer MOST_W  = $clog2(UNITS + MTU_UNITS + SMALL * (VLS + 4) + 1);
  localparam integer COUNT_W = (MOST_W > 12) ? 12 : (MOST_W < 4) ? 4 : MOST_W;

  wire [COUNT_W-1:0] limit;
  wire [COUNT_W-1:0] total;
  wire [COUNT_W-1:0] used;

  generate
    if (COUNT_W == 12) begin : g_whole
      assign limit = cfg_data_i;
      assign total_o = total;
      assign used_o = used;
    end else begin : g_part
      localparam [11-COUNT_W:0] ABOVE = 0;
      assign limit = cfg_data_i[COUNT_W-1:0] | {COUNT_W{cfg_data_i[11:COUNT_W] != ABOVE}};
      assign total_o = {ABOVE, total};
      assign used_o = {ABOVE, used};
    end
    if (SIZE_W < 10) begin : g_small
      wire unused_sizes = &{1'b0, consume_size_i[9:SIZE_W], need_size_i[9:SIZE_W]};
    end
  endgenerate

  `LOOM_REQUIRE(consume_not_above_mtu,
      !consume_valid_i || {22'd0, consume_size_i} <= MTU_UNITS)
  `LOOM_REQUIRE(need_not_above_mtu, !need_valid_i || {22'd0, need_size_i} <= MTU_UNITS)

  loom_room_tracker #(
    .VLS(VLS),
    .COUNT_W(COUNT_W),
    .SIZE_W(SIZE_W),
    .UNITS(UNITS),
    .MAX_UNITS(UNITS),
    .RESERVED(RESERVED),
    .NEED(MTU_UNITS),
    .SMALL(SMALL)
  ) u_tracker (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .ready_o(ready_o),
    .consume_valid_i(consume_valid_i),
    .consume_vl_i(consume_vl_i),
    .consume_size_i(consume_size_i[SIZE_W-1:0]),
    .return_valid_i(return_valid_i),
    .return_vl_i(return_vl_i),
    .need_valid_i(need_valid_i),
    .need_vl_i(need_vl_i),
    .need_size_i(need_size_i[SIZE_W-1:0]),
    .cfg_we_i(cfg_we_i),
    .cfg_addr_i(cfg_addr_i),
    .cfg_data_i(limit),
    .room_o(room_o),
    .total_o(total),
    .used_valid_o(used_valid_o),
    .used_vl_o(used_vl_o),
    .used_o(used),
    .idle_o(idle_o),
    .config_ok_o(config_ok_o),
    .error_o(error_o)
  );

endmodule

`default_nettype wire
