#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the examples: they must end well, and classify.c must read what train.c wrote.
#
#   tests/cli/examples.sh TRAIN CLASSIFY TABLE_LDA WATCH
set -eu
train=$(realpath "$1") classify=$(realpath "$2") table_lda=$(realpath "$3") watch=$(realpath "$4")
root=$(dirname "$(realpath "$0")")/../..

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$train" small.safetensors
"$classify" small.safetensors "$root/data/digits/t10k-images-idx3-ubyte.gz" >answers
head -3 answers
test "$(grep -c '^image' answers)" -eq 1000
"$table_lda" | tee table
grep -q '^direction 2' table

"$watch" run | tee watched
grep -q '^good enough: run/model.safetensors' watched
"$watch" run >again # it goes on where it stopped
grep -q 'model.safetensors' again

# What must fail, fails with a message.
if "$classify" missing.safetensors small.safetensors 2>message; then exit 1; fi
grep -q 'missing.safetensors' message
if "$train" nowhere/small.safetensors 2>message; then exit 1; fi
grep -q 'nowhere' message
