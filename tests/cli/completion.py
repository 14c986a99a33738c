#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The completions of shells: bash completes command lines as at a prompt; the scripts of zsh and fish have the same choices,
and are tried where these shells are installed.

    completion.py PROGRAM
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
FAILED = []
SETS = ["digits", "mnist", "cifar10", "stl10"]
NETS = ["mnist", "cifar10", "stl10", "cnn", "mlp"]
OBJECTIVES = ["lda", "lda-mean", "lda-log", "lda-soft", "lda-bayes", "cce", "lda-trace", "lda-cce"]
VERBS = ["list", "fetch", "check", "convert", "show"]


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def deeplda(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def script(shell):
    end = deeplda("completion", shell)
    check(end.returncode == 0 and end.stderr == "", f"completion {shell}: exit 0")
    with open(f"completion.{shell}", "w") as file:
        file.write(end.stdout)
    return end.stdout


def commands():
    lines = deeplda("--help").stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if re.match("  [a-z]", line)]


def options(*command):
    """The long options in a command's help."""
    return set(re.findall("^ {2}.{4}(--[a-z-]+)", deeplda(*command, "--help").stdout, re.M))


# ---- bash ----


def complete(*words):
    """What bash offers for the last of these words, as it splits them."""
    code = 'source ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deeplda; printf "%s\\n" "${COMPREPLY[@]}"'
    end = subprocess.run(["bash", "--norc", "-c", code, "bash", "deeplda", *words], capture_output=True, text=True)
    check(end.stderr == "", f"bash is silent about: {' '.join(words)}{end.stderr}")
    return [line for line in end.stdout.split("\n") if line]


def offers(words, wanted):
    found = complete(*words)
    check(sorted(found) == sorted(wanted), f"bash: deeplda {' '.join(words)}<Tab> (found {found})")


def test_bash():
    script("bash")
    here = sorted(os.listdir("."))
    folders = [name for name in here if os.path.isdir(name)]
    offers(["tr"], ["train"])
    offers([""], commands() + ["help", "completion"])
    offers(["completion", ""], ["bash", "zsh", "fish"])
    offers(["--"], ["--help", "--version"])
    offers(["help", "tr"], ["train"])
    offers(["train", "--obj"], ["--objective"])
    offers(["train", "--objective", ""], OBJECTIVES)
    offers(["train", "--objective", "="], OBJECTIVES)
    offers(["train", "--objective", "=", "lda-b"], ["lda-bayes"])
    offers(["train", "--net", "m"], ["mnist", "mlp", "mine.net"])
    offers(["train", "--net", "pi"], ["pictures"])
    offers(["train", "--no-f"], ["--no-flip"])
    offers(["train", "--epochs", ""], [])
    offers(["train", "-o", "ru"], ["run", "run notes.txt"])
    offers(["train", "--resume", ""], folders)
    offers(["train", ""], SETS + here)
    offers(["train", "--net", "mlp", "-e", "3", "d"], ["digits"])
    offers(["train", "digits", ""], [])
    offers(["eval", ""], folders + ["other.safetensors"])
    offers(["eval", "--proba", ""], ["bayes", "paper"])
    offers(["eval", "run", "st"], ["stl10"])
    offers(["eval", "--head", "=", "lda", "run", "st"], ["stl10"])
    offers(["eval", "run/"], ["run/model.safetensors"])
    offers(["predict", "run", "a.png", "b"], ["b.png"])
    offers(["report", "run", ""], folders)
    offers(["info", "mn"], ["mnist"])
    offers(["reproduce", "mnist-50k", "stl10-"], ["stl10-4k", "stl10-1k", "stl10-32"])
    offers(["data", ""], VERBS)
    offers(["data", "s"], ["show"])
    offers(["data", "fetch", ""], ["mnist", "cifar10"])
    offers(["data", "show", "--co"], ["--count"])
    offers(["data", "list", "--co"], [])
    offers(["data", "convert", "--to", ""], ["idx", "npy", "png"])
    offers(["nonsense", ""], [])
    for command in [[name] for name in commands() if name != "data"] + [["data", verb] for verb in VERBS]:
        check(command in (["bench"], ["data", "list"]) or complete(*command, ""), f"bash: {' '.join(command)} <Tab> offers something")
        found = {word for word in complete(*command, "--") if not word.startswith("--no-f")}
        check(found == options(*command), f"bash: the options of {' '.join(command)} are those of its help")


# ---- zsh and fish ----


def test_text(shell, text):
    for words in [OBJECTIVES, NETS, SETS, ["bayes", "paper"], ["idx", "npy", "png"], ["mnist", "cifar10"], ["bash", "zsh", "fish"]]:
        check(re.search(rf"[('\"]{' '.join(words)}[)' ]", text), f"{shell}: choices {' '.join(words)}")
    for name in commands() + VERBS + ["completion"]:
        check(re.search(rf"\b{name}\b", text), f"{shell}: {name}")


def test_syntax(shell):
    if not shutil.which(shell):
        print(f"      {shell} is not installed")
        return
    end = subprocess.run([shell, "-n", f"completion.{shell}"], capture_output=True, text=True)
    check(end.returncode == 0 and end.stderr == "", f"{shell} -n: {end.stderr}")


def test_fish():
    if not shutil.which("fish"):
        return
    for line, wanted in [("deeplda tr", "train"), ("deeplda train --objective lda-b", "lda-bayes"), ("deeplda data s", "show"),
                         ("deeplda data show --co", "--count")]:
        end = subprocess.run(["fish", "--no-config", "-c", f"source completion.fish; complete -C '{line}'"],
                             capture_output=True, text=True)
        check(end.stdout.split("\t")[0] == wanted and end.stderr == "", f"fish: {line}<Tab> {end.stdout}{end.stderr}")


def test_zsh_specifications(text):
    """Each line of _arguments is in single quotes, which its text must not end."""
    lines = re.findall(r"^        ('.*) \\$", text, re.M)
    check(len(lines) > 100, "zsh: a specification for each option")
    for line in lines:
        if not re.fullmatch(r"'(?:[^']|'\\'')*'(?:\{[^}]*\}'(?:[^']|'\\'')*')?", line):
            check(False, f"zsh: quotes of {line}")


# ---- Names that the completion knows ----


def test_names():
    for name in NETS:
        check(deeplda("info", name).returncode == 0, f"network {name} exists")
    formats = deeplda("data", "check", "digits", "--format", "none").stderr
    known = re.search("expected one of (.*)", formats)
    offered = complete("train", "--format", "")
    check(known and set(offered) | {"digits"} == set(re.findall("[a-z0-9]+", known[1])) | {"digits"},
          f"formats: {offered}, {formats}")
    end = deeplda("completion", "csh")
    check(end.returncode == 2 and "expected bash, zsh or fish" in end.stderr, "another shell is refused")
    check(deeplda("completion").returncode == 2, "no shell is refused")


def main():
    with tempfile.TemporaryDirectory(prefix="deeplda-completion-") as folder:
        os.chdir(folder)
        for name in ["run", "pictures"]:
            os.mkdir(name)
        for name in ["run/model.safetensors", "other.safetensors", "mine.net", "a.png", "b.png", "run notes.txt", "completion.bash"]:
            open(name, "w").close()
        test_bash()
        for shell in ["zsh", "fish"]:
            text = script(shell)
            test_text(shell, text)
            test_syntax(shell)
            if shell == "zsh":
                test_zsh_specifications(text)
        test_fish()
        test_names()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
