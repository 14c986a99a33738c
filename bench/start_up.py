# SPDX-License-Identifier: MIT
"""Start-up: one picture from the start of a process to its answer, by deeplda and by a script with ONNX Runtime."""
import os
import statistics
import struct
import zlib

from net_text import read_network
from programs import HERE, net_file, run_measured


def write_picture(path, height, width, channels):
    """A PNG of noise with 1 or 3 channels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + os.urandom(width * channels) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class StartUp:
    """A trained model and a picture in a folder."""

    def __init__(self, bench, net, folder):
        self.bench, self.model = bench, bench.train(net, folder)
        self.picture = os.path.join(folder, net + ".png")
        write_picture(self.picture, *read_network(net_file(net))[1])

    def ours(self, program=None, runs=None):
        return self.measured([program or self.bench.program, "predict", self.model, self.picture], runs)

    def onnx(self):
        return self.measured([self.bench.newest, os.path.join(HERE, "onnx_predict.py"), self.bench.export(self.model)])

    def measured(self, command, runs=None):
        """Medians over the processes of a turn. The rate is that of the processes, of one image each."""
        runs = [run_measured(command, self.bench.threads) for _ in range(runs or self.bench.plan["starts"])]
        seconds = statistics.median(run[1] for run in runs)
        return {"seconds": seconds, "images_per_second": 1 / seconds, "peak_bytes": statistics.median(run[2] for run in runs)}
