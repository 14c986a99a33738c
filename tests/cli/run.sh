#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of the program deeplda, from the outside.
#
#   tests/cli/run.sh PROGRAM
#
# Each check prints a line that starts with "ok" or "FAIL"; the exit status is 0 only if none failed.
set -u
. "$(dirname "$0")/checks.sh"

tiny() { # EXIT_CODE RUN ARGUMENT...: trains for a moment
    wanted_code=$1 run=$2
    shift 2
    expect "$wanted_code" train "$@" --net mlp --epochs 2 --batch 60 -o "$run"
}

"$python" "$here/make_data.py" data || exit 1

# ---- Help, version, mistakes on the command line ----

commands="train eval refit predict embed lda export report reproduce info bench data"
verbs="list fetch check convert show"
expect 0 --help; prints '^Usage: deeplda'; prints '  train '; silent err
prints '^  deeplda train photos/'; prints '^  deeplda eval run'; prints '^  deeplda predict run'; prints '^  deeplda report run'
expect 0 help train; prints '^Usage: deeplda train'
expect 0 help data show; prints '^Usage: deeplda data show'
expect 0 --version; prints '^deeplda [0-9]*\.[0-9]*\.[0-9]*$'
for command in $commands; do
    expect 0 "$command" --help; prints '^Examples:'; prints '--help'; silent err
    [ "$command" = data ] || prints '^      --json  '
done
for verb in $verbs; do
    expect 0 data "$verb" --help; prints "^Usage: deeplda data $verb "; prints '^Examples:'; prints '^  -h, --help'
    prints '^      --json  '; silent err
done
{ "$program" --help; for c in $commands; do "$program" "$c" -h; done; for v in $verbs; do "$program" data "$v" -h; done; } >helps
grep -v '^  deeplda\|^Documentation' helps | awk 'length > 80' >out
holds "help fits in 80 columns" test ! -s out

# Help speaks of its own command alone, and of options with their dashes.
grep -E "^ {26}.*\b(train|eval|refit|predict|embed|lda|export|report|reproduce|info|bench|data [a-z]+): " helps >out
holds "help of a command addresses no other command" test ! -s out
expect 0 lda --help; prints '^  -o, --output PATH  *\.npy or \.csv file for the projected rows'
expect 0 train --help; prints '^  -o, --output PATH  *Run folder\. \[run\]'; prints '^      --flip, --no-flip  '; prints '(option --halve-every)'
lacks out 'the experiment'
expect 0 reproduce --help; prints "Number of epochs instead of the experiment's\.$"; prints 'PATH  *Folder for all runs'; lacks out '\[12\]'
expect 0 embed --help; prints 'Images per batch; more need more memory'; lacks out 'training with'; lacks out 'per image or'
expect 0 data show --help; prints '^  -n, --count N'; lacks out '--to '; lacks out '--force'
expect 0 data --help; prints '^  show  *Write a contact sheet'; lacks out '--count N'

# Each page that help refers to is in the folder that it names.
folder=$(sed -n 's/^Documentation: docs\/ in //p' helps | sort -u)
holds "help names one folder of documents ($folder)" test -d "$folder/docs"
for page in $(grep -o 'docs/[a-z_]*\.md' helps | sort -u); do
    holds "$page is there" test -s "$folder/$page"
done
expect 2; says '^Usage: deeplda'; silent out
expect 2 trian; says "did you mean 'train'?"; says "deeplda --help"
expect 2 frobnicate; says "unknown command"
expect 2 --frobnicate
expect 2 train --epoch 3; says 'did you mean --epochs?'; says "deeplda train --help"
expect 2 train --zzzzzzzz; says 'unknown option --zzzzzzzz'
expect 2 train -z
expect 2 eval --epochs 3 m; says 'not available for eval'
expect 2 train --epochs; says 'needs a value'
expect 2 train --epochs=many; says 'expected a whole number'
expect 2 train -e0
expect 2 train --threads 5000; says 'threads: found 5000, expected 0 to '
expect 2 train --batch 1; says 'batch: found 1, expected '
expect 2 train --batch 10000000000; says 'batch: found 10000000000, expected '
expect 2 train --objective ldaa; says "did you mean 'lda'?"
expect 2 train --force=yes; says 'takes no value'
expect 2 train a b; says "unexpected argument 'b'"
expect 2 eval; says 'expected MODEL'
expect 2 predict model; says 'expected MODEL FILE'
expect 2 train data/good --validation 1.5; says 'validation'
expect 2 train data/good --validation 180; says 'validation'

