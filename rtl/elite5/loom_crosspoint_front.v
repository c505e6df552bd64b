// SPDX-License-Identifier: Apache-2.0

// loom_crosspoint_front: what comes in on a link: words are framed, heads are checked, both tables
//   are read, and what may stay is written to the store.
// Inside: loom_crosspoint_router
//
// Contract: in_* are the wires of the link in this cycle, in which up_i says that it is UP, and
//   idle_i, own_i and spare_i how VCs are. What the store gets stands on wr_* in stage W. The
//   choice gets the mask of the tables in stage 2 (mask_o, all_o); in stage V, the one before stage
//   W, it says whether no link of it is up (dead_i), and alone_i whether the VC on look_vc_o may
//   ask at once. Masks of VCs with at most one bit say to which VC something happens at the end of
//   this cycle.
// Algorithm: stages that move in every cycle: (0), 1, 2, (3), W. Tables are read at the end of the
//   cycle before stage 1 and of stage 1. The verdict on a head is worked out in stage V, from the
//   state of its VC as the word in stage W leaves it; in stage W only room is looked at. A link
//   that is not up makes words itself that end what was cut short.
// Latency: a word in cycle c is in stage W in c+3, with PIPE 1 or 2 in c+4, with more in c+5.
// Wait bound: none; nothing waits.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8, < VCS), DESTS (16..65536), CLASSES (1..4096),
//   GROUPS (1..1024), PIPE (0..4).
// Realises: E5-06..08, E5-17, E5-18, E5-25, E5-28.
// Page: docs/crosspoint_router.md, section Front.
`default_nettype none
`include "loom_assert.vh"
`include "loom_elite5_port.vh"
`include "loom_fields.vh"

