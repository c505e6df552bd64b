# Unit tests of endpoints and small fabrics of twins, plain and under the sanitizers; the soak.

UNIT_NET := elan5 elite5_net
UNIT_NET_OBJ := $(UNIT_NET:%=$(BUILD)/tb/unit/test_%.o)
UNIT_NET_SAN_OBJ := $(UNIT_NET_OBJ:$(BUILD)/%=$(BUILD)/san/%)
TESTS += $(UNIT_NET:%=unit-%) $(UNIT_NET:%=unit-%-san)
.PHONY: $(UNIT_NET:%=unit-%) $(UNIT_NET:%=unit-%-san)

$(UNIT_NET:%=unit-%): unit-%: $(BUILD)/tb/unit/test_%
	$<

$(UNIT_NET:%=unit-%-san): unit-%-san: $(BUILD)/san/tb/unit/test_%
	$<

$(UNIT_NET:%=$(BUILD)/tb/unit/test_%): %: %.o $(LIBLOOM)
	$(CC) $(CFLAGS) -o $@ $^ $(call pkg_libs,cmocka) -lm

$(UNIT_NET:%=$(BUILD)/san/tb/unit/test_%): %: %.o $(LIBLOOM_SAN)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(call pkg_libs,cmocka) -lm

$(UNIT_NET_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

$(UNIT_NET_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

-include $(UNIT_NET_OBJ:.o=.d) $(UNIT_NET_SAN_OBJ:.o=.d)

# A tree under everything at once. `make soak-elite5` [PACKETS=n] [SEED=n] takes long; `make test` runs
# a short form.
SOAK := $(BUILD)/net/soak
SOAK_OBJ := $(BUILD)/tb/net/soak.o $(BUILD)/tb/shadow/elite5_shadow.o
SOAK_CIRCUIT := $(BUILD)/rtl/elite5_router-tree64/shim.so
TESTS += test-soak-elite5 test-shadow-elite5
.PHONY: test-soak-elite5 test-shadow-elite5 soak-elite5

test-soak-elite5: $(SOAK)
	@$(SOAK) --packets 200000 --seed $(or $(SEED),1)

# The same with a circuit beside each of the 48 routers.
test-shadow-elite5: $(SOAK) $(SOAK_CIRCUIT)
	@$(SOAK) --packets 30000 --seed $(or $(SEED),1) --shadow $(SOAK_CIRCUIT)
	@$(SOAK) --packets 3000 --shadow $(SOAK_CIRCUIT) --plant 3000 2>&1 | \
	  grep -q '^router 0, cycle 3000, out_tail lane 0: ' && echo 'PASS shadow finds a planted difference' || \
	  { echo 'FAIL shadow finds a planted difference'; exit 1; }

soak-elite5: $(SOAK)
	@$(SOAK) --packets $(or $(PACKETS),100000000) --seed $(or $(SEED),1)

$(SOAK): $(SOAK_OBJ) $(LIBLOOM)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ -ldl
$(SOAK_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<
-include $(SOAK_OBJ:.o=.d)
