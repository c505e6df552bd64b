// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_lut_ram.v
rtl/parts/loom_apart_ram.v
rtl/parts/loom_ram.v
rtl/parts/loom_turn_counters.v
rtl/parts/loom_event_counters.v
