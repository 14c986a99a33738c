#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The program and the library are built with the hardening that docs/security.md promises.

    hardening.py PROGRAM LIBRARY
"""
import subprocess
import sys

FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True, check=True).stdout


for path in sys.argv[1:]:
    headers, dynamic, symbols = (readelf(option, path) for option in ("-lh", "-d", "--dyn-syms"))
    stack = [line for line in headers.splitlines() if "GNU_STACK" in line]
    check("Type:                              DYN" in headers, f"{path}: position-independent")
    check(stack and "RWE" not in stack[0], f"{path}: no executable stack")
    check("GNU_RELRO" in headers and ("NOW" in dynamic), f"{path}: relocations are read-only (full RELRO)")
    check("__stack_chk_fail" in symbols, f"{path}: stack protector")
    check("_chk@" in symbols.replace("__stack_chk", ""), f"{path}: fortified functions")
    check("TEXTREL" not in dynamic and "RPATH" not in dynamic, f"{path}: no text relocations, no search path of its own")
sys.exit(1 if FAILED else 0)
