#!/usr/bin/env bash
# Judges the candidates of tests/capsule/candidates.txt on a GPU: what pretends to do the work is refused there too, and what
# does it is not. Prints a line for each, with the certificate's, and ends with "N passed, N failed". Exits 1 when one failed,
# 5 when there is no GPU. Builds nothing.
#
#   CUGATE=build/cugate TASKS=DIR tests/gpu/referee.sh [FUNCTION]...
#
# TASKS has cheats.cubin, and task.capsule of made_capsules.c. Variables: KEEP=DIR: where certificates are left.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cugate=$(realpath "${CUGATE:-build/cugate}")
tasks=${TASKS:?is the folder of cheats.cubin and task.capsule}
candidates=${CANDIDATES:-$here/../capsule/candidates.txt}
if [ -n "${KEEP-}" ]; then
    mkdir -p "$KEEP" && keep=$KEEP || exit 2
else
    keep=$(mktemp -d) || exit 2
    trap 'rm -rf "$keep"' EXIT
fi
passed=0 failed=0
while IFS='|' read -r task function exits _ options; do
    read -r task <<<"$task"
    read -r function <<<"$function"
    [ $# = 0 ] || [[ " $* " = *" $function "* ]] || continue
    [ "$task" = saxpy ] && task='saxpy@64,256'
    name=$function${options// /}
    begin=$EPOCHREALTIME code=0
    # shellcheck disable=SC2086 # words
    timeout 60 "$cugate" referee "$tasks/task.capsule" --code "$tasks/cheats.cubin" -k "train/${task/transpose/transpose*}" \
        --function "$function" --tolerance 1e-5 --draws 1 --seed 7 $options >"$keep/$name.txt" 2>&1 </dev/null || code=$?
    case ${exits// /} in
    5) good=$((code == 5)) ;;
    *) good=$((code == 0 || code == 1 || code == 3)) ;;
    esac
    ((good)) && passed=$((passed + 1)) || failed=$((failed + 1))
    printf '%-6s %-34s exit %s, computed %s, %5.1f s  %s\n' "$( ((good)) && echo ok || echo 'not ok')" "$name" "$code" \
        "${exits// /}" "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")" \
        "$(grep -E '^ *(result|inputs|outputs|precision|execution) +(refused|undecided)|failed:|cugate: ' "$keep/$name.txt" | head -1 | cut -c1-150)"
done < <(grep -v '^#' "$candidates")
echo "$passed passed, $failed failed"
exit $((failed > 0))
