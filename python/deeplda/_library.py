# SPDX-License-Identifier: MIT
"""The C library: its functions, structs and constants, read from the public headers when the package is imported.

`lib.dlda_model_load(path, byref(handle))` calls the function of that name. A status other than DLDA_OK becomes an
exception with the library's sentence. ctypes releases the interpreter lock during every call. `struct` and `constant`
hold the structs and enumerators by name. The environment variable DEEPLDA_LIBRARY names another shared library, such as
one built with a sanitizer.
"""

from __future__ import annotations

import _ctypes
import ctypes
import errno
import os
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

byref, cast, Structure = ctypes.byref, ctypes.cast, ctypes.Structure

_NUMBERS: dict[str, Any] = {
    "int": ctypes.c_int,
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "uint64_t": ctypes.c_uint64,
    "dlda_status": ctypes.c_int,
}


# ---- Headers ----


class _Header:
    """Declarations of C headers that are written in the style of this project: one statement each, no macros in types."""

    def __init__(self, text: str) -> None:
        self.structs: dict[str, Any] = {}
        self.constants: dict[str, int] = {}
        self.functions: dict[str, tuple[Any, list[Any], bool]] = {}
        self._enums: set[str] = set()
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
        for name, body in re.findall(r"typedef enum (\w+) \{(.*?)\}", text, flags=re.S):
            self._add_enum(name, body)
        for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, flags=re.S):
            self._add_struct(name, body)
        for result, name, arguments in re.findall(r"DLDA_API ([^;{}]*?)(\w+)\(([^;{}]*)\);", text):
            self._add_function(result, name, arguments)

    def _add_enum(self, name: str, body: str) -> None:
        self._enums.add(name)
        value = -1
        for item in filter(None, (part.strip() for part in body.split(","))):
            word, _, given = (part.strip() for part in item.partition("="))
            value = int(given) if given else value + 1
            self.constants[word] = value

    def _type(self, text: str, structs: bool = False) -> Any:
        """The type of a declaration `text`, without its name. A pointer other than a text is an address, which also takes
        byref(); with `structs`, a pointer to a known struct is one."""
        base, stars = re.sub(r"\b(const|struct)\b|\*", " ", text).split()[0], text.count("*")
        if stars == 0:
            return ctypes.c_int if base in self._enums else _NUMBERS.get(base)
        if stars == 1 and base == "char" and "const" in text:
            return ctypes.c_char_p
        return ctypes.POINTER(self.structs[base]) if structs and base in self.structs else ctypes.c_void_p

    def _add_struct(self, name: str, body: str) -> None:
        fields: list[tuple[str, Any]] = []
        for statement in filter(None, (part.strip() for part in body.split(";"))):
            function = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", statement, flags=re.S)
            if function:
                result, field, arguments = function.groups()
                types = [self._type(argument, structs=True) for argument in arguments.split(",")]
                fields.append((field, ctypes.CFUNCTYPE(self._type(result), *types)))
                continue
            first, *others = statement.split(",")  # such as: const char *data, *label
            base = re.match(r"\s*((?:const |struct )*\w+)", first).group(0)  # type: ignore[union-attr]
            for declarator in [first[len(base) :], *others]:
                field = re.findall(r"\w+", declarator)[-1]
                fields.append((field, self._type(base + "*" * declarator.count("*"))))
        self.structs[name] = type(name, (Structure,), {"_fields_": fields})

    def _add_function(self, result: str, name: str, arguments: str) -> None:
        types = [] if arguments.strip() == "void" else [self._type(argument) for argument in arguments.split(",")]
        self.functions[name] = (self._type(result, structs=True), types, result.split()[0] == "dlda_status")


# ---- Errors ----


def _check(status: int, _function: Any, _arguments: Any) -> int:
    if status == 0 or status == constant["DLDA_E_STOPPED"]:
        return status
    message = lib.dlda_last_error().decode("utf-8", "replace")
    if status == constant["DLDA_E_IO"] and (os.strerror(errno.ENOENT) in message or "no such file or folder" in message):
        raise FileNotFoundError(message)
    raise _EXCEPTIONS.get(status, ValueError)(message)


# ---- Loading ----


