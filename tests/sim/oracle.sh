#!/usr/bin/env bash
# Asks the CPU what the simulator's arithmetic has to be, bit by bit: each operation by itself, of special and random
# operands and of constants (tests/sim/oracle_rows.h), and random wide expressions and programs. Both compilers are given
# the same text. Without seeds a third of the operations and few programs, at one level of ptxas each; with seeds all, with
# the operands, constants and programs of each, at all levels. A row either is right or has an instruction that is not
# simulated, of those known here. Some rows are compiled for other compute capabilities than 9.0, for what their code has of
# its own; and random kernels are, which have to leave the same in memory on all. Code for the debugger (-G) is not simulated at all. Ends with "N passed, N failed". Needs
# nvcc, no GPU.
#
# Not compared: approximations (MUFU, and what is made of it without correction); which word a double that is no number
# is, since NVIDIA does not say.
#
#   CUGATE=build/cugate [GENERATOR=build/tests/random_kernels NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] \
#       tests/sim/oracle.sh [--compile | SEED...]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/../scripts/begin.sh"
export LC_ALL=C
generator=$(realpath "${GENERATOR:-$top/build/tests/random_kernels}")

# What the simulator does not execute: add.sat of PTX, halves of a register of which the upper is negated (.H0_NH1), as of
# constants whose upper half is -0.
not_simulated='PLOP3[.]LUT|HFMA2([.](RELU|SAT|BF16_V2)| at)'

# build LEVEL SOURCE FLAG...: a kernel library, at a level of optimization, with machine code for each of $capabilities.
capabilities=90
images() {
    images=()
    for capability in $capabilities; do
        images+=(-gencode "arch=compute_${capability/86/80},code=sm_$capability")
    done
}
build() {
    images
    "$nvcc" -std=c++20 "${images[@]}" -Xptxas "$1" -fmad=false --expt-relaxed-constexpr -Xcompiler -fPIC,-O0 "-I$top/harness" \
        "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared -shared -o lib.so "$top/tests/sim/$2" "${@:3}" >log 2>&1
}

# gpu_of CAPABILITY: a GPU that executes such code.
gpu_of() {
    case $1 in
        80) echo nvidia-a100-sxm4-80gb ;;
        86) echo nvidia-geforce-rtx-3090 ;;
        100) echo nvidia-b200 ;;
        120) echo nvidia-geforce-rtx-5090 ;;
        *) echo nvidia-h200 ;;
    esac
}

