#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every command with one failing operation, or killed before one, for many or all operations.

    run.py PROGRAM INJECT.SO [--all | --sample N] [--commands NAME,...] [--kinds KIND,...]

Checked after each: no signal; a message, unless the exit status is 0; with exit status 0 the same results as without a
fault; otherwise every result is that of before, that of a success, or absent, and no temporary file is left. A
training is then resumed, or repeated if it had not begun, and must give the same model. Without --all, N operations of each
kind are tried (default: 1), the same ones every time.
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

KINDS = ["alloc", "read", "write", "sync", "rename", "thread", "kill"]
PATIENCE = 300  # seconds, on a busy machine; whatever takes longer has failed
NET = "conv 4 3 stride 2\nbn\nrelu\nconv 4 3\ngap\n"
FAILED = []
RUNS = 0


def fail(what):
    print("FAIL ", what, flush=True)
    FAILED.append(what)


# ---- Data ----

def png(path, values):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    raw = b"".join(b"\0" + bytes(values[12 * y:12 * y + 12]) for y in range(12))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 12, 12, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def make_data():
    for part, count in (("train", 24), ("test", 6)):
        for c in range(3):
            folder = f"pictures/{part}/class {c}"
            os.makedirs(folder)
            for i in range(count):
                png(f"{folder}/{i}.png", [(37 * i + 11 * k * k) % 97 + (150 if k // 48 == c else 0) for k in range(144)])
    with open("table.csv", "w") as table:
        table.write("a,b,kind\n")
        for i in range(60):
            table.write(f"{i % 2 + i * 7 % 13 / 10},{i % 3 + i * 5 % 11 / 10},{'xy'[i % 2]}\n")
    with open("small.net", "w") as file:
        file.write(NET)


TRAIN = ["train", "pictures", "--net", "small.net", "--objective", "lda", "--batch", "33", "--epochs", "2", "--threads", "2", "--rate",
         "0.05", "--measure-every", "1", "-q"]

# name: (the folders and files before it, the command, what it writes)
COMMANDS = {
    "train": ([], [*TRAIN, "-o", "run"], ["run"]),
    "resume": (["half:run"], ["train", "--resume", "run", "-q"], ["run"]),
    "force": (["other:run"], [*TRAIN, "-o", "run", "--force"], ["run"]),
    "train table": ([], ["train", "table.csv", "--label", "kind", "--epochs", "2", "--threads", "1", "-o", "run", "-q"], ["run"]),
    "eval": (["whole:run"], ["eval", "run", "pictures", "--svm", "--answers", "answers.csv"], ["answers.csv"]),
    "predict": (["whole:run"], ["predict", "run", "pictures/test", "-o", "out.csv"], ["out.csv"]),
    "predict lda": (["s.lda:s.lda"], ["predict", "s.lda", "table.csv", "-o", "out.csv"], ["out.csv"]),
    "refit": (["whole:run"], ["refit", "run", "pictures", "--lambda", "0.01", "-o", "new.safetensors"], ["new.safetensors"]),
    "export": (["whole:run"], ["export", "run", "-o", "m.onnx"], ["m.onnx"]),
    "info": (["whole:run"], ["info", "run"], []),
    "lda": ([], ["lda", "table.csv", "--save", "new.lda", "-o", "p.npy"], ["new.lda", "p.npy", "p.labels.npy"]),
    "embed": (["whole:run"], ["embed", "run", "pictures", "-o", "F.npy"], ["F.npy", "F.labels.npy"]),
    "convert": ([], ["data", "convert", "pictures", "--to", "npy", "-o", "converted"], ["converted"]),
    "convert png": ([], ["data", "convert", "pictures", "--to", "png", "-o", "converted"], ["converted"]),
    "show": ([], ["data", "show", "pictures", "-o", "sheet.png"], ["sheet.png"]),
    "report": (["whole:run"], ["report", "run", "-o", "page"], ["page"]),
    "reproduce": ([], ["reproduce", "mnist-50k", "--rows", "deeplda", "--data", "pictures", "--net", "small.net", "--epochs", "1", "-o",
                       "tables"], ["tables"]),
}
TRAININGS = ("train", "resume", "force", "train table")
MODEL_FILES = ["model.safetensors", "history.csv", "eigenvalues.csv", "options.json"]


# ---- Running ----

def run(arguments, folder, fault=None, counts=None):
    global RUNS
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8", PATH=EMPTY_PATH)
    if fault or counts:
        environment["LD_PRELOAD"] = INJECT
    if fault:
        environment["DEEPLDA_FAULT"] = fault
    if counts:
        environment["DEEPLDA_FAULT_COUNTS"] = counts
    RUNS += 1
    try:
        end = subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, timeout=PATIENCE)
        return end.returncode, end.stdout, end.stderr
    except subprocess.TimeoutExpired:
        return "time-out", b"", b""


def files_below(path):
    """{name: bytes} of a file or folder."""
    if os.path.isfile(path):
        return {os.path.basename(path): open(path, "rb").read()}
    found = {}
    for folder, _, names in os.walk(path):
        for name in names:
            full = os.path.join(folder, name)
            found[os.path.relpath(full, path)] = open(full, "rb").read()
    return found


def varies(name):
    """Files with times in them, or with rows of all runs."""
    return name.endswith(("run.json", ".html", "training.json", "budget.json")) or "checkpoint" in name or "times" in name or \
        "speed" in name or name.startswith(("seed", "mnist", "table."))


def results(folder, outputs):
    found = {}
    for output in outputs:
        for name, data in files_below(os.path.join(folder, output)).items():
            found[f"{output}/{name}"] = data
    return found


def prepare(base, folder, before):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name in ("pictures", "table.csv", "small.net"):
        os.symlink(os.path.join(base, name), os.path.join(folder, name))
    for item in before:
        source, target = item.split(":")
        source = os.path.join(base, source)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, os.path.join(folder, target))


# ---- Checking ----

def same_stdout(one, two):
    numbers = re.compile(rb"[0-9.]+ (?:s|images/s|ms)\b")
    return numbers.sub(b"", one) == numbers.sub(b"", two)


def check_files(where, old, new, now, killed):
    for name, data in now.items():
        if ".tmp-" in name:
            if not killed and name not in old:  # the run to be resumed was killed, too
                fail(f"{where}: {name} is left over")
        elif name == "out.csv/out.csv" and set(data.split(b"\n")) <= set(new[name].split(b"\n")):
            continue  # predict omits files that it cannot read, and says so
        elif not varies(os.path.basename(name)) and data not in (old.get(name), new.get(name)):
            if name.split("/")[0] not in ("run", "page", "tables"):  # these have several states on the way
                fail(f"{where}: {name} is neither that of before nor that of a success")
    for name in old:
        if name not in now and not name.startswith(("run/", "page/", "tables/")):
            fail(f"{where}: {name} is lost")


def check_training(where, folder, command, expected):
    """It resumes, or can be repeated; the result is that of a training without faults."""
    run_folder = os.path.join(folder, "run")
    has = any(os.path.exists(os.path.join(run_folder, f"checkpoint{more}.safetensors")) for more in ("", "-previous"))
    first_options = files_below(run_folder).get("options.json") if has else None
    again = ["train", "--resume", "run", "-q"] if has else [*command, "--force"]
    if has and "--epochs" in command:
        again += ["--epochs", "2"]
    code, _, message = run(again, folder)
    now = files_below(run_folder)
    if code == 2 and b"epochs are done" in message:
        return
    if code != 0:
        fail(f"{where}: then {' '.join(again)}: exit {code}: {message[-200:]!r}")
        return
    wanted = [{name: kind[name] for name in MODEL_FILES} for kind in expected]
    if {name: now.get(name) for name in MODEL_FILES} not in wanted:
        fail(f"{where}: resumed, the model differs (options before: {first_options is not None})")
    if [name for name in now if ".tmp-" in name]:
        fail(f"{where}: resumed, a temporary file is left")


def check_run(name, fault, base, folder, reference, expected):
    before, command, outputs = COMMANDS[name]
    prepare(base, folder, before)
    old = results(folder, outputs)
    code, stdout, message = run(command, folder, fault)
    now = results(folder, outputs)
    where, killed = f"{name}, {fault}", fault.startswith("kill")
    if code == "time-out" or (isinstance(code, int) and code < 0 and not (killed and code == -9)):
        fail(f"{where}: ended by {code}: {message[-200:]!r}")
    elif code == 0:
        lost = [key for key, data in reference["files"].items() if now.get(key) != data and not varies(os.path.basename(key))]
        if lost and name == "report" and b"--data names other test data" in message:
            pass  # a report without its samples says so, on the page as well
        elif lost:
            fail(f"{where}: exit 0, but these differ or are missing: {lost}: {message[-200:]!r}")
        elif name not in TRAININGS and not same_stdout(stdout, reference["stdout"]):
            fail(f"{where}: exit 0, but the output differs")
    elif not killed and not message.strip():
        fail(f"{where}: exit {code} without a message")
    check_files(where, old, reference["files"], now, killed)
    if name in TRAININGS:
        check_training(where, folder, command, expected)


def pick(count, place, sample):
    """`sample` of the numbers from 1 to `count`, evenly spaced; 0: all."""
    if sample == 0 or count <= sample:
        return range(1, count + 1)
    shift = zlib.crc32(place.encode()) % 97 / 97
    return [int(count * (i + shift) / sample) + 1 for i in range(sample)]


def check_command(name, base, kinds, sample):
    before, command, outputs = COMMANDS[name]
    folder, counts = os.path.join(base, "work"), os.path.join(base, "counts")
    prepare(base, folder, before)
    code, stdout, message = run(command, folder, counts=counts)
    if code != 0:
        fail(f"{name}: exit {code} without a fault: {message[-300:]!r}")
        return
    reference = {"files": results(folder, outputs), "stdout": stdout}
    expected = [files_below(os.path.join(folder, "run"))] if name in TRAININGS else []
    if name == "force":
        expected.append(files_below(os.path.join(base, "other")))  # until the new training begins, the old one goes on
    found = dict(line.split() for line in open(counts))
    if int(found["alloc"]) < 100:
        fail(f"{name}: {found['alloc']} allocations were counted: the library that injects faults is not in use")
    tried, began = 0, time.monotonic()
    for kind in kinds:
        for n in pick(int(found[kind]), name + kind, sample):
            check_run(name, f"{kind}:{n}", base, folder, reference, expected)
            tried += 1
    print(f"{name:12} {tried:6} faults of {sum(int(found[kind]) for kind in kinds):6}  {time.monotonic() - began:6.1f} s", flush=True)


def make_half(base):
    """A training that was killed in its second epoch."""
    run([*TRAIN, "-o", "half"], base, counts=os.path.join(base, "counts"))
    kills = int(dict(line.split() for line in open(os.path.join(base, "counts")))["kill"])
    shutil.rmtree(os.path.join(base, "half"))
    run([*TRAIN, "-o", "half"], base, f"kill:{3 * kills // 5}")


def main():
    global PROGRAM, INJECT, EMPTY_PATH
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("inject")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    words = parser.parse_args()
    PROGRAM, INJECT = os.path.abspath(words.program), os.path.abspath(words.inject)
    with tempfile.TemporaryDirectory(prefix="deeplda-faults-") as base:
        os.chdir(base)
        EMPTY_PATH = os.path.join(base, "bin")  # no gnuplot: a report draws no figures, which would take seconds
        os.makedirs(EMPTY_PATH)
        make_data()
        run([*TRAIN, "-o", "whole"], base)
        run([*TRAIN, "-o", "other", "--rate", "0.02"], base)
        make_half(base)
        run(["lda", "table.csv", "--save", "s.lda"], base)
        for name in words.commands.split(","):
            check_command(name, base, words.kinds.split(","), 0 if words.all else words.sample)
        os.chdir("/")
    print(f"{RUNS} runs, {len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
