#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""own_data.py PROGRAM - what a new user sees: `train DATA` without options chooses them from the data and says so."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = os.path.abspath(sys.argv[1])


def run(*words, code=0):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == code, "%s: exit code %d, expected %d\n%s" % (words, done.returncode, code, done.stderr)
    return done.stdout, done.stderr


def expect(text, *parts):
    for part in parts:
        assert part in text, "'%s' is missing in:\n%s" % (part, text)


def make_pictures(path, n, classes, height, width, channels):
    """Bright at one place for each class."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % classes
    X = rng.integers(0, 120, (n, height, width, channels))
    X[np.arange(n), 2 + y % (height - 4), 2 + y % (width - 4)] += 130
    np.savez(path, X=X.astype(np.uint8), y=y.astype(np.uint8))


def options_of(run_folder):
    with open(os.path.join(run_folder, "options.json"), encoding="utf-8") as file:
        return json.load(file)


def pictures():
    make_pictures("small.npz", 200, 3, 12, 14, 3)
    _, said = run("train", "small.npz", "-o", "small", "--epochs", "3", "--threads", "2")
    expect(said, "180 training, 20 validation images of 12 x 14 x 3, 3 classes",
           "chosen for these data; an option on the command line overrides:",
           "--net           cnn          pictures of 12 x 14, colour",
           "--objective     lda-bayes ", "--batch         60           20 samples of each class on average",
           "--schedule      cosine ", "--flip          true ")
    assert "--epochs" not in said.split("network cnn")[0], said  # given, so not chosen
    options = options_of("small")
    assert (options["net"], options["batch"], options["epochs"], options["flip"]) == ("cnn", 60, 3, True), options

    # Resuming chooses nothing anew, and a complete training can go on.
    _, said = run("train", "--resume", "small", "--epochs", "4")
    assert "chosen" not in said and "epoch 4/4" in said, said
    run("predict", "small/model.safetensors", "small.npz")

    out, _ = run("train", "small.npz", "--json", "--net", "mlp", "--epochs", "1", "-o", "json")
    choices = {e["option"]: e for e in map(json.loads, out.splitlines()) if e["event"] == "choice"}
    assert choices["batch"]["value"] == "60" and "net" not in choices and choices["flip"]["reason"], choices

    _, said = run("train", "small.npz", "--no-presets", "--net", "mlp", "--epochs", "1", "-o", "plain")
    assert "chosen" not in said and options_of("plain")["objective"] == "lda", said
    run("train", "small.npz", "--no-flip=true", "-o", "unflipped", code=2)
    run("train", "small.npz", "--no-epochs", "-o", "unflipped", code=2)
    run("train", "small.npz", "--no-flip", "--epochs", "1", "-o", "unflipped")
    assert options_of("unflipped")["flip"] is False
    _, said = run("train", "digits", "--net", "mlp", "--epochs", "1", "-o", "digits")
    assert "chosen" not in said, said  # presets


def many_classes():
    make_pictures("many.npz", 303, 101, 9, 9, 1)
    _, said = run("train", "many.npz", "--epochs", "1", "-o", "many")
    expect(said, "--objective     cce ", "of each of 101 classes would be too large", "--batch         128 ")
    run("train", "many.npz", "--net", "mlp", "--objective", "cce", "--epochs", "1", "-o", "many-mlp")


def table():
    rng = np.random.default_rng(2)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 3)) * [1, 1000, 0.001] + np.outer(y, [2, 2000, 0.002])
    with open("table.csv", "w", encoding="ascii") as file:
        file.write("a,b,c,kind\n")
        file.writelines("%.8g,%.8g,%.8g,%s\n" % (*row, "xyz"[c]) for row, c in zip(X, y))
    out, said = run("train", "table.csv", "-o", "table")
    expect(said, "rows of 3 numbers, 3 classes", "--net           mlp          rows of 3 numbers",
           "--prepare       standardise  columns of a table have different units")
    correct = int(out.split(":")[1].split(" of ")[0])
    total = int(out.split(" of ")[1].split()[0])
    assert correct >= 0.75 * total, out


def row_numbers():
    """Sorted by class, a row number would separate the classes, and mean nothing."""
    for head, first in (('"","a","kind"', 1), ("id,a,kind", 0)):
        with open("numbered.csv", "w", encoding="ascii") as file:
            file.write(head + "\n")
            file.writelines("%d,%.3f,%s\n" % (i + first, i % 7, "xy"[i // 20]) for i in range(40))
        _, said = run("train", "numbered.csv", "-o", "numbered", code=1)
        expect(said, "numbered.csv: column 1 ", "expected a feature: remove it from the file")
        assert not os.path.exists("numbered")


def advice():
    """The last epoch is strictly the best: the program says how to go on."""
    advised = 0
    for seed in range(1, 8):
        folder = "advice%d" % seed
        out, _ = run("train", "small.npz", "--epochs", "4", "--tolerance", "0", "--rate", "0.02", "--seed", str(seed), "-o", folder)
        rows = [line.split(",") for line in open(folder + "/history.csv", encoding="ascii")][1:]
        accuracies = [float(row[5]) for row in rows if row[5]]
        is_best = max(accuracies[:-1]) < accuracies[-1]
        assert is_best == ("The last epoch is the best one" in out), (accuracies, out)
        if is_best:
            expect(out, "deeplda train --resume %s --epochs 8" % folder)
        advised += is_best
    assert 0 < advised < 7, advised  # both cases were seen


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pictures()
    many_classes()
    table()
    row_numbers()
    advice()
    os.chdir("/")
print("own_data: passed")
