// SPDX-License-Identifier: Apache-2.0

// loom_axis_link_rx: packets of a link of docs/link.md become frames of an AXI4-Stream.
//
// Contract: the sender keeps to UNITS credits and sends packets one after the other. What the
//   stream shows stays until it is taken.
// Algorithm: flits wait in one FIFO with a place for each flit of UNITS units; a unit goes back as
//   credit when its last flit has left. The head becomes the signals beside the words.
// Latency: 3 cycles from the head of a packet to its first word, if the stream is taken; a word
//   every cycle, and one cycle without for each head.
// Wait bound: none inside; flits leave in the order in which they came.
// Parameters: UNITS (of 64 bytes, 16..512).
// Realises: OP-08, DT-10; probe unit.
// Page: docs/axi.md, section axis_link_rx.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_axis_link_rx #(
  parameter integer UNITS = 128
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        in_valid_i,
  input  wire        in_head_i,
  input  wire        in_tail_i,
  input  wire [4:0]  in_vl_i,
  input  wire [63:0] in_data_i,
  output wire        cr_valid_o,
  output wire [4:0]  cr_vl_o,
  output wire        tvalid_o,
  input  wire        tready_i,
  output wire [63:0] tdata_o,
  output wire        tlast_o,
  output wire [15:0] tdest_o,
  output wire [12:0] tid_o,
  output wire [27:0] tuser_o,
  output wire        empty_o,
  output wire        error_o
);

  generate
    if (UNITS < 16 || UNITS > 512) begin : g_bad_units
      loom_axis_link_rx_UNITS_must_be_16_to_512 u_error ();
    end
  endgenerate

  // ---- Arrival ----------------------------------------------------------------------------------

  reg open_q;                           // a packet has begun and not ended
  reg error_q;

  wire ready;
  wire keep = in_valid_i && (open_q || in_head_i);
  wire wrong = in_valid_i && open_q == in_head_i;       // no head, or one in a packet
  wire push = keep && ready;

  `LOOM_REQUIRE(sender_keeps_to_credits, !keep || ready)

  always @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      if (keep) open_q <= !in_tail_i;
      error_q <= wrong || (keep && !ready);
    end
  end

  wire there;
  wire pop;
  wire [63:0] data;
  wire first;
  wire tail;
  wire [4:0] vl;
  wire marks_there;
  wire marks_ready;
  wire [$clog2(UNITS * 8+1)-1:0] data_count;
  wire [$clog2(UNITS * 8+1)-1:0] marks_count;

  loom_fifo #(
    .DEPTH(UNITS * 8),
    .WIDTH(64)
  ) u_data (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(push),
    .data_i(in_data_i),
    .pop_i(pop),
    .valid_o(there),
    .data_o(data),
    .ready_o(ready),
    .count_o(data_count)
  );

  loom_fifo #(
    .DEPTH(UNITS * 8),
    .WIDTH(7)
  ) u_marks (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(push),
    .data_i({!open_q, in_tail_i, in_vl_i}),
    .pop_i(pop),
    .valid_o(marks_there),
    .data_o({first, tail, vl}),
    .ready_o(marks_ready),
    .count_o(marks_count)
  );

  // ---- The stream -------------------------------------------------------------------------------

  reg tvalid_q;
  reg tlast_q;
  reg [63:0] tdata_q;
  reg [15:0] dest_q;                    // of the head
  reg [15:0] src_q;
  reg [12:0] id_q;
  reg [4:0] sc_q;
  reg [4:0] vl_q;
  reg after_q;
  reg more_q;
  reg [2:0] unit_q;                     // flits of the unit that have left
  reg cr_valid_q;
  reg [4:0] cr_vl_q;
  reg empty_q;

  wire free = !tvalid_q || tready_i;
  wire word = pop && !first;
  wire whole = tail || unit_q == 3'd7;

  assign pop = there && free;

  always @(posedge clk_i) begin
    if (rst_i) begin
      tvalid_q <= 1'b0;
      tlast_q <= 1'b0;
      tdata_q <= 64'd0;
      unit_q <= 3'd0;
      cr_valid_q <= 1'b0;
      cr_vl_q <= 5'd0;
      empty_q <= 1'b0;
    end else begin
      if (free) begin
        tvalid_q <= word;
        tlast_q <= word && tail;
        tdata_q <= word ? data : 64'd0;
      end
      if (pop) unit_q <= whole ? 3'd0 : unit_q + 3'd1;
      cr_valid_q <= pop && whole;
      cr_vl_q <= (pop && whole) ? vl : 5'd0;
      empty_q <= pop && first && tail;
    end
    if (pop && first) begin
      dest_q <= data[`LOOM_HEAD_DEST];
      src_q <= data[`LOOM_HEAD_SRC];
      id_q <= data[`LOOM_HEAD_ID];
      sc_q <= data[`LOOM_HEAD_SC];
      after_q <= data[`LOOM_HEAD_AFTER];
      more_q <= data[`LOOM_HEAD_MORE];
      vl_q <= vl;
    end
  end

  wire unused = &{1'b0, data_count, marks_count, marks_there, marks_ready};

  assign tvalid_o = tvalid_q;
  assign tdata_o = tdata_q;
  assign tlast_o = tlast_q;
  assign tdest_o = tvalid_q ? dest_q : 16'd0;
  assign tid_o = tvalid_q ? id_q : 13'd0;
  assign tuser_o = tvalid_q ? {after_q, more_q, src_q, sc_q, vl_q} : 28'd0;
  assign cr_valid_o = cr_valid_q;
  assign cr_vl_o = cr_vl_q;
  assign empty_o = empty_q;
  assign error_o = error_q;

  `LOOM_ASSERT(nothing_without_valid, tvalid_q || {tlast_q, tdata_q} == 65'd0)
  `LOOM_ASSERT(both_queues_alike, marks_there == there && marks_ready == ready)

endmodule

`default_nettype wire
