#!/usr/bin/env bash
# Judges the candidates of tests/capsule/candidates.txt on a GPU: what pretends to do the work is refused there too, and what
# does it is not. Prints a line for each, with the certificate's, and ends with "N passed, N failed". Exits 1 when one failed,
# 5 when there is no GPU. Builds nothing.
#
#   CUGATE=build/cugate TASKS=DIR [REPLAY=build/tests/replay_order] tests/gpu/referee.sh [FUNCTION]...
#
# TASKS has the candidates, and capsules of made_capsules.c. With REPLAY only what does the work is judged, and its order of
# speed is compared with that of an independent timing, replay_order.c's graphs of plain launches: a table, and pairs of a task
# of which the graphs' times differ by more than 5 % and which the referee orders otherwise. They should be of large capsules
# then, made by scale=N. Variables: KEEP=DIR: where certificates are left. SECONDS_MOST: after so many no candidate is begun.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cugate=$(realpath "${CUGATE:-build/cugate}")
tasks=${TASKS:?is the folder of candidates and capsules}
candidates=${CANDIDATES:-$here/../capsule/candidates.txt}
if [ -n "${KEEP-}" ]; then
    mkdir -p "$KEEP" && keep=$KEEP || exit 2
else
    keep=$(mktemp -d) || exit 2
    trap 'rm -rf "$keep"' EXIT
fi
passed=0 failed=0 timed=()
: >"$keep/judged.tsv"

# replayed NAME CAPSULE: has the kernels of that report timed as that file has them
replayed() {
    while read -r id; do
        [[ " ${timed[*]} " = *" $id $2 "* ]] || timed+=("$id" "$2")
    done < <(jq -r '.certificates[].kernel' "$keep/$1.json")
}

# time_it NAME TASK CODE [OPTION]...: keeps what the referee says of its times, and has it replayed, and the reference
time_it() {
    jq -r --arg name "$1" '.judgements[] | select(.metric == "time" and (.kernel | endswith("~0")) and .base and .now)
        | [.kernel[:-2], $name, .now / .base, .verdict] | @tsv' "$keep/$1.json" >>"$keep/judged.tsv"
    "$cugate" swap "$2" --code "$3" "${@:4}" -o "$keep/$1.capsule" -q 2>>"$keep/$1.txt" && replayed "$1" "$keep/$1.capsule" &&
        replayed "$1" "$2"
}

while IFS='|' read -r task function exits _ options; do
    read -r task <<<"$task"
    read -r function <<<"$function"
    read -r exits <<<"$exits"
    [ $# = 0 ] || [[ " $* " = *" $function "* ]] || continue
    [[ -z ${REPLAY-} || ($exits != 5 && $options != *--allow* && $function != *if_known) ]] || continue
    ((SECONDS < ${SECONDS_MOST:-100000})) || { echo "left out: $function" && continue; }
    file=task code=cheats choice=(--launch "$function" --tolerance 1e-5)
    [[ $task = *:* ]] && file=${task%:*} task=${task#*:} choice=()
    [ -e "$tasks/$function.cubin" ] && code=$function
    [ "$task" = saxpy ] && task='saxpy@64,256' || task+='@*'
    # shellcheck disable=SC2206 # words
    choice+=(-k "train/$task" $options)
    name=$function${options// /}
    begin=$EPOCHREALTIME got=0
    timeout 110 "$cugate" referee "$tasks/$file.capsule" --code "$tasks/$code.cubin" "${choice[@]}" --draws 1 --seed 7 \
        --report json="$keep/$name.json" >"$keep/$name.txt" 2>&1 </dev/null || got=$?
    case $exits in
    5) good=$((got == 5)) ;;
    *) good=$((got == 0 || got == 1 || got == 3)) ;;
    esac
    ((good)) && passed=$((passed + 1)) || failed=$((failed + 1))
    printf '%-6s %-34s exit %s, computed %s, %5.1f s  %s\n' "$( ((good)) && echo ok || echo 'not ok')" "$name" "$got" \
        "$exits" "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")" \
        "$(grep -E '^ *(result|inputs|outputs|precision|execution|shares) +(refused|undecided)|failed:|cugate: ' "$keep/$name.txt" | head -1 | cut -c1-150)"
    [[ -z ${REPLAY-} || ! -s $keep/$name.json ]] || time_it "$name" "$tasks/$file.capsule" "$tasks/$code.cubin" "${choice[@]}"
done < <(grep -v '^#' "$candidates")
echo "$passed passed, $failed failed"
[ -n "${REPLAY-}" ] || exit $((failed > 0))

"$REPLAY" "${timed[@]}" >"$keep/replayed.txt" || exit 5
rm -f "$keep"/*.capsule
awk -v tasks="$tasks/" '
    NR == FNR { judged[$1, $2] = $3; verdict[$1, $2] = $4; next }
    {
        name = index($1, tasks) == 1 ? "reference" : $1
        sub(/.*\//, "", name)
        sub(/[.]capsule$/, "", name)
        if (name == "reference")
            judged[$2, name] = 1
        if (!($2 in count))
            order[++kernels] = $2
        names[$2, ++count[$2]] = name
        time[$2, name] = $3
    }
    END {
        printf "%-30s %-42s %9s %8s %8s  %s\n", "task", "candidate", "us", "replay", "referee", "verdict"
        for (k = 1; k <= kernels; k++) {
            id = order[k]
            for (i = 1; i <= count[id]; i++) {
                one = names[id, i]
                printf "%-30s %-42s %9.3f %8.3f %8s  %s\n", id, one, time[id, one],
                    time[id, one] / time[id, "reference"], (id, one) in judged ? sprintf("%.3f", judged[id, one]) : "none",
                    verdict[id, one]
                for (j = 1; j < i; j++) {
                    other = names[id, j]
                    off = time[id, one] / time[id, other]
                    if ((off <= 1.05 && off >= 1 / 1.05) || !((id, one) in judged) || !((id, other) in judged))
                        continue
                    pairs++
                    if ((off > 1) != (judged[id, one] > judged[id, other]))
                        said[++wrong] = "otherwise: " id ": " one " and " other
                }
            }
        }
        for (i = 1; i <= wrong; i++)
            print said[i]
        printf "%d of %d pairs agree\n", pairs - wrong, pairs
    }' "$keep/judged.tsv" "$keep/replayed.txt"
exit $((failed > 0))
