#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reports of runs: well-formed pages that ask nobody, figures with their data, hostile names, damaged folders, a run that
still goes on, a machine without gnuplot.

    report.py PROGRAM
"""
import csv
import html.parser
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

PROGRAM = os.path.abspath(sys.argv[1])
NET = "input 28 28 1\nconv 8 3 stride 2\nconv 8 3 stride 2\nconv 10 3 stride 2\ngap\n"
FAILED = []
HAS_GNUPLOT = shutil.which("gnuplot") is not None
OF_ONE = ["learning-curves", "eigenvalue-structure", "mean-eigenvalue", "eigenvalues", "confusion", "reliability",
          "projection", "histograms"]
PLAIN = {**os.environ, "PATH": "/nowhere"}  # draws nothing, which is quick
VOID = {"meta", "link", "img", "br", "hr", "input"}


def check(good, what):
    print("ok   " if good else "FAIL ", " ".join(what.split()), flush=True)
    if not good:
        FAILED.append(what)


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, **more)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Page(html.parser.HTMLParser):
    """A page, with what is wrong in it."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.tags, self.ids, self.links, self.text = [], [], [], [], [], ""
        self.source = read(path)
        self.feed(self.source)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")
        if len(self.ids) != len(set(self.ids)):
            self.wrong.append("ids that are there twice")

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "action", "data", "poster", "srcset"):
                self.links.append(value)
            if name.startswith("on"):
                self.wrong.append(f"{tag} with {name}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.text += data + " "

    def outside(self):
        """What would be fetched from somewhere else."""
        found = [link for link in self.links if not re.match(r"^(#|data:|figures/[a-z0-9-]+\.[a-z]+$)", link)]
        return found + re.findall(r"(?:https?:|//)[a-z0-9.-]+/[^\s\"'<]*|@import[^;]*|url\((?!['\"]?#)[^)]*\)", self.source)


def check_page(folder, what):
    page = Page(os.path.join(folder, "report.html"))
    check(not page.wrong, f"{what}: the page is well-formed: {page.wrong[:3]}")
    check(not page.outside(), f"{what}: it asks nobody: {page.outside()[:3]}")
    check("script" not in page.tags and "prefers-color-scheme:dark" in page.source, f"{what}: no script, light and dark")
    missing = [link for link in page.links if link.startswith("figures/") and not os.path.getsize(os.path.join(folder, link))]
    check(not missing, f"{what}: the files that it names are there")
    left = [name for name in os.listdir(folder) + os.listdir(os.path.join(folder, "figures")) if ".tmp" in name]
    check(not left, f"{what}: nothing half-written is left: {left}")
    return page


def check_figures(folder, names, what):
    for name in names:
        for ending in ["gp", "dat"] + (["svg", "png"] if HAS_GNUPLOT else []):
            path = os.path.join(folder, "figures", f"{name}.{ending}")
            if not os.path.exists(path) or os.path.getsize(path) == 0:
                check(False, f"{what}: {name}.{ending} is there")
        if HAS_GNUPLOT:
            svg = read(os.path.join(folder, "figures", f"{name}.svg"))
            check("viewBox=" in svg and svg.rstrip().endswith("</svg>"), f"{what}: {name}.svg is whole and scales")
            with open(os.path.join(folder, "figures", f"{name}.png"), "rb") as file:
                check(file.read(8) == b"\x89PNG\r\n\x1a\n", f"{what}: {name}.png is a PNG")


def blocks(path):
    """The blocks of a .dat file as lists of rows of numbers."""
    result, rows = [], []
    for line in read(path).split("\n"):
        if line.startswith("#"):
            continue
        if line.strip():
            rows.append([float(field) for field in line.split()])
        elif rows:
            result.append(rows)
            rows = []
    return result + ([rows] if rows else [])


def same(a, b):
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-8 * max(1, abs(b))


def history(folder, name="history.csv"):
    with open(os.path.join(folder, name), newline="") as file:
        return [{key: float(value) if value else math.nan for key, value in row.items()} for row in csv.DictReader(file)]


# ---- What is in it ----

def test_one_run():
    end = run("report", "lda")
    check(end.returncode == 0 and "lda/report.html" in end.stdout, f"a report of one run: {end.stderr}")
    check(not HAS_GNUPLOT or end.stderr == "", f"nothing is complained of: {end.stderr}")
    page = check_page("lda", "one run")
    check_figures("lda", OF_ONE, "one run")
    check(page.tags.count("svg") == (len(OF_ONE) if HAS_GNUPLOT else 0), "all figures are in the page")
    rows = history("lda")
    curve = blocks("lda/figures/learning-curves.dat")[0]
    check(len(curve) == len(rows) and all(
        same(point[0], row["epoch"]) and same(point[1], row["train_accuracy"]) and same(point[2], row["validation_accuracy"])
        for point, row in zip(curve, rows)), "learning-curves.dat has what history.csv has")
    kept = [row["epoch"] for row in rows if row["best"] == 1][-1]
    check([point[0] for point in curve if point[3] == 1] == [kept], "one epoch is marked as kept, the right one")
    values = history("lda", "eigenvalues.csv")
    drawn = blocks("lda/figures/eigenvalues.dat")[0]
    check(all(same(a, b) for point, row in zip(drawn, values) for a, b in zip(point, row.values())) and
          len(drawn) == len(values), "eigenvalues.dat has what eigenvalues.csv has")
    means = blocks("lda/figures/mean-eigenvalue.dat")[0]
    check(all(same(point[1], sum(list(row.values())[1:]) / (len(row) - 1)) for point, row in zip(means, values)) and
          len(means) == len(values), "mean-eigenvalue.dat has their means")
    return page


def test_answers(page):
    end = run("eval", "lda/model.safetensors", "digits", "--json")
    found = json.loads(end.stdout)
    check(f"{100 * found['accuracy']:.2f} %" in page.text, "the page has the accuracy that eval finds")
    cells = {(int(row[1]), int(row[0])): int(row[2]) for row in blocks("lda/figures/confusion.dat")[0]}
    check(all(cells.get((t, c), 0) == count for t, row in enumerate(found["confusion"]) for c, count in enumerate(row)),
          "confusion.dat has the confusion that eval finds")
    check("xlabel 'predicted class'; set ylabel 'true class'" in read("lda/figures/confusion.gp"), "and its axes are named")
    check("title 'perfectly calibrated'" in read("lda/figures/reliability.gp"), "the diagonal of reliability has its name")
    check("scale(0.00)" not in read("lda/figures/reliability.svg"), "no marks without a size, which librsvg refuses")
    structure = blocks("lda/figures/eigenvalue-structure.dat")[0]
    check(all(same(row[2], value) and same(row[1], value / found["eigenvalues"][0])
              for row, value in zip(structure, found["eigenvalues"])) and len(structure) == len(found["eigenvalues"]),
          "eigenvalue-structure.dat has the model's eigenvalues")
    bins = blocks("lda/figures/reliability.dat")
    check(len(bins) == 1 and sum(row[4] for row in bins[0]) == found["samples"], "bins hold all samples")
    right = sum(row[1] * row[4] for row in bins[0])
    check(abs(right - found["correct"]) < 0.01, "and as many are right in them as in the whole")
    error = sum(abs(row[0] - row[1]) * row[4] for row in bins[0]) / found["samples"]
    check(abs(error - found["calibration_error"]) < 1e-5, "and their error is the one that eval finds")
    tiles = dict(reversed(tile) for tile in re.findall(r"<li><b>([^<]*)</b><span>([^<]*)</span></li>", page.source))
    low, high = 100 * found["accuracy_low"], 100 * found["accuracy_high"]
    check(tiles.get(f"test accuracy; 95 % interval {low:.1f} to {high:.1f} %") == f"{100 * found['accuracy']:.2f} %" and
          tiles.get("log loss of the probabilities") == f"{found['log_loss']:.4f}" and
          tiles.get("expected calibration error") == f"{found['calibration_error']:.3f}",
          f"the headline: accuracy with its interval, log loss, calibration error: {tiles}")
    check(f"alibration error {found['calibration_error']:.3f}" in page.text, "reliability has it as well")
    check_limits("lda")
    check("predicted" in page.text and not re.search(r"\bcalled\b", page.text), "classes are predicted")
    check_captions(page, found)
    points = blocks("lda/figures/projection.dat")
    check(len(points) == 10 and all(len(row) == 6 for block in points for row in block), "projection.dat has 5 directions")
    shares = blocks("lda/figures/histograms.dat")
    check(len(shares) == 5 and all(abs(sum(row[c] for row in block) - 1) < 1e-6 for block in shares for c in range(1, 11)),
          "each histogram sums to 1")
    with open("lda/figures/hardest.csv", newline="") as file:
        hardest = list(csv.DictReader(file))
    probabilities = [float(row["probability_of_true_class"]) for row in hardest]
    check(len(hardest) == 24 and probabilities == sorted(probabilities), "24 hardest samples, the hardest first")
    check(all(row["true_class"] in "0123456789" and row["predicted_class"] in "0123456789" for row in hardest) and
          any(row["true_class"] != row["predicted_class"] for row in hardest), "with their true and predicted classes")
    check(page.tags.count("img") == 24 and os.path.getsize("lda/figures/hardest.png") > 1000, "and their pictures")


def check_limits(folder):
    """Axes of accuracies and probabilities end at 100 %, and legends are outside of the axes."""
    for name, axis in (("learning-curves", "yrange"), ("mean-eigenvalue", "y2range"), ("reliability", "yrange")):
        script = read(f"{folder}/figures/{name}.gp")
        low, high = re.search(rf"set {axis} \[([^:]*):([^]]*)\]", script).groups()
        check(0 <= float(low) < float(high) <= 100, f"{name}: from {low} to {high} %")
    for name in ("learning-curves", "mean-eigenvalue", "reliability", "eigenvalue-structure", "eigenvalues"):
        keys = re.findall(r"(?:un)?set key[^\n]*", read(f"{folder}/figures/{name}.gp"))
        check(all(re.match("unset key|set key above", key) for key in keys), f"{name}: its legend is off the data: {keys}")


def caption(page, name):
    return html.unescape(re.search(rf'<figure id="{name}".*?<figcaption>(.*?) <span class="files">', page.source, re.S).group(1))


def check_captions(page, found):
    """Captions judge this run."""
    nearest = found["nearest_classes"]
    words = [("learning-curves", "epochs"), ("eigenvalue-structure", "of the largest"),
             ("eigenvalue-structure", f"{nearest['first']} and {nearest['second']}, whose means are {nearest['distance']:.1f}"),
             ("mean-eigenvalue", "In this run"), ("mean-eigenvalue", "The objective of this run, lda, raises them"),
             ("confusion", "are confused most often"), ("reliability", f"{100 * found['accuracy']:.1f} % of the predictions"),
             ("histograms", "Classes at the two ends of each direction: 1: ")]
    for name, word in words:
        check(word in caption(page, name), f"the caption of {name} has '{word}': {caption(page, name)}")


def test_two_classes():
    """One direction: figures that would show nothing are left out. Rows have no pictures: a table has the hardest."""
    with open("two.csv", "w") as file:
        for i in range(300):
            file.write(f"{(i % 2) * 2 + (i * 7 % 11) / 3:.3f},{(i * 5 % 13) / 9:.3f},{('no', 'yes')[i % 2]}\n")
    run("train", "two.csv", "--epochs", "9", "--measure-every", "2", "-q", "-o", "two")
    end = run("report", "two")
    check(end.returncode == 0 and end.stderr == "" or not HAS_GNUPLOT, f"two classes: {end.stderr}")
    page = check_page("two", "two classes")
    figures = re.findall(r'<figure id="([^"]*)"', page.source)
    check(figures == ["learning-curves", "mean-eigenvalue", "confusion", "reliability", "histograms"], f"two classes: {figures}")
    check('class="missing"' not in page.source and "nan" not in page.text.lower().split(), "two classes: nothing is missing")
    check("lda-bayes, minimises a log loss" in caption(page, "mean-eigenvalue"), "two classes: the objective is a log loss")
    check("set xrange [least:100]" in read("two/figures/reliability.gp") and "least = 50" in read("two/figures/reliability.gp"),
          "two classes: probabilities of the predicted class begin at 50 %")
    check(re.search(r"<th>row, from 0</th><th>is</th><th>predicted</th>", page.source) is not None and "img" not in page.tags,
          "two classes: a table of the hardest rows")
    check("height of images" not in page.text, "two classes: rows have no height")


def test_several_runs():
    end = run("report", "lda", "cce/", "-o", "json", "--directions", "3", "--json")
    result = json.loads(end.stdout)
    check(os.path.exists(result["page"]) and result["page"] == "json/report.html" and result["runs"] == ["lda", "cce/"],
          "--json: the page and the runs")
    check(len([name for name in os.listdir(result["figures"]) if name.endswith(".svg")]) == result["drawn"] > 0, "--json: the figures")
    end = run("report", "lda", "cce/", "-o", "deep/both", "--directions", "3")
    check(end.returncode == 0, f"a report of two runs: {end.stderr}")
    page = check_page("deep/both", "two runs")
    names = OF_ONE[:2] + [f"run{r}-{name}" for r in (1, 2) for name in OF_ONE[2:]]
    check_figures("deep/both", names, "two runs")
    check(len(blocks("deep/both/figures/learning-curves.dat")) == 2, "both are in one figure")
    check(len(blocks("deep/both/figures/run1-projection.dat")[0][0]) == 4, "--directions")
    check(re.search(r'<tr class="differs">\s*<th>objective</th><td>lda</td><td>cce</td>', page.source) is not None,
          "options that differ are marked")
    check("<tr><th>batch</th>" in page.source, "others are not")
    found = {head: json.loads(run("eval", "cce/model.safetensors", "digits", "--head", head, "--json").stdout)["accuracy"]
             for head in ("lda", "softmax")}
    row = re.search(r"<tr><th>cce</th>(.*?)</tr>", page.source).group(1)
    cells = dict(re.findall(r'<td data-column="([^"]*)">([^<]*)</td>', row))
    check(cells.get("accuracy by LDA") == f"{100 * found['lda']:.2f} %" and
          cells.get("by softmax") == f"{100 * found['softmax']:.2f} %",
          "a run with cross entropy has both accuracies, by its LDA and by its softmax")
    check("by LDA</th>" in page.source and "by softmax</th>" in page.source, "and says which is which")
    whole = json.loads(run("eval", "cce", "digits", "--json").stdout)
    check(cells.get("95 % interval") == f"{100 * whole['accuracy_low']:.2f} to {100 * whole['accuracy_high']:.2f} %", f"with its interval: {cells}")
    check(re.fullmatch(r"[0-9.]+ (s|min|h)", cells.get("training", "")) is not None, "the time of training")
    check(cells.get("objective") == "cce" and "batch" not in cells, "and the options that differ, only those")
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", re.search(r'<table class="runs">\s*<thead>(.*?)</thead>', page.source, re.S).group(1))
    check(heads == ["run"] + list(cells), f"in the columns that say so: {heads}")
    check(re.search(r"(is better than|not clearly better than).*McNemar", page.text) is not None, "the difference is judged")


def png(path, values):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + bytes(values[8 * y:8 * y + 8]) for y in range(8))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def test_hostile_names():
    names = ["<img src=x onerror=alert(1)>", "a'b\"c & d", "100% `touch hacked` $HOME", "{:Bold x}_y^z\\n@", "ünï 漢字 \u202e long long"]
    for part, count in (("train", 16), ("test", 6)):
        for c, name in enumerate(names):
            os.makedirs(os.path.join("pictures", part, name))
            for i in range(count):
                values = [(37 * i + 11 * k * k) % 97 + (120 if k // 13 == c else 0) for k in range(64)]
                png(os.path.join("pictures", part, name, f"{i}.png"), values)
    write("dense.net", "dense 12\nbn\nrelu\ndense 6\n")
    folder = "'; system('touch hacked') #<b onload=x>&"
    run("train", "pictures", "--net", "dense.net", "--epochs", "2", "--batch", "40", "-q", "-o", folder)
    end = run("report", folder)
    check(end.returncode == 0 and not end.stderr, f"hostile names: {end.stderr}")
    page = check_page(folder, "hostile names")
    check_figures(folder, OF_ONE, "hostile names")
    check(all(name.replace("\u202e", "?") in page.text for name in names), "they stand in the page as they are")
    check(page.tags.count("b") > 0 and "<b onload" not in page.source and "<img src=x" not in page.source, "and are no tags")
    left = [root for root, _, files in os.walk(".") if "hacked" in files]
    check(not left, f"and no commands: {left}")


# ---- What is missing ----

def copy(name, *damage):
    shutil.rmtree(name, ignore_errors=True)
    shutil.copytree("lda", name, ignore=shutil.ignore_patterns("figures", "report.html"))
    return name


def cut(path, share):
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[:int(len(data) * share)])


def test_damaged_folders():
    def remove(name):
        return lambda folder: os.remove(os.path.join(folder, name))

    def spoil(name, text):
        return lambda folder: write(os.path.join(folder, name), text)

    cases = [("no history", remove("history.csv"), "history.csv"),
             ("a history that is cut", lambda folder: cut(os.path.join(folder, "history.csv"), 0.7), "history.csv: line"),
             ("a history without rows", spoil("history.csv", "epoch,best\n"), ""),
             ("a history without accuracies", spoil("history.csv", "epoch,best\n1,1\n"), ""),
             ("an empty history", spoil("history.csv", ""), "history.csv: is empty"),
             ("a history of other things", spoil("history.csv", "\0\1\2<b>\n,,,\n"), "history.csv"),
             ("a history of words", spoil("history.csv", "epoch,best\none,two\n"), "line 2"),
             ("no eigenvalues", remove("eigenvalues.csv"), "eigenvalues.csv"),
             ("eigenvalues without values", spoil("eigenvalues.csv", "epoch,v1,v2\n1,,\n2,,\n"), ""),
             ("broken JSON", spoil("options.json", '{"net": '), "options.json: line"),
             ("JSON of another kind", spoil("options.json", "[1]"), "expected a JSON object"),
             ("broken run.json", spoil("run.json", "{]"), "run.json"),
             ("no model", remove("model.safetensors"), "model.safetensors"),
             ("a model that is cut", lambda folder: cut(os.path.join(folder, "model.safetensors"), 0.5), "model.safetensors")]
    for what, damage, word in cases:
        damage(copy("damaged"))
        end = run("report", "damaged", env=PLAIN)
        check(end.returncode == 0 and word in end.stderr, f"{what}: exit {end.returncode}, {end.stderr.strip()[:150]}")
        page = check_page("damaged", what)
        if word:
            check(word in page.source.replace("&#39;", "'"), f"{what}: the page says so")
        else:
            check('class="missing"' in page.source, f"{what}: the page says that a figure is missing")
    copy("damaged")
    for name in os.listdir("damaged"):
        if name != "history.csv":
            os.remove(os.path.join("damaged", name))
    end = run("report", "damaged", env=PLAIN)
    check(end.returncode == 0 and 'class="missing"' in check_page("damaged", "history.csv alone").source, "history.csv alone")


def test_no_run():
    os.mkdir("empty")
    write("file", "")
    for folder, word in (("empty", "is not a run folder"), ("nowhere", "does not exist"), ("file", "is not a folder")):
        end = run("report", folder, "-o", "nothing")
        check(end.returncode == 1 and word in end.stderr and "train" not in end.stderr and not os.path.exists("nothing"), f"{folder}: {end.stderr.strip()}")
    end = run("report", "lda", "empty", "-o", "nothing")
    check(end.returncode == 1 and not os.path.exists("nothing"), "one good and one bad: nothing is written")
    check(run("report").returncode == 2, "no word: usage")
    end = run("report", "lda", "--directions", "1")
    check(end.returncode == 2 and "directions" in end.stderr, "--directions 1: usage")


def test_data():
    end = run("report", "lda", "--data", "nowhere", "-o", "other", env=PLAIN)
    check(end.returncode == 0 and "nowhere" in end.stderr, f"--data that is not there: {end.stderr.strip()[:100]}")
    check("nowhere" in check_page("other", "--data").text, "the page says so in place of the figures")
    end = run("report", "lda", "--data", "pictures", "-o", "other", env=PLAIN)
    check(end.returncode == 0 and end.stderr != "" and 'class="missing"' in read("other/report.html"), "data that do not fit")
    end = run("report", "lda", "--data", "digits", "-o", "other", env=PLAIN)
    check(end.returncode == 0 and "1000 test" in Page("other/report.html").text, "data that do")
    with open("plain.csv", "w") as file:
        for i in range(120):
            file.write(f"{(i % 3) * 2 + (i * 7 % 11) / 5},{(i % 2) + (i * 5 % 13) / 9},{'abc'[i % 3]}\n")
    run("train", "plain.csv", "--net", "dense.net", "--epochs", "2", "--batch", "30", "--validation", "0.25", "-q", "-o", "table")
    os.mkdir("elsewhere")
    end = run("report", "../table", cwd="elsewhere", env=PLAIN)
    text = Page("table/report.html").text
    check(end.returncode == 0 and "30 validation" in text and "validation samples" in text,
          f"no test part: what was held out, from any folder: {end.stderr}")
    check("img" not in Page("table/report.html").tags, "rows of a table have no pictures")


def test_no_gnuplot():
    copy("plain")
    run("report", "plain")
    end = run("report", "plain", env=PLAIN)
    check(end.returncode == 0 and "gnuplot" in end.stderr and "gnuplot-nox" in end.stderr, f"no gnuplot: {end.stderr.strip()}")
    page = check_page_without_figures("plain")
    check("svg" not in page.tags and "takes gnuplot" in page.text, "no gnuplot: the page says so")
    check("Validation accuracy:" in page.text, "no gnuplot: findings are there as words")


def check_page_without_figures(folder):
    page = Page(os.path.join(folder, "report.html"))
    check(not page.wrong, f"no gnuplot: the page is well-formed: {page.wrong[:3]}")
    names = os.listdir(os.path.join(folder, "figures"))
    check(all(f"{name}.{ending}" in names for name in OF_ONE for ending in ("gp", "dat")), "no gnuplot: data and scripts")
    check(not [name for name in names if name.endswith(".svg")], "no gnuplot: no drawing of earlier data stays")
    return page


# ---- A run that goes on ----

def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def says(path, word):
    return os.path.exists(path) and word in read(path)


def test_live():
    training = subprocess.Popen([PROGRAM, "train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "-q",
                                 "--epochs", "1000000", "-o", "going"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check(wait_for(lambda: os.path.exists("going/run.json")), "a run begins")
    end = run("report", "going", "-o", "now", env=PLAIN)
    check(end.returncode == 0 and "still running" in Page("now/report.html").text, f"a run that goes on: {end.stderr}")
    check("refresh" not in read("now/report.html"), "without --live the page does not reload itself")
    watching = subprocess.Popen([PROGRAM, "report", "going", "--live", "-o", "live"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
    check(wait_for(lambda: says("live/report.html", 'http-equiv="refresh"')), "--live: the page reloads itself")
    before = read("live/report.html") if os.path.exists("live/report.html") else ""
    check(wait_for(lambda: read("live/report.html") != before), "--live: it is written again")
    training.send_signal(signal.SIGINT)
    training.wait(60)
    watching.wait(60)
    page = check_page("live", "--live")
    check(watching.returncode == 0 and "refresh" not in page.source and "stopped" in page.text, "--live: it ends with the run")
    watching.stdout.close()


def stop_watching(env, folder):
    watching = subprocess.Popen([PROGRAM, "report", "killed", "--live", "-o", folder], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    try:
        check(wait_for(lambda: says(f"{folder}/report.html", 'http-equiv="refresh"')), f"--live, {folder}: it begins")
        time.sleep(0.5)
        os.killpg(watching.pid, signal.SIGINT)
        watching.wait(60)
    finally:
        watching.kill()
    check(watching.returncode == 130, f"--live, {folder}: Ctrl-C ends it (exit {watching.returncode})")
    check("refresh" not in read(f"{folder}/report.html"), f"--live, {folder}: the last page does not reload itself")
    if HAS_GNUPLOT and folder == "drawn":
        check_figures("drawn", OF_ONE, "after Ctrl-C")


def test_live_interrupted():
    """Ctrl-C at a terminal reaches gnuplot too, which is drawing most of the time with epochs as short as these."""
    training = subprocess.Popen([PROGRAM, "train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "-q",
                                 "--epochs", "1000000", "-o", "killed"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check(wait_for(lambda: os.path.exists("killed/run.json")), "another run begins")
    try:
        for env, folder in ((PLAIN, "plain"), (None, "drawn")):
            stop_watching(env, folder)
    finally:
        training.kill()
        training.wait()
    end = run("report", "killed", env=PLAIN)
    check(end.returncode == 0 and "ended unexpectedly" in Page("killed/report.html").text, "a run that was killed")


def test_links():
    """A run folder of others: links at the names of a report are replaced, not followed. The folder may be a link."""
    copy("others")
    os.mkdir("victims")
    write("victims/page", "mine")
    write("victims/confusion.gp", "mine")
    os.symlink("others", "link")
    os.symlink("../victims/page", "others/report.html")
    os.symlink("../victims", "others/figures")
    end = run("report", "link", env=PLAIN)
    check(end.returncode == 0 and "written:" in end.stdout, f"a folder with links: {end.stderr}")
    check(read("victims/page") == "mine" and sorted(os.listdir("victims")) == ["confusion.gp", "page"], "what the links point to is unchanged")
    check("<html" in read("others/report.html") and not os.path.islink("others/figures"), "the links are replaced")
    for name in ("confusion.gp", "hardest.csv"):
        os.unlink(f"others/figures/{name}")
        os.symlink("../../victims/page", f"others/figures/{name}")
    os.symlink("../../victims/page", "others/figures/notes")
    run("report", "link", env=PLAIN)
    check(read("victims/page") == "mine", "links in figures/ are replaced")
    check(os.path.islink("others/figures/notes"), "a link of another name stays")


def test_left_over():
    """What a killed report left is removed by one that comes a day later; files of the user stay."""
    copy("leftover")
    os.makedirs("leftover/figures/confusion.tmp-999999998")
    own = ["leftover/figures/notes.tmp-999999998", "leftover/figures/confusion.tmp-mine", "leftover/notes.tmp-999999998"]
    left = ["leftover/figures/confusion.tmp-999999998/confusion.svg", "leftover/figures/hardest.csv.tmp-999999998",
            "leftover/report.html.tmp-999999998-3"]
    for path in own + left:
        write(path, "x")
    run("report", "leftover", env=PLAIN)
    check(all(os.path.exists(path) for path in own + left), "a process that is not known here may still write: its files stay")
    for path in [*own, *left, os.path.dirname(left[0])]:
        os.utime(path, (1e9, 1e9))
    run("report", "leftover", env=PLAIN)
    check(all(os.path.exists(path) for path in own), "files of the user stay")
    check(not [path for path in [*left, os.path.dirname(left[0])] if os.path.exists(path)], "left-overs are removed")


def test_new_training():
    """--force removes the report of the earlier training: all of its files, and no others."""
    copy("again")
    for runs in (["again"], ["again", "cce"]):
        run("report", *runs, "-o", "again")
    check(os.path.exists("again/report.html") and len(os.listdir("again/figures")) > 40, "a report of one run, and of two")
    words = ("train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "--epochs", "2", "-q", "-o", "again")
    run("train", "--resume", "again")
    check(os.path.exists("again/report.html"), "resuming keeps the report")
    run(*words)
    check(os.path.exists("again/report.html"), "a training that is refused keeps the report")
    check(run(*words, "--force").returncode == 0, "--force")
    left = [name for name in os.listdir("again") if name in ("figures", "report.html")]
    check(not left, f"--force removes the report: {left} {os.listdir('again/figures') if 'figures' in left else ''}")
    os.mkdir("again/figures")
    for name in ("mine.png", "confusion.txt", "run1.png", "confusion.svg"):
        write(f"again/figures/{name}", "x")
    run(*words, "--force")
    check(sorted(os.listdir("again/figures")) == ["confusion.txt", "mine.png", "run1.png"], "and leaves files of the user")


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # children must not inherit that it is ignored
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write("small.net", NET)
        for objective in ("lda", "cce"):
            run("train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "--epochs", "4", "-q",
                "--objective", objective, "-o", objective)
        test_answers(test_one_run())
        test_several_runs()
        test_two_classes()
        test_hostile_names()
        test_damaged_folders()
        test_no_run()
        test_data()
        test_no_gnuplot()
        test_links()
        test_left_over()
        test_new_training()
        test_live()
        test_live_interrupted()
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
