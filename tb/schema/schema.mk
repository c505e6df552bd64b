# SPDX-License-Identifier: Apache-2.0

# The JSON Schemas of `loom schema`: they take our files, and refuse what the readers refuse (docs/formats.md).
TESTS += test-schema
.PHONY: test-schema
test-schema: $(BUILD)/loom
	@tb/schema/schema $(BUILD)/loom
