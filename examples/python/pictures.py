# SPDX-License-Identifier: MIT
"""A folder of pictures: trains, tests, predicts single files, saves the model.

python pictures.py [FOLDER]     a sub-folder of pictures for each class; by default some are made
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from deeplda import DeepLDAClassifier


def write_png(path, image):
    """An 8-bit grey picture, so that this example needs nothing but the package."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


def make_pictures(folder):
    """Bars and crosses of 16 x 16 pixels with noise, below one folder for each class."""
    rng = np.random.default_rng(0)
    for i in range(600):
        image = rng.integers(0, 90, (16, 16)).astype(np.uint8)
        kind, at = ("row", "column", "cross")[i % 3], rng.integers(3, 13)
        if kind != "column":
            image[at - 1 : at + 1] += 120
        if kind != "row":
            image[:, 15 - at : 17 - at] += 120
        (folder / kind).mkdir(parents=True, exist_ok=True)
        write_png(folder / kind / f"{i:03}.png", image)


def main():
    work = Path(tempfile.mkdtemp())
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else work / "pictures"
    if len(sys.argv) == 1:
        make_pictures(folder)
    files = sorted(path for path in folder.glob("*/*") if path.suffix.lower() in (".png", ".jpg", ".jpeg"))
    labels = np.array([path.parent.name for path in files])
    order = np.random.default_rng(1).permutation(len(files))
    test, train = order[: len(files) // 5], order[len(files) // 5 :]

    # Network, objective and batch are chosen from the data; pictures of different sizes are resized.
    clf = DeepLDAClassifier(epochs=10, verbose=1, random_state=0).fit([files[i] for i in train], labels[train])
    for option, value, reason in clf.choices_:
        print(f"  {option} {value}: {reason}")
    print(f"test accuracy {100 * clf.score([files[i] for i in test], labels[test]):.1f} %")
    for path in [files[i] for i in test[:3]]:
        print(path.name, clf.predict([path])[0])
    clf.save(work / "pictures.safetensors")  # for Model.load, C and the program `deeplda`
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
