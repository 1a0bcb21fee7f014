#!/usr/bin/env bash
# Times `cugate compare` of two run files of made-up kernels with 5 samples a metric: 1,000 kernels of 10 metrics, in each
# format, as the median of 11 runs; and 10,000 kernels of 50 metrics once, in CPU seconds. Fails above the limits. Not
# part of `make test`, since it measures the machine as well.
#
#   CUGATE=build/cugate tests/scripts/bench_compare.sh
set -euo pipefail

limit_ms=200
large_limit_ms=5000
runs=11
cugate=$(realpath "${CUGATE:-build/cugate}")
metrics=$(cd "$(dirname "$0")" && pwd)/../cli/made_up/metrics
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_metrics TIMES FOLDER: so many copies of each made-up metric
make_metrics() {
    mkdir "$2"
    for ((copy = 0; copy < $1; copy++)); do
        sed "s/^\[\(.*\)\]/[\1_$copy]/; s/^\(weight\|clock\|trade\) = .*/&_0/" "$metrics/test.ini" >"$2/copy_$copy.ini"
    done
}

# make_run KERNELS FOLDER FACTOR: values grow with the kernel's number; every seventh kernel's by FACTOR as well
make_run() {
    cat "$2"/*.ini | awk -v kernels="$1" -v factor="$3" '
        /^\[/ { name[++count] = substr($0, 2, length($0) - 2) }
        /^counter/ { counter[count] = $3 }
        /^unit/ { unit[count] = $3 }
        END {
            print "{\"schema\": 1, \"device\": {\"name\": \"Test GPU\", \"compute_capability\": \"9.0\","
            print "\"sm_count\": 132, \"memory_bytes\": 150109880320, \"ecc\": true, \"mig\": false},"
            print "\"sessions\": [{\"collector\": \"cupti\", \"host\": \"made up for a benchmark\"}], \"metrics\": {"
            for (m = 1; m <= count; m++)
                printf "\"%s\": {\"counter\": \"%s\", \"unit\": \"%s\"}%s\n", name[m], counter[m], unit[m],
                    m < count ? "," : "},"
            print "\"kernels\": {"
            for (k = 0; k < kernels; k++) {
                printf "\"family_%d/variant_%d\": {\"status\": \"ok\", \"bytes\": 1024, \"flops\": 0,\n", k / 10, k % 10
                print "\"metrics\": {"
                for (m = 1; m <= count; m++) {
                    value = (k + 1) * m * 1000 * (k % 7 ? 1 : factor)
                    printf "\"%s\": {\"sessions\": [[%d, %d, %d, %d, %d]]}%s\n", name[m],
                        value, value + 1, value - 1, value + 2, value - 2, m < count ? "," : "}}"
                }
                print k < kernels - 1 ? "," : "}}"
            }
        }'
}

# compare FOLDER FORMAT: of base.json and run.json there
compare() {
    local status=0
    "$cugate" compare --metrics "$1/metrics" --format "$2" "$1/base.json" "$1/run.json" >"$work/out" || status=$?
    [ $status -eq 3 ] || { echo "compare exited $status, not 3" >&2; exit 1; }
}

# make_case KERNELS TIMES NAME
make_case() {
    mkdir "$work/$3"
    make_metrics "$2" "$work/$3/metrics"
    make_run "$1" "$work/$3/metrics" 1 >"$work/$3/base.json"
    make_run "$1" "$work/$3/metrics" 1.5 >"$work/$3/run.json"
}

make_case 1000 1 small
failed=0
for format in text json junit markdown github; do
    for ((i = 0; i < runs; i++)); do
        begin=$(date +%s%N)
        compare "$work/small" $format
        end=$(date +%s%N)
        echo $(((end - begin) / 1000))
    done | sort -n >"$work/times"
    median_us=$(sed -n "$((runs / 2 + 1))p" "$work/times")
    printf 'compare of 10,000 rows, %s: median %d.%03d ms of %d runs (limit %d ms)\n' $format \
        $((median_us / 1000)) $((median_us % 1000)) $runs $limit_ms
    [ "$median_us" -le $((limit_ms * 1000)) ] || failed=1
done

make_case 10000 5 large
TIMEFORMAT='%3U %3S'
{ time compare "$work/large" text; } 2>"$work/times"
large_ms=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$work/times")
printf 'compare of 10,000 kernels of 50 metrics, text: %d ms of CPU (limit %d ms)\n' "$large_ms" $large_limit_ms
[ "$large_ms" -le $large_limit_ms ] || failed=1
[ $failed -eq 0 ] || { echo "slower than the limit" >&2; exit 1; }
