# SPDX-License-Identifier: MIT
"""Fits and predictions leave the resident memory flat."""

import os

import numpy as np
import pytest

from deeplda import DeepLDAClassifier, LinearDiscriminantAnalysis, Model, Scatter


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def growth(action, times):
    """Bytes that `times` further calls add, after as many have filled all caches."""
    for _ in range(max(times // 10, 20)):
        action()
    before = resident()
    for _ in range(times):
        action()
    return resident() - before


@pytest.mark.slow
def test_fits(rows):
    X, y = rows
    big = np.repeat(X, 20, axis=0)

    def fit():
        LinearDiscriminantAnalysis().fit(X, y)
        (Scatter().add(big, np.repeat(y, 20)) + Scatter().add(X, y)).means.sum()

    assert growth(fit, 1000) < 2 << 20


@pytest.mark.slow
def test_trainings(rows):
    X, y = rows
    net = "dense 16\nbn\nrelu\ndense classes\n"
    assert growth(lambda: DeepLDAClassifier(net, epochs=1, batch=80, n_jobs=1).fit(X, y), 1000) < 4 << 20


@pytest.mark.slow
def test_predictions(trained, rows):
    X, _ = rows
    X = X[:5].astype(np.float32)
    model = Model.from_bytes(trained.model_.to_bytes(), n_jobs=1)
    assert growth(lambda: model.answer(X, "labels", "proba"), 100000) < 2 << 20
    data = model.to_bytes()
    assert growth(lambda: Model.from_bytes(data).predict(X), 300) < 4 << 20
