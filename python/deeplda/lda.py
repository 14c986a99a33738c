# SPDX-License-Identifier: MIT
"""Classic linear discriminant analysis: a drop-in for scikit-learn's, faster, in portions and out of core.

The rows are summed up by the library in one pass and by all cores (`Scatter`). The rest works on matrices of
features x features and follows the definitions of scikit-learn, so that the results are the same up to rounding.
"""

from __future__ import annotations

import ctypes
import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import codes_in, encode, natural_classes, real_rows
from ._estimator import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    assert_all_finite,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)
from ._library import Handle, byref, constant, lib, struct, text
from .scatter import Scatter

_FLOATS = (np.float64, np.float32)
_BLOCK = 1 << 15  # rows of a file at once


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Linear discriminant analysis, a drop-in for `sklearn.discriminant_analysis.LinearDiscriminantAnalysis`.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" ignores directions without variance within the classes; "lsqr" only classifies; "eigen" solves the
        generalised eigenproblem. "lsqr" and "eigen" can be combined with shrinkage.
    shrinkage : "auto" or float, optional
        Of the covariance, between 0 and 1; "auto" is Ledoit and Wolf's estimate for each class.
    priors : array-like of shape (n_classes,), optional
        Class priors; by default the shares of the rows.
    n_components : int, optional
        Number of directions of `transform`, at most min(n_classes - 1, n_features), the default.
    store_covariance : bool, default=False
        With solver "svd", compute `covariance_` as well.
    tol : float, default=1e-4
        With solver "svd", singular values below it count as 0.
    covariance_estimator : estimator, optional
        Estimates the covariance of each class; has `fit` and `covariance_`. For the solvers "lsqr" and "eigen".
    n_jobs : int, optional
        Number of threads; None or -1: one per core. Results do not depend on it.

    Attributes
    ----------
    classes_, priors_, means_, coef_, intercept_ : ndarray
        As in scikit-learn: for two classes, `coef_` has one row.
    covariance_ : ndarray of shape (n_features, n_features)
        Within the classes; with solver "svd" only if `store_covariance`.
    scalings_, explained_variance_ratio_ : ndarray
        Directions as columns, and their shares of the variance between the classes; not with "lsqr".
    xbar_ : ndarray of shape (n_features,)
        Overall mean; only with "svd".
    n_features_in_, feature_names_in_
        As in scikit-learn.
    scatter_ : Scatter
        The sums so far; only after `partial_fit`, `fit_file` and `fit_scatter`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> y = np.array([1, 1, 1, 2, 2, 2])
    >>> LinearDiscriminantAnalysis().fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    classes_: NDArray
    coef_: NDArray
    intercept_: NDArray

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: str | float | None = None,
        priors: ArrayLike | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.n_jobs = n_jobs

    # ---- Fitting ----

    def fit(self, X: Any, y: Any) -> LinearDiscriminantAnalysis:
        """Fits rows X (n, d) with labels y (n,)."""
        self._check_parameters()
        # The library itself looks for values that are not finite while it adds the rows.
        X, y = validate_data(self, X, y, ensure_min_samples=2, dtype=_FLOATS, ensure_all_finite=False)
        if y.dtype.kind not in "iub":  # whole numbers are classes; the check takes as long as encoding them
            check_classification_targets(y)
        self.classes_, codes = encode(y)
        self._forget()
        rows = _Rows(X, codes)
        if self.solver == "svd" and not self.store_covariance and len(X) <= X.shape[1]:
            assert_all_finite(X, input_name="X")
            self._solve(_Sums.of_wide(rows, len(self.classes_)))
        else:
            self._solve(_Sums.of_scatter(self._sum_up(rows), rows))
        return self

    def _sum_up(self, rows: _Rows) -> Scatter:
        scatter = self._new_scatter(self.classes_)
        scatter._grow(self.classes_, rows.X.shape[1])
        try:
            scatter.add_codes(rows.X, rows.codes)
        except ValueError:
            assert_all_finite(rows.X, input_name="X")
            raise
        return scatter

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> LinearDiscriminantAnalysis:
        """Adds rows to those of earlier calls, and fits all of them. `classes` may name classes to come."""
        self._check_parameters()
        self._check_one_pass("partial_fit")
        first = not hasattr(self, "scatter_")
        X, y = validate_data(self, X, y, reset=first, dtype=_FLOATS)
        check_classification_targets(y)
        if first:
            self.scatter_ = self._new_scatter(classes)
        self._fit_sums(self.scatter_.add(X, y))
        return self

    def fit_scatter(self, scatter: Scatter) -> LinearDiscriminantAnalysis:
        """Fits the rows of a `Scatter`, which may come from many partitions."""
        self._check_parameters()
        self._check_one_pass("fit_scatter")
        if self._needs_classes() and not scatter.per_class:
            raise ValueError("priors with this solver need the moments of each class: Scatter(per_class=True)")
        self.n_features_in_ = scatter.n_features
        self.__dict__.pop("feature_names_in_", None)
        self.scatter_ = scatter
        self._fit_sums(scatter)
        return self

    def fit_file(
        self,
        path: Any,
        label: str | None = None,
        *,
        labels: Any = None,
        drop: str | None = None,
        categories: str | None = None,
        missing: str = "error",
    ) -> LinearDiscriminantAnalysis:
        """Fits a table in a file, which may be larger than memory: it is read in blocks, as float32.

        Parameters
        ----------
        path : path
            An .npy file with its labels beside it, an .npz file, or a CSV table (docs/data_formats.md).
        label : str, optional
            Column of the labels in CSV, by name or number from 1. By default label, class, target or y, else the last.
        labels : path, optional
            The .npy file of the labels of an .npy file.
        drop, categories : str, optional
            Columns of CSV that are not used, and columns of text whose levels become features; separated by commas.
        missing : {"error", "drop", "mean"}, default="error"
            What happens to rows with missing numbers.
        """
        self._check_parameters()
        self._check_one_pass("fit_file")
        kinds = {"error": "DLDA_MISSING_REFUSE", "drop": "DLDA_MISSING_DROP", "mean": "DLDA_MISSING_MEAN"}
        if missing not in kinds:
            raise ValueError(f"missing is {missing!r}, expected one of {', '.join(kinds)}")
        spec = struct["dlda_table_spec"](
            path=text(path), labels=text(labels), label=text(label), drop=text(drop), categories=text(categories)
        )
        spec.missing = constant[kinds[missing]]
        table = _Table(spec)
        self.scatter_ = self._new_scatter(table.classes)
        self.scatter_._grow(self.scatter_.classes, table.n_features)
        for rows, codes in table.blocks(codes_in(self.scatter_.classes, table.classes)):
            self.scatter_.add_codes(rows, codes)
        self.n_features_in_ = table.n_features
        self.__dict__.pop("feature_names_in_", None)
        if table.names is not None:
            self.feature_names_in_ = table.names
        self._fit_sums(self.scatter_)
        return self

    # ---- Predicting ----

    def decision_function(self, X: ArrayLike) -> NDArray:
        """Scores (n, c), or (n,) for two classes."""
        X = self._validated(X)
        scores = X @ self.coef_.T + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray:
        """The class of each row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_log_proba(self, X: ArrayLike) -> NDArray:
        """Logarithms of `predict_proba`."""
        proba = self.predict_proba(X)
        proba[proba == 0] += np.finfo(proba.dtype).smallest_normal
        return np.log(proba)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """The probability of each class, (n, c)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            # 1 / (1 + exp(-s)) and 1 / (1 + exp(s)), of exponents that do not overflow
            small = np.exp(-np.abs(scores))
            likely = 1 / (1 + small)
            second = np.where(scores >= 0, likely, small * likely)
            return np.column_stack([1 - second, second])
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    def transform(self, X: ArrayLike) -> NDArray:
        """Rows on the directions that separate the classes best, (n, n_components)."""
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        X = self._validated(X)
        scalings = self.scalings_[:, : self._max_components]
        return (X - self.xbar_) @ scalings if self.solver == "svd" else X @ scalings

    def _validated(self, X: ArrayLike) -> NDArray:
        check_is_fitted(self, "coef_")
        return validate_data(self, X, reset=False, dtype=_FLOATS)

    # ---- Parameters ----

    def _check_parameters(self) -> None:
        if self.solver not in ("svd", "lsqr", "eigen"):
            raise ValueError(f"solver is {self.solver!r}, expected 'svd', 'lsqr' or 'eigen'")
        shrinkage = self.shrinkage
        if shrinkage is not None and shrinkage != "auto" and not (isinstance(shrinkage, Real) and 0 <= shrinkage <= 1):
            raise ValueError(f"shrinkage is {shrinkage!r}, expected None, 'auto' or a number from 0 to 1")
        if self.n_components is not None and not (isinstance(self.n_components, Integral) and self.n_components >= 1):
            raise ValueError(f"n_components is {self.n_components!r}, expected None or a whole number above 0")
        if not (isinstance(self.tol, Real) and self.tol >= 0):
            raise ValueError(f"tol is {self.tol!r}, expected 0 or more")
        if self.solver == "svd" and shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError("covariance estimator is not supported with svd solver. Try another solver")
        if self.covariance_estimator is not None and shrinkage is not None and shrinkage != 0:
            raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")

    def _check_one_pass(self, method: str) -> None:
        if self.shrinkage == "auto" or self.covariance_estimator is not None:
            raise NotImplementedError(
                f"{method} sees each row once; shrinkage='auto' and covariance_estimator need all rows: use fit"
            )

    def _needs_classes(self) -> bool:
        """Whether the moments of each class are needed, not only their sum."""
        weighted = self.priors is not None and (self.solver != "svd" or self.store_covariance)
        return self.shrinkage == "auto" or weighted

    def _new_scatter(self, classes: Any) -> Scatter:
        return Scatter(classes, per_class=self._needs_classes(), n_jobs=self.n_jobs)

    def _forget(self) -> None:
        """Attributes of an earlier fit that this one may not set."""
        for name in ("scatter_", "covariance_", "scalings_", "xbar_", "explained_variance_ratio_"):
            self.__dict__.pop(name, None)

    # ---- Solving ----

    def _fit_sums(self, scatter: Scatter) -> None:
        """From sums alone. Classes without rows are left out; before there are two, there is nothing to solve."""
        counts = scatter.counts
        self.classes_ = scatter.classes[counts > 0]
        if len(self.classes_) > 1 and counts.sum() > len(self.classes_):
            self._solve(_Sums.of_scatter(scatter, None))

    def _solve(self, sums: _Sums) -> None:
        c, d = sums.means.shape
        if sums.n == c:
            raise ValueError("The number of samples must be more than the number of classes.")
        self.priors_, self.means_ = self._class_priors(sums.counts), sums.means
        most = min(c - 1, d)
        if self.n_components is not None and self.n_components > most:
            raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
        self._max_components = most if self.n_components is None else int(self.n_components)
        getattr(self, f"_solve_{self.solver}")(sums)
        if c == 2:
            self.coef_ = self.coef_[1:] - self.coef_[:1]
            self.intercept_ = self.intercept_[1:] - self.intercept_[:1]
        if sums.rows is not None and sums.rows.X.dtype == np.float32:
            self._narrow()
        self._n_features_out = self._max_components

    def _narrow(self) -> None:
        for name in ("priors_", "means_", "coef_", "intercept_", "scalings_", "xbar_", "explained_variance_ratio_"):
            if name in self.__dict__:
                setattr(self, name, getattr(self, name).astype(np.float32))

    def _class_priors(self, counts: NDArray) -> NDArray[np.float64]:
        if self.priors is None:
            return counts / counts.sum()
        priors = np.asarray(self.priors, np.float64)
        if np.any(priors < 0):
            raise ValueError("priors must be non-negative")
        if priors.shape != counts.shape:
            raise ValueError(f"priors has shape {priors.shape}, expected ({len(counts)},), one for each class")
        if abs(priors.sum() - 1) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
            priors = priors / priors.sum()
        return priors

    def _covariance(self, sums: _Sums) -> NDArray[np.float64]:
        """Of the classes, shrunk, weighted by the priors."""
        if self.covariance_estimator is not None:
            assert sums.rows is not None
            return sum(p * self._estimated(sums.rows.of_class(k)) for k, p in enumerate(self.priors_))
        if self.shrinkage == "auto":
            return np.einsum("c,cij->ij", self.priors_, sums.ledoit_wolf())
        return _shrunk(sums.covariance(self.priors_ if self.priors is not None else None), self.shrinkage)

    def _total(self, sums: _Sums) -> NDArray[np.float64]:
        """Of all rows, shrunk."""
        if self.covariance_estimator is not None:
            assert sums.rows is not None
            return self._estimated(sums.rows.X)
        if self.shrinkage == "auto":
            return sums.as_one_class().ledoit_wolf()[0]
        return _shrunk(sums.total(), self.shrinkage)

    def _estimated(self, X: NDArray) -> NDArray[np.float64]:
        self.covariance_estimator.fit(X)
        if not hasattr(self.covariance_estimator, "covariance_"):
            raise ValueError(f"{type(self.covariance_estimator).__name__} does not have a covariance_ attribute")
        return np.atleast_2d(self.covariance_estimator.covariance_)

    def _score_by(self, coef: NDArray) -> None:
        self.coef_ = coef
        self.intercept_ = -0.5 * np.einsum("cj,cj->c", self.means_, coef) + _log(self.priors_)

    def _solve_lsqr(self, sums: _Sums) -> None:
        self.covariance_ = self._covariance(sums)
        # Singular values that are rounding are dropped, also where scikit-learn keeps a few of them.
        rounding = len(self.covariance_) * np.finfo(float).eps
        solution = np.linalg.lstsq(self.covariance_, self.means_.T, rcond=rounding)[0]
        self._score_by(solution.T)

    def _solve_eigen(self, sums: _Sums) -> None:
        Sw = self.covariance_ = self._covariance(sums)
        Sb = self._total(sums) - Sw
        L = np.linalg.cholesky(Sw)
        half = np.linalg.solve(L, Sb)  # L^-1 Sb L^-T has the eigenvalues of Sw^-1 Sb
        values, U = np.linalg.eigh(_symmetric(np.linalg.solve(L, half.T)))
        values, vectors = values[::-1], np.linalg.solve(L.T, U)[:, ::-1]
        self.explained_variance_ratio_ = (values / values.sum())[: self._max_components]
        self.scalings_ = vectors
        self._score_by((self.means_ @ vectors) @ vectors.T)

    def _solve_svd(self, sums: _Sums) -> None:
        if self.store_covariance:
            self.covariance_ = sums.covariance(self.priors_ if self.priors is not None else None)
        self.xbar_ = self.priors_ @ self.means_
        n, c = sums.n, len(self.means_)
        white = sums.whitening(float(self.tol))
        weights = np.sqrt(n * self.priors_ / max(c - 1, 1))
        _, S, Vt = np.linalg.svd(weights[:, None] * (self.means_ - self.xbar_) @ white, full_matrices=False)
        squares = S**2
        ratios = squares / squares.sum() if self._max_components else squares
        self.explained_variance_ratio_ = ratios[: self._max_components]
        rank = int(np.sum(self.tol * S[0] < S)) if len(S) else 0
        self.scalings_ = white @ Vt.T[:, :rank]
        coordinates = (self.means_ - self.xbar_) @ self.scalings_
        self.coef_ = coordinates @ self.scalings_.T
        self.intercept_ = -0.5 * (coordinates**2).sum(axis=1) + _log(self.priors_) - self.coef_ @ self.xbar_


