# SPDX-License-Identifier: MIT
"""Compares two builds of deeplda in one interleaved run, for run.py --against.

Absolute figures drift by tens of per cent within minutes, ratios of neighbouring turns do not. So in each round both
builds run at the same time (deeplda bench --paced), take turns of a single training step or some calls, in alternating
order, and wait otherwise. Each pair of turns gives a ratio. Processes of the next round are new, since the pages that a
process has got from the system can make all of its steps slower by some per cent.
"""
import functools
import statistics
import tempfile

from cases import case_name, choose
from programs import Paced
from start_up import StartUp
from turns import median_of, show_progress

PHASES = ("forward", "backward")


def compare_builds(bench, old):
    """A row for each case, as soon as it is measured."""
    with tempfile.TemporaryDirectory() as folder:
        for case, start, turns in cases_of(bench, folder):
            rounds = []
            for number in range(bench.rounds):
                show_progress(f"{case_name(case)}, round {number + 1} of {bench.rounds}")
                rounds.append(run_round(start, (old, bench.program), turns, number))
            show_progress("")
            yield row_of(case, rounds)


def cases_of(bench, folder):
    """(case, function that starts a build, turns of a round)"""
    for net, batch in choose("step", bench.plan["steps"], bench.choices):
        yield ("step", net, batch), functools.partial(Paced, bench, net, batch, "step", 1), bench.repeats
    for net, batch in choose("infer", bench.plan["inference"], bench.choices):
        calls = max(3, bench.calls(batch) // 4)  # the first one of a turn finds cold caches
        part = "single" if batch == 1 else "inference"
        yield ("infer", net, batch), functools.partial(Paced, bench, net, batch, part, calls), 4 * bench.repeats
    for net, _ in choose("start", bench.plan["start"], bench.choices):
        yield ("start", net, 1), functools.partial(Starts, StartUp(bench, net, folder)), 5 * bench.repeats


class Starts:
    """Turns of whole processes."""

    def __init__(self, start_up, program):
        self.start_up, self.program = start_up, program

    def turn(self):
        return self.start_up.ours(self.program, runs=1)

    def end(self):
        pass


def run_round(start, programs, turns, number):
    """Pairs of results, (old, new)."""
    builds = []
    try:
        for program in programs:
            builds.append(start(program))
        return [turns_of(builds, (number + turn) % 2) for turn in range(turns)]
    finally:
        for build in builds:
            build.end()


def turns_of(builds, new_first):
    if not new_first:
        return builds[0].turn(), builds[1].turn()
    new = builds[1].turn()
    return builds[0].turn(), new


def row_of(case, rounds):
    """All ratios are above 1 where the new build is better, but for memory."""
    pairs = [pair for pairs in rounds for pair in pairs]
    of_rounds = [ratio(pairs, rate) for pairs in rounds]
    old, new = zip(*pairs)
    row = {"case": case_name(case), "old": float(f"{median_of(old):.4g}"), "new": float(f"{median_of(new):.4g}"),
           "ratio": ratio(pairs, rate), "lowest": min(of_rounds), "highest": max(of_rounds)}
    for phase in PHASES:
        row[phase] = ratio(pairs, lambda result: 1 / result["phases"][phase]) if case[0] == "step" else ""
    row["memory"] = ratio(pairs, lambda result: result["peak_bytes"]) if "peak_bytes" in old[0] and old[0]["peak_bytes"] else ""
    return {**row, "rounds": len(rounds)}


def rate(result):
    return result["images_per_second"]


def ratio(pairs, figure):
    """Median of the new figure / the old one."""
    return round(statistics.median(figure(new) / figure(old) for old, new in pairs), 3)
