#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of the program on arrays and tables, from the outside: `deeplda lda`, and the other commands on .npy, .npz and CSV.
#
#   tests/cli/tables.sh PROGRAM
#
# Each check prints a line that starts with "ok" or "FAIL"; the exit status is 0 only if none failed.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

"$python" "$here/make_tables.py" t || exit 1

# ---- deeplda lda ----

expect 0 lda t/X.npy; silent err
prints '^t/X.npy: 150 rows, 4 features, 3 classes$'; prints '^2 eigenvalues'; prints '^  1 .* % .* %  #'
prints '^accuracy on the same rows [0-9.]* %: 1[345][0-9] of 150 correct$'; prints '^cross-validated accuracy [0-9.]* %'
expect 0 lda t/X.npy --json; silent err
holds "one line of JSON" test "$(wc -l <out)" -eq 1
json "(a['rows'], a['features'], len(a['classes'])) == (150, 4, 3)"
json "[c['name'] for c in a['classes']] == ['0', '1', '2'] and all(c['rows'] == 50 for c in a['classes'])"
json "len(a['eigenvalues']) == 2 and a['eigenvalues'][0] > a['eigenvalues'][1] > 0"
json "abs(sum(a['explained']) - 1) < 1e-12 and abs(a['explained'][0] - a['eigenvalues'][0] / sum(a['eigenvalues'])) < 1e-12"
json "0.9 < a['accuracy'] <= 1 and 0.9 < a['cross_validated_accuracy'] <= 1"
json "[f['rows'] for f in a['folds']] == [30] * 5 and all(f['correct'] <= 30 for f in a['folds'])"
json "a['cross_validated_accuracy'] == sum(f['correct'] for f in a['folds']) / 150"
json "a['fit_seconds'] > 0 and a['test_seconds'] > 0"

eigenvalues() { "$python" -c "import json; print(json.load(open('out'))['eigenvalues'])"; }
eigenvalues >wanted
for table in 't/plants.npy t/y.npy' t/plants.npz t/plants.csv t/plants.csv.gz t/bare.csv; do
    # shellcheck disable=SC2086  # words of a command line
    expect 0 lda $table --json; eigenvalues >found
    holds "the same eigenvalues: $table" cmp -s wanted found
done
expect 0 lda t/plants.csv --json
json "[c['name'] for c in a['classes']] == ['blue bell', 'ivy, common', '\u00f6lbaum']"
expect 0 lda t/plants.csv --label species --json; eigenvalues >found; holds "a label by name" cmp -s wanted found
expect 0 lda t/plants.csv --label 5 --json; eigenvalues >found; holds "a label by number" cmp -s wanted found
for threads in 1 2 3; do
    expect 0 lda t/X.npy --threads $threads --json -o "Z$threads.npy"; silent err
    eigenvalues >found; holds "the same with $threads threads" cmp -s wanted found
done
holds "projections are the same" cmp -s Z1.npy Z3.npy
holds "150 x 2 floats with a header" test "$(wc -c <Z1.npy)" -eq $((128 + 150 * 2 * 4))
expect 0 lda t/X.npy -o Z.npy; prints '^written:'; prints '^  Z.npy'; silent err
expect 0 lda Z1.npy t/y.npy --json; json "(a['rows'], a['features']) == (150, 2)"
expect 0 lda t/X.npy --cross-validate 0 --json; json "a['folds'] == [] and a['cross_validated_accuracy'] is None"
expect 0 lda t/X.npy --cross-validate 10 --seed 3 --json; json "[f['rows'] for f in a['folds']] == [15] * 10"
expect 0 lda t/X.npy --lambda 1000 --json; json "a['eigenvalues'][0] < 0.01"
expect 0 lda t/images/x_train.npy --json; json "(a['rows'], a['features']) == (240, 36)"

# ---- An LDA that is kept ----

