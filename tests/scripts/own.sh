#!/usr/bin/env bash
# Writes kernel libraries as users do. <cugate/kernel.h> and <cugate/kernel.hpp> must compile in every language that they
# support. A library of three kernels with axes must be listed, computed, accepted and judged, and a user's mistakes must be
# reported. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/own.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
system=("${includes[@]/#/-isystem}")
includes=("-I$top/harness" "${includes[@]/#/-I}")
libraries=("${libraries[@]/#/-L}" "${libraries[@]/#/-Xlinker=-rpath,}")
# build NAME SOURCE [FLAG]...: a library, hidden but for its table, of $standard, C++17 without, and without a warning.
build() (
    mkdir "$1" && cp "$top/tests/data/$2" "$1" && cd "$1" &&
        "$nvcc" "-std=c++${standard:-17}" -Werror all-warnings -lineinfo -arch=sm_90 \
            -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Werror "${@:3}" "${includes[@]}" -c -o lib.o "$2" &&
        "$nvcc" -arch=sm_90 -cudart shared -shared "${libraries[@]}" -o lib.so lib.o
)

# checkout NAME [FLAG]...: a library of a checkout, by a header of its own too.
checkout() (
    mkdir -p "$1"/{.git,src,include,build,sub} && cp "$top/tests/data/own_lines.cu" "$1/src/rows.cu"
    printf '%s\n' '#ifndef STRIDE' '#define STRIDE 1' '#endif' '__device__ inline float load(const float *in, unsigned i)' \
        '{' '    return in[i * STRIDE];' '}' >"$1/include/load.cuh"
    cd "$1/build" && "$nvcc" -std=c++17 -lineinfo -arch=sm_90 -Xcompiler -fPIC,-fvisibility=hidden "${@:2}" \
        "${includes[@]}" -cudart shared -shared "${libraries[@]}" -o lib.so ../src/rows.cu
)

# compiles LABEL COMPILER...: a line "LABEL|EXIT CODE" in headers.
compiles() {
    local ended=0
    "${@:2}" >>said 2>&1 || ended=$?
    echo "$1|$ended" >>headers
}

headers() {
    local standard strict=(-Wall -Wextra -Wpedantic -Werror "-I$top/harness" -fsyntax-only)
    printf '#include <cugate/kernel.h>\nconst struct cugate_library *cugate_library(void) { return 0; }\n' >h.c
    printf '#include <cugate/kernel.hpp>\nCUGATE_LIBRARY()\n' >hpp.cpp
    compiles "kernel.h is C11" "${CC:-cc}" -std=c11 "${strict[@]}" h.c
    for standard in 17 20; do
        compiles "kernel.h is C++$standard" "${CXX:-c++}" "-std=c++$standard" "${strict[@]}" -x c++ h.c
        compiles "kernel.hpp is C++$standard" "${CXX:-c++}" "-std=c++$standard" "${strict[@]}" "${system[@]}" hpp.cpp
    done
}

compile() {
    headers
    compiles "kernel.hpp is nvcc's C++17" build three three_kernels.cu -DCUGATE_FLAGS='"-O3"'
    standard=20 compiles "kernel.hpp is nvcc's C++20" build strided three_kernels.cu -DSTRIDE=8
    build faults own_faults.cu
    checkout here
    checkout there/too
    checkout slower -DSTRIDE=4
    mkdir bare # where the loader finds no runtime of CUDA
    "$nvcc" -arch=sm_90 -cudart shared -shared -o bare/lib.so three/lib.o
}
begin_compiled "$@"
cd "$top" || exit 2

while IFS='|' read -r label ended; do
    ask cat "$compiled/said"
    # shellcheck disable=SC2034 # expect reads it
    code=$ended
    expect "$label" 0
done <"$compiled/headers"
expect "the headers were compiled in each language" 0 -- test "$(wc -l <"$compiled/headers")" = 7

