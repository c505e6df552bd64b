// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_encode.v
rtl/parts/loom_rr_arbiter.v
rtl/sched/loom_sched_search.v
rtl/sched/loom_sched_front.v
rtl/sched/loom_sched_rr.v
