#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the examples: they must end well, and classify.c must read what train.c wrote.
#
#   tests/cli/examples.sh TRAIN CLASSIFY TABLE_LDA
set -eu
train=$(realpath "$1") classify=$(realpath "$2") table_lda=$(realpath "$3")
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

# What must fail, fails with a message.
if "$classify" missing.safetensors small.safetensors 2>message; then exit 1; fi
grep -q 'missing.safetensors' message
if "$train" nowhere/small.safetensors 2>message; then exit 1; fi
grep -q 'nowhere' message
