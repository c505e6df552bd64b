// SPDX-License-Identifier: Apache-2.0

// loom_opa_central: a central buffer of the Omni-Path switch, target of its MPort's inputs and
//   source of all outputs.
// Inside: loom_opa_switch
//
// Contract: announce_i brings the record {out, sl, lane, len} of a packet for which the buffer has
//   room; its words follow on wr_*. The top holds the register grant_i (it is a probe) and loads it
//   from grant_o; it answers ask_o in the same cycle with granted_i. can_i and room_i have 32 lanes
//   an output.
// Algorithm: the record waits D_C cycles and joins the queue of its lane. The lane that goes is
//   picked round robin, or by a scheduler (SCHED < 4) whose choice stands until it is granted.
// Latency: a record in cycle g is in view of allocation in g + D_C + 1 (a scheduler: 4 cycles
//   more); a packet granted in g is taken in g+1, its first words stand on word_* in g+2.
// Wait bound: allocation's, or the scheduler's.
// Parameters: OUTS (outputs, 8..48), VLS (2..32), RD_FLITS (1..4), CELLS, RESERVED (the buffer's),
//   D_C (0..255), SCHED (0..4; 4: round robin), KEYS, ARB_KEY, ENTRIES, IB_WEIGHTS, N_HIGH, N_LOW
//   (the scheduler's).
// Realises: OP-02, OP-04, OP-05, OP-06, OP-07, OP-08, OP-11.
// Page: docs/opa.md, section opa_switch.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_opa_central #(
  parameter integer OUTS       = 48,
  parameter integer VLS        = 9,
  parameter integer RD_FLITS   = 4,
  parameter integer CELLS      = 1024,
  parameter integer RESERVED   = 32,
  parameter integer D_C        = 0,
  parameter integer SCHED      = 4,
  parameter integer KEYS       = 32,
  parameter integer ARB_KEY    = 1,
  parameter integer ENTRIES    = 128,
  parameter integer IB_WEIGHTS = 0,
  parameter integer N_HIGH     = 64,
  parameter integer N_LOW      = 64
) (
  input  wire                             clk_i,
  input  wire                             rst_i,

  // As a target.
  input  wire                             announce_i,
  input  wire [27:0]                      record_i,
  input  wire                             wr_valid_i,
  input  wire [4:0]                       wr_lane_i,
  input  wire                             wr_first_i,
  input  wire [2:0]                       wr_flits_i,
  input  wire [255:0]                     wr_data_i,
  output wire [VLS*($clog2(CELLS+1))-1:0] avail_o,
  output wire [$clog2(CELLS+1)-1:0]       total_o,
  output wire                             cfg_we_o,  // the tracker is being written
  output wire                             idle_o,  // no unit in use

  // As a source.
  input  wire [OUTS*32-1:0]               can_i,
  input  wire [OUTS*32-1:0]               room_i,
  input  wire                             grant_i,
  output wire                             grant_o,
  output wire                             ask_o,
  output wire [5:0]                       target_o,
  output wire [31:0]                      record_o,
  input  wire                             granted_i,
  output wire                             done_o,
  output wire                             word_valid_o,
  output wire                             word_first_o,
  output wire [2:0]                       word_flits_o,
  output wire [255:0]                     word_data_o,

  // Registers of this buffer; read data two cycles after.
  input  wire                             reg_we_i,
  input  wire                             reg_re_i,
  input  wire [11:0]                      reg_addr_i,
  input  wire [31:0]                      reg_data_i,
  output wire [31:0]                      reg_rdata_o
);

  `LOOM_REQUIRE(announces_where_there_is_room, !announce_i || announce_ok)
  `LOOM_REQUIRE(granted_what_was_asked, !granted_i || ask_o)

  localparam integer COUNT_W = $clog2(CELLS + 1);

  // What waits with a packet: {out, sl}.
  localparam integer OUT_AT  = 5;
  localparam integer INFO_W  = 11;

  localparam integer OW      = $clog2(OUTS);
  localparam integer MGMT_I  = (VLS > 16) ? 15 : VLS - 1;

  // ---- The buffer -------------------------------------------------------------------------------

  wire queue_valid;
  wire [INFO_W-1:0] queue_info;
  wire [4:0] queue_lane;
  wire [11:0] queue_len;

  loom_delay #(
    .DEPTH(D_C),
    .WIDTH(28)
  ) u_record (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .valid_i(announce_i),
    .data_i(record_i),
    .valid_o(queue_valid),
    .data_o({queue_info, queue_lane, queue_len})
  );

  wire [VLS-1:0] head_valid;
  wire [VLS*12-1:0] head_len;
  wire [VLS*INFO_W-1:0] head_info;
  reg [4:0] grant_vl_q;
  wire busy;
  wire done;
  wire [VLS*COUNT_W-1:0] used;
  wire [COUNT_W-1:0] total;
  wire announce_ok;
  wire unused_announce_ok = announce_ok;
  wire unused_take_ready;
  wire [4:0] unused_rd_vl;
  wire unused_rd_last;
  wire [1:0] unused_rd_lane;
  wire unused_free_valid;
  wire [4:0] unused_free_vl;
  wire unused_error;
  wire cfg_we = reg_we_i && `LOOM_IS_OPA_WIN_TRACKER(reg_addr_i);

  loom_packet_buffer #(
    .VLS(VLS),
    .CELLS(CELLS),
    .LANES(4),
    .RD_FLITS(RD_FLITS),
    .INFO_W(INFO_W),
    .RESERVED(RESERVED),
    .EARLY(0)
  ) u_buffer (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(cfg_we),
    .cfg_addr_i(reg_addr_i[6:0]),
    .cfg_data_i(reg_data_i[COUNT_W-1:0]),
    .announce_i(announce_i),
    .announce_vl_i(record_i[`LOOM_PACKET_LANE]),
    .announce_len_i(record_i[`LOOM_PACKET_LEN]),
    .announce_ok_o(announce_ok),
    .queue_i(queue_valid),
    .queue_vl_i(queue_lane),
    .queue_len_i(queue_len),
    .queue_info_i(queue_info),
    .wr_valid_i(wr_valid_i),
    .wr_vl_i(wr_lane_i),
    .wr_first_i(wr_first_i),
    .wr_flits_i(wr_flits_i),
    .wr_data_i(wr_data_i),
    .head_valid_o(head_valid),
    .head_len_o(head_len),
    .head_info_o(head_info),
    .take_i(grant_i),
    .take_vl_i(grant_vl_q),
    .take_ready_o(unused_take_ready),
    .rd_done_o(done),
    .rd_busy_o(busy),
    .rd_valid_o(word_valid_o),
    .rd_vl_o(unused_rd_vl),
    .rd_first_o(word_first_o),
    .rd_last_o(unused_rd_last),
    .rd_flits_o(word_flits_o),
    .rd_lane_o(unused_rd_lane),
    .rd_data_o(word_data_o),
    .free_valid_o(unused_free_valid),
    .free_vl_o(unused_free_vl),
    .used_o(used),
    .avail_o(avail_o),
    .total_o(total),
    .error_o(unused_error)
  );

  assign total_o = total;
  assign cfg_we_o = cfg_we;
  assign idle_o = total == {COUNT_W{1'b0}};

  // ---- Allocation, first stage ------------------------------------------------------------------

  wire free = !grant_i && (!busy || done);
  wire [VLS-1:0] can;                           // heads that can go
  wire [VLS-1:0] choice;                        // lanes that may ask
  wire [31:0] table_word;
  wire unused_data = &{1'b0, reg_data_i};

  generate
    genvar g;
    for (g = 0; g < VLS; g = g + 1) begin : g_can
      localparam [4:0] HERE = g;
      assign can[g] = head_valid[g] && can_i[{head_info[g*INFO_W+OUT_AT +: OW], HERE}];
    end

    if (SCHED < 4) begin : g_sched
      reg choice_q;
      reg [4:0] choice_vl_q;
      reg [1:0] settle_q;
      wire [VLS*10-1:0] head_size;
      wire [VLS*5-1:0] head_sl;
      wire [VLS*12-1:0] credits;
      wire grant_valid;
      wire [4:0] grant_vl;
      wire [9:0] unused_grant_size;
      wire unused = &{1'b0, room_i};

      for (g = 0; g < VLS; g = g + 1) begin : g_lane
        localparam [4:0] HERE = g;
        wire room = head_valid[g] && room_i[{head_info[g*INFO_W+OUT_AT +: OW], HERE}];
        assign head_size[g*10 +: 10] = {1'b0, head_len[g*12+3 +: 9]}
                                       + {9'd0, head_len[g*12 +: 3] != 3'd0};
        assign head_sl[g*5 +: 5] = head_info[g*INFO_W +: 5];
        assign credits[g*12 +: 12] = {12{room}};
        assign choice[g] = choice_q && choice_vl_q == HERE;
      end

      loom_sched_select #(
        .SCHED(SCHED),
        .VLS(VLS),
        .KEYS(KEYS),
        .ARB_KEY(ARB_KEY),
        .MGMT_VL(MGMT_I),
        .ENTRIES(ENTRIES),
        .IB_WEIGHTS(IB_WEIGHTS),
        .N_HIGH(N_HIGH),
        .N_LOW(N_LOW)
      ) u_sched (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .request_i(!choice_q && !grant_valid && !grant_i && settle_q == 2'd0),
        .head_valid_i(head_valid),
        .head_size_i(head_size),
        .head_sl_i(head_sl),
        .credits_i(credits),
        .table_we_i(reg_we_i && `LOOM_IS_OPA_WIN_TABLE(reg_addr_i)),
        .table_addr_i(reg_addr_i[9:0]),
        .table_data_i(reg_data_i),
        .table_rdata_o(table_word),
        .grant_valid_o(grant_valid),
        .grant_vl_o(grant_vl),
        .grant_size_o(unused_grant_size)
      );

      always @(posedge clk_i) begin
        if (rst_i) begin
          choice_q <= 1'b0;
          choice_vl_q <= 5'd0;
          settle_q <= 2'd0;
        end else begin
          if (grant_valid) begin
            choice_q <= 1'b1;
            choice_vl_q <= grant_vl;
          end else if (granted_i) begin
            choice_q <= 1'b0;
          end
          settle_q <= grant_i ? 2'd2 : (settle_q != 2'd0) ? settle_q - 2'd1 : 2'd0;
        end
      end
    end else begin : g_rr
      wire unused = &{1'b0, room_i};
      assign choice = {VLS{1'b1}};
      assign table_word = 32'd0;
    end
  endgenerate

  wire pick;
  wire [4:0] pick_lane;
  wire [11:0] pick_len;
  wire [INFO_W-1:0] pick_info;

  loom_switch_pick #(
    .VLS(VLS),
    .INFO_W(INFO_W)
  ) u_pick (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(free ? can & choice : {VLS{1'b0}}),
    .advance_i(granted_i),
    .head_len_i(head_len),
    .head_info_i(head_info),
    .pick_o(pick),
    .lane_o(pick_lane),
    .len_o(pick_len),
    .info_o(pick_info)
  );

  always @(posedge clk_i) begin
    if (rst_i) grant_vl_q <= 5'd0;
    else if (granted_i) grant_vl_q <= pick_lane;
  end

  assign grant_o = granted_i;
  assign ask_o = pick;
  assign target_o = pick_info[OUT_AT +: 6];
  assign record_o = {4'd0, pick_info, pick_lane, pick_len};
  assign done_o = done;

  // ---- Registers --------------------------------------------------------------------------------

  reg [VLS*COUNT_W-1:0] most_q;                 // largest `used` so far, of each lane
  reg announced_q;
  reg [31:0] word_q;
  reg table_q;
  wire at_most = `LOOM_IS_OPA_WIN_PEAK(reg_addr_i);
  reg [COUNT_W-1:0] most;
  integer m;
  integer n;

  always @* begin
    most = {COUNT_W{1'b0}};
    for (n = 0; n < VLS; n = n + 1) begin
      if (reg_addr_i[4:0] == n[4:0]) most = most | most_q[n*COUNT_W +: COUNT_W];
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      most_q <= {(VLS*COUNT_W){1'b0}};
      announced_q <= 1'b0;
      word_q <= 32'd0;
      table_q <= 1'b0;
    end else begin
      // Only a packet announced in the last cycle can have raised the use of a lane.
      announced_q <= announce_i;
      if (announced_q) begin
        for (m = 0; m < VLS; m = m + 1) begin
          if (used[m*COUNT_W +: COUNT_W] > most_q[m*COUNT_W +: COUNT_W]) begin
            most_q[m*COUNT_W +: COUNT_W] <= used[m*COUNT_W +: COUNT_W];
          end
        end
      end
      word_q <= (reg_re_i && at_most) ? {{(32 - COUNT_W){1'b0}}, most} : 32'd0;
      table_q <= reg_re_i && `LOOM_IS_OPA_WIN_TABLE(reg_addr_i);
    end
  end

  assign reg_rdata_o = table_q ? table_word : word_q;

  `LOOM_ASSERT(data_0_without_word,
      word_valid_o || {word_first_o, word_flits_o, word_data_o} == 260'd0)

endmodule

`default_nettype wire
