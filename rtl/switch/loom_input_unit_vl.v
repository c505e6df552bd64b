// SPDX-License-Identifier: Apache-2.0

// loom_input_unit_vl: InfiniBand's rule of routing beside the stages of arrival: which lane a
//   packet gets at its output, and how long it may be there.
// Inside: input_unit.
//
// Contract: look_i says that port_i and sc_i are those of a head in the first stage; lane_i is the
//   lane of what is in the second one. ok_o, vl_o and mtu_o speak of what is in the third; ready_o
//   says that MTUs are swept, and none is written before.
// Algorithm: an entry of the map is kept as what the rule makes of it, as a word of block RAM comes
//   late in its cycle. The MTU is read in the third stage for the same reason; no packet is here
//   when one is written, so both stages read the same.
// Latency: two cycles.
// Wait bound: none: nobody waits.
// Parameters: PORTS (2..48), VLS (2..32), MTU_UNITS (1..512: of each lane after reset).
// Realises: OP-18, IB-02.
// Page: docs/input_unit.md, section Arrival.
`default_nettype none

module loom_input_unit_vl #(
  parameter integer PORTS     = 8,
  parameter integer VLS       = 9,
  parameter integer MTU_UNITS = 32
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        look_i,
  input  wire [5:0]  port_i,
  input  wire [4:0]  sc_i,
  input  wire [4:0]  lane_i,
  input  wire        map_on_i,
  input  wire        map_we_i,
  input  wire [10:0] map_addr_i,
  input  wire [4:0]  map_data_i,
  input  wire        mtu_we_i,
  input  wire [4:0]  mtu_vl_i,
  input  wire [9:0]  mtu_units_i,
  output wire        ready_o,
  output wire        ok_o,                      // it has a lane,
  output wire [4:0]  vl_o,                      // this one,
  output wire [9:0]  mtu_o                      // in which it may have so many units
);

  localparam integer VW       = $clog2(VLS);
  localparam integer MAP      = PORTS * 32;
  localparam integer MAP_W    = $clog2(MAP);
  localparam integer LAST_I   = VLS - 1;
  localparam [4:0] LAST       = LAST_I[4:0];
  localparam integer MGMT_I   = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT       = MGMT_I[4:0];
  localparam [5:0] ALL_VLS    = VLS[5:0];
  localparam [6:0] ALL_PORTS  = PORTS[6:0];
  localparam [9:0] MTU        = MTU_UNITS[9:0];

  reg ready_q;
  reg [4:0] sweep_q;                            // the lane whose MTU is written, until ready
  reg ok_q;
  reg [4:0] vl_q;

  // ---- The map ----------------------------------------------------------------------------------

  wire [10:0] place = {port_i, sc_i};
  wire map_here = {1'b0, map_addr_i[10:5]} < ALL_PORTS;
  wire to_ok;
  wire [4:0] to_lane;
  wire from_ok;                                 // of the flit in the second stage
  wire [VW-1:0] from_lane;
  wire unused_place = &{1'b0, place, map_addr_i, to_lane};

  loom_ram #(
    .DEPTH(MAP),
    .WIDTH(VW + 1)
  ) u_map (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(map_we_i && map_here),
    .waddr_i(map_addr_i[MAP_W-1:0]),
    .wdata_i({to_ok, to_lane[VW-1:0]}),
    .re_i(look_i),
    .raddr_i(place[MAP_W-1:0]),
    .rdata_o({from_ok, from_lane})
  );

  loom_ib_rule #(
    .VLS(VLS)
  ) u_rule (
    .map_on_i(1'b1),
    .lane_i(5'd0),
    .entry_i(map_data_i),
    .ok_o(to_ok),
    .lane_o(to_lane)
  );

  wire mapped = map_on_i && lane_i != MGMT;

  always @(posedge clk_i) begin
    ok_q <= !mapped || from_ok;
    vl_q <= mapped ? {{(5 - VW){1'b0}}, from_lane} : lane_i;
  end

  // ---- MTUs -------------------------------------------------------------------------------------

  wire mtu_here = {1'b0, mtu_vl_i} < ALL_VLS;
  wire [4:0] mtu_at = ready_q ? mtu_vl_i : sweep_q;
  wire unused_lane = &{1'b0, mtu_at, vl_q};

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(10)
  ) u_mtu (
    .clk_i(clk_i),
    .we_i(!ready_q || (mtu_we_i && mtu_here)),
    .waddr_i(mtu_at[VW-1:0]),
    .wdata_i(ready_q ? mtu_units_i : MTU),
    .raddr_i(vl_q[VW-1:0]),
    .rdata_o(mtu_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      ready_q <= 1'b0;
      sweep_q <= 5'd0;
    end else if (!ready_q) begin
      ready_q <= sweep_q == LAST;
      sweep_q <= sweep_q + 5'd1;
    end
  end

  assign ready_o = ready_q;
  assign ok_o = ok_q;
  assign vl_o = vl_q;

endmodule

`default_nettype wire
