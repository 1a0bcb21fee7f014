#!/usr/bin/env bash
# Breaks the simulator in many ways, one line of mutations.txt for each, and each must make a test fail: kernels of the
# sample (recorded.sh), or a part of the tests that is named. A mutant is one object compiled anew and a libcugate_sim.so
# with it in place of its own. Ends with "N passed, N failed".
#
#   BUILD=build COMPILE='cc -c ...' LINK='cc ...' OBJECTS='...' LIBS='...' tests/sim/mutants.sh [NAME...]
set -uo pipefail
shopt -s extglob

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Operations on lanes are compiled for one kind of vector unit, which the simulator is told to take.
export CUGATE_SIM_VECTOR=base

# build FILE EXPRESSION: prints why there is no such mutant.
build() {
    local source object
    source=$(echo harness/@(sim|sass)/"$1")
    object=$BUILD/${source%.c}.o
    [ -e "$object" ] || object=${object%.o}.base.o
    sed "$2" "$source" >"$work/$1"
    if cmp -s "$source" "$work/$1"; then
        echo "$2 changes nothing in $source"
        return
    fi
    # Words are split: they are whole command lines. What another archive has of it is not taken.
    # shellcheck disable=SC2086
    { $COMPILE -c -w -g0 -O1 -DVECTOR=base -iquote "${source%/*}" -o "$work/mutant.o" "$work/$1" &&
        $LINK -shared -o "$work/libcugate_sim.so" "$work/mutant.o" ${OBJECTS//"$object"/} "$BUILD/libcugate.a" \
            -Wl,-soname,libcudart.so.13 -Wl,--version-script=harness/sim/cudart.map -Wl,--exclude-libs,ALL -Wl,--as-needed \
            $LIBS; } >"$work/log" 2>&1 || echo "it does not compile: $(head -3 "$work/log")"
}

# notice PART...: runs a part of the tests with the mutant until it fails.
notice() {
    case $1 in
        faults | hazards) LD_LIBRARY_PATH=$work tests/sim/"$1".sh ;;
        *) LD_LIBRARY_PATH=$work tests/sim/recorded.sh --only "$@" ;;
    esac >"$work/said" 2>&1
}
