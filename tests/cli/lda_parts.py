#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""lda_parts.py - `deeplda lda` on a table in several files, in one process and over ranks of MPI.

    lda_parts.py PROGRAM
"""
import csv
import gzip
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

program = os.path.realpath(sys.argv[1])
failures = 0
NAMES = ["ant", "bee", "cat, tame", "dog"]
HEADER = ["a", "b", "colour", "c", "species"]
CUTS = [0, 100, 101, 401, 997]  # the first parts lack classes


def check(good, words):
    global failures
    print("ok   " if good else "FAIL ", words)
    failures += not good


def run(*words, ranks=0, code=0):
    start = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks else []
    end = ["--mpi"] if ranks else []
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C",
                       ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=" + "10"[bool(ranks)])  # MPI's own
    done = subprocess.run([*start, program, "lda", *words, *end], capture_output=True, text=True, timeout=60,
                          env=environment, stdin=subprocess.DEVNULL)
    check((done.returncode == code) if code == 0 or not ranks else done.returncode != 0,
          f"exit {done.returncode}: {ranks or 1} ranks: lda {' '.join(words)}")
    if done.returncode != 0 and code == 0:
        print(done.stderr)
    return done


def results(*words, ranks=0):
    found = json.loads(run(*words, "--json", ranks=ranks).stdout)
    return {key: value for key, value in found.items() if not key.endswith("_seconds")}


def distance(one, other):
    """The largest difference, relative to the largest number of its list; all that are no fractions must be equal."""
    if isinstance(one, dict):
        return max(distance(one[key], other[key]) for key in one) if one.keys() == other.keys() else 1
    if isinstance(one, list):
        if len(one) != len(other):
            return 1
        if one and all(isinstance(value, float) for value in one):
            return max(abs(a - b) for a, b in zip(one, other)) / max(max(map(abs, one)), 1e-300)
        return max(map(distance, one, other), default=0)
    if isinstance(one, float):
        return abs(one - other) / max(abs(one), 1e-300)
    return 0 if one == other else 1


def npy(path, descr, shape, payload):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + payload)


def write_csv(path, rows, header=True):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(([HEADER] if header else []) + rows)


def write_npy(name, rows, labels):
    payload = b"".join(struct.pack("<3f", *row) for row in rows)
    npy(name + ".npy", "<f4", f"({len(rows)}, 3)", payload)
    npy(name + "_labels.npy", "<i8", f"({len(labels)},)", struct.pack(f"<{len(labels)}q", *labels))


def write_tables():
    rng = random.Random(16)
    labels = [rng.randrange(2 if i < 300 else 4) for i in range(CUTS[-1])]
    numbers = [[round(rng.gauss(1.5 * (kind == j) - (kind == 3), 1), 5) for j in range(3)] for kind in labels]
    rows = [[str(x[0]), str(x[1]), rng.choice(["red", "green"] if i < 500 else ["blue", "red"]), str(x[2]), NAMES[kind]]
            for i, (x, kind) in enumerate(zip(numbers, labels))]
    for i in range(30):
        rows[rng.randrange(len(rows))][rng.choice([0, 1, 3])] = "NA"
    write_csv("all.csv", rows)
    write_npy("all", numbers, labels)
    for k, (begin, end) in enumerate(zip(CUTS, CUTS[1:])):
        write_csv(f"part-{k}.csv", rows[begin:end])
        write_csv(f"split-{k}.csv", rows[begin:end], header=k == 0)
        write_npy(f"part-{k}", numbers[begin:end], labels[begin:end])
    return rows


def parts(name, suffix="csv"):
    return sorted(str(path) for path in pathlib.Path(".").glob(f"{name}-*.{suffix}"))


def same_files(one, other, words):
    check(pathlib.Path(one).read_bytes() == pathlib.Path(other).read_bytes(), words)


COLUMNS = ["--categories", "colour"]
CASES = [COLUMNS + ["--missing", "drop"],
         COLUMNS + ["--missing", "mean", "--standardise", "--lambda", "0.1", "--priors", "uniform"],
         ["--drop", "colour", "--missing", "drop", "--shrinkage", "auto", "--cross-validate", "3"]]


def check_one_process():
    for case in CASES:
        wanted = results("all.csv", *case, "-o", "all.out.csv", "--save", "all.lda")
        for name in ("part", "split"):
            found = results(*parts(name), *case, "-o", "parts.out.csv", "--save", "parts.lda")
            check(found == wanted, f"the results of one file: {name}, {case}")
            same_files("all.out.csv", "parts.out.csv", "the projected rows of one file")
            same_files("all.lda", "parts.lda", "the LDA of one file")
    wanted = results("all.npy", "all_labels.npy")
    check(results(*parts("part", "npy")) == wanted, "arrays: labels beside them, though both are named")
    check("part-0.csv and 3 more files: " in run(*parts("part"), *CASES[0]).stdout, "the name of the table")
    wanted = run("all.csv", "--apply", "parts.lda", "--missing", "mean").stdout.splitlines()
    lines = run(*parts("part"), "--apply", "parts.lda", "--missing", "mean").stdout.splitlines()
    check([line.split(",", 2)[2] for line in lines] == [line.split(",", 2)[2] for line in wanted],
          "--apply gives the same predictions")
    check(lines[101].startswith("part-1.csv,0,") and lines[102].startswith("part-2.csv,0,"), "and the file of each row")


def check_refusals(rows):
    def refused(code, words, *files):
        message = run(*files, "--missing", "drop", "--drop", "colour", code=code).stderr
        check(words in message, f"{words}: {message.strip()}")

    write_csv("bad.csv", rows[:5] + [rows[5][:3] + ["x", "ant"]])
    refused(1, "bad.csv: line 7, column 4 (c): found 'x', expected a number", "part-0.csv", "bad.csv")
    pathlib.Path("other.csv").write_text("a,width,colour,c,species\n1,2,red,3,ant\n")
    refused(1, "other.csv: line 1, column 2: found 'width', expected 'b' as in part-0.csv", "part-0.csv", "other.csv")
    pathlib.Path("narrow.csv").write_text("1,2,red,ant\n")
    refused(1, "narrow.csv: line 1 has 4 columns, expected 5 as in the first line of part-0.csv", "part-0.csv", "narrow.csv")
    refused(1, "missing.csv: cannot open", "part-0.csv", "missing.csv", "part-1.csv")
    refused(2, "-: the standard input is a table of its own", "part-0.csv", "-")
    message = run("part-0.npy", "part-1.npy", "part-2.csv", code=1).stderr
    check("part-2.csv: expected an .npy or .npz file as part-0.npy" in message, "files of two kinds")
    npy("wide.npy", "<f4", "(1, 4)", struct.pack("<4f", 1, 2, 3, 4))
    npy("wide_labels.npy", "<i8", "(1,)", struct.pack("<q", 1))
    message = run("part-0.npy", "wide.npy", code=1).stderr
    check("wide.npy: 4 features, expected 3 as in part-0.npy" in message, "arrays of two widths")
    npy("named.npy", "<f4", "(1, 3)", struct.pack("<3f", 1, 2, 3))
    npy("named_labels.npy", "|S3", "(1,)", b"ant")
    message = run("part-0.npy", "named.npy", code=1).stderr
    check("named_labels.npy: labels: labels that are text, expected whole numbers as before" in message, "two kinds of labels")
    for k in range(2):
        write_csv(f"counted-{k}.csv", [[str(i)] + row[1:] for i, row in enumerate(rows[20 * k:20 * k + 20])])
    refused(1, "column 1 (a) only counts the rows", "counted-0.csv", "counted-1.csv")


def check_ranks():
    wanted = results("all.npy", "all_labels.npy", "-o", "all.out.npy", "--cross-validate", "7")
    for ranks in (2, 3):
        found = results(*parts("part", "npy"), "-o", "ranks.out.npy", "--cross-validate", "7", ranks=ranks)
        check(distance(wanted, found) < 1e-12, f"arrays: the results of one process: {ranks} ranks")
        found = results("all.npy", "--cross-validate", "7", ranks=ranks)
        check(distance(wanted, found) < 1e-12, f"rows of one array: {ranks} ranks")
    with zipfile.ZipFile("all.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write("all.npy", "x.npy")
        archive.write("all_labels.npy", "y.npy")
    check(distance(wanted, results("all.npz", "--cross-validate", "7", ranks=3)) < 1e-12, "rows of one compressed array")
    pathlib.Path("all.csv.gz").write_bytes(gzip.compress(pathlib.Path("all.csv").read_bytes()))
    check(distance(results("all.csv", *CASES[0]), results("all.csv.gz", *CASES[0], ranks=3)) < 1e-12, "rows of gzip")
    for case in CASES:
        wanted = results("all.csv", *case, "-o", "all.out.csv")
        found = results(*parts("part"), *case, "-o", "ranks.out.csv", "--save", "ranks.lda", ranks=3)
        check(distance(wanted, found) < 1e-12, f"the results of one process: {distance(wanted, found)} {case}")
        check(len(pathlib.Path("ranks.out.csv").read_text().splitlines()) == wanted["rows"] + 1, "all rows are projected")
        found = results("part-0.csv", "part-1.csv", *case, ranks=3)
        check(distance(results("part-0.csv", "part-1.csv", *case), found) < 1e-12, f"fewer files than ranks: {case}")
    message = run("part-0.csv", "part-1.csv", "missing.csv", *CASES[0], ranks=3, code=1).stderr
    check("rank 2: missing.csv: cannot open" in message, f"a missing file: {message.strip()}")
    message = run("part-0.csv", "bad.csv", *CASES[2], ranks=2, code=1).stderr
    check("rank 1: bad.csv: line 7, column 4 (c): found 'x'" in message, "a bad row")
    for name, mark in ("point", "."), ("comma", ","):
        pathlib.Path(name + ".csv").write_text("a;b;kind\n" + "".join(f"1{mark}{i}{i * i};{i % 3};k{i % 2}\n" for i in range(20)))
    for ranks in (0, 2):
        message = run("point.csv", "comma.csv", ranks=ranks, code=1).stderr
        check("found numbers with a decimal comma and numbers with a point" in message, "two decimal marks")
    message = run("all.csv", "--apply", "all.lda", ranks=2, code=2).stderr
    check("--mpi and --apply" in message, "--apply takes no ranks")
    message = run("all.csv", *CASES[0], "-o", "nowhere/z.csv", ranks=2, code=1).stderr
    check("nowhere/z.csv" in message, "an output that cannot be written")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    table = write_tables()
    check_one_process()
    check_refusals(table)
    if shutil.which("mpirun") and any(pathlib.Path(program).resolve().parents[1].joinpath("mpi").glob("libdeeplda_mpi.so*")):
        check_ranks()
    else:
        print("skip  ranks: no mpirun, or a build without MPI")
    os.chdir("/")
print(f"{failures} checks failed" if failures else "all checks passed")
sys.exit(failures > 0)
