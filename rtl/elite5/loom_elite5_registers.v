// SPDX-License-Identifier: Apache-2.0

// loom_elite5_registers: what a router has once: the register bus, the tables as the bus reads
//   them, the error window.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: one access a cycle. In the cycle after it the access is on access_o, for a table with
//   its write strobe, for the window of a link with link_we_o or link_re_o; what a window reads is
//   awaited one cycle later on link_rdata_i (32 bits a link). The top holds the register of the
//   time (it is a probe) and loads it when time_we_o. trap_* are the queue of traps; a read of the
//   oldest one removes it with trap_pop_o.
// Algorithm: decode, registers, a RAM for each table.
// Latency: read data 3 cycles after the read.
// Wait bound: none.
// Parameters: LINKS (2..32), VCS (2..32), DESTS (16..65536), CLASSES (1..4096), GROUPS (1..1024),
//   DEVICE (the number of the device in ID).
// Realises: E5-18..20, E5-35, E5-36, E5-39.
// Page: docs/elite5.md, sections Traps and Registers.
`default_nettype none
`include "loom_assert.vh"
`include "loom_elite5_port.vh"
`include "loom_regs.vh"

module loom_elite5_registers #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256,
  parameter integer DEVICE  = `LOOM_DEVICE_ID_ELITE5_ROUTER
) (
  input  wire                             clk_i,
  input  wire                             rst_i,

  // The bus.
  input  wire                             reg_we_i,
  input  wire                             reg_re_i,
  input  wire [19:0]                      reg_addr_i,
  input  wire [31:0]                      reg_wdata_i,
  output wire                             reg_rvalid_o,
  output wire [31:0]                      reg_rdata_o,

  // The access inside the router.
  output wire [53:0]                      bus_o,  // {write, read, address, data}
  output wire [`LOOM_PORT_ACCESS_W-1:0]   access_o,
  output wire [LINKS-1:0]                 link_we_o,
  output wire [LINKS-1:0]                 link_re_o,
  input  wire [LINKS*32-1:0]              link_rdata_i,

  // Registers.
  output wire [`LOOM_PORT_SETTINGS_W-1:0] settings_o,
  input  wire [13:0]                      time_i,
  output wire                             time_we_o,
  input  wire [LINKS-1:0]                 up_i,

  // The queue of traps.
  input  wire                             trap_valid_i,
  input  wire [43:0]                      trap_word_i,
  input  wire [4:0]                       trap_count_i,
  output wire                             trap_pop_o
);

  localparam integer LW      = $clog2(LINKS);
  localparam integer DEST_W  = $clog2(DESTS);
  localparam integer TABLE   = CLASSES + 2 * GROUPS;
  localparam integer TABLE_W = $clog2(TABLE);
  localparam [18:0] ALL_DESTS   = DESTS[18:0];
  localparam [17:0] ALL_ENTRIES = TABLE[17:0];
  localparam [12:0] ALL_CLASSES = CLASSES[12:0];
  localparam [10:0] ALL_GROUPS  = GROUPS[10:0];
  localparam [31:0] IDENTITY    = {`LOOM_ID_MAGIC_VALUE, DEVICE[7:0], LINKS[7:0], VCS[7:0]};
  localparam [LINKS-1:0] LINK0  = 1;

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

  wire at_link = `LOOM_IS_ELITE5_REG_LINKS(reg_addr_q);
  wire [5:0] number = `LOOM_NUMBER_ELITE5_REG_LINKS(reg_addr_q);
  wire [LINKS-1:0] link_hot = LINK0 << number;
  wire link_all = number == `LOOM_ELITE5_REG_ALL_LINKS;

  assign access_o[`LOOM_PORT_ACCESS_ADDR] = reg_addr_q[11:0];
  assign access_o[`LOOM_PORT_ACCESS_DATA] = reg_data_q;
  assign link_we_o = (reg_we_q && at_link) ? link_hot | {LINKS{link_all}} : {LINKS{1'b0}};
  assign link_re_o = (reg_re_q && at_link) ? link_hot : {LINKS{1'b0}};
  assign trap_pop_o = reg_re_q && reg_addr_q == `LOOM_ELITE5_REG_TRAP;
  assign bus_o = {reg_we_q, reg_re_q, reg_addr_q, reg_data_q};
  assign time_we_o = reg_we_q && reg_addr_q == `LOOM_ELITE5_REG_TIME;
  assign settings_o[`LOOM_PORT_SETTINGS_SEED_WE] = reg_we_q && reg_addr_q == `LOOM_ELITE5_REG_SEED;

  // ---- Registers --------------------------------------------------------------------------------

  reg [1:0] mode_q;
  reg activity_q;
  reg [16:0] dest_count_q;
  reg [12:0] class_count_q;
  reg [10:0] group_count_q;
  reg [13:0] expire_q;
  reg [LINKS-1:0] uplinks_q;
  reg [5:0] threshold_q;
  reg [15:0] chip_id_q;
  reg [7:0] protocol_q;
  reg [15:0] prbs_words_q;
  reg [15:0] prbs_limit_q;
  reg [15:0] timeout_q;
  reg [23:0] window_q;
  reg [23:0] window_count_q;                    // cycles of this window so far
  reg [15:0] limit_redundant_q;
  reg [15:0] limit_single_q;
  wire [16:0] dests = (reg_data_q > {13'd0, ALL_DESTS}) ? ALL_DESTS[16:0] : reg_data_q[16:0];
  wire [12:0] classes = (reg_data_q > {19'd0, ALL_CLASSES}) ? ALL_CLASSES : reg_data_q[12:0];
  wire [10:0] groups = (reg_data_q > {21'd0, ALL_GROUPS}) ? ALL_GROUPS : reg_data_q[10:0];
  wire window_we = reg_we_q && reg_addr_q == `LOOM_ELITE5_REG_WINDOW;
  // One below the window: counting on changes the bits in which it differs.
  wire [23:0] window_change = window_count_q ^ window_q;
  wire window_end = window_q == 24'd0
                    || window_change == {window_count_q[22:0] & ~window_q[22:0], 1'b1};

  always @(posedge clk_i) begin
    if (rst_i) begin
      mode_q <= 2'd0;
      activity_q <= 1'b0;
      dest_count_q <= 17'd0;
      class_count_q <= 13'd0;
      group_count_q <= 11'd0;
      expire_q <= 14'd0;
      uplinks_q <= {LINKS{1'b0}};
      threshold_q <= 6'd1;
      chip_id_q <= 16'd0;
      protocol_q <= 8'h51;
      prbs_words_q <= 16'd1024;
      prbs_limit_q <= 16'd0;
      timeout_q <= 16'd4096;
      window_q <= 24'd65536;
      limit_redundant_q <= 16'd16;
      limit_single_q <= 16'd1024;
    end else if (reg_we_q) begin
      case (reg_addr_q)
        `LOOM_ELITE5_REG_CONTROL: begin
          mode_q <= reg_data_q[`LOOM_ELITE5_REG_CONTROL_MODE];
          activity_q <= reg_data_q[`LOOM_ELITE5_REG_CONTROL_ACTIVITY];
        end
        `LOOM_ELITE5_REG_DEST_COUNT: dest_count_q <= dests;
        `LOOM_ELITE5_REG_CLASS_COUNT: class_count_q <= classes;
        `LOOM_ELITE5_REG_GROUP_COUNT: group_count_q <= groups;
        `LOOM_ELITE5_REG_EXPIRE: expire_q <= reg_data_q[`LOOM_ELITE5_REG_EXPIRE_AGE];
        `LOOM_ELITE5_REG_UPLINKS: uplinks_q <= reg_data_q[LINKS-1:0];
        `LOOM_ELITE5_REG_THRESHOLD: threshold_q <= reg_data_q[`LOOM_ELITE5_REG_THRESHOLD_PENDING];
        `LOOM_ELITE5_REG_CHIP_ID: chip_id_q <= reg_data_q[`LOOM_ELITE5_REG_CHIP_ID_CHIP];
        `LOOM_ELITE5_REG_PROTOCOL: protocol_q <= reg_data_q[`LOOM_ELITE5_REG_PROTOCOL_PROTOCOL];
        `LOOM_ELITE5_REG_PRBS_WORDS: prbs_words_q <= reg_data_q[`LOOM_ELITE5_REG_PRBS_WORDS_WORDS];
        `LOOM_ELITE5_REG_PRBS_LIMIT: prbs_limit_q <= reg_data_q[`LOOM_ELITE5_REG_PRBS_LIMIT_ERRORS];
        `LOOM_ELITE5_REG_TIMEOUT: timeout_q <= reg_data_q[`LOOM_ELITE5_REG_TIMEOUT_CYCLES];
        `LOOM_ELITE5_REG_WINDOW: window_q <= reg_data_q[`LOOM_ELITE5_REG_WINDOW_CYCLES];
        `LOOM_ELITE5_REG_LIMIT_REDUNDANT: begin
          limit_redundant_q <= reg_data_q[`LOOM_ELITE5_REG_LIMIT_REDUNDANT_ERRORS];
        end
        `LOOM_ELITE5_REG_LIMIT_SINGLE: begin
          limit_single_q <= reg_data_q[`LOOM_ELITE5_REG_LIMIT_SINGLE_ERRORS];
        end
        default: mode_q <= mode_q;
      endcase
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) window_count_q <= 24'd0;
    else window_count_q <= (window_we || window_end) ? 24'd0 : window_count_q + 24'd1;
  end

  assign settings_o[`LOOM_PORT_SETTINGS_TIME] = time_i;
  assign settings_o[`LOOM_PORT_SETTINGS_MODE] = mode_q;
  assign settings_o[`LOOM_PORT_SETTINGS_ACTIVITY] = activity_q;
  assign settings_o[`LOOM_PORT_SETTINGS_DEST_COUNT] = dest_count_q;
  assign settings_o[`LOOM_PORT_SETTINGS_CLASS_COUNT] = class_count_q;
  assign settings_o[`LOOM_PORT_SETTINGS_GROUP_COUNT] = group_count_q;
  assign settings_o[`LOOM_PORT_SETTINGS_EXPIRE] = expire_q;
  // A bit for each of 32 links, 0 for those that are not there.
  generate
    if (LINKS < 32) begin : g_pad_uplinks
      assign settings_o[`LOOM_PORT_SETTINGS_UPLINKS] = {{(32 - LINKS){1'b0}}, uplinks_q};
    end else begin : g_uplinks
      assign settings_o[`LOOM_PORT_SETTINGS_UPLINKS] = uplinks_q;
    end
  endgenerate
  assign settings_o[`LOOM_PORT_SETTINGS_THRESHOLD] = threshold_q;
  assign settings_o[`LOOM_PORT_SETTINGS_CHIP_ID] = chip_id_q;
  assign settings_o[`LOOM_PORT_SETTINGS_PROTOCOL] = protocol_q;
  assign settings_o[`LOOM_PORT_SETTINGS_PRBS_WORDS] = prbs_words_q;
  assign settings_o[`LOOM_PORT_SETTINGS_PRBS_LIMIT] = prbs_limit_q;
  assign settings_o[`LOOM_PORT_SETTINGS_TIMEOUT] = timeout_q;
  assign settings_o[`LOOM_PORT_SETTINGS_WINDOW_END] = window_end;
  assign settings_o[`LOOM_PORT_SETTINGS_LIMIT_REDUNDANT] = limit_redundant_q;
  assign settings_o[`LOOM_PORT_SETTINGS_LIMIT_SINGLE] = limit_single_q;

  // ---- Tables as the bus reads them -------------------------------------------------------------

  wire [17:0] dest = reg_addr_q[17:0];
  wire at_dest = `LOOM_IS_ELITE5_REG_DEST(reg_addr_q) && {1'b0, dest} < ALL_DESTS;
  wire dest_re = reg_re_q && at_dest && {1'b0, dest} < {2'd0, dest_count_q};
  wire [11:0] dest_word;
  wire [16:0] entry = reg_addr_q[17:1];
  wire at_mask = `LOOM_IS_ELITE5_REG_MASK(reg_addr_q) && {1'b0, entry} < ALL_ENTRIES;
  wire at_class = entry < {4'd0, ALL_CLASSES};
  wire [16:0] above = entry - {4'd0, ALL_CLASSES};
  wire shown = at_class ? entry < {4'd0, class_count_q}
                        : above[16:1] < {5'd0, group_count_q};
  wire mask_re = reg_re_q && at_mask && shown;
  wire [LINKS:0] mask_word;
  wire dest_we = reg_we_q && at_dest;
  wire mask_we = reg_we_q && at_mask;
  wire unused = &{1'b0, above[0]};

  loom_ram #(
    .DEPTH(DESTS),
    .WIDTH(12)
  ) u_dests (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(dest_we),
    .waddr_i(dest[DEST_W-1:0]),
    .wdata_i(reg_data_q[`LOOM_ELITE5_REG_DEST_CLASS]),
    .re_i(dest_re),
    .raddr_i(dest[DEST_W-1:0]),
    .rdata_o(dest_word)
  );

  loom_ram #(
    .DEPTH(TABLE),
    .WIDTH(LINKS + 1)
  ) u_masks (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(mask_we),
    .waddr_i(entry[TABLE_W-1:0]),
    .wdata_i({reg_addr_q[0], reg_data_q[LINKS-1:0]}),
    .re_i(mask_re),
    .raddr_i(entry[TABLE_W-1:0]),
    .rdata_o(mask_word)
  );

  assign access_o[`LOOM_PORT_ACCESS_DEST_WE] = dest_we;
  assign access_o[`LOOM_PORT_ACCESS_DEST] = dest[15:0];
  assign access_o[`LOOM_PORT_ACCESS_MASK_WE] = mask_we;
  assign access_o[`LOOM_PORT_ACCESS_ENTRY] = entry[12:0];
  assign access_o[`LOOM_PORT_ACCESS_ENTRY_ALL] = reg_addr_q[0];

  // ---- Reading ----------------------------------------------------------------------------------

  reg [31:0] word;
  reg [31:0] links;                             // masks in 32 bits
  reg [31:0] up;
  reg read_q;
  reg link_q;
  reg dest_q;
  reg mask_q;
  reg all_q;
  reg [LW-1:0] number_q;
  reg [31:0] word_q;
  reg rvalid_q;
  reg [31:0] rdata_q;

  always @* begin
    links = 32'd0;
    links[LINKS-1:0] = uplinks_q;
    up = 32'd0;
    up[LINKS-1:0] = up_i;
    case (reg_addr_q)
      `LOOM_ELITE5_REG_ID: word = IDENTITY;
      `LOOM_ELITE5_REG_CONTROL: word = {29'd0, activity_q, mode_q};
      `LOOM_ELITE5_REG_DEST_COUNT: word = {15'd0, dest_count_q};
      `LOOM_ELITE5_REG_CLASS_COUNT: word = {19'd0, class_count_q};
      `LOOM_ELITE5_REG_GROUP_COUNT: word = {21'd0, group_count_q};
      `LOOM_ELITE5_REG_TRAPS: word = {27'd0, trap_count_i};
      `LOOM_ELITE5_REG_TRAP: word = {trap_valid_i, trap_word_i[43:35], 1'b0, trap_word_i[34:14]};
      `LOOM_ELITE5_REG_TRAP_TS: word = {18'd0, trap_word_i[13:0]};
      `LOOM_ELITE5_REG_TIME: word = {18'd0, time_i};
      `LOOM_ELITE5_REG_EXPIRE: word = {18'd0, expire_q};
      `LOOM_ELITE5_REG_UPLINKS: word = links;
      `LOOM_ELITE5_REG_THRESHOLD: word = {26'd0, threshold_q};
      `LOOM_ELITE5_REG_CHIP_ID: word = {16'd0, chip_id_q};
      `LOOM_ELITE5_REG_PROTOCOL: word = {24'd0, protocol_q};
      `LOOM_ELITE5_REG_PRBS_WORDS: word = {16'd0, prbs_words_q};
      `LOOM_ELITE5_REG_PRBS_LIMIT: word = {16'd0, prbs_limit_q};
      `LOOM_ELITE5_REG_TIMEOUT: word = {16'd0, timeout_q};
      `LOOM_ELITE5_REG_WINDOW: word = {8'd0, window_q};
      `LOOM_ELITE5_REG_LIMIT_REDUNDANT: word = {16'd0, limit_redundant_q};
      `LOOM_ELITE5_REG_LIMIT_SINGLE: word = {16'd0, limit_single_q};
      `LOOM_ELITE5_REG_UP: word = up;
      default: word = 32'd0;
    endcase
  end

  reg [31:0] mask_shown;

  always @* begin
    mask_shown = 32'd0;
    if (all_q) mask_shown[0] = mask_word[LINKS];
    else mask_shown[LINKS-1:0] = mask_word[LINKS-1:0];
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      read_q <= 1'b0;
      link_q <= 1'b0;
      dest_q <= 1'b0;
      mask_q <= 1'b0;
      all_q <= 1'b0;
      number_q <= {LW{1'b0}};
      word_q <= 32'd0;
      rvalid_q <= 1'b0;
      rdata_q <= 32'd0;
    end else begin
      read_q <= reg_re_q;
      link_q <= link_re_o != {LINKS{1'b0}};
      dest_q <= dest_re;
      mask_q <= mask_re;
      all_q <= reg_addr_q[0];
      number_q <= number[LW-1:0];
      word_q <= reg_re_q ? word : 32'd0;
      rvalid_q <= read_q;
      if (read_q || rvalid_q) begin
        rdata_q <= link_q ? link_rdata_i[{number_q, 5'd0} +: 32] : dest_q ? {20'd0, dest_word}
                   : mask_q ? mask_shown : word_q;
      end
    end
  end

  assign reg_rvalid_o = rvalid_q;
  assign reg_rdata_o = rdata_q;

  `LOOM_ASSERT(reads_one_window, (link_re_o & -link_re_o) == link_re_o)
  `LOOM_ASSERT(data_0_without_read, reg_rvalid_o || reg_rdata_o == 32'd0)

endmodule

`default_nettype wire
