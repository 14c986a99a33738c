#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""list.py - `predict --list` in a pipe: each answer must come before the next name is sent.

    list.py PROGRAM MODEL DATA
"""
import os
import select
import subprocess
import sys

PATIENCE = 60  # seconds; a program that holds its answers back fails here


def line(stream):
    """One line, read byte by byte so that nothing hides in a buffer."""
    text = b""
    while not text.endswith(b"\n"):
        if not select.select([stream], [], [], PATIENCE)[0]:
            sys.exit("no answer within %d s; so far: %r" % (PATIENCE, text))
        byte = os.read(stream.fileno(), 1)
        if not byte:
            sys.exit("the answers ended; so far: %r" % text)
        text += byte
    return text.decode()


def main():
    program, model, data = sys.argv[1:]
    names = [os.path.join(data, name) for name in ("zero.png", "album/1 of 3.png", "album/2 of 3.png", "zero.png")]
    process = subprocess.Popen([program, "predict", model, "--list"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    for i, name in enumerate(names):
        half = len(name) // 2  # a name may come in pieces
        for piece in (name[:half], name[half:] + "\n"):
            process.stdin.write(piece.encode())
            process.stdin.flush()
        if i == 0:
            assert line(process.stdout).startswith("file,index,class,")
        assert line(process.stdout).startswith(name + ",0,class "), name
    process.stdin.write(("\n".join(names) + "\n").encode())  # and several at once
    process.stdin.flush()
    for name in names:
        assert line(process.stdout).startswith(name + ",0,class "), name
    process.stdin.write(b"missing.png\n")
    process.stdin.close()
    assert process.stdout.read() == b""
    assert process.wait(PATIENCE) == 1


main()
