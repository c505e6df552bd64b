// SPDX-License-Identifier: Apache-2.0

// loom_segment_buffer, for ever, under the contract of its user. A plain model holds of each VC the
// segments that were not read for good, in order, each with its slot, the words written and how it
// ended, besides them the slots that were freed; its readers do what the page says. The circuit
// must show what the model shows: so nothing is lost, doubled, mixed or reordered. The invariants
// say how slots, lists and counts of the circuit hold the same thing. A segment has its full 32
// words: of each segment the model keeps one word, at a place that is the same for all segments and
// may be any, and bit 0 of this word stands for all.
`include "props.vh"
`default_nettype none
module f_segment_buffer #(
  parameter POOL = 2
) (
  input wire        clk_i,
  input wire        wr_valid_i,
  input wire [4:0]  wr_vc_i,
  input wire        wr_head_i,
  input wire        wr_tail_i,
  input wire [63:0] wr_data_i,
  input wire        take_i,
  input wire [4:0]  take_vc_i,
  input wire        take_keep_i
);
  localparam V = 2;  // VCs
  localparam S = V + POOL;  // slots: 2 or 4
  `RESET_ONCE

  wire [V-1:0] wr_ok, seg_valid;
  wire phase, rd_free, free_valid, empty;
  wire [1:0] rd_now, rd_done, rd_last, rd_valid, rd_head, rd_tail;
  wire [9:0] rd_vc;
  wire [127:0] rd_data;
  wire [4:0] free_vc;
  loom_segment_buffer #(
    .VCS(V), .POOL(POOL)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .wr_valid_i(wr_valid_i), .wr_vc_i(wr_vc_i), .wr_head_i(wr_head_i),
    .wr_tail_i(wr_tail_i), .wr_data_i(wr_data_i), .wr_ok_o(wr_ok), .seg_valid_o(seg_valid),
    .take_i(take_i), .take_vc_i(take_vc_i), .take_keep_i(take_keep_i), .phase_o(phase),
    .rd_free_o(rd_free), .rd_now_o(rd_now), .rd_done_o(rd_done), .rd_last_o(rd_last),
    .rd_vc_o(rd_vc), .rd_valid_o(rd_valid), .rd_head_o(rd_head), .rd_tail_o(rd_tail),
    .rd_data_o(rd_data), .free_valid_o(free_valid), .free_vc_o(free_vc), .empty_o(empty)
  );

  localparam PLANES = $clog2(POOL + 2);

  // Tied to the circuit's nets, registers and words.
  (* keep *) wire [1:0] active, keep;
  (* keep *) wire [V-1:0] some;
  (* keep *) wire [S-1:0] used, freed, ended, tail, release_hot;
  (* keep *) wire [5:0] count0, count1, count2, count3;
  (* keep *) wire [4:0] svc0, svc1, svc2, svc3, wr_place;
  (* keep *) wire [$clog2(S)-1:0] next0, next1, next2, next3, first0, first1, last0, last1, wr_slot;
  (* keep *) wire [1:0] reader_vc;
  (* keep *) wire [2*$clog2(S)-1:0] reader_slot;
  (* keep *) wire [9:0] reader_place;
  (* keep *) wire [POOL / 2:0] pool_used;
  (* keep *) wire [2 * PLANES - 1:0] tracked;  // plane k: bit k of each VC's count
  (* keep *) wire [16*S-1:0] even, odd;  // bit 0 of each word of the banks
  wire [23:0] counts = {count3, count2, count1, count0};
  wire [19:0] svcs = {svc3, svc2, svc1, svc0};
  localparam W = $clog2(S);
  wire [4*W-1:0] nexts = {next3, next2, next1, next0};
  wire [2*W-1:0] firsts = {first1, first0}, lasts = {last1, last0};

  // The model: entry e = 4 * v + i is segment i of VC v, the front one first; n segments of it. s:
  // slot; w: words written; ended; tail; d: bit 0 of the word at `place_q`. One segment may be open
  // on the link: the last one of open_vc_q. Slots that were freed, with their VC. Reader r is at
  // the front segment of its VC, at place p.
  reg [4:0] place_q;
  reg [15:0] s_q, s_d;
  reg [47:0] w_q, w_d;
  reg [7:0] ended_q, ended_d, tail_q, tail_d, d_q, d_d;
  reg [3*V-1:0] n_q, n_d;
  reg open_q, open_vc_q;
  reg [3:0] freed_q, freed_d, freed_vc_q, freed_vc_d;
  reg phase_q;
  reg [1:0] active_q, vc_q, keep_q;
  reg [9:0] p_q;
  reg [V-1:0] granted_q;  // may be taken in this cycle

  // Slots in use, and in how many places each is; what each VC holds; admission, as the page has
  // it.
  reg [3:0] in_use;
  reg [11:0] places;
  reg [3*V-1:0] holds;
  integer a, e;
  always @* begin
    in_use = freed_q;
    for (a = 0; a < 4; a = a + 1) begin
      places[3*a +: 3] = freed_q[a];
      for (e = 0; e < 8; e = e + 1)
        if (e % 4 < n_q[3*(e/4) +: 3] && s_q[2*e +: 2] == a) begin
          in_use[a] = 1'b1;
          places[3*a +: 3] = places[3*a +: 3] + 3'd1;
        end
    end
    for (a = 0; a < V; a = a + 1) begin
      holds[3*a +: 3] = n_q[3*a +: 3];
      for (e = 0; e < 4; e = e + 1)
        holds[3*a +: 3] = holds[3*a +: 3] + (freed_q[e] && freed_vc_q[e] == a);
    end
  end
  wire [3:0] pool = (holds[2:0] > 1 ? holds[2:0] - 1 : 0) + (holds[5:3] > 1 ? holds[5:3] - 1 : 0);
  wire [3:0] planes = {holds[4], holds[1], holds[3], holds[0]};
  wire [V-1:0] room = {holds[5:3] == 0 || pool < POOL, holds[2:0] == 0 || pool < POOL};
  wire [1:0] lowest = !in_use[0] ? 2'd0 : !in_use[1] ? 2'd1 : !in_use[2] ? 2'd2 : 2'd3;

  // The contract of the user.
  wire wr_new = wr_valid_i && wr_head_i;
  wire wr_more = wr_valid_i && !wr_head_i;
  always @* begin
    assume(!wr_new || !open_q && wr_vc_i < V && room[wr_vc_i[0]]);
    assume(!wr_more || open_q);
    assume(!take_i || take_vc_i < V && granted_q[take_vc_i[0]]);
  end

  // The open segment.
  wire [2:0] open_n = open_vc_q ? n_q[5:3] : n_q[2:0];
  wire [1:0] open_i = open_n - 3'd1;
  wire [2:0] open_e = {open_vc_q, open_i};
  wire [5:0] open_w = w_q >> (6 * open_e);
  wire [1:0] open_s = s_q >> {open_e, 1'b0};

  // The readers, as the page has them.
  wire [1:0] take = take_i ? (phase_q ? 2'b10 : 2'b01) : 2'b00;
  wire [1:0] at = active_q | take;
  reg [1:0] vc, keep_now, now, done, last, first, marked, word, leave;
  reg [9:0] p;
  reg [11:0] front_w;
  reg [V-1:0] shown, valid;
  integer r;
  always @* begin
    for (r = 0; r < 2; r = r + 1) begin
      vc[r] = take[r] ? take_vc_i[0] : vc_q[r];
      keep_now[r] = take[r] ? take_keep_i : keep_q[r];
      p[5*r +: 5] = take[r] ? 5'd0 : p_q[5*r +: 5];
      front_w[6*r +: 6] = vc[r] ? w_q[24 +: 6] : w_q[0 +: 6];
      now[r] = at[r] && p[5*r] == (phase_q ^ (r == 1)) && p[5*r +: 5] < front_w[6*r +: 6];
      done[r] = now[r] && (p[5*r +: 5] == 31 || (vc[r] ? ended_q[4] : ended_q[0])
                                                && p[5*r +: 5] + 1 == front_w[6*r +: 6]);
      last[r] = done[r] && (vc[r] ? tail_q[4] : tail_q[0]);
      first[r] = now[r] && p[5*r +: 5] == 0;
      marked[r] = now[r] && p[5*r +: 5] == place_q;
      word[r] = vc[r] ? d_q[4] : d_q[0];
      leave[r] = done[r] && !keep_now[r];
    end
    for (r = 0; r < V; r = r + 1) begin
      valid[r] = n_q[3*r +: 3] != 0;
      if (at[0] && vc[0] == r) valid[r] = done[0] && (keep_now[0] || n_q[3*r +: 3] > 1);
      if (at[1] && vc[1] == r) valid[r] = done[1] && (keep_now[1] || n_q[3*r +: 3] > 1);
    end
  end
  wire free_now = phase_q ? !at[0] || done[0] : !at[1] || done[1];
  wire [3:0] freeing = freed_q & (~freed_q + 4'd1);  // the lowest
  wire freeing_vc = |(freeing & freed_vc_q);

  // The model's next state: what comes joins at the end, then what goes leaves at the front.
  integer v, m;
  reg pop;
  always @* begin
    s_d = s_q;
    w_d = w_q;
    ended_d = ended_q;
    tail_d = tail_q;
    d_d = d_q;
    freed_d = freed_q & ~freeing;
    freed_vc_d = freed_vc_q;
    for (v = 0; v < V; v = v + 1) begin
      for (m = 4 * v; m < 4 * v + 4; m = m + 1) begin
        if (wr_new && wr_vc_i == v && m % 4 == n_q[3*v +: 3]) begin
          s_d[2*m +: 2] = lowest;
          w_d[6*m +: 6] = 6'd1;
          ended_d[m] = wr_tail_i;
          tail_d[m] = wr_tail_i;
          if (place_q == 0) d_d[m] = wr_data_i[0];
        end
        if (wr_more && open_vc_q == v && m % 4 + 1 == n_q[3*v +: 3]) begin
          w_d[6*m +: 6] = w_q[6*m +: 6] + 6'd1;
          ended_d[m] = wr_tail_i || w_q[6*m +: 6] == 31;
          tail_d[m] = wr_tail_i;
          if (place_q == w_q[6*m +: 6]) d_d[m] = wr_data_i[0];
        end
      end
      pop = leave[0] && vc[0] == v || leave[1] && vc[1] == v;
      n_d[3*v +: 3] = n_q[3*v +: 3] - pop + (wr_new && wr_vc_i == v);
      if (pop) begin
        freed_d[s_q[8*v +: 2]] = 1'b1;
        freed_vc_d[s_q[8*v +: 2]] = v;
        s_d[8*v +: 8] = s_d[8*v +: 8] >> 2;
        w_d[24*v +: 24] = w_d[24*v +: 24] >> 6;
        ended_d[4*v +: 4] = ended_d[4*v +: 4] >> 1;
        tail_d[4*v +: 4] = tail_d[4*v +: 4] >> 1;
        d_d[4*v +: 4] = d_d[4*v +: 4] >> 1;
      end
    end
  end

  reg [1:0] now_q, first_q, last_q, marked_q, word_q;
  reg freed_valid_q, freed_vc_out_q;
  reg reused_q;
  always @(posedge clk_i) begin
    place_q <= place_q;  // any
    s_q <= s_d;
    w_q <= w_d;
    ended_q <= ended_d;
    tail_q <= tail_d;
    d_q <= d_d;
    freed_vc_q <= freed_vc_d;
    n_q <= rst ? 0 : n_d;
    freed_q <= rst ? 0 : freed_d;
    open_q <= !rst && (wr_valid_i ? !(wr_tail_i || wr_more && open_w == 31) : open_q);
    if (wr_new) open_vc_q <= wr_vc_i[0];
    phase_q <= !rst && !phase_q;
    active_q <= rst ? 0 : at & ~done;
    vc_q <= vc;
    keep_q <= keep_now;
    p_q[4:0] <= p[4:0] + now[0];
    p_q[9:5] <= p[9:5] + now[1];
    granted_q <= rst || !free_now ? 0 : valid;
    // What must show after this cycle.
    now_q <= rst ? 0 : now;
    first_q <= rst ? 0 : first;
    last_q <= rst ? 0 : last;
    marked_q <= rst ? 0 : marked;
    word_q <= word;
    freed_valid_q <= !rst && freed_q != 0;
    freed_vc_out_q <= !rst && freeing_vc;
    reused_q <= !rst && (reused_q || wr_new && lowest == 0 && in_use != 0);
  end

  reg [1:0] slot;
  reg [2:0] n;
  always @* begin
    if (live_q) begin
      // The statement.
      `PROVE(wr_ok == room && seg_valid == valid && phase == phase_q && rd_free == free_now);
      `PROVE(rd_now == now && rd_done == done && rd_last == last);
      `PROVE(rd_valid == now_q && rd_head == first_q && rd_tail == last_q);
      `PROVE(free_valid == freed_valid_q && free_vc == freed_vc_out_q);
      `PROVE(empty == (in_use == 0) && used == in_use);
      `PROVE(holds[2:0] + holds[5:3] <= S);
      `PROVE(holds[2:0] + holds[5:3] == in_use[0] + in_use[1] + in_use[2] + in_use[3]);
      `PROVE((holds[2:0] != 0 || wr_ok[0]) && (holds[5:3] != 0 || wr_ok[1]));
      `PROVE(at != 2'b11 || vc[0] != vc[1]);
      `PROVE(release_hot == freeing && (release_hot & (release_hot - 1)) == 0);
      for (a = 0; a < 2; a = a + 1) begin
        `PROVE(rd_vc[5*a +: 5] == (at[a] && vc[a]));
        `PROVE(!marked_q[a] || rd_data[64*a] == word_q[a]);
        `PROVE(now_q[a] || !rd_data[64*a]);
      end
      for (a = 0; a < 4; a = a + 1) `PROVE(places[3*a +: 3] == in_use[a] && (a < S || !in_use[a]));

      // Slots, lists, the open segment, the counts.
      `PROVE(freed == freed_q && (freed_q & 4'd0 + used) == freed_q);
      `PROVE(some == {n_q[5:3] != 0, n_q[2:0] != 0});
      `PROVE(!open_q || open_n != 0 && wr_slot == open_s && wr_place == open_w);
      `PROVE(tracked == planes[2 * PLANES - 1:0]);
      `PROVE(pool_used == pool && pool <= POOL);
      for (a = 0; a < S; a = a + 1)
        `PROVE(!freed_q[a] || svcs[5*a +: 5] == freed_vc_q[a]);
      for (a = 0; a < V; a = a + 1) begin
        n = n_q[3*a +: 3];
        `PROVE(n <= 4);
        `PROVE(n == 0 || firsts[W*a +: W] == s_q[8*a +: 2]);
        for (e = 4 * a; e < 4 * a + 4; e = e + 1) begin
          slot = s_q[2*e +: 2];
          if (e % 4 < n) begin
            `PROVE(slot < S && ((counts >> (6 * slot)) & 63) == w_q[6*e +: 6]);
            `PROVE(((svcs >> (5 * slot)) & 31) == a && ((ended >> slot) & 1) == ended_q[e]);
            `PROVE(!ended_q[e] || ((tail >> slot) & 1) == tail_q[e]);
            `PROVE(w_q[6*e +: 6] >= 1 && w_q[6*e +: 6] <= 32 && (w_q[6*e +: 6] < 32 || ended_q[e]));
            `PROVE(ended_q[e] == !(open_q && open_e == e));
            `PROVE(place_q >= w_q[6*e +: 6]
                   || (((place_q[0] ? odd : even) >> {slot, place_q[4:1]}) & 1) == d_q[e]);
            `PROVE(e % 4 + 1 != n || lasts[W*a +: W] == slot);
            if (e % 4 < 3)
              `PROVE(e % 4 + 1 >= n || ((nexts >> (W * slot)) & (S - 1)) == s_q[2*((e+1)%8) +: 2]);
          end
        end
      end

      // The readers.
      `PROVE(active == active_q);
      `PROVE(granted_q == 0 || !active_q[phase_q]);
      for (a = 0; a < 2; a = a + 1) begin
        `PROVE(!granted_q[a]
               || some[a] && !(active_q[!phase_q] && vc_q[!phase_q] == a));
        if (active_q[a]) begin
          `PROVE(reader_vc[a] == vc_q[a] && reader_place[5*a +: 5] == p_q[5*a +: 5]);
          `PROVE(keep[a] == keep_q[a] && (vc_q[a] ? some[1] : some[0]));
          `PROVE(reader_slot[W*a +: W] == (vc_q[a] ? s_q[9:8] : s_q[1:0]));
          `PROVE(p_q[5*a +: 5] <= (vc_q[a] ? w_q[29:24] : w_q[5:0]));
          `PROVE(p_q[5*a +: 5] != (vc_q[a] ? w_q[29:24] : w_q[5:0])
                 || !(vc_q[a] ? ended_q[4] : ended_q[0]));
        end
      end
      `COVER(rd_valid == 3 && now == 3 && marked_q == 2 && !rd_data[0] && rd_data[64]);
      `COVER(reused_q && rd_head[0] && rd_tail[0] && rd_data[0] && wr_ok != 3);
      `COVER(freed_q[0] && freed_q[1] && free_valid && free_vc == 1);
      `COVER(done[0] && keep_now[0] && now[1] && vc[1] && seg_valid == 3);
      `COVER(active_q[0] && p[4:0] == 3 && front_w[5:0] == 3 && phase_q && open_q);
      `COVER(done[1] && !last[1] && now[0] && place_q == 31 && marked[1]);
    end
  end
endmodule
`default_nettype wire
