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
  localparam [2:0] BADID     = 3'd6;
  localparam [2:0] FAILED    = 3'd7;
  localparam [2:0] LOST      = 3'd4;            // causes of traps
  localparam [2:0] REMOVED   = 3'd5;
  localparam [2:0] WRONG_ID  = 3'd6;
  localparam [2:0] BAD_PRBS  = 3'd7;

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

  wire good = ctl_valid_i && ctl_head_i
              && ctl_data_i[`LOOM_ELITE5_CONTROL_TYPE] == `LOOM_ELITE5_TYPE_CONTROL
              && ctl_ok_i;
  wire [4:0] ctl_sub = ctl_data_i[`LOOM_ELITE5_CONTROL_SUB];
  wire [39:0] ctl_info = ctl_data_i[`LOOM_ELITE5_CONTROL_INFO];
  wire got_protocol = good && ctl_sub == `LOOM_ELITE5_SUB_NEGOTIATE
                      && ctl_info == {protocol, 32'd0};
  wire got_id = good && ctl_sub == `LOOM_ELITE5_SUB_IDENTIFY;
  wire got_ready = good && ctl_sub == `LOOM_ELITE5_SUB_READY;
  wire [23:0] ctl_id = {ctl_info[`LOOM_ELITE5_IDENTIFY_CHIP], ctl_info[`LOOM_ELITE5_IDENTIFY_LINK]};

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

  // Both of what is counted after this cycle, but before it is: the next number is told by its bits
  // (those that count up are the ones that differ), and a sum of three by its sums and carries. In
  // state PRBS neither counter gets anywhere near its end.
  wire words_above;
  wire [15:0] words_change = checked_q[15:0] ^ prbs_words;
  wire words_next = words_change == {checked_q[14:0] & ~prbs_words[14:0], 1'b1};
  wire prbs_done = checked_q[31:16] != 16'd0 || !words_above || (check && words_next);
  wire [15:0] room = ~prbs_limit;
  wire [15:0] wrong = {9'd0, errors};
  wire [15:0] sums = bit_errors_q[15:0] ^ wrong ^ room;
  wire [15:0] carries = (bit_errors_q[15:0] & wrong) | ((bit_errors_q[15:0] | wrong) & room);
  wire errors_above;
  wire prbs_good = bit_errors_q[31:16] == 16'd0 && !errors_above;

  loom_elite5_above #(
    .W(16)
  ) u_words (
    .a_i(prbs_words),
    .b_i(checked_q[15:0]),
    .above_o(words_above)
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
  wire stays = ready && quick_i;                // whatever its timer says
  wire late = opening && !stays && timeout != 16'd0 && timer_q == {1'b0, timeout};
  wire too_many;                                // errors in this window
  wire goes_up = ready && !late && seen_q && told_q && quiet;
  wire up_next = enable_i && signal_i && (up ? !too_many : goes_up);
  reg [2:0] state;
  reg restart;                                  // of what a new attempt counts
  reg restart_timer;                            // though the state stays
  reg new_id;
  reg trap;
  reg [2:0] cause;

  loom_elite5_above #(
    .W(17)
  ) u_window (
    .a_i(window_errors_q),
    .b_i({1'b0, limit}),
    .above_o(too_many)
  );

  always @* begin
    state = state_q;
    restart = 1'b0;
    restart_timer = 1'b0;
    new_id = 1'b0;
    trap = 1'b0;
    cause = LOST;
    if (!enable_i || (!signal_i && (opening || up))) begin
      state = DOWN;
      trap = up;
    end else if (up && too_many) begin
      state = FAILED;
      trap = 1'b1;
      cause = REMOVED;
    end else if (state_q == DOWN && signal_i) begin
      state = quick_i ? READY : NEGOTIATE;
      restart = 1'b1;
    end else if (late && prbs) begin
      state = FAILED;
      trap = 1'b1;
      cause = BAD_PRBS;
    end else if (late) begin
      state = NEGOTIATE;
      restart = 1'b1;
      restart_timer = 1'b1;
    end else begin
      case (state_q)
        NEGOTIATE: if (got_protocol || got_id) state = IDCHECK;
        IDCHECK: begin
          new_id = got_id;
          if (got_id) begin
            trap = check_i && ctl_id != expected_i;
            state = trap ? BADID : PRBS;
          end
          cause = WRONG_ID;
        end
        PRBS: begin
          trap = prbs_done && !prbs_good;
          if (prbs_done) state = prbs_good ? READY : FAILED;
          cause = BAD_PRBS;
        end
        READY: if (seen_q && told_q && quiet) state = UP;
        default: state = state_q;
      endcase
    end
  end

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
      timer_q <= (restart_timer || state != state_q) ? 17'd0 : timer_q + 17'd1;
      if (restart) begin
        seen_q <= 1'b0;
        told_q <= 1'b0;
        sent_q <= (quick_i && !restart_timer) ? prbs_all : 18'd0;
      end else begin
        if ((prbs || ready) && got_ready) seen_q <= 1'b1;
        if (tell) told_q <= 1'b1;
        if (sending) sent_q <= sent_q + 18'd1;
      end
      if (new_id) far_q <= ctl_id;
      if (prbs || state == PRBS) begin
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
  assign trap_o = trap;
  assign trap_cause_o = trap ? cause : 3'd0;
  assign removed_o = trap && cause == REMOVED;
  assign out_valid_o = out_valid_q;
  assign out_head_o = out_head_q;
  assign out_tail_o = out_tail_q;
  assign out_vl_o = out_vl_q;
  assign out_data_o = out_data_q;

  `LOOM_ASSERT(up_next_is_the_state, up_next == (state == UP))
  `LOOM_ASSERT(done_is_counted, !prbs || prbs_done == (checked >= {16'd0, prbs_words}))
  `LOOM_ASSERT(good_is_counted, !prbs || prbs_good == (bit_errors <= {16'd0, prbs_limit}))
  `LOOM_ASSERT(link_0_without_word,
      out_valid_o || {out_head_o, out_tail_o, out_vl_o, out_data_o} == 71'd0)

endmodule

`default_nettype wire
