#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of `deeplda predict` and `deeplda embed`, from the outside: pictures in every way they can come, what becomes of
# those that cannot be used, and arrays that NumPy opens.
#
#   tests/cli/predict.sh PROGRAM
#
# Each check prints a line that starts with "ok" or "FAIL"; the exit status is 0 only if none failed.
set -u
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_data.py" data || exit 1
expect 0 train data/pictures --net mlp --epochs 3 --batch 60 -o run -q
model=run/model.safetensors

feed() { # FILE EXIT_CODE ARGUMENT...: runs the program with that file as its standard input
    input=$1 wanted=$2
    shift 2
    "$program" "$@" >out 2>err <"$input"
    code=$?
    [ "$code" -eq "$wanted" ]
    verdict $? "exit $wanted (found $code): deeplda $* < $input"
}
lines() { holds "$1 lines" test "$(wc -l <out)" -eq "$1"; }
numpy() { # EXPRESSION: Python, with NumPy as `n`
    "$python" -c "
import numpy as n, sys
sys.exit(0 if ($1) else 1)"
    verdict $? "NumPy: $1"
}

# ---- The best classes, and images that are of none ----

expect 0 predict "$model" data/album --top 2; silent err; lines 4
prints '^file,index,class,probability,class_2,probability_2$'
prints '^data/album/0 of 3.png,0,class 0,[0-9.e-]*,class [12],'
expect 0 predict "$model" data/album --top 99; prints ',class_3,probability_3$'
expect 0 predict "$model" data/zero.png --top 3 --json
json "[t['class'] for t in a['top']][0] == a['class'] == 'class 0' and 'probabilities' not in a"
json "len({t['class'] for t in a['top']}) == 3"
json "[t['probability'] for t in a['top']] == sorted((t['probability'] for t in a['top']), reverse=True)"
expect 2 predict "$model" data/zero.png --top -1; says 'option --top: found -1'

expect 0 predict "$model" data/pictures/train --reject 0.01; silent err; lines 181
prints '^file,index,class,probability,distance,p_value,rejected,class 0,class 1,class 2$'
holds "few of the training images are rejected" \
    sh -c "test \$(grep -c ',true,' out) -lt 20 && test \$(grep -c ',false,' out) -gt 160"
expect 0 predict "$model" data/strange --reject 0.01; lines 4
holds "what is like nothing in the training set is rejected" test "$(grep -c ',true,' out)" -eq 2
expect 0 predict "$model" data/strange/chess.png --reject 0.01 --json; json "a['rejected'] is True and a['p_value'] <= 0.01 and a['distance'] > 0"
expect 0 predict "$model" data/zero.png --reject 0.01 --json; json "a['rejected'] is False and 0.01 < a['p_value'] <= 1 and a['distance'] >= 0"
expect 2 predict "$model" data/zero.png --reject 1.5; says 'option --reject: found 1.5, expected 0 to'

# ---- Folders ----

expect 0 predict "$model" data/pictures/test; silent err; lines 41
prints '^data/pictures/test/class 1/000.png,0,class 1,'; prints '^data/pictures/test/class 2/039.png,0,class 2,'
expect 1 predict "$model" data/sizes; lines 91
says '^deeplda predict: data/sizes/class 2/090.png: 8 x 8 pixels .*, expected 6 x 6; option --resize 6x6'
holds "only that is said" test "$(wc -l <err)" -eq 1
expect 0 predict "$model" data/sizes --resize 6; silent err; lines 92
expect 1 predict "$model" data/zero.png --resize 7; says 'are to become 7 x 7, the model expects 6 x 6'; silent out
mkdir mixed mixed/deeper mixed/.hidden
cp data/zero.png mixed/a.png
cp data/broken.png mixed/b.png
cp data/zero.png mixed/deeper/c.png
cp data/zero.png mixed/.hidden/d.png
cp data/zero.png mixed/.e.png
echo words >mixed/f.txt
ln -s . mixed/again
expect 1 predict "$model" mixed --batch 2; lines 3; prints '^mixed/a.png,'; prints '^mixed/deeper/c.png,'
says 'mixed/b.png: not a valid PNG'; says 'mixed/f.txt: neither a PNG nor a JPEG'; says 'mixed/again: a folder, expected a file'
holds "a line for each that is bad" test "$(wc -l <err)" -eq 3
mkdir -p hollow/inside
cp data/zero.png mine.png
expect 2 predict "$model" mine.png -o mine.png; says 'which is read as well'; holds "the picture is as before" cmp -s data/zero.png mine.png
expect 1 predict "$model" hollow; says 'hollow: no pictures in this folder'; silent out

