#!/usr/bin/env bash
# What two GPUs of one model are worth: the same kernels on one and on both, in turn, timed side by side; and that both
# ways say the same. Prints a row a round, then "ok - ..." or "not ok - ...: why" for each test, and ends with "N passed,
# N failed". Exits 1 when one failed, 5 when there are no two GPUs. Builds nothing.
#
#   CUGATE=build/cugate tests/gpu/slots.sh [ROUNDS]    rounds: 3
#
# Variables: KERNELS='reduce/* dot/*': only these; DEVICES=0,1: which two; BAR=1.8: the least that two are worth;
# KEEP=DIR: where run files are left.
set -uo pipefail

cugate=$(realpath "${CUGATE:-build/cugate}")
devices=${DEVICES:-0,1}
one=${devices%%,*}
rounds=${1:-3}
bar=${BAR:-1.8}
export LC_ALL=C

# shellcheck source=tests/gpu/keep.sh
. "$(dirname "$0")/keep.sh"
cd "$work" || exit 2 # where a folder `baselines` says how long kernels take

if [ "$("$cugate" list gpus | wc -l)" -lt 2 ]; then
    echo "slots.sh: this takes two GPUs of one model" >&2
    exit 5
fi

chosen=()
read -ra globs <<<"${KERNELS-}"
for glob in "${globs[@]}"; do chosen+=(-k "$glob"); done

# took COMMAND...: its seconds into $seconds, its exit code into $code; what it says into $work/said.
took() {
    local begin=$EPOCHREALTIME
    "$@" >said 2>&1 </dev/null
    code=$?
    seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }')
}
median() { sort -n | awk '{ of[NR] = $1 } END { print (of[int((NR + 1) / 2)] + of[int(NR / 2) + 1]) / 2 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

took "$cugate" run "${chosen[@]}" --device "$one" --save first.json # also warms up what is read from disk
[ $code -eq 0 ] || { cat said && verdict "one GPU measures all" "exit code $code"; }
"$cugate" accept first.json --baselines baselines --reason "how long they take" >said 2>&1 || cat said

printf '%-6s %10s %10s %8s\n' round "1 GPU, s" "2 GPUs, s" ratio
: >ratios
for ((round = 1; round <= rounds; round++)); do
    took "$cugate" run "${chosen[@]}" --device "$one" --save "one-$round.json"
    single=$seconds
    took "$cugate" run "${chosen[@]}" --device "$devices" --save "two-$round.json"
    [ $code -eq 0 ] || { cat said && verdict "two GPUs measure all, round $round" "exit code $code"; }
    printf '%-6s %10s %10s %8s\n' "$round" "$single" "$seconds" "$(ratio "$single" "$seconds" | tee -a ratios)"
    echo >>ratios
done
worth=$(grep . ratios | median)
verdict "two GPUs are worth $worth of one, at least $bar" \
    "$(awk -v is="$worth" -v bar="$bar" 'BEGIN { if (is < bar) print "less" }')"

why=
for ((round = 1; round <= rounds; round++)); do
    jq -r '(.sessions | map(.gpu_uuid)) as $gpus | .kernels | to_entries[] | select(.value.status == "ok") |
        "\([.value.metrics[] | select(.sessions) | .from // [0]] | unique | map($gpus[.[0]]) | join(" and "))"' \
        "two-$round.json" | sort | uniq -c >on
    awk -v round="$round" '{ print "  round " round ": " $1 " kernels on " $2 }' on
    [ "$(wc -l <on)" -eq 2 ] || why="round $round: kernels on $(wc -l <on) GPUs, or one on several"
done
verdict "each kernel is measured on one of the two GPUs" "$why"

# Of counts that repeat in every sample of all runs on one GPU: of what instrumented code counts, each run has one.
why=$(jq -rn --argjson rounds "$rounds" --slurpfile a <(cat one-*.json) --slurpfile b <(cat two-*.json) '
    ($a[0].metrics | to_entries | map(select(.value.class == "exact") | .key)) as $exact |
    $a[0].kernels | keys[] | . as $kernel | $exact[] as $metric |
    [$a[].kernels[$kernel].metrics[$metric].sessions // [] | .[0][]?] as $was |
    [$b[].kernels[$kernel].metrics[$metric].sessions // [] | .[0][]?] as $is |
    select(($was | length) >= $rounds and ($was | unique | length) == 1 and ($is | unique) != ($was | unique)) |
    "\($kernel) \($metric) \($was | unique) and \($is | unique); "' | tr '\n' ' ')
verdict "exact counts are the same on one GPU and on two" "$why"

why=$(jq -rn --slurpfile a one-1.json --slurpfile b two-1.json \
    '$a[0].kernels | to_entries[] | select(.value.status != $b[0].kernels[.key].status) | .key' | tr '\n' ' ')
verdict "every kernel ends alike on one GPU and on two" "$why"

took "$cugate" check "${chosen[@]}" --baselines baselines --device "$devices" --explain 0
[ $code -eq 0 ] || [ $code -eq 3 ] && code=0
verdict "a run on two GPUs is judged, and nothing regressed" "$([ $code -eq 0 ] || echo "exit code $code, see $work/said")"

took "$cugate" doctor --device "$devices"
verdict "doctor measures on both" "$(grep -q 'on each of 2 GPUs' said || cat said)"

"$cugate" run -k 'reduce/*' --lines --device "$one" --save lines.json >said 2>&1
verdict "lines are counted of each kernel that launches" "$(jq -r '.kernels | to_entries[] |
    select(.value.status == "ok" and (.value.launches | length) > 0 and ((.value.lines.counted // []) == [])) | .key' \
    lines.json | tr '\n' ' ')"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
