#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of the program: export, and what info says of all kinds of files. tests/onnx/ compares answers.
#
#   tests/cli/export.sh PROGRAM
set -u
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_data.py" data || exit 1
printf 'conv 6 3 pad 1\nmaxpool 2\ndense 8\n' >small.net
expect 0 train data/good --net small.net --epochs 2 --batch 50 -o run
model=run/model.safetensors

# ---- Export ----

expect 0 export "$model" -o m.onnx; silent err
prints '^m.onnx: ONNX, opset 13, [0-9.]* MB$'; prints 'images  *float32 \[N, 1, 6, 6\]'
prints 'probabilities  *float32 \[N, 3\]'; prints 'label  *int64 \[N\]'; prints 'projection  *float32 \[N, 2\]'
expect 0 export "$model" -o paper.onnx --proba paper --json; json "a['opset'] == 13 and a['proba'] == 'paper'"
differ "--proba changes the file" m.onnx paper.onnx
cp m.onnx older.onnx
expect 0 export "$model" -o older.onnx; holds "the same model, the same bytes" cmp -s m.onnx older.onnx

expect 2 export "$model"; says 'expected -o FILE.onnx'; silent out
expect 2 export -o x.onnx; absent x.onnx
expect 2 export "$model" -o "./$model"; says 'option --output: found .*, which is read as well; expected another file'
expect 0 info "$model"
expect 2 export "$model" -o x.onnx --proba papper; says "did you mean 'paper'?"; absent x.onnx
expect 1 export missing.safetensors -o x.onnx; says 'missing.safetensors: '; absent x.onnx
expect 1 export small.net -o x.onnx; says 'small.net: '; absent x.onnx
expect 1 export run/checkpoint.safetensors -o x.onnx; says 'found a checkpoint (of a training), expected a model'; absent x.onnx
expect 1 export "$model" -o no/such/x.onnx; says 'no/such/x.onnx: cannot write'
expect 1 export "$model" -o data; says 'data: cannot write: not a regular file'
if [ -c /dev/full ]; then expect 1 export "$model" -o /dev/full; says 'not a regular file'; fi
(ulimit -f 1; "$program" export "$model" -o full.onnx >out 2>err); code=$?
holds "exit 1 (found $code) when the disk is full" test "$code" -eq 1; says 'full.onnx: cannot write'; absent full.onnx

# ---- Information on all kinds of files ----

expect 0 info m.onnx; prints '^m.onnx: an ONNX file, opset 13, IR version 7,'; prints '^classes  *\["0","1","2"\]$'
prints '^inputs  *images  *float32 \[N, 1, 6, 6\]'; prints '^task  *image classification'; prints '^proba  *bayes'
expect 0 info m.onnx --json; json "a['kind'] == 'onnx' and a['opset'] == 13 and a['metadata']['layout'] == 'NCHW'"
json "a['inputs'][0]['shape'] == ['N', 1, 6, 6] and 'dense 8' in a['metadata']['network']"
mv paper.onnx paper
expect 0 info paper; prints '^proba  *paper'
expect 0 info run/checkpoint.safetensors; prints ': a checkpoint'; prints '^epochs  *2 complete'; prints '^dense 8'
prints '^data  *data/good'
expect 0 info run/checkpoint.safetensors --json
json "a['kind'] == 'checkpoint' and a['epochs_done'] == 2 and a['options']['batch'] == 50 and a['data'] == 'data/good'"
expect 0 info run; prints 'run/model.safetensors: a DeepLDA model'
expect 0 info run --json; json "a['kind'] == 'model'"
expect 0 info small.net; prints ': a network'
expect 0 info digits; prints '^training  *5000 images of 28 x 28 x 1'; prints '^test  *1000 images of'; prints '^classes  *10: 0 1 2'
expect 0 info digits --json; json "a['kind'] == 'data' and [p['samples'] for p in a['parts']] == [5000, 1000]"
expect 0 info data/good; prints '^training  *180 images of 6 x 6 x 1'
expect 0 info data/zero.png; prints 'without labels'; prints '^samples  *1 images of 6 x 6 x 1'
"$python" - <<'PYTHON'
import struct
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 9), }".ljust(117) + "\n"
open("features.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + bytes(180))
PYTHON
expect 0 info features.npy; prints '^samples  *5 rows of 9 numbers'
expect 0 info features.npy --json; json "a['parts'][0]['size'] == [1, 1, 9] and a['parts'][0]['classes'] == []"

head -c 300 m.onnx >cut.onnx
expect 1 info cut.onnx; says 'cut.onnx: not an ONNX file, or a damaged one'; silent out
head -c 100 features.npy >cut.npy
expect 1 info cut.npy; says 'cut.npy'; silent out
head -c 5000 run/checkpoint.safetensors >cut.safetensors
expect 1 info cut.safetensors; says 'cut.safetensors'; silent out
expect 1 info missing; says 'missing'; silent out
mkdir -p sizes/a sizes/b && cp data/zero.png sizes/a && cp data/large.png sizes/b
expect 0 info sizes; says 'sizes: pictures of .* are resized to'; prints '^training    2 images of'
printf 'conv 3 9 pda 1\n' >slip
expect 1 info slip; says "slip: line 1: conv: unknown word 'pda'; did you mean 'pad'?"; silent out

holds "no temporary files are left" test -z "$(find . -name '*.tmp*')"

finish
