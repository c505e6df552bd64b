// SPDX-License-Identifier: Apache-2.0

// duties_port_group: a head names no group below count_i of which a slot or members were never
// written (docs/port_groups.md, section port_group).
`default_nettype none

module duties_port_group #(
  parameter integer PORTS  = 8,
  parameter integer GROUPS = 16
) (
  input  wire               clk_i,
  input  wire               rst_i,
  input  wire               head_i,
  input  wire [4:0]         vl_i,
  input  wire [63:0]        data_i,
  input  wire               found_known_i,
  input  wire [1:0]         found_mode_i,
  input  wire [5:0]         found_out_i,
  input  wire [PORTS*3-1:0] above_i,
  input  wire [6:0]         count_i,
  input  wire [1:0]         hash_i,
  input  wire [31:0]        sls_i,
  input  wire               members_we_i,
  input  wire [6:0]         members_addr_i,
  input  wire [31:0]        members_data_i,
  input  wire               slot_we_i,
  input  wire [11:0]        slot_addr_i,
  input  wire [5:0]         slot_data_i,
  output wire               care_o
);

  reg head_q;
  reg [64*GROUPS-1:0] slots_q;      // words that were written
  reg [2*GROUPS-1:0] members_q;
  reg [GROUPS-1:0] whole;
  integer g;

  assign care_o = 1'b1;

  always @* begin
    for (g = 0; g < GROUPS; g = g + 1)
      whole[g] = &slots_q[64*g +: 64] && members_q[2*g] && (members_q[2*g+1] || PORTS <= 32);
  end

  always @(posedge clk_i) begin
    head_q <= head_i && !rst_i;
    if (rst_i) begin
      slots_q <= {64 * GROUPS{1'b0}};
      members_q <= {2 * GROUPS{1'b0}};
    end else begin
      for (g = 0; g < 64 * GROUPS; g = g + 1)
        if (slot_we_i && slot_addr_i == g) slots_q[g] <= 1'b1;
      for (g = 0; g < 2 * GROUPS; g = g + 1)
        if (members_we_i && members_addr_i == g) members_q[g] <= 1'b1;
    end
  end

`ifdef FORMAL
  always @* begin
    for (g = 0; g < GROUPS; g = g + 1)
      if (!rst_i) assume(!head_q || !found_known_i || found_mode_i == 2'd0 || found_out_i != g
                         || count_i <= g || whole[g]);
  end
`endif

endmodule

`default_nettype wire
