# SPDX-License-Identifier: Apache-2.0

# Circuits beside twins in the middle of a fabric (docs/cosim.md): a library for `loom run`, the circuits that a
# fabric file needs.

SHADOW_LIB := $(BUILD)/libloom_shadow.so
SHADOW_SRC := $(wildcard tb/shadow/*.c tb/shadow/dut/*.c) $(addprefix tb/cosim/,lockstep.c circuit.c fields.c waves.c)
SHADOW_OBJ := $(SHADOW_SRC:%.c=$(BUILD)/pic/%.o)

$(SHADOW_OBJ): $(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden $(VINC) $(DEPFLAGS) -c -o $@ $<
-include $(wildcard $(SHADOW_OBJ:.o=.d))

# The twins are those of the command that loads it.
$(SHADOW_LIB): $(SHADOW_OBJ) $(LIBVERILATED)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -o $@ $(SHADOW_OBJ) -L$(BUILD)/cosim -lverilated -Wl,-rpath,$(abspath $(BUILD)/cosim) -ldl

# The circuits of a fabric file: SHADOW_NAME is its file without folder and suffix.
SHADOW_NAME = $(basename $(notdir $(FABRIC)))
SHADOW_LIST = $(BUILD)/shadow/$(SHADOW_NAME).list
# SHADOW names a switch in place of those of the file.
SHADOW_SET = $(if $(SHADOW),--set 'shadow=[$(SHADOW)]')

.PHONY: shadow-list shadow-circuits
shadow-list: $(BUILD)/loom
	@test -n '$(FABRIC)' || { echo 'make shadow: FABRIC=file.yaml: missing' >&2; exit 2; }
	@mkdir -p $(BUILD)/shadow $(BUILD)/rtl
	@$(BUILD)/loom run --circuits $(SHADOW_SET) $(FABRIC) > $(SHADOW_LIST)
	@$(PYTHON) $(DEVICES) circuits $(BUILD)/rtl $(SHADOW_LIST)
shadow-circuits: shadow-list $(SHADOW_LIB)
	@+$(MAKE) --no-print-directory EXTRA_CIRCUITS="$$($(PYTHON) $(DEVICES) names $(SHADOW_LIST) | xargs)" shadow-extra

# Called with EXTRA_CIRCUITS.
.PHONY: shadow-extra
shadow-extra: $(EXTRA_SHIMS)

.PHONY: shadow
shadow:
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory shadow-circuits
	@$(BUILD)/loom run $(if $(CYCLES),--set run.measure=$(CYCLES)) $(if $(PLANT),--plant $(PLANT)) $(SHADOW_SET) $(FABRIC)

# What the circuits need stands before: two of these makes may run at a time. So does the circuit that the soak has, too.
SHADOW_FABRICS := $(wildcard vectors/fabric/shadow-*.yaml)
SHADOW_ELITE5 := fabric_shadow_elite5_4_3
SHADOW_ELITE5_CIRCUIT := $(BUILD)/rtl/elite5_router-$(SHADOW_ELITE5)/shim.so
TESTS += test-shadow
.PHONY: test-shadow
test-shadow: $(BUILD)/loom $(SHADOW_LIB) $(VPRE_FAST).gch $(VPRE_SLOW).gch $(BUILD)/cosim/first_mismatch $(SHADOW_ELITE5_CIRCUIT)
	@+for f in $(SHADOW_FABRICS); do \
	  $(MAKE) --no-print-directory FABRIC=$$f shadow-circuits || exit $$?; done
	@tb/shadow/check $(BUILD) $(SEED)
