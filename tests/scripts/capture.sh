#!/usr/bin/env bash
# Tests `cugate capture`, also of a file of capsules, on made-up programs (tests/standin): what is kept of each, what is refused and why,
# how it ends when something goes wrong, and that the program is none the wiser. Needs no GPU. Ends with "N passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/capture.sh [WORD]     tests/standin is beside it; WORD: only labels that have it
#
# shellcheck disable=SC2030,SC2031 # some rows have limits of their own, in a subshell
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
# shellcheck source=tests/scripts/standing.sh
. "$top/tests/scripts/standing.sh"
only=${1-}

# ask_standin COMMAND...: as ask does, with the stand-in.
ask_standin() {
    ask "${standing_in[@]}" timeout 20 "$@"
}

# captured OPTION... -- COMMAND...: into file.capsule. What is in it is said behind what cugate said.
captured() {
    rm -f file.capsule
    begin_captured "$@"
    end_captured
}
begin_captured() {
    rm -f with with.errors
    "${standing_in[@]}" timeout --foreground 30 env --default-signal=INT "$cugate" capture --metrics "$metrics" \
        -o file.capsule "$@" <"${input:-/dev/null}" >with 2>with.errors &
    cugate_pid=$!
}
end_captured() {
    code=0
    wait $cugate_pid || code=$?
    {
        cat with.errors
        if [ -e file.capsule ]; then "$cugate" list --kernels file.capsule; else echo 'NO FILE'; fi
        [ -z "$(ls tmp)" ] || echo "WRONG: left in TMPDIR: $(ls tmp)"
        [ -z "$(find . -name '*.tmp')" ] || echo "WRONG: left beside the file: $(find . -name '*.tmp')"
    } >said 2>&1
    rm -rf tmp/*
}

# program 'NAME [ARGUMENT]...' CODE WORDS...: captured with $options. It prints what it prints alone.
program() {
    local name=$1 wanted=$2 label="program $1${options+, $options}"
    shift 2
    chosen "$label" || return
    # shellcheck disable=SC2086 # words
    { [ "${endless-}" ] || "${standing_in[@]}" timeout 10 "$program" $name <"${input:-/dev/null}" >alone 2>alone.errors
        captured ${options-} -- "$program" $name; } 2>/dev/null
    [ "${endless-}" ] || differs >>said 2>&1
    expect "$label" "$wanted" "$@" '!DIFFERS' '!WRONG'
}

all='3 kernels: 3 replayed bit for bit'
secret="file.capsule contains the program's data: inputs, weights, everything that its kernels can reach"

# ---- What is in the file, and that it is a kernel library

program 'plain 48' 5 'program/tiny@1,32 is refused: the launch changed no memory, so a replay proves nothing' \
    '8 kernels: 7 replayed bit for bit' '1 refused' "$secret" 'program/add_one@64,256 64 256 1.02 kB 4 of 6 12 us identical' \
    'program/add_value@64,128,1024' '!program/tiny@1,32 1'
if chosen 'library'; then
    captured -k 'program/add*' -k 'program/scale*' -k 'program/large*' -- "$program" plain 48
    expect 'library: what is chosen is all there' 0 '7 kernels: 7 replayed bit for bit' '!tiny' '!warning' '!WRONG'
    ask_standin "$cugate" run --metrics "$metrics" --kernels file.capsule --save run.json
    expect 'library: measured' 0 'measured: 7 of 7 kernels (exit 0)' 'program/scale<uint>@32,64 30'
    expect 'library: accepted' 0 'of 7 kernels' -- "$cugate" accept run.json --baselines kept --reason first
    for turn in first second; do
        ask_standin "$cugate" check --metrics "$metrics" --kernels file.capsule --baselines kept
        expect "library: checked for the $turn time" 0 'nothing is worse' '7 kernels (exit 0)'
    done
    ask_standin "$cugate" run --collector warm --metrics "$metrics" --kernels file.capsule --save warm.json
    expect 'library: with warm caches' 0 'measured: 7 of 7 kernels (exit 0)' 'collector warm'
    ask "$cugate" check --metrics "$metrics" --replay warm.json --baselines kept
    expect 'library: which is not a run of that baseline' 4 'warm'
    ask_standin "$cugate" aa --metrics "$metrics" --kernels file.capsule --sessions 3
    expect 'library: aa' 0 'no false alarm in'
    ask_standin "$cugate" capture file.capsule -o again.capsule
    expect 'library: proved once more' 0 '7 kernels: 7 replayed bit for bit' 'again.capsule contains the program'
    ask_standin "$cugate" prove file.capsule -o again.capsule -q
    # shellcheck disable=SC2016 # cugate's words
    expect 'library: by its old name' 0 '`cugate prove` is now `cugate capture`'
    ask_standin "$cugate" capture file.capsule -k x -o again.capsule
    expect 'library: what chooses launches says nothing' 2 '-k has no effect' '-- PROGRAM'
    ask_standin "$cugate" capture -o third.capsule file.capsule again.capsule
    expect 'library: one file' 2 "does not expect 'again.capsule'"
    ask_standin "$cugate" capture run.json -o other.capsule
    expect 'library: a file of another kind cannot be' 2 'run.json'
    ask_standin "$cugate" capture file.capsule -o nowhere/other.capsule
    expect 'library: proved to nowhere' 2 'cannot write nowhere/other.capsule' '!kernels:'
fi
options='-q' program 'plain 8' 5 '!contains the program' '!replayed bit' '!runs again' 'tiny@1,32 is refused'
options='--name mine' program 'plain 8' 5 'mine/add_one@64,256'

# ---- Which launches

options='-k program/add_one@64,256' program 'plain 48' 0 '1 kernel: 1 replayed' '!program/add_one@16'
options='-k program/add_on@64,256' program 'plain 48' 2 \
    "no kernel that the program launched matches -k 'program/add_on@64,256'; did you mean 'program/add_one@64,256'?" 'NO FILE'
options='--launch 1' program 'plain 48' 5 'add_one@64,256 64 256 1.02 kB 1 of 6'
options='--launch 6 -k program/add_one*' program 'plain 48' 0 'add_one@64,256 64 256 1.02 kB 6 of 6'
options='--launch 7 -k program/add_one*' program 'plain 48' 5 'NO FILE' \
    'program/add_one@64,256 is not captured: it has only 6 launches, so there is no launch 7' 'no launch of the program could be captured'
options='--nvtx forward*' program 'in-ranges' 0 '2 kernels: 2 replayed' 'add_one@64,256 64 256 1.02 kB 5 of 8' '!tiny' '!warning'
options='--nvtx nowhere' program 'in-ranges' 5 'NO FILE' 'none is inside the part that --nvtx and --from-start select'
options='--from-start off' program 'warmed-up' 0 '1 kernel: 1 replayed' 'add_one@64,256 64 256 1.02 kB 5 of 8' '!large' '!warning'
program 'graph' 5 'NO FILE' 'is not captured: it is launched in a graph, whose kernels cannot be distinguished'
program 'capture 4 0' 5 'is not captured: it is launched in a graph' '8 kernels: 7 replayed' 'program/add_one@64,256'
program 'failing' 5 '8 kernels: 7 replayed' '1 refused' '!2048 is' '2 of 3'
program 'ways' 0 '1 kernel: 1 replayed' '4 of 6'
options='-k program/add_one@7,*' program 'shapes 5002' 5 '1 kernel: 1 replayed' \
    '2 launches were not captured, because of too many shapes'
program 'shapes 60' 0 '60 kernels: 60 replayed'

# ---- Modules, contexts, threads, processes

program 'namesakes' 0 '2 kernels: 2 replayed' 'program/add_one@64,256#2'
program 'reload' 0 '2 kernels: 2 replayed' 'program/add_one@64,256#2' '6 of 10'
program 'libraries 40' 0 '2 kernels: 2 replayed' 'program/large@64,256' '11 of 20'
program 'library' 0 '1 kernel: 1 replayed bit for bit' # whose name two codes have
program 'library 20 asked' 0 '1 kernel: 1 replayed bit for bit'
program 'library 20 sized' 0 '1 kernel: 1 replayed bit for bit'
program 'library 20 both' 5 'NO FILE' 'its machine code is unknown: several modules have a function of that name'
program 'second-context' 5 '8 kernels: 7 replayed'
STANDIN_DEVICES=2 program 'devices' 5 '8 kernels: 7 replayed' '!another GPU'
program 'threads' 0 '2 kernels: 2 replayed' '41 of 81'
program 'processes 4' 5 '8 kernels: 7 replayed' '2 of 2'
program 'fork-before' 5 '8 kernels: 7 replayed' '2 of 3'
program 'fork-after' 5 '8 kernels: 7 replayed'
program 'exec-child' 5 '8 kernels: 7 replayed'
if chosen 'late'; then
    captured -- "$standin/late"
    expect 'late: it loads the driver itself' 0 'late/add_one@64,256' '1 replayed bit for bit' '11 of 20' '!WRONG'
fi

# ---- Memory

program 'memory device' 0 "$all" 'add_one@64,256 64 256 2.05 kB' # and what its pointer is right behind of
program 'memory async' 0 "$all"
program 'memory managed' 0 "$all"
program 'memory pinned' 0 "$all"
program 'memory mapped' 0 "$all" 'add_one@64,256 64 256 4.19 MB' # both pieces
program 'memory again' 0 "$all" 'settle@1,256 1 256 2.05 kB 2 of 2' # which changed nothing
program 'memory filled' 0 "$all" 'add_one@64,256 64 256 2.1 MB' \
    '1 kernel: the search for writes that change nothing ran out of time'
if chosen 'needless'; then # of those pages one is used
    captured -- "$program" memory filled
    [ "$(stat -c %s file.capsule)" -lt 16384 ] || echo "WRONG: the file has $(stat -c %s file.capsule) bytes" >>said
    expect 'needless pages are left out' 0 "$all" '!WRONG'
fi
if chosen 'counted'; then # what it computes from its inputs was there already, and only a count changes
    captured -- "$program" memory counted
    grep -aqE '"after": \[[0-9]+, -2, [0-9]+\], "before": \[[0-9]+, [0-9]+, -1\]' file.capsule ||
        echo "WRONG: inputs are dropped, or results are not cleared: $(grep -a '"after"' file.capsule)" >>said
    expect 'results that were there and their inputs are kept' 0 "$all" 'counted@1,256 1 256 198 kB 2 of 3' '!WRONG'
fi
for layout in counted counted-close; do # inputs and results in pages of their own, and all in one
    chosen "$layout" || continue
    captured -k 'program/counted*' -- "$program" memory $layout
    ask "$cugate" run --metrics "$metrics" --kernels file.capsule --simulate=nvidia-h200
    expect "$layout leaves what it did" 0 '1 of 1 kernel (exit 0)'
    ask "$cugate" swap file.capsule --code "$top/build/tests/standin/kernels.cubin" --launch count_alone -o swapped.capsule
    ask "$cugate" run --metrics "$metrics" --kernels swapped.capsule --simulate=nvidia-h200
    expect "$layout by code that computes nothing is wrong" 5 'wrong result  program/counted@1,256'
done
if chosen 'gather'; then
    captured -- "$program" memory gather
    grep -aqE '"before": \[[0-9]+, [0-9]+, -1\]' file.capsule ||
        echo "WRONG: indices are dropped: $(grep -a '"after"' file.capsule)" >>said
    expect 'what is read is kept, even where the result is the same without' 0 "$all" '!WRONG' \
        'warning: program/gather@1,256 fails on cleared memory, so all its memory is kept'
fi
program 'memory freed' 0 "$all" 'add_one@64,256 64 256 2.05 kB'  # without what the pointer is to
program 'memory behind' 0 "$all" 'behind@1,256 1 256 1.02 kB'
program 'memory linked' 0 "$all" 'linked@1,256 1 256 67.6 kB'
program 'memory vast' 5 '2 kernels: 2 replayed' 'program/add_one@64,256 is not captured: it can access more than 9 GB' \
    'one range of 9.7 GB' 'XLA_PYTHON_CLIENT_PREALLOCATE=false'
STANDIN_DEVICES=2 program 'memory other-gpu' 5 '2 kernels: 2 replayed' \
    'program/add_one@64,256 is not captured: it can access memory of another GPU'
program 'memory noise' 0 '3 kernels: 2 replayed bit for bit, 1 replayed except for varying bits' \
    'except varying bits' "so it can be measured, but not compared"
if chosen 'varies'; then
    captured -- "$program" memory noise
    ask_standin "$cugate" run --metrics "$metrics" --kernels file.capsule --save run.json
    expect 'what varies is measured' 0 'measured: 3 of 3 kernels (exit 0)'
    ask "$cugate" accept run.json --baselines varies --reason first
    ask_standin "$cugate" check --metrics "$metrics" --kernels file.capsule --baselines varies
    expect 'what varies is checked' 0 'nothing is worse' '3 kernels (exit 0)'
    ask "$cugate" swap file.capsule -k 'program/noise*' --code file.capsule -o swapped.capsule
    expect 'where all varies there is no other code' 2 'noise@1,32 varies completely from replay to replay'
    captured -- "$program" memory noise-beside
    ask "$cugate" swap file.capsule -k 'program/noise*' --code file.capsule -o swapped.capsule
    expect 'what lies beside what varies is compared' 0 '11.8 % of the result varies and is not compared'
fi

# ---- Replays that go wrong cost one capsule

program 'memory hidden' 5 '3 kernels: 2 replayed bit for bit' \
    'program/hidden@1,256 is refused: its replay fails: waiting for the launch: an illegal memory access was encountered (700)'
program 'memory hidden-near' 5 '3 kernels: 2 replayed bit for bit' \
    "program/hidden@1,256 is refused: a replay does not reproduce the program's launch"
program 'memory hidden-crash' 5 '3 kernels: 2 replayed bit for bit' \
    'program/hidden@1,256 is refused: its process died during the replay: Aborted (signal 6)'
options='--timeout 1' program 'memory hidden-hang' 5 '3 kernels: 2 replayed bit for bit' \
    'program/hidden@1,256 is refused: its replay did not finish within 1 s'
options='-k program/tiny*' program 'plain' 5 'NO FILE' 'tiny@1,32 is refused' 'no kernel can be replayed: file.capsule was not written'

# ---- Programs that do not end well

nothing='; a program that fails is not captured'
program 'exit3' 5 'NO FILE' "exited with code 3$nothing"
program 'crash' 5 'NO FILE' "exited with code 139$nothing"
program 'illegal' 5 'NO FILE' "exited with code 1$nothing"
program 'sigkill-at-once' 5 'NO FILE' "exited with code 137$nothing"
options='--timeout 1' endless=1 program 'hang' 5 'NO FILE' 'did not finish within 1 s; raise the limit with --timeout'
program 'none' 5 'NO FILE' 'did not use a GPU, so there is nothing to capture'
program 'start' 5 'NO FILE' 'used a GPU but launched nothing on it, so there is nothing to capture'
program '_exit 23' 5 '8 kernels: 7 replayed' '1 of 1' 'exited without cleanup (_exit or a signal)' 'their launches could not be counted'
program 'quick_exit' 5 '8 kernels: 7 replayed' '2 of 3' '!without a word'
if chosen 'second'; then
    # Runs that differ from each other.
    captured -- sh -c "[ -e once ] || exec \"$program\" plain 48 2>once; exit 7"
    expect 'the second run fails' 5 'NO FILE' "exited with code 7 when it ran again$nothing" '!WRONG'
    rm -f once
    captured -- sh -c "[ -e once ] || { : >once; exec \"$program\" plain 48; }; exec \"$program\" plain 9"
    expect 'the second run launches less' 5 'sh/add_one@64,256 is not captured: the second run did not launch it as often' \
        'no launch of the program could be captured'
    rm -f once
    captured -- sh -c "[ -e once ] || { : >once; exec \"$program\" plain 1; }; exec \"$program\" plain 48"
    expect 'the second run launches more' 5 '1 kernel: 1 replayed' 'is not captured: only the second run launched it' '!WRONG'
    captured -- "$program-not"
    expect 'there is no such program' 2 'cannot run' 'NO FILE' '!WRONG'
fi

# ---- What a check found worse

# judged LABEL CODE NAME [ARGUMENT]... -- WORDS...: a check of the program by the baseline, with a report.
judged() {
    local words rest
    until_dashes "${@:3}"
    ask_standin "$cugate" check --metrics "$metrics" --baselines "${base-plain}" --report json=report.json -- "$program" "${words[@]}"
    expect "check: $1" "$2" "${rest[@]}"
}
if chosen 'check'; then
    for name in plain restless; do
        ask_standin "$cugate" aa --metrics "$metrics" --save "sessions-$name" -- "$program" "$name"
        ask "$cugate" accept sessions-"$name"/*.json --baselines "$name" --reason first
    done
    judged 'the kernel that is worse is named' 1 changed 48 -- \
        "next: to work on the regressed kernels without the program, capture their launches: cugate capture -k program/add_one@64,256 -o worse.capsule -- $program changed 48"
    # What was offered is done as it stands there.
    unbroken said | grep -o 'cugate capture -k.*' | sed "s|^cugate|'$cugate'|" >offered
    ask_standin bash offered
    mv worse.capsule file.capsule
    "$cugate" list --kernels file.capsule >>said
    expect 'check: and captured' 0 '1 kernel: 1 replayed' 'program/add_one@64,256' 'worse.capsule contains the program'
    captured --from-check report.json -- "$program" changed 48
    expect 'check: the report chooses' 0 '1 kernel: 1 replayed' 'program/add_one@64,256' '!WRONG'
    captured --from-check report.json -k 'program/large*' -- "$program" changed 48
    expect 'check: beside -k' 0 '2 kernels: 2 replayed' 'program/add_one@64,256' 'program/large@1024,256' '!WRONG'
    captured --from-check report.json -- "$program" long-first
    expect 'check: of another program' 2 'no kernel that the program launched matches' 'NO FILE' '!WRONG'
    # shellcheck disable=SC2016 # a command, as the report quotes it
    judged 'of many the report is read' 1 plain 96 -- 'cugate capture --from-check REPORT.json -o worse.capsule -- ' \
        '(`check --report json=REPORT.json` writes the file)'
    captured --from-check report.json -- "$program" plain 96
    expect 'check: the report chooses many' 5 '8 kernels: 7 replayed' 'tiny@1,32 is refused' '!WRONG'
    base=restless judged 'what made the program slower' 1 data -- 'regressed gpu_time 270 us 400 us' \
        'cugate capture -k program/add_value@64,256 -o worse.capsule'
    captured --from-check report.json -- "$program" data
    expect 'check: it is chosen' 0 '1 kernel: 1 replayed' 'program/add_value@64,256' '!WRONG'
    judged 'nothing is worse' 0 plain -- '!cugate capture'
    rm -f ran
    captured --from-check report.json -- touch ran
    [ ! -e ran ] || echo 'WRONG: it ran' >>said
    expect 'check: a report without anything worse' 2 'report.json has no worse kernels' 'NO FILE' '!WRONG'
    captured --from-check "$(printf '%s\n' sessions-plain/*.json | head -1)" -- "$program" plain
    expect 'check: a run file is no report' 2 'judgements: is missing; it must be a list, as' 'NO FILE'
    captured --from-check nowhere.json -- "$program" plain
    expect 'check: no report' 2 'cannot read nowhere.json' 'NO FILE'
fi

# ---- Input and counters

if chosen 'input'; then
    rm -f seen
    echo 'told to both' >words
    input=words captured -- sh -c "cat >>seen; exec \"$program\" plain 8"
    cat seen >>said
    [ "$(grep -c 'told to both' seen)" = 2 ] || echo 'DIFFERS: not told twice' >>said
    expect 'both runs read the input' 5 '7 replayed' '!DIFFERS' '!WRONG'
    rm -f log
    STANDIN_LOG=log captured -- "$program" plain 48
    [ ! -e log ] || echo "WRONG: $(cat log)" >>said
    expect 'no counters are opened' 5 '7 replayed' '!WRONG'
    STANDIN_LOG=log ask_standin "$cugate" run --metrics "$metrics" -- "$program" plain 48
    [ -e log ] || echo 'WRONG: no log' >>said
    expect 'where counting opens them' 0 '!WRONG'
fi

# ---- Places that cannot be written

if chosen 'places'; then
    rm -f ran
    for place in nowhere/file.capsule tmp -; do
        ask_standin "$cugate" capture -o "$place" -- sh -c "touch ran; exec \"$program\" plain 8"
        [ ! -e ran ] || echo 'WRONG: it ran' >>said
        expect "places: $place" 2 'error' '!WRONG'
    done
    ask_standin "$cugate" capture -- "$program" plain 8
    expect 'places: none' 2 'no output file: add -o FILE.capsule before '
    echo before >file.capsule
    begin_captured -- "$program" exit3 && end_captured 2>/dev/null
    [ "$(cat file.capsule)" = before ] || echo 'WRONG: changed' >>said
    expect 'places: what is there stays when nothing is captured' 5 '!WRONG'
    ask_standin env "TMPDIR=$work/nowhere" "$cugate" capture -o file.capsule -- "$program" plain 8
    expect 'places: no TMPDIR' 2 "cannot create a temporary folder $work/nowhere/cugate-" 'set TMPDIR to another folder'
    # As on a full disk. What the program itself writes is small.
    full() {
        (
            trap '' XFSZ
            ulimit -f "$1"
            captured -- "$program" memory filled
            exit "$code"
        ) 2>/dev/null
        code=$?
        expect "places: a disk that is full at $1 kB" 5 'set TMPDIR to another folder' 'NO FILE' '!WRONG' '!several' "${@:2}"
    }
    full 64 'cannot write' 'File too large'
    full 16 'machine code is unknown: 1 module of the program could not be kept below' # of 55 kB
fi

# ---- Ctrl-C

# interrupted LABEL SIGNAL WHEN COMMAND...: sends it to cugate when the file WHEN is there, and a little later, so that the
# program waits. Before, the outcome is the same.
interrupted() {
    local label=$1 signal=$2 when=$3 tries=0
    shift 3
    chosen "$label" || return
    rm -f file.capsule
    begin_captured -- "$@"
    until [ -e "$when" ] || [ $((tries += 1)) -gt 1000 ]; do
        sleep 0.01
    done
    sleep 0.1
    kill "-$signal" "$(child $cugate_pid)" # timeout's child is cugate
    { end_captured; } 2>/dev/null
    expect "$label" 130 'NO FILE' '!WRONG' '!contains the program'
    rm -f first second replaying
}
waits="$program sigterm" # until a signal ends it
interrupted 'Ctrl-C in the first run' INT first sh -c "touch first; exec $waits"
interrupted 'Ctrl-C in the second run' INT second \
    sh -c "[ -e first ] && { touch second; exec $waits; }; touch first; exec $program plain"
interrupted 'SIGTERM in the second run' TERM second \
    sh -c "[ -e first ] && { touch second; exec $waits; }; touch first; exec $program plain"
# The second run ends, and then a replay does not.
interrupted 'Ctrl-C while replaying' INT replaying \
    sh -c "[ -e first ] && { $program memory hidden-hang; touch replaying; exit; }; touch first; exec $program memory hidden-hang"
# LeakSanitizer hangs at a second signal, which timeout sends.
if chosen 'Ctrl-C of a terminal'; then # which all processes get
    rm -f file.capsule
    ask "${standing_in[@]}" timeout --preserve-status -s INT 1 env --default-signal=INT \
        ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "$cugate" capture \
        --metrics "$metrics" -o file.capsule -- "$program" memory hidden-hang
    { [ ! -e file.capsule ] && [ -z "$(ls tmp)" ]; } || echo 'WRONG: a file is left' >>said
    expect 'Ctrl-C of a terminal while replaying' 130 'running the program again' '!WRONG'
fi

summary
