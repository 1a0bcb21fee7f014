#!/usr/bin/env bash
# Times `cugate compare` of two run files of 10,000 rows (1,000 kernels, 10 metrics, 5 samples): the median of 11 runs,
# in each format. Fails above the limit. Not part of `make test`, since it measures the machine as well.
#
#   CUGATE=build/cugate tests/bench_compare.sh
set -euo pipefail

limit_ms=200
runs=11
cugate=$(realpath "${CUGATE:-build/cugate}")
metrics=$(cd "$(dirname "$0")" && pwd)/cli/made_up/metrics
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_run FACTOR: values grow with the kernel's number; every seventh kernel's by FACTOR as well
make_run() {
    awk -v factor="$1" '
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
            for (k = 0; k < 1000; k++) {
                printf "\"family_%d/variant_%d\": {\"status\": \"ok\", \"bytes\": 1024, \"flops\": 0,\n", k / 10, k % 10
                print "\"metrics\": {"
                for (m = 1; m <= count; m++) {
                    value = (k + 1) * m * 1000 * (k % 7 ? 1 : factor)
                    printf "\"%s\": {\"sessions\": [[%d, %d, %d, %d, %d]]}%s\n", name[m],
                        value, value + 1, value - 1, value + 2, value - 2, m < count ? "," : "}}"
                }
                print k < 999 ? "," : "}}"
            }
        }' "$metrics/test.ini"
}

make_run 1 >"$work/base.json"
make_run 1.5 >"$work/run.json"

failed=0
for format in text json junit markdown github; do
    for ((i = 0; i < runs; i++)); do
        begin=$(date +%s%N)
        status=0
        "$cugate" compare --metrics "$metrics" --format $format "$work/base.json" "$work/run.json" >"$work/out" ||
            status=$?
        end=$(date +%s%N)
        [ $status -eq 1 ] || { echo "compare exited $status, not 1" >&2; exit 1; }
        echo $(((end - begin) / 1000))
    done | sort -n >"$work/times"
    median_us=$(sed -n "$((runs / 2 + 1))p" "$work/times")
    printf 'compare of 10,000 rows, %s: median %d.%03d ms of %d runs (limit %d ms)\n' $format \
        $((median_us / 1000)) $((median_us % 1000)) $runs $limit_ms
    [ "$median_us" -le $((limit_ms * 1000)) ] || failed=1
done
[ $failed -eq 0 ] || { echo "slower than the limit" >&2; exit 1; }
