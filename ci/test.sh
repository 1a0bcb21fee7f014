#!/usr/bin/env bash
# Runs what `make test` has built and ends with one line that sums it up: "N passed, N failed".
#
#   BUILD=build ci/test.sh              runs the parts of the table below that the build takes: plain, or with sanitizers
#   BUILD=build ci/test.sh --all        runs what takes a night as well
#   BUILD=build ci/test.sh --install    runs those of `make test-install`
#   BUILD=build ci/test.sh --coverage   runs those of `make test` in any build
#   BUILD=build ci/test.sh --corpora    runs the fuzz targets on their corpora alone
#   BUILD=build/libfuzzer ci/test.sh --fuzz N    runs libFuzzer, N seconds a target, starting from the corpora
#
# Before that line it prints what each part took, its children too, beside its budget, both in seconds of CPU. They are left
# in BUILD/tests/seconds.tsv as well.
set -euo pipefail

build=${BUILD:-build}
# What nvdisasm says of a function is kept by the hash of its code: one cache serves all parts and builds. That it is made
# and used rightly is tested by tests/sim/faults.sh, with one of its own.
export XDG_CACHE_HOME=$PWD/build/tests/cache
# Of all recordings a quarter is computed at a time, by turns.
commit=$(git rev-parse HEAD 2>/dev/null || echo 0000000000000000)
# The reports are tested in two halves: the second has all that the first has not, so that a new file is in one of them.
reports_first=(reports/tests/test_{site,main,changes}.py)
browser=reports/tests/test_pages_in_browser.py
years=(reports/tests/test_{change_rates,bench_pages}.py) # of nights
pytest='build/python/bin/python -I -m pytest -q -rs -p no:cacheprovider'

