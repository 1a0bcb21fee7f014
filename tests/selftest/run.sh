#!/usr/bin/env bash
# Runs `make selftest`: prints the table of rates and their bars. Then it breaks the gate in many ways, one line for each,
# and each must make a part of the table fail, or cases of tests/unit. Ends with "N passed, N failed".
#
#   BUILD=build COMPILE='cc -c ...' LINK='cc ...' OBJECTS='...' CASES='...' LIBS='...' tests/selftest/run.sh FOLDER
#
# CASES are the objects of those tests.
#
# FOLDER holds the recorded sessions.
set -euo pipefail
shopt -s extglob

here=$(dirname "$0")
work=${BUILD:?}/selftest

# A copy of the self-test with one line of the gate changed. Says "caught" when a bar of that part fails.
try_mutation() {
    local folder=$1 number=$2 name file expression part
    IFS='|' read -r name file expression part <<<"${3//*( )|*( )/|}"
    local mutant=$work/mutant-$number source linked=${OBJECTS:?}
    local -a arguments=(--only "$part" --until-failed "$folder")
    [[ $part == Q* ]] || linked=${CASES:?} arguments=(--filter "$part/*")
    source=$(echo harness/*/"$file")
    mkdir -p "$mutant"
    if ! sed "$expression" "$source" >"$mutant/$file"; then
        echo "mutation: $name: ERROR: sed does not take $expression"
        return
    fi
    if cmp -s "$source" "$mutant/$file"; then
        echo "mutation: $name: ERROR: $expression changes nothing in $source"
        return
    fi
    # Words are split: they are whole command lines.
    # shellcheck disable=SC2086
    if ! { $COMPILE -w -g0 -iquote "$(dirname "$source")" -o "$mutant/mutant.o" "$mutant/$file" &&
        $LINK -o "$mutant.run" "$mutant/mutant.o" $linked "$BUILD/libcugate.a" $LIBS; }; then
        echo "mutation: $name: ERROR: it does not compile"
        return
    fi
    local code=0
    "$mutant.run" "${arguments[@]}" >"$mutant/table" 2>&1 || code=$?
    case $code in
        0) echo "mutation: $name: SURVIVED: $part passes" ;;
        1) echo "mutation: $name: caught by $part" ;;
        *) echo "mutation: $name: ERROR: $part ended with $code: $(tail -1 "$mutant/table")" ;;
    esac
}

if [ "$1" = --mutation ]; then
    shift
    try_mutation "$@" >"$work/mutation-$2"
    exit
fi

folder=$1
rm -rf "$work"/mutant-* "$work"/mutation-*
ln -sf "$(realpath "$BUILD/tests/libturns.so")" "$work" # beside the tests that load it
# The cases pass where nothing is broken.
# shellcheck disable=SC2086
$LINK -o "$work/unbroken" $CASES "$BUILD/libcugate.a" $LIBS
"$work/unbroken" >"$work/cases" 2>&1 || { cat "$work/cases"; exit 1; }
"$work/selftest" "$folder" >"$work/table" &
table=$!
grep -v '^#' "$here/mutations.txt" | nl -b a -w 2 -n rz -s $'\t' | tr '\t' '\n' |
    tr '\n' '\0' | xargs -0 -n 2 -P "$(nproc)" "$0" --mutation "$folder"
cat "$work"/mutation-* >"$work/mutations"
wait "$table" || true

sed '$d' "$work/table"
cat "$work/mutations"
read -r passed failed < <(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/table") || true
caught=$(grep -c ': caught by ' "$work/mutations" || true)
missed=$(grep -vc ': caught by ' "$work/mutations" || true)
passed=$((${passed:-0} + caught))
failed=$((${failed:-1} + missed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
