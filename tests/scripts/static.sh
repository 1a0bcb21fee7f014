#!/usr/bin/env bash
# Lets `cugate check --static` judge two families by the H200's baseline: unchanged, with a relaxed launch bound, with one
# so tight that registers spill, and the latter with the function renamed. Ends with "N passed, N failed". Needs nvcc, no
# GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/static.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
includes=("-I$top/harness" "${includes[@]/#/-I}")
libraries=("${libraries[@]/#/-L}" "${libraries[@]/#/-Wl,-rpath,}")
flags=(-std=c++20 -arch=sm_90)

# compile_one NAME FAMILY SED: its source edited.
compile_one() (
    mkdir "$1" && sed "$3" "$top/kernels/$2.cu" >"$1/$2.cu" && cd "$1" &&
        "$nvcc" "${flags[@]}" -Xcompiler -fPIC -I"$top/kernels" "${includes[@]}" -c "$2.cu"
)

# link NAME OTHER: a library of what was edited and, as the tree has built it, the other family.
link() {
    "${CXX:-c++}" -shared -o "$1.so" registry.o "$1"/*.o "$top/build/kernels/$2.o" "${libraries[@]}" -lcudart -ldl
}

compile() {
    (cd "$top" && ci/registry.sh "${flags[*]}" kernels/{dgemm,occupancy}.cu) >registry.cpp
    "$nvcc" -std=c++20 -Xcompiler -fPIC "${includes[@]}" -c registry.cpp
    compile_one with_a_bound_relaxed occupancy '/__launch_bounds__(block_threads, full_blocks)/s/full_blocks/1/'
    compile_one renamed_and_too_tight dgemm 's/dgemm_tiled/dgemm_by_tiles/; s/__launch_bounds__(S::threads, 2)/__launch_bounds__(S::threads, 16)/'
    compile_one with_a_bound_too_tight dgemm 's/__launch_bounds__(S::threads, 2)/__launch_bounds__(S::threads, 16)/'
    link with_a_bound_relaxed dgemm
    link renamed_and_too_tight occupancy
    link with_a_bound_too_tight occupancy
}
begin_compiled "$@"
cd "$top" || exit 2

judge() { # LIBRARY
    ask "$cugate" check --static --kernels "$1" -k 'occupancy/*' -k 'dgemm/*'
}

# The facts of another compiler are no regression, only a question; and it may do better or worse by itself.
version=$("$nvcc" --version | sed -n 's/.*, V//p')
if grep -q "\"compiler\": \"nvcc $version\"" baselines/nvidia-h200/occupancy/registers_capped.json; then
    worse=1 verdict=regressed
    expect "static facts as they are" 0 'STATIC: NO KERNEL WAS RUN' 'nothing is worse' -- judge build/libkernels.so
else
    worse=3 verdict=unsure
fi
judge "$compiled/with_a_bound_relaxed.so"
expect "a relaxed launch bound" $worse $verdict occupancy/registers_capped theoretical_occupancy
expect "a launch bound that spills" $worse $verdict dgemm/tiled local_memory -- judge "$compiled/with_a_bound_too_tight.so"
judge "$compiled/renamed_and_too_tight.so"
expect "the same of another name" $worse $verdict dgemm/tiled local_memory 'another function: '
summary
