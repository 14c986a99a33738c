# SPDX-License-Identifier: MIT
"""Fixtures of the Python tests. Tests of optional packages are collected where these are installed."""

import gzip
import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
collect_ignore = [
    file
    for file, package in {"test_torch.py": "torch", "test_dask.py": "dask", "test_estimators.py": "sklearn"}.items()
    if importlib.util.find_spec(package) is None
]


def read_digits(part):
    images = gzip.decompress((ROOT / f"data/digits/{part}-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = gzip.decompress((ROOT / f"data/digits/{part}-labels-idx1-ubyte.gz").read_bytes())[8:]
    return np.frombuffer(images, np.uint8).reshape(-1, 28, 28), np.frombuffer(labels, np.uint8)


@pytest.fixture(scope="session")
def digits():
    """1,000 digits to train on and 300 to test on: X, y, X_test, y_test."""
    X, y = read_digits("train")
    X_test, y_test = read_digits("t10k")
    return X[:1000], y[:1000], X_test[:300], y_test[:300]


@pytest.fixture(scope="session")
def rows():
    """Three Gaussian classes of rows: X, y."""
    rng = np.random.default_rng(7)
    y = np.arange(240) % 3
    return rng.normal(size=(240, 6)) + 2 * np.eye(6)[y], y


@pytest.fixture(scope="session")
def trained(rows):
    from deeplda import DeepLDAClassifier

    X, y = rows
    return DeepLDAClassifier(epochs=4, random_state=3).fit(X, y)


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("DEEPLDA_PROGRAM", str(ROOT / "build/cli/deeplda"))
    assert os.access(path, os.X_OK), f"{path}: not built"
    return path
