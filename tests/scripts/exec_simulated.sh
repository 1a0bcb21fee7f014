#!/usr/bin/env bash
# Tests `cugate run --simulate -- PROGRAM` and `check --simulate`: tests/sim/program.cu is run as it is, with CUDA's runtime
# as a shared library, and so is graphs.cu. Its counts, its output and exit code, each fault with its line however the program ends, and what is
# refused. Needs nvcc, no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate [NVCC=nvcc CUDA_INCLUDES='DIR...' CUDA_LIBS='DIR...'] tests/scripts/exec_simulated.sh [--compile]
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
compile() {
    local build
    for build in 'shared -o program' 'shared -DSLOWER -o slower' 'static -o static' 'shared -o graphs' 'shared -o host' \
        'shared -DEXPORTS -o own' 'shared -DEXPORTS -Xcompiler -rdynamic -o exports'; do
        # shellcheck disable=SC2086 # words
        "$nvcc" -std=c++17 -arch=sm_90 -lineinfo "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart $build \
            "$top/tests/sim/$([[ $build =~ (graphs|host)$ ]] && echo "${BASH_REMATCH[1]}" || echo program).cu"
    done
    "$nvcc" -std=c++17 -arch=sm_90 -G "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared -o debug "$top/tests/sim/program.cu"
    "$nvcc" -std=c++17 -arch=sm_90 -lineinfo "${includes[@]/#/-I}" "${libraries[@]/#/-L}" -cudart shared -rdc=true -o linked \
        "$top"/tests/sim/linked{,_device}.cu
    echo 'int main() { int count; return cudaGetDeviceCount(&count); }' >query.cu # nvcc links an empty image
    "$nvcc" -arch=sm_90 "${libraries[@]/#/-L}" -cudart shared -o query query.cu
    # A program of CUDA 12: it asks for that runtime, and for its version of each function.
    "$nvcc" -std=c++17 -arch=sm_90 "${includes[@]/#/-I}" -c -o of_12.o "$top/tests/sim/program.cu"
    nm -u of_12.o | awk '$2 ~ /cuda/ { print "void " $2 "(void) {}" }' >runtime_12.c
    echo 'libcudart.so.12 { global: *; };' >runtime_12.map
    "${CC:-cc}" -shared -w -o libcudart_12.so runtime_12.c -Wl,-soname,libcudart.so.12 -Wl,--version-script=runtime_12.map
    "$nvcc" -cudart none -o of_12 of_12.o -L. -lcudart_12
}
begin_compiled "$@"
cd "$work" || exit 2
program=$compiled/program
run() { # [--suppress FILE] PROGRAM...
    local options=()
    rm -f run.json
    [ "$1" != --suppress ] || { options=(--report sarif=report.sarif "$1" "$2") && shift 2; }
    ask "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --timeout 60 --save run.json "${options[@]}" -- "$@"
}
line_of() { # MARK: "FILE:LINE" of the comment
    echo "program.cu:$(grep -n "/\* $1 \*/" "$top/tests/sim/program.cu" | cut -d: -f1)"
}

# Counts.
expect 'a build for a debugger' 5 'not simulated: compiled with -G, for a debugger: build without it' -- run "$compiled/debug" right
expect 'a right program' 0 'sum 80000' 'COMPUTED: NO KERNEL RAN ON A GPU' 'program/scale@40,256' 'program/sum@40,256' \
    'computed: 2 of 2 kernels' '2 memory copies (40.0 kB), 1 memset (4 B)' -- run "$program" right
