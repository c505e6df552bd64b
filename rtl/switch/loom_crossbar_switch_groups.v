// SPDX-License-Identifier: Apache-2.0

// loom_crossbar_switch_groups: what the switch has once of groups of ports: their registers, what
//   leads from them to all inputs, and copies of their tables for reads.
// Inside: loom_crossbar_switch
//
// Contract: bus_*_i are the registers that port 0 sees; data_i is the data of the access of one
//   cycle ago. word_o is the answer to the access of one cycle ago, 0 if it is none of these
//   registers. A group below group_count was written.
// Algorithm: decoding, and a memory for each table.
// Latency: a write is at the ports in the next cycle.
// Wait bound: none: always ready.
// Parameters: PORTS (2..48), GROUPS (1..64), MTU_UNITS (1..512; of thresholds after reset).
// Realises: TP-02.
// Page: docs/crossbar_switch.md, section Registers; docs/port_groups.md, section Registers.
`default_nettype none
`include "loom_regs.vh"

module loom_crossbar_switch_groups #(
  parameter integer PORTS     = 36,
  parameter integer GROUPS    = 16,
  parameter integer MTU_UNITS = 32
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        bus_we_i,
  input  wire        bus_re_i,
  input  wire [19:0] bus_addr_i,
  input  wire [31:0] data_i,
  output wire [31:0] word_o,
  output wire [6:0]  count_o,
  output wire [1:0]  hash_o,
  output wire [31:0] sls_o,
  output wire [38:0] load_o,                    // three thresholds, the first one lowest
  output wire        members_we_o,
  output wire        slot_we_o,
  output wire [11:0] addr_o                     // of the members or the slot to be written
);

  generate
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_crossbar_switch_groups_PORTS_must_be_2_to_48 u_error ();
    end
    if (GROUPS < 1 || GROUPS > 64) begin : g_bad_groups
      loom_crossbar_switch_groups_GROUPS_must_be_1_to_64 u_error ();
    end
    if (MTU_UNITS < 1 || MTU_UNITS > 512) begin : g_bad_mtu_units
      loom_crossbar_switch_groups_MTU_UNITS_must_be_1_to_512 u_error ();
    end
  endgenerate

  localparam integer HALVES = (PORTS > 32) ? 2 : 1;
  localparam integer WORD_W = (PORTS > 32) ? 32 : PORTS;
  localparam integer WORDS = (HALVES * GROUPS < 2) ? 2 : HALVES * GROUPS;
  localparam integer WW = $clog2(WORDS);
  localparam integer SW = $clog2(64 * GROUPS);
  localparam [6:0] ALL_GROUPS = GROUPS[6:0];
  localparam [63:0] EVERY_PORT = ~({64{1'b1}} << PORTS);
  localparam integer LOAD1 = (MTU_UNITS > 2047) ? 8191 : 4 * MTU_UNITS;
  localparam integer LOAD2 = (MTU_UNITS > 511) ? 8191 : 16 * MTU_UNITS;

  reg [31:0] word_q;                    // what is not in a table
  reg members_re_q;
  reg slot_re_q;
  reg members_we_q;
  reg slot_we_q;
  reg [11:0] addr_q;
  reg count_we_q;
  reg hash_we_q;
  reg sls_we_q;
  reg [2:0] load_we_q;
  reg [6:0] count_q;
  reg [1:0] hash_q;
  reg [31:0] sls_q;
  reg [12:0] load0_q;
  reg [12:0] load1_q;
  reg [12:0] load2_q;

  // ---- The access -------------------------------------------------------------------------------

  wire at_count = bus_addr_i == `LOOM_SWITCH_REG_GROUP_COUNT;
  wire at_hash = bus_addr_i == `LOOM_SWITCH_REG_GROUP_HASH;
  wire at_sls = bus_addr_i == `LOOM_SWITCH_REG_GROUP_SLS;
  wire [2:0] at_load = {bus_addr_i == `LOOM_SWITCH_REG_GROUP_LOAD + 20'd2,
                        bus_addr_i == `LOOM_SWITCH_REG_GROUP_LOAD + 20'd1,
                        bus_addr_i == `LOOM_SWITCH_REG_GROUP_LOAD};
  wire at_members = `LOOM_IS_SWITCH_REG_GROUP_MEMBERS(bus_addr_i)
                    && (HALVES == 2 || !bus_addr_i[0]);
  wire at_slot = `LOOM_IS_SWITCH_REG_GROUP_SLOTS(bus_addr_i);
  wire [6:0] group = {1'b0, at_slot ? bus_addr_i[11:6] : bus_addr_i[6:1]};
  wire group_here = group < ALL_GROUPS;
  wire group_known = group < count_q;
  wire members_re = bus_re_i && at_members && group_known;
  wire slot_re = bus_re_i && at_slot && group_known;
  reg [31:0] word;

  always @* begin
    word = 32'd0;
    if (at_count) begin
      word[`LOOM_SWITCH_REG_GROUP_COUNT_COUNT] = count_q;
      word[`LOOM_SWITCH_REG_GROUP_COUNT_GROUPS] = ALL_GROUPS;
    end
    if (at_hash) word[`LOOM_SWITCH_REG_GROUP_HASH_PART] = hash_q;
    if (at_sls) word = sls_q;
    if (at_load[0]) word[`LOOM_SWITCH_REG_GROUP_LOAD_UNITS] = load0_q;
    if (at_load[1]) word[`LOOM_SWITCH_REG_GROUP_LOAD_UNITS] = load1_q;
    if (at_load[2]) word[`LOOM_SWITCH_REG_GROUP_LOAD_UNITS] = load2_q;
  end

  always @(posedge clk_i) begin
    addr_q <= bus_addr_i[11:0];
    if (rst_i) begin
      word_q <= 32'd0;
      members_re_q <= 1'b0;
      slot_re_q <= 1'b0;
      members_we_q <= 1'b0;
      slot_we_q <= 1'b0;
      count_we_q <= 1'b0;
      hash_we_q <= 1'b0;
      sls_we_q <= 1'b0;
      load_we_q <= 3'd0;
    end else begin
      word_q <= bus_re_i ? word : 32'd0;
      members_re_q <= members_re;
      slot_re_q <= slot_re;
      members_we_q <= bus_we_i && at_members && group_here;
      slot_we_q <= bus_we_i && at_slot && group_here;
      count_we_q <= bus_we_i && at_count;
      hash_we_q <= bus_we_i && at_hash;
      sls_we_q <= bus_we_i && at_sls;
      load_we_q <= bus_we_i ? at_load : 3'd0;
    end
  end

  // ---- Registers --------------------------------------------------------------------------------

  always @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= 7'd0;
      hash_q <= 2'd0;
      sls_q <= 32'hFFFF_FFFF;
      load0_q <= MTU_UNITS[12:0];
      load1_q <= LOAD1[12:0];
      load2_q <= LOAD2[12:0];
    end else begin
      if (count_we_q) begin
        count_q <= (data_i[15:0] > {9'd0, ALL_GROUPS}) ? ALL_GROUPS : data_i[6:0];
      end
      if (hash_we_q) hash_q <= data_i[`LOOM_SWITCH_REG_GROUP_HASH_PART];
      if (sls_we_q) sls_q <= data_i;
      if (load_we_q[0]) load0_q <= data_i[`LOOM_SWITCH_REG_GROUP_LOAD_UNITS];
      if (load_we_q[1]) load1_q <= data_i[`LOOM_SWITCH_REG_GROUP_LOAD_UNITS];
      if (load_we_q[2]) load2_q <= data_i[`LOOM_SWITCH_REG_GROUP_LOAD_UNITS];
    end
  end

  // ---- The tables, as the bus reads them --------------------------------------------------------

  // With 32 ports or less there are lower halves alone.
  wire [6:0] write_at = (HALVES == 2) ? addr_q[6:0] : {1'b0, addr_q[6:1]};
  wire [6:0] read_at = (HALVES == 2) ? bus_addr_i[6:0] : {1'b0, bus_addr_i[6:1]};
  wire [31:0] kept = data_i & ((HALVES == 2 && addr_q[0]) ? EVERY_PORT[63:32] : EVERY_PORT[31:0]);
  wire [WORD_W-1:0] members;
  wire [5:0] slot;
  wire unused_at = &{1'b0, addr_q, write_at, read_at, kept};

  loom_ram #(
    .DEPTH(WORDS),
    .WIDTH(WORD_W)
  ) u_members (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(members_we_q),
    .waddr_i(write_at[WW-1:0]),
    .wdata_i(kept[WORD_W-1:0]),
    .re_i(members_re),
    .raddr_i(read_at[WW-1:0]),
    .rdata_o(members)
  );

  loom_ram #(
    .DEPTH(64 * GROUPS),
    .WIDTH(6)
  ) u_slots (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(slot_we_q),
    .waddr_i(addr_q[SW-1:0]),
    .wdata_i(data_i[`LOOM_SWITCH_REG_GROUP_SLOTS_PORT]),
    .re_i(slot_re),
    .raddr_i(bus_addr_i[SW-1:0]),
    .rdata_o(slot)
  );

  assign word_o = members_re_q ? {{(32 - WORD_W){1'b0}}, members}
                  : slot_re_q ? {26'd0, slot} : word_q;
  assign count_o = count_q;
  assign hash_o = hash_q;
  assign sls_o = sls_q;
  assign load_o = {load2_q, load1_q, load0_q};
  assign members_we_o = members_we_q;
  assign slot_we_o = slot_we_q;
  assign addr_o = addr_q;

endmodule

`default_nettype wire
