// SPDX-License-Identifier: Apache-2.0

// loom_axis_link_tx: frames of an AXI4-Stream become packets on a link of docs/link.md.
//
// Contract: the stream keeps AXI's rules; the far end gives back only what it was sent. A packet
//   goes only when the credits of all of it are there, and then without a gap.
// Algorithm: words wait in one FIFO and packets, when all of their words are there, in another; a
//   frame longer than a packet may be becomes a train. A loom_credit_tracker counts the far end's
//   units by lane.
// Latency: 3 cycles from the last word of a frame to the head of its packet, if it has credits;
//   then a flit every cycle.
// Wait bound: START after reset; a packet waits for the packets before it and its credits.
// Parameters: VLS (lanes, 2..32), UNITS (of the buffer at the far end, 16..4095), RESERVED (of
//   them to each lane), MTU_FLITS (of the longest packet, 2..4095), WORDS (that wait, MTU_FLITS -
//   1..4096), PACKETS (that wait, 1..4096), START (cycles after reset without a flit, 0..1023).
// Realises: OP-06, OP-08, DT-10; probes left, waits.
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
  reg [8:0] next_units_q;
  reg [4:0] next_lane_q;
  reg next_known_q;                     // its VL has a lane
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
  wire granted;
  wire starts = due && next_known_q && granted;
  wire drops = due && !next_known_q;
  wire body = !idle && !drop_q;
  wire [4:0] packet_vl = packet[4:0];
  wire management = packet_vl == 5'd15;
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
      next_units_q <= rounded[11:3];
      next_lane_q <= management ? MGMT : packet_vl;
      next_known_q <= management || {1'b0, packet_vl} < NO_LANE;
    end
  end

  // ---- Credits ----------------------------------------------------------------------------------

  wire cr_management = cr_vl_i == 5'd15;
  wire cr_known = cr_management || {1'b0, cr_vl_i} < NO_LANE;
  wire [VLS*12-1:0] avail;
  wire [VLS*12-1:0] used;
  wire config_ok;

  loom_credit_tracker #(
    .VLS(VLS),
    .COUNT_W(12),
    .SIZE_W(10),
    .UNITS(UNITS),
    .MAX_UNITS(UNITS),
    .RESERVED(RESERVED)
  ) u_credits (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(1'b0),
    .cfg_addr_i(7'd0),
    .cfg_data_i(12'd0),
    .consume_valid_i(due && next_known_q),
    .consume_vl_i(next_lane_q),
    .consume_size_i({1'b0, next_units_q}),
    .consume_ok_o(granted),
    .return_valid_i(cr_valid_i && cr_known),
    .return_vl_i(cr_management ? MGMT : cr_vl_i),
    .avail_o(avail),
    .used_o(used),
    .config_ok_o(config_ok),
    .error_o(error_o)
  );

  wire unused = &{1'b0, words_count, packets_count, avail, used, config_ok, data_there,
                  rounded[12], rounded[2:0]};

  assign out_valid_o = out_valid_q;
  assign out_head_o = out_head_q;
  assign out_tail_o = out_tail_q;
  assign out_vl_o = out_vl_q;
  assign out_data_o = out_data_q;
  assign dropped_o = dropped_q;

  `LOOM_ASSERT(words_are_there, idle || data_there)
  `LOOM_ASSERT(nothing_without_valid,
      out_valid_q || {out_head_q, out_tail_q, out_vl_q, out_data_q} == 71'd0)

endmodule

`default_nettype wire
