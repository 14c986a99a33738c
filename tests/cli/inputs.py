#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No command overwrites or removes what it reads.

    inputs.py PROGRAM

Each command of REFUSED names an input as its output, directly or not. It must fail with a message that says so, and no
file may change or appear. Those of ACCEPTED write beside their inputs, or update a file as they should.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds; whatever takes longer has failed
FAILED = []
CLASSES, EACH, SIDE = 3, 30, 8
TRAIN = ["--net", "net.net", "--epochs", "1", "--batch", "30", "--validation", "0.2", "--quiet"]

# Command; then, if it needs one, the file on its standard input.
REFUSED = [
    # The pictures of a folder, the names of a list, the standard input.
    ("predict run photos -o photos/0/00.png",),
    ("predict run photos/0 -o photos/0/00.png",),
    ("predict run photos -o link.png",),
    ("predict run photos -o hard.png",),
    ("predict run --list -o photos/0/00.png", "list"),
    ("predict run --list -o list", "list"),
    ("predict run - -o photos/0/00.png", "photos/0/00.png"),
    ("lda - -o iris.csv", "iris.csv"),
    ("lda - --save iris.csv", "iris.csv"),
    # Labels beside an array, as inputs and as outputs.
    ("lda F.npy -o F_labels.npy",),
    ("lda F.npy --save F_labels.npy",),
    ("lda F.npy -o Z.csv --save F_labels.npy",),
    ("embed run A/X_train.npy -o A/y_train.npy",),
    ("embed M_labels.npy photos -o M.npy",),
    ("embed run A/F_labels.npy -o A/F.npy",),
    ("predict run A/X_train.npy -o A/y_train.npy",),
    ("predict run idx/train-images-idx3-ubyte.gz -o idx/train-labels-idx1-ubyte",),
    ("refit run --add-class more A/X_train.npy -o A/y_train.npy",),
    ("data convert A --to npy -o A --force --resize 4",),
    ("data convert idx --to idx -o idx --force",),
    # Data that an option or a run names; files of a run.
    ("eval run photos --answers photos/0/00.png",),
    ("eval run --answers photos/0/00.png",),
    ("eval run A/X_train.npy --answers A/y_train.npy",),
    ("eval run photos --svm --train-data A/X_train.npy --answers A/X_train.npy",),
    ("eval run photos --svm --train-data A/X_train.npy --answers A/y_train.npy",),
    ("refit run --calibrate A/X_train.npy -o A/X_train.npy",),
    ("refit run --calibrate A/X_train.npy -o A/y_train.npy",),
    ("refit run A -o A/X_train.npy",),
    ("refit run photos -o photos/0/00.png",),
    ("refit run -o photos/0/00.png",),
    ("data show photos -o photos/0/00.png",),
    # A training whose folder has its data, its network or its first weights.
    ("train h/history.csv --label class --epochs 1 --quiet -o h --force",),
    ("train photos --init run -o run --force TRAIN",),
    ("train photos --init run/model.safetensors -o run --force TRAIN",),
    ("train photos --epochs 1 --batch 30 --net n/model.safetensors -o n --force",),
    # Spellings of an operand.
    ("lda ./iris.csv -o iris.csv",),
    ("export run -o run/../run/model.safetensors",),
]
SAME = [  # two outputs
    ("lda iris.csv -o a.csv --save a.csv",),
    ("lda iris.csv -o a.csv --save ./a.csv",),
    ("lda iris.csv -o a.csv --save to_a",),
]
# Commands that follow each other.
ACCEPTED = [
    ["predict run photos -o photos/out.csv"] * 2,
    ["predict run photos -o photos/0/out.csv"] * 2,
    ["eval run photos --answers photos/answers.csv"] * 2,
    ["eval run --answers run/answers.csv"] * 2,
    ["embed run photos -o photos/E.npy"] * 2,
    ["lda F.npy -o Z.csv --save Z.lda"] * 2,
    ["refit run -o run/model.safetensors", "refit run/model.safetensors photos -o run/model.safetensors"],
    ["refit run --calibrate A/X_train.npy -o run/model.safetensors"],
    ["data convert A --to npy -o B", "data convert photos --to npy -o B --force"],
    ["train --resume run --epochs 2 --quiet", "train --resume run --epochs 3 --quiet"],
    ["train photos -o run --force TRAIN", "train A -o run --force TRAIN"],
    ["train photos --init run -o other TRAIN"],
    ["train h/history.csv --label class --epochs 1 --quiet -o h2"] + ["train --resume h2 --epochs 2 --quiet"],
    ["report run"] * 2,
]


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def run(command, stdin=os.devnull):
    words = [word for part in command.split() for word in (TRAIN if part == "TRAIN" else [part])]
    with open(stdin) as file:
        return subprocess.run([PROGRAM, *words], stdin=file, capture_output=True, text=True, timeout=PATIENCE)


