# SPDX-License-Identifier: MIT
"""The interface that is read from the headers agrees with the compiler's; failures become exceptions."""

import ctypes
import re
import subprocess

import numpy as np
import pytest

import deeplda
from deeplda import _library as library


def test_every_function_is_found():
    texts = [library._file(f"include/{name}").read_text() for name in ("deeplda.h", "deeplda_lda.h")]
    declared = sum(len(re.findall(r"^DLDA_API ", text, flags=re.M)) for text in texts)
    assert len(library._header.functions) == declared > 150
    for name in library._header.functions:
        assert getattr(library.lib, name), name
    assert all(None not in types for _, types, _ in library._header.functions.values())


def test_layout_of_structs_and_values_of_constants(tmp_path):
    lines = [f'printf("{name} %zu\\n", sizeof({name}));' for name in library.struct]
    for name, kind in library.struct.items():
        lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in kind._fields_]
    lines += [f'printf("{name} %d\\n", (int){name});' for name in library.constant]
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <stdio.h>\n#include <deeplda_lda.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    )
    include = library._file("include")
    subprocess.run(["gcc", f"-I{include}", str(source), "-o", str(tmp_path / "layout")], check=True)
    printed = subprocess.run([str(tmp_path / "layout")], check=True, capture_output=True, text=True).stdout
    assert len(library.struct) > 15 and len(library.constant) > 40
    for line in printed.splitlines():
        name, value = line.split()
        kind, _, field = name.partition(".")
        if kind in library.constant:
            assert library.constant[kind] == int(value), name
        elif field:
            assert getattr(library.struct[kind], field).offset == int(value), name
        else:
            assert ctypes.sizeof(library.struct[kind]) == int(value), name


def test_kinds_of_exceptions(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        deeplda.Model.load(tmp_path / "nowhere.safetensors")
    (tmp_path / "bad").write_bytes(b"no model")
    with pytest.raises(ValueError, match="bad"):
        deeplda.Model.load(tmp_path / "bad")
    with pytest.raises(OSError):
        deeplda.LinearDiscriminantAnalysis().fit_file(tmp_path)
    with pytest.raises(MemoryError):
        deeplda.Scatter(np.arange(1000), per_class=True)._grow(np.arange(1000), 1 << 24)


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", deeplda.__version__)
    assert set(deeplda.__all__) <= set(dir(deeplda))
    with pytest.raises(AttributeError):
        deeplda.nothing  # noqa: B018


def test_another_core_type_for_old_kernels(monkeypatch):
    class Old:
        class openblas_get_corename:
            restype = None

            def __new__(cls):
                return b"Prescott"

    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    flags = library.Path("/proc/cpuinfo").read_text()
    expected = "SkylakeX" if " avx512vl" in flags else "Haswell" if " avx2" in flags else None
    assert library._better_core(Old()) == expected
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    assert library._better_core(Old()) is None
    assert library._better_core(object()) is None


def test_what_is_used_lives_longer():
    """A trainer's thread reads its data until the trainer is destroyed."""
    order = []
    data = library.Handle("dlda_dataset_destroy")
    trainer = library.Handle("dlda_trainer_destroy", keeps=(data,))
    for name, handle in (("data", data), ("trainer", trainer)):
        handle.pointer = ctypes.c_void_p(1)
        handle._destroy = lambda _pointer, name=name: order.append(name)
    del data, handle
    assert order == []
    trainer.close()
    assert order == ["trainer", "data"]
    del trainer
    assert order == ["trainer", "data"]