# ---- Bad data ----

tiny 1 bad data/missing; says 'data/missing'
tiny 1 bad data/wrong_magic; says 'magic'
tiny 1 bad data/one_class; says '^deeplda train: data/one_class: .*class'
tiny 1 bad data/fewer_labels; says '100'
tiny 1 bad data/promises; says 'promises'
tiny 1 bad data/empty
tiny 1 bad data/cut; says 'cut short'
tiny 1 bad data/no_bytes; says 'no_bytes/train-images-idx3-ubyte: '
tiny 1 bad data/bad_test; says 't10k'
tiny 1 bad data/half_test; says 'data/half_test: .*t10k-labels'
tiny 1 bad data/large_test; says 'data/large_test: test images are 8 x 8 x 1, training images are 6 x 6 x 1'
tiny 1 bad data/more_classes; says 'data/more_classes: test images have 5 classes, training images have 3'
lacks err '^epoch' # no step is done for data that do not fit
expect 2 train data/good --net mlp --batch 500 -o bad; says '500'
expect 1 train data/good --net mnist --batch 60 -o bad; says '28 *x *28.*6 *x *6'
expect 2 train data/good --net mnits --batch 60 -o bad; says "did you mean 'mnist'?"
expect 2 train data/good --net mlp.net --batch 60 -o bad; says "mlp.net.*did you mean 'mlp'?"
printf 'dense 8\n# a comment\nconvv 3 3\n' >bad.net
expect 1 train data/good --net bad.net --batch 60 -o bad; says 'bad.net: line 3'; says "did you mean 'conv'?"
: >empty.net
expect 1 train data/good --net empty.net --batch 60 -o bad; says 'empty.net: no layers'
expect 1 train data/good --net data --batch 60 -o bad; says 'data: a folder, expected a file'
absent bad

# ---- Training ----

tiny 0 run1 data/good
prints '^test accuracy [0-9.]* %'; prints '^confusion'; prints '^2 eigenvalues'; prints 'run1/model.safetensors'
holds "one line per epoch" test "$(grep -c '^epoch' err)" -eq 2
for file in model.safetensors history.csv eigenvalues.csv options.json; do
    holds "run1/$file is there" test -s "run1/$file"
done
holds "history.csv has a line per epoch" test "$(wc -l <run1/history.csv)" -eq 3
cp run1/model.safetensors before
tiny 1 run1 data/good; says 'run1'; says '--force'
holds "a refused run changes nothing" cmp -s before run1/model.safetensors
tiny 0 run1 data/good --force --seed 2
differ "--force wrote a new model" before run1/model.safetensors
tiny 0 deep/er/run data/good -q; prints 'deep/er/run/model.safetensors'
tiny 0 quiet data/good --quiet; silent err; prints '^test accuracy'
tiny 0 no_test data/no_test; says 'no test part'; prints '^validation accuracy'
tiny 0 nothing data/no_test --validation 0; prints 'unknown'
tiny 0 single data/good/train-images-idx3-ubyte.gz --validation 40; says 'no test part'; prints 'of 40 correct'
printf 'dense 8\nbn\nrelu\ndense 3\n' >three.net
expect 0 train -qe1 -b60 --net=three.net --objective cce -o cce -- data/good; silent err; prints '^test accuracy'

tiny 0 again1 data/good --seed 2 --threads 1
tiny 0 again2 data/good --seed 2 --threads 2
holds "1 and 2 threads give the same model" cmp -s again1/model.safetensors again2/model.safetensors
holds "and the same eigenvalues" cmp -s again1/eigenvalues.csv again2/eigenvalues.csv

expect 0 train --resume again2; says '^the training in again2 is complete; more epochs: --epochs N$'
tiny 1 again2 data/good; says 'again2: the folder already exists; .* --resume'

