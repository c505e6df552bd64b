#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/area.md from accepted.json, designs.list, goals.list and peers.json of synth/.

    synth/area.py [--check]      --check only compares: status 1 if the page says something else
"""

import json
import re
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
from designs import Failed, limits, listed, recorded  # noqa: E402

PAGE = Path("docs/area.md")
GOALS = Path("synth/goals.list")
# What stands in a row of a table of designs: the heads, and flow and figure of each.
COLUMNS = (("xc7 LUT", "xc7.lut"), ("in RAM", "xc7.lutram"), ("FF", "xc7.ff"), ("RAMB36", "xc7.ram"),
           ("levels", "xc7.levels"), ("ECP5 cells", "ecp5.cells"), ("DP16KD", "ecp5.ram"), ("MHz", "ecp5.mhz"),
           ("gates", "asic.gates"), ("ASIC FF", "asic.ff"), ("ps", "asic.ps"))
# What a circuit grows with, and the designs that differ in this alone.
GROWTH = (
    ("requests of an arbiter", "N", ("rr_arbiter_8", "rr_arbiter_16", "rr_arbiter_32", "rr_arbiter_64")),
    ("lanes of a credit tracker", "VLS", ("tracker_4", "credit_tracker_8", "tracker_16", "tracker_32")),
    ("entries of a deficit table", "ENTRIES", ("dtable_16", "dtable_32", "dtable_64", "sched_dtable")),
    ("ports of an InfiniBand switch", "PORTS", ("ib_switch_4", "ib_switch_8", "ib_switch_16", "ib_switch_36")),
)
# LUTs and block RAMs of 36 kbit (of 18 kbit: Lattice) of real parts, smallest first, from their data sheets.
XILINX = (("XC7A35T", 20800, 50), ("XC7A50T", 32600, 75), ("XC7A75T", 47200, 105), ("XC7A100T", 63400, 135),
          ("XC7A200T", 134600, 365), ("XC7K325T", 203800, 445), ("XC7K410T", 254200, 795),
          ("XC7K480T", 298600, 955), ("XC7VX690T", 433200, 1470), ("XC7VX980T", 612000, 1500),
          ("XC7V2000T", 1221600, 1292))
FULL = 0.8          # how much of its LUTs a part can give to a circuit that must still be routed


def cell(own, name):
    flow, figure = name.split(".")
    value = own.get(flow, {}).get(figure, "")
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]


def wrapped(text):
    """An item of a list in lines of at most 120 columns."""
    return textwrap.wrap(f"- {text}", 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def filled(columns, accepted, designs):
    """The rows of the designs, and of the columns those that have a figure in one of them."""
    columns = [c for c in columns if any(cell(accepted[d.name], c[1]) for d in designs)]
    rows = [(d.name, *(cell(accepted[d.name], name) for _, name in columns)) for d in designs]
    return table(("circuit", *(head for head, _ in columns)), rows)


def measured(accepted, modular):
    return [d for d in listed() if d.modular == modular and accepted.get(d.name)]


def arbiters(accepted, peers):
    rows = []
    for n in (8, 16, 32, 64):
        own = accepted[f"rr_arbiter_{n}"]
        generic = own["generic"]
        rows.append((n, "**loom_rr_arbiter**", f"{generic['lut4']} / {generic['depth4']}",
                     f"{generic['lut6']} / {generic['depth6']}", generic["ff"], own["xc7"]["lut"],
                     own["ice40"]["mhz"]))
        rows += [(n, p["design"], p["lut4"], p["lut6"], p["ff"], p["xc7"], p["mhz"])
                 for p in peers if p["n"] == n]
    return table(("requests", "design", "LUT4 / depth", "LUT6 / depth", "FF", "xc7 LUT", "hx8k MHz"), rows)


def parameters(designs):
    return [line for d in designs for line in wrapped(f"{d.name}: {', '.join([f'`{d.module}`', *d.words] + ['narrow'] * d.narrow)}")]


def parts(accepted):
    designs = measured(accepted, False)
    return filled(COLUMNS, accepted, designs) + ["", *parameters(designs)]


def switches(accepted):
    designs = measured(accepted, True)
    return filled(COLUMNS, accepted, designs) + ["", *parameters(designs)]


def paths(accepted):
    """The signals along the longest path of each switch."""
    lines = []
    for design in measured(accepted, True):
        if "xc7" not in accepted[design.name]:
            continue
        lines += ["", f"{design.name}:", "", "```", *accepted[design.name]["xc7"]["path"], "```"]
    return lines[1:]


def modules(accepted):
    """The share of each module's own cells, in percent of LUTs / percent of flops, at the largest size measured."""
    largest = {d.module: d for d in measured(accepted, True) if "xc7" in accepted[d.name]}  # of a circuit the last one
    designs = list(largest.values())
    share = {}
    for design in designs:
        own = accepted[design.name]["xc7"]
        for module, (lut, ff) in own["modules"].items():
            share.setdefault(module, {})[design.name] = (100 * lut / own["lut"], 100 * ff / own["ff"])
    names = sorted(share, key=lambda m: -sum(lut for lut, _ in share[m].values()))
    rows = [(f"`{m}`", *(f"{share[m][d.name][0]:.1f} / {share[m][d.name][1]:.1f}" if d.name in share[m] else ""
                         for d in designs))
            for m in names if max(max(pair) for pair in share[m].values()) >= 1]
    return table(("module", *(d.name for d in designs)), rows)


