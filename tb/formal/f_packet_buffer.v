// SPDX-License-Identifier: Apache-2.0

// loom_packet_buffer, for ever, under the contract of its user. A plain model holds of each VL the
// units that were announced and are not free yet, in order, each with its place in its packet, the
// packet's length and the flits written, and the list of packets that wait; its reader does what
// the page says. The circuit must show what the model shows: so nothing is lost, doubled, mixed or
// reordered. The invariants say how memories, lists, free cells and slots and counts of the circuit
// hold the same thing; every cell and every slot is in exactly one place. Of each flit bit 0 stands
// for all.
`include "props.vh"
`default_nettype none
module f_packet_buffer #(
  parameter LANES    = 2,
  parameter RD_FLITS = 2,
  parameter RESERVED = 1,
  parameter EARLY    = 2
) (
  input wire                clk_i,
  input wire                announce_i,
  input wire [4:0]          announce_vl_i,
  input wire [11:0]         announce_len_i,
  input wire                queue_i,
  input wire [4:0]          queue_vl_i,
  input wire [11:0]         queue_len_i,
  input wire                queue_info_i,
  input wire                wr_valid_i,
  input wire [4:0]          wr_vl_i,
  input wire                wr_first_i,
  input wire [2:0]          wr_flits_i,
  input wire [64*LANES-1:0] wr_data_i,
  input wire                take_i,
  input wire [4:0]          take_vl_i
);
  localparam V = 2;  // VLs; 4 cells, so packets of 1 to 32 flits
  `RESET_ONCE

  wire announce_ok, take_ready, rd_done, rd_busy, rd_valid, rd_first, rd_last, free_valid, error;
  wire [V-1:0] head_valid, head_info;
  wire [V*12-1:0] head_len;
  wire [4:0] rd_vl, free_vl;
  wire [2:0] rd_flits;
  wire [1:0] rd_lane;
  wire [64*LANES-1:0] rd_data;
  wire [V*4-1:0] used, avail;
  wire [3:0] total;
  loom_packet_buffer #(
    .VLS(V), .CELLS(4), .LANES(LANES), .RD_FLITS(RD_FLITS), .INFO_W(1), .RESERVED(RESERVED),
    .EARLY(EARLY)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .cfg_we_i(1'b0), .cfg_addr_i(7'd0), .cfg_data_i(4'd0),
    .announce_i(announce_i), .announce_vl_i(announce_vl_i), .announce_len_i(announce_len_i),
    .announce_ok_o(announce_ok), .queue_i(queue_i), .queue_vl_i(queue_vl_i),
    .queue_len_i(queue_len_i), .queue_info_i(queue_info_i), .wr_valid_i(wr_valid_i),
    .wr_vl_i(wr_vl_i), .wr_first_i(wr_first_i), .wr_flits_i(wr_flits_i), .wr_data_i(wr_data_i),
    .head_valid_o(head_valid), .head_len_o(head_len), .head_info_o(head_info), .take_i(take_i),
    .take_vl_i(take_vl_i), .take_ready_o(take_ready), .rd_done_o(rd_done), .rd_busy_o(rd_busy),
    .rd_valid_o(rd_valid), .rd_vl_o(rd_vl), .rd_first_o(rd_first), .rd_last_o(rd_last),
    .rd_flits_o(rd_flits), .rd_lane_o(rd_lane), .rd_data_o(rd_data), .free_valid_o(free_valid),
    .free_vl_o(free_vl), .used_o(used), .avail_o(avail), .total_o(total), .error_o(error)
  );

  // Tied to the circuit's nets, registers and words.
  (* keep *) wire [1:0] new_cell, new_slot;
  (* keep *) wire [V-1:0] some;
  (* keep *) wire [1:0] fcell0, fcell1, lcell0, lcell1, link_word, link0, link1, link2, link3;
  (* keep *) wire [2:0] pos0, pos1, fresh, fresh_slot;
  (* keep *) wire [5:0] count0, count1;
  (* keep *) wire link, link_vl, load, load_vl;
  (* keep *) wire [11:0] hlen0, hlen1;
  (* keep *) wire [1:0] fslot0, fslot1, lslot0, lslot1;
  (* keep *) wire [14:0] load_word, list0, list1, list2, list3;
  (* keep *) wire pending, pending_vl, active, active_vl, active_first;
  (* keep *) wire [2:0] active_pos;
  (* keep *) wire [11:0] pending_len, active_left;
  (* keep *) wire [2:0] fcount, scount;
  (* keep *) wire [1:0] frptr, fwptr, fhead, fmem0, fmem1, fmem2, fmem3;
  (* keep *) wire [1:0] srptr, swptr, shead, smem0, smem1, smem2, smem3;
  (* keep *) wire [3:0] pool_used, units;
  (* keep *) wire [8:0] reserved_sum;
  (* keep *) wire [7:0] reserved, cap;
  (* keep *) wire data0, data1, data2, data3, data4, data5, data6, data7, data8, data9, data10,
    data11, data12, data13, data14, data15, data16, data17, data18, data19, data20, data21, data22,
    data23, data24, data25, data26, data27, data28, data29, data30, data31;
  wire [3:0] fcells = {fcell1, fcell0}, lcells = {lcell1, lcell0};
  wire [3:0] fslots = {fslot1, fslot0}, lslots = {lslot1, lslot0};
  wire [5:0] poss = {pos1, pos0};
  wire [11:0] counts = {count1, count0};
  wire [23:0] hlens = {hlen1, hlen0};
  wire [7:0] links = {link3, link2, link1, link0};
  wire [63:0] lists = {1'b0, list3, 1'b0, list2, 1'b0, list1, 1'b0, list0};
  wire [7:0] fmems = {fmem3, fmem2, fmem1, fmem0}, smems = {smem3, smem2, smem1, smem0};
  wire [31:0] words = {data31, data30, data29, data28, data27, data26, data25, data24, data23,
    data22, data21, data20, data19, data18, data17, data16, data15, data14, data13, data12, data11,
    data10, data9, data8, data7, data6, data5, data4, data3, data2, data1, data0};
  wire [31:0] datas;  // flit p of cell c at 8 * c + p
  genvar n;
  generate
    for (n = 0; n < 32; n = n + 1) begin : g_data
      assign datas[n] = words[n % LANES * 32 / LANES + n / LANES];
    end
  endgenerate

  // The model: entry e = 4 * v + i is unit i of VL v, the front one first; n units of it; r flits
  // of the front one were read. c: cell; k: number of the unit in its packet; w: flits written; d:
  // the flits. Waiting packets likewise, wn of them, with their slot s.
  reg [15:0] c_q, k_q, c_d, k_d, s_q, s_d;
  reg [47:0] len_q, len_d, slen_q, slen_d;
  reg [31:0] w_q, w_d;
  reg [63:0] d_q, d_d;
  reg [7:0] info_q, info_d;
  reg [3*V-1:0] n_q, n_d, r_q, r_d, wn_q, wn_d;
  reg [V-1:0] load_q, load_d;
  reg act_q, avl_q, pend_q, pvl_q;

  // Of each unit: its flits, whether the next word goes there, its packet's number in the list. Of
  // each VL: flits inside, packets in all, those taken.
  reg [31:0] size;
  reg [7:0] target;
  reg [23:0] pk;
  reg [3*V-1:0] packets, started, full;
  reg [6*V-1:0] flits;
  reg [5:0] rest;
  integer a, e, j;
  always @* begin
    for (a = 0; a < V; a = a + 1) begin
      packets[3*a +: 3] = 0;
      full[3*a +: 3] = 0;
      flits[6*a +: 6] = 0;
      started[3*a +: 3] = (act_q && avl_q == a) + (pend_q && pvl_q == a);
      for (e = 4 * a; e < 4 * a + 4; e = e + 1) begin
        rest = len_q[6*e +: 6] - {1'b0, k_q[2*e +: 2], 3'd0};
        size[4*e +: 4] = rest > 8 ? 4'd8 : rest[3:0];
        target[e] = e % 4 < n_q[3*a +: 3] && full[3*a +: 3] == e % 4
                    && w_q[4*e +: 4] != size[4*e +: 4];
        if (w_q[4*e +: 4] == size[4*e +: 4]) full[3*a +: 3] = full[3*a +: 3] + 3'd1;
        pk[3*e +: 3] = packets[3*a +: 3] - (e % 4 != 0 && k_q[2*e +: 2] != 0);
        if (e % 4 < n_q[3*a +: 3]) begin
          if (e % 4 == 0 || k_q[2*e +: 2] == 0) packets[3*a +: 3] = packets[3*a +: 3] + 3'd1;
          flits[6*a +: 6] = flits[6*a +: 6] + w_q[4*e +: 4];
        end
      end
      flits[6*a +: 6] = flits[6*a +: 6] - r_q[3*a +: 3];
    end
  end

  // Admission, as the page has it.
  wire [9:0] announce_units = (announce_len_i + 13'd7) >> 3;
  wire [3:0] mine = announce_vl_i[0] ? n_q[5:3] : n_q[2:0];
  wire [3:0] pool = 4 - V * RESERVED - (n_q[2:0] > RESERVED ? n_q[2:0] - RESERVED : 0)
                    - (n_q[5:3] > RESERVED ? n_q[5:3] - RESERVED : 0);
  wire [3:0] room = (mine < RESERVED ? RESERVED - mine : 0) + pool;
  wire accept = announce_i && announce_vl_i < V && announce_len_i != 0 && announce_units <= room;

  // Take and read, as the page has them.
  wire [V-1:0] waits = {wn_q[5:3] != 0, wn_q[2:0] != 0} & ~load_q;
  wire fr_of = act_q ? avl_q : take_vl_i[0];
  wire [1:0] fk = fr_of ? k_q[9:8] : k_q[1:0];
  wire [5:0] flen = fr_of ? len_q[29:24] : len_q[5:0];
  wire [2:0] fr = fr_of ? r_q[5:3] : r_q[2:0];
  wire [3:0] fw = fr_of ? w_q[19:16] : w_q[3:0];
  wire [7:0] fd = fr_of ? d_q[39:32] : d_q[7:0];
  wire [5:0] there = fr_of ? flits[11:6] : flits[5:0];
  wire [5:0] left = flen - {1'b0, fk, fr};
  wire ready = !pend_q && (!act_q || left <= EARLY);
  wire take = take_i && ready && take_vl_i < V && waits[take_vl_i[0]];
  wire cur = act_q || take;
  reg [5:0] num;
  always @* begin
    num = RD_FLITS;
    if (num > left) num = left;
    if (num > 8 - fr) num = 8 - fr;
    if (num > there) num = there;
  end
  wire rd = cur && there != 0;
  wire done = rd && num == left;
  wire frees = done || rd && fr + num == 8;

  // The contract of the user: the next words and packets of some VL.
  reg wr_legal, queue_legal;
  always @* begin
    wr_legal = 1'b0;
    queue_legal = 1'b0;
    for (a = 0; a < V; a = a + 1) begin
      for (e = 4 * a; e < 4 * a + 4; e = e + 1) begin
        if (wr_vl_i == a && target[e] && wr_flits_i >= 1 && wr_flits_i <= LANES
            && w_q[4*e +: 4] + wr_flits_i <= size[4*e +: 4]
            && wr_first_i == (k_q[2*e +: 2] == 0 && w_q[4*e +: 4] == 0)) wr_legal = 1'b1;
        if (queue_vl_i == a && e % 4 < n_q[3*a +: 3] && k_q[2*e +: 2] == 0
            && pk[3*e +: 3] == started[3*a +: 3] + wn_q[3*a +: 3]
            && queue_len_i == len_q[6*e +: 6]) queue_legal = 1'b1;
      end
      if (queue_vl_i == a && announce_vl_i == a && accept && queue_len_i == announce_len_i
          && packets[3*a +: 3] == started[3*a +: 3] + wn_q[3*a +: 3]) queue_legal = 1'b1;
    end
    assume(!wr_valid_i || wr_legal);
    assume(!queue_i || queue_legal);
  end

  // The model's next state: what comes joins at the end, then what goes leaves at the front.
  integer v, m, g;
  reg pop;
  always @* begin
    c_d = c_q;
    k_d = k_q;
    len_d = len_q;
    w_d = w_q;
    d_d = d_q;
    s_d = s_q;
    slen_d = slen_q;
    info_d = info_q;
    load_d = 0;
    for (v = 0; v < V; v = v + 1) begin
      for (m = 4 * v; m < 4 * v + 4; m = m + 1) begin
        if (wr_valid_i && wr_vl_i == v && target[m]) begin
          if (w_q[4*m +: 4] == 0) c_d[2*m +: 2] = new_cell;
          w_d[4*m +: 4] = w_q[4*m +: 4] + wr_flits_i;
          for (g = 0; g < 8; g = g + 1)
            if (g >= w_q[4*m +: 4] && g < w_q[4*m +: 4] + wr_flits_i)
              d_d[8*m + g] = wr_data_i[64 * (g % LANES)];
        end
        if (accept && announce_vl_i == v && m % 4 >= n_q[3*v +: 3]) begin
          k_d[2*m +: 2] = m % 4 - n_q[3*v +: 3];
          len_d[6*m +: 6] = announce_len_i[5:0];
          w_d[4*m +: 4] = 4'd0;
        end
        if (queue_i && queue_vl_i == v && m % 4 == wn_q[3*v +: 3]) begin
          s_d[2*m +: 2] = new_slot;
          slen_d[6*m +: 6] = queue_len_i[5:0];
          info_d[m] = queue_info_i;
        end
      end
      pop = frees && fr_of == v;
      n_d[3*v +: 3] = n_q[3*v +: 3] - pop + (accept && announce_vl_i == v ? announce_units[2:0]
                                                                          : 3'd0);
      r_d[3*v +: 3] = pop ? 3'd0 : r_q[3*v +: 3] + (rd && fr_of == v ? num[2:0] : 3'd0);
      if (pop) begin
        c_d[8*v +: 8] = c_d[8*v +: 8] >> 2;
        k_d[8*v +: 8] = k_d[8*v +: 8] >> 2;
        len_d[24*v +: 24] = len_d[24*v +: 24] >> 6;
        w_d[16*v +: 16] = w_d[16*v +: 16] >> 4;
        d_d[32*v +: 32] = d_d[32*v +: 32] >> 8;
      end
      pop = take && take_vl_i == v;
      wn_d[3*v +: 3] = wn_q[3*v +: 3] - pop + (queue_i && queue_vl_i == v);
      if (pop) begin
        s_d[8*v +: 8] = s_d[8*v +: 8] >> 2;
        slen_d[24*v +: 24] = slen_d[24*v +: 24] >> 6;
        info_d[4*v +: 4] = info_d[4*v +: 4] >> 1;
        load_d[v] = wn_q[3*v +: 3] > 1;
      end
    end
  end

  reg rd_q, first_q, last_q, free_q;
  reg [4:0] rd_vl_q, free_vl_q;
  reg [2:0] num_q;
  reg [1:0] lane_q;
  reg [LANES-1:0] data_q;
  reg reused_q;
  always @(posedge clk_i) begin
    c_q <= c_d;
    k_q <= k_d;
    len_q <= len_d;
    w_q <= w_d;
    d_q <= d_d;
    s_q <= s_d;
    slen_q <= slen_d;
    info_q <= info_d;
    n_q <= rst ? 0 : n_d;
    r_q <= rst ? 0 : r_d;
    wn_q <= rst ? 0 : wn_d;
    load_q <= rst ? 0 : load_d;
    // A packet that is not done goes on; one that is done makes way for the next.
    act_q <= !rst && (cur && !done || act_q && (pend_q || take));
    pend_q <= !rst && (act_q && !done) && (pend_q || take);
    if (cur && !done) avl_q <= fr_of;
    else avl_q <= pend_q ? pvl_q : take_vl_i[0];
    if (take) pvl_q <= take_vl_i[0];
    // What must show after this cycle.
    rd_q <= !rst && rd;
    rd_vl_q <= !rst && rd ? fr_of : 5'd0;
    first_q <= !rst && rd && fk == 0 && fr == 0;
    last_q <= !rst && done;
    num_q <= !rst && rd ? num[2:0] : 3'd0;
    lane_q <= !rst && rd ? fr & LANES - 1 : 2'd0;
    free_q <= !rst && frees;
    free_vl_q <= !rst && frees ? fr_of : 5'd0;
    data_q <= 0;
    for (g = 0; g < 8; g = g + 1)
      if (!rst && rd && g >= fr && g < fr + num) data_q[g % LANES] <= fd[g];
    reused_q <= !rst && (reused_q || wr_valid_i && fresh == 4 && new_cell == 0 && accept);
  end

  // Where each cell and each slot is.
  reg [15:0] places, slots;
  reg [1:0] item;
  integer x, y;
  always @* begin
    for (x = 0; x < 4; x = x + 1) begin
      places[4*x +: 4] = x >= fresh;
      slots[4*x +: 4] = x >= fresh_slot;
      for (y = 0; y < 8; y = y + 1) begin
        if (y % 4 < n_q[3*(y/4) +: 3] && w_q[4*y +: 4] != 0 && c_q[2*y +: 2] == x)
          places[4*x +: 4] = places[4*x +: 4] + 4'd1;
        if (y % 4 < wn_q[3*(y/4) +: 3] && s_q[2*y +: 2] == x)
          slots[4*x +: 4] = slots[4*x +: 4] + 4'd1;
      end
      for (y = 0; y < 4; y = y + 1) begin
        item = frptr + y;
        item = y == 0 ? fhead : fmems >> {item, 1'b0};
        if (y < fcount && item == x) places[4*x +: 4] = places[4*x +: 4] + 4'd1;
        item = srptr + y;
        item = y == 0 ? shead : smems >> {item, 1'b0};
        if (y < scount && item == x) slots[4*x +: 4] = slots[4*x +: 4] + 4'd1;
      end
    end
  end

  reg [2:0] wn, sn, last_w;
  reg [1:0] cell_of, slot_of;
  reg on;
  always @* begin
    if (live_q) begin
      // The statement.
      `PROVE(announce_ok == accept && !error);
      `PROVE(take_ready == ready && rd_done == done && rd_busy == act_q);
      `PROVE(rd_valid == rd_q && rd_vl == rd_vl_q && rd_first == first_q && rd_last == last_q);
      `PROVE(rd_flits == num_q && rd_lane == lane_q);
      for (a = 0; a < LANES; a = a + 1) `PROVE(rd_data[64*a] == data_q[a]);
      `PROVE(free_valid == free_q && free_vl == free_vl_q);
      `PROVE(total == n_q[2:0] + n_q[5:3] && total <= 4);
      `PROVE(!rd || fr + num <= fw && num != 0);
      `PROVE(!(announce_i && announce_vl_i < V && mine < RESERVED && announce_units == 1)
             || announce_ok);
      for (a = 0; a < V; a = a + 1) begin
        `PROVE(used[4*a +: 4] == n_q[3*a +: 3] && n_q[3*a +: 3] <= 4);
        `PROVE(avail[4*a +: 4]
               == (n_q[3*a +: 3] < RESERVED ? RESERVED - n_q[3*a +: 3] : 0) + pool);
        `PROVE(head_valid[a] == waits[a]);
        `PROVE(head_len[12*a +: 12] == (waits[a] ? slen_q[24*a +: 6] : 6'd0));
        `PROVE(head_info[a] == (waits[a] && info_q[4*a]));
      end
      for (a = 0; a < 4; a = a + 1) `PROVE(places[4*a +: 4] == 1 && slots[4*a +: 4] == 1);

      // Free cells and slots, the tracker.
      `PROVE(fresh <= 4 && fcount <= 4 && fwptr == frptr + fcount[1:0]);
      `PROVE(fresh_slot <= 4 && scount <= 4 && swptr == srptr + scount[1:0]);
      `PROVE(reserved == {V{4'd0 + RESERVED[3:0]}} && cap == 8'h44 && units == 4);
      `PROVE(reserved_sum == V * RESERVED && pool_used + pool == 4 - V * RESERVED);
      `PROVE(pool <= 4 - V * RESERVED);

      // The reader; links and records on their way.
      `PROVE(active == act_q && pending == pend_q && (!pend_q || act_q));
      `PROVE(!act_q || active_vl == avl_q && active_first == (fk == 0 && fr == 0)
                       && active_pos == fr && active_left == left);
      `PROVE(!pend_q || pending_vl == pvl_q);
      `PROVE(load == |load_q && (!load || load_q == 1 << load_vl));

      for (a = 0; a < V; a = a + 1) begin
        on = act_q && avl_q == a;
        wn = wn_q[3*a +: 3];
        sn = started[3*a +: 3];
        `PROVE(counts[6*a +: 6] == flits[6*a +: 6]);
        `PROVE(packets[3*a +: 3] >= sn + wn && wn <= 4);
        `PROVE(on ? n_q[3*a +: 3] != 0 : r_q[3*a +: 3] == 0);
        `PROVE(on || n_q[3*a +: 3] == 0 || k_q[8*a +: 2] == 0);
        `PROVE(r_q[3*a +: 3] == 0
               || r_q[3*a +: 3] <= w_q[16*a +: 4] && r_q[3*a +: 3] < size[16*a +: 4]);
        `PROVE(some[a] == (n_q[3*a +: 3] != 0 && w_q[16*a +: 4] != 0));
        cell_of = link && link_vl == a ? link_word : fcells[2*a +: 2];
        `PROVE(!some[a] || cell_of == c_q[8*a +: 2]);
        `PROVE(!(link && link_vl == a) || some[a]);
        slot_of = load_q[a] ? load_word[14:13] : fslots[2*a +: 2];
        `PROVE(wn == 0 || slot_of == s_q[8*a +: 2]);
        `PROVE(!load_q[a] || wn != 0 && load_word[12:0] == {6'd0, slen_q[24*a +: 6], info_q[4*a]});
        `PROVE(wn == 0 || load_q[a] || hlens[12*a +: 12] == slen_q[24*a +: 6]);
        for (e = 4 * a; e < 4 * a + 4; e = e + 1) begin
          slot_of = s_q[2*e +: 2];
          if (e % 4 < wn) begin
            `PROVE(e % 4 + 1 != wn || lslots[2*a +: 2] == slot_of);
            if (e % 4 < 3)
              `PROVE(e % 4 + 1 >= wn || ((lists >> {slot_of, 4'd0}) & 15'h7fff)
                     == {s_q[2*((e+1)%8) +: 2], 6'd0, slen_q[6*((e+1)%8) +: 6], info_q[(e+1)%8]});
          end
          if (e % 4 < n_q[3*a +: 3]) begin
            `PROVE(len_q[6*e +: 6] > {1'b0, k_q[2*e +: 2], 3'd0} && len_q[6*e +: 6] <= 32);
            `PROVE(w_q[4*e +: 4] <= size[4*e +: 4]);
            if (k_q[2*e +: 2] == 0) begin
              for (j = 0; j < 4; j = j + 1)
                `PROVE(!(j < wn && pk[3*e +: 3] == sn + j)
                       || slen_q[6*(4*a+j) +: 6] == len_q[6*e +: 6]);
              `PROVE(!(pend_q && pvl_q == a && pk[3*e +: 3] == on)
                     || pending_len == len_q[6*e +: 6]);
            end
            // A packet's units stand together; only the last unit with flits is not full.
            if (e % 4 < 3) begin
              `PROVE(len_q[6*e +: 6] > {1'b0, k_q[2*e +: 2], 3'd0} + 8
                     ? e % 4 + 1 < n_q[3*a +: 3] && k_q[2*((e+1)%8) +: 2] == k_q[2*e +: 2] + 2'd1
                       && len_q[6*((e+1)%8) +: 6] == len_q[6*e +: 6]
                     : e % 4 + 1 >= n_q[3*a +: 3] || k_q[2*((e+1)%8) +: 2] == 0);
              `PROVE(e % 4 + 1 >= n_q[3*a +: 3] || w_q[4*((e+1)%8) +: 4] == 0
                     || w_q[4*e +: 4] == size[4*e +: 4]
                        && ((links >> {c_q[2*e +: 2], 1'b0}) & 3) == c_q[2*((e+1)%8) +: 2]);
            end else `PROVE(len_q[6*e +: 6] <= {1'b0, k_q[2*e +: 2], 3'd0} + 8);
            if (w_q[4*e +: 4] != 0
                && (e % 4 == 3 || e % 4 + 1 >= n_q[3*a +: 3] || w_q[4*((e+1)%8) +: 4] == 0))
              `PROVE(lcells[2*a +: 2] == c_q[2*e +: 2]
                     && poss[3*a +: 3] == w_q[4*e +: 3]);
            `PROVE(w_q[4*e +: 4] != 0 || k_q[2*e +: 2] == 0 || e % 4 != 0 || poss[3*a +: 3] == 0);
            for (j = 0; j < 8; j = j + 1)
              `PROVE(j >= w_q[4*e +: 4]
                     || ((datas >> ({c_q[2*e +: 2], 3'd0} | j)) & 1) == d_q[8*e+j]);
          end
        end
      end
      `COVER(reused_q && rd_valid && total == 4 && rd_data[0] && rd_data[64*LANES-64]);
      `COVER(|load_q && link && head_info != 0 && head_len != 0);
      `COVER(pend_q && pvl_q != avl_q);
      `COVER(rd_last && !rd_first && free_valid && act_q && done && take);
      `COVER(act_q && there == 0 && flits != 0 && announce_i && !announce_ok);
    end
  end
endmodule
`default_nettype wire
