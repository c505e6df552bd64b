# Unit tests of traces: reader, replay, collectives, generator, command; plain and under the sanitizers.

TESTS += unit-vef unit-vef-san
.PHONY: unit-vef unit-vef-san

unit-vef: $(BUILD)/tb/unit/test_vef
	$<

unit-vef-san: $(BUILD)/san/tb/unit/test_vef
	$<

$(BUILD)/tb/unit/test_vef: tb/unit/test_vef.c $(LOOM_CLI_LIB) $(LIBLOOM)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ $(filter %.c %.a,$^) \
	  $(LOOM_CLI_LIBS) $(call pkg_libs,cmocka) -lm

$(BUILD)/san/tb/unit/test_vef: tb/unit/test_vef.c $(LOOM_CLI_SAN_LIB) $(LIBLOOM_SAN)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ \
	  $(filter %.c %.a,$^) $(LOOM_CLI_LIBS) $(call pkg_libs,cmocka) -lm

-include $(BUILD)/tb/unit/test_vef.d $(BUILD)/san/tb/unit/test_vef.d