"$python" - <<'END'
import csv, zipfile
rows = list(csv.reader(open("t/plants.csv")))
csv.writer(open("t/unlabelled.csv", "w")).writerows(row[:4] for row in rows)
csv.writer(open("t/wide.csv", "w")).writerows(row[:4] + row[:2] + row[4:] for row in rows)
with zipfile.ZipFile("t/unlabelled.npz", "w") as z: z.write("t/X.npy", "x.npy")
END
expect 0 lda t/plants.csv --save plants.lda -o Z.npy; silent err; prints '^  plants.lda'
grep -o '[0-9]* of 150 correct' out | head -1 >right
expect 0 info plants.lda; prints '^plants.lda: an LDA without a network$'; prints '^ivy, common: 50 rows'; prints '^2 eigenvalues'
expect 0 info plants.lda --json
json "(a['kind'], a['features'], a['lambda'], a['classes'][1]['name']) == ('lda', 4, 0, 'ivy, common')"
expect 0 lda t/plants.csv --apply plants.lda; silent err
holds "a header and 150 lines" test "$(wc -l <out)" -eq 151
prints '^file,index,class,probability,blue bell,"ivy, common",ölbaum$'; prints '^t/plants.csv,149,'
cut -d , -f 2- out >wanted
holds "as many are right as the fit counted" test "$("$python" -c '
import csv
kinds = [row[4] for row in csv.reader(open("t/plants.csv"))][1:]
print(sum(row["class"] == kind for row, kind in zip(csv.DictReader(open("out")), kinds)))') of 150 correct" = "$(cat right)"
for table in t/unlabelled.csv t/plants.npy t/X.npy t/plants.npz t/unlabelled.npz t/bare.csv 't/plants.npy t/y.npy'; do
    # shellcheck disable=SC2086  # words of a command line
    expect 0 lda $table --apply plants.lda; silent err; cut -d , -f 2- out >found
    holds "the same answers: $table" cmp -s wanted found
done
expect 0 lda t/unlabelled.csv --apply plants.lda --json
holds "150 lines of JSON" test "$(wc -l <out)" -eq 150
holds "each is an object" "$python" -c 'import json; [json.loads(line)["probabilities"]["ivy, common"] for line in open("out")]'
expect 0 lda t/unlabelled.csv --apply plants.lda -o again.npy; prints '^  again.npy  150 x 2$'
holds "projections as of the fit" cmp -s Z.npy again.npy
expect 2 lda t/X.npy --apply plants.lda --save other.lda; says 'one of them'; absent other.lda
expect 1 lda t/wide.csv --apply plants.lda; says 't/wide.csv: columns 1 and 5 are both named'; silent out
expect 1 lda t/X.npy --apply t/X.npy; says 't/X.npy: .*not a safetensors file'
expect 1 lda t/X.npy --apply missing.lda; says 'missing.lda'
expect 1 lda t/unlabelled.npz; says 'expected labels in y'
expect 1 eval plants.lda t/X.npy; says 'plants.lda: found an LDA (without a network), expected a model'
expect 1 lda t/X.npy --save nowhere/plants.lda; says 'nowhere/plants.lda'

# ---- What it refuses ----

expect 2 lda; says 'expected TABLE'
expect 1 lda a b c; says 'a: cannot open'
expect 2 lda t/X.npy --cross-validate 1; says 'option --cross-validate: found 1, expected 2 or more, or 0 for none'
cp t/X.npy kept.npy
expect 2 lda t/X.npy --save t/X.npy; says 'option --save: found t/X.npy, which is read as well; expected another file'
expect 2 lda t/X.npy -o ./t/X.npy; says 'option --output: found'; holds "the table is as before" cmp -s t/X.npy kept.npy
expect 2 lda t/X.npy --cross-validate -1; says 'option --cross-validate'
expect 2 lda t/plants.csv --label specis; says "did you mean 'species'?"
expect 2 lda t/plants.csv t/y.npy; says 'has its labels in itself'
expect 1 lda t/missing.npy; says 't/missing.npy: cannot open'
expect 1 lda t/plants.npy; says 'its labels are not known from its name'
expect 1 lda t/damaged.csv; says 't/damaged.csv: line 8, column 3 (petal, length): found .n/a., expected a number'
expect 1 lda t/lonely.csv; says '^deeplda lda: t/lonely.csv: .*at least two classes'
expect 1 lda t/bad/X_fortran.npy; says 'in Fortran order, expected C order: np.save(file, np.ascontiguousarray(x))'
expect 1 lda t/bad/X_object.npy; says 'holds Python objects (pickled)'
expect 1 lda t/bad/X_cut.npy; says 'promises 32 bytes, found 31'
expect 1 lda t/bad/X_promises.npy; says 'promises 32000000000000 bytes, found 32'
expect 1 lda t/bad/X_nan.npy; says 'X_nan.npy: row 2, column 1 is nan'
expect 1 lda t/bad/cut.npz; says 'not a valid zip file'
expect 1 lda t; says 't: a folder, expected a file'
expect 1 lda t/X.npy t/bad/y.npy; says '4 labels, expected one for each of the 150 rows of t/X.npy'
expect 1 lda t/X.npy -o nowhere/Z.npy; says 'nowhere/Z.npy'; silent out
absent nowhere
mkfifo pipe.npy
expect 1 lda pipe.npy; says 'pipe.npy: not a regular file'
expect 1 lda t/X.npy pipe.npy; says 'pipe.npy: not a regular file'

