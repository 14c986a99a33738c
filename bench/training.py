# SPDX-License-Identifier: MIT
"""The same training from the shell and from Python, for run.py."""
import gzip
import json
import os
import statistics
import sys
import tempfile

from programs import HERE, run, run_measured
from turns import in_turns, median_of

DIGITS = os.path.join(os.path.dirname(HERE), "data", "digits")


def from_shell(bench, folder, net, epochs, batch):
    """The seconds of the epochs, and of the whole program, which also reads the data and writes the files of the run."""
    text, seconds, _ = run_measured([bench.program, "train", os.path.join(folder, "X.npy"), "--net", net, "--epochs", epochs,
                                     "--batch", batch, "--seed", 1, "--patience", 0, "--threads", bench.threads, "--json",
                                     "-o", os.path.join(folder, "run"), "--force"], bench.threads)
    done = [event for event in map(json.loads, text.splitlines()) if event.get("event") == "epoch"]
    return {"fit_seconds": seconds, "epoch_seconds": sum(event["seconds"] for event in done), "loss": done[-1]["loss"]}


def from_python(bench, folder, net, epochs, batch):
    """The same in the virtual environment of `make python`; the seconds of `fit` on arrays in memory."""
    files = [os.path.join(folder, name) for name in ("X.npy", "y.npy")]
    return json.loads(run([os.path.join(bench.build, "venv", "bin", "python"), os.path.join(HERE, "train_python.py"), *files,
                           net, epochs, batch, 1, bench.threads], bench.threads))


def write_digits(folder):
    import numpy
    for name, file, start, shape in (("X", "images-idx3", 16, (-1, 28, 28)), ("y", "labels-idx1", 8, (-1,))):
        with gzip.open(os.path.join(DIGITS, f"train-{file}-ubyte.gz")) as data:
            numpy.save(os.path.join(folder, name + ".npy"), numpy.frombuffer(data.read(), numpy.uint8, offset=start).reshape(shape))


def compare_training(bench):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_digits(folder)
        for size in bench.plan["training"]:
            results = in_turns(bench.rounds, {"shell": lambda: from_shell(bench, folder, *size),
                                              "python": lambda: from_python(bench, folder, *size)}, f"training of {size[0]}")
            rows.append(training_row(bench, size, results["shell"], results["python"]))
    return rows


def training_row(bench, size, shell, python):
    """Medians of the quotients of the rounds. Both trainings must be the same."""
    if abs(shell[0]["loss"] - python[0]["loss"]) > 1e-8 * abs(shell[0]["loss"]):
        sys.exit(f"run.py: training of {size}: the losses differ, {shell[0]['loss']} and {python[0]['loss']}")
    row = {**dict(zip(("net", "epochs", "batch"), size)), "threads": bench.threads}
    for key, name in (("epoch_seconds", "epochs"), ("fit_seconds", "whole")):
        row |= {f"shell_{name}_seconds": round(median_of(shell, key), 3),
                f"python_{name}_seconds": round(median_of(python, key), 3),
                f"{name}_ratio": round(statistics.median(b[key] / a[key] for a, b in zip(shell, python)), 4)}
    return {**row, "rounds": len(shell)}
