#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every command with one failing operation, or killed before one, for many or all operations.

    run.py PROGRAM INJECT.SO [--all | --sample N] [--jobs N] [--commands NAME,...] [--kinds KIND,...]

Checked after each: no signal; a message, unless the exit status is 0; with exit status 0 the same results as without a
fault; otherwise every result is that of before, that of a success, or absent, and no temporary file is left. A
training is then resumed, or repeated if it had not begun, and must give the same model. Without --all, N operations of each
kind are tried (default: 1), the same ones every time. The last lines are a table for docs/security.md.
"""
import argparse
import csv
import html
import multiprocessing
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

KINDS = ["alloc", "read", "write", "sync", "rename", "thread", "kill"]
PATIENCE = 300  # seconds, on a busy machine; whatever takes longer has failed
SIDE = 8  # pixels
OTHER = "other-world"  # the folder with the same kinds of data, other values
NET = "conv 4 3 stride 2\nbn\nrelu\nconv 3 2\ngap\n"


# ---- Data ----

def png(path, values):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    raw = b"".join(b"\0" + bytes(values[SIDE * y:SIDE * y + SIDE]) for y in range(SIDE))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def make_data(folder, shift):
    """Pictures and a table; with `shift` 1 the pictures, their numbers and the rows differ."""
    for part, count in (("train", 8), ("test", 2)):
        for c in range(3):
            place = f"{folder}/pictures/{part}/class {c}"
            os.makedirs(place)
            for i in range(count + shift * (c == 0)):
                png(f"{place}/{i}.png", [(37 * i + 11 * k * k + 5 * shift * k) % 97 + (150 if 3 * k // SIDE ** 2 == (c + shift) % 3 else 0)
                                         for k in range(SIDE ** 2)])
    with open(f"{folder}/table.csv", "w") as table:
        table.write("a,b,kind\n")
        for i in range(40):
            table.write(f"{i % 2 + i * (7 + shift) % 13 / 10},{i % 3 + i * 5 % 11 / 10},{'xy'[(i + shift) % 2]}\n")


def make_others():
    with open("small.net", "w") as file:
        file.write(NET)
    with open("names", "w") as file:
        file.write("".join(f"pictures/test/class {c}/{i}.png\n" for c in range(3) for i in range(2)))


TRAIN = ["train", "pictures", "--net", "small.net", "--objective", "lda", "--batch", "12", "--epochs", "2", "--threads", "2", "--rate",
         "0.05", "--measure-every", "1", "-q"]

REPRODUCE = ["reproduce", "mnist-50k", "--rows", "deeplda", "--data", "pictures", "--net", "small.net", "--epochs", "1",
             "--threads", "2"]

# name: (the folders and files before it, the command, what it writes). If the result is there already, it is that of
# the same command on other data, and the command replaces it: "over".
COMMANDS = {
    "train": ([], [*TRAIN, "-o", "run"], ["run"]),
    "resume": (["half:run"], ["train", "--resume", "run", "-q"], ["run"]),
    "force": (["other:run"], [*TRAIN, "-o", "run", "--force"], ["run"]),
    "train table": ([], ["train", "table.csv", "--label", "kind", "--epochs", "2", "--threads", "1", "-o", "run", "-q"], ["run"]),
    "eval": (["whole:run", "over"], ["eval", "run", "pictures", "--svm", "--answers", "answers.csv"], ["answers.csv"]),
    "predict": (["whole:run", "over"], ["predict", "run", "pictures/test", "-o", "out.csv"], ["out.csv"]),
    "predict list": (["whole:run", "names:input", "over"], ["predict", "run", "--list", "-o", "out.csv"], ["out.csv"]),
    "predict lda": (["s.lda:s.lda", "over"], ["predict", "s.lda", "table.csv", "-o", "out.csv"], ["out.csv"]),
    "refit": (["whole:run", "over"], ["refit", "run", "pictures", "--lambda", "0.01", "-o", "new.safetensors"], ["new.safetensors"]),
    "export": (["whole:run", "over"], ["export", "run", "-o", "m.onnx"], ["m.onnx"]),
    "info": (["whole:run"], ["info", "run"], []),
    "lda": (["over"], ["lda", "table.csv", "--save", "new.lda", "-o", "p.npy"], ["new.lda", "p.npy"]),
    "embed": (["whole:run", "over"], ["embed", "run", "pictures", "-o", "F.npy"], ["F.npy", "F_labels.npy"]),
    "convert": ([], ["data", "convert", "pictures", "--to", "npy", "-o", "converted"], ["converted"]),
    "convert force": (["over"], ["data", "convert", "pictures", "--to", "npy", "-o", "converted", "--force"], ["converted"]),
    "convert png": ([], ["data", "convert", "pictures", "--to", "png", "-o", "converted"], ["converted"]),
    "show": (["over"], ["data", "show", "pictures", "-o", "sheet.png"], ["sheet.png"]),
    "report": (["whole:run", "over"], ["report", "run", "-o", "page"], ["page"]),
    "reproduce": ([], [*REPRODUCE, "-o", "tables"], ["tables"]),
    "reproduce again": (["tables:tables"], [*REPRODUCE, "-o", "tables"], ["tables"]),
}
TRAININGS = ("train", "resume", "force", "train table")
MODEL_FILES = ["model.safetensors", "history.csv", "eigenvalues.csv", "options.json"]


# ---- Running ----

class Server:
    """The program with inject.so: a process that forks for each run."""

    def __init__(self, program, inject, base, number):
        self.program, self.base, self.number = program, base, number
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8", LD_PRELOAD=inject,
                           PATH=os.path.join(base, "bin"))  # no gnuplot: a report draws no figures, which would take seconds
        self.process = subprocess.Popen([program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def file(self, name):
        return os.path.join(self.base, f"{name}-{self.number}")

    def read(self, limit):
        """A number; None after `limit` seconds."""
        if not select.select([self.process.stdout], [], [], limit)[0]:
            return None
        return struct.unpack("i", self.process.stdout.read(4))[0]

    def run(self, arguments, folder, fault="", counts=""):
        """Exit status (below 0: signal) or "time-out", stdout and stderr."""
        words = [folder, self.file("stdout"), self.file("stderr"), fault, counts, self.program, *arguments]
        request = b"".join(word.encode() + b"\0" for word in words)
        self.process.stdin.write(struct.pack("I", len(request)) + request)
        process, status = self.read(None), self.read(PATIENCE)
        if status is None:
            os.killpg(process, signal.SIGKILL)
            self.read(None)
        code = "time-out" if status is None else os.waitstatus_to_exitcode(status)
        return code, open(self.file("stdout"), "rb").read(), open(self.file("stderr"), "rb").read()

    def count(self, arguments, folder):
        """The same, and the number of operations of each kind."""
        end = self.run(arguments, folder, counts=self.file("counts"))
        return *end, {kind: int(n) for kind, n in (line.split() for line in open(self.file("counts")))}


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


TIMES = re.compile(rb'"(?:seconds|images_per_second|process|process_start)": [0-9.e+-]+|"processor": "[^"]*"|'
                   rb"\b[0-9.]+ (?:images/s|s|min|ms|h)\b|[0-9-]{10}[ T][0-9:]{5,8}")


def constant(name, data):
    """What is the same in every run, without times and names of processes. Trainings are resumed from checkpoints, which are
    compared then. If /proc/cpuinfo cannot be read, the processor has no name."""
    name = os.path.basename(name)
    if data is None or name.startswith("checkpoint"):
        return data and b""
    if name == "table.csv":
        rows = list(csv.reader(data.decode().splitlines()))
        place = rows[0].index("seconds")
        return repr([row[:place] + row[place + 1:] for row in rows]).encode()
    return TIMES.sub(b"", data) if name.endswith((".json", ".html", ".md")) else data


def results(folder, outputs):
    found = {}
    for output in outputs:
        for name, data in files_below(os.path.join(folder, output)).items():
            found[f"{output}/{name}"] = constant(name, data)
    return found


def prepare(base, folder, name, world="."):
    """The folder in which a command runs; in the other `world`, its data and models are others."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for link in ("pictures", "table.csv"):
        os.symlink(os.path.join(base, world, link), os.path.join(folder, link))
    os.symlink(os.path.join(base, "small.net"), os.path.join(folder, "small.net"))
    for item in COMMANDS[name][0]:
        if item == "over":
            if world == ".":
                shutil.copytree(os.path.join(base, "old", name), folder, dirs_exist_ok=True)
            continue
        source, target = item.split(":")
        source = os.path.join(base, world if os.path.exists(os.path.join(base, world, source)) else ".", source)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, os.path.join(folder, target))


