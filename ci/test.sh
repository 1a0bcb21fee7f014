#!/usr/bin/env bash
# Runs what `make test` has built and ends with one line that sums it up: "N passed, N failed".
#
#   BUILD=build ci/test.sh              runs the parts of the table below that the build takes: plain, or with sanitizers
#   BUILD=build ci/test.sh --install    runs those of `make test-install`
#   BUILD=build ci/test.sh --corpora    runs the fuzz targets on their corpora alone
#   BUILD=build/libfuzzer ci/test.sh --fuzz N    runs libFuzzer, N seconds a target, starting from the corpora
#
# Before that line it prints what each part took: seconds of CPU, of its children too, and seconds of wall time.
set -euo pipefail

build=${BUILD:-build}
# What nvdisasm says of a function is kept by the hash of its code: one cache serves all parts and builds. That it is made
# and used rightly is tested by tests/sim/faults.sh, with one of its own.
export XDG_CACHE_HOME=$PWD/build/tests/cache
# The reports are tested in two halves: the second has all that the first has not, so that a new file is in one of them.
reports_first=(reports/tests/test_{site,main,changes}.py)
browser=reports/tests/test_pages_in_browser.py
years=(reports/tests/test_{change_rates,bench_pages}.py) # of nights
pytest='build/python/bin/python -I -m pytest -q -rs -p no:cacheprovider'

