# SPDX-License-Identifier: MIT
"""Cases of the benchmarks and their choice by --cases.

A case is a kind (step, infer, start), a network and a number of images, written step:mnist:1000. A choice may leave out
the end: step:cifar10 are all steps of cifar10 that a comparison has, infer all cases of inference. A complete one may
have any number of images.
"""
KINDS = ("step", "infer", "start")


def case_name(case):
    return ":".join(map(str, case))


def read_choice(text):
    """A list of choices, or None for a text that has a mistake."""
    choices = [tuple(choice.split(":")) for choice in text.split(",")]
    correct = all(c[0] in KINDS and len(c) <= 3 and all(c) and all(n.isdigit() and int(n) > 0 for n in c[2:]) for c in choices)
    return choices if correct else None


def choose(kind, pairs, choices):
    """Of the networks and numbers of images of a comparison those that are chosen, and the complete choices."""
    if not choices:
        return list(pairs)
    chosen = [pair for pair in pairs if any((kind, *map(str, pair))[:len(c)] == c for c in choices)]
    complete = [(c[1], int(c[2])) for c in choices if len(c) == 3 and c[0] == kind]
    return chosen + [pair for pair in complete if pair not in chosen]