# ---- Checking ----

class Check:
    """One command with one fault; `failures` has what is wrong."""

    def __init__(self, server, name, fault, reference):
        self.server, self.name, self.fault, self.reference = server, name, fault, reference
        self.folder, self.killed, self.failures = server.file("work"), fault.startswith("kill"), []

    def fail(self, what):
        self.failures.append(f"{self.name}, {self.fault}: {what}")

    def run(self):
        _, command, outputs = COMMANDS[self.name]
        prepare(self.server.base, self.folder, self.name)
        self.before, old = files_below(self.folder), results(self.folder, outputs)
        code, stdout, message = self.server.run(command, self.folder, self.fault)
        now = results(self.folder, outputs)
        if code == "time-out" or (code < 0 and not (self.killed and code == -signal.SIGKILL)):
            self.fail(f"ended by {code}: {message[-200:]!r}")
        elif code == 0:
            self.check_success(now, stdout, message)
        elif not self.killed and not message.strip():
            self.fail(f"exit {code} without a message")
        self.check_files(old, now)
        if self.name == "force":
            self.check_one_training(files_below(os.path.join(self.folder, "run")))
        if self.name in TRAININGS:
            self.check_training(command)
        return self.failures

    def check_success(self, now, stdout, message):
        lost = [key for key, data in self.reference["files"].items() if now.get(key) != data]
        if lost and self.name == "report" and self.page_has(message):
            return  # data that cannot be read are no failure of a report, if it says so
        if lost:
            self.fail(f"exit 0, but these differ or are missing: {lost}: {message[-200:]!r}")
        elif self.name not in TRAININGS and same_everywhere(stdout) != same_everywhere(self.reference["stdout"]):
            self.fail("exit 0, but the output differs")

    def page_has(self, message):
        """1 if there are messages, apart from one that gnuplot is missing, and the page has them as well."""
        page = html.unescape(open(os.path.join(self.folder, "page/report.html"), encoding="utf-8").read())
        lines = [line.split(": ", 1)[1] for line in message.decode().splitlines() if line.startswith("deeplda report: ")]
        lines = [line for line in lines if not line.startswith("gnuplot")]
        return lines and all(line.replace("option --", "option ") in page for line in lines)

    def check_files(self, old, now):
        new, left = self.reference["files"], files_below(self.folder)
        for name in left:
            if ".tmp-" in name and not self.killed and name not in self.before:  # the run to be resumed was killed, too
                self.fail(f"{name} is left over")
        states = {}
        for name in {**old, **now}:
            if ".tmp-" in name or name.startswith(("run/", "page/", "tables/")):  # these folders have several states on the way
                continue
            data = now.get(name)
            if data is None and not (self.killed and old[name] in [constant(name, bytes) for bytes in left.values()]):
                self.fail(f"{name} is lost")
            elif data is not None and data not in (old.get(name), new.get(name)) and not self.omits_answers(name, data):
                self.fail(f"{name} is neither that of before nor that of a success")
            elif data is not None and self.name != "lda":  # whose two results have nothing to do with each other
                states.setdefault(data == new.get(name), []).append(name)
        if len(states) > 1:
            self.fail(f"{states[False]} of before beside {states[True]}")

    def omits_answers(self, name, data):
        """predict omits files that it cannot read, and says so."""
        return name == "out.csv/out.csv" and answers_of(data) <= answers_of(self.reference["files"][name])

    def check_one_training(self, now):
        """The checkpoint says which training the folder belongs to: no result of the old one is beside that of the new one."""
        old = self.reference["runs"][1]
        if now.get("checkpoint.safetensors") not in (None, old["checkpoint.safetensors"]):
            mixed = [name for name in [*MODEL_FILES, "run.json"] if now.get(name) == old[name]]
            if mixed:
                self.fail(f"the checkpoint is that of the new training, but these are of the old one: {mixed}")

    def check_training(self, command):
        """It resumes, or can be repeated; the result is that of a training without faults. In the folder of an earlier one, that
        goes on until the new one has a checkpoint."""
        run_folder = os.path.join(self.folder, "run")
        found = files_below(run_folder)
        runs = self.reference["runs"]
        if len(runs) > 1:
            is_old = found.get("checkpoint.safetensors") == runs[1]["checkpoint.safetensors"] and \
                     "checkpoint-next.safetensors" not in found
            runs = [runs[is_old]]
        has = any(name in found for name in [*MODEL_FILES, "run.json", "checkpoint.safetensors"])
        again = ["train", "--resume", "run", "-q"] if has else [*command, "--force"]
        if has and "--epochs" in command:
            again += ["--epochs", "2"]
        code, _, message = self.server.run(again, self.folder)
        now = files_below(run_folder)
        if code == 2 and b"epochs are done" in message:
            return
        if code != 0:
            self.fail(f"then {' '.join(again)}: exit {code}: {message[-200:]!r}")
            return
        if {name: now.get(name) for name in MODEL_FILES} not in [{name: kind[name] for name in MODEL_FILES} for kind in runs]:
            self.fail("resumed, the model differs")
        if [name for name in now if ".tmp-" in name]:
            self.fail("resumed, a temporary file is left")


