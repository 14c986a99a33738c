#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The program and the library are built with the hardening that docs/security.md promises.

    hardening.py BUILD PROGRAM LIBRARY

The linker keeps the marks of -fcf-protection only if all objects have them, also those of other libraries. So they are
looked for in our objects. Stack-clash protection leaves no mark: the commands of the compiler have it.
"""
import json
import os
import platform
import re
import subprocess
import sys

FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def readelf(option, *paths):
    return subprocess.run(["readelf", "-W", option, *paths], capture_output=True, text=True, check=True).stdout


def commands_of(build):
    """(object, command) of each source of the library and of the program."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        rows = json.load(file)
    rows = [row for row in rows if re.match(r"(\.\./)?(src|cli)/", os.path.relpath(os.path.join(build, row["file"]), build))]
    return [(os.path.join(build, row["output"]), row["command"].split()) for row in rows]


def check_objects(build):
    commands = commands_of(build)
    for flag in ("-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection"):
        without = [path for path, words in commands if flag not in words]
        check(len(commands) > 100 and not without, f"{len(commands)} objects are compiled with {flag} {without[:3]}")
    notes = readelf("-n", *(path for path, _ in commands if os.path.exists(path))).split("\nFile: ")
    without = [note.split("\n")[0] for note in notes if note.strip() and "IBT, SHSTK" not in note]
    check(len(notes) > 100 and not without, f"{len(notes)} objects have the marks of -fcf-protection {without[:3]}")


if platform.machine() == "x86_64":
    check_objects(sys.argv[1])
for path in sys.argv[2:]:
    headers, dynamic, symbols = (readelf(option, path) for option in ("-lh", "-d", "--dyn-syms"))
    stack = [line for line in headers.splitlines() if "GNU_STACK" in line]
    check("Type:                              DYN" in headers, f"{path}: position-independent")
    check(stack and "RWE" not in stack[0], f"{path}: no executable stack")
    check("GNU_RELRO" in headers and ("NOW" in dynamic), f"{path}: relocations are read-only (full RELRO)")
    check("__stack_chk_fail" in symbols, f"{path}: stack protector")
    check("_chk@" in symbols.replace("__stack_chk", ""), f"{path}: fortified functions")
    check("TEXTREL" not in dynamic and "RPATH" not in dynamic, f"{path}: no text relocations, no search path of its own")
sys.exit(1 if FAILED else 0)
