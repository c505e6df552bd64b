// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_grant: which input an output goes to, with which VC, and how long.
// Inside: loom_crosspoint_router
//
// Contract: want_i are the inputs whose request this output could grant; prio*_i and ask_i, {small,
//   new, VC, VC here} in 16 bits, are those of all inputs. done_i to soon_i come from the stores of
//   all inputs, which have one phase; soon_i has 2 bits an input. lock_o, {reader, input}, goes to
//   the crosspoint two cycles behind.
// Algorithm: those of the highest priority, then round robin (loom_crosspoint_turns). An output is
//   free when it is not locked, or when the reader that it is locked to is done, or is in this
//   cycle.
// Latency: a grant is there in the cycle of the request, the lock in the next one.
// Wait bound: of those that want it with one priority an input is granted at the latest as the
//   LINKS-th.
// Parameters: LINKS (2..32), VCS (2..32).
// Realises: E5-10, E5-11.
// Page: docs/crosspoint_router.md, section Grant.
`default_nettype none
`include "loom_assert.vh"

module loom_crosspoint_grant #(
  parameter integer LINKS = 32,
  parameter integer VCS   = 32
) (
  input  wire                clk_i,
  input  wire                rst_i,
  input  wire                up_i,
  input  wire                phase_i,
  input  wire [4:0]          next_vc_i,

  // Inputs.
  input  wire [LINKS-1:0]    want_i,
  input  wire [LINKS-1:0]    prio1_i,
  input  wire [LINKS-1:0]    prio0_i,
  input  wire [LINKS*16-1:0] ask_i,
  input  wire [LINKS-1:0]    done_i,
  input  wire [LINKS-1:0]    done_tail_i,
  input  wire [LINKS-1:0]    early_i,
  input  wire [2*LINKS-1:0]  soon_i,
  output wire [LINKS-1:0]    grant_o,
  output wire                any_o,        // somebody is granted

  // What it is locked to: in the cycle after the grant, and later.
  output wire                near_o,
  output wire                locked_o,
  output wire                got_o,
  output wire                fresh_o,
  output wire [4:0]          input_o,
  output wire [4:0]          vc_o,
  output wire [4:0]          w_o,
  output wire                sent_o,       // the tail for VC sent_w_o was read
  output wire [4:0]          sent_w_o,
  output wire                lock_valid_o,
  output wire [5:0]          lock_o,
  output wire [4:0]          lock_w_o,
  output wire [4:0]          change_o,     // how the VC in a header changes
  output wire [15:0]         first_crc_o,  // and with it the CRC of a first word, and of another
  output wire [15:0]         next_crc_o
);

  localparam integer LW = $clog2(LINKS);
  localparam integer VW = $clog2(VCS);
  localparam [LINKS-1:0] NONE = 0;

  // ---- The lock ---------------------------------------------------------------------------------

  reg valid_q;
  reg [LW-1:0] input_q;
  reg reader_q;
  reg [VW-1:0] vc_q;
  reg [VW-1:0] w_q;
  reg fresh_q;
  reg small_q;
  reg got_q;
  reg near_q;
  wire free = !valid_q || (reader_q == phase_i ? early_i[input_q] : done_i[input_q]);

  // ---- The grant --------------------------------------------------------------------------------

  wire [LINKS-1:0] picked;
  wire [LINKS-1:0] grant = free ? picked : NONE;
  wire grants = free && want_i != NONE;
  wire [LW-1:0] index;
  reg ask_small;
  reg ask_new;
  reg [VW-1:0] ask_vc;
  reg [VW-1:0] ask_w;
  integer i;

  loom_crosspoint_turns #(
    .N(LINKS)
  ) u_turns (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .want_i(want_i),
    .prio1_i(prio1_i),
    .prio0_i(prio0_i),
    .advance_i(free),
    .grant_o(picked)
  );

  loom_encode #(
    .N(LINKS),
    .W(LW)
  ) u_index (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(picked),
    .index_o(index)
  );

  always @* begin
    ask_small = 1'b0;
    ask_new = 1'b0;
    ask_vc = {VW{1'b0}};
    ask_w = {VW{1'b0}};
    for (i = 0; i < LINKS; i = i + 1) begin
      if (picked[i]) begin
        ask_small = ask_small || ask_i[i*16+11];
        ask_new = ask_new || ask_i[i*16+10];
        ask_vc = ask_vc | ask_i[i*16+5 +: VW];
        ask_w = ask_w | ask_i[i*16 +: VW];
      end
    end
  end

  wire unused = &{1'b0, ask_i, next_vc_i};

  always @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      input_q <= {LW{1'b0}};
      reader_q <= 1'b0;
      vc_q <= {VW{1'b0}};
      w_q <= {VW{1'b0}};
      fresh_q <= 1'b0;
      small_q <= 1'b0;
      got_q <= 1'b0;
      near_q <= 1'b1;
    end else begin
      if (grants) begin
        input_q <= index;
        reader_q <= !phase_i;
        vc_q <= ask_vc;
        w_q <= ask_new ? next_vc_i[VW-1:0] : ask_w;
        fresh_q <= ask_new;
        small_q <= ask_small;
      end
      valid_q <= grants || !free;
      got_q <= grants;
      near_q <= !up_i || (grants ? ask_small : free || small_q || soon_i[{input_q, reader_q}]);
    end
  end

  assign grant_o = grant;
  assign any_o = grants;
  assign near_o = near_q;
  assign locked_o = valid_q;
  assign got_o = got_q;
  assign fresh_o = fresh_q;
  assign input_o = {{(5 - LW){1'b0}}, input_q};
  assign vc_o = {{(5 - VW){1'b0}}, vc_q};
  assign w_o = {{(5 - VW){1'b0}}, w_q};

  // ---- One and two cycles later -----------------------------------------------------------------

  reg valid_1_q;
  reg [LW-1:0] input_1_q;
  reg reader_1_q;
  reg [VW-1:0] w_1_q;
  reg [VW-1:0] change_1_q;
  reg valid_2_q;
  reg [LW-1:0] input_2_q;
  reg reader_2_q;
  reg [VW-1:0] w_2_q;
  reg [VW-1:0] change_2_q;
  reg [15:0] first_crc_q;
  reg [15:0] next_crc_q;
  wire [15:0] first_crc;
  wire [15:0] next_crc;

  loom_crosspoint_pattern u_pattern (
    .change_i({{(5 - VW){1'b0}}, change_1_q}),
    .first_o(first_crc),
    .next_o(next_crc)
  );

  always @(posedge clk_i) begin
    input_1_q <= input_q;
    reader_1_q <= reader_q;
    w_1_q <= w_q;
    change_1_q <= vc_q ^ w_q;
    input_2_q <= input_1_q;
    reader_2_q <= reader_1_q;
    w_2_q <= w_1_q;
    change_2_q <= change_1_q;
    first_crc_q <= first_crc;
    next_crc_q <= next_crc;
    if (rst_i) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
    end else begin
      valid_1_q <= valid_q;
      valid_2_q <= valid_1_q;
    end
  end

  assign sent_o = valid_1_q && done_i[input_1_q] && done_tail_i[input_1_q] && reader_1_q != phase_i;
  assign sent_w_o = {{(5 - VW){1'b0}}, w_1_q};
  assign lock_valid_o = valid_2_q;
  assign lock_o = {reader_2_q, {(5 - LW){1'b0}}, input_2_q};
  assign lock_w_o = {{(5 - VW){1'b0}}, w_2_q};
  assign change_o = {{(5 - VW){1'b0}}, change_2_q};
  assign first_crc_o = first_crc_q;
  assign next_crc_o = next_crc_q;

  `LOOM_ASSERT(one_granted, (grant_o & -grant_o) == grant_o)
  `LOOM_ASSERT(any_granted, any_o == (grant_o != {LINKS{1'b0}}))
  `LOOM_ASSERT(grants_are_apart, !(got_q && grants))

endmodule

`default_nettype wire