expect 0 predict "$model" data/pictures/test -o whole.csv
for batch in 2 7 40; do
    expect 0 predict "$model" data/pictures/test --batch $batch --threads 2 -o part.csv
    cut -d , -f 1-3 part.csv >found
    cut -d , -f 1-3 whole.csv >wanted
    holds "the same classes in batches of $batch" cmp -s found wanted
done
for threads in 1 2 3; do
    expect 0 predict "$model" data/pictures/test --threads $threads -o part.csv
    holds "the same answers with $threads threads" cmp -s part.csv whole.csv
done

# ---- The standard input ----

feed data/zero.png 0 predict "$model" -; silent err; prints '^-,0,class 0,'; lines 2
feed data/zero.png 0 predict "$model" data/album - data/zero.png; lines 6; prints '^-,0,class 0,'
feed data/broken.png 1 predict "$model" -; says '^deeplda predict: standard input: not a valid PNG'; silent out
feed data/large.png 1 predict "$model" -; says '^deeplda predict: standard input: 8 x 8 pixels'; silent out
feed data/large.png 0 predict "$model" - --resize 6; lines 2
(echo before; "$program" predict "$model" data/pictures/test -o /dev/stdout; echo after) >>joined 2>err </dev/null
holds "/dev/stdout is added to" test "$(head -n 1 joined) $(tail -n 1 joined) $(grep -c '^file,' joined)" = "before after 1"
feed /dev/null 1 predict "$model" -; says 'standard input: 0 bytes, expected a PNG or JPEG picture'; silent out
feed data/good/t10k-images-idx3-ubyte 1 predict "$model" -; says 'standard input: neither a PNG nor a JPEG'; silent out
feed data/zero.png 2 predict "$model" - -; says 'can be read once only'
feed data/zero.png 2 predict "$model" - --list; says 'can be read once only'

find data/pictures/test -name '*.png' | sort >names
feed names 0 predict "$model" --list -o listed.csv; silent err
holds "a list gives the same answers as a folder" cmp -s listed.csv whole.csv
printf 'data/zero.png\n\ndata/missing.png\ndata/album\ndata/good/t10k-images-idx3-ubyte\ndata/broken.png\ndata/zero.png' >names
feed names 1 predict "$model" --list; lines 66; says 'missing.png: no such file'; says 'broken.png: not a valid PNG'
holds "in the order of the list" test "$(sed -n '2p;66p' out | grep -c '^data/zero.png,0,class 0')" -eq 2
"$python" -c "print('x' * 200000 + '\ndata/zero.png')" >names
feed names 1 predict "$model" --list; lines 2; says 'a line of more than 65536 bytes: xxxx'
feed /dev/null 0 predict "$model" --list; silent out; silent err
holds "a list is answered line by line" "$python" "$here/list.py" "$program" "$model" data

# ---- embed ----

