// SPDX-License-Identifier: Apache-2.0

// loom_crossbar_switch_common: what the switch has once: its own registers, what leads from them to
//   all ports, the queue of traps.
// Inside: loom_crossbar_switch, loom_mport_switch
//
// Contract: bus_*_i are the registers that port 0 sees. word_o is the answer to the access that was
//   there two cycles ago, 0 if it is none of the switch's own. lft_*_o, lft_count_o, place_o,
//   group_*_o, mode_o and mtu_*_o lead to all ports.
// Algorithm: decoding, tables, a loom_rr_arbiter that moves traps into a loom_fifo.
// Latency: a write is at the ports in the next cycle.
// Wait bound: a trap that waits is moved at the latest with the PORTS-th move that follows.
// Parameters: PORTS (2..48), VLS (2..32), MTU_UNITS (1..512), ROUTE (0: an LFT; 1, 2: the address
//   of a node of a KNS, that and the dimension of a switch of one), LIDS (entries of the LFT,
//   16..65536), GROUPS (of ports, 0..64; 0 with ROUTE > 0), DEVICE (its number, 0..255).
// Realises: OP-10, OP-13, OP-19, IB-02, KN-02, TP-02.
// Page: docs/crossbar_switch.md, section Registers; docs/kns.md, section Registers;
//   docs/port_groups.md, section Registers.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_crossbar_switch_common #(
  parameter integer PORTS     = 36,
  parameter integer VLS       = 9,
  parameter integer MTU_UNITS = 32,
  parameter integer ROUTE     = 0,
  parameter integer LIDS      = 49152,
  parameter integer GROUPS    = 0,
  parameter integer DEVICE    = `LOOM_DEVICE_ID_CROSSBAR_SWITCH
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire                bus_we_i,
  input  wire                bus_re_i,
  input  wire [19:0]         bus_addr_i,
  input  wire [31:0]         bus_data_i,
  output wire [31:0]         word_o,
  output wire [1:0]          mode_o,
  output wire                central_o,         // how a central unit is chosen
  output wire                lft_we_o,
  output wire [15:0]         lft_lid_o,
  output wire [7:0]          lft_entry_o,       // its mode is 0 without groups
  output wire [16:0]         lft_count_o,
  output wire [18:0]         place_o,           // {dimension, on, address}
  output wire [6:0]          group_count_o,
  output wire [1:0]          group_hash_o,
  output wire [31:0]         group_sls_o,
  output wire [38:0]         group_load_o,      // three thresholds, the first one lowest
  output wire                group_members_we_o,
  output wire                group_slot_we_o,
  output wire [11:0]         group_addr_o,      // of members or slot that is written
  output wire [31:0]         group_data_o,
  output wire                mtu_we_o,
  output wire [4:0]          mtu_vl_o,
  output wire [9:0]          mtu_units_o,
  input  wire                idle_i,
  input  wire [PORTS-1:0]    trap_i,
  input  wire [PORTS*24-1:0] trap_word_i,
  output wire [PORTS-1:0]    trap_moved_o,
  output wire                trap_o,
  output wire                ready_o
);

  localparam integer VW = $clog2(VLS);
  localparam [5:0] ALL_LANES = VLS[5:0];
  localparam [9:0] MTU = MTU_UNITS[9:0];
  localparam [5:0] SWEPT = VLS[5:0];
  localparam [31:0] IDENTITY = {`LOOM_ID_MAGIC_VALUE, DEVICE[7:0], PORTS[7:0],
                                VLS[7:0]};

  wire [4:0] lane = bus_addr_i[4:0];
  wire at_control = bus_addr_i == `LOOM_SWITCH_REG_CONTROL;
  wire at_trap = bus_addr_i == `LOOM_SWITCH_REG_TRAP;
  wire at_mtu = `LOOM_IS_SWITCH_REG_MTU(bus_addr_i) && {1'b0, lane} < ALL_LANES;
  wire [9:0] units = bus_data_i[`LOOM_SWITCH_REG_MTU_UNITS];
  wire units_ok = units != 10'd0 && units <= MTU;

  // ---- What leads to all ports ------------------------------------------------------------------

  reg mtu_we_q;
  reg [4:0] lane_q;
  reg [9:0] units_q;
  reg control_we_q;
  reg [31:0] data_q;
  reg [1:0] mode_q;
  reg central_q;
  reg [31:0] mtu_ignored_q;

  always @(posedge clk_i) begin
    lane_q <= lane;
    units_q <= units;
    data_q <= bus_data_i;
    if (rst_i) begin
      mtu_we_q <= 1'b0;
      control_we_q <= 1'b0;
      mode_q <= 2'd0;
      central_q <= 1'b0;
      mtu_ignored_q <= 32'd0;
    end else begin
      mtu_we_q <= bus_we_i && at_mtu && idle_i && units_ok;
      control_we_q <= bus_we_i && at_control;
      if (control_we_q) begin
        mode_q <= data_q[`LOOM_SWITCH_REG_CONTROL_MODE];
        central_q <= data_q[`LOOM_SWITCH_REG_CONTROL_CENTRAL];
      end
      if (bus_we_i && at_mtu && !(idle_i && units_ok)) mtu_ignored_q <= mtu_ignored_q + 32'd1;
    end
  end

  assign mode_o = mode_q;
  assign central_o = central_q;
  assign mtu_we_o = mtu_we_q;
  assign mtu_vl_o = lane_q;
  assign mtu_units_o = units_q;

  // ---- The MTU of the lanes, as the bus reads it ------------------------------------------------

  reg [5:0] sweep_q;
  wire sweeping = sweep_q != SWEPT;
  wire [9:0] mtu;

  always @(posedge clk_i) begin
    if (rst_i) sweep_q <= 6'd0;
    else if (sweeping) sweep_q <= sweep_q + 6'd1;
  end

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(10)
  ) u_mtu (
    .clk_i(clk_i),
    .we_i(sweeping || mtu_we_q),
    .waddr_i(sweeping ? sweep_q[VW-1:0] : lane_q[VW-1:0]),
    .wdata_i(sweeping ? MTU : units_q),
    .raddr_i(lane[VW-1:0]),
    .rdata_o(mtu)
  );

  assign ready_o = !sweeping;

  // ---- What finds the output of a packet --------------------------------------------------------

  wire lft_re;
  wire [16:0] lft_count;
  wire [7:0] lft_word;
  wire [18:0] place;
  wire [31:0] place_word;               // of its registers, as the bus reads them

  generate
    if (ROUTE == 0) begin : g_lft
      localparam integer LIDS_W = $clog2(LIDS);
      localparam integer ENTRY_W = (GROUPS > 0) ? 8 : 6;
      localparam [16:0] ALL_LIDS = LIDS[16:0];
      wire [15:0] lid = bus_addr_i[15:0];
      wire at_lft = `LOOM_IS_SWITCH_REG_LFT(bus_addr_i) && {1'b0, lid} < ALL_LIDS;
      reg lft_we_q;
      reg [15:0] lid_q;
      reg [ENTRY_W-1:0] entry_q;
      reg count_we_q;
      reg [16:0] lft_count_q;

      always @(posedge clk_i) begin
        lid_q <= lid;
        entry_q <= bus_data_i[ENTRY_W-1:0];
        if (rst_i) begin
          lft_we_q <= 1'b0;
          count_we_q <= 1'b0;
          lft_count_q <= 17'd0;
        end else begin
          lft_we_q <= bus_we_i && at_lft;
          count_we_q <= bus_we_i && bus_addr_i == `LOOM_SWITCH_REG_LFT_COUNT;
          if (count_we_q) lft_count_q <= (data_q > {15'd0, ALL_LIDS}) ? ALL_LIDS : data_q[16:0];
        end
      end

      loom_ram #(
        .DEPTH(LIDS),
        .WIDTH(ENTRY_W)
      ) u_lft (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(lft_we_q),
        .waddr_i(lid_q[LIDS_W-1:0]),
        .wdata_i(entry_q),
        .re_i(lft_re),
        .raddr_i(lid[LIDS_W-1:0]),
        .rdata_o(lft_word[ENTRY_W-1:0])
      );

      assign lft_re = bus_re_i && at_lft && {1'b0, lid} < lft_count_q;
      assign lft_count = lft_count_q;
      assign lft_we_o = lft_we_q;
      assign lft_lid_o = lid_q;
      assign lft_entry_o[ENTRY_W-1:0] = entry_q;
      assign place = 19'd0;
      assign place_word = 32'd0;
      if (GROUPS == 0) begin : g_no_mode
        assign lft_word[`LOOM_SWITCH_REG_LFT_MODE] = 2'd0;
        assign lft_entry_o[`LOOM_SWITCH_REG_LFT_MODE] = 2'd0;
      end
    end else begin : g_place
      wire unused_data = &{1'b0, data_q[31:17]};
      wire at_address = bus_addr_i == `LOOM_KNS_REG_ADDRESS;
      wire at_dimension = bus_addr_i == `LOOM_KNS_REG_DIMENSION;
      reg address_we_q;
      reg on_q;
      reg [15:0] address_q;

      always @(posedge clk_i) begin
        if (rst_i) begin
          address_we_q <= 1'b0;
          on_q <= 1'b0;
          address_q <= 16'd0;
        end else begin
          address_we_q <= bus_we_i && at_address;
          if (address_we_q) begin
            on_q <= data_q[`LOOM_KNS_REG_ADDRESS_ON];
            address_q <= data_q[`LOOM_KNS_REG_ADDRESS_ADDRESS];
          end
        end
      end

      assign place[`LOOM_PLACE_ON] = on_q;
      assign place[`LOOM_PLACE_ADDRESS] = address_q;
      assign place_word = at_address ? {15'd0, on_q, address_q}
                          : at_dimension ? {30'd0, place[`LOOM_PLACE_DIMENSION]} : 32'd0;

      if (ROUTE == 2) begin : g_dimension
        reg dimension_we_q;
        reg [1:0] dimension_q;

        always @(posedge clk_i) begin
          if (rst_i) begin
            dimension_we_q <= 1'b0;
            dimension_q <= 2'd0;
          end else begin
            dimension_we_q <= bus_we_i && at_dimension;
            if (dimension_we_q) dimension_q <= data_q[`LOOM_KNS_REG_DIMENSION_DIMENSION];
          end
        end

        assign place[`LOOM_PLACE_DIMENSION] = dimension_q;
      end else begin : g_no_dimension
        assign place[`LOOM_PLACE_DIMENSION] = 2'd0;
      end

      assign lft_re = 1'b0;
      assign lft_count = 17'd0;
      assign lft_word = 8'd0;
      assign lft_we_o = 1'b0;
      assign lft_lid_o = 16'd0;
      assign lft_entry_o = 8'd0;
    end
  endgenerate

  assign lft_count_o = lft_count;
  assign place_o = place;

  // ---- Groups of ports --------------------------------------------------------------------------

  wire [31:0] group_word;               // of their registers, of the access of the last cycle

  generate
    if (GROUPS > 0) begin : g_groups
      loom_crossbar_switch_groups #(
        .PORTS(PORTS),
        .GROUPS(GROUPS),
        .MTU_UNITS(MTU_UNITS)
      ) u_groups (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .bus_we_i(bus_we_i),
        .bus_re_i(bus_re_i),
        .bus_addr_i(bus_addr_i),
        .data_i(data_q),
        .word_o(group_word),
        .count_o(group_count_o),
        .hash_o(group_hash_o),
        .sls_o(group_sls_o),
        .load_o(group_load_o),
        .members_we_o(group_members_we_o),
        .slot_we_o(group_slot_we_o),
        .addr_o(group_addr_o)
      );
      assign group_data_o = data_q;
    end else begin : g_no_groups
      assign group_word = 32'd0;
      assign group_count_o = 7'd0;
      assign group_hash_o = 2'd0;
      assign group_sls_o = 32'd0;
      assign group_load_o = 39'd0;
      assign group_members_we_o = 1'b0;
      assign group_slot_we_o = 1'b0;
      assign group_addr_o = 12'd0;
      assign group_data_o = 32'd0;
    end
  endgenerate

  // ---- Traps ------------------------------------------------------------------------------------

  wire [PORTS-1:0] grant;
  wire [PORTS-1:0] requests;
  wire advance;
  wire trap_valid;
  wire [29:0] trap_word;
  wire [4:0] trap_count;
  wire trap_space;                      // only an assertion looks at it
  reg [PORTS-1:0] moved_q;
  reg [29:0] moved_word;
  integer i;

  // A trap that was granted in the last cycle is not counted yet.
  assign advance = trap_count <= 5'd13;
  assign requests = advance ? trap_i & ~moved_q : {PORTS{1'b0}};

  loom_rr_arbiter #(
    .N(PORTS)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(requests),
    .advance_i(advance),
    .grant_o(grant)
  );

  always @(posedge clk_i) begin
    if (rst_i) moved_q <= {PORTS{1'b0}};
    else moved_q <= grant;
  end

  always @* begin
    moved_word = 30'd0;
    for (i = 0; i < PORTS; i = i + 1) begin
      if (moved_q[i]) begin
        moved_word = moved_word | {trap_word_i[i*24+21 +: 3], i[5:0], trap_word_i[i*24 +: 21]};
      end
    end
  end

  loom_fifo #(
    .DEPTH(16),
    .WIDTH(30)
  ) u_traps (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(moved_q != {PORTS{1'b0}}),
    .data_i(moved_word),
    .pop_i(bus_re_i && at_trap),
    .valid_o(trap_valid),
    .data_o(trap_word),
    .ready_o(trap_space),
    .count_o(trap_count)
  );

  wire unused_space = trap_space;

  assign trap_moved_o = moved_q;
  assign trap_o = trap_valid;

  // ---- Reading ----------------------------------------------------------------------------------

  reg [31:0] word;
  reg [31:0] word1_q;
  reg lft1_q;
  reg [31:0] word2_q;

  always @* begin
    case (bus_addr_i)
      `LOOM_SWITCH_REG_ID: word = IDENTITY;
      `LOOM_SWITCH_REG_CONTROL: word = {27'd0, central_q, 2'd0, mode_q};
      `LOOM_SWITCH_REG_LFT_COUNT: word = {15'd0, lft_count};
      `LOOM_SWITCH_REG_TRAP_COUNT: word = {27'd0, trap_count};
      `LOOM_SWITCH_REG_TRAP: begin
        word = trap_valid ? {1'b1, trap_word[`LOOM_QUEUED_TRAP_CAUSE],
                             trap_word[`LOOM_QUEUED_TRAP_PORT], 1'b0,
                             trap_word[`LOOM_QUEUED_TRAP_LANE], trap_word[`LOOM_QUEUED_TRAP_DEST]}
                          : 32'd0;
      end
      `LOOM_SWITCH_REG_MTU_IGNORED: word = mtu_ignored_q;
      default: word = at_mtu ? {22'd0, mtu} : place_word;
    endcase
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      word1_q <= 32'd0;
      lft1_q <= 1'b0;
      word2_q <= 32'd0;
    end else begin
      word1_q <= bus_re_i ? word : 32'd0;
      lft1_q <= lft_re;
      word2_q <= lft1_q ? {24'd0, lft_word} : (word1_q | group_word);
    end
  end

  assign word_o = word2_q;

  `LOOM_ASSERT(no_trap_is_moved_into_a_full_queue, moved_q == {PORTS{1'b0}} || trap_space)

endmodule

`default_nettype wire