cat >counts.jq <<'JQ'
def of($kernel; $metric): .kernels[$kernel].metrics[$metric].sessions[0][0];
[of("program/scale@40,256"; "launches"), of("program/program"; "launches"), of("program/program"; "copy_bytes"),
    of("program/program"; "synchronizations"), of("program/program"; "allocations"), of("program/program"; "host_copy_bytes"),
    of("program/program"; "pageable_copy_bytes"), of("program/program"; "host_calls"), of("program/program"; "longest_chain"),
    of("program/program"; "processes"), of("program/scale@40,256"; "global_load_sectors"), of("program/sum@40,256"; "global_atomics"),
    of("program/program"; "instructions") == 3 * of("program/scale@40,256"; "instructions") + of("program/sum@40,256"; "instructions"),
    .sessions[0].collector, (.kernels["program/scale@40,256"].estimated_time.ns > 0),
    ([.kernels[].metrics | has("time", "gpu_time", "copy_time")] | any), (.kernels["program/scale@40,256"].lines.list | length > 3)]
JQ
expect 'its counts' 0 '[3,4,40004,2,2,40004,40004,6,6,1,1250,10000,true,"exec-sim",true,false,true]' -- jq -c -f counts.jq run.json
git init -q ignoring && echo program >ignoring/.gitignore
expect 'a baseline that git ignores' 0 'git ignores ignoring/perf/nvidia-h200/program/' 'because of .gitignore:1:program' -- \
    "$cugate" accept run.json --metrics "$top/metrics" --baselines ignoring/perf --reason test
