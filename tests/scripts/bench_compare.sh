#!/usr/bin/env bash
# Times commands that need no GPU, on run files of made-up kernels with 5 samples a metric. These are `cugate compare` of
# 1,000 kernels with 10 metrics and of 2,000 with 50, in each format; `check --replay` of these 100,000 rows with a baseline
# of 20 sessions; `accept` of 10 such sessions; and the cost of twice as many kernels. Prints medians of wall and CPU time.
# With OLD, another build alternates, and the ratio is printed. Fails above the limits. Not part of `make test`, since it
# measures the machine as well.
#
#   CUGATE=build/cugate tests/scripts/bench_compare.sh
#   CUGATE=build/cugate OLD=../before/build/cugate tests/scripts/bench_compare.sh
set -euo pipefail

scaling_limit=2.5 # of the CPU time of twice the kernels over that of the kernels
cugate=$(realpath "${CUGATE:-build/cugate}")
old=${OLD:+$(realpath "$OLD")}
metrics=$(cd "$(dirname "$0")" && pwd)/../cli/made_up/metrics
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
program='' which='' # what is timed, and whether it is new or old

# make_metrics TIMES FOLDER: so many copies of each made-up metric
make_metrics() {
    mkdir "$2"
    for ((copy = 0; copy < $1; copy++)); do
        sed "s/^\[\(.*\)\]/[\1_$copy]/; s/^\(weight\|clock\|trade\) = .*/&_0/" "$metrics/test.ini" >"$2/copy_$copy.ini"
    done
}

# make_run KERNELS FOLDER FACTOR DAY: values grow with the kernel's number, and a little with the day; every seventh
# kernel's by FACTOR as well. Every second metric's are whole.
make_run() {
    cat "$2"/*.ini | awk -v kernels="$1" -v factor="$3" -v day="$4" '
        /^\[/ { name[++count] = substr($0, 2, length($0) - 2) }
        /^counter/ { counter[count] = $3 }
        /^unit/ { unit[count] = $3 }
        END {
            print "{\"schema\": 1, \"device\": {\"name\": \"Test GPU\", \"compute_capability\": \"9.0\","
            print "\"sm_count\": 132, \"memory_bytes\": 150109880320, \"ecc\": true, \"mig\": false},"
            printf "\"sessions\": [{\"collector\": \"cupti\", \"host\": \"made up for a benchmark\", "
            printf "\"date\": \"2026-01-%02dT00:00:00Z\"}], \"metrics\": {\n", day
            for (m = 1; m <= count; m++)
                printf "\"%s\": {\"counter\": \"%s\", \"unit\": \"%s\"}%s\n", name[m], counter[m], unit[m],
                    m < count ? "," : "},"
            print "\"kernels\": {"
            for (k = 0; k < kernels; k++) {
                printf "\"family_%d/variant_%d\": {\"status\": \"ok\", \"bytes\": 1024, \"flops\": 0,\n", k / 10, k % 10
                print "\"metrics\": {"
                for (m = 1; m <= count; m++) {
                    value = (k + 1) * m * 1000 * (k % 7 ? 1 : factor) + day
                    if (m % 2)
                        printf "\"%s\": {\"sessions\": [[%d, %d, %d, %d, %d]]}", name[m],
                            value, value + 1, value - 1, value + 2, value - 2
                    else
                        printf "\"%s\": {\"sessions\": [[%.9g, %.9g, %.9g, %.9g, %.9g]]}", name[m],
                            value / 7, value / 7.001, value / 6.999, value / 7.002, value / 6.998
                    print m < count ? "," : "}}"
                }
                print k < kernels - 1 ? "," : "}}"
            }
        }'
}

# make_case NAME KERNELS TIMES SESSIONS: a run, sessions of what was before it and, of more than one, their baseline
make_case() {
    local folder=$work/$1
    mkdir "$folder"
    make_metrics "$3" "$folder/metrics"
    make_run "$2" "$folder/metrics" 1.5 31 >"$folder/run.json"
    for ((day = 1; day <= $4; day++)); do
        make_run "$2" "$folder/metrics" 1 $day >"$folder/session_$day.json"
    done
    [ "$4" -eq 1 ] || "$cugate" accept --metrics "$folder/metrics" --baselines "$folder/baselines" --reason made -q \
        "$folder"/session_*.json
}

# What is timed, by $program. Their exit codes are those of a judged run.
compare() {
    "$program" compare --metrics "$1/metrics" --format "$2" "$1/session_1.json" "$1/run.json" >"$work/out"
}
check() {
    "$program" check --metrics "$1/metrics" --baselines "$1/baselines" --replay "$1/run.json" >"$work/out"
}
accept() {
    rm -rf "$work/accepted"
    "$program" accept --metrics "$1/metrics" --baselines "$work/accepted" --reason made -q \
        "$1"/session_{1,2,3,4,5,6,7,8,9,10}.json
}

# once COMMAND...: adds a line "wall CPU" in ms to the file of $program
once() {
    local status=0
    TIMEFORMAT='%3R %3U %3S'
    { time "$@" 2>"$work/err"; } 2>"$work/time" || status=$?
    case $status in
    0 | 1 | 3) ;;
    *)
        cat "$work/err" >&2
        echo "$* exited $status" >&2
        exit 1
        ;;
    esac
    awk '{ printf "%.0f %.0f\n", $1 * 1000, ($2 + $3) * 1000 }' "$work/time" >>"$work/times_$which"
}

# median WHICH COLUMN
median() {
    sort -n -k "$2,$2" "$work/times_$1" | awk -v column="$2" '{ list[NR] = $column } END { print list[int((NR + 1) / 2)] }'
}

# bench RUNS LIMIT_MS WORDS COMMAND...: LIMIT_MS, of wall time, 0 is none. Leaves the CPU time in $cpu.
bench() {
    local runs=$1 limit=$2 words=$3 wall
    shift 3
    rm -f "$work"/times_*
    for ((i = 0; i < runs; i++)); do
        which=new program=$cugate once "$@"
        [ -z "$old" ] || which=old program=$old once "$@"
    done
    wall=$(median new 1) cpu=$(median new 2)
    printf '%-62s %6d ms, %6d ms of CPU' "$words" "$wall" "$cpu"
    [ -z "$old" ] || awk -v wall="$(median old 1)" -v cpu="$(median old 2)" -v now="$wall" -v now_cpu="$cpu" \
        'BEGIN { printf "; before %d, %d: %.2f and %.2f times as much", wall, cpu, wall / now, cpu / now_cpu }'
    if [ "$limit" -gt 0 ] && [ "$wall" -gt "$limit" ]; then
        printf ': above the limit of %d ms' "$limit"
        failed=1
    fi
    echo
}

make_case small 1000 1 1
make_case large 2000 5 20
make_case double 4000 5 1
for format in text json junit markdown github; do
    bench 11 200 "compare of 10,000 rows, $format" compare "$work/small" $format
done
for format in text json junit markdown github; do
    bench 5 1000 "compare of 100,000 rows, $format" compare "$work/large" $format
    [ $format != text ] || large=$cpu
done
bench 5 0 "check --replay of 100,000 rows by 20 sessions" check "$work/large"
bench 3 0 "accept of 10 sessions of 100,000 rows" accept "$work/large"
bench 5 0 "compare of 200,000 rows, text" compare "$work/double" text
awk -v one="$large" -v two="$cpu" -v limit=$scaling_limit 'BEGIN {
    printf "twice the kernels take %.2f times the CPU (limit %s)\n", two / one, limit
    exit two > limit * one }' || failed=1
[ $failed -eq 0 ] || { echo "slower than the limit" >&2; exit 1; }
