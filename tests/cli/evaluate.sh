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
train lda data/good --net five.net --validation 0
train cce data/good --net three.net --objective cce --validation 0
train part data/good --net five.net
lda=lda/model.safetensors cce=cce/model.safetensors

# ---- Figures ----

expect 0 eval "$lda" data/good; silent err
prints '^test accuracy'; prints '^error [0-9.]* %; calibration error 0\.[0-9]* in 15 bins, probabilities: paper$'
prints '^mean separation [0-9.]*; nearest classes [012] and [012]: Mahalanobis distance [0-9.]*$'
expect 0 eval "$lda" data/good --json --proba bayes; silent err
json "a['head'] == 'lda' and a['probability'] == 'bayes' and 'svm' not in a"
json "0 <= a['calibration_error'] <= 1 and len(a['calibration']) == 15"
json "sum(b['samples'] for b in a['calibration']) == 60 and all((b['accuracy'] is None) == (b['samples'] == 0) for b in a['calibration'])"
json "abs(a['mean_separation'] - sum(a['eigenvalues']) / 2) < 1e-9 and a['nearest_classes']['distance'] > 0"
json "a['nearest_classes']['first'] != a['nearest_classes']['second']"

for run in lda cce; do
    code=0
    "$python" "$root/tools/eval_twin.py" "$program" "$run/model.safetensors" data/good >out 2>err || code=$?
    if [ "$code" -eq 77 ]; then echo "skip  figures of $run against the twin: it needs NumPy and SciPy"
    else grep FAIL out; holds "figures of $run as the twin finds them" test "$code" -eq 0; fi
done

# ---- Heads ----

expect 0 eval "$cce" data/good --head softmax --json; json "a['head'] == 'softmax' and a['probability'] == 'softmax'"
json "len(a['eigenvalues']) == 2 and a['accuracy'] > 0.5"
expect 0 eval "$cce" data/good --head lda --json; json "a['head'] == 'lda' and a['accuracy'] > 0.9"
expect 2 eval "$lda" data/good --head softmax
says 'lda/model.safetensors: the model has no softmax, since it was not trained with objective cce'
says 'deeplda train --objective cce'; silent out
expect 2 eval "$lda" data/good --head sofmax; says "did you mean 'softmax'?"

# ---- SVM ----

expect 0 eval "$lda" data/good --svm --threads 1; prints '^linear SVM on the projected features: accuracy [0-9.]* %'
prints 'trained on 180 samples of data/good; cost '
cp out once
expect 0 eval "$lda" data/good --svm --threads 2; holds "1 and 2 threads give the same" cmp -s out once
expect 0 eval part/model.safetensors data/good --svm --json
json "a['svm']['train_samples'] == 162 and a['svm']['samples'] == 60 and a['svm']['accuracy'] > 0.9"
json "sum(map(sum, a['svm']['confusion'])) == 60 and 0 < a['svm']['cross_validated_accuracy'] <= 1"
expect 0 eval "$lda" data/good/t10k-images-idx3-ubyte --svm --train-data data/good --json
json "a['svm']['train_samples'] == 180 and a['svm']['train_data'] == 'data/good'"
expect 2 eval "$lda" data/good/t10k-images-idx3-ubyte --svm; says 'name them with --train-data DATA'; silent out
expect 2 eval "$lda" data/good --train-data data/good; says 'option train-data is for --svm'
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

finish
