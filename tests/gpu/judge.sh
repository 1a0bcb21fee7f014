#!/usr/bin/env bash
# Measures how well the judge works on this GPU. Kernels are slowed down by known shares and judged by pairs against the
# unchanged library, with an A/A control. Prints a row for each kernel and try, then the rates. Builds nothing of the
# harness. Exits 1 when a rate misses its bar: +5 % caught in 95 %, +3 % in 90 %, and nothing in the control.
#
#   CUGATE=build/cugate SLOWER=libslower.so tests/gpu/judge.sh [ROUNDS]
#
# SLOWER is slower.cu, built; without it nvcc builds it. KEEP=DIR: where run files are left.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=${CUGATE:-build/cugate}
library=$(realpath "${LIBRARY:-$(dirname "$cugate")/libkernels.so}")
rounds=${1:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Long enough that 3 % is more than what a launch costs, of different families, and without other launches to disturb.
kernels=(cached_reads/texture_scattered dgemm/tiled elementwise/column_blocks occupancy/registers_free
    occupancy/shared_limited reduce/global_strided reduce/interleaved_modulo sgemm/cublas sgemm/warp_tile
    shared_bank/stride8 transpose/naive)
spin_overhead=1250 # ns that an empty second kernel takes on an H200; what is lost is measured all the same

if [ -z "${SLOWER-}" ]; then
    SLOWER=$work/libslower.so
    nvcc -std=c++20 -O3 -cudart shared -arch=native -I"$here/../../harness" -Xcompiler -fPIC -shared -o "$SLOWER" \
        "$here/slower.cu" -ldl
fi
slower=$(realpath "$SLOWER")
globs=()
for kernel in "${kernels[@]}"; do
    globs+=(-k "$kernel")
done

"$cugate" run -q --kernels "$library" "${globs[@]}" --save "$work/times.json" >/dev/null
export CUGATE_SLOWER_LIBRARY=$library

# judge SHARE ROUND: one session of pairs, every kernel slower by the share.
judge() {
    local share=$1 out=$work/$1-$2.json
    CUGATE_SLOWER=$(jq -r --argjson share "$share" --argjson overhead $spin_overhead '
        def median: sort | .[length / 2 | floor];
        [.kernels | to_entries[] | select(.value.status == "ok")
         | (.value.metrics.time.sessions[0] | median) as $time | (.value.metrics.sm_clock.sessions[0] | median) as $clock
         | ([$share * $time - $overhead, 0] | max * $clock / 1e9 | round) as $cycles
         | select($cycles > 0) | "\(.key)=\($cycles)"] | join(" ")' "$work/times.json")
    export CUGATE_SLOWER
    "$cugate" check --kernels "$slower" --against "$library" --paired --baselines "$work/none" "${globs[@]}" \
        --save "$out" --format json -o "$work/report.json" >"$work/log" 2>&1 || true
    if ! [ -s "$out" ]; then
        cat "$work/log" >&2
        exit 1
    fi
    jq -r --arg share "$share" --slurpfile runs "$out" '
        .judgements[] | select(.metric == "time" and .kernel != "(suite)")
        | (.kernel as $id | $runs[0].kernels[$id].metrics.time.pairs // []) as $pairs
        | ($pairs | map(.[1] / .[0] - 1) | sort | if length > 0 then .[length / 2 | floor] * 100 else 0 end) as $median
        | [$share, .kernel, .verdict, ($pairs | length), ($median * 100 | round / 100)] | @tsv' "$work/report.json"
    [ -z "${KEEP-}" ] || cp "$out" "$KEEP/judge-$1-$2.json"
}

table=$work/table.tsv
: >"$table"
for round in $(seq "$rounds"); do
    for share in 0 0.03 0.05; do
        judge $share "$round" | tee -a "$table"
    done
done
echo
awk -F'\t' '
    { tries[$1]++; caught[$1] += $3 == "regressed"; pairs[$1] += $4 }
    END {
        bar["0"] = 0; bar["0.03"] = 0.9; bar["0.05"] = 0.95
        for (share in tries) {
            rate = caught[share] / tries[share]
            bad = share == "0" ? caught[share] > 0 : rate < bar[share]
            failed += bad
            printf "%s: slower by %g %%: %d of %d judged regressed, %.1f pairs on average\n", bad ? "not ok" : "ok",
                100 * share, caught[share], tries[share], pairs[share] / tries[share]
        }
        exit failed > 0
    }' "$table" | sort
