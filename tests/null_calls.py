#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Makes calls with NULL of every function of the public headers that takes pointers, for test_null.c: all arguments NULL or 0; and
# for functions that return a status, each pointer alone NULL. A function that is new in the header is called without
# further ado; what may be NULL must be listed here.
#
#   tests/null_calls.py HEADER... OUTPUT
import re
import sys

MAY_BE_NULL = {
    "dlda_options_choose": ["tell", "user"],
    "dlda_trainer_create": ["validation"],
    "dlda_trainer_create_over": ["comm", "validation"],
    "dlda_dataset_keep_share": ["comm"],
    "dlda_model_evaluate_over": ["comm"],
    "dlda_model_write_features_over": ["comm"],
    "dlda_table_open_over": ["comm"],
    "dlda_lda_predict": ["labels", "proba"],
    "dlda_model_predict": ["labels", "proba"],
    "dlda_model_use_priors": ["priors"],
    "dlda_objective_evaluate": ["dH"],
    "dlda_objective_evaluate_double": ["dH"],
    "dlda_table_read": ["labels"],
    "dlda_evaluation_create": ["proba"],
}


def declarations(text):
    """(result, name, [(parameter's name, 1 if it is a pointer)]) of each DLDA_API function."""
    text = re.sub(r"/\*.*?\*/|^#.*?$", "", text, flags=re.S | re.M)
    for result, name, parameters in re.findall(r"DLDA_API ([^;]*?)\b(dlda_\w+)\(([^;]*)\);", text):
        parameters = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"*\1", parameters)  # functions as arguments
        pairs = [(re.search(r"(\w+)$", p.strip()).group(1), "*" in p) for p in parameters.split(",")]
        yield " ".join(result.split()), name, pairs


def main():
    functions = []
    for path in sys.argv[1:-1]:
        with open(path, encoding="utf-8") as header:
            functions += declarations(header.read())
    lines = []
    for result, name, parameters in functions:
        if not any(pointer for _, pointer in parameters):
            continue
        if result == "void":
            check = "NOTHING"
        elif result == "dlda_status":
            check = "REFUSED"
        else:
            check = "POINTER" if "*" in result else "FRACTION" if result == "double" else "NUMBER"
        nulls = ", ".join("NULL" if pointer else "0" for _, pointer in parameters)
        lines.append(f"{check}({name}, {nulls})")
        needed = [p for p, pointer in parameters if pointer and p not in MAY_BE_NULL.get(name, [])]
        for alone in needed if result == "dlda_status" else []:
            values = ["NULL" if p == alone else "some" if pointer else "1" for p, pointer in parameters]
            lines.append(f"REFUSED({name}, {', '.join(values)})")
    with open(sys.argv[-1], "w", encoding="utf-8") as output:
        output.write(f"enum {{ N_FUNCTIONS = {len(functions)} }};\n#define CALLS \\\n    " + " \\\n    ".join(lines) + "\n")


main()
