// SPDX-License-Identifier: Apache-2.0

// loom_axi_switch: a loom_crossbar_switch whose ends are AXI: a stream in and a stream out at each
//   port, and AXI4-Lite for its registers.
//
// Port p has bits p of the wide ports, and words p of those with several bits a port. The streams
// are those of loom_axis_link_tx (s_axis_*) and loom_axis_link_rx (m_axis_*). faults_o is 1 from
// the first time on that an end saw what must not be.
// Page: docs/axi.md, section A switch with AXI ends.
`default_nettype none

module loom_axi_switch #(
  parameter integer PORTS     = 4,
  parameter integer VLS       = 5,
  parameter integer SPEEDUP   = 2,
  parameter integer KEYS      = 5,
  parameter integer ENTRIES   = 16,
  parameter integer LIDS      = 1024,
  parameter integer UNITS     = 128,    // of each store, at inputs, outputs and the ends
  parameter integer RESERVED  = 8,      // of them to each lane
  parameter integer MTU_UNITS = 8       // of the longest packet
) (
  input  wire                clk_i,
  input  wire                rst_i,

  input  wire [PORTS*16-1:0] lids_i,
  input  wire [PORTS-1:0]    s_axis_tvalid_i,
  output wire [PORTS-1:0]    s_axis_tready_o,
  input  wire [PORTS*64-1:0] s_axis_tdata_i,
  input  wire [PORTS-1:0]    s_axis_tlast_i,
  input  wire [PORTS*16-1:0] s_axis_tdest_i,
  input  wire [PORTS*13-1:0] s_axis_tid_i,
  input  wire [PORTS*10-1:0] s_axis_tuser_i,
  output wire [PORTS-1:0]    m_axis_tvalid_o,
  input  wire [PORTS-1:0]    m_axis_tready_i,
  output wire [PORTS*64-1:0] m_axis_tdata_o,
  output wire [PORTS-1:0]    m_axis_tlast_o,
  output wire [PORTS*16-1:0] m_axis_tdest_o,
  output wire [PORTS*13-1:0] m_axis_tid_o,
  output wire [PORTS*28-1:0] m_axis_tuser_o,

  input  wire                s_axil_awvalid_i,
  output wire                s_axil_awready_o,
  input  wire [21:0]         s_axil_awaddr_i,
  input  wire                s_axil_wvalid_i,
  output wire                s_axil_wready_o,
  input  wire [31:0]         s_axil_wdata_i,
  input  wire [3:0]          s_axil_wstrb_i,
  output wire                s_axil_bvalid_o,
  input  wire                s_axil_bready_i,
  output wire [1:0]          s_axil_bresp_o,
  input  wire                s_axil_arvalid_i,
  output wire                s_axil_arready_o,
  input  wire [21:0]         s_axil_araddr_i,
  output wire                s_axil_rvalid_o,
  input  wire                s_axil_rready_i,
  output wire [31:0]         s_axil_rdata_o,
  output wire [1:0]          s_axil_rresp_o,

  output wire                trap_o,
  output wire                faults_o
);

  wire [PORTS-1:0] in_valid;
  wire [PORTS-1:0] in_head;
  wire [PORTS-1:0] in_tail;
  wire [PORTS*5-1:0] in_vl;
  wire [PORTS*64-1:0] in_data;
  wire [PORTS-1:0] in_cr_valid;
  wire [PORTS*5-1:0] in_cr_vl;
  wire [PORTS-1:0] out_valid;
  wire [PORTS-1:0] out_head;
  wire [PORTS-1:0] out_tail;
  wire [PORTS*5-1:0] out_vl;
  wire [PORTS*64-1:0] out_data;
  wire [PORTS-1:0] out_cr_valid;
  wire [PORTS*5-1:0] out_cr_vl;
  wire reg_we;
  wire reg_re;
  wire [19:0] reg_addr;
  wire [31:0] reg_wdata;
  wire reg_rvalid;
  wire [31:0] reg_rdata;

  wire [PORTS-1:0] dropped;
  wire [PORTS-1:0] empty;
  wire [PORTS-1:0] tx_error;
  wire [PORTS-1:0] rx_error;
  reg faults_q;

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      loom_axis_link_tx #(
        .VLS(VLS), .UNITS(UNITS), .RESERVED(RESERVED), .MTU_FLITS(8 * MTU_UNITS),
        .WORDS(16 * MTU_UNITS)
      ) u_tx (
        .clk_i(clk_i), .rst_i(rst_i), .src_i(lids_i[16*p +: 16]),
        .tvalid_i(s_axis_tvalid_i[p]), .tready_o(s_axis_tready_o[p]),
        .tdata_i(s_axis_tdata_i[64*p +: 64]), .tlast_i(s_axis_tlast_i[p]),
        .tdest_i(s_axis_tdest_i[16*p +: 16]), .tid_i(s_axis_tid_i[13*p +: 13]),
        .tuser_i(s_axis_tuser_i[10*p +: 10]),
        .out_valid_o(in_valid[p]), .out_head_o(in_head[p]), .out_tail_o(in_tail[p]),
        .out_vl_o(in_vl[5*p +: 5]), .out_data_o(in_data[64*p +: 64]),
        .cr_valid_i(in_cr_valid[p]), .cr_vl_i(in_cr_vl[5*p +: 5]),
        .dropped_o(dropped[p]), .error_o(tx_error[p])
      );
      loom_axis_link_rx #(.UNITS(UNITS)) u_rx (
        .clk_i(clk_i), .rst_i(rst_i),
        .in_valid_i(out_valid[p]), .in_head_i(out_head[p]), .in_tail_i(out_tail[p]),
        .in_vl_i(out_vl[5*p +: 5]), .in_data_i(out_data[64*p +: 64]),
        .cr_valid_o(out_cr_valid[p]), .cr_vl_o(out_cr_vl[5*p +: 5]),
        .tvalid_o(m_axis_tvalid_o[p]), .tready_i(m_axis_tready_i[p]),
        .tdata_o(m_axis_tdata_o[64*p +: 64]), .tlast_o(m_axis_tlast_o[p]),
        .tdest_o(m_axis_tdest_o[16*p +: 16]), .tid_o(m_axis_tid_o[13*p +: 13]),
        .tuser_o(m_axis_tuser_o[28*p +: 28]),
        .empty_o(empty[p]), .error_o(rx_error[p])
      );
    end
  endgenerate

  loom_axil_registers u_registers (
    .clk_i(clk_i), .rst_i(rst_i),
    .awvalid_i(s_axil_awvalid_i), .awready_o(s_axil_awready_o), .awaddr_i(s_axil_awaddr_i),
    .wvalid_i(s_axil_wvalid_i), .wready_o(s_axil_wready_o), .wdata_i(s_axil_wdata_i),
    .wstrb_i(s_axil_wstrb_i),
    .bvalid_o(s_axil_bvalid_o), .bready_i(s_axil_bready_i), .bresp_o(s_axil_bresp_o),
    .arvalid_i(s_axil_arvalid_i), .arready_o(s_axil_arready_o), .araddr_i(s_axil_araddr_i),
    .rvalid_o(s_axil_rvalid_o), .rready_i(s_axil_rready_i), .rdata_o(s_axil_rdata_o),
    .rresp_o(s_axil_rresp_o),
    .reg_we_o(reg_we), .reg_re_o(reg_re), .reg_addr_o(reg_addr), .reg_wdata_o(reg_wdata),
    .reg_rvalid_i(reg_rvalid), .reg_rdata_i(reg_rdata)
  );

  loom_crossbar_switch #(
    .PORTS(PORTS), .VLS(VLS), .SPEEDUP(SPEEDUP), .KEYS(KEYS), .N_HIGH(ENTRIES), .N_LOW(ENTRIES),
    .CELLS_IN(UNITS), .CELLS_OUT(UNITS), .RESERVED_OUT(RESERVED),
    .REMOTE_UNITS(UNITS), .REMOTE_RESERVED(RESERVED), .MTU_UNITS(MTU_UNITS), .LIDS(LIDS)
  ) u_switch (
    .clk_i(clk_i), .rst_i(rst_i),
    .in_valid_i(in_valid), .in_head_i(in_head), .in_tail_i(in_tail), .in_vl_i(in_vl),
    .in_data_i(in_data), .in_cr_valid_o(in_cr_valid), .in_cr_vl_o(in_cr_vl),
    .out_valid_o(out_valid), .out_head_o(out_head), .out_tail_o(out_tail), .out_vl_o(out_vl),
    .out_data_o(out_data), .out_cr_valid_i(out_cr_valid), .out_cr_vl_i(out_cr_vl),
    .reg_we_i(reg_we), .reg_re_i(reg_re), .reg_addr_i(reg_addr), .reg_wdata_i(reg_wdata),
    .reg_rvalid_o(reg_rvalid), .reg_rdata_o(reg_rdata), .trap_o(trap_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) faults_q <= 1'b0;
    else faults_q <= faults_q || {dropped, empty, tx_error, rx_error} != {4*PORTS{1'b0}};
  end

  assign faults_o = faults_q;

endmodule

`default_nettype wire