module loom_crosspoint_front #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256,
  parameter integer PIPE    = 0
) (
  input  wire                             clk_i,
  input  wire                             rst_i,

  // The link.
  input  wire                             in_valid_i,
  input  wire                             in_head_i,
  input  wire                             in_tail_i,
  input  wire [4:0]                       in_vl_i,
  input  wire [63:0]                      in_data_i,
  input  wire                             up_i,
  input  wire                             opening_i,   // in states 1 to 4
  output wire                             ctl_valid_o, // the training word in stage 2
  output wire                             ctl_head_o,
  output wire [63:0]                      ctl_data_o,
  output wire                             ctl_ok_o,
  output wire                             calm_o,

  // Writes to the tables; settings of the router.
  input  wire [`LOOM_PORT_ACCESS_W-1:0]   access_i,
  input  wire [`LOOM_PORT_SETTINGS_W-1:0] settings_i,
  input  wire                             uplink_i,    // this link is one of the uplinks

  // VCs, and the room in the store.
  input  wire [VCS-1:0]                   idle_i,
  input  wire [VCS-1:0]                   own_i,
  input  wire                             spare_i,

  // Stage 2, for the choice.
  output wire                             head_2_o,
  output wire [LINKS-1:0]                 mask_o,
  output wire                             all_o,

  // Stage V.
  output wire                             head_v_o,
  output wire [4:0]                       look_vc_o,
  output wire [VCS-1:0]                   look_hot_o,
  input  wire                             dead_i,      // no link of the mask is up
  input  wire                             alone_i,

  // Stage W.
  output wire                             head_w_o,    // also one that is skipped
  output wire [VCS-1:0]                   hot_w_o,     // its VC, whatever becomes of it
  output wire                             wr_valid_o,
  output wire                             wr_head_o,
  output wire                             wr_tail_o,
  output wire [4:0]                       wr_vc_o,
  output wire [63:0]                      wr_data_o,
  output wire [VCS-1:0]                   head_hot_o,  // a head is written
  output wire [VCS-1:0]                   ends_hot_o,  // the word that is written ends a segment
  output wire                             few_o,       // and is at most its 8th
  output wire [VCS-1:0]                   sink_hot_o,  // rule 5
  output wire                             begins_o,    // a packet
  output wire [1:0]                       prio_o,      // its priority
  output wire [VCS-1:0]                   begins_hot_o,
  output wire [2:0]                       cause_o,
  output wire                             more_o,      // a continuation that may ask at once
  output wire                             first_own_o, // its VC has no slot in use
  output wire                             ended_o,     // what begins here is small
  output wire                             header_error_o,
  output wire                             link_error_o
);

  localparam integer BASE    = VCS - BVCS;
  localparam integer VW      = $clog2(VCS);
  localparam integer DEST_W  = $clog2(DESTS);
  localparam integer TABLE   = CLASSES + 2 * GROUPS;
  localparam integer TABLE_W = $clog2(TABLE);
  localparam [16:0] ALL_DESTS  = DESTS[16:0];
  localparam [17:0] ALL_ENTRIES = TABLE[17:0];
  localparam [17:0] FIRST_GROUP = CLASSES[17:0];
  localparam [VCS-1:0] NONE = 0;
  localparam [VCS-1:0] ONE  = 1;
  localparam [5:0] BASE_C   = BASE[5:0];

  wire [16:0] dest_count = settings_i[`LOOM_PORT_SETTINGS_DEST_COUNT];
  wire [12:0] class_count = settings_i[`LOOM_PORT_SETTINGS_CLASS_COUNT];
  wire [10:0] group_count = settings_i[`LOOM_PORT_SETTINGS_GROUP_COUNT];
  wire [13:0] now = settings_i[`LOOM_PORT_SETTINGS_TIME];
  wire [13:0] expire = settings_i[`LOOM_PORT_SETTINGS_EXPIRE];
  wire unused = &{1'b0, settings_i, access_i};

  // ---- Before stage 1: the link, or stage 0 -----------------------------------------------------

  wire p_valid;                                 // a word of traffic
  wire p_train;                                 // a word of training
  wire p_head;
  wire p_tail;
  wire [4:0] p_vl;
  wire [63:0] p_data;
  wire p_busy;                                  // stage 0 has a word of traffic
  wire take = in_valid_i && up_i;
  wire train = in_valid_i && opening_i;

  generate
    if (PIPE >= 3) begin : g_stage_0
      reg valid_q;
      reg train_q;
      reg head_q;
      reg tail_q;
      reg [4:0] vl_q;
      reg [63:0] data_q;

      always @(posedge clk_i) begin
        head_q <= in_head_i;
        tail_q <= in_tail_i;
        vl_q <= in_vl_i;
        data_q <= in_data_i;
        if (rst_i) begin
          valid_q <= 1'b0;
          train_q <= 1'b0;
        end else begin
          valid_q <= take;
          train_q <= train;
        end
      end

      assign p_valid = valid_q;
      assign p_train = train_q;
      assign p_head = head_q;
      assign p_tail = tail_q;
      assign p_vl = vl_q;
      assign p_data = data_q;
      assign p_busy = valid_q;
    end else begin : g_link
      assign p_valid = take;
      assign p_train = train;
      assign p_head = in_head_i;
      assign p_tail = in_tail_i;
      assign p_vl = in_vl_i;
      assign p_data = in_data_i;
      assign p_busy = 1'b0;
    end
  endgenerate

  // The table of destinations is read here, also for words that are no heads.
  wire p_conditional = p_data[`LOOM_ELITE5_FIRST_TYPE] == `LOOM_ELITE5_TYPE_CONDITIONAL;
  wire [15:0] p_dest = p_data[`LOOM_ELITE5_FIRST_DEST];
  wire [15:0] p_number = {p_dest[15] && !p_conditional, p_dest[14:0]};
  wire [11:0] dest_class;
  wire [15:0] dest_at = access_i[`LOOM_PORT_ACCESS_DEST];

  loom_ram #(
    .DEPTH(DESTS),
    .WIDTH(12)
  ) u_dests (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(access_i[`LOOM_PORT_ACCESS_DEST_WE]),
    .waddr_i(dest_at[DEST_W-1:0]),
    .wdata_i(access_i[11:0]),
    .re_i(p_valid && {1'b0, p_number} < ALL_DESTS),
    .raddr_i(p_number[DEST_W-1:0]),
    .rdata_o(dest_class)
  );

  // ---- Stage 1: framing, CRC, age ---------------------------------------------------------------

  reg s1_valid_q;
  reg s1_train_q;
  reg s1_train_head_q;
  reg s1_closing_q;                             // the word closes what was cut short
  reg s1_head_q;
  reg s1_tail_q;
  reg [4:0] s1_vl_q;
  reg [63:0] s1_data_q;                         // of a training word, too, beside a closing word
  reg inside_q;
  reg [4:0] words_q;

  wire close_segment;
  wire close_packet;
  wire close = close_segment || close_packet;
  wire [4:0] cut_vc;

  always @(posedge clk_i) begin
    s1_train_head_q <= p_head;
    s1_closing_q <= close;
    s1_head_q <= close ? close_packet : p_head;
    s1_tail_q <= close || p_tail;
    s1_vl_q <= close_segment ? 5'd0 : close_packet ? cut_vc : p_vl;
    if (p_valid || p_train) s1_data_q <= p_data;
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      s1_train_q <= 1'b0;
    end else begin
      s1_valid_q <= p_valid || close;
      s1_train_q <= p_train;
    end
  end

  wire s1_body = s1_valid_q && inside_q;
  wire s1_head = s1_valid_q && !inside_q && s1_head_q;
  wire s1_stray = s1_valid_q && !inside_q && !s1_head_q;
  wire s1_ends = s1_tail_q || (s1_body && words_q == 5'd31);

  always @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= 1'b0;
      words_q <= 5'd0;
    end else begin
      if (s1_head || s1_body) inside_q <= !s1_ends;
      if (s1_head) words_q <= 5'd1;
      else if (s1_body) words_q <= words_q + 5'd1;
    end
  end

  wire crc48_ok;
  wire unused_crc16_ok;
  wire check_ok;

  loom_elite5_check u_check (
    .data_i(s1_data_q),
    .crc48_ok_o(crc48_ok),
    .crc16_ok_o(unused_crc16_ok),
    .header_ok_o(check_ok)
  );

  wire [2:0] s1_type = s1_data_q[`LOOM_ELITE5_FIRST_TYPE];
  wire s1_conditional = s1_type == `LOOM_ELITE5_TYPE_CONDITIONAL;
  wire [15:0] s1_dest = s1_data_q[`LOOM_ELITE5_FIRST_DEST];
  wire [15:0] s1_number = {s1_dest[15] && !s1_conditional, s1_dest[14:0]};
  wire s1_group = s1_type == `LOOM_ELITE5_TYPE_BROADCAST || (s1_conditional && s1_dest[15]);
  wire s1_listed = s1_group ? s1_number < {5'd0, group_count} : {1'b0, s1_number} < dest_count;
  wire s1_ready = s1_type == `LOOM_ELITE5_TYPE_CONTROL
                  && s1_data_q[`LOOM_ELITE5_CONTROL_SUB] == `LOOM_ELITE5_SUB_READY
                  && s1_data_q[`LOOM_ELITE5_CONTROL_INFO] == 40'd0;
  wire [13:0] s1_age = now + 14'd1 - s1_data_q[`LOOM_ELITE5_FIRST_TS];
  wire [17:0] entry = s1_group ? FIRST_GROUP + {1'b0, s1_number, uplink_i} : {6'd0, dest_class};
  wire [12:0] entry_at = access_i[`LOOM_PORT_ACCESS_ENTRY];
  wire [LINKS:0] mask_word;
  wire unused_entry = &{1'b0, entry, entry_at, dest_at};

  loom_ram #(
    .DEPTH(TABLE),
    .WIDTH(LINKS + 1)
  ) u_masks (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(access_i[`LOOM_PORT_ACCESS_MASK_WE]),
    .waddr_i(entry_at[TABLE_W-1:0]),
    .wdata_i({access_i[`LOOM_PORT_ACCESS_ENTRY_ALL], access_i[LINKS-1:0]}),
    .re_i(s1_valid_q && entry < ALL_ENTRIES),
    .raddr_i(entry[TABLE_W-1:0]),
    .rdata_o(mask_word)
  );

  assign mask_o = mask_word[LINKS-1:0];
  assign all_o = mask_word[LINKS];

  // ---- Stage 2 ----------------------------------------------------------------------------------

  // What stands in a stage: the word, and what was found out about it.
  localparam integer WORD_W = 64 + 5 + 6;
  reg s2_body_q;
  reg s2_head_q;
  reg s2_stray_q;
  reg s2_train_q;
  reg s2_train_head_q;
  reg s2_crc48_q;
  // {ends, few, closing, head flag, tail, the right CRC, vl, data}
  reg [WORD_W-1:0] s2_word_q;
  reg s2_ready_q;                               // but for its CRC
  reg s2_group_q;
  reg s2_listed_q;
  reg [11:0] s2_class_q;
  reg [13:0] s2_age_q;

  always @(posedge clk_i) begin
    s2_train_head_q <= s1_train_head_q;
    s2_crc48_q <= crc48_ok;
    s2_word_q <= {s1_ends, !s1_body || words_q <= 5'd7, s1_closing_q, s1_head_q, s1_tail_q,
                  check_ok, s1_vl_q, s1_data_q};
    s2_ready_q <= s1_ready && !s1_closing_q;
    s2_group_q <= s1_group;
    s2_listed_q <= s1_listed;
    s2_class_q <= dest_class;
    s2_age_q <= s1_age;
    if (rst_i) begin
      s2_body_q <= 1'b0;
      s2_head_q <= 1'b0;
      s2_stray_q <= 1'b0;
      s2_train_q <= 1'b0;
    end else begin
      s2_body_q <= s1_body;
      s2_head_q <= s1_head;
      s2_stray_q <= s1_stray;
      s2_train_q <= s1_train_q;
    end
  end

  wire s2_known = s2_listed_q && (s2_group_q || {1'b0, s2_class_q} < class_count);
  wire s2_expired = expire != 14'd0 && s2_age_q > expire;

  assign head_2_o = s2_head_q;
  assign ctl_valid_o = s2_train_q;
  assign ctl_head_o = s2_train_head_q;
  assign ctl_data_o = s2_word_q[63:0];
  assign ctl_ok_o = s2_crc48_q;

  // ---- Stage V: stage 2 or stage 3 --------------------------------------------------------------

  wire v_body;
  wire v_head;
  wire v_stray;
  wire v_ready;
  wire v_group;
  wire v_known;
  wire v_expired;
  wire [WORD_W-1:0] v_word;
  wire busy_3;
  wire tail_3;                                  // a tail before stage V that is not the link's

  generate
    if (PIPE >= 1) begin : g_stage_3
      reg body_q;
      reg head_q;
      reg stray_q;
      reg ready_q;
      reg group_q;
      reg known_q;
      reg expired_q;
      reg [WORD_W-1:0] word_q;

      always @(posedge clk_i) begin
        ready_q <= s2_ready_q;
        group_q <= s2_group_q;
        known_q <= s2_known;
        expired_q <= s2_expired;
        word_q <= s2_word_q;
        if (rst_i) begin
          body_q <= 1'b0;
          head_q <= 1'b0;
          stray_q <= 1'b0;
        end else begin
          body_q <= s2_body_q;
          head_q <= s2_head_q;
          stray_q <= s2_stray_q;
        end
      end

      assign v_body = body_q;
      assign v_head = head_q;
      assign v_stray = stray_q;
      assign v_ready = ready_q;
      assign v_group = group_q;
      assign v_known = known_q;
      assign v_expired = expired_q;
      assign v_word = word_q;
      assign busy_3 = body_q || head_q || stray_q;
      assign tail_3 = busy_3 && word_q[70];
    end else begin : g_stage_2
      assign v_body = s2_body_q;
      assign v_head = s2_head_q;
      assign v_stray = s2_stray_q;
      assign v_ready = s2_ready_q;
      assign v_group = s2_group_q;
      assign v_known = s2_known;
      assign v_expired = s2_expired;
      assign v_word = s2_word_q;
      assign busy_3 = 1'b0;
      assign tail_3 = take && in_tail_i;
    end
  endgenerate

  wire v_good = v_word[69] || v_word[72];
  wire v_tail = v_word[70];
  wire v_closing = v_word[72];
  wire [4:0] v_vl = v_word[68:64];
  wire [2:0] v_type = v_closing ? `LOOM_ELITE5_TYPE_VOID : v_word[63:61];
  wire [VCS-1:0] v_hot = ONE << v_vl;           // 0 for a VC that is not there
  wire [VCS-1:0] idle_then;                     // as the word in stage W leaves it
  wire [VCS-1:0] open_then;
  wire v_none = v_hot == NONE;
  wire v_idle = (idle_then & v_hot) != NONE;
  wire v_open = (open_then & v_hot) != NONE;
  wire v_class = {1'b0, v_vl} >= BASE_C;
  wire v_first = v_type <= `LOOM_ELITE5_TYPE_CONDITIONAL;
  wire v_next = v_type == `LOOM_ELITE5_TYPE_CONTINUATION
                || v_type == `LOOM_ELITE5_TYPE_LAST_CONTINUATION
                || v_type == `LOOM_ELITE5_TYPE_VOID;
  wire v_ignored = !v_none && v_ready && v_good && v_tail;
  wire v_legal = v_head && !v_none && !v_ignored;
  wire v_skip = v_head && !v_ignored && (v_none || (!v_idle && !v_open));
  wire v_begins = v_legal && v_idle && v_first && v_good;
  wire v_sink = v_legal && v_idle && !(v_first && v_good);
  wire v_more = v_legal && !v_idle && v_open && v_next && v_good;
  wire v_void = v_legal && !v_idle && v_open && !(v_next && v_good);
  reg [2:0] v_cause;

  always @* begin
    if (v_group != v_class) v_cause = 3'd3;
    else if (!v_known) v_cause = 3'd1;
    else if (v_expired) v_cause = 3'd2;
    else v_cause = dead_i ? 3'd1 : 3'd0;
  end

  assign head_v_o = v_head;
  assign look_vc_o = v_vl;
  assign look_hot_o = v_hot;

  // ---- Stage W ----------------------------------------------------------------------------------

  reg w_busy_q;                                 // a word of traffic
  reg w_head_q;
  reg w_body_q;
  reg w_stray_q;
  reg w_skip_q;
  reg w_begins_q;
  reg w_sink_q;
  reg w_more_q;
  reg w_void_q;
  reg w_alone_q;
  reg [2:0] w_cause_q;
  reg [VCS-1:0] w_hot_q;
  reg [WORD_W-1:0] w_word_q;
  reg [VCS-1:0] open_q;                         // the packet's tail has not arrived
  reg cur_skip_q;
  reg cur_void_q;
  reg [VCS-1:0] cur_hot_q;

  always @(posedge clk_i) begin
    w_cause_q <= v_cause;
    w_hot_q <= v_hot;
    w_word_q <= v_word;
    if (rst_i) begin
      w_busy_q <= 1'b0;
      w_head_q <= 1'b0;
      w_body_q <= 1'b0;
      w_stray_q <= 1'b0;
      w_skip_q <= 1'b0;
      w_begins_q <= 1'b0;
      w_sink_q <= 1'b0;
      w_more_q <= 1'b0;
      w_void_q <= 1'b0;
      w_alone_q <= 1'b0;
    end else begin
      w_busy_q <= v_head || v_body || v_stray;
      w_head_q <= v_head;
      w_body_q <= v_body;
      w_stray_q <= v_stray;
      w_skip_q <= v_skip;
      w_begins_q <= v_begins;
      w_sink_q <= v_sink;
      w_more_q <= v_more;
      w_void_q <= v_void;
      w_alone_q <= v_more && alone_i;
    end
  end

  wire w_good = w_word_q[69] || w_word_q[72];
  wire w_tail = w_word_q[70];
  wire w_flag = w_word_q[71];
  wire w_closing = w_word_q[72];
  wire w_few = w_word_q[73];
  wire w_ends = w_word_q[74];
  // A head that is wanted has a VC that is there.
  wire [(2<<VW)-1:0] own_all = {{((2 << VW) - VCS){1'b0}}, own_i};
  wire first_own = own_all[{1'b0, w_word_q[64 +: VW]}];
  wire room = spare_i || first_own;
  wire wanted = w_begins_q || w_sink_q || w_more_q || w_void_q;
  wire enters = wanted && room;
  wire body = w_body_q && !cur_skip_q;
  wire [VCS-1:0] head_hot = enters ? w_hot_q : NONE;
  wire [VCS-1:0] body_hot = body ? cur_hot_q : NONE;
  wire [VCS-1:0] taken = (w_begins_q || w_sink_q) ? head_hot : NONE;

  assign idle_then = idle_i & ~taken;
  assign open_then = (open_q & ~(w_tail ? body_hot | head_hot : NONE)) | (w_tail ? NONE : head_hot);

  always @(posedge clk_i) begin
    if (w_head_q) begin
      cur_skip_q <= !enters;
      cur_void_q <= w_void_q;
      cur_hot_q <= w_hot_q;
    end
    if (rst_i) open_q <= NONE;
    else open_q <= open_then;
  end

  // ---- Into the store ---------------------------------------------------------------------------

  localparam [15:0] VOID_CRC = 16'h0B5B;      // of VOID(0)
  wire [15:0] unused_first;
  wire [15:0] void_change;
  wire [63:0] void_word = {`LOOM_ELITE5_TYPE_VOID, w_word_q[68:64], 8'd0, VOID_CRC ^ void_change,
                           32'd0};

  loom_crosspoint_pattern u_void (
    .change_i(w_word_q[68:64]),
    .first_o(unused_first),
    .next_o(void_change)
  );

  assign wr_valid_o = enters || body;
  assign wr_head_o = enters;
  assign wr_tail_o = w_tail;
  assign wr_vc_o = w_word_q[68:64];
  assign wr_data_o = (w_head_q && (w_void_q || w_closing)) ? void_word
                     : (w_body_q && (cur_void_q || w_closing)) ? 64'd0 : w_word_q[63:0];

  assign head_w_o = w_head_q;
  assign hot_w_o = w_hot_q;
  assign head_hot_o = head_hot;
  assign ends_hot_o = w_ends ? head_hot | body_hot : NONE;
  assign few_o = w_few;
  assign sink_hot_o = w_sink_q ? head_hot : NONE;
  assign begins_o = w_begins_q && room;
  assign prio_o = w_word_q[`LOOM_ELITE5_FIRST_PRIO];
  assign begins_hot_o = w_begins_q ? head_hot : NONE;
  assign cause_o = w_cause_q;
  assign more_o = w_alone_q && room;
  assign first_own_o = first_own;
  assign header_error_o = enters && (w_sink_q || w_void_q) && !w_good;
  assign link_error_o = (enters && (w_sink_q || w_void_q) && w_good) || (wanted && !room)
                        || w_skip_q || (w_body_q && w_flag) || w_stray_q;

  // Four places: stage W and the three before it.
  wire tail_0 = w_busy_q && w_tail;
  wire tail_1 = s1_valid_q && s1_tail_q;
  wire tail_2 = (s2_head_q || s2_body_q || s2_stray_q) && s2_word_q[70];

  assign ended_o = tail_0 || tail_1 || tail_2 || tail_3;

  // ---- Closing words ----------------------------------------------------------------------------

  wire busy = p_busy || s1_valid_q || s2_head_q || s2_body_q || s2_stray_q || busy_3 || w_busy_q;
  wire [VCS-1:0] cut = open_q & (own_i | {VCS{spare_i}});
  wire [VCS-1:0] cut_first = cut & (~cut + ONE);

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_cut (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(cut_first),
    .index_o(cut_vc)
  );

  assign close_segment = !up_i && !busy && inside_q;
  assign close_packet = !up_i && !busy && !inside_q && cut != NONE;
  assign calm_o = !inside_q && !busy;

  `LOOM_ASSERT(one_vc_begins, (begins_hot_o & -begins_hot_o) == begins_hot_o)
  `LOOM_ASSERT(begins_or_sinks, (begins_hot_o & sink_hot_o) == {VCS{1'b0}})
  `LOOM_ASSERT(one_segment_ends, (ends_hot_o & -ends_hot_o) == ends_hot_o)

endmodule

`default_nettype wire
