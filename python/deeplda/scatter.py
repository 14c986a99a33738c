# SPDX-License-Identifier: MIT
"""Sums over labelled rows: all that LDA needs to know of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import codes_in, encode, real_rows
from ._library import Handle, byref, lib, struct

_BLOCK = 1 << 16  # rows that are converted at once if they are not as the library takes them


class Scatter:
    """Counts, means and second moments of each class, of rows in any number of portions.

    Scatters of different rows can be merged and pickled: map them over the partitions of a data set, in other processes or
    on other machines, merge the results, and fit a `LinearDiscriminantAnalysis` by `fit_scatter`.

    Parameters
    ----------
    classes : array-like, optional
        All classes. By default those of the labels; further ones are added as they appear.
    per_class : bool, default=False
        Keep the second moments of each class, which shrinkage="auto" needs, and `priors` with the solvers "lsqr" and
        "eigen". Otherwise only their sum.
    n_jobs : int, optional
        Number of threads; None or -1: one per core. The sums do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0, 1], [1, 2], [5, 5], [6, 7]]), ["a", "a", "b", "b"]
    >>> whole = Scatter().add(X[:3], y[:3]) + Scatter().add(X[3:], y[3:])
    >>> whole.counts
    array([2, 2])
    >>> whole.means[1]
    array([5.5, 6. ])
    """

    def __init__(self, classes: ArrayLike | None = None, per_class: bool = False, n_jobs: int | None = None) -> None:
        self.per_class = bool(per_class)
        self.n_jobs = n_jobs
        self.n_features = 0
        self.classes: NDArray = np.unique(np.asarray(classes)) if classes is not None else np.empty(0, int)
        self._handle: Handle | None = None

    # ---- Adding ----

    def add(self, X: ArrayLike, y: ArrayLike) -> Scatter:
        """Adds rows X (n, d) with labels y (n,)."""
        rows, labels = np.asarray(X), np.asarray(y)
        if rows.ndim != 2 or labels.shape != rows.shape[:1]:
            raise ValueError(f"X has shape {rows.shape}, y has {labels.shape}, expected (n, d) and (n,)")
        found, codes = encode(labels)
        if len(rows):
            self._grow(found, rows.shape[1])
            if len(found) != len(self.classes):
                codes = codes_in(self.classes, found)[codes]
            self.add_codes(rows, codes)
        return self

    def add_codes(self, X: NDArray, codes: NDArray[np.int32]) -> None:
        """Adds rows whose labels are positions in `classes`."""
        whole = X.flags.c_contiguous and X.dtype in (np.float32, np.float64)
        step = len(X) if whole else _BLOCK
        for first in range(0, len(X), max(step, 1)):
            rows = X if whole else real_rows(X[first : first + step])
            block = struct["dlda_row_block"](n=len(rows), threads=threads_of(self.n_jobs))
            setattr(block, "doubles" if rows.dtype == np.float64 else "floats", rows.ctypes.data)
            block.labels = codes.ctypes.data + first * codes.itemsize
            lib.dlda_scatter_add_rows(self.handle, byref(block))

    def merge(self, other: Scatter) -> Scatter:
        """Adds the rows of another scatter."""
        if not isinstance(other, Scatter):
            raise TypeError(f"cannot merge a {type(other).__name__} into a Scatter")
        if other.n_features == 0:
            return self
        if self.per_class != other.per_class:
            raise ValueError("one scatter has the moments of each class and one has not; expected the same kind")
        self._grow(other.classes, other.n_features)
        self._merge_sums(_resize(other._sums(), other.classes, self.classes, other.n_features, other.per_class))
        return self

    def __add__(self, other: Scatter) -> Scatter:
        if not isinstance(other, Scatter):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: Any) -> Scatter:
        """So that sum() works."""
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def copy(self) -> Scatter:
        """A scatter of the same rows, to which others can be added."""
        return Scatter.__new__(Scatter)._restore(self.__getstate__())

    # ---- What it holds ----

    @property
    def handle(self) -> Handle:
        if self._handle is None:
            raise ValueError("this scatter has no rows yet")
        return self._handle

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each class, (c,)."""
        return self._sums()[: len(self.classes)].astype(np.int64)

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean of each class, (c, d)."""
        return self.parts()[1]

    @property
    def within(self) -> NDArray[np.float64]:
        """Sum of squares and products within the classes, (d, d)."""
        moments = self.parts()[2]
        return moments.sum(axis=0) if self.per_class else moments

    def parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Counts (c,), means (c, d), and moments: (c, d, d), or (d, d) of all classes."""
        c, d, sums = len(self.classes), self.n_features, self._sums()
        means, moments = sums[c : c + c * d].reshape(c, d), sums[c + c * d :]
        if self.per_class:
            return sums[:c], means, moments.reshape(c, d, d)
        upper = np.triu(moments.reshape(d, d))
        return sums[:c], means, upper + np.triu(upper, 1).T

    def __len__(self) -> int:
        return int(self.counts.sum()) if self._handle else 0

    def __repr__(self) -> str:
        return f"<Scatter: {len(self)} rows of {self.n_features} features in {len(self.classes)} classes>"

    # ---- Sums ----

    def _sums(self) -> NDArray[np.float64]:
        sums = np.empty(lib.dlda_scatter_sums_size(self.handle))
        lib.dlda_scatter_export_sums(self.handle, sums.ctypes.data)
        return sums

    def _merge_sums(self, sums: NDArray[np.float64]) -> None:
        sums = np.ascontiguousarray(sums, np.float64)
        lib.dlda_scatter_merge_sums(self.handle, sums.ctypes.data, sums.size)

    def _grow(self, classes: NDArray, n_features: int) -> None:
        """Makes room for these classes."""
        if self.n_features not in (0, n_features):
            raise ValueError(f"rows of {n_features} features, expected {self.n_features}")
        merged = classes if not len(self.classes) else np.union1d(self.classes, classes)
        if self._handle and len(merged) == len(self.classes):
            return
        before, old = self._sums() if self._handle else None, self.classes
        self.classes, self.n_features = merged, n_features
        self._create()
        if before is not None:
            self._merge_sums(_resize(before, old, merged, n_features, self.per_class))

    def _create(self) -> None:
        self._handle = Handle("dlda_scatter_destroy")
        create = lib.dlda_scatter_create if self.per_class else lib.dlda_scatter_create_pooled
        create(len(self.classes), self.n_features, self._handle.out)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in ("per_class", "n_jobs", "n_features", "classes")}
        return {**state, "sums": self._sums() if self._handle else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._restore(state)

    def _restore(self, state: dict[str, Any]) -> Scatter:
        sums = state.pop("sums")
        self.__dict__.update(state, _handle=None)
        if sums is not None:
            self._create()
            self._merge_sums(sums)
        return self


def threads_of(n_jobs: int | None) -> int:
    """The library's number of threads: 0 is one per core."""
    return 0 if n_jobs is None or n_jobs < 1 else int(n_jobs)


def _resize(sums: NDArray, old: NDArray, new: NDArray, d: int, per_class: bool) -> NDArray[np.float64]:
    """Sums of the classes `old` as those of the classes `new`, which include them."""
    c, place = len(old), codes_in(new, old)
    counts, means = np.zeros(len(new)), np.zeros((len(new), d))
    counts[place], means[place] = sums[:c], sums[c : c + c * d].reshape(c, d)
    moments = sums[c + c * d :]
    if per_class:
        moments = np.zeros((len(new), d, d))
        moments[place] = sums[c + c * d :].reshape(c, d, d)
    return np.concatenate([counts, means.ravel(), moments.ravel()])
