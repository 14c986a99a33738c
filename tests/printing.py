#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""printing.py - the program prints for people through cli/terminal/print.h alone, which makes texts safe for terminals.

    printing.py ROOT

Other functions that print may be given characters and texts that stand in the call itself, and nothing else. The rule is
first tried on made-up lines that break it, so that this test cannot pass by seeing nothing.
"""
import glob
import os
import re
import sys

# Their own escapes, strings in memory, or texts of the program alone.
EXCEPTIONS = {
    "cli/terminal/print.c": "the place itself",
    "cli/terminal/json_out.c": "escapes of JSON",
    "cli/terminal/csv_out.c": "made safe at a terminal; programs get the text as it is",
    "cli/terminal/interrupt.c": "two constant texts of a signal handler",
    "cli/words.c": "strings in memory",
    "cli/help_docs.c": "the option table as a document",
    "cli/completion/bash.c": "the option table as a script",
    "cli/completion/completion.c": "the option table as a script",
    "cli/completion/fish.c": "the option table as a script",
    "cli/completion/zsh.c": "the option table as a script",
}
FORMATTED = r"\b(?:v?printf|v?fprintf|v?dprintf|perror|psignal|fwrite|putw)(?:_unlocked)?\s*\("
PLAIN = r"\b(?:fputs|puts|fputc|putc|putchar)(?:_unlocked)?\s*\(\s*(?![\"'])"
SYSTEM = r"\bwrite\s*\(\s*(?:STDOUT_FILENO|STDERR_FILENO|1|2)\s*,"
BROKEN = re.compile("|".join((FORMATTED, PLAIN, SYSTEM)))
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def lines_broken(text):
    text = COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    return [number for number, line in enumerate(text.split("\n"), 1) if BROKEN.search(line)]


def check_rule():
    bad = ['printf("%s", name);', 'fprintf(stderr, "%d", 1);', "puts(name);", "fputs(name, stdout);", "putchar(c);",
           "fwrite(name, 1, 2, stdout);", "write(STDOUT_FILENO, name, 2);", "perror(name);"]
    good = ['print("%s", name);', 'print_to(stderr, "%s", name);', 'puts("ready");', 'fputs("--", file);',
            "putchar('\\n');", 'snprintf(text, 2, "%s", name);', '/* printf("%s", name); */', 'dlda_file_writer_print(page, "%s", x);']
    wrong = [line for line in bad if not lines_broken(line)] + [line for line in good if lines_broken(line)]
    for line in wrong:
        print("FAIL  the rule misjudges", line)
    return len(wrong)


def main():
    failed = check_rule()
    files = sorted(glob.glob("cli/**/*.[ch]", recursive=True, root_dir=sys.argv[1]))
    for path in files:
        if path in EXCEPTIONS:
            continue
        with open(os.path.join(sys.argv[1], path), encoding="utf-8") as file:
            for number in lines_broken(file.read()):
                print(f"FAIL  {path}:{number}: prints past cli/terminal/print.h")
                failed += 1
    unknown = [path for path in EXCEPTIONS if path not in files]
    for path in unknown:
        print("FAIL  an exception that is not there:", path)
    print(f"{len(files)} files, {failed + len(unknown)} faults")
    return 1 if failed or unknown or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
