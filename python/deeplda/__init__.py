# SPDX-License-Identifier: MIT
"""Deep Linear Discriminant Analysis on CPUs.

`DeepLDAClassifier` and `LinearDiscriminantAnalysis` are scikit-learn estimators, `Model` is a trained network, `Scatter`
holds mergeable sums of labelled rows. `deeplda.torch` has the objectives as torch losses, `deeplda.plot` has figures.
Only NumPy is needed; estimators work without scikit-learn, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._library import lib as _lib

if TYPE_CHECKING:
    from .classifier import DeepLDAClassifier
    from .lda import LinearDiscriminantAnalysis
    from .model import Model
    from .scatter import Scatter

__all__ = ["DeepLDAClassifier", "LinearDiscriminantAnalysis", "Model", "Scatter", "__version__"]
__version__: str = _lib.dlda_version().decode()

_PLACES = {
    "DeepLDAClassifier": "classifier",
    "LinearDiscriminantAnalysis": "lda",
    "Model": "model",
    "Scatter": "scatter",
}


def __getattr__(name: str) -> Any:
    """Imports a class when it is first used: estimators load scikit-learn, which takes longer than the rest."""
    if name not in _PLACES:
        raise AttributeError(f"module 'deeplda' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *globals()])
