# SPDX-License-Identifier: Apache-2.0

# Faults planted in circuits, and who finds them: tb/mutate/mutate, docs/mutation.md.

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
