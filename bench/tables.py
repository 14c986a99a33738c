# SPDX-License-Identifier: MIT
"""Tables of results on standard output and in CSV files, and the machine that they were measured on."""
import csv
import json
import os
import platform
import subprocess
import time

from programs import DEBIAN, ROOT

HIDDEN = {"onnxruntime_version", "ours_seconds", "onednn_seconds", "gflop", "ours_base_bytes", "torch_base_bytes", "rounds",
          "machine_peak_gflops", "machine_gigabytes_per_second"}  # in the CSV files only


def first_line(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def debian_version(package):
    return package, first_line(["dpkg-query", "-W", "-f=${Version}\n", package])


def peer_version(python, package):
    return package, first_line([python, "-c", f"from importlib.metadata import version as v; print(v('{package}'))"])


def describe_machine(bench):
    """What the figures depend on, as (name, value)."""
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    commands = os.path.join(bench.build, "compile_commands.json")
    compiler = "cc"
    if os.path.exists(commands):
        compiler = next((word for word in json.load(open(commands))[0]["command"].split() if "ccache" not in word))
    return [("date", time.strftime("%Y-%m-%d")), ("cpu", cpu), ("cores", os.cpu_count()),
            ("threads", bench.threads), ("kernel", platform.release()),
            ("compiler", first_line([compiler, "--version"])), ("deeplda", first_line([bench.program, "--version"])),
            ("commit", first_line(["git", "-C", ROOT, "describe", "--always", "--dirty"])),
            ("kernels", bench.ours("mlp", 4, "inference")["kernels"]),
            *[debian_version(name) for name in ("libdnnl2", "libopenblas0-pthread")],
            *peer_versions(bench),
            ("load at the start", " ".join(f"{load:.2f}" for load in os.getloadavg()))]


def peer_versions(bench):
    if bench.peer == DEBIAN:
        return [debian_version(name) for name in ("python3-torch", "python3-sklearn")]
    return [peer_version(bench.peer, name) for name in ("torch", "onnxruntime", "scikit-learn")]


def print_table(rows):
    columns = [key for key in rows[0] if key not in HIDDEN]
    cells = [columns] + [[shown(key, row[key]) for key in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print_line(line, widths)


def print_rows(rows):
    """Prints each row of a generator as soon as it is there; gives all of them."""
    printed = []
    for row in rows:
        columns = [key for key in row if key not in HIDDEN]
        widths = [20] + [8] * (len(columns) - 1)
        if not printed:
            print_line(columns, widths)
        print_line([shown(key, row[key]) for key in columns], widths)
        printed.append(row)
    return printed


def print_line(cells, widths):
    print("  ".join(cell.rjust(width) for cell, width in zip(cells, widths)), flush=True)


def shown(key, value):
    return f"{value / 1e6:.0f} MB" if key.endswith("bytes") else str(value)


def write_csv(path, machine, rows):
    with open(path + ".tmp", "w", newline="") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in machine)
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".tmp", path)
