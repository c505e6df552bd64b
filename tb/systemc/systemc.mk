# SPDX-License-Identifier: Apache-2.0

# Circuit, twin and recorded vectors under SystemC (docs/cosim.md). A build is a configuration, so the
# test has only a few; `make sim TB=systemc DUT=name [CONFIG=name]` builds others.

# The device, the list and the macros of bench.cpp for the configuration $*.
SYSTEMC_DUT = $(firstword $(subst -, ,$*))
SYSTEMC_LIST = $(patsubst csim/%,%,$(wildcard csim/*/$(SYSTEMC_DUT).def))
SYSTEMC_DEFS = -DDUT_NAME=$(SYSTEMC_DUT) -DDUT_CONFIG=$(lastword $(subst -, ,$*)) \
  -DDUT_LIST='"$(SYSTEMC_LIST)"' -DDUT_TWIN='"$(SYSTEMC_LIST:.def=.h)"' \
  $$(sed -n 's/^-G/-DPARAM_/p' $(BUILD)/rtl/$*/verilator.f)

# By default what is compiled soonest: a run of the test takes seconds either way.
SYSTEMC_OPT ?= -O0
# -std: no older one with Debian's SystemC. Its headers and Verilator's are not ours to warn about.
SYSTEMC_CXXFLAGS := -std=c++17 $(SYSTEMC_OPT) -DVM_COVERAGE=0 -DVM_SC=1 -DVM_TRACE=0 -DVM_TRACE_FST=0 \
  -DVM_TRACE_VCD=0
SYSTEMC_BENCHES := $(COSIM_CONFIGS:%=$(BUILD)/systemc/%/bench)

SYSTEMC_LIBVERILATED := $(BUILD)/systemc/verilated.o $(BUILD)/systemc/verilated_threads.o
$(SYSTEMC_LIBVERILATED): $(BUILD)/systemc/%.o: tb/systemc/systemc.mk
	@mkdir -p $(@D)
	$(call say,CXX,$(@F:.o=.cpp) of Verilator for SystemC)
	$(Q)$(call hush,$@.log) $(CXX) $(SYSTEMC_CXXFLAGS) -DVL_USER_STOP $(VINC) -c -o $@ \
	  $(VERILATOR_ROOT)/include/$*.cpp

# The headers of SystemC take longer to compile than a small circuit.
SYSTEMC_PRE := $(BUILD)/systemc/pre.h
$(SYSTEMC_PRE).gch: %.gch: tb/systemc/systemc.mk
	@mkdir -p $(@D)
	$(call say,CXX,$(@F:.gch=) for SystemC)
	@printf '#include "%s"\n' systemc.h verilated_sc.h verilated.h > $*
	$(Q)$(call hush,$@.log) $(CXX) $(SYSTEMC_CXXFLAGS) $(VINC) -x c++-header -o $@ $*

$(SYSTEMC_BENCHES): $(BUILD)/systemc/%/bench: $(BUILD)/rtl/%/verilator.f tb/systemc/bench.cpp \
  $(SYSTEMC_LIBVERILATED) $(SYSTEMC_PRE).gch $(LIBLOOM) \
  $(BUILD)/tb/cosim/outfile.o $(BUILD)/tb/cosim/fields.o
	$(call say,CIRCUIT,$* for SystemC)
	@rm -rf $(@D)/vl
	@mkdir -p $(@D)
	$(Q)$(call hush,$(@D)/verilator.log) $(VERILATOR) --sc --flatten --prefix Vdut --Mdir $(@D)/vl \
	  $(VFLAGS) '-DLOOM_CYCLE=($$time/10000-3)' -f $<
	@for f in $(@D)/vl/Vdut*.cpp; do echo "#include \"$${f##*/}\""; done > $(@D)/vl/all.cpp
	$(Q)$(call hush,$(@D)/all.log) $(CXX) $(SYSTEMC_CXXFLAGS) $(VINC) -include $(SYSTEMC_PRE) \
	  -c -o $(@D)/vl/all.o $(@D)/vl/all.cpp
	$(Q)$(CXX) $(SYSTEMC_CXXFLAGS) $(VWARN) -isystem $(@D)/vl $(VINC) $(CPPFLAGS) $(SYSTEMC_DEFS) \
	  -include $(SYSTEMC_PRE) -MMD -MP -MF $(@D)/bench.d -MT $@ -o $@ \
	  tb/systemc/bench.cpp $(@D)/vl/all.o $(filter %.o,$^) $(LIBLOOM) -lsystemc -lpthread
	@sed -e 's|^.* : |$@: |' $(@D)/vl/Vdut__ver.d >> $(@D)/bench.d
-include $(wildcard $(SYSTEMC_BENCHES:=.d))

# Built by default: the smallest configuration of every device that has random traffic, and the published
# ports. Of the device that DUT names, each configuration but those for searches.
SYSTEMC_TEST := fifo-d1 rr_arbiter-n1 ram-d100 crc16-std crc32-std prbs31_gen-std prbs31_check-strict lfsr-s8 \
  credit_tracker-v3 room_tracker-v3 vl_buffer-v1 packet_buffer-v1 packet_store-v1 segment_buffer-v2 segment_store-v2 \
  delay-d1 counter_bank-d2 event_counters-s1 deficit_table-v5 two_table-v5 round_robin-v5 \
  bandwidth_table-v5 deficit_round_robin-v5 fair_queueing-v5 lone_grant-v1 pipelined_alloc-p2 mport_alloc-m3 \
  axil_registers-a4 axis_link_tx-v2 axis_link_rx-u16 input_unit-v2 crossing-p2 output_unit-v2 link_preempt-tiny port_group-tiny crossbar_switch-tiny mport_switch-tiny \
  sched_rr-v5 sched_sbt-v5 sched_dtable-v5 sched_ibarb-v5 sched_port-small \
  sched_port-paper_dtable_sl sched_port-paper_ibarb_vl \
  ib_switch-tiny opa_switch-tiny kns_node-tiny kns_switch-tiny elite5_router-tiny \
  crosspoint_router-tiny
SYSTEMC_CHOSEN = $(if $(DUT),$(filter-out $(DUT)-bfs%,$(filter \
  $(DUT)-$(or $(CONFIG),%),$(COSIM_CONFIGS))),$(SYSTEMC_TEST))

.PHONY: sim-systemc systemc-build
sim-systemc:
	@+$(MAKE) --no-print-directory $(PARALLEL) systemc-build
	@tb/systemc/systemc $(filter-out --waves --dut=% --config=%,$(SIM_ARGS)) \
	  $(or $(SYSTEMC_CHOSEN),$(DUT)-$(CONFIG))
systemc-build: $(COSIM) $(foreach c,$(SYSTEMC_CHOSEN),$(BUILD)/rtl/$(c)/shim.so \
  $(BUILD)/systemc/$(c)/bench)

TESTS += test-systemc
.PHONY: test-systemc
test-systemc: $(COSIM) $(foreach c,$(SYSTEMC_TEST),$(BUILD)/rtl/$(c)/shim.so \
  $(BUILD)/systemc/$(c)/bench)
	@tb/systemc/systemc --test $(SYSTEMC_TEST)
