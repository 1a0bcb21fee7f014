#!/usr/bin/env bash
# Measures what a check of a program costs: how long the program takes alone, under `cugate run -- PROGRAM`, and in a check by a
# baseline of that one session; in this order, after a run that warms up. Builds nothing. Not part of `make test-gpu`.
#
#   tests/gpu/bench_programs.sh ['PROGRAM [ARGUMENT]...' | 'PROGRAM with ARGUMENT...' | 'launches COMMAND']...
#
# PROGRAM is one of programs/; without any: the list below. "with" is no measurement of cost but a change of a program that
# was measured before it: a check with these arguments by that baseline, and what it says first. "launches" tells what a
# launch costs that is measured: COMMAND (programs/plain.cu, built) with every launch measured and with one of each kernel.
#
# ranks and ddp need several GPUs and take all that there are; ddp is started by torchrun.
# Variables: CUGATE (build/cugate), METRICS (metrics/), BLAS (programs/blas.c, built, for blas), CHECKS (1): how many
# checks of each, MOST (1.4): the largest ratio of check to alone that passes; KEEP=DIR: where run files and output are
# left. Prints a line for each program. Exit code: 0 when each check ended with 0 within that ratio, 1 when not, 5 when a
# program could not be run.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=$(realpath "${CUGATE:-build/cugate}")
metrics=$(realpath "${METRICS:-$here/../../metrics}")
programs=$here/programs
# shellcheck source=tests/gpu/keep.sh
. "$here/keep.sh"
[ $# -gt 0 ] || set -- 'cupy_sums --rounds 8' 'gpt2 --steps 6' jax_steps graph fft decode vision train ranks ddp

# timed LABEL COMMAND...: sets seconds and code; what it says is kept.
timed() {
    local label=$1 begin=$EPOCHREALTIME
    shift
    code=0
    "$@" >"$work/$label.txt" 2>&1 </dev/null || code=$?
    seconds=$(echo "$EPOCHREALTIME $begin" | awk '{ printf "%.2f", $1 - $2 }')
}

# command_of NAME ARGUMENT...: the command line, in $command.
command_of() {
    case $1 in
    ddp) command=(torchrun --standalone --nproc_per_node "$(nvidia-smi --list-gpus | wc -l)") ;;
    blas)
        command=("${BLAS:?is the path of programs/blas.c, built}")
        return
        ;;
    *) command=(python3) ;;
    esac
    command+=("$programs/$1.py" "${@:2}")
}

# check LABEL NAME: checks $command by NAME's baseline.
check() {
    timed "$1" "$cugate" check --metrics "$metrics" --baselines "$work/$2-base" --save "$work/$1.json" -- "${command[@]}"
}

# measured NAME FIRST COMMAND...: sets seconds, and count to the launches measured, of an exec.
measured() {
    timed "$1" "$cugate" run --metrics "$metrics" --runs 1 --first "$2" --save "$work/$1.json" -- "${@:3}"
    if [ "$code" != 0 ] || ! count=$(jq -r -L "$here" 'include "exec"; measured' "$work/$1.json"); then
        echo "exec of $3 ended with $code: see $work/$1.txt" >&2
        exit 5
    fi
}

launches() {
    measured every 100000 "$@"
    local every_seconds=$seconds every=$count
    measured one 1 "$@"
    echo "$every_seconds $every $seconds $count" |
        awk '{ printf "a measured launch costs %.2f ms: %d launches %.1f s, %d launches %.1f s\n",
               1000 * ($1 - $3) / ($2 - $4), $2, $1, $4, $3 }'
}

worst=0
printf '%-12s %8s %8s %8s %7s %5s  %s\n' program alone exec check ratio exit 'runs beyond the first, of exec and check'
for words in "$@"; do
    read -r -a words <<<"$words"
    name=${words[0]}
    if [ "$name" = launches ]; then
        launches "${words[@]:1}"
        continue
    fi
    if [ "${words[1]-}" = with ]; then
        command_of "$name" "${words[@]:2}"
        label=$name-$(tr -dc 'a-z0-9' <<<"${words[*]:2}")
        check "$label" "$name"
        case $code in 2 | 5) echo "$label ended with $code: see $work/$label.txt" >&2; exit 5 ;; esac
        printf '%-12s %26s %13s  with %s\n' "$name" "$seconds" "$code" "${words[*]:2}"
        grep -vE '^(step|loss|sum|note: run)' "$work/$label.txt" | head -12 | sed 's/^/    | /'
        continue
    fi
    command_of "${words[@]}"
    timed "$name-warm" "${command[@]}"
    [ "$code" = 0 ] || { echo "$name ends with $code alone: see $work/$name-warm.txt" >&2; exit 5; }
    timed "$name-alone" "${command[@]}"
    alone=$seconds
    timed "$name-exec" "$cugate" run --metrics "$metrics" --save "$work/$name.json" -- "${command[@]}"
    exec_seconds=$seconds
    rm -rf "$work/$name-base"
    "$cugate" accept -q --metrics "$metrics" --baselines "$work/$name-base" --reason first "$work/$name.json" || exit 5
    for ((i = 1; i <= ${CHECKS:-1}; i++)); do
        check "$name-check-$i" "$name"
        ratio=$(awk -v a="$alone" -v c="$seconds" 'BEGIN { printf "%.2f", c / a }')
        runs=$(cat "$work/$name-exec.txt" "$work/$name-check-$i.txt" | grep -c 'note: run [0-9]* of the program')
        printf '%-12s %8s %8s %8s %7s %5s  %s\n' "$name" "$alone" "$exec_seconds" "$seconds" "$ratio" "$code" "$runs"
        awk -v r="$ratio" -v most="${MOST:-1.4}" 'BEGIN { exit !(r <= most) }' && [ "$code" = 0 ] || worst=1
    done
done
exit $worst
