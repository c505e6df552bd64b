// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_ram.v
rtl/parts/loom_fifo.v
rtl/switch/loom_link_preempt.v
