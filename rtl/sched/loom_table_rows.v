// SPDX-License-Identifier: Apache-2.0

// loom_table_rows: which entries of a table in RAM are those of a key, a row of bits for each, and
//   which entries have a key that is active.
// Inside: loom_deficit_table, loom_two_table
//
// Contract: entry_i has come a cycle before clear_i, stays for set_i, and none of both comes in the
//   sweep, which writes the row of sweep_key_i. With clear_i key_i is the key that the entry had,
//   with set_i the one that it gets, and hit_i says whether it is active then. flip_i comes a cycle
//   after key_i was a key that turned active or idle. hit_o has a bit for each entry whose key is
//   active and whose weight is not 0, served_o the keys with an entry that has a weight; a bit of
//   it that falls stays 0 for one cycle or for 5 and more.
// Algorithm: a row stands in parts of 16 bits that are written each for itself, so that only 16
//   bits of it are picked and changed. The bit of the entry is decoded in two parts and a cycle
//   ahead, so that one of the hits takes 6 inputs.
// Latency: key_i in c with flip_i in c + 1, hit_o in c + 2; set_i in c, hit_o in c + 1, served_o in
//   c + 2.
// Wait bound: none.
// Parameters: KEYS (1..32), ENTRIES (bits of a row, 1..128).
// Realises: DT-01, IB-03.
// Page: docs/tables.md, sections The view and Table writes.
`default_nettype none
`include "loom_assert.vh"

module loom_table_rows #(
  parameter integer KEYS    = 32,
  parameter integer ENTRIES = 128
) (
  input  wire               clk_i,
  input  wire               rst_i,
  input  wire               sweeping_i,
  input  wire [4:0]         sweep_key_i,
  input  wire [4:0]         key_i,           // whose row is read
  input  wire               clear_i,
  input  wire               set_i,
  input  wire [6:0]         entry_i,
  input  wire               some_i,          // the entry gets a weight
  input  wire               hit_i,           // and its key is active
  input  wire               flip_i,
  output wire [KEYS-1:0]    served_o,
  output wire [ENTRIES-1:0] hit_o
);

  localparam integer KW = (KEYS > 1) ? $clog2(KEYS) : 1;
  localparam integer K_WORDS = (KEYS > 1) ? KEYS : 2;  // a RAM has at least two words
  localparam integer PARTS = (ENTRIES + 15) / 16;
  localparam [5:0] ALL_KEYS = KEYS[5:0];
  localparam [KEYS-1:0] ONE_KEY = {{(KEYS - 1) {1'b0}}, 1'b1};

  reg [7:0] high_q;       // the part of the entry, none in the sweep: so that it writes 0
  reg [7:0] high_set_q;   // with set_i only
  reg [15:0] low_q;
  reg [ENTRIES-1:0] flip_row_q;
  reg [ENTRIES-1:0] hit_q;
  reg [KEYS-1:0] served_q;
  reg [KEYS-1:0] written_q;
  reg [7:0] others_q;     // of the row that was written: other parts with a bit,
  reg [15:0] part_q;      // and the part

  wire we = (clear_i || set_i) && {1'b0, key_i} < ALL_KEYS;
  wire [ENTRIES-1:0] row;
  wire [127:0] row_all;
  wire [15:0] old;        // what the part of the entry has
  wire [15:0] new_part = (old & ~low_q) | (low_q & {16{set_i && some_i}});
  wire [ENTRIES-1:0] hit_d;

  genvar g;
  generate
    if (ENTRIES < 128) begin : g_pad
      assign row_all = {{(128 - ENTRIES) {1'b0}}, row};
    end else begin : g_full
      assign row_all = row;
    end
    for (g = 0; g < 16; g = g + 1) begin : g_old
      assign old[g] = |(high_q & {row_all[112+g], row_all[96+g], row_all[80+g], row_all[64+g],
                                  row_all[48+g], row_all[32+g], row_all[16+g], row_all[g]});
    end
    for (g = 0; g < PARTS; g = g + 1) begin : g_part
      localparam integer N = (ENTRIES - 16 * g < 16) ? ENTRIES - 16 * g : 16;
      loom_lut_ram #(.DEPTH(K_WORDS), .WIDTH(N)) u_row (
        .clk_i(clk_i), .we_i(sweeping_i || (we && high_q[g])),
        .waddr_i(sweeping_i ? sweep_key_i[KW-1:0] : key_i[KW-1:0]), .wdata_i(new_part[N-1:0]),
        .raddr_i(key_i[KW-1:0]), .rdata_o(row[16*g +: N])
      );
    end
    for (g = 0; g < ENTRIES; g = g + 1) begin : g_entry
      assign hit_d[g] = (high_set_q[g/16] && low_q[g%16]) ? hit_i
                        : hit_q[g] ^ (flip_i && flip_row_q[g]);
    end
  endgenerate

  integer p;
  always @(posedge clk_i) begin
    if (rst_i || sweeping_i) high_q <= 8'd0;
    else high_q <= 8'd1 << entry_i[6:4];
    high_set_q <= (rst_i || !clear_i) ? 8'd0 : high_q;
    low_q <= rst_i ? 16'd0 : 16'd1 << entry_i[3:0];
    if (rst_i) begin
      flip_row_q <= {ENTRIES{1'b0}};
      hit_q <= {ENTRIES{1'b0}};
      served_q <= {KEYS{1'b0}};
    end else begin
      flip_row_q <= row;
      hit_q <= hit_d;
      served_q <= (served_q & ~written_q) | (written_q & {KEYS{|{others_q, part_q}}});
    end
    written_q <= (rst_i || !we) ? {KEYS{1'b0}} : ONE_KEY << key_i;
    for (p = 0; p < 8; p = p + 1) begin
      if (high_q[p]) others_q[p] <= 1'b0;
      else others_q[p] <= |row_all[16*p +: 16];
    end
    part_q <= new_part;
  end

  assign served_o = served_q;
  assign hit_o = hit_q;

  wire unused = &{1'b0, sweep_key_i, high_q, high_set_q, low_q, row_all};

  `LOOM_REQUIRE(no_write_in_the_sweep, !sweeping_i || !(clear_i || set_i))
  `LOOM_REQUIRE(flip_without_write, !(flip_i && set_i))

endmodule

`default_nettype wire
