#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares deeplda with PyTorch (whole networks), ONNX Runtime (inference of exported models), oneDNN (single
convolutions) and scikit-learn (LDA of a table in a file, and of arrays in Python), in turns, in one run.

    bench/run.py [--build DIR] [--quick] [--only steps,inference,onnx,threads,micro,ranks,layers,lda,python] [--rounds N]
                 [--threads T] [--output DIR]

`make bench` builds what is needed and calls this. Each measurement is a process of its own, which also makes its peak
of memory its own; in each round every program has its turn, so that a slow minute of the machine hits all of them.
Medians over the rounds count. PyTorch runs in both of its memory layouts and the faster one counts. Tables go to
stdout; CSV files, with the machine and all versions in their first lines, to bench/results. docs/performance.md
explains the columns.
"""
import argparse
import csv
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

from bound import bound
from net_text import read_network

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LAYOUTS = ("contiguous", "channels_last")
SLOWER = 1.15  # a layout that takes this much longer in the first round has no further turns

FULL = {
    "steps": [("mnist", 1000), ("cifar10", 250), ("cifar10", 1000), ("stl10", 40), ("stl10", 200)],
    "inference": [("mnist", 256), ("cifar10", 256)],
    "onnx": [("mnist", 256), ("cifar10", 256)],
    "threads": [("mnist", 1000), ("cifar10", 250), ("stl10", 40)],
    "micro": [("stl10", 1000, 40)],
    "ranks": [("mnist", 1000), ("cifar10", 1000), ("stl10", 80)],
    "layers": [("mnist", 250), ("cifar10", 250), ("stl10", 40)],
    "lda": [(1000000, 100, 10)],
    "repeats": 2, "singles": 50, "rounds": 5,
}
QUICK = {
    "steps": [("mnist", 40), ("cifar10", 20), ("stl10", 4)],
    "inference": [("mnist", 16)],
    "onnx": [("mnist", 16)],
    "threads": [("mnist", 40)],
    "micro": [("mnist", 40, 10)],
    "ranks": [("mnist", 40)],
    "layers": [("mnist", 4), ("cifar10", 2), ("stl10", 1)],
    "lda": [(20000, 100, 10)],
    "repeats": 1, "singles": 5, "rounds": 2,
}


# ---- Running programs ----

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


def first_line(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


class Bench:
    def __init__(self, arguments):
        self.build, self.threads = arguments.build, arguments.threads
        self.plan = QUICK if arguments.quick else FULL
        self.rounds = arguments.rounds or self.plan["rounds"]
        self.program = os.path.join(self.build, "cli", "deeplda")

    def ours(self, net, batch, part, threads=None, repeats=None, options=()):
        threads = threads or self.threads
        return json.loads(run([self.program, "bench", "--net", net, "--batch", batch, "--part", part, "--threads",
                               threads, "--repeats", repeats or self.plan["repeats"], "--json", *options], threads))

    def ranks(self, number, net, batch):
        """A step by processes of one thread each. Each stays on its core, as mpirun does it by default."""
        variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return json.loads(run(["mpirun", "-n", number, self.program, "bench", "--net", net, "--batch", batch, "--part", "step",
                               "--threads", 1, "--repeats", self.plan["repeats"], "--json", "--mpi"], 1, **variables))

    def torch(self, net, batch, layout, steps, inference=False):
        command = ["/usr/bin/python3", os.path.join(HERE, "torch_step.py"), net_file(net), "--batch", batch, "--layout",
                   layout, "--threads", self.threads, "--steps", steps]
        return json.loads(run(command + ["--inference"] * inference, self.threads))

    def export(self, net, folder):
        """An ONNX file of a network, trained for a moment on noise, and the shape of its images."""
        import numpy
        height, width, channels = read_network(net_file(net))[1]
        trained, exported = os.path.join(folder, net), os.path.join(folder, net + ".onnx")
        os.mkdir(trained)
        numpy.save(os.path.join(trained, "X.npy"), numpy.random.default_rng(1).integers(
            0, 256, (40, height, width, channels), numpy.uint8))
        numpy.save(os.path.join(trained, "y.npy"), numpy.arange(40) % 4)
        run([self.program, "train", os.path.join(trained, "X.npy"), "--net", net, "--epochs", 1, "--batch", 20,
             "--validation", 0, "-q", "-o", trained, "--force"], self.threads)
        run([self.program, "export", os.path.join(trained, "model.safetensors"), "-o", exported], 1)
        return exported, (channels, height, width)

    def lda(self, folder, *options):
        """Ours: the fit, and the whole program, which tests and cross-validates too. What is not testing counts as
        fitting: starting, looking at the labels, reading the table, printing."""
        text, seconds, peak = run_measured([self.program, "lda", os.path.join(folder, "X.npy"), "--lambda", 0,
                                            "--threads", self.threads, "--json", *options], self.threads)
        result = json.loads(text)
        return {**result, "fit_seconds": seconds - result["test_seconds"], "whole_seconds": seconds, "peak_bytes": peak}

    def sklearn(self, *words):
        text = run(["/usr/bin/python3", os.path.join(HERE, "lda_sklearn.py"), *words], self.threads)
        return json.loads(text) if text else None

    def python(self, *words):
        """In the virtual environment of `make python`."""
        return json.loads(run([os.path.join(self.build, "venv", "bin", "python"), os.path.join(HERE, "lda_python.py"),
                               *words], self.threads))


def net_file(net):
    return os.path.join(ROOT, "networks", net + ".net")


def check_same_network(bench, net, torch_result):
    """Both must have the same number of weights and features."""
    table = run([bench.program, "info", net, "--batch", 2], 1)
    last = next(line.split() for line in table.splitlines() if line.startswith("features"))
    theirs = (torch_result["features"], torch_result["parameters"])
    if (int(last[1]), int(last[2])) != theirs:
        sys.exit(f"run.py: {net}: deeplda has {last[1]} features and {last[2]} weights, PyTorch has {theirs}")


# ---- In turns ----

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
            names = drop_slow_layout(names, results)
    show_progress("")
    return results


def show_progress(text):
    if sys.stderr.isatty():
        print(text.ljust(78), end="\r", file=sys.stderr, flush=True)


def drop_slow_layout(names, results):
    torch = [name for name in names if name.startswith("torch")]
    rates = {name: results[name][0]["images_per_second"] for name in torch}
    best = max(rates.values(), default=0)
    return [name for name in names if name not in rates or rates[name] * SLOWER > best]


def median_of(results, key):
    return statistics.median(result[key] for result in results)


def best_layout(results):
    """Name of PyTorch's faster layout."""
    torch = [name for name in results if name.startswith("torch")]
    return max(torch, key=lambda name: median_of(results[name], "images_per_second"))


