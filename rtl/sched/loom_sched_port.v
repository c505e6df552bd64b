// SPDX-License-Identifier: Apache-2.0

// loom_sched_port: one output port of a switch, complete: queues for all VLs, an output scheduler
//   and credits between two links.
//
// Contract: link in and link out as in docs/link.md; a packet is its head and the len - 1 flits
//   that follow on its VL. A packet leaves when the far end can take all of it; the sender gets its
//   units back as they are freed. Register bus: one access a cycle, read data 3 cycles after the
//   read. All outputs are registered.
// Algorithm: input register, loom_vl_buffer, a scheduler, a loom_credit_tracker of the far end,
//   output register.
// Latency: 9 cycles from link in to link out, unloaded. Packets of 5 flits or more follow without a
//   gap.
// Wait bound: the scheduler's, in packets; a VL below its reserves is never kept out by another VL.
// Parameters: SCHED (0 sched_rr, 1 sched_sbt, 2 sched_dtable, 3 sched_ibarb), VLS (1..32), KEYS
//   (1..32; at least VLS if ARB_KEY is 0), ARB_KEY (the key is 0: the VL, 1: the SL), MGMT_VL
//   (management VL, 0..32; none if >= VLS), CELLS (units of 64 bytes in the buffer, 16..4096),
//   RESERVED (of them to each VL), REMOTE_UNITS (units in the buffer of the far end, 16..4095),
//   REMOTE_RESERVED (of them to each VL), ENTRIES (1..128), IB_WEIGHTS (0, 1), N_HIGH, N_LOW
//   (1..128; all four the schedulers').
// Realises: OP-06, OP-08, OP-13, OP-18, OP-19, OP-20, SC-01..04, DT-01..04, IB-02..06.
// Page: docs/sched_port.md.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"