for signal in INT TERM; do
    holds "SIG$signal stops after a batch and keeps the model" \
        "$python" "$here/interrupt.py" "$program" data/good "stopped$signal" "$signal"
    holds "SIG$signal in the first epoch leaves a checkpoint and no model" \
        "$python" "$here/interrupt.py" "$program" digits "early$signal" "$signal" early
    expect 1 eval "early$signal"
    says "early$signal: has no model.safetensors yet, .*; [0-9]* batches of it are done. .*: deeplda train --resume early$signal\$"
done
tiny 1 burst data/good --rate 1000000 --decay 1; says 'epoch 1, batch'; absent burst
mkdir kept
tiny 1 kept data/good --rate 1000000 --decay 1 --force; holds "a folder that was there stays" test -d kept

# ---- Evaluation ----

model=again1/model.safetensors
expect 0 eval "$model" data/good; prints '^test accuracy'; prints '^class'; prints '^2 eigenvalues'; silent err
expect 0 eval "$model" data/good --json; silent err
holds "one line of JSON" test "$(wc -l <out)" -eq 1
json "0 <= a['accuracy'] <= 1 and a['samples'] == 60 and a['correct'] == round(a['accuracy'] * 60)"
json "abs(a['error_percent'] - 100 * (1 - a['accuracy'])) < 1e-9 and a['log_loss'] >= 0"
json "len(a['eigenvalues']) == 2 and a['eigenvalues'][0] >= a['eigenvalues'][1]"
json "[c['name'] for c in a['classes']] == ['0', '1', '2'] and all(c['samples'] == 20 for c in a['classes'])"
json "all('recall' in c and 'precision' in c for c in a['classes'])"
json "sum(map(sum, a['confusion'])) == 60 and sum(a['confusion'][i][i] for i in range(3)) == a['correct']"
json "a['accuracy'] > 0.9"
expect 0 eval "$model" data/good --json --proba bayes; json "a['accuracy'] > 0.9"
expect 0 eval "$model" data/good/t10k-images-idx3-ubyte --json; json "a['samples'] == 60"
expect 1 eval "$model" digits; says '^deeplda eval: digits: images are 28 x 28 x 1, the model expects 6 x 6 x 1'
expect 1 eval "$model" data/more_classes; says 'data/more_classes: images have 5 classes, the model has 3'
expect 1 eval "$model" data/no_test; says '^deeplda eval: data/no_test: found no t10k-images'
expect 1 eval "$model" data/no_bytes/train-images-idx3-ubyte; says 'train-images-idx3-ubyte: ends after 0 bytes'
expect 0 eval "$model" data/good --batch 1000000000 --json; json "a['samples'] == 60"
expect 1 eval missing.safetensors data/good; says 'missing.safetensors'
expect 1 eval data/zero.png data/good; says 'zero.png'
head -c 1000 "$model" >cut.safetensors
expect 1 eval cut.safetensors data/good; says 'cut.safetensors'
: >empty.safetensors
expect 1 eval empty.safetensors data/good; says 'empty.safetensors: 0 bytes'
expect 1 eval data data/good; says 'data: not a run folder: it has no model.safetensors'

# ---- Prediction ----

