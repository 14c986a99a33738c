#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files and names that attack who reads them: terminal sequences, NUL in lists, small files that ask for much memory.

    hostile.py PROGRAM
"""
import gzip
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds; whatever takes longer has failed
SLOW = 5 if "asan" in PROGRAM else 1  # sanitizers need more of both
MEMORY, SECONDS = (512 << 20) * SLOW, 3 * SLOW
FAILED = []

# An escape sequence, its form with one control character of two bytes (U+009B), DEL, and a mark that reverses writing.
EVIL = "\x1b[31m\u009b31m\x7f\u202e"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]")
# In names also a title of the window, a bell, other marks of direction, and ends of lines; in names of files, bytes that are
# not UTF-8.
NAME = EVIL + "\x1b]0;title\x07\u061c\u200f\u2028x\r"
BYTES = os.fsdecode(b"\xff\x9b2J")


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def run(arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=PATIENCE, **more)


def run_at_terminal(arguments):
    """What the program writes to a terminal, and its exit code."""
    ours, its = pty.openpty()
    environment = dict(os.environ, TERM="dumb", NO_COLOR="1")
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=environment)
    os.close(its)
    seen = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # nobody has the other end open
            break
        if not data:
            break
        seen += data
    os.close(ours)
    return seen.replace(b"\r\n", b"\n"), process.wait(PATIENCE)


def check_clean(output, what, says=None):
    text = output.decode("utf-8", "surrogateescape")
    found = sorted({f"U+{ord(c):04X}" for c in CONTROLS.findall(text)} | {repr(c) for c in text if 0xDC80 <= ord(c) <= 0xDCFF})
    check(not found and (says is None or says in text), f"{what}: nothing for a terminal to execute {found or ''}: {text[:100]!r}")


def safetensors(metadata, tensors=b"", extra=None):
    header = json.dumps({"__metadata__": metadata, **(extra or {})}).encode()
    return struct.pack("<Q", len(header)) + header + tensors


def npy(header):
    text = header.encode("latin-1", "replace") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def test_messages():
    cases = [
        ["info", write("a.npy", npy("{'descr': '\x1b[31m\x9b', 'fortran_order': False, 'shape': (3,), }"))],
        ["info", write("a.net", f"input 28 28 1\nconv {EVIL}\n")],
        ["info", write("b.net", f"{EVIL} 28 28 1\n")],
        ["info", write("c.safetensors", safetensors({"deeplda_checkpoint": EVIL}))],
        ["info", write("m.safetensors", safetensors({"deeplda_format": EVIL}))],
        ["info", write("o.safetensors", safetensors({EVIL: EVIL}, extra={EVIL: {EVIL: 1}}))],
        ["info", "nothing" + EVIL],
        ["train", write("t.csv", f"a,b,label\n1,{EVIL},x\n2,3,y\n"), "--label", "label"],
        ["train", "t.csv", "--label", EVIL],
        ["lda", write("u.csv", f"a,{EVIL},label\n1,2,x\n2,,y\n")],
        ["predict", "c.safetensors", "x" + EVIL],
        ["predict", "nowhere", b"\x9b31m\xff"],
        [EVIL],
        ["train", "--" + EVIL],
    ]
    for arguments in cases:
        end = run(arguments)
        check(end.returncode in (1, 2) and end.stderr, f"refused with a message: {arguments[0]!r}")
        check_clean(end.stdout + end.stderr, f"{arguments!r}")


def make_table(path, classes, columns):
    with open(path, "w") as table:
        table.write(",".join([*columns, "label"]) + "\n")
        for i in range(120):
            kind = i % len(classes)
            table.write(f"{kind + i * 7 % 13 / 10},{i % 3 + kind * 2 + i * 5 % 11 / 10},{classes[kind]}\n")


def test_tables():
    make_table("evil.csv", ["x" + EVIL, "y\u009b2J"], ["a" + EVIL, "b"])
    make_table("plain.csv", ["x", "y"], ["a", "b"])
    end = run(["lda", "evil.csv", "--save", "evil.lda"])
    check(end.returncode == 0, "an LDA of evil names")
    check_clean(end.stdout + end.stderr, "lda: tables")
    end = run(["train", "evil.csv", "--epochs", "2", "-o", "evil", "--quiet"])
    check(end.returncode == 0, f"a training with evil names: {end.stderr[-200:]}")
    check_clean(end.stdout + end.stderr, "train: tables")
    for arguments in (["info", "evil"], ["info", "evil.lda"], ["info", "evil.csv"], ["eval", "evil", "evil.csv"],
                      ["data", "check", "evil.csv"], ["info", "evil/checkpoint.safetensors"]):
        end = run(arguments)
        check(end.returncode == 0, f"{' '.join(arguments)} succeeds: {end.stderr[-200:]}")
        check_clean(end.stdout + end.stderr, " ".join(arguments))
    at_terminal(["predict", "evil", "evil.csv"])
    at_terminal(["predict", "evil", "evil.csv", "--json"])
    at_terminal(["predict", "evil.lda", "plain.csv"], code=1)
    piped = run(["predict", "evil", "evil.csv"]).stdout.decode()
    check("x" + EVIL in piped, "programs get the names as they are")
    lines = run(["predict", "evil", "evil.csv", "--json"]).stdout
    check_clean(lines, "JSON escapes them")
    check(json.loads(lines.splitlines()[0])["class"] in ("x" + EVIL, "y\u009b2J"), "and they are the same when it is read")


def at_terminal(arguments, code=0):
    """The program's output at a terminal is clean, and its exit code is as expected."""
    output, ended = run_at_terminal(arguments)
    what = "at a terminal: " + " ".join(arguments)
    check(ended == code, f"{what!r}: exit {ended}, expected {code}: {output[-300:]!r}")
    check_clean(output, repr(what))
    return output.decode("utf-8", "replace")


