// SPDX-License-Identifier: Apache-2.0

// What follows `module f_NAME` in a proof of a scheduler that has a word for each key, FIRST_WORD
// after reset (docs/turns.md, docs/fair_queueing.md), and that stands in it with READY_PARAMETERS
// and READY_PORTS: parameters and ports, a user that keeps its duties, what each grant must be, and
// that words read as they were written, 0 as 1. A grant in cycle t goes to a VL that was ready in
// t - 2, for a request in t - 2, with the size and key of its head event; to the management VL if
// that was ready; at least 7 cycles after the last.
`define READY_PARAMETERS \
  .VLS(VLS), .KEYS(KEYS), .ARB_KEY(ARB_KEY), .MGMT_VL(MGMT_VL), .SIZE_W(SIZE_W), \
  .STAY_CYCLES(STAY_CYCLES)
`define READY_PORTS \
  .clk_i(clk_i), .rst_i(rst), .request_i(request_i), .ready_i(ready_i), \
  .head_valid_i(head_valid_i), .head_vl_i(head_vl_i), .head_size_i(head_size_i), \
  .head_sl_i(head_sl_i), .table_we_i(table_we_i), .table_addr_i(table_addr_i), \
  .table_data_i(table_data_i), .table_rdata_o(rdata), .busy_o(busy), .ready_o(swept), \
  .grant_valid_o(granted), .grant_vl_o(grant_vl), .grant_key_o(grant_key), \
  .grant_size_o(grant_size)

#(
  parameter ARB_KEY     = 1,
  parameter VLS         = 3,
  parameter KEYS        = 2,
  parameter MGMT_VL     = 2,
  parameter SIZE_W      = 2,
  parameter STAY_CYCLES = 0
) (
  input wire              clk_i,
  input wire              request_i,
  input wire [VLS-1:0]    ready_i,
  input wire              head_valid_i,
  input wire [4:0]        head_vl_i,
  input wire [SIZE_W-1:0] head_size_i,
  input wire [4:0]        head_sl_i,
  input wire              table_we_i,
  input wire [9:0]        table_addr_i,
  input wire [31:0]       table_data_i
);
  localparam APART = 7;
  localparam LARGEST = (1 << SIZE_W) - 1;
  `RESET_ONCE

  wire granted, busy, swept;
  wire [4:0] grant_vl, grant_key;
  wire [SIZE_W-1:0] grant_size;
  wire [31:0] rdata;

  // What the user knows: {key, size} of the heads that were told, and which were not granted since.
  reg [VLS-1:0] known_q, ready1_q, ready2_q;
  reg request1_q, request2_q;
  reg [VLS*(5+SIZE_W)-1:0] head_q;
  wire [4:0] key_now = ARB_KEY ? head_sl_i : head_vl_i;
  wire [VLS-1:0] told = head_valid_i ? 33'd1 << head_vl_i : 33'd0;
  wire [5+SIZE_W-1:0] was = head_q >> grant_vl * (5 + SIZE_W);
  wire [5+SIZE_W-1:0] management = head_q >> MGMT_VL * (5 + SIZE_W);
  wire was_ready = ready2_q >> grant_vl;
  wire management_ready = ready2_q >> MGMT_VL;
  reg [2:0] since_q;  // cycles since a grant, up to 7
  reg [9:0] addr1_q, addr2_q;
  integer i;
  always @(posedge clk_i) begin
    known_q <= rst ? 0 : (known_q | told) & ~(granted ? 33'd1 << grant_vl : 33'd0);
    ready1_q <= rst ? 0 : ready_i;
    ready2_q <= rst ? 0 : ready1_q;
    request1_q <= !rst && request_i;
    request2_q <= !rst && request1_q;
    since_q <= rst ? APART : granted ? 1 : since_q + (since_q != APART);
    addr1_q <= table_addr_i;
    addr2_q <= addr1_q;
    for (i = 0; i < VLS; i = i + 1)
      if (told[i]) head_q[(5+SIZE_W)*i +: 5+SIZE_W] <= {key_now, head_size_i};
  end

  // The word of each key as it was written, and as a read two cycles later finds it.
  reg [KEYS*8-1:0] word_q, word1_q;
  wire write = table_we_i && !busy && table_addr_i < KEYS;
  always @(posedge clk_i) begin
    word1_q <= word_q;
    for (i = 0; i < KEYS; i = i + 1) begin
      if (rst) word_q[8*i +: 8] <= `FIRST_WORD;
      else if (write && table_addr_i == i)
        word_q[8*i +: 8] <= table_data_i[7:0] ? table_data_i[7:0] : 1;
    end
  end
  reg read_q, read1_q;  // the word that shows was read after the sweep
  always @(posedge clk_i) begin
    read_q <= !rst && swept;
    read1_q <= !rst && read_q;
  end

  // What key 1 has sent while the head of VL 0, of key 0, waits with its ready bit; if no word was
  // written since there are heads, as what was begun or stamped has the word of before.
  reg heads_q, rewritten_q;
  wire waits = known_q[0] && ready_i[0] && head_q[SIZE_W +: 5] == 0 && head_q[0 +: SIZE_W] != 0;
  reg [5:0] sent_q;
  always @(posedge clk_i) begin
    heads_q <= !rst && (heads_q || head_valid_i);
    rewritten_q <= !rst && (rewritten_q || heads_q && write);
    sent_q <= rst || !waits ? 0
              : sent_q + (granted && grant_vl != MGMT_VL && grant_key == 1 ? grant_size : 0);
  end
  always @* begin
    assume(!head_valid_i || head_vl_i < VLS);
    assume((told & known_q) == 0);
    assume((ready_i & ~known_q) == 0);
    if (live_q) begin
      `PROVE(!granted || was_ready && request2_q);
      `PROVE(!granted || {grant_key, grant_size} == was && grant_size != 0);
      `PROVE(!granted || grant_key < KEYS);
      `PROVE(granted || grant_vl == 0 && grant_key == 0 && grant_size == 0);
      `PROVE(!granted || since_q == APART);
      `PROVE(!(granted && management_ready && management[SIZE_W-1:0] != 0
               && management[SIZE_W +: 5] < KEYS) || grant_vl == MGMT_VL);
      `PROVE(!granted || swept);
      `PROVE(!read1_q || addr2_q >= KEYS || rdata[7:0] == word1_q[8*addr2_q[0] +: 8]);
      `COVER(granted && grant_vl != MGMT_VL && grant_size == LARGEST);
      `COVER(granted && grant_vl == MGMT_VL && |(ready2_q & 3));
    end
  end
