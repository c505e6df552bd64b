// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_lut_ram.v
rtl/axi/loom_async_fifo.v
