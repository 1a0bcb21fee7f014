#!/usr/bin/env bash
# Measures the kernels of this folder before and after their changes on this GPU: by pairs, and as sessions that can be
# judged later. Prints a row for each kernel, then how many are what their family's name says. Builds nothing.
#
#   OUT=DIR CUGATE=build/cugate tests/trades/record.sh FOLDER
#
#   FOLDER      has base.so and new.so, which are trades.cu without and with -DCHANGED
#   OUT         a folder, which gets trades-MODEL.tar.xz: paired.json and its report, base-1.json to base-3.json,
#               new-1.json, new-2.json, and this table; MODEL is that of the GPU
#   SECONDS_AT_MOST=440    after so many the sessions that are left are not begun; the pairs get 300 of them
#
# Exits 1 when a kernel was not measured, or is not what its family says, 5 without a GPU.
set -uo pipefail

cugate=${CUGATE:-build/cugate}
folder=${1:?error: name the folder of base.so and new.so}
: "${OUT:?error: OUT is not set: name the folder that gets the files}"
at_most=${SECONDS_AT_MOST:-440}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cugate" list --devices >"$work/devices.txt" || exit 5

# ---- Measuring; a check that is interrupted keeps what it has
run() { # NAME LIBRARY
    local left=$((at_most - SECONDS))
    [ $left -gt 30 ] || { echo "$1: no time is left"; return; }
    timeout -s INT $left "$cugate" run -q --kernels "$folder/$2.so" --save "$work/$1.json" >"$work/$1.txt" 2>&1 ||
        { echo "$1: exit code $?"; tail -n 5 "$work/$1.txt"; }
    echo "$1: $SECONDS s have passed"
}
run base-1 base
timeout -s INT 300 "$cugate" check --kernels "$folder/new.so" --against "$folder/base.so" --paired --explain 0 \
    --baselines "$work/none" --save "$work/paired.json" --format json -o "$work/paired-report.json" \
    --report text="$work/paired.txt" >"$work/log" 2>&1
echo "pairs: exit code $?, $SECONDS s have passed"
tail -n 3 "$work/log"
run new-1 new
run base-2 base
run new-2 new
run base-3 base

# ---- The table: times in us, the median change of pairs, what they say, what the sessions' medians say
[ -s "$work/paired.json" ] || { cat "$work/log"; exit 1; }
for session in base-1 new-1; do # a session that is lacking has no kernels
    [ -s "$work/$session.json" ] || echo '{"kernels": {}}' >"$work/$session.json"
done
jq -r --slurpfile report "$work/paired-report.json" --slurpfile old "$work/base-1.json" \
    --slurpfile new "$work/new-1.json" '
    def median: sort | if length > 0 then .[length / 2 | floor] else null end;
    def percent: if . == null then "-" else . * 1000 | round / 10 end;
    def time(of): . as $id | of[0].kernels[$id].metrics.time.sessions[0]? // [] | median;
    ([$report[0].judgements[]? | select(.metric == "time") | {(.kernel): .verdict}] | add) as $verdicts
    | .kernels | to_entries[] | .key as $id
    | (.value.metrics.time.pairs // []) as $pairs
    | ($pairs | map(.[1] / .[0] - 1)) as $changes
    | (.key | time($old)) as $base | (.key | time($new)) as $now
    | ($verdicts[.key] // .value.status) as $verdict
    | [.key, ($base // 0) / 1000, ($now // 0) / 1000,
       (if $base and $now then $now / $base - 1 else null end | percent), ($changes | median | percent),
       "\($changes | map(select(. > 0.01)) | length)/\($changes | map(select(. < -0.01)) | length)", $verdict,
       (if {"faster": "improved", "slower": "regressed"}[$id | split("/")[0]] == $verdict then "ok" else "NOT OK" end)]
    | @tsv' "$work/paired.json" >"$work/rows.tsv" || exit 1
{
    printf '%-28s %9s %9s %8s %8s %9s  %s\n' kernel 'base us' 'new us' '%' 'pairs %' '>1%/<-1%' 'by pairs'
    awk -F'\t' '{ printf "%-28s %9.1f %9.1f %8s %8s %9s  %s%s\n", $1, $2, $3, $4, $5, $6, $7, $8 == "ok" ? "" : "   <-- not " \
        substr($1, 1, index($1, "/") - 1); good += $8 == "ok" }
        END { printf "%d of %d are what their family says\n", good, NR; exit good < NR }' "$work/rows.tsv"
    echo $? >"$work/status"
} | tee "$work/table.txt"

model=$(jq -r '.device.name | ascii_downcase | gsub("[^a-z0-9]+"; "-")' "$work/paired.json")
mkdir -p "$OUT"
rm "$work/rows.tsv"
suffix=tar.gz
! command -v xz >/dev/null || suffix=tar.xz
tar -C "$work" --exclude status -caf "$OUT/trades-$model.$suffix" .
ls -l "$OUT"
exit "$(cat "$work/status")"
