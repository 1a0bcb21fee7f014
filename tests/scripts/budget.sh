#!/usr/bin/env bash
# Tests ci/budget.awk, which holds the seconds of tests to their budget, and ci/changed.sh. Ends with "N passed, N failed".
#
#   tests/scripts/budget.sh
# shellcheck source=tests/scripts/begin.sh
. "$(dirname "$0")/begin.sh"
cd "$top" || exit 2

# judge LABEL CODE ROWS TAKEN SLOW [!]WORDS...: files of lines "SECONDS PART", on a machine that is SLOW; 100 s are allowed.
judge() {
    tr ' ;' '\t\n' <<<"$3" >"$work/rows"
    tr ' ;' '\t\n' <<<"$4" >"$work/taken"
    expect "$1" "$2" "${@:6}" -- awk -v limit=100 -v slow="$5" -f ci/budget.awk "$work/rows" "$work/taken"
}

judge 'within the rows' 0 '60 a;40 b' '61 a;39 b' 1 '    61.0     60.0  a' '   100.0    100.0  all' '!over'
judge 'half as much again is allowed' 0 '60 a;40 b' '40 a;60 b' 1 '!over'
judge 'more is not' 1 '60 a;40 b' '39 a;60.5 b' 1 'over: b took 60.5 CPU seconds, and 60.0 are allowed here' '!over: a' '!over: all'
judge 'a short part may take 2 seconds more' 1 '60 a;1 b;1 c' '60 a;3 b;3.5 c' 1 'over: c took 3.5 CPU seconds, and 3.0 are allowed here' '!over: b'
judge 'nor is a sum beyond the limit' 1 '60 a;40 b' '65 a;51 b' 1 'over: all took 116.0 CPU seconds, and 115.0 are allowed here' '!over: a '
judge 'a slower machine may take longer' 0 '60 a;40 b' '90 a;82 b' 1.5 '!over'
judge 'but not any time' 1 '60 a;40 b' '90 a;83 b' 1.5 'over: all took 173.0' '!over: b'
judge 'a row is raised where another is lowered' 1 '61 a;40 b' '60 a;30 b' 1 'over: the rows add up to 101.0 CPU seconds'
judge 'what did not run has no figure' 1 '60 a;40 b' '60 a' 1 'over: b has no figure'
judge 'what has no row is over' 1 '60 a' '60 a;1 b' 1 'over: b has no row'
# Parts that passed are left out as long as their files are the same.
mkdir "$work/files"
echo one >"$work/files/a"
changed() { # LABEL CODE
    expect "changed.sh: $1" "$2" -- ci/changed.sh "$work/stamp" "$work/files"
}
changed 'nothing passed yet' 0
mv "$work/stamp.next" "$work/stamp"
changed 'the same files' 1
echo two >"$work/files/a"
changed 'another file' 0
echo one >"$work/files/a"
changed 'as before' 1
mv "$work/files/a" "$work/files/b"
changed 'another name' 0
rm -r "$work/files"
changed 'no files' 2
expect 'how slow a machine is, is a number of at least 1' 0 -- ci/how_slow.sh
[[ $(cat "$work/said") =~ ^[1-9][0-9]*\.[0-9]{2}$ ]]
# shellcheck disable=SC2034 # expect() reads it
code=$?
expect 'with two digits' 0
summary
