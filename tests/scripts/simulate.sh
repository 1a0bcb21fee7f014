#!/usr/bin/env bash
# Lets `cugate check --simulate` judge a library with planted faults and harmless edits of the catalogue by the baseline of
# the H200, without a GPU. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/simulate.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
includes=("-I$top/harness" "-I$top/kernels" "${includes[@]/#/-I}")
libraries=("${libraries[@]/#/-L}" "${libraries[@]/#/-Wl,-rpath,}")
flags=(-std=c++20 -lineinfo -arch=sm_90 -Xcompiler -fPIC)
link() { # of the sources below kernels
    "$top/ci/registry.sh" "${flags[*]}" kernels/*.cu >registry.cpp &&
        "$nvcc" -std=c++20 -Xcompiler -fPIC "${includes[@]}" -c registry.cpp &&
        "${CXX:-c++}" -shared -o lib.so ./*.o "${libraries[@]}" -lcudart -ldl
}

# edited NAME PATCH...: a library of three families, with patches of tests/planted applied.
edited() (
    mkdir -p "$1/kernels" && cp "$top"/kernels/{transpose,reduce,divergence}.cu "$1/kernels" && cd "$1" || exit 1
    for patch in "${@:2}"; do
        patch -p1 -s -N -F0 -r - <"$top/tests/planted/$patch.patch" || exit 1
    done
    printf '%s\0' kernels/*.cu | xargs -0 -n 1 -P "$(nproc)" "$nvcc" "${flags[@]}" "${includes[@]}" -c && link
)

compile() {
    # The edits are of transpose/tiled and padded and of reduce/sequential: no kernel but the three with a fault may suffer.
    edited edited variable_renamed pad_removed helper_extracted strided_load divergent_branch
}
begin_compiled "$@"
cd "$top" || exit 2

judge() { # NAME [OPTION]...
    in_compiled "$1" "$cugate" check --simulate=nvidia-h200 --baselines "$top/baselines" --kernels lib.so "${@:2}"
}
# of reduce those that have no point of 2^30, which is not built here
families=(-k 'transpose/*' -k 'reduce/[fgisu]*[!4]' -k 'divergence/*')

edits=(-k transpose/tiled -k reduce/sequential)
catalogue=$top/build/libkernels.so # the same kernels as they are, of the same compiler
against=()
version=$("$nvcc" --version | sed -n 's/.*, V//p')
if ! grep -q "\"compiler\": \"nvcc $version\"" baselines/nvidia-h200/transpose/padded.json; then
    against=(--against "$catalogue") # counts of one compiler say nothing of another's
fi

# ---- The catalogue, by what an H200 counted
judge edited "${families[@]}" "${against[@]}"
expect "planted faults are caught on their lines" 1 'COMPUTED: NO KERNEL RAN ON A GPU' '!missing' \
    'regressed  transpose/padded' 'excess_wavefronts' 'kernels/transpose.cu:' '= tile[x][y + k];' \
    'regressed  reduce/grid_stride' 'global_load_sectors' 'mine += in[i];' \
    'regressed  divergence/per_warp' 'branch_targets_divergent' 'if (pattern >> round & 1)' \
    'rows not computed' '!regressed  transpose/tiled' '!regressed  transpose/naive' '!regressed  reduce/sequential' \
    '!regressed  reduce/cub' '!regressed  divergence/per_thread' '!regressed  divergence/tiled_partition' '!unsure'
judge edited "${edits[@]}" "${against[@]}"
expect "harmless edits are not" 0 'nothing is worse' 'rows not computed' '!unsure' '!missing'
judge edited -k transpose/naive "${edits[@]}" --all --save "$work/run.json" "${against[@]}"
expect "with --all what did not change is computed too, and is what the GPU counted" 0 'executing 3 kernels' \
    'nothing is worse' '!unchanged code' '!unsure'
ask "$cugate" check --replay "$work/run.json" -k transpose/naive "${edits[@]}"
[ ${#against[@]} -gt 0 ] || expect "the run is kept, and judged again" 0 'COMPUTED: ' 'run.json, computed ' 'executing 3 kernels'
ask "$cugate" accept "$work/run.json" -k transpose/naive --reason "computed"
expect "what was measured takes nothing of it" 4 'was computed, but the baseline in baselines/nvidia-h200 was measured'
expect "and explained, without the parts that it has no values for" 0 'kernels/transpose.cu:' '!bound by' '!Sampled SM cycles' '!Local memory sectors' -- "$cugate" explain --replay "$work/run.json" transpose/tiled
ask "$cugate" compare "$work/run.json" tests/data/recorded-nvidia-h200.json
expect "what was measured is not judged by what was computed" 4 'the run was measured by the collector cupti'

# ---- By code of another compiler
mkdir "$work/other"
cp -r baselines/nvidia-h200 "$work/other"
sed -i 's/"compiler": "nvcc [^"]*"/"compiler": "nvcc 12.0.1"/' "$work"/other/nvidia-h200/*/*.json
judge edited -k transpose/padded --baselines "$work/other"
expect "counts of another compiler's code are no judge" 3 'unsure' 'the baseline by nvcc 12.0.1' '--against'
judge edited -k transpose/padded --baselines "$work/other" --against "$catalogue"
expect "the base build is, computed too" 1 'regressed  transpose/padded' 'excess_wavefronts' '= tile[x][y + k];'
judge edited -k transpose/tiled --baselines "$work/other" --against "$catalogue"
expect "and finds no fault where there is none" 0 'nothing is worse'
summary