# To add a part: a row. Rows that take longest come first, so that none of them is left to run alone.
# A row has its budget, in CPU seconds, for each pass that runs it; a dot stands for one that does not:
#   test       `make test`
#   san        `make SAN=... test`: not parts in which sanitizers find nothing more, since they test scripts, Python or counts
#   all        `make test-all`, besides those of `make test`: more of the same, or tests of the tests themselves
#   install    `make test-install`: packages, projects of others, a cluster, pages in a browser, years of nights, recordings and random programs by turns
# The rows of a pass add up to its limit at most. So a row is raised only where others are lowered. Some room is left: a part
# may take 1.5 times its row, or 2 seconds more than it (ci/budget.awk), on a machine as fast as that where they were measured
# (ci/how_slow.sh).
# The kind says how its log is counted: by one of the functions count_* below.
declare -A limits=([test]=396 [san]=420 [all]=1500 [install]=385)
# kind     name              test  san   all  install  command
table="
script     mutants              .    .   900        .  tests/sim/mutants.sh
script     recorded_all         .    .   600        .  tests/sim/recorded.sh --all
reports    reports             22    .     .        .  $pytest reports/tests ${reports_first[*]/#/--ignore=} --ignore=$browser ${years[*]/#/--ignore=}
reports    reports_pages       18    .     .        .  $pytest ${reports_first[*]}
script     gate                27    .     .        .  tests/scripts/gate.sh
criterion  unit                17   72     .        .  $build/tests/unit_tests
criterion  machine             14   73     .        .  $build/tests/machine_tests
script     ways_round          18    .     .        .  tests/ways_round/run.sh !ci !reports !hostile
script     hostile              2    4     .        .  tests/ways_round/run.sh hostile
script     recorded            22   50     .        .  tests/sim/recorded.sh
script     scripts_round        .    .     .       13  tests/ways_round/run.sh ci reports
script     rooms                3    .     .        .  tests/scripts/rooms.sh
script     exec_simulated       9    .     .        .  tests/scripts/exec_simulated.sh
script     exec_driver          3    .     .        .  tests/scripts/exec_driver.sh
script     exec                18   62     .        .  tests/scripts/exec.sh
script     ci_templates        15    .     .        .  tests/scripts/ci_templates.sh
script     slots                1    4     .        .  tests/scripts/slots.sh
script     cli                  9   20     .        .  tests/cli/run.sh
script     simulate            14    .     .        .  tests/scripts/simulate.sh
script     readme               7    .     .        .  tests/scripts/readme.sh
script     measuring_cupti      1    4     .        .  tests/scripts/measuring.sh
script     shards               8    .     .        .  tests/scripts/shards.sh
script     bisect               5    .     .        .  tests/scripts/bisect.sh
script     own                  3    .     .        .  tests/scripts/own.sh
script     exec_recorded        3    .     .        .  tests/scripts/exec_recorded.sh
script     terminal             4    .     .        .  tests/scripts/terminal.sh
script     programs_recorded    5    .     .        .  tests/scripts/programs_recorded.sh
script     upgrades             2    .     .        .  tests/scripts/upgrades.sh
script     faults              14   55     .        .  tests/sim/faults.sh
script     runtime              2    .     .        .  tests/sim/runtime.sh
script     proof                16    .     .        .  tests/sim/proof.sh
script     planted              3    .     .        .  tests/scripts/planted.sh
script     trades               1    .     .        .  tests/scripts/trades.sh
script     evidence             3    .     .        .  tests/scripts/evidence.sh
script     check_perf           5    .     .        .  tests/scripts/check_perf.sh
script     simulate_own         7    .     .        .  tests/scripts/simulate_own.sh
script     timeless             15    .     .        .  tests/scripts/timeless.sh
script     timing               6    .     .        .  tests/scripts/timing.sh
script     capture              6   28     .        .  tests/scripts/capture.sh
script     capsule              4   14     .        .  env MADE_CAPSULES=$build/tests/made_capsules tests/scripts/capsule.sh
script     swap                 7    .     .        .  env MADE_CAPSULES=$build/tests/made_capsules tests/scripts/swap.sh
script     referee             36    .     .        .  env MADE_CAPSULES=$build/tests/made_capsules tests/scripts/referee.sh
script     oracle               8   22     .        .  env GENERATOR=$build/tests/random_kernels tests/sim/oracle.sh
script     two_models           4    .     .        .  tests/scripts/two_models.sh
script     static               1    3     .        .  tests/scripts/static.sh
script     static_files         1    3     .        .  tests/scripts/static_files.sh
script     laws                 1    .     .        .  tests/gpu/run.sh --self-test tests/data/recorded-nvidia-h200.json
script     record_baseline      1    .     .        .  tests/scripts/record_baseline.sh
script     merge                1    .     .        .  tests/scripts/merge.sh
script     recorded_turn        .    .     .       90  tests/sim/recorded.sh --quarter $commit
script     proof_turn           .    .     .        7  tests/sim/proof.sh --turn $commit
script     junit                .    .     .       20  tests/scripts/junit.sh
script     fuzz                 1    3     .        .  env BUILD=$build ci/test.sh --corpora
script     slurm                .    .     .       20  tests/scripts/slurm.sh
reports    years                .    .     .       34  $pytest ${years[*]}
script     packages             .    .     .       50  flock $build/tests/install.lock tests/scripts/packages.sh
script     outside              .    .     .       45  flock $build/tests/install.lock tests/outside/run.sh
reports    browser              .    .     .       27  $pytest $browser
script     action               .    .     .       66  flock $build/tests/install.lock tests/scripts/action.sh
script     budget               2    .     .        .  tests/scripts/budget.sh
script     release              1    .     .        .  tests/scripts/release.sh
script     python               .    .     .       12  tests/scripts/python.sh
"

# Parts of what executes machine code, the files they depend on, and where it is noted that all passed. At the desk
# they are left out as long as these files are the same; TEST_BUDGET=fail, as in .ci/run, runs all.
machine=' machine recorded faults runtime oracle '
machine_files=(Makefile metrics harness/{base,capsule,cubin,cudart,cugate,library,machine,measure,model,names,replay,sim,worker}
    tests/{data,libraries,sim} tests/unit/{library,machine,replay,cudart,sim,support.c,test.c} tests/unit/cubin/cubin_support.c tests/scripts/begin.sh)
stamp=$build/tests/machine.passed
unchanged='' # these parts, where they are left out

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
    local log=$1 pass fail line
    # The line is "557 passed, 1 failed, 2 skipped, 1 error in 80s", and each of these may be missing. Warnings may follow.
    line=$(grep -E '^[0-9]+ .* in [0-9.]+s' "$log" | tail -1 || true)
    pass=$(sed -n 's/^\(.* \)\{0,1\}\([0-9]*\) passed.*/\2/p' <<<"$line")
    fail=$({ grep -oE '[0-9]+ (failed|error)' <<<"$line" || true; } | awk '{ sum += $1 } END { print sum + 0 }')
    [ -n "$pass" ] || fail=1 # nothing ran
    passed=$((passed + pass))
    failed=$((failed + fail))
    [ "$fail" -eq 0 ] || failures_of "$log"
}

