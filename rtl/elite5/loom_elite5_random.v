// SPDX-License-Identifier: Apache-2.0

// loom_elite5_random: picks one member of a set of links by a random number.
// Inside: loom_elite5_router
//
// Contract: value_i is any number; a set without members gives no pick.
// Algorithm: k = (value_i * size of the set) >> 16; members are counted in pairs, fours, eights and
//   sixteens, and the k-th lowest member is found from the halves down.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: none; bits of links that do not exist are 0.
// Realises: E5-20.
// Page: docs/elite5.md, section Choice.
`default_nettype none

module loom_elite5_random (
  input  wire [31:0] set_i,
  input  wire [15:0] value_i,
  output wire [31:0] pick_o
);

  // Members in each group of 2, 4, 8, 16 links; a lane is as wide as its group.
  wire [31:0] in2 = (set_i & 32'h55555555) + ((set_i >> 1) & 32'h55555555);
  wire [31:0] in4 = (in2 & 32'h33333333) + ((in2 >> 2) & 32'h33333333);
  wire [31:0] in8 = (in4 & 32'h0F0F0F0F) + ((in4 >> 4) & 32'h0F0F0F0F);
  wire [31:0] in16 = (in8 & 32'h00FF00FF) + ((in8 >> 8) & 32'h00FF00FF);
  wire [5:0] size = in16[5:0] + in16[21:16];
  wire [21:0] product = {6'd0, value_i} * {16'd0, size};
  wire [5:0] k16 = product[21:16];              // the rank of the one wanted, in its group
  wire up16 = k16 >= in16[5:0];
  wire [5:0] k8 = up16 ? k16 - in16[5:0] : k16;
  wire [3:0] n8 = up16 ? in8[19:16] : in8[3:0];
  wire up8 = k8 >= {2'd0, n8};
  wire [5:0] k4 = up8 ? k8 - {2'd0, n8} : k8;
  wire [3:0] n4 = in4[{up16, up8, 3'd0} +: 4];
  wire up4 = k4 >= {2'd0, n4};
  wire [5:0] k2 = up4 ? k4 - {2'd0, n4} : k4;
  wire [1:0] n2 = in2[{up16, up8, up4, 2'd0} +: 2];
  wire up2 = k2 >= {4'd0, n2};
  wire [5:0] k1 = up2 ? k2 - {4'd0, n2} : k2;
  wire n1 = set_i[{up16, up8, up4, up2, 1'b0}];
  wire up1 = k1 >= {5'd0, n1};
  wire unused = &{1'b0, product[15:0], in16[31:22], in16[15:6]};

  assign pick_o = (set_i == 32'd0) ? 32'd0 : 32'd1 << {up16, up8, up4, up2, up1};

endmodule

`default_nettype wire
