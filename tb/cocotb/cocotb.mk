# SPDX-License-Identifier: Apache-2.0

# A switch with AXI ends under cocotb and cocotbext-axi, which come from PyPI: docs/axi.md.
# SIM=verilator|icarus PACKETS=n SEED=n

.PHONY: cocotb
cocotb:
	@tools/bootstrap cocotb
	@tb/cocotb/axi --sim $(or $(SIM),verilator) --packets $(or $(PACKETS),10000) $(addprefix --seed ,$(SEED))

# What PyPI is not needed for: the example elaborates without a warning, and is refused with a parameter out of range.
AXI_SWITCH := verilator --lint-only $(VFLAGS) --top-module loom_axi_switch examples/fpga/loom_axi_switch.v

TESTS += test-axi-switch
.PHONY: test-axi-switch
test-axi-switch:
	@$(AXI_SWITCH)
	@echo 'PASS axi-switch'
	@! $(AXI_SWITCH) -GPORTS=1 >/dev/null 2>&1
	@echo 'PASS axi-switch-refused'