# ---- A library
in_folder() { # NAME COMMAND [OPTION]...
    in_compiled "$1" "$cugate" "$2" --kernels ./lib.so "${@:3}"
}
expect "all that is exported is the table" 0 ' T cugate_library' '!saxpy' -- nm -D --defined-only "$compiled/three/lib.so"
expect "three kernels take few lines" 0 -- awk 'END { exit NR > 60 }' tests/data/three_kernels.cu

expect "a row for each point, which values alone name" 0 'saxpy/simple[n=4K] ' 'saxpy/simple[n=64K] ' \
    'saxpy/simple[n=250K] ' 'twice/in_place[type=float] ' 'twice/in_place[type=half] ' -- in_folder three list
expect "-k chooses a point" 0 'saxpy/simple[n=64K]' '!n=4K' '!n=250K' '!twice' -- in_folder three list -k 'saxpy/*[n=64K]'
in_folder three list -k 'saxpy/*[n=65536]' -k '*[type=h*]'
expect "by its number, or a glob" 0 'saxpy/simple[n=64K]' 'twice/in_place[type=half]' '!n=4K' '!float'
in_folder three list -k saxpy/simple
expect "a name alone is all its points" 0 'saxpy/simple[n=4K]' 'saxpy/simple[n=64K]' 'saxpy/simple[n=250K]' '!twice'
expect "a point that is not there is told" 2 "matches -k 'saxpy/*[n=1M]'" -- in_folder three list -k 'saxpy/*[n=1M]'
in_folder three run --simulate=nvidia-h200 -k 'saxpy/simple[n=63K]'
expect "with one that is near" 2 "saxpy/simple[n=63K]" 'saxpy/simple[n=64K]'
expect "a run prints its numbers, those that are asked for" 0 ')        71,680               16,384                 8,192' \
    '!branch_targets' -- in_folder three run --simulate=nvidia-h200 -k 'saxpy/simple[n=64K]' -m instructions -m 'global_*_sectors'

mine=(--simulate=nvidia-h200 --baselines "$work/baselines")
in_folder three check "${mine[@]}" --save "$work/first.json"
expect "it is computed" 4 'no baseline; computed: 5 of 5 kernels' 'built by nvcc '
expect "with what made it" 0 1 -- grep -c '"flags": "-O3"' "$work/first.json"
expect "accepted" 0 'of 5 kernels' -- "$cugate" accept "$work/first.json" --baselines "$work/baselines" --reason first
in_folder three check "${mine[@]}" --all --report junit="$work/junit.xml" --report json="$work/report.json"
expect "and keeps to it" 0 'nothing is worse' 'in 5 kernels'
expect "reports have the names" 0 '!saxpy/simple[n=64K].xml' -- grep -c 'classname="saxpy/simple\[n=64K\]"' "$work/junit.xml"
expect "a change is caught at each point, on its line" 1 'also at [n=4K]' 'also at [n=64K]' \
    'regressed  saxpy/simple[n=250K]' 'the line to blame' '!missing' '!regressed  twice' -- in_folder strided check "${mine[@]}"
expect "or at one" 1 'regressed  saxpy/simple[n=4K]' '!n=64K' -- in_folder strided check "${mine[@]}" -k '*[n=4K]'
in_folder three explain --simulate=nvidia-h200 'saxpy/simple[n=4K]'
expect "a point is explained" 0 'saxpy/simple[n=4K]' '!n=64K'
printf '[saxpy/simple[n=4K] global_load_sectors]\nissue = https://example.org/1\nexpires = 2999-01-31\n' \
    >"$work/baselines/nvidia-h200/expected.ini"
in_folder strided check "${mine[@]}" -k '*[n=4K]'
expect "a regression at a point can be declared" 1 'expected' 'saxpy/simple[n=4K]' 'global_load_sectors'

# ---- Lines are of the same files, wherever cugate runs and wherever the checkout lies
lines() { # FOLDER CHECKOUT: writes the lines of the checkout's library, as they are recorded in the folder
    (cd "$compiled/$1" && "$cugate" run --simulate=nvidia-h200 --lines --kernels "$compiled/$2/build/lib.so" -q \
        --save "$work/lines.json") >"$work/said" 2>&1 && jq '.kernels[].lines' "$work/lines.json"
}
lines here here >"$work/here.json"
expect "lines are of the kernel's code, a header of its checkout too, and not of CUDA's" 0 \
    'src/rows.cu: sum += __shfl_down_sync(~0u, sum, lanes); // of CUDA' 'include/load.cuh: return in[i * STRIDE];' \
    '!intrinsics' "!$compiled" '!null' -- jq -r '.list[] | "\(.file): \(.text)"' "$work/here.json"
