# SPDX-License-Identifier: MIT
"""Trained networks with their LDA."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._images import Dataset, are_paths, array_of_texts, image_array, is_path, limits_of
from ._library import Handle, byref, constant, lib, read_doubles, read_sizes, struct, take_bytes, text
from .scatter import threads_of

_KINDS = {"bayes": "DLDA_PROBABILITY_BAYES", "paper": "DLDA_PROBABILITY_PAPER", "softmax": "DLDA_PROBABILITY_SOFTMAX"}
_BATCH = 250  # as in the program, so that the bits are the same
_models: weakref.WeakSet[Model] = weakref.WeakSet()


@dataclass
class Evaluation:
    """How a model does on labelled data. `confusion` has true classes as rows and predicted ones as columns."""

    accuracy: float
    correct: int
    samples: int
    log_loss: float
    calibration_error: float
    classes: list[str]
    confusion: NDArray[np.int64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]


class Model:
    """A trained network with its LDA. It is constant and may be used from many threads at once.

    Images are arrays (n, h, w), (n, h, w, c) or rows (n, d), uint8 (divided by 255) or floats (unchanged); or a list of
    picture files; or the path of a data set.

    Pictures with more than `most_pixels` pixels are refused, and compressed files that expand to more than `most_bytes`
    bytes; None: the limits of the library (docs/data_formats.md).

    Examples
    --------
    >>> model = Model.load("run/model.safetensors")  # doctest: +SKIP
    >>> model.predict(["seven.png"])                 # doctest: +SKIP
    array(['7'], dtype='<U1')
    """

    n_jobs: int | None
    most_pixels: int | None
    most_bytes: int | None

    def __init__(
        self, handle: Handle, n_jobs: int | None = None, most_pixels: int | None = None, most_bytes: int | None = None
    ) -> None:
        self._handle = handle
        self.n_jobs = n_jobs
        self.most_pixels = most_pixels
        self.most_bytes = most_bytes
        self._free: dict[int, list[Handle]] = {}
        _models.add(self)

    # ---- Files ----

    @classmethod
    def load(
        cls, path: Any, n_jobs: int | None = None, most_pixels: int | None = None, most_bytes: int | None = None
    ) -> Model:
        """Reads a model file, or the model of a run folder."""
        if os.path.isdir(path):
            path = os.path.join(path, "model.safetensors")
        handle = Handle("dlda_model_destroy")
        lib.dlda_model_load(text(path), handle.out)
        return cls(handle, n_jobs, most_pixels, most_bytes)

    @classmethod
    def from_bytes(
        cls, data: bytes, n_jobs: int | None = None, most_pixels: int | None = None, most_bytes: int | None = None
    ) -> Model:
        """The model of the bytes of a model file."""
        handle = Handle("dlda_model_destroy")
        lib.dlda_model_from_bytes(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), handle.out)
        return cls(handle, n_jobs, most_pixels, most_bytes)

    def to_bytes(self) -> bytes:
        """The bytes of its model file."""
        return take_bytes(lib.dlda_model_to_bytes, self._handle)

    def save(self, path: Any) -> None:
        """Writes a model file, complete or not at all."""
        lib.dlda_model_save(self._handle, text(path))

    def export_onnx(self, path: Any, proba: str = "bayes") -> None:
        """Writes an ONNX file (docs/onnx.md)."""
        lib.dlda_model_export_onnx(self._handle, _kind(proba), text(path))

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(), self.n_jobs, self.most_pixels, self.most_bytes)

    # ---- What it is ----

    @cached_property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width and channels of its images; (1, 1, d) for rows."""
        return (
            int(lib.dlda_model_height(self._handle)),
            int(lib.dlda_model_width(self._handle)),
            int(lib.dlda_model_channels(self._handle)),
        )

    @cached_property
    def classes(self) -> list[str]:
        count = lib.dlda_model_classes(self._handle)
        return [lib.dlda_model_class_name(self._handle, c).decode() for c in range(count)]

    @cached_property
    def n_features(self) -> int:
        """Of the network's output."""
        return int(lib.dlda_model_features(self._handle))

    @property
    def n_parameters(self) -> int:
        return int(lib.dlda_model_parameters(self._handle))

    @property
    def network(self) -> str:
        """The network as text (docs/network_format.md)."""
        return lib.dlda_model_network_text(self._handle).decode()

    @property
    def preparation(self) -> str:
        return lib.dlda_model_preparation(self._handle).decode()

    @property
    def options(self) -> dict[str, Any]:
        """The options of its training."""
        return json.loads(lib.dlda_model_options_json(self._handle))

    @cached_property
    def eigenvalues(self) -> NDArray[np.float64]:
        """How well each direction separates the classes, largest first."""
        return self.lda_array("eigenvalues")

    def lda_array(self, name: str) -> NDArray[np.float64]:
        """A copy of an array of the LDA: counts, priors, means, mean, directions, eigenvalues, coefficients,
        intercepts, within or total (`dlda_lda_view` in deeplda_lda.h)."""
        view = lib.dlda_lda_view_of(lib.dlda_model_lda(self._handle)).contents
        c, d, k = view.classes, view.features, view.n_directions
        shapes = {
            "counts": (c,),
            "priors": (c,),
            "means": (c, d),
            "mean": (d,),
            "directions": (k, d),
            "eigenvalues": (k,),
            "coefficients": (c, d),
            "intercepts": (c,),
            "within": (d, d),
            "total": (d, d),
        }
        return read_doubles(getattr(view, name), *shapes[name])

    def info(self) -> str:
        """Layers, classes and eigenvalues as text."""
        described = ctypes.c_void_p()
        h, w, c = self.image_shape
        lib.dlda_network_text_describe(self.network.encode(), b"model", h, w, c, byref(described))
        try:
            table = ctypes.string_at(described.value or 0).decode()
        finally:
            lib.dlda_text_destroy(described)
        values = ", ".join(f"{v:.4g}" for v in self.eigenvalues)
        return f"{table}classes: {', '.join(self.classes)}\npreparation: {self.preparation}\neigenvalues: {values}\n"

    def __repr__(self) -> str:
        h, w, c = self.image_shape
        what = f"rows of {c}" if h == w == 1 else f"images of {h} x {w} x {c}"
        return f"<Model: {what}, {self.n_features} features, {len(self.classes)} classes>"

    # ---- Predicting ----

    def predict(self, X: Any) -> NDArray:
        """The name of the class of each image."""
        return np.asarray(self.classes)[self.answer(X, "labels")["labels"]]

    def predict_proba(self, X: Any, kind: str = "bayes") -> NDArray[np.float32]:
        """The probability of each class (n, c), by Bayes' rule, as in the paper, or by the softmax of a network that was
        trained with objective cce or lda-cce ("bayes", "paper", "softmax")."""
        return self.answer(X, "proba", kind=kind)["proba"]

    def embed(self, X: Any, raw: bool = False) -> NDArray[np.float32]:
        """Images on the directions of the LDA (n, k), or the network's output (n, n_features)."""
        name = "features" if raw else "projections"
        return self.answer(X, name)[name]

    def answer(self, X: Any, *wanted: str, kind: str = "bayes") -> dict[str, NDArray]:
        """Any of labels (positions in `classes`), proba, scores, distances, features, projections and p_values, from one
        pass through the network (`dlda_answers` in deeplda.h)."""
        blocks = self._blocks(X)
        n = next(blocks)
        k = len(self.eigenvalues)
        columns = {"proba": len(self.classes), "features": self.n_features, "projections": k}
        columns["scores"] = columns["proba"]
        types = {"labels": np.int32, "scores": np.float64, "distances": np.float64, "p_values": np.float64}
        made = {
            name: np.empty((n, columns[name]) if name in columns else n, types.get(name, np.float32)) for name in wanted
        }
        with self._workspace(n) as workspace:
            first = 0
            for images in blocks:
                answers = struct["dlda_answers"]()
                for name, values in made.items():
                    setattr(answers, name, values[first:].ctypes.data)
                data = images.ctypes.data
                lib.dlda_model_answer(self._handle, workspace, data, len(images), _kind(kind), byref(answers))
                first += len(images)
        return made

    def evaluate(self, X: Any, y: ArrayLike | None = None, kind: str = "bayes") -> Evaluation:
        """Accuracy, confusion and calibration on labelled data: images with the names of their classes, or the path of a
        data set, of which the test part is used if there is one."""
        data = self.dataset(X, y)
        result = ctypes.c_void_p()
        with self._workspace(data.count) as workspace:
            lib.dlda_model_evaluate(self._handle, workspace, data.handle, _kind(kind), byref(result))
        try:
            found = ctypes.cast(result, ctypes.POINTER(struct["dlda_evaluation"])).contents
            c = found.classes
            return Evaluation(
                found.accuracy,
                found.correct,
                found.samples,
                found.log_loss,
                found.calibration_error,
                self.classes,
                read_sizes(found.confusion, c, c),
                read_doubles(found.recall, c),
                read_doubles(found.precision, c),
            )
        finally:
            lib.dlda_evaluation_destroy(result)

    # ---- Other models ----

    def refit(self, X: Any, y: ArrayLike | None = None, lam: float = 1e-3) -> Model:
        """A model with the same network, whose LDA is fitted on these data. Its classes are those of the data."""
        return self._changed(lib.dlda_model_refit, self.dataset(X, y, own_classes=False), lam)

    def add_class(self, X: Any, name: str, lam: float = 1e-3) -> Model:
        """A model with one more class, from two or more images of it alone."""
        images = self._array(X)
        data = Dataset.of_arrays(images, np.zeros(len(images), np.int32), [str(name)])
        return self._changed(lib.dlda_model_add_class, data, str(name).encode(), lam)

    def calibrate(self, X: Any, y: ArrayLike | None = None) -> Model:
        """A model with probabilities calibrated on data that neither the network nor its LDA was fitted on."""
        return self._changed(lib.dlda_model_calibrate, self.dataset(X, y))

    def use_priors(self, priors: ArrayLike | None) -> Model:
        """A model with other class priors; None: the shares of the data that the LDA was fitted on."""
        values = None if priors is None else np.ascontiguousarray(priors, np.float64)
        if values is not None and values.shape != (len(self.classes),):
            raise ValueError(f"priors has shape {values.shape}, expected ({len(self.classes)},)")
        made = Handle("dlda_model_destroy")
        lib.dlda_model_use_priors(self._handle, None if values is None else values.ctypes.data, made.out)
        return Model(made, self.n_jobs, self.most_pixels, self.most_bytes)

    def _changed(self, function: Any, data: Dataset, *arguments: Any) -> Model:
        made = Handle("dlda_model_destroy")
        with self._workspace(data.count) as workspace:
            function(self._handle, workspace, data.handle, *arguments, made.out)
        return Model(made, self.n_jobs, self.most_pixels, self.most_bytes)

    # ---- Workspaces ----

    @contextmanager
    def _workspace(self, n: int) -> Iterator[Handle]:
        """A workspace of its own for this call. The plan of a network depends on the images per call, so there are few
        sizes, and rows always have the same."""
        batch = _BATCH
        if self.image_shape[:2] != (1, 1):
            batch = next((size for size in (8, 64) if n <= size), _BATCH)
        try:
            workspace = self._free[batch].pop()
        except (KeyError, IndexError):
            workspace = Handle("dlda_workspace_destroy")
            lib.dlda_workspace_create(self._handle, batch, threads_of(self.n_jobs), workspace.out)
        try:
            yield workspace
        finally:
            self._free.setdefault(batch, []).append(workspace)

    # ---- Data ----

    def _array(self, X: Any) -> NDArray:
        """Images (n, h, w, c) in memory."""
        if is_path(X) or are_paths(X):
            blocks = self._blocks(X)
            next(blocks)
            return np.concatenate(list(blocks)).reshape(-1, *self.image_shape)
        images = image_array(X, self.image_shape)
        if images.shape[1:] != self.image_shape:
            raise ValueError(f"images have shape {images.shape[1:]}, expected {self.image_shape} (height, width, channels)")
        return images

    def _blocks(self, X: Any) -> Iterator[Any]:
        """First the number of images, then float32 arrays of them."""
        step = 16 * _BATCH
        if are_paths(X):
            yield len(X)
            for first in range(0, len(X), _BATCH):
                yield self._pictures([os.fspath(path) for path in X[first : first + _BATCH]])
            return
        if is_path(X):
            data = self._read(X)
        else:
            images = self._array(X)
            if images.dtype == np.float32 or not len(images):
                yield len(images)
                if len(images):
                    yield images
                return
            data = Dataset.of_arrays(images, None, ["0"])
        yield data.count
        for first in range(0, data.count, step):
            yield data.images(first, min(step, data.count - first))

    def _pictures(self, paths: Sequence[str]) -> NDArray[np.float32]:
        h, w, c = self.image_shape
        images, good = np.empty((len(paths), h * w * c), np.float32), np.empty(len(paths), np.uint8)
        problems: list[str] = []
        spec = struct["dlda_read_spec"](**limits_of(self))
        callback = type(spec.problem)(lambda _user, message: problems.append(message.decode("utf-8", "replace")))
        spec.problem = callback
        lib.dlda_read_spec_use_model(byref(spec), self._handle)
        names = array_of_texts(paths)
        with self._workspace(len(paths)) as workspace:
            lib.dlda_model_read_pictures(
                self._handle,
                workspace,
                byref(spec),
                ctypes.cast(names, ctypes.c_void_p),
                len(paths),
                images.ctypes.data,
                good.ctypes.data,
            )
        if problems:
            missing = not os.path.exists(paths[int(np.flatnonzero(good == 0)[0])])
            raise (FileNotFoundError if missing else ValueError)(problems[0])
        return images

    def _read(self, path: Any, labelled: bool = False, own_classes: bool = True) -> Dataset:
        """A data set in files: its test part if there is one."""
        spec = struct["dlda_read_spec"](path=text(path), **limits_of(self))
        lib.dlda_read_spec_use_model(byref(spec), self._handle)
        if not own_classes:
            spec.names, spec.classes = None, 0
        spec.part = constant["DLDA_PART_TEST"]
        if not own_classes or not lib.dlda_dataset_has_part(byref(spec)):
            spec.part = constant["DLDA_PART_TRAIN"]
        data = Dataset()
        opens = lib.dlda_dataset_open if labelled else lib.dlda_dataset_open_images
        opens(byref(spec), data.handle.out)
        return data

    def dataset(self, X: Any, y: ArrayLike | None, own_classes: bool = True) -> Dataset:
        """Labelled data for the library, with the classes of the model or their own."""
        if is_path(X):
            return self._read(X, labelled=True, own_classes=own_classes)
        if y is None:
            raise ValueError("y is None, expected the name of the class of each image")
        labels = [str(label) for label in np.asarray(y).tolist()]
        names = self.classes
        if not own_classes and not set(labels) <= set(names):
            names = sorted(set(labels))
        place = {name: i for i, name in enumerate(names)}
        unknown = next((label for label in labels if label not in place), None)
        if unknown is not None:
            raise ValueError(f"label {unknown!r} is not one of the model's classes {names}")
        images = self._array(X)
        if len(labels) != len(images):
            raise ValueError(f"X has {len(images)} images, y has {len(labels)} labels")
        return Dataset.of_arrays(images, np.asarray([place[label] for label in labels], np.int32), names)


def _kind(name: str) -> int:
    if name not in _KINDS:
        raise ValueError(f"kind of probability is {name!r}, expected one of {', '.join(_KINDS)}")
    return constant[_KINDS[name]]


def _after_fork() -> None:
    """The threads of a workspace exist in the parent alone: a child makes workspaces of its own."""
    for model in list(_models):
        for workspaces in model._free.values():
            for workspace in workspaces:
                workspace.pointer = None  # type: ignore[assignment]
        model._free = {}


os.register_at_fork(after_in_child=_after_fork)
