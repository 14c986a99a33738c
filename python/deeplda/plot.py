# SPDX-License-Identifier: MIT
"""Figures of a fitted DeepLDAClassifier, on matplotlib: those of `deeplda report`.

Each function draws on `ax`, by default on a new figure, and returns it.
"""

from __future__ import annotations

import base64
import html
import io
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["confusion", "directions", "eigenvalues", "learning_curves", "projection", "write_report"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    _need_matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def learning_curves(clf: Any, ax: Any = None) -> Any:
    """Accuracy on training and validation samples after each epoch; the epoch that was kept is marked."""
    ax = _axes(ax)
    history = clf.history_
    if not history:
        raise ValueError("this classifier has no history: it was loaded from a file")
    epochs = [record["epoch"] for record in history]
    for name in ("train", "validation"):
        values = np.array([100 * record[f"{name}_accuracy"] for record in history])
        if np.isfinite(values).any():
            ax.plot(epochs, values, marker=".", label=name)
    best = [record["epoch"] for record in history if record["best"]]
    if best:
        ax.axvline(best[-1], color="grey", linestyle=":", label="kept")
    ax.set(xlabel="epoch", ylabel="accuracy, %", title="Learning curves")
    ax.legend()
    return ax


def eigenvalues(clf: Any, ax: Any = None) -> Any:
    """How well each direction separates the classes."""
    ax = _axes(ax)
    values = clf.eigenvalues_
    ax.bar(np.arange(1, len(values) + 1), values)
    ax.set(xlabel="direction", ylabel="eigenvalue", title="Eigenvalues")
    ax.set_xticks(np.arange(1, len(values) + 1))
    return ax


def directions(clf: Any, X: Any, y: Any, n: int = 5, axes: Any = None) -> Any:
    """Samples of each class on each of the first `n` directions, as histograms; returns an array of axes. An isolated peak
    is a class that the direction separates from all others."""
    Z, y = np.asarray(clf.transform(X)), np.asarray(y)
    n = min(n, Z.shape[1])
    if axes is None:
        _need_matplotlib()
        import matplotlib.pyplot as plt

        axes = plt.subplots(n, 1, figsize=(6.4, 1.6 * n), layout="constrained", squeeze=False)[1][:, 0]
    for k, ax in enumerate(np.atleast_1d(axes)[:n]):
        bins = np.linspace(Z[:, k].min(), Z[:, k].max(), 60)
        for name in clf.classes_:
            if np.any(y == name):
                ax.hist(Z[y == name, k], bins, histtype="step", label=str(name))
        ax.set(ylabel=f"direction {k + 1}", yticks=[])
    np.atleast_1d(axes)[0].set_title("Samples on the directions")
    np.atleast_1d(axes)[0].legend(fontsize="x-small", ncols=5)
    return axes


def projection(clf: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Samples on the first two directions."""
    ax = _axes(ax)
    Z, y = np.asarray(clf.transform(X)), np.asarray(y)
    second = Z[:, 1] if Z.shape[1] > 1 else np.zeros(len(Z))
    for name in clf.classes_:
        ax.scatter(Z[y == name, 0], second[y == name], s=6, label=str(name))
    ax.set(xlabel="direction 1", ylabel="direction 2", title="Samples on two directions")
    ax.legend(fontsize="x-small", markerscale=2)
    return ax


def confusion(clf: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """How many samples of each class are predicted as which."""
    ax = _axes(ax)
    place = {name: i for i, name in enumerate(clf.classes_.tolist())}
    counts = np.zeros((len(place), len(place)), int)
    for truth, predicted in zip(np.asarray(y).tolist(), clf.predict(X).tolist()):
        counts[place[truth], place[predicted]] += 1
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for i, j in zip(*np.nonzero(counts)):
        ax.text(j, i, counts[i, j], ha="center", va="center", color="white" if shares[i, j] > 0.5 else "black")
    ticks = np.arange(len(place))
    ax.set_xticks(ticks, [str(name) for name in place])
    ax.set_yticks(ticks, [str(name) for name in place])
    ax.set(xlabel="predicted", ylabel="true", title="Confusion")
    return ax


def _need_matplotlib() -> None:
    """Says what is missing before anything is drawn."""
    import importlib.util

    if importlib.util.find_spec("matplotlib") is None:
        raise ImportError("deeplda.plot needs matplotlib: pip install matplotlib")


def _svg(ax: Any) -> str:
    import matplotlib.pyplot as plt

    figure = np.atleast_1d(ax)[0].figure
    data = io.BytesIO()
    figure.savefig(data, format="svg")
    plt.close(figure)
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(data.getvalue()).decode()}">'


def write_report(clf: Any, path: Any, X: Any = None, y: Any = None) -> None:
    """An HTML page, complete in one file: key figures, learning curves, eigenvalues and, with samples, how these lie."""
    _need_matplotlib()
    rows = clf.summary()
    if X is not None:
        rows["accuracy on these samples"] = f"{100 * clf.score(X, y):.2f} % of {len(y)}"
    figures = [_svg(eigenvalues(clf))]
    if clf.history_:
        figures.insert(0, _svg(learning_curves(clf)))
    if X is not None:
        figures += [_svg(directions(clf, X, y)), _svg(projection(clf, X, y)), _svg(confusion(clf, X, y))]
    cells = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows.items())
    page = (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>DeepLDA</title>"
        "<style>body{font-family:sans-serif;max-width:60em;margin:2em auto}th{text-align:left;padding-right:1em}"
        "img{max-width:100%}</style></head>"
        f"<body><h1>DeepLDA</h1><table>{cells}</table>{''.join(figures)}</body></html>\n"
    )
    Path(path).write_text(page, encoding="utf-8")
