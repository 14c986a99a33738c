# SPDX-License-Identifier: MIT
"""LinearDiscriminantAnalysis by itself: portions, files, errors. test_estimators.py compares it with scikit-learn's."""

import warnings

import numpy as np
import pytest

from deeplda import LinearDiscriminantAnalysis, Scatter


def same(a, b, X, tolerance=1e-9):
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=tolerance, atol=tolerance * np.abs(b.coef_).max())
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=tolerance)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize(
    "settings", [{}, {"solver": "eigen", "shrinkage": 0.2}, {"solver": "lsqr", "priors": [0.2, 0.5, 0.3]}]
)
def test_portions_are_the_whole(rows, settings):
    X, y = rows
    whole = LinearDiscriminantAnalysis(**settings).fit(X, y)
    portions = LinearDiscriminantAnalysis(**settings)
    order = np.argsort(y, kind="stable")  # the last class comes last
    for first in range(0, len(X), 50):
        chosen = order[first : first + 50]
        if settings.get("priors") is not None and first < 150:  # priors need all classes
            with pytest.raises(ValueError, match="one for each class"):
                LinearDiscriminantAnalysis(**settings).partial_fit(np.r_[X[:1], X[3:7:3]], [0, 1, 1])
            chosen = np.arange(first, min(first + 50, len(X)))
        if settings.get("priors") is not None:
            chosen = np.arange(first, min(first + 50, len(X)))
        portions.partial_fit(X[chosen], y[chosen], classes=[0, 1, 2])
    same(portions, whole, X)
    assert len(portions.scatter_) == len(X)
    merged = sum(Scatter(per_class=True).add(X[i::3], y[i::3]) for i in range(3))
    same(LinearDiscriminantAnalysis(**settings).fit_scatter(merged), whole, X)


def test_files(rows, tmp_path):
    X, y = rows[0].astype(np.float32), rows[1]
    whole = LinearDiscriminantAnalysis().fit(X.astype(float), y)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    np.savez(tmp_path / "both.npz", X=X, y=y)
    same(LinearDiscriminantAnalysis().fit_file(tmp_path / "X.npy"), whole, X)
    same(LinearDiscriminantAnalysis().fit_file(tmp_path / "both.npz"), whole, X)
    names = np.array(["z", "x", "y"])[y]
    lines = ["a,b,c,d,e,f,kind,colour"] + [
        ",".join([*map(repr, row.tolist()), name, "red" if i % 2 else "blue"])
        for i, (row, name) in enumerate(zip(X, names))
    ]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    lda = LinearDiscriminantAnalysis().fit_file(tmp_path / "table.csv", label="kind", drop="colour")
    assert lda.feature_names_in_.tolist() == list("abcdef")
    assert lda.classes_.tolist() == ["x", "y", "z"]
    expected = LinearDiscriminantAnalysis().fit(X.astype(float), names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # X has no feature names
        np.testing.assert_array_equal(lda.predict(X), expected.predict(X))
    wide = LinearDiscriminantAnalysis().fit_file(tmp_path / "table.csv", label="kind", categories="colour")
    assert wide.feature_names_in_[-1] == "colour=red" and wide.n_features_in_ == 7
    with pytest.raises(FileNotFoundError):
        LinearDiscriminantAnalysis().fit_file(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="missing"):
        LinearDiscriminantAnalysis().fit_file(tmp_path / "table.csv", missing="guess")


def test_what_is_refused(rows):
    X, y = rows
    for settings, kind, words in [
        ({"solver": "qr"}, ValueError, "solver"),
        ({"solver": "lsqr", "shrinkage": 2}, ValueError, "shrinkage"),
        ({"shrinkage": 0.5}, NotImplementedError, "svd"),
        ({"n_components": 9}, ValueError, "n_components"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"tol": -1}, ValueError, "tol"),
        ({"priors": [0.5, 0.5]}, ValueError, "one for each class"),
        ({"priors": [-1, 1, 1]}, ValueError, "non-negative"),
    ]:
        with pytest.raises(kind, match=words):
            LinearDiscriminantAnalysis(**settings).fit(X, y)
    with pytest.raises(NotImplementedError, match="transform"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).transform(X)
    for method in ("partial_fit", "fit_scatter", "fit_file"):
        with pytest.raises(NotImplementedError, match=method):
            lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
            getattr(lda, method)(*((X, y) if method == "partial_fit" else (Scatter().add(X, y),)))
    with pytest.raises(ValueError, match="per_class"):
        LinearDiscriminantAnalysis(solver="eigen", priors=[0.2, 0.3, 0.5]).fit_scatter(Scatter().add(X, y))
    with pytest.warns(UserWarning, match="Renormalizing"):
        LinearDiscriminantAnalysis(priors=[1, 1, 1]).fit(X, y)


def test_singular_within_the_classes():
    X = np.repeat(np.eye(3), 4, axis=0)
    with pytest.raises(np.linalg.LinAlgError):
        LinearDiscriminantAnalysis(solver="eigen").fit(X, np.arange(12) // 4)
