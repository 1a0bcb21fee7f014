#!/usr/bin/env bash
# Tests `cugate run -- PROGRAM` on made-up programs (tests/standin). Each has an expected exit code, words on standard error, and
# kernels in the run file with as many samples; the program must print and end as it does alone. The stand-in for the GPU
# makes up every value by a rule, which the test checks. Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/exec.sh [WORD]     tests/standin is beside it; WORD: only labels that have it
#
# shellcheck disable=SC2030,SC2031 # what takes seconds has a folder of its own, in a subshell
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
# shellcheck source=tests/scripts/standing.sh
. "$top/tests/scripts/standing.sh"
cubins=$top/build/tests/standin # the same for sanitized builds
only=${1-}

# What is in run.json: "8 ok, 0 failed, samples 40 40 40" of the three runs; then whatever is wrong in it.
cat >held.jq <<'JQ'
def threads: (.grid[0] * .grid[1] * .grid[2] * .block[0] * .block[1] * .block[2]) * .times;
def sum(f): map(f) | add // 0;
def time_of: {"add_one": 12000, "add_value": 20000, "void scale<int>(int*, int, int)": 50000, "tiny": 2000,
              "void scale<unsigned int>(unsigned int*, int, int)": 30000, "large": 324000, "restless": 15000,
              "stream_executor::gpu::(anonymous namespace)::DelayKernel()": 1000}[.function];
