// SPDX-License-Identifier: Apache-2.0

// loom_axil_registers: what is shown on a channel stays until it is taken; each response has its
// write and each answer its read, with the data that the bus gave; what was asked for comes to the
// bus, once and unchanged.
`include "props.vh"
`default_nettype none
module f_axil_registers #(
  parameter ADDR_W = 4,
  parameter START = 2,
  parameter GAP = 1
) (
  input wire              clk_i,
  input wire              awvalid_i,
  input wire [ADDR_W+1:0] awaddr_i,
  input wire              wvalid_i,
  input wire [31:0]       wdata_i,
  input wire [3:0]        wstrb_i,
  input wire              bready_i,
  input wire              arvalid_i,
  input wire [ADDR_W+1:0] araddr_i,
  input wire              rready_i,
  input wire              answer_i,
  input wire [31:0]       reg_rdata_i
);
  `RESET_ONCE

  wire awready, wready, bvalid, arready, rvalid, we, re;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata, data;
  wire [ADDR_W-1:0] addr;
  reg asked_q;                           // a read on the bus that is not answered
  wire answer = answer_i && asked_q;
  loom_axil_registers #(.ADDR_W(ADDR_W), .START(START), .GAP(GAP)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .awvalid_i(awvalid_i), .awready_o(awready), .awaddr_i(awaddr_i),
    .wvalid_i(wvalid_i), .wready_o(wready), .wdata_i(wdata_i), .wstrb_i(wstrb_i),
    .bvalid_o(bvalid), .bready_i(bready_i), .bresp_o(bresp), .arvalid_i(arvalid_i),
    .arready_o(arready), .araddr_i(araddr_i), .rvalid_o(rvalid), .rready_i(rready_i),
    .rdata_o(rdata), .rresp_o(rresp), .reg_we_o(we), .reg_re_o(re), .reg_addr_o(addr),
    .reg_wdata_o(data), .reg_rvalid_i(answer), .reg_rdata_i(reg_rdata_i)
  );

  // Writes taken and not shown as answered: at most one each of address and data, and reads.
  reg aw_q, w_q, ar_q, b_before_q, r_before_q, b_taken_q, r_taken_q;
  reg [ADDR_W-1:0] aw_addr_q, ar_addr_q;
  reg [31:0] w_data_q, answer_q, r_data_before_q;
  reg [3:0] w_strb_q;
  reg [1:0] bresp_before_q;
  reg given_q;                           // the bus has answered, the user has not taken it
  wire new_b = bvalid && (!b_before_q || b_taken_q);
  always @(posedge clk_i) begin
    if (rst) begin
      aw_q <= 1'b0;
      w_q <= 1'b0;
      ar_q <= 1'b0;
      asked_q <= 1'b0;
      given_q <= 1'b0;
      b_before_q <= 1'b0;
      r_before_q <= 1'b0;
      b_taken_q <= 1'b0;
      r_taken_q <= 1'b0;
    end else begin
      if (awvalid_i && awready) begin
        aw_q <= 1'b1;
        aw_addr_q <= awaddr_i[ADDR_W+1:2];
      end else if (new_b) aw_q <= 1'b0;
      if (wvalid_i && wready) begin
        w_q <= 1'b1;
        w_data_q <= wdata_i;
        w_strb_q <= wstrb_i;
      end else if (new_b) w_q <= 1'b0;
      if (arvalid_i && arready) begin
        ar_q <= 1'b1;
        ar_addr_q <= araddr_i[ADDR_W+1:2];
      end else if (re) ar_q <= 1'b0;
      if (re && !answer) asked_q <= 1'b1;
      else if (answer) asked_q <= 1'b0;
      if (answer) begin
        given_q <= 1'b1;
        answer_q <= reg_rdata_i;
      end else if (rvalid && rready_i) given_q <= 1'b0;
      b_before_q <= bvalid;
      b_taken_q <= bvalid && bready_i;
      r_before_q <= rvalid;
      r_taken_q <= rvalid && rready_i;
      bresp_before_q <= bresp;
      r_data_before_q <= rdata;
    end
  end

  always @* begin
    if (live_q) begin
      `PROVE(!(b_before_q && !b_taken_q) || (bvalid && bresp == bresp_before_q));
      `PROVE(!(r_before_q && !r_taken_q) || (rvalid && rdata == r_data_before_q));
      `PROVE(!new_b || (aw_q && w_q));
      `PROVE(!new_b || we == (w_strb_q == 4'd15));
      `PROVE(!new_b || bresp == (w_strb_q == 4'd15 || w_strb_q == 4'd0 ? 2'd0 : 2'd2));
      `PROVE(!we || (new_b && addr == aw_addr_q && data == w_data_q));
      `PROVE(!re || (ar_q && !asked_q && addr == ar_addr_q));
      `PROVE(rvalid == given_q);
      `PROVE(!rvalid || rdata == answer_q);
      `PROVE(rresp == 2'd0);
      `COVER(we && rvalid);
      `COVER(bvalid && bresp == 2'd2);
      `COVER(re && bvalid);
    end
  end
endmodule
`default_nettype wire
