#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scaling.py - predicts training steps over many ranks from those measured over one and two (docs/scaling.md).

    bench/scaling.py [--results FILE] [--check]

FILE is what `make bench BENCH="--only ranks"` writes; without it, the figures of docs/scaling.md.

A step of a rank is computing, waiting for sums in its way, and the part of the gradient exchange that the backward pass does
not hide:

    compute    t0 + (rows of the rank) / r      t0 and r from the measured batch and half of it, one process
    in the way sums of objective, batch norm and stop: each 2 log2(P) latencies, and its bytes
    gradients  2 (P-1)/P 4 W bytes, in parts; hidden by up to 55 % of the computing, the share of the backward pass
    unevenness the waiting measured with two ranks, times log2(P): the slowest of P ranks sets the pace

--check compares the prediction for two ranks with the measurement, as a test of the formula where it can be tested.
"""
import argparse
import csv
import math
import os

from net_text import read_network

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# Latency of a small message and bytes per second. Shared memory is that of this machine; the networks are typical values:
# TCP on 10 Gbit/s Ethernet, and RDMA on 100 Gbit/s, at 80 % of the line.
NETWORKS = {"memory": (2e-6, 3e9), "10 Gbit/s": (30e-6, 1.0e9), "100 Gbit/s": (3e-6, 10e9)}
BACKWARD = 0.55  # share of a step's computing during which gradients travel
RANKS = [4, 16, 64, 256, 1024]


def read_results(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def sizes(net):
    """Weights, and the channels of each batch norm, of a network."""
    layers, (height, width, channels) = read_network(os.path.join(ROOT, "networks", net + ".net"))
    weights, norms = 0, []
    for words in layers:
        if words[0] not in ("conv", "dense"):
            if words[0] == "maxpool":
                height, width = height // int(words[1]), width // int(words[1])
            if words[0] == "gap":
                height = width = 1
            continue
        filters = int(words[1])
        side = int(words[2]) if words[0] == "conv" else 1
        pad = int(words[words.index("pad") + 1]) if "pad" in words else 0
        inputs = channels if words[0] == "conv" else height * width * channels
        plain = words[0] == "dense" or "linear" in words  # with a bias instead of batch norm
        weights += side * side * inputs * filters + (filters if plain else 2 * filters)
        if not plain:
            norms.append(filters)
        height, width = (height + 2 * pad - side + 1, width + 2 * pad - side + 1) if words[0] == "conv" else (1, 1)
        channels = filters
    return weights, norms, channels


class Model:
    def __init__(self, row):
        batch = int(row["batch"])
        whole, half = batch / float(row["one"]), batch / 2 / float(row["half"])
        self.net, self.waiting = row["net"], float(row["waiting"])
        self.rate = (batch - batch / 2) / (whole - half)
        self.fixed = max(0.0, whole - batch / self.rate)
        self.weights, self.norms, self.features = sizes(row["net"])

    def compute(self, rows):
        return self.fixed + rows / self.rate

    def sums(self):
        """Doubles of each sum in the way: objective (counts and means, moments of the classes), stop; batch norm twice."""
        C = D = self.features
        own = [C + C * D, C * D * D, 2]
        return own, [n for channels in self.norms for n in (1 + 2 * channels, 2 * channels)]

    def step(self, ranks, rows, network, spanning):
        latency, speed = NETWORKS[network]
        turns = 2 * math.ceil(math.log2(ranks)) if ranks > 1 else 0
        share = 2 * (ranks - 1) / ranks
        own, norms = self.sums()
        way = sum(turns * latency + share * 8 * n / speed for n in own + (norms if spanning else []))
        compute = self.compute(rows)
        gradients = share * 4 * self.weights / speed + turns * latency * max(1, self.weights // (1 << 18))
        shown = max(0.0, gradients - BACKWARD * compute)
        uneven = self.waiting * compute * math.log2(ranks) if ranks > 1 else 0
        return compute + way + shown + uneven


def predict(model, rows_each, spanning):
    line = []
    for ranks in RANKS:
        cells = []
        for network in ("10 Gbit/s", "100 Gbit/s"):
            rate = ranks * rows_each / model.step(ranks, rows_each, network, spanning)
            cells.append(rate / (ranks * rows_each / model.compute(rows_each)))
        line.append(cells)
    return line


def print_rows(title, models, rows_of, spanning):
    print(f"\n{title}")
    print("| network | rows per rank | " + " | ".join(f"{n} ranks" for n in RANKS) + " |")
    print("|---|---|" + "---|" * len(RANKS))
    for model in models:
        cells = predict(model, rows_of[model.net], spanning)
        print(f"| {model.net} | {rows_of[model.net]} | " +
              " | ".join(f"{100 * a:.0f} / {100 * b:.0f} %" for a, b in cells) + " |")


def print_strong(models, batches):
    print("\nTimes as fast as one rank, with a batch of fixed size and groups of batch norm on each rank, 10 / 100 Gbit/s")
    print("| network | batch | " + " | ".join(f"{n} ranks" for n in RANKS) + " |")
    print("|---|---|" + "---|" * len(RANKS))
    for model in models:
        batch = batches[model.net]
        one = model.step(1, batch, "memory", False)
        cells = [[one / model.step(n, batch / n, network, False) for network in ("10 Gbit/s", "100 Gbit/s")] for n in RANKS]
        print(f"| {model.net} | {batch:,} | " + " | ".join(f"{a:.3g} / {b:.3g}" for a, b in cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", default=os.path.join(HERE, "results", "amd-avx512", "ranks.csv"))
    parser.add_argument("--check", action="store_true", help="compare with the measurement of two ranks")
    arguments = parser.parse_args()
    rows = read_results(arguments.results)
    models = [Model(row) for row in rows]
    for model, row in zip(models, rows):
        own, norms = model.sums()
        print(f"{model.net}: {model.rate:.1f} images/s of a rank and {1e3 * model.fixed:.0f} ms per step; per step and rank "
              f"{4 * model.weights / 1e6:.1f} MB of gradients, {8 * sum(own) / 1e3:.1f} kB of sums, "
              f"{8 * sum(norms) / 1e3:.1f} kB of batch norm in {len(norms)} sums")
        if arguments.check:
            batch = int(row["batch"])
            found, expected = float(row["two"]), batch / model.step(2, batch / 2, "memory", True)
            print(f"  two ranks: measured {found:.1f} images/s, predicted {expected:.1f}: {100 * (expected / found - 1):+.1f} %")
    each = {"mnist": 250, "cifar10": 250, "stl10": 40}
    print_rows("Efficiency with groups of batch norm that span all ranks, 10 / 100 Gbit/s", models, each, True)
    print_rows("Efficiency with a group of batch norm (or more) on each rank, 10 / 100 Gbit/s", models, each, False)
    print_strong(models, {"mnist": 8192, "cifar10": 8192, "stl10": 2048})


if __name__ == "__main__":
    main()
