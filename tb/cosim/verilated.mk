# SPDX-License-Identifier: Apache-2.0

# How the C++ that Verilator writes is compiled, for cosim.mk and for circuit.mk.

# Verilator's headers are found through -isystem: not ours to warn about.
VINC = -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
VMACROS := -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0
# Without -Wall: what Verilator writes and what compilers say of it changes with their versions.
# -O1: with gcc 12, runs at -O2 are not faster, and compiling takes a third longer, three times as long for allocation.
VCXXFLAGS := -std=gnu++17 -O1 -fPIC -fvisibility=hidden $(VMACROS)
# Verilator's own part. $stop, which is how an assertion of a circuit fails, is ours: stop.cpp.
VLIB_CXXFLAGS := -std=gnu++17 -O2 -fPIC -DVL_USER_STOP $(VMACROS)
# Our own C++ around it.
VWARN := -Wall -Wextra -Werror

# The headers that every circuit needs, read once: for what a cycle does, and for what runs once or
# only while dumping, which is compiled without optimization.
VPRE_FAST := $(BUILD)/cosim/pre_fast.h
VPRE_SLOW := $(BUILD)/cosim/pre_slow.h
