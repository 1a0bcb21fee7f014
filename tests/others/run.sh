#!/usr/bin/env bash
# Runs programs that others wrote, as they are, on the simulated GPU, and prints what becomes of each. Their sources are
# fetched, at fixed commits, and are not in this tree. Not a part of `make test`: it takes hours on two cores, and needs
# the network, git and nvcc 13.
#
#   CUGATE=build/cugate [NVCC=nvcc] [OUT=build/others] [SECONDS_EACH=120] tests/others/run.sh [SUITE[/PROGRAM]]...
#
# SUITE is cuda-samples, llm.c, polybench or rodinia; all of them if none is named. A program is built for sm_90 with the
# shared CUDA runtime, in OUT/SUITE. Where a build needs a library or header that is not here, the program is left out,
# with the reason. Of host code only sizes and repetitions are changed, by tests/others/smaller, and a handle of cuBLAS that
# llm.c makes for all its programs; no kernel is. What CUDA 13 calls otherwise keeps its old name.
#
#   right     it ended well, and its own check of the results passed
#   ran       it ended well, and checks nothing
#   refused   something is not simulated, in words
#   fault     a kernel failed, with the line
#   wrong     it ended otherwise, or its check failed
#   too long  it did not end in SECONDS_EACH
#   not alone it needs more than one GPU, or cuBLAS, which is a program of its own
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck disable=SC2034 # alone.sh reads it
cugate=$(realpath "${CUGATE:-$top/build/cugate}")
nvcc=${NVCC:-nvcc}
out=${OUT:-$top/build/others}
limit=${SECONDS_EACH:-120}
mkdir -p "$out"
out=$(realpath "$out")
# shellcheck source=/dev/null
. "$top/tests/others/alone.sh"

# The commits. A folder OUT/sources/SUITE that is there already is taken as it is.
declare -A from=(
    [cuda-samples]='https://github.com/NVIDIA/cuda-samples c94ff366aed18c797b8a85dfaac7817b0228b420'
    [llm.c]='https://github.com/karpathy/llm.c f1e2ace651495b74ae22d45d1723443fd00ecd3a'
    [polybench]='https://github.com/sgrauerg/polybenchGpu 5584aaa7d0be810ff5eb0b61c49fb64ecc81ba4c'
    [rodinia]='https://github.com/yuhc/gpu-rodinia 9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4'
)

fetch() { # SUITE
    local url commit folder=$out/sources/$1
    [ -d "$folder" ] && return
    read -r url commit <<<"${from[$1]}"
    git init -q "$folder.new" && git -C "$folder.new" fetch -q --depth 1 "$url" "$commit" &&
        git -C "$folder.new" checkout -q FETCH_HEAD && mv "$folder.new" "$folder"
}

# edits SUITE/PROGRAM: the files and expressions that tests/others/smaller has for it.
edits() {
    local pattern rest
    while read -r pattern rest; do
        # shellcheck disable=SC2053 # a pattern
        [[ $1 = $pattern ]] && echo "$rest"
    done <"$top/tests/others/smaller"
}

# build SUITE PROGRAM FOLDER FLAG...: in a copy of FOLDER, with smaller sizes; a file `why` is left where it cannot be.
build() {
    local suite=$1 program=$2 folder=$3 room=$out/$1/$2 edited expression file
    [ -x "$room/program" ] || [ -e "$room/why" ] || {
        rm -rf "$room" && mkdir -p "$room" && cp -r "$folder/." "$room"
        while read -r edited expression; do
            for file in "$room"/$edited; do [ ! -e "$file" ] || sed -i -E "$expression" "$file"; done
        done < <(edits "$suite/$program")
        (cd "$room" && timeout 600 "$nvcc" -w -DcudaThreadSynchronize=cudaDeviceSynchronize -arch=sm_90 -lineinfo -cudart shared -o program "${@:4}") >"$room/log" 2>&1 ||
            grep -m1 -iE 'error|undefined|No such file' "$room/log" >"$room/why"
    }
    [ -x "$room/program" ]
}

# What programs say of a check that failed.
failing='FAIL|[Tt]est failed|returned ERROR|Mismatch|[Dd]ismatch|do(es)? not match'

# run SUITE PROGRAM NAME CHECKED ARGUMENT...: NAME is printed. CHECKED: what its output says if its check passed; "" if it
# has none. $unsaid is what it is if it says nothing of its check.
run() {
    local room=$out/$1/$2 name=$3 checked=$4 code words start=$SECONDS verdict
    (
        cd "$room" && alone timeout "$limit" ./program "${@:5}" </dev/null
    ) >"$room/$name.out" 2>&1
    code=$?
    words=$(grep -a -o 'ALONE: .*' "$room/$name.out" | head -1)
    case $code in
        77) verdict=refused ;;
        78) verdict=fault ;;
        124) verdict='too long' ;;
        0)
            if grep -aqE "$failing" "$room/$name.out"; then verdict=wrong
            elif [ -z "$checked" ]; then verdict=ran
            elif grep -aqE "$checked" "$room/$name.out"; then verdict=right
            else verdict=${unsaid:-wrong}
            fi
            ;;
        *) verdict=wrong ;;
    esac
    # Such numbers are of blocks' sizes.
    [ "$verdict" != wrong ] || ! grep -aq 'Invalid kernel number' "$room/$name.out" || return 0
    [ "$verdict" != wrong ] || ! grep -aqiE 'cuBLAS ERROR|waiv' "$room/$name.out" || verdict='not alone'
    [ "$verdict" != wrong ] || words="exit code $code: $(tail -c 200 "$room/$name.out" | tr -c '[:print:]' ' ')"
    words=${words#ALONE: }
    printf '%s\t%s/%s\t%ds\t%s\n' "$verdict" "$1" "$name" $((SECONDS - start)) "${words//$out\//}" | tee -a "$out/table"
}

