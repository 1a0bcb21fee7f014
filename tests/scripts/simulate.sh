#!/usr/bin/env bash
# Lets `cugate check --simulate` judge kernels without a GPU: a library with planted faults and harmless edits of the
# catalogue by the baseline of the H200, a library of somebody else's by a baseline that was computed as well, and what cannot be
# computed. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/simulate.sh
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
nvcc=${NVCC:-nvcc}
read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
read -ra libraries <<<"${CUDA_LIBS:-/usr/local/cuda/lib64}"
includes=("-I$top/harness" "-I$top/kernels" "${includes[@]/#/-I}")
libraries=("${libraries[@]/#/-L}" "${libraries[@]/#/-Wl,-rpath,}")
flags=(-std=c++20 -O3 -lineinfo -arch=sm_90 -Xcompiler -fPIC)
work=$(mktemp -d)
export XDG_CACHE_HOME=$work/cache # of what was disassembled
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2
# shellcheck source=/dev/null
. tests/scripts/expect.sh

link() { # FOLDER LIBRARY: of the sources below FOLDER/kernels
    cd "$1" && "$top/ci/registry.sh" "${flags[*]}" kernels/*.cu >registry.cpp &&
        "$nvcc" -std=c++20 -Xcompiler -fPIC "${includes[@]}" -c registry.cpp &&
        "${CXX:-c++}" -shared -o "$2" ./*.o "${libraries[@]}" -lcudart -ldl
}

# build NAME [PATCH...]: a library of three families, with patches of tests/planted applied.
build() (
    folder=$work/$1
    mkdir -p "$folder/kernels"
    for family in transpose reduce divergence; do
        cp "kernels/$family.cu" "$folder/kernels"
    done
    for patch in "${@:2}"; do
        patch -p1 -s -N -F0 -r - -d "$folder" <"tests/planted/$patch.patch" || exit 1
    done
    cd "$folder" && printf '%s\0' kernels/*.cu |
        xargs -0 -n 1 -P "$(nproc)" "$nvcc" "${flags[@]}" "${includes[@]}" -c && link "$folder" lib.so
) >"$work/$1.log" 2>&1

judge() { # NAME [OPTION]...
    [ -e "$work/$1/lib.so" ] || cat "$work/$1.log"
    cd "$work/$1" || exit 2 # below which the texts of its lines are
    ask "$cugate" check --simulate=nvidia-h200 --baselines "$top/baselines" --kernels lib.so "${@:2}"
    cd "$top" || exit 2
}
families=(-k 'transpose/*' -k 'reduce/*' -k 'divergence/*')

# The edits are of transpose/tiled and padded and of reduce/sequential: no kernel but the three with a fault may suffer.
build edited variable_renamed pad_removed helper_extracted strided_load divergent_branch
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
expect "with --all what did not change is computed too, and is what the GPU counted" 0 'of 3 kernels computed here' \
    'nothing is worse' '!unchanged machine code' '!unsure'
ask "$cugate" check --replay "$work/run.json" -k transpose/naive "${edits[@]}"
[ ${#against[@]} -gt 0 ] || expect "the run is kept, and judged again" 0 'REPLAY' 'of 3 kernels computed here'
mkdir "$work/known"
cp -r baselines/nvidia-h200 "$work/known"
sed -i '/"inputs": /d' "$work"/known/nvidia-h200/*/*.json
ask "$cugate" accept "$work/run.json" --baselines "$work/known" -k transpose/naive --reason "its inputs"
[ ${#against[@]} -gt 0 ] || expect "what was measured takes nothing but inputs of what was computed" 0 \
    'accepted the inputs of 1 computed kernel' '!warning'
judge edited -k transpose/naive --baselines "$work/known"
[ ${#against[@]} -gt 0 ] || expect "so that it is not computed again" 0 '0 rows of 0 kernels computed here' \
    'not computed again, all the same'
ask "$cugate" explain --replay "$work/run.json" transpose/tiled
expect "and explained" 0 'kernels/transpose.cu:'
ask "$cugate" compare "$work/run.json" tests/data/recorded-nvidia-h200.json
expect "what was measured is not judged by what was computed" 4 'the run was measured by the collector cupti'

# ---- By code of another compiler
mkdir "$work/other"
cp -r baselines/nvidia-h200 "$work/other"
sed -i 's/"compiler": "nvcc [^"]*"/"compiler": "nvcc 12.0.1"/' "$work"/other/nvidia-h200/*/*.json
judge edited -k transpose/padded --baselines "$work/other"
expect "counts of another compiler's code are no judge" 3 'unsure' 'nvcc 12.0.1 that of the baseline' '--against'
judge edited -k transpose/padded --baselines "$work/other" --against "$catalogue"
expect "the base build is, computed too" 1 'regressed  transpose/padded' 'excess_wavefronts' '= tile[x][y + k];'
judge edited -k transpose/tiled --baselines "$work/other" --against "$catalogue"
expect "and finds no fault where there is none" 0 'nothing is worse'

# ---- A library of somebody else's, and no GPU at all: the baseline is computed as well
own() ( # NAME [DEFINITION]...
    mkdir -p "$work/$1/kernels" && cp tests/data/own_kernels.cu "$work/$1/kernels/mine.cu" && cd "$work/$1" &&
        "$nvcc" "${flags[@]}" "${includes[@]}" "${@:2}" -c kernels/mine.cu &&
        "$nvcc" -arch=sm_90 -cudart shared -shared -o lib.so mine.o
) >"$work/$1.log" 2>&1
own as_it_was
own strided -DSTRIDE=8
own beyond -DINDEX='(i+count)'
own told_otherwise -DSTEP=8
mine=(--baselines "$work/mine" -k 'mine/s*')
judge as_it_was "${mine[@]}" --save "$work/first.json"
expect "a library of somebody else's without a baseline" 4 'no baseline' "cugate accept $work/first.json --baselines" '!cugate aa'
ask "$cugate" accept "$work/first.json" --baselines "$work/mine" --reason first
expect "begins with one that was computed" 0
judge as_it_was "${mine[@]}"
expect "which it keeps to, and nothing is computed again" 0 'nothing is worse: 4 rows in 2 kernels' \
    '0 rows of 0 kernels computed here' '20 rows not computed again, all the same'
judge strided "${mine[@]}"
expect "and is caught on its line" 1 'regressed  mine/scale' 'global_load_sectors' 'kernels/mine.cu:24' \
    'the line to blame' '1 kernel computed here'
judge beyond "${mine[@]}"
expect "a fault in memory is no measurement" 5 'missing' 'mine/shift' 'mine.cu:30' \
    'this runs it alone: cugate run --collector sim -k mine/shift'
sums=(--baselines "$work/sums" -k mine/gather)
judge as_it_was "${sums[@]}" --save "$work/sums.json"
ask "$cugate" accept "$work/sums.json" --baselines "$work/sums" --reason first
judge as_it_was "${sums[@]}"
expect "what takes long is not computed again" 0 'not computed again, all the same' '0 kernels computed here'
judge told_otherwise "${sums[@]}"
expect "but it is when the host passes another argument to the same code" 3 'unsure     mine/gather' 'counted otherwise' \
    '1 kernel computed here' '!not computed again'
sed -i '/"inputs": /d' "$work"/sums/*/mine/gather.json
judge told_otherwise "${sums[@]}"
expect "and where the baseline does not know its inputs" 3 'unsure     mine/gather' '1 kernel computed here'
mkdir "$work/asked"
cat >"$work/asked/asked.ini" <<'END'
[loads_of_others]
title = Loads of others
counter = smsp__no_such_loads.sum
unit = count
class = exact
better = lower
doc = It has a name that the simulator does not know.

[others_shown]
title = Others shown
counter = smsp__no_such_stores.sum
unit = count
class = info
better = lower
doc = It is not judged.
END
judge as_it_was "${mine[@]}" --metrics "+$work/asked"
expect "a gated metric that was asked for and is not computed is no pass" 3 'unsure     (suite)' 'loads_of_others' \
    'asked for and not computed here' 'measure on a GPU' '!others_shown'
judge as_it_was --baselines "$work/mine"
expect "what cannot be simulated is unsure, with its reason" 3 'unsure' 'mine/graph' 'not simulated: cudaGraphCreate'
ask "$cugate" run --collector sim --gpu nvidia-h200 --kernels "$work/as_it_was/lib.so" -k mine/graph
expect "and a run of it has measured nothing" 5 'not simulated: cudaGraphCreate'
"$nvcc" -arch=sm_90 -cudart static -shared -o "$work/static.so" "$work/as_it_was/mine.o"
ask "$cugate" run --collector sim --gpu nvidia-h200 --kernels "$work/static.so" -k mine/scale
expect "a library with the runtime in it is refused" 2 '-cudart shared'
judge as_it_was "${mine[@]}" --baselines "$work/none" --against "$work/static.so"
expect "nothing is judged by a base build that cannot be used, and the last lines say so" 2 '-cudart shared' \
    'stopped by an error, nothing was judged; ' 'next: mend what the error says' '!usage;'

# ---- What is missing
XDG_CACHE_HOME=$work/empty CUGATE_NVDISASM=/no/such ask "$cugate" run --collector sim --gpu nvidia-h200 --kernels "$work/as_it_was/lib.so" -k mine/scale
expect "without a disassembler nothing is computed, and it says how to get one" 5 '/no/such' \
    'pip install nvidia-cuda-nvdisasm=='
# One that hangs ends with its worker, and so does what it started: nothing keeps the output open, no file is left.
cat >"$work/hangs" <<'END'
#!/bin/sh
trap '' TERM INT
sleep 1000 &
echo $$ $! >"${0%/*}/hanging"
wait
END
chmod +x "$work/hangs" && mkdir "$work/tmp"
hanging=(env --default-signal=INT TMPDIR="$work/tmp" XDG_CACHE_HOME="$work/empty" CUGATE_NVDISASM="$work/hangs"
    "$cugate" run --collector sim --gpu nvidia-h200 --kernels "$work/as_it_was/lib.so" -k mine/scale)
expect_ended() { # LABEL
    local process processes state=''
    read -ra processes <"$work/hanging"
    for process in "${processes[@]}"; do
        for _ in $(seq 600); do # Z is one that nobody has waited for
            state=$(sed 's/.*) //; s/ .*//' "/proc/$process/stat" 2>/dev/null) || state=Z
            [ "$state" != Z ] || break
            sleep 0.1
        done
        [ "$state" = Z ] || kill -KILL "$process"
        ask test "$state" = Z
        expect "$1: process $process of the disassembler has ended" 0
    done
    ask ls -A "$work/tmp"
    expect "$1: no file is left" 0 '!cugate'
}
ask "${hanging[@]}" --timeout 1
expect "a disassembler that hangs" 5 'no result within 1 s'
expect_ended "after its time"
rm "$work/hanging"
"${hanging[@]}" >"$work/said" 2>&1 </dev/null &
until [ -s "$work/hanging" ] || ! kill -0 $! 2>/dev/null; do
    sleep 0.05
done
kill -INT $!
code=0
# shellcheck disable=SC2034 # expect reads it
wait $! || code=$?
expect "Ctrl-C while it hangs" 130
expect_ended "after Ctrl-C"
ask "$cugate" check --simulate=nvidia-h300
expect "an unknown GPU" 2 "no description of a GPU 'nvidia-h300'" 'nvidia-h200'
summary
