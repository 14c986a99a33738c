#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Kills trainings at random moments, resumes them, and compares the results with those of trainings that ran through.

    resume.py PROGRAM

Also: a damaged checkpoint, one that cannot be written, options and data that do not fit. The moments differ from run
to run; the seed that is printed repeats them: DEEPLDA_TEST_SEED=N.
"""
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
FILES = ["model.safetensors", "history.csv", "eigenvalues.csv", "options.json"]
TRAIN = ["train", "digits", "--net", "small.net", "--epochs", "4", "--batch", "60", "--subset", "600", "--measure", "200",
         "--schedule", "halve", "--rate", "0.05", "--checkpoint", "0.00001"]
NET = "input 28 28 1\nconv 8 3 stride 2\ndropout 0.25\nconv 8 3 stride 2\ndropout 0.25\nconv 10 3 stride 2\ngap\n"
PATIENCE = 120  # seconds; whatever takes longer has failed
SEED = int(os.environ.get("DEEPLDA_TEST_SEED", time.time()))
FAILED = []


def check(good, what):
    print("ok   " if good else "FAIL ", what, flush=True)
    if not good:
        FAILED.append(what)


def run(arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE, **more)


def contents_of_all(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in FILES}


def has_checkpoint(folder):
    return any(os.path.exists(os.path.join(folder, f"checkpoint{more}.safetensors")) for more in ("", "-previous"))


def kill_after(arguments, seconds):
    """None if it was killed; its exit code if it ended by itself before that."""
    with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    return None


def train_with_kills(arguments, folder, seconds, moments):
    """Kills the training at random moments, then lets it end. Returns how often it was killed and resumed."""
    kills = resumes = 0
    while True:
        resumable = has_checkpoint(folder)
        free = ["--threads", str(moments.choice([1, 2, 3]))]  # options that do not decide the result
        if "--norm-group" in arguments:
            free += ["--micro-batch", str(moments.choice([0, 20, 40]))]
        command = ["train", "--resume", folder] if resumable else [*arguments, "-o", folder, "--force"]
        resumes += resumable
        code = kill_after(command + free, moments.uniform(0, 0.7 * seconds) if kills < 8 else PATIENCE)
        if kills < 8 and code is None:
            kills += 1
            continue
        check(code == 0, f"{folder} ends well (exit code {code}, None: not at all)")
        return kills, resumes


def test_kills(moments):
    all_resumes = 0
    for objective in ("lda", "cce"):
        for threads in ("1", "2"):
            name = f"{objective}-{threads}"
            arguments = [*TRAIN, "--objective", objective, *(["--norm-group", "20"] if threads == "2" else [])]
            begin = time.monotonic()
            whole = run([*arguments, "--threads", threads, "-o", f"whole-{name}"])
            check(whole.returncode == 0, f"{name} runs through: {whole.stderr[-300:] if whole.returncode else ''}")
            kills, resumes = train_with_kills(arguments, f"killed-{name}", time.monotonic() - begin, moments)
            all_resumes += resumes
            check(contents(f"whole-{name}") == contents(f"killed-{name}"),
                  f"{name}: the same files after {kills} kills and {resumes} resumptions")
    check(all_resumes > 0, "some of them were resumed")


def wait_for_checkpoint(process, folder):
    """False if none comes in time, or if the training ends before."""
    end = time.monotonic() + PATIENCE
    while not has_checkpoint(folder):
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_stop_in_mid_epoch():
    with subprocess.Popen([PROGRAM, *TRAIN, "--epochs", "400", "-o", "stopped"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        check(wait_for_checkpoint(process, "stopped"), "there is a checkpoint before the first epoch ends")
        process.send_signal(signal.SIGTERM)
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            _, said = process.communicate()
    check(process.returncode == 143, f"SIGTERM gives exit code 143 (found {process.returncode})")
    check("To continue: deeplda train --resume stopped" in said, f"it says how to go on: {said[-200:]}")


def damage(path, how):
    data = bytearray(open(path, "rb").read())
    if how == "cut":
        data = data[: len(data) // 2]
    else:
        data[len(data) - 100] ^= 1
    open(path, "wb").write(data)


def test_damage():
    for how in ("cut", "flipped bit"):
        folder = "damaged-" + how[:3]
        run([*TRAIN, "-o", folder, "--epochs", "2"])
        damage(os.path.join(folder, "checkpoint.safetensors"), how)
        end = run(["train", "--resume", folder, "--epochs", "4"])
        check(end.returncode == 0 and "going on from the checkpoint before it" in end.stderr,
              f"{how}: the one before it is used, with a word: {end.stderr[:200]}")
        whole, ours = contents("whole-lda-1"), contents(folder)
        check(whole["history.csv"] == ours["history.csv"], f"{how}: and the history is the same in the end")
        for name in ("checkpoint.safetensors", "checkpoint-previous.safetensors"):
            damage(os.path.join(folder, name), "cut")
        end = run(["train", "--resume", folder])
        check(end.returncode == 1 and "checkpoint-previous.safetensors" in end.stderr,
              f"{how}: both damaged is an error: {end.stderr[:200]}")


def test_next():
    """A checkpoint-next is the newest, if it is later than checkpoint; else it is ignored and removed."""
    run([*TRAIN, "-o", "next"])
    whole = contents("next")
    shutil.copy("next/checkpoint-previous.safetensors", "next/checkpoint-next.safetensors")
    end = run(["train", "--resume", "next"])
    check(end.returncode == 0 and contents("next") == whole, f"an older one is ignored: {end.stderr[-200:]}")
    os.rename("next/checkpoint.safetensors", "next/checkpoint-next.safetensors")
    os.rename("next/checkpoint-previous.safetensors", "next/checkpoint.safetensors")
    end = run(["train", "--resume", "next"])
    check(end.returncode == 0 and contents("next") == whole, f"a later one is used: {end.stderr[-200:]}")
    with open("next/checkpoint-next.safetensors", "w") as file:
        file.write("damaged")
    for word in ("going on from the checkpoint before it", ""):
        end = run(["train", "--resume", "next", "--epochs", "5"])
        check(end.returncode == 0 and word in end.stderr and (word or "going on from" not in end.stderr),
              f"a damaged one is reported, once: {end.stderr[-200:]}")


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


def test_full_disk():
    run([*TRAIN, "-o", "full", "--epochs", "2"])
    before = {name: open(os.path.join("full", name), "rb").read() for name in sorted(os.listdir("full"))}
    end = run(["train", "--resume", "full", "--epochs", "4"], preexec_fn=limit_files)
    check(end.returncode == 1 and "cannot write" in end.stderr, f"a full disk is reported: {end.stderr[-200:]}")
    after = {name: open(os.path.join("full", name), "rb").read() for name in sorted(os.listdir("full"))}
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name) and
               name not in ("run.json", "options.json")]  # these say what was begun
    check(not changed, f"and no file is lost, changed or left over: {changed}")
    end = run(["train", "--resume", "full", "--epochs", "4"])
    check(end.returncode == 0 and contents("full")["history.csv"] == contents("whole-lda-1")["history.csv"],
          "with room again, it goes on to the same end")


def begin(arguments, is_begun):
    """Starts a training and returns when is_begun() holds."""
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.time() + PATIENCE
    while not is_begun() and process.poll() is None and time.time() < until:
        time.sleep(0.001)
    return process


def kill(process):
    process.kill()
    process.wait()


def test_lock():
    """A second training in the same folder is refused, and does no harm."""
    process = begin([*TRAIN, "-o", "locked", "--epochs", "100000"], lambda: os.path.exists("locked/history.csv"))
    for arguments in (["train", "--resume", "locked"], [*TRAIN, "-o", "locked", "--force"]):
        end = run(arguments)
        check(end.returncode == 1 and f"locked: process {process.pid} is writing into this folder" in end.stderr,
              f"{arguments[-1]}: refused beside a running training: {end.stderr[-150:]}")
    for arguments in (["refit", "whole-lda-1", "--priors", "uniform", "-o", "locked/model.safetensors"],
                      ["export", "whole-lda-1", "-o", "locked/checkpoint.safetensors"]):
        end = run(arguments)
        check(end.returncode == 1 and f"process {process.pid} is writing into this folder" in end.stderr,
              f"{arguments[0]}: replaces no file of a running training: {end.stderr[-150:]}")
    check(process.poll() is None, "and the first one goes on")
    kill(process)
    end = run(["train", "--resume", "locked", "--epochs", "1"])
    check(" is writing into" not in end.stderr, f"its lock ends with it: {end.stderr[-200:]}")


def content_of(path):
    """What a file holds; nothing if there is none, as for a moment while a training replaces another one."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def test_forced_and_killed():
    """A training into the folder of another one, killed in its first epoch: the old one is gone, the new one goes on."""
    other = [*TRAIN, "--rate", "0.03", "--checkpoint", "10"]
    run([*other, "-o", "other"])
    run([*TRAIN, "-o", "forced"])
    old = content_of("forced/run.json")
    kill(begin([*other, "-o", "forced", "--force"], lambda: content_of("forced/run.json") not in (old, b"")))
    check(not os.path.exists("forced/model.safetensors") or contents("forced") == contents("other"),
          "--force, killed: no model of the old training beside the options of the new one")
    end = run(["train", "--resume", "forced"])
    check(end.returncode == 0 and contents("forced") == contents("other"),
          f"and it resumes as the new one: {end.stderr[-200:]}")


