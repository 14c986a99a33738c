#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The files of fuzz/attacks, each of which once did harm, are answered as list.txt says, in little time and memory.

    attacks.py PROGRAM FOLDER
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, ATTACKS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MEMORY, SECONDS = 512 << 20, 2
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def run(arguments):
    """Exit code, everything printed, processor seconds, largest resident size in bytes."""
    with open("out", "wb") as out:
        process = subprocess.Popen([PROGRAM, *arguments], stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = open("out", "rb").read().decode("utf-8", "surrogateescape")
    return process.returncode, said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def unpack(name):
    """A folder with the file in it, as its only picture or as a file of a run."""
    data = open(os.path.join(ATTACKS, name), "rb").read()
    while name.endswith(".gz"):
        name, data = name[:-3], gzip.decompress(data)
    shutil.rmtree("folder", ignore_errors=True)
    os.makedirs("folder")
    with open(os.path.join("folder", name), "wb") as file:
        file.write(data)
    return os.path.join("folder", name)


def main():
    slow = 5 if "asan" in PROGRAM else 1  # sanitizers need more of both
    with tempfile.TemporaryDirectory(prefix="deeplda-attacks-") as folder:
        os.chdir(folder)
        run(["train", "digits", "--subset", "300", "--batch", "100", "--epochs", "1", "-o", "model", "-q"])
        for line in open(os.path.join(ATTACKS, "list.txt")):
            if line.startswith("#"):
                continue
            name, command, code, words = line.rstrip("\n").split("\t")
            replaced = {"FILE": unpack(name), "FOLDER": "folder", "MODEL": "model"}
            found, said, seconds, memory = run([replaced.get(word, word) for word in command.split()])
            good = found == int(code) and words in said and not CONTROLS.search(said)
            check(good, f"{name}: {command}: exit {found}, {said[:200]!r}")
            check(seconds < SECONDS * slow and memory < MEMORY * slow, f"{name}: {seconds:.2f} s, {memory >> 20} MB")
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
