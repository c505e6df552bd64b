// SPDX-License-Identifier: Apache-2.0

// loom_event_counters: all counters of a port of a switch in RAM, to which events add and which a
//   bus reads.
//
// Contract: an event of a stream other than 0 has three cycles without one behind it. What comes
//   before ready_o is ignored. Counters wrap.
// Algorithm: two memories with a pipeline each, which reads a word of two counters, adds to both
//   and writes them back: one for stream 0, one for all others (loom_turn_counters). The bus has
//   copies of both memories. Sums take two cycles, the lower bits first. For stream 0 the halves
//   stand in LUT RAMs of their own, which are read and written in one cycle, so that no sum goes
//   around them; the bus reads the upper bits one cycle later, too.
// Latency: an event of stream 0 in cycle c shows in a read of c+2, one of another stream in one of
//   c+6 at the latest; a pulse waits up to four times the words of pulses by their turns in four
//   cycles. A read in r shows in r+2. Events of stream 0, pulses and a read in every cycle.
// Wait bound: none: always ready from 4 * 2^INDEX_W + 1 cycles after reset on.
// Parameters: STREAMS (1..4), INDEX_W (bits of an index, 2..5), PULSES (5..16, at most twice
//   2^INDEX_W).
// Realises: OP-13, OP-19.
// Page: docs/parts.md, section event_counters.
`default_nettype none

module loom_event_counters #(
  parameter integer STREAMS = 3,
  parameter integer INDEX_W = 5,
  parameter integer PULSES  = 10
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  output wire                       ready_o,
  input  wire [STREAMS-1:0]         valid_i,
  input  wire [STREAMS*INDEX_W-1:0] index_i,
  input  wire [STREAMS*12-1:0]      amount_i,
  input  wire [PULSES-1:0]          pulse_i,
  input  wire [INDEX_W+3:0]         read_addr_i,
  output wire [31:0]                read_data_o
);

  generate
    if (STREAMS < 1 || STREAMS > 4) begin : g_bad_streams
      loom_event_counters_STREAMS_must_be_1_to_4 u_error ();
    end
    if (INDEX_W < 2 || INDEX_W > 5) begin : g_bad_index_w
      loom_event_counters_INDEX_W_must_be_2_to_5 u_error ();
    end
    if (PULSES < 5 || PULSES > 16 || PULSES > 2 << INDEX_W) begin : g_bad_pulses
      loom_event_counters_PULSES_must_be_5_to_16_and_at_most_two_an_index u_error ();
    end
  endgenerate

  localparam integer I = INDEX_W;
  localparam integer N = 1 << I;

  wire [1:0] slot_q;                                        // a probe, of loom_turn_counters
  wire unused = &{1'b0, slot_q};
  wire sweeping;
  wire [I-1:0] sweep;
  wire [63:0] first;

  loom_turn_counters #(
    .STREAMS(STREAMS),
    .INDEX_W(INDEX_W),
    .PULSES(PULSES)
  ) u_others (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .ready_o(ready_o),
    .valid_i(valid_i),
    .index_i(index_i),
    .amount_i(amount_i),
    .pulse_i(pulse_i),
    .slot_o(slot_q),
    .sweeping_o(sweeping),
    .sweep_o(sweep),
    .first_i(first),
    .read_addr_i(read_addr_i),
    .read_data_o(read_data_o)
  );

  // Stream 0: the lower bits, then the upper ones.
  reg fast_we_q;
  reg fast_clear_q;
  reg [I-1:0] fast_index_q;
  reg [11:0] fast_amount_q;
  reg then_we_q;
  reg then_clear_q;
  reg [I-1:0] then_index_q;
  reg [1:0] then_carry_q;
  wire [23:0] fast_lower;
  wire [39:0] fast_upper;
  // Both halves of a word: packets and flits. {carry, packets, carry, flits}, then the upper bits.
  wire [23:0] fast_from = fast_clear_q ? 24'd0 : fast_lower;
  wire [39:0] then_from = then_clear_q ? 40'd0 : fast_upper;
  wire [25:0] fast_lower_d = {{1'b0, fast_from[23:12]} + {12'd0, !fast_clear_q},
                              {1'b0, fast_from[11:0]} + {1'b0, fast_amount_q}};
  wire [23:0] fast_lower_new = {fast_lower_d[24:13], fast_lower_d[11:0]};
  wire [39:0] fast_upper_new = {then_from[39:20] + {19'd0, then_carry_q[1]},
                                then_from[19:0] + {19'd0, then_carry_q[0]}};

  always @(posedge clk_i) begin
    fast_index_q <= ready_o ? index_i[I-1:0] : sweep;
    then_index_q <= fast_index_q;
    if (rst_i) begin
      fast_we_q <= 1'b0;
      fast_clear_q <= 1'b1;
      fast_amount_q <= 12'd0;
      then_we_q <= 1'b0;
      then_clear_q <= 1'b1;
      then_carry_q <= 2'd0;
    end else begin
      fast_we_q <= sweeping || (valid_i[0] && ready_o);
      fast_clear_q <= !ready_o;
      fast_amount_q <= ready_o ? amount_i[11:0] : 12'd0;
      then_we_q <= fast_we_q;
      then_clear_q <= fast_clear_q;
      then_carry_q <= {fast_lower_d[25], fast_lower_d[12]};
    end
  end

  loom_lut_ram #(.DEPTH(N), .WIDTH(24)) u_fast_lower (
    .clk_i(clk_i), .we_i(fast_we_q), .waddr_i(fast_index_q), .wdata_i(fast_lower_new),
    .raddr_i(fast_index_q), .rdata_o(fast_lower)
  );
  loom_lut_ram #(.DEPTH(N), .WIDTH(40)) u_fast_upper (
    .clk_i(clk_i), .we_i(then_we_q), .waddr_i(then_index_q), .wdata_i(fast_upper_new),
    .raddr_i(then_index_q), .rdata_o(fast_upper)
  );

  // The bus reads the upper bits one cycle after the lower ones.
  wire [I-1:0] number = read_addr_i[I-1:0];
  reg [I-1:0] number_q;
  reg [23:0] shown_lower_q;
  wire [23:0] shown_lower;
  wire [39:0] shown_upper;

  loom_lut_ram #(.DEPTH(N), .WIDTH(24)) u_shown_lower (
    .clk_i(clk_i), .we_i(fast_we_q), .waddr_i(fast_index_q), .wdata_i(fast_lower_new),
    .raddr_i(number), .rdata_o(shown_lower)
  );
  loom_lut_ram #(.DEPTH(N), .WIDTH(40)) u_shown_upper (
    .clk_i(clk_i), .we_i(then_we_q), .waddr_i(then_index_q), .wdata_i(fast_upper_new),
    .raddr_i(number_q), .rdata_o(shown_upper)
  );

  always @(posedge clk_i) begin
    number_q <= number;
    shown_lower_q <= shown_lower;
  end

  assign first = {shown_upper[39:20], shown_lower_q[23:12], shown_upper[19:0],
                  shown_lower_q[11:0]};

endmodule

`default_nettype wire
