#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/run.py --against: a row for each chosen case; mistakes are named. Not about how fast anything is.

    against.py PROGRAM
"""
import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
program = os.path.abspath(sys.argv[1])
build = os.path.dirname(os.path.dirname(program))


def bench(*words):
    return subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "bench", "run.py"), "--build", build, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def refused(says, *words):
    done = bench("--quick", *words)
    assert done.returncode == 2 and says in done.stderr, (done.returncode, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    done = bench("--quick", "--against", program, "--cases", "step:mlp:8,infer:mlp:8,infer:mlp:1,start:mlp:1", "--rounds", "3",
                 "--output", folder)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(folder, "against.csv")) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert [row["case"] for row in rows] == ["step:mlp:8", "infer:mlp:8", "infer:mlp:1", "start:mlp:1"], rows
    for row in rows:
        assert row["case"] in done.stdout
        assert float(row["old"]) > 0 and float(row["new"]) > 0 and row["rounds"] == "3", row
        assert 0 < float(row["lowest"]) <= float(row["ratio"]) <= float(row["highest"]), row
    assert float(rows[0]["forward"]) > 0 and rows[1]["forward"] == "" and float(rows[0]["memory"]) > 0, rows

    # A program without --paced, as an older build: its error is not mistaken for a figure.
    done = bench("--quick", "--against", "/bin/false", "--cases", "step:mlp:8")
    assert done.returncode == 1 and "/bin/false cannot bench --paced" in done.stderr, done.stderr

refused("there is no such program", "--against", "no-such-program")
refused("expected KIND:NET:IMAGES", "--against", program, "--cases", "steps")
refused("expected KIND:NET:IMAGES", "--against", program, "--cases", "step:mnist:0")
refused("no case", "--against", program, "--cases", "step:mlp")
print("ok")
