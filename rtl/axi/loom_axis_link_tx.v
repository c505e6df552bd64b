// SPDX-License-Identifier: Apache-2.0

// loom_axis_link_tx: frames of an AXI4-Stream become packets on a link of docs/link.md.
//
// Contract: the stream keeps AXI's rules; the far end gives back only what it was sent. A packet
//   goes only when the credits of all of it are there, and then without a gap.
// Algorithm: words wait in one FIFO and packets, when all of their words are there, in another; a
//   frame longer than a packet may be becomes a train. OP-06: a lane has a reserve of the far end's
//   units, the rest is a pool; the next packet takes what it needs, four units or one a cycle,
//   while the packet before it is sent.
// Latency: from the last word of a frame to the head of its packet 3 cycles and those in which it
//   takes its credits: of s units, s / 4 and the rest of that; then a flit every cycle.
// Wait bound: START after reset; a packet waits for the packets before it and its credits.
// Parameters: VLS (lanes, 2..32), UNITS (of the buffer at the far end, 16..4095), RESERVED (of
//   them to each lane), MTU_FLITS (of the longest packet, 2..4095), WORDS (that wait, MTU_FLITS -
//   1..4096), PACKETS (that wait, 1..4096), START (cycles after reset without a flit, 0..1023).
// Realises: OP-06, OP-08, DT-10; probes left, waits, pool.
// Page: docs/axi.md, section axis_link_tx.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_axis_link_tx #(
  parameter integer VLS       = 9,
  parameter integer UNITS     = 1792,
  parameter integer RESERVED  = 32,
  parameter integer MTU_FLITS = 256,
  parameter integer WORDS     = 512,
  parameter integer PACKETS   = 16,
  parameter integer START     = 320
) (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire [15:0] src_i,
  input  wire        tvalid_i,
  output wire        tready_o,
  input  wire [63:0] tdata_i,
  input  wire        tlast_i,
  input  wire [15:0] tdest_i,
  input  wire [12:0] tid_i,
  input  wire [9:0]  tuser_i,
  output wire        out_valid_o,
  output wire        out_head_o,
  output wire        out_tail_o,
  output wire [4:0]  out_vl_o,
  output wire [63:0] out_data_o,
  input  wire        cr_valid_i,
  input  wire [4:0]  cr_vl_i,
  output wire        dropped_o,
  output wire        error_o
);

  generate
    if (VLS < 2 || VLS > 32) begin : g_bad_vls
      loom_axis_link_tx_VLS_must_be_2_to_32 u_error ();
    end
    if (UNITS < 16 || UNITS > 4095) begin : g_bad_units
      loom_axis_link_tx_UNITS_must_be_16_to_4095 u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > UNITS) begin : g_bad_reserved
      loom_axis_link_tx_UNITS_must_hold_all_RESERVED u_error ();
    end
    if (MTU_FLITS < 2 || MTU_FLITS > 4095 ||
        (MTU_FLITS + 7) / 8 > UNITS - (VLS - 1) * RESERVED) begin : g_bad_mtu
      loom_axis_link_tx_MTU_FLITS_must_be_2_to_4095_and_fit_UNITS u_error ();
    end
    if (WORDS < MTU_FLITS - 1 || WORDS > 4096) begin : g_bad_words
      loom_axis_link_tx_WORDS_must_be_MTU_FLITS_less_1_to_4096 u_error ();
    end
    if (PACKETS < 1 || PACKETS > 4096) begin : g_bad_packets
      loom_axis_link_tx_PACKETS_must_be_1_to_4096 u_error ();
    end
    if (START < 0 || START > 1023) begin : g_bad_start
      loom_axis_link_tx_START_must_be_0_to_1023 u_error ();
    end
  endgenerate

  localparam [9:0] FIRST = START[9:0];
  localparam integer LAST_I = MTU_FLITS - 2;
  localparam [11:0] LAST_WORD = LAST_I[11:0];
  localparam integer MGMT_I = (VLS > 16) ? 15 : VLS - 1;
  localparam integer DATA_VLS = (VLS > 16) ? VLS : VLS - 1;
  localparam [4:0] MGMT = MGMT_I[4:0];
  localparam [5:0] NO_LANE = DATA_VLS[5:0];             // no data VL from here on has a lane
  localparam [11:0] RESERVED_C = RESERVED[11:0];
  localparam integer FOUR_I = (RESERVED > 4) ? RESERVED - 4 : 0;
  localparam [11:0] FOUR_BELOW = FOUR_I[11:0];          // with so many, four fit into the reserve
  localparam integer POOL_I = UNITS - VLS * RESERVED;
  localparam [11:0] POOL_C = POOL_I[11:0];
  localparam [VLS-1:0] NONE = 0;
  localparam [VLS-1:0] HOT0 = 1;

