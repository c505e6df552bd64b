// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_encode.v
rtl/parts/loom_lut_ram.v
rtl/switch/loom_pipelined_alloc_source.v
rtl/switch/loom_pipelined_alloc_target.v
rtl/switch/loom_mport_alloc.v
