# SPDX-License-Identifier: Apache-2.0
"""The names of the bytes of a twin: from the debugging information that clang writes for its struct."""

import re


class Layout:
    """The types of a module that was compiled with `-g`, by the text of its LLVM IR."""

    def __init__(self, text):
        self.nodes = dict(re.findall(r"^!(\d+) = (?:distinct )?(!.*)$", text, re.M))

    @staticmethod
    def field(node, key):
        found = re.search(rf'\b{key}: "?!?([\w.]+)', node)
        return found[1] if found else None

    def struct(self, name):
        """The number of the struct's node."""
        return next(n for n, node in self.nodes.items()
                    if "DW_TAG_structure_type" in node and self.field(node, "name") == name)

    def elements(self, node):
        return re.findall(r"!(\d+)", self.nodes[self.field(node, "elements")])

    def size(self, number):
        """Bytes of a type."""
        node = self.nodes[number]
        size = self.field(node, "size")
        return int(size) // 8 if size else self.size(self.field(node, "baseType"))

    def leaves(self, number, at=0, path=()):
        """(path, offset, bytes, type that it points to or None) of each number and pointer in the type."""
        node = self.nodes[number]
        if "DW_TAG_structure_type" in node:
            for element in self.elements(node):
                member = self.nodes[element]
                offset = int(self.field(member, "offset") or 0) // 8
                yield from self.leaves(self.field(member, "baseType"), at + offset,
                                       path + (self.field(member, "name"),))
        elif "DW_TAG_array_type" in node:
            counts = [int(self.field(self.nodes[e], "count")) for e in self.elements(node)]
            total = 1
            for count in counts:
                total *= count
            base = self.field(node, "baseType")
            for k in range(total):
                yield from self.leaves(base, at + k * self.size(base), path)
        elif "DW_TAG_pointer_type" in node:
            yield path, at, 8, self.field(node, "baseType")
        elif self.field(node, "size"):
            yield path, at, self.size(number), None
        else:  # a typedef, a const
            yield from self.leaves(self.field(node, "baseType"), at, path)
