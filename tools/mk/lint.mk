# SPDX-License-Identifier: Apache-2.0

# Verilog and C without a warning, by tools/lint, one target a tool.

LINT_TOOLS := verilator iverilog yosys gcc clang cxx cppcheck tidy format
LINTS += $(addprefix lint-,$(LINT_TOOLS))
.PHONY: $(LINTS)

$(addprefix lint-,$(LINT_TOOLS)): lint-%:
	@tools/lint $*

TESTS += lint-test
.PHONY: lint-test
lint-test:
	@tools/lint_test
