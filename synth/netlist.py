# SPDX-License-Identifier: Apache-2.0
"""Area by module and levels of logic of a netlist for Xilinx 7 series, as Yosys writes it without flattening.

LUT: LUT1 to LUT6, and what a memory or shift register in LUTs takes of them.
Levels: the most LUTs, carries (CARRY4) and muxes (MUXF7, MUXF8) on a path between two registers, block
RAMs or pins. Reading a memory in LUTs is one of them, as its address passes through a LUT; writing it ends
a path. Inverters are none: the cell that they feed takes them in.
"""

import collections
import json
import re

from designs import Failed

LUTRAM = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32X1S": 1,
          "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1}
# What the outputs of a memory in LUTs depend on in the same cycle: the address that reads.
READS = {"DOA": ("ADDRA",), "DOB": ("ADDRB",), "DOC": ("ADDRC",), "DOD": ("ADDRD",), "DPO": "DPRA",
         "SPO": "A", "O": "A", "Q": "A", "Q31": ()}
BLOCK = {"RAMB36E1": 1.0, "RAMB18E1": 0.5}
LOGIC = re.compile(r"LUT[1-6](_2)?|CARRY4|MUXF[78]")
FREE = re.compile(r"INV|IBUF|OBUF|BUFG|BUF")
FLOP = re.compile(r"FD[RSCP]E(_1)?")
KNOWN = re.compile("|".join([LOGIC.pattern, FREE.pattern, FLOP.pattern, "DSP48E1", *LUTRAM, *BLOCK]))


def plain(name):
    """A module's name without its parameters."""
    return re.sub(r"^.*\\", "", re.sub(r"\\[A-Z_]+=.*$", "", name.removeprefix("$paramod")))


def luts(kinds):
    return sum(n * LUTRAM.get(kind, int(kind.startswith("LUT"))) for kind, n in kinds.items())


class Netlist:
    def __init__(self, file, top):
        self.modules = {name: m for name, m in json.loads(file.read_text())["modules"].items()
                        if name == top or not int(m["attributes"].get("blackbox", "0"), 2)}
        self.top = top
        self.own = {name: collections.Counter(c["type"] for c in m["cells"].values())
                    for name, m in self.modules.items()}
        strange = {k for own in self.own.values() for k in own if k not in self.modules and not KNOWN.fullmatch(k)}
        if strange:
            raise Failed(f"cells that nobody counts: {', '.join(sorted(strange))}")

    def times(self):
        """How often each module stands in the design."""
        found, left = collections.Counter(), [(self.top, 1)]
        while left:
            name, n = left.pop()
            found[name] += n
            left += [(kind, n * m) for kind, m in self.own[name].items() if kind in self.modules]
        return found

    def areas(self):
        """LUTs, flops and block RAMs (of 36 kbit) of the whole, and those of each module's own cells."""
        total, modules = collections.Counter(), collections.defaultdict(collections.Counter)
        for name, n in self.times().items():
            for kind, m in self.own[name].items():
                if kind not in self.modules:
                    total[kind] += n * m
                    modules[plain(name)][kind] += n * m
        parts = {name: [luts(kinds), flops(kinds)] for name, kinds in modules.items() if luts(kinds) or flops(kinds)}
        figures = {"lut": luts(total), "lutram": sum(n * LUTRAM.get(k, 0) for k, n in total.items()),
                   "ff": flops(total), "ram": sum(n * BLOCK.get(k, 0) for k, n in total.items()),
                   "dsp": total["DSP48E1"]}
        return figures, dict(sorted(parts.items(), key=lambda part: -part[1][0]))

    def levels(self):
        """The length of the longest path, and the signals along it that the source names."""
        return Paths(self).longest()


def flops(kinds):
    return sum(n for kind, n in kinds.items() if FLOP.fullmatch(kind))


class Paths:
    """The whole as one graph: nodes are nets, and a cell joins what goes in to what comes out."""

    def __init__(self, netlist):
        self.modules = netlist.modules
        self.origin = []                    # of a net: the module, the path of the instance, the bit in it
        self.after = collections.defaultdict(list)   # of a net: (net, cost) of the cells that it feeds
        self.waits = collections.Counter()  # of a net: how many of its sources are not known yet
        left = [(netlist.top, "", {})]
        while left:
            left += self.instance(*left.pop())

    def net(self, ids, bit, module, where):
        if bit not in ids:
            ids[bit] = len(self.origin)
            self.origin.append((module, where, bit))
        return ids[bit]

    def join(self, sources, targets, cost):
        for target in targets:
            for source in sources:
                self.after[source].append((target, cost))
            self.waits[target] += len(sources)

    def instance(self, name, where, outer):
        """Adds the cells of one instance; returns the instances inside it. outer: nets by port and index."""
        module, ids, inner = self.modules[name], {}, []
        nets = lambda bits: [self.net(ids, b, name, where) for b in bits if isinstance(b, int)]  # noqa: E731
        for port, found in module["ports"].items():
            for index, bit in enumerate(found["bits"]):
                if isinstance(bit, int) and (port, index) in outer:
                    pair = [[outer[port, index]], nets([bit])]
                    self.join(*(pair if found["direction"] == "input" else pair[::-1]), 0)
        for instance, cell in module["cells"].items():
            kind, pins, ways = cell["type"], cell["connections"], cell["port_directions"]
            if kind in self.modules:
                inside = {(port, i): nets([b])[0] for port, bits in pins.items()
                          for i, b in enumerate(bits) if isinstance(b, int)}
                inner.append((kind, f"{where}{instance}.", inside))
                continue
            out = {port: nets(bits) for port, bits in pins.items() if ways[port] == "output"}
            if kind in LUTRAM:
                for port, targets in out.items():
                    reads = [p for p in pins if any(re.fullmatch(rf"{r}\d*", p) for r in READS[port])]
                    self.join(nets(b for p in reads for b in pins[p]), targets, 1)
            elif LOGIC.fullmatch(kind) or FREE.fullmatch(kind) or kind == "DSP48E1":
                sources = nets(b for p, bits in pins.items() if ways[p] == "input" for b in bits)
                self.join(sources, [n for targets in out.values() for n in targets],
                          0 if FREE.fullmatch(kind) else 1)
        return inner

    def longest(self):
        level, before = [0] * len(self.origin), [None] * len(self.origin)
        ready = [n for n in range(len(self.origin)) if not self.waits[n]]
        done = 0
        while ready:
            net = ready.pop()
            done += 1
            for target, cost in self.after[net]:
                if before[target] is None or level[net] + cost > level[target]:
                    level[target], before[target] = level[net] + cost, net
                self.waits[target] -= 1
                if not self.waits[target]:
                    ready.append(target)
        if done < len(self.origin):
            raise Failed("a loop of logic without a register")
        net = max(range(len(level)), key=level.__getitem__)
        found, depth = [], level[net]
        while net is not None:
            found.append(self.name(net))
            net = before[net]
        return depth, list(dict.fromkeys(n for n in reversed(found) if n))

    def name(self, net):
        """How the source calls a net, or nothing."""
        module, where, bit = self.origin[net]
        for name, found in self.modules[module]["netnames"].items():
            if not found["hide_name"] and bit in found["bits"] and "$" not in name:
                return where + name
        return ""
