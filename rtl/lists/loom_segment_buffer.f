// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/elite5/loom_elite5_credits.v
rtl/parts/loom_encode.v
rtl/parts/loom_ram.v
rtl/elite5/loom_segment_buffer.v
