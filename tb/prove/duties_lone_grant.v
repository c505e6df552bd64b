// SPDX-License-Identifier: Apache-2.0

// duties_lone_grant: a VL is ready only after a head event has told its head
// (docs/tables.md, section interface).
`default_nettype none

module duties_lone_grant #(
  parameter integer VLS     = 16,
  parameter integer KEYS    = 32,
  parameter integer ARB_KEY = 1,
  parameter integer MGMT_VL = 15,
  parameter integer SIZE_W  = 10,
  parameter integer QUIET   = 8
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              request_i,
  input  wire [VLS-1:0]    ready_i,
  input  wire              head_valid_i,
  input  wire [4:0]        head_vl_i,
  input  wire [SIZE_W-1:0] head_size_i,
  input  wire [4:0]        head_sl_i,
  input  wire              head_last_i,
  input  wire [KEYS-1:0]   sched_served_i,
  input  wire              sched_grant_valid_i,
  input  wire [4:0]        sched_grant_vl_i,
  input  wire [4:0]        sched_grant_key_i,
  input  wire [SIZE_W-1:0] sched_grant_size_i,
  output wire              care_o
);

  reg [VLS-1:0] told_q;

  assign care_o = 1'b1;

  always @(posedge clk_i) begin
    if (rst_i) told_q <= {VLS{1'b0}};
    else if (head_valid_i) told_q <= told_q | {{(VLS - 1) {1'b0}}, 1'b1} << head_vl_i;
  end

`ifdef FORMAL
  always @* begin
    if (!rst_i) assume((ready_i & ~told_q) == {VLS{1'b0}});
  end
`endif

endmodule

`default_nettype wire
