// SPDX-License-Identifier: Apache-2.0

// loom_port_group: one port of a group of ports for each packet, by its destination, its flow or
//   the load of the ports.
//
// Contract: head_i, vl_i and data_i are the link itself; found_* answers in the cycle after a head,
//   and a port that is known there exists. A head names no group below count_i, and by that below
//   GROUPS, whose slots and members were never written. known_o and port_o are functions of
//   registers; port_o exists, and is 0 while it is not known.
// Algorithm: a choice in four stages, which keeps nothing from packet to packet. Indexes of slots
//   come from the head while the forwarding table is read; members and slot are read at what it
//   says. Three classes of load are tried at once, each as members that are not above a threshold;
//   of the best class the ports from that of the slot on go before the others, and of these the
//   lowest is taken. So each flow keeps to its slot while that is as good as the others.
// Latency: a head of cycle c is answered in c + 4, its pulses are there in c + 5. A head and a
//   write of each table in every cycle; a lookup that meets a write reads what was there before.
// Wait bound: none: always ready.
// Parameters: PORTS (2..48), GROUPS (1..64).
// Realises: TP-02: the emptiest link of a trunk for each packet.
// Page: docs/port_groups.md, section port_group.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_port_group #(
  parameter integer PORTS  = 8,
  parameter integer GROUPS = 16
) (
  input  wire               clk_i,
  input  wire               rst_i,

  // The link, and what the forwarding table says of it one cycle later.
  input  wire               head_i,
  input  wire [4:0]         vl_i,
  input  wire [63:0]        data_i,
  input  wire               found_known_i,
  input  wire [1:0]         found_mode_i,
  input  wire [5:0]         found_out_i,

  // What the switch tells all its inputs.
  input  wire [PORTS*3-1:0] above_i,            // of each port, bit k: it is above threshold k
  input  wire [6:0]         count_i,
  input  wire [1:0]         hash_i,
  input  wire [31:0]        sls_i,
  input  wire               members_we_i,
  input  wire [6:0]         members_addr_i,
  input  wire [31:0]        members_data_i,
  input  wire               slot_we_i,
  input  wire [11:0]        slot_addr_i,
  input  wire [5:0]         slot_data_i,

  // The answer, and what was counted of it.
  output wire               known_o,
  output wire [5:0]         port_o,
  output wire               free_o,
  output wire               turned_o,
  output wire               crowded_o
);

  generate
    if (PORTS < 2 || PORTS > 48) begin : g_bad_ports
      loom_port_group_PORTS_must_be_2_to_48 u_error ();
    end
    if (GROUPS < 1 || GROUPS > 64) begin : g_bad_groups
      loom_port_group_GROUPS_must_be_1_to_64 u_error ();
    end
  endgenerate

  localparam integer WORDS = (GROUPS < 2) ? 2 : GROUPS;     // a memory has two at least
  localparam integer GW    = $clog2(WORDS);
  localparam integer SW    = $clog2(64 * GROUPS);
  localparam integer LOW   = (PORTS < 32) ? PORTS : 32;     // members of the lower half
  localparam [6:0] ALL_PORTS  = PORTS[6:0];
  localparam [6:0] ALL_GROUPS = GROUPS[6:0];
  localparam [PORTS-1:0] NONE = {PORTS{1'b0}};

  // Row r of the matrix: which bits of 4 bytes (first bit in time at 31) end up in bit r of their
  //   CRC. These are the last 32 columns of the one in loom_crc16.
  function [16*32-1:0] matrix;
    input start;
    reg [15:0] c;
    integer r;
    integer j;
    begin
      c = 16'h1021;                             // what the last bit in time leaves behind
      matrix = {(16*32){start}};
      for (j = 0; j < 32; j = j + 1) begin
        for (r = 0; r < 16; r = r + 1) matrix[r*32 + j] = c[r];
        c = {c[14:0], 1'b0} ^ (c[15] ? 16'h1021 : 16'd0);
      end
    end
  endfunction

  localparam [16*32-1:0] MATRIX = matrix(1'b0);

  // The lowest of four bits that is set, by the lower three of them; 3 if none of these is.
  function [1:0] lowest_4;
    input [2:0] some;
    lowest_4 = {!some[0] && !some[1], !some[0] && (some[1] || !some[2])};
  endfunction

  // The same of 16 bits, by 15.
  function [3:0] lowest_16;
    input [14:0] some;
    reg [1:0] part;
    begin
      part = lowest_4({|some[11:8], |some[7:4], |some[3:0]});
      case (part)
        2'd0: lowest_16 = {part, lowest_4(some[2:0])};
        2'd1: lowest_16 = {part, lowest_4(some[6:4])};
        2'd2: lowest_16 = {part, lowest_4(some[10:8])};
        default: lowest_16 = {part, lowest_4(some[14:12])};
      endcase
    end
  endfunction

  // The same of 48, by 47: of the thirds at once, so that one of three answers is left to take.
  function [5:0] lowest_48;
    input [46:0] some;
    begin
      if (some[15:0] != 16'd0) lowest_48 = {2'd0, lowest_16(some[14:0])};
      else if (some[31:16] != 16'd0) lowest_48 = {2'd1, lowest_16(some[30:16])};
      else lowest_48 = {2'd2, lowest_16(some[46:32])};
    end
  endfunction

  reg a_valid_q;
  reg a_loose_q;                                // may go by load
  reg [5:0] a_by_lid_q;
  reg [5:0] a_by_flow_q;

  reg b_valid_q;
  reg b_grouped_q;
  reg b_loose_q;                                // is to go by load
  reg [5:0] b_port_q;

  reg d_valid_q;
  reg d_choose_q;
  reg [5:0] d_port_q;                           // by table or slot, also where load chooses
  reg [PORTS-1:0] d_set_q;
  reg d_full_q;                                 // all members are above the last threshold

  reg e_valid_q;
  reg e_choose_q;
  reg [5:0] e_port_q;
  reg [PORTS-1:0] e_set_q;
  reg e_full_q;

  reg free_q;
  reg turned_q;
  reg crowded_q;

  `LOOM_REQUIRE(known_port_exists, !(a_valid_q && found_known_i) || found_mode_i != 2'd0
                                   || {1'b0, found_out_i} < ALL_PORTS)
  `LOOM_REQUIRE(known_group_exists, !(a_valid_q && found_known_i && found_mode_i != 2'd0)
                                    || {1'b0, found_out_i} >= count_i
                                    || {1'b0, found_out_i} < ALL_GROUPS)

  // ---- Indexes of slots -------------------------------------------------------------------------

  wire [4:0] sc = data_i[`LOOM_HEAD_SC];
  wire [15:0] dest = data_i[`LOOM_HEAD_DEST];
  wire [15:0] src = data_i[`LOOM_HEAD_SRC];
  wire alone = !data_i[`LOOM_HEAD_AFTER] && !data_i[`LOOM_HEAD_MORE];
  wire [31:0] mixed = {~src, dest};             // the CRC begins with ones
  wire [15:0] crc;
  reg [5:0] by_flow;
  wire unused_head = &{1'b0, data_i[`LOOM_HEAD_LEN], data_i[`LOOM_HEAD_ID]};

  generate
    genvar r;
    for (r = 0; r < 16; r = r + 1) begin : g_row
      assign crc[r] = ^(mixed & MATRIX[r*32 +: 32]);
    end
  endgenerate

  always @* begin
    case (hash_i)
      2'd1: by_flow = crc[10:5];
      2'd2: by_flow = crc[15:10];
      default: by_flow = crc[5:0];
    endcase
  end

  always @(posedge clk_i) begin
    if (rst_i || !head_i) begin
      a_valid_q <= 1'b0;
      a_loose_q <= 1'b0;
      a_by_lid_q <= 6'd0;
      a_by_flow_q <= 6'd0;
    end else begin
      a_valid_q <= 1'b1;
      a_loose_q <= sls_i[sc] && vl_i != 5'd15 && alone;
      a_by_lid_q <= dest[5:0] ^ dest[11:6] ^ {2'd0, dest[15:12]};
      a_by_flow_q <= by_flow;
    end
  end

  // ---- Tables -----------------------------------------------------------------------------------

  wire grouped = found_mode_i != 2'd0;
  wire group_here = {1'b0, found_out_i} < ALL_GROUPS;
  wire look = a_valid_q && group_here;
  wire [11:0] slot_at = {found_out_i, (found_mode_i == 2'd1) ? a_by_lid_q : a_by_flow_q};
  wire slot_here = {1'b0, slot_addr_i[11:6]} < ALL_GROUPS;
  wire members_here = {1'b0, members_addr_i[6:1]} < ALL_GROUPS;
  wire [5:0] slot;
  wire [PORTS-1:0] members;
  wire unused_slot = &{1'b0, slot_at, slot_addr_i};
  wire unused_members = &{1'b0, members_addr_i, members_data_i};

  loom_ram #(
    .DEPTH(64 * GROUPS),
    .WIDTH(6)
  ) u_slots (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(slot_we_i && slot_here),
    .waddr_i(slot_addr_i[SW-1:0]),
    .wdata_i(slot_data_i),
    .re_i(look),
    .raddr_i(slot_at[SW-1:0]),
    .rdata_o(slot)
  );

  loom_ram #(
    .DEPTH(WORDS),
    .WIDTH(LOW)
  ) u_low_members (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(members_we_i && members_here && !members_addr_i[0]),
    .waddr_i(members_addr_i[GW:1]),
    .wdata_i(members_data_i[LOW-1:0]),
    .re_i(look),
    .raddr_i(found_out_i[GW-1:0]),
    .rdata_o(members[LOW-1:0])
  );

  generate
    if (PORTS > 32) begin : g_high
      loom_ram #(
        .DEPTH(WORDS),
        .WIDTH(PORTS - 32)
      ) u_members (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(members_we_i && members_here && members_addr_i[0]),
        .waddr_i(members_addr_i[GW:1]),
        .wdata_i(members_data_i[PORTS-33:0]),
        .re_i(look),
        .raddr_i(found_out_i[GW-1:0]),
        .rdata_o(members[PORTS-1:32])
      );
    end
  endgenerate

  wire ok = a_valid_q && found_known_i && (!grouped || {1'b0, found_out_i} < count_i);

  always @(posedge clk_i) begin
    if (rst_i || !ok) begin
      b_valid_q <= 1'b0;
      b_grouped_q <= 1'b0;
      b_loose_q <= 1'b0;
      b_port_q <= 6'd0;
    end else begin
      b_valid_q <= 1'b1;
      b_grouped_q <= grouped;
      b_loose_q <= a_loose_q && found_mode_i == 2'd3;
      b_port_q <= grouped ? 6'd0 : found_out_i;
    end
  end

  // ---- The best of the members ------------------------------------------------------------------

  wire [3*PORTS-1:0] above;                     // of all ports, threshold by threshold

  generate
    genvar p;
    for (p = 0; p < PORTS; p = p + 1) begin : g_port
      assign above[p] = above_i[3*p];
      assign above[PORTS+p] = above_i[3*p+1];
      assign above[2*PORTS+p] = above_i[3*p+2];
    end
  endgenerate

  // Is there a member that is not above the threshold?
  wire below_0 = (members & ~above[0 +: PORTS]) != NONE;
  wire below_1 = (members & ~above[PORTS +: PORTS]) != NONE;
  wire below_2 = (members & ~above[2*PORTS +: PORTS]) != NONE;
  wire [PORTS-1:0] worse = ({PORTS{below_0}} & above[0 +: PORTS])
                           | ({PORTS{!below_0 && below_1}} & above[PORTS +: PORTS])
                           | ({PORTS{!below_0 && !below_1 && below_2}} & above[2*PORTS +: PORTS]);
  wire choose = b_loose_q && members != NONE;
  wire [5:0] named = b_grouped_q ? slot : b_port_q;
  wire goes = choose || (b_valid_q && {1'b0, named} < ALL_PORTS);

  always @(posedge clk_i) begin
    if (rst_i || !goes) begin
      d_valid_q <= 1'b0;
      d_choose_q <= 1'b0;
      d_port_q <= 6'd0;
      d_set_q <= NONE;
      d_full_q <= 1'b0;
    end else begin
      d_valid_q <= 1'b1;
      d_choose_q <= choose;
      d_port_q <= named;
      d_set_q <= members & ~worse & {PORTS{b_loose_q}};
      d_full_q <= choose && !below_2;
    end
  end

  // ---- Those of them from the port of the slot on -----------------------------------------------

  wire [63:0] from_here = {64{1'b1}} << d_port_q;
  wire [PORTS-1:0] ahead = d_set_q & from_here[PORTS-1:0];
  wire unused_from_here = &{1'b0, from_here};

  always @(posedge clk_i) begin
    if (rst_i) begin
      e_valid_q <= 1'b0;
      e_choose_q <= 1'b0;
      e_port_q <= 6'd0;
      e_set_q <= NONE;
      e_full_q <= 1'b0;
    end else begin
      e_valid_q <= d_valid_q;
      e_choose_q <= d_choose_q;
      e_port_q <= d_port_q;
      e_set_q <= (ahead != NONE) ? ahead : d_set_q;
      e_full_q <= d_full_q;
    end
  end

  // ---- The answer -------------------------------------------------------------------------------

  wire [63:0] set = {{(64 - PORTS) {1'b0}}, e_set_q};
  wire [5:0] port = e_choose_q ? lowest_48(set[46:0]) : e_port_q;

  // The lowest port of the set is that of the slot if and only if that is in the set: what is ahead
  // begins no sooner, and of a set that is all behind it is no part.
  always @(posedge clk_i) begin
    if (rst_i) begin
      free_q <= 1'b0;
      turned_q <= 1'b0;
      crowded_q <= 1'b0;
    end else begin
      free_q <= e_choose_q;
      turned_q <= e_choose_q && !set[e_port_q];
      crowded_q <= e_full_q;
    end
  end

  assign known_o = e_valid_q;
  assign port_o = port;
  assign free_o = free_q;
  assign turned_o = turned_q;
  assign crowded_o = crowded_q;

  `LOOM_ASSERT(port_exists_while_known, !known_o || {1'b0, port_o} < ALL_PORTS)
  `LOOM_ASSERT(port_0_while_not_known, known_o || port_o == 6'd0)
  `LOOM_ASSERT(choice_of_a_member, !e_choose_q || set[port_o])
  `LOOM_ASSERT(set_only_with_a_choice, e_choose_q == (e_set_q != NONE))
  `LOOM_ASSERT(choice_is_known, e_valid_q || !e_choose_q)
  `LOOM_ASSERT(full_only_with_a_choice, d_choose_q || !d_full_q)
  `LOOM_ASSERT(turned_and_crowded_are_free, free_o || !(turned_o || crowded_o))

endmodule

`default_nettype wire
