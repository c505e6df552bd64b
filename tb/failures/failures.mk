# SPDX-License-Identifier: Apache-2.0

# The command while calls to the system fail (docs/failures.md). `make failures` tries all of them, SEED=n others.

FAILURES := tb/failures/failures $(BUILD)/loom $(BUILD)/tb/failures/shim.so --seed $(or $(SEED),1)
FAILURES_BUILT := $(BUILD)/loom $(BUILD)/tb/failures/shim.so $(BUILD)/tb/failures/sloppy

TESTS += test-failures test-failures-self-test
.PHONY: test-failures test-failures-self-test failures

test-failures: $(FAILURES_BUILT)
	@$(FAILURES)
test-failures-self-test: $(FAILURES_BUILT)
	@$(FAILURES) --self-test $(BUILD)/tb/failures/sloppy
failures: $(FAILURES_BUILT)
	@$(FAILURES) --all

$(BUILD)/tb/failures/shim.so: tb/failures/shim.c
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $< -ldl
$(BUILD)/tb/failures/sloppy: tb/failures/sloppy.c
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $<