left_out() { # SUITE PROGRAM
    printf 'not built\t%s/%s\t\t%s\n' "$1" "$2" "$(tr -c '[:print:]' ' ' <"$out/$1/$2/why" | cut -c1-200)" | tee -a "$out/table"
}

chosen() { # SUITE PROGRAM
    local want
    [ ${#wanted[@]} -gt 0 ] || return 0
    for want in "${wanted[@]}"; do [ "$want" = "$1" ] || [ "$want" = "$1/$2" ] || [[ $1 = "$want"/* ]] && return 0; done
    return 1
}

# ---- The suites: how each is built, and what its programs say when they are right

# A sample is right if it says so, or if its exit code says so: that of others is 0 whatever they compute.
suite_cuda_samples() {
    local folder program checked unsaid=ran
    local says='[Tt]est (passed|PASS|[Ss]ucce)|PASSED|= PASS|returned OK|Compare OK|Results Match|: OK|^Success|[^1-9]0 Failures|matches GPU|OK!|run$'
    for folder in "$out"/sources/cuda-samples/Samples/[0-6]_*/*/; do
        program=$(basename "$folder")
        compgen -G "$folder*.cu" >/dev/null || continue
        chosen cuda-samples "$program" || continue
        # shellcheck disable=SC2046 # names of sources have no blanks
        build cuda-samples "$program" "$folder" -O2 -std=c++17 --extended-lambda -I"$out/sources/cuda-samples/Common" \
            $(cd "$folder" && ls -- *.cu *.cpp 2>/dev/null) || { left_out cuda-samples "$program"; continue; }
        checked=$says
        grep -qE '\? *EXIT_(SUCCESS|FAILURE)|== *true *\? *EXIT|[Rr]esult *\? *(0|EXIT)' "$folder"/*.c* && checked='.'
        run cuda-samples "$program" "$program" "$checked"
    done
}

suite_llm_c() {
    local source program number
    for source in "$out"/sources/llm.c/dev/cuda/*.cu; do
        program=$(basename "$source" .cu)
        chosen llm.c "$program" || continue
        build llm.c "$program" "$out/sources/llm.c/dev/cuda" -O3 --use_fast_math -std=c++17 -Xcompiler -fopenmp \
            "$program.cu" -lcublas -lcublasLt || { left_out llm.c "$program"; continue; }
        while read -r number; do
            run llm.c "$program" "$program-$number" 'esults match|matches' "$number"
        done < <(sed -nE 's/.*case ([0-9]+):.*/\1/p' "$source" | sort -nu | awk '$1 < 20')
    done
}

suite_polybench() {
    local folder program
    ln -sfn "$out/sources/polybench/common" "$out/common" # as their sources name it
    for folder in "$out"/sources/polybench/CUDA/*/; do
        program=$(basename "$folder")
        [ "$program" != utilities ] || continue
        chosen polybench "$program" || continue
        # shellcheck disable=SC2046
        build polybench "$program" "$folder" -O3 -I"$out/sources/polybench/common" -DPOLYBENCH_TIME -DSMALL_DATASET \
            $(cd "$folder" && ls -- *.cu) || { left_out polybench "$program"; continue; }
        run polybench "$program" "$program" '(Percent|misses): 0 *$'
    done
}

# Of Rodinia those that read no file of data.
suite_rodinia() {
    local program sources checked arguments
    while IFS='|' read -r program sources checked arguments; do
        chosen rodinia "$program" || continue
        # shellcheck disable=SC2086 # the words of a row
        build rodinia "$program" "$out/sources/rodinia/cuda/$program" -O3 -I. $sources || { left_out rodinia "$program"; continue; }
        # shellcheck disable=SC2086
        run rodinia "$program" "${program##*/}" "$checked" $arguments
    done <<'END'
backprop|backprop.c backprop_cuda.cu facetrain.c imagenet.c||1024
gaussian|gaussian.cu||-q -s 64
lavaMD|main.c kernel/kernel_gpu_cuda_wrapper.cu util/num/num.c util/timer/timer.c util/device/device.cu||-boxes1d 3
lud|cuda/lud.cu cuda/lud_kernel.cu common/common.c -Icommon|Verify|-s 128 -v
nw|needle.cu||256 10
particlefilter|ex_particle_CUDA_naive_seq.cu||-x 64 -y 64 -z 3 -np 400
pathfinder|pathfinder.cu||4000 50 10
srad/srad_v2|srad.cu||64 64 0 31 0 31 0.5 2
streamcluster|streamcluster_cuda_cpu.cpp streamcluster_cuda.cu||4 8 16 1024 1024 64 none out.txt 1
hybridsort|main.cu bucketsort.cu mergesort.cu histogram1024.cu||r
END
}

wanted=("$@")
: >"$out/table"
mkdir -p "$out/runtime" && make_alone "$out/runtime" || exit 2
for suite in cuda-samples llm.c polybench rodinia; do
    for want in "${wanted[@]:-$suite}"; do
        [ "${want%%/*}" = "$suite" ] || continue
        fetch "$suite" || exit 2
        "suite_${suite//[-.]/_}"
        break
    done
done
echo
cut -f1 "$out/table" | sort | uniq -c