expect 0 predict "$model" data/good/t10k-images-idx3-ubyte --batch 7; silent err
prints '^file,index,class,probability,0,1,2$'
holds "a header and 60 lines" test "$(wc -l <out)" -eq 61
expect 0 predict "$model" data/zero.png 'data/two, "quoted".png'
prints '^data/zero.png,0,0,'; prints '^"data/two, ""quoted"".png",0,2,'
expect 0 predict "$model" data/zero.png --json
json "a['file'] == 'data/zero.png' and a['index'] == 0 and a['class'] == '0'"
json "abs(sum(a['probabilities'].values()) - 1) < 1e-5 and a['probability'] == max(a['probabilities'].values())"
expect 0 predict "$model" 'data/two, "quoted".png' --json; json "a['file'] == 'data/two, \"quoted\".png'"
expect 1 predict "$model" data/missing.png data/broken.png data/large.png data/zero.png
says 'missing.png'; says 'broken.png'; says 'large.png: .*8 x 8'; prints '^data/zero.png,0,0,'
expect 0 predict "$model" data/zero.png -o answers.csv; silent out
holds "answers.csv is written" grep -q '^data/zero.png,0,0,' answers.csv
expect 0 predict "$model" data/zero.png -o /dev/null
holds "/dev/null stays a device" test -c /dev/null
expect 1 predict "$model" data/zero.png -o nowhere/answers.csv; says 'nowhere/answers.csv'
expect 1 predict missing.safetensors data/zero.png -o none.csv; absent none.csv
expect 0 predict "$model" data/zero.png --batch 1000000000; prints '^data/zero.png,0,0,'
expect 0 predict "$model" data/zero.png data/good/t10k-images-idx3-ubyte data/zero.png
holds "room grows with the files" test "$(wc -l <out)" -eq 63
: >empty.png
expect 1 predict "$model" empty.png; says 'empty.png: not a known format'; silent out
expect 1 predict "$model" data/bad_test; says '^deeplda predict: data/bad_test'; silent out
for form in csv json; do
    [ "$form" = json ] && flag=--json || flag=--proba=paper
    expect 1 predict "$model" data/missing.png data/large.png "$flag" -o "none.$form"; absent "none.$form"
    cp answers.csv "older.$form"
    expect 1 predict "$model" data/missing.png "$flag" -o "older.$form"
    holds "an older file stays whole if nothing can be used" cmp -s answers.csv "older.$form"
done
expect 1 predict "$model" data/missing.png -o /dev/null
expect 1 predict "$model" data/missing.png data/zero.png -o some.csv
holds "a header and a line for the file that could be used" test "$(wc -l <some.csv)" -eq 2

# ---- Pictures in folders, sizes, formats ----

tiny 0 album data/pictures; says 'pictures: 162 training, 18 validation, 40 test images of 6 x 6 x 1, 3 classes'
album=album/model.safetensors
expect 0 eval "$album" data/pictures --json; silent err
json "[c['name'] for c in a['classes']] == ['class 0', 'class 1', 'class 2']"
json "[c['samples'] for c in a['classes']] == [0, 20, 20] and a['accuracy'] > 0.9"
expect 0 predict "$album" data/album; silent err; prints '^data/album/0 of 3.png,0,class 0,'
prints '^data/album/2 of 3.png,0,class 2,'; holds "a line per picture" test "$(wc -l <out)" -eq 4
expect 1 predict "$album" data/spoiled; says 'spoiled/bad.png: not a valid PNG'; prints '^data/spoiled/good.png,0,class 1,'
holds "only the good picture" test "$(wc -l <out)" -eq 2
expect 1 predict "$album" data/large.png; says 'large.png: .*8 x 8'
expect 0 predict "$album" data/large.png --resize 6; prints '^data/large.png,0,'
tiny 0 mixed data/sizes; says 'sizes: pictures of 6 x 6 to 8 x 8 (height, width) are resized to 6 x 6; option --resize'
holds "the size is recorded" grep -q '"resize": "6x6"' mixed/options.json
tiny 1 bad data/hollow; says 'hollow: a folder without pictures is no class; left out: class 1'; says 'the data has 1 class'
tiny 1 bad data/album; says 'album: found no folder in it'
absent bad
tiny 0 sized data/sizes --resize 4x5; says 'images of 4 x 5 x 1'
holds "the size is recorded" grep -q '"resize": "4x5"' sized/options.json
expect 0 eval sized/model.safetensors data/pictures --json; silent err; json "a['samples'] == 40"
expect 0 predict sized/model.safetensors data/large.png; prints '^data/large.png,0,class '
expect 2 eval sized/model.safetensors data/sizes --resize 4x; says 'expected a size as 32 or 32x48'
expect 1 eval sized/model.safetensors data/pictures --resize 7; says 'images are 7 x 7 x 1, the model expects 4 x 5 x 1'
tiny 0 cifar data/cifar --format cifar10; says '162 training, 18 validation images of 32 x 32 x 3, 10 classes'
expect 0 predict cifar/model.safetensors data/cifar/data_batch_1.bin; prints ',airplane,'
holds "a line per record" test "$(wc -l <out)" -eq 37
expect 2 train data/cifar --format cifra10 -o bad; says "found 'cifra10', expected one of digits, npy"
expect 1 train data/good --format stl10 -o bad; says 'found no train_X.bin'
absent bad

