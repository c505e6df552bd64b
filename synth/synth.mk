# SPDX-License-Identifier: Apache-2.0

# Area, levels and clock of the circuits: docs/area.md. D=names: only those of synth/designs.list.

.PHONY: synth-run synth-accept pnr-run
synth-run:
	@synth/synth $(D)$(if $(D),, && synth/area.py --check)

# Take today's figures as the ones to hold, and write them into docs/area.md.
synth-accept:
	@synth/synth --accept $(D) && synth/area.py

pnr-run:
	@synth/pnr $(D)