def test_killed_at_once():
    """A training can be resumed from its first moment on, also if its data need options."""
    with open("table.tab", "w") as table:
        table.write("kind,a,b\n")
        for i in range(400):
            table.write(f"{'xy'[i % 2]},{i % 2 + i * 7 % 13 / 10},{i % 3 + i * 5 % 11 / 10}\n")
    train = ["train", "table.tab", "--format", "csv", "--label", "kind", "--epochs", "40"]
    run([*train, "-o", "table-whole"])
    kill(begin([*train, "-o", "table"], lambda: os.path.exists("table/checkpoint.safetensors")))
    if os.path.exists("table/run.json"):
        os.unlink("table/run.json")  # as if it had been killed before this file
    end = run(["train", "--resume", "table"])
    check(end.returncode == 0 and contents("table") == contents("table-whole"),
          f"killed at its first checkpoint: it resumes, format and label are known: {end.stderr[-200:]}")


def test_leftovers():
    """Those of a killed training are removed. Files of the user stay, whatever their names."""
    run([*TRAIN, "-o", "left"])
    gone = subprocess.Popen(["true"])
    gone.wait()
    own = {"notes.tmp-20240101", "mine.tmp-999999999", "x.tmp-99999-5", "history.csv.tmp-old", "history.csv.tmp", f"data.tmp-{gone.pid}"}
    for name in own:
        open(os.path.join("left", name), "w").close()
    for words in (["train", "--resume", "left"], [*TRAIN, "-o", "left", "--force"]):
        open(f"left/model.safetensors.tmp-{gone.pid}", "w").close()
        open(f"left/checkpoint-next.safetensors.tmp-{gone.pid}-2", "w").close()
        run(words)
        found = {name for name in os.listdir("left") if ".tmp" in name}
        check(found == own, f"{words[-1]}: left-overs are removed, and nothing else: {found ^ own}")


