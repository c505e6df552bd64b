# SPDX-License-Identifier: Apache-2.0

# The lock-step bench: one command, one shared object a circuit (docs/cosim.md).

COSIM := $(BUILD)/cosim/cosim
# The one reader of the list of devices. It gives make the names of the circuits, COSIM_CONFIGS, and of
# the devices, COSIM_DUTS. Where Python is still to be installed both are empty: the targets that people
# type install it first and then call make again.
DEVICES := tb/devices.py
DEVICES_NEED := $(DEVICES) tb/expressions.py tb/devices.list tb/cosim/cases.list
ifneq ($(filter-out help clean format bootstrap,$(MAKECMDGOALS)),)
-include $(BUILD)/devices.mk
endif
$(BUILD)/devices.mk: $(DEVICES_NEED)
	@mkdir -p $(@D)
	@! command -v $(PYTHON) >/dev/null || { $(PYTHON) $(DEVICES) make $@ && touch $@; }
COSIM_SHIMS := $(COSIM_CONFIGS:%=$(BUILD)/rtl/%/shim.so)

include tb/cosim/verilated.mk

# Verilator's own part, once, for every circuit; it brings libfst along for the bench.
LIBVERILATED := $(BUILD)/cosim/libverilated.so
LIBVERILATED_OBJ := $(addprefix $(BUILD)/cosim/,verilated.o verilated_fst_c.o verilated_threads.o)
$(LIBVERILATED_OBJ): $(BUILD)/cosim/%.o: tb/cosim/verilated.mk
	@mkdir -p $(@D)
	$(call say,CXX,$(@F:.o=.cpp) of Verilator)
	$(Q)$(call hush,$@.log) $(CXX) $(VLIB_CXXFLAGS) $(VINC) -c -o $@ \
	  $(VERILATOR_ROOT)/include/$*.cpp
# Verilator's $stop would abort.
$(BUILD)/cosim/stop.o: tb/cosim/stop.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) -std=gnu++17 -O2 -fPIC $(VWARN) $(VINC) -c -o $@ $<
$(LIBVERILATED): $(LIBVERILATED_OBJ) $(BUILD)/cosim/stop.o
	$(call say,LINK,$@)
	$(Q)$(CXX) -shared -o $@ $^ -lz -lpthread

$(VPRE_FAST).gch $(VPRE_SLOW).gch: %.gch: tb/cosim/verilated.mk
	@mkdir -p $(@D)
	$(call say,CXX,$(@F:.gch=))
	@printf '#include "%s"\n' verilated.h verilated_fst_c.h cstdlib cstring > $*
	$(Q)$(call hush,$@.log) $(CXX) $(VCXXFLAGS) $(if $(findstring slow,$(@F)),-O0) $(VINC) \
	  -x c++-header -o $@ $*

# What is derived from the lists: the table of devices, a folder for each circuit. Files that do not
# change are left alone, so make looks at them again after the stamp.
$(BUILD)/cosim/stamp: $(DEVICES_NEED) $(wildcard csim/*/*.def csim/*/*.params)
	@mkdir -p $(@D) $(BUILD)/rtl
	@$(PYTHON) $(DEVICES) circuits $(BUILD)/rtl
	@$(PYTHON) $(DEVICES) table $(BUILD)/cosim/devices.c
	@touch $@
$(COSIM_CONFIGS:%=$(BUILD)/rtl/%/params.h) $(COSIM_CONFIGS:%=$(BUILD)/rtl/%/verilator.f) \
$(COSIM_CONFIGS:%=$(BUILD)/rtl/%/probes.vlt) $(BUILD)/cosim/devices.c: $(BUILD)/cosim/stamp
	@:

# A circuit. Every warning of Verilator ends the build, UNOPTFLAT included. --flatten makes it one
# object, whose bytes are its state (searches): for parts and schedulers. A whole switch would be long to
# compile then, so it keeps its modules, and its C++ comes in several files.
# Few files, because each reads the headers of all modules anew, which takes longer than to optimize a
# small one; not one, for the memory of the compiler and for other cores.
# -fno-gate: what an instance does then names nothing outside it, so all instances of a module share code.
COSIM_LARGE := crossbar_switch ib_switch opa_switch mport_switch kns_node kns_switch elite5_router crosspoint_router
VSHAPE_WHOLE := --flatten
VSHAPE_PIECES := -fno-gate --trace-depth 1 --output-split 40000 --output-split-cfuncs 400
circuit_whole = $(if $(filter $(COSIM_LARGE:%=%-%),$(1)),,1)
# What every circuit needs before it can be compiled.
CIRCUIT_NEEDS := $(LIBVERILATED) $(VPRE_FAST).gch $(VPRE_SLOW).gch
# Others may want circuits, too: EXTRA_CIRCUITS, whose folders tb/devices.py has filled already.
EXTRA_SHIMS := $(EXTRA_CIRCUITS:%=$(BUILD)/rtl/%/shim.so)
ALL_SHIMS := $(sort $(COSIM_SHIMS) $(EXTRA_SHIMS))
# Those that are asked for: a circuit says which of them it is when its turn comes.
CIRCUITS ?= $(or $(EXTRA_CIRCUITS),$(COSIM_CONFIGS))
circuit_place = $(if $(filter $(1),$(CIRCUITS)),[$(call place,$(1),$(CIRCUITS))/$(words $(CIRCUITS))])