# compare NAME LIBRARY: simulates it.
compare() {
    local why
    rm -f run.json
    "$cugate" run "--simulate=$(gpu_of "${1##* sm_}")" --kernels "$2" --metrics "$top/metrics" --save run.json >log 2>&1
    jq -r '.kernels | to_entries[] | .value.status as $s | "\(.key) \($s) \(.value.bytes) \(.value.reason)"' run.json >said ||
        verdict "$1" "cannot be simulated: $(tail -3 log)"
    why=$(awk -v known="not simulated: ($not_simulated)" '$2 != "ok" && $0 !~ known' said)
    verdict "$1: what is simulated is right" "$why"
    why=$(awk '$2 == "ok" { ok++ } END { if (ok < 0.9 * NR || !NR) print ok + 0 " of " NR " rows are simulated" }' said)
    verdict "$1: nearly all is simulated" "$why"
    awk -v name="$1" '$2 == "ok" { ok++; values += $3 / 8 }
        END { printf "%s: %d rows compared with the CPU, %d not simulated, %d values\n", name, ok, NR - ok, values }' said
}

# judge NAME ROWS SEED CONSTANTS LEVEL...: the rows of a file.
judge() {
    local name=$1 level
    local define=("-DORACLE_ROWS=\"$2\"" "-DORACLE_SEED=$3" "-DORACLE_CONSTANTS=$4" "-I$top/tests/sim")
    shift 4
    if ! "$nvcc" -std=c++20 -Xcompiler -O0,-fPIC,-fwrapv,-ffp-contract=off,-frounding-math "${define[@]}" -c -o cpu.o \
        "$top/tests/sim/oracle_cpu.cc" >log 2>&1; then
        verdict "$name" "cannot be built: $(tail -3 log)"
        return
    fi
    for level; do
        if build "$level" oracle.cu cpu.o "${define[@]}"; then
            take "$name $level"
        else
            verdict "$name $level" "cannot be built: $(tail -3 log)"
        fi
    done
}

# warps LEVEL...: what lanes tell each other.
warps() {
    local level
    for level; do
        if build "$level" oracle_warp.cu; then
            take "warps $level"
        else
            verdict "warps $level" "cannot be built: $(tail -3 log)"
        fi
    done
}

# programs NAME SEED COUNT CONSTANTS LEVEL...
programs() {
    local name=$1 seed=$2 count=$3
    shift 3
    "$generator" --rows "$seed" "$count" >random_rows.h || exit 2
    judge "$name" "$PWD/random_rows.h" "$seed" "$@"
}

# known SEED NUMBER: adds a program to known_rows.h in which something was wrong once.
known() {
    printf '#ifndef ROW\n' >>known_rows.h
    "$generator" --rows "$1" $(($2 + 1)) | sed -n "/ program0*$2(/,/^#endif/p" >>known_rows.h
}

# some_operations: each third row, which neighbours that differ in their rounding share; macros are expanded before.
every_row() {
    "${CXX:-c++}" -E -P -DROW=ROW -include "$top/tests/sim/oracle_lists.h" "$top/tests/sim/oracle_rows.h" |
        sed 's/ROW(/\n&/g' | awk 'BEGIN { print "#ifdef ROW" } /^ROW/ { print } END { print "#endif" }'
}
some_operations() {
    every_row | awk '!/^ROW/ || ++rows % 3 == 0' >some_rows.h || exit 2
}

# What is taken without seeds: nvcc compiles it once.
compile() {
    take() { # NAME
        for capability in $capabilities; do
            cp lib.so "$1 sm_$capability.so"
        done
        rm lib.so
    }
    some_operations
    judge operations "$PWD/some_rows.h" 1 1 -O3
    programs programs 1 12 1 -O0
    "$generator" --rows 1 1 | sed '/^#endif/q' >known_rows.h
    known 9002 27 # a barrier's mask was written to RZ, and read from it
    known 4104 78 # __mul24 overflowed, which nvcc takes never to happen
    judge 'known programs' "$PWD/known_rows.h" 9002 4 -O0
    capabilities='80 90 100 120'
    warps -O3
    # In code of 12.0 these have what is its own: IADD.64, ISETP.U64, VIMNMX.U8x4, BREAK.RELIABLE and their like.
    grep -hE '^#(ifdef|endif)|ROW\((add|below|larger|smaller|divide)_(.64|128)|vabs|sub_sat_s32|viaddmin_s32|halves_trunc|fdiv_rd|any_bits' \
        <(every_row) >some_rows.h
    capabilities=120
    judge operations "$PWD/some_rows.h" 1 2 -O3
    mkdir random
    "$generator" 1 6 >kernels.cu
    capabilities='80 86 90 100 120'
    images
    "$nvcc" -std=c++20 "${images[@]}" -cudart shared -Xcompiler -fPIC -shared "-I$top/harness" "${includes[@]/#/-I}" \
        "${libraries[@]/#/-L}" -o random/lib.so kernels.cu
    [ $failed -eq 0 ]
}
case ${1-} in '' | --compile) begin_compiled "$@" ;; esac

take() { # NAME
    compare "$1" lib.so
}
cd "$work" || exit 2
if [ $# -eq 0 ]; then
    for library in "$compiled"/*.so; do
        compare "$(basename "$library" .so)" "$library"
    done
    for capability in 90 80 86 100 120; do
        mkdir "left.$capability"
        CUGATE_OUTPUTS=$work/left.$capability "$cugate" run "--simulate=$(gpu_of $capability)" --metrics "$top/metrics" \
            --kernels "$compiled/random/lib.so" --save run.json >log 2>&1
        "$top/tests/sim/outputs.sh" "left.$capability" >"left.$capability.txt"
        [ "$(wc -l <left.90.txt)" -eq 6 ] && cmp -s left.90.txt "left.$capability.txt" && why= || why='is not what 9.0 has'
        verdict "random kernels leave in memory what they do on 9.0: sm_$capability" "$why"
    done
fi
[ $# -eq 0 ] || warps -O3 -O0 -O1 -O2
for seed; do
    judge "operations, seed $seed" oracle_rows.h "$seed" 6 -O3 -O0 -O1 -O2
    programs "programs, seed $seed" "$seed" 100 4 -O3 -O0 -O1 -O2
done
summary
