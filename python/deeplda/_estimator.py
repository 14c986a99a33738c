# SPDX-License-Identifier: MIT
"""What estimators share: the base classes and checks of scikit-learn, or small substitutes where it is not installed."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from sklearn.utils import assert_all_finite
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted

    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6

        def validate_data(estimator: Any, *args: Any, **settings: Any) -> Any:
            if "ensure_all_finite" in settings:
                settings["force_all_finite"] = settings.pop("ensure_all_finite")
            return estimator._validate_data(*args, **settings)

    try:
        from sklearn.utils.validation import _check_feature_names, _check_n_features
    except ImportError:

        def _check_feature_names(estimator: Any, X: Any, reset: bool) -> None:
            estimator._check_feature_names(X, reset=reset)

        def _check_n_features(estimator: Any, X: Any, reset: bool) -> None:
            estimator._check_n_features(X, reset=reset)

    HAS_SKLEARN = True
except ImportError:
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """An estimator is used before it is fitted."""

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """Data were converted in a way that may not be meant."""

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """A training may have been too short."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, as in scikit-learn."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                if name not in self._get_param_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            parameters = inspect.signature(type(self).__init__).parameters
            changed = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if repr(value) != repr(parameters[name].default)
            ]
            return f"{type(self).__name__}({', '.join(changed)})"

    class ClassifierMixin:  # type: ignore[no-redef]
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            right = self.predict(X) == np.asarray(y)  # type: ignore[attr-defined]
            return float(np.average(right, weights=sample_weight))

    class TransformerMixin:  # type: ignore[no-redef]
        def fit_transform(self, X: Any, y: Any = None, **settings: Any) -> Any:
            return self.fit(X, y, **settings).transform(X)  # type: ignore[attr-defined]

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        def get_feature_names_out(self, input_features: Any = None) -> NDArray:
            prefix = type(self).__name__.lower()
            return np.asarray([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=object)  # type: ignore[attr-defined]

    def check_is_fitted(estimator: Any, attributes: Any = None) -> None:
        if not any(name.endswith("_") and not name.startswith("__") for name in vars(estimator)):
            raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' first.")

    def check_classification_targets(y: Any) -> None:
        y = np.asarray(y)
        if y.dtype.kind == "f" and np.any(y != np.floor(y)):
            raise ValueError("Unknown label type: continuous. Maybe you are trying to fit a classifier on numbers.")

    def assert_all_finite(X: Any, *, input_name: str = "") -> None:
        if X.dtype.kind == "f" and not np.isfinite(X).all():
            raise ValueError(f"Input {input_name} contains NaN or infinity.")

    def _check_feature_names(estimator: Any, X: Any, reset: bool) -> None:
        names = getattr(X, "columns", None)
        if reset and names is not None and all(isinstance(name, str) for name in names):
            estimator.feature_names_in_ = np.asarray(names, dtype=object)

    def _check_n_features(estimator: Any, X: Any, reset: bool) -> None:
        if reset:
            estimator.n_features_in_ = X.shape[1]
        elif X.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input"
            )

    def validate_data(estimator: Any, X: Any, y: Any = "no_validation", reset: bool = True, **settings: Any) -> Any:
        _check_feature_names(estimator, X, reset=reset)
        X = np.asarray(X)
        if X.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(-1, 1).")
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        if len(X) < settings.get("ensure_min_samples", 1):
            raise ValueError(f"Found array with {len(X)} sample(s), expected more")
        _check_n_features(estimator, X, reset=reset)
        if settings.get("ensure_all_finite", True):
            assert_all_finite(X, input_name="X")
        if isinstance(y, str):
            return X
        y = column(y)
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} rows, y has {len(y)} labels")
        return X, y


def column(y: Any) -> NDArray:
    """Labels as one column."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=4)
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    return y


__all__ = [
    "HAS_SKLEARN",
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ConvergenceWarning",
    "NotFittedError",
    "TransformerMixin",
    "_check_feature_names",
    "_check_n_features",
    "assert_all_finite",
    "check_classification_targets",
    "check_is_fitted",
    "column",
    "validate_data",
]
