#!/usr/bin/env bash
# The tests that need a GPU. Prints "ok - ..." or "not ok - ...: why" for each and ends with "N passed, N failed". Exits
# 1 when one failed, 5 when there is no GPU. Builds nothing of the harness.
#
#   CUGATE=build/cugate tests/gpu/run.sh [PART]...    these parts, in this order; without any, all of them:
#
#     catalogue    cugate doctor; every kernel runs and gives the right result
#     calibration  a copy of known size shows its own bytes in the DRAM counters
#     laws         what must hold between the numbers of each kernel; the table is in laws.jq
#     lines        counts by source line add up to the hardware's
#     pinned       kernels that pin lines of the L2 (pinned.cu) change nothing for themselves and others
#     faults       kernels that fail in every way (faulty.cu) are reported as what they are and harm no other
#     gate         unchanged code passes the gate on this GPU, and code that got worse does not
#     memcheck     no kernel touches memory that is not its own, says compute-sanitizer
#     racecheck    no two threads race for shared memory, says compute-sanitizer
#
#   tests/gpu/run.sh --self-test RUN.json    needs no GPU: each law holds for this run and notices when it is broken
#
# Variables: RUN=RUN.json: calibration, laws and lines judge this run file, and then need no GPU themselves;
# KERNELS='reduce/* dot/*': what memcheck and racecheck look at; FAULTY=LIB.so, PINNED=LIB.so: faulty.cu
# and pinned.cu, already built; KEEP=DIR: where run files and logs are left.
set -uo pipefail

all_parts=(catalogue calibration laws lines known pinned faults gate memcheck racecheck)

# To add a fault: a row here, and one in faulty.cu. Name, status in the run file, what the reason must match.
faults='
good                |ok           |
illegal_address     |failed       |^kernel: .*illegal memory access
trap                |failed       |^kernel: .*(unspecified launch failure|illegal instruction)
trap_while_counting |failed       |unspecified launch failure|illegal instruction
infinite_loop       |hung         |^no result within 10 s
wrong_result        |wrong result |^out\[1048575\]: expected 1048575, found 1048574
bad_launch          |failed       |^launch: .*invalid (argument|configuration)
abort               |crashed      |signal 6
uneven              |failed       |must launch the same kernels every time
out_of_bounds       |ok           |
shared_race         |ok           |
good_after          |ok           |
'

here=$(cd "$(dirname "$0")" && pwd)
cugate=${CUGATE:-build/cugate}
library=$(dirname "$cugate")/libkernels.so # what cugate takes by itself
ulimit -c 0 # a core of a process with a GPU is slow to write and of no use here
export LC_ALL=C

# shellcheck source=tests/gpu/keep.sh
. "$here/keep.sh"

# expect NAME WANTED CODE LOG: judges an exit code; the reason is the log's last lines.
expect() {
    local why=
    [ "$3" -eq "$2" ] || why="exit code $3, not $2: $(grep -v '^$' "$4" | tail -3 | tr '\n' ';')"
    verdict "$1" "$why"
    [ -z "$why" ]
}

find_tool() {
    PATH=$PATH${CUDA_HOME:+:$CUDA_HOME/bin}:/usr/local/cuda/bin:$here/../../build/cuda/nvidia/cu13/bin command -v "$1"
}

# ---- The run of the whole catalogue ----------------------------------------------------------------------------------

run=${RUN-}

# Measures the catalogue once and names the file in $run; a part that needs it alone still gets it.
measure_catalogue() {
    [ -z "$run" ] || return 0
    local code=0 start=$SECONDS
    run=$work/run.json
    rm -f "$run"
    "$cugate" run --lines --save "$run" >"$work/run.log" 2>&1 || code=$?
    expect "catalogue: every kernel is measured, $((SECONDS - start)) s" 0 $code "$work/run.log"
    [ -s "$run" ]
}

part_catalogue() {
    local code=0 listed measured
    "$cugate" doctor >"$work/doctor.log" 2>&1 || code=$?
    expect "catalogue: cugate doctor" 0 $code "$work/doctor.log"
    measure_catalogue || return
    listed=$("$cugate" list | wc -l)
    measured=$(jq '[.kernels[] | select(.status | IN("ok", "not built"))] | length' "$run")
    [ "$listed" -eq "$measured" ] && code= || code="$measured of $listed"
    verdict "catalogue: all $listed kernels of the list are in the run, verified" "$code"
}

# ---- Laws ------------------------------------------------------------------------------------------------------------

