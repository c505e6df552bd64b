# SPDX-License-Identifier: Apache-2.0

# Faults planted in circuits and in C, and who finds them: tb/mutate/mutate, tb/mutate/mutate_c, docs/mutation.md.

TESTS += mutate-self-test
.PHONY: mutate mutate-self-test
mutate:
	@tools/bootstrap prove
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory cosim-build
	@tb/mutate/mutate $(addprefix --seed ,$(SEED)) $(D)
	@tb/mutate/mutate --table
mutate-self-test: cosim-build
	@tb/mutate/mutate --self-test

# In C. The tests as they are; the library is compiled anew, with all faults.
MUTATE_C_TESTS := $(addprefix $(BUILD)/,$(call unit_programs,fifo) $(call unit_programs,delay) \
  $(call unit_programs,dtable) $(call unit_programs,bits))
TESTS += mutate-c-sample
.PHONY: mutate-c mutate-c-programs mutate-c-sample
mutate-c:
	@tools/bootstrap test
	@+$(MAKE) --no-print-directory $(PARALLEL) cosim-build mutate-c-programs $(BUILD)/loom
	@tb/mutate/mutate_c build $(addprefix --seed ,$(SEED))
	@tb/mutate/mutate_c run >/dev/null || :
	@tb/mutate/mutate_c leaks
mutate-c-programs: $(addprefix $(BUILD)/,$(call unit_programs,$(UNIT)))
mutate-c-sample: $(MUTATE_C_TESTS)
	@tb/mutate/mutate_c self-test
	@tb/mutate/mutate_c sample
