#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a set of 100 classes: pairs of digits side by side, 28 x 56 pixels, with the labels 00 to 99.

    examples/digit_pairs.py DIGITS PAIRS [--train N] [--test N] [--seed S]

DIGITS is a folder with the IDX files of MNIST or of another set with the labels 0 to 9, plain or .gz. PAIRS becomes a
folder of the same format, which `deeplda train` reads. Classes have the same number of pairs, if it can be divided by 100. Those of the training
part are drawn from the training digits, those of the test part from the test digits. The same arguments give the same
files. Needs NumPy (Debian: python3-numpy); docs/training.md has a training.
"""
import argparse
import gzip
import os
import struct
import sys

import numpy

TEN = 10


def read_idx(folder, name, rank):
    """The bytes of an IDX file as an array of that rank."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        path += ".gz"
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        content = file.read()
    if content[:4] != bytes([0, 0, 8, rank]) or len(content) < 4 + 4 * rank:
        raise ValueError(f"{path}: the first bytes are {content[:4].hex()}, expected 000008{rank:02x}: an IDX file")
    shape = struct.unpack(f">{rank}I", content[4:4 + 4 * rank])
    values = numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * rank)
    if values.size != numpy.prod(shape, dtype=object):
        raise ValueError(f"{path}: {values.size} bytes after the header, expected {' x '.join(map(str, shape))}")
    return values.reshape(shape)


def read_part(folder, part):
    images, labels = read_idx(folder, f"{part}-images-idx3-ubyte", 3), read_idx(folder, f"{part}-labels-idx1-ubyte", 1)
    if len(images) != len(labels):
        raise ValueError(f"{folder}: {len(images)} {part} images and {len(labels)} labels, expected as many")
    if numpy.unique(labels).tolist() != list(range(TEN)):
        raise ValueError(f"{folder}: {len(numpy.unique(labels))} different {part} labels, expected 0 to 9")
    return images, labels


def write_idx(folder, name, values):
    path = os.path.join(folder, name)
    with open(path + ".tmp", "wb") as file:
        file.write(bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape))
        file.write(numpy.ascontiguousarray(values, numpy.uint8).tobytes())
    os.replace(path + ".tmp", path)


def make_pairs(images, labels, count, random):
    """`count` pairs in random order; the counts of the classes differ by at most one."""
    classes = random.permutation(numpy.arange(count) % (TEN * TEN))
    pairs = numpy.empty((count, images.shape[1], 2 * images.shape[2]), numpy.uint8)
    for side, digits in enumerate((classes // TEN, classes % TEN)):
        for digit in range(TEN):
            rows, found = numpy.flatnonzero(digits == digit), numpy.flatnonzero(labels == digit)
            half = slice(side * images.shape[2], (side + 1) * images.shape[2])
            pairs[rows, :, half] = images[random.choice(found, rows.size)]
    return pairs, classes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("digits", help="folder of IDX files")
    parser.add_argument("pairs", help="folder to write")
    parser.add_argument("--train", type=int, default=60000, help="pairs to train on [%(default)s]")
    parser.add_argument("--test", type=int, default=10000, help="pairs to test on [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the random choice [%(default)s]")
    arguments = parser.parse_args()
    for name in ("train", "test"):
        if getattr(arguments, name) < 2 * TEN * TEN:
            parser.error(f"--{name}: found {getattr(arguments, name)}, expected at least 200, two of each class")
    random = numpy.random.RandomState(arguments.seed)  # gives the same numbers in every version of NumPy
    parts = {part: read_part(arguments.digits, part) for part in ("train", "t10k")}
    os.makedirs(arguments.pairs, exist_ok=True)
    for part, count in (("train", arguments.train), ("t10k", arguments.test)):
        images, labels = parts[part]
        pairs, classes = make_pairs(images, labels, count, random)
        write_idx(arguments.pairs, f"{part}-images-idx3-ubyte", pairs)
        write_idx(arguments.pairs, f"{part}-labels-idx1-ubyte", classes)
        print(f"{arguments.pairs}: {count} pairs of {len(images)} {'training' if part == 'train' else 'test'} digits")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"digit_pairs.py: {error}")
