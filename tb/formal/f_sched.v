// SPDX-License-Identifier: Apache-2.0

// The four schedulers through their one interface (docs/sched.md). A grant in cycle t answers a
// request in t - 2 and rests on the inputs of t - 3: it goes to a VL that was eligible there, with
// its size and key, to the management VL if that was eligible, never two in a row; round robin and
// SBT waste no request; and the bounds that the page states, seen through the table read port.
`include "props.vh"
`include "loom_regs.vh"
`default_nettype none
module f_sched #(
  parameter SCHED    = 0,  // 0 rr, 1 sbt, 2 dtable, 3 ibarb
  parameter ARB_KEY  = 1,
  parameter VLS      = 3,
  parameter KEYS     = 3,
  parameter MGMT_VL  = 2,
  parameter SIZE_W   = 2,
  parameter ENTRIES  = 3
) (
  input wire             clk_i,
  input wire             request_i,
  input wire [VLS-1:0]   head_valid_i,
  input wire [VLS*SIZE_W-1:0] head_size_i,
  input wire [VLS*5-1:0] head_sl_i,
  input wire [VLS*4-1:0] credits_i,
  input wire             table_we_i,
  input wire [9:0]       table_addr_i,
  input wire [31:0]      table_data_i
);
  localparam LARGEST = (1 << SIZE_W) - 1;
  `RESET_ONCE

  wire granted;
  wire [4:0] grant_vl, grant_key;
  wire [SIZE_W-1:0] grant_size;
  wire [31:0] rdata;
