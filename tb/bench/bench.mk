# SPDX-License-Identifier: Apache-2.0

# Speed of the twins against their own Verilated circuits, in one run.

BENCH := $(BUILD)/tb/bench/bench
BENCH_CIRCUITS := sched_port-paper_dtable_sl sched_port-paper_rr_sl sched_port-paper_sbt_sl \
  sched_port-paper_ibarb_vl sched_rr-paper_sl sched_sbt-paper_sl sched_dtable-paper_sl \
  sched_ibarb-paper_vl

$(BENCH): tb/bench/bench.c $(BUILD)/tb/ends/credits.o $(BUILD)/csim/libloom.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -o $@ $(filter %.c %.o %.a,$^) -ldl
-include $(BENCH).d

# The whole switches and the router, with the endpoints of the lock-step bench.
BENCH_SWITCHES := $(BUILD)/tb/bench/switches
BENCH_CIRCUITS += opa_switch-p48 ib_switch-p36 elite5_router-p32
BENCH_OBJ := $(filter-out $(BUILD)/tb/cosim/main.o,$(COSIM_OBJ))

$(BENCH_SWITCHES): tb/bench/switches.c $(BENCH_OBJ) $(LIBLOOM) $(LIBVERILATED)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -o $@ $(filter %.c %.o %.a,$^) -L$(BUILD)/cosim \
	  -lverilated -Wl,-rpath,$(abspath $(BUILD)/cosim) $(call pkg_libs,yaml-0.1) -ldl
-include $(BENCH_SWITCHES).d

# Whole fabrics of twins and hosts, without circuits.
BENCH_FABRICS := $(BUILD)/tb/bench/fabrics

$(BENCH_FABRICS): tb/bench/fabrics.c $(LIBLOOM)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -o $@ $(filter %.c %.a,$^) -lm
-include $(BENCH_FABRICS).d

# Fabrics as they grow, through the command.
.PHONY: bench-scale
bench-scale: $(BUILD)/loom
	@tb/bench/scale $(BUILD)/loom

TESTS += test-bench-scale
.PHONY: test-bench-scale
test-bench-scale: $(BUILD)/loom
	@tb/bench/scale $(BUILD)/loom --self-test

.PHONY: bench-run
bench-run: $(BENCH) $(BENCH_SWITCHES) $(BENCH_FABRICS) $(BENCH_CIRCUITS:%=$(BUILD)/rtl/%/shim.so) $(BUILD)/loom
	@$(BENCH) $(BUILD)/rtl
	@$(BENCH_SWITCHES) $(BUILD)/rtl
	@$(BENCH_FABRICS)
	@tb/bench/scale $(BUILD)/loom
