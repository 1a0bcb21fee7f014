# shellcheck shell=bash disable=SC2034,SC2154,SC2016
# Ways around the measuring: what a library can do to the process that runs it. Sourced by run.sh.

# unruly WHEN WHAT: a library that does WHAT at LOAD, LAUNCH or CLOSE, see unruly.c.
unruly() {
    library unruly "$here/unruly.c" "-DAT_$1=$2"
}

# The same with the machine code of the catalogue, which --static reads.
unruly_code() {
    objcopy -O binary --only-section=.nv_fatbin "$top/build/libkernels.so" code.fatbin
    library unruly "$here/unruly.c" "-DAT_$1=$2" -DMACHINE_CODE='"code.fatbin"'
}

ours='--kernels ./unruly.so'
static="check --static=nvidia-h200 $H200 $ours"

# ---- Nothing of a library runs in the process that reports.

exits() { unruly_code LOAD '_exit(0)'; }
way 'a library that exits when it is loaded: check --static' exits 5 '"$cugate" $static' \
    'the process that loads ./unruly.so exited before it listed the kernels: it exited with code 0'
way 'a library that exits when it is loaded: list' exits 5 '"$cugate" list $ours' 'it exited with code 0'
way 'a library that exits when it is loaded: explain' exits 5 '"$cugate" explain first/one $HOST $ours' 'it exited with code 0'
way 'a library that exits when it is loaded: doctor' exits 5 '"$cugate" doctor $HOST $ours' 'it exited with code 0' \
    'this machine cannot measure'

way 'a library that crashes when it is loaded' "unruly LOAD 'raise(SIGKILL)'" 5 '"$cugate" list $ours' '(signal 9)'
way 'a library that is never loaded' "unruly_code LOAD 'pause()'" 5 'timeout 9 "$cugate" $static --timeout 0.5' \
    'was not loaded within 0.5 s'
prints() { unruly LOAD 'puts("a forged line"); fflush(stdout)'; }
way 'a library that prints when it is loaded' prints 0 '"$cugate" list $ours 2>/dev/null' 'first/one' '!forged'
forges_list() { unruly LOAD 'say(76, "kernel first/one\n\nkernel")'; }
way 'a library that lists its kernels with its own hand' forges_list 5 '"$cugate" list $ours' \
    'sends invalid data'

# ---- A worker is believed only what a worker says then; what it does costs the kernel that ran, and no other.

believed='"$cugate" run $HOST $ours'
out_of_turn='the process that ran it sent unexpected data'
two_is_lost=("$out_of_turn" 'first/one' 'last/three' 'measured: 2 of 3 kernels')

ends() { unruly LAUNCH 'say(69, "")'; }
way 'an end in the middle' ends 5 "$believed" "${two_is_lost[@]}"
ends_later() { unruly CLOSE 'say(69, "")'; }
way 'an end between two kernels' ends_later 5 "$believed" "${two_is_lost[@]}"
invents() { unruly LAUNCH 'say(90, "what?")'; }
way 'a message of no kind' invents 5 "$believed" "${two_is_lost[@]}" '!bug'
claims() { unruly LAUNCH 'say_cut(82, 0xfffffff0, "{")'; }
way 'a message of 4 GB' claims 5 "$believed" "${two_is_lost[@]}"
hides() { unruly LAUNCH 'say_cut(83, 4, "")'; }
way 'a message that swallows the next one' hides 5 "$believed" "${two_is_lost[@]}"
restarts() { unruly LAUNCH 'say(83, "first/two")'; }
way 'a kernel that begins twice' restarts 5 "$believed" "${two_is_lost[@]}"
way 'a library that takes what the parent says' "unruly LAUNCH 'steal()'" 5 'timeout 60 "$cugate" run $HOST --timeout 2 $ours' 'first/one' \
    'hung' 'no result within 2 s'
hurries() { unruly LAUNCH 'say(83, "last/three")'; }
way 'a kernel of another family that begins too soon' hurries 5 "$believed" "${two_is_lost[@]}"
gives_up() { unruly LAUNCH 'say(88, "an invented reason")'; }
way 'one that is given up without a batch' gives_up 5 "$believed" "${two_is_lost[@]}" '!invented'
speaks_for_three() {
    unruly LAUNCH 'say(82, "{\"last/three\": {\"status\": \"ok\", \"bytes\": 8, \"flops\": 0, \"metrics\": {}}}")'
}
way 'the result of a kernel that has not begun' speaks_for_three 5 "$believed" "${two_is_lost[@]}"
many_sessions() {
    unruly LAUNCH 'say(82, "{\"first/two\": {\"status\": \"ok\", \"bytes\": 8, \"flops\": 0, \"metrics\": {\"wall_time\": {\"sessions\": [[1], [1], [1]]}}}}")'
}
way 'a result of many sessions' many_sessions 5 "$believed" "${two_is_lost[@]}"
no_such_session() {
    unruly LAUNCH 'say(82, "{\"first/two\": {\"status\": \"ok\", \"bytes\": 8, \"flops\": 0, \"metrics\": {\"wall_time\": {\"sessions\": [[1]], \"from\": [7]}}}}")'
}
way 'a result of a session that is not there' no_such_session 5 "$believed" "${two_is_lost[@]}"
fails() { unruly LAUNCH 'say(70, "no GPU")'; }
way 'nothing can be measured, says a kernel' fails 5 "$believed" "${two_is_lost[@]}" '!no GPU'
disowns() { unruly LAUNCH 'say(85, "no library")'; }
way 'there is no library, says a kernel' disowns 5 "$believed" "${two_is_lost[@]}" '!no library'
is_other_gpu() { unruly LAUNCH 'say(68, "{}")'; }
way 'another GPU, says a kernel' is_other_gpu 5 "$believed" "${two_is_lost[@]}"
lists_one() { unruly LOAD 'say(75, "first/one\n")'; }
way 'a shorter list of kernels' lists_one 5 "$believed" \
    'cannot measure: before its first kernel, the worker sent unexpected data'