(cd / && "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --save "$work/lines.json" -- "$program" right >"$work/out" 2>/dev/null)
ask jq -c '[.kernels["program/scale@40,256"].lines.list[] | [.file[:1] != "/", .text != null]] | unique' lines.json
expect 'files of lines are named from the folder, with their texts' 0 '[[true,true]]'
expect 'the report is not in its output' 0 'sum 80000' '!COMPUTED' -- cat out
expect 'two processes of one program' 0 'sum 40000' 'sum 80000' -- run sh -c "$program right; $program right2"
ask jq -c '.kernels | to_entries[] | select(.key | endswith("/program")) | .value.metrics | [.processes, .launches] | map(.sessions[0][0])' run.json
expect 'are both in it' 0 '[2,7]'
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' >numbers
localedef -c -i ./numbers -f ANSI_X3.4-1968 ./comma >/dev/null 2>&1 || true # it warns of what else a locale has
LOCPATH=$work expect "a program's locale, rounding, denormals and traps are its own" 0 '151001, 1,5' 'computed: 1 of 1 kernel' -- \
    run "$program" sets
expect 'each of many shapes is counted' 0 'program/scale@1-20,32, 20 shapes' 'computed: 20 of 20 kernels' '!@any' -- run "$program" shapes
# Each launch counts, wherever it comes: a baseline of light ones, and one of four that is heavy.
run "$program" uneven 32 32 32 32
ask "$cugate" accept run.json --baselines uneven --reason test
judge() { ask "$cugate" check --simulate=nvidia-h200 --metrics "$top/metrics" --baselines uneven -- "$program" uneven "$@"; }
judge 32 32 32 32
expect 'launches that are alike' 0 'nothing is worse' 'rows by executing 1 kernel and the program'
judge 32 32 32 1000
expect 'the last of them does more' 3 'unsure' 'global_store_sectors'
of_all() { jq -c '.kernels["program/scale@40,256"] | [.metrics.instructions.sessions[0][0] * 4, (.estimated_time | .refused, .ns)]' "$1"; }
for sizes in '32 32 32 32' '1000 1000 1000 1000' '32 32 32 1000' '1000 32 32 32' "$(seq -s ' ' 32 32 544)"; do
    # shellcheck disable=SC2086 # words
    run "$program" uneven $sizes
    of_all run.json
done >means
ask jq -sc '[(.[2][2] - (3 * .[0][2] + .[1][2]) / 4 | fabs < 1), .[2] == .[3]]' means
expect 'the mean of their times, in any order' 0 '[true,true]'
expect 'without a time of more' 0 '1 of its 17 launches have different counts than the first 16' -- tail -1 means
judge 32
expect 'most of its launches are gone' 3 '75 % of its instructions are gone or launched less'
judge 32 32 32 32 0
expect 'a launch that fails' 1 'failed_launches' '+1 (from 0)'
expect 'threads that launch at once' 0 'program/other@1,32' -- run "$program" threads
expect 'are all counted' 0 '[40,40]' -- jq -c '.kernels["program/program"].metrics | [.launches, .memsets] | map(.sessions[0][0])' run.json
expect 'a fork that launches' 0 'the child ended with 0' 'program/other@1,32' -- run "$program" forks
expect 'a process that nobody waits for is heard' 5 'writes 4 bytes at' "$(line_of stray)" -- run "$program" leaves
expect 'as on a GPU, none can behind a launch' 0 'the child ended with 4' -- run "$program" launches_and_forks

run "$program" grid
expect 'blocks that wait for each other: no count of them is known, and none is missing' 0 '4 blocks, 115712 bytes' 'rows not counted (exit 0)'
expect 'memory that is only set takes none' 0 '0 1' -- run "$program" huge
run sh -c "ulimit -m 500000; exec $program touches"
expect 'an allocation for which this machine has no memory' 5 'out of memory on this machine: the program and' 'take 0.' '!other@1,32'


# Where memory lies: loads and texels, a managed variable, cp.async, bulk copies, atomics.
places() { # WHAT: what it counts in pinned and in managed memory
    run "$compiled/host" "$1"
    jq -c '[.kernels["host/accesses@4,256"].metrics | .host_bytes, .managed_bytes | .sessions[0][0]]' run.json
}
expect 'memory of the GPU' 0 '[0,4096]' -- places device
ask "$cugate" accept run.json --baselines places --reason first
expect 'pinned memory is counted' 0 '[46080,4096]' -- places pinned
expect 'registered memory' 0 '[46080,4096]' -- places registered
expect 'managed memory' 0 '[0,50176]' -- places managed
moved() { ask "$cugate" check --simulate=nvidia-h200 --baselines places -- "$compiled/host" "$1"; }
expect 'memory that stays' 0 'nothing is worse' -- moved device
expect 'memory that moved to the host is worse' 1 'regressed  host_bytes' '46.1 kB' '!managed_bytes' -- moved pinned
expect 'and to where both see it' 1 'regressed  managed_bytes' '!host_bytes' -- moved managed
CUGATE_SIM_PROOF=small expect 'pinned memory' 0 '10238 30717' -- run "$program" pins
ask jq -c '[.kernels["program/scale@40,256"], .kernels["program/scale@20,256"]] | map((.blocks_executed // 40) < 10)' run.json
expect 'blocks of a launch that does not touch it are left out' 0 '[true,false]'

# Time is virtual: it passes by launches and copies, and is the same again, whatever is counted.
timed() { # OPTION...: what the program prints of its times
    "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --timeout 60 "$@" -- "$program" timed 2>/dev/null | grep launches
}
timed --save timed.json >first
expect_same() { cmp first second; }
timed --skip 2 >second
expect 'time is the same again' 0 -- expect_same
ask jq -c '.kernels["program/other@1,32"] | [.metrics.launches.sessions[0][0], (.estimated_time.ns * .metrics.launches.sessions[0][0] >= 30000), (.estimated_time.ns * (.metrics.launches.sessions[0][0] - 1) < 30000)]' timed.json
expect 'a program that repeats until time has passed ends then' 0 "[$(cut -d' ' -f1 first),true,true]"
expect 'a rate is finite' 0 'GB/s' '!inf' -- cat first

# Faults, however the program ends.
for kind in 'stray writes 4 bytes at' 'loses so updates are lost' 'race without a barrier between them' 'unwritten uninitialised, or a barrier is missing'; do
    read -r fault words <<<"$kind"
    for end in '' _exit killed fails; do
        # shellcheck disable=SC2086 # no word or one
        expect "$fault, $end" 5 "$words" "$(line_of "$fault")" "failed        program/$fault@" -- run "$program" "$fault" $end
    done
done
for what in 'exec stray' 'exec conditional' 'check stray'; do
    read -r does what <<<"$what"
    for file in report.xml notes report.sarif; do echo stale >$file; done
    ask "$cugate" "$does" --simulate=nvidia-h200 --metrics "$top/metrics" --report junit=report.xml --report github=notes --report sarif=report.sarif -- "$program" "$what"
    expect "reports of $does $what" 5
    ask cat report.xml notes
    [ "$what" = stray ] && words="$(line_of stray)" || words='not measured'
    [ "$what" = stray ] && place=$(jq -r '.runs[0].results[0].locations[0].physicalLocation | "\(.artifactLocation.uri):\(.region.startLine)"' report.sarif) || place=
    verdict "SARIF of $what has its line" "$([[ "$place" == *"$([ "$what" = stray ] && line_of stray)" ]] || echo "$place")"
    expect 'have a failed test' 0 'errors="1"' '<error type=' '::error title=' "$words" -- cat report.xml notes
done
# Ctrl-C cuts a run: its file says so, and nothing takes it for a whole one.
env --default-signal=INT "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --save cut.json -- \
    sh -c "'$program' right; touch mark; exec sleep 60" >cut.txt 2>&1 &
until [ -e mark ]; do sleep 0.05; done
kill -INT $!
code=0
wait $! || code=$?
verdict 'Ctrl-C is 130' "$([ $code = 130 ] || echo $code)"
expect 'and is not the program'"'"'s fault' 0 'sh was stopped by a signal, so its counts are incomplete' '!without a word' '!descriptors' -- cat cut.txt
for judging in 'accept cut.json --baselines cut --reason x' 'check --replay cut.json' 'compare cut.json run.json'; do
    # shellcheck disable=SC2086 # words
    expect "${judging%% *} refuses a run that was cut" 2 'in cut.json the program was stopped by a signal' -- "$cugate" $judging --metrics "$top/metrics"
done
# Nor does it take that of a program that failed.
run sh -c "$program right; exit 7"
expect 'the code of a program that fails is passed on' 7 'the program failed (exit code 7); computed: 2 of 2 kernels' \
    'next: find out why the program stopped' 'memory is not zero until it is written' '!(exit 0)' '!baseline'
ask "$cugate" accept run.json --baselines failed --reason x --metrics "$top/metrics"
expect 'and its run is not accepted' 2 'in run.json the program failed with exit code 7' '!accepted'
expect 'a program that has no end may poll a copy' 5 'did not finish within 1 s' 'poll cudaStreamQuery, not' -- \
    "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --timeout 1 -- sleep 9
# A second Ctrl-C, a second after the first, kills a program that ignores them.
env --default-signal=INT "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" -- \
    sh -c "trap '' INT; '$program' right; touch deaf; sleep 60; exit 3" >cut.txt 2>&1 &
until [ -e deaf ]; do sleep 0.05; done
while kill -INT $! 2>/dev/null; do sleep 0.1; done
code=0
wait $! || code=$?
verdict 'a second Ctrl-C ends a program that ignores the first' "$([ $code = 137 ] || { echo $code; tail -2 cut.txt; })"
# The program is told of a fault as by a GPU, once for all. A race, which a GPU does not see, is a failure of the launch.
while read -r fault error name; do
    expect "the program hears of $fault" 5 "launch $error, then $error, $name, and $error" "$(line_of "$fault")" -- run "$program" "$fault" tells
done <<'EOF'
stray 700 cudaErrorIllegalAddress
misaligned 716 cudaErrorMisalignedAddress
asserts 710 cudaErrorAssert
traps 719 cudaErrorLaunchFailure
race 719 cudaErrorLaunchFailure
EOF
expect 'of none' 0 'launch 0, then 0, cudaSuccess, and 0' -- run "$program" right tells

# Faults that are known are let pass and counted, by kind and function; no other, and nothing that is not simulated.
passes() { # WHAT ROW...
    printf '%s\n' "${@:2}" >suppressed
    run --suppress suppressed "$program" "$1"
}
while read -r fault kind; do
    passes "$fault" '# known' "$kind $fault* issue 12" "$kind other none"
    expect "$fault is let pass" 0 "note: suppressed:2: $kind in $fault*: suppressed in 1 launch: issue 12" \
        "warning: no fault matched suppressed:3: $kind in other" 'computed: 1 of 1 kernel'
    ask jq -c '.runs[0].results[0] | [.ruleId, .suppressions, .locations[0].physicalLocation.region.startLine]' report.sarif
    expect "$fault is marked so" 0 "[\"suppressed\",[{\"kind\":\"external\"}],$(line_of "$fault" | cut -d: -f2)]"
    kinds=("race * no" "uninitialized * no" "out-of-bounds * no")
    passes "$fault" "${kinds[@]/#$kind \*/$kind other}"
    expect "$fault is not, as another kind or in another function" 5 "$(line_of "$fault")"
done <<'EOF'
stray out-of-bounds
loses race
race race
unwritten uninitialized
EOF
for what in misaligned asserts multiprocessor; do
    passes $what "${kinds[@]}"
    expect "$what is not" 5 'no fault matched'
done
expect 'a kernel that is not simulated' 5 'not simulated: %smid, the SM of a block' -- run "$program" multiprocessor

# A program of CUDA 12.
expect 'a runtime of CUDA 12' 0 'sum 80000' 'computed: 2 of 2 kernels' -- run "$compiled/of_12" right
expect 'a function of it that has other arguments' 5 'not simulated: cudaGraphGetEdges of CUDA 12' -- run "$compiled/of_12" edges

# Device code that was compiled apart and linked.
run "$compiled/linked" 28
expect 'linked code' 0 'filled 28' '1000, 1163, -1, 64 calls' 'linked/kernel@1,64: counts exclude free and delete; counts exclude'
# shellcheck disable=SC2016 # for jq
ask jq '.kernels["linked/kernel@1,64"] | .metrics.instructions.sessions[0] as [$count, $least, $most] |
    ([.lines.list[].counts.instructions] | add | . >= $count and . <= $most), ([.lines.list[] | select(.file | endswith("linked_device.cu")).counts.instructions] | add > 1000)' run.json
expect 'the lines of both files are counted' 0 'true true'
run "$compiled/linked" 0
expect 'its fault has the line of the function' 5 "linked_device.cu:$(grep -n '/\* stray' "$top/tests/sim/linked_device.cu" | cut -d: -f1)"

# What the driver executes on a GPU is done, and not counted. A report says so. Clocks are virtual.
expect 'printf in a kernel' 0 'program/says@3,1: counts exclude printf' 'no time   program/says@3,1: it calls driver functions' -- run "$program" says
cp "$work/said" printed
expect 'it is heard once' 0 '3' -- grep -c 'block . of 3' printed
expect 'malloc and virtual functions' 0 'sum 256032' 'program/allocates@3,64: counts exclude malloc and new' \
    'program/frees@3,64: counts exclude free and delete' -- run "$program" allocates
expect 'a kernel that waits by its clock' 0 'took 1000' 'program/waits@1,32: clocks are virtual' -- run "$program" waits
expect 'a function that is not simulated' 5 'not simulated: cudaGraphConditionalHandleCreate' -- run "$program" conditional
expect 'graphs that are built node by node' 0 'all graphs right, 10 calls' 'graphs/scale@1,32' -- run "$compiled/graphs"
expect 'one behind the other, copies too, as all wait' 0 '[21,14,35]' -- jq -c '[.kernels["graphs/program"].metrics | .launches, .copies, .longest_chain |
    .sessions[0][0]]' run.json
