// SPDX-License-Identifier: Apache-2.0

// loom_switch_coordinates: the output of a packet from the coordinates in its address, in place of
//   an LFT.
// Inside: loom_kns_node, loom_kns_switch, loom_crossbar_switch
//
// Contract: place_i is {dimension, on, address} of the device. An output of a switch may be beyond
//   its ports, as with an LFT; the user looks.
// Algorithm: an address is {prefix, r_(DIMS-1) .. r_0, host}; a node takes the first dimension in
//   which dest_i is not at its own coordinate, else the host; a switch the coordinate of its
//   dimension.
// Latency: known_o none, combinational; out_o one cycle, like a loom_ram: it keeps its value until
//   the next dest_i that is known.
// Wait bound: none.
// Parameters: ROUTE (1 kns_node, 2 kns_switch), HOSTS (1..8), DIMS (1..4), W (bits of a coordinate,
//   1..6); ceil(log2 HOSTS) + DIMS * W <= 15.
// Realises: KN-02.
// Page: docs/kns.md, section Addresses.
`default_nettype none
`include "loom_fields.vh"

module loom_switch_coordinates #(
  parameter integer ROUTE = 1,
  parameter integer HOSTS = 1,
  parameter integer DIMS  = 2,
  parameter integer W     = 3
) (
  input  wire        clk_i,
  input  wire        valid_i,
  input  wire [15:0] dest_i,
  input  wire [18:0] place_i,
  output wire        known_o,
  output wire [5:0]  out_o
);

  localparam integer HW = $clog2(HOSTS);
  localparam [15:0] PREFIX = 16'hFFFF << (HW + DIMS * W);

  wire [1:0] dimension = place_i[`LOOM_PLACE_DIMENSION];
  wire on = place_i[`LOOM_PLACE_ON];
  wire [15:0] differ = dest_i ^ place_i[`LOOM_PLACE_ADDRESS];
  wire here = on && (differ & PREFIX) == 16'd0;
  reg there;                                    // the output exists, as far as this module knows
  reg [5:0] out;
  reg [5:0] out_q;

  generate
    if (ROUTE == 1) begin : g_node
      localparam [5:0] ALL_HOSTS = HOSTS[5:0];
      localparam [5:0] HOST_MASK = ~(6'h3F << HW);
      wire [5:0] host = dest_i[5:0] & HOST_MASK;
      wire unused_dimension = &{1'b0, dimension};
      integer d;

      always @* begin
        there = host < ALL_HOSTS;
        out = host;
        for (d = DIMS - 1; d >= 0; d = d - 1) begin
          if (differ[HW+d*W +: W] != {W{1'b0}}) begin
            there = 1'b1;
            out = ALL_HOSTS + d[5:0];
          end
        end
      end
    end else begin : g_switch
      integer d;

      always @* begin
        there = 1'b0;
        out = 6'd0;
        for (d = 0; d < DIMS; d = d + 1) begin
          if (dimension == d[1:0]) begin
            there = 1'b1;
            out[W-1:0] = dest_i[HW+d*W +: W];
          end
        end
      end
    end
  endgenerate

  assign known_o = valid_i && here && there;

  always @(posedge clk_i) begin
    if (known_o) out_q <= out;
  end

  assign out_o = out_q;

endmodule

`default_nettype wire
