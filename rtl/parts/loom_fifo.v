// SPDX-License-Identifier: Apache-2.0

// loom_fifo: first-in first-out queue with its head in view.
//
// Contract: push_i counts only with ready_o, pop_i only with valid_o. All outputs are functions of
//   the state.
// Algorithm: a ring in one loom_ram. The RAM answers a cycle late: the word after the head is read
//   at the pop, and an item that becomes the head as it arrives is kept in a bypass register.
// Latency: an item pushed into an empty queue is the head in the next cycle. A push and a pop every
//   cycle.
// Wait bound: an item leaves with the count_o-th pop after its push (OP-06's order inside a queue).
// Parameters: DEPTH (items, 1..4096), WIDTH (bits, 1..64).
// Realises: OP-05, OP-06: queues of cells; probe count.
// Page: docs/parts.md, section fifo.
`default_nettype none
`include "loom_assert.vh"

module loom_fifo #(
  parameter integer DEPTH = 16,
  parameter integer WIDTH = 64
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  input  wire                       push_i,
  input  wire [WIDTH-1:0]           data_i,
  input  wire                       pop_i,
  output wire                       valid_o,
  output wire [WIDTH-1:0]           data_o,
  output wire                       ready_o,
  output wire [$clog2(DEPTH+1)-1:0] count_o
);

  generate
    if (DEPTH < 1 || DEPTH > 4096) begin : g_bad_depth
      loom_fifo_DEPTH_must_be_1_to_4096 u_error ();
    end
    if (WIDTH < 1 || WIDTH > 64) begin : g_bad_width
      loom_fifo_WIDTH_must_be_1_to_64 u_error ();
    end
  endgenerate

  localparam integer C = $clog2(DEPTH + 1);
  localparam integer WORDS = (DEPTH < 2) ? 2 : DEPTH;
  localparam integer A = $clog2(WORDS);
  localparam [C-1:0] FULL = DEPTH[C-1:0];
  localparam integer LAST_I = DEPTH - 1;
  localparam [A-1:0] LAST = LAST_I[A-1:0];
  localparam [A-1:0] ONE_A = 1;
  localparam [C-1:0] ONE_C = 1;

  reg [C-1:0] count_q;
  reg [A-1:0] wptr_q;
  reg [A-1:0] rptr_q;
  reg bypass_q;
  reg [WIDTH-1:0] bypass_data_q;

  wire valid = count_q != {C{1'b0}};
  wire ready = count_q != FULL;
  wire push = push_i && ready;
  wire pop = pop_i && valid;
  wire single = count_q == ONE_C;
  wire [A-1:0] rptr_inc = (rptr_q == LAST) ? {A{1'b0}} : rptr_q + ONE_A;
  wire [A-1:0] wptr_inc = (wptr_q == LAST) ? {A{1'b0}} : wptr_q + ONE_A;

  // The item that arrives becomes the head when nothing else stays.
  wire arrives_as_head = push && (!valid || (single && pop));
  wire [WIDTH-1:0] rdata;

  loom_ram #(
    .DEPTH(WORDS),
    .WIDTH(WIDTH)
  ) u_ram (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(push),
    .waddr_i(wptr_q),
    .wdata_i(data_i),
    .re_i(pop && !single),
    .raddr_i(rptr_inc),
    .rdata_o(rdata)
  );

  always @(posedge clk_i) begin
    if (arrives_as_head) bypass_data_q <= data_i;
    if (rst_i) begin
      count_q <= {C{1'b0}};
      wptr_q <= {A{1'b0}};
      rptr_q <= {A{1'b0}};
      bypass_q <= 1'b0;
    end else begin
      if (push != pop) count_q <= push ? count_q + ONE_C : count_q - ONE_C;
      if (push) wptr_q <= wptr_inc;
      if (pop) rptr_q <= rptr_inc;
      if (arrives_as_head) bypass_q <= 1'b1;
      else if (pop) bypass_q <= 1'b0;
    end
  end

  assign valid_o = valid;
  assign data_o = valid ? (bypass_q ? bypass_data_q : rdata) : {WIDTH{1'b0}};
  assign ready_o = ready;
  assign count_o = count_q;

  `LOOM_ASSERT(no_more_than_depth, {1'b0, count_q} < {1'b0, FULL} + {{C{1'b0}}, 1'b1})
  `LOOM_ASSERT(data_0_without_head, valid_o || data_o == {WIDTH{1'b0}})

endmodule

`default_nettype wire
