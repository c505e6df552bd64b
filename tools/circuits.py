# SPDX-License-Identifier: Apache-2.0
"""The modules below rtl/, and what each instantiates: for lists of files, lint, synthesis and proofs."""

import re

INSTANCE = re.compile(r"^\s*(loom_\w+)\s*(?:#\s*\(|\w+\s*\()", re.M)


def uncomment(text):
    """Verilog without comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


class Circuits:
    """The modules of one folder `rtl` (a Path): path and text of each by name."""

    def __init__(self, rtl, *more):
        """more: modules that stand elsewhere and use these."""
        self.rtl = rtl
        self.path = {p.stem: p for p in [*sorted(rtl.glob("*/loom_*.v")), *more]}
        self.text = {name: path.read_text() for name, path in self.path.items()}

    def used(self, text):
        """The modules of this folder that a text of Verilog instantiates, by name."""
        return sorted(set(INSTANCE.findall(uncomment(text))) & set(self.path))

    def below(self, text):
        """The modules that a text needs, each after those that it has inside."""
        found, seen = [], set()

        def visit(name):
            if name not in seen:
                seen.add(name)
                for used in self.used(self.text[name]):
                    visit(used)
                found.append(name)
        for name in self.used(text):
            visit(name)
        return found

    def inside(self, top):
        """The modules in top and top itself, which is the last."""
        return [*self.below(self.text[top]), top]
