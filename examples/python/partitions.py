# SPDX-License-Identifier: MIT
"""LDA of data in partitions, in other processes: joblib, then Dask. Only sums travel, not rows.

Each partition becomes a `Scatter`; these are merged, and one LDA is fitted on the result, which is the same as that of all
rows at once. In Spark, map partitions to scatters and reduce them with `+` in the same way.
"""

import dask
import joblib
import numpy as np

from deeplda import LinearDiscriminantAnalysis, Scatter


def load_partition(i):
    """In real life: reads a file."""
    rng = np.random.default_rng(i)
    y = rng.integers(0, 5, 20000)
    return rng.normal(size=(20000, 30)) + 2 * np.eye(30)[y], y


def sum_up(i):
    return Scatter(n_jobs=1).add(*load_partition(i))


def main():
    by_joblib = sum(joblib.Parallel(n_jobs=2)(joblib.delayed(sum_up)(i) for i in range(6)))
    scatters = [dask.delayed(sum_up)(i) for i in range(6)]
    by_dask = dask.delayed(sum)(scatters).compute(scheduler="processes", num_workers=2)
    X, y = load_partition(99)
    for name, scatter in (("joblib", by_joblib), ("Dask", by_dask)):
        lda = LinearDiscriminantAnalysis().fit_scatter(scatter)
        print(f"{name}: {scatter}, accuracy on other rows {100 * lda.score(X, y):.1f} %")


if __name__ == "__main__":
    main()
