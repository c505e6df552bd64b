# The lock-step bench: one command, one shared object a circuit (docs/cosim.md).

COSIM := $(BUILD)/cosim/cosim
COSIM_LIST := tb/cosim/configs.list
COSIM_GEN := tb/cosim/gen.py
COSIM_CONFIGS := $(shell awk '!/^ *\#/ && NF && $$2 !~ /^twin/ { print $$1 "-" $$2 }' $(COSIM_LIST))
COSIM_DUTS := $(sort $(shell awk '!/^ *\#/ && NF { print $$1 }' $(COSIM_LIST)))
COSIM_SHIMS := $(COSIM_CONFIGS:%=$(BUILD)/rtl/%/shim.so)

# Verilator's C++: not ours to warn about. Its headers are found through -isystem.
VINC = -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
VCXXFLAGS := -std=gnu++17 -O2 -fPIC -fvisibility=hidden -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=1 \
  -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0 -Wall -Wextra -Werror

# Verilator's own part, once, for every circuit; it brings libfst along for the bench.
LIBVERILATED := $(BUILD)/cosim/libverilated.so
$(LIBVERILATED):
	@mkdir -p $(@D)
	$(CXX) -std=gnu++17 -O2 -fPIC -shared $(filter -DVM_%,$(VCXXFLAGS)) $(VINC) -o $@ \
	  $(VERILATOR_ROOT)/include/verilated.cpp $(VERILATOR_ROOT)/include/verilated_fst_c.cpp \
	  $(VERILATOR_ROOT)/include/verilated_threads.cpp -lz -lpthread

# The headers that every circuit needs, read once: for what a cycle does, and for what runs once or only
# while dumping, which is compiled without optimization.
VPRE_FAST := $(BUILD)/cosim/pre_fast.h
VPRE_SLOW := $(BUILD)/cosim/pre_slow.h
VPRE_FLAGS = $(if $(findstring slow,$(@F)),-O0)
$(VPRE_FAST).gch $(VPRE_SLOW).gch: %.gch: tb/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#include "%s"\n' verilated.h verilated_fst_c.h cstdlib cstring > $*
	$(CXX) $(VCXXFLAGS) $(VPRE_FLAGS) $(VINC) -x c++-header -o $@ $*

# What gen.py derives from the list: the table of devices, a folder for each configuration. It leaves
# files alone that do not change, so make looks at them again after the stamp.
$(BUILD)/cosim/stamp: $(COSIM_LIST) $(COSIM_GEN) $(wildcard csim/*/*.def csim/*/*.params)
	@mkdir -p $(@D) $(BUILD)/rtl
	@$(PYTHON) $(COSIM_GEN) configs $(COSIM_LIST) $(BUILD)/rtl
	@$(PYTHON) $(COSIM_GEN) duts $(COSIM_LIST) $(BUILD)/cosim/duts.c
	@touch $@
$(COSIM_CONFIGS:%=$(BUILD)/rtl/%/params.h) $(COSIM_CONFIGS:%=$(BUILD)/rtl/%/verilator.f) \
$(COSIM_CONFIGS:%=$(BUILD)/rtl/%/probes.vlt) $(BUILD)/cosim/duts.c: $(BUILD)/cosim/stamp
	@:

