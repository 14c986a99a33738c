#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""layers.py - who may include whom: the rules of docs/architecture.md, "Layers", on every #include of src/, cli/, mpi/ and
examples/. Tests may include anything and are not read.

    layers.py ROOT

Each rule is first tried on a made-up include that breaks it, so that this test cannot pass by seeing nothing.
"""
import fnmatch
import os
import re
import sys

# A folder of src/ may include folders of the lines above its own, and itself.
LAYERS = [
    ["base"],
    ["linalg"],
    ["kernels"],
    ["dataset", "network", "objective"],
    ["batch", "optimiser", "classify"],
    ["model"],
    ["onnx"],
    ["training"],
]
RANK = {folder: rank for rank, folders in enumerate(LAYERS) for folder in folders}

PUBLIC = ["deeplda.h", "deeplda_lda.h", "deeplda_comm.h", "deeplda_mpi.h"]

# What the program may include of src/, besides the public headers. The benchmark times single kernels.
PROGRAM = ["base"]
BENCH = ["base", "kernels", "network"]

# Header of a library: the files that may include it.
LIBRARIES = {
    "cblas.h": ["src/linalg/gemm.c"],
    "lapacke.h": ["src/linalg/eigen.c"],
    "pthread.h": ["src/base/thread.h", "src/linalg/gemm.c", "examples/service.c", "mpi/mpi_comm.c"],
    "mpi.h": ["mpi/mpi_comm.c"],
    "png.h": ["src/base/png_file.c", "src/dataset/read_png.c"],
    "jpeglib.h": ["src/dataset/read_jpeg.c"],
    "zlib.h": ["src/dataset/byte_flow.h", "src/training/checkpoint*.c", "src/base/comm.c"],
    "jansson.h": ["src/base/json.h", "src/model/*", "src/training/*", "cli/report/run_folder.h"],
    "linear.h": ["src/classify/linear_svm.c"],
    "archive.h": ["cli/data/unpack.c"],
    "archive_entry.h": ["cli/data/unpack.c"],
    "onnx.pb-c.h": ["src/onnx/*", "cli/info/onnx_file.c"],  # made by protobuf-c; it brings that library's own header
}

# The C library, POSIX, Linux and the compiler. A header that is neither here nor above is a library without a place.
SYSTEM = set("""
    assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdatomic.h stddef.h
    stdint.h stdio.h stdlib.h string.h time.h
    dirent.h dlfcn.h fcntl.h ftw.h langinfo.h poll.h sched.h strings.h unistd.h
    sys/file.h sys/ioctl.h sys/mman.h sys/prctl.h sys/stat.h sys/sysmacros.h sys/types.h sys/utsname.h sys/wait.h
    arm_neon.h immintrin.h