def compared(results, rate="images_per_second"):
    """Columns that all comparisons with PyTorch have."""
    best = best_layout(results)
    ours, theirs = median_of(results["ours"], rate), median_of(results[best], "images_per_second")
    pairs = [a[rate] / b["images_per_second"] for a, b in zip(results["ours"], results[best])]
    return {"ours": round(ours, 2), "torch": round(theirs, 2), "torch_layout": best.split()[1],
            "ratio": round(ours / theirs, 3), "lowest_ratio": round(min(pairs), 3), "rounds": len(pairs)}


# ---- The comparisons; each gives rows of a table ----

def compare_steps(bench):
    rows = []
    for net, batch in bench.plan["steps"]:
        steps = bench.plan["repeats"]
        measures = {"ours": lambda: bench.ours(net, batch, "step")}
        for layout in LAYOUTS:
            measures["torch " + layout] = lambda layout=layout: bench.torch(net, batch, layout, steps)
        results = in_turns(bench.rounds, measures, f"step of {net}, batch {batch}")
        best = results[best_layout(results)]
        check_same_network(bench, net, best[0])
        ours, theirs = median_of(results["ours"], "peak_bytes"), median_of(best, "peak_bytes")
        peak = max(result["machine_peak_gflops"] for result in results["ours"])
        bandwidth = max(result["machine_gigabytes_per_second"] for result in results["ours"])
        most = bound(net_file(net), peak, bandwidth)["bound"]
        rows.append({"net": net, "batch": batch, "threads": bench.threads, **compared(results),
                     "ours_peak_bytes": int(ours), "torch_peak_bytes": int(theirs),
                     "memory_share": round(ours / theirs, 3),
                     "ours_base_bytes": int(median_of(results["ours"], "base_bytes")),
                     "torch_base_bytes": int(median_of(best, "base_bytes")),
                     "gflops": round(median_of(results["ours"], "step_gflop") /
                                     median_of(results["ours"], "step_seconds"), 1),
                     "bound": round(most, 1),
                     "of_bound": round(median_of(results["ours"], "images_per_second") / most, 3),
                     "machine_peak_gflops": round(peak, 1), "machine_gigabytes_per_second": round(bandwidth, 1)})
    return rows