# ---- Matrices ----


class _Rows:
    """Rows in memory, for what their sums do not tell."""

    def __init__(self, X: NDArray, codes: NDArray[np.int32]) -> None:
        self.X, self.codes = X, codes

    def of_class(self, k: int) -> NDArray:
        return self.X[self.codes == k]


class _Sums:
    """Sums of the classes, and the matrices that follow from them. All covariances are divided by the number of rows."""

    def __init__(
        self, counts: NDArray, means: NDArray, moments: NDArray, scatter: Scatter | None, rows: _Rows | None
    ) -> None:
        self.counts, self.means, self.moments, self.scatter, self.rows = counts, means, moments, scatter, rows
        self.n = int(counts.sum())
        self.within = moments.sum(axis=0) if moments.ndim == 3 else moments
        self.variances = np.diag(self.within) / self.n if self.within.size else np.empty(0)

    @classmethod
    def of_scatter(cls, scatter: Scatter, rows: _Rows | None) -> _Sums:
        """Of the classes that have rows."""
        counts, means, moments = scatter.parts()
        there = counts > 0
        if not there.all():
            counts, means = counts[there], means[there]
            moments = moments[there] if scatter.per_class else moments
        return cls(counts, means, moments, scatter, rows)

    @classmethod
    def of_wide(cls, rows: _Rows, c: int) -> _Sums:
        """Of fewer rows than features: the matrices would be larger than the rows."""
        means = np.stack([rows.of_class(k).mean(axis=0, dtype=np.float64) for k in range(c)])
        sums = cls(np.bincount(rows.codes, minlength=c).astype(float), means, np.empty(0), None, rows)
        sums.variances = np.square(rows.X - means[rows.codes]).mean(axis=0)
        return sums

    def covariance(self, priors: NDArray | None) -> NDArray[np.float64]:
        """Within the classes: of all rows, or that of each class weighted by its prior."""
        if priors is None:
            return self.within / self.n
        return np.einsum("c,cij->ij", priors / self.counts, self.moments)

    def _between(self) -> NDArray[np.float64]:
        offset = self.means - self.counts @ self.means / self.n
        return (offset.T * self.counts) @ offset

    def total(self) -> NDArray[np.float64]:
        return (self.within + self._between()) / self.n

    def as_one_class(self) -> _Sums:
        assert self.rows is not None
        mean = self.counts @ self.means / self.n
        rows = _Rows(self.rows.X, np.zeros_like(self.rows.codes))
        moments = (self.within + self._between())[None]
        return _Sums(np.array([float(self.n)]), mean[None], moments, None, rows)

    def ledoit_wolf(self) -> NDArray[np.float64]:
        """The covariance of each class (c, d, d), shrunk by Ledoit and Wolf's estimate on standardised features."""
        shrinkages = self._shrinkages()
        result = np.empty_like(self.moments)
        for k, share in enumerate(shrinkages):
            covariance = self.moments[k] / self.counts[k]
            deviation = np.sqrt(np.diag(covariance))
            deviation[deviation == 0] = 1
            correlation = covariance / np.outer(deviation, deviation)
            result[k] = _shrunk(correlation, share) * np.outer(deviation, deviation)
        return result

    def _shrinkages(self) -> NDArray[np.float64]:
        """The library's estimates, which need the rows a second time."""
        assert self.rows is not None
        scatter = self._own_scatter()
        estimate = Handle("dlda_shrinkage_destroy")
        lib.dlda_shrinkage_create(scatter.handle, estimate.out)
        for first in range(0, len(self.rows.X), _BLOCK):
            rows = real_rows(self.rows.X[first : first + _BLOCK])
            codes = np.ascontiguousarray(self.rows.codes[first : first + _BLOCK])
            add = lib.dlda_shrinkage_add_double if rows.dtype == np.float64 else lib.dlda_shrinkage_add
            add(estimate, rows.ctypes.data, codes.ctypes.data, len(rows))
        values = np.empty(len(self.counts))
        lib.dlda_shrinkage_estimate(estimate, values.ctypes.data)
        return values

    def _own_scatter(self) -> Scatter:
        if self.scatter is not None:
            return self.scatter
        scatter = Scatter(per_class=True)
        scatter._grow(np.arange(len(self.counts)), self.means.shape[1])
        scatter._merge_sums(np.concatenate([self.counts, self.means.ravel(), self.moments.ravel()]))
        return scatter

    def whitening(self, tol: float) -> NDArray[np.float64]:
        """Directions (d, rank) on which the rows have unit variance within the classes; those with a standard deviation
        up to `tol`, in units of the features', are left out."""
        deviation = np.sqrt(self.variances)
        # A constant feature has no variance but that of rounding.
        deviation[deviation <= 4 * np.finfo(float).eps * np.abs(self.means).max(axis=0, initial=0)] = 1
        if not self.within.size:
            return self._whitening_of_rows(deviation, tol)
        values, V = np.linalg.eigh(self.within / self.n / np.outer(deviation, deviation))
        S = np.sqrt(values[::-1].clip(0))
        rank = int(np.sum(tol < S))
        # Squaring halves the digits of small singular values: these are found from the rows, if there are any.
        if self.rows is not None and rank and S[rank - 1] < 1e-3:
            return self._whitening_of_rows(deviation, tol)
        return V[:, ::-1][:, :rank] / deviation[:, None] / S[:rank]

    def _whitening_of_rows(self, deviation: NDArray, tol: float) -> NDArray[np.float64]:
        assert self.rows is not None
        Z = (self.rows.X - self.means[self.rows.codes]) / (deviation * np.sqrt(self.n))
        _, S, Vt = np.linalg.svd(Z, full_matrices=False)
        rank = int(np.sum(tol < S))
        return (Vt[:rank] / deviation).T / S[:rank]


