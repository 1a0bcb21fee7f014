#!/usr/bin/env bash
# Judges the candidates of tests/capsule/candidates.txt on a GPU: what pretends to do the work is refused there too, and what
# does it is not. Prints a line for each, with the certificate's, and ends with "N passed, N failed". Exits 1 when one failed,
# 5 when there is no GPU. Builds nothing.
#
#   CUGATE=build/cugate TASKS=DIR tests/gpu/referee.sh [FUNCTION]...
#
# TASKS has the candidates, and capsules of made_capsules.c. Variables: KEEP=DIR: where certificates are left. SECONDS_MOST:
# after so many no candidate is begun.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cugate=$(realpath "${CUGATE:-build/cugate}")
tasks=${TASKS:?is the folder of candidates and capsules}
candidates=${CANDIDATES:-$here/../capsule/candidates.txt}
# shellcheck source=tests/gpu/keep.sh
. "$here/keep.sh"

while IFS='|' read -r task function exits _ options; do
    read -r task <<<"$task"
    read -r function <<<"$function"
    read -r exits <<<"$exits"
    [ $# = 0 ] || [[ " $* " = *" $function "* ]] || continue
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
        --report json="$work/$name.json" >"$work/$name.txt" 2>&1 </dev/null || got=$?
    case $exits in
    5) good=$((got == 5)) ;;
    *) good=$((got == 0 || got == 1 || got == 3)) ;;
    esac
    ((good)) && passed=$((passed + 1)) || failed=$((failed + 1))
    printf '%-6s %-34s exit %s, computed %s, %5.1f s  %s\n' "$( ((good)) && echo ok || echo 'not ok')" "$name" "$got" \
        "$exits" "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")" \
        "$(grep -E '^ *(result|inputs|outputs|precision|execution|shares) +(refused|undecided)|failed:|cugate: ' "$work/$name.txt" | head -1 | cut -c1-150)"
done < <(grep -v '^#' "$candidates")
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
