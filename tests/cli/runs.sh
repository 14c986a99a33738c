#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of what stands for a model: run folders, runs without a model, files of other kinds; of the data of a run that
# eval, embed and refit find by themselves; and of mistakes and true classes by name.
#
#   tests/cli/runs.sh PROGRAM
set -u
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_data.py" data || exit 1
printf 'dense 8\nbn\nrelu\ndense 3\n' >three.net

# Pictures in much noise, with and without a test part, and a table of the same.
"$python" - <<'PYTHON'
import csv, os, random, struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(pixels, side):
    rows = b"".join(b"\0" + pixels[y * side:(y + 1) * side] for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
rng = random.Random(7)
def pixels(label):
    return bytes((130 if y // 2 == label else 100) + rng.randrange(120) for y in range(6) for _ in range(6))
names = ["cat", "dog", "a, odd one"]
for part, n in (("photos/train", 60), ("photos/test", 30), ("flat", 60)):
    for label, name in enumerate(names):
        os.makedirs(f"{part}/{name}")
        for i in range(n):
            open(f"{part}/{name}/{i:03}.png", "wb").write(png(pixels(label), 6))
with open("table.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow([f"x{i}" for i in range(36)] + ["kind", "y"])  # y would be taken for the label
    for i in range(180):
        rows.writerow([p / 255 for p in pixels(i % 3)] + [names[i % 3], rng.random()])
PYTHON
train() { # RUN ARGUMENT...
    run=$1
    shift
    expect 0 train "$@" --net three.net --batch 60 -q --epochs 2 -o "$run"
}
train photos_run photos
train flat_run flat --validation 0.25
train table_run table.csv --label kind --validation 0.25 --seed 3
train good_run data/good --validation 0

# ---- Run folders as models ----

expect 0 eval good_run data/good --json; silent err; cp out folder.json
expect 0 eval good_run/model.safetensors data/good --json; holds "eval: as its model" cmp -s out folder.json
json "a['data'] == 'data/good' and a['part'] == 'test' and a['samples'] == 60"
expect 0 predict good_run data/zero.png; cp out folder.csv
expect 0 predict good_run/model.safetensors data/zero.png; holds "predict: as its model" cmp -s out folder.csv
expect 0 predict good_run/ data/zero.png; holds "with a slash" cmp -s out folder.csv
expect 0 embed good_run data/good -o folder.npy; silent err
expect 0 embed good_run/model.safetensors data/good -o file.npy; holds "embed: as its model" cmp -s folder.npy file.npy
expect 0 export good_run -o folder.onnx
expect 0 export good_run/model.safetensors -o file.onnx; holds "export: as its model" cmp -s folder.onnx file.onnx
expect 0 refit good_run data/good -o folder.safetensors
expect 0 refit good_run/model.safetensors data/good -o file.safetensors
holds "refit: as its model" cmp -s folder.safetensors file.safetensors
expect 0 info good_run; prints 'good_run/model.safetensors: a DeepLDA model'
expect 0 eval photos_run photos --compare flat_run; prints 'second .* flat_run, head lda$'
train warm data/good --init good_run
train warm_file data/good --init good_run/model.safetensors
holds "train --init: as its model" cmp -s warm/model.safetensors warm_file/model.safetensors

cp good_run/model.safetensors before
expect 2 export good_run -o good_run/model.safetensors; says 'which is read as well'
expect 2 eval photos_run photos --compare good_run --answers good_run/model.safetensors; says 'which is read as well'
expect 2 train digits --epochs 1 -o mnist; says 'option --output: found mnist, the name of a data set; expected another name'
holds "a model is not written over" cmp -s before good_run/model.safetensors

# ---- Folders without a model ----

mkdir empty only half
expect 1 eval empty; says '^deeplda eval: empty: has no model.safetensors yet; a training writes it after its first epoch$'
expect 1 predict data/good good_run
says 'data/good: not a run folder: it has no model.safetensors; expected a model file or a run folder; usage: deeplda predict MODEL FILE'
expect 1 eval nowhere; says 'nowhere: does not exist; expected a model file or a run folder'
cp good_run/options.json only
expect 1 export only -o x.onnx; says 'only: has no model.safetensors yet'; absent x.onnx
cp good_run/checkpoint.safetensors half
expect 1 embed half data/good -o x.npy; says 'half: has no model.safetensors, although 2 epochs are complete'; absent x.npy
expect 0 info half; prints 'half/checkpoint.safetensors: a checkpoint'
expect 1 info only; says 'only: has no model.safetensors yet'
expect 1 train data/good --init empty --net three.net -o bad; says 'train: empty: has no model.safetensors yet'; absent bad

# ---- Files that are no models ----

expect 1 eval good_run/checkpoint.safetensors
says 'good_run/checkpoint.safetensors: found a checkpoint (of a training), expected a model; that of this run is good_run/model.safetensors'
expect 1 eval half/checkpoint.safetensors; says 'expected a model, which its training writes; to continue it: deeplda train --resume half$'
cp -r half 'half a run'
expect 1 eval 'half a run/checkpoint.safetensors'; says "deeplda train --resume 'half a run'$"
mkdir hollow
expect 1 report hollow; says 'hollow: is not a run folder'; lacks err 'cannot open'
"$python" -c "
import random
random.seed(1)
print('a,b,c,label')
for i in range(240): print(random.random(), random.random(), random.random(), i % 3, sep=',')" >noise.csv
expect 0 train noise.csv --net three.net --epochs 8 --validation 60 --tolerance 100 -o tolerant
"$python" - <<'END'
import csv, re, sys
best = kept = 0
lines = [line for line in open("err") if line.startswith("epoch")]
for row, line in zip(csv.DictReader(open("tolerant/history.csv")), lines, strict=True):
    accuracy = float(row["validation_accuracy"])
    if not re.search(" kept$" if accuracy < best else " best$", line): sys.exit(line)
    kept += accuracy < best
    best = max(best, accuracy)
sys.exit(kept == 0)
END
verdict $? "epochs below the best are kept, not best"
expect 1 predict folder.onnx data/zero.png; says 'folder.onnx: found an ONNX file, expected a model; give the model that it was exported from'
expect 1 predict data/zero.png good_run; says 'data/zero.png: found a picture, expected a model file or a run folder; usage: deeplda predict MODEL FILE'
expect 1 predict table.csv data/zero.png; says 'table.csv: found a table (CSV), expected a model file'
expect 2 eval table.csv data/good; says 'table.csv: is a CSV file, not a model'
expect 1 embed folder.npy data/good -o x.npy; says 'folder.npy: found an array of data, expected a model file'
expect 1 eval three.net data/good; says "found a network text, expected a trained model; 'deeplda train DATA --net FILE' trains it"
expect 1 eval good_run/options.json; says 'options.json: a file of a run, expected its folder or a model file'
expect 0 lda table.csv --label kind --save kinds.lda
expect 0 predict kinds.lda table.csv; prints '^table.csv,0,'
expect 1 eval kinds.lda data/good; says "kinds.lda: found an LDA (without a network), expected a model; 'deeplda lda TABLE --apply FILE' applies it"
expect 1 eval good_run data/good --compare data/zero.png; says 'data/zero.png: found a picture'

# ---- The data of a run ----

expect 0 eval photos_run; says "^testing on the run's own data, .*photos: test part$"; prints '^test accuracy'
expect 0 eval photos_run --json; cp out own.json; json "a['part'] == 'test' and a['samples'] == 90"
expect 0 eval photos_run photos --json
holds "eval RUN is eval RUN DATA" "$python" -c "
import json; a, b = (json.load(open(f)) for f in ('own.json', 'out')); del a['data'], b['data']; assert a == b"
expect 0 eval photos_run/model.safetensors --json; holds "the run of a file is found" cmp -s out own.json
says "testing on the run's own data"
cd photos_run || exit 1
expect 0 eval model.safetensors --json; holds "also in the working folder" cmp -s out ../own.json; rm -f out err
expect 0 eval . --json; holds "and from there" cmp -s out ../own.json; rm -f out err
cd ..

# without a test part: the samples held out, as the training printed them
expect 0 eval flat_run; cp out flat.txt
says "own data, .*flat: there is no test part, so on the samples held out for validation"; prints '^validation accuracy'
expect 0 train flat --validation 0.25 --net three.net --batch 60 -q --epochs 2 -o flat_again
holds "the same figures as in training" sh -c 'test "$(head -n 12 out)" = "$(head -n 12 flat.txt)"'
expect 0 eval flat_run --json --svm; json "a['part'] == 'validation' and a['samples'] == 45 and a['svm']['train_samples'] == 135"
expect 0 eval flat_run --json --svm --seed 9; json "a['samples'] == 45 and a['svm']['train_samples'] == 135"
expect 0 eval flat_run --compare flat_again; lacks err 'another division'
expect 0 eval flat_run --json --compare photos_run; says 'photos_run was trained with another division of its data'; json "a['compare']['second']['samples'] == 45"
train flat_none flat --validation 0
expect 1 eval flat_none; says 'has no test part, and the run held nothing out; .*: deeplda eval flat_none DATA'

# the label column is that of the training
expect 0 eval table_run --json; json "a['part'] == 'validation' and a['samples'] == 45 and a['accuracy'] > 0.5"
expect 0 embed table_run -o t.npy --json; json "a['rows'] == 180 and a['labels'] == 't_labels.npy'"
says "features of the run's own data, .*table.csv"
expect 0 refit table_run --lambda 0.5 -o table_run/soft.safetensors; prints 'fitted on 180 samples'; says "the run's own data, .*table.csv"
expect 0 refit table_run --as-trained -o trained.safetensors --json; json "a['samples'] == 135"
expect 0 eval table_run/soft.safetensors --json; json "a['samples'] == 45"

# no run, another run, data that are gone
cp photos_run/model.safetensors alone.safetensors
for command in "eval alone.safetensors" "embed alone.safetensors -o x.npy" "refit alone.safetensors -o x.safetensors"; do
    expect 2 $command; says "alone.safetensors: has no record of a training beside it; name the data: deeplda ${command%% *} alone.safetensors DATA"
done
absent x.npy; absent x.safetensors
cp alone.safetensors table_run/other.safetensors
expect 2 eval table_run/other.safetensors; says "table_run: the run has option --[a-z-]* '.*', the model '.*': it is of another training; name the data"
cp -r good_run lost; rm lost/run.json lost/checkpoint*
expect 2 eval lost; says 'lost: the run does not record its data; name the data: deeplda eval lost DATA'
mv flat moved
expect 1 eval flat_run; says 'flat: no such file or folder.*these are the data of the run flat_run, others can be named: deeplda eval flat_run DATA'
mv moved flat

# ---- Mistakes ----

expect 0 predict photos_run photos/test --json --proba bayes; cp out all.json
expect 0 eval photos_run --mistakes 1000 --proba bayes --json; cp out eval.json
holds "mistakes: those of predict, the lowest probability of the true class first" "$python" - <<'PYTHON'
import json, os
lines = [json.loads(line) for line in open("all.json")]
found = json.load(open("eval.json"))
by_file = {line["file"]: line for line in lines}
wrong = {f for f, line in by_file.items() if line["class"] != f.split("/")[-2]}
mistakes = found["mistakes"]
assert 3 < len(mistakes) == found["samples"] - found["correct"] == len(wrong), (len(mistakes), len(wrong))
assert {"photos/" + m["file"] for m in mistakes} == wrong and all(os.path.exists("photos/" + m["file"]) for m in mistakes)
for m in mistakes:
    line = by_file["photos/" + m["file"]]
    assert m["truth"] == m["file"].split("/")[-2] and m["predicted"] == line["class"] != m["truth"]
    assert abs(m["probability"] - line["probability"]) < 1e-5
    assert abs(m["probability_of_truth"] - line["probabilities"][m["truth"]]) < 1e-5
keys = [(m["probability_of_truth"], -m["probability"], m["index"]) for m in mistakes]
assert keys == sorted(keys)
PYTHON
expect 0 eval photos_run --mistakes 3 --proba bayes; prints '^worst 3 of [0-9]* mistakes: the lowest probabilities of the true class$'
prints '^file  *true  *predicted  *probability  of the true class$'; prints '^test/.*/0[0-9][0-9].png  .*0\.[0-9]*  *[0-9.e-]*$'
holds "three of them" sh -c 'test "$(grep -c "^test/" out)" -eq 3'
expect 0 eval good_run --mistakes 5; prints '^no mistakes$'
expect 0 eval photos_run --json; json "'mistakes' not in a"
# one file has many samples: their index in it, also of held-out ones
expect 0 predict table_run table.csv --label kind --truth --json; cp out all.json
expect 0 eval table_run --mistakes 2 --json; cp out eval.json; json "len(a['mistakes']) == 2 and a['mistakes'][0]['file'] is None"
holds "the index is the row" "$python" - <<'PYTHON'
import json
lines = [json.loads(line) for line in open("all.json")]
for m in json.load(open("eval.json"))["mistakes"]:
    line = lines[m["index"]]
    assert line["truth"] == m["truth"] and line["class"] == m["predicted"] and abs(line["probability"] - m["probability"]) < 1e-4
PYTHON
expect 0 eval table_run --mistakes 2; prints '^index  true'
expect 0 eval photos_run --answers answers.csv
expect 2 eval answers.csv --compare answers.csv --mistakes 3; says '\-\-mistakes and --head are for models'

if command -v gnuplot >/dev/null; then
    expect 0 report photos_run
    holds "hardest.csv has files, classes and probabilities" "$python" - <<'PYTHON'
import csv, json, os
rows = list(csv.DictReader(open("photos_run/figures/hardest.csv", newline="")))
assert len(rows) == 24 and list(rows[0])[:4] == ["sample", "file", "true_class", "predicted_class"]
assert all(os.path.exists("photos/" + row["file"]) and row["file"].split("/")[1] == row["true_class"] for row in rows)
page = open("photos_run/report.html").read()
assert all(row["file"] in page for row in rows)
PYTHON
    expect 0 eval photos_run --mistakes 5 --proba bayes --json
    holds "and begins with the worst mistakes" "$python" -c "
import csv, json
rows = [row for row in csv.DictReader(open('photos_run/figures/hardest.csv', newline='')) if row['true_class'] != row['predicted_class']]
assert [row['file'] for row in rows[:5]] == [m['file'] for m in json.load(open('out'))['mistakes']]"
fi

# ---- True classes ----

expect 0 predict photos_run photos/test --truth; cp out truth.csv; cp err told
holds "predict --truth: the folder's name, and a count" "$python" - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("truth.csv", newline="")))
assert list(rows[0])[:5] == ["file", "index", "truth", "class", "probability"] and len(rows) == 90
assert all(row["truth"] == row["file"].split("/")[-2] for row in rows)
right = sum(row["truth"] == row["class"] for row in rows)
assert open("told").read() == f"{right} of 90 images with a known class were predicted correctly ({100 * right / 90:.2f} %)\n"
PYTHON
mkdir mixed; cp photos/test/cat/000.png mixed/a.png; mkdir mixed/cat; cp photos/test/cat/001.png mixed/cat
expect 0 predict photos_run mixed --truth --json --top 1; prints '"file": "mixed/a.png", "index": 0, "truth": null, '
prints '"file": "mixed/cat/001.png", "index": 0, "truth": "cat", '
says ' of 1 images with a known class'; says '^1 images have no label and are in no folder named after a class of the model$'
expect 0 predict good_run data/good --truth; says '^60 of 60 images with a known class were predicted correctly (100.00 %)$'
expect 0 predict good_run data/good; silent err; prints '^file,index,class,probability,'

finish
