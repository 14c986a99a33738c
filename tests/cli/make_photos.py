#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make_photos.py - writes folders of pictures as users have them: many sizes, grey and colour, other formats.

    make_photos.py FOLDER

photos/ has two classes, which differ in their colour, with 20 pictures each for training and 5 for testing. Standard
library only.
"""
import pathlib
import random
import struct
import sys
import zlib

SIZES = [(60, 80), (90, 120), (30, 40), (60, 80), (45, 80)]  # height, width; the medians are 60 and 80


def png(height, width, colour, rng):
    """A PNG of one colour with noise: grey for a number, RGB for three."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    row = [bytes(rng.randrange(60) + part for _ in range(width) for part in colour) for _ in range(4)]
    rows = b"".join(b"\0" + row[y % 4] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if len(colour) == 3 else 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) +
            chunk(b"IEND", b""))


def write(folder, name, data):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def main():
    root = pathlib.Path(sys.argv[1])
    rng = random.Random(1)
    colours = {"cold": (20, 60, 180), "warm": (180, 60, 20)}
    for part, count in (("train", 20), ("test", 5)):
        for name, colour in colours.items():
            for i in range(count):
                height, width = SIZES[i % 5] if part == "train" else (33, 44 + i)
                write(root / "photos" / part / name, f"{i:02}.png", png(height, width, colour, rng))
    write(root / "photos" / "train" / "warm", "grey.png", png(60, 80, (190,), rng))
    (root / "photos" / "train" / "later").mkdir()
    for name, colour in colours.items():  # all of one size, and large
        for i in range(4):
            write(root / "large" / name, f"{i}.png", png(600, 800, colour, rng))
    for i in range(8):  # as other programs save them
        write(root / "saved" / "cold", f"{i}.gif", b"GIF89a" + bytes(20))
    write(root / "saved" / "warm", "1.webp", b"RIFF\x20\0\0\0WEBPVP8 " + bytes(20))
    for name, colour in colours.items():
        for i in (8, 9):
            write(root / "saved" / name, f"{i}.png", png(60, 80, colour, rng))
    write(root / "tool" / "lib", "words.txt", b"no picture\n")
    write(root / "tool" / "include", "tool.h", b"int tool;\n")


main()
