#!/usr/bin/env bash
# Tests the planted faults and edits of tests/planted without a GPU: judging the recording of an H200 must give the same
# table, line by line, and every patch must still apply. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/planted.sh [--rewrite]    --rewrite takes what it prints now for the table to be expected
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
golden=tests/data/golden/planted.txt
recording=$scratch/planted-nvidia-h200
passed=0
failed=0

# verdict NAME [WHY]: without a reason the test has passed.
verdict() {
    if [ -z "${2-}" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: planted: %s: %s\n' "$1" "$2"
    fi
}

replay() {
    tests/planted/run.sh --replay "$recording" "$@" >"$scratch/table" 2>"$scratch/log"
}

tar -xJf tests/data/planted-nvidia-h200.tar.xz -C "$scratch" || exit 2

why=
replay || why="exit code $?, not 0: $(tail -3 "$scratch/table" "$scratch/log")"
verdict 'the recording of an H200 passes' "$why"
[ "${1-}" != --rewrite ] || cp "$scratch/table" "$golden"
why=$(diff -u "$golden" "$scratch/table") && why=
verdict 'every case is blamed as it was' "$why"

# A table that could not fail would show nothing: a fault that is none, and an edit that is one.
cp "$recording"/pad_removed.json "$scratch/fault.json"
cp "$recording"/variable_renamed.json "$recording"/pad_removed.json
why=
replay pad_removed && why='a fault that was not caught passes'
verdict 'a fault that is not caught fails' "$why"
cp "$scratch/fault.json" "$recording"/variable_renamed.json
why=
replay variable_renamed && why='an edit that regressed passes'
verdict 'an edit that regressed fails' "$why"

# Where warps wait now says nothing of what changed: a base that does not tell how often they waited on which line.
for change in '.period = 0 | .list[].stalls = {}' 'del(.list[].text)'; do
    kept=$recording/baselines/nvidia-h200/transpose/padded.json
    cp "$kept" "$scratch/padded.json"
    jq ".kernels[].lines |= ($change)" "$scratch/padded.json" >"$kept"
    code=0
    "${CUGATE:-build/cugate}" check --replay "$scratch/fault.json" --baselines "$recording/baselines" \
        -v -k transpose/padded >"$scratch/report" 2>&1 || code=$?
    why=$(grep -A9 '^ *regressed  time ' "$scratch/report") || why="exit code $code: $(head -3 "$scratch/report")"
    case $code:$why in
    *barrier* | *warps*) ;;
    '1:'*'the lines of excess_wavefronts above'*) why= ;;
    esac
    cp "$scratch/padded.json" "$kept"
    verdict "the time of a bank conflict, of a base changed by $change" "$why"
done

why=
NVCC=false CU_FLAGS=-O2 tests/planted/build.sh --list >"$scratch/list" 2>"$scratch/log" || why=$(cat "$scratch/log")
verdict 'every patch fits the kernels, and a line of the table is one line of them' "$why"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
