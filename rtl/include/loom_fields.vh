// loom_fields.vh: fields of words and records.
// Written by tools/registers from the lists named below; do not edit.
// Page: docs/registers.md
// No include guard: Icarus 11 forgets the arguments of a macro from one file of a library to
// the next, so each file reads its macros anew.

// csim/sched/sched_table.fields

// An entry of an arbitration table
`define LOOM_ENTRY_KEY 12:8
`define LOOM_ENTRY_WEIGHT 7:0
