# SPDX-License-Identifier: Apache-2.0
"""The C twin of a device as a Verilog module with the ports of its circuit.

    twin.py DEVICE FOLDER [CSIM [NAME=VALUE...]]     writes FOLDER/twin.v and what it was made from

A NAME in small letters, a register of the twin, gets two ports: it holds `tie_NAME` while first_i is 1, and
`held_NAME` is what it holds otherwise. `NAME=` gives a port `named_NAME`: the field NAME of the struct, with
`_` between the parts of its path; of fields in arrays all, the first lowest. `NAME:BITS` says that the field
stays below 2^BITS: the function reads it so, and broken_o says when it does not.

The C is compiled unchanged, by clang with UBSan's checks; LLVM inlines all functions and puts local
variables into values; translate.py executes what is left. Executed with the parameters as numbers,
loom_N_init gives the state after reset. A byte of the state that each cycle leaves as it is at reset is
a constant; that is found by assuming it of all bytes and taking it back until it is true.
"""

import subprocess
import sys
from pathlib import Path

import words
from ir import Module, Refused
from layout import Layout
from translate import Execution, Memory, Pointer, pointer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import devices  # noqa: E402

CHECKS = ("signed-integer-overflow,shift,integer-divide-by-zero,bounds,bool,enum,builtin,unreachable,return,"
          "vla-bound")
# Null, alignment, size of objects: the translator looks at each access itself, so LLVM must keep them.
COMPILE = ["clang", "-std=c11", "-O1", "-Xclang", "-disable-llvm-passes", "-fno-delete-null-pointer-checks", "-Icsim/include", "-Icsim", "-w",
           f"-fsanitize={CHECKS}", "-fsanitize-trap=all", "-S", "-emit-llvm"]
ONCE = "cgscc(inline),globaldce,function(sroa,early-cse,simplifycfg,dce,loop-simplify,lcssa)"
# Three times, so that calls through pointers that turn out to be constants are inlined, too.
PASSES = ["opt", "-S", "-strip-debug", "-internalize-public-api-list=prove_ok,prove_bytes,prove_reset,prove_step",
          "-inline-threshold=1000000000", f"-passes=internalize,globaldce,{ONCE},{ONCE},{ONCE}"]

WRAPPER = """#include "{folder}/{name}.h"
static void parameters(struct loom_{name}_cfg *c) {{
  c->loom_end = 0;
{values}}}
_Bool prove_ok(void) {{
  struct loom_{name}_cfg c;
  parameters(&c);
  return loom_{name}_cfg_ok(&c);
}}
uint64_t prove_bytes(void) {{
  struct loom_{name}_cfg c;
  parameters(&c);
  return {bytes};
}}
void prove_reset(struct loom_{name} *s, void *storage) {{
  struct loom_{name}_cfg c;
  parameters(&c);
  loom_{name}_init(s, &c{storage});
}}
void prove_step(struct loom_{name} *s, const struct loom_{name}_in *in, struct loom_{name}_out *out) {{
  loom_{name}_step(s, in, out);
}}
"""


