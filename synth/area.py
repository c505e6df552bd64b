#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/area.md from accepted.json, designs.list and peers.json of synth/.

    synth/area.py [--check]      --check only compares: status 1 if the page says something else
"""

import json
import re
import sys
import textwrap
from pathlib import Path

PAGE = Path("docs/area.md")
HEAD = ("LUT4 / depth", "LUT6 / depth", "FF", "xc7 LUT", "xc7 FF", "RAMB", "LUTRAM",
        "SB_LUT4", "SB_RAM40", "hx8k MHz")
FIGURES = ("lut4/depth4", "lut6/depth6", "ff", "xc7", "xc7ff", "xc7ram", "xc7lutram",
           "ice", "ice_ram", "mhz")
SWITCH_HEAD = ("xc7 LUT", "FF", "RAMB", "LUTRAM", "ECP5 LUT4", "FF", "DP16KD", "DPR16X4", "depth")
SWITCH_FIGURES = ("xc7", "xc7ff", "xc7ram", "xc7lutram", "ecp5", "ecp5ff", "ecp5ram", "ecp5lutram",
                  "xc7depth")


def cell(figures, name):
    parts = [str(figures.get(part, "")) for part in name.split("/")]
    return " / ".join(parts) if all(parts) else ""


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]


def listed(name, words):
    """An item `- name: word, word, ...` in lines of at most 120 columns."""
    return textwrap.wrap(f"- {name}: {', '.join(words)}", 120, subsequent_indent="  ",
                         break_long_words=False, break_on_hyphens=False)


def parameters(words):
    return [w for w in words[3:] if re.fullmatch(r"[A-Z]\w*=\w+", w)]


def arbiters(accepted, peers):
    rows = []
    for n in (8, 16, 32, 64):
        own = accepted[f"rr_arbiter_{n}"]
        rows.append((n, "**loom_rr_arbiter**", cell(own, "lut4/depth4"), cell(own, "lut6/depth6"),
                     own["ff"], own["xc7"], own["mhz"]))
        rows += [(n, p["design"], p["lut4"], p["lut6"], p["ff"], p["xc7"], p["mhz"])
                 for p in peers if p["n"] == n]
    return table(("requests", "design", *HEAD[:4], HEAD[-1]), rows)


def designs(accepted):
    rows, notes = [], []
    for line in Path("synth/designs.list").read_text().splitlines():
        words = line.split("#")[0].split()
        if words and words[0] in accepted and "e" not in words[2]:
            rows.append((words[0], *(cell(accepted[words[0]], f) for f in FIGURES)))
            notes += listed(words[0], [f"`{words[1]}`", *parameters(words)])
    return table(("circuit", *HEAD), rows) + ["", *notes]


def switches(accepted):
    rows, notes = [], []
    for line in Path("synth/designs.list").read_text().splitlines():
        words = line.split("#")[0].split()
        if words and words[0] in accepted and "e" in words[2]:
            own = accepted[words[0]]
            rows.append((words[0], *(cell(own, f) for f in SWITCH_FIGURES)))
            notes += listed(words[0], [f"`{words[1]}`", *parameters(words)])
            notes += ["", "  Nets on the longest path:", "", "  ```"]
            notes += [f"  {net}" for net in own["xc7path"].split(" > ")] + ["  ```", ""]
    return table(("circuit", *SWITCH_HEAD), rows) + ["", *notes[:-1]]


def main():
    accepted = json.loads(Path("synth/accepted.json").read_text())
    peers = json.loads(Path("synth/peers.json").read_text())
    old = PAGE.read_text()
    new = old
    for mark, lines in (("arbiters", arbiters(accepted, peers)), ("designs", designs(accepted)),
                        ("switches", switches(accepted))):
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
