# SPDX-License-Identifier: MIT
"""Measuring in turns: in each round every program has its turn, so that a slow minute of the machine hits all of them."""
import statistics
import sys

SLOWER = 1.15  # a variant of PyTorch that takes this much longer in the first round has no further turns


def in_turns(rounds, measures, what):
    """Calls each of the named measures once a round, beginning with another one each time; gives the results by name.
    Measures whose names begin with "torch" compete: one that is far behind in the first round is dropped."""
    results = {name: [] for name in measures}
    names = list(measures)
    for number in range(rounds):
        for i in range(len(names)):
            name = names[(i + number) % len(names)]
            show_progress(f"{what}, round {number + 1} of {rounds}: {name}")
            results[name].append(measures[name]())
        if number == 0:
            names = drop_slow_variants(names, results)
    show_progress("")
    return results


def show_progress(text):
    if sys.stderr.isatty():
        print(text.ljust(78), end="\r", file=sys.stderr, flush=True)


def drop_slow_variants(names, results):
    rates = {name: results[name][0]["images_per_second"] for name in names if name.startswith("torch")}
    best = max(rates.values(), default=0)
    return [name for name in names if name not in rates or rates[name] * SLOWER > best]


def median_of(results, key="images_per_second"):
    return statistics.median(result[key] for result in results)


def best_torch(results):
    """Name of PyTorch's fastest variant, of those that had all turns."""
    rounds = len(results["ours"])
    complete = [name for name in results if name.startswith("torch") and len(results[name]) == rounds]
    return max(complete, key=lambda name: median_of(results[name]))


def ratios(results, name, other, key="images_per_second"):
    """One program's figure / the other's, in each round."""
    return [a[key] / b[key] for a, b in zip(results[name], results[other])]
