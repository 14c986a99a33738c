#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make_tables.py - writes small tables and arrays for the tests of the program.

    make_tables.py FOLDER

Three kinds of plants with four measurements, as .npy, .npz and CSV; images of 6 x 6 as arrays; and damaged ones.
Standard library only.
"""
import gzip
import pathlib
import random
import struct
import sys
import zipfile

KINDS = ("blue bell", "ivy, common", "\u00f6lbaum")
CENTRES = ((5.0, 3.4, 1.5, 0.2), (5.9, 2.8, 4.3, 1.3), (6.6, 3.0, 5.6, 2.0))


def npy(descr, shape, payload, order="False"):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + payload


def floats(rows):
    return b"".join(struct.pack("<%df" % len(row), *row) for row in rows)


def plants(rng):
    """150 rows of four numbers that floats hold exactly, and their kinds."""
    labels = [i % 3 for i in range(150)]
    rows = [[round((c + rng.gauss(0, 0.4)) * 64) / 64 for c in CENTRES[kind]] for kind in labels]
    return rows, labels


def quoted(text):
    return '"%s"' % text.replace('"', '""')


def csv(rows, labels, names, header=True):
    lines = ['length,width,"petal, length",petal width,species'] if header else []
    lines += [",".join(map(repr, row)) + "," + quoted(names[kind]) for row, kind in zip(rows, labels)]
    return ("\n".join(lines) + "\n").encode()


def images(rng, count):
    """6 x 6 pixels, in which two bright rows tell the class."""
    labels = [i % 3 for i in range(count)]
    pixels = [[(170 if y // 2 == kind else 30) + rng.randrange(60) for y in range(6) for _ in range(6)]
              for kind in labels]
    return b"".join(map(bytes, pixels)), struct.pack("<%dq" % count, *labels)


def write_plants(folder, rng):
    rows, labels = plants(rng)
    X = npy("<f4", "(150, 4)", floats(rows))
    y = npy("|u1", "(150,)", bytes(labels))
    (folder / "X.npy").write_bytes(X)
    (folder / "y.npy").write_bytes(y)
    (folder / "plants.npy").write_bytes(X)
    with zipfile.ZipFile(folder / "plants.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", X)
        archive.writestr("y.npy", y)
    (folder / "plants.csv").write_bytes(csv(rows, labels, KINDS))
    (folder / "plants.csv.gz").write_bytes(gzip.compress(csv(rows, labels, KINDS)))
    (folder / "bare.csv").write_bytes(csv(rows, labels, "012", header=False))
    damaged = csv(rows, labels, KINDS).decode().splitlines()
    damaged[7] = "5.0,3.4,n/a,0.2,ivy"
    (folder / "damaged.csv").write_text("\n".join(damaged) + "\n")
    (folder / "lonely.csv").write_text("a,b,class\n1,2,x\n3,4,x\n5,6,x\n")


def write_images(folder, rng):
    for part, count in (("train", 240), ("test", 60)):
        pixels, labels = images(rng, count)
        (folder / ("x_%s.npy" % part)).write_bytes(npy("|u1", "(%d, 6, 6)" % count, pixels))
        (folder / ("y_%s.npy" % part)).write_bytes(npy("<i8", "(%d,)" % count, labels))


def write_bad(folder):
    (folder / "y.npy").write_bytes(npy("|u1", "(4,)", bytes(4)))
    for name, content in (("X_fortran", npy("<f4", "(4, 2)", bytes(32), "True")), ("X_object", npy("|O", "(4,)", b"")),
                          ("X_cut", npy("<f4", "(4, 2)", bytes(31))),
                          ("X_promises", npy("<f4", "(4000000000000, 2)", bytes(32))),
                          ("X_nan", npy("<f4", "(4, 2)", struct.pack("<8f", *[1, 2, 3, 4, 5, float("nan"), 7, 8])))):
        (folder / (name + ".npy")).write_bytes(content)
        (folder / (name.replace("X", "y") + ".npy")).write_bytes(npy("|u1", "(4,)", bytes((0, 0, 1, 1))))
    (folder / "cut.npz").write_bytes(b"PK\x03\x04")


def main():
    folder = pathlib.Path(sys.argv[1])
    rng = random.Random(1)
    for name in ("", "images", "bad"):
        (folder / name).mkdir(parents=True)
    write_plants(folder, rng)
    write_images(folder / "images", rng)
    write_bad(folder / "bad")


if __name__ == "__main__":
    main()
