# SPDX-License-Identifier: Apache-2.0
"""Execution of a function of LLVM's intermediate representation with words instead of numbers.

Ways part and meet by guards: each block runs once, in an order in which what comes before it has run;
a store under a guard keeps the old bytes where it does not hold. A loop runs as often as its guard can
hold: without end if the guard is a number each time, otherwise `loops` times.
What must not happen is collected in three guards, which somebody has to prove unreachable:

    undefined   one of the checks that clang puts before undefined behaviour fails (UBSan)
    outside     an access is not inside the object that its pointer points into
    overrun     a loop runs more than `loops` times, or a value of a fixed size would have to change

undef and poison, and bytes that nobody wrote, are free: a new input for each.
"""

import words
from ir import Refused

NEVER, ALWAYS = words.ZERO, words.ONE
TRAPS = ("llvm.ubsantrap", "llvm.trap")
NOTHING = ("llvm.lifetime.", "llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope", "llvm.donothing")


class Place:
    """Bytes of an object: from `offset` on, plus index * stride of each term; `object` None is null."""

    __slots__ = ("object", "offset", "terms")

    def __init__(self, object_, offset=0, terms=()):
        self.object, self.offset, self.terms = object_, offset, terms

    def __eq__(self, other):
        return (self.object, self.offset, self.terms) == (other.object, other.offset, other.terms)


class Pointer:
    """One of several places, each under its guard."""

    __slots__ = ("ways",)
    width = 64

    def __init__(self, ways):
        self.ways = ways

    def __eq__(self, other):
        return isinstance(other, Pointer) and self.ways == other.ways


def pointer(object_, offset=0):
    return Pointer(((ALWAYS, Place(object_, offset)),))


def chosen(condition, then, other):
    """`then` if the condition holds, else `other`: of two words, pointers or structs."""
    if isinstance(then, tuple):
        return tuple(chosen(condition, a, b) for a, b in zip(then, other))
    if isinstance(then, Pointer) and isinstance(other, Pointer):
        if then == other or condition.is_const():
            return then if then == other or condition.value else other
        merged = []
        for guard, way in ((condition, then), (words.negated(condition), other)):
            for own, place in way.ways:
                under = words.both_of(guard, own)
                same = next((i for i, (_, p) in enumerate(merged) if p == place), None)
                if same is None:
                    merged.append((under, place))
                else:
                    merged[same] = (words.either(merged[same][0], under), place)
        return Pointer(tuple(w for w in merged if not w[0].is_const(0)))
    if isinstance(then, Pointer) or isinstance(other, Pointer):
        raise Refused("a value that is now a pointer, now a number")
    return words.ite(condition, then, other)


class Memory:
    """Objects of bytes. A byte is (value, k): byte k of a word or of a pointer."""

    def __init__(self, free):
        self.objects, self.free = {}, free

    def add(self, name, size):
        """A new object; its bytes are free until they are written."""
        self.objects[name] = [None] * size

    def byte(self, name, at):
        found = self.objects[name][at]
        if found is None:
            found = self.objects[name][at] = (self.free(8), 0)
        return found

    def read(self, name, at, count, line):
        """`count` bytes as one word or pointer."""
        held = self.objects[name]
        if all(b is None for b in held[at:at + count]):
            value = self.free(8 * count)
            held[at:at + count] = [(value, k) for k in range(count)]
        found = [self.byte(name, at + k) for k in range(count)]
        first, low = found[0]
        if isinstance(first, Pointer):
            if count != 8 or any(v is not first or k != i for i, (v, k) in enumerate(found)):
                raise Refused(f"{line}: part of a pointer is read as a number")
            return first
        if any(isinstance(v, Pointer) for v, _ in found):
            raise Refused(f"{line}: part of a pointer is read as a number")
        if all(v is first and k == low + i for i, (v, k) in enumerate(found)):
            return words.slice_of(first, 8 * low, 8 * count)
        return words.cat([words.slice_of(v, 8 * k, 8) for v, k in found])

    def write(self, name, at, value, guard, line):
        if guard.is_const(0):
            return
        count = value.width // 8
        if not guard.is_const(1):
            held = self.objects[name][at:at + count]
            if isinstance(value, Pointer) and not any(held):
                pass  # nobody may read what was not written
            else:
                value = chosen(guard, value, self.read(name, at, count, line))
        self.objects[name][at:at + count] = [(value, k) for k in range(count)]


