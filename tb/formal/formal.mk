# SPDX-License-Identifier: Apache-2.0

# Proofs of the circuits: tb/formal/formal, docs/formal.md.

TESTS += formal-run formal-self-test
.PHONY: formal-run formal-self-test formal-all
formal-run:
	@tb/formal/formal --short

formal-self-test:
	@tb/formal/formal --self-test --short

# With what takes too long for `make test`.
formal-all:
	@tb/formal/formal
	@tb/formal/formal --self-test
