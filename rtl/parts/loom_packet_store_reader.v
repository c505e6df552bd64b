// SPDX-License-Identifier: Apache-2.0

// loom_packet_store_reader: the packets of a packet store that were taken, and where the flits of
//   the present one are read.
//
// Inside: packet_store.
// Contract: a packet (VL, first cell, length less 1) comes with taken_i in the cycle after take_i,
//   which there is only while soon_o is 1. With soon_o three cycles after a take or later, all that
//   was taken is whole and is read without an empty cycle.
//   wr_* is the word that is stored in this cycle: the cell that it goes to, the place after it in
//   this cell, and whether it begins a cell after wr_before_i or ends its packet. VL, cell and
//   place stay until the next word; wr_before_i is the cell of the last cycle. rd_* says what is
//   read in this cycle.
// Algorithm: a packet known as whole is read without looking; another one is the oldest of its VL
//   that is not whole, so if the packet that is written has its VL, it is this one, and their cells
//   say how much is there. Packets that got whole and were not started are counted by VL, in LUT
//   RAMs: written and claimed; a bit by VL says whether there is one. The number of the next cell
//   is read beside the present one. What decides on a read is compared one cycle ahead, so that no
//   comparison stands before the end of a packet and the start of the next one.
// Latency: a packet taken in cycle c is read from c+2 on if no other is; packets follow without an
//   empty cycle if booked in time.
// Wait bound: none of its own: flits are read as soon as they are there.
// Parameters: VLS (1..32), CELLS (4..4096), RD_FLITS (1..4), EARLY (flits left at which the next
//   packet may be booked, 0..4095).
// Realises: OP-02, OP-04, OP-05.
// Page: docs/parts.md, section packet_store.
`default_nettype none
`include "loom_assert.vh"