forges_no_match() { unruly LOAD 'say(78, "x\ny\n")'; }
way 'no match, of no -k' forges_no_match 5 "$believed" 'before its first kernel, the worker sent unexpected data'

breaks_off() {
    library unruly "$here/unruly.c" '-DAT_LOAD=if (access("was_here", F_OK) == 0) _exit(0)' \
        '-DAT_LAUNCH=was_here(), raise(SIGKILL)'
}
way 'a library that cannot be loaded again after a crash' breaks_off 5 "$believed" \
    'first/one' 'crashed' 'not measured, because an earlier error stopped the run' 'last/three' 'measured: 1 of 3 kernels'

scribbles() { unruly LAUNCH 'scribble("a forged line")'; }
way 'a library that writes into our files' scribbles 0 "$believed"' --save run.json; code=$?; cat run.json; exit $code' \
    '"last/three"' '!forged'

# ---- Machine code alone: what is not launched there is told by its name, and nothing is passed over.

# judged [ID FUNCTION OCCUPANCY LOCAL]...: a library of first/one, first/two and last/three with the machine code of
# plain(float*), (anonymous namespace)::bounded(float const*, float*) and stacked(float const*, float*, int); and a
# baseline of these kernels that launch these functions.
judged() {
    local separator=''
    cp "$here/../fuzz/corpus/cubin/small.fatbin" code.fatbin
    library unruly "$here/unruly.c" -DMACHINE_CODE='"code.fatbin"' ${flag:+"$flag"}
    {
        echo '{"schema": 1, "device": {"name": "Some GPU", "sm_count": 8, "compute_capability": "9.0",'
        echo '"memory_bytes": 1, "ecc": true, "mig": false},'
        echo '"sessions": [{"date": "2026-11-21T08:00:00.000Z", "collector": "cupti", "compiler": "cc", "flags": ""}],'
        echo '"metrics": {"local_memory": {"counter": "cugate.local_bytes", "unit": "B"},'
        echo '"theoretical_occupancy": {"counter": "cugate.theoretical_occupancy", "unit": "%"}},'
        echo '"kernels": {'
        while [ $# -gt 0 ]; do
            echo "$separator\"$1\": {\"status\": \"ok\", \"bytes\": 8, \"flops\": 0, \"launches\": [{\"function\": \"$2\","
            echo '"code": "0123456789abcdef0123456789abcdef", "grid": [8, 1, 1], "block": [256, 1, 1], "shared": 0, "times": 1}],'
            echo "\"metrics\": {\"local_memory\": {\"sessions\": [[$4]]}, \"theoretical_occupancy\": {\"sessions\": [[$3]]}}}"
            separator=','
            shift 4
        done
        echo '}}'
    } >run.json
    "$cugate" accept --metrics "$top/metrics" run.json --reason 'made up'
}
one=(first/one 'plain(float*)' 100 0)
two=(first/two '(anonymous namespace)::bounded(float const*, float*)' 100 0)
three=(last/three 'stacked(float const*, float*, int)' 100 96)
code='"$cugate" check --static --metrics "$top/metrics" $ours'

way 'a kernel that the baseline lacks: check --static' 'judged "${one[@]}" "${two[@]}"' 0 "$code" 'new' 'last/three' \
    'block sizes and occupancy need a run' 'stacked(float const*, float*, int) uses 32' '96 B of local' '; 1 new' \
    '7 rows in 3 kernels' 'for the block sizes of the baseline'
removes() { judged "${one[@]}" "${two[@]}" "${three[@]}" first/four "${one[@]:1}"; }
way 'a kernel that is gone, and its function is not' removes 5 "$code" 'missing' 'first/four' 'not in this run'
leaves_out() { flag=-DNOT_BUILT judged "${one[@]}" "${two[@]}" "${three[@]}"; }
way 'a kernel that was not built, and its function was' leaves_out 5 "$code" 'first/two' 'two.h was not found'
signs() { judged first/one 'plain(float*, int)' 100 0 "${two[@]}" "${three[@]}"; }
way 'a function of another signature' signs 0 "$code" 'nothing is worse: 9 rows in 3 kernels' \
    'first/one: plain(float*, int) -> plain(float*)'
signs_and_spills() { judged "${one[@]}" "${two[@]}" last/three 'stacked(float*)' 100 0; }
way 'a function of another signature that spills' signs_and_spills 1 "$code" 'regressed' 'local_memory' \
    'stacked(float*) -> stacked(float const*, float*, int)'
renames() { judged "${one[@]}" "${two[@]}" last/three 'spread(float const*, float*, int)' 100 96; }
way 'a function of another name and other code is no pass' renames 3 "$code" 'unsure' 'function probably renamed' \
    'spread(float const*, float*, int) -> stacked(float const*, float*, int)'
signs_beside_a_new_one() { judged first/one 'plain(float*, int)' 100 0 "${two[@]}"; }
way 'nor one of another signature, beside a new kernel that may launch it' signs_beside_a_new_one 3 "$code" \
    'function probably renamed' 'plain(float*, int) -> plain(float*)'
