// SPDX-License-Identifier: Apache-2.0

// loom_axil_registers: an AXI4-Lite subordinate that makes accesses to a register bus.
//
// Contract: a valid and what goes with it stay until their ready; the register bus answers each
//   read once, and nothing else. All outputs are functions of registers, and what is shown stays
//   until it is taken.
// Algorithm: a register for each channel, so that no valid waits for a ready; one access at a time,
//   reads and writes by turns.
// Latency: 2 cycles from the later of address and data to the register bus, 1 from its answer.
// Wait bound: START after reset; then an access waits for GAP and at most one access of the other
//   kind, if responses are taken.
// Parameters: ADDR_W (bits of a register's address, 4..20), START (cycles after reset without an
//   access, 0..1023), GAP (cycles between two accesses, 0..15).
// Realises: OP-10, DT-04: tables and limits are written by software; probe wait.
// Page: docs/axi.md, section axil_registers.
`default_nettype none
`include "loom_assert.vh"

module loom_axil_registers #(
  parameter integer ADDR_W = 20,
  parameter integer START  = 320,
  parameter integer GAP    = 3
) (
  input  wire              clk_i,
  input  wire              rst_i,
  input  wire              awvalid_i,
  output wire              awready_o,
  input  wire [ADDR_W+1:0] awaddr_i,
  input  wire              wvalid_i,
  output wire              wready_o,
  input  wire [31:0]       wdata_i,
  input  wire [3:0]        wstrb_i,
  output wire              bvalid_o,
  input  wire              bready_i,
  output wire [1:0]        bresp_o,
  input  wire              arvalid_i,
  output wire              arready_o,
  input  wire [ADDR_W+1:0] araddr_i,
  output wire              rvalid_o,
  input  wire              rready_i,
  output wire [31:0]       rdata_o,
  output wire [1:0]        rresp_o,
  output wire              reg_we_o,
  output wire              reg_re_o,
  output wire [ADDR_W-1:0] reg_addr_o,
  output wire [31:0]       reg_wdata_o,
  input  wire              reg_rvalid_i,
  input  wire [31:0]       reg_rdata_i
);

  generate
    if (ADDR_W < 4 || ADDR_W > 20) begin : g_bad_addr_w
      loom_axil_registers_ADDR_W_must_be_4_to_20 u_error ();
    end
    if (START < 0 || START > 1023) begin : g_bad_start
      loom_axil_registers_START_must_be_0_to_1023 u_error ();
    end
    if (GAP < 0 || GAP > 15) begin : g_bad_gap
      loom_axil_registers_GAP_must_be_0_to_15 u_error ();
    end
  endgenerate

  localparam [9:0] FIRST = START[9:0];
  localparam [9:0] BETWEEN = GAP[9:0];

  // ---- The user's side of the contract ----------------------------------------------------------

`ifdef LOOM_ASSERT_ON
  // What was not taken in the last cycle is still there.
  reg aw_waits_q;
  reg w_waits_q;
  reg ar_waits_q;
  reg [ADDR_W+1:0] aw_shown_q;
  reg [ADDR_W+1:0] ar_shown_q;
  reg [35:0] w_shown_q;
  always @(posedge clk_i) begin
    aw_waits_q <= !rst_i && awvalid_i && !awready_o;
    w_waits_q <= !rst_i && wvalid_i && !wready_o;
    ar_waits_q <= !rst_i && arvalid_i && !arready_o;
    aw_shown_q <= awaddr_i;
    w_shown_q <= {wdata_i, wstrb_i};
    ar_shown_q <= araddr_i;
  end
  `LOOM_REQUIRE(write_address_stays, !aw_waits_q || (awvalid_i && awaddr_i == aw_shown_q))
  `LOOM_REQUIRE(write_data_stay, !w_waits_q || (wvalid_i && {wdata_i, wstrb_i} == w_shown_q))
  `LOOM_REQUIRE(read_address_stays, !ar_waits_q || (arvalid_i && araddr_i == ar_shown_q))
