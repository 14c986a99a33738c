# SPDX-License-Identifier: MIT
"""Types and style: mypy and ruff have nothing to say."""

import importlib.util
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["mypy", "--no-incremental"], ["ruff", "check"], ["ruff", "format", "--check"]], ids=" ".join
)
def test_style(words):
    assert importlib.util.find_spec(words[0]), f"{words[0]} is not installed"
    cache = ["--no-cache"] if words[0] == "ruff" else []
    done = subprocess.run([sys.executable, "-m", *words, *cache], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_docstrings_of_what_is_public():
    import deeplda

    for name in deeplda.__all__:
        thing = getattr(deeplda, name)
        for member in [thing, *(getattr(thing, m) for m in dir(thing) if not m.startswith("_"))]:
            if callable(member) and str(getattr(member, "__module__", "")).startswith("deeplda."):
                assert member.__doc__, member
