# SPDX-License-Identifier: MIT
"""DeepLDA as a scikit-learn estimator."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import codes_in, encode, natural_classes
from ._estimator import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    NotFittedError,
    TransformerMixin,
    _check_feature_names,
    _check_n_features,
    assert_all_finite,
    check_classification_targets,
    column,
    validate_data,
)
from ._images import Dataset, are_images, are_paths, image_array, is_path, limits_of
from ._library import lib
from ._training import Options, Record, Training
from .model import Model

# Parameters that are options of the library under the same name, with - for _.
_OPTIONS = (
    *("net", "objective", "epochs", "batch", "norm_group", "micro_batch", "rate", "schedule", "halve_every", "warm_up"),
    *("momentum", "decay", "epsilon", "patience", "tolerance", "prepare", "flip", "shift"),
)


class DeepLDAClassifier(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator):
    """A network that is trained so that LDA separates its features, with that LDA as classifier.

    X is an array of images (n, h, w) or (n, h, w, c) or of rows (n, d), uint8 (divided by 255) or floats (unchanged); a
    data frame; a list of picture files; or the path of a data set, which has its own labels. Parameters that are None are
    chosen from the data, as by `deeplda train`; docs/options.md explains each of them.

    Parameters
    ----------
    net : str, optional
        mnist, cifar10, stl10, cnn, mlp, a .net file, or the text of a network.
    objective : {"lda", "lda-mean", "lda-log", "lda-soft", "lda-bayes", "cce", "lda-trace", "lda-cce"}, optional
        What is maximised or, for "cce", "lda-bayes" and "lda-cce", minimised.
    epochs, batch, norm_group, micro_batch : int, optional
        Passes over the data; images per batch, normalised together, and in memory at once.
    rate, schedule, halve_every, warm_up, momentum, decay : optional
        Of stochastic gradient descent.
    lam, epsilon : float, optional
        Of the LDA.
    patience, tolerance : optional
        Early stopping after so many epochs without improvement; which later epochs are kept.
    prepare : str, optional
        Preparation of the images: scale, standardise, gcn, zca.
    flip : bool, optional
    shift : int, optional
        Augmentation of images.
    validation : float or int, default=0.1
        Share or number of samples held out to select the best epoch and to calibrate probabilities; 0: none. Not used if
        `fit` gets `validation_data`. With fewer than 20 samples of a class, nothing is held out.
    random_state : int, RandomState or None, default=None
        Seed; None: 1. The same seed gives the same model.
    n_jobs : int, optional
        Number of threads; None or -1: one per core. Results do not depend on it.
    warm_start : bool, default=False
        `fit` starts from the weights of the former fit.
    verbose : int, default=0
        1: progress, by tqdm if it is installed.
    callbacks : sequence of callables, optional
        Each is called after every epoch with its record; one that returns True ends the training.
    run_folder : path, optional
        Records the run there, for `deeplda report`.
    options : dict, optional
        Further options of the library by name.
    most_pixels, most_bytes : int, optional
        Refuse picture files with more pixels, and compressed files that expand to more bytes; None: the limits of the
        library.

    Attributes
    ----------
    classes_ : ndarray
    model_ : Model
        The trained network.
    eigenvalues_, explained_variance_ratio_ : ndarray
        How well each direction separates the classes, and their shares.
    means_ : ndarray of shape (n_classes, n_features)
        Class means of the network's output.
    scalings_ : ndarray of shape (n_features, n_directions)
        Directions of the LDA, as columns.
    history_ : list of dict
        A record for each epoch.
    choices_ : list of (option, value, reason)
        What was chosen from the data.
    n_features_in_, feature_names_in_, image_shape_
        Of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 3
    >>> X = rng.normal(size=(300, 8)) + 3 * np.eye(8)[y]
    >>> clf = DeepLDAClassifier(epochs=3, random_state=0).fit(X, y)
    >>> clf.transform(X).shape, bool(clf.score(X, y) > 0.9)
    ((300, 2), True)
    """

    classes_: NDArray
    history_: list[Record]
    model_: Model

    def __init__(
        self,
        net: str | None = None,
        objective: str | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        norm_group: int | None = None,
        micro_batch: int | None = None,
        rate: float | None = None,
        schedule: str | None = None,
        halve_every: int | None = None,
        warm_up: float | None = None,
        momentum: float | None = None,
        decay: float | None = None,
        lam: float | None = None,
        epsilon: float | None = None,
        patience: int | None = None,
        tolerance: float | None = None,
        prepare: str | None = None,
        flip: bool | None = None,
        shift: int | None = None,
        validation: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        callbacks: Sequence[Callable[[Record], Any]] | None = None,
        run_folder: Any = None,
        options: dict[str, Any] | None = None,
        most_pixels: int | None = None,
        most_bytes: int | None = None,
    ) -> None:
        self.net = net
        self.objective = objective
        self.epochs = epochs
        self.batch = batch
        self.norm_group = norm_group
        self.micro_batch = micro_batch
        self.rate = rate
        self.schedule = schedule
        self.halve_every = halve_every
        self.warm_up = warm_up
        self.momentum = momentum
        self.decay = decay
        self.lam = lam
        self.epsilon = epsilon
        self.patience = patience
        self.tolerance = tolerance
        self.prepare = prepare
        self.flip = flip
        self.shift = shift
        self.validation = validation
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose
        self.callbacks = callbacks
        self.run_folder = run_folder
        self.options = options
        self.most_pixels = most_pixels
        self.most_bytes = most_bytes

    # ---- Fitting ----

    def fit(self, X: Any, y: ArrayLike | None = None, validation_data: Any = None) -> DeepLDAClassifier:
        """Trains on X with labels y. `validation_data` is (X, y), or the path of a data set, instead of samples that are
        held out."""
        start = self.model_ if self.warm_start and hasattr(self, "model_") else None
        with self._unchanged_by_failures():
            images, labels = self._data(X, y)
            if labels is None:
                whole, classes = images, natural_classes(images.names)
            else:
                classes, codes = encode(labels)
                whole = self._labelled(images, codes, _names(classes))
            self._train(whole, self._held_out(validation_data, classes, whole.names), classes, start, {})
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> DeepLDAClassifier:
        """Trains one epoch on these samples, from the weights so far. The LDA is that of these samples, which need at
        least two of every class; the first call may name the classes."""
        first = not hasattr(self, "model_")
        fixed: dict[str, Any] = {"epochs": 1, "validation": 0, "schedule": "halve", "warm-up": 0}
        if not first:
            fixed["net"] = self.net_
        with self._unchanged_by_failures():
            images, labels = self._data(X, y, reset=first)
            known = np.unique(np.asarray(labels if classes is None else classes)) if first else self.classes_
            data = self._labelled(images, codes_in(known, np.asarray(labels)), _names(known))
            if self.batch is not None:
                fixed["batch"] = min(self.batch, data.count)
            self._train(data, None, known, None if first else self.model_, fixed, [] if first else self.history_)
        return self

    @contextmanager
    def _unchanged_by_failures(self) -> Iterator[None]:
        """What was fitted before stays if a fit fails, or is stopped before there is a model."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            if getattr(self, "model_", None) is before.get("model_"):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise

    def _data(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, NDArray | None]:
        """Images as an array, a list of files or a data set; labels, None if the data have their own."""
        if is_path(X):
            if y is not None:
                raise ValueError("y is given with the path of a data set, which has labels of its own")
            return Dataset.of_path(X, limits_of(self)), None
        if are_paths(X):
            labels = column(y)
            if len(labels) != len(X):
                raise ValueError(f"X has {len(X)} files, y has {len(labels)} labels")
            return list(X), labels
        if are_images(X):
            images, labels = image_array(X), column(y)
            if len(labels) != len(images):
                raise ValueError(f"X has {len(images)} images, y has {len(labels)} labels")
            flat = images.reshape(len(images), -1)
            _check_n_features(self, flat, reset=reset)
        else:
            _check_feature_names(self, X, reset=reset)
            keep = np.uint8 if getattr(X, "dtype", None) == np.uint8 else [np.float32, np.float64]
            X, labels = validate_data(self, X, y, reset=reset, dtype=keep, ensure_min_samples=2)
            images = image_array(X)
        check_classification_targets(labels)
        return images, labels

    def _labelled(self, images: Any, codes: NDArray[np.int32], names: list[str]) -> Dataset:
        if isinstance(images, list):
            return Dataset.of_pictures(images, codes, names, limits_of(self))
        return Dataset.of_arrays(images, codes, names)

    def _held_out(self, validation_data: Any, classes: NDArray, names: list[str]) -> Dataset | None:
        if validation_data is None:
            return None
        if is_path(validation_data):
            return Dataset.of_path(validation_data, limits_of(self), names)
        if not isinstance(validation_data, (tuple, list)) or len(validation_data) != 2:
            raise ValueError("validation_data must be (X, y) or the path of a data set")
        X, y = validation_data
        images, labels = self._data(X, y, reset=False)
        return self._labelled(images, codes_in(classes, np.asarray(labels)), names)

    def _train(
        self,
        whole: Dataset,
        held_out: Dataset | None,
        classes: NDArray,
        start: Model | None,
        fixed: dict[str, Any],
        earlier: Sequence[Record] = (),
    ) -> None:
        """Trains from the weights of `start`, with options that are `fixed`; history follows that of `earlier` fits."""
        options = self._make_options(whole, held_out, fixed)
        train, validation = _divide(whole, options) if held_out is None else (whole, held_out)
        choices = options.choose(train)
        training = Training(options, train, validation, self.callbacks or (), self.verbose)
        try:
            if start is not None:
                training.start_from(start)
            if self.run_folder is not None:
                training.record(self.run_folder)
            try:
                training.run()
            finally:
                model = training.model(self.n_jobs)
                if model is not None:
                    self.classes_, self.choices_, self.net_ = classes, choices, options.get("net")
                    self.history_ = [*earlier, *training.history]
                    self.image_shape_ = whole.shape
                    self.n_features_in_ = int(np.prod(whole.shape))
                    self._use(model)
        finally:
            training.close()

    def _make_options(self, data: Dataset, held_out: Dataset | None, fixed: dict[str, Any]) -> Options:
        options = Options()
        given = {name.replace("_", "-"): getattr(self, name) for name in _OPTIONS}
        given["lambda"] = self.lam
        given["seed"] = self._seed()
        given["threads"] = 0 if self.n_jobs is None or self.n_jobs < 1 else self.n_jobs
        smallest = np.bincount(data.codes, minlength=len(data.names)).min()
        given["validation"] = 0 if held_out is not None or (smallest < 20 and self.validation < 1) else self.validation
        given.update(self.options or {})
        given.update(fixed)
        for name, value in given.items():
            if value is not None:
                options.set(name, value)
        return options

    def _seed(self) -> int:
        state = self.random_state
        if state is None:
            return 1
        if hasattr(state, "randint"):
            return int(state.randint(np.iinfo(np.int32).max))
        if hasattr(state, "integers"):
            return int(state.integers(np.iinfo(np.int32).max))
        return int(state)

    # ---- What was fitted ----

    def _use(self, model: Model) -> None:
        self.model_ = model
        model.most_pixels, model.most_bytes = self.most_pixels, self.most_bytes
        self.eigenvalues_ = model.eigenvalues
        total = self.eigenvalues_.sum()
        self.explained_variance_ratio_ = self.eigenvalues_ / total if total > 0 else self.eigenvalues_
        self.means_ = model.lda_array("means")
        self.scalings_ = model.lda_array("directions").T
        self._n_features_out = len(self.eigenvalues_)

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            )
        return self.model_

    def _answer(self, X: Any, name: str) -> NDArray:
        model = self._fitted()
        if not is_path(X) and not are_paths(X):
            if are_images(X):
                X = image_array(X)
                assert_all_finite(X, input_name="X")
            elif getattr(X, "shape", None) == self.image_shape_[:2] and self.image_shape_[0] > 1:
                raise ValueError(f"X is one image, {X.shape}; expected an array of images, such as X[None]")
            else:
                keep = np.uint8 if getattr(X, "dtype", None) == np.uint8 else [np.float32, np.float64]
                X = validate_data(self, X, reset=False, dtype=keep)
        return model.answer(X, name)[name]

    def predict(self, X: Any) -> NDArray:
        """The class of each sample."""
        labels = self._answer(X, "labels")
        return self.classes_[labels]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class (n, c), calibrated if samples were held out."""
        proba = self._answer(X, "proba").astype(np.float64)
        return proba / proba.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of Bayes' rule (n, c); for two classes the second minus the first, (n,)."""
        scores = self._answer(X, "scores")
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Samples on the directions of the LDA, (n, k)."""
        return self._answer(X, "projections")

    # ---- Models and reports ----

    def save(self, path: Any) -> None:
        """Writes the model file, which the program and C read, too."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: Any, n_jobs: int | None = None) -> DeepLDAClassifier:
        """A fitted classifier from a model file or a run folder."""
        self = cls(n_jobs=n_jobs)
        model = Model.load(path, n_jobs)
        self.classes_ = natural_classes(model.classes)
        self.image_shape_ = model.image_shape
        self.n_features_in_ = int(np.prod(model.image_shape))
        self.net_, self.history_, self.choices_ = model.network, [], []
        self._use(model)
        return self

    def add_class(self, X: Any, name: Any) -> DeepLDAClassifier:
        """Adds a class from two or more samples of it, in closed form. It is the last one of `classes_`."""
        if name in self.classes_.tolist():
            raise ValueError(f"there is a class {name!r} already")
        lam = 1e-3 if self.lam is None else self.lam
        model = self._fitted().add_class(X, str(name), lam)
        names = [*self.classes_.tolist(), name]
        same = np.asarray(name).dtype.kind == self.classes_.dtype.kind
        self.classes_ = np.asarray(names) if same else np.asarray(names, dtype=object)
        self._use(model)
        return self

    def export_onnx(self, path: Any) -> None:
        """Writes an ONNX file (docs/onnx.md)."""
        self._fitted().export_onnx(path)

    def report(self, path: Any, X: Any = None, y: ArrayLike | None = None) -> None:
        """Writes an HTML page with the figures of `deeplda.plot`; X and y are samples to test on. Needs matplotlib."""
        from .plot import write_report

        write_report(self, path, X, y)

    def summary(self) -> dict[str, Any]:
        """Key figures of the fitted model."""
        model = self._fitted()
        h, w, c = model.image_shape
        best = [record for record in self.history_ if record["best"]]
        rows: dict[str, Any] = {
            "input": f"rows of {c} numbers" if h == w == 1 else f"images of {h} x {w} x {c}",
            "classes": len(self.classes_),
            "network": f"{model.n_parameters:,} weights, {model.n_features} features",
            "objective": model.options.get("objective"),
            "epochs": len(self.history_),
            "eigenvalues": ", ".join(f"{v:.3g}" for v in self.eigenvalues_),
        }
        if best and not np.isnan(best[-1]["validation_accuracy"]):
            rows["validation accuracy"] = f"{100 * best[-1]['validation_accuracy']:.2f} %"
        return rows

    def _repr_html_(self) -> str:
        """For notebooks."""
        head = f"<pre>{html.escape(repr(self))}</pre>"
        if not hasattr(self, "model_"):
            return head
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
            for name, value in self.summary().items()
        )
        return f"{head}<table>{cells}</table>"

    def _repr_mimebundle_(self, **_settings: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": [np.float32]}


def _names(classes: NDArray) -> list[str]:
    """Class names for the model; numbers where they would not be different."""
    names = [str(value) for value in classes.tolist()]
    good = len(set(names)) == len(names) and all(name.strip() == name != "" and name.isprintable() for name in names)
    return names if good else [str(i) for i in range(len(names))]


def _divide(whole: Dataset, options: Options) -> tuple[Dataset, Dataset | None]:
    """Training and validation samples, as the options say."""
    train, held_out = Dataset(), Dataset()
    lib.dlda_dataset_divide(whole.handle, options.handle, train.handle.out, held_out.handle.out)
    train._kept = held_out._kept = whole
    return train, held_out if held_out.handle.pointer else None


__all__ = ["DeepLDAClassifier"]
