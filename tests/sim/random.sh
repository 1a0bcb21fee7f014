#!/usr/bin/env bash
# Builds random kernels and simulates them on one thread by the simplest operations, then on several threads by each vector
# unit of this machine. Counts, outputs and the list of what is not simulated must be the same. Ends with "N passed, N
# failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate GENERATOR=build/tests/random_kernels [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] \\
#       tests/sim/random.sh SEED...
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
export LC_ALL=C
generator=$(realpath "${GENERATOR:-$top/build/tests/random_kernels}")
export XDG_CACHE_HOME=$work/cache # of what was disassembled
cd "$work" || exit 2
[ $# -gt 0 ] || { echo 'usage: tests/sim/random.sh SEED...' >&2 && exit 2; }

# simulate NAME THREADS VECTOR: into NAME.txt; what stopped a kernel first hangs on the threads, so not its words.
simulate() {
    mkdir "outputs.$1"
    CUGATE_SIM_THREADS=$2 CUGATE_SIM_VECTOR=$3 CUGATE_OUTPUTS=$work/outputs.$1 "$cugate" run --simulate=nvidia-h200 \
        --kernels lib.so --metrics "$top/metrics" --lines --save "$1.json" >"$1.log" 2>&1
    { "$top/tests/sim/counts.sh" "$1.json" | sed -E 's/^(k [^ ]+ - not simulated):.*/\1/' &&
        "$top/tests/sim/outputs.sh" "outputs.$1"; } >"$1.txt" && rm -rf "outputs.$1"
}

vectors=(base)
grep -qw avx2 /proc/cpuinfo && vectors+=(avx2)
grep -qw avx512vl /proc/cpuinfo && vectors+=(avx512)
for seed; do
    began=$EPOCHREALTIME
    if ! "$generator" "$seed" 32 >kernels.cu 2>log || ! "$nvcc" -std=c++20 -O3 -arch=sm_90 -cudart shared \
        -Xcompiler -fPIC -shared "-I$top/harness" "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -o lib.so kernels.cu >log 2>&1; then
        verdict "seed $seed" "cannot be built: $(tail -3 log)"
        continue
    fi
    why=
    simulate base 1 base || why="cannot be simulated: $(tail -3 base.log)"
    kernels=$(grep -c '^k' base.txt)
    left=$(grep -c '^k [^ ]* - ' base.txt)
    [ -n "$why" ] || [ "$kernels" -gt "$left" ] || why='nothing was simulated'
    wrong=$(grep '^k [^ ]* - ' base.txt | grep -v ' - not simulated$')
    [ -n "$why" ] || verdict "seed $seed: no kernel is found wrong" "$wrong"
    for vector in "${vectors[@]}"; do
        [ -z "$why" ] || break
        simulate "$vector.2" 2 "$vector" || why="$vector: cannot be simulated: $(tail -3 "$vector.2.log")"
        [ -n "$why" ] || cmp -s base.txt "$vector.2.txt" ||
            why="$vector, two threads: is another result:"$'\n'"$(diff base.txt "$vector.2.txt" | head -20)"
    done
    verdict "seed $seed: all ways give the same" "$why"
    awk -v seed="$seed" -v kernels="$kernels" -v left="$left" -v a="$began" -v b="$EPOCHREALTIME" \
        'BEGIN { printf "seed %s: %d of %d kernels simulated, %.0f s\n", seed, kernels - left, kernels, b - a }'
done
summary
