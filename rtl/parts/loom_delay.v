// SPDX-License-Identifier: Apache-2.0

// loom_delay: a word on its way for a fixed number of cycles.
//
// Contract: a word a cycle; data_o is 0 while valid_o is 0. After reset nothing is on the way.
// Algorithm: DEPTH 0 wires, 1 and 2 registers, more a ring in one loom_ram: each cycle one place is
//   read (the old word) and written. A flag says when the ring was filled once since the reset.
// Latency: DEPTH cycles; a word every cycle.
// Wait bound: none.
// Parameters: DEPTH (cycles, 0..255), WIDTH (bits, 1..64).
// Realises: OP-04, OP-05.
// Page: docs/parts.md, section delay.
`default_nettype none
`include "loom_assert.vh"

module loom_delay #(
  parameter integer DEPTH = 8,
  parameter integer WIDTH = 32
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             valid_i,
  input  wire [WIDTH-1:0] data_i,
  output wire             valid_o,
  output wire [WIDTH-1:0] data_o
);

  generate
    if (DEPTH < 0 || DEPTH > 255) begin : g_bad_depth
      loom_delay_DEPTH_must_be_0_to_255 u_error ();
    end
    if (WIDTH < 1 || WIDTH > 64) begin : g_bad_width
      loom_delay_WIDTH_must_be_1_to_64 u_error ();
    end
  endgenerate

  localparam [WIDTH-1:0] NONE = 0;
  wire [WIDTH-1:0] data = valid_i ? data_i : NONE;

  generate
    if (DEPTH == 0) begin : g_wire
      wire unused = &{1'b0, clk_i, rst_i};
      assign valid_o = valid_i;
      assign data_o = data;
    end else if (DEPTH <= 2) begin : g_registers
      wire valid_s;
      wire [WIDTH-1:0] data_s;
      reg valid_q;
      reg [WIDTH-1:0] data_q;
      if (DEPTH == 2) begin : g_two
        reg first_valid_q;
        reg [WIDTH-1:0] first_data_q;
        always @(posedge clk_i) begin
          if (rst_i) begin
            first_valid_q <= 1'b0;
            first_data_q <= NONE;
          end else begin
            first_valid_q <= valid_i;
            first_data_q <= data;
          end
        end
        assign valid_s = first_valid_q;
        assign data_s = first_data_q;
      end else begin : g_one
        assign valid_s = valid_i;
        assign data_s = data;
      end
      always @(posedge clk_i) begin
        if (rst_i) begin
          valid_q <= 1'b0;
          data_q <= NONE;
        end else begin
          valid_q <= valid_s;
          data_q <= data_s;
        end
      end
      assign valid_o = valid_q;
      assign data_o = data_q;
    end else begin : g_ring
      localparam integer PLACES = DEPTH - 1;
      localparam integer A = $clog2(PLACES);
      localparam integer LAST_I = PLACES - 1;
      localparam [A-1:0] LAST = LAST_I[A-1:0];
      localparam [A-1:0] ONE = 1;
      reg [A-1:0] place_q;
      reg full_q;                               // every place was written since the reset
      reg live_q;                               // the word that was read was written since then
      wire rd_valid;
      wire [WIDTH-1:0] rd_data;

      loom_ram #(
        .DEPTH(PLACES),
        .WIDTH(WIDTH + 1)
      ) u_ring (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(1'b1),
        .waddr_i(place_q),
        .wdata_i({valid_i, data}),
        .re_i(1'b1),
        .raddr_i(place_q),
        .rdata_o({rd_valid, rd_data})
      );

      always @(posedge clk_i) begin
        if (rst_i) begin
          place_q <= {A{1'b0}};
          full_q <= 1'b0;
          live_q <= 1'b0;
        end else begin
          place_q <= (place_q == LAST) ? {A{1'b0}} : place_q + ONE;
          if (place_q == LAST) full_q <= 1'b1;
          live_q <= full_q;
        end
      end

      assign valid_o = live_q && rd_valid;
      assign data_o = live_q ? rd_data : NONE;
    end
  endgenerate

  `LOOM_ASSERT(data_0_while_not_valid, valid_o || data_o == NONE)

endmodule

`default_nettype wire
