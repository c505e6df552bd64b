// SPDX-License-Identifier: Apache-2.0

// loom_output_unit: the last stage of a port: keeps packets in a queue for each lane, decides which
//   of them goes next, and sends it over a link as the credits of the far end allow.
//
// Contract: announce, queue and words as loom_packet_store asks; nothing is queued before ready_o;
//   a packet has 1..MTU_UNITS units and a lane < VLS; a limit is written in a cycle with hold_i
//   that follows three others. A packet goes only with credits for all of it, never in part, and
//   the packets of a lane go in their order. Every output is a register (ready_o two, grant_*_o a
//   few).
// Algorithm: a lane without a head is judged by loom_room_tracker for the largest packet, so that
//   a head may go at once; where there is no room for that, a scan that looks at one lane a cycle
//   has it judged anew for its head. A lane with a head and room is ready for the scheduler, and
//   for loom_lone_grant, which grants a packet that is alone ahead of it; what these grant is
//   consumed and taken from loom_packet_store, or booked until it is taken.
// Latency: a packet alone, with credits: queue_i in c, grant in c + 4, on the link in c + 9; the
//   same while others are sent, if the scheduler has found it by then. Grants are at least 4 cycles
//   apart, 5 after one of more than one unit or with SCHED 0 or 3, 6 with SCHED 1, 7 with 4 or
//   5.
// Wait bound: that of the scheduler among lanes with credits. A lane whose reserve at the far
//   end holds its head has them, whatever others do.
// Parameters: VLS (lanes, 2..32), SCHED (0: loom_round_robin, 1: loom_bandwidth_table,
//   2: loom_deficit_table, 3: loom_two_table, 4: loom_deficit_round_robin,
//   5: loom_fair_queueing), KEYS (1..32; at least
//   VLS if ARB_KEY is 0), ARB_KEY (0: arbitrate lanes, 1: SLs), ENTRIES (of the table with SCHED
//   2, 1..128), N_HIGH, N_LOW (of the tables with SCHED 3, 1..64), CELLS (units of the store,
//   4..4096), LANES (flits of a word that is written, 1, 2, 4), MTU_UNITS (units of the largest
//   packet, 1..512, at most CELLS), REMOTE_UNITS (units of the far end, 16..4095), REMOTE_RESERVED
//   (units of each lane there, VLS times that at most REMOTE_UNITS).
// Realises: OP-06, OP-08, OP-18, OP-19, IB-02, IB-03, IB-04, IB-05, IB-06, DT-01, DT-02, DT-03,
//   DT-04, DT-10, SC-01, SC-02, SC-03, SC-04, SC-09; probes waits, judged, exact, booked, settle,
//   look.
// Page: docs/output_unit.md, section Inside.
`default_nettype none
`include "loom_assert.vh"

