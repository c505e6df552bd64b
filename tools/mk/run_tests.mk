# SPDX-License-Identifier: Apache-2.0

# Under tools/run_tests the recipes of tests run through tools/check_sh, which keeps their output and status.

ifdef LOOM_RUN_TESTS
$(LINTS) $(TESTS): private SHELL := tools/check_sh
$(LINTS) $(TESTS): private export LOOM_CHECK = $@
endif
