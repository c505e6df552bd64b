// SPDX-License-Identifier: Apache-2.0

// loom_elite5_link: the state of one link, from signal to traffic and back, and its output
//   register.
// Inside: loom_elite5_router, loom_crosspoint_router
//
// Contract: signal_i is the wire of the link in this cycle; ctl_* are a word that came in states 1
//   to 4, from registers of the caller, and gen_* the answer to sending_o of the last cycle.
//   error_i, calm_i, window_end and traffic_* belong to this cycle too. Traffic goes into the
//   output register only in state UP. trap_o, trap_cause_o and removed_o show in the cycle at whose
//   end the link changes its state.
// Algorithm: negotiate the protocol, exchange chip and link numbers, measure bit errors with a
//   PRBS, tell the other end that all is ready; a link with too many errors in a window is removed.
//   One rule a cycle decides, the first that applies.
// Latency: a word on ctl_* acts on the state in the next cycle; a control word, PRBS word or
//   traffic word shows on out_* one cycle after it was made.
// Wait bound: with a timeout a link stays in states 1 to 4 no longer than that; without one, or in
//   READY with quick, as long as the other end is silent.
// Parameters: none.
// Realises: E5-25, E5-35, E5-36.
// Page: docs/elite5.md, section Link state.
`default_nettype none
`include "loom_assert.vh"
`include "loom_elite5_port.vh"
`include "loom_fields.vh"

