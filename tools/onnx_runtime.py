# SPDX-License-Identifier: MIT
"""ONNX Runtime for Python programs, through Node.js: tests and tools/check-onnx use it."""
import json
import os
import subprocess
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"float32": np.float32, "int64": np.int64}


def install():
    """The folder of ONNX Runtime, which is fetched if it is not there; None if it cannot be had, and stderr says why."""
    done = subprocess.run([os.path.join(HERE, "install-onnxruntime")], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def call(runtime, *words):
    done = subprocess.run(["node", os.path.join(HERE, "onnx_run.cjs"), runtime, *map(str, words)], stdout=subprocess.PIPE,
                          text=True, check=True)
    return json.loads(done.stdout)


def run(runtime, model, images, batch=250, threads=2):
    """All outputs of a model, by name, for images [n][channels][height][width]."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "images")
        np.ascontiguousarray(images, dtype="<f4").tofile(path)
        result = call(runtime, "run", model, path, ",".join(map(str, images.shape[1:])), batch, threads,
                      os.path.join(folder, "output"))
        return {name: np.fromfile(os.path.join(folder, "output." + name), TYPES[kind["type"]]).reshape(kind["dims"])
                for name, kind in result["outputs"].items()}


# ---- Comparing with deeplda ----

def as_input(images):
    """Images [n][height][width][channels] as deeplda has them, bytes or floats, in the form that exported models take."""
    images = images if images.ndim == 4 else images[..., None]
    values = images.astype(np.float32) / np.float32(255) if images.dtype == np.uint8 else images.astype(np.float32)
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))


def answered_by(proba):
    """The options for one of the kinds of probabilities: paper, bayes, or those of the softmax."""
    return ["--head", "softmax"] if proba == "softmax" else ["--proba", proba]


def predict(program, model, path, proba):
    """What `deeplda predict` says of the images of an .npy file: labels and probabilities."""
    text = subprocess.run([program, "predict", model, path, "--json", *answered_by(proba)], stdout=subprocess.PIPE,
                          text=True, check=True).stdout
    lines = [json.loads(line) for line in text.splitlines()]
    names = list(lines[0]["probabilities"])
    return (np.array([names.index(line["class"]) for line in lines]),
            np.array([[line["probabilities"][name] for name in names] for line in lines]))


def difference(expected, outputs):
    """Largest difference of a probability, and how many labels differ."""
    labels, probabilities = expected
    return float(abs(outputs["probabilities"] - probabilities).max()), int((outputs["label"] != labels).sum())
