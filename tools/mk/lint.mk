# Verilog and C without a warning. Filled by tools/lint, one target a tool.

LINT_TOOLS := verilator iverilog yosys gcc clang cppcheck tidy format
LINTS += $(addprefix lint-,$(LINT_TOOLS))
.PHONY: $(LINTS)

$(addprefix lint-,$(LINT_TOOLS)): lint-%:
	@tools/lint $*
