# SPDX-License-Identifier: MIT
"""Arrays as the library takes them: labels as codes, rows and images as C-contiguous numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def encode(y: NDArray) -> tuple[NDArray, NDArray[np.int32]]:
    """The classes in order, and the position of each label among them."""
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < max(1024, y.size):  # counting is faster than sorting
            place = (y - np.asarray(low, y.dtype)).astype(np.intp, copy=False)
            present = np.bincount(place) > 0
            codes = place.astype(np.int32)
            if not present.all():
                codes = (np.cumsum(present) - 1).astype(np.int32)[codes]
            return (np.flatnonzero(present) + low).astype(y.dtype), codes
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32).reshape(-1)


def codes_in(classes: NDArray, y: NDArray) -> NDArray[np.int32]:
    """The position of each label among sorted classes; ValueError if one is missing."""
    place = np.searchsorted(classes, y).clip(0, len(classes) - 1)
    missing = classes[place] != y
    if np.any(missing):
        raise ValueError(f"label {np.asarray(y)[missing][0]!r} is not one of the classes {list(classes)}")
    return place.astype(np.int32)


def real_rows(X: Any) -> NDArray:
    """Rows of float32 or float64 in C order, without a copy if they are."""
    X = np.asarray(X)
    return np.ascontiguousarray(X, X.dtype if X.dtype in (np.float32, np.float64) else np.float64)


def natural_classes(names: list[str]) -> NDArray:
    """Class names as numbers where all of them are whole numbers, such as the labels of an array in a file."""
    numbers = [int(name) if name.lstrip("-").isdigit() and name.isascii() else None for name in names]
    if all(number is not None and str(number) == name for number, name in zip(numbers, names)):
        return np.asarray(numbers, dtype=np.int64)
    return np.asarray(names)