exact_metrics() {
    awk '/^\[/ { name = substr($0, 2, length($0) - 2) } /^class *= *exact/ { print name }' "$here"/../../metrics/*.ini |
        jq -Rn '[inputs]'
}

# judge PART SELF_TEST: runs a table of laws.jq over $run.
unknown() { verdict 'a line of laws.jq' "$1"; }
judge() {
    verdicts "$1" "laws.jq cannot read $run" unknown \
        jq -r -f "$here/laws.jq" --arg part "$1" --argjson exact "$(exact_metrics)" --argjson self_test "$2" "$run"
}

part_calibration() { measure_catalogue && judge calibration false; }
part_laws() { measure_catalogue && judge laws false; }
part_lines() { measure_catalogue && judge lines false; }

# ---- Known counts ----------------------------------------------------------------------------------------------------

# A second check leaves the counts of instrumented code of all kernels but those of this day, unless it is to read all.
part_known() {
    measure_catalogue || return
    local code=0 all left wanted found why
    "$cugate" accept "$run" --baselines "$work/known" --reason 'as measured' >"$work/known.log" 2>&1 || code=$?
    expect "known: accept" 0 $code "$work/known.log"
    for all in '' --all; do
        "$cugate" check -k 'access/*' -k 'transpose/*' ${all:+"$all"} --baselines "$work/known" --explain 0 --format json \
            >"$work/known.json" 2>"$work/known.log" || true # of one session nothing else can be judged yet
        left=$(jq '[.judgements[] | select((.reason // "") | test("known since")) | .kernel] | unique | length' "$work/known.json")
        [ -n "$all" ] && wanted=none || wanted=some
        [ "$left" -eq 0 ] && found=none || found=some
        [ "$found" = "$wanted" ] && why='' || why="of $left kernels"
        verdict "known: check $all leaves the counts of $wanted" "$why"
        left=$(jq '[.judgements[] | select(.metric == "shared_bank_conflicts" and ((.reason // "") | test("known since")))] | length' \
            "$work/known.json")
        [ "$left" -eq 0 ] && found=none || found=some
        [ "$found" = "$wanted" ] && why='' || why="of $left kernels"
        verdict "known: check $all leaves the pass of bank conflicts of $wanted" "$why"
    done
}

# ---- Libraries of this folder ----------------------------------------------------------------------------------------

faulty=${FAULTY:+$(realpath -m "${FAULTY-}")}
pinned=${PINNED:+$(realpath -m "${PINNED-}")}

# build NAME: NAME.cu, unless $NAME names it already.
build() {
    local nvcc
    [ -z "${!1}" ] || return 0
    if ! nvcc=$(find_tool nvcc); then
        verdict "$1.cu is built" "nvcc was not found on the PATH or in CUDA_HOME; ${1^^}=LIB.so names a library"
        return 1
    fi
    if ! "$nvcc" -std=c++20 -O3 -lineinfo -arch=native -I"$here/../../harness" -Xcompiler -fPIC -shared \
        -o "$work/lib$1.so" "$here/$1.cu" >"$work/nvcc.log" 2>&1; then
        verdict "$1.cu is built" "$(tail -3 "$work/nvcc.log" | tr '\n' ';')"
        return 1
    fi
    printf -v "$1" %s "$work/lib$1.so"
}

# ---- Pinned lines ----------------------------------------------------------------------------------------------------

part_pinned() {
    local code=0 file=$work/pinned.json lines name why
    build pinned || return
    rm -f "$file"
    "$cugate" run --kernels "$pinned" --save "$file" >"$work/pinned.log" 2>&1 || code=$?
    expect "pinned: every kernel is measured" 0 $code "$work/pinned.log"
    [ -s "$file" ] || return
    jq -r 'def median: sort | .[length / 2 | floor];
        .kernels | to_entries[] | .key as $id | .value.metrics | [.dram_bytes_read, .l2_hit_rate, .time]
        | map(.sessions[0]? // [0] | median)
        | "  \($id): \(.[0] / 1048576 * 10 | round / 10) MiB from DRAM, \(.[1] * 10 | round / 10) % L2 hits, \(.[2] / 1000) us"' \
        "$file"
    if ! lines=$(jq -r '
        def read: .metrics.dram_bytes_read.sessions[0] // [] | sort | .[length / 2 | floor] // 0;
        .kernels | map_values(read) as $read
        | ["of 20 MiB an access policy window keeps at least 10 through a flush\t" +
            if $read["outlives/plain"] - $read["outlives/window"] > 10 * 1048576 then ""
            else "\($read["outlives/window"]) bytes are read, \($read["outlives/plain"]) without it" end],
          ($read | keys_unsorted - ["outlives/plain", "outlives/hint", "outlives/window"] | map(
            . as $id | "before/\(if endswith("/twice") then "twice" else "plain" end)" as $like
            | "\($id) reads what \($like) reads\t" +
              if $read[$id] > 0.97 * $read[$like] and $read[$id] < 1.03 * $read[$like] and $read[$like] > 15 * 1048576 then ""
              else "\($read[$id]) bytes, not \($read[$like])" end)) | .[]' "$file" 2>&1); then
        verdict pinned "jq cannot read $file: $lines"
        return
    fi
    while IFS=$'\t' read -r name why; do
        verdict "pinned: $name" "$why"
    done <<<"$lines"
}

# ---- Faults ----------------------------------------------------------------------------------------------------------

part_faults() {
    local code=0 file=$work/faults.json start name status words got reason why
    build faulty || return
    start=$SECONDS
    rm -f "$file"
    "$cugate" run --kernels "$faulty" --timeout 10 --save "$file" >"$work/faults.log" 2>&1 || code=$?
    expect "faults: a run with faults could not measure all, $((SECONDS - start)) s" 5 $code "$work/faults.log"
    [ -s "$file" ] || return
    while IFS='|' read -r name status words; do
        read -r name <<<"$name"
        read -r status <<<"$status"
        [ -n "$name" ] || continue
        IFS=$'\t' read -r got reason <<<"$(jq -r --arg id "faulty/$name" \
            '.kernels[$id] | [.status // "absent", .reason // ""] | @tsv' "$file")"
        why=
        [[ $got = "$status" && $reason =~ $words ]] || why="$got: '$reason', not $status: '$words'"
        verdict "faults: $name is reported as: $status" "$why"
    done <<<"$faults"
    why=$(jq -r --argjson exact "$(exact_metrics)" '
        .kernels["faulty/good"].metrics as $before | .kernels["faulty/good_after"].metrics as $after |
        # Bank conflicts are counted by lines, which nobody asked for here.
        [$exact[] | select($before[.] != null or $after[.] != null or . == "instructions")
            | select($before[.].sessions[0][0] == null or $before[.].sessions[0] != $after[.].sessions[0])
            | "\(.) \($before[.].sessions) and \($after[.].sessions)"] | join("; ")' "$file" 2>&1)
    verdict "faults: exact metrics after all faults are those before them" "$why"
}

# ---- The gate --------------------------------------------------------------------------------------------------------

moved() {
    jq -r '([.failures[] | "\(.kernel) \(.status): \(.reason)"] +
            [.judgements[] | select(.verdict | IN("regressed", "unsure", "missing"))
             | "\(.kernel) \(.metric) \(.verdict), \(.base) -> \(.now)"])[:8] | join("; ")' "$1" 2>&1
}

part_gate() {
    local code=0 log=$work/gate.log baselines=$work/baselines session why
    rm -rf "$baselines" "$work"/{planted,session_2.json,session_3.json,checked_report.json,planted.json}
    "$cugate" check -k 'hierarchy/*' --baselines "$work/none" >"$log" 2>&1 || code=$?
    expect "gate: without a baseline it does not pass" 4 $code "$log"

    measure_catalogue || return
    for session in 2 3; do
        code=0
        "$cugate" run --save "$work/session_$session.json" >"$log" 2>&1 || code=$?
        expect "gate: session $session is measured" 0 $code "$log" || return
    done
    code=0
    "$cugate" accept --baselines "$baselines" --reason "made by tests/gpu" "$run" "$work"/session_[23].json \
        >"$log" 2>&1 || code=$?
    expect "gate: three sessions are accepted" 0 $code "$log" || return
    code=0 why=
    # Three sessions do not know how times spread: turns with the same library settle what is in doubt.
    "$cugate" check --baselines "$baselines" --against "$library" --save "$work/checked.json" \
        --format json -o "$work/checked_report.json" >"$log" 2>&1 || code=$?
    [ $code -eq 0 ] || why="exit code $code: $(moved "$work/checked_report.json") $(tail -1 "$log")"
    verdict "gate: unchanged code passes" "$why"

    build faulty || return
    "$cugate" run -k faulty/good --kernels "$faulty" --save "$work/good.json" >"$log" 2>&1 &&
        "$cugate" accept --baselines "$work/planted" --reason "made by tests/gpu" "$work/good.json" >>"$log" 2>&1
    expect "gate: a sound kernel is accepted" 0 $? "$log" || return
    code=0 why=
    CUGATE_FAULTY=unpadded "$cugate" check -k faulty/good --kernels "$faulty" --baselines "$work/planted" \
        --format json -o "$work/planted.json" >"$log" 2>&1 || code=$?
    [ $code -eq 1 ] && [[ $(moved "$work/planted.json") == *"faulty/good shared_wavefronts regressed"* ]] ||
        why="exit code $code: $(moved "$work/planted.json")"
    verdict "gate: the same kernel without its pad is named, by shared_wavefronts" "$why"
}

# ---- compute-sanitizer -----------------------------------------------------------------------------------------------

# sanitize TOOL LOG OPTION...: cugate run under the tool; workers are children of cugate and are looked at too.
sanitize() {
    local tool=$1 log=$2
    shift 2
    rm -f "$log.json"
    "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 \
        "$cugate" run --collector host --samples 1 --timeout 600 --save "$log.json" "$@" </dev/null >"$log" 2>&1
}

# unclean CODE LOG: prints why a log is not that of a run without errors, or nothing.
unclean() {
    local complaints errors='Error|Invalid|Misaligned|Program hit|Internal Sanitizer|Target application'
    complaints=$(grep -E "^========= +($errors)" "$2" | head -3 | tr '\n' ';')
    if [ "$1" -ne 0 ] || [ -n "$complaints" ]; then
        echo "exit code $1: ${complaints:-$(tail -3 "$2" | tr '\n' ';')}"
    elif ! grep -q 'SUMMARY: ' "$2" || grep 'SUMMARY: ' "$2" | grep -qv 'SUMMARY: 0 '; then
        echo "summary: $(grep 'SUMMARY: ' "$2" | tr '\n' ';')"
    elif ! jq -e '[.kernels[].status] | length > 0 and all(IN("ok", "not built"))' "$2.json" >/dev/null; then
        echo "not every kernel was verified: see $2"
    fi
}

# Light kernels first, a family at a time; the matrix products, which racecheck slows most, one by one.
sanitizer_globs() {
    local slow='^(dgemm|sgemm)/' ids
    ids=$("$cugate" list | cut -d' ' -f1)
    if [ -n "${KERNELS-}" ]; then
        tr -s ' ' '\n' <<<"$KERNELS"
    else
        grep -vE "$slow" <<<"$ids" | cut -d/ -f1 | uniq | sed 's|$|/*|'
        grep -E "$slow" <<<"$ids"
    fi
}

# part_sanitizer TOOL FAULT WORDS: first the proof that the tool is attached to the workers: it finds the fault that
# only it can see, and nothing in the sound kernel. Then every kernel.
part_sanitizer() {
    local tool=$1 fault=$2 words=$3 log=$work/$1 code start glob name why
    if ! sanitizer=$(find_tool compute-sanitizer); then
        verdict "$tool" "compute-sanitizer was not found on the PATH or in CUDA_HOME"
        return
    fi
    build faulty || return
    code=0 why=
    sanitize "$tool" "$log.proof" --kernels "$faulty" -k "faulty/$fault" || code=$?
    if [ $code -eq 0 ] || ! grep -qE "$words" "$log.proof"; then
        why="exit code $code and no '$words': $(tail -3 "$log.proof" | tr '\n' ';')"
    fi
    verdict "$tool: finds the fault of faulty/$fault" "$why"
    code=0
    sanitize "$tool" "$log.sound" --kernels "$faulty" -k faulty/good || code=$?
    verdict "$tool: finds nothing in faulty/good" "$(unclean $code "$log.sound")"

    while read -r glob; do
        code=0 start=$SECONDS name=${glob%/\*}
        name=$log.${name//[^a-z0-9_]/.}
        sanitize "$tool" "$name" -k "$glob" || code=$?
        verdict "$tool: $glob, $((SECONDS - start)) s" "$(unclean $code "$name")"
    done < <(sanitizer_globs)
}

part_memcheck() { part_sanitizer memcheck out_of_bounds 'Invalid __global__ write of size 4'; }
part_racecheck() { part_sanitizer racecheck shared_race 'Race reported'; }

# ---- What to run -----------------------------------------------------------------------------------------------------

if [ "${1-}" = --self-test ]; then
    run=${2:?"error: --self-test needs a run file"}
    for part in calibration laws lines; do
        judge $part true
    done
else
    parts=("$@")
    [ $# -gt 0 ] || parts=("${all_parts[@]}")
    needs_gpu=
    for part in "${parts[@]}"; do
        case " ${all_parts[*]} " in
        *" $part "*) ;;
        *) echo "error: there is no part '$part': ${all_parts[*]}" >&2; exit 2 ;;
        esac
        case $part in
        calibration | laws | lines) [ -n "$run" ] || needs_gpu=yes ;;
        *) needs_gpu=yes ;;
        esac
    done
    if [ -n "$needs_gpu" ] && ! devices=$("$cugate" list gpus 2>&1); then
        printf '%s\nerror: these tests need a GPU, and nothing was tested\n' "$devices" >&2
        exit 5
    fi
    for part in "${parts[@]}"; do
        "part_$part"
    done
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
