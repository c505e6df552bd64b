# Unit tests of the switches and of the parts that only they use, without a circuit: plain and under
# the sanitizers.

UNIT_SWITCH := switch_parts switch switch_faults switch_regs
UNIT_SWITCH_OBJ := $(BUILD)/tb/unit/switch_bench.o $(UNIT_SWITCH:%=$(BUILD)/tb/unit/test_%.o)
UNIT_SWITCH_SAN_OBJ := $(UNIT_SWITCH_OBJ:$(BUILD)/%=$(BUILD)/san/%)
TESTS += $(UNIT_SWITCH:%=unit-%) $(UNIT_SWITCH:%=unit-%-san)
.PHONY: $(UNIT_SWITCH:%=unit-%) $(UNIT_SWITCH:%=unit-%-san)

$(UNIT_SWITCH:%=unit-%): unit-%: $(BUILD)/tb/unit/test_%
	$<

$(UNIT_SWITCH:%=unit-%-san): unit-%-san: $(BUILD)/san/tb/unit/test_%
	$<

$(UNIT_SWITCH:%=$(BUILD)/tb/unit/test_%): %: %.o $(BUILD)/tb/unit/switch_bench.o $(LIBLOOM)
	$(CC) $(CFLAGS) -o $@ $^ $(call pkg_libs,cmocka)

$(UNIT_SWITCH:%=$(BUILD)/san/tb/unit/test_%): %: %.o $(BUILD)/san/tb/unit/switch_bench.o $(LIBLOOM_SAN)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(call pkg_libs,cmocka)

$(UNIT_SWITCH_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

$(UNIT_SWITCH_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

-include $(UNIT_SWITCH_OBJ:.o=.d) $(UNIT_SWITCH_SAN_OBJ:.o=.d)
