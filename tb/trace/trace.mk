# SPDX-License-Identifier: Apache-2.0

# Traces of `loom run --perfetto`, read by another library than ours (docs/trace.md).
TESTS += test-trace
.PHONY: test-trace
test-trace: $(BUILD)/loom
	@tb/trace/trace $(BUILD)/loom
