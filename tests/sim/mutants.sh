#!/usr/bin/env bash
# Breaks the simulator in many ways, one line of mutations.txt for each, and each must make a test fail: kernels of the
# sample (recorded.sh), a script that is named, or unit tests. A mutant is one file compiled anew, in a libcugate_sim.so that
# takes the place of the simulator's own, or in a program of unit tests. Ends with "N passed, N failed".
#
#   BUILD=build COMPILE='cc -c ...' LINK='cc ...' OBJECTS='...' LIBS='...' TESTS='...' TEST_LIBS='...' tests/sim/mutants.sh [NAME]
set -euo pipefail
shopt -s extglob

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
work=$(realpath -m "${BUILD:?}/tests/mutants")
: "${COMPILE:?}" "${LINK:?}" "${OBJECTS:?}" "${LIBS:?}" "${TESTS:?}" "${TEST_LIBS:?}"
export CUGATE=$BUILD/cugate GENERATOR=$BUILD/tests/random_kernels

# try_mutation NUMBER ROW: says "caught" when what is named fails. Of the files that are compiled for each kind of vector
# unit, the simplest is broken and taken. An archive's own of a file that is in a mutant is not linked.
try_mutation() {
    local number=$1 name file expression part source object
    IFS='|' read -r name file expression part <<<"${2//*( )|*( )/|}"
    local mutant=$work/$number objects=" $OBJECTS " libs=$LIBS
    source=$(find harness/{machine,cudart,sim,replay} -name "$file")
    mkdir -p "$mutant"
    sed "$expression" "$source" >"$mutant/$file"
    if cmp -s "$source" "$mutant/$file" && [ "$part" != nothing ]; then
        echo "mutation: $name: ERROR: $expression changes nothing in $source"
        return
    fi
    for object in "$BUILD/${source%.c}".{o,base.o}; do
        objects=${objects/" $object "/ }
    done
    # shellcheck disable=SC2054 # commas are of the linker
    local linked=(-shared -o "$mutant/libcugate_sim.so" -Wl,-soname,libcudart.so.13 -Wl,--version-script=harness/cudart/cudart.map
        -Wl,--exclude-libs,ALL -Wl,--as-needed)
    # shellcheck disable=SC2206 # words
    case $part in unit*) linked=(-o "$mutant/tests.so" $TESTS) libs="$LIBS $TEST_LIBS" ;; esac
    # shellcheck disable=SC2086 # words: they are whole command lines
    if ! { $COMPILE -w -g0 -O1 -ffp-contract=off -DVECTOR=base -iquote "$(dirname "$source")" -o "$mutant/mutant.o" "$mutant/$file" &&
        $LINK "${linked[@]}" "$mutant/mutant.o" $objects "$BUILD/libcugate.a" $libs; } >"$mutant/log" 2>&1; then
        echo "mutation: $name: ERROR: it does not compile: $(grep -m 1 error "$mutant/log")"
        return
    fi
    case $part in
        faults | oracle | proof) set -- "tests/sim/$part.sh" ;;
        unit*) set -- "$mutant/tests.so" --filter "${part#unit }" ;;
        nothing) set -- tests/sim/recorded.sh async ;;
        *) set -- tests/sim/recorded.sh "${part%% *}" ;;
    esac
    if LD_LIBRARY_PATH=$mutant CUGATE_SIM_VECTOR=base timeout 300 "$@" >"$mutant/said" 2>&1; then
        [ "$part" != nothing ] || part='' # as it should
        echo "mutation: $name: ${part:+SURVIVED: $part }passes"
    elif [ "$part" = nothing ] || { [[ $part == unit* ]] && ! grep -q 'Synthesis: Tested: [1-9]' "$mutant/said"; }; then
        echo "mutation: $name: ERROR: ${*: -1} fails: $(tail -1 "$mutant/said")"
    else
        echo "mutation: $name: caught by $part"
    fi
    rm "$mutant"/*.{o,so}
}

if [ "${1-}" = --mutation ]; then
    try_mutation "$2" "$3" >"$work/said-$2"
    exit
fi

rm -rf "$work"
mkdir -p "$work"
ln -s "$(realpath "$BUILD")/disasm" "$work" # where a mutant looks for nvdisasm
# The first is the simulator as it is, with which nothing fails.
{ echo 'as it is | counting.c | | nothing' && grep -v '^#\|^$' tests/sim/mutations.txt; } | { grep -e "${1-}" || true; } | nl -b a -w 3 -n rz -s $'\t' |
    tr '\t' '\n' | tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" "$0" --mutation
cat "$work"/said-*
tried=$(cat "$work"/said-* | wc -l)
failed=$(cat "$work"/said-* | grep -c ': SURVIVED: \|: ERROR: ' || true)
echo "$((tried - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
