// SPDX-License-Identifier: Apache-2.0

// relations_counter_bank: what holds between the registers of circuit and twin, in every cycle.
// A counter that was not written is 0 in the twin and anything in the memories.
`default_nettype none

module relations_counter_bank #(
  parameter integer DEPTH = 32
) (
  input  wire                     add_q,
  input  wire [$clog2(DEPTH)-1:0] index_q,
  input  wire [11:0]              flits_q,
  input  wire [DEPTH-1:0]         written_q,
  input  wire                     known_q,
  input  wire                     around_q,
  input  wire [31:0]              packets_q,
  input  wire [31:0]              sum_flits_q,
  input  wire                     read_q,
  input  wire [DEPTH*64-1:0]      u_counters_mem,
  input  wire [63:0]              u_counters_rdata_q,
  input  wire [DEPTH*64-1:0]      u_copy_mem,
  input  wire [63:0]              u_copy_rdata_q,
  input  wire [7:0]               twin_add,
  input  wire [7:0]               twin_index,
  input  wire [15:0]              twin_flits,
  input  wire [31:0]              twin_read_packets,
  input  wire [31:0]              twin_read_flits,
  input  wire [64*32-1:0]         twin_counter_packets,
  input  wire [64*32-1:0]         twin_counter_flits,
  output wire                     add_o,
  output wire                     counters_o,
  output wire                     copy_o,
  output wire                     read_o,
  output wire                     old_o
);

  reg [DEPTH-1:0] same;
  reg [DEPTH-1:0] same_copy;
  reg [63:0] counter;
  reg [63:0] chosen;
  integer k;

  always @* begin
    chosen = 64'd0;
    for (k = 0; k < DEPTH; k = k + 1) begin
      counter = {twin_counter_packets[32*k +: 32], twin_counter_flits[32*k +: 32]};
      same[k] = counter == (written_q[k] ? u_counters_mem[64*k +: 64] : 64'd0);
      same_copy[k] = !written_q[k] || counter == u_copy_mem[64*k +: 64];
      if (k == index_q) chosen = counter;
    end
  end

  assign add_o = twin_add == {7'd0, add_q}
                 && (!add_q || twin_index == index_q && twin_flits == flits_q && index_q < DEPTH);
  assign counters_o = &same;
  assign copy_o = &same_copy;
  assign read_o = {twin_read_packets, twin_read_flits} == (read_q ? u_copy_rdata_q : 64'd0);
  wire [63:0] read_before = known_q ? u_counters_rdata_q : 64'd0;
  assign old_o = !add_q || chosen == (around_q ? {packets_q, sum_flits_q} : read_before);

endmodule

`default_nettype wire
