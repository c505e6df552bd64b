// SPDX-License-Identifier: Apache-2.0

// loom_turn_counters: counters in RAM that get their turns, to which events and pulses add and
//   which a bus reads: all of loom_event_counters but stream 0.
// Inside: loom_event_counters, loom_crosspoint_router
//
// Contract: that of loom_event_counters, for streams from 1 on and pulses; stream 0 is not looked
//   at. slot_o is the turn of this cycle. sweep_o is the word that is cleared after reset,
//   sweeping_o says that one is. first_i is the word of stream 0 that is named by the address of
//   the last cycle.
// Algorithm: a memory with a pipeline, which reads a word of two counters, adds to both and writes
//   them back in fixed turns, so that nothing can be lost and no word is wanted while its sum is on
//   its way. Pulses are gathered in short counters until their turn. The bus has a copy of the
//   memory. Sums take two cycles, the lower bits first, as a carry through all of them would be too
//   slow. A word is read before its turn, so that it is written as a whole.
// Latency: an event in cycle c shows in a read of c+6 at the latest; a pulse waits up to four times
//   the words of pulses by their turns in four cycles. A read in r shows in r+2.
// Wait bound: none: always ready from 4 * 2^INDEX_W + 1 cycles after reset on.
// Parameters: STREAMS (1..4), INDEX_W (bits of an index, 2..5), PULSES (5..16, at most twice
//   2^INDEX_W).
// Realises: OP-13, OP-19.
// Page: docs/parts.md, section event_counters.
`default_nettype none
`include "loom_assert.vh"

