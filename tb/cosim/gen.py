#!/usr/bin/env python3
"""Derive from csim/D/N.def and tb/cosim/configs.list what the benches are built from.

    gen.py duts LIST FILE       C: the table of devices
    gen.py configs LIST FOLDER  params.h, verilator.f, probes.vlt into FOLDER/<dut>-<config>/
    gen.py ports LIST DUT CONFIG
                                the ports with their widths, one a line: dir name lanes bits

Exit status: 0 done, 2 bad input (one line with file, line and key).
"""

import re
import subprocess
import sys
from pathlib import Path

MACROS = {
    "LOOM_PARAM": "param", "LOOM_IN": "in", "LOOM_OUT": "out", "LOOM_PROBE": "probe",
    "LOOM_IN_ARRAY": "in_array", "LOOM_OUT_ARRAY": "out_array",
}
INCLUDE = re.compile(r'#include "([^"]+)"\s*\Z')
NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
PARAM = re.compile(r"([A-Z][A-Z0-9_]*)=(0|[1-9][0-9]*)\Z")


class Bad(Exception):
    """An input that is refused; its text is the line for stderr."""


def clog2(n):
    return (n - 1).bit_length() if n > 1 else 0


def split_args(text):
    """The arguments of a macro call: split at commas outside parentheses."""
    args, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            args.append(text[start:i].strip())
            start = i + 1
    return args + [text[start:].strip()]


class Def:
    """The one list of a device, with widths worked out for given parameters."""

    def __init__(self, dut):
        found = sorted(Path("csim").glob(f"*/{dut}.def"))
        if len(found) != 1:
            raise Bad(f"csim/*/{dut}.def: {len(found)} files, need 1")
        self.dut, self.path = dut, found[0]
        self.params, self.ports, self.probes = {}, [], []
        self.read(self.path)

    def read(self, path):
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text(), flags=re.S)
        for no, line in enumerate(text.splitlines(), 1):
            shared = INCLUDE.match(line)
            if shared:
                self.read(Path("csim", shared[1]))
                continue
            call = re.match(r"(LOOM_\w+)\((.*)\)\s*\Z", line.strip())
            if not line.strip() or (call and call[1] == "LOOM_STORAGE"):
                continue
            if not call or call[1] not in MACROS:
                raise Bad(f"{path}:{no}: not a line of the list: {line.strip()}")
            self.add(MACROS[call[1]], split_args(call[2]))

    def add(self, kind, args):
        if kind == "param":
            self.params[args[0]] = args[1:4]
        elif kind == "probe":
            self.probes.append(args[0])
        elif kind in ("in", "out"):
            self.ports.append((kind, args[0], "1", args[1]))
        else:
            self.ports.append((kind[:-6], args[0], args[1], args[2]))

    def number(self, expr, values):
        """Value of a width expression: C with P(NAME), loom_clog2, loom_max, loom_min."""
        python = re.sub(r"(.+?)\?(.+?):(.+)", r"((\2) if (\1) else (\3))", expr)
        names = {"P": values.__getitem__, "loom_clog2": clog2, "loom_max": max, "loom_min": min}
        python = re.sub(r"P\((\w+)\)", r'P("\1")', python).replace("&&", " and ")
        return int(eval(python, {"__builtins__": {}}, names))  # the house's own lists only

    def values(self, overrides, where):
        """Every parameter: its override or its default, inside its range."""
        values = {}
        for name, (default, low, high) in self.params.items():
            values[name] = overrides.get(name, None)
            if values[name] is None:
                values[name] = self.number(default, values)
        for name in overrides:
            if name not in self.params:
                raise Bad(f"{where}: {name}: no such parameter of {self.dut}")
        for name, (default, low, high) in self.params.items():
            if not self.number(low, values) <= values[name] <= self.number(high, values):
                raise Bad(f"{where}: {name}={values[name]}: must be {low}..{high}")
        return values


