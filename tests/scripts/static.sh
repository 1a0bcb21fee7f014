#!/usr/bin/env bash
# Builds two families as they are, with a launch bound relaxed, with one so tight that registers spill, and this with
# the function renamed, and lets `cugate check --static` judge each by the baseline of the H200. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/static.sh
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
nvcc=${NVCC:-nvcc}
read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
read -ra libraries <<<"${CUDA_LIBS:-/usr/local/cuda/lib64}"
includes=("-I$top/harness" "${includes[@]/#/-I}")
libraries=("${libraries[@]/#/-L}" "${libraries[@]/#/-Wl,-rpath,}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2
# shellcheck source=/dev/null
. tests/scripts/expect.sh

flags=(-std=c++20 -O3 -arch=sm_90)

# compile FAMILY NAME SED: its source edited, as the object that the library NAME has in place of the unedited one.
compile() (
    mkdir -p "$work/$2" && sed "$3" "kernels/$1.cu" >"$work/$2/$1.cu" && cd "$work/$2" &&
        "$nvcc" "${flags[@]}" -Xcompiler -fPIC -I"$top/kernels" "${includes[@]}" -c "$1.cu"
) >"$work/$2.$1.log" 2>&1

registry() (
    mkdir "$work/registry" && ci/registry.sh "${flags[*]}" kernels/{dgemm,occupancy}.cu >"$work/registry/registry.cpp" &&
        cd "$work/registry" && "$nvcc" -std=c++20 -Xcompiler -fPIC "${includes[@]}" -c registry.cpp
) >"$work/registry.log" 2>&1

# build NAME: the library, of its objects and, where it has none of its own, those that are as they are.
build() (
    local objects=("$work/registry/registry.o") family
    for family in occupancy dgemm; do
        [ -e "$work/$1/$family.cu" ] || cp "$work/as_they_are/$family.o" "$work/$1"
        objects+=("$work/$1/$family.o")
    done
    "${CXX:-c++}" -shared -o "$work/$1.so" "${objects[@]}" "${libraries[@]}" -lcudart -ldl
) >"$work/$1.log" 2>&1

judge() {
    [ -e "$work/$1.so" ] || cat "$work"/*.log
    ask "$cugate" check --static --kernels "$work/$1.so" -k 'occupancy/*' -k 'dgemm/*'
}

registry &
compile occupancy as_they_are '' &
compile dgemm as_they_are '' &
compile occupancy with_a_bound_relaxed '/__launch_bounds__(block_threads, full_blocks)/s/full_blocks/1/' &
compile dgemm renamed_and_too_tight 's/dgemm_tiled/dgemm_by_tiles/; s/__launch_bounds__(S::threads, 2)/__launch_bounds__(S::threads, 16)/' &
compile dgemm with_a_bound_too_tight 's/__launch_bounds__(S::threads, 2)/__launch_bounds__(S::threads, 16)/' &
wait
for name in as_they_are with_a_bound_relaxed renamed_and_too_tight with_a_bound_too_tight; do
    build $name
done

# The facts of another compiler are no regression, only a question; and it may do better or worse by itself.
version=$("$nvcc" --version | sed -n 's/.*, V//p')
if grep -q "\"compiler\": \"nvcc $version\"" baselines/nvidia-h200/occupancy/registers_capped.json; then
    worse=1 verdict=regressed
    judge as_they_are
    expect "static facts as they are" 0 'STATIC: NO KERNEL WAS RUN' 'nothing is worse'
else
    worse=3 verdict=unsure
fi
judge with_a_bound_relaxed
expect "a relaxed launch bound" $worse $verdict occupancy/registers_capped theoretical_occupancy
judge with_a_bound_too_tight
expect "a launch bound that spills" $worse $verdict dgemm/tiled local_memory
judge renamed_and_too_tight
expect "the same of another name" $worse $verdict dgemm/tiled local_memory 'function renamed: '
summary
