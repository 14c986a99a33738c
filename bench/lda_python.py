#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LinearDiscriminantAnalysis of the package deeplda and of scikit-learn, on arrays in memory, for bench/run.py.

    lda_python.py fit ours|theirs SOLVER ROWS FEATURES CLASSES    fits once; prints JSON: fit_seconds, peak_bytes
    lda_python.py iris ours|theirs SOLVER                         fits iris 500 times; prints JSON: fit_seconds (the median), peak_bytes
"""
import json
import resource
import statistics
import sys
import time

import numpy as np


def estimator(whose, solver):
    if whose == "ours":
        from deeplda import LinearDiscriminantAnalysis
    else:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    return LinearDiscriminantAnalysis(solver=solver)


def seconds_to_fit(lda, X, y):
    begun = time.perf_counter()
    lda.fit(X, y)
    return time.perf_counter() - begun


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def fit(whose, solver, rows, features, classes):
    rng = np.random.default_rng(1)
    y = rng.integers(0, int(classes), int(rows))
    X = rng.standard_normal((int(rows), int(features)))
    X[:, : int(classes)] += 0.3 * (y[:, None] == np.arange(int(classes)))
    lda = estimator(whose, solver)
    lda.fit(X[:1000], y[:1000])  # loads what is loaded at first use
    time.sleep(0.3)  # until the threads that NumPy used have gone to sleep: for some time, they wait busily
    return {"fit_seconds": seconds_to_fit(lda, X, y), "peak_bytes": peak()}


def iris(whose, solver):
    from sklearn.datasets import load_iris
    X, y = load_iris(return_X_y=True)
    seconds = statistics.median(seconds_to_fit(estimator(whose, solver), X, y) for _ in range(500))
    return {"fit_seconds": seconds, "peak_bytes": peak()}


def main():
    command, *rest = sys.argv[1:]
    print(json.dumps({"fit": fit, "iris": iris}[command](*rest)))


if __name__ == "__main__":
    main()
