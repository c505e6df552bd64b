# SPDX-License-Identifier: Apache-2.0
"""Words of bits as a graph: built by the translator, folded where constants allow, printed as Verilog.

A word is made by the functions of this file only, so two equal words are one object. What is unsigned
and what is signed is said by the operation, as in LLVM. A shift by the width or more gives 0 (ashr: the
sign); a division by 0 may give anything: whoever makes one sees to it that it does not happen.
"""

SYMBOLS = {"and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "mul": "*", "udiv": "/", "urem": "%",
           "shl": "<<", "lshr": ">>", "eq": "==", "ult": "<"}
MOST_FACTORS = 12  # of guards that either() looks at
COMMUTE = {"and", "or", "xor", "add", "mul", "eq"}


class Word:
    """`width` bits. `op` says what they are made of: `const`, `input`, `cat`, `slice`, `ite` or an operation."""

    __slots__ = ("width", "op", "args", "value", "number")
    made = {}

    def __init__(self, width, op, args, value, number):
        self.width, self.op, self.args, self.value, self.number = width, op, args, value, number

    def is_const(self, value=None):
        return self.op == "const" and value in (None, self.value)


def make(width, op, args=(), value=None):
    key = (width, op, tuple(a.number for a in args), value)
    word = Word.made.get(key)
    if word is None:
        word = Word.made[key] = Word(width, op, args, value, len(Word.made))
    return word


def const(width, value):
    return make(width, "const", (), value & ((1 << width) - 1))


def named(width, name):
    """A word that comes from outside: an input, a register."""
    return make(width, "input", (), name)


ZERO, ONE = const(1, 0), const(1, 1)


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) & 1 else value


def used(word):
    """How many low bits may be other than 0."""
    if word.op == "const":
        return word.value.bit_length()
    if word.op == "cat" and word.args[-1].op == "const":
        top = word.args[-1]
        return word.width - top.width + top.value.bit_length()
    return word.width


def slice_of(word, low, width):
    if width == word.width:
        return word
    if word.op == "const":
        return const(width, word.value >> low)
    if word.op == "slice":
        return slice_of(word.args[0], word.value + low, width)
    if word.op == "cat":
        parts, at = [], 0
        for part in word.args:
            first, last = max(low, at), min(low + width, at + part.width)
            if first < last:
                parts.append(slice_of(part, first - at, last - first))
            at += part.width
        return cat(parts)
    if word.op == "ite" and all(a.op in ("const", "cat") for a in word.args[1:]):
        return ite(word.args[0], *(slice_of(a, low, width) for a in word.args[1:]))
    if word.op in ("and", "or", "xor") and any(a.op in ("const", "cat") for a in word.args):
        return binary(word.op, *(slice_of(a, low, width) for a in word.args))
    return make(width, "slice", (word,), low)


def joined(a, b):
    """One word for `b` above `a`, if there is one."""
    if a.op == b.op == "const":
        return const(a.width + b.width, b.value << a.width | a.value)
    if a.op == b.op == "slice" and a.args == b.args and a.value + a.width == b.value:
        return slice_of(a.args[0], a.value, a.width + b.width)
    return None


def cat(parts):
    """The parts as one word, the first lowest."""
    flat = []
    for part in parts:
        for piece in part.args if part.op == "cat" else (part,):
            both = joined(flat[-1], piece) if flat else None
            flat = flat[:-1] + [both] if both else flat + [piece]
    return flat[0] if len(flat) == 1 else make(sum(p.width for p in flat), "cat", tuple(flat))


def zero_extended(word, width):
    return cat([word, const(width - word.width, 0)]) if width > word.width else word


def sign_extended(word, width):
    top = slice_of(word, word.width - 1, 1)
    return cat([word] + [top] * (width - word.width))


def negated(word):
    """Each bit turned round."""
    if word.op == "const":
        return const(word.width, ~word.value)
    if word.op == "not":
        return word.args[0]
    return make(word.width, "not", (word,))


def ite(condition, then, other):
    if condition.op == "const":
        return then if condition.value else other
    if then is other:
        return then
    if condition.op == "not":
        return ite(condition.args[0], other, then)
    if then.width == 1 and then.op == "const":
        return either(condition, other) if then.value else both_of(negated(condition), other)
    if other.width == 1 and other.op == "const":
        return either(negated(condition), then) if other.value else both_of(condition, then)
    width = max(used(then), used(other))
    if 0 < width < then.width:
        return zero_extended(ite(condition, slice_of(then, 0, width), slice_of(other, 0, width)), then.width)
    return make(then.width, "ite", (condition, then, other))


