# SPDX-License-Identifier: Apache-2.0

# The real OpenSM on ibsim (docs/route.md). Apart from the others, so that it is easy to run alone.
TESTS += test-opensm test-opensm-plants
.PHONY: test-opensm test-opensm-plants

test-opensm: $(BUILD)/loom
	@tb/peer/opensm $(BUILD)/loom

# Each mistake that is planted must make a check fail.
test-opensm-plants: $(BUILD)/loom
	@tb/peer/opensm --self-test $(BUILD)/loom

# `loom ibsim` under the same tools, beside ibsim (docs/ibsim.md).
TESTS += test-ibsim
.PHONY: test-ibsim
test-ibsim: $(BUILD)/loom
	@tb/peer/ibsim $(BUILD)/loom
	@tb/peer/ibsim --self-test $(BUILD)/loom
