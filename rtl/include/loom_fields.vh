// SPDX-License-Identifier: Apache-2.0

// loom_fields.vh: fields of words and records.
// Written by tools/registers from the lists named below; do not edit.
// Page: docs/registers.md
// No include guard: Icarus 11 forgets the arguments of a macro from one file of a library to
// the next, so each file reads its macros anew.

// csim/include/loom/link.fields

// Head flit of a packet
`define LOOM_HEAD_SC 63:59
`define LOOM_HEAD_SC_AT 59
`define LOOM_HEAD_SC_W 5
`define LOOM_HEAD_LEN 58:47
`define LOOM_HEAD_LEN_AT 47
`define LOOM_HEAD_LEN_W 12
`define LOOM_HEAD_DEST 46:31
`define LOOM_HEAD_DEST_AT 31
`define LOOM_HEAD_DEST_W 16
`define LOOM_HEAD_SRC 30:15
`define LOOM_HEAD_SRC_AT 15
`define LOOM_HEAD_SRC_W 16
`define LOOM_HEAD_ID 14:0
`define LOOM_HEAD_ID_AT 0
`define LOOM_HEAD_ID_W 15

// csim/sched/sched_table.fields

// An entry of an arbitration table
`define LOOM_ENTRY_KEY 12:8
`define LOOM_ENTRY_KEY_AT 8
`define LOOM_ENTRY_KEY_W 5
`define LOOM_ENTRY_WEIGHT 7:0
`define LOOM_ENTRY_WEIGHT_AT 0
`define LOOM_ENTRY_WEIGHT_W 8

// csim/switch/switch.fields

// Record of a packet, from the input unit to the output unit
`define LOOM_PACKET_LEN 11:0
`define LOOM_PACKET_LEN_AT 0
`define LOOM_PACKET_LEN_W 12
`define LOOM_PACKET_LANE 16:12
`define LOOM_PACKET_LANE_AT 12
`define LOOM_PACKET_LANE_W 5
`define LOOM_PACKET_SL 21:17
`define LOOM_PACKET_SL_AT 17
`define LOOM_PACKET_SL_W 5
`define LOOM_PACKET_OUT 27:22
`define LOOM_PACKET_OUT_AT 22
`define LOOM_PACKET_OUT_W 6

// What comes with a word of flits on its way to a buffer
`define LOOM_WORD_VALID 0
`define LOOM_WORD_VALID_AT 0
`define LOOM_WORD_VALID_W 1
`define LOOM_WORD_FIRST 1
`define LOOM_WORD_FIRST_AT 1
`define LOOM_WORD_FIRST_W 1
`define LOOM_WORD_FLITS 4:2
`define LOOM_WORD_FLITS_AT 2
`define LOOM_WORD_FLITS_W 3

// A trap of a port
`define LOOM_TRAP_DEST 15:0
`define LOOM_TRAP_DEST_AT 0
`define LOOM_TRAP_DEST_W 16
`define LOOM_TRAP_LANE 20:16
`define LOOM_TRAP_LANE_AT 16
`define LOOM_TRAP_LANE_W 5
`define LOOM_TRAP_CAUSE 23:21
`define LOOM_TRAP_CAUSE_AT 21
`define LOOM_TRAP_CAUSE_W 3

// The same in the queue of the switch
`define LOOM_QUEUED_TRAP_DEST 15:0
`define LOOM_QUEUED_TRAP_DEST_AT 0
`define LOOM_QUEUED_TRAP_DEST_W 16
`define LOOM_QUEUED_TRAP_LANE 20:16
`define LOOM_QUEUED_TRAP_LANE_AT 16
`define LOOM_QUEUED_TRAP_LANE_W 5
`define LOOM_QUEUED_TRAP_PORT 26:21
`define LOOM_QUEUED_TRAP_PORT_AT 21
`define LOOM_QUEUED_TRAP_PORT_W 6
`define LOOM_QUEUED_TRAP_CAUSE 29:27
`define LOOM_QUEUED_TRAP_CAUSE_AT 27
`define LOOM_QUEUED_TRAP_CAUSE_W 3

// Where a device of a KNS is
`define LOOM_PLACE_ADDRESS 15:0
`define LOOM_PLACE_ADDRESS_AT 0
`define LOOM_PLACE_ADDRESS_W 16
`define LOOM_PLACE_ON 16
`define LOOM_PLACE_ON_AT 16
`define LOOM_PLACE_ON_W 1
`define LOOM_PLACE_DIMENSION 18:17
`define LOOM_PLACE_DIMENSION_AT 17
`define LOOM_PLACE_DIMENSION_W 2
