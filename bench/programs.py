# SPDX-License-Identifier: MIT
"""The programs that run.py measures: deeplda, and PyTorch, ONNX Runtime and scikit-learn in scripts of their own.

Each measurement is a process of its own, so that its peak memory is its own.
"""
import json
import math
import os
import random
import struct
import subprocess
import sys
import time

from net_text import read_network

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
DEBIAN = "/usr/bin/python3"


def run(command, threads, **variables):
    """Standard output of a command; ends this program if the command fails."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), **variables)
    done = subprocess.run([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"run.py: {' '.join(map(str, command))}: exit status {done.returncode}")
    return done.stdout


def run_measured(command, threads):
    """The same, with its seconds and its peak of resident memory in bytes."""
    begun = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"run.py: {' '.join(map(str, command))}: wait status {status}")
    return text, time.perf_counter() - begun, usage.ru_maxrss * 1024


def net_file(net):
    return os.path.join(ROOT, "networks", net + ".net")


def write_npy(path, shape, data):
    """An array of bytes, without NumPy: two builds are compared without any package of Python."""
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': %r}" % (shape,)
    header = header.ljust(len(header) + -(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


class Paced:
    """A `deeplda bench --paced` that measures a turn when it is asked to."""

    def __init__(self, bench, net, batch, part, repeats, program):
        command = [program, "bench", "--net", net, "--batch", max(batch, 2), "--part", part, "--threads", bench.threads,
                   "--repeats", repeats, "--paced", *(bench.precision if program == bench.program and part == "step" else [])]
        self.key = {"step": "images_per_second", "inference": "inference_images_per_second",
                    "single": "single_images_per_second"}[part]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            sys.exit(f"run.py: {program} cannot bench --paced: it is older than this option, or see above")

    def turn(self):
        print(file=self.process.stdin, flush=True)
        result = json.loads(self.process.stdout.readline())
        return {**result, "images_per_second": result[self.key]}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Programs:
    def __init__(self, arguments, plan):
        self.build, self.threads, self.plan = os.path.abspath(arguments.build), arguments.threads, plan
        self.choices = arguments.choices
        self.precision = [] if arguments.precision == "float" else ["--precision", arguments.precision]  # of training steps
        self.rounds = arguments.rounds or plan["rounds"]
        self.repeats = arguments.repeats or plan["repeats"]
        self.program = os.path.join(self.build, "cli", "deeplda")
        self.environment = os.path.join(self.build, "bench-venv")
        self.newest = os.path.join(self.environment, "bin", "python")
        self.peer = self.newest if arguments.peers == "newest" else DEBIAN
        # Debian's PyTorch 1.13 has no torch.compile.
        self.variants = [v for v in arguments.variants.split(",") if arguments.peers == "newest" or not v.startswith("compile")]

    # ---- deeplda ----

    def step(self, net, batch):
        return self.ours(net, batch, "step", options=self.precision)

    def ours(self, net, batch, part, threads=None, repeats=None, options=()):
        threads = threads or self.threads
        return json.loads(run([self.program, "bench", "--net", net, "--batch", batch, "--part", part, "--threads",
                               threads, "--repeats", repeats or self.repeats, "--json", *options], threads))

    def infer(self, net, batch):
        """Inference; `bench` measures single images beside any batch."""
        result = self.ours(net, max(batch, 2), "inference", repeats=self.calls(batch))
        return {"images_per_second": result["single_images_per_second" if batch == 1 else "inference_images_per_second"]}

    def calls(self, batch):
        """How often inference is repeated in a turn: about as many images for every batch."""
        return max(self.repeats, min(self.plan["calls"], 8 * self.plan["calls"] // batch))

    def ranks(self, number, net, batch):
        """A step by processes of one thread each. Each stays on its core, as mpirun does it by default."""
        variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return json.loads(run(["mpirun", "-n", number, self.program, "bench", "--net", net, "--batch", batch, "--part", "step",
                               "--threads", 1, "--repeats", self.repeats, "--json", "--mpi"], 1, **variables))

    def lda(self, folder, *options):
        """The fit, and the whole program, which tests and cross-validates too. What is not testing counts as
        fitting: starting, looking at the labels, reading the table, printing."""
        text, seconds, peak = run_measured([self.program, "lda", os.path.join(folder, "X.npy"), "--lambda", 0,
                                            "--threads", self.threads, "--json", *options], self.threads)
        result = json.loads(text)
        return {**result, "fit_seconds": seconds - result["test_seconds"], "whole_seconds": seconds, "peak_bytes": peak}

    def train(self, net, folder):
        """The file of a model that was trained for a moment on noise."""
        trained = os.path.join(folder, net)
        os.mkdir(trained)
        shape = (40, *read_network(net_file(net))[1])
        write_npy(os.path.join(trained, "X.npy"), shape, random.Random(1).randbytes(math.prod(shape)))
        write_npy(os.path.join(trained, "y.npy"), shape[:1], bytes(i % 4 for i in range(40)))
        run([self.program, "train", os.path.join(trained, "X.npy"), "--net", net, "--epochs", 1, "--batch", 20,
             "--validation", 0, "-q", "-o", trained, "--force"], self.threads)
        return os.path.join(trained, "model.safetensors")

    def export(self, model):
        """Its ONNX file."""
        exported = os.path.join(os.path.dirname(model), "model.onnx")
        run([self.program, "export", model, "-o", exported], 1)
        return exported

    # ---- Others ----

    def torch(self, net, batch, variant, steps, inference=False):
        mode, layout = variant.split("-")
        command = [self.peer, os.path.join(HERE, "torch_step.py"), net_file(net), "--batch", batch, "--layout", layout,
                   "--threads", self.threads, "--steps", steps]
        command += ["--inference"] if inference else self.precision
        return json.loads(run(command + ["--compile"] * (mode == "compile"), self.threads,
                              TORCHINDUCTOR_CACHE_DIR=os.path.join(self.environment, "compiled")))

    def onnx(self, model, batch):
        return json.loads(run([self.newest, os.path.join(HERE, "onnx_time.py"), model, batch, self.threads, self.calls(batch)],
                              self.threads))

    def sklearn(self, *words):
        text = run([self.peer, os.path.join(HERE, "lda_sklearn.py"), *words], self.threads)
        return json.loads(text) if text else None

    def python(self, *words):
        """In the virtual environment of `make python`."""
        return json.loads(run([os.path.join(self.build, "venv", "bin", "python"), os.path.join(HERE, "lda_python.py"),
                               *words], self.threads))
