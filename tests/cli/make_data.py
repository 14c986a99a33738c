#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make_data.py - writes small, easy data for the tests of the program.

    make_data.py FOLDER

good/ has three classes of 6 x 6 images, each a bright pair of rows in noise; the other folders are damaged in
one way each. Standard library only.
"""
import gzip
import pathlib
import random
import struct
import sys
import zlib

SIDE, CLASSES = 6, 3


def image(label, rng, side=SIDE):
    """One image: rows 2*label and 2*label+1 are bright."""
    rows = []
    for y in range(side):
        base = 170 if y // 2 == label else 30
        rows.append(bytes(base + rng.randrange(60) for _ in range(side)))
    return b"".join(rows)


def images_idx(images, count=None, side=SIDE):
    return struct.pack(">IIII", 0x803, len(images) if count is None else count, side, side) + b"".join(images)


def labels_idx(labels):
    return struct.pack(">II", 0x801, len(labels)) + bytes(labels)


def png(image_bytes, side):
    """A grey PNG."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + image_bytes[y * side:(y + 1) * side] for y in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_pictures(folder, images, labels, side=SIDE):
    """One sub-folder per class."""
    for i, (label, data) in enumerate(zip(labels, images)):
        path = folder / f"class {label}"
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{i:03}.png").write_bytes(png(data, side))


def write_cifar(folder, name, images, labels):
    """Grey 6 x 6 images in the upper left corner of 32 x 32, in all three planes."""
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    for label, data in zip(labels, images):
        rows = [data[y * SIDE:(y + 1) * SIDE] + bytes(32 - SIDE) for y in range(SIDE)]
        records.append(bytes([label]) + (b"".join(rows) + bytes(32 * (32 - SIDE))) * 3)
    (folder / name).write_bytes(b"".join(records))


def write(folder, prefix, images, labels, packed=False):
    folder.mkdir(parents=True, exist_ok=True)
    for kind, data in (("images-idx3", images), ("labels-idx1", labels)):
        name = f"{prefix}-{kind}-ubyte"
        if packed:
            (folder / (name + ".gz")).write_bytes(gzip.compress(data, mtime=0))
        else:
            (folder / name).write_bytes(data)


def main():
    root = pathlib.Path(sys.argv[1])
    rng = random.Random(1)
    labels = [i % CLASSES for i in range(180)]
    images = [image(label, rng) for label in labels]
    test_labels = [i % CLASSES for i in range(60)]
    test_images = [image(label, rng) for label in test_labels]

    write(root / "good", "train", images_idx(images), labels_idx(labels), packed=True)
    write(root / "good", "t10k", images_idx(test_images), labels_idx(test_labels))
    write(root / "no_test", "train", images_idx(images), labels_idx(labels))
    write(root / "one_class", "train", images_idx(images), labels_idx([0] * 180))
    write(root / "wrong_magic", "train", struct.pack(">I", 0x1234) + images_idx(images)[4:], labels_idx(labels))
    write(root / "fewer_labels", "train", images_idx(images), labels_idx(labels[:100]))
    write(root / "promises", "train", images_idx(images, 0xFFFFFFF0), labels_idx(labels))
    write(root / "empty", "train", images_idx([]), labels_idx([]))
    write(root / "cut", "train", images_idx(images), labels_idx(labels), packed=True)
    cut = root / "cut" / "train-images-idx3-ubyte.gz"
    cut.write_bytes(cut.read_bytes()[:1000])
    write(root / "bad_test", "train", images_idx(images), labels_idx(labels))
    write(root / "bad_test", "t10k", b"nonsense", labels_idx(test_labels))
    write(root / "large_test", "train", images_idx(images), labels_idx(labels))
    write(root / "large_test", "t10k", images_idx([image(0, rng, 8)] * 60, side=8), labels_idx(test_labels))
    write(root / "more_classes", "train", images_idx(images), labels_idx(labels))
    write(root / "more_classes", "t10k", images_idx(test_images), labels_idx([i % 5 for i in range(60)]))
    write(root / "half_test", "train", images_idx(images), labels_idx(labels))
    write(root / "half_test", "t10k", images_idx(test_images), labels_idx(test_labels))
    (root / "half_test" / "t10k-labels-idx1-ubyte").unlink()
    write(root / "no_bytes", "train", b"", b"")

    write_pictures(root / "pictures" / "train", images, labels)
    write_pictures(root / "pictures" / "test", test_images[1::3] + test_images[2::3], [1] * 20 + [2] * 20)
    write_pictures(root / "sizes", images[:90], labels[:90])
    (root / "sizes" / "class 2" / "090.png").write_bytes(png(bytes(64), 8))
    (root / "hollow" / "class 0").mkdir(parents=True)
    (root / "hollow" / "class 1").mkdir()
    (root / "hollow" / "class 0" / "1.png").write_bytes(png(images[0], SIDE))
    for k in range(5):
        write_cifar(root / "cifar", f"data_batch_{k + 1}.bin", images[36 * k:36 * k + 36], labels[36 * k:36 * k + 36])
    (root / "album").mkdir()
    for i in (2, 0, 1):
        (root / "album" / f"{i} of 3.png").write_bytes(png(image(i, rng), SIDE))
    (root / "strange").mkdir()
    chess = bytes(255 * ((x + y) % 2) for y in range(SIDE) for x in range(SIDE))
    columns = bytes(255 if x < 3 else 0 for y in range(SIDE) for x in range(SIDE))
    for name, data in (("chess", chess), ("columns", columns), ("usual", image(1, random.Random(5)))):
        (root / "strange" / f"{name}.png").write_bytes(png(data, SIDE))
    (root / "spoiled").mkdir()
    (root / "spoiled" / "good.png").write_bytes(png(image(1, rng), SIDE))
    (root / "spoiled" / "bad.png").write_bytes(png(image(1, rng), SIDE)[:60])

    (root / "zero.png").write_bytes(png(image(0, rng), SIDE))
    (root / "two, \"quoted\".png").write_bytes(png(image(2, rng), SIDE))
    (root / "large.png").write_bytes(png(bytes(64), 8))
    (root / "broken.png").write_bytes(png(image(0, rng), SIDE)[:60])


main()
