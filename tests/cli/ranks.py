#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ranks.py - trainings over several processes by mpirun: agreement with one process, repeatability, failures, signals,
kill -9 and resuming with other numbers of ranks.

    ranks.py PROGRAM [KILLS]

KILLS is how often a rank is killed at a random moment (1 by default; more also tries more numbers of ranks). Skipped (77) where there is no mpirun or no
libdeeplda_mpi.
"""
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy

program = os.path.abspath(sys.argv[1])
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 1
thorough = kills > 1
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_odls_base_sigkill_timeout="2",
                   OMPI_MCA_btl_base_warn_component_unused="0", OMPI_MCA_hwloc_base_binding_policy="none",
                   TERM="xterm",  # mpirun gives rank 0 a terminal as its output
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")  # those of MPI itself
failures = 0


def check(right, what):
    global failures
    print("ok   " if right else "FAIL ", what)
    failures += not right


def ranks(n, *arguments):
    return ["mpirun", "-n", str(n), program, *arguments, "--mpi"]


def run(command, seconds=120):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
    return done


def read_floats(path):
    """All tensors of a safetensors file as one array of doubles, by name."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = file.read()
    kinds = {"F32": "<f4", "F64": "<f8"}
    return {name: numpy.frombuffer(data[slice(*row["data_offsets"])], kinds[row["dtype"]]).astype(float)
            for name, row in header.items() if name != "__metadata__" and row["dtype"] in kinds}


def weights_of(folder):
    return read_floats(os.path.join(folder, "checkpoint.safetensors"))["weights"]


def history(folder):
    with open(os.path.join(folder, "history.csv")) as file:
        return list(csv.DictReader(file))


def same_file(a, b):
    with open(a, "rb") as one, open(b, "rb") as other:
        return one.read() == other.read()


def rank_processes(folder):
    """Process numbers of the ranks that train in this folder, by rank."""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            if os.path.basename(words[0]) != os.path.basename(program).encode() or folder.encode() not in words:
                continue
            with open(f"/proc/{number}/environ", "rb") as file:
                values = dict(v.split(b"=", 1) for v in file.read().split(b"\0") if b"=" in v)
            found[int(values[b"OMPI_COMM_WORLD_RANK"])] = int(number)
        except (OSError, KeyError, ValueError):
            pass
    return found


if not shutil.which("mpirun"):
    print("skipped: there is no mpirun")
    sys.exit(77)
top = tempfile.mkdtemp(prefix="deeplda-ranks-")
os.chdir(top)
probe = run(ranks(1, "eval", "nothing"))
if "libdeeplda_mpi" in probe.stderr:
    print("skipped:", probe.stderr.strip())
    sys.exit(77)

with open("small.net", "w") as net:
    net.write("conv 8 3\nmaxpool 2\nconv 12 3\nmaxpool 2\ndropout 0.1\ndense 10\n")
job = ["train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "200", "--rate", "0.01", "--seed", "3",
       "--no-presets", "--quiet", "--objective", "lda-log"]  # which eigenvalues lda raises may change by rounding
steps = 5  # of an epoch: 900 samples, the others are for validation

# ---- The same training by 1, 2, 3 and 4 ranks
for group, numbers in (("0", (2, 3, 4) if thorough else (2, 4)), ("40", (2, 3, 4) if thorough else (3,))):
    alone = f"alone-{group}"
    run([program, *job, "--epochs", "4", "--norm-group", group, "-o", alone, "--threads", "1"])
    for n in numbers:
        folder = f"ranks-{group}-{n}"
        done = run(ranks(n, *job, "--epochs", "4", "--norm-group", group, "-o", folder))
        check(done.returncode == 0, f"{n} ranks, norm group {group}: {done.stderr.strip()[-300:]}")
        one, several = weights_of(alone), weights_of(folder)
        difference = abs(one - several).max() / abs(one).max()
        check(difference < 1e-4, f"weights after 20 steps agree with one process to {difference:.1e}")
again = run(ranks(3, *job, "--epochs", "4", "--norm-group", "40", "-o", "again"))
check(same_file("again/model.safetensors", "ranks-40-3/model.safetensors"), "3 ranks twice: the same bits")
run(ranks(3, *job, "--epochs", "4", "--norm-group", "40", "--micro-batch", "40", "-o", "micro"))
check((weights_of("micro") == weights_of("again")).all(), "another micro-batch: the same bits")

# ---- Only rank 0 speaks
lines = run(ranks(3, "train", "digits", "--net", "small.net", "--subset", "400", "--epochs", "1", "-o", "loud"))
check(lines.stdout.count("accuracy") >= 1 and lines.stdout.count("written:") == 1, "results are printed once")
check("3 ranks" in lines.stderr and "% waiting" in lines.stderr, "the number of ranks and the waiting are told")
one = run([program, "eval", "loud", "digits"])
three = run(ranks(3, "eval", "loud", "digits", "--answers", "answers.csv"))
check(three.stdout == one.stdout and one.returncode == 0, "eval over ranks prints what one process prints")
run([program, "embed", "loud", "digits", "-o", "one.npy"])
run(ranks(3, "embed", "loud", "digits", "-o", "three.npy"))
check(numpy.array_equal(numpy.load("one.npy"), numpy.load("three.npy")), "embed over ranks writes the same features")