def both_of(a, b):
    return binary("and", a, b)


def factors(word, most):
    """The conditions that must all hold for `word`, one bit; None if there are more than `most`."""
    found, todo = set(), [word]
    while todo:
        word = todo.pop()
        if word.op == "and":
            todo += word.args
        else:
            found.add(word)
        if len(found) > most:
            return None
    return found


def either(a, b):
    """a or b, one bit each. Guards of two ways that meet fold into that of the place where they parted."""
    if a.op == "const" or b.op == "const" or a is b or a.width > 1:
        return binary("or", a, b)
    if a.op == b.op == "and":
        for one, other in (a.args, a.args[::-1]):
            for two, another in (b.args, b.args[::-1]):
                if one is two and other is negated(another):
                    return one
    left, right = factors(a, MOST_FACTORS), factors(b, MOST_FACTORS)
    if left is None or right is None:
        return binary("or", a, b)
    if left <= right or right <= left:
        return a if left <= right else b
    rest_a, rest_b = left - right, right - left
    if len(rest_a) == 1 or len(rest_b) == 1:
        one, more, short, long = (rest_a, rest_b, a, b) if len(rest_a) == 1 else (rest_b, rest_a, b, a)
        turned = negated(next(iter(one)))
        if turned in more:  # p & c | p & ~c & d = p & (c | d)
            common, rest = left & right, more - {turned}
            if not rest:
                return all_of(common)
            return binary("or", short, all_of(common | rest))
    return binary("or", a, b)


def all_of(words):
    result = ONE
    for word in sorted(words, key=lambda w: w.number):
        result = both_of(result, word)
    return result


def any_of(guards):
    """One of the guards holds. Of few, pairs that fold are looked for first: they often give a constant."""
    left = list(dict.fromkeys(guards))
    folded = len(left) <= MOST_FACTORS
    while folded and len(left) > 1:
        folded = False
        for i in range(len(left)):
            for j in range(i):
                word = either(left[j], left[i])
                if word.op != "or" or word in left:
                    left = [w for k, w in enumerate(left) if k not in (i, j)] + [word]
                    folded = True
                    break
            if folded:
                break
    result = ZERO
    for word in left:
        result = either(result, word)
    return result


def calculated(op, a, b, width):
    """What the operation gives for two numbers; None for a division by 0."""
    if op in ("udiv", "urem", "sdiv", "srem"):
        if b == 0:
            return None
        if op[0] == "u":
            return a // b if op == "udiv" else a % b
        x, y = signed(a, width), signed(b, width)
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return quotient if op == "sdiv" else x - y * quotient
    if op in ("shl", "lshr"):
        return (a << b if op == "shl" else a >> b) if b < width else 0
    if op == "ashr":
        return signed(a, width) >> min(b, width - 1)
    if op in ("slt", "ult"):
        return int(signed(a, width) < signed(b, width) if op == "slt" else a < b)
    return {"and": a & b, "or": a | b, "xor": a ^ b, "add": a + b, "sub": a - b, "mul": a * b,
            "eq": int(a == b)}[op]


def simpler(op, a, b):
    """A word that is there already and equals the operation, or None."""
    width = a.width
    ones = (1 << width) - 1
    if op in ("and", "or") and (a is b or negated(a) is b):
        return a if a is b else const(width, 0 if op == "and" else ones)
    if op in ("xor", "sub") and a is b:
        return const(width, 0)
    if op in ("eq", "ult", "slt") and a is b:
        return const(1, op == "eq")
    if not b.is_const():
        return const(width, 0) if a.is_const(0) and op in ("shl", "lshr", "ashr") else None
    if op in ("or", "xor", "add", "sub", "shl", "lshr", "ashr") and b.value == 0:
        return a
    if op in ("and", "mul") and b.value == 0:
        return b
    if op == "or" and b.value == ones:
        return b
    if (op == "and" and b.value == ones) or (op == "mul" and b.value == 1):
        return a
    if op == "xor" and b.value == ones:
        return negated(a)
    if op == "ult" and b.value == 0:
        return ZERO
    return None


