# Unit tests of the Elite5 router and its parts, without a circuit: plain and under the sanitizers.

UNIT_ELITE5 := elite5_header segment_buffer elite5_router elite5_choice elite5_broadcast elite5_link elite5_regs elite5_traffic
UNIT_ELITE5_OBJ := $(BUILD)/tb/unit/elite5_bench.o $(UNIT_ELITE5:%=$(BUILD)/tb/unit/test_%.o)
UNIT_ELITE5_SAN_OBJ := $(UNIT_ELITE5_OBJ:$(BUILD)/%=$(BUILD)/san/%)
TESTS += $(UNIT_ELITE5:%=unit-%) $(UNIT_ELITE5:%=unit-%-san)
.PHONY: $(UNIT_ELITE5:%=unit-%) $(UNIT_ELITE5:%=unit-%-san)

$(UNIT_ELITE5:%=unit-%): unit-%: $(BUILD)/tb/unit/test_%
	$<

$(UNIT_ELITE5:%=unit-%-san): unit-%-san: $(BUILD)/san/tb/unit/test_%
	$<

$(UNIT_ELITE5:%=$(BUILD)/tb/unit/test_%): %: %.o $(BUILD)/tb/unit/elite5_bench.o $(LIBLOOM)
	$(CC) $(CFLAGS) -o $@ $^ $(call pkg_libs,cmocka)

$(UNIT_ELITE5:%=$(BUILD)/san/tb/unit/test_%): %: %.o $(BUILD)/san/tb/unit/elite5_bench.o $(LIBLOOM_SAN)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $^ $(call pkg_libs,cmocka)

$(UNIT_ELITE5_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

$(UNIT_ELITE5_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

-include $(UNIT_ELITE5_OBJ:.o=.d) $(UNIT_ELITE5_SAN_OBJ:.o=.d)
