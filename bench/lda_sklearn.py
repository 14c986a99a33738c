#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The classic LDA of a table in scikit-learn, for bench/run.py.

    lda_sklearn.py make FOLDER ROWS FEATURES CLASSES    writes X.npy (f4) and y.npy: Gaussian classes with one covariance
    lda_sklearn.py fit FOLDER eigen|lsqr                fits; prints JSON: fit_seconds, load_seconds, peak_bytes
    lda_sklearn.py compare FOLDER                       how well Z.npy, our projection, agrees with the one of `eigen`
"""
import json
import os
import resource
import sys
import time

import numpy as np


def make(folder, rows, features, classes):
    rng = np.random.default_rng(1)
    mixing = np.eye(features) + 0.3 / features ** 0.5 * rng.normal(size=(features, features))
    means = 0.3 * rng.normal(size=(classes, features))
    labels = rng.integers(classes, size=rows)
    X = np.lib.format.open_memmap(os.path.join(folder, "X.npy"), "w+", "<f4", (rows, features))
    for first in range(0, rows, 50000):
        y = labels[first:first + 50000]
        X[first:first + 50000] = means[y] + rng.normal(size=(len(y), features)) @ mixing
    X.flush()
    np.save(os.path.join(folder, "y.npy"), labels)


def fit(folder, solver):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    begun = time.perf_counter()
    X, y = (np.load(os.path.join(folder, name)) for name in ("X.npy", "y.npy"))
    loaded = time.perf_counter()
    lda = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    fitted = time.perf_counter()
    if solver == "eigen":
        np.save(os.path.join(folder, "scalings.npy"), lda.scalings_[:, :len(lda.classes_) - 1])
    print(json.dumps({"fit_seconds": fitted - loaded, "load_seconds": loaded - begun,
                      "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


def compare(folder):
    """The least correlation, without its sign, of a column of both projections: 1 if the directions are the same."""
    X, Z, scalings = (np.load(os.path.join(folder, name), mmap_mode="r") for name in ("X.npy", "Z.npy", "scalings.npy"))
    n = min(len(X), 20000)
    theirs = X[:n].astype(float) @ scalings
    print(json.dumps(min(abs(np.corrcoef(Z[:n, k], theirs[:, k])[0, 1]) for k in range(Z.shape[1]))))


def main():
    command, folder, *rest = sys.argv[1:]
    {"make": make, "fit": fit, "compare": compare}[command](folder, *(int(x) if x.isdigit() else x for x in rest))


if __name__ == "__main__":
    main()
