# SPDX-License-Identifier: Apache-2.0

# Recorded vectors in Icarus, on the circuits and on their netlists (docs/cosim.md).

REPLAY := tb/replay/replay

# What recording needs: the lock-step bench with the circuits of DUT and CONFIG, or with all.
RECORD_CIRCUITS = $(if $(DUT),$(filter $(BUILD)/rtl/$(DUT)-$(or $(CONFIG),%)/shim.so, \
  $(COSIM_SHIMS)),$(COSIM_SHIMS))

.PHONY: sim-replay replay-build
sim-replay:
	@+$(MAKE) --no-print-directory $(PARALLEL) replay-build
	@$(REPLAY) $(filter-out --waves,$(SIM_ARGS))
replay-build: $(COSIM) $(RECORD_CIRCUITS)

TESTS += test-replay test-replay-netlist
.PHONY: test-replay test-replay-netlist
test-replay: cosim-build
	@$(REPLAY) --test
test-replay-netlist: cosim-build
	@$(REPLAY) --test-netlist

# The contracts in the circuits can fail.
TESTS += test-contracts
.PHONY: test-contracts
test-contracts: cosim-build
	@tb/replay/contracts