def make_pictures(folder):
    """Pictures of two hostile classes in a folder."""
    run(["data", "convert", "digits", "--to", "png", "-o", "sample"])
    for digit in "01":
        shutil.copytree(f"sample/test/{digit}", os.path.join(folder, digit + NAME))
    return folder


def words_to_copy(output):
    """The words of commands in the output that have escapes, as a shell reads them."""
    words = set(re.findall(r"\$'(?:[^'\\]|\\.)*'", output))
    return {os.fsdecode(subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout) for word in words}


def test_every_command():
    """Hostile names of every file and folder that a command reads or writes."""
    photos, model = make_pictures("photos" + NAME), "run" + NAME + BYTES
    small = ["--net", "mlp", "--batch", "60", "--threads", "1"]
    at_terminal(["train", photos, "--epochs", "2", "-o", model, *small])
    at_terminal(["train", photos, "--epochs", "1", "-o", model], code=1)
    at_terminal(["train", "--resume", model])
    at_terminal(["train", "--resume", model, "--epochs", "3", "--json"])
    at_terminal(["eval", model, "--mistakes", "5", "--answers", "answers" + NAME + ".csv"])
    at_terminal(["eval", model, photos, "--svm", "--train-data", photos])
    at_terminal(["eval", model, "--compare", model])
    at_terminal(["eval", model, "--compare", "answers" + NAME + ".csv"])
    at_terminal(["predict", model, photos, "--truth"])
    at_terminal(["predict", model, "none" + NAME], code=1)
    at_terminal(["embed", model, "-o", "F" + NAME + ".npy"])
    at_terminal(["embed", model, "-o", "F" + NAME + ".csv"])
    at_terminal(["lda", "F" + NAME + ".csv", "--save", "s" + NAME, "-o", "p" + NAME + ".csv"])
    at_terminal(["lda", "--apply", "s" + NAME, "F" + NAME + ".csv", "-o", "q" + NAME + ".csv"])
    at_terminal(["predict", "s" + NAME, "F" + NAME + ".csv"])
    at_terminal(["export", model, "-o", "m" + NAME + ".onnx"])
    at_terminal(["refit", model, "--add-class", "new" + NAME,
                 os.path.join(photos, "0" + NAME), "-o", "n" + NAME])
    for path in (model, photos, "m" + NAME + ".onnx", "s" + NAME, "F" + NAME + ".npy", model + "/checkpoint.safetensors"):
        at_terminal(["info", path])
        at_terminal(["info", path, "--json"])
    at_terminal(["report", model])
    at_terminal(["report", model, "-o", "page" + NAME, "--json"])
    at_terminal(["report", model, "none" + NAME], code=1)
    at_terminal(["data", "check", photos])
    at_terminal(["data", "convert", photos, "-o", "idx" + NAME])
    at_terminal(["data", "convert", photos, "-o", "idx" + NAME], code=1)
    at_terminal(["data", "convert", photos, "--to", "png", "-o", "png" + NAME])
    at_terminal(["data", "show", photos, "-o", "sheet" + NAME + ".png"])
    at_terminal(["bench", "--net", NAME], code=2)
    at_terminal(["completion", NAME], code=2)
    at_terminal(["reproduce", NAME], code=2)


