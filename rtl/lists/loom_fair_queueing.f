// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/sched/loom_fair_queueing_first.v
rtl/parts/loom_lut_ram.v
rtl/sched/loom_turns_first.v
rtl/sched/loom_turns.v
rtl/sched/loom_fair_queueing.v
