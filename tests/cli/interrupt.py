#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""interrupt.py - starts a long training, sends it a signal after its first epochs, and checks what it leaves.

    interrupt.py PROGRAM DATA FOLDER INT|TERM
"""
import os
import signal
import subprocess
import sys

program, data, folder, which = sys.argv[1:5]
number = {"INT": signal.SIGINT, "TERM": signal.SIGTERM}[which]
signal.signal(number, signal.SIG_DFL)  # a shell may have us ignore it, and children inherit that

process = subprocess.Popen(
    [program, "train", data, "--net", "mlp", "--batch", "60", "--epochs", "1000000", "--threads", "1", "-o", folder],
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
said = [line for line, _ in zip(iter(process.stderr.readline, ""), range(4))]
process.send_signal(number)
try:
    output, rest = process.communicate(timeout=60)
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("it did not stop")
rest = "".join(said) + rest

assert process.returncode == 128 + number, (process.returncode, rest)
assert "Stopped after" in rest, rest
assert "test accuracy" in output and "model.safetensors" in output, output
assert os.path.exists(os.path.join(folder, "model.safetensors"))
assert not [name for name in os.listdir(folder) if ".tmp" in name]
