// SPDX-License-Identifier: Apache-2.0

// loom_switch_common: what a switch has once: the register bus, the tables of all ports, the queue
//   of traps.
// Inside: loom_ib_switch, loom_opa_switch, loom_kns_node, loom_kns_switch
//
// Contract: one access a cycle. In the cycle after it the access is on reg_we_o, reg_re_o,
//   reg_addr_o, reg_data_o, and for a port's or a central buffer's window on port_we_o, port_re_o,
//   central_we_o, central_re_o. Their read data are awaited one cycle later on port_rdata_i (32
//   bits a port) and more_rdata_i; more_word_i is looked at in the cycle of the access itself.
// Algorithm: decode, tables, a loom_rr_arbiter that moves traps into a loom_fifo.
// Latency: read data 3 cycles after the read.
// Wait bound: a trap that waits is moved at the latest with the PORTS-th move that follows.
// Parameters: DEVICE (a LOOM_DEVICE_ID_... of loom_regs.vh), ROUTE (0: an LFT; 1, 2: the address of
//   a kns_node, that and the dimension of a kns_switch), PORTS (2..48), CENTRALS (central buffers,
//   1..24; without any, 1 that nobody looks at), VLS (2..32), LIDS (entries of the LFT,
//   16..65536), MTU_UNITS (1..512).
// Realises: OP-10, OP-13, OP-19, IB-02, KN-02.
// Page: docs/switch.md, section Registers; docs/kns.md, section Registers.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_switch_common #(
  parameter integer DEVICE    = `LOOM_DEVICE_ID_OPA_SWITCH,
  parameter integer ROUTE     = 0,
  parameter integer PORTS     = 48,
  parameter integer CENTRALS  = 24,
  parameter integer VLS       = 9,
  parameter integer LIDS      = 49152,
  parameter integer MTU_UNITS = 32
) (
  input  wire                clk_i,
  input  wire                rst_i,

  // The bus.
  input  wire                reg_we_i,
  input  wire                reg_re_i,
  input  wire [19:0]         reg_addr_i,
  input  wire [31:0]         reg_wdata_i,
  output wire                reg_rvalid_o,
  output wire [31:0]         reg_rdata_o,

  // Inside the switch.
  output wire                reg_we_o,
  output wire [19:0]         reg_addr_o,
  output wire [31:0]         reg_data_o,
  output wire [PORTS-1:0]    port_we_o,
  output wire [PORTS-1:0]    port_re_o,
  output wire [CENTRALS-1:0] central_we_o,
  output wire [CENTRALS-1:0] central_re_o,
  input  wire [31:0]         more_word_i,
  input  wire [PORTS*32-1:0] port_rdata_i,
  input  wire [31:0]         more_rdata_i,

  // Tables.
  output wire [1:0]          mode_o,
  output wire                choice_o,
  output wire                lft_we_o,
  output wire [16:0]         lft_count_o,
  output wire [18:0]         place_o,           // {dimension, on, address}
  output wire [VLS*16-1:0]   mtu_o,
  input  wire                idle_i,

  // Traps: {cause, lane, dest} in 32 bits a port.
  input  wire [PORTS-1:0]    trap_i,
  input  wire [PORTS*32-1:0] trap_data_i,
  output wire [PORTS-1:0]    trap_move_o,
  output wire                trap_o
);

  localparam integer LW = $clog2(VLS);
  localparam integer PW = $clog2(PORTS);
  localparam [5:0] ALL_LANES = VLS[5:0];
  localparam [6:0] ALL_PORTS = PORTS[6:0];
  localparam [9:0] MTU = MTU_UNITS[9:0];
  localparam [31:0] IDENTITY = {`LOOM_ID_MAGIC_VALUE, DEVICE[7:0], PORTS[7:0], VLS[7:0]};
  localparam [PORTS-1:0] PORT0 = 1;
  localparam [CENTRALS-1:0] CENTRAL0 = 1;

  // ---- The access -------------------------------------------------------------------------------

  reg reg_we_q;
  reg reg_re_q;
  reg [19:0] reg_addr_q;
  reg [31:0] reg_data_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      reg_we_q <= 1'b0;
      reg_re_q <= 1'b0;
      reg_addr_q <= 20'd0;
      reg_data_q <= 32'd0;
    end else begin
      reg_we_q <= reg_we_i;
      reg_re_q <= reg_re_i;
      if (reg_we_i || reg_re_i) reg_addr_q <= reg_addr_i;
      if (reg_we_i) reg_data_q <= reg_wdata_i;
    end
  end

  wire at_port = `LOOM_IS_SWITCH_REG_PORTS(reg_addr_q);
  wire at_central = `LOOM_IS_SWITCH_REG_CENTRALS(reg_addr_q);
  wire [5:0] port_number = `LOOM_NUMBER_SWITCH_REG_PORTS(reg_addr_q);
  wire [5:0] central_number = `LOOM_NUMBER_SWITCH_REG_CENTRALS(reg_addr_q);
  wire every_port = port_number == `LOOM_SWITCH_EVERY;
  wire every_central = central_number == `LOOM_SWITCH_EVERY;
  wire at_lft = `LOOM_IS_SWITCH_REG_LFT(reg_addr_q);
  wire [4:0] lane = reg_addr_q[4:0];
  wire at_mtu = `LOOM_IS_SWITCH_REG_MTU(reg_addr_q) && {1'b0, lane} < ALL_LANES;
  wire pop = reg_re_q && reg_addr_q == `LOOM_SWITCH_REG_TRAP;

  wire [PORTS-1:0] port_hot = PORT0 << port_number;
  wire [CENTRALS-1:0] central_hot = CENTRAL0 << central_number;

  assign reg_we_o = reg_we_q;
  assign reg_addr_o = reg_addr_q;
  assign reg_data_o = reg_data_q;
  assign port_we_o = (reg_we_q && at_port) ? port_hot | {PORTS{every_port}} : {PORTS{1'b0}};
  assign port_re_o = (reg_re_q && at_port) ? port_hot : {PORTS{1'b0}};
  assign central_we_o = (reg_we_q && at_central) ? central_hot | {CENTRALS{every_central}}
                                                 : {CENTRALS{1'b0}};
  assign central_re_o = (reg_re_q && at_central) ? central_hot : {CENTRALS{1'b0}};

  // ---- Tables -----------------------------------------------------------------------------------

  reg [1:0] mode_q;
  reg choice_q;
  reg [9:0] mtu_q [0:VLS-1];
  reg [31:0] mtu_ignored_q;
  integer i;

  always @(posedge clk_i) begin
    if (rst_i) begin
      mode_q <= 2'd0;
      choice_q <= 1'b0;
      mtu_ignored_q <= 32'd0;
      for (i = 0; i < VLS; i = i + 1) mtu_q[i] <= MTU;
    end else if (reg_we_q) begin
      if (reg_addr_q == `LOOM_SWITCH_REG_CONTROL) begin
        mode_q <= reg_data_q[`LOOM_SWITCH_REG_CONTROL_MODE];
        choice_q <= reg_data_q[`LOOM_SWITCH_REG_CONTROL_CENTRAL];
      end
      if (at_mtu) begin
        if (idle_i) mtu_q[lane[LW-1:0]] <= reg_data_q[`LOOM_SWITCH_REG_MTU_UNITS];
        else mtu_ignored_q <= mtu_ignored_q + 32'd1;
      end
    end
  end

  generate
    genvar g;
    for (g = 0; g < VLS; g = g + 1) begin : g_mtu
      assign mtu_o[g*16 +: 16] = {6'd0, mtu_q[g]};
    end
  endgenerate

  assign mode_o = mode_q;
  assign choice_o = choice_q;

  // What finds the output of a packet: the LFT, here as the bus reads it, or the own place.
  wire lft_we;
  wire lft_re;
  wire [16:0] lft_count;
  wire [5:0] lft_word;
  wire [18:0] place;

  generate
    if (ROUTE == 0) begin : g_lft
      localparam integer LIDS_W = $clog2(LIDS);
      localparam [16:0] ALL_LIDS = LIDS[16:0];
      reg [16:0] lft_count_q;
      wire [15:0] lid = reg_addr_q[15:0];

      always @(posedge clk_i) begin
        if (rst_i) begin
          lft_count_q <= 17'd0;
        end else if (reg_we_q && reg_addr_q == `LOOM_SWITCH_REG_LFT_COUNT) begin
          lft_count_q <= (reg_data_q > {15'd0, ALL_LIDS}) ? ALL_LIDS : reg_data_q[16:0];
        end
      end

      loom_ram #(
        .DEPTH(LIDS),
        .WIDTH(6)
      ) u_lft (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(lft_we),
        .waddr_i(lid[LIDS_W-1:0]),
        .wdata_i(reg_data_q[`LOOM_SWITCH_REG_LFT_OUT]),
        .re_i(lft_re),
        .raddr_i(lid[LIDS_W-1:0]),
        .rdata_o(lft_word)
      );

      assign lft_we = reg_we_q && at_lft && {1'b0, lid} < ALL_LIDS;
      assign lft_re = reg_re_q && at_lft && {1'b0, lid} < lft_count_q;
      assign lft_count = lft_count_q;
      assign place = 19'd0;
    end else begin : g_place
      reg [1:0] dimension_q;
      reg on_q;
      reg [15:0] address_q;
      wire unused_lft = at_lft;

      always @(posedge clk_i) begin
        if (rst_i) begin
          dimension_q <= 2'd0;
          on_q <= 1'b0;
          address_q <= 16'd0;
        end else if (reg_we_q) begin
          if (reg_addr_q == `LOOM_KNS_REG_ADDRESS) begin
            on_q <= reg_data_q[`LOOM_KNS_REG_ADDRESS_ON];
            address_q <= reg_data_q[`LOOM_KNS_REG_ADDRESS_ADDRESS];
          end
          if (reg_addr_q == `LOOM_KNS_REG_DIMENSION && ROUTE == 2) begin
            dimension_q <= reg_data_q[`LOOM_KNS_REG_DIMENSION_DIMENSION];
          end
        end
      end

      assign lft_we = 1'b0;
      assign lft_re = 1'b0;
      assign lft_count = 17'd0;
      assign lft_word = 6'd0;
      assign place = {dimension_q, on_q, address_q};
    end
  endgenerate

  assign lft_we_o = lft_we;
  assign lft_count_o = lft_count;
  assign place_o = place;

  // ---- Traps ------------------------------------------------------------------------------------

  wire [PORTS-1:0] grant;
  wire [PW-1:0] port;
  wire ready;
  wire trap_valid;
  wire [29:0] trap_word;
  wire [4:0] trap_count;

  loom_rr_arbiter #(
    .N(PORTS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(trap_i),
    .advance_i(ready),
    .grant_o(grant)
  );

  loom_encode #(
    .N(PORTS),
    .W(PW)
  ) u_encode (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(grant),
    .index_o(port)
  );

  wire [23:0] moved = trap_data_i[{port, 5'd0} +: 24];

  loom_fifo #(
    .DEPTH(16),
    .WIDTH(30)
  ) u_traps (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(grant != {PORTS{1'b0}}),
    .data_i({moved[`LOOM_TRAP_CAUSE], {(6 - PW){1'b0}}, port, moved[`LOOM_TRAP_LANE],
             moved[`LOOM_TRAP_DEST]}),
    .pop_i(pop),
    .valid_o(trap_valid),
    .data_o(trap_word),
    .ready_o(ready),
    .count_o(trap_count)
  );

  assign trap_move_o = ready ? grant : {PORTS{1'b0}};
  assign trap_o = trap_valid;

  // ---- Reading ----------------------------------------------------------------------------------

  reg [31:0] word;
  reg read_q;
  reg port_q;
  reg lft_q;
  reg [PW-1:0] number_q;
  reg [31:0] word_q;
  reg rvalid_q;
  reg [31:0] rdata_q;
  wire [9:0] mtu = mtu_q[lane[LW-1:0]];

  always @* begin
    case (reg_addr_q)
      `LOOM_SWITCH_REG_ID: word = IDENTITY;
      `LOOM_SWITCH_REG_CONTROL: word = {27'd0, choice_q, 2'd0, mode_q};
      `LOOM_SWITCH_REG_LFT_COUNT: word = {15'd0, lft_count};
      `LOOM_SWITCH_REG_TRAP_COUNT: word = {27'd0, trap_count};
      `LOOM_SWITCH_REG_TRAP: begin
        word = {trap_valid, trap_word[`LOOM_QUEUED_TRAP_CAUSE], trap_word[`LOOM_QUEUED_TRAP_PORT],
                1'b0, trap_word[`LOOM_QUEUED_TRAP_LANE], trap_word[`LOOM_QUEUED_TRAP_DEST]};
      end
      `LOOM_SWITCH_REG_MTU_IGNORED: word = mtu_ignored_q;
      `LOOM_KNS_REG_ADDRESS: begin
        word = {15'd0, place[`LOOM_PLACE_ON], place[`LOOM_PLACE_ADDRESS]};
      end
      `LOOM_KNS_REG_DIMENSION: word = {30'd0, place[`LOOM_PLACE_DIMENSION]};
      default: word = at_mtu ? {22'd0, mtu} : more_word_i;
    endcase
  end

  wire [31:0] port_word = port_rdata_i[{number_q, 5'd0} +: 32];
  wire unused = &{1'b0, trap_data_i};

  always @(posedge clk_i) begin
    if (rst_i) begin
      read_q <= 1'b0;
      port_q <= 1'b0;
      lft_q <= 1'b0;
      number_q <= {PW{1'b0}};
      word_q <= 32'd0;
      rvalid_q <= 1'b0;
      rdata_q <= 32'd0;
    end else begin
      read_q <= reg_re_q;
      port_q <= reg_re_q && at_port && {1'b0, port_number} < ALL_PORTS;
      lft_q <= lft_re;
      number_q <= port_number[PW-1:0];
      word_q <= reg_re_q ? word : 32'd0;
      rvalid_q <= read_q;
      if (read_q || rvalid_q) begin
        rdata_q <= port_q ? port_word : lft_q ? {26'd0, lft_word} : word_q | more_rdata_i;
      end
    end
  end

  assign reg_rvalid_o = rvalid_q;
  assign reg_rdata_o = rdata_q;

  `LOOM_ASSERT(reads_one_window, (port_re_o & -port_re_o) == port_re_o)
  `LOOM_ASSERT(data_0_without_read, reg_rvalid_o || reg_rdata_o == 32'd0)

endmodule

`default_nettype wire
