# SPDX-License-Identifier: MIT
"""Scatters: portions, merging, pickling, classes that come later."""

import pickle
from multiprocessing import get_context

import numpy as np
import pytest

from deeplda import LinearDiscriminantAnalysis, Scatter


def sums_by_numpy(X, y):
    classes = np.unique(y)
    means = np.array([X[y == k].mean(axis=0) for k in classes])
    within = sum((X[y == k] - m).T @ (X[y == k] - m) for k, m in zip(classes, means))
    return means, within


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_sums(rows, per_class, dtype):
    X, y = (100 * rows[0]).astype(dtype), rows[1]
    means, within = sums_by_numpy(X.astype(float), y)
    for layout in (X, np.asfortranarray(X), X[:, ::-1][:, ::-1]):
        scatter = Scatter(per_class=per_class).add(layout, y)
        assert len(scatter) == len(X) and scatter.n_features == 6
        np.testing.assert_allclose(scatter.means, means, rtol=1e-12)
        np.testing.assert_allclose(scatter.within, within, rtol=1e-10)
        np.testing.assert_array_equal(scatter.counts, np.bincount(y))


def test_portions_with_different_classes(rows):
    X, names = rows[0], np.array(["b", "a", "c"])[rows[1]]
    whole = Scatter(per_class=True).add(X, names)
    parts = [Scatter(per_class=True).add(X[names == k], names[names == k]) for k in ("c", "a", "b")]
    for merged in (sum(parts), parts[0] + parts[1] + parts[2], Scatter(["a", "b", "c"], per_class=True) + sum(parts)):
        np.testing.assert_array_equal(merged.classes, ["a", "b", "c"])
        for ours, theirs in zip(merged.parts(), whole.parts()):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    assert len(parts[0]) == 80  # merging made copies
    again = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(again._sums(), whole._sums())
    np.testing.assert_array_equal(again.add(X, names).counts, 2 * whole.counts)
    assert "240 rows of 6 features in 3 classes" in repr(whole)
    assert pickle.loads(pickle.dumps(Scatter())).add(X, names).n_features == 6


def part(arguments):
    return Scatter().add(*arguments)


def test_in_other_processes(rows):
    X, y = rows
    Scatter().add(X, y)  # the library has been used before the fork
    with get_context("fork").Pool(2) as pool:
        whole = sum(pool.map(part, [(X[i::4], y[i::4]) for i in range(4)]))
    ours = LinearDiscriminantAnalysis().fit_scatter(whole)
    np.testing.assert_allclose(ours.coef_, LinearDiscriminantAnalysis().fit(X, y).coef_, rtol=1e-9)


def test_what_cannot_be_added(rows):
    X, y = rows
    scatter = Scatter().add(X, y)
    before = scatter._sums()
    bad = X.copy()
    bad[17, 2] = np.nan
    for action, words in [
        (lambda: scatter.add(X[:, :3], y), "rows of 3 features, expected 6"),
        (lambda: scatter.add(X, y[:5]), "expected"),
        (lambda: scatter.add(bad, y), "row 17, column 2 is nan"),
        (lambda: scatter.merge(Scatter(per_class=True).add(X, y)), "same kind"),
        (lambda: Scatter().within, "no rows"),
    ]:
        with pytest.raises(ValueError, match=words):
            action()
    np.testing.assert_array_equal(scatter._sums(), before)
    with pytest.raises(TypeError):
        scatter.merge(3)


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30000, 20)), rng.integers(0, 4, 30000)
    one = Scatter(n_jobs=1).add(X, y)._sums()
    for n_jobs in (2, 3, -1):
        np.testing.assert_array_equal(Scatter(n_jobs=n_jobs).add(X, y)._sums(), one)
