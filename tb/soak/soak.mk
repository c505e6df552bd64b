# SPDX-License-Identifier: Apache-2.0

# A tree under everything at once. `make soak-elite5` [PACKETS=n] [SEED=n] takes long; `make test`
# runs a short form.
SOAK := $(BUILD)/tb/soak/soak
SOAK_OBJ := $(BUILD)/tb/soak/soak.o
TESTS += test-soak-elite5 test-shadow-elite5
.PHONY: test-soak-elite5 test-shadow-elite5 soak-elite5

test-soak-elite5: $(SOAK)
	@$(SOAK) --packets 200000 --seed $(or $(SEED),1)

# The same with a circuit beside each of the 48 routers.
test-shadow-elite5: $(SOAK) $(SHADOW_ELITE5_CIRCUIT)
	@$(SOAK) --packets 30000 --seed $(or $(SEED),1) --shadow $(SHADOW_ELITE5)
	@$(SOAK) --packets 3000 --shadow $(SHADOW_ELITE5) --plant R0:3000:out_tail:0 2>&1 | \
	  grep -q '^R0 (elite5_router): first difference in cycle 3000, output out_tail_o lane 0: ' && \
	  echo 'PASS shadow finds a planted difference' || \
	  { echo 'FAIL shadow finds a planted difference'; exit 1; }

# Short forms of the published fabrics.
TESTS += test-fabrics
.PHONY: test-fabrics
test-fabrics: $(BUILD)/loom
	@tb/soak/fabrics $(BUILD)/loom

soak-elite5: $(SOAK)
	@$(SOAK) --packets $(or $(PACKETS),100000000) --seed $(or $(SEED),1)

# With the library of shadows.
$(SOAK): $(SOAK_OBJ) $(SHADOW_OBJ) $(LOOM_CLI_LIB) $(LIBLOOM) $(LIBVERILATED)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o %.a,$^) -L$(BUILD)/cosim -lverilated -Wl,-rpath,$(abspath $(BUILD)/cosim) -ldl
$(SOAK_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<
-include $(SOAK_OBJ:.o=.d)
