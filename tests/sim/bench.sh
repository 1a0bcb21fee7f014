#!/usr/bin/env bash
# Measures how fast the simulator is, kernel by kernel, in warp instructions per second of CPU time. The time is that of the
# whole process, including inputs and verification, so the figures are lower bounds.
#
#   tests/sim/bench.sh [KERNEL...]
#
# CUGATE=build/cugate: the program. One thread, so that a second of it is one of a core. Takes a minute or two.
set -euo pipefail
export LC_ALL=C CUGATE_SIM_THREADS=1
cugate=${CUGATE:-build/cugate}

[ $# -gt 0 ] || set -- sgemm/naive sgemm/tiled sgemm/warp_tile dgemm/naive dgemm/tiled shared_bank/stride32 transpose/naive \
    divergence/per_thread divergence/tiled_partition reduce/sequential occupancy/registers_free access/coalesced
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-28s %14s %8s %10s %9s\n' kernel instructions 'CPU s' 'M/s a core' 'MB at most'
for kernel; do
    /usr/bin/time -f '%U %S %M' -o "$work/time" "$cugate" run --simulate -k "$kernel" --save "$work/run.json" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    instructions=$(jq --arg k "$kernel" '.kernels[$k].metrics.instructions.sessions[0] | flatten | .[(length - 1) / 2 | floor]' "$work/run.json")
    awk -v kernel="$kernel" -v n="$instructions" \
        '{ s = $1 + $2; printf "%-28s %14d %8.2f %10.1f %9.0f\n", kernel, n, s, n / s / 1e6, $3 / 1024 }' "$work/time"
done