# ---- Information ----

expect 0 info "$model"; prints '6 x 6 x 1'; prints '^2 eigenvalues'; prints 'dense'; prints 'epochs'
expect 0 info "$model" --json
json "a['kind'] == 'model' and a['input'] == [6, 6, 1] and a['classes'] == ['0', '1', '2']"
json "len(a['eigenvalues']) == 2 and 'dense' in a['network'] and a['options']['seed'] == 2"
expect 0 info mnist; prints 'conv'; prints '^memory with 250 images'
expect 0 info mnist --batch 1000; prints '^memory with 1000 images at once: training [0-9.]* MB, inference [0-9.]* MB$'
expect 0 info mnist --json; json "a['kind'] == 'network' and 'conv 64 3' in a['network']"
json "a['batch'] == 250 and a['training_bytes'] > a['inference_bytes'] > 0"
expect 0 info "$model" --json --batch 20; json "a['batch'] == 20 and a['training_bytes'] > 0"
expect 0 info mlp; prints 'dense'
for word in missing.net bad.net cut.safetensors missing/zero.png; do
    code=0; "$program" info "$word" >out 2>err || code=$?
    holds "info $word is refused" test "$code" -ne 0; says "$word"; silent out
done

# ---- Files that are none ----

patient() { # ARGUMENT...: must fail at once and name the pipe, not wait for a writer
    code=0
    timeout 5 "$program" "$@" >out 2>err </dev/null || code=$?
    holds "exit 1 (found $code) for a pipe: deeplda $*" test "$code" -eq 1
    says 'pipe'; silent out
}
mkdir pipes
mkfifo pipes/train-images-idx3-ubyte
cp data/no_test/train-labels-idx1-ubyte pipes
patient train pipes --net mlp -o bad
patient train pipes/train-images-idx3-ubyte --net mlp -o bad
patient train data/good --net pipes/train-images-idx3-ubyte --batch 60 -o bad
patient eval "$model" pipes/train-images-idx3-ubyte
patient eval pipes/train-images-idx3-ubyte data/good
patient predict "$model" pipes/train-images-idx3-ubyte
patient predict pipes/train-images-idx3-ubyte data/zero.png
patient info pipes/train-images-idx3-ubyte
patient bench --net pipes/train-images-idx3-ubyte
absent bad

if [ "$(id -u)" -ne 0 ]; then # nothing is unreadable for root
    cp -r data/good secret
    chmod 000 secret/t10k-images-idx3-ubyte
    cp "$model" secret.safetensors
    chmod 000 secret.safetensors
    tiny 1 bad secret; says 't10k-images-idx3-ubyte: cannot open: Permission denied'; absent bad
    expect 1 eval "$model" secret; says 't10k-images-idx3-ubyte: cannot open: Permission denied'
    expect 1 predict "$model" secret/t10k-images-idx3-ubyte; says 'Permission denied'; silent out
    expect 1 info secret.safetensors; says 'secret.safetensors: .*Permission denied'; silent out
    expect 1 predict secret.safetensors data/zero.png; says 'secret.safetensors: .*Permission denied'; silent out
else
    echo "skip  unreadable files: root may read them"
fi

# ---- Benchmark: that it measures, not how fast ----

expect 0 bench --net mlp --batch 8 --repeats 2 --threads 1; silent err
prints '^training step'; prints '^  backward'; prints '^inference'; prints 'dense 256'; prints '^memory'
expect 0 bench --net mlp --batch 8 --repeats 2 --threads 2 --json; silent err
holds "one line of JSON" test "$(wc -l <out)" -eq 1
json "(a['net'], a['batch'], a['threads'], a['repeats']) == ('mlp', 8, 2, 2)"
json "all(a[k] > 0 for k in ('images_per_second', 'step_seconds', 'step_gflop', 'machine_peak_gflops'))"
json "all(a[k] > 0 for k in ('inference_images_per_second', 'single_images_per_second'))"
json "a['machine_gigabytes_per_second'] > 0"
json "a['peak_bytes'] > a['plan_bytes'] > 0 and a['peak_bytes'] > a['base_bytes'] > 0"
json "abs(a['images_per_second'] * a['step_seconds'] - 8) < 1e-6"
json "sorted(a['phases']) == ['backward', 'forward', 'gather', 'objective', 'optimiser']"
json "0 < sum(a['phases'].values())"
json "[r['name'] for r in a['layers']] == ['dense 256', 'dense 128', 'dense 10']"
for pass in forward backward_data backward_weights; do
    json "all(r['$pass'][k] > 0 for r in a['layers'] for k in ('seconds', 'gflops', 'bytes'))"