`ifdef LOOM_ASSERT_ON
  reg waits_before_q;
  reg [103:0] shown_q;
  wire [103:0] shown = {tdata_i, tlast_i, tdest_i, tid_i, tuser_i};
  always @(posedge clk_i) begin
    waits_before_q <= !rst_i && tvalid_i && !tready_o;
    shown_q <= shown;
  end
  `LOOM_REQUIRE(stream_stays, !waits_before_q || (tvalid_i && shown == shown_q))
`endif

  // ---- Frames become packets --------------------------------------------------------------------

  reg open_q;                           // a frame has begun and not ended
  reg after_q;                          // a packet of it is complete
  reg [11:0] count_q;                   // words of the packet so far
  reg [15:0] dest_q;                    // what the first word of the frame said
  reg [12:0] id_q;
  reg [9:0] user_q;

  wire words_ready;
  wire packets_ready;
  wire word = tvalid_i && tready_o;
  wire closes = word && (tlast_i || count_q == LAST_WORD);
  wire [15:0] dest = open_q ? dest_q : tdest_i;
  wire [12:0] id = open_q ? id_q : tid_i;
  wire [9:0] user = open_q ? user_q : tuser_i;
  wire [11:0] len = count_q + 12'd2;

  assign tready_o = words_ready && packets_ready;

  always @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= 1'b0;
      after_q <= 1'b0;
      count_q <= 12'd0;
    end else if (word) begin
      open_q <= !tlast_i;
      if (closes) begin
        after_q <= !tlast_i;
        count_q <= 12'd0;
      end else begin
        count_q <= count_q + 12'd1;
      end
    end
    if (word && !open_q) begin
      dest_q <= tdest_i;
      id_q <= tid_i;
      user_q <= tuser_i;
    end
  end

  wire [63:0] data;
  wire packet_there;
  wire [52:0] packet;
  wire send_word;
  wire next_load;
  wire data_there;
  wire [$clog2(WORDS+1)-1:0] words_count;
  wire [$clog2(PACKETS+1)-1:0] packets_count;

  loom_fifo #(
    .DEPTH(WORDS),
    .WIDTH(64)
  ) u_words (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(word),
    .data_i(tdata_i),
    .pop_i(send_word),
    .valid_o(data_there),
    .data_o(data),
    .ready_o(words_ready),
    .count_o(words_count)
  );

  loom_fifo #(
    .DEPTH(PACKETS),
    .WIDTH(53)
  ) u_packets (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .push_i(closes),
    .data_i({after_q, !tlast_i, len, dest, id, user}),
    .pop_i(next_load),
    .valid_o(packet_there),
    .data_o(packet),
    .ready_o(packets_ready),
    .count_o(packets_count)
  );

  // ---- The next packet, and the one that is sent ------------------------------------------------

  reg next_valid_q;
  reg next_after_q;
  reg next_more_q;
  reg [11:0] next_len_q;
  reg [15:0] next_dest_q;
  reg [12:0] next_id_q;
  reg [4:0] next_sc_q;
  reg [4:0] next_vl_q;
  reg [VLS-1:0] next_hot_q;             // its lane
  reg next_known_q;                     // its VL has one
  reg [9:0] hand_q;                     // units that are taken for it
  reg [9:0] short_q;                    // units that it still needs
  reg short_some_q;                     // one or more
  reg short_four_q;                     // four or more
  reg [11:0] left_q;                    // words of the packet still to be sent
  reg drop_q;                           // they are not, their VL has no lane
  reg [4:0] vl_q;
  reg [9:0] waits_q;                    // cycles until the first flit may go

  reg out_valid_q;
  reg out_head_q;
  reg out_tail_q;
  reg [4:0] out_vl_q;
  reg [63:0] out_data_q;
  reg dropped_q;

  wire idle = left_q == 12'd0;
  wire last_word = left_q == 12'd1;
  wire due = idle && next_valid_q && waits_q == 10'd0;
  wire starts = due && next_known_q && !short_some_q;
  wire drops = due && !next_known_q;
  wire body = !idle && !drop_q;
  wire [4:0] packet_vl = packet[4:0];
  wire management = packet_vl == 5'd15;
  wire known = management || {1'b0, packet_vl} < NO_LANE;
  wire [12:0] rounded = {1'b0, packet[50:39]} + 13'd7;

  assign send_word = !idle;
  assign next_load = packet_there && (!next_valid_q || starts || drops);

  wire [63:0] head;
  assign head[`LOOM_HEAD_SC] = next_sc_q;
  assign head[`LOOM_HEAD_LEN] = next_len_q;
  assign head[`LOOM_HEAD_DEST] = next_dest_q;
  assign head[`LOOM_HEAD_SRC] = src_i;
  assign head[`LOOM_HEAD_AFTER] = next_after_q;
  assign head[`LOOM_HEAD_MORE] = next_more_q;
  assign head[`LOOM_HEAD_ID] = next_id_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      next_valid_q <= 1'b0;
      left_q <= 12'd0;
      drop_q <= 1'b0;
      waits_q <= FIRST;
      out_valid_q <= 1'b0;
      out_head_q <= 1'b0;
      out_tail_q <= 1'b0;
      out_vl_q <= 5'd0;
      out_data_q <= 64'd0;
      dropped_q <= 1'b0;
    end else begin
      if (next_load) next_valid_q <= 1'b1;
      else if (starts || drops) next_valid_q <= 1'b0;
      if (starts || drops) begin
        left_q <= next_len_q - 12'd1;
        drop_q <= drops;
      end else if (!idle) begin
        left_q <= left_q - 12'd1;
      end
      if (waits_q != 10'd0) waits_q <= waits_q - 10'd1;
      out_valid_q <= starts || body;
      out_head_q <= starts;
      out_tail_q <= body && last_word;
      out_vl_q <= starts ? next_vl_q : body ? vl_q : 5'd0;
      out_data_q <= starts ? head : body ? data : 64'd0;
      dropped_q <= drops;
    end
    if (starts) vl_q <= next_vl_q;
    if (next_load) begin
      next_after_q <= packet[52];
      next_more_q <= packet[51];
      next_len_q <= packet[50:39];
      next_dest_q <= packet[38:23];
      next_id_q <= packet[22:10];
      next_sc_q <= packet[9:5];
      next_vl_q <= packet_vl;
      next_hot_q <= known ? HOT0 << (management ? MGMT : packet_vl) : NONE;
      next_known_q <= known;
    end
  end

  // ---- Credits ----------------------------------------------------------------------------------

  reg [11:0] pool_q;                    // units that are free beyond all reserves
  reg back_q;                           // one goes into it
  reg error_q;

  wire cr_management = cr_vl_i == 5'd15;
  wire cr_known = cr_valid_i && (cr_management || {1'b0, cr_vl_i} < NO_LANE);
  wire [VLS-1:0] cr_hot = cr_known ? HOT0 << (cr_management ? MGMT : cr_vl_i) : NONE;

  wire one_asked = next_valid_q && short_some_q;
  wire four_asked = next_valid_q && short_four_q;
  wire one_free = pool_q != 12'd0;
  wire four_free = pool_q[11:2] != 10'd0;

  wire [VLS-1:0] takes;                 // the lane takes a unit
  wire [VLS-1:0] four;                  // or rather four
  wire [VLS-1:0] pooled;                // they are the pool's
  wire [VLS-1:0] down;                  // one of its units comes back
  wire [VLS-1:0] back;                  // into the pool

  generate
    genvar g;
    for (g = 0; g < VLS; g = g + 1) begin : g_lane
      reg [11:0] used_q;                // units at the far end or in hand
      wire below;                       // its reserve is not used up
      wire four_below;
      if (RESERVED > 0) begin : g_reserve
        assign below = used_q < RESERVED_C;
      end else begin : g_no_reserve
        assign below = 1'b0;
      end
      if (RESERVED > 3) begin : g_fours
        assign four_below = used_q <= FOUR_BELOW;
      end else begin : g_no_fours
        assign four_below = 1'b0;
      end
      assign four[g] = four_asked && next_hot_q[g] && (four_below || (!below && four_free));
      assign takes[g] = one_asked && next_hot_q[g] && (below || one_free);
      assign pooled[g] = next_hot_q[g] && !below;
      assign down[g] = cr_hot[g] && used_q != (next_hot_q[g] ? {2'd0, hand_q} : 12'd0);
      assign back[g] = down[g] && !below && (used_q != RESERVED_C || takes[g]);

      // 4, 1 or 0, less 1 if one comes back.
      wire minus = down[g] && !takes[g];
      wire [11:0] change = four[g] ? {9'd0, !down[g], down[g], down[g]}
                                   : {{11{minus}}, takes[g] != down[g]};
      always @(posedge clk_i) begin
        if (rst_i) used_q <= 12'd0;
        else used_q <= used_q + change;
      end

      `LOOM_ASSERT(hand_is_used, !next_hot_q[g] || {2'd0, hand_q} <= used_q)
    end
  endgenerate

  wire four_taken = four != NONE;
  wire one_taken = takes != NONE;       // if not four are
  wire of_pool = pooled != NONE;

  // All that the counts may be next, while it is found which.
  wire [9:0] hand_more_4 = hand_q + 10'd4;
  wire [9:0] hand_more_1 = hand_q + 10'd1;
  wire [9:0] short_less_4 = short_q - 10'd4;
  wire [9:0] short_less_1 = short_q - 10'd1;
  wire [11:0] pool_kept = pool_q + {11'd0, back_q};
  wire [11:0] pool_less_4 = pool_q - {9'd0, !back_q, back_q, back_q};
  wire [11:0] pool_less_1 = pool_q - {11'd0, !back_q};

  always @(posedge clk_i) begin
    if (rst_i) begin
      pool_q <= POOL_C;
      back_q <= 1'b0;
      error_q <= 1'b0;
      hand_q <= 10'd0;
      short_q <= 10'd0;
      short_some_q <= 1'b0;
      short_four_q <= 1'b0;
    end else begin
      pool_q <= (four_taken && of_pool) ? pool_less_4 : (one_taken && of_pool) ? pool_less_1
                                                                            : pool_kept;
      back_q <= back != NONE;
      error_q <= cr_known && down == NONE;
      if (starts || next_load) hand_q <= 10'd0;
      else hand_q <= four_taken ? hand_more_4 : one_taken ? hand_more_1 : hand_q;
      if (next_load) begin
        short_q <= rounded[12:3];
        short_some_q <= 1'b1;
        short_four_q <= rounded[12:5] != 8'd0;
      end else if (four_taken) begin
        short_q <= short_less_4;
        short_some_q <= short_less_4 != 10'd0;
        short_four_q <= short_less_4[9:2] != 8'd0;
      end else if (one_taken) begin
        short_q <= short_less_1;
        short_some_q <= short_less_1 != 10'd0;
        short_four_q <= short_less_1[9:2] != 8'd0;
      end
    end
  end

  wire unused = &{1'b0, words_count, packets_count, data_there, rounded[2:0]};

  assign out_valid_o = out_valid_q;
  assign out_head_o = out_head_q;
  assign out_tail_o = out_tail_q;
  assign out_vl_o = out_vl_q;
  assign out_data_o = out_data_q;
  assign dropped_o = dropped_q;
  assign error_o = error_q;

  `LOOM_ASSERT(words_are_there, idle || data_there)
  `LOOM_ASSERT(pool_not_overdrawn,
      !of_pool || (four_taken ? four_free : !one_taken || one_free))
  `LOOM_ASSERT(nothing_without_valid,
      out_valid_q || {out_head_q, out_tail_q, out_vl_q, out_data_q} == 71'd0)

endmodule

`default_nettype wire
