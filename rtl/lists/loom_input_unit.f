// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_encode.v
rtl/parts/loom_lut_ram.v
rtl/switch/loom_departure.v
rtl/parts/loom_ram.v
rtl/parts/loom_delay.v
rtl/switch/loom_input_unit_sc.v
rtl/switch/loom_switch_lane.v
rtl/switch/loom_ib_rule.v
rtl/switch/loom_input_unit_vl.v
rtl/switch/loom_input_unit_route.v
rtl/parts/loom_apart_ram.v
rtl/parts/loom_packet_store_queues.v
rtl/parts/loom_packet_store_reader.v
rtl/parts/loom_packet_store_ring.v
rtl/parts/loom_packet_store.v
rtl/switch/loom_input_unit.v