def growth(accepted):
    known = {d.name: d for d in listed()}
    rows = []
    for what, parameter, names in GROWTH:
        for name in names:
            if name in known and "xc7" in accepted.get(name, {}):
                rows.append((what, known[name].params.get(parameter, known[name].default(parameter)),
                             *(cell(accepted[name], c) for c in ("xc7.lut", "xc7.ff", "xc7.ram", "xc7.levels"))))
    return table(("what grows", "to", "xc7 LUT", "FF", "RAMB36", "levels"), rows)


def goals(accepted):
    """What each design should reach, and what it does."""
    known, heads, rows = {d.name: d for d in listed()}, {name: head for head, name in COLUMNS}, []
    for name, *words in (line.split() for line in GOALS.read_text().splitlines() if line[0] != "#"):
        if name not in known:
            raise Failed(f"{GOALS}: no design {name}")
        for flow, figure, sign, bound in limits(words):
            head, value = heads.get(f"{flow}.{figure}"), accepted.get(name, {}).get(flow, {}).get(figure)
            if not head or flow not in known[name].flows:
                raise Failed(f"{GOALS}: {name} has no {flow}.{figure}")
            good = value is not None and (value <= float(bound) if sign == "<=" else value >= float(bound))
            rows.append((name, head, f"{'at most' if sign == '<=' else 'at least'} {bound}",
                         "not measured" if value is None else f"{value:g}" if isinstance(value, float) else value,
                         "yes" if good else "" if value is None else "**no**"))
    return table(("circuit", "figure", "goal", "measured", "reached"), rows)


def fits(accepted):
    rows = []
    for design in measured(accepted, True):
        own = accepted[design.name].get("xc7")
        if own:
            part = next((name for name, lut, ram in XILINX if own["lut"] <= FULL * lut and own["ram"] <= ram), None)
            rows.append((design.name, own["lut"], f"{own['ram']:g}", part or "none of the 7 series"))
    return table(("circuit", "xc7 LUT", "RAMB36", "smallest part"), rows)


def main():
    accepted = recorded()
    peers = json.loads(Path("synth/peers.json").read_text())
    old = PAGE.read_text()
    new = old
    try:
        wanted = goals(accepted)
    except Failed as error:
        print(f"FAIL synth/area-page ({error})")
        return 1
    for mark, lines in (("goals", wanted), ("arbiters", arbiters(accepted, peers)), ("parts", parts(accepted)),
                        ("growth", growth(accepted)), ("switches", switches(accepted)),
                        ("modules", modules(accepted)), ("paths", paths(accepted)), ("fits", fits(accepted))):
        new, found = re.subn(rf"(<!-- {mark} -->\n).*?(<!-- end -->)",
                             lambda m, t=lines: m[1] + "\n".join(t) + "\n" + m[2], new,
                             count=1, flags=re.S)
        if not found:
            print(f"FAIL synth/area-page (no place for the table `{mark}`)")
            return 1
    if "--check" in sys.argv:
        print("PASS synth/area-page (docs/area.md shows synth/accepted.json)" if new == old else
              "FAIL synth/area-page (docs/area.md is not what synth/area.py writes)")
        return int(new != old)
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
