#!/usr/bin/env bash
# Runs what `make test` has built and ends with one line that sums it up: "N passed, N failed".
#
#   BUILD=build ci/test.sh                  unit tests, command lines, scripts, JUnit's schema, static facts, what is computed
#                                           without a GPU, what an H200 counted of it, its arithmetic against the
#                                           CPU's, libraries of users, faults in memory, planted faults, what the READMEs say,
#                                           laws of a recorded run, what judges the figures of `exec`, ways round
#                                           the gate, a run in parts, fuzz corpora; and, but not with sanitizers, which
#                                           they do not concern, the reports, what is in ci/ for CI servers and Slurm,
#                                           what Python takes, what is installed, another repository's CI, and projects of others
#   BUILD=build/libfuzzer ci/test.sh --fuzz N    libFuzzer, N seconds a target, starting from the corpora
set -euo pipefail

build=${BUILD:-build}
# Of the ways round the gate, those that sanitizers concern.
harness_areas='judging measuring definitions laws hostile scale parts'
passed=0
failed=0
failures='' # a line each, told once more at the end: what one sees of a log is often its last lines

# Every part is run to its end, whatever came of those before; but Ctrl-C ends them all.
trap 'exit 130' INT
trap 'exit 143' TERM

# failures_of LOG: the lines of LOG that tell of a failed test, by any of the runners.
failures_of() {
    failures+=$(grep -aE '^(not ok|FAILED:)|^\[(FAIL|CRASH)\]|ERROR: LeakSanitizer|^(FAILED|ERROR) reports/' "$1" |
        sed "s/^/$(basename "$1" .log): /" || true)$'\n'
}

# A part that ends without its summary has failed.
count_criterion() { # LOG: of unit tests
    local log=$1 pass fail crash leaks
    read -r pass fail crash <<<"$(sed -n 's/^.*Synthesis: Tested: [0-9]* | //p' "$log" | tr -dc '0-9 ')"
    [ -n "$crash" ] || read -r pass fail crash <<<'0 1 0'
    # Criterion takes a test for passed before its process looks for leaks.
    leaks=$(grep -c 'ERROR: LeakSanitizer' "$log" || true)
    passed=$((passed + pass - leaks))
    failed=$((failed + fail + crash + leaks))
    [ $((fail + crash + leaks)) -eq 0 ] || failures_of "$log"
}

count_script() { # LOG: of a script that ends with a line like that of this one
    local log=$1 pass fail
    read -r pass fail <<<"$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")"
    [ -n "$fail" ] || {
        read -r pass fail <<<'0 1'
        failures+="$(basename "$log" .log): ended without its summary"$'\n'
    }
    passed=$((passed + pass))
    failed=$((failed + fail))
    [ "$fail" -eq 0 ] || failures_of "$log"
}

count_reports() { # LOG: of pytest
    local log=$1 pass fail
    # "557 passed, 1 failed, 2 skipped, 1 error in 80 s", of which each may be missing.
    pass=$(tail -1 "$log" | sed -n 's/^\(.* \)\{0,1\}\([0-9]*\) passed.*/\2/p')
    fail=$(tail -1 "$log" | { grep -oE '[0-9]+ (failed|error)' || true; } | awk '{ sum += $1 } END { print sum + 0 }')
    [ -n "$pass" ] || fail=1 # nothing ran
    passed=$((passed + pass))
    failed=$((failed + fail))
    [ "$fail" -eq 0 ] || failures_of "$log"
}

