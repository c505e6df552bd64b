# SPDX-License-Identifier: Apache-2.0
"""Files of and-inverter graphs (AIGER 1.9, binary), as Yosys writes them: read, changed, written.

A literal is 2 * variable, plus 1 if it is turned round; variable 0 is the constant 0. Inputs come first,
then registers, then gates, each gate after what it is made of.
"""

from pathlib import Path


class Aiger:
    """inputs: their number; nexts: a literal for each register, which begin with 0; gates: [(literal, literal)];
    outputs, bad, constraints: literals."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        head, _, data = data.partition(b"\n")
        words = [int(w) for w in head.split()[1:]]
        _, self.inputs, registers, outputs, gates, bad, constraints, *rest = words + [0] * (9 - len(words))
        if any(rest):
            raise ValueError(f"{path}: justice or fairness")
        lines, at = [], 0
        for _ in range(registers + outputs + bad + constraints):
            end = data.index(b"\n", at)
            lines.append(data[at:end])
            at = end + 1
        self.nexts = [int(line.split()[0]) for line in lines[:registers]]
        if any(len(line.split()) > 1 and int(line.split()[1]) for line in lines[:registers]):
            raise ValueError(f"{path}: a register that does not begin with 0")
        rest = [int(line) for line in lines[registers:]]
        self.outputs, self.bad, self.constraints = rest[:outputs], rest[outputs:outputs + bad], rest[outputs + bad:]
        self.gates, self.known = [], {}
        for k in range(gates):
            literal = 2 * (1 + self.inputs + registers + k)
            deltas = []
            for _ in range(2):
                value = shift = 0
                while True:
                    byte = data[at]
                    at += 1
                    value |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                deltas.append(value)
            self.gates.append((literal - deltas[0], literal - deltas[0] - deltas[1]))

    def register(self, k):
        """The literal of register k."""
        return 2 * (1 + self.inputs + k)

    def both(self, a, b):
        """The literal of a and b."""
        a, b = max(a, b), min(a, b)
        if b == 0 or a == b ^ 1:
            return 0
        if b == 1 or a == b:
            return a
        if (a, b) not in self.known:
            self.gates.append((a, b))
            self.known[a, b] = 2 * (self.inputs + len(self.nexts) + len(self.gates))
        return self.known[a, b]

    def choose(self, condition, then, other):
        return self.both(self.both(condition, then) ^ 1, self.both(condition ^ 1, other) ^ 1) ^ 1

    def stall(self):
        """Instead of constraints: in a cycle that breaks one, no register moves and nothing is bad. What can be
        reached, and what is bad there, stays the same. Returns what is never true, a register that has moved before
        the one did that says so: what Yosys gives registers in cycle 0 that reset leaves unknown is looked at until
        then, and no proof by induction would know that the others still are as after reset."""
        moved = [self.register(k) for k, n in enumerate(self.nexts) if n == 1]
        allowed = early = 1
        for literal in self.constraints:
            allowed = self.both(allowed, literal)
        for k in range(len(self.nexts)):
            early = self.both(early, self.register(k) ^ 1)
        self.nexts = [self.choose(allowed, n, self.register(k)) for k, n in enumerate(self.nexts)]
        self.bad = [self.both(allowed, literal) for literal in self.bad]
        self.constraints = []
        return self.both(early ^ 1, moved[0] ^ 1) if moved else 0

    def all_of(self, literals):
        found = 1
        for literal in literals:
            found = self.both(found, literal)
        return found

    def pair(self):
        """Two cycles on end, from any state: a graph without registers, and what makes of a literal of this graph
        the one of the first or the second cycle."""
        made = object.__new__(Aiger)
        made.inputs, made.nexts, made.gates, made.known = 2 * self.inputs + len(self.nexts), [], [], {}
        state = [2 * (1 + 2 * self.inputs + k) for k in range(len(self.nexts))]
        frames = []
        for frame in range(2):
            held = [0] + [2 * (1 + frame * self.inputs + k) for k in range(self.inputs)] + state
            for a, b in self.gates:
                held.append(made.both(held[a >> 1] ^ a & 1, held[b >> 1] ^ b & 1))
            frames.append(held)
            state = [held[n >> 1] ^ n & 1 for n in self.nexts]
        return made, lambda frame, literal: frames[frame][literal >> 1] ^ literal & 1

    def write(self, path, outputs, constraints=()):
        """`outputs` as outputs in the old sense, and constraints; nothing else."""
        total = self.inputs + len(self.nexts) + len(self.gates)
        data = bytearray(f"aig {total} {self.inputs} {len(self.nexts)} {len(outputs)} {len(self.gates)}"
                         f"{f' 0 {len(constraints)}' if constraints else ''}\n".encode())
        data += "".join(f"{literal}\n" for literal in [*self.nexts, *outputs, *constraints]).encode()
        for k, (a, b) in enumerate(self.gates):
            literal = 2 * (1 + self.inputs + len(self.nexts) + k)
            for delta in (literal - a, a - b):
                while delta > 127:
                    data.append(delta & 127 | 128)
                    delta >>= 7
                data.append(delta)
        Path(path).write_bytes(data)
