// SPDX-License-Identifier: Apache-2.0
// made by tools/filelists from the circuits: the paths are those from the root
+incdir+rtl/include
rtl/parts/loom_prbs31_errors_3.v
rtl/parts/loom_prbs31_errors_8.v
rtl/parts/loom_prbs31_sum_2.v
rtl/parts/loom_prbs31_sum.v
rtl/parts/loom_prbs31_errors.v
rtl/parts/loom_prbs31_watch.v
rtl/parts/loom_prbs31_word.v
rtl/parts/loom_prbs31_check.v
