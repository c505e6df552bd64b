# SPDX-License-Identifier: Apache-2.0
"""Where faults can stand in a C file, and the file with some of them in it, each behind a switch (docs/mutation.md).

Clang parses the file, so a fault stands only where C allows another expression or no statement.
What a macro wrote is left alone, and so is whatever must be a constant.
"""

import hashlib
import json
import re
import subprocess
import sys

sys.setrecursionlimit(100000)

# Another operator that C accepts wherever it accepts the first.
OTHER = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
         "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "&": ("|",), "|": ("&",), "^": ("|",),
         "<<": (">>",), ">>": ("<<",), "&&": ("||",), "||": ("&&",),
         "+=": ("-=",), "-=": ("+=",), "*=": ("+=",), "|=": ("&=",), "&=": ("|=",), "^=": ("|=",), "<<=": (">>=",),
         ">>=": ("<<=",)}
# What must be a constant, or is never evaluated.
CONSTANT = {"ConstantExpr", "UnaryExprOrTypeTraitExpr", "OffsetOfExpr", "StaticAssertDecl", "EnumDecl", "RecordDecl",
            "StmtExpr", "GenericSelectionExpr", "PredefinedExpr"}
DELETED = {"CallExpr", "BinaryOperator", "CompoundAssignOperator", "UnaryOperator", "BreakStmt", "ContinueStmt"}
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Fault:
    """Text `alternative` for the bytes begin..end of the file; None: the statement there is deleted."""

    def __init__(self, file, function, begin, end, what, alternative):
        self.file, self.function, self.begin, self.end = file, function, begin, end
        self.what, self.alternative = what, alternative
        self.line, self.text, self.name = 0, "", ""


