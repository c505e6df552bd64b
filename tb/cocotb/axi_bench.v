// SPDX-License-Identifier: Apache-2.0

// axi_bench: loom_axi_switch under the names that cocotbext-axi looks for.
//
// Each port has its streams in a block of its own, g_port[p]; the registers there that nothing
// assigns are those of the masters. With plant = 1 a bit of one word out of port 1 is turned.
`default_nettype none

module axi_bench #(
  parameter integer PORTS = 8
) (
  input  wire        clk,
  input  wire        rst,
  input  wire        plant,
  input  wire        s_axil_awvalid,
  output wire        s_axil_awready,
  input  wire [21:0] s_axil_awaddr,
  input  wire [2:0]  s_axil_awprot,
  input  wire        s_axil_wvalid,
  output wire        s_axil_wready,
  input  wire [31:0] s_axil_wdata,
  input  wire [3:0]  s_axil_wstrb,
  output wire        s_axil_bvalid,
  input  wire        s_axil_bready,
  output wire [1:0]  s_axil_bresp,
  input  wire        s_axil_arvalid,
  output wire        s_axil_arready,
  input  wire [21:0] s_axil_araddr,
  input  wire [2:0]  s_axil_arprot,
  output wire        s_axil_rvalid,
  input  wire        s_axil_rready,
  output wire [31:0] s_axil_rdata,
  output wire [1:0]  s_axil_rresp,
  output wire        trap,
  output wire        faults
);

  wire [PORTS*16-1:0] lids;
  wire [PORTS-1:0] s_tvalid;
  wire [PORTS-1:0] s_tready;
  wire [PORTS*64-1:0] s_tdata;
  wire [PORTS-1:0] s_tlast;
  wire [PORTS*16-1:0] s_tdest;
  wire [PORTS*13-1:0] s_tid;
  wire [PORTS*10-1:0] s_tuser;
  wire [PORTS-1:0] m_tvalid;
  wire [PORTS-1:0] m_tready;
  wire [PORTS*64-1:0] m_tdata;
  wire [PORTS-1:0] m_tlast;
  wire [PORTS*16-1:0] m_tdest;
  wire [PORTS*13-1:0] m_tid;
  wire [PORTS*28-1:0] m_tuser;

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      localparam [15:0] LID = p;
      reg s_axis_tvalid;
      reg [63:0] s_axis_tdata;
      reg s_axis_tlast;
      reg [15:0] s_axis_tdest;
      reg [12:0] s_axis_tid;
      reg [9:0] s_axis_tuser;
      reg m_axis_tready;
      wire s_axis_tready = s_tready[p];
      wire m_axis_tvalid = m_tvalid[p];
      wire m_axis_tlast = m_tlast[p];
      wire [15:0] m_axis_tdest = m_tdest[16*p +: 16];
      wire [12:0] m_axis_tid = m_tid[13*p +: 13];
      wire [27:0] m_axis_tuser = m_tuser[28*p +: 28];
      wire [63:0] turned;
      wire [63:0] m_axis_tdata = m_tdata[64*p +: 64] ^ turned;

      assign lids[16*p +: 16] = LID;
      assign s_tvalid[p] = s_axis_tvalid;
      assign s_tdata[64*p +: 64] = s_axis_tdata;
      assign s_tlast[p] = s_axis_tlast;
      assign s_tdest[16*p +: 16] = s_axis_tdest;
      assign s_tid[13*p +: 13] = s_axis_tid;
      assign s_tuser[10*p +: 10] = s_axis_tuser;
      assign m_tready[p] = m_axis_tready;

      reg [7:0] words_q;
      always @(posedge clk) begin
        if (rst) words_q <= 8'd0;
        else if (m_axis_tvalid && m_axis_tready && words_q != 8'd200) words_q <= words_q + 8'd1;
      end
      assign turned = {63'd0, plant && p == 1 && words_q == 8'd199} << 17;
    end
  endgenerate

  loom_axi_switch #(
    .PORTS(PORTS), .VLS(9), .KEYS(9), .ENTRIES(64), .LIDS(64)
  ) u_switch (
    .clk_i(clk), .rst_i(rst), .lids_i(lids),
    .s_axis_tvalid_i(s_tvalid), .s_axis_tready_o(s_tready), .s_axis_tdata_i(s_tdata),
    .s_axis_tlast_i(s_tlast), .s_axis_tdest_i(s_tdest), .s_axis_tid_i(s_tid),
    .s_axis_tuser_i(s_tuser),
    .m_axis_tvalid_o(m_tvalid), .m_axis_tready_i(m_tready), .m_axis_tdata_o(m_tdata),
    .m_axis_tlast_o(m_tlast), .m_axis_tdest_o(m_tdest), .m_axis_tid_o(m_tid),
    .m_axis_tuser_o(m_tuser),
    .s_axil_awvalid_i(s_axil_awvalid), .s_axil_awready_o(s_axil_awready),
    .s_axil_awaddr_i(s_axil_awaddr), .s_axil_wvalid_i(s_axil_wvalid),
    .s_axil_wready_o(s_axil_wready), .s_axil_wdata_i(s_axil_wdata), .s_axil_wstrb_i(s_axil_wstrb),
    .s_axil_bvalid_o(s_axil_bvalid), .s_axil_bready_i(s_axil_bready), .s_axil_bresp_o(s_axil_bresp),
    .s_axil_arvalid_i(s_axil_arvalid), .s_axil_arready_o(s_axil_arready),
    .s_axil_araddr_i(s_axil_araddr), .s_axil_rvalid_o(s_axil_rvalid),
    .s_axil_rready_i(s_axil_rready), .s_axil_rdata_o(s_axil_rdata), .s_axil_rresp_o(s_axil_rresp),
    .trap_o(trap), .faults_o(faults)
  );

endmodule

`default_nettype wire