def poison(path, change):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    change(content)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)


def test_records():
    """Texts in the records of `reproduce`, and the name of its folder."""
    root = "root" + NAME + BYTES
    arguments = ["reproduce", "mnist-50k", "--data", "sample", "--net", "mlp", "--epochs", "1", "--rows", "deeplda", "-o", root]
    at_terminal([*arguments, "--list"])
    words = words_to_copy(at_terminal(arguments))
    check(any(os.path.isdir(word) and root in word for word in words), f"commands to copy name the folders: {words!r}")
    record = os.path.join(root, "mnist-50k/seed1/deeplda-training.json")
    poison(record, lambda content: content.update(command=content["command"] + EVIL, deviations=["other" + EVIL]))
    write("victim", "mine")
    for name in ("table.md", "table.csv", "table.json", "pairs.csv"):
        os.unlink(os.path.join(root, name))
        os.symlink("../victim", os.path.join(root, name))
    check("other" in at_terminal(arguments), "the record is printed")
    check(open("victim").read() == "mine" and not os.path.islink(os.path.join(root, "table.md")), "links in the folder are replaced, not followed")
    at_terminal([*arguments, "--json"])
    at_terminal([*arguments, "--list"])
    poison(record, lambda content: (content.update(source="set" + EVIL, complete=False), content["settings"].update({"rate": "7" + EVIL})))
    check("there: data set?" in at_terminal(arguments, code=1), "the difference is a line of its own")


def test_lists():
    run(["train", "digits", "--subset", "300", "--batch", "100", "--epochs", "1", "-o", "run", "--quiet"])
    run(["data", "convert", "digits", "--to", "png", "-o", "pictures"])
    folder = sorted(os.listdir("pictures/test"))[0]
    picture = os.path.join("pictures/test", folder, sorted(os.listdir(os.path.join("pictures/test", folder)))[0])
    line = "pictures/two\nlines.png"
    os.link(picture, line)
    end = run(["predict", "run", "--list"], input=f"{picture}\0{picture}\n{picture}\n".encode())
    check(end.returncode == 1 and b"a NUL byte after" in end.stderr and len(end.stdout.splitlines()) == 2,
          f"--list refuses NUL and goes on: {end.stderr!r}")
    end = run(["predict", "run", "--list", "-0"], input=f"{picture}\0{line}\0{picture}".encode())
    check(end.returncode == 0 and len(end.stdout.splitlines()) == 5, f"--null: names may have two lines: {end.stdout[-300:]!r}")
    folder = os.open(".", os.O_RDONLY)  # cannot be read like a file
    end = run(["predict", "run", "--list"], stdin=folder)
    os.close(folder)
    check(end.returncode == 1 and b"cannot read the list of files" in end.stderr, f"--list that cannot be read: {end.stderr!r}")
    end = run(["predict", "run", picture, "--null"])
    check(end.returncode == 2, "--null without --list is refused")