def tool(words_):
    done = subprocess.run(words_, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{words_[0]}: {(done.stderr.strip() or 'failed').splitlines()[0]}")


def sources(start, csim="csim"):
    """The C files that a header's own file and the headers it includes stand for, each once."""
    found, todo, seen = [], [start], set()
    while todo:
        path = todo.pop()
        if path in seen or not path.exists():
            continue
        seen.add(path)
        if path.suffix == ".c":
            found.append(path)
        else:
            todo.append(path.with_suffix(".c"))
        for line in path.read_text().splitlines():
            if line.startswith('#include "') and line.split('"')[1].endswith(".h"):
                for folder in (Path(csim), path.parent, Path(csim, "include")):
                    todo.append(folder / line.split('"')[1])
    return sorted(found)


class Twin:
    """The twin of `device` with the parameters `values` ({name: number})."""

    def __init__(self, device, values, out, csim="csim", loops=64, small=()):
        self.device, self.loops = device, loops
        self.list = devices.Def(device, Path(csim))
        self.values = self.list.values(values, f"prove {device}")
        self.ports = self.list.widths(self.values, f"prove {device}")
        self.maximum = self.lanes_of_structs()
        self.free_bits, self.free_words = 0, []
        self.module = self.compiled(Path(out), csim)
        if not self.evaluated("prove_ok").value:
            raise Refused(f"prove {device}: the twin refuses these parameters")
        self.reset()
        self.kept = self.kept_bits(dict(small), out, csim) if small else {}
        self.step()

    # ---- from C to LLVM ----------------------------------------------------------------------

    def compiled(self, out, csim):
        folder, name = self.list.path.parent.name, self.device
        storage = "LOOM_STORAGE" in self.list.path.read_text()
        assigned = "".join(f"  c->{k} = {v}u;\n" for k, v in self.values.items()) or "  (void)c;\n"
        wrapper = out / "wrapper.c"
        wrapper.write_text(WRAPPER.format(
            folder=folder, name=name, values=assigned, storage=", storage" if storage else "",
            bytes=f"loom_{name}_storage_size(&c)" if storage else "(void)c, 0"))
        files = [wrapper] + sources(Path(csim, folder, f"{name}.h"), csim)
        for number, file in enumerate(files):
            include = [w.replace("-Icsim", f"-I{csim}") for w in COMPILE]
            tool([*include, "-o", f"{out}/{number}.ll", str(file)])
        tool(["llvm-link", "-S", "-o", f"{out}/linked.ll"] + [f"{out}/{n}.ll" for n in range(len(files))])
        tool([*PASSES, "-o", f"{out}/twin.ll", f"{out}/linked.ll"])
        return Module((out / "twin.ll").read_text(), f"{out}/twin.ll")

    def lanes_of_structs(self):
        """{port: words of its field in the struct}, which arrays are as long as the largest device needs."""
        found = {}
        for path in self.list_files(self.list.path):
            for line in path.read_text().splitlines():
                if line.startswith(("LOOM_IN_ARRAY(", "LOOM_OUT_ARRAY(")):
                    name, _, _, most = devices.split_args(line.strip()[line.index("(") + 1:line.rindex(")")])
                    found[name] = most
        return found

    def list_files(self, path):
        yield path
        for line in path.read_text().splitlines():
            shared = devices.INCLUDE.match(line.strip())
            if shared:
                yield from self.list_files(self.list.csim / shared[1])

    # ---- execution ---------------------------------------------------------------------------

    def free(self, width):
        word = words.slice_of(words.named(1 << 20, "free_i"), self.free_bits, width)
        self.free_bits += width
        return word

    def evaluated(self, function):
        found = Execution(self.module, Memory(self.free), self.loops).run(function, [])
        if not found.is_const():
            raise Refused(f"{self.module.path}: {function}: not a number")
        return found

    def struct(self, name):
        """The type of the struct that prove_step gets as `state`, `in` or `out`."""
        parameter = self.module.functions["prove_step"].parameters[("state", "in", "out").index(name)]
        type_ = parameter.type.of
        return self.module.named(type_.of, self.module.path) if type_.kind == "later" else type_

    def struct_size(self, name):
        return self.module.layout(self.struct(name))[0]

    def memory(self):
        memory = Memory(self.free)
        memory.add("state", self.struct_size("state"))
        memory.add("storage", self.evaluated("prove_bytes").value)
        return memory

    def reset(self):
        """What every byte is after reset: (value, k) as in Memory, None if nothing writes it."""
        memory = self.memory()
        run = Execution(self.module, memory, self.loops)
        storage = pointer("storage")
        arguments = [pointer("state"), storage]
        run.run("prove_reset", arguments)
        if any(not g.is_const(0) for g in run.undefined + run.outside + run.overrun):
            raise Refused(f"{self.module.path}: prove_reset: undefined behaviour, or an access outside")
        self.after_reset = {(name, at): byte for name in ("state", "storage")
                            for at, byte in enumerate(memory.objects[name])}
        for (name, at), byte in self.after_reset.items():
            if byte and isinstance(byte[0], words.Word) and not words.slice_of(byte[0], 8 * byte[1], 8).is_const():
                self.after_reset[name, at] = None

    @staticmethod
    def same(a, b):
        if a is None or b is None:
            return a is b
        if isinstance(a[0], Pointer) or isinstance(b[0], Pointer):
            return isinstance(a[0], Pointer) and isinstance(b[0], Pointer) and a == b
        return words.slice_of(a[0], 8 * a[1], 8) is words.slice_of(b[0], 8 * b[1], 8)

    def registers(self):
        """[(object, offset, bytes)]: bytes that are no constants, in words at multiples of their size."""
        found, keys = [], [k for k in self.after_reset if k not in self.constant]
        for name in ("state", "storage"):
            left = {at for n, at in keys if n == name}
            while left:
                at = min(left)
                size = next(s for s in (8, 4, 2, 1) if at % s == 0 and all(at + k in left for k in range(s))
                            and s <= self.grain.get((name, at), 1))
                left -= set(range(at, at + size))
                found.append((name, at, size))
        return found

    def find_grain(self, memory):
        """{(object, offset): bytes} that were last written at once: what makes one register."""
        self.grain = {}
        for name in ("state", "storage"):
            for at, byte in enumerate(memory.objects[name]):
                if byte and isinstance(byte[0], words.Word) and byte[1] == 0:
                    self.grain[name, at] = byte[0].width // 8

    def step(self):
        """The outputs and the next state as words, once the constant bytes are known."""
        self.constant = {k: b for k, b in self.after_reset.items() if b is not None}
        self.grain = {}
        while True:
            memory = self.execute()
            changed = [k for k, b in self.constant.items() if not self.same(memory.objects[k[0]][k[1]], b)]
            if not changed:
                break
            for key in changed:
                byte = memory.objects[key[0]][key[1]]
                if isinstance(self.constant[key][0], Pointer) or (byte and isinstance(byte[0], Pointer)):
                    raise Refused(f"{self.module.path}: a pointer in the state changes, at {key[0]}+{key[1]}")
                del self.constant[key]
            self.find_grain(memory)
        self.after = memory

    def execute(self):
        memory = self.memory()
        self.free_bits = 0
        for (name, at), byte in self.constant.items():
            memory.objects[name][at] = byte
        for name, at, size in self.registers():
            register = self.small(name, at, size)
            memory.objects[name][at:at + size] = [(register, k) for k in range(size)]
        memory.add("in", self.struct_size("in"))
        memory.add("out", self.struct_size("out"))
        at = 0
        for direction, name, lanes, bits in self.ports:
            for lane in range(self.field_words(name) if direction == "in" else 0):
                word = words.const(64, 0)
                if lane < lanes:
                    port = words.named(lanes * bits, f"{name}_i")
                    word = words.zero_extended(words.slice_of(port, lane * bits, bits), 64)
                memory.objects["in"][at:at + 8] = [(word, k) for k in range(8)]
                at += 8
        self.run = Execution(self.module, memory, self.loops)
        self.run.run("prove_step", [pointer("state"), pointer("in"), pointer("out")])
        return memory

    def field_words(self, name):
        """64-bit words of a port's field in the struct."""
        if name not in self.maximum:
            return 1
        direction = next(d for d, n, _, _ in self.ports if n == name)
        index = [n for d, n, _, _ in self.ports if d == direction].index(name)
        field = self.struct(direction).fields[index]
        return field.size if field.kind == "array" else 1

    # ---- names -------------------------------------------------------------------------------

    def leaves(self, out, csim):
        """The layout of what the twin is made of, and the leaves of its struct."""
        include = [w.replace("-Icsim", f"-I{csim}") for w in COMPILE]
        tool([*include, "-g", "-o", f"{out}/names.ll", f"{out}/wrapper.c"])
        layout = Layout(Path(out, "names.ll").read_text())
        return layout, list(layout.leaves(layout.struct(f"loom_{self.device}")))

    def kept_bits(self, small, out, csim):
        """{(object, offset): bits of this byte that may be other than 0}, of the fields in {name: bits}."""
        kept, left = {}, dict(small)
        for path, at, size, _ in self.leaves(out, csim)[1]:
            bits = small.get("_".join(path))
            if bits is not None:
                left.pop("_".join(path), None)
                kept.update({("state", at + k): min(8, max(0, bits - 8 * k)) for k in range(size)})
        if left:
            raise Refused(f"prove {self.device}: no field {' '.join(left)} in the struct of the twin")
        return kept

    def small(self, name, at, size):
        """A register as the function reads it: 0 in the bits that are said to stay 0."""
        register, parts = words.named(8 * size, f"{name}_{at}"), []
        for k in range(size):
            bits = self.kept.get((name, at + k), 8)
            parts += [words.slice_of(register, 8 * k, bits)] * (bits > 0) + [words.const(8 - bits, 0)] * (bits < 8)
        return words.cat(parts)

    def grown(self):
        """Whether a register has other bits than are read of it."""
        return words.any_of([words.negated(words.binary("eq", words.named(8 * size, f"{name}_{at}"), self.small(name, at, size)))
                             for name, at, size in self.registers()])

    def named(self, out, csim):
        """{name: [(object, offset, bytes)]} of the fields of the struct, and of what its pointers lead to."""
        layout, leaves = self.leaves(out, csim)
        found, todo = {}, [("state", leaves)]
        while todo:
            object_, leaves = todo.pop()
            begins = sorted({p.offset for o, at, _, p in self.pointers(object_, leaves)} | {len(self.after.objects["storage"])})
            for path, at, size, to in leaves:
                if to is None:
                    found.setdefault("_".join(path), []).append((object_, at, size))
            for path, _, to, place in self.pointers(object_, leaves):
                end = next(b for b in begins if b > place.offset)
                step = layout.size(to)
                todo.append(("storage", [leaf for at in range(place.offset, end - step + 1, step)
                                         for leaf in layout.leaves(to, at, path)]))
        return found

    def pointers(self, object_, leaves):
        """(path, offset, type, Place) of the pointers into the storage."""
        for path, at, _, to in leaves:
            byte = self.constant.get((object_, at)) if to else None
            if byte and isinstance(byte[0], Pointer) and byte[0].ways[0][1].object == "storage":
                yield path, at, to, byte[0].ways[0][1]

    def seen(self, places):
        """Fields as one word of the registers, the first lowest."""
        held = {}
        for name, at, size in self.registers():
            register = words.named(8 * size, f"{name}_{at}")
            held.update({(name, at + k): words.slice_of(register, 8 * k, 8) for k in range(size)})
        for key, byte in self.constant.items():
            if not isinstance(byte[0], Pointer):
                held[key] = words.slice_of(byte[0], 8 * byte[1], 8)
        return words.cat([held[name, at + k] for name, at, size in places for k in range(size)])

    # ---- to Verilog --------------------------------------------------------------------------

    def outputs(self):
        """([(port, word)], guard: something stands where an output has no bit)."""
        found, wrong, at = [], [], 0
        for direction, name, lanes, bits in self.ports:
            if direction != "out":
                continue
            parts = []
            for lane in range(self.field_words(name)):
                word = self.after.read("out", at, 8, name)
                kept = bits if lane < lanes else 0
                if kept:
                    parts.append(words.slice_of(word, 0, kept))
                if kept < 64:
                    rest = words.slice_of(word, kept, 64 - kept)
                    wrong.append(words.negated(words.binary("eq", rest, words.const(64 - kept, 0))))
                at += 8
            found.append((name, words.cat(parts)))
        return found, words.any_of(wrong)

    def verilog(self, module="twin", ties=(), shown=()):
        """The text of the module. Besides the ports of the circuit it has `free_i`, bits that may be
        anything, `broken_o`: undefined, outside, overrun, an output and a field that have too many bits,
        and `named_NAME` for each (name, word) of `shown`."""
        outputs, wide = self.outputs()
        registers = self.registers()
        nexts = {r: self.after.read(*r, self.module.path) for r in registers}
        guards = [words.any_of(g) for g in (self.run.undefined, self.run.outside, self.run.overrun)] + [wide, self.grown()]
        roots = [w for _, w in outputs] + list(nexts.values()) + guards + [w for _, w in shown]
        names = words.needed(roots)
        used = max([w.value + w.width for w in names if w.op == "slice" and w.args[0].value == "free_i"
                    and w.args[0].op == "input"], default=1)
        ports = ["input wire clk_i", "input wire rst_i", f"input wire [{used - 1}:0] free_i"]
        ports += ["input wire first_i"] * bool(ties)
        ports += [f"{d} wire [{8 * s - 1}:0] {w}_{n}_{at}" for n, at, s in registers if f"{n}_{at}" in ties
                  for d, w in (("input", "tie"), ("output", "held"))]
        ports += [f"input wire [{l * b - 1}:0] {n}_i" for d, n, l, b in self.ports if d == "in"]
        ports += [f"output wire [{l * b - 1}:0] {n}_o" for d, n, l, b in self.ports if d == "out"]
        ports += [f"output wire [{w.width - 1}:0] named_{n}" for n, w in shown]
        lines = [f"module {module} (", ",\n".join(f"  {p}" for p in [*ports, "output wire [4:0] broken_o"]), ");"]
        held = {(n, at): f"{n}_{at}" + ("_q" if f"{n}_{at}" in ties else "") for n, at, _ in registers}
        lines += [f"  reg [{8 * s - 1}:0] {held[n, at]};" for n, at, s in registers]
        lines += [f"  wire [{8 * s - 1}:0] {n}_{at} = first_i ? tie_{n}_{at} : {n}_{at}_q;"
                  for n, at, s in registers if f"{n}_{at}" in ties]
        lines += words.declarations(roots)
        lines.append("  always @(posedge clk_i) begin")
        for name, at, size in registers:
            first = [self.after_reset[name, at + k] for k in range(size)]
            following = words.printed(nexts[name, at, size])
            if None in first:  # nothing writes it at reset: it stays what it happens to be
                reset = f"{name}_{at}"
            else:
                value = sum(words.slice_of(v, 8 * k, 8).value << 8 * i for i, (v, k) in enumerate(first))
                reset = f"{8 * size}'h{value:x}"
            lines.append(f"    {held[name, at]} <= rst_i ? {reset} : {following};")
        lines.append("  end")
        lines += [f"  assign held_{n} = {n}_q;" for n in ties]
        lines += [f"  assign {n}_o = {words.printed(w)};" for n, w in outputs]
        lines += [f"  assign named_{n} = {words.printed(w)};" for n, w in shown]
        lines.append("  assign broken_o = {" + ", ".join(words.printed(g) for g in reversed(guards)) + "};")
        return "\n".join([*lines, "endmodule"]) + "\n"


def main(argv):
    sys.setrecursionlimit(1 << 20)
    csim = argv[3] if len(argv) > 3 else "csim"
    small = {n: int(v) for n, _, v in (w.partition(":") for w in argv[4:]) if v}
    pairs = dict(w.split("=") for w in argv[4:] if ":" not in w)
    twin = Twin(argv[1], {n: int(v) for n, v in pairs.items() if n.isupper()}, argv[2], csim, small=small)
    wanted = [n for n, v in pairs.items() if not v]
    known = twin.named(argv[2], csim) if wanted else {}
    for name in wanted:
        if name not in known:
            raise Refused(f"prove {argv[1]}: no field {name} in the struct of the twin; there are: {' '.join(sorted(known))}")
    shown = [(name, twin.seen(known[name])) for name in wanted]
    Path(argv[2], "twin.v").write_text(twin.verilog(ties=[n for n, v in pairs.items() if v and not n.isupper()], shown=shown))


if __name__ == "__main__":
    try:
        main(sys.argv)
    except (Refused, devices.Bad) as bad:
        print(bad, file=sys.stderr)
        sys.exit(2)
