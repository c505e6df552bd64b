// SPDX-License-Identifier: Apache-2.0

// loom_crossbar_switch_port.vh: what loom_crossbar_switch and loom_mport_switch hand to a
// loom_crossbar_switch_port in the same words; p is its number.
// Page: docs/crossbar_switch.md, section What is joined.
// No include guard: Icarus 11 forgets the arguments of a macro from one file of a library to
// the next, so each file reads its macros anew.

// Parameters of the switch that go on as they are.
`define LOOM_CROSSBAR_PORT_PARAMETERS \
  .SCHED(SCHED), \
  .KEYS(KEYS), \
  .ARB_KEY(ARB_KEY), \
  .ENTRIES(ENTRIES), \
  .N_HIGH(N_HIGH), \
  .N_LOW(N_LOW), \
  .CELLS_IN(CELLS_IN), \
  .CELLS_OUT(CELLS_OUT), \
  .RESERVED_OUT(RESERVED_OUT), \
  .REMOTE_UNITS(REMOTE_UNITS), \
  .REMOTE_RESERVED(REMOTE_RESERVED), \
  .MTU_UNITS(MTU_UNITS)

// Its link.
`define LOOM_CROSSBAR_PORT_LINK(p) \
  .in_valid_i(in_valid_i[p]), \
  .in_head_i(in_head_i[p]), \
  .in_tail_i(in_tail_i[p]), \
  .in_vl_i(in_vl_i[p*5 +: 5]), \
  .in_data_i(in_data_i[p*64 +: 64]), \
  .in_cr_valid_o(in_cr_valid_o[p]), \
  .in_cr_vl_o(in_cr_vl_o[p*5 +: 5]), \
  .out_valid_o(out_valid_o[p]), \
  .out_head_o(out_head_o[p]), \
  .out_tail_o(out_tail_o[p]), \
  .out_vl_o(out_vl_o[p*5 +: 5]), \
  .out_data_o(out_data_o[p*64 +: 64]), \
  .out_cr_valid_i(out_cr_valid_i[p]), \
  .out_cr_vl_i(out_cr_vl_i[p*5 +: 5])

// The register bus, which goes from port to port, its answers, and what all ports are told.
`define LOOM_CROSSBAR_PORT_BUS(p) \
  .bus_we_i(bus_we[p]), \
  .bus_re_i(bus_re[p]), \
  .bus_addr_i(bus_addr[p*20 +: 20]), \
  .bus_data_i(bus_data[p*32 +: 32]), \
  .bus_we_o(bus_we[p+1]), \
  .bus_re_o(bus_re[p+1]), \
  .bus_addr_o(bus_addr[(p+1)*20 +: 20]), \
  .bus_data_o(bus_data[(p+1)*32 +: 32]), \
  .answer_i(answer[p*32 +: 32]), \
  .answer_o(answer[(p+1)*32 +: 32]), \
  .mode_i(mode), \
  .lft_we_i(lft_we), \
  .lft_lid_i(lft_lid), \
  .lft_entry_i(lft_entry), \
  .lft_count_i(lft_count)

// What the allocation tells its input and its output.
`define LOOM_CROSSBAR_PORT_TAKE(p) \
  .source_ready_o(source_ready[p]), \
  .take_i(take[p]), \
  .take_lane_i(take_lane[p*5 +: 5]), \
  .take_target_i(take_target[p*6 +: 6]), \
  .book_i(book[p]), \
  .book_source_i(book_source[p*6 +: 6]), \
  .book_vl_i(book_vl[p*5 +: 5])

// What its output tells the allocation, and the words of its input.
`define LOOM_CROSSBAR_PORT_WORD(p) \
  .target_ready_o(target_ready[p]), \
  .room_o(room[p*VLS +: VLS]), \
  .start_ok_o(start_ok[p]), \
  .sure_o(sure[p]), \
  .end_o(ends[p]), \
  .word_valid_o(word_valid[p]), \
  .word_target_o(word_target[p*6 +: 6]), \
  .word_last_o(word_last[p]), \
  .word_flits_o(word_flits[p*3 +: 3])