class _Library:
    """The functions of the headers as attributes, made when they are first used."""

    def __init__(self, handle: ctypes.CDLL, header: _Header) -> None:
        self._handle, self._header = handle, header

    def __getattr__(self, name: str) -> Any:
        if name not in self._header.functions:
            raise AttributeError(name)
        function: Any = self._handle[name]
        result, types, is_status = self._header.functions[name]
        function.restype, function.argtypes = result, types
        if is_status:
            function.errcheck = _check
        setattr(self, name, function)
        return function


def _file(name: str) -> Path:
    """A file of the package; in the source tree, the headers are not in the package's folder."""
    path = Path(str(resources.files("deeplda") / name))
    return path if path.exists() else Path(__file__).parents[2] / name


def _better_core(library: ctypes.CDLL) -> str | None:
    """A core type for OpenBLAS if it does not know this processor and so uses its oldest kernels, as the program does."""
    try:
        core_name = library.openblas_get_corename
    except AttributeError:
        return None
    core_name.restype = ctypes.c_char_p
    if core_name() != b"Prescott" or "OPENBLAS_CORETYPE" in os.environ:
        return None
    try:
        flags = set(re.findall(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), flags=re.M)[0].split())
    except (OSError, IndexError):
        return None
    if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags:
        return "SkylakeX"
    return "Haswell" if {"avx2", "fma"} <= flags else None


def _load() -> ctypes.CDLL:
    path = os.environ.get("DEEPLDA_LIBRARY") or str(_file("_deeplda.so"))
    library = ctypes.CDLL(path)
    core = _better_core(library)
    if core is None:
        return library
    # OpenBLAS chooses when it is loaded: unload it, unless something else in this process uses it too, and load again.
    _ctypes.dlclose(library._handle)
    os.environ["OPENBLAS_CORETYPE"] = core
    try:
        return ctypes.CDLL(path)
    finally:
        del os.environ["OPENBLAS_CORETYPE"]


_header = _Header("".join(_file(f"include/{name}").read_text() for name in ("deeplda.h", "deeplda_lda.h")))
struct = _header.structs
constant = _header.constants
_EXCEPTIONS = {
    constant["DLDA_E_MEMORY"]: MemoryError,
    constant["DLDA_E_IO"]: OSError,
    constant["DLDA_E_EXISTS"]: FileExistsError,
}
lib = _Library(_load(), _header)


# ---- Conversions ----


def text(value: Any) -> bytes | None:
    """A path or text for the library; None stays None, which is NULL."""
    return None if value is None else os.fsencode(value)


def read_doubles(address: Any, *shape: int) -> NDArray[np.float64]:
    """A copy of an array of the library."""
    count = int(np.prod(shape))
    if not address or not count:
        return np.empty(shape)
    return np.array((ctypes.c_double * count).from_address(_address(address))).reshape(shape)


def read_sizes(address: Any, *shape: int) -> NDArray[np.int64]:
    count = int(np.prod(shape))
    return np.array((ctypes.c_size_t * count).from_address(_address(address))).astype(np.int64).reshape(shape)


def _address(pointer: Any) -> int:
    return pointer if isinstance(pointer, int) else cast(pointer, ctypes.c_void_p).value or 0


class Handle:
    """An object of the library, destroyed with this one. What it uses is in `keeps`, and lives at least as long."""

    def __init__(self, destroy: str, keeps: Any = None) -> None:
        self._destroy = getattr(lib, destroy)
        self.pointer = ctypes.c_void_p()
        self._keeps = keeps

    @property
    def out(self) -> Any:
        """For the last argument of a _create, _load and the like."""
        return byref(self.pointer)

    def close(self) -> None:
        """Destroys the object, and then lets go of what it used."""
        if getattr(self, "pointer", None):
            pointer, self.pointer = self.pointer, ctypes.c_void_p()
            self._destroy(pointer)
        self._keeps = None

    def __del__(self) -> None:
        self.close()

    @property
    def _as_parameter_(self) -> Any:
        return self.pointer


def take_bytes(function: Any, handle: Handle) -> bytes:
    """The bytes that a _to_bytes function makes."""
    address, size = ctypes.c_void_p(), ctypes.c_size_t()
    function(handle, byref(address), byref(size))
    try:
        return ctypes.string_at(address, size.value)
    finally:
        lib.dlda_bytes_destroy(address)
