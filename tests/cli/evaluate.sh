#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of `deeplda eval` and `deeplda refit` from the outside: figures against an independent twin, heads, SVM, labels
# that must not matter, mistakes.
#
#   tests/cli/evaluate.sh PROGRAM
set -u
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_data.py" data || exit 1
printf 'dense 8\nbn\nrelu\ndropout 0.1\ndense 3\n' >three.net
printf 'dense 8\nbn\nrelu\ndense 5\n' >five.net

train() { # RUN ARGUMENT...
    run=$1
    shift
    expect 0 train "$@" --batch 60 -q --epochs 2 -o "$run"
}

# The same in much noise, so that not all answers are right.
"$python" - <<'PYTHON'
import os, random, struct
os.mkdir("hard")
rng = random.Random(7)
for prefix, n in (("train", 300), ("t10k", 240)):
    labels = [i % 3 for i in range(n)]
    pixels = bytes((130 if y // 2 == label else 100) + rng.randrange(120) for label in labels for y in range(6) for _ in range(6))
    open(f"hard/{prefix}-images-idx3-ubyte", "wb").write(struct.pack(">IIII", 0x803, n, 6, 6) + pixels)
    open(f"hard/{prefix}-labels-idx1-ubyte", "wb").write(struct.pack(">II", 0x801, n) + bytes(labels))
PYTHON
train hard_lda hard --net five.net --validation 0
train hard_cce hard --net three.net --objective cce --validation 0
train lda data/good --net five.net --validation 0
train cce data/good --net three.net --objective cce --validation 0
train part data/good --net five.net
lda=lda/model.safetensors cce=cce/model.safetensors

# ---- Figures ----

expect 0 eval "$lda" data/good; silent err
prints '^test accuracy'; prints '^error [0-9.]* %; calibration error 0\.[0-9]* in 15 bins$'; prints '^probabilities: bayes, '
prints '^mean separation [0-9.]*; nearest classes [012] and [012]: Mahalanobis distance [0-9.]*$'
expect 0 eval "$lda" data/good --json --proba bayes; silent err
json "a['head'] == 'lda' and a['probability'] == 'bayes' and 'svm' not in a"
json "0 <= a['calibration_error'] <= 1 and len(a['calibration']) == 15"
json "sum(b['samples'] for b in a['calibration']) == 60 and all((b['accuracy'] is None) == (b['samples'] == 0) for b in a['calibration'])"
json "abs(a['mean_separation'] - sum(a['eigenvalues']) / 2) < 1e-9 and a['nearest_classes']['distance'] > 0"
json "a['nearest_classes']['first'] != a['nearest_classes']['second']"

for run in hard_lda hard_cce; do
    expect 0 eval $run/model.safetensors hard --json; json "0.5 < a['accuracy'] < 0.99"
    code=0
    "$python" "$root/tools/eval_twin.py" "$program" "$run/model.safetensors" hard >out 2>err || code=$?
    if [ "$code" -eq 77 ]; then echo "skip  figures of $run against the twin: it needs NumPy and SciPy"
    else grep FAIL out; holds "figures of $run as the twin finds them" test "$code" -eq 0; fi
done

# ---- Intervals ----

expect 0 eval hard_lda/model.safetensors hard; prints '^test accuracy [0-9.]* % (95 % interval [0-9.]* to [0-9.]* %): [0-9]* of 240 correct'
expect 0 eval hard_lda/model.safetensors hard --json
json "0 < a['accuracy_low'] < a['accuracy'] < a['accuracy_high'] < 1 and 0.01 < a['accuracy_high'] - a['accuracy_low'] < 0.15"

# ---- Answers ----

expect 0 eval hard_lda/model.safetensors hard --svm --json --answers lda.csv --proba bayes; silent err; cp out eval.json
holds "answers as eval counts them" "$python" - <<'PYTHON'
import csv, json, sys
rows, a = list(csv.DictReader(open("lda.csv"))), json.load(open("eval.json"))
good = list(rows[0]) == ["index", "file", "truth", "predicted", "probability", "svm"]
good &= [int(row["index"]) for row in rows] == list(range(240)) and [row["truth"] for row in rows] == [str(i % 3) for i in range(240)]
good &= sum(row["truth"] == row["predicted"] for row in rows) == a["correct"]
good &= sum(row["truth"] == row["svm"] for row in rows) == a["svm"]["correct"]
good &= sum(row["truth"] == row["svm"] != row["predicted"] for row in rows) == a["svm"]["only_second"]
confidence = sum(float(row["probability"]) for row in rows)
good &= abs(confidence - sum(b["samples"] * (b["confidence"] or 0) for b in a["calibration"])) < 1e-3
sys.exit(not good)
PYTHON
expect 0 eval hard_lda/model.safetensors hard --answers plain.csv; holds "no column svm without it" sh -c 'head -n 1 plain.csv | grep -qx index,file,truth,predicted,probability'
expect 1 eval hard_lda/model.safetensors hard --answers nowhere/a.csv; says 'nowhere/a.csv: cannot write'; silent out
# ---- Two models on the same samples ----

twice() { "$python" - "$@" <<'PYTHON'
# FIRST.csv SECOND.csv: the comparison in `out`, counted once more
import csv, json, math, sys
first, second = (list(csv.DictReader(open(path))) for path in sys.argv[1:3])
a = json.load(open("out"))["compare"]
right = [(x["truth"] == x["predicted"], y["truth"] == y["predicted"]) for x, y in zip(first, second)]
b, c, n = right.count((True, False)), right.count((False, True)), len(right)
tail = 2 * sum(math.comb(b + c, i) for i in range(min(b, c) + 1)) / 2 ** (b + c)
good = a["both_right"] == right.count((True, True)) and a["both_wrong"] == right.count((False, False))
good &= (a["only_first"], a["only_second"]) == (b, c) and abs(a["difference"] - (b - c) / n) < 1e-12
good &= abs(a["p_value"] - min(1, tail)) < 1e-9 and a["difference_low"] < a["difference"] < a["difference_high"]
good &= a["better"] == (None if a["p_value"] >= 0.05 else "first" if b > c else "second")
good &= a["first"]["correct"] == sum(x for x, _ in right) and a["second"]["correct"] == sum(y for _, y in right)
sys.exit(not good)
PYTHON
}
train weak hard --net three.net --objective cce --validation 0 --rate 0.0001 --seed 9
hard=hard_lda/model.safetensors weak=weak/model.safetensors
expect 0 eval "$hard" hard --answers first.csv
expect 0 eval "$weak" hard --head softmax --answers second.csv
expect 0 eval "$hard" hard --compare "$weak" --compare-head softmax --json; silent err; cp out models.json
holds "the pairs as counted from the answers" twice first.csv second.csv
json "a['compare']['better'] == 'first' and a['compare']['second']['head'] == 'softmax' and a['compare']['first']['head'] == 'lda'"
json "a['accuracy'] == a['compare']['first']['accuracy'] and 0 < a['compare']['second']['accuracy_low'] < a['compare']['second']['accuracy']"
expect 0 eval first.csv --compare second.csv --json; silent err; holds "two files tell the same" twice first.csv second.csv
json "{k: v for k, v in a['compare'].items() if k not in ('first', 'second')} == {k: v for k, v in json.load(open('models.json'))['compare'].items() if k not in ('first', 'second')}"
expect 0 eval "$hard" hard --compare second.csv --json; holds "a model and a file too" twice first.csv second.csv
expect 0 eval "$hard" hard --compare "$weak" --compare-head softmax; prints '^test accuracy'
prints '^two classifiers on the same 240 samples: accuracy with 95 % interval$'
prints '^  first  *[0-9.]* %  ([0-9.]* to [0-9.]* %)  hard_lda/model.safetensors, head lda$'
prints '^  both right [0-9]*, only the first [0-9]*, only the second [0-9]*, both wrong [0-9]*$'
prints "^  McNemar's exact test: the first is better (p < 0.0001)$"
expect 0 eval "$weak" hard --head softmax --compare "$hard"; prints 'the second is better (p < 0.0001)$'
expect 0 eval first.csv --compare first.csv; prints 'the difference is not significant (p = 1.0000)$'
prints '^  difference +0.00 points'
expect 0 eval "$weak" hard --head softmax --compare "$weak" --compare-head lda --json
json "a['head'] == 'softmax' and a['compare']['second']['head'] == 'lda' and a['compare']['better'] == 'second'"

# Pictures with names, for models of another size and another order of classes.
expect 0 data convert hard --to png -o named
for part in train test; do mv named/$part/0 "named/$part/a, \"odd\""; mv named/$part/1 named/$part/b; mv named/$part/2 named/$part/c; done
cp -r named two; rm -r two/*/a*
train named_run named --net five.net --validation 0
train two_run two --net three.net --resize 4 --validation 0
expect 0 refit two_run/model.safetensors --add-class 'a, "odd"' 'named/train/a, "odd"' -o turned.safetensors
expect 0 eval turned.safetensors named --json --answers turned.csv; json "[c['name'] for c in a['classes']] == ['b', 'c', 'a, \"odd\"'] and a['accuracy'] > 0.5"
holds "names are quoted" grep -q '^0,"test/a, ""odd""/[^,]*.png","a, ""odd""",' turned.csv
expect 0 eval named_run/model.safetensors named --answers named.csv
expect 0 eval named_run/model.safetensors named --compare turned.safetensors --json; silent err
holds "classes go by their names" twice named.csv turned.csv
expect 0 eval named.csv --compare turned.csv --json; holds "in files too" twice named.csv turned.csv
expect 1 eval first.csv --compare turned.csv; says "sample 0 has the file '' in one and 'test/a, \"odd\"/"

expect 2 eval "$hard" hard --compare-head lda; says 'compare-head is for --compare'
expect 2 eval "$hard" hard --compare "$lda" --compare-head softmax; says 'the model has no softmax'; silent out
expect 2 eval "$hard" hard --compare second.csv --compare-head lda; says 'compare-head is for models'
expect 1 eval "$hard" hard --compare missing.safetensors; says 'missing.safetensors'; silent out
expect 1 eval "$hard" hard --compare missing.csv; says 'missing.csv: cannot read'; silent out
expect 2 eval first.csv; says 'is a CSV file, not a model; only a file of --answers can be compared'
expect 2 eval first.csv hard --compare second.csv; says 'needs another such file and no data; found hard'
expect 2 eval first.csv --compare "$hard"; says 'needs another such file and no data; found hard_lda'
expect 2 eval first.csv --compare second.csv --svm; says 'are for models'
expect 1 eval "$lda" data/good --compare second.csv; says 'answers to 60 samples, second.csv to 240'; silent out
sed '5s/,[012],/,7,/' second.csv >other.csv; expect 1 eval first.csv --compare other.csv
says "first.csv, other.csv: sample 3 has the true class '0' in one and '7' in the other"
bad() { # WORDS SED-SCRIPT
    sed "$2" second.csv >bad.csv; expect 1 eval first.csv --compare bad.csv; says "$1"; silent out
}
bad "bad.csv: no column 'truth'" '1s/truth/true/'
bad 'bad.csv: line 3: not as many fields' '3s/,[^,]*$//'
bad 'bad.csv: line 4: the index does not count' '4d'
bad 'bad.csv: line 4: text behind a closing quote' '4s/,,/,"a"b,/'
bad 'bad.csv: no answers' '2,$d'
bad "bad.csv: no column 'index'" '1,$d'
printf 'index,file\0truth\n' >bad.csv; expect 1 eval first.csv --compare bad.csv; says 'bad.csv: not a text'
sed 's/,,/,"",/; s/$/\r/' second.csv >quoted.csv
expect 0 eval first.csv --compare quoted.csv --json; holds "quotes and line ends of other programs" twice first.csv second.csv

# ---- Heads ----

expect 0 eval "$cce" data/good --head softmax --json; json "a['head'] == 'softmax' and a['probability'] == 'softmax'"
json "len(a['eigenvalues']) == 2 and a['accuracy'] > 0.5"
expect 0 eval "$cce" data/good --head lda --json; json "a['head'] == 'lda' and a['accuracy'] > 0.9"
expect 2 eval "$lda" data/good --head softmax
says 'lda/model.safetensors: the model has no softmax, since it was not trained with objective cce'
says 'use its LDA, or train with option --objective cce or lda-cce'; silent out
expect 2 eval "$lda" data/good --head sofmax; says "did you mean 'softmax'?"

# ---- SVM ----

expect 0 eval "$lda" data/good --svm --threads 1; prints '^linear SVM on the projected features: accuracy [0-9.]* %'
prints 'trained on 180 samples of data/good; cost '
prints "^  right only with the model: [0-9]*, only with the SVM: [0-9]*; McNemar's exact test: "
cp out once
expect 0 eval "$lda" data/good --svm --threads 2; holds "1 and 2 threads give the same" cmp -s out once
expect 0 eval part/model.safetensors data/good --svm --json
json "a['svm']['train_samples'] == 162 and a['svm']['samples'] == 60 and a['svm']['accuracy'] > 0.9"
json "sum(map(sum, a['svm']['confusion'])) == 60 and 0 < a['svm']['cross_validated_accuracy'] <= 1"
expect 0 eval "$lda" data/good/t10k-images-idx3-ubyte --svm --train-data data/good --json
json "a['svm']['train_samples'] == 180 and a['svm']['train_data'] == 'data/good'"
expect 2 eval "$lda" data/good/t10k-images-idx3-ubyte --svm; says 'name them with --train-data DATA'; silent out
expect 2 eval "$lda" data/good --train-data data/good; says 'option --train-data is for --svm'
expect 1 eval "$lda" data/good --svm --train-data data/missing; says 'data/missing'; silent out
expect 1 eval "$lda" data/good --svm --train-data digits; says 'digits: training images are 28 x 28 x 1'
expect 1 eval "$lda" data/good --svm --train-data data/one_class; says 'of one class'; silent out

# ---- The labels of the test data decide nothing but the counts ----

cp -r data/good shuffled
"$python" - <<'PYTHON'
import random
path = "shuffled/t10k-labels-idx1-ubyte"
data = open(path, "rb").read()
labels = list(data[8:])
random.Random(3).shuffle(labels)
open(path, "wb").write(data[:8] + bytes(labels))
PYTHON
holds "labels are shuffled" sh -c '! cmp -s data/good/t10k-labels-idx1-ubyte shuffled/t10k-labels-idx1-ubyte'
columns='[[sum(column) for column in zip(*c)] for c in (a["confusion"], a["svm"]["confusion"])]'
for set in data/good shuffled; do
    expect 0 eval "$lda" $set --svm --json
    "$python" -c "import json; a = json.load(open('out')); print($columns, a['svm']['cost'], a['eigenvalues'])" >"answers-${set#*/}"
    expect 0 predict "$lda" $set/t10k-images-idx3-ubyte
    sed "s,^$set,," out >"lines-${set#*/}"
done
expect 0 eval "$lda" shuffled --json; json "a['accuracy'] < 0.7"
holds "eval predicts the same with shuffled labels" cmp answers-good answers-shuffled
holds "predict says the same with shuffled labels" cmp lines-good lines-shuffled

# ---- A new head ----

same_heads() { # MODEL MODEL: the same network, class names, and head up to single precision
    "$python" - "$1" "$2" <<'PYTHON'
import json, struct, sys
def read(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n])
    texts = header.pop("__metadata__")
    values = {}
    for name, entry in header.items():
        begin, end = (8 + n + offset for offset in entry["data_offsets"])
        kind, size = ("d", 8) if entry["dtype"] == "F64" else ("f", 4)
        values[name] = struct.unpack("<%d%s" % ((end - begin) // size, kind), data[begin:end])
    return texts, values
(texts, a), (others, b) = read(sys.argv[1]), read(sys.argv[2])
if texts["classes"] != others["classes"] or sorted(a) != sorted(b): sys.exit(1)
for name in a:
    largest = max(map(abs, a[name]))
    if len(a[name]) != len(b[name]) or any(abs(x - y) > 1e-5 * largest for x, y in zip(a[name], b[name])): sys.exit(1)
PYTHON
}
hard=hard_lda/model.safetensors part=part/model.safetensors
expect 0 refit "$hard" hard -o same.safetensors; silent err; prints '^head fitted on 300 samples of hard$'
prints '^3 classes, prior of each: 0 0.3333'; prints 'same.safetensors$'
holds "refit on the same data gives the same head" same_heads "$hard" same.safetensors
expect 0 refit "$part" data/good --as-trained -o same.safetensors --json; silent err
json "a['samples'] == 162 and a['output'] == 'same.safetensors' and len(a['eigenvalues']) == 2"
holds "the samples of the training give its head" same_heads "$part" same.safetensors
expect 0 refit "$part" data/good -o all.safetensors; prints 'fitted on 180 samples'
holds "all samples give another" sh -c '! cmp -s same.safetensors all.safetensors'
expect 0 refit "$hard" hard --lambda 1 -o stiff.safetensors
expect 0 info stiff.safetensors --json; json "a['options']['lambda'] == 1"
expect 0 refit "$hard" data/pictures -o names.safetensors
expect 0 eval names.safetensors data/pictures --json; json "[c['name'] for c in a['classes']] == ['class 0', 'class 1', 'class 2']"
expect 0 refit hard_cce/model.safetensors data/pictures -o names.safetensors
expect 2 eval names.safetensors data/pictures --head softmax; says 'not those its softmax was trained on'
expect 0 refit "$hard" hard -o same.safetensors; cp same.safetensors before
expect 0 refit same.safetensors hard -o same.safetensors; holds "a model may replace itself" same_heads before same.safetensors

expect 0 refit "$hard" --priors 1,2,1 -o priors.safetensors --json
json "[round(c['prior'], 9) for c in a['classes']] == [0.25, 0.5, 0.25]"
expect 0 eval priors.safetensors hard --json --proba bayes; cp out with
expect 0 eval "$hard" hard --json --proba bayes
holds "priors change Bayes' answers" sh -c '! cmp -s out with'
json "[sum(c) for c in zip(*a['confusion'])][1] < [sum(c) for c in zip(*json.load(open('with'))['confusion'])][1]"
expect 0 refit priors.safetensors --priors uniform -o fair.safetensors --json; json "all(abs(c['prior'] - 1 / 3) < 1e-12 for c in a['classes'])"
expect 0 refit priors.safetensors --priors data -o data.safetensors
holds "the data's priors again" cmp -s data.safetensors "$hard"

expect 2 refit "$hard" hard; says 'expected -o FILE'
cp "$hard" alone.safetensors
expect 2 refit alone.safetensors -o bad.safetensors; says 'alone.safetensors: has no record of a training beside it; name the data'
expect 2 refit "$hard" --priors 1,2 -o bad.safetensors; says 'found 2 values, expected uniform, data, or one for each of the 3 classes'
expect 2 refit "$hard" --priors 1,-2,1 -o bad.safetensors; says "value 2, '-2', is not a number above 0"
expect 2 refit "$hard" --priors 1,,1 -o bad.safetensors; says "value 2, '', is not a number"
expect 2 refit "$hard" hard --priors 1,x,1 -o bad.safetensors; says "value 2, 'x', is not a number"
expect 2 refit "$hard" --add-class new -o bad.safetensors; says 'needs pictures of that class'
expect 2 refit "$hard" --add-class new --as-trained data/album -o bad.safetensors; says 'cannot be combined with'
expect 2 refit "$hard" --add-class 1 data/album -o bad.safetensors; says "has a class '1' already"
expect 1 refit "$hard" --add-class new data/missing -o bad.safetensors; says 'data/missing'
expect 1 refit "$hard" --add-class new data/zero.png -o bad.safetensors; says 'zero.png: .*1 samples of the new class, expected at least 2'
expect 1 refit "$hard" --add-class new data/large.png -o bad.safetensors; says 'large.png: 8 x 8 pixels (height, width), expected 6 x 6; option --resize'
expect 1 refit "$hard" digits -o bad.safetensors; says 'images are 28 x 28 x 1, the model expects 6 x 6 x 1'
expect 1 refit "$hard" data/one_class -o bad.safetensors; says 'data/one_class: .*class'
expect 1 refit missing.safetensors hard -o bad.safetensors; says 'missing.safetensors'
expect 1 refit "$hard" hard -o nowhere/bad.safetensors; says 'nowhere/bad.safetensors'
absent bad.safetensors

# A model file says how it was trained; it does not give the command other options.
forge() { # MODEL FORGED NAME JSON_VALUE: adds an option to the metadata
    "$python" - "$@" <<'PYTHON'
import json, struct, sys
model, forged, name, value = sys.argv[1:]
data = open(model, "rb").read()
n = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + n])
options = json.loads(header["__metadata__"]["options"])
options[name] = json.loads(value)
header["__metadata__"]["options"] = json.dumps(options)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(forged, "wb").write(struct.pack("<Q", len(text)) + text + data[8 + n:])
PYTHON
}
forge "$hard" forged.safetensors lambda 0.5
expect 0 refit forged.safetensors hard -o bad.safetensors; expect 0 info bad.safetensors --json; json "a['options']['lambda'] == 0.5"
rm -f bad.safetensors
for pair in 'priors "uniform"' 'json true' 'add-class "x"' 'output "stolen"' 'threads 1' 'data "elsewhere"'; do
    forge "$hard" forged.safetensors "${pair%% *}" "${pair#* }"
    expect 1 refit forged.safetensors hard -o bad.safetensors; says "forged.safetensors: the model's options: .*option .*${pair%% *}"; silent out
    expect 1 eval forged.safetensors hard --svm; silent out
done
absent bad.safetensors
absent stolen

# ---- Digits 0 to 8, and then the 9 from 20 pictures ----

expect 0 data convert digits --to png -o pages
mkdir -p nine few
cp -r pages/train pages/test nine
rm -r nine/train/9 nine/test/9
for file in $(ls pages/train/9 | head -n 20); do cp "pages/train/9/$file" few; done
expect 0 train nine --net mlp --epochs 3 --batch 300 -q -o nine_run
expect 0 refit nine_run/model.safetensors --add-class 9 few -o ten.safetensors; silent err
prints '^class 9 added from 20 samples$'; prints '^10 classes'
expect 0 eval ten.safetensors pages --json --proba bayes; json "a['samples'] == 1000 and a['accuracy'] > 0.8"
json "a['classes'][9]['name'] == '9' and a['classes'][9]['recall'] > 0.5"
json "min(c['recall'] for c in a['classes']) > 0.5"
expect 0 predict ten.safetensors few; holds "most of the pictures are 9" test "$(grep -c ',0,9,' out)" -gt 12
expect 1 refit nine_run/model.safetensors --add-class x pages/train -o bad.safetensors
says 'pages/train: no pictures in this folder'; absent bad.safetensors

finish
