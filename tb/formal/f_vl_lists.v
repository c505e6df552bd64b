// SPDX-License-Identifier: Apache-2.0

// loom_vl_buffer, from inside and for ever. A plain model holds of each VL the cells in its use, in
// order, each with its place in its packet, the packet's length and information, and the flits
// written. What leaves must be the front of the model: so nothing is lost, doubled, mixed or
// reordered. The invariants say how memories, lists, free cells and counts of the circuit hold the
// same thing; every cell is in exactly one place.
`include "props.vh"
`default_nettype none
module f_vl_lists #(
  parameter RESERVED = 1,
  parameter EARLY    = 1
) (
  input wire       clk_i,
  input wire       wr_valid_i,
  input wire [4:0] wr_vl_i,
  input wire       wr_head_i,
  input wire       wr_data_i,
  input wire [1:0] wr_len_i,
  input wire       wr_info_i,
  input wire       take_i,
  input wire [4:0] take_vl_i
);
  localparam V = 2;  // VLs; 4 cells of 2 flits, packets of 1 to 3 flits
  `RESET_ONCE

  wire rd_valid, rd_head, rd_tail, rd_data;
  wire [4:0] rd_vl;
  wire [V-1:0] head_valid, head_info;
  wire [V*2-1:0] head_size;
  wire [V*4-1:0] used;
  wire drop, error, unused_ready, unused_free;
  wire [4:0] drop_vl, unused_free_vl;
  loom_vl_buffer #(
    .VLS(V), .CELLS(4), .CELL_FLITS(2), .WIDTH(1), .LEN_W(2), .INFO_W(1),
    .RESERVED(RESERVED), .EARLY(EARLY)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .cfg_we_i(1'b0), .cfg_addr_i(7'd0), .cfg_data_i(4'd0),
    .wr_valid_i(wr_valid_i), .wr_vl_i(wr_vl_i), .wr_head_i(wr_head_i), .wr_data_i(wr_data_i),
    .wr_len_i(wr_len_i), .wr_info_i(wr_info_i),
    .drop_valid_o(drop), .drop_vl_o(drop_vl), .error_o(error),
    .head_valid_o(head_valid), .head_size_o(head_size), .head_info_o(head_info),
    .take_i(take_i), .take_vl_i(take_vl_i), .take_ready_o(unused_ready),
    .rd_valid_o(rd_valid), .rd_head_o(rd_head), .rd_tail_o(rd_tail), .rd_vl_o(rd_vl),
    .rd_data_o(rd_data), .free_valid_o(unused_free), .free_vl_o(unused_free_vl), .used_o(used)
  );

  // Tied to the circuit's nets, registers and words.
  (* keep *) wire accept, flit, alloc, reads, frees;
  (* keep *) wire [1:0] new_cell;
  (* keep *) wire [V-1:0] open, dropping;
  (* keep *) wire [1:0] left0, left1, cell0, cell1;
  (* keep *) wire pos0, pos1;
  (* keep *) wire [V*4-1:0] count;
  (* keep *) wire [2:0] fresh;
  (* keep *) wire [1:0] hcell0, hcell1, hlen0, hlen1, tail0, tail1;
  (* keep *) wire load, load_vl;
  (* keep *) wire [4:0] load_word, list0, list1, list2, list3;
  (* keep *) wire pending, pending_vl;
  (* keep *) wire [1:0] pending_cell, pending_len;
  (* keep *) wire active, active_vl, active_pos, first, waits, linked;
  (* keep *) wire [1:0] active_cell, active_left, link_word, link0, link1, link2, link3;
  (* keep *) wire data0, data1, data2, data3, data4, data5, data6, data7;
  (* keep *) wire [2:0] fcount;
  (* keep *) wire [1:0] frptr, fwptr, fhead, fmem0, fmem1, fmem2, fmem3;
  (* keep *) wire [3:0] pool_used, total;
  (* keep *) wire [8:0] reserved_sum;
  (* keep *) wire [7:0] reserved, cap;
  wire [19:0] lists = {list3, list2, list1, list0};
  wire [7:0] links = {link3, link2, link1, link0};
  wire [7:0] datas = {data7, data6, data5, data4, data3, data2, data1, data0};
  wire [7:0] fmems = {fmem3, fmem2, fmem1, fmem0};
  wire [3:0] lefts = {left1, left0}, wcells = {cell1, cell0};
  wire [3:0] hcells = {hcell1, hcell0}, hlens = {hlen1, hlen0}, tails = {tail1, tail0};
  wire [1:0] poss = {pos1, pos0};

  // The model: entry 4 * v + i is cell i of VL v, the front one first; n cells of it; r flits of
  // the front one were read. base: place of the cell in its packet; w: flits written; d: the flits.
  reg [2*8-1:0] c_q, base_q, len_q, w_q, d_q, c_d, base_d, len_d, w_d, d_d;
  reg [7:0] info_q, info_d;
  reg [3*V-1:0] n_q, n_d;
  reg [2*V-1:0] r_q, r_d;
  integer v, i, m;
  reg pop, push, grow;
  reg [2:0] last;
  always @* begin
    c_d = c_q;
    base_d = base_q;
    len_d = len_q;
    info_d = info_q;
    w_d = w_q;
    d_d = d_q;
    n_d = n_q;
    r_d = r_q;
    for (v = 0; v < V; v = v + 1) begin
      pop = frees && active_vl == v;
      push = alloc && wr_vl_i == v;
      grow = flit && !alloc && wr_vl_i == v;
      for (i = 0; i < 4; i = i + 1) begin
        if (pop) begin
          c_d[8*v+2*i +: 2] = c_q[8*v+2*((i+1)%4) +: 2];
          base_d[8*v+2*i +: 2] = base_q[8*v+2*((i+1)%4) +: 2];
          len_d[8*v+2*i +: 2] = len_q[8*v+2*((i+1)%4) +: 2];
          info_d[4*v+i] = info_q[4*v+(i+1)%4];
          w_d[8*v+2*i +: 2] = w_q[8*v+2*((i+1)%4) +: 2];
          d_d[8*v+2*i +: 2] = d_q[8*v+2*((i+1)%4) +: 2];
        end
        if (grow && n_q[3*v +: 3] == i + 1 + pop) begin
          w_d[8*v+2*i +: 2] = w_d[8*v+2*i +: 2] + 2'd1;
          d_d[8*v+2*i+1] = wr_data_i;
        end
        if (push && n_q[3*v +: 3] == i + pop) begin
          c_d[8*v+2*i +: 2] = new_cell;
          base_d[8*v+2*i +: 2] = 2'd0;
          len_d[8*v+2*i +: 2] = wr_len_i;
          info_d[4*v+i] = wr_info_i;
          for (m = 0; m < 4; m = m + 1) if (!accept && n_q[3*v +: 3] == m + 1) begin
            base_d[8*v+2*i +: 2] = base_q[8*v+2*m +: 2] + 2'd2;
            len_d[8*v+2*i +: 2] = len_q[8*v+2*m +: 2];
            info_d[4*v+i] = info_q[4*v + m];
          end
          w_d[8*v+2*i +: 2] = 2'd1;
          d_d[8*v+2*i +: 2] = {1'b0, wr_data_i};
        end
      end
      n_d[3*v +: 3] = n_q[3*v +: 3] - pop + push;
      r_d[2*v +: 2] = pop ? 2'd0 : r_q[2*v +: 2] + (reads && active_vl == v);
    end
  end

  // Admission, as the page has it.
  wire exists = wr_vl_i < V;
  wire busy = exists && (open[wr_vl_i[0]] || dropping[wr_vl_i[0]]);
  wire start = wr_valid_i && exists && wr_head_i && !busy;
  wire [3:0] mine = wr_vl_i[0] ? used[7:4] : used[3:0];
  wire [3:0] room = (mine < RESERVED ? RESERVED - mine : 0) + 4 - V * RESERVED - pool_used;
  wire fits = wr_len_i != 0 && (wr_len_i == 3 ? 2 : 1) <= room;
  reg drop_q, error_q;
  reg [4:0] drop_vl_q;
  always @(posedge clk_i) begin
    drop_q <= !rst && start && !fits;
    drop_vl_q <= !rst && start && !fits ? wr_vl_i : 5'd0;
    error_q <= !rst && wr_valid_i && (!exists || wr_head_i == busy);
  end

  // What must show after this cycle.
  wire [1:0] front_r = active_vl ? r_q[3:2] : r_q[1:0];
  wire [1:0] front_base = active_vl ? base_q[9:8] : base_q[1:0];
  wire [1:0] front_len = active_vl ? len_q[9:8] : len_q[1:0];
  wire [1:0] front_d = active_vl ? d_q[9:8] : d_q[1:0];
  reg shows_q, head_q, tail_q, data_q;
  reg [4:0] vl_q;
  always @(posedge clk_i) begin
    c_q <= c_d;
    base_q <= base_d;
    len_q <= len_d;
    info_q <= info_d;
    w_q <= w_d;
    d_q <= d_d;
    n_q <= rst ? 0 : n_d;
    r_q <= rst ? 0 : r_d;
    shows_q <= !rst && reads;
    head_q <= !rst && reads && front_base == 0 && front_r == 0;
    tail_q <= !rst && reads && front_base + front_r + 3'd1 == front_len;
    data_q <= !rst && reads && front_d[front_r[0]];
    vl_q <= !rst && reads ? active_vl : 5'd0;
  end

  // Where each cell is, and of each VL: packets, those started, units, flits.
  reg [15:0] places;
  reg [23:0] pk;
  reg [5:0] packets;
  reg [3:0] started;
  reg [7:0] units;
  reg [7:0] flits;
  reg on, held;
  reg [1:0] item;
  integer a, b, j;
  always @* begin
    for (a = 0; a < 4; a = a + 1) begin
      places[4*a +: 4] = a >= fresh;
      for (b = 0; b < 8; b = b + 1)
        if (b % 4 < n_q[3*(b/4) +: 3] && c_q[2*b +: 2] == a)
          places[4*a +: 4] = places[4*a +: 4] + 4'd1;
      for (b = 0; b < 4; b = b + 1) begin
        item = frptr + b;
        item = b == 0 ? fhead : fmems >> 2 * item;
        if (b < fcount && item == a) places[4*a +: 4] = places[4*a +: 4] + 4'd1;
      end
    end
    for (a = 0; a < V; a = a + 1) begin
      packets[3*a +: 3] = 0;
      units[4*a +: 4] = 0;
      flits[4*a +: 4] = 0;
      for (b = 0; b < 4; b = b + 1) begin
        pk[12*a+3*b +: 3] = packets[3*a +: 3] - (b != 0 && base_q[8*a+2*b +: 2] != 0);
        if (b < n_q[3*a +: 3]) begin
          if (b == 0 || base_q[8*a+2*b +: 2] == 0) begin
            packets[3*a +: 3] = packets[3*a +: 3] + 3'd1;
            units[4*a +: 4] = units[4*a +: 4] - base_q[8*a+2*b+1]
                              + (len_q[8*a+2*b +: 2] == 3 ? 4'd2 : 4'd1);
          end
          flits[4*a +: 4] = flits[4*a +: 4] + w_q[8*a+2*b +: 2];
        end
      end
      started[2*a +: 2] = (active && active_vl == a) + (pending && pending_vl == a);
      flits[4*a +: 4] = flits[4*a +: 4] - r_q[2*a +: 2];
    end
  end

  always @* begin
    if (live_q) begin
      // The statement.
      `PROVE(rd_valid == shows_q && rd_head == head_q && rd_tail == tail_q);
      `PROVE(rd_vl == vl_q && rd_data == data_q);
      for (a = 0; a < 4; a = a + 1) `PROVE(places[4*a +: 4] == 1);
      for (a = 0; a < V; a = a + 1) begin
        `PROVE(!(reads && active_vl == a) || n_q[3*a +: 3] != 0 && r_q[2*a +: 2] < w_q[8*a +: 2]);
        `PROVE(n_q[3*a +: 3] <= used[4*a +: 4]);
      end

      // Free cells and admission; a return never comes for nothing, so the tracker has no error.
      `PROVE(accept == (start && fits));
      `PROVE(drop == drop_q && drop_vl == drop_vl_q && error == error_q);
      `PROVE(fresh <= 4 && fcount <= 4 && fwptr == frptr + fcount[1:0]);
      `PROVE(reserved == {V{4'd0 + RESERVED[3:0]}} && cap == 8'h44 && total == 4);
      `PROVE(reserved_sum == V * RESERVED);
      `PROVE(pool_used == (used[3:0] > RESERVED ? used[3:0] - RESERVED : 0)
                          + (used[7:4] > RESERVED ? used[7:4] - RESERVED : 0));
      `PROVE(pool_used <= 4 - V * RESERVED && used[3:0] <= 4 && used[7:4] <= 4);
      `PROVE((open & dropping) == 0);
      `PROVE(active || !waits && !linked);
      for (a = 0; a < V; a = a + 1) begin
        on = active && active_vl == a;
        held = pending && pending_vl == a;
        `PROVE(used[4*a +: 4] == units[4*a +: 4]);
        `PROVE(count[4*a +: 4] == flits[4*a +: 4]);
        `PROVE(n_q[3*a +: 3] <= 4 && packets[3*a +: 3] >= started[2*a +: 2]);
        `PROVE(!open[a] || n_q[3*a +: 3] != 0);

        // The reader stands at the front.
        `PROVE(on ? n_q[3*a +: 3] != 0 : r_q[2*a +: 2] == 0);
        `PROVE(on || n_q[3*a +: 3] == 0 || base_q[8*a +: 2] == 0);
        if (on) begin
          `PROVE((linked ? link_word : active_cell) == c_q[8*a +: 2]);
          `PROVE(active_left != 0 && active_left + base_q[8*a +: 2] + r_q[2*a +: 2]
                 == {2'b00, len_q[8*a +: 2]});
          `PROVE(active_pos == r_q[2*a] && waits == r_q[2*a + 1]);
          `PROVE(r_q[2*a +: 2] <= w_q[8*a +: 2]);
          `PROVE(first == (base_q[8*a +: 2] == 0 && r_q[2*a +: 2] == 0));
          `PROVE(!linked || r_q[2*a +: 2] == 0);
        end

        // The waiting list.
        `PROVE((head_valid[a] || load && load_vl == a) == (packets[3*a +: 3] > started[2*a +: 2]));
        `PROVE(!(head_valid[a] && load && load_vl == a));
        for (b = 0; b < 4; b = b + 1) begin
            if (b < n_q[3*a +: 3]) begin
            `PROVE(len_q[8*a+2*b +: 2] > base_q[8*a+2*b +: 2] && !base_q[8*a+2*b]);
            `PROVE(w_q[8*a+2*b +: 2] == 1 || w_q[8*a+2*b +: 2] == 2);
            // The last cell is being written, all others are as full as they get.
            if (b + 1 == n_q[3*a +: 3]) begin
              `PROVE(base_q[8*a+2*b +: 2] + w_q[8*a+2*b +: 2] + (open[a] ? lefts[2*a +: 2] : 2'd0)
                     == {2'b00, len_q[8*a+2*b +: 2]});
              `PROVE(!open[a] || lefts[2*a +: 2] != 0 && wcells[2*a +: 2] == c_q[8*a+2*b +: 2]
                                 && poss[a] == w_q[8*a+2*b]);
            end else begin
              `PROVE(w_q[8*a+2*b +: 2]
                     == (len_q[8*a+2*b +: 2] - base_q[8*a+2*b +: 2] >= 2 ? 2 : 1));
              if (b < 3) begin
                `PROVE(base_q[8*a+2*((b+1)%4) +: 2]
                       == (base_q[8*a+2*b +: 2] + 2 < {2'b00, len_q[8*a+2*b +: 2]} ? 2 : 0));
                `PROVE(base_q[8*a+2*((b+1)%4) +: 2] == 0
                       || len_q[8*a+2*((b+1)%4) +: 2] == len_q[8*a+2*b +: 2]
                       && ((links >> 2 * c_q[8*a+2*b +: 2]) & 3) == c_q[8*a+2*((b+1)%4) +: 2]);
              end
            end
            `PROVE(((datas >> {c_q[8*a+2*b +: 2], 1'b0}) & 1) == d_q[8*a+2*b]);
            `PROVE(w_q[8*a+2*b +: 2] == 1
                   || ((datas >> {c_q[8*a+2*b +: 2], 1'b1}) & 1) == d_q[8*a+2*b+1]);
            // Packets: pending, the head in registers or on its way there, the chain after it.
            if (base_q[8*a+2*b +: 2] == 0) begin
              `PROVE(!(held && pk[12*a+3*b +: 3] == on)
                     || pending_cell == c_q[8*a+2*b +: 2] && pending_len == len_q[8*a+2*b +: 2]);
              `PROVE(!(head_valid[a] && pk[12*a+3*b +: 3] == started[2*a +: 2])
                     || hcells[2*a +: 2] == c_q[8*a+2*b +: 2]
                        && hlens[2*a +: 2] == len_q[8*a+2*b +: 2]
                        && head_info[a] == info_q[4*a+b]
                        && head_size[2*a +: 2] == (len_q[8*a+2*b +: 2] == 3 ? 2 : 1));
              `PROVE(!(load && load_vl == a && pk[12*a+3*b +: 3] == started[2*a +: 2])
                     || load_word == {c_q[8*a+2*b +: 2], len_q[8*a+2*b +: 2], info_q[4*a+b]});
              `PROVE(!(packets[3*a +: 3] > started[2*a +: 2]
                       && pk[12*a+3*b +: 3] + 1 == packets[3*a +: 3])
                     || tails[2*a +: 2] == c_q[8*a+2*b +: 2]);
              for (j = b + 1; j < 4; j = j + 1)
                if (j < n_q[3*a +: 3] && base_q[8*a+2*j +: 2] == 0
                    && pk[12*a+3*b +: 3] >= started[2*a +: 2]
                    && pk[12*a+3*j +: 3] == pk[12*a+3*b +: 3] + 1)
                  `PROVE(((lists >> 5 * c_q[8*a+2*b +: 2]) & 31)
                         == {c_q[8*a+2*j +: 2], len_q[8*a+2*j +: 2], info_q[4*a + j]});
            end
          end
        end
      end
      `COVER(n_q[2:0] == 2 && n_q[5:3] == 2 && fresh == 4 && reads && rd_valid);
      `COVER(packets[3*0 +: 3] == 3 && fcount == 1);
      `COVER(waits && packets[3 +: 3] != 0 && packets[0 +: 3] != 0);
      `COVER(load && rd_valid && rd_data);
    end
  end
endmodule
`default_nettype wire
