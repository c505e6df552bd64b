// SPDX-License-Identifier: Apache-2.0

// loom_table_search: the next entry of a table in RAM that has a packet to send, searched ahead of
//   need.
// Inside: loom_two_table
//
// Contract: the scheduler around it holds the registers search_i and front_valid_i (they are its
//   probes) and loads them from search_o and front_valid_o. It reads the table at found_o and gives
//   the word in entry_i. hit_i changes after cycles with restart_i only. With drop_i, which comes
//   with restart_i only, the front is dropped and the search begins after ptr_i, the position of
//   the table, which a pop makes that of the front.
// Algorithm: groups of 16 entries: the rest of the group, then the next group that has a hit.
// Latency: from an empty front to the next: 5 cycles; if one was found ahead, the next cycle.
// Wait bound: a front is found 5 cycles after the last restart, if there is a hit.
// Parameters: ENTRIES (1..128), WIDTH (bits of an entry, at least 1).
// Realises: DT-02, IB-03.
// Page: docs/tables.md, section The search.
`default_nettype none
`include "loom_assert.vh"

module loom_table_search #(
  parameter integer ENTRIES = 128,
  parameter integer WIDTH   = 13
) (
  input  wire               clk_i,
  input  wire               rst_i,
  input  wire [ENTRIES-1:0] hit_i,
  input  wire               restart_i,
  input  wire               drop_i,
  input  wire [6:0]         ptr_i,
  input  wire               pop_i,
  output wire               any_o,          // hit_i of the last cycle had a bit
  output wire [6:0]         found_o,
  input  wire [WIDTH-1:0]   entry_i,
  input  wire [2:0]         search_i,
  output reg  [2:0]         search_o,
  input  wire               front_valid_i,
  output wire               front_valid_o,
  output wire [6:0]         front_entry_o,  // the front: its position and its word
  output reg  [WIDTH-1:0]   front_q_o
);

  localparam [2:0] REST = 3'd0;
  localparam [2:0] GROUP = 3'd1;
  localparam [2:0] BITS = 3'd2;
  localparam [2:0] ENTRY = 3'd3;
  localparam [2:0] READ = 3'd4;

  localparam integer GW = (ENTRIES > 32) ? $clog2(ENTRIES) - 4 : 1;
  localparam integer GROUPS = 1 << GW;
  localparam integer PW = GW + 4;  // bits of a position
  localparam [31:0] LAST = ENTRIES - 1;
  localparam [GROUPS-1:0] BUT_FIRST = {{(GROUPS - 1) {1'b1}}, 1'b0};

  reg [PW-1:0] from_q;
  reg [GROUPS-1:0] any_q;      // groups with a hit
  reg [GW-1:0] next_group_q;   // the group with a hit that comes next, its own last
  reg [15:0] bits_q;           // hits after from_q in its group, then those of the group
  reg [GW-1:0] group_q;
  reg [PW-1:0] found_q;
  reg [PW-1:0] front_entry_q;

  wire [16*GROUPS-1:0] padded;
  wire [GROUPS-1:0] any;
  genvar g;
  generate
    for (g = 0; g < 16 * GROUPS; g = g + 1) begin : g_bit
      if (g < ENTRIES) begin : g_entry
        assign padded[g] = hit_i[g];
      end else begin : g_none
        assign padded[g] = 1'b0;
      end
    end
    for (g = 0; g < GROUPS; g = g + 1) begin : g_group
      assign any[g] = |padded[16*g+:16];
    end
  endgenerate

  wire [GW-1:0] look = (search_i == GROUP) ? from_q[PW-1:4] : next_group_q;
  wire [15:0] window = padded[{look, 4'd0}+:16];
  wire [15:0] after = 16'hFFFE << from_q[3:0];
  wire [GROUPS-1:0] groups_after = any_q & (BUT_FIRST << from_q[PW-1:4]);
  wire [GROUPS-1:0] groups = |groups_after ? groups_after : any_q;
  reg [GW-1:0] first_group;
  reg [3:0] first_bit;
  integer n;
  always @* begin
    first_group = {GW{1'b0}};
    for (n = GROUPS - 1; n >= 0; n = n - 1) if (groups[n]) first_group = n[GW-1:0];
    first_bit = 4'd0;
    for (n = 15; n >= 0; n = n - 1) if (bits_q[n]) first_bit = n[3:0];
  end

  wire load = search_i == READ && (!front_valid_i || pop_i);
  assign front_valid_o = restart_i ? front_valid_i && !pop_i && !drop_i
                         : load || (front_valid_i && !pop_i);
  always @* begin
    search_o = search_i;
    if (restart_i) search_o = REST;
    else begin
      case (search_i)
        REST: search_o = GROUP;
        GROUP: if (|any_q) search_o = BITS;
        BITS: search_o = ENTRY;
        ENTRY: search_o = READ;
        default: if (load) search_o = GROUP;
      endcase
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      from_q <= LAST[PW-1:0];
      any_q <= {GROUPS{1'b0}};
      next_group_q <= {GW{1'b0}};
      bits_q <= 16'd0;
      group_q <= {GW{1'b0}};
      found_q <= {PW{1'b0}};
      front_entry_q <= {PW{1'b0}};
      front_q_o <= {WIDTH{1'b0}};
    end else begin
      any_q <= any;
      if (search_i == GROUP) begin
        bits_q <= window & after;
        group_q <= from_q[PW-1:4];
        next_group_q <= first_group;
      end else if (search_i == BITS && bits_q == 16'd0) begin
        bits_q <= window;
        group_q <= next_group_q;
      end
      if (search_i == ENTRY) found_q <= {group_q, first_bit};
      if (load) begin
        front_entry_q <= found_q;
        front_q_o <= entry_i;
      end
      // from_q is the position of the front while there is one, so a pop leaves it where it is
      if (drop_i && !pop_i) from_q <= ptr_i[PW-1:0];
      else if (load && !restart_i) from_q <= found_q;
    end
  end

  assign any_o = |any_q;
  assign found_o = {{(7 - PW) {1'b0}}, found_q};
  assign front_entry_o = {{(7 - PW) {1'b0}}, front_entry_q};

  wire unused = &{1'b0, ptr_i};

  `LOOM_REQUIRE(drops_at_restart, !drop_i || restart_i)
  `LOOM_REQUIRE(pops_what_is_there, !pop_i || front_valid_i)

endmodule

`default_nettype wire
