// SPDX-License-Identifier: Apache-2.0

// loom_deficit_table with a user that keeps its duties (docs/tables.md). A grant in cycle t goes to
// a VL that was ready in t - 2, for a request in t - 2, with the size and key of its head event; to
// the management VL if that was ready; at least 4 cycles after the last; and the bounds that the
// page states, seen through the table read port. A key is served if it has an entry with a weight.
`include "props.vh"
`include "loom_fields.vh"
`include "loom_regs.vh"
`default_nettype none
module f_deficit_table #(
  parameter ARB_KEY     = 1,
  parameter VLS         = 3,
  parameter KEYS        = 2,
  parameter MGMT_VL     = 2,
  parameter SIZE_W      = 2,
  parameter ENTRIES     = 2,
  parameter STAY_CYCLES = 0
) (
  input wire              clk_i,
  input wire              request_i,
  input wire [VLS-1:0]    ready_i,
  input wire              head_valid_i,
  input wire [4:0]        head_vl_i,
  input wire [SIZE_W-1:0] head_size_i,
  input wire [4:0]        head_sl_i,
  input wire              head_last_i,
  input wire              table_we_i,
  input wire [9:0]        table_addr_i,
  input wire [31:0]       table_data_i
);
  localparam LARGEST = (1 << SIZE_W) - 1;
  `RESET_ONCE

  wire granted, busy, swept;
  wire [4:0] grant_vl, grant_key;
  wire [SIZE_W-1:0] grant_size;
  wire [31:0] rdata;
  wire [KEYS-1:0] served;
  loom_deficit_table #(
    .VLS(VLS), .KEYS(KEYS), .ARB_KEY(ARB_KEY), .MGMT_VL(MGMT_VL), .SIZE_W(SIZE_W),
    .ENTRIES(ENTRIES), .STAY_CYCLES(STAY_CYCLES)
  ) u_dut (
    .clk_i(clk_i), .rst_i(rst), .request_i(request_i), .ready_i(ready_i),
    .head_valid_i(head_valid_i), .head_vl_i(head_vl_i), .head_size_i(head_size_i),
    .head_sl_i(head_sl_i), .head_last_i(head_last_i), .table_we_i(table_we_i),
    .table_addr_i(table_addr_i), .table_data_i(table_data_i), .table_rdata_o(rdata),
    .busy_o(busy), .ready_o(swept), .served_o(served), .grant_valid_o(granted),
    .grant_vl_o(grant_vl), .grant_key_o(grant_key), .grant_size_o(grant_size)
  );

  // What the user knows: heads that were told and not granted since, the last two cycles.
  reg [VLS-1:0] known_q, ready1_q, ready2_q;
  reg request1_q, request2_q, was_busy_q, granted1_q, granted2_q, granted3_q;
  reg [VLS*5-1:0] key_q;
  reg [VLS*SIZE_W-1:0] size_q;
  reg [9:0] addr1_q, addr2_q;
  reg [VLS-1:0] told;
  reg was_ready, head_known;
  reg [4:0] was_key;
  reg [SIZE_W-1:0] was_size;
  integer i;
  always @* begin
    told = 0;
    was_ready = 1'b0;
    head_known = 1'b0;
    was_key = 5'd0;
    was_size = 0;
    for (i = 0; i < VLS; i = i + 1) begin
      if (head_valid_i && head_vl_i == i) begin
        told[i] = 1'b1;
        head_known = known_q[i];
      end
      if (grant_vl == i) begin
        was_ready = ready2_q[i];
        was_key = key_q[5*i +: 5];
        was_size = size_q[SIZE_W*i +: SIZE_W];
      end
    end
  end
  always @(posedge clk_i) begin
    known_q <= rst ? 0 : (known_q | told) & ~(granted ? (33'd1 << grant_vl) : 33'd0);
    ready1_q <= rst ? 0 : ready_i;
    ready2_q <= rst ? 0 : ready1_q;
    request1_q <= !rst && request_i;
    request2_q <= !rst && request1_q;
    was_busy_q <= !rst && busy;
    granted1_q <= !rst && granted;
    granted2_q <= !rst && granted1_q;
    granted3_q <= !rst && granted2_q;
    addr1_q <= table_addr_i;
    addr2_q <= addr1_q;
    for (i = 0; i < VLS; i = i + 1) begin
      if (told[i]) begin
        key_q[5*i +: 5] <= ARB_KEY ? head_sl_i : i;
        size_q[SIZE_W*i +: SIZE_W] <= head_size_i;
      end
    end
  end
  // The entries that were written, {key, weight}.
  reg [ENTRIES*13-1:0] entry_q;
  reg [KEYS-1:0] has_entry;
  always @* begin
    has_entry = 0;
    for (i = 0; i < ENTRIES * KEYS; i = i + 1)
      if (entry_q[13*(i/KEYS)+8 +: 5] == i % KEYS && entry_q[13*(i/KEYS) +: 8] != 0)
        has_entry[i % KEYS] = 1'b1;
  end
  always @(posedge clk_i) begin
    for (i = 0; i < ENTRIES; i = i + 1) begin
      if (rst) entry_q[13*i +: 13] <= 0;
      else if (table_we_i && !busy && `LOOM_IS_DTABLE_REG_ENTRY(table_addr_i)
               && table_addr_i[6:0] == i)
        entry_q[13*i +: 13] <= {table_data_i[`LOOM_MESSAGE_ENTRY_KEY],
                                table_data_i[`LOOM_MESSAGE_ENTRY_WEIGHT]};
    end
  end

  // How long each key has not been served, up to 5 cycles.
  reg [KEYS*3-1:0] unserved_q;
  reg back_too_soon;
  always @* begin
    back_too_soon = 1'b0;
    for (i = 0; i < KEYS; i = i + 1)
      if (served[i] && unserved_q[3*i +: 3] >= 2 && unserved_q[3*i +: 3] <= 4)
        back_too_soon = 1'b1;
  end
  always @(posedge clk_i) begin
    for (i = 0; i < KEYS; i = i + 1)
      unserved_q[3*i +: 3] <= (rst || unserved_q[3*i +: 3] == 5 && !served[i]) ? 5
                              : served[i] ? 0 : unserved_q[3*i +: 3] + 1;
  end

  wire management = ready2_q[MGMT_VL] && size_q[SIZE_W*MGMT_VL +: SIZE_W] != 0
                    && key_q[5*MGMT_VL +: 5] < KEYS;

  always @* begin
    assume(!head_valid_i || head_vl_i < VLS);
    assume(!head_known);
    assume((ready_i & ~known_q) == 0);
    if (live_q) begin
      `PROVE(!granted || was_ready && request2_q);
      `PROVE(!granted || grant_key == was_key && grant_size == was_size && was_size != 0);
      `PROVE(!granted || grant_key < KEYS);
      `PROVE(granted || grant_vl == 0 && grant_key == 0 && grant_size == 0);
      `PROVE(!granted || !(granted1_q || granted2_q || granted3_q));
      `PROVE(!(granted && management) || grant_vl == MGMT_VL);
      `PROVE(!granted || swept);
      `PROVE(busy || was_busy_q || served == has_entry);
      `PROVE(!back_too_soon);
      if (`LOOM_IS_DTABLE_REG_DEFICIT(addr2_q)) `PROVE(rdata <= LARGEST - 1);
      if (addr2_q == `LOOM_DTABLE_REG_ACC) `PROVE(rdata <= 255 + LARGEST - 1);
      if (addr2_q == `LOOM_DTABLE_REG_PTR) `PROVE(rdata < ENTRIES);
      `COVER(granted && grant_vl != MGMT_VL && grant_size == LARGEST);
      `COVER(granted && grant_vl == MGMT_VL && |(ready2_q & 3));
      `COVER(addr2_q == `LOOM_DTABLE_REG_ACC && rdata > 250);
      `COVER(served[0] && unserved_q[2:0] == 1);
      `COVER(!busy && !served[0] && served[1] && entry_q[7:0] == 0 && entry_q[20:13] != 0);
    end
  end
endmodule
`default_nettype wire
