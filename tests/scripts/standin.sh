#!/usr/bin/env bash
# Tests the stand-in for a GPU (tests/standin/standin.h) and the programs made for it. Each program must end as its row
# says, and print the same with an injection library, which must see its launches. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/standin.sh     tests/standin is beside it
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
standin=$(cd "$(dirname "${CUGATE:-build/cugate}")" && pwd)/tests/standin
cd "$work" || exit 2

# Sanitizers would take crashes for theirs.
ulimit -c 0
export ASAN_OPTIONS=handle_segv=0:handle_abort=0:verify_asan_link_order=0
export LD_LIBRARY_PATH=$standin
unset CUDA_INJECTION64_PATH CUDA_VISIBLE_DEVICES

# twice COMMAND...: alone, then with the probe; what differs is said beside what the second one said. Of several processes
# none knows whose line comes first.
twice() {
    local alone=0
    "$@" </dev/null >alone 2>alone.errors || alone=$?
    code=0
    CUDA_INJECTION64_PATH=$standin/probe.so "$@" </dev/null >with 2>with.errors || code=$?
    {
        cat with with.errors
        cmp -s <(sort alone) <(sort with) || echo "DIFFERS: standard output"
        [ "$code" = "$alone" ] || echo "DIFFERS: exit code $alone alone"
    } >"$work/said"
}

# program 'NAME [ARGUMENT]...' CODE LINE [HEARD]: HEARD is what the probe says when the process ends, if it ends so.
program() {
    # shellcheck disable=SC2086 # words
    { twice "$standin/program" $1; } 2>/dev/null
    expect "program $1" "$2" "$3" '!DIFFERS' 'probe: injected, subscribing answers 0, the profiler 999, the driver 3' ${4:+"probe: $4"}
}

# signal 'NAME [ARGUMENT]...' CODE LINE: sends SIGTERM when the program has said its line.
signal() {
    local pid tries=0
    : >"$work/said"
    # shellcheck disable=SC2086 # words
    "$standin/program" $1 >"$work/said" 2>&1 &
    pid=$!
    until [ -s "$work/said" ] || [ $((tries += 1)) -gt 500 ]; do
        sleep 0.01
    done
    kill -TERM $pid
    code=0
    wait $pid 2>/dev/null || code=$?
    expect "program $1, and SIGTERM" "$2" "$3"
}

program 'plain' 0 'plain: 48 launches, sum 455468416' '48 launches, 0 failed, 0 of graphs, 0 captures, 1 modules'
program 'changed' 0 'changed: 48 launches' '48 launches, 0 failed, 0 of graphs, 0 captures, 2 modules'
program 'many 20000' 0 'many: 20000 launches, sum 52640' '20000 launches'
program 'shapes' 0 'shapes: 100 launches' '100 launches'
program 'data' 0 'data: 20 launches, sum 81280' '20 launches'
program 'restless' 0 'restless: 20 launches' '20 launches'
program 'namesakes' 0 'namesakes: 20 launches' '20 launches, 0 failed, 0 of graphs, 0 captures, 2 modules'
program 'reload' 0 'reload: 20 launches' '20 launches, 0 failed, 0 of graphs, 0 captures, 21 modules'
program 'library' 0 'library: 20 launches' '20 launches, 0 failed, 0 of graphs, 0 captures, 2 modules'
program 'ways' 0 'ways: 6 launches' '6 launches'
program 'failing' 0 'failing: 22 good and 21 failing launches' '22 launches, 21 failed'
program 'second-context' 0 'second-context: 8 + 8 + 8 launches' '24 launches'
STANDIN_DEVICES=2 program 'devices' 0 'devices: 2 x 8 launches, sums 298112 298112' '16 launches'
program 'threads' 0 'threads: 160 launches' '160 launches'
program 'start' 0 'start: initialized' '0 launches'
for way in 0 1 2 3 4 5; do
    program "capture 4 $way" 0 'capture: 24 launches and 4 of a graph of 3, sum 1959642752' \
        '27 launches, 0 failed, 4 of graphs, 1 captures'
done
program 'graph' 0 'graph: 4 launches of a graph of 2, sum 34688' '0 launches, 0 failed, 4 of graphs, 0 captures'
program 'recapture' 0 'recapture: 4 graphs' '16 launches, 0 failed, 4 of graphs, 4 captures'
program 'memory again' 0 'memory again: sum 33152 and 768' '4 launches'
for kind in device async managed pinned mapped filled behind; do
    program "memory $kind" 0 "memory $kind: sum 33152" '3 launches'