done
printf 'input 6 5 8\nconv 4 3 pad 1\n' >layer.net
expect 0 bench --net layer.net --batch 2 --part layers --json
json "a['step_seconds'] is None and a['inference_images_per_second'] is None and len(a['layers']) == 1"
json "a['layers'][0]['in'] == [6, 5, 8] and a['layers'][0]['out'] == [6, 5, 4]"
expect 0 bench --net mlp --batch 20 --part inference --repeats 1 --json
json "a['images_per_second'] is None and a['inference_images_per_second'] > 0 and a['layers'] == []"
expect 0 bench --net mlp --batch 20 --part step --objective cce --repeats 1 --json; json "a['objective'] == 'cce'"
expect 0 bench --net mlp --batch 20 --part single --repeats 1 --json
json "a['inference_images_per_second'] is None and a['single_images_per_second'] > 0"
for part in step inference single; do
    printf '\n\n' | "$program" bench --net mlp --batch 8 --part $part --repeats 2 --paced >out 2>err
    holds "paced $part: ready, and one line per line of input" test "$(head -n 1 out) $(grep -c '^{.*}$' out)" = "ready 2"
    silent err
done
expect 2 bench --net mlp --batch 8 --paced; says 'expected the part step, inference or single'; silent out
expect 2 bench --net mlp --batch 2; says 'expected at least 4'; silent out
expect 2 bench --net mnits; says "did you mean 'mnist'?"
expect 1 bench --net bad.net; says 'bad.net: line'
expect 2 bench word; says 'unexpected argument'

# ---- A full disk ----

# Files of at most 4 blocks can be written: 2 KB, or 4 KB in some shells. Less would be too little for LLVM's OpenMP,
# which keeps a note of 1 KB in shared memory.
limited() { # EXIT_CODE ARGUMENT...
    wanted=$1
    shift
    (ulimit -f 4 && exec "$program" "$@") >out 2>err </dev/null
    code=$?
    [ "$code" -eq "$wanted" ]
    verdict $? "exit $wanted (found $code) when files are limited: deeplda $*"
}
limited 1 train data/good --net mlp --epochs 2 --batch 60 -o full -q
says '^deeplda train: .*full/checkpoint-next.safetensors: cannot write: .*too large'; absent full; absent full/model.safetensors
images=data/good/t10k-images-idx3-ubyte
limited 1 predict "$model" $images $images -o full.csv; says '^deeplda predict: full.csv: cannot write: .*too large'
absent full.csv
cp answers.csv older.csv
limited 1 predict "$model" $images $images -o older.csv; says 'older.csv: cannot write: .*too large'
holds "an older file stays whole" cmp -s answers.csv older.csv
if [ -c /dev/full ]; then
    for words in "--help" "info mnist" "eval $model data/good" "predict $model data/zero.png"; do
        code=0
        # shellcheck disable=SC2086  # words of a command line
        "$program" $words >/dev/full 2>err || code=$?
        holds "exit 1 (found $code) when stdout is full: $words" test "$code" -eq 1; says 'cannot write'
    done
fi

# ---- Documents ----

"$program" --options-markdown >out
holds "docs/options.md is up to date (make docs)" cmp -s out "$root/docs/options.md"
"$program" --options-man >options.man
sed -n '/^\.\\" options: begin/,/^\.\\" options: end/p' "$root/docs/deeplda.1" | sed '1d;$d' >out
holds "the man page's options are up to date (make docs)" cmp -s options.man out

holds "no temporary files are left" test -z "$(find . -name '*.tmp*')"

finish
