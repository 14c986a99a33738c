#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""forward.py - a model of deeplda once more, in plain NumPy: from its file and images to features and probabilities.

    forward.py MODEL IMAGES.npy [bayes|paper]

IMAGES are bytes or floats, [N][H][W][C], [N][H][W], or [N][D] for vectors. Prints CSV: index, class, probability, and the
probability of each class. Nothing here follows the C code: only docs/model_format.md, network_format.md, preparation.md,
method.md (step 6) and predicting.md were needed to write it. All sums are in double.
"""
import csv
import json
import sys

import numpy as np

sys.dont_write_bytecode = True
from read_model import read


# ---- preparation ---------------------------------------------------------------------------------------------

def prepare(X, plan, arrays):
    """X [N][H][W][C] through the steps behind `scale`."""
    for step in plan["steps"][1:]:
        rows = X.reshape(len(X), -1)
        if step == "standardise":
            X = (X - arrays["prepare.mean"]) / arrays["prepare.std"]
        elif step == "gcn":
            rows = rows - rows.mean(axis=1, keepdims=True)
            divisor = np.sqrt(plan["gcn_bias"] + (rows ** 2).sum(axis=1, keepdims=True)) / plan["gcn_scale"]
            X = (rows / np.where(divisor < 1e-8, 1, divisor)).reshape(X.shape)
        elif step == "zca":
            X = ((rows - arrays["prepare.zca.mean"]) @ arrays["prepare.zca.matrix"].astype(float)).reshape(X.shape)
        else:
            raise ValueError("unknown step " + step)
    return X


# ---- layers: X [N][H][W][C] in, the same out -----------------------------------------------------------------

def windows(X, size, stride):
    """[N][rows][columns][C][size][size]: the windows that fit."""
    return np.lib.stride_tricks.sliding_window_view(X, (size, size), axis=(1, 2))[:, ::stride, ::stride]


def option(words, name, usual):
    return int(words[words.index(name) + 1]) if name in words else usual


def batch_norm(X, get):
    return get("bn.scale") * (X - get("bn.mean")) / np.sqrt(get("bn.variance") + 1e-4) + get("bn.shift")


def convolve(X, words, get):
    size, pad, stride = int(words[2]), option(words, "pad", 0), option(words, "stride", 1)
    X = np.pad(X, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    X = np.einsum("nyxchw,hwcf->nyxf", windows(X, size, stride), get("conv.weight"), optimize=True)
    return X + get("conv.bias") if "linear" in words else np.maximum(batch_norm(X, get), 0)


def layer(X, words, get):
    """One line of the network text; get("conv.weight") has the arrays of that line."""
    kind = words[0]
    if kind == "conv":
        return convolve(X, words, get)
    if kind == "dense":
        return (X.reshape(len(X), -1) @ get("dense.weight") + get("dense.bias"))[:, None, None]
    if kind == "bn":
        return batch_norm(X, get)
    if kind == "relu":
        return np.maximum(X, 0)
    if kind == "maxpool":
        return windows(X, int(words[1]), option(words, "stride", int(words[1]))).max(axis=(4, 5))
    if kind == "gap":
        return X.mean(axis=(1, 2), keepdims=True)
    if kind == "dropout":
        return X
    raise ValueError("unknown layer " + kind)


# ---- the whole -----------------------------------------------------------------------------------------------

class Model:
    def __init__(self, path):
        texts, self.arrays = read(path)
        if texts["deeplda_format"] != "1":
            raise ValueError("format version " + texts["deeplda_format"])
        self.classes = json.loads(texts["classes"])
        self.plan = json.loads(texts.get("preparation", '{"steps": ["scale"]}'))
        lines = [line.split("#")[0].split() for line in texts["network"].splitlines()]
        lines = [words for words in lines if words]
        self.input, self.lines = [int(word) for word in lines[0][1:]], lines[1:]

    def features(self, images):
        """[N][D]"""
        X = images.reshape(len(images), *self.input).astype(float) / (255 if images.dtype == np.uint8 else 1)
        X = prepare(X, self.plan, self.arrays)
        for n, words in enumerate(self.lines):
            X = layer(X, words, lambda what: self.arrays["layers.%d.%s" % (n, what)].astype(float))
        return X.reshape(len(X), -1)

    def project(self, H):
        """[N][K]: on the directions of the LDA."""
        return H @ self.arrays["head.directions"].T

    def scores(self, H, kind):
        """[N][C]; minus infinity for classes that are never predicted."""
        A, M, counts = (self.arrays["head." + name] for name in ("directions", "means", "counts"))
        T = M @ A.T @ A
        d = H @ T.T - np.einsum("cd,cd->c", M, T) / 2
        usable = counts >= 2
        if kind == "bayes":
            T = self.arrays.get("calibration.temperature", [1, 1])[0]
            d = d / T + np.log(np.where(usable, counts, 1) / counts[usable].sum())
        return np.where(usable, d, -np.inf)

    def probabilities(self, H, kind):
        """[N][C]"""
        d = self.scores(H, kind)
        log_p = d if kind == "bayes" else -np.logaddexp(0, -d)
        p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    def p_values(self, images, H):
        """[N]: of a calibrated model."""
        A, M, counts = (self.arrays["head." + name] for name in ("directions", "means", "counts"))
        gaps = self.project(H)[:, None] - (M @ A.T)[None, counts >= 2]
        unit = self.arrays["calibration.units"]
        unusual = (gaps ** 2).sum(axis=2).min(axis=1) / unit[0]
        if "calibration.appearance.mean" in self.arrays:
            X = images.reshape(len(images), *self.input).astype(float) / (255 if images.dtype == np.uint8 else 1)
            gap = appearance(X) - self.arrays["calibration.appearance.mean"]
            distance = np.einsum("np,pq,nq->n", gap, self.arrays["calibration.appearance.inverse"], gap)
            unusual = np.maximum(unusual, distance / unit[1])
        return tail_share(self.arrays["calibration.tail"], unusual)


# ---- which images are of no class ------------------------------------------------------------------------------

def appearance(X):
    """Statistics [N][p] of images X [N][H][W][C], from 0 to 1; rows of numbers are their own."""
    if min(X.shape[1:3]) < 4:
        return X.reshape(len(X), -1)
    grey = X.mean(axis=3)
    columns = [np.log(1e-4 + grey.var(axis=(1, 2)))]
    if X.shape[3] > 1:
        columns.append(np.log(1e-4 + X.var(axis=3).mean(axis=(1, 2))))
    for _ in range(4):
        if min(grey.shape[1:]) < 4:
            break
        for gap in (np.diff(grey, axis=2), np.diff(grey, axis=1)):
            columns += [np.log(1e-4 + (gap ** 2).mean(axis=(1, 2))), np.log(1e-3 + np.abs(gap).mean(axis=(1, 2)))]
        h, w = grey.shape[1] // 2, grey.shape[2] // 2
        grey = grey[:, :2 * h, :2 * w].reshape(-1, h, 2, w, 2).mean(axis=(2, 4))
    return np.array(columns).T


def tail_share(table, values):
    """The share above each value: log-log interpolation in the table [m][2], continued behind its end."""
    x, y = np.log(table).T
    i = np.clip(np.searchsorted(x, np.log(values)), 1, len(x) - 1)
    share = np.exp(y[i - 1] + (np.log(values) - x[i - 1]) * (y[i] - y[i - 1]) / (x[i] - x[i - 1]))
    return np.where(values > table[0, 0], np.minimum(share, 1), 1)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["paper"], ["bayes"]):
        sys.exit("usage: forward.py MODEL IMAGES.npy [bayes|paper]")
    kind = sys.argv[3] if len(sys.argv) == 4 else "bayes"
    model = Model(sys.argv[1])
    H = model.features(np.load(sys.argv[2]))
    best, proba = model.scores(H, kind).argmax(axis=1), model.probabilities(H, kind)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["index", "class", "probability"] + model.classes)
    for i, (c, p) in enumerate(zip(best, proba)):
        table.writerow([i, model.classes[c], "%.9g" % p[c]] + ["%.9g" % x for x in p])


if __name__ == "__main__":
    main()