# A circuit. Every warning of Verilator ends the build, UNOPTFLAT included. --flatten makes it one
# object, whose bytes are its state (searches): for parts and schedulers. A whole switch would be long to
# compile then, so it keeps its modules; its C++ comes in several files, two are compiled at a time.
# -fno-gate: what an instance does then names nothing outside it, so all instances of a module share code.
COSIM_LARGE := ib_switch opa_switch kns_node kns_switch elite5_router
VSHAPE = $(if $(filter $(COSIM_LARGE:%=%-%),$*),-fno-gate --trace-depth 1 --output-split 4000 --output-split-cfuncs 400,--flatten)
# Unused names in C++ that Verilator wrote are not ours to mend.
VQUIET = $(filter-out -Wall -Wextra -Werror,$(VCXXFLAGS))
VCOMPILE = xargs -P 2 -I{} $(CXX) $(VQUIET) -Winvalid-pch $(VINC) -c -o {}.o
# Others may want circuits, too: EXTRA_CIRCUITS, whose folders gen.py has filled already.
EXTRA_SHIMS := $(EXTRA_CIRCUITS:%=$(BUILD)/rtl/%/shim.so)
ALL_SHIMS := $(sort $(COSIM_SHIMS) $(EXTRA_SHIMS))
$(ALL_SHIMS): $(BUILD)/rtl/%/shim.so: $(BUILD)/rtl/%/params.h $(BUILD)/rtl/%/verilator.f \
  $(BUILD)/rtl/%/probes.vlt tb/cosim/shim.cpp tb/cosim/shim.h $(LIBVERILATED) $(VPRE_FAST).gch \
  $(VPRE_SLOW).gch
	@rm -rf $(@D)/vl
	@echo 'verilate $*'
	@$(VERILATOR) --cc --trace-fst $(VSHAPE) --prefix Vdut --Mdir $(@D)/vl $(VFLAGS) \
	  -f $(@D)/verilator.f $(@D)/probes.vlt
	@cd $(@D)/vl && for f in Vdut*.cpp; do echo "#include \"$$f\""; done | \
	  awk '{ print > (/Slow|Syms|Trace/ ? "slow.cpp" : "fast.h") }'
	@$(if $(filter --flatten,$(VSHAPE)),,cd $(@D)/vl && sed 's/.*"\(.*\)"/\1/' fast.h > files && \
	  echo '#include "Vdut__Syms.h"' > fast.h)
	@$(if $(filter --flatten,$(VSHAPE)),,sed 's|^|$(@D)/vl/|' $(@D)/vl/files | \
	  $(VCOMPILE) -include $(VPRE_FAST) {})
	@$(CXX) $(VQUIET) -O0 -include $(VPRE_SLOW) -Winvalid-pch $(VINC) -c -o $(@D)/vl/slow.o \
	  $(@D)/vl/slow.cpp
	@$(CXX) $(VCXXFLAGS) -include $(VPRE_FAST) -Winvalid-pch -shared -I$(@D)/vl -I$(@D) $(CPPFLAGS) \
	  $(VINC) -o $@ tb/cosim/shim.cpp $$(ls $(@D)/vl/*.o) \
	  -L$(BUILD)/cosim -lverilated -Wl,-rpath,$(abspath $(BUILD)/cosim)
	@awk -v so=$@ '{ sub(/^.* : /, ""); print so ": " $$0; for (i = 1; i <= NF; i++) print $$i ":" }' \
	  $(@D)/vl/Vdut__ver.d > $(@D)/shim.d
-include $(wildcard $(ALL_SHIMS:.so=.d))

# The bench itself.
COSIM_SRC := $(wildcard tb/cosim/*.c) $(COSIM_DUTS:%=tb/cosim/stim/%.c)
COSIM_CLI := csim/io/published_table.c csim/io/source.c csim/io/yaml.c
COSIM_OBJ := $(COSIM_SRC:%.c=$(BUILD)/%.o) $(BUILD)/tb/cosim/duts.o $(COSIM_CLI:%.c=$(BUILD)/%.o)

$(COSIM_SRC:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(VINC) $(DEPFLAGS) -c -o $@ $<
$(BUILD)/tb/cosim/duts.o: $(BUILD)/cosim/duts.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<
-include $(wildcard $(COSIM_OBJ:.o=.d))

$(COSIM): $(COSIM_OBJ) $(LIBLOOM) $(LIBVERILATED)
	@mkdir -p $(@D)
	$(CC) -o $@ $(COSIM_OBJ) $(LIBLOOM) -L$(BUILD)/cosim -lverilated \
	  -Wl,-rpath,$(abspath $(BUILD)/cosim) $(call pkg_libs,libcyaml) -ldl

.PHONY: cosim-build
cosim-build: $(COSIM) $(COSIM_SHIMS)

# make sim
SIM_ARGS = $(if $(DUT),--dut=$(DUT)) $(if $(CONFIG),--config=$(CONFIG)) $(if $(CASE),--case=$(CASE)) \
  $(if $(SEED),--seed=$(SEED)) $(if $(CYCLES),--cycles=$(CYCLES)) $(if $(PLANT),--plant=$(PLANT)) \
  $(if $(filter 1,$(WAVES)),--waves)

# The circuits that are asked for, and no others: all of them take minutes.
SIM_SHIMS = $(if $(DUT),$(filter $(BUILD)/rtl/$(DUT)-$(or $(CONFIG),%)/shim.so,$(COSIM_SHIMS)),$(COSIM_SHIMS))

.PHONY: sim-build sim-cosim
sim-build: $(COSIM) $(SIM_SHIMS)

sim-cosim:
	@+$(MAKE) --no-print-directory -j2 sim-build
	@$(COSIM) $(SIM_ARGS)

TESTS += test-sim
.PHONY: test-sim
test-sim: cosim-build
	@$(COSIM) --test --seed=$(or $(SEED),2)

# Both switches with the same buffers, uniform traffic: accepted traffic side by side (twins).
TESTS += test-saturation
.PHONY: test-saturation
test-saturation: $(COSIM)
	@tb/cosim/saturation

# What takes too long for `make test`.
.PHONY: sim-long
sim-long:
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory -j2 sim-build
	@$(COSIM) --long $(SIM_ARGS)
	@for d in $(COSIM_LARGE); do \
	  $(COSIM) --dut=$$d --case=random --cycles=2000000 --seed=$(or $(SEED),3) || exit $$?; done

# Every state of every part and scheduler at a small size, in circuit and twin.
TESTS += test-bfs
.PHONY: test-bfs
test-bfs: cosim-build
	@$(COSIM) --bfs

# The bench can fail: a planted bit is found in its cycle, the waves show it, bad inputs are refused.
$(BUILD)/cosim/first_mismatch: tb/cosim/check/first_mismatch.c $(LIBVERILATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(VINC) -o $@ $< -L$(BUILD)/cosim -lverilated \
	  -Wl,-rpath,$(abspath $(BUILD)/cosim)

TESTS += test-planted
.PHONY: test-planted
test-planted: cosim-build $(BUILD)/cosim/first_mismatch
	@tb/cosim/planted $(SEED)
