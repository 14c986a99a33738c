# SPDX-License-Identifier: MIT
"""Reads networks/*.net (docs/network_format.md), without the checks that deeplda makes."""


def read_network(path, default_input=(28, 28, 1)):
    """The layers as lists of words, and the shape of the input (height, width, channels)."""
    with open(path) as file:
        lines = [line.split("#")[0].split() for line in file]
    lines = [words for words in lines if words]
    shape = default_input
    if lines[0][0] == "input":
        shape = tuple(int(word) for word in lines.pop(0)[1:])
    return lines, shape


def named(words, name, default):
    """The number behind a name: 1 for "pad" in conv 64 3 pad 1."""
    return int(words[words.index(name) + 1]) if name in words else default