expect 0 embed "$model" data/pictures -o test.npy; silent err; prints '^  test.npy  40 x 2$'; prints '^  test_labels.npy$'
numpy "n.load('test.npy').shape == (40, 2) and n.load('test.npy').dtype == n.dtype('<f4')"
numpy "(n.load('test_labels.npy') == [1] * 20 + [2] * 20).all() and n.load('test_labels.npy').dtype == n.dtype('<i4')"
expect 0 embed "$model" data/pictures --from train -o train.npy --json
json "a == {'features': 'train.npy', 'labels': 'train_labels.npy', 'rows': 180, 'columns': 2}"
# In the discriminant space the classes have variance 1, but for lambda; the means of the classes lie apart.
numpy "(lambda z, y: abs(n.mean([z[y == c].var(axis=0, ddof=1) for c in range(3)], axis=0) - 1).max() < 0.2)(
    n.load('train.npy'), n.load('train_labels.npy'))"
expect 0 embed "$model" data/pictures --from train --raw -o raw.npy; prints '^  raw.npy  180 x 3$'
numpy "n.isfinite(n.load('raw.npy')).all() and n.load('raw.npy').shape == (180, 3)"
expect 0 lda train.npy --json; json "a['rows'] == 180 and a['features'] == 2 and a['accuracy'] > 0.9"
expect 0 eval "$model" data/pictures --json
for threads in 1 2 3; do
    expect 0 embed "$model" data/pictures -o again.npy --threads $threads
    holds "the same features with $threads threads" cmp -s again.npy test.npy
done
cp test_labels.npy older_labels.npy
expect 0 embed "$model" data/album -o older.npy; silent err; prints '^  older.npy  3 x 2$'
absent older_labels.npy
expect 0 embed "$model" data/zero.png -o one.npy; numpy "n.load('one.npy').shape == (1, 2)"; absent one_labels.npy
cp data/good/t10k-images-idx3-ubyte alone
expect 0 embed "$model" alone -o alone.npy --json; json "a['labels'] is None and a['rows'] == 60"
expect 0 embed "$model" data/no_test -o all.npy; prints '^  all.npy  180 x 2$'
expect 1 embed "$model" data/no_test --from test -o none.npy; says 'no_test: found no t10k'; absent none.npy
expect 2 embed "$model" data/good; says 'expected -o FEATURES.npy'
expect 2 embed "$model" data/good -o none.txt; says "found 'none.txt', expected a name that ends in .npy or .csv"; absent none.txt
expect 0 embed "$model" data/pictures -o test.csv; silent err; prints '^  test.csv  40 x 2$'; absent test_labels.csv
holds "a header with the class" test "$(head -1 test.csv)" = LD1,LD2,class
holds "a line for each image" test "$(wc -l <test.csv)" -eq 41
expect 0 embed "$model" data/zero.png --raw -o raw.csv; holds "no class" test "$(head -1 raw.csv | cut -d , -f 1,2)$(grep -c class raw.csv)" = F1,F20
expect 2 embed; says 'expected MODEL \[DATA\]'
expect 1 embed "$model" data/large.png -o none.npy; says 'large.png: 8 x 8 pixels (height, width), expected 6 x 6; option --resize'
expect 1 embed "$model" data/fewer_labels --from train -o none.npy; says '100'
expect 1 embed "$model" data/missing -o none.npy; says 'data/missing'
expect 1 embed "$model" data/good -o nowhere/none.npy; says 'nowhere/none.npy'
expect 1 embed missing.safetensors data/good -o none.npy; says 'missing.safetensors'
absent none.npy; absent none_labels.npy; absent nowhere
# What cannot be written leaves features and labels as they were.
cp test.npy before.npy
mkdir stuck_labels.npy
cp test.npy stuck.npy
expect 1 embed "$model" data/album -o stuck.npy; says 'stuck_labels.npy'
holds "the features stay if older labels cannot be removed" cmp -s stuck.npy before.npy
(ulimit -f 1 && exec "$program" embed "$model" data/pictures --from train --raw -o test.npy) >out 2>err </dev/null
holds "a full disk leaves the older features" cmp -s test.npy before.npy
holds "and their labels" test -s test_labels.npy; says 'test.npy: cannot write'

holds "no temporary files are left" test -z "$(find . -name '*.tmp*')"

finish
