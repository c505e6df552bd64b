# Unit tests of the scheduler twins, without a circuit: plain and under the sanitizers.

TESTS += unit-sched unit-sched-san
.PHONY: unit-sched unit-sched-san

UNIT_SCHED := test_sched test_sched_port

unit-sched: $(UNIT_SCHED:%=$(BUILD)/tb/unit/%)
	$(foreach t,$^,$(t) &&) true

unit-sched-san: $(UNIT_SCHED:%=$(BUILD)/san/tb/unit/%)
	$(foreach t,$^,$(t) &&) true

$(UNIT_SCHED:%=$(BUILD)/tb/unit/%): $(BUILD)/%: %.c $(BUILD)/csim/libloom.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ $(filter %.c %.a,$^) \
	  $(call pkg_libs,cmocka) -lm

$(UNIT_SCHED:%=$(BUILD)/san/tb/unit/%): $(BUILD)/san/%: %.c $(BUILD)/san/csim/libloom.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ \
	  $(filter %.c %.a,$^) $(call pkg_libs,cmocka) -lm

-include $(UNIT_SCHED:%=$(BUILD)/tb/unit/%.d) $(UNIT_SCHED:%=$(BUILD)/san/tb/unit/%.d)