module loom_packet_store_reader #(
  parameter integer VLS      = 9,
  parameter integer CELLS    = 256,
  parameter integer RD_FLITS = 1,
  parameter integer EARLY    = 16
) (
  input  wire                     clk_i,
  input  wire                     rst_i,
  input  wire                     take_i,
  input  wire                     taken_i,
  input  wire [4:0]               taken_vl_i,
  input  wire [$clog2(CELLS)-1:0] taken_cell_i,
  input  wire [11:0]              taken_less_i,
  input  wire                     put_off_i,
  output wire                     soon_o,
  input  wire                     wr_i,
  input  wire [4:0]               wr_vl_i,
  input  wire                     wr_last_i,
  input  wire [$clog2(CELLS)-1:0] wr_cell_i,
  input  wire [3:0]               wr_end_i,
  input  wire                     wr_link_i,
  input  wire [$clog2(CELLS)-1:0] wr_before_i,
  output wire                     rd_o,
  output wire [4:0]               rd_vl_o,
  output wire [$clog2(CELLS)-1:0] rd_cell_o,
  output wire [2:0]               rd_place_o,
  output wire [2:0]               rd_flits_o,
  output wire                     rd_first_o,
  output wire                     rd_last_o,
  output wire                     rd_free_o
);

  localparam integer CW = $clog2(CELLS);
  localparam integer VW = (VLS < 2) ? 1 : $clog2(VLS);
  localparam integer BOOK_W = VW + CW + 12;
  localparam integer LATE_I = EARLY + 1;
  localparam [13:0] LATE = LATE_I[13:0];
  localparam [2:0] MOST = RD_FLITS[2:0];
  localparam [VLS-1:0] HOT0 = 1;
  localparam [CW:0] ONE_N = 1;

  // The packet that is read: its cell, the place in it, flits in it after the one at this place,
  // units after it, flits of the last one less 1. With `turn` it goes on in the next cell, whose
  // number is `next` once there is one.
  reg active_q;
  reg asks_q;                           // active, and not known as whole
  reg [VW-1:0] vl_q;
  reg first_q;
  reg [CW-1:0] cell_q;
  reg [2:0] place_q;
  reg [2:0] room_q;
  reg end_q;                            // as many flits or fewer are left than can be read at once
  reg turn_q;
  reg [8:0] more_q;
  reg last_q;
  reg [2:0] tail_q;
  reg [CW-1:0] kept_q;                  // `next`, if it is not what was read last
  reg [CW-1:0] link_q;
  reg link_ok_q;                        // what is read now is the link of `cell`
  reg fresh_q;                          // what was read last is

  // Taken packets that wait.
  reg [1:0] booked_q;
  reg [1:0] in_q;
  reg [1:0] out_q;
  reg [1:0] known_q;                    // so many, the first ones, are known as whole
  reg [VW-1:0] front_vl_q;              // VL of the first one,
  reg [VW-1:0] last_vl_q;               // of the one that was booked last,
  reg [VW-1:0] before_vl_q;             // and of the one before it
  reg [13:0] owed_q;
  reg [2:0] was_read_q;
  reg soon_q;

  // The packet that is written, and how it stands to the one that is read.
  reg mine_q;                           // it is this one, if it is not known as whole
  reg in_cell_q;                        // both are in the same cell
  reg came_q;                           // there is a flit in it that was not read
  reg live_q;
  reg ends_q;
  reg linked_q;
  reg [CW-1:0] before_q;

  wire unused_vl = &{1'b0, taken_vl_i, wr_vl_i};
  wire [VW-1:0] taken_vl = taken_vl_i[VW-1:0];
  wire [VW-1:0] wr_vl = wr_vl_i[VW-1:0];

  // ---- What is read -----------------------------------------------------------------------------

  wire there = !asks_q || (mine_q && (!in_cell_q || (!turn_q && came_q)));
  wire rd = active_q && there;
  wire [2:0] flits;
  wire ends;
  wire done = ends && last_q;
  wire [CW-1:0] next = fresh_q ? link_q : kept_q;
  wire [CW-1:0] rd_cell = turn_q ? next : cell_q;
  wire [13:0] owed;

  generate
    if (RD_FLITS == 1) begin : g_one
      assign flits = 3'd1;
      assign ends = rd && end_q;
      // One sum: the flit that was read takes the one that the length lacks.
      wire was_read = was_read_q[0];
      wire unused_read = &{1'b0, was_read_q};
      assign owed = owed_q + (taken_i ? {2'd0, taken_less_i} : {14{was_read}})
                    + {13'd0, taken_i && !was_read};
    end else begin : g_more
      // Whether the next cell is wr_before_i: found as both come into their registers. What is
      // read comes late in its cycle, so of this two bits are compared here, and all in the next.
      localparam integer PAIRS = (CW + 1) / 2;
      reg [PAIRS-1:0] link_in_q;
      reg kept_in_q;
      wire in_next = fresh_q ? link_in_q == {PAIRS{1'b1}} : kept_in_q;
      wire [CW-1:0] newest_cell = wr_i ? wr_cell_i : wr_before_i;
      genvar p;
      for (p = 0; p < PAIRS; p = p + 1) begin : g_pair
        localparam integer N = (CW - 2 * p < 2) ? 1 : 2;
        always @(posedge clk_i) link_in_q[p] <= link[2*p +: N] == newest_cell[2*p +: N];
      end
      always @(posedge clk_i) begin
        if (link_now) kept_in_q <= 1'b1;
        else if (link_was) kept_in_q <= !wr_i || wr_cell_i == wr_before_i;
        else kept_in_q <= wr_i ? next == wr_cell_i : next == wr_before_i;
      end
      wire beside = asks_q && (turn_q ? in_next : in_cell_q);  // where words are written
      // So many flits that are written can be read at once, if both are in one cell: found for
      // each number of flits that are read now, so that this is only a choice.
      reg [2:0] most_came_q;
      wire [3:0] came = wr_end_i - {1'b0, place_q};
      wire [2:0] came_after [0:4];
      genvar g;
      for (g = 0; g <= 4; g = g + 1) begin : g_after
        localparam [3:0] READ = g;
        wire [3:0] left = came - READ;
        wire unused_left = left[3];
        assign came_after[g] = (left <= {1'b0, MOST}) ? left[2:0] : MOST;
      end
      always @(posedge clk_i) begin
        if (start || ends) most_came_q <= (wr_end_i <= {1'b0, MOST}) ? wr_end_i[2:0] : MOST;
        else most_came_q <= came_after[rd ? flits : 3'd0];
      end
      wire [2:0] most_came = most_came_q;
      wire [2:0] most_room = end_q ? room_q + 3'd1 : MOST;
      assign flits = beside ? most_came : most_room;
      assign ends = rd && end_q && (!beside || most_came == most_room);
      wire [13:0] taken_flits = taken_i ? {2'd0, taken_less_i} + 14'd1 : 14'd0;
      assign owed = owed_q + taken_flits - {11'd0, was_read_q};
    end
  endgenerate

  // ---- Links of cells ---------------------------------------------------------------------------

  wire [CW-1:0] link;

  loom_apart_ram #(
    .DEPTH(1 << CW),
    .WIDTH(CW)
  ) u_link (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(wr_link_i),
    .waddr_i(wr_before_i),
    .wdata_i(wr_cell_i),
    .re_i(1'b1),
    .raddr_i(rd_cell),
    .rdata_o(link)
  );

  // A link that is written in this cycle or was in the last one is not yet read.
  wire link_now = wr_link_i && wr_before_i == cell_q;
  wire link_was = linked_q && before_q == cell_q;

  // ---- Booked packets ---------------------------------------------------------------------------

  wire booked = booked_q != 2'd0;
  wire start = (booked || taken_i) && (!active_q || done);
  wire book = taken_i && !(start && !booked);
  wire unbook = start && booked;
  wire [BOOK_W-1:0] front;
  wire [BOOK_W-1:0] taken = {taken_vl, taken_cell_i, taken_less_i};
  wire [VW-1:0] new_vl;
  wire [CW-1:0] new_cell;
  wire [11:0] new_less;
  assign {new_vl, new_cell, new_less} = booked ? front : taken;

  loom_lut_ram #(
    .DEPTH(4),
    .WIDTH(BOOK_W)
  ) u_booked (
    .clk_i(clk_i),
    .we_i(book),
    .waddr_i(in_q),
    .wdata_i(taken),
    .raddr_i(out_q),
    .rdata_o(front)
  );

  // ---- Packets that are whole -------------------------------------------------------------------

  // Counts of a VL are 0 until they are written for the first time.
  reg [VLS-1:0] whole_q;                // one at least was written and not claimed
  reg [VLS-1:0] written_q;
  reg [VLS-1:0] claimed_q;
  // What was claimed in the last cycle: only now it is counted, and `whole` ends if it was the
  // newest one.
  reg gone_q;
  reg renewed_q;                        // a newer one was written meanwhile
  reg [VW-1:0] gone_vl_q;
  reg [CW:0] gone_number_q;
  reg [CW:0] gone_newest_q;
  wire waits = booked && known_q == 2'd0;   // the first booked one is not known as whole,
  wire [VW-1:0] behind_vl = waits ? front_vl_q : taken_vl;      // and asks before what is taken
  wire [VLS-1:0] hot = HOT0 << vl_q;
  wire [VLS-1:0] behind_hot = HOT0 << behind_vl;
  wire [VLS-1:0] wr_hot = HOT0 << wr_vl;
  wire wr_whole = wr_i && wr_last_i;
  wire [CW:0] wr_word;
  wire [CW:0] newest;
  wire [CW:0] claim_word;
  wire [CW:0] wr_count = ((written_q & wr_hot) != {VLS{1'b0}}) ? wr_word : {(CW + 1){1'b0}};
  wire [CW:0] gone_count = gone_number_q + ONE_N;
  wire none_left = gone_q && !renewed_q && gone_number_q == gone_newest_q;
  wire [VLS-1:0] gone_hot = HOT0 << gone_vl_q;
  // The present packet asks after a claim of its VL only if that was done in the same cycle: then
  // it had got whole just before, and was the newest.
  wire whole = (whole_q & hot) != {VLS{1'b0}} && !(gone_q && !renewed_q && gone_vl_q == vl_q);
  wire behind_whole = (whole_q & behind_hot) != {VLS{1'b0}}
                      && !(none_left && gone_vl_q == behind_vl);
  // The oldest packet that is not known as whole is the first to ask.
  wire all_known = !asks_q && known_q == booked_q;
  wire claim = asks_q && whole;
  wire front_claim = !asks_q && waits && behind_whole;
  wire taken_claim = taken_i && all_known && behind_whole;
  wire [VW-1:0] claim_vl = asks_q ? vl_q : behind_vl;
  wire [VLS-1:0] claim_hot = HOT0 << claim_vl;
  wire claimed = (claimed_q & claim_hot) != {VLS{1'b0}};
  wire again = gone_q && gone_vl_q == claim_vl;
  wire [CW:0] claims = again ? gone_count : claimed ? claim_word : {(CW + 1){1'b0}};

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_count (
    .clk_i(clk_i),
    .we_i(wr_whole),
    .waddr_i(wr_vl),
    .wdata_i(wr_count + ONE_N),
    .raddr_i(wr_vl),
    .rdata_o(wr_word)
  );

  // The number of the newest packet that was written, from 0 on.
  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_newest (
    .clk_i(clk_i),
    .we_i(wr_whole),
    .waddr_i(wr_vl),
    .wdata_i(wr_count),
    .raddr_i(claim_vl),
    .rdata_o(newest)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_claims (
    .clk_i(clk_i),
    .we_i(gone_q),
    .waddr_i(gone_vl_q),
    .wdata_i(gone_count),
    .raddr_i(claim_vl),
    .rdata_o(claim_word)
  );

  // ---- Registers --------------------------------------------------------------------------------

  wire [1:0] coming = {1'b0, take_i} + {1'b0, taken_i};
  wire [2:0] waiting = {1'b0, booked_q} + {1'b0, coming};
  wire known = booked ? !waits || front_claim : taken_claim;    // the packet that starts
  wire goes_on = rd && turn_q;
  // place_q + flits bit by bit: a chain of carries is longer.
  wire carry1 = flits[0] && place_q[0];
  wire carry2 = (flits[1] && carry1) || (place_q[1] && (flits[1] || carry1));
  wire [2:0] place = place_q ^ flits ^ {carry2, carry1, 1'b0};
  // room_q - flits bit by bit, too.
  wire borrow1 = flits[0] && !room_q[0];
  wire borrow2 = (flits[1] && borrow1) || (!room_q[1] && (flits[1] || borrow1));
  wire [2:0] room = room_q ^ flits ^ {borrow2, borrow1, 1'b0};
  wire second = more_q == 9'd1;
  wire new_last = new_less[11:3] == 9'd0;
  wire live = wr_i || (live_q && !ends_q);                      // in the next cycle

  always @(posedge clk_i) begin
    gone_vl_q <= claim_vl;
    gone_number_q <= claims;
    gone_newest_q <= newest;
    renewed_q <= wr_whole && wr_vl == claim_vl;
    before_q <= wr_before_i;
    if (rst_i) begin
      live_q <= 1'b0;
      ends_q <= 1'b0;
      linked_q <= 1'b0;
      gone_q <= 1'b0;
      whole_q <= {VLS{1'b0}};
      written_q <= {VLS{1'b0}};
      claimed_q <= {VLS{1'b0}};
    end else begin
      live_q <= live;
      ends_q <= wr_i && wr_last_i;
      linked_q <= wr_link_i;
      gone_q <= claim || front_claim || taken_claim;
      whole_q <= (whole_q & ~(none_left ? gone_hot : {VLS{1'b0}}))
                 | (wr_whole ? wr_hot : {VLS{1'b0}});
      if (wr_whole) written_q <= written_q | wr_hot;
      if (gone_q) claimed_q <= claimed_q | gone_hot;
    end
  end

  always @(posedge clk_i) begin
    link_q <= link;
    fresh_q <= link_ok_q && !link_now && !link_was;
    if (link_now) kept_q <= wr_cell_i;
    else if (link_was) kept_q <= wr_before_i;
    else kept_q <= next;
    in_cell_q <= (start && new_cell == wr_cell_i)
                 || (!start && goes_on && next == wr_cell_i)
                 || (!start && !goes_on && cell_q == wr_cell_i);
    if (book) last_vl_q <= taken_vl;
    if (book) before_vl_q <= last_vl_q;
    if (start) front_vl_q <= (booked_q == 2'd3) ? before_vl_q : booked_q[1] ? last_vl_q : taken_vl;
    else if (!booked) front_vl_q <= taken_vl;
    came_q <= start || (rd ? wr_end_i > {1'b0, place} : wr_end_i > {1'b0, place_q});
    if (start) begin
      vl_q <= new_vl;
      cell_q <= new_cell;
      more_q <= new_less[11:3];
      last_q <= new_last;
      tail_q <= new_less[2:0];
      room_q <= new_last ? new_less[2:0] : 3'd7;
      end_q <= new_last && new_less[2:0] < MOST;
    end else begin
      if (goes_on) cell_q <= next;
      if (ends) begin
        more_q <= more_q - 9'd1;
        last_q <= second;
        room_q <= second ? tail_q : 3'd7;
        end_q <= second && tail_q < MOST;
      end else if (rd) begin
        room_q <= room;
        end_q <= room < MOST;
      end
    end
    if (rst_i) begin
      active_q <= 1'b0;
      asks_q <= 1'b0;
      mine_q <= 1'b0;
      known_q <= 2'd0;
      first_q <= 1'b0;
      place_q <= 3'd0;
      turn_q <= 1'b0;
      link_ok_q <= 1'b0;
      booked_q <= 2'd0;
      in_q <= 2'd0;
      out_q <= 2'd0;
      owed_q <= 14'd0;
      was_read_q <= 3'd0;
      soon_q <= 1'b1;
    end else begin
      active_q <= start || (active_q && !done);
      asks_q <= start ? !known : asks_q && !done && !claim;
      // What starts without being known, and was not looked at, is still to be asked.
      mine_q <= live && (start ? !asks_q && new_vl == wr_vl : vl_q == wr_vl);
      if (start) begin
        first_q <= 1'b1;
        place_q <= 3'd0;
        turn_q <= 1'b0;
      end else if (rd) begin
        first_q <= 1'b0;
        place_q <= ends ? 3'd0 : place;
        turn_q <= ends;
      end
      link_ok_q <= !start && (!turn_q || rd);
      booked_q <= booked_q + {1'b0, book} - {1'b0, unbook};
      known_q <= known_q + {1'b0, (book && taken_claim) || (front_claim && !start)}
                 - {1'b0, unbook && !waits};
      if (book) in_q <= in_q + 2'd1;
      if (unbook) out_q <= out_q + 2'd1;
      owed_q <= owed;
      was_read_q <= rd ? flits : 3'd0;
      soon_q <= waiting < 3'd3 && owed_q < LATE && (taken_i ? taken_claim : all_known)
                && !put_off_i;
    end
  end

  assign soon_o = soon_q;
  assign rd_o = rd;
  assign rd_vl_o = {{(5 - VW){1'b0}}, vl_q};
  assign rd_cell_o = rd_cell;
  assign rd_place_o = place_q;
  assign rd_flits_o = flits;
  assign rd_first_o = first_q;
  assign rd_last_o = done;
  assign rd_free_o = ends;

  `LOOM_ASSERT(place_to_book, !book || booked_q != 2'd3)
  `LOOM_ASSERT(at_most_two_not_known,
      {2'd0, asks_q} + {1'b0, booked_q} - {1'b0, known_q} < 3'd3)
  `LOOM_ASSERT(flits_are_owed, owed_q >= {11'd0, was_read_q})
  `LOOM_ASSERT(asked_again_after_the_newest,
      !(asks_q && gone_q && !renewed_q && gone_vl_q == vl_q) || none_left)
  `LOOM_ASSERT(done_is_known_or_gets_known, !(done && asks_q) || whole)

endmodule

`default_nettype wire
