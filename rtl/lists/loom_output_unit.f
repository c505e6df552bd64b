// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_lut_ram.v
rtl/sched/loom_turns_first.v
rtl/sched/loom_turns.v
rtl/sched/loom_bandwidth_table.v
rtl/sched/loom_deficit_round_robin.v
rtl/sched/loom_table_rows.v
rtl/sched/loom_deficit_table.v
rtl/sched/loom_fair_queueing_first.v
rtl/sched/loom_fair_queueing.v
rtl/sched/loom_lone_grant.v
rtl/parts/loom_apart_ram.v
rtl/parts/loom_packet_store_queues.v
rtl/parts/loom_packet_store_reader.v
rtl/parts/loom_packet_store_ring.v
rtl/parts/loom_packet_store.v
rtl/sched/loom_round_robin.v
rtl/switch/loom_switch_lane.v
rtl/parts/loom_encode.v
rtl/parts/loom_rr_arbiter.v
rtl/parts/loom_room_tracker.v
rtl/switch/loom_switch_room.v
rtl/sched/loom_table_search.v
rtl/sched/loom_table_view.v
rtl/sched/loom_two_table.v
rtl/switch/loom_output_unit.v
