# SPDX-License-Identifier: Apache-2.0
"""Expressions over parameters as the lists of devices (csim/D/N.def) write them, a piece of C.

    parse("loom_clog2(P(DEPTH) + 1)", {"DEPTH"})({"DEPTH": 16})     gives 5

Numbers, P(NAME) for the value of a parameter, + - * / %, comparisons, ! && ||, ?: and parentheses bind
as in C; loom_clog2(n), loom_max(a, b) and loom_min(a, b) are those of loom/bits.h. As in C only what
decides is evaluated, so that `P(N) ? 8 / P(N) : 0` is good for 0.
"""

import re

TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]+|\d+)|(\w+)|(&&|\|\||[=!<>]=|[-+*/%<>!?:(),])|(\S))")
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))


class Wrong(Exception):
    """An expression that is none, or has no value."""


def clog2(n):
    """The bits that n values need."""
    return (n - 1).bit_length() if n > 1 else 0


FUNCTIONS = {"loom_clog2": (clog2, 1), "loom_max": (max, 2), "loom_min": (min, 2)}


def divide(a, b):
    """As C does: towards zero."""
    if b == 0:
        raise Wrong("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATORS = {
    "||": lambda a, b: lambda v: int(a(v) != 0 or b(v) != 0),
    "&&": lambda a, b: lambda v: int(a(v) != 0 and b(v) != 0),
    "==": lambda a, b: lambda v: int(a(v) == b(v)),
    "!=": lambda a, b: lambda v: int(a(v) != b(v)),
    "<": lambda a, b: lambda v: int(a(v) < b(v)),
    ">": lambda a, b: lambda v: int(a(v) > b(v)),
    "<=": lambda a, b: lambda v: int(a(v) <= b(v)),
    ">=": lambda a, b: lambda v: int(a(v) >= b(v)),
    "+": lambda a, b: lambda v: a(v) + b(v),
    "-": lambda a, b: lambda v: a(v) - b(v),
    "*": lambda a, b: lambda v: a(v) * b(v),
    "/": lambda a, b: lambda v: divide(a(v), b(v)),
    "%": lambda a, b: lambda v: a(v) - b(v) * divide(a(v), b(v)),
}


def tokens(text):
    """[(what it is, its text)], with an end."""
    found = []
    for m in TOKEN.finditer(text.rstrip()):
        number, name, sign, other = m.groups()
        if other:
            raise Wrong(f"`{other}` is no part of an expression")
        found.append(("number", number) if number else ("name", name) if name else ("sign", sign))
    return [*found, ("end", "the end")]


class Parser:
    """Recursive descent; each method gives a function from the parameters' values to a number."""

    def __init__(self, text, known):
        self.tokens, self.at, self.known = tokens(text), 0, known

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def next_is(self, *signs):
        kind, text = self.tokens[self.at]
        return kind == "sign" and text in signs

    def expect(self, sign):
        kind, text = self.take()
        if (kind, text) != ("sign", sign):
            raise Wrong(f"`{sign}` expected, not {text}")

    def choice(self):
        condition = self.binary(0)
        if not self.next_is("?"):
            return condition
        self.take()
        yes = self.choice()
        self.expect(":")
        no = self.choice()
        return lambda v: yes(v) if condition(v) else no(v)

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.next_is(*LEVELS[level]):
            operator = OPERATORS[self.take()[1]]
            left = operator(left, self.binary(level + 1))
        return left

    def unary(self):
        if self.next_is("!"):
            self.take()
            what = self.unary()
            return lambda v: int(what(v) == 0)
        if self.next_is("-"):
            self.take()
            what = self.unary()
            return lambda v: -what(v)
        return self.primary()

    def primary(self):
        kind, text = self.take()
        if kind == "number":
            value = int(text, 0) if text == "0" or text[:2] == "0x" or text[0] != "0" else None
            if value is None:
                raise Wrong(f"{text}: a decimal number begins with no 0")
            return lambda v: value
        if (kind, text) == ("sign", "("):
            inside = self.choice()
            self.expect(")")
            return inside
        if kind == "name":
            self.expect("(")
            return self.parameter() if text == "P" else self.call(text)
        raise Wrong(f"a number, a name or `(` expected, not {text}")

    def parameter(self):
        _, name = self.take()
        if name not in self.known:
            raise Wrong(f"{name}: no such parameter")
        self.expect(")")
        return lambda v: v[name]

    def call(self, name):
        if name not in FUNCTIONS:
            raise Wrong(f"{name}: no such function")
        function, count = FUNCTIONS[name]
        arguments = [self.choice()]
        while self.next_is(","):
            self.take()
            arguments.append(self.choice())
        self.expect(")")
        if len(arguments) != count:
            raise Wrong(f"{name}: takes {count} arguments, not {len(arguments)}")
        return lambda v: function(*(a(v) for a in arguments))


def parse(text, known):
    """A function from {name: value} of the parameters `known` to the value of the expression."""
    parser = Parser(text, known)
    whole = parser.choice()
    kind, left = parser.take()
    if kind != "end":
        raise Wrong(f"`{left}` is too much")
    return whole
