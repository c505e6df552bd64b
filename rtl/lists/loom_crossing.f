// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_ram.v
rtl/parts/loom_delay.v
rtl/parts/loom_encode.v
rtl/parts/loom_lut_ram.v
rtl/parts/loom_rr_arbiter.v
rtl/parts/loom_room_tracker.v
rtl/switch/loom_switch_room.v
rtl/switch/loom_crossing.v