module loom_sched_port #(
  parameter integer SCHED           = 2,
  parameter integer VLS             = 16,
  parameter integer KEYS            = 32,
  parameter integer ARB_KEY         = 1,
  parameter integer MGMT_VL         = 15,
  parameter integer CELLS           = 1024,
  parameter integer RESERVED        = 16,
  parameter integer REMOTE_UNITS    = 1024,
  parameter integer REMOTE_RESERVED = 16,
  parameter integer ENTRIES         = 128,
  parameter integer IB_WEIGHTS      = 0,
  parameter integer N_HIGH          = 64,
  parameter integer N_LOW           = 64
) (
  input  wire        clk_i,
  input  wire        rst_i,

  input  wire        in_valid_i,
  input  wire        in_head_i,
  input  wire        in_tail_i,
  input  wire [4:0]  in_vl_i,
  input  wire [63:0] in_data_i,
  output wire        in_cr_valid_o,
  output wire [4:0]  in_cr_vl_o,

  output reg         out_valid_o,
  output reg         out_head_o,
  output reg         out_tail_o,
  output reg  [4:0]  out_vl_o,
  output reg  [63:0] out_data_o,
  input  wire        out_cr_valid_i,
  input  wire [4:0]  out_cr_vl_i,

  input  wire        reg_we_i,
  input  wire        reg_re_i,
  input  wire [11:0] reg_addr_i,
  input  wire [31:0] reg_wdata_i,
  output reg         reg_rvalid_o,
  output reg  [31:0] reg_rdata_o
);

  localparam integer LEN_W = 12;
  localparam integer SIZE_W = 10;
  localparam integer CREDIT_W = 12;
  localparam integer COUNT_W = $clog2(CELLS + 1);

  generate
    if (SCHED < 0 || SCHED > 3) begin : g_bad_sched
      loom_sched_port_SCHED_must_be_0_to_3 u_error ();
    end
    if (VLS < 1 || VLS > 32) begin : g_bad_vls
      loom_sched_port_VLS_must_be_1_to_32 u_error ();
    end
    if (CELLS < 16 || CELLS > 4096) begin : g_bad_cells
      loom_sched_port_CELLS_must_be_16_to_4096 u_error ();
    end
    if (RESERVED < 0 || VLS * RESERVED > CELLS) begin : g_bad_reserved
      loom_sched_port_RESERVED_must_be_0_to_CELLS_by_VLS u_error ();
    end
    if (REMOTE_UNITS < 16 || REMOTE_UNITS > 4095) begin : g_bad_remote_units
      loom_sched_port_REMOTE_UNITS_must_be_16_to_4095 u_error ();
    end
    if (REMOTE_RESERVED < 0 || VLS * REMOTE_RESERVED > REMOTE_UNITS) begin : g_bad_remote_reserved
      loom_sched_port_REMOTE_RESERVED_must_be_0_to_REMOTE_UNITS_by_VLS u_error ();
    end
    if (ENTRIES < 1 || ENTRIES > 128) begin : g_bad_entries
      loom_sched_port_ENTRIES_must_be_1_to_128 u_error ();
    end
    if (IB_WEIGHTS < 0 || IB_WEIGHTS > 1) begin : g_bad_ib_weights
      loom_sched_port_IB_WEIGHTS_must_be_0_to_1 u_error ();
    end
    if (N_HIGH < 1 || N_HIGH > 128) begin : g_bad_n_high
      loom_sched_port_N_HIGH_must_be_1_to_128 u_error ();
    end
    if (N_LOW < 1 || N_LOW > 128) begin : g_bad_n_low
      loom_sched_port_N_LOW_must_be_1_to_128 u_error ();
    end
  endgenerate

  // 1. Input register.
  reg in_valid_q;
  reg in_head_q;
  reg in_tail_q;
  reg [4:0] in_vl_q;
  reg [63:0] in_data_q;
  reg cr_valid_q;
  reg [4:0] cr_vl_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      in_valid_q <= 1'b0;
      in_head_q  <= 1'b0;
      in_tail_q  <= 1'b0;
      in_vl_q    <= 5'd0;
      in_data_q  <= 64'd0;
      cr_valid_q <= 1'b0;
      cr_vl_q    <= 5'd0;
    end else begin
      in_valid_q <= in_valid_i;
      in_head_q  <= in_valid_i && in_head_i;
      in_tail_q  <= in_valid_i && in_tail_i;
      in_vl_q    <= in_valid_i ? in_vl_i : 5'd0;
      in_data_q  <= in_valid_i ? in_data_i : 64'd0;
      cr_valid_q <= out_cr_valid_i;
      cr_vl_q    <= out_cr_valid_i ? out_cr_vl_i : 5'd0;
    end
  end

  // The register bus, its first stage.
  reg reg_we_q;
  reg reg_re_q;
  reg [11:0] reg_addr_q;
  reg [31:0] reg_wdata_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      reg_we_q    <= 1'b0;
      reg_re_q    <= 1'b0;
      reg_addr_q  <= 12'd0;
      reg_wdata_q <= 32'd0;
    end else begin
      reg_we_q    <= reg_we_i;
      reg_re_q    <= reg_re_i;
      reg_addr_q  <= reg_addr_i;
      reg_wdata_q <= reg_wdata_i;
    end
  end

  wire at_control = reg_addr_q == `LOOM_PORT_REG_CONTROL;
  wire at_map = `LOOM_IS_PORT_REG_SC2SL(reg_addr_q);
  wire at_buffer = `LOOM_IS_PORT_REG_BUFFER(reg_addr_q);
  wire at_remote = `LOOM_IS_PORT_REG_TRACKER(reg_addr_q);
  wire at_table = `LOOM_IS_PORT_REG_TABLE(reg_addr_q);
  wire table_we = reg_we_q && at_table;

  // Control and SC2SL.
  reg hold_q;
  reg [4:0] sc2sl_q[0:31];
  integer i;
  always @(posedge clk_i) begin
    if (rst_i) begin
      hold_q <= 1'b0;
      for (i = 0; i < 32; i = i + 1) sc2sl_q[i] <= i[4:0];
    end else if (reg_we_q) begin
      if (at_control) hold_q <= reg_wdata_q[`LOOM_PORT_REG_CONTROL_HOLD];
      if (at_map) sc2sl_q[reg_addr_q[4:0]] <= reg_wdata_q[`LOOM_PORT_REG_SC2SL_SL];
    end
  end

  // 2. Write: the queues.
  wire [VLS-1:0] head_valid;
  wire [VLS*SIZE_W-1:0] head_size;
  wire [VLS*5-1:0] head_sl;
  wire take;
  wire take_ready;
  wire grant_valid;
  wire [4:0] grant_vl;
  wire [SIZE_W-1:0] grant_size;
  wire drop_valid;
  wire buffer_error;
  wire rd_valid;
  wire rd_head;
  wire rd_tail;
  wire [4:0] rd_vl;
  wire [63:0] rd_data;
  wire [4:0] unused_drop_vl;
  wire [VLS*COUNT_W-1:0] unused_used;
  wire [6:0] cfg_addr = reg_addr_q[6:0];

  loom_vl_buffer #(
    .VLS(VLS),
    .CELLS(CELLS),
    .CELL_FLITS(8),
    .WIDTH(64),
    .LEN_W(LEN_W),
    .INFO_W(5),
    .RESERVED(RESERVED),
    .EARLY(8)
  ) u_buffer (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(reg_we_q && at_buffer),
    .cfg_addr_i(cfg_addr),
    .cfg_data_i(reg_wdata_q[COUNT_W-1:0]),
    .wr_valid_i(in_valid_q),
    .wr_vl_i(in_vl_q),
    .wr_head_i(in_head_q),
    .wr_data_i(in_data_q),
    .wr_len_i(in_data_q[`LOOM_HEAD_LEN]),
    .wr_info_i(sc2sl_q[in_data_q[`LOOM_HEAD_SC]]),
    .drop_valid_o(drop_valid),
    .drop_vl_o(unused_drop_vl),
    .error_o(buffer_error),
    .head_valid_o(head_valid),
    .head_size_o(head_size),
    .head_info_o(head_sl),
    .take_i(take),
    .take_vl_i(grant_vl),
    .take_ready_o(take_ready),
    .rd_valid_o(rd_valid),
    .rd_head_o(rd_head),
    .rd_tail_o(rd_tail),
    .rd_vl_o(rd_vl),
    .rd_data_o(rd_data),
    .free_valid_o(in_cr_valid_o),
    .free_vl_o(in_cr_vl_o),
    .used_o(unused_used)
  );

  // 3. Schedule, against the credits of the far end.
  reg [1:0] settle_q;
  always @(posedge clk_i) begin
    if (rst_i) settle_q <= 2'd0;
    else if (grant_valid) settle_q <= 2'd2;
    else if (settle_q != 2'd0) settle_q <= settle_q - 2'd1;
  end
  wire request = take_ready && !hold_q && !grant_valid && settle_q == 2'd0;

  wire [VLS*CREDIT_W-1:0] avail;
  wire consume_ok;
  wire remote_error;
  wire unused_config_ok;
  wire [VLS*CREDIT_W-1:0] unused_remote_used;

  loom_credit_tracker #(
    .VLS(VLS),
    .COUNT_W(CREDIT_W),
    .SIZE_W(SIZE_W),
    .UNITS(REMOTE_UNITS),
    .MAX_UNITS(REMOTE_UNITS),
    .RESERVED(REMOTE_RESERVED)
  ) u_remote (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .cfg_we_i(reg_we_q && at_remote),
    .cfg_addr_i(cfg_addr),
    .cfg_data_i(reg_wdata_q[CREDIT_W-1:0]),
    .consume_valid_i(grant_valid),
    .consume_vl_i(grant_vl),
    .consume_size_i(grant_size),
    .consume_ok_o(consume_ok),
    .return_valid_i(cr_valid_q),
    .return_vl_i(cr_vl_q),
    .avail_o(avail),
    .used_o(unused_remote_used),
    .config_ok_o(unused_config_ok),
    .error_o(remote_error)
  );

  wire [31:0] table_rdata;

  loom_sched_select #(
    .SCHED(SCHED),
    .VLS(VLS),
    .KEYS(KEYS),
    .ARB_KEY(ARB_KEY),
    .MGMT_VL(MGMT_VL),
    .ENTRIES(ENTRIES),
    .IB_WEIGHTS(IB_WEIGHTS),
    .N_HIGH(N_HIGH),
    .N_LOW(N_LOW)
  ) u_sched (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(request),
    .head_valid_i(head_valid),
    .head_size_i(head_size),
    .head_sl_i(head_sl),
    .credits_i(avail),
    .table_we_i(table_we),
    .table_addr_i(reg_addr_q[9:0]),
    .table_data_i(reg_wdata_q),
    .table_rdata_o(table_rdata),
    .grant_valid_o(grant_valid),
    .grant_vl_o(grant_vl),
    .grant_size_o(grant_size)
  );

  // 4. Take.
  assign take = grant_valid && consume_ok;

  // 5. Output register.
  always @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_o <= 1'b0;
      out_head_o  <= 1'b0;
      out_tail_o  <= 1'b0;
      out_vl_o    <= 5'd0;
      out_data_o  <= 64'd0;
    end else begin
      out_valid_o <= rd_valid;
      out_head_o  <= rd_head;
      out_tail_o  <= rd_tail;
      out_vl_o    <= rd_vl;
      out_data_o  <= rd_data;
    end
  end

  // Counters.
  reg [31:0] flits_in_q;
  reg [31:0] packets_in_q;
  reg [31:0] flits_out_q;
  reg [31:0] packets_out_q;
  reg [31:0] drops_q;
  reg [31:0] buffer_errors_q;
  reg [31:0] remote_errors_q;
  reg [31:0] lost_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      flits_in_q      <= 32'd0;
      packets_in_q    <= 32'd0;
      flits_out_q     <= 32'd0;
      packets_out_q   <= 32'd0;
      drops_q         <= 32'd0;
      buffer_errors_q <= 32'd0;
      remote_errors_q <= 32'd0;
      lost_q          <= 32'd0;
    end else begin
      if (in_valid_q) flits_in_q <= flits_in_q + 32'd1;
      if (in_tail_q) packets_in_q <= packets_in_q + 32'd1;
      if (rd_valid) flits_out_q <= flits_out_q + 32'd1;
      if (rd_tail) packets_out_q <= packets_out_q + 32'd1;
      if (drop_valid) drops_q <= drops_q + 32'd1;
      if (buffer_error) buffer_errors_q <= buffer_errors_q + 32'd1;
      if (remote_error) remote_errors_q <= remote_errors_q + 32'd1;
      if (grant_valid && !consume_ok) lost_q <= lost_q + 32'd1;
    end
  end

  // The register bus, its second stage (what stands here) and its third (or the word of the table).
  wire [4:0] map_word = sc2sl_q[reg_addr_q[4:0]];
  localparam integer DEVICE = `LOOM_DEVICE_ID_SCHED_PORT;
  localparam [31:0] IDENTITY = {`LOOM_ID_MAGIC_VALUE, DEVICE[7:0], SCHED[3:0], VLS[5:0], KEYS[5:0]};
  reg [31:0] word;
  always @* begin
    case (reg_addr_q)
      `LOOM_PORT_REG_CONTROL: word = {31'd0, hold_q};
      `LOOM_PORT_REG_ID: word = IDENTITY;
      `LOOM_PORT_REG_FLITS_IN: word = flits_in_q;
      `LOOM_PORT_REG_PACKETS_IN: word = packets_in_q;
      `LOOM_PORT_REG_FLITS_OUT: word = flits_out_q;
      `LOOM_PORT_REG_PACKETS_OUT: word = packets_out_q;
      `LOOM_PORT_REG_DROPS: word = drops_q;
      `LOOM_PORT_REG_BUFFER_ERRORS: word = buffer_errors_q;
      `LOOM_PORT_REG_TRACKER_ERRORS: word = remote_errors_q;
      `LOOM_PORT_REG_LOST: word = lost_q;
      default: word = at_map ? {27'd0, map_word} : 32'd0;
    endcase
  end

  reg read_q;
  reg table_q;
  reg [31:0] word_q;
  always @(posedge clk_i) begin
    if (rst_i) begin
      read_q       <= 1'b0;
      table_q      <= 1'b0;
      word_q       <= 32'd0;
      reg_rvalid_o <= 1'b0;
      reg_rdata_o  <= 32'd0;
    end else begin
      read_q       <= reg_re_q;
      table_q      <= reg_re_q && at_table;
      word_q       <= reg_re_q ? word : 32'd0;
      reg_rvalid_o <= read_q;
      reg_rdata_o  <= table_q ? table_rdata : word_q;
    end
  end

  `LOOM_ASSERT(link_0_without_flit,
      out_valid_o || {out_head_o, out_tail_o, out_vl_o, out_data_o} == 71'd0)
  `LOOM_ASSERT(credit_names_no_vl_without_one, in_cr_valid_o || in_cr_vl_o == 5'd0)
  `LOOM_ASSERT(data_0_without_read, reg_rvalid_o || reg_rdata_o == 32'd0)

endmodule

`default_nettype wire
