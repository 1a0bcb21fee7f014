#!/usr/bin/env bash
# Runs `cugate check`, and makes sure that a complete report has the same exit code.
#
#   [CUGATE=build/cugate] ci/check.sh DIR [OPTION OF cugate check]...
#
# DIR gets every report, as with --out DIR. The exit code is that of cugate. But 0, 1 and 3 are verdicts. They become 5
# without a complete check.json that has the same exit code, since then nothing shows that anything was judged.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

# shellcheck source=ci/where.sh
. "$(dirname "$(realpath "$0")")/where.sh"
report=${1:?usage: ci/check.sh DIR [OPTION OF cugate check]...}/check.json
shift

rm -f "$report" # of an earlier run
code=0
"$CUGATE" check --out "${report%/*}" "$@" || code=$?
said=$(jq -s 'if length == 1 and .[0].schema == 1 then .[0].exit_code else empty end' "$report" 2>/dev/null) || said=''
[ "$said" != $code ] || exit $code
case $code in
0 | 1 | 3) ;;
2) exit 2 ;; # also when another report could not be written
*) [ -n "$said" ] || exit $code ;;
esac
words="says $said"
[ -n "$said" ] || words="is not there, or not whole"
echo "check: cugate ended with $code, but $report $words: nothing shows what was judged" >&2
rm -f "$report"
exit 5
