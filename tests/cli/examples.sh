#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the examples: they must end well, and classify.c must read what train.c wrote.
#
#   tests/cli/examples.sh TRAIN CLASSIFY TABLE_LDA WATCH SERVICE PROGRAM MEMORY OBJECTIVE
set -eu
train=$(realpath "$1") classify=$(realpath "$2") table_lda=$(realpath "$3") watch=$(realpath "$4")
service=$(realpath "$5") program=$(realpath "$6") memory=$(realpath "$7") objective=$(realpath "$8")

here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$train" small.safetensors
"$train" table.safetensors "$here/../../data/iris.csv" >chosen
grep -q '^net = mlp: rows of 4 numbers$' chosen
grep -q '^table.safetensors: [0-9.]* % of the validation samples' chosen
"$program" data convert digits --to png -o png >/dev/null 2>&1
picture=$(find png/test -name '*.png' | sort | head -1)
"$classify" small.safetensors "$picture" >answer
cat answer
"$program" predict small.safetensors "$picture" --proba bayes >predicted
test "$(cut -d , -f 1 answer)" = "$(sed -n 2p predicted | cut -d , -f 3)"

# One thread or eight, the answers are the same, and those of the program.
find png/test -name '*.png' | sort | head -200 >names
xargs "$service" small.safetensors 1 <names >one
xargs "$service" small.safetensors 8 <names >eight
head -3 eight
test "$(wc -l <eight)" -eq 200
cmp one eight
"$program" predict small.safetensors --list --proba bayes <names >predicted
sed '1d' predicted | cut -d , -f 1,3 | sed 's/,/: /' >expected
sed 's/, or nothing that is known//' eight | cmp - expected
if "$service" small.safetensors 3 "$picture" missing.png 2>message >answer; then exit 1; fi
grep -q 'missing.png' message
test "$(wc -l <answer)" -eq 1
"$table_lda" >table
grep -q '^direction 2' table
grep -q '^score of species 2 = ' table

"$watch" run >watched
grep -q '^good enough: run/model.safetensors' watched
"$watch" run >again # it goes on where it stopped
grep -q 'model.safetensors' again
if "$program" train --resume run 2>message; then exit 1; fi
grep -q 'run does not record its data' message

# Arrays and bytes only: nothing appears in the folder, and the new images are classified.
mkdir empty
(cd empty && "$memory" >../in_memory)
cat in_memory
test -z "$(ls -A empty)"
test "$(cut -d ' ' -f 1 in_memory)" -gt 570

# A loop of one's own learns: the last loss is well below the first.
"$objective" >losses
cat losses
awk 'NR == 1 { first = $NF } { last = $NF } END { exit !(NR == 5 && last < 0.7 * first) }' losses

# What must fail, fails with a message.
if "$classify" missing.safetensors small.safetensors 2>message; then exit 1; fi
grep -q 'missing.safetensors' message
if "$train" nowhere/small.safetensors 2>message; then exit 1; fi
grep -q 'nowhere' message
