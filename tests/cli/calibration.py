#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""calibration.py - calibrated probabilities and rejection of the program, against NumPy and on real digits.

    calibration.py PROGRAM

The calibration is computed once more from the features and images of a known held-out set; its figures, the probabilities
and the p-values must agree. Then: a training calibrates its model; a model that is not calibrated says so; noise and
pictures of another kind are rejected.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import forward

FAILED = []


def check(good, words):
    print("%-6s%s" % ("ok" if good else "FAIL", words))
    if not good:
        FAILED.append(words)


def near(found, expected, tolerance, words):
    error = np.abs(np.asarray(found, float) / expected - 1).max()
    check(error < tolerance, "%s: relative difference %.1e" % (words, error))


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *words):
        return subprocess.run([self.path, *(str(word) for word in words)], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __call__(self, *words):
        result = self.run(*words)
        if result.returncode:
            sys.exit("%s: %s" % (" ".join(map(str, words)), result.stderr))
        return result.stdout

    def eval(self, *words):
        return json.loads(self("eval", *words, "--json"))

    def p_values(self, model, data):
        lines = self("predict", model, data, "--reject", "0.05", "--json").splitlines()
        return [json.loads(line) for line in lines]


# ---- against NumPy ---------------------------------------------------------------------------------------------

def log_sum_exp(a):
    top = a.max(axis=1, keepdims=True)
    return top + np.log(np.exp(a - top).sum(axis=1, keepdims=True))


def temperature(scores, log_prior, labels, usual):
    """T with the least log loss of softmax(scores / T + log_prior), and a Gaussian prior of log T: mean log `usual`, variance 1."""
    def cost(t):
        x = scores / np.exp(t) + log_prior
        return (log_sum_exp(x)[:, 0] - x[np.arange(len(labels)), labels]).sum() + (t - np.log(usual)) ** 2 / 2
    best, step = 0, 4.0
    while step > 1e-6:
        best = min(best + step * np.linspace(-1, 1, 21), key=cost)
        step /= 5
    return np.exp(best)


def unusual_rows(V):
    """Mean, inverse covariance, and the squared distance of each row from the Gaussian of all others."""
    n, p = V.shape
    mean, deviation = V.mean(axis=0), V.std(axis=0)
    S = np.corrcoef(V.T) + (0.001 + 0.1 * p / n) * np.eye(p)
    inverse = np.linalg.inv(S) / np.outer(deviation, deviation)
    d = np.einsum("np,pq,nq->n", V - mean, inverse, V - mean)
    return mean, inverse, (n / (n - 1)) ** 2 * d / (1 - d / (n - 1))


def compare_with_numpy(program, folder):
    rng = np.random.default_rng(4)
    pattern = rng.uniform(40, 200, size=(3, 12, 9, 3))

    def images(n):
        y = np.arange(n) % 3
        return np.clip(pattern[y] + 120 * rng.normal(size=(n, 12, 9, 3)), 0, 255).astype(np.uint8), y
    (folder / "small.net").write_text("conv 6 3 pad 1\nmaxpool 2\nconv 8 3 pad 1\ngap\ndense 3\n")
    for name, n in (("train", 240), ("held", 160), ("test", 90)):
        x, y = images(n)
        np.savez(folder / (name + ".npz"), x=x, y=y)
        np.save(folder / (name + "-x.npy"), x)
    program("train", "train.npz", "--net", "small.net", "--epochs", "4", "--objective", "cce", "--batch", "60", "--validation", "0", "-o",
            "plain", "-q")
    program("refit", "plain/model.safetensors", "--calibrate", "held.npz", "-o", "m.safetensors")
    model = forward.Model(folder / "m.safetensors")
    data = np.load(folder / "held.npz")
    H, C = model.features(data["x"]), model.arrays
    scores = model.scores(H, "paper")
    log_prior = np.log(C["head.counts"] / C["head.counts"].sum())
    near(C["calibration.temperature"], [temperature(scores, log_prior, data["y"], 5),
                                        temperature(H, np.zeros(3), data["y"], 1)], 1e-3, "temperatures")
    check(list(C["calibration.samples"]) == [160, 0], "160 samples")
    mean, inverse, d = unusual_rows(forward.appearance(data["x"] / 255.0))
    near(C["calibration.appearance.mean"], mean, 1e-4, "mean of the appearance")
    near(C["calibration.appearance.inverse"] / np.abs(inverse).max() + 1, inverse / np.abs(inverse).max() + 1, 1e-3, "its inverse covariance")
    distance = ((model.project(H)[:, None] - (C["head.means"] @ C["head.directions"].T)) ** 2).sum(axis=2).min(axis=1)
    units = [np.sort(values)[160 - 1 - 16] for values in (distance, d)]
    near(C["calibration.units"], units, 1e-3, "units")
    top = np.sort(np.maximum(distance / units[0], d / units[1]))[::-1]
    table = C["calibration.tail"][:-1]
    near(table[:, 0], [top[round(share * 161) - 1] for share in table[:, 1]], 1e-3, "the tail has order statistics")
    x = np.load(folder / "test.npz")["x"]
    lines = program.p_values("m.safetensors", "test-x.npy")
    near([line["p_value"] for line in lines], model.p_values(x, model.features(x)), 2e-2, "p-values")
    check(all(line["rejected"] == (line["p_value"] <= 0.05) for line in lines), "ALPHA is compared with the p-value")
    found = np.array([list(line["probabilities"].values()) for line in lines])
    check(np.abs(found - model.probabilities(model.features(x), "bayes")).max() < 1e-4, "probabilities")
    soft = program("predict", "m.safetensors", "test-x.npy", "--head", "softmax", "--json").splitlines()
    found = np.array([list(json.loads(line)["probabilities"].values()) for line in soft])
    logits = model.features(x) / C["calibration.temperature"][1]
    expected = np.exp(logits - log_sum_exp(logits))
    check(np.abs(found - expected).max() < 1e-4, "probabilities of the softmax")


# ---- real digits -----------------------------------------------------------------------------------------------

def rejected(program, folder, images):
    np.save(folder / "odd.npy", images.astype(np.uint8))
    lines = program.p_values("run/model.safetensors", "odd.npy")
    return sum(line["rejected"] for line in lines) / len(lines)


def test_digits(program, folder):
    program("train", "digits", "--subset", "1500", "--net", "mlp", "--objective", "lda-log", "--epochs", "12", "-o", "run", "-q")
    model = "run/model.safetensors"
    bayes, paper = program.eval(model, "digits"), program.eval(model, "digits", "--proba", "paper")
    check(bayes["probability"] == "bayes" and bayes["calibration_samples"] == 150 and bayes["temperature"] > 2,
          "a training calibrates: temperature %g" % bayes["temperature"])
    check(bayes["calibration_error"] < 0.05, "calibration error %.4f, below 0.05" % bayes["calibration_error"])
    check(bayes["log_loss"] < paper["log_loss"] / 2, "log loss %.3f, %.3f of the paper's probabilities" %
          (bayes["log_loss"], paper["log_loss"]))
    rng = np.random.default_rng(8)
    lines = program.p_values(model, "digits")
    good = sum(line["rejected"] for line in lines) / len(lines)
    check(0.005 < good < 0.12, "of good digits, %.3f are rejected at 0.05" % good)
    for name, images in (("noise", rng.integers(0, 256, (50, 28, 28))),
                         ("salt and pepper", 255 * (rng.random((50, 28, 28)) < 0.15)),
                         ("flat", np.broadcast_to(np.arange(5, 255, 5)[:, None, None], (50, 28, 28))),
                         ("ramps", np.clip(np.add.outer(rng.uniform(0, 9, 50), np.zeros((28, 28))) * np.arange(28), 0, 255))):
        share = rejected(program, folder, images)
        check(share > 0.9, "%s: %.2f rejected" % (name, share))


def test_messages(program):
    check("temperature" in program("eval", "m.safetensors", "test.npz"), "eval tells the temperature")
    check("not calibrated, since no samples were held out" in program("eval", "plain/model.safetensors", "test.npz"), "eval says if there is none")
    check("fitted on 160 held-out samples\n" in program("info", "m.safetensors"), "info, too")
    check("not calibrated" in program("info", "plain/model.safetensors"), "also if there is none")
    result = program.run("predict", "plain/model.safetensors", "test-x.npy", "--reject", "0.01")
    check(result.returncode == 0 and "is not calibrated" in result.stderr, "--reject says that the chi-square limit is used")
    result = program.run("predict", "m.safetensors", "test-x.npy", "--reject", "0.01")
    check(result.returncode == 0 and result.stderr == "", "and nothing if the model is calibrated")
    text = program("refit", "m.safetensors", "train.npz", "-o", "kept.safetensors")
    check("fitted on 160 held-out samples before the head was changed" in text, "refit keeps the calibration and says so")
    program("train", "train.npz", "--net", "small.net", "--epochs", "2", "-o", "held-out", "-q")
    text = program("refit", "held-out/model.safetensors", "train.npz", "--as-trained", "-o", "again.safetensors")
    check("fitted on 24 held-out samples\n" in text, "--as-trained calibrates on the samples that it leaves out")
    result = program.run("refit", "m.safetensors", "--calibrate", "nowhere", "-o", "x.safetensors")
    check(result.returncode != 0 and "nowhere" in result.stderr, "--calibrate with no such data")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = Program(str(pathlib.Path(sys.argv[1]).resolve()), folder)
        compare_with_numpy(program, folder)
        test_messages(program)
        test_digits(program, folder)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