module loom_turn_counters #(
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
  output wire [1:0]                 slot_o,
  output wire                       sweeping_o,
  output wire [INDEX_W-1:0]         sweep_o,
  input  wire [63:0]                first_i,
  input  wire [INDEX_W+3:0]         read_addr_i,
  output wire [31:0]                read_data_o
);

  localparam integer I = INDEX_W;
  localparam integer N = 1 << I;
  localparam integer A = I + 2;                             // an address of the second memory
  localparam integer WORDS = (PULSES + 1) / 2;
  localparam integer TURNS = 5 - STREAMS;                   // of the pulses, in four cycles
  localparam integer S = $clog2(4 * ((WORDS + TURNS - 1) / TURNS) + 1);  // bits of a short counter
  localparam integer LAST_WORD_I = WORDS - 1;
  localparam [I-1:0] LAST_WORD = LAST_WORD_I[I-1:0];
  localparam integer SLOW = STREAMS - 1;
  localparam [I+1:0] PULSES_C = PULSES[I+1:0];
  localparam [2:0] STREAMS_C = STREAMS[2:0];
  localparam [I-1:0] ZERO_I = 0;
  localparam [I-1:0] ONE_I = 1;
  localparam [I-1:0] WORD_1 = (STREAMS == 1) ? ONE_I : ZERO_I;  // the word of pulses in cycle 1
  localparam [A:0] ONE_A = 1;

  // Both halves of a word: 12 lower bits of packets and of flits; 20 upper ones.
  function [25:0] lower;                                    // {carry, packets}, {carry, flits}
    input [23:0] a;
    input [23:0] b;
    lower = {{1'b0, a[23:12]} + {1'b0, b[23:12]}, {1'b0, a[11:0]} + {1'b0, b[11:0]}};
  endfunction

  function [39:0] upper;
    input [39:0] old;
    input [1:0] carry;
    upper = {old[39:20] + {19'd0, carry[1]}, old[19:0] + {19'd0, carry[0]}};
  endfunction

  // The sweep after reset, and the turns.
  reg [A:0] sweep_q;
  reg ready_q;
  reg [1:0] slot_q;
  wire sweeping = !sweep_q[A];
  wire unused = &{1'b0, valid_i[0], index_i[I-1:0], amount_i[11:0]};
  wire [1:0] next_slot = slot_q + 2'd1;

  always @(posedge clk_i) begin
    if (rst_i) begin
      sweep_q <= {(A + 1){1'b0}};
      ready_q <= 1'b0;
      slot_q <= 2'd0;
    end else begin
      if (sweeping) sweep_q <= sweep_q + ONE_A;
      ready_q <= !sweeping;
      slot_q <= next_slot;
    end
  end

  // The other streams: an event is held until its turn.
  wire [3:0] next_hot = 4'd1 << next_slot;
  wire [3:0] held;
  wire [47:0] held_amount;                                  // 0 but in their turn
  wire [4*I-1:0] held_index;                                // in the next cycle; likewise
  generate
    genvar s;
    for (s = 0; s < 4; s = s + 1) begin : g_turn
      if (s < SLOW) begin : g_stream
        reg held_q;
        reg [I-1:0] index_q;
        reg [11:0] amount_q;
        wire [I-1:0] index = valid_i[s+1] ? index_i[(s+1)*I +: I] : index_q;
        reg turn_q;
        always @(posedge clk_i) begin
          turn_q <= next_hot[s] && !rst_i;
          if (rst_i) held_q <= 1'b0;
          else held_q <= (valid_i[s+1] && ready_q) || (held_q && !turn_q);
          index_q <= index;
          if (valid_i[s+1]) amount_q <= amount_i[(s+1)*12 +: 12];
        end
        assign held[s] = held_q && turn_q;
        assign held_amount[s*12 +: 12] = turn_q ? amount_q : 12'd0;
        assign held_index[s*I +: I] = next_hot[s] ? index : ZERO_I;
        `LOOM_REQUIRE(no_event_while_one_is_held, !(valid_i[s+1] && held_q && !turn_q))
      end else begin : g_pulses
        assign held[s] = 1'b0;
        assign held_amount[s*12 +: 12] = 12'd0;
        assign held_index[s*I +: I] = ZERO_I;
      end
    end
  endgenerate

  // Whose turn is next: its word is read. `pulse_word_q` is the word of pulses in the next cycle.
  reg [I-1:0] pulse_word_q;
  reg [WORDS-1:0] pulse_hot_q;                              // the word of pulses whose turn it is
  wire next_pulse = next_hot[3] || (next_hot[2] && SLOW < 3) || (next_hot[1] && SLOW < 2)
                    || (next_hot[0] && SLOW < 1);
  wire [I-1:0] next_index = held_index[0 +: I] | held_index[I +: I] | held_index[2*I +: I]
                            | held_index[3*I +: I];
  wire [A-1:0] next_word = next_pulse ? {2'd3, pulse_word_q} : {next_slot, next_index};
  integer w;

  always @(posedge clk_i) begin
    if (rst_i) begin
      pulse_word_q <= WORD_1;
      pulse_hot_q <= {WORDS{1'b0}};
    end else begin
      if (next_pulse) pulse_word_q <= (pulse_word_q == LAST_WORD) ? ZERO_I : pulse_word_q + ONE_I;
      for (w = 0; w < WORDS; w = w + 1)
        pulse_hot_q[w] <= next_pulse && pulse_word_q == w[I-1:0];
    end
  end

  // Pulses: a short counter goes on from 0 when its word has its turn.
  wire [2*WORDS*S-1:0] shorts;
  generate
    genvar p;
    for (p = 0; p < 2 * WORDS; p = p + 1) begin : g_short
      if (p < PULSES) begin : g_pulse
        reg [S-1:0] short_q;
        reg [S-1:0] flip;
        integer b;
        always @* begin
          flip[0] = pulse_i[p];
          for (b = 1; b < S; b = b + 1) flip[b] = flip[b-1] && short_q[b-1];
        end
        always @(posedge clk_i) begin
          if (rst_i || !ready_q) short_q <= {S{1'b0}};
          else if (pulse_hot_q[p/2]) short_q <= {{(S - 1){1'b0}}, pulse_i[p]};
          else short_q <= short_q ^ flip;
        end
        assign shorts[p*S +: S] = short_q;
        `LOOM_ASSERT(short_counter_holds_all,
                     pulse_hot_q[p/2] || !(pulse_i[p] && short_q == {S{1'b1}}))
      end else begin : g_none
        assign shorts[p*S +: S] = {S{1'b0}};
      end
    end
  endgenerate

  // What is added in this turn.
  reg [2*S-1:0] short;
  reg [11:0] more;
  integer k;
  always @* begin
    short = {(2*S){1'b0}};
    for (k = 0; k < WORDS; k = k + 1)
      short = short | ({(2*S){pulse_hot_q[k]}} & shorts[2*k*S +: 2*S]);
    more = {{(12 - S){1'b0}}, short[S-1:0]};
    for (k = 0; k < 4; k = k + 1) more = more | held_amount[k*12 +: 12];
  end

  // The second memory. In the sweep the registers stay 0, and are what is written.
  reg turn_q;
  reg [A-1:0] turn_word_q;
  reg we_q;
  reg [A-1:0] word_q;
  reg [25:0] lower_q;
  reg [39:0] upper_q;
  wire [63:0] word_read;
  wire [39:0] upper_new = upper(upper_q, {lower_q[25], lower_q[12]});
  wire [63:0] word_new = {upper_new[39:20], lower_q[24:13], upper_new[19:0], lower_q[11:0]};

  always @(posedge clk_i) begin
    turn_word_q <= next_word;
    word_q <= ready_q ? turn_word_q : sweep_q[A-1:0];
    if (rst_i) begin
      turn_q <= 1'b0;
      we_q <= 1'b0;
    end else begin
      turn_q <= ready_q;
      we_q <= sweeping || (turn_q && (pulse_hot_q != {WORDS{1'b0}} || held != 4'd0));
    end
    if (rst_i || !ready_q) begin
      lower_q <= 26'd0;
      upper_q <= 40'd0;
    end else begin
      lower_q <= lower({word_read[43:32], word_read[11:0]},
                       {{(12 - S){1'b0}}, short[2*S-1:S+1], short[S] || held != 4'd0, more});
      upper_q <= {word_read[63:44], word_read[31:12]};
    end
  end

  loom_apart_ram #(.DEPTH(4 * N), .WIDTH(64)) u_others (
    .clk_i(clk_i), .rst_i(rst_i), .we_i(we_q), .waddr_i(word_q), .wdata_i(word_new),
    .re_i(ready_q), .raddr_i(next_word), .rdata_o(word_read)
  );

  // The bus.
  wire [2:0] bank = read_addr_i[I+3:I+1];
  wire [I:0] number = read_addr_i[I:0];
  wire of_pulse = bank == 3'd4;
  wire [1:0] slow_bank = bank[1:0] - 2'd1;
  wire [A-1:0] read_word = of_pulse ? {2'd3, number[I:1]} : {slow_bank, number[I-1:0]};
  reg of_first_q;
  reg high_q;
  reg known_q;
  reg [31:0] data_q;
  wire [63:0] shown_others;
  wire [63:0] shown = of_first_q ? first_i : shown_others;

  loom_ram #(.DEPTH(4 * N), .WIDTH(64)) u_shown_others (
    .clk_i(clk_i), .rst_i(rst_i), .we_i(we_q), .waddr_i(word_q), .wdata_i(word_new),
    .re_i(1'b1), .raddr_i(read_word), .rdata_o(shown_others)
  );

  always @(posedge clk_i) begin
    of_first_q <= bank == 3'd0;
    high_q <= of_pulse ? number[0] : number[I];
    known_q <= !rst_i && ready_q && (of_pulse ? {1'b0, number} < PULSES_C : bank < STREAMS_C);
    if (rst_i || !known_q) data_q <= 32'd0;
    else data_q <= high_q ? shown[63:32] : shown[31:0];
  end

  assign ready_o = ready_q;
  assign slot_o = slot_q;
  assign sweeping_o = sweeping;
  assign sweep_o = sweep_q[I-1:0];
  assign read_data_o = data_q;

endmodule

`default_nettype wire
