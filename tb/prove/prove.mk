# SPDX-License-Identifier: Apache-2.0

# Proofs that twins and circuits are equal: tb/prove/prove, docs/proof.md.

TESTS += prove-run prove-self-test prove-test
.PHONY: prove-run prove-long prove-self-test prove-test prove
prove:
	@tools/bootstrap prove
	@+$(MAKE) --no-print-directory prove-run
prove-run:
	@tb/prove/prove test
prove-long:
	@tools/bootstrap prove
	@tb/prove/prove test long
	@tb/prove/prove --self-test long
prove-self-test:
	@tb/prove/prove --self-test
prove-test:
	@tb/prove/translate_test
