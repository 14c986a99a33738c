#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""forward.py - the program against tools/forward.py, which computes the same in NumPy from nothing but the model file.

    forward.py PROGRAM

Classes must be the same, probabilities, features and projections agree to 1e-4 (of the largest, for features).
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import forward

TOLERANCE = 1e-4
NET = "conv 6 3 pad 1\nmaxpool 2 stride 1\ndropout 0.2\nconv 8 3 stride 2\nconv 7 1 linear\nbn\nrelu\ngap\ndense 6\n"


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout


def verdict(good, words):
    print("%-6s%s" % ("ok" if good else "FAIL", words))
    return good


def near(what, found, expected, scale=1.0):
    error = np.abs(np.asarray(found, float) - expected).max() / scale
    return verdict(error < TOLERANCE, "%s: largest difference %.1e" % (what, error))


def table(text):
    return list(csv.reader(io.StringIO(text)))


def compare(program, model_path, images, folder):
    """Of one model, with both kinds of probabilities."""
    model, data, good = forward.Model(model_path), folder / "images.npy", True
    name = model_path.name
    np.save(data, images)
    H = model.features(images)
    for kind in ("paper", "bayes"):
        what = "%s, %s" % (name, kind)
        rows = table(run(program, "predict", model_path, data, "--proba", kind))
        best = [model.classes[c] for c in model.scores(H, kind).argmax(axis=1)]
        good &= verdict(rows[0][4:] == model.classes and len(rows) == len(images) + 1, what + ": the same columns")
        good &= verdict([row[2] for row in rows[1:]] == best, what + ": the same classes")
        found = [[float(x) for x in row[4:]] for row in rows[1:]]
        good &= near(what, found, model.probabilities(H, kind))
        own = table(run(sys.executable, ROOT / "tools" / "forward.py", model_path, data, kind))
        good &= verdict([row[1] for row in own] == ["class"] + best, what + ": tools/forward.py prints them")
    for flags, expected in (([], model.project(H)), (["--raw"], H)):
        run(program, "embed", model_path, data, "-o", folder / "F.npy", *flags)
        good &= near("%s, embed %s" % (name, " ".join(flags)), np.load(folder / "F.npy"), expected,
                     np.abs(expected).max())
    return good


def trained(program, folder, rng):
    """A model of the program of today, on three classes of 9 x 8 images."""
    y = np.arange(240) % 3
    pattern = rng.uniform(40, 200, size=(3, 9, 8, 3))
    x = np.clip(pattern[y] + 60 * rng.normal(size=(240, 9, 8, 3)), 0, 255).astype(np.uint8)
    np.savez(folder / "data.npz", x=x, y=y)
    (folder / "small.net").write_text(NET)
    run(program, "train", folder / "data.npz", "--net", folder / "small.net", "--epochs", "3", "--batch", "60",
        "--prepare", "gcn,zca", "-o", folder / "run", "-q")
    return folder / "run" / "model.safetensors", x[:50]


def main():
    program, good, rng = pathlib.Path(sys.argv[1]).resolve(), True, np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in sorted((ROOT / "tests" / "golden").glob("model_v*.safetensors")):
            shape = (40, *forward.Model(path).input)
            good &= compare(program, path, rng.integers(256, size=shape).astype(np.uint8), folder)
            good &= compare(program, path, rng.uniform(size=shape).astype(np.float32), folder)
        good &= compare(program, *trained(program, folder, rng), folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