def _shrunk(covariance: NDArray, shrinkage: Any) -> NDArray[np.float64]:
    if not shrinkage:
        return covariance
    shrunk = (1 - shrinkage) * covariance
    shrunk.flat[:: len(covariance) + 1] += shrinkage * np.trace(covariance) / len(covariance)
    return shrunk


def _symmetric(A: NDArray) -> NDArray[np.float64]:
    return (A + A.T) / 2


def _log(priors: NDArray) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # a prior of 0 is a class that is never predicted
        return np.log(priors)


# ---- Files ----


class _Table:
    """A table in a file, read in blocks."""

    def __init__(self, spec: Any) -> None:
        self._handle = Handle("dlda_table_destroy")
        lib.dlda_table_open(byref(spec), self._handle.out)
        self.n_features = int(lib.dlda_table_features(self._handle))
        count = lib.dlda_table_classes(self._handle)
        self.classes = natural_classes([lib.dlda_table_class_name(self._handle, c).decode() for c in range(count)])
        features = [lib.dlda_table_feature(self._handle, j) for j in range(self.n_features)]
        self.names = None
        if all(feature and feature.contents.column for feature in features):
            self.names = np.asarray([_feature_name(feature.contents) for feature in features], dtype=object)

    def blocks(self, order: NDArray[np.int32]) -> Any:
        """Rows and their codes, where class c of the table has code order[c]. The arrays are used again."""
        rows = max(1, min(_BLOCK, (1 << 24) // self.n_features))
        X, labels, n = np.empty((rows, self.n_features), np.float32), np.empty(rows, np.int32), ctypes.c_size_t()
        while True:
            lib.dlda_table_read(self._handle, rows, X.ctypes.data, labels.ctypes.data, byref(n))
            if n.value == 0:
                return
            yield X[: n.value], order[labels[: n.value]]


def _feature_name(feature: Any) -> str:
    column = feature.column.decode()
    return f"{column}={feature.level.decode()}" if feature.level else column