ask jq -c '[.kernels[].metrics | [.launches, .copies, .memsets] | map(.sessions[0][0])]' run.json
expect 'each launch of theirs is counted' 0 '[[11,null,null],[21,14,10],[10,null,null]]'
expect 'a program that hears no more' 5 'exited without cleanup' -- run "$program" closes
expect 'its own exit code' 3 'sum 80000' 'computed: 2 of 2 kernels' -- run "$program" right fails
expect 'nothing launched' 5 'used a GPU but launched nothing on it' -- run "$program" nothing

# What is refused.
expect 'a program without kernels' 5 'launched nothing on it' '!linked into it' -- run "$compiled/query"
expect 'a static runtime' 5 'it is linked with the static CUDA runtime' '-cudart shared' '!sum' -- run "$compiled/static" right
expect 'behind a shell' 5 "(static) uses NVIDIA's own CUDA runtime" '-cudart shared' 'CUDA_RUNTIME_LIBRARY Shared' -- run sh -c "$compiled/static right"
run sh -c "$program right; $compiled/static right"
expect 'beside one that is simulated' 5 "(static) uses NVIDIA's own CUDA runtime" 'sum 80000'
expect 'a program that exports what cugate needs' 5 'exports its own ZSTD_decompress' '-Wl,--exclude-libs,ALL' -- run "$compiled/exports" right
expect 'one that has it for itself' 0 'sum 80000' -- run "$compiled/own" right
expect 'no program of CUDA' 5 'did not load the simulated CUDA runtime or driver' -- run true
expect 'no program' 2 'cannot run ./none' -- run ./none
ask "$cugate" run --simulate=nvidia-h200 --metrics "$top/metrics" --nvtx x -- "$program" right
expect 'an option for GPUs' 2 '--nvtx has no effect when a program is simulated'