# Parts run beside each other, and the log of each is shown when it ends. There is one more part at a time than there are
# cores, since some parts wait. Signals are set as in a terminal, since the jobs of a script ignore some. A part that hangs is
# killed, far beyond its budget: else nobody would learn which it was.
running=() # by process
part() { # KIND NAME BUDGET COMMAND...: KIND of the functions above that count
    local kind=$1 name=$2 limit
    limit=$(awk -v budget="$3" -v slow="$slow" 'BEGIN { printf "%d", (120 + 15 * budget) * slow }')
    shift 3
    [ ${#running[@]} -le "$(nproc)" ] || end_part
    # shellcheck disable=SC2016 # the variables are those of the shell that takes the time
    CUGATE=$build/cugate setsid env --default-signal=INT timeout -v -k 10 "$limit" bash -c 'TIMEFORMAT="%U %S %R"
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

# Prints how long each part took beside its budget. Beyond that it fails only where TEST_BUDGET=fail says so, as in .ci/run.
show_seconds() { # PASS
    awk '{ printf "%.1f\t%s\n", $1 + $2, $4 }' "$build/tests/seconds" >"$build/tests/seconds.tsv"
    awk -v limit="${limits[$1]}" -v slow="$slow" -f ci/budget.awk <(budgets "$1") "$build/tests/seconds.tsv" || {
        [ "${TEST_BUDGET-}" != fail ] || {
            failed=$((failed + 1))
            failures+="test.sh: tests take more CPU seconds than their budget: see the lines \"over\""$'\n'
        }
    }
    echo "$SECONDS s, beside each other"
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

# Prints the rows of a pass: the budget and the part.
budgets() { # PASS
    awk -v pass="$1" -v unchanged="$unchanged" '
        BEGIN { split("test san all install", names); for (i in names) column[names[i]] = i + 2 }
        NF && $column[pass] != "." && !index(unchanged, " " $2 " ") { print $column[pass] "\t" $2 }' <<<"$table"
}

run_parts() { # PASS
    local kind name command test san all install
    local rows=0 taken=0
    rm -f "$build"/tests/{*.log,*.seconds,seconds} # what does not run has none
    slow=$(ci/how_slow.sh)
    rows=$(sed '/^$/d' <<<"$table" | wc -l)
    local changed=0
    ci/changed.sh "$stamp" "${machine_files[@]}" || changed=$?
    if [ "$1" = test ] && [ "${TEST_BUDGET-}" != fail ] && [ $changed = 1 ]; then
        unchanged=$machine
        echo "left out, since they passed and no file of theirs has changed (rm $stamp runs them):$unchanged"
    fi
    # shellcheck disable=SC2034 # the passes, by name
    while read -r kind name test san all install command; do
        taken=$((taken + 1))
        # shellcheck disable=SC2086 # words
        [ "${!1}" = . ] || [[ $unchanged == *" $name "* ]] || part "$kind" "$name" "${!1}" $command
    done < <(sed '/^$/d' <<<"$table")
    end_parts
    show_seconds "$1"
    [ "$1" != test ] || [ "$failed" -gt 0 ] || [ -n "$unchanged" ] || mv "$stamp.next" "$stamp"
    [ "$taken" -eq "$rows" ] || { # a part that read the rows behind its own would pass in silence
        failed=$((failed + 1))
        failures+="test.sh: $taken of the table's $rows rows were taken"$'\n'
    }
}

case ${1-} in
--fuzz) fuzz_targets "$2" ;;
--corpora) fuzz_targets ;;
--install) run_parts install ;;
--all) run_parts all ;;
--coverage) run_parts test ;;
*) if [ "$build" = build ]; then run_parts test; else run_parts san; fi ;;
esac

sed '/^$/d' <<<"$failures"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