def compare_inference(bench):
    rows = []
    for net, many in bench.plan["inference"]:
        for batch, key, steps in ((many, "inference_images_per_second", bench.plan["repeats"]),
                                  (1, "single_images_per_second", bench.plan["singles"])):
            measures = {"ours": lambda: bench.ours(net, many, "inference")}
            for layout in LAYOUTS:
                measures["torch " + layout] = (lambda layout=layout, batch=batch, steps=steps:
                                               bench.torch(net, batch, layout, steps, inference=True))
            results = in_turns(bench.rounds, measures, f"inference of {net}, batch {batch}")
            rows.append({"net": net, "batch": batch, "threads": bench.threads, **compared(results, key)})
    return rows


def compare_onnx(bench):
    sys.path.append(os.path.join(ROOT, "tools"))
    import onnx_runtime
    runtime, rows = onnx_runtime.install(), []
    if not runtime:
        print("no comparison with ONNX Runtime: it cannot be had, see above", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        for net, many in bench.plan["onnx"]:
            exported, shape = bench.export(net, folder)
            for batch, key, steps in ((many, "inference_images_per_second", bench.plan["repeats"]),
                                      (1, "single_images_per_second", bench.plan["singles"])):
                measures = {"ours": lambda: bench.ours(net, many, "inference"),
                            "onnxruntime": lambda: onnx_runtime.time(runtime, exported, shape, batch, bench.threads, steps)}
                results = in_turns(bench.rounds, measures, f"ONNX inference of {net}, batch {batch}")
                rows.append(onnx_row(bench, net, batch, results, key))
    return rows


def onnx_row(bench, net, batch, results, key):
    ours, theirs = median_of(results["ours"], key), median_of(results["onnxruntime"], "images_per_second")
    pairs = [a[key] / b["images_per_second"] for a, b in zip(results["ours"], results["onnxruntime"])]
    return {"net": net, "batch": batch, "threads": bench.threads, "ours": round(ours, 2), "onnxruntime": round(theirs, 2),
            "ratio": round(ours / theirs, 3), "lowest_ratio": round(min(pairs), 3), "rounds": len(pairs),
            "onnxruntime_version": results["onnxruntime"][0]["version"]}


def compare_threads(bench):
    rows = []
    for net, batch in bench.plan["threads"]:
        results = in_turns(bench.rounds, {str(t): lambda t=t: bench.ours(net, batch, "step", t)
                                          for t in (1, bench.threads)}, f"threads of {net}, batch {batch}")
        one, all_of_them = (median_of(results[str(t)], "images_per_second") for t in (1, bench.threads))
        rows.append({"net": net, "batch": batch, "threads": bench.threads, "one_thread": round(one, 2),
                     "all_threads": round(all_of_them, 2), "speed_up": round(all_of_them / one, 3)})
    return rows


def compare_micro(bench):
    """A large batch in micro-batches against a batch of the size of one. In a round, both see about as many images."""
    rows = []
    for net, batch, micro in bench.plan["micro"]:
        split = ("--norm-group", micro, "--micro-batch", micro)
        results = in_turns(bench.rounds, {
            "plain": lambda: bench.ours(net, micro, "step", repeats=batch // micro // 2),
            "micro": lambda: bench.ours(net, batch, "step", repeats=1, options=split)}, f"micro-batches of {net}")
        plain, large = (median_of(results[name], "images_per_second") for name in ("plain", "micro"))
        costs = [a["images_per_second"] / b["images_per_second"] for a, b in zip(results["plain"], results["micro"])]
        rows.append({"net": net, "batch": batch, "micro_batch": micro, "threads": bench.threads,
                     "plain": round(plain, 2), "ours": round(large, 2), "cost": round(statistics.median(costs), 3),
                     "highest_cost": round(max(costs), 3), "rounds": len(costs),
                     "plain_peak_bytes": int(median_of(results["plain"], "peak_bytes")),
                     "ours_peak_bytes": int(median_of(results["micro"], "peak_bytes"))})
    return rows


def compare_ranks(bench):
    """Two processes against one, of one thread each: of the same batch (strong scaling) and of half the batch (weak); and
    against one process of two threads."""
    rows = []
    for net, batch in bench.plan["ranks"]:
        results = in_turns(bench.rounds, {
            "one": lambda: bench.ours(net, batch, "step", 1), "half": lambda: bench.ours(net, batch // 2, "step", 1),
            "two": lambda: bench.ranks(2, net, batch), "threads": lambda: bench.ours(net, batch, "step", 2)},
            f"ranks of {net}, batch {batch}")
        rates = {name: median_of(results[name], "images_per_second") for name in results}
        pairs = [b["images_per_second"] / a["images_per_second"] for a, b in zip(results["one"], results["two"])]
        rows.append({"net": net, "batch": batch, **{name: round(rate, 2) for name, rate in rates.items()},
                     "speed_up": round(statistics.median(pairs), 3), "lowest": round(min(pairs), 3),
                     "weak": round(rates["two"] / rates["half"], 3),
                     "to_threads": round(rates["two"] / rates["threads"], 3),
                     "waiting": round(median_of(results["two"], "waited_seconds") / median_of(results["two"], "step_seconds"), 3),
                     "rounds": len(pairs)})
    return rows


def compare_layers(bench):
    program = os.path.join(bench.build, "bench", "onednn_layers")
    if not os.path.exists(program):
        print("no comparison with oneDNN: it was not built (libdnnl-dev, version 2)", file=sys.stderr)
        return []
    rows = []
    peak = max(bench.ours("mlp", 4, "layers")["machine_peak_gflops"] for _ in range(3))
    for net, batch in bench.plan["layers"]:
        show_progress(f"layers of {net}, batch {batch}")
        # Both run in one process: threads of OpenMP that wait actively would take the cores from ours.
        text = run([program, net, batch, bench.threads, 1 + 2 * bench.rounds], bench.threads,
                   OMP_WAIT_POLICY="passive")
        for row in csv.DictReader(io.StringIO(text)):
            ours, theirs, gflop = (float(row[key]) for key in ("ours_seconds", "onednn_seconds", "gflop"))
            # Both are sums of floats in different orders, up to 370,000 of them; the tests compare ours with doubles.
            if float(row["error"]) > 1e-3:
                sys.exit(f"run.py: {net}, layer {row['number']}, {row['pass']}: results differ by {row['error']}")
            rows.append({**row, "ours_gflops": round(gflop / ours, 1), "onednn_gflops": round(gflop / theirs, 1),
                         "ratio": round(theirs / ours, 3), "of_peak": round(gflop / ours / peak, 3)})
    show_progress("")
    return rows


def compare_lda(bench):
    rows = []
    for size in bench.plan["lda"]:
        with tempfile.TemporaryDirectory() as folder:
            show_progress(f"lda of {size}: making the table")
            bench.sklearn("make", folder, *size)
            results = in_turns(bench.rounds, {"ours": lambda: bench.lda(folder),
                                              **{solver: lambda solver=solver: bench.sklearn("fit", folder, solver)
                                                 for solver in ("eigen", "lsqr")}}, f"lda of {size}")
            bench.lda(folder, "-o", os.path.join(folder, "Z.npy"))
            agreement = bench.sklearn("compare", folder)
        if agreement < 1 - 1e-6:
            sys.exit(f"run.py: lda of {size}: directions differ: a correlation of {agreement}")
        rows += [lda_row(bench, size, results, solver) for solver in ("eigen", "lsqr")]
    return rows


def lda_row(bench, size, results, solver):
    """Fitting alone: ours with reading the file, theirs with the table in memory."""
    ours, theirs = (median_of(results[name], "fit_seconds") for name in ("ours", solver))
    pairs = [b["fit_seconds"] / a["fit_seconds"] for a, b in zip(results["ours"], results[solver])]
    return {**dict(zip(("rows", "features", "classes"), size)), "threads": bench.threads, "solver": solver,
            "ours_fit_seconds": round(ours, 3), "sklearn_fit_seconds": round(theirs, 3),
            "ratio": round(theirs / ours, 2),
            "lowest_ratio": round(min(pairs), 2), "rounds": len(pairs),
            "ours_whole_seconds": round(median_of(results["ours"], "whole_seconds"), 3),
            "ours_peak_bytes": int(median_of(results["ours"], "peak_bytes")),
            "sklearn_peak_bytes": int(median_of(results[solver], "peak_bytes"))}


SOLVERS = ("svd", "lsqr", "eigen")


def compare_python(bench):
    """Ours with its default solver, theirs with each of them; iris by the same solver on both sides."""
    rows = []
    for size in bench.plan["lda"]:
        measures = {"ours": lambda size=size: bench.python("fit", "ours", "svd", *size),
                    **{solver: lambda solver=solver, size=size: bench.python("fit", "theirs", solver, *size)
                       for solver in SOLVERS}}
        results = in_turns(bench.rounds, measures, f"python: lda of {size}")
        rows += [python_row(dict(zip(("rows", "features", "classes"), size)), results["ours"], results[solver], solver)
                 for solver in SOLVERS]
    for solver in SOLVERS:
        measures = {whose: lambda whose=whose, solver=solver: bench.python("iris", whose, solver) for whose in ("ours", "theirs")}
        results = in_turns(bench.rounds, measures, f"python: iris by {solver}")
        rows.append(python_row({"rows": 150, "features": 4, "classes": 3}, results["ours"], results["theirs"], solver))
    return rows


def python_row(size, ours, theirs, solver):
    a, b = median_of(ours, "fit_seconds"), median_of(theirs, "fit_seconds")
    pairs = [y["fit_seconds"] / x["fit_seconds"] for x, y in zip(ours, theirs)]
    return {**size, "solver": solver, "ours_fit_seconds": float(f"{a:.3g}"), "sklearn_fit_seconds": float(f"{b:.3g}"),
            "ratio": round(b / a, 2), "lowest_ratio": round(min(pairs), 2), "rounds": len(pairs),
            "ours_peak_bytes": int(median_of(ours, "peak_bytes")), "sklearn_peak_bytes": int(median_of(theirs, "peak_bytes"))}


COMPARISONS = {
    "steps": (compare_steps, "Training step, images per second"),
    "inference": (compare_inference, "Inference, images per second"),
    "onnx": (compare_onnx, "Inference of exported networks, images per second"),
    "threads": (compare_threads, "Training step with one thread and with all, images per second"),
    "micro": (compare_micro, "Training step of a large batch in micro-batches, and of a batch of that size, images per second"),
    "ranks": (compare_ranks, "Training step by one process, by two, and by two threads, images per second"),
    "layers": (compare_layers, "3x3 convolutions, GFLOPS as of the direct sum"),
    "lda": (compare_lda, "Classic LDA of a table, seconds to fit"),
    "python": (compare_python, "Classic LDA of arrays in Python, seconds to fit"),
}
HIDDEN = {"onnxruntime_version", "ours_seconds", "onednn_seconds", "gflop", "ours_base_bytes", "torch_base_bytes", "rounds",
          "machine_peak_gflops", "machine_gigabytes_per_second"}  # in the CSV files only


# ---- Output ----

def describe_machine(bench):
    """What the figures depend on, as (name, value)."""
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    commands = os.path.join(bench.build, "compile_commands.json")
    compiler = "cc"
    if os.path.exists(commands):
        compiler = next((word for word in json.load(open(commands))[0]["command"].split() if "ccache" not in word))
    packages = ["python3-torch", "libdnnl2", "libxsmm-dev", "libopenblas0-pthread", "python3-sklearn"]
    versions = [(name, first_line(["dpkg-query", "-W", "-f=${Version}\n", name])) for name in packages]
    return [("date", time.strftime("%Y-%m-%d")), ("cpu", cpu), ("cores", os.cpu_count()),
            ("threads", bench.threads), ("kernel", platform.release()),
            ("compiler", first_line([compiler, "--version"])), ("deeplda", first_line([bench.program, "--version"])),
            ("commit", first_line(["git", "-C", ROOT, "describe", "--always", "--dirty"])),
            ("kernels", bench.ours("mlp", 4, "inference")["kernels"]), *versions,
            ("load at the start", " ".join(f"{load:.2f}" for load in os.getloadavg()))]


def print_table(rows):
    columns = [key for key in rows[0] if key not in HIDDEN]
    cells = [columns] + [[shown(key, row[key]) for key in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))


def shown(key, value):
    return f"{value / 1e6:.0f} MB" if key.endswith("bytes") else str(value)


def write_csv(path, machine, rows):
    with open(path + ".tmp", "w", newline="") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in machine)
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder [build]")
    parser.add_argument("--quick", action="store_true", help="small batches, to see that it works; writes no files")
    parser.add_argument("--only", default=",".join(COMPARISONS), help="which comparisons [%(default)s]")
    parser.add_argument("--rounds", type=int, help="turns of each program [5; quick: 2]")
    parser.add_argument("--threads", type=int, default=2, help="threads of all programs [%(default)s]")
    parser.add_argument("--output", help="folder for the CSV files [bench/results]")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if not set(chosen) <= set(COMPARISONS):
        parser.error(f"--only takes {', '.join(COMPARISONS)}")

    bench = Bench(arguments)
    machine = describe_machine(bench)
    output = arguments.output or (None if arguments.quick else os.path.join(HERE, "results"))
    for name, value in machine:
        print(f"{name}: {value}")
    if os.getloadavg()[0] > 0.5:
        print("This machine is not quiet: the figures will not be worth much.", file=sys.stderr)
    for name in chosen:
        compare, title = COMPARISONS[name]
        rows = compare(bench)
        if not rows:
            continue
        print(f"\n{title}")
        print_table(rows)
        if output:
            os.makedirs(output, exist_ok=True)
            write_csv(os.path.join(output, name + ".csv"), machine, rows)


if __name__ == "__main__":
    main()