def answers_of(table):
    """File, number and class of each row. The last digits of probabilities depend on the number of images in a batch."""
    return {tuple(row.split(b",")[:3]) for row in table.split(b"\n")}


def same_everywhere(text):
    """Without times, and without bars, which are drawn with other characters if the locale could not be loaded."""
    return re.sub("(?m)[0-9.]+ (?:s|images/s|ms)\\b|[ #█▉▊▋▌▍▎▏]+$", "", text.decode())


def check_some(program, inject, base, number, tasks, answers):
    """A process of its own: takes (name, kind, n, reference) from `tasks` until None comes."""
    server = Server(program, inject, base, number)
    for name, kind, n, reference in iter(tasks.get, None):
        try:
            failures = Check(server, name, f"{kind}:{n}", reference).run()
        except Exception as error:  # whatever it is, the check has failed
            failures = [f"{name}, {kind}:{n}: {type(error).__name__}: {error}"]
        answers.put((name, kind, failures))
    server.process.stdin.close()
    server.process.wait()


# ---- All ----

def pick(count, place, sample):
    """`sample` of the numbers from 1 to `count`, evenly spaced; 0: all."""
    if sample == 0 or count <= sample:
        return range(1, count + 1)
    shift = zlib.crc32(place.encode()) % 97 / 97
    return [int(count * (i + shift) / sample) + 1 for i in range(sample)]


