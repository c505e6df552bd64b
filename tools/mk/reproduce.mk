# SPDX-License-Identifier: Apache-2.0

# Figures of the papers (docs/reproduction.md). `make reproduce` [SWEEPS=names] [JOBS=n] takes six hours of CPU time;
# what is there is kept. `make test` has the shares of InfiniBand's tables on small trees (IB-13).
TESTS += test-ib13
.PHONY: test-ib13 reproduce

test-ib13: $(BUILD)/loom
	@rm -rf $(BUILD)/reproduce/ib13-a-short $(BUILD)/reproduce/ib13-b-short
	@BUILD=$(BUILD) tools/reproduce ib13 ib13-a-short ib13-b-short

reproduce:
	@tools/bootstrap loom
	@+$(MAKE) --no-print-directory $(PARALLEL) $(BUILD)/loom
	@BUILD=$(BUILD) $(if $(JOBS),JOBS=$(JOBS)) tools/reproduce run $(SWEEPS)
	@BUILD=$(BUILD) tools/reproduce tables $(SWEEPS)
