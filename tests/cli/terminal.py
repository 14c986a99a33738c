#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The program at a terminal (a pseudo-terminal of 120 columns): colours; the bar of a training, Ctrl-C once and twice, SIGTERM.

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
PATIENCE = 60  # seconds; whatever takes longer has failed
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
        """Reads what comes next, or nothing if nothing comes within that time; False at the end."""
        if select.select([self.side], [], [], seconds)[0]:
            try:
                data = os.read(self.side, 65536)
            except OSError:  # the other side is closed
                return False
            self.seen += data
            return bool(data)
        return True

    def wait_for(self, pattern):
        """True as soon as the pattern is on the screen; False if the time is over or the training ends without it."""
        end = time.monotonic() + PATIENCE
        alive = True
        while not re.search(pattern, self.text()):
            if not alive or time.monotonic() > end:
                return False
            alive = self.read(0.1)
        return True

    def wait_for_epoch(self, number):
        check(self.wait_for(rf"epoch +{number}/100000  separation [^\r\n]*\r\n"), f"epoch {number} ends")

    def text(self):
        return self.seen.decode(errors="replace")

    def send(self, key):
        os.write(self.side, key)

    def send_later(self, key, seconds):
        """The same while the training stands still for that time, so that it cannot end before."""
        os.kill(self.process, signal.SIGSTOP)
        time.sleep(seconds)
        self.send(key)
        os.kill(self.process, signal.SIGCONT)

    def end(self):
        """Exit code, or minus the signal that ended it."""
        limit = time.monotonic() + PATIENCE
        while self.read(0.1):
            if time.monotonic() > limit:
                check(False, "it ends in time")
                os.kill(self.process, signal.SIGKILL)
                break
        check(termios.tcgetattr(self.side)[:4] == self.before[:4], "the terminal's settings are as before")
        _, status = os.waitpid(self.process, 0)
        os.close(self.side)
        return os.waitstatus_to_exitcode(status)


def visible(text):
    """Lines as they stand on the screen, where a carriage return goes back and ESC [ K wipes the rest of the line."""
    lines = []
    for written in text.split("\n"):
        line, at = [], 0
        for token in re.findall(r"\x1b\[K|[^\x1b]", re.sub(r"\x1b\[[0-9;]*m", "", written)):
            if token == "\r":
                at = 0
            elif len(token) > 1:
                del line[at:]
            else:
                line[at:at + 1] = token
                at += 1
        lines.append("".join(line))
    return lines


def check_stopped(training, what):
    """It has stopped after a batch, as after the first Ctrl-C."""
    lines = visible(training.text().replace("^C", ""))  # the terminal's echo may stand before anything
    check(any("stopping after this batch" in line for line in lines), f"{what}: it says what it does")
    check(any(line.startswith("test accuracy") for line in lines), f"{what}: the best model is tested")
    check(not any("images/s" in line and line.endswith(" left") for line in lines), f"{what}: no bar is left on the screen")
    epochs = [int(number) for line in lines for number in re.findall(r"^epoch +(\d+)/100000  separation ", line)]
    check(epochs and epochs == list(range(1, len(epochs) + 1)), f"{what}: each epoch has left one line")


def test_bar_and_interrupt():
    training = Terminal("one")
    check(training.wait_for(r"epoch .*\[=*>? *\] \d+/\d+ .*images/s .*separation .*eigenvalues .* left"), "a bar is drawn")
    training.wait_for_epoch(2)
    bars = re.findall(r"\r(epoch[^\r\n\x1b]*)\x1b\[K", training.text())
    check(bars and max(map(len, bars)) < COLUMNS, "the bar fits the terminal")
    training.send(b"\x03")
    code = training.end()
    check(code == 130, f"Ctrl-C: exit code 130 (found {code})")
    check_stopped(training, "Ctrl-C")
    check(os.path.exists("one/checkpoint.safetensors") and os.path.exists("one/model.safetensors"), "Ctrl-C: it is saved")