def peak_of(arguments):
    """Exit code, messages, processor seconds, and the largest resident size in bytes."""
    with open("out", "wb") as out, open("err", "wb") as err:
        process = subprocess.Popen([PROGRAM, *arguments], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, open("err", "rb").read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def field(number, data):
    size, varint = len(data), b""
    while True:
        varint += bytes([size & 127 | (128 if size > 127 else 0)])
        size >>= 7
        if not size:
            return bytes([number << 3 | 2]) + varint + data


def onnx(graph, rest=b""):
    return b"\x08\x07" + field(8, b"\x10\x0d") + rest + field(7, graph)


def write_onnx_files():
    """Each of them has much that is small in a file and large in memory."""
    write("nodes.onnx", onnx(field(1, b"") * 5000000))
    write("dims.onnx", onnx(field(5, b"\x08\x01" * 15000000)))
    write("packed.onnx", onnx(field(5, field(1, b"\x01" * 80000000))))
    write("unknown.onnx", onnx(b"", b"\xb8\x3e\x01" * 10000000))


def write_headers():
    header = b"{" + b",".join(b'"%x":0' % i for i in range(3000000)) + b"}"
    write("header.safetensors", struct.pack("<Q", len(header)) + header)
    keys = b'{"__metadata__":{' + b",".join(b'"k%d":""' % i for i in range(1000000)) + b"}}"
    write("keys.safetensors", struct.pack("<Q", len(keys)) + keys)
    text = '{"__metadata__":{"deeplda_format":"1","network":"x","options":"{}","classes":"' + "[0," + "0," * 15000000 + '0]"}}'
    write("classes.safetensors", struct.pack("<Q", len(text)) + text.encode())


def write_tables():
    names, ones = b",".join(b"c%d" % i for i in range(1000000)), b",".join([b"1"] * 1000000)
    write("columns.csv", names + b"\n" + ones + b"\n" + ones + b"\n")
    with gzip.open("line.csv.gz", "wb", 1) as file:
        for i in range(5):
            file.write(b",".join(b"column%d%d" % (i, j) for j in range(1000000)) + b",")
        file.write(b"label\n" + b"1," * 5000000 + b"x\n")
    with gzip.open("rows.csv.gz", "wb", 1) as file:
        for _ in range(100):
            file.write(b"7,a\n8,b\n" * 200000)


def write_arrays():
    """Fifty million images of one pixel."""
    count, pixels = 50000000, b"\0" * 50000000
    with zipfile.ZipFile("pixels.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, shape in (("x.npy", f"({count}, 1, 1)"), ("y.npy", f"({count},)")):
            file.writestr(name, npy(f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}") + pixels)
    for name, start in (("images-idx3", struct.pack(">IIII", 0x803, count, 1, 1)), ("labels-idx1", struct.pack(">II", 0x801, count))):
        write(f"pixels-{name}-ubyte.gz", gzip.compress(start + pixels, 1))


def in_child(function):
    """Calls a function in a process of its own: the memory that it takes would count as that of programs started later."""
    child = os.fork()
    if child == 0:
        function()
        os._exit(0)
    check(os.waitpid(child, 0)[1] == 0, function.__name__)


def test_memory():
    for function in (write_onnx_files, write_headers, write_tables, write_arrays):
        in_child(function)
    cases = [(["info"], name, words) for name, words in (
        ("nodes.onnx", b"bytes of memory"), ("dims.onnx", b"bytes of memory"), ("packed.onnx", b"bytes of memory"),
        ("unknown.onnx", b"bytes of memory"), ("header.safetensors", b"too many values"), ("keys.safetensors", b"too many values"),
        ("classes.safetensors", b"values in JSON"), ("columns.csv", b"line 1 has 1000000 columns, expected at most 262144"),
        ("line.csv.gz", b"line 1 has more than 33554432 bytes"), ("rows.csv.gz", b"more than 268435456 bytes"),
        ("pixels.npz", b"takes more than"), ("pixels-images-idx3-ubyte.gz", b"takes more than"))]
    cases += [(["lda"], "columns.csv", b"1000000 columns"), (["lda"], "line.csv.gz", b"33554432 bytes"),
              (["data", "check"], "columns.csv", b"1000000 columns"), (["predict", "run"], "pixels.npz", b"option --most-bytes allows more")]
    for command, name, words in cases:
        code, message, seconds, peak = peak_of([*command, name])
        check(code == 1 and words in message and peak < MEMORY and seconds < SECONDS,
              f"{' '.join(command)} {name}, {os.path.getsize(name) >> 10} kB: {seconds:.2f} s, {peak >> 20} MB, {message[:120]!r}")


def main():
    with tempfile.TemporaryDirectory(prefix="deeplda-hostile-") as folder:
        os.chdir(folder)
        test_messages()
        test_tables()
        test_every_command()
        test_records()
        test_lists()
        test_memory()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
