# SPDX-License-Identifier: Apache-2.0
"""The designs that synth/designs.list lists, the sources that each reads, and where figures are kept.

A line is `NAME MODULE FLOWS [NAME=value...] [modular] [narrow] [limit...]`:
    FLOWS    letters: x xc7, e ecp5 (placed and routed), a asic, g generic, i ice40; a capital letter: takes
             long, so only when the design is named
    modular  each module is mapped once: a switch
    narrow   xc7 without MUXF7 and MUXF8
    limit    FLOW.FIGURE<=number or FLOW.FIGURE>=number
"""

import functools
import hashlib
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
from circuits import Circuits  # noqa: E402

LIST = Path("synth/designs.list")
ACCEPTED = Path("synth/accepted.json")
BUILD = Path("build/synth")
FLOWS = {"x": "xc7", "e": "ecp5", "a": "asic", "g": "generic", "i": "ice40"}
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


@functools.lru_cache(maxsize=None)
def circuits():
    return Circuits(Path("rtl"), *sorted(Path("examples/fpga").glob("loom_*.v")))


@functools.lru_cache(maxsize=None)
def preprocessed(module):
    """The module's file as synthesis reads it: macros replaced, no comments, single blanks."""
    text = subprocess.run(["iverilog", "-g2005", "-E", "-o", "/dev/stdout", "-Irtl/include",
                           str(circuits().path[module])], stdout=subprocess.PIPE, text=True, check=True).stdout
    text = COMMENT.sub(lambda m: m[1] or " ", text)
    return " ".join(re.sub(r"^`line .*$", "", text, flags=re.M).split())


@functools.lru_cache(maxsize=None)
def closure(module):
    """The module and all that stand inside it, by name."""
    return tuple(sorted(circuits().inside(module)))


class Design:
    """One line of designs.list."""

    def __init__(self, line):
        self.name, self.module, letters, *rest = line.split()
        self.flows = [FLOWS[letter.lower()] for letter in letters]
        self.long = [FLOWS[letter.lower()] for letter in letters if letter.isupper()]
        self.modular, self.narrow = "modular" in rest, "narrow" in rest
        self.limits = [w for w in rest if "<=" in w or ">=" in w]
        self.words = [w for w in rest if w not in self.limits and "=" in w]
        self.params = dict(w.split("=") for w in self.words)
        self.out = BUILD / self.name
        self.lock, self.harnessed = threading.Lock(), None

    def default(self, parameter):
        """What the module's source gives the parameter."""
        return re.search(rf"\bparameter integer {parameter} = (\d+)", preprocessed(self.module))[1]

    def files(self):
        return " ".join(str(circuits().path[name]) for name in closure(self.module))

    def hash(self, flow):
        """Of everything that the circuit is made of: sources and parameters, and how this flow maps it."""
        how = ["narrow"] if self.narrow and flow == "xc7" else []
        text = "\n".join([preprocessed(name) for name in closure(self.module)] + self.words + how)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def read(self):
        """The commands of Yosys that read the design; its top is then called `measured`."""
        # Yosys 0.23 trips over its own names with -defer or hierarchy -chparam.
        sets = " ".join(f"-set {k} {v}" for k, v in self.params.items())
        chparam = f"chparam {sets} {self.module}; " if sets else ""
        return (f"read_verilog -Irtl/include {self.files()}; {chparam}"
                f"hierarchy -check -top {self.module}; rename -top measured; ")

    def harness(self):
        """Writes a top with four pins: shift registers feed every input and carry every output away.

        Returns the number of output bits. Several flows may ask at the same time.
        """
        with self.lock:
            if self.harnessed is None:
                self.harnessed = self.write_harness()
            return self.harnessed

    def write_harness(self):
        out = self.out
        run(["yosys", "-Q", "-p", self.read() + f"proc; write_json {out}/ports.json"], out / "ports.log")
        top = json.loads((out / "ports.json").read_text())["modules"]["measured"]
        ports = {name: (port["direction"], len(port["bits"])) for name, port in top["ports"].items()
                 if name != "clk_i"}
        ins = [name for name, (way, _) in ports.items() if way == "input"]
        outs = [name for name, (way, _) in ports.items() if way == "output"]
        width = sum(ports[name][1] for name in outs)
        lines = [f"  {'reg' if way == 'input' else 'wire'} [{bits - 1}:0] {name};"
                 for name, (way, bits) in ports.items()]
        lines += [f"  reg [{ports[name][1] - 1}:0] {name}_pin;" for name in outs]
        params = ", ".join(f".{k}({v})" for k, v in self.params.items())
        pins = ", ".join(f".{name}({name})" for name in ports)
        (out / "harness.v").write_text("\n".join([
            "module harness(input clk, input in, input load, output reg out_pin);", *lines,
            f"  reg [{width}:0] shift_q;",
            f"  {self.module} {f'#({params}) ' if params else ''}u_dut (.clk_i(clk), {pins});",
            "  always @(posedge clk) begin",
            f"    {{{', '.join(ins)}}} <= {{{', '.join([*ins, 'in'])}}};",
            *[f"    {name}_pin <= {name};" for name in outs],
            f"    shift_q <= load ? {{{', '.join(name + '_pin' for name in outs)}}} : shift_q >> 1;",
            "    out_pin <= shift_q[0];", "  end", "endmodule", ""]))
        return width

    def kept(self, flow, tools, measure):
        """What `measure` returns, or what it returned for the same sources, parameters and tools."""
        key = hashlib.sha256("\n".join([self.hash(flow), tools]).encode()).hexdigest()[:24]
        file = BUILD / "kept" / f"{self.name}-{flow}-{key}.json"
        if not file.exists():
            self.out.mkdir(parents=True, exist_ok=True)
            figures = measure(self)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(figures) + "\n")
        return json.loads(file.read_text())

    def broken(self, flow, figures):
        """The limits that the figures of a flow break, in words."""
        for of, figure, sign, bound in limits(self.limits):
            if of == flow:
                value = figures[figure]
                if value > float(bound) if sign == "<=" else value < float(bound):
                    yield f"{figure} {value}, limit {sign} {bound}"


def limits(words):
    """The parts of each FLOW.FIGURE<=number or FLOW.FIGURE>=number."""
    return [re.fullmatch(r"(\w+)\.(\w+)([<>]=)([\d.]+)", word).groups() for word in words]


def listed():
    lines = LIST.read_text().splitlines()
    return [Design(text) for text in (line.split("#")[0].strip() for line in lines) if text]


def recorded():
    """The accepted figures by design and flow, without those that are still to be measured."""
    found = json.loads(ACCEPTED.read_text())
    return {name: {flow: figures for flow, figures in own.items() if figures} for name, own in found.items()}