def test_second_interrupt():
    """The program takes a second signal within 0.3 s for the first one's echo."""
    training = Terminal("echo")
    training.wait_for_epoch(1)
    training.send(b"\x03")
    time.sleep(0.05)
    training.send(b"\x03")
    code = training.end()
    check(code == 130, f"Ctrl-C twice within a moment counts once (found {code})")
    check_stopped(training, "Ctrl-C twice within a moment")

    training = Terminal("two", "--net", "mnist")  # whose batches are long enough to be caught in one
    training.wait_for_epoch(1)
    training.send(b"\x03")
    check(training.wait_for("stopping after this batch"), "Ctrl-C: it says what it does")
    training.send_later(b"\x03", 0.5)
    code = training.end()
    check(code == -signal.SIGINT, f"a second Ctrl-C quits at once (found {code})")
    check(not re.search("test accuracy", training.text()), "a second Ctrl-C: nothing is tested")
    check("checkpoint.safetensors" in os.listdir("two"), "a second Ctrl-C: the last checkpoint is there")


def test_term():
    training = Terminal("three")
    training.wait_for_epoch(1)
    os.kill(training.process, signal.SIGTERM)
    code = training.end()
    check(code == 143, f"SIGTERM: exit code 143 (found {code})")
    check_stopped(training, "SIGTERM")


# ---- Colours ----

BOLD, GREEN, RED, END = "\x1b[1m", "\x1b[1;32m", "\x1b[1;31m", "\x1b[0m"


def run(words, pipes=(), **variables):
    """Exit code and what a terminal shows; the descriptors in `pipes` are files instead, whose text is added."""
    files = {number: tempfile.TemporaryFile() for number in pipes}
    process, side = pty.fork()
    if process == 0:
        for name in ["NO_COLOR", "CLICOLOR_FORCE"]:
            os.environ.pop(name, None)
        os.environ.update({"TERM": "xterm", **variables})
        for number, file in files.items():
            os.dup2(file.fileno(), number)
        os.execv(PROGRAM, [PROGRAM, *words])
    shown = b""
    while True:
        try:
            data = os.read(side, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    _, status = os.waitpid(process, 0)
    os.close(side)
    for file in files.values():
        file.seek(0)
    return (os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n"),
            *[file.read().decode() for file in files.values()])


def test_colours():
    training = ["train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "--epochs", "2", "--force", "-o", "colour"]
    code, shown = run(training)
    check(code == 0 and f"  {GREEN}best{END}\n" in shown, "the best epoch is green")
    check(re.search(rf"^{re.escape(BOLD)}test accuracy [0-9.]+ %{re.escape(END)} \(95 %", shown, re.M), "the accuracy is bold")
    check(RED not in shown, "nothing of a training is red")
    check(shown.count("\x1b[1") == shown.count(END), "each colour ends")

    code, shown = run(["--help"])
    check(code == 0 and f"{BOLD}Commands:{END}\n" in shown and f"{BOLD}Usage:{END} deeplda" in shown, "headings of help are bold")
    check(all(f"{BOLD}{word}" in run(["train", "--help"])[1] for word in ["Options", "Presets", "Examples"]), "and of a command")
    code, shown = run(["eval", "nothing"])
    check(code == 1 and shown.startswith(f"{RED}deeplda eval:{END} nothing: "), "the prefix of an error is red")
    code, shown = run(["trian"])
    check(code == 2 and shown.startswith(f"{RED}deeplda:{END} unknown command"), "also of a mistake on the command line")


def test_no_colours():
    for variables in [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}]:
        for words in [["--help"], ["eval", "nothing"], ["eval", "colour"]]:
            check("\x1b" not in run(words, **variables)[1], f"no colour with {variables}: {' '.join(words)}")
    check(BOLD in run(["--help"], NO_COLOR="")[1], "an empty NO_COLOR does not count")
    for words in [["eval", "colour"], ["--help"], ["eval", "colour", "--json"]]:
        code, _, piped = run(words, pipes=[1])
        check(code == 0 and piped and "\x1b" not in piped, f"no colour in a file: {' '.join(words)}")
    code, shown, piped = run(["eval", "nothing"], pipes=[2])
    check(code == 1 and shown == "" and piped.startswith("deeplda eval: nothing"), "no colour in a file with messages")
    check("\x1b" not in run(["eval", "colour", "--json"])[1], "no colour in JSON, on a terminal either")
    events = run(["train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "--epochs", "1", "--json", "-o", "json"])[1]
    check('"event"' in events and "\x1b" not in events, "no colour in the events of a training")


def main():
    with tempfile.TemporaryDirectory(prefix="deeplda-terminal-") as folder:
        os.chdir(folder)
        with open("small.net", "w") as file:
            file.write(NET)
        test_colours()
        test_no_colours()
        test_bar_and_interrupt()
        test_second_interrupt()
        test_term()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
