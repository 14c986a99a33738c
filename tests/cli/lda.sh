#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests of `deeplda lda` for statisticians, from the outside: Fisher's irises as R has them, columns, missing values,
# categories, shrinkage, priors, and saved LDAs on other tables.
#
#   tests/cli/lda.sh PROGRAM
#
# Each check prints a line that starts with "ok" or "FAIL"; the exit status is 0 only if none failed.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

"$python" - "$here/../../data/iris.csv" <<'END' || exit 1
import csv, random, sys
rows = list(csv.reader(open(sys.argv[1])))
head, rows = rows[0], rows[1:]
def write(name, table, **options):
    csv.writer(open(name, "w", newline=""), **options).writerows(table)
write("iris.csv", [head] + rows)
write("r.csv", [[""] + head] + [[i + 1] + row for i, row in enumerate(rows)], quoting=csv.QUOTE_ALL)
write("subset.csv", [[""] + head] + [[3 * i + 7] + row for i, row in enumerate(rows)])
write("id.csv", [["id"] + head] + [[i] + row for i, row in enumerate(rows)])
comma = [[x.replace(".", ",") for x in row[:4]] + row[4:] for row in rows]
write("comma.csv", [head] + comma, delimiter=";")
write("bare_comma.csv", comma, delimiter=";")
write("tab.csv", [head] + comma, delimiter="\t")
write("mixed.csv", [head] + comma[:75] + rows[75:], delimiter=";")
for power in (-6, 6):
    write("e%d.csv" % power, [head] + [[repr(float(x) * 10.0 ** power) for x in row[:4]] + row[4:] for row in rows])
holes = [list(row) for row in rows]
holes[3][1], holes[60][2], holes[61][0], holes[149][3] = "", "NA", "NaN", "?"
write("holes.csv", [head] + holes)
write("complete.csv", [head] + [row for i, row in enumerate(rows) if i not in (3, 60, 61, 149)])
means = ["%.17g" % (sum(float(row[j]) for row in holes if row[j] not in ("", "NA", "NaN", "?")) /
         sum(row[j] not in ("", "NA", "NaN", "?") for row in holes)) for j in range(4)]
write("filled.csv", [head] + [[means[j] if j < 4 and row[j] in ("", "NA", "NaN", "?") else row[j] for j in range(5)]
                              for row in holes])
unlabelled = [list(row) for row in rows]
unlabelled[5][4] = ""
write("unlabelled.csv", [head] + unlabelled)
rng = random.Random(1)
colours = [rng.choice(["red", "blue", "pale, green"]) for row in rows]
write("colours.csv", [head[:2] + ["colour"] + head[2:]] +
      [row[:2] + [colour] + row[2:] for row, colour in zip(rows, colours)])
write("indicators.csv", [head[:2] + ["pale", "red"] + head[2:]] +
      [row[:2] + [int(colour == "pale, green"), int(colour == "red")] + row[2:] for row, colour in zip(rows, colours)])
write("other_order.csv", [["note", "Petal.Width", "colour", "Petal.Length", "Sepal.Width", "Sepal.Length"]] +
      [["x", row[3], colour, row[2], row[1], row[0]] for row, colour in zip(rows, colours)])
write("purple.csv", [["Petal.Width", "colour", "Petal.Length", "Sepal.Width", "Sepal.Length"],
                     ["0.2", "purple", "1.4", "3.5", "5.1"]])
write("gap.csv", [["Petal.Width", "colour", "Petal.Length", "Sepal.Width", "Sepal.Length"],
                  ["", "NA", "1.4", "3.5", "5.1"]])
write("sum.csv", [["sum"] + head] + [["%.9g" % (2 * float(row[0]) + float(row[1]))] + row for row in rows])
write("long.csv", [head] + [row[:4] + ["a species with a rather long name, number " + row[4]] for row in rows])
END

