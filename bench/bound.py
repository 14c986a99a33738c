#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The fastest that a training step can be, by arithmetic and by memory traffic (docs/performance.md, "The bound").

    bound.py FILE.net PEAK_GFLOPS GIGABYTES_PER_SECOND
"""
import math
import sys

from net_text import named, read_network

PASSES_OVER_OUTPUT = 6  # written and read forward; read twice, its gradient written and read backward
LEAST_CHANNELS = 16     # with fewer, Winograd's transforms cost more than they save
TILES = (2, 4, 5, 6)    # sizes of Winograd's tiles that the engine knows


def convolutions(path):
    """(height, width, channels in, out height, out width, filters, kernel, stride) of each convolution."""
    lines, (height, width, channels) = read_network(path)
    found = []
    for words in lines:
        if words[0] == "conv":
            filters, kernel = int(words[1]), int(words[2])
            pad, stride = named(words, "pad", 0), named(words, "stride", 1)
            out = [(size + 2 * pad - kernel) // stride + 1 for size in (height, width)]
            found.append((height, width, channels, *out, filters, kernel, stride))
            height, width, channels = *out, filters
        elif words[0] == "dense":
            found.append((1, 1, height * width * channels, 1, 1, int(words[1]), 1, 1))
            height, width, channels = 1, 1, int(words[1])
        elif words[0] == "maxpool":
            size = int(words[1])
            stride = named(words, "stride", size)
            height, width = (height - size) // stride + 1, (width - size) // stride + 1
        elif words[0] == "gap":
            height, width = 1, 1
    return found


def multiplications(conv):
    """Of one pass for one image: directly, and the fewest of all methods."""
    _, _, channels, out_height, out_width, filters, kernel, stride = conv
    direct = out_height * out_width * kernel * kernel * channels * filters
    if kernel != 3 or stride != 1 or min(channels, filters) < LEAST_CHANNELS:
        return direct, direct
    per_filter = min(math.ceil(out_height / t) * math.ceil(out_width / t) * (t + 2) ** 2 for t in TILES)
    return direct, min(direct, per_filter * channels * filters)


def bound(path, peak_gflops, gigabytes_per_second):
    direct = fewest = floats = 0
    for i, conv in enumerate(convolutions(path)):
        passes = 2 if i == 0 else 3  # nobody needs the gradient of the images
        one_direct, one_fewest = multiplications(conv)
        direct += 2e-9 * passes * one_direct
        fewest += 2e-9 * passes * one_fewest
        floats += PASSES_OVER_OUTPUT * conv[3] * conv[4] * conv[5]
    arithmetic, memory = peak_gflops / fewest, gigabytes_per_second / (4e-9 * floats)
    return {"direct_gflop": direct, "least_gflop": fewest, "megabytes": 4e-6 * floats, "arithmetic": arithmetic,
            "memory": memory, "bound": min(arithmetic, memory)}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    result = bound(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
    print(f"per image: {result['direct_gflop']:.3f} GFLOP directly, {result['least_gflop']:.3f} by Winograd, "
          f"{result['megabytes']:.1f} MB of memory traffic")
    print(f"images per second: {result['arithmetic']:.0f} by arithmetic, {result['memory']:.0f} by memory")


if __name__ == "__main__":
    main()
