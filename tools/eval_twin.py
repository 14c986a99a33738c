#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""eval_twin.py - the figures of `deeplda eval` once more, in plain NumPy and SciPy.

    tools/eval_twin.py PROGRAM MODEL DATA    runs PROGRAM eval MODEL DATA and compares each figure with its own

MODEL has a network of dense, bn, relu and dropout lines and was trained on all training images of DATA
(--validation 0), a folder with IDX files. Nothing of the model's head is used: features are computed from the weights,
the LDA is fitted on the training images, and the SVM is solved by SciPy's L-BFGS. Exit status: 0 if all agree, 1 if not,
77 if NumPy or SciPy is not there.
"""
import gzip
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import numpy as np
    import scipy.linalg
    import scipy.optimize
except ImportError:
    sys.exit(77)

import read_model
import twin

BINS = 15


# ---- figures ---------------------------------------------------------------------------------------------------

def log_loss(proba, labels):
    return -np.log(np.maximum(proba[np.arange(len(labels)), labels], 1e-15)).mean()


def calibration(proba, predicted, labels, bins=BINS):
    """The expected calibration error, and of each bin: samples, mean probability, accuracy (NaN if empty)."""
    confidence = proba[np.arange(len(labels)), predicted].astype(float)
    edges = np.linspace(0, 1, bins + 1)
    error, table = 0.0, []
    for low, high in zip(edges[:-1], edges[1:]):
        inside = (confidence > low) & (confidence <= high)
        n = np.count_nonzero(inside)
        mean = confidence[inside].mean() if n else np.nan
        right = (predicted == labels)[inside].mean() if n else np.nan
        if n:
            error += n / len(labels) * abs(right - mean)
        table.append((n, mean, right))
    return error, table


def nearest_classes(H, labels, C, lam):
    """The two class means with the smallest Mahalanobis distance under Sw + lambda I: first, second, distance."""
    _, Sw = twin.scatter(H, labels, C)
    inverse = np.linalg.inv(Sw + lam * np.eye(H.shape[1]))
    means = {c: H[labels == c].mean(axis=0) for c in twin.usable_classes(labels, C)}
    pairs = [(np.sqrt((means[a] - means[b]) @ inverse @ (means[a] - means[b])), a, b)
             for a in means for b in means if a < b]
    distance, a, b = min(pairs)
    return a, b, distance


def softmax(H):
    return np.exp(H - twin.log_sum_exp(H))


# ---- a linear SVM: one class against the others, squared hinge loss ------------------------------------------------

class Svm:
    def __init__(self, Z, labels, C, cost):
        self.centre = Z.mean(axis=0)
        X = self.rows(Z)
        self.W = np.array([self.solve(X, np.where(labels == c, 1.0, -1.0), cost) for c in range(C)])

    def rows(self, Z):
        return np.hstack([Z - self.centre, np.ones((len(Z), 1))])

    @staticmethod
    def solve(X, y, cost):
        def value(w):
            slack = np.maximum(0, 1 - y * (X @ w))
            return w @ w / 2 + cost * (slack ** 2).sum(), w - 2 * cost * X.T @ (y * slack)
        start = np.zeros(X.shape[1])
        found = scipy.optimize.minimize(value, start, jac=True, method="L-BFGS-B",
                                        options={"maxiter": 20000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9})
        return found.x

    def values(self, Z):
        return self.rows(Z) @ self.W.T


# ---- the network, from its text and weights ------------------------------------------------------------------------

def features(metadata, arrays, images):
    """Images [n][values], from 0 to 1, through dense, bn, relu and dropout lines."""
    H = images.astype(float)
    lines = [line.split() for line in metadata["network"].splitlines() if line and not line.startswith("#")]
    for i, words in enumerate(line for line in lines if line[0] != "input"):
        name = "layers.%d." % i
        if words[0] == "dense":
            H = H @ arrays[name + "dense.weight"].astype(float) + arrays[name + "dense.bias"]
        elif words[0] == "bn":
            mean, variance = arrays[name + "bn.mean"].astype(float), arrays[name + "bn.variance"].astype(float)
            H = arrays[name + "bn.scale"] * (H - mean) / np.sqrt(variance + 1e-4) + arrays[name + "bn.shift"]
        elif words[0] == "relu":
            H = np.maximum(H, 0)
        elif words[0] != "dropout":
            sys.exit("eval_twin: a network with '%s' is too much for it" % words[0])
    return H


def read_idx(folder, name):
    path = os.path.join(folder, name)
    data = gzip.open(path + ".gz").read() if os.path.exists(path + ".gz") else open(path, "rb").read()
    rank = data[3]
    shape = np.frombuffer(data[4:4 + 4 * rank], ">u4")
    return np.frombuffer(data[4 + 4 * rank:], np.uint8).reshape(shape)


def read_part(folder, prefix):
    images = read_idx(folder, prefix + "-images-idx3-ubyte")
    return images.reshape(len(images), -1) / 255, read_idx(folder, prefix + "-labels-idx1-ubyte").astype(int)


# ---- comparing -----------------------------------------------------------------------------------------------------

class Comparison:
    def __init__(self):
        self.failures = 0

    def near(self, what, found, expected, tolerance):
        found, expected = np.asarray(found, float), np.asarray(expected, float)
        error = np.abs(found - expected).max() / max(1e-300, np.abs(expected).max())
        good = error <= tolerance
        self.failures += not good
        print("%s  %s: error %.1e, allowed %.0e" % ("ok  " if good else "FAIL", what, error, tolerance))

    def equal(self, what, found, expected):
        good = found == expected
        self.failures += not good
        print("%s  %s: found %s, expected %s" % ("ok  " if good else "FAIL", what, found, expected))


def compare_answers(check, name, found, predicted, proba, labels, C):
    confusion = np.zeros((C, C), int)
    np.add.at(confusion, (labels, predicted), 1)
    check.equal(name + " confusion", found["confusion"], confusion.tolist())
    check.near(name + " accuracy", found["accuracy"], (predicted == labels).mean(), 1e-12)
    check.near(name + " log loss", found["log_loss"], log_loss(proba, labels), 1e-4)
    error, table = calibration(proba, predicted, labels)
    check.near(name + " calibration error", found["calibration_error"], error, 1e-3)
    check.equal(name + " bins", [b["samples"] for b in found["calibration"]], [n for n, _, _ in table])


def compare_svm(check, found, Z, labels, Z_test, labels_test, C):
    """Rows that lie on a border may fall on either side."""
    values = Svm(Z, labels, C, found["cost"]).values(Z_test)
    right = np.count_nonzero(values.argmax(axis=1) == labels_test)
    top = np.sort(values, axis=1)
    doubtful = np.count_nonzero(top[:, -1] - top[:, -2] < 0.01)
    good = abs(found["correct"] - right) <= doubtful
    check.failures += not good
    print("%s  SVM: found %d right, expected %d, of which %d are in doubt" %
          ("ok  " if good else "FAIL", found["correct"], right, doubtful))


def main(program, model, data):
    metadata, arrays = read_model.read(model)
    C, options = len(json.loads(metadata["classes"])), json.loads(metadata["options"])
    (train, labels), (test, labels_test) = read_part(data, "train"), read_part(data, "t10k")
    H, H_test = features(metadata, arrays, train), features(metadata, arrays, test)
    head = twin.Head(H, labels, C, options["lambda"])
    check = Comparison()

    def run(*arguments):
        return json.loads(subprocess.run([program, "eval", model, data, "--json", *arguments], check=True,
                                         stdout=subprocess.PIPE).stdout)
    for kind in ("paper", "bayes"):
        predicted, proba = head.predict(H_test, kind)
        compare_answers(check, kind, run("--proba", kind), predicted, proba, labels_test, C)
    found = run("--svm")
    check.near("eigenvalues", found["eigenvalues"], head.values, 1e-4)
    check.near("mean separation", found["mean_separation"], head.values.mean(), 1e-4)
    first, second, distance = nearest_classes(H, labels, C, options["lambda"])
    names, nearest = json.loads(metadata["classes"]), found["nearest_classes"]
    check.equal("nearest classes", [nearest["first"], nearest["second"]], [names[first], names[second]])
    check.near("their distance", nearest["distance"], distance, 1e-3)
    compare_svm(check, found["svm"], head.transform(H), labels, head.transform(H_test), labels_test, C)
    if options["objective"] in ("cce", "lda-cce"):
        compare_answers(check, "softmax", run("--head", "softmax"), H_test.argmax(axis=1), softmax(H_test), labels_test, C)
    return 1 if check.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: eval_twin.py PROGRAM MODEL DATA")
    sys.exit(main(*sys.argv[1:]))
