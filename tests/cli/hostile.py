#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files and names that attack who reads them: terminal sequences, NUL in lists, small files that ask for much memory.

    hostile.py PROGRAM
"""
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds; whatever takes longer has failed
MEMORY = (512 << 20) * (5 if "asan" in PROGRAM else 1)  # bytes
FAILED = []

# An escape sequence, its form with one control character of two bytes (U+009B), DEL, and a mark that reverses writing.
EVIL = "\x1b[31m\u009b31m\x7f\u202e"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def run(arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=PATIENCE, **more)


def run_at_terminal(arguments):
    """What the program writes to a terminal."""
    seen = []

    def read(descriptor):
        data = os.read(descriptor, 65536)
        seen.append(data)
        return b""

    os.environ.update(TERM="dumb", NO_COLOR="1")
    with open(os.devnull, "w") as nothing:
        saved = os.dup(1)
        os.dup2(nothing.fileno(), 1)
        try:
            pty.spawn([PROGRAM, *arguments], read)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
    return b"".join(seen).replace(b"\r\n", b"\n")


def check_clean(output, what, says=None):
    text = output.decode("utf-8", "surrogateescape")
    found = sorted({f"U+{ord(c):04X}" for c in CONTROLS.findall(text)} | {repr(c) for c in text if 0xDC80 <= ord(c) <= 0xDCFF})
    check(not found and (says is None or says in text), f"{what}: nothing for a terminal to execute {found or ''}: {text[:100]!r}")


def safetensors(metadata, tensors=b"", extra=None):
    header = json.dumps({"__metadata__": metadata, **(extra or {})}).encode()
    return struct.pack("<Q", len(header)) + header + tensors


def npy(header):
    text = header.encode("latin-1", "replace") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def test_messages():
    cases = [
        ["info", write("a.npy", npy("{'descr': '\x1b[31m\x9b', 'fortran_order': False, 'shape': (3,), }"))],
        ["info", write("a.net", f"input 28 28 1\nconv {EVIL}\n")],
        ["info", write("b.net", f"{EVIL} 28 28 1\n")],
        ["info", write("c.safetensors", safetensors({"deeplda_checkpoint": EVIL}))],
        ["info", write("m.safetensors", safetensors({"deeplda_format": EVIL}))],
        ["info", write("o.safetensors", safetensors({EVIL: EVIL}, extra={EVIL: {EVIL: 1}}))],
        ["info", "nothing" + EVIL],
        ["train", write("t.csv", f"a,b,label\n1,{EVIL},x\n2,3,y\n"), "--label", "label"],
        ["train", "t.csv", "--label", EVIL],
        ["lda", write("u.csv", f"a,{EVIL},label\n1,2,x\n2,,y\n")],
        ["predict", "c.safetensors", "x" + EVIL],
        ["predict", "nowhere", b"\x9b31m\xff"],
        [EVIL],
        ["train", "--" + EVIL],
    ]
    for arguments in cases:
        end = run(arguments)
        check(end.returncode in (1, 2) and end.stderr, f"refused with a message: {arguments[0]!r}")
        check_clean(end.stdout + end.stderr, f"{arguments!r}")


def make_table(path, classes, columns):
    with open(path, "w") as table:
        table.write(",".join([*columns, "label"]) + "\n")
        for i in range(120):
            kind = i % len(classes)
            table.write(f"{kind + i * 7 % 13 / 10},{i % 3 + kind * 2 + i * 5 % 11 / 10},{classes[kind]}\n")


def test_tables():
    make_table("evil.csv", ["x" + EVIL, "y\u009b2J"], ["a" + EVIL, "b"])
    make_table("plain.csv", ["x", "y"], ["a", "b"])
    end = run(["lda", "evil.csv", "--save", "evil.lda"])
    check(end.returncode == 0, "an LDA of evil names")
    check_clean(end.stdout + end.stderr, "lda: tables")
    end = run(["train", "evil.csv", "--epochs", "2", "-o", "evil", "--quiet"])
    check(end.returncode == 0, f"a training with evil names: {end.stderr[-200:]}")
    check_clean(end.stdout + end.stderr, "train: tables")
    for arguments in (["info", "evil"], ["info", "evil.lda"], ["info", "evil.csv"], ["eval", "evil", "evil.csv"],
                      ["data", "check", "evil.csv"], ["info", "evil/checkpoint.safetensors"]):
        end = run(arguments)
        check(end.returncode == 0, f"{' '.join(arguments)} succeeds: {end.stderr[-200:]}")
        check_clean(end.stdout + end.stderr, " ".join(arguments))
    for arguments in (["predict", "evil", "evil.csv"], ["predict", "evil.lda", "plain.csv"], ["predict", "evil", "evil.csv", "--json"]):
        check_clean(run_at_terminal(arguments), "at a terminal: " + " ".join(arguments))
    piped = run(["predict", "evil", "evil.csv"]).stdout.decode()
    check("x" + EVIL in piped, "programs get the names as they are")
    lines = run(["predict", "evil", "evil.csv", "--json"]).stdout
    check_clean(lines, "JSON escapes them")
    check(json.loads(lines.splitlines()[0])["class"] in ("x" + EVIL, "y\u009b2J"), "and they are the same when it is read")


def test_lists():
    run(["train", "digits", "--subset", "300", "--batch", "100", "--epochs", "1", "-o", "run", "--quiet"])
    run(["data", "convert", "digits", "--to", "png", "-o", "pictures"])
    folder = sorted(os.listdir("pictures/test"))[0]
    picture = os.path.join("pictures/test", folder, sorted(os.listdir(os.path.join("pictures/test", folder)))[0])
    line = "pictures/two\nlines.png"
    os.link(picture, line)
    end = run(["predict", "run", "--list"], input=f"{picture}\0{picture}\n{picture}\n".encode())
    check(end.returncode == 1 and b"a NUL byte after" in end.stderr and len(end.stdout.splitlines()) == 2,
          f"--list refuses NUL and goes on: {end.stderr!r}")
    end = run(["predict", "run", "--list", "-0"], input=f"{picture}\0{line}\0{picture}".encode())
    check(end.returncode == 0 and len(end.stdout.splitlines()) == 5, f"--null: names may have two lines: {end.stdout[-300:]!r}")
    folder = os.open(".", os.O_RDONLY)  # cannot be read like a file
    end = run(["predict", "run", "--list"], stdin=folder)
    os.close(folder)
    check(end.returncode == 1 and b"cannot read the list of files" in end.stderr, f"--list that cannot be read: {end.stderr!r}")
    end = run(["predict", "run", picture, "--null"])
    check(end.returncode == 2, "--null without --list is refused")



def peak_of(arguments):
    """Exit code, messages, and the largest resident size in bytes."""
    with open("out", "wb") as out, open("err", "wb") as err:
        process = subprocess.Popen([PROGRAM, *arguments], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, open("err", "rb").read(), usage.ru_maxrss * 1024


def field(number, data):
    size, varint = len(data), b""
    while True:
        varint += bytes([size & 127 | (128 if size > 127 else 0)])
        size >>= 7
        if not size:
            return bytes([number << 3 | 2]) + varint + data


def test_memory():
    nodes = field(1, b"") * 5000000
    write("nodes.onnx", b"\x08\x07" + field(8, b"\x10\x0d") + field(7, nodes))
    header = b"{" + b",".join(b'"%x":0' % i for i in range(3000000)) + b"}"
    write("header.safetensors", struct.pack("<Q", len(header)) + header)
    text = '{"__metadata__":{"deeplda_format":"3","network":"x","options":"{}","classes":"' + "[0," + "0," * 15000000 + '0]"}}'
    write("classes.safetensors", struct.pack("<Q", len(text)) + text.encode())
    for name in ("nodes.onnx", "header.safetensors", "classes.safetensors"):
        code, message, peak = peak_of(["info", name])
        check(code == 1 and message and peak < MEMORY, f"{name}, {os.path.getsize(name) >> 20} MB: {peak >> 20} MB, {message[:120]!r}")


def main():
    with tempfile.TemporaryDirectory(prefix="deeplda-hostile-") as folder:
        os.chdir(folder)
        test_messages()
        test_tables()
        test_lists()
        test_memory()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