def split_at_constants(op, a, b):
    """and, or, xor of parts beside each other, where that lets constants fold; else None."""
    if op not in ("and", "or", "xor") or not any(w.op in ("cat", "const") for w in (a, b)):
        return None
    cuts = {0, a.width}
    for word in (a, b):
        if word.op == "cat":
            at = 0
            for part in word.args:
                at += part.width
                cuts.add(at)
    if b.op == "const" and op == "and":  # a mask of low bits
        for at in range(1, b.width):
            if (b.value >> at & 1) != (b.value >> (at - 1) & 1):
                cuts.add(at)
    cuts = sorted(cuts)
    if len(cuts) == 2 or len(cuts) > 18:
        return None
    pieces = [(slice_of(a, low, high - low), slice_of(b, low, high - low)) for low, high in zip(cuts, cuts[1:])]
    if not any(x.op == "const" or y.op == "const" for x, y in pieces):
        return None
    return cat([binary(op, x, y) for x, y in pieces])


def largest(word):
    return word.value if word.is_const() else (1 << used(word)) - 1


def without_overflow(op, a, b):
    """A sum or product whose upper bits are always 0, in as few bits as it needs; else None."""
    if op == "add" and b.is_const() and not b.value & largest(a):
        return binary("or", a, b)
    width = (largest(a) + largest(b) if op == "add" else largest(a) * largest(b)).bit_length()
    if not 0 < width < a.width:
        return None
    return zero_extended(binary(op, slice_of(a, 0, width), slice_of(b, 0, width)), a.width)


def binary(op, a, b):
    """`a` op `b`. eq, ult and slt give one bit, the others a word as wide as both."""
    result = 1 if op in ("eq", "ult", "slt") else a.width
    if a.op == b.op == "const":
        value = calculated(op, a.value, b.value, a.width)
        if value is not None:
            return const(result, value)
    if op in COMMUTE and (a.op == "const" or (b.op != "const" and a.number > b.number)):
        a, b = b, a
    found = simpler(op, a, b) or split_at_constants(op, a, b)
    if found:
        return found
    if op in ("eq", "ult", "udiv", "urem"):
        width = max(used(a), used(b), 1)
        if width < a.width:
            less = binary(op, slice_of(a, 0, width), slice_of(b, 0, width))
            return less if result == 1 else zero_extended(less, result)
    if op in ("add", "mul"):
        found = without_overflow(op, a, b)
        if found:
            return found
    if op == "eq" and b.is_const() and a.op == "cat" and any(p.is_const() for p in a.args):
        at, equal = 0, ONE
        for part in a.args:
            equal = both_of(equal, binary("eq", part, const(part.width, b.value >> at)))
            at += part.width
        return equal
    if op == "eq" and a.width == 1 and b.op == "const":
        return a if b.value else negated(a)
    if op == "ult" and b.is_const() and b.value >> used(a):
        return ONE
    if op in ("shl", "lshr") and b.is_const():
        n = b.value
        if n >= a.width:
            return const(a.width, 0)
        kept = slice_of(a, n if op == "lshr" else 0, a.width - n)
        return cat([const(n, 0), kept]) if op == "shl" else zero_extended(kept, a.width)
    return make(result, op, (a, b))


def printed(word):
    if word.op == "const":
        return f"{word.width}'h{word.value:x}"
    if word.op == "input":
        return word.value
    return f"w{word.number}"


def expression(word):
    """The word in Verilog, in terms of those it is made of."""
    args = [printed(a) for a in word.args]
    if word.op == "cat":
        return "{" + ", ".join(reversed(args)) + "}"
    if word.op == "slice":
        return f"{args[0]}[{word.value + word.width - 1}:{word.value}]"
    if word.op == "ite":
        return f"{args[0]} ? {args[1]} : {args[2]}"
    if word.op == "not":
        return f"~{args[0]}"
    if word.op == "ashr":
        return f"$signed({args[0]}) >>> {args[1]}"
    if word.op in ("slt", "sdiv", "srem"):
        sign = {"slt": "<", "sdiv": "/", "srem": "%"}[word.op]
        return f"$signed({args[0]}) {sign} $signed({args[1]})"
    return f"{args[0]} {SYMBOLS[word.op]} {args[1]}"


def needed(roots):
    """Every word that the roots are made of, each after its arguments."""
    seen, order, stack = set(), [], [(w, False) for w in roots]
    while stack:
        word, done = stack.pop()
        if done:
            order.append(word)
        elif word.number not in seen:
            seen.add(word.number)
            stack.append((word, True))
            stack.extend((a, False) for a in word.args)
    return order


def declarations(roots):
    """A wire for each word that the roots need; an input is the name of something else."""
    return [f"  wire [{w.width - 1}:0] w{w.number} = {expression(w)};"
            for w in needed(roots) if w.op not in ("const", "input")]
