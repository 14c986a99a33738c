#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A service under load: thousands of requests, half of them hostile, answered by one process.

    soak.py PROGRAM SERVICE ATTACKS [--requests N]

`PROGRAM predict MODEL --list` gets N names, one after the other, and examples/service gets the same in four threads. Every
answer must be what a fresh process answers to that file alone. Memory and the number of open files must not grow: what they
are in the second half of the requests is compared with the first half, without its first fifth.
"""
import argparse
import gzip
import os
import random
import re
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

PATIENCE = 120  # seconds without an answer
MEMORY = 1 << 18  # bytes that the second half may need more: 15 bytes per request of an hour's load
THREADS = 4
FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


# ---- Files ----

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(height, width, rows):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def digit(rng):
    """A thick line on black, 28 x 28."""
    x, slope = rng.uniform(8, 20), rng.uniform(-0.5, 0.5)
    return png(28, 28, b"".join(b"\0" + bytes(255 if 3 < y < 25 and abs(j - x - slope * (y - 14)) < 2 else 0 for j in range(28))
                                for y in range(28)))


def damaged(picture, rng):
    """A few bytes changed, or the end missing."""
    data = bytearray(picture)
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(8, len(data))] = rng.randrange(256)
    return bytes(data[:rng.randrange(1, len(data))] if rng.random() < 0.3 else data)


def put(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def make_good(rng):
    return [put(f"good{i}.png", digit(rng)) for i in range(8)]


def make_hostile(rng, good, attacks):
    """Files that cannot be used, and files that may or may not be."""
    first = open(good[0], "rb").read()
    names = ["missing.png", "/dev/zero", "loop", "x" * 300, "empty-folder", put("\x1b[31mred\u202e.png", b"no picture")]
    names.append(put("two\nlines.png", first))
    os.symlink("loop", "loop")
    os.mkdir("empty-folder")
    names.append(put("empty.png", b""))
    names.append(put("other.png", png(16, 16, bytes(17 * 16))))
    names.append(put("large.png", png(60000, 60000, bytes(1000))))
    names.append(put("longer.png", png(28, 28, bytes(1 << 24))))  # far more rows than its header says
    names.append(put("lies.npy", b"\x93NUMPY\1\0\x76\0" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 784), }"
                     .ljust(117) + b"\n" + bytes(64)))
    names.append(put("lies.idx", b"\0\0\x08\3\xff\xff\xff\xff\0\0\0\x1c\0\0\0\x1c"))
    names.append(put("zeros.gz", gzip.compress(bytes(1 << 24))))
    names.append(put("quote.csv", b'"never closed\n' * 1000))
    names.append(put("bomb.jpg", gzip.decompress(gzip.decompress(open(os.path.join(attacks, "bomb.jpg.gz.gz"), "rb").read()))))
    names += [put(f"damaged{i}.png", damaged(first, rng)) for i in range(20)]
    return names


# ---- Measuring ----

def state_of(process):
    """Bytes of memory that are not of files, and the number of open files; None when the process has ended."""
    try:
        status = open(f"/proc/{process}/status").read()
        return int(re.search(r"RssAnon:\s*(\d+)", status).group(1)) << 10, len(os.listdir(f"/proc/{process}/fd"))
    except (OSError, AttributeError):
        return None


def judge(what, states, at_once=0):
    """The first fifth warms up: buffers reach their size. `at_once` files may be open at the moment of measuring."""
    states = states[len(states) // 5:]
    halves = states[:len(states) // 2], states[len(states) // 2:]
    memory, files = ([max(state[i] for state in half) for half in halves] for i in (0, 1))
    check(memory[1] < memory[0] + MEMORY, f"{what}: memory {memory[0] / 1e6:.2f} MB, then {memory[1] / 1e6:.2f} MB")
    check(files[1] <= files[0] + at_once, f"{what}: {files[0]} open files, then {files[1]}")


# ---- deeplda predict --list ----

def alone(program, name):
    """What a fresh process prints for a file: its lines on both streams, without the header of the table."""
    end = subprocess.run([program, "predict", "model", "--threads", "1", "--", name], capture_output=True, timeout=PATIENCE)
    return end.stdout.split(b"\n", 1)[-1], end.stderr


def receive(streams, lengths):
    """As many bytes as expected on each stream, or what came until PATIENCE was over."""
    got = [b"", b""]
    while any(len(g) < n for g, n in zip(got, lengths)):
        ready = select.select(streams, [], [], PATIENCE)[0]
        parts = [os.read(stream.fileno(), 65536) if stream in ready else b"" for stream in streams]
        got = [g + part for g, part in zip(got, parts)]
        if not any(parts):
            break
    return tuple(got)


def soak_list(program, requests, expected):
    arguments = [program, "predict", "model", "--threads", "1", "--list", "--null"]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    streams, states, wrong, header = (process.stdout, process.stderr), [], [], True
    for i, name in enumerate(requests):
        want = expected[name]
        process.stdin.write(os.fsencode(name) + b"\0")
        if header and want[0]:
            header = False
            process.stdout.readline()
        got = receive(streams, [len(text) for text in want])
        if got != want:
            wrong.append((name, got))
            break
        if i % max(1, len(requests) // 100) == 0:
            states.append(state_of(process.pid))
    check(not wrong, f"predict --list: {len(requests)} answers are those of fresh processes {wrong or ''}")
    process.stdin.close()
    check(receive(streams, (1, 1)) == (b"", b"") and process.wait(PATIENCE) == 1, "predict --list: ends quietly, exit status 1")
    judge("predict --list", states)


# ---- examples/service ----

def serve(service, threads, names, watch=None):
    """The lines on both streams."""
    process = subprocess.Popen([service, "model/model.safetensors", str(threads), *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    watcher = threading.Thread(target=watch or (lambda pid: None), args=(process.pid,))
    watcher.start()
    out, said = process.communicate(timeout=PATIENCE + len(names))
    watcher.join()
    return out, said


def soak_service(service, requests, expected):
    states = []

    def watch(pid):
        while (state := state_of(pid)) and state[0]:
            states.append(state)
            time.sleep(0.005)

    out, said = serve(service, THREADS, requests, watch)
    wanted = [expected[name] for name in requests]
    check(out == b"".join(w[0] for w in wanted) and said == b"".join(w[1] for w in wanted),
          f"service: {len(requests)} answers in {THREADS} threads are those of fresh processes")
    if len(states) >= 20:  # a few hundred requests may be answered before that
        judge("service", states, THREADS)


def choose(rng, count, good, hostile):
    return [rng.choice(good if rng.random() < 0.5 else hostile) for _ in range(count)]


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "service", "attacks"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--requests", type=int, default=36000)
    words = parser.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="deeplda-soak-") as folder:
        os.chdir(folder)
        subprocess.run([words.program, "train", "digits", "--subset", "300", "--batch", "100", "--epochs", "1", "-o", "model", "-q"],
                       stdout=subprocess.DEVNULL, check=True)
        good = make_good(rng)
        hostile = make_hostile(rng, good, words.attacks)
        os.mkfifo("pipe")  # nobody writes into it; the example reads names with fopen, which would wait
        begin = time.monotonic()
        requests = choose(rng, words.requests, good, hostile + ["pipe"])
        soak_list(words.program, requests, {name: alone(words.program, name) for name in set(requests)})
        requests = choose(rng, words.requests, good, hostile)
        soak_service(words.service, requests, {name: serve(words.service, 1, [name]) for name in set(requests)})
        print(f"{2 * words.requests} requests, {time.monotonic() - begin:.0f} s")
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
