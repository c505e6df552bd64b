# SPDX-License-Identifier: Apache-2.0

# Area, levels and clock of the circuits: docs/area.md. D=names: only those of synth/designs.list.

TESTS += synth-check synth-check-self-test
.PHONY: synth-check synth-check-self-test synth-run synth-accept pnr-run harness

# That what is recorded is of today's circuits; measures a few.
synth-check:
	@synth/check

synth-check-self-test:
	@synth/check --self-test

synth-run:
	@synth/synth $(D)

pnr-run:
	@synth/synth --flow=ecp5 $(D)

# Measure what changed (or D), take it as what is to hold, and write it into docs/area.md.
synth-accept:
	@tools/bootstrap synth
	@synth/synth --accept $(D) && synth/area.py

# What the scripts of synth/vendor read.
harness:
	@synth/harness $(D)
