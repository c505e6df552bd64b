// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_cross: the words of an output: where they are read, and their new VC.
// Inside: loom_crosspoint_router
//
// Contract: lock_* and what follows from it are those of loom_crosspoint_grant, two cycles behind
//   the lock; lane_o, {input, lane}, goes to the crosspoint, and word_* comes from there in the
//   same cycle. With PIPE 4 the words of the stores come one cycle later.
// Algorithm: a header changes by a pattern that was worked out before.
// Latency: none; with PIPE 2 and 3 one cycle, with 4 two.
// Wait bound: none.
// Parameters: PIPE (0..4).
// Realises: E5-01, E5-06, E5-07.
// Page: docs/crosspoint_router.md, section Cross.
`default_nettype none
`include "loom_fields.vh"

module loom_crosspoint_cross #(
  parameter integer PIPE = 0
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire        phase_i,
  input  wire        lock_valid_i,
  input  wire [5:0]  lock_i,                    // {reader, input}
  input  wire [4:0]  lock_w_i,
  input  wire [4:0]  change_i,
  input  wire [15:0] first_crc_i,
  input  wire [15:0] next_crc_i,
  output wire [5:0]  lane_o,
  input  wire        word_valid_i,
  input  wire        word_head_i,
  input  wire        word_tail_i,
  input  wire [63:0] word_data_i,
  output wire        valid_o,
  output wire        head_o,
  output wire        tail_o,
  output wire [4:0]  vl_o,
  output wire [63:0] data_o
);

  // {valid, input, lane, VC, change, CRCs}
  localparam integer LOCK_W = 1 + 6 + 5 + 5 + 32;
  wire [LOCK_W-1:0] now = {lock_valid_i, lock_i[4:0], lock_i[5] ^ phase_i, lock_w_i, change_i,
                           first_crc_i, next_crc_i};
  wire [LOCK_W-1:0] lock;
  wire locked = lock[48];
  wire [4:0] w = lock[41:37];
  wire [4:0] change = lock[36:32];
  wire [2:0] kind = word_data_i[`LOOM_ELITE5_FIRST_TYPE];
  wire next = kind == `LOOM_ELITE5_TYPE_CONTINUATION
              || kind == `LOOM_ELITE5_TYPE_LAST_CONTINUATION || kind == `LOOM_ELITE5_TYPE_VOID;
  wire [63:0] pattern = next ? {3'd0, change, 8'd0, lock[15:0], 32'd0}
                        : {5'd0, change, 38'd0, lock[31:16]};
  wire valid = locked && word_valid_i;
  wire [71:0] word = {valid, valid && word_head_i, valid && word_tail_i, valid ? w : 5'd0,
                      valid ? (word_head_i ? word_data_i ^ pattern : word_data_i) : 64'd0};

  assign lane_o = lock[47:42];

  generate
    if (PIPE >= 4) begin : g_late
      reg [LOCK_W-1:0] lock_q;

      always @(posedge clk_i) begin
        if (rst_i) lock_q <= {LOCK_W{1'b0}};
        else lock_q <= now;
      end

      assign lock = lock_q;
    end else begin : g_now
      assign lock = now;
    end
    if (PIPE >= 2) begin : g_behind
      reg [71:0] word_q;

      always @(posedge clk_i) begin
        if (rst_i) word_q <= 72'd0;
        else word_q <= word;
      end

      assign {valid_o, head_o, tail_o, vl_o, data_o} = word_q;
    end else begin : g_through
      wire unused = &{1'b0, clk_i, rst_i};
      assign {valid_o, head_o, tail_o, vl_o, data_o} = word;
    end
  endgenerate

endmodule

`default_nettype wire