# ---- Failures
begin = time.time()
done = run(ranks(2, *job, "--epochs", "1", "-o", "again"))
check(done.returncode != 0 and "already exists" in done.stderr, "a folder that exists is refused by all")
done = run(["sh", "-c", f"""mpirun -n 1 {program} {' '.join(job)} --epochs 1 -o differ --mpi : \
    -n 2 {program} {' '.join(job)} --epochs 1 -o differ --seed 4 --mpi"""])
check(done.returncode != 0 and ("rank 1: the options: not the same" in done.stderr or "rank 2: the options: not the same" in done.stderr),
      f"ranks with other options: {done.stderr.strip()[:200]}")
run([program, *job, "--epochs", "1", "--seed", "5", "-o", "other"])
done = run(["sh", "-c", f"mpirun -n 1 {program} eval loud digits --mpi : -n 1 {program} eval other digits --mpi"])
check(done.returncode != 0 and "rank 1: " in done.stderr and "of the model: not the same" in done.stderr,
      f"eval of other models: {done.stderr.strip()[:200]}")
large = "train digits --net mnist --batch 1200 --epochs 1 --quiet -o limit --mpi"
done = run(["sh", "-c", f"""mpirun -n 2 {program} {large} : \
    -n 1 sh -c 'ulimit -v 900000; exec {program} {large}'"""])
if "AddressSanitizer" not in done.stderr:  # which needs terabytes of addresses
    check(done.returncode != 0 and "rank 2: " in done.stderr and "no memory" in done.stderr,
          f"a rank without memory: {done.stderr.strip()[:200]}")
check(not os.path.exists("limit"), "which leaves no folder behind")
check(time.time() - begin < 60, f"all failures took {time.time() - begin:.0f} s")


# ---- Signals: all ranks stop after the same batch, rank 0 saves; another number of ranks goes on
def start(n, folder, *more):
    return subprocess.Popen(ranks(n, *job, "--epochs", "12", "--norm-group", "40", "-o", folder, *more), env=environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_for_epoch(folder, least=1):
    path = os.path.join(folder, "history.csv")
    for _ in range(600):
        if os.path.exists(path) and len(open(path).readlines()) > least:
            return
        time.sleep(0.05)


run([program, *job, "--epochs", "12", "--norm-group", "40", "-o", "whole", "--threads", "1"])
whole = weights_of("whole")
for number, to_all in ((signal.SIGUSR1, True), (signal.SIGINT, True), (signal.SIGTERM, False))[:3 if thorough else 1]:
    folder = f"stopped-{number}"
    process = start(3, folder)
    wait_for_epoch(folder)
    if to_all:
        process.send_signal(number)  # mpirun passes it on; for SIGINT it sends SIGTERM
    else:
        os.kill(rank_processes(folder)[2], number)  # one rank alone
    error = process.communicate(timeout=60)[1]
    with open(os.path.join(folder, "run.json")) as file:
        stopped = json.load(file)["state"] == "stopped"
    # After SIGINT, mpirun gives the ranks a moment only, and does not pass on what they print.
    check(process.returncode != 0 and (stopped or number == signal.SIGINT), f"signal {number}: {error.strip()[:120]!r}")
    done = run(ranks(2, "train", "--resume", folder, "--quiet"))
    check(done.returncode == 0, f"2 ranks go on: {done.stderr.strip()[:200]}")
    difference = abs(weights_of(folder) - whole).max() / abs(whole).max()
    check(difference < 1e-3, f"along the same path: {difference:.1e}")

# ---- kill -9 of a rank at random moments
random.seed(time.time_ns())
for i in range(kills):
    folder = f"killed-{i}"
    process = start(3, folder)
    wait_for_epoch(folder)
    time.sleep(random.random() * 0.5)
    victim, processes = random.randrange(3), rank_processes(folder)
    if victim in processes:
        os.kill(processes[victim], signal.SIGKILL)
    begin = time.time()
    error = process.communicate(timeout=60)[1]
    seconds = time.time() - begin
    if victim in processes:
        check(process.returncode != 0 and seconds < 30, f"rank {victim} killed: the job ended after {seconds:.1f} s")
        check(f"rank {victim}" in error, "and its end was told")
    n = random.choice((1, 2, 4))
    command = ["train", "--resume", folder, "--quiet"]
    done = run(ranks(n, *command) if n > 1 else [program, *command])
    check(done.returncode == 0, f"{n} ranks complete it: {done.stderr.strip()[:200]}")
    difference = abs(weights_of(folder) - whole).max() / abs(whole).max()
    check(difference < 1e-3, f"along the same path: {difference:.1e}")

os.chdir("/")
shutil.rmtree(top)
sys.exit(failures > 0)
