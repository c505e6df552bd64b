// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/axi/loom_axil_registers.v