# ---- The other commands ----

expect 0 train t/images --net mlp --epochs 2 --batch 60 -o run -q; prints '^test accuracy'
expect 0 eval run/model.safetensors t/images --json; json "a['samples'] == 60 and a['accuracy'] > 0.9"
expect 0 eval run/model.safetensors t/images/x_test.npy --json; json "a['samples'] == 60"
expect 0 predict run/model.safetensors t/images/x_test.npy; silent err
holds "a header and 60 lines" test "$(wc -l <out)" -eq 61
expect 0 train t/plants.csv --net mlp --epochs 2 --batch 60 -o plants -q; prints 'ivy, common'
expect 0 eval plants/model.safetensors t/plants.csv --label species --json
json "a['samples'] == 150 and [c['name'] for c in a['classes']][0] == 'blue bell'"
"$python" - <<'END'
import csv
rows = list(csv.reader(open("t/plants.csv")))
with open("t/colour.csv", "w") as file:
    csv.writer(file).writerows(["colour" if i == 0 else "red"] + row for i, row in enumerate(rows))
with open("t/gap.csv", "w") as file:
    csv.writer(file).writerows(row[:1] + [""] + row[2:] if i == 9 else row for i, row in enumerate(rows))
with open("t/pair.csv", "w") as file:
    csv.writer(file).writerows([rows[0], rows[1], rows[-1]])
with open("t/narrow.csv", "w") as file:
    csv.writer(file).writerows(row[:3] for row in rows)
END
expect 0 predict plants t/plants.csv; silent err; sed 's/^[^,]*//' out >wanted
expect 0 predict plants t/unlabelled.csv; silent err; sed 's/^[^,]*//' out >found
holds "rows without labels get the same predictions" cmp -s wanted found
expect 0 predict plants t/unlabelled.csv --truth --json; says '^150 images have no label'
expect 0 embed plants t/unlabelled.csv -o rows.npy; absent rows_labels.npy
expect 1 eval plants t/unlabelled.csv; says 't/unlabelled.csv: '
expect 1 predict plants t/narrow.csv; says "t/narrow.csv: no column 'petal width', expected all 4 features of the model"
tail -n +2 t/narrow.csv >t/narrow_bare.csv
expect 1 predict plants t/narrow_bare.csv; says 't/narrow_bare.csv: rows have 2 features, expected 4'
expect 1 predict plants "$root/docs/pictures/hardest.png"; says 'hardest.png: found a picture, expected a table: the model classifies rows of 4 numbers'

# ---- Columns by name ----

"$python" - <<'END'
import csv
rows = list(csv.reader(open("t/plants.csv")))
def write(name, line):
    with open("t/" + name, "w") as file: csv.writer(file).writerows(line(i, row) for i, row in enumerate(rows))