# Only what is large has its waves with it, those of its ports; another circuit has no place for them, which is a
# third of its C++, and the bench asks for it once more, in a folder `waves`, when there is something to see.
WAVES_SHIMS := $(patsubst %/shim.so,%/waves/shim.so,$(foreach c,$(ALL_SHIMS),$(if $(call circuit_whole,$(c:$(BUILD)/rtl/%=%)),$(c))))
# $(call circuit_rule,OBJECTS,FOLDER/,1 for waves): a rule, not lines that a recipe calls: of those make would run all
# when it is to run none (-n), as one of them calls make.
define circuit_rule
$(1): $$(BUILD)/rtl/%/$(2)shim.so: $$(BUILD)/rtl/%/params.h $$(BUILD)/rtl/%/verilator.f \
  $$(BUILD)/rtl/%/probes.vlt tb/cosim/shim.cpp tb/cosim/shim.h tb/cosim/circuit.mk $$(CIRCUIT_NEEDS)
	$$(if $$(STALE),echo stale $$*)
	$$(call say,$$(call circuit_place,$$*),circuit $$*$(if $(2), with waves))
	@rm -rf $$(@D)/vl && mkdir -p $$(@D)
	$$(Q)$$(call hush,$$(@D)/verilator.log) $$(VERILATOR) --cc $$(if $(3),--trace-fst) \
	  $$(if $$(call circuit_whole,$$*),$$(VSHAPE_WHOLE),$$(VSHAPE_PIECES)) --prefix Vdut --Mdir $$(@D)/vl \
	  $$(VFLAGS) -f $$(BUILD)/rtl/$$*/verilator.f $$(BUILD)/rtl/$$*/probes.vlt
	@+$$(if $$(STALE),:,$$(MAKE) --no-print-directory -f tb/cosim/circuit.mk DIR=$$(@D) PARAMS=$$(BUILD)/rtl/$$* \
	  WHOLE=$$(call circuit_whole,$$*) WAVES=$(3) VERILATOR_ROOT=$$(VERILATOR_ROOT))
	@awk -v so=$$@ '{ sub(/^.* : /, ""); print so ": " $$$$0; for (i = 1; i <= NF; i++) print $$$$i ":" }' \
	  $$(@D)/vl/Vdut__ver.d > $$(@D)/shim.d
	$$(if $$(TELL),@echo $$* >&9)
endef
$(eval $(call circuit_rule,$(ALL_SHIMS),,$$(if $$(call circuit_whole,$$*),,1)))
$(if $(WAVES_SHIMS),$(eval $(call circuit_rule,$(WAVES_SHIMS),waves/,1)))
-include $(wildcard $(patsubst %.so,%.d,$(ALL_SHIMS) $(WAVES_SHIMS)))

