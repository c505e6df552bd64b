// SPDX-License-Identifier: Apache-2.0

// loom_crossbar_switch_port: one port: its input unit, crossing and output unit, its LFT or
//   coordinates, the groups of its input, counters and registers, its stage of the register bus.
// Inside: loom_crossbar_switch, loom_mport_switch
//
// Contract: accesses come on bus_*_i and go on to the next port on bus_*_o; answer_i and answer_o
//   run after them, as docs/crossbar_switch.md says. lft_*, lft_count, place, group_*, mode, mtu_*
//   and rule_* lead to all ports and come from registers. With RULE = 1 the port is one of an
//   MPort: its crossing has the sources and the number that docs/mport_switch.md says. All outputs
//   are registers or functions of registers.
// Algorithm: the parts are joined; what is here is decoding, a multiplexer of words to read, the
//   trap that waits, and with GROUPS > 0 the flits that wait for loom_port_group, and the load of
//   this output.
// Latency: a word that is read is in answer_o 3 cycles after the access is on bus_*_o.
// Wait bound: none of its own.
// Parameters: those of loom_crossbar_switch, SPEEDUP up to 4; RULE (0, 1: of the input unit), and
//   of the crossing SOURCES (its inputs), FAST_FROM, FAST_SPEEDUP.
// Realises: OP-01, OP-06, OP-08, OP-10, OP-13, OP-18, OP-19, IB-02, KN-02, TP-02.
// Page: docs/crossbar_switch.md, sections What is joined and Registers; docs/mport_switch.md,
//   section What is joined.
`default_nettype none
`include "loom_fields.vh"
`include "loom_regs.vh"
`define IN_W (64 << $clog2(SPEEDUP))
`define OUT_W (64 << $clog2(SPEEDUP > FAST_SPEEDUP ? SPEEDUP : FAST_SPEEDUP))

module loom_crossbar_switch_port #(
  parameter integer PORTS           = 36,
  parameter integer VLS             = 9,
  parameter integer SPEEDUP         = 2,
  parameter integer SCHED           = 3,
  parameter integer KEYS            = 32,
  parameter integer ARB_KEY         = 0,
  parameter integer ENTRIES         = 64,
  parameter integer N_HIGH          = 64,
  parameter integer N_LOW           = 64,
  parameter integer CELLS_IN        = 1792,
  parameter integer CELLS_OUT       = 1792,
  parameter integer RESERVED_OUT    = 32,
  parameter integer REMOTE_UNITS    = 1792,
  parameter integer REMOTE_RESERVED = 32,
  parameter integer MTU_UNITS       = 32,
  parameter integer ROUTE           = 0,
  parameter integer LIDS            = 49152,
  parameter integer GROUPS          = 0,
  parameter integer HOSTS           = 1,
  parameter integer DIMS            = 2,
  parameter integer W               = 3,
  parameter integer IN_DELAY        = 0,
  parameter integer OUT_DELAY       = 0,
  parameter integer STALL_CYCLES    = 4095,
  parameter integer BUBBLE          = 0,
  parameter integer RULE            = 0,
  parameter integer SOURCES         = PORTS,
  parameter integer FAST_FROM       = 0,
  parameter integer FAST_SPEEDUP    = 1
) (
  input  wire                        clk_i,
  input  wire                        rst_i,
  input  wire [5:0]                  number_i,                 // which port this is

  // The link.
  input  wire                        in_valid_i,
  input  wire                        in_head_i,
  input  wire                        in_tail_i,
  input  wire [4:0]                  in_vl_i,
  input  wire [63:0]                 in_data_i,
  output wire                        in_cr_valid_o,
  output wire [4:0]                  in_cr_vl_o,
  output wire                        out_valid_o,
  output wire                        out_head_o,
  output wire                        out_tail_o,
  output wire [4:0]                  out_vl_o,
  output wire [63:0]                 out_data_o,
  input  wire                        out_cr_valid_i,
  input  wire [4:0]                  out_cr_vl_i,

  // The register bus.
  input  wire                        bus_we_i,
  input  wire                        bus_re_i,
  input  wire [19:0]                 bus_addr_i,
  input  wire [31:0]                 bus_data_i,
  output wire                        bus_we_o,
  output wire                        bus_re_o,
  output wire [19:0]                 bus_addr_o,
  output wire [31:0]                 bus_data_o,
  input  wire [31:0]                 answer_i,
  output wire [31:0]                 answer_o,

  // What all ports have alike.
  input  wire [1:0]                  mode_i,                   // of the map
  input  wire                        lft_we_i,
  input  wire [15:0]                 lft_lid_i,
  input  wire [7:0]                  lft_entry_i,
  input  wire [16:0]                 lft_count_i,
  input  wire [18:0]                 place_i,                  // {dimension, on, address}
  input  wire [6:0]                  group_count_i,
  input  wire [1:0]                  group_hash_i,
  input  wire [31:0]                 group_sls_i,
  input  wire [38:0]                 group_load_i,             // three thresholds
  input  wire                        group_members_we_i,
  input  wire                        group_slot_we_i,
  input  wire [11:0]                 group_addr_i,
  input  wire [31:0]                 group_data_i,
  input  wire [PORTS*3-1:0]          above_i,                  // of each output
  output wire [2:0]                  above_o,                  // bit k: above threshold k
  input  wire                        mtu_we_i,
  input  wire [4:0]                  mtu_vl_i,
  input  wire [9:0]                  mtu_units_i,
  input  wire                        rule_we_i,
  input  wire [4:0]                  rule_sc_i,
  input  wire [25:0]                 rule_data_i,
  input  wire                        adaptive_i,

  // Of the central units of its MPort.
  input  wire                        central_less_i,
  input  wire                        central_equal_i,
  input  wire                        central_error_i,          // the books of a room are wrong

  // Allocation.
  output wire                        head_event_o,
  output wire [4:0]                  head_lane_o,
  output wire [5:0]                  head_target_o,
  output wire [4:0]                  head_vl_o,
  output wire [27:0]                 head_info_o,
  output wire [5:0]                  head_out_o,
  output wire                        source_ready_o,
  input  wire                        take_i,
  input  wire [4:0]                  take_lane_i,
  input  wire [5:0]                  take_target_i,
  input  wire                        book_i,
  input  wire [5:0]                  book_source_i,
  input  wire [4:0]                  book_vl_i,
  input  wire [27:0]                 book_info_i,
  output wire                        target_ready_o,
  output wire [VLS-1:0]              room_o,
  output wire [VLS-1:0]              enter_o,                  // a ring, with BUBBLE = 1
  output wire [6:0]                  ring_o,                   // {on, from}

  // The crossbar.
  output wire                        start_ok_o,
  output wire                        sure_o,
  output wire                        end_o,
  output wire                        word_valid_o,
  output wire [5:0]                  word_target_o,
  output wire                        word_last_o,
  output wire [2:0]                  word_flits_o,
  output wire [`IN_W-1:0]            word_data_o,
  output wire                        free_o,
  input  wire [PORTS-1:0]            free_i,
  input  wire [SOURCES-1:0]          start_ok_i,
  input  wire [SOURCES-1:0]          sure_i,
  input  wire [SOURCES-1:0]          end_i,
  input  wire [SOURCES-1:0]          word_valid_i,
  input  wire [SOURCES*6-1:0]        word_target_i,
  input  wire [SOURCES-1:0]          word_last_i,
  input  wire [SOURCES*3-1:0]        word_flits_i,
  input  wire [SOURCES*`OUT_W-1:0]   word_data_i,

  // The trap that waits: {cause, lane, dest}.
  output wire                        trap_o,
  output wire [23:0]                 trap_word_o,
  input  wire                        trap_moved_i,

  output wire                        idle_o,
  output wire                        ready_o
);

  // Flits left of a packet at which the next may be booked, and by what soon_o of a store tells
  // then, of the slower source.
  localparam integer EARLY = (RULE == 1) ? 16 : 8;
  localparam integer SLOW = (FAST_FROM > 0 && FAST_SPEEDUP < SPEEDUP) ? FAST_SPEEDUP : SPEEDUP;
  localparam integer END_CYCLES = (SLOW == 1) ? EARLY + 1 : (SLOW == 2) ? EARLY / 2 + 2
                                  : (SLOW == 3) ? 8 : 7;
  localparam integer LANES = 1 << $clog2(SPEEDUP > FAST_SPEEDUP ? SPEEDUP : FAST_SPEEDUP);
  localparam integer VW = $clog2(VLS);
  localparam integer MAP = 32 * PORTS;
  localparam integer MAP_W = $clog2(MAP);
  localparam [6:0] ALL_PORTS = PORTS[6:0];

  // ---- The access -------------------------------------------------------------------------------

  reg we_q;
  reg re_q;
  reg [19:0] addr_q;
  reg [31:0] data_q;

  always @(posedge clk_i) begin
    addr_q <= bus_addr_i;
    data_q <= bus_data_i;
    if (rst_i) begin
      we_q <= 1'b0;
      re_q <= 1'b0;
    end else begin
      we_q <= bus_we_i;
      re_q <= bus_re_i;
    end
  end

  assign bus_we_o = we_q;
  assign bus_re_o = re_q;
  assign bus_addr_o = addr_q;
  assign bus_data_o = data_q;

  wire at_port = `LOOM_IS_SWITCH_REG_PORTS(addr_q);
  wire [5:0] number = `LOOM_NUMBER_SWITCH_REG_PORTS(addr_q);
  wire here = at_port && number == number_i;
  wire we = we_q && (here || (at_port && number == `LOOM_SWITCH_EVERY));
  wire re = re_q && here;
  wire [11:0] at = addr_q[11:0];
  wire at_hold = at == `LOOM_SWITCH_WIN_HOLD;
  wire at_room = `LOOM_IS_SWITCH_WIN_TRACKER_OUT(at);
  wire at_far = `LOOM_IS_SWITCH_WIN_TRACKER_FAR(at);
  wire at_table = `LOOM_IS_SWITCH_WIN_TABLE(at);
  wire at_map = `LOOM_IS_SWITCH_WIN_MAP(at) && {1'b0, at[10:5]} < ALL_PORTS;

  reg hold_q;

  always @(posedge clk_i) begin
    if (rst_i) hold_q <= 1'b0;
    else if (we && at_hold) hold_q <= data_q[0];
  end

  // ---- The output of a packet -------------------------------------------------------------------

  reg known_q;
  wire known;
  wire [1:0] found_mode;
  wire [5:0] found_out;
  wire found_known = known_q && (found_mode != 2'd0 || {1'b0, found_out} < ALL_PORTS);
  wire [15:0] dest = in_data_i[`LOOM_HEAD_DEST];

  generate
    if (ROUTE == 0) begin : g_lft
      localparam integer LIDS_W = $clog2(LIDS);
      localparam integer ENTRY_W = (GROUPS > 0) ? 8 : 6;
      localparam [16:0] ALL_LIDS = LIDS[16:0];
      wire unused_lid = &{1'b0, lft_lid_i};
      wire unused_place = &{1'b0, place_i};
      wire [7:0] entry;

      assign known = {1'b0, dest} < lft_count_i;

      loom_ram #(
        .DEPTH(LIDS),
        .WIDTH(ENTRY_W)
      ) u_lft (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .we_i(lft_we_i),
        .waddr_i(lft_lid_i[LIDS_W-1:0]),
        .wdata_i(lft_entry_i[ENTRY_W-1:0]),
        .re_i(in_valid_i && in_head_i && {1'b0, dest} < ALL_LIDS),
        .raddr_i(dest[LIDS_W-1:0]),
        .rdata_o(entry[ENTRY_W-1:0])
      );

      if (GROUPS == 0) begin : g_no_mode
        wire unused_mode = &{1'b0, lft_entry_i};
        assign entry[`LOOM_SWITCH_REG_LFT_MODE] = 2'd0;
      end
      assign found_mode = entry[`LOOM_SWITCH_REG_LFT_MODE];
      assign found_out = entry[`LOOM_SWITCH_REG_LFT_OUT];
    end else begin : g_coordinates
      wire unused_lft = &{1'b0, lft_we_i, lft_lid_i, lft_entry_i, lft_count_i};

      loom_switch_coordinates #(
        .ROUTE(ROUTE),
        .HOSTS(HOSTS),
        .DIMS(DIMS),
        .W(W)
      ) u_coordinates (
        .clk_i(clk_i),
        .valid_i(in_valid_i && in_head_i),
        .dest_i(dest),
        .place_i(place_i),
        .known_o(known),
        .out_o(found_out)
      );
      assign found_mode = 2'd0;
    end
  endgenerate

  always @(posedge clk_i) known_q <= known;

  // ---- Groups of ports --------------------------------------------------------------------------

  wire valid;                           // the link as the input unit sees it, and what is known
  wire head;
  wire tail;
  wire [4:0] vl;
  wire [63:0] data;
  wire to_known;
  wire [5:0] to_port;
  wire [2:0] group_pulses;              // {crowded, turned, free}
  wire [11:0] room_total;
  wire [11:0] far_total;

  generate
    if (GROUPS > 0) begin : g_groups
      reg [71:0] in1_q;                 // {valid, head, tail, vl, data}
      reg [71:0] in2_q;
      reg [71:0] in3_q;
      reg [12:0] load_q;
      reg [2:0] above_q;

      always @(posedge clk_i) begin
        if (rst_i) begin
          in1_q <= 72'd0;
          in2_q <= 72'd0;
          in3_q <= 72'd0;
          load_q <= 13'd0;
          above_q <= 3'd0;
        end else begin
          in1_q <= {in_valid_i, in_head_i, in_tail_i, in_vl_i, in_data_i};
          in2_q <= in1_q;
          in3_q <= in2_q;
          load_q <= {1'b0, room_total} + {1'b0, far_total};
          above_q <= {load_q >= group_load_i[38:26], load_q >= group_load_i[25:13],
                      load_q >= group_load_i[12:0]};
        end
      end

      loom_port_group #(
        .PORTS(PORTS),
        .GROUPS(GROUPS)
      ) u_group (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .head_i(in_valid_i && in_head_i),
        .vl_i(in_vl_i),
        .data_i(in_data_i),
        .found_known_i(found_known),
        .found_mode_i(found_mode),
        .found_out_i(found_out),
        .above_i(above_i),
        .count_i(group_count_i),
        .hash_i(group_hash_i),
        .sls_i(group_sls_i),
        .members_we_i(group_members_we_i),
        .members_addr_i(group_addr_i[6:0]),
        .members_data_i(group_data_i),
        .slot_we_i(group_slot_we_i),
        .slot_addr_i(group_addr_i),
        .slot_data_i(group_data_i[`LOOM_SWITCH_REG_GROUP_SLOTS_PORT]),
        .known_o(to_known),
        .port_o(to_port),
        .free_o(group_pulses[0]),
        .turned_o(group_pulses[1]),
        .crowded_o(group_pulses[2])
      );
      assign {valid, head, tail, vl, data} = in3_q;
      assign above_o = above_q;
    end else begin : g_no_groups
      wire unused_groups = &{1'b0, group_count_i, group_hash_i, group_sls_i, group_load_i,
                             group_members_we_i, group_slot_we_i, group_addr_i, group_data_i,
                             above_i, room_total, far_total};
      assign {valid, head, tail, vl, data} = {in_valid_i, in_head_i, in_tail_i, in_vl_i, in_data_i};
      assign to_known = found_known;
      assign to_port = found_out;
      assign group_pulses = 3'd0;
      assign above_o = 3'd0;
    end
  endgenerate

  // ---- The rule of routing ----------------------------------------------------------------------

  wire map_on;                          // the map shows, and InfiniBand's rule looks at it
  wire [5:0] output_number;             // of this output at its sources

  generate
    if (RULE == 1) begin : g_mport
      assign map_on = mode_i == `LOOM_OPA_MODE_SC2SC;
      assign output_number = {4'd0, number_i[1:0]};
    end else begin : g_crossbar
      wire unused_mode = mode_i[1];
      assign map_on = mode_i[0];
      assign output_number = number_i;
    end
  endgenerate

  // ---- The input unit ---------------------------------------------------------------------------

  wire in_ready;
  wire accept;
  wire [4:0] accept_vl;
  wire [11:0] accept_len;
  wire link_error;
  wire trap;
  wire [2:0] trap_cause;
  wire [4:0] trap_vl;
  wire [15:0] trap_dest;
  wire [$clog2(CELLS_IN+1)-1:0] in_total;

  loom_input_unit #(
    .PORTS(PORTS),
    .VLS(VLS),
    .SPEEDUP(SPEEDUP),
    .CELLS(CELLS_IN),
    .MTU_UNITS(MTU_UNITS),
    .IN_DELAY(IN_DELAY),
    .STALL_CYCLES(STALL_CYCLES),
    .EARLY(EARLY),
    .RULE(RULE)
  ) u_input (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .in_valid_i(valid),
    .in_head_i(head),
    .in_tail_i(tail),
    .in_vl_i(vl),
    .in_data_i(data),
    .in_cr_valid_o(in_cr_valid_o),
    .in_cr_vl_o(in_cr_vl_o),
    .found_known_i(to_known),
    .found_port_i(to_port),
    .map_on_i(map_on),
    .map_we_i(we && at_map),
    .map_addr_i(at[10:0]),
    .map_data_i(data_q[`LOOM_SWITCH_WIN_MAP_ENTRY]),
    .mtu_we_i(mtu_we_i),
    .mtu_vl_i(mtu_vl_i),
    .mtu_units_i(mtu_units_i),
    .rule_we_i(rule_we_i),
    .rule_sc_i(rule_sc_i),
    .rule_data_i(rule_data_i),
    .mport_i(number_i[5:2]),
    .map_mode_i(mode_i),
    .adaptive_i(adaptive_i),
    .central_less_i(central_less_i),
    .central_equal_i(central_equal_i),
    .ready_o(in_ready),
    .head_event_o(head_event_o),
    .head_lane_o(head_lane_o),
    .head_target_o(head_target_o),
    .head_vl_o(head_vl_o),
    .head_info_o(head_info_o),
    .head_out_o(head_out_o),
    .source_ready_o(source_ready_o),
    .book_i(take_i),
    .book_lane_i(take_lane_i),
    .book_target_i(take_target_i),
    .free_i(free_i),
    .start_ok_o(start_ok_o),
    .sure_o(sure_o),
    .end_o(end_o),
    .word_valid_o(word_valid_o),
    .word_target_o(word_target_o),
    .word_last_o(word_last_o),
    .word_flits_o(word_flits_o),
    .word_data_o(word_data_o),
    .accept_o(accept),
    .accept_vl_o(accept_vl),
    .accept_len_o(accept_len),
    .link_error_o(link_error),
    .trap_o(trap),
    .trap_cause_o(trap_cause),
    .trap_vl_o(trap_vl),
    .trap_dest_o(trap_dest),
    .total_o(in_total)
  );

  // ---- The crossing -----------------------------------------------------------------------------

  wire announce;
  wire [11:0] announce_len;
  wire queue;
  wire [4:0] queue_vl;
  wire [11:0] queue_len;
  wire [4:0] queue_sl;
  wire queue_more;
  wire wr_valid;
  wire [4:0] wr_vl;
  wire wr_last;
  wire [2:0] wr_flits;
  wire [`OUT_W-1:0] wr_data;
  wire free_valid;
  wire [4:0] free_vl;
  wire room_ready;
  wire room_idle;
  wire room_config_ok;
  wire room_error;
  wire room_booked;
  wire used_valid;
  wire [4:0] used_vl;
  wire [11:0] used;

  loom_crossing #(
    .PORTS(SOURCES),
    .VLS(VLS),
    .SPEEDUP(SPEEDUP),
    .FAST_FROM(FAST_FROM),
    .FAST_SPEEDUP(FAST_SPEEDUP),
    .CELLS(CELLS_OUT),
    .RESERVED(RESERVED_OUT),
    .MTU_UNITS(MTU_UNITS),
    .OUT_DELAY(OUT_DELAY),
    .SHORT(EARLY),
    .END_CYCLES(END_CYCLES)
  ) u_crossing (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .number_i(output_number),
    .book_i(book_i),
    .book_source_i(book_source_i),
    .book_vl_i(book_vl_i),
    .book_info_i(book_info_i),
    .target_ready_o(target_ready_o),
    .room_o(room_o),
    .start_ok_i(start_ok_i),
    .sure_i(sure_i),
    .end_i(end_i),
    .free_o(free_o),
    .word_valid_i(word_valid_i),
    .word_last_i(word_last_i),
    .word_target_i(word_target_i),
    .word_flits_i(word_flits_i),
    .word_data_i(word_data_i),
    .announce_o(announce),
    .announce_len_o(announce_len),
    .queue_o(queue),
    .queue_vl_o(queue_vl),
    .queue_len_o(queue_len),
    .queue_sl_o(queue_sl),
    .queue_more_o(queue_more),
    .wr_valid_o(wr_valid),
    .wr_vl_o(wr_vl),
    .wr_last_o(wr_last),
    .wr_flits_o(wr_flits),
    .wr_data_o(wr_data),
    .space_i(out_space),
    .free_valid_i(free_valid),
    .free_vl_i(free_vl),
    .need_we_i(mtu_we_i),
    .need_vl_i(mtu_vl_i),
    .need_units_i(mtu_units_i),
    .cfg_we_i(we && at_room),
    .cfg_addr_i(at[6:0]),
    .cfg_data_i(data_q[11:0]),
    .ready_o(room_ready),
    .idle_o(room_idle),
    .config_ok_o(room_config_ok),
    .error_o(room_error),
    .used_valid_o(used_valid),
    .used_vl_o(used_vl),
    .used_o(used),
    .total_o(room_total),
    .booked_o(room_booked)
  );
  wire unused_room = &{1'b0, room_config_ok, room_booked};

  // ---- The ring that the output belongs to ------------------------------------------------------

  generate
    if (BUBBLE != 0) begin : g_ring
      reg [6:0] ring_q;

      always @(posedge clk_i) begin
        if (rst_i) ring_q <= 7'd0;
        else if (we && at == `LOOM_SWITCH_WIN_RING)
          ring_q <= {data_q[`LOOM_SWITCH_WIN_RING_ON], data_q[`LOOM_SWITCH_WIN_RING_FROM]};
      end

      loom_ring_entry #(
        .VLS(VLS)
      ) u_entry (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .most_we_i(we && `LOOM_IS_SWITCH_WIN_RING_MOST(at)),
        .most_vl_i(at[4:0]),
        .most_units_i(data_q[`LOOM_SWITCH_WIN_RING_MOST_UNITS]),
        .book_i(book_i),
        .book_vl_i(book_vl_i),
        .used_valid_i(used_valid),
        .used_vl_i(used_vl),
        .used_i(used),
        .enter_o(enter_o)
      );
      assign ring_o = ring_q;
    end else begin : g_no_ring
      wire unused_used = &{1'b0, used_valid, used_vl, used};
      assign enter_o = {VLS{1'b0}};
      assign ring_o = 7'd0;
    end
  endgenerate

  // ---- The output unit --------------------------------------------------------------------------

  wire [31:0] table_word;
  wire out_ready;
  wire grant;
  wire [4:0] grant_vl;
  wire out_event;
  wire [4:0] out_event_vl;
  wire [11:0] out_event_len;
  wire [4:0] out_event_sl;
  wire far_error;
  wire [$clog2(CELLS_OUT+1)-1:0] out_total;
  wire out_space;
  wire out_announce_ok;
  wire out_busy;
  wire [4:0] grant_key;
  wire [9:0] grant_size;
  wire far_idle;
  wire far_config_ok;

  loom_output_unit #(
    .VLS(VLS),
    .SCHED(SCHED),
    .KEYS(KEYS),
    .ARB_KEY(ARB_KEY),
    .ENTRIES(ENTRIES),
    .N_HIGH(N_HIGH),
    .N_LOW(N_LOW),
    .CELLS(CELLS_OUT),
    .LANES(LANES),
    .MTU_UNITS(MTU_UNITS),
    .REMOTE_UNITS(REMOTE_UNITS),
    .REMOTE_RESERVED(REMOTE_RESERVED)
  ) u_output (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .announce_i(announce),
    .announce_len_i(announce_len),
    .space_o(out_space),
    .announce_ok_o(out_announce_ok),
    .queue_i(queue),
    .queue_vl_i(queue_vl),
    .queue_len_i(queue_len),
    .queue_sl_i(queue_sl),
    .queue_more_i(queue_more),
    .wr_valid_i(wr_valid),
    .wr_vl_i(wr_vl),
    .wr_last_i(wr_last),
    .wr_flits_i(wr_flits),
    .wr_data_i(wr_data),
    .hold_i(hold_q),
    .cfg_we_i(we && at_far),
    .cfg_addr_i(at[6:0]),
    .cfg_data_i(data_q[11:0]),
    .table_we_i(we && at_table),
    .table_addr_i(at[9:0]),
    .table_data_i(data_q),
    .table_rdata_o(table_word),
    .busy_o(out_busy),
    .ready_o(out_ready),
    .out_valid_o(out_valid_o),
    .out_head_o(out_head_o),
    .out_tail_o(out_tail_o),
    .out_vl_o(out_vl_o),
    .out_data_o(out_data_o),
    .cr_valid_i(out_cr_valid_i),
    .cr_vl_i(out_cr_vl_i),
    .grant_valid_o(grant),
    .grant_vl_o(grant_vl),
    .grant_key_o(grant_key),
    .grant_size_o(grant_size),
    .head_event_o(out_event),
    .head_vl_o(out_event_vl),
    .head_len_o(out_event_len),
    .head_sl_o(out_event_sl),
    .free_valid_o(free_valid),
    .free_vl_o(free_vl),
    .idle_o(far_idle),
    .config_ok_o(far_config_ok),
    .error_o(far_error),
    .total_o(out_total),
    .far_o(far_total)
  );
  wire unused_output = &{1'b0, out_announce_ok, out_busy, grant_key, grant_size, far_idle,
                         far_config_ok, out_event_vl};

  // ---- The trap that waits ----------------------------------------------------------------------

  reg trap_q;
  reg [23:0] trap_word_q;
  wire trap_taken = trap && (!trap_q || trap_moved_i);

  always @(posedge clk_i) begin
    if (rst_i) trap_q <= 1'b0;
    else trap_q <= trap || (trap_q && !trap_moved_i);
    if (trap_taken) trap_word_q <= {trap_cause, trap_vl, trap_dest};
  end

  assign trap_o = trap_q;
  assign trap_word_o = trap_word_q;

  // ---- Counters ---------------------------------------------------------------------------------

  reg grant_q;
  reg [4:0] grant_vl_q;
  reg [16:0] grant_record_q;            // SL and flits of the packet
  wire [16:0] grant_record;

  loom_lut_ram #(
    .DEPTH(VLS),
    .WIDTH(17)
  ) u_records (
    .clk_i(clk_i),
    .we_i(out_event),
    .waddr_i(out_event_vl[VW-1:0]),
    .wdata_i({out_event_sl, out_event_len}),
    .raddr_i(grant_vl[VW-1:0]),
    .rdata_o(grant_record)
  );

  always @(posedge clk_i) begin
    if (rst_i) grant_q <= 1'b0;
    else grant_q <= grant;
    grant_vl_q <= grant_vl;
    grant_record_q <= grant_record;
  end

  localparam integer PULSES = (GROUPS > 0) ? 13 : 10;
  localparam [11:0] LAST_PULSE = `LOOM_SWITCH_WIN_LINK_ERRORS + PULSES[11:0] - 12'd1;
  wire at_error = at >= `LOOM_SWITCH_WIN_LINK_ERRORS && at <= LAST_PULSE;
  wire [5:0] at_bank = {at_error, `LOOM_IS_SWITCH_WIN_SL_PACKETS(at),
                        `LOOM_IS_SWITCH_WIN_SL_FLITS(at), `LOOM_IS_SWITCH_WIN_OUT_PACKETS(at),
                        `LOOM_IS_SWITCH_WIN_OUT_FLITS(at), `LOOM_IS_SWITCH_WIN_IN_PACKETS(at)};
  wire at_counter = `LOOM_IS_SWITCH_WIN_IN_FLITS(at) || at_bank != 6'd0;
  // Bank 0 are the flits of stream 0, 1 its packets, and so on; bank 8 are the pulses.
  wire [3:0] counter_bank = {at_bank[5], at_bank[4] || at_bank[3], at_bank[2] || at_bank[1],
                             at_bank[4] || at_bank[2] || at_bank[0]};

  wire [12:0] pulses = {group_pulses, room_error || central_error_i, 1'b0, far_error,
                        trap && !trap_taken, trap && trap_cause == 3'd5, trap && trap_cause == 3'd4,
                        trap && trap_cause == 3'd3, trap && trap_cause == 3'd2,
                        trap && trap_cause == 3'd1, link_error};
  wire unused_pulses = &{1'b0, pulses};
  wire counters_ready;
  wire [31:0] counter;

  loom_event_counters #(
    .STREAMS(3),
    .INDEX_W(5),
    .PULSES(PULSES)
  ) u_counters (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .ready_o(counters_ready),
    .valid_i({grant_q, grant_q, accept}),
    .index_i({grant_record_q[16:12], grant_vl_q, accept_vl}),
    .amount_i({grant_record_q[11:0], grant_record_q[11:0], accept_len}),
    .pulse_i(pulses[PULSES-1:0]),
    .read_addr_i({counter_bank, at[4:0]}),
    .read_data_o(counter)
  );

  // ---- Reading ----------------------------------------------------------------------------------

  wire [4:0] map_word;

  loom_ram #(
    .DEPTH(MAP),
    .WIDTH(5)
  ) u_map_copy (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(we && at_map),
    .waddr_i(at[MAP_W-1:0]),
    .wdata_i(data_q[`LOOM_SWITCH_WIN_MAP_ENTRY]),
    .re_i(re && at_map),
    .raddr_i(at[MAP_W-1:0]),
    .rdata_o(map_word)
  );

  reg hold1_q;
  reg map1_q;
  reg table1_q;
  reg counter1_q;
  reg [4:0] small2_q;
  reg table2_q;
  reg counter2_q;
  reg [31:0] answer_q;

  always @(posedge clk_i) begin
    if (rst_i) begin
      hold1_q <= 1'b0;
      map1_q <= 1'b0;
      table1_q <= 1'b0;
      counter1_q <= 1'b0;
      small2_q <= 5'd0;
      table2_q <= 1'b0;
      counter2_q <= 1'b0;
      answer_q <= 32'd0;
    end else begin
      hold1_q <= re && at_hold && hold_q;
      map1_q <= re && at_map && map_on;
      table1_q <= re && at_table;
      counter1_q <= re && at_counter;
      small2_q <= map1_q ? map_word : {4'd0, hold1_q};
      table2_q <= table1_q;
      counter2_q <= counter1_q;
      answer_q <= answer_i | (table2_q ? table_word : counter2_q ? counter : {27'd0, small2_q});
    end
  end

  assign answer_o = answer_q;

  // ---- State of the port ------------------------------------------------------------------------

  reg idle_q;

  always @(posedge clk_i) begin
    if (rst_i) idle_q <= 1'b1;
    else idle_q <= in_total == 0 && out_total == 0 && room_idle;
  end

  assign idle_o = idle_q;
  assign ready_o = in_ready && room_ready && out_ready && counters_ready;

endmodule

`undef IN_W
`undef OUT_W
`default_nettype wire
