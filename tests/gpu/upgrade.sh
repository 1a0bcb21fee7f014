#!/usr/bin/env bash
# Shows what upgrades of compilers do to kernels, and how they are judged. First versions of NVRTC, Triton and CUTLASS DSL
# compile the same kernels, without a GPU. Then neighbouring versions are judged by pairs on a GPU.
#
#   tests/gpu/upgrade.sh make DIR     installs the versions by pip into DIR/pip, and compiles into DIR/MAKER-VERSION
#   CUGATE=build/cugate tests/gpu/upgrade.sh judge DIR
#                                             leaves DIR/MAKER-VERSION.json and reports, and prints a row for each upgrade
#
# A machine with a GPU needs of DIR all but pip. tests/scripts/upgrades.sh judges recordings of it anew.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)/upgrade
way=${1:?make or judge}
mkdir -p "${2:?a folder}"
folder=$(cd "$2" && pwd)

# To add a version: a word; a later one is judged by the one before it. The maker, its package as Python names it, versions.
makers="
nvrtc   -       12.0.140 12.4.127 12.9.86 13.0.88 13.5.37
triton  triton  3.3.1 3.4.0 3.6.0 3.7.1 3.8.0 3.9.0
cutlass cutlass 4.5.3 4.8.1
"

# install MAKER VERSION: prints where it is.
install() {
    local into=$folder/pip/$1-$2 wheel=$1
    case $1-$2 in
    nvrtc-12.*) wheel=nvidia-cuda-nvrtc-cu12 ;;
    nvrtc-*) wheel=nvidia-cuda-nvrtc ;;
    cutlass-*) wheel=nvidia-cutlass-dsl ;;
    esac
    [ -d "$into" ] || python3 -m pip install -q --target "$into" "$wheel==$2" >&2
    echo "$into"
}

make_cubins() {
    local maker=$1 version=$2 out=$folder/$1-$2 place library
    place=$(install "$maker" "$version")
    case $maker in
    nvrtc)
        mkdir -p "$out"
        library=$(find "$place" -name 'libnvrtc.so.*' | head -1)
        LD_LIBRARY_PATH=$(dirname "$library") "$folder/nvrtc" "$library" "$here/nvrtc.cu" "$out/nvrtc.cubin"
        cp "$here/nvrtc.txt" "$out/launch.txt"
        ;;
    triton) PYTHONPATH=$place TRITON_CACHE_DIR=$folder/pip/cache-$version python3 "$here/triton_kernels.py" "$out" ;;
    cutlass)
        library=$(find "$place/nvidia_cutlass_dsl" -path '*_packages/cutlass/__init__.py' -o -path '*_packages/cutlass/cutlass/__init__.py' | sort | tail -1)
        PYTHONPATH=$place:$(dirname "$(dirname "$library")") python3 "$here/cutlass_kernels.py" "$out"
        ;;
    esac
}

# command_of MAKER PACKAGE VERSION: the program that launches its kernels.
command_of() {
    if [ "$2" = - ]; then
        echo "./launch $1-$3/launch.txt"
    else
        echo "python3 $here/program.py ./launch.so $1-$3/launch.txt $2 $3"
    fi
}

# judge MAKER PACKAGE OLD NEW
judge() {
    local code=0 name=$1-$4 base
    local -a command
    base=$(command_of "$1" "$2" "$3")
    read -ra command <<<"$(command_of "$1" "$2" "$4")"
    "$cugate" check --metrics "$metrics" --baselines none --paired --explain 0 --name "$1" --against "$base" \
        --out "$name-report" -- "${command[@]}" >"$name.log" 2>&1 || code=$?
    cp "$name-report/run.json" "$name.json"
    echo "$1 $3 -> $4: exit $code"
    jq -r '.upgrade | "  \(.was) -> \(.is): \(.kernels | group_by(.class) | map("\(length) \(.[0].class)") | join(", ")), \(.same) the same"' \
        "$name-report/check.json"
    jq -r --slurpfile run "$name.json" '
        .judgements[] | select(.verdict == "regressed" and .metric == "time") | .kernel as $id
        | $run[0].kernels[$id].metrics.time.pairs as $pairs
        | "  \($id): \($pairs | map(.[1] / .[0] - 1) | sort | .[length / 2 | floor] * 1000 | round / 10) %, slower in \(
           $pairs | map(select(.[1] > .[0])) | length) of \($pairs | length) pairs"' "$name-report/check.json"
}

case $way in
make)
    cuda=${CUDA_HOME:-/usr/local/cuda}
    gcc -std=c11 -O1 -o "$folder/nvrtc" "$here/nvrtc.c" -ldl
    for kind in '' -shared; do
        gcc -std=c11 -D_GNU_SOURCE -O1 -fPIC $kind -I"$cuda/include" -o "$folder/launch${kind:+.so}" "$here/launch.c" \
            -L"$cuda/lib64/stubs" -lcuda
    done
    ;;
judge)
    cugate=$(realpath "${CUGATE:-build/cugate}")
    metrics=$(realpath "$here/../../../metrics")
    cd "$folder"
    ;;
*)
    echo "usage: upgrade.sh make|judge DIR" >&2
    exit 2
    ;;
esac
while read -r maker package versions; do
    old=
    for version in $versions; do
        if [ "$way" = make ]; then
            make_cubins "$maker" "$version"
        elif [ -n "$old" ]; then
            judge "$maker" "$package" "$old" "$version"
        else
            read -ra program <<<"$(command_of "$maker" "$package" "$version")"
            "$cugate" exec -q --metrics "$metrics" --name "$maker" --save "$maker-$version.json" -- "${program[@]}" >"$maker-$version.log" 2>&1
        fi
        old=$version
    done
done <<<"$makers"
