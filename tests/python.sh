#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The tests of the Python package, which `make python` installs into a virtual environment.
#
#   python.sh SOURCE BUILD [LIBRARY]     LIBRARY: a shared library with the address sanitizer, instead of the package's own
set -eu
source=$1 build=$2 library=${3-}
venv=$build/venv
[ -x "$venv/bin/python" ] || venv=$source/build/venv
if ! "$venv/bin/python" -c 'import deeplda, pytest' 2>/dev/null; then
    echo "skipped: the Python package is not installed in $venv; make python installs it"
    exit 77
fi
export DEEPLDA_PROGRAM="$build/cli/deeplda" MPLBACKEND=Agg
cd "$source"
if [ -z "$library" ]; then
    exec "$venv/bin/python" -m pytest -q -p no:cacheprovider python/tests
fi
# Python itself does not release all of its memory, so leaks are looked for by the C tests and by test_memory.py.
export DEEPLDA_LIBRARY="$library" PYTHONMALLOC=malloc ASAN_OPTIONS="abort_on_error=1:detect_leaks=0"
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider -m "not slow" --ignore python/tests/test_torch.py python/tests
