#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The one reader of tb/devices.list, tb/cosim/cases.list and csim/D/N.def, for everybody who needs them.

    devices.py make FILE              make: the configurations and the devices
    devices.py table FILE             C: devices, configurations and cases for the lock-step bench
    devices.py circuits FOLDER [LIST] params.h, verilator.f, probes.vlt in FOLDER/<device>-<configuration>/
    devices.py names [LIST]           <device>-<configuration> of each circuit, one a line
    devices.py ports DEVICE CONFIGURATION [LIST]
                                      the ports with their widths, one a line: dir name lanes bits

LIST is another list than tb/devices.list, of the same form. A file that would not change is left alone.
Exit status: 0 done, 2 bad input (one line with file, line and key).
"""

import os
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import expressions  # noqa: E402

LIST = "tb/devices.list"
CASES = "tb/cosim/cases.list"
MACROS = {
    "LOOM_PARAM": "param", "LOOM_IN": "in", "LOOM_OUT": "out", "LOOM_PROBE": "probe",
    "LOOM_IN_ARRAY": "in_array", "LOOM_OUT_ARRAY": "out_array",
}
INCLUDE = re.compile(r'#include "([^"]+)"\Z')
NAME = re.compile(r"[a-z][a-z0-9_]{0,30}\Z")
PARAM = re.compile(r"([A-Z][A-Z0-9_]*)=(0|[1-9][0-9]*)\Z")
COUNT = re.compile(r"0|[1-9][0-9]*\Z")


class Bad(Exception):
    """An input that is refused; its text is the line for stderr."""


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
    """The one list of a device, csim/D/N.def: parameters, ports and probes, their widths as functions."""

    def __init__(self, device, csim=Path("csim")):
        found = sorted(csim.glob(f"*/{device}.def"))
        if len(found) != 1:
            raise Bad(f"{csim}/*/{device}.def: {len(found)} files, need 1")
        self.device, self.path, self.csim = device, found[0], csim
        self.params, self.ports, self.probes = {}, [], []
        self.read(self.path)

    def read(self, path):
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text(), flags=re.S)
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            shared = INCLUDE.match(line)
            call = re.match(r"(LOOM_\w+)\((.*)\)\Z", line)
            if shared:
                self.read(self.csim / shared[1])
            elif call and call[1] in MACROS:
                try:
                    self.add(MACROS[call[1]], split_args(call[2]))
                except (expressions.Wrong, IndexError) as wrong:
                    why = "too few arguments" if isinstance(wrong, IndexError) else wrong
                    raise Bad(f"{path}:{number}: {split_args(call[2])[0]}: {why}") from None
            elif line and not (call and call[1] == "LOOM_STORAGE"):
                raise Bad(f"{path}:{number}: not a line of the list: {line}")

    def add(self, kind, args):
        def value(text):
            return expressions.parse(text, self.params)
        if kind == "param":
            # (text of the range, default, least, most)
            self.params[args[0]] = (f"{args[2]}..{args[3]}", *map(value, args[1:4]))
        elif kind == "probe":
            self.probes.append(args[0])
            value(args[1])
        elif kind in ("in", "out"):
            self.ports.append((kind, args[0], value("1"), value(args[1])))
        else:
            self.ports.append((kind[:-6], args[0], value(args[1]), value(args[2])))

    def values(self, overrides, where):
        """Every parameter: its override or its default, inside its range."""
        for name in overrides:
            if name not in self.params:
                raise Bad(f"{where}: {name}: no such parameter of {self.device}")
        values = {}
        for name, (_, default, _, _) in self.params.items():
            values[name] = overrides[name] if name in overrides else default(values)
        for name, (text, _, low, high) in self.params.items():
            if not low(values) <= values[name] <= high(values):
                raise Bad(f"{where}: {name}={values[name]}: must be {text}")
        return values

    def ranges(self):
        """[(parameter, least, most)] at the defaults of the others."""
        defaults = self.values({}, self.path)
        return [(n, low(defaults), high(defaults)) for n, (_, _, low, high) in self.params.items()]

    def widths(self, values, where):
        """[(dir, name, lanes, bits)] of every port for these parameters."""
        found = []
        for direction, name, lanes, bits in self.ports:
            try:
                found.append((direction, name, lanes(values), bits(values)))
            except expressions.Wrong as wrong:
                raise Bad(f"{where}: {self.path}: {name}: {wrong}") from None
            if min(found[-1][2:]) < 1:
                raise Bad(f"{where}: {self.path}: {name}: {found[-1][2]} lanes of {found[-1][3]} bits")
        return found


class Config:
    """A line of the list: a device with parameters.

    `device configuration cycles NAME=VALUE...`: a run of so many cycles under random traffic (0: none).
    Of a configuration whose name begins with `twin` no circuit is built.
    `device - lint NAME=VALUE...`: for tools/lint only; the device may be any module of rtl/.
    """

    def __init__(self, line, where):
        words = line.split()
        self.lint = len(words) >= 3 and words[1:3] == ["-", "lint"]
        if len(words) < 3 or not (self.lint or COUNT.match(words[2])):
            raise Bad(f"{where}: need: device configuration cycles NAME=VALUE..., or device - lint NAME=VALUE...")
        self.dut, self.name = words[0], None if self.lint else words[1]
        self.cycles = 0 if self.lint else int(words[2])
        for word in words[:1 if self.lint else 2]:
            if not NAME.match(word):
                raise Bad(f"{where}: {word}: not a name")
        self.overrides = {}
        for word in words[3:]:
            m = PARAM.match(word)
            if not m:
                raise Bad(f"{where}: {word}: not NAME=VALUE")
            if m[1] in self.overrides:
                raise Bad(f"{where}: {m[1]}: stands twice")
            self.overrides[m[1]] = int(m[2])
        self.where = where
        self.circuit = not self.lint and not self.name.startswith("twin")

    def list(self):
        if not hasattr(self, "_def"):
            self._def = Def(self.dut)
        return self._def

    def values(self):
        return self.list().values(self.overrides, self.where)

    def widths(self):
        """[(dir, name, lanes, bits)] of every port."""
        return self.list().widths(self.values(), self.where)


class Case:
    """A line of the list of directed cases: `device configuration case cycles [twin] [long]`."""

    def __init__(self, line, where, configs):
        words = line.split()
        if len(words) < 4 or not COUNT.match(words[3]) or words[4:] not in ([], ["twin"], ["long"], ["twin", "long"]):
            raise Bad(f"{where}: need: device configuration case cycles [twin] [long]")
        if not NAME.match(words[2]):
            raise Bad(f"{where}: {words[2]}: not a name")
        self.config = find(configs, words[0], words[1], where)
        self.name, self.cycles = words[2], int(words[3])
        self.twin, self.long = "twin" in words[4:], "long" in words[4:]


def lines_of(path):
    """(line without its comment, file:line) of each that says something."""
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if line:
            yield line, f"{path}:{number}"


def read_all(path=LIST):
    """Every line, those for tools/lint as well."""
    configs, seen = [], set()
    for line, where in lines_of(path):
        c = Config(line, where)
        if not c.lint and (c.dut, c.name) in seen:
            raise Bad(f"{where}: {c.name}: a second time")
        seen.add((c.dut, c.name))
        configs.append(c)
    return configs


def read_configs(path=LIST):
    """The configurations, by the order of the list."""
    return [c for c in read_all(path) if not c.lint]


def read_cases(configs, path=CASES):
    return [Case(line, where, configs) for line, where in lines_of(path)]


def find(configs, dut, name, where=LIST):
    for c in configs:
        if (c.dut, c.name) == (dut, name):
            return c
    raise Bad(f"{where}: {dut} {name}: no such configuration")


def write_if_changed(path, text):
    """So that make rebuilds only what another list really changes. Never half written."""
    path = Path(path)
    if path.exists() and path.read_text() == text:
        return
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(text)
    os.replace(new, path)


def devices_of(configs):
    return list(dict.fromkeys(c.dut for c in configs))


def circuits_of(configs):
    return [f"{c.dut}-{c.name}" for c in configs if c.circuit]


def make_variables(configs):
    return ("# made by tb/devices.py from tb/devices.list\n"
            f"COSIM_CONFIGS := {' '.join(circuits_of(configs))}\n"
            f"COSIM_DUTS := {' '.join(sorted(devices_of(configs)))}\n")


def c_bool(value):
    return "true" if value else "false"


def c_table(configs, cases):
    duts = devices_of(configs)
    lines = ["/* made by tb/devices.py from tb/devices.list and tb/cosim/cases.list */",
             '#include "tb/cosim/cosim.h"', '#include "tb/cosim/suite.h"']
    lines += [f"extern const struct dut {dut}_dut;" for dut in duts]
    lines += ["const struct dut *const loom_duts[] = {", *(f"    &{dut}_dut," for dut in duts), "    NULL};",
              "const struct listed_config listed_configs[] = {"]
    for c in configs:
        params = "".join(f" {name}={value}" for name, value in c.overrides.items())
        lines.append(f'    {{"{c.dut}", "{c.name}", {c.cycles}, {c_bool(c.circuit)}, "{params}"}},')
    lines += ["    {NULL, NULL, 0, false, NULL}};", "const struct listed_case listed_cases[] = {"]
    for c in cases:
        lines.append(f'    {{"{c.config.dut}", "{c.config.name}", "{c.name}", {c.cycles}, {c_bool(c.twin)}, '
                     f"{c_bool(c.long)}}},")
    return "\n".join([*lines, "    {NULL, NULL, NULL, 0, false, false}};"]) + "\n"


def write_circuit(c, folder):
    """What the circuit of a configuration and its shim are built from."""
    d, values = c.list(), c.values()
    c.widths()
    folder.mkdir(parents=True, exist_ok=True)
    where = d.path.parent.name
    params = [
        "/* made by tb/devices.py */",
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
    flags = [f"rtl/{where}/loom_{c.dut}.v", f"--top-module loom_{c.dut}"]
    flags += [f"-G{name}={value}" for name, value in values.items()]
    write_if_changed(folder / "verilator.f", "\n".join(flags) + "\n")
    probes = ["`verilator_config"]
    probes += [f'public_flat_rd -module "loom_{c.dut}" -var "{p}_q"' for p in d.probes]
    write_if_changed(folder / "probes.vlt", "\n".join(probes) + "\n")


def main(argv):
    command, args = (argv[1] if len(argv) > 1 else ""), argv[2:]
    if command == "make" and len(args) == 1:
        write_if_changed(args[0], make_variables(read_configs()))
    elif command == "table" and len(args) == 1:
        configs = read_configs()
        write_if_changed(args[0], c_table(configs, read_cases(configs)))
    elif command == "circuits" and 1 <= len(args) <= 2:
        for c in filter(lambda c: c.circuit, read_configs(*args[1:])):
            write_circuit(c, Path(args[0], f"{c.dut}-{c.name}"))
    elif command == "names" and len(args) <= 1:
        print(*circuits_of(read_configs(*args)), sep="\n")
    elif command == "ports" and 2 <= len(args) <= 3:
        for port in find(read_configs(*args[2:]), *args[:2], *args[2:]).widths():
            print(*port)
    else:
        raise Bad("usage: devices.py make FILE | table FILE | circuits FOLDER [LIST] | names [LIST] | "
                  "ports DEVICE CONFIGURATION [LIST]")


if __name__ == "__main__":
    try:
        main(sys.argv)
    except (Bad, OSError) as bad:
        print(bad, file=sys.stderr)
        sys.exit(2)
