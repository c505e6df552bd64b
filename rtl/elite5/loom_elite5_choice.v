// SPDX-License-Identifier: Apache-2.0

// loom_elite5_choice: where a packet goes: the tables of an input, and one decision a cycle.
// Inside: loom_elite5_router
//
// Contract: look_* is the word on the link; one cycle later fresh_i says that a packet began with
//   it, on VC fresh_vc_i and with header fresh_header_i. retry_i are the VCs that wait for another
//   decision; picked_o the one that is taken up in this cycle. A decision is for the VC of vc_o:
//   exactly one of to_sink_o, to_wait_o, to_group_o, again_o. Masks are over links; bit k of the
//   pending replies of all links stands at pending_i[k*LINKS +: LINKS].
// Algorithm: two table reads, then one level of rules after the other; "least pending" goes through
//   the bits of the counts from the top. A record of each packet stands in a RAM for retries.
// Latency: header in cycle c, decision in c+2; a retry decides one cycle after it is picked.
// Wait bound: a VC that waits for a retry is picked at the latest with the VCS-th pick; fresh
//   packets go first.
// Parameters: LINKS (2..32), VCS (2..32), BVCS (1..8), DESTS (16..65536), CLASSES (1..4096), GROUPS
//   (1..1024).
// Realises: E5-17..24, E5-28.
// Page: docs/elite5.md, section Choice.
`default_nettype none
`include "loom_assert.vh"
`include "loom_fields.vh"

module loom_elite5_choice #(
  parameter integer LINKS   = 32,
  parameter integer VCS     = 32,
  parameter integer BVCS    = 4,
  parameter integer DESTS   = 16384,
  parameter integer CLASSES = 1024,
  parameter integer GROUPS  = 256
) (
  input  wire               clk_i,
  input  wire               rst_i,

  // Tables and registers.
  input  wire               dest_we_i,
  input  wire [15:0]        dest_addr_i,
  input  wire [11:0]        dest_data_i,
  input  wire               mask_we_i,
  input  wire [12:0]        mask_addr_i,
  input  wire [LINKS:0]     mask_data_i,        // {all, mask}
  input  wire [16:0]        dest_count_i,
  input  wire [12:0]        class_count_i,
  input  wire [10:0]        group_count_i,
  input  wire               uplink_i,           // this link is in `uplinks`
  input  wire [1:0]         mode_i,
  input  wire               activity_i,
  input  wire [13:0]        time_i,
  input  wire [13:0]        expire_i,
  input  wire               seed_we_i,
  input  wire [31:0]        seed_i,

  // Packets.
  input  wire               look_valid_i,
  input  wire [2:0]         look_type_i,
  input  wire [15:0]        look_dest_i,
  input  wire               fresh_i,
  input  wire [4:0]         fresh_vc_i,
  input  wire [63:0]        fresh_header_i,
  input  wire [VCS-1:0]     retry_i,
  output wire [VCS-1:0]     picked_o,

  // Links.
  input  wire [LINKS-1:0]   up_i,
  input  wire [LINKS-1:0]   new_i,              // has a VC for a unicast packet
  input  wire [LINKS-1:0]   group_new_i,        // has a VC of the broadcast class
  input  wire [LINKS-1:0]   under_i,            // pending below the threshold
  input  wire [LINKS-1:0]   busy_i,             // locked
  input  wire [6*LINKS-1:0] pending_i,

  // The decision.
  output wire [VCS-1:0]     vc_o,               // one bit, or none
  output wire               to_sink_o,
  output wire               to_wait_o,
  output wire               to_group_o,
  output wire               again_o,
  output wire [4:0]         target_o,
  output wire [LINKS-1:0]   mask_o,             // the links of a broadcast
  output wire               all_o,              // it goes to all that its entry names
  output wire               trap_o,
  output wire [37:0]        trap_data_o         // {cause, vc, dest, ts}
);

  localparam integer DEST_W   = $clog2(DESTS);
  localparam integer TABLE    = CLASSES + 2 * GROUPS;
  localparam integer TABLE_W  = $clog2(TABLE);
  localparam integer VW       = $clog2(VCS);
  localparam integer RECORD_W = LINKS + 31;
  localparam [16:0] ALL_DESTS = DESTS[16:0];
  localparam [12:0] FIRST_GROUP = CLASSES[12:0];
  localparam [LINKS-1:0] NO_LINK = 0;
  localparam [LINKS-1:0] LINK0 = 1;
  localparam [VCS-1:0] VC0 = 1;
  localparam [VCS-1:0] GROUP_CLASS = ~({VCS{1'b1}} >> BVCS);

  localparam [2:0] NO_ROUTE    = 3'd1;          // causes of traps
  localparam [2:0] EXPIRED     = 3'd2;
  localparam [2:0] WRONG_CLASS = 3'd3;

  // ---- Cycle c: the dest table is read ----------------------------------------------------------

  wire look_cond = look_type_i == `LOOM_ELITE5_TYPE_CONDITIONAL;
  wire [15:0] look_dest = {look_dest_i[15] && !look_cond, look_dest_i[14:0]};
  wire [11:0] class_word;

  loom_ram #(
    .DEPTH(DESTS),
    .WIDTH(12)
  ) u_dests (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(dest_we_i),
    .waddr_i(dest_addr_i[DEST_W-1:0]),
    .wdata_i(dest_data_i),
    .re_i(look_valid_i && {1'b0, look_dest} < ALL_DESTS),
    .raddr_i(look_dest[DEST_W-1:0]),
    .rdata_o(class_word)
  );

  // ---- Cycle c + 1: the mask table is read, or a retry is picked --------------------------------

  wire [2:0] kind = fresh_header_i[`LOOM_ELITE5_FIRST_TYPE];
  wire [15:0] dest = fresh_header_i[`LOOM_ELITE5_FIRST_DEST];
  wire [13:0] ts = fresh_header_i[`LOOM_ELITE5_FIRST_TS];
  wire cond = kind == `LOOM_ELITE5_TYPE_CONDITIONAL;
  wire group = kind == `LOOM_ELITE5_TYPE_BROADCAST || (cond && dest[15]);
  wire [15:0] number = {dest[15] && !cond, dest[14:0]};
  wire class_known = {1'b0, number} < dest_count_i && {1'b0, class_word} < class_count_i;
  wire group_known = number < {5'd0, group_count_i};
  wire known = group ? group_known : class_known;
  wire [12:0] entry = group ? FIRST_GROUP + {2'd0, number[9:0], uplink_i} : {1'b0, class_word};
  wire [LINKS:0] mask_word;
  wire [VCS-1:0] picked;
  wire [4:0] picked_vc;
  wire unused = &{1'b0, dest_addr_i, mask_addr_i, look_dest, entry, fresh_header_i};

  loom_ram #(
    .DEPTH(TABLE),
    .WIDTH(LINKS + 1)
  ) u_masks (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(mask_we_i),
    .waddr_i(mask_addr_i[TABLE_W-1:0]),
    .wdata_i(mask_data_i),
    .re_i(fresh_i && known),
    .raddr_i(entry[TABLE_W-1:0]),
    .rdata_o(mask_word)
  );

  loom_rr_arbiter #(
    .N(VCS)
  ) u_retry (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .request_i(fresh_i ? {VCS{1'b0}} : retry_i),
    .advance_i(1'b1),
    .grant_o(picked)
  );

  loom_encode #(
    .N(VCS),
    .W(5)
  ) u_picked (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(picked),
    .index_o(picked_vc)
  );

  assign picked_o = picked;

  // ---- Cycle c + 2: the packet of this cycle and its record -------------------------------------

  reg now_q;
  reg fresh_q;
  reg known_q;
  reg group_q;
  reg [4:0] vc_q;
  reg [15:0] dest_q;
  reg [13:0] ts_q;

  always @(posedge clk_i) begin
    if (fresh_i) begin
      known_q <= known;
      group_q <= group;
      dest_q <= dest;
      ts_q <= ts;
    end
    if (rst_i) begin
      now_q <= 1'b0;
      fresh_q <= 1'b0;
      vc_q <= 5'd0;
    end else begin
      now_q <= fresh_i || picked != {VCS{1'b0}};
      fresh_q <= fresh_i;
      vc_q <= fresh_i ? fresh_vc_i : picked_vc;
    end
  end

  wire [RECORD_W-1:0] record;
  wire [RECORD_W-1:0] fresh_record = {known_q ? mask_word : {(LINKS + 1){1'b0}}, dest_q, ts_q};
  wire [RECORD_W-1:0] here = fresh_q ? fresh_record : record;
  wire all = here[RECORD_W-1];
  wire [LINKS-1:0] mask = here[30 +: LINKS];
  wire [13:0] here_ts = here[13:0];

  loom_ram #(
    .DEPTH(VCS),
    .WIDTH(RECORD_W)
  ) u_records (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .we_i(fresh_q),
    .waddr_i(vc_q[VW-1:0]),
    .wdata_i(fresh_record),
    .re_i(picked != {VCS{1'b0}}),
    .raddr_i(picked_vc[VW-1:0]),
    .rdata_o(record)
  );

  // ---- The links it may take --------------------------------------------------------------------

  wire [VCS-1:0] hot = now_q ? VC0 << vc_q : {VCS{1'b0}};
  wire in_class = (hot & GROUP_CLASS) != {VCS{1'b0}};
  wire [13:0] age = time_i - here_ts;
  wire wrong = fresh_q && group_q != in_class;
  wire unknown = fresh_q && !known_q;
  wire expired = fresh_q && expire_i != 14'd0 && age > expire_i;
  wire [LINKS-1:0] live = now_q ? mask & up_i : NO_LINK;
  wire sink = wrong || unknown || expired || live == NO_LINK;
  wire to_all = in_class && all;
  wire [LINKS-1:0] cand = live & (in_class ? group_new_i : new_i);
  wire found = cand != NO_LINK;
  reg [LINKS-1:0] set;
  reg [LINKS-1:0] less;
  integer k;

  always @* begin
    less = NO_LINK;
    set = cand & under_i & ~(busy_i & {LINKS{activity_i}});
    if (set == NO_LINK) begin
      set = cand;
      for (k = 5; k >= 0; k = k - 1) begin
        less = set & ~pending_i[k*LINKS +: LINKS];
        if (less != NO_LINK) set = less;
      end
    end
  end

  // ---- One of them ------------------------------------------------------------------------------

  reg [LINKS-1:0] after_q;                      // the links above the last one picked
  wire next_free = mode_i == 2'd1;
  wire random = mode_i == 2'd2;
  wire [LINKS-1:0] set_after = next_free ? set & after_q : NO_LINK;
  wire [LINKS-1:0] from = (set_after != NO_LINK) ? set_after : set;
  wire [LINKS-1:0] first = from & (~from + LINK0);
  reg [31:0] random_set;
  wire [31:0] random_pick;
  wire [31:0] value;
  wire unused_random = &{1'b0, value[31:16], random_pick};
  wire [LINKS-1:0] pick = random ? random_pick[LINKS-1:0] : first;
  wire go = now_q && !sink && !to_all && found;

  always @* begin
    random_set = 32'd0;
    if (random) random_set[LINKS-1:0] = set;
  end

  loom_elite5_random u_random (
    .set_i(random_set),
    .value_i(value[15:0]),
    .pick_o(random_pick)
  );

  loom_lfsr #(
    .STEPS(32)
  ) u_lfsr (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .load_i(seed_we_i),
    .seed_i(seed_i),
    .enable_i(go && random),
    .value_o(value)
  );

  loom_encode #(
    .N(LINKS),
    .W(5)
  ) u_target (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .onehot_i(pick),
    .index_o(target_o)
  );

  always @(posedge clk_i) begin
    if (rst_i) after_q <= NO_LINK;
    else if (go) after_q <= ~(pick | (pick - LINK0));
  end

  assign vc_o = hot;
  assign to_sink_o = now_q && sink;
  assign to_wait_o = go && !in_class;
  assign to_group_o = now_q && !sink && (to_all || (in_class && found));
  assign again_o = now_q && !sink && !to_all && !found;
  assign mask_o = to_all ? mask : pick;
  assign all_o = to_all;
  assign trap_o = now_q && sink;
  assign trap_data_o = {wrong ? WRONG_CLASS : unknown ? NO_ROUTE : expired ? EXPIRED : NO_ROUTE,
                        vc_q, here[29:14], here_ts};

  `LOOM_ASSERT(decides_for_one_vc, (vc_o & -vc_o) == vc_o)
  `LOOM_ASSERT(decides_one_way, vc_o == {VCS{1'b0}}
      || {2'd0, to_sink_o} + {2'd0, to_wait_o} + {2'd0, to_group_o} + {2'd0, again_o} == 3'd1)
  `LOOM_ASSERT(picks_one_retry, (picked_o & -picked_o) == picked_o)

endmodule

`default_nettype wire