`define PORTS .clk_i(clk_i), .rst_i(rst), .request_i(request_i), .head_valid_i(head_valid_i), \
    .head_size_i(head_size_i), .head_sl_i(head_sl_i), .credits_i(credits_i), \
    .table_we_i(table_we_i), .table_addr_i(table_addr_i), .table_data_i(table_data_i), \
    .table_rdata_o(rdata), .grant_valid_o(granted), .grant_vl_o(grant_vl), \
    .grant_key_o(grant_key), .grant_size_o(grant_size)
`define COMMON .VLS(VLS), .KEYS(KEYS), .ARB_KEY(ARB_KEY), .MGMT_VL(MGMT_VL), \
    .SIZE_W(SIZE_W), .CREDIT_W(4)
  generate
    if (SCHED == 0) begin : g_rr
      loom_sched_rr #(`COMMON) u_dut (`PORTS);
    end else if (SCHED == 1) begin : g_sbt
      loom_sched_sbt #(`COMMON) u_dut (`PORTS);
    end else if (SCHED == 2) begin : g_dtable
      loom_sched_dtable #(`COMMON, .ENTRIES(ENTRIES)) u_dut (`PORTS);
    end else begin : g_ibarb
      loom_sched_ibarb #(`COMMON, .N_HIGH(ENTRIES), .N_LOW(ENTRIES)) u_dut (`PORTS);
    end
  endgenerate

  // Eligible VLs of this cycle's inputs, with size and key; three cycles of them.
  reg [VLS-1:0] e0, e1_q, e2_q, e3_q;
  reg [VLS*5-1:0] k0, k1_q, k2_q, k3_q;
  reg [VLS*SIZE_W-1:0] s1_q, s2_q, s3_q;
  reg r1_q, r2_q, granted_q;
  integer i;
  always @* begin
    for (i = 0; i < VLS; i = i + 1) begin
      k0[5*i +: 5] = ARB_KEY ? head_sl_i[5*i +: 5] : i;
      e0[i] = head_valid_i[i] && head_size_i[SIZE_W*i +: SIZE_W] != 0
              && head_size_i[SIZE_W*i +: SIZE_W] <= credits_i[4*i +: 4] && k0[5*i +: 5] < KEYS;
    end
  end
  always @(posedge clk_i) begin
    e1_q <= rst ? 0 : e0;
    e2_q <= rst ? 0 : e1_q;
    e3_q <= rst ? 0 : e2_q;
    k1_q <= k0;
    k2_q <= k1_q;
    k3_q <= k2_q;
    s1_q <= head_size_i;
    s2_q <= s1_q;
    s3_q <= s2_q;
    r1_q <= !rst && request_i;
    r2_q <= !rst && r1_q;
    granted_q <= !rst && granted;
  end

  // The granted VL as it stood there; whether any one key was active there.
  wire [4:0] watched = $anyconst;
  reg was_eligible, active;
  reg [4:0] was_key;
  reg [SIZE_W-1:0] was_size;
  always @* begin
    was_eligible = 1'b0;
    was_key = 5'd0;
    was_size = 0;
    active = 1'b0;
    for (i = 0; i < VLS; i = i + 1) begin
      if (grant_vl == i) begin
        was_eligible = e3_q[i];
        was_key = k3_q[5*i +: 5];
        was_size = s3_q[SIZE_W*i +: SIZE_W];
      end
      if (i != MGMT_VL && e3_q[i] && k3_q[5*i +: 5] == watched) active = 1'b1;
    end
  end
  wire [32:0] padded = e3_q;
  wire management = padded[MGMT_VL];
  wire [VLS-1:0] others = e3_q & ~(33'd1 << MGMT_VL);

  // Grants to other keys that the watched one has seen while it was active each time.
  reg [5:0] lost_q;
  wire for_key = granted && grant_vl != MGMT_VL;
  always @(posedge clk_i) begin
    if (rst || for_key && (!active || grant_key == watched)) lost_q <= 6'd0;
    else if (for_key && lost_q != 6'd63) lost_q <= lost_q + 6'd1;
  end

  // What the table read port shows.
  reg [9:0] addr_q;
  always @(posedge clk_i) addr_q <= table_addr_i;
  wire selection = addr_q == `LOOM_IBARB_REG_SELECTION_HIGH
                   || addr_q == `LOOM_IBARB_REG_SELECTION_LOW;

  always @* begin
    assume(watched < KEYS);
    if (live_q) begin
      `PROVE(!granted || was_eligible && grant_key == was_key && grant_size == was_size);
      `PROVE(granted || grant_vl == 0 && grant_key == 0 && grant_size == 0);
      `PROVE(!granted || r2_q);
      `PROVE(!(granted && granted_q));
      `PROVE(!(granted && management) || grant_vl == MGMT_VL);
      if (SCHED < 2) `PROVE(!(r2_q && !granted_q && |e3_q) || granted);
      if (SCHED == 0) `PROVE(!(for_key && active && lost_q == KEYS - 1) || grant_key == watched);
      if (SCHED == 0) `PROVE(rdata == 0);
      if (SCHED == 1 && addr_q < 32) `PROVE(rdata[15:8] <= rdata[7:0]);
      if (SCHED == 2 && `LOOM_IS_DTABLE_REG_DEFICIT(addr_q)) `PROVE(rdata <= LARGEST - 1);
      if (SCHED == 2 && addr_q == `LOOM_DTABLE_REG_ACC) `PROVE(rdata <= 255 + LARGEST - 1);
      if (SCHED == 2 && addr_q == `LOOM_DTABLE_REG_PTR) `PROVE(rdata < ENTRIES);
      if (SCHED == 3 && selection) `PROVE(rdata[15:0] <= 255 + LARGEST - 1);
      `COVER(for_key && others != (33'd1 << grant_vl) && grant_size == LARGEST);
      `COVER(granted && management && others != 0);
      if (SCHED == 0) `COVER(for_key && lost_q == KEYS - 1 && grant_key == watched);
      if (SCHED == 1) `COVER(addr_q < 32 && rdata[15:8] == 8'h04 && rdata[7:0] == 8'h05);
      if (SCHED == 2) `COVER(`LOOM_IS_DTABLE_REG_DEFICIT(addr_q) && rdata == LARGEST - 1);
      if (SCHED == 2) `COVER(addr_q == `LOOM_DTABLE_REG_ACC && rdata > 255);
      if (SCHED == 3) `COVER(addr_q == `LOOM_IBARB_REG_SELECTION_HIGH && rdata[15:0] == 4);
      if (SCHED == 3) `COVER(addr_q == `LOOM_IBARB_REG_TURN && rdata == 1);
    end
  end
endmodule
`default_nettype wire
