#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The installed package, in a folder of its own: its files, documents and completions, what pkg-config says, the program of README.md compiled as C and
# as C++17 against the shared and the static library, and the symbols that the shared library exports.
#
#   tests/cli/package.sh PROGRAM BUILD_FOLDER
set -u
build=$(realpath "${2:?the build folder}")
. "$(dirname "$0")/checks.sh"

DESTDIR=$scratch/root meson install -C "$build" --no-rebuild --quiet >out 2>err || { cat out err; exit 1; }
description=$(find root -name deeplda.pc)
installed=$(sed -n 's/^prefix=//p' "$description")
prefix=$scratch/root$installed
# As if it had been installed with PREFIX=$prefix.
sed -i "s|^prefix=.*|prefix=$prefix|" "$description"
PKG_CONFIG_PATH=$(dirname "$scratch/$description")
libraries=$(dirname "$PKG_CONFIG_PATH")
LD_LIBRARY_PATH=$libraries
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# ---- Files ----

for file in "$prefix/bin/deeplda" "$prefix/include/deeplda.h" "$prefix/include/deeplda_lda.h" "$prefix/include/deeplda_comm.h" "$prefix/share/man/man1/deeplda.1" \
    "$libraries/libdeeplda.so" "$libraries/libdeeplda.a"; do
    holds "${file#"$scratch"/root} is there" test -s "$file"
done
"$prefix/bin/deeplda" --version >out 2>err
holds "the installed program runs, in the version of pkg-config" \
    test "$(cat out)" = "deeplda $(pkg-config --modversion deeplda)"

# ---- Documents and completions ----

documents=$prefix/share/doc/deeplda
for file in README.md LICENSE CHANGELOG.md docs/data_formats.md docs/options.md docs/pictures/flow.svg examples/classify.c \
    data/digits/README.md; do
    holds "share/doc/deeplda/$file is there" test -s "$documents/$file"
done
absent "$documents/docs/meson.build"
"$prefix/bin/deeplda" --help >out 2>err
holds "help names the installed documents" grep -qx "Documentation: docs/ in $(realpath "$documents")" out
"$prefix/bin/deeplda" train --help >out 2>err
holds "also that of a command" grep -qx "Documentation: docs/ in $(realpath "$documents")" out
# Links to other documents and to pictures hold; those to the source are for its readers.
for page in "$documents"/*.md "$documents"/docs/*.md; do
    for link in $(grep -o ']([^)#:]*' "$page" | sed 's/^](//' | sort -u); do
        case $link in
        http* | ../src* | ../cli* | ../tools* | ../bench* | ../include* | src/* | cli/* | include* | networks | mpi | python | tests | tools | CONTRIBUTING.md) continue ;;
        esac
        [ -e "$(dirname "$page")/$link" ] || verdict 1 "${page#"$documents"/}: $link is there"
    done
done
mv "$documents" moved
"$prefix/bin/deeplda" --help >out 2>err
holds "without them, help names the man page" grep -qx 'Documentation: man deeplda' out
mv moved "$documents"
for shell in bash:bash-completion/completions/deeplda zsh:zsh/site-functions/_deeplda fish:fish/vendor_completions.d/deeplda.fish; do
    "$prefix/bin/deeplda" completion "${shell%%:*}" >out 2>err
    holds "the completion of ${shell%%:*} is installed" cmp -s out "$prefix/share/${shell#*:}"
done

# ---- Symbols ----

# The declarations that DLDA_API marks, each on one line, up to its first bracket.
sed 's|/\*.*\*/||; /^ *#/d' "$prefix/include/deeplda.h" "$prefix/include/deeplda_lda.h" "$prefix/include/deeplda_comm.h" | tr '\n' ' ' | sed 's/DLDA_API/\n&/g' |
    sed -n 's/^DLDA_API [^(]*\b\(dlda_[a-z0-9_]*\)(.*/\1/p' | sort >declared
nm -D --defined-only "$libraries/libdeeplda.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
holds "the header declares functions" test "$(wc -l <declared)" -gt 100
diff declared exported >out
holds "exported is what the headers declare with DLDA_API, and nothing else" test ! -s out

# ---- README's program ----

# The block of C of README.md is a whole program.
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' >readme.c
cp readme.c readme.cpp
expect 0 train digits --net mlp --epochs 2 --subset 1000 --batch 100 -q -o run
expect 0 data convert digits --to png -o png
find png/test/7 -name '*.png' | sort | head -1 | xargs -I {} cp {} seven.png
expect 0 predict run/model.safetensors seven.png --proba bayes
sed -n 2p out | cut -d , -f 3 >answer

runs() { # WORDS COMPILER SOURCE ARGUMENT...: README's program, compiled so, says what the installed program says
    what=$1
    shift
    rm -f readme
    "$@" -o readme >out 2>err && ./readme >out 2>err && cmp out answer
    verdict $? "README's program, $what"
}
flags="-Wall -Werror -pedantic $(pkg-config --cflags deeplda)"
shared=$(pkg-config --libs deeplda)
# The library as a file, since the linker prefers a shared one of the same name. The others stay shared, so the Fortran
# library, which a static OpenBLAS would need and Debian's openblas.pc names, is not needed.
static="$libraries/libdeeplda.a $(pkg-config --static --libs deeplda | sed 's/-ldeeplda//; s/-lgfortran//g')"
# shellcheck disable=SC2086  # lists of words
{
    runs "as written there" cc readme.c $(pkg-config --cflags --libs deeplda)
    runs "C, shared" cc -std=c11 $flags readme.c $shared
    ldd readme >out; prints 'libdeeplda\.so\.0 => '
    runs "C++17, shared" c++ -std=c++17 $flags readme.cpp $shared
    runs "C, static" cc -std=c11 $flags readme.c $static
    ldd readme >out; prints 'libc\.so'; lacks out libdeeplda
    runs "C++17, static" c++ -std=c++17 $flags readme.cpp $static
    # As docs/embedding.md has it; Fortran's library as an archive comes with gfortran.
    if [ "$(cc -print-file-name=libgfortran.a)" != libgfortran.a ]; then
        runs "C, all static" cc -static -std=c11 $flags readme.c -Wl,--start-group $(pkg-config --static --libs deeplda) \
            -lstdc++ -lquadmath -Wl,--end-group
        ldd readme >out 2>&1; prints 'not a dynamic executable'
    fi
}

finish
