// SPDX-License-Identifier: Apache-2.0

// loom_async_fifo: a FIFO from one clock to another, with Gray pointers.
// Inside: any circuit
//
// Contract: both resets are 1 together until each clock has had three rising edges, and none is
//   given alone. push_i counts only with ready_o, pop_i only with valid_o. What is shown stays.
// Algorithm: each side counts in its own clock and shows its count as a Gray word, of which one bit
//   changes at a time; the other side takes it through two flip-flops. So a side sees an old count
//   of the other at worst, and an old count only makes the FIFO seem fuller to the one and emptier
//   to the other. A register behind the memory makes the output fast.
// Latency: an item is in view 3 to 4 edges of the reader's clock after its push; a place is free
//   again 2 to 3 edges of the writer's clock after the item has left the memory. A push and a pop
//   every cycle, from 8 places on if the clocks are alike.
// Wait bound: an item leaves after those before it.
// Parameters: DEPTH (places in the memory, a power of two, 4..128), WIDTH (bits, at least 1).
// Realises: OP-08: nothing is lost.
// Page: docs/axi.md, section async_fifo.
`default_nettype none

module loom_async_fifo #(
  parameter integer DEPTH = 16,
  parameter integer WIDTH = 64
) (
  input  wire             wr_clk_i,
  input  wire             wr_rst_i,
  input  wire             push_i,
  input  wire [WIDTH-1:0] data_i,
  output wire             ready_o,
  input  wire             rd_clk_i,
  input  wire             rd_rst_i,
  input  wire             pop_i,
  output wire             valid_o,
  output wire [WIDTH-1:0] data_o
);

  localparam integer A = $clog2(DEPTH);

  generate
    if (DEPTH < 4 || DEPTH > 128 || DEPTH != (1 << A)) begin : g_bad_depth
      loom_async_fifo_DEPTH_must_be_4_to_128_and_a_power_of_two u_error ();
    end
    if (WIDTH < 1) begin : g_bad_width
      loom_async_fifo_WIDTH_must_be_1_or_more u_error ();
    end
  endgenerate

  localparam [A:0] ONE = 1;
  localparam [A:0] NONE = 0;

  // ---- The writer's clock -----------------------------------------------------------------------

  reg [A:0] wr_count_q;
  reg [A:0] wr_gray_q;
  (* async_reg = "true" *) reg [A:0] wr_seen_early_q;   // of the reader, perhaps not settled
  (* async_reg = "true" *) reg [A:0] wr_seen_q;
  reg [A:0] rd_gray_q;

  wire [A:0] wr_next = wr_count_q + ONE;
  wire full = wr_gray_q == {~wr_seen_q[A:A-1], wr_seen_q[A-2:0]};
  wire push = push_i && !full;

  always @(posedge wr_clk_i) begin
    if (wr_rst_i) begin
      wr_count_q <= NONE;
      wr_gray_q <= NONE;
      wr_seen_early_q <= NONE;
      wr_seen_q <= NONE;
    end else begin
      if (push) begin
        wr_count_q <= wr_next;
        wr_gray_q <= wr_next ^ (wr_next >> 1);
      end
      wr_seen_early_q <= rd_gray_q;
      wr_seen_q <= wr_seen_early_q;
    end
  end

  // ---- The reader's clock -----------------------------------------------------------------------

  reg [A:0] rd_count_q;
  (* async_reg = "true" *) reg [A:0] rd_seen_early_q;
  (* async_reg = "true" *) reg [A:0] rd_seen_q;
  reg valid_q;
  reg [WIDTH-1:0] data_q;

  wire [A:0] rd_next = rd_count_q + ONE;
  wire empty = rd_gray_q == rd_seen_q;
  wire load = !empty && (!valid_q || pop_i);
  wire [WIDTH-1:0] word;

  // The word was written before the count that told of it, so it stands still.
  loom_lut_ram #(
    .DEPTH(DEPTH),
    .WIDTH(WIDTH)
  ) u_mem (
    .clk_i(wr_clk_i),
    .we_i(push),
    .waddr_i(wr_count_q[A-1:0]),
    .wdata_i(data_i),
    .raddr_i(rd_count_q[A-1:0]),
    .rdata_o(word)
  );

  always @(posedge rd_clk_i) begin
    if (rd_rst_i) begin
      rd_count_q <= NONE;
      rd_gray_q <= NONE;
      rd_seen_early_q <= NONE;
      rd_seen_q <= NONE;
      valid_q <= 1'b0;
      data_q <= {WIDTH{1'b0}};
    end else begin
      rd_seen_early_q <= wr_gray_q;
      rd_seen_q <= rd_seen_early_q;
      if (load) begin
        rd_count_q <= rd_next;
        rd_gray_q <= rd_next ^ (rd_next >> 1);
        valid_q <= 1'b1;
        data_q <= word;
      end else if (pop_i) begin
        valid_q <= 1'b0;
        data_q <= {WIDTH{1'b0}};
      end
    end
  end

  assign ready_o = !full;
  assign valid_o = valid_q;
  assign data_o = data_q;

endmodule

`default_nettype wire
