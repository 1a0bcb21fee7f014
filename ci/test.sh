#!/usr/bin/env bash
# Runs what `make test` has built and ends with one line that sums it up: "N passed, N failed".
#
#   BUILD=build ci/test.sh                  unit tests, command lines, scripts, JUnit's schema, static facts, what is computed
#                                           without a GPU, what an H200 counted of it, libraries of users, faults in
#                                           memory, planted faults, what the READMEs say,
#                                           laws of a recorded run, what judges the figures of `exec`, ways round
#                                           the gate, a run in parts, fuzz corpora; and, but not with sanitizers, which
#                                           they do not concern, the reports, what is in ci/ for CI servers and Slurm,
#                                           what is installed, another repository's CI, and projects of others
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
# criterion NAME PROGRAM: unit tests.
criterion() {
    local log=$build/tests/$1.log pass fail crash leaks
    "$2" 2>&1 | tee "$log" || true
    read -r pass fail crash <<<"$(sed -n 's/^.*Synthesis: Tested: [0-9]* | //p' "$log" | tr -dc '0-9 ')"
    [ -n "$crash" ] || read -r pass fail crash <<<'0 1 0'
    # Criterion takes a test for passed before its process looks for leaks.
    leaks=$(grep -c 'ERROR: LeakSanitizer' "$log" || true)
    passed=$((passed + pass - leaks))
    failed=$((failed + fail + crash + leaks))
    [ $((fail + crash + leaks)) -eq 0 ] || failures_of "$log"
}

# script NAME COMMAND...: a script that ends with a line like that of this one.
script() {
    local log=$build/tests/$1.log
    shift
    CUGATE=$build/cugate "$@" 2>&1 | tee "$log" || true
    count_script "$log"
}

count_script() {
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

# Beside the others, since most parts take one core only: the tests of reports/, by pytest, with signals as a terminal's
# programs have them, which the jobs of a script have not; then the scripts that take longest.
beside=(packages action slurm)
begin_beside() {
    local name
    for name in reports "${beside[@]}"; do
        rm -f "$build/tests/$name.log" # what does not run has none
    done
    # shellcheck disable=SC2016 # for the inner shell
    CUGATE=$build/cugate setsid bash -c '
        logs=$1
        env --default-signal=INT build/python/bin/python -m pytest -q -rs -p no:cacheprovider reports/tests \
            >"$logs/reports.log" 2>&1
        for name in "${@:2}"; do "tests/scripts/$name.sh" >"$logs/$name.log" 2>&1; done' \
        bash "$build/tests" "${beside[@]}" &
    others=$!
    trap 'kill -- -$others 2>/dev/null || true' EXIT
}

end_beside() {
    local name
    wait "$others" || true
    trap - EXIT
    count_reports
    for name in "${beside[@]}"; do
        touch "$build/tests/$name.log"
        cat "$build/tests/$name.log"
        count_script "$build/tests/$name.log"
    done
}

count_reports() {
    local log=$build/tests/reports.log pass fail
    touch "$log"
    cat "$log"
    # "557 passed, 1 failed, 2 skipped, 1 error in 80 s", of which each may be missing.
    pass=$(tail -1 "$log" | sed -n 's/^\(.* \)\{0,1\}\([0-9]*\) passed.*/\2/p')
    fail=$(tail -1 "$log" | { grep -oE '[0-9]+ (failed|error)' || true; } | awk '{ sum += $1 } END { print sum + 0 }')
    [ -n "$pass" ] || fail=1 # nothing ran
    passed=$((passed + pass))
    failed=$((failed + fail))
    [ "$fail" -eq 0 ] || failures_of "$log"
}

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
    [ "$build" != build ] || begin_beside
    criterion unit "$build/tests/unit_tests"
    criterion standin_test "$build/tests/standin/standin_test"
    script standin tests/scripts/standin.sh
    script measuring_cupti tests/scripts/measuring.sh
    script seats tests/scripts/seats.sh
    script exec tests/scripts/exec.sh
    script exec_recorded tests/scripts/exec_recorded.sh
    script cli tests/cli/run.sh
    script terminal tests/scripts/terminal.sh
    script junit tests/scripts/junit.sh
    script merge tests/scripts/merge.sh
    script shards tests/scripts/shards.sh
    script check_perf tests/scripts/check_perf.sh
    script two_models tests/scripts/two_models.sh
    script record_baseline tests/scripts/record_baseline.sh
    script readme tests/scripts/readme.sh
    script static tests/scripts/static.sh
    script simulate tests/scripts/simulate.sh
    script own tests/scripts/own.sh
    script bisect tests/scripts/bisect.sh
    script recorded tests/sim/recorded.sh
    script faults tests/sim/faults.sh
    script static_files tests/scripts/static_files.sh
    script planted tests/scripts/planted.sh
    script laws tests/gpu/run.sh --self-test tests/data/recorded-nvidia-h200.json
    script exec_figures tests/gpu/exec.sh --self-test
    # shellcheck disable=SC2046 # words
    script ways_round tests/ways_round/run.sh $([ "$build" = build ] || echo "$harness_areas")
    if [ "$build" = build ]; then
        script gate tests/scripts/gate.sh
        script ci_templates tests/scripts/ci_templates.sh
        script rooms tests/scripts/rooms.sh
        script outside tests/outside/run.sh
        end_beside
    fi
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        fuzz_target "$name" "$build/fuzz/$name" "tests/fuzz/corpus/${name#fuzz_}"
    done
fi

sed '/^$/d' <<<"$failures"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
