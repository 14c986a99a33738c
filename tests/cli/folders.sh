#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of folders of pictures as users have them, from the outside: different sizes, other formats, mistyped names.
#
#   tests/cli/folders.sh PROGRAM
set -u
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_photos.py" data || exit 1
lines() { holds "$1 lines on $2" test "$(wc -l <"$2")" -eq "$1"; }
brief() { # EXIT_CODE RUN ARGUMENT...: trains for a moment
    wanted_code=$1 run=$2
    shift 2
    expect "$wanted_code" train "$@" --net mlp --epochs 2 --lambda 10 -o "$run"
}

# ---- Different sizes: one is chosen, recorded and used by every command ----

brief 0 run data/photos
says 'data/photos/train: pictures of 30 x 40 to 90 x 120 (height, width) are resized to 60 x 80; option --resize HxW chooses'
says 'photos/train: 1 of 41 pictures are grey; all are read as colour'
says 'photos/train: a folder without pictures is no class; left out: later'
says '10 test images of 60 x 80 x 3, 2 classes'
says '^  --flip  *true .*; option --no-flip if left and right matter$'
holds "one line about sizes" test "$(grep -c 'resized to' err)" -eq 1
holds "the size is recorded as if --resize had been given" grep -q '"resize": "60x80"' run/options.json
model=run/model.safetensors
brief 0 same data/photos --resize 60x80; lacks err 'resized to'
holds "and the model is the same" cmp -s "$model" same/model.safetensors
brief 0 quiet data/photos -q; silent err
expect 0 eval "$model" data/photos --json; silent err; json "a['samples'] == 10"
expect 0 predict "$model" data/photos/test data/large/cold/1.png; silent err; lines 12 out
expect 0 train --resume run --epochs 3; lacks err 'resized to'; says 'images of 60 x 80 x 3'
brief 0 reduced data/large --validation 0
says 'data/large: pictures of 600 x 800 (height, width) are reduced to 72 x 96; option --resize HxW chooses another size'
holds "the size is recorded" grep -q '"resize": "72x96"' reduced/options.json
brief 0 chosen data/photos --resize 20; says 'images of 20 x 20 x 3'; lacks err 'resized to'
expect 0 data check data/photos; says 'resized to 60 x 80'; prints '^test part: 10 images of 60 x 80 x 3'
prints 'nothing is damaged'
expect 0 data convert data/photos -o both --to npy; silent_parts=$("$python" -c "
import numpy
print(numpy.load('both/X_train.npy').shape[1:], numpy.load('both/X_test.npy').shape[1:])")
holds "both parts have one size" test "$silent_parts" = "(60, 80, 3) (60, 80, 3)"

# ---- A network or a model of another size ----

expect 1 train data/photos --net cifar10 -o bad
says 'takes images of 32x32x3, the data has 60x80x3; option --resize 32x32 converts the images'
expect 1 train data/photos --net mnist -o bad; says 'it is for grey images, these have colours; option --net cnn takes images of any size'
expect 1 train digits --net cifar10 --no-presets -o bad; says 'it is for colour images, these are grey'
printf 'a,b,label\n1,2,x\n2,3,y\n1,1,x\n3,3,y\n' >table.csv
expect 1 train table.csv --net mnist --validation 0 --batch 2 -o bad; says 'these are rows of numbers; option --net mlp'
absent bad
mkdir even
for class in cold warm; do
    mkdir "even/$class"
    cp data/photos/train/$class/00.png data/photos/train/$class/03.png data/photos/train/$class/05.png "even/$class"
done
brief 0 even_run even --validation 0; lacks err 'resized'
expect 1 predict even_run/model.safetensors data/photos/train --batch 7; lines 1 err; lines 18 out
says '^deeplda predict: 24 pictures have another size, the first: data/photos/train/cold/01.png: 90 x 120 pixels'
says 'expected 60 x 80; option --resize 60x80 converts'
expect 1 eval even_run/model.safetensors data/photos; lines 1 err; silent out
says '10 of 10 pictures are not 60 x 80 (height, width); the first: cold/00.png is 33 x 44; option --resize 60x80 converts them'
expect 0 eval even_run/model.safetensors data/photos --resize 60x80
expect 1 embed even_run/model.safetensors data/photos -o bad.npy; says '10 of 10 pictures are not 60 x 80'; absent bad.npy
mkdir -p odd/train odd/test
cp -r even/* odd/train
cp -r data/photos/test/cold odd/test
brief 1 bad odd --validation 0; says 'odd/test: 5 of 5 pictures are not 60 x 80'; absent bad

# ---- Classes with one picture ----

mkdir even/lone
cp even/warm/00.png even/lone
brief 0 lone even --validation 0
says 'even: a class with only 1 picture can hardly be learned and cannot be tested; add pictures to, or remove: lone'
printf 'dense 2\n' >narrow.net
for class in a b c d; do cp -r even/warm "even/$class"; done
expect 0 train even --net narrow.net --validation 0 --epochs 1 --batch 19 -o narrow
says '7 classes are separated by up to 6 directions, but the network has only 2 features; give its last layer at least 6'
expect 1 train even --net narrow.net --objective cce --validation 0 --epochs 1 --batch 19 -o bad; absent bad
says "2 features, expected one per class (7); give the network's last layer 7 outputs, or use an lda objective"

# ---- Other formats ----

brief 1 bad data/saved; lines 1 err; absent bad
says 'data/saved: 9 of 13 files are GIF, WebP, expected PNG or JPEG; the first: cold/0.gif; convert them'
says 'mogrify -auto-orient -format png data/saved/\*/\*.gif, and remove the originals, or use option --skip-bad'
brief 0 skipped data/saved --skip-bad --validation 0; says 'data/saved: 9 of 13 files are skipped: GIF, WebP'
expect 1 predict "$model" data/saved; lines 1 err; lines 5 out
says '^deeplda predict: 9 pictures have another format, the first: data/saved/cold/0.gif: a picture in GIF format, expected PNG'
expect 1 predict "$model" data/saved/warm/1.webp; says '1.webp: a picture in WebP format, expected PNG or JPEG; convert it'
mkdir flat
cp data/saved/cold/*.gif flat
expect 1 predict "$model" flat; lines 1 err; says '8 pictures have another format'; silent out
printf 'data/saved/warm/8.png\ndata/saved/cold/0.gif\n' >names
"$program" predict "$model" --list <names >out 2>err
holds "one bad name in a list" test $? -eq 1; lines 1 err; says '0.gif: a picture in GIF format'; lines 2 out

# ---- Mistyped names ----

expect 1 train data/phtos -o bad; says "data/phtos: no such file or folder; did you mean 'data/photos'?$"; lines 1 err
expect 1 eval "$model" dta/photos; says "did you mean 'data/photos'?"
expect 1 predict "$model" data/photos/tset; says "did you mean 'data/photos/test'?"
expect 1 train nothing-like-it -o bad; says 'nothing-like-it: no such file or folder$'; lacks err expected; absent bad

# ---- data list shows data sets only ----

export DEEPLDA_DATA="$scratch/data"
expect 0 data list; prints 'data/photos  (training and test part)'; prints 'data/large  (training part)'; lacks out tool
expect 0 data list --json; json "[o['path'].split('/')[-1] for o in a['others']] == ['large', 'photos', 'saved']"

finish
