// SPDX-License-Identifier: Apache-2.0

// loom_packet_store, from outside, under the contract of its user. A few packets are announced with
// any lengths and have any VLs; one of them, any one, is followed: it comes into view once with its
// record, in its turn, and at once if all before it in its VL were taken; it leaves once in words
// as the page has them, uninterrupted; of any one of its places bit 0 is the one that was written.
// Units are counted: what is admitted, what is freed.
// With soon_o three cycles after the last take, all that was taken shows without an empty cycle.
`include "props.vh"
`default_nettype none
module f_packet_store #(
  parameter LANES    = 2,
  parameter RD_FLITS = 2,
  parameter WHAT     = 0,  // 0 units, 1 heads, 2 words, 3 their data; covers: all
  parameter EARLY    = 2
) (
  input wire                clk_i,
  input wire                announce_i,
  input wire [11:0]         announce_len_i,
  input wire                queue_i,
  input wire [4:0]          queue_vl_i,
  input wire [11:0]         queue_len_i,
  input wire                queue_info_i,
  input wire                wr_valid_i,
  input wire [4:0]          wr_vl_i,
  input wire                wr_last_i,
  input wire [2:0]          wr_flits_i,
  input wire [64*LANES-1:0] wr_data_i,
  input wire                take_i,
  input wire [4:0]          take_vl_i
);
  localparam V = 2;    // VLs; 4 cells
  localparam MTU = 2;  // units
  `RESET_ONCE

  wire space, ok, head_event, head_info, soon, rd_valid, rd_first, rd_last, free_valid;
  wire [V-1:0] head_valid;
  wire [4:0] head_vl, rd_vl, free_vl;
  wire [11:0] head_len;
  wire [2:0] rd_flits, total;
  wire [1:0] rd_lane;
  wire [64*LANES-1:0] rd_data;
  loom_packet_store #(
    .VLS(V), .CELLS(4), .LANES(LANES), .RD_FLITS(RD_FLITS), .INFO_W(1), .MTU_UNITS(MTU),
    .EARLY(EARLY)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .announce_i(announce_i), .announce_len_i(announce_len_i),
    .space_o(space), .announce_ok_o(ok), .queue_i(queue_i), .queue_vl_i(queue_vl_i),
    .queue_len_i(queue_len_i), .queue_info_i(queue_info_i), .wr_valid_i(wr_valid_i),
    .wr_vl_i(wr_vl_i), .wr_last_i(wr_last_i), .wr_flits_i(wr_flits_i), .wr_data_i(wr_data_i),
    .head_valid_o(head_valid), .head_event_o(head_event), .head_vl_o(head_vl),
    .head_len_o(head_len), .head_info_o(head_info), .take_i(take_i), .take_vl_i(take_vl_i),
    .soon_o(soon), .rd_valid_o(rd_valid), .rd_vl_o(rd_vl), .rd_first_o(rd_first),
    .rd_last_o(rd_last), .rd_flits_o(rd_flits), .rd_lane_o(rd_lane), .rd_data_o(rd_data),
    .free_valid_o(free_valid), .free_vl_o(free_vl), .total_o(total)
  );

  // Packets by number, in the order of their admission; the VL of each is anything.
  reg [7:0] vls_q;
  reg [47:0] len_q;
  reg [3:0] admitted_q, queued_q, written_q;
  reg [5:0] place_q;
  // Announcements of the last two cycles that were not sure.
  reg [11:0] ask_len_q, asked_len_q;
  reg ask_q, asked_q;
  reg [2:0] big_q;  // a packet of more than MTU units was announced in one of the last three cycles
  wire sure = announce_i && space && announce_len_i != 0 && announce_len_i <= 8 * MTU
              && big_q == 0;
  wire late = asked_q && ok;
  wire [5:0] next_len = len_q >> 6 * queued_q[2:0];
  wire [5:0] word_len = len_q >> 6 * written_q[2:0];
  wire queue_old = queued_q != admitted_q && queue_len_i == next_len;
  wire queue_new = queued_q == admitted_q && sure && queue_len_i == announce_len_i;
  wire [5:0] word_end = place_q + wr_flits_i;

  always @* begin
    // The contract of the user.
    assume(!announce_i || admitted_q + ask_q + asked_q < 7);
    assume(!sure || !(ask_q || asked_q));
    assume(!queue_i || queue_old || queue_new);
    assume(!queue_i || queue_vl_i == vls_q[queued_q[2:0]]);
    assume(!wr_valid_i || written_q != admitted_q && wr_vl_i == vls_q[written_q[2:0]]);
    assume(!wr_valid_i || wr_flits_i != 0 && wr_flits_i <= LANES && word_end <= word_len);
    assume(!wr_valid_i || place_q[2:0] + {1'b0, wr_flits_i} <= 8);
    assume(!wr_valid_i || wr_last_i == (word_end == word_len));
    assume(!take_i || soon && take_vl_i < V && head_valid[take_vl_i[0]]);
  end

  always @(posedge clk_i) begin
    vls_q <= vls_q;
    ask_q <= !rst && announce_i && !sure;
    ask_len_q <= announce_len_i;
    asked_q <= !rst && ask_q;
    asked_len_q <= ask_len_q;
    if (rst) begin
      admitted_q <= 0;
      queued_q <= 0;
      written_q <= 0;
      place_q <= 0;
    end else begin
      admitted_q <= admitted_q + sure + late;
      if (sure) len_q[6*admitted_q[2:0] +: 6] <= announce_len_i;
      if (late) len_q[6*admitted_q[2:0] +: 6] <= asked_len_q;
      queued_q <= queued_q + queue_i;
      if (wr_valid_i) begin
        written_q <= written_q + wr_last_i;
        place_q <= wr_last_i ? 0 : word_end;
      end
    end
  end

  // Units: an announcement is decided in the cycle after it, with the units of then.
  reg [12:0] units_q;
  reg [2:0] model_q;
  reg [1:0] was_sure_q;
  reg ok_q;
  wire fits = units_q != 0 && model_q + units_q <= 4;
  always @(posedge clk_i) begin
    units_q <= !rst && announce_i ? (announce_len_i + 13'd7) >> 3 : 13'd0;
    was_sure_q <= {was_sure_q[0], !rst && sure};
    big_q <= {big_q[1:0], !rst && announce_i && announce_len_i > 8 * MTU};
    if (rst) begin
      model_q <= 0;
      ok_q <= 0;
      big_q <= 0;
      was_sure_q <= 0;
    end else begin
      model_q <= model_q + (fits ? units_q[2:0] : 3'd0) - free_valid;
      ok_q <= fits;
    end
  end

  // The packet that is followed, the packets of its VL before it, and one of its places.
  reg [2:0] n_q;
  reg [4:0] at_q;
  wire vl = vls_q[n_q];
  wire [5:0] len = len_q >> 6 * n_q;
  reg [3:0] before;
  integer a;
  always @* begin
    before = 0;
    for (a = 0; a < 7; a = a + 1) before = before + (a < n_q && vls_q[a] == vl);
  end
  reg bit_q, info_q;
  reg alone_q;                         // it was queued, and all before it were taken before
  reg [3:0] shown_q, taken_q, read_q;  // packets of its VL
  reg [5:0] out_q;                     // its place
  reg [4:0] ends_q, freed_q;           // units, of all
  wire mine = rd_valid && rd_vl == vl && read_q == before;
  wire [5:0] out_end = out_q + rd_flits;
  wire has = mine && at_q >= out_q && at_q < out_end;
  reg cell_ends;
  reg [3:0] all_taken_q, all_read_q;  // packets of all VLs
  reg [3:0] told_q;                   // so many of them are whole, as soon_o told
  reg [1:0] took_q;                   // in the last two cycles
  reg [2:0] any_q;  // place in its cell of what is read, of all
  wire [3:0] any_end = any_q + rd_flits;
  always @(posedge clk_i) begin
    n_q <= n_q;
    at_q <= at_q;
    if (wr_valid_i && written_q == n_q && at_q >= place_q && at_q < word_end)
      bit_q <= wr_data_i[64 * (at_q % LANES)];
    if (queue_i && queued_q == n_q) info_q <= queue_info_i;
    if (rst) begin
      shown_q <= 0;
      taken_q <= 0;
      read_q <= 0;
      out_q <= 0;
      ends_q <= 0;
      freed_q <= 0;
      alone_q <= 0;
      any_q <= 0;
      all_taken_q <= 0;
      all_read_q <= 0;
      told_q <= 0;
      took_q <= 0;
    end else begin
      alone_q <= queue_i && queued_q == n_q && taken_q == before;
      all_taken_q <= all_taken_q + take_i;
      all_read_q <= all_read_q + (rd_valid && rd_last);
      if (soon && took_q == 0) told_q <= all_taken_q;
      took_q <= {took_q[0], take_i};
      if (head_event && head_vl == vl) shown_q <= shown_q + 1;
      if (take_i && take_vl_i == vl) taken_q <= taken_q + 1;
      if (rd_valid && rd_vl == vl && rd_last) read_q <= read_q + 1;
      if (mine) out_q <= out_end;
      if (rd_valid) begin
        any_q <= rd_last ? 0 : any_end;
        ends_q <= ends_q + (rd_last || any_end == 8);
      end
      freed_q <= freed_q + free_valid;
    end
  end

  always @* begin
    assume(n_q < 7);
    if (live_q) begin
      if (WHAT == 0) begin
        `PROVE(ok == ok_q && total == model_q && total <= 4);
        `PROVE(!was_sure_q[1] || ok);
      end
      if (WHAT == 1) begin
        `PROVE(head_valid[vl] == (shown_q + (head_event && head_vl == vl) != taken_q));
        `PROVE(!(head_event && head_vl == vl) || shown_q == taken_q);
        `PROVE(!alone_q || head_event && head_vl == vl && shown_q == before);
        if (head_event && head_vl == vl && shown_q == before)
          `PROVE(queued_q > n_q && head_len == len && head_info == info_q);
      end
      if (WHAT == 2) begin
        `PROVE(rd_valid || told_q <= all_read_q);
        `PROVE(!rd_valid || rd_flits != 0 && rd_flits <= RD_FLITS && any_end <= 8);
        `PROVE(freed_q == ends_q + (rd_valid && (rd_last || any_end == 8)));
        if (mine) begin
          `PROVE(taken_q > before && rd_first == (out_q == 0) && rd_last == (out_end == len));
          `PROVE(out_end <= len && rd_lane == out_q % LANES);
          `PROVE(written_q > n_q || written_q == n_q && out_end <= place_q);
        end else `PROVE(!rd_valid || out_q == 0 || read_q != before);
      end
      if (WHAT == 3) begin
        if (has) `PROVE(rd_data[64 * (at_q % LANES)] == bit_q);
        for (a = 0; a < LANES; a = a + 1)
          `PROVE(!rd_data[64*a] || rd_valid && (a + LANES - rd_lane) % LANES < rd_flits);
      end

      `COVER(has && bit_q && n_q == 1 && before == 0 && vl);
      `COVER(mine && rd_last && n_q == 1 && before == 1);
      `COVER(mine && !rd_last && written_q == n_q);
      `COVER(head_event && late && queued_q == 2);
      `COVER(alone_q && before == 2);
      `COVER(told_q == 2 && all_read_q == 1);
    end
  end
endmodule
`default_nettype wire
