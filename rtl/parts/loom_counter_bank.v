// SPDX-License-Identifier: Apache-2.0

// loom_counter_bank: counters of packets and flits in one memory.
//
// Contract: an add or a read of an index >= DEPTH is ignored or gives 0. Counters wrap.
// Algorithm: read, add, write back; a second copy of the memory is read by software. A sum that is
//   being written while its counter is read again goes around the memory. A bit a counter says
//   whether it was ever written, so that the memory needs no reset.
// Latency: an add in cycle c is done at the end of c+1, an add every cycle to whatever counter; a
//   read in c shows in c+1.
// Wait bound: none: always ready.
// Parameters: DEPTH (counters, 2..64).
// Realises: OP-13, OP-19.
// Page: docs/parts.md, section counter_bank.
`default_nettype none
`include "loom_assert.vh"

module loom_counter_bank #(
  parameter integer DEPTH = 32
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        add_i,
  input  wire [5:0]  add_index_i,
  input  wire [11:0] add_flits_i,
  input  wire [5:0]  read_index_i,
  output wire [31:0] read_packets_o,
  output wire [31:0] read_flits_o
);

  generate
    if (DEPTH < 2 || DEPTH > 64) begin : g_bad_depth
      loom_counter_bank_DEPTH_must_be_2_to_64 u_error ();
    end
  endgenerate

  localparam integer A = $clog2(DEPTH);
  localparam [DEPTH-1:0] HOT0 = 1;

  reg [DEPTH-1:0] written_q;

  // First cycle: read. A shift by an index that does not exist gives 0.
  wire [DEPTH-1:0] add_hot = HOT0 << add_index_i;
  wire [DEPTH-1:0] read_hot = HOT0 << read_index_i;
  wire add = add_i && add_hot != {DEPTH{1'b0}};
  wire read = (written_q & read_hot) != {DEPTH{1'b0}};

  // Second cycle: add and write.
  reg add_q;
  reg [A-1:0] index_q;
  reg [11:0] flits_q;
  reg known_q;                                  // the counter was written before
  reg around_q;                                 // its value is the last sum
  reg [31:0] packets_q;                         // the last sum
  reg [31:0] sum_flits_q;
  reg read_q;
  wire [63:0] old;
  wire [63:0] shown;
  wire [31:0] packets = around_q ? packets_q : known_q ? old[63:32] : 32'd0;
  wire [31:0] flits = around_q ? sum_flits_q : known_q ? old[31:0] : 32'd0;
  wire [31:0] new_packets = packets + 32'd1;
  wire [31:0] new_flits = flits + {20'd0, flits_q};

  loom_ram #(
    .DEPTH(DEPTH),
    .WIDTH(64)
  ) u_counters (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(add_q),
    .waddr_i(index_q),
    .wdata_i({new_packets, new_flits}),
    .re_i(add),
    .raddr_i(add_index_i[A-1:0]),
    .rdata_o(old)
  );

  loom_ram #(
    .DEPTH(DEPTH),
    .WIDTH(64)
  ) u_copy (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(add_q),
    .waddr_i(index_q),
    .wdata_i({new_packets, new_flits}),
    .re_i(read),
    .raddr_i(read_index_i[A-1:0]),
    .rdata_o(shown)
  );

  always @(posedge clk_i) begin
    if (add) begin
      index_q <= add_index_i[A-1:0];
      flits_q <= add_flits_i;
    end
    if (add_q) begin
      packets_q <= new_packets;
      sum_flits_q <= new_flits;
    end
    if (rst_i) begin
      written_q <= {DEPTH{1'b0}};
      add_q <= 1'b0;
      known_q <= 1'b0;
      around_q <= 1'b0;
      read_q <= 1'b0;
    end else begin
      if (add_q) written_q <= written_q | (HOT0 << index_q);
      add_q <= add;
      known_q <= (written_q & add_hot) != {DEPTH{1'b0}};
      around_q <= add_q && index_q == add_index_i[A-1:0];
      read_q <= read;
    end
  end

  assign read_packets_o = read_q ? shown[63:32] : 32'd0;
  assign read_flits_o = read_q ? shown[31:0] : 32'd0;

  `LOOM_ASSERT(read_0_beyond_depth, read_q || {read_packets_o, read_flits_o} == 64'd0)

endmodule

`default_nettype wire
