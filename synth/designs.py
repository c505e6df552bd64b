# SPDX-License-Identifier: Apache-2.0
"""What synth/designs.list lists: designs, the sources that each reads, and what was measured of them.

A line is `NAME MODULE FLOWS [NAME=value...] [limit...]`; synth/synth and synth/pnr say which letters
of FLOWS are theirs. `long` among the words: measured only when it is named.
    limit   FIGURE<=number or FIGURE>=number
"""

import functools
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

LIST = Path("synth/designs.list")
BUILD = Path("build/synth")
COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.S)


class Failed(Exception):
    """What is wrong with a design, in a few words."""


def run(words, log, **options):
    """Runs a command, keeps what it says in the file and returns it."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(done.stdout)
    if done.returncode:
        why = re.findall(r"ERROR: .*", done.stdout) or [f"no message, see {log}"]
        raise Failed(f"{words[0]}: {why[-1]}")
    return done.stdout


def sources():
    return {path.stem: path for path in sorted(Path("rtl").glob("*/loom_*.v"))}


@functools.lru_cache(maxsize=None)
def preprocessed(module):
    """The module's file as synthesis reads it: macros replaced, no comments, single blanks."""
    text = subprocess.run(["iverilog", "-g2005", "-E", "-o", "/dev/stdout", "-Irtl/include",
                           str(sources()[module])], stdout=subprocess.PIPE, text=True, check=True).stdout
    text = COMMENT.sub(lambda m: m[1] or " ", text)
    return " ".join(re.sub(r"^`line .*$", "", text, flags=re.M).split())


@functools.lru_cache(maxsize=None)
def closure(module):
    """The module and all that stand inside it, by name."""
    found, left = set(), [module]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += set(re.findall(r"\bloom_\w+", preprocessed(name))) & sources().keys()
    return tuple(sorted(found))


class Design:
    """One line of designs.list."""

    def __init__(self, line):
        self.name, self.module, self.flows, *rest = line.split()
        self.long = "long" in rest
        self.limits = [w for w in rest if "<=" in w or ">=" in w]
        self.words = [w for w in rest if w not in self.limits and "=" in w]
        self.params = dict(w.split("=") for w in self.words)
        self.out = BUILD / self.name

    def files(self):
        return " ".join(str(sources()[name]) for name in closure(self.module))

    def hash(self):
        """Of everything that the circuit is made of: sources and parameters."""
        text = "\n".join([preprocessed(name) for name in closure(self.module)] + self.words)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def read(self):
        """The commands of Yosys that read the design; its top is then called `measured`."""
        # Yosys 0.23 trips over its own names with -defer or hierarchy -chparam.
        sets = " ".join(f"-set {k} {v}" for k, v in self.params.items())
        chparam = f"chparam {sets} {self.module}; " if sets else ""
        return (f"read_verilog -Irtl/include {self.files()}; {chparam}"
                f"hierarchy -check -top {self.module}; rename -top measured; ")

    def kept(self, flow, tools, measure):
        """What `measure` returns, or what it returned for the same sources, parameters and tools."""
        key = hashlib.sha256("\n".join([self.hash(), flow, *tools]).encode()).hexdigest()[:24]
        file = BUILD / "kept" / f"{self.name}-{flow}-{key}.json"
        if not file.exists():
            figures = measure()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(figures) + "\n")
        return json.loads(file.read_text())

    def broken(self, figures):
        """The limits that the figures break, in words. A limit of what was not measured is none."""
        for limit in self.limits:
            figure, sign, bound = re.fullmatch(r"(\w+)([<>]=)([\d.]+)", limit).groups()
            value = figures.get(figure)
            if value is not None and (value > float(bound) if sign == "<=" else value < float(bound)):
                yield f"{figure} {value}, limit {sign} {bound}"


def listed():
    lines = LIST.read_text().splitlines()
    return [Design(text) for text in (line.split("#")[0].strip() for line in lines) if text]


def chosen(command, names, letters):
    """The designs that are named, else those whose flows hold one of the letters, but not the long ones."""
    known = listed()
    wrong = sorted(set(names) - {d.name for d in known})
    if wrong:
        print(f"{command}: {LIST} has no design {', '.join(wrong)}", file=sys.stderr)
        sys.exit(2)
    return [d for d in known
            if (d.name in names if names else set(d.flows) & set(letters) and not d.long)]
