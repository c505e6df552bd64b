// SPDX-License-Identifier: Apache-2.0

// loom_elite5_port.vh: fields of the flat buses between the modules of an Elite5 router.
// Page: docs/elite5.md, section elite5_router.
// No include guard: Icarus 11 forgets the arguments of a macro from one file of a library to
// the next, so each file reads its macros anew.

// A word of a link, and the signal that goes with it.
`define LOOM_PORT_WORD_W 73
`define LOOM_PORT_WORD_DATA 63:0
`define LOOM_PORT_WORD_VL 68:64
`define LOOM_PORT_WORD_TAIL 69
`define LOOM_PORT_WORD_HEAD 70
`define LOOM_PORT_WORD_VALID 71
`define LOOM_PORT_WORD_SIGNAL 72

// What goes the other way: a credit, a reply.
`define LOOM_PORT_BACK_W 13
`define LOOM_PORT_BACK_CR_VL 4:0
`define LOOM_PORT_BACK_CR_VALID 5
`define LOOM_PORT_BACK_REP_VC 10:6
`define LOOM_PORT_BACK_REP_ACK 11
`define LOOM_PORT_BACK_REP_VALID 12

// An access of the register bus as all links see it: what is written where, and whether that is the
// table of destinations (at DEST) or that of masks (at ENTRY; ALL: the bit beside the mask).
`define LOOM_PORT_ACCESS_W 76
`define LOOM_PORT_ACCESS_DATA 31:0
`define LOOM_PORT_ACCESS_ADDR 43:32
`define LOOM_PORT_ACCESS_DEST 59:44
`define LOOM_PORT_ACCESS_ENTRY 72:60
`define LOOM_PORT_ACCESS_ENTRY_ALL 73
`define LOOM_PORT_ACCESS_DEST_WE 74
`define LOOM_PORT_ACCESS_MASK_WE 75

// Registers of the router that all links read; WINDOW_END and SEED_WE are pulses.
`define LOOM_PORT_SETTINGS_W 216
`define LOOM_PORT_SETTINGS_UPLINKS 31:0
`define LOOM_PORT_SETTINGS_MODE 33:32
`define LOOM_PORT_SETTINGS_ACTIVITY 34
`define LOOM_PORT_SETTINGS_DEST_COUNT 51:35
`define LOOM_PORT_SETTINGS_CLASS_COUNT 64:52
`define LOOM_PORT_SETTINGS_GROUP_COUNT 75:65
`define LOOM_PORT_SETTINGS_TIME 89:76
`define LOOM_PORT_SETTINGS_EXPIRE 103:90
`define LOOM_PORT_SETTINGS_THRESHOLD 109:104
`define LOOM_PORT_SETTINGS_SEED_WE 110
`define LOOM_PORT_SETTINGS_CHIP_ID 126:111
`define LOOM_PORT_SETTINGS_PROTOCOL 134:127
`define LOOM_PORT_SETTINGS_PRBS_WORDS 150:135
`define LOOM_PORT_SETTINGS_PRBS_LIMIT 166:151
`define LOOM_PORT_SETTINGS_TIMEOUT 182:167
`define LOOM_PORT_SETTINGS_WINDOW_END 183
`define LOOM_PORT_SETTINGS_LIMIT_REDUNDANT 199:184
`define LOOM_PORT_SETTINGS_LIMIT_SINGLE 215:200

// What an output can do in this cycle (loom_elite5_output).
`define LOOM_PORT_CAN_W 69
`define LOOM_PORT_CAN_OK 31:0
`define LOOM_PORT_CAN_GROUP_READY 39:32
`define LOOM_PORT_CAN_GROUP_ALLOC 47:40
`define LOOM_PORT_CAN_NEXT_VC 55:48
`define LOOM_PORT_CAN_PENDING 63:56
`define LOOM_PORT_CAN_NEW 64
`define LOOM_PORT_CAN_GROUP_NEW 65
`define LOOM_PORT_CAN_UNDER 66
`define LOOM_PORT_CAN_FREE 67
`define LOOM_PORT_CAN_CLEAR 68

// The words of the two readers of an input, reader 0 lowest; the word that an output takes.
`define LOOM_PORT_READ_W 134
`define LOOM_PORT_READ_DATA 127:0
`define LOOM_PORT_READ_TAIL 129:128
`define LOOM_PORT_READ_HEAD 131:130
`define LOOM_PORT_READ_VALID 133:132
`define LOOM_PORT_TAKEN_W 67
`define LOOM_PORT_TAKEN_DATA 63:0
`define LOOM_PORT_TAKEN_TAIL 64
`define LOOM_PORT_TAKEN_HEAD 65
`define LOOM_PORT_TAKEN_VALID 66

// A broadcast that waits at an input, and what loom_elite5_broadcast decides about one.
`define LOOM_PORT_GROUP_ASK_W 42
`define LOOM_PORT_GROUP_ASK_MASK 31:0
`define LOOM_PORT_GROUP_ASK_PLACE 39:32
`define LOOM_PORT_GROUP_ASK_ALL 40
`define LOOM_PORT_GROUP_ASK_WAIT 41
`define LOOM_PORT_GROUP_W 59
`define LOOM_PORT_GROUP_LIVE 31:0
`define LOOM_PORT_GROUP_LEFT 37:32
`define LOOM_PORT_GROUP_BACK 47:38
`define LOOM_PORT_GROUP_VC 50:48
`define LOOM_PORT_GROUP_PLACE 53:51
`define LOOM_PORT_GROUP_NACKED 54
`define LOOM_PORT_GROUP_PICK 55
`define LOOM_PORT_GROUP_OPEN 56
`define LOOM_PORT_GROUP_SINK 57
`define LOOM_PORT_GROUP_ALLOC 58
