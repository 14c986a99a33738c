#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares deeplda with PyTorch (whole networks), ONNX Runtime (inference of exported models), oneDNN (single
convolutions) and scikit-learn (LDA of a table in a file, and of arrays in Python), or with another build of itself, in
turns, in one run.

    bench/run.py [--build DIR] [--quick] [--only PARTS] [--cases CASES] [--rounds N] [--repeats N] [--threads T]
                 [--peers newest|debian] [--precision float|bf16] [--output DIR]
    bench/run.py --against PROGRAM [--cases CASES] [--rounds N] [--repeats N] [--threads T] [--precision float|bf16]
                 [--output DIR]

`make bench` builds what is needed and calls this. Each measurement is a process of its own (programs.py); in each round
every program has its turn (turns.py), and medians over the rounds count. PyTorch runs in both of its memory layouts,
eagerly and compiled, and the fastest of these variants counts. Tables go to stdout; CSV files, with the machine and all versions
in their first lines, to bench/results. docs/performance.md explains the columns.
"""
import argparse
import csv
import io
import os
import statistics
import sys
import tempfile

from against import compare_builds
from bound import bound
from cases import choose, read_choice
from programs import HERE, Programs, net_file, run
from start_up import StartUp
from tables import describe_machine, print_rows, print_table, write_csv
from training import compare_training
from turns import best_torch, in_turns, median_of, ratios, show_progress

PARTS = {"step": "steps", "infer": "inference", "start": "start"}  # where the plans have the cases of a kind
VARIANTS = [f"{mode}-{layout}" for mode in ("eager", "compile") for layout in ("contiguous", "channels_last")]  # of PyTorch

FULL = {
    "steps": [("mnist", 1000), ("cifar10", 250), ("cifar10", 1000), ("stl10", 40), ("stl10", 200)],
    "inference": [(net, batch) for net in ("mnist", "cifar10") for batch in (256, 32, 8, 1)],
    "start": [("mnist", 1), ("cifar10", 1)],
    "threads": [("mnist", 1000), ("cifar10", 250), ("stl10", 40)],
    "micro": [("stl10", 1000, 40)],
    "ranks": [("mnist", 1000), ("cifar10", 1000), ("stl10", 80)],
    "layers": [("mnist", 250), ("cifar10", 250), ("stl10", 40)],
    "lda": [(1000000, 100, 10)],
    "training": [("mnist", 2, 500), ("mlp", 20, 100)],
    "repeats": 3, "calls": 200, "starts": 10, "rounds": 5,
}
QUICK = {
    "steps": [("mnist", 40), ("cifar10", 20), ("stl10", 4)],
    "inference": [("mnist", 16), ("mnist", 1)],
    "start": [("mnist", 1)],
    "threads": [("mnist", 40)],
    "micro": [("mnist", 40, 10)],
    "ranks": [("mnist", 40)],
    "layers": [("mnist", 4), ("cifar10", 2), ("stl10", 1)],
    "lda": [(20000, 100, 10)],
    "training": [("mlp", 2, 500)],
    "repeats": 1, "calls": 5, "starts": 3, "rounds": 2,
}


# ---- Networks, against PyTorch and ONNX Runtime; each comparison gives rows of a table ----

def check_same_network(bench, net, torch_result):
    """Both must have the same number of weights and features."""
    table = run([bench.program, "info", net, "--batch", 2], 1)
    last = next(line.split() for line in table.splitlines() if line.startswith("features"))
    theirs = (torch_result["features"], torch_result["parameters"])
    if (int(last[1]), int(last[2])) != theirs:
        sys.exit(f"run.py: {net}: deeplda has {last[1]} features and {last[2]} weights, PyTorch has {theirs}")


def torch_measures(bench, net, batch, steps, inference=False):
    return {f"torch {variant}": lambda variant=variant: bench.torch(net, batch, variant, steps, inference)
            for variant in bench.variants}


def compared(bench, net, batch, results, other, column):
    """Columns that all comparisons with another program have."""
    ours, theirs, pairs = median_of(results["ours"]), median_of(results[other]), ratios(results, "ours", other)
    return {"net": net, "batch": batch, "threads": bench.threads, "ours": round(ours, 2), column: round(theirs, 2),
            "ratio": round(ours / theirs, 3), "lowest_ratio": round(min(pairs), 3), "rounds": len(pairs)}


def compare_steps(bench):
    rows = []
    for net, batch in choose("step", bench.plan["steps"], bench.choices):
        results = in_turns(bench.rounds, {"ours": lambda: bench.step(net, batch),
                                          **torch_measures(bench, net, batch, bench.repeats)}, f"step of {net}, batch {batch}")
        name = best_torch(results)
        best = results[name]
        check_same_network(bench, net, best[0])
        ours, theirs = median_of(results["ours"], "peak_bytes"), median_of(best, "peak_bytes")
        peak = max(result["machine_peak_gflops"] for result in results["ours"])
        bandwidth = max(result["machine_gigabytes_per_second"] for result in results["ours"])
        most = bound(net_file(net), peak, bandwidth)["bound"]
        rows.append({**compared(bench, net, batch, results, name, "torch"), "torch_variant": name[len("torch "):],
                     "ours_peak_bytes": int(ours), "torch_peak_bytes": int(theirs),
                     "memory_share": round(ours / theirs, 3),
                     "ours_base_bytes": int(median_of(results["ours"], "base_bytes")),
                     "torch_base_bytes": int(median_of(best, "base_bytes")),
                     "gflops": round(median_of(results["ours"], "step_gflop") /
                                     median_of(results["ours"], "step_seconds"), 1),
                     "bound": round(most, 1), "of_bound": round(median_of(results["ours"]) / most, 3),
                     "machine_peak_gflops": round(peak, 1), "machine_gigabytes_per_second": round(bandwidth, 1)})
    return rows


def compare_inference(bench):
    rows = []
    for net, batch in choose("infer", bench.plan["inference"], bench.choices):
        measures = {"ours": lambda: bench.infer(net, batch), **torch_measures(bench, net, batch, bench.calls(batch), True)}
        results = in_turns(bench.rounds, measures, f"inference of {net}, batch {batch}")
        name = best_torch(results)
        rows.append({**compared(bench, net, batch, results, name, "torch"), "torch_variant": name[len("torch "):]})
    return rows


def compare_onnx(bench):
    rows, exported = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for net, batch in choose("infer", bench.plan["inference"], bench.choices):
            if net not in exported:
                exported[net] = bench.export(bench.train(net, folder))
            results = in_turns(bench.rounds, {"ours": lambda: bench.infer(net, batch),
                                              "onnxruntime": lambda: bench.onnx(exported[net], batch)},
                               f"ONNX inference of {net}, batch {batch}")
            rows.append({**compared(bench, net, batch, results, "onnxruntime", "onnxruntime"),
                         "onnxruntime_version": results["onnxruntime"][0]["version"]})
    return rows


def compare_start(bench):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for net, _ in choose("start", bench.plan["start"], bench.choices):
            start = StartUp(bench, net, folder)
            results = in_turns(bench.rounds, {"ours": start.ours, "onnxruntime": start.onnx}, f"start-up, {net}")
            ours, theirs = median_of(results["ours"], "seconds"), median_of(results["onnxruntime"], "seconds")
            rows.append({"net": net, "ours_ms": round(1e3 * ours, 2), "onnxruntime_ms": round(1e3 * theirs, 2),
                         "ratio": round(theirs / ours, 2),
                         "lowest_ratio": round(min(ratios(results, "ours", "onnxruntime")), 2), "rounds": bench.rounds,
                         "ours_peak_bytes": int(median_of(results["ours"], "peak_bytes")),
                         "onnxruntime_peak_bytes": int(median_of(results["onnxruntime"], "peak_bytes"))})
    return rows


# ---- deeplda alone ----

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


# ---- Single convolutions, and tables ----

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
    "start": (compare_start, "One picture from the start of a process to its answer, milliseconds"),
    "threads": (compare_threads, "Training step with one thread and with all, images per second"),
    "micro": (compare_micro, "Training step of a large batch in micro-batches, and of a batch of that size, images per second"),
    "ranks": (compare_ranks, "Training step by one process, by two, and by two threads, images per second"),
    "layers": (compare_layers, "3x3 convolutions, GFLOPS as of the direct sum"),
    "lda": (compare_lda, "Classic LDA of a table, seconds to fit"),
    "python": (compare_python, "Classic LDA of arrays in Python, seconds to fit"),
    "training": (compare_training, "Training from the shell and from Python, seconds"),
}


# ---- The program ----

def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"), help="build folder [build]")
    parser.add_argument("--quick", action="store_true", help="small batches, to see that it works; writes no files")
    parser.add_argument("--only", default=",".join(COMPARISONS), help="which comparisons [%(default)s]")
    parser.add_argument("--against", metavar="PROGRAM", help="compare with another build of deeplda, and with nothing else")
    parser.add_argument("--cases", help="of step, infer and start, those that begin so: step:mnist:1000,infer:cifar10 [all]")
    parser.add_argument("--rounds", type=int, help="turns of each program [5; quick: 2]")
    parser.add_argument("--repeats", type=int, help="training steps in a round, after a warm-up [3; quick: 1]")
    parser.add_argument("--threads", type=int, default=2, help="threads of all programs [%(default)s]")
    parser.add_argument("--peers", choices=("newest", "debian"), default="newest",
                        help="PyTorch and scikit-learn of PyPI, or of Debian [%(default)s]")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="of PyTorch; the fastest one counts [%(default)s]")
    parser.add_argument("--precision", choices=("float", "bf16"), default="float",
                        help="of training steps: deeplda's and PyTorch's, with --against of the new build only [%(default)s]")
    parser.add_argument("--output", help="folder for the CSV files [bench/results; with --against: none]")
    arguments = parser.parse_args()
    if not set(arguments.only.split(",")) <= set(COMPARISONS):
        parser.error(f"--only takes {', '.join(COMPARISONS)}")
    if not set(arguments.variants.split(",")) <= set(VARIANTS):
        parser.error(f"--variants takes {', '.join(VARIANTS)}")
    arguments.choices = read_choice(arguments.cases) if arguments.cases else []
    if arguments.choices is None:
        parser.error(f"--cases {arguments.cases}: expected KIND:NET:IMAGES or its beginning, such as step:mnist:1000, step:mnist "
                     "or infer; the kinds are step, infer and start")
    if arguments.against and not os.access(arguments.against, os.X_OK):
        parser.error(f"--against {arguments.against}: there is no such program")
    plan = QUICK if arguments.quick else FULL
    if not any(choose(kind, plan[part], arguments.choices) for kind, part in PARTS.items()):
        parser.error(f"--cases {arguments.cases}: no case begins so")
    return arguments


def write_results(name, rows, machine, output):
    if output:
        os.makedirs(output, exist_ok=True)
        write_csv(os.path.join(output, name + ".csv"), machine, rows)


def main():
    arguments = read_arguments()
    bench = Programs(arguments, QUICK if arguments.quick else FULL)
    machine = [*describe_machine(bench), ("precision of steps", arguments.precision)]
    for name, value in machine:
        print(f"{name}: {value}")
    if os.getloadavg()[0] > 0.5:
        print("This machine is not quiet: the figures will not be worth much.", file=sys.stderr)
    if arguments.against:
        print(f"\nold: {arguments.against}\nnew: {bench.program}")
        write_results("against", print_rows(compare_builds(bench, arguments.against)), machine, arguments.output)
        return
    output = arguments.output or (None if arguments.quick else os.path.join(HERE, "results"))
    for name in arguments.only.split(","):
        compare, title = COMPARISONS[name]
        rows = compare(bench)
        if rows:
            print(f"\n{title}")
            print_table(rows)
            write_results(name, rows, machine, output)


if __name__ == "__main__":
    main()