def refer(server, name):
    """What the command does without a fault, and how many operations of each kind it has."""
    before, command, outputs = COMMANDS[name]
    folder = server.file("work")
    prepare(server.base, folder, name)
    old = results(folder, outputs)
    code, stdout, message, counts = server.count(command, folder)
    if code != 0 or counts["alloc"] < 100:
        sys.exit(f"{name}: exit {code} without a fault, {counts['alloc']} allocations: {message[-300:]!r}")
    new = results(folder, outputs)
    missing = [output for output in outputs if not any(key.startswith(output + "/") for key in new)]
    same = [key for key in old if new.get(key) == old[key] and not key.startswith("page/")] if "over" in before else []
    if missing or same:
        sys.exit(f"{name}: writes no {missing}, and on other data the same {same}")
    if name == "convert png" and counts["sync"] < counts["rename"]:
        sys.exit(f"{name}: {counts['sync']} syncs for {counts['rename']} renamed results, expected at least as many")
    runs = [files_below(os.path.join(folder, "run"))] if name in TRAININGS else []
    if name == "force":
        runs.append(files_below(os.path.join(server.base, "other")))  # until the new training begins, the old one goes on
    return {"files": new, "stdout": stdout, "runs": runs}, counts


def make_runs(server, base):
    """A whole training, another one, and one that was killed in its second epoch; an LDA; finished tables."""
    server.run([*TRAIN, "-o", "whole"], base)
    server.run([*TRAIN, "-o", "other", "--rate", "0.02"], base)
    kills = server.count([*TRAIN, "-o", "half"], base)[3]["kill"]
    shutil.rmtree(os.path.join(base, "half"))
    server.run([*TRAIN, "-o", "half"], base, f"kill:{3 * kills // 5}")
    server.run(["lda", "table.csv", "--save", "s.lda"], base)
    server.run([*REPRODUCE, "-o", "tables"], base)


