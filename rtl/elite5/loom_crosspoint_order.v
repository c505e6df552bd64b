// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_order: in which order links come for who chooses one: which have fewer packets
//   pending, which are light, and a random order.
// Inside: loom_crosspoint_router
//
// Contract: pending_i has 8 bits a link. less_o has 32 bits a link o: those p with fewer packets
//   pending. draw_o has 64 bits a place k: in them bit m < k says that place m comes before place k
//   in the random order (else k comes before m); input i looks at the places from i on.
// Algorithm: all pairs of links are compared in registers. One word of 8 random bits is drawn in
//   each cycle and goes from place to place; only the newest is compared, and the bit of two words
//   moves on with them.
// Latency: one cycle, a random word two.
// Wait bound: none.
// Parameters: LINKS (2..32).
// Realises: E5-19, E5-20.
// Page: docs/crosspoint_router.md, section Order.
`default_nettype none

module loom_crosspoint_order #(
  parameter integer LINKS = 32
) (
  input  wire                      clk_i,
  input  wire                      rst_i,
  input  wire [LINKS*8-1:0]        pending_i,
  input  wire [LINKS-1:0]          locked_i,
  input  wire [5:0]                threshold_i,
  input  wire                      activity_i,
  input  wire                      random_i,    // mode 2
  input  wire                      seed_we_i,
  input  wire [31:0]               seed_i,
  output wire [LINKS*32-1:0]       less_o,
  output wire [LINKS-1:0]          light_o,
  output wire [(2*LINKS-1)*64-1:0] draw_o
);

  localparam integer PLACES = 2 * LINKS - 1;

  // ---- Packets pending --------------------------------------------------------------------------

  reg [LINKS*32-1:0] less_q;
  reg [LINKS*32-1:0] less;
  reg [LINKS-1:0] light_q;
  reg [LINKS-1:0] light;
  integer o;
  integer p;

  always @* begin
    less = {(LINKS * 32){1'b0}};
    light = {LINKS{1'b0}};
    for (o = 0; o < LINKS; o = o + 1) begin
      for (p = 0; p < LINKS; p = p + 1) less[o*32+p] = pending_i[p*8 +: 8] < pending_i[o*8 +: 8];
      light[o] = pending_i[o*8 +: 8] < {2'd0, threshold_i} && !(activity_i && locked_i[o]);
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      less_q <= {(LINKS * 32){1'b0}};
      light_q <= {LINKS{1'b0}};
    end else begin
      less_q <= less;
      light_q <= light;
    end
  end

  assign less_o = less_q;
  assign light_o = light_q;

  // ---- The random order -------------------------------------------------------------------------

  wire [31:0] value;
  wire unused = &{1'b0, value};

  loom_lfsr #(
    .STEPS(32)
  ) u_lfsr (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .load_i(seed_we_i),
    .seed_i(seed_i),
    .enable_i(random_i),
    .value_o(value)
  );

  // Words of the cycles before, the newest lowest.
  reg [(LINKS-1)*8-1:0] old_q;
  reg [PLACES*64-1:0] draw_q;                   // bit m of place k > m: word m <= word k
  reg [LINKS-1:0] first;                        // the word of this cycle <= that of k cycles ago
  integer d;

  always @* begin
    first = {LINKS{1'b0}};
    for (d = 1; d < LINKS; d = d + 1) first[d] = value[7:0] <= old_q[(d-1)*8 +: 8];
  end

  generate
    if (LINKS > 2) begin : g_old
      always @(posedge clk_i) begin
        if (rst_i) old_q <= {((LINKS - 1) * 8){1'b0}};
        else old_q <= {old_q[(LINKS-2)*8-1:0], value[7:0]};
      end
    end else begin : g_old_one
      always @(posedge clk_i) begin
        if (rst_i) old_q <= 8'd0;
        else old_q <= value[7:0];
      end
    end
  endgenerate

  genvar k;
  generate
    for (k = 0; k < PLACES; k = k + 1) begin : g_place
      // Places below this one, of those less than LINKS away.
      localparam [63:0] BELOW = (64'd1 << k) - 64'd1;
      localparam [63:0] FAR   = (k < LINKS) ? 64'd0 : (64'd1 << (k - LINKS + 1)) - 64'd1;
      localparam [63:0] NEAR  = BELOW & ~FAR;
      if (k == 0) begin : g_first
        always @(posedge clk_i) draw_q[63:0] <= 64'd0;
      end else begin : g_next
        wire newest = (k < LINKS) ? first[k % LINKS] : 1'b0;
        always @(posedge clk_i) begin
          if (rst_i) draw_q[k*64 +: 64] <= NEAR;
          else draw_q[k*64 +: 64] <= {draw_q[(k-1)*64 +: 63], newest} & NEAR;
        end
      end
    end
  endgenerate

  assign draw_o = draw_q;

endmodule

`default_nettype wire
