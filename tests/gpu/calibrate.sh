#!/usr/bin/env bash
# Holds the replay's constants (harness/replay/timing.h) to this GPU: measures the kernels of calibrate.cu, each of which
# asks for one or two of them, estimates their times without it, and prints both, and the constants that move the estimate
# most. With MEASURED=RUN.json what was measured before is taken, and no GPU is needed. Takes 20 seconds on the GPU, and some
# minutes to compute.
#
#   CUGATE=build/cugate tests/gpu/calibrate.sh MODEL     such as nvidia-h200: a table of metrics/gpus
#
# Variables: NVCC, KEEP=DIR: where the run files are left. Exit code: 0, or 5 where something could not be measured.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cugate=$(realpath "${CUGATE:-build/cugate}")
model=${1:?error: name the model of the GPU, such as nvidia-h200}
# shellcheck source=tests/gpu/keep.sh
. "$here/keep.sh"
library=$work/libcalibrate.so
"${NVCC:-nvcc}" -std=c++17 -O3 -lineinfo -gencode arch=compute_90a,code=sm_90a -I"$here/../../harness" -Xcompiler -fPIC \
    -shared -cudart shared -o "$library" "$here/calibrate.cu"
measured=${MEASURED:-$work/measured.json}
[ -n "${MEASURED-}" ] || "$cugate" run --quiet --kernels "$library" --save "$measured" >"$work/measured.txt" 2>&1 ||
    { cat "$work/measured.txt"; exit 5; }
"$cugate" run --quiet --simulate="$model" --timeout 600 --kernels "$library" --save "$work/computed.json" \
    >"$work/computed.txt" 2>&1 || grep -A1 failed "$work/computed.txt" || exit 5
# shellcheck disable=SC2016 # variables of jq
jq -rn --slurpfile now "$work/computed.json" --slurpfile true "$measured" '
    def middle: flatten | sort | .[length / 2 | floor];
    $now[0].kernels | to_entries[] | .key as $key
    | ($true[0].kernels[$key].metrics.time.sessions // empty | middle) as $ns | .value.estimated_time
    | if .ns then [$key, $ns / 1000, .ns / 1000, .ns / $ns,
        (.moved | to_entries | sort_by(- (.value - 1 | fabs))[:3] | map(.key) | join(" "))]
      else [$key, $ns / 1000, "-", "-", .refused // "failed"] end | @tsv' |
    awk -F '\t' 'BEGIN { printf "%-34s %10s %10s %6s  %s\n", "kernel", "measured", "estimated", "ratio", "moved most by" }
        { printf "%-34s %7.2f us %7s us %6s  %s\n", $1, $2, $3 == "-" ? "-" : sprintf("%.2f", $3), $4 == "-" ? "-" : sprintf("%.2f", $4), $5 }'
