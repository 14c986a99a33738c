#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains at a terminal (a pseudo-terminal of 100 columns): the bar, Ctrl-C once and twice, SIGTERM.

    terminal.py PROGRAM
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

PROGRAM = os.path.abspath(sys.argv[1])
NET = "input 28 28 1\nconv 8 3 stride 2\nconv 8 3 stride 2\nconv 10 3 stride 2\ngap\n"
COLUMNS = 120
FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


class Terminal:
    """A training with a terminal of its own."""

    def __init__(self, folder, *more):
        self.seen = b""
        self.process, self.side = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm"
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, COLUMNS, 0, 0))
            os.execv(PROGRAM, [PROGRAM, "train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100",
                               "--epochs", "100000", "-o", folder, *more])
        self.before = termios.tcgetattr(self.side)

    def read(self, seconds):
        """Reads what comes within that time; False at the end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.side], [], [], 0.05)
            if not ready:
                continue
            try:
                data = os.read(self.side, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.seen += data
        return True

    def wait_for(self, pattern, seconds=30):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text()):
            if time.monotonic() > end or not self.read(0.1):
                return re.search(pattern, self.text()) is not None
        return True

    def text(self):
        return self.seen.decode(errors="replace")

    def send(self, key):
        os.write(self.side, key)

    def end(self, seconds=30):
        """Exit code, or minus the signal that ended it."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and self.read(0.2):
            pass
        after = termios.tcgetattr(self.side) if sys.platform == "linux" else self.before
        check(after[:4] == self.before[:4], "the terminal's settings are as before")
        _, status = os.waitpid(self.process, 0)
        os.close(self.side)
        return os.waitstatus_to_exitcode(status)


def visible(text):
    """Lines as they stand on the screen: what a carriage return overwrote is gone."""
    text = re.sub(r"\x1b\[[0-9;]*K", "", text)
    return [line.rstrip("\r").split("\r")[-1] for line in text.split("\n")]


def test_bar_and_interrupt():
    training = Terminal("one")
    check(training.wait_for(r"epoch .*\[=*>? *\] \d+/\d+ .*images/s .*separation .*eigenvalues .* left"), "a bar is drawn")
    check(training.wait_for(r"\nepoch +2/100000 .*\n") or "epoch" in training.text(), "epochs leave a line each")
    bars = re.findall(r"\r(epoch[^\r\n\x1b]*)\x1b\[K", training.text())
    check(bars and max(map(len, bars)) < COLUMNS, "the bar fits the terminal")
    training.send(b"\x03")
    code = training.end()
    check(code == 130, f"Ctrl-C: exit code 130 (found {code})")
    lines = visible(training.text())
    check(any("stopping after this batch" in line for line in lines), "Ctrl-C: it says what it does")
    check(any(line.startswith("test accuracy") for line in lines), "Ctrl-C: the best model is tested")
    check(not any("images/s" in line and " left" in line for line in lines), "Ctrl-C: no bar is left on the screen")
    check(os.path.exists("one/checkpoint.safetensors") and os.path.exists("one/model.safetensors"), "Ctrl-C: it is saved")


def test_second_interrupt():
    training = Terminal("two")
    training.wait_for(r"\nepoch +1/100000 ")
    training.send(b"\x03\x03")
    code = training.end()
    check(code in (-signal.SIGINT, 130), f"Ctrl-C twice quits at once (found {code})")
    names = os.listdir("two")
    check("checkpoint.safetensors" in names, "Ctrl-C twice: the last checkpoint is there")


def test_term():
    training = Terminal("three")
    training.wait_for(r"\nepoch +1/100000 ")
    os.kill(training.process, signal.SIGTERM)
    code = training.end()
    check(code == 143, f"SIGTERM: exit code 143 (found {code})")


def main():
    with tempfile.TemporaryDirectory(prefix="deeplda-terminal-") as folder:
        os.chdir(folder)
        with open("small.net", "w") as file:
            file.write(NET)
        test_bar_and_interrupt()
        test_second_interrupt()
        test_term()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
