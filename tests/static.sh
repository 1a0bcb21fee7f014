#!/usr/bin/env bash
# Builds two families as they are, with a launch bound relaxed and with one so tight that registers spill, and lets
# `cugate check --static` judge each by the baseline of the H200. Ends with "N passed, N failed". Needs nvcc, no GPU.
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/static.sh
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
nvcc=${NVCC:-nvcc}
read -ra includes <<<"${CUDA_INCLUDES:-/usr/local/cuda/include}"
read -ra libraries <<<"${CUDA_LIBS:-/usr/local/cuda/lib64}"
includes=("-I$top/harness" "${includes[@]/#/-I}")
libraries=("${libraries[@]/#/-L}" "${libraries[@]/#/-Wl,-rpath,}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 2

passed=0
failed=0

# build NAME SED: a kernel library, its sources edited.
build() (
    local name=$1 edit=$2 family
    local flags=(-std=c++20 -O3 -arch=sm_90)
    mkdir "$work/$name"
    for family in occupancy dgemm; do
        sed "$edit" kernels/$family.cu >"$work/$name/$family.cu"
    done
    ci/registry.sh "$nvcc" "${flags[*]}" "$work/$name"/*.cu >"$work/$name/registry.c"
    cd "$work/$name" && "$nvcc" "${flags[@]}" -Xcompiler -fPIC -I"$top/kernels" "${includes[@]}" -c ./*.cu &&
        "${CC:-cc}" -fPIC "${includes[@]}" -c registry.c &&
        "${CXX:-c++}" -shared -o "../$name.so" ./*.o "${libraries[@]}" -lcudart -ldl
) >"$work/$1.log" 2>&1

# expect NAME CODE [!]WORDS...
expect() {
    local name=$1 wanted=$2 code=0 complaints='' words
    shift 2
    "$cugate" check --static --kernels "$work/$name.so" -k 'occupancy/*' -k 'dgemm/*' >"$work/said" 2>&1 || code=$?
    [ "$code" = "$wanted" ] || complaints+="    exit code $code, expected $wanted"$'\n'
    for words; do
        case $words in
        '!'*) ! grep -qE -e "${words#!}" "$work/said" || complaints+="    said: ${words#!}"$'\n' ;;
        *) grep -qE -e "$words" "$work/said" || complaints+="    did not say: $words"$'\n' ;;
        esac
    done
    if [ -z "$complaints" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: static facts %s\n%s' "$name" "$complaints"
        sed 's/^/    | /' "$work/said" "$work/$name.log"
    fi
}

build as_they_are '' &
build with_a_bound_relaxed '/__launch_bounds__(block_threads, full_blocks)/s/full_blocks/1/' &
build with_a_bound_too_tight 's/__launch_bounds__(S::threads, 2)/__launch_bounds__(S::threads, 16)/' &
wait

# The facts of another compiler are no regression, only a question.
version=$("$nvcc" --version | sed -n 's/.*, V//p')
if grep -q "\"compiler\": \"nvcc $version\"" baselines/nvidia-h200/occupancy/registers_capped.json; then
    worse=1 verdict=regressed
else
    worse=3 verdict=unsure
fi
expect as_they_are "$((worse == 1 ? 0 : 3))" 'STATIC: NO KERNEL WAS RUN' '!regressed'
expect with_a_bound_relaxed $worse "$verdict +occupancy/registers_capped +theoretical_occupancy"
expect with_a_bound_too_tight $worse "$verdict +dgemm/tiled +local_memory"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
