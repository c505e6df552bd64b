// loom_segment_buffer_encode: the number of a slot from its bit.
// Inside: loom_segment_buffer
//
// Contract: hot_i has at most one bit; without one the number is 0.
// Latency: 0 cycles, combinational.
// Wait bound: none.
// Parameters: SLOTS (2..64).
// Realises: E5-08.
// Page: docs/elite5.md, section segment_buffer.
`default_nettype none

module loom_segment_buffer_encode #(
  parameter integer SLOTS = 48
) (
  input  wire [SLOTS-1:0]         hot_i,
  output wire [$clog2(SLOTS)-1:0] slot_o
);

  localparam integer SW = $clog2(SLOTS);

  generate
    genvar b;
    genvar s;
    for (b = 0; b < SW; b = b + 1) begin : g_bit
      wire [SLOTS-1:0] member;                  // slots whose number has this bit
      for (s = 0; s < SLOTS; s = s + 1) begin : g_slot
        localparam [31:0] NUMBER = s;
        assign member[s] = NUMBER[b];
      end
      assign slot_o[b] = (hot_i & member) != {SLOTS{1'b0}};
    end
  endgenerate

endmodule

`default_nettype wire
