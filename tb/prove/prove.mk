# SPDX-License-Identifier: Apache-2.0

# Proofs that twins and circuits are equal: tb/prove/prove, docs/proof.md.

TESTS += prove-run prove-self-test prove-test
.PHONY: prove-run prove-long prove-long-run prove-self-test prove-test prove
prove:
	@tools/bootstrap prove
	@+$(MAKE) --no-print-directory prove-run
prove-run:
	@tb/prove/prove test
prove-long:
	@tools/bootstrap prove
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory prove-long-run
prove-long-run: $(COSIM) $(CIRCUIT_NEEDS)
	@tb/prove/prove test long
	@tb/prove/prove --self-test long
# The lock-step bench plays what is found.
prove-self-test: $(COSIM) $(CIRCUIT_NEEDS)
	@tb/prove/prove --self-test
prove-test:
	@tb/prove/translate_test
