# SPDX-License-Identifier: MIT
"""What estimators and models take as X: arrays of images or rows, lists of picture files, folders, data frames."""

from __future__ import annotations

import ctypes
import os
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._library import Handle, byref, lib, struct, text


def is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def are_paths(X: Any) -> bool:
    """Whether X is a list or an array of file names."""
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "UO" and len(X) > 0 and is_path(X[0])
    return isinstance(X, Sequence) and not is_path(X) and len(X) > 0 and all(is_path(x) for x in X)


def are_images(X: Any) -> bool:
    """Whether X is an array of more than rows."""
    if hasattr(X, "toarray"):
        return False
    return (X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim) > 2


def image_array(X: Any, shape: tuple[int, int, int] | None = None) -> NDArray:
    """Images (n, h, w, c) of uint8 or float32; rows (n, d) are images of 1 x 1 with d channels, or of `shape` if that has
    as many values."""
    if hasattr(X, "toarray"):
        raise TypeError("Sparse data was passed, but dense data is required. Use X.toarray() to convert it.")
    X = np.asarray(X)
    if X.dtype.kind not in "buif":
        if X.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        X = X.astype(np.float64)
    if X.ndim == 2:
        size = X.shape[1]
        X = X.reshape(len(X), *(shape if shape and int(np.prod(shape)) == size else (1, 1, size)))
    elif X.ndim == 3:
        X = X[..., None]
    if X.ndim != 4:
        raise ValueError(
            f"Found array with dim {X.ndim}, expected rows (n, d) or images (n, h, w) or (n, h, w, c). "
            "Reshape your data, e.g. by X.reshape(-1, 1)."
        )
    _warn_of_channels_first(X.shape)
    return np.ascontiguousarray(X, np.uint8 if X.dtype == np.uint8 else np.float32)


def _warn_of_channels_first(shape: tuple[int, ...]) -> None:
    _, h, w, c = shape
    if h in (1, 3) and w > 4 and c > 4:
        warnings.warn(
            f"X has shape {shape}: images of {h} x {w} pixels with {c} channels. If the channels come first, "
            "use X.transpose(0, 2, 3, 1).",
            UserWarning,
            stacklevel=5,
        )


def array_of_texts(texts: Sequence[str]) -> Any:
    """For `const char *const *`; keep the result while it is in use."""
    return (ctypes.c_char_p * len(texts))(*(os.fsencode(t) for t in texts))


def limits_of(owner: Any) -> dict[str, int]:
    """What an estimator or a model sets of the limits of dlda_read_spec; 0: the library's."""
    return {"most_pixels": int(owner.most_pixels or 0), "most_bytes": int(owner.most_bytes or 0)}


class Dataset:
    """A data set of the library, made from arrays without a copy or read from files."""

    def __init__(self) -> None:
        self.handle = Handle("dlda_dataset_destroy")
        self._kept: Any = None

    @classmethod
    def of_arrays(cls, images: NDArray, codes: NDArray[np.int32] | None, names: Sequence[str]) -> Dataset:
        self = cls()
        n, h, w, c = images.shape
        texts = array_of_texts(names)
        spec = struct["dlda_dataset_spec"](count=n, height=h, width=w, channels=c, classes=len(names), borrow=1)
        if codes is not None:
            codes = np.ascontiguousarray(codes, np.int32)
            spec.labels = codes.ctypes.data
        setattr(spec, "bytes" if images.dtype == np.uint8 else "values", images.ctypes.data)
        spec.names = ctypes.cast(texts, ctypes.c_void_p)
        lib.dlda_dataset_create(byref(spec), self.handle.out)
        self._kept = images
        return self

    @classmethod
    def of_path(cls, path: Any, limits: dict[str, int], names: Sequence[str] | None = None) -> Dataset:
        """Labelled data of a file or folder; with `names`, these are the classes. `limits`: as limits_of gives them."""
        self = cls()
        spec = struct["dlda_read_spec"](path=text(path), **limits)
        if names is not None:
            texts = array_of_texts(names)
            spec.names, spec.classes = ctypes.cast(texts, ctypes.c_void_p), len(names)
        lib.dlda_dataset_open(byref(spec), self.handle.out)
        return self

    @classmethod
    def of_pictures(
        cls, paths: Sequence[Any], codes: NDArray[np.int32], names: Sequence[str], limits: dict[str, int]
    ) -> Dataset:
        """Of picture files, read through a temporary folder of links to them. Pictures of different sizes are resized."""
        with tempfile.TemporaryDirectory(prefix="deeplda-") as folder:
            width = len(str(len(names)))
            for k in range(len(names)):
                os.mkdir(os.path.join(folder, f"{k:0{width}}"))
            for i, (path, code) in enumerate(zip(paths, codes)):
                file = Path(path).absolute()
                if not file.is_file():
                    raise FileNotFoundError(f"{path}: no such picture file")
                os.symlink(file, os.path.join(folder, f"{code:0{width}}", f"{i:09}{file.suffix}"))
            return cls.of_path(folder, limits)

    @property
    def count(self) -> int:
        return int(lib.dlda_dataset_count(self.handle))

    @property
    def shape(self) -> tuple[int, int, int]:
        return (
            int(lib.dlda_dataset_height(self.handle)),
            int(lib.dlda_dataset_width(self.handle)),
            int(lib.dlda_dataset_channels(self.handle)),
        )

    @property
    def names(self) -> list[str]:
        count = lib.dlda_dataset_classes(self.handle)
        return [lib.dlda_dataset_class_name(self.handle, c).decode() for c in range(count)]

    @property
    def codes(self) -> NDArray[np.int32]:
        address = lib.dlda_dataset_labels(self.handle)
        if not address:
            raise ValueError("these data have no labels")
        return np.array((ctypes.c_int * self.count).from_address(address), dtype=np.int32)

    def images(self, first: int, n: int) -> NDArray[np.float32]:
        """Samples as a network takes them, (n, h * w * c)."""
        values = np.empty((n, int(np.prod(self.shape))), np.float32)
        lib.dlda_dataset_images(self.handle, first, n, values.ctypes.data)
        return values