def strongly_connected(blocks, successors):
    """The sets of blocks that reach each other, each before those that it leads to (Tarjan)."""
    number, low, stack, on, found = {}, {}, [], set(), []
    for root in blocks:
        work = [(root, iter(successors(root)))] if root not in number else []
        if work:
            number[root] = low[root] = len(number)
            stack.append(root)
            on.add(root)
        while work:
            block, ways = work[-1]
            for next_ in ways:
                if next_ not in number:
                    number[next_] = low[next_] = len(number)
                    stack.append(next_)
                    on.add(next_)
                    work.append((next_, iter(successors(next_))))
                    break
                if next_ in on:
                    low[block] = min(low[block], number[next_])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[block])
                if low[block] == number[block]:
                    group = []
                    while not group or group[-1] != block:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    found.append(group)
    return found[::-1]


class Execution:
    """One run of a function of the module over a memory."""

    executed = set()  # what was executed by any: operations, relations, calls

    def __init__(self, module, memory, loops=64):
        self.module, self.memory, self.loops = module, memory, loops
        self.undefined, self.outside, self.overrun = [], [], []
        self.values, self.pending, self.result = {}, {}, None
        self.count = 0

    def run(self, name, arguments):
        function = self.module.functions.get(name)
        if not function or len(function.parameters) != len(arguments):
            raise Refused(f"{self.module.path}: no function {name} of {len(arguments)} parameters")
        self.values.update(zip((p.value for p in function.parameters), arguments))
        self.code = self.module.instructions(function)
        self.traps = {b for b, code in self.code.items() if code[0].op == "call" and
                      code[0].more["callee"] in TRAPS}
        self.ways = {b: [l for l in code[-1].more.get("labels", ()) if l not in self.traps]
                     for b, code in self.code.items()}
        self.regions = {}
        first = next(iter(self.code))
        self.pending = {b: [] for b in self.code}
        self.pending[first].append((ALWAYS, {}))
        self.region(frozenset(self.code), None)
        return self.result

    # ---- control -----------------------------------------------------------------------------

    def region(self, blocks, head):
        """Run the blocks once; ways back to `head` wait for the next time."""
        if (blocks, head) not in self.regions:
            inside = [b for b in self.code if b in blocks]
            self.regions[blocks, head] = strongly_connected(
                inside, lambda b: [w for w in self.ways[b] if w in blocks and w != head])
        for group in self.regions[blocks, head]:
            if len(group) == 1 and (group[0] == head or group[0] not in self.ways[group[0]]):
                self.block(group[0])
            else:
                self.loop(frozenset(group))

    def loop(self, group):
        heads = [b for b in group if self.pending[b]]
        if not heads:
            return
        if len(heads) > 1:
            raise Refused(f"{self.code[heads[0]][0].line}: a loop that is entered in two places")
        turns = 0
        while self.pending[heads[0]]:
            guard = words.any_of(g for g, _ in self.pending[heads[0]])
            turns += not guard.is_const(1)
            if turns > self.loops:
                self.overrun.append(guard)
                self.pending[heads[0]] = []
            else:
                self.region(group, heads[0])

    def block(self, name):
        ways, self.pending[name] = self.pending[name], []
        if not ways:
            return
        guard = words.any_of(g for g, _ in ways)
        self.at = name
        for instruction in self.code[name]:
            self.count += 1
            self.executed.add(instruction.op)
            if instruction.op == "phi":
                value = ways[-1][1][instruction.name]
                for own, values in reversed(ways[:-1]):
                    value = self.choose(own, values[instruction.name], value, instruction)
                self.values[instruction.name] = value
            else:
                getattr(self, "do_" + instruction.op, self.do_operation)(instruction, guard)

    def choose(self, condition, then, other, instruction):
        try:
            return chosen(condition, then, other)
        except Refused as why:
            raise Refused(f"{instruction.line}: {why}") from None

    def go(self, label, guard):
        """A way to another block; the values that its phis take on this way are those of now."""
        if guard.is_const(0):
            return
        if label in self.traps:
            self.undefined.append(guard)
            return
        values = {}
        for instruction in self.code[label]:
            if instruction.op != "phi":
                break
            values[instruction.name] = self.value(instruction.more["ways"][self.at])
        self.pending[label].append((guard, values))

    def do_br(self, instruction, guard):
        labels = instruction.more["labels"]
        if len(labels) == 1:
            self.go(labels[0], guard)
            return
        condition = self.value(instruction.operands[0])
        for label, holds in zip(labels, (condition, words.negated(condition))):
            # What fails a check is proved not to happen, so the other way is taken always.
            other = labels[1 - labels.index(label)]
            self.go(label, guard if other in self.traps and labels[0] != labels[1] else words.both_of(guard, holds))

    def do_switch(self, instruction, guard):
        value = self.value(instruction.operands[0])
        rest = guard
        for case, label in zip(instruction.more["cases"], instruction.more["labels"][1:]):
            hit = words.binary("eq", value, words.const(value.width, case))
            self.go(label, words.both_of(rest, hit))
            rest = words.both_of(rest, words.negated(hit))
        self.go(instruction.more["labels"][0], rest)

    def do_ret(self, instruction, _):
        if instruction.operands:
            self.result = self.value(instruction.operands[0])

    def do_unreachable(self, _, guard):  # after a trap that other instructions precede
        self.undefined.append(guard)

    # ---- values ------------------------------------------------------------------------------

    def value(self, operand):
        if operand.kind == "local":
            if operand.value not in self.values:
                return self.free(operand)  # of a block that never runs
            return self.values[operand.value]
        if operand.kind == "int":
            return words.const(operand.type.size, operand.value)
        if operand.kind == "null":
            return pointer(None)
        if operand.kind == "undef":
            return self.free(operand)
        if operand.kind == "zeroinitializer" and operand.type.kind == "int":
            return words.const(operand.type.size, 0)
        if operand.kind == "global":
            return pointer(self.constant(operand.value))
        if operand.kind == "address":
            inner = operand.value
            self.do_getelementptr(inner, ALWAYS) if inner.op == "getelementptr" else self.do_bitcast(inner, ALWAYS)
            return self.values.pop(None)
        raise Refused(f"{self.module.path}: a constant {operand.kind} of a {operand.type.kind}")

    def free(self, operand):
        if operand.type.kind == "int":
            return self.memory.free(operand.type.size)
        if operand.type.kind == "ptr":
            return pointer(None)  # an access through it is outside
        if operand.type.kind == "struct":
            return tuple(self.memory.free(f.size) for f in operand.type.fields)
        raise Refused(f"{self.module.path}: undef of a {operand.type.kind}")

    def constant(self, name):
        """The object that a global constant is, made when it is first needed."""
        if name not in self.memory.objects:
            if name not in self.module.globals:
                raise Refused(f"{self.module.path}: {name}: not defined here")
            kind, tokens = self.module.globals[name]
            tokens = tokens.again()
            if kind != "constant":
                raise Refused(f"{tokens.where}: {name}: a variable outside the twin")
            type_ = self.module.type(tokens)
            self.memory.add(name, self.module.layout(type_)[0])
            self.memory.objects[name] = [(words.const(8, 0), 0)] * len(self.memory.objects[name])
            self.fill(name, 0, type_, tokens)
        return name

    def fill(self, name, at, type_, tokens):
        kind, text = tokens.take()
        if text in ("zeroinitializer", "null"):
            return
        if type_.kind == "int" and kind == "number" or text in ("true", "false"):
            value = int(text) if kind == "number" else int(text == "true")
            self.memory.write(name, at, words.const(8 * self.module.layout(type_)[0], value), ALWAYS, tokens.where)
        elif type_.kind == "array" and text.startswith('c"'):
            body = text[2:-1].encode()
            k = 0
            while body:
                code, body = (int(body[1:3], 16), body[3:]) if body[:1] == b"\\" else (body[0], body[1:])
                self.memory.write(name, at + k, words.const(8, code), ALWAYS, tokens.where)
                k += 1
        elif text in ("[", "{"):
            number = 0
            while not (tokens.accept("]") or tokens.accept("}")):
                element = self.module.type(tokens)
                offset = (number * self.module.layout(element)[0] if type_.kind == "array"
                          else self.module.field(type_, number)[0])
                self.fill(name, at + offset, element, tokens)
                tokens.accept(",")
                number += 1
        else:
            raise tokens.refused(f"{name}: a constant {text}")

    def do_operation(self, instruction, _):
        a, b = (self.value(o) for o in instruction.operands)
        self.values[instruction.name] = words.binary(instruction.op, self.number(a, instruction),
                                                     self.number(b, instruction))

    @staticmethod
    def number(value, instruction):
        if not isinstance(value, words.Word):
            raise Refused(f"{instruction.line}: arithmetic with a pointer")
        return value

    def do_icmp(self, instruction, _):
        relation = instruction.more["relation"]
        self.executed.add(relation)
        a, b = (self.value(o) for o in instruction.operands)
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            if relation not in ("eq", "ne"):
                raise Refused(f"{instruction.line}: pointers are only compared for equality")
            found = self.same_place(a, b, instruction)
        elif relation in ("eq", "ne"):
            found = words.binary("eq", a, b)
        else:  # a > b is b < a, a <= b is not b < a
            if relation[1:] in ("gt", "le"):
                a, b = b, a
            found = words.binary(relation[0] + "lt", a, b)
        turned = relation == "ne" or relation[1:] in ("le", "ge")
        self.values[instruction.name] = words.negated(found) if turned else found

    @staticmethod
    def same_place(a, b, instruction):
        same = NEVER
        for guard, place in a.ways:
            for other, there in b.ways:
                if place.object != there.object:
                    continue
                if place.terms or there.terms:
                    raise Refused(f"{instruction.line}: comparison of pointers into one object")
                if place.offset == there.offset:
                    same = words.either(same, words.both_of(guard, other))
        return same

    def do_select(self, instruction, _):
        condition, then, other = (self.value(o) for o in instruction.operands)
        self.values[instruction.name] = self.choose(condition, then, other, instruction)

    def do_zext(self, instruction, _):
        self.values[instruction.name] = words.zero_extended(self.value(instruction.operands[0]),
                                                            instruction.more["type"].size)

    def do_sext(self, instruction, _):
        self.values[instruction.name] = words.sign_extended(self.value(instruction.operands[0]),
                                                            instruction.more["type"].size)

    def do_trunc(self, instruction, _):
        self.values[instruction.name] = words.slice_of(self.value(instruction.operands[0]), 0,
                                                       instruction.more["type"].size)

    def do_bitcast(self, instruction, _):
        value = self.value(instruction.operands[0])
        if not isinstance(value, Pointer) or instruction.op != "bitcast":
            raise Refused(f"{instruction.line}: a cast between pointers and numbers")
        self.values[instruction.name] = value

    def do_extractvalue(self, instruction, _):
        self.values[instruction.name] = self.value(instruction.operands[0])[instruction.more["index"]]

    # ---- memory ------------------------------------------------------------------------------

    def do_alloca(self, instruction, _):
        name = ("local", instruction.name, self.count)
        self.memory.add(name, self.module.layout(instruction.more["type"])[0])
        self.values[instruction.name] = pointer(name)

    def do_getelementptr(self, instruction, _):
        base, type_ = self.value(instruction.operands[0]), instruction.more["type"]
        offset, terms = 0, []
        for number, operand in enumerate(instruction.operands[1:]):
            index = self.value(operand)
            if number == 0:
                stride, count = self.module.layout(type_)[0], None
            else:
                while type_.kind == "later":
                    type_ = self.module.named(type_.of, instruction.line)
                if type_.kind == "struct":
                    at, type_ = self.module.field(type_, index.value)
                    offset += at
                    continue
                count, type_ = type_.size, type_.of
                stride = self.module.layout(type_)[0]
            if index.is_const():
                offset += words.signed(index.value, index.width) * stride
            else:
                terms.append((index, stride, count))
        ways = tuple((g, Place(p.object, p.offset + offset, p.terms + tuple(terms))) for g, p in base.ways)
        self.values[instruction.name] = Pointer(ways)

    def spots(self, value, size, guard, instruction):
        """[(guard, object, offset)] of an access of `size` bytes; what is elsewhere is `outside`."""
        if not isinstance(value, Pointer):
            raise Refused(f"{instruction.line}: a number is used as an address")
        found = []
        for own, place in value.ways:
            under = words.both_of(guard, own)
            if under.is_const(0):
                continue
            if place.object is None:
                self.outside.append(under)
                continue
            ways = [(own, place.offset)]
            for index, stride, count in place.terms:
                ways = self.along(ways, index, stride, count, len(self.memory.objects[place.object]), under)
            for inner, at in ways:
                if 0 <= at and at + size <= len(self.memory.objects[place.object]):
                    found.append((inner, place.object, at))
                else:
                    self.outside.append(words.both_of(guard, inner))
        return found

    def along(self, ways, index, stride, count, size, guard):
        """The ways once more for each value of an index, which may be one of an array without a count."""
        possible = self.values_of(index, stride, count, size, min(at for _, at in ways))
        if possible < 1 << words.used(index):
            inside = words.binary("ult", index, words.const(index.width, possible))
            self.outside.append(words.both_of(guard, words.negated(inside)))
        hits = [words.binary("eq", index, words.const(index.width, k)) for k in range(possible)]
        return [(words.both_of(own, hits[k]), at + k * stride) for own, at in ways for k in range(possible)]

    @staticmethod
    def values_of(index, stride, count, size, at):
        """How many values an index can take: below `count`, and with its element begun inside the object."""
        if count is None:
            count = max(0, size - at + stride - 1) // stride
        return min(count, 1 << words.used(index))

    def load(self, value, size, guard, instruction):
        """What stands there; None if nothing can."""
        self.spots(value, size, guard, instruction)
        found = None
        for own, place in value.ways:
            if place.object is None:
                continue
            there = self.picked(place.object, place.offset, place.terms, size, instruction)
            if there is not None:
                found = there if found is None else self.choose(own, there, found, instruction)
        return found

    def picked(self, name, at, terms, size, instruction):
        """What stands at one of the places that the terms reach, chosen by the bits of their indices."""
        held = len(self.memory.objects[name])
        if not terms:
            return self.memory.read(name, at, size, instruction.line) if 0 <= at <= held - size else None
        index, stride, count = terms[0]
        values = [self.picked(name, at + k * stride, terms[1:], size, instruction)
                  for k in range(self.values_of(index, stride, count, held, at))]
        bit = 0
        while len(values) > 1:
            turned = words.slice_of(index, bit, 1)
            pairs = [(values[k], values[k + 1] if k + 1 < len(values) else None) for k in range(0, len(values), 2)]
            values = [low if high is None else high if low is None else self.choose(turned, high, low, instruction)
                      for low, high in pairs]
            bit += 1
        return values[0] if values else None

    def touched(self, type_):
        """Bytes that a load or a store of the type touches: of an i40 five, though an array of them takes eight each."""
        return (type_.size + 7) // 8 if type_.kind == "int" else self.module.layout(type_)[0]

    def do_load(self, instruction, guard):
        type_ = instruction.more["type"]
        if type_.kind not in ("int", "ptr"):
            raise Refused(f"{instruction.line}: a load of a {type_.kind}")
        found = self.load(self.value(instruction.operands[0]), self.touched(type_), guard, instruction)
        if found is None:  # it is outside, whatever it gives
            found = pointer(None) if type_.kind == "ptr" else self.memory.free(type_.size)
        elif type_.kind == "int":
            found = words.slice_of(self.number(found, instruction), 0, type_.size)
        self.values[instruction.name] = found

    def do_store(self, instruction, guard):
        value = self.value(instruction.operands[0])
        size = self.touched(instruction.operands[0].type)
        if isinstance(value, words.Word):
            value = words.zero_extended(value, 8 * size)
        self.put(self.value(instruction.operands[1]), value, size, guard, instruction)

    def put(self, to, value, size, guard, instruction):
        for own, name, at in self.spots(to, size, guard, instruction):
            if isinstance(name, str) and name.startswith("@"):
                raise Refused(f"{instruction.line}: a store into the constant {name}")
            self.memory.write(name, at, value, words.both_of(guard, own), instruction.line)

    # ---- calls -------------------------------------------------------------------------------

    def do_call(self, instruction, guard):
        callee = instruction.more["callee"]
        if callee in TRAPS:
            self.undefined.append(guard)
            return
        if callee.startswith(NOTHING):
            return
        name = callee[5:].split(".") if callee.startswith("llvm.") else []
        kind = "call_" + "_".join(n for n in name if not n.startswith(("i", "p0")))
        reader = getattr(self, kind, None)
        if not reader:
            raise Refused(f"{instruction.line}: a call of {callee}")
        self.executed.add(kind)
        found = reader([self.value(o) for o in instruction.operands], guard, instruction)
        if instruction.name:
            self.values[instruction.name] = found

    def length(self, value, instruction):
        if not value.is_const():
            raise Refused(f"{instruction.line}: a length that is not known")
        return value.value

    def call_memset(self, arguments, guard, instruction):
        to, value, length, _ = arguments
        size = self.length(length, instruction)
        spots = self.spots(to, size, guard, instruction) if size else []
        for own, name, at in spots:
            under, left = words.both_of(guard, own), size
            while left:  # in words as large as they can be, at multiples of their size
                step = next(s for s in (8, 4, 2, 1) if at % s == 0 and s <= left)
                self.memory.write(name, at, words.cat([value] * step), under, instruction.line)
                at, left = at + step, left - step

    def call_copy_some(self, arguments, guard, instruction):
        """A copy whose length depends on the state: byte by byte, each if the length goes beyond it. All are read
        before the first is written. That it ends before a pointer, as before the end of the object, is proved."""
        self.executed.add("call_copy_some")
        to, source, length, _ = arguments
        targets, origins = (self.spots(p, 0, guard, instruction) for p in (to, source))
        room = {spot: self.numbers_from(spot[1], spot[2]) for spot in targets + origins}
        copied = []
        for at in range(min(max(room.values(), default=0) + 1, (1 << words.used(length)) - 1)):
            goes = words.binary("ult", words.const(length.width, at), length)
            self.outside += [words.all_of([guard, spot[0], goes]) for spot in room if room[spot] == at]
            found = None
            for own, name, offset in reversed([spot for spot in origins if room[spot] > at]):
                there = self.memory.read(name, offset + at, 1, instruction.line)
                found = there if found is None else self.choose(own, there, found, instruction)
            copied.append((goes, found))
        for spot in targets:
            for at, (goes, value) in enumerate(copied):
                if value is not None and at < room[spot]:
                    under = words.all_of([guard, spot[0], goes])
                    self.memory.write(spot[1], spot[2] + at, value, under, instruction.line)

    def numbers_from(self, name, at):
        """How many bytes from there on are no pointer."""
        held = self.memory.objects[name]
        return next((k - at for k in range(at, len(held)) if held[k] and isinstance(held[k][0], Pointer)),
                    len(held) - at)

    def call_memcpy(self, arguments, guard, instruction):
        to, source, length, _ = arguments
        if not length.is_const():
            self.call_copy_some(arguments, guard, instruction)
            return
        size = self.length(length, instruction)
        if not size:
            return
        targets = self.spots(to, size, guard, instruction)
        origins = self.spots(source, size, guard, instruction)
        copied, at = [], 0
        while at < size:
            step = next(s for s in (8, 4, 2, 1) if s <= size - at and all(
                (o + at) % s == 0 for _, _, o in targets + origins))
            found = None
            for own, name, offset in reversed(origins):
                there = self.memory.read(name, offset + at, step, instruction.line)
                found = there if found is None else self.choose(own, there, found, instruction)
            copied.append((at, found))
            at += step
        for own, name, offset in targets:
            for at, value in copied:
                if value is not None:
                    self.memory.write(name, offset + at, value, words.both_of(guard, own), instruction.line)

    call_memmove = call_memcpy

    @staticmethod
    def call_ctpop(arguments, _guard, _instruction):
        word = arguments[0]
        sums = [words.zero_extended(words.slice_of(word, k, 1), word.width) for k in range(word.width)]
        while len(sums) > 1:
            sums = [words.binary("add", sums[k], sums[k + 1]) if k + 1 < len(sums) else sums[k]
                    for k in range(0, len(sums), 2)]
        return sums[0]

    @staticmethod
    def first_one(word, order):
        found = words.const(word.width, word.width)
        for number, k in reversed(list(enumerate(order))):
            found = words.ite(words.slice_of(word, k, 1), words.const(word.width, number), found)
        return found

    def call_cttz(self, arguments, _guard, _instruction):
        return self.first_one(arguments[0], range(arguments[0].width))

    def call_ctlz(self, arguments, _guard, _instruction):
        return self.first_one(arguments[0], reversed(range(arguments[0].width)))

    @staticmethod
    def call_bswap(arguments, _guard, _instruction):
        word = arguments[0]
        return words.cat([words.slice_of(word, 8 * k, 8) for k in reversed(range(word.width // 8))])

    @staticmethod
    def call_bitreverse(arguments, _guard, _instruction):
        word = arguments[0]
        return words.cat([words.slice_of(word, k, 1) for k in reversed(range(word.width))])

    @staticmethod
    def extreme(relation, first_if, arguments):
        a, b = arguments
        less = words.binary(relation, a, b)
        return words.ite(less, a, b) if first_if else words.ite(less, b, a)

    def call_umin(self, arguments, _guard, _instruction):
        return self.extreme("ult", True, arguments)

    def call_umax(self, arguments, _guard, _instruction):
        return self.extreme("ult", False, arguments)

    def call_smin(self, arguments, _guard, _instruction):
        return self.extreme("slt", True, arguments)

    def call_smax(self, arguments, _guard, _instruction):
        return self.extreme("slt", False, arguments)

    @staticmethod
    def call_abs(arguments, _guard, _instruction):
        word, zero = arguments[0], words.const(arguments[0].width, 0)
        return words.ite(words.binary("slt", word, zero), words.binary("sub", zero, word), word)

    @staticmethod
    def call_expect(arguments, _guard, _instruction):
        return arguments[0]

    def call_fshl(self, arguments, _guard, instruction):
        high, low, by = arguments
        n = self.length(by, instruction) % high.width
        return words.slice_of(words.cat([low, high]), high.width - n, high.width)

    def call_fshr(self, arguments, _guard, instruction):
        high, low, by = arguments
        return words.slice_of(words.cat([low, high]), self.length(by, instruction) % high.width, high.width)

    @staticmethod
    def overflowing(op, extend, arguments):
        """(result, whether it does not fit), from arithmetic that is wide enough."""
        width = arguments[0].width
        wide = words.binary(op, *(extend(a, 2 * width) for a in arguments))
        result = words.slice_of(wide, 0, width)
        fits = words.binary("eq", extend(result, 2 * width), wide)
        return result, words.negated(fits)

    def call_uadd_with_overflow(self, arguments, _guard, _instruction):
        return self.overflowing("add", words.zero_extended, arguments)

    def call_umul_with_overflow(self, arguments, _guard, _instruction):
        return self.overflowing("mul", words.zero_extended, arguments)

    @staticmethod
    def call_usub_with_overflow(arguments, _guard, _instruction):
        return words.binary("sub", *arguments), words.binary("ult", *arguments)

    def call_sadd_with_overflow(self, arguments, _guard, _instruction):
        return self.overflowing("add", words.sign_extended, arguments)

    def call_ssub_with_overflow(self, arguments, _guard, _instruction):
        return self.overflowing("sub", words.sign_extended, arguments)

    def call_smul_with_overflow(self, arguments, _guard, _instruction):
        return self.overflowing("mul", words.sign_extended, arguments)