def parse(path, flags):
    done = subprocess.run(["clang", "-fsyntax-only", "-w", *flags, "-Xclang", "-ast-dump=json", path], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise ValueError(f"{path}: {(done.stderr.strip().splitlines() or ['clang: no message'])[0]}")
    return json.loads(done.stdout)


class Places:
    """Clang names the file of a place only where it is another one than that of the place before."""

    def __init__(self):
        self.file = None

    def settle(self, node):
        if isinstance(node, list):
            for n in node:
                self.settle(n)
        elif isinstance(node, dict):
            if "offset" in node:
                self.file = node["file"] = node.get("file", self.file)
            else:
                for key, n in node.items():
                    if isinstance(n, (dict, list)) and key != "includedFrom":
                        self.settle(n)


class File:
    """All faults of a file."""

    def __init__(self, path, flags):
        self.path, self.faults, self.fields = path, [], {}
        with open(path, "rb") as f:
            self.bytes = f.read()
        unit = parse(path, flags)
        places = Places()
        for decl in unit["inner"]:
            places.settle({k: decl[k] for k in ("loc", "range", "inner") if k in decl})
            self.read_fields(decl)
            if decl["kind"] == "FunctionDecl" and self.span(decl):
                self.function, self.scopes = decl["name"], [{}]
                self.result = decl["type"]["qualType"].split("(")[0].strip()
                for n in decl.get("inner", []):
                    if n["kind"] == "ParmVarDecl" and "name" in n:
                        self.declare(n)
                    elif n["kind"] == "CompoundStmt":
                        self.statement(n)
        self.name_them()

    # ---- what stands where ----

    def span(self, node):
        """(begin, end) in this file; None: elsewhere, or a macro wrote it."""
        begin, end = node["range"].get("begin", {}), node["range"].get("end", {})
        if begin.get("file") != self.path or end.get("file") != self.path:
            return None
        return begin["offset"], end["offset"] + end["tokLen"]

    def text(self, begin, end):
        return self.bytes[begin:end].decode()

    def add(self, span, what, alternative):
        if span and "#" not in self.text(*span):
            self.faults.append(Fault(self.path, self.function, *span, what, alternative))

    def name_them(self):
        """A name says what a fault is and stays while other places of the file change."""
        seen = {}
        for f in self.faults:
            f.line = self.bytes.count(b"\n", 0, f.begin) + 1
            f.text = self.bytes.split(b"\n")[f.line - 1].decode().strip()
            key = f"{f.file} {f.function} {f.text} {self.text(f.begin, f.end)} {f.what}"
            seen[key] = seen.get(key, 0) + 1
            f.name = hashlib.sha256(f"{key} {seen[key]}".encode()).hexdigest()[:16]

    # ---- what has a name ----

    def read_fields(self, decl):
        if decl["kind"] == "RecordDecl":
            fields = [n for n in decl.get("inner", []) if n["kind"] == "FieldDecl" and "name" in n]
            for n in fields:
                self.fields[n["id"]] = fields
        for n in decl.get("inner", []) if decl["kind"] in ("RecordDecl", "TypedefDecl") else []:
            self.read_fields(n)

    def declare(self, decl):
        form = decl["type"]["qualType"]
        form = re.sub(r"\*const$", "*", form) if form.endswith(("*", "*const")) else form.removeprefix("const ")
        self.scopes[-1][decl["id"]] = (decl["name"], form)

    # ---- statements ----

    def statement(self, node):
        """A place where a statement stands, and all below it."""
        kind = node.get("kind")
        inner = [n for n in node.get("inner", []) if n]
        if kind in DELETED and node.get("opcode", "=") in ("=", "++", "--", *OTHER):
            self.delete(node)
        if kind == "CompoundStmt":
            self.scopes.append({})
            for n in inner:
                self.statement(n)
            self.scopes.pop()
        elif kind in ("IfStmt", "WhileStmt"):
            self.condition(inner[0])
            for n in inner[1:]:
                self.statement(n)
        elif kind == "DoStmt":
            self.statement(inner[0])
            self.condition(inner[1])
        elif kind == "ForStmt":
            self.loop(node)
        elif kind == "SwitchStmt":
            self.expression(inner[0])
            self.statement(inner[1])
        elif kind in ("CaseStmt", "DefaultStmt", "LabelStmt"):
            self.statement(inner[-1])
        elif kind == "ReturnStmt":
            self.returned(inner)
        else:
            self.expression(node)

    def loop(self, node):
        begin, _, condition, step, body = node["inner"]
        self.scopes.append({})
        self.expression(begin)
        if condition:
            self.condition(condition)
        self.expression(step)
        self.statement(body)
        self.scopes.pop()

    def delete(self, node):
        span = self.span(node)
        rest = COMMENT.sub(lambda m: " " * len(m[0]), self.text(span[1], len(self.bytes))) if span else ""
        if rest.lstrip().startswith(";"):
            self.add((span[0], span[1] + rest.index(";") + 1), "statement deleted", None)

    def condition(self, node):
        span = self.span(node)
        if span:
            self.add(span, "condition negated", f"!({self.text(*span)})")
        self.expression(node)

    def returned(self, inner):
        if not inner:
            return
        span = self.span(inner[0])
        if span and self.result.endswith("*"):
            self.add(span, "NULL returned", "(void *)0")
        elif span and self.result == "_Bool":
            self.add(span, "returned value negated", f"!({self.text(*span)})")
        elif span and re.fullmatch(r"u?int\d+_t|int|unsigned|unsigned int|size_t|double", self.result):
            self.add(span, "1 more returned", f"({self.text(*span)}) + 1")
            self.add(span, "0 returned", "0")
        self.expression(inner[0])

    # ---- expressions ----

    def expression(self, node, parent=None):
        kind = node.get("kind")
        if not kind or kind in CONSTANT or node.get("castKind") == "NullToPointer":
            return
        if kind == "VarDecl":
            if node.get("storageClass") == "static":
                return
            if "init" in node:
                self.expression(node["inner"][-1])
                self.declare(node)
            return
        change = getattr(self, f"of_{kind}", None)
        if change and "range" in node:
            change(node, parent)
        inner = node.get("inner", [])
        if kind == "ConditionalOperator":
            self.condition(inner[0])
            inner = inner[1:]
        for n in inner:
            self.expression(n, node)

    def of_BinaryOperator(self, node, _):
        left, right = node["inner"]
        span, a, b = self.span(node), self.span(left), self.span(right)
        of = [n["type"]["qualType"].endswith("*") for n in (left, right)]
        sign = node["opcode"]
        if not (span and a and b) or (sign in "+-" and of[1]):
            return
        between = COMMENT.sub("", self.text(a[1], b[0])).strip()
        if between == sign:
            for other in OTHER.get(sign, ()):
                self.add(span, f"{other} for {sign}", f"{self.text(*a)} {other} {self.text(*b)}")

    of_CompoundAssignOperator = of_BinaryOperator

    def of_UnaryOperator(self, node, _):
        span, a = self.span(node), self.span(node["inner"][0])
        sign = node["opcode"]
        if not (span and a):
            return
        if sign in ("!", "-", "~"):
            self.add(span, f"no {sign}", f"!!{self.text(*a)}" if sign == "!" else self.text(*a))
        if sign in ("++", "--"):
            other = "--" if sign == "++" else "++"
            text = self.text(*a)
            self.add(span, f"{other} for {sign}", f"{text}{other}" if node.get("isPostfix") else f"{other}{text}")

    def of_IntegerLiteral(self, node, _):
        span, word = self.span(node), self.word(node)
        if word:
            self.add(word[:2], "true for false" if word[2] == "false" else "false for true", str(int(word[2] == "false")))
        elif span:
            text = self.text(*span)
            self.add(span, "constant + 1", f"({text} + 1)")
            if int(node["value"]) > 0:
                self.add(span, "constant - 1", f"({text} - 1)")

    def word(self, node):
        """`true` and `false` are macros."""
        place = node["range"]["begin"].get("expansionLoc", {})
        if place.get("file") != self.path:
            return None
        begin, end = place["offset"], place["offset"] + place["tokLen"]
        text = self.text(begin, end)
        return (begin, end, text) if text in ("true", "false") else None

    def of_DeclRefExpr(self, node, parent):
        """The value of another variable of the same type, of those that have one by now."""
        decl = node["referencedDecl"]
        span = self.span(node)
        known = {}
        for scope in self.scopes:
            known.update(scope)
        if span and parent and parent.get("castKind") == "LValueToRValue" and decl["id"] in known:
            name, form = known[decl["id"]]
            others = [n for n, t in known.values() if t == form and n != name]
            if others:
                self.add(span, f"{self.drawn(others, name, span)} for {name}", self.drawn(others, name, span))

    def of_MemberExpr(self, node, parent):
        """Another member of the same type."""
        fields = self.fields.get(node.get("referencedMemberDecl"), [])
        span = self.span(node)
        if not (span and parent and parent.get("castKind") == "LValueToRValue"):
            return
        own = node["name"]
        form = next((n["type"]["qualType"] for n in fields if n["name"] == own), None)
        others = [n["name"] for n in fields if n["type"]["qualType"] == form and n["name"] != own]
        text = self.text(*span)
        if others and text.endswith(own):
            other = self.drawn(others, own, span)
            self.add(span, f"{other} for {own}", text[:len(text) - len(own)] + other)

    def drawn(self, names, own, span):
        """One of them, the same one while the place stands."""
        around = self.text(max(0, span[0] - 20), span[1])
        return min(names, key=lambda n: hashlib.sha256(f"{n} {own} {around}".encode()).digest())


def drawn(faults, share, seed):
    """This share of the faults, at least one. A fault that is drawn stays drawn while its own line stands."""
    order = sorted(faults, key=lambda f: hashlib.sha256(f"{seed} {f.name}".encode()).digest())
    return sorted(order[:max(1, round(len(faults) * share))], key=lambda f: (f.begin, -f.end))


def planted(text, faults):
    """The file with these [(number, fault)], each behind LOOM_MUTANT(number). Lines stay where they are."""
    at = {}
    for number, f in faults:
        at.setdefault((f.begin, f.end, f.alternative is None), []).append((number, f.alternative))
    spans = sorted(at, key=lambda s: (s[0], -s[1], not s[2]))
    out, _ = nest(text, spans, at, 0, 0, len(text))
    return out


def nest(text, spans, at, first, begin, end):
    """Bytes begin..end with the spans from `first` on that lie there; and the first span that does not."""
    out = b""
    while first < len(spans) and spans[first][0] >= begin and spans[first][1] <= end:
        b, e, whole = span = spans[first]
        inside, first = nest(text, spans, at, first + 1, b, e)
        out += text[begin:b] + switched(inside, at[span], whole)
        begin = e
    return out + text[begin:end], first


def switched(inside, ways, whole):
    if whole:
        return b"{ if (!LOOM_MUTANT(%d)) " % ways[0][0] + inside + b" }"
    out = b"("
    for number, alternative in ways:
        flat = " ".join(COMMENT.sub(" ", alternative).split())
        out += b"LOOM_MUTANT(%d) ? (" % number + flat.encode() + b") : "
    return out + b"(" + inside + b"))"
