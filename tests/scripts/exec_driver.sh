#!/usr/bin/env bash
# Tests `cugate run --simulate -- PROGRAM` and `check --simulate` of a program of CUDA's driver, tests/sim/driver_program.c:
# machine code of each form, its counts and output, faults with their lines, and what is refused though the program ends with
# 0. Needs nvcc, no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/exec_driver.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
compile() {
    local name options
    while read -r name options; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -std=c++17 -lineinfo "${includes[@]/#/-I}" $options -o "$name" "$top/tests/sim/driver_kernels.cu"
    done <<'EOF'
kernels.cubin -cubin -arch=sm_90
slower.cubin -cubin -arch=sm_90 -DSLOWER
no_barrier.cubin -cubin -arch=sm_90 -DNO_BARRIER
other.cubin -cubin -arch=sm_80
kernels.fatbin -fatbin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
older.fatbin -fatbin -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=compute_80
kernels.ptx -ptx -arch=sm_90
EOF
    for options in '-ptx -o calls.ptx' '-ptx -DFUNCTION -o called.ptx' '-dc -DFUNCTION -o called.o'; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -rdc=true -lineinfo "${includes[@]/#/-I}" -arch=sm_90 $options "$top/tests/sim/linked_driver.cu"
    done
    ar rcs called.a called.o
    # What it calls of the driver is in a library of that name, which does nothing: no driver is here to link with.
    cc -std=gnu11 -Wall -Wextra "${includes[@]/#/-I}" -c -o program.o "$top/tests/sim/driver_program.c"
    nm -u program.o | sed -n 's/.* U \(cu[A-Z].*\)/void \1(void) {}/p' | cc -shared -x c - -o libcuda.so -Wl,-soname,libcuda.so.1
    cc -o program program.o -L. -lcuda
}
begin_compiled "$@"
cd "$work" || exit 2
program=$compiled/program
run() { # WHAT CODE...
    rm -f run.json
    ask "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --timeout 60 --save run.json -- "$program" "$1" "$compiled/$2" "${@:3}"
}
line_of() { # MARK: "FILE:LINE" of the comment
    echo "driver_kernels.cu:$(grep -n "/\* $1 \*/" "$top/tests/sim/driver_kernels.cu" | cut -d: -f1)"
}

# What programs do.
run add kernels.cubin
expect 'launches by parameters and by a buffer' 0 '0 of 2000 sums are wrong' 'Done' '!CUDA_ERROR' 'program/add@4,256' 'computed: 1 of 1 kernel'
ask jq -c '[.kernels["program/program"].metrics | .launches, .copies, .copy_bytes | .sessions[0][0]], (.kernels["program/add@4,256"].lines.list | length > 1)' run.json
expect 'its counts' 0 '[2,4,16000]' 'true'
# As Triton links its launcher, by a gcc that leaves out libraries of which nothing is used.
cc -Wl,--as-needed -o "$work/linked" "$compiled/program.o" -L"$(dirname "$cugate")/simulated" -l:libcuda.so.1
expect 'linked with the driver of the simulated GPU' 0 '0 of 2000 sums are wrong' 'linked/add@4,256' \
    -- "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" -- "$work/linked" add "$compiled/kernels.cubin"
expect 'a container of images' 0 '0 of 2000 sums are wrong' '!CUDA_ERROR' 'program/add@4,256' -- run add kernels.fatbin
expect 'PTX' 0 '0 of 2000 sums are wrong' '!CUDA_ERROR' 'program/add@4,256' 'built by ptxas 13.0.88' -- run add kernels.ptx
expect 'PTX that is linked' 0 'log "", made 1' '0 of 2000 sums are wrong' '!CUDA_ERROR' -- run linked kernels.ptx
for second in called.ptx called.a; do
    expect "PTX that is linked with $second" 0 '0 of 2000 sums are wrong' '!CUDA_ERROR' 'program/add@4,256' -- run linked calls.ptx 1 "$compiled/$second"
