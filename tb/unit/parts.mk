# Unit tests of the part twins, without a circuit: plain and under the sanitizers.

TESTS += unit-parts unit-parts-san
.PHONY: unit-parts unit-parts-san

unit-parts: $(BUILD)/tb/unit/test_parts
	$<

unit-parts-san: $(BUILD)/san/tb/unit/test_parts
	$<

$(BUILD)/tb/unit/test_parts: tb/unit/test_parts.c $(BUILD)/csim/libloom.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ \
	  $(filter %.c %.a,$^) $(call pkg_libs,cmocka)

$(BUILD)/san/tb/unit/test_parts: tb/unit/test_parts.c $(BUILD)/san/csim/libloom.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ \
	  $(filter %.c %.a,$^) $(call pkg_libs,cmocka)

-include $(BUILD)/tb/unit/test_parts.d $(BUILD)/san/tb/unit/test_parts.d
