# SPDX-License-Identifier: Apache-2.0

# Area, depth and clock of every part and scheduler: synth/synth, docs/area.md.

.PHONY: synth-run synth-accept
synth-run:
	@synth/synth && synth/area.py --check

# Take today's figures as the ones to hold, and write them into docs/area.md.
synth-accept:
	@synth/synth --accept && synth/area.py
