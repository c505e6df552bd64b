# SPDX-License-Identifier: Apache-2.0
"""The text of LLVM's intermediate representation, read into types, functions and instructions.

Only what a twin needs is read: integers up to 128 bits, pointers, arrays and structs. Vectors, floating
point, exceptions, atomic and volatile accesses are refused, and whatever is not known here.
"""

import copy
import re

TOKEN = re.compile(r"""
    (?P<string>c?"(?:[^"\\]|\\.)*") | (?P<comment>;[^\n]*) |
    (?P<local>%(?:"[^"]*"|[\w.$-]+)) | (?P<global>@(?:"[^"]*"|[\w.$-]+)) |
    (?P<meta>![\w.]*(?:\([^)\n]*\))?) | (?P<attribute>\#\d+) |
    (?P<number>-?\d+\b(?![\w.])) | (?P<word>[A-Za-z_$][\w.$-]*) | (?P<float>-?\d+\.[\de+-]+|0x[0-9A-F]+) |
    (?P<sign>\.\.\.|[()\[\]{}<>,=*:|]) | (?P<space>[ \t]+)""", re.X)
# Words that say how something may be made faster; what they promise is not used here.
HINTS = {"tail", "musttail", "notail", "fastcc", "inbounds", "nuw", "nsw", "exact", "noundef", "nonnull", "noalias",
         "nocapture", "readonly", "readnone", "writeonly", "immarg", "returned", "signext", "zeroext", "nofree", "inreg",
         "dso_local", "unnamed_addr", "local_unnamed_addr", "internal", "private", "hidden", "linkonce_odr", "nest"}