done
expect 'PTX that needs what is missing' 5 'CUDA_ERROR_FILE_NOT_FOUND' 'CUDA_ERROR_INVALID_PTX' -- run linked calls.ptx 1 "$compiled/none.a"
run virtual kernels.cubin
expect 'virtual memory' 0 '0 wrong, range 1 of 4194304' 'refused 1 1 1, used 6291456, then 0' 'Done' '!CUDA_ERROR' '!early' 'program/stray@2,256'
expect 'a stray access to what is unmapped' 5 'beyond the end of an allocation of 4194304 bytes' "$(line_of stray)" -- run unmapped kernels.cubin
expect 'an option that changes code' 5 'Done' 'not simulated: debug information' -- run debugged kernels.ptx
expect 'PTX of an older GPU in a container, with lines' 5 'failed        program/race@1,64' "$(line_of race)" -- run race older.fatbin
sed 's/^.version.*/.version 99.0/' "$compiled/kernels.ptx" >"$work/newer.ptx"
ask "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" -- "$program" add "$work/newer.ptx"
expect 'PTX that ptxas does not take' 5 'CUDA_ERROR_INVALID_PTX' 'Unsupported .version 99.0' 'cannot compile the PTX for sm_90'
run product kernels.cubin
expect 'a stream, events, a configuration' 0 '0 products are wrong, time passed' '!CUDA_ERROR' 'program/product@3x3,16x16' '1 memset (9.22 kB)'
run ask kernels.cubin
expect 'what it asks' 0 'variables 4 10 2, function 1, grid 264 of 1024, 8 resident, device 0 of 9.x, limit 0, context 1, without 201' '!CUDA_ERROR'
expect 'a captured graph' 0 'value 15' '!CUDA_ERROR' 'program/note@1,1' -- run captured kernels.cubin
calls() { ask jq -c '.kernels["program/program"].metrics | [.host_calls, .stream_calls] | map(.sessions[0][0])' run.json; }
calls && expect 'its node is a call, and its edges are none' 0 '[9,0]'
expect 'a graph that is built and changed' 0 'values 15 17, of 3 nodes' '!CUDA_ERROR' 'program/note@1,1' -- run built kernels.cubin
calls && expect 'each of its nodes is a call' 0 '[8,0]'

# Faults, though the program ends as it likes.
while read -r what code mark words; do
    expect "$what in $code" 5 "$words" "$(line_of "$mark")" 'Done' 'failed        program/' -- run "$what" "$code"
done <<'EOF'
stray kernels.cubin stray writes 4 bytes at
race kernels.cubin race without a barrier between them
product no_barrier.cubin product a barrier is missing
EOF
expect 'an entry that is not built' 5 'Done' 'not simulated: cuImportExternalMemory' -- run imports kernels.cubin
expect "NVIDIA's runtime" 5 'Done' "NVIDIA's own CUDA runtime" '-cudart shared' 'CUDA_RUNTIME_LIBRARY Shared' -- run table kernels.cubin
run add other.cubin
expect 'machine code of another GPU' 5 'CUDA_ERROR_NO_BINARY_FOR_GPU' 'there is no machine code for compute capability 9.0 (the newest is for 8.0): build' \
    'set before project() in a new build folder'
expect 'no machine code' 5 'CUDA_ERROR_INVALID_IMAGE, device kernel image is invalid' 'launched nothing' -- run add program.o

# A check.
run add kernels.cubin 2
expect 'a baseline' 0 'accepted' -- "$cugate" accept --metrics "$top/metrics" --baselines base run.json --reason test
check() {
    ask "$cugate" check --simulate=nvidia-h200 --metrics "$top/metrics" --baselines base --timeout 60 -- "$program" add "$compiled/$1" "$2"
}
expect 'unchanged' 0 'nothing is worse' -- check kernels.cubin 2
expect 'a slower kernel' 1 'regressed  program/add@4,256' 'driver_kernels.cu:' -- check slower.cubin 2
expect 'a launch more' 1 'program/program' 'launches' -- check kernels.cubin 3
summary
