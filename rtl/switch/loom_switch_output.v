// SPDX-License-Identifier: Apache-2.0

// loom_switch_output: the output unit of a port: the output buffer, a scheduler and the credits of
//   the far end.
// Inside: loom_ib_switch, loom_opa_switch, loom_kns_node, loom_kns_switch
//
// Contract: announce_i brings the record {sl, lane, len} of a packet for which the buffer has room;
//   its words follow on wr_*. Link out as in docs/link.md: a packet leaves when the far end can
//   take all of it.
// Algorithm: the record waits D_OUT cycles and joins the queue of its lane; from there as in
//   loom_sched_port.
// Latency: a record in cycle g shows in the queue in g + D_OUT + 1; its head is on the link at the
//   earliest in g + D_OUT + 5.
// Wait bound: the scheduler's, in packets.
// Parameters: VLS (2..32), LANES (1, 2, 4: flits of a word), CELLS, RESERVED (the buffer's),
//   REMOTE_UNITS, REMOTE_RESERVED (the far end's), D_OUT (0..255), SCHED, KEYS, ARB_KEY, ENTRIES,
//   IB_WEIGHTS, N_HIGH, N_LOW (the scheduler's).
// Realises: OP-06, OP-08, OP-13, OP-18, OP-19, OP-20, SC-01..04, DT-01..04, IB-02..06.
// Page: docs/switch.md, section Output unit.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_switch_output #(
  parameter integer VLS             = 9,
  parameter integer LANES           = 4,
  parameter integer CELLS           = 1024,
  parameter integer RESERVED        = 32,
  parameter integer REMOTE_UNITS    = 1024,
  parameter integer REMOTE_RESERVED = 32,
  parameter integer D_OUT           = 0,
  parameter integer SCHED           = 2,
  parameter integer KEYS            = 32,
  parameter integer ARB_KEY         = 1,
  parameter integer ENTRIES         = 128,
  parameter integer IB_WEIGHTS      = 0,
  parameter integer N_HIGH          = 64,
  parameter integer N_LOW           = 64
) (
  input  wire                             clk_i,
  input  wire                             rst_i,

  // From allocation.
  input  wire                             announce_i,
  input  wire [21:0]                      record_i,
  input  wire                             wr_valid_i,
  input  wire [4:0]                       wr_lane_i,
  input  wire                             wr_first_i,
  input  wire [2:0]                       wr_flits_i,
  input  wire [LANES*64-1:0]              wr_data_i,
  output wire [VLS*($clog2(CELLS+1))-1:0] avail_o,
  output wire                             cfg_we_o,  // the buffer's tracker is being written
  output wire                             idle_o,  // no unit in use

  // The link.
  output wire                             out_valid_o,
  output wire                             out_head_o,
  output wire                             out_tail_o,
  output wire [4:0]                       out_vl_o,
  output wire [63:0]                      out_data_o,
  input  wire                             out_cr_valid_i,
  input  wire [4:0]                       out_cr_vl_i,

  // Registers of this port; read data two cycles after.
  input  wire                             in_error_i,  // of the input buffer
  input  wire                             reg_we_i,
  input  wire                             reg_re_i,
  input  wire [11:0]                      reg_addr_i,
  input  wire [31:0]                      reg_data_i,
  output wire [31:0]                      reg_rdata_o
);

  `LOOM_REQUIRE(announces_where_there_is_room, !announce_i || announce_ok)

  localparam integer COUNT_W = $clog2(CELLS + 1);
  localparam integer MGMT_I  = (VLS > 16) ? 15 : VLS - 1;
  localparam [4:0] MGMT      = MGMT_I[4:0];

  // ---- The buffer -------------------------------------------------------------------------------

  wire queue_valid;
  wire [4:0] queue_sl;
  wire [4:0] queue_lane;
  wire [11:0] queue_len;

  loom_delay #(
    .DEPTH(D_OUT),
    .WIDTH(22)
  ) u_record (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .valid_i(announce_i),
    .data_i(record_i),
    .valid_o(queue_valid),
    .data_o({queue_sl, queue_lane, queue_len})
  );

  wire [VLS-1:0] head_valid;
  wire [VLS*12-1:0] head_len;
  wire [VLS*5-1:0] head_sl;
  wire take;
  wire take_ready;
  wire grant_valid;
  wire [4:0] grant_vl;
  wire [9:0] grant_size;
  wire [4:0] rd_lane;
  wire [LANES*64-1:0] rd_data;
  wire [VLS*COUNT_W-1:0] used;
  wire [COUNT_W-1:0] total;
  wire buffer_error;
  wire announce_ok;
  wire unused_announce_ok = announce_ok;
  wire unused_rd_done;
  wire unused_rd_busy;
  wire [2:0] unused_rd_flits;
  wire [1:0] unused_rd_lane;
  wire unused_free_valid;
  wire [4:0] unused_free_vl;
  wire cfg_we = reg_we_i && `LOOM_IS_SWITCH_WIN_TRACKER_OUT(reg_addr_i);

  loom_packet_buffer #(
    .VLS(VLS),
    .CELLS(CELLS),
    .LANES(LANES),
    .RD_FLITS(1),
    .INFO_W(5),
    .RESERVED(RESERVED),
    .EARLY(8)
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
    .queue_info_i(queue_sl),
    .wr_valid_i(wr_valid_i),
    .wr_vl_i(wr_lane_i),
    .wr_first_i(wr_first_i),
    .wr_flits_i(wr_flits_i),
    .wr_data_i(wr_data_i),
    .head_valid_o(head_valid),
    .head_len_o(head_len),
    .head_info_o(head_sl),
    .take_i(take),
    .take_vl_i(grant_vl),
    .take_ready_o(take_ready),
    .rd_done_o(unused_rd_done),
    .rd_busy_o(unused_rd_busy),
    .rd_valid_o(out_valid_o),
    .rd_vl_o(rd_lane),
    .rd_first_o(out_head_o),
    .rd_last_o(out_tail_o),
    .rd_flits_o(unused_rd_flits),
    .rd_lane_o(unused_rd_lane),
    .rd_data_o(rd_data),
    .free_valid_o(unused_free_valid),
    .free_vl_o(unused_free_vl),
    .used_o(used),
    .avail_o(avail_o),
    .total_o(total),
    .error_o(buffer_error)
  );

  assign cfg_we_o = cfg_we;
  assign idle_o = total == {COUNT_W{1'b0}};

  // The link: the flit is the only lane that is not 0.
  assign out_vl_o = (out_valid_o && rd_lane == MGMT) ? 5'd15 : rd_lane;
  generate
    if (LANES == 4) begin : g_four
      assign out_data_o = rd_data[63:0] | rd_data[127:64] | rd_data[191:128] | rd_data[255:192];
    end else if (LANES == 2) begin : g_two
      assign out_data_o = rd_data[63:0] | rd_data[127:64];
    end else begin : g_one
      assign out_data_o = rd_data;
    end
  endgenerate

  // ---- The far end ------------------------------------------------------------------------------

  reg cr_q;
  reg [4:0] cr_lane_q;
  wire cr_ok;
  wire [4:0] cr_lane;

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(out_cr_vl_i),
    .ok_o(cr_ok),
    .lane_o(cr_lane)
  );

  always @(posedge clk_i) begin
    if (rst_i) begin
      cr_q <= 1'b0;
      cr_lane_q <= 5'd0;
    end else begin
      cr_q <= out_cr_valid_i && cr_ok;
      if (out_cr_valid_i) cr_lane_q <= cr_lane;
    end
  end

  wire consume_ok;
  wire remote_error;
  wire [VLS*12-1:0] credits;
  wire [VLS*12-1:0] unused_used;
  wire unused_config_ok;

  loom_credit_tracker #(
    .VLS(VLS),
    .COUNT_W(12),
    .SIZE_W(10),
    .UNITS(REMOTE_UNITS),
    .MAX_UNITS(REMOTE_UNITS),
    .RESERVED(REMOTE_RESERVED)
  ) u_remote (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(reg_we_i && `LOOM_IS_SWITCH_WIN_TRACKER_FAR(reg_addr_i)),
    .cfg_addr_i(reg_addr_i[6:0]),
    .cfg_data_i(reg_data_i[11:0]),
    .consume_valid_i(grant_valid),
    .consume_vl_i(grant_vl),
    .consume_size_i(grant_size),
    .consume_ok_o(consume_ok),
    .return_valid_i(cr_q),
    .return_vl_i(cr_lane_q),
    .avail_o(credits),
    .used_o(unused_used),
    .config_ok_o(unused_config_ok),
    .error_o(remote_error)
  );

  // ---- The scheduler ----------------------------------------------------------------------------

  reg hold_q;
  reg [1:0] settle_q;
  reg [VLS*10-1:0] head_size;
  reg [VLS-1:0] waits;                          // heads that wait for credits
  reg [11:0] take_len;
  reg [4:0] take_sl;
  integer l;

  always @* begin
    take_len = 12'd0;
    take_sl = 5'd0;
    for (l = 0; l < VLS; l = l + 1) begin
      head_size[l*10 +: 10] = {1'b0, head_len[l*12+3 +: 9]}
                              + {9'd0, head_len[l*12 +: 3] != 3'd0};
      waits[l] = head_valid[l] && {2'd0, head_size[l*10 +: 10]} > credits[l*12 +: 12];
      if (take && grant_vl == l[4:0]) begin
        take_len = take_len | head_len[l*12 +: 12];
        take_sl = take_sl | head_sl[l*5 +: 5];
      end
    end
  end

  wire [31:0] table_word;

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
    .request_i(take_ready && !hold_q && !grant_valid && settle_q == 2'd0),
    .head_valid_i(head_valid),
    .head_size_i(head_size),
    .head_sl_i(head_sl),
    .credits_i(credits),
    .table_we_i(reg_we_i && `LOOM_IS_SWITCH_WIN_TABLE(reg_addr_i)),
    .table_addr_i(reg_addr_i[9:0]),
    .table_data_i(reg_data_i),
    .table_rdata_o(table_word),
    .grant_valid_o(grant_valid),
    .grant_vl_o(grant_vl),
    .grant_size_o(grant_size)
  );

  assign take = grant_valid && consume_ok;

  always @(posedge clk_i) begin
    if (rst_i) begin
      hold_q <= 1'b0;
      settle_q <= 2'd0;
    end else begin
      if (reg_we_i && reg_addr_i == `LOOM_SWITCH_WIN_HOLD) hold_q <= reg_data_i[0];
      settle_q <= grant_valid ? 2'd2 : (settle_q != 2'd0) ? settle_q - 2'd1 : 2'd0;
    end
  end

  // ---- Registers --------------------------------------------------------------------------------

  reg [VLS*COUNT_W-1:0] most_q;                 // largest `used` so far, of each lane
  reg [VLS*32-1:0] wait_q;                      // cycles in which its head waited for credits
  reg announced_q;
  reg [31:0] remote_errors_q;
  reg [31:0] lost_q;
  reg [31:0] buffer_errors_q;
  integer m;

  always @(posedge clk_i) begin
    if (rst_i) begin
      most_q <= {(VLS*COUNT_W){1'b0}};
      wait_q <= {VLS{32'd0}};
      announced_q <= 1'b0;
      remote_errors_q <= 32'd0;
      lost_q <= 32'd0;
      buffer_errors_q <= 32'd0;
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
      if (waits != {VLS{1'b0}}) begin
        for (m = 0; m < VLS; m = m + 1) begin
          if (waits[m]) wait_q[m*32 +: 32] <= wait_q[m*32 +: 32] + 32'd1;
        end
      end
      if (remote_error) remote_errors_q <= remote_errors_q + 32'd1;
      if (grant_valid && !consume_ok) lost_q <= lost_q + 32'd1;
      if (buffer_error || in_error_i) buffer_errors_q <= buffer_errors_q + 32'd1;
    end
  end

  wire [31:0] lane_packets;
  wire [31:0] lane_flits;
  wire [31:0] sl_packets;
  wire [31:0] sl_flits;

  loom_counter_bank #(
    .DEPTH(VLS)
  ) u_lanes (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .add_i(take),
    .add_index_i({1'b0, grant_vl}),
    .add_flits_i(take_len),
    .read_index_i({1'b0, reg_addr_i[4:0]}),
    .read_packets_o(lane_packets),
    .read_flits_o(lane_flits)
  );

  loom_counter_bank #(
    .DEPTH(32)
  ) u_sls (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .add_i(take),
    .add_index_i({1'b0, take_sl}),
    .add_flits_i(take_len),
    .read_index_i({1'b0, reg_addr_i[4:0]}),
    .read_packets_o(sl_packets),
    .read_flits_o(sl_flits)
  );

  reg [COUNT_W-1:0] most;
  reg [31:0] waited;
  integer n;

  always @* begin
    most = {COUNT_W{1'b0}};
    waited = 32'd0;
    for (n = 0; n < VLS; n = n + 1) begin
      if (reg_addr_i[4:0] == n[4:0]) begin
        most = most | most_q[n*COUNT_W +: COUNT_W];
        waited = waited | wait_q[n*32 +: 32];
      end
    end
  end

  reg [31:0] word;
  reg [31:0] word_q;
  reg [4:0] from_q;                             // banks and table: who answers

  always @* begin
    case (reg_addr_i)
      `LOOM_SWITCH_WIN_HOLD: word = {31'd0, hold_q};
      `LOOM_SWITCH_WIN_FAR_ERRORS: word = remote_errors_q;
      `LOOM_SWITCH_WIN_GRANTS_LOST: word = lost_q;
      `LOOM_SWITCH_WIN_BUFFER_ERRORS: word = buffer_errors_q;
      default: begin
        if (`LOOM_IS_SWITCH_WIN_STALLS(reg_addr_i)) begin
          word = waited;
        end else if (`LOOM_IS_SWITCH_WIN_PEAK_OUT(reg_addr_i)) begin
          word = {{(32 - COUNT_W){1'b0}}, most};
        end else begin
          word = 32'd0;
        end
      end
    endcase
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      word_q <= 32'd0;
      from_q <= 5'd0;
    end else begin
      word_q <= reg_re_i ? word : 32'd0;
      from_q[0] <= reg_re_i && `LOOM_IS_SWITCH_WIN_OUT_FLITS(reg_addr_i);
      from_q[1] <= reg_re_i && `LOOM_IS_SWITCH_WIN_OUT_PACKETS(reg_addr_i);
      from_q[2] <= reg_re_i && `LOOM_IS_SWITCH_WIN_SL_FLITS(reg_addr_i);
      from_q[3] <= reg_re_i && `LOOM_IS_SWITCH_WIN_SL_PACKETS(reg_addr_i);
      from_q[4] <= reg_re_i && `LOOM_IS_SWITCH_WIN_TABLE(reg_addr_i);
    end
  end

  assign reg_rdata_o = from_q[0] ? lane_flits : from_q[1] ? lane_packets
                       : from_q[2] ? sl_flits : from_q[3] ? sl_packets
                       : from_q[4] ? table_word : word_q;

  `LOOM_ASSERT(link_0_without_flit,
      out_valid_o || {out_head_o, out_tail_o, out_vl_o, out_data_o} == 71'd0)

endmodule

`default_nettype wire
