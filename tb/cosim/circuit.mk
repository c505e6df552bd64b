# SPDX-License-Identifier: Apache-2.0

# The shared object of one circuit, from the C++ that Verilator has written. cosim.mk calls it, so
# that all circuits and their pieces share the jobs of one make:
#
#   make -f tb/cosim/circuit.mk DIR=build/rtl/fifo-d16 [PARAMS=folder] [WHOLE=1] [WAVES=1]
#
# DIR/vl holds what Verilator wrote, PARAMS/params.h the parameters. With WHOLE the C++ of what a cycle
# does is one piece for the compiler, else a piece a file. What runs once or only while dumping is
# one piece, compiled without optimization. With WAVES Verilator was asked for a trace.

include tools/mk/common.mk tb/cosim/verilated.mk

VL := $(DIR)/vl
PARAMS ?= $(DIR)
WRITTEN := $(notdir $(wildcard $(VL)/Vdut*.cpp))
SLOW := $(foreach f,$(WRITTEN),$(if $(findstring Slow,$(f))$(findstring Syms,$(f))$(findstring \
  Trace,$(f)),$(f)))
FAST := $(filter-out $(SLOW),$(WRITTEN))
PIECES := $(if $(WHOLE),fast,$(FAST:.cpp=))
OBJ := $(PIECES:%=$(VL)/%.o)

$(DIR)/shim.so: $(VL)/shim.o $(VL)/slow.o $(OBJ)
	$(Q)$(CXX) -shared -o $@ $^ -L$(BUILD)/cosim -lverilated -Wl,-rpath,$(abspath $(BUILD)/cosim)

$(VL)/shim.o: tb/cosim/shim.cpp
	$(Q)$(CXX) $(VCXXFLAGS) $(VWARN) -include $(VPRE_FAST) -Winvalid-pch -isystem $(VL) -I$(PARAMS) \
	  $(if $(WAVES),-DSHIM_WAVES) $(CPPFLAGS) $(VINC) -c -o $@ $<

$(VL)/fast.cpp $(VL)/slow.cpp:
	@printf '#include "%s"\n' $(if $(findstring slow,$(@F)),$(SLOW),$(FAST)) > $@

$(VL)/slow.o: $(VL)/%.o: $(VL)/%.cpp
	$(Q)$(call hush,$@.log) $(CXX) $(VCXXFLAGS) -O0 -include $(VPRE_SLOW) -Winvalid-pch $(VINC) \
	  -c -o $@ $<

$(OBJ): $(VL)/%.o: $(VL)/%.cpp
	$(Q)$(call hush,$@.log) $(CXX) $(VCXXFLAGS) -include $(VPRE_FAST) -Winvalid-pch $(VINC) -c -o $@ $<