values() { "$python" -c "
import json
a = json.load(open('out'))
print(['%.4f' % v for v in a['eigenvalues']], '%.4f' % a['accuracy'], a['cross_validated_accuracy'])"; }

# ---- As in R ----

expect 0 lda iris.csv; silent err
prints '^label       column 5, Species$'; prints '^features    Sepal.Length, Sepal.Width, Petal.Length, Petal.Width$'
prints '^  1     32.1919   99.12 %   99.12 %'; prints '^  2      0.2854    0.88 %  100.00 %'
prints '^setosa: 50 rows, prior 0.3333$'; prints '^Petal.Length       1.462        4.26       5.552$'
prints '^Petal.Width       2.8105      2.8392$'; prints '^constant         -86.308     -72.853     -104.37$'
prints '^Sepal.Length      23.544      15.698      12.446$'; prints '^confusion in cross-validation'
expect 0 lda iris.csv --cross-validate 150; prints '147 of 150 correct; leave-one-out$'
prints '^versicolor           0          48           2$'
expect 0 lda iris.csv --cross-validate 0; prints '^confusion on the same rows'
expect 2 lda iris.csv --cross-validate 151; says 'option --cross-validate: found 151, expected at most 150'
expect 0 lda iris.csv --priors 0.2,0.3,0.5 --json
json "abs(a['eigenvalues'][0] - 26.154742) < 1e-4 and abs(a['classes'][2]['prior'] - 0.5) < 1e-12"
expect 0 lda iris.csv --priors uniform; prints '32.1919'
expect 2 lda iris.csv --priors 1,2; says 'option --priors: found 2 values'

# ---- Units and notations ----

expect 0 lda iris.csv --json; values >wanted; json "a['lambda'] == 0 and not a['regularised']"
json "a['label'] == 'Species' and a['feature_names'][3] == 'Petal.Width' and len(a['scalings']) == 2"
json "sum(map(sum, a['confusion'])) == 150 == sum(map(sum, a['cross_validated_confusion']))"
for table in e-6.csv e6.csv comma.csv bare_comma.csv tab.csv; do
    expect 0 lda $table --json; values >found; holds "the same results: $table" cmp -s wanted found
done
"$program" lda - --json <comma.csv >out 2>err; values >found; holds "the standard input" cmp -s wanted found
"$program" lda - <iris.csv >out 2>err; prints '^standard input: 150 rows'
"$program" lda - <r.csv >out 2>err; says 'standard input: column 1 (no name)'
"$program" lda - </dev/null >out 2>err; says 'standard input: no lines'
expect 1 lda mixed.csv; says 'mixed.csv: found numbers with a decimal comma and numbers with a point'

# ---- Columns ----

expect 1 lda r.csv; says 'r.csv: column 1 (no name) only counts the rows.*option --drop=1, or use it by option --keep=1'
expect 1 lda subset.csv; says 'subset.csv: column 1 (no name) looks like the row names that R and pandas write'
expect 1 lda id.csv; says 'id.csv: column 1 (id) only counts the rows'
for drop in 'r.csv --drop 1' 'subset.csv --drop=1' 'id.csv --drop id'; do
    # shellcheck disable=SC2086  # words of a command line
    expect 0 lda $drop --json; values >found; holds "the same results: $drop" cmp -s wanted found
done
expect 0 lda id.csv --drop id; prints '^not used    column 1, id$'
expect 0 lda id.csv --keep 1; prints '^features    id, Sepal.Length'
expect 0 lda iris.csv --drop 'Sepal.Length, 2'; prints '^features    Petal.Length, Petal.Width$'
expect 0 lda iris.csv --drop Species --label 4 --missing drop; prints '^label       column 4, Petal.Width$'
expect 2 lda iris.csv --drop Species,Sepal.Lenth; says "did you mean 'Sepal.Length'?"
expect 2 lda iris.csv --drop 5 --label Species; says 'column 5 of iris.csv has the labels'
expect 0 lda long.csv; prints '^a species with a rather long name, number setosa: 50 rows'
holds "full names in the matrix" test "$(grep -c 'number virginica' out)" -ge 3

# ---- Missing values ----

expect 1 lda holes.csv; says "holes.csv: line 5, column 2 (Sepal.Width): found '', expected a number; option --missing=drop"
expect 0 lda complete.csv --json; values >wanted
expect 0 lda holes.csv --missing drop --json; values >found; json "a['rows'] == 146 and a['incomplete_rows'] == 4"
holds "rows with holes are left out" cmp -s wanted found
expect 0 lda holes.csv --missing drop; prints '^missing     4 rows were left out$'
expect 0 lda filled.csv --json; values >wanted
expect 0 lda holes.csv --missing mean --json; values >found; json "a['rows'] == 150"
holds "holes are filled with means" cmp -s wanted found
expect 1 lda unlabelled.csv; says 'unlabelled.csv: line 7, column 5: no label; option --missing=drop'
expect 0 lda unlabelled.csv --missing drop --json; json "a['rows'] == 149 and len(a['classes']) == 3"
"$python" -c "
import numpy as n
t = [l.split(',') for l in open('holes.csv').read().split()[1:]]
n.save('X.npy', [[float(x) if x not in ('', 'NA', 'NaN', '?') else n.nan for x in r[:4]] for r in t])
n.save('y.npy', [r[4] for r in t])"
expect 1 lda X.npy; says 'X.npy: row 3, column 1 is nan.*option --missing=drop'
expect 0 lda X.npy --missing mean --json; values >found; holds "the same of an array" cmp -s wanted found
expect 0 lda X.npy --missing drop --json; json "a['rows'] == 146 and a['incomplete_rows'] == 4"
expect 2 lda X.npy --drop 1; says 'option --drop: X.npy is an array, expected a CSV table'

# ---- Categories ----

expect 1 lda colours.csv; says "line 2, column 3 (colour): found '.*', expected a number.*option --categories"
expect 0 lda indicators.csv --json; values >wanted
expect 0 lda colours.csv --categories colour --json --save colours.lda; values >found
holds "categories are indicators" cmp -s wanted found
json "a['feature_names'][2:4] == ['colour=pale, green', 'colour=red']"
expect 0 lda colours.csv --apply colours.lda; cut -d , -f 2- out >wanted
expect 0 lda other_order.csv --apply colours.lda; silent err; cut -d , -f 2- out >found
holds "columns are found by name" cmp -s wanted found
expect 0 predict colours.lda other_order.csv -o answers.csv; cut -d , -f 2- answers.csv >found
holds "predict gives the same" cmp -s wanted found
expect 0 predict colours.lda colours.csv --top 2 --json; prints '"top":'
"$program" predict colours.lda - <other_order.csv >out 2>err; holds "from the standard input" test "$(wc -l <out)" -eq 151
expect 1 lda iris.csv --apply colours.lda; says "iris.csv: no column 'colour', expected all 6 features of the LDA"
expect 1 lda purple.csv --apply colours.lda; says "line 2, column 2 (colour): found 'purple', expected a level"
expect 1 lda gap.csv --apply colours.lda; says "line 2, column 1 (Petal.Width): found ''"
expect 0 lda gap.csv --apply colours.lda --missing mean; prints '^gap.csv,0,setosa,'
expect 2 lda gap.csv --apply colours.lda --missing drop; says 'every row gets a class; expected mean'
expect 2 lda iris.csv --categories Sepal.Length --drop 2,3,4,Species --label 1; says 'has the labels'

# ---- Regularisation ----

expect 0 lda sum.csv; says 'sum.csv: the within-class scatter is singular or nearly so.*lambda = .* was added'
expect 0 lda sum.csv --json; json "a['regularised'] and a['lambda'] > 0 and min(a['eigenvalues']) >= 0"
expect 1 lda sum.csv --lambda 0; says 'sum.csv: LDA: Sw is singular or nearly so'
expect 0 lda sum.csv --shrinkage auto --json; silent err; json "not a['regularised'] and a['lambda'] == 0"
expect 0 lda iris.csv --shrinkage auto --json
json "[round(c['shrinkage'], 4) for c in a['classes']] == [0.2525, 0.0769, 0.1383]"
expect 0 lda iris.csv --shrinkage 0.3 --json; silent err; json "a['eigenvalues'][0] < 32"
expect 2 lda iris.csv --shrinkage 2; says "option --shrinkage: found '2', expected auto or a number from 0 to 1"
expect 2 lda iris.csv --shrinkage much; says 'expected auto or'
expect 0 lda iris.csv --standardise; prints 'features divided by their standard deviation'; prints '32.1919'
expect 0 lda e6.csv --standardise --lambda 0.1 --json; values >wanted
expect 0 lda iris.csv --standardise --lambda 0.1 --json; values >found; holds "standardised: any unit" cmp -s wanted found

# ---- Files ----

expect 0 lda iris.csv -o z.csv; holds "a header and 150 rows" test "$(wc -l <z.csv)" -eq 151
holds "names of the columns" grep -q '^LD1,LD2,class$' z.csv
expect 0 lda z.csv --json; json "abs(a['eigenvalues'][0] - 32.1919) < 1e-3"
expect 0 lda iris.csv -o z.npy; holds "the same numbers" "$python" -c "
import numpy as n
z = [l.split(',')[:2] for l in open('z.csv').read().split()[1:]]
assert (n.load('z.npy') == n.array(z, dtype='f4')).all()"
expect 2 lda iris.csv -o z.txt; says "option --output: found 'z.txt', expected a name that ends in .npy or .csv"; absent z.txt
expect 0 lda iris.csv --save iris.lda; expect 0 lda iris.csv --apply iris.lda -o again.csv
holds "projected alike" test "$(head -1 again.csv)" = "LD1,LD2"
holds "no temporary files are left" test -z "$(find . -name '*.tmp*')"

finish
