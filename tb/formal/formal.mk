# SPDX-License-Identifier: Apache-2.0

# Proofs of the circuits: tb/formal/formal, docs/formal.md.

TESTS += formal-run formal-self-test
.PHONY: formal-run formal-self-test
formal-run:
	@tb/formal/formal

formal-self-test:
	@tb/formal/formal --self-test