NAMES = ["model.safetensors", "history.csv", "eigenvalues.csv", "options.json", "run.json", "checkpoint-next.safetensors",
         "checkpoint-previous.safetensors", "checkpoint.safetensors"]


def replace_by_links(folder, victims):
    """Each file of a training becomes a link to a file elsewhere."""
    for name in NAMES:
        path, victim = os.path.join(folder, name), os.path.join(victims, name)
        if os.path.exists(path):
            os.rename(path, victim)
        else:
            open(victim, "w").write("mine")
        os.symlink(os.path.join("..", victim), path)


def test_links():
    """A run folder of others: links at the names of a training are replaced, not followed. The folder may be a link."""
    run([*TRAIN, "-o", "plain"])
    run(["train", "--resume", "plain", "--epochs", "5"])
    for words in (["train", "--resume", "link", "--epochs", "5"], [*TRAIN, "-o", "link", "--force"]):
        run([*TRAIN, "-o", "linked"])
        os.symlink("linked", "link")
        os.mkdir("victims")
        replace_by_links("linked", "victims")
        before = contents_of_all("victims")
        end = run(words)
        check(end.returncode == 0, f"{words[-1]}: a folder of links: {end.stderr[-300:]}")
        check(contents_of_all("victims") == before, f"{words[-1]}: what the links point to is unchanged")
        left = [name for name in FILES if os.path.islink(os.path.join("linked", name))]
        check(not left and os.path.islink("link"), f"{words[-1]}: the links are replaced: {left}")
        if "--resume" in words:
            same = all(contents("linked")[name] == contents("plain")[name] for name in FILES if name != "options.json")
            check(same, "and the result is the same")
        os.unlink("link")
        shutil.rmtree("linked")
        shutil.rmtree("victims")


def test_unreadable():
    """run.json has the folder of the data. If it is there but cannot be read, nothing else is used instead."""
    run([*TRAIN, "-o", "unreadable"])
    os.unlink("unreadable/run.json")
    os.mkdir("unreadable/run.json")
    end = run(["train", "--resume", "unreadable", "--epochs", "5"])
    check(end.returncode == 1 and "run.json: a folder, expected a file" in end.stderr, f"run.json is unreadable: {end.stderr[-200:]}")


def test_refusals():
    for arguments, word in [(["--resume", "nowhere"], "nowhere: no such folder, expected a run folder"),
                            (["--resume", "full/checkpoint.safetensors"], "checkpoint.safetensors: not a folder, expected"),
                            (["--resume", "full", "--rate", "0.2"], "option --rate was 0.05, now it is 0.2"),
                            (["--resume", "full", "--subset", "500"], "option --subset was 600"),
                            (["--resume", "full", "-o", "other"], "-o is not allowed"),
                            (["--resume", "full", "--epochs", "2"], "4 epochs are done")]:
        end = run(["train", *arguments])
        check(end.returncode in (1, 2) and word in end.stderr, f"{' '.join(arguments)}: {end.stderr[:160].strip()}")


def main():
    print("seed", SEED, flush=True)
    with tempfile.TemporaryDirectory(prefix="deeplda-resume-") as folder:
        os.chdir(folder)
        with open("small.net", "w") as file:
            file.write(NET)
        test_kills(random.Random(SEED))
        test_stop_in_mid_epoch()
        test_damage()
        test_next()
        test_full_disk()
        test_lock()
        test_forced_and_killed()
        test_killed_at_once()
        test_leftovers()
        test_links()
        test_unreadable()
        test_refusals()
        os.chdir("/")
    print(f"{len(FAILED)} checks failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