write("permuted.csv", lambda i, row: [row[j] for j in (3, 0, 4, 2, 1)])
write("permuted_unlabelled.csv", lambda i, row: [row[j] for j in (3, 0, 2, 1)])
write("extra.csv", lambda i, row: ["id" if i == 0 else str(i), row[3], "note" if i == 0 else "x y", row[1], row[0], row[2]])
write("extra_labelled.csv", lambda i, row: ["id" if i == 0 else str(i), row[3], row[1], row[0], row[2], row[4]])
write("twice.csv", lambda i, row: row[:2] + row[:1] + row[2:])
write("lacks.csv", lambda i, row: [row[j] for j in (3, 0, 1, 4)])
END
tail -n +2 t/unlabelled.csv >t/unlabelled_bare.csv
tail -n +2 t/plants.csv >t/labelled_bare.csv
for table in permuted permuted_unlabelled extra extra_labelled bare unlabelled_bare; do
    expect 0 predict plants t/$table.csv; silent err; sed 's/^[^,]*//' out >found
    holds "the same predictions: $table.csv" cmp -s wanted found
done
expect 0 eval plants t/plants.csv --json; json_wanted=$("$python" -c "import json; print(json.load(open('out'))['confusion'])")
for table in permuted extra_labelled labelled_bare; do
    expect 0 eval plants t/$table.csv --json; silent err; json "str(a['confusion']) == \"$json_wanted\""
done
expect 0 eval plants t/extra_labelled.csv --label species --json; json "str(a['confusion']) == \"$json_wanted\""
expect 0 predict plants t/permuted.csv --truth; says '^1[45][0-9] of 150 images with a known class were predicted correctly'
expect 0 embed plants t/plants.csv -o rows.npy
for table in permuted extra_labelled; do
    expect 0 embed plants t/$table.csv -o other.npy; holds "the same features: $table.csv" cmp -s rows.npy other.npy
    holds "the same labels: $table.csv" cmp -s rows_labels.npy other_labels.npy
done
expect 0 refit plants t/plants.csv -o refitted.safetensors
expect 0 refit plants t/permuted.csv -o permuted.safetensors
holds "the same model is refitted" cmp -s refitted.safetensors permuted.safetensors
expect 0 predict refitted.safetensors t/plants.csv; mv out wanted_refitted
expect 0 predict permuted.safetensors t/permuted.csv; sed 's/permuted.csv/plants.csv/' out >found
holds "a refitted model knows the columns" cmp -s wanted_refitted found
for command in predict eval 'embed -o bad.npy'; do
    # shellcheck disable=SC2086  # words of a command line
    expect 1 $command plants t/lacks.csv
    says "t/lacks.csv: no column 'petal, length', expected all 4 features of the model"
    # shellcheck disable=SC2086  # likewise
    expect 1 $command plants t/twice.csv; says "t/twice.csv: columns 1 and 3 are both named 'length', expected one"
done
expect 1 eval plants t/permuted_unlabelled.csv
says 't/permuted_unlabelled.csv: no column beside the 4 features of the model, expected one of labels'
expect 0 train t/labelled_bare.csv --net mlp --epochs 2 --batch 60 -o unnamed -q
expect 0 predict unnamed t/plants.csv; sed 's/^[^,]*//' out >found
holds "a model without names goes by position" cmp -s wanted found
expect 0 train t/twice.csv --net mlp --epochs 2 --batch 60 -o twice -q
expect 0 predict twice t/twice.csv; silent err
expect 0 export plants -o plants.onnx

expect 1 train t/colour.csv -o bad; says "line 2, column 1 (colour): found 'red', .*or remove this column"; absent bad
expect 1 train t/gap.csv -o bad; says "line 10, column 2 .*: found '', expected a number; complete such rows"; absent bad
expect 1 train t/pair.csv -o bad; says "two classes with two samples each; found . of 2 (class '"; lacks err chosen; absent bad
expect 1 train t/damaged.csv --net mlp --epochs 2 --batch 60 -o bad; says 'line 8, column 3'; absent bad
expect 1 train t/bad/X_nan.npy --net mlp --epochs 2 --batch 4 -o bad; says 'sample 2, .*channel 1 is nan'; absent bad
expect 1 predict run/model.safetensors t/X.npy; says 't/X.npy: found rows of 4 numbers, expected images of .*(height, width, channels)'

expect 1 lda t/X.npy --apply run/model.safetensors; says 'found a model (a network with its LDA), expected an LDA'

holds "no temporary files are left" test -z "$(find . -name '*.tmp*')"

finish
