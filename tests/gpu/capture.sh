#!/usr/bin/env bash
# Captures the launches of real programs, replays them, and measures them as kernels of a library. Prints a line for each
# program and part. Needs a GPU, jq, and python3 with PyTorch, Triton, CuPy and JAX for the programs that are asked for.
# Builds nothing.
#
#   CUGATE=build/cugate OUT=DIR tests/gpu/capture.sh NAME='COMMAND'...
#
# Each NAME is what the program's files are called. OUT gets NAME.capsule, run files and what was said. Parts (PARTS):
#
#   capture    the program alone, and captured: seconds, shapes kept and refused, size
#   replay     `run` of the capsules, and two checks of it by itself
#   counters   exact counters of the program's own launches beside those of replays
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=${CUGATE:-build/cugate}
out=${OUT:?OUT names a folder}
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
ulimit -c 0

# timed WORD...: runs it; $code is its exit code, $took its seconds.
timed() {
    local begun=$EPOCHREALTIME
    timeout -k 5 "${LIMIT:-200}" "$@"
    code=$?
    took=$(awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
}
table() { jq -rs -L "$here" "include \"capture\"; $1" "${@:2}"; }

for program; do
    name=${program%%=*}
    read -ra command <<<"${program#*=}"
    file=$out/$name.capsule
    for part in ${PARTS:-capture replay counters}; do
        log=$out/$name-$part.txt
        case $part in
        capture)
            timed "${command[@]}" >/dev/null 2>"$log" </dev/null
            echo "$name alone: exit $code, $took s"
            timed "$cugate" capture -o "$file" -- "${command[@]}" >/dev/null 2>"$log" </dev/null
            echo "$name captured: exit $code, $took s; $(grep -a 'replayed bit for bit' "$log")"
            grep -aE 'is not captured|is refused|error:|JOIN' "$log" | sed 's/^cugate: //' | cut -c1-260
            ;;
        replay)
            timed "$cugate" run --kernels "$file" --save "$out/$name-first.json" >/dev/null 2>"$log"
            echo "$name run: exit $code, $took s; $(table '.[0] | failures' "$out/$name-first.json")"
            rm -rf "$out/$name-base"
            "$cugate" accept "$out/$name-first.json" --baselines "$out/$name-base" --reason first >>"$log" 2>&1
            for turn in 1 2; do
                timed "$cugate" check --kernels "$file" --baselines "$out/$name-base" >"$out/$name-check-$turn.txt" 2>>"$log"
                echo "$name check $turn: exit $code, $took s; $(tail -1 "$out/$name-check-$turn.txt" | cut -c1-200)"
            done
            ;;
        counters)
            timed "$cugate" run --save "$out/$name-program.json" -- "${command[@]}" >/dev/null 2>"$log" </dev/null
            echo "$name exec: exit $code, $took s"
            table agreement "$out/$name-program.json" "$out/$name-first.json"
            ;;
        esac
    done
done
