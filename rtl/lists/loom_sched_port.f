// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_credit_tracker_lane.v
rtl/parts/loom_credit_tracker.v
rtl/parts/loom_encode.v
rtl/sched/loom_sched_search.v
rtl/sched/loom_sched_front.v
rtl/sched/loom_sched_dtable.v
rtl/sched/loom_sched_ibarb.v
rtl/parts/loom_rr_arbiter.v
rtl/sched/loom_sched_rr.v
rtl/sched/loom_sched_sbt.v
rtl/sched/loom_sched_select.v
rtl/parts/loom_ram.v
rtl/parts/loom_fifo.v
rtl/parts/loom_vl_buffer.v
rtl/sched/loom_sched_port.v
