// SPDX-License-Identifier: Apache-2.0

// loom_packet_store_reader: the packets of a packet store that were taken, and where the flits of
//   the present one are read.
//
// Inside: packet_store.
// Contract: a packet (VL, first cell, length less 1) comes with taken_i in the cycle after take_i,
//   which there is only while soon_o is 1.
//   wr_* is the word that is stored in this cycle: the cell that it goes to, the place after it in
//   this cell, and whether it begins a cell after wr_before_i or ends its packet. rd_* says what is
//   read in this cycle.
// Algorithm: a packet known as whole is read without looking; another one is the oldest of its VL
//   that is not whole, so if the packet that is written has its VL, it is this one, and their cells
//   say how much is there. Packets that got whole and were not started are counted by VL, in two
//   LUT RAMs: written and claimed. The number of the next cell is read beside the present one.
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
  localparam [3:0] MOST = RD_FLITS[3:0];
  localparam [VLS-1:0] HOT0 = 1;
  localparam [CW:0] ONE_N = 1;

  // The packet that is read: its cell, the place in it, units after it, flits of the last one less
  // 1. With `turn` it goes on in the next cell, whose number is `next` once there is one.
  reg active_q;
  reg known_q;                          // as whole, from the start
  reg got_q;                            // as whole, since it is active
  reg check_q;                          // whether it is whole is not known before this cycle's end
  reg [VW-1:0] vl_q;
  reg first_q;
  reg [CW-1:0] cell_q;
  reg [2:0] place_q;
  reg turn_q;
  reg [8:0] more_q;
  reg last_q;
  reg [2:0] tail_q;
  reg [CW-1:0] next_q;
  reg link_ok_q;                        // what is read now is the link of `cell`

  // Taken packets that wait.
  reg [1:0] booked_q;
  reg [1:0] in_q;
  reg [1:0] out_q;
  reg [3:0] unknown_q;                  // by place: it was not known as whole
  reg [13:0] owed_q;
  reg [2:0] was_read_q;
  reg soon_q;

  // The packet that is written.
  reg live_q;
  reg ends_q;
  reg [VW-1:0] wr_vl_q;
  reg [CW-1:0] wr_cell_q;
  reg [3:0] wr_end_q;
  reg linked_q;
  reg [CW-1:0] before_q;

  wire unused_vl = &{1'b0, taken_vl_i, wr_vl_i};
  wire [VW-1:0] taken_vl = taken_vl_i[VW-1:0];
  wire [VW-1:0] wr_vl = wr_vl_i[VW-1:0];

  // ---- What is read -----------------------------------------------------------------------------

  wire in_cell = cell_q == wr_cell_q;
  wire in_next = next_q == wr_cell_q;
  wire [3:0] end_of_cell = last_q ? {1'b0, tail_q} + 4'd1 : 4'd8;
  wire [3:0] room = end_of_cell - {1'b0, place_q};
  wire ends_here = room <= MOST;
  wire came_some = wr_end_q > {1'b0, place_q};

  wire known = known_q || got_q;
  wire mine = live_q && !check_q && wr_vl_q == vl_q;
  wire there = known || (mine && (!in_cell || (!turn_q && came_some)));
  wire rd = active_q && there;
  wire [2:0] flits;
  wire ends;
  wire done = ends && last_q;
  wire [CW-1:0] rd_cell = turn_q ? next_q : cell_q;

  generate
    if (RD_FLITS == 1) begin : g_one
      wire unused_next = in_next;
      assign flits = 3'd1;
      assign ends = rd && ends_here;
    end else begin : g_more
      wire beside = !known && (turn_q ? in_next : in_cell);    // where words are written
      wire [3:0] came = wr_end_q - {1'b0, place_q};
      wire [2:0] most_room = ends_here ? room[2:0] : MOST[2:0];
      wire [2:0] most_came = (came <= MOST) ? came[2:0] : MOST[2:0];
      wire unused_came = came[3];
      assign flits = beside ? most_came : most_room;
      assign ends = rd && ends_here && (!beside || most_came == most_room);
    end
  endgenerate

  // ---- Links of cells ---------------------------------------------------------------------------

  wire [CW-1:0] link;

  loom_ram #(
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
  reg [VLS-1:0] written_q;
  reg [VLS-1:0] claimed_q;
  wire asks = active_q && !known;
  wire [VLS-1:0] hot = HOT0 << vl_q;
  wire [VLS-1:0] taken_hot = HOT0 << taken_vl;
  wire [VLS-1:0] wr_hot = HOT0 << wr_vl;
  wire wr_whole = wr_i && wr_last_i;
  wire [CW:0] wr_word;
  wire [CW:0] whole_word;
  wire [CW:0] claim_word;
  wire [CW:0] taken_whole_word;
  wire [CW:0] taken_claim_word;
  wire [CW:0] wr_count = ((written_q & wr_hot) != {VLS{1'b0}}) ? wr_word : {(CW + 1){1'b0}};
  // One that was written and none claimed: their number is not 0.
  wire claimed = (claimed_q & hot) != {VLS{1'b0}};
  wire whole = (written_q & hot) != {VLS{1'b0}} && (!claimed || whole_word != claim_word);
  wire taken_claimed = (claimed_q & taken_hot) != {VLS{1'b0}};
  wire taken_whole = (written_q & taken_hot) != {VLS{1'b0}}
                     && (!taken_claimed || taken_whole_word != taken_claim_word);
  // The oldest packet that is not known as whole is the first to ask.
  wire claim = asks && whole;
  wire taken_claim = taken_i && !asks && unknown_q == 4'd0 && taken_whole;
  wire [VW-1:0] claim_vl = asks ? vl_q : taken_vl;
  wire [CW:0] claims = asks ? (claimed ? claim_word : {(CW + 1){1'b0}})
                            : (taken_claimed ? taken_claim_word : {(CW + 1){1'b0}});

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

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_whole (
    .clk_i(clk_i),
    .we_i(wr_whole),
    .waddr_i(wr_vl),
    .wdata_i(wr_count + ONE_N),
    .raddr_i(vl_q),
    .rdata_o(whole_word)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_taken_whole (
    .clk_i(clk_i),
    .we_i(wr_whole),
    .waddr_i(wr_vl),
    .wdata_i(wr_count + ONE_N),
    .raddr_i(taken_vl),
    .rdata_o(taken_whole_word)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_claims (
    .clk_i(clk_i),
    .we_i(claim || taken_claim),
    .waddr_i(claim_vl),
    .wdata_i(claims + ONE_N),
    .raddr_i(vl_q),
    .rdata_o(claim_word)
  );

  loom_lut_ram #(
    .DEPTH(1 << VW),
    .WIDTH(CW + 1)
  ) u_taken_claims (
    .clk_i(clk_i),
    .we_i(claim || taken_claim),
    .waddr_i(claim_vl),
    .wdata_i(claims + ONE_N),
    .raddr_i(taken_vl),
    .rdata_o(taken_claim_word)
  );

  // ---- Registers --------------------------------------------------------------------------------

  wire [13:0] taken_flits = taken_i ? {2'd0, taken_less_i} + 14'd1 : 14'd0;
  wire [1:0] coming = {1'b0, take_i} + {1'b0, taken_i};
  wire [2:0] waiting = {1'b0, booked_q} + {1'b0, coming};

  always @(posedge clk_i) begin
    if (wr_i) begin
      wr_vl_q <= wr_vl;
      wr_cell_q <= wr_cell_i;
      wr_end_q <= wr_end_i;
    end
    before_q <= wr_before_i;
    if (rst_i) begin
      live_q <= 1'b0;
      ends_q <= 1'b0;
      linked_q <= 1'b0;
      written_q <= {VLS{1'b0}};
      claimed_q <= {VLS{1'b0}};
    end else begin
      live_q <= wr_i || (live_q && !ends_q);
      ends_q <= wr_i && wr_last_i;
      linked_q <= wr_link_i;
      if (wr_whole) written_q <= written_q | wr_hot;
      if (claim || taken_claim) claimed_q <= claimed_q | (asks ? hot : taken_hot);
    end
  end

  always @(posedge clk_i) begin
    if (link_now) next_q <= wr_cell_i;
    else if (link_was) next_q <= wr_cell_q;
    else if (link_ok_q) next_q <= link;
    if (start) begin
      vl_q <= new_vl;
      cell_q <= new_cell;
      more_q <= new_less[11:3];
      last_q <= new_less[11:3] == 9'd0;
      tail_q <= new_less[2:0];
    end else begin
      if (rd && turn_q) cell_q <= next_q;
      if (ends) begin
        more_q <= more_q - 9'd1;
        last_q <= more_q == 9'd1;
      end
    end
    if (rst_i) begin
      active_q <= 1'b0;
      known_q <= 1'b0;
      got_q <= 1'b0;
      check_q <= 1'b0;
      first_q <= 1'b0;
      place_q <= 3'd0;
      turn_q <= 1'b0;
      link_ok_q <= 1'b0;
      booked_q <= 2'd0;
      in_q <= 2'd0;
      out_q <= 2'd0;
      unknown_q <= 4'd0;
      owed_q <= 14'd0;
      was_read_q <= 3'd0;
      soon_q <= 1'b1;
    end else begin
      active_q <= start || (active_q && !done);
      check_q <= start && (booked ? unknown_q[out_q] : asks);
      if (start) known_q <= booked ? !unknown_q[out_q] : taken_claim;
      else if (done) known_q <= 1'b0;
      if (start || done) got_q <= 1'b0;
      else if (claim) got_q <= 1'b1;
      if (start) begin
        first_q <= 1'b1;
        place_q <= 3'd0;
        turn_q <= 1'b0;
      end else if (rd) begin
        first_q <= 1'b0;
        place_q <= ends ? 3'd0 : place_q + flits;
        turn_q <= ends;
      end
      link_ok_q <= !start && (!turn_q || rd);
      booked_q <= booked_q + {1'b0, book} - {1'b0, unbook};
      if (book) begin
        in_q <= in_q + 2'd1;
        unknown_q[in_q] <= !taken_claim;
      end
      if (unbook) begin
        out_q <= out_q + 2'd1;
        unknown_q[out_q] <= 1'b0;
      end
      owed_q <= owed_q + taken_flits - {11'd0, was_read_q};
      was_read_q <= rd ? flits : 3'd0;
      soon_q <= waiting < 3'd3 && owed_q < LATE && !asks && !put_off_i;
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
  `LOOM_ASSERT(flits_are_owed, owed_q >= {11'd0, was_read_q})
  `LOOM_ASSERT(done_is_known_or_gets_known, !(done && !known) || whole)

endmodule

`default_nettype wire
