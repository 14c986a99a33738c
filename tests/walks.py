#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The walks of docs/architecture.md are true: each function is defined in its file and called by the one above it.

    walks.py ROOT

A call may go through a table of functions, whose fields have shorter names: `kernels->conv_forward` for
`dlda_conv_forward`. Any consecutive words of a function's name count, so this finds what moved, not every lie.
"""
import os
import re
import sys

ITEM = re.compile(r"^( *)\d+\. `([\w/]+\.c): (\w+)` - \S")


def body_of(text, name):
    """The text of a function's definition, None if there is none."""
    for start in re.finditer(rf"^[a-z][^\n;{{}}()]*\b{name}\(", text, re.M):
        opens = re.search(r"[;{]", text[start.end():])
        if opens and opens.group() == "{":
            end = text.find("\n}", start.end())
            return text[start.end() + opens.start():end]
    return None


def calls(body, name):
    words = name.split("_")
    parts = {"_".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)} - {"dlda"}
    return any(re.search(rf"(?<![A-Za-z0-9_]){part}\(", body) for part in parts)


def check(root):
    with open(os.path.join(root, "docs/architecture.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Two walks\n")[1]
    problems, callers, count = [], [], 0
    for line in section.splitlines():
        item = ITEM.match(line)
        if not item:
            if re.match(r" *\d+\.", line):
                problems.append(f"not `file: function` - what: {line.strip()}")
            continue
        count += 1
        depth, path, name = len(item[1]) // 4, item[2], item[3]
        try:
            with open(os.path.join(root, "src", path), encoding="utf-8") as file:
                body = body_of(file.read(), name)
        except OSError:
            body = None
        if body is None:
            problems.append(f"{path}: {name} is not defined there")
        elif depth and not calls(callers[depth - 1][1], name):
            problems.append(f"{callers[depth - 1][0]} does not call {name}")
        del callers[depth:]
        callers.append((name, body or ""))
    if count < 40:
        problems.append(f"only {count} functions were found, expected at least 40")
    return problems


found = check(sys.argv[1])
print("\n".join(found) or "the walks are true")
sys.exit(1 if found else 0)
