#!/usr/bin/env bash
# Measures how fast the simulator is, kernel by kernel, in warp instructions per second of CPU time. The time is that of the
# whole process, including inputs and verification, so the figures are lower bounds.
#
#   tests/sim/bench.sh [KERNEL...]
#   tests/sim/bench.sh LIBRARY.so...
#
# Of kernel libraries all kernels together, every block of each executed.
# CUGATE=build/cugate: the program. One thread, so that a second of it is one of a core. Takes a minute or two.
# OLD=PROGRAM: cugate of another build. The two are measured in turn, ROUNDS=3 times each, and of each the least time counts,
# since other programs on the machine only add to it. The counts of both builds have to be the same: if not, the exit code is 1.
# WHOLE=1: the other one is this build with every block executed (--whole), and it is also said how many are without. Minutes.
set -euo pipefail
export LC_ALL=C CUGATE_SIM_THREADS=1
cugate=${CUGATE:-build/cugate}
old=${WHOLE:+$cugate}
old=${OLD:-$old}
rounds=${ROUNDS:-$([ -z "${OLD-}" ] && echo 1 || echo 3)}

[ $# -gt 0 ] || set -- sgemm/naive sgemm/tiled sgemm/warp_tile dgemm/naive dgemm/tiled shared_bank/stride32 transpose/naive \
    divergence/per_thread divergence/tiled_partition reduce/sequential occupancy/registers_free access/coalesced
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME PROGRAM KERNEL: adds a line to $work/NAME.time, of CPU seconds and kilobytes.
measure() {
    local which=(-k "$3")
    [[ $3 != *.so ]] || which=(--kernels "$3")
    [ "${WHOLE:+$1}" != old ] && [[ -n ${WHOLE-} || $3 != *.so ]] || which+=(--whole)
    /usr/bin/time -f '%U %S %M' -o "$work/time" "$2" run --simulate "${which[@]}" --save "$work/$1.json" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    awk '{ print $1 + $2, $3 }' "$work/time" >>"$work/$1.time"
}

least() {
    sort -n "$work/$1.time" | head -n 1
}

different=0
printf '%-28s %14s %8s %10s %9s%s\n' kernel instructions 'CPU s' 'M/s a core' 'MB at most' "${old:+  old CPU s  ratio}"
for kernel; do
    rm -f "$work"/*.time
    for ((round = 0; round < rounds; round++)); do
        [ -z "$old" ] || measure old "$old" "$kernel"
        measure new "$cugate" "$kernel"
    done
    instructions=$(jq --arg k "$kernel" '[.kernels | if $k | endswith(".so") then .[] else .[$k] end |
        .metrics.instructions.sessions[0]? // [0] | flatten | .[(length - 1) / 2 | floor]] | add' "$work/new.json")
    read -r seconds kilobytes < <(least new)
    awk -v kernel="$kernel" -v n="$instructions" -v s="$seconds" -v m="$kilobytes" \
        'BEGIN { if (kernel ~ /[.]so$/) sub(/.*\//, "", kernel); printf "%-28s %14.0f %8.2f %10.1f %9.0f", kernel, n, s, n / s / 1e6, m / 1024 }'
    if [ -n "$old" ]; then
        read -r seconds_before _ < <(least old)
        awk -v s="$seconds" -v old="$seconds_before" 'BEGIN { printf "  %9.2f %6.2f", old, s / old }'
        counts='.kernels[] | .metrics, [.lines.list[]? | {line, counts}]'
        if ! cmp -s <(jq -S "$counts" "$work/old.json") <(jq -S "$counts" "$work/new.json"); then
            different=1
            printf '  other counts'
        fi
    fi
    [ -z "${WHOLE-}" ] || jq -rj '.kernels[] | if .blocks_executed then "  \(.blocks_executed) of \(.blocks) blocks" else "  \(.not_proved // "")" end' "$work/new.json"
    echo
done
exit "$different"