# ---- Files ----

def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def npy(kind, shape, data):
    text = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def png(pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + pixels[y * SIDE:(y + 1) * SIDE] for y in range(SIDE))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def make_files():
    rng = random.Random(1)
    images = [(c, bytes(rng.randrange(60) + 60 * c * (y % 3 == c) for y in range(SIDE) for x in range(SIDE)))
              for i in range(EACH) for c in range(CLASSES)]
    count, labels = len(images), struct.pack("<%di" % len(images), *(c for c, pixels in images))
    pixels = b"".join(pixels for c, pixels in images)
    for i, (c, picture) in enumerate(images):
        write(f"photos/{c}/{i // CLASSES:02}.png", png(picture))
    write("list", "".join(f"photos/{c}/00.png\n" for c in range(CLASSES)))
    os.symlink("photos/0/00.png", "link.png")
    os.link("photos/0/00.png", "hard.png")
    os.symlink("a.csv", "to_a")
    for name in ("A/X_train.npy", "A/F_labels.npy"):
        write(name, npy("|u1", (count, SIDE, SIDE, 1), pixels))
    write("A/y_train.npy", npy("<i4", (count,), labels))
    rows = [[rng.gauss(c * (j == c), 1) for j in range(4)] for c, picture in images]
    write("F.npy", npy("<f8", (count, 4), b"".join(struct.pack("<4d", *row) for row in rows)))
    write("F_labels.npy", npy("<i4", (count,), labels))
    table = "a,b,c,d,class\n" + "".join(
        ",".join("%.4f" % value for value in row) + f",k{c}\n" for row, (c, picture) in zip(rows, images))
    write("iris.csv", table)
    write("h/history.csv", table)
    write("n/model.safetensors", f"input {SIDE} {SIDE} 1\nconv 6 3\ngap\n")
    shutil.copy("n/model.safetensors", "net.net")
    make_idx(count, pixels, bytes(c for c, picture in images))


def make_idx(count, pixels, labels):
    """The images compressed, so that only the labels have a name that is written."""
    packed = zlib.compressobj(wbits=31)
    head = struct.pack(">IIII", 0x803, count, SIDE, SIDE)
    write("idx/train-images-idx3-ubyte.gz", packed.compress(head + pixels) + packed.flush())
    write("idx/train-labels-idx1-ubyte", struct.pack(">II", 0x801, count) + labels)


def contents():
    found = {}
    for folder, folders, names in os.walk("."):
        found.update({os.path.join(folder, name): None for name in folders})
        for name in names:
            path = os.path.join(folder, name)
            found[path] = open(path, "rb").read() if os.path.exists(path) else os.readlink(path)
    return found


# ---- Tests ----

def test_refused(original, cases, message):
    before = contents()
    for case in cases:
        done, after = run(*case), contents()
        changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        check(done.returncode in (1, 2) and message in done.stderr and not changed,
              f"refused: {' < '.join(case)}: exit status {done.returncode}, changed {changed}: {done.stderr[-200:]!r}")
        if changed:
            restore(original)


def restore(original):
    for name in os.listdir("."):
        shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)
    shutil.copytree(original, ".", symlinks=True, dirs_exist_ok=True)


def test_accepted(original):
    for commands in ACCEPTED:
        for command in commands:
            done = run(command)
            check(done.returncode == 0, f"accepted: {command}: exit status {done.returncode}: {done.stderr[-200:]!r}")
        left = [path for path in contents() if ".tmp-" in path]
        check(not left, f"no temporary file stays {left or ''}")
        restore(original)


def main():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "work"))
        os.chdir(os.path.join(root, "work"))
        make_files()
        done = run("train photos -o run TRAIN")
        check(done.returncode == 0, f"a run to test with: {done.stderr[-200:]!r}")
        shutil.copy("run/model.safetensors", "M_labels.npy")
        original = os.path.join(root, "original")
        shutil.copytree(".", original, symlinks=True)
        of_run = [(f"eval run photos --answers run/{name}",) for name in sorted(os.listdir("run"))]
        of_run += [("refit run -o run/options.json",), ("eval run --answers run/run.json",)]
        test_refused(original, REFUSED, "read as well")
        test_refused(original, of_run, "is read")
        test_refused(original, SAME, "writes as well")
        test_accepted(original)
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


main()
