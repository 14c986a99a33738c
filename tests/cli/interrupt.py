#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""interrupt.py - starts a long training, sends it a signal, and checks what it leaves.

    interrupt.py PROGRAM DATA FOLDER INT|TERM [early]

The signal comes after the first epochs; with "early" within the first one, which is to be a long one.
"""
import os
import signal
import subprocess
import sys

program, data, folder, which = sys.argv[1:5]
early = sys.argv[5:] == ["early"]
batch, lines = ("20", 2) if early else ("60", 4)
number = {"INT": signal.SIGINT, "TERM": signal.SIGTERM}[which]
signal.signal(number, signal.SIG_DFL)  # a shell may have us ignore it, and children inherit that

process = subprocess.Popen(
    [program, "train", data, "--no-presets", "--net", "mlp", "--batch", batch, "--epochs", "1000000", "--threads", "1", "-o", folder],
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
said = [process.stderr.readline() for _ in range(lines)]
process.send_signal(number)
try:
    output, rest = process.communicate(timeout=60)
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("it did not stop")
rest = "".join(said) + rest

assert process.returncode == 128 + number, (process.returncode, rest)
if early:
    assert "Stopped before the first epoch" in rest, rest
    assert sorted(os.listdir(folder)) == ["checkpoint-previous.safetensors", "checkpoint.safetensors", "options.json",
                                          "run.json"], os.listdir(folder)
    sys.exit(0)
assert "Stopped after" in rest, rest
assert "test accuracy" in output and "model.safetensors" in output, output
assert os.path.exists(os.path.join(folder, "model.safetensors"))
assert not [name for name in os.listdir(folder) if ".tmp" in name]
