// SPDX-License-Identifier: Apache-2.0

// loom_port_group: any head, answered by the words of any one group and any one slot of it. What
// the page finds in steps is said here of the port that came out: which members would have been
// better, or as good and nearer. The index of a flow is that of the part crc16. Heads that look at
// other words go by, in any number, and so do writes.
`include "props.vh"
`default_nettype none
module f_port_group #(
  parameter PORTS  = 4,
  parameter GROUPS = 1
) (
  input wire               clk_i,
  input wire               head_i,
  input wire [4:0]         vl_i,
  input wire [63:0]        data_i,
  input wire               found_known_i,
  input wire [1:0]         found_mode_i,
  input wire [5:0]         found_out_i,
  input wire [PORTS*3-1:0] above_i,
  input wire [6:0]         count_i,
  input wire [1:0]         hash_i,
  input wire [31:0]        sls_i,
  input wire               members_we_i,
  input wire [6:0]         members_addr_i,
  input wire [31:0]        members_data_i,
  input wire               slot_we_i,
  input wire [11:0]        slot_addr_i,
  input wire [5:0]         slot_data_i
);
  localparam WORDS = GROUPS < 2 ? 2 : GROUPS;
  `RESET_ONCE

  wire known, free, turned, crowded;
  wire [5:0] port;
  loom_port_group #(.PORTS(PORTS), .GROUPS(GROUPS)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .head_i(head_i), .vl_i(vl_i), .data_i(data_i),
    .found_known_i(found_known_i), .found_mode_i(found_mode_i), .found_out_i(found_out_i),
    .above_i(above_i), .count_i(count_i), .hash_i(hash_i), .sls_i(sls_i),
    .members_we_i(members_we_i), .members_addr_i(members_addr_i),
    .members_data_i(members_data_i), .slot_we_i(slot_we_i), .slot_addr_i(slot_addr_i),
    .slot_data_i(slot_data_i), .known_o(known), .port_o(port), .free_o(free),
    .turned_o(turned), .crowded_o(crowded)
  );

  wire [15:0] crc;
  loom_crc16 u_crc (
    .clk_i(clk_i), .rst_i(rst), .init_i(1'b1), .valid_i(1'b1), .bytes_i(4'd4),
    .data_i({data_i[30:15], data_i[46:31], 32'd0}), .crc_o(crc)
  );

  // The words that are watched, and what stands in the memories.
  wire [5:0] group = $anyconst;
  wire [5:0] index = $anyconst;
  reg [1:0] halves_q;                            // of the members, which were written
  reg slot_written_q;
  reg [63:0] both_q;                             // these halves
  wire [PORTS-1:0] members = both_q[PORTS-1:0];
  wire [63:0] of_halves = {{32{halves_q[1]}}, {32{halves_q[0]}}};
  wire members_written = halves_q[0] && (PORTS <= 32 || halves_q[1]);
  reg [5:0] slot_q;
  wire [64*GROUPS-1:0] bit0, bit1, bit2, bit3, bit4, bit5;  // of all slots
  wire [WORDS*PORTS-1:0] word;                              // of all members
  wire [11:0] place = {group, index};
  wire [5:0] slot_there = {bit5[place], bit4[place], bit3[place], bit2[place], bit1[place],
                           bit0[place]};

  always @(posedge clk_i) begin
    if (rst) halves_q <= 2'd0;
    if (members_we_i && members_addr_i[6:1] == group) begin
      halves_q[members_addr_i[0]] <= 1'b1;
      both_q[32*members_addr_i[0] +: 32] <= members_data_i;
    end
    if (slot_we_i && slot_addr_i == place) begin
      slot_written_q <= 1'b1;
      slot_q <= slot_data_i;
    end else if (rst) slot_written_q <= 1'b0;
  end

  // The head of the last cycle.
  reg valid1_q, loose1_q;
  reg [1:0] hash1_q;
  reg [15:0] dest1_q;
  wire [31:0] turned_crc = {crc, crc} >> (hash1_q == 3 ? 0 : 5 * hash1_q);
  wire [5:0] by_lid = dest1_q[5:0] ^ dest1_q[11:6] ^ {2'd0, dest1_q[15:12]};
  wire [5:0] looked = found_mode_i == 1 ? by_lid : turned_crc[5:0];
  wire ok = valid1_q && found_known_i && (found_mode_i == 0 || found_out_i < count_i);
  wire hit = found_out_i == group && looked == index && members_written && slot_written_q;

  // That of two cycles ago: it goes by a table's word (`sure`), by what is watched, or by others.
  reg valid2_q, grouped2_q, loose2_q, sure2_q;
  reg [5:0] port2_q;
  reg [PORTS-1:0] members2_q;

  // Those of three, four and five cycles ago, with what was above the thresholds when the members
  // of the one of three were looked at.
  reg valid3_q, sure3_q, choose3_q, full3_q, valid4_q, sure4_q, choose4_q, full4_q;
  reg sure5_q, choose5_q, full5_q, turned5_q;
  reg [5:0] port3_q, port4_q;
  reg [PORTS-1:0] members3_q, members4_q;
  reg [PORTS*3-1:0] above3_q, above4_q;
  wire choose = loose2_q && members2_q != 0;
  reg full;
  integer i;
  always @* begin
    full = choose;
    for (i = 0; i < PORTS; i = i + 1) if (members2_q[i] && !above_i[3*i+2]) full = 1'b0;
  end

  always @(posedge clk_i) begin
    valid1_q <= head_i && !rst;
    loose1_q <= sls_i[data_i[63:59]] && vl_i != 15 && data_i[14:13] == 0;
    hash1_q <= hash_i;
    dest1_q <= data_i[46:31];
    valid2_q <= ok && !rst;
    grouped2_q <= found_mode_i != 0;
    loose2_q <= ok && loose1_q && found_mode_i == 3;
    sure2_q <= rst || !ok || found_mode_i == 0 || hit;
    port2_q <= found_mode_i == 0 ? found_out_i : slot_q;
    members2_q <= found_mode_i == 0 ? {PORTS{1'b0}} : members;
    valid3_q <= valid2_q && (choose || port2_q < PORTS) && !rst;
    sure3_q <= sure2_q || rst;
    choose3_q <= valid2_q && choose && !rst;
    full3_q <= valid2_q && full && !rst;
    port3_q <= port2_q;
    members3_q <= members2_q;
    above3_q <= above_i;
    valid4_q <= valid3_q && !rst;
    sure4_q <= sure3_q || rst;
    choose4_q <= choose3_q && !rst;
    full4_q <= full3_q && !rst;
    port4_q <= port3_q;
    members4_q <= members3_q;
    above4_q <= above3_q;
    sure5_q <= sure4_q || rst;
    choose5_q <= choose4_q && !rst;
    full5_q <= full4_q && !rst;
    turned5_q <= choose4_q && port != port4_q && !rst;
  end

  // The class of a port: the first threshold that it is not above.
  function [1:0] class;
    input [2:0] above;
    class = !above[0] ? 2'd0 : !above[1] ? 2'd1 : !above[2] ? 2'd2 : 2'd3;
  endfunction

  // From the port of the slot on: how far a port is away.
  function [6:0] away;
    input [5:0] at;
    input [5:0] from;
    away = {at < from, at};
  endfunction

  wire [3*64-1:0] above4 = {{(3*(64 - PORTS)){1'b0}}, above4_q};
  wire [63:0] members4 = {{(64 - PORTS){1'b0}}, members4_q};
  wire [1:0] class4 = class(above4[3*port +: 3]);
  reg better;                                   // a member is in a lower class
  reg nearer;                                   // a member of this class comes before
  always @* begin
    better = 1'b0;
    nearer = 1'b0;
    for (i = 0; i < PORTS; i = i + 1) if (members4_q[i]) begin
      if (class(above4_q[3*i +: 3]) < class4) better = 1'b1;
      if (class(above4_q[3*i +: 3]) == class4 && away(i, port4_q) < away(port, port4_q))
        nearer = 1'b1;
    end
  end

  always @* begin
    assume(group < GROUPS);
    // The duties of the user.
    assume(!valid1_q || !found_known_i || found_mode_i != 0 || found_out_i < PORTS);
    assume(!valid1_q || !found_known_i || found_mode_i == 0 || found_out_i >= count_i
           || found_out_i < GROUPS);
    if (live_q) begin
      `PROVE(!slot_written_q || slot_there == slot_q);
      `PROVE(((word[PORTS*group +: PORTS] ^ members) & of_halves[PORTS-1:0]) == 0);
      `PROVE(known ? port < PORTS : port == 0);
      if (sure4_q) begin
        `PROVE(known == valid4_q);
        `PROVE(!known || choose4_q || port == port4_q);
        `PROVE(!choose4_q || members4[port]);
        `PROVE(!choose4_q || !better);
        `PROVE(!choose4_q || !nearer);
      end
      if (sure5_q) begin
        `PROVE(free == choose5_q);
        `PROVE(turned == turned5_q);
        `PROVE(crowded == full5_q);
      end
      `COVER(sure4_q && choose4_q && class4 == 1 && port < port4_q && port4_q < PORTS);
      `COVER(sure4_q && choose4_q && class4 == 3 && port > port4_q);
      `COVER(sure4_q && choose4_q && class4 == 2 && port4_q >= PORTS);
      `COVER(sure4_q && known && !choose4_q && members4_q != 0 && !members4[port]);
      `COVER(sure4_q && !known && port4_q == PORTS && index == 38);
      `COVER(sure5_q && crowded && !turned && known && port == PORTS - 1);
    end
  end
endmodule
`default_nettype wire