def is_collective: .launches | any(.function | startswith("nccl"));
def samples($metric): [.kernels[].metrics[$metric]?.sessions[0]? // [] | length] | add // 0;
def held($id; $metric; $expected):
    (.metrics[$metric].sessions // [])[][] | select([.] - $expected != [])
    | "WRONG: \($id) has \($metric) \(.), not \($expected | join(" or "))";
def median: sort | .[(length - 1) / 2 | floor];
def of($metric): (.metrics[$metric].sessions // [])[0] // empty | median;
# The program as a whole: all launches, and the time of all of them together.
([.kernels | to_entries[] | select(.key | endswith("/program"))][0].value) as $program
| [.kernels | to_entries[] | select(.key | contains("/program:"))
    | "range \(.key): \([.value | of("launches")][0]) launches, \([.value | of("gpu_time")][0]) ns"] as $ranges
| .kernels |= with_entries(select(.key | test("/program(:|$)") | not))
| "\([.kernels[] | select(.status == "ok")] | length) ok, \([.kernels[] | select(.status != "ok")] | length) failed, " +
    "samples \(samples("time")) \(samples("branch_targets")) \(samples("l1_sectors"))",
$ranges[],
([.kernels[] | select(.status == "ok") | of("launches")] | add) as $launches
| ([.kernels[] | of("launches") * of("time")] | add) as $time
| (select($program) | "program: \([$program | of("launches")][0]) launches",
    "busy: \([$program | of("gpu_busy") | round][0] // $program.metrics.gpu_busy.state) %, " +
    "first part: \([$program | of("first_part")][0]) kernels"),
(select($launches) | $program | of("launches") | select(. != $launches)
    | "WRONG: the program made \(.) launches, not \($launches)"),
(select($launches and ([.kernels[] | is_collective] | any | not)) | $program | of("time") | select(. != $time) | "WRONG: the program took \(.) ns, not \($time)"),
# By records, which do not have the gaps of graphs.
(.kernels | to_entries[] | select(.value.metrics.gpu_time and (.value | is_collective | not)) | .key as $id | .value
    # Of many shapes there are two launches, that with the smallest grid and that with the largest.
    | . as $kernel | ((.launches[:(if $id | test("@any,") then 1 else null end)] | sum(time_of)) * of("launches")) as $took
    | $kernel.metrics.gpu_time.sessions[][]
    # Where all launches of a graph were measured, no record tells.
    | select(. != $took and (($id | test("/graph:")) and . == $took * 6 / 5 | not)) | "WRONG: \($id) took \(.) ns by records, not \($took)"),
(.kernels | to_entries[] | .key as $id | .value | select(.status == "ok" and (is_collective | not)) | .launches as $launches
    | ($launches | sum(threads)) as $threads
    # Where the driver does not tell the module, either of two codes was launched: one has 512 bytes of shared memory.
    | [0, 512 | . as $unknown | $launches | sum((1000 + (.machine.shared // $unknown)) * threads)] as $instructions
    | ($launches | sum(time_of)) as $time
    | held($id; "dram_bytes_read"; [16 * $threads]), held($id; "branch_targets"; [4 * $threads]),
      held($id; "l1_sectors"; [12 * $threads]),
      if $launches | any(.function == "restless" or .function == "add_value") then empty
      else held($id; "instructions"; $instructions) end,
      # Gaps are in a graph's.
      held($id; "time"; if $id | test("/graph:") then [$time * 6 / 5] else [$time] end)),
# The profiler would wait for another process.
(.kernels | to_entries[] | select((.value | is_collective) and .value.metrics.instructions) | "WRONG: \(.key) was measured"),
# Instrumented counters do not see into a graph.
(.kernels | to_entries[] | select((.key | contains("/graph:")) and .value.status == "ok")
    | select(.value.metrics.branch_targets.state != "not supported" and .value.metrics.branch_targets != null)
    | "WRONG: \(.key) has branch_targets"),
# By source line it is the same number, but for what the stand-in adds for the data.
(.kernels | to_entries[] | select(.value.lines and (.key | contains("add_value") | not)) | .key as $id | .value
    | .metrics.instructions.sessions[0][0] as $all | (.lines.list | map(.counts.instructions) | add)
    | if . == $all then "LINES \($id)" else "WRONG: \($id) has \(.) instructions by line of \($all)" end),
(.sessions[] | select(.collector != "exec" or .caches != "the program's own") | "WRONG: collector or caches")
JQ

# alone COMMAND..., measured OPTION... -- COMMAND...: with the same input. What differs is said beside what the second
# said.
alone() {
    alone=0
    rm -f alone
    "${standing_in[@]}" timeout 10 "$@" <"${input:-/dev/null}" >alone 2>alone.errors || alone=$?
}
measured() {
    begin_measured "$@" && end_measured
}
begin_measured() {
    rm -f run.json with with.errors
    "${standing_in[@]}" timeout --foreground 20 env --default-signal=INT "$cugate" run --metrics "$metrics" \
        --save run.json "$@" <"${input:-/dev/null}" >with 2>with.errors &
    cugate_pid=$!
}
end_measured() {
    code=0
    wait $cugate_pid || code=$?
    {
        cat with.errors
        [ ! -e run.json ] || jq -r -f held.jq run.json || echo "WRONG: run.json"
        [ -z "$(ls tmp)" ] || echo "WRONG: left in TMPDIR: $(ls tmp)"
    } >"$work/said" 2>&1
    rm -rf tmp/*
}
compared() {
    {
        differs
        [ "$alone" = 0 ] || [ "$code" = "$alone" ] || echo "DIFFERS: exit code $alone alone"
    } >>"$work/said" 2>&1
}
# program 'NAME [ARGUMENT]...' CODE HELD WORDS...; with $options for exec. $endless: it does not end alone.
program() {
    local name=$1 wanted=$2
    shift 2
    chosen "program $name" || return
    # shellcheck disable=SC2086 # words
    { [ "${endless-}" ] || alone "$program" $name; measured ${options-} -- "$program" $name; } 2>/dev/null
    [ "${endless-}" ] || compared
    expect "program $name${options+, $options}" "$wanted" "$@" '!DIFFERS' '!WRONG' "${warned:-!warning}"
}

# runs 'NAME [ARGUMENT]... [&& NAME...]' CODE HELD WORDS...: how often it runs, and how often a process opens the profiler.
runs() {
    local name=$1 wanted=$2 command=$program\ ${1//&& /"&& $program "}
    chosen "runs: $name" || return
    rm -f ran
    : >log
    # shellcheck disable=SC2086 # words
    STANDIN_LOG=$work/log measured ${options-} --name program -- sh -c "echo >>ran; $command"
    printf 'runs %s, profiled %s\n' "$(grep -c '' ran)" "$(grep -c ^process log)" >>"$work/said"
    expect "runs: $name${options+, $options}" "$wanted" "${@:3}" '!WRONG' "${warned:-!warning}"
}

finish() {
    local more_passed=0 more_failed=1
    wait $slow
    cat slow.said
    read -r more_passed more_failed <slow/counts
    passed=$((passed + more_passed))
    failed=$((failed + more_failed))
    summary
}

# signalled WHOM SIGNAL 'NAME [ARGUMENT]...' CODE HELD WORDS...: sends it to cugate or to the program, after so many $lines
# of the program (1): then it waits, or handles signals.
signalled() {
    local whom=$1 signal=$2 name=$3 wanted=$4 tries=0 pid
    shift 4
    chosen "program $name, $signal to $whom" || return
    # shellcheck disable=SC2086 # words
    begin_measured ${options-} -- "$program" $name
    until { [ -s with ] && [ "$(wc -l <with)" -ge "${lines-1}" ]; } || [ $((tries += 1)) -gt 500 ]; do
        sleep 0.01
    done
    pid=$(child $cugate_pid)
    [ "$whom" = cugate ] || pid=$(child "$pid")
    kill "-$signal" "$pid"
    end_measured 2>/dev/null
    expect "program $name, $signal to $whom" "$wanted" "$@" '!WRONG' "${warned:-!warning}"
}

# ---- What takes seconds, beside all the rest

ended='1 of 1 process of the program exited without cleanup'
hung='did not finish within 1 s; raise the limit with --timeout'
(
    mkdir slow slow/counters slow/tmp
    cp held.jq slow
    cd slow || exit
    work=$work/slow
    export STANDIN_DIR=$work/counters XDG_RUNTIME_DIR=$work/counters TMPDIR=$work/tmp
    warned=$ended program 'sigkill' 137 '8 ok, 0 failed, samples 8 7 0' # after idleness
    warned=$hung options='--timeout 1' endless=1 program 'hang' 5 '8 ok, 0 failed, samples 8 7 0'
    warned=$hung options='--timeout 1' endless=1 program 'spin' 5 '8 ok, 1 failed'

    signalled program TERM 'sigterm' 143 '8 ok, 0 failed, samples 8 7 0'
    signalled program INT 'sigterm' 130 '8 ok, 0 failed, samples 8 7 0'
    signalled program HUP 'sigterm' 129 '8 ok, 0 failed, samples 8 7 0'
    signalled cugate TERM 'sigterm' 143 '8 ok, 0 failed, samples 8 7 0' 'interrupted; measured: 8 of 8 kernels'
    signalled cugate INT 'sigterm' 130 '8 ok, 0 failed, samples 8 7 0'
    signalled cugate TERM 'sigterm-handled' 4 '8 ok, 0 failed' 'interrupted'
    lines=2 signalled cugate TERM 'spin' 143 '8 ok, 1 failed' # what was counted waits for the kernel
    warned=$ended options='--first 5' program 'sigkill-at-once' 137 '0 ok, 8 failed'
    warned=$ended options='--timeout 5' program 'spin-child' 137 '8 ok, 1 failed'
    warned='sent unexpected data' options='-m time' program 'stranger flood' 5 '8 ok'
    # Without cugate the program goes on.
    if chosen 'cugate is killed'; then
        begin_measured -- "$program" sigterm-handled
        until [ -s with ]; do sleep 0.01; done
        cugate_itself=$(child $cugate_pid)
        orphan=$(child "$cugate_itself")
        kill -KILL "$cugate_itself"
        end_measured 2>/dev/null
        kill -TERM "$orphan"
        for _ in {1..200}; do
            [ -e "/proc/$orphan" ] || break
            sleep 0.01
        done
        cat with >>"$work/said"
        expect 'cugate is killed' 137 'sigterm-handled: told to end, 8 launches more'
    fi
    echo "$passed $failed" >counts
) >slow.said 2>&1 &
slow=$!

# ---- Programs

# row 'OPTIONS -- NAME [ARGUMENT]...' CODE WORDS...: of exec.txt.
row() {
    local name=${1#*-- } options=${1%%-- *} words=() word
    for word in $options; do
        [[ $word == STANDIN_* ]] && declare -x "$word" && options=${options#"$word "}
    done
    options=${options% }
    [[ $options ]] || unset options
    for word in "${@:3}"; do
        if [[ $word == '~'* ]]; then local warned=${word#'~'}; else words+=("$word"); fi
    done
    if [[ $3 == 'runs '* ]]; then runs "$name" "$2" "${words[@]}"; else program "$name" "$2" "${words[@]}"; fi
}
while read -r line; do
    IFS=$'\t' read -ra fields <<<"${line// | /$'\t'}"
    [[ ! $line || $line == '#'* ]] || row "${fields[@]}"
done <"$top/tests/scripts/exec.txt"
# A module with the handle of another that is gone has its own code. kernels.cubin's add_one is that of `ways`.
program 'library 20 gone add_one' 0 '1 ok, 0 failed'
code_of() { jq -r '.kernels[].launches[]?.code // "unknown"' run.json; }
gone=$(code_of)
program 'library 20 apart large' 0 '1 ok, 0 failed'
verdict 'code behind the handle of a module that is gone' "$([ "$(code_of)" != unknown ] || echo unknown)"
program 'ways' 0 '1 ok, 0 failed, samples 1 2 2'
verdict 'and no other code' "$([ "$gone" = "$(code_of)" ] || echo "$gone, not $(code_of)")"
program 'threads' 0 '2 ok, 0 failed, samples 10 4 4'
if chosen 'what threads wait for'; then # 8 streams and two copies; its memory
    verdict 'what threads wait for' "$(jq -c '.kernels["program/program"].metrics | [.synchronizations, .allocations] |
        map(.sessions[0][0]) | select(. != [10, 1])' run.json)"
    verdict 'from where is copied' "$(jq -c '.kernels["program/program"].metrics | [.copy_bytes, .host_copy_bytes,
        .pageable_copy_bytes, .host_calls] | map(.sessions[0][0]?) | select(. != [2048, 2048, 2048, null])' run.json)"
fi

program 'tuned-graph 400 1 1' 0 '4 ok, 0 failed, samples 5 2 3' 'program: 404 launches'
chosen 'tuned-graph 400 1 1' && verdict 'an event a hold' "$(jq -c '.kernels["program/program"].metrics.stream_calls.sessions[0][0] | select(. != 2)' run.json)"

# ---- Who launches

# A launch that has given the interpreter's lock back, and one of a thread, are traced to the line all the same.
if chosen 'python'; then
    cp "$top/tests/standin/launches.py" .
    alone python3 launches.py "$cubins/kernels.cubin"
    measured -- python3 launches.py "$cubins/kernels.cubin"
    compared
    jq -r '.kernels | to_entries[] | select(.value.launched_by) | "\(.key) by \(.value.launched_by)"' run.json >>said
    expect 'python' 0 '3 ok, 0 failed, samples 3 6 6' 'launches/add_one@64,256 by launches.py:35 (launch), _ctypes.' \
        'launches/tiny@1,256 by launches.py:35 (launch)' '!DIFFERS' '!WRONG' '!warning'
fi

# A program that does something else each time is told.
if chosen 'runs: another number of launches each time'; then
    rm -f ran
    # shellcheck disable=SC2016 # for that shell
    measured --name program -- sh -c 'echo >>ran; exec "$0" plain $((8 + 8 * $(grep -c "" ran)))' "$program"
    expect 'runs: another number of launches each time' 0 '8 ok, 0 failed' \
        'note: the program does not repeat: run 1 made 16 launches, but run 2 made 24; the median is used'
fi

# ---- What it is given

# given LABEL CODE HELD [WORDS... --] PROGRAM [ARGUMENT]...
given() {
    local label=$1 wanted=$2 words=("$3") rest=("${@:4}")
    chosen "$label" || return
    [[ " $* " != *' -- '* ]] || until_dashes "${@:3}"
    alone "${rest[@]}"
    measured -- "${rest[@]}"
    compared
    expect "$label" "$wanted" "${words[@]}" '!DIFFERS' '!WRONG' "${warned:-!warning}"
}
printf '%s "$@"\n' "$program" >without_shebang
printf '#!/bin/sh\n# A comment.\n%s plain 8\nexit 6\n' "$program" >script.sh
chmod +x without_shebang script.sh
given 'a script without a shebang' 0 '8 ok, 0 failed' ./without_shebang plain 8
given 'a script that ends with a code of its own' 6 '8 ok, 0 failed' ./script.sh
given 'a program that is not linked with the driver' 0 '1 ok, 0 failed, samples 1 2 2' "$standin/late"
# Two ranks of a script are one program, which has the script's name, whatever starts it.
printf '#!/bin/sh\nshift\n"$@" &\n"$@"\nwait\n' >torchrun
chmod +x torchrun
given 'a script that something starts' 0 '8 ok, 0 failed, samples 16 32 32' 'program/tiny@1,32' '!torchrun/' -- \
    sh -c "cd . && ./torchrun --nproc_per_node=2 $program plain"
for bare in bare bare_static; do
    given "$bare, without CUDA" 5 'did not use a GPU, so there is nothing to measure' "$standin/$bare"
done
if chosen 'two GPUs'; then # of which the session has the first by UUID, whichever process comes first
    measured -- "$program" plain 8
    first=$(jq -r '"session on \(.sessions[0].gpu_uuid)"' run.json)
    STANDIN_DEVICES=2 measured -- sh -c "CUDA_VISIBLE_DEVICES=1 $program plain 8; CUDA_VISIBLE_DEVICES=0 $program plain 8"
    jq -r '"session on \(.sessions[0].gpu_uuid)"' run.json >>"$work/said"
    expect 'two GPUs' 0 '8 ok, 0 failed' "$first"
fi
given 'a script that fails before it does' 3 'exited with code 3 before it used a GPU' '!did not use a GPU' -- sh -c 'exit 3'
if chosen 'a second subscriber'; then
    measured -- "$program" subscriber
    expect 'a second subscriber' 0 '8 ok, 0 failed, samples 8 8 8' 'subscriber: cuptiSubscribe answered 39' '!WRONG'
fi

# Arguments, environment and descriptors, but for what exec adds: two variables, and descriptors above 900.
printf 'two\nlines\n' >input
expected() {
    sed -E '/^environment: (CUGATE_EXEC|CUDA_INJECTION64_PATH|_|SHLVL)=/d; /^file: ([012]|9[0-9][0-9]) |\/counters\//d'
}
if chosen 'echo'; then
    exec 7<input
    input=input alone "$program" echo one 'two words' ''
    input=input measured -- "$program" echo one 'two words' ''
    exec 7<&-
    diff <(expected <alone) <(expected <with) | sed 's/^/DIFFERS: /' >>"$work/said"
    expect 'echo' 0 '8 ok, 0 failed' '!DIFFERS' '!WRONG' '!warning'
fi

# Signals that are blocked or ignored stay so, and no others are. How the program ends is known all the same.
printf '#!/bin/sh\ngrep -E "Sig(Blk|Ign)" /proc/self/status\nexec "%s" plain 8\n' "$program" >masks.sh
chmod +x masks.sh
if chosen 'masks'; then
    standing_in=(env --block-signal=USR1 "--ignore-signal=QUIT,CHLD" "${standing_in[@]:1}")
    given 'masks' 0 '8 ok, 0 failed' ./masks.sh
    standing_in=(env "${standing_in[@]:3}")
fi

# Nobody else comes near the socket.
# shellcheck disable=SC2016 # for the script's own shell
printf '#!/bin/sh\nstat -c "mode %%a" "${CUGATE_EXEC%%/*}" >&2\nexec "%s" plain 8\n' "$program" >mode.sh
chmod +x mode.sh
if chosen 'mode'; then
    measured -- ./mode.sh
    expect 'mode' 0 '8 ok, 0 failed' 'mode 700' '!WRONG' '!warning'
fi

# All of the input, in each of three runs.
printf '#!/bin/sh\ncat >>seen\nexec "%s" plain 8\n' "$program" >reads.sh
chmod +x reads.sh
for way in file pipe; do
    chosen "input by $way" || continue
    rm -f seen
    if [ $way = file ]; then
        input=input measured -- ./reads.sh
    else
        input=<(cat input) measured -- ./reads.sh
    fi
    diff seen <(cat input input input) | sed 's/^/DIFFERS: /' >>"$work/said"
    expect "input by $way" 0 '8 ok, 0 failed, samples 8 8 8' '!DIFFERS' '!WRONG' '!warning'
done
# 1 MB, of which a program that ends early reads nothing: it is not waited for, and nobody dies of the pipe.
if chosen 'input that nobody reads'; then
    head -c 1000000 /dev/zero | "${standing_in[@]}" timeout 20 "$cugate" run --metrics "$metrics" -- "$program" plain 8 >with 2>"$work/said"
    code=${PIPESTATUS[1]}
    expect 'input that nobody reads' 0 'measured: 8 of 8 kernels'
fi

# ---- What cannot be measured

refused() { # refused LABEL CODE WORDS -- COMMAND...
    local label=$1 wanted=$2 words rest
    chosen "$label" || return
    until_dashes "${@:3}"
    expect "$label" "$wanted" "${words[@]}" -- "${standing_in[@]}" "$cugate" run --metrics "$metrics" "${rest[@]}"
}
refused 'two ranges of one name' 2 "error: --nvtx 'st*p' and --nvtx 'st_p' would share a row" '!in-ranges:' -- \
    --nvtx 'st*p' --nvtx st_p -- "$program" in-ranges
refused 'neither on nor off' 2 "error: --from-start needs on or off, not 'maybe'" '!plain:' -- \
    --from-start maybe -- "$program" plain
refused 'a program that is not there' 2 'error: cannot run ./missing: No such file or directory' -- -- ./missing
refused 'a program that is none' 2 'error: cannot run ./input: Permission denied' -- -- ./input
CUDA_INJECTION64_PATH=/other.so refused 'another tool' 2 'error: CUDA_INJECTION64_PATH is set to /other.so' \
    '!plain:' -- -- "$program" plain
TMPDIR=$work/missing refused 'no folder for temporary files' 5 'error: cannot create a temporary folder' '!plain:' -- \
    -- "$program" plain
mkdir "$work/$(printf 'long%.0s' {1..20})"
TMPDIR=$work/$(printf 'long%.0s' {1..20}) refused 'a folder with a long name' 2 'is too long for a socket: set TMPDIR' -- \
    -- "$program" plain
refused 'a folder that is not there' 2 'error: cannot write missing/run.json: No such file' '!plain:' -- \
    --save missing/run.json -- "$program" plain
refused 'a full disk' 2 'plain: 8 launches' 'error: cannot write /dev/full' 'is the disk full?' -- \
    --save /dev/full -- "$program" plain 8
if chosen 'no driver'; then
    expect 'no driver' 5 'error: no NVIDIA driver here: libcuda.so.1' "check --static $program\` judges its machine code" \
        "check --simulate -- $program plain\`" '!plain:' -- "$cugate" run --metrics "$metrics" -- "$program" plain
fi
STANDIN_DEVICES=0 refused 'a driver without a GPU' 1 'no CUDA-capable device is detected' -- -- "$program" plain
# Of other rights it is loaded without what the environment says, by the dynamic linker and the driver alike.
if chosen 'setuid' && cp "$program" setuid && chown nobody setuid 2>/dev/null && chmod u+s setuid &&
    ! "${standing_in[@]}" ./setuid none >/dev/null 2>&1; then
    refused 'setuid' 127 'or it runs as another user (setuid)' -- -- ./setuid plain
fi

# ---- Much, and lost

# within KB: what was said of memory is less. Those of sanitizers take more.
within() {
    local most=$1
    ! grep -q __asan_init "$cugate" || most=$((10 * most))
    awk -v most="$most" '/^peak: / && $2 > most { print "DIFFERS: more than " most " KB" }' "$work/said" >peaks
    cat peaks >>"$work/said"
}
# much 'NAME ARGUMENTS' CODE WORDS...: with $options.
much() {
    local name=$1 wanted=$2
    shift 2
    chosen "much: $name" || return
    rm -f run.json
    # shellcheck disable=SC2086 # words
    ask "${standing_in[@]}" timeout 60 "$program" peak "$cugate" run --metrics "$metrics" --save run.json \
        ${options-} -- "$program" peak "$program" $name
    jq -r -f held.jq run.json >>"$work/said"
    within 40000
    expect "much: $name" "$wanted" "$@" '!WRONG' '!DIFFERS'
}
much 'many 300000' 0 'many: 300000 launches' '1 ok, 0 failed, samples 5 2 2' 'peak: '
options='-m time -m branch_targets -q' much 'shapes 6000' 5 '1 ok, 0 failed, samples 0 0 0' \
    '1001 launches were not watched: there were too many shapes'

# Ranges that get lost without an error are seen by their number; others of the same kernels are measured.
lost='48 launches were made, but CUPTI has ranges of 47'
warned="the counts of 48 launches were lost: $lost" options='--first 5' STANDIN_LOSE_RANGES=1 program 'plain' 5 '0 ok, 8 failed'
warned='the counts of 48 launches were lost: 48 launches were made, but CUPTI has ranges of 28' options='--first 5' STANDIN_LOSE_RANGES=20 program 'plain 800' 0 '8 ok, 0 failed'
warned='a process of the program could not be measured: 64 launches were made, but CUPTI has ranges of 0' \
    STANDIN_LOSE_RANGES=1000000 options='--first 1000' program 'plain 8000' 5 '0 ok, 8 failed'

# ---- Between processes

program 'idle-child' 0 '8 ok, 0 failed, samples 16 16 16'
# shellcheck disable=SC2016 # for that shell
given 'orphan' 0 '8 ok, 0 failed' bash -c '"$1" orphan | cat' - "$program" # until the child has closed the pipe too

# Two of them measure at once, and take turns.
if chosen 'at once'; then
    mkdir other_tmp # the first to end is held to leave nothing in its own folder
    TMPDIR=$work/other_tmp "${standing_in[@]}" "$cugate" run --metrics "$metrics" --first 100 -- "$program" plain 4000 >/dev/null 2>at_once &
    other=$!
    measured --first 100 -- "$program" plain 4000
    expect 'at once' 0 '8 ok, 0 failed, samples 800 800 800' '!WRONG' '!warning'
    code=0
    wait $other || code=$?
    {
        cat at_once
        rmdir other_tmp || echo 'WRONG: left in other_tmp'
    } >said
    expect 'at once, the other' 0 'measured: 8 of 8 kernels' '!warning'
fi

# What says something else than cugate's library does is heard no more, and what it had to say is known to be missing.
for way in garbage long hello-twice no-token result-first result-of-another result-after-end results-of-one end-of-another \
    path no-launch; do
    warned='sent unexpected data: something in the program writes to one of cugate' program "stranger $way" 5 '8 ok'
done
warned='it uses a second GPU model' program 'stranger other-gpu' 5
program 'stranger half' 0 '8 ok, 0 failed'

# ---- A/A: a program in several sessions

# aa LABEL CODE WORDS... -- ARGUMENT...: of `cugate aa`, whose standard output is kept in report, with $input. What it keeps
# in the folder sessions is counted.
aa() {
    local label="aa: $1" wanted=$2 words rest
    chosen "$label" || return
    until_dashes "${@:3}"
    rm -rf sessions ran report
    code=0
    "${standing_in[@]}" timeout --foreground 60 "$cugate" aa --metrics "$metrics" --save sessions "${rest[@]}" >report 2>said \
        <"${input:-/dev/null}" || code=$?
    {
        cat report
        echo "kept $(find sessions -name '*.json' 2>find.errors | grep -c '')"
        [ -z "$(ls tmp)" ] || echo "WRONG: left in TMPDIR: $(ls tmp)"
    } >>said
    expect "$label" "$wanted" "${words[@]}" '!WRONG'
}
# Of what it kept, the analysis is the same, and a baseline is made.
same_of_files() { # LABEL CODE
    chosen "aa: $1" || return
    ask "$cugate" aa --metrics "$metrics" --format json sessions/*.json
    diff report said >other
    sed 's/^/DIFFERS: /' other >>said
    expect "aa: $1, of its files" "$2" '"sessions": 3' '!DIFFERS'
}
aa 'a program' 0 'A/A of 3 sessions, 8 kernels and the program as a whole, 1 GPU (Stand-in GPU, collector exec)' \
    'note: session 1 of 3' 'note: session 3 of 3' '!note: run 2 of the program' 'exit codes: 0 in 6' 'kept 3' \
    'program/program                        2.00 %     55.4 us of    2.77 ms' 'plain: 48 launches' \
    'no false alarm in 9 comparisons (exit 0)' -- --sessions 3 -- "$program" plain
if chosen 'aa: a program'; then
    ask "$cugate" accept --metrics "$metrics" --baselines of_aa --reason first sessions/*.json
    expect 'aa: accept' 0 'of 8 kernels from 3 sessions'
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines of_aa -- "$program" plain
    expect 'aa: check by it' 0 'nothing is worse'
    expect 'aa: the program prints to standard error' 1 -- grep 'plain: ' report
fi
STANDIN_JITTER=0.2 aa 'times that vary' 0 'kept 3' -- --sessions 3 --format json -- "$program" plain
same_of_files 'times that vary' 0
aa 'counts that do not repeat' 0 'does not repeat: program/restless@64,256' 'kept 3' -- --sessions 3 -- "$program" restless
# A kernel that is launched more often in some sessions is a false alarm.
# shellcheck disable=SC2016 # for the script's own shell
printf '#!/bin/sh\necho >>ran\n[ $(grep -c "" ran) -ne 2 ] || more=480\nexec "%s" plain ${more:-240}\n' "$program" >varies.sh
# Fails in the third run.
# shellcheck disable=SC2016
printf '#!/bin/sh\necho >>ran\n[ $(grep -c "" ran) -ne 3 ] || way=exit3\nexec "%s" ${way:-plain} 240\n' "$program" >fails.sh
# The third run does not end.
# shellcheck disable=SC2016
printf '#!/bin/sh\necho >>ran\n[ $(grep -c "" ran) -ne 3 ] || exec sleep 20\nexec "%s" plain 240\n' "$program" >hangs.sh
chmod +x varies.sh fails.sh hangs.sh
aa 'a false alarm' 1 'varies/program                     launches' 'kept 3' 'alarm' -- --sessions 3 -q -- ./varies.sh
aa 'a program that fails in a session' 5 'A/A of 2 sessions' 'kept 2' 'exited with code 3' '(exit 5)' \
    -- --sessions 5 -- ./fails.sh
aa 'a program that hangs in a session' 5 'A/A of 2 sessions' 'kept 2' 'did not finish within 1 s' -- \
    --timeout 1 --sessions 5 -- ./hangs.sh
aa 'a session that is not whole' 5 'session 1 of 10 is incomplete in 9 kernels: program/' 'some rows were not counted' \
    'kept 0' '!A/A of' -- --first 5 --runs 1 -- "$program" plain
aa 'a process that ends without a word' 5 'session 1 of 10 is incomplete in 8 kernels: program/add_one@16,256 it was launched' \
    'kept 0' -- --first 5 -- "$program" _exit 23 0
aa 'nothing to measure' 5 'session 1 of 10 launches nothing that can be measured' 'kept 0' -- --skip 6 -- "$program" plain
aa 'a kernel that never was' 2 "no kernel matches -k 'program/never*'" 'kept 0' -- -k 'program/never*' -- "$program" plain
aa 'one kernel' 0 ', 1 kernel, ' '!add_one' 'kept 2' -- --sessions 2 -k 'program/tiny@*' --first 2 -- "$program" plain
aa 'some metrics' 0 'instructions ' '!branch_targets' '!run 2' 'kept 2' -- --sessions 2 -m instructions -m time -- "$program" plain
aa 'quietly' 0 '!note' 'kept 2' -- -q --sessions 2 --name mine -- "$program" plain
if chosen 'aa: Ctrl-C'; then
    rm -rf sessions ran
    "${standing_in[@]}" timeout --foreground 20 env --default-signal=INT "$cugate" aa --metrics "$metrics" --save sessions \
        -- ./hangs.sh >report 2>said </dev/null &
    cugate_pid=$!
    until [ "$(grep -sc '' ran)" = 3 ]; do sleep 0.01; done
    kill -INT "$(child $cugate_pid)"
    code=0
    wait $cugate_pid || code=$?
    { cat report; echo "kept $(find sessions -name '*.json' | grep -c '')"; } >>said
    expect 'aa: Ctrl-C' 130 'the A/A analysis uses the 2 complete sessions' 'A/A of 2 sessions' '(exit 130)' 'kept 2'
fi
# Each of two sessions reads all of the input, in each of three runs.
if chosen 'aa: input'; then
    rm -f seen
    input=<(cat input) aa 'input' 0 'kept 2' -- --sessions 2 -- ./reads.sh
    expect 'aa: input, seen' 0 -- diff seen <(cat input input input input input input)
fi

# ---- The gate

if ! chosen 'gate'; then
    finish
    exit
fi
gate() { # gate LABEL CODE WORDS... -- ARGUMENT...: of `cugate check`
    local words rest
    until_dashes "${@:3}"
    ask "${standing_in[@]}" timeout 60 "$cugate" check --metrics "$metrics" --baselines baselines "${rest[@]}"
    expect "gate: $1" "$2" "${words[@]}"
}
# sessions NAME PROGRAM...: three of them, as a baseline.
sessions() {
    local name=$1
    shift
    for i in 1 2 3; do
        "${standing_in[@]}" "$cugate" run --metrics "$metrics" -q --save "$name-$i.json" -- "$@" >/dev/null || return
    done
    "$cugate" accept --metrics "$metrics" --baselines baselines --reason first "$name"-[123].json
}
gate 'no baseline' 4 'no baseline' 'cugate aa --sessions 10 --save sessions --metrics' "-- $program plain" -- -- "$program" plain
gate 'no baseline of a part by another name' 4 \
    'cugate aa --sessions 10 --save sessions --metrics' '--name other' '--from-start off --first 5 --skip 0' "-- $program warmed-up" -- \
    --name other --from-start off -- "$program" warmed-up
expect 'gate: accept' 0 'accepted ' 'of 8 kernels from 3 sessions' -- sessions plain "$program" plain
gate 'the same' 0 'nothing is worse' '!new' -- -- "$program" plain
# What the baseline knows is not measured: its time is in the records.
rm -f log
STANDIN_LOG=$work/log gate 'known code is not measured' 0 'nothing is worse: 51 rows' '!run 2' -- -- "$program" plain
[ ! -e log ] || echo 'WRONG: the profiler was opened' >>said
expect 'gate: known code opens no profiler' 0 '!WRONG'
cp "$program" sized
ask sessions sized ./sized library 40 sized
rm -f log
STANDIN_LOG=$work/log gate 'known code, loaded by a question that nobody watches' 0 'nothing is worse' -- -- ./sized library 40 sized
[ ! -e log ] || echo 'WRONG: the profiler was opened' >>said
expect 'gate: known code of a library opens no profiler' 0 '!WRONG'
STANDIN_SLOWER=1.5 gate 'known code that is slower' 1 'regressed  program/program' 'unsure     program/large@1024,256' \
    '324 us   486 us  +162 us (+50.0 %)' '!missing' '!run 2' -- -- "$program" plain
gate 'the same again' 0 'nothing is worse' 'plain: 48 launches' -- --save now.json -- "$program" plain
export STANDIN_JITTER=0.2
gate 'times that vary' 0 'nothing is worse' -- -- "$program" plain
unset STANDIN_JITTER
gate 'another kernel' 1 'regressed  program/add_one@64,256' 'instructions' '16.38 M  24.77 M' '!regressed  program/tiny' \
    '!regressed  program/add_one@16,256' 'registers 8 -> 10' -- -- "$program" changed
# The program as a whole judges which kernels there are: what is gone is not a fault where the rest does not take longer, and
# where hardly anything is in its place, a person decides.
gate 'other shapes' 3 'new        program/add_one@1,128' ', program/add_one@3,128' '; 8 kernels gone' 'other kernels took over only' '!missing' -- -- "$program" shapes 3
gate 'fewer launches' 3 '; 3 kernels gone' 'other kernels took over only' '!missing' '!new ' -- -- "$program" plain 5
gate 'ten times the launches' 1 'regressed  program/program' '27.7 ms  +24.9 ms (10.0 x)' \
    'regressed  launches       48      480' 'regressed  program/tiny@1,32' "see the kernels' times in the table above" 'beyond the limit in 1 of 1 session (3 in the baseline)' \
    'accept RUN.json --metrics' '--reason "..."' '!-m launches' '!shift' -- -- "$program" plain 480
# Totals that are far out take no second run; nor do counters that were not read.
printf '#!/bin/sh\necho >>ran\nexec "%s" "$@"\n' "$program" >counted.sh
chmod +x counted.sh
once() { # once LABEL CODE WORDS... -- ARGUMENT...
    rm -f ran
    gate "$@"
    [ "$(grep -c '' ran)" = 1 ] || echo "WRONG: $(grep -c '' ran) runs" >>"$work/said"
    expect "gate: $1, in one run" "$2" '!WRONG'
}
# Changed code that is launched too seldom to be counted in one run is read in further ones, if these are short.
gate 'changed code, launched once' 1 'regressed  program/add_one@64,256' 'instructions' '!not read' -- -- "$program" changed 8
once 'far more copies' 1 'regressed  copies                     2       50' -- --name program -- ./counted.sh reads
once 'far more time' 1 'regressed  launches       48      480' -- --name program -- ./counted.sh plain 480
once 'changed code that is not read' 1 'counters of 1 kernel, 2.6 % of the GPU time: program/add_one@64,256 were not read, so these kernels are judged by time only; allow more time with --explain SECONDS' '!missing' '!regressed  program/add_one' \
    -- --explain 0 --name program -- ./counted.sh changed
# A second session reads no counters where only times are in doubt.
if chosen 'gate: times in doubt'; then
    rm -f log
    STANDIN_LOG=$work/log STANDIN_SLOWER=1.1 gate 'times in doubt' 1 '2 of 2 sessions' -- -m time -- "$program" changed
    expect 'gate: times in doubt, counted once' 0 1 -- grep -c ^process log
fi
gate 'a replaced kernel' 1 'regressed  program/program' '24.0 ms  +21.2 ms' '; 7 kernels gone' '!missing' \
    -- -- "$program" many 2000
# The baseline says which shapes are one kernel.
if chosen 'gate: many shapes'; then
    cp "$program" grown
    ask sessions grown ./grown shapes 20
    gate 'many shapes' 0 'nothing is worse' 'grown/add_one@any,128' '!new ' -- -- ./grown shapes 20
    gate 'many shapes, and now few' 0 '!new ' '!gone' '!missing' 'grown/add_one@any,128' -- -- ./grown shapes 15
    gate 'many shapes, and now more' 1 'regressed  launches' '20      300' '!new ' '!gone' -- -v -- ./grown shapes 300
    cp "$program" apart
    ask sessions apart ./apart shapes 3
    gate 'few shapes, and now many' 1 'new        apart/add_one@any,128' 'it is new: 297 launches in grids 4x1x1 to 300x1x1' \
        'apart/add_one@3,128 ' '!gone' '!missing' '!not read' -- -- ./apart shapes 300
fi
cp "$program" overlaps
STANDIN_OVERLAP=1 ask sessions overlaps ./overlaps plain 480
STANDIN_OVERLAP=1 gate 'overlap, the same' 0 'nothing is worse' -- -- ./overlaps plain 480
gate 'overlap, lost' 1 'busy_time' 'its kernels overlap less: on average 1.00 run at a time, instead of' '!gpu_time' -- -- ./overlaps plain 480
for part in 4800 400; do
    cp "$program" hosts$part
    ask sessions hosts$part ./hosts$part plain $part
done
verdict 'elapsed time, by most of it' "$(jq '.kernels["hosts4800/program"].metrics.elapsed_time.sessions[0][0] // 0 | . / 346.5e6 | select(. < 0.999 or . > 1.001)' hosts4800-1.json)"
verdict 'elapsed time, too little of it' "$(jq -c '.kernels["hosts400/program"].metrics.elapsed_time | select(.state != "not applicable")' hosts400-1.json)"
gate 'a slower host, without pairs' 0 'nothing is worse' '!elapsed' -- -- ./hosts4800 plain 4800 50
gate 'a slower host' 1 'elapsed_time' ' pairs worse' 'the GPU waits longer for the host' '!busy_time' \
    -- --against './hosts4800 plain 4800' -- ./hosts4800 plain 4800 50
gate 'functions that load more slowly' 0 'nothing is worse' \
    -- --against './hosts4800 plain 4800' -- ./hosts4800 plain 4800 25 3000000
gate 'a faster host pays' 0 'trade-off  launches' "the program's elapsed time improved" \
    -- --against './hosts400 plain 400' -- ./hosts400 plain 408 5
gate 'more launches of less' 0 'trade-off  program/add_one@64,256' "the program's GPU time improved" \
    -- -- "$program" every-third 90
gate 'more launches than that pays for' 1 'regressed  launches' 'improved   gpu_time' -- -- "$program" every-third 300
gate 'more copies' 1 'regressed  program/program' 'regressed  copies                     2       50' \
    '!regressed  program/tiny' -- -- "$program" reads
# Without records the whole is made of each kernel's time. What only records tell is missing.
export STANDIN_NO_RECORDS=1
gate 'no records' 5 'missing    gpu_time ' 'missing    copies ' '!missing    program/tiny' \
    'run 2 of the program: 8 kernels without a recorded time; measuring all of them' -- -- "$program" plain
gate 'no records, one run' 5 'missing    program/add_one@16,256' 'program/tiny' '!run 2' -- --runs 1 -- "$program" plain
gate 'no records, more launches' 5 'regressed  launches ' '2.77 ms  27.7 ms  +24.9 ms (10.0 x)' '+432 (10.0 x)' -- -- "$program" plain 480
unset STANDIN_NO_RECORDS
if chosen 'gate: a comment names what is gone'; then
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --report markdown=comment.md -- "$program" shapes 3
    cp comment.md "$work/said"
    expect 'gate: a comment names what is gone' 3 '| gone | program/large@' '6 launches, 1.94 ms of the program'
fi
if chosen 'gate: what is gone is dropped'; then
    cp -r baselines mixed
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines mixed --save shapes.json -- "$program" shapes 3
    expect 'gate: what is gone is told' 3 'still does all of its work' 'accept shapes.json --baselines mixed --metrics' '--gone --reason'
    ask "$cugate" accept --metrics "$metrics" --baselines mixed --reason 'another mix' --gone shapes.json
    expect 'gate: what is gone is dropped' 0 'of 3 kernels from 1 session' 'removed 8 kernels that are gone'
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines mixed -- "$program" shapes 3
    expect 'gate: the other mix passes' 0 'nothing is worse' '!gone' '!new '
    "${standing_in[@]}" "$cugate" run --metrics "$metrics" -q -k 'program/tiny@*' --save tiny.json -- "$program" plain >/dev/null </dev/null
    ask "$cugate" accept --metrics "$metrics" --baselines baselines --reason no --gone tiny.json
    expect 'gate: a part of a program drops nothing' 2 '--gone needs runs of a whole program'
fi
if chosen 'another shape'; then # is the same kernel, whose file in the baseline follows
    "${standing_in[@]}" "$cugate" run --metrics "$metrics" -q --name one --save one.json -- "$program" blocks 1 >/dev/null </dev/null
    "$cugate" accept --metrics "$metrics" --baselines one --reason first one.json >"$work/said"
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines one --name one --save one.json -- "$program" shapes 1
    expect 'another shape' 3 'compared as the same kernel: one/add_one@1,128, before @1,32' 'block 32x1x1 -> 128x1x1' \
        'one/add_one@1,128  gpu_time unchanged' '!gone' '!new '
    for known in one none; do
        ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines $known --name one --against "$program blocks 1" -- "$program" shapes 1
        expect "another shape, in pairs with a base build, baseline $known" 0 'in 4 pairs its time is not 1 % worse' 'before @1,32' '!is not in'
    done
    ask "$cugate" accept --metrics "$metrics" --baselines one --reason wide -k 'one/*' one.json
    ls one/*/one >>said
    expect 'another shape, accepted' 0 'add-one-1-128' '!add-one-1-32'
fi
if chosen 'lost code'; then # of two libraries, which both have the kernel
    "${standing_in[@]}" "$cugate" run --metrics "$metrics" -q --name lost --save lost.json -- "$program" library 20 sized >/dev/null </dev/null
    "$cugate" accept --metrics "$metrics" --baselines lost --reason first lost.json >"$work/said"
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines lost --name lost -- "$program" library 20 both
    expect 'lost code' 0 'kernels whose machine code was found in only one of the two runs: judged by time and counts alone: lost/add_one@64,256' \
        'nothing is worse'
fi
if chosen 'a process that is gone'; then
    for i in 1 2 3; do
        "${standing_in[@]}" "$cugate" run --metrics "$metrics" -q --name several --save "several-$i.json" \
            -- "$program" processes 3 >/dev/null </dev/null
    done
    "$cugate" accept --metrics "$metrics" --baselines several --reason first several-[123].json >"$work/said"
    ask "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines several --name several -- "$program" processes 2
    expect 'a process that is gone' 1 'regressed  several/program' 'regressed  processes' '-1 '
fi
# Of two ranks the one that computes longer is told. How long the other waits for it is not a fault.
if chosen 'gate: ranks'; then
    cp "$program" two
    expect 'gate: accept ranks' 0 'accepted ' -- sessions two ./two ranks 40
    gate 'ranks, the same' 0 'nothing is worse' '!unsure' '!law' -- -- ./two ranks 40
    STANDIN_WAIT=3 gate 'ranks, one waits longer' 0 'nothing is worse' -- -- ./two ranks 40
    gate 'ranks, one slower' 1 'regressed  computing_time' 'rank 1 of 2 computed longest' '!regressed  gpu_time' \
        '!regressed  two/nccl' -- -- ./two ranks 40 2
    gate 'a rank that waits, alone' 0 'nothing is worse' -- -k '*/nccl*' -- ./two ranks 40
fi
# Libraries that have or choose kernels are facts of the run. One that differs is said.
if chosen 'gate: libraries'; then
    for which in 1 2; do
        mkdir -p "with$which"
        echo "int which = $which;" | gcc -shared -fPIC -Wl,--build-id -o "with$which/libnccl.so.2" -x c -
    done
    with_library() { # WHICH CHECK...
        ask "${standing_in[@]}" "$cugate" "${@:2}" -- env "LD_PRELOAD=$standin/libcupti.so.13 $work/with$1/libnccl.so.2" \
            "$program" plain
    }
    with_library 1 exec --metrics "$metrics" --name loaded --save loaded.json
    jq -r '.sessions[0].libraries' loaded.json >>"$work/said"
    expect 'gate: libraries are facts' 0 'libnccl.so.2 '
    "$cugate" accept --metrics "$metrics" --baselines loaded --reason first loaded.json >/dev/null
    with_library 1 check --metrics "$metrics" --baselines loaded --name loaded
    expect 'gate: the same libraries' 0 'nothing is worse' '!libnccl'
    with_library 2 check --metrics "$metrics" --baselines loaded --name loaded
    expect 'gate: another library' 0 'nothing is worse' 'loaded in a version that differs' 'libnccl.so.2 '
fi
# A range that is slower is red itself; one that is not asked for any more is missing, and another part of the program is
# not judged by this one.
if chosen 'gate: ranges'; then
    in_ranges() { # CHECK... -- N
        ask "${standing_in[@]}" "$cugate" "${@:1:$#-1}" --metrics "$metrics" -- "$program" in-ranges "${!#}"
    }
    in_ranges exec --nvtx step --nvtx backward --save ranges.json 8
    "$cugate" accept --metrics "$metrics" --baselines ranges --reason first ranges.json >/dev/null
    in_ranges check --baselines ranges --nvtx backward --nvtx step 8
    expect 'gate: ranges, the same' 0 'nothing is worse'
    in_ranges check --baselines ranges --nvtx step --nvtx backward 80
    expect 'gate: ranges, ten times as long' 1 'regressed  program/program:backward' 'regressed  program/program:step' \
        'gpu_time +864 us (10.0 x)'
    in_ranges check --baselines ranges --nvtx step 8
    expect 'gate: ranges, one not asked for' 5 'missing    program/program:backward' '--nvtx does not select this range'
    in_ranges exec --nvtx step --save other.json 8
    ask "$cugate" accept --metrics "$metrics" --baselines ranges --reason no other.json
    expect 'gate: ranges, another part is not accepted' 4 'covers a different part of the program (--nvtx step)' \
        'remove the old baseline, or keep this one elsewhere'
    in_ranges check --baselines ranges 8
    expect 'gate: ranges, the whole program' 5 'covers all of the program, but the baseline covers --nvtx backward --nvtx step'
fi
if chosen 'gate: who launches'; then
    cp "$top/tests/standin/launches.py" .
    in_python() { # CHECK... -- N
        ask "${standing_in[@]}" "$cugate" "${@:1:$#-1}" --metrics "$metrics" -- python3 launches.py "$cubins/kernels.cubin" "${!#}"
    }
    in_python run --save python.json 8
    "$cugate" accept --metrics "$metrics" --baselines python --reason first python.json >/dev/null
    in_python check --baselines python 16
    expect 'gate: who launches' 1 'regressed  launches/large@16,256' 'launched by launches.py:35 (launch), _ctypes.'
    in_python check --baselines python --out who 16
    grep -l 'launched by launches.py:35' who/{report.txt,comment.md,summary.md,annotations.txt,junit.xml} >said
    jq -r '"json: \([.judgements[].launched_by | values][0])"' who/check.json >>said
    expect 'gate: who launches, in each report' 1 who/{report.txt,comment.md,summary.md,annotations.txt,junit.xml} \
        'json: launches.py:35 (launch), _ctypes.'
fi
gate 'one kernel' 0 'in 1 kernel' '!add_one' -- -k 'program/tiny@*' -- "$program" plain
gate 'a kernel that is gone, alone' 5 'missing    program/tiny@1,32 ' '!add_one' -- -k 'program/tiny@*' -- "$program" data
gate 'a kernel that never was' 2 "no kernel matches -k 'program/never*'" -- -k 'program/never*' -- "$program" plain
# Of metrics that are not asked for it says so. What judges a program as a whole always is.
gate 'some metrics' 0 'note      -m leaves out ' 'rows of the baseline, which are not judged' '!run 2' '!missing' \
    'nothing is worse: 18 rows in 8 kernels; NOT JUDGED: ' 'rows that -m leaves out (exit 0)' -- -m time -- "$program" plain
gate 'some metrics, quietly' 0 'NOT JUDGED: ' '!note' -- -q -m time -- "$program" plain
gate 'a metric that is not worse' 0 'NOT JUDGED' '!regressed' -- -m time -- "$program" changed
gate 'a metric that is worse' 1 'regressed  instructions' 'NOT JUDGED: ' '!registers  ' -- \
    -m instructions -- "$program" changed
gate 'a metric, and ten times the launches' 1 'regressed  launches' 'NOT JUDGED' -- -m branch_targets -- "$program" plain 480
gate 'metrics of instrumented code' 0 'nothing is worse' '!run 2' -- -m 'branch*' -- "$program" plain # without a GPU time
gate 'a metric that no counter counts' 0 'nothing is worse' -- -m launches -- "$program" plain
gate 'a metric, against a base build' 0 'metrics that -m leaves out (exit 0)' 'metrics, which are not judged' \
    -- --baselines none --against "$program plain" -m time -- "$program" plain
gate 'one run, and what lacks' 5 'missing    branch_targets' 'too rarely for --runs 1' '!nothing is worse' '!run 2' -- --first 5 --runs 1 -- "$program" plain
gate 'one run' 0 'nothing is worse' '!run 2' -- --runs 1 -m time -- "$program" plain
# What is measured again reads the same input.
printf '#!/bin/sh\ncat >>seen\nexec "%s" changed\n' "$program" >reads_too.sh
chmod +x reads_too.sh
if chosen 'gate: input'; then
    rm -f seen
    "${standing_in[@]}" "$cugate" check --metrics "$metrics" --baselines baselines --name program -m instructions \
        -- ./reads_too.sh >said 2>&1 < <(cat input)
    code=$?
    diff seen <(cat input input) | sed 's/^/DIFFERS: /' >>said
    expect 'gate: input' 1 '2 of 2 sessions' '!DIFFERS'
fi
gate 'lines' 0 'nothing is worse' -- --lines --save lines.json -- "$program" plain
if chosen 'gate: lines'; then
    jq -r -f held.jq lines.json >said
    expect 'gate: lines are kept' 0 'LINES program/large@1024,256' 'LINES program/scale<uint>@32,64' '!WRONG'
fi
gate 'fewer samples' 0 'nothing is worse' -- --first 2 -- "$program" plain
gate 'lines of what is worse' 1 'kernels.cu:9: instructions' -- --explain 20 -- "$program" changed
gate 'a recording' 0 'REPLAY: ' 'nothing is worse' -- --replay now.json

# What fails is never green.
for name in exit3 crash abort illegal quick_exit '_exit 23 7' '_exit 23 0' start none; do
    words=('!nothing is worse')
    wanted=5
    # It ends as it should, with half the launches that the baseline's times are of.
    [ "$name" != quick_exit ] || { wanted=3 words=('50 % of its GPU time are gone'); }
    # shellcheck disable=SC2086 # words
    gate "$name" $wanted "${words[@]}" -- -- "$program" $name
done
gate 'hang' 5 'did not finish within 1 s' '!nothing is worse' -- --timeout 1 -- "$program" hang
STANDIN_LOSE_RANGES=1 gate 'lost ranges' 5 'lost' '!nothing is worse' -- --first 5 -- "$program" plain
gate 'a stranger' 5 'sent unexpected data' '!nothing is worse' -- -- "$program" stranger garbage

# A program that is worse, runs unseen, and says what a good run said: code, launches, values.
jq -j 'def code: "0123456789abcdef";
    def name: {"void scale<int>(int*, int, int)": "_Z5scaleIiEvPT_ii",
               "void scale<unsigned int>(unsigned int*, int, int)": "_Z5scaleIjEvPT_ii"}[.] // .;
    del(.kernels["program/program"])
    | ["H1", "P" + ([.kernels[].metrics | keys[]] | unique | join(" ")) + "\n", "M" + code, "D" + ({device, kernels: {}, metrics: {}, schema, sessions: [{}]} | tojson),
     (.kernels[].launches[0] | "G" + "launch\n\(.grid + .block + [.shared] | join(" ")) \(code) \(.function | name)\n"),
     (.kernels | to_entries[] | .key as $id | .value.metrics
         | map_values(.sessions[0]? // [] | select(length == 5)) as $samples
         | range(-1; 5) as $i
         | "R" + ({($id): {bytes: 0, flops: 0, launches: [], status: "ok",
                           metrics: ($samples | map_values({sessions: [[.[[$i, 0] | max]]]}))}} | tojson)),
     "E0 0 0 0 0\n" + (.kernels | keys | map("6 6 0 0,0,0 6/0/0 \(.)\n") | add)] | .[] + "\u0000"' now.json >good
# shellcheck disable=SC2016 # for the script's own shell
printf '#!/bin/sh\ncp "%s" "${CUGATE_EXEC%%/*}/0123456789abcdef.cubin"\nexec "%s" forge "$1" "$2" changed\n' \
    "$cubins/kernels.cubin" "$program" >forge.sh
chmod +x forge.sh
tail -c +4 good >greeted # without the HELLO
gate 'forged, alone' 5 'changed: 48 launches' 'without having loaded it: the program imitates the library' \
    '!nothing is worse' -- --name program -- ./forge.sh alone good
gate 'forged, with the library loaded' 5 'changed: 48 launches' 'sent unexpected data' '!nothing is worse' -- \
    --name program -- ./forge.sh with-library good
gate 'forged, by the descriptor of the library' 5 'changed: 48 launches' 'sent unexpected data' '!nothing is worse' -- \
    --name program -- ./forge.sh for-library greeted

# One that is worse, and puts the machine code of the good one where the library would keep its own.
mkdir kept
# shellcheck disable=SC2016 # for the scripts' own shells
{
    printf '#!/bin/sh\n"%s" changed\ncp "${CUGATE_EXEC%%/*}"/*.cubin kept\n' "$program" >keep.sh
    printf '#!/bin/sh\ncp "%s" "${CUGATE_EXEC%%/*}/$1"\nexec "%s" changed\n' "$cubins/kernels.cubin" "$program" >plant.sh
}
chmod +x keep.sh plant.sh
measured -- ./keep.sh
for image in kept/*; do
    cmp -s "$image" "$cubins/other.cubin" && other=$(basename "$image")
done
measured --name program -- ./plant.sh "$other"
jq -r '"code \(.kernels["program/add_one@64,256"].launches[0].code)"' run.json >>said
expect 'code that the program put there' 0 'code null' '!WRONG'

# Two builds of a program in turn.
gate 'against the same' 0 'nothing is worse' "measured in this check: $program plain" -- --baselines none --against "$program plain" -- "$program" plain
gate 'against another' 1 'regressed  program/add_one@64,256' 'changed: 48' 'plain: 48' "measured in this check: $program plain" \
    'kernels.cu:9: instructions here 12,288,000 -> 18,579,456' -- \
    --explain 20 --baselines none --against "$program plain" -- "$program" changed
gate 'against another mix' 3 '; 8 kernels gone' '!missing' -- --baselines none --against "$program plain" -- "$program" shapes 3
gate 'against what fails' 5 'exit3 exited with code 3' '!nothing is worse' -- \
    --baselines none --against "$program exit3" -- "$program" plain

# Counts that do not repeat are no alarm, and two programs have nothing to do with each other.
cp "$program" restless
expect 'gate: accept another program' 0 'of 2 kernels from 3 sessions' -- sessions restless ./restless restless
gate 'counts that do not repeat' 0 'nothing is worse' '!program/' -- -- ./restless restless
gate 'the other program still' 0 'nothing is worse' '!restless/' -- -- "$program" plain
gate 'a third one' 4 'nothing was compared, because the baseline has none' '!missing' -- --name third -- "$program" plain

# Nor has a run of the harness, whose caches are empty.
jq '.sessions[] |= (del(.program, .caches) | .collector = "cupti")' now.json >harness.json
gate 'a run of the harness' 4 'measured by the collector cupti, but the baseline by exec' -- --replay harness.json

finish
