#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The tests of the Python package, which `make python` installs into a virtual environment.
#
#   python.sh SOURCE BUILD [LIBRARY]     LIBRARY: a shared library with the address sanitizer, instead of the package's own
set -eu
source=$1 build=$2 library=${3:+$(realpath "$3")}
venv=$build/venv
[ -x "$venv/bin/python" ] || venv=$source/build/venv
if ! "$venv/bin/python" -c 'import deeplda, pytest' 2>/dev/null; then
    echo "skipped: the Python package is not installed in $venv; make python installs it"
    exit 77
fi
export DEEPLDA_PROGRAM="$build/cli/deeplda" MPLBACKEND=Agg
cd "$source"
if [ -z "$library" ]; then
    "$venv/bin/python" -m pytest -q -p no:cacheprovider python/tests
    [ -x "$venv-oldest/bin/python" ] || exit 0
    # With the oldest supported packages, those of Debian 12. The answers are those of current
    # scikit-learn: solver "svd" of 1.2.1 divides by the rows minus the classes, not by the rows.
    export PYTHONPATH="$source/python" DEEPLDA_LIBRARY="$build/src/libdeeplda.so.0" PYTHONDONTWRITEBYTECODE=1
    exec "$venv-oldest/bin/python" -m pytest -q -p no:cacheprovider \
        -k "not same_answers and not large_offset and not single_precision" python/tests/test_estimators.py python/tests/test_lda.py
fi
# Python itself does not release all of its memory, so leaks are looked for by the C tests and by test_memory.py.
export DEEPLDA_LIBRARY="$library" PYTHONMALLOC=malloc ASAN_OPTIONS="abort_on_error=1:detect_leaks=0:allocator_may_return_null=1"
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider -m "not slow" --ignore python/tests/test_torch.py python/tests