""".split())

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S.*))', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def includes_of(text):
    """(line, header, quoted) of each include; comments do not count."""
    text = COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    for found in INCLUDE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield line, found[1] or found[2] or found[3], found[1] is not None


def owner_of(file, header, exists):
    """Where the compiler finds a header of the tree: "deeplda.h", "cli", or a folder of src/; None if nowhere."""
    if header in PUBLIC:
        return "deeplda.h"
    beside = os.path.normpath(os.path.join(os.path.dirname(file), header))
    roots = ["cli", "src"] if file.startswith("cli/") else ["src"]
    for path in [beside] + [os.path.normpath(os.path.join(root, header)) for root in roots]:
        if exists(path):
            parts = path.split("/")
            return parts[1] if parts[0] == "src" else parts[0]
    return None


def broken_by_library(file, header):
    """The rule that an include of a library breaks; None if it breaks none."""
    if not any(fnmatch.fnmatchcase(file, place) for place in LIBRARIES[header]):
        return "a library is included at its own place only: " + ", ".join(LIBRARIES[header])
    return None


def broken_in_src(folder, owner):
    if folder not in RANK:
        return "src/%s has no place in the order of the layers" % folder
    if owner not in RANK:
        return "src/ never includes %s/" % owner
    if owner == folder or RANK[owner] < RANK[folder]:
        return None
    if RANK[owner] == RANK[folder]:
        return "%s and %s stand side by side and never include each other" % (folder, owner)
    return "%s stands below %s: %s" % (folder, owner, " < ".join("|".join(folders) for folders in LAYERS))


def broken_in_program(file, owner):
    allowed = BENCH if file.startswith("cli/bench/") else PROGRAM
    if owner == "cli" or owner in allowed:
        return None
    return "%s includes deeplda.h, cli/ and of src/ only %s" % (os.path.dirname(file), ", ".join(allowed))


def rule_broken(file, header, quoted, exists):
    """The rule that an include breaks, as a sentence; None if it breaks none."""
    if header in LIBRARIES:
        return broken_by_library(file, header)
    if not quoted and header not in PUBLIC:
        return None if header in SYSTEM else "neither a system header nor in the table of libraries"
    owner = owner_of(file, header, exists)
    top, folder = file.split("/")[0], file.split("/")[1]
    if owner is None:
        return "no such file in the tree"
    if owner == "deeplda.h":
        return None
    if top == "src":
        return broken_in_src(folder, owner)
    return broken_in_program(file, owner) if top == "cli" else "%s/ includes the public headers only" % top


def check(files, exists):
    """files: {path: text}. Gives the problems, and the places in the table of libraries that were used."""
    problems, placed = [], set()
    for file in sorted(files):
        for line, header, quoted in includes_of(files[file]):
            rule = rule_broken(file, header, quoted, exists)
            if header in LIBRARIES:
                placed |= {(header, place) for place in LIBRARIES[header] if fnmatch.fnmatchcase(file, place)}
            if rule:
                problems.append("%s:%d: includes %s: %s" % (file, line, header, rule))
    return problems, placed


# ---- Whether the rules can be broken ----

TREE = {"src/%s/x.h" % folder for folder in RANK} | {"cli/x.h", "cli/data/x.h", "cli/bench/x.h"}

# file, include, words of the rule it breaks; "" if it breaks none.
TRIALS = [
    ("src/base/a.c", '"linalg/x.h"', "base stands below linalg"),
    ("src/linalg/a.c", '"kernels/x.h"', "linalg stands below kernels"),
    ("src/kernels/reference/a.c", '"dataset/x.h"', "kernels stands below dataset"),
    ("src/objective/a.c", '"network/x.h"', "side by side"),
    ("src/network/a.h", '"dataset/x.h"', "side by side"),
    ("src/network/a.c", '"../dataset/x.h"', "side by side"),
    ("src/dataset/a.c", '"objective/x.h"', "side by side"),
    ("src/batch/a.c", '"classify/x.h"', "side by side"),
    ("src/dataset/a.c", '"batch/x.h"', "dataset stands below batch"),
    ("src/classify/a.c", '"model/x.h"', "classify stands below model"),
    ("src/model/a.c", '"onnx/x.h"', "model stands below onnx"),
    ("src/onnx/a.c", '"training/x.h"', "onnx stands below training"),
    ("src/training/a.c", '"../../cli/x.h"', "src/ never includes cli/"),
    ("src/report/a.c", '"base/x.h"', "has no place"),
    ("src/model/a.c", '"model/missing.h"', "no such file"),
    ("src/model/a.c", "MODEL_HEADER", "neither a system header"),
    ("src/training/a.c", '"onnx/x.h"', ""),
    ("src/onnx/a.c", '"onnx.pb-c.h"', ""),
    ("src/base/a.h", '"deeplda.h"', ""),
    ("cli/a.c", '"dataset/x.h"', "only base"),
    ("cli/data/a.c", '"../../src/model/x.h"', "only base"),
    ("cli/data/a.c", '"kernels/x.h"', "only base"),
    ("cli/bench/a.c", '"training/x.h"', "only base, kernels, network"),
    ("cli/bench/a.c", '"linalg/x.h"', "only base, kernels, network"),
    ("cli/bench/a.c", '"kernels/x.h"', ""),
    ("cli/data/a.c", '"data/x.h"', ""),
    ("cli/data/a.c", '"base/x.h"', ""),
    ("examples/a.c", '"base/x.h"', "examples/ includes the public headers only"),
    ("examples/a.c", '"../src/base/x.h"', "examples/ includes the public headers only"),
    ("examples/a.c", '"../cli/x.h"', "examples/ includes the public headers only"),
    ("mpi/a.c", '"base/x.h"', "mpi/ includes the public headers only"),
    ("examples/a.c", "<deeplda.h>", ""),
    ("cli/a.c", "<stdio.h>", ""),
    ("src/base/a.c", "<curl/curl.h>", "neither a system header"),
] + [("src/network/a.c", "<%s>" % header, "at its own place only") for header in LIBRARIES]


def try_rules():
    """Each trial alone, as a small file: the rule is named with file, line and header, or nothing is said."""
    wrong = []
    for file, include, words in TRIALS:
        text = '/* not this one:\n#include "training/x.h"\n*/\n#include %s\n' % include
        problems = check({file: text}, TREE.__contains__)[0]
        start = "%s:4: includes %s: " % (file, include.strip('"<>'))
        named = len(problems) == 1 and problems[0].startswith(start) and words in problems[0]
        if not (named if words else problems == []):
            wrong.append("trial %s, %s: expected '%s', found %s" % (file, include, words, problems))
    return wrong


# ---- The tree ----

def read_tree(root):
    files = {}
    for top in ("src", "cli", "examples", "mpi"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        files[os.path.relpath(path, root)] = file.read()
    return files


def main():
    root = sys.argv[1]
    files = read_tree(root)
    problems, placed = check(files, files.__contains__)
    problems = try_rules() + problems
    allowed = {(header, place) for header, places in LIBRARIES.items() for place in places}
    problems += ["tests/layers.py: %s is not included in %s" % pair for pair in sorted(allowed - placed)]
    if len(files) < 200:
        problems.append("%s: only %d files of C found" % (root, len(files)))
    print("%d files, %d trials" % (len(files), len(TRIALS)))
    sys.exit("\n".join(problems) or 0)


main()