# The bench itself.
COSIM_SRC := $(wildcard tb/cosim/*.c tb/ends/*.c) $(COSIM_DUTS:%=tb/cosim/stim/%.c)
COSIM_CLI := csim/io/published_table.c csim/io/source.c csim/io/yaml.c csim/io/yaml_tree.c
COSIM_OBJ := $(COSIM_SRC:%.c=$(BUILD)/%.o) $(BUILD)/tb/cosim/devices.o $(COSIM_CLI:%.c=$(BUILD)/%.o)

$(COSIM_SRC:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(VINC) $(DEPFLAGS) -c -o $@ $<
$(BUILD)/tb/cosim/devices.o: $(BUILD)/cosim/devices.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<
-include $(wildcard $(COSIM_OBJ:.o=.d))

# Twins only: the first lock-step result shall not wait for the rest of the library.
COSIM_TWINS := $(filter $(addprefix $(BUILD)/csim/,parts/% sched/% switch/% elite5/% axi/%),$(CSIM_OBJ))

$(COSIM): $(COSIM_OBJ) $(COSIM_TWINS) $(LIBVERILATED)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(COSIM_OBJ) $(COSIM_TWINS) -L$(BUILD)/cosim -lverilated \
	  -Wl,-rpath,$(abspath $(BUILD)/cosim) $(call pkg_libs,yaml-0.1) -ldl

.PHONY: cosim-build
cosim-build: $(COSIM) $(COSIM_SHIMS)

# make sim
SIM_ARGS = $(if $(DUT),--dut=$(DUT)) $(if $(CONFIG),--config=$(CONFIG)) $(if $(CASE),--case=$(CASE)) \
  $(if $(SEED),--seed=$(SEED)) $(if $(CYCLES),--cycles=$(CYCLES)) $(if $(PLANT),--plant=$(PLANT)) \
  $(if $(filter 1,$(WAVES)),--waves)

# $(call lockstep,OPTIONS): tb/cosim/sim calls make for the bench and what every circuit needs, and then
# for the circuits. STALE=1 is a dry run that asks which of them are to be built, TELL=1 tells on
# descriptor 9 of each that has been built.
lockstep = mkdir -p $(BUILD)/sim && \
  MAKE='$(MAKE)' PARALLEL='$(PARALLEL)' tb/cosim/sim $(COSIM) $(1) --jobs=$(JOBS)

.PHONY: sim-start circuits
sim-start: $(CIRCUIT_NEEDS) $(BUILD)/cosim/stamp $(COSIM)
	@:
circuits: $(CIRCUITS:%=$(BUILD)/rtl/%/shim.so)
	@:

.PHONY: sim-cosim sim-play
sim-cosim:
	@+$(if $(PLAY),$(MAKE) --no-print-directory $(PARALLEL) sim-play,\
	  $(call lockstep,$(SIM_ARGS) --results=$(BUILD)/sim/results.jsonl))
# A counterexample of tb/prove, or any recorded vectors; the first line names device and configuration.
PLAYED = $(shell sed -n '1s/^\/\/ loom-out 1 \([a-z0-9_]*\) \([a-z0-9_]*\) .*/\1-\2/p' $(PLAY) 2>&-)
sim-play: $(CIRCUIT_NEEDS) $(BUILD)/cosim/stamp $(COSIM)
	@+$(MAKE) --no-print-directory $(PARALLEL) CIRCUITS='$(PLAYED)' circuits
	@$(COSIM) --play=$(PLAY) $(if $(PLANT),--plant=$(PLANT)) $(if $(filter 1,$(WAVES)),--waves)

# Runs in which a proof found circuit and twin, one of them with a fault, to differ (docs/proof.md).
PROVED := $(wildcard vectors/prove/*.out)
TESTS += test-played
.PHONY: test-played
test-played: cosim-build
	@bad=0; for f in $(PROVED); do \
	  if said=$$($(COSIM) --play=$$f 2>&1); then echo "PASS played/$$(basename $$f)"; \
	  else echo "FAIL played/$$(basename $$f) ($$said)"; bad=1; fi; done; exit $$bad

TESTS += test-sim-order
.PHONY: test-sim-order
test-sim-order:
	@tb/cosim/sim_test

TESTS += test-sim
.PHONY: test-sim
test-sim: cosim-build
	@$(COSIM) --test --seed=$(or $(SEED),2) --jobs=$(JOBS)

# Both switches with the same buffers, uniform traffic: accepted traffic side by side (twins).
TESTS += test-saturation
.PHONY: test-saturation
test-saturation: $(COSIM)
	@tb/cosim/saturation

# What takes too long for `make test`.
.PHONY: sim-long
sim-long:
	@tools/bootstrap sim
	@+$(call lockstep,--long $(SIM_ARGS) --results=$(BUILD)/sim/results-long.jsonl)
	@for d in $(COSIM_LARGE); do \
	  $(COSIM) --dut=$$d --case=random --cycles=2000000 --seed=$(or $(SEED),3) || exit $$?; done

# Every state of every part and scheduler at a small size, in circuit and twin.
TESTS += test-bfs
.PHONY: test-bfs
test-bfs: cosim-build
	@$(COSIM) --bfs --jobs=$(JOBS)

# Random wishes that `loom vlarb solve` meets: the shares of the circuits (docs/vlarb.md).
TESTS += test-wishes
.PHONY: test-wishes
test-wishes: $(COSIM) $(BUILD)/loom $(BUILD)/rtl/sched_ibarb-paper_vl/shim.so \
  $(BUILD)/rtl/sched_port-paper_ibarb_vl/shim.so
	@tb/cosim/wishes --seed=$(or $(SEED),1)
	@tb/cosim/wishes --self-test

# The bench can fail: a planted bit is found in its cycle, the waves show it, bad inputs are refused.
$(BUILD)/cosim/first_mismatch: tb/cosim/check/first_mismatch.c $(LIBVERILATED)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(VINC) -o $@ $< -L$(BUILD)/cosim -lverilated \
	  -Wl,-rpath,$(abspath $(BUILD)/cosim)

TESTS += test-planted
.PHONY: test-planted
test-planted: cosim-build $(BUILD)/cosim/first_mismatch
	@tb/cosim/planted $(SEED)

TESTS += devices-test
.PHONY: devices-test
devices-test:
	@tb/devices_test
