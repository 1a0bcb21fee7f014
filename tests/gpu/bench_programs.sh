#!/usr/bin/env bash
# Measures what a check of a program costs: how long the program takes alone, under `cugate exec`, and in a check by a
# baseline of that one session; in this order, after a run that warms up. Builds nothing. Not part of `make test-gpu`.
#
#   tests/gpu/bench_programs.sh ['PROGRAM [ARGUMENT]...']...     of programs/; without: the list below
#
# ranks and ddp need two GPUs; ddp is started by torchrun. What is
# changed is checked by KEEP's baseline: cugate check --baselines KEEP/ddp-base -- torchrun ... ddp.py --slow-rank.
# Variables: CUGATE (build/cugate), METRICS (metrics/), CHECKS (1): how many checks of each, MOST (1.4): the largest ratio
# of check to alone that passes; KEEP=DIR: where run files and output are left. Prints a line for each program. Exit code:
# 0 when each check ended with 0 within that ratio, 1 when not, 5 when a program could not be run.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=$(realpath "${CUGATE:-build/cugate}")
metrics=$(realpath "${METRICS:-$here/../../metrics}")
programs=$here/programs
if [ -n "${KEEP-}" ]; then
    mkdir -p "$KEEP" && work=$(cd "$KEEP" && pwd) || exit 2
else
    work=$(mktemp -d) || exit 2
    trap 'rm -rf "$work"' EXIT
fi
[ $# -gt 0 ] || set -- 'cupy_sums --rounds 8' 'gpt2 --steps 6' jax_steps graph vision train ranks ddp

# timed LABEL COMMAND...: sets seconds and code; what it says is kept.
timed() {
    local label=$1 begin=$EPOCHREALTIME
    shift
    code=0
    "$@" >"$work/$label.txt" 2>&1 </dev/null || code=$?
    seconds=$(echo "$EPOCHREALTIME $begin" | awk '{ printf "%.2f", $1 - $2 }')
}

worst=0
printf '%-12s %8s %8s %8s %7s %5s  %s\n' program alone exec check ratio exit 'runs beyond the first, of exec and check'
for words in "$@"; do
    read -r -a words <<<"$words"
    name=${words[0]}
    case $name in
    ddp) command=(torchrun --standalone --nproc_per_node 2) ;;
    *) command=(python3) ;;
    esac
    command+=("$programs/$name.py" "${words[@]:1}")
    timed "$name-warm" "${command[@]}"
    [ "$code" = 0 ] || { echo "$name ends with $code alone: see $work/$name-warm.txt" >&2; exit 5; }
    timed "$name-alone" "${command[@]}"
    alone=$seconds
    timed "$name-exec" "$cugate" exec --metrics "$metrics" --save "$work/$name.json" -- "${command[@]}"
    exec_seconds=$seconds
    rm -rf "$work/$name-base"
    "$cugate" accept -q --metrics "$metrics" --baselines "$work/$name-base" --reason first "$work/$name.json" || exit 5
    for ((i = 1; i <= ${CHECKS:-1}; i++)); do
        timed "$name-check-$i" "$cugate" check --metrics "$metrics" --baselines "$work/$name-base" \
            --save "$work/$name-now-$i.json" -- "${command[@]}"
        ratio=$(awk -v a="$alone" -v c="$seconds" 'BEGIN { printf "%.2f", c / a }')
        runs=$(cat "$work/$name-exec.txt" "$work/$name-check-$i.txt" | grep -c 'note: run [0-9]* of the program')
        printf '%-12s %8s %8s %8s %7s %5s  %s\n' "$name" "$alone" "$exec_seconds" "$seconds" "$ratio" "$code" "$runs"
        awk -v r="$ratio" -v most="${MOST:-1.4}" 'BEGIN { exit !(r <= most) }' && [ "$code" = 0 ] || worst=1
    done
done
exit $worst
