// SPDX-License-Identifier: Apache-2.0

// loom_packet_store_ring: the free cells of a packet store in the order of their use, for two who
//   step through them, the queue side by packets and the write side by cells.
//
// Inside: packet_store.
// Contract: nobody steps past a cell that was not pushed two cycles earlier or more, apart from the
//   CELLS that are there from the start; no cell is pushed while it is in the ring. q_cell_o is the
//   first cell of the packet of q_step_i, of q_len_i flits, of the last cycle; w_cell_o is the cell
//   of w_step_i of the last cycle.
// Algorithm: cell numbers in a block RAM, one copy for each of the two, in a ring of a power of two
//   of places; place p < CELLS means cell p until it was passed once, so nothing has to be written
//   at the start. Each cycle reads the place of the next step, so a cell that was just pushed is
//   seen one cycle later.
// Latency: a packet and a word have their cell one cycle after their step, since what a block RAM
//   read comes too late in its cycle for more than a register; a step of each side every cycle.
// Wait bound: none: nobody waits here.
// Parameters: CELLS (4..4096).
// Realises: OP-02, OP-05.
// Page: docs/parts.md, section packet_store.
`default_nettype none
`include "loom_assert.vh"

module loom_packet_store_ring #(
  parameter integer CELLS = 256
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire                     push_i,
  input  wire [$clog2(CELLS)-1:0] push_cell_i,
  input  wire                     q_step_i,
  input  wire [11:0]              q_len_i,
  output wire [$clog2(CELLS)-1:0] q_cell_o,
  input  wire                     w_step_i,
  output wire [$clog2(CELLS)-1:0] w_cell_o
);

  localparam integer CW = $clog2(CELLS);
  localparam integer SW = ((CW > 9) ? CW : 9) + 1;
  localparam integer END_I = CELLS - 1;
  localparam [SW-1:0] ALL  = CELLS[SW-1:0];
  localparam [CW-1:0] END  = END_I[CW-1:0];
  localparam [CW-1:0] LAST = CELLS[CW-1:0];     // the first place that is pushed to
  localparam [CW-1:0] ONE  = 1;

  // Places of the next push and of the next steps; `fresh` while the place was never passed.
  reg [CW-1:0] push_at_q;
  reg [CW-1:0] q_at_q;
  reg [CW-1:0] w_at_q;
  reg q_fresh_q;
  reg w_fresh_q;

  // What was at the places of the last cycle.
  reg [CW-1:0] q_cell_q;
  reg [CW-1:0] w_read_q;
  reg [CW-1:0] w_place_q;
  reg w_is_fresh_q;

  // One sum: a unit that is not full comes in as a carry.
  wire [9:0] q_by = q_step_i ? {q_len_i[11:3], q_len_i[2:0] != 3'd0} : 10'd0;
  wire [SW:0] q_more = {{(SW - CW){1'b0}}, q_at_q, 1'b1} + {{(SW - 9){1'b0}}, q_by};
  wire [SW-1:0] q_sum = q_more[SW:1];
  wire unused_carry = q_more[0];
  wire [CW-1:0] q_at = q_sum[CW-1:0];
  wire [CW-1:0] w_at = w_step_i ? w_at_q + ONE : w_at_q;
  wire [CW-1:0] q_read;
  wire [CW-1:0] w_read;

  loom_apart_ram #(
    .DEPTH(1 << CW),
    .WIDTH(CW)
  ) u_q (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(push_i),
    .waddr_i(push_at_q),
    .wdata_i(push_cell_i),
    .re_i(1'b1),
    .raddr_i(q_at),
    .rdata_o(q_read)
  );

  loom_apart_ram #(
    .DEPTH(1 << CW),
    .WIDTH(CW)
  ) u_w (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(push_i),
    .waddr_i(push_at_q),
    .wdata_i(push_cell_i),
    .re_i(1'b1),
    .raddr_i(w_at),
    .rdata_o(w_read)
  );

  always @(posedge clk_i) begin
    q_cell_q <= q_fresh_q ? q_at_q : q_read;
    w_read_q <= w_read;
    w_place_q <= w_at_q;
    w_is_fresh_q <= w_fresh_q;
    if (rst_i) begin
      push_at_q <= LAST;
      q_at_q <= {CW{1'b0}};
      w_at_q <= {CW{1'b0}};
      q_fresh_q <= 1'b1;
      w_fresh_q <= 1'b1;
    end else begin
      if (push_i) push_at_q <= push_at_q + ONE;
      q_at_q <= q_at;
      w_at_q <= w_at;
      if (q_sum >= ALL) q_fresh_q <= 1'b0;
      if (w_step_i && w_at_q == END) w_fresh_q <= 1'b0;
    end
  end

  assign q_cell_o = q_cell_q;
  assign w_cell_o = w_is_fresh_q ? w_place_q : w_read_q;

`ifdef LOOM_ASSERT_ON
  reg pushed_q;                         // in the last cycle, too late to be read in it
  reg [CW-1:0] pushed_at_q;
  always @(posedge clk_i) begin
    pushed_q <= push_i && !rst_i;
    pushed_at_q <= push_at_q;
  end
  `LOOM_REQUIRE(q_cell_was_there_to_read,
      !q_step_i || q_fresh_q || !(pushed_q && pushed_at_q == q_at_q))
  `LOOM_REQUIRE(q_cell_is_not_pushed_now,
      !q_step_i || q_fresh_q || !(push_i && push_at_q == q_at_q))
`endif

endmodule

`default_nettype wire