# To add a part: a row. Rows that take longest come first, so that none of them is left to run alone.
# The pass is one of these:
#   both        `make test` and `make SAN=... test` run the part: each of them can find what the other cannot
#   plain       only `make test` runs it: sanitizers would find nothing more, since it tests scripts, Python or counts
#   install     `make test-install` runs it: it tests packages, projects of others, a cluster, pages in a browser, or years of nights
# The kind says how its log is counted: by one of the functions count_* below.
# kind     name             pass     command
table="
reports    reports          plain    $pytest reports/tests ${reports_first[*]/#/--ignore=} --ignore=$browser ${years[*]/#/--ignore=}
reports    reports_pages    plain    $pytest ${reports_first[*]}
script     gate             plain    tests/scripts/gate.sh
criterion  unit             both     $build/tests/unit_tests
script     ways_round       both     tests/ways_round/run.sh !ci !reports
script     recorded         both     tests/sim/recorded.sh
script     scripts_round    plain    tests/ways_round/run.sh ci reports
script     rooms            plain    tests/scripts/rooms.sh
script     exec             both     tests/scripts/exec.sh
script     ci_templates     plain    tests/scripts/ci_templates.sh
script     seats            both     tests/scripts/seats.sh
script     cli              both     tests/cli/run.sh
script     simulate         plain    tests/scripts/simulate.sh
script     readme           plain    tests/scripts/readme.sh
script     measuring_cupti  both     tests/scripts/measuring.sh
script     shards           plain    tests/scripts/shards.sh
script     bisect           both     tests/scripts/bisect.sh
script     own              both     tests/scripts/own.sh
script     exec_recorded    both     tests/scripts/exec_recorded.sh
script     terminal         both     tests/scripts/terminal.sh
script     programs_recorded both    tests/scripts/programs_recorded.sh
script     upgrades         both     tests/scripts/upgrades.sh
script     faults           both     tests/sim/faults.sh
script     hazards          both     tests/sim/hazards.sh
script     runtime          plain    tests/sim/runtime.sh
script     planted          both     tests/scripts/planted.sh
script     check_perf       plain    tests/scripts/check_perf.sh
script     simulate_own     both     tests/scripts/simulate_own.sh
script     timeless         both     tests/scripts/timeless.sh
script     capture          both     tests/scripts/capture.sh
script     capsule          both     env MADE_CAPSULES=$build/tests/made_capsules tests/scripts/capsule.sh
script     swap             both     env MADE_CAPSULES=$build/tests/made_capsules tests/scripts/swap.sh
script     oracle           both     env GENERATOR=$build/tests/random_kernels tests/sim/oracle.sh
script     two_models       both     tests/scripts/two_models.sh
script     static           both     tests/scripts/static.sh
script     static_files     both     tests/scripts/static_files.sh
script     standin          both     tests/scripts/standin.sh
script     laws             plain    tests/gpu/run.sh --self-test tests/data/recorded-nvidia-h200.json
criterion  standin_test     both     $build/tests/standin/standin_test
script     record_baseline  plain    tests/scripts/record_baseline.sh
script     merge            both     tests/scripts/merge.sh
script     junit            install    tests/scripts/junit.sh
script     exec_figures     plain    tests/gpu/exec.sh --self-test
script     fuzz             both     env BUILD=$build ci/test.sh --corpora
script     slurm            install  tests/scripts/slurm.sh
reports    years            install  $pytest ${years[*]}
script     packages         install  flock $build/tests/install.lock tests/scripts/packages.sh
script     outside          install  flock $build/tests/install.lock tests/outside/run.sh
reports    browser          install  $pytest $browser
script     action           install  flock $build/tests/install.lock tests/scripts/action.sh
script     release          plain    tests/scripts/release.sh
script     python           install  tests/scripts/python.sh
"

passed=0
failed=0
failures='' # a line each, told once more at the end: what one sees of a log is often its last lines

# Every part is run to its end, whatever became of those before. But Ctrl-C ends them all.
trap 'exit 130' INT
trap 'exit 143' TERM

# failures_of LOG: collects the lines of LOG that tell of a failed test of any runner.
failures_of() {
    failures+=$(grep -aE '^(not ok|FAILED:)|^\[(FAIL|CRASH)\]|ERROR: LeakSanitizer|^(FAILED|ERROR) reports/' "$1" |
        sed "s/^/$(basename "$1" .log): /" || true)$'\n'
}

# A part that ends without its summary has failed.
count_criterion() { # LOG: of unit tests
    local log=$1 pass fail crash leaks
    read -r pass fail crash <<<"$(sed -n 's/^.*Synthesis: Tested: [0-9]* | //p' "$log" | tr -dc '0-9 ')"
    [ -n "$crash" ] || read -r pass fail crash <<<'0 1 0'
    # Criterion counts a test as passed before its process looks for leaks.
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
    # The line is "557 passed, 1 failed, 2 skipped, 1 error in 80 s", and each of these may be missing.
    pass=$(tail -1 "$log" | sed -n 's/^\(.* \)\{0,1\}\([0-9]*\) passed.*/\2/p')
    fail=$(tail -1 "$log" | { grep -oE '[0-9]+ (failed|error)' || true; } | awk '{ sum += $1 } END { print sum + 0 }')
    [ -n "$pass" ] || fail=1 # nothing ran
    passed=$((passed + pass))
    failed=$((failed + fail))
    [ "$fail" -eq 0 ] || failures_of "$log"
}

# Parts run beside each other, and the log of each is shown when it ends. There is one more part at a time than there are
# cores, since some parts wait. Signals are set as in a terminal, since the jobs of a script ignore some.
running=() # by process
part() { # KIND NAME COMMAND...: KIND of the functions above that count
    local kind=$1 name=$2
    shift 2
    [ ${#running[@]} -le "$(nproc)" ] || end_part
    # shellcheck disable=SC2016 # the variables are those of the shell that takes the time
    CUGATE=$build/cugate setsid env --default-signal=INT bash -c 'TIMEFORMAT="%U %S %R"
        { time "${@:2}" >"$1.log" 2>&1; } 2>"$1.seconds"' timed "$build/tests/$name" "$@" </dev/null &
    running[$!]="$kind $name"
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
    [ ! -s "$build/tests/$name.seconds" ] || sed "s/\$/ $name/" "$build/tests/$name.seconds" >>"$build/tests/seconds"
}

# Prints how long each part took, the most expensive last.
show_seconds() {
    printf '%8s %8s  %s\n' 'CPU s' 'wall s' part
    awk '{ printf "%8.1f %8.1f  %s\n", $1 + $2, $3, $4 }' "$build/tests/seconds" | sort -n
    awk -v wall="$SECONDS" '{ sum += $1 + $2 } END { printf "%8.1f %8.1f  all, beside each other\n", sum, wall }' "$build/tests/seconds"
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

# Runs one fuzz target as a test. Its output is shown only when it fails.
fuzz_target() { # NAME COMMAND...
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "fuzz: $name: passed"
        passed=$((passed + 1))
    else
        printf '%s\nFAILED: fuzz: %s\n' "$(tail -40 <<<"$output")" "$name"
        failed=$((failed + 1))
    fi
}
fuzz_targets() { # SECONDS, or none: the corpora alone
    local source name corpus
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        corpus=tests/fuzz/corpus/${name#fuzz_}
        if [ $# -eq 0 ]; then
            fuzz_target "$name" "$build/fuzz/$name" "$corpus"
        else
            mkdir -p "$build/corpus/$name" # finds go here, not into the tree
            fuzz_target "$name" "$build/fuzz/$name" -max_total_time="$1" -artifact_prefix="$build/$name-" \
                "$build/corpus/$name" "$corpus"
        fi
    done
}

run_parts() { # PASS...
    local kind name pass command
    local rows=0 taken=0
    rm -f "$build"/tests/{*.log,*.seconds,seconds} # what does not run has none
    rows=$(sed '/^$/d' <<<"$table" | wc -l)
    while read -r kind name pass command; do
        taken=$((taken + 1))
        # shellcheck disable=SC2086 # words
        [[ " $* " != *" $pass "* ]] || part "$kind" "$name" $command
    done < <(sed '/^$/d' <<<"$table")
    end_parts
    show_seconds
    [ "$taken" -eq "$rows" ] || { # a part that read the rows behind its own would pass in silence
        failed=$((failed + 1))
        failures+="test.sh: $taken of the table's $rows rows were taken"$'\n'
    }
}

case ${1-} in
--fuzz) fuzz_targets "$2" ;;
--corpora) fuzz_targets ;;
--install) run_parts install ;;
*) if [ "$build" = build ]; then run_parts both plain; else run_parts both; fi ;;
esac

sed '/^$/d' <<<"$failures"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