class Config:
    """A line of configs.list."""

    def __init__(self, line, where):
        words = line.split()
        if len(words) < 3 or not words[2].isdigit():
            raise Bad(f"{where}: need: device configuration cycles NAME=VALUE...")
        self.dut, self.name, self.cycles = words[0], words[1], int(words[2])
        for word in words[:2]:
            if not NAME.match(word):
                raise Bad(f"{where}: {word}: not a name")
        self.overrides = {}
        for word in words[3:]:
            m = PARAM.match(word)
            if not m:
                raise Bad(f"{where}: {word}: not NAME=VALUE")
            self.overrides[m[1]] = int(m[2])
        self.where = where

    def list(self):
        if not hasattr(self, "_def"):
            self._def = Def(self.dut)
        return self._def

    def values(self):
        return self.list().values(self.overrides, self.where)

    def widths(self):
        """[(dir, name, lanes, bits)] of every port."""
        d, v = self.list(), self.values()
        return [(k, n, d.number(lanes, v), d.number(bits, v)) for k, n, lanes, bits in d.ports]


def read_configs(path):
    configs = []
    for no, line in enumerate(Path(path).read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if line:
            configs.append(Config(line, f"{path}:{no}"))
            names = [(c.dut, c.name) for c in configs]
            if len(set(names)) != len(names):
                raise Bad(f"{path}:{no}: {configs[-1].name}: a second time")
    return configs


def find(configs, dut, name):
    for c in configs:
        if (c.dut, c.name) == (dut, name):
            return c
    raise Bad(f"configs.list: {dut} {name}: no such configuration")


def write_if_changed(path, text):
    """So that make rebuilds only what another configuration list really changes."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def emit_duts(configs, path):
    duts = list(dict.fromkeys(c.dut for c in configs))
    lines = ["/* made by tb/cosim/gen.py from tb/cosim/configs.list */",
             '#include "tb/cosim/cosim.h"']
    lines += [f"extern const struct dut {dut}_dut;" for dut in duts]
    lines += ["const struct dut *const loom_duts[] = {"]
    lines += [f"    &{dut}_dut," for dut in duts]
    write_if_changed(path, "\n".join(lines + ["    NULL};"]) + "\n")


def emit_config(c, folder):
    d, values = c.list(), c.values()
    folder.mkdir(parents=True, exist_ok=True)
    where = d.path.parent.name
    params = [
        "/* made by tb/cosim/gen.py */",
        f"#define SHIM_DUT {c.dut}",
        f"#define SHIM_TOP loom_{c.dut}",
        f'#define SHIM_DUT_NAME "{c.dut}"',
        f'#define SHIM_CONFIG_NAME "{c.name}"',
        f'#define SHIM_LIST "{where}/{c.dut}.def"',
        f"#define LOOM_DUT {c.dut}",
        f'#define LOOM_DEF "{where}/{c.dut}.def"',
        "#include <loom/def.h>",
    ]
    params += [f"#define PARAM_{name} {value}u" for name, value in values.items()]
    write_if_changed(folder / "params.h", "\n".join(params) + "\n")
    flags = [f"rtl/{where}/loom_{c.dut}.v", f"--top-module loom_{c.dut}"] + [f"-G{name}={value}" for name, value in values.items()]
    write_if_changed(folder / "verilator.f", "\n".join(flags) + "\n")
    probes = ["`verilator_config"]
    probes += [f'public_flat_rd -module "loom_{c.dut}" -var "{p}_q"' for p in d.probes]
    write_if_changed(folder / "probes.vlt", "\n".join(probes) + "\n")


def main(argv):
    if len(argv) < 3:
        raise Bad("usage: gen.py duts|configs|ports LIST [FOLDER | DUT CONFIG]")
    configs = read_configs(argv[2])
    if argv[1] == "duts":
        emit_duts(configs, Path(argv[3]))
    elif argv[1] == "configs":
        for c in configs:
            emit_config(c, Path(argv[3]) / f"{c.dut}-{c.name}")
    elif argv[1] == "ports":
        for port in find(configs, argv[3], argv[4]).widths():
            print(*port)
    else:
        raise Bad(f"gen.py: {argv[1]}: no such command")


if __name__ == "__main__":
    try:
        main(sys.argv)
    except (Bad, OSError) as bad:
        print(bad, file=sys.stderr)
        sys.exit(2)
