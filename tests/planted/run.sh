#!/usr/bin/env bash
# Proves the gate: every planted fault of cases.txt must be caught in a metric that fits it and blamed on its line, and no
# harmless edit may be taken for a fault. Prints a table and exits 1 when a case fails.
#
#   CUGATE=build/cugate tests/planted/run.sh [--record DIR] [NAME]...    measures; needs a GPU and build/planted
#   CUGATE=build/cugate tests/planted/run.sh --replay DIR [NAME]...      judges recordings; needs no GPU
#
# --record leaves in DIR what --replay needs: NAME.json for each case, and the baselines that they were judged by. A fault
# passes when one of the metrics of its row is regressed. Its line is `exact` when the first line that the first of those
# metrics is blamed on is the one of the row, `near` when another one that is named is, `other` when none is; `-` where no
# line can be blamed. Where cases.txt says that the kernel takes no longer, the row is a trade-off or unsure, and not red. A harmless edit passes when nothing is regressed. The recording of one fault has one kernel, that of
# an edit its whole family.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

cugate=${CUGATE:-build/cugate}
baselines=${BASELINES:-baselines}
record='' replay=''
while [ $# -gt 0 ]; do
    case $1 in
    --record) record=${2:?--record needs a folder} && shift 2 ;;
    --replay) replay=${2:?--replay needs a folder} && shift 2 ;;
    -*) echo "planted: unknown option $1" >&2 && exit 2 ;;
    *) break ;;
    esac
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -n "$replay" ]; then
    baselines=$replay/baselines
else # a case has one file of the catalogue, and larger points of its family are in others
    cp -r "$baselines" "$scratch/baselines"
    baselines=$scratch/baselines
    rm -f "$baselines"/*/*/*-n-*.json
fi
if [ -n "$record" ] && [ -z "$replay" ]; then
    mkdir -p "$record"
    cp -r "$baselines" "$record/baselines"
fi

# Judges a case; the report goes to $scratch/NAME.json and the exit code into $code.
judge() {
    local name=$1 kernels=$2 from=(--kernels "build/planted/$1/libkernels.so")
    [ -z "$record" ] || from+=(--save "$record/$name.json")
    [ -z "$replay" ] || from=(--replay "$replay/$name.json")
    code=0
    "$cugate" check -q -k "$kernels" "${from[@]}" --baselines "$baselines" --format json -o "$scratch/$name.json" \
        2>"$scratch/$name.log" || code=$?
    case $code in
    0 | 1 | 3) return ;;
    esac
    cat "$scratch/$name.log" >&2
    if ! [ -s "$scratch/$name.json" ]; then
        exit "$code" # nothing can be judged here, and the next case would only say so again
    fi
}

# The first of the wanted metrics that has one of the wanted verdicts, and how its line fits: "METRIC LINE PLACE".
# shellcheck disable=SC2016 # the dollars are jq's
blame='
    [.judgements[] | select((.verdict | test($verdicts)) and .kernel == $kernel)] as $red
    | ($metrics / " " | map(. as $m | $red[] | select(.metric == $m))) as $named
    | ($named | map(select(.causes | length > 0)) | first) as $told
    | (if $line == "-" then $named[0] else $told // $named[0] end) as $row
    | if $row == null then "- - " + ($red | map(.metric) | join(","))
      else ($row.causes // []) as $causes
      | (if $line == "-" then "-"
         elif ($causes | length) > 0 and ($causes[0].text // "" | contains($line)) then "exact"
         elif any($named[].causes[]?; .text // "" | contains($line)) then "near"
         else "other" end) as $fit
      | (if $line == "-" then {launch: ($row.launch_change // $red[0].launch_change)} else $causes[0] end
         | if . == null then ($row.launch_change // "-")
                      elif .launch then "launch: " + .launch
                      elif .file == null then "\(.function)+\(.offset)"
                      else "\(.file | sub("^build/planted/[a-z0-9_]+/"; "")):\(.line)" end) as $place
      | "\($row.metric) \($fit) \($place)"
      end'

faults=0 caught=0 exact=0 edits=0 quiet=0
printf '%-22s %-34s %-4s %-25s %-6s %s\n' case kernel exit 'blamed metric' line 'blamed place'
while IFS= read -r row; do
    case $row in '' | '#'*) continue ;; esac
    mapfile -t columns < <(sed 's/ *$//; s/ \+| \+/\n/g' <<<"$row")
    name=${columns[0]} kernel=${columns[1]} metrics=${columns[2]} line=${columns[3]}
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then
        continue
    fi
    if [ "$metrics" = - ]; then
        judge "$name" "${kernel%/*}/*"
        edits=$((edits + 1))
        red=$(jq -r '[.judgements[]? | select(.verdict == "regressed") | "\(.kernel):\(.metric)"] | join(" ")' \
            "$scratch/$name.json" 2>/dev/null || echo 'no report')
        if [ -z "$red" ] && { [ $code -eq 0 ] || [ $code -eq 3 ]; }; then
            quiet=$((quiet + 1))
        fi
        printf '%-22s %-34s %-4s %-25s %-6s %s\n' "$name" "${kernel%/*}/*" "$code" "${red:--}" - '(harmless)'
        continue
    fi
    verdicts='^regressed$' codes=1
    if [ "$metrics" != "${metrics#\~}" ]; then
        metrics=${metrics#\~} verdicts='^(trade-off|unsure)$' codes='0 3'
    fi
    judge "$name" "$kernel"
    faults=$((faults + 1))
    found=$(jq -r --arg kernel "$kernel" --arg metrics "$metrics" --arg line "$line" \
        --arg verdicts "$verdicts" "$blame" "$scratch/$name.json" \
        2>/dev/null || echo '- - no report')
    read -r metric fit place <<<"$found"
    if [[ " $codes " = *" $code "* ]] && [ "$metric" != - ]; then
        caught=$((caught + 1))
    fi
    if [ "$fit" = exact ]; then
        exact=$((exact + 1))
    fi
    printf '%-22s %-34s %-4s %-25s %-6s %s\n' "$name" "$kernel" "$code" "$metric" "$fit" "$place"
done <tests/planted/cases.txt

echo "$caught of $faults faults caught in a metric that names them, $exact with the exact line;" \
    "$quiet of $edits harmless edits passed"
[ "$caught" -eq "$faults" ] && [ "$quiet" -eq "$edits" ] && [ $((faults + edits)) -gt 0 ]
