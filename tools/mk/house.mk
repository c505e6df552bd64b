# SPDX-License-Identifier: Apache-2.0

# The rules of docs/house.md that a program can check, and that this program can tell.

TESTS += house house-self-test switch-parameters
.PHONY: house house-self-test switch-parameters

house:
	@tools/house

house-self-test:
	@tools/house --self-test

# The command lines of the pages run as they are printed.
TESTS += command-lines command-lines-self-test
.PHONY: command-lines command-lines-self-test
command-lines: $(BUILD)/loom
	@BUILD=$(BUILD) tools/command_lines

command-lines-self-test: $(BUILD)/loom
	@BUILD=$(BUILD) tools/command_lines --self-test

# The tutorial, followed to the letter in a copy of the clone.
TESTS += tutorial-test tutorial-self-test
.PHONY: tutorial-test tutorial-self-test
tutorial-test: $(COSIM) $(LIBLOOM) $(LOOM_CLI_LIB)
	@BUILD=$(BUILD) tools/tutorial_test
tutorial-self-test:
	@tools/tutorial_test --self-test

# Pages of loom report, opened in Chromium.
TESTS += test-report test-report-self-test
.PHONY: test-report test-report-self-test
test-report: $(BUILD)/loom
	@BUILD=$(BUILD) tools/report_test
test-report-self-test: $(BUILD)/loom
	@BUILD=$(BUILD) tools/report_test --self-test

TESTS += bootstrap-test
.PHONY: bootstrap-test
bootstrap-test:
	@tools/bootstrap_test

TESTS += run-tests-test
.PHONY: run-tests-test
run-tests-test:
	@tools/run_tests_test

# What is derived and kept beside its source is what the source says.
switch-parameters:
	@tools/switch_parameters --check

# The timing diagrams of the pages are what a recording of the bench says; `make waves` draws them anew.
TESTS += test-waves test-waves-self-test
.PHONY: test-waves test-waves-self-test waves
test-waves: $(COSIM)
	@tools/waves --check
test-waves-self-test: $(COSIM)
	@tools/waves --self-test
waves: $(COSIM)
	@tools/waves

# FuseSoC, from PyPI, runs the targets of the cores of rtl/: D=names, by default lint of all, sim and synth of some.
.PHONY: fusesoc fusesoc-run
fusesoc:
	@tools/bootstrap fusesoc
	@+$(MAKE) --no-print-directory $(PARALLEL) fusesoc-run
fusesoc-run: $(COSIM) $(foreach d,$(or $(D),crossbar_switch),$(firstword \
  $(filter $(BUILD)/rtl/$(d)-tiny/% $(BUILD)/rtl/$(d)-small/%,$(COSIM_SHIMS)) \
  $(filter $(BUILD)/rtl/$(d)-%,$(COSIM_SHIMS))))
	@tools/fusesoc_test $(D)
