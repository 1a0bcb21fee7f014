#!/usr/bin/env bash
# Tests the planted faults and edits of tests/planted without a GPU: judging the recording of an H200 must give the same
# table, line by line, and every patch must still apply. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/planted.sh [--rewrite]    --rewrite takes what it prints now for the table to be expected
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
export LC_ALL=C
cd "$top" || exit 2

golden=tests/data/golden/planted.txt
recording=$work/planted-nvidia-h200

replay() {
    tests/planted/run.sh --replay "$recording" "$@" >"$work/table" 2>"$work/log"
}

tar -xJf tests/data/planted-nvidia-h200.tar.xz -C "$work" || exit 2

why=
replay || why="exit code $?, not 0: $(tail -3 "$work/table" "$work/log")"
verdict 'the recording of an H200 passes' "$why"
[ "${1-}" != --rewrite ] || cp "$work/table" "$golden"
why=$(diff -u "$golden" "$work/table") && why=
verdict 'every case is blamed as it was' "$why"

# A table that could not fail would show nothing: a fault that is none, and an edit that is one.
cp "$recording"/pad_removed.json "$work/fault.json"
cp "$recording"/variable_renamed.json "$recording"/pad_removed.json
why=
replay pad_removed && why='a fault that was not caught passes'
verdict 'a fault that is not caught fails' "$why"
cp "$work/fault.json" "$recording"/variable_renamed.json
why=
replay variable_renamed && why='an edit that regressed passes'
verdict 'an edit that regressed fails' "$why"

# Where warps wait now says nothing of what changed: a base that does not tell how often they waited on which line.
for change in '.period = 0 | .list[].stalls = {}' 'del(.list[].text)'; do
    kept=$recording/baselines/nvidia-h200/transpose/padded.json
    cp "$kept" "$work/padded.json"
    jq ".kernels[].lines |= ($change)" "$work/padded.json" >"$kept"
    code=0
    "$cugate" check --replay "$work/fault.json" --baselines "$recording/baselines" \
        -v -k transpose/padded >"$work/report" 2>&1 || code=$?
    why=$(grep -A9 '^ *regressed  time ' "$work/report") || why="exit code $code: $(head -3 "$work/report")"
    case $code:$why in
    *barrier* | *warps*) ;;
    '1:'*'the same lines as excess_wavefronts above'*) why= ;;
    esac
    cp "$work/padded.json" "$kept"
    verdict "the time of a bank conflict, of a base changed by $change" "$why"
done

why=
NVCC=false CU_FLAGS=-O2 tests/planted/build.sh --list >"$work/list" 2>"$work/log" || why=$(cat "$work/log")
verdict 'every patch fits the kernels, and a line of the table is one line of them' "$why"

summary