# A check.
run "$program" right
expect 'a baseline' 0 'accepted' -- "$cugate" accept --metrics "$top/metrics" --baselines base run.json --reason test
check() {
    ask "$cugate" check --simulate=nvidia-h200 --metrics "$top/metrics" --baselines "${base:-base}" --name program --timeout 60 -- "$@"
}
ask "$cugate" check --simulate=nvidia-h200 --metrics "$top/metrics" --baselines base -k '*/program' --name program -- "$program" right
expect 'says what -k leaves out' 0 '-k leaves out ' "kernels of the program's baseline, which are not judged"
expect 'unchanged' 0 'nothing is worse' 'sum 80000' -- check "$program" right
cp "$program" stale && touch -d 2001-01-01 stale
in_tree() { (cd "$top" && "$cugate" check --simulate=nvidia-h200 --baselines "$work/base" --name program "$@" -- "$work/stale" right); }
expect 'a program that is older than its sources' 3 'STALE: ' 'tests/sim/program.cu' 'unsure; nothing is worse' -- in_tree
expect 'if it is meant' 0 'nothing is worse' '!STALE' -- in_tree --stale
expect 'a slower kernel' 1 'regressed  program/scale@40,256' 'program.cu:' -- check "$compiled/slower" right
expect 'a launch more' 1 'program/program' 'launches' -- check "$program" right4
run "$program" grid
expect 'blocks that wait' 0 'accepted' -- "$cugate" accept --metrics "$top/metrics" --baselines waiting run.json --reason test
base=waiting expect 'are the same' 0 'nothing is worse' -- check "$program" grid
base=waiting expect 'do more outside of their waits; of other code no time is estimated' 1 'unsure     estimated_time' \
    'regressed  instructions_outside_waits' 'its time could not be estimated (its blocks wait for each other)' -- check "$compiled/slower" grid
expect 'a fault' 5 "$(line_of stray)" -- check "$program" stray
expect 'a program that fails' 5 'exited with code 3, so it is not judged' -- check "$program" right fails
# Counts of a GPU are by what its program found in the caches, by other launches than all: they do not judge.
find base -name '*.json' -exec sed -i 's/"exec-sim"/"exec"/' {} +
expect 'a baseline that a GPU measured' 4 'the run was measured by the collector exec-sim, but the baseline by exec' -- check "$program" right
summary