for folder in . here/sub there/too slower; do
    lines $folder here >"$work/again.json"
    expect "lines recorded in $folder are the same" 0 -- cmp "$work/here.json" "$work/again.json"
done
lines . there/too >"$work/again.json"
expect "lines of another checkout are the same" 0 -- cmp "$work/here.json" "$work/again.json"
rows=(--simulate=nvidia-h200 --baselines "$work/rows")
in_folder . check "${rows[@]}" --kernels "$compiled/here/build/lib.so" --save "$work/rows.json"
expect "a baseline of one checkout" 0 'of 1 kernel' -- "$cugate" accept "$work/rows.json" --baselines "$work/rows" --reason first
for folder in . here/sub slower; do
    in_folder $folder check "${rows[@]}" --kernels "$compiled/slower/build/lib.so" --report github="$work/github"
    expect "judges another, in $folder" 1 'include/load.cuh:6: ' 'return in[i * STRIDE];' '!rows.cu:' '!intrinsics'
    expect "and annotates its file, in $folder" 0 'file=include/load.cuh,line=6,' -- cat "$work/github"
done

# ---- Where the loader finds no runtime of CUDA, as on a machine without a toolkit
bare() {
    ask env -u LD_LIBRARY_PATH /lib64/ld-linux-x86-64.so.2 --inhibit-cache "$cugate" "$@" --kernels "$compiled/bare/lib.so"
}
expect "a library is listed all the same" 0 'saxpy/simple[n=64K]' -- bare list

# ---- What a user got wrong
faulty() { # FAULT CODE [!]WORDS...
    FAULT=$1 expect "$@" -- in_folder faults run --simulate=nvidia-h200 --save "$work/faults.json"
}
faulty 'no fault' 0
expect 'what is not built is kept so' 0 'four.h was not found' -- cat "$work/faults.json"
faulty 'no value' 2 'the axis n has no value'
faulty 'value twice' 2 'four/fill[n=32,type=int] exists twice'
faulty 'value of other characters' 2 'the value on the axis n has a character other'
faulty 'axis twice' 2 'the axis n occurs twice'
faulty 'axis of other characters' 2 'axes of [a-z][a-z0-9_]*'
faulty 'bytes of another axis' 2 'bytes or flops: the family has no axis "m"' 'bytes or flops are negative or not finite'
faulty 'open asks for another axis' 5 'open: the family has no axis "m"'
faulty 'open throws' 5 'open: the input file is not there'
faulty 'launch fails' 5 'launch: invalid argument'
faulty 'launch returns an error' 5 'launch: operation not supported'
faulty 'restore launches wrongly' 5 'restore: invalid argument'
faulty 'an element differs' 5 'element 17 of type int32: expected 5, found 4; 1 of 32 elements differ'
faulty 'an element is left out' 5 'element 31 of type int32: expected 4, found -1; 1 of 32 elements differ'
faulty 'nothing is compared' 5 'there is no element to compare'
numbers() { # "FOUND EXPECTED" CODE [!]WORDS...
    NUMBERS=$1 in_folder faults run --simulate=nvidia-h200 -k number/kept --save "$work/faults.json"
    expect "compared are $1" "${@:2}"
}
for same in '1 1.5' '-1 -1.5' 'inf inf' '-inf -inf' 'nan nan' '3e38 3e38'; do
    numbers "$same" 0
done
for other in '1 2.5' '42 inf' '42 -inf' '-inf inf' 'inf -inf' 'nan inf' 'inf 42' '-inf 42' 'nan 42' '42 nan' 'inf nan'; do
    numbers "$other" 5 "expected ${other#* }, found ${other% *}; 1 of 1 elements differ"
done
summary
