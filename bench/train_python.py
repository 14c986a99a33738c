#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A training from Python on arrays in memory, for bench/run.py, which runs the same training from the shell.

    train_python.py X.npy y.npy NET EPOCHS BATCH SEED THREADS    prints JSON: fit_seconds, epoch_seconds, loss of the last epoch
"""
import json
import sys
import time

import numpy as np

from deeplda import DeepLDAClassifier


def main():
    images, labels, net, *numbers = sys.argv[1:]
    epochs, batch, seed, threads = map(int, numbers)
    X, y = np.load(images), np.load(labels)
    clf = DeepLDAClassifier(net=net, epochs=epochs, batch=batch, random_state=seed, n_jobs=threads, patience=0)
    begun = time.perf_counter()
    clf.fit(X, y)
    seconds = time.perf_counter() - begun
    print(json.dumps({"fit_seconds": seconds, "epoch_seconds": sum(record["seconds"] for record in clf.history_),
                      "loss": clf.history_[-1]["loss"]}))


if __name__ == "__main__":
    main()
