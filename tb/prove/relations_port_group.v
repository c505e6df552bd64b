// SPDX-License-Identifier: Apache-2.0

// relations_port_group: what holds between the registers of circuit and twin, in every cycle.
// A word of the tables is anything in the circuit, and 0 in the twin, until it is written.
`default_nettype none

module relations_port_group #(
  parameter integer PORTS  = 8,
  parameter integer GROUPS = 16
) (
  input  wire                                    b_valid_q,
  input  wire                                    b_grouped_q,
  input  wire                                    b_loose_q,
  input  wire                                    d_choose_q,
  input  wire [PORTS-1:0]                        d_set_q,
  input  wire                                    d_full_q,
  input  wire                                    e_choose_q,
  input  wire [PORTS-1:0]                        e_set_q,
  input  wire                                    e_full_q,
  input  wire [64*GROUPS-1:0]                    duties_slots_q,
  input  wire [2*GROUPS-1:0]                     duties_members_q,
  input  wire [6*64*GROUPS-1:0]                  u_slots_mem,
  input  wire [5:0]                              u_slots_rdata_q,
  input  wire [((GROUPS<2)?2:GROUPS)*PORTS-1:0]  u_low_members_mem,
  input  wire [PORTS-1:0]                        u_low_members_rdata_q,
  input  wire [8*64*GROUPS-1:0]                  twin_own_slots,
  input  wire [64*GROUPS-1:0]                    twin_own_members,
  input  wire [7:0]                              twin_b_slot,
  input  wire [63:0]                             twin_b_members,
  output wire                                    slots_o,
  output wire                                    members_o,
  output wire                                    read_o,
  output wire                                    choices_o
);

  reg [64*GROUPS-1:0] slots;
  reg [GROUPS-1:0] members;
  integer k;

  always @* begin
    for (k = 0; k < 64 * GROUPS; k = k + 1)
      slots[k] = twin_own_slots[8*k +: 8]
                 == (duties_slots_q[k] ? {2'd0, u_slots_mem[6*k +: 6]} : 8'd0);
    for (k = 0; k < GROUPS; k = k + 1)
      members[k] = twin_own_members[64*k +: 64]
                   == (duties_members_q[2*k]
                       ? {{(64 - PORTS) {1'b0}}, u_low_members_mem[PORTS*k +: PORTS]} : 64'd0);
  end

  assign slots_o = &slots;
  assign members_o = &members;
  assign read_o = b_grouped_q ? twin_b_slot == {2'd0, u_slots_rdata_q}
                                && twin_b_members == {{(64 - PORTS) {1'b0}}, u_low_members_rdata_q}
                              : twin_b_slot == 8'd0 && twin_b_members == 64'd0;
  assign choices_o = (b_valid_q || !b_grouped_q) && (b_grouped_q || !b_loose_q)
                     && d_choose_q == (d_set_q != {PORTS{1'b0}}) && (d_choose_q || !d_full_q)
                     && e_choose_q == (e_set_q != {PORTS{1'b0}}) && (e_choose_q || !e_full_q);

endmodule

`default_nettype wire
