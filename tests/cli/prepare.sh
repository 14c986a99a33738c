#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of the program: preparation and augmentation of images, and parts of the training data.
#
#   tests/cli/prepare.sh PROGRAM
set -u
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_data.py" data || exit 1
printf 'conv 6 3 pad 1\nmaxpool 2\ndense 8\n' >small.net

tiny() { # EXIT_CODE RUN ARGUMENT...: trains on 180 images of 3 classes for a moment
    wanted_code=$1 run=$2
    shift 2
    expect "$wanted_code" train data/good --no-presets --net small.net --epochs 2 --batch 50 -o "$run" "$@"
}
recorded() { # RUN EXPRESSION: Python, with the options of a run as `a`
    cp "$1/options.json" out
    json "$2"
}

# ---- Preparation ----

tiny 0 plain; recorded plain "a['prepare'] == 'scale' and a['flip'] is False and a['shift'] == 0 and a['folds'] == 0"
for list in scale standardise gcn zca gcn,zca scale,standardise,gcn,zca; do
    tiny 0 "p-$list" --prepare "$list"; prints '^test accuracy'
    holds "the run with $list learns" sh -c "grep -q '^test accuracy \([6-9][0-9]\|100\)' out"
    recorded "p-$list" "a['prepare'] == '$list'"
done
tiny 0 whitened --prepare gcn,zca --gcn-scale 10 --gcn-bias 0.5 --zca-bias 0.01; says '^preparing the images: gcn,zca'
recorded whitened "(a['gcn-scale'], a['gcn-bias'], a['zca-bias']) == (10, 0.5, 0.01)"
differ "--prepare changes the model" p-gcn,zca/model.safetensors whitened/model.safetensors
tiny 0 quiet --prepare zca -q; silent err
expect 0 info whitened/model.safetensors; prints '^preparation scale,gcn,zca$'
expect 0 info whitened/model.safetensors --json; json "a['preparation'] == 'scale,gcn,zca'"
expect 0 info plain/model.safetensors; prints '^preparation scale$'

# What eval and predict say of raw images is what the training said.
tiny 0 again --prepare standardise,gcn,zca --flip --shift 1 --threads 1
accuracy=$(sed -n 's/^test accuracy \([0-9.]*\) %.*/\1/p' out)
expect 0 eval again/model.safetensors data/good --batch 7; prints "^test accuracy $accuracy %"
expect 0 predict again/model.safetensors data/good/t10k-images-idx3-ubyte --batch 13; cp out whole
expect 0 predict again/model.safetensors data/zero.png; prints '^data/zero.png,0,0,'
tiny 0 again2 --prepare standardise,gcn,zca --flip --shift 1 --threads 2
holds "1 and 2 threads give the same model" cmp -s again/model.safetensors again2/model.safetensors
tiny 0 unturned --prepare standardise,gcn,zca --shift 1
differ "flips change the model" again/model.safetensors unturned/model.safetensors
recorded again "a['flip'] is True and a['shift'] == 1"

tiny 2 bad --prepare gnc; says "did you mean 'gcn'?"
tiny 2 bad --prepare gcn,gcn; says 'twice'
tiny 2 bad --prepare zca,scale; says 'scale stands behind another step'
tiny 2 bad --prepare ''; says "option --prepare: found ''"
tiny 2 bad --gcn-scale 0; says 'gcn-scale: found 0'
tiny 2 bad --zca-bias -1; says 'option --zca-bias: found -1'
tiny 2 bad --shift 6; says "option --shift: found 6, expected less than the images' side of 6"
tiny 2 bad --shift -1; says 'shift: found -1'
tiny 2 bad --flip=1; says 'takes no value'
expect 2 predict plain/model.safetensors data/zero.png --prepare gcn; says 'not available for predict; it is for: train, bench'
absent bad

# ---- Parts of the training data ----

tiny 0 subset --subset 100 --validation 0; says ': 100 training, 60 test images'; recorded subset "a['subset'] == 100"
tiny 0 subset2 --subset 100; says ': 90 training, 10 validation'
tiny 0 fold1 --folds 3 --fold 1; says ': 120 training, 60 validation'; recorded fold1 "a['folds'] == 3 and a['fold'] == 1"
tiny 0 fold2 --folds 3 --fold 2; says ': 120 training, 60 validation'
differ "folds differ" fold1/history.csv fold2/history.csv
tiny 0 both --subset 90 --folds 3 --fold 3; says ': 60 training, 30 validation'
tiny 0 seed5 --seed 5 --split-seed 1
tiny 0 seed5again --seed 5 --split-seed 1
tiny 0 seed5other --seed 5
tiny 0 seed5same --seed 5 --split-seed 5
holds "the same seeds, the same model" cmp -s seed5/model.safetensors seed5again/model.safetensors
differ "another split, another model" seed5/history.csv seed5other/history.csv
holds "a split seed is that of --seed by default" cmp -s seed5same/eigenvalues.csv seed5other/eigenvalues.csv
recorded seed5 "a['split-seed'] == 1 and a['seed'] == 5"

tiny 2 bad --subset 181; says 'subset: found 181, expected at most the 180 training samples'
tiny 2 bad --subset 40; says 'option --batch: found 50, expected at most the 36 training samples'
tiny 2 bad --folds 3; says 'option --folds needs option --fold, from 1 to 3'
tiny 2 bad --folds 3 --fold 4; says 'fold: found 4, expected 1 to 3'
tiny 2 bad --folds 1 --fold 1; says 'folds: found 1, expected at least 2'
tiny 2 bad --folds 181 --fold 1; says 'folds: 181, expected 2 to 180'
tiny 2 bad --fold 1; says '^deeplda train: data/good: fold: the data set has no folds of its own; option --folds makes some'
tiny 2 bad --subset 50 --validation 50; says 'validation: found 50, expected less than the 50 training samples'
absent bad

# ---- Benchmark ----

expect 0 bench --net mlp --batch 8 --repeats 2 --part step --flip --shift 2 --prepare standardise,gcn; prints '^  loader '
expect 0 bench --net mlp --batch 8 --repeats 2 --part step --json; json "a['loader_seconds'] > 0"
expect 0 bench --net mlp --batch 8 --repeats 1 --part inference --json; json "a['loader_seconds'] is None"
expect 2 bench --net stl10 --batch 4 --repeats 1 --part step --prepare zca; says '27648 values, expected 1 to 7000; option --resize'

finish