# Parts run beside each other, each into a log that is shown when it ends: one more at a time than there are cores, since
# some of them wait for others. Signals are as a terminal's programs have them, which the jobs of a script have not.
running=() # by process
part() { # KIND NAME COMMAND...: KIND of the functions above that count
    local kind=$1 name=$2
    shift 2
    [ ${#running[@]} -le "$(nproc)" ] || end_part
    CUGATE=$build/cugate setsid env --default-signal=INT "$@" >"$build/tests/$name.log" 2>&1 &
    running[$!]="$kind $name"
}
script() { # NAME COMMAND...
    part script "$@"
}

end_part() { # waits for one
    local ended='' process kind name
    while true; do
        for process in "${!running[@]}"; do
            kill -0 "$process" 2>/dev/null || ended=$process
        done
        [ -z "$ended" ] || break
        wait -n || true # for any: bash may tell of one twice, or not at all when it ended before
    done
    read -r kind name <<<"${running[ended]}"
    unset "running[ended]"
    echo "---- $name"
    cat "$build/tests/$name.log"
    "count_$kind" "$build/tests/$name.log"
}

end_parts() {
    while [ ${#running[@]} -gt 0 ]; do
        end_part
    done
}

stop_parts() {
    local process
    for process in "${!running[@]}"; do
        kill -- "-$process" || true
    done 2>/dev/null
}
trap stop_parts EXIT

# fuzz_target NAME COMMAND...: one test a target; its output is shown only when it fails.
fuzz_target() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "fuzz: $name: passed"
        passed=$((passed + 1))
    else
        printf '%s\nfuzz: %s: failed\n' "$(tail -40 <<<"$output")" "$name"
        failed=$((failed + 1))
        failures+="fuzz: $name"$'\n'
    fi
}

if [ "${1-}" = --fuzz ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        mkdir -p "$build/corpus/$name" # finds go here, not into the tree
        fuzz_target "$name" "$build/fuzz/$name" -max_total_time="$2" -artifact_prefix="$build/$name-" \
            "$build/corpus/$name" "tests/fuzz/corpus/${name#fuzz_}"
    done
else
    rm -f "$build"/tests/*.log # what does not run has none
    # Those that take longest come first, so that none is left to run alone. Those that install from this tree, for which
    # it makes the manual page, do so one after the other.
    if [ "$build" = build ]; then
        # The reports in two halves: in the second is all that is not in the first, so that a new file is in one.
        reports_first=(reports/tests/test_{pages_in_browser,site,main,changes}.py)
        pytest='build/python/bin/python -I -m pytest -q -rs -p no:cacheprovider'
        # shellcheck disable=SC2086 # words
        part reports reports_pages $pytest "${reports_first[@]}"
        # shellcheck disable=SC2086
        part reports reports $pytest reports/tests "${reports_first[@]/#/--ignore=}"
        script slurm tests/scripts/slurm.sh
    fi
    # shellcheck disable=SC2046 # words
    script ways_round tests/ways_round/run.sh $([ "$build" = build ] || echo "$harness_areas")
    script simulate tests/scripts/simulate.sh
    if [ "$build" = build ]; then
        script gate tests/scripts/gate.sh
        script packages flock "$build/tests/install.lock" tests/scripts/packages.sh
    fi
    script recorded tests/sim/recorded.sh
    script oracle env "GENERATOR=$build/tests/random_kernels" tests/sim/oracle.sh
    script own tests/scripts/own.sh
    part criterion unit "$build/tests/unit_tests"
    script static tests/scripts/static.sh
    if [ "$build" = build ]; then
        script ci_templates tests/scripts/ci_templates.sh
        script outside flock "$build/tests/install.lock" tests/outside/run.sh
        script action flock "$build/tests/install.lock" tests/scripts/action.sh
        script rooms tests/scripts/rooms.sh
        script python tests/scripts/python.sh
    fi
    script exec tests/scripts/exec.sh
    script cli tests/cli/run.sh
    script bisect tests/scripts/bisect.sh
    script seats tests/scripts/seats.sh
    script readme tests/scripts/readme.sh
    script static_files tests/scripts/static_files.sh
    script shards tests/scripts/shards.sh
    script measuring_cupti tests/scripts/measuring.sh
    script faults tests/sim/faults.sh
    script two_models tests/scripts/two_models.sh
    script exec_recorded tests/scripts/exec_recorded.sh
    script terminal tests/scripts/terminal.sh
    script planted tests/scripts/planted.sh
    script check_perf tests/scripts/check_perf.sh
    script standin tests/scripts/standin.sh
    script laws tests/gpu/run.sh --self-test tests/data/recorded-nvidia-h200.json
    part criterion standin_test "$build/tests/standin/standin_test"
    script record_baseline tests/scripts/record_baseline.sh
    script merge tests/scripts/merge.sh
    script junit tests/scripts/junit.sh
    script exec_figures tests/gpu/exec.sh --self-test
    end_parts
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        fuzz_target "$name" "$build/fuzz/$name" "tests/fuzz/corpus/${name#fuzz_}"
    done
fi

sed '/^$/d' <<<"$failures"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