def make_old_results(server, base, names):
    """What the commands that replace something find: their results on other data."""
    world = os.path.join(base, OTHER)
    os.symlink(os.path.join(base, "small.net"), os.path.join(world, "small.net"))
    server.run([*TRAIN, "-o", "whole"], world)
    server.run(["lda", "table.csv", "--save", "s.lda"], world)
    for name in names:
        before, command, outputs = COMMANDS[name]
        if "over" not in before:
            continue
        folder = server.file("work")
        prepare(base, folder, name, OTHER)
        code, _, message = server.run(command, folder)
        if code != 0:
            sys.exit(f"{name}, on other data: exit {code}: {message[-300:]!r}")
        for output in outputs:
            target = os.path.join(base, "old", name, output)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.rename(os.path.join(folder, output), target)


def show_table(names, kinds, tried, failed):
    print(f"\n| command | {' | '.join(kinds)} | failures |\n|---|{'---|' * (len(kinds) + 1)}")
    for name in names:
        cells = [str(tried.get((name, kind), 0)) for kind in kinds]
        print(f"| {name} | {' | '.join(cells)} | {sum(failed.get((name, kind), 0) for kind in kinds)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("inject")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    words = parser.parse_args()
    names, kinds = words.commands.split(","), words.kinds.split(",")
    program, inject = os.path.abspath(words.program), os.path.abspath(words.inject)
    tried, failed, began = {}, {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="deeplda-faults-") as base:
        os.chdir(base)
        os.makedirs("bin")
        make_data(".", 0)
        make_data(OTHER, 1)
        make_others()
        server = Server(program, inject, base, "first")
        make_runs(server, base)
        make_old_results(server, base, names)
        tasks, answers = multiprocessing.Queue(2 * words.jobs), multiprocessing.Queue()
        workers = [multiprocessing.Process(target=check_some, args=(program, inject, base, i, tasks, answers), daemon=True) for i in range(words.jobs)]
        for worker in workers:
            worker.start()
        for name in names:
            began_now, reference_counts = time.monotonic(), refer(server, name)
            todo = [(name, kind, n, reference_counts[0]) for kind in kinds for n in
                    pick(reference_counts[1][kind], name + kind, 0 if words.all else words.sample)]
            feeder = threading.Thread(target=lambda: [tasks.put(task) for task in todo])
            feeder.start()
            for _ in todo:
                _, kind, failures = answers.get()
                tried[name, kind] = tried.get((name, kind), 0) + 1
                failed[name, kind] = failed.get((name, kind), 0) + bool(failures)
                for failure in failures:
                    print("FAIL ", failure, flush=True)
            feeder.join()
            print(f"{name:12} {len(todo):6} faults of {sum(reference_counts[1][kind] for kind in kinds):6}"
                  f"  {time.monotonic() - began_now:6.1f} s", flush=True)
        for _ in workers:
            tasks.put(None)
        for worker in workers:
            worker.join()
        os.chdir("/")
    show_table(names, kinds, tried, failed)
    print(f"{sum(tried.values())} faults, {sum(failed.values())} failures, {time.monotonic() - began:.0f} s")
    return 1 if sum(failed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
