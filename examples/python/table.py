# SPDX-License-Identifier: MIT
"""A table of numbers: classic LDA from a file that may be larger than memory, and a network on the same rows."""

import tempfile
from pathlib import Path

import numpy as np

from deeplda import DeepLDAClassifier, LinearDiscriminantAnalysis


def make_table(path, rows=4000):
    """Three classes on rings in two of six columns: no line separates them."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 3
    angle, radius = rng.uniform(0, 2 * np.pi, rows), y + rng.normal(1, 0.15, rows)
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=(rows, 4))]
    lines = ["a,b,c,d,e,f,kind"] + [",".join(f"{v:.5f}" for v in row) + f",ring{k}" for row, k in zip(X, y)]
    path.write_text("\n".join(lines) + "\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rings.csv"
        make_table(path)
        lda = LinearDiscriminantAnalysis().fit_file(path, label="kind")  # read in blocks
        print(lda.classes_, lda.feature_names_in_)
        table = np.genfromtxt(path, delimiter=",", skip_header=1, dtype=str)
    X, y = table[:, :6].astype(np.float32), table[:, 6]
    half = len(X) // 2
    linear = LinearDiscriminantAnalysis().fit(X[:half], y[:half])
    deep = DeepLDAClassifier(random_state=0).fit(X[:half], y[:half])
    print(f"LDA {100 * linear.score(X[half:], y[half:]):.1f} %, DeepLDA {100 * deep.score(X[half:], y[half:]):.1f} %")


if __name__ == "__main__":
    main()
