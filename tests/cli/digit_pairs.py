#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests examples/digit_pairs.py on the embedded digits, and a step of the training that docs/training.md has.

    digit_pairs.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

PROGRAM = os.path.abspath(sys.argv[1])
EXAMPLES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "examples"))
SIZES = ["--train", "2000", "--test", "250"]


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        sys.exit(1)


def make(*words):
    return subprocess.run(["/usr/bin/python3", os.path.join(EXAMPLES, "digit_pairs.py"), *words], capture_output=True, text=True)


def read(folder, part):
    images = numpy.fromfile(f"{folder}/{part}-images-idx3-ubyte", numpy.uint8)
    labels = numpy.fromfile(f"{folder}/{part}-labels-idx1-ubyte", numpy.uint8)
    count, height, width = images[4:16].view(">u4")
    return images[16:].reshape(count, height, width), labels[8:]


def check_pairs(part, count):
    """Each half is a digit of the same part, with the label of that half."""
    digits, labels = read("digits", part)
    known = {(image.tobytes(), label) for image, label in zip(digits, labels)}
    pairs, classes = read("pairs", part)
    check(pairs.shape == (count, 28, 56) and len(classes) == count, f"{part}: {count} images of 28 x 56")
    counts = numpy.bincount(classes, minlength=100)
    check(len(counts) == 100 and counts.max() - counts.min() <= 1, f"{part}: 100 classes of equal size")
    check(all((pair[:, :28].tobytes(), c // 10) in known and (pair[:, 28:].tobytes(), c % 10) in known
              for pair, c in zip(pairs, classes)), f"{part}: digits of this part, with their labels")
    check(len({pair.tobytes() for pair in pairs}) > 0.9 * count, f"{part}: hardly a pair twice")


def files(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def test_pairs():
    subprocess.run([PROGRAM, "data", "convert", "digits", "-o", "digits"], check=True, capture_output=True)
    check(make("digits", "pairs", *SIZES).returncode == 0, "the embedded digits")
    check_pairs("train", 2000)
    check_pairs("t10k", 250)
    make("digits", "again", *SIZES)
    make("digits", "other", *SIZES, "--seed", "2")
    check(files("pairs") == files("again") != files("other"), "the same arguments give the same files, another seed does not")


def test_failures():
    for words, text in ((["nowhere", "never"], "nowhere"), (["digits", "never", "--train", "150"], "found 150, expected at least 200"),
                        (["pairs", "never"], "100 different train labels, expected 0 to 9"), (["broken", "never"], "broken/train-images-idx3-ubyte: ")):
        if words[0] == "broken":
            os.mkdir("broken")
            open("broken/train-images-idx3-ubyte", "wb").write(open("digits/train-images-idx3-ubyte", "rb").read()[:1000])
        end = make(*words)
        check(end.returncode != 0 and text in end.stderr and "Traceback" not in end.stderr and
              not os.path.exists("never"), f"{words[0]}: {text}")


def test_training():
    """One batch of 2,000 in 100 classes."""
    end = subprocess.run([PROGRAM, "train", "pairs", "--net", os.path.join(EXAMPLES, "digit_pairs.net"), "--batch", "2000",
                          "--norm-group", "200", "--micro-batch", "200", "--epochs", "1", "--validation", "0", "--json", "-q",
                          "-o", "run"], capture_output=True, text=True)
    check(end.returncode == 0, f"a training: {end.stderr}")
    result = [json.loads(line) for line in end.stdout.splitlines()][-1]
    check(result["samples"] == 250 and len(result["eigenvalues"]) == 99, "tested on the 250 pairs, 99 eigenvalues")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    test_pairs()
    test_failures()
    test_training()
    os.chdir("/")
print("all checks passed")