done
STANDIN_DEVICES=2 program 'memory other-gpu' 0 'memory other-gpu: sum 33152 and 32896' '3 launches'
program 'fork-before' 0 'fork-before, child: 16 launches' '24 launches'
program 'fork-after' 0 'fork-after, child: the driver answers 3' '43 launches'
program 'exec-child' 0 'plain: 16 launches' '32 launches'
program 'processes' 0 'processes: 4 children, worst exit code 0' '16 launches'
program 'crash' 139 'crash: 23 launches, sum 24190336'
program 'abort' 134 'abort: 23 launches, sum 24190336'
program 'illegal' 1 'an illegal memory access was encountered (700)' '25 launches'
program 'exit3' 3 'exit3: 23 launches' '23 launches'
program '_exit 23 7' 7 '_exit: 23 launches'
program 'quick_exit' 0 'quick_exit: 23 launches'

twice "$standin/program" none
expect 'program none' 0 'none: linked' '!DIFFERS' '!probe'
twice "$standin/late"
expect late 0 'late: 20 launches, sum 20' '!DIFFERS' 'probe: 20 launches'
for bare in bare bare_static; do
    twice "$standin/$bare"
    expect $bare 0 'bare: no CUDA in it' '!DIFFERS' '!probe'
done
CUDA_INJECTION64_PATH=$standin/probe.so ask "$standin/program" subscriber
expect 'program subscriber' 0 'subscriber: 8 launches' 'cuptiSubscribe answered 39' 'probe: 8 launches'
until_closed() { "$@" | cat; } # by its children too
ask until_closed "$standin/program" orphan
expect 'program orphan' 0 'orphan, parent: 24 launches' 'orphan, child: 16 launches'
{ ask "$standin/program" sigkill; } 2>/dev/null
expect 'program sigkill' 137 'sigkill: 23 launches'
signal 'hang' 143 'hang: 23 launches'
signal 'spin' 143 'spin: 23 launches'
signal 'sigterm' 143 'sigterm: 23 launches'
signal 'sigterm-handled' 4 'sigterm-handled: told to end, 8 launches more'
STANDIN_DEVICES=0 ask "$standin/program" plain
expect 'a driver without a GPU' 1 'cuInit(0): no CUDA-capable device is detected (100)'
ask "$standin/program" nothing-like-it
expect 'no such program' 2 'usage:' 'second-context'

# A cugate without CUPTI: with a driver that is in the way, and without one there is no GPU, which is what matters.
cp "$standin/../../cugate" no_cupti
ask ./no_cupti list --devices
expect 'a driver, and no CUPTI' 5 'cannot load CUPTI' '!no GPU'
ask ./no_cupti check --dry-run
expect 'nor do scripts take that for no GPU' 5 'cannot load CUPTI' '!no_gpu'
if ! ldconfig -p | grep 'libcuda\.so\.1' >"$work/drivers"; then # another driver cannot be hidden
    LD_LIBRARY_PATH='' ask ./no_cupti list --devices
    expect 'no driver, and no CUPTI' 5 'no GPU: no NVIDIA driver'
    LD_LIBRARY_PATH='' ask ./no_cupti check --dry-run
    expect 'which scripts are told' 0 '"no_gpu": "no NVIDIA driver'
fi

ask env "LD_PRELOAD=$standin/libcupti.so.13" "$standin/../../cugate" check --dry-run
expect 'a driver that finds one' 0 '"no_gpu": null'
STANDIN_DEVICES=0 ask env "LD_PRELOAD=$standin/libcupti.so.13" "$standin/../../cugate" check --dry-run
expect 'a driver that finds no GPU' 0 '"no_gpu": "the NVIDIA driver finds no GPU"'

# What a program is given.
for binary in "$standin/program" "$standin/bare" "$standin/bare_static"; do
    printf 'two\nlines' >input
    code=0
    TEXT='a b' "$binary" echo one 'two words' '' <input >"$work/said" 5>/dev/null || code=$?
    expect "$(basename "$binary") echo" 0 'argument: one' 'argument: two words' 'environment: TEXT=a b' 'file: 0 ' \
        'file: 5 /dev/null' $'lines'
done

summary
