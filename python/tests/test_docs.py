# SPDX-License-Identifier: MIT
"""The examples in docstrings and in docs/python.md, and whole programs of examples/python, do what they say."""

import doctest
import importlib
import importlib.util
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

HAS_TORCH = importlib.util.find_spec("torch") is not None
MODULES = ["scatter", "lda", "classifier"] + ["torch"] * HAS_TORCH


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"deeplda.{name}"))
    assert result.attempted > 0 and result.failed == 0


def test_tour(tmp_path, monkeypatch):
    """docs/python.md, in an empty folder. Sections of packages that are not installed are left out."""
    shutil.copy(ROOT / "data/iris.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/python.md").read_text()
    kept = [
        section
        for section in text.split("\n## ")
        if all(importlib.util.find_spec(p) for p in ("torch", "dask") if f"import {p}" in section or f"from {p}" in section)
    ]
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    test = parser.get_doctest("\n## ".join(kept).replace("```", "\n"), {}, "python.md", "docs/python.md", 0)
    assert len(test.examples) > 20
    assert runner.run(test).failed == 0


EXAMPLES = {
    "pictures": [],
    "table": [],
    "grid_search": ["sklearn"],
    "digits_torch": ["torch"],
    "partitions": ["joblib", "dask"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, needs in EXAMPLES.items() if all(map(importlib.util.find_spec, needs))])
def test_examples(name, tmp_path):
    script = ROOT / f"examples/python/{name}.py"
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "%" in done.stdout
