// SPDX-License-Identifier: Apache-2.0

// relations_event_counters: what holds between the registers of circuit and twin, in every cycle;
// for two streams and as many words of pulses as these have turns, so that a word has its turn in
// every fourth cycle.
// The twin adds at once what the circuit adds in two halves, and has all counters at 0 from the
// start, while the circuit sweeps.
`default_nettype none

module relations_event_counters #(
  parameter integer STREAMS = 3,
  parameter integer INDEX_W = 5,
  parameter integer PULSES  = 10
) (
  input  wire [INDEX_W+2:0]            u_others_sweep_q,
  input  wire                          u_others_ready_q,
  input  wire [1:0]                    u_others_slot_q,
  input  wire                          fast_we_q,
  input  wire                          fast_clear_q,
  input  wire [INDEX_W-1:0]            fast_index_q,
  input  wire [11:0]                   fast_amount_q,
  input  wire                          then_we_q,
  input  wire                          then_clear_q,
  input  wire [INDEX_W-1:0]            then_index_q,
  input  wire [1:0]                    then_carry_q,
  input  wire                          u_others_g_turn_g_stream_held_q,
  input  wire                          u_others_g_turn_g_stream_turn_q,
  input  wire [INDEX_W-1:0]            u_others_g_turn_g_stream_index_q,
  input  wire [11:0]                   u_others_g_turn_g_stream_amount_q,
  input  wire [INDEX_W-1:0]            u_others_pulse_word_q,
  input  wire [(PULSES+1)/2-1:0]       u_others_pulse_hot_q,
  input  wire [3*PULSES-1:0]           u_others_g_short_g_pulse_short_q,
  input  wire                          u_others_turn_q,
  input  wire [INDEX_W+1:0]            u_others_turn_word_q,
  input  wire                          u_others_we_q,
  input  wire [INDEX_W+1:0]            u_others_word_q,
  input  wire [25:0]                   u_others_lower_q,
  input  wire [39:0]                   u_others_upper_q,
  input  wire                          u_others_of_first_q,
  input  wire                          u_others_high_q,
  input  wire                          u_others_known_q,
  input  wire [INDEX_W-1:0]            number_q,
  input  wire [23:0]                   shown_lower_q,
  input  wire [(24<<INDEX_W)-1:0]      u_fast_lower_lut_mem,
  input  wire [(40<<INDEX_W)-1:0]      u_fast_upper_lut_mem,
  input  wire [(24<<INDEX_W)-1:0]      u_shown_lower_lut_mem,
  input  wire [(40<<INDEX_W)-1:0]      u_shown_upper_lut_mem,
  input  wire [(256<<INDEX_W)-1:0]     u_others_u_others_mem,
  input  wire [63:0]                   u_others_u_others_rdata_q,
  input  wire [(256<<INDEX_W)-1:0]     u_others_u_shown_others_mem,
  input  wire [63:0]                   u_others_u_shown_others_rdata_q,
  input  wire [31:0]                   twin_sweep,
  input  wire [31:0]                   twin_slot,
  input  wire [31:0]                   twin_word,
  input  wire [31:0]                   twin_waiting,
  input  wire [31:0]                   twin_holds,
  input  wire [7:0]                    twin_ready,
  input  wire [7:0]                    twin_rests,
  input  wire [7:0]                    twin_fast_valid,
  input  wire [15:0]                   twin_fast_at,
  input  wire [15:0]                   twin_fast_amount,
  input  wire [7:0]                    twin_taken_valid,
  input  wire [15:0]                   twin_taken_at,
  input  wire [15:0]                   twin_taken_amount,
  input  wire [7:0]                    twin_taken_pulses_valid,
  input  wire [7:0]                    twin_taken_pulses_word,
  input  wire [7:0]                    twin_taken_pulses_even,
  input  wire [7:0]                    twin_taken_pulses_odd,
  input  wire [4*8-1:0]                twin_held_valid,
  input  wire [4*16-1:0]               twin_held_at,
  input  wire [4*16-1:0]               twin_held_amount,
  input  wire [16*8-1:0]               twin_counted,
  input  wire [2*32-1:0]               twin_read,
  input  wire [272*32-1:0]             twin_count,
  output wire                          sweep_o,
  output wire                          calm_o,
  output wire                          turns_o,
  output wire                          fast_o,
  output wire                          held_o,
  output wire                          shorts_o,
  output wire                          lower_o,
  output wire                          upper_o,
  output wire                          others_o,
  output wire                          copy_o,
  output wire                          look_o,
  output wire                          adding_o,
  output wire                          read_o,
  output wire                          rest_o
);

  // In u_others, by their own names.
  wire [INDEX_W+2:0] sweep_q = u_others_sweep_q;
  wire ready_q = u_others_ready_q;
  wire [1:0] slot_q = u_others_slot_q;
  wire g_turn_g_stream_held_q = u_others_g_turn_g_stream_held_q;
  wire g_turn_g_stream_turn_q = u_others_g_turn_g_stream_turn_q;
  wire [INDEX_W-1:0] g_turn_g_stream_index_q = u_others_g_turn_g_stream_index_q;
  wire [11:0] g_turn_g_stream_amount_q = u_others_g_turn_g_stream_amount_q;
  wire [INDEX_W-1:0] pulse_word_q = u_others_pulse_word_q;
  wire [(PULSES+1)/2-1:0] pulse_hot_q = u_others_pulse_hot_q;
  wire [3*PULSES-1:0] g_short_g_pulse_short_q = u_others_g_short_g_pulse_short_q;
  wire turn_q = u_others_turn_q;
  wire [INDEX_W+1:0] turn_word_q = u_others_turn_word_q;
  wire we_q = u_others_we_q;
  wire [INDEX_W+1:0] word_q = u_others_word_q;
  wire [25:0] lower_q = u_others_lower_q;
  wire [39:0] upper_q = u_others_upper_q;
  wire of_fast_q = u_others_of_first_q;
  wire high_q = u_others_high_q;
  wire known_q = u_others_known_q;
  wire [(256<<INDEX_W)-1:0] u_others_mem = u_others_u_others_mem;
  wire [63:0] u_others_rdata_q = u_others_u_others_rdata_q;
  wire [(256<<INDEX_W)-1:0] u_shown_others_mem = u_others_u_shown_others_mem;
  wire [63:0] u_shown_others_rdata_q = u_others_u_shown_others_rdata_q;

  localparam integer N = 1 << INDEX_W;
  localparam integer WORDS = (PULSES + 1) / 2;
  localparam integer A = INDEX_W + 2;

  wire [31:0] sweep = {{(31 - A) {1'b0}}, sweep_q};
  wire first = sweep == 32'd0;                  // the first cycle: what has no reset is anything
  wire of_pulses = slot_q != 2'd0;
  wire [31:0] word = of_pulses ? {30'd0, slot_q} - 32'd1 : 32'd0;
  wire [1:0] before = slot_q - 2'd1;

  assign sweep_o = twin_sweep == sweep + {31'd0, ready_q} && twin_ready == {7'd0, ready_q}
                   && sweep <= 4 * N && (!ready_q || sweep == 4 * N) && (!turn_q || ready_q);

  // Of the sweep, before the first event; nothing waits in the first cycle after it.
  assign calm_o = (turn_q || (twin_waiting == 32'd0 && twin_holds == 32'd0)) && (ready_q
                  || (fast_clear_q && then_clear_q && fast_we_q == !first && we_q == !first
                      && then_we_q == (sweep > 32'd1) && lower_q == 26'd0 && upper_q == 40'd0
                      && (first || (fast_index_q == sweep_q[INDEX_W-1:0] - 1'b1
                                    && word_q == sweep_q[A-1:0] - 1'b1))
                      && (!then_we_q || then_index_q == sweep_q[INDEX_W-1:0] - 2'd2)
                      && twin_count == {272 * 32{1'b0}} && twin_fast_valid == 8'd0
                      && twin_taken_valid == 8'd0 && twin_taken_pulses_valid == 8'd0
                      && twin_waiting == 32'd0 && twin_holds == 32'd0));

  assign turns_o = twin_slot == {30'd0, slot_q} && twin_word == word
                   && pulse_word_q == ((slot_q == 2'd3) ? 32'd0 : {30'd0, slot_q})
                   && pulse_hot_q == ((of_pulses && !first) ? 32'd1 << word : 32'd0)
                   && (first || g_turn_g_stream_turn_q == !of_pulses)
                   && (first || turn_word_q == (of_pulses ? 3 * N + word
                                                          : {{(32 - INDEX_W) {1'b0}},
                                                             g_turn_g_stream_index_q}));

  assign fast_o = twin_fast_valid == {7'd0, fast_we_q && !fast_clear_q}
                  && (twin_fast_valid == 8'd0
                      || (twin_fast_at == fast_index_q && twin_fast_amount == fast_amount_q))
                  && (!fast_clear_q || (fast_amount_q == 12'd0 && (!ready_q || !fast_we_q)))
                  && (!then_clear_q || then_carry_q == 2'd0)
                  && (twin_rests == 8'd0
                      || (twin_fast_valid | twin_taken_valid | twin_taken_pulses_valid) == 8'd0)
                  && twin_rests[7:1] == 7'd0;

  assign held_o = twin_holds == {30'd0, g_turn_g_stream_held_q, 1'b0}
                  && (!g_turn_g_stream_held_q
                      || (twin_held_valid[8+:8] == 8'd1
                          && twin_held_at[16+:16] == 2 * N + g_turn_g_stream_index_q
                          && twin_held_amount[16+:16] == g_turn_g_stream_amount_q));

  reg [PULSES-1:0] shorts;
  reg [2:0] short;
  reg [1:0] since;
  integer p;
  always @* begin
    for (p = 0; p < PULSES; p = p + 1) begin
      short = g_short_g_pulse_short_q[3*p +: 3];
      since = slot_q - 2'd2 - p / 2;            // cycles since the turn of its word, less one
      shorts[p] = twin_counted[8*p +: 8] == {5'd0, short} && twin_waiting[p] == (short != 3'd0)
                  && short <= {1'b0, since} + 3'd1;
    end
  end
  assign shorts_o = &shorts;

  reg [N-1:0] lower;
  reg [N-1:0] upper;
  reg [4*N-1:0] others;
  reg [4*N-1:0] copies;
  reg [63:0] counter;
  reg [39:0] up;
  reg [63:0] looked;
  reg [63:0] pending;
  reg [39:0] seen;
  integer k;
  always @* begin
    looked = 64'd0;
    pending = 64'd0;
    seen = 40'd0;
    for (k = 0; k < N; k = k + 1) begin
      counter = {twin_count[32*(N+k) +: 32], twin_count[32*k +: 32]};
      up = (then_we_q && then_index_q == k && then_clear_q) ? 40'd0
                                                            : u_fast_upper_lut_mem[40*k +: 40];
      if (then_we_q && then_index_q == k)
        up = {up[39:20] + {19'd0, then_carry_q[1]}, up[19:0] + {19'd0, then_carry_q[0]}};
      lower[k] = !(ready_q || sweep > k + 1)
                 || (u_fast_lower_lut_mem[24*k +: 24] == {counter[43:32], counter[11:0]}
                     && u_shown_lower_lut_mem[24*k +: 24] == {counter[43:32], counter[11:0]});
      upper[k] = (!(ready_q || sweep > k + 1) || up == {counter[63:44], counter[31:12]})
                 && (!(ready_q || sweep > k + 2) || (then_we_q && then_index_q == k && then_clear_q)
                     || u_fast_upper_lut_mem[40*k +: 40] == u_shown_upper_lut_mem[40*k +: 40]);
      if (number_q == k) seen = u_shown_upper_lut_mem[40*k +: 40];
    end
    for (k = 0; k < 4 * N; k = k + 1) begin
      if (k >= 3 * N + WORDS) counter = 64'd0;
      else if (k >= 3 * N) counter = {twin_count[32*(8*N+2*(k-3*N)+1) +: 32],
                                      twin_count[32*(8*N+2*(k-3*N)) +: 32]};
      else counter = {twin_count[32*(2*N*(1+k/N)+N+k%N) +: 32],
                      twin_count[32*(2*N*(1+k/N)+k%N) +: 32]};
      others[k] = !(ready_q || sweep > k + 1) || u_others_mem[64*k +: 64] == counter;
      copies[k] = !(ready_q || sweep > k + 1) || u_shown_others_mem[64*k +: 64] == counter;
      if (turn_word_q == k) looked = counter;
      if (word_q == k) pending = counter;
    end
  end
  assign lower_o = &lower;
  assign upper_o = &upper;
  assign others_o = &others;
  assign copy_o = &copies;
  assign look_o = !turn_q || u_others_rdata_q == looked;

  // What is on its way into the second memory.
  wire [31:0] more = (twin_taken_valid != 8'd0) ? {16'd0, twin_taken_amount}
                     : (twin_taken_pulses_valid != 8'd0) ? {24'd0, twin_taken_pulses_even} : 32'd0;
  wire [31:0] more_high = (twin_taken_valid != 8'd0) ? 32'd1
                          : (twin_taken_pulses_valid != 8'd0) ? {24'd0, twin_taken_pulses_odd}
                          : 32'd0;
  wire [31:0] word_before = (before != 2'd0) ? 3 * N + {30'd0, before} - 32'd1
                                             : {{(32 - INDEX_W) {1'b0}}, word_q[INDEX_W-1:0]};
  assign adding_o = !ready_q
                    || ((!we_q || (word_q == word_before
                                   && lower_q[25:13] == {1'b0, pending[43:32]} + more_high[12:0]
                                   && lower_q[12:0] == {1'b0, pending[11:0]} + more[12:0]
                                   && upper_q == {pending[63:44], pending[31:12]}))
                        && (twin_taken_valid == 8'd0
                            || (we_q && twin_taken_valid == 8'd1 && before == 2'd0
                                && more < 32'd4096 && twin_taken_at == 2 * N + word_q[INDEX_W-1:0]))
                        && (twin_taken_pulses_valid == 8'd0
                            || (we_q && twin_taken_pulses_valid == 8'd1 && before != 2'd0
                                && more < 32'd8 && more_high < 32'd8
                                && twin_taken_pulses_word == {30'd0, before} - 32'd1)));

  // Places in the twin that no counter has.
  assign rest_o = twin_count[32*4*N +: 32*4*N] == {32 * 4 * N{1'b0}}
                  && twin_count[272*32-1:32*(8*N+PULSES)] == {32 * (272 - 8 * N - PULSES) {1'b0}};

  wire [63:0] shown = of_fast_q ? {seen[39:20], shown_lower_q[23:12],
                                   seen[19:0], shown_lower_q[11:0]} : u_shown_others_rdata_q;
  assign read_o = twin_read[31:0] == (!known_q ? 32'd0
                                       : high_q ? shown[63:32] : shown[31:0]);

endmodule

`default_nettype wire