`endif

  // ---- State ------------------------------------------------------------------------------------

  reg aw_valid_q;
  reg [ADDR_W-1:0] aw_addr_q;
  reg w_valid_q;
  reg [31:0] w_data_q;
  reg [3:0] w_strb_q;
  reg ar_valid_q;
  reg [ADDR_W-1:0] ar_addr_q;
  reg b_valid_q;
  reg b_error_q;
  reg r_valid_q;
  reg [31:0] r_data_q;
  reg we_q;
  reg re_q;
  reg [ADDR_W-1:0] addr_q;
  reg [31:0] data_q;
  reg read_q;                           // a read is on its way
  reg turn_q;                           // the last one was a write
  reg [9:0] wait_q;                     // cycles until the next access may go

  `LOOM_REQUIRE(answers_to_reads_only, !reg_rvalid_i || read_q)

  // ---- Which access goes ------------------------------------------------------------------------

  wire clear = wait_q == 10'd0 && !read_q;
  wire can_write = aw_valid_q && w_valid_q && !b_valid_q;
  wire can_read = ar_valid_q && !r_valid_q;
  wire do_write = clear && can_write && !(can_read && turn_q);
  wire do_read = clear && can_read && !do_write;
  wire whole = &w_strb_q;
  wire none = !(|w_strb_q);
  wire write_access = do_write && whole;
  wire answered = reg_rvalid_i && read_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
      ar_valid_q <= 1'b0;
      b_valid_q <= 1'b0;
      b_error_q <= 1'b0;
      r_valid_q <= 1'b0;
      r_data_q <= 32'd0;
      we_q <= 1'b0;
      re_q <= 1'b0;
      addr_q <= {ADDR_W{1'b0}};
      data_q <= 32'd0;
      read_q <= 1'b0;
      turn_q <= 1'b0;
      wait_q <= FIRST;
    end else begin
      aw_valid_q <= aw_valid_q ? !do_write : awvalid_i;
      w_valid_q <= w_valid_q ? !do_write : wvalid_i;
      ar_valid_q <= ar_valid_q ? !do_read : arvalid_i;
      if (do_write) begin
        b_valid_q <= 1'b1;
        b_error_q <= !whole && !none;
      end else if (bready_i) begin
        b_valid_q <= 1'b0;
        b_error_q <= 1'b0;
      end
      we_q <= write_access;
      re_q <= do_read;
      addr_q <= write_access ? aw_addr_q : do_read ? ar_addr_q : {ADDR_W{1'b0}};
      data_q <= write_access ? w_data_q : 32'd0;
      if (answered) begin
        r_valid_q <= 1'b1;
        r_data_q <= reg_rdata_i;
      end else if (rready_i) begin
        r_valid_q <= 1'b0;
        r_data_q <= 32'd0;
      end
      if (do_read) read_q <= 1'b1;
      else if (answered) read_q <= 1'b0;
      if (do_write || do_read) turn_q <= do_write;
      if (do_write || do_read) wait_q <= BETWEEN;
      else if (wait_q != 10'd0) wait_q <= wait_q - 10'd1;
    end
    if (!aw_valid_q) aw_addr_q <= awaddr_i[ADDR_W+1:2];
    if (!ar_valid_q) ar_addr_q <= araddr_i[ADDR_W+1:2];
    if (!w_valid_q) begin
      w_data_q <= wdata_i;
      w_strb_q <= wstrb_i;
    end
  end

  wire unused_bytes = &{1'b0, awaddr_i[1:0], araddr_i[1:0]};

  assign awready_o = !aw_valid_q;
  assign wready_o = !w_valid_q;
  assign arready_o = !ar_valid_q;
  assign bvalid_o = b_valid_q;
  assign bresp_o = {b_error_q, 1'b0};
  assign rvalid_o = r_valid_q;
  assign rdata_o = r_data_q;
  assign rresp_o = 2'd0;
  assign reg_we_o = we_q;
  assign reg_re_o = re_q;
  assign reg_addr_o = addr_q;
  assign reg_wdata_o = data_q;

  `LOOM_ASSERT(never_a_read_and_a_write, !(we_q && re_q))
  `LOOM_ASSERT(one_read_at_a_time, !re_q || read_q)
  `LOOM_ASSERT(nothing_without_valid,
      (b_valid_q || !b_error_q) && (r_valid_q || r_data_q == 32'd0))

endmodule

`default_nettype wire
