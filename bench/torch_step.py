#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A network of networks/*.net in PyTorch: time and memory of training steps or of inference, as one line of JSON.

    torch_step.py FILE.net --batch N [--layout contiguous|channels_last] [--threads T] [--steps S]
                  [--inference] [--compile] [--precision float|bf16]

The network is read from the same text that deeplda reads. A step does what deeplda's step does: forward, LDA
objective (scatter matrices in double, Cholesky factor, eigenvalues of the whitened problem), backward by autograd,
SGD with Nesterov momentum and weight decay. --compile passes the network through torch.compile, for inference with its
weights frozen (batch norm folded into convolutions); the objective stays as it is. --precision bf16 runs the network of a
training step by torch.autocast in bfloat16. run.py calls this in a process of its own each time.
"""
import argparse
import json
import os
import statistics
import time

import torch
from torch import nn

from net_text import named, read_network


def status_bytes(key):
    """VmHWM (most so far) or VmRSS (now) of this process."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key + ":"))


# ---- The network ----

def conv_layers(words, channels):
    filters, kernel = int(words[1]), int(words[2])
    linear = "linear" in words
    conv = nn.Conv2d(channels, filters, kernel, named(words, "stride", 1), named(words, "pad", 0), bias=linear)
    nn.init.kaiming_normal_(conv.weight)
    return [conv] if linear else [conv, nn.BatchNorm2d(filters, eps=1e-4, momentum=0.1), nn.ReLU(inplace=True)]


def make_network(path):
    """The network, its input as (channels, height, width), and the number of its features. The shape after each
    layer is found by running it."""
    lines, (height, width, channels) = read_network(path)
    layers, values = [], torch.zeros(2, channels, height, width)
    for words in lines:
        if words[0] == "conv":
            new = conv_layers(words, values.shape[1])
        elif words[0] == "dense":
            new = [nn.Flatten(), nn.Linear(values[0].numel(), int(words[1]))]
        elif words[0] == "bn":
            norm = nn.BatchNorm2d if values.dim() == 4 else nn.BatchNorm1d
            new = [norm(values.shape[1], eps=1e-4, momentum=0.1)]
        elif words[0] == "relu":
            new = [nn.ReLU(inplace=True)]
        elif words[0] == "maxpool":
            new = [nn.MaxPool2d(int(words[1]), named(words, "stride", int(words[1])))]
        elif words[0] == "dropout":
            new = [nn.Dropout(float(words[1]))]
        elif words[0] == "gap":
            new = [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
        else:
            raise SystemExit(f"{path}: unknown layer '{words[0]}'")
        with torch.no_grad():
            values = nn.Sequential(*new)(values)
        layers += new
    network = nn.Sequential(*layers, nn.Flatten())
    return network, (channels, height, width), values[0].numel()


# ---- The objective ----

def lda_loss(H, labels, classes, lam=1e-3, epsilon=1.0):
    """Minus the mean of the eigenvalues of Sb e = v (Sw + lam I) e that lie below the smallest + epsilon."""
    H = H.double()
    N, D = H.shape
    member = nn.functional.one_hot(labels, classes).double()
    counts = member.sum(0)
    means = member.t() @ H / counts[:, None]
    within = (H - means[labels]) / (classes * (counts[labels] - 1)).sqrt()[:, None]
    total = H - H.mean(0)
    Sw = within.t() @ within
    Sb = total.t() @ total / (N - 1) - Sw
    L = torch.linalg.cholesky(Sw + lam * torch.eye(D, dtype=H.dtype))
    half = torch.linalg.solve_triangular(L, Sb, upper=False)
    whitened = torch.linalg.solve_triangular(L, half.t(), upper=False)
    values = torch.linalg.eigvalsh(0.5 * (whitened + whitened.t()))[-min(classes - 1, D):]
    return -values[values < values[0] + epsilon].mean()


# ---- Measuring ----

def time_calls(call, calls):
    """Median of the seconds of `calls` calls, after one that is not timed, which may compile."""
    times = []
    for _ in range(calls + 1):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def compiled(network, inference):
    if inference:
        from torch._inductor import config
        config.freezing = True
        network.eval()
    return torch.compile(network)


def make_step(network, images, labels, classes, precision):
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=2e-4)

    def step():
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            features = network(images)
        loss = lda_loss(features, labels, classes)
        loss.backward()
        optimiser.step()

    return step


def make_inference(network, images):
    network.eval()

    def infer():
        with torch.no_grad():  # inference_mode prevents the freezing of compiled networks
            network(images)

    return infer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("net")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--layout", choices=["contiguous", "channels_last"], default="contiguous")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--inference", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--precision", choices=["float", "bf16"], default="float")
    arguments = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(arguments.threads)
    torch.set_num_interop_threads(1)
    layout = torch.channels_last if arguments.layout == "channels_last" else torch.contiguous_format
    network, shape, features = make_network(arguments.net)
    network = network.to(memory_format=layout)
    base = status_bytes("VmRSS")
    images = torch.rand(arguments.batch, *shape).contiguous(memory_format=layout)
    classes = min(10, arguments.batch // 2)
    labels = torch.arange(arguments.batch) % max(classes, 1)
    parameters = sum(p.numel() for p in network.parameters())
    if arguments.compile:
        network = compiled(network, arguments.inference)
    if arguments.inference:
        seconds = time_calls(make_inference(network, images), arguments.steps)
    else:
        seconds = time_calls(make_step(network, images, labels, classes, arguments.precision), arguments.steps)
    print(json.dumps({"seconds": seconds, "images_per_second": arguments.batch / seconds,
                      "peak_bytes": status_bytes("VmHWM"), "base_bytes": base, "features": features,
                      "parameters": parameters,
                      "version": torch.__version__, "mkldnn": torch.backends.mkldnn.is_available()}))


if __name__ == "__main__":
    main()
