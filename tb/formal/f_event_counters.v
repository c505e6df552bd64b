// SPDX-License-Identifier: Apache-2.0

// loom_event_counters: any one counter against an account of its events. What a read shows is
// what the page says was taken by then, in every cycle; a counter whose events came long enough
// ago shows them all, and shows none that did not come. `all_q` counts the events of that
// counter, whatever their turn, so that a wrong idea of turns that page and account share would
// be seen by it. The counter is one of BANK: 0 is the fast stream, 1 and 2 are the others, 4 the
// pulses.
`include "props.vh"
`default_nettype none
module f_event_counters #(
  parameter STREAMS = 3,
  parameter INDEX_W = 2,
  parameter PULSES  = 5,
  parameter BANK    = 0
) (
  input wire                       clk_i,
  input wire [STREAMS-1:0]         valid_i,
  input wire [STREAMS*INDEX_W-1:0] index_i,
  input wire [STREAMS*12-1:0]      amount_i,
  input wire [PULSES-1:0]          pulse_i,
  input wire [INDEX_W+3:0]         read_addr_i
);
  localparam N = 1 << INDEX_W;
  localparam WORDS = (PULSES + 1) / 2;
  localparam TURNS = 5 - STREAMS;
  localparam D = 4 * ((WORDS + TURNS - 1) / TURNS);
  `RESET_ONCE

  wire ready;
  wire [31:0] data;
  loom_event_counters #(.STREAMS(STREAMS), .INDEX_W(INDEX_W), .PULSES(PULSES)) u_dut (
    .clk_i(clk_i), .rst_i(rst), .ready_o(ready), .valid_i(valid_i), .index_i(index_i),
    .amount_i(amount_i), .pulse_i(pulse_i), .read_addr_i(read_addr_i), .read_data_o(data)
  );

  // The counter.
  wire [INDEX_W:0] which_number = $anyconst;
  wire [2:0] bank = BANK;
  wire [INDEX_W+3:0] which = {bank, which_number};
  wire [INDEX_W:0] number = which[INDEX_W:0];
  wire packets = which[INDEX_W];
  wire [INDEX_W-1:0] index = which[INDEX_W-1:0];
  wire of_pulse = bank == 4 && number < PULSES;
  wire of_stream = bank < STREAMS;

  // The cycle, turns, and the words of pulses.
  reg [7:0] cycle_q;
  reg [INDEX_W-1:0] word_q;
  wire [1:0] slot = cycle_q[1:0];
  wire pulses_turn = slot >= STREAMS - 1;
  wire is_ready = cycle_q > 4 * N;

  // Its events of this cycle, and what is taken.
  reg [12:0] add;
  reg [12:0] pending_q;
  reg [12:0] taken;
  reg take;
  integer i;
  always @* begin
    add = 13'd0;
    for (i = 0; i < STREAMS; i = i + 1) begin
      if (bank == i && valid_i[i] && index_i[i*INDEX_W +: INDEX_W] == index)
        add = packets ? 13'd1 : {1'b0, amount_i[i*12 +: 12]};
    end
    for (i = 0; i < PULSES; i = i + 1) if (of_pulse && number == i && pulse_i[i]) add = 13'd1;
    if (!is_ready) add = 13'd0;
    take = of_pulse ? pulses_turn && word_q == number >> 1 : slot == bank[1:0] - 2'd1;
    taken = bank == 0 ? add : take ? pending_q : 13'd0;
  end

  reg [12:0] written_q;              // taken in the last cycle
  reg [31:0] value_q;                // taken in the cycles before
  reg [31:0] all_q;                  // all that came before this cycle
  reg [4:0] since_q;                 // cycles since an event
  reg hit_q, hits_q, rest_q, rests_q;
  reg [31:0] shows_q, show_q, alls_q, all_shows_q;
  reg [STREAMS*2-1:0] since_event_q; // of each stream, up to 3
  reg big_q;
  always @(posedge clk_i) begin
    cycle_q <= rst ? 8'd0 : cycle_q + 8'd1;
    if (rst) word_q <= 0;
    else if (pulses_turn) word_q <= word_q == WORDS - 1 ? 0 : word_q + 1;
    pending_q <= rst || bank == 0 ? 13'd0 : of_pulse ? (take ? 13'd0 : pending_q) + add
                 : add != 0 ? add : take ? 13'd0 : pending_q;
    written_q <= rst ? 13'd0 : taken;
    value_q <= rst ? 32'd0 : value_q + written_q;
    all_q <= rst ? 32'd0 : all_q + add;
    since_q <= rst || add != 0 ? 5'd1 : since_q == 5'd31 ? 5'd31 : since_q + 5'd1;
    hit_q <= !rst && read_addr_i == which;
    hits_q <= !rst && hit_q;
    shows_q <= is_ready && (of_stream || of_pulse) ? value_q : 32'd0;
    show_q <= shows_q;
    rest_q <= is_ready && since_q >= (bank == 0 ? 2 : of_pulse ? D + 2 : 6);
    rests_q <= rest_q;
    alls_q <= of_stream || of_pulse ? all_q : 32'd0;
    all_shows_q <= alls_q;
    for (i = 0; i < STREAMS; i = i + 1)
      since_event_q[2*i +: 2] <= rst ? 2'd3 : valid_i[i] ? 2'd0
                                 : since_event_q[2*i +: 2] == 2'd3 ? 2'd3
                                 : since_event_q[2*i +: 2] + 2'd1;
    big_q <= !rst && (big_q || bank == 0 && value_q[31:12] != 0);
  end

  always @* begin
    for (i = 1; i < STREAMS; i = i + 1)
      assume(!valid_i[i] || since_event_q[2*i +: 2] == 2'd3 || !live_q);
    if (live_q) begin
      `PROVE(ready == is_ready);
      `PROVE(!hits_q || data == show_q);
      `PROVE(!hits_q || !rests_q || data == all_shows_q);
      if (BANK == 0) begin
        `COVER(hits_q && packets && data == 3);
        `COVER(hits_q && big_q && data[31:12] != 0);
      end else if (BANK == 4) begin
        `COVER(hits_q && number == 4 && data == 6);
      end else begin
        `COVER(hits_q && data > 4096);
        `COVER(hits_q && data != all_shows_q);
      end
    end
  end
endmodule
`default_nettype wire
