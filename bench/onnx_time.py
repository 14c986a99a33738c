# SPDX-License-Identifier: MIT
"""Inference of an exported model in ONNX Runtime with all optimisations: median seconds of a batch, as one line of JSON.

    onnx_time.py MODEL.onnx BATCH THREADS CALLS
"""
import json
import statistics
import sys
import time

import numpy
import onnxruntime


def main():
    path, (batch, threads, calls) = sys.argv[1], map(int, sys.argv[2:])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    image = session.get_inputs()[0]
    feeds = {image.name: numpy.random.default_rng(1).random((batch, *image.shape[1:]), "f4")}
    times = []
    for _ in range(calls + 1):
        begin = time.perf_counter()
        session.run(None, feeds)
        times.append(time.perf_counter() - begin)
    seconds = statistics.median(times[1:])  # the first call warms up
    print(json.dumps({"seconds": seconds, "images_per_second": batch / seconds, "version": onnxruntime.__version__}))


if __name__ == "__main__":
    main()
