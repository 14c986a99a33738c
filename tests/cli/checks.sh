# SPDX-License-Identifier: MIT
#
# What the tests of the program share: checks that print a line with "ok" or "FAIL", in a scratch folder.
#
#   . checks.sh    at the start of a script whose first argument is the program, after `set -u`
#   finish         at its end: the exit status is 0 only if no check failed
program=$(realpath "${1:?path of the program deeplda}")
here=$(dirname "$(realpath "$0")")
root=$here/../..
python=/usr/bin/python3
[ -x "$python" ] || python=python3

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch" || exit 1
failures=0
export LC_ALL=C

verdict() { # STATUS WORDS...: says whether the latest check went well
    if [ "$1" -eq 0 ]; then
        shift
        echo "ok    $*"
    else
        shift
        echo "FAIL  $*"
        sed 's/^/      stdout: /' out 2>/dev/null | head -5
        sed 's/^/      stderr: /' err 2>/dev/null | head -5
        failures=$((failures + 1))
    fi
}

expect() { # EXIT_CODE ARGUMENT...: runs the program
    wanted=$1
    shift
    "$program" "$@" >out 2>err </dev/null
    code=$?
    [ "$code" -eq "$wanted" ]
    verdict $? "exit $wanted (found $code): deeplda $*"
}

prints() { grep -q -e "$1" out; verdict $? "stdout has: $1"; }
says() { grep -q -e "$1" err; verdict $? "stderr has: $1"; }
silent() { [ ! -s "$1" ]; verdict $? "$1 is empty"; }
holds() { # WORDS COMMAND...
    words=$1
    shift
    "$@"
    verdict $? "$words"
}
differ() { # WORDS FILE FILE: both are there, and not the same
    cmp -s "$2" "$3"
    [ $? -eq 1 ]
    verdict $? "$1"
}
lacks() { # FILE PATTERN: the file is there, and no line of it matches
    grep -q -e "$2" "$1"
    [ $? -eq 1 ]
    verdict $? "$1 has no line with: $2"
}
absent() { holds "not there: $1" test ! -e "$1"; }

json() { # EXPRESSION: Python, with the program's output as `a`
    "$python" -c "
import json, sys
a = json.load(open('out'))
sys.exit(0 if ($1) else 1)" 2>/dev/null
    verdict $? "JSON: $1"
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures checks failed"
    [ "$failures" -eq 0 ]
}