module loom_output_unit #(
  parameter integer VLS             = 9,
  parameter integer SCHED           = 2,
  parameter integer KEYS            = 32,
  parameter integer ARB_KEY         = 1,
  parameter integer ENTRIES         = 128,
  parameter integer N_HIGH          = 64,
  parameter integer N_LOW           = 64,
  parameter integer CELLS           = 256,
  parameter integer LANES           = 4,
  parameter integer MTU_UNITS       = 32,
  parameter integer REMOTE_UNITS    = 1024,
  parameter integer REMOTE_RESERVED = 16
) (
  input  wire                       clk_i,
  input  wire                       rst_i,
  input  wire                       announce_i,
  input  wire [11:0]                announce_len_i,
  output wire                       space_o,
  output wire                       announce_ok_o,
  input  wire                       queue_i,
  input  wire [4:0]                 queue_vl_i,
  input  wire [11:0]                queue_len_i,
  input  wire [4:0]                 queue_sl_i,
  input  wire                       queue_more_i,
  input  wire                       wr_valid_i,
  input  wire [4:0]                 wr_vl_i,
  input  wire                       wr_last_i,
  input  wire [2:0]                 wr_flits_i,
  input  wire [LANES*64-1:0]        wr_data_i,
  input  wire                       hold_i,
  input  wire                       cfg_we_i,
  input  wire [6:0]                 cfg_addr_i,
  input  wire [11:0]                cfg_data_i,
  input  wire                       table_we_i,
  input  wire [9:0]                 table_addr_i,
  input  wire [31:0]                table_data_i,
  output wire [31:0]                table_rdata_o,
  output wire                       busy_o,
  output wire                       ready_o,
  output wire                       out_valid_o,
  output wire                       out_head_o,
  output wire                       out_tail_o,
  output wire [4:0]                 out_vl_o,
  output wire [63:0]                out_data_o,
  input  wire                       cr_valid_i,
  input  wire [4:0]                 cr_vl_i,
  output wire                       grant_valid_o,
  output wire [4:0]                 grant_vl_o,
  output wire [4:0]                 grant_key_o,
  output wire [9:0]                 grant_size_o,
  output wire                       head_event_o,
  output wire [4:0]                 head_vl_o,
  output wire [11:0]                head_len_o,
  output wire [4:0]                 head_sl_o,
  output wire                       free_valid_o,
  output wire [4:0]                 free_vl_o,
  output wire                       idle_o,
  output wire                       config_ok_o,
  output wire                       error_o,
  output wire [$clog2(CELLS+1)-1:0] total_o,
  output wire [11:0]                far_o
);

  generate
    if (VLS < 2 || VLS > 32) begin : g_bad_vls
      loom_output_unit_VLS_must_be_2_to_32 u_error ();
    end
    if (SCHED < 0 || SCHED > 5) begin : g_bad_sched
      loom_output_unit_SCHED_must_be_0_to_5 u_error ();
    end
    if (KEYS < 1 || KEYS > 32 || (ARB_KEY == 0 && KEYS < VLS)) begin : g_bad_keys
      loom_output_unit_KEYS_must_be_1_to_32_and_VLS_or_more_with_ARB_KEY_0 u_error ();
    end
    if (ARB_KEY < 0 || ARB_KEY > 1) begin : g_bad_arb_key
      loom_output_unit_ARB_KEY_must_be_0_to_1 u_error ();
    end
    if (ENTRIES < 1 || ENTRIES > 128) begin : g_bad_entries
      loom_output_unit_ENTRIES_must_be_1_to_128 u_error ();
    end
    if (N_HIGH < 1 || N_HIGH > 64) begin : g_bad_n_high
      loom_output_unit_N_HIGH_must_be_1_to_64 u_error ();
    end
    if (N_LOW < 1 || N_LOW > 64) begin : g_bad_n_low
      loom_output_unit_N_LOW_must_be_1_to_64 u_error ();
    end
    if (CELLS < 4 || CELLS > 4096) begin : g_bad_cells
      loom_output_unit_CELLS_must_be_4_to_4096 u_error ();
    end
    if (LANES != 1 && LANES != 2 && LANES != 4) begin : g_bad_lanes
      loom_output_unit_LANES_must_be_1_2_or_4 u_error ();
    end
    if (MTU_UNITS < 1 || MTU_UNITS > 512 || MTU_UNITS > CELLS) begin : g_bad_mtu_units
      loom_output_unit_MTU_UNITS_must_be_1_to_512_and_at_most_CELLS u_error ();
    end
    if (REMOTE_UNITS < 16 || REMOTE_UNITS > 4095) begin : g_bad_remote_units
      loom_output_unit_REMOTE_UNITS_must_be_16_to_4095 u_error ();
    end
    if (REMOTE_RESERVED < 0 || VLS * REMOTE_RESERVED > REMOTE_UNITS) begin : g_bad_remote_reserved
      loom_output_unit_REMOTE_UNITS_must_hold_all_REMOTE_RESERVED u_error ();
    end
  endgenerate

  localparam integer VW = $clog2(VLS);
  localparam integer SIZE_W = $clog2(MTU_UNITS + 1);
  localparam integer MGMT_I = (VLS > 16) ? 15 : VLS - 1;
  localparam integer LAST_I = VLS - 1;
  localparam [4:0] MGMT = MGMT_I[4:0];
  localparam [4:0] LAST = LAST_I[4:0];
  localparam [9:0] MTU = MTU_UNITS[9:0];
  localparam [VLS-1:0] NONE = 0;
  localparam [VLS-1:0] HOT0 = 1;

  wire [9:0] queue_units = {1'b0, queue_len_i[11:3]} + {9'd0, queue_len_i[2:0] != 3'd0};
  wire unused_queue = &{1'b0, queue_units};
  `LOOM_REQUIRE(queue_when_ready, !queue_i || ready_o)
  `LOOM_REQUIRE(queue_not_above_mtu, !queue_i || queue_units <= MTU)

`ifdef LOOM_ASSERT_ON
  reg [2:0] held_q;                     // hold_i of the last three cycles
  always @(posedge clk_i) held_q <= rst_i ? 3'd0 : {held_q[1:0], hold_i};
  `LOOM_REQUIRE(limit_while_held, !cfg_we_i || (hold_i && held_q == 3'd7))
`endif

  // ---- State ------------------------------------------------------------------------------------

  reg [VLS-1:0] waits_q;                // a head is in view that was not granted
  reg [VLS-1:0] judged_q;               // the tracker has judged the lane since its last grant
  reg [VLS-1:0] exact_q;                // its need is the size of its head, not MTU_UNITS
  reg [4:0] scan_q;                     // the lane that is looked at
  reg look_q;                           // the lane of the last cycle lacks room for MTU_UNITS
  reg [4:0] look_vl_q;
  reg [SIZE_W-1:0] look_size_q;
  reg seen1_q;                          // lanes that the tracker is judging
  reg [4:0] seen1_vl_q;
  reg seen2_q;
  reg [4:0] seen2_vl_q;
  reg booked_q;                         // a granted packet that the store did not take yet
  reg [4:0] booked_vl_q;                // 0 without one
  reg [1:0] settle_q;                   // cycles without a request
  reg out_valid_q;
  reg out_head_q;
  reg out_tail_q;
  reg [4:0] out_vl_q;
  reg [63:0] out_data_q;

  // ---- The store --------------------------------------------------------------------------------

  wire head_event;
  wire [4:0] head_vl;
  wire [11:0] head_len;
  wire head_more;
  wire [4:0] head_sl;
  // Whether the last unit is not full goes with the record: the table looks at the size at once.
  wire head_part;
  wire [9:0] head_units = {1'b0, head_len[11:3]} + {9'd0, head_part};
  wire [SIZE_W-1:0] head_size = head_units[SIZE_W-1:0];
  wire unused_units = &{1'b0, head_units};
  wire [VLS-1:0] head_valid;
  wire take;
  wire [4:0] take_vl;
  wire soon;
  wire rd_valid;
  wire [4:0] rd_vl;
  wire rd_first;
  wire rd_last;
  wire [2:0] rd_flits;
  wire [1:0] rd_lane;
  wire [LANES*64-1:0] rd_data;
  wire free_valid;
  wire [4:0] free_vl;

  loom_packet_store #(
    .VLS(VLS),
    .CELLS(CELLS),
    .LANES(LANES),
    .RD_FLITS(1),
    .INFO_W(7),
    .MTU_UNITS(MTU_UNITS),
    .EARLY(16)
  ) u_store (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .announce_i(announce_i),
    .announce_len_i(announce_len_i),
    .space_o(space_o),
    .announce_ok_o(announce_ok_o),
    .queue_i(queue_i),
    .queue_vl_i(queue_vl_i),
    .queue_len_i(queue_len_i),
    .queue_info_i({queue_len_i[2:0] != 3'd0, queue_more_i, queue_sl_i}),
    .wr_valid_i(wr_valid_i),
    .wr_vl_i(wr_vl_i),
    .wr_last_i(wr_last_i),
    .wr_flits_i(wr_flits_i),
    .wr_data_i(wr_data_i),
    .head_valid_o(head_valid),
    .head_event_o(head_event),
    .head_vl_o(head_vl),
    .head_len_o(head_len),
    .head_info_o({head_part, head_more, head_sl}),
    .take_i(take),
    .take_vl_i(take_vl),
    .soon_o(soon),
    .rd_valid_o(rd_valid),
    .rd_vl_o(rd_vl),
    .rd_first_o(rd_first),
    .rd_last_o(rd_last),
    .rd_flits_o(rd_flits),
    .rd_lane_o(rd_lane),
    .rd_data_o(rd_data),
    .free_valid_o(free_valid),
    .free_vl_o(free_vl),
    .total_o(total_o)
  );
  wire unused_store = &{1'b0, head_valid, rd_flits};

  // ---- The credits of the far end ---------------------------------------------------------------

  wire grant;
  wire [4:0] grant_vl;
  wire [SIZE_W-1:0] grant_size;
  wire [9:0] grant_units = {{(10 - SIZE_W){1'b0}}, grant_size};
  wire [VLS-1:0] grant_hot = grant ? HOT0 << grant_vl : NONE;
  wire tracker_ready;
  wire [VLS-1:0] room;
  wire used_valid;
  wire [4:0] used_vl;
  wire [11:0] used;
  wire cr_ok;
  wire [4:0] cr_lane;

  // After a grant of its head a lane is judged for the largest packet again. Only in this cycle
  // does the scan have to wait.
  wire need_again = (grant_hot & exact_q) != NONE;
  wire need_head = look_q && !need_again && !room[look_vl_q[VW-1:0]];
  wire unused_look = &{1'b0, look_vl_q};

  loom_switch_lane #(
    .VLS(VLS)
  ) u_lane (
    .vl_i(cr_vl_i),
    .ok_o(cr_ok),
    .lane_o(cr_lane)
  );

  loom_switch_room #(
    .VLS(VLS),
    .UNITS(REMOTE_UNITS),
    .RESERVED(REMOTE_RESERVED),
    .MTU_UNITS(MTU_UNITS)
  ) u_tracker (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .ready_o(tracker_ready),
    .consume_valid_i(grant),
    .consume_vl_i(grant_vl),
    .consume_size_i(grant_units),
    .return_valid_i(cr_valid_i && cr_ok),
    .return_vl_i(cr_lane),
    .need_valid_i(need_again || need_head),
    .need_vl_i(need_again ? grant_vl : look_vl_q),
    .need_size_i(need_again ? MTU : {{(10 - SIZE_W){1'b0}}, look_size_q}),
    .cfg_we_i(cfg_we_i),
    .cfg_addr_i(cfg_addr_i),
    .cfg_data_i(cfg_data_i),
    .room_o(room),
    .total_o(far_o),
    .used_valid_o(used_valid),
    .used_vl_o(used_vl),
    .used_o(used),
    .idle_o(idle_o),
    .config_ok_o(config_ok_o),
    .error_o(error_o)
  );
  wire unused_tracker = &{1'b0, used};

  // ---- The scheduler ----------------------------------------------------------------------------

  wire table_ready;
  wire request = soon && !hold_i && !booked_q && settle_q == 2'd0;
  wire [VLS-1:0] lane_ready = waits_q & room;
  wire sched_request;
  wire [VLS-1:0] sched_ready;
  wire sched_head;
  wire [4:0] sched_head_vl;
  wire [SIZE_W-1:0] sched_head_size;
  wire [4:0] sched_head_sl;
  wire sched_last;
  wire [KEYS-1:0] served;
  wire sched_grant;
  wire [4:0] sched_grant_vl;
  wire [4:0] sched_grant_key;
  wire [SIZE_W-1:0] sched_grant_size;

  loom_lone_grant #(
    .VLS(VLS),
    .KEYS(KEYS),
    .ARB_KEY(ARB_KEY),
    .MGMT_VL(MGMT_I),
    .SIZE_W(SIZE_W),
    .QUIET(8)
  ) u_lone (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(request),
    .ready_i(lane_ready),
    .head_valid_i(head_event),
    .head_vl_i(head_vl),
    .head_size_i(head_size),
    .head_sl_i(head_sl),
    .head_last_i(SCHED != 2 || !head_more),
    .grant_valid_o(grant),
    .grant_vl_o(grant_vl),
    .grant_key_o(grant_key_o),
    .grant_size_o(grant_size),
    .sched_request_o(sched_request),
    .sched_ready_o(sched_ready),
    .sched_head_valid_o(sched_head),
    .sched_head_vl_o(sched_head_vl),
    .sched_head_size_o(sched_head_size),
    .sched_head_sl_o(sched_head_sl),
    .sched_head_last_o(sched_last),
    .sched_served_i(served),
    .sched_grant_valid_i(sched_grant),
    .sched_grant_vl_i(sched_grant_vl),
    .sched_grant_key_i(sched_grant_key),
    .sched_grant_size_i(sched_grant_size)
  );

  // Parameters and ports that all schedulers have; between them some have their own.
  `define SCHED_PARAMETERS \
    .VLS(VLS), \
    .KEYS(KEYS), \
    .ARB_KEY(ARB_KEY), \
    .MGMT_VL(MGMT_I), \
    .SIZE_W(SIZE_W)
  `define SCHED_HEADS \
    .clk_i(clk_i), \
    .rst_i(rst_i), \
    .request_i(sched_request), \
    .ready_i(sched_ready), \
    .head_valid_i(sched_head), \
    .head_vl_i(sched_head_vl), \
    .head_size_i(sched_head_size), \
    .head_sl_i(sched_head_sl)
  `define SCHED_TABLE \
    .table_we_i(table_we_i), \
    .table_addr_i(table_addr_i), \
    .table_data_i(table_data_i), \
    .table_rdata_o(table_rdata_o), \
    .busy_o(busy_o), \
    .ready_o(table_ready)
  `define SCHED_GRANT \
    .grant_valid_o(sched_grant), \
    .grant_vl_o(sched_grant_vl), \
    .grant_key_o(sched_grant_key), \
    .grant_size_o(sched_grant_size)

  generate
    if (SCHED == 0) begin : g_round_robin
      loom_round_robin #(
        `SCHED_PARAMETERS,
        .STAY_CYCLES(8)
      ) u_table (
        `SCHED_HEADS,
        `SCHED_TABLE,
        `SCHED_GRANT
      );
      assign served = {KEYS{1'b1}};
      wire unused_last = &{1'b0, sched_last};
    end else if (SCHED == 1) begin : g_bandwidth_table
      loom_bandwidth_table #(
        `SCHED_PARAMETERS,
        .STAY_CYCLES(8)
      ) u_table (
        `SCHED_HEADS,
        `SCHED_TABLE,
        `SCHED_GRANT
      );
      assign served = {KEYS{1'b1}};
      wire unused_last = &{1'b0, sched_last};
    end else if (SCHED == 2) begin : g_deficit_table
      loom_deficit_table #(
        `SCHED_PARAMETERS,
        .ENTRIES(ENTRIES),
        .IB_WEIGHTS(0),
        .STAY_CYCLES(8)
      ) u_table (
        `SCHED_HEADS,
        .head_last_i(sched_last),
        `SCHED_TABLE,
        .served_o(served),
        `SCHED_GRANT
      );
    end else if (SCHED == 4) begin : g_deficit_round_robin
      loom_deficit_round_robin #(
        `SCHED_PARAMETERS,
        .STAY_CYCLES(8)
      ) u_table (
        `SCHED_HEADS,
        `SCHED_TABLE,
        `SCHED_GRANT
      );
      assign served = {KEYS{1'b1}};
      wire unused_last = &{1'b0, sched_last};
    end else if (SCHED == 5) begin : g_fair_queueing
      loom_fair_queueing #(
        `SCHED_PARAMETERS,
        .STAY_CYCLES(8)
      ) u_table (
        `SCHED_HEADS,
        `SCHED_TABLE,
        `SCHED_GRANT
      );
      assign served = {KEYS{1'b1}};
      wire unused_last = &{1'b0, sched_last};
    end else begin : g_two_table
      loom_two_table #(
        `SCHED_PARAMETERS,
        .N_HIGH(N_HIGH),
        .N_LOW(N_LOW),
        .STAY_CYCLES(8)
      ) u_table (
        `SCHED_HEADS,
        `SCHED_TABLE,
        .served_o(served),
        `SCHED_GRANT
      );
      wire unused_last = &{1'b0, sched_last};
    end
  endgenerate

  // ---- Heads, and lanes that lack room ----------------------------------------------------------

  wire [VLS-1:0] event_hot = head_event ? HOT0 << head_vl : NONE;
  wire [VLS-1:0] seen_hot = seen2_q ? HOT0 << seen2_vl_q : NONE;
  wire [VLS-1:0] look_hot = need_head ? HOT0 << look_vl_q : NONE;
  wire [VW-1:0] scan = scan_q[VW-1:0];
  wire [SIZE_W-1:0] scan_size;

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(SIZE_W)
  ) u_size (
    .clk_i(clk_i),
    .we_i(head_event),
    .waddr_i(head_vl[VW-1:0]),
    .wdata_i(head_size),
    .raddr_i(scan),
    .rdata_o(scan_size)
  );

  always @(posedge clk_i) begin
    seen1_vl_q <= used_vl;
    seen2_vl_q <= seen1_vl_q;
    if (rst_i) begin
      waits_q <= NONE;
      judged_q <= NONE;
      exact_q <= NONE;
      seen1_q <= 1'b0;
      seen2_q <= 1'b0;
    end else begin
      waits_q <= (waits_q | event_hot) & ~grant_hot;
      judged_q <= (judged_q | seen_hot) & ~grant_hot;
      exact_q <= (exact_q & ~grant_hot) | look_hot;
      seen1_q <= used_valid;
      seen2_q <= seen1_q;
    end
    if (rst_i) begin
      scan_q <= 5'd0;
      look_q <= 1'b0;
    end else if (!(look_q && need_again)) begin
      scan_q <= (scan_q == LAST) ? 5'd0 : scan_q + 5'd1;
      look_q <= waits_q[scan] && judged_q[scan] && !exact_q[scan] && !room[scan] && ready_o;
    end
    if (!(look_q && need_again)) begin
      look_vl_q <= scan_q;
      look_size_q <= scan_size;
    end
  end

  // ---- What was granted is taken from the store -------------------------------------------------

  assign take = (grant || booked_q) && soon;
  assign take_vl = booked_vl_q | grant_vl;      // one of both is 0

  always @(posedge clk_i) begin
    if (rst_i) begin
      booked_q <= 1'b0;
      booked_vl_q <= 5'd0;
      settle_q <= 2'd0;
    end else begin
      booked_q <= (grant || booked_q) && !soon;
      booked_vl_q <= soon ? 5'd0 : take_vl;
      if (grant && grant_units > 10'd1) settle_q <= 2'd2;
      else if (settle_q != 2'd0) settle_q <= settle_q - 2'd1;
    end
  end

  // ---- The link ---------------------------------------------------------------------------------

  wire [63:0] rd_flit;

  generate
    if (LANES == 1) begin : g_one_lane
      wire unused_lane = &{1'b0, rd_lane};
      assign rd_flit = rd_data;
    end else begin : g_lanes
      localparam integer LW = $clog2(LANES);
      wire unused_lane = &{1'b0, rd_lane};
      assign rd_flit = rd_data[{rd_lane[LW-1:0], 6'd0} +: 64];
    end
  endgenerate

  // The fields of the store are 0 without a word, and lane 0 is never the management lane.
  always @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_q <= 1'b0;
      out_head_q <= 1'b0;
      out_tail_q <= 1'b0;
      out_vl_q <= 5'd0;
      out_data_q <= 64'd0;
    end else begin
      out_valid_q <= rd_valid;
      out_head_q <= rd_first;
      out_tail_q <= rd_last;
      out_vl_q <= (rd_vl == MGMT) ? 5'd15 : rd_vl;
      out_data_q <= rd_flit;
    end
  end

  assign ready_o = tracker_ready && table_ready;
  assign grant_valid_o = grant;
  assign grant_vl_o = grant_vl;
  assign grant_size_o = grant_units;
  assign head_event_o = head_event;
  assign head_vl_o = head_vl;
  assign head_len_o = head_len;
  assign head_sl_o = head_sl;
  assign free_valid_o = free_valid;
  assign free_vl_o = free_vl;
  assign out_valid_o = out_valid_q;
  assign out_head_o = out_head_q;
  assign out_tail_o = out_tail_q;
  assign out_vl_o = out_vl_q;
  assign out_data_o = out_data_q;

`ifdef LOOM_ASSERT_ON
  // An error in the second cycle after a grant, if nothing else than it can be its cause.
  reg alone_q;
  reg was_alone_q;
  always @(posedge clk_i) begin
    alone_q <= !rst_i && grant && !cr_valid_i && !cfg_we_i;
    was_alone_q <= !rst_i && alone_q;
  end
  `LOOM_ASSERT(grant_is_admitted, !(was_alone_q && error_o))
`endif
  `LOOM_ASSERT(grant_of_a_head_in_view, (grant_hot & ~(waits_q & head_valid)) == NONE)
  `LOOM_ASSERT(grant_with_room, (grant_hot & ~room) == NONE)
  `LOOM_ASSERT(never_booked_twice, !(booked_q && grant))
  `LOOM_ASSERT(take_only_soon_of_a_head, !take || (soon && (head_valid & HOT0 << take_vl) != NONE))
  `LOOM_ASSERT(fields_0_while_not_valid,
      out_valid_q || {out_head_q, out_tail_q, out_vl_q, out_data_q} == 71'd0)

endmodule

`undef SCHED_PARAMETERS
`undef SCHED_HEADS
`undef SCHED_TABLE
`undef SCHED_GRANT
`default_nettype wire
