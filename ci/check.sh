#!/usr/bin/env bash
# `cugate check`, and a whole report that vouches for its exit code: what passes has said so in writing.
#
#   [CUGATE=build/cugate] ci/check.sh REPORT.json [OPTION OF cugate check]...
#
# Ends as cugate did. But 0, 1 and 3 are verdicts: without a report in REPORT.json that is whole and has the same exit code
# they are 5, as nothing shows that anything was judged.
set -Eeuo pipefail
trap 'exit 2' ERR # 1 is a verdict: that what is worse was judged

report=${1:?usage: ci/check.sh REPORT.json [OPTION OF cugate check]...}
shift

# The report's form is stable: see report_json.c. Its second line has the exit code, and no other line can begin so, nor
# can it end so before its end.
vouched() {
    [ -f "$report" ] && [ "$(head -n 1 "$report")" = '{"schema": 1,' ] &&
        [ "$(tail -c 3 "$report" && echo .)" = $']}\n.' ] &&
        sed -n '2s/^ "exit_code": \([0-9][0-9]*\),$/\1/p' "$report"
}

rm -f "$report" # of an earlier run
code=0
"${CUGATE:-build/cugate}" check --report "json=$report" "$@" || code=$?
said=$(vouched) || said=''
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
