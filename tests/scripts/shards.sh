#!/usr/bin/env bash
# Tests that a run measured in parts is judged like a whole one. The runs are a recording of an H200, which is cut into
# parts here, and a library of 2,000 kernels for the host's clock, measured in four parts. Needs no GPU, and ends with "N
# passed, N failed".
#
#   CUGATE=build/cugate tests/scripts/shards.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
library=$(dirname "$cugate")/tests/libmany.so
cd "$work" || exit 2
export CUDA_VISIBLE_DEVICES='' LC_ALL=C

echo "metrics = $top/metrics" >cugate.ini

# All that a report says of rows, kernels and exit code.
verdicts() {
    jq -S '[.exit_code, .counts, (.judgements | map(del(.sessions)) | sort_by(.kernel, .metric)), .failures, .suites]' "$1"
}

# ---- A recording. A part is of every fourth family, and its session a second later than that of the part before.
cut_up() { # RUN FOLDER
    local number
    mkdir "$2"
    for number in 1 2 3 4; do
        jq --argjson number $number '
            (.kernels | keys) as $all | ([$all[] | split("/")[0]] | unique) as $families
            | .kernels |= with_entries(select((.key | split("/")[0]) as $family | ($families | index($family)) % 4 == $number - 1))
            | .sessions[0].date |= (.[:-2] + ($number | tostring) + .[-1:])
            | .shard = {kernels: $all, measures: (.kernels | length), number: $number, of: 4}' "$1" >"$2/$number.json"
    done
}
recorded=$top/tests/data/recorded-nvidia-h200.json
slower() { # of five families; the whole suite; and one count more
    jq '.kernels |= with_entries(if (.key | test("^(sgemm|transpose|dot|reduce|access)/"))
        then .value.metrics.time.sessions[0] |= (. // [] | map(. * 1.3 | floor)) else . end)
        | del(.kernels[].metrics.time | select(.sessions == [[]]))' "$recorded"
}
slower >slower.json
jq '(.kernels[].metrics.time.sessions[0] | select(.)) |= map(. * 1.1 | floor)' "$recorded" >suite.json
jq '.kernels["transpose/padded"].metrics.shared_wavefronts.sessions[0][] += 1' "$recorded" >one_more.json
cp "$recorded" recorded.json
for run in recorded slower suite one_more; do
    cut_up $run.json $run
    ask "$cugate" check --replay $run.json --baselines "$top/baselines" --report json=whole.json
    # shellcheck disable=SC2154 # ask sets it
    whole=$code
    expect "$run: its parts become one run" 0 -- "$cugate" merge -q $run/3.json $run/1.json $run/4.json $run/2.json --save merged.json
    expect "$run: with the exit code of the whole" "$whole" -- "$cugate" check --replay merged.json --baselines "$top/baselines" --report json=parts.json
    expect "$run: and its verdicts" 0 -- diff <(verdicts whole.json) <(verdicts parts.json)
    ask diff <(jq -S '.kernels | map_values(.metrics | map_values(.from = null))' $run.json) \
        <(jq -S '.kernels | map_values(.metrics | map_values(.from = null))' merged.json)
    expect "$run: and its numbers" 0
    codes+=" $whole"
done
expect "good ones, bad ones and one in doubt were among them" 0 ' 0 3 3 1' -- echo "$codes"
ask jq -e '[.kernels[].metrics.time | select(.sessions) | .from // [0]] | unique == [[0], [1], [2], [3]]' merged.json
expect "each number says which session it is from" 0

# ---- 2,000 kernels. A time would be judged by what the whole suite did, too, as it does on a busy machine.
mkdir metrics
sed 's/^class = time$/class = steady/' "$top/tests/cli/made_up/host_metrics/test.ini" >metrics/test.ini
options=(--collector host --kernels "$library" --metrics metrics --samples 2)
expect "2,000 kernels in one run" 0 'measured: 2000 of 2000 kernels' -- "$cugate" run "${options[@]}" -q --save whole.json
# What each is said to take: what it took depends on how busy the machine was.
jq '.kernels |= with_entries(.value.seconds = ((.key | explode | add) % 40 + 1) / 100)' whole.json >costs.json
expect "a baseline" 0 'of 2000 kernels' -- "$cugate" accept --metrics metrics costs.json --reason first
for number in 1 2 3 4; do
    expect "part $number" 0 'measured: ' -- "$cugate" run "${options[@]}" -q --shard $number/4 --save part-$number.json
done
expect "four parts become one run" 0 'measured: 2000 of 2000 kernels' -- "$cugate" merge -q part-*.json --save merged.json
ask diff <(jq -S '.kernels | map_values([.status, .bytes, .flops, (.metrics | keys), (.metrics.wall_time.sessions | map(length))])' whole.json) \
    <(jq -S '.kernels | map_values([.status, .bytes, .flops, (.metrics | keys), (.metrics.wall_time.sessions | map(length))])' merged.json)
expect "equal to one run but for noise" 0
for run in whole merged; do
    expect "judged: $run" 0 'nothing is worse: 2000 rows' -- "$cugate" compare --metrics metrics costs.json $run.json -q --report json=$run.check
done
ask diff <(jq -S '[.exit_code, .counts, (.judgements | map([.kernel, .metric, .verdict]) | sort)]' whole.check) \
    <(jq -S '[.exit_code, .counts, (.judgements | map([.kernel, .metric, .verdict]) | sort)]' merged.check)
expect "alike" 0
expect "no kernel is in two" 0 -- jq -es 'map(.kernels | length) | add == 2000' part-*.json

# The options of all parts are those of the judge, too: how they were made is no reason to refuse them.
mkdir -p scripts gate/parts
cp "$top"/ci/{shards,where}.sh scripts
printf '#!/bin/sh\necho "$@"\n' >scripts/gate.sh
chmod +x scripts/gate.sh
cp part-*.json gate/parts
ask env OUT="$work/gate" CUGATE="$cugate" scripts/shards.sh judge --metrics metrics --simulate=nvidia-h200 -k 'family_1?/*'
expect "the judge computes nothing" 0 'gate/merged.json --metrics metrics -k family_1?/*' '!--simulate'

few=(-k 'family_1?/one')
expect "by the baseline" 0 '!kernel durations are unknown' -- "$cugate" run "${options[@]}" "${few[@]}" -q --shard 2/4 --save by_baseline.json
expect "by nothing" 0 'kernel durations are unknown' -- "$cugate" run "${options[@]}" "${few[@]}" -q --shard 2/4 --baselines nowhere --save by_number.json
expect "it is another part" 1 -- diff <(jq '.kernels | keys' by_baseline.json) <(jq '.kernels | keys' by_number.json)
jq '.kernels |= map_values(.seconds = 0.1)' whole.json >alike.json
ask "$cugate" accept --metrics metrics alike.json --baselines alike --reason first
expect "by other seconds" 0 -- "$cugate" run "${options[@]}" -q --shard 2/4 --baselines alike --save other.json
ask "$cugate" merge part-1.json other.json part-3.json part-4.json --save never.json
expect "it is another part, and does not fit" 2 'is in two parts' 'use the same baselines'
expect "and no run is written" 1 -- test -e never.json
# shellcheck disable=SC2016 # jq's
ask jq -es '.[0] as $costs | .[1:] | map([.kernels | keys[] as $id | $costs.kernels[$id].seconds] | add) | max / (add / length) < 1.051' \
    costs.json part-*.json
expect "and they are even" 0

# ---- More parts than families, and a part by itself.
for number in 1 2 3; do
    ask "$cugate" run "${options[@]}" -q -k 'family_1/*[n=1K]' -k 'family_2/*[n=1K]' --shard $number/3 --save few-$number.json
    expect "few kernels: part $number" 0
    cat "$work/said" >>few
done
expect "one of them has nothing to do, and says so" 0 'has no kernels, because there are more shards than families' -- cat few
expect "few kernels: one run" 0 'measured: 10 of 10 kernels' -- "$cugate" merge -q few-*.json --save few.json
expect "few kernels: the third is missing, though it may be empty" 5 'missing: shard 3 of 3' -- "$cugate" merge few-1.json few-2.json
for command in "check --replay part-1.json" "compare whole.json part-1.json" "compare part-1.json whole.json" \
    "aa part-1.json part-2.json" "accept part-1.json --reason x"; do
    # shellcheck disable=SC2086 # words
    expect "$command: a part is not a run" 2 "is only shard 1 of 4: merge all" -- "$cugate" $command --metrics metrics
done

summary