OPERATIONS = {"add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "and", "or", "xor", "shl", "lshr", "ashr"}
CASTS = {"zext", "sext", "trunc", "bitcast"}


class Refused(Exception):
    """What the translator does not accept; its text is the line for stderr."""


class Type:
    """kind: int (size bits), ptr, array (size, of), struct (fields, packed), void, function."""

    def __init__(self, kind, size=0, of=None, fields=(), packed=False):
        self.kind, self.size, self.of, self.fields, self.packed = kind, size, of, fields, packed


class Instruction:
    """`name` = `op` of `operands`, in the line `line`; what else it says stands in `more`."""

    def __init__(self, op, name, line, operands=(), **more):
        self.op, self.name, self.line, self.operands, self.more = op, name, line, operands, more


class Function:
    def __init__(self, name, parameters):
        self.name, self.parameters, self.blocks = name, parameters, {}


class Operand:
    """A value of a type: local (%x), global (@x), int, null, undef, zero, or a constant address."""

    def __init__(self, type_, kind, value=None):
        self.type, self.kind, self.value = type_, kind, value


class Tokens:
    """The tokens of one line."""

    def __init__(self, text, where):
        self.where, self.text, self.list, at = where, text.strip(), [], 0
        while at < len(text):
            m = TOKEN.match(text, at)
            if not m:
                raise Refused(f"{where}: not read: {text[at:].strip()[:60]}")
            if m.lastgroup not in ("space", "comment"):
                self.list.append((m.lastgroup, m[0]))
            at = m.end()
        self.at = 0

    def again(self):
        """The same tokens, to be read once more from where this reader stands."""
        return copy.copy(self)

    def peek(self, ahead=0):
        return self.list[self.at + ahead] if self.at + ahead < len(self.list) else ("end", "")

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def next_is(self, text):
        return self.peek()[1] == text

    def accept(self, text):
        if self.next_is(text):
            self.at += 1
            return True
        return False

    def expect(self, text):
        if not self.accept(text):
            raise self.refused(f"`{text}` expected")

    def refused(self, why=""):
        return Refused(f"{self.where}: {why + ': ' if why else 'not accepted: '}{self.text[:90]}")

    def skip_hints(self):
        while True:
            kind, text = self.peek()
            if text in HINTS or kind == "attribute":
                self.at += 1
            elif text in ("align", "dereferenceable", "dereferenceable_or_null"):
                self.at += 1
                while self.peek()[0] == "number" or self.peek()[1] in ("(", ")"):
                    if self.take()[1] == ")":
                        break
                    if text == "align" and not self.next_is(")"):
                        break
            elif text == "range" or text.startswith("range("):
                raise self.refused()
            else:
                return


class Module:
    """Every type, constant and function of a file of LLVM's text."""

    def __init__(self, text, path):
        self.path, self.types, self.texts, self.globals, self.functions = path, {}, {}, {}, {}
        lines = text.split("\n")
        number = 0
        while number < len(lines):
            line = lines[number]
            where = f"{path}:{number + 1}"
            if re.match(r"%\S+ = type ", line):
                name, _, rest = line.partition(" = type ")
                self.texts[name] = (rest, where)
            elif line.startswith("@"):
                self.global_(line, where)
            elif line.startswith("define "):
                number = self.function(lines, number)
            elif not re.match(r"(;|!|\^|target |source_filename|declare |attributes |\s*$)", line):
                raise Refused(f"{where}: not accepted: {line[:90]}")
            number += 1

    # ---- types -------------------------------------------------------------------------------

    def named(self, name, where):
        if name not in self.types:
            if name not in self.texts:
                raise Refused(f"{where}: {name}: no such type")
            self.types[name] = found = Type("struct")
            rest, where = self.texts[name]
            if rest.strip() == "opaque":
                raise Refused(f"{where}: {name}: a type without a body")
            read = self.type(Tokens(rest, where))
            found.fields, found.packed = read.fields, read.packed
        return self.types[name]

    def type(self, tokens):
        kind, text = tokens.take()
        if kind == "word" and re.fullmatch(r"i\d+", text):
            found = Type("int", int(text[1:]))
            if not 1 <= found.size <= 128:
                raise tokens.refused(f"{text}: wider than 128 bits")
        elif text == "void":
            found = Type("void")
        elif text == "ptr":
            found = Type("ptr")
        elif kind == "local":
            # Behind a pointer a struct need not be known yet.
            found = Type("later", of=text) if tokens.next_is("*") else self.named(text, tokens.where)
        elif text == "[":
            _, count = tokens.take()
            tokens.expect("x")
            found = Type("array", int(count), self.type(tokens))
            tokens.expect("]")
        elif text == "{" or (text == "<" and tokens.next_is("{")):
            found = self.struct(tokens, text == "<")
        else:
            raise tokens.refused(f"type {text}")
        if tokens.next_is("("):
            self.skip_parentheses(tokens)
            found = Type("function")
        while tokens.accept("*"):
            found = Type("ptr", of=found)
        return found

    def struct(self, tokens, packed):
        if packed:
            tokens.expect("{")
        fields = []
        while not tokens.accept("}"):
            fields.append(self.type(tokens))
            tokens.accept(",")
        if packed:
            tokens.expect(">")
        return Type("struct", fields=tuple(fields), packed=packed)

    @staticmethod
    def skip_parentheses(tokens):
        depth = 0
        while True:
            kind, text = tokens.take()
            depth += (text == "(") - (text == ")")
            if depth == 0:
                return
            if kind == "end":
                raise tokens.refused("`)` expected")

    def layout(self, type_):
        """(bytes, alignment) of a type on x86-64."""
        if type_.kind == "ptr":
            return 8, 8
        if type_.kind == "int":
            size = 1
            while 8 * size < type_.size:
                size *= 2
            return size, min(size, 8)
        if type_.kind == "array":
            size, align = self.layout(type_.of)
            return type_.size * size, align
        if type_.kind == "later":
            return self.layout(self.named(type_.of, self.path))
        if type_.kind != "struct":
            raise Refused(f"{self.path}: no size of a {type_.kind}")
        at, align = 0, 1
        for field in type_.fields:
            size, own = self.layout(field)
            own = 1 if type_.packed else own
            align = max(align, own)
            at = (at + own - 1) // own * own + size
        return (at + align - 1) // align * align, align

    def field(self, type_, index):
        """(offset, type) of a field of a struct."""
        at = 0
        for number, field in enumerate(type_.fields):
            size, own = self.layout(field)
            own = 1 if type_.packed else own
            at = (at + own - 1) // own * own
            if number == index:
                return at, field
            at += size
        raise Refused(f"{self.path}: no field {index}")

    # ---- constants and functions -------------------------------------------------------------

    def global_(self, line, where):
        tokens = Tokens(re.sub(r", (align|section|comdat).*| #\d+.*", "", line), where)
        _, name = tokens.take()
        tokens.expect("=")
        tokens.skip_hints()
        kind = tokens.take()[1]
        if kind not in ("constant", "global"):
            raise tokens.refused()
        self.globals[name] = (kind, tokens)

    def function(self, lines, number):
        """The function whose first line has this number; returns the number of its last line."""
        where = f"{self.path}:{number + 1}"
        head = re.match(r"define .*?(@[\w.$-]+|@\"[^\"]*\")(\(.*\))[^()]*\{$", lines[number])
        if not head:
            raise Refused(f"{where}: not accepted: {lines[number][:90]}")
        tokens, parameters = Tokens(head[2], where), []
        tokens.expect("(")
        while not tokens.accept(")"):
            parameters.append(self.operand(tokens))
            tokens.accept(",")
        found = self.functions[head[1][1:].strip('"')] = Function(head[1], parameters)
        number += 1
        first = re.match(r'("[^"]*"|[\w.$-]+):', lines[number])
        block = found.blocks["%" + (first[1] if first else str(len(parameters)))] = []
        while lines[number] != "}":
            line, where = lines[number], f"{self.path}:{number + 1}"
            label = re.match(r'("[^"]*"|[\w.$-]+):', line)
            if label:
                block = found.blocks["%" + label[1]] = []
            elif line.strip() and not line.strip().startswith(";"):
                while line.rstrip().endswith("[") and line.lstrip().startswith("switch"):
                    while "]" not in lines[number]:
                        number += 1
                        line += " " + lines[number]
                block.append((line, where))
            number += 1
        return number

    def instructions(self, function):
        """{block: [Instruction]} of a function."""
        return {name: [self.instruction(*line) for line in block] for name, block in function.blocks.items()}

    # ---- instructions ------------------------------------------------------------------------

    def value(self, tokens, type_):
        tokens.skip_hints()
        kind, text = tokens.take()
        if kind in ("local", "global"):
            return Operand(type_, kind, text)
        if kind == "number":
            return Operand(type_, "int", int(text))
        if text in ("true", "false"):
            return Operand(type_, "int", int(text == "true"))
        if text in ("null", "zeroinitializer", "undef", "poison"):
            return Operand(type_, {"poison": "undef"}.get(text, text))
        if text in ("getelementptr", "bitcast"):
            return Operand(type_, "address", self.constant_address(text, tokens))
        raise tokens.refused(f"value {text}")

    def constant_address(self, op, tokens):
        tokens.skip_hints()
        tokens.expect("(")
        if op == "bitcast":
            found = Instruction("bitcast", None, tokens.where, (self.operand(tokens),))
            tokens.expect("to")
            self.type(tokens)
        else:
            found = self.getelementptr(tokens, None)
        tokens.expect(")")
        return found

    def operand(self, tokens):
        tokens.skip_hints()
        type_ = self.type(tokens)
        return self.value(tokens, type_)

    def getelementptr(self, tokens, name):
        of = self.type(tokens)
        operands = []
        while tokens.accept(","):
            if tokens.peek()[0] == "meta":
                break
            operands.append(self.operand(tokens))
        return Instruction("getelementptr", name, tokens.where, tuple(operands), type=of)

    @staticmethod
    def label(tokens):
        tokens.expect("label")
        return tokens.take()[1]

    def instruction(self, line, where):
        tokens = Tokens(line, where)
        name = None
        if tokens.peek()[0] == "local":
            name = tokens.take()[1]
            tokens.expect("=")
        tokens.skip_hints()
        op = tokens.take()[1]
        tokens.skip_hints()
        reader = getattr(self, f"read_{op}", None)
        if op in OPERATIONS:
            found = self.read_operation(op, tokens, name)
        elif op in CASTS:
            operand = self.operand(tokens)
            tokens.expect("to")
            found = Instruction(op, name, where, (operand,), type=self.type(tokens))
        elif reader:
            found = reader(tokens, name)
        else:
            raise tokens.refused()
        self.end(tokens)
        return found

    @staticmethod
    def end(tokens):
        """Only metadata, alignment and attributes may follow."""
        while tokens.peek()[0] != "end":
            tokens.skip_hints()
            kind, _ = tokens.peek()
            if not (tokens.accept(",") or kind == "meta" or kind == "end"):
                raise tokens.refused()
            if kind == "meta":
                tokens.take()

    def read_operation(self, op, tokens, name):
        first = self.operand(tokens)
        tokens.expect(",")
        return Instruction(op, name, tokens.where, (first, self.value(tokens, first.type)))

    def read_icmp(self, tokens, name):
        relation = tokens.take()[1]
        first = self.operand(tokens)
        tokens.expect(",")
        return Instruction("icmp", name, tokens.where, (first, self.value(tokens, first.type)), relation=relation)

    def read_select(self, tokens, name):
        condition = self.operand(tokens)
        tokens.expect(",")
        then = self.operand(tokens)
        tokens.expect(",")
        return Instruction("select", name, tokens.where, (condition, then, self.operand(tokens)))

    def read_getelementptr(self, tokens, name):
        return self.getelementptr(tokens, name)

    def read_load(self, tokens, name):
        type_ = self.type(tokens)
        tokens.expect(",")
        return Instruction("load", name, tokens.where, (self.operand(tokens),), type=type_)

    def read_store(self, tokens, name):
        value = self.operand(tokens)
        tokens.expect(",")
        return Instruction("store", name, tokens.where, (value, self.operand(tokens)))

    def read_alloca(self, tokens, name):
        return Instruction("alloca", name, tokens.where, (), type=self.type(tokens))

    def read_phi(self, tokens, name):
        type_ = self.type(tokens)
        ways = {}
        while tokens.accept("["):
            value = self.value(tokens, type_)
            tokens.expect(",")
            ways[tokens.take()[1]] = value
            tokens.expect("]")
            if tokens.peek(1)[1] == "[":
                tokens.expect(",")
        return Instruction("phi", name, tokens.where, (), ways=ways, type=type_)

    def read_extractvalue(self, tokens, name):
        value = self.operand(tokens)
        tokens.expect(",")
        return Instruction("extractvalue", name, tokens.where, (value,), index=int(tokens.take()[1]))

    def read_call(self, tokens, name):
        self.type(tokens)
        kind, callee = tokens.take()
        if kind != "global":
            raise tokens.refused("a call through a pointer")
        tokens.expect("(")
        operands = []
        while not tokens.accept(")"):
            if tokens.accept("metadata"):
                while not (tokens.next_is(",") or tokens.next_is(")")):
                    tokens.take()
            else:
                operands.append(self.operand(tokens))
            tokens.accept(",")
        return Instruction("call", name, tokens.where, tuple(operands), callee=callee[1:])

    def read_br(self, tokens, _):
        if tokens.next_is("label"):
            return Instruction("br", None, tokens.where, (), labels=[self.label(tokens)])
        condition = self.operand(tokens)
        tokens.expect(",")
        labels = [self.label(tokens)]
        tokens.expect(",")
        return Instruction("br", None, tokens.where, (condition,), labels=[*labels, self.label(tokens)])

    def read_switch(self, tokens, _):
        value = self.operand(tokens)
        tokens.expect(",")
        labels, cases = [self.label(tokens)], []
        tokens.expect("[")
        while not tokens.accept("]"):
            cases.append(self.operand(tokens).value)
            tokens.expect(",")
            labels.append(self.label(tokens))
        return Instruction("switch", None, tokens.where, (value,), labels=labels, cases=cases)

    def read_ret(self, tokens, _):
        type_ = self.type(tokens)
        return Instruction("ret", None, tokens.where, () if type_.kind == "void" else (self.value(tokens, type_),))

    @staticmethod
    def read_unreachable(tokens, _):
        return Instruction("unreachable", None, tokens.where)