module loom_elite5_link (
  input  wire                             clk_i,
  input  wire                             rst_i,

  // The link.
  input  wire [7:0]                       link_i,  // its number
  input  wire                             signal_i,
  input  wire                             ctl_valid_i,  // a word of it, one or more cycles ago
  input  wire                             ctl_head_i,
  input  wire [63:0]                      ctl_data_i,
  input  wire                             ctl_ok_i,  // its CRC is that of a control word

  // The generator of test words: one that is wanted in a cycle shows in the next one.
  output wire                             sending_o,
  input  wire                             gen_valid_i,
  input  wire [63:0]                      gen_data_i,

  // Registers of this link and of the router.
  input  wire [`LOOM_PORT_SETTINGS_W-1:0] settings_i,
  input  wire                             enable_i,
  input  wire                             quick_i,
  input  wire                             single_i,  // its class of errors
  input  wire                             check_i,
  input  wire [23:0]                      expected_i,

  // The router around it.
  input  wire                             error_i,  // a header error or a link error
  input  wire                             calm_i,  // nothing is under way to or from this link
  input  wire                             traffic_valid_i,
  input  wire                             traffic_head_i,
  input  wire                             traffic_tail_i,
  input  wire [4:0]                       traffic_vl_i,
  input  wire [63:0]                      traffic_data_i,

  output wire                             up_o,
  output wire                             up_next_o,  // in the next cycle
  output wire                             opening_o,  // in states 1 to 4
  output wire [2:0]                       state_o,
  output wire                             quiet_o,
  output wire                             signal_o,
  output wire [23:0]                      far_o,
  output wire [31:0]                      checked_o,
  output wire [31:0]                      bit_errors_o,
  output wire                             trap_o,
  output wire [2:0]                       trap_cause_o,
  output wire                             removed_o,
  output wire                             out_valid_o,
  output wire                             out_head_o,
  output wire                             out_tail_o,
  output wire [4:0]                       out_vl_o,
  output wire [63:0]                      out_data_o
);

  wire [15:0] chip_id = settings_i[`LOOM_PORT_SETTINGS_CHIP_ID];
  wire [7:0] protocol = settings_i[`LOOM_PORT_SETTINGS_PROTOCOL];
  wire [15:0] prbs_words = settings_i[`LOOM_PORT_SETTINGS_PRBS_WORDS];
  wire [15:0] prbs_limit = settings_i[`LOOM_PORT_SETTINGS_PRBS_LIMIT];
  wire [15:0] timeout = settings_i[`LOOM_PORT_SETTINGS_TIMEOUT];
  wire [15:0] limit_redundant = settings_i[`LOOM_PORT_SETTINGS_LIMIT_REDUNDANT];
  wire [15:0] limit_single = settings_i[`LOOM_PORT_SETTINGS_LIMIT_SINGLE];
  wire window_end = settings_i[`LOOM_PORT_SETTINGS_WINDOW_END];
  wire unused_settings = &{1'b0, settings_i};

  localparam [2:0] DOWN      = 3'd0;
  localparam [2:0] NEGOTIATE = 3'd1;
  localparam [2:0] IDCHECK   = 3'd2;
  localparam [2:0] PRBS      = 3'd3;
  localparam [2:0] READY     = 3'd4;
  localparam [2:0] UP        = 3'd5;
  localparam [2:0] FAILED    = 3'd7;            // BADID is 6

  localparam [15:0] READY_CRC = 16'h0E68;      // of a control word READY

  reg [2:0] state_q;
  reg up_q;                                     // state_q is UP
  reg fallen_q;                                 // UP in the last cycle, not in this one
  reg [16:0] timer_q;                           // cycles in this state so far
  reg seen_q;                                   // the other end said that it is ready
  reg told_q;                                   // it was told so
  reg [17:0] sent_q;                            // PRBS words
  reg [23:0] far_q;                             // chip and link at the other end
  reg [31:0] checked_q;
  reg [31:0] bit_errors_q;
  reg [16:0] window_errors_q;                   // one above the largest limit ends state UP
  reg [3:0] quiet_q;
  reg out_valid_q;
  reg out_head_q;
  reg out_tail_q;
  reg [4:0] out_vl_q;
  reg [63:0] out_data_q;

  wire up = up_q;
  wire prbs = state_q == PRBS;
  wire ready = state_q == READY;
  wire opening = state_q == NEGOTIATE || state_q == IDCHECK || prbs || ready;
  wire quiet = quiet_q == 4'd8;

  // ---- The control word that came in the last cycle ---------------------------------------------

  wire [39:0] ctl_info = ctl_data_i[`LOOM_ELITE5_CONTROL_INFO];
  wire [23:0] ctl_id = {ctl_info[`LOOM_ELITE5_IDENTIFY_CHIP], ctl_info[`LOOM_ELITE5_IDENTIFY_LINK]};
  wire got_negotiate;
  wire got_id;
  wire got_ready;
  wire same_protocol;
  wire same_id;

  loom_elite5_heard u_heard (
    .valid_i(ctl_valid_i),
    .head_i(ctl_head_i),
    .data_i(ctl_data_i),
    .ok_i(ctl_ok_i),
    .negotiate_o(got_negotiate),
    .identify_o(got_id),
    .ready_o(got_ready)
  );

  loom_elite5_same #(
    .W(40)
  ) u_protocol (
    .a_i(ctl_info),
    .b_i({protocol, 32'd0}),
    .same_o(same_protocol)
  );

  loom_elite5_same #(
    .W(24)
  ) u_id (
    .a_i(ctl_id),
    .b_i(expected_i),
    .same_o(same_id)
  );

  // ---- PRBS -------------------------------------------------------------------------------------

  wire [17:0] prbs_all = {2'd0, prbs_words} + 18'd32;
  wire sending = (prbs || ready) && sent_q < prbs_all;
  wire check;
  wire [6:0] errors;
  wire unused_locked;
  wire unused_lost;

  loom_prbs31_check u_check (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .restart_i(!prbs),
    .valid_i(ctl_valid_i && !ctl_head_i),
    .data_i(ctl_data_i),
    .locked_o(unused_locked),
    .check_o(check),
    .errors_o(errors),
    .lost_o(unused_lost)
  );

  wire [31:0] checked = checked_q + {31'd0, check};
  wire [31:0] bit_errors = bit_errors_q + {25'd0, errors};

  // Both of what is counted after this cycle, but before it is: a sum of three is told by its sums
  // and carries. In state PRBS neither counter gets anywhere near its end.
  wire [15:0] left = ~prbs_words;
  wire [15:0] words_sums = checked_q[15:0] ^ left ^ {15'd0, check};
  wire [15:0] words_carries = {checked_q[15:1] & left[15:1],
                               (checked_q[0] && left[0]) || ((checked_q[0] || left[0]) && check)};
  wire enough;
  wire [15:0] room = ~prbs_limit;
  wire [15:0] wrong = {9'd0, errors};
  wire [15:0] sums = bit_errors_q[15:0] ^ wrong ^ room;
  wire [15:0] carries = (bit_errors_q[15:0] & wrong) | ((bit_errors_q[15:0] | wrong) & room);
  wire errors_above;

  loom_elite5_above #(
    .W(17)
  ) u_words (
    .a_i({words_carries, 1'b1}),
    .b_i({1'b0, ~words_sums}),
    .above_o(enough)
  );

  loom_elite5_above #(
    .W(17)
  ) u_errors (
    .a_i({carries, 1'b0}),
    .b_i({1'b0, ~sums}),
    .above_o(errors_above)
  );

  // ---- The rules: the first one that applies ----------------------------------------------------

  wire [15:0] limit = single_i ? limit_single : limit_redundant;
  wire too_many;                                // errors in this window
  wire timed = timeout != 16'd0;                // there is a timeout
  wire at_timeout;

  loom_elite5_above #(
    .W(17)
  ) u_window (
    .a_i(window_errors_q),
    .b_i({1'b0, limit}),
    .above_o(too_many)
  );

  loom_elite5_same #(
    .W(17)
  ) u_timeout (
    .a_i(timer_q),
    .b_i({1'b0, timeout}),
    .same_o(at_timeout)
  );

  wire may_go = enable_i && signal_i;
  wire late = timed && at_timeout;
  wire start = may_go && state_q == DOWN;
  wire told = ready && seen_q && told_q && quiet;
  wire removed = may_go && up && too_many;
  wire falls_back = may_go && late && (state_q == NEGOTIATE || state_q == IDCHECK
                                       || (ready && !quick_i));
  wire met = may_go && !late && state_q == NEGOTIATE
             && ((got_negotiate && same_protocol) || got_id);
  wire identified = may_go && !late && state_q == IDCHECK && got_id;
  wire right_id = identified && (!check_i || same_id);
  wire wrong_id = identified && check_i && !same_id;
  wire restart = start || falls_back;           // of what a new attempt counts
  wire up_next = may_go && (up ? !too_many : told && !(late && !quick_i));
  wire passes;
  wire fails;
  wire [2:0] base;                              // the next state, if none of these
  wire [2:0] state;
  wire moves;

  assign base = (!enable_i || (!signal_i && (opening || up))) ? DOWN
                : start ? (quick_i ? READY : NEGOTIATE) : told ? UP : state_q;

  loom_elite5_tested u_tested (
    .test_i(may_go && prbs),
    .late_i(may_go && prbs && late),
    .all_i(checked_q[31:16] != 16'd0),
    .enough_i(enough),
    .above_i(errors_above),
    .many_i(bit_errors_q[31:16] != 16'd0),
    .passes_o(passes),
    .fails_o(fails)
  );

  loom_elite5_turn u_turn (
    .base_i(base),
    .base_moves_i(base != state_q),
    .fell_i(up && !may_go),
    .removed_i(removed),
    .late_i(falls_back),
    .met_i(met),
    .right_i(right_id),
    .wrong_i(wrong_id),
    .passes_i(passes),
    .fails_i(fails),
    .state_o(state),
    .moves_o(moves),
    .trap_o(trap_o),
    .cause_o(trap_cause_o)
  );

  // ---- What goes out ----------------------------------------------------------------------------

  wire tell = ready && !gen_valid_i && sent_q >= prbs_all && quiet;
  wire word = (prbs || ready) && gen_valid_i;
  wire control = state_q == NEGOTIATE || state_q == IDCHECK || tell;
  wire [39:0] told_info = (state_q == IDCHECK) ? {chip_id, link_i, 16'd0} : {protocol, 32'd0};
  wire [4:0] told_sub = (state_q == IDCHECK) ? `LOOM_ELITE5_SUB_IDENTIFY
                                             : `LOOM_ELITE5_SUB_NEGOTIATE;
  wire [4:0] sub = tell ? `LOOM_ELITE5_SUB_READY : told_sub;
  wire [39:0] info = tell ? 40'd0 : told_info;
  wire [15:0] told_crc;
  wire [15:0] control_crc = tell ? READY_CRC : told_crc;
  wire traffic = up && traffic_valid_i;

  loom_elite5_crc #(.BYTES(6)) u_control_crc (
    .data_i({`LOOM_ELITE5_TYPE_CONTROL, told_sub, told_info}),
    .crc_o(told_crc)
  );

  // ---- Registers --------------------------------------------------------------------------------

  always @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= DOWN;
      up_q <= 1'b0;
      fallen_q <= 1'b0;
      timer_q <= 17'd0;
      seen_q <= 1'b0;
      told_q <= 1'b0;
      sent_q <= 18'd0;
      far_q <= 24'd0;
      checked_q <= 32'd0;
      bit_errors_q <= 32'd0;
      window_errors_q <= 17'd0;
      quiet_q <= 4'd0;
    end else begin
      state_q <= state;
      up_q <= up_next;
      fallen_q <= up && !up_next;
      timer_q <= moves ? 17'd0 : timer_q + 17'd1;
      if (restart) begin
        seen_q <= 1'b0;
        told_q <= 1'b0;
        sent_q <= (quick_i && !falls_back) ? prbs_all : 18'd0;
      end else begin
        if ((prbs || ready) && got_ready) seen_q <= 1'b1;
        if (tell) told_q <= 1'b1;
        if (sending) sent_q <= sent_q + 18'd1;
      end
      if (identified) far_q <= ctl_id;
      if (prbs || right_id) begin
        checked_q <= prbs ? checked : 32'd0;
        bit_errors_q <= prbs ? bit_errors : 32'd0;
      end
      if (!up || window_end) window_errors_q <= 17'd0;
      else if (error_i) window_errors_q <= window_errors_q + 17'd1;
      if (!calm_i) quiet_q <= 4'd0;
      else if (!quiet) quiet_q <= quiet_q + 4'd1;
    end
  end

  always @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_q <= 1'b0;
      out_head_q <= 1'b0;
      out_tail_q <= 1'b0;
      out_vl_q <= 5'd0;
      out_data_q <= 64'd0;
    end else begin
      out_valid_q <= control || word || traffic;
      out_head_q <= control || (traffic && traffic_head_i);
      out_tail_q <= control || (traffic && traffic_tail_i);
      out_vl_q <= traffic ? traffic_vl_i : 5'd0;
      out_data_q <= control ? {`LOOM_ELITE5_TYPE_CONTROL, sub, info, control_crc}
                    : word ? gen_data_i
                    : traffic ? traffic_data_i : 64'd0;
    end
  end

  assign sending_o = sending;
  assign up_o = up;
  assign up_next_o = up_next;
  assign opening_o = opening;
  assign state_o = state_q;
  assign quiet_o = quiet;
  assign signal_o = enable_i && state_q != FAILED && !fallen_q;
  assign far_o = far_q;
  assign checked_o = checked_q;
  assign bit_errors_o = bit_errors_q;
  assign removed_o = removed;
  assign out_valid_o = out_valid_q;
  assign out_head_o = out_head_q;
  assign out_tail_o = out_tail_q;
  assign out_vl_o = out_vl_q;
  assign out_data_o = out_data_q;

  `LOOM_ASSERT(up_next_is_the_state, up_next == (state == UP))
  `LOOM_ASSERT(done_is_counted,
      !prbs || (enough || checked_q[31:16] != 16'd0) == (checked >= {16'd0, prbs_words}))
  `LOOM_ASSERT(good_is_counted,
      !prbs || (errors_above || bit_errors_q[31:16] != 16'd0) == (bit_errors > {16'd0, prbs_limit}))
  `LOOM_ASSERT(moves_to_another_state, moves == (falls_back || state != state_q))
  `LOOM_ASSERT(link_0_without_word,
      out_valid_o || {out_head_o, out_tail_o, out_vl_o, out_data_o} == 71'd0)

endmodule

`default_nettype wire
