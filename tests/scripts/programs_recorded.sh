#!/usr/bin/env bash
# Judges recordings of programs as a whole: the same program raises no alarm by a baseline of one session; made slower it
# is red, and the report says by what; made faster by the same change the other way round it passes. Needs no GPU. Ends
# with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/programs_recorded.sh
#
# tests/data/programs-nvidia-h100-80gb-hbm3.tar.xz, of 2026-11-26, one H100, driver 580.159.04, CUDA 13.0: run files that
# `cugate run -- PROGRAM` made of the programs in tests/gpu/programs. Numbered ones are of the program unchanged. The rest have one
# option each:
# gpt2-eager --attention eager, -float32 --dtype float32, -batch --batch 9, -unfused, -twice and -item as named.
#
# tests/data/programs-short-nvidia-h200.tar.xz, of 2026-11-27, one H200 (GPU-b367203d), driver 580.159.04, CUDA 13.0: cupy_sums
# --rounds 8, gpt2 --steps 6 and jax_steps, each by `cugate run -- PROGRAM` and by a check of it that measured each kernel once or twice.
#
# tests/data/programs-known-nvidia-h200.tar.xz, of 2026-11-27, H200s (GPU-5d904c8b, GPU-daade4f8, GPU-23dc733e, jax_steps on
# GPU-8a7c6967; ddp on GPU-02a0e728 and GPU-bfe4b033, two-ddp on GPU-97e4badd and GPU-7f21bb04, four-* on GPU-ca2d09b1,
# GPU-16b0d5eb, GPU-80caf8d6 and GPU-e90fd3dd), driver 580.159.04, CUDA 13.0: checks that measure nothing that the
# one session of exec knows.
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$work" || exit 2
tar -xJf "$top/tests/data/programs-nvidia-h100-80gb-hbm3.tar.xz" --strip-components=1 || exit 2
export CUDA_VISIBLE_DEVICES='' LC_ALL=C

# judged RUN.json BASELINE.json...
judged() {
    local run=$1
    shift
    rm -rf base
    "$cugate" accept -q --baselines base --reason recorded "$@"
    ask "$cugate" check --baselines base --replay "$run"
}

# ---- Unchanged: a baseline of one session

for program in gpt2 cupy_sums blas triton_add; do
    for run in "$program"-[2-9].json; do
        expect "unchanged: $run" 0 'nothing is worse' '!trade-off' '!new ' '!gone' -- judged "$run" "$program-1.json"
    done
done

# A few launches that were measured stray by half, so that their time is by records.
tar -xJf "$top/tests/data/programs-short-nvidia-h200.tar.xz" --one-top-level=short --strip-components=1 || exit 2
for program in cupy_sums gpt2 jax_steps; do
    for base in short/"$program"-[12].json; do
        for run in short/"$program"-*.json; do
            [ "$base" = "$run" ] || judged "$run" "$base"
            [ "$base" = "$run" ] || grep -q '(exit 0)' said || echo "WRONG: $run by $base"
        done
    done >wrong
    mv wrong said
    expect "unchanged, few launches: $program" 0 '!WRONG'
done

# What a check knows is not measured; of two ranks, the one that computes longest decides.
tar -xJf "$top/tests/data/programs-known-nvidia-h200.tar.xz" --one-top-level=known --strip-components=1 || exit 2
for run in known/*-check-*.json; do
    judged "$run" "${run%-check-*}.json"
    expect "unchanged, known: ${run#known/}" 0 'nothing is worse' '!unsure' '!new ' '!gone'
done
expect 'a rank with twice the work' 1 'rank 1 of 2 computed longest' 'regressed  computing_time' '!regressed  gpu_time' \
    '!regressed  ddp/nccl' -- judged known/ddp-slowrank.json known/ddp.json
expect 'floats in place of bfloat16' 1 'rank 1 of 2 computed longest' 'regressed  computing_time  72.2 ms   679 ms' \
    'regressed  copy_bytes' '!regressed  ddp/nccl' -- judged known/two-ddp-float32.json known/two-ddp.json
judged known/ddp-item.json known/ddp.json
expect 'a rank that reads the loss in each step' 1 'regressed  copies        1,059    1,099'
judged known/ddp-bucketkb1.json known/ddp.json
expect 'gradients that are reduced in small parts' 1 'regressed  launches' 'regressed  ddp/nccl' '306     +228'

# ---- Slower, and the other way round

# To add a change: a row. The run; the program's numbers that say so; a kernel that is said to be new.
changes="
gpt2-eager       ; launches 15,309 18,309, copies 77 117 ; softmax_warp_forward<BFloat16,BFloat16,float,9
gpt2-float32     ; launches 15,309 15,469, copy_bytes 164 MB 328 MB ; cutlass
gpt2-unfused     ; launches 15,309 39,313                ; gpt2.py:41 (main), libtorch_cuda.so
gpt2-batch       ; memsets 2,364 2,604                   ; gpt2/
gpt2-twice       ; launches 15,309 20,149                ;
gpt2-item        ; copies 77 116                         ;
"
while IFS=';' read -r run numbers fresh; do
    [ -n "$run" ] || continue
    read -r run <<<"$run"
    read -r fresh <<<"$fresh"
    base=("${run%%-*}"-[123].json)
    judged "$run.json" "${base[@]}"
    tr -s ' ' <said >squeezed
    mv squeezed said
    words=("regressed ${run%%-*}/program")
    while IFS=, read -rd '|' number; do
        read -r number <<<"$number"
        words+=("regressed $number")
    done <<<"${numbers//, /|}|"
    [ -z "$fresh" ] || words+=("$fresh")
    expect "slower: $run" 1 "${words[@]}" '!missing'
    expect "faster: $run taken back" 0 '!unsure ' '!missing' "${run%%-*}/program" -- judged "${run%%-*}-1.json" "$run.json"
done <<<"$changes"

# ---- What is said of a program

judged gpt2-eager.json gpt2-[123].json
tr -s ' ' <said >squeezed
mv squeezed said
expect "what took the time, the most changed first" 1 'more kernels, each with at most 16 % of the GPU time' \
    'gpt2/cudnn_generated_fort_native_sdpa_sm90_...x64_1x4x1_cga1x1x1_kernel0_0@132,384,152576 11.1 ms gone' 'libraries loaded by the baseline, but not now: libcudnn_engines' \
    'counts differ for the same code and shape' 'regressed gpt2/program gpu_time +103 ms' \
    '(-4.2 %) 0 B regressed gpt2/nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT@2x66,384,213188'
judged gpt2-unfused.json gpt2-[123].json
expect "time heads a program and is offered to accept, where a second session has to agree on it" 1 \
    'regressed  gpt2/program  gpu_time +50.1 ms' '-k gpt2/program -m gpu_time -m launches --reason'

summary
