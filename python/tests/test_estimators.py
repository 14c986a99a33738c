# SPDX-License-Identifier: MIT
"""Both estimators in scikit-learn: its own checks, its tools, and the same answers as its LDA."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.covariance import ShrunkCovariance
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from deeplda import DeepLDAClassifier
from deeplda import LinearDiscriminantAnalysis as Ours

# Checks that do not apply, and why.
NOT_APPLICABLE = {
    "check_array_api_input": "arrays are NumPy's; other array libraries are not claimed to work",
}


@pytest.mark.parametrize(
    "estimator",
    [Ours(), Ours(solver="eigen", shrinkage=0.1), DeepLDAClassifier(epochs=5, n_jobs=1)],
    ids=str,
)
def test_checks_of_scikit_learn(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = check_estimator(estimator, on_fail=None, on_skip=None)
        except TypeError:  # before 1.6 it raises the first failure
            check_estimator(estimator)
            return
    wrong = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not wrong
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert skipped <= set(NOT_APPLICABLE)
    assert len(results) > 40


# ---- The same answers ----


def problems():
    sets = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "cancer": load_breast_cancer(return_X_y=True),  # two classes
    }
    X, y = sets["iris"]
    sets["collinear"] = np.c_[X, X[:, 0] + X[:, 1], X[:, 2]], y
    sets["almost collinear"] = np.c_[X, X[:, 0] + 1e-3 * np.sin(np.arange(len(X)))], y
    sets["one column"] = X[:, 2:3], y
    rng = np.random.default_rng(0)
    sets["wide"] = rng.normal(size=(40, 100)) + np.arange(40)[:, None] % 3, np.arange(40) % 3
    return sets


PROBLEMS = problems()
SOLVERS = [("svd", None), *((s, k) for s in ("lsqr", "eigen") for k in (None, 0.3, 1.0, "auto"))]


def near(ours, theirs, tolerance=1e-8):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= tolerance * max(1, np.abs(theirs).max())


@pytest.mark.parametrize("priors", [None, "given"])
@pytest.mark.parametrize(("solver", "shrinkage"), SOLVERS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_same_answers(name, solver, shrinkage, priors):
    X, y = PROBLEMS[name]
    c = len(np.unique(y))
    settings = {"solver": solver, "shrinkage": shrinkage, "store_covariance": True}
    if priors:
        settings["priors"] = np.arange(1, c + 1) / np.arange(1, c + 1).sum()
    try:
        theirs = Theirs(**settings).fit(X, y)
    except np.linalg.LinAlgError:
        with pytest.raises(np.linalg.LinAlgError):
            Ours(**settings).fit(X, y)
        return
    ours = Ours(**settings).fit(X, y)
    if np.abs(theirs.coef_).max() > 1e9:
        # On some processors, scikit-learn divides by the rounding errors of a singular covariance.
        near(ours.coef_, ours.means_ @ np.linalg.pinv(ours.covariance_, rcond=1e-10, hermitian=True))
        return
    for attribute in ("classes_", "priors_", "means_", "covariance_", "coef_", "intercept_"):
        near(getattr(ours, attribute), getattr(theirs, attribute))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    near(ours.predict_proba(X), theirs.predict_proba(X))
    near(ours.decision_function(X), theirs.decision_function(X))
    if solver == "lsqr":
        return
    near(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    Z, W = ours.transform(X), theirs.transform(X)
    assert Z.shape == W.shape
    # Directions of equal eigenvalues are arbitrary: shrinkage makes such, one for each feature that has no variance.
    ratio = np.r_[theirs.explained_variance_ratio_, theirs.explained_variance_ratio_[-1:]]
    if solver == "eigen" and shrinkage:
        Sw, St = theirs.covariance_, np.cov(X.T, bias=True).reshape(X.shape[1], -1)
        if np.linalg.matrix_rank(St) < X.shape[1] or shrinkage == 1.0:
            return
        assert Sw.shape == St.shape
    for k in range(Z.shape[1]):
        if k + 1 < len(ratio) - 1 and abs(ratio[k] - ratio[k + 1]) < 1e-9:
            continue
        near(Z[:, k] * np.sign(Z[:, k] @ W[:, k]), W[:, k])


def test_shrunk_directions_of_simple_eigenvalues():
    """Where shrinkage makes equal eigenvalues, the space of the other directions is still the same."""
    X, y = PROBLEMS["digits"]
    settings = {"solver": "eigen", "shrinkage": 0.3}
    Z, W = Ours(**settings).fit(X, y).transform(X), Theirs(**settings).fit(X, y).transform(X)
    matching = sum(np.abs(np.abs(Z[:, k]) - np.abs(W[:, k])).max() < 1e-8 * np.abs(W[:, k]).max() for k in range(9))
    assert matching >= 6


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_covariance_estimator(solver):
    X, y = PROBLEMS["wine"]
    settings = {"solver": solver, "covariance_estimator": ShrunkCovariance(shrinkage=0.2)}
    near(Ours(**settings).fit(X, y).coef_, Theirs(**settings).fit(X, y).coef_)


def test_single_precision_and_layouts():
    X, y = PROBLEMS["wine"]
    theirs = Theirs().fit(X, y)
    for layout in (np.asfortranarray(X), X.astype(np.float32), X[::-1][::-1]):
        ours = Ours().fit(layout, y)
        near(ours.predict_proba(layout), theirs.predict_proba(X), 1e-8 if layout.dtype == X.dtype else 2e-3)
        assert ours.coef_.dtype == layout.dtype


def test_large_offset():
    """Scores of the other solvers are differences of huge numbers there, in scikit-learn, too."""
    X, y = PROBLEMS["iris"][0] + 1e4, PROBLEMS["iris"][1]
    near(Ours().fit(X, y).predict_proba(X), Theirs().fit(X, y).predict_proba(X))


def test_labels_of_all_kinds():
    X, y = PROBLEMS["iris"]
    for labels in (
        y.astype(float),
        y.astype(str),
        np.array(list("abc"), object)[y],
        y == 1,
        y - 1000,
        y * 10**12,
        np.array([-5, 0, 7], np.int8)[y],
    ):
        ours, theirs = Ours().fit(X, labels), Theirs().fit(X, labels)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        assert labels.dtype == object or ours.predict(X).dtype.kind == theirs.predict(X).dtype.kind
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


# ---- Tools ----


@pytest.fixture(params=["lda", "deep"])
def estimator(request):
    return Ours() if request.param == "lda" else DeepLDAClassifier(epochs=3, n_jobs=1, random_state=0)


def test_pipeline_and_cross_validation(estimator):
    X, y = PROBLEMS["wine"]
    pipeline = make_pipeline(StandardScaler(), estimator)
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    assert clone(estimator).get_params() == estimator.get_params()


def test_grid_search(estimator):
    X, y = PROBLEMS["iris"]
    grid = {"tol": [1e-4, 1e-3]} if isinstance(estimator, Ours) else {"rate": [0.05, 0.1]}
    search = GridSearchCV(estimator, grid, cv=2, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.8


def test_calibration(estimator):
    X, y = PROBLEMS["iris"]
    proba = CalibratedClassifierCV(estimator, cv=2).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_output_as_data_frames(estimator):
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        out = estimator.set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(out, pandas.DataFrame) and out.shape == (150, 2)
    assert list(out.columns) == [f"{type(estimator).__name__.lower()}{i}" for i in range(2)]
    assert estimator.feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="feature names"):
        estimator.predict(X.rename(columns={X.columns[0]: "other"}))
