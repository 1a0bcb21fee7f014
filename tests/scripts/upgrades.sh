#!/usr/bin/env bash
# Judges recordings of upgrades: the same kernels by two versions of a compiler, with pairs of both on one GPU. What pairs
# show to be slower is red, and nothing else is. Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/upgrades.sh
#
# tests/data/upgrades-nvidia-h200.tar.xz, of 2026-11-26, H200, driver 580.159.04, CUDA 13.0: run files of 32
# kernels (baselines/measurements.md). MAKER-VERSION.json has the pairs with the version before it in the table. catalogue-13.0.88
# is the baseline of 15 kernels of this tree. attention-*.cubin are two of Triton's.
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$work" || exit 2
tar -xJf "$top/tests/data/upgrades-nvidia-h200.tar.xz" --strip-components=1 || exit 2
export CUDA_VISIBLE_DEVICES='' LC_ALL=C

# To add an upgrade: a row. The base, the run, the exit code; the kernels that are worse, each with its verdict; words of
# the report.
upgrades="
nvrtc-12.0.140   ; nvrtc-12.4.127     ; 1 ; regressed nvrtc/conv2d@256x256,16x16      ; Toolchain: ptxas 12.0 -> ptxas 12.4: 20 kernels with changed code | +3.14 us (+1.7 %) nvrtc/conv2d@256x256,16x16 other instructions, instructions -18.8 %
nvrtc-12.4.127   ; nvrtc-12.9.86      ; 1 ; regressed nvrtc/histogram@1056,256        ; Toolchain: ptxas 12.4 -> ptxas 12.9 | nvrtc/histogram@1056,256 other instructions, instructions +0.2 %
nvrtc-12.4.127   ; nvrtc-12.9.86-again; 1 ; regressed nvrtc/histogram@1056,256        ; nvrtc/histogram@1056,256 other instructions, instructions +0.2 %
nvrtc-12.9.86    ; nvrtc-13.0.88      ; 0 ;                                           ; Toolchain: ptxas 12.9 -> ptxas 13.0.88: 18 kernels with changed code (18 the same instructions in another order), 2 with the same code
nvrtc-13.0.88    ; nvrtc-13.5.37      ; 0 ;                                           ; Toolchain: ptxas 13.0.88 -> ptxas 13.5.37: 11 kernels with changed code
triton-3.3.1     ; triton-3.4.0       ; 3 ; unsure triton/matmul@512,128,98304        ; Toolchain: ptxas 12.4 -> ptxas 12.8: 10 kernels with changed code
triton-3.4.0     ; triton-3.6.0       ; 3 ; unsure triton/transpose@64x64,128,16384  ; Toolchain: triton 3.4.0 -> triton 3.6.0: 10 kernels with changed code | launched in another shape
triton-3.6.0     ; triton-3.7.1       ; 1 ; regressed triton/dropout@32768,128, regressed triton/matmul@512,128,98304 ; Toolchain: triton 3.6.0 -> triton 3.7.1: 6 kernels with changed code
triton-3.7.1     ; triton-3.8.0       ; 0 ;                                           ; Toolchain: ptxas 12.8 -> ptxas 12.9: 8 kernels with changed code
triton-3.8.0     ; triton-3.9.0       ; 1 ; regressed triton/attention@32x16,256,65536; Toolchain: ptxas 12.9 -> ptxas 13.4.59 | triton/attention@32x16,256,65536 other instructions, instructions +3.5 %; registers 109 -> 108
cutlass-4.5.3    ; cutlass-4.8.1      ; 0 ;                                           ; Toolchain: cutlass 4.5.3 -> cutlass 4.8.1: 1 kernel with changed code
catalogue-13.0.88; catalogue-13.5.37  ; 1 ; regressed divergence/tiled_partition      ; Toolchain: nvcc 13.0.88 -> nvcc 13.5.37 | divergence/tiled_partition other code, instructions +2.8 %
"
while IFS=';' read -r base run wanted worse words; do
    [ -n "$base" ] || continue
    read -r base run wanted <<<"$base $run $wanted"
    folder=$base
    if [ ! -d "$base" ]; then
        folder=base
        rm -rf base
        "$cugate" accept -q --baselines base --reason recorded "$base.json"
    fi
    ask "$cugate" check --baselines "$folder" --replay "$run.json" --report json=check.json
    unbroken said | tr -s ' ' >squeezed
    mv squeezed said
    found=()
    while [ -n "$words" ]; do
        read -r word <<<"${words%%|*}"
        found+=("$word")
        [[ $words == *'|'* ]] || break
        words=${words#*|}
    done
    expect "$base -> $run" "$wanted" "${found[@]}" '!missing'
    # The kernels that are not as good as before, all of them.
    code=0
    jq -r '[.judgements[] | select(.verdict == ("regressed", "unsure", "missing")) | "\(.verdict) \(.kernel)"] | unique | join(", ")' \
        check.json >said
    [ "$(<said)" = "$(xargs <<<"$worse")" ] || code=1
    expect "$base -> $run: worse is only $(xargs <<<"$worse")" 0
done <<<"$upgrades"

# ---- Both ways round: what pairs show to be 5 % slower is red, and what is red is slower in all pairs but one

# reversed BASE RUN: BASE as a run, with the pairs of RUN the other way round.
reversed() {
    jq --slurpfile paired "$2.json" '
        $paired[0].kernels as $of | .kernels |= with_entries(.key as $id | ($of[$id].metrics.time.pairs // []) as $pairs
        | if $pairs != [] then .value.metrics.time.pairs = ($pairs | map(reverse)) else . end)' "$1.json"
}

# judge_by_pairs LABEL RUN BASE: prints kernels whose verdict the pairs contradict.
judge_by_pairs() {
    rm -rf base check.json
    code=0
    "$cugate" accept -q --baselines base --reason recorded "$3.json"
    "$cugate" check -q --baselines base --replay "$2" --report json=check.json >/dev/null 2>&1
    jq -r --slurpfile check check.json '
        ([$check[0].judgements[] | select(.verdict == "regressed") | .kernel] | unique) as $red
        | .kernels | to_entries[] | select((.key | endswith("/program") | not) and .value.metrics.time.pairs)
        | .value.metrics.time.pairs as $pairs | (.key | IN($red[])) as $is_red
        | ($pairs | map(.[1] / .[0]) | sort | .[length / 2 | floor]) as $median
        | ($pairs | map(select(.[1] > .[0])) | length) as $slower
        | if $median >= 1.05 then "\(.key) 5 % slower" else empty end,
          if $is_red and $slower < ($pairs | length) - 1 or ($median >= 1.05 and ($is_red | not)) then "wrong: \(.key)" else empty end' \
        "$2" >said 2>&1 || code=$?
    expect "$1" 0 '!wrong' "${@:4}"
}

while IFS=';' read -r base run _; do
    read -r base run <<<"$base $run"
    if [ ! -f "$base.json" ]; then
        continue
    fi
    slower=()
    # Two upgrades made kernels more than 5 % faster, so their way back makes them slower.
    [ "$run" != triton-3.4.0 ] || slower=('triton/attention@32x16,256,65536 5 % slower')
    [ "$run" != triton-3.6.0 ] || slower=('triton/matmul@512,128,98304 5 % slower')
    judge_by_pairs "$base -> $run by pairs" "$run.json" "$base" '!slower'
    reversed "$base" "$run" >back.json
    judge_by_pairs "$run -> $base by pairs" back.json "$run" "${slower[@]}"
done <<<"$upgrades"

# ---- Without a GPU

ask "$cugate" check --static static/attention-3.4.0.cubin --against static/attention-3.3.1.cubin
expect 'registers and code of two cubins' 0 'Toolchain: ptxas 12.4 -> ptxas 12.8: 1 kernel with changed code' \
    'other instructions; registers 98 -> 108'

summary
